"""Energetics of a motion: work, power, cost of transport and efficiency, by cycle and in total.

Works come from the energy ledger of a run where it has them. The positive and negative work of each
actuator is found from row to row, exact where the torque is constant in between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.cycles import (
    ROUNDING,
    cycle_of,
    cycles_before,
    settled_edges,
    whole_cycles,
)
from serpenoid.analysis.following import heading
from serpenoid.checks import real_number
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model.actuator import Prescribed, SeriesElastic, Servo
from serpenoid.model.surfaces import surface_of

# A robot that moves by less than this, m, stands still.
_STILL = 1e-9


@dataclass(frozen=True, eq=False)
class Power:
    """Mean power from row to row, (rows - 1,), W.

    Attributes:
        net: Power of the actuators, minus what joints give back.
        positive: Power where actuators drive their joint.
        absolute: Power where they drive it or brake it, both positive.
        friction: Power lost to dry and viscous friction.
    """

    net: Floats
    positive: Floats
    absolute: Floats
    friction: Floats


@dataclass(frozen=True, eq=False)
class Budget:
    """Energetics of a motion in each of k intervals of time.

    Attributes:
        edges: Edges of the intervals, (k + 1,), s.
        mass: Mass of the robot, kg.
        weight: Weight of the robot, N.
        resistance: Resistance of the ground to the straight robot gliding along itself, as a force
            at any speed, N, and a coefficient of speed, N s/m; None where it differs from place to
            place.
        distance: Distance of the centre of mass from edge to edge, or along its path where
            intervals are `together`, (k,), m.
        path: Length of its path if the intervals are cycles of a gait, (k,), m. A steady gait moves
            the robot by the same turn and distance in each cycle, so the centre of mass goes along
            a circle, of which the distance from edge to edge is a chord.
        turn: Change of the heading, (k,), rad.
        net: Net work of the actuators as in `Power`, (k,), J.
        positive: Positive work of the actuators, (k,), J.
        absolute: Absolute work of the actuators, (k,), J.
        friction: Energy lost to friction, (k,), J.
        kinetic: Mean kinetic energy, (k,), J.
        kinetic_gain: Increase of the kinetic energy, (k,), J.
    """

    edges: Floats
    mass: float
    weight: float
    resistance: tuple[float, float] | None
    distance: Floats
    path: Floats
    turn: Floats
    net: Floats
    positive: Floats
    absolute: Floats
    friction: Floats
    kinetic: Floats
    kinetic_gain: Floats

    @property
    def duration(self) -> Floats:
        """Duration of each interval, (k,), s."""
        return np.diff(self.edges)

    def together(self) -> Budget:
        """All intervals as one.

        Returns:
            The budget of the whole; its distance is the length of the path.
        """
        sums = ("path", "turn", "net", "positive", "absolute", "friction", "kinetic_gain")
        return Budget(
            edges=self.edges[[0, -1]],
            mass=self.mass,
            weight=self.weight,
            resistance=self.resistance,
            distance=self.path.sum(keepdims=True),
            kinetic=np.array([np.average(self.kinetic, weights=self.duration)]),
            **{name: getattr(self, name).sum(keepdims=True) for name in sums},
        )

    @property
    def speed(self) -> Floats:
        """Distance over duration, (k,), m/s."""
        return self.distance / self.duration

    @property
    def power(self) -> Floats:
        """Mean net power of the actuators, (k,), W."""
        return self.net / self.duration

    @property
    def loss(self) -> Floats:
        """Mean power lost to friction, (k,), W."""
        return self.friction / self.duration

    @property
    def cost_of_transport(self) -> Floats:
        """Positive work over weight and distance, (k,)."""
        return ratio(self.positive, self.weight * self.distance)

    @property
    def specific_power(self) -> Floats:
        """Net power over mass and squared speed, P / (M V^2), (k,), 1/s."""
        return ratio(self.power, self.mass * self.speed**2)

    @property
    def efficiency(self) -> Floats:
        """Power to pull the straight robot along at the same mean speed over net power, (k,).

        On ground with viscous friction C_T per mass this is C_T M V^2 / P. Over a cycle of a steady
        motion of equal links that resist at least as much across as along, it is between 0 and 1:
        friction takes at least what the same speeds would take along the links; speeds that differ
        between links, and in time, take more than their mean does; and the actuators supply all of
        it. Where a robot slows down it may be anything.

        Raises:
            InvalidInput: The ground is not level, or not the same everywhere.
        """
        if self.resistance is None:
            raise InvalidInput(
                "this run has no efficiency: the ground must be level and the same everywhere"
            )
        dry, viscous = self.resistance
        return ratio((dry + viscous * self.speed) * self.distance, self.net)

    @property
    def printed_efficiency(self) -> Floats:
        """1 - P_L / K_E of mean loss and mean kinetic energy, (k,) [colorado2010 Table 2].

        For comparison only: a power over an energy is a rate, 1/s, whose value depends on the unit
        of time, and 1 minus it has no meaning. On viscous ground it is between 1 - 2 C_N and 1 - 2
        C_T for any gait.
        """
        return 1.0 - ratio(self.loss, self.kinetic)

    @property
    def curvature(self) -> Floats:
        """Curvature of the path of a gait, (k,), 1/m, positive to the left."""
        return ratio(self.turn, self.path)


@dataclass(frozen=True, eq=False)
class Tracking:
    """Tracking error of the joints.

    Attributes:
        rms: Root mean square over time, (joints,), rad.
        largest: Largest error, (joints,), rad.
        share: Root mean square over the standard deviation of the command, (joints,); infinite or
            NaN where the command does not move.
    """

    rms: Floats
    largest: Floats
    share: Floats


def joint_work(run: Trajectory) -> Floats:
    """Work of every actuator from row to row.

    The torque of a row is the mean since the row before; the shorter the record period, the closer
    the sum to the ledger. The torque of a motor behind a spring acts on its rotor.

    Args:
        run: The run.

    Returns:
        Work, (rows - 1, joints), J.
    """
    angle = run.columns["joint_angle"]
    behind = [isinstance(joint.actuator, SeriesElastic) for joint in run.robot.joints]
    if any(behind):
        angle = np.where(behind, run.columns["rotor_angle"], angle)
    work: Floats = run.columns["joint_torque"][1:] * np.diff(angle, axis=0)
    return work


def power(run: Trajectory) -> Power:
    """Mean powers from row to row.

    Args:
        run: The run.

    Returns:
        Mean powers between neighbouring rows, (rows - 1,) each, W.
    """
    step = np.diff(run.time)
    return Power(**{name: np.diff(total) / step for name, total in _works(run).items()})


def budget(run: Trajectory, edges: npt.ArrayLike | None = None) -> Budget:
    """Energetics of a motion between given times; values between rows are interpolated.

    Args:
        run: A run.
        edges: Ascending times within the run, s; its first and last row if not given.

    Returns:
        The budget of each interval between two edges.

    Raises:
        InvalidInput: The edges are not ascending times within the run.
    """
    between = _edges(run, edges)

    def gained(total: Floats) -> Floats:
        return np.diff(np.interp(between, run.time, total))

    distance, turn = np.hypot(*map(gained, run.centre_of_mass().T)), gained(heading(run))
    # Nothing is divided by a distance below rounding.
    distance = np.where(distance < _STILL, 0.0, distance)
    kinetic = run.columns["energy_kinetic"]
    mean = (kinetic[1:] + kinetic[:-1]) / 2
    return Budget(
        edges=between,
        mass=run.robot.mass,
        weight=run.robot.mass * run.world.gravity,
        resistance=_resistance(run),
        distance=distance,
        path=distance / np.abs(np.sinc(turn / (2 * np.pi))),
        turn=turn,
        kinetic=gained(_summed(mean * np.diff(run.time))) / np.diff(between),
        kinetic_gain=gained(kinetic),
        **{name: gained(total) for name, total in _works(run).items()},
    )


def cycles(run: Trajectory, period: float | None = None) -> Budget:
    """Energetics of each whole cycle of the gait; an incomplete last one is left out.

    Args:
        run: A run.
        period: Period of the gait, s; that of the controller's wave if not given.

    Returns:
        The budget of each cycle.

    Raises:
        InvalidInput: The run has no wave, or the period is not positive or longer than the run.
    """
    start, end = float(run.time[0]), float(run.time[-1])
    longest = (end - start) * ROUNDING
    seconds = real_number(
        "period",
        _wave_period(run) if period is None else period,
        f"greater than 0 and at most the duration, {end - start:g} s",
        lambda s: 0 < s <= longest,
    )
    count = whole_cycles(seconds, end - start)
    # Rounding must not reach beyond the last row.
    return budget(run, np.minimum(start + seconds * np.arange(count + 1), end))


def steady_from(found: Budget, tolerance: float = 0.01, least: int = 3) -> int | None:
    """First cycle from which on the motion is steady.

    The motion is steady in the last cycles if their speed and net power all agree with those of the
    last one.

    Args:
        found: The budget of the cycles.
        tolerance: Relative difference up to which values agree.
        least: Least number of cycles that must agree.

    Returns:
        Index of the cycle, or None if too few cycles agree.
    """
    agrees = np.ones(len(found.duration), dtype=bool)
    for values in (found.speed, found.power):
        agrees &= np.abs(values - values[-1]) <= tolerance * abs(values[-1])
    unsteady = np.flatnonzero(~agrees)
    first = int(unsteady[-1]) + 1 if len(unsteady) else 0
    return first if len(agrees) - first >= least else None


def settled(run: Trajectory, what: str = "the budget") -> Budget:
    """Energetics over the settled cycles of a run together, see `analysis.cycles`.

    Args:
        run: A run.
        what: What is measured, for the message.

    Returns:
        The budget of one interval, its distance along the path of a gait; from the first row to
        the last, with the distance between them, if the run has no gait.

    Raises:
        InvalidInput: No whole cycle fits after the first.
    """
    found = budget(run, settled_edges(run, what))
    return found if cycle_of(run.scenario.controller) is None else found.together()


def path_length(run: Trajectory) -> float:
    """Length of the path of the centre of mass in all rows, without the swing within a cycle, m.

    Whole cycles of the gait are counted back from the end, each by its arc; what is left before
    them, and a run without a gait, by the distance between its ends.

    Args:
        run: The run.

    Returns:
        Length, m.
    """
    first, last = float(run.time[0]), float(run.time[-1])
    cycle = cycle_of(run.scenario.controller)
    count = 0 if cycle is None else whole_cycles(cycle.period, last - first)
    if cycle is None or not count:
        centre = run.centre_of_mass()
        return float(np.hypot(*(centre[-1] - centre[0])))
    edges = cycles_before(last, cycle.period, count, first)
    arcs = float(budget(run, edges).path.sum())
    rest = budget(run, [first, edges[0]]).distance if edges[0] > first else np.zeros(1)
    return arcs + float(rest[0])


def tracking_error(run: Trajectory) -> Tracking:
    """Difference between each joint and its commanded angle.

    Args:
        run: A run whose joints are all servos or prescribed.

    Returns:
        The errors of all joints.

    Raises:
        InvalidInput: A joint does not follow an angle, or the robot has no joints.
    """
    off = joint_errors(run)
    rms = np.sqrt((off**2).mean(axis=0))
    wanted = run.columns["joint_reference"]
    return Tracking(rms, np.abs(off).max(axis=0), ratio(rms, wanted.std(axis=0)))


def joint_errors(run: Trajectory) -> Floats:
    """Joint angles minus commanded ones.

    Args:
        run: A run whose joints are all servos or prescribed.

    Returns:
        Errors, (rows, joints), rad.

    Raises:
        InvalidInput: A joint does not follow an angle, or the robot has no joints.
    """
    if not run.robot.joints:
        raise InvalidInput("this robot has no joints, so it has no tracking error")
    for number, joint in enumerate(run.robot.joints):
        if not isinstance(joint.actuator, Servo | Prescribed):
            raise InvalidInput(
                f"joint {number} of this run has no reference: its actuator must be a Servo or "
                f"Prescribed, it is {type(joint.actuator).__name__}"
            )
    errors: Floats = run.columns["joint_angle"] - run.columns["joint_reference"]
    return errors


def _works(run: Trajectory) -> dict[str, Floats]:
    """Works since the first row as in `Power`, (rows,), J."""
    columns, joint = run.columns, joint_work(run)
    return {
        "net": columns["energy_actuator"],
        "positive": _summed(joint.clip(min=0.0).sum(axis=1)),
        "absolute": _summed(np.abs(joint).sum(axis=1)),
        "friction": -columns["energy_friction"] - columns["energy_damping"],
    }


def _summed(steps: Floats) -> Floats:
    total: Floats = np.concatenate([[0.0], np.cumsum(steps)])
    return total


def _edges(run: Trajectory, edges: npt.ArrayLike | None) -> Floats:
    start, end = float(run.time[0]), float(run.time[-1])
    try:
        between = np.array([start, end] if edges is None else edges, dtype=float)
    except (TypeError, ValueError):
        between = np.zeros(0)
    inside = between.ndim == 1 and len(between) > 1 and start <= between[0] and between[-1] <= end
    if not inside or not (np.diff(between) > 0).all():
        raise InvalidInput(
            f"edges = {edges!r} is not allowed: it must be at least two ascending times within "
            f"this run, {start:g} to {end:g} s"
        )
    return between


def _resistance(run: Trajectory) -> tuple[float, float] | None:
    """Resistance of the ground along all links in the easier direction, N and N s/m, or None."""
    world = run.world
    if world.plane == "vertical" or world.slope_deg or world.patches:
        return None
    surface = surface_of(world.friction, run.robot)
    # Each way by itself: what is the easier one of a link need not be that of another.
    both = surface.support_along + surface.rectangle_along + surface.smooth
    dry = min((surface.mass * (surface[name] + both)).sum() for name in ("forward", "backward"))
    return float(dry * world.gravity), float(surface.along.sum())


def _wave_period(run: Trajectory) -> float:
    """Period of the gait of a run, s."""
    cycle = cycle_of(run.scenario.controller)
    if cycle is None:
        raise InvalidInput("this run has no wave, so name the period of its cycles, s")
    return cycle.period


def ratio(one: npt.ArrayLike, other: npt.ArrayLike) -> Floats:
    """Quotient; infinite or NaN where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.divide(one, other)
    return found
