"""Files of format 2 still load.

They were written before contacts were recorded, links could touch each other and loads stood on
support points. Each holds 0.05 s of the gallery, by the last version with that format.
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


def unpacked(name, folder):
    """A file of format 2."""
    path = folder / f"{name}.nc"
    path.write_bytes(gzip.decompress((FOLDER / f"{name}.nc.gz").read_bytes()))
    return path


@pytest.fixture(params=NAMES)
def stored(request, tmp_path):
    """Each file in turn."""
    return unpacked(request.param, tmp_path)


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


def test_links_pass_through_each_other(tmp_path):
    run = sp.load(unpacked("wheeled_snake", tmp_path))
    assert run.robot.self_contact is False
    assert sp.Scenario.load("wheeled_snake").built[0].self_contact is True
    again = sp.Scenario.of(run).run()
    np.testing.assert_allclose(again.columns["x"], run.columns["x"], rtol=0, atol=1e-9)
    after = run.scenario.run(duration=0.05, start=run.state)
    assert after.robot.self_contact is False
    assert sp.load(after.save(tmp_path / "after.nc")).scenario == after.scenario


def test_a_state_without_support_points_goes_on(tmp_path):
    path = unpacked("push_box", tmp_path)
    with xarray.open_dataset(path, engine="h5netcdf", group="state") as state:
        assert state.attrs["version"] == 2
        assert state["load"].shape == (1, 13)
    run = sp.load(path)
    assert run.state.load.shape == (1, 10)
    assert run.state.support.shape == (0, 3)
    pose = [run.columns[f"load_{name}"][-1, 0] for name in ("x", "y", "theta", "vx", "vy", "omega")]
    np.testing.assert_array_equal(run.state.load[0, :6], pose)
    # Nothing touches the box so early, and the robot stands on wheels.
    whole = run.scenario.run(duration=0.1)
    rest = run.scenario.run(start=run.state)
    np.testing.assert_allclose(rest.columns["x"][-1], whole.columns["x"][-1], rtol=0, atol=1e-9)
    assert rest.state.support.shape == (4, 3)
    again = sp.load(run.save(tmp_path / "again.nc"))
    assert again.state == run.state
