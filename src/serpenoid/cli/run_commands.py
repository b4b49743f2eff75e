"""Commands for scenarios and their runs."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from serpenoid import papers, robots
from serpenoid._version import __version__
from serpenoid.cli.output import (
    FAILED,
    Told,
    announced,
    app,
    complain,
    err,
    examples,
    give,
    json_option,
    make_folder,
    out,
    output_name,
    print_text,
    show_table,
)
from serpenoid.control.interface import ControllerSpec
from serpenoid.engine.storage import load
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import (
    ControllerError,
    Interrupted,
    InvalidInput,
    RoughRun,
    SimulationStopped,
    prefixed,
)
from serpenoid.files import check_writable, dumps
from serpenoid.interrupts import INTERRUPTED, undisturbed
from serpenoid.methods.method import Method
from serpenoid.progress import bar
from serpenoid.scenario.keys import setting
from serpenoid.scenario.scenario import Scenario, find, gallery

RunFile = Annotated[Path, typer.Argument(metavar="RUN.nc", help="A saved run.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a value; may be repeated."),
]


@app.command("list")
def list_all() -> None:
    """List scenarios, robots, gaits, solvers and papers."""
    show_table("scenarios", [[name, Scenario.load(name).title] for name in gallery()])
    show_table("robots", [[name, str(make(None))] for name, make in robots.BY_NAME.items()])
    for title, family in (("gaits and feedback", ControllerSpec), ("solvers", Method)):
        members = family.offered().items()
        show_table(title, [[kind, _first_line(member)] for kind, member in members])
    show_table("papers", [[key, papers.find(key).title] for key in papers.available()])


@app.command(epilog=examples("serpenoid show aiko_pegs > mine.toml", "serpenoid run mine.toml"))
def show(scenario: Annotated[str, typer.Argument(help="Name in the gallery, or a file.")]) -> None:
    """Print a scenario file, to read or to start your own from."""
    Scenario.load(scenario)
    print_text(find(scenario).read_text(encoding="utf-8"))


@app.command(
    epilog=examples(
        "serpenoid run aiko_pegs",
        "serpenoid run mine.toml --set controller.phase_deg=-30 --out trial",
        'serpenoid run peg_forest --set "controller.parts[0].delay=0.5"',
    )
)
def run(
    scenario: Annotated[str, typer.Argument(help="Name in the gallery, or a TOML file.")],
    settings: Settings = None,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for the run.")
    ] = Path("runs"),
) -> None:
    """Simulate a scenario and save the run."""
    wanted = load_scenario(scenario, settings)
    simulate_and_save(wanted, scenario, folder / output_name(scenario), _summarise)


def load_scenario(scenario: str, settings: list[str] | None) -> Scenario:
    """Load a scenario with the values of --set."""
    return Scenario.load(scenario, dict(setting(text) for text in settings or []))


def simulate_and_save(
    wanted: Scenario, source: str, target: Path, report: Callable[[Trajectory], None]
) -> None:
    """Simulate a scenario and save the run; of one that stops, what was computed.

    Args:
        wanted: The scenario.
        source: Its name or file on the command line.
        target: Path of run and scenario, without a suffix.
        report: Prints the results.
    """
    make_folder(target.parent)
    path, text = (target.with_name(target.name + suffix) for suffix in (".nc", ".toml"))
    check_writable(path)
    check_writable(text)
    # Never over the user's own file, which has his comments and not what was set.
    own = find(source).resolve() == text.resolve()
    try:
        with prefixed(source), warnings.catch_warnings():
            # What is wrong is printed with the summary.
            warnings.simplefilter("ignore", RoughRun)
            result = wanted.run(progress=True)
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
        raise Told(complain(words, code)) from None
    try:
        with undisturbed(), announced(path, *([] if own else [text])):
            result.save(path)
            if not own:
                wanted.dump(text)
    except KeyboardInterrupt:
        raise Told(complain(f"interrupted; the run is saved as {path}", INTERRUPTED)) from None
    report(result)
    if result.advice:
        err.print(f"warning: {result.advice}")
    out.print(f"saved as {path}; look at it with: serpenoid view {path}")


@app.command(
    epilog=examples(
        "serpenoid export aiko_pegs --mjcf aiko.xml",
        "serpenoid export mine.toml --set clock.time_step=5e-4 --mjcf mine.xml",
    )
)
def export(
    scenario: Annotated[str, typer.Argument(help="Name in the gallery, or a TOML file.")],
    model: Annotated[str, typer.Option("--mjcf", metavar="FILE", help="MuJoCo XML; - prints it.")],
    settings: Settings = None,
) -> None:
    """Write the robot and the world of a scenario as a MuJoCo model; the gait stays here."""
    from serpenoid.export import mjcf

    wanted = load_scenario(scenario, settings)
    with prefixed(scenario):
        text = mjcf(wanted)
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
        typer.launch(page.resolve().as_uri())


@app.command(
    epilog=examples(
        "serpenoid plot runs/aiko_pegs.nc path", "serpenoid plot RUN.nc energy --out e.pdf"
    )
)
def plot(
    file: RunFile,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="What to draw; all draws each.")],
    target: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="PNG, PDF or SVG; beside the run if not given."),
    ] = None,
) -> None:
    """Draw a figure of a run: path, joint_angles, torques, speeds, energy, ..."""
    from serpenoid import plots

    recorded = load(file)
    kinds = list(plots.KINDS) if kind == "all" else [kind]
    if target is not None and kind == "all":
        raise InvalidInput(f"--out {target} is not allowed with all, which writes many files")
    for each in kinds:
        try:
            axes = plots.draw(recorded, each)
        except InvalidInput as error:
            if kind != "all":
                raise
            err.print(f"no {each}: {error}")
            continue
        path = target or file.with_name(f"{file.stem}-{each}.png")
        with announced(path):
            plots.save(axes, path)
        plots.close(axes)
        out.print(f"figure: {path}")


@app.command(epilog=examples("serpenoid verify runs/aiko_pegs.nc"))
def verify(file: RunFile) -> None:
    """Run again what the file holds and compare; exit code 1 if it differs."""
    from serpenoid.analysis.compare import compare

    recorded = load(file)
    made_by = recorded.attributes.get("serpenoid_version", "unknown")
    if made_by != __version__:
        out.print(f"made by serpenoid {made_by}, repeated with {__version__}")
    with prefixed(f"{file} cannot be repeated"):
        again = Scenario.of(recorded).run(progress=True)
    result = compare(recorded, again)
    out.print(f"{file}: {result}")
    planned, reached = recorded.scenario.clock.duration, recorded.time[-1] - recorded.time[0]
    if reached < planned * (1 - 1e-9):
        out.print(f"it was meant to last {planned:g} s and holds {reached:g} s")
    if not result.equal:
        raise typer.Exit(FAILED)


@app.command()
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


def _first_line(member: Any) -> str:
    return (inspect.getdoc(member) or "").partition("\n")[0]


def _summarise(result: Trajectory) -> None:
    """Speed, energy and certificate of a run."""
    columns, energy = result.columns, result.energy()
    out.print(str(result), style="bold")
    spent = ", ".join(
        f"{name} {value:+.3g} J" for name, value in energy.items() if abs(value) > 1e-9
    )
    out.print(f"energy: {spent}")
    lost = f"{int(columns['halvings'].sum())} steps halved"
    if "integrator_steps" in columns:
        lost = f"{int(columns['integrator_steps'].sum())} integrator steps"
    if "unresolved_modes" in columns:
        lost = f"{int(columns['unresolved_modes'].sum())} contact modes unresolved"
    out.print(
        f"certificate: law residual {columns['law_residual'].max():.1e} m/s, penetration "
        f"{1000 * columns['penetration'].max():.3f} mm, energy unaccounted "
        f"{energy['residual']:.0e} J, {lost}"
    )
    span = result.time[-1] - result.time[0]
    if result.stepping_seconds > 0:
        speed = span / result.stepping_seconds
        out.print(f"{span:g} s stepped in {result.stepping_seconds:.3g} s, {speed:.0f} x real time")
