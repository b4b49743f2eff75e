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
    assert run.scenario["solver"]["r_normal"] == 0.01
    assert run.scenario["solver"]["r_tangential"] == 1.3
    assert farthest(run.columns, on_pegs(PROX, 1e-3).columns) < 1e-4


@pytest.mark.parametrize("peer", [mujoco_peer, pymunk_peer], ids=["mujoco", "pymunk"])
def test_other_engines_make_the_same_journey(peer):
    """All links at all times to 5 mm; they have soft contact or unconverged impulses, we do not."""
    other = peer.simulate(duration=9.0, sample=0.01)
    run = on_pegs("newton", 1e-3)
    np.testing.assert_allclose(other.time, run.time, atol=1e-9)
    assert farthest(run.columns, {"x": other.x, "y": other.y}) < 5e-3
    assert run.columns["x"][-1, 5] - run.columns["x"][0, 5] > 1.4  # and it is a journey


# ---------------------------------------------------------------------------------- refusals

SERVO = sp.Servo(kp=20.0, kd=5.0)


def robot(actuator=SERVO, limits_deg=None) -> sp.Robot:
    return sp.Robot.uniform(
        3, length=0.1, mass=1.0, radius=0.02, actuator=actuator, limits_deg=limits_deg
    )


PATCH = {"x": 0.0, "y": 0.0, "width": 1.0, "height": 1.0}
FAR = {"x": 9.0, "y": 9.0, "radius": 0.1}
BLOW, GRIP = sp.Contact(restitution=0.5), sp.Contact(friction=0.3)
DIRECTIONAL = sp.DirectionalCoulomb(forward=0.1, backward=0.3, sideways=0.3)

UNSUPPORTED = {
    "directional": (robot(), {"friction": DIRECTIONAL}),
    "viscous": (robot(), {"friction": sp.Viscous(along=1.0, across=2.0)}),
    "spin": (robot(), {"friction": sp.SpinCoulomb(mu=0.2, arm=0.01)}),
    "sum": (robot(), {"friction": sp.Coulomb(0.2) + sp.Viscous(along=1.0, across=2.0)}),
    "patch": (robot(), {"patches": [sp.Patch(**PATCH, friction=sp.Viscous(1.0, 1.0))]}),
    "world friction": (robot(), {"contact": GRIP, "pegs": [sp.Peg(**FAR)]}),
    "world restitution": (robot(), {"contact": BLOW, "pegs": [sp.Peg(**FAR)]}),
    "peg friction": (robot(), {"pegs": [sp.Peg(**FAR, contact=GRIP)]}),
    "peg restitution": (robot(), {"pegs": [sp.Peg(**FAR, contact=BLOW)]}),
    "wall friction": (robot(), {"walls": [sp.Wall(((9.0, 0.0), (9.0, 1.0)), contact=GRIP)]}),
    "limits": (robot(limits_deg=(-50.0, 50.0)), {}),
    "torque limit": (robot(sp.Servo(kp=20.0, kd=5.0, torque_limit=1.0)), {}),
    "deadband": (robot(sp.Servo(kp=20.0, kd=5.0, deadband_deg=2.0)), {}),
    "prescribed": (robot(sp.Prescribed()), {}),
    "free": (robot(sp.Free()), {}),
    "limited torque": (robot(sp.Torque(limit=1.0)), {}),
}


@pytest.mark.parametrize(("body", "world"), UNSUPPORTED.values(), ids=UNSUPPORTED)
def test_prox_refuses_what_it_cannot_resolve(body, world):
    with pytest.raises(
        sp.UnsupportedLaw, match=r"^solver 'prox' cannot resolve .+; use solver='newton'$"
    ):
        sp.simulate(body, sp.World(**world), duration=0.1, solver="prox")
    sp.simulate(body, sp.World(**world), duration=0.1, solver="newton")  # the remedy is one


@pytest.mark.parametrize(
    "friction", [None, sp.Coulomb(0.2), sp.OrthotropicCoulomb(along=0.1, across=0.3)]
)
@pytest.mark.parametrize("actuator", [SERVO, sp.Torque()])
def test_prox_takes_what_it_can(friction, actuator):
    run = sp.simulate(
        robot(actuator), sp.World(friction=friction), GAIT, duration=0.1, solver="prox"
    )
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
