"""The result of a run: what happened, what it cost, how far it can be trusted."""

from __future__ import annotations

import dataclasses
import functools
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pydantic

from serpenoid.errors import InvalidInput, OutputError, first_line
from serpenoid.files import write_bytes
from serpenoid.model.robot import Robot
from serpenoid.model.state import State
from serpenoid.model.world import World
from serpenoid.spec import plain, sentence

if TYPE_CHECKING:
    import xarray

    from serpenoid.plots import Plots

Floats = npt.NDArray[np.float64]

_LINK, _JOINT, _AXIS = ("time", "link"), ("time", "joint"), ("time", "link", "axis")
_LOAD, _LOAD_AXIS = ("time", "load"), ("time", "load", "axis")

# Variable: dimensions, unit, long name.
VARIABLES: dict[str, tuple[tuple[str, ...], str, str]] = {
    "x": (_LINK, "m", "link centre, x"),
    "y": (_LINK, "m", "link centre, y"),
    "theta": (_LINK, "rad", "link angle, unwrapped, counter-clockwise from the x axis"),
    "vx": (_LINK, "m/s", "velocity of the link centre, x"),
    "vy": (_LINK, "m/s", "velocity of the link centre, y"),
    "omega": (_LINK, "rad/s", "angular velocity of the link"),
    "joint_angle": (_JOINT, "rad", "joint angle, theta of the link ahead minus theta behind"),
    "joint_rate": (_JOINT, "rad/s", "joint rate"),
    "joint_reference": (_JOINT, "rad", "commanded joint angle"),
    "joint_torque": (_JOINT, "N m", "actuator torque, mean since the last row"),
    "contact_force": (
        _AXIS,
        "N",
        "force of pegs and walls, normal force of terrain on the link, mean since the last row",
    ),
    "friction_force": (_AXIS, "N", "friction of the ground on the link, mean since the last row"),
    "sticking": (_LINK, "1", "whether dry ground friction holds the link"),
    "energy_actuator": (("time",), "J", "work of the actuators since the start"),
    "energy_friction": (("time",), "J", "work of dry friction on ground and obstacles"),
    "energy_impact": (("time",), "J", "work of contact normals and joint limits"),
    "energy_damping": (("time",), "J", "work of viscous friction"),
    "energy_gravity": (("time",), "J", "work of gravity in the plane"),
    "energy_numerical": (("time",), "J", "work of re-closing the hinges, zero in the continuum"),
    "energy_residual": (("time",), "J", "energy unaccounted for: rounding and solver tolerance"),
    "energy_kinetic": (("time",), "J", "kinetic energy, rotors included"),
    "iterations": (("time",), "1", "solver iterations since the last row"),
    "multiplier_updates": (("time",), "1", "multiplier updates since the last row"),
    "law_residual": (("time",), "m/s", "largest residual of a set-valued law since the last row"),
    "penetration": (("time",), "m", "deepest penetration of an obstacle since the last row"),
    "hinge_gap": (("time",), "m", "largest gap in a hinge"),
    "step_energy_residual": (
        ("time",),
        "J",
        "largest energy residual of a step since the last row",
    ),
    "halvings": (("time",), "1", "how often a step was halved since the last row"),
}


# The same of runs with series-elastic joints, pedal waves, compliant terrain, loads.
OPTIONAL: dict[str, tuple[tuple[str, ...], str, str]] = {
    "rotor_angle": (_JOINT, "rad", "angle of the rotor through the gear"),
    "rotor_rate": (_JOINT, "rad/s", "rate of the rotor through the gear"),
    "spring_torque": (_JOINT, "N m", "torque with which its spring turns the joint"),
    "joint_phase": (_JOINT, "rad", "spatial frequency of the pedal wave"),
    "energy_spring": (("time",), "J", "work of the joints' springs"),
    "energy_rotor": (("time",), "J", "kinetic energy of the rotors' turning, part of the kinetic"),
    "energy_contact_spring": (("time",), "J", "work of the springs of compliant terrain"),
    "energy_contact_damper": (("time",), "J", "work of the dampers of compliant terrain"),
    "load_x": (_LOAD, "m", "centre of mass of the load, x"),
    "load_y": (_LOAD, "m", "centre of mass of the load, y"),
    "load_theta": (_LOAD, "rad", "angle of the load, unwrapped, counter-clockwise"),
    "load_vx": (_LOAD, "m/s", "velocity of the load, x"),
    "load_vy": (_LOAD, "m/s", "velocity of the load, y"),
    "load_omega": (_LOAD, "rad/s", "angular velocity of the load"),
    "load_force": (_LOAD_AXIS, "N", "contact force on the load, mean since the last row"),
    "load_friction": (_LOAD_AXIS, "N", "friction of the ground on it, mean since the last row"),
}


# Kinds of events of solver 'hybrid', counted from 1.
EVENTS = ("impact", "detachment", "slip", "stop of sliding")
# Column of Trajectory.events: unit, long name.
_EVENT_COLUMNS = {
    "event_time": ("s", "time of the event"),
    "event_kind": ("1", ", ".join(f"{k} {name}" for k, name in enumerate(EVENTS, 1))),
    "event_link": ("1", "link in contact"),
    "event_peg": ("1", "peg it is in contact with"),
}


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A recorded run.

    columns: the variables of `dataset` as plain arrays. state: the last moment, from which a run
    can be continued. scenario: robot, world, controller, solver, start and clock as plain values.
    attributes: package version and platform. stepping_seconds: wall time of the compiled steps.
    events: time (s), kind, link and peg of the last 100,000 events of solver 'hybrid', (events, 4);
    kinds are those of EVENTS, from 1.
    """

    columns: Mapping[str, npt.NDArray[Any]]
    state: State
    scenario: Mapping[str, Any]
    attributes: Mapping[str, str]
    stepping_seconds: float = 0.0
    events: Floats = dataclasses.field(default_factory=lambda: np.zeros((0, 4)))

    @property
    def time(self) -> Floats:
        """Time of each row, s."""
        return self.columns["time"]

    @functools.cached_property
    def robot(self) -> Robot:
        """The robot that moved."""
        return _rebuilt(Robot, self.scenario["robot"])

    @functools.cached_property
    def world(self) -> World:
        """The world it moved in."""
        return _rebuilt(World, self.scenario["world"])

    @functools.cached_property
    def dataset(self) -> xarray.Dataset:
        """Everything recorded, with units, long names and the scenario as attributes."""
        import xarray

        variables = {
            name: (dims, self.columns[name], {"units": unit, "long_name": words})
            for name, (dims, unit, words) in (VARIABLES | OPTIONAL).items()
            if name in self.columns
        }
        links = len(self.state.theta)
        coordinates = {
            "time": ("time", self.time, {"units": "s", "long_name": "time"}),
            "link": ("link", np.arange(links), {"long_name": "link, 0 is the tail"}),
            "joint": ("joint", np.arange(links - 1), {"long_name": "joint, 0 is at the tail"}),
            "axis": ("axis", ["x", "y"]),
        }
        if len(self.state.load):
            coordinates["load"] = ("load", np.arange(len(self.state.load)), {"long_name": "load"})
        if len(self.events):
            for column, (name, (unit, words)) in zip(
                self.events.T, _EVENT_COLUMNS.items(), strict=True
            ):
                variables[name] = (("event",), column, {"units": unit, "long_name": words})
        attributes = dict(self.attributes) | {"scenario": json.dumps(self.scenario)}
        return xarray.Dataset(variables, coordinates, attributes)

    def centre_of_mass(self) -> Floats:
        """Position of the centre of mass in every row, (rows, 2), m."""
        lumps = self.robot.lumps()
        weights = lumps.mass / lumps.mass.sum()
        where = [self.columns[axis] for axis in "xy"]
        if lumps.middle.any():
            theta = self.columns["theta"]
            where[0] = where[0] - lumps.middle * np.cos(theta)
            where[1] = where[1] - lumps.middle * np.sin(theta)
        centre: Floats = np.stack([axis @ weights for axis in where], axis=1)
        return centre

    def centre_velocity(self) -> Floats:
        """Velocity of the centre of mass in every row, (rows, 2), m/s."""
        lumps = self.robot.lumps()
        weights = lumps.mass / lumps.mass.sum()
        rates = [self.columns[axis] for axis in ("vx", "vy")]
        if lumps.middle.any():
            theta, spin = self.columns["theta"], lumps.middle * self.columns["omega"]
            rates = [rates[0] + spin * np.sin(theta), rates[1] - spin * np.cos(theta)]
        velocity: Floats = np.stack([axis @ weights for axis in rates], axis=1)
        return velocity

    def mean_velocity(self, start: float | None = None, end: float | None = None) -> Floats:
        """Mean velocity of the centre of mass between two times, (2,), m/s."""
        com = self.centre_of_mass()
        first = 0 if start is None else self.row(start)
        last = len(self.time) - 1 if end is None else self.row(end)
        if first == last:
            raise InvalidInput(
                f"start = {start!r}, end = {end!r} is not allowed: they must be different rows"
            )
        velocity: Floats = (com[last] - com[first]) / (self.time[last] - self.time[first])
        return velocity

    def mean_speed(self, start: float | None = None, end: float | None = None) -> float:
        """Size of the mean velocity of the centre of mass between two times, m/s."""
        return float(np.hypot(*self.mean_velocity(start, end)))

    def row(self, time: float, name: str = "time") -> int:
        """The row nearest to a time, s; name: what the caller calls it."""
        start, end = float(self.time[0]), float(self.time[-1])
        number = plain(time)
        # Half a row beyond the end still belongs to the run.
        slack = (end - start) / max(1, len(self.time) - 1) / 2 + 1e-9
        if type(number) not in (int, float) or not start - slack <= number <= end + slack:
            raise InvalidInput(
                f"{name} = {time!r} is not allowed: this run lasts from {start:g} to {end:g} s"
            )
        return int(np.abs(self.time - number).argmin())

    def energy(self) -> dict[str, float]:
        """The energy ledger at the end of the run, J: where the work went since the start."""
        return {
            name.removeprefix("energy_"): float(column[-1])
            for name, column in self.columns.items()
            if name.startswith("energy_")
        }

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write to a NetCDF file, whole or not at all."""
        import xarray

        fields = {
            field.name: getattr(self.state, field.name) for field in dataclasses.fields(State)
        }
        state = xarray.Dataset(
            {name: ([f"{name}_{k}" for k in range(np.ndim(v))], v) for name, v in fields.items()}
        )
        # In memory first: a full disk then is an error of ours, not one inside the HDF5 library.
        content = io.BytesIO()
        self.dataset.to_netcdf(content, engine="h5netcdf")
        state.to_netcdf(content, engine="h5netcdf", mode="a", group="state")
        return write_bytes(path, content.getbuffer())

    @property
    def plot(self) -> Plots:
        """Figures of this run: `run.plot.path()`, `run.plot.energy(ax)` and so on."""
        from serpenoid.plots import Plots

        return Plots(self)

    def view(self, path: str | os.PathLike[str]) -> Path:
        """Write a page that plays this run in any browser, offline."""
        from serpenoid.plots.viewer import write_html

        return write_html(self, path)

    def __str__(self) -> str:
        start, end = self.time[0], self.time[-1]
        vx, vy = 100 * self.mean_velocity() if end > start else (0.0, 0.0)
        return (
            f"{self.robot.name}, {start:g} s to {end:g} s: mean velocity "
            f"({vx:.2f}, {vy:.2f}) cm/s, {len(self.time)} rows"
        )


T = TypeVar("T")


def _rebuilt(kind: type[T], values: Any) -> T:
    """A spec from the plain values a run holds."""
    try:
        return pydantic.TypeAdapter(kind).validate_python(values)
    except pydantic.ValidationError as error:
        raise OutputError(
            f"the {kind.__name__.lower()} of this run cannot be rebuilt: {sentence(error)}; if it "
            "has a law of your own, import that first"
        ) from None


def load(path: str | os.PathLike[str]) -> Trajectory:
    """Read a run back from a NetCDF file."""
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
    columns = {name: stored[name].values for name in ["time", *VARIABLES]}
    columns |= {name: stored[name].values for name in OPTIONAL if name in stored}
    columns["sticking"] = columns["sticking"].astype(bool)
    fields: dict[str, Any] = {str(name): state[name].values for name in state}
    for name in ("time_step", "last_step", "command_time"):
        fields[name] = float(fields[name])
    fields["step"] = int(fields["step"])
    fields["sticking"] = fields["sticking"].astype(bool)
    attributes = {str(key): str(value) for key, value in stored.attrs.items()}
    scenario = json.loads(attributes.pop("scenario"))
    if not isinstance(scenario, dict) or not scenario.keys() >= SCENARIO_KEYS:
        raise ValueError("its scenario is incomplete")
    run = Trajectory(columns, State(**fields), scenario, attributes, events=_events(stored))
    _check(run)
    return run


def _events(stored: xarray.Dataset) -> Floats:
    """The events of a stored run, (events, 4); most runs have none."""
    if "event" not in stored.sizes:
        return np.zeros((0, 4))
    return np.stack([stored[name].values.astype(float) for name in _EVENT_COLUMNS], axis=1)


SCENARIO_KEYS = {
    "robot",
    "world",
    "controller",
    "solver",
    "start",
    "time_step",
    "record_period",
    "duration",
    "seed",
}


def _check(run: Trajectory) -> None:
    """Raise ValueError unless rows, links and numbers are those of a run."""
    rows, links = len(run.time), len(run.robot.links)
    for name, (dims, _, _) in (VARIABLES | OPTIONAL).items():
        if name not in run.columns:
            continue
        column = run.columns[name]
        loads = len(run.world.loads)
        sizes = {"time": rows, "link": links, "joint": links - 1, "axis": 2, "load": loads}
        if rows == 0 or column.shape != tuple(sizes[dim] for dim in dims):
            raise ValueError(f"{name} has the shape {column.shape}")
        if not np.isfinite(column).all():
            raise ValueError(f"{name} holds values that are no numbers")
    if not np.isfinite(run.time).all() or (np.diff(run.time) <= 0).any():
        raise ValueError("time does not increase")
    if run.events.ndim != 2 or run.events.shape[1] != len(_EVENT_COLUMNS):
        raise ValueError(f"events have the shape {run.events.shape}")
    if not np.isfinite(run.events).all():
        raise ValueError("events hold values that are no numbers")
