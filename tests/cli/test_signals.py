"""Ctrl-C, SIGTERM and a lost terminal: one line and exit code 130, whenever they come."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import kill_group, members, serpenoid, started
from tests.studies.helpers import wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")

INTERRUPTED = "serpenoid: interrupted\n"
LONG = ["run", "aiko_flat", "--set", "clock.duration=20000", "--set", "record.period=1.0"]
SWEEP = """
base = "swimmer"
metrics = ["mean_speed"]
change = { "clock.duration" = 20.0 }
parameters = { seed = { range = [0, 999], steps = 1000, integer = true } }
"""


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "module",
    [
        "numpy",
        "pydantic_core",
        "serpenoid.spec",
        "rich.console",
        "serpenoid.engine.engine",
        "numba",
    ],
)
def test_while_something_is_imported(module, stop, tmp_path):
    """The first ones at the beginning of the program, the last one within a command."""
    command = (sys.executable, "-X", "importtime", "-m", "serpenoid", *LONG)
    with started(*command, cwd=tmp_path) as process:
        for line in process.stderr:
            if line.rpartition("|")[2].strip() == module:
                break
        process.send_signal(stop)
        process.send_signal(stop)
        out, rest = process.communicate(timeout=60)
    said = [line for line in rest.splitlines(keepends=True) if not line.startswith("import time:")]
    assert (process.returncode, out, said) == (130, "", [INTERRUPTED])


def test_again_and_again_while_a_sweep_is_cleaned_up(tmp_path):
    (tmp_path / "study.toml").write_text(SWEEP)
    with serpenoid("sweep", "study.toml", "--workers", "2", cwd=tmp_path) as process:
        wait_for(lambda: len(list(tmp_path.glob("sweeps/study/parts/[0-9]*"))) >= 2)
        begin = time.monotonic()
        while process.poll() is None:
            assert time.monotonic() < begin + 60
            kill_group(process.pid, signal.SIGINT)
            time.sleep(0.01)
        out, err = process.communicate()
        wait_for(lambda: not members(process.pid), 10)
    assert (process.returncode, out, err.count("\n")) == (130, "", 1)
    assert err.startswith("serpenoid: interrupted; ")
    assert err.endswith(
        " of 1000 points are kept in sweeps/study, and the same command goes on from there\n"
    )


def test_again_after_some_patience_ends_a_program_that_does_not_end(tmp_path):
    """Here the workers of a sweep cannot be waited for."""
    (tmp_path / "study.toml").write_text(SWEEP)
    code = (
        "import sys, time\n"
        "from serpenoid.studies.parallel import LocalWorkers\n"
        "LocalWorkers.__exit__ = lambda *_: time.sleep(3600)\n"
        "from serpenoid.cli import main\n"
        "if __name__ == '__main__':\n"
        "    main()\n"
    )
    (tmp_path / "program.py").write_text(code)
    command = (sys.executable, "program.py", "sweep", "study.toml", "--workers", "1")
    with started(*command, cwd=tmp_path) as process:
        wait_for(lambda: list(tmp_path.glob("sweeps/study/parts/[0-9]*")))
        process.send_signal(signal.SIGINT)
        time.sleep(3.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        wait_for(lambda: not members(process.pid), 10)
    assert (process.returncode, out, err) == (130, "", INTERRUPTED)


def ignore():
    for stop in (signal.SIGINT, signal.SIGHUP):
        signal.signal(stop, signal.SIG_IGN)


def test_what_is_ignored_at_the_start_stays_ignored(tmp_path):
    """As Ctrl-C is in the background, and the end of the terminal by nohup."""
    command = ["run", "aiko_flat", "--set", "clock.duration=20"]
    with serpenoid(*command, cwd=tmp_path, preexec_fn=ignore) as process:
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGHUP)
            time.sleep(0.1)
        _, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    with serpenoid(*LONG, "--out", "long", cwd=tmp_path, preexec_fn=ignore) as process:
        wait_for((tmp_path / "long").exists)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 130


def test_an_interrupt_in_code_given_as_text_is_no_other_exit(tmp_path):
    """Python would end by a signal of its own."""
    code = (
        "import sys\n"
        "from serpenoid import cli\n"
        "def interrupted(_arguments):\n"
        "    try:\n"
        "        exec('raise KeyboardInterrupt')\n"
        "    except KeyboardInterrupt:\n"
        "        return 130\n"
        "cli.invoke = interrupted\n"
        "cli.main()\n"
    )
    (tmp_path / "program.py").write_text(code)
    done = subprocess.run([sys.executable, "-m", "program"], cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == 130


def test_a_file_under_way_is_removed(tmp_path):
    """An interrupt while it is written; the program had nothing else to keep."""
    code = (
        "import os, signal, sys\n"
        "from serpenoid import cli, files\n"
        "def invoke(_arguments):\n"
        "    try:\n"
        "        with files._whole('page.html'):\n"
        "            assert len(os.listdir()) == 2\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "    except KeyboardInterrupt:\n"
        "        return 130\n"
        "cli.invoke = invoke\n"
        "cli.main()\n"
    )
    (tmp_path / "program.py").write_text(code)
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]


def test_a_run_that_is_being_saved_is_saved(tmp_path):
    """All of its files, and then it ends."""
    code = (
        "import signal\n"
        "from serpenoid import cli\n"
        "from serpenoid.engine import storage\n"
        "write = storage.write_bytes\n"
        "def pressed(*arguments):\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    return write(*arguments)\n"
        "storage.write_bytes = pressed\n"
        "cli.main()\n"
    )
    (tmp_path / "program.py").write_text(code)
    command = [sys.executable, "program.py", "run", "swimmer", "--set", "clock.duration=0.1"]
    command += ["--name", "swimmer"]
    done = subprocess.run(
        command, cwd=tmp_path, timeout=120, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "serpenoid: interrupted; the run is saved as runs/swimmer.nc\n"
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [
        "swimmer.nc",
        "swimmer.toml",
    ]


def test_a_second_one_while_the_line_is_written_adds_none(tmp_path):
    code = (
        "import os, signal\n"
        "from serpenoid import interrupts\n"
        "write = os.write\n"
        "def pressed(place, words):\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    write(place, words)\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "os.write = pressed\n"
        "interrupts.handle_stops()\n"
        "signal.raise_signal(signal.SIGINT)\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, timeout=60, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, INTERRUPTED)


def test_a_script_keeps_its_own_handlers(tmp_path):
    """All of them, whatever it calls of serpenoid."""
    code = (
        "import signal, sys\n"
        "stops = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]\n"
        "pressed = []\n"
        "def own(number, _frame):\n"
        "    pressed.append(number)\n"
        "for stop in stops:\n"
        "    signal.signal(stop, own)\n"
        "import serpenoid as sp\n"
        "def progress(_time):\n"
        "    for stop in stops:\n"
        "        signal.raise_signal(stop)\n"
        "scenario = sp.Scenario.load('swimmer', {'clock.duration': 0.1})\n"
        "scenario.run(progress=progress).save('run.nc')\n"
        "assert [signal.getsignal(stop) for stop in stops] == [own] * 3\n"
        "assert set(pressed) == set(stops)\n"
    )
    (tmp_path / "script.py").write_text(code)
    command = [sys.executable, "script.py"]
    done = subprocess.run(
        command, cwd=tmp_path, timeout=120, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.thorough
def test_tests_of_interrupts_pass_where_they_are_ignored():
    """As in the background of a shell script."""
    tests = Path(__file__).parents[1] / "studies" / "test_interrupts.py"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)]
    done = subprocess.run(
        command, preexec_fn=ignore, timeout=240, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
