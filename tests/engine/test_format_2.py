"""Files of format 2, written before contacts were recorded, still load.

Each holds 0.05 s of a scenario of the gallery, written by the last version with that format.
"""

import gzip
from pathlib import Path

import numpy as np
import pytest
import xarray

import serpenoid as sp
from serpenoid import cli
from serpenoid.engine.storage import FORMAT

FOLDER = Path(__file__).parent / "format_2"
NAMES = ("aiko_pegs", "push_box")


@pytest.fixture(params=NAMES)
def stored(request, tmp_path):
    """A file of format 2."""
    path = tmp_path / f"{request.param}.nc"
    path.write_bytes(gzip.decompress((FOLDER / f"{request.param}.nc.gz").read_bytes()))
    return path


def test_it_loads_without_contacts_and_is_repeated(stored, capsys):
    run = sp.load(stored)
    assert len(run.contacts) == 0
    assert not run.scenario.record.contacts
    again = sp.Scenario.load(stored.stem, {"clock.duration": 0.05}).run()
    for name in ("x", "y", "theta"):
        # Machines may round differently.
        np.testing.assert_allclose(run.columns[name], again.columns[name], rtol=0, atol=1e-9)
    assert cli.invoke(["verify", str(stored)]) == 0
    assert "equal" in capsys.readouterr().out


def test_a_run_goes_on_from_it_with_contacts(stored):
    run = sp.load(stored)
    more = run.scenario.changed({"record.contacts": True}).run(start=run.state, duration=0.3)
    pushed = np.hypot(*np.moveaxis(more.columns["contact_force"], -1, 0)).sum()
    assert (len(more.contacts) > 0) == (pushed > 0)


def test_saved_again_it_is_of_the_format_of_today(stored, tmp_path):
    run = sp.load(stored)
    path = run.save(tmp_path / "again.nc")
    assert run.dataset.identical(sp.load(path).dataset)
    with xarray.open_dataset(path, engine="h5netcdf") as saved:
        assert saved.attrs["format"] == FORMAT
