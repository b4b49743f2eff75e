"""Figures of optimisations show the trials they are given."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, to_rgba
from matplotlib.figure import Figure

import serpenoid as sp
from serpenoid.plots.parallel_coordinates import parallel_coordinates
from serpenoid.plots.search_figures import history, importance, pareto_front, value_map
from serpenoid.plots.style import VERMILION

# Six trials: two good ones, one beyond a constraint, one pruned, one failed, and the best.
TABLE = {
    "trial": [0, 1, 2, 3, 4, 5],
    "controller.phase_deg": [-20.0, -40.0, -80.0, -30.0, -60.0, -50.0],
    "friction.along": [0.01, 0.1, 1.0, 0.05, 0.5, 0.2],
    "friction.kind": ["viscous", "viscous", "coulomb", "viscous", "coulomb", "viscous"],
    "cost": [3.0, 4.0, 1.0, 9.0, np.nan, 2.0],
    "speed": [0.1, 0.4, 0.5, 0.2, np.nan, 0.3],
    "state": ["complete", "complete", "complete", "pruned", "failed", "complete"],
    "feasible": [True, True, False, False, False, True],
    "best": [False, True, False, False, False, True],
}
PHASE, ALONG, KIND = "controller.phase_deg", "friction.along", "friction.kind"


@pytest.fixture
def ax() -> Axes:
    return Figure(figsize=(3.4, 2.4), layout="constrained").add_subplot()


def dots(ax):
    """Label to points of every kind of dots."""
    return {
        dots.get_label(): np.asarray(dots.get_offsets()).tolist()
        for dots in ax.collections
        if not str(dots.get_label()).startswith("_")
    }


def line(ax, label):
    (found,) = [line for line in ax.lines if line.get_label() == label]
    return np.transpose(found.get_data()).tolist()


def test_a_history_shows_every_kind_of_trial_and_the_best_so_far(ax):
    assert history(TABLE, "cost", "minimise", ax) is ax
    assert dots(ax) == {
        "pruned": [[3.0, 9.0]],
        "infeasible": [[2.0, 1.0]],
        "feasible": [[0.0, 3.0], [1.0, 4.0], [5.0, 2.0]],
    }
    assert line(ax, "best so far") == [[0, 3], [1, 3], [2, 3], [3, 3], [4, 3], [5, 2]]
    assert line(ax, "failed") == [[4.0, 0.0]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("trial", "cost")


def test_a_history_upwards(ax):
    history(TABLE, "speed", "maximise", ax)
    assert [best for _, best in line(ax, "best so far")] == [0.1, 0.4, 0.4, 0.4, 0.4, 0.4]


def test_a_few_large_values_make_a_logarithmic_axis(ax):
    history(TABLE | {"cost": [3.0, 4.0, 1.0, 900.0, np.nan, 2.0]}, "cost", "minimise", ax)
    assert ax.get_yscale() == "log"


def test_a_front_is_drawn_through_those_that_are_on_it(ax):
    pareto_front(TABLE, "cost", "speed", ax)
    assert line(ax, "Pareto front") == [[2.0, 0.3], [4.0, 0.4]]
    assert dots(ax) == {
        "pruned": [[9.0, 0.2]],
        "infeasible": [[1.0, 0.5]],
        "feasible": [[3.0, 0.1]],
    }


def test_importances_are_bars_the_longest_first(ax):
    shares = {"cost": {PHASE: 0.2, ALONG: 0.8}, "speed": {PHASE: 0.5, ALONG: 0.5}}
    importance(shares, ax)
    assert [text.get_text() for text in ax.get_yticklabels()] == [ALONG, "controller.phase"]
    assert [bar.get_width() for bar in ax.patches] == [0.8, 0.2, 0.5, 0.5]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_a_map_of_scattered_trials(ax):
    value_map(TABLE, PHASE, ALONG, "cost", ax, log=[ALONG])
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")
    mesh, infeasible, feasible, best, _ = ax.collections
    assert sorted(mesh.get_array()) == [1.0, 2.0, 3.0, 4.0]
    assert infeasible.get_offsets().tolist() == [[-80.0, 1.0]]
    assert feasible.get_array().tolist() == [3.0, 4.0, 2.0]
    assert best.get_offsets().tolist() == [[-40.0, 0.1], [-50.0, 0.2]]
    assert mesh.get_clim() == feasible.get_clim() == (1.0, 4.0)


@pytest.mark.parametrize("along", [[0.1] * 6, [0.01, 0.02, 0.04, 0.1, 0.1, 0.025]])
def test_trials_in_a_line_are_dots_only(ax, along):
    value_map(TABLE | {ALONG: along}, PHASE, ALONG, "cost", ax)
    assert len(ax.collections) == 4


def test_parallel_coordinates(ax):
    table = TABLE | {"cost": [3.0, 4.0, 1.0, 9.0, np.nan, 200.0]}
    parallel_coordinates(table, [PHASE, ALONG, KIND], "cost", ax, log=[ALONG])
    others, good, best = ax.collections
    assert [len(lines.get_segments()) for lines in (others, good, best)] == [3, 3, 2]
    first = good.get_segments()[0]
    assert first[:, 0].tolist() == [0, 1, 2]
    assert first[:, 1] == pytest.approx([1.0, 0.0, 1.0])
    # 0.1 is half way from 0.01 to 1.
    assert good.get_segments()[1][1, 1] == pytest.approx(0.5)
    assert good.get_array().tolist() == [3.0, 4.0, 200.0]
    assert isinstance(good.norm, LogNorm)
    assert to_rgba(VERMILION) in best.get_colors().tolist() or tuple(
        best.get_colors()[0]
    ) == pytest.approx(to_rgba(VERMILION))
    words = [text.get_text() for text in ax.texts]
    assert {"coulomb", "viscous", "0.01", "0.1", "1"} <= set(words)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["phase (deg)", "along", "kind"]


def test_nothing_good_is_drawn_all_the_same(ax):
    bad = TABLE | {"feasible": [False] * 6, "best": [False] * 6}
    history(bad, "cost", "minimise", ax)
    assert "best so far" not in [line.get_label() for line in ax.lines]
    for draw in (
        lambda ax: pareto_front(bad, "cost", "speed", ax),
        lambda ax: value_map(bad, PHASE, ALONG, "cost", ax),
        lambda ax: parallel_coordinates(bad, [PHASE, ALONG], "cost", ax),
    ):
        figure = Figure(figsize=(3.4, 2.4), layout="constrained")
        draw(figure.add_subplot())
        figure.draw_without_rendering()


def test_what_is_refused(ax):
    with pytest.raises(sp.InvalidInput, match=r"column 'cst' is not known \(did you mean 'cost'"):
        history(TABLE, "cst", "minimise", ax)
    with pytest.raises(sp.InvalidInput, match="way = 'down' is not allowed: it must be 'minimise'"):
        history(TABLE, "cost", "down", ax)
    with pytest.raises(
        sp.InvalidInput, match=r"column 'friction.kind' is not allowed: it must hol"
    ):
        value_map(TABLE, KIND, ALONG, "cost", ax)
    with pytest.raises(sp.InvalidInput, match="there must be an objective with a parameter"):
        importance({}, ax)
