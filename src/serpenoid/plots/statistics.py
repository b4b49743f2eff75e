"""Figures of many runs: waypoints reached, contact forces, successes over a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from serpenoid.checks import plain, short, whole_number
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.plots.given import counts_up_to, entries, finite, numbers
from serpenoid.plots.style import BLUE, COLOURS, GREY, INK, LEGEND, PALE, axes, legend_above, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Quantile of the standard normal distribution for 95 % within.
_Z = 1.959964
# Points of a curve; more are not seen.
_MOST_POINTS = 1000
_MARKERS = "osD^v"
# Between points of the same value, pt.
_ASIDE = 4.0


def waypoints_reached(
    labels: Sequence[str],
    reached: Sequence[Sequence[int]],
    total: int,
    ax: Axes | None = None,
) -> Axes:
    """Number of fields by the number of waypoints reached in them, one bar for each label.

    Bars are divided by the number of waypoints, the most first; numbers in them count fields.

    Args:
        labels: Labels from top to bottom.
        reached: Number of waypoints reached in each field, a list for each label.
        total: Number of waypoints on the path.
        ax: Axes to draw on; those of a new figure if not given.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: An argument is not allowed.
    """
    labels = entries("labels", labels)
    total = whole_number("total", total)
    rows = counts_up_to("reached", entries("reached", reached, len(labels)), "total", total)
    counts = np.array([[row.count(k) for k in range(total + 1)] for row in rows])
    # All of them is a colour of its own; none of them is grey.
    shades = [tint(BLUE, 0.85 - 0.6 * k / total) for k in range(1, total)]
    colours = [PALE, *shades, BLUE]
    places = np.arange(len(labels))
    with axes(ax, height=0.75 + 0.27 * len(labels)) as ax:
        done = np.zeros(len(labels), dtype=int)
        for k in range(total, -1, -1):
            name = f"all {total}" if k == total else str(k) if k else "none"
            look: dict[str, Any] = {"color": colours[k], "ec": "white", "lw": 0.6, "label": name}
            bars = ax.barh(places, counts[:, k], 0.72, left=done, **look)
            words = [str(count) if count else "" for count in counts[:, k]]
            ink = "white" if k == total else INK
            ax.bar_label(bars, words, label_type="center", size="small", color=ink)
            done += counts[:, k]
        ax.set_yticks(places, labels)
        ax.invert_yaxis()
        ax.tick_params("y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set_xlim(0, max(1, int(done.max())))
        ax.locator_params("x", integer=True)
        ax.set_xlabel("fields, by waypoints reached")
        # To the left above the labels, because the axes may be narrow beside them.
        above: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0)}
        ax.legend(ncols=min(total + 1, 8), **above, **LEGEND | {"handlelength": 0.8})
    return ax


def force_distribution(
    labels: Sequence[str], forces: Sequence[npt.ArrayLike], ax: Axes | None = None
) -> Axes:
    """Share of the contact forces that reach or exceed a size, one curve for each label.

    A marker shows the 95th percentile, which the legend gives.

    Args:
        labels: Labels of the curves.
        forces: Sizes of forces, an array of any shape for each label, N.
        ax: Axes to draw on; those of a new figure if not given.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: An argument is not allowed.
    """
    labels = entries("labels", labels)
    given = entries("forces", forces, len(labels))
    sizes = [_sorted(label, each) for label, each in zip(labels, given, strict=True)]
    with axes(ax, height=2.4) as ax:
        ax.axhline(0.05, color=GREY, lw=0.5, ls=":", zorder=1)
        right: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "ha": "right"}
        ax.text(1.0, 0.05, "5 %", **right, va="bottom", size="small")
        for k, (label, size) in enumerate(zip(labels, sizes, strict=True)):
            large = float(np.percentile(size, 95))
            look: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)]}
            x, part = _at_least(size)
            ax.step(x, part, where="pre", label=f"{label}, 95 % below {large:.3g} N", **look)
            ax.plot(large, 0.05, marker=_MARKERS[k % len(_MARKERS)], ms=4, **look)
        ax.set_yscale("log")
        ax.set_xlim(left=0.0)
        ax.set_ylim(top=1.0)
        ax.set_xlabel("contact force (N)")
        ax.set_ylabel("part that is at least this large")
        legend_above(ax)
    return ax


def successes(
    labels: Sequence[str],
    values: Sequence[float],
    counts: Sequence[Sequence[int]],
    trials: int,
    ax: Axes | None = None,
    *,
    xlabel: str,
    ylabel: str = "successes",
) -> Axes:
    """Successes over a parameter with Wilson 95 % intervals, one line for each label.

    Points of the same parameter value are drawn side by side.

    Args:
        labels: Labels of the lines.
        values: Values of the parameter; the axis is logarithmic if positive ones span more than a
            decade.
        counts: Number of successes at each value, a list for each label.
        trials: Number of runs behind each count.
        ax: Axes to draw on; those of a new figure if not given.
        xlabel: Label of the x axis.
        ylabel: Label of the y axis; the number of trials is appended.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: An argument is not allowed.
    """
    from matplotlib.transforms import ScaledTranslation

    labels, values = entries("labels", labels), finite("values", values)
    trials = whole_number("trials", trials)
    rows = counts_up_to("counts", entries("counts", counts, len(labels)), "trials", trials)
    for k, row in enumerate(rows):
        entries(f"counts[{k}]", row, len(values))
    with axes(ax) as ax:
        middle = (len(labels) - 1) / 2
        for k, (label, each) in enumerate(zip(labels, rows, strict=True)):
            number = np.asarray(each, dtype=float)
            low, high = (trials * bound for bound in wilson(number, trials))
            aside = ScaledTranslation(_ASIDE * (k - middle) / 72, 0, ax.figure.dpi_scale_trans)
            ax.errorbar(
                values,
                number,
                [number - low, high - number],
                color=COLOURS[k % len(COLOURS)],
                marker=_MARKERS[k % len(_MARKERS)],
                ms=4,
                elinewidth=0.7,
                capsize=1.5,
                label=label,
                transform=ax.transData + aside,
            )
        ax.set_ylim(-0.03 * trials, 1.03 * trials)
        _along_values(ax, values)
        ax.locator_params("y", integer=True)
        ax.set_xlabel(xlabel)
        ax.set_ylabel(f"{ylabel} (of {trials})")
        legend_above(ax)
    return ax


def wilson(successes: npt.ArrayLike, trials: int) -> tuple[Floats, Floats]:
    """Wilson's 95 % interval for the probability of success.

    Args:
        successes: Number of successes, or an array of such numbers.
        trials: Number of trials behind each.

    Returns:
        Lower and upper bound, (...) each, in the shape of `successes`.

    Raises:
        InvalidInput: A number is not from 0 to `trials`.
    """
    trials, number = whole_number("trials", trials), numbers(successes)
    if number is None or not ((number >= 0) & (number <= trials)).all():
        raise InvalidInput(
            f"successes = {short(plain(successes))} is not allowed: each must be a number from 0 "
            f"to trials, which is {trials}"
        )
    part = number / trials
    middle = part + _Z**2 / (2 * trials)
    half = _Z * np.sqrt(part * (1 - part) / trials + (_Z / (2 * trials)) ** 2)
    scale = 1 + _Z**2 / trials
    # Rounding must not leave the share itself outside, at 0 and 1.
    low, high = (middle - half) / scale, (middle + half) / scale
    return np.minimum(low, part).clip(min=0.0), np.maximum(high, part).clip(max=1.0)


def _along_values(ax: Axes, values: Sequence[float]) -> None:
    """A tick at every value, and a little room beyond them."""
    low, high = float(min(values)), float(max(values))
    if 0 < 10 * low < high:
        ax.set_xscale("log")
        room = (high / low) ** 0.08
        ax.set_xlim(low / room, high * room)
    else:
        room = 0.08 * (high - low) or 1.0
        ax.set_xlim(low - room, high + room)
    ax.set_xticks(values, [f"{value:g}" for value in values])
    ax.set_xticks([], minor=True)


def _sorted(label: str, forces: npt.ArrayLike) -> Floats:
    given = numbers(forces)
    if given is None or not given.size or not np.isfinite(given).all() or given.min() < 0:
        raise InvalidInput(
            f"forces of {label!r} are not allowed: they must be at least one finite number that is "
            "not negative"
        )
    return np.sort(given, axis=None)


def _at_least(size: Floats) -> tuple[Floats, Floats]:
    """Some of the sorted values, dense where they are large, and the part that is not smaller."""
    count = len(size)
    behind = np.unique(np.geomspace(1, count, min(count, _MOST_POINTS)).round().astype(int))[::-1]
    return size[count - behind], behind / count
