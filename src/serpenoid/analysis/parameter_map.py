"""What maps over parameters have in common: columns, their units, and rows that are chosen."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from serpenoid.checks import as_numbers, nearest_word
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats


@dataclasses.dataclass(frozen=True, eq=False)
class ParameterMap(Mapping[str, Floats]):
    """A table of parameters and what was found with them.

    Attributes:
        columns: The columns by name, (rows,) each.
    """

    columns: dict[str, Floats]

    _units: ClassVar[dict[str, str]]

    def __getitem__(self, name: str) -> Floats:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def attrs(self) -> dict[str, dict[str, str]]:
        """Units by column, where figures of tables look for them."""
        return {"units": self._units}

    def where(self, **values: float) -> Self:
        """The rows with some values of columns, `map.where(mu=0.2)`.

        Args:
            **values: Columns and their values.

        Returns:
            A map of these rows.

        Raises:
            InvalidInput: There is no such column or value.
        """
        chosen = np.ones(len(next(iter(self.columns.values()))), np.bool_)
        for name, value in values.items():
            if name not in self.columns:
                raise InvalidInput(
                    f"column {name!r} is not known{nearest_word(name, list(self))}; there are "
                    f"{', '.join(self)}"
                )
            here = np.isclose(self[name], value, rtol=1e-9, atol=0.0)
            if not here.any():
                raise InvalidInput(
                    f"{name} = {value!r} is not in this map; it has "
                    f"{', '.join(f'{known:g}' for known in np.unique(self[name]))}"
                )
            chosen &= here
        return self._rows(chosen)

    def _rows(self, chosen: Any) -> Self:
        """The rows that a mask, a slice or a list of indices chooses."""
        columns = {name: column[chosen] for name, column in self.columns.items()}
        return dataclasses.replace(self, columns=columns)


def different_numbers(name: str, values: npt.ArrayLike) -> list[float]:
    """Values of a parameter, at least one and none twice; name: for the message."""
    numbers: list[float] = as_numbers(name, values, (None,)).tolist()
    if not numbers or len(set(numbers)) < len(numbers):
        raise InvalidInput(
            f"{name} = {numbers!r} is not allowed: it must be a list of different numbers"
        )
    return numbers
