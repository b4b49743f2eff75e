"""Robots in blocks of lanes in the middle of a Newton iteration, everything in them random."""

from __future__ import annotations

from typing import Any

import numpy as np

import serpenoid as sp
from serpenoid.engine.assemble import pack_robot, pack_world
from serpenoid.engine.recording import new_record
from serpenoid.kernels import layout
from serpenoid.kernels.lanes import load_lanes
from serpenoid.kernels.laws import GROUND_LAWS
from tests.calling import called

load = called(load_lanes)

DT, STIFFNESS = 1e-3, 1e2
# Velocity that gravity adds in a step, m/s.
FALL = (3e-3, -7e-3)


def lanes(body: layout.Body, name: str) -> Any:
    """One field of all lanes, idle ones included, as it is now."""
    return body.blocks[name].ravel().copy()


def fill(body: layout.Body, count: int, **fields: Any) -> None:
    """Write fields of the first lanes."""
    for name, values in fields.items():
        whole = lanes(body, name)
        whole[:count] = values
        body.blocks[name] = whole.reshape(body.blocks[name].shape)


def loaded(n: int) -> layout.Body:
    """A robot at rest in blocks of lanes."""
    return load_with(layout.HELD_GAIT, n)


def load_with(gait: layout.PackedGait, n: int) -> layout.Body:
    """The same with a gait; always with rotors, of which there may be none."""
    robot = sp.Robot.uniform(n, length=0.1, mass=0.5, radius=0.02)
    body = pack_robot(robot)._replace(rotors=np.zeros(0, np.int64))
    load(pack_world(sp.World(), robot), body, gait, new_record(1, n, 0, set()))
    return body


def random_body(n: int, seed: int, locked: float = 0.0) -> layout.Body:
    """Links with all laws of links and one contact each; joints with all laws of joints.

    Args:
        n: Number of links.
        seed: Of all numbers.
        locked: Probability of a joint to be prescribed; of the others some are series-elastic.
    """
    random = np.random.default_rng(seed)
    body = loaded(n)
    _random_links(body, n, random)
    _random_ground(body, n, random)
    _random_fluid(body, n, np.random.default_rng([seed, 1]))
    _random_contacts(body, n, random)
    body = _with_supports(body, n, np.random.default_rng([seed, 2]))
    return _with_joints(body, n, random, locked)


def _random_links(body: layout.Body, n: int, random: np.random.Generator) -> None:
    length, mass = random.uniform(0.05, 0.2, n), random.uniform(0.1, 2.0, n)
    off = random.uniform(-0.25, 0.25, n) * length
    theta = random.uniform(-np.pi, np.pi, n)
    fill(
        body,
        n,
        mass=mass,
        inertia=mass * length**2 * random.uniform(0.05, 0.2, n),
        half=length / 2,
        back=length / 2 + off,
        front=length / 2 - off,
        mid=theta,
        ex=np.cos(theta),
        ey=np.sin(theta),
    )
    for name in ("vx", "vy", "omega", "ux", "uy", "uw", "dx", "dy", "dw"):
        fill(body, n, **{name: random.normal(size=n)})


def _random_ground(body: layout.Body, n: int, random: np.random.Generator) -> None:
    forward, backward, side, spin = random.uniform(1e-3, 1e-2, (4, n))
    largest, mass = np.max([forward, backward, side], axis=0), lanes(body, "mass")[:n]
    old = random.uniform(-0.7, 0.7, (2, n))
    axis = np.where(old[0] > 0.0, backward, forward)
    fill(body, n, forward=forward, backward=backward, side=side, spin=spin, largest=largest)
    fill(body, n, axis=axis, axis_inverse=1.0 / axis, side_inverse=1.0 / side)
    # So that about half of the links stick.
    r = 10.0 ** random.uniform(-1.0, 1.0, n) / largest
    fill(body, n, dry_r=r, dry_unit=mass / largest**2, dry_scale=largest / mass)
    fill(body, n, old_x=old[0], old_y=old[1], old_w=random.uniform(-1.0, 1.0, n))
    fill(body, n, spin_r=10.0 ** random.uniform(-1.0, 1.0, n))
    fill(body, n, along=random.uniform(0.0, 1.0, n), across=random.uniform(0.0, 1.0, n))
    fill(body, n, turn=random.uniform(0.0, 1e-2, n))
    fill(body, n, drag_a=random.uniform(0.0, 1.0, n), drag_b=random.uniform(0.0, 1.0, n))
    fill(body, n, drag_w=random.uniform(0.0, 1e-2, n))
    fill(body, n, box_a=forward, box_b=side, box_pa=old[0], box_pb=old[1])
    fill(body, n, box_ra=random.uniform(0.1, 10.0, n), box_rb=random.uniform(0.1, 10.0, n))
    fill(body, n, smooth_b=backward, smooth_e=random.uniform(0.1, 1.0, n))
    robot: Any = body.robot[0]
    robot.directional = robot.rubs = True
    for law in GROUND_LAWS:
        robot[law.name] = True


def _random_fluid(body: layout.Body, n: int, random: np.random.Generator) -> None:
    fill(body, n, added_a=random.uniform(0.0, 1.0, n), added_b=random.uniform(0.0, 1.0, n))
    fill(body, n, added_w=random.uniform(0.0, 1e-2, n))
    fill(body, n, fluid_x=random.normal(size=n), fluid_y=random.normal(size=n))
    robot: Any = body.robot[0]
    robot.bound_time = DT


def _with_supports(body: layout.Body, n: int, random: np.random.Generator) -> layout.Body:
    """Two or three points under each link, anywhere about its centre."""
    owner = np.sort(np.concatenate([np.arange(n), np.arange(n), random.permutation(n)[: n // 2]]))
    count = len(owner)
    supports: Any = np.zeros(count, layout.SUPPORT).view(np.recarray)
    supports.body = supports.lane = owner
    supports.a, supports.b = random.uniform(-0.1, 0.1, (2, count))
    supports.share = random.uniform(0.2, 0.5, count)
    supports.da, supports.db = random.uniform(1e-3, 1e-2, (2, count))
    supports.r = 10.0 ** random.uniform(-1.0, 1.0, count) / np.maximum(supports.da, supports.db)
    supports.old_a, supports.old_b = random.uniform(-0.7, 0.7, (2, count))
    return body._replace(supports=supports)


def _random_contacts(body: layout.Body, n: int, random: np.random.Generator) -> None:
    rows: Any = body.contacts[:n]
    body.counts[0] = n
    angle = random.uniform(0, 2 * np.pi, n)
    rows.link = rows.lane = np.arange(n)
    rows.other = rows.other_lane = -1
    rows.near, rows.soft = True, random.random(n) < 0.3
    rows.nx, rows.ny = np.cos(angle), np.sin(angle)
    rows.ln, rows.lt = random.uniform(-0.1, 0.1, (2, n))
    rows.mass, rows.r = lanes(body, "mass")[:n], random.uniform(1.0, 10.0, n)
    rows.rate = 0.1 * random.normal(size=(2, n))[0]
    rows.pn, rows.pt = 30.0 * random.normal(size=(2, n))
    rows.friction, rows.cap = 0.3, random.choice([0.0, 200.0], n)


def _with_joints(
    body: layout.Body, n: int, random: np.random.Generator, locked: float
) -> layout.Body:
    m = n - 1
    joints: Any = body.joints
    elastic = np.where(random.random(m) < 0.4, layout.ELASTIC, layout.SERVO)
    joints.actuator = np.where(random.random(m) < locked, layout.PRESCRIBED, elastic)
    servo = joints.actuator == layout.SERVO
    fill(body, m, locked=joints.actuator == layout.PRESCRIBED)
    fill(body, m, jp=servo * random.normal(size=m), jk=servo * random.uniform(0.1, 1.0, m))
    fill(body, m, bound=random.choice([0.5, np.inf], m), play=servo * random.choice([0, 0.1], m))
    w, d = lanes(body, "uw")[:n], lanes(body, "dw")[:n]
    fill(body, m, rate_u=np.diff(w), drate=np.diff(d))
    joints.lower, joints.upper = -1.0, 1.0
    joints.low, joints.high = random.uniform(-1.5, -0.5, m), random.uniform(0.5, 1.5, m)
    joints.p, joints.r = 0.1 * random.normal(size=m), random.uniform(0.1, 1.0, m)
    joints.s0, joints.s1 = random.normal(size=m), random.uniform(0.1, 10, m)
    joints.torque_limit = random.choice([0.5, np.inf], m)
    joints.spring = random.choice([5.0, np.inf], m)
    joints.rotor, joints.ratio = random.uniform(1e-6, 1e-5, m), random.uniform(1, 100, m)
    joints.h, joints.c0, joints.c1 = DT, random.normal(size=m), random.uniform(0.1, 5, m)
    joints.w0, joints.psi_rate = random.normal(size=(2, m))
    robot: Any = body.robot[0]
    robot.limited, robot.plain = True, False
    return body._replace(rotors=np.flatnonzero(joints.actuator == layout.ELASTIC))
