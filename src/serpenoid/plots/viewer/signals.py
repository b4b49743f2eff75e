"""Signals of a page: what else a run recorded, for its charts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import VARIABLES, Variable
from serpenoid.plots.viewer.channels import Channel, Over

# Parts of the largest value that signals are rounded to.
FINENESS = 30_000
# Columns that the page has, or can tell, from what it draws.
_DRAWN = {
    *("x", "y", "theta", "joint_angle", "joint_rate", "sticking"),
    *("contact_force", "friction_force"),
    *("load_x", "load_y", "load_theta", "load_force", "load_friction", "spring_torque"),
}
# What a row of a column holds of the time since the row before; others hold a moment.
_OVER: dict[str, Over] = {
    "joint_torque": "mean",
    "iterations": "sum",
    "multiplier_updates": "sum",
    "law_residual": "largest",
    "penetration": "largest",
    "step_energy_residual": "largest",
    "halvings": "sum",
    "integrator_steps": "sum",
    "located_events": "sum",
    "unresolved_modes": "sum",
}
# Short names where the column's own words would not say enough; entries of the ledger have labels.
_NAMES = {
    "x": "link position x",
    "y": "link position y",
    "theta": "link angle",
    "vx": "link velocity x",
    "vy": "link velocity y",
    "omega": "link angular velocity",
    "joint_reference": "commanded joint angle",
    "joint_torque": "actuator torque",
    "reference_wave": "command: body wave",
    "reference_adaptation": "command: adaptation",
    "reference_heading": "command: heading",
    "reference_own": "command: own controller",
    "friction_force": "ground friction",
    "joint_phase": "spatial frequency",
    "load_x": "load position x",
    "load_y": "load position y",
    "load_theta": "load angle",
    "load_vx": "load velocity x",
    "load_vy": "load velocity y",
    "load_omega": "load angular velocity",
    "load_force": "contact force on load",
    "load_friction": "ground friction on load",
    "energy_rotor": "energy: rotors",
}
# Told of every run from what is drawn.
_OF_ALL = (
    Variable("speed", "cm/s", ("time",), "speed of the centre of mass"),
    Variable("centre_of_mass", "m", ("time", "axis"), "position of the centre of mass"),
)


def signals(run: Trajectory, drawn: Iterable[str]) -> dict[str, Channel]:
    """Columns that are in the page for its charts alone.

    Args:
        run: The run.
        drawn: Columns that the page has already.
    """
    there = _DRAWN.union(drawn)
    names = [name for name in VARIABLES if name in run.columns and name not in there]
    return {name: _channel(name, run.columns[name]) for name in names}


def _channel(name: str, column: Any) -> Channel:
    values = np.asarray(column, np.float64)
    over: Over = _OVER.get(name, "")
    if not np.isfinite(values).all():
        return Channel(values.astype(np.float32), over=over)
    if np.array_equal(values, np.rint(values)):
        return Channel(values, 1.0, over)
    return Channel(values, float(np.abs(values).max(initial=0.0)) / FINENESS, over)


def described(runs: Iterable[Trajectory]) -> list[dict[str, Any]]:
    """The signals that at least one of some runs has.

    Args:
        runs: The runs.

    Returns:
        Of each signal its name, label, unit and meaning, whether it is a column, what there is one
        for each of ('link', 'joint', 'load' or nothing) and the names of its parts, as of x and y;
        empty for a single one.
    """
    columns = {name for run in runs for name in run.columns}
    recorded = (variable for name, variable in VARIABLES.items() if name in columns)
    return [_description(variable) for variable in (*_OF_ALL, *recorded)]


def _label(variable: Variable) -> str:
    """A short name, with a capital."""
    words = f"energy: {variable.label}" if variable.label else variable.name.replace("_", " ")
    words = _NAMES.get(variable.name, words)
    return words[0].upper() + words[1:]


def _description(variable: Variable) -> dict[str, Any]:
    each = [dim for dim in variable.dims if dim in ("link", "joint", "load")]
    return {
        "name": variable.name,
        "label": _label(variable),
        "recorded": variable.name in VARIABLES,
        "unit": "" if variable.unit == "1" else variable.unit,
        "meaning": variable.meaning,
        "of": each[0] if each else "",
        "parts": ["x", "y"] if "axis" in variable.dims else [],
    }
