"""A file of every format is kept, and loads; 3 was the last without a checksum, 4 without parts of
references.

Each holds 0.05 s of the gallery, written by the last version with that format: `aiko_pegs`,
`peg_forest` with solver 'hybrid', `push_box`, and `stairs` with contacts.
"""

import gzip
from pathlib import Path

import numpy as np
import pytest
import xarray

import serpenoid as sp
from serpenoid import cli
from serpenoid.engine.storage import FORMAT
from serpenoid.engine.variables import TIME, VARIABLES

FOLDER = Path(__file__).parent
GALLERY = {
    "aiko_pegs": {},
    "peg_forest_hybrid": {"solver": "hybrid"},
    "push_box": {},
    "stairs": {"record.contacts": True},
}
FORMATS = range(1, FORMAT + 1)


def unpacked(number, name, folder):
    """A file of a format."""
    path = folder / f"{name}.nc"
    path.write_bytes(gzip.decompress((FOLDER / f"format_{number}" / f"{name}.nc.gz").read_bytes()))
    return path


def known(run, number):
    """Names of the columns of a run that files of a format have."""
    return {name for name in run.columns if VARIABLES.get(name, TIME).since <= number}


@pytest.mark.parametrize("number", FORMATS)
def test_a_file_of_every_format_is_kept_and_loads(number, tmp_path):
    path = unpacked(number, "aiko_pegs", tmp_path)
    with xarray.open_dataset(path, engine="h5netcdf") as stored:
        assert stored.attrs.get("format", 1) == number
    run = sp.load(path)
    # A file of format 1 has what 2 has, under other names.
    assert run.columns_format == max(2, number)
    again = sp.load(run.save(tmp_path / "again.nc"))
    assert run.dataset.identical(again.dataset)
    assert again.state == run.state


@pytest.mark.parametrize("number", range(3, FORMAT + 1))
@pytest.mark.parametrize("name", GALLERY)
def test_what_was_saved_is_what_is_run_today(name, number, tmp_path, capsys):
    path = unpacked(number, name, tmp_path)
    run = sp.load(path)
    told = sp.Scenario.load(name.removesuffix("_hybrid"), GALLERY[name] | {"clock.duration": 0.05})
    assert run.scenario == told
    again = told.run()
    assert len(run.contacts) == len(again.contacts)
    assert len(run.events) == len(again.events)
    assert set(run.columns) == known(again, number)
    for column in ("x", "y", "theta"):
        # Machines may round differently.
        np.testing.assert_allclose(run.columns[column], again.columns[column], rtol=0, atol=1e-9)
    assert cli.invoke(["verify", str(path)]) == 0
    assert "equal" in capsys.readouterr().out


def test_logs_are_read(tmp_path):
    assert len(sp.load(unpacked(3, "stairs", tmp_path)).contacts) == 50
    assert len(sp.load(unpacked(3, "peg_forest_hybrid", tmp_path)).events) == 2
