"""What cannot be simulated is refused in one sentence; what is extreme but possible runs."""
# ruff: noqa: E501 (one row a line)

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.errors import Overlap
from serpenoid.methods.method import Method
from tests.sentences import refusal, sentences

NAN, INF = math.nan, math.inf
LINK = {"length": 0.1, "mass": 1.0, "radius": 0.02}
ROBOT = sp.Robot.uniform(3, **LINK)
BLOCK = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.02)
LIMITED = sp.Robot.uniform(3, **LINK, limits_deg=(-10.0, 10.0))
TOLD = sp.Robot.uniform(3, **LINK, actuator=sp.Prescribed())
WALL = sp.Wall(points=[(0.0, -1.0), (0.0, 1.0)])
METHODS = ", ".join(Method.members)
MOVE = "at the start; move it or the start pose"


class Says:
    """A controller that always gives the same answer."""

    def __init__(self, answer, period=0.01):
        self.answer, self.period = answer, period

    def command(self, _observation):
        return self.answer


class Timeless:
    def __repr__(self):
        return "Timeless()"

    def command(self, _observation):
        return [0.0, 0.0]


def sim(robot=ROBOT, world=None, controller=None, duration=0.1, **more):
    return lambda: sp.simulate(robot, world, controller, duration, **more)


@functools.cache
def state() -> sp.State:
    return sp.simulate(ROBOT, duration=0.01).state


def continued(robot=ROBOT, world=None, **more):
    return lambda: sp.simulate(robot, world, None, 0.1, start=state(), **more)


def test_the_clock():
    keys = {
        "time_step": "clock.time_step",
        "duration": "clock.duration",
        "record_period": "record.period",
    }
    for name, key in keys.items():
        for value, allowed in {
            -1.0: "it must be greater than 0",
            0.0: "it must be greater than 0",
            NAN: "it must be a finite number",
            "1": "it must be a number",
            None: "it must be a number",
        }.items():
            assert refusal(sim(**{name: value})) == f"{key} = {value!r} is not allowed: {allowed}"


@sentences(
    (sim(robot="aiko"), "robot = 'aiko' is not allowed: it must be a Robot"),
    (sim(world=sp.Coulomb(0.2)), "world = Coulomb(mu=0.2) is not allowed: it must be a World"),
    (sim(start={"x": 1.0}), "start = {'x': 1.0} is not allowed: it must be a Start or State"),
    (sim(progress=3), "progress = 3 is not allowed: it must be True, False or a function"),
    # Where it starts.
    (sim(start=sp.Start(link=3)), "start.link = 3 is not allowed: the robot has links 0 to 2"),
    (sim(start=sp.Start(link=-1)), "start.link = -1 is not allowed: the robot has links 0 to 2"),
    (sim(start=sp.Start(joint_angles_deg=(1.0,))), "start.joint_angles_deg has 1 entries, but the robot has 2 joints"),
    (sim(start=sp.Start(joint_rates_deg=(1.0, 2.0, 3.0))), "start.joint_rates_deg has 3 entries, but the robot has 2 joints"),
    (sim(LIMITED, start=sp.Start(joint_angles_deg=(5.0, 20.0))), "joint 1 starts at 20 deg, outside its limits_deg = (-10, 10); change the start shape or the limits"),
    (sim(LIMITED, None, sp.Serpenoid(40.0, 10.0, 90.0)), "joint 0 starts at 40 deg, outside its limits_deg = (-10, 10); change the start shape or the limits"),
    (sim(TOLD, None, sp.Serpenoid(40.0, 10.0, 90.0), start=sp.Start(joint_angles_deg=(5.0, 0.0))), "start.joint_angles_deg[0] = 5 is not allowed: joint 0 is prescribed to start at 40 deg"),
    (continued(sp.robots.aiko()), "the state has 3 links, but the robot has 11"),
    (continued(world=sp.World(loads=[sp.Disc(5, 0, 1, radius=0.1)])), "the state has 0 loads, but the world has 1"),
    (continued(time_step=2e-3), "clock.time_step = 0.002 is not allowed: the state to continue from has 0.001 s"),
    # Controllers.
    (sim(controller=Timeless()), "controller = Timeless() is not allowed: it must be a gait, None, or have a period and a command method"),
    (sim(controller=Says), f"controller = {Says!r} is not allowed: it must be a gait, None, or have a period and a command method; that is a class, give one of it: Says(...)"),
    (sim(controller=sp.Serpenoid), f"controller = {sp.Serpenoid!r} is not allowed: it must be a gait, None, or have a period and a command method; that is a class, give one of it: Serpenoid(...)"),
    (sim(controller="reflex.py:Reflex"), "controller = 'reflex.py:Reflex' is not allowed: it must be a gait, None, or have a period and a command method; name it as PythonController('reflex.py:Reflex')"),
    (sim(controller="reflex"), "controller = 'reflex' is not allowed: it must be a gait, None, or have a period and a command method"),
    (lambda: sp.Serpenoid(30, 80, 40) + Says, f"{Says!r} is no controller; that is a class, give one of it: Says(...)"),
    (lambda: "reflex.py:Reflex" + sp.Follower(30, 80, 0.1), "'reflex.py:Reflex' is no controller; name it as PythonController('reflex.py:Reflex')"),
    *((sim(controller=Says([0.0, 0.0], period)), f"controller.period = {period!r} is not allowed: it must be a finite number greater than 0 (s)") for period in (0.0, NAN, "a", None)),
    (sim(controller=Says([0.0, 0.0], 1.5e-3)), "controller.period = 0.0015 is not allowed: it must be a whole multiple of clock.time_step, 0.001 s"),
    # Methods.
    (sim(solver="newtn"), f"solver = 'newtn' is not known (did you mean 'newton'?); there are {METHODS}"),
    (sim(solver="mujoco"), f"solver = 'mujoco' is not known; there are {METHODS}"),
    (sim(solver=sp.Newton), f"solver = {sp.Newton!r} is not known; there are {METHODS}"),
)  # fmt: skip
def test_simulate(call, words):
    assert refusal(call) == words


SOFT, HARD = sp.Compliant(stiffness=350.0, damping=15.0), sp.Hard()
LOADS = "at the start; move the load or the start pose"


def with_loads(*loads, **more):
    return sim(BLOCK, sp.World(loads=loads, **more))


def in_ground(contact):
    world = sp.World(plane="vertical", terrain=sp.Flat(0.5, contact=contact), contact_at="axis")
    return sim(sp.robots.koopaee(), world, start=sp.Start(y=-0.01))


@sentences(
    (sim(world=sp.World(pegs=[sp.Peg(5.0, 0.0, 0.1), sp.Peg(0.0, 0.1, 0.1)])), f"world.pegs[1] at (0, 0.1) m overlaps link 1 by 20 mm {MOVE}"),
    # Through its middle: the radius, and half of what is straight.
    (sim(world=sp.World(walls=[WALL])), f"world.walls[0] between (0, -1) and (0, 1) m overlaps link 1 by 50 mm {MOVE}"),
    (continued(world=sp.World(pegs=[sp.Peg(0.0, 0.0, 0.01)])), f"world.pegs[0] at (0, 0) m overlaps link 1 by 30 mm {MOVE}"),
    (with_loads(sp.Disc(0.05, 0.05, 1, radius=0.1)), f"world.loads[0] overlaps link 0 by 70 mm {LOADS}"),
    # A bar that lies across the link: no corner of either is in the other.
    (with_loads(sp.Box(0.0, 0, 1, width=0.02, height=1.0)), f"world.loads[0] overlaps link 0 by 30 mm {LOADS}"),
    (with_loads(sp.Box(2, 0, 1, width=0.1, height=0.1), sp.Disc(2.1, 0, 1, radius=0.06)), f"world.loads[0] overlaps load 1 by 10 mm {LOADS}"),
    (with_loads(sp.Disc(2, 0.1, 1, radius=0.05), pegs=[sp.Peg(2, 0, 0.1)]), f"world.loads[0] overlaps world.pegs[0] at (2, 0) m by 50 mm {LOADS}"),
    (with_loads(sp.Box(2.02, 0, 1, width=0.1, height=0.1), walls=[sp.Wall(((2, -1), (2, 1)))]), f"world.loads[0] overlaps world.walls[0] between (2, -1) and (2, 1) m by 30 mm {LOADS}"),
    *((in_ground(contact), "world.terrain is entered by link 0, 10 mm deep at the start; start higher") for contact in (SOFT, HARD)),
)  # fmt: skip
def test_overlaps_at_the_start(call, words):
    assert refusal(call, Overlap) == words


TORQUE = sp.Scenario(robot=ROBOT, controller=sp.ConstantTorque((0.1, 0.2)))


@sentences(
    (lambda: sp.Batch([TORQUE]).command(), "a robot of this batch has a controller of its own; make the batch with commanded=True to add to its commands, or leave controller out of its scenario"),
    (lambda: sp.simulate_batch([TORQUE], progress=3), "progress = 3 is not allowed: it must be True or False"),
    (lambda: sp.simulate_batch([TORQUE], {"seed": [1]}), "scenarios = list is not allowed beside parameters: it must be one Scenario"),
)  # fmt: skip
def test_batches(call, words):
    assert refusal(call) == words


def test_scenarios_that_only_python_or_a_state_can_run():
    shaken = sp.simulate(ROBOT, None, Says([0.0, 0.0]), 0.01).scenario
    name = f"{Says.__module__}.Says"
    words = f"controller = {name} is not allowed here: only Python code knows it"
    assert refusal(shaken.run) == words
    words = "continued = True is not allowed without a state: run it with start=, the state in which the earlier run ended"
    assert refusal(continued()().scenario.run) == words


def test_numpy_clock_is_a_clock():
    """And it is kept as plain numbers: a run can be written whatever it was called with."""
    clock = {"time_step": 2.0**-10, "record_period": 2.0**-7, "duration": 0.125}
    run = sp.simulate(ROBOT, **{name: np.float32(value) for name, value in clock.items()})
    told = run.scenario
    found = (told.clock.time_step, told.record.period, told.clock.duration)
    assert found == tuple(clock.values())
    assert run.dataset.attrs["scenario"]
    assert run.time.dtype == np.float64


# ------------------------------------------------------------------------------- extreme values

GAIT = sp.Serpenoid(amplitude_deg=30.0, frequency_deg=90.0, phase_deg=-40.0)

EXTREME = {
    "light": {"link": {"mass": 1e-12}},
    "heavy": {"link": {"mass": 1e12}},
    "short": {"link": {"length": 1e-6, "radius": 2e-7}},
    "long": {"link": {"length": 1e6, "radius": 2e5}},
    "thin": {"link": {"radius": 1e-9}},
    "thick": {"link": {"radius": 1e9, "self_contact": False}},
    "of all weights": {"link": {"mass": [1e-12, 1.0, 1e12, 1e-12, 1.0]}},
    "small inertia": {"link": {"inertia": 1e-15}},
    "stiff": {"link": {"actuator": sp.Servo(kp=1e12, kd=0.0)}},
    "damped": {"link": {"actuator": sp.Servo(kp=0.0, kd=1e12)}},
    "weak": {"link": {"actuator": sp.Servo(kp=1e6, kd=0.0, torque_limit=1e-12)}},
    "tiny step": {"time_step": 1e-12},
    "large step": {"time_step": 0.1},
    "rough": {"world": {"friction": sp.Coulomb(1e6)}},
    "smooth": {"world": {"friction": sp.Coulomb(1e-12)}},
    "tar": {"world": {"friction": sp.Viscous(along=1e12, across=1e12)}},
    "no gravity": {"world": {"gravity": 0.0}},
    "great gravity": {"world": {"gravity": 1e9}},
    "cliff": {"world": {"slope_deg": 89.999}},
    "far away": {"start": {"x": 1e15}, "world": {"pegs": [sp.Peg(1e15, 1.0, 0.1)]}},
    "needle": {"world": {"pegs": [sp.Peg(0.0, 0.2, 1e-12)]}},
    "pegs far apart": {"world": {"pegs": [sp.Peg(-1e9, 0.0, 0.1), sp.Peg(1e9, 1e9, 0.1)]}},
    "short wall": {"world": {"walls": [sp.Wall(points=[(0.0, 0.2), (1e-12, 0.2)])]}},
}


@pytest.mark.parametrize("case", EXTREME.values(), ids=EXTREME)
def test_extreme_but_possible_runs(case):
    """A hundred steps, no warning (pytest makes it an error), everything finite, angles sane."""
    robot = sp.Robot.uniform(5, **(LINK | case.get("link", {})))
    world = sp.World(**({"friction": sp.Coulomb(0.2)} | case.get("world", {})))
    dt = case.get("time_step", 1e-3)
    run = sp.simulate(
        robot,
        world,
        GAIT,
        100 * dt,
        start=sp.Start(**case.get("start", {})),
        time_step=dt,
        record_period=10 * dt,
    )
    for name, column in run.columns.items():
        assert np.isfinite(column).all(), name
    # The gait stays within 30 deg; a servo that overshoots twofold would be off.
    assert np.abs(run.columns["joint_angle"]).max() < math.radians(60)


STOPPING = {
    "massless": ({"mass": 1e-300}, {}, GAIT),
    "without length": ({"length": 1e-150, "radius": 1e-150}, {}, GAIT),
    "spinning": ({}, {"spin_deg": 1e9}, GAIT),
    "beyond squares": ({}, {"velocity": (1e200, 0.0)}, GAIT),
    "buzzing": ({}, {}, sp.Serpenoid(30.0, 1e9, -40.0)),
    "winding": ({}, {}, sp.Serpenoid(1e8, 90.0, -40.0)),
}


@pytest.mark.parametrize(("link", "start", "gait"), STOPPING.values(), ids=STOPPING)
def test_impossible_values_stop_with_a_reason(link, start, gait):
    with pytest.raises(
        (sp.SimulationStopped, sp.InvalidInput),
        match=r"^(stopped at t = .+; try .+|.+ is not allowed: .+)$",
    ):
        sp.simulate(
            sp.Robot.uniform(5, **(LINK | link), self_contact=False),
            sp.World(friction=sp.Coulomb(0.2)),
            gait,
            0.1,
            start=sp.Start(**start),
        )
