"""Malformed scenarios and studies: those of the gallery, with their text or their values spoilt."""

import contextlib
import copy
import datetime
import faulthandler
import functools
import io
import math
import random
import re
import signal
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tomli_w

import serpenoid as sp
from serpenoid.cli import invoke
from serpenoid.export import mjcf
from serpenoid.scenario.scenario import gallery
from serpenoid.studies.optimisation import Optimisation
from serpenoid.studies.point_runner import PointRunner
from serpenoid.studies.preparation import CHECKED_POINTS, prepare, some_points
from serpenoid.studies.sampling import Random
from serpenoid.studies.study import Study

# A run is ended after this long, s; before it begins, and after it ends, no more may pass.
_RUN, _SLOW = 0.2, 60
# Most mistakes that are told at once, and a line about the rest.
_MOST_LINES = 21
# Longest sentence, characters.
_LONGEST = 1000

_SWEEP = """
title = "Gait map"
base = "swimmer"
metrics = ["mean_speed", "cost_of_transport"]
skip = 0.1
keep_runs = false
[change]
"controller.offset_deg" = 0.0
"clock.duration" = 0.3
[parameters]
"controller.amplitude_deg" = { range = [5, 60], steps = 12 }
"controller.phase_deg" = { range = [-110, -10], steps = 11, scale = "linear", integer = true }
"robot.mass" = { values = [0.5, 1.0] }
"""
_SEARCH = """
base = "swimmer"
skip = 0.1
[change]
"clock.duration" = 0.3
[parameters]
"controller.amplitude_deg" = { range = [5, 60] }
"controller.frequency_deg" = { range = [60, 240] }
[optimise]
objectives = { cost_of_transport = "minimise" }
constraints = ["mean_speed >= 0.2"]
trials = 40
seed = 1
batch = 8
stages = 4
pruner = "median"
sampler = "tpe"
"""
_SAMPLES = _SWEEP + '[sampling]\nkind = "latin_hypercube"\nsamples = 20\nseed = 1\n'
_ROUGH = """
[robot]
links = 6
length = 0.1
mass = 0.3
radius = 0.02
limits_deg = [-100, 100]
[world]
plane = "vertical"
terrain = { kind = "rough", height = 0.01, step = 0.1, length = 3.0, seed = 1, friction = 0.5 }
[start]
y = 0.1
[record]
contacts = true
"""
_DELAYED = """
solver = { kind = "prox" }
[robot]
links = 5
length = 0.1
mass = 0.3
radius = 0.02
self_contact = false
[friction]
kind = "coulomb"
mu = 0.2
[controller]
kind = "references"
period = 0.01
sensor = { noise = 0.1, delay = 0.1 }
parts = [{ kind = "follower", amplitude_deg = 40, frequency_deg = 60, delay = 0.5 }]
"""

_NUMBERS: list[Any] = [
    *(math.nan, math.inf, -math.inf, 1e308, -1e308, 1e15, 1e-308, 5e-324, -0.0, 0.0, -1.5, 1e-9),
    *(0, -1, 1, 2**31, 2**63 - 1, -(2**63), 10**30, 10**400, True),
]
# What only memory and patience limit.
_COUNTS = [10**9, 10**12, 10**7, 10**6, 300_000, 1e9, 1e12, 1e-9, 1e-7]
_COUNTED = re.compile("links|steps?|count|length|delay|period|duration|samples|trials|batch|seed")
_OTHERS: list[Any] = [
    *("", "text", "none", "1.0", "nan", "x" * 100_000, "\x1b[2J\x00", "two\nlines", "../../away"),
    *([], [[]], [0.0] * 1000, [1, "two"], [None], {}, {"kind": "no"}, {"kind": 3}, {"a": {"b": 1}}),
    datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    datetime.date(2026, 1, 1),
    datetime.time(12),
    functools.reduce(lambda inner, _: [inner], range(200), []),  # type: ignore[arg-type,return-value]
]
# Bytes that have no place in such a file.
_BYTES = [
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\x1b[31m", b"\r", b"\x7f", b"\xed\xa0\x80"),
    *(b"[robot]\n", b"= 1\n", b"\n[", b"]]", b'"""', b"#", b"{", b".", b"," * 1000, b"9" * 5000),
    *(b"a" * 200_000, b"\nx = " + b"[" * 50_000, b"\nx" + b".a" * 3000 + b" = 1\n"),
    *(b"\nx = " + b"{a=" * 400 + b"1" + b"}" * 400, b"\nlinks = 1_000_000_000_000\n"),
]

Change = Callable[[random.Random, Any], Any]


@functools.cache
def sources() -> list[tuple[type[Any], str]]:
    """Texts to spoil, and what each of them is."""
    ready = [file.read_text(encoding="utf-8") for file in gallery().values()]
    scenarios = [(sp.Scenario, text) for text in (*ready, _ROUGH, _DELAYED)]
    return [*scenarios, *[(Study, _SWEEP), (Study, _SAMPLES), (Optimisation, _SEARCH)] * 3]


def case(draw: random.Random) -> sp.Trajectory | None:
    """Do with a spoilt file what the command line does with it."""
    kind, text = draw.choice(sources())
    content = _bytes_spoilt(draw, text) if draw.random() < 0.35 else _values_spoilt(draw, text)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "spoilt.toml"
        file.write_bytes(content)
        try:
            with _patience():
                return _used(kind, file)
        except sp.errors.SimulationStopped:
            raise
        except sp.SerpenoidError as error:
            for mistake in str(error).splitlines():
                _check_length(mistake)
            with _patience():
                _check_command(kind, file)
            raise


def _used(kind: type[Any], file: Path) -> sp.Trajectory | None:
    """Load a file and run what it says for a moment."""
    if kind is sp.Scenario:
        scenario = sp.Scenario.load(file)
        with contextlib.suppress(sp.InvalidInput):
            mjcf(scenario)
        return _for_a_moment(scenario.run)
    study = kind.load(file)
    if isinstance(study, Study):
        points = list(some_points(study))
    else:
        chosen = Random(CHECKED_POINTS, seed=study.optimise.seed).points(study.parameters)
        points = [dict(zip(study.parameters, point, strict=True)) for point in chosen]
    _for_a_moment(lambda: prepare(study, points))
    runner = PointRunner(study.scenario, study.measures, study.skip)
    attempt = _for_a_moment(lambda: runner(points[0]))
    assert attempt is None or "\n" not in str(attempt.row["error"]), attempt.row["error"]
    return None


def _check_command(kind: type[Any], file: Path) -> None:
    """The command line answers to a file that is refused with a line for each mistake."""
    command = {sp.Scenario: "run", Study: "sweep", Optimisation: "optimise"}[kind]
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = invoke([command, str(file), "--out", str(file.parent / "out")])
    lines = said.getvalue().splitlines()
    assert code in (1, 2), f"exit code {code} of {command}"
    assert 1 <= len(lines) <= _MOST_LINES, f"it said {lines}"
    assert all(line.startswith("serpenoid: ") for line in lines), f"it said {lines}"


def _check_length(sentence: str) -> None:
    assert len(sentence) < _LONGEST, f"a long sentence: {sentence[:300]}"


@contextlib.contextmanager
def _patience() -> Iterator[None]:
    """End the process, with a traceback, if something takes too long."""
    faulthandler.dump_traceback_later(_SLOW, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _for_a_moment(work: Callable[[], Any]) -> Any:
    """What comes of some work, or of its first moment."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, _RUN)
        return work()
    except (KeyboardInterrupt, sp.errors.Interrupted) as error:
        return getattr(error, "run", None)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _bytes_spoilt(draw: random.Random, text: str) -> bytes:
    """The text with bytes flipped, lost, doubled, moved, or put in."""
    content = text.encode()
    for _ in range(draw.choice([1, 1, 1, 2, 5])):
        a, b = sorted(draw.randrange(len(content) + 1) for _ in range(2))
        lines = content.splitlines(keepends=True)
        draw.shuffle(lines)
        content = draw.choice(
            [
                content[:a] + bytes([draw.randrange(256)]) + content[a + 1 :],
                content[:a],
                content[:a] + content[b:],
                content[:b] + content[a:b] + content[b:],
                content + draw.choice(lines or [b""]),
                b"".join(lines),
                content.replace(b"\n", b"\r\n"),
                content[:a] + draw.choice(_BYTES) + content[a:],
                content[:a] + draw.choice(_BYTES) + content[a:],
            ]
        )
    return content


def _values_spoilt(draw: random.Random, text: str) -> bytes:
    """The text with other values, without some, or with some that nobody knows."""
    data = tomllib.loads(text)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        places = list(_places(data))
        counted = [place for place in places if _COUNTED.fullmatch(str(place[1]))]
        holder, key = draw.choice(counted if counted and draw.random() < 0.5 else places)
        how = draw.random()
        if how < 0.1:
            del holder[key]
        elif how < 0.2:
            new = (
                key if isinstance(key, int) else draw.choice(["unknown", "", "kind", key + "_deg"])
            )
            holder[new] = _value(draw, str(key))
        else:
            holder[key] = _value(draw, str(key), holder[key])
        if not data:
            break
    return tomli_w.dumps(data).encode("utf-8", "surrogatepass")


def _places(inner: Any) -> Iterator[tuple[Any, Any]]:
    """Every table or list with every key into it."""
    items = inner.items() if isinstance(inner, dict) else enumerate(inner)
    for key, value in list(items):
        yield inner, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _value(draw: random.Random, key: str, old: Any = None) -> Any:
    how = draw.random()
    if _COUNTED.fullmatch(key) and how < 0.4:
        return draw.choice(_COUNTS)
    # Most of these are allowed, or refused only when the run is prepared.
    if type(old) is int and how < 0.8:
        return draw.choice([0, 1, 2, 3, 10, 100, 2000, 2 * old, -old])
    if type(old) is float and how < 0.8:
        return old * draw.choice([0.5, 2.0, 1e-3, 1e3, 1e-6, 1e6, 1e-14, 1e14, -1.0])
    if isinstance(old, list) and old and draw.random() < 0.5:
        return draw.choice([old[:-1], old * 2, [*old, old[0]], [old], old * 1000])
    found = draw.choice(draw.choice([_NUMBERS, _NUMBERS, _OTHERS]))
    return copy.deepcopy(found) if found != [None] else "none"
