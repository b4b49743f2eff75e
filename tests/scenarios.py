"""Seeded random scenarios over everything the engine offers."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

import serpenoid as sp
from serpenoid.errors import Overlap
from serpenoid.model.friction import FrictionLaw


@dataclass(frozen=True)
class Case:
    """What `simulate` needs."""

    robot: sp.Robot
    world: sp.World
    gait: sp.Serpenoid
    start: sp.Start


def with_self_contact(case: Case) -> Case:
    """The case with links that touch each other, unless they overlap at the start."""
    robot = dataclasses.replace(case.robot, self_contact=True)
    try:
        sp.simulate(robot, sp.World(), case.gait, 0.01, start=case.start)
    except Overlap:
        return case
    return dataclasses.replace(case, robot=robot)


def _friction(random: np.random.Generator) -> FrictionLaw | None:
    mu = random.uniform(0.05, 0.8)
    dry: FrictionLaw = [
        sp.Coulomb(mu),
        sp.OrthotropicCoulomb(along=mu * random.uniform(0.1, 1), across=mu),
        sp.DirectionalCoulomb(
            forward=mu * random.uniform(0.1, 1), backward=mu * random.uniform(0.5, 2), sideways=mu
        ),
    ][random.integers(3)]
    viscous = sp.Viscous(along=random.uniform(0, 2), across=random.uniform(0, 10))
    spin = sp.SpinCoulomb(mu=mu, arm=random.uniform(0.005, 0.05))
    return [None, dry, dry, viscous, dry + viscous, dry + spin, dry + spin + viscous][
        random.integers(7)
    ]


def _actuator(random: np.random.Generator) -> sp.Servo | sp.Free:
    kind = random.integers(5)
    kp = 10 ** random.uniform(0.5, 3)
    kd = kp * 10 ** random.uniform(-3, -0.5)
    if kind == 0:
        return sp.Servo(kp=kp, kd=kd, torque_limit=random.uniform(0.5, 20))
    if kind == 1:
        return sp.Servo(kp=kp, kd=kd, deadband_deg=random.uniform(0.5, 5))
    if kind == 2 and random.random() < 0.2:
        return sp.Free()
    return sp.Servo(kp=kp, kd=kd)


def random_case(seed: int) -> Case:
    """Robot of 2 to 40 links, gait, friction map, and pegs or walls around the start pose."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 41))
    length = random.uniform(0.05, 0.2)
    radius = length * random.uniform(0.15, 0.45)
    limits = (-100.0, 100.0) if random.random() < 0.3 else None
    robot = sp.Robot.uniform(
        n,
        length=length * random.uniform(0.8, 1.2, n),
        mass=random.uniform(0.1, 2.0) * random.uniform(0.7, 1.3, n),
        radius=radius,
        actuator=_actuator(random),
        limits_deg=limits,
        # A random gait may begin with links across each other.
        self_contact=False,
    )
    gait = sp.Serpenoid(
        amplitude_deg=random.uniform(0, 50),
        frequency_deg=random.uniform(20, 360),
        phase_deg=random.uniform(-90, 90),
        offset_deg=random.uniform(-3, 3),
    )
    start = sp.Start(heading_deg=random.uniform(-180, 180))
    contact = sp.Contact(
        friction=random.choice([0.0, 0.1, 0.25, 0.5]),
        restitution=random.choice([0.0, 0.0, 0.5, 1.0]),
    )
    patches = tuple(
        sp.Patch(
            x=random.uniform(-1, 1),
            y=random.uniform(-1, 1),
            width=random.uniform(0.2, 1),
            height=random.uniform(0.2, 1),
            angle_deg=random.uniform(0, 90),
            friction=_friction(random),
        )
        for _ in range(random.integers(0, 3))
    )
    world = sp.World(
        friction=_friction(random),
        patches=patches,
        contact=contact,
        slope_deg=random.choice([0.0, 0.0, 5.0, 20.0]),
        slope_direction_deg=random.uniform(-180, 180),
    )
    world = _with_obstacles(random, robot, world, gait, start)
    return Case(robot, world, gait, start)


def _with_obstacles(
    random: np.random.Generator,
    robot: sp.Robot,
    world: sp.World,
    gait: sp.Serpenoid,
    start: sp.Start,
) -> sp.World:
    """Scatter pegs, or walls, as near to the start pose as it leaves room for."""
    rest = sp.simulate(robot, sp.World(), gait, 1e-3, start=start, record_period=1e-3)
    x, y = rest.columns["x"][0], rest.columns["y"][0]
    widest = max(link.straight_length / 2 + link.radius for link in robot.links)
    discs = [(float(a), float(b), widest + 1e-6) for a, b in zip(x, y, strict=True)]
    size = max(np.ptp(x), np.ptp(y)) / 2 + 2 * widest
    region = (x.mean() - size, x.mean() + size, y.mean() - size, y.mean() + size)
    kind = random.integers(4)
    pegs: tuple[sp.Peg, ...] = ()
    walls: tuple[sp.Wall, ...] = ()
    if kind <= 1:
        count = int(random.integers(1, 12))
        pegs = sp.fields.random_pegs(
            count,
            region=(region[0] - 1, region[1] + 1, region[2] - 1, region[3] + 1),
            radius=(0.005, 0.1),
            clearance=0.02,
            seed=int(random.integers(1 << 30)),
            keep_clear=discs,
        )
    if kind == 2:
        gap = random.uniform(1e-3, 0.1)
        left, right, low, high = (
            min(a - r for a, _, r in discs) - gap,
            max(a + r for a, _, r in discs) + gap,
            min(b - r for _, b, r in discs) - gap,
            max(b + r for _, b, r in discs) + gap,
        )
        corners = ((left, low), (right, low), (right, high), (left, high), (left, low))
        walls = (sp.Wall(points=corners),)
    return sp.World(
        friction=world.friction,
        patches=world.patches,
        contact=world.contact,
        slope_deg=world.slope_deg,
        slope_direction_deg=world.slope_direction_deg,
        pegs=pegs,
        walls=walls,
    )
