"""A robot that pushes a load: accelerations and forces [reyes2017 (15)-(31)].

Shapes are joint angles (..., n-1), rad; leading dimensions stand for many shapes at once.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.pushing import system as model
from serpenoid.analysis.pushing.extremes import Extremes, limited_extremes, linear_extremes
from serpenoid.analysis.pushing.projection import are_dependent, dependent_rows, inverse, matvec
from serpenoid.analysis.pushing.specs import PushedLoad, PushWheels, Touch
from serpenoid.checks import check_type
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.methods.push_search import box_forces
from serpenoid.model.robot import Robot

# Sweeps over wheels that may slide; each reduces the error by a constant factor.
_MOST_SWEEPS = 1_000_000
# Wheel normals that miss a common point by less than this share of the robot's length meet in it.
_MEET = 1e-9


@dataclass(frozen=True, eq=False)
class Response:
    """Accelerations and forces of robot and load from rest, for every shape and input.

    Attributes:
        forces: Forces of the contact, then of the wheels, (..., c), N.
        robot: Accelerations of the robot's coordinates, (..., s).
        load: Acceleration of the load in the axes of the tail link, (..., 3), m/s2 and rad/s2.
        sliding: State of each wheel, (..., c-1), 0 if it holds, else the sign of its acceleration
            to the right of its link.
        robot_norm: Squared acceleration of the robot, weighted with inertia, (...) [reyes2017
            (26)].
        load_norm: Squared acceleration of the load, weighted with inertia, (...) [(27)].
        force_norm: Squared constraint forces, weighted with their metric tensor, (...).
        input_norm: Squared torques, weighted with `System.power`, (...); at most 1 is allowed
            [(31)].
    """

    forces: Floats
    robot: Floats
    load: Floats
    sliding: npt.NDArray[np.int_]
    robot_norm: Floats
    load_norm: Floats
    force_norm: Floats
    input_norm: Floats

    @property
    def slippage_ratio(self) -> Floats:
        """load_norm over the sum of both norms, (...); 0 if nothing moves [reyes2017 (30)]."""
        total = self.load_norm + self.robot_norm
        ratio: Floats = self.load_norm / np.where(total > 0, total, 1.0)
        return ratio


class Pushing:
    """A robot that pushes a load with one link.

    Args:
        robot: The robot.
        load: The load.
        touch: The contact; the middle of the tail link, on its left, if not given.
        wheels: Wheels with a limit (the paper's scenario 2) or ideal ones (3); if not given, those
            of the robot's links, and if it has none, ground without friction (1).

    Raises:
        InvalidInput: An argument is of the wrong type or does not fit the robot.
    """

    def __init__(
        self,
        robot: Robot,
        load: PushedLoad,
        touch: Touch | None = None,
        wheels: PushWheels | None = None,
    ) -> None:
        touch = Touch() if touch is None else touch
        check_type("robot", robot, Robot)
        check_type("load", load, PushedLoad)
        check_type("touch", touch, Touch)
        check_type("wheels", wheels, PushWheels, or_none=True)
        if not robot.joints:
            raise InvalidInput(
                f"robot = {robot.name!r} is not allowed: it has no joint to push with"
            )
        wheels = PushWheels.of(robot) if wheels is None else wheels
        touch.check(robot)
        self.robot, self.load, self.touch, self.wheels = robot, load, touch, wheels
        self.wheeled: tuple[int, ...] = ()
        limits = [math.inf]
        if wheels is not None and wheels.share > 0:
            self.wheeled = wheels.on_ground(robot, touch)
            limits += [wheels.share * robot.links[link].mass for link in self.wheeled]
        self.limits: Floats = np.array(limits)

    @property
    def may_slide(self) -> bool:
        """Whether there are wheels with a limit."""
        return bool(np.isfinite(self.limits).any())

    def system(self, angles: npt.ArrayLike) -> model.System:
        """Equations of motion of every shape.

        Args:
            angles: Joint angles, (..., n-1), rad.

        Returns:
            The matrices of (4) to (14), with the axes of `angles` but the last in front.
        """
        phi = self._per_joint("angles", angles)
        return model.equations(self.robot, self.load, self.touch, self.wheeled, phi)

    def maps(self, angles: npt.ArrayLike) -> model.Maps:
        """Maps from inputs to accelerations while contact and wheels hold.

        Args:
            angles: Joint angles, (..., n-1), rad.

        Returns:
            The maps of (17) to (29), with the axes of `angles` but the last in front.
        """
        return model.maps(self.system(angles))

    def respond(
        self, angles: npt.ArrayLike, torques: npt.ArrayLike, wrench: npt.ArrayLike | None = None
    ) -> Response:
        """Response to torques and to a wrench on the load; the contact may open, wheels may slide.

        The leading dimensions of the arguments must broadcast.

        Args:
            angles: Joint angles, (..., n-1), rad.
            torques: Joint torques, (..., n-1), N m.
            wrench: Wrench on the load, (..., 3), N and N m, in the axes of the tail link; none if
                not given.

        Returns:
            Accelerations and forces.

        Raises:
            InvalidInput: An array has the wrong shape.
        """
        system = self.system(angles)
        tau = self._per_joint("torques", torques)
        pushed = _numbers("wrench", np.zeros(3) if wrench is None else wrench, 3, "axis")
        body = np.array([self.load.mass, self.load.mass, self.load.moment_of_inertia])
        grasp = np.swapaxes(system.grasp, -1, -2)
        outside = matvec(system.free, tau) + matvec(grasp, pushed / body)
        forces = self._forces(system.metric, outside)
        slips = matvec(system.metric, forces) + outside
        at_limit = np.abs(forces) >= self.limits * (1 - 1e-12)
        sliding = np.where(at_limit, np.sign(slips), 0).astype(int)
        driven = tau @ system.inputs.T - matvec(np.swapaxes(system.jacobian, -1, -2), forces)
        robot = matvec(np.asarray(np.linalg.inv(system.mass), dtype=float), driven)
        load = (matvec(system.grasp, forces) + pushed) / body
        return Response(
            forces=forces,
            robot=robot,
            load=load,
            sliding=sliding[..., 1:],
            robot_norm=_square(system.mass, robot),
            load_norm=(load**2 * body).sum(axis=-1),
            force_norm=_square(system.metric, forces),
            input_norm=_square(system.power, tau),
        )

    def extremes(self, angles: npt.ArrayLike) -> Extremes:
        """Best allowed inputs of every shape [reyes2017 (31)].

        Args:
            angles: Joint angles, (..., n-1), rad.

        Returns:
            Largest values, bounds, and the torques that reach the values.

        Raises:
            InvalidInput: Wheels may slide, and there are too many of them or constraints are
                redundant.
        """
        phi = self._per_joint("angles", angles)
        flat = phi.reshape(-1, phi.shape[-1])
        system = self.system(flat)
        linear = linear_extremes(system, self.load.compliance)
        if not self.may_slide:
            return linear.reshaped(phi.shape[:-1])
        for shape in flat[are_dependent(system.metric)]:
            raise InvalidInput(
                f"{_words(shape)} is not allowed with wheels that may slide: constraints depend on "
                "each other there, and which wheel slides first is not known; lift some, or take "
                "ideal wheels"
            )
        found = limited_extremes(system, self.load.compliance, self.limits, linear)
        # Forces with a limit are a projection of those without, so these are at most as large.
        reached = self.respond(flat, linear.force_torque).force_norm
        return dataclasses.replace(found, force_norm=reached).reshaped(phi.shape[:-1])

    def ellipsoids(self, angles: npt.ArrayLike) -> model.Ellipsoids:
        """Manipulability and force ellipsoids of the contact point while all wheels hold.

        Args:
            angles: Joint angles, (..., n-1), rad.

        Returns:
            The ellipsoids, with the axes of `angles` but the last in front.
        """
        phi = self._per_joint("angles", angles)
        where = model.place(self.robot, phi)
        link = model.jacobians(where)[..., self.touch.link, :, :]
        lever = self.touch.along * where.ahead[..., self.touch.link, :]
        point = link[..., :2, :] + model.turned(lever)[..., None] * link[..., 2:, :]
        axes = np.stack([part[..., self.touch.link, :] for part in (where.ahead, where.left)], -2)
        return model.ellipsoids(self.system(phi), axes @ point)

    def effective_mass(self, angles: npt.ArrayLike) -> Floats:
        """Force over acceleration at the contact while no wheel acts.

        It is the part of the robot's mass that moves with the contact. No robot moves a load at a
        slippage ratio above mass / (mass + effective mass), whatever its wheels and torques do.

        Args:
            angles: Joint angles, (..., n-1), rad.

        Returns:
            Effective mass, (...), kg.
        """
        mass: Floats = 1 / (self.system(angles).metric[..., 0, 0] - self.load.compliance)
        return mass

    def centre_of_mass(self, angles: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Centre of mass relative to the contact.

        Args:
            angles: Joint angles, (..., n-1), rad.

        Returns:
            Distance, (...), m, and angle from the x axis of the pushing link, (...), rad.
        """
        phi = self._per_joint("angles", angles)
        where = model.place(self.robot, phi)
        mass = np.array([link.mass for link in self.robot.links])
        centre = np.einsum("...ia,i->...a", where.centre, mass / mass.sum())
        ahead = where.ahead[..., self.touch.link, :]
        arm = centre - where.centre[..., self.touch.link, :] - self.touch.along * ahead
        x = (arm * ahead).sum(axis=-1)
        y = (arm * where.left[..., self.touch.link, :]).sum(axis=-1)
        return np.hypot(x, y), np.arctan2(y, x)

    def normals_meet(self, angles: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether the wheels let the robot turn about a point with its joints at rest.

        That is so where the normals of at least three wheels meet in a point or are parallel.
        Torques can neither cause that rotation nor stop it, and the best slippage ratio jumps.

        Args:
            angles: Joint angles, (..., n-1), rad.

        Returns:
            One flag for each shape, (...).
        """
        phi = self._per_joint("angles", angles)
        if len(self.wheeled) < 3:
            return np.zeros(phi.shape[:-1], dtype=bool)
        where = model.place(self.robot, phi)
        normal, point = (part[..., self.wheeled, :] for part in (where.left, where.centre))
        moment = point[..., :1] * normal[..., 1:] - point[..., 1:] * normal[..., :1]
        lines = np.concatenate([normal, moment / self.robot.length], axis=-1)
        least: Floats = np.linalg.svd(lines, compute_uv=False)[..., -1]
        return least < _MEET

    def notes(self, angles: npt.ArrayLike) -> list[str]:
        """Describe the shapes whose constraints are singular, and how they are treated.

        Args:
            angles: Joint angles, (..., n-1), rad.

        Returns:
            A sentence for every such shape.
        """
        phi = self._per_joint("angles", angles)
        flat = phi.reshape(-1, phi.shape[-1])
        names = ["the contact", *(f"the wheels of link {link}" for link in self.wheeled)]
        found = []
        for shape, metric, meet in zip(
            flat, self.system(flat).metric, self.normals_meet(flat), strict=True
        ):
            words = _words(shape)
            found += [
                f"{words}: {names[row]} cannot be told from the constraints before; the motion "
                "does not notice, and of all constraint forces those with the least sum of squares "
                "are given"
                for row in dependent_rows(metric)
            ]
            if meet:
                found.append(
                    f"{words}: the normals of all wheels meet in a point or are parallel, so some "
                    "torques move nothing; the best slippage ratio is that of the others, and "
                    "larger in shapes nearby"
                )
        return found

    def _per_joint(self, name: str, given: npt.ArrayLike) -> Floats:
        """Finite numbers, (..., n-1)."""
        return _numbers(name, given, len(self.robot.joints), "joint")

    def _forces(self, metric: Floats, outside: Floats) -> Floats:
        """Constraint forces (..., c) that balance the accelerations without them."""
        closed = -matvec(inverse(metric), outside)
        opened = np.zeros_like(closed)
        if self.wheeled:
            opened[..., 1:] = -matvec(inverse(metric[..., 1:, 1:]), outside[..., 1:])
        forces: Floats = np.where(closed[..., :1] >= 0, closed, opened)
        if not self.may_slide:
            return forces
        count = forces.shape[-1]
        flat = np.clip(forces, -self.limits, self.limits).reshape(-1, count)
        each = np.broadcast_to(metric, (*forces.shape, count)).reshape(-1, count, count)
        against = np.ascontiguousarray(outside.reshape(-1, count))
        tolerance = 1e-15 * float(np.abs(forces).max(initial=0.0))
        box_forces(np.ascontiguousarray(each), against, self.limits, flat, tolerance, _MOST_SWEEPS)
        return flat.reshape(forces.shape)


def _numbers(name: str, given: npt.ArrayLike, count: int, each: str) -> Floats:
    """Finite numbers, (..., count), one for `each`, or InvalidInput."""
    try:
        values = np.asarray(given)
    except ValueError:  # lists of unequal length
        values = np.zeros(0)
    right = values.ndim > 0 and values.shape[-1] == count and values.dtype.kind in "iuf"
    if not right or not np.isfinite(values).all():
        raise InvalidInput(
            f"{name} of shape {values.shape} are not allowed: they must be finite numbers, "
            f"{count} in the last dimension, one for each {each}"
        )
    return values.astype(float)


def _square(metric: Floats, vector: Floats) -> Floats:
    product: Floats = (vector * matvec(metric, vector)).sum(axis=-1)
    return product


def _words(shape: Floats) -> str:
    angles = np.degrees(shape).round(6) + 0.0
    return f"shape ({', '.join(f'{angle:g}' for angle in angles)}) deg"
