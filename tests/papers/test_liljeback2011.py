"""liljeback2011: cases, what is kept of a run, and the outcomes that are kept with the sources."""

import dataclasses

import numpy as np
import pytest

from serpenoid.control.feedback import Recovery
from serpenoid.errors import InvalidInput
from serpenoid.papers.liljeback2011 import baselines, kept
from serpenoid.papers.liljeback2011.outcome import PERCENTILES, measure, pass_through
from serpenoid.papers.liljeback2011.plan import planned
from serpenoid.papers.liljeback2011.readings import NATURAL_FREQUENCY
from serpenoid.papers.liljeback2011.study import MIDDLE, Case, scenario
from serpenoid.papers.liljeback2011.wear import WEAR_PERIOD, measure_wear
from serpenoid.papers.outcome_file import read_outcome, write_outcome


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


def test_paper_case_is_as_printed():
    case = Case(0, "printed", solver="hybrid", impacts=False)
    plain = scenario(case).plain()
    own = {"kind": "hybrid", "tolerance": 1e-3, "measures_impacts": False}
    assert plain["solver"].items() >= own.items()
    wave, adaptation, heading = plain["controller"]["parts"]
    assert (wave["amplitude_deg"], wave["frequency_deg"], wave["delay"]) == (60, 40, 0.7)
    assert adaptation == {"kind": "adaptation", "gain": 0.02, "limit_deg": None}
    assert (heading["gain"], heading["look_ahead"]) == (1.3, 0.7)
    assert [law["kind"] for law in plain["friction"]["laws"]] == ["coulomb", "spin"]
    alone = scenario(dataclasses.replace(case, arm=0.0)).plain()
    assert [law["kind"] for law in alone["friction"]["laws"]] == ["coulomb"]


def test_natural_frequency_has_the_cutoff_at_minus_3_db():
    gain = 1 / (1 + (0.75 / NATURAL_FREQUENCY) ** 2)
    assert 20 * np.log10(gain) == pytest.approx(10 * np.log10(0.5), abs=1e-3)


@pytest.fixture(scope="module")
def begun():
    case = Case(0, "limited")
    return case, scenario(case, duration=25.0).run()


def test_outcome_of_the_beginning_of_a_run(begun):
    case, run = begun
    found = measure(case, run)
    assert found.case == case
    assert found.reached == 0
    assert found.ended == run.time[-1]
    assert not found.passed
    assert not found.strictly
    assert len(found.forces) == 1 + len(PERCENTILES)
    assert found.forces[1:] == tuple(sorted(found.forces[1:]))
    # Nothing impossible has happened yet.
    assert found.turned_over == found.crossed == np.inf
    assert found.sound_forces == found.forces
    assert found.by_swing[0] >= found.momentary[0]
    assert found.by_swing[-1] <= found.momentary[-1]
    assert found.by_leg[0] == pytest.approx(found.velocity, rel=1e-5)
    assert np.isnan(found.sideways).all()
    force = np.abs(run.columns["contact_force"][:, MIDDLE]).sum(axis=1)
    assert (found.middle[0] > 0) == (force.max() > 0)


def test_outcome_tells_where_a_robot_stands(begun):
    case, run = begun
    still = dataclasses.replace(run, columns={name: c.copy() for name, c in run.columns.items()})
    row = len(run.time) // 2
    for name in still.columns.keys() - {"time"}:
        still.columns[name][row:] = still.columns[name][row]
    found = measure(case, still)
    assert found.stands_from <= run.time[row]
    ((begin, end),) = [jam for jam in found.jams if jam[1] > run.time[-1] - 1]
    assert begin <= run.time[row] + 0.1
    assert end == pytest.approx(run.time[-1], abs=0.1)
    assert found.stands_at == pytest.approx(still.centre_of_mass()[-1, 0] / 2.5, abs=0.05)


def test_links_across_each_other_are_seen():
    # Six joints of 60 deg close the chain, and the links after them lie across the first.
    case = Case(0, "none", pegs=1)
    rolled = scenario(case, duration=0.02).changed(
        {"start.joint_angles_deg": [60.0] * 9, "start.heading_deg": 0.0}
    )
    found = measure(case, rolled.run())
    assert found.crossed == 0.0
    assert found.largest_deg < 180
    assert not any(found.sound_forces)


@pytest.mark.parametrize(("lack", "parts"), [("nothing", 5), ("recovery", 4), ("fast_filter", 5)])
def test_own_controller_without_what_it_lacks(lack, parts):
    controller = scenario(Case(0, "adaptive", "outline", lacks=lack)).controller
    assert len(controller.parts) == parts
    assert any(isinstance(part, Recovery) for part in controller.parts) == (lack != "recovery")
    assert controller.cutoff == (0.75 if lack == "fast_filter" else 20.0)


def test_wear_of_a_made_up_run():
    run = scenario(Case(15, "limited"), duration=2.0, record_period=WEAR_PERIOD).run()
    n, time = len(run.time), run.time
    turning = 2 * np.pi * 10
    run.columns["joint_angle"] = np.tile(-np.cos(turning * time)[:, None] / turning, (1, 9))
    run.columns["joint_torque"] = np.tile(np.linspace(0, -8, n)[:, None], (1, 9))
    found = measure_wear(run)
    assert found["rate_frequency"] == pytest.approx(10, abs=1 / 2.0)
    assert found["rate_95"] == pytest.approx(np.degrees(1), rel=0.05)
    assert found["torque_95"] == pytest.approx(0.95 * 8)
    assert found["torque_largest"] == 8


def test_kept_outcomes_are_of_the_plan_and_paired():
    outcomes = kept.kept_fields()
    cases = {each.case for each in outcomes}
    assert len(cases) == len(outcomes)
    assert cases <= set(planned())
    own = [case for case in cases if case.solver == "hybrid" and not case.impacts]
    seeds = [{case.seed for case in own if case.controller == n} for n in ("none", "printed")]
    assert len(seeds[0] ^ seeds[1]) <= 2
    assert len(seeds[0] & seeds[1]) >= 15


def test_outcomes_that_are_missing_are_done(monkeypatch, tmp_path):
    first, second, *_ = kept.kept_fields()
    file, asked = tmp_path / "outcomes.zip", []
    write_outcome(file, [first])

    def for_each(function, cases, _tell):
        assert function is pass_through
        asked.extend(cases)
        return [second]

    monkeypatch.setattr(kept, "for_each", for_each)
    for _ in range(2):
        kept.complete(file, pass_through, [first.case, second.case], lambda each: each.case)
    assert asked == [second.case]
    assert [each.case for each in read_outcome(file)] == [first.case, second.case]


def test_kept_baselines_are_those_of_their_experiments():
    outcomes = kept.kept(*kept.reading(kept.BASELINES).arguments)
    done = [each.pairing for each in outcomes]
    assert len(set(done)) == len(done)
    assert set(done) <= set(baselines.experiments()["baselines"].items)


@pytest.mark.thorough
@pytest.mark.parametrize("solver", ["newton", "hybrid"])
def test_kept_outcome_is_that_of_this_version(solver):
    """The motion is chaotic, and processors round differently: its beginning is the same."""
    outcomes = kept.kept_fields()
    printed = [o for o in outcomes if o.case.controller == "printed" and o.case.solver == solver]
    then = printed[0]
    now = pass_through(then.case)
    assert now.times[0] == pytest.approx(then.times[0], abs=2.0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            {"controller": "limted"},
            "Case.controller = 'limted' is not known (did you mean 'limited'?); there are none, "
            "printed, limited, adaptive",
        ),
        (
            {"place": "center"},
            "Case.place = 'center' is not known (did you mean 'centre'?); there are centre, "
            "outline",
        ),
        ({"solver": "prox"}, "Case.solver = 'prox' is not known; there are newton, hybrid"),
        (
            {"impacts": False},
            "Case.impacts = False is not allowed: solver 'newton' cannot tell impacts from other "
            "forces",
        ),
        (
            {"controller": "none", "gain": 0.1},
            "Case.gain = 0.1 is not allowed: controller 'none' makes no use of it, leave it out",
        ),
        (
            {"controller": "printed", "limit_deg": 10.0},
            "Case.limit_deg = 10.0 is not allowed: controller 'printed' makes no use of it, leave "
            "it out",
        ),
        (
            {"lacks": "recovery"},
            "Case.lacks = 'recovery' is not allowed: controller 'limited' makes no use of it, "
            "leave it out",
        ),
        (
            {"controller": "adaptive", "cutoff": 5.0},
            "Case.cutoff = 5.0 is not allowed: controller 'adaptive' makes no use of it, leave it "
            "out",
        ),
    ],
)
def test_case_that_makes_no_sense_is_refused(wrong, words):
    with pytest.raises(InvalidInput) as error:
        Case(**({"seed": 0, "controller": "limited"} | wrong))
    assert str(error.value) == words
