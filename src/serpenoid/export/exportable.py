"""Checks that a robot and a world can be expressed as a MuJoCo model."""

from __future__ import annotations

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.methods.laws import self_contact_law
from serpenoid.model.actuator import Prescribed, Servo
from serpenoid.model.contact import Hard
from serpenoid.model.robot import Robot
from serpenoid.model.surfaces import ground_laws, surface_of
from serpenoid.model.world import World

MOST_LINKS = 480
"""Bodies are nested in MJCF, and MuJoCo's reader refuses a file that is 500 elements deep."""

GROUND = {"dry_friction", "dry_torque", "viscous"}
"""Laws of the ground that MuJoCo has."""


def check(robot: Robot, world: World) -> None:
    """Check that a robot and a world can be expressed as a MuJoCo model.

    Raises:
        InvalidInput: Something cannot be expressed; the message names the remedy.
    """
    if len(robot.links) > MOST_LINKS:
        _refuse(f"a robot of {len(robot.links)} links", f"it may have {MOST_LINKS} at most")
    for i, link in enumerate(robot.links):
        if link.wheels is not None:
            _refuse(f"the wheels of link {i}", "use kind = 'orthotropic' in [friction]")
    for j, joint in enumerate(robot.joints):
        if isinstance(joint.actuator, Prescribed):
            _refuse(f"joint {j}, which is prescribed,", "use kind = 'servo' in [actuator]")
        if isinstance(joint.actuator, Servo) and joint.actuator.deadband_deg:
            _refuse(f"the deadband of joint {j}", "set deadband_deg = 0 in [actuator]")
    if world.loads:
        _refuse("world.loads", "leave them out")
    if world.patches:
        _refuse("world.patches", "leave them out: its ground is the same everywhere")
    if world.contact_at == "centre" and world.pegs:
        _refuse("world.contact_at = 'centre'", "use 'outline'")
    for kind in ("pegs", "walls"):
        for k, thing in enumerate(getattr(world, kind)):
            law = thing.contact or world.contact
            place = f"world.{kind}[{k}].contact" if thing.contact else "world.contact"
            if law.is_compliant:
                _refuse(f"{place}.stiffness = {law.stiffness:g}", "leave it out: hard contact")
            if law.restitution:
                _refuse(f"{place}.restitution = {law.restitution:g}", "it must be 0")
    own = self_contact_law(robot, world)
    if own is not None and own.restitution:
        place = "world.contact" if robot.self_contact is True else "robot.self_contact"
        _refuse(f"{place}.restitution = {own.restitution:g}", "it must be 0")
    terrain = world.terrain
    if terrain is not None and terrain.contact != Hard():
        _refuse(f"world.terrain.contact = {terrain.contact}", "use kind = 'hard', restitution 0")
    surface = surface_of(world.friction, robot)
    if not set(ground_laws(world.friction)) <= GROUND:
        _refuse(
            f"friction = {world.friction}",
            "use kind = 'coulomb', 'orthotropic', 'spin', 'viscous' or a sum of these",
        )
    if not np.allclose(surface.forward, surface.backward, rtol=1e-9, atol=0.0):
        _refuse(
            f"friction = {world.friction}, which differs forward and backward,",
            "use kind = 'orthotropic'",
        )


def _refuse(what: str, remedy: str) -> None:
    raise InvalidInput(f"{what} cannot be exported to MuJoCo; {remedy}")
