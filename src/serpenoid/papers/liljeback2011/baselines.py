"""The paper's wave and adaptation against those of its reference [10], in random fields.

The paper says that its wave improves on the leader-follower wave of [10], and that its adaptation
is based on the jam resolution of [10], and shows no run of either. Here are both, as far as it
describes them: `LeaderFollower` and `JamResolution`, each wave with each answer to contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from serpenoid.analysis.following import forward_velocity, waypoint_times
from serpenoid.analysis.motion import crossings
from serpenoid.papers.liljeback2011.passage import Passage
from serpenoid.papers.liljeback2011.statistics import mean, percent
from serpenoid.papers.liljeback2011.study import LIMIT_DEG, Case, Solver
from serpenoid.papers.liljeback2011.study import scenario as paper_scenario
from serpenoid.papers.paper import Each, Results, require_run, run_as_far_as_possible, table
from serpenoid.scenario.scenario import Scenario

Wave = Literal["follower", "leader_follower"]
Answer = Literal["none", "adaptation", "jam_resolution"]

# Fields, if quick, and for other durations or limits of the resolution, the first of them.
FIELDS, FIELDS_IF_QUICK, FEWER = 100, 2, 20
# Fixed before the fields were counted, since the paper gives none: the gain of its adaptation,
# rad/N; a jam as our `Recovery` finds it, less than 10 cm in 5 s, and resolved for as long as that
# backs out. In jams joints turn the robot to and fro by less than 45 deg in most intervals of 5 s.
RESOLUTION: dict[str, Any] = {
    "gain": 0.02,
    "distance": 0.1,
    "time": 5.0,
    "turn_deg": 45.0,
}
DURATION, DURATIONS = 5.0, (2.0, 10.0)
_WORDS: dict[str, str] = {
    "follower": "predecessor-follower",
    "leader_follower": "leader-follower",
    "none": "none",
    "adaptation": "adaptation, as printed",
    "jam_resolution": "jam resolution",
}


@dataclass(frozen=True)
class Pairing:
    """A random field, and a wave with an answer to contacts that crosses it.

    Attributes:
        seed: Seed of the field.
        wave: follower (of the paper) or leader_follower (of its reference [10]).
        answer: none, adaptation (of the paper, as printed) or jam_resolution (of [10]).
        solver: newton or hybrid.
        duration: Longest time for which a jam is resolved at a stretch, s.
        limit_deg: Largest angle by which a resolution turns a joint, deg.
    """

    seed: int
    wave: Wave
    answer: Answer
    solver: Solver = "newton"
    duration: float = DURATION
    limit_deg: float | None = None

    def on(self, seed: int) -> Pairing:
        """The same in another field."""
        return replace(self, seed=seed)

    @property
    def answer_words(self) -> str:
        """The answer to contacts."""
        words = _WORDS[self.answer]
        if self.duration != DURATION:
            words += f", {self.duration:g} s"
        if self.limit_deg is not None:
            words += f", limited to {self.limit_deg:g} deg"
        return words


@dataclass(frozen=True)
class Crossing(Passage):
    """Results of a run until the last waypoint, or its end.

    Attributes:
        pairing: What was run.
        times: Times at which waypoints were reached, (5,), s; inf if not reached.
        stopped: The reason why the run ended early; empty if it did not.
        velocity: Mean forward velocity, m/s.
        largest_deg: Largest joint angle, deg.
        crossed: Whether links of the robot lay across each other in any row.
    """

    pairing: Pairing
    times: tuple[float, ...]
    stopped: str
    velocity: float
    largest_deg: float
    crossed: bool

    @property
    def links_crossed(self) -> bool:
        """Whether links of the robot lay across each other."""
        return self.crossed


def scenario(pairing: Pairing, duration: float = 300.0) -> Scenario:
    """The paper's run through a field, with this wave and this answer.

    Args:
        pairing: What is run.
        duration: Duration, s.
    """
    base = paper_scenario(Case(pairing.seed, "printed", solver=pairing.solver), duration)
    wave, adaptation, heading = base.plain()["controller"]["parts"]
    resolution = {"kind": "jam_resolution", "duration": pairing.duration, **RESOLUTION}
    if pairing.limit_deg is not None:
        resolution["limit_deg"] = pairing.limit_deg
    answers = {"none": [], "adaptation": [adaptation], "jam_resolution": [resolution]}
    parts = [wave | {"kind": pairing.wave}, *answers[pairing.answer], heading]
    title = f"{_WORDS[pairing.wave]}, {pairing.answer_words}, field {pairing.seed}"
    return base.changed({"title": title, "controller.parts": parts})


def cross(pairing: Pairing, duration: float = 300.0) -> Crossing:
    """Run through a field; a run that stops early counts up to there.

    Args:
        pairing: What is run.
        duration: Longest duration, s.
    """
    run, stopped = run_as_far_as_possible(scenario(pairing, duration))
    times = waypoint_times(run)
    rows = run.time <= times[-1]
    angles = np.diff(run.columns["theta"][rows], axis=1)
    return Crossing(
        pairing=pairing,
        times=tuple(float(time) for time in times),
        stopped=stopped,
        velocity=float(forward_velocity(run)[rows].mean()),
        largest_deg=float(np.degrees(np.abs(angles)).max()),
        crossed=bool(crossings(run)[rows].any()),
    )


def experiments(*, quick: bool = False, solver: Solver = "newton") -> dict[str, Each]:
    """Each wave with each answer in the same fields, to be added to the paper's experiments.

    Args:
        quick: Whether to take fewer fields.
        solver: newton or hybrid.
    """
    solved = partial(Pairing, solver=solver)
    kinds = [solved(0, wave, answer) for wave in get_args(Wave) for answer in get_args(Answer)]
    items = [kind.on(k) for kind in kinds for k in range(FIELDS_IF_QUICK if quick else FIELDS)]
    if not quick:
        resolved = partial(solved, wave="leader_follower", answer="jam_resolution")
        items += [resolved(k, duration=d) for d in DURATIONS for k in range(FEWER)]
        items += [resolved(k, limit_deg=LIMIT_DEG) for k in range(FEWER)]
    return {"baselines": Each(cross, items)}


def of_kind(results: Results, kind: Pairing) -> dict[int, Crossing]:
    """Runs that differ by the field only, by its seed.

    Args:
        results: Outcomes of the experiments.
        kind: What was run, with any seed.

    Raises:
        Failed: There are none.
    """
    runs = [run for run in results["baselines"] if run.pairing.on(kind.seed) == kind]
    return {run.pairing.seed: run for run in require_run(runs)}


def _share(true: Sequence[bool]) -> str:
    _, low, high = percent(true)
    return f"{sum(true)} of {len(true)} ({low:.0f} to {high:.0f} %)"


@table("Wave and adaptation against those of reference [10]: each kind of controller")
def _baseline_rows(results: Results) -> list[list[str]]:
    rows = [["solver", "wave", "contacts", "waypoints (95 %)", "passed", "strictly", "run away"]]
    rows[0].append("forward velocity, median (cm/s)")
    for kind in dict.fromkeys(run.pairing.on(0) for run in results["baselines"]):
        runs = list(of_kind(results, kind).values())
        average, low, high = mean([run.reached for run in runs])
        cells = [
            f"{average:.1f} ({low:.1f} to {high:.1f})",
            _share([run.passed for run in runs]),
            _share([run.strictly for run in runs]),
            _share([run.ran_away for run in runs]),
            f"{100 * np.median([run.velocity for run in runs]):.1f}",
        ]
        rows.append([kind.solver, _WORDS[kind.wave], kind.answer_words, *cells])
    return rows


# Which two are compared in the same field.
_PAIRS: tuple[tuple[tuple[Wave, Answer], tuple[Wave, Answer]], ...] = (
    (("follower", "none"), ("leader_follower", "none")),
    (("follower", "adaptation"), ("leader_follower", "adaptation")),
    (("follower", "jam_resolution"), ("leader_follower", "jam_resolution")),
    (("leader_follower", "jam_resolution"), ("leader_follower", "none")),
    (("follower", "adaptation"), ("follower", "none")),
    (("follower", "adaptation"), ("leader_follower", "jam_resolution")),
)


@table("The same, field by field: the first against the second")
def _pair_rows(results: Results) -> list[list[str]]:
    head = ["solver", "first", "second", "further", "as far", "less far", "waypoints more (95 %)"]
    rows = [[*head, "passed by the first alone", "by the second alone"]]
    for solver in dict.fromkeys(run.pairing.solver for run in results["baselines"]):
        for pair in _PAIRS:
            first, second = (of_kind(results, Pairing(0, *kind, solver)) for kind in pair)
            both = [(first[seed], second[seed]) for seed in sorted(first.keys() & second.keys())]
            more = [one.reached - other.reached for one, other in both]
            average, low, high = mean(more)
            counts = [
                sum(each) for each in zip(*((m > 0, m == 0, m < 0) for m in more), strict=True)
            ]
            counts += [sum(one.passed > other.passed for one, other in both)]
            counts += [sum(one.passed < other.passed for one, other in both)]
            *places, alone, other_alone = map(str, counts)
            difference = f"{average:+.1f} ({low:+.1f} to {high:+.1f})"
            names = [", ".join(map(_WORDS.__getitem__, kind)) for kind in pair]
            rows.append([solver, *names, *places, difference, alone, other_alone])
    return rows
