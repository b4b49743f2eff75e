"""The gait of least power at a prescribed mean speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from serpenoid.analysis.periodic import Steady, steady, steady_at_speed
from serpenoid.kernels.layout import Floats
from serpenoid.papers.colorado2010.snake import LENGTH, LINKS, Ground, Shape, model
from serpenoid.papers.paper import Failed

# Shape from which searches begin by default.
_BEGIN = Shape(0.3, 0.9)
# Where alpha and beta are looked for, rad; no optimum is at one of these limits.
LIMITS = ((0.05, 1.2), (0.15, 2.6))


@dataclass(frozen=True, eq=False)
class Optimum:
    """The gait of least power at its mean speed, or of the largest speed at its frequency.

    Attributes:
        ground: The ground.
        links: Number of links.
        shape: Shape of the gait.
        motion: Its steady motion.
    """

    ground: Ground
    links: int
    shape: Shape
    motion: Steady

    @property
    def omega(self) -> float:
        """Frequency of the gait, rad/s."""
        return 2 * math.pi / self.motion.period


def least_power(
    ground: Ground,
    speed: float,
    links: int = LINKS,
    *,
    begin: Shape = _BEGIN,
    fastest: float = math.inf,
) -> Optimum:
    """Shape of least mean power loss among the gaits of one mean speed.

    Args:
        ground: The ground.
        speed: Mean speed, m/s.
        links: Number of links.
        begin: Shape from which the search begins.
        fastest: Largest frequency of the gait allowed, rad/s.

    Returns:
        The gait and its motion.

    Raises:
        Failed: The search did not converge.
    """
    chain, found = model(ground, links), dict[Shape, Optimum]()

    def at(values: Floats | Sequence[float]) -> Optimum:
        """The motion of a shape at this speed, found from the last one."""
        shape = Shape(float(values[0]), float(values[1]))
        if shape not in found:
            # The wave runs along the robot at omega length / beta; slip leaves a third of it.
            gait = shape.gait(3 * speed * shape.beta / LENGTH, links)
            last = next(reversed(found.values())).motion if found else None
            found[shape] = Optimum(ground, links, shape, steady_at_speed(chain, gait, speed, last))
        return found[shape]

    bounded: dict[str, Any] = {}
    if fastest < math.inf:
        room = {"type": "ineq", "fun": lambda values: math.log(fastest / at(values).omega)}
        bounded = {"constraints": [room]}
    return at(_minimise(lambda values: math.log(at(values).motion.power), begin, **bounded))


def largest_speed(ground: Ground, omega: float, begin: Shape = _BEGIN) -> Optimum:
    """Shape of the fastest gait at a given frequency.

    Args:
        ground: The ground.
        omega: Frequency of the gait, rad/s.
        begin: Shape from which the search begins.

    Returns:
        The gait and its motion.

    Raises:
        Failed: The search did not converge.
    """
    chain = model(ground)

    def motion(at: Floats | Sequence[float]) -> Steady:
        return steady(chain, Shape(float(at[0]), float(at[1])).gait(omega))

    shape = _minimise(lambda at: -math.log(motion(at).speed), begin)
    return Optimum(ground, LINKS, Shape(*shape), motion(shape))


def _minimise(objective: Any, begin: Shape, **bounded: Any) -> tuple[float, float]:
    from scipy import optimize

    found = optimize.minimize(
        objective,
        (begin.alpha, begin.beta),
        method="SLSQP",
        bounds=LIMITS,
        # Motions are found to some 1e-8, so a step of 1e-5 gives slopes to some 1e-3.
        options={"eps": 1e-5, "ftol": 1e-8, "maxiter": 200},
        **bounded,
    )
    if not found.success:
        raise Failed(f"no best gait was found: {found.message}")
    alpha, beta = (float(value) for value in found.x)
    return alpha, beta
