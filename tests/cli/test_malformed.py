"""Malformed scenarios and command lines: each is answered by exactly one sentence, exit code 2."""

import pytest

from serpenoid.cli import invoke

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
CHAIN = "links, length, mass, radius, inertia, straight, wheels, limits_deg, name"
SECTIONS = "robot, title, seed, world, friction, actuator, controller, start, solver, clock, record"
WORLD = "pegs, walls, loads, patches, contact, contact_at, gravity, slope_deg, slope_direction_deg, plane, terrain, field"
LAWS = "coulomb, orthotropic, directional, spin, viscous, sum"
FIELDS = "aiko_track, random_pegs, random_corridor"
NEWTON = (
    "tolerance, force_tolerance, stiffness, max_penetration, max_iterations, max_updates, "
    "max_halvings"
)

# What is done to the good scenario (text replaced by text, or text added), and what is said.
SCENARIOS = [
    # unknown keys and typos
    ("", "[contoller]", f"contoller is not known (did you mean 'controller'?); a scenario takes {SECTIONS}"),
    ("", "dt = 1", f"dt is not known; a scenario takes {SECTIONS}"),
    ("links", "lnks", f"robot.lnks is not known (did you mean 'links'?); robot takes {CHAIN}"),
    ("mu =", "my =", "friction.my is not known; friction takes mu"),
    ("duration", "durations", "clock.durations is not known (did you mean 'duration'?); clock takes duration, time_step"),
    ("", "[world]\ngravty = 9.81", f"world.gravty is not known (did you mean 'gravity'?); world takes {WORLD}"),
    ("", "[world]\nfriction = 0.2", "world.friction is not known: the ground is a section, [friction]"),
    ("", "[record]\nevery = 10", "record.every is not known; record takes period"),
    ("", "[solver]\nkind = 'newton'\ntol = 1", f"solver.tol is not known; solver takes {NEWTON}"),
    ("", "[[world.pegs]]\nx = 1\ny = 0\nradious = 0.1", "world.pegs[0].radious is not known (did you mean 'radius'?); world.pegs[0] takes x, y, radius, contact"),
    # wrong unit suffix
    ("phase_deg", "phase_rad", f"controller.phase_rad is not known (did you mean 'phase_deg'? units are SI, degrees where a name ends in _deg); controller takes {GAIT}"),
    ("length", "length_mm", f"robot.length_mm is not known (did you mean 'length'? units are SI, degrees where a name ends in _deg); robot takes {CHAIN}"),
    ("duration", "duration_ms", "clock.duration_ms is not known (did you mean 'duration'? units are SI, degrees where a name ends in _deg); clock takes duration, time_step"),
    ("amplitude_deg", "amplitude", f"controller.amplitude is not known (did you mean 'amplitude_deg'?); controller takes {GAIT}"),
    # missing
    ("mass = 1.0\n", "", f"robot.mass is missing; robot takes {CHAIN}"),
    ("frequency_deg = 90\n", "", f"controller.frequency_deg is missing; controller takes {GAIT}"),
    ("mu = 0.2\n", "", "friction.mu is missing; friction takes mu"),
    ('kind = "coulomb"\n', "", f"friction = {{'mu': 0.2}} is not allowed: it needs a kind: {LAWS}"),
    # kinds
    ('"coulomb"', '"coloumb"', f"friction.kind = 'coloumb' is not known (did you mean 'coulomb'?); there are {LAWS}"),
    ('"coulomb"', "3", f"friction.kind = 3 is not known; there are {LAWS}"),
    ('"serpenoid"', '"sinus"', "controller.kind = 'sinus' is not known; there are serpenoid, pedal_wave, admittance, follower, adaptation, heading, recovery, spread_limit, references, constant_torque"),
    ("", "[solver]\nkind = 'newtn'", "solver.kind = 'newtn' is not known (did you mean 'newton'?); there are newton, prox, hybrid, explicit"),
    ("", "[world.field]\nkind = 'random_peg'", f"world.field.kind = 'random_peg' is not known (did you mean 'random_pegs'?); there are {FIELDS}"),
    # wrong types
    ("mu = 0.2", 'mu = "0.2"', "friction.mu = '0.2' is not allowed: it must be a number"),
    ("mu = 0.2", "mu = true", "friction.mu = True is not allowed: it must be a number"),
    ("links = 3", "links = 3.0", "robot.links = 3.0 is not allowed: it must be a whole number"),
    ("duration = 0.1", "duration = [0.1]", "clock.duration = [0.1] is not allowed: it must be a number"),
    ("[friction]\nkind = \"coulomb\"\nmu = 0.2", "[friction.law]\nmu = 0.2", f"friction = {{'law': {{'mu': 0.2}}}} is not allowed: it needs a kind: {LAWS}"),
    ("", "title = 3", "title = 3 is not allowed: it must be text in quotes"),
    ("", "seed = 1.5", "seed = 1.5 is not allowed: it must be a whole number"),
    ("", "[world]\npegs = 3", "world.pegs = 3 is not allowed: it must be a list"),
    ("", "[world]\npegs = [3]", "world.pegs[0] = 3 is not allowed: it must be a table"),
    ("", "[start]\nvelocity = 1", "start.velocity = 1 is not allowed: it must be two numbers"),
    ("", "start = 5", "start = 5 is not allowed: it must be a table"),
    ("", "solver = 'newton'", "solver = 'newton' is not allowed: it must be a table with a kind: newton, prox, hybrid, explicit"),
    # out of range
    ("mu = 0.2", "mu = -0.2", "friction.mu = -0.2 is not allowed: it must be at least 0"),
    ("mu = 0.2", "mu = nan", "friction.mu = nan is not allowed: it must be a finite number"),
    ("mass = 1.0", "mass = inf", "robot.mass = inf is not allowed: it must be a finite number"),
    ("mass = 1.0", "mass = [1, 0, 1]", "robot.mass[1] = 0 is not allowed: it must be greater than 0"),
    ("links = 3", "links = 0", "robot.links = 0 is not allowed: it must be at least 1"),
    ("links = 3", "links = 1000000000", "robot.links = 1000000000 is not allowed: it must be at most 100000"),
    ("", "seed = -1", "seed = -1 is not allowed: it must be at least 0"),
    ("", "[world]\nslope_deg = 95", "world.slope_deg = 95.0 is not allowed: it must be at least 0 and less than 90"),
    ("", "[world]\ncontact = { restitution = 2 }", "world.contact.restitution = 2 is not allowed: it must be at most 1"),
    ("duration = 0.1", "duration = 0.1\ntime_step = 0", "clock.time_step = 0 is not allowed: it must be greater than 0"),
    # what does not fit together
    ("mass = 1.0", "mass = [1, 2]", "robot.mass has 2 entries, but this robot needs 3"),
    ("duration = 0.1", "duration = 0.1\ntime_step = 3e-4", "record.period = 0.01 is not allowed: it must be a whole multiple of clock.time_step, 0.0003 s"),
    ("duration = 0.1", "duration = 0.105", "clock.duration = 0.105 is not allowed: it must be a whole multiple of record.period, 0.01 s"),
    ("", "[start]\njoint_angles_deg = [1]", "start.joint_angles_deg has 1 entries, but the robot has 2 joints"),
    ("", "[[world.pegs]]\nx = 0\ny = 0\nradius = 0.1", "world.pegs[0] at (0, 0) m overlaps link 1 by 113 mm at the start; move it or the start pose"),
    ("", "[[world.walls]]\npoints = [[0, 0]]", "world.walls[0].points = ((0.0, 0.0),) is not allowed: a wall needs at least two points"),
    ("", "[robot2]\nname = 'aiko'", f"robot2 is not known (did you mean 'robot'?); a scenario takes {SECTIONS}"),
    ("links = 3", "name = 'aiko'", f"robot.links is missing; robot takes {CHAIN}"),
    ("\nlinks = 3\nlength = 0.1\nmass = 1.0\nradius = 0.02", "\nname = 'aika'", "robot.name = 'aika' is not known (did you mean 'aiko'?); there are aiko, koopaee_as_printed, koopaee_half_length_007, or give links, length, mass and radius"),
    ('kind = "coulomb"\nmu = 0.2', "kind = 'sum'\nlaws = [{kind='coulomb', mu=1}, {kind='coulomb', mu=2}]", "friction: friction = Coulomb(mu=1.0) + Coulomb(mu=2.0) is not allowed: a sum takes at most one dry law"),
    ("", "[solver]\nkind = 'prox'\n[actuator]\nkind = 'free'", "solver 'prox' cannot resolve actuator Free(); use solver='newton'"),
    ("mu = 0.2", "mu = 1e200", "friction.mu = 1e+200 is not allowed: it must be at most 1e15 in size"),
    ("", "[solver]\nkind = 'newton'\nmax_iterations = 100000000000000000000", "solver.max_iterations = 100000000000000000000 is not allowed: it must be at most 1e+09"),
    ("[robot]\nlinks = 3\nlength = 0.1\nmass = 1.0\nradius = 0.02", "robot = 'aiko'", "robot = 'aiko' is not allowed: it must be a table with a name, or with links"),
    ("links = 3", "links = 3\nname = 'aiko'", "robot.name = 'aiko' is not allowed for links of your own: it is the name of a ready robot"),
    ("links = 3", "links = 3\nkind = 'x'", f"robot.kind is not known; robot takes {CHAIN}"),
    ("links = 3", "links = 3\nlimits_deg = [30, -30]", "robot.limits_deg = (30.0, -30.0) is not allowed: the lower limit must be less than the upper one"),
    # not TOML at all
    ("mu = 0.2", "mu 0.2", "not valid TOML: Expected '=' after a key in a key/value pair (at line 10, column 4)"),
    ("mu = 0.2", "mu = 0.2\nmu = 0.3", "not valid TOML: Cannot overwrite a value (at line 11, column 9)"),
]  # fmt: skip

THERE = (
    "there are adaptive_path_following, aiko_flat, aiko_pegs, circle, corridor, pedal_wave, "
    "peg_forest, push_box, push_disc, random_pegs, scales, stairs, swimmer, viscous_serpentine, "
    "waypoints, wheeled_snake"
)
KINDS = (
    "path, snapshot, position, speeds, joint_angles, torques, contact_forces, "
    "contact_force_components, stick_slip, loads, energy, cross_track, heading_error, "
    "forward_velocity"
)

COMMAND_LINES = [
    ("sweep nowhere.toml", "study nowhere.toml cannot be read: No such file or directory"),
    ("sweep .", "study . cannot be read: Is a directory"),
    ("sweep good.toml", "good.toml: robot is not known; a study takes base, parameters, metrics, title, change, skip, sampling, keep_runs"),
    ("optimise nowhere.toml", "study nowhere.toml cannot be read: No such file or directory"),
    ("optimise good.toml", "good.toml: robot is not known; a study to optimise takes base, parameters, metrics, title, change, skip, optimise"),
    ("optimise good.toml --storag x", "no such option: --storag (did you mean --storage?); see serpenoid --help"),
    ("rnu good.toml", "no such command 'rnu' (did you mean 'run'?); see serpenoid --help"),
    ("run", "missing argument 'scenario'; see serpenoid --help"),
    ("run good.toml twice", "got unexpected extra argument(s) (twice); see serpenoid --help"),
    ("run good.toml --ou x", "no such option: --ou (did you mean --out?); see serpenoid --help"),
    ("run good.toml --set", "option '--set' requires an argument; see serpenoid --help"),
    ("run aiko_peg", f"scenario 'aiko_peg' is neither a file nor in the gallery (did you mean 'aiko_pegs'?); {THERE}"),
    ("run nowhere.toml", f"scenario 'nowhere.toml' is neither a file nor in the gallery; {THERE}"),
    ("run .", ". is not a file"),
    ("run good.toml --set mu", "setting 'mu' is not allowed: it must be key=value, as in clock.duration=5"),
    ("run good.toml --set =3", "setting '=3' is not allowed: it must be key=value, as in clock.duration=5"),
    ("run good.toml --set friction.mu=[", "setting 'friction.mu=[' is not allowed: its value is no TOML"),
    ("run good.toml --set friction.mue=1", "good.toml: friction.mue is not known (did you mean 'mu'?); friction takes mu"),
    ("run good.toml --set friction.mu.x=1", "good.toml: friction.mu = 0.2 is a value and has no 'x'"),
    ("run good.toml --set world.pegs.0.x=1", "good.toml: world.pegs is a list of 0 entries and has no '0'"),
    ("run good.toml --set world.pegs[0].x=1", "good.toml: world.pegs is a list of 0 entries and has no '0'"),
    ("run good.toml --set world.pegs[].x=1", "good.toml: key 'world.pegs..x' is not allowed: it must be dotted words, such as clock.duration"),
    ("run good.toml --set solver=hybird", "good.toml: solver.kind = 'hybird' is not known (did you mean 'hybrid'?); there are newton, prox, hybrid, explicit"),
    ("run good.toml --set .x=1", "good.toml: key '.x' is not allowed: it must be dotted words, such as clock.duration"),
    ("run good.toml --set clock.duration.=1", "good.toml: key 'clock.duration.' is not allowed: it must be dotted words, such as clock.duration"),
    ("run good.toml --set clock=", "setting 'clock=' is not allowed: its value is no TOML"),
    ("run good.toml --out good.toml", "--out good.toml cannot be a folder: File exists"),
    ("plan-push aiko_pegs", "aiko_pegs: --load 0 is not allowed: there are none in world.loads"),
    ("plan-push push_disc --link 9", "push_disc: Touch.link = 9 is not allowed: pusher has links 0 to 3"),
    ("plan-push push_disc --torque 0", "push_disc: largest_torque = 0.0 is not allowed: it must be greater than 0 (N m)"),
    ("run push_disc --set world.loads[0].mass=0", "push_disc: world.loads[0].mass = 0 is not allowed: it must be greater than 0"),
    ("run push_disc --set world.loads[0].x=0.45", "push_disc: world.loads[0] overlaps link 0 by 43.3 mm at the start; move the load or the start pose"),
    ("export good.toml", "missing option '--mjcf'; see serpenoid --help"),
    ("export aiko_peg --mjcf a.xml", f"scenario 'aiko_peg' is neither a file nor in the gallery (did you mean 'aiko_pegs'?); {THERE}"),
    ("export good.toml --mjcf nowhere/a.xml", "path = 'nowhere/a.xml' cannot be written: No such file or directory"),
    ("export good.toml --mjcf .", "path = '.' cannot be written: it is not a file"),
    ("export good.toml --set actuator.kind=prescribed --mjcf a.xml", "good.toml: joint 0, which is prescribed, cannot be exported to MuJoCo; use kind = 'servo' in [actuator]"),
    ("export good.toml --set start.link=3 --mjcf a.xml", "good.toml: start.link = 3 is not allowed: the robot has links 0 to 2"),
    ("run stairs --set world.terrain.contact.stiffness=-350", "stairs: world.terrain.contact.stiffness = -350 is not allowed: it must be greater than 0"),
    ("run stairs --set actuator.gear_ratio=0", "stairs: actuator.gear_ratio = 0 is not allowed: it must be greater than 0"),
    ("run pedal_wave --set world.terrain.points=[[-1,0],[1,0],[0.5,1]]", "pedal_wave: world.terrain.points overhangs between (1, 0) and (0.5, 1): x must not decrease"),
    ("run pedal_wave --set world.terrain.points=[[-1,0],[2,0],[1,1],[1.5,-1]]", "pedal_wave: world.terrain.points crosses itself between (1, 1) and (1.5, -1): terrain goes from left to right"),
    ("run pedal_wave --set start.y=-0.02", "pedal_wave: world.terrain is entered by link 0, 20 mm deep at the start; start higher"),
    ("run pedal_wave --set solver=explicit --set clock.time_step=0.01", "pedal_wave: clock.time_step = 0.01 is not allowed with solver 'explicit': the springs and dampers of this robot and terrain need at most 0.0021 s"),
    ("reproduce transeth", "paper 'transeth' is not known (did you mean 'transeth2008'?); there are colorado2010, koopaee2020, liljeback2011, reyes2017, transeth2008"),
    ("view nothing.nc --no-open", "path = 'nothing.nc' cannot be read as a run: No such file or directory"),
    ("view good.toml --no-open", "path = 'good.toml' cannot be read as a run: it is no NetCDF file of serpenoid, or a damaged one"),
    ("verify .", "path = '.' cannot be read as a run: it is not a file"),
    ("plot good.nc pth", f"kind = 'pth' is not allowed (did you mean 'path'?): it must be one of {KINDS}"),
    ("plot good.nc path --out x.bmp", "path = 'x.bmp' is not allowed: it must end in .png, .pdf or .svg"),
    ("plot good.nc all --out x.png", "--out x.png is not allowed with all, which writes many files"),
    ("bench --jsn x", "no such option: --jsn (did you mean --json?); see serpenoid --help"),
    ("--versoin", "no such option: --versoin (did you mean --version?); see serpenoid --help"),
]  # fmt: skip


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    from serpenoid.scenario.scenario import Scenario

    return Scenario.loads(GOOD).run().save(tmp_path_factory.mktemp("saved") / "good.nc")


@pytest.fixture
def folder(tmp_path, monkeypatch, saved):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.toml").write_text(GOOD)
    (tmp_path / "good.nc").write_bytes(saved.read_bytes())
    return tmp_path


def said(capsys) -> str:
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("\n")
    assert captured.err.count("\n") == 1, captured.err
    return captured.err.removeprefix("serpenoid: ").rstrip("\n")


def test_the_good_one_is_good(folder, capsys):
    assert invoke(["run", "good.toml", "--out", "out"]) == 0
    assert (folder / "out" / "good.nc").exists()


@pytest.mark.parametrize(("old", "new", "words"), SCENARIOS, ids=[row[2][:50] for row in SCENARIOS])
def test_malformed_scenario(old, new, words, folder, capsys):
    if old:
        assert old in GOOD
        text = GOOD.replace(old, new, 1)
    else:  # a new section goes to the end, a bare key to the top
        text = f"{GOOD}\n{new}\n" if new.startswith("[") else f"{new}\n{GOOD}"
    (folder / "bad.toml").write_text(text)
    assert invoke(["run", "bad.toml"]) == 2
    join = " is " if words.startswith("not valid") else ": "
    assert said(capsys) == f"bad.toml{join}{words}"
    assert not (folder / "runs" / "bad.nc").exists()


@pytest.mark.parametrize(("line", "words"), COMMAND_LINES, ids=[row[0] for row in COMMAND_LINES])
def test_malformed_command_line(line, words, folder, capsys):
    assert invoke(line.split()) == 2
    assert said(capsys) == words
