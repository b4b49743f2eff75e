"""MuJoCo as referee of pedal waves: a chain with springs and rotors on soft, level ground.

MuJoCo lets contact forces act half way between the two surfaces, here half as deep as a point has
sunk. On soft ground that is a lever for friction, as if the points were small wheels: at 350 N/m,
where links sink by 2 cm, MuJoCo's robot is 28 % slower. The paper's equations with that lever give
MuJoCo's speed within 1.5 %.
"""

from __future__ import annotations

import mujoco
import numpy as np

import serpenoid as sp
from tests.peers.track import GRAVITY, Array

SOFTNESS = 1e-4
"""Impedance of the contacts, the least MuJoCo allows: force is then that of spring and damper."""

STICKING = 1e7
"""How much stiffer contacts are along the ground, where friction must hold, than across it."""

SETTLING = 1e4
"""How fast friction brings a point to rest that it can hold, 1/s: within a step of 0.1 ms."""

POINT = 1e-4
"""Radius of the spheres that stand for points of contact, m."""


def _drives(robot: sp.Robot) -> list[sp.SeriesElastic]:
    drives = [joint.actuator for joint in robot.joints]
    return [drive for drive in drives if isinstance(drive, sp.SeriesElastic)]


def pedal_xml(robot: sp.Robot, friction: float, time_step: float) -> str:
    """MJCF of the robot along x in the plane of x and z: points of contact, rotors, springs.

    A rotor is a body in the hinge, turned by its motor against the link behind; the link ahead
    hangs on it by a spring. Its own inertia, through the gear, is the joint's armature; that it
    turns with the link behind as well, by 1 in `gear_ratio`, MuJoCo has no place for.
    """
    inner, pairs = "", ""
    for j in reversed(range(len(robot.links))):
        link = robot.links[j]
        rest = inner
        if j < len(robot.joints):
            drive = _drives(robot)[j]
            armature = drive.rotor_inertia * drive.gear_ratio**2
            rest = f"""
            <body pos="{link.length} 0 0">
              <inertial pos="0 0 0" mass="{drive.rotor_mass}" diaginertia="1e-9 1e-9 1e-9"/>
              <joint name="psi{j}" type="hinge" axis="0 -1 0" armature="{armature}"/>{inner}
            </body>"""
        root = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>'
        spring = "0"
        if j > 0:
            root = ""
            spring = str(_drives(robot)[j - 1].stiffness)
        places = [0.0, link.length / 2] + [link.length] * (j == len(robot.links) - 1)
        points = "".join(
            f'<geom name="point{j}.{k}" type="sphere" size="{POINT}" pos="{x} 0 0" mass="0"/>'
            for k, x in enumerate(places)
        )
        pairs += "".join(
            f'<pair geom1="ground" geom2="point{j}.{k}" condim="3" '
            f'friction="{friction} {friction}"/>'
            for k in range(len(places))
        )
        inertia = link.moment_of_inertia
        inner = f"""
        <body name="link{j}">{root}
          <joint name="turn{j}" type="hinge" axis="0 -1 0" stiffness="{spring}"/>
          <inertial pos="{link.length / 2} 0 0" mass="{link.mass}"
            diaginertia="{inertia} {inertia} {inertia}"/>{points}{rest}
        </body>"""
    motors = "".join(
        f'<position joint="psi{j}" kp="{drive.kp}" kv="{drive.kd}"/>'
        for j, drive in enumerate(_drives(robot))
    )
    return f"""
    <mujoco>
      <option timestep="{time_step}" gravity="0 0 {-GRAVITY}" cone="elliptic"
        integrator="implicitfast" impratio="{STICKING}" tolerance="1e-14" iterations="200"/>
      <default><geom contype="0" conaffinity="0"/></default>
      <worldbody>
        <geom name="ground" type="plane" size="5 5 1" pos="0 0 {-POINT}"/>{inner}
      </worldbody>
      <contact>{pairs}</contact>
      <actuator>{motors}</actuator>
    </mujoco>"""


def pedal_run(
    robot: sp.Robot,
    gait: sp.PedalWave,
    ground: sp.Flat,
    duration: float,
    time_step: float = 1e-4,
    every: int = 100,
) -> tuple[Array, Array, Array]:
    """Time (s), x of the mean of the links' middles (m), spring torques (N m), from straight."""
    law = ground.contact
    assert isinstance(law, sp.Compliant)
    drives = _drives(robot)
    model = mujoco.MjModel.from_xml_string(pedal_xml(robot, ground.friction, time_step))
    model.pair_solimp[:, :2] = SOFTNESS
    model.pair_solreffriction[:] = -1e-9, -SETTLING * SOFTNESS
    for pair in range(model.npair):
        # Force = reference acceleration over R, R = (1 - impedance) / impedance * this weight.
        body = model.geom_bodyid[max(model.pair_geom1[pair], model.pair_geom2[pair])]
        weight = (1 - SOFTNESS) * model.body_invweight0[body, 0]
        model.pair_solref[pair] = -law.stiffness * weight, -law.damping * weight
    data = mujoco.MjData(model)
    joints = len(robot.joints)
    springs = [model.joint(f"turn{j + 1}").qposadr[0] for j in range(joints)]
    stiffness, kp, kd = (
        np.array([getattr(drive, name) for drive in drives]) for name in ("stiffness", "kp", "kd")
    )
    bodies = [model.body(f"link{j}").id for j in range(joints + 1)]
    steps = round(duration / time_step)
    rows = []
    for step in range(steps + 1):
        if step % every == 0:
            mujoco.mj_kinematics(model, data)
            rows.append(
                (step * time_step, data.xipos[bodies, 0].mean(), -stiffness * data.qpos[springs])
            )
        t = step * time_step
        data.ctrl[:] = gait.angles(joints, t) + kd / kp * gait.rates(joints, t)
        mujoco.mj_step(model, data)
    time, x, torque = zip(*rows, strict=True)
    return np.array(time), np.array(x), np.array(torque)
