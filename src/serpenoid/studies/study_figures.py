"""Figures of an optimisation, drawn by Optuna from its trials, as PNG and PDF."""

from __future__ import annotations

import itertools
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
from serpenoid.studies.silence import silenced_logger, silenced_optuna
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
            shown = {"target": _value(k) if several else None, "target_name": name}
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
                with silenced_optuna():  # it warns if trials are too few to tell parameters apart
                    keep(
                        f"importance{suffix}",
                        drawn.plot_param_importances,
                        trials.in_memory(feasible_only=True),
                        PedAnovaImportanceEvaluator(),
                        keys,
                        target=trials.loss(k),
                        target_name=name,
                    )
        for i, j in itertools.combinations(range(len(objectives)), 2):
            names = [objectives[i], objectives[j]]
            suffix = "" if len(objectives) == 2 else "-" + "-".join(names)
            front = {"target_names": names, "targets": _pair(i, j)}
            keep(f"pareto{suffix}", drawn.plot_pareto_front, known, **front)


def _value(k: int) -> Callable[[FrozenTrial], float]:
    """Target of Optuna's figures for one of several objectives."""
    return lambda trial: trial.values[k]


def _pair(i: int, j: int) -> Callable[[FrozenTrial], tuple[float, float]]:
    """Target of Optuna's figure of the front of two objectives."""
    return lambda trial: (trial.values[i], trial.values[j])
