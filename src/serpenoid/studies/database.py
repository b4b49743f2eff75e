"""Databases of trials, and their errors in one sentence."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import optuna
import sqlalchemy
from optuna.storages import RDBStorage

from serpenoid.errors import InvalidInput, OutputError, StudyStopped, first_line
from serpenoid.files import check_regular
from serpenoid.studies.silence import silenced_optuna

# How long to wait for others who write into the same SQLite file, and for a database, s.
_PATIENCE = 60.0


def opened(place: str | Path) -> RDBStorage:
    """Open a database.

    Args:
        place: Its URL, or a SQLite file that only this process writes.

    Raises:
        InvalidInput: If the URL cannot be used.
        OutputError: If the file cannot be used.
    """
    options: dict[str, Any] = {}
    if isinstance(place, Path):
        name, url = str(place), "sqlite:///trials.db"
        try:
            check_regular(place)
        except OSError as error:
            words = f"path = {name!r} cannot be used as a database: {error.strerror}"
            raise OutputError(words) from None
        options["creator"] = lambda: _connected(place)
    else:
        try:
            parsed, url = sqlalchemy.make_url(place), place
            name = parsed.render_as_string(hide_password=True)
            if parsed.get_backend_name() == "sqlite":
                options["connect_args"] = {"timeout": _PATIENCE}
        except (sqlalchemy.exc.ArgumentError, AttributeError, TypeError):
            raise InvalidInput(
                f"storage = {str(place)[:60]!r} is not allowed: it must be the URL of a database, "
                "such as sqlite:///trials.db or postgresql://user@host/name"
            ) from None
    try:
        with silenced_optuna():
            return RDBStorage(url, engine_kwargs=options)
    except (ImportError, sqlalchemy.exc.NoSuchModuleError):
        words = "nothing is installed that talks to this kind of database"
    except (sqlalchemy.exc.SQLAlchemyError, optuna.exceptions.OptunaError, RuntimeError) as error:
        words = _own_words(error)
    if isinstance(place, Path):
        raise OutputError(f"path = {name!r} cannot be used as a database: {words}")
    raise InvalidInput(f"storage = {name!r} is not allowed: {words}")


def _connected(file: Path) -> sqlite3.Connection:
    """A connection to a file that nobody else writes into.

    A process may be killed at any moment. After a power cut the last trials may be missing; the
    sampler chooses the same ones again.
    """
    connection = sqlite3.connect(file, timeout=_PATIENCE, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


@contextlib.contextmanager
def database_errors() -> Iterator[None]:
    """Silence Optuna, and turn errors of the database into StudyStopped."""
    try:
        with silenced_optuna():
            yield
    except (sqlalchemy.exc.SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
        raise StudyStopped(f"the database failed: {_own_words(error)}") from None


def _own_words(error: BaseException) -> str:
    """The message of the database itself, without what the libraries add."""
    cause = error.__cause__ if error.__cause__ is not None else error
    original = getattr(cause, "orig", None) or cause
    return first_line(original)
