"""The commands, as a user types them."""

import dataclasses
import io
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import typer

import serpenoid as sp
from serpenoid import cli, papers, plots, robots
from serpenoid.scenario.scenario import Scenario
from tests.processes import serpenoid

SHORT, NAMED = ["--set", "clock.duration=0.5"], ["--name", "aiko_pegs"]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What `serpenoid run` writes, made once."""
    folder = tmp_path_factory.mktemp("made")
    assert cli.invoke(["run", "aiko_pegs", *SHORT, *NAMED, "--out", str(folder)]) == 0
    return folder


@pytest.fixture
def run_file(made, capsys):
    shutil.copytree(made, "runs")
    capsys.readouterr()
    return Path("runs/aiko_pegs.nc")


def test_list_shows_everything(capsys):
    assert cli.invoke(["list"]) == 0
    shown = capsys.readouterr().out
    known = (*sp.gallery(), *robots.BY_NAME, "serpenoid", "newton", "prox", *papers.available())
    for word in known:
        assert re.search(rf"^  {word} ", shown, re.MULTILINE), word


def test_version(capsys):
    assert cli.invoke(["--version"]) == 0
    assert capsys.readouterr().out == f"serpenoid {sp.__version__}\n"


@pytest.mark.parametrize(
    "command",
    [
        "",
        "list",
        "show",
        "info",
        "run",
        "plan-push",
        "completion",
        "export",
        "reproduce",
        "sweep",
        "optimise",
        "view",
        "plot",
        "verify",
        "bench",
    ],
)
def test_help_has_examples(command, capsys):
    assert cli.invoke([*command.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert "Usage: serpenoid" in shown
    assert re.search(rf"^Examples\n  serpenoid {command}", shown, re.MULTILINE)


@pytest.mark.parametrize("width", [80, 120])
def test_help_fits_a_terminal_and_shows_flags_as_flags(width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    commands = ["", *typer.main.get_command(cli.app).commands]
    assert len(commands) > 12
    for command in commands:
        assert cli.invoke([*command.split(), "--help"]) == 0
        shown = capsys.readouterr().out
        assert max(map(len, shown.splitlines())) <= width, command
        assert not re.search(r"<\w+>|INTEGER|TEXT|BOOL|FLOAT|/--", shown), command
        assert "  -h, --help" in shown
    assert cli.invoke(["view", "--help"]) == 0
    assert re.search(r"^  --no-open +Only ", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    "usage",
    [
        "list",
        "show SCENARIO",
        "plot RUN.nc [KIND] [OPTIONS]",
        "compare RUN.nc... [OPTIONS]",
        "export SCENARIO --mjcf FILE [OPTIONS]",
        "completion [SHELL] [OPTIONS]",
    ],
)
def test_usage_shows_what_is_needed_and_what_may_be_left_out(usage, capsys):
    assert cli.invoke([usage.split()[0], "--help"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"Usage: serpenoid {usage}"


def test_help_of_run_shows_how_to_change_an_entry_of_a_list(capsys):
    assert cli.invoke(["run", "--help"]) == 0
    (key,) = re.findall(r'--set "(\S+)=0.5"', capsys.readouterr().out)
    assert Scenario.load("peg_forest", {key: 0.5}).controller.parts[0].delay == 0.5


def test_no_command_shows_the_help(capsys):
    assert cli.invoke([]) == 0
    assert "Usage: serpenoid" in capsys.readouterr().out


def test_show_prints_the_file_itself(capsys):
    assert cli.invoke(["show", "aiko_pegs"]) == 0
    assert capsys.readouterr().out == sp.gallery()["aiko_pegs"].read_text(encoding="utf-8")


def test_run_saves_run_and_scenario(capsys):
    assert cli.invoke(["run", "aiko_pegs", *SHORT]) == 0
    run_file = Path("runs/aiko_pegs-clock.duration=0.5.nc")
    run = sp.load(run_file)
    assert run.time[-1] == pytest.approx(0.5)
    assert Scenario.load(f"{run_file.with_suffix('')}.toml").clock.duration == 0.5
    shown = capsys.readouterr().out
    assert str(run) in shown
    assert "certificate: law residual" in shown
    assert f"serpenoid view {run_file}" in shown


def test_a_robot_that_nothing_moves_has_no_energies(monkeypatch, capsys):
    line = ["run", "-", "--set", "clock.duration=0.1"]
    monkeypatch.setattr("sys.stdin", io.StringIO('[robot]\nname = "aiko"\n'))
    assert cli.invoke(line) == 0
    assert "\nenergy: none moved\n" in capsys.readouterr().out


def test_run_says_what_it_replaces(run_file, capsys):
    assert cli.invoke(["run", "aiko_pegs", *SHORT, *NAMED]) == 0
    replaced = f"replaced {run_file} and {run_file.with_suffix('.toml')}"
    assert capsys.readouterr().err.strip() == replaced


def test_export_writes_a_model_and_says_what_it_replaces(capsys):
    changed = ["--set", "clock.time_step=5e-4"]
    assert cli.invoke(["export", "aiko_pegs", *changed, "--mjcf", "aiko.xml"]) == 0
    assert capsys.readouterr() == ("model: aiko.xml\n", "")
    text = Path("aiko.xml").read_text(encoding="utf-8")
    assert text == sp.export.mjcf(Scenario.load("aiko_pegs", {"clock.time_step": 5e-4}))
    assert cli.invoke(["export", "aiko_pegs", "--mjcf", "aiko.xml"]) == 0
    assert capsys.readouterr().err == "replaced aiko.xml\n"
    assert cli.invoke(["export", "aiko_pegs", *changed, "--mjcf", "-"]) == 0
    assert capsys.readouterr().out == text


def test_set_changes_the_run():
    settings = ["--set", "friction.mu=0.3", "--set", "seed=7", "--out", "deep/er"]
    assert cli.invoke(["run", "aiko_flat", *SHORT, *settings]) == 0
    run = sp.load("deep/er/aiko_flat-clock.duration=0.5,friction.mu=0.3,seed=7.nc")
    assert run.world.friction == sp.Coulomb(0.3)
    assert run.scenario.seed == 7


def test_verify_finds_equal(run_file, capsys):
    assert cli.invoke(["verify", str(run_file)]) == 0
    assert capsys.readouterr().out == f"{run_file}: bitwise equal\n"


def falsified(run, **columns):
    return dataclasses.replace(run, columns={**run.columns, **columns})


def test_verify_finds_nearly_equal(run_file, capsys):
    run = sp.load(run_file)
    falsified(run, x=run.columns["x"] + 1e-9).save("near.nc")
    assert cli.invoke(["verify", "near.nc"]) == 0
    assert "near.nc: equal to 1e-06 m and rad: links at most 1e-09 m" in capsys.readouterr().out


def test_verify_finds_different(run_file, capsys):
    run = sp.load(run_file)
    shift = np.where(run.time > 0.3, 1e-3, 0.0)[:, None]
    falsified(run, x=run.columns["x"] + shift).save("false.nc")
    assert cli.invoke(["verify", "false.nc"]) == 1
    words = (
        "false.nc: not equal: links at most 0.001 m and 0 rad apart, other values of x, "
        "different from t = 0.31 s"
    )
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("name", ["joint_torque", "contact_force", "energy_friction", "vx"])
def test_verify_looks_at_every_variable(name, run_file, capsys):
    run = sp.load(run_file)
    column = run.columns[name].copy()
    column[20:] += 1.0
    falsified(run, **{name: column}).save("false.nc")
    assert cli.invoke(["verify", "false.nc"]) == 1
    assert f"other values of {name}, different from t = 0.2 s" in capsys.readouterr().out


def test_verify_looks_at_the_end(run_file, capsys):
    run = sp.load(run_file)
    state = dataclasses.replace(run.state, theta=run.state.theta + 0.1)
    dataclasses.replace(run, state=state).save("false.nc")
    assert cli.invoke(["verify", "false.nc"]) == 1
    assert "other values of the state at the end" in capsys.readouterr().out


def test_verify_says_what_is_missing(run_file, capsys):
    run = sp.load(run_file)
    falsified(run, **{name: column[:20] for name, column in run.columns.items()}).save("cut.nc")
    assert cli.invoke(["verify", "cut.nc"]) == 0
    assert "it was meant to last 0.5 s and holds 0.19 s" in capsys.readouterr().out


def test_own_scenario_file_is_never_overwritten(capsys):
    text = "# my notes\n" + sp.gallery()["aiko_flat"].read_text(encoding="utf-8")
    Path("mine.toml").write_text(text)
    assert cli.invoke(["run", "mine.toml", *SHORT, "--out", ".", "--name", "mine"]) == 0
    assert Path("mine.toml").read_text() == text
    assert Path("mine.nc").exists()
    assert "replaced" not in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["lab [red]", "q[/x]", "a:snake:b", "ä ö"])
def test_odd_names_are_printed_as_they_are(folder, capsys):
    assert cli.invoke(["run", "aiko_flat", *SHORT, "--out", folder]) == 0
    assert f"saved as {folder}/aiko_flat-clock.duration=0.5.nc" in capsys.readouterr().out


def test_place_is_checked_before_the_work(monkeypatch, capsys):
    monkeypatch.setattr(Scenario, "run", lambda *_args, **_more: pytest.fail("worked first"))
    Path("runs/aiko_flat.nc").mkdir(parents=True)
    assert cli.invoke(["run", "aiko_flat"]) == 2
    words = "path = 'runs/aiko_flat.nc' cannot be written: it is not a file"
    assert capsys.readouterr().err == f"serpenoid: {words}\n"
    assert cli.invoke(["reproduce", "transeth2008", "--json", "no/where.json"]) == 2
    words = "path = 'no/where.json' cannot be written: No such file or directory"
    assert capsys.readouterr().err == f"serpenoid: {words}\n"


def test_verify_refuses_what_it_cannot_repeat(run_file, capsys):
    run = sp.load(run_file)
    sp.simulate(run.robot, run.world, None, 0.1, start=run.state).save("more.nc")
    assert cli.invoke(["verify", "more.nc"]) == 2
    assert "more.nc cannot be repeated: this run continues another one" in capsys.readouterr().err


def test_plot(run_file, capsys):
    assert cli.invoke(["plot", str(run_file), "path"]) == 0
    assert Path("runs/aiko_pegs-path.png").read_bytes().startswith(b"\x89PNG")
    assert cli.invoke(["plot", str(run_file), "forward_velocity", "--out", "v.png"]) == 0
    assert Path("v.png").read_bytes().startswith(b"\x89PNG")
    assert cli.invoke(["plot", str(run_file), "energy", "--out", "energy.pdf"]) == 0
    assert Path("energy.pdf").read_bytes().startswith(b"%PDF")


def test_plot_shows_the_time_that_is_asked_for(run_file, monkeypatch):
    titles = []
    monkeypatch.setattr(plots, "save", lambda ax, _path: titles.append(ax.get_title(loc="left")))
    assert cli.invoke(["plot", str(run_file), "snapshot", "--time", "0.05"]) == 0
    assert titles == ["t = 0.05 s"]


FAILING = """class Bend:
    period = 0.01

    def command(self, seen):
        return 1 / seen.time
"""


def test_export_tells_that_the_controller_fails_and_writes_nothing(capsys):
    Path("own.py").write_text(FAILING)
    given = ["--set", "controller.kind=python", "--set", "controller.source=own.py:Bend"]
    # It is looked for beside the scenario.
    scenario = Path("mine.toml")
    scenario.write_text(sp.gallery()["swimmer"].read_text(encoding="utf-8"))
    wanted = ["export", "mine.toml", *given, "--allow-code", "--mjcf", "own.xml"]
    assert cli.invoke(wanted) == 1
    said = capsys.readouterr().err
    assert "controller failed at t = 0 s in " in said
    assert "own.py, line 5: ZeroDivisionError" in said
    assert not Path("own.xml").exists()
    assert cli.invoke(["run", *wanted[1:-2]]) == 1
    assert "controller failed at t = 0 s in " in capsys.readouterr().err


def test_view_writes_and_opens(run_file, monkeypatch):
    opened = []
    monkeypatch.setattr("serpenoid.plots.viewer.opening.open_in_browser", opened.append)
    assert cli.invoke(["view", str(run_file)]) == 0
    assert opened == [run_file.with_suffix(".html")]
    assert cli.invoke(["view", str(run_file), "--no-open", "--gif"]) == 0
    assert len(opened) == 1
    assert run_file.with_suffix(".gif").read_bytes().startswith(b"GIF8")


@pytest.mark.parametrize("words", ["view", "compare"])
def test_without_a_display_one_sentence_says_where_the_page_is(
    words, run_file, monkeypatch, capsys
):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    twin = shutil.copy(run_file, "twin.nc")
    line = ["view", str(run_file)] if words == "view" else ["compare", str(run_file), twin]
    assert cli.invoke(line) == 0
    shown, noted = capsys.readouterr()
    page = shown.split("page: ")[1].strip()
    assert noted == f"serpenoid: there is no display to open the page on; it is {page}\n"


def test_bench_gives_numbers(capsys, monkeypatch):
    monkeypatch.setattr("serpenoid.bench.REPEATS", 1)
    assert cli.invoke(["bench", "--json", "-"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["scenario"] for row in rows] == list(sp.gallery())
    assert all(row["microseconds_per_step"] > 0 for row in rows)


def test_stopped_run_is_kept(capsys):
    """Too large a step for prox, which does not halve those that do not converge."""
    settings = ["--set", "solver.kind=prox", "--set", "solver.max_iterations=1"]
    assert cli.invoke(["run", "aiko_pegs", *settings, "--name", "stuck"]) == 1
    shown = capsys.readouterr().err
    assert re.fullmatch(
        r"(serpenoid: compiling .*\n)?serpenoid: stopped at t = .* s.*; "
        r"what was computed, .* s, is in runs/stuck-stopped.nc\n",
        shown,
    )
    assert len(sp.load("runs/stuck-stopped.nc").time) >= 1
    assert not Path("runs/stuck.nc").exists()


LONG = [
    "run",
    "aiko_flat",
    "--name",
    "long",
    "--set",
    "clock.duration=20000",
    "--set",
    "record.period=1.0",
]


def interrupted(stop, folder, patience):
    """What a run says that is stopped, impatiently, some seconds after it has begun."""
    with serpenoid(*LONG, cwd=folder) as process:
        while not (folder / "runs").exists():
            assert process.poll() is None
            time.sleep(0.1)
        time.sleep(patience)
        process.send_signal(stop)
        process.send_signal(stop)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    return err


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupt_keeps_what_was_computed(stop, tmp_path):
    # On a busy machine the first steps may take a while to come; then there is nothing to keep.
    for patience in (2.0, 8.0, 20.0):
        err = interrupted(stop, tmp_path, patience)
        if err != "serpenoid: interrupted\n":
            break
    said = re.search(r"interrupted at t = (\S+) s; what was computed, (\S+) s, is in (\S+)\n", err)
    assert said, err
    run = sp.load(tmp_path / said[3])
    assert 0 < run.time[-1] < 20000
    assert run.time[-1] == pytest.approx(float(said[2]), rel=1e-5)
    assert list((tmp_path / "runs").iterdir()) == [tmp_path / "runs" / "long-stopped.nc"]


def test_killed_while_writing_leaves_no_half_file(tmp_path):
    """A writer that dies in the middle; the next one tidies up after it."""
    code = (
        "import os, pathlib, signal, serpenoid.files as f\n"
        "os.fsync = lambda _file: os.kill(os.getpid(), signal.SIGKILL)\n"
        "f.write_durably(pathlib.Path('run.nc'), b'half')\n"
    )
    died = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert died.returncode == -signal.SIGKILL
    assert not (tmp_path / "run.nc").exists()
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".run.nc.")
    Scenario.load("aiko_flat", {"clock.duration": 0.1}).run().save(tmp_path / "run.nc")
    assert [path.name for path in tmp_path.iterdir()] == ["run.nc"]


def test_output_into_a_closed_pipe_is_no_error():
    with serpenoid("show", "aiko_pegs") as process:
        process.stdout.close()
        assert process.wait(timeout=60) == 141
        assert "Traceback" not in process.stderr.read()


def test_the_command_line_loads_only_what_all_commands_need():
    """So that it answers soon."""
    code = "import sys, serpenoid.cli\n"
    code += "assert not {'scipy', 'numba', 'matplotlib', 'dask', 'pandas'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
