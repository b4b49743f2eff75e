"""The energy ledger of a run over time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Unpack

import numpy as np

from serpenoid.checks import one_of
from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import LEDGER
from serpenoid.plots.run_options import RunOptions, finish, take
from serpenoid.plots.style import COLOURS, GREY, axes, curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RESIDUAL = "energy_residual"
# Entries of the energy ledger in the order of their colours, the residual apart; those that few
# runs have, of springs and compliant contact, are dashed.
_LEDGER = {
    "-": [e for e in LEDGER if e.label and not e.feature and e.name != _RESIDUAL],
    "--": [e for e in LEDGER if e.label and e.feature],
}


def energy(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    entries: Iterable[str] | None = None,
    **options: Unpack[RunOptions],
) -> Axes:
    """Energy ledger over time: where the work came from and where it went.

    Works are counted from the start. Entries that are zero throughout are left out; the residual
    is always named.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        entries: Names of the entries to draw, as in `run.energy()`; all if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: There is no such entry, or an option is not allowed.
    """
    run, look = take(run, options)
    names = None if entries is None else _entry_names(entries)
    words: list[str] = []
    with axes(ax, height=2.4) as ax:
        for style, known in _LEDGER.items():
            for entry, colour in zip(known, itertools.cycle(COLOURS), strict=False):
                column = run.columns.get(entry.name, np.zeros(1))
                wanted = column.any() if names is None else entry.name in names
                if wanted and entry.name in run.columns:
                    # Thin, not to hide what else is near zero.
                    thin = {"lw": 0.6} if entry.name == "energy_numerical" else {}
                    given = {"ls": style} | look.curve(len(words), entry.label, colour) | thin
                    curve(ax, run, column, **given)
                    words.append(entry.label)
        if names is None or _RESIDUAL in names:
            residual = run.columns[_RESIDUAL]
            left = f"{residual[-1]:.0e}".replace("-", "−") if residual[-1] else "0"
            # In figures of several runs there is no room for a number of each.
            words.append("residual" if look.color is not None else f"residual, {left} J")
            given = {"ls": ":"} | look.curve(len(words) - 1, words[-1], GREY)
            curve(ax, run, residual, **given)
        finish(ax, run, "energy (J)", look, words)
    return ax


def _entry_names(entries: Iterable[str]) -> set[str]:
    """Columns of entries of the ledger."""
    known = [e.name.removeprefix("energy_") for e in LEDGER if e.label]
    given = [entries] if isinstance(entries, str) else list(entries)
    for each in given:
        one_of("entries", each, known)
    return {f"energy_{each}" for each in given}
