"""The ground, pegs, walls and terrain."""

from __future__ import annotations

import itertools
import math
from xml.etree import ElementTree as ET

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.export.mjcf_elements import THIN, Frame, Value, add, note
from serpenoid.export.mjcf_robot import has_feet
from serpenoid.kernels.layout import Floats
from serpenoid.model.contact import Contact
from serpenoid.model.robot import Robot
from serpenoid.model.surfaces import surface_of
from serpenoid.model.terrain import Terrain
from serpenoid.model.world import World

# How far a terrain goes on beyond its ends, and how wide it is, m.
_BEYOND, _WIDTH = 20.0, 0.5
# Thickness of the boxes that terrain is made of: at most, and at least, m.
_THICKEST, _THINNEST = 1.0, 1e-3


def add_surroundings(world_body: ET.Element, world: World, frame: Frame) -> None:
    """Add ground, pegs, walls and terrain."""
    if not frame.vertical:
        note(world_body, "the ground; it touches the feet alone")
        add(
            world_body, "geom", name="ground", type="plane", size=(0, 0, 1), rgba=(0.9, 0.9, 0.9, 1)
        )
    for k, peg in enumerate(world.pegs):
        height = max(frame.height, peg.radius)
        shape: dict[str, Value] = {"size": (peg.radius, height), "pos": frame.place(peg.x, peg.y)}
        if frame.vertical:
            shape["zaxis"] = frame.turn
        law = friction_of(peg.contact or world.contact)
        add(world_body, "geom", class_="obstacle", name=f"peg{k}", type="cylinder", **shape, **law)
    for k, wall in enumerate(world.walls):
        law = friction_of(wall.contact or world.contact)
        for piece, (a, b) in enumerate(itertools.pairwise(wall.points)):
            shape = {"size": THIN, "fromto": (*frame.place(*a), *frame.place(*b))}
            name = f"wall{k}.{piece}"
            add(world_body, "geom", class_="obstacle", name=name, type="capsule", **shape, **law)
    if world.terrain is not None:
        _add_terrain(world_body, world, frame)


def friction_of(law: Contact) -> dict[str, Value]:
    """Friction of a contact law, as values of a geom."""
    return {"condim": 3, "friction": (law.friction, 0, 0)} if law.friction else {}


def _add_terrain(world_body: ET.Element, world: World, frame: Frame) -> None:
    """Add one box below each piece of the terrain, its top side on the line."""
    terrain = world.terrain
    assert terrain is not None
    note(world_body, "the terrain: one box below each of its pieces")
    line, friction = terrain.polyline(), np.pad(terrain.frictions(), 1, mode="edge")
    reach = np.array([_BEYOND, 0.0])
    line = np.concatenate([line[:1] - reach, line, line[-1:] + reach])
    thin = THIN if world.contact_at == "axis" else 0.0
    for k, (a, b) in enumerate(itertools.pairwise(line)):
        along = (b - a) / math.hypot(*(b - a))
        down = np.array([along[1], -along[0]])
        depth = _depth(terrain, a, b, down)
        middle = (a + b) / 2 + (depth / 2 + thin) * down
        add(
            world_body,
            "geom",
            class_="terrain",
            name=f"terrain{k}",
            pos=frame.place(*middle),
            size=(math.hypot(*(b - a)) / 2, _WIDTH, depth / 2),
            xyaxes=(along[0], 0, along[1], 0, 1, 0),
            condim=3 if friction[k] else 1,
            friction=(friction[k], 0, 0),
        )


def _depth(terrain: Terrain, a: Floats, b: Floats, down: Floats) -> float:
    """Thickness of the box below a piece that does not stick out of the ground elsewhere, m."""
    depth = _THICKEST
    while depth >= _THINNEST:
        corners = np.linspace(a, b, 9) + depth * down
        if (corners[:, 1] <= terrain.level(corners[:, 0]) + 1e-9).all():
            return depth
        depth /= 2
    raise InvalidInput(
        f"world.terrain between ({a[0]:g}, {a[1]:g}) and ({b[0]:g}, {b[1]:g}) cannot be exported "
        "to MuJoCo: the boxes below it would stick out; corners must be blunter than 90 deg"
    )


def add_ground_contact(root: ET.Element, robot: Robot, world: World) -> None:
    """Add dry friction between feet and ground, along and across each link."""
    if not has_feet(world):
        return
    contact = add(root, "contact")
    note(contact, "dry friction: along and across the link, none against turning and rolling")
    for i, ground in enumerate(surface_of(world.friction, robot)):
        friction = (ground.forward, ground.side, 0, 0, 0)
        add(contact, "pair", class_="foot", geom1="ground", geom2=f"foot{i}", friction=friction)
