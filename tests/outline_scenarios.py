"""Seeded random scenarios in which the shape of outlines matters: radii, straight parts, rotors."""

from __future__ import annotations

import dataclasses

import numpy as np

import serpenoid as sp
from tests import depths
from tests.scenarios import Case, with_self_contact

# Things stand at least so far from the robot, m.
CLEAR = 2e-5


def random_robot(random: np.random.Generator) -> sp.Robot:
    """A robot of 1 to 8 links that are all different, perhaps with rotors that have a mass."""
    n = int(random.integers(1, 9))
    length = random.uniform(0.08, 0.2) * random.uniform(0.7, 1.3, n)
    radius = length * random.uniform(0.05, 0.4, n)
    straight = length * random.uniform(0.0, 1.2, n) * (random.random(n) > 0.15)
    mass = random.uniform(0.2, 1.0) * random.uniform(0.7, 1.3, n)
    kind = random.integers(3)
    drive: sp.SeriesElastic | sp.Servo = sp.Servo(
        kp=random.uniform(2, 40), kd=random.uniform(0.1, 2)
    )
    if kind > 0:
        drive = sp.SeriesElastic(
            stiffness=np.inf if random.random() < 0.2 else 10 ** random.uniform(0.5, 1.5),
            kp=random.uniform(5, 40),
            kd=random.uniform(0.5, 5),
            gear_ratio=random.uniform(20, 200),
            rotor_inertia=10 ** random.uniform(-7, -5.5),
            rotor_mass=random.uniform(0, 1) * mass.mean(),
        )
    style = random.integers(4)
    return sp.Robot.uniform(
        n,
        length=length if style else length[0],
        mass=mass,
        radius=radius if style else radius[0],
        straight=None if style == 1 else straight if style else length[0],
        actuator=drive,
        self_contact=False,
    )


def random_gait(random: np.random.Generator) -> sp.Serpenoid:
    return sp.Serpenoid(
        amplitude_deg=random.uniform(0, 50),
        frequency_deg=random.uniform(60, 360),
        phase_deg=random.uniform(-90, 90),
    )


def wound_up(random: np.random.Generator, case: Case) -> Case:
    """The case with links that touch each other; some of them wind up from a straight start."""
    if random.random() < 0.3:
        straight = (0.0,) * (len(case.robot.links) - 1)
        gait = dataclasses.replace(case.gait, offset_deg=random.uniform(-120, 120))
        start = dataclasses.replace(case.start, joint_angles_deg=straight)
        case = dataclasses.replace(case, gait=gait, start=start)
    return with_self_contact(case)


def pose(case: Case) -> sp.Trajectory:
    """The first moment of a case without anything around."""
    world = sp.World(plane=case.world.plane)
    return sp.simulate(case.robot, world, case.gait, 1e-3, start=case.start, record_period=1e-3)


def at_start(shape: depths.Shape) -> depths.Shape:
    core, radius = shape
    return (core[:1], radius) if core.ndim == 3 else shape


def random_plane(seed: int) -> Case:
    """A horizontal plane with pegs, walls and loads close to the robot."""
    random = np.random.default_rng(seed)
    law = sp.Contact(random.choice([0.0, 0.2, 0.5]), random.choice([0.0, 0.0, 0.5]))
    push = sp.Start(
        heading_deg=random.uniform(-180, 180),
        velocity=tuple(random.uniform(-0.5, 0.5, 2)),
        spin_deg=random.uniform(-90, 90),
    )
    world = sp.World(sp.Coulomb(random.uniform(0, 0.5)), contact=law)
    case = wound_up(random, Case(random_robot(random), world, random_gait(random), push))
    bodies = [at_start(shape) for shape in depths.links(pose(case))]
    taken, pegs, walls, boxes = list(bodies), [], [], []
    for _ in range(12):
        core, radius = bodies[random.integers(len(bodies))]
        part, angle = random.uniform(0, 1), random.uniform(-np.pi, np.pi)
        away = np.array([np.cos(angle), np.sin(angle)])
        side = (1 - part) * core[0, 0] + part * core[0, 1] + radius * away
        gap, size = 10 ** random.uniform(-4.5, -1.5), random.uniform(0.01, 0.08)
        kind = random.integers(4)
        turned = np.array([-away[1], away[0]])
        shape: depths.Shape
        if kind == 3:
            near = side + gap * away + random.uniform(-0.2, 0) * turned
            points = np.stack([near, near + random.uniform(0.05, 0.3) * turned])
            shape = (points, 0.0)
        elif kind == 2:
            wide, high, tilt = size, random.uniform(0.02, 0.1), np.degrees(angle)
            x, y = (side + (gap + wide / 2) * away).tolist()
            box = sp.Box(
                x,
                y,
                0.3,
                tilt,
                friction=0.3,
                width=wide,
                height=high,
                spin_deg=random.uniform(-90, 90),
            )
            a, b = wide / 2 * away, high / 2 * turned
            shape = (np.array([-a - b, a - b, a + b, b - a]) + np.array([x, y]), 0.0)
        else:
            x, y = (side + (gap + size) * away).tolist()
            shape = (np.array([[x, y]]), size)
        if max(np.max(depths.depth(shape, other)) for other in taken) > -CLEAR:
            continue
        taken.append(shape)
        if kind == 0:
            pegs.append(sp.Peg(x, y, size))
        elif kind == 1:
            boxes.append(sp.Disc(x, y, 0.2, friction=0.2, radius=size))
        elif kind == 2:
            boxes.append(box)
        else:
            walls.append(sp.Wall(tuple(map(tuple, points.tolist()))))
    things = {"pegs": tuple(pegs), "walls": tuple(walls), "loads": tuple(boxes)}
    return dataclasses.replace(case, world=dataclasses.replace(world, **things))


def random_ground(seed: int) -> Case:
    """A vertical plane with hard terrain, the robot just above it."""
    random = np.random.default_rng(seed)
    robot, gait = random_robot(random), random_gait(random)
    size, mu = robot.links[0].length, random.uniform(0, 1)
    law = sp.Hard(restitution=random.choice([0.0, 0.0, 0.5]))
    kind = random.integers(4)
    terrain: sp.Slope | sp.Stairs | sp.Rough | sp.Flat = sp.Flat(mu, contact=law)
    if kind == 1:
        terrain = sp.Slope(random.uniform(-60, 60), mu, contact=law)
    if kind == 2:
        height, tread = random.uniform(0.1, 1.0) * size, random.uniform(0.3, 2) * size
        steps, down = int(random.integers(1, 4)), bool(random.random() < 0.5)
        terrain = sp.Stairs(height, tread, mu, law, -tread, steps, down)
    if kind == 3:
        height, step = random.uniform(0, 0.5) * size, random.uniform(0.3, 1.5) * size
        terrain = sp.Rough(height, step, 10 * size, seed, mu, law, -5 * size)
    at = "axis" if random.random() < 0.15 else "outline"
    world = sp.World(plane="vertical", contact_at=at, terrain=terrain)
    heading, rate = random.uniform(-180, 180), random.uniform(-180, 180)
    start = sp.Start(heading_deg=heading, velocity=(random.uniform(-1, 1), 0.0), spin_deg=rate)
    case = wound_up(random, Case(robot, world, gait, start))
    shapes, lift, deep = depths.links(pose(case), at == "axis"), 0.0, np.inf
    while deep > -CLEAR:
        raised = [(core[:1] + np.array([0.0, lift]), radius) for core, radius in shapes]
        deep = max(float(depths.in_terrain(shape, terrain)[0]) for shape in raised)
        lift += max(deep, 0.0) + random.uniform(0, 0.01) if deep > -CLEAR else 0.0
    return dataclasses.replace(case, start=dataclasses.replace(case.start, y=lift))
