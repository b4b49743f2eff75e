"""The one table of what a run records.

Recorder, dataset, NetCDF files, viewer, figures, documentation and tests take names, units,
dimensions and meanings from here. To add a column, add a line here and, if it is a new number, an
entry of the ledger or certificate in `kernels.layout`.
"""

from __future__ import annotations

from dataclasses import dataclass

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
        source: Array of the kernels' Record that holds it.
        index: Entry of the last axis of that array; for the ledger and the certificate, theirs.
        difference: Variable of the links whose difference across a joint it is, instead.
        feature: What a run must have for it to be recorded; empty: any run.
    """

    name: str
    unit: str
    dims: tuple[str, ...]
    meaning: str
    source: str = ""
    index: int | slice | None = None
    difference: str = ""
    feature: str = ""


# Features of a run.
SPRINGS, PEDAL, COMPLIANT, LOADS = "springs", "pedal wave", "compliant terrain", "loads"

TIME = Variable("time", "s", _TIME, "time", "time")

_MOTION = (
    Variable("x", "m", _LINK, "link centre, x", "pose", 0),
    Variable("y", "m", _LINK, "link centre, y", "pose", 1),
    Variable(
        "theta",
        "rad",
        _LINK,
        "link angle, unwrapped, counter-clockwise from the x axis",
        "pose",
        2,
    ),
    Variable("vx", "m/s", _LINK, "velocity of the link centre, x", "velocity", 0),
    Variable("vy", "m/s", _LINK, "velocity of the link centre, y", "velocity", 1),
    Variable("omega", "rad/s", _LINK, "angular velocity of the link", "velocity", 2),
    Variable(
        "joint_angle",
        "rad",
        _JOINT,
        "joint angle, theta of the link ahead minus theta behind",
        difference="theta",
    ),
    Variable("joint_rate", "rad/s", _JOINT, "joint rate", difference="omega"),
    Variable("joint_reference", "rad", _JOINT, "commanded joint angle", "reference"),
    Variable("joint_torque", "N m", _JOINT, "actuator torque, mean since the last row", "torque"),
    Variable(
        "contact_force",
        "N",
        _LINK_AXIS,
        "force of pegs and walls, normal force of terrain on the link, mean since the last row",
        "force",
        slice(0, 2),
    ),
    Variable(
        "friction_force",
        "N",
        _LINK_AXIS,
        "friction of the ground on the link, mean since the last row",
        "force",
        slice(2, 4),
    ),
    Variable("sticking", "1", _LINK, "whether dry ground friction holds the link", "sticking"),
    Variable(
        "rotor_angle",
        "rad",
        _JOINT,
        "angle of the rotor through the gear",
        "rotor",
        0,
        feature=SPRINGS,
    ),
    Variable(
        "rotor_rate",
        "rad/s",
        _JOINT,
        "rate of the rotor through the gear",
        "rotor",
        1,
        feature=SPRINGS,
    ),
    Variable(
        "spring_torque",
        "N m",
        _JOINT,
        "torque with which its spring turns the joint",
        "spring",
        feature=SPRINGS,
    ),
    Variable(
        "joint_phase",
        "rad",
        _JOINT,
        "spatial frequency of the pedal wave",
        "spatial",
        feature=PEDAL,
    ),
    Variable("load_x", "m", _LOAD, "centre of mass of the load, x", "pose", 0, feature=LOADS),
    Variable("load_y", "m", _LOAD, "centre of mass of the load, y", "pose", 1, feature=LOADS),
    Variable(
        "load_theta",
        "rad",
        _LOAD,
        "angle of the load, unwrapped, counter-clockwise",
        "pose",
        2,
        feature=LOADS,
    ),
    Variable("load_vx", "m/s", _LOAD, "velocity of the load, x", "velocity", 0, feature=LOADS),
    Variable("load_vy", "m/s", _LOAD, "velocity of the load, y", "velocity", 1, feature=LOADS),
    Variable(
        "load_omega", "rad/s", _LOAD, "angular velocity of the load", "velocity", 2, feature=LOADS
    ),
    Variable(
        "load_force",
        "N",
        _LOAD_AXIS,
        "contact force on the load, mean since the last row",
        "force",
        slice(0, 2),
        feature=LOADS,
    ),
    Variable(
        "load_friction",
        "N",
        _LOAD_AXIS,
        "friction of the ground on it, mean since the last row",
        "force",
        slice(2, 4),
        feature=LOADS,
    ),
)


def _energy(name: str, index: int, meaning: str, feature: str = "") -> Variable:
    """An entry of the energy ledger."""
    return Variable(f"energy_{name}", "J", _TIME, meaning, "ledger", index, feature=feature)


LEDGER = (
    _energy("actuator", layout.ACTUATOR, "work of the actuators since the start"),
    _energy("friction", layout.FRICTION, "work of dry friction on ground and obstacles"),
    _energy("impact", layout.IMPACT, "work of contact normals and joint limits"),
    _energy("damping", layout.DAMPING, "work of viscous friction"),
    _energy("gravity", layout.GRAVITY, "work of gravity in the plane"),
    _energy("numerical", layout.NUMERICAL, "work of re-closing the hinges, zero in the continuum"),
    _energy("residual", layout.RESIDUAL, "energy unaccounted for: rounding and solver tolerance"),
    _energy("kinetic", layout.KINETIC, "kinetic energy, rotors included"),
    _energy("spring", layout.SPRING, "work of the joints' springs", SPRINGS),
    _energy(
        "rotor",
        layout.ROTOR,
        "kinetic energy of the rotors' turning, part of the kinetic",
        SPRINGS,
    ),
    _energy(
        "contact_spring",
        layout.CONTACT_SPRING,
        "work of the springs of compliant terrain",
        COMPLIANT,
    ),
    _energy(
        "contact_damper",
        layout.CONTACT_DAMPER,
        "work of the dampers of compliant terrain",
        COMPLIANT,
    ),
)


def _certified(name: str, unit: str, index: int, meaning: str, feature: str = "") -> Variable:
    """An entry of the certificate."""
    return Variable(name, unit, _TIME, meaning, "certificate", index, feature=feature)


CERTIFICATE = (
    _certified("iterations", "1", layout.ITERATIONS, "solver iterations since the last row"),
    _certified("multiplier_updates", "1", layout.UPDATES, "multiplier updates since the last row"),
    _certified(
        "law_residual",
        "m/s",
        layout.LAW_RESIDUAL,
        "largest residual of a set-valued law since the last row",
    ),
    _certified(
        "penetration",
        "m",
        layout.PENETRATION,
        "deepest penetration of an obstacle since the last row",
    ),
    _certified("hinge_gap", "m", layout.HINGE_GAP, "largest gap in a hinge"),
    _certified(
        "step_energy_residual",
        "J",
        layout.ENERGY_RESIDUAL,
        "largest energy residual of a step since the last row",
    ),
    _certified("halvings", "1", layout.HALVINGS, "how often a step was halved since the last row"),
    _certified(
        "integrator_steps",
        "1",
        layout.INTEGRATOR_STEPS,
        "steps that the integrator tried since the last row",
        INTEGRATOR,
    ),
    _certified(
        "located_events",
        "1",
        layout.EVENTS,
        "impacts, detachments, slips and stops located since the last row",
        EVENTS,
    ),
    _certified(
        "unresolved_modes",
        "1",
        layout.UNRESOLVED,
        "how often contacts were brought to rest since the last row because no modes agreed",
        EVENTS,
    ),
)

# Kinds of located events, counted from 1.
EVENT_KINDS = ("impact", "detachment", "slip", "stop of sliding")
_EVENT = ("event",)
# Columns of Trajectory.events.
EVENT_LOG = (
    Variable("event_time", "s", _EVENT, "time of the event"),
    Variable(
        "event_kind",
        "1",
        _EVENT,
        ", ".join(f"{k} {name}" for k, name in enumerate(EVENT_KINDS, 1)),
    ),
    Variable("event_link", "1", _EVENT, "link in contact"),
    Variable("event_peg", "1", _EVENT, "peg it is in contact with"),
)

# What is recorded in each row besides the time.
VARIABLES: dict[str, Variable] = {
    variable.name: variable for variable in (*_MOTION, *LEDGER, *CERTIFICATE)
}
