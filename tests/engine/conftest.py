"""What tests of the engine share."""

import pytest

import serpenoid as sp
from tests.engine.track import on_track


@pytest.fixture(scope="session")
def run() -> sp.Trajectory:
    """A second on the peg track."""
    return on_track(1.0, seed=7)


@pytest.fixture(scope="session")
def saved(tmp_path_factory) -> tuple[sp.Trajectory, bytes]:
    """A tenth of a second on the peg track, and the content of its file."""
    run = on_track(0.1)
    return run, run.save(tmp_path_factory.mktemp("saved") / "run.nc").read_bytes()


@pytest.fixture
def old(saved, tmp_path) -> sp.Trajectory:
    """A run that is in run.nc."""
    run, content = saved
    (tmp_path / "run.nc").write_bytes(content)
    return run
