"""Silence for other libraries: their logs and warnings."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator


@contextlib.contextmanager
def silenced_logger(name: str) -> Iterator[None]:
    """Silence a logger of another library."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextlib.contextmanager
def silenced_optuna() -> Iterator[None]:
    """Silence the logs and warnings of Optuna."""
    with silenced_logger("optuna"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
