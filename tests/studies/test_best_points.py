"""The best points of a sweep, and their figures."""

import numpy as np
import pandas as pd
import pytest

from serpenoid.analysis.metrics import METRICS, metric
from serpenoid.errors import InvalidInput
from serpenoid.studies import Study
from serpenoid.studies.best_points import draw_ranking, rank
from serpenoid.studies.cluster import WorkPlace
from serpenoid.studies.study_info import read_study
from serpenoid.studies.sweep_runner import run_study, summarise


def table(**columns):
    count = len(next(iter(columns.values())))
    return pd.DataFrame({"point": range(count), **columns})


def test_less_of_a_cost_is_better_and_more_of_a_speed():
    rows = table(a=[1, 2, 3, 4], mean_speed=[0.1, np.nan, 0.3, 0.1], positive_work=[3.0, 1, 2, 2])
    metrics = ["mean_speed", "positive_work"]
    fast = rank(["a"], metrics, rows, "mean_speed", "larger")
    assert (fast.better, [each.point for each in fast.points]) == ("larger", [2, 0, 3])
    cheap = rank(["a"], metrics, rows, "positive_work", "smaller")
    assert (cheap.better, [each.point for each in cheap.points]) == ("smaller", [1, 2, 3, 0])
    assert cheap.points[0].parameters == {"a": 2}
    assert cheap.points[0].metrics == {"mean_speed": None, "positive_work": 1.0}
    assert cheap.title == "best points: smallest positive_work"


def test_only_some_are_shown_and_none_where_nothing_was_measured():
    rows = table(a=range(20), distance=np.arange(20.0))
    assert [
        each.point for each in rank(["a"], ["distance"], rows, "distance", "larger").points
    ] == [*range(19, 14, -1)]
    rows["distance"] = np.nan
    assert rank(["a"], ["distance"], rows, "distance", "larger").points == ()


def test_of_works_loads_and_errors_less_is_better():
    less = {name for name, metric in METRICS.items() if metric.better == "smaller"}
    assert less == {
        *("actuator_work", "positive_work", "absolute_work", "friction_work"),
        *("mean_power", "mean_positive_power", "cost_of_transport", "specific_power"),
        *("peak_torque", "peak_contact_force", "tracking_error", "jammed_time"),
    }


def test_a_metric_of_your_own_says_which_is_better(inline, tmp_path):
    @metric("1", better="smaller")
    def wasted(run):
        """What is wasted."""
        return run.scenario.seed % 3

    study = Study(
        base="swimmer",
        parameters={"seed": {"values": [2, 3, 4]}},
        change={"clock.duration": 0.1},
        metrics=["wasted"],
    )
    try:
        outcome = run_study(study, tmp_path, WorkPlace(workers=1))
        (found,) = summarise(study, tmp_path, outcome).best
    finally:
        del METRICS["wasted"]
    assert (found.better, [each.point for each in found.points]) == ("smaller", [1, 2, 0])
    # A later program does not know the metric, but the folder says which values are better.
    assert [each["point"] for each in read_study(tmp_path).best] == [1, 2, 0]


def test_other_words_for_better_are_refused():
    with pytest.raises(InvalidInput) as refused:
        metric("1", better="smallest")
    assert str(refused.value) == (
        "better = 'smallest' is not known (did you mean 'smaller'?); there are larger, smaller"
    )


GRID = {"a": [1, 1, 2, 2], "b": [1.0, 2.0, 1.0, 2.0], "distance": [1.0, 2, 3, 4]}
TABLES = {
    "one number": ({"a": [3, 1, 2], "distance": [1.0, np.nan, 2]}, "curve_over"),
    "one text": ({"kind": ["x", "y"], "distance": [1.0, 2]}, "curve_over"),
    "one value": ({"a": [1], "distance": [1.0]}, "curve_over"),
    "grid": (GRID, "heat_map"),
    # The slice of the third through the best point is a grid again.
    "three": ({"c": [0] * 4 + [1] * 4, **{k: v * 2 for k, v in GRID.items()}}, "heat_map"),
    "random": (
        {"a": [1.0, 2.5, 3.1], "b": [2.0, 1.5, 0.1], "distance": [1.0, 2, 3]},
        "points_over",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_figures(name, tmp_path, monkeypatch):
    columns, kind = TABLES[name]
    called = []
    from serpenoid.plots import tables

    for each in ("curve_over", "heat_map", "points_over"):
        draw = getattr(tables, each)
        monkeypatch.setattr(
            tables, each, lambda *a, _n=each, _d=draw, **k: (called.append(_n), _d(*a, **k))[1]
        )
    rows = table(**columns)
    parameters = [key for key in columns if key != "distance"]
    file = draw_ranking(rows, rank(parameters, ["distance"], rows, "distance", "larger"), tmp_path)
    assert called == [kind]
    assert file == tmp_path / "figures" / "distance.png"
    assert file.read_bytes().startswith(b"\x89PNG")
    assert file.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
