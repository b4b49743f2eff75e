"""Malformed scenarios and keys: each is answered by one sentence that names its place in the file."""
# ruff: noqa: E501 (one row a line)

from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid.methods.method import Method
from serpenoid.model.friction import FrictionLaw
from serpenoid.scenario.keys import setting
from tests.sentences import refusal, sentences

GOOD = """
[robot]
links = 3
length = 0.1
mass = 1.0
radius = 0.02

[friction]
kind = "coulomb"
mu = 0.2

[controller]
kind = "serpenoid"
amplitude_deg = 30
frequency_deg = 90
phase_deg = -50

[clock]
duration = 0.1
"""

GAIT = "amplitude_deg, frequency_deg, phase_deg, offset_deg, start_deg, delay"
CHAIN = "links, length, mass, radius, inertia, straight, wheels, limits_deg, name, self_contact"
SECTIONS = "robot, title, seed, world, friction, actuator, controller, start, solver, clock, record, continued"
LAWS = ", ".join(FrictionLaw.members)
METHODS = ", ".join(Method.members)
UNITS = "units are SI, degrees where a name ends in _deg"
ROBOT = "[robot]\nlinks = 3\nlength = 0.1\nmass = 1.0\nradius = 0.02"


# What is done to the good scenario (text replaced by text, or text added), and what is said.
ROWS = [
    # Unknown keys, and keys of another unit.
    ("", "[contoller]", f"contoller is not known (did you mean 'controller'?); a scenario takes {SECTIONS}"),
    ("links", "lnks", f"robot.lnks is not known (did you mean 'links'?); robot takes {CHAIN}"),
    ("mu =", "my =", "friction.my is not known; friction takes mu"),
    ("links = 3", "links = 3\nkind = 'x'", f"robot.kind is not known; robot takes {CHAIN}"),
    ("", "[world]\nfriction = 0.2", "world.friction is not known: the ground is a section, [friction]"),
    ("", "[[world.pegs]]\nx = 1\ny = 0\nradious = 0.1", "world.pegs[0].radious is not known (did you mean 'radius'?); world.pegs[0] takes x, y, radius, contact"),
    ("phase_deg", "phase_rad", f"controller.phase_rad is not known (did you mean 'phase_deg'? {UNITS}); controller takes {GAIT}"),
    ("duration", "duration_ms", f"clock.duration_ms is not known (did you mean 'duration'? {UNITS}); clock takes duration, time_step"),
    # Missing keys and kinds.
    ("mass = 1.0\n", "", f"robot.mass is missing; robot takes {CHAIN}"),
    ("links = 3", "name = 'aiko'", f"robot.links is missing; robot takes {CHAIN}"),
    ('kind = "coulomb"\n', "", f"friction = {{'mu': 0.2}} is not allowed: it needs a kind: {LAWS}"),
    ('"coulomb"', '"coloumb"', f"friction.kind = 'coloumb' is not known (did you mean 'coulomb'?); there are {LAWS}"),
    ('"coulomb"', "3", f"friction.kind = 3 is not known; there are {LAWS}"),
    ("", "solver = 'newton'", f"solver = 'newton' is not allowed: it must be a table with a kind: {METHODS}"),
    # Wrong types.
    ("mu = 0.2", 'mu = "0.2"', "friction.mu = '0.2' is not allowed: it must be a number"),
    ("links = 3", "links = 3.0", "robot.links = 3.0 is not allowed: it must be a whole number"),
    ("", "title = 3", "title = 3 is not allowed: it must be text in quotes"),
    ("", "continued = 1.5", "continued = 1.5 is not allowed: it must be true or false"),
    ("", "[world]\npegs = 3", "world.pegs = 3 is not allowed: it must be a list"),
    ("", "[world]\npegs = [3]", "world.pegs[0] = 3 is not allowed: it must be a table"),
    ("", "start = 5", "start = 5 is not allowed: it must be a table"),
    (ROBOT, "robot = 'aiko'", "robot = 'aiko' is not allowed: it must be a table with a name, or with links"),
    # Out of range.
    ("mass = 1.0", "mass = [1, 0, 1]", "robot.mass[1] = 0 is not allowed: it must be greater than 0"),
    ("", "seed = -1", "seed = -1 is not allowed: it must be at least 0"),
    ("", "[world]\nslope_deg = 95", "world.slope_deg = 95.0 is not allowed: it must be at least 0 and less than 90"),
    ("", "[world]\ncontact = { stiffness = -2 }", "world.contact.stiffness = -2 is not allowed: it must be greater than 0"),
    ("", "[world]\ncontact = { stiffness = 1e4, restitution = 0.1 }", "world.contact.restitution = 0.1 is not allowed with stiffness: the rebound from a compliant obstacle follows from stiffness and damping"),
    ("", "[world]\ncontact = { restitution = 2 }", "world.contact.restitution = 2 is not allowed: it must be at most 1"),
    # What does not fit together.
    ("mass = 1.0", "mass = [1, 2]", "robot.mass has 2 entries, but this robot needs 3"),
    ("links = 3", "links = 3\nlimits_deg = [30, -30]", "robot.limits_deg = (30.0, -30.0) is not allowed: the lower limit must be less than the upper one"),
    ("links = 3", "links = 3\nname = 'aiko'", "robot.name = 'aiko' is not allowed for links of your own: it is the name of a ready robot"),
    (ROBOT, "[robot]\nname = 'aika'", "robot.name = 'aika' is not known (did you mean 'aiko'?); there are aiko, koopaee_as_printed, koopaee_half_length_007, or give links, length, mass and radius"),
    ("duration = 0.1", "duration = 0.1\ntime_step = 3e-4", "record.period = 0.01 is not allowed: it must be a whole multiple of clock.time_step, 0.0003 s"),
    ("duration = 0.1", "duration = 0.105", "clock.duration = 0.105 is not allowed: it must be a whole multiple of record.period, 0.01 s"),
    ("duration = 0.1", "duration = 1e14", "clock.duration = 100000000000000.0 is not allowed: it must be at most 1e+12 times record.period, 0.01 s"),
    ("", "[world]\nplane = 'vertical'", "friction = Coulomb(mu=0.2) is not allowed in a vertical plane: friction is the terrain's"),
    ("", "[[world.walls]]\npoints = [[0, 0]]", "world.walls[0].points = ((0.0, 0.0),) is not allowed: a wall needs at least two points"),
    ("", "[world.field]\nkind = 'random_corridor'\nlength = 3\nclearance = 0.5\nstep = 0.1", "world.field: step = 0.1 is not allowed: it must be at least the clearance, 0.5"),
    ('kind = "coulomb"\nmu = 0.2', "kind = 'sum'\nlaws = [{kind='coulomb', mu=1}, {kind='coulomb', mu=2}]", "friction: friction = Coulomb(mu=1.0) + Coulomb(mu=2.0) is not allowed: a sum takes at most one dry law"),
    # Not TOML at all.
    ("mu = 0.2", "mu 0.2", "this is not valid TOML: Expected '=' after a key in a key/value pair (at line 10, column 4)"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "words"), ROWS, ids=[words[:60] for *_, words in ROWS])
def test_files(old, new, words):
    if old:
        assert old in GOOD
        text = GOOD.replace(old, new, 1)
    else:  # a new section goes to the end, a bare key to the top
        text = f"{GOOD}\n{new}\n" if new.startswith("[") else f"{new}\n{GOOD}"
    assert refusal(lambda: sp.Scenario.loads(text).built) == words


DOTTED = "is not allowed: it must be dotted words, such as clock.duration"


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (
            "duration",
            f"duration is not known (did you mean 'clock.duration'?); a scenario takes {SECTIONS}",
        ),
        ("mu", f"mu is not known (did you mean 'friction.mu'?); a scenario takes {SECTIONS}"),
        (
            "period",
            f"period is not known (did you mean 'record.period'?); a scenario takes {SECTIONS}",
        ),
        ("friction.mue", "friction.mue is not known (did you mean 'mu'?); friction takes mu"),
        ("friction.mu.x", "friction.mu = 0.2 is a value and has no 'x'"),
        ("world.pegs[0].x", "world.pegs is a list of 0 entries and has no '0'"),
        ("world.pegs.-1.x", "world.pegs is a list of 0 entries and has no '-1'"),
        ("world.pegs[].x", f"key 'world.pegs[].x' {DOTTED}"),
        ("[0].x", f"key '[0].x' {DOTTED}"),
        ("clock.", f"key 'clock.' {DOTTED}"),
        (
            "actuator[0]kp",
            f"actuator[0]kp is not known (did you mean 'actuator'?); a scenario takes {SECTIONS}",
        ),
    ],
)
def test_keys(key, words):
    assert refusal(lambda: sp.Scenario.loads(GOOD).changed({key: 12})) == words


NO_VALUE = (
    "its value must be a number, a word, true, false, or a text in quotes, a list or a table as TOML "
    "has them"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mu", "it must be key=value, as in clock.duration=5"),
        ("=3", "it must be key=value, as in clock.duration=5"),
        ("friction.mu=[", NO_VALUE),
        ("clock=", NO_VALUE),
        ("title=.5", NO_VALUE),
        ("title=1 m", NO_VALUE),
        ("title='a", NO_VALUE),
        ("title=[a, b]", NO_VALUE),
        ("a=1\nb=2", "it holds more than one value"),
    ],
)
def test_settings(text, words):
    with pytest.raises(sp.InvalidInput) as caught:
        setting(text)
    assert str(caught.value) == f"setting {text!r} is not allowed: {words}"


def by_link(**more):
    robot = sp.Robot.uniform(3, length=0.1, mass=1.0, radius=0.02)
    return sp.Scenario(robot=robot, **more)


@sentences(
    (lambda: sp.Scenario.loads(3), "text = 3 is not allowed: it must be text"),
    (lambda: sp.Scenario.from_plain(3), "data = 3 is not allowed: it must be a table"),
    (lambda: by_link().changed(3), "changes = 3 is not allowed: it must be a table"),
    (lambda: sp.Scenario.load(3), "source = 3 is not allowed: it must be a path or a name"),
    (
        lambda: sp.Scenario.load("swimmer", {"actuator": [{"kind": "free"}]}).built,
        "actuator has 1 entries, but this robot needs 9",
    ),
    (lambda: by_link(actuator=sp.Free()), "actuator is not allowed beside robot.joints, which have their own actuators"),
    (lambda: by_link().changed({"actuator.kp": 1.0}), "actuator: this robot's joints have their own; change robot.joints"),
    (lambda: by_link(world=sp.World(sp.Coulomb(0.2))), "Scenario.world = <World: friction Coulomb(mu=0.2)> is not allowed: its friction goes into friction=, beside it"),
)  # fmt: skip
def test_calls(call, words):
    assert refusal(call) == words


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "bad.toml").write_text(GOOD.replace("mu = 0.2", "mu = -1"))
    there = f"there are {', '.join(sp.gallery())}"
    for name, words in {
        "aiko_peg": f"scenario 'aiko_peg' is neither a file nor in the gallery (did you mean 'aiko_pegs'?); {there}",
        "nowhere.toml": f"scenario 'nowhere.toml' is neither a file nor in the gallery; {there}",
        ".": ". is not a file",
        "x" * 300: f"{'x' * 60} cannot be read: File name too long",
        "bytes.toml": "bytes.toml is not valid TOML: it is no UTF-8 text",
        "bad.toml": "bad.toml, line 10: friction.mu = -1 is not allowed: it must be at least 0",
    }.items():
        assert refusal(lambda name=name: sp.Scenario.load(name)) == words


def test_a_file_that_may_not_be_read(monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    words = "aiko_pegs cannot be read: Permission denied"
    assert refusal(lambda: sp.Scenario.load("aiko_pegs")) == words
