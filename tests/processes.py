"""Programs that tests start: in a group of their own, of which nothing is left at the end."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def started(*command: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A program with pipes for its output; it and all that it started are killed at the end."""
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    ) as process:
        try:
            yield process
        finally:
            kill_group(process.pid)


def serpenoid(*arguments: str, **options: Any) -> Any:
    """The command line as a program of its own."""
    return started(sys.executable, "-m", "serpenoid", *arguments, **options)


def kill_group(group: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to all processes of a group, if there are any."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


def kill(process: int) -> None:
    """Kill a process, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def workers(group: int) -> list[int]:
    """The worker processes of a group."""
    found = []
    for process in members(group):
        with contextlib.suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes():
                found.append(process)
    return found


def members(group: int) -> list[int]:
    """The processes of a group that run, from /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, of_group = entry.read_text().rpartition(")")[2].split()[:3]
            if int(of_group) == group and state != "Z":
                found.append(int(entry.parent.name))
    return found
