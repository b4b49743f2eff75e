"""A run as the compact JSON that the viewer page reads."""

from __future__ import annotations

import base64
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.plots.viewer.scene import contact_reach, extent, friction_reach, waypoints
from serpenoid.trajectory import Floats, Trajectory

# Characters of base64 text for all frames together.
_BUDGET = 2_300_000
# Coarsest steps that positions, m, and angles, deg, are rounded to.
_POSITION_STEP = 1e-4
_ANGLE_STEP_DEG = 0.01
# An entry of the ledger that never reaches this part of the largest one is left out.
_SMALL = 1e-3

# Column of the ledger: its name on the page, and the colour of the style sheet it is drawn in.
_LEDGER = {
    "energy_actuator": ("actuators", "actuator"),
    "energy_friction": ("dry friction", "ground"),
    "energy_damping": ("viscous friction", "damping"),
    "energy_impact": ("impacts", "contact"),
    "energy_gravity": ("gravity", "gravity"),
    "energy_kinetic": ("kinetic", "kinetic"),
    "energy_numerical": ("hinge closing", "other"),
    "energy_residual": ("residual", "stick"),
}


@dataclass(frozen=True)
class Channel:
    """Values of every frame, (frames, ...), kept as whole multiples of a step; 0 keeps floats."""

    values: npt.NDArray[Any]
    step: float = 0.0

    @property
    def type(self) -> str:
        """The smallest NumPy type that holds the values."""
        if self.step == 0:
            return self.values.dtype.str[1:]
        largest = float(np.abs(self.values).max(initial=0.0)) / self.step
        fitting = (size for size in (1, 2, 4) if largest < 2 ** (8 * size - 1) - 1)
        return next((f"i{size}" for size in fitting), "f8")

    def pack(self) -> dict[str, Any]:
        """Type, step and little-endian base64 text."""
        values, step = self.values, 1.0
        if self.type.startswith("i"):
            values, step = np.rint(values / self.step), self.step
        raw = np.ascontiguousarray(values, "<" + self.type).tobytes()
        return {"type": self.type, "step": step, "data": base64.b64encode(raw).decode("ascii")}

    def characters(self) -> float:
        """Length of the base64 text of a frame."""
        width = np.dtype(self.type).itemsize
        return math.prod(self.values.shape[1:]) * width * 4 / 3


def pack(run: Trajectory) -> tuple[str, int]:
    """The run as JSON, and how many of its rows are in it.

    Rows are left out evenly where there are too many; the first and the last one always stay.
    """
    channels = _frames(run) | {f"{name} {k}": c for k, (name, c) in enumerate(_energy(run))}
    rows = len(run.time)
    size = rows * sum(channel.characters() for channel in channels.values())
    stride = max(1, math.ceil(size / _BUDGET))
    kept = np.unique(np.append(np.arange(0, rows, stride), rows - 1))
    packed = {}
    for name, channel in channels.items():
        mean = name in ("contact", "friction")
        values = _means(channel.values, kept) if mean else channel.values[kept]
        packed[name] = Channel(values, channel.step).pack()
    packed["sticking"] = Channel(np.packbits(run.columns["sticking"][kept])).pack()
    robot = run.robot
    page: dict[str, Any] = {name: packed.get(name) for name in _NAMES}
    page |= {
        "energy": [
            {"name": _LEDGER[name][0], "paint": _LEDGER[name][1], "values": packed[f"{name} {k}"]}
            for k, (name, _) in enumerate(_energy(run))
        ],
        "length": [link.length for link in robot.links],
        "radius": [link.radius for link in robot.links],
        "straight": [link.straight_length for link in robot.links],
        "extent": extent(run),
        "contact_reach": contact_reach(run),
        "friction_reach": friction_reach(run),
        "waypoints": waypoints(run),
    }
    return json.dumps(page | _world(run), allow_nan=False, separators=(",", ":")), len(kept)
