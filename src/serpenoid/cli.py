"""The command line: `serpenoid --help`."""

from __future__ import annotations

import contextlib
import io
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from serpenoid import papers, robots
from serpenoid._version import __version__
from serpenoid.control.controller import ControllerSpec
from serpenoid.errors import (
    ControllerError,
    Interrupted,
    InvalidInput,
    SerpenoidError,
    SimulationStopped,
    StudyInterrupted,
    StudyStopped,
)
from serpenoid.files import check_writable, dumps, write_text
from serpenoid.progress import bar, points_bar
from serpenoid.scenario.keys import setting
from serpenoid.scenario.scenario import Scenario, find, gallery
from serpenoid.solvers.methods import Method
from serpenoid.trajectory import Trajectory, load

if TYPE_CHECKING:
    from serpenoid.papers.reproduce import Report
    from serpenoid.studies.summary import Summary

FAILED, BAD_INPUT, INTERRUPTED, CLOSED_PIPE = 1, 2, 130, 141
# So many reasons why points of a sweep failed are shown; all are in its table.
_MOST_REASONS = 5


def _examples(*lines: str) -> str:
    return "\n\n".join(["[bold]Examples[/]", *(escape(line) for line in lines)])


app = typer.Typer(
    name="serpenoid",
    help="Snake-robot locomotion: simulate, look, reproduce papers, sweep parameters.",
    epilog=_examples(
        "serpenoid list",
        "serpenoid run aiko_pegs",
        "serpenoid view runs/aiko_pegs.nc",
        "serpenoid reproduce transeth2008",
        "serpenoid sweep gait_map.toml",
    )
    + "\n\nExit codes: 0 done, 1 a run stopped or a claim or check failed, 2 bad input, "
    "130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
# Paths and names are printed as they are, whatever brackets and colons they have.
out = Console(highlight=False, markup=False, emoji=False)
err = Console(stderr=True, highlight=False, markup=False, emoji=False)

RunFile = Annotated[Path, typer.Argument(metavar="RUN.nc", help="A saved run.")]


def main() -> None:
    """Run the command line; every error is one sentence on standard error."""
    # A polite kill, or a lost terminal, is as good as Ctrl-C: what was computed is kept.
    for stop in _STOPS:
        signal.signal(stop, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show is spelt out.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(invoke(sys.argv[1:]))


_STOPS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
# A second Ctrl-C within this time is impatience, not another wish, s.
_PATIENCE = 3.0
_last_interrupt = -_PATIENCE


def _interrupt(_signal: int, _frame: object) -> None:
    """Stop, but let what was computed be saved in peace."""
    global _last_interrupt
    now = time.monotonic()
    if now - _last_interrupt >= _PATIENCE:
        _last_interrupt = now
        raise KeyboardInterrupt


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Let nobody interrupt the saving of what was computed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {stop: signal.signal(stop, signal.SIG_IGN) for stop in _STOPS}
    try:
        yield
    finally:
        for stop, handler in before.items():
            signal.signal(stop, handler)


class _Told(Exception):
    """What went wrong has been said already."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code


def invoke(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    try:
        code = app(list(arguments), standalone_mode=False, prog_name="serpenoid")
    except _Told as told:
        return told.code
    except (Interrupted, StudyInterrupted, KeyboardInterrupt, typer.Abort) as stop:
        return _complain(str(stop) or "interrupted", INTERRUPTED)
    except (SimulationStopped, ControllerError, StudyStopped) as stop:
        return _complain(str(stop), FAILED)
    except SerpenoidError as error:
        return _complain(str(error), BAD_INPUT)
    except SystemExit:  # typer's and rich's answer to a reader that has closed our output
        return CLOSED_PIPE
    except Exception as error:
        # A wrong command line; typer's own class for it has changed its home more than once.
        if not hasattr(error, "format_message"):
            raise
        return _complain(_usage(error.format_message()), BAD_INPUT)
    if code == INTERRUPTED:
        return _complain("interrupted", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _usage(words: str) -> str:
    """Typer's complaint as one of ours."""
    sentence = " ".join(words.split()).rstrip(".")
    sentence = re.sub(
        r"\.? ?\(?(Possible options:|Did you mean) ([^?)]+)[?)]*$", r" (did you mean \2?)", sentence
    )
    return f"{sentence[:1].lower()}{sentence[1:]}; see serpenoid --help"


def _complain(words: str, code: int) -> int:
    message = Text("serpenoid: ", style="bold red", end="")
    err.print(message + Text(words, style="not bold default"), soft_wrap=True)
    return code


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"serpenoid {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Options of the program itself."""


@app.command("list")
def list_all() -> None:
    """Show what there is: scenarios, robots, gaits, solvers, papers."""
    _table("scenarios", [[name, Scenario.load(name).title] for name in gallery()])
    _table("robots", [[name, str(make(None))] for name, make in robots.BY_NAME.items()])
    for title, family in (("gaits and feedback", ControllerSpec), ("solvers", Method)):
        _table(title, [[kind, _first_line(member)] for kind, member in family.members.items()])
    _table("papers", [[key, papers.find(key).title] for key in papers.available()])


@app.command(epilog=_examples("serpenoid show aiko_pegs > mine.toml", "serpenoid run mine.toml"))
def show(scenario: Annotated[str, typer.Argument(help="Name in the gallery, or a file.")]) -> None:
    """Print a scenario file, to read or to start your own from."""
    Scenario.load(scenario)
    _print(find(scenario).read_text(encoding="utf-8"))


@app.command(
    epilog=_examples(
        "serpenoid run aiko_pegs",
        "serpenoid run mine.toml --set controller.phase_deg=-30 --out trial",
        'serpenoid run peg_forest --set "controller.parts[0].delay=0.5"',
    )
)
def run(
    scenario: Annotated[str, typer.Argument(help="Name in the gallery, or a TOML file.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a value; may be repeated."),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for the run.")
    ] = Path("runs"),
) -> None:
    """Simulate a scenario and save the run."""
    wanted = Scenario.load(scenario, dict(setting(text) for text in settings or []))
    name = Path(scenario).stem
    _make(folder)
    path, text = folder / f"{name}.nc", folder / f"{name}.toml"
    check_writable(path)
    check_writable(text)
    try:
        result = wanted.run(progress=True)
    except InvalidInput as error:
        raise InvalidInput(f"{scenario}: {error}") from None
    except (SimulationStopped, ControllerError) as stop:
        if stop.run is None:
            raise
        kept = folder / f"{name}-stopped.nc"
        with _undisturbed(), _announced(kept):
            stop.run.save(kept)
        code = INTERRUPTED if isinstance(stop, Interrupted) else FAILED
        words = f"{stop}; what was computed, {stop.run.time[-1]:g} s, is in {kept}"
        raise _Told(_complain(words, code)) from None
    # Never over the user's own file, which has his comments and not what was set.
    own = find(scenario).resolve() == text.resolve()
    with _undisturbed(), _announced(path, *([] if own else [text])):
        result.save(path)
        if not own:
            wanted.dump(text)
    _summarise(result)
    out.print(f"saved as {path}; look at it with: serpenoid view {path}", soft_wrap=True)


@app.command(
    epilog=_examples("serpenoid reproduce transeth2008", "serpenoid reproduce all --quick --json -")
)
def reproduce(
    paper: Annotated[str, typer.Argument(help="Key of a paper, or all.")],
    quick: Annotated[bool, typer.Option("--quick", help="Shorter runs, smaller studies.")] = False,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for figures and reports.")
    ] = Path("reproductions"),
    json_file: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write the claims there; - prints them."),
    ] = None,
) -> None:
    """Repeat a paper's experiments, judge its claims, draw its figures."""
    from serpenoid.papers.reproduce import reproduce as reproduce_paper

    chosen = [papers.find(key) for key in (papers.available() if paper == "all" else [paper])]
    console = err if json_file == "-" else out
    if json_file not in (None, "-"):
        check_writable(str(json_file))
    reports = []
    for each in chosen:
        _make(folder / each.key)
        if (folder / each.key / "claims.json").exists():
            err.print(f"replacing an earlier reproduction in {folder / each.key}", soft_wrap=True)
        with bar(each.key, 1.0) as progress:
            report = reproduce_paper(each, folder / each.key, quick=quick, show=progress)
        reports.append(report)
        _claims(report, console)
        console.print(
            f"{len(report.files)} files in {folder / each.key}, "
            f"begin with {folder / each.key / 'report.md'}",
            soft_wrap=True,
        )
    text = dumps([report.plain() for report in reports] if paper == "all" else reports[0].plain())
    _give(text, json_file)
    if not all(report.passed for report in reports):
        raise typer.Exit(FAILED)


@app.command(
    epilog=_examples(
        "serpenoid sweep gait_map.toml",
        "serpenoid sweep gait_map.toml --scheduler tcp://10.0.0.5:8786 --json -",
    )
)
def sweep(
    study: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="A study file.")],
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for the folder of the study.")
    ] = Path("sweeps"),
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", help="Processes; one for each core if not given."),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler", metavar="ADDRESS", help="Run on the cluster of this Dask scheduler."
        ),
    ] = None,
    json_file: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write a summary there; - prints it."),
    ] = None,
) -> None:
    """Run all points of a study and make a table of them; goes on where it was stopped."""
    from serpenoid.studies.study import Study
    from serpenoid.studies.summary import summarise
    from serpenoid.studies.sweeps import run_study

    wanted, home = Study.load(study), folder / study.stem
    if json_file not in (None, "-"):
        check_writable(str(json_file))
    with points_bar(len(wanted.points)) as show:
        outcome = run_study(wanted, home, scheduler, workers, show, _dashboard)
    summary = summarise(wanted, home, outcome)
    _points(summary, err if json_file == "-" else out)
    _give(dumps(summary.plain()), json_file)
    if summary.failed == summary.points:
        raise typer.Exit(FAILED)


@app.command(
    epilog=_examples("serpenoid view runs/aiko_pegs.nc", "serpenoid view RUN.nc --gif --no-open")
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
    with _announced(page):
        recorded.view(page)
    out.print(f"page: {page}", soft_wrap=True)
    if gif:
        with _announced(picture), bar("drawing", 1.0) as progress:
            write_gif(recorded, picture, progress=progress)
        out.print(f"animation: {picture}", soft_wrap=True)
    if not no_open:
        typer.launch(page.resolve().as_uri())


@app.command(
    epilog=_examples(
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
            err.print(f"no {each}: {error}", soft_wrap=True)
            continue
        path = target or file.with_name(f"{file.stem}-{each}.png")
        with _announced(path):
            plots.save(axes, path)
        plots.close(axes)
        out.print(f"figure: {path}", soft_wrap=True)


@app.command(epilog=_examples("serpenoid verify runs/aiko_pegs.nc"))
def verify(file: RunFile) -> None:
    """Run again what the file holds and compare; exit code 1 if it differs."""
    from serpenoid.analysis.compare import compare

    recorded = load(file)
    made_by = recorded.attributes.get("serpenoid_version", "unknown")
    if made_by != __version__:
        out.print(f"made by serpenoid {made_by}, repeated with {__version__}")
    try:
        again = Scenario.of(recorded).run(progress=True)
    except InvalidInput as error:
        raise InvalidInput(f"{file} cannot be repeated: {error}") from None
    result = compare(recorded, again)
    out.print(f"{file}: {result}", soft_wrap=True)
    planned, reached = recorded.scenario["duration"], recorded.time[-1] - recorded.time[0]
    if reached < planned * (1 - 1e-9):
        out.print(f"it was meant to last {planned:g} s and holds {reached:g} s", soft_wrap=True)
    if not result.equal:
        raise typer.Exit(FAILED)


@app.command()
def bench(
    json_file: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write the numbers there; - prints them."),
    ] = None,
) -> None:
    """Measure how fast this machine steps the gallery; make bench runs other engines beside it."""
    from serpenoid.bench import bench as measure

    if json_file not in (None, "-"):
        check_writable(str(json_file))
    rows = measure()
    if json_file is not None:
        _give(dumps(rows), json_file)
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
    _table("compiled steps, one thread", lines)


# ----------------------------------------------------------------------------------------- output


def _table(title: str, rows: list[list[str]]) -> None:
    table = Table(title=title, title_justify="left", box=None, show_header=False, padding=(0, 2))
    for row in rows:
        table.add_row(*map(Text, row))  # as they are, brackets and all
    out.print(table)
    out.print()


def _first_line(member: Any) -> str:
    return ((member.__doc__ or "").strip().splitlines() or [""])[0]


def _summarise(result: Trajectory) -> None:
    """Speed, energy and certificate of a run."""
    columns, energy = result.columns, result.energy()
    out.print(str(result), style="bold", soft_wrap=True)
    spent = ", ".join(
        f"{name} {value:+.3g} J" for name, value in energy.items() if abs(value) > 1e-9
    )
    out.print(f"energy: {spent}", soft_wrap=True)
    out.print(
        f"certificate: law residual {columns['law_residual'].max():.1e} m/s, penetration "
        f"{1000 * columns['penetration'].max():.3f} mm, energy unaccounted "
        f"{energy['residual']:.0e} J, {int(columns['halvings'].sum())} steps halved",
        soft_wrap=True,
    )
    span = result.time[-1] - result.time[0]
    if result.stepping_seconds > 0:
        speed = span / result.stepping_seconds
        out.print(f"{span:g} s stepped in {result.stepping_seconds:.3g} s, {speed:.0f} x real time")


def _claims(report: Report, console: Console) -> None:
    from serpenoid.papers.paper import Verdict
    from serpenoid.papers.reproduce import shown

    colours = dict(zip(Verdict, ("green", "yellow", "red", "magenta"), strict=True))
    table = Table(title=f"{report.paper.key}: {report.paper.title}", title_justify="left", box=None)
    for head in ("claim", "published", "measured", "verdict"):
        table.add_column(head, no_wrap=True)
    for claim in report.paper.claims:
        finding = report.findings[claim.id]
        values = (shown(value, claim) for value in (claim.published, finding.measured))
        verdict = Text(finding.verdict, style=colours[finding.verdict])
        table.add_row(claim.id, *map(Text, values), verdict)
    console.print(table)
    console.print()
    for claim in report.paper.claims:
        words = f"{claim.id}, {claim.statement}: {report.findings[claim.id].note}"
        console.print(words, soft_wrap=True)
    console.print()


def _dashboard(link: str) -> None:
    err.print(f"dashboard: {link}", soft_wrap=True)


def _points(summary: Summary, console: Console) -> None:
    """What came out of a sweep."""
    table = Table(title=summary.title or None, title_justify="left", box=None)
    for head in ("metric", "least", "median", "largest", "unit"):
        table.add_column(head, no_wrap=True)
    for name, numbers in summary.metrics.items():
        cells = ("-" if value is None else f"{value:.4g}" for value in numbers.spread())
        table.add_row(*map(Text, (name, *cells, numbers.unit)))
    console.print(table)
    console.print()
    for reason, count in list(summary.errors.items())[:_MOST_REASONS]:
        console.print(f"{count} failed: {reason}", soft_wrap=True)
    console.print(summary.line(), soft_wrap=True)
    console.print(f"table: {summary.table}", soft_wrap=True)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"--out {folder} cannot be a folder: {error.strerror}") from None


@contextlib.contextmanager
def _announced(*files: Path) -> Iterator[None]:
    """Nothing is overwritten in silence; said once it is done, so that it is true."""
    there = [str(file) for file in files if file.exists()]
    yield
    if there:
        err.print(f"replaced {' and '.join(there)}", soft_wrap=True)


def _give(text: str, json_file: str | None) -> None:
    """Print JSON, or write it to a file."""
    if json_file == "-":
        _print(text)
    elif json_file is not None:
        with _announced(Path(json_file)):
            write_text(json_file, text)


def _print(text: str) -> None:
    """Exactly this on standard output, if there is one."""
    if sys.stdout is not None:
        sys.stdout.write(text)
