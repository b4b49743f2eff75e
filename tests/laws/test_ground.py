"""Contact with terrain in the default solver: compliant and hard."""

import numpy as np
import pytest

import serpenoid as sp

SOFT = sp.Compliant(stiffness=350.0, damping=15.0)
STRAIGHT = (0.0,) * 5
G = 9.81


def world(terrain: sp.Profile | sp.Flat | sp.Stairs | sp.Slope, at: str = "axis") -> sp.World:
    return sp.World(plane="vertical", contact_at=at, terrain=terrain)


def bar(radius: float = 0.01) -> sp.Robot:
    return sp.Robot.uniform(1, length=0.2, mass=1.0, radius=radius, straight=0.2)


@pytest.mark.parametrize("contact", [SOFT, sp.Hard()])
def test_terrain_carries_the_weight(contact):
    robot = sp.robots.koopaee("half_length_007")
    start = sp.Start(joint_angles_deg=STRAIGHT, y=0.005)
    run = sp.simulate(robot, world(sp.Flat(0.5, contact=contact)), None, 6.0, start=start)
    force = run.columns["contact_force"][-1].sum(axis=0)
    assert force[1] == pytest.approx(0.7 * G, abs=1e-6)
    assert run.energy()["kinetic"] < 1e-12
    assert abs(run.energy()["residual"]) < 1e-12


@pytest.mark.parametrize("contact", [sp.Compliant(2e4, 200.0), sp.Hard()])
@pytest.mark.parametrize("angle", [15.0, 25.0])
def test_a_bar_on_a_slope_sticks_and_slides(contact, angle):
    """Up to atan(mu) it rests, exactly; beyond, it slides with g (sin - mu cos)."""
    mu, size = np.tan(np.radians(20.0)), np.radians(angle)
    slope = sp.Slope(angle_deg=-angle, friction=mu, contact=contact)
    along = np.array([np.cos(size), -np.sin(size)])
    start = sp.Start(*(1.0 * along + 1e-9 * np.array([0, 1])), heading_deg=-angle)
    run = sp.simulate(bar(), world(slope), None, 1.5, start=start, record_period=0.1)
    velocity = run.centre_velocity() @ along
    slide = max(0.0, G * (np.sin(size) - mu * np.cos(size)))
    assert np.diff(velocity[5:]) / 0.1 == pytest.approx(slide, abs=1e-3)
    if slide == 0.0:
        assert np.abs(velocity[5:]).max() < 1e-6


def test_friction_and_normal_forces_are_told_apart():
    slope = sp.Slope(angle_deg=-15.0, friction=1.0)
    along = np.array([np.cos(np.radians(15)), -np.sin(np.radians(15))])
    start = sp.Start(*(1.0 * along + 1e-9 * np.array([0, 1])), heading_deg=-15.0)
    run = sp.simulate(bar(), world(slope), None, 0.5, start=start)
    across = np.array([-along[1], along[0]])
    normal, friction = (run.columns[f"{kind}_force"][-1, 0] for kind in ("contact", "friction"))
    assert normal == pytest.approx(G * np.cos(np.radians(15)) * across, abs=1e-6)
    assert friction == pytest.approx(-G * np.sin(np.radians(15)) * along, abs=1e-6)


def test_a_drop_sinks_as_an_oscillator_does():
    """A bar that falls flat on three springs and dampers, against the closed form."""
    k, d, height = 3 * 2e3, 3 * 5.0, 0.02
    run = sp.simulate(
        bar(),
        world(sp.Flat(0.0, contact=sp.Compliant(2e3, 5.0))),
        None,
        0.2,
        start=sp.Start(y=height),
        time_step=1e-4,
        record_period=1e-3,
    )
    begin = np.sqrt(2 * height / G)
    t = run.time - begin
    decay = d / 2
    swing = np.sqrt(k - decay**2)
    v0, rest = -np.sqrt(2 * G * height), -G / k
    # Until it would leave the ground again.
    y = rest + np.exp(-decay * t) * (
        -rest * np.cos(swing * t) + (v0 - decay * rest) / swing * np.sin(swing * t)
    )
    during = (t > 0) & (t < 0.9 * np.pi / swing)
    found = run.centre_of_mass()[during, 1]
    np.testing.assert_allclose(found, y[during], atol=1e-4)
    assert found.min() < -0.005


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_bar_bounces_off_hard_ground(restitution):
    ground = sp.Flat(0.0, contact=sp.Hard(restitution=restitution))
    run = sp.simulate(
        bar(), world(ground), None, 0.4, start=sp.Start(y=0.1), time_step=1e-4, record_period=1e-3
    )
    fall = np.sqrt(2 * 0.1 / G)
    after = run.row(fall + 0.01)
    expected = restitution * np.sqrt(2 * G * 0.1) - G * (run.time[after] - fall)
    speed = run.centre_velocity()[after, 1]
    assert speed == pytest.approx(max(0.0, expected), abs=5e-3)
    assert run.columns["y"].min() > -5e-5


def test_outline_and_axis():
    """With contact on the outline the robot rests its radius above the ground."""
    for at, height in (("outline", 0.01), ("axis", 0.0)):
        run = sp.simulate(bar(), world(sp.Flat(0.3), at), None, 0.3, start=sp.Start(y=0.012))
        assert run.columns["y"][-1, 0] == pytest.approx(height, abs=1e-5)


def test_the_edge_of_a_stair_holds_a_bar():
    """A bar across an edge, heavier on the outside, tips about it and falls."""
    terrain = sp.Stairs(height=0.3, tread=1.0, friction=0.8)
    for x, falls in ((-0.04, True), (0.04, False)):
        start = sp.Start(x=x, y=0.3 + 1e-9)
        run = sp.simulate(bar(), world(terrain), None, 0.3, start=start, time_step=5e-4)
        assert (run.columns["y"][-1, 0] < 0.28) == falls
        assert run.columns["penetration"].max() < 1e-4
    assert np.abs(run.columns["y"] - 0.3).max() < 1e-5


def test_newton_at_a_millisecond_is_explicit_at_a_tenth():
    robot = sp.robots.koopaee("half_length_007")
    gait = sp.PedalWave(amplitude_deg=45, frequency_deg=180, phase_deg=-79.2)
    start = sp.Start(joint_angles_deg=STRAIGHT)
    place = world(sp.Flat(0.82, contact=SOFT))
    runs = [
        sp.simulate(robot, place, gait, 20.0, start=start, time_step=dt, solver=solver)
        for dt, solver in ((1e-3, "newton"), (1e-4, "explicit"))
    ]
    newton, explicit = (run.mean_velocity()[0] for run in runs)
    assert newton == pytest.approx(explicit, rel=0.03)
    assert abs(runs[0].energy()["residual"]) < 1e-10
    for name in ("actuator", "friction", "contact_damper"):
        assert runs[0].energy()[name] == pytest.approx(runs[1].energy()[name], rel=0.02)
    torque = [run.columns["spring_torque"] for run in runs]
    assert np.sqrt(np.mean((torque[0] - torque[1]) ** 2)) < 0.05 * np.std(torque[1])


def test_a_continued_run_is_the_same_to_the_bit():
    robot = sp.robots.koopaee("half_length_007")
    wave = sp.PedalWave(amplitude_deg=45, frequency_deg=180, phase_deg=-72)
    control = sp.Admittance(wave, 8.5)
    start = sp.Start(x=-0.12, link=5, joint_angles_deg=STRAIGHT)
    for contact in (SOFT, sp.Hard()):
        stair = sp.Stairs(height=0.06, tread=0.11, friction=0.82, contact=contact)
        whole = sp.simulate(robot, world(stair), control, 2.0, start=start)
        first = sp.simulate(robot, world(stair), control, 1.0, start=start)
        second = sp.simulate(robot, world(stair), control, 1.0, start=first.state)
        assert second.state == whole.state
