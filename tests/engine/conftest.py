"""What tests of the engine share."""

import pytest

import serpenoid as sp
from tests.engine.track import on_track


@pytest.fixture(scope="session")
def run() -> sp.Trajectory:
    """A second on the peg track."""
    return on_track(1.0, seed=7)
