"""The tasks: for each a scenario, how episodes begin, its observations and its rewards."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from serpenoid.envs import goals, terms
from serpenoid.envs.goals import End, Goal
from serpenoid.envs.terms import Reward, Term
from serpenoid.envs.variation import Draw
from serpenoid.model import robots
from serpenoid.model.actuator import SeriesElastic, Servo
from serpenoid.model.contact import Compliant, Contact
from serpenoid.model.fields import RandomPegs
from serpenoid.model.friction import OrthotropicCoulomb
from serpenoid.model.loads import Disc
from serpenoid.model.robot import Joint, Robot, Wheels
from serpenoid.model.start import Start
from serpenoid.model.terrain import Stairs
from serpenoid.scenario.scenario import Scenario
from serpenoid.scenario.sections import Place

# Points to be reached in turn, m.
Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Need:
    """What a scenario must have for a task.

    Attributes:
        words: What it is, as in "the task needs ...", and where it is in a scenario.
        holds: Function that says whether a scenario has it.
    """

    words: str
    holds: Callable[[Scenario], bool]


@dataclass(frozen=True)
class Task:
    """A task of an environment.

    Attributes:
        words: One sentence for the documentation.
        scenario: Function that makes the task's own scenario, with motors that follow torques if
            its argument is true, otherwise with servos.
        draw: Function that draws the start and the place of things for an episode in it.
        observation: Terms of the observation.
        rewards: Parts of the reward.
        goal: The goal, if there is one.
        goals: Function that draws the points to be reached, for a scenario before `draw`.
        ends: Other conditions that end an episode.
        needs: What other scenarios must have.
        joint_deg: Joint angle that 1 in an action stands for, deg.
        joint_torque: Joint torque that 1 in an action stands for, N m.
        steps: Number of control periods in an episode.
    """

    words: str
    scenario: Callable[[bool], Scenario]
    draw: Callable[[Draw, Scenario], Scenario]
    observation: tuple[Term, ...]
    rewards: tuple[Reward, ...]
    goal: Goal | None = None
    goals: Callable[[Draw, Scenario], Points] = lambda *_: ()
    ends: tuple[End, ...] = ()
    needs: tuple[Need, ...] = ()
    joint_deg: float = 60.0
    joint_torque: float = 3.0
    steps: int = 400


TASKS: dict[str, Task] = {}

_LIMITS_DEG = (-90.0, 90.0)
_BODY = (terms.joint_angle, terms.joint_rate, terms.heading, terms.velocity, terms.spin)


# Damping of motors that are driven by torques, N m s/rad: none would spin up without end.
_MOTOR_DAMPING = 0.2


def _gains(torque: bool, kp: float, kd: float) -> tuple[float, float]:
    return (0.0, _MOTOR_DAMPING) if torque else (kp, kd)


def _snake(torque: bool, links: int = 8, kd: float = 1.0, **options: Any) -> Robot:
    """Eight links, 1.12 m, 6.4 kg, if not told otherwise."""
    drive = Servo(*_gains(torque, 20.0, kd), torque_limit=6.0)
    body: dict[str, Any] = {"length": 0.14, "mass": 0.8, "radius": 0.03, "name": "snake"} | options
    return Robot.uniform(links, actuator=drive, limits_deg=_LIMITS_DEG, **body)


def _near_straight(draw: Draw, scenario: Scenario, **place: Any) -> Start:
    """Start in a random shape, almost straight, so that episodes differ."""
    joints = len(scenario.built[0].joints)
    return Start(joint_angles_deg=draw.uniforms(1.5, joints), **place)


def _in_frame(start: Start, points: Points) -> Points:
    """Points in the frame of a start, in the plane, m."""
    angle = math.radians(start.heading_deg)
    c, s = math.cos(angle), math.sin(angle)
    return tuple((start.x + c * x - s * y, start.y + s * x + c * y) for x, y in points)


_FLAT = Need(
    "a horizontal plane (world.plane)", lambda scenario: scenario.world.plane == "horizontal"
)

# ----------------------------------------------------------------------------------------- Crawl


def _crawl(torque: bool) -> Scenario:
    return Scenario(robot=_snake(torque), friction=OrthotropicCoulomb(along=0.05, across=0.5))


def _any_heading(draw: Draw, scenario: Scenario) -> Scenario:
    start = _near_straight(draw, scenario, heading_deg=draw.uniform(-10.0, 10.0))
    return replace(scenario, start=start)


TASKS["Crawl-v0"] = Task(
    "Forward on the flat: ground that is ten times as rough across the links as along them.",
    _crawl,
    _any_heading,
    (*_BODY, terms.off_axis),
    (terms.forward, terms.ctrl),
)

# -------------------------------------------------------------------------------------- PegField

_FIELD = RandomPegs(
    count=80,
    region=(-0.8, 2.8, -0.6, 0.6),
    radius=(0.02, 0.04),
    clearance=0.1,
    # Wide enough for any shape to start in.
    keep_clear=tuple((x, 0.0, 0.1) for x in np.linspace(-0.6, 0.6, 13).tolist()),
)


def _peg_field(torque: bool) -> Scenario:
    thin = _snake(torque, links=12, length=0.1, mass=0.4, kd=0.5, name="thin snake")
    friction = OrthotropicCoulomb(along=0.2, across=0.2)
    return Scenario(robot=thin, world=Place(field=_FIELD), friction=friction)


def _other_pegs(draw: Draw, scenario: Scenario) -> Scenario:
    start = _near_straight(draw, scenario)
    return replace(scenario, start=start, seed=draw.seed())


TASKS["PegField-v0"] = Task(
    "Through a random field of pegs, on ground with the same friction all ways: only pegs help.",
    _peg_field,
    _other_pegs,
    (*_BODY, terms.off_axis, terms.contact_force),
    (terms.forward, terms.arrival, terms.ctrl),
    goals.beyond(2.2),
    ends=(goals.outside(1.4, 1.0),),
    needs=(
        _FLAT,
        Need(
            "something fixed to push against (world.pegs, world.walls or world.field)",
            lambda scenario: bool(scenario.built[1].pegs or scenario.built[1].walls),
        ),
    ),
    steps=600,
)

# ------------------------------------------------------------------------------------ PathFollow

_LEGS, _LEG = 4, 0.8


def _straight_ahead(draw: Draw, scenario: Scenario) -> Scenario:
    return replace(scenario, start=_near_straight(draw, scenario))


def _waypoints(draw: Draw, scenario: Scenario) -> Points:
    """Points ahead of the start."""
    point, direction, points = (0.3, 0.0), 0.0, []
    for _ in range(_LEGS):
        direction += math.radians(draw.uniform(-45.0, 45.0))
        point = (point[0] + _LEG * math.cos(direction), point[1] + _LEG * math.sin(direction))
        points.append(point)
    return _in_frame(scenario.start, tuple(points))


TASKS["PathFollow-v0"] = Task(
    "From waypoint to waypoint, of which there are four, 0.8 m apart.",
    _crawl,
    _straight_ahead,
    (*_BODY, terms.goals),
    (terms.approach(terms.centre), replace(terms.arrival, weight=0.25), terms.ctrl),
    goals.within(0.25, terms.centre, _LEGS),
    _waypoints,
    needs=(_FLAT,),
    steps=800,
)

# ---------------------------------------------------------------------------------------- Stairs

_STAIRS = Stairs(
    height=0.05,
    tread=0.25,
    steps=3,
    friction=0.82,
    contact=Compliant(stiffness=350.0, damping=15.0),
)


def _elastic(torque: bool) -> Robot:
    """The robot of `robots.koopaee`, with joint limits."""
    robot = robots.koopaee("half_length_007")
    drive = robot.joints[0].actuator
    assert isinstance(drive, SeriesElastic)
    kp, kd = _gains(torque, drive.kp, drive.kd)
    joint = Joint(actuator=replace(drive, kp=kp, kd=kd, torque_limit=5.0), limits_deg=_LIMITS_DEG)
    return replace(robot, joints=(joint,) * len(robot.joints))


def _stairs(torque: bool) -> Scenario:
    world = Place(plane="vertical", contact_at="axis", terrain=_STAIRS)
    robot = _elastic(torque)
    return Scenario(robot=robot, world=world, start=_with_head_at(-0.2, robot))


def _with_head_at(x: float, robot: Robot) -> Start:
    """Straight, because a bent robot would start inside the ground."""
    joints = len(robot.joints)
    return Start(link=joints, x=x, joint_angles_deg=(0.0,) * joints)


def _before_the_stairs(draw: Draw, scenario: Scenario) -> Scenario:
    start = _with_head_at(draw.uniform(-0.3, -0.1), scenario.built[0])
    return replace(scenario, start=start)


TASKS["Stairs-v0"] = Task(
    "Up three stairs, seen from the side, with motors behind springs that feel the ground.",
    _stairs,
    _before_the_stairs,
    (*_BODY, terms.spring_torque, terms.contact_force, terms.terrain_ahead(0.08, 8)),
    (terms.forward, terms.arrival, terms.ctrl),
    goals.beyond(0.9),
    ends=(goals.outside(2.0, 2.0),),
    needs=(
        Need(
            "a vertical plane with terrain (world.plane, world.terrain)",
            lambda scenario: scenario.world.terrain is not None,
        ),
    ),
    steps=800,
)

# ------------------------------------------------------------------------------------------ Push


def _push(torque: bool) -> Scenario:
    load = Disc(x=0.9, y=0.0, mass=1.0, radius=0.15, friction=0.3)
    world = Place(loads=(load,), contact=Contact(friction=0.3))
    return Scenario(robot=_snake(torque, wheels=Wheels(mu=0.6)), world=world)


def _other_place(draw: Draw, scenario: Scenario) -> Scenario:
    start = _near_straight(draw, scenario)
    load, *others = scenario.world.loads
    moved = replace(load, x=draw.uniform(0.85, 0.95), y=draw.uniform(-0.08, 0.08))
    loads = (moved, *others)
    return replace(scenario, start=start, world=replace(scenario.world, loads=loads))


def _beyond_the_load(draw: Draw, scenario: Scenario) -> Points:
    """A point beyond the load, seen from the start."""
    load = scenario.world.loads[0]
    goal = (draw.uniform(0.7, 1.0), draw.uniform(-0.3, 0.3))
    return _in_frame(replace(scenario.start, x=load.x, y=load.y), (goal,))


TASKS["Push-v0"] = Task(
    "A disc of 1 kg to a goal, by a robot on wheels that slide when pushed too hard.",
    _push,
    _other_place,
    (*_BODY, terms.load, terms.contact_force),
    (
        terms.approach(terms.load_centre),
        terms.reach,
        replace(terms.arrival, weight=0.25),
        terms.ctrl,
    ),
    goals.within(0.1, terms.load_centre, 1),
    _beyond_the_load,
    ends=(goals.outside(2.0, 2.0),),
    needs=(Need("a load to push (world.loads)", lambda scenario: bool(scenario.world.loads)),),
    steps=600,
)
