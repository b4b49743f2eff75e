"""The house style: type, lines and colours that read well in one or two columns of a paper."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from serpenoid.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

    from serpenoid.trajectory import Trajectory

# Widths of a figure, in.
ONE_COLUMN, TWO_COLUMNS = 3.4, 7.0

# The colours of Okabe and Ito, which any colour vision tells apart; yellow is too pale for lines.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
INK, GREY, PALE = "#333333", "#8C8C8C", "#E3E3E3"

_TICKS: dict[str, Any] = {"labelsize": 7, "width": 0.5, "length": 2.5, "pad": 2.5, "color": INK}
_STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so it looks the same everywhere
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.labelpad": 2.5,
    "axes.linewidth": 0.5,
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.0,
    "lines.solid_capstyle": "round",
    "legend.fontsize": 7,
    "figure.dpi": 150,
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "figure.max_open_warning": 0,  # who draws many figures in a loop knows it
}


def house() -> contextlib.AbstractContextManager[None]:
    """The house style while the context lasts, for figures of your own."""
    import matplotlib

    return matplotlib.rc_context(_STYLE)


@contextlib.contextmanager
def canvas(
    ax: Axes | None, width: float = ONE_COLUMN, height: float = 2.1
) -> Iterator[Axes]:
    """The given Axes as they are, or those of a new figure in the house style, in."""
    from matplotlib import axes, pyplot

    if ax is not None:
        if not isinstance(ax, axes.Axes):
            raise InvalidInput(f"ax = {ax!r} is not allowed: it must be a matplotlib Axes")
        yield ax
        return
    with house():
        figure, new = pyplot.subplots(figsize=(width, height), layout="constrained")
        dress_ticks(new)
        try:
            yield new
        except BaseException:
            pyplot.close(figure)
            raise


def dress_ticks(ax: Axes) -> None:
    """Fix the ticks' style now: they are made when first drawn, after the style's context."""
    ax.tick_params(which="both", **_TICKS)


def time_axis(ax: Axes, run: Trajectory) -> None:
    """Time along x, from the first row to the last."""
    ax.set_xlabel("time (s)")
    if len(run.time) > 1:
        ax.set_xlim(run.time[0], run.time[-1])


def legend_above(ax: Axes, handles: Sequence[Artist] | None = None) -> Legend:
    """A legend on top of the axes, in as many columns as their width has room for."""
    import matplotlib
    from matplotlib.font_manager import FontProperties

    if handles is None:
        handles = ax.get_legend_handles_labels()[0]
    size = FontProperties(size=matplotlib.rcParams["legend.fontsize"]).get_size_in_points()
    # Handle and gaps take four letters' height, a letter is some 0.55 of its height wide.
    longest = max((len(str(handle.get_label())) for handle in handles), default=0)
    entry = (4.0 + 0.55 * longest) * size
    width = 72 * ax.get_window_extent().width / ax.get_figure(root=True).dpi
    return ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=min(max(1, int(width / entry)), len(handles)),
        frameon=False,
        handlelength=1.6,
        handletextpad=0.5,
        columnspacing=1.2,
        labelspacing=0.25,
        borderpad=0.0,
        borderaxespad=0.4,
    )
