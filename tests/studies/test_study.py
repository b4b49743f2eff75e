"""Studies: which points they have, and what is refused."""

import datetime
import importlib.util
import math
import time

import numpy as np
import pytest

from serpenoid.errors import InvalidInput
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies import Grid, LatinHypercube, Parameter, Random, Study, load_table, sweep
from serpenoid.studies.preparation import prepare, some_points

AMPLITUDE = "controller.amplitude_deg"
PATH = Scenario.load("waypoints").plain()["controller"]
FILE = """
base = "swimmer"
metrics = ["mean_speed"]

[parameters]
"controller.amplitude_deg" = { range = [10, 60], steps = 6 }
"""


def study(**changes):
    values = {
        "base": "swimmer",
        "parameters": {AMPLITUDE: {"range": [10, 60], "steps": 6}},
        "metrics": ["mean_speed"],
    }
    return Study(**(values | changes))


def test_a_grid_has_all_combinations_the_last_parameter_fastest():
    both = study(
        parameters={AMPLITUDE: {"range": [10, 30], "steps": 3}, "seed": {"values": [4, 7]}}
    )
    assert both.points == [(10, 4), (10, 7), (20, 4), (20, 7), (30, 4), (30, 7)]
    assert both.changes(3) == {AMPLITUDE: 20.0, "seed": 7}


def test_levels_of_a_range_end_where_it_does():
    assert Parameter(range=[0.1, 0.7], steps=7).levels[-1] == 0.7
    logarithmic = Parameter(range=[0.01, 100], steps=5, scale="log").levels
    assert logarithmic == pytest.approx((0.01, 0.1, 1, 10, 100), rel=1e-12)
    assert logarithmic[-1] == 100
    assert Parameter(range=[1, 4], steps=4, integer=True).levels == (1, 2, 3, 4)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_whole_numbers_are_drawn_with_both_ends(scale):
    die = Parameter(range=[1, 6], integer=True, scale=scale)
    drawn = [die.at(share) for share in np.linspace(0, 1, 10_000, endpoint=False)]
    counts = [drawn.count(k) for k in range(1, 7)]
    assert sum(counts) == 10_000
    assert all(type(number) is int for number in drawn)
    shares = [math.log((k + 1) / k) / math.log(7) if scale == "log" else 1 / 6 for k in range(1, 7)]
    # Even steps count each share to within one at either end.
    assert np.abs(np.array(counts) - 10_000 * np.array(shares)).max() < 2


def test_whole_numbers_of_a_logarithm():
    decades = Parameter(range=[1, 1000], steps=4, scale="log", integer=True)
    assert decades.levels == (1, 10, 100, 1000)


def test_a_sample_of_many_levels_does_not_make_them_all():
    begin = time.perf_counter()
    points = Random(20_000).points({"a": Parameter(range=[0, 999_999], steps=1_000_000)})
    assert time.perf_counter() - begin < 5.0
    assert all(a == pytest.approx(round(a), abs=1e-6) for (a,) in points)


def test_a_seed_that_no_table_holds():
    with pytest.raises(InvalidInput, match=r"seed = 1180.* is not allowed: it must be at most 9.2"):
        Scenario.load("swimmer", {"seed": 2**70})


@pytest.mark.parametrize("kind", [Random, LatinHypercube])
def test_samples_are_a_function_of_their_seed(kind):
    parameters = {"a": Parameter(range=[2, 3]), "b": Parameter(values=["x", "y"])}
    points = kind(50, seed=3).points(parameters)
    assert points == kind(50, seed=3).points(parameters)
    assert points != kind(50, seed=4).points(parameters)
    assert len(points) == 50
    assert all(2 <= a < 3 and b in "xy" for a, b in points)


def test_every_slice_of_a_latin_hypercube_holds_one():
    parameters = {name: Parameter(range=[0, 1]) for name in "abc"}
    points = np.array(LatinHypercube(200, seed=1).points(parameters))
    for column in points.T:
        assert sorted(np.floor(200 * column)) == list(range(200))
    # Combined at random: neighbours in one are none in another.
    assert abs(np.corrcoef(points[:, 0], points[:, 1])[0, 1]) < 0.2


def test_a_file_is_read_with_its_base_beside_it(tmp_path):
    base = Scenario.load("swimmer", {"clock.duration": 3.0})
    base.dump(tmp_path / "mine.toml")
    file = tmp_path / "study.toml"
    file.write_text(FILE.replace("swimmer", "mine.toml") + '[change]\n"friction.along" = 0.1\n')
    loaded = Study.load(file)
    assert loaded.scenario == base.changed({"friction.along": 0.1})
    assert loaded.sampling == Grid()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"metrics": ["mean_sped"]}, r"metrics: 'mean_sped' is not known \(did you mean 'mean_spe"),
        ({"metrics": []}, r"Study.metrics = \[\] is not allowed: it must not be empty"),
        ({"metrics": ["penetration"]}, "metrics: 'penetration' is in every table"),
        ({"metrics": ["distance", "distance"]}, "metrics: 'distance' is there twice"),
        ({"parameters": {}}, r"Study.parameters = {} is not allowed"),
        ({"parameters": {"seed": {"values": []}}}, r"values = \[\] is not allowed: it must not be"),
        (
            {"parameters": {"seed": {"range": [3, 1], "steps": 2}}},
            r"range = \[3, 1\] is not allowed: the first number must be less than the second",
        ),
        ({"parameters": {"seed": {"range": [0, 1], "steps": 3, "scale": "log"}}}, "greater than 0"),
        ({"parameters": {"seed": {"range": [0, 1.5], "integer": True}}}, "must be whole numbers"),
        ({"parameters": {"seed": {"range": [0, 3], "steps": 9, "integer": True}}}, "only 4 whole"),
        ({"parameters": {"seed": {"range": [0, 3], "steps": 1}}}, "it must be at least 2"),
        ({"parameters": {"seed": {"range": [0, 3]}}}, r"parameters.seed.steps is missing; a grid"),
        ({"parameters": {"seed": {"values": [2**63]}}}, "at most 64 bits"),
        ({"parameters": {"seed": {"values": [2**60 + 1, 0.5]}}}, r"at most 2\*\*53 in size"),
        (
            {
                "parameters": {
                    "seed": {"range": [1, 10], "steps": 10, "scale": "log", "integer": True}
                }
            },
            r"steps = 10 is not allowed: with scale = 'log' .* same whole number, as 1; it must be",
        ),
        ({"sampling": {"kind": "random", "samples": 3, "seed": 2**63}}, "seed = 92.* at most 9.2"),
        ({"parameters": {"seed": {"values": [datetime.date(2026, 1, 1)]}}}, r"values = datetime"),
        ({"parameters": {"seed": {}}}, "values or range must be given, and has neither"),
        ({"parameters": {"seed": {"values": [1], "range": [0, 1]}}}, "must be given, not both"),
        ({"parameters": {"seed": {"values": [1], "steps": 2}}}, "not allowed beside steps"),
        ({"parameters": {"seed": {"grid": [1]}}}, r"parameters.seed.grid is not known; "),
        ({"change": {AMPLITUDE: 3}}, "is one of the parameters already"),
        ({"sampling": {"kind": "randon"}}, r"sampling.kind = 'randon' is not known \(did you mean"),
        ({"sampling": {"kind": "random"}}, r"sampling.samples is missing"),
        ({"base": 3}, "base = 3 is not allowed: it must be the name of a ready scenario"),
    ],
)
def test_what_is_refused(changes, words):
    with pytest.raises(InvalidInput, match=words) as caught:
        study(**changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("swimmer", "swimer", "study.toml: scenario 'swimer' is neither .*did you mean 'swimmer'"),
        (
            "metrics",
            "metric",
            r"study.toml, line 3: metrics? is .*; a study takes base, parameters",
        ),
        ("steps = 6", "steps = 0", "parameters.controller.amplitude_deg.steps = 0 is not allowed"),
        ("{", "", "study.toml is not valid TOML"),
    ],
)
def test_what_is_refused_in_a_file(tmp_path, old, new, words):
    file = tmp_path / "study.toml"
    file.write_text(FILE.replace(old, new))
    with pytest.raises(InvalidInput, match=words):
        Study.load(file)


def test_keys_of_parameters_need_no_quotes(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(FILE.replace(f'"{AMPLITUDE}"', AMPLITUDE))
    assert AMPLITUDE in file.read_text()
    assert f'"{AMPLITUDE}"' not in file.read_text()
    assert AMPLITUDE in Study.load(file).parameters


def test_a_file_that_is_not_there():
    with pytest.raises(InvalidInput, match=r"nowhere.toml cannot be read: No such file"):
        Study.load("nowhere.toml")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"parameters": {"controller.amplitud_deg": {"values": [1]}}},
            r"controller.amplitud_deg is not known \(did you mean 'amplitude_deg'\?\)",
        ),
        (
            {"parameters": {"friction.along": {"values": [-1]}}},
            "friction.along = -1 is not allowed",
        ),
        ({"skip": 15.0}, "skip = 15 is not allowed: runs last 15 s"),
        ({"metrics": ["waypoints_reached"]}, "metrics: 'waypoints_reached' is not allowed: this"),
    ],
)
def test_a_study_of_which_nothing_could_be_run_is_refused_before_anything_is_written(
    changes, words, tmp_path
):
    with pytest.raises(InvalidInput, match=words):
        sweep(study(**changes), tmp_path / "out")
    assert not (tmp_path / "out").exists()


MANY = {AMPLITUDE: {"range": [10, 60], "steps": 250}}


@pytest.mark.parametrize(
    "changes",
    [
        {"parameters": {"friction.along": {"values": [-1, 0.3]}}},
        # Every second point is bad, as every second one would be looked at in even steps.
        {"parameters": MANY | {"friction.along": {"values": [-1, 0.3]}}},
        # One of many points is good, and was not looked at.
        {
            "parameters": {
                "friction.along": {"values": [0.3] + [-1] * 99},
                "friction.across": {"values": [0.3] + [-1] * 99},
            }
        },
        {"parameters": {"clock.duration": {"values": [1.0, 3.0]}}, "skip": 2.0},
        {
            "parameters": {"controller": {"values": [{"kind": "no"}, PATH]}},
            "metrics": ["jammed_time"],
        },
    ],
)
def test_one_good_point_is_enough(changes):
    some = study(**changes)
    prepare(some, some_points(some))


def test_many_points_that_are_all_bad_are_refused():
    wrong = study(parameters=MANY | {"friction.alng": {"values": [1, 2]}})
    with pytest.raises(InvalidInput, match=r"friction\.alng is not known"):
        prepare(wrong, some_points(wrong))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"workers": 0}, "workers = 0 is not allowed: it must be a whole number from 1 to 1024"),
        ({"workers": 2, "scheduler": "a:1"}, "workers = 2 is not allowed with a scheduler"),
        ({"scheduler": "here"}, "scheduler = 'here' is not allowed: it must be tls://H"),
    ],
)
def test_no_cluster_can_come_of_it(values, words, tmp_path):
    with pytest.raises(InvalidInput, match=words):
        sweep(study(), tmp_path / "out", **values)


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name != "pyarrow" or None)
    with pytest.raises(InvalidInput, match=r"not installed: pip install 'serpenoid\[studies\]'"):
        sweep(study(), tmp_path / "out")


def test_a_table_that_is_not_there(tmp_path):
    with pytest.raises(InvalidInput, match=r"has no table.parquet: no study was finished there"):
        load_table(tmp_path)
