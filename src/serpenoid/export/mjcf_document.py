"""A scenario as a MuJoCo model."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from serpenoid._version import __version__
from serpenoid.engine.own_ticks import OwnTicks
from serpenoid.engine.states import first_state, link_middles
from serpenoid.errors import InvalidInput
from serpenoid.export.exportable import check
from serpenoid.export.mjcf_elements import (
    OBSTACLE_BIT,
    SELF_BIT,
    TERRAIN_BIT,
    Frame,
    Value,
    add,
    note,
)
from serpenoid.export.mjcf_robot import (
    add_actuators,
    add_chain,
    add_tendons,
    has_feet,
    has_spring,
)
from serpenoid.export.mjcf_world import add_ground_contact, add_surroundings, friction_of
from serpenoid.methods.laws import self_contact_law
from serpenoid.model.actuator import SeriesElastic, Servo
from serpenoid.model.contact import Contact
from serpenoid.model.robot import Robot
from serpenoid.scenario.scenario import Scenario

# Ratio of the hardness of contacts along a surface and across it: feet must not creep on soft
# ground, while impacts against terrain are best without any difference.
_ON_FEET, _ELSEWHERE = 1e5, 1.0
# Share of a disturbance that MuJoCo's constraints resist; the rest is what makes them soft.
_OBSTACLES, _GROUND = (0.95, 0.95, 0.001), (0.02, 0.02, 0.001)


def mjcf(scenario: Scenario) -> str:
    """Write the robot and the world of a scenario as MuJoCo XML, with the start pose as a keyframe.

    The gait is not part of the model; its angles and rates are given to MuJoCo as controls.

    Args:
        scenario: The scenario.

    Returns:
        The text of an MJCF file.

    Raises:
        InvalidInput: MuJoCo cannot express a part of the scenario.
        ControllerError: A controller in Python, which is asked for the start pose, fails.
    """
    if not isinstance(scenario, Scenario):
        raise InvalidInput(f"scenario = {scenario!r} is not allowed: it must be a Scenario")
    robot, world = scenario.built
    check(robot, world)
    frame, time_step = Frame.of(robot, world), scenario.clock.time_step
    name = "".join(letter for letter in robot.name if letter.isprintable())
    root = ET.Element("mujoco", model=name)
    note(root, f"Written by serpenoid {__version__}. Link 0 is the tail; SI units.")
    add(root, "compiler", angle="radian", autolimits="true")
    add(
        root,
        "option",
        timestep=time_step,
        gravity=frame.gravity(world),
        integrator="implicitfast",
        solver="Newton",
        cone="elliptic",
        impratio=_ON_FEET if has_feet(world) else _ELSEWHERE,
    )
    _add_defaults(root, time_step, self_contact_law(robot, world))
    world_body = add(root, "worldbody")
    add_surroundings(world_body, world, frame)
    note(world_body, "the robot")
    add_chain(world_body, robot, world, frame)
    add_ground_contact(root, robot, world)
    add_tendons(root, robot, world)
    add_actuators(root, robot, world, time_step)
    _add_start(root, scenario)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _add_defaults(root: ET.Element, time_step: float, law: Contact | None) -> None:
    """Add the softness of contacts, limits and friction, and which things touch."""
    defaults = add(root, "default")
    note(defaults, "contacts as hard as MuJoCo takes them: their time constant is two steps")
    soft = {"solref": (2 * time_step, 1), "solimp": _OBSTACLES}
    limit = {f"{name}limit": value for name, value in soft.items()}
    dry = {f"{name}friction": value for name, value in soft.items()}
    add(defaults, "geom", mass=0, contype=0, conaffinity=0, condim=1, **soft)
    add(defaults, "joint", **limit)
    add(defaults, "tendon", **limit, **dry)
    # Links that touch each other; MuJoCo leaves out those with a hinge between them by itself.
    touching: dict[str, Value] = {}
    if law is not None:
        touching = {"contype": OBSTACLE_BIT | SELF_BIT, "conaffinity": SELF_BIT, **friction_of(law)}
    for kind, values in (
        ("link", {"contype": OBSTACLE_BIT, "rgba": (0.06, 0.46, 0.43, 1)} | touching),
        ("sole", {"contype": TERRAIN_BIT, "type": "capsule", "rgba": (0.06, 0.46, 0.43, 1)}),
        ("foot", {"type": "capsule", "rgba": (0.3, 0.3, 0.3, 1)}),
        ("obstacle", {"conaffinity": OBSTACLE_BIT, "priority": 1, "rgba": (0.6, 0.6, 0.6, 1)}),
        (
            "terrain",
            {"conaffinity": TERRAIN_BIT, "priority": 1, "type": "box", "rgba": (0.8, 0.8, 0.8, 1)},
        ),
    ):
        own = add(defaults, "default", class_=kind)
        add(own, "geom", **values)
        if kind == "foot":
            # Feet that slide must not be lifted, which takes soft ground: the faster they slide and
            # the harder it is, the more MuJoCo pushes them up. Friction may be hard.
            slip = (-1e-9, -2 * _GROUND[0] / time_step)
            springy = {"solref": (2 * time_step, 1), "solimp": _GROUND, "solreffriction": slip}
            add(own, "pair", condim=3, **springy)


def _add_start(root: ET.Element, scenario: Scenario) -> None:
    """Add the start of the scenario as keyframe 0; servos hold its shape."""
    robot, world = scenario.built
    time_step = scenario.clock.time_step
    controller, start = scenario.controller, scenario.start
    told = None
    if start.joint_angles_deg is None:
        own = OwnTicks.of(controller, len(robot.joints), time_step)
        told = own.shape(robot, world, start, time_step) if own is not None else None
    state = first_state(robot, world, controller, start, time_step, told)
    theta, omega = state.theta, state.velocity[:, 2]
    (tail, *_), (velocity, *_) = link_middles(robot, state)
    lifts = [0.0] * len(robot.links) if has_feet(world) else []
    position = [*tail, theta[0], *_spread(robot, np.diff(theta)), *lifts]
    speed = [*velocity, omega[0], *_spread(robot, np.diff(omega)), *lifts]
    held = [
        angle
        for joint, angle in zip(robot.joints, np.diff(theta), strict=True)
        if isinstance(joint.actuator, Servo | SeriesElastic)
    ]
    controls = len(root.findall("actuator/*[@name]"))
    keys = add(root, "keyframe")
    values = {"qpos": position, "qvel": speed}
    if controls:
        values["ctrl"] = [*held, *[0.0] * (controls - len(held))]
    add(keys, "key", name="start", **values)


def _spread(robot: Robot, angles: np.typing.NDArray[np.float64]) -> list[float]:
    """Angles of MuJoCo's joints; springs start without load."""
    spread: list[float] = []
    for joint, angle in zip(robot.joints, angles, strict=True):
        spread += [angle, 0.0] if has_spring(joint) else [angle]
    return spread
