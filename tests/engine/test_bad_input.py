"""Every wrong value is answered by one clear sentence: what, which value, what is allowed."""

from __future__ import annotations

import functools
import math
import re

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.spec import plain

NAN, INF = math.nan, math.inf
LINK = {"length": 0.1, "mass": 1.0, "radius": 0.02}
ROBOT = sp.Robot.uniform(3, **LINK)
NUMBER = "it must be a number"
FINITE = "it must be a finite number"
POSITIVE = "it must be greater than 0"
NOT_NEGATIVE = "it must be at least 0"
TIME = "it must be a finite number greater than 0 (s)"

# Words of the validation library, which mean nothing to the user.
JARGON = re.compile(r"input should|dictionary|tuple|instance|validation|unpack|positional|\n")


def refused(call, error: type[Exception], message: str | re.Pattern[str]) -> None:
    """The call raises this error with exactly this sentence, or one of this pattern."""
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert not JARGON.search(text), text
    assert isinstance(caught.value, sp.SerpenoidError)
    if isinstance(message, re.Pattern):
        assert message.fullmatch(text), text
    else:
        assert text == message


def table(rows):
    """Parametrise over (label, call, message), with InvalidInput unless a fourth entry differs."""
    cases = [(call, (*more, sp.InvalidInput)[0], message) for _, call, message, *more in rows]
    return pytest.mark.parametrize(
        ("call", "error", "message"), cases, ids=[label for label, *_ in rows]
    )


def near(text: str) -> re.Pattern[str]:
    return re.compile(text)


# ------------------------------------------------------------------------------------- numbers


def number_rows():
    rows = []
    for name in ("length", "mass", "radius", "inertia"):
        for value, allowed in (
            (-1.0, POSITIVE),
            (0.0, POSITIVE),
            (NAN, FINITE),
            (INF, FINITE),
            ("1", NUMBER),
            (True, NUMBER),
            ([1.0], NUMBER),
        ):
            rows.append((name, value, allowed))
    rows += [(name, None, NUMBER) for name in ("length", "mass", "radius")]
    rows += [("straight", -0.1, NOT_NEGATIVE), ("straight", NAN, FINITE)]
    return rows


@pytest.mark.parametrize(("name", "value", "allowed"), number_rows())
def test_link_numbers(name, value, allowed):
    refused(
        lambda: sp.Link(**(LINK | {name: value})),
        sp.InvalidInput,
        f"Link.{name} = {value!r} is not allowed: {allowed}",
    )


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.array])
def test_numpy_numbers_are_numbers(kind):
    assert sp.Link(length=kind(1), mass=1.0, radius=kind(1)).length == 1.0
    assert sp.Robot.uniform(2, length=kind(1), mass=1.0, radius=0.1).length == 2.0


def test_numpy_count_is_a_count():
    assert len(sp.Robot.uniform(np.int64(3), **LINK).links) == 3


# ------------------------------------------------------------------------------- value objects

NAMES = "length, mass, radius, inertia, straight, wheels"
START_NAMES = "x, y, heading_deg, link, joint_angles_deg, velocity, spin_deg, joint_rates_deg"
WORLD_NAMES = (
    "friction, pegs, walls, loads, patches, contact, contact_at, gravity, slope_deg, "
    "slope_direction_deg, plane, terrain"
)
FREE = sp.Free()
SOME_ACTUATOR = r"it must be .*Servo.*Torque.*Prescribed.*Free.*"
SOME_FRICTION = r"it must be .*Coulomb.*Viscous.*"

SPECS = [
    # Names.
    (
        "unknown name",
        lambda: sp.Link(**LINK, masss=2.0),
        f"Link has no 'masss' (did you mean 'mass'?); it takes {NAMES}",
    ),
    (
        "misspelt needed name",
        lambda: sp.Link(lenght=0.1, mass=1.0, radius=0.1),
        f"Link has no 'lenght' (did you mean 'length'?); it takes {NAMES}",
    ),
    ("missing", lambda: sp.Link(length=0.1), f"Link.mass is missing; Link takes {NAMES}"),
    (
        "without unit",
        lambda: sp.Start(heading=5.0),
        f"Start has no 'heading' (did you mean 'heading_deg'?); it takes {START_NAMES}",
    ),
    (
        "unknown to the world",
        lambda: sp.World(peg=[]),
        f"World has no 'peg' (did you mean 'pegs'?); it takes {WORLD_NAMES}",
    ),
    (
        "nothing near",
        lambda: sp.Contact(colour=1.0),
        "Contact has no 'colour'; it takes friction, restitution",
    ),
    ("too many", lambda: sp.Coulomb(0.1, 0.2), near(r"Coulomb takes .*mu.*")),
    # Values given without a name are named all the same.
    ("by place", lambda: sp.Coulomb(-0.1), f"Coulomb.mu = -0.1 is not allowed: {NOT_NEGATIVE}"),
    ("third place", lambda: sp.Peg(0.0, 0.0, 0.0), f"Peg.radius = 0.0 is not allowed: {POSITIVE}"),
    # Actuators and joints.
    ("gain", lambda: sp.Servo(kp=-1.0, kd=1.0), f"Servo.kp = -1.0 is not allowed: {NOT_NEGATIVE}"),
    ("infinite gain", lambda: sp.Servo(INF, 1.0), f"Servo.kp = inf is not allowed: {FINITE}"),
    (
        "torque limit",
        lambda: sp.Servo(kp=1.0, kd=1.0, torque_limit=0.0),
        f"Servo.torque_limit = 0.0 is not allowed: {POSITIVE}",
    ),
    (
        "torque limit nan",
        lambda: sp.Servo(kp=1.0, kd=1.0, torque_limit=NAN),
        f"Servo.torque_limit = nan is not allowed: {NUMBER}",
    ),
    (
        "limits reversed",
        lambda: sp.Joint(FREE, limits_deg=(10.0, -10.0)),
        "Joint.limits_deg = (10.0, -10.0) is not allowed: the lower limit must be less than the "
        "upper one",
    ),
    (
        "limits equal",
        lambda: sp.Joint(FREE, limits_deg=(10.0, 10.0)),
        "Joint.limits_deg = (10.0, 10.0) is not allowed: the lower limit must be less than the "
        "upper one",
    ),
    (
        "limits of a prescribed joint",
        lambda: sp.Joint(sp.Prescribed(), limits_deg=(-10.0, 10.0)),
        "Joint.limits_deg = (-10.0, 10.0) is not allowed with a Prescribed actuator, which "
        "overrides any limit; use a Servo or leave the limits out",
    ),
    (
        "one limit",
        lambda: sp.Joint(FREE, limits_deg=10.0),
        near(r"Joint\.limits_deg = 10\.0 is not allowed: it must be .*(two|2) numbers.*"),
    ),
    (
        "limits of one",
        lambda: sp.Joint(FREE, limits_deg=(10.0,)),
        near(r"Joint\.limits_deg = .*10\.0.* is not allowed: it must be .*(two|2) numbers.*"),
    ),
    (
        "actuator by name",
        lambda: sp.Robot.uniform(2, **LINK, actuator="servo"),
        near(rf"Joint\.actuator = 'servo' is not allowed: {SOME_ACTUATOR}"),
    ),
    (
        "no actuator",
        lambda: sp.Robot.uniform(2, **LINK, actuator=None),
        near(rf"Joint\.actuator = None is not allowed: {SOME_ACTUATOR}"),
    ),
    # Robot.
    *(
        (
            f"{links!r} links",
            lambda links=links: sp.Robot.uniform(links, **LINK),
            f"links = {links!r} is not allowed: it must be a whole number, at least 1",
        )
        for links in (0, -3, 2.5, "3", True, None)
    ),
    (
        "list too short",
        lambda: sp.Robot.uniform(3, **(LINK | {"mass": [1.0, 2.0]})),
        "mass has 2 entries, but this robot needs 3",
    ),
    (
        "actuators too few",
        lambda: sp.Robot.uniform(3, **LINK, actuator=[FREE]),
        "actuator has 1 entries, but this robot needs 2",
    ),
    (
        "bad entry of a list",
        lambda: sp.Robot.uniform(3, **(LINK | {"mass": [1.0, 2.0, -3.0]})),
        near(r".*mass.*2.*= -3\.0 is not allowed: it must be greater than 0"),
    ),
    (
        "joints too few",
        lambda: sp.Robot(links=[sp.Link(**LINK)] * 3, joints=[sp.Joint(FREE)]),
        "Robot.joints has 1 entries, but 3 links need 2",
    ),
    (
        "no links",
        lambda: sp.Robot(links=[], joints=[]),
        "Robot.links = () is not allowed: a robot has at least one link",
    ),
    (
        "link of another kind",
        lambda: sp.Robot(links=[1.0], joints=[]),
        near(r"Robot\.links\[0\] = 1\.0 is not allowed: it must be a Link.*"),
    ),
    # Laws.
    ("friction nan", lambda: sp.Coulomb(mu=NAN), f"Coulomb.mu = nan is not allowed: {FINITE}"),
    (
        "two dry laws",
        lambda: sp.Coulomb(0.1) + sp.OrthotropicCoulomb(0.1, 0.2),
        "friction = Coulomb(mu=0.1) + OrthotropicCoulomb(along=0.1, across=0.2) is not allowed: a "
        "sum takes at most one dry law",
    ),
    (
        "sum with a number",
        lambda: sp.Coulomb(0.1) + 3,
        near(rf".*= 3 is not allowed: {SOME_FRICTION}"),
    ),
    (
        "restitution",
        lambda: sp.Contact(restitution=1.1),
        "Contact.restitution = 1.1 is not allowed: it must be at most 1",
    ),
    # World.
    *(
        (
            f"slope {slope}",
            lambda slope=slope: sp.World(slope_deg=slope),
            f"World.slope_deg = {slope!r} is not allowed: it must be at least 0 and less than 90",
        )
        for slope in (90.0, 91.0, -1.0)
    ),
    (
        "gravity",
        lambda: sp.World(gravity=-9.81),
        f"World.gravity = -9.81 is not allowed: {NOT_NEGATIVE}",
    ),
    (
        "friction as a number",
        lambda: sp.World(friction=0.2),
        near(rf"World\.friction = 0\.2 is not allowed: {SOME_FRICTION}"),
    ),
    (
        "peg as numbers",
        lambda: sp.World(pegs=[(0.0, 0.0, 0.1)]),
        near(r"World\.pegs\[0\] = .* is not allowed: it must be a Peg.*"),
    ),
    (
        "one peg",
        lambda: sp.World(pegs=sp.Peg(0.0, 0.0, 0.1)),
        near(r"World\.pegs = Peg\(.*\) is not allowed: it must be a (list|sequence).*"),
    ),
    (
        "wall of one point",
        lambda: sp.Wall(points=[(0.0, 0.0)]),
        "Wall.points = ((0.0, 0.0),) is not allowed: a wall needs at least two points",
    ),
    (
        "wall with a point twice",
        lambda: sp.Wall(points=[(0.0, 1.0), (0.0, 1.0)]),
        "Wall.points repeats (0.0, 1.0): neighbouring points must differ",
    ),
    (
        "wall to infinity",
        lambda: sp.Wall(points=[(0.0, 0.0), (INF, 0.0)]),
        f"Wall.points[1][0] = inf is not allowed: {FINITE}",
    ),
    (
        "wall in space",
        lambda: sp.Wall(points=[(0.0, 0.0), (1.0, 0.0, 0.0)]),
        near(r"Wall\.points\[1\] = .* is not allowed: it must be .*(two|2) numbers.*"),
    ),
    (
        "patch",
        lambda: sp.Patch(x=0.0, y=0.0, width=-1.0, height=1.0, friction=None),
        f"Patch.width = -1.0 is not allowed: {POSITIVE}",
    ),
    # Gait and methods.
    (
        "gait",
        lambda: sp.Serpenoid(40.0, 80.0, phase_deg=INF),
        f"Serpenoid.phase_deg = inf is not allowed: {FINITE}",
    ),
    (
        "delay",
        lambda: sp.Serpenoid(40.0, 80.0, -50.0, delay=-1.0),
        f"Serpenoid.delay = -1.0 is not allowed: {NOT_NEGATIVE}",
    ),
    (
        "tolerance",
        lambda: sp.Newton(tolerance=0.0),
        f"Newton.tolerance = 0.0 is not allowed: {POSITIVE}",
    ),
    (
        "iterations",
        lambda: sp.Newton(max_iterations=0),
        "Newton.max_iterations = 0 is not allowed: it must be at least 1",
    ),
    (
        "half an iteration",
        lambda: sp.Newton(max_iterations=1.5),
        "Newton.max_iterations = 1.5 is not allowed: it must be a whole number",
    ),
    # Start.
    ("start nan", lambda: sp.Start(x=NAN), f"Start.x = nan is not allowed: {FINITE}"),
    *(
        (
            f"link {link!r}",
            lambda link=link: sp.Start(link=link),
            f"Start.link = {link!r} is not allowed: it must be a whole number",
        )
        for link in (1.5, True, "2")
    ),
    (
        "velocity as a number",
        lambda: sp.Start(velocity=1.0),
        near(r"Start\.velocity = 1\.0 is not allowed: it must be .*(two|2) numbers.*"),
    ),
    (
        "velocity of one",
        lambda: sp.Start(velocity=(1.0,)),
        near(r"Start\.velocity = .*1\.0.* is not allowed: it must be .*(two|2) numbers.*"),
    ),
    (
        "one joint angle",
        lambda: sp.Start(joint_angles_deg=5.0),
        near(r"Start\.joint_angles_deg = 5\.0 is not allowed: it must be a (list|sequence).*"),
    ),
]


@table(SPECS)
def test_value_objects(call, error, message):
    refused(call, error, message)


# ------------------------------------------------------------------------------------ simulate


def sim(robot=ROBOT, duration=0.1, **more):
    return lambda: sp.simulate(robot, duration=duration, **more)


class Says:
    """A controller that always gives the same answer."""

    def __init__(self, answer, period=0.01):
        self.answer, self.period = answer, period

    def command(self, _observation):
        return self.answer


class Timeless:
    def command(self, _observation):
        return [0.0, 0.0]


@functools.cache
def state() -> sp.State:
    return sp.simulate(ROBOT, duration=0.01).state


ONE_PER_JOINT = "it must be (2,), one per joint"
NUMBERS = "it must be 2 numbers, one per joint"
LIMITED = sp.Robot.uniform(3, **LINK, limits_deg=(-10.0, 10.0))
WALL = sp.Wall(points=[(0.0, -1.0), (0.0, 1.0)])
RUNS = [
    # The clock.
    *(
        (
            f"{name} {value!r}",
            sim(**{name: value}),
            f"{name} = {value!r} is not allowed: {TIME}",
        )
        for name in ("time_step", "duration", "record_period")
        for value in (-1.0, 0.0, NAN, INF, "1", True, None)
    ),
    (
        "step and record period",
        sim(time_step=3e-3),
        "record_period = 0.01 is not allowed: it must be a whole multiple of time_step, 0.003 s",
    ),
    (
        "record period and duration",
        sim(duration=0.105),
        "duration = 0.105 is not allowed: it must be a whole multiple of record_period, 0.01 s",
    ),
    (
        "step longer than the run",
        sim(duration=0.01, record_period=0.01, time_step=0.1),
        "record_period = 0.01 is not allowed: it must be a whole multiple of time_step, 0.1 s",
    ),
    ("endless", sim(duration=1e308), near(r"duration = 1e\+308 is not allowed: .+")),
    (
        "never recorded",
        sim(record_period=1e308),
        near(r"record_period = 1e\+308 is not allowed: .+"),
    ),
    # What is simulated.
    (
        "robot by name",
        sim(robot="aiko"),
        near(r"robot = 'aiko' is not allowed: it must be a Robot.*"),
    ),
    ("world", sim(world=sp.Coulomb(0.2)), near(r"world = .+ is not allowed: it must be a World.*")),
    ("start", sim(start={"x": 1.0}), near(r"start = .+ is not allowed: it must be a Start.*")),
    (
        "peg in the robot",
        sim(world=sp.World(pegs=[sp.Peg(5.0, 0.0, 0.1), sp.Peg(0.0, 0.1, 0.1)])),
        "World.pegs[1] at (0, 0.1) m overlaps link 1 by 20 mm at the start; move it or the start "
        "pose",
    ),
    (
        "wall through the robot",
        sim(world=sp.World(walls=[WALL])),
        near(
            r"World\.walls\[0\] between .+ overlaps link 1 by 20 mm at the start; move it or the "
            r"start pose"
        ),
    ),
    (
        "continued into a peg",
        lambda: sp.simulate(
            ROBOT, sp.World(pegs=[sp.Peg(0.0, 0.0, 0.01)]), duration=0.1, start=state()
        ),
        near(r"World\.pegs\[0\] at \(0, 0\) m overlaps link 1 by .+"),
    ),
    (
        "shape beyond the limits",
        sim(robot=LIMITED, start=sp.Start(joint_angles_deg=(5.0, 20.0))),
        "joint 1 starts at 20 deg, outside its limits_deg = (-10, 10); change the start shape or "
        "the limits",
    ),
    (
        "gait beyond the limits",
        sim(robot=LIMITED, controller=sp.Serpenoid(40.0, 10.0, 90.0)),
        "joint 0 starts at 40 deg, outside its limits_deg = (-10, 10); change the start shape or "
        "the limits",
    ),
    *(
        (
            f"start link {link}",
            sim(start=sp.Start(link=link)),
            f"Start.link = {link} is not allowed: the robot has links 0 to 2",
        )
        for link in (3, -1)
    ),
    (
        "angles too few",
        sim(start=sp.Start(joint_angles_deg=(1.0,))),
        "Start.joint_angles_deg has 1 entries, but the robot has 2 joints",
    ),
    (
        "rates too many",
        sim(start=sp.Start(joint_rates_deg=(1.0, 2.0, 3.0))),
        "Start.joint_rates_deg has 3 entries, but the robot has 2 joints",
    ),
    (
        "state of another robot",
        lambda: sp.simulate(sp.robots.aiko(), duration=0.1, start=state()),
        "the state has 3 links, but the robot has 11",
    ),
    (
        "state of another step",
        lambda: sp.simulate(ROBOT, duration=0.1, time_step=2e-3, start=state()),
        "time_step = 0.002 is not allowed: the state to continue from has 0.001 s",
    ),
    # Controllers.
    (
        "no period",
        sim(controller=Timeless()),
        near(
            r"controller = <.+Timeless object at .+> is not allowed: it must be a gait, None, or "
            r"have a period and a command method"
        ),
    ),
    (
        "class in place of a controller",
        sim(controller=type("Forgotten", (Says,), {"period": 0.01})),
        near(r"controller = <class .+> is not allowed: .+"),
    ),
    (
        "gait class",
        sim(controller=sp.Serpenoid),
        near(r"controller = <class .+Serpenoid'> is not allowed: .+"),
    ),
    *(
        (
            f"period {period!r}",
            sim(controller=Says([0.0, 0.0], period)),
            f"controller.period = {period!r} is not allowed: {TIME}",
        )
        for period in (0.0, -1.0, NAN, "a", None)
    ),
    (
        "period between steps",
        sim(controller=Says([0.0, 0.0], 1.5e-3)),
        "controller.period = 0.0015 is not allowed: it must be a whole multiple of time_step, "
        "0.001 s",
    ),
    *(
        (
            f"answer of shape {np.shape(answer)}",
            sim(controller=Says(answer)),
            f"controller returned angle of shape {np.shape(answer)} at t = 0 s: {ONE_PER_JOINT}",
            sp.ControllerError,
        )
        for answer in ([1.0], [1.0, 2.0, 3.0], 1.0, [[1.0, 2.0]])
    ),
    (
        "torque of shape (1,)",
        sim(controller=Says(sp.Command(torque=[1.0]))),
        f"controller returned torque of shape (1,) at t = 0 s: {ONE_PER_JOINT}",
        sp.ControllerError,
    ),
    (
        "answer nan",
        sim(controller=Says([0.0, NAN])),
        f"controller returned angle[1] = nan at t = 0 s: {FINITE}",
        sp.ControllerError,
    ),
    (
        "rate inf",
        sim(controller=Says(sp.Command(rate=[INF, 0.0]))),
        f"controller returned rate[0] = inf at t = 0 s: {FINITE}",
        sp.ControllerError,
    ),
    (
        "answer in words",
        sim(controller=Says("left")),
        f"controller returned angle = 'left' at t = 0 s: {NUMBERS}",
        sp.ControllerError,
    ),
    (
        "answer forgotten",
        sim(controller=Says(None)),
        near(r"controller returned None at t = 0 s: it must be .+"),
        sp.ControllerError,
    ),
    # Solvers.
    (
        "solver misspelt",
        sim(solver="newtn"),
        "solver = 'newtn' is not known (did you mean 'newton'?); there are newton, prox, hybrid, "
        "explicit",
    ),
    (
        "solver of another engine",
        sim(solver="mujoco"),
        "solver = 'mujoco' is not known; there are newton, prox, hybrid, explicit",
    ),
    (
        "solver class",
        sim(solver=sp.Newton),
        near(
            r"solver = <class .+Newton'> is not known.*; there are newton, prox, hybrid, explicit"
        ),
    ),
    (
        "prox and its limits",
        sim(world=sp.World(friction=sp.Viscous(along=1.0, across=1.0)), solver="prox"),
        "solver 'prox' cannot resolve ground friction Viscous(along=1.0, across=1.0, "
        "turning=None); use solver='newton'",
        sp.UnsupportedLaw,
    ),
]


@table(RUNS)
def test_simulate(call, error, message):
    refused(call, error, message)


def test_numpy_clock_is_a_clock():
    """And it is kept as plain numbers: a run can be written whatever it was called with."""
    clock = {"time_step": 2.0**-10, "record_period": 2.0**-7, "duration": 0.125}
    run = sp.simulate(ROBOT, **{name: np.float32(value) for name, value in clock.items()})
    assert {name: run.scenario[name] for name in clock} == clock
    assert run.dataset.attrs["scenario"]
    assert run.time.dtype == np.float64


@pytest.mark.parametrize("wrapped", [np.float32(0.05), np.array(0.05, np.float32)])
def test_a_number_of_another_precision_is_the_one_it_is_written_as(wrapped):
    assert plain(wrapped) == 0.05
    assert plain(np.array([wrapped, 0.1], np.float32)) == [0.05, 0.1]


# -------------------------------------------------------------------------------------- fields

PEGS = {"count": 3, "region": (0.0, 1.0, 0.0, 1.0), "radius": 0.05, "clearance": 0.01, "seed": 1}
WAY = {"length": 3.0, "clearance": 0.2, "seed": 1}


def pegs(**more):
    return lambda: sp.fields.random_pegs(**(PEGS | more))


def way(**more):
    return lambda: sp.fields.random_corridor(**(WAY | more))


FIELDS = [
    ("count", pegs(count=-1), near(r"count = -1 is not allowed: it must be .*zero or more")),
    ("half a peg", pegs(count=2.5), near(r"count = 2\.5 is not allowed: .+")),
    ("count in words", pegs(count="3"), near(r"count = '3' is not allowed: .+")),
    (
        "region",
        pegs(region=(1.0, 0.0, 0.0, 1.0)),
        near(r"region = \(1\.0, 0\.0, 0\.0, 1\.0\) is not allowed: .*xmin, xmax, ymin, ymax.*"),
    ),
    ("region of two", pegs(region=(0.0, 1.0)), near(r"region = \(0\.0, 1\.0\) is not allowed: .+")),
    (
        "infinite region",
        pegs(region=(0.0, INF, 0.0, 1.0)),
        near(r"region = \(0\.0, inf, 0\.0, 1\.0\) is not allowed: .+"),
    ),
    ("no radius", pegs(radius=0.0), near(r"radius = 0\.0 is not allowed: .*greater than 0.*")),
    (
        "radii reversed",
        pegs(radius=(0.1, 0.05)),
        near(r"radius = \(0\.1, 0\.05\) is not allowed: .+"),
    ),
    ("radius nan", pegs(radius=NAN), near(r"radius = nan is not allowed: .+")),
    ("radius in words", pegs(radius="a"), near(r"radius = 'a' is not allowed: .+")),
    ("clearance", pegs(clearance=-1.0), near(r"clearance = -1\.0 is not allowed: .*zero or more")),
    ("seed", pegs(seed=-1), near(r"seed = -1 is not allowed: .+")),
    (
        "keep_clear",
        pegs(keep_clear=[(0.0, 0.0)]),
        near(r"keep_clear.* = .+ is not allowed: .*x, y, radius.*"),
    ),
    (
        "too many to fit",
        pegs(count=20, region=(0.0, 0.2, 0.0, 0.2)),
        near(
            r"count = 20 pegs do not fit into region \(0\.0, 0\.2, 0\.0, 0\.2\) with clearance "
            r"0\.01 m: only \d+ found a place; ask for fewer or give them more room"
        ),
    ),
    (
        "nowhere clear",
        pegs(keep_clear=[(0.5, 0.5, 5.0)]),
        near(r"count = 3 pegs do not fit .+: only 0 found a place; .+"),
    ),
    ("corridor length", way(length=0.0), f"length = 0.0 is not allowed: {POSITIVE}"),
    ("endless corridor", way(length=INF), near(r"length = inf is not allowed: .+")),
    ("corridor in words", way(length="a"), near(r"length = 'a' is not allowed: .+")),
    ("corridor clearance", way(clearance=0.0), f"clearance = 0.0 is not allowed: {POSITIVE}"),
    (
        "corridor step",
        way(step=0.1),
        "step = 0.1 is not allowed: it must be at least the clearance, 0.2",
    ),
    (
        "corridor turn",
        way(max_turn_deg=46.0),
        "max_turn_deg = 46.0 is not allowed: it must be between 0 and 45",
    ),
    (
        "corridor roughness",
        way(roughness=-1.0),
        "roughness = -1.0 is not allowed: it must be zero or more",
    ),
    ("corridor seed", way(seed=-1), near(r"seed = -1 is not allowed: .+")),
    (
        "track radii",
        lambda: sp.fields.aiko_track([0.1, 0.2]),
        "radius has 2 entries, but the track has 7 pegs",
    ),
    (
        "track radius",
        lambda: sp.fields.aiko_track(0.0),
        f"Peg.radius = 0.0 is not allowed: {POSITIVE}",
    ),
    (
        "track radius in words",
        lambda: sp.fields.aiko_track("thin"),
        near(r".*radius = 'thin' is not allowed: .+"),
    ),
]


@table(FIELDS)
def test_fields(call, error, message):
    refused(call, error, message)


def test_numpy_radius_is_a_radius():
    assert len(sp.fields.random_pegs(**(PEGS | {"radius": np.float32(0.05)}))) == 3


# ------------------------------------------------------------------------------- extreme values

GAIT = sp.Serpenoid(amplitude_deg=30.0, frequency_deg=90.0, phase_deg=-40.0)

EXTREME = {
    "light": {"link": {"mass": 1e-12}},
    "heavy": {"link": {"mass": 1e12}},
    "short": {"link": {"length": 1e-6, "radius": 2e-7}},
    "long": {"link": {"length": 1e6, "radius": 2e5}},
    "thin": {"link": {"radius": 1e-9}},
    "thick": {"link": {"radius": 1e9}},
    "of all weights": {"link": {"mass": [1e-12, 1.0, 1e12, 1e-12, 1.0]}},
    "small inertia": {"link": {"inertia": 1e-15}},
    "stiff": {"link": {"actuator": sp.Servo(kp=1e12, kd=0.0)}},
    "damped": {"link": {"actuator": sp.Servo(kp=0.0, kd=1e12)}},
    "weak": {"link": {"actuator": sp.Servo(kp=1e6, kd=0.0, torque_limit=1e-12)}},
    "tiny step": {"time_step": 1e-12},
    "large step": {"time_step": 0.1},
    "rough": {"world": {"friction": sp.Coulomb(1e6)}},
    "smooth": {"world": {"friction": sp.Coulomb(1e-12)}},
    "tar": {"world": {"friction": sp.Viscous(along=1e12, across=1e12)}},
    "no gravity": {"world": {"gravity": 0.0}},
    "great gravity": {"world": {"gravity": 1e9}},
    "cliff": {"world": {"slope_deg": 89.999}},
    "far away": {"start": {"x": 1e15}, "world": {"pegs": [sp.Peg(1e15, 1.0, 0.1)]}},
    "needle": {"world": {"pegs": [sp.Peg(0.0, 0.2, 1e-12)]}},
    "pegs far apart": {"world": {"pegs": [sp.Peg(-1e9, 0.0, 0.1), sp.Peg(1e9, 1e9, 0.1)]}},
    "short wall": {"world": {"walls": [sp.Wall(points=[(0.0, 0.2), (1e-12, 0.2)])]}},
}


@pytest.mark.parametrize("case", EXTREME.values(), ids=EXTREME)
def test_extreme_but_possible_runs(case):
    """A hundred steps, no warning (pytest makes it an error), everything finite, angles sane."""
    robot = sp.Robot.uniform(5, **(LINK | case.get("link", {})))
    world = sp.World(**({"friction": sp.Coulomb(0.2)} | case.get("world", {})))
    dt = case.get("time_step", 1e-3)
    run = sp.simulate(
        robot,
        world,
        GAIT,
        100 * dt,
        start=sp.Start(**case.get("start", {})),
        time_step=dt,
        record_period=10 * dt,
    )
    for name, column in run.columns.items():
        assert np.isfinite(column).all(), name
    # The gait stays within 30 deg; a servo that overshoots twofold would be off.
    assert np.abs(run.columns["joint_angle"]).max() < math.radians(60)


STOPPING = {
    "massless": ({"mass": 1e-300}, {}, GAIT),
    "without length": ({"length": 1e-150, "radius": 1e-150}, {}, GAIT),
    "spinning": ({}, {"spin_deg": 1e9}, GAIT),
    "beyond squares": ({}, {"velocity": (1e200, 0.0)}, GAIT),
    "buzzing": ({}, {}, sp.Serpenoid(30.0, 1e9, -40.0)),
    "winding": ({}, {}, sp.Serpenoid(1e6, 90.0, -40.0)),
}


@pytest.mark.parametrize(("link", "start", "gait"), STOPPING.values(), ids=STOPPING)
def test_impossible_values_stop_with_a_reason(link, start, gait):
    with pytest.raises(
        (sp.SimulationStopped, sp.InvalidInput),
        match=r"^(stopped at t = .+; try .+|.+ is not allowed: .+)$",
    ):
        sp.simulate(
            sp.Robot.uniform(5, **(LINK | link)),
            sp.World(friction=sp.Coulomb(0.2)),
            gait,
            0.1,
            start=sp.Start(**start),
        )
