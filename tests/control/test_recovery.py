"""Backing out of jams, bounded references, and the controller made of them."""

import dataclasses
import math
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.following import waypoint_times
from serpenoid.analysis.motion import crossings
from serpenoid.scenario.scenario import Scenario
from tests.control.ticks import (
    GROUND,
    HEAVY,
    POINTS,
    SHAPE,
    START,
    at_rest,
    backs_out,
    commanded,
    robot,
)

WAVE, RECOVERY = sp.Follower(60, 40, delay=0.1), sp.Recovery(distance=0.1, time=2.0, back=1.0)
JOINTS = np.radians(np.diff(SHAPE))


def unfiltered(controller: sp.References) -> sp.References:
    return dataclasses.replace(controller, cutoff=None)


def held(controller: sp.References, duration: float, velocity: float = 0.0) -> sp.Trajectory:
    """A robot that keeps its shape and glides along y, m/s, whatever its controller commands."""
    start = dataclasses.replace(START, velocity=(0.0, velocity))
    return sp.simulate(HEAVY, None, unfiltered(controller), duration, start=start)


def backing(run: sp.Trajectory) -> np.ndarray:
    """Whether it backs out in each row: joints then want the angles of those behind them."""
    wanted = run.columns["joint_reference"][1:]
    return np.abs(wanted[:, 1:] - JOINTS[:-1]).max(axis=1) < 1e-9


def test_backing_out_reverses_the_follower():
    run = held(WAVE + RECOVERY, 2.1)
    assert backs_out(run.state)
    angle = commanded(unfiltered(WAVE + RECOVERY), run.state)
    np.testing.assert_allclose(angle[1:], JOINTS[:-1], atol=1e-12)
    swing = math.radians(60) * math.sin(math.radians(40) * 2.1)
    tail = math.radians(SHAPE[1]) - angle[0]
    assert tail - math.radians(SHAPE.mean()) == pytest.approx(swing, abs=1e-9)


def test_jams_are_found_and_left_in_turn():
    """2 s to find a jam, 1 s back, and again."""
    run = held(WAVE + RECOVERY, 8.5)
    backs, times = backing(run), run.time[2:]
    began, ended = backs[1:] & ~backs[:-1], ~backs[1:] & backs[:-1]
    np.testing.assert_allclose(times[began], [2.0, 5.0, 8.0], atol=0.05)
    np.testing.assert_allclose(times[ended], [3.0, 6.0], atol=0.05)


@pytest.mark.parametrize(("speed", "jammed"), [(0.055, False), (0.045, True)])
def test_getting_on_is_no_jam(speed, jammed):
    """The distance has to be made within the time, in any direction."""
    assert backing(held(WAVE + RECOVERY, 8.0, velocity=-speed)).any() == jammed


def test_adaptation_and_heading_while_backing_out():
    """Links turn the other way when pushed, and the head does not steer."""
    line = sp.Heading(1.3, 0.7, sp.Line(y=1.0))
    controller = sp.Adaptation(0.02, 23) + WAVE + line + RECOVERY
    rho = np.array([0, 5, -3, 0, 12, 0, -7, 0, 4, -2.0])
    ahead, back = (held(controller, duration).state for duration in (1.0, 2.1))
    assert (backs_out(ahead), backs_out(back)) == (False, True)
    forward, backward = (
        commanded(unfiltered(controller), state, push=rho)
        - commanded(unfiltered(controller), state)
        for state in (ahead, back)
    )
    assert np.abs(forward).max() > 0.1
    np.testing.assert_allclose(backward, -forward, atol=1e-9)
    head = commanded(unfiltered(controller), back)[-1]
    assert head == pytest.approx(JOINTS[-2], abs=1e-9)


@pytest.mark.parametrize("spread", [200.0, 120.0, 60.0])
def test_spread_limit_scales_the_shape(spread):
    """A follower that stands still wants the shape it has, whose links differ by 120 deg."""
    controller = sp.SpreadLimit(spread + 1e-9) + sp.Follower(0.0, 40, delay=0.1)
    shape = np.diff(SHAPE)
    wanted = np.array([*shape[1:], SHAPE.mean() - SHAPE[-2]])
    whole = np.concatenate([[0.0], np.cumsum(wanted)])
    factor = min(1.0, spread / np.ptp(whole))
    found = np.degrees(commanded(unfiltered(controller), at_rest()))
    np.testing.assert_allclose(found, factor * wanted, atol=1e-6)


# ------------------------------------------------------------------------- the whole controller

STRONG = {"limits_deg": (-100, 100), "actuator": sp.Servo(40.0, 10.0)}

# With wide links the robot is backing out of a jam in this field at this time, s.
JAMMED, JAM_TIME = 1011, 6.0


def field(seed: int, radius: float) -> tuple[sp.Peg, ...]:
    """320 random pegs, none where the robot starts."""
    row = sp.simulate(robot(radius, **STRONG), None, None, 0.01, start=START).columns
    clear = [
        (x + s * math.cos(angle), y + s * math.sin(angle), radius + 0.002)
        for x, y, angle in zip(*(row[name][0] for name in ("x", "y", "theta")), strict=True)
        for s in np.linspace(-0.07, 0.07, 5)
    ]
    return sp.fields.random_pegs(
        320, region=(-1, 4, -1, 3), radius=0.05, clearance=0.05, seed=seed, keep_clear=clear
    )


def follow(seed: int, radius: float = 0.005, duration: float = 300.0) -> sp.Trajectory:
    world = sp.World(GROUND, pegs=field(seed, radius), contact=sp.Contact(friction=0.25))
    controller = sp.adaptive_path_following(sp.Waypoints(POINTS, acceptance=0.5))
    return sp.simulate(
        robot(radius, **STRONG), world, controller, duration, start=START, record_period=0.1
    )


def arrives(seed: int, radius: float = 0.005) -> bool:
    """Whether all waypoints are reached, with no link across another on the way."""
    try:
        run = follow(seed, radius)
    except sp.SimulationStopped:
        return False
    arrival = waypoint_times(run)[4]
    assert np.degrees(np.abs(np.diff(run.columns["theta"], axis=1))).max() < 101
    return bool(np.isfinite(arrival)) and not crossings(run)[run.time <= arrival].any()


def test_gallery_shows_this_controller():
    scenario = Scenario.load("adaptive_path_following")
    path = sp.Waypoints(POINTS, acceptance=0.5)
    assert scenario.controller == sp.adaptive_path_following(path)
    assert scenario.actuator == sp.Servo(40.0, 10.0)


def test_gets_through_three_fields():
    assert [arrives(seed) for seed in (1000, 1001, 1002)] == [True] * 3


def test_mirrored_field_mirrors_the_run():
    """Through a jam and out of it, to rounding."""
    run = follow(JAMMED, 0.02, JAM_TIME)
    assert backs_out(run.state)
    recipe = sp.adaptive_path_following(
        sp.Waypoints(tuple((x, -y) for x, y in POINTS), acceptance=0.5)
    )
    parts = (sp.Follower(-60, 40, delay=0.6), *recipe.parts[1:])
    pegs = tuple(sp.Peg(peg.x, -peg.y, peg.radius) for peg in field(JAMMED, 0.02))
    mirrored = sp.simulate(
        robot(0.02, **STRONG),
        sp.World(GROUND, pegs=pegs, contact=sp.Contact(friction=0.25)),
        dataclasses.replace(recipe, parts=parts),
        JAM_TIME,
        start=sp.Start(heading_deg=-SHAPE.mean(), joint_angles_deg=-np.diff(SHAPE)),
        record_period=0.1,
    )
    np.testing.assert_allclose(mirrored.columns["y"], -run.columns["y"], atol=1e-6)


def test_run_goes_on_to_the_bit_while_backing_out():
    whole = follow(JAMMED, 0.02, JAM_TIME + 3.0)
    first = follow(JAMMED, 0.02, JAM_TIME)
    assert backs_out(first.state)
    rest = sp.simulate(
        robot(0.02, **STRONG),
        sp.World(GROUND, pegs=field(JAMMED, 0.02), contact=sp.Contact(friction=0.25)),
        sp.adaptive_path_following(sp.Waypoints(POINTS, acceptance=0.5)),
        3.0,
        start=first.state,
        record_period=0.1,
    )
    assert rest.state == whole.state


@pytest.mark.slow
@pytest.mark.parametrize(("radius", "least"), [(0.005, 15), (0.02, 11)])
def test_gets_through_most_fields(radius, least):
    """Fields it was not tuned on; 18 and 17 were passed when this was written.

    Single fields are chaotic, so rounding decides some of them: hence the margin.
    """
    with ProcessPoolExecutor(2) as pool:
        seeds = range(5000, 5020)
        assert sum(pool.map(arrives, seeds, [radius] * len(seeds))) >= least
