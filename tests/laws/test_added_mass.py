"""Added mass of a fluid: Kirchhoff's equations, impulses of robot and fluid, energy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import serpenoid as sp
from serpenoid.export import mjcf

G = 9.81
LENGTH, MASS = 0.2, 0.5
LINK = sp.Robot.uniform(1, length=LENGTH, mass=MASS, radius=0.02)
ALONG, ACROSS = 0.1, 0.7
FLUID = sp.Fluid(added_mass_along=ALONG, added_mass_across=ACROSS)
START = sp.Start(heading_deg=30, velocity=(0.8, 0.3), spin_deg=300)


def impulses(run: sp.Trajectory, law: sp.Fluid = FLUID) -> np.ndarray:
    """Linear impulse and angular impulse about the origin of robot and fluid, (rows, 3)."""
    x, y, theta, vx, vy, omega = (
        run.columns[name] for name in ("x", "y", "theta", "vx", "vy", "omega")
    )
    mass, length, inertia = np.array(
        [(link.mass, link.length, link.moment_of_inertia) for link in run.robot.links]
    ).T
    c, s = np.cos(theta), np.sin(theta)
    a = (mass + law.added_mass_along) * (vx * c + vy * s)
    b = (mass + law.added_mass_across) * (vy * c - vx * s)
    px, py = a * c - b * s, a * s + b * c
    turning = (inertia + law.added_mass_across * length**2 / 12) * omega
    return np.stack([px.sum(1), py.sum(1), (x * py - y * px + turning).sum(1)], axis=1)


def kirchhoff(start: sp.Start, duration: float) -> np.ndarray:
    """Pose of the free link at the end, by an integrator of high order."""
    A, B = MASS + ALONG, MASS + ACROSS
    J = LINK.links[0].moment_of_inertia + ACROSS * LENGTH**2 / 12

    def flow(_, q):
        _, _, theta, a, b, w = q
        c, s = np.cos(theta), np.sin(theta)
        return [a * c - b * s, a * s + b * c, w, B * b * w / A, -A * a * w / B, (A - B) * a * b / J]

    theta, (vx, vy) = np.radians(start.heading_deg), start.velocity
    c, s = np.cos(theta), np.sin(theta)
    begin = [0.0, 0.0, theta, vx * c + vy * s, vy * c - vx * s, np.radians(start.spin_deg)]
    return solve_ivp(flow, (0.0, duration), begin, rtol=1e-11, atol=1e-12).y[:3, -1]


@pytest.mark.parametrize(("angle", "added"), [(0.0, ALONG), (90.0, ACROSS)])
def test_a_link_that_is_let_go_on_a_slope_accelerates_its_added_mass_too(angle, added):
    world = sp.World(friction=FLUID, slope_deg=20.0, slope_direction_deg=30.0)
    run = sp.simulate(LINK, world, duration=1.0, start=sp.Start(heading_deg=30.0 + angle))
    speed = np.hypot(run.columns["vx"][:, 0], run.columns["vy"][:, 0])
    pull = MASS * G * np.sin(np.radians(20.0))
    np.testing.assert_allclose(speed, pull / (MASS + added) * run.time, rtol=1e-10)


def test_a_free_link_follows_the_equations_of_kirchhoff():
    wanted, errors = kirchhoff(START, 1.0), []
    for time_step in (2.5e-3, 1.25e-3):
        run = sp.simulate(
            LINK, sp.World(friction=FLUID), duration=1.0, start=START, time_step=time_step
        )
        found = [run.columns[name][-1, 0] for name in ("x", "y", "theta")]
        errors.append(np.abs(found - wanted))
    assert errors[1].max() < 2e-5
    np.testing.assert_allclose(errors[0] / errors[1], 4.0, rtol=0.02)


def test_a_free_link_and_its_fluid_keep_impulse_and_energy():
    spread = []
    for time_step in (5e-3, 2.5e-3):
        run = sp.simulate(
            LINK, sp.World(friction=FLUID), duration=20.0, start=START, time_step=time_step
        )
        kept = np.ptp(impulses(run), axis=0)
        assert kept[:2].max() < 1e-10
        assert np.ptp(run.columns["energy_kinetic"]) < 1e-10
        # The angular one varies, but does not drift.
        angular = impulses(run)[:, 2]
        half = len(angular) // 2
        assert np.ptp(angular[half:]) == pytest.approx(np.ptp(angular[:half]), rel=0.05)
        spread.append(kept[2])
    assert spread[0] / spread[1] == pytest.approx(4.0, rel=0.05)
    assert spread[1] < 1e-5


@pytest.mark.parametrize("actuator", [sp.Free(), sp.Servo(kp=5.0, kd=0.05)])
def test_three_links_and_their_fluid_keep_their_impulses(actuator):
    """Whatever the joints do; the hinges let the angular one drift with the square of the step."""
    robot = sp.Robot.uniform(
        3, length=0.1, mass=0.06, radius=0.02, actuator=actuator, self_contact=False
    )
    law = sp.Fluid(added_mass_along=0.01, added_mass_across=0.08)
    start = sp.Start(
        velocity=(0.3, 0.1), spin_deg=60, joint_angles_deg=(30, 40), joint_rates_deg=(100, -200)
    )
    drift = []
    for time_step in (1e-3, 5e-4):
        run = sp.simulate(
            robot, sp.World(friction=law), duration=2.0, start=start, time_step=time_step
        )
        spread = np.ptp(impulses(run, law), axis=0)
        assert spread[:2].max() < 1e-11
        assert np.abs(run.columns["energy_residual"]).max() < 1e-11
        drift.append(spread[2] / abs(impulses(run, law)[0, 2]))
    assert drift[1] < 1e-4
    assert drift[0] / drift[1] == pytest.approx(4.0, rel=0.1)


GAIT = sp.Serpenoid(amplitude_deg=25, frequency_deg=360, phase_deg=-36)
ACTUATORS = {
    "servo": sp.Servo(kp=5.0, kd=0.05),
    "prescribed": sp.Prescribed(),
    "series elastic": sp.SeriesElastic(
        *(20.0, 5.0, 0.05), gear_ratio=50.0, rotor_inertia=1e-7, rotor_mass=0.01
    ),
}


@pytest.mark.parametrize("kind", ACTUATORS)
def test_the_ledger_closes_with_drag_contacts_and_added_mass(kind):
    robot = sp.Robot.uniform(10, length=0.04, mass=0.06, radius=0.015, actuator=ACTUATORS[kind])
    law = sp.Fluid(0.01, 0.05, 0.03, 0.6, added_mass_along=0.003, added_mass_across=0.03)
    pegs = tuple(sp.Peg(0.25 + 0.1 * i, 0.03 * (-1) ** i, 0.01) for i in range(5))
    world = sp.World(friction=law + sp.Coulomb(0.02), pegs=pegs, contact=sp.Contact(friction=0.2))
    run = sp.simulate(robot, world, GAIT, 2.0, start=sp.Start(velocity=(0.3, 0.0)))
    columns = run.columns
    moved = np.abs(columns["energy_actuator"]).max()
    assert np.abs(columns["energy_residual"]).max() < 1e-9 * moved
    assert np.abs(columns["contact_force"]).max() > 0.0
    assert (np.diff(columns["energy_damping"]) <= 0.0).all()


def test_a_wall_stops_the_fluid_that_moves_with_a_link_as_well():
    wall = sp.Wall(points=((-1.0, 0.1), (1.0, 0.1)))
    world = sp.World(friction=FLUID, walls=(wall,))
    run = sp.simulate(LINK, world, duration=1.0, start=sp.Start(velocity=(0.0, 0.5)))
    assert run.columns["energy_impact"][-1] == pytest.approx(-0.5 * (MASS + ACROSS) * 0.25)
    assert np.abs(run.columns["vy"][-1]).max() < 1e-6


def test_steps_too_long_for_the_moment_of_the_fluid_are_halved():
    run = sp.simulate(
        sp.Robot.uniform(1, length=0.1, mass=0.05, radius=0.02),
        sp.World(friction=sp.Fluid(added_mass_across=0.5)),
        duration=0.5,
        start=sp.Start(heading_deg=30, velocity=(10.0, 0.1)),
        time_step=1e-2,
    )
    assert run.columns["halvings"].sum() > 0
    kinetic = run.columns["energy_kinetic"]
    assert np.ptp(kinetic) < 1e-10 * kinetic[0]
    assert np.abs(run.columns["energy_residual"]).max() < 1e-10 * kinetic[0]


SWIMMER = {"friction.added_mass_across": 0.028, "friction.added_mass_along": 0.002}


def test_a_swimmer_that_starts_turned_swims_the_same_path_turned():
    changes = {**SWIMMER, "clock.duration": 1.0}
    level, turned = (
        sp.Scenario.load("eel", {**changes, "start.heading_deg": angle}).run().columns
        for angle in (0.0, 70.0)
    )
    c, s = np.cos(np.radians(70.0)), np.sin(np.radians(70.0))
    x, y = level["x"], level["y"]
    np.testing.assert_allclose(turned["x"], c * x - s * y, atol=1e-11)
    np.testing.assert_allclose(turned["y"], s * x + c * y, atol=1e-11)


def test_a_swimmer_with_the_mirrored_gait_swims_the_mirrored_path():
    left, right = (
        sp.Scenario.load(
            "eel", {**SWIMMER, "clock.duration": 1.0, "controller.amplitude_deg": amplitude}
        )
        .run()
        .columns
        for amplitude in (15, -15)
    )
    np.testing.assert_allclose(right["x"], left["x"], atol=1e-12)
    np.testing.assert_allclose(right["y"], -left["y"], atol=1e-12)


def test_a_run_in_two_parts_and_one_in_a_batch_are_the_same_to_the_bit():
    whole, part, rest = (
        sp.Scenario.load("eel", {**SWIMMER, "clock.duration": duration})
        for duration in (1.0, 0.4, 0.6)
    )
    batch = sp.simulate_batch(whole, {"start.velocity": [(0.1, 0.0), (0.0, 0.0)]}, threads=2)
    whole, rest = whole.run(), rest.run(start=part.run().state)
    for run in (rest, batch[1]):
        for name in ("theta", "velocity", "acceleration", "ledger"):
            np.testing.assert_array_equal(getattr(run.state, name), getattr(whole.state, name))


def test_a_state_of_another_fluid_is_refused():
    state = sp.Scenario.load("eel", {**SWIMMER, "clock.duration": 0.1}).run().state
    other = sp.Scenario.load("eel", {"friction.added_mass_across": 0.5, "clock.duration": 0.1})
    with pytest.raises(sp.InvalidInput, match="its kinetic energy differs"):
        other.run(start=state)


SLIPPERY = {"kind": "fluid", "added_mass_across": 0.1}


@pytest.mark.parametrize("solver", ["prox", "hybrid", "explicit"])
def test_other_methods_refuse_it(solver):
    with pytest.raises(sp.UnsupportedLaw, match="cannot resolve ground friction Fluid"):
        sp.Scenario.load("swimmer", {"friction": SLIPPERY, "solver.kind": solver}).run()


def test_export_refuses_it():
    scenario = sp.Scenario.load("swimmer", {"friction": SLIPPERY})
    with pytest.raises(sp.InvalidInput, match="cannot be exported to MuJoCo; use kind"):
        mjcf(scenario)


def test_it_is_the_same_everywhere():
    world = sp.World(friction=FLUID, patches=(sp.Patch(0.0, 0.0, 1.0, 1.0),))
    with pytest.raises(sp.InvalidInput, match="not allowed in a world with patches: added mass"):
        sp.simulate(LINK, world, duration=0.1)
