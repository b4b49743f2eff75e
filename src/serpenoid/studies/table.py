"""The table of a study: a row for every point, as Parquet.

Columns in this order: point, the parameters by their keys, metrics, certificate, seed, error. Units
and meanings are in the metadata of the columns, the study in that of the table. Nothing in it
depends on when, where and in which order points were run.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serpenoid._version import __version__
from serpenoid.errors import OutputError
from serpenoid.studies.metrics import CERTIFICATE, METRICS
from serpenoid.studies.point import Row
from serpenoid.studies.study import Study

if TYPE_CHECKING:
    import pyarrow


def schema(study: Study) -> pyarrow.Schema:
    """Columns with type, unit and meaning; they depend on the study alone."""
    import pyarrow

    number, count, text = pyarrow.float64(), pyarrow.int64(), pyarrow.string()
    fields = [pyarrow.field("point", count)]
    for column, key in enumerate(study.parameters):
        kinds = {type(point[column]) for point in study.points}
        fields.append(pyarrow.field(key, _column_type(kinds)))
    measured = {name: (METRICS[name].unit, METRICS[name].words) for name in study.metrics}
    for name, (unit, words) in (measured | CERTIFICATE).items():
        fields.append(pyarrow.field(name, number, metadata={"unit": unit, "long_name": words}))
    if "seed" not in study.parameters:
        fields.append(pyarrow.field("seed", count))
    fields.append(pyarrow.field("error", text))
    about = {"serpenoid_version": __version__, "study": json.dumps(study.plain())}
    return pyarrow.schema(fields, about)


def _column_type(kinds: set[type]) -> pyarrow.DataType:
    """Whole numbers, numbers, truth values or text, whichever holds all values of a parameter."""
    import pyarrow

    if kinds == {bool}:
        return pyarrow.bool_()
    if kinds == {int}:
        return pyarrow.int64()
    return pyarrow.float64() if kinds <= {int, float} else pyarrow.string()


def table(study: Study, columns: pyarrow.Schema, rows: Sequence[Row]) -> pyarrow.Table:
    """Rows completed by their parameters, in the order of the points."""
    import pyarrow

    rows = sorted(rows, key=lambda row: int(row["point"]))
    complete = [row | study.changes(row["point"]) for row in rows]
    texts = [field.name for field in columns if field.type == pyarrow.string()]
    for row in complete:
        row |= {name: _text(row[name]) for name in texts}
    return pyarrow.Table.from_pylist(complete, schema=columns)


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def to_parquet(rows: pyarrow.Table) -> bytes:
    """A table as the content of its file."""
    from pyarrow import parquet

    content = io.BytesIO()
    parquet.write_table(rows, content, compression="zstd")
    return content.getvalue()


def read(path: Path, columns: list[str] | None = None) -> pyarrow.Table:
    """A table from its file."""
    import pyarrow
    from pyarrow import parquet

    try:
        return parquet.read_table(io.BytesIO(path.read_bytes()), columns=columns)
    except (OSError, pyarrow.ArrowException) as error:
        words = (getattr(error, "strerror", None) or str(error)).splitlines()[0]
        raise OutputError(
            f"path = {str(path)!r} cannot be read: {words}; delete it to have its points run again"
        ) from None
