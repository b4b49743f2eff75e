"""Plans of pushes, and what comes of them in the engine."""

import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.pushing import Touch, plan_push


def pusher(links, mu, lifted=0):
    """A robot on wheels but for one link; mu: of the wheels, None without any."""
    wheels = None
    if mu is not None:
        under = sp.Wheels(mu=None if math.isinf(mu) else mu)
        wheels = [sp.Wheels(lifted=True) if k == lifted else under for k in range(links)]
    return sp.Robot.uniform(
        links,
        length=0.15,
        mass=1.0,
        radius=0.02,
        inertia=0.002,
        actuator=sp.Torque(),
        wheels=wheels,
    )


@pytest.mark.parametrize("mu", [None, 0.6, math.inf])
@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_the_engine_does_at_first_what_the_plan_says(mu, friction):
    robot = pusher(3, mu)
    load = sp.Disc(0.5, 0.2, 5.0, radius=0.08, friction=friction)
    plan = plan_push(robot, load, 30.0, largest_torque=2.0)
    assert np.abs(plan.torques).max() == pytest.approx(2.0)
    controller = sp.ConstantTorque(tuple(plan.torques), period=1e-3)
    world = sp.World(loads=(load,))
    run = sp.simulate(robot, world, controller, 2e-3, start=plan.start, record_period=1e-3)
    c = run.columns
    speed = np.array([c["load_vx"][1, 0], c["load_vy"][1, 0]]) / 1e-3
    to = np.array([math.cos(math.radians(30)), math.sin(math.radians(30))])
    # The start pose is rounded in the last digits, so a push begins 1e-16 m from the load.
    assert speed @ to == pytest.approx(plan.acceleration, rel=1e-4)
    assert abs(speed[1] * to[0] - speed[0] * to[1]) < 1e-4 * plan.acceleration
    assert c["load_force"][1, 0] @ to == pytest.approx(plan.force, rel=1e-4)
    energy = 0.5 * 5.0 * (speed @ speed) * 1e-6
    assert energy / c["energy_kinetic"][1] == pytest.approx(plan.slippage_ratio, rel=1e-3)


def test_wheels_and_a_good_shape_cut_slip():
    load = sp.Disc(0.0, 0.0, 5.0, radius=0.08)
    free = plan_push(pusher(3, None), load, 0.0)
    held = plan_push(pusher(3, math.inf), load, 0.0)
    assert free.slippage_ratio < 0.2 < 0.75 < held.slippage_ratio
    # None moves a load with less slip than its own effective mass allows.
    assert held.slippage_ratio < 5.0 / (5.0 + 1.0)


def test_the_start_touches_the_load_where_it_should():
    load = sp.Box(0.3, -0.4, 2.0, width=0.2, height=0.3, angle_deg=20.0)
    for link, side in ((0, "left"), (3, "right")):
        robot = pusher(4, math.inf, lifted=link)
        plan = plan_push(robot, load, 110.0, touch=Touch(link=link, side=side))
        world = sp.World(loads=(load,))
        controller = sp.ConstantTorque(tuple(plan.torques))
        run = sp.simulate(robot, world, controller, 0.05, start=plan.start)
        moved = np.array([np.ptp(run.columns[name][:, 0]) for name in ("load_x", "load_y")])
        assert moved[1] / moved[0] == pytest.approx(math.tan(math.radians(70)), rel=0.05)
        assert np.abs(run.columns["contact_force"][1:, link]).max() > 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"largest_torque": 0.0}, "largest_torque = 0.0 is not allowed"),
        ({"largest_torque": 1e-3}, "no shape moves a load of 5 kg against 9.81 N of friction"),
        ({"direction_deg": math.nan}, "direction_deg = nan is not allowed"),
        ({"direction_deg": "a"}, "direction_deg = 'a' is not allowed: it must be a finite number"),
        ({"load": "disc"}, "load = 'disc' is not allowed: it must be a Load"),
        ({"seed": -1}, "seed = -1 is not allowed"),
        (
            {
                "robot": sp.Robot.uniform(
                    2, length=0.15, mass=1, radius=0.02, wheels=sp.Wheels(), actuator=sp.Torque()
                )
            },
            "no shape moves a load",
        ),
        ({"touch": Touch(link=7)}, "Touch.link = 7 is not allowed"),
        ({"load": sp.Box(0, 0, 1, width=1, height=1), "direction_deg": 30}, "0, 90, 180, 270 deg"),
        ({"robot": sp.Robot.uniform(1, length=1, mass=1, radius=0.1)}, "no joint to push with"),
        (
            {
                "robot": sp.Robot.uniform(
                    3, length=1, mass=1, radius=0.1, wheels=[sp.Wheels(mu=m) for m in (1, 2, 1)]
                )
            },
            "pushing takes one for all wheels",
        ),
    ],
)
def test_what_cannot_be_planned(change, words):
    given = {
        "robot": pusher(3, math.inf),
        "load": sp.Disc(0, 0, 5.0, radius=0.1, friction=0.2),
        "direction_deg": 0.0,
    }
    with pytest.raises(sp.InvalidInput, match=words):
        plan_push(**(given | change))


def test_the_box_of_the_gallery_ends_up_in_its_dock():
    run = sp.Scenario.load("push_box").run()
    c = run.columns
    assert c["load_x"][-1, 0] == pytest.approx(1.95, abs=1e-3)
    assert abs(c["load_y"][-1, 0]) < 0.03
    assert abs(math.degrees(c["load_theta"][-1, 0])) < 1.0


def test_the_push_of_the_gallery_is_the_one_that_is_planned():
    base = sp.Scenario.load("push_disc")
    robot, world = base.built
    plan = plan_push(robot, world.loads[0], 30.0, largest_torque=2.0)
    assert base.controller.torques == pytest.approx(plan.torques, abs=2e-3)
    assert base.start.x == pytest.approx(plan.start.x, abs=1e-5)
    run = base.run()
    assert run.columns["load_x"][-1, 0] > 0.55
