"""The models that the paper argues against, run: other friction, and pegs of springs and dampers.

All functions take and return plain values, so that they can run as work of a paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from serpenoid.engine.simulate import simulate
from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.model.contact import Contact
from serpenoid.model.friction import (
    Coulomb,
    FrictionLaw,
    OrthotropicCoulomb,
    RectangularCoulomb,
    SmoothCoulomb,
)
from serpenoid.model.robot import Robot
from serpenoid.model.robots import aiko
from serpenoid.model.segments import distance_to_segments
from serpenoid.model.start import Start
from serpenoid.model.world import Peg, World
from serpenoid.papers.transeth2008.measures import flat_speed, middle_path
from serpenoid.scenario.scenario import Scenario

Law = Literal["coulomb", "orthotropic", "rectangular", "smooth"]

# Of Aiko on its ground [transeth2008 VIII-A], and m/s2.
MU, GRAVITY = 0.2, 9.81
# Velocity with which a link is set sliding, m/s.
_THROWN = 0.5


def friction_law(law: Law, smoothing: float = 0.0) -> FrictionLaw:
    """A law of friction by its name.

    Args:
        law: 'coulomb' is the paper's, set-valued on a disc (50), and 'orthotropic' on an ellipse
            (52) of equal axes; 'rectangular' is that of two sign functions; 'smooth' replaces the
            set by a steep function.
        smoothing: Speed at which smooth friction is at 71 % of its bound, m/s.

    Returns:
        The law, with the paper's coefficient of friction.
    """
    laws: dict[str, FrictionLaw] = {
        "coulomb": Coulomb(MU),
        "orthotropic": OrthotropicCoulomb(along=MU, across=MU),
        "rectangular": RectangularCoulomb(along=MU, across=MU),
    }
    return laws[law] if law in laws else SmoothCoulomb(mu=MU, speed=smoothing)


@dataclass(frozen=True)
class Sliding:
    """A link that is thrown and slides until it stops.

    Attributes:
        angle_deg: Angle from the link's axis to its velocity at first, deg.
        misaligned_deg: Angle between friction and the opposite of the velocity at first, deg.
        force: Friction at first over mu m g.
        turned_deg: How far the way gone is turned from the first velocity, deg.
    """

    angle_deg: float
    misaligned_deg: float
    force: float
    turned_deg: float


def sliding(law: Law, angle_deg: float) -> Sliding:
    """Throw a link along the plane, and see where friction points [transeth2008 V-B2].

    Args:
        law: Name of the friction law; the smooth one takes 1 mm/s here.
        angle_deg: Angle from the link's axis to its velocity, deg.

    Returns:
        How friction acts.
    """
    direction = np.array([math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))])
    step = 1e-4
    run = simulate(
        _link(),
        World(friction_law(law, smoothing=1e-3), gravity=GRAVITY),
        duration=0.4,
        time_step=step,
        record_period=step,
        start=Start(velocity=tuple(_THROWN * direction)),
    )
    velocity = np.stack([run.columns["vx"][:, 0], run.columns["vy"][:, 0]], axis=1)
    slowing = (velocity[1] - velocity[0]) / step
    place = np.stack([run.columns["x"][:, 0], run.columns["y"][:, 0]], axis=1)
    return Sliding(
        angle_deg=angle_deg,
        misaligned_deg=_between(-slowing, direction),
        force=float(np.hypot(*slowing)) / (MU * GRAVITY),
        turned_deg=_between(place[-1] - place[0], direction),
    )


@dataclass(frozen=True)
class Resting:
    """A link on a slope that friction could hold.

    Attributes:
        slope_deg: Inclination, deg; friction holds up to the angle whose tangent is mu.
        gone: Distance that it slides in ten seconds, m.
        speed: Speed at their end, m/s.
        smoothing: Of the smooth law, m/s; 0 for others.
    """

    slope_deg: float
    gone: float
    speed: float
    smoothing: float


def resting(law: Law, slope_deg: float, smoothing: float = 0.0) -> Resting:
    """Lay a link on a slope [transeth2008 V-B2].

    Args:
        law: Name of the friction law.
        slope_deg: Inclination, deg.
        smoothing: Of the smooth law, m/s.

    Returns:
        How far it slides; `smoothing` is 0 for laws that have none.
    """
    world = World(friction_law(law, smoothing), gravity=GRAVITY, slope_deg=slope_deg)
    run = simulate(_link(), world, duration=10.0)
    x, vx = run.columns["x"][:, 0], run.columns["vx"][:, 0]
    return Resting(slope_deg, float(abs(x[-1] - x[0])), float(abs(vx[-1])), smoothing)


def explicit_friction_step(smoothing: float) -> float:
    """Largest step at which smooth friction near rest is stable with Euler's method, s.

    Its slope there is mu m g over the smoothing, so that the bound is 2 smoothing / (mu g), for a
    link and for a robot whose links move as one.

    Args:
        smoothing: Of the smooth law, m/s.

    Returns:
        The step.
    """
    return 2.0 * smoothing / (MU * GRAVITY)


@dataclass(frozen=True)
class FlatRun:
    """Aiko on the plane without pegs, under another law of friction.

    Attributes:
        speed: Mean speed of the middle link along x over whole periods, cm/s.
        sticking: Share of links and rows in which friction holds.
        turned_deg: Turn of the robot over the run, deg.
    """

    speed: float
    sticking: float
    turned_deg: float


def flat_run(law: Law, smoothing: float = 0.0) -> FlatRun:
    """Two periods of the gait on the plane [transeth2008 VIII-D1] under a law of friction.

    Args:
        law: Name of the friction law.
        smoothing: Of the smooth law, m/s.

    Returns:
        How the robot moves.
    """
    lasts = {"clock.duration": 2 * 4.5}
    flat = Scenario.load("aiko_flat", lasts).changed({"friction": friction_law(law, smoothing)})
    run = flat.run()
    angle = run.columns["theta"].mean(axis=1)
    return FlatRun(
        speed=flat_speed(run),
        sticking=float(run.columns["sticking"][1:].mean()),
        turned_deg=math.degrees(angle[-1] - angle[0]),
    )


@dataclass(frozen=True, eq=False)
class SpringPegs:
    """Aiko along its track, whose pegs are springs and dampers, or hard.

    Attributes:
        stiffness: Of the springs, N/m; 0 for hard pegs.
        time_step: Of the run, s.
        entered: Deepest that a link is in a peg, m.
        force: Largest force on a link, mean over a millisecond, N.
        halvings: Number of steps that were halved.
        path: Positions of the middle link every 10 ms, (rows, 2), m.
    """

    stiffness: float
    time_step: float
    entered: float
    force: float
    halvings: int
    path: Floats

    @property
    def explicit_step(self) -> float:
        """Largest step at which a link on such a spring is stable without damping, explicitly, s.

        That of the semi-implicit method of Euler, 2 / sqrt(k / m); the first method of Euler is
        unstable at any step. Infinite for hard pegs.
        """
        mass = aiko().links[0].mass
        return 2.0 / math.sqrt(self.stiffness / mass) if self.stiffness else math.inf


def spring_pegs(stiffness: float, time_step: float, duration: float = 4.5) -> SpringPegs:
    """Run Aiko along its track of springs with critical damping [transeth2008 I].

    Args:
        stiffness: Of the pegs, N/m; hard pegs if 0.
        time_step: Time step, s, of which a millisecond is a multiple.
        duration: Length of the run, s.

    Returns:
        What becomes of it.
    """
    contact = _contact(stiffness, 1.0)
    times = {"clock.duration": duration, "clock.time_step": time_step, "record.period": 1e-3}
    run = Scenario.load("aiko_pegs", times).changed({"world.contact": contact}).run()
    force = run.columns["contact_force"]
    return SpringPegs(
        stiffness=stiffness,
        time_step=time_step,
        entered=_deepest(run),
        force=float(np.hypot(force[..., 0], force[..., 1]).max()),
        halvings=int(run.columns["halvings"].sum()),
        path=middle_path(run)[::10],
    )


def apart(one: SpringPegs, other: SpringPegs) -> float:
    """Largest distance between the middle links of two runs at the same time, m."""
    return float(np.hypot(*(one.path - other.path).T).max())


def rebound(stiffness: float, damping_ratio: float) -> float:
    """Velocity of a link after it strikes a peg of spring and damper, over that before it.

    The stiffness of an obstacle does not tell its damper, and the damper decides [transeth2008 I].

    Args:
        stiffness: Of the peg, N/m.
        damping_ratio: Damping over critical damping.

    Returns:
        The ratio.
    """
    link, radius = _link(), 0.0125
    away = link.links[0].radius + radius + 1e-3
    peg = Peg(x=0.0, y=-away, radius=radius, contact=_contact(stiffness, damping_ratio, link))
    # It comes near for 10 ms; some thousand steps for half a swing of the spring, of which three.
    half_swing = math.pi / math.sqrt(stiffness / link.mass)
    step = half_swing / 1000
    lasts = step * math.ceil((0.01 + 3 * half_swing) / step)
    struck = simulate(
        link,
        World(pegs=(peg,)),
        duration=lasts,
        time_step=step,
        record_period=lasts,
        start=Start(velocity=(0.0, -0.1)),
    )
    return float(struck.columns["vy"][-1, 0] / 0.1)


def _contact(stiffness: float, damping_ratio: float, robot: Robot | None = None) -> Contact:
    if not stiffness:
        return Contact()
    mass = (robot or aiko()).links[0].mass
    return Contact(stiffness=stiffness, damping=2 * damping_ratio * math.sqrt(stiffness * mass))


def _deepest(run: Trajectory) -> float:
    """Deepest that a link is in a peg in any row, 0 if none is, m."""
    link, angle = run.robot.links[0], run.columns["theta"]
    centre = np.stack([run.columns["x"], run.columns["y"]], axis=-1)
    half = link.straight_length / 2 * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    gaps = [
        distance_to_segments(np.array([peg.x, peg.y]), centre - half, centre + half).min()
        - (link.radius + peg.radius)
        for peg in run.world.pegs
    ]
    return max(0.0, -float(min(gaps)))


def _link() -> Robot:
    """One link of Aiko."""
    link = aiko().links[0]
    return Robot(links=(link,), joints=(), name="link of Aiko")


def _between(one: Floats, other: Floats) -> float:
    """Angle from one vector to another without its sign, deg."""
    cross, dot = one[0] * other[1] - one[1] * other[0], one @ other
    return math.degrees(abs(math.atan2(cross, dot)))
