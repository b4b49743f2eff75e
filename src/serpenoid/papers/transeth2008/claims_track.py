"""Claims about the flat and the track of VIII-D, and about robot and simulation (VIII-E)."""

from __future__ import annotations

import numpy as np

from serpenoid.analysis.windows import between
from serpenoid.engine.trajectory import Trajectory
from serpenoid.papers.paper import Results, claim
from serpenoid.papers.transeth2008.experiments import FRICTION
from serpenoid.papers.transeth2008.measures import (
    end_of_track,
    flat_speed,
    paths_apart,
    track_speed,
)
from serpenoid.papers.transeth2008.real_robot import RealRobot
from serpenoid.papers.transeth2008.tracks import Tried
from serpenoid.papers.verdicts import Finding, near


def tried_words(tried: Tried, words: str) -> str:
    """How starts fared, in words."""
    return f"{tried.passed} of {tried.clear} starts {words} run"


def real_robot(results: Results) -> RealRobot:
    """The robot under the readings of its gear play and references."""
    found: RealRobot = results["real_robot"][results.setting["play"], results.setting["references"]]
    return found


@claim("speed on the flat, backwards", -1.0, "cm/s", place="VIII-D1, Fig. 13")
def _flat_speed(results: Results) -> Finding:
    run: Trajectory = results["flat"]
    return near(flat_speed(run), -1.0, f"link 6 over {run.time[-1]:g} s, whole periods")


@claim("speed along the pegs", 15.0, "cm/s", place="VIII-D2, Fig. 14")
def _track_speed(results: Results) -> Finding:
    track = results["track"]
    tried = tried_words(track.among, "among three pegs")
    return near(track_speed(track.run), 15.0, f"link 6, whole half periods; {tried}")


@claim("times faster than on the flat, in the opposite direction", 15.0, place="VIII-D2")
def _speed_ratio(results: Results) -> Finding:
    flat, along = flat_speed(results["flat"]), track_speed(results["track"].run)
    if flat * along > 0:
        return Finding(abs(along / flat), False, "in the same direction")
    return near(abs(along / flat), 15.0, "in the opposite direction")


@claim("main propulsive forces come from the pegs, not from the ground", True, place="VIII-D2")
def _thrust_from_pegs(results: Results) -> Finding:
    whole: Trajectory = results["track"].run
    run = between(whole, 0.0, end_of_track(whole))
    pegs, ground = (
        float(run.columns[force][1:, :, 0].sum(axis=1).mean())
        for force in ("contact_force", "friction_force")
    )
    note = (
        f"sum of all links along x, mean over the track: pegs {pegs:+.1f} N, ground {ground:+.1f} N"
    )
    return Finding(pegs > 0 > ground, pegs > 0 > ground, note)


@claim(
    "with pegs, the motion depends less on friction with the ground",
    "less",
    "%",
    place="VIII-D2, IX",
)
def _friction_robust(results: Results) -> Finding:
    """From one start, spread of the speed over mu: less than on the flat, and less than 10 %."""
    stuck = [mu for mu, v in zip(FRICTION, results["track_friction"], strict=True) if v is None]
    if stuck:
        words = ", ".join(f"{mu:g}" for mu in stuck)
        return Finding(None, False, f"the robot does not get along the pegs with mu = {words}")
    speeds = np.array(results["track_friction"])
    flat = 100 * np.array(results["flat_friction"])
    spread, on_flat = (100 * float(np.ptp(each) / abs(each.mean())) for each in (speeds, flat))
    note = (
        f"spread of the speed for mu from {FRICTION[0]:g} to {FRICTION[-1]:g}: "
        f"{speeds.min():.2f} to {speeds.max():.2f} cm/s along the pegs of VIII-D; "
        f"on the flat {on_flat:.0f} %, {flat.min():.2f} to {flat.max():.2f} cm/s"
    )
    return Finding(round(spread, 3), spread < on_flat and spread < 10, note)


@claim(
    "paths with pegs of VIII-B and VIII-D", "almost identical", "cm", place="VIII-D2, Figs 9, 14"
)
def _same_path(results: Results) -> Finding:
    """Nowhere further apart than a tenth of the swing."""
    apart, swing = paths_apart(results["track"].run, results["small_pegs"].run)
    note = (
        f"mean distance of link 6; {100 * apart.max():.1f} cm at most, the path swings by "
        f"{100 * swing:.0f} cm"
    )
    return Finding(100 * float(apart.mean()), bool(apart.max() < 0.1 * swing), note)


@claim("the robot is behind the simulation", "3 to 4 cm", place="VIII-D2, VIII-E")
def _behind(results: Results) -> Finding:
    """For delays and plays within the ranges of VIII-E: 3 to 4 cm, in words, so 2.7 to 4.4 cm."""
    gaps = [None if gap is None else 100 * gap for gap in real_robot(results).grid.values()]
    ran = [gap for gap in gaps if gap is not None]
    fitting = [2.7 <= gap <= 4.4 for gap in ran]
    share = sum(fitting) / len(gaps)
    words = f"{min(ran):.1f} to {max(ran):.1f} cm" if ran else "the robot gets stuck"
    note = (
        f"with delay and gear play of VIII-E; {len(ran)} of {len(gaps)} pairs of these run, "
        f"{sum(fitting)} are 2.7 to 4.4 cm behind"
    )
    return Finding(words, share == 1, note, share=share)
