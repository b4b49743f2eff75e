"""liljeback2011: a few fields now, the kept statistics, and all of them if asked for."""

import json
from pathlib import Path

import numpy as np
import pytest

from serpenoid import papers
from serpenoid.papers.liljeback2011.claims import outcomes, passed, velocity
from serpenoid.papers.liljeback2011.study import Case, pass_through, scenario
from serpenoid.papers.reproduce import reproduce

KEPT = Path(__file__).parents[2] / "docs" / "reproductions" / "liljeback2011"
PAGE_IDS = {
    "success_rate_without",
    "success_rate_with",
    "forward_velocity",
    "contact_force_reduction",
}


def by_id(claims):
    return {claim["id"]: claim for claim in claims}


def check_bars(claims):
    assert claims.keys() >= PAGE_IDS
    assert claims["success_rate_with"]["measured"] >= 16
    assert claims["success_rate_without"]["measured"] <= 7
    assert claims["success_rate_printed"]["measured"] < claims["success_rate_with"]["measured"]
    assert claims["contact_force_reduction"]["measured"] >= 5
    assert 3 < claims["forward_velocity"]["measured"] < 8
    assert all(claim["note"] for claim in claims.values())


def test_kept_reproduction():
    kept = json.loads((KEPT / "claims.json").read_text(encoding="utf-8"))
    assert kept["quick"] is False
    check_bars(by_id(kept["claims"]))
    report = (KEPT / "report.md").read_text(encoding="utf-8")
    paper = papers.find("liljeback2011")
    for claim in paper.claims:
        assert f"| `{claim.id}`: {claim.statement} |" in report
    for figure in paper.figures:
        assert (KEPT / f"{figure.name}.png").stat().st_size > 10_000


def test_quick(tmp_path):
    report = reproduce(papers.find("liljeback2011"), tmp_path, quick=True)
    claims = by_id(report.plain()["claims"])
    # Four fields.
    assert claims["success_rate_with"]["measured"] >= 10
    assert claims["success_rate_without"]["measured"] <= 5
    assert claims["contact_force_reduction"]["measured"] > 2
    for name in ("fig4", "fig5", "fig6", "fields", "forces"):
        assert (tmp_path / f"{name}.png").exists()
    assert "this was not run; leave out --quick" in (tmp_path / "report.md").read_text()


def test_same_fields_for_everybody():
    centre, outline = (scenario(Case(3, "none", place)).built[1] for place in ("centre", "outline"))
    assert centre.pegs == outline.pegs
    assert len(centre.pegs) == 320
    other = scenario(Case(4, "none")).built[1]
    assert centre.pegs != other.pegs


def test_robot_fits_into_every_field():
    for seed in range(20):
        outline = scenario(Case(seed, "none", "outline"), duration=0.02)
        assert len(outline.run().time) == 2


@pytest.mark.slow
def test_solvers_agree_in_their_statistics():
    results = {"fields": papers.find("liljeback2011").experiments(False)["fields"](lambda _: None)}
    for place in ("centre", "outline"):
        for controller in ("none", "printed", "limited"):
            newton, hybrid = (
                outcomes(results, Case(0, controller, place, solver))
                for solver in ("newton", "hybrid")
            )
            assert abs(passed(newton) - passed(hybrid)) <= 4, (place, controller)
        speeds = [
            velocity(outcomes(results, Case(0, "limited", place, solver)))
            for solver in ("newton", "hybrid")
        ]
        assert np.ptp(speeds) <= 0.2 * max(speeds), place


def test_outcome_of_a_short_run():
    case = Case(0, "limited")
    outcome = pass_through(case)
    assert outcome.case == case
    assert outcome.reached == np.isfinite(outcome.times).sum()
    assert 0 < outcome.velocity < 0.1
    assert outcome.high_force == pytest.approx(np.percentile(outcome.forces, 95))
    assert outcome.forces.min() > 0
