"""What a motion costs: work, power, cost of transport and efficiency, by cycle and on the whole.

Works come from the energy ledger of a run where it has them; what actuators give and take back at
each joint is found from row to row, exact where the torque is constant in between.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.following import controller_parts, heading
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.model.actuator import Prescribed, SeriesElastic, Servo
from serpenoid.spec import plain

Floats = npt.NDArray[np.float64]

# Less than a robot moves, m.
_STILL = 1e-9


@dataclass(frozen=True, eq=False)
class Power:
    """Mean power from row to row, (rows - 1,), W.

    net: of the actuators, what joints give back taken off. positive: where actuators drive their
    joint. absolute: where they drive it and where they brake it, both positive. friction: lost to
    dry and viscous friction.
    """

    net: Floats
    positive: Floats
    absolute: Floats
    friction: Floats


@dataclass(frozen=True, eq=False)
class Budget:
    """What motion takes in each of k intervals of time.

    edges: of the intervals, (k + 1,), s. mass: kg. weight: N. resistance: of the ground to the
    straight robot gliding along itself: N at any speed, and N s/m; None where that differs from
    place to place. All else is (k,). distance: from edge to edge of the centre of mass, m. turn: of
    the heading, rad. net, positive, absolute: work of the actuators as in Power, J. friction:
    energy lost to friction, J. kinetic: mean kinetic energy, J. kinetic_gain: J.
    """

    edges: Floats
    mass: float
    weight: float
    resistance: tuple[float, float] | None
    distance: Floats
    turn: Floats
    net: Floats
    positive: Floats
    absolute: Floats
    friction: Floats
    kinetic: Floats
    kinetic_gain: Floats

    @property
    def duration(self) -> Floats:
        """Of each interval, (k,), s."""
        return np.diff(self.edges)

    @property
    def speed(self) -> Floats:
        """Distance by duration, (k,), m/s."""
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
        """Positive work by weight and distance, (k,)."""
        return ratio(self.positive, self.weight * self.distance)

    @property
    def specific_power(self) -> Floats:
        """Net power by mass and squared speed, P / (M V^2), (k,), 1/s."""
        return ratio(self.power, self.mass * self.speed**2)

    @property
    def efficiency(self) -> Floats:
        """Power to pull the straight robot along at the same mean speed by net power, (k,).

        On ground with viscous friction C_T per mass this is C_T M V^2 / P. Over a cycle of a steady
        motion of links that are alike and resist at least as much across as along, it is between 0
        and 1: friction takes at least what the same speeds would take along the links; speeds that
        differ between links, and in time, take more than their mean does; and the actuators supply
        all of it. Where a robot slows down it may be anything.
        """
        if self.resistance is None:
            raise InvalidInput(
                "the efficiency of this run cannot be told: the ground must be level and the same "
                "everywhere"
            )
        dry, viscous = self.resistance
        return ratio((dry + viscous * self.speed) * self.distance, self.net)

    @property
    def printed_efficiency(self) -> Floats:
        """1 - P_L / K_E of mean loss and mean kinetic energy, (k,) [colorado2010 Table 2].

        For comparison only: a power by an energy is a rate, 1/s, whose value depends on the unit of
        time, and 1 minus it has no meaning. On viscous ground it is between 1 - 2 C_N and 1 - 2 C_T
        whatever the gait.
        """
        return 1.0 - ratio(self.loss, self.kinetic)

    @property
    def curvature(self) -> Floats:
        """Curvature of the path, (k,), 1/m, > 0 to the left.

        A steady gait moves the robot by the same turn and distance in each cycle, so the centre of
        mass goes from one point to the next of a circle, of which distance is a chord.
        """
        return ratio(2.0 * np.sin(self.turn / 2), self.distance)


@dataclass(frozen=True, eq=False)
class Tracking:
    """How far joints are off what is commanded.

    rms, largest: over time, (joints,), rad. share: rms by that of the command's swing about its
    mean, (joints,); infinite or NaN where the command does not move.
    """

    rms: Floats
    largest: Floats
    share: Floats


def joint_work(run: Trajectory) -> Floats:
    """Work of every actuator from row to row, (rows - 1, joints), J.

    A row's torque is the mean since the row before; the shorter the record period, the closer the
    sum to the ledger. That of a motor behind a spring works on its rotor.
    """
    angle = run.columns["joint_angle"]
    behind = [isinstance(joint.actuator, SeriesElastic) for joint in run.robot.joints]
    if any(behind):
        angle = np.where(behind, run.columns["rotor_angle"], angle)
    work: Floats = run.columns["joint_torque"][1:] * np.diff(angle, axis=0)
    return work


def power(run: Trajectory) -> Power:
    """Mean powers from row to row."""
    step = np.diff(run.time)
    totals = _totals(run)
    net, positive, absolute, friction = (
        np.diff(totals[name]) / step for name in ("net", "positive", "absolute", "friction")
    )
    return Power(net, positive, absolute, friction)


def budget(run: Trajectory, edges: npt.ArrayLike | None = None) -> Budget:
    """What the motion takes between times.

    edges: ascending, within the run, s; its first and last row if not given. Between rows all is
    interpolated.
    """
    between = _edges(run, edges)
    totals = _totals(run)
    gained = {name: np.diff(np.interp(between, run.time, total)) for name, total in totals.items()}
    centre = run.centre_of_mass()
    dx, dy = (np.diff(np.interp(between, run.time, axis)) for axis in centre.T)
    return Budget(
        edges=between,
        mass=run.robot.mass,
        weight=run.robot.mass * run.world.gravity,
        resistance=_resistance(run),
        distance=_moved(dx, dy),
        turn=np.diff(np.interp(between, run.time, heading(run))),
        net=gained["net"],
        positive=gained["positive"],
        absolute=gained["absolute"],
        friction=gained["friction"],
        kinetic=gained["kinetic"] / np.diff(between),
        kinetic_gain=np.diff(np.interp(between, run.time, run.columns["energy_kinetic"])),
    )


def cycles(run: Trajectory, period: float | None = None) -> Budget:
    """What each whole cycle of the gait takes; a last part of one is left out.

    period: s; that of the controller's wave if not given.
    """
    seconds = plain(_wave_period(run) if period is None else period)
    start, end = float(run.time[0]), float(run.time[-1])
    if type(seconds) not in (int, float) or not 0 < seconds <= (end - start) * (1 + 1e-9):
        raise InvalidInput(
            f"period = {seconds!r} is not allowed: it must be greater than 0 and at most the "
            f"duration, {end - start:g} s"
        )
    count = math.floor((end - start) / seconds * (1 + 1e-9))
    # Rounding must not reach beyond the last row.
    return budget(run, np.minimum(start + seconds * np.arange(count + 1), end))


def steady_from(found: Budget, tolerance: float = 0.01, least: int = 3) -> int | None:
    """First of the cycles from which on the motion is steady; None if it never is.

    Steady are the last cycles, at least so many, whose speed and net power all are within a
    tolerance, relative, of those of the last one.
    """
    settled = np.ones(len(found.duration), dtype=bool)
    for values in (found.speed, found.power):
        settled &= np.abs(values - values[-1]) <= tolerance * abs(values[-1])
    unsettled = np.flatnonzero(~settled)
    first = int(unsettled[-1]) + 1 if len(unsettled) else 0
    return first if len(settled) - first >= least else None


def path_curvature(run: Trajectory, period: float | None = None) -> float:
    """Curvature of the path over all whole cycles of the gait, 1/m, > 0 to the left.

    period: s; that of the controller's wave if not given.
    """
    found = cycles(run, period)
    # Along the circle from edge to edge, whose chord is the distance.
    half = found.turn / 2
    way = found.distance / np.sinc(half / np.pi)
    return float(ratio(found.turn.sum(keepdims=True), way.sum(keepdims=True))[0])


def tracking_error(run: Trajectory) -> Tracking:
    """How far each joint is off the commanded angle; all must be servos or prescribed."""
    if not run.robot.joints:
        raise InvalidInput("this robot has no joints, so none that could be off")
    for number, joint in enumerate(run.robot.joints):
        if not isinstance(joint.actuator, Servo | Prescribed):
            raise InvalidInput(
                f"joint {number} of this run follows no angle: its actuator must be a Servo or "
                f"Prescribed, it is {type(joint.actuator).__name__}"
            )
    wanted = run.columns["joint_reference"]
    off = run.columns["joint_angle"] - wanted
    rms = np.sqrt((off**2).mean(axis=0))
    return Tracking(rms, np.abs(off).max(axis=0), ratio(rms, wanted.std(axis=0)))


def _totals(run: Trajectory) -> dict[str, Floats]:
    """Works since the first row, and the integral of the kinetic energy, (rows,)."""
    columns, joint = run.columns, joint_work(run)
    kinetic = columns["energy_kinetic"]
    mean = (kinetic[1:] + kinetic[:-1]) / 2
    return {
        "net": columns["energy_actuator"],
        "positive": _summed(joint.clip(min=0.0).sum(axis=1)),
        "absolute": _summed(np.abs(joint).sum(axis=1)),
        "friction": -columns["energy_friction"] - columns["energy_damping"],
        "kinetic": _summed(mean * np.diff(run.time)),
    }


def _moved(dx: Floats, dy: Floats) -> Floats:
    """Distances, m; what rounding alone moves stands still, so that nothing is divided by it."""
    distance = np.hypot(dx, dy)
    return np.where(distance < _STILL, 0.0, distance)


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
    """Resistance of the ground along all links, the easier way: N, and N s/m; None if not one."""
    world, links = run.world, run.robot.links
    if world.plane == "vertical" or world.slope_deg or world.patches:
        return None
    surface = np.zeros(1, layout.SURFACE).view(np.recarray)[0]
    if world.friction is not None:
        world.friction.pack(surface)
    dry = min(surface.forward, surface.backward) * run.robot.mass * world.gravity
    return float(dry), float(surface.along * len(links))


def _wave_period(run: Trajectory) -> float:
    """Of the wave in the controller of a run, s."""
    for part in controller_parts(run.scenario.controller):
        frequency = getattr(part, "frequency_deg", 0.0)
        if frequency:
            return 360.0 / abs(float(frequency))
    raise InvalidInput("this run has no wave, so name the period of its cycles, s")


def ratio(one: npt.ArrayLike, other: npt.ArrayLike) -> Floats:
    """One by the other; infinite or NaN where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.divide(one, other)
    return found
