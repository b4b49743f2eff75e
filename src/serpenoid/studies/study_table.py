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
from typing import TYPE_CHECKING, Any

from serpenoid._version import __version__
from serpenoid.errors import OutputError, first_line
from serpenoid.studies.metrics import CERTIFICATE, METRICS
from serpenoid.studies.optimisation import Optimisation
from serpenoid.studies.point_runner import Row
from serpenoid.studies.sampling import Value
from serpenoid.studies.study import Study, StudyBase

if TYPE_CHECKING:
    import pyarrow


def point_schema(study: Study) -> pyarrow.Schema:
    """Columns with type, unit and meaning; they depend on the study alone."""
    import pyarrow

    points = zip(*study.points, strict=True)
    return pyarrow.schema(
        [
            pyarrow.field("point", pyarrow.int64()),
            *_parameter_fields(dict(zip(study.parameters, points, strict=True))),
            *_measured_fields(study),
            pyarrow.field("error", pyarrow.string()),
        ],
        _about(study),
    )


def trial_schema(study: Optimisation) -> pyarrow.Schema:
    """The columns of an optimisation, a row for every trial."""
    import pyarrow

    truth, text = pyarrow.bool_(), pyarrow.string()
    kinds: dict[str, tuple[Value, ...]] = {
        key: parameter.values or ((0,) if parameter.integer else (0.0,))
        for key, parameter in study.parameters.items()
    }
    return pyarrow.schema(
        [
            pyarrow.field("trial", pyarrow.int64()),
            *_parameter_fields(kinds),
            *_measured_fields(study),
            *(
                _number_field(bound.text, METRICS[bound.metric].unit, "how far it is broken")
                for bound in study.optimise.bounds
            ),
            _number_field("reached", "s", "simulated time, less if the run was ended early"),
            pyarrow.field("state", text),
            pyarrow.field("feasible", truth),
            pyarrow.field("best", truth),
            pyarrow.field("error", text),
        ],
        _about(study),
    )


def _parameter_fields(values: Mapping[str, Iterable[Value]]) -> list[pyarrow.Field]:
    """A column for each parameter, given all values it can take."""
    import pyarrow

    return [
        pyarrow.field(key, _column_type({type(value) for value in each}))
        for key, each in values.items()
    ]


def _measured_fields(study: StudyBase) -> list[pyarrow.Field]:
    """Metrics, certificate and seed."""
    import pyarrow

    measured = {name: (METRICS[name].unit, METRICS[name].words) for name in study.measured}
    fields = [
        _number_field(name, unit, words) for name, (unit, words) in (measured | CERTIFICATE).items()
    ]
    if "seed" not in study.parameters:
        fields.append(pyarrow.field("seed", pyarrow.int64()))
    return fields


def _number_field(name: str, unit: str, words: str) -> pyarrow.Field:
    """A column of numbers with their unit and meaning."""
    import pyarrow

    return pyarrow.field(name, pyarrow.float64(), metadata={"unit": unit, "long_name": words})


def _about(study: StudyBase) -> dict[str, str]:
    """Metadata of a table."""
    return {"serpenoid_version": __version__, "study": json.dumps(study.plain())}


def _column_type(kinds: set[type]) -> pyarrow.DataType:
    """Whole numbers, numbers, truth values or text, whichever holds all values of a parameter."""
    import pyarrow

    if kinds == {bool}:
        return pyarrow.bool_()
    if kinds == {int}:
        return pyarrow.int64()
    return pyarrow.float64() if kinds <= {int, float} else pyarrow.string()


def filled(columns: pyarrow.Schema, rows: Sequence[Row]) -> pyarrow.Table:
    """Rows as a table; what is no text where text is wanted is spelt as JSON."""
    import pyarrow

    texts = [field.name for field in columns if field.type == pyarrow.string()]
    complete = [row | {name: _text(row.get(name)) for name in texts} for row in rows]
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
        words = getattr(error, "strerror", None) or first_line(error)
        raise OutputError(
            f"path = {str(path)!r} cannot be read: {words}; delete it to have its points run again"
        ) from None
