"""Tidy tables with units: as pandas data frames, and as CSV and Parquet files."""

from __future__ import annotations

import contextlib
import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from serpenoid.errors import InvalidInput

if TYPE_CHECKING:
    import pandas

# Endings of the files of a table.
TABLE_ENDINGS = (".csv", ".parquet")


@dataclass(frozen=True, eq=False)
class TidyTable:
    """Columns of equal length.

    Attributes:
        columns: Values by name of the column, (rows,) each.
        units: Units of the columns that have one.
        words: What columns are.
        about: Texts about the whole table.
    """

    columns: Mapping[str, npt.NDArray[Any]]
    units: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame, with the units of its columns in `attrs["units"]`.

        Raises:
            InvalidInput: pandas is not installed.
        """
        with needed("pandas"):
            import pandas
        frame = pandas.DataFrame(dict(self.columns))
        frame.attrs["units"] = dict(self.units)
        return frame

    def content(self, ending: str) -> bytes:
        """The content of its file.

        Args:
            ending: One of TABLE_ENDINGS.

        Raises:
            InvalidInput: PyArrow is not installed, which writes Parquet.
        """
        return self._csv() if ending == ".csv" else self._parquet()

    def _csv(self) -> bytes:
        """Text in UTF-8, units in the heads, numbers to the bit, nothing where there is none."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(
            [
                f"{name} ({self.units[name]})" if name in self.units else name
                for name in self.columns
            ]
        )
        columns = [
            ["" if isinstance(v, float) and math.isnan(v) else v for v in column.tolist()]
            for column in self.columns.values()
        ]
        writer.writerows(zip(*columns, strict=True))
        return text.getvalue().encode("utf-8")

    def _parquet(self) -> bytes:
        """Columns with unit and meaning as metadata, as in the tables of studies."""
        with needed("pyarrow"):
            import pyarrow
            from pyarrow import parquet
        # Arrow takes texts as lists, and numbers in one piece.
        arrays = [
            pyarrow.array(column.tolist() if column.dtype.kind == "U" else column.copy())
            for column in self.columns.values()
        ]
        told = [
            {"unit": self.units.get(name, "1"), "long_name": self.words.get(name, name)}
            for name in self.columns
        ]
        fields = [
            pyarrow.field(name, array.type, metadata=about)
            for name, array, about in zip(self.columns, arrays, told, strict=True)
        ]
        table = pyarrow.table(arrays, pyarrow.schema(fields, dict(self.about)))
        content = io.BytesIO()
        parquet.write_table(table, content, compression="zstd", write_page_checksum=True)
        return content.getvalue()


@contextlib.contextmanager
def needed(package: str) -> Iterator[None]:
    """Say how to install a package that only tables need, which a `with` block imports.

    Raises:
        InvalidInput: It is not installed.
    """
    try:
        yield
    except ImportError:
        raise InvalidInput(
            f"tables need {package}, which is not installed: pip install 'serpenoid[tables]'"
        ) from None
