"""The best points of a sweep, and a figure of each metric that they are chosen by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.analysis.metrics import Better
from serpenoid.files import json_numbers, make_folder
from serpenoid.studies.sampling import Value

if TYPE_CHECKING:
    import pandas

# Count of points that are shown.
_SHOWN = 5


@dataclass(frozen=True)
class BestPoint:
    """A point of a sweep.

    Attributes:
        point: Its number.
        parameters: Dotted keys to values.
        metrics: What was measured; None where nothing was.
    """

    point: int
    parameters: dict[str, Value]
    metrics: dict[str, float | None]

    @property
    def row(self) -> dict[str, Value | None]:
        """All that it is, by name."""
        return {"point": self.point, **self.parameters, **self.metrics}


@dataclass(frozen=True)
class Ranking:
    """The best points of a sweep by one metric.

    Attributes:
        metric: The metric.
        better: 'larger' or 'smaller'.
        points: The best first.
    """

    metric: str
    better: Better
    points: tuple[BestPoint, ...]

    @property
    def title(self) -> str:
        """What stands above a table of the points."""
        order = "largest" if self.better == "larger" else "smallest"
        return f"best points: {order} {self.metric}"


def rank(
    parameters: Sequence[str],
    metrics: Sequence[str],
    table: pandas.DataFrame,
    metric: str,
    better: Better,
) -> Ranking:
    """Find the points with the best values of a metric.

    Args:
        parameters: Keys of the parameters of a study.
        metrics: Its metrics.
        table: Its table.
        metric: One of its metrics.
        better: Which of its values are the best, 'larger' or 'smaller' ones.
    """
    values = table[metric].to_numpy()
    # Equal ones stay in the order of the points.
    order = np.argsort(values if better == "smaller" else -values, kind="stable")
    chosen = [int(row) for row in order if np.isfinite(values[row])][:_SHOWN]
    found = []
    for row in chosen:
        entry = table.iloc[row]
        numbers = {name: float(entry[name]) for name in metrics}
        values = {key: _value(entry[key]) for key in parameters}
        found.append(BestPoint(int(entry["point"]), values, json_numbers(numbers)))
    return Ranking(metric, better, tuple(found))


def _value(value: Any) -> Value:
    return value.item() if isinstance(value, np.generic) else value


def draw_ranking(table: pandas.DataFrame, ranking: Ranking, folder: Path) -> Path:
    """Draw a metric over the parameters, as PNG and PDF in the folder `figures` of a study.

    Over one parameter it is a curve, over two a map; if there are more, the others have the values
    of the best point.

    Args:
        table: Of the study.
        ranking: The best points by the metric, at least one.
        folder: Of the study.

    Returns:
        The PNG.
    """
    from serpenoid import plots
    from serpenoid.plots.tables import curve_over, heat_map, points_over

    metric, best = ranking.metric, ranking.points[0].parameters
    varied = [key for key in best if table[key].nunique() > 1]
    numbers = [key for key in varied if table[key].dtype.kind in "if"]
    if len(numbers) < 2:
        over = (numbers or varied or list(best))[:1]
        ax = curve_over(_slice(table, best, over), over[0], metric)
    else:
        x, y = numbers[:2]
        shown = _slice(table, best, (x, y))
        across, up = shown[x].nunique(), shown[y].nunique()
        if min(across, up) > 1 and len(shown) == across * up:
            ax = heat_map(shown, x, y, metric)
        else:
            ax = points_over(table, x, y, metric)
    make_folder(folder / "figures")
    for ending in ("pdf", "png"):
        file = plots.save(ax, folder / "figures" / f"{metric}.{ending}")
    plots.close(ax)
    return folder / "figures" / file.name


def _slice(
    table: pandas.DataFrame, best: dict[str, Value], over: Sequence[str]
) -> pandas.DataFrame:
    """The rows that differ from the best point in some parameters only."""
    for key, value in best.items():
        if key not in over:
            table = table[table[key] == value]
    return table
