"""Runs in NetCDF files: written whole or not at all, and read back in any version."""

from __future__ import annotations

import dataclasses
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.checks import check_ending
from serpenoid.engine.assemble import pack_drive
from serpenoid.engine.contact_table import NO_CONTACTS, ContactTable
from serpenoid.engine.old_formats import (
    CHECKED_SINCE,
    STATE_SINCE,
    counts_of_format_1,
    scenario_of_format,
    state_of_version,
)
from serpenoid.engine.prepare import features_of
from serpenoid.engine.recording import Columns
from serpenoid.engine.run_check import check_run
from serpenoid.engine.run_file import StoredGroup, checksum, opened
from serpenoid.engine.run_tables import run_tables
from serpenoid.engine.state_check import checked_state
from serpenoid.engine.table_output import TABLE_ENDINGS
from serpenoid.engine.trajectory import SOURCE_HASH, Trajectory, made_with
from serpenoid.engine.variables import CONTACT_LOG, EVENT_LOG, VARIABLES, Variable
from serpenoid.errors import InvalidInput, OutputError, first_line
from serpenoid.files import write_bytes, write_together
from serpenoid.kernels.layout import Floats
from serpenoid.model.state import State
from serpenoid.scenario.scenario import Scenario
from serpenoid.text import printable

# The layout of files; `old_formats` tells what was different in older ones.
FORMAT = 5


def save(run: Trajectory, path: str | os.PathLike[str]) -> Path:
    """Write a run to a file, or its tables to files beside each other, by the ending."""
    if isinstance(path, str | os.PathLike):
        ending = check_ending(path, (".nc", *TABLE_ENDINGS))
        if ending in TABLE_ENDINGS:
            return _save_tables(run, Path(path), ending)
    # In memory first: a full disk then is an error of ours, not one inside the HDF5 library.
    return write_bytes(path, to_netcdf(run))


def _save_tables(run: Trajectory, path: Path, ending: str) -> Path:
    """Write the tables of a run, that of the whole run at the path, others with their kind."""
    contents = {
        path if kind == "run" else path.with_name(f"{path.stem}-{kind}{path.suffix}"): table
        for kind, table in run_tables(run).items()
    }
    return write_together({file: table.content(ending) for file, table in contents.items()})[0]


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
    read_back = {name: told[1] for name, told in variables.items()} | {"time": run.time}
    read_back |= {f"state.{name}": value for name, value in fields.items()}
    versions = (FORMAT, attributes.get("columns_format", FORMAT), State.VERSION)
    attributes["checksum"] = checksum(attributes["scenario"], versions, read_back)
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

    Args:
        path: File that `Trajectory.save` wrote.

    Returns:
        The run.

    Raises:
        OutputError: It cannot be read, or is no run.
    """
    if Path(str(path)).suffix.lower() in TABLE_ENDINGS:
        raise OutputError(
            f"path = {str(path)!r} cannot be read as a run: a table lacks the state that a run "
            "ended in; save the run as .nc to load it again"
        )
    try:
        with opened(path) as file:
            run = _unpack(file)
    except InvalidInput as error:
        raise OutputError(
            f"path = {str(path)!r} cannot be read as a run: {first_line(error)}"
        ) from None
    return dataclasses.replace(run, scenario=run.scenario.withhold(str(path)))


def format_of(path: str | os.PathLike[str]) -> int:
    """The format of the file of a run, which `load` has read."""
    with opened(path) as file:
        return file.number("format", 1, FORMAT)


def _unpack(file: StoredGroup) -> Trajectory:
    version = file.number("format", 1, FORMAT)
    known = file.number("columns_format", version, version)
    text = file.text("scenario")
    if text is None:
        raise InvalidInput("it has no scenario")
    scenario = _scenario(text, version)
    (robot, world), features = scenario.built, features_of(scenario, scenario.controller)
    sizes: dict[str, int | None] = {"link": len(robot.links), "joint": len(robot.links) - 1}
    sizes |= {"axis": 2, "load": len(world.loads)}
    columns = _columns(file, sizes, features, known)
    events, contacts = (_log(file, sizes, log) for log in (EVENT_LOG, CONTACT_LOG))
    state = file.group("state")
    state_version = state.number("version", 1, State.VERSION)
    values = _state_values(state, state_version)
    if version >= CHECKED_SINCE:
        _check_sum(file, checksum(text, (version, known, state_version), file.content))
    if version == 1:
        columns |= counts_of_format_1(columns, features)
        known = 2
    values = state_of_version(values, state_version, version < FORMAT)
    attributes = {name: printable(file.text(name) or "") for name in (*made_with(), SOURCE_HASH)}
    run = Trajectory(
        columns=columns,
        state=_state(values, scenario),
        scenario=scenario,
        attributes={name: told for name, told in attributes.items() if told},
        events=_events(events),
        contacts=ContactTable.from_stored(contacts) if contacts else NO_CONTACTS,
        columns_format=known,
    )
    check_run(run)
    return run


def _scenario(text: str, version: int) -> Scenario:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("its scenario is no JSON text, or is nested too deeply") from None
    sections = scenario_of_format(data, version)
    try:
        scenario = Scenario.from_plain(sections)
        _ = scenario.built
    except InvalidInput as error:
        raise InvalidInput(
            f"its scenario cannot be rebuilt: {first_line(error)}; if it has a law of your own, "
            "import that first"
        ) from None
    return scenario


def _columns(
    file: StoredGroup, sizes: dict[str, int | None], features: frozenset[str], known: int
) -> Columns:
    """The columns of a run, by the table of variables.

    Args:
        file: The file.
        sizes: Lengths of dimensions but the time.
        features: What the run records besides the usual.
        known: The format up to which it has all columns.
    """
    columns = {"time": file.numbers("time", (None,))}
    sizes = sizes | {"time": len(columns["time"])}
    for name, variable in VARIABLES.items():
        expected = not variable.feature or variable.feature in features
        if name in file or (expected and variable.since <= known):
            columns[name] = file.numbers(name, tuple(sizes[dim] for dim in variable.dims))
    return columns


def _log(file: StoredGroup, sizes: dict[str, int | None], log: Sequence[Variable]) -> Columns:
    """The columns of a log; none of them if the run has none."""
    if not any(variable.name in file for variable in log):
        return {}
    found: Columns = {}
    # All are as long as the first.
    length: int | None = None
    for variable in log:
        shape = (length, *(sizes[dim] for dim in variable.dims[1:]))
        found[variable.name] = file.numbers(variable.name, shape)
        length = len(found[variable.name])
    return found


def _events(log: Columns) -> Floats:
    """The events of a stored run, (events, 4); most runs have none."""
    if not log:
        return np.zeros((0, len(EVENT_LOG)))
    return np.stack([column.astype(float) for column in log.values()], axis=1)


def _state_values(state: StoredGroup, version: int) -> Columns:
    """The fields of the state of a stored run."""
    names = [field.name for field in dataclasses.fields(State)]
    return {name: state.numbers(name) for name in names if STATE_SINCE.get(name, 1) <= version}


def _state(values: Columns, scenario: Scenario) -> State:
    """The state of a stored run, which is to be one of its scenario."""
    (robot, world), step = scenario.built, scenario.clock.time_step
    drive, memory = pack_drive(scenario.controller, len(robot.joints), step)
    numbers = {name: value[()] for name, value in values.items()}
    return checked_state(numbers, len(robot.links), len(world.loads), drive, memory)


def _check_sum(file: StoredGroup, found: str) -> None:
    if file.text("checksum") != found:
        raise InvalidInput("its content has changed since it was written: the checksum differs")
