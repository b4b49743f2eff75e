"""Snake-robot locomotion in the plane: simulate, control and analyse."""

from serpenoid import interrupts

if interrupts.is_program():
    interrupts.handle_stops()  # before what takes long to import

from serpenoid import export
from serpenoid._version import __version__
from serpenoid.control.admittance import Admittance
from serpenoid.control.constant_torque import ConstantTorque
from serpenoid.control.feedback import (
    Adaptation,
    ContactSensor,
    Follower,
    Heading,
    Recovery,
    References,
    SpreadLimit,
)
from serpenoid.control.gaits import PedalWave, Serpenoid
from serpenoid.control.interface import Command, Controller, ControllerSpec, Observation
from serpenoid.control.paths import Line, Polyline, Waypoints
from serpenoid.control.recipes import adaptive_path_following
from serpenoid.engine.batch import Batch
from serpenoid.engine.batch_runs import simulate_batch
from serpenoid.engine.simulate import simulate
from serpenoid.engine.storage import load
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import (
    ControllerError,
    Interrupted,
    InvalidInput,
    OutputError,
    RoughRun,
    SerpenoidError,
    SimulationStopped,
    UnsupportedLaw,
)
from serpenoid.methods.default import Newton
from serpenoid.methods.explicit import Explicit
from serpenoid.methods.hybrid import Hybrid
from serpenoid.methods.prox import Prox
from serpenoid.model import fields, robots
from serpenoid.model.actuator import Free, Prescribed, SeriesElastic, Servo, Torque
from serpenoid.model.contact import Compliant, Contact, Hard
from serpenoid.model.friction import (
    Coulomb,
    DirectionalCoulomb,
    DistributedCoulomb,
    Fluid,
    FrictionLaw,
    OrthotropicCoulomb,
    RectangularCoulomb,
    SmoothCoulomb,
    SpinCoulomb,
    Viscous,
)
from serpenoid.model.loads import Box, Disc
from serpenoid.model.robot import Joint, Link, Robot, Wheels
from serpenoid.model.start import Start
from serpenoid.model.state import State
from serpenoid.model.terrain import Flat, Profile, Rough, Slope, Stairs
from serpenoid.model.world import Patch, Peg, Wall, World
from serpenoid.scenario.scenario import Scenario, gallery

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
    "DistributedCoulomb",
    "Explicit",
    "Flat",
    "Fluid",
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
    "RectangularCoulomb",
    "References",
    "Robot",
    "Rough",
    "RoughRun",
    "Scenario",
    "SeriesElastic",
    "Serpenoid",
    "SerpenoidError",
    "Servo",
    "SimulationStopped",
    "Slope",
    "SmoothCoulomb",
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
