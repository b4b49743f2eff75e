"""Claims about amplitude, phase and frequency (VIII-B), and the mechanism (VII)."""

from __future__ import annotations

import itertools

import numpy as np

from serpenoid.analysis.wave_maps import WaveMap
from serpenoid.kernels.layout import Floats
from serpenoid.papers.paper import Results, claim
from serpenoid.papers.transeth2008.layouts import gait
from serpenoid.papers.verdicts import Finding


def _usual(results: Results) -> WaveMap:
    """Runs on pegs laid out for each phase, with the published amplitude."""
    amplitude = gait(results.setting).amplitude_deg
    found: WaveMap = results["gait_map"].where(amplitude_deg=amplitude)
    return found


def _at(results: Results, phase_deg: float) -> tuple[WaveMap, WaveMap]:
    """Runs with one phase on pegs on the centre line, and beside it, as those of VIII-D."""
    beside: WaveMap = results["beside_phases"]
    return _usual(results).where(phase_deg=phase_deg), beside.where(phase_deg=phase_deg)


_WHERE = "on pegs on the centre line of each wave"


@claim("-30 deg does not move forward", "unable", "cm/s", place="VIII-B, Fig. 12 (a)")
def _phase_30(results: Results) -> Finding:
    """Slower than a tenth of the speed at -50 deg, from the best of the starts."""
    low, usual = (
        [100 * float(np.nanmax(runs["speed"])) for runs in _at(results, phase)]
        for phase in (-30.0, -50.0)
    )
    note = (
        f"best of {len(_at(results, -30.0)[0]['speed'])} starts {_WHERE}, after the first period; "
        f"{usual[0]:.1f} cm/s at -50 deg; with pegs beside it, as in VIII-D, {low[1]:.1f} and "
        f"{usual[1]:.1f} cm/s"
    )
    return Finding(low[0], all(a < 0.1 * b for a, b in zip(low, usual, strict=True)), note)


@claim("-70 deg moves forward", "able", "cm/s", place="VIII-B, Fig. 12 (b)")
def _phase_70(results: Results) -> Finding:
    """The median is faster than a quarter of the speed at -50 deg."""
    high, usual = (
        [100 * float(runs.median()["speed"][0]) for runs in _at(results, phase)]
        for phase in (-70.0, -50.0)
    )
    note = f"median of the starts, {_WHERE}; with pegs beside it, as in VIII-D, {high[1]:.1f} cm/s"
    return Finding(high[0], all(a > 0.25 * b for a, b in zip(high, usual, strict=True)), note)


@claim("another phase gives another speed", True, "", place="VIII-D2")
def _phase_speed(results: Results) -> Finding:
    """Between neighbouring phases that move forward, each is slower by 5 % or more."""
    medians = _usual(results).median()
    moving = [
        (phase, 100 * speed)
        for phase, speed in zip(medians["phase_deg"], medians["speed"], strict=True)
        if phase <= -50
    ]
    ordered = [speed for _, speed in sorted(moving, reverse=True)]
    slower = all(b < 0.95 * a for a, b in itertools.pairwise(ordered))
    words = ", ".join(f"{phase:.0f} deg: {speed:.1f}" for phase, speed in sorted(moving)[::-1])
    return Finding(slower, slower, f"{words} cm/s, {_WHERE}")


@claim(
    "-70 deg: contact force per thrust with three push-points",
    "higher",
    "x",
    place="VIII-B, Fig. 12 (b)",
)
def _phase_70_force(results: Results) -> Finding:
    """Higher by a tenth or more with three neighbouring push-points, and in runs, with all."""
    three, three_other = results["phase_statics"]
    usual, other = (
        [float(runs.median()["propulsive_share"][0]) for runs in _at(results, phase)]
        for phase in (-50.0, -70.0)
    )
    times = three_other.forces / three.forces
    note = (
        f"three neighbours on the centre line bear {three_other.forces:.2f} N for 1 N of thrust, "
        f"at -50 deg {three.forces:.2f} N; in runs with all pegs a share of {other[0]:.2f} "
        f"propels, at -50 deg {usual[0]:.2f}; with pegs beside the centre line, as in VIII-D, "
        f"{other[1]:.2f} and {usual[1]:.2f}"
    )
    less = all(a > 1.1 * b for a, b in zip(usual, other, strict=True))
    return Finding(times, times > 1.1 and less, note)


@claim(
    "-70 deg: joint torques with three push-points",
    "larger",
    "x",
    place="VIII-B",
    not_comparable=(
        "the three push-points are a condition of the sentence; at -70 deg the robot is along more "
        "than three pegs of any layout for its wave, and the paper does not say which push"
    ),
)
def _phase_70_torque(results: Results) -> Finding:
    usual, other = (float(_at(results, p)[0].median()["torque"][0]) for p in (-50.0, -70.0))
    three, three_other = results["phase_statics"]
    note = (
        f"in runs, with more push-points, root mean square {other:.2f} N m, at -50 deg {usual:.2f} "
        f"N m; in statics three neighbouring ones need {three_other.torque:.4f} N m for 1 N of "
        f"thrust, at -50 deg {three.torque:.4f}, at most {three_other.largest:.3f} and "
        f"{three.largest:.3f} N m"
    )
    return Finding(other / usual, None, note)


@claim("a lower amplitude makes contact forces less propulsive", True, "", place="VIII-B")
def _amplitude(results: Results) -> Finding:
    """The propulsive share rises with the amplitude, at the published phase."""
    runs = results["gait_map"].where(phase_deg=-50.0), results["beside_amplitudes"]
    medians = [each.median() for each in runs]
    order = np.argsort(np.abs(medians[0]["amplitude_deg"]))
    size = np.abs(medians[0]["amplitude_deg"])[order]
    shares = [each["propulsive_share"][order] for each in medians]
    rises = all(bool((np.diff(share) > 0).all()) for share in shares)
    words = [
        ", ".join(f"{a:.0f} deg: {s:.2f}" for a, s in zip(size, share, strict=True))
        for share in shares
    ]
    note = f"propulsive share at {words[0]}; with pegs beside it, as in VIII-D, at {words[1]}"
    return Finding(rises, rises, f"{_WHERE}, {note}")


@claim("a higher frequency gives a greater speed", True, "", place="VIII-B")
def _frequency_speed(results: Results) -> Finding:
    medians = results["frequency_map"].median()
    return _rises(medians["frequency_deg"], 100 * medians["speed"], "", "{:.0f} deg/s: {:.1f} cm/s")


@claim("a higher speed makes impacts harder", True, "", place="VIII-B")
def _frequency_impact(results: Results) -> Finding:
    medians = results["frequency_map"].median()
    what = "largest force on a link, mean of 10 ms, "
    return _rises(medians["frequency_deg"], medians["impact_force"], what, "{:.0f} deg/s: {:.0f} N")


def _rises(axis: Floats, values: Floats, what: str, words: str) -> Finding:
    """Whether values rise along an axis, and in words, with a format of a place and its value."""
    rises = bool((np.diff(values) > 0).all())
    pairs = ", ".join(words.format(*pair) for pair in zip(axis, values, strict=True))
    return Finding(rises, rises, what + pairs)


@claim(
    "three links glide forward if alpha > beta, backward if smaller, not if equal",
    True,
    place="VII-B, Fig. 7",
)
def _gray(results: Results) -> Finding:
    """All runs and all sums of forces have the sign of alpha - beta; equal angles none."""
    right = [
        np.sign(round(found.gone, 9)) == np.sign(round(found.force, 9)) == np.sign(angle)
        for found in results["gray"]
        for angle in [found.alpha_deg - found.beta_deg]
    ]
    note = f"{sum(right)} of {len(right)} pairs of angles from 10 to 70 deg, runs and statics"
    return Finding(all(right), all(right), note)


@claim("pushes on the centre line need the smallest forces", True, place="VII-B, Fig. 8")
def _centre_line_forces(results: Results) -> Finding:
    """Forces for 1 N of thrust rise with the distance from it, on both sides."""
    words = ", ".join(
        f"{100 * each.offset:+.0f} cm: {each.forces:.2f} N" for each in results["push_statics"]
    )
    least = _least_at_centre([(e.offset, e.forces) for e in results["push_statics"]])
    return Finding(least, least, f"for 1 N of thrust at {words}")


@claim("pushes on the centre line need the smallest joint torques", True, place="VII-B, Fig. 8")
def _centre_line_torques(results: Results) -> Finding:
    """Torques for 1 N of thrust rise with the distance from it, on both sides."""
    several = results["push_statics"]
    words = ", ".join(f"{100 * e.offset:+.0f} cm: {e.torque:.3f}" for e in several)
    usual, largest = ([(e.offset, getattr(e, n)) for e in several] for n in ("torque", "largest"))
    least = _least_at_centre(usual) and _least_at_centre(largest)
    return Finding(least, least, f"root mean square, N m for 1 N of thrust, at {words}")


def _least_at_centre(values: list[tuple[float, float]]) -> bool:
    """Whether values rise with the distance from 0, to both sides."""
    sides = [
        [value for _, value in sorted((abs(at), v) for at, v in values if sign * at >= 0)]
        for sign in (1, -1)
    ]
    return all(a < b for side in sides for a, b in itertools.pairwise(side))
