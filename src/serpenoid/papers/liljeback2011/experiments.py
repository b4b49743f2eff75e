"""The outcomes of random fields that are kept, two of them anew, and the field shown."""

from __future__ import annotations

from collections.abc import Mapping

from serpenoid.papers.liljeback2011.kept import BASELINES, FILE, kept_fields, reading
from serpenoid.papers.liljeback2011.outcome import pass_through
from serpenoid.papers.liljeback2011.readings import paper_case
from serpenoid.papers.liljeback2011.runs import paper_pairs
from serpenoid.papers.liljeback2011.shown import seed_shown
from serpenoid.papers.liljeback2011.study import Case, scenario
from serpenoid.papers.liljeback2011.wear import wear
from serpenoid.papers.paper import Each, Experiment, Failed, Results
from serpenoid.papers.readings import Setting

# After the last waypoint, or the standstill of a robot without adaptation, s.
MORE = 15.0
# Rows in figures, s.
_PERIOD = 0.1
# Run anew to be compared with what is kept: by both solvers, in the first field.
ANEW = (Case(0, "printed", solver="hybrid", impacts=False), Case(0, "printed"))

# Whose wear is compared.
WORN = (Case(15, "adaptive", "outline"), Case(15, "limited"))


def experiments(setting: Setting) -> Mapping[str, Experiment]:
    """All experiments by name.

    Args:
        setting: The readings. Nothing is less if it is quick, because random fields are kept.
    """
    seed = seed_shown(_results(setting))
    without, adapting = (paper_case(setting, name, seed) for name in ("none", "printed"))
    return {
        "kept": reading(FILE),
        "baselines": reading(BASELINES),
        "anew": Each(pass_through, ANEW),
        "wear": Each(wear, WORN),
        "without": scenario(without, _until(setting, seed, 0), _PERIOD),
        "with_adaptation": scenario(adapting, _until(setting, seed, 1), _PERIOD),
    }


def _results(setting: Setting) -> Results:
    return Results({"kept": kept_fields()}, setting)


def _until(setting: Setting, seed: int, which: int) -> float:
    """Time until which the field is shown: a little beyond its end, s."""
    try:
        pairs = paper_pairs(_results(setting))
    except Failed:
        return 150.0
    run = next(pair[which] for pair in pairs if pair[which].case.seed == seed)
    if run.stopped:
        return float(max(1, int(run.ended) - 1))
    return min(300.0, float(round((run.ended if run.passed else run.stands_from) + MORE)))
