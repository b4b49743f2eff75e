"""The folder of compiled kernels."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from serpenoid.kernels import _store


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("SERPENOID_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_is_kept_is_found(place):
    assert _store.read("a-1") is None
    _store.write("a-1", b"code")
    assert _store.read("a-1") == b"code"
    assert _store.holds("a")
    assert not _store.holds("b")
    assert len(list(place.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"short", bytes(40)])
def test_a_damaged_file_is_named_and_not_read(damage, place, capsys):
    _store.write(f"a-{len(damage)}", b"code")
    (file,) = place.iterdir()
    file.write_bytes(damage)
    for _ in range(2):
        assert _store.read(f"a-{len(damage)}") is None
    assert capsys.readouterr().err.count("compiling again") == 1


def test_old_files_make_room_for_new_ones(place, monkeypatch):
    monkeypatch.setattr(_store, "_MOST", 3)
    now = time.time()
    for name, age in [("used", 59), ("unused", 61), ("unfinished-x", 1), ("not_ours.txt", 900)]:
        place.mkdir(exist_ok=True)
        file = place / (name if "." in name else name + ".kernel")
        file.write_bytes(b"")
        os.utime(file, (now - age * 86400.0,) * 2)
    _store.write("new", b"code")
    assert {file.name for file in place.iterdir()} == {"used.kernel", "new.kernel", "not_ours.txt"}
    for name in ("newer", "newest"):
        _store.write(name, b"code")
    assert not (place / "used.kernel").exists()


def test_reading_a_file_keeps_it_young(place):
    _store.write("a", b"code")
    (file,) = place.iterdir()
    os.utime(file, (0.0, 0.0))
    _store.read("a")
    assert file.stat().st_mtime > 1e9


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SERPENOID_CACHE_DIR", str(tmp_path / "file" / "cache"))
    _store.write("a", b"code")
    assert _store.read("a") is None
    assert not _store.holds("a")


def test_places_in_their_order(tmp_path, monkeypatch):
    monkeypatch.delenv("SERPENOID_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert _store.folder() == tmp_path / "serpenoid"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert _store.folder() == tmp_path / ".cache" / "serpenoid"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners of files")
def test_without_a_home_only_an_own_temporary_folder_will_do(tmp_path, monkeypatch):
    def homeless():
        raise RuntimeError

    monkeypatch.delenv("SERPENOID_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    place = tmp_path / f"serpenoid-{os.geteuid()}"
    assert _store.folder() == place
    place.chmod(0o777)
    assert _store.folder() is None
    place.rmdir()
    place.symlink_to(tmp_path)
    assert _store.folder() is None
