"""Commands for scenarios and their runs."""

from __future__ import annotations

import inspect
import shlex
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from serpenoid import papers, robots
from serpenoid._version import __version__
from serpenoid.cli.output import (
    FAILED,
    AlreadyPrinted,
    JsonFile,
    RunFile,
    announced,
    app,
    complain,
    err,
    examples,
    give,
    json_option,
    keep_apart,
    new_folder,
    out,
    print_text,
    show_table,
)
from serpenoid.cli.run_summary import print_summary, run_as_json
from serpenoid.cli.sources import AllowCode, OutputName, ScenarioName, Settings, Source, read_source
from serpenoid.control.interface import ControllerSpec
from serpenoid.control.own import source_of
from serpenoid.engine.storage import load
from serpenoid.engine.trajectory import SOURCE_HASH, Trajectory
from serpenoid.errors import (
    ControllerError,
    Interrupted,
    RoughRun,
    SimulationStopped,
    prefixed,
)
from serpenoid.files import check_writable, dumps
from serpenoid.interrupts import INTERRUPTED, undisturbed
from serpenoid.methods.method import Method
from serpenoid.progress import bar
from serpenoid.scenario.scenario import Scenario, gallery
from serpenoid.text import summary_line


@app.command("list", epilog=examples("serpenoid list"))
def list_all() -> None:
    """List scenarios, robots, gaits, solvers and papers."""
    show_table("scenarios", [[name, Scenario.load(name).title] for name in gallery()])
    show_table("robots", [[name, str(make(None))] for name, make in robots.BY_NAME.items()])
    for title, family in (("gaits and feedback", ControllerSpec), ("solvers", Method)):
        members = family.offered().items()
        show_table(
            title, [[kind, summary_line(inspect.getdoc(member))] for kind, member in members]
        )
    show_table("papers", [[key, papers.find(key).title] for key in papers.available()])


@app.command(epilog=examples("serpenoid show aiko_pegs > mine.toml", "serpenoid run mine.toml"))
def show(scenario: ScenarioName) -> None:
    """Print a scenario file, to read or to start your own from."""
    print_text(read_source(scenario, None).text)


@app.command(
    epilog=examples(
        "serpenoid run aiko_pegs",
        "serpenoid run mine.toml --set controller.phase_deg=-30 --out trial",
        'serpenoid run peg_forest --set "controller.parts[0].delay=0.5"',
        "serpenoid run aiko_pegs --set friction.mu=0.4 --name rough --json -",
        "serpenoid show aiko_pegs | serpenoid run - --name piped",
    )
)
def run(
    scenario: ScenarioName,
    settings: Settings = None,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for the run.")
    ] = Path("runs"),
    name: OutputName = None,
    json_file: JsonFile = None,
    allow_code: AllowCode = False,
) -> None:
    """Simulate a scenario and save the run."""
    source = read_source(scenario, settings, allow_code)
    target = folder / source.output(name)
    keep_apart("--json", json_file, source.file, *_files(target))
    console = err if json_file == "-" else out

    def report(result: Trajectory, path: Path) -> None:
        print_summary(result, console)
        give(dumps(run_as_json(result, path)), json_file)

    simulate_and_save(source.scenario, source, target, report, console)


def _files(target: Path) -> tuple[Path, Path]:
    """The files of a run and of its scenario."""
    return target.with_name(f"{target.name}.nc"), target.with_name(f"{target.name}.toml")


def simulate_and_save(
    wanted: Scenario,
    source: Source,
    target: Path,
    report: Callable[[Trajectory, Path], None],
    console: Console = out,
) -> None:
    """Simulate a scenario and save the run; of one that stops, what was computed.

    Args:
        wanted: The scenario.
        source: What it was made of.
        target: Path of run and scenario, without a suffix.
        report: Prints the results, given the run and its file.
        console: Where the last line goes.
    """
    path, text = _files(target)
    # The user's own file is never replaced: it has comments, and not what --set changed.
    own = source.file is not None and source.file.resolve() == text.resolve()
    with new_folder(target.parent):
        check_writable(path)
        check_writable(text)
        result = _simulate(wanted, source, target)
        try:
            with undisturbed(), announced(path, *([] if own else [text])):
                result.save(path)
                if not own:
                    wanted.dump(text)
        except KeyboardInterrupt:
            words = f"interrupted; the run is saved as {path}"
            raise AlreadyPrinted(complain(words, INTERRUPTED)) from None
    report(result, path)
    if result.advice:
        err.print(f"warning: {result.advice}")
    console.print(f"saved as {path}; look at it with: serpenoid view {shlex.quote(str(path))}")


def _simulate(wanted: Scenario, source: Source, target: Path) -> Trajectory:
    """Run a scenario; of one that stops, keep what was computed."""
    try:
        with source.located(), warnings.catch_warnings():
            # What is wrong is printed with the summary.
            warnings.simplefilter("ignore", RoughRun)
            return wanted.run(progress=True)
    except (SimulationStopped, ControllerError) as stop:
        if stop.run is None:
            raise
        kept = target.with_name(f"{target.name}-stopped.nc")
        code = INTERRUPTED if isinstance(stop, Interrupted) else FAILED
        try:
            with undisturbed(), announced(kept):
                stop.run.save(kept)
        except KeyboardInterrupt:
            code = INTERRUPTED
        words = f"{stop}; what was computed, {stop.run.time[-1]:g} s, is in {kept}"
        raise AlreadyPrinted(complain(words, code)) from None


@app.command(
    epilog=examples(
        "serpenoid export aiko_pegs --mjcf aiko.xml",
        "serpenoid export mine.toml --set clock.time_step=5e-4 --mjcf mine.xml",
    )
)
def export(
    scenario: ScenarioName,
    model: Annotated[str, typer.Option("--mjcf", metavar="FILE", help="MuJoCo XML; - prints it.")],
    settings: Settings = None,
    allow_code: AllowCode = False,
) -> None:
    """Write the robot and the world of a scenario as a MuJoCo model; the gait stays here."""
    from serpenoid.export import mjcf

    source = read_source(scenario, settings, allow_code)
    keep_apart("--mjcf", model, source.file)
    with source.located():
        text = mjcf(source.scenario)
    give(text, model)
    if model != "-":
        out.print(f"model: {model}")


@app.command(
    epilog=examples("serpenoid view runs/aiko_pegs.nc", "serpenoid view RUN.nc --gif --no-open")
)
def view(
    file: RunFile,
    no_open: Annotated[bool, typer.Option("--no-open", help="Only write the page.")] = False,
    gif: Annotated[bool, typer.Option("--gif", help="Write an animated GIF as well.")] = False,
) -> None:
    """Write a page that plays the run in a browser, offline, and open it."""
    from serpenoid.plots.gif import write_gif
    from serpenoid.plots.viewer.opening import open_in_browser

    recorded = load(file)
    page, picture = file.with_suffix(".html"), file.with_suffix(".gif")
    with announced(page):
        recorded.view(page)
    out.print(f"page: {page}")
    if gif:
        with announced(picture), bar("drawing", 1.0) as progress:
            write_gif(recorded, picture, progress=progress)
        out.print(f"animation: {picture}")
    if not no_open:
        open_in_browser(page)


@app.command(epilog=examples("serpenoid verify runs/aiko_pegs.nc"))
def verify(file: RunFile, allow_code: AllowCode = False) -> None:
    """Run again what the file holds and compare; exit code 1 if it differs."""
    from serpenoid.analysis.equality import check_equality

    recorded = load(file)
    made_by = recorded.attributes.get("serpenoid_version", "unknown")
    if made_by != __version__:
        out.print(f"made by serpenoid {made_by}, repeated with {__version__}")
    with prefixed(f"{file} cannot be repeated"):
        wanted, source = Scenario.of(recorded), source_of(recorded.scenario.controller)
        if source is not None and allow_code:
            known = recorded.attributes.get(SOURCE_HASH)
            if source.digest() != known:
                out.print(f"{source.file().name} has changed since the run was made")
        again = wanted.run(progress=True, allow_code=allow_code)
    result = check_equality(recorded, again)
    out.print(f"{file}: {result}")
    planned, reached = recorded.scenario.clock.duration, recorded.time[-1] - recorded.time[0]
    if reached < planned * (1 - 1e-9):
        out.print(f"it was meant to last {planned:g} s and holds {reached:g} s")
    if not result.equal:
        raise typer.Exit(FAILED)


@app.command(epilog=examples("serpenoid bench", "serpenoid bench --json speed.json"))
def bench(
    json_file: Annotated[str | None, json_option("Write the numbers there; - prints them.")] = None,
) -> None:
    """Measure how fast this machine steps the gallery; make bench runs other engines beside it."""
    from serpenoid.bench import bench as measure

    rows = measure()
    if json_file is not None:
        give(dumps(rows), json_file)
        return
    lines = [
        [
            row["scenario"],
            f"{row['links']} links",
            f"{row['microseconds_per_step']:.2f} us/step",
            f"{row['times_real_time']:.0f} x real time",
        ]
        for row in rows
    ]
    show_table("compiled steps, one thread", lines)
