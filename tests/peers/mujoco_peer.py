"""MuJoCo as referee: the planar chain on pegs, and the free chain's equations of motion."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np
from mujoco import rollout

from tests.peers.track import AIKO, AIKO_PEGS, GRAVITY, Array, PeerRun, Track

HEIGHT = 0.1
"""Height of the chain's plane above the ground, m; no result depends on it."""

FOOT_RADIUS = 0.02
"""Of the sphere that carries a link, m; no result depends on it."""

CARRIER = 1e-6
"""Share of a link's mass that does not stand on its foot."""


@dataclass(frozen=True)
class MujocoOptions:
    """How MuJoCo solves; names as in MJCF. The defaults are elliptic Newton, converged.

    ground "feet": the link's mass stands on a sphere that slides vertically.
    ground "pressed": the sphere is rigid in the link and pressed into the ground just so
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
    peg: Literal["cylinder", "capsule", "sphere"] = "cylinder"
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
within 5 % of its speed on flat ground; for 1 ms only."""


def chain_xml(
    track: Track = AIKO, pegs: Array = AIKO_PEGS, options: MujocoOptions = ELLIPTIC_NEWTON
) -> str:
    """MJCF of the chain: planar root at the tail's centre, hinges, servos, feet and pegs."""
    bodies = ""
    for i in reversed(range(track.links)):
        bodies = _link_xml(i, track, options, bodies)
    peg_contact = _contact_attributes(options.peg_solref, options.peg_solimp)
    peg_xml = "".join(
        f'<geom type="{options.peg}" size="{_peg_size(track, options)}" pos="{x} {y} {HEIGHT}"'
        f' contype="0" conaffinity="1" condim="1" {peg_contact}/>'
        for x, y in np.asarray(pegs, dtype=np.float64).reshape(-1, 2)
    )
    stiffness, damping = servo_gains(track, options)
    servos = "".join(
        f'<position joint="hinge{j}" kp="{stiffness}" kv="{damping}"/>'
        for j in range(track.links - 1)
    )
    flags = " ".join(
        [f'{name}="disable"' for name in options.disable]
        + [f'{name}="enable"' for name in options.enable]
    )
    return f"""
    <mujoco>
      <compiler angle="radian" autolimits="true"/>
      <option timestep="{options.timestep}" gravity="0 0 {-GRAVITY}"
        solver="{options.solver}" cone="{options.cone}" integrator="{options.integrator}"
        jacobian="{options.jacobian}" iterations="{options.iterations}"
        tolerance="{options.tolerance}" ls_iterations="{options.ls_iterations}"
        ls_tolerance="{options.ls_tolerance}" impratio="{options.impratio}"
        noslip_iterations="{options.noslip_iterations}"><flag {flags}/></option>
      <worldbody>
        <geom name="ground" type="plane" size="5 5 1" contype="0" conaffinity="2" condim="3"
          friction="{track.friction} 0 0" {_contact_attributes(options.solref, options.solimp)}/>
        {peg_xml}
        {bodies}
      </worldbody>
      <actuator>{servos}</actuator>
    </mujoco>"""


def servo_gains(track: Track, options: MujocoOptions) -> tuple[float, float]:
    """Kp (N m/rad) and the rate gain (N m s/rad) that make MuJoCo's servo implicit.

    "discrete" is implicit in position by itself; the others are only so in velocity, where
    Kp (phi_d - phi - h phi_dot) is the same implicit spring.
    """
    own = 0.0 if options.integrator == "discrete" else options.timestep * track.stiffness
    return track.stiffness, track.damping + own


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
    data = mujoco.MjData(model)
    steps = round(duration / options.timestep)
    phi, phi_dot = track.gait(options.timestep * np.arange(1, steps + 1))
    control = phi + track.damping / track.stiffness * phi_dot
    _place(model, data, track)
    initial = np.empty(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, initial, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    begin = clock.perf_counter()
    states, _ = rollout.rollout(model, data, initial[None, :], control[None, :, :])
    elapsed = clock.perf_counter() - begin
    every = max(1, round(sample / options.timestep))
    states = np.vstack((initial[None, :], states[0]))[::every]
    x, y, theta = _link_poses(model, states[:, 1 : 1 + model.nq], track)
    return PeerRun(states[:, 0], x, y, theta, 1e6 * elapsed / steps)


def free_chain(lengths: Array, masses: Array, inertias: Array) -> mujoco.MjModel:
    """Model of a chain without contact, servo or gravity; any lengths, masses and inertias.

    Coordinates: tail link's centre x, y (m), its angle (rad), then the joint angles (rad).
    """
    bodies = ""
    for i in reversed(range(len(lengths))):
        offset = 0.5 * float(lengths[i - 1] + lengths[i]) if i else 0.0
        bodies = (
            f'<body pos="{offset!r} 0 0">{_joints_xml(i, lengths[i])}'
            f"{_inertial_xml(masses[i], inertias[i])}{bodies}</body>"
        )
    return mujoco.MjModel.from_xml_string(
        '<mujoco><compiler angle="radian"/><option gravity="0 0 0"/>'
        f"<worldbody>{bodies}</worldbody></mujoco>"
    )


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


def _link_xml(i: int, track: Track, options: MujocoOptions, child: str) -> str:
    """Body of link i around the XML of the links ahead of it."""
    feet = options.ground == "feet"
    offset = f"{track.length} 0 0" if i else f"0 0 {HEIGHT}"
    ground_contact = _contact_attributes(options.solref, options.solimp)
    foot = (
        f'<geom name="foot{i}" type="sphere" size="{FOOT_RADIUS}" mass="0"'
        f' pos="0 0 {FOOT_RADIUS - HEIGHT - (0.0 if feet else 0.01)}" contype="2"'
        f' conaffinity="0" condim="3" friction="{track.friction} 0 0" {ground_contact}/>'
    )
    if feet:
        foot = (
            f'<body>{foot}<joint name="lift{i}" type="slide" axis="0 0 1"/>'
            f"{_inertial_xml((1.0 - CARRIER) * track.mass, CARRIER * track.inertia)}</body>"
        )
    carried = CARRIER if feet else 1.0
    return (
        f'<body pos="{offset}">{_joints_xml(i, track.length)}'
        f"{_inertial_xml(carried * track.mass, track.inertia)}"
        f'<geom type="capsule" size="{track.radius}" mass="0" contype="1" conaffinity="0"'
        f' fromto="{-track.half_straight} 0 0 {track.half_straight} 0 0" condim="1"'
        f" {_contact_attributes(options.peg_solref, options.peg_solimp)}/>"
        f"{foot}{child}</body>"
    )


def _joints_xml(i: int, length: float) -> str:
    """Planar root for link 0, a hinge at the rear end of every other link."""
    if i:
        hinge = -0.5 * float(length)
        return f'<joint name="hinge{i - 1}" type="hinge" axis="0 0 1" pos="{hinge!r} 0 0"/>'
    return (
        '<joint name="root_x" type="slide" axis="1 0 0"/>'
        '<joint name="root_y" type="slide" axis="0 1 0"/>'
        '<joint name="root_angle" type="hinge" axis="0 0 1"/>'
    )


def _inertial_xml(mass: float, inertia: float) -> str:
    """Mass (kg) and an inertia (kg m^2) of which only the vertical axis matters."""
    return (
        f'<inertial pos="0 0 0" mass="{float(mass)!r}"'
        f' diaginertia="{float(inertia)!r} {float(inertia)!r} {float(inertia)!r}"/>'
    )


def _contact_attributes(solref: tuple[float, float], solimp: tuple[float, float, float]) -> str:
    """MuJoCo's softness parameters of one geom."""
    return f'solref="{solref[0]} {solref[1]}" solimp="{solimp[0]} {solimp[1]} {solimp[2]}"'


def _peg_size(track: Track, options: MujocoOptions) -> str:
    """Radius (m) and, unless a sphere, half height (m): all give the same plane section."""
    return f"{track.peg_radius}" + ("" if options.peg == "sphere" else f" {0.5 * HEIGHT}")


def _place(model: mujoco.MjModel, data: mujoco.MjData, track: Track) -> None:
    """Put the chain at rest in its start pose."""
    x, y, theta = track.start()
    data.joint("root_x").qpos[0] = x[0]
    data.joint("root_y").qpos[0] = y[0]
    data.joint("root_angle").qpos[0] = theta[0]
    for j, phi in enumerate(np.diff(theta)):
        data.joint(f"hinge{j}").qpos[0] = phi


def _press_feet(model: mujoco.MjModel, track: Track) -> None:
    """Sink the feet until the ground's normal force on each equals the link's weight."""
    data = mujoco.MjData(model)
    _place(model, data, track)
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
