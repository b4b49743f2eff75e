"""What a notebook shows: players, drawings, progress; and what is shown without one."""

from __future__ import annotations

import dataclasses
import os
import re
import webbrowser
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import serpenoid as sp
from serpenoid import displays, progress
from serpenoid.plots import KINDS
from serpenoid.plots.notebook import player, shown
from serpenoid.plots.still import standing
from tests.plots.pages import PHONE

ROBOT = sp.Robot.uniform(8, length=0.1, mass=0.3, radius=0.03, name='Eight & "co"')


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    return sp.Scenario.load("aiko_pegs").run(duration=2.0)


# ------------------------------------------------------------------------------- inside a notebook


@pytest.fixture(scope="module")
def outputs() -> list[list[dict]]:
    """Outputs of the cells of one notebook, executed by a kernel."""
    cells = [
        "import serpenoid as sp\nscenario = sp.Scenario.load('aiko_pegs')\n"
        "run = scenario.run(duration=0.5)\nrun",
        "scenario",
        "run.robot",
        "run.world",
        "run.view()",
        "import time\nfrom serpenoid import progress\nprogress._PATIENCE = 0\n"
        "with progress.clock_bar(0.0, 2.0) as show:\n    show(1.0); time.sleep(0.25); show(1.5)\n"
        "    time.sleep(0.25); show(2.0)",
        "scenario.run(duration=0.5, progress=True).time[-1]",
        "run.plot.path()",
        "run.plot.energy()",
        "run.robot",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    env = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    NotebookClient(book, timeout=120, kernel_name="python3").execute(env=env)
    return [cell["outputs"] for cell in book.cells]


def test_notebook_shows_player_and_drawings(outputs):
    first, scenario, robot, world, view, *_ = outputs
    for cell, words in ((first, "<Trajectory Aiko"), (scenario, "<Scenario "), (robot, "<Robot ")):
        (output,) = cell
        assert output["output_type"] == "execute_result"
        assert output["data"]["text/plain"].startswith(words)
    assert "<iframe" in first[0]["data"]["text/html"]
    for (output,) in (scenario, robot, world):
        page = output["data"]["text/html"]
        assert "<svg" in page
        assert "<table>" in page
    (output,) = view
    assert output["output_type"] == "display_data"
    assert "<iframe" in output["data"]["text/html"]


def test_progress_appears_in_a_notebook(outputs):
    *_, bar, run, _, _, _ = outputs
    (output,) = bar
    assert output["output_type"] == "display_data"
    words = output["data"]["text/html"]
    assert '<progress value="2" max="2"></progress> 2 of 2 s, ' in words
    assert "x real time" in words
    shown, result = run
    assert "0.5 of 0.5 s, " in shown["data"]["text/html"]
    assert result["data"]["text/plain"].endswith("0.5)")


def test_every_figure_appears_once_below_its_cell(outputs):
    *_, path, energy, robot = outputs
    for cell in (path, energy):
        result, picture = cell
        assert result["data"]["text/plain"].startswith("<Axes: ")
        assert "image/png" in picture["data"]
    assert len(robot) == 1  # and a drawing is no figure of its own


class _Notebook:
    """A kernel's shell, as far as it is asked."""

    kernel = object()


def test_bar_of_a_study_is_shown_only_where_it_is_wanted(monkeypatch):
    asked = []
    monkeypatch.setattr(progress, "bar", lambda label, total: asked.append((label, total)))
    with progress.study_bar(False, 3, "optimising", "trials") as show:
        show(1, 3, "words")
    assert asked == []
    with pytest.raises(TypeError), progress.study_bar(True, 3, "optimising", "trials"):
        pass  # what stands in for the bar here is no context manager
    assert asked == [("optimising", 3)]
    with pytest.raises(sp.InvalidInput) as refused:
        progress.study_bar(1, 3)
    assert str(refused.value) == "progress = 1 is not allowed: it must be True or False"


@pytest.fixture
def bars(monkeypatch) -> list[str]:
    """What bars in a notebook say, by a clock of which every look takes longer."""
    seen: list[str] = []

    class Handle:
        def update(self, picture):
            seen.append(re.sub("<.*?>", "", picture.data))

    def display(picture, display_id):
        Handle().update(picture)
        return Handle()

    import IPython.display

    clock = iter([0.0, 1.0, 4.0, 4.1, 5.0, 10.0])
    monkeypatch.setattr(IPython, "get_ipython", _Notebook)
    monkeypatch.setattr(IPython.display, "display", display)
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(clock))
    return seen


def test_bar_in_a_notebook_says_how_long_it_takes(bars):
    with progress.bar("<work>", 10.0) as show:
        for done in (1.0, 4.0, 4.1, 5.0, 10.0):
            show(done, f"{done:g} done")
    assert bars == [
        "&lt;work&gt;  4 done, 6 s left",
        "&lt;work&gt;  5 done, 5 s left",
        "&lt;work&gt;  10 done",
    ]


def test_bar_in_a_notebook_of_work_that_failed_says_so(bars):
    def fail():
        with progress.bar("work", 10.0) as show:
            for done in (1.0, 4.0, 4.1):
                show(done, f"{done:g} done")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert bars == ["work  4 done, 6 s left", "work  4.1 done, stopped"]


def test_bar_in_a_notebook_of_work_that_was_less_is_over(bars):
    with progress.bar("work", 10.0) as show:
        for done in (1.0, 4.0):
            show(done, f"{done:g} done")
    assert bars == ["work  4 done, 6 s left", "work  4 done"]


# ----------------------------------------------------------------------------- the inline player


def notebook_page(run: sp.Trajectory, folder: Path) -> Path:
    """A page with a player in a cell, and style of its own."""
    file = folder / "book.html"
    style = "button, canvas, p { color: rgb(1, 2, 3); display: none }"
    file.write_text(f"<!doctype html><style>{style}</style><p>book</p>{run._repr_html_()}", "utf-8")
    return file


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("phone", [False, True])
def test_player_plays_inside_a_notebook(visit, run, tmp_path, scheme, phone):
    options = PHONE if phone else {"viewport": {"width": 1400, "height": 900}}
    page = visit(notebook_page(run, tmp_path), color_scheme=scheme, **options)
    (frame,) = page.frames[1:]
    frame.wait_for_selector("#play:visible")
    for _ in range(1000):
        if frame.evaluate("serpenoid.time()") > 0.05:
            break
        page.wait_for_timeout(10)
    assert frame.evaluate("serpenoid.playing()")
    frame.evaluate("serpenoid.pause(); serpenoid.seek(1)")
    pose = frame.evaluate("serpenoid.pose()")
    np.testing.assert_allclose(pose["x"], run.columns["x"][run.row(1.0)], rtol=0, atol=6e-5)
    assert frame.evaluate("document.documentElement.scrollWidth") <= frame.evaluate("innerWidth")
    # Neither style leaks: the notebook hides its paragraphs, the player shows its own.
    assert frame.locator("header p").is_visible()
    assert page.locator("p").first.is_hidden()
    assert frame.evaluate("document.getElementById('stage').getBoundingClientRect().height") > 200


def test_player_inside_a_notebook_is_closed_off_and_saves(visit, run, tmp_path):
    page = visit(notebook_page(run, tmp_path), viewport={"width": 1400, "height": 900})
    (frame,) = page.frames[1:]
    frame.wait_for_selector("#play:visible")
    assert page.get_attribute("iframe", "sandbox") == "allow-scripts allow-downloads"
    assert frame.evaluate("window.origin") == "null"
    with page.expect_download() as download:
        frame.click("#save-numbers")
    header = Path(download.value.path()).read_text("utf-8").splitlines()[0]
    assert header.startswith("time (s),speed (cm/s),energy_actuator (J)")


def test_long_runs_are_thinned_inside_a_notebook():
    robot = sp.Robot.uniform(80, length=0.1, mass=0.3, radius=0.03)
    long = sp.simulate(robot, sp.World(), None, 30.0, start=sp.Start(velocity=(0.01, 0.0)))
    words = player(long)
    assert len(words) < 1.3e6
    assert re.search(r"\d+ of 3001 recorded rows, [\d.]+ of 100 frames/s", words)


# ----------------------------------------------------------------------------------- the drawings


@pytest.mark.parametrize("name", sp.gallery())
def test_scenarios_are_drawn_in_their_start_pose(name):
    scenario = sp.Scenario.load(name)
    pose = standing(scenario)
    start = scenario.run(duration=scenario.record.period)
    for axis in ("x", "y", "theta", *(("load_x", "load_theta") if pose.world.loads else ())):
        np.testing.assert_allclose(pose.columns[axis][0], start.columns[axis][0], atol=1e-12)


def test_robots_and_worlds_are_drawn(tmp_path):
    page = shown(ROBOT)
    assert "<svg" in page
    assert "Eight &amp; &quot;co&quot;: 8 links" in page
    assert 'Eight & "co"' not in page
    world = sp.World(
        pegs=(sp.Peg(1.0, 0.4, 0.05),),
        loads=(sp.Disc(1.5, 0.0, 0.3, radius=0.1),),
        patches=(sp.Patch(x=0.0, y=0.3, width=0.3, height=0.2, friction=sp.Coulomb(0.1)),),
    )
    page = shown(world)
    assert all(f">{name}</th>" in page for name in ("pegs", "loads", "patches", "friction"))
    assert "<svg" not in shown(sp.World(friction=sp.Coulomb(0.3)))
    side = shown(sp.Scenario.load("pedal_wave").built[1])
    assert ">terrain</th>" in side


def test_a_drawing_never_runs_foreign_code(run):
    named = dataclasses.replace(run.scenario, controller=sp.PythonController("nowhere:Missing"))
    assert "nowhere:Missing" in shown(named)


def test_what_cannot_be_drawn_is_shown_as_text():
    wrong = dataclasses.replace(sp.Scenario.load("aiko_pegs"), start=sp.Start(link=99))
    assert wrong._repr_html_() is None
    assert shown(3) is None


# ------------------------------------------------------------------------------- lines of text


LONG_WALL = sp.Wall(points=tuple((float(k), 0.0) for k in range(40)))


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (ROBOT, '<Robot Eight & "co": 8 links, 0.8 m, 2.4 kg, Servo joints>'),
        (
            sp.World(friction=sp.Coulomb(0.2), pegs=sp.fields.aiko_track()),
            "<World: friction Coulomb(mu=0.2), 7 pegs>",
        ),
        (
            sp.Scenario.load("aiko_pegs"),
            "<Scenario 'Aiko on its peg track', robot aiko, AikoTrack, Serpenoid, 10 s>",
        ),
        (
            sp.Scenario.load("push_disc"),
            "<Scenario 'Pushing a disc', robot pusher, 1 load, ConstantTorque, 0.5 s>",
        ),
        (sp.Coulomb(0.2), "Coulomb(mu=0.2)"),
        (sp.Newton(), "Newton()"),
        (LONG_WALL, "Wall(points=(40 values))"),
        (sp.Start(joint_angles_deg=(1.0,) * 10), "Start(joint_angles_deg=(10 values))"),
        (
            sp.Joint(actuator=sp.Servo(20, 5), limits_deg=(-60, 60)),
            "Joint(actuator=Servo(kp=20.0, kd=5.0), limits_deg=(-60.0, 60.0))",
        ),
        (sp.Scenario.load("waypoints").controller, "References(parts=(Follower, Heading))"),
        (
            sp.PythonController("m:" + "N" * 300),
            f"PythonController(source='m:{'N' * 42}..., parameters={{}})",
        ),
    ],
)
def test_one_line_of_text(value, line):
    assert repr(value) == line


def test_every_scenario_of_the_gallery_is_one_line():
    for name in sp.gallery():
        scenario = sp.Scenario.load(name)
        for value in (
            scenario,
            *scenario.built,
            scenario.controller,
            scenario.world,
            scenario.start,
        ):
            assert len(repr(value)) <= 200
            assert "\n" not in repr(value)


def test_state_is_one_line(run):
    assert repr(run.state) == "<State of 11 links at 2 s>"


def test_mark_of_a_controller_in_a_saved_state_is_as_it_was():
    path = sp.Waypoints(points=((1.0, 0.0), (1.0, 0.6)), acceptance=0.2)
    controller = sp.Follower(10, 40, 0.7) + sp.Heading(1.0, 0.5, path)
    assert displays.in_full(controller) == (
        "References(parts=(Follower(amplitude_deg=10.0, frequency_deg=40.0, delay=0.7), Heading("
        "gain=1.0, look_ahead=0.5, path=Waypoints(points=((1.0, 0.0), (1.0, 0.6)), "
        "acceptance=0.2))), period=0.01, cutoff=0.75, sensor=ContactSensor(noise=0.0, "
        "quantum=0.0, delay=0.0, seed=1))"
    )
    assert displays.in_full((1.0,)) == "(1.0,)"
    corners = tuple((float(k), 1.0) for k in range(5))
    long = sp.Follower(10, 40, 0.7) + sp.Heading(1.0, 0.5, sp.Waypoints(corners, acceptance=0.2))
    assert f"path=Waypoints(points={corners}, acceptance=0.2)" in displays.in_full(long)


# -------------------------------------------------------------------------- without a notebook


@pytest.fixture
def nowhere(monkeypatch, tmp_path) -> Path:
    """No display, and a folder for temporary files."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_page_is_opened_in_the_browser(run, nowhere, monkeypatch, capsys):
    opened: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(opened.append(address)) or True)
    path = run.view()
    assert opened == [path.as_uri()]
    assert path.name == "Aiko_on_its_peg_track.html"
    assert path.is_relative_to(nowhere)
    assert capsys.readouterr().err == ""


def test_page_of_compared_runs_needs_no_name(run, nowhere, monkeypatch):
    opened: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(opened.append(address)) or True)
    path = sp.compare({"smooth": run, "rough": run}).view(title="Two & two")
    assert opened == [path.as_uri()]
    assert path.name == "smooth_rough.html"
    assert "<title>Two &amp; two" in path.read_text("utf-8")


def test_compared_runs_are_played_below_the_cell(run, nowhere, monkeypatch):
    import IPython.display

    seen: list[object] = []
    monkeypatch.setattr(IPython, "get_ipython", _Notebook)
    monkeypatch.setattr(IPython.display, "display", seen.append)
    assert sp.compare({"smooth": run, "rough": run}).view() is None
    assert seen[0].data.startswith(
        '<p>smooth, rough</p><iframe title="smooth, rough, a player" srcdoc="'
    )
    assert list(nowhere.iterdir()) == []


def test_without_a_display_one_sentence_says_where_the_page_is(run, nowhere, monkeypatch, capsys):
    path = run.view()
    assert path.read_text("utf-8").endswith("</html>\n")
    assert capsys.readouterr().err == (
        f"serpenoid: there is no display to open the page on; it is {path}\n"
    )
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    path = run.view()
    assert capsys.readouterr().err == (
        f"serpenoid: no browser was found to open the page with; it is {path}\n"
    )


API = "".join(page.read_text("utf-8") for page in Path("docs/api").glob("*.md"))
# Names of rooms that other pages show.
ELSEWHERE = {
    "analysis": set(),
    "envs": {"SerpenoidEnv", "SerpenoidVectorEnv"},
    "papers": {"available", "find"},
    "plots": {"KINDS", "canvas", "close", "draw", "render"},
    "studies": set(),
}


@pytest.mark.parametrize("room", ELSEWHERE)
def test_tab_completion_of_a_room_offers_what_the_pages_of_the_api_list(room):
    listed = set(re.findall(rf"^\.\. auto\w+:: serpenoid\.{room}\.(\w+)", API, re.MULTILINE))
    if room == "envs":
        listed = set()  # by the modules of the two classes
    # The player is on a page of its own.
    listed |= ELSEWHERE[room] | ({"viewer"} if room == "plots" else set())
    module = getattr(sp, room)
    assert dir(module) == sorted(listed)
    for name in listed:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match=f"module 'serpenoid.{room}' has no attribute 'no'"):
        _ = module.no


def test_tab_completion_finds_everything(run):
    rooms = {"analysis", "envs", "errors", "papers", "plots", "studies"}
    assert dir(sp) == sorted({*sp.__all__, *rooms})
    assert dir(run.plot) == sorted(KINDS)
    plots = sp.compare({"a": run, "b": run}).plot
    assert dir(plots) == sorted(set(KINDS) - {"contacts", "contact_forces", "stick_slip"})
    assert sp.analysis.__name__ == "serpenoid.analysis"
    with pytest.raises(AttributeError, match="module 'serpenoid' has no attribute 'nothing'"):
        _ = sp.nothing
