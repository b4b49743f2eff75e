"""Malformed command lines: a sentence on stderr for each mistake, nothing else, exit code 2."""

import io
from pathlib import Path

import pytest

from serpenoid.cli import invoke
from serpenoid.scenario.scenario import Scenario

GOOD = """
[robot]
links = 3
length = 0.1
mass = 1.0
radius = 0.02

[clock]
duration = 0.1
"""

# Mistakes that do not depend on each other, in an order that is not that of the schema.
MANY = """
seed = -1
colour = "red"

[clock]
duration = 0.1
time_step = -1

[world]
pegs = [
    { x = 1.0, y = 0.0, radius = 0.1 },
    { x = 2.0, y = 0.0, radius = -0.1 },
]

[robot]
links = 3
lenght = 0.1
mass = "heavy"
radius = 0.02
"""
# Each is allowed alone, but they do not fit each other.
UNFIT = GOOD.replace("duration = 0.1", "duration = 0.105\ntime_step = 0.003")
STUDY = """
base = "swimmer"
metrics = ["mean_speed", "distance"]
[parameters]
"controller.phase_deg" = { range = [-60, -20], steps = 2 }
"""
BAD_STUDY = """
base = "swimmer"
metrics = ["mean_sped", "distance"]
skip = -1
[parameters]
"controller.phase_deg" = { range = [-60, -20], steps = 1 }
"""

KEYS = "robot, title, seed, world, friction, actuator, controller, start, solver, clock, record"
ROBOT = "links, length, mass, radius, inertia, straight, wheels, limits_deg, name, self_contact"
STUDY_KEYS = "base, parameters, metrics, title, change, skip"

# A class in a file, and files from which it cannot be imported.
BEND = """class Bend:
    period = 0.01

    def __init__(self, angle=0.1):
        self.angle = angle

    def command(self, seen):
        return self.angle + 0 * seen.joint_angle
"""
HALF, LOST = "x = 1\ny = (\n", "x = 1\nimport numpyy\n"
OWN = GOOD + '[controller]\nkind = "python"\nsource = "own.py:Bend"\n'
OWN_STUDY = STUDY.replace("swimmer", "own.toml").replace("phase_deg", "parameters.angle")
NOT_ALLOWED = (
    "controller.source = 'own.py:Bend' is Python code, which runs only if that is allowed: give "
    "--allow-code, or load it with Scenario.load(..., allow_code=True)"
)
APART = "is not allowed: it is a file that this command reads or writes itself"

# What is said word for word, where the command line makes the sentence; otherwise how it begins.
# Several sentences are several lines.
LINES: list[tuple[str, str | list[str]]] = [
    ("rnu good.toml", "no such command 'rnu' (did you mean 'run'?); see serpenoid --help"),
    ("--versoin", "no such option: --versoin (did you mean --version?); see serpenoid --help"),
    ("run", "missing argument 'SCENARIO'; see serpenoid run --help"),
    ("run good.toml twice", "got unexpected extra argument(s) (twice); see serpenoid run --help"),
    (
        "run good.toml --ou x",
        "no such option: --ou (did you mean --out?); see serpenoid run --help",
    ),
    ("run good.toml --set", "option '--set' requires an argument; see serpenoid run --help"),
    ("run good.toml --set mu", "setting 'mu' is not allowed: ..."),
    ("run good.toml --set robot.mas=1", "good.toml: robot.mas is not known ..."),
    ("run good.toml --out good.toml", "--out good.toml cannot be a folder: File exists"),
    ("run bad.toml", "bad.toml, line 5: robot.mass = -1 is not allowed: ..."),
    (
        "run many.toml",
        [
            "many.toml, line 2: seed = -1 is not allowed: it must be at least 0",
            f"many.toml, line 3: colour is not known; a scenario takes {KEYS}, continued",
            "many.toml, line 7: clock.time_step = -1 is not allowed: it must be greater than 0",
            "many.toml, line 12: world.pegs[1].radius = -0.1 is not allowed: it must be greater "
            "than 0",
            f"many.toml, line 17: robot.lenght is not known (did you mean 'length'?); robot takes "
            f"{ROBOT}",
            "many.toml, line 18: robot.mass = 'heavy' is not allowed: it must be a number",
        ],
    ),
    (
        "run unfit.toml",
        [
            "unfit.toml: record.period = 0.01 is not allowed: it must be a whole multiple of "
            "clock.time_step, 0.003 s",
            "unfit.toml, line 9: clock.duration = 0.105 is not allowed: it must be a whole "
            "multiple of record.period, 0.01 s",
        ],
    ),
    # A mistake in a file is found before what --set changes, and has its line.
    (
        "run bad.toml --set robot.mas=1",
        "bad.toml, line 5: robot.mass = -1 is not allowed: it must be greater than 0",
    ),
    ("run far.toml", "far.toml, line 11: start.link = 9 is not allowed: ..."),
    (
        "run good.toml --name a/b",
        "--name: 'a/b' is not allowed as a name of output: it must be 1 to 200 bytes without "
        "slashes and control characters, and neither . nor .. nor a device of Windows",
    ),
    (
        "run good.toml --name my.run.nc",
        "--name 'my.run.nc' is not allowed: it must be the name without an ending, as in --name "
        "my.run",
    ),
    ("run good.toml --name x.TOML", "--name 'x.TOML' is not allowed: it must be the name ..."),
    ("run good.toml --name ..", "--name: '..' is not allowed as a name of output: ..."),
    ("run good.toml --json nowhere/a.json", "path = 'nowhere/a.json' cannot be written: ..."),
    ("run good.toml --json good.toml", f"--json good.toml {APART}"),
    ("run good.toml --json runs/../good.toml", "--json runs/../good.toml is not allowed: ..."),
    ("run good.toml --out . --name x --json x.nc", f"--json x.nc {APART}"),
    ("export good.toml --mjcf good.toml", f"--mjcf good.toml {APART}"),
    ("info good.nc --json good.nc", f"--json good.nc {APART}"),
    ("compare good.nc twin.nc --json twin.nc", f"--json twin.nc {APART}"),
    ("sweep study.toml --json study.toml", f"--json study.toml {APART}"),
    ("optimise search.toml --json search.toml", f"--json search.toml {APART}"),
    ("run -", "stdin: robot is missing; a scenario takes ..."),
    ("info", "missing argument 'WHAT'; see serpenoid info --help"),
    (
        "info aiko_peg",
        "aiko_peg is neither a saved run, nor a scenario, nor the folder of a study (did you mean "
        "'aiko_pegs'?)",
    ),
    (
        "info .",
        ". is a folder without study.json and optimisation.json, so it holds no study",
    ),
    ("info text.nc", "text.nc is neither a saved run, nor a scenario, nor the folder of a study"),
    ("info half.nc", "path = 'half.nc' cannot be read as a run: ..."),
    ("info bad.toml", "bad.toml, line 5: robot.mass = -1 is not allowed: ..."),
    ("info broken", "path = 'broken/study.json' cannot be read: it is no table in JSON, or ..."),
    ("info odd", "path = 'odd/study.json' cannot be read: it is not what a study has written"),
    ("info good.toml --json nowhere/a.json", "path = 'nowhere/a.json' cannot be written: ..."),
    (
        "completion powershell",
        "SHELL = 'powershell' is not known; there are bash, zsh, fish",
    ),
    ("run nowhere.toml", "scenario 'nowhere.toml' is neither a file nor in the gallery; ..."),
    # What is found before the first step names the scenario, too.
    ("run good.toml --set start.link=3", "good.toml: start.link = 3 is not allowed: ..."),
    ("run pedal_wave --set start.y=-0.02", "pedal_wave: world.terrain is entered by link 0, ..."),
    (
        "run pedal_wave --set solver=explicit --set clock.time_step=0.01",
        "pedal_wave: clock.time_step = 0.01 is not allowed with solver 'explicit': the springs and "
        "dampers of this robot and terrain need at most 0.0021 s",
    ),
    ("run good.toml --set solver=prox --set actuator.kind=free", "good.toml: solver 'prox' ..."),
    ("export good.toml", "missing option '--mjcf'; see serpenoid export --help"),
    ("export nowhere.toml --mjcf a.xml", "scenario 'nowhere.toml' is neither a file ..."),
    ("export good.toml --mjcf nowhere/a.xml", "path = 'nowhere/a.xml' cannot be written: ..."),
    (
        "export good.toml --set actuator.kind=prescribed --mjcf a.xml",
        "good.toml: joint 0, which is prescribed, cannot be exported to MuJoCo; ...",
    ),
    ("export good.toml --set start.link=3 --mjcf a.xml", "good.toml: start.link = 3 is not ..."),
    (
        "plan-push aiko_pegs",
        "aiko_pegs: --load 0 is not allowed: there are none in world.loads",
    ),
    ("plan-push push_disc --link 9", "push_disc: Touch.link = 9 is not allowed: ..."),
    ("plan-push push_disc --torque 0", "push_disc: largest_torque = 0.0 is not allowed: ..."),
    ("sweep nowhere.toml", "study nowhere.toml cannot be read: ..."),
    ("sweep good.toml", "good.toml is a scenario: serpenoid run good.toml runs it"),
    (
        "sweep search.toml",
        "search.toml is a study to optimise: serpenoid optimise search.toml runs it",
    ),
    ("run study.toml", "study.toml is a study: serpenoid sweep study.toml runs it"),
    ("info study.toml", "study.toml is a study: serpenoid sweep study.toml runs it"),
    ("info search.toml", "search.toml is a study: serpenoid optimise search.toml runs it"),
    ("info -", "stdin: robot is missing; a scenario takes ..."),
    (
        "sweep empty.toml",
        "empty.toml: base, parameters and metrics are missing; a study takes ...",
    ),
    (
        "optimise empty.toml",
        "empty.toml: base, parameters and optimise are missing; a study to optimise takes ...",
    ),
    (
        "sweep study.toml --best distanc",
        "--best = 'distanc' is not known (did you mean 'distance'?); there are mean_speed, "
        "distance",
    ),
    (
        "sweep bad_study.toml",
        [
            "bad_study.toml, line 4: skip = -1 is not allowed: it must be at least 0",
            "bad_study.toml, line 6: parameters.controller.phase_deg.steps = 1 is not allowed: it "
            "must be at least 2",
        ],
    ),
    (
        "sweep bare.toml",
        "bare.toml, line 4: parameters.seed = [1, 2] is not allowed: it must have values or a "
        "range, as in { values = [1, 2] }",
    ),
    ("sweep study.toml --workers 0", "workers = 0 is not allowed: it must be a whole ..."),
    ("sweep study.toml --scheduler x", "scheduler = 'x' is not allowed: ..."),
    ("optimise nowhere.toml", "study nowhere.toml cannot be read: ..."),
    ("optimise good.toml", "good.toml is a scenario: serpenoid run good.toml runs it"),
    (
        "optimise study.toml",
        "study.toml is a study without objectives: serpenoid sweep study.toml runs it",
    ),
    ("optimise search.toml --workers 0", "workers = 0 is not allowed: it must be a whole ..."),
    ("optimise search.toml --storage x://y", "storage = 'x://y' is not allowed: ..."),
    ("reproduce transeth", "paper 'transeth' is not known (did you mean 'transeth2008'?); ..."),
    (
        "reproduce transeth2008 --reading wave=printed --reading wave=mirrored",
        "--reading 'wave' is given twice, as 'printed' and 'mirrored'; ...",
    ),
    ("view nothing.nc --no-open", "path = 'nothing.nc' cannot be read as a run: ..."),
    ("verify .", "path = '.' cannot be read as a run: ..."),
    ("plot good.nc pth", "KIND = 'pth' is not known (did you mean 'path'?); there are ..."),
    ("plot good.nc path --out x.bmp", "path = 'x.bmp' is not allowed: ..."),
    ("compare", "missing argument 'RUN.nc'; see serpenoid compare --help"),
    (
        "compare good.nc --no-open",
        "runs has 1 entry, which is not allowed: a comparison takes 2 to 7 runs",
    ),
    (
        "compare good.nc good.nc --no-open",
        "'good.nc' is the name of 2 runs; give each its own with --label",
    ),
    (
        "compare good.nc good.nc --label one --no-open",
        "--label names 1 of 2 runs, which is not allowed: give one for each",
    ),
    (
        "compare good.nc good.nc --label one --label one",
        "'one' is the name of 2 runs; give each its own with --label",
    ),
    (
        "compare good.nc upright.nc --no-open",
        "'upright' cannot be compared with 'good': it is in a vertical plane, the other in a "
        "horizontal one",
    ),
    (
        "compare good.nc later.nc --no-open",
        "'later' cannot be compared with 'good': they have no time in common, it lasts from 0.1 to "
        "0.2 s, the other from 0 to 0.1 s",
    ),
    (
        "compare good.nc run.csv",
        "path = 'run.csv' cannot be read as a run: a table lacks the state that a run "
        "ended in; save the run as .nc to load it again",
    ),
    ("compare good.nc nothing.nc", "path = 'nothing.nc' cannot be read as a run: ..."),
    ("compare good.nc twin.nc --out good.toml", "--out good.toml cannot be a folder: File exists"),
    ("compare good.nc twin.nc --json nowhere/a.json", "path = 'nowhere/a.json' cannot be ..."),
    ("compare good.nc --no-opne", "no such option: --no-opne (did you mean --no-open?); ..."),
    (
        "plot good.nc path --link 9",
        "link = 9 is not allowed: this robot has links 0 to 2 or 'com' for the centre of mass",
    ),
    (
        "plot good.nc path --links 0,x",
        "--links '0,x' is not allowed: it must be whole numbers with commas between them, as in "
        "0,4,9",
    ),
    (
        "plot good.nc path --links 0,1",
        "--links is not allowed with path, which shows one link",
    ),
    (
        "plot good.nc energy --joints 0",
        "--joints is not allowed with energy, which takes no joints",
    ),
    ("plot good.nc torques --joints 7", "joints = [7] is not allowed: ..."),
    (
        "plot good.nc path --from 5",
        "--from = 5.0 is not allowed: this run lasts from 0 to 0.1 s",
    ),
    ("plot good.nc path --to -1", "--to = -1.0 is not allowed: this run lasts from 0 to 0.1 s"),
    (
        "plot good.nc path --from 0.08 --to 0.02",
        "--from 0.08 --to 0.02 is not allowed: the end must be at least a row after the start",
    ),
    (
        "plot good.nc torques --joints 1,0,1",
        "joints = [1, 0, 1] is not allowed: 1 is in it twice",
    ),
    (
        "plot good.nc snapshot --from 0.05",
        "--from is not allowed with snapshot, which shows one time; give it with --time",
    ),
    (
        "plot good.nc snapshot --to 0.05",
        "--to is not allowed with snapshot, which shows one time; give it with --time",
    ),
    (
        "plot good.nc path --time 0.05",
        "--time is not allowed with path, which does not show one time",
    ),
    (
        "plot good.nc snapshot --time 5",
        "--time = 5.0 is not allowed: this run lasts from 0 to 0.1 s",
    ),
    (
        "plot good.nc path --to soon",
        "invalid value for '--to': it must be a number; see serpenoid plot --help",
    ),
    (
        "plot good.nc all --out x.png",
        "--out x.png is not allowed with all, which writes many files",
    ),
    ("run own.toml", f"own.toml: {NOT_ALLOWED}"),
    ("run own.toml --set seed=3", f"own.toml: {NOT_ALLOWED}"),
    ("sweep own_study.toml", f"own.toml: {NOT_ALLOWED}"),
    ("optimise own_search.toml", f"own.toml: {NOT_ALLOWED}"),
    ("verify own.nc", f"own.nc: {NOT_ALLOWED}"),
    ("export own.toml --mjcf x.xml", f"own.toml: {NOT_ALLOWED}"),
    (
        "run half.toml --allow-code",
        "half.toml, line 12: controller.source = 'half.py:Bend' cannot be used: half.py, line 2: "
        "SyntaxError: '(' was never closed",
    ),
    (
        "run lost.toml --allow-code",
        "lost.toml, line 12: controller.source = 'lost.py:Bend' cannot be used: lost.py, line 2: "
        "ModuleNotFoundError: No module named 'numpyy'",
    ),
    (
        "run own.toml --allow-code --set controller.source='own.py:Bent'",
        "own.toml: controller.source = 'own.py:Bent' cannot be used: own.py has no class 'Bent' "
        "(did you mean 'Bend'?); it has Bend",
    ),
    (
        "run own.toml --allow-code --set controller.parameters.angel=0.2",
        "own.toml: controller.source = 'own.py:Bend' cannot be used: own.py, line 1: "
        "parameters.angel is not known (did you mean 'angle'?); Bend takes angle",
    ),
    (
        "run own.toml --allow-code --set controller.source='none.py:Bend'",
        "own.toml: controller.source = 'none.py:Bend' cannot be used: ...",
    ),
    (
        "run own.toml --allow-code --set controller.source=own",
        "own.toml: controller.source = 'own' is not allowed: it must be module:Class or "
        "file.py:Class, such as 'reflex.py:Reflex'",
    ),
    (
        "run own.toml --allow-code --set controller.source=./own.py:Bent",
        "own.toml: controller.source = './own.py:Bent' cannot be used: own.py has no class 'Bent' "
        "(did you mean 'Bend'?); it has Bend",
    ),
    (
        "run good.toml --set title=2own.py:Bend",
        "setting 'title=2own.py:Bend' is not allowed: its value must be a number, a word, true, "
        "false, or a text in quotes, a list or a table as TOML has them",
    ),
    (
        "run own.toml --set controller.withheld=x",
        "own.toml: controller.withheld is not known; it takes source, parameters, folder",
    ),
    (
        "sweep half_study.toml --allow-code",
        "controller.source = 'half.py:Bend' cannot be used: half.py, line 2: SyntaxError: '(' was "
        "never closed",
    ),
    (
        "optimise lost_search.toml --allow-code",
        "controller.source = 'lost.py:Bend' cannot be used: lost.py, line 2: "
        "ModuleNotFoundError: No module named 'numpyy'",
    ),
    (
        "sweep leave_study.toml",
        "leave_study.toml, line 1: allow_code is not known; a study takes ...",
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lines")
    search = '[optimise]\ntrials = 2\nobjectives = {distance = "maximise"}\n'
    files = {
        "good.toml": GOOD,
        "bad.toml": GOOD.replace("1.0", "-1"),
        "many.toml": MANY,
        "unfit.toml": UNFIT,
        "far.toml": GOOD + "[start]\nlink = 9\n",
        "study.toml": STUDY,
        "bad_study.toml": BAD_STUDY,
        "search.toml": STUDY.replace(", steps = 2", "") + search,
        "bare.toml": 'base = "swimmer"\nmetrics = ["distance"]\n[parameters]\nseed = [1, 2]\n',
        "text.nc": "no run",
        "empty.toml": "",
        "own.py": BEND,
        "half.py": HALF,
        "lost.py": LOST,
        "own.toml": OWN,
        "half.toml": OWN.replace("own.py", "half.py"),
        "lost.toml": OWN.replace("own.py", "lost.py"),
        "own_study.toml": OWN_STUDY,
        "half_study.toml": OWN_STUDY.replace("own.toml", "half.toml"),
        "leave_study.toml": "allow_code = true" + OWN_STUDY,
        "own_search.toml": OWN_STUDY.replace(", steps = 2", "") + search,
        "lost_search.toml": OWN_STUDY.replace("own.t", "lost.t").replace(", steps = 2", "")
        + search,
        "broken/study.json": "[",
        "odd/study.json": "{}",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    Scenario.load(folder / "own.toml", allow_code=True).run().save(folder / "own.nc")
    run = Scenario.loads(GOOD).run()
    for name in ("good", "twin"):
        run.save(folder / f"{name}.nc")
    run.scenario.run(start=run.state).save(folder / "later.nc")
    upright = '[world]\nplane = "vertical"\nterrain = { kind = "flat", friction = 0.5 }\n'
    upright += "[start]\ny = 0.02\n"
    Scenario.loads(GOOD + upright).run().save(folder / "upright.nc")
    (folder / "half.nc").write_bytes((folder / "good.nc").read_bytes()[:2000])
    return folder


def listing(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))}


@pytest.mark.parametrize(("line", "words"), LINES, ids=[line for line, _ in LINES])
def test_malformed_command_line(
    line: str,
    words: str | list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.stdin", io.StringIO("seed = 1\n"))
    before = listing(folder)
    assert invoke(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    expected = [words] if isinstance(words, str) else words
    said = err.splitlines()
    assert len(said) == len(expected), err
    for sentence, wanted in zip(said, expected, strict=True):
        if wanted.endswith("..."):
            assert sentence.startswith(f"serpenoid: {wanted.removesuffix('...')}")
        else:
            assert sentence == f"serpenoid: {wanted}"
    # No file and no folder is left behind, and none is changed.
    assert listing(folder) == before
