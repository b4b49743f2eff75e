"""Cases that run in processes of their own, and what becomes of them."""

import faulthandler
import json
import os
import random
import re
import resource
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import serpenoid as sp

# A process that asks for more address space than this gets a MemoryError, B.
_ADDRESS_SPACE = 6 * 2**30
# A case that takes longer hangs, and is ended, s.
_PATIENCE = 120
# What a user reads is one line, without words of the libraries below.
_JARGON = re.compile(r"Traceback|input should|pydantic|h5py|HDF5|numpy\.")

# One case: it fails by an exception, and returns what it has computed, if anything.
Case = Callable[[random.Random], sp.Trajectory | None]


@dataclass
class Tally:
    """What became of the cases of a campaign.

    Attributes:
        counts: How often each outcome came: 'ran', 'refused', 'NaN', 'raw', 'words', 'signal'.
        failures: Number of the case and what happened, for those that should not have.
        peak: Largest resident memory of a process, B.
    """

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)
    peak: int = 0

    def add(self, number: int, outcome: str, words: str) -> None:
        """Count a case."""
        self.counts[outcome] += 1
        if outcome not in ("ran", "refused"):
            self.failures.append((number, f"{outcome}: {words}"))

    def __str__(self) -> str:
        counts, total = self.counts, sum(self.counts.values())
        return (
            f"{total} cases: {counts['ran']} ran, {counts['refused']} refused in one sentence; "
            f"{counts['signal']} signals, {counts['NaN']} NaN, {counts['raw']} raw exceptions, "
            f"{counts['words']} unclear sentences; peak memory {self.peak / 2**20:.0f} MB"
        )


def outcome_of(case: Case, number: int, seed: int) -> tuple[str, str]:
    """Run a case: what became of it, and the words of its error."""
    # Overflows and the like are errors, as in the suite; what a run says of itself is not.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", sp.errors.RoughRun)
        try:
            run = case(random.Random(f"{seed}-{number}"))
            return ("NaN", _not_finite(run)) if _not_finite(run) else ("ran", "")
        except sp.SerpenoidError as error:
            run, words = getattr(error, "run", None), str(error)
            if _not_finite(run):
                return "NaN", _not_finite(run)
            return ("words" if _JARGON.search(words) or not words else "refused"), words
        except Exception as error:
            return "raw", f"{type(error).__name__}: {error}"


def _not_finite(run: sp.Trajectory | None) -> str:
    """Names of the columns of a run that hold what is no finite number."""
    columns = {} if run is None else run.columns
    return ", ".join(name for name, values in columns.items() if not np.isfinite(values).all())


def work(prepare: Callable[[], Any], case: Case, numbers: range, seed: int) -> None:
    """Make what cases are made from, run them in this process, and print a line for each."""
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    prepare()
    for number in numbers:
        faulthandler.dump_traceback_later(_PATIENCE, exit=True)
        print(json.dumps([number, *outcome_of(case, number, seed), peak_memory()]), flush=True)


def peak_memory() -> int:
    """Largest resident memory of this program so far, B.

    Those that `resource` tells of also count the process that started this one, and other children.
    """
    (kilobytes,) = re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return 1024 * int(kilobytes)


def campaign(kind: str, count: int, seed: int, processes: int = 2) -> Tally:
    """Run cases in processes of their own, which a signal may end.

    Args:
        kind: Name of the campaign.
        count: Number of cases.
        seed: Of all of them.
        processes: How many at once.
    """
    tally = Tally()
    shares = [range(count * k // processes, count * (k + 1) // processes) for k in range(processes)]
    workers = [(_start(kind, share, seed), share) for share in shares]
    for process, share in workers:
        for number, outcome, words, peak in _results(kind, process, share, seed):
            tally.add(number, outcome, words)
            tally.peak = max(tally.peak, peak)
    return tally


def _start(kind: str, numbers: range, seed: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.hostile.worker"]
    arguments = [kind, str(numbers.start), str(numbers.stop), str(seed)]
    environment = os.environ | {"MPLBACKEND": "Agg"}
    return subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def _results(
    kind: str, process: "subprocess.Popen[str]", numbers: range, seed: int
) -> Iterator[tuple[int, str, str, int]]:
    """Outcomes and memory of a process; where it ends early, another goes on after that case."""
    left = numbers
    while len(left):
        output, errors = process.communicate()
        for line in output.splitlines():
            number, outcome, words, peak = json.loads(line)
            yield number, outcome, words, peak
            left = range(number + 1, numbers.stop)
        if len(left):
            words = f"ended with {process.returncode}: {errors.strip()[-2000:]}"
            yield left.start, "signal", words, 0
            left = left[1:]
            process = _start(kind, left, seed)
