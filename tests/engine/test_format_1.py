"""Files of format 1, written before runs kept their scenario as sections, still load.

Each holds 0.05 s, written by the last version with that format: `aiko_pegs`, `stairs` and
`push_box` of the gallery, `peg_forest` with solver 'hybrid', `aiko_pegs` continued for as long
again, and Aiko under a controller `swaying.Sway` in Python.
"""

from __future__ import annotations

import dataclasses
import gzip
from pathlib import Path

import numpy as np
import pytest
import xarray

import serpenoid as sp
from serpenoid import cli
from serpenoid.engine.storage import FORMAT
from serpenoid.engine.variables import TIME, VARIABLES
from tests.sentences import refusal

FOLDER = Path(__file__).parent / "format_1"
# The dock was shorter when the file was written.
DOCK = [[1.45, 0.5], [1.75, 0.22], [2.1, 0.22], [2.1, -0.22], [1.75, -0.22], [1.45, -0.5]]
GALLERY = {
    "aiko_pegs": {},
    "peg_forest_hybrid": {"solver": "hybrid"},
    # Links passed through each other then.
    "push_box": {"world.walls": [{"points": DOCK}], "robot.self_contact": False},
    "stairs": {},
}
TOLERANCE = 1e-9  # m and rad; machines may round differently


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Unpack a file of format 1 by name."""
    monkeypatch.chdir(tmp_path)

    def unpack(name: str) -> Path:
        path = Path(f"{name}.nc")
        path.write_bytes(gzip.decompress((FOLDER / f"{name}.nc.gz").read_bytes()))
        return path

    return unpack


def scenario(name: str, **changes) -> sp.Scenario:
    changes |= {"clock.duration": 0.05} | GALLERY[name]
    return sp.Scenario.load(name.removesuffix("_hybrid"), changes)


def assert_near(one: sp.Trajectory, other: sp.Trajectory) -> None:
    """The same columns, and the same motion to the rounding of machines."""
    old = {name for name in other.columns if VARIABLES.get(name, TIME).since <= 2}
    assert set(one.columns) == old
    names = {"time", "x", "y", "theta", "load_x", "load_y", "load_theta"} & set(one.columns)
    for name in names:
        np.testing.assert_allclose(
            one.columns[name], other.columns[name], rtol=0, atol=TOLERANCE, err_msg=name
        )


@pytest.mark.parametrize("name", GALLERY)
def test_what_was_saved_is_what_is_run_today(name, stored):
    run, told = sp.load(stored(name)), scenario(name)
    # Robot and world were spelt out, whatever the file of the scenario said.
    assert run.scenario.built == told.built
    for section in ("title", "seed", "controller", "start", "solver", "clock", "record"):
        assert getattr(run.scenario, section) == getattr(told, section), section
    assert not run.scenario.continued
    again = told.run()
    assert_near(run, again)
    for field in dataclasses.fields(sp.State):
        one, other = (getattr(each.state, field.name) for each in (run, again))
        # There were no support points.
        shape = (0, 3) if field.name == "support" else np.shape(other)
        assert np.shape(one) == shape, field.name
        assert np.asarray(one).dtype == np.asarray(other).dtype, field.name
    for axis in ("com", "theta"):
        np.testing.assert_allclose(
            getattr(run.state, axis), getattr(again.state, axis), rtol=0, atol=TOLERANCE
        )


@pytest.mark.parametrize("name", GALLERY)
def test_a_run_goes_on_from_a_saved_one(name, stored):
    whole, first = scenario(name).run(duration=0.1), sp.load(stored(name))
    rest = first.scenario.run(start=first.state)
    for column in ("x", "y", "theta"):
        np.testing.assert_allclose(
            rest.columns[column][-1], whole.columns[column][-1], rtol=0, atol=TOLERANCE
        )
    assert rest.state.step == whole.state.step == 100


def test_a_continued_run_knows_that_it_is_one(stored):
    first, second = sp.load(stored("aiko_pegs")), sp.load(stored("continued"))
    assert second.scenario.continued
    assert second.scenario.start == sp.Start()
    assert_near(second, first.scenario.run(start=first.state))


def test_a_controller_in_python_is_known_by_name(stored):
    run = sp.load(stored("python_controller"))
    assert run.scenario.controller.name == "swaying.Sway"
    words = "this run was controlled by swaying.Sway, which only Python code knows"
    assert refusal(lambda: sp.Scenario.of(run)) == words


def test_counts_of_hybrid_have_their_own_names(stored):
    run = sp.load(stored("peg_forest_hybrid"))
    assert run.columns["integrator_steps"][-1] >= 50
    assert run.columns["located_events"][-1] == len(run.events) == 2
    assert run.columns["unresolved_modes"][-1] == 0
    for name in ("iterations", "multiplier_updates", "halvings"):
        assert not run.columns[name].any(), name


@pytest.mark.parametrize("name", GALLERY)
def test_verify_repeats_them(name, stored, capsys):
    path = stored(name)
    assert cli.invoke(["verify", str(path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith((f"{path}: bitwise equal", f"{path}: equal to 1e-06 m and rad"))


def test_saved_again_they_are_of_the_format_of_today(stored, tmp_path):
    run = sp.load(stored("peg_forest_hybrid"))
    path = run.save(tmp_path / "again.nc")
    again = sp.load(path)
    assert run.dataset.identical(again.dataset)
    assert again.state == run.state
    with xarray.open_dataset(path, engine="h5netcdf") as saved:
        assert saved.attrs["format"] == FORMAT
