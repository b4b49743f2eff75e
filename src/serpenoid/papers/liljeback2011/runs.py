"""Outcomes by kind: those that claims, tables and figures look at."""

from __future__ import annotations

from dataclasses import replace

from serpenoid.papers.liljeback2011.outcome import Outcome
from serpenoid.papers.liljeback2011.plan import MEASURED
from serpenoid.papers.liljeback2011.readings import paper_case
from serpenoid.papers.liljeback2011.study import Case
from serpenoid.papers.paper import Failed, Results

Pairs = list[tuple[Outcome, Outcome]]
NOT_KEPT = "no such run is among the kept outcomes yet"


def outcomes(results: Results, kind: Case, fields: int | None = None) -> list[Outcome]:
    """Runs that differ by the seed of the field only, by seed.

    Args:
        results: Outcomes of the experiments.
        kind: A case of such a run, of any seed.
        fields: Only those of the first so many seeds; all that there are if not given.

    Raises:
        Failed: There are no such runs.
    """
    kind = kind.on(0)
    runs = [
        run
        for run in results["kept"]
        if run.case.on(0) == kind and (fields is None or run.case.seed < fields)
    ]
    if not runs:
        raise Failed(NOT_KEPT)
    return sorted(runs, key=lambda run: run.case.seed)


def paired(results: Results, without: Case, adapting: Case, fields: int | None = None) -> Pairs:
    """Runs of two kinds in the same fields.

    Args:
        results: Outcomes of the experiments.
        without: A case without adaptation, of any seed.
        adapting: A case with it.
        fields: Only the first so many seeds; all if not given.

    Raises:
        Failed: There is no field that both went through.
    """
    both = [
        {run.case.seed: run for run in outcomes(results, kind, fields)}
        for kind in (without, adapting)
    ]
    pairs = [(both[0][seed], run) for seed, run in both[1].items() if seed in both[0]]
    if not pairs:
        raise Failed(NOT_KEPT)
    return pairs


def paper_pairs(results: Results) -> Pairs:
    """Runs without and with the printed adaptation by the paper's solver, under the readings.

    A robot that does not adapt does not look at forces, so that rho does not change its motion.
    """
    adapting = paper_case(results.setting, "printed")
    without = paper_case(results.setting, "none")
    if without.solver == "hybrid":
        without = replace(without, impacts=False)
    return paired(results, without, adapting)


def force_pairs(results: Results) -> Pairs:
    """The same, where forces were measured alike without and with adaptation."""
    setting = results.setting
    return paired(results, paper_case(setting, "none"), paper_case(setting, "printed"))


def beside(results: Results, kind: Case) -> list[Outcome]:
    """Runs on the first fields, on which kinds are compared."""
    return outcomes(results, kind, MEASURED)
