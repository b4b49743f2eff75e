"""Figures of an optimisation, drawn by Optuna from its trials, as PNG and PDF."""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import optuna.visualization.matplotlib as drawn
from optuna.exceptions import ExperimentalWarning
from optuna.importance import PedAnovaImportanceEvaluator
from optuna.trial import FrozenTrial, TrialState

from serpenoid.files import make_folder
from serpenoid.plots import close, save
from serpenoid.plots.style import foreign
from serpenoid.studies.interrupts import silenced_logger, silenced_optuna
from serpenoid.studies.trial_store import Trials

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(trials: Trials, folder: Path, importances: Mapping[str, Mapping[str, float]]) -> None:
    """Draw all figures that the trials allow into the folder `figures` of a folder.

    Args:
        trials: Of the optimisation.
        folder: Of the optimisation.
        importances: Objective to parameter to its share in good values; empty if unknown.
    """
    known = trials.in_memory()
    if not known.get_trials(states=[TrialState.COMPLETE]):
        return
    make_folder(folder / "figures")
    several, parameters = trials.search.several, trials.study.parameters
    objectives, keys = list(trials.search.objectives), list(parameters)

    def keep(name: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        with foreign():
            ax: Axes = function(*arguments, **options)
            ax.set_title("")  # a legend may stand there, and the file has a name
            for ending in ("png", "pdf"):
                save(ax, folder / "figures" / f"{name}.{ending}")
            close(ax)

    with silenced_logger("optuna"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        for k, name in enumerate(objectives):
            suffix = f"-{name}" if several else ""
            # Without a target, Optuna knows what is better, and draws the best so far.
            shown = {"target": _values(k) if several else None, "target_name": name}
            keep(f"history{suffix}", drawn.plot_optimization_history, known, **shown)
            if len(keys) > 1:
                keep(f"parallel{suffix}", drawn.plot_parallel_coordinate, known, keys, **shown)
            shares = importances.get(name, {})
            # The two that matter most, of those that can be an axis.
            ranges = [key for key in keys if parameters[key].range is not None]
            first = sorted(ranges, key=lambda key: -shares.get(key, 0.0))[:2]
            if len(first) == 2:
                keep(f"map{suffix}", drawn.plot_contour, known, first, **shown)
            if len(keys) > 1 and shares:
                # One figure each: in one of all, Optuna writes the parameters in the last order.
                bars = trials.in_memory(feasible_only=True), PedAnovaImportanceEvaluator(), keys
                shown["target"] = trials.loss(k)
                with silenced_optuna():  # it warns if trials are too few to tell parameters apart
                    keep(f"importance{suffix}", drawn.plot_param_importances, *bars, **shown)
        for pair in itertools.combinations(range(len(objectives)), 2):
            names = [objectives[k] for k in pair]
            suffix = "" if len(objectives) == 2 else "-" + "-".join(names)
            front = {"target_names": names, "targets": _values(*pair)}
            keep(f"pareto{suffix}", drawn.plot_pareto_front, known, **front)


def _values(*objectives: int) -> Callable[[FrozenTrial], Any]:
    """What Optuna takes for one of several objectives, or for a pair of them."""
    pick = operator.itemgetter(*objectives)
    return lambda trial: pick(trial.values)
