"""Feedback controllers compiled into the step [liljeback2011]."""

import dataclasses
import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.following import waypoint_times
from serpenoid.scenario.scenario import Scenario
from tests.control.ticks import GROUND, POINTS, SHAPE, START, at_rest, commanded, robot

ROBOT = robot()
PATH = sp.Waypoints(POINTS, acceptance=0.5)
WAVE, ADAPT = sp.Follower(60, 40, delay=0.7), sp.Adaptation(0.02)
STEER = sp.Heading(1.3, look_ahead=0.7, path=PATH)


def test_golden_reference():
    """t = 1 s, cross-track error 0.2 m, path direction 0.1 rad, unfiltered, unlimited."""
    rho = np.array([0, 5, -3, 0, 12, 0, -7, 0, 4, -2.0])
    ahead, left = (
        np.array([math.cos(0.1), math.sin(0.1)]),
        np.array([-math.sin(0.1), math.cos(0.1)]),
    )
    line = sp.Polyline((tuple(-0.2 * left), tuple(-0.2 * left + 9.0 * ahead)))
    parts = (WAVE, ADAPT, sp.Heading(1.3, 0.7, line))
    angle = commanded(sp.References(parts, cutoff=None), at_rest(1.0), push=rho)
    published = [
        *(-0.598679511, -0.672793219, 0.398808105, 0.870773253, 0.525490149),
        *(0.235803471, -0.410336396, -0.451695252, -1.097684866),
    ]
    np.testing.assert_allclose(-angle, published, atol=1e-9)


def test_golden_run_without_pegs():
    """Centre of mass and head angle after 2 s, to the digits printed."""
    run = sp.simulate(ROBOT, sp.World(GROUND), WAVE + ADAPT + STEER, 2.0, start=START)
    np.testing.assert_allclose(run.centre_of_mass()[-1], [-0.0159, -0.0029], atol=1e-3)
    assert run.columns["theta"][-1, -1] == pytest.approx(1.0104, abs=1e-3)


def test_limit_bounds_the_adaptation():
    rho = np.array([0, 500, -300, 0, 1200, 0, -700, 0, 4, -2.0])
    wanted, bounded = (
        commanded(sp.References((sp.Adaptation(0.02, limit),), cutoff=None), at_rest(), push=rho)
        for limit in (None, 20.0)
    )
    limit = math.radians(20)
    assert np.abs(wanted).max() > 10 * limit
    np.testing.assert_allclose(bounded, np.clip(wanted, -limit, limit), atol=1e-12)


def test_filter_is_critically_damped():
    """Its step response at t = 1/omega is 1 - 2/e, whatever the period."""
    cutoff = 1 / (2 * math.pi * 0.5)  # omega = 2 rad/s
    gait = sp.Serpenoid(0.0, 0.0, 0.0, offset_deg=30.0)
    run = sp.simulate(
        sp.Robot.uniform(3, length=0.1, mass=1.0, radius=0.01, actuator=sp.Servo(1e4, 1.0)),
        None,
        sp.References((gait,), cutoff=cutoff, period=0.05),
        0.5,
        start=sp.Start(joint_angles_deg=(0.0, 0.0)),
    )
    response = run.columns["joint_reference"][-1] / math.radians(30)
    np.testing.assert_allclose(response, 1 - 2 / math.e, atol=2e-3)


def test_gait_inside_a_sum_is_the_gait():
    gait = sp.Serpenoid(20.0, 90.0, -40.0)
    both = sp.References((gait, sp.Adaptation(0.0)), cutoff=None, period=1e-3)
    alone = sp.simulate(ROBOT, sp.World(GROUND), gait, 1.0)
    summed = sp.simulate(
        ROBOT,
        sp.World(GROUND),
        both,
        1.0,
        start=sp.Start(joint_angles_deg=np.degrees(gait.angles(9))),
    )
    # References held for a millisecond lag by half of one.
    np.testing.assert_allclose(summed.columns["x"], alone.columns["x"], atol=2e-3)


def test_sums_are_made_with_plus():
    assert (WAVE + ADAPT + STEER).parts == (WAVE, ADAPT, STEER)
    assert (WAVE + (ADAPT + STEER)).parts == (WAVE, ADAPT, STEER)
    gait = sp.Serpenoid(20.0, 90.0, -40.0)
    assert (gait + STEER).parts == (gait, STEER)


def test_closed_loop_turns_with_the_world():
    """Mirrored or turned, the whole loop does the same to rounding."""
    pegs = [sp.Peg(x, y, 0.05) for x, y in ((0.35, 0.16), (-0.1, -0.12), (0.6, -0.1), (0.2, -0.17))]
    controller = WAVE + ADAPT + STEER
    world = sp.World(GROUND, pegs=pegs, contact_at="centre")
    run = sp.simulate(ROBOT, world, controller, 6.0, start=START)
    assert np.abs(run.columns["contact_force"]).max() > 1.0
    mirrored = sp.simulate(
        ROBOT,
        dataclasses.replace(world, pegs=tuple(sp.Peg(p.x, -p.y, p.radius) for p in pegs)),
        sp.Follower(-60, 40, delay=0.7)
        + ADAPT
        + sp.Heading(1.3, 0.7, sp.Waypoints([(x, -y) for x, y in POINTS], 0.5)),
        6.0,
        start=sp.Start(heading_deg=-SHAPE.mean(), joint_angles_deg=-np.diff(SHAPE)),
    )
    np.testing.assert_allclose(mirrored.columns["y"], -run.columns["y"], atol=1e-9)
    a = math.radians(130)
    turn = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    turned = sp.simulate(
        ROBOT,
        dataclasses.replace(
            world, pegs=tuple(sp.Peg(*(turn @ [p.x, p.y]), p.radius) for p in pegs)
        ),
        WAVE + ADAPT + sp.Heading(1.3, 0.7, sp.Waypoints([tuple(turn @ p) for p in POINTS], 0.5)),
        6.0,
        start=dataclasses.replace(START, heading_deg=START.heading_deg + 130),
    )
    there = np.stack([run.columns["x"], run.columns["y"]], axis=-1) @ turn.T
    np.testing.assert_allclose(turned.columns["x"], there[..., 0], atol=1e-9)


def test_run_goes_on_to_the_bit():
    """The memory of the controller is part of the state."""
    world = sp.World(GROUND, pegs=[sp.Peg(0.35, 0.16, 0.05)], contact_at="centre")
    sensor = sp.ContactSensor(noise=0.5, quantum=0.1, delay=0.03)
    controller = sp.References((WAVE, ADAPT, STEER), sensor=sensor)
    whole = sp.simulate(ROBOT, world, controller, 3.0, start=START)
    first = sp.simulate(ROBOT, world, controller, 1.27, start=START)
    rest = sp.simulate(ROBOT, world, controller, 1.73, start=first.state)
    assert rest.state == whole.state


def test_waypoints_are_reached_one_after_the_other():
    pusher = sp.Robot.uniform(
        8, length=0.14, mass=0.8, radius=0.05, actuator=sp.Servo(kp=20.0, kd=1.0)
    )
    wheels = sp.World(sp.OrthotropicCoulomb(along=0.02, across=0.5))
    path = sp.Waypoints(((2.0, 0.0), (3.0, 1.0), (3.0, 2.5)), acceptance=0.3)
    controller = sp.Follower(35, 120, delay=0.3) + sp.Heading(0.6, look_ahead=0.8, path=path)
    run = sp.simulate(pusher, wheels, controller, 60.0)
    times = waypoint_times(run)
    assert np.isfinite(times).all()
    assert (np.diff(times) > 0).all()
    com = run.centre_of_mass()
    for point, time in zip(path.points, times, strict=True):
        row = run.row(time)
        assert np.hypot(*(com[row] - point)) < 0.33


def test_centre_contact_never_pulls_and_never_turns_the_link():
    """A rod without friction that meets a peg sideways: its centre stops, its spin goes on."""
    rod = sp.Robot.uniform(1, length=0.4, mass=1.0, radius=0.01)
    world = sp.World(pegs=[sp.Peg(0.1, 0.1, 0.05)], contact_at="centre")
    start = sp.Start(velocity=(0.0, 0.2), spin_deg=5.0)
    run = sp.simulate(rod, world, None, 1.0, start=start)
    assert run.columns["vy"][-1, 0] == pytest.approx(0.0, abs=1e-3)
    np.testing.assert_allclose(run.columns["omega"], math.radians(5.0), rtol=1e-12)
    force = run.columns["contact_force"][:, 0]
    normal = np.stack([-np.sin(run.columns["theta"][:, 0]), np.cos(run.columns["theta"][:, 0])], 1)
    assert (np.einsum("ij,ij->i", force, normal) < 1e-12).all(), "the peg is on the left"


SCENARIO = """
[robot]
links = 10
length = 0.14
mass = 1.0
radius = 0.02

[controller]
kind = "references"
cutoff = 0.75

[[controller.parts]]
kind = "follower"
amplitude_deg = 60
frequency_deg = 40
delay = 0.7

[[controller.parts]]
kind = "adaptation"
gain = 0.02
limit_deg = 23

[[controller.parts]]
kind = "heading"
gain = 1.3
look_ahead = 0.7
path = { kind = "waypoints", points = [[2.5, 0], [2.5, 1]], acceptance = 0.5 }
"""


def test_parts_stand_in_scenario_files():
    scenario = Scenario.loads(SCENARIO)
    path = sp.Waypoints(((2.5, 0), (2.5, 1)), acceptance=0.5)
    assert scenario.controller == WAVE + sp.Adaptation(0.02, 23) + sp.Heading(1.3, 0.7, path)
    assert Scenario.loads(scenario.dumps()) == scenario


def test_sums_keep_their_settings():
    sensor = sp.ContactSensor(noise=0.5)
    own = sp.References((sp.Follower(60, 40, 0.7),), period=0.02, cutoff=5.0, sensor=sensor)
    for both in (own + sp.Adaptation(0.02), sp.Adaptation(0.02) + own):
        assert (both.period, both.cutoff, both.sensor) == (0.02, 5.0, sensor)
        assert len(both.parts) == 2


def test_another_controller_begins_afresh():
    robot = sp.Robot.uniform(5, length=0.14, mass=1.0, radius=0.02, actuator=sp.Servo(20.0, 5.0))
    world = sp.World(friction=sp.Coulomb(0.3))

    def following(*points):
        path = sp.Waypoints(points=points, acceptance=0.5)
        return sp.Follower(60, 40, delay=0.6) + sp.Heading(1.3, 0.7, path)

    near = sp.simulate(robot, world, following((0.1, 0), (0.2, 0)), 1.0)
    assert np.isfinite(waypoint_times(near)).all()
    far = sp.simulate(robot, world, following((50, 50), (0, 90)), 1.0, start=near.state)
    assert np.isinf(waypoint_times(far)).all()
