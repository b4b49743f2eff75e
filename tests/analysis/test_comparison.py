"""Runs beside each other: tables of differences, and what cannot be compared."""

import csv
import json
import math

import numpy as np
import pandas
import pytest

import serpenoid as sp
from serpenoid.analysis.metrics import METRICS
from tests.sentences import refusal

SHORT = {"clock.duration": 6.0}


@pytest.fixture(scope="module")
def runs():
    swimmer = sp.Scenario.load("swimmer", SHORT)
    return {
        "gentle": swimmer.run(),
        "wide": swimmer.changed({"controller.amplitude_deg": 50.0}).run(),
        "snake": sp.Scenario.load("wheeled_snake", SHORT).run(),
    }


@pytest.fixture(scope="module")
def found(runs):
    return sp.compare(runs)


def test_differences_are_those_of_the_measures(runs, found):
    assert found.measures["wide"] == runs["wide"].measures()
    rows = {(row.measure, row.run): row for row in found.differences()}
    assert len(rows) == 3 * len(runs["gentle"].measures())
    one, other = runs["gentle"].mean_speed(), runs["wide"].mean_speed()
    row = rows["mean_speed", "wide"]
    assert (row.unit, row.value, row.difference) == ("m/s", other, other - one)
    assert row.relative == (other - one) / one
    assert rows["mean_speed", "gentle"].difference == 0.0
    # A share of nothing is undefined.
    assert math.isnan(rows["peak_contact_force", "wide"].relative)


def test_the_text_is_a_table(runs, found):
    lines = repr(found).splitlines()
    assert lines[0].split() == [
        *("measure", "gentle", "wide", "difference", "%", "snake", "difference", "%", "unit")
    ]
    one, other = runs["gentle"].mean_speed(), runs["wide"].mean_speed()
    assert lines[1].split()[:5] == [
        *("mean_speed", f"{one:.4g}", f"{other:.4g}"),
        *(f"{other - one:+.3g}", f"{100 * (other / one - 1):+.1f}"),
    ]
    assert lines[-1] == "differences from 'gentle'"
    page = found._repr_html_()
    assert page.count("<tr>") == len(lines) - 1
    assert page.endswith("<p>differences from &#x27;gentle&#x27;</p>")


def test_a_name_from_outside_is_harmless(runs):
    named = sp.compare({"<b>": runs["gentle"], "\x1b[2J": runs["wide"]})
    assert "\x1b" not in repr(named)
    assert "<b>" not in named._repr_html_()


def test_what_not_all_have_is_left_out_and_named(runs):
    still = sp.simulate(runs["snake"].robot, runs["snake"].world, duration=1.0)
    both = sp.compare({"gentle": runs["gentle"], "still": still})
    assert both.left_out == {
        "path_curvature": "'still': this run has no gait: its controller must be or contain a wave"
    }
    assert "path_curvature" not in {row.measure for row in both.differences()}
    assert repr(both).splitlines()[-1] == (
        "path_curvature is left out, 'still': this run has no gait: its controller must be or "
        "contain a wave"
    )
    # What none of them has is not named.
    assert "waypoints_reached" not in repr(both)


def test_what_runs_are_too_short_for_is_named_though_none_has_it(runs):
    scenario = runs["gentle"].scenario
    both = sp.compare({"half": scenario.run(duration=0.5), "most": scenario.run(duration=0.8)})
    *_, lasts, left_out = repr(both).splitlines()
    assert lasts == "they last 0.5 s, 0.8 s: sums and peaks count all rows of each"
    assert left_out.startswith("mean_speed, forward_velocity, turn_rate, path_curvature, ")
    assert left_out.endswith(
        " are left out, 'half': each needs a whole cycle of the gait, 2 s, after the first; this "
        "run lasts 0.5 s"
    )
    assert both.left_out["efficiency"].startswith("'half': efficiency needs a whole cycle")
    assert "waypoints_reached" not in both.left_out


def test_files_are_read(runs, found, tmp_path):
    file = runs["wide"].save(tmp_path / "wide.nc")
    again = sp.compare({"gentle": runs["gentle"], "wide": file, "snake": runs["snake"]})
    assert repr(again) == repr(found)
    assert again.measures == found.measures


def test_the_table_and_its_files(found, tmp_path):
    table = found.table()
    assert list(table) == ["measure", "unit", "run", "value", "difference", "relative"]
    assert len(table) == len(found.differences())
    assert table["run"].iloc[:3].tolist() == ["gentle", "wide", "snake"]
    path = found.save(tmp_path / "table.parquet")
    pandas.testing.assert_frame_equal(pandas.read_parquet(path), table)
    with found.save(tmp_path / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["measure"] for row in rows] == table["measure"].tolist()
    np.testing.assert_array_equal([float(row["value"]) for row in rows], table["value"])
    undefined = [row["relative"] == "" for row in rows]
    np.testing.assert_array_equal(undefined, table["relative"].isna())
    assert any(undefined)
    plain = json.loads(json.dumps(found.plain(), allow_nan=False))
    assert plain["runs"] == ["gentle", "wide", "snake"]
    assert [row["value"] for row in plain["measures"]] == table["value"].tolist()


def test_the_page_plays_all_of_them(found, tmp_path):
    page = found.view(tmp_path / "page.html").read_text()
    assert '"names":["gentle","wide","snake"]' in page


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            lambda _: 3,
            "runs = 3 is not allowed: it must be a mapping of names to runs, such as "
            '{"smooth": run, "rough": other}',
        ),
        (
            lambda runs: {"a": runs["wide"]},
            "runs has 1 entry, which is not allowed: a comparison takes 2 to 7 runs",
        ),
        (
            lambda runs: {str(k): runs["wide"] for k in range(8)},
            "runs has 8 entries, which is not allowed: a comparison takes 2 to 7 runs",
        ),
        (
            lambda runs: {"a": runs["wide"], 3: runs["wide"]},
            "runs has the name 3, which is not allowed: it must be text",
        ),
        (
            lambda runs: {"a": runs["wide"], " ": 3},
            "runs has the name ' ', which is not allowed: it must be text",
        ),
        (
            lambda runs: {"a": runs["wide"], "b": runs["wide"].scenario},
            "runs['b'] is of type Scenario, which is not allowed: it must be a run, or the .nc "
            "file of one",
        ),
        (
            lambda runs: {
                "a": runs["wide"],
                "b": sp.Scenario.load("pedal_wave", {"clock.duration": 0.1}).run(),
            },
            "'b' cannot be compared with 'a': it is in a vertical plane, the other in a horizontal "
            "one",
        ),
        (
            lambda runs: {
                "a": runs["wide"],
                "b": runs["wide"].scenario.run(start=runs["wide"].state, duration=0.1),
            },
            "'b' cannot be compared with 'a': they have no time in common, it lasts from 6 to "
            "6.1 s, the other from 0 to 6 s",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(runs, given, words):
    assert refusal(lambda: sp.compare(given(runs))) == words


def test_other_endings_are_refused(found, tmp_path):
    words = f"path = '{tmp_path}/a.cvs' is not allowed (did you mean '.csv'?): it must end in "
    assert refusal(lambda: found.save(f"{tmp_path}/a.cvs")) == words + ".csv or .parquet"
    words = f"path = '{tmp_path}/a.pdf' is not allowed: it must end in .html or .htm"
    assert refusal(lambda: found.view(f"{tmp_path}/a.pdf")) == words
    assert not list(tmp_path.iterdir())


def test_measures_are_in_the_order_of_the_metrics(found):
    shown = list(dict.fromkeys(row.measure for row in found.differences()))
    assert shown == [name for name in METRICS if name in shown]
