"""The one table of what a run records.

Recorder, dataset, NetCDF files, the viewer's and the figures' energies and the documentation take
names, units, dimensions and meanings from here. What a new column takes is listed in
docs/architecture.md, "To add something".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.kernels import layout
from serpenoid.methods.method import EVENTS, INTEGRATOR

_TIME, _LINK, _JOINT, _LOAD = ("time",), ("time", "link"), ("time", "joint"), ("time", "load")
_LINK_AXIS, _LOAD_AXIS = (*_LINK, "axis"), (*_LOAD, "axis")


@dataclass(frozen=True)
class Variable:
    """A column of a run.

    Attributes:
        name: Its name in datasets and files.
        unit: SI unit, "1" without one.
        dims: Dimensions.
        meaning: What it is, in words.
        source: Array of the kernels' RunRecord that holds it.
        index: Entry of the last axis of that array; for the ledger and the certificate, theirs.
        difference: Variable of the links whose difference across a joint it is, instead.
        feature: What a run must have for it to be recorded; empty: any run.
        label: Short name in figures; an entry of the ledger without one is not drawn.
        since: First format of files that has it, see `storage.FORMAT`.
        dtype: Type of its values.
    """

    name: str
    unit: str
    dims: tuple[str, ...]
    meaning: str
    source: str = ""
    index: int | slice | None = None
    difference: str = ""
    feature: str = ""
    label: str = ""
    since: int = 1
    dtype: type[np.generic] = np.float64


# Features of a run.
SPRINGS, PEDAL, COMPLIANT, LOADS = "springs", "pedal wave", "compliant contact", "loads"
CONTACTS, SUM = "contacts", "sum of references"

_Line = tuple[str, str, str, int | slice | None, str]


def _group(
    dims: tuple[str, ...], *lines: _Line, feature: str = "", since: int = 1
) -> tuple[Variable, ...]:
    """Variables from lines of name, unit, source, index and meaning."""
    return tuple(
        Variable(name, unit, dims, meaning, source, index, feature=feature, since=since)
        for name, unit, source, index, meaning in lines
    )


_BOTH, _REST = slice(0, 2), slice(2, 4)
_MEAN = "mean since the last row"

TIME = Variable("time", "s", _TIME, "time", "time")

_MOTION = (
    *_group(
        _LINK,
        ("x", "m", "pose", 0, "link centre, x"),
        ("y", "m", "pose", 1, "link centre, y"),
        ("theta", "rad", "pose", 2, "link angle, unwrapped, counter-clockwise from the x axis"),
        ("vx", "m/s", "velocity", 0, "velocity of the link centre, x"),
        ("vy", "m/s", "velocity", 1, "velocity of the link centre, y"),
        ("omega", "rad/s", "velocity", 2, "angular velocity of the link"),
    ),
    Variable(
        *("joint_angle", "rad", _JOINT, "joint angle, theta of the link ahead minus theta behind"),
        difference="theta",
    ),
    Variable("joint_rate", "rad/s", _JOINT, "joint rate", difference="omega"),
    *_group(
        _JOINT,
        ("joint_reference", "rad", "reference", None, "commanded joint angle"),
        ("joint_torque", "N m", "torque", None, f"actuator torque, {_MEAN}"),
    ),
    *_group(
        _JOINT,
        (
            *("reference_wave", "rad", "parts", layout.WAVE_PART),
            "body wave, a part of the commanded angle before spread limit and filter",
        ),
        (
            *("reference_adaptation", "rad", "parts", layout.ADAPTATION_PART),
            "adaptation to contact forces, a part before spread limit and filter",
        ),
        (
            *("reference_heading", "rad", "parts", layout.HEADING_PART),
            "turn towards the path, a part before spread limit and filter",
        ),
        (
            *("reference_own", "rad", "parts", layout.ADDED_PART),
            "what a controller in Python adds after spread limit and filter",
        ),
        feature=SUM,
        since=5,
    ),
    *_group(
        _LINK_AXIS,
        (
            *("contact_force", "N", "force", _BOTH),
            f"force of pegs, walls and loads and normal force of terrain on the link, {_MEAN}",
        ),
        (
            *("friction_force", "N", "force", _REST),
            f"friction of the ground or force of the fluid on the link, {_MEAN}",
        ),
    ),
    Variable(
        *("sticking", "1", _LINK, "whether dry ground friction holds the link", "sticking"),
        dtype=np.bool_,
    ),
    *_group(
        _JOINT,
        ("rotor_angle", "rad", "rotor", 0, "angle of the rotor through the gear"),
        ("rotor_rate", "rad/s", "rotor", 1, "rate of the rotor through the gear"),
        ("spring_torque", "N m", "spring", None, "torque with which its spring turns the joint"),
        feature=SPRINGS,
    ),
    *_group(
        _JOINT,
        ("joint_phase", "rad", "spatial", None, "spatial frequency of the pedal wave"),
        feature=PEDAL,
    ),
    *_group(
        _LOAD,
        ("load_x", "m", "pose", 0, "centre of mass of the load, x"),
        ("load_y", "m", "pose", 1, "centre of mass of the load, y"),
        ("load_theta", "rad", "pose", 2, "angle of the load, unwrapped, counter-clockwise"),
        ("load_vx", "m/s", "velocity", 0, "velocity of the load, x"),
        ("load_vy", "m/s", "velocity", 1, "velocity of the load, y"),
        ("load_omega", "rad/s", "velocity", 2, "angular velocity of the load"),
        feature=LOADS,
    ),
    *_group(
        _LOAD_AXIS,
        ("load_force", "N", "force", _BOTH, f"contact force on the load, {_MEAN}"),
        ("load_friction", "N", "force", _REST, f"friction of the ground on it, {_MEAN}"),
        feature=LOADS,
    ),
)


def _energies(
    *lines: tuple[str, int, str, str], feature: str = "", since: int = 1
) -> tuple[Variable, ...]:
    """Entries of the energy ledger, J, from lines of name, entry, label and meaning."""
    return tuple(
        Variable(
            *(f"energy_{name}", "J", _TIME, meaning, "ledger", entry),
            feature=feature,
            label=label,
            since=since,
        )
        for name, entry, label, meaning in lines
    )


LEDGER = (
    *_energies(
        ("actuator", layout.ACTUATOR, "actuators", "work of the actuators since the start"),
        (
            "friction",
            layout.FRICTION,
            "dry friction",
            "work of dry friction on ground and obstacles",
        ),
        ("impact", layout.IMPACT, "impacts", "work of contact normals and joint limits"),
        ("damping", layout.DAMPING, "viscous friction", "work of viscous friction"),
        ("gravity", layout.GRAVITY, "gravity", "work of gravity in the plane"),
        ("kinetic", layout.KINETIC, "kinetic", "kinetic energy, rotors and added mass included"),
        (
            "numerical",
            layout.NUMERICAL,
            "errors of steps",
            "errors of the steps, zero in the continuum: re-closing hinges, what passive laws "
            "would give, rebounds cut short",
        ),
        (
            "residual",
            layout.RESIDUAL,
            "residual",
            "energy unaccounted for: rounding and solver tolerance",
        ),
    ),
    *_energies(
        ("spring", layout.SPRING, "joint springs", "work of the joints' springs"),
        ("rotor", layout.ROTOR, "", "kinetic energy of the rotors' turning, part of the kinetic"),
        feature=SPRINGS,
    ),
    *_energies(
        (
            "contact_spring",
            layout.CONTACT_SPRING,
            "contact springs",
            "work of the springs of compliant terrain, pegs and walls",
        ),
        (
            "contact_damper",
            layout.CONTACT_DAMPER,
            "contact dampers",
            "work of the dampers of compliant terrain, pegs and walls",
        ),
        feature=COMPLIANT,
    ),
)


def _certificate(
    *lines: tuple[str, str, int, str], feature: str = "", since: int = 1
) -> tuple[Variable, ...]:
    """Entries of the certificate, from lines of name, unit, index and meaning."""
    whole = ((*line[:2], "certificate", line[2], f"{line[3]} since the last row") for line in lines)
    return _group(_TIME, *whole, feature=feature, since=since)


CERTIFICATE = (
    *_certificate(
        ("iterations", "1", layout.ITERATIONS, "solver iterations"),
        ("multiplier_updates", "1", layout.UPDATES, "multiplier updates"),
        ("law_residual", "m/s", layout.LAW_RESIDUAL, "largest residual of a set-valued law"),
        (
            *("penetration", "m", layout.PENETRATION),
            "deepest penetration of what is touched, sinking into what is compliant included",
        ),
    ),
    *_group(_TIME, ("hinge_gap", "m", "certificate", layout.HINGE_GAP, "largest gap in a hinge")),
    *_certificate(
        ("step_energy_residual", "J", layout.ENERGY_RESIDUAL, "largest energy residual of a step"),
        ("halvings", "1", layout.HALVINGS, "how often a step was halved"),
    ),
    *_certificate(
        ("integrator_steps", "1", layout.INTEGRATOR_STEPS, "steps that the integrator tried"),
        feature=INTEGRATOR,
        since=2,
    ),
    *_certificate(
        ("located_events", "1", layout.EVENTS, "impacts, detachments, slips and stops located"),
        (
            *("unresolved_modes", "1", layout.UNRESOLVED),
            "how often contacts were brought to rest because no modes agreed",
        ),
        feature=EVENTS,
        since=2,
    ),
)

# Kinds of located events, counted from 1.
EVENT_KINDS = ("impact", "detachment", "slip", "stop of sliding")
_KINDS = ", ".join(f"{k} {name}" for k, name in enumerate(EVENT_KINDS, 1))
_EVENT = ("event",)
# Columns of Trajectory.events.
EVENT_LOG = (
    Variable("event_time", "s", _EVENT, "time of the event"),
    Variable("event_kind", "1", _EVENT, _KINDS),
    Variable("event_link", "1", _EVENT, "link in contact"),
    Variable(
        "event_peg", "1", _EVENT, "peg it is in contact with; -1, -2: limits of the joint behind it"
    ),
)

# Kinds of what is touched, counted from 1.
CONTACT_KINDS = ("peg", "wall", "terrain", "load", "link")
_THINGS = ", ".join(f"{k} {name}" for k, name in enumerate(CONTACT_KINDS, 1))
_CONTACT, _CONTACT_AXIS = ("contact",), ("contact", "axis")
# Columns of Trajectory.contacts; their sources are fields of `contact_table.ContactTable`.
CONTACT_LOG = tuple(
    Variable(f"contact_{name}", unit, dims, meaning, name, feature=CONTACTS, since=3, dtype=dtype)
    for name, unit, dims, dtype, meaning in (
        ("time", "s", _CONTACT, np.float64, "time of the row that the contact is in"),
        ("link", "1", _CONTACT, np.int64, "link that is pushed; -1: a load is"),
        ("load", "1", _CONTACT, np.int64, "load that is pushed; -1: a link is"),
        ("kind", "1", _CONTACT, np.int64, f"what it touches: {_THINGS}"),
        (
            *("index", "1", _CONTACT, np.int64),
            "which of the pegs, walls, loads or links; 0 for the terrain",
        ),
        ("point", "m", _CONTACT_AXIS, np.float64, "where it was touched last"),
        ("normal", "1", _CONTACT_AXIS, np.float64, "direction there from what it touches to it"),
        ("normal_force", "N", _CONTACT_AXIS, np.float64, f"force along the normals, {_MEAN}"),
        (
            *("tangential_force", "N", _CONTACT_AXIS, np.float64),
            f"friction across the normals, {_MEAN}",
        ),
        (
            *("sticks", "1", _CONTACT, np.bool_),
            "whether friction was within its bound when it was touched last",
        ),
    )
)

# What is recorded in each row besides the time.
VARIABLES: dict[str, Variable] = {
    variable.name: variable for variable in (*_MOTION, *LEDGER, *CERTIFICATE)
}
# Types of all that is recorded.
DTYPES = {each.dtype for each in (TIME, *VARIABLES.values(), *EVENT_LOG, *CONTACT_LOG)}
