"""The tasks: for each a robot, its scenes, its observations and its rewards."""

from __future__ import annotations

import functools
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
from serpenoid.model.fields import random_pegs
from serpenoid.model.loads import Disc
from serpenoid.model.robot import Joint, Robot, Wheels
from serpenoid.model.start import Start
from serpenoid.model.terrain import Stairs
from serpenoid.scenario.scenario import Scenario
from serpenoid.scenario.sections import Place

# Beginning of an episode: the scenario, and the points to be reached in turn, m.
Scene = tuple[Scenario, tuple[tuple[float, float], ...]]


@dataclass(frozen=True)
class Task:
    """A task of an environment.

    Attributes:
        words: One sentence for the documentation.
        robot: Function that makes the robot, with motors that follow torques if its argument is
            true, otherwise with servos.
        scene: Function that draws a scene for a robot.
        observation: Terms of the observation.
        rewards: Parts of the reward.
        goal: The goal, if there is one.
        ends: Other conditions that end an episode.
        varies: Keys that can be randomised.
        joint_deg: Joint angle that 1 in an action stands for, deg.
        joint_torque: Joint torque that 1 in an action stands for, N m.
        steps: Number of control periods in an episode.
    """

    words: str
    robot: Callable[[bool], Robot]
    scene: Callable[[Draw, Robot], Scene]
    observation: tuple[Term, ...]
    rewards: tuple[Reward, ...]
    goal: Goal | None = None
    ends: tuple[End, ...] = ()
    varies: tuple[str, ...] = ("mass", "friction")
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


@functools.cache
def _snake(torque: bool, links: int = 8, kd: float = 1.0, **options: Any) -> Robot:
    """Eight links, 1.12 m, 6.4 kg, if not told otherwise."""
    drive = Servo(*_gains(torque, 20.0, kd), torque_limit=6.0)
    body: dict[str, Any] = {"length": 0.14, "mass": 0.8, "radius": 0.03, "name": "snake"} | options
    return Robot.uniform(links, actuator=drive, limits_deg=_LIMITS_DEG, **body)


def _near_straight(draw: Draw, robot: Robot, **place: Any) -> Start:
    """Start in a random shape, almost straight, so that episodes differ."""
    return Start(joint_angles_deg=draw.uniforms(1.5, len(robot.joints)), **place)


# ----------------------------------------------------------------------------------------- Crawl


def _crawl(draw: Draw, robot: Robot) -> Scene:
    start = _near_straight(draw, robot, heading_deg=draw.uniform(-10.0, 10.0))
    friction = draw.friction(along=0.05, across=0.5)
    return Scenario(robot=robot, friction=friction, start=start), ()


TASKS["Crawl-v0"] = Task(
    "Forward on the flat: ground that is ten times as rough across the links as along them.",
    _snake,
    _crawl,
    (*_BODY, terms.off_axis),
    (terms.forward, terms.ctrl),
)

# -------------------------------------------------------------------------------------- PegField

_PEGS, _FIELD_END, _FIELD_SIDE = 80, 2.8, 0.6


def _peg_field(draw: Draw, robot: Robot) -> Scene:
    start = _near_straight(draw, robot)
    pegs = random_pegs(
        round(_PEGS * draw.factor("pegs")),
        region=(-0.8, _FIELD_END, -_FIELD_SIDE, _FIELD_SIDE),
        radius=(0.02, 0.04),
        clearance=0.1,
        seed=draw.seed(),
        # Wide enough for any shape to start in.
        keep_clear=[(x, 0.0, 0.1) for x in np.linspace(-0.6, 0.6, 13).tolist()],
    )
    friction = draw.friction(along=0.2, across=0.2)
    return Scenario(robot=robot, world=Place(pegs=pegs), friction=friction, start=start), ()


TASKS["PegField-v0"] = Task(
    "Through a random field of pegs, on ground with the same friction all ways: only pegs help.",
    functools.partial(_snake, links=12, length=0.1, mass=0.4, kd=0.5, name="thin snake"),
    _peg_field,
    (*_BODY, terms.off_axis, terms.contact_force),
    (terms.forward, terms.arrival, terms.ctrl),
    goals.beyond(2.2),
    (goals.outside(1.4, 1.0),),
    varies=("mass", "friction", "pegs"),
    steps=600,
)

# ------------------------------------------------------------------------------------ PathFollow

_LEGS, _LEG = 4, 0.8


def _path_follow(draw: Draw, robot: Robot) -> Scene:
    start = _near_straight(draw, robot)
    point, direction, points = (0.3, 0.0), 0.0, []
    for _ in range(_LEGS):
        direction += math.radians(draw.uniform(-45.0, 45.0))
        point = (point[0] + _LEG * math.cos(direction), point[1] + _LEG * math.sin(direction))
        points.append(point)
    friction = draw.friction(along=0.05, across=0.5)
    return Scenario(robot=robot, friction=friction, start=start), tuple(points)


TASKS["PathFollow-v0"] = Task(
    "From waypoint to waypoint, of which there are four, 0.8 m apart.",
    _snake,
    _path_follow,
    (*_BODY, terms.goals),
    (terms.approach(terms.centre), replace(terms.arrival, weight=0.25), terms.ctrl),
    goals.within(0.25, terms.centre, _LEGS),
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


@functools.cache
def _elastic(torque: bool) -> Robot:
    """The robot of `robots.koopaee`, with joint limits."""
    robot = robots.koopaee("half_length_007")
    drive = robot.joints[0].actuator
    assert isinstance(drive, SeriesElastic)
    kp, kd = _gains(torque, drive.kp, drive.kd)
    joint = Joint(actuator=replace(drive, kp=kp, kd=kd, torque_limit=5.0), limits_deg=_LIMITS_DEG)
    return replace(robot, joints=(joint,) * len(robot.joints))


def _stairs(draw: Draw, robot: Robot) -> Scene:
    joints = len(robot.joints)
    # Straight, because a bent robot would start inside the ground.
    start = Start(link=joints, x=draw.uniform(-0.3, -0.1), joint_angles_deg=(0.0,) * joints)
    terrain = replace(_STAIRS, friction=draw.factor("friction") * 0.82)
    world = Place(plane="vertical", contact_at="axis", terrain=terrain)
    return Scenario(robot=robot, world=world, start=start), ()


TASKS["Stairs-v0"] = Task(
    "Up three stairs, seen from the side, with motors behind springs that feel the ground.",
    _elastic,
    _stairs,
    (*_BODY, terms.spring_torque, terms.contact_force, terms.terrain_ahead(_STAIRS, 0.08, 8)),
    (terms.forward, terms.arrival, terms.ctrl),
    goals.beyond(0.9),
    (goals.outside(2.0, 2.0),),
    steps=800,
)

# ------------------------------------------------------------------------------------------ Push


def _push(draw: Draw, robot: Robot) -> Scene:
    start = _near_straight(draw, robot)
    load = Disc(
        x=draw.uniform(0.85, 0.95),
        y=draw.uniform(-0.08, 0.08),
        mass=draw.factor("load"),
        radius=0.15,
        friction=0.3 * draw.factor("friction"),
    )
    goal = (draw.uniform(1.6, 1.9), draw.uniform(-0.3, 0.3))
    world = Place(loads=(load,), contact=Contact(friction=0.3))
    return Scenario(robot=robot, world=world, start=start), (goal,)


TASKS["Push-v0"] = Task(
    "A disc of 1 kg to a goal, by a robot on wheels that slide when pushed too hard.",
    functools.partial(_snake, wheels=Wheels(mu=0.6)),
    _push,
    (*_BODY, terms.load, terms.contact_force),
    (
        terms.approach(terms.load_centre),
        terms.reach,
        replace(terms.arrival, weight=0.25),
        terms.ctrl,
    ),
    goals.within(0.1, terms.load_centre, 1),
    (goals.outside(2.0, 2.0),),
    varies=("mass", "friction", "load"),
    steps=600,
)
