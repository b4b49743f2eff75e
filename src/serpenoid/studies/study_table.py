"""The table of a study: a row for every point or trial, as Parquet.

Columns in this order: point, the parameters by their keys, metrics, certificate, seed, error; those
of an optimisation have more before the last. Units and meanings are in the metadata of the columns,
the study in that of the table. Nothing in it depends on when, where and in which order points were
run.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from serpenoid._version import __version__
from serpenoid.analysis.metrics import CERTIFICATE, METRICS
from serpenoid.errors import InvalidInput, OutputError, first_line
from serpenoid.memory import check_memory
from serpenoid.studies.optimisation import Optimisation
from serpenoid.studies.point_runner import Row
from serpenoid.studies.sampling import Value
from serpenoid.studies.study import Study, StudyBase

# Memory of a number in a table, B.
_CELL = 8


def point_schema(study: Study) -> pyarrow.Schema:
    """Columns with type, unit and meaning; they depend on the study alone."""
    points = zip(*study.points, strict=True)
    return _schema(study, "point", dict(zip(study.parameters, points, strict=True)))


def trial_schema(study: Optimisation) -> pyarrow.Schema:
    """The columns of an optimisation, a row for every trial."""
    values: dict[str, Iterable[Value]] = {
        key: parameter.values or ((0,) if parameter.integer else (0.0,))
        for key, parameter in study.parameters.items()
    }
    bounds = [
        _number_field(bound.text, METRICS[bound.metric].unit, "how far it is broken")
        for bound in study.optimise.bounds
    ]
    more = [
        _number_field("reached", "s", "simulated time, less if the run was ended early"),
        pyarrow.field("state", pyarrow.string()),
        pyarrow.field("feasible", pyarrow.bool_()),
        pyarrow.field("best", pyarrow.bool_()),
    ]
    return _schema(study, "trial", values, bounds + more)


def _schema(
    study: StudyBase,
    number: str,
    values: Mapping[str, Iterable[Value]],
    more: Sequence[pyarrow.Field] = (),
) -> pyarrow.Schema:
    """The columns of a table.

    Args:
        study: Whose metrics and certificate are measured.
        number: Name of the first column, the number of the row.
        values: Parameters to all values that they can take.
        more: Columns before the last.
    """
    measured = {name: (METRICS[name].unit, METRICS[name].words) for name in study.measured}
    seed = [] if "seed" in study.parameters else [pyarrow.field("seed", pyarrow.int64())]
    return pyarrow.schema(
        [
            pyarrow.field(number, pyarrow.int64()),
            *(pyarrow.field(key, _column_type(set(map(type, v)))) for key, v in values.items()),
            *(_number_field(name, *about) for name, about in (measured | CERTIFICATE).items()),
            *seed,
            *more,
            pyarrow.field("error", pyarrow.string()),
        ],
        {"serpenoid_version": __version__, "study": json.dumps(study.plain())},
    )


def _number_field(name: str, unit: str, words: str) -> pyarrow.Field:
    """A column of numbers with their unit and meaning."""
    return pyarrow.field(name, pyarrow.float64(), metadata={"unit": unit, "long_name": words})


def _column_type(kinds: set[type]) -> pyarrow.DataType:
    """Whole numbers, numbers, truth values or text, whichever holds all values of a parameter."""
    if kinds == {bool}:
        return pyarrow.bool_()
    if kinds == {int}:
        return pyarrow.int64()
    return pyarrow.float64() if kinds <= {int, float} else pyarrow.string()


def filled(columns: pyarrow.Schema, rows: Sequence[Row]) -> pyarrow.Table:
    """Rows as a table; what is no text where text is wanted is spelt as JSON."""
    texts = [field.name for field in columns if field.type == pyarrow.string()]
    complete = [row | {name: _text(row.get(name)) for name in texts} for row in rows]
    return pyarrow.Table.from_pylist(complete, schema=columns)


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def to_parquet(rows: pyarrow.Table) -> bytes:
    """A table as the content of its file."""
    content = io.BytesIO()
    parquet.write_table(rows, content, compression="zstd", write_page_checksum=True)
    return content.getvalue()


def read(
    path: Path, schema: pyarrow.Schema | None = None, columns: list[str] | None = None
) -> pyarrow.Table:
    """A table from its file.

    In this thread alone: a thread of Arrow that lets go of a Python object while the interpreter
    ends aborts the process, which happened to one of twenty programs that read and ended.

    Args:
        path: The file.
        schema: Columns that it must have, if it is a part of a study, whose points can be run
            again; any if not given.
        columns: Names of those that are read; all if not given.

    Raises:
        OutputError: It cannot be read, or has other columns.
    """
    again = "; delete it to have its points run again" if schema is not None else ""
    try:
        check_memory(path.stat().st_size, "the file")
        file = parquet.ParquetFile(
            io.BytesIO(path.read_bytes()), pre_buffer=False, page_checksum_verification=True
        )
        declared = file.metadata
        # Equal values take next to no room in the file.
        check_memory(_CELL * declared.num_rows * declared.num_columns, "the table")
        if schema is None or file.schema_arrow.equals(schema):
            table = file.read(columns, use_threads=False)
            table.validate(full=True)
            return table
        words = f"it has other columns than the study{again}"
    except InvalidInput as error:
        words = first_line(error)
    except MemoryError:  # which may be one of Arrow as well
        raise
    except (OSError, LookupError, ValueError, pyarrow.ArrowException) as error:
        known = getattr(error, "strerror", None)
        words = known or f"it is no Parquet file, or a damaged one{again}"
    raise OutputError(f"path = {str(path)!r} cannot be read: {words}")
