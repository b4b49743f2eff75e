"""A second, independent model of a robot on viscous ground: spatial recursion [colorado2010].

Where the planar engine of `simulate` minimises over link velocities, this one passes 6-D spatial
velocities from tail to head and forces from head to tail, in O(n), and differs in coordinates,
equations and integrator. Its state is that of the tail end of link 0: position (x, y, theta of link
0) and their rates (vx, vy, omega), in the axes of the ground, with phi_j = theta_{j+1} - theta_j.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from serpenoid.checks import check_type, real_number
from serpenoid.control.gaits import Serpenoid
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.memory import check_memory
from serpenoid.methods import prescribed_motion as kernel
from serpenoid.methods.spatial_recursion import energies, forward_dynamics, inverse_dynamics
from serpenoid.methods.spatial_vectors import Spatial, Vector, make_chain
from serpenoid.model.friction import Viscous
from serpenoid.model.robot import Robot
from serpenoid.model.surfaces import surface_of

Values = Sequence[float] | Floats

_ZERO = (0.0, 0.0, 0.0)
# Squares and products of what is larger would not be numbers any more.
_LARGEST = 1e15


@dataclass(frozen=True, eq=False)
class Inverse:
    """Result of inverse dynamics.

    Attributes:
        base_acceleration: Acceleration of the tail end of link 0, (ax, ay, alpha), m/s2 and rad/s2.
        torques: Joint torques, (n-1,), N m.
        kinetic: Kinetic energy, J.
        loss: Power lost to the ground, W.
    """

    base_acceleration: Floats
    torques: Floats
    kinetic: float
    loss: float


@dataclass(frozen=True, eq=False)
class Forward:
    """Result of forward dynamics.

    Attributes:
        base_acceleration: Acceleration of the tail end of link 0, (ax, ay, alpha), m/s2 and rad/s2.
        accelerations: Joint accelerations, (n-1,), rad/s2.
        kinetic: Kinetic energy, J.
        loss: Power lost to the ground, W.
    """

    base_acceleration: Floats
    accelerations: Floats
    kinetic: float
    loss: float


@dataclass(frozen=True, eq=False)
class Motion:
    """Motion of a robot whose joints follow a gait, with one row for each of k times.

    Attributes:
        time: Times, (k,), s.
        position: Position of the tail end of link 0, (k, 3), m and rad.
        velocity: Velocity of the tail end of link 0, (k, 3), m/s and rad/s.
        centre: Centre of mass, (k, 2), m.
        angles: Joint angles, (k, n-1), rad.
        rates: Joint rates, (k, n-1), rad/s.
        torques: Joint torques, (k, n-1), N m.
        kinetic: Kinetic energy, (k,), J.
        loss: Power lost to the ground, (k,), W.
        actuator_work: Work of the joints since the start, (k,), J.
        friction_work: Energy lost to the ground since the start, (k,), J.
    """

    time: Floats
    position: Floats
    velocity: Floats
    centre: Floats
    angles: Floats
    rates: Floats
    torques: Floats
    kinetic: Floats
    loss: Floats
    actuator_work: Floats
    friction_work: Floats


@dataclass(eq=False)
class Recursion:
    """Recursive dynamics of a robot on ground with viscous friction, or with none.

    The robot's actuators and outlines play no part: joint motions, or joint torques, are given. An
    object has working memory of its own, so threads need one each.

    Attributes:
        robot: The robot.
        friction: Friction of the ground; none if not given.

    Raises:
        InvalidInput: The robot or the friction law is of the wrong type.
    """

    robot: Robot
    friction: Viscous | None = None

    def __post_init__(self) -> None:
        check_type("robot", self.robot, Robot)
        if self.friction is not None and not isinstance(self.friction, Viscous):
            raise InvalidInput(
                f"friction = {self.friction} is not allowed: the recursion takes a Viscous law or "
                "None"
            )
        self._chain = pack(self.robot, self.friction)

    def inverse(
        self,
        position: Values,
        velocity: Values,
        angles: Values,
        rates: Values,
        accelerations: Values,
    ) -> Inverse:
        """Joint torques for a given joint motion, and the acceleration of the tail link.

        Args:
            position: Position (x, y, theta) of the tail end of link 0, m and rad.
            velocity: Its rates (vx, vy, omega), m/s and rad/s.
            angles: Joint angles, (n-1,), rad.
            rates: Joint rates, (n-1,), rad/s.
            accelerations: Joint accelerations, (n-1,), rad/s2.

        Returns:
            Torques, acceleration of the tail link and energies.

        Raises:
            InvalidInput: A value has the wrong shape or is too large.
        """
        self._set("accelerations", accelerations, self._chain.acceleration)
        moved, kinetic, loss = self._solve(inverse_dynamics, position, velocity, angles, rates)
        return Inverse(moved, self._chain.torque.copy(), kinetic, loss)

    def forward(
        self,
        position: Values,
        velocity: Values,
        angles: Values,
        rates: Values,
        torques: Values,
    ) -> Forward:
        """Accelerations of tail link and joints under given torques.

        Args:
            position: Position (x, y, theta) of the tail end of link 0, m and rad.
            velocity: Its rates (vx, vy, omega), m/s and rad/s.
            angles: Joint angles, (n-1,), rad.
            rates: Joint rates, (n-1,), rad/s.
            torques: Joint torques, (n-1,), N m; positive torque increases the joint angle.

        Returns:
            Accelerations and energies.

        Raises:
            InvalidInput: A value has the wrong shape or is too large.
        """
        self._set("torques", torques, self._chain.torque)
        moved, kinetic, loss = self._solve(forward_dynamics, position, velocity, angles, rates)
        return Forward(moved, self._chain.acceleration.copy(), kinetic, loss)

    def integrate(
        self,
        gait: Serpenoid,
        duration: float,
        *,
        position: Values = _ZERO,
        velocity: Values = _ZERO,
        record_period: float = 0.01,
        tolerance: float = 1e-12,
    ) -> Motion:
        """Integrate the motion from time 0 on, with joints that follow a gait exactly.

        Args:
            gait: The gait, without delay.
            duration: Duration, s, which is the time of the last row.
            position: Position (x, y, theta) of the tail end of link 0 at the start, m and rad.
            velocity: Its rates at the start, m/s and rad/s.
            record_period: Time between rows, s.
            tolerance: Error allowed in a step of the integrator, which is of order 5, relative to 1
                + abs(value).

        Returns:
            The motion, with a row every `record_period`.

        Raises:
            InvalidInput: A value is not allowed, or the tolerance cannot be kept.
        """
        check_type("gait", gait, Serpenoid)
        if gait.delay > 0:
            raise InvalidInput(
                f"gait.delay = {gait.delay:g} is not allowed: prescribed joints cannot jump "
                "from rest to the wave's rate"
            )
        _check_between("duration", duration, 0.0, 1e9, " (s)")
        _check_between("record_period", record_period, 0.0, 1e9, " (s)")
        _check_between("tolerance", tolerance, 1e-14, 1e-2)
        packed = gait.gait()
        periods, numbers = duration / record_period, kernel.SIZE + 3 + 3 * len(self.robot.joints)
        check_memory(
            8 * periods * numbers, f"record_period = {record_period:g}, {duration:g} s long,"
        )
        rows = math.ceil(periods * (1 - 1e-12)) + 1
        time = np.minimum(record_period * np.arange(rows), float(duration))
        y = np.zeros((rows, kernel.SIZE))
        _fill("position", position, y[0, :3])
        _fill("velocity", velocity, y[0, 3:6])
        scratch = np.zeros((7, kernel.SIZE)), np.zeros(kernel.SIZE)
        done = kernel.integrate(self._chain, packed, time, float(tolerance), y, *scratch)
        if done < rows:
            raise InvalidInput(
                f"tolerance = {tolerance:g} cannot be kept beyond t = {time[done - 1]:g} s: the "
                "motion is too fast; use less friction, a slower gait or a larger tolerance"
            )
        chain, energy = self._chain, np.zeros((rows, 2))
        angles, rates, torques = np.zeros((3, rows, len(self.robot.joints)))
        for k, t in enumerate(time):
            kernel.flow(chain, packed, t, y[k], scratch[1])
            angles[k], rates[k], torques[k] = chain.angle, chain.rate, chain.torque
            energy[k] = energies(chain)
        return Motion(
            time=time,
            position=y[:, :3],
            velocity=y[:, 3:6],
            centre=_centre_of_mass(self.robot, y[:, :3], angles),
            angles=angles,
            rates=rates,
            torques=torques,
            kinetic=energy[:, 0],
            loss=energy[:, 1],
            actuator_work=y[:, 6],
            friction_work=y[:, 7],
        )

    def _solve(
        self,
        dynamics: Callable[[Spatial, Vector], Vector],
        position: Values,
        velocity: Values,
        angles: Values,
        rates: Values,
    ) -> tuple[Floats, float, float]:
        """Acceleration of the tail link in the axes of the ground, kinetic energy and loss."""
        at, moving = np.zeros(3), np.zeros(3)
        _fill("position", position, at)
        _fill("velocity", velocity, moving)
        self._set("angles", angles, self._chain.angle)
        self._set("rates", rates, self._chain.rate)
        _, _, alpha, ax, ay, _ = dynamics(self._chain, kernel.base_velocity(at[2], *moving))
        c, s = math.cos(at[2]), math.sin(at[2])
        ground = np.array([c * ax - s * ay, s * ax + c * ay, alpha])
        kinetic, loss = energies(self._chain)
        return ground, kinetic, loss

    def _set(self, name: str, values: Values, target: Floats) -> None:
        _fill(name, values, target, f", one for each joint of {self.robot.name}")


def pack(robot: Robot, friction: Viscous | None) -> Spatial:
    """A robot as the kernels take it.

    Args:
        robot: The robot.
        friction: Friction of the ground; none if not given.

    Returns:
        The chain of the kernels.
    """
    length = np.array([link.length for link in robot.links])
    surface = surface_of(friction, robot)
    return make_chain(
        length=length,
        mass=np.array([link.mass for link in robot.links]),
        central=np.array([link.moment_of_inertia for link in robot.links]),
        along=np.array(surface.along),
        across=np.array(surface.across),
        turning=surface.turn + surface.spread * length**2,
    )


def _centre_of_mass(robot: Robot, position: Floats, angles: Floats) -> Floats:
    """Centre of mass, (k, 2), m, of the tail end's position (k, 3) and joint angles (k, n-1)."""
    theta = np.cumsum(np.concatenate([position[:, 2:], angles], axis=1), axis=1)
    length = np.array([link.length for link in robot.links])
    mass = np.array([link.mass for link in robot.links])
    arm = length[:, None] * np.stack([np.cos(theta), np.sin(theta)], axis=2)
    beyond = np.cumsum(arm, axis=1) - arm / 2
    centre: Floats = position[:, :2] + np.einsum("kid,i->kd", beyond, mass / mass.sum())
    return centre


def _check_between(name: str, value: object, low: float, high: float, unit: str = "") -> None:
    words = f"a number greater than {low:g} and at most {high:g}{unit}"
    real_number(name, value, words, lambda number: low < number <= high)


def _fill(name: str, values: Values, target: Floats, which: str = "") -> None:
    """Copy as many numbers as the target has, or raise InvalidInput."""
    try:
        given = np.asarray(values)
    except ValueError:  # lists of unequal length
        given = np.zeros((0, 0))
    numbers = given.shape == target.shape and given.dtype.kind in "iuf"
    if not numbers or not (np.abs(given) <= _LARGEST).all():
        allowed = f"it must be {len(target)} numbers of at most {_LARGEST:g} in size{which}"
        raise InvalidInput(f"{name} = {values!r} is not allowed: {allowed}")
    target[:] = given
