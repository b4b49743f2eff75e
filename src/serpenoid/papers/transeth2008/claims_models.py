"""Claims about friction, contact and the method, and the case against other models (I, V, VI)."""

from __future__ import annotations

import itertools

from serpenoid.papers.paper import Results, claim
from serpenoid.papers.transeth2008.experiments import DAMPING_RATIOS, SMOOTHINGS
from serpenoid.papers.transeth2008.other_models import apart, explicit_friction_step
from serpenoid.papers.transeth2008.time_stepping import MOST_ITERATIONS, Convergence
from serpenoid.papers.verdicts import Finding

# Time step of the runs on the flat with (50), ms.
USUAL_STEP = 1.0


@claim(
    "isotropic friction (50) is opposite to the motion, as (52) with equal axes",
    True,
    "deg",
    place="V-B2",
)
def _friction_opposite(results: Results) -> Finding:
    """To a millionth of a degree."""
    worst = max(
        found.misaligned_deg
        for law in ("coulomb", "orthotropic")
        for found in results["friction_laws"][law][0]
    )
    return Finding(
        round(worst, 6), worst < 1e-6, "largest angle off, of a link that slides in 4 directions"
    )


@claim("two sign functions are anisotropic, with equal coefficients too", True, "deg", place="V-B2")
def _two_sign_functions(results: Results) -> Finding:
    """Friction is off the opposite of the motion by more than a degree in some direction."""
    sliding, _, flat = results["friction_laws"]["rectangular"]
    worst = max(sliding, key=lambda found: found.misaligned_deg)
    force = max(found.force for found in sliding)
    usual = results["friction_laws"]["coulomb"][2].speed
    note = (
        f"friction is off by so much for motion at {worst.angle_deg:g} deg to the link, up to "
        f"{force:.2f} mu m g, and Aiko moves at {flat.speed:.2f} cm/s on the flat, by (50) at "
        f"{usual:.2f} cm/s"
    )
    return Finding(worst.misaligned_deg, worst.misaligned_deg > 1, note)


@claim("with smoothed friction an object on a slope always slides", True, "", place="V-B2")
def _smooth_slides(results: Results) -> Finding:
    """Every smoothed law creeps by more than a micrometre in 10 s, (50) by less than one."""
    laws = results["friction_laws"]
    gone = {name: parts[1].gone for name, parts in laws.items()}
    smooth = [size for name, size in gone.items() if name.startswith("smooth")]
    slides = min(smooth) > 1e-6 > gone["coulomb"]
    note = (
        f"on 5 deg, within the 11.3 deg that friction holds, in 10 s: {1000 * max(smooth):.3g} to "
        f"{1000 * min(smooth):.2g} mm, by (50) {1000 * gone['coulomb']:.0e} mm"
    )
    return Finding(slides, slides, note)


@claim("smoothed friction makes the equations stiff", True, "ms", place="I, V-B2")
def _smooth_stiff(results: Results) -> Finding:
    """Where the speed on the flat is right to 1 %, an explicit step must be below that of (50)."""
    laws = results["friction_laws"]
    right = laws["coulomb"][2].speed
    off = {s: abs(laws[f"smooth, {s:g} m/s"][2].speed / right - 1) for s in SMOOTHINGS}
    fine = max(s for s, error in off.items() if error < 0.01)
    step = 1000 * explicit_friction_step(fine)
    note = (
        f"largest step of Euler's method by the slope at rest, with the smoothing of "
        f"{1000 * fine:g} mm/s, which is right to 1 %; (50) takes steps of {USUAL_STEP:g} ms"
    )
    return Finding(step, step < USUAL_STEP, note)


@claim(
    "a very high spring coefficient is needed for hard pegs",
    True,
    "N/m",
    place="I",
    not_comparable="the paper says neither how hard pegs are nor what is very high",
)
def _stiff_springs(results: Results) -> Finding:
    (hard, *soft), _ = results["spring_pegs"]
    fine = min((each for each in soft if each.entered < 1e-3), key=lambda each: each.stiffness)
    words = ", ".join(
        f"{each.stiffness:.0e} N/m: {1000 * each.entered:.2g} mm, {1000 * apart(each, hard):.2g} mm"
        for each in soft
    )
    note = (
        f"least of those tried with which links enter pegs by less than 1 mm; depth, and distance "
        f"from the path with hard pegs, at {words}"
    )
    return Finding(fine.stiffness, None, note)


@claim(
    "the dissipation of a compliant contact is ambiguous",
    True,
    place="I",
    not_comparable=(
        "that dampers change the rebound is how they are made; the sentence is about how to choose "
        "them, of which the paper says nothing more"
    ),
)
def _damping_ambiguous(results: Results) -> Finding:
    _, rebounds = results["spring_pegs"]
    words = ", ".join(
        f"{ratio:g}: {back:.2f}" for ratio, back in zip(DAMPING_RATIOS, rebounds, strict=True)
    )
    note = f"velocity after a hit over that before, 1e+05 N/m, by damping over critical, {words}"
    return Finding(f"{min(rebounds):.2f} to {max(rebounds):.2f}", None, note)


@claim("a higher r_H converges faster, at the risk of divergence", True, place="VI-B")
def _r_normal(results: Results) -> Finding:
    return _converges(results["r_normal"], "r_normal", "r_H", "kg, r_T 1.3 kg")


@claim("a higher r_T converges faster, at the risk of divergence", True, place="VI-B")
def _r_tangential(results: Results) -> Finding:
    return _converges(results["r_tangential"], "r_tangential", "r_T", "kg, on the flat")


def _converges(runs: list[Convergence], name: str, symbol: str, unit: str) -> Finding:
    """Iterations fall to their least, a fifth of the most or less; above, steps do not converge."""
    good = [each for each in runs if each.converged]
    least = min(range(len(good)), key=lambda k: good[k].iterations, default=0)
    falls = bool(good) and all(
        a.iterations > b.iterations for a, b in itertools.pairwise(good[: least + 1])
    )
    falls = falls and 5 * good[least].iterations <= max(each.iterations for each in good)
    above = max((getattr(each, name) for each in good), default=0.0)
    diverges = any(getattr(each, name) > above for each in runs)
    words = ", ".join(
        f"{getattr(each, name):g}: {each.iterations:.0f}"
        if each.converged
        else f"{getattr(each, name):g}: none"
        for each in runs
    )
    note = (
        f"iterations in a step by {symbol}, {words} {unit}; none where a step did not converge in "
        f"{MOST_ITERATIONS}"
    )
    return Finding(falls and diverges, falls and diverges, note)
