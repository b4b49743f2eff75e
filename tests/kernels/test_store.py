"""The folder of compiled kernels."""

import os
import stat
import tempfile
import time
from pathlib import Path

import pytest

from serpenoid.kernels import _private, _store


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
    (file,) = place.iterdir()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


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
    place.mkdir()
    place.chmod(0o777)
    assert _store.folder() is None


def test_nothing_is_read_from_a_folder_that_others_can_write(place, capsys):
    _store.write("a-1", b"code")
    for mode in (0o777, 0o702, 0o1777):
        place.chmod(mode)
        assert _store.read("a-1") is None
        assert not _store.holds("a")
        _store.write("a-2", b"more")
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 3
    assert said[0] == (
        f"serpenoid: compiled code is not kept in {place}, because others can write there ({place} "
        f"belongs to user {place.stat().st_uid}, mode 777); set SERPENOID_CACHE_DIR to a folder "
        "that only you can write"
    )
    place.chmod(0o700)
    assert _store.read("a-1") == b"code"
    assert _store.read("a-2") is None


def test_nor_below_one_unless_that_is_sticky(place):
    _store.write("a", b"code")
    place.parent.chmod(0o777)
    assert _store.folder() is None
    place.parent.chmod(0o1777)
    assert _store.read("a") == b"code"


def test_a_file_that_others_can_write_is_named_and_not_read(place, capsys):
    _store.write("b-1", b"code")
    (file,) = place.iterdir()
    file.chmod(0o646)
    assert _store.read("b-1") is None
    assert "(others can write it); compiling again" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["file", "folder", "parent", "link"])
def test_what_belongs_to_another_user_is_not_used(what, place, another_user, monkeypatch):
    _store.write("a", b"code")
    (file,) = place.iterdir()
    link = place.parent / "link"
    link.symlink_to(place)
    monkeypatch.setenv("SERPENOID_CACHE_DIR", str(link))
    assert _store.read("a") == b"code"
    another_user({"file": file, "folder": place, "parent": place.parent, "link": link}[what])
    assert _store.read("a") is None


def test_a_group_of_the_user_alone_is_no_other(place, monkeypatch):
    pytest.importorskip("grp")
    _store.write("a", b"code")
    place.chmod(0o770)
    for alone in (True, False):
        monkeypatch.setattr(_private, "_is_of_user_alone", lambda _group, alone=alone: alone)
        assert (_store.read("a") is not None) is alone
