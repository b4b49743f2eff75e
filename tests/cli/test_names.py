"""Names, titles and paths from outside: none steers the terminal or leads out of a folder."""

import io
import os
import sys
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid import progress
from serpenoid.cli import invoke, output
from serpenoid.files import file_name, make_folder, write_text
from serpenoid.scenario.sections import Chain
from serpenoid.studies.study import Study
from serpenoid.text import printable
from tests.sentences import refusal

# Sets the title of a window, clears the screen, hides what stands before, turns the direction of
# writing, is a control of its own (as one character), rings, ends a line, ends a paragraph.
HOSTILE = [
    "\x1b]0;x\x07",
    "\x1b[2J",
    "\r",
    "\u202e",
    "\x9b2J",
    "\a",
    "\n",
    "\u2029",
    "\x00",
    "\x7f",
]
# Rich would take these for styles and links.
MARKUP = ["[bold]x[/]", "[/]", "[link=http://x]y[/link]", ":snake:"]
ORDINARY = ["", "ü", "🐍", "🧑\u200d🔬", "می\u200cخواهم", "a\xa0b", *MARKUP]
LINKS = {"links": 2, "length": 0.1, "mass": 1.0, "radius": 0.02}
SCENARIO = "[robot]\nlinks = 2\nlength = 0.1\nmass = 1.0\nradius = 0.02\n"
STUDY = """
base = "aiko_flat"
metrics = ["mean_speed"]
[parameters."controller.phase_deg"]
values = [-30, -40]
"""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    """A folder within a folder, so that a test sees what is written beside it."""
    here = tmp_path / "outer" / "inner"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)


def steers(text: str) -> bool:
    """Whether text that is printed on several lines holds a control."""
    return any(printable(line) != line for line in text.split("\n"))


def test_text_that_steers_a_terminal_is_spelt_out():
    for text in HOSTILE:
        assert printable(f"a{text}b").isprintable()
    assert printable("a\x1b[1m\u202e\n\x9b") == r"a\x1b[1m\u202e\n\x9b"
    assert printable("a\nb\rc", keep="\n") == "a\nb\\rc"
    for text in ORDINARY:
        assert printable(text) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_names_and_titles_hold_no_control_characters(text):
    allowed = "it must be one line without control characters"
    name = f"a{text}"
    makers = {
        "Scenario.title": lambda: sp.Scenario(robot=LINKS, title=name),
        "Robot.name": lambda: sp.Robot.uniform(**LINKS, name=name),
        "Chain.name": lambda: Chain(**LINKS, name=name),
        "Study.title": lambda: Study(
            "aiko_flat", {"seed": {"values": [1, 2]}}, ["mean_speed"], name
        ),
    }
    for place, make in makers.items():
        assert refusal(make) == f"{place} = {name!r} is not allowed: {allowed}"


@pytest.mark.parametrize("text", ORDINARY)
def test_other_titles_are_as_they_were(text):
    scenario = sp.Scenario(robot=LINKS, title=text)
    assert sp.Scenario.loads(scenario.dumps()).title == text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_error_steers_the_terminal(text, capsys):
    inside = "".join(f"\\u{ord(letter):04x}" for letter in text)
    lines = {
        "key": SCENARIO + f'"a{inside}" = 1\n',
        "section": SCENARIO + f'["a{inside}"]\nb = 1\n',
        "title": f'title = "a{inside}"\n' + SCENARIO,
        "kind": SCENARIO + f'[controller]\nkind = "a{inside}"\n',
        "value": SCENARIO + f'[clock]\nduration = "a{inside}"\n',
    }
    for content in lines.values():
        Path("bad.toml").write_text(content)
        assert invoke(["run", "bad.toml"]) == 2
    for command in ("run", "view", "sweep", f"a{text}", f"--a{text}"):
        assert invoke([command, f"a{text}.toml"]) == 2
    assert invoke(["run", "aiko_flat", "--set", f"a{text}=1"]) == 2
    assert invoke(["run", "aiko_flat", "--out", f"/dev/null/a{text}"]) == 2
    told = capsys.readouterr()
    assert not told.out
    assert not steers(told.err)
    assert len(told.err.splitlines()) == len(lines) + 7


@pytest.mark.parametrize("text", HOSTILE)
def test_what_python_prints_of_an_error_is_harmless(text):
    for kind in (sp.InvalidInput, sp.OutputError, sp.ControllerError):
        assert not steers(str(kind(f"a{text}b")))


@pytest.mark.parametrize("text", [*HOSTILE, *MARKUP])
def test_what_is_printed_is_text_and_nothing_else(text, capsys):
    output.out.print(f"a{text}")
    output.show_table(f"a{text}", [[f"b{text}", f"c{text}"]], (f"d{text}", "e"))
    output.complain(f"a{text}", 2)
    told = capsys.readouterr()
    assert not steers(told.out + told.err)
    if text in MARKUP:
        assert [told.out.count(letter + text) for letter in "abcd"] == [2, 1, 1, 1]


@pytest.mark.parametrize("text", ["\x1b]0;x\x07", "\u202e", *MARKUP])
def test_bars_show_words_as_they_are(text, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.points_bar(2) as show:
        show(1, 2, f"a{text}")
    shown = capsys.readouterr().err
    assert f"a{printable(text)}" in shown
    assert text in MARKUP or text not in shown


class Terminal(io.StringIO):
    """A terminal that keeps what it shows."""

    def isatty(self) -> bool:
        return True


def test_a_file_is_shown_as_it_is_but_on_a_terminal(monkeypatch, capsys):
    text = SCENARIO + "# \u202e\x9b\tü\n"
    Path("mine.toml").write_text(text, encoding="utf-8")
    assert invoke(["show", "mine.toml"]) == 0
    assert capsys.readouterr().out == text
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    assert invoke(["show", "mine.toml"]) == 0
    assert terminal.getvalue() == SCENARIO + "# \\u202e\\x9b\tü\n"


NO_NAMES = [
    "",
    ".",
    "..",
    "a/b",
    "/a",
    "a\\b",
    "\x00",
    "a\n",
    "\x1b",
    "\udc80",
    "a" * 201,
    "ü" * 101,
]
DEVICES = ["CON", "con", "nul.x", "COM1", "lpt9 .x", "Aux"]


@pytest.mark.parametrize("name", [*NO_NAMES, *DEVICES])
def test_names_that_lead_elsewhere_are_refused(name):
    words = refusal(lambda: file_name(name))
    assert words.endswith(
        "is not allowed as a name of output: it must be 1 to 200 bytes without slashes and control "
        "characters, and neither . nor .. nor a device of Windows"
    )
    assert len(words) < 300


@pytest.mark.parametrize("name", ["a", "...", ".a", "a.b", "ü", "🐍", "console", "a:b", "a" * 200])
def test_other_names_are_names(name):
    assert file_name(name) == name


@pytest.mark.parametrize("command", ["run", "sweep", "optimise", "plan-push"])
@pytest.mark.parametrize("file", ["...toml", "..toml", "a\x1b.toml", "con.toml"])
def test_output_never_leaves_its_folder(command, file, capsys):
    """`sweep ...toml` wrote into the folder above, `run ..toml` beside its folder."""
    search = '[optimise]\ntrials = 2\nobjectives = {mean_speed = "maximise"}\n'
    studies = {"sweep": STUDY, "optimise": STUDY.replace("metrics", "# metrics") + search}
    ready = sp.gallery()["push_disc"].read_text(encoding="utf-8")
    Path(file).write_text(studies.get(command, ready))
    outer = Path.cwd().parent
    before = sorted(outer.rglob("*"))
    assert invoke([command, file, "--out", "out"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"serpenoid: {printable(file)}: ")
    assert "is not allowed as a name of output" in told
    assert sorted(outer.rglob("*")) == before


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_links_of_another_user_are_not_followed(another_user, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    file, folder = Path("run.txt"), Path("runs")
    file.symlink_to(tmp_path / "elsewhere" / "file")
    folder.symlink_to(tmp_path / "elsewhere")
    make_folder(folder)
    write_text(file, "ours")
    another_user(file)
    another_user(folder)
    words = refusal(lambda: write_text(file, "theirs"), sp.OutputError)
    assert words == "path = 'run.txt' cannot be written: it is a link of another user"
    words = refusal(lambda: make_folder(folder), sp.OutputError)
    assert words == "folder runs cannot be made: it is a link of another user"
    assert (tmp_path / "elsewhere" / "file").read_text() == "ours"


def test_a_page_shows_a_name_and_does_not_run_it(tmp_path):
    title = "<script>alert(1)</script>{{data}}"
    robot = sp.Robot.uniform(1, length=0.1, mass=1.0, radius=0.02, name="</script><b>")
    run = sp.simulate(robot, None, None, 0.01, title=title)
    page = run.view(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "</script><b>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{data}}" in page
