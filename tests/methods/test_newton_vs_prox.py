"""Aiko on flat ground and among pegs: both methods, the paper, and two other engines."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import serpenoid as sp
from tests.peers import mujoco_peer, pymunk_peer
from tests.peers.track import REFERENCE_X

GAIT = sp.Serpenoid(amplitude_deg=-40.0, frequency_deg=80.0, phase_deg=-50.0)
START = sp.Start(x=0.38, y=0.15, heading_deg=5.0, link=5)
TRACK = sp.World(friction=sp.Coulomb(0.2), pegs=sp.fields.aiko_track())

# The paper's r_H = 0.01 kg needs some ten times the iterations for the same answer.
PROX = sp.Prox(r_normal=0.2)


@functools.cache
def on_pegs(solver: str | sp.Prox, time_step: float, duration: float = 9.0) -> sp.Trajectory:
    return sp.simulate(
        sp.robots.aiko(),
        TRACK,
        GAIT,
        duration,
        start=START,
        time_step=time_step,
        solver=solver,
    )


def farthest(one, other) -> float:
    """Largest distance of a link's centre between two runs over all their common rows, m."""
    rows = min(len(one["x"]), len(other["x"]))
    dx, dy = (one[k][:rows] - other[k][:rows] for k in ("x", "y"))
    return float(np.hypot(dx, dy).max())


def test_flat_ground_drives_aiko_backwards():
    """About -1 cm/s; -1.04 to -1.06 cm/s known from other methods [transeth2008 VIII-B]."""
    run = sp.simulate(sp.robots.aiko(), sp.World(friction=sp.Coulomb(0.2)), GAIT, 20.0)
    assert -0.011 < run.mean_velocity()[0] < -0.010


@pytest.mark.parametrize("solver", ["newton", PROX], ids=["newton", "prox"])
def test_pegs_drive_aiko_along_the_known_track(solver):
    """Middle link every second; four independent methods agree on these numbers to 2 mm."""
    run = on_pegs(solver, 1e-3)
    np.testing.assert_allclose(run.time[::100], np.arange(10.0), atol=1e-12)
    np.testing.assert_allclose(run.columns["x"][::100, 5], REFERENCE_X, rtol=0, atol=3e-3)


def test_methods_agree_and_the_more_the_finer():
    """All links at all times: 1 mm at 0.2 ms, and nearer than at 1 ms (both first order)."""
    coarse = farthest(on_pegs("newton", 1e-3).columns, on_pegs(PROX, 1e-3).columns)
    fine = farthest(on_pegs("newton", 2e-4).columns, on_pegs(PROX, 2e-4).columns)
    assert fine < 1e-3
    assert fine < coarse / 2


def test_prox_with_the_papers_own_parameters():
    """r_H = 0.01 kg, r_T = 1.3 kg: the step's problem has one solution, so r does not matter.

    The tolerance of 1e-9 N s over r_H leaves 1e-7 m/s of residual velocity: 0.1 mm in 1 s at most.
    """
    run = on_pegs("prox", 1e-3, duration=1.0)
    assert run.scenario.solver.r_normal == 0.01
    assert run.scenario.solver.r_tangential == 1.3
    assert farthest(run.columns, on_pegs(PROX, 1e-3).columns) < 1e-4


@pytest.mark.parametrize("peer", [mujoco_peer, pymunk_peer], ids=["mujoco", "pymunk"])
def test_other_engines_make_the_same_journey(peer):
    """All links at all times to 5 mm; they have soft contact or unconverged impulses, we do not."""
    other = peer.simulate(duration=9.0, sample=0.01)
    run = on_pegs("newton", 1e-3)
    np.testing.assert_allclose(other.time, run.time, atol=1e-9)
    assert farthest(run.columns, {"x": other.x, "y": other.y}) < 5e-3
    assert run.columns["x"][-1, 5] - run.columns["x"][0, 5] > 1.4  # and it is a journey


@pytest.mark.parametrize(
    "friction", [None, sp.Coulomb(0.2), sp.OrthotropicCoulomb(along=0.1, across=0.3)]
)
@pytest.mark.parametrize("actuator", [sp.Servo(kp=20.0, kd=5.0), sp.Torque()])
def test_prox_takes_what_it_can(friction, actuator):
    robot = sp.Robot.uniform(
        3, length=0.1, mass=1.0, radius=0.02, actuator=actuator, self_contact=False
    )
    run = sp.simulate(robot, sp.World(friction=friction), GAIT, duration=0.1, solver="prox")
    assert run.state.time == pytest.approx(0.1)


def test_methods_agree_on_orthotropic_friction():
    """Undulation on a surface that slips four times better along than across, 2 s."""
    world = sp.World(friction=sp.OrthotropicCoulomb(along=0.1, across=0.4))
    runs = [
        sp.simulate(sp.robots.aiko(), world, GAIT, 2.0, time_step=2e-4, solver=solver)
        for solver in ("newton", "prox")
    ]
    assert farthest(runs[0].columns, runs[1].columns) < 1e-3
    assert runs[0].mean_velocity()[0] > 0.05  # forward: it did locomote


def test_prox_tells_sliding_from_sticking():
    """Forces of links that slide are on the edge of their disc, but for rounding."""
    robot = sp.Robot.uniform(6, length=0.1, mass=0.5, radius=0.02, self_contact=False)
    start = sp.Start(joint_angles_deg=(20.0, -10.0, 5.0, -30.0, 15.0), velocity=(0.5, 0.3))
    world = sp.World(friction=sp.OrthotropicCoulomb(0.1, 0.4))
    run = sp.simulate(robot, world, GAIT, 0.05, start=start, solver="prox")
    assert not run.columns["sticking"][1:].any()
