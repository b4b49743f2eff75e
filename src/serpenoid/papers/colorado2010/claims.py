"""What the paper says, measured."""

from __future__ import annotations

import math

import numpy as np

from serpenoid.analysis.energy import cycles, steady_from
from serpenoid.analysis.periodic import Steady
from serpenoid.papers.colorado2010.experiments import SPEED, Sample
from serpenoid.papers.colorado2010.optimum import Optimum
from serpenoid.papers.colorado2010.snake import (
    EFFICIENT,
    INEFFICIENT,
    SLIPPERY,
    STICKY,
    TABLE_2,
    Shape,
)
from serpenoid.papers.paper import Results, claim
from serpenoid.papers.verdicts import Finding

# What P_L / K_E can be on the ground of Table 2, 1/s.
BAND = 2 * SLIPPERY.tangential, 2 * SLIPPERY.normal


@claim("V is proportional to ω", "roughly proportional")
def _speed_linear_in_omega(results: Results) -> Finding:
    sweep: dict[Shape, list[Steady]] = results["sweep"]
    fits = {shape: _straightness(motions) for shape, motions in sweep.items()}
    words = "; ".join(f"{shape}: {fit:.5f}" for shape, fit in fits.items())
    worst = min(fits.values())
    note = (
        f"least R² of a straight line through the origin, over ω of 0.25 to 4 rad/s, of three "
        f"shapes ({words})"
    )
    return Finding(worst, worst > 0.999, note)


def _straightness(motions: list[Steady]) -> float:
    """R2 of a straight line through the origin, speed over frequency."""
    omega = np.array([2 * math.pi / motion.period for motion in motions])
    speed = np.array([motion.speed for motion in motions])
    off = speed - omega * (omega @ speed) / (omega @ omega)
    return float(1 - (off @ off) / ((speed - speed.mean()) ** 2).sum())


@claim("best α is an increasing function of C_T/C_N", "increasing")
def _best_alpha_grows_with_ratio(results: Results) -> Finding:
    found: list[Optimum] = results["ratios"]
    alphas = [optimum.shape.alpha for optimum in found]
    ratios = [optimum.ground.tangential / optimum.ground.normal for optimum in found]
    grows = bool((np.diff(alphas) > 0).all())
    note = (
        f"α of least power at {100 * SPEED:g} cm/s for C_T/C_N of {ratios[0]:g} to {ratios[-1]:g}, "
        f"{'growing from each to the next' if grows else 'not growing throughout'}"
    )
    return Finding(f"{alphas[0]:.3f} to {alphas[-1]:.3f} rad", grows, note)


@claim("best β is a decreasing function of n", "decreasing")
def _best_beta_falls_with_links(results: Results) -> Finding:
    found: list[Optimum] = results["links"]
    betas = [optimum.shape.beta for optimum in found]
    falls = bool((np.diff(betas) < 0).all())
    waves = [optimum.links * optimum.shape.beta / (2 * math.pi) for optimum in found]
    note = (
        f"β of least power at {100 * SPEED:g} cm/s for {found[0].links} to {found[-1].links} "
        f"links, {'falling from each to the next' if falls else 'not falling throughout'}: "
        f"{min(waves):.2f} to {max(waves):.2f} waves along the body"
    )
    return Finding(f"{betas[0]:.2f} to {betas[-1]:.2f} rad", falls, note)


@claim("power lost by kinetic energy", f"{TABLE_2[0].ratio:.2f} to {TABLE_2[-1].ratio:.2f} 1/s")
def _table2(results: Results) -> Finding:
    """Published values against a bound that holds for every motion of the model."""
    samples: list[Sample] = results["random"]
    tests: list[Steady] = results["tests"]
    low, high = BAND
    # Rounding at the ends of the band.
    inside = all(low * (1 - 1e-9) <= s.lowest and s.highest <= high * (1 + 1e-9) for s in samples)
    published = [column.ratio for column in TABLE_2]
    ours = [motion.power / motion.kinetic for motion in tests]
    note = (
        f"P_L/K_E; with K_E and P_L of all links the model gives {low:g} to {high:g} 1/s, 2 C_T to "
        f"2 C_N, and so do {'all' if inside else 'not all'} {len(samples)} random robots and gaits "
        f"({min(s.lowest for s in samples):.2f} to {max(s.highest for s in samples):.1f}); the "
        f"published values are {low / max(published):.0f} to {low / min(published):.0f} times "
        "below that"
    )
    apart = np.abs(np.array(ours) / published - 1)
    return Finding(f"{min(ours):.1f} to {max(ours):.1f} 1/s", bool(apart.max() <= 0.1), note)


@claim("power of the efficient gait, times that of the other", "less than 1")
def _efficient_beats_inefficient(results: Results) -> Finding:
    """The same ground and speed for both, so that only the gaits differ."""
    found: dict[tuple[Shape, object], Steady] = results["surfaces"]
    slippery, sticky = (
        found[EFFICIENT, ground].power / found[INEFFICIENT, ground].power
        for ground in (SLIPPERY, STICKY)
    )
    note = (
        f"power of ({EFFICIENT}) by that of ({INEFFICIENT}), both at {100 * SPEED:g} cm/s: "
        f"{slippery:.1f} with {SLIPPERY}, {sticky:.1f} with {STICKY}; the paper compares one on "
        "the first ground with the other on the second, where it is the friction that differs"
    )
    return Finding(slippery, max(slippery, sticky) < 1, note)


@claim("straight with γ = 0, a circle otherwise", "a circle", "m")
def _gamma_makes_circles(results: Results) -> Finding:
    """A straight path without an offset, and the same curvature in all cycles with it."""
    straight: Steady = results["offsets"][EFFICIENT][0]
    found = cycles(results["circle"])
    first = steady_from(found)
    if first is None:
        return Finding(None, False, "the run does not become steady")
    curvature = found.curvature[first:]
    spread = float(np.ptp(curvature) / abs(curvature.mean()))
    note = (
        f"radius of the path for γ = 1.2 deg, whose curvature is the same in all cycles to "
        f"{100 * spread:.1f} % from cycle {first + 1} on; with γ = 0 a period turns the robot by "
        f"{abs(straight.turn):.0e} rad"
    )
    right = spread < 0.02 and abs(straight.turn) < 1e-6
    return Finding(1 / float(curvature.mean()), right, note)
