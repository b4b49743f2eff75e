"""Figures of a run; the only package that imports Matplotlib, and only once something is drawn."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serpenoid.checks import check_ending, check_type, one_of
from serpenoid.engine.trajectory import Trajectory
from serpenoid.files import write_bytes
from serpenoid.later import later
from serpenoid.plots.accessor import Plots
from serpenoid.plots.given import check_run
from serpenoid.plots.run_options import check_options
from serpenoid.plots.style import canvas, house

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["KINDS", "Plots", "canvas", "close", "draw", "house", "render", "save"]

# Kind of figure: what draws it. The first line of its docstring says what it shows.
KINDS: dict[str, Callable[..., Axes]] = {
    kind: method.__wrapped__ for kind, method in vars(Plots).items() if not kind.startswith("_")
}

# Endings of files, and what of their metadata to leave out: without the time of writing, the same
# figure makes the same file.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None},
    ".svg": {"Date": None},
}

# Modules with public names, imported once they are asked for.
_MODULES = (
    "comparison_figures",
    "path_figures",
    "push_figures",
    "run_options",
    "stability_figures",
    "statistics",
    "tables",
    "viewer",
    "wave_figures",
)

__getattr__ = later(__name__, {name: name for name in _MODULES})


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})


def draw(run: Trajectory, kind: str, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a kind of figure by its name, on the Axes given or in a new figure.

    Args:
        run: The run to draw.
        kind: A key of `KINDS`.
        ax: Axes to draw on; those of a new figure if not given.
        **options: Options of the kind, `link=3` for instance.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: There is no such kind, or the kind has no such option.
    """
    check_run(run)
    one_of("kind", kind, KINDS)
    check_options(KINDS[kind], options)
    return KINDS[kind](run, ax, **options)


def save(figure: Figure | Axes, path: str | os.PathLike[str]) -> Path:
    """Write a figure as PNG, PDF or SVG, whole or not at all.

    Args:
        figure: A figure, or Axes of it.
        path: File to write; its ending, .png, .pdf or .svg, chooses the format.

    Returns:
        The file.

    Raises:
        InvalidInput: The ending is another one, or `figure` is no figure.
        OutputError: The file cannot be written.
    """
    ending = check_ending(path, list(_METADATA))
    return write_bytes(path, render(figure, ending[1:]))


def render(figure: Figure | Axes, kind: str) -> bytes:
    """Content of the file of a figure.

    Args:
        figure: A figure, or Axes of it.
        kind: Format: 'png', 'pdf' or 'svg'.

    Raises:
        InvalidInput: `figure` is no figure.
    """
    import matplotlib
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    drawn: Any = figure.get_figure(root=True) if isinstance(figure, Axes) else figure
    # Text in a PDF stays text, with a font that journals accept; in an SVG it needs no font.
    style: Any = {"pdf.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "serpenoid"}
    content = io.BytesIO()
    check_type("figure", drawn, Figure, origin="matplotlib")
    with matplotlib.rc_context(style):
        drawn.savefig(content, format=kind, dpi=300, metadata=_METADATA[f".{kind}"])
    return content.getvalue()


def close(ax: Axes) -> None:
    """Close the figure of some Axes, which pyplot keeps in memory otherwise."""
    from matplotlib import pyplot

    pyplot.close(ax.get_figure(root=True))
