"""Viscous friction and drag that would stop a link within a step: no reversal at any step."""

import numpy as np
import pytest

import serpenoid as sp

DT, LENGTH, MASS = 1e-3, 0.2, 0.5
LINK = sp.Robot.uniform(1, length=LENGTH, mass=MASS, radius=0.02)
INERTIA = LINK.links[0].moment_of_inertia
RATIOS = [1e-3, 1e-2, 0.1, 1.0, 1.99, 2.01, 3.0, 10.0, 1e2, 1e3, 1e4]
# Share of the first velocity that is none: solver tolerance over 0.3 m/s, with some room.
NONE = 1e-9
# Coefficient of the law and mass or moment of inertia that it brakes; start; column.
AXES = {
    "along": ("along", MASS, sp.Start(velocity=(0.3, 0.0)), "vx"),
    "across": ("across", MASS, sp.Start(velocity=(0.0, 0.3)), "vy"),
    "turning": ("turning", INERTIA, sp.Start(spin_deg=40.0), "omega"),
}


def decay(law, start, column, steps):
    """Velocity after every step as a share of that at the start, and the run."""
    run = sp.simulate(
        LINK, sp.World(law), None, steps * DT, start=start, time_step=DT, record_period=DT
    )
    velocity = run.columns[column][:, 0]
    return velocity / velocity[0], run


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("ratio", RATIOS)
def test_viscous_decay_is_that_of_the_exponential_or_without_reversal(ratio, axis):
    """ratio: c dt/m. The midpoint rule is off by ratio^2/12 for each time constant."""
    name, mass, start, column = AXES[axis]
    coefficient = ratio * mass / DT
    if name == "turning":
        # An even force across the link turns against it with c L^2 / 12.
        law = sp.Viscous(along=0.0, across=12.0 * coefficient / LENGTH**2)
    else:
        law = sp.Viscous(**{"along": 0.0, "across": 0.0, name: coefficient})
    share, run = decay(law, start, column, 40)
    assert (share > -NONE).all()
    assert (np.diff(share)[share[:-1] > NONE] < 0.0).all()
    if ratio <= 0.1:
        exact = np.exp(-ratio * np.arange(41))
        np.testing.assert_allclose(share, exact, rtol=40 * ratio**3 / 10)
    if ratio > 2.0:
        assert abs(share[1]) < NONE
    assert (np.diff(run.columns["energy_damping"]) <= 0.0).all()
    assert np.abs(run.columns["energy_residual"]).max() < 1e-12
    assert run.columns["energy_numerical"].max() < 1e-20


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("linear", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("ratio", [1e-2, 1.0, 3.9, 4.1, 1e2, 1e5])
def test_drag_stops_a_link_without_reversal(ratio, linear, axis):
    """ratio: D |v| dt/m at the start; linear: c dt/m of viscous friction beside it."""
    name, mass, start, column = AXES[axis]
    quadratic, viscous = ratio * mass / DT / 0.3, linear * mass / DT
    if name == "turning":
        quadratic, viscous = 32.0 * ratio * mass / DT / LENGTH**3, 12.0 * viscous / LENGTH**2
        name = "across"
    law = sp.Fluid(**{name: viscous, f"{name}_squared": quadratic})
    share, run = decay(law, start, column, 40)
    assert (share > -NONE).all()
    assert (np.diff(share) < NONE).all()
    assert (np.diff(run.columns["energy_damping"]) <= 0.0).all()
    assert np.abs(run.columns["energy_residual"]).max() < 1e-12


@pytest.mark.parametrize("ratio", [0.5, 5.0, 50.0, 5e3])
def test_a_chain_of_unequal_links_decays_without_reversals(ratio):
    """Links whose own c dt/m differ by a hundred; a straight chain moves across itself."""
    links = [sp.Link(length=0.1, mass=m, radius=0.02) for m in (0.01, 1.0, 0.03, 0.3, 0.1)]
    robot = sp.Robot(links, [sp.Joint(sp.Free())] * 4)
    law = sp.Viscous(along=ratio * 0.1 / DT, across=ratio * 0.1 / DT)
    start = sp.Start(velocity=(0.0, 0.2), spin_deg=10.0)
    run = sp.simulate(robot, sp.World(law), None, 0.1, start=start, time_step=DT, record_period=DT)
    kinetic, vy = run.columns["energy_kinetic"], run.columns["vy"]
    assert (np.diff(kinetic) <= 0.0).all()
    moving = np.abs(vy) > 1e-9
    reversals = (np.diff(np.sign(vy), axis=0) != 0.0) & moving[1:] & moving[:-1]
    # A link may turn once as hinges pass motion on; alternating steps would do so again and again.
    assert reversals.sum(axis=0).max() <= 2
    assert (np.diff(run.columns["energy_damping"]) <= 0.0).all()
    assert abs(run.columns["energy_residual"][-1]) < 1e-12 * kinetic[0]


def test_terminal_speed_down_a_slope_does_not_depend_on_the_weight():
    pull = MASS * 9.81 * np.sin(np.radians(20.0))
    law = sp.Viscous(along=20.0 * MASS / DT, across=0.0)
    run = sp.simulate(LINK, sp.World(law, slope_deg=20.0), None, 0.1, time_step=DT)
    assert run.columns["vx"][-1, 0] == pytest.approx(pull / law.along, rel=1e-12)
