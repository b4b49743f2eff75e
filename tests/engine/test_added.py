"""Commands on top of a compiled controller, as a batch gives them."""

import copy
import dataclasses

import numpy as np
import pytest

import serpenoid as sp
from tests.sentences import refusal

FLAT = sp.Scenario.load("aiko_flat", {"clock.duration": 0.3})
PEGS = sp.Scenario.load("aiko_pegs", {"clock.duration": 0.3, "record.period": 0.03})
JOINTS = len(FLAT.built[0].joints)
# Feedback that ticks more often than it is commanded on top.
FEEDBACK = dataclasses.replace(
    PEGS,
    controller=sp.References(
        parts=(PEGS.controller, sp.Adaptation(0.02, limit_deg=20)), cutoff=None
    ),
    start=dataclasses.replace(
        PEGS.start, joint_angles_deg=np.degrees(PEGS.controller.angles(JOINTS)).tolist()
    ),
)


def stepped(scenario, told, count=10, **command):
    """A robot that is commanded on top every 0.03 s; told: time to angles, rad."""
    batch = sp.Batch([scenario], threads=1, commanded=True)
    for _ in range(count):
        batch.command(told(batch.time[0]), **command)
        batch.step(30)
    return batch


@pytest.mark.parametrize("scenario", [FLAT, PEGS, FEEDBACK], ids=["flat", "pegs", "feedback"])
def test_nothing_added_changes_nothing(scenario):
    run = scenario.run()
    batch = stepped(scenario, lambda _: np.zeros((1, JOINTS)))
    for name in ("theta", "velocity", "com", "ledger"):
        assert np.array_equal(getattr(batch.state(0), name), getattr(run.state, name))


def test_a_constant_angle_is_an_offset_of_the_wave():
    start = {"start.joint_angles_deg": [0.0] * JOINTS}
    batch = stepped(FLAT.changed(start), lambda _: np.full((1, JOINTS), np.radians(6)))
    run = FLAT.changed(start | {"controller.offset_deg": 6.0}).run()
    np.testing.assert_allclose(batch.state(0).theta, run.state.theta, atol=1e-12)
    other = stepped(FLAT.changed(start), lambda _: np.zeros((1, JOINTS)))
    assert np.abs(other.state(0).theta - run.state.theta).max() > 0.05


def test_an_angle_goes_on_at_its_rate():
    rate = np.linspace(-1, 1, JOINTS)[None]
    held = stepped(FEEDBACK, lambda t: t * rate, rate=rate)
    often = sp.Batch([FEEDBACK], threads=1, commanded=True)
    for _ in range(300):
        often.command(often.time[0] * rate, rate)
        often.step()
    np.testing.assert_allclose(often.state(0).theta, held.state(0).theta, atol=1e-9)


def test_torques_are_added():
    torque = np.sin(np.arange(JOINTS))[None]
    still = FLAT.changed({"controller.amplitude_deg": 0.0})
    added = stepped(still, lambda _: np.zeros((1, JOINTS)), torque=torque)
    alone = sp.Batch([dataclasses.replace(still, controller=None)], threads=1)
    alone.command(torque=torque)
    alone.step(300)
    np.testing.assert_allclose(added.state(0).theta, alone.state(0).theta, atol=1e-12)
    assert np.abs(alone.state(0).theta).max() > 1e-4


@pytest.mark.parametrize("scenario", [PEGS, FEEDBACK], ids=["gait", "feedback"])
def test_forces_are_those_since_the_command(scenario):
    rows = scenario.run().columns["contact_force"]
    assert np.abs(rows[1:]).max() > 1
    batch = sp.Batch([scenario], threads=1, commanded=True)
    for row in rows[1:]:
        batch.command()
        batch.step(30)
        np.testing.assert_allclose(batch.observe().contact_force[0], row, atol=1e-9)


def test_robots_with_and_without_a_controller():
    """A robot without a controller takes the command as it is."""
    alone = dataclasses.replace(FLAT, controller=None, start=sp.Start())
    angle = np.full((2, JOINTS), 0.1)
    both = sp.Batch([FLAT, alone], threads=1, commanded=True)
    one, other = sp.Batch([FLAT], threads=1, commanded=True), sp.Batch([alone], threads=1)
    for batch in (both, one, other):
        batch.command(angle[: len(batch)])
        batch.step(100)
    assert np.array_equal(both.state(0).theta, one.state(0).theta)
    assert np.array_equal(both.state(1).theta, other.state(0).theta)


def test_a_copy_goes_on_as_it_was():
    batch = stepped(FEEDBACK, lambda _: np.full((1, JOINTS), 0.1), count=2)
    again = copy.deepcopy(batch)
    for each in (batch, again):
        each.step(30)
    assert again.state(0) == batch.state(0)
    assert len(batch.state(0).added) == 1 + 3 * JOINTS + 2 * (JOINTS + 1)
    batch.put(0, FEEDBACK)
    assert not batch.state(0).added.any()


def test_what_is_refused():
    assert refusal(lambda: sp.Batch([FLAT]).command()) == (
        "a robot of this batch has a controller of its own; make the batch with commanded=True to "
        "add to its commands, or leave controller out of its scenario"
    )
    assert refusal(lambda: sp.Batch([FLAT], commanded=1)) == (
        "commanded = 1 is not allowed: it must be True or False"
    )
