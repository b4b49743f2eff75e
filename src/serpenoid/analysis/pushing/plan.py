"""Shape and torques that move a load from rest in a direction with the least slip."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.stats import qmc

from serpenoid.analysis.pushing.push_dynamics import Pushing
from serpenoid.analysis.pushing.specs import PushedLoad, PushWheels, Touch
from serpenoid.checks import check_type, real_number, whole_number
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.memory import check_memory
from serpenoid.model.loads import Box, Load
from serpenoid.model.robot import Robot
from serpenoid.model.segments import crosses, distance_to_segments
from serpenoid.model.start import Start

# Joints without limits are tried up to this angle, deg.
_FARTHEST = 135.0
# Number of shapes that are tried before the best is improved.
_SHAPES = 6_000
# Other links keep this far from the load, in radii of the widest link.
_CLEARANCE = 0.5
# Links next to the pushing one may touch the load at their hinges, m.
_TOUCHING = 1e-9
# Slippage ratios below this are rounding errors of loads that do not move.
_STILL = 1e-9
# Largest angle between a direction and the side of a box, deg.
_SQUARE = 1.0


@dataclass(frozen=True, eq=False)
class Plan:
    """A push: start pose, shape, torques, and the motion from rest.

    Attributes:
        angles: Joint angles, (n-1,), rad.
        torques: Joint torques, (n-1,), N m.
        start: Pose in which the robot touches the load.
        slippage_ratio: Slippage ratio of [reyes2017 (30)], 1 without any slip.
        acceleration: Acceleration of the load in the wanted direction, m/s2.
        force: Force on the load, N.
    """

    angles: Floats
    torques: Floats
    start: Start
    slippage_ratio: float
    acceleration: float
    force: float


def plan_push(
    robot: Robot,
    load: Load,
    direction_deg: float,
    *,
    largest_torque: float = 1.0,
    touch: Touch | None = None,
    gravity: float = 9.81,
    seed: int = 0,
) -> Plan:
    """Find the shape, and torques for it, that move a load in a direction with the least slip.

    Shapes are judged by the motion from rest, with wheels that may slide and against the friction
    of the load. Torques are in the proportion that is best while wheels hold. Wheels are those of
    the robot's links; ground friction under the robot, contact friction, slopes and obstacles are
    neglected. A box is taken to be touched at one point, the middle of its side; in truth a link
    lies flush on it, so only pushes of discs are exact.

    Args:
        robot: The robot.
        load: The load.
        direction_deg: Direction in which the load is to move, deg; for a box, that of one of its
            sides.
        largest_torque: Largest torque of any joint, N m.
        touch: Link that pushes, and where; the middle of the tail link, on its left, if not given.
        gravity: Acceleration of gravity, m/s2.
        seed: Seed of the shapes that are tried, where there are more than three joints.

    Returns:
        The best push that was found.

    Raises:
        InvalidInput: A value is not allowed, or no shape moves the load.
    """
    touch = Touch() if touch is None else touch
    check_type("robot", robot, Robot)
    check_type("load", load, Load)
    direction_deg = real_number("direction_deg", direction_deg, "a finite number")
    most = real_number("largest_torque", largest_torque, "greater than 0 (N m)", lambda t: t > 0)
    gravity = real_number("gravity", gravity, "at least 0 (m/s2)", lambda g: g >= 0)
    search = _Search(robot, load, direction_deg, most, touch, gravity)
    shapes = _shapes(robot, whole_number("seed", seed, least=0))
    ratio = search.outcome(shapes)[0]
    for index in np.argsort(-ratio):
        if ratio[index] <= _STILL:
            break
        if search.is_clear(shapes[index]):
            return search.plan(search.improved(shapes[index]))
    raise InvalidInput(
        f"largest_torque = {largest_torque:g} is not allowed: no shape moves a load of "
        f"{load.mass:g} kg against {search.friction:.3g} N of friction with it; give more, or a "
        "lighter load"
    )


class _Search:
    """Slippage of shapes of one robot that pushes one load."""

    def __init__(
        self,
        robot: Robot,
        load: Load,
        direction_deg: float,
        largest_torque: float,
        touch: Touch,
        gravity: float,
    ) -> None:
        self.robot, self.load, self.touch, self.most = robot, load, touch, largest_torque
        self.direction = math.radians(_checked_direction(load, direction_deg))
        self.friction = load.friction * load.mass * gravity
        wheels = PushWheels.of(robot, gravity)
        pushed = PushedLoad(mass=load.mass, inertia=load.moment_of_inertia)
        self.pushing = Pushing(robot, pushed, touch, wheels)
        # The best torques are known in closed form while wheels hold.
        ideal = wheels and dataclasses.replace(wheels, mu=math.inf)
        self.holding = Pushing(robot, pushed, touch, ideal)

    def torques(self, shapes: Floats) -> Floats:
        """Torques with the least slip, scaled to the largest one allowed, (..., n-1)."""
        best = self.holding.extremes(shapes).slippage_torque
        largest = np.abs(best).max(axis=-1, keepdims=True)
        torques: Floats = self.most * best / np.where(largest > 0, largest, 1.0)
        return torques

    def outcome(self, shapes: Floats) -> tuple[Floats, Floats, Floats]:
        """Slippage ratio, acceleration of the load and force on it, (...); ratio 0 if it stays."""
        side = 1.0 if self.touch.side == "left" else -1.0
        heading = np.cumsum(shapes, axis=-1)[..., self.touch.link - 1] if self.touch.link else 0.0
        along = heading + side * np.full(shapes.shape[:-1], math.pi / 2)
        # In the axes of the tail link: where to, and the friction of a load that goes there.
        to = np.stack([np.cos(along), np.sin(along), np.zeros_like(along)], axis=-1)
        found = self.pushing.respond(shapes, self.torques(shapes), -self.friction * to)
        acceleration, force = (found.load * to).sum(axis=-1), found.forces[..., 0]
        moves = (force > self.friction) & (acceleration > 0)
        return np.where(moves, found.slippage_ratio, 0.0), acceleration, force

    def improved(self, shape: Floats) -> Floats:
        """A similar shape with less slip."""
        lower, upper = _reach(self.robot)

        def loss(angles: Floats) -> float:
            inside = bool(((lower <= angles) & (angles <= upper)).all())
            return -float(self.outcome(angles)[0]) if inside and self.is_clear(angles) else 1.0

        options = {"maxiter": 200, "xatol": 1e-4, "fatol": 1e-9}
        found: Floats = minimize(loss, shape, method="Nelder-Mead", options=options).x
        return found if loss(found) <= loss(shape) else shape

    def pose(self, shape: Floats) -> tuple[Floats, Floats]:
        """Link angles, (n,), and middle of the pushing link, (2,), that touches the load."""
        side = 1.0 if self.touch.side == "left" else -1.0
        heading = self.direction - side * math.pi / 2
        theta = np.concatenate([[0.0], np.cumsum(shape)])
        theta += heading - theta[self.touch.link]
        to = np.array([math.cos(self.direction), math.sin(self.direction)])
        ahead = np.array([math.cos(heading), math.sin(heading)])
        back = _depth(self.load, self.direction) + self.robot.links[self.touch.link].radius
        middle = np.array([self.load.x, self.load.y]) - back * to - self.touch.along * ahead
        return theta, middle

    def start(self, shape: Floats) -> Start:
        """Pose that touches the load from behind."""
        theta, (x, y) = self.pose(shape)
        return Start(
            x=x,
            y=y,
            link=self.touch.link,
            heading_deg=math.degrees(theta.mean()),
            joint_angles_deg=tuple(np.degrees(shape).tolist()),
        )

    def is_clear(self, shape: Floats) -> bool:
        """Whether no link but the pushing one is near the load, and none crosses another."""
        theta, middle = self.pose(shape)
        length = np.array([link.length for link in self.robot.links])
        axis = np.stack([np.cos(theta), np.sin(theta)], axis=1) * length[:, None]
        tail = np.concatenate([np.zeros((1, 2)), np.cumsum(axis, axis=0)])
        tail += middle - tail[self.touch.link] - axis[self.touch.link] / 2
        ends = tail[:-1], tail[1:]
        radius = np.array([link.radius for link in self.robot.links])
        # Places along the links, (n, places, 2); next to the pushing link all are near the load.
        share = np.linspace(0.0, 1.0, 9)[:, None]
        places = ends[0][:, None] + share * axis[:, None]
        room = _distance(self.load, places) - radius[:, None]
        room[self.touch.link] = np.inf
        least = np.full_like(room, _CLEARANCE * radius.max())
        if self.touch.link > 0:
            least[self.touch.link - 1, -3:] = -_TOUCHING
        if self.touch.link < len(length) - 1:
            least[self.touch.link + 1, :3] = -_TOUCHING
        if (room < least).any():
            return False
        # All pairs of links but neighbours.
        first, second = np.triu_indices(len(length), k=2)
        one, other = ([end[each] for end in ends] for each in (first, second))
        gaps = [distance_to_segments(end, *other) for end in one]
        gaps += [distance_to_segments(end, *one) for end in other]
        touch = np.minimum.reduce(gaps) < radius[first] + radius[second]
        return not (touch | crosses(*one, *other)).any()

    def plan(self, shape: Floats) -> Plan:
        """The plan of a shape."""
        ratio, acceleration, force = self.outcome(shape)
        torques = self.torques(shape)
        start = self.start(shape)
        return Plan(shape, torques, start, float(ratio), float(acceleration), float(force))


def _checked_direction(load: Load, direction_deg: float) -> float:
    """The direction, if a side of the load faces it, deg."""
    if isinstance(load, Box):
        off = (direction_deg - load.angle_deg + 45) % 90 - 45
        if abs(off) > _SQUARE:
            sides = [f"{(load.angle_deg + 90 * k) % 360:g}" for k in range(4)]
            raise InvalidInput(
                f"direction_deg = {direction_deg:g} is not allowed: this box can be pushed along "
                f"{', '.join(sides)} deg"
            )
        return direction_deg - off
    return direction_deg


def _depth(load: Load, direction: float) -> float:
    """Distance from the side that is pushed to the centre, m."""
    a, b = load.half_sizes
    turned = direction - math.radians(load.angle_deg)
    return a * abs(math.cos(turned)) + b * abs(math.sin(turned)) + load.rounding


def _distance(load: Load, places: Floats) -> Floats:
    """Distance of places (..., 2) from the outline of a load, m; 0 or less inside."""
    angle = math.radians(load.angle_deg)
    ahead = np.array([math.cos(angle), math.sin(angle)])
    relative = places - np.array([load.x, load.y])
    local = np.stack([relative @ ahead, relative @ np.array([-ahead[1], ahead[0]])], axis=-1)
    beyond = np.maximum(np.abs(local) - np.array(load.half_sizes), 0.0)
    distance: Floats = np.linalg.norm(beyond, axis=-1) - load.rounding
    return distance


def _reach(robot: Robot) -> tuple[Floats, Floats]:
    """Least and largest angle of every joint, rad."""
    limits = [joint.limits_deg or (-_FARTHEST, _FARTHEST) for joint in robot.joints]
    lower, upper = np.radians(np.array(limits)).T
    return lower, upper


def _shapes(robot: Robot, seed: int) -> Floats:
    """Shapes to try, (shapes, n-1): a grid for up to three joints, else a Sobol sequence."""
    lower, upper = _reach(robot)
    joints, n = len(lower), len(robot.links)
    # Jacobians of all links and the matrices made of them, in every shape.
    check_memory(120 * _SHAPES * n * n, f"robot = {robot.name!r} of {n} links in a plan")
    if joints <= 3:
        # An odd number, so that straight joints are among them.
        count = round(_SHAPES ** (1 / max(joints, 2))) | 1
        axes = [np.linspace(a, b, count) for a, b in zip(lower, upper, strict=True)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, joints)
    points = qmc.Sobol(joints, seed=seed).random_base2(math.floor(math.log2(_SHAPES)))
    shapes: Floats = qmc.scale(points, lower, upper)
    return shapes
