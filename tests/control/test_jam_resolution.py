"""The baseline of liljeback2011: links turn only where the robot is jammed."""

import dataclasses

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.kernels import layout
from tests.control.ticks import GROUND, HEAVY, SHAPE, START, commanded, robot
from tests.sentences import refusal

WAVE = sp.LeaderFollower(60, 40, delay=0.1)
RESOLUTION = sp.JamResolution(0.02, distance=0.1, time=2.0, duration=1.0, turn_deg=20.0)
CONTROLLER = sp.References((WAVE, RESOLUTION), cutoff=None)
RHO = np.array([0, 5, -3, 0, 12, 0, -7, 0, 4, -2.0])


def held(duration: float, velocity: float = 0.0, spin_deg: float = 0.0) -> sp.Trajectory:
    """A heavy robot that glides, m/s, and turns, deg/s, whatever its controller commands."""
    start = dataclasses.replace(START, velocity=(0.0, velocity), spin_deg=spin_deg)
    return sp.simulate(HEAVY, None, CONTROLLER, duration, start=start, record_period=0.01)


def kept(state: sp.State, entry: int, waypoints: int = 0) -> float:
    """What the controller remembers of jams."""
    return float(state.memory[layout.MEMORY_HEAD + waypoints + entry])


def paused(state: sp.State) -> float:
    """For how long the wave has stood still, s."""
    return CONTROLLER.period * kept(state, layout.PAUSED)


@pytest.mark.parametrize(
    ("velocity", "spin_deg", "jammed"),
    [
        (0.0, 0.0, True),
        (0.055, 0.0, False),
        (-0.055, 0.0, False),
        (0.045, 0.0, True),
        (0.0, 14.0, False),
        (0.0, -14.0, False),
        (0.0, 8.0, True),
    ],
)
def test_neither_moving_nor_turning_is_a_jam(velocity, spin_deg, jammed):
    """10 cm or 20 deg within 2 s, in any direction."""
    assert (paused(held(4.0, velocity, spin_deg).state) > 0) == jammed


def test_jams_are_resolved_in_turn():
    """2 s to find a jam, 1 s with links turning, and again."""
    run = held(8.5)
    wave = run.columns["reference_wave"]
    still = (wave[1:] == wave[:-1]).all(axis=1)
    began, ended = still[1:] & ~still[:-1], ~still[1:] & still[:-1]
    times = run.time[2:]
    # A row later, because a row shows the tick before it.
    np.testing.assert_allclose(times[began][-3:], [2.0, 5.0, 8.0], atol=0.05)
    np.testing.assert_allclose(times[ended][-2:], [3.0, 6.0], atol=0.05)
    assert paused(run.state) == pytest.approx(2.5, abs=0.06)


def test_wave_goes_on_from_where_it_stopped():
    """That of a robot which was jammed for 1 s is 1 s late."""
    late = held(4.5).state
    without = dataclasses.replace(CONTROLLER, parts=(WAVE,))
    in_time = sp.simulate(HEAVY, None, without, 4.5 - paused(late), start=START).state
    assert paused(late) == pytest.approx(1.0, abs=0.02)
    found, expected = commanded(CONTROLLER, late), commanded(without, in_time)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_links_turn_only_while_a_jam_is_resolved():
    """As by an Adaptation then, and not at all before."""
    moving, jammed = held(1.0).state, held(2.5).state
    until = [kept(state, layout.RESOLVE_UNTIL) for state in (moving, jammed)]
    assert until == pytest.approx([0.0, 3.0], abs=0.02)
    turns = [
        commanded(CONTROLLER, state, push=RHO) - commanded(CONTROLLER, state)
        for state in (moving, jammed)
    ]
    adapting = dataclasses.replace(CONTROLLER, parts=(WAVE, sp.Adaptation(0.02)))
    state = sp.simulate(HEAVY, None, adapting, 2.5, start=START).state
    expected = commanded(adapting, state, push=RHO) - commanded(adapting, state)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_array_equal(turns[0], 0.0)
    np.testing.assert_allclose(turns[1], expected, atol=1e-9)


# ------------------------------------------------------------------------- among pegs

QUICK = dataclasses.replace(RESOLUTION, time=0.5, duration=0.5)


def squeezed(sign: int = 1) -> tuple[sp.World, sp.References, sp.Start]:
    """A robot between pegs that hinder it, perhaps mirrored."""
    places = ((0.35, 0.16), (-0.1, -0.12), (0.6, -0.1), (0.2, -0.17), (0.65, -0.2), (0.0, 0.2))
    pegs = tuple(sp.Peg(x, sign * y, 0.05) for x, y in places)
    path = sp.Waypoints([(2.5, 0.0), (2.5, sign * 1.0)], 0.5)
    wave = sp.LeaderFollower(60 * sign, 40, 0.7)
    controller = wave + QUICK + sp.Heading(1.3, 0.7, path)
    shape = sp.Start(heading_deg=sign * SHAPE.mean(), joint_angles_deg=sign * np.diff(SHAPE))
    return sp.World(GROUND, pegs=pegs, contact_at="centre"), controller, shape


def run_squeezed(duration: float, sign: int = 1, start: sp.State | None = None) -> sp.Trajectory:
    world, controller, shape = squeezed(sign)
    return sp.simulate(robot(), world, controller, duration, start=start or shape)


def test_mirrored_world_mirrors_the_run():
    run, other = run_squeezed(4.0), run_squeezed(4.0, -1)
    assert np.abs(run.columns["reference_adaptation"]).max() > 0.01
    np.testing.assert_allclose(other.columns["y"], -run.columns["y"], atol=1e-9)


def test_run_goes_on_to_the_bit_while_a_jam_is_resolved():
    """The pause of the wave and the end of the resolution are part of the state."""
    whole = run_squeezed(3.0)
    runs = map(run_squeezed, np.arange(0.6, 3.0, 0.2))
    first = next(run for run in runs if kept(run.state, layout.RESOLVE_UNTIL, waypoints=2) > 0)
    rest = run_squeezed(3.0 - first.time[-1], start=first.state)
    assert rest.state == whole.state


def test_batch_is_single_and_files_keep_the_part():
    base = sp.Scenario.load("peg_forest", {"clock.duration": 1.5})
    wave, _, heading = base.plain()["controller"]["parts"]
    part = {"kind": "jam_resolution", "gain": 0.02, "distance": 0.1, "time": 0.5, "duration": 0.5}
    base = base.changed({"controller.parts": [wave | {"kind": "leader_follower"}, part, heading]})
    gains = [0.0, 0.01, 0.02]
    batch = sp.simulate_batch(base, {"controller.parts[1].gain": gains})
    for gain, run in zip(gains, batch, strict=True):
        assert run.state == base.changed({"controller.parts[1].gain": gain}).run().state
    assert sp.Scenario.loads(base.dumps()) == base
    assert base.controller.parts[1] == sp.JamResolution(0.02, 0.1, 0.5, 0.5)


@pytest.mark.parametrize(("number", "words"), [
    (-1.0, "state.memory.paused = -1.0 is not allowed: it must be a whole number from 0 to 1000000000000"),
    (0.5, "state.memory.paused = 0.5 is not allowed: it must be a whole number from 0 to 1000000000000"),
])  # fmt: skip
def test_states_from_outside(number, words):
    state = held(0.1).state
    memory = state.memory.copy()
    memory[layout.MEMORY_HEAD + layout.PAUSED] = number
    again = dataclasses.replace(state, memory=memory)
    assert refusal(lambda: sp.simulate(HEAVY, None, CONTROLLER, 0.1, start=again)) == words
