"""Steps that are halved, that run out of room, and links that outrun the search for contacts."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import serpenoid as sp

# A power of two, so that times are the same whether steps are halved or not.
DT = 2.0**-10


def simulate(
    start: sp.Start | sp.State, speed: float, restitution: float, steps: int, dt: float
) -> sp.Trajectory:
    """A robot that is thrown on pegs."""
    robot = sp.Robot.uniform(4, length=0.1, mass=0.3, radius=0.02, actuator=sp.Servo(5.0, 0.05))
    places = ((-0.15, -0.09), (0.08, -0.1), (0.22, -0.12), (0.0, 0.12))
    law = sp.Contact(friction=0.2, restitution=restitution)
    world = sp.World(sp.Coulomb(0.3), pegs=[sp.Peg(*at, 0.03) for at in places], contact=law)
    gait = sp.Serpenoid(amplitude_deg=30, frequency_deg=300, phase_deg=-60)
    return sp.simulate(robot, world, gait, steps * dt, start=start, time_step=dt, record_period=dt)


@pytest.mark.parametrize(
    ("speed", "spin", "restitution", "step"),
    [(2.0, 0.0, 0.6, 25), (4.0, 1500.0, 0.0, 5), (3.0, 1500.0, 0.6, 6), (4.0, 2500.0, 0.3, 4)],
)
def test_a_halved_step_is_two_half_steps(speed, spin, restitution, step):
    """To the bit: nothing of the whole step that failed is left.

    But for rebounds before it: in these cases contacts do not rebound before the first half.
    """
    straight = (0.0,) * 3
    start = sp.Start(joint_angles_deg=straight, velocity=(0.3, -speed), spin_deg=spin)
    halved = simulate(start, speed, restitution, step, DT)
    assert list(halved.columns["halvings"][-3:]) == [0.0, 0.0, 1.0]
    before = simulate(start, speed, restitution, step - 1, DT).state
    before = dataclasses.replace(before, time_step=DT / 2, step=2 * before.step)
    halves = simulate(before, speed, restitution, 2, DT / 2)
    assert halves.columns["halvings"].sum() == 0
    for name, value in vars(halved.state).items():
        if name not in ("time_step", "step"):
            np.testing.assert_array_equal(value, getattr(halves.state, name), err_msg=name)


def found_by(name: str) -> dict[str, Any]:
    """What a function of `uncompiled_steps` finds."""
    command = [sys.executable, "-m", "tests.kernels.uncompiled_steps", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_step_that_runs_out_of_room_goes_on_as_if_there_had_been_room():
    """Wherever that is: in an impact, after it, in the middle of a step that is halved."""
    found = found_by("room")
    assert found["turning"]["halvings"] == 2
    for case, least in (("touching", 2), ("turning", 7)):
        for kernel in ("find_contacts", "solve_newton"):
            assert found[case][kernel]["calls"] >= least
            assert found[case][kernel]["differ"] == [], (case, kernel)


def test_links_that_outrun_their_margins_find_what_they_hit():
    """The same motion, to the bit, as if all margins had been wide from the start."""
    found = found_by("margins")
    assert found["usual"] == found["wide"]
    # And without looking farther the peg would have been found too late.
    assert found["usual"] != found["narrow"]
