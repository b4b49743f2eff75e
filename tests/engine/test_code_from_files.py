"""Code that a file names runs only if that is allowed, and what is wrong with it is told in one sentence."""

import copy
import pickle
import random
import sys
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import cli
from serpenoid.envs import SerpenoidEnv
from serpenoid.studies.study import Study
from tests.sentences import refusal

TOML = """
controller.kind = "python"
controller.source = "reflex.py:Reflex"
clock.duration = 0.05
robot = {links = 3, length = 0.1, mass = 1.0, radius = 0.02}
"""
MARKED = """
from pathlib import Path

Path("imported").touch()


class Reflex:
    period = 0.01

    def __init__(self, gain=1.0):
        self.gain = gain

    def command(self, seen):
        return self.gain * seen.time + 0.0 * seen.joint_angle
"""
REFUSED = (
    "controller.source = 'reflex.py:Reflex' is Python code, which runs only if that is allowed: "
    "give --allow-code, or load it with Scenario.load(..., allow_code=True)"
)
STUDY = """
base = "mine.toml"
metrics = ["mean_speed"]
parameters."controller.parameters.gain".values = [1.0, 2.0]
"""
SEARCH = """
base = "mine.toml"
parameters."controller.parameters.gain".range = [1.0, 2.0]
optimise = {objectives = {mean_speed = "maximise"}, trials = 2}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a scenario, studies and a controller, as the current one."""
    monkeypatch.chdir(tmp_path)
    texts = {"mine.toml": TOML, "reflex.py": MARKED, "study.toml": STUDY, "search.toml": SEARCH}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def stored(here):
    """A run of it in a file; nothing is imported as yet."""
    sp.Scenario.load("mine.toml").run(allow_code=True).save("run.nc")
    (here / "imported").unlink()
    _forget()
    return here


def _forget():
    """As in a new process."""
    for name in [name for name in sys.modules if name.startswith("reflex")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("run mine.toml", "mine.toml"),
        ("run mine.toml --set controller.parameters.gain=2", "mine.toml"),
        ("export mine.toml --mjcf x.xml", "mine.toml"),
        ("sweep study.toml", "mine.toml"),
        ("optimise search.toml", "mine.toml"),
        ("verify run.nc", "run.nc"),
    ],
)
def test_commands_refuse(line, file, stored, capsys):
    before = sorted(stored.iterdir())
    assert cli.invoke(line.split()) == 2
    assert capsys.readouterr().err == f"serpenoid: {file}: {REFUSED}\n"
    assert not (stored / "imported").exists()
    assert [path for path in sorted(stored.rglob("*")) if path.is_file()] == before


@pytest.mark.parametrize(
    "line",
    ["run mine.toml", "export mine.toml --mjcf x.xml", "verify run.nc", "sweep study.toml"],
)
def test_commands_that_are_allowed(line, stored):
    assert cli.invoke([*line.split(), "--allow-code"]) == 0
    assert (stored / "imported").exists()


@pytest.mark.parametrize(
    "line", ["show mine.toml", "view run.nc --no-open", "plot run.nc joint_angles"]
)
def test_commands_that_need_no_code(line, stored):
    assert cli.invoke(line.split()) == 0
    assert not (stored / "imported").exists()


def _replaced(scenario, **changes):
    """The same, with a controller that code has taken apart and put together."""
    return replace(scenario, controller=replace(scenario.controller, **changes))


def test_python_refuses(stored):
    run, scenario = sp.load("run.nc"), sp.Scenario.load("mine.toml")
    sparse = {"parameters": {"gain": 2.0}}
    for call, named in (
        (scenario.run, "mine.toml: "),
        (scenario.changed({"controller.parameters.gain": 2}).run, "mine.toml: "),
        (scenario.changed({"controller.source": "reflex.py:Reflex"}).run, "mine.toml: "),
        (_replaced(scenario, **sparse).run, "mine.toml: "),
        (_replaced(_replaced(scenario, folder=None), source="reflex.py:Reflex").run, "mine.toml: "),
        (_replaced(run.scenario, **sparse).run, "run.nc: "),
        (pickle.loads(pickle.dumps(scenario)).run, "mine.toml: "),
        (copy.deepcopy(scenario).run, "mine.toml: "),
        (lambda: sp.simulate(*scenario.built, _replaced(scenario).controller), "mine.toml: "),
        (lambda: sp.Batch([scenario]), "mine.toml: "),
        (lambda: sp.Batch([_replaced(scenario, **sparse)]), "mine.toml: "),
        (lambda: sp.simulate_batch([scenario]), "mine.toml: "),
        (lambda: sp.simulate_batch(scenario, {"seed": [1]}), "mine.toml: "),
        (sp.Scenario.loads(TOML).run, ""),
        (sp.Scenario.from_plain(scenario.plain()).run, ""),
        (sp.Scenario.from_plain(run.scenario.plain()).run, ""),
        (sp.Scenario.of(run).run, "run.nc: "),
    ):
        assert refusal(call) == named + REFUSED
    assert repr(run)
    assert run.dataset is not None
    assert not (stored / "imported").exists()


def test_environments_refuse(here):
    name, action = "PathFollow-v0", "residual"
    friction = 'friction = {kind = "coulomb", mu = 0.2}\n'
    text = TOML + 'actuator = {kind = "servo", kp = 5.0, kd = 0.3}\n' + friction
    (here / "mine.toml").write_text(text)
    assert refusal(lambda: SerpenoidEnv(name, scenario="mine.toml", action=action)) == (
        "mine.toml: " + REFUSED
    )
    assert not (here / "imported").exists()
    given = sp.Scenario.load("mine.toml", allow_code=True)
    assert SerpenoidEnv(name, scenario=given, action=action).reset(seed=1)
    assert (here / "imported").exists()


def test_the_remedy_of_batches(here):
    given = sp.Scenario.load("mine.toml", allow_code=True)
    assert len(sp.simulate_batch([given])[0].time) == 6
    assert len(sp.Batch([given])) == 1


def test_no_file_grants_leave(here, capsys):
    """Whatever a file says, its code does not run."""
    takes = "source, parameters, folder"
    for word in ('""', "false", '"none"'):
        bad = TOML + f"controller.withheld = {word}\n"
        words = refusal(lambda text=bad: sp.Scenario.loads(text))
        assert words == f"controller.withheld is not known; it takes {takes}"
    plain = sp.Scenario.loads(TOML).plain()
    assert set(plain["controller"]) == {"kind", *takes.split(", ")}
    assert "withheld" not in sp.Scenario.loads(TOML).dumps()
    plain["controller"]["withheld"] = ""
    assert "withheld is not known" in refusal(lambda: sp.Scenario.from_plain(plain))
    asked = "controller.withheld"
    scenario = sp.Scenario.load("mine.toml")
    assert "withheld is not known" in refusal(lambda: scenario.changed({asked: ""}))
    assert cli.invoke(["run", "mine.toml", "--set", f"{asked}=''"]) == 2
    assert "withheld is not known" in capsys.readouterr().err
    (here / "study.toml").write_text("allow_code = true\n" + STUDY)
    assert cli.invoke(["sweep", "study.toml"]) == 2
    assert capsys.readouterr().err.startswith(
        "serpenoid: study.toml, line 1: allow_code is not known; a study takes base, "
    )
    assert not (here / "imported").exists()


def test_parts_of_sums_are_refused_at_their_place(here):
    part = 'kind = "python", source = "reflex.py:Reflex"'
    gait = 'kind = "serpenoid", amplitude_deg = 20, frequency_deg = 90, phase_deg = 40'
    robot = TOML.splitlines()[-1]
    text = (
        f'controller = {{kind = "references", cutoff = "none", parts = [{{{gait}}}, {{{part}}}]}}'
    )
    scenario = sp.Scenario.loads(f"{robot}\nclock.duration = 0.05\n{text}")
    at = REFUSED.replace("controller.source", "controller.parts[1].source")
    assert refusal(scenario.run) == at
    assert refusal(scenario.changed({"clock.duration": 0.1}).run) == at
    (here / "reflex.py").unlink()
    words = refusal(lambda: scenario.run(allow_code=True))
    assert words.startswith("controller.parts[1].source = 'reflex.py:Reflex' cannot be used: ")
    assert not (here / "imported").exists()


def test_studies_keep_their_leave(here):
    granted = Study.load("study.toml", allow_code=True)
    for study in (granted, replace(granted, skip=0.01), pickle.loads(pickle.dumps(granted))):
        assert not study.scenario.python.withheld
    for study in (Study.load("study.toml"), replace(Study.load("study.toml"), skip=0.01)):
        assert study.scenario.python.withheld == "mine.toml"


def test_copies_are_copies(here):
    withheld = sp.Scenario.load("mine.toml")
    allowed = withheld.withhold("")
    assert (withheld.python.withheld, allowed.python.withheld) == ("mine.toml", "")
    assert withheld == allowed
    assert hash(withheld) == hash(allowed)
    assert withheld.dumps() == allowed.dumps()
    assert repr(withheld.controller) == repr(allowed.controller)


def test_python_that_names_it_runs_it(stored):
    base = sp.Scenario.load("mine.toml", allow_code=True)
    for scenario in (base, base.changed({"controller.parameters.gain": 2})):
        assert len(scenario.run().time) == 6
    made = sp.Scenario(robot=base.robot, controller=sp.PythonController("reflex.py:Reflex"))
    made.changed({"controller.parameters.gain": 3.0, "clock.duration": 0.05}).run()
    assert (stored / "imported").exists()


def test_leave_covers_changes(here):
    """Leave that was given to a scenario without code holds for the code that changes name."""
    (here / "plain.toml").write_text(TOML.split("\n", 3)[3])
    change = {"controller": {"kind": "python", "source": "reflex.py:Reflex"}}
    withheld = sp.Scenario.load("plain.toml").changed(change)
    assert refusal(withheld.run) == REFUSED
    given = sp.Scenario.load("plain.toml", allow_code=True)
    later = given.changed({"clock.duration": 0.1}).changed(change)
    for scenario in (later, sp.Scenario.load("plain.toml", change, allow_code=True)):
        assert len(pickle.loads(pickle.dumps(scenario)).run().time) > 5
    assert given.dumps() == sp.Scenario.load("plain.toml").dumps()


def test_code_of_a_study_is_in_its_folder(here, monkeypatch):
    (here / "plain.toml").write_text(TOML.split("\n", 3)[3])
    named = 'change = {controller = {kind = "python", source = "reflex.py:Reflex"}}\n'
    (here / "study.toml").write_text(named + STUDY.replace("mine", "plain"))
    monkeypatch.chdir("/")
    study = Study.load(here / "study.toml", allow_code=True)
    assert len(study.scenario.run().time) == 6
    refused = refusal(Study.load(here / "study.toml").scenario.run)
    assert refused.startswith(
        f"{here}/plain.toml: controller.source = 'reflex.py:Reflex', a class in {here}/reflex.py, "
        "is Python code, which runs only if that is allowed: "
    )


@pytest.mark.parametrize("key", ["controller.source", "controller.folder"])
def test_studies_do_not_vary_code(key, here):
    text = STUDY.replace("controller.parameters.gain", key).replace(
        "1.0, 2.0", '"a.py:A", "b.py:A"'
    )
    (here / "study.toml").write_text(text)
    assert refusal(lambda: Study.load("study.toml")).removeprefix("study.toml, line 4: ") == (
        f"parameters: '{key}' is not allowed: code is the same in all runs, so that none goes on "
        "with a file that has changed; make a study of each"
    )


CLASS = "class Reflex:\n    period = 0.01\n"
TAKES = "    def __init__(self, gain, limit=1.0):\n        self.gain = gain / limit\n"
COMMAND = "    def command(self, seen):\n        return 0.0 * seen.joint_angle\n"
RAISES = "class Reflex:\n    @property\n    def period(self):\n        return 1 / 0\n"
WHOLE = CLASS + TAKES + COMMAND
CANNOT = "controller.source = '{}' cannot be used: "


@pytest.mark.parametrize(
    ("text", "parameters", "words"),
    [
        ("x = 1\ny = (\n", {}, "reflex.py, line 2: SyntaxError: '(' was never closed"),
        ("import numpyy\n", {}, "reflex.py, line 1: ModuleNotFoundError: No module named 'numpyy'"),
        ("\nexit(3)\n", {}, "reflex.py, line 2: SystemExit: 3"),
        ("class Reflexx:\n    pass\n", {}, "reflex.py has no class 'Reflex' (did you mean 'Reflexx'?); it has Reflexx"),
        ("Reflex = 3\n", {}, "reflex.py has no class 'Reflex'"),
        (WHOLE, {}, "reflex.py, line 1: parameters.gain is missing; Reflex takes gain, limit"),
        (WHOLE, {"gian": 1}, "reflex.py, line 1: parameters.gian is not known (did you mean 'gain'?); Reflex takes gain, limit"),
        (WHOLE, {"gain": 1, "limit": 0}, "reflex.py, line 4: ZeroDivisionError: division by zero"),
        ("class Reflex:\n" + COMMAND, {}, "reflex.py, line 1: Reflex has no period"),
        ("\n" + CLASS, {}, "reflex.py, line 2: Reflex has no command"),
        (RAISES + COMMAND, {}, "reflex.py, line 4: ZeroDivisionError: division by zero"),
    ],
)  # fmt: skip
def test_what_cannot_be_made(text, parameters, words, here):
    (here / "reflex.py").write_text(text)
    own = sp.PythonController("reflex.py:Reflex", parameters)
    scenario = sp.Scenario(
        robot={"links": 3, "length": 0.1, "mass": 1, "radius": 0.02}, controller=own
    )
    assert refusal(scenario.run) == CANNOT.format(own.source) + words


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("none.py:Reflex", "{}/none.py is not there"),
        ("no_such:Reflex", "no module 'no_such' in {} or among those installed"),
        ("os.no_such:Reflex", "no module 'os.no_such' in {} or among those installed"),
    ],
)
def test_what_is_not_there(source, words, here):
    assert refusal(sp.PythonController(source).make) == CANNOT.format(source) + words.format(here)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sp.PythonController("reflex"), "PythonController.source = 'reflex' is not allowed: it must be module:Class or file.py:Class, such as 'reflex.py:Reflex'"),
        (lambda: sp.PythonController("a:B", [1]), "PythonController.parameters = [1] is not allowed: it must be a table"),
        (lambda: sp.PythonController("a:B", {"gain": None}), "PythonController.parameters = {'gain': None} is not allowed: gain = None must be a finite number, text, true or false, a list or a table of these"),
        (lambda: sp.PythonController("a:B", {"gain": float("nan")}), "PythonController.parameters = {'gain': nan} is not allowed: gain = nan must be a finite number, text, true or false, a list or a table of these"),
        (lambda: sp.PythonController("a:B", {3: 1}), "PythonController.parameters = {3: 1} is not allowed: 3 is no name of a parameter"),
        (lambda: sp.Scenario.loads('robot.name = "aiko"\n[controller]\nkind = "python"\nsorce = "a:B"'), "controller.sorce is not known (did you mean 'source'?); controller takes source, parameters, folder"),
        (lambda: sp.Scenario.loads('robot.name = "aiko"\n[controller]\nkind = "python"'), "controller.source is missing; controller takes source, parameters, folder"),
        (lambda: sp.Scenario.loads('robot.name = "aiko"\n[controller]\nkind = "pyton"\n'), None),
    ],
)  # fmt: skip
def test_bad_specs(call, words):
    found = refusal(call)
    assert found == words or (words is None and "did you mean 'python'?" in found)


def test_errors_of_commands_tell_the_line(here):
    (here / "reflex.py").write_text(
        CLASS + "    def command(self, seen):\n        return seen.none\n"
    )
    scenario = sp.Scenario.loads(TOML, allow_code=True)
    assert refusal(scenario.run, sp.ControllerError) == (
        "controller failed at t = 0 s in reflex.py, line 4: AttributeError: 'Observation' object "
        "has no attribute 'none'"
    )


def test_commands_that_exit_end_no_program(here, capsys):
    (here / "reflex.py").write_text(CLASS + "    def command(self, seen):\n        exit(141)\n")
    assert cli.invoke(["run", "mine.toml", "--allow-code"]) not in (0, 141)
    words = "controller failed at t = 0 s in reflex.py, line 4: SystemExit: 141"
    assert words in capsys.readouterr().err


def test_a_period_of_an_object_that_raises():
    class Bad:
        @property
        def period(self):
            return 1 / 0

        def command(self, seen):
            return 0.0 * seen.joint_angle

    scenario = sp.Scenario.loads(TOML)
    assert refusal(lambda: sp.simulate(*scenario.built, Bad(), 0.05)) == (
        "controller.period cannot be read: ZeroDivisionError: division by zero"
    )


def test_a_file_that_changes_is_imported_again(here):
    scenario = sp.Scenario.loads(TOML, allow_code=True)
    before = scenario.run()
    path = Path("reflex.py")
    path.write_text(path.read_text().replace("gain=1.0", "gain=2.0"))
    after = scenario.run()
    assert before.columns["joint_reference"][-1, 0] * 2 == after.columns["joint_reference"][-1, 0]
    assert before.attributes["controller_sha256"] != after.attributes["controller_sha256"]


HELPED = """
import helper


class Reflex:
    period = 0.01

    def command(self, seen):
        return helper.AMP * seen.time + 0.0 * seen.joint_angle
"""


def _reference(source="reflex.py:Reflex", folder="."):
    """What a controller in a folder commands in the end."""
    text = TOML.replace("reflex.py:Reflex", source)
    Path(folder, "mine.toml").write_text(text)
    run = sp.Scenario.load(Path(folder, "mine.toml"), allow_code=True).run()
    return run.columns["joint_reference"][-1, 0] / run.time[-1]


@pytest.mark.parametrize(
    ("source", "within"),
    [
        ("reflex.py:Reflex", ""),
        ("reflex:Reflex", ""),
        ("lab.reflex:Reflex", "lab"),
        ("plain.deep.reflex:Reflex", "plain/deep"),
        ("plain/deep/reflex.py:Reflex", "plain/deep"),
    ],
)
def test_helpers_are_those_of_the_folder(source, within, tmp_path):
    took = f"from {within.replace('/', '.')} import helper" if within else "import helper"
    for folder, amp in (("a", 1.0), ("b", 3.0)):
        home = tmp_path / folder / within
        home.mkdir(parents=True)
        if within == "lab":  # the others have none
            (home / "__init__.py").touch()
        (home / "reflex.py").write_text(HELPED.replace("import helper", took))
        (home / "helper.py").write_text(f"AMP = {amp}")
    found = [_reference(source, tmp_path / folder) for folder in ("a", "b", "a")]
    assert np.ptp(np.array(found) / [1, 3, 1]) < 1e-12
    (home / "helper.py").write_text("AMP = 6.0")
    assert abs(_reference(source, tmp_path / "b") / found[1] - 2) < 1e-12
    assert "helper" not in sys.modules
    assert not list(tmp_path.rglob("__pycache__"))


def test_helpers_of_the_process_stay(here, monkeypatch):
    """A module of the same name that a program has imported from elsewhere is left alone."""
    mine = types.ModuleType("helper")
    mine.__file__, mine.AMP = str(here.parent / "helper.py"), 7.0
    monkeypatch.setitem(sys.modules, "helper", mine)
    (here / "reflex.py").write_text(HELPED)
    found = []
    for amp in (1.0, 3.0):
        (here / "helper.py").write_text(f"AMP = {amp}")
        found.append(_reference())
    assert abs(found[1] / found[0] - 3) < 1e-12
    assert sys.modules["helper"] is mine


def test_modules_of_python_are_not_replaced(here, monkeypatch):
    before = random
    (here / "random.py").write_text(MARKED)
    assert refusal(sp.PythonController("random:Reflex").make) == (
        CANNOT.format("random:Reflex")
        + "'random' is a module of Python itself; name its file instead: 'random.py:Reflex'"
    )
    assert not (here / "imported").exists()
    assert sp.PythonController("random.py:Reflex").make().controller.gain == 1
    assert sys.modules["random"] is before
    mine = types.ModuleType("reflex")
    mine.__file__ = "/elsewhere/reflex.py"
    monkeypatch.setitem(sys.modules, "reflex", mine)
    assert refusal(sp.PythonController("reflex:Reflex").make) == (
        CANNOT.format("reflex:Reflex") + "'reflex' is already imported from "
        "/elsewhere/reflex.py; name its file instead: 'reflex.py:Reflex'"
    )
    assert sys.modules["reflex"] is mine
