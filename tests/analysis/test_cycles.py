"""Cycles of gaits, and what is measured over them."""

import dataclasses
import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis import energy
from serpenoid.analysis.cycles import Cycle, cycle_of, settled_edges, whole_cycles
from serpenoid.engine.trajectory import Trajectory

PERIOD = 2.0
WAVE = sp.Serpenoid(30.0, 180.0, -50.0)
RADIUS, RATE = 0.5, 0.2


@pytest.mark.parametrize(
    ("controller", "cycle"),
    [
        (WAVE, Cycle(2.0, 0.0)),
        (dataclasses.replace(WAVE, frequency_deg=-90.0, delay=1.5), Cycle(4.0, 1.5)),
        (sp.PedalWave(45.0, 120.0, -60.0), Cycle(3.0, 0.0)),
        (sp.Admittance(sp.PedalWave(45.0, 120.0, -60.0), gain=1.0), Cycle(3.0, 0.0)),
        # Its delay is that from joint to joint.
        (sp.Follower(30.0, 120.0, delay=0.5), Cycle(3.0, 0.0)),
        (sp.Adaptation(0.02) + sp.Follower(30.0, 120.0, delay=0.5), Cycle(3.0, 0.0)),
        (WAVE + sp.Adaptation(0.02), Cycle(2.0, 0.0)),
        (sp.References((sp.Adaptation(0.02),)), None),
        (dataclasses.replace(WAVE, frequency_deg=0.0), None),
        (sp.ConstantTorque((0.1,)), None),
        (None, None),
    ],
)
def test_the_cycle_of_a_controller(controller, cycle):
    assert cycle_of(controller) == cycle


def moved(
    duration: float, controller: object = WAVE, swing: float = 0.05, rate: float = RATE
) -> Trajectory:
    """A rigid robot on a circle of a radius, that swings to its sides with the gait."""
    robot = sp.Robot.uniform(3, length=0.1, mass=1.0, radius=0.02)
    run = sp.simulate(robot, sp.World(), controller, 0.01)
    time = np.arange(round(duration * 100) + 1) / 100
    angle = rate * time
    beside = RADIUS + swing * np.sin(2 * math.pi * time / PERIOD)
    along = np.array([-0.1, 0.0, 0.1])
    theta = np.repeat(angle[:, None], 3, axis=1)
    columns = {
        name: np.resize(column, (len(time), *column.shape[1:]))
        for name, column in run.columns.items()
    }
    columns |= {
        "time": time,
        "theta": theta,
        "x": (beside * np.sin(angle))[:, None] + along * np.cos(theta),
        "y": (-beside * np.cos(angle))[:, None] + along * np.sin(theta),
        "energy_actuator": 3.0 * time,
    }
    return dataclasses.replace(run, columns=columns)


@pytest.mark.parametrize("duration", [4.0, 10.0, 11.3, 31.41])
def test_the_speed_on_a_circle_is_that_along_the_arc(duration):
    run = moved(duration)
    settled = math.floor(duration / PERIOD - 1 + 1e-9)
    edges = settled_edges(run, "it")
    assert len(edges) == settled + 1
    assert edges[-1] == duration
    assert edges[0] >= PERIOD - 1e-9
    # Swings put the ends of the cycles on another circle, of the same centre.
    beside = RADIUS + 0.05 * math.sin(2 * math.pi * duration / PERIOD)
    assert run.mean_speed() == pytest.approx(RATE * beside, rel=1e-5)
    assert run.turn_rate() == pytest.approx(RATE)
    assert run.path_curvature() == pytest.approx(1 / beside, rel=1e-5)
    found = energy.settled(run)
    assert found.path == found.distance  # an arc, and no chord of another one
    assert found.curvature == pytest.approx(1 / beside, rel=1e-5)
    assert run.mean_power() == pytest.approx(3.0)
    assert run.actuator_work() == pytest.approx(3.0 * duration)
    assert run.mean_power() / (3.0 * run.mean_speed() ** 2) == pytest.approx(run.specific_power())
    # From the first row to the last as the crow flies.
    chord = np.hypot(*(run.centre_of_mass()[-1] - run.centre_of_mass()[0]))
    assert run.displacement() == pytest.approx(chord)
    assert np.hypot(*run.mean_velocity()) == pytest.approx(chord / duration)


def test_a_distance_has_all_rows():
    run = moved(31.0, swing=0.0)
    rest = 2 * RADIUS * math.sin(RATE * 1.0 / 2)
    assert run.distance() == pytest.approx(RADIUS * RATE * 30.0 + rest, rel=1e-6)
    assert run.displacement() < 0.1 * run.distance()
    assert run.distance(start=1.0) == pytest.approx(RADIUS * RATE * 30.0, rel=1e-6)


@pytest.mark.parametrize("rate", [-1.0, 2.5, 4.0])
def test_a_robot_may_turn_far_in_a_cycle(rate):
    """Up to more than a whole circle, to either side."""
    run = moved(10.0, swing=0.0, rate=rate)
    assert run.mean_speed() == pytest.approx(RADIUS * abs(rate), rel=1e-4)
    assert run.path_curvature() == pytest.approx(math.copysign(1 / RADIUS, rate), rel=1e-4)


def test_a_straight_run():
    """All speeds of a robot that goes straight ahead are the same, to what swings leave."""
    run = sp.Scenario.load("wheeled_snake").run()
    period = cycle_of(run.scenario.controller).period
    count = whole_cycles(period, run.time[-1]) - 1
    chord = np.hypot(*run.mean_velocity(run.time[-1] - count * period))
    assert run.mean_speed() == pytest.approx(chord, rel=1e-3)
    assert run.forward_velocity() == pytest.approx(chord, rel=0.01)
    assert run.distance() == pytest.approx(run.displacement(), rel=1e-3)


def test_without_a_gait_all_rows_count():
    run = moved(3.0, controller=None, swing=0.0)
    chord = 2 * RADIUS * math.sin(RATE * 3.0 / 2)
    assert run.mean_speed() == pytest.approx(chord / 3.0)
    assert run.distance() == pytest.approx(chord)
    with pytest.raises(sp.InvalidInput) as caught:
        run.path_curvature()
    assert str(caught.value) == "this run has no gait: its controller must be or contain a wave"


SLOW = dataclasses.replace(WAVE, frequency_deg=80.0)


@pytest.mark.parametrize(
    ("run", "times", "words"),
    [
        (
            lambda: moved(3.0, SLOW),
            {},
            "mean_speed needs a whole cycle of the gait, 4.5 s, after the first; this run lasts "
            "3 s",
        ),
        (
            lambda: moved(8.99, SLOW),
            {},
            "mean_speed needs a whole cycle of the gait, 4.5 s, after the first; this run lasts "
            "8.99 s",
        ),
        (
            lambda: moved(10.0, dataclasses.replace(SLOW, delay=1.5)),
            {},
            "mean_speed needs a whole cycle of the gait, 4.5 s, after the first, which begins at "
            "1.5 s; this run lasts 10 s",
        ),
        (
            lambda: moved(12.0, SLOW),
            {"start": 8.0},
            "mean_speed needs a whole cycle of the gait, 4.5 s, after the first; this part of "
            "the run lasts from 8 to 12 s",
        ),
        (
            lambda: moved(12.0, SLOW),
            {"end": 13.0},
            "end = 13.0 is not allowed: this run lasts from 0 to 12 s",
        ),
        (
            lambda: moved(12.0, SLOW),
            {"start": 4.0, "end": 3.0},
            "start = 4.0, end = 3.0 is not allowed: the end must be at least a row after the start",
        ),
        (
            lambda: moved(0.0, None),
            {},
            "mean_speed needs at least two rows; this run has one",
        ),
    ],
)
def test_a_run_that_is_too_short_is_refused(run, times, words):
    with pytest.raises(sp.InvalidInput) as caught:
        run().mean_speed(**times)
    assert str(caught.value) == words


def test_one_cycle_after_the_first_is_enough():
    assert moved(9.0, SLOW).mean_speed() > 0
    assert moved(12.0, SLOW).mean_speed(start=7.5) > 0
