"""How pegs propel: Gray's three links (Fig. 7), pushes beside the centre line (Fig. 8), notches.

All functions take and return plain values, so that they can run as work of a paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from serpenoid.control.constant_torque import ConstantTorque
from serpenoid.control.gaits import Serpenoid
from serpenoid.engine.simulate import simulate
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model.actuator import Torque
from serpenoid.model.fields import pegs_for_wave, start_on_wave
from serpenoid.model.robot import Robot
from serpenoid.model.robots import aiko
from serpenoid.model.start import Start
from serpenoid.model.world import Peg, World

# Gray's links: length and half width, m, mass, kg; radius of the pegs, m; torques, N m.
_LENGTH, _WIDTH, _MASS, _RADIUS, _TORQUE = 0.2, 0.01, 0.1, 0.01, 0.1


@dataclass(frozen=True)
class Gray:
    """Three links between three perfectly smooth pegs, driven by equal torques in both joints.

    Attributes:
        alpha_deg: Angle between links 1, the head, and 2 at the start, deg.
        beta_deg: Angle between links 2 and 3, deg.
        gone: Distance of the centre of mass towards the head, along link 2 at the start, m.
        force: Sum of the pegs' forces along link 2 over that on link 2, in balance across it.
    """

    alpha_deg: float
    beta_deg: float
    gone: float
    force: float


def gray(alpha_deg: float, beta_deg: float, duration: float = 0.05) -> Gray:
    """Gray's mechanism of three links [transeth2008 Fig. 7], on slippery ground.

    Both joints bend to the same side. Torques bend them further, against pegs inside of links 1 and
    3, and one outside of link 2, at the middles of the links.

    Args:
        alpha_deg: Angle between links 1, the head, and 2, deg.
        beta_deg: Angle between links 2 and 3, deg.
        duration: Length of the run, s.

    Returns:
        Which way it glides, and which way the pegs push in balance.
    """
    robot = Robot.uniform(
        3,
        length=_LENGTH,
        mass=_MASS,
        radius=_WIDTH,
        straight=_LENGTH,
        actuator=Torque(),
        name="Gray's three links",
        self_contact=False,
    )
    # Link 2 lies along x with its middle at the origin; tail, middle and head as the engine has it.
    heading = np.radians([-beta_deg, 0.0, alpha_deg])
    axis = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    middle = _LENGTH / 2 * np.array([-axis[1] - axis[0], [0.0, 0.0], axis[1] + axis[2]])
    left = np.stack([-axis[:, 1], axis[:, 0]], axis=1)
    away = (_WIDTH + _RADIUS) * np.array([[1.0], [-1.0], [1.0]])
    pegs = tuple(Peg(x=x, y=y, radius=_RADIUS) for x, y in (middle + away * left).tolist())
    run = simulate(
        robot,
        World(pegs=pegs),
        ConstantTorque(torques=(_TORQUE, _TORQUE)),
        duration,
        start=Start(
            link=1,
            heading_deg=math.degrees(heading.mean()),
            joint_angles_deg=(beta_deg, alpha_deg),
        ),
        time_step=1e-4,
        record_period=duration,
    )
    centre = run.centre_of_mass()[:, 0]
    return Gray(alpha_deg, beta_deg, float(centre[-1] - centre[0]), _balance(alpha_deg, beta_deg))


def _balance(alpha_deg: float, beta_deg: float) -> float:
    """Sum of the pegs' forces along link 2, for 1 N on it, in balance across it and about it.

    With pegs at the middles of links 1 and 3 the arms about that of link 2 are L/2 (1 + cos).
    """
    alpha, beta = math.radians(alpha_deg), math.radians(beta_deg)
    sides = np.array(
        [[math.cos(alpha), math.cos(beta)], [1 + math.cos(alpha), -1 - math.cos(beta)]]
    )
    first, third = np.linalg.solve(sides, [1.0, 0.0])
    return float(first * math.sin(alpha) - third * math.sin(beta))


@dataclass(frozen=True)
class PushStatics:
    """What pegs and joints bear for a thrust of 1 N, mean over the places of the wave.

    Attributes:
        offset: Distance of the pushed places from the centre line, m, as of `pegs_for_wave`.
        angle_deg: Angle between links there and the centre line, deg.
        forces: Sum of the magnitudes of the pegs' forces, N.
        torque: Root mean square of the joint torques, N m.
        largest: Largest joint torque, N m.
        places: Number of places of the wave with three pegs along the body that all push.
    """

    offset: float
    angle_deg: float
    forces: float
    torque: float
    largest: float
    places: int


def push_statics(
    offset: float, amplitude_deg: float = -40.0, phase_deg: float = -50.0, places: int = 24
) -> PushStatics:
    """Forces and torques of three push points beside the centre line [transeth2008 VII-B, Fig. 8].

    Aiko lies along the curve of its wave with smooth pegs; equal drags on all links, 1 N in all,
    hold against the thrust. Three pegs are just enough for balance; of more along the body, the
    middle ones push.

    Args:
        offset: Distance of the pushed places from the centre line, m.
        amplitude_deg: Of the joint angles, deg.
        phase_deg: From joint to joint, deg.
        places: Number of places of the wave along the body.

    Returns:
        Forces and torques.

    Raises:
        InvalidInput: There are nowhere three pegs along the body that all push.
    """
    robot = aiko()
    found: list[tuple[float, Floats, float]] = []
    for k in range(places):
        gait = Serpenoid(amplitude_deg, 80.0, phase_deg, start_deg=360.0 * k / places)
        one = _statics(robot, gait, offset)
        if one is not None:
            found.append(one)
    if not found:
        raise InvalidInput(
            f"offset = {offset!r} m, phase_deg = {phase_deg!r} is not allowed: there are nowhere "
            "three pegs along the body that all push"
        )
    forces, torques, angles = zip(*found, strict=True)
    return PushStatics(
        offset=offset,
        angle_deg=math.degrees(float(np.mean(angles))),
        forces=float(np.mean(forces)),
        torque=float(np.sqrt(np.mean(np.square(torques)))),
        largest=float(np.abs(torques).max()),
        places=len(found),
    )


def _statics(robot: Robot, gait: Serpenoid, offset: float) -> tuple[float, Floats, float] | None:
    """Sum of forces, joint torques and angle of the pushed links; None without three that push."""
    radius, width = 1e-3, robot.links[0].radius
    start, n = start_on_wave(robot, gait), len(robot.links)
    length = robot.links[0].length
    theta = np.concatenate([[0.0], np.cumsum(gait.angles(n - 1))])
    theta += math.radians(start.heading_deg) - theta.mean()
    axis = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    ends = np.concatenate([np.zeros((1, 2)), np.cumsum(length * axis, axis=0)])
    middle = (ends[1:] + ends[:-1]) / 2
    moved = np.array([start.x, start.y]) - middle[start.link or 0]
    ends, middle = ends + moved, middle + moved
    # A wider peg at the same place of the wave is farther away along the normal.
    pegs, wider = (pegs_for_wave(robot, gait, r, offset, count=9) for r in (radius, 2 * radius))
    push: list[tuple[Floats, Floats]] = []
    for peg, other in zip(pegs, wider, strict=True):
        normal = np.array([peg.x - other.x, peg.y - other.y]) / radius
        point = np.array([peg.x, peg.y]) + (width + radius) * normal
        if ends[0, 0] < point[0] < ends[-1, 0]:
            push.append((point, normal))
    if len(push) < 3:
        return None
    centre = middle[:, 0].mean()
    triples = [push[k : k + 3] for k in range(len(push) - 2)]
    three = min(triples, key=lambda each: abs(each[1][0][0] - centre))
    points, normals = (np.array(each) for each in zip(*three, strict=True))
    drag = np.tile([-1.0 / n, 0.0], (n, 1))
    wrench = np.stack([*normals.T, _turn(points, normals)])
    held = np.array([1.0, 0.0, -_turn(middle, drag).sum()])
    size = np.linalg.solve(wrench, held)
    if size.min() < 0:
        return None
    forces = size[:, None] * normals
    torques = np.array(
        [
            _turn(points[points[:, 0] > hinge[0]] - hinge, forces[points[:, 0] > hinge[0]]).sum()
            + _turn(middle[j + 1 :] - hinge, drag[j + 1 :]).sum()
            for j, hinge in enumerate(ends[1:-1])
        ]
    )
    return float(size.sum()), torques, math.asin(normals[0, 0])


def _turn(points: Floats, forces: Floats) -> Floats:
    """Moments of forces about the origin, (p,)."""
    moments: Floats = points[:, 0] * forces[:, 1] - points[:, 1] * forces[:, 0]
    return moments


@dataclass(frozen=True)
class Notch:
    """The notch between the round ends of two straight links of Aiko, with a peg in it.

    Attributes:
        radius: Of the peg, m.
        depth: How much deeper it is there than along the sides of the links, m.
        slope_deg: Angle by which the peg has to turn its way to leave it, deg; friction of the
            tangent of this angle would hold it.
    """

    radius: float
    depth: float
    slope_deg: float


def notch(radius: float) -> Notch:
    """How far a peg sinks in between two links; small ones get stuck there [VII-D, VIII-B].

    Args:
        radius: Radius of the peg, m.

    Returns:
        The notch.
    """
    link = aiko().links[0]
    # From the hinge to the middle of a round end.
    beside, reach = (link.length - link.straight_length) / 2, link.radius + radius
    depth = reach - math.sqrt(reach**2 - beside**2)
    return Notch(radius, depth, math.degrees(math.asin(beside / reach)))
