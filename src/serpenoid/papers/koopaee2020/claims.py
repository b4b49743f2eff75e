"""What the paper says, measured with both robots.

Claims are judged with links of 0.14 m, half of which is the 0.07 m of the text; those that end in
`_as_printed` with links of 0.07 m.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace

from serpenoid.papers.koopaee2020 import study
from serpenoid.papers.koopaee2020.experiments import BAND, HALF, PRINTED, PUBLISHED_GAIN, STAIR
from serpenoid.papers.koopaee2020.study import Case, Outcome, Variant, negative_peaks
from serpenoid.papers.paper import Claim, Failed, Results, require_run
from serpenoid.papers.verdicts import Finding, near, printed

# Claim: what it says, what is published, in which unit.
PUBLISHED = {
    "flat_speed": ("speed on the rough flat", 2.18, "cm/s"),
    "friction_effect": ("speed on the rough flat above that on the smooth one", 13.7, "%"),
    "torque_peak_effect": ("rise of the torque peaks on the smooth plate", 16.3, "%"),
    "stair_speed": ("speed over the stair at k_c 0", 1.71, "cm/s"),
    "stair_best_speed": ("best speed over the stair", 2.13, "cm/s"),
    "adaptive_gain": ("best speed over the stair above that at k_c 0", 24.8, "%"),
}
# Cycles of the gait, of 2 s, from 0, before the head link is on the smooth plate and from then on;
# the first belongs to the straight start.
BEFORE, AFTER = slice(1, 3), slice(4, 8)
# The paper's joint 5, at the head link.
HEAD_JOINT = 4


def effect(measured: float, published: float, note: str) -> Finding:
    """Judge a relative change, in per cent.

    A difference of two numbers that are known to some per cent is known to a quarter.

    Args:
        measured: The measured change, per cent.
        published: The published change, per cent.
        note: The finding's note.
    """
    return printed(measured, published, 25.0, note)


def curve(results: Results, kind: Case) -> list[Outcome]:
    """Runs over the stair that differ by their gain only, by increasing gain.

    Args:
        results: Outcomes of the experiments.
        kind: A case of such a run, of any gain.

    Raises:
        Failed: There are no such runs.
    """
    runs: list[Outcome] = [*results["sweep"], *results["varied"]]
    found = [run for run in runs if run.case.at(kind.gain) == kind and not run.stopped]
    return sorted(require_run(found), key=lambda run: run.case.gain)


def ends(runs: list[Outcome]) -> tuple[float, Outcome]:
    """The speed without feedback and the fastest run of a curve.

    Args:
        runs: Runs by increasing gain.

    Returns:
        The speed without feedback, cm/s, and the fastest run.

    Raises:
        Failed: The first run has feedback.
    """
    if runs[0].case.gain != 0:
        raise Failed("the run without feedback could not go on")
    return 100 * runs[0].speed, max(runs, key=lambda run: run.speed)


def adaptive_gain(runs: list[Outcome]) -> float:
    """Increase of speed from the run without feedback to the fastest run, per cent."""
    without, best = ends(runs)
    return 100 * (100 * best.speed / without - 1)


def flat_speeds(results: Results, kind: Case) -> tuple[float, float]:
    """Speeds of a case on the rough and on the smooth flat, cm/s.

    Raises:
        Failed: The case was not run on both.
    """
    speeds = {run.case: 100 * run.speed for run in results["grounds"]}
    cases = [replace(kind, friction=mu) for mu in study.GROUNDS]
    require_run([case for case in cases if case in speeds], len(cases))
    rough, smooth = (speeds[case] for case in cases)
    return rough, smooth


def plates(variant: Variant) -> str:
    """Name of the experiment on two plates."""
    return "plates" if variant == HALF else f"plates_{variant}"


def peak_effect(results: Results, variant: Variant, joint: int = HEAD_JOINT) -> float:
    """Increase of the negative torque peaks once the head link is on the smooth plate.

    Args:
        results: Outcomes of the experiments.
        variant: Variant of the robot.
        joint: Number of the joint, 0 at the tail.

    Returns:
        The increase, per cent.
    """
    peaks = negative_peaks(results[plates(variant)], joint)
    return 100 * float(peaks[AFTER].mean() / peaks[BEFORE].mean() - 1)


def _flat_speed(published: float, variant: Variant, results: Results) -> Finding:
    speed, _ = flat_speeds(results, Case(variant, "flat"))
    both = 100 * study.forward_speed(results[plates(variant)])
    note = f"60 s from a straight start; {both:.2f} cm/s over a rough and then a smooth plate"
    return near(speed, published, f"{note}; the real robot had 2.40 cm/s")


def _friction_effect(published: float, variant: Variant, results: Results) -> Finding:
    rough, smooth = flat_speeds(results, Case(variant, "flat"))
    note = (
        f"{rough:.2f} cm/s with friction {study.ROUGH}, {smooth:.2f} cm/s with {study.SMOOTH:.2f}; "
        "the real robot had 20.3 %"
    )
    return effect(100 * (rough / smooth - 1), published, note)


def _torque_peak_effect(published: float, variant: Variant, results: Results) -> Finding:
    note = (
        "negative peaks of joint 4, the paper's 5, at the head link, from 8 to 16 s by those from "
        f"2 to 6 s; joint 0, the paper's 1: {peak_effect(results, variant, 0):+.1f} %"
    )
    if variant == HALF:
        smooth, rough = (negative_peaks(results[name], HEAD_JOINT) for name in ("plates", "rough"))
        higher = 100 * (smooth[AFTER].mean() / rough[AFTER].mean() - 1)
        note += f"; against a run that stays on the rough flat {higher:+.1f} %"
    return effect(peak_effect(results, variant), published, f"{note}; the real robot had 4.3 %")


def _stair_speed(published: float, variant: Variant, results: Results) -> Finding:
    runs = curve(results, Case(variant))
    found = [ends(other)[0] for other in _band(results, variant)]
    note = _climbed(runs[:1]) + _range(found, "; {:.2f} to {:.2f} cm/s within the band")
    return near(ends(runs)[0], published, note)


def _stair_best_speed(published: float, variant: Variant, results: Results) -> Finding:
    runs = curve(results, Case(variant))
    _, best = ends(runs)
    note = f"at k_c {best.case.gain:g} where the paper has {PUBLISHED_GAIN}; {_climbed([best])}"
    if variant == HALF:
        there = min(runs, key=lambda run: abs(run.case.gain - PUBLISHED_GAIN))
        note += f"; at {there.case.gain:g} ours is {100 * there.speed:.2f} cm/s"
    found = [ends(other)[1].case.gain for other in _band(results, variant)]
    note += _range(found, "; the best k_c is {:g} to {:g} within the band")
    return near(100 * best.speed, published, note)


def _adaptive_gain(published: float, variant: Variant, results: Results) -> Finding:
    runs = curve(results, Case(variant))
    found = [adaptive_gain(other) for other in _band(results, variant)]
    note = f"best of {len(runs)} gains by k_c 0; {_climbed(runs)}"
    note += _range(found, "; {:+.1f} to {:+.1f} % within the band")
    return effect(adaptive_gain(runs), published, note)


def _climbed(runs: list[Outcome]) -> str:
    """How many runs ended with the whole robot beyond the stair, in words."""
    over = sum(run.over for run in runs)
    if len(runs) > 1:
        return f"wholly over the stair within 60 s with {over} of them"
    return "wholly over the stair within 60 s" if over else "not over the stair within 60 s"


def _band(results: Results, variant: Variant) -> list[list[Outcome]]:
    """Curves within what is known and what is computed; none if they were not run."""
    if variant != HALF:
        return []
    try:
        return [curve(results, kind) for kind in (STAIR, *BAND.values())]
    except Failed:
        return []


def _range(values: list[float], words: str) -> str:
    """Words with the least and the largest value; nothing if there are none."""
    return words.format(min(values), max(values)) if values else ""


_CHECKS: dict[str, Callable[[float, Variant, Results], Finding]] = {
    "flat_speed": _flat_speed,
    "friction_effect": _friction_effect,
    "torque_peak_effect": _torque_peak_effect,
    "stair_speed": _stair_speed,
    "stair_best_speed": _stair_best_speed,
    "adaptive_gain": _adaptive_gain,
}


def _claim(name: str, variant: Variant) -> Claim:
    words, published, unit = PUBLISHED[name]
    suffix, length = ("", "14") if variant == HALF else ("_as_printed", "7")
    check = functools.partial(_CHECKS[name], published, variant)
    return Claim(f"{name}{suffix}", f"{words}, links of {length} cm", published, unit, check)


CLAIMS = tuple(_claim(name, variant) for variant in (HALF, PRINTED) for name in PUBLISHED)
