"""Runs in files: written whole or not at all, read back to the bit, refused if they are no runs."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import h5netcdf
import numpy as np
import pytest
import xarray

import serpenoid as sp
from serpenoid import cli
from serpenoid.engine import storage
from serpenoid.engine.old_formats import CHECKED_SINCE
from serpenoid.engine.run_file import DAMAGED
from serpenoid.engine.storage import FORMAT
from serpenoid.engine.variables import VARIABLES, Variable
from serpenoid.kernels import layout
from tests.engine.track import GAIT, assert_same, on_track
from tests.sentences import refusal

ALL_LAWS = sp.World(
    friction=sp.DirectionalCoulomb(0.1, 0.2, 0.3) + sp.SpinCoulomb(0.1, 0.02) + sp.Viscous(1, 2),
    pegs=[sp.Peg(0.0, 0.5, 0.1, contact=sp.Contact(0.2, 0.1))],
    walls=[sp.Wall(((-1.0, -0.5), (1.0, -0.5)))],
    patches=[sp.Patch(0.1, 0.2, 0.3, 0.4, None, 15.0), sp.Patch(0, 0, 1, 1, sp.Coulomb(0.1))],
    slope_deg=5.0,
)
MIXED = sp.Robot.uniform(
    5,
    length=[0.1, 0.12, 0.1, 0.1, 0.1],
    mass=0.5,
    radius=0.03,
    actuator=[sp.Servo(5.0, 0.1, 2.0, 1.0), sp.Torque(limit=3.0), sp.Prescribed(), sp.Free()],
    name="of all sorts",
)


@pytest.mark.parametrize("controller", [GAIT, None], ids=["gait", "nothing"])
def test_saved_and_loaded_is_the_same(tmp_path, controller):
    run = sp.simulate(MIXED, ALL_LAWS, controller, 0.2)
    loaded = sp.load(run.save(tmp_path / "run.nc"))
    assert_same(run, loaded)
    assert loaded.scenario == run.scenario
    assert loaded.attributes == run.attributes
    assert loaded.robot == MIXED
    assert loaded.world == ALL_LAWS
    assert run.dataset.identical(loaded.dataset)


def test_one_link_can_be_saved(tmp_path):
    puck = sp.Robot.uniform(1, length=0.1, mass=1.0, radius=0.05)
    run = sp.simulate(puck, duration=0.1, start=sp.Start(velocity=(1.0, 0.0)))
    assert_same(run, sp.load(run.save(tmp_path / "puck.nc")))


def test_file_is_plain_netcdf(tmp_path, run):
    run.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="h5netcdf") as stored:
        assert stored["joint_torque"].attrs["units"] == "N m"
        np.testing.assert_array_equal(stored["x"], run.columns["x"])


# ------------------------------------------------------------------------------------- writing


def test_path_may_be_a_string_and_a_file_is_replaced(tmp_path, run, old):
    path = tmp_path / "run.nc"
    assert run.save(str(path)) == path
    assert_same(sp.load(str(path)), run)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_a_link_is_followed(tmp_path, run):
    real, link = tmp_path / "real.nc", tmp_path / "link.nc"
    real.touch()
    link.symlink_to(real)
    run.save(link)
    assert link.is_symlink()
    assert sp.load(real).state == run.state


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("missing/run.nc", "No such file or directory"),
        ("folder.nc", "it is not a file"),
        ("/proc/run.nc", "No such file or directory"),
    ],
)
def test_places_that_cannot_be_written_are_named(tmp_path, run, place, why):
    (tmp_path / "folder.nc").mkdir()
    path = tmp_path / place
    words = f"path = {str(path)!r} cannot be written: {why}"
    assert refusal(lambda: run.save(path), sp.OutputError) == words
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder.nc"]


def test_failed_writing_leaves_the_old_file_whole(tmp_path, run, old, monkeypatch):
    def full_disk(self, content):
        with self.open("wb") as file:
            file.write(content[:100])
        raise OSError(28, "No space left on device")

    path = tmp_path / "run.nc"
    monkeypatch.setattr(Path, "write_bytes", full_disk)
    words = f"path = '{path}' cannot be written: No space left on device"
    assert refusal(lambda: run.save(path), sp.OutputError) == words
    monkeypatch.undo()
    assert_same(sp.load(path), old)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_interrupted_writing_leaves_the_old_file_whole(tmp_path, run, old, monkeypatch):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(h5netcdf.File, "create_group", stop)
    with pytest.raises(KeyboardInterrupt):
        run.save(tmp_path / "run.nc")
    monkeypatch.undo()
    assert_same(sp.load(tmp_path / "run.nc"), old)
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_what_killed_processes_have_left_is_removed(tmp_path, run):
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    dead, living, foreign = (
        tmp_path / f".other.nc.{host}-{process}-0a1b2c3d.part"
        for host, process in [
            (platform.node(), ended.pid),
            (platform.node(), os.getpid()),
            ("elsewhere", ended.pid),
        ]
    )
    for file in (dead, living, foreign):
        file.touch()
    run.save(tmp_path / "run.nc")
    assert set(tmp_path.iterdir()) == {living, foreign, tmp_path / "run.nc"}


# ------------------------------------------------------------------------------------- reading


def write(path: Path, data: xarray.Dataset, state: xarray.Dataset | None = None) -> None:
    data.to_netcdf(path, engine="h5netcdf")
    if state is not None:
        state.to_netcdf(path, engine="h5netcdf", mode="a", group="state")


def test_a_file_is_as_xarray_writes_it(tmp_path, run):
    run.save(tmp_path / "ours.nc")
    with xarray.open_dataset(tmp_path / "ours.nc", engine="h5netcdf", group="state") as state:
        fields = {name: getattr(run.state, str(name)) for name in state}
        theirs = {name: (state[name].dims, values) for name, values in fields.items()}
    with xarray.open_dataset(tmp_path / "ours.nc", engine="h5netcdf") as stored:
        checked = stored.attrs["checksum"]
    data = run.dataset.assign_attrs(format=FORMAT, checksum=checked)
    write(
        tmp_path / "theirs.nc", data, xarray.Dataset(theirs, attrs={"version": run.state.VERSION})
    )
    for group in (None, "state"):
        ours, other = (
            xarray.load_dataset(tmp_path / name, engine="h5netcdf", group=group)
            for name in ("ours.nc", "theirs.nc")
        )
        assert ours.identical(other)
        for name in ours.variables:
            for key in ("dtype", "_FillValue"):
                found, wanted = ours[name].encoding.get(key), other[name].encoding.get(key)
                assert str(found) == str(wanted)


def test_nothing_that_takes_long_is_imported_to_save(tmp_path):
    code = (
        "import sys, serpenoid as sp\n"
        f"sp.simulate(sp.robots.aiko(), duration=0.01).save({str(tmp_path / 'run.nc')!r})\n"
        "print(sorted({'xarray', 'pandas', 'dask', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def write_half(path, run):
    run.save(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


FOREIGN = xarray.Dataset({"x": ("time", [1.0, 2.0])})


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda *_: None, "No such file or directory"),
        (lambda path, _: path.mkdir(), "it is not a file"),
        (lambda path, _: path.write_text("not a run"), DAMAGED),
        (lambda path, _: path.touch(), DAMAGED),
        (write_half, DAMAGED),
        (lambda path, run: write(path, run.dataset.assign_attrs(format=FORMAT)), "it has no state"),
        (lambda path, _: write(path, FOREIGN, FOREIGN), "it has no scenario"),
    ],
    ids=["nothing", "folder", "text", "empty", "half", "stateless", "foreign"],
)
def test_what_is_no_run_is_refused(tmp_path, run, make, why):
    path = tmp_path / "other.nc"
    make(path, run)
    words = f"path = '{path}' cannot be read as a run: {why}"
    assert refusal(lambda: sp.load(path), sp.OutputError) == words


def with_column(name, value):
    def change(data):
        values = data[name].values.copy()
        values[3] = value
        return data.assign({name: (data[name].dims, values)})

    return change


def with_scenario(**sections):
    def change(data):
        told = json.loads(data.attrs["scenario"]) | sections
        return data.assign_attrs(scenario=json.dumps(told))

    return change


def with_events(*shape):
    dims = ("event", "more")[: len(shape)]
    names = ("event_time", "event_kind", "event_link", "event_peg")
    return lambda data: data.assign({name: (dims, np.ones(shape)) for name in names})


REBUILT = "its scenario cannot be rebuilt: {}; if it has a law of your own, import that first"
BEYOND = FORMAT + 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data: data.drop_vars("omega"), "it has no omega"),
        (
            lambda data: data.assign_attrs(format=BEYOND),
            f"format = {BEYOND} is not allowed: it must be a whole number from 1 to {FORMAT}; "
            "later versions of serpenoid may write larger ones",
        ),
        (lambda data: data.assign_attrs(scenario="[]"), "its scenario is no table"),
        (
            with_scenario(seed=-1),
            REBUILT.format("seed = -1 is not allowed: it must be at least 0"),
        ),
        (lambda data: data.isel(link=slice(9)), "x has the shape (11, 9); it must be (11, 11)"),
        (with_column("x", np.nan), "x[3, 0] = nan is not allowed: it must be a finite number"),
        (with_column("time", 0.0), "time does not increase"),
        (with_events(3, 2), "event_time has the shape (3, 2); it must be (any,)"),
    ],
    ids=["column", "format", "list", "seed", "links", "nan", "time", "events"],
)
def test_a_run_with_something_wrong_is_refused(tmp_path, old, change, why):
    path = tmp_path / "run.nc"
    with (
        xarray.open_dataset(path, engine="h5netcdf") as stored,
        xarray.open_dataset(path, engine="h5netcdf", group="state") as state,
    ):
        data, ended = stored.load(), state.load()
    # Up to this format, files had no checksum, which would be the first to differ.
    write(path, change(data.assign_attrs(format=CHECKED_SINCE - 1)), ended)
    words = f"path = '{path}' cannot be read as a run: {why}"
    assert refusal(lambda: sp.load(path), sp.OutputError) == words


def test_events_that_are_no_numbers_are_refused(tmp_path, run):
    events = np.array([[0.1, 1.0, 0.0, 3.0], [0.2, 2.0, np.nan, 3.0]])
    path = dataclasses.replace(run, events=events).save(tmp_path / "run.nc")
    assert refusal(lambda: sp.load(path), sp.OutputError).endswith(
        "events[1, 2] = nan is not allowed: it must be a finite number"
    )


# ------------------------------------------------------------------- files of the format before


LATER = "added_later"


@pytest.fixture
def next_format(monkeypatch):
    """Call it to go on as the version with the next format, which records another column."""

    def go_on(source: str = "certificate", index: int = layout.ITERATIONS) -> None:
        new = Variable(LATER, "1", ("time",), "what is new", source, index, since=FORMAT + 1)
        monkeypatch.setitem(VARIABLES, LATER, new)
        monkeypatch.setattr(storage, "FORMAT", FORMAT + 1)

    return go_on


SHORT = {"clock.duration": 0.05}


@pytest.mark.parametrize(
    ("source", "index"), [("certificate", layout.ITERATIONS), ("ledger", layout.ROTOR)]
)
def test_a_column_that_came_later_is_no_difference(tmp_path, capsys, next_format, source, index):
    path = sp.Scenario.load("aiko_pegs", SHORT).run().save(tmp_path / "run.nc")
    next_format(source, index)
    assert LATER in sp.Scenario.load("aiko_pegs", SHORT).run().columns
    assert LATER not in sp.load(path).columns
    assert cli.invoke(["verify", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: bitwise equal\n"


def test_a_run_without_later_columns_can_be_saved_again(tmp_path, capsys, next_format):
    first = sp.Scenario.load("aiko_pegs", SHORT).run().save(tmp_path / "first.nc")
    next_format()
    second = sp.load(first).save(tmp_path / "second.nc")
    assert_same(sp.load(first), sp.load(second))
    assert sp.load(second).attributes == sp.load(first).attributes
    assert cli.invoke(["verify", str(second)]) == 0
    assert capsys.readouterr().out == f"{second}: bitwise equal\n"
    third = on_track(0.1).save(tmp_path / "third.nc")
    assert LATER in sp.load(third).columns


def test_a_ledger_without_later_entries_is_filled_with_zeros(tmp_path, old, next_format):
    path = tmp_path / "run.nc"
    state = dataclasses.replace(old.state, ledger=old.state.ledger[:-1])
    dataclasses.replace(old, state=state).save(path)
    with pytest.raises(sp.OutputError, match=r"state\.ledger has the shape \(11,\); it must be"):
        sp.load(path)
    next_format("ledger", layout.ROTOR)
    filled = sp.load(path).state
    # The entry is that of rotors, of which this robot has none.
    assert filled == old.state
    assert filled.ledger[-1] == 0.0
    longer = sp.simulate(sp.robots.aiko(), old.world, GAIT, 0.1, start=filled)
    assert_same(longer, on_track(0.1, start=old.state))
