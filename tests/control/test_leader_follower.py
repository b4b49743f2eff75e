"""The baseline of liljeback2011: all joints follow the head joint."""

import dataclasses
import math

import numpy as np
import pytest

import serpenoid as sp
from tests.control.ticks import GROUND, HEAVY, POINTS, SHAPE, START, commanded, robot

DELAY, PERIOD = 0.2, 0.01
WAVE = sp.References((sp.LeaderFollower(60, 40, DELAY),), cutoff=None)
LAG = round(DELAY / PERIOD)
PEGS = ((0.35, 0.16), (-0.1, -0.12), (0.6, -0.1), (0.2, -0.17))


def pegs(sign: int = 1) -> sp.World:
    """A few pegs, perhaps mirrored."""
    placed = tuple(sp.Peg(x, sign * y, 0.05) for x, y in PEGS)
    return sp.World(GROUND, pegs=placed, contact_at="centre")


def test_joints_have_the_history_of_the_head_joint():
    """phi_j(t) = phi_head(t - (places behind it) delay); before the start, of the shape ahead."""
    run = sp.simulate(robot(), pegs(), WAVE, 2.5, start=START, record_period=PERIOD)
    angle, wanted = run.columns["joint_angle"], run.columns["joint_reference"]
    assert np.ptp(angle[:, -1]) > 0.3
    # A row shows what was commanded at the tick before it.
    for tick in range(len(angle) - 1):
        for j in range(8):
            behind = tick - (8 - j) * LAG
            history = angle[behind, 8] if behind >= 0 else angle[0, j + 1 + tick // LAG]
            assert wanted[tick + 1, j] == pytest.approx(history, abs=1e-12)


def test_head_link_swings():
    """As that of the Follower, about the mean of all angles."""
    state = sp.simulate(HEAVY, None, WAVE, 2.1, start=START).state
    head = math.radians(SHAPE[8]) + commanded(WAVE, state)[-1] - math.radians(SHAPE.mean())
    assert head == pytest.approx(math.radians(60) * math.sin(math.radians(40) * 2.1), abs=1e-9)


def mirrored_start() -> sp.Start:
    return sp.Start(heading_deg=-SHAPE.mean(), joint_angles_deg=-np.diff(SHAPE))


def test_mirrored_world_mirrors_the_run():
    def controller(sign: int) -> sp.References:
        path = sp.Waypoints([(x, sign * y) for x, y in POINTS], 0.5)
        wave = sp.LeaderFollower(60 * sign, 40, DELAY)
        return wave + sp.Adaptation(0.02) + sp.Heading(1.3, 0.7, path)

    run = sp.simulate(robot(), pegs(), controller(1), 4.0, start=START)
    assert np.abs(run.columns["contact_force"]).max() > 1.0
    other = sp.simulate(robot(), pegs(-1), controller(-1), 4.0, start=mirrored_start())
    np.testing.assert_allclose(other.columns["y"], -run.columns["y"], atol=1e-9)


def test_run_goes_on_to_the_bit():
    whole = sp.simulate(robot(), pegs(), WAVE, 2.0, start=START)
    first = sp.simulate(robot(), pegs(), WAVE, 0.73, start=START)
    rest = sp.simulate(robot(), pegs(), WAVE, 1.27, start=first.state)
    assert rest.state == whole.state


def test_batch_is_single():
    """A parameter of a part is varied as all others are."""
    base = sp.Scenario.load("peg_forest", {"clock.duration": 0.5})
    parts = base.plain()["controller"]["parts"]
    base = base.changed({"controller.parts": [parts[0] | {"kind": "leader_follower"}, *parts[1:]]})
    amplitudes = [40.0, 50.0, 60.0]
    batch = sp.simulate_batch(base, {"controller.parts[0].amplitude_deg": amplitudes})
    for amplitude, run in zip(amplitudes, batch, strict=True):
        alone = base.changed({"controller.parts[0].amplitude_deg": amplitude}).run()
        assert run.state == alone.state
    assert sp.Scenario.loads(base.dumps()) == base


def test_memory_is_that_of_a_follower():
    """Joints pass on what they are told: no history of the whole body's length is kept."""
    follower = dataclasses.replace(WAVE, parts=(sp.Follower(60, 40, DELAY),))
    sizes = [len(each.control(9, 1e-3)[1]) for each in (WAVE, follower)]
    assert sizes[0] == sizes[1]
