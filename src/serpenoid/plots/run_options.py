"""What every figure of a run takes: a label, a colour and a window of time."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from serpenoid.analysis.windows import between
from serpenoid.checks import nearest_word, plain, short
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.plots.given import check_run
from serpenoid.plots.style import COLOURS, INK, legend_above, time_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

# Dashes of curves of one colour, which tell joints, components or energies apart.
DASHES: tuple[Any, ...] = (
    "-",
    "--",
    ":",
    "-.",
    (0, (8, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (1, 3)),
    (0, (8, 2, 1, 2)),
    (0, (2, 2, 6, 2)),
    (0, (4, 4)),
)


class RunOptions(TypedDict, total=False):
    """How a figure draws a run.

    Attributes:
        label: Name of the run in the legend, or in the title of a map.
        color: Colour of the run, any of Matplotlib's; its curves then differ by their dashes.
        start: Time from which on the run is drawn, s; its start if not given.
        end: Time up to which the run is drawn, s; its end if not given.
    """

    label: str | None
    color: ColorType | None
    start: float | None
    end: float | None


_NAMES = tuple(RunOptions.__annotations__)


@dataclass(frozen=True)
class Look:
    """Label and colour of a run in a figure.

    Attributes:
        label: Name of the run; None for none.
        color: Its colour; None for a colour for each curve.
    """

    label: str | None = None
    color: Any = None

    def colour(self, usual: Any) -> Any:
        """The colour of the run, or the usual one of what is drawn."""
        return usual if self.color is None else self.color

    def name(self, words: str) -> str:
        """What is drawn, after the name of the run."""
        return words if self.label is None else f"{self.label}, {words}" if words else self.label

    def curve(self, k: int, words: str, usual: Any = None) -> dict[str, Any]:
        """Colour, dashes and label of a curve.

        Args:
            k: Number of the curve among those of the run.
            words: What it shows.
            usual: Its colour, if the run has none; that of its number if not given.
        """
        if self.color is None:
            colour = COLOURS[k % len(COLOURS)] if usual is None else usual
            return {"color": colour, "label": self.name(words)}
        label = words
        if self.label is not None:
            # The first stands for the run, and `legend` says what the dashes are.
            label = f"_{self.name(words)}" if k else self.label
        return {"color": self.color, "ls": DASHES[k % len(DASHES)], "label": label}

    def legend(self, ax: Axes, words: list[str], more: list[Artist] | None = None) -> None:
        """A legend of everything with a label, runs first, then what their dashes mean.

        Args:
            ax: The Axes.
            words: What each curve of this run shows, in their order.
            more: Further entries.
        """
        named = self.color is not None and self.label is not None
        there = {line.get_label() for line in ax.lines}
        for k, word in enumerate(words):
            if named and word and word not in there:
                ax.plot([], [], color=INK, ls=DASHES[k % len(DASHES)], label=word)
        handles: list[Any] = list(ax.get_legend_handles_labels()[0])
        handles.sort(key=lambda handle: handle.get_color() == INK)
        if handles or more:
            legend_above(ax, handles + (more or []))


# Of a run without label and colour.
PLAIN = Look()


def take(run: Trajectory, options: Mapping[str, Any]) -> tuple[Trajectory, Look]:
    """The part of a run that a figure shows, and how.

    Args:
        run: The run to draw.
        options: As in `RunOptions`.

    Raises:
        InvalidInput: It is no run, or an option is not known or not allowed.
    """
    from matplotlib.colors import is_color_like, to_rgba

    check_run(run)
    for name in options:
        if name not in _NAMES:
            raise InvalidInput(
                f"figures have no option {name!r}{nearest_word(name, list(_NAMES))}; all of them "
                f"take {', '.join(_NAMES)}"
            )
    label, color = options.get("label"), options.get("color")
    if label is not None and (not isinstance(label, str) or not label):
        raise InvalidInput(f"label = {short(label)} is not allowed: it must be text")
    if label is not None and label.startswith("_"):
        raise InvalidInput(
            f"label = {short(label)} is not allowed: it must not begin with an underscore, because "
            "Matplotlib leaves such labels out of legends"
        )
    if color is not None and (not is_color_like(color) or to_rgba(color)[3] == 0):
        raise InvalidInput(
            f"color = {short(plain(color))} is not allowed: it must be a visible colour of "
            "Matplotlib, such as 'tab:red' or '#D55E00'"
        )
    return between(run, options.get("start"), options.get("end")), Look(label, color)


def finish(
    ax: Axes,
    run: Trajectory,
    ylabel: str,
    look: Look,
    words: list[str],
    more: list[Artist] | None = None,
) -> None:
    """Add labels of both axes and the legend to curves over time.

    Args:
        ax: The Axes.
        run: The run drawn.
        ylabel: Label of the y axis.
        look: Label and colour of the run.
        words: What each curve shows.
        more: Further entries of the legend.
    """
    ax.set_ylabel(ylabel)
    time_axis(ax, run)
    look.legend(ax, words, more)


def full_signature(draw: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function that draws a run, with all options by name."""
    signature = inspect.signature(draw)
    known = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    if len(known) < len(signature.parameters):
        known += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, kind in RunOptions.__annotations__.items()
        ]
    return signature.replace(parameters=known)


def check_options(
    draw: Callable[..., Any], options: Iterable[str], own: Iterable[str] = ()
) -> None:
    """Refuse options that a figure does not take.

    Args:
        draw: Draws a run.
        options: Names of the options given.
        own: Options that are not to be given here.

    Raises:
        InvalidInput: It has no such option.
    """
    _run, _ax, *known = full_signature(draw).parameters
    takes = [name for name in known if name not in own]
    for name in options:
        if name not in takes:
            raise InvalidInput(
                f"{draw.__name__} has no {name!r}{nearest_word(name, takes)}; it takes "
                f"{', '.join(takes)}"
            )


def figure_names(of: type) -> list[str]:
    """Names of the figures that a class has as methods."""
    return [name for name in dir(of) if not name.startswith("_") and callable(getattr(of, name))]


def docstring_without_run(draw: Callable[..., Any]) -> str:
    """The docstring of a function that draws a run, for a method that has the run already."""
    lines = (draw.__doc__ or "").splitlines(keepends=True)
    kept = [line for line in lines if line.strip() != "run: The run to draw."]
    if any(line.strip() == "Args:" for line in lines):
        assert len(kept) == len(lines) - 1, f"the docstring of {draw.__name__} lacks its run"
    return "".join(kept)
