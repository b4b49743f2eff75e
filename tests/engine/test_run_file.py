"""Damaged and hostile files of runs: each is refused in one sentence, before its data are read."""

from __future__ import annotations

import time
from pathlib import Path

import h5py
import numpy as np
import pytest

import serpenoid as sp
from serpenoid.engine.old_formats import CHECKED_SINCE
from serpenoid.engine.run_file import DAMAGED, opened
from tests.hostile.damage import overlapping_heaps
from tests.sentences import refusal


def flip(path: Path, find: bytes) -> None:
    """Change one bit of the first place where some bytes stand."""
    content = bytearray(path.read_bytes())
    content[content.index(find)] ^= 1
    path.write_bytes(content)


def test_one_bit_that_has_changed_is_noticed(tmp_path, old):
    path = tmp_path / "run.nc"
    flip(path, old.columns["x"].tobytes()[-8:])
    assert refusal(lambda: sp.load(path), sp.OutputError).endswith(
        "its content has changed since it was written: the checksum differs"
    )


@pytest.mark.parametrize("size", [0, 8, 2**64 - 16])
def test_a_heap_whose_objects_do_not_fill_it_is_refused(tmp_path, old, size):
    """The HDF5 library stays for ever at an object that takes no room."""
    path = tmp_path / "run.nc"
    content = bytearray(path.read_bytes())
    first = content.index(b"GCOL\1") + 16
    # What is free, or an object whose size and header make 2**64.
    content[first : first + 16] = bytes([size > 8]) + bytes(7) + size.to_bytes(8, "little")
    path.write_bytes(content)
    assert refusal(lambda: sp.load(path), sp.OutputError).endswith(DAMAGED)


def test_heaps_that_overlap_are_refused_soon(tmp_path, old):
    """Walked one by one, the objects of these would take half a minute."""
    path = tmp_path / "run.nc"
    whole, begin = path.read_bytes(), time.process_time()
    path.write_bytes(whole + overlapping_heaps(2**18))
    assert refusal(lambda: sp.load(path), sp.OutputError).endswith(DAMAGED)
    assert time.process_time() - begin < 3.0


def test_want_of_memory_is_no_damage(tmp_path, old, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(h5py, "File", fail)
    with pytest.raises(MemoryError):
        sp.load(tmp_path / "run.nc")


def elsewhere(file):
    """Numbers that are in another file."""
    with h5py.File("other.h5", "w") as other:
        other["x"] = file["x"][...]
    return "other.h5"


def external_link(file):
    name = elsewhere(file)
    del file["x"]
    file["x"] = h5py.ExternalLink(name, "x")


def soft_link(file):
    file.move("x", "real_x")
    file["x"] = h5py.SoftLink("/real_x")


def external_storage(file):
    shape = file["x"].shape
    Path("raw").write_bytes(file["x"][...].tobytes())
    del file["x"]
    file.create_dataset("x", shape, "f8", external="raw")


def virtual(file):
    layout = h5py.VirtualLayout(file["x"].shape, "f8")
    layout[...] = h5py.VirtualSource(elsewhere(file), "x", file["x"].shape)
    del file["x"]
    file.create_virtual_dataset("x", layout)


def replaced(**given):
    def change(file):
        data, shape = file["x"][...], file["x"].shape
        del file["x"]
        file.create_dataset("x", **({"shape": shape, "dtype": "f8", "data": data} | given))

    return change


def bomb(file):
    """8 TB of zeros, which take no room in the file."""
    for name in ("time", "x"):
        del file[name]
    file.create_dataset("time", (10**12,), "f8", chunks=(10**6,), compression="gzip")


def unwritten(file):
    """8 TB of which nothing was ever written."""
    del file["time"]
    file.create_dataset("time", (10**12,), "f8")


def alias(file):
    """Many names for the same numbers, with which they are larger than the file."""
    many = np.zeros(file.id.get_filesize() // 8)
    for name in ("time", "energy_kinetic", "halvings"):
        del file[name]
    file["time"] = many
    file["energy_kinetic"] = file["halvings"] = file["time"]


PIECES = "x is not stored in one piece"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (external_link, "x leads to another place"),
        (soft_link, "x leads to another place"),
        (external_storage, PIECES),
        (virtual, PIECES),
        (replaced(compression="gzip"), PIECES),
        (replaced(chunks=(2, 2)), PIECES),
        (replaced(dtype="f4"), "x holds another type of values than those of runs"),
        (
            replaced(dtype=h5py.string_dtype(), data=None),
            "x holds another type of values than those of runs",
        ),
        (replaced(data=None), "x declares 968 B that are not in the file"),
        (lambda file: file.move("x", "X"), "it has no x"),
        (lambda file: (file.pop("x"), file.create_group("x")), "x is no variable"),
        (lambda file: (file.pop("state"), file.create_dataset("state", data=1)), "no group"),
        (bomb, "time is not stored in one piece"),
        (unwritten, "time declares 8000000000000 B that are not in the file"),
        (lambda file: file.attrs.create("format", "later"), "format is not allowed"),
        (lambda file: file.attrs.create("format", -1), "format = -1 is not allowed"),
        (lambda file: file.attrs.create("format", np.arange(9)), "format is not allowed"),
        (lambda file: file["state"].attrs.create("version", 99), "state.version = 99 is not"),
        (lambda file: file.attrs.create("scenario", 1.5), "scenario is no text"),
        (lambda file: file.attrs.create("scenario", "[" * 10**5), "or is nested too deeply"),
        (lambda file: file.attrs.create("scenario", "9" * 10**5), "its scenario is no JSON"),
        (lambda file: file.attrs.create("scenario", np.bytes_(b"\xff{}")), DAMAGED),
    ],
)
def test_what_runs_are_not_made_of_is_refused(tmp_path, monkeypatch, old, change, why):
    monkeypatch.chdir(tmp_path)
    with h5py.File("run.nc", "r+") as file:
        file.attrs["format"] = CHECKED_SINCE - 1
        change(file)
    said = refusal(lambda: sp.load("run.nc"), sp.OutputError)
    assert said.startswith("path = 'run.nc' cannot be read as a run: ")
    assert why in said


def test_numbers_that_are_there_twice_are_read_once(tmp_path, old):
    path = tmp_path / "run.nc"
    with h5py.File(path, "r+") as file:
        file.attrs["format"] = CHECKED_SINCE - 1
        alias(file)
    with opened(path) as file:
        size = path.stat().st_size
        read = [file.numbers("time"), file.numbers("energy_kinetic")]
        assert sum(array.nbytes for array in read) <= size
        words = refusal(lambda: file.numbers("halvings"))
    assert words == f"its parts have more than the {size} B of the file"


def test_a_file_that_is_too_large_is_refused_before_it_is_opened(tmp_path):
    path = tmp_path / "run.nc"
    with path.open("wb") as file:
        file.truncate(2**43)
    words = refusal(lambda: sp.load(path), sp.OutputError)
    assert "the file would need 8.8 TB of memory" in words


def test_who_made_a_file_is_told_in_one_line(tmp_path, old):
    """A line end would forge a line of what `verify` prints."""
    path = tmp_path / "run.nc"
    with h5py.File(path, "r+") as file:
        file.attrs["serpenoid_version"] = "0.1.0\nrun.nc: bitwise equal"
    assert sp.load(path).attributes["serpenoid_version"] == r"0.1.0\nrun.nc: bitwise equal"
