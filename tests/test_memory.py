"""What would not fit into the budget of memory is refused before it is made."""

import functools
import math
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.energy import cycles
from serpenoid.analysis.pushing import plan_push
from serpenoid.analysis.recursion import Recursion
from serpenoid.cli import invoke
from serpenoid.envs import SerpenoidVectorEnv
from serpenoid.memory import DEFAULT, budget, check_memory
from serpenoid.model import fields
from serpenoid.model.segments import crosses
from serpenoid.plots.gif import write_gif
from serpenoid.studies.optimisation import Search
from serpenoid.studies.sampling import Parameter
from serpenoid.studies.study import Study
from tests.sentences import refusal

BILLION = 10**9
LONG = sp.Robot.uniform(300, length=0.1, mass=1.0, radius=0.02, self_contact=False)
SWEEP: dict[str, Any] = {"base": "swimmer", "metrics": ("mean_speed",)}
GAIT = sp.Serpenoid(40.0, 80.0, -50.0)
FINE = {"clock.time_step": 1e-9, "record.period": 1e-9, "clock.duration": 1.0}
PATCH = {
    "x": 0.0,
    "y": 0.0,
    "width": 1.0,
    "height": 1.0,
    "friction": {"kind": "coulomb", "mu": 1.0},
}


def gallery(name: str, /, **changes: Any) -> Callable[[], Any]:
    """A run of a scenario of the gallery, its keys spelt with two underscores for a dot."""
    return lambda: sp.Scenario.load(
        name, {key.replace("__", "."): value for key, value in changes.items()}
    ).run()


def chain(links: int) -> dict[str, Any]:
    return {"links": links, "length": 0.1, "mass": 1.0, "radius": 0.02, "self_contact": False}


def huge_pegs(count: int) -> list[dict[str, float]]:
    """Far from the robot, each over most cells of the grid."""
    return [{"x": 1e4 + k, "y": 1e4, "radius": 5e3} for k in range(count)]


@functools.cache
def short_run() -> sp.Trajectory:
    return sp.Scenario.load("aiko_flat").run(duration=0.1)


def points(samples: int) -> Study:
    return Study.from_plain(
        SWEEP
        | {"parameters": {"robot.mass": {"range": [1, 2]}}}
        | {"sampling": {"kind": "random", "samples": samples}}
    )


# What is asked for, and how the sentence begins.
TOO_LARGE: list[tuple[Callable[[], Any], str]] = [
    (gallery("circle", robot=chain(BILLION)), "circle: robot.links = 1000000000 would need 20 TB"),
    (lambda: sp.Robot.uniform(BILLION, length=1, mass=1, radius=1), "Robot.links = 1000000000 "),
    (gallery("stairs", world__terrain__steps=BILLION), "stairs: world.terrain.steps = 1000000000 "),
    (lambda: sp.Rough(0.02, 1e-9, 1.0, seed=1, friction=0.5), "Rough.step = 1e-09 over a length "),
    (lambda: sp.Rough(0.02, 1e-300, 1e15, seed=1, friction=0.5), "Rough.step = 1e-300 over a "),
    (gallery("random_pegs", world__field__count=BILLION), "world.field: count = 1000000000 of "),
    (gallery("corridor", world__field__length=1e12), "world.field: length = 1000000000000.0 with "),
    (gallery("circle", **FINE), "record.period = 1e-09, which makes 1000000001 rows of "),
    (
        lambda: sp.simulate_batch([sp.Scenario.load("circle").changed(FINE)] * 2),
        "record.period = 1e-09, which makes 1000000001 rows of 2 robots of ",
    ),
    (lambda: SerpenoidVectorEnv("Crawl-v0", 2**63), "num_envs = 9223372036854775808 would need "),
    (lambda: sp.References((sp.Follower(60, 40, 1e12),)), "Follower.delay = 1000000000000.0 in "),
    (
        lambda: sp.References((sp.Follower(60, 40, 1e4),)).control(99, 0.001),
        "controller.period = 0.01 with delays of 1000000 periods and 99 joints would need 3.17 GB",
    ),
    (lambda: points(BILLION), "parameters and sampling, which make 1000000000 points, would need "),
    (lambda: Parameter(range=(1e14, 1e14 + 1e9), steps=BILLION, integer=True, scale="log"), "Para"),
    (lambda: Search({"mean_speed": "maximise"}, trials=BILLION), "Search.trials = 1000000000 wou"),
    (lambda: Recursion(LONG).integrate(GAIT, 1e9, record_period=1e-320), "record_period = "),
    (lambda: cycles(short_run(), 1e-300), "period = 1e-300 would need "),
    (lambda: write_gif(short_run(), "never.gif", speed=1e-300), "width = 720 with "),
    (lambda: plan_push(LONG, sp.Disc(x=1, y=1, radius=0.1, mass=1.0), 0.0), "robot = 'robot' of 3"),
]
# The same, with a budget of 20 MB.
LARGE: list[tuple[Callable[[], Any], str]] = [
    (gallery("random_pegs", world={"pegs": huge_pegs(100)}), "world.pegs and walls, 100 pegs and "),
    (
        gallery("circle", world__patches=[PATCH] * 300, robot=chain(200)),
        "world.patches: the grou",
    ),
    (lambda: sp.Batch([sp.Scenario.load("circle")] * 1000), "1000 robots of "),
    (lambda: sp.simulate(LONG, duration=0.01, solver="prox"), "solver = 'prox' with 300 links "),
    (lambda: sp.simulate(LONG, duration=0.01, solver="hybrid"), "solver = 'hybrid' with 300 "),
    (
        gallery("pedal_wave", solver="explicit", robot=chain(300), controller="none"),
        "solver = 'explicit' with 300 links would need 90 MB",
    ),
]


@pytest.mark.parametrize(("call", "words"), TOO_LARGE, ids=[words for _, words in TOO_LARGE])
def test_what_does_not_fit_is_refused(call: Callable[[], Any], words: str) -> None:
    said = refusal(call)
    assert said.startswith(words)
    assert "of memory, and the budget is 1 GB; ask for less, or set SERPENOID_MEMORY=" in said


@pytest.mark.parametrize(("call", "words"), LARGE, ids=[words for _, words in LARGE])
def test_what_does_not_fit_into_less_is_refused(
    call: Callable[[], Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERPENOID_MEMORY", "20MB")
    said = refusal(call)
    assert said.startswith(words)
    assert "of memory, and the budget is 20 MB; " in said


# Tries all of it with little more address space than there is, and prints the memory it took, B.
TRY_ALL = """
import re, resource
from pathlib import Path
from tests import test_memory
from tests.hostile.campaign import peak_memory
from tests.sentences import refusal

test_memory.short_run()
(size,) = re.findall(r"VmSize:\\s+(\\d+)", Path("/proc/self/status").read_text())
resource.setrlimit(resource.RLIMIT_AS, (1024 * int(size) + 5 * 10**8,) * 2)
before = peak_memory()
for call, _ in test_memory.TOO_LARGE:
    refusal(call)
print(peak_memory() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
def test_nothing_of_it_was_made() -> None:
    """In a process of its own, where no other test has needed more memory before."""
    done = subprocess.run([sys.executable, "-c", TRY_ALL], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 100e6


@pytest.mark.parametrize(
    ("text", "size"),
    [("2 GB", 2e9), ("500mb", 5e8), ("0.5TB", 5e11), ("", DEFAULT), ("999999999999TB", 2.0**60)],
)
def test_the_budget_is_read(monkeypatch: pytest.MonkeyPatch, text: str, size: float) -> None:
    monkeypatch.setenv("SERPENOID_MEMORY", text)
    assert budget() == size


@pytest.mark.parametrize(
    "text", ["lots", "2", "0 GB", "-1 GB", "2 EB", "nan GB", "1e3 GB", "\u0661GB"]
)
def test_a_budget_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SERPENOID_MEMORY", text)
    assert refusal(lambda: check_memory(1, "it")) == (
        f"SERPENOID_MEMORY = {text!r} is not allowed: it must be an amount such as 500MB or 4GB"
    )


def test_text_with_many_dots_is_no_long_key() -> None:
    title = "a" * 200_000 + "." * 60
    assert sp.Scenario.loads(f'title = "{title}"\nrobot.name = "aiko"').title == title


@pytest.mark.parametrize("size", [1.0, 3.2e6, 7e8, 999.7e6, 1e9, 1.0001e9, 4.2e13, 9e300, math.inf])
def test_the_amount_that_is_advised_is_enough(monkeypatch: pytest.MonkeyPatch, size: float) -> None:
    monkeypatch.setenv("SERPENOID_MEMORY", "0.0000001MB")
    advice = refusal(lambda: check_memory(size, "it")).rpartition("SERPENOID_MEMORY=")[2]
    monkeypatch.setenv("SERPENOID_MEMORY", advice)
    if size < 1e23:
        check_memory(size, "it")
        assert budget() <= max(2 * size, 1e6)


def test_a_user_can_raise_the_budget_and_lower_it(monkeypatch: pytest.MonkeyPatch) -> None:
    run = gallery("circle", clock__duration=0.5)
    monkeypatch.setenv("SERPENOID_MEMORY", "0.05MB")
    assert "would need 0." in refusal(run)
    monkeypatch.setenv("SERPENOID_MEMORY", "10MB")
    assert len(run().time) > 1


def test_a_log_of_contacts_that_grows_too_large_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scenario = sp.Scenario.load("aiko_pegs", {"record.contacts": True, "clock.duration": 3.0})

    def shrink(time: float) -> None:
        if time > 0.3:
            monkeypatch.setenv("SERPENOID_MEMORY", "0.001MB")

    with pytest.raises(
        sp.SimulationStopped, match=r"record\.contacts = True, which makes \d+ "
    ) as e:
        scenario.run(progress=shrink)
    reached = e.value.run
    monkeypatch.delenv("SERPENOID_MEMORY")
    whole = scenario.run()
    assert 10 < len(reached.time) < len(whole.time)
    assert (reached.time == whole.time[: len(reached.time)]).all()
    assert (reached.columns["x"] == whole.columns["x"][: len(reached.time)]).all()


def test_files_without_an_end_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SERPENOID_MEMORY", "1MB")
    assert invoke(["sweep", "/dev/zero", "--out", str(tmp_path)]) == 2
    assert "study /dev/zero, a file of 20001 bytes, would need" in capsys.readouterr().err
    long = tmp_path / "long.toml"
    long.write_text("#" * 100_000)
    assert f"{long}, a file of 100000 bytes, would need 5 MB" in refusal(
        lambda: sp.Scenario.load(long)
    )


@pytest.mark.parametrize(
    "text",
    [
        "x" + ".a" * 300 + " = 1",
        "x = " + "[" * 60 + "]" * 60,
        # tomllib takes minutes and gigabytes for these.
        ".".join(["a"] * 50_000) + "=1",
        "[" + " . ".join(["'a'", '"b"'] * 25_000) + "]",
    ],
    ids=["key", "lists", "long key", "long header"],
)
def test_deep_files_are_refused(text: str) -> None:
    words = "this is not allowed: it has tables or lists within more than 50 others"
    assert refusal(lambda: sp.Scenario.loads(text)) == words


def test_want_of_memory_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(sp.Scenario, "run", fail)
    assert invoke(["run", "circle", "--out", str(tmp_path)]) == 1
    words = "serpenoid: this machine has not enough memory for that; ask for less\n"
    assert capsys.readouterr().err == words


def test_walls_that_cross_themselves_are_found_among_neighbours_only() -> None:
    """The same as comparing every piece with every other one."""
    draw, found = random.Random(3), []
    for _ in range(400):
        count, rough = draw.choice([3, 8, 30]), draw.choice([0.1, 1.0, 3.0])
        x = np.arange(count) + rough * np.array([draw.gauss(0, 1) for _ in range(count)])
        points = np.stack([x, [draw.gauss(0, 1) for _ in range(count)]], axis=1)
        a, b = points[:-1], points[1:]
        pairs = ((k, j) for k in range(len(a)) for j in range(k + 2, len(a)))
        wanted = any(bool(crosses(a[k], b[k], a[j], b[j])) for k, j in pairs)
        assert fields._crosses_itself(points) == wanted
        found.append(wanted)
    assert 100 < sum(found) < 350
