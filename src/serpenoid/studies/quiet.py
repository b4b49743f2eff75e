"""Other people's libraries kept quiet: what goes wrong is said by us, in one sentence."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator


@contextlib.contextmanager
def silent(name: str) -> Iterator[None]:
    """Let a logger say nothing."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextlib.contextmanager
def quiet_optuna() -> Iterator[None]:
    """Let Optuna neither log nor warn, of what is told twice after a kill for instance."""
    with silent("optuna"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
