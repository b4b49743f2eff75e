"""The result of a run: what happened, what it cost, how far it can be trusted."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from serpenoid._version import __version__
from serpenoid.checks import plain
from serpenoid.displays import Displayed
from serpenoid.engine.contact_table import NO_CONTACTS, ContactTable
from serpenoid.engine.run_measures import RunMeasures
from serpenoid.engine.variables import CONTACT_LOG, EVENT_LOG, LEDGER, TIME, VARIABLES, Variable
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import KINETIC, NUMERICAL, RESIDUAL, ROTOR, Floats
from serpenoid.model.robot import Robot
from serpenoid.model.state import State
from serpenoid.model.world import World
from serpenoid.scenario.scenario import Scenario

if TYPE_CHECKING:
    import pandas
    import xarray

    from serpenoid.plots import Plots

# Attribute of a run: the sha256 of the file of its controller in Python.
SOURCE_HASH = "controller_sha256"
# Entries of the ledger that are no works of laws.
_NO_WORKS = (KINETIC, ROTOR, NUMERICAL, RESIDUAL)
# Share of the energy moved that errors of the steps may take before a run asks for smaller ones.
TOLERABLE = 0.01
# m/s: with less energy than at this velocity a robot is at rest.
_AT_REST = 1e-3


def numerical_share(
    energies: Mapping[str, npt.NDArray[Any]], mass: float | Floats
) -> npt.NDArray[np.float64]:
    """Work of the ledger's entry `numerical` as a share of the energy moved.

    Moved are the largest kinetic energy and the works of all laws since the first row; at least
    the energy at 1 mm/s, so that one at rest does not count what its contacts give and take.

    Args:
        energies: Entries of the ledger by the names of their columns, (..., rows), J.
        mass: Of the robot, (...), kg.
    """
    moved = 0.5 * np.asarray(mass) * _AT_REST**2
    moved = moved + np.max(energies["energy_kinetic"], axis=-1, initial=0.0)
    for variable in LEDGER:
        if variable.name in energies and variable.index not in _NO_WORKS:
            column = energies[variable.name]
            moved = moved + np.abs(column[..., -1] - column[..., 0])
    numerical = energies["energy_numerical"]
    share: npt.NDArray[np.float64] = np.abs(numerical - numerical[..., :1]).max(axis=-1) / moved
    return share


def smaller_step_advice(time_step: float | None = None, where: str = "") -> str:
    """The sentence about runs of which `numerical_share` is more than tolerable."""
    than = "" if time_step is None else f" than {time_step:g} s"
    return (
        f"numerical work is above {100 * TOLERABLE:g} % of the energy moved{where}: use a smaller "
        f"time_step{than}"
    )


@dataclass(frozen=True, eq=False)
class Trajectory(Displayed, RunMeasures):
    """A recorded run.

    Attributes:
        columns: The variables of `dataset` as plain arrays.
        state: The state it ended in, from which a run can be continued.
        scenario: The scenario that was simulated.
        attributes: Package version and platform.
        stepping_seconds: Wall time of the compiled steps, s.
        events: Time (s), kind, link and peg of the last 100,000 events of solver 'hybrid',
            (events, 4); kinds count from 1, as in `variables.EVENT_KINDS`.
        contacts: Table of contacts, if `record.contacts` is true.
        began_at: Centre of mass at the start of a run whose first rows are left out, (2,), m.
        columns_format: Format of the file (`storage.FORMAT`) whose columns the run has; None if
            this version recorded it.
    """

    columns: Mapping[str, npt.NDArray[Any]]
    state: State
    scenario: Scenario
    attributes: Mapping[str, str]
    stepping_seconds: float = 0.0
    events: Floats = dataclasses.field(default_factory=lambda: np.zeros((0, 4)))
    contacts: ContactTable = NO_CONTACTS
    began_at: Floats | None = None
    columns_format: int | None = None

    @property
    def time(self) -> Floats:
        """Time of each row, (rows,), s."""
        return self.columns["time"]

    @property
    def missed_end(self) -> float | None:
        """Planned end of a run that ended before it, s; None of other runs."""
        if self.began_at is not None:
            return None
        clock, (begun, ended) = self.scenario.clock, self.time[[0, -1]]
        early = clock.duration - (ended - begun) > 0.5 * self.scenario.record.period
        return float(begun + clock.duration) if early else None

    @functools.cached_property
    def robot(self) -> Robot:
        """The robot that moved."""
        return self.scenario.built[0]

    @functools.cached_property
    def world(self) -> World:
        """The world it moved in."""
        return self.scenario.built[1]

    @functools.cached_property
    def dataset(self) -> xarray.Dataset:
        """Everything recorded, with units, long names and the scenario as attributes."""
        import xarray

        return xarray.Dataset(*self.described())

    def described(self) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
        """Describe all that was recorded.

        Returns:
            Variables and coordinates as xarray takes them, and attributes.
        """
        variables = {
            name: _described(variable, self.columns[name])
            for name, variable in VARIABLES.items()
            if name in self.columns
        }
        links = len(self.state.theta)
        coordinates = {
            "time": _described(TIME, self.time),
            "link": ("link", np.arange(links), {"long_name": "link, 0 is the tail"}),
            "joint": ("joint", np.arange(links - 1), {"long_name": "joint, 0 is at the tail"}),
            "axis": ("axis", ["x", "y"], {}),
        }
        if len(self.state.load):
            coordinates["load"] = ("load", np.arange(len(self.state.load)), {"long_name": "load"})
        if len(self.events):
            for variable, column in zip(EVENT_LOG, self.events.T, strict=True):
                variables[variable.name] = _described(variable, column)
        if len(self.contacts):
            columns = self.contacts.stored()
            for variable in CONTACT_LOG:
                variables[variable.name] = _described(variable, columns[variable.name])
        attributes = dict(self.attributes) | {"scenario": json.dumps(self.scenario.plain())}
        return variables, coordinates, attributes

    def centre_of_mass(self) -> Floats:
        """Position of the centre of mass in every row.

        Returns:
            Positions, (rows, 2), m.
        """
        lumps = self.robot.lumps()
        weights = lumps.mass / lumps.mass.sum()
        where = [self.columns[axis] for axis in "xy"]
        if lumps.middle.any():
            theta = self.columns["theta"]
            where[0] = where[0] - lumps.middle * np.cos(theta)
            where[1] = where[1] - lumps.middle * np.sin(theta)
        # In one piece, so that a run from a file rounds as the one that was saved.
        centre: Floats = np.stack([np.ascontiguousarray(x) @ weights for x in where], axis=1)
        return centre

    def centre_velocity(self) -> Floats:
        """Velocity of the centre of mass in every row.

        Returns:
            Velocities, (rows, 2), m/s.
        """
        lumps = self.robot.lumps()
        weights = lumps.mass / lumps.mass.sum()
        rates = [self.columns[axis] for axis in ("vx", "vy")]
        if lumps.middle.any():
            theta, spin = self.columns["theta"], lumps.middle * self.columns["omega"]
            rates = [rates[0] + spin * np.sin(theta), rates[1] - spin * np.cos(theta)]
        velocity: Floats = np.stack([np.ascontiguousarray(v) @ weights for v in rates], axis=1)
        return velocity

    def mean_velocity(self, start: float | None = None, end: float | None = None) -> Floats:
        """Velocity of the centre of mass from one time straight to another, (2,), m/s.

        Args:
            start: Beginning, s; the start of the run if not given.
            end: End, s; the end of the run if not given.

        Returns:
            Displacement over duration: of a robot that goes in a circle, less than its speed, which
            is `mean_speed()`.

        Raises:
            InvalidInput: A time is not within the run, or both are in the same row.
        """
        if len(self.time) < 2:
            raise InvalidInput(f"a mean velocity needs at least two rows; {self.called} has one")
        com = self.centre_of_mass()
        first = 0 if start is None else self.row(start)
        last = len(self.time) - 1 if end is None else self.row(end)
        if first == last:
            raise InvalidInput(
                f"start = {start!r}, end = {end!r} is not allowed: they must be different rows"
            )
        velocity: Floats = (com[last] - com[first]) / (self.time[last] - self.time[first])
        return velocity

    def row(self, time: float, name: str = "time") -> int:
        """Find the row nearest to a time.

        Args:
            time: Time, s.
            name: Name of the argument in the caller, for errors.

        Returns:
            Index of the row.

        Raises:
            InvalidInput: The time is outside of the run.
        """
        start, end = float(self.time[0]), float(self.time[-1])
        number = plain(time)
        # Half a row beyond the end still belongs to the run.
        slack = (end - start) / max(1, len(self.time) - 1) / 2 + 1e-9
        if type(number) not in (int, float):
            raise InvalidInput(f"{name} = {time!r} is not allowed: it must be a number")
        if not start - slack <= number <= end + slack:
            raise InvalidInput(
                f"{name} = {time!r} is not allowed: {self.called} lasts from {start:g} to {end:g} s"
            )
        return int(np.abs(self.time - number).argmin())

    @property
    def called(self) -> str:
        """What a message calls the run."""
        return "this run" if self.began_at is None else "this part of the run"

    def energy(self) -> dict[str, float]:
        """Energy ledger at the end of the run: works since the start.

        Returns:
            Name of each entry to its energy, J.
        """
        return {
            name.removeprefix("energy_"): float(column[-1])
            for name, column in self.columns.items()
            if name.startswith("energy_")
        }

    @functools.cached_property
    def numerical_share(self) -> float:
        """Work of the ledger's entry `numerical` as a share of the energy moved."""
        return float(numerical_share(self.columns, self.robot.mass))

    @property
    def advice(self) -> str:
        """A sentence about a run whose time step is too large; empty otherwise."""
        if not self.numerical_share > TOLERABLE:
            return ""
        return smaller_step_advice(self.scenario.clock.time_step)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write to a file, whole or not at all.

        Args:
            path: The file. Its ending chooses the format: .nc, NetCDF, holds everything, and
                `serpenoid.load` reads it back; .csv and .parquet hold the table of kind 'run' of
                `to_pandas`, with those of the other kinds beside it, run-links.csv and so on.

        Returns:
            The file.

        Raises:
            InvalidInput: The ending is another one, or PyArrow, which writes Parquet, is not
                installed.
            OutputError: A file cannot be written.
        """
        from serpenoid.engine.storage import save

        return save(self, path)

    def to_pandas(self, kind: str = "run") -> pandas.DataFrame:
        """One tidy table of the run, with the units of its columns in `attrs["units"]`.

        Args:
            kind: 'run', a row for each time, with the centre of mass, the energy ledger and the
                certificate; 'links', 'joints' or 'loads', a row for each time and link, joint or
                load; 'contacts' or 'events', a row for each.

        Returns:
            A data frame.

        Raises:
            InvalidInput: There is no such kind, the run has no such things, or pandas is not
                installed.
        """
        from serpenoid.engine.run_tables import run_table

        return run_table(self, kind).to_pandas()

    @property
    def plot(self) -> Plots:
        """Figures of this run: `run.plot.path()`, `run.plot.energy(ax)` and so on."""
        from serpenoid.plots import Plots

        return Plots(self)

    @overload
    def view(self, path: str | os.PathLike[str]) -> Path: ...

    @overload
    def view(self, path: None = None) -> Path | None: ...

    def view(self, path: str | os.PathLike[str] | None = None) -> Path | None:
        """Show a page that plays this run in any browser, offline.

        Args:
            path: File to write, .html. Without one a notebook shows the page below the cell, and
                elsewhere it is written to a folder for temporary files and opened in the browser.

        Returns:
            The file; None if a notebook shows it.

        Raises:
            InvalidInput: The path ends otherwise.
            OutputError: The file cannot be written.
        """
        from serpenoid.plots.viewer.opening import show_page

        return show_page(self, path)

    def __repr__(self) -> str:
        return f"<Trajectory {self}>"

    def __str__(self) -> str:
        start, end = self.time[0], self.time[-1]
        planned = self.missed_end
        early = "" if planned is None else f", ended before the planned {planned:g} s"
        vx, vy = 100 * self.mean_velocity() if end > start else (0.0, 0.0)
        rows = "1 row" if len(self.time) == 1 else f"{len(self.time)} rows"
        share = 100 * self.numerical_share
        numerical = "<0.001" if share < 0.001 else f"{share:.2g}"
        return (
            f"{self.robot.name}, {start:g} s to {end:g} s{early}: mean velocity "
            f"({vx:.2f}, {vy:.2f}) cm/s, {rows}, numerical {numerical} %"
        )


def _described(variable: Variable, values: npt.NDArray[Any]) -> tuple[Any, ...]:
    """A variable as xarray takes it."""
    return variable.dims, values, {"units": variable.unit, "long_name": variable.meaning}


def made_with() -> dict[str, str]:
    """What a run is computed with."""
    return {
        "serpenoid_version": __version__,
        "platform": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
    }
