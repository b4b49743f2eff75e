"""Tables of the report: starts, readings side by side, causes, maps, and other models."""

from __future__ import annotations

import math

from serpenoid.analysis.motion import time_past
from serpenoid.analysis.windows import between
from serpenoid.papers.paper import Results, table
from serpenoid.papers.transeth2008.claims_small import FIG_10, PUBLISHED_LINKS
from serpenoid.papers.transeth2008.claims_track import real_robot
from serpenoid.papers.transeth2008.experiments import AMPLITUDES, PHASES, TRACKS, large_key
from serpenoid.papers.transeth2008.layouts import gait
from serpenoid.papers.transeth2008.measures import (
    end_of_track,
    mean_forces,
    pushes_at,
    three_at_once,
    track_speed,
    turn,
)
from serpenoid.papers.transeth2008.other_models import apart, explicit_friction_step
from serpenoid.papers.transeth2008.real_robot import Behind
from serpenoid.papers.transeth2008.tracks import Track, Tried


@table("Starts that run along the pegs of VIII-D, by reading")
def _starts(results: Results) -> list[list[str]]:
    keys = dict.fromkeys(map(large_key, TRACKS))
    heading = "pegs,wave,anywhere,before peg 3,among three pegs,speed (cm/s)"
    heading += ",links at 5.2 s,forces (N),along y,links 2 / 7 / 10 (N),three in 10 ms"
    rows = [heading.split(",")]
    for (pegs, wave), track in zip(keys, results["every_track"], strict=True):
        shares = [_share(tried) for tried in (track.anywhere, track.before, track.among)]
        run = track.run
        three = three_at_once(between(run, 2.0, end_of_track(run)), 0.01)
        words = [f"{track_speed(run):.2f}", *_fig_10(track), f"{100 * three:.0f} %"]
        rows.append([pegs, wave, *shares, *words])
    return rows


@table("Small pegs of VIII-B by reading")
def _small_pegs(results: Results) -> list[list[str]]:
    heading = "pegs,wave,layout,radii,before peg 3,among three,links at 5.2 s,forces (N),along y"
    heading += ",links 2 / 7 / 10 (N),peg 3 moved,turned (deg),peg 3 removed,turned (deg)"
    rows = [heading.split(",")]
    for setting, track in zip(TRACKS, results["every_small_pegs"], strict=True):
        names = [setting[name] for name in ("pegs", "wave", "layout", "radii")]
        shares = [_share(track.before), _share(track.among)]
        rows.append([*names, *shares, *_fig_10(track), *_peg_3(track)])
    return rows


def _share(tried: Tried) -> str:
    return f"{tried.passed} of {tried.clear}"


def _fig_10(track: Track) -> list[str]:
    """Links that push at 5.2 s, their forces, signs along y, and means from 4.5 s to 5.5 s."""
    run = track.run
    if end_of_track(run) < FIG_10:
        return ["past the track", "–", "–", "–"]
    pushes, force = pushes_at(run, FIG_10), mean_forces(run, 4.5, 5.5)
    signs = ["+" if push.force[1] > 0 else "\N{MINUS SIGN}" for push in pushes]
    means = [f"{force[link - 1]:.1f}" for link in PUBLISHED_LINKS]
    sizes = [f"{math.hypot(*push.force):.1f}" for push in pushes]
    links = ", ".join(str(push.link) for push in pushes)
    return [links, " / ".join(sizes), " ".join(signs), " / ".join(means)]


def _peg_3(track: Track) -> list[str]:
    """What becomes of runs with peg 3 moved and removed."""
    if track.before.run is None:
        return ["–"] * 4
    usual, *changed = track.peg_3
    words = []
    for run in changed:
        at = time_past(run, track.last_peg)
        words += ["stuck" if at is None else f"passes at {at:.1f} s"]
        words += [f"{turn(run, usual).turned:+.0f}"]
    return words


@table("Causes of the gap between robot and simulation, one at a time (VIII-C, VIII-E)")
def _causes(results: Results) -> list[list[str]]:
    rows = [["cause", "value", "behind the ideal run (cm)"]]
    return rows + [[each.cause, each.value, _gap(each)] for each in real_robot(results).alone]


def _gap(each: Behind) -> str:
    if each.gap is None:
        return "stuck" if len(each.x) else "stands in a peg"
    return f"{100 * each.gap:.2f}".replace("-0.00", "0.00")


@table("Delay and gear play together, behind the ideal run in cm, by reading")
def _delay_and_play(results: Results) -> list[list[str]]:
    several = results["real_robot"]
    keys = list(next(iter(several.values())).grid)
    rows = [["play", "references", *(f"{1000 * d:.0f} ms, {p:g} deg" for d, p in keys)]]
    for (play, references), found in several.items():
        gaps = ["stuck" if gap is None else f"{100 * gap:.1f}" for gap in found.grid.values()]
        rows.append([play, references, *gaps])
    return rows


@table("The same run along the pegs of VIII-D, by other methods and time steps")
def _other_steps(results: Results) -> list[list[str]]:
    rows = [["method", "time step (ms)", "past the last peg (s)", "apart (mm)"]]
    for each in results["other_steps"]:
        passed = "stops early" if each.passed is None else f"{each.passed:.2f}"
        rows.append([each.method, f"{1000 * each.time_step:g}", passed, f"{1000 * each.apart:.2f}"])
    return rows


@table("Speed over amplitude and phase, cm/s, and propulsive share, on pegs laid out for each wave")
def _gaits(results: Results) -> list[list[str]]:
    rows = [["amplitude", *(f"{phase:g} deg" for phase in PHASES)]]
    sign = math.copysign(1.0, gait(results.setting).amplitude_deg)
    for size in AMPLITUDES:
        found = results["gait_map"].where(amplitude_deg=sign * size).median()
        pairs = zip(100 * found["speed"], found["propulsive_share"], strict=True)
        rows.append([f"{size:g} deg", *(f"{speed:.1f}; {share:.2f}" for speed, share in pairs)])
    return rows


@table(
    "Friction of the ground and frequency, on pegs laid out for the wave as those of VIII-D, and "
    "along these"
)
def _friction(results: Results) -> list[list[str]]:
    heading = "mu,frequency (deg/s),speed (cm/s),largest force (N),rms torque (N m)"
    rows = [[*heading.split(","), "pegs of VIII-D (cm/s)", "on the flat (cm/s)"]]
    track = ["stuck" if speed is None else f"{speed:.2f}" for speed in results["track_friction"]]
    flat = [f"{100 * speed:.2f}" for speed in results["flat_friction"]]
    others = [*zip(track, flat, strict=True), *[("–", "–")] * 3]
    medians = [results[name].median() for name in ("friction_map", "frequency_map")]
    lines = [
        [
            f"{each['mu'][k]:g}",
            f"{each['frequency_deg'][k]:g}",
            f"{100 * each['speed'][k]:.2f}",
            f"{each['impact_force'][k]:.0f}",
            f"{each['torque'][k]:.2f}",
        ]
        for each in medians
        for k in range(len(each["mu"]))
    ]
    return rows + [[*line, *other] for line, other in zip(lines, others, strict=True)]


@table("Pushes beside the centre line (Fig. 8): what 1 N of thrust takes")
def _push_statics(results: Results) -> list[list[str]]:
    rows = [["offset (cm)", "angle (deg)", "forces (N)", "rms torque (N m)", "largest (N m)"]]
    for each in results["push_statics"]:
        values = [f"{each.angle_deg:.1f}", f"{each.forces:.2f}"]
        values += [f"{each.torque:.3f}", f"{each.largest:.3f}"]
        rows.append([f"{100 * each.offset:+.0f}", *values])
    return rows


@table("Notches between two links, in which pegs get stuck (VII-D, VIII-B)")
def _notches(results: Results) -> list[list[str]]:
    rows = [["radius of the peg (m)", "depth (mm)", "friction that holds it there"]]
    for each in results["notch"]:
        holding = f"{math.tan(math.radians(each.slope_deg)):.2f}"
        rows.append([f"{each.radius:g}", f"{1000 * each.depth:.2f}", holding])
    return rows


@table("Laws of friction (V-B2)")
def _laws(results: Results) -> list[list[str]]:
    heading = "law,off the motion (deg),over mu m g,creeps on 5 deg (mm in 10 s)"
    heading += ",Aiko on the flat (cm/s),sticks (%),largest explicit step (ms)"
    rows = [heading.split(",")]
    for name, (sliding, resting, flat) in results["friction_laws"].items():
        step = explicit_friction_step(resting.smoothing)
        rows.append(
            [
                name,
                f"{max(each.misaligned_deg for each in sliding):.1f}",
                f"{max(each.force for each in sliding):.2f}",
                f"{1000 * resting.gone:.3g}" if resting.gone > 1e-9 else "0",
                f"{flat.speed:.2f}",
                f"{100 * flat.sticking:.1f}",
                f"{1000 * step:.2g}" if step else "–",
            ]
        )
    return rows


@table("Pegs of springs with critical damping (I)")
def _springs(results: Results) -> list[list[str]]:
    heading = "stiffness (N/m),depth (mm),largest force (N),apart from hard pegs (mm)"
    rows = [[*heading.split(","), "largest explicit step (ms)"]]
    runs, _ = results["spring_pegs"]
    for each in runs:
        hard = not each.stiffness
        rows.append(
            [
                "hard" if hard else f"{each.stiffness:.0e}",
                f"{1000 * each.entered:.2f}",
                f"{each.force:.0f}",
                "–" if hard else f"{1000 * apart(each, runs[0]):.2f}",
                "–" if hard else f"{1000 * each.explicit_step:.1f}",
            ]
        )
    return rows


@table("Explicit servos (43) of Aiko")
def _explicit(results: Results) -> list[list[str]]:
    limit = results["servo_step"]
    rows = [["time step (ms)", "runs for (s)", "apart from implicit ones (mm)"]]
    for each in results["explicit_track"]:
        step = f"{1000 * each.time_step:g}"
        rows.append([step, f"{each.reached:g}", f"{1000 * each.apart:.2f}"])
    words = f"stable up to {1000 * limit.predicted:.3f} by its fastest mode"
    return [*rows, [words, f"{1000 * limit.measured:.3f} by runs", "–"]]


@table("Convergence of the modified Newton iteration over r_H and r_T (VI-B), in kg")
def _convergence(results: Results) -> list[list[str]]:
    rows = [["along", "r_H", "r_T", "iterations in a step", "in the worst row", "converges"]]
    several = [("pegs", each) for each in results["r_normal"]]
    for place, each in [*several, *(("flat", each) for each in results["r_tangential"])]:
        known = each.reached > 0
        rows.append(
            [
                place,
                f"{each.r_normal:g}",
                f"{each.r_tangential:g}",
                f"{each.iterations:.0f}" if known else "–",
                f"{each.most:.0f}" if known else "–",
                "yes" if each.converged else f"no, at {each.reached:g} s",
            ]
        )
    normal, tangential = results["largest_r"]
    held = (normal, f"{normal.measured:.2f}", "–"), (tangential, "–", f"{tangential.measured:.2f}")
    for each, *values in held:
        rows.append(["held", *values, "–", "–", f"up to here; {each.predicted:.2f} by theory"])
    return rows
