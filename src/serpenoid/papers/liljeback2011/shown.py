"""Which field figures show, and what happens in it."""

from __future__ import annotations

from serpenoid.papers.liljeback2011.claims import as_shown
from serpenoid.papers.liljeback2011.outcome import Outcome
from serpenoid.papers.liljeback2011.runs import paper_pairs
from serpenoid.papers.paper import Failed, Results, table


def pair_shown(results: Results) -> tuple[Outcome, Outcome]:
    """The runs without and with adaptation in the field that figures show.

    It is the first in which it goes as in the paper, and the robot with adaptation does nothing
    that a real one could not. If there is none, the first in which it goes as in the paper; then,
    in which the adaptation passes where the robot fails without it; then the first.

    Raises:
        Failed: There are no fields.
    """
    pairs = paper_pairs(results)
    wanted = (
        [pair for pair in pairs if as_shown(pair[0]) and pair[1].strictly],
        [pair for pair in pairs if as_shown(pair[0]) and pair[1].passed],
        [pair for pair in pairs if pair[1].passed and not pair[0].passed],
        pairs,
    )
    return next(found[0] for found in wanted if found)


def seed_shown(results: Results) -> int:
    """Seed of that field; the first if none was run."""
    try:
        return pair_shown(results)[0].case.seed
    except Failed:
        return 0


@table("The field of Figs 4 to 6")
def _shown(results: Results) -> list[list[str]]:
    without, adapting = pair_shown(results)
    stands = f"{100 * without.stands_at:.0f} % of leg {without.reached + 1}"
    rows = [["field", "", "without adaptation", "as printed"]]
    rows.append([f"{without.case.seed}", "waypoints", f"{without.reached}", f"{adapting.reached}"])
    ends = [_times(run) for run in (without, adapting)]
    rows.append(["", "reached at (s)", *ends])
    gone = [f"from {without.stands_from:.0f} s on at {stands}", "–"]
    rows.append(["", "gains less than 5 cm", *(gone if not without.passed else ["–", "–"])])
    joints = [f"{run.largest_deg:.0f}" for run in (without, adapting)]
    rows.append(["", "largest joint angle (deg)", *joints])
    rows.append(["", "links cross", *(_crossing(run) for run in (without, adapting))])
    rows.append(
        ["", "strictly passed", *("yes" if r.strictly else "no" for r in (without, adapting))]
    )
    return rows


def _times(run: Outcome) -> str:
    return ", ".join(f"{time:.0f}" for time in run.times[: run.reached]) or "–"


def _crossing(run: Outcome) -> str:
    return "never" if run.crossed == float("inf") else f"from {run.crossed:.0f} s on"
