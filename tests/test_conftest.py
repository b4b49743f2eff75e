"""What all tests share does what it promises."""

import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarms")
def test_a_test_out_of_time_fails_whatever_it_catches() -> None:
    with (
        pytest.raises(pytest.fail.Exception, match="takes longer than"),
        contextlib.suppress(Exception),
    ):
        signal.raise_signal(signal.SIGALRM)


@pytest.mark.parametrize("what", ["file", "link"])
def test_only_what_is_given_to_another_user_is_theirs(
    what: str, another_user: Callable[[Path], None], tmp_path: Path
) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("content")
    link.symlink_to(file)
    another_user(tmp_path / what)
    with file.open() as opened:
        assert (os.fstat(opened.fileno()).st_uid != os.geteuid()) == (what == "file")
    assert (link.lstat().st_uid != os.geteuid()) == (what == "link")
    assert (link.stat().st_uid != os.geteuid()) == (what == "file")
    assert file.stat().st_size == 7
    assert tmp_path.stat().st_uid == os.geteuid()
