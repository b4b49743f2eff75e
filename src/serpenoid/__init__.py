"""Snake-robot locomotion in the plane: simulate, control and analyse."""

from serpenoid import export, fields, robots
from serpenoid._version import __version__
from serpenoid.batch.batch import Batch
from serpenoid.batch.runs import simulate_batch
from serpenoid.control.admittance import Admittance
from serpenoid.control.controller import Command, Controller, ControllerSpec, Observation
from serpenoid.control.gaits import PedalWave, Serpenoid
from serpenoid.control.guidance import Line, Polyline, Waypoints
from serpenoid.control.parts import (
    Adaptation,
    ContactSensor,
    Follower,
    Heading,
    Recovery,
    References,
    SpreadLimit,
)
from serpenoid.control.recipes import adaptive_path_following
from serpenoid.control.torques import ConstantTorque
from serpenoid.errors import (
    ControllerError,
    Interrupted,
    InvalidInput,
    OutputError,
    SerpenoidError,
    SimulationStopped,
    UnsupportedLaw,
)
from serpenoid.laws.actuator import Free, Prescribed, SeriesElastic, Servo, Torque
from serpenoid.laws.contact import Compliant, Contact, Hard
from serpenoid.laws.friction import (
    Coulomb,
    DirectionalCoulomb,
    FrictionLaw,
    OrthotropicCoulomb,
    SpinCoulomb,
    Viscous,
)
from serpenoid.loads import Box, Disc
from serpenoid.robot import Joint, Link, Robot, Wheels
from serpenoid.scenario.scenario import Scenario, gallery
from serpenoid.simulate import simulate
from serpenoid.solvers.methods import Explicit, Hybrid, Newton, Prox
from serpenoid.solvers.state import State
from serpenoid.start import Start
from serpenoid.terrain import Flat, Profile, Rough, Slope, Stairs
from serpenoid.trajectory import Trajectory, load
from serpenoid.world import Patch, Peg, Wall, World

__all__ = [
    "Adaptation",
    "Admittance",
    "Batch",
    "Box",
    "Command",
    "Compliant",
    "ConstantTorque",
    "Contact",
    "ContactSensor",
    "Controller",
    "ControllerError",
    "ControllerSpec",
    "Coulomb",
    "DirectionalCoulomb",
    "Disc",
    "Explicit",
    "Flat",
    "Follower",
    "Free",
    "FrictionLaw",
    "Hard",
    "Heading",
    "Hybrid",
    "Interrupted",
    "InvalidInput",
    "Joint",
    "Line",
    "Link",
    "Newton",
    "Observation",
    "OrthotropicCoulomb",
    "OutputError",
    "Patch",
    "PedalWave",
    "Peg",
    "Polyline",
    "Prescribed",
    "Profile",
    "Prox",
    "Recovery",
    "References",
    "Robot",
    "Rough",
    "Scenario",
    "SeriesElastic",
    "Serpenoid",
    "SerpenoidError",
    "Servo",
    "SimulationStopped",
    "Slope",
    "SpinCoulomb",
    "SpreadLimit",
    "Stairs",
    "Start",
    "State",
    "Torque",
    "Trajectory",
    "UnsupportedLaw",
    "Viscous",
    "Wall",
    "Waypoints",
    "Wheels",
    "World",
    "__version__",
    "adaptive_path_following",
    "export",
    "fields",
    "gallery",
    "load",
    "robots",
    "simulate",
    "simulate_batch",
]
