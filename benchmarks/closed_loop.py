"""How much faster than real time a robot under feedback goes through a field of 320 pegs."""

from __future__ import annotations

from serpenoid.papers.liljeback2011.study import Case, scenario
from serpenoid.papers.paper import run_as_far_as_possible

FIELDS = 5


def times_real_time() -> list[float]:
    """Of the paper's path following with limited adaptation, a tick every step, in each field."""
    speeds = []
    for seed in range(FIELDS):
        run, _ = run_as_far_as_possible(scenario(Case(seed, "limited")))
        speeds.append(float(run.time[-1]) / run.stepping_seconds)
    return speeds
