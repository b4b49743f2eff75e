"""Damaged and hostile run files: those of all formats, read by `load`, `view`, `plot`, `verify`."""

import contextlib
import functools
import gzip
import io
import random
import tempfile
from pathlib import Path

import h5py

import serpenoid as sp
from serpenoid import cli, plots
from tests.hostile.damage import damage

_KEPT = Path(__file__).parents[1] / "engine"
# More work than this, in steps of a link, is not done again by `verify`.
_MOST_WORK = 10**5


@functools.cache
def bases() -> list[bytes]:
    """Files of all formats, half of them in the older layout of HDF5, which has no checksums."""
    kept = sorted(_KEPT.glob("format_*/*.nc.gz"))
    found = [gzip.decompress(path.read_bytes()) for path in kept]
    return found + [_in_older_layout(content) for content in found]


def _in_older_layout(content: bytes) -> bytes:
    copied = io.BytesIO()
    with (
        h5py.File(io.BytesIO(content), "r") as source,
        h5py.File(copied, "w", libver="earliest") as target,
    ):
        for name in source:
            source.copy(name, target, name, without_attrs=name != "state")
        for name, value in source.attrs.items():
            target.attrs[name] = value
    return copied.getvalue()


def case(draw: random.Random) -> sp.Trajectory | None:
    """Load a damaged file, or give it to a command."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.nc"
        path.write_bytes(draw.choice(bases()))
        damage(draw, path, bases())
        if draw.random() < 0.6:
            return sp.load(path)
        return _commanded(draw, path)


def _commanded(draw: random.Random, path: Path) -> sp.Trajectory:
    """Give a file to a command, which is to say what `load` says of it.

    Raises:
        SerpenoidError: What `load` says.
        AssertionError: The command ends or says otherwise.
    """
    run, refusal = None, None
    try:
        run = sp.load(path)
    except sp.SerpenoidError as error:
        refusal = error
    chosen = draw.choice(["view", "plot", "verify"])
    options = {"view": ["--no-open"], "plot": [draw.choice(sorted(plots.KINDS))], "verify": []}
    if chosen == "verify" and run is not None and _work(run) > _MOST_WORK:
        return run
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = cli.invoke([chosen, str(path), *options[chosen]])
    words = said.getvalue()
    if run is None:
        assert code == 2, f"{chosen} ends with {code}, and not with 2"
        assert words == f"serpenoid: {refusal}\n", f"{chosen} says {words!r}, and not {refusal}"
        raise refusal or AssertionError
    # Some figures are not those of every run, and a run that was damaged may differ when repeated.
    allowed = {"view": {0}, "plot": {0, 2}, "verify": {0, 1, 2}}[chosen]
    assert code in allowed, f"{chosen} ends with {code} and says {words!r}"
    lines = words.splitlines()
    assert len(lines) == (code == 2), f"{chosen} ends with {code} and says {words!r}"
    return run


def _work(run: sp.Trajectory) -> float:
    return len(run.time) * run.scenario.steps_per_row * len(run.robot.links)
