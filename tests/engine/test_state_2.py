"""States of version 2, written before loads stood on support points, still load.

The file holds 0.05 s of `push_box` of the gallery, written by the last version with that state.
"""

import gzip
from pathlib import Path

import numpy as np
import xarray

import serpenoid as sp

FILE = Path(__file__).parent / "state_2" / "push_box.nc.gz"


def test_a_state_of_version_2_loads_and_goes_on(tmp_path):
    path = tmp_path / "push_box.nc"
    path.write_bytes(gzip.decompress(FILE.read_bytes()))
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
