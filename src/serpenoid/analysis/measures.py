"""All that is measured of one run, as a small mapping with units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from serpenoid.analysis.measure_table import as_html, as_text, left_out_notes, shown_unit
from serpenoid.analysis.metrics import METRICS
from serpenoid.analysis.windows import between
from serpenoid.checks import nearest_word
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.text import table_cell

_HEADS = ("measure", "value", "unit")


class Measures(Mapping[str, float]):
    """Measures of a run by name, in SI units.

    Args:
        values: The numbers by name.
        left_out: Measures that the run does not have, by name, and why.
    """

    def __init__(self, values: Mapping[str, float], left_out: Mapping[str, str]) -> None:
        self._values, self.left_out = dict(values), dict(left_out)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each."""
        return {name: METRICS[name].unit for name in self}

    def __getitem__(self, name: str) -> float:
        try:
            return self._values[name]
        except KeyError:
            why = self.left_out.get(name, f"{name!r} is not known{nearest_word(name, [*self])}")
            raise KeyError(why) from None

    @property
    def unmet(self) -> dict[str, str]:
        """Measures for which the run is too short, by name, and what they need."""
        return {name: why for name, why in self.left_out.items() if why.startswith(f"{name} needs")}

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "\n".join([as_text(_HEADS, self._rows()), *left_out_notes(self.unmet)])

    def _repr_html_(self) -> str:
        return as_html(_HEADS, self._rows(), left_out_notes(self.unmet))

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (name, table_cell(value), shown_unit(METRICS[name].unit))
            for name, value in self.items()
        ]


def measure(
    run: Trajectory, name: str, start: float | None = None, end: float | None = None
) -> float:
    """One measure of a run.

    Args:
        run: A run.
        name: A key of `metrics.METRICS`.
        start: Time from which on rows count, s; the start of the run if not given.
        end: Time up to which rows count, s; the end of the run if not given.

    Raises:
        InvalidInput: The run does not have it, or a time is not within the run.
    """
    return float(METRICS[name].measure(between(run, start, end)))


def measures(run: Trajectory, start: float | None = None, end: float | None = None) -> Measures:
    """All measures that a run has; the numbers of the table of a study.

    Args:
        run: A run.
        start: Time from which on rows count, s; the start of the run if not given.
        end: Time up to which rows count, s; the end of the run if not given.

    Raises:
        InvalidInput: A time is not within the run.
    """
    part = between(run, start, end)
    values, left_out = {}, {}
    for name, metric in METRICS.items():
        try:
            values[name] = float(metric.measure(part))
        except InvalidInput as error:
            left_out[name] = str(error)
    return Measures(values, left_out)
