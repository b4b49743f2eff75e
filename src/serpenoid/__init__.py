"""Snake-robot locomotion in the plane: simulate, control and analyse."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from serpenoid import interrupts

if interrupts.is_program():
    interrupts.handle_stops()  # before what takes long to import

from serpenoid import export
from serpenoid._version import __version__
from serpenoid.analysis.comparison import Comparison, compare
from serpenoid.control.admittance import Admittance
from serpenoid.control.constant_torque import ConstantTorque
from serpenoid.control.feedback import (
    Adaptation,
    ContactSensor,
    Follower,
    Heading,
    JamResolution,
    LeaderFollower,
    Recovery,
    References,
    SpreadLimit,
)
from serpenoid.control.gaits import PedalWave, Serpenoid
from serpenoid.control.interface import Command, Controller, ControllerSpec, Observation
from serpenoid.control.paths import Line, Polyline, Waypoints
from serpenoid.control.python_controller import PythonController
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
from serpenoid.later import later as _later
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

if _TYPE_CHECKING:
    from serpenoid import analysis as analysis
    from serpenoid import envs as envs
    from serpenoid import papers as papers
    from serpenoid import plots as plots
    from serpenoid import studies as studies

__all__ = [
    "Adaptation",
    "Admittance",
    "Batch",
    "Box",
    "Command",
    "Comparison",
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
    "JamResolution",
    "Joint",
    "LeaderFollower",
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
    "PythonController",
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
    "compare",
    "export",
    "fields",
    "gallery",
    "load",
    "robots",
    "simulate",
    "simulate_batch",
]

# Packages that are imported when they are first used: they take longer than the rest together.
_LATER = ("analysis", "envs", "papers", "plots", "studies")


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATER, "errors"})


if not _TYPE_CHECKING:
    __getattr__ = _later("serpenoid", {name: name for name in _LATER})
