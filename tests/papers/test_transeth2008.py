"""transeth2008: readings, what is measured under them, and claims that can fail."""

import dataclasses
import itertools

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.errors import Interrupted
from serpenoid.model.fields import aiko_track
from serpenoid.papers.paper import Failed, Results
from serpenoid.papers.readings import Setting, combinations
from serpenoid.papers.transeth2008 import PAPER, layouts, real_robot, time_stepping, tracks
from serpenoid.papers.transeth2008.measures import mean_forces, pushes_at, turn
from serpenoid.papers.transeth2008.mechanism import Gray, PushStatics
from serpenoid.papers.transeth2008.real_robot import (
    Behind,
    RealRobot,
    SentReferences,
    real_robots,
)
from serpenoid.papers.transeth2008.time_stepping import Convergence

BEST = Setting(
    {
        "pegs": "0.125",
        "wave": "mirrored",
        "layout": "contact points",
        "radii": "first seven",
        "play": "full width",
        "references": "continuous",
    }
)


def other(**changes):
    return Setting({**BEST, **changes})


def small(setting, count=6):
    return tracks.small_track((layouts.scenario(setting, layouts.small_pegs(setting), 13.0), count))


@pytest.fixture(scope="module")
def along():
    return small(BEST, count=12)


def check(name, results, setting=BEST):
    claim = next(each for each in PAPER.claims if each.id == name)
    return claim.check(Results(results, setting))


# Readings and layouts.


def test_only_layouts_with_their_own_pegs_are_natural():
    settings = combinations(PAPER.readings, PAPER.natural, {}, quick=False)
    assert len(settings) == 4 * 2 * 2 * 2 * 2
    assert {(s["pegs"], s["layout"]) for s in settings} == {
        ("0.125", "contact points"),
        ("0.125", "centre line"),
        ("0.0125", "centre line"),
        ("0.0125", "centres"),
    }


@pytest.mark.parametrize("pegs", ["0.125", "0.0125"])
@pytest.mark.parametrize("wave", ["printed", "mirrored"])
def test_places_touched_are_as_far_from_the_centre_line_as_the_published_pegs_ask(pegs, wave):
    """By the distance of the centres from the centre line, with the angle of the wave there."""
    setting = other(pegs=pegs, wave=wave)
    at, radius = layouts.offset(float(pegs)), float(pegs)
    laid = sp.fields.pegs_for_wave(sp.robots.aiko(), layouts.gait(setting), radius, at)
    published = aiko_track()
    half = (np.mean([p.y for p in published[::2]]) - np.mean([p.y for p in published[1::2]])) / 2
    np.testing.assert_allclose([abs(peg.y) for peg in laid], half, atol=1e-9)


def test_pegs_with_the_same_contact_points_have_them():
    """Each is moved along the normal, here at 43.5 deg to the track, by the difference of radii."""
    pegs = layouts.small_pegs(BEST)
    for peg, large in zip(pegs, layouts.large_pegs(BEST), strict=True):
        apart = np.array([peg.x - large.x, peg.y - large.y])
        assert np.hypot(*apart) == pytest.approx(0.125 - peg.radius)
        assert np.sign(apart[1]) == np.sign(layouts.CENTRE_LINE - large.y)
        assert apart[0] > 0
        # As VIII-B asks: close to the centre line.
        assert abs(peg.y - layouts.CENTRE_LINE) < 0.025
    directions = [
        np.arctan2(abs(b.y - a.y), b.x - a.x)
        for a, b in zip(layouts.large_pegs(BEST), pegs, strict=True)
    ]
    np.testing.assert_allclose(directions, directions[0])


def test_pegs_on_the_centre_line_are_touched_by_a_robot_along_its_wave():
    setting = other(layout="centre line")
    begun = layouts.scenario(setting, layouts.small_pegs(setting), 1.0)
    along = sp.fields.start_on_wave(*_robot_and_gait(setting))
    assert begun.start.y == pytest.approx(along.y + layouts.CENTRE_LINE)
    # Straight links lie some millimetres inside of the curve.
    assert np.sort(np.abs(_gaps(begun)))[:2].max() < 4e-3


def _robot_and_gait(setting):
    return sp.robots.aiko(), layouts.gait(setting)


def _gaps(scenario):
    """Gaps between the outline of the robot at its start and the pegs, m."""
    alone = scenario.changed({"world": {}, "clock.duration": 0.01}).run()
    x, y, angle = (alone.columns[name][0] for name in ("x", "y", "theta"))
    half = 0.0393 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    centre = np.stack([x, y], axis=1)
    ends = np.linspace(-1, 1, 401)[:, None, None] * half + centre
    return [
        np.hypot(*(ends - [peg.x, peg.y]).reshape(-1, 2).T).min() - 0.0525 - peg.radius
        for peg in scenario.built[1].pegs
    ]


def test_radii_and_peg_3():
    assert [p.radius for p in layouts.small_pegs(BEST)] == [
        0.02,
        0.03,
        0.01,
        0.02,
        0.03,
        0.01,
        0.02,
    ]
    last = layouts.small_pegs(other(radii="last seven"))
    assert [p.radius for p in last] == [0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03]
    moved = layouts.peg_3_moved(last)
    assert moved[2].y - last[2].y == pytest.approx(2 * 0.0525)
    assert (*moved[:2], *moved[3:]) == (*last[:2], *last[3:]) == layouts.without_peg_3(last)


def test_coverage_names_claims_and_every_claim_is_covered():
    known = {claim.id for claim in PAPER.claims}
    named = {name for item in PAPER.coverage for name in item.claims}
    assert named == known
    assert len(PAPER.found) == 5
    assert all(choice.speaks_for for reading in PAPER.readings for choice in reading.choices)


# Runs.


def test_all_starts_among_three_pegs_run_whatever_the_reading():
    for pegs, wave in itertools.product(("0.125", "0.0125"), ("printed", "mirrored")):
        setting = other(pegs=pegs, wave=wave)
        begun = layouts.scenario(setting, layouts.large_pegs(setting), 11.0)
        found = tracks.large_track((begun, 4))
        assert (found.among.passed, found.among.clear) == (2, 2)


def test_runs_of_peg_3_begin_before_it(along):
    usual, moved, removed = along.peg_3
    for run in (usual, moved, removed):
        head = run.columns["x"][0, -1] + 0.0918 * np.cos(run.columns["theta"][0, -1])
        assert head < usual.world.pegs[2].x
        np.testing.assert_array_equal(run.columns["theta"][0], usual.columns["theta"][0])
    assert len(removed.world.pegs) == 6
    assert turn(moved, usual).holds
    assert turn(removed, usual).turned > turn(moved, usual).turned > 5


def test_a_track_without_runs_before_peg_3():
    found = small(other(wave="printed", layout="centre line"))
    assert found.before.run is None
    with pytest.raises(Failed, match="starts before peg 3 gets along"):
        _ = found.peg_3


def test_links_of_fig_10_under_the_best_set(along):
    pushes = pushes_at(along.run, 5.2)
    assert [push.link for push in pushes] == [3, 7, 10]
    assert [float(np.sign(push.force[1])) for push in pushes] == [1, -1, 1]
    force = mean_forces(along.run, 4.5, 5.5)
    assert force[7 - 1] > max(force[2 - 1], force[10 - 1])


def test_pushes_are_those_of_the_record(along):
    """Their sum is the mean of the contact forces over the same rows, but for weak contacts."""
    run = along.run
    rows = (run.time > 5.15) & (run.time <= 5.25)
    mean = run.columns["contact_force"][rows].mean(axis=0).sum(axis=0)
    found = np.sum([push.force for push in pushes_at(run, 5.2)], axis=0)
    np.testing.assert_allclose(found, mean, atol=0.5)


# Claims can fail.


def test_claims_about_small_pegs_hold_and_fail(along):
    results = {"small_pegs": along, "track": along}
    names = ["fig10_links", "fig10_signs", "fig10_forward", "fig11_link7", "three_push_points"]
    names += ["peg3_moved", "peg3_moved_turns", "peg3_removed", "peg3_removed_turns"]
    for name in names:
        assert check(name, results).holds, name
    _usual, moved, removed = along.peg_3
    # Peg 3 moved gets along, so that it refutes what is said about no peg 3, and the other way.
    swapped = {"small_pegs": dataclasses.replace(along, moved=removed, removed=moved)}
    assert not check("peg3_moved", swapped).holds
    assert not check("peg3_removed", swapped).holds
    mirrored = {"small_pegs": _mirrored(along)}
    for name in ("fig10_signs", "peg3_moved_turns", "peg3_removed_turns"):
        assert not check(name, mirrored).holds, name
    assert check("fig10_links", mirrored).holds


def test_three_push_points_are_simultaneous():
    """On the centre line they push one after the other within 50 ms, seldom all in one row."""
    track = small(other(layout="centre line"))
    found = check("three_push_points", {"small_pegs": track, "track": track})
    assert (found.measured, found.holds) == (2.0, False)
    assert "of 100 ms 3;" in found.note


def _mirrored(track):
    """The track with left and right exchanged."""

    def turned(run):
        flip = {name: -run.columns[name] for name in ("y", "theta")}
        table = run.contacts.columns
        flipped = {n: table[n] * [1, -1] for n in ("point", "normal_force", "tangential_force")}
        contacts = type(run.contacts)(**(table | flipped))
        return dataclasses.replace(run, columns={**run.columns, **flip}, contacts=contacts)

    before = dataclasses.replace(track.before, run=turned(track.before.run))
    return dataclasses.replace(
        track, before=before, moved=turned(track.moved), removed=turned(track.removed)
    )


def test_friction_claim_fails_if_pegs_do_not_help():
    flat = [-0.0091, -0.0098, -0.0105, -0.0107, -0.0108]
    several = {(16.3, 16.3, 16.4, 16.3, 16.3): True, (10.0, 16.3, 16.3, 16.3, 16.3): False}
    for speeds, holds in several.items():
        results = {"track_friction": list(speeds), "flat_friction": flat}
        assert check("friction_robust", results).holds is holds
    stuck = {"track_friction": [16.3, 16.3, 16.3, None, 16.3], "flat_friction": flat}
    found = check("friction_robust", stuck)
    assert found.holds is False
    assert "does not get along the pegs with mu = 0.4" in found.note


def test_speeds_along_the_published_pegs_by_friction():
    setting = other(pegs="0.0125")
    begun = layouts.scenario(setting, layouts.large_pegs(setting), 11.0)
    found = tracks.speeds_by_friction((begun, 4), [0.05, 0.8])
    assert found == pytest.approx([16.3, 16.3], rel=0.02)


class _Map(dict):
    def median(self):
        return self

    def where(self, **_values):
        return self


def test_claims_about_gaits_fail_if_nothing_depends_on_them():
    level = _Map(
        {
            "amplitude_deg": np.array([30.0, 40.0]),
            "frequency_deg": np.array([40.0, 80.0]),
            "phase_deg": np.array([-50.0, -70.0]),
            "propulsive_share": np.array([0.6, 0.6]),
            "speed": np.array([0.16, 0.16]),
            "impact_force": np.array([50.0, 50.0]),
        }
    )
    three = [PushStatics(0.0, 47.0, 1.36, 0.04, 0.1, 24)] * 2
    results = {"gait_map": level, "frequency_map": level, "phase_statics": three}
    results |= {"beside_phases": level, "beside_amplitudes": level}
    names = "amplitude frequency_speed frequency_impact phase_speed phase_30 phase_70_force"
    for name in names.split():
        assert check(name, results).holds is False, name


class _ByPhase(_Map):
    """Runs with -30, -50 and -70 deg."""

    def __init__(self, **columns):
        phases = {"phase_deg": np.array([-30.0, -50.0, -70.0])}
        super().__init__(phases | {name: np.array(values) for name, values in columns.items()})

    def where(self, **values):
        if "phase_deg" not in values:
            return self
        chosen = self["phase_deg"] == values["phase_deg"]
        return _Map({name: column[chosen] for name, column in self.items()})


@pytest.mark.parametrize(
    ("forces", "centre", "beside", "holds"),
    [
        (1.75, 0.5, 0.3, True),
        (1.4, 0.5, 0.3, False),
        (1.75, 0.65, 0.3, False),
        (1.75, 0.5, 0.65, False),
    ],
)
def test_force_for_thrust_must_rise_with_three_push_points_and_with_all(
    forces, centre, beside, holds
):
    three = [PushStatics(0.0, 40.0, f, 0.04, 0.1, 24) for f in (1.36, forces)]
    results = {
        "gait_map": _ByPhase(propulsive_share=[0.1, 0.66, centre]),
        "beside_phases": _ByPhase(propulsive_share=[0.1, 0.66, beside]),
        "phase_statics": three,
    }
    assert check("phase_70_force", results).holds is holds


@pytest.mark.parametrize(("low", "high"), [(0.01, 0.12), (0.1, 0.12), (0.01, 0.03)])
def test_phases_must_do_the_same_beside_the_centre_line(low, high):
    results = {
        "gait_map": _ByPhase(speed=[0.01, 0.16, 0.12]),
        "beside_phases": _ByPhase(speed=[low, 0.16, high]),
    }
    assert check("phase_30", results).holds is (low < 0.016)
    assert check("phase_70", results).holds is (high > 0.04)


def test_claims_about_the_mechanism_fail_on_other_numbers():
    wrong = Gray(40.0, 20.0, gone=-0.01, force=1.0)
    assert check("gray", {"gray": [Gray(40.0, 20.0, 0.01, 1.0)]}).holds
    assert not check("gray", {"gray": [wrong]}).holds
    beside = [PushStatics(at, 40.0, 1.5 - abs(at), 0.05, 0.1, 8) for at in (-0.04, 0.0, 0.04)]
    for name in ("centre_line_forces", "centre_line_torques"):
        assert not check(name, {"push_statics": beside}).holds


def test_words_without_a_measure_are_not_comparable():
    """How stiff is very stiff, and how to choose a damper, the paper does not say."""
    named = {each.id for each in PAPER.claims if each.not_comparable}
    assert named == {"phase_70_torque", "stiff_springs", "damping_ambiguous"}


def test_convergence_must_rise_and_end():
    def runs(*several):
        return [Convergence(r, 1.3, n, n, 1.0, n > 0) for r, n in several]

    assert check("r_normal", {"r_normal": runs((0.1, 100.0), (1.0, 10.0), (3.0, 0.0))}).holds
    assert not check("r_normal", {"r_normal": runs((0.1, 100.0), (1.0, 10.0))}).holds
    assert not check("r_normal", {"r_normal": runs((0.1, 100.0), (1.0, 90.0), (3.0, 0.0))}).holds
    assert not check("r_normal", {"r_normal": runs((1.0, 0.0), (3.0, 0.0))}).holds


def test_the_robot_is_behind_for_a_share_of_delays_and_plays():
    late = Behind("", "", None, np.zeros(0), np.zeros(0), np.zeros(0))
    grid = {(0.05, 2.0): 0.016, (0.15, 3.0): 0.035, (0.15, 2.0): None, (0.05, 3.0): 0.04}
    results = {"real_robot": {("full width", "continuous"): RealRobot(grid, [], late)}}
    found = check("behind", results)
    assert (found.holds, found.share, found.measured) == (False, 0.5, "1.6 to 4.0 cm")
    stuck = {"real_robot": {("full width", "continuous"): RealRobot({(0.05, 2.0): None}, [], late)}}
    assert check("behind", stuck).measured == "the robot gets stuck"


def test_real_robots_are_behind_by_their_delay():
    """With a delay of 0.1 s alone, by the way of 0.1 s, 1.6 cm."""
    found = real_robots((layouts.scenario(BEST, layouts.large_pegs(BEST), 11.0), 4))
    alone = {(each.cause, each.value): each.gap for each in found["full width", "continuous"].alone}
    assert alone["start delay", "100 ms"] == pytest.approx(0.0163, rel=0.1)
    assert abs(alone["torque limit", "5 N m"]) < 1e-3
    assert alone["references sent", "10 Hz"] < 0
    wide = found["each way", "continuous"].grid[0.05, 2.0]
    assert wide > found["full width", "continuous"].grid[0.05, 2.0] > 0.01


def test_references_that_are_sent_stay_in_between():
    wave = layouts.gait(BEST)
    sent = SentReferences(wave, 10)
    robot = sp.robots.aiko()
    run = sp.simulate(robot, sp.World(), sent, 0.1)
    np.testing.assert_allclose(run.columns["joint_angle"][0], wave.angles(10, 0.0), atol=1e-12)
    np.testing.assert_allclose(run.columns["joint_angle"][-1], wave.angles(10, 0.0), atol=1e-6)


def test_ctrl_c_is_no_outcome(monkeypatch):
    """It is neither a robot that gets stuck nor a step that does not converge, to be stored."""
    run = sp.Scenario.load("aiko_pegs", {"clock.duration": 0.01}).run()

    def interrupted(*_args, **_words):
        raise Interrupted("interrupted at t = 0.01 s", run)

    monkeypatch.setattr(sp.Scenario, "run", interrupted)
    for module in (real_robot, time_stepping):
        monkeypatch.setattr(module, "simulate", interrupted)
    for work in (
        lambda: real_robot._behind(run, "", "", {}, sent=False),
        lambda: real_robot._behind(run, "", "", {}, sent=True),
        lambda: real_robot._stepped(run, "newton", {"clock.time_step": 1e-3}),
        lambda: time_stepping.convergence(0.01, 1.3),
        time_stepping.servo_step,
        time_stepping.largest_r_normal,
    ):
        with pytest.raises(Interrupted):
            work()
