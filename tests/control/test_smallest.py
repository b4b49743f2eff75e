"""The smallest robots: one link and two, with every controller, path and method, in every world.

`make bounds` runs this with bounds checked, so that an access outside an array is an error.
"""

from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control.interface import ControllerSpec
from serpenoid.control.paths import Guidance
from serpenoid.methods.method import Method

WAVE = sp.Follower(20, 40, delay=0.01)
LEADER = sp.LeaderFollower(20, 40, delay=0.01)
PATHS: dict[str, Any] = {
    "line": sp.Line(),
    # Reached at once: there is no next one.
    "waypoints": sp.Waypoints(((0.001, 0.0),), acceptance=0.1),
    "polyline": sp.Polyline(((0.0, 0.0), (0.001, 0.0))),
}
HEADINGS = {name: sp.Heading(1.3, look_ahead=0.7, path=path) for name, path in PATHS.items()}
# Jammed from the second tick on, then forward again, and jammed again.
RECOVERY = sp.Recovery(distance=1.0, time=0.005, back=0.015)
RESOLUTION = sp.JamResolution(0.02, distance=1.0, time=0.005, duration=0.015)
ADAPTATION = sp.Adaptation(0.02)
OWN = sp.PythonController("tests.control.own_controllers:Bend")
SENSOR = sp.ContactSensor(noise=0.1, quantum=0.01, delay=0.02)


def controllers(joints: int) -> dict[str, Any]:
    """One of every kind, each path, and all parts at once."""
    parts = (WAVE, ADAPTATION, HEADINGS["waypoints"], RECOVERY, sp.SpreadLimit(90.0))
    pedal = sp.PedalWave(5, 180, (1.0,) * joints)
    found = {f"heading {name}": heading for name, heading in HEADINGS.items()}
    return found | {
        "none": None,
        "serpenoid": sp.Serpenoid(5.0, 90.0, -40.0),
        "pedal_wave": pedal,
        "admittance": sp.Admittance(pedal, 1.0),
        "constant_torque": sp.ConstantTorque((0.01,) * joints),
        "follower": WAVE,
        "leader_follower": LEADER,
        "adaptation": ADAPTATION,
        "recovery": WAVE + RECOVERY,
        "jam_resolution": LEADER + RESOLUTION,
        "spread_limit": sp.SpreadLimit(90.0),
        "references": sp.References(parts, cutoff=None, sensor=SENSOR),
        "references own": sp.References((*parts, OWN), cutoff=None),
        "python": OWN,
    }


GROUND, PEG = sp.Coulomb(0.3), sp.Peg(0.0, 0.041, 0.02)
SOFT = sp.Slope(10.0, 0.3, contact=sp.Compliant(1e3, 10.0))
WORLDS: dict[str, Any] = {
    "nothing": sp.World(),
    "ground": sp.World(GROUND),
    "peg": sp.World(GROUND, pegs=(PEG,)),
    "wall": sp.World(walls=(sp.Wall(((-1.0, 0.021), (1.0, 0.021))),)),
    "disc": sp.World(GROUND, loads=(sp.Disc(x=0.0, y=0.041, radius=0.02, mass=0.1),)),
    "box": sp.World(GROUND, loads=(sp.Box(x=0.0, y=0.041, width=0.04, height=0.04, mass=0.1),)),
    "slope": sp.World(plane="vertical", terrain=sp.Slope(10.0, 0.3)),
    "soft slope": sp.World(plane="vertical", terrain=SOFT),
}
METHODS: dict[str, Any] = {
    "newton": sp.Newton(),
    "prox": sp.Prox(r_tangential=0.3),
    "hybrid": sp.Hybrid(),
    "explicit": sp.Explicit(),
}
# What each method resolves; all controllers are tried in the last.
RESOLVED = {
    "newton": [*(name for name in WORLDS if name != "peg"), "peg"],
    "prox": ["nothing", "ground", "peg", "wall"],
    "hybrid": ["nothing", "ground", "peg"],
    "explicit": ["soft slope", "nothing"],
}
EACH_WORLD = [(method, world) for method, worlds in RESOLVED.items() for world in worlds]


def check_run(links: int, world: str, controller: Any, method: str) -> None:
    """Run a robot that moves into what is near it for 60 ms, and see that all of it is finite."""
    torque = isinstance(controller, sp.ConstantTorque)
    actuator = sp.Torque() if torque else sp.Servo(0.5, 0.005)
    robot = sp.Robot.uniform(links, length=0.1, mass=0.5, radius=0.02, actuator=actuator)
    above = 0.1 if "slope" in world else 0.0
    start = sp.Start(y=above, velocity=(0.02, 0.1), joint_angles_deg=(0.0,) * (links - 1))
    run = sp.simulate(
        robot,
        WORLDS[world],
        controller,
        0.06,
        start=start,
        time_step=1e-4 if method == "explicit" else 1e-3,
        solver=METHODS[method],
        record_contacts=method == "newton",
    )
    assert all(np.isfinite(column).all() for column in run.columns.values())
    assert run.time[-1] == pytest.approx(0.06)


def test_every_controller_path_and_method_is_here() -> None:
    kinds = {name.split()[0] for name in controllers(1)}
    # Other tests add some of their own.
    known = ControllerSpec.offered().items()
    assert kinds - {"none"} == {kind for kind, of in known if of.__module__.startswith("serpenoid")}
    assert set(PATHS) == set(Guidance.offered())
    assert set(METHODS) == set(Method.offered())


@pytest.mark.parametrize("links", [1, 2])
@pytest.mark.parametrize("name", list(controllers(1)))
@pytest.mark.parametrize("method", list(METHODS))
def test_controllers(method: str, name: str, links: int) -> None:
    check_run(links, RESOLVED[method][-1], controllers(links - 1)[name], method)


@pytest.mark.parametrize("links", [1, 2])
@pytest.mark.parametrize(("method", "world"), EACH_WORLD)
def test_worlds(method: str, world: str, links: int) -> None:
    check_run(links, world, sp.Serpenoid(5.0, 90.0, -40.0), method)
