"""liljeback2011: claims, readings and tables on made-up fields; the kept reproduction."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from serpenoid import papers
from serpenoid.papers.liljeback2011.outcome import PERCENTILES, Outcome
from serpenoid.papers.liljeback2011.readings import paper_case
from serpenoid.papers.liljeback2011.shown import seed_shown
from serpenoid.papers.liljeback2011.statistics import median, percent, sign_test
from serpenoid.papers.liljeback2011.study import WAYPOINTS, Case
from serpenoid.papers.paper import Failed, Results
from serpenoid.papers.readings import Setting, combinations
from serpenoid.plots import canvas

KEPT = Path(__file__).parents[2] / "docs" / "reproductions" / "liljeback2011"
PAPER = papers.find("liljeback2011")
BEST = Setting({reading.name: reading.choices[0].name for reading in PAPER.readings})
COUNT = len(PERCENTILES)


def made_up(case, reached=WAYPOINTS, **changes):
    """A run by a robot that did all as the paper says."""
    times = tuple(40.0 * k if k <= reached else np.inf for k in range(1, WAYPOINTS + 1))
    per_leg = tuple(0.02 if k < reached else np.nan for k in range(WAYPOINTS))
    forces = (2.0, *np.linspace(0, 9, COUNT))
    return Outcome(
        **{
            "case": case,
            "times": times,
            "stopped": "",
            "ended": 200.0 if reached == WAYPOINTS else 300.0,
            "largest_deg": 90.0,
            "turned_over": np.inf,
            "crossed": np.inf,
            "velocity": 0.07,
            "by_leg": (0.07,) * WAYPOINTS,
            "momentary": tuple(np.linspace(0.01, 0.12, COUNT)),
            "by_swing": tuple(np.linspace(0.05, 0.1, COUNT)),
            "sideways": per_leg,
            "heading": per_leg,
            "changes": (2.0,) * WAYPOINTS,
            "heading_changes": (2.0,) * WAYPOINTS,
            "forces": forces,
            "sound_forces": forces,
            "middle": forces,
            "jams": (),
            "stands_from": 110.0,
            "stands_at": 0.5,
            "overlap": 0.01,
        }
        | changes
    )


def results_of(*runs, setting=BEST):
    return Results({"kept": list(runs)}, setting)


def field(seed, adapting=None, **without):
    """Both runs in a field; without adaptation as in Fig. 4, and three times the forces."""
    stuck = made_up(paper_case(BEST, "none", seed), 2, middle=(6.0, *[30.0] * COUNT))
    plain = {name: getattr(stuck, name) for name in Outcome.__dataclass_fields__}
    return Outcome(**plain | without), made_up(paper_case(BEST, "printed", seed), **adapting or {})


def check(name, *runs):
    (claim,) = (each for each in PAPER.claims if each.id == name)
    return claim.check(results_of(*runs))


def as_the_paper_says():
    return [run for seed in range(8) for run in field(seed)]


def test_all_claims_hold_where_it_goes_as_the_paper_says():
    for claim in PAPER.claims:
        if not claim.not_comparable:
            assert check(claim.id, *as_the_paper_says()).holds, claim.id


@pytest.mark.parametrize(
    ("name", "adapting", "without"),
    [
        ("without", {}, {"times": (40.0,) * WAYPOINTS}),
        ("with_adaptation", {"reached": 4}, {}),
        ("adaptation_helps", {"reached": 2}, {}),
        ("same_field", {}, {"stands_at": 0.9}),
        ("same_field", {"reached": 4}, {}),
        ("third_leg", {}, {"times": (40.0,) + (np.inf,) * 4}),
        ("jammed_after", {}, {"stands_from": 150.0}),
        ("forward_velocity", {"by_swing": (0.03,) * COUNT}, {}),
        ("objective_10", {"sideways": (0.0, 0.0, -0.2, 0.0, 0.0)}, {}),
        ("objective_11", {"heading": (0.0, 0.0, -0.2, 0.0, 0.0)}, {}),
        ("objective_12", {"by_swing": (-0.01, *[0.05] * (COUNT - 1))}, {}),
        ("oscillates", {"changes": (2.0, 0.0, 0.0, 2.0, 2.0)}, {}),
        ("force_mean", {"middle": (7.0, *[1.0] * COUNT)}, {}),
        ("force_high", {"middle": (1.0, *[31.0] * COUNT)}, {}),
        ("force_largest", {"middle": (1.0, *[1.0] * (COUNT - 1), 99.0)}, {}),
        ("overlap", {"overlap": 0.0}, {}),
    ],
)
def test_each_claim_fails_where_it_goes_otherwise(name, adapting, without):
    runs = [run for seed in range(8) for run in field(seed, adapting, **without)]
    assert check(name, *runs).holds is False


def test_a_single_field_shows_what_the_paper_shows():
    runs = [run for seed in range(8) for run in field(seed, {"reached": 2 + 3 * (seed == 5)})]
    finding = check("same_field", *runs)
    assert finding.holds
    assert finding.measured == 12.5
    assert finding.note.startswith("fields 5 of 8")


@pytest.mark.parametrize("how", [{"largest_deg": 181.0}, {"crossed": 9.0}, {"stopped": "so"}])
def test_strictly_is_without_anything_impossible(how):
    case = Case(0, "limited")
    assert made_up(case).strictly
    assert not made_up(case, reached=4).strictly
    assert made_up(case, **how).passed
    assert not made_up(case, **how).strictly


def test_only_fields_of_both_count():
    runs = as_the_paper_says()
    alone = made_up(paper_case(BEST, "none", 20))
    assert check("without", *runs, alone) == check("without", *runs)
    with pytest.raises(Failed, match="no such run"):
        check("without", *runs[::2])


def test_readings_are_those_that_make_sense():
    settings = combinations(PAPER.readings, PAPER.natural, {}, quick=False)
    assert settings[0] == BEST
    assert len(settings) == 7
    assert len({paper_case(setting, "printed") for setting in settings}) == 7
    assert all(setting["rho"] == "with_impacts" for setting in settings[2:])


def test_rho_does_not_change_a_robot_that_does_not_look_at_it():
    impacts = Setting({**BEST, "rho": "with_impacts"})
    runs = [made_up(paper_case(BEST, "none")), made_up(paper_case(impacts, "printed"))]
    (claim,) = (each for each in PAPER.claims if each.id == "with_adaptation")
    assert claim.check(results_of(*runs, setting=impacts)).measured == 100
    (force,) = (each for each in PAPER.claims if each.id == "force_mean")
    with pytest.raises(Failed):
        force.check(results_of(*runs, setting=impacts))


def test_tables_and_figures_of_made_up_fields():
    results = results_of(*as_the_paper_says())
    tables = {table.name: table for table in PAPER.tables}
    head, *lines = tables["fields"].rows(results)
    assert [line[:5] for line in lines] == [
        ["hybrid", "constraint", "none", "8", "0"],
        ["hybrid", "constraint", "as printed", "8", "8"],
    ]
    assert len(head) == len(lines[0])
    assert [row[2] for row in tables["pairs"].rows(results)[1:]] == ["0", "0", "8", "0", "8"]
    legs = tables["legs"].rows(results)
    assert [row[2:4] for row in legs[1:7:2]] == [["8", "8"], ["8", "8"], ["8", "0"]]
    assert tables["forces"].rows(results)[1][-1].startswith("1")
    assert tables["velocities"].rows(results)[2][1] == "5 (5 to 5)"
    audit = tables["audit"].rows(results)
    assert [row[2] for row in audit[1:3]] == ["not run", "not run"]
    figures = {figure.name: figure for figure in PAPER.figures}
    for name in ("fields", "forces"):
        with canvas((7.0, 3.0)) as drawn:
            figures[name].draw(results, drawn)
            assert drawn.axes


def test_field_shown_is_the_first_that_goes_best():
    runs = [
        *field(0, {"reached": 2}),
        *field(1, {"reached": 3}),
        *field(2, {"crossed": 3.0}),
        *field(3),
    ]
    for left, seed in ((8, 3), (6, 2), (4, 0), (0, 0)):
        assert seed_shown(results_of(*runs[:left])) == seed
    (table,) = (each for each in PAPER.tables if each.name == "shown")
    rows = {words: cells for _, words, *cells in table.rows(results_of(*runs[:6]))}
    assert rows["waypoints"] == ["2", "5"]
    assert rows["gains less than 5 cm"] == ["from 110 s on at 50 % of leg 3", "–"]
    assert rows["links cross"] == ["never", "from 3 s on"]


def test_statistics():
    assert percent([True] * 3 + [False]).value == 75.0
    found = median([1.0, 2.0, 3.0, np.inf])
    assert found.low <= found.value == 2.5 <= found.high
    assert found.words() == f"2.5 ({found.low:.2g} to {found.high:.2g})"
    assert sign_test(5, 0) == 1 / 32
    assert sign_test(0, 5) == 1.0
    for of_nothing in (percent, median):
        with pytest.raises(Failed):
            of_nothing([])


def test_coverage_names_claims_that_there_are():
    ids = {claim.id for claim in PAPER.claims}
    named = {name for item in PAPER.coverage for name in item.claims}
    assert named == ids


def test_quick_is_the_whole():
    """Outcomes are kept, so that nothing need be less."""
    setting = combinations(PAPER.readings, PAPER.natural, {}, quick=True)[0]
    quick, whole = (PAPER.experiments(each) for each in (setting, BEST))
    assert quick == whole


def test_kept_reproduction():
    kept = json.loads((KEPT / "claims.json").read_text(encoding="utf-8"))
    assert (kept["quick"], kept["restricted"]) == (False, False)
    assert [each["id"] for each in kept["claims"]] == [claim.id for claim in PAPER.claims]
    assert [each["name"] for each in kept["tables"]] == [table.name for table in PAPER.tables]
    assert not any(each["missing"] for each in kept["tables"] + kept["figures"])
    for figure in PAPER.figures:
        assert (KEPT / f"{figure.name}.png").stat().st_size > 10_000


def test_what_was_found_is_what_the_reproduction_prints():
    """No number in the five sentences that is not in a table of the report."""
    assert len(PAPER.found) == 5
    report = (KEPT / "report.md").read_text(encoding="utf-8")
    rest = report.replace("\n".join(PAPER.found), "")
    assert rest != report
    number = r"(?<![\w.])\d+(?:\.\d+)?"
    assert set(re.findall(number, "".join(PAPER.found))) <= set(re.findall(number, rest))
