"""Figures of an optimisation show trials of every kind."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib
import optuna
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import TrialState

from serpenoid.studies import study_figures
from serpenoid.studies.optimisation import Optimisation
from serpenoid.studies.trial_store import Trials

AMPLITUDE, PHASE, OFFSET = (f"controller.{key}_deg" for key in ("amplitude", "phase", "offset"))
PARAMETERS = {
    AMPLITUDE: {"range": [1, 60], "scale": "log"},
    PHASE: {"range": [-110, -10]},
    OFFSET: {"values": [0, 5]},
}
COUNT = 16


def trials(**search) -> Trials:
    """Trials that are told without a run: two fail, one is pruned, half break a bound."""
    study = Optimisation(
        base="swimmer",
        parameters=PARAMETERS,
        optimise={"trials": COUNT, "constraints": ("distance >= 0",), **search},
    )
    made = Trials(study, "test", Path("trials.db"), "me", "here")
    distributions = {
        AMPLITUDE: FloatDistribution(1, 60, log=True),
        PHASE: FloatDistribution(-110, -10),
        OFFSET: CategoricalDistribution(("0", "5")),
    }
    for k in range(COUNT):
        state = {3: TrialState.FAIL, 7: TrialState.FAIL, 9: TrialState.PRUNED}.get(k)
        params = {AMPLITUDE: 1 + 3.0 * k, PHASE: -10 - (37.0 * k) % 100, OFFSET: "05"[k % 2]}
        values = [float(k), (k - 10.0) ** 2][: len(study.optimise.objectives)]
        distance = 1.0 if k > 5 else -1.0
        row = dict.fromkeys(study.measured, 0.0) | {"distance": distance, "error": None}
        row |= dict(zip(study.optimise.objectives, values, strict=True))
        attempt = {"row": row, "pruned": k == 9, "reached": 1.0, "stages": {}, "rungs": {}}
        made._study.add_trial(
            optuna.create_trial(
                state=state or TrialState.COMPLETE,
                values=None if state else values,
                params=params,
                distributions=distributions,
                constraints={"distance >= 0": -distance},
                user_attrs={"attempt": json.dumps(attempt)},
            )
        )
    return made


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def shown(monkeypatch) -> dict[str, Axes]:
    """Name to axes of what is drawn, instead of files."""
    found = {}
    monkeypatch.setattr(study_figures, "save", lambda ax, path: found.update({path.stem: ax}))
    return found


def shares(ax: Axes) -> dict[str, float]:
    """Parameter to length of its bar."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    return {name: bar.get_width() for name, bar in zip(names, ax.patches, strict=True)}


@pytest.mark.filterwarnings("error")
def test_figures_of_one_objective_leave_pyplot_as_it_was(shown):
    made = trials(objectives={"cost_of_transport": "minimise"})
    before = dict(matplotlib.rcParams)
    study_figures.draw(made, Path(), made.importances())
    assert dict(matplotlib.rcParams) == before
    assert not pyplot.get_fignums()
    assert set(shown) == {"history", "parallel", "map", "importance"}
    good, bad = (dots.get_offsets()[:, 0].tolist() for dots in shown["history"].collections)
    assert good == [6, 8, 10, 11, 12, 13, 14, 15]
    assert bad == [0, 1, 2, 4, 5]
    (best,) = shown["history"].lines
    assert best.get_ydata()[6:].tolist() == [6.0] * 10
    assert shares(shown["importance"]) == pytest.approx(made.importances()["cost_of_transport"])
    assert "log" in (shown["map"].get_xscale(), shown["map"].get_yscale())
    made.close()


def test_importances_of_two_objectives_are_those_of_the_summary(shown):
    made = trials(objectives={"cost_of_transport": "minimise", "mean_speed": "maximise"})
    found = made.importances()
    study_figures.draw(made, Path(), found)
    for name, wanted in found.items():
        assert shares(shown[f"importance-{name}"]) == pytest.approx(wanted)
    front = {dots.get_label(): len(dots.get_offsets()) for dots in shown["pareto"].collections}
    assert front == {"Infeasible Trial": 5, "Feasible Trial": 6, "Best Trial": 2}
    made.close()


@pytest.mark.filterwarnings("error")
def test_files_of_two_objectives():
    made = trials(objectives={"cost_of_transport": "minimise", "mean_speed": "maximise"})
    study_figures.draw(made, Path(), made.importances())
    each = [
        f"{name}-{objective}"
        for name in ("history", "parallel", "map", "importance")
        for objective in ("cost_of_transport", "mean_speed")
    ]
    wanted = {f"{name}.{ending}" for name in [*each, "pareto"] for ending in ("png", "pdf")}
    assert {path.name for path in Path("figures").iterdir()} == wanted
    made.close()


def test_without_a_complete_trial_nothing_is_drawn():
    study = Optimisation(
        base="swimmer",
        parameters=PARAMETERS,
        optimise={"trials": 4, "objectives": {"distance": "maximise"}},
    )
    made = Trials(study, "test", Path("trials.db"), "me", "here")
    study_figures.draw(made, Path(), made.importances())
    assert not Path("figures").exists()
    made.close()
