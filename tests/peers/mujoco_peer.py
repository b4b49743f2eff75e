"""MuJoCo as referee: the exported chain on pegs, and the free chain's equations of motion."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal
from xml.etree import ElementTree as ET

import mujoco
import numpy as np
from mujoco import rollout

import serpenoid as sp
from tests.peers.track import AIKO, AIKO_PEGS, GRAVITY, Array, PeerRun, Track


@dataclass(frozen=True)
class MujocoOptions:
    """What is changed in the exported model; names as in MJCF. The defaults are elliptic Newton,
    converged, with one softness for all contacts.

    ground "feet": the link's mass stands on a foot that slides vertically.
    ground "pressed": the foot is rigid in the link and pressed into the ground just so
    deep that the normal force is the link's weight; no vertical degrees of freedom.
    """

    timestep: float = 1e-3
    solver: Literal["Newton", "CG", "PGS"] = "Newton"
    cone: Literal["elliptic", "pyramidal"] = "elliptic"
    integrator: Literal["Euler", "implicit", "implicitfast", "discrete"] = "implicitfast"
    jacobian: Literal["auto", "dense", "sparse"] = "auto"
    iterations: int = 100
    tolerance: float = 1e-8
    ls_iterations: int = 50
    ls_tolerance: float = 0.01
    noslip_iterations: int = 0
    impratio: float = 1.0
    ground: Literal["feet", "pressed"] = "feet"
    peg: Literal["cylinder", "sphere"] = "cylinder"
    solref: tuple[float, float] = (0.002, 1.0)
    solimp: tuple[float, float, float] = (0.9, 0.9, 0.001)
    peg_solref: tuple[float, float] = (0.002, 1.0)
    peg_solimp: tuple[float, float, float] = (0.9, 0.9, 0.001)
    disable: tuple[str, ...] = ()
    """Names of MuJoCo's option flags to switch off, such as "warmstart"."""
    enable: tuple[str, ...] = ()
    """Names of MuJoCo's option flags to switch on, such as "diagexact"."""


ELLIPTIC_NEWTON = MujocoOptions()
"""Newton's method with elliptic cones at MuJoCo's own tolerance."""

FASTEST = MujocoOptions(
    solver="CG",
    jacobian="dense",
    iterations=1,
    tolerance=1e-3,
    ls_iterations=3,
    ls_tolerance=0.1,
    impratio=9000.0,
    ground="pressed",
    peg="sphere",
    solref=(-0.01, -1.2),
    solimp=(0.001, 0.001, 0.001),
    peg_solimp=(0.5, 0.5, 0.001),
    disable=("autoreset", "island", "midphase", "multiccd", "refsafe", "sensor", "warmstart"),
)
"""The fastest setting found at 1 ms that keeps Aiko within 5 mm on the pegs at all times and
within 5 % of its speed on flat ground; for 1 ms only, `at_time_step` carries it to others."""


def at_time_step(options: MujocoOptions, timestep: float) -> MujocoOptions:
    """The same setting carried to another time step (s).

    A positive solref is a time and a damping ratio; the time stays so many steps. A negative one is
    stiffness and damping: the damping falls in longer steps, so that they stay stable, and does not
    rise in shorter ones, where MuJoCo is then nearer to the reference.
    """
    factor = timestep / options.timestep

    def scaled(solref: tuple[float, float]) -> tuple[float, float]:
        first, second = solref
        return (first * factor, second) if first > 0 else (first, second / max(1.0, factor))

    return replace(
        options,
        timestep=timestep,
        solref=scaled(options.solref),
        peg_solref=scaled(options.peg_solref),
    )


def chain_xml(
    track: Track = AIKO, pegs: Array = AIKO_PEGS, options: MujocoOptions = ELLIPTIC_NEWTON
) -> str:
    """MJCF of the chain as it is exported, solved in another way."""
    root = ET.fromstring(sp.export.mjcf(_scenario(track, pegs, options.timestep)))
    option = _only(root, "option")
    names = ("solver", "cone", "integrator", "jacobian", "iterations", "tolerance")
    for name in (*names, "ls_iterations", "ls_tolerance", "noslip_iterations", "impratio"):
        option.set(name, str(getattr(options, name)))
    flags = dict.fromkeys(options.disable, "disable") | dict.fromkeys(options.enable, "enable")
    ET.SubElement(option, "flag", flags)
    pair = _only(root, "default/default[@class='foot']/pair")
    del pair.attrib["solreffriction"]
    _soften(pair, options.solref, options.solimp)
    _soften(_only(root, "default/geom"), options.peg_solref, options.peg_solimp)
    for peg in root.findall("worldbody/geom[@class='obstacle']"):
        peg.set("type", options.peg)
    # One actuator for angle and rate costs less than two. All integrators but "discrete" are
    # implicit in velocity only, where Kp (phi_d - phi - h phi_dot) is the same implicit spring.
    own = 0.0 if options.integrator == "discrete" else options.timestep * track.stiffness
    for servo in root.findall("actuator/position"):
        servo.set("kv", str(track.damping + own))
    for servo in root.findall("actuator/velocity"):
        _only(root, "actuator").remove(servo)
    _only(root, "keyframe/key").attrib.pop("ctrl")
    if options.ground == "pressed":
        _fix_feet(root, track)
    return ET.tostring(root, encoding="unicode")


def chain_model(
    track: Track = AIKO, pegs: Array = AIKO_PEGS, options: MujocoOptions = ELLIPTIC_NEWTON
) -> mujoco.MjModel:
    """Compiled model of chain_xml; a pressed ground is tuned to carry each link's weight."""
    model = mujoco.MjModel.from_xml_string(chain_xml(track, pegs, options))
    if options.ground == "pressed":
        _press_feet(model, track)
    return model


def simulate(
    track: Track = AIKO,
    pegs: Array = AIKO_PEGS,
    options: MujocoOptions = ELLIPTIC_NEWTON,
    duration: float = 9.0,
    sample: float = 0.01,
) -> PeerRun:
    """Run the gait for duration (s) in MuJoCo's C++ loop; one sample every sample (s)."""
    model = chain_model(track, pegs, options)
    data = _placed(model)
    control = _control(track, options, duration)
    steps, initial = len(control), _state(model, data)
    begin = clock.perf_counter()
    states, _ = rollout.rollout(model, data, initial[None, :], control[None, :, :])
    elapsed = clock.perf_counter() - begin
    every = max(1, round(sample / options.timestep))
    states = np.vstack((initial[None, :], states[0]))[::every]
    x, y, theta = _link_poses(model, states[:, 1 : 1 + model.nq], track)
    return PeerRun(states[:, 0], x, y, theta, 1e6 * elapsed / steps)


def seconds_for_many(
    tracks: Sequence[Track],
    threads: int,
    options: MujocoOptions = ELLIPTIC_NEWTON,
    duration: float = 5.0,
) -> float:
    """Wall time (s) of the gaits of many robots on the pegs in MuJoCo's own threads."""
    models = [chain_model(track, AIKO_PEGS, options) for track in tracks]
    initial = np.array([_state(model, _placed(model)) for model in models])
    control = np.array([_control(track, options, duration) for track in tracks])
    data = [mujoco.MjData(models[0]) for _ in range(threads)]
    begin = clock.perf_counter()
    rollout.rollout(models, data, initial, control)
    return clock.perf_counter() - begin


def _control(track: Track, options: MujocoOptions, duration: float) -> Array:
    """What the servos follow in every step, rad, shape (steps, joints)."""
    steps = round(duration / options.timestep)
    phi, phi_dot = track.gait(options.timestep * np.arange(1, steps + 1))
    return phi + track.damping / track.stiffness * phi_dot


def _state(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """All that MuJoCo's next step depends on."""
    state = np.empty(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    return state


def free_chain(lengths: Array, masses: Array, inertias: Array) -> mujoco.MjModel:
    """Model of a chain without contact, servo or gravity; any lengths, masses and inertias.

    Coordinates: tail link's centre x, y (m), its angle (rad), then the joint angles (rad).
    """
    robot = sp.Robot.uniform(
        len(lengths),
        length=lengths.tolist(),
        mass=masses.tolist(),
        inertia=inertias.tolist(),
        radius=0.02,
        actuator=sp.Free(),
        self_contact=False,
    )
    scenario = sp.Scenario.from_plain({"robot": robot, "world": {"gravity": 0.0}})
    return mujoco.MjModel.from_xml_string(sp.export.mjcf(scenario))


def free_chain_dynamics(
    lengths: Array, masses: Array, inertias: Array, q: Array, u: Array, tau: Array
) -> tuple[Array, Array, Array]:
    """Mass matrix M, bias force h and acceleration u_dot with M u_dot + h = tau; SI units."""
    model = free_chain(lengths, masses, inertias)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, u, tau
    mujoco.mj_forward(model, data)
    mass_matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass_matrix)
    return mass_matrix, data.qfrc_bias.copy(), data.qacc.copy()


def _scenario(track: Track, pegs: Array, timestep: float) -> sp.Scenario:
    """The track as a scenario that starts in the gait's shape."""
    robot = sp.Robot.uniform(
        track.links,
        length=track.length,
        mass=track.mass,
        radius=track.radius,
        inertia=track.inertia,
        straight=2 * track.half_straight,
        actuator=sp.Servo(kp=track.stiffness, kd=track.damping),
        self_contact=False,
    )
    places = np.asarray(pegs, dtype=np.float64).reshape(-1, 2)
    return sp.Scenario.from_plain(
        {
            "robot": robot,
            "world": {"pegs": [sp.Peg(x, y, track.peg_radius) for x, y in places]},
            "friction": sp.Coulomb(track.friction),
            "start": {
                "x": track.middle[0],
                "y": track.middle[1],
                "link": track.links // 2,
                "heading_deg": float(np.degrees(track.heading)),
                "joint_angles_deg": np.degrees(track.gait(0.0)[0][0]).tolist(),
            },
            "clock": {"time_step": timestep},
            "record": {"period": timestep},
        }
    )


def _only(root: ET.Element, path: str) -> ET.Element:
    """The one element at a path."""
    (found,) = root.findall(path)
    return found


def _soften(
    element: ET.Element, solref: tuple[float, float], solimp: tuple[float, float, float]
) -> None:
    """Give contacts MuJoCo's softness parameters."""
    element.set("solref", " ".join(map(str, solref)))
    element.set("solimp", " ".join(map(str, solimp)))


def _fix_feet(root: ET.Element, track: Track) -> None:
    """Give links their mass back, and make their feet spheres in them, 1 cm in the ground."""
    for i in range(track.links):
        link = _only(root, f".//body[@name='link{i}']")
        foot = _only(link, f"body[@name='foot{i}']")
        geom = _only(foot, "geom")
        height = float(geom.attrib.pop("fromto").split()[2])
        geom.set("type", "sphere")
        geom.set("pos", f"0 0 {height - 0.01}")
        link.remove(foot)
        link.append(geom)
        inertial = _only(link, "inertial")
        inertial.set("mass", str(track.mass))
        inertial.set("diaginertia", " ".join([str(track.inertia)] * 3))
    key = _only(root, "keyframe/key")
    for name in ("qpos", "qvel"):
        key.set(name, " ".join(key.attrib[name].split()[: track.links + 2]))


def _placed(model: mujoco.MjModel) -> mujoco.MjData:
    """The chain at rest in its start pose."""
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return data


def _press_feet(model: mujoco.MjModel, track: Track) -> None:
    """Sink the feet until the ground's normal force on each equals the link's weight."""
    data = _placed(model)
    data.ctrl[:] = np.diff(track.start()[2])
    mujoco.mj_forward(model, data)
    force = np.zeros(6)
    for k in range(data.ncon):
        contact = data.contact[k]
        if contact.dim == 3:
            mujoco.mj_contactForce(model, data, k, force)
            foot = max(contact.geom1, contact.geom2)
            model.geom_pos[foot, 2] += contact.dist * (track.mass * GRAVITY / force[0] - 1.0)


def _link_poses(model: mujoco.MjModel, qpos: Array, track: Track) -> tuple[Array, Array, Array]:
    """Link centres x, y (m) and angles (rad) of rows of MuJoCo positions."""
    names = ["root_x", "root_y", "root_angle"] + [f"hinge{j}" for j in range(track.links - 1)]
    q = qpos[:, [model.joint(name).qposadr[0] for name in names]]
    theta = np.cumsum(q[:, 2:], axis=1)
    half_x, half_y = 0.5 * track.length * np.cos(theta), 0.5 * track.length * np.sin(theta)
    zero = np.zeros((len(q), 1))
    x = q[:, :1] + np.hstack((zero, np.cumsum(half_x[:, :-1] + half_x[:, 1:], axis=1)))
    y = q[:, 1:2] + np.hstack((zero, np.cumsum(half_y[:, :-1] + half_y[:, 1:], axis=1)))
    return x, y, theta
