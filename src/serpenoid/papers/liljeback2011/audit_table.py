"""Numbers of an independent audit of this reproduction, each measured again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from serpenoid.analysis.contact_stability import contact_loop
from serpenoid.analysis.contact_stability.loop_inputs import Side
from serpenoid.papers.liljeback2011.claims import at
from serpenoid.papers.liljeback2011.outcome import Outcome
from serpenoid.papers.liljeback2011.plan import LOW_GAIN, THREE
from serpenoid.papers.liljeback2011.readings import paper_case
from serpenoid.papers.liljeback2011.runs import beside, outcomes, paired
from serpenoid.papers.liljeback2011.study import Case, scenario
from serpenoid.papers.liljeback2011.tables import passed, strictly
from serpenoid.papers.paper import Failed, Results, table


@table("What an audit said, measured again")
def _audit(results: Results) -> list[list[str]]:
    rows = [["statement", "audit", "here"]]
    for words, said, measure in _statements(results):
        try:
            rows.append([words, said, measure()])
        except Failed:
            rows.append([words, said, "not run"])
    return rows


def _statements(results: Results) -> Iterator[tuple[str, str, Callable[[], str]]]:
    """What was said, of how many, and what gives it now."""
    none, printed, limited = (Case(0, name) for name in THREE)
    low = Case(0, "printed", gain=LOW_GAIN)

    def counts(*kinds: Case, of: Callable[..., int] = passed) -> Callable[[], str]:
        return lambda: " / ".join(
            f"{of(runs)} of {len(runs)}" for runs in (beside(results, kind) for kind in kinds)
        )

    newton = "newton, none / printed / limited:"
    yield f"{newton} passed", "2 / 6 / 15 of 20", counts(none, printed, limited)
    yield f"{newton} strictly", "1 / 3 / 4 of 20", counts(none, printed, limited, of=strictly)
    own = (paper_case({}, "none"), paper_case({"rho": "with_impacts"}, "printed"))
    yield "hybrid, none / printed: passed, impacts in rho", "4 / 8 of 20", counts(*own)
    limited_own = replace(own[1], controller="limited")
    yield "hybrid, limited: passed, impacts in rho", "17 of 20", counts(limited_own)
    yield "field 15, hybrid, none", "4 waypoints", _described(results, own[0], 15)
    yield "field 15, hybrid, as printed", "stops with 2738 deg", _described(results, own[1], 15)
    yield (
        "(10) was judged by one run in field 15",
        "cross-track error 33 cm by hybrid",
        lambda: "`objective_10` is judged over all fields passed",
    )
    yield "turning on the spot was called a jam", "yes", lambda: "no longer: `analysis.following`"
    for seed, said in ((17, "strictly, 166 s, 4.8 cm/s"), (1, "passed, 280 deg")):
        yield f"field {seed}, newton, as printed", said, _described(results, printed, seed)
    yield "field 1, newton, none", "2 waypoints, 101.5 s", _described(results, none, 1)
    for kind, said in ((limited, "4 of 20"), (printed, "2 of 20")):
        words = f"newton: none stops after exactly two waypoints, {kind.controller} passes"
        yield words, said, _exactly(results, none, kind)
    yield (
        "newton, limited: passed",
        "76 of 100",
        lambda: "{} of {}".format(*_share(results, limited)),
    )
    words = f"newton: printed with gain {LOW_GAIN:g} against limited"
    yield f"{words}, passed", "10 / 15 of 20", counts(low, limited)
    yield f"{words}, strictly", "8 / 4 of 20", counts(low, limited, of=strictly)
    for name, index, said in (("95th percentile", 1 + at(95), "6.4"), ("mean", 0, "1.5")):
        words = f"newton, limited: {name} of the forces, times smaller"
        yield words, said, _smaller(results, none, limited, index)
    words = "newton, limited: largest force, times smaller"
    yield words, "rises", _smaller(results, none, limited, 1 + at(100))
    dense = [replace(kind, pegs=400) for kind in (limited, none, printed)]
    words = "newton, 400 pegs, limited / none / printed: passed"
    yield words, "19 / 9 / 5 of 20", counts(*dense)
    yield (
        "four neighbouring links in contact: growth at gains of 0.02 / 0.005 / 0.002 (1/s)",
        "52 / 6 / none",
        _growth,
    )


def _growth() -> str:
    """Largest real parts of poles in a steep wave, at the gains of which the audit speaks."""
    case = Case(0, "printed")
    robot, _ = scenario(case).built
    joints_deg = 60 * np.sin(np.radians(30.0 * np.arange(9)))
    sides: dict[int, Side] = {0: "left", 1: "right", 2: "left", 3: "right"}
    loop = contact_loop(robot, joints_deg, sides, cutoff=case.cutoff)
    return " / ".join(f"{loop.growth_rate(gain):.1f}" for gain in (0.02, 0.005, 0.002))


def _of_field(results: Results, kind: Case, seed: int) -> Outcome:
    """The run of a kind in a field."""
    runs = [run for run in outcomes(results, kind) if run.case.seed == seed]
    if not runs:
        raise Failed("this field was not run")
    return runs[0]


def _described(results: Results, kind: Case, seed: int) -> Callable[[], str]:
    def words() -> str:
        run = _of_field(results, kind, seed)
        how = "passed strictly" if run.strictly else "passed" if run.passed else "not passed"
        return (
            f"{how}, {run.reached} waypoints, until {run.ended:.0f} s, {100 * run.velocity:.1f} "
            f"cm/s, largest joint angle {run.largest_deg:.0f} deg"
        )

    return words


def _exactly(results: Results, none: Case, kind: Case) -> Callable[[], str]:
    def words() -> str:
        pairs = paired(results, none, kind, 20)
        count = sum(a.reached == 2 and b.passed for a, b in pairs)
        return f"{count} of {len(pairs)}"

    return words


def _share(results: Results, kind: Case) -> tuple[int, int]:
    runs = outcomes(results, kind)
    return passed(runs), len(runs)


def _smaller(results: Results, none: Case, kind: Case, index: int) -> Callable[[], str]:
    def words() -> str:
        pairs = paired(results, none, kind, 20)
        without, adapting = (float(np.median([p[k].forces[index] for p in pairs])) for k in (0, 1))
        return f"{without / adapting:.1f} ({without:.0f} against {adapting:.0f} N)"

    return words
