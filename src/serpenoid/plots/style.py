"""The house style: type, lines and colours that read well in one or two columns of a paper."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from serpenoid.checks import check_type

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

    from serpenoid.engine.trajectory import Trajectory
    from serpenoid.kernels.layout import Floats

RGB = tuple[float, float, float]

# Widths of a figure, in.
ONE_COLUMN, TWO_COLUMNS = 3.4, 7.0

# The colours of Okabe and Ito, which any colour vision tells apart; yellow is too pale for lines.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
INK, GREY, PALE = "#333333", "#8C8C8C", "#E3E3E3"

# How legends look.
LEGEND: dict[str, Any] = {
    "frameon": False,
    "handlelength": 1.6,
    "handletextpad": 0.5,
    "columnspacing": 1.2,
    "labelspacing": 0.25,
    "borderpad": 0.0,
    "borderaxespad": 0.4,
}

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
    **{f"{axis}tick.labelsize": 7 for axis in "xy"},
    **{f"{axis}tick.major.width": 0.5 for axis in "xy"},
    **{f"{axis}tick.major.size": 2.5 for axis in "xy"},
    **{f"{axis}tick.major.pad": 2.5 for axis in "xy"},
    "lines.linewidth": 1.0,
    "lines.solid_capstyle": "round",
    "legend.fontsize": 7,
    "figure.dpi": 150,
    # About where the layout will put axes, for what must know their size beforehand.
    "figure.subplot.left": 0.13,
    "figure.subplot.right": 0.98,
    "figure.constrained_layout.h_pad": 0.03,
    "figure.constrained_layout.w_pad": 0.03,
    "figure.max_open_warning": 0,  # who draws many figures in a loop knows it
}


def house() -> contextlib.AbstractContextManager[None]:
    """Apply the house style within a `with` block, for figures of your own.

    Returns:
        A context manager; figures drawn inside it have the style.
    """
    return _styled(_STYLE)


def foreign() -> contextlib.AbstractContextManager[None]:
    """Lay out figures that another library draws; its style ends with the `with` block."""
    return _styled({"figure.constrained_layout.use": True, "figure.figsize": (TWO_COLUMNS, 4.2)})


@contextlib.contextmanager
def _styled(style: Any) -> Iterator[None]:
    """Apply settings of Matplotlib within a `with` block.

    The first figure of a notebook makes Matplotlib interactive, so that figures appear below their
    cells. That must outlast the block in which it is drawn.
    """
    import matplotlib

    try:
        with matplotlib.rc_context(style):
            try:
                yield
            finally:
                interactive = matplotlib.is_interactive()
    finally:
        matplotlib.interactive(interactive)


@contextlib.contextmanager
def canvas(size: tuple[float, float]) -> Iterator[Figure]:
    """Apply the house style within a `with` block, on an empty figure.

    Args:
        size: Width and height of the figure, in.

    Yields:
        The figure.
    """
    from matplotlib.figure import Figure

    with house():
        yield Figure(figsize=size, layout="constrained")


@contextlib.contextmanager
def axes(ax: Axes | None, width: float = ONE_COLUMN, height: float = 2.1) -> Iterator[Axes]:
    """The given Axes, unchanged, or those of a new figure in the house style.

    Args:
        ax: Axes; None for new ones.
        width: Width of a new figure, in.
        height: Height of a new figure, in.

    Yields:
        The Axes.

    Raises:
        InvalidInput: `ax` is no Axes.
    """
    from matplotlib.axes import Axes

    if ax is not None:
        check_type("ax", ax, Axes, origin="matplotlib")
        yield ax
        return
    with sheet(None, (width, height)) as figure:
        yield figure.subplots()


@contextlib.contextmanager
def sheet(figure: Figure | None, size: tuple[float, float]) -> Iterator[Figure]:
    """The given figure, unchanged, or a new one in the house style.

    Args:
        figure: Figure; None for a new one.
        size: Width and height of a new figure, in.

    Yields:
        The figure.

    Raises:
        InvalidInput: `figure` is no Figure.
    """
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    if figure is not None:
        check_type("figure", figure, Figure, origin="matplotlib")
        yield figure
        return
    with house():
        yield pyplot.figure(figsize=size, layout="constrained")


def colour_bar(ax: Axes, mesh: Collection, label: str, **look: Any) -> Axes:
    """A colour bar to the right, in the room of the axes, so that no others are moved or made."""
    bar = ax.inset_axes((1.02, 0.0, 0.03, 1.0))
    ax.figure.colorbar(mesh, cax=bar, label=label, **look)
    return bar


def tint(colour: str | RGB, white: float) -> RGB:
    """Mix white into a colour, which stays opaque.

    Args:
        colour: A colour.
        white: Share of white, 0 to 1.

    Returns:
        Red, green and blue, 0 to 1.
    """
    from matplotlib.colors import to_rgb

    red, green, blue = (white + (1 - white) * part for part in to_rgb(colour))
    return red, green, blue


def shade(colour: str | RGB) -> RGB:
    """A colour half as bright."""
    from matplotlib.colors import to_rgb

    red, green, blue = (part / 2 for part in to_rgb(colour))
    return red, green, blue


def curve(ax: Axes, run: Trajectory, values: Floats, **look: Any) -> None:
    """A curve over time; a dot if there is one row only."""
    ax.plot(run.time, values, marker="." if len(run.time) == 1 else "", **look)


def time_axis(ax: Axes, run: Trajectory) -> None:
    """Time along x, from the first row to the last of all runs that are drawn."""
    ax.set_xlabel("time (s)")
    if len(run.time) > 1:
        low, high = ax.dataLim.intervalx  # infinite the other way round if there is nothing yet
        ax.set_xlim(min(low, run.time[0]), max(high, run.time[-1]))


def legend_above(ax: Axes, handles: Sequence[Artist] | None = None) -> Legend:
    """A legend on top of the axes, in as many columns as their width has room for.

    Args:
        ax: The Axes.
        handles: Entries of the legend; everything with a label if not given.
    """
    import matplotlib
    from matplotlib.font_manager import FontProperties

    if handles is None:
        handles = ax.get_legend_handles_labels()[0]
    size = FontProperties(size=matplotlib.rcParams["legend.fontsize"]).get_size_in_points()
    # Handle and gaps are 3.3 letters' heights wide, a letter some 0.52.
    widths = [size * (3.3 + 0.52 * len(str(handle.get_label()))) for handle in handles]
    room = 72 * ax.get_window_extent().width / ax.figure.dpi
    fitting = (n for n in range(len(widths), 1, -1) if sum(_column_widths(widths, n)) <= room)
    rows = math.ceil(len(widths) / next(fitting, 1))
    return ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=math.ceil(len(widths) / rows),  # as even as can be
        **LEGEND,
    )


def _column_widths(widths: Sequence[float], columns: int) -> list[float]:
    """Width of each column of a legend, which is filled column by column."""
    rows, longer = divmod(len(widths), columns)
    ends = [k * rows + min(k, longer) for k in range(columns + 1)]
    return [max(widths[start:end]) for start, end in itertools.pairwise(ends)]
