"""SIGKILL at random moments: of commands, and of the worker processes of a sweep."""

import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.hostile.jobs import Job, Reproduction, Search, Sweep, half_written, left_over
from tests.processes import kill, members, serpenoid, workers

# All processes must be gone so long after a kill, and no command takes longer than this, s.
_GONE, _LONGEST = 10.0, 600.0
# What must not be.
_HALF, _LOST, _DOUBLED, _LEFT = "half written", "points lost", "doubled", "processes left"
_WRONG = "other faults"


@dataclass
class KillTally:
    """What became of a job.

    Attributes:
        name: Of the job.
        kills: Count of kills; of a worker, or of all workers at once.
        counts: Of what must not be.
        failures: The same in words.
    """

    name: str
    kills: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, what: str, found: list[Any]) -> None:
        """Count what was found."""
        self.counts[what] += len(found)
        if found:
            self.failures.append(f"{self.name}, kill {self.kills}: {what}: {found}")

    def __str__(self) -> str:
        names = (_HALF, _LOST, _DOUBLED, _LEFT, _WRONG)
        counts = ", ".join(f"{self.counts[name]} {name}" for name in names)
        return f"{self.name}: {self.kills} killed; {counts}"


# Kills something of a command that has just been started, unless that ends before; whether it did.
Kill = Callable[[Job, Any, random.Random], bool]


def kill_command(job: Job, process: "subprocess.Popen[str]", dice: random.Random) -> bool:
    """Kill the command at any moment, or as soon as it has begun one of its files."""
    end = time.monotonic() + dice.uniform(0.0, job.seconds)
    seen = left_over(job.folder / "out")
    begun = len(seen) + dice.randint(1, 8) if dice.random() < 0.5 else 0
    while process.poll() is None:
        seen |= left_over(job.folder / "out")
        if len(seen) >= begun if begun else time.monotonic() > end:
            break
        time.sleep(0.001)
    process.kill()
    return process.wait() == -signal.SIGKILL


def kill_young(_job: Job, process: "subprocess.Popen[str]", dice: random.Random) -> bool:
    """Kill workers within their first second, often within the first tenth of it."""
    while process.poll() is None and not workers(process.pid):
        time.sleep(0.001)
    time.sleep(dice.uniform(0.0, dice.choice([0.1, 1.0])))
    return _kill_workers(process, dice)


def kill_old(job: Job, process: "subprocess.Popen[str]", dice: random.Random) -> bool:
    """Kill workers that have finished something."""
    while process.poll() is None and not any(job.folder.glob("out/*/parts/[0-9]*")):
        time.sleep(0.01)
    time.sleep(dice.uniform(0.0, 1.0))
    return _kill_workers(process, dice)


def _kill_workers(process: "subprocess.Popen[str]", dice: random.Random) -> bool:
    """Kill one worker or all of them."""
    there = workers(process.pid)
    for one in there if dice.random() < 0.5 else there[:1]:
        kill(one)
    return bool(there)


# What is killed, how, and what it is called.
JOBS: dict[str, tuple[type[Job], Kill]] = {
    "run": (Job, kill_command),
    "sweep": (Sweep, kill_command),
    "optimise": (Search, kill_command),
    "reproduce": (Reproduction, kill_command),
    "workers in their first second": (Sweep, kill_young),
    "workers later": (Sweep, kill_old),
}


def attempt(job: Job, tally: KillTally, kill: Kill | None, dice: random.Random) -> None:
    """Start a command, kill it or its workers, and look at what is there; None: let it end."""
    before, out, begin = job.finished(), job.folder / "out", time.monotonic()
    with serpenoid(*job.arguments, cwd=job.folder) as process:
        if kill is not None:
            tally.kills += kill(job, process, dice)
        code, words = _ended(process)
        if code == 0 and not before:
            job.seconds = time.monotonic() - begin
        end = time.monotonic() + _GONE
        while (left := members(process.pid)) and time.monotonic() < end:
            time.sleep(0.05)
    tally.add(_LEFT, left)
    tally.add(_HALF, half_written(out))
    tally.add(_LOST, [point for point in before if point not in job.finished()])
    tally.add(_DOUBLED, job.doubled(before))
    if code == 0:
        # What earlier ones have left is swept.
        tally.add(_WRONG, sorted(map(str, left_over(out))) + job.wrong(before))
    elif code != -signal.SIGKILL and not _killed(code, words):
        tally.add(_WRONG, [f"exit code {code}: {words}"])


def _killed(code: int, words: str) -> bool:
    """Whether a command says, in one sentence, that its workers were killed."""
    return code == 1 and words.count("\n") == 1 and "killed" in words


def _ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Exit code and standard error of a command; pipes stay open as long as its workers live."""
    code = process.wait(_LONGEST)
    try:
        return code, process.communicate(timeout=_GONE)[1]
    except subprocess.TimeoutExpired:
        return code, ""


def kill_often(name: str, count: int, seed: int) -> KillTally:
    """Kill a job so often, starting it again in the same folder; at the end it must succeed."""
    tally, dice = KillTally(name), random.Random(f"{seed}-{name}")
    kind, kill = JOBS[name]
    with tempfile.TemporaryDirectory() as folder:
        job = kind(Path(folder))
        while tally.kills < count:
            attempt(job, tally, kill, dice)
        attempt(job, tally, None, dice)
    return tally


def kill_all(count: int, seed: int) -> Iterator[KillTally]:
    """Kill all jobs so often, two jobs at once."""
    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(lambda name: kill_often(name, count, seed), JOBS)
