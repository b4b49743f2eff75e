"""Runs in NetCDF files: written whole or not at all, and read back in any version."""

from __future__ import annotations

import dataclasses
import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.engine.assemble import pack_drive
from serpenoid.engine.contact_table import NO_CONTACTS, ContactTable
from serpenoid.engine.prepare import features_of
from serpenoid.engine.state_check import checked_state
from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import CONTACT_LOG, EVENT_LOG, VARIABLES
from serpenoid.errors import InvalidInput, OutputError, first_line
from serpenoid.files import write_bytes
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.methods.method import EVENTS, INTEGRATOR
from serpenoid.model.state import State
from serpenoid.scenario.scenario import Scenario

if TYPE_CHECKING:
    import xarray

# The layout of files: 1 held the scenario in a layout of its own, and counts of 'hybrid' and
# 'explicit' under the names of other counts; up to 2, links passed through each other and there
# were no contacts.
FORMAT = 3


def save(run: Trajectory, path: str | os.PathLike[str]) -> Path:
    """Write a run to a file."""
    # In memory first: a full disk then is an error of ours, not one inside the HDF5 library.
    return write_bytes(path, to_netcdf(run))


def to_netcdf(run: Trajectory) -> memoryview:
    """The content of the file of a run."""
    # Not by way of xarray: to import that, with what it imports, takes longer than a run.
    import h5netcdf

    variables, coordinates, about = run.described()
    attributes: dict[str, Any] = about | {"format": FORMAT}
    if run.columns_format is not None and run.columns_format < FORMAT:
        # Columns that came later are still missing.
        attributes["columns_format"] = run.columns_format
    fields = {field.name: getattr(run.state, field.name) for field in dataclasses.fields(State)}
    state: dict[str, Any] = {
        name: ([f"{name}_{k}" for k in range(np.ndim(value))], value, {})
        for name, value in fields.items()
    }
    content = io.BytesIO()
    with h5netcdf.File(content, "w") as file:
        _write(file, variables | coordinates, attributes)
        _write(file.create_group("state"), state, {"version": State.VERSION})
    return content.getbuffer()


def _write(group: Any, variables: dict[str, Any], attributes: dict[str, Any]) -> None:
    """Write variables, each with its dimensions and attributes, in the way of xarray."""
    import h5py

    group.attrs.update(attributes)
    for name, (dims, values, about) in variables.items():
        data = np.asarray(values)
        names, about = np.atleast_1d(dims) if data.ndim else (), dict(about)
        for dim, size in zip(names, data.shape, strict=True):
            if dim not in group.dimensions:
                group.dimensions[dim] = size
        if data.dtype.kind == "b":
            data, about["dtype"] = data.astype(np.int8), "bool"
        kind = h5py.string_dtype() if data.dtype.kind == "U" else data.dtype
        missing = np.nan if data.dtype.kind == "f" else None
        variable = group.create_variable(name, tuple(names), kind, fillvalue=missing)
        variable.attrs.update(about)
        variable[...] = data


def load(path: str | os.PathLike[str]) -> Trajectory:
    """Read a run back from a NetCDF file.

    Raises:
        OutputError: It cannot be read, or is no run.
    """
    import xarray

    try:
        if Path(path).exists() and not Path(path).is_file():
            raise ValueError("it is not a file")
        with (
            xarray.open_dataset(path, engine="h5netcdf") as stored,
            xarray.open_dataset(path, engine="h5netcdf", group="state") as state,
        ):
            return _unpack(stored.load(), state.load())
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        number = getattr(error, "errno", None)
        if isinstance(number, int):
            words = os.strerror(number)
        elif isinstance(error, OSError):
            words = "it is no NetCDF file of serpenoid, or a damaged one"
        elif isinstance(error, KeyError):
            words = f"it has no {error.args[0]}"
        else:
            words = first_line(error)
        raise OutputError(f"path = {str(path)!r} cannot be read as a run: {words}") from None


def _unpack(stored: xarray.Dataset, state: xarray.Dataset) -> Trajectory:
    attributes = {str(key): str(value) for key, value in stored.attrs.items()}
    version = int(attributes.pop("format", 1))
    if version > FORMAT:
        raise ValueError(f"it was written by a later version of serpenoid, format {version}")
    known = int(attributes.pop("columns_format", version))
    scenario = _scenario(json.loads(attributes.pop("scenario")), version)
    features = features_of(scenario, scenario.controller)
    missing = [
        name
        for name, variable in VARIABLES.items()
        if name not in stored
        and variable.since <= known
        and (not variable.feature or variable.feature in features)
    ]
    columns = {name: stored[name].values for name in ("time", *VARIABLES) if name in stored}
    if missing:
        raise KeyError(missing[0])
    if version == 1:
        columns |= _counts_of_format_1(columns, features)
        known = 2
    columns["sticking"] = columns["sticking"].astype(bool)
    state_version = int(state.attrs.get("version", 1))
    if state_version > State.VERSION:
        raise ValueError("its state was written by a later version of serpenoid")
    values = {str(name): state[name].values for name in state}
    if state_version < 3:
        values |= _loads_of_version_2(values["load"])
    if version < FORMAT:
        values["ledger"] = _whole_ledger(values["ledger"])
    run = Trajectory(
        columns=columns,
        state=_state(values, scenario),
        scenario=scenario,
        attributes=attributes,
        events=_events(stored),
        contacts=_contacts(stored),
        columns_format=known,
    )
    _check(run)
    return run


def _state(values: dict[str, Any], scenario: Scenario) -> State:
    """The state of a stored run, which is to be one of its scenario."""
    (robot, world), step = scenario.built, scenario.clock.time_step
    drive, memory = pack_drive(scenario.controller, len(robot.joints), step)
    numbers = {name: np.asarray(value)[()] for name, value in values.items()}
    return checked_state(numbers, len(robot.links), len(world.loads), drive, memory)


def _scenario(data: Any, version: int) -> Scenario:
    if not isinstance(data, dict):
        raise ValueError("its scenario is no table")
    try:
        if version == 1:
            data = _sections_of_format_1(data)
        if version < 3:
            data = data | {"robot": _robot_of_format_2(data["robot"])}
        scenario = Scenario.from_plain(data)
        _ = scenario.built
    except InvalidInput as error:
        raise ValueError(
            f"its scenario cannot be rebuilt: {error}; if it has a law of your own, import that "
            "first"
        ) from None
    return scenario


def _sections_of_format_1(data: dict[str, Any]) -> dict[str, Any]:
    """The scenario of a file of format 1, in which it was spelt out without sections."""
    world, controller = dict(data["world"]), data["controller"]
    if isinstance(controller, str):
        controller = {"kind": "python", "name": controller}
    return {
        "robot": data["robot"],
        "title": data.get("title", ""),
        "seed": data["seed"],
        "friction": world.pop("friction"),
        "world": world,
        "controller": controller,
        "start": data["start"] or {},
        "continued": data["start"] is None,
        "solver": data["solver"],
        "clock": {"duration": data["duration"], "time_step": data["time_step"]},
        "record": {"period": data["record_period"]},
    }


def _robot_of_format_2(robot: dict[str, Any]) -> dict[str, Any]:
    """A robot whose links pass through each other; one that has only a name knows by itself."""
    return robot if set(robot) == {"name"} else {"self_contact": False} | robot


def _counts_of_format_1(columns: dict[str, Any], features: frozenset[str]) -> dict[str, Any]:
    """What 'hybrid' and 'explicit' counted, under its own names."""
    found: dict[str, Any] = {}
    if INTEGRATOR in features:
        found["integrator_steps"] = columns["iterations"]
    if EVENTS in features:
        found["located_events"] = columns["multiplier_updates"]
        found["unresolved_modes"] = columns["halvings"]
    if found:
        nothing = np.zeros_like(columns["time"])
        found |= dict.fromkeys(("iterations", "multiplier_updates", "halvings"), nothing)
    return found


def _whole_ledger(ledger: Floats) -> Floats:
    """The ledger of an older state, with 0 for entries that came later.

    New entries stand at the end. Works are added up step by step, so a run that goes on from this
    state counts them from here on.
    """
    return np.pad(ledger, (0, max(0, layout.LEDGER_SIZE - len(ledger))))


def _loads_of_version_2(load: Floats) -> dict[str, Floats]:
    """Loads of an older state, whose friction had three multipliers and no support points.

    Multipliers are a guess for the next step, so those of the points begin with 0.
    """
    return {"load": np.delete(load, (9, 10, 11), axis=1), "support": np.zeros((0, 3))}


def _events(stored: xarray.Dataset) -> Floats:
    """The events of a stored run, (events, 4); most runs have none."""
    if "event" not in stored.sizes:
        return np.zeros((0, len(EVENT_LOG)))
    names = [variable.name for variable in EVENT_LOG]
    return np.stack([stored[name].values.astype(float) for name in names], axis=1)


def _contacts(stored: xarray.Dataset) -> ContactTable:
    """The contacts of a stored run; none if there are none, or they were not recorded."""
    if "contact" not in stored.sizes:
        return NO_CONTACTS
    return ContactTable.from_stored(
        {entry.name: stored[entry.name].values for entry in CONTACT_LOG}
    )


def _check(run: Trajectory) -> None:
    """Raise ValueError unless rows, links and numbers are those of a run."""
    rows, links, loads = len(run.time), len(run.robot.links), len(run.world.loads)
    sizes = {"time": rows, "link": links, "joint": links - 1, "axis": 2, "load": loads}
    for name, column in run.columns.items():
        dims = VARIABLES[name].dims if name in VARIABLES else ("time",)
        if rows == 0 or column.shape != tuple(sizes[dim] for dim in dims):
            raise ValueError(f"{name} has the shape {column.shape}")
        if not np.isfinite(column).all():
            raise ValueError(f"{name} holds values that are no numbers")
    if (np.diff(run.time) <= 0).any():
        raise ValueError("time does not increase")
    if run.events.shape[1:] != (len(EVENT_LOG),):
        raise ValueError(f"events have the shape {run.events.shape}")
    if not np.isfinite(run.events).all():
        raise ValueError("events hold values that are no numbers")
    for name, column in run.contacts.columns.items():
        if column.dtype.kind == "f" and not np.isfinite(column).all():
            raise ValueError(f"contact_{name} holds values that are no numbers")
