"""A run as the compact values that the viewer page reads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import LEDGER
from serpenoid.model.robot import Link
from serpenoid.model.world import World
from serpenoid.plots.shapes import terrain_line, wheel_size
from serpenoid.plots.viewer.channels import Channel
from serpenoid.plots.viewer.scene import contact_reach, extent, friction_reach, guidance
from serpenoid.plots.viewer.signals import FINENESS, signals
from serpenoid.plots.viewer.touches import touches

Array = npt.NDArray[Any]

# Characters of base64 text of a page: of all frames together and, of these, at least of signals
# that only charts show.
BUDGET = 2_300_000
_SIGNALS_SHARE = 0.2
# Coarsest steps that positions, m, and angles, deg, are rounded to.
_POSITION_STEP = 1e-4
_ANGLE_STEP_DEG = 0.01
# Characters of base64 text of a contact: six numbers of four bytes.
_CONTACT_SIZE = 32
# An entry of the ledger that never reaches this part of the largest one is left out.
_SMALL = 1e-3

# Colours of the style sheet that entries of the ledger are drawn in.
_COLOURS = {
    "energy_actuator": "actuator",
    "energy_friction": "ground",
    "energy_damping": "viscous",
    "energy_impact": "contact",
    "energy_gravity": "gravity",
    "energy_spring": "spring",
    "energy_contact_spring": "forward",
    "energy_contact_damper": "backward",
    "energy_kinetic": "kinetic",
    "energy_residual": "quiet",
}
_LEDGER = {entry.name: entry.label for entry in LEDGER if entry.label}
# Forces and torques that not all runs have.
_PERHAPS = ("contact", "friction", "load_contact", "load_friction", "spring")
# Forces on links, and on loads.
_FORCES = {
    "contact": ("contact_force", "load_force"),
    "friction": ("friction_force", "load_friction"),
}


def pack(run: Trajectory, budget: float = BUDGET) -> tuple[dict[str, Any], list[int]]:
    """A run as nested plain values, which JSON can hold.

    Rows are left out evenly where there are too many; the first and the last one always stay.

    Args:
        run: The run.
        budget: Characters of base64 text that it may take.

    Returns:
        The values; the number of rows that are drawn, and of those that charts alone show.
    """
    channels = _motion(run) | _loads(run) | _forces(run) | _ledger(run)
    if "spring_torque" in run.columns:
        channels["spring"] = Channel(run.columns["spring_torque"].astype(np.float32))
    charted = signals(run, channels)
    rows = len(run.time)
    per_row = sum(channel.characters() for channel in channels.values())
    per_row += _CONTACT_SIZE * len(run.contacts) / rows
    also = sum(channel.characters() for channel in charted.values())
    room = budget - min(_SIGNALS_SHARE * budget, rows * also)
    kept = _kept(np.arange(rows), rows * per_row / room)
    kept_of_charts = _kept(kept, len(kept) * also / (budget - min(room, len(kept) * per_row)))
    packed: dict[str, Any] = {name: c.thinned(kept).pack() for name, c in channels.items()}
    packed["energy"] = [
        {"name": words, "column": name, "paint": _COLOURS.get(name, "other"), "values": values}
        for name, words in _LEDGER.items()
        if (values := packed.pop(name, None))
    ]
    packed["signals"] = {
        "time": Channel(run.time[kept_of_charts]).pack(),
        "values": {name: c.thinned(kept_of_charts).pack() for name, c in charted.items()},
    }
    packed["touches"] = touches(run, kept) if len(run.contacts) else None
    packed = dict.fromkeys(_PERHAPS) | packed | _surroundings(run)
    return packed, [len(kept), len(kept_of_charts)]


def _kept(rows: npt.NDArray[np.intp], times_too_many: float) -> npt.NDArray[np.intp]:
    """Some rows thinned evenly, with the last one."""
    return np.unique(np.append(rows[:: max(1, math.ceil(times_too_many))], rows[-1]))


def _motion(run: Trajectory) -> dict[str, Channel]:
    columns, robot = run.columns, run.robot
    centre = run.centre_of_mass()
    position_step = min(_POSITION_STEP, min(link.radius for link in robot.links) / 100)
    return {
        "time": Channel(run.time),
        "centre": Channel(centre),
        "x": Channel(columns["x"] - centre[:, :1], position_step),
        "y": Channel(columns["y"] - centre[:, 1:], position_step),
        "theta": Channel(columns["theta"], math.radians(_ANGLE_STEP_DEG)),
        "sticking": Channel(np.packbits(columns["sticking"].astype(bool), axis=1)),
        "speed": Channel(100 * np.hypot(*run.centre_velocity().T).astype(np.float32)),
    }


def _forces(run: Trajectory) -> dict[str, Channel]:
    """Forces on links and loads, if there are any."""
    channels = {}
    for kind, (on_links, on_loads) in _FORCES.items():
        for name, column in ((kind, on_links), (f"load_{kind}", on_loads)):
            forces = run.columns.get(column, np.zeros((1, 0, 2)))
            largest = float(np.abs(forces).max(initial=0.0))
            if largest > 0:
                channels[name] = Channel(forces, largest / FINENESS, "mean")
    return channels


def _loads(run: Trajectory) -> dict[str, Channel]:
    """Centres and angles of the loads, if there are any."""
    if not run.world.loads:
        return {}
    step = min(_POSITION_STEP, min(load.reach for load in run.world.loads) / 100)
    return {
        "load_x": Channel(run.columns["load_x"], step),
        "load_y": Channel(run.columns["load_y"], step),
        "load_theta": Channel(run.columns["load_theta"], math.radians(_ANGLE_STEP_DEG)),
    }


def _ledger(run: Trajectory) -> dict[str, Channel]:
    largest = {
        name: float(np.abs(run.columns[name]).max()) for name in _LEDGER if name in run.columns
    }
    limit = _SMALL * max(largest.values())
    # Something to draw even where nothing happens.
    names = [name for name in largest if largest[name] > limit] or ["energy_kinetic"]
    return {name: Channel(run.columns[name].astype(np.float32)) for name in names}


def _surroundings(run: Trajectory) -> dict[str, Any]:
    """The robot's outline and the world, in plain numbers."""
    links, world = run.robot.links, run.world
    pegs = [(peg.x, peg.y, peg.radius) for peg in world.pegs]
    return {
        "length": [link.length for link in links],
        "radius": [link.radius for link in links],
        "straight": [link.straight_length for link in links],
        "wheels": [_wheels(link) for link in links],
        "loads": [{"half": load.half_sizes, "rounding": load.rounding} for load in world.loads],
        "pegs": _single(pegs).pack(),
        "walls": [_single(wall.points).pack() for wall in world.walls],
        "side": world.plane == "vertical",
        "terrain": _single(terrain_line(world)).pack(),
        "grounds": _grounds(world),
        "patches": [
            {
                "x": patch.x,
                "y": patch.y,
                "width": patch.width,
                "height": patch.height,
                "angle": math.radians(patch.angle_deg),
                "label": str(patch.friction) if patch.friction else "no friction",
            }
            for patch in world.patches
        ],
        "slope": {"angle": world.slope_deg, "direction": world.slope_direction_deg}
        if world.slope_deg
        else None,
        **guidance(run),
        "extent": extent(run),
        "contact_reach": contact_reach(run),
        "friction_reach": friction_reach(run),
    }


def _wheels(link: Link) -> dict[str, Any] | None:
    """Where the wheels of a link are beside its axis, their half sizes, and if they are lifted."""
    if link.wheels is None:
        return None
    aside, length, width = wheel_size(link)
    return {"aside": aside, "length": length, "width": width, "lifted": link.wheels.lifted}


def _grounds(world: World) -> list[dict[str, Any]]:
    """Where the friction of the terrain changes: the place, and what it is to either side."""
    if world.terrain is None:
        return []
    line, friction = world.terrain.polyline(), world.terrain.frictions()
    return [
        {"x": float(x), "y": float(y), "left": f"friction {a:g}", "right": f"friction {b:g}"}
        for (x, y), a, b in zip(line[1:-1], friction, friction[1:], strict=False)
        if a != b
    ]


def _single(values: Any) -> Channel:
    return Channel(np.asarray(values, np.float32))
