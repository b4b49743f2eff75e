"""Figures of many runs show the numbers they are given."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import serpenoid as sp
from serpenoid import plots
from serpenoid.plots import statistics

LABELS = ["with adaptation", "without"]
REACHED = [[3, 3, 2, 0], [1, 1, 1, 0]]


@pytest.fixture
def ax() -> Axes:
    return Figure(figsize=(3.4, 2.4), layout="constrained").add_subplot()


def labels_of(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


# ---------------------------------------------------------------------------- waypoints reached


def test_bars_are_divided_by_waypoints_reached(ax):
    assert statistics.waypoints_reached(LABELS, REACHED, 3, ax) is ax
    assert labels_of(ax) == ["all 3", "2", "1", "none"]
    widths = [[bar.get_width() for bar in group] for group in ax.containers]
    assert widths == [[2, 0], [1, 0], [0, 3], [1, 1]]
    starts = [[bar.get_x() for bar in group] for group in ax.containers]
    assert starts == [[0, 0], [2, 0], [3, 0], [3, 3]]
    assert [text.get_text() for text in ax.texts] == ["2", "", "1", "", "", "3", "1", "1"]
    assert [text.get_text() for text in ax.get_yticklabels()] == LABELS
    assert ax.yaxis_inverted()  # the first label is at the top
    assert ax.get_xlim() == (0, 4)


def test_colours_of_bars_differ(ax):
    statistics.waypoints_reached(["a"], [[0, 1, 2, 3, 4, 5]], 5, ax)
    assert len({group[0].get_facecolor() for group in ax.containers}) == 6


def test_bars_fit_into_a_column():
    ax = statistics.waypoints_reached(["with adaptation, newton"] * 6, [[5] * 20] * 6, 5)
    figure = ax.get_figure(root=True)
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    assert box.x0 >= 0
    assert box.x1 <= figure.get_figwidth() == 3.4
    assert box.y1 <= figure.get_figheight()


# -------------------------------------------------------------------------- force distributions


def test_curve_is_the_part_that_is_not_smaller(ax):
    statistics.force_distribution(["four", "two"], [[4.0, 1.0, 3.0, 2.0], [[5.0], [7.0]]], ax)
    curves = [line for line in ax.lines if line.get_drawstyle() == "steps-pre"]
    np.testing.assert_array_equal(
        curves[0].get_xydata(), [(1, 1.0), (2, 0.75), (3, 0.5), (4, 0.25)]
    )
    np.testing.assert_array_equal(curves[1].get_xydata(), [(5, 1.0), (7, 0.5)])
    assert ax.get_yscale() == "log"


def test_percentile_is_marked_and_named(ax):
    statistics.force_distribution(["a"], [np.arange(101.0)], ax)
    (dot,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert dot.get_xydata().tolist() == [[95.0, 0.05]]
    assert labels_of(ax) == ["a, 95 % below 95 N"]


def test_many_forces_make_a_light_curve_that_keeps_the_largest(ax):
    force = np.random.default_rng(1).exponential(10.0, 200_000)
    statistics.force_distribution(["a"], [force], ax)
    (curve,) = [line for line in ax.lines if line.get_drawstyle() == "steps-pre"]
    x, part = curve.get_xydata().T
    assert len(x) <= 1000
    assert (x[0], x[-1], part[-1]) == (force.min(), force.max(), 1 / 200_000)
    for k in (0, 100, 300, len(x) - 1):
        assert part[k] == np.mean(force >= x[k])


# ------------------------------------------------------------------------------------ successes


def test_wilson_interval_holds_the_share_itself():
    for trials in range(1, 60):
        low, high = statistics.wilson(np.arange(trials + 1), trials)
        share = np.arange(trials + 1) / trials
        assert (low <= share).all()
        assert (share <= high).all()


def test_wilson_interval():
    # The bounds solve |part - p| = z sqrt(p (1 - p) / n).
    for count, trials in ((0, 20), (7, 20), (20, 20), (95, 100)):
        for bound in statistics.wilson(count, trials):
            off = abs(count / trials - bound)
            assert off == pytest.approx(
                1.959964 * math.sqrt(bound * (1 - bound) / trials), abs=1e-12
            )
    low, high = statistics.wilson([0, 10, 20], 20)
    assert (low < high).all()
    assert (low[0], high[2]) == (0.0, 1.0)


def test_points_and_intervals(ax):
    counts = [[20, 12, 3], [18, 5, 0]]
    values = [0.1, 0.2, 0.4]
    statistics.successes(LABELS, values, counts, 20, ax, xlabel="friction", ylabel="all reached")
    assert labels_of(ax) == LABELS
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("friction", "all reached (of 20)")
    for group, each in zip(ax.containers, counts, strict=True):
        line, _, (bars,) = group
        np.testing.assert_array_equal(line.get_xydata(), np.transpose([values, each]))
        ends = np.array(bars.get_segments())[:, :, 1]
        np.testing.assert_allclose(ends / 20, np.transpose(statistics.wilson(each, 20)), atol=1e-12)
    assert ax.get_xlim()[0] < 0.1
    assert ax.get_xlim()[1] > 0.4


@pytest.mark.parametrize(
    ("values", "scale"), [([0.0, 0.1, 5.0], "linear"), ([0.002, 0.005, 0.04], "log")]
)
def test_values_over_more_than_a_decade_are_set_apart(ax, values, scale):
    statistics.successes(["a"], values, [[1, 2, 3]], 20, ax, xlabel="gain")
    assert ax.get_xscale() == scale
    assert [text.get_text() for text in ax.get_xticklabels()] == [f"{v:g}" for v in values]
    assert ax.get_xlim()[0] < values[0]
    assert ax.get_xlim()[1] > values[-1]


def test_points_of_one_value_stand_side_by_side(ax):
    statistics.successes(LABELS, [1.0], [[5], [5]], 20, ax, xlabel="density")
    ax.figure.draw_without_rendering()
    first, second = (
        group[0].get_transform().transform(group[0].get_xydata())[0] for group in ax.containers
    )
    points = (second - first) * 72 / ax.figure.dpi
    assert points == pytest.approx([4.0, 0.0], abs=1e-6)


# ---------------------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (
            lambda: statistics.waypoints_reached(LABELS, [[1]], 3),
            "reached has 1 entries, .* it must have 2",
        ),
        (
            lambda: statistics.waypoints_reached(["a"], [[4]], 3),
            r"reached\[0\]\[0\] = 4 .* from 0 to total, which is 3$",
        ),
        (
            lambda: statistics.waypoints_reached(["a"], [[1.5]], 3),
            r"reached\[0\]\[0\] = 1.5 .* whole number",
        ),
        (
            lambda: statistics.waypoints_reached(["a"], [3], 2),
            r"^reached\[0\] = 3 is not allowed: it must be a list$",
        ),
        (
            lambda: statistics.waypoints_reached([], [], 2),
            "^labels has 0 entries, which is not allowed: it needs at least one$",
        ),
        (
            lambda: statistics.waypoints_reached("ab", [[1], [2]], 2),
            "^labels = 'ab' is not allowed: it must be a list$",
        ),
        (lambda: statistics.force_distribution([], []), "labels has 0 entries"),
        (lambda: statistics.force_distribution(["a"], ["x"]), "^forces of 'a' are not allowed: "),
        (lambda: statistics.force_distribution(["a"], [["3"]]), "^forces of 'a' are not allowed: "),
        (lambda: statistics.force_distribution(["a"], [[[1], [2, 3]]]), "^forces of 'a' are not"),
        (lambda: statistics.force_distribution(["a"], 3), "^forces = 3 .* it must be a list$"),
        (lambda: statistics.force_distribution(["a"], [[]]), "forces of 'a' are not allowed"),
        (lambda: statistics.force_distribution(["a"], [[-1.0]]), "that is not negative$"),
        (lambda: statistics.force_distribution(["a"], [[math.nan]]), "finite number"),
        (
            lambda: statistics.successes(["a"], [1.0, 2.0], [[1]], 20, xlabel="x"),
            r"counts\[0\] has 1 entries, .* it must have 2",
        ),
        (
            lambda: statistics.successes(["a"], [1.0], [[21]], 20, xlabel="x"),
            r"^counts\[0\]\[0\] = 21 .* from 0 to trials, which is 20$",
        ),
        (
            lambda: statistics.successes(["a"], [1.0, math.nan], [[1, 2]], 20, xlabel="x"),
            r"^values\[1\] = nan is not allowed: it must be a finite number$",
        ),
        (
            lambda: statistics.successes(["a"], ["low"], [[1]], 20, xlabel="x"),
            r"^values\[0\] = 'low' is not allowed: it must be a finite number$",
        ),
        (
            lambda: statistics.successes(["a"], [1.0], [[math.nan]], 20, xlabel="x"),
            r"^counts\[0\]\[0\] = nan is not allowed",
        ),
        (
            lambda: statistics.successes(["a"], [1.0], [[0]], 0, xlabel="x"),
            "^trials = 0 is not allowed: it must be a whole number, at least 1$",
        ),
    ],
)
def test_wrong_input_is_one_sentence_and_leaves_no_figure(draw, words):
    with pytest.raises(sp.InvalidInput, match=words) as caught:
        draw()
    assert "\n" not in str(caught.value)
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("total", [2.5, "x", -1, 0, True, None])
def test_total_and_trials_are_whole_numbers(total):
    words = "= .* is not allowed: it must be a whole number, at least 1$"
    with pytest.raises(sp.InvalidInput, match=f"^total {words}"):
        statistics.waypoints_reached(["a"], [[0]], total)
    with pytest.raises(sp.InvalidInput, match=f"^trials {words}"):
        statistics.wilson(0, total)


@pytest.mark.parametrize("successes", [21, -1, [3, math.nan], "3", ["x"], None, [[1], [2, 3]]])
def test_wilson_refuses_what_is_no_count(successes):
    words = "^successes = .* each must be a number from 0 to trials, which is 20$"
    with pytest.raises(sp.InvalidInput, match=words):
        statistics.wilson(successes, 20)


def test_sentence_about_many_numbers_is_short():
    with pytest.raises(sp.InvalidInput) as caught:
        statistics.wilson(np.arange(1000), 20)
    assert len(str(caught.value)) < 150


def test_new_figures_can_be_written():
    for drawn in (
        statistics.waypoints_reached(LABELS, REACHED, 3),
        statistics.force_distribution(LABELS, [[1.0, 2.0]] * 2),
        statistics.successes(LABELS, [1.0, 2.0], [[1, 2], [3, 4]], 5, xlabel="x"),
    ):
        assert plots.render(drawn, "png").startswith(b"\x89PNG")
