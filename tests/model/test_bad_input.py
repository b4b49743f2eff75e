"""Every wrong value of a robot or world is answered by one sentence: which value, what is allowed."""
# ruff: noqa: E501 (one row a line)

import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.checks import plain
from serpenoid.model.friction import Sum
from tests.sentences import refusal, sentences

NAN, INF = math.nan, math.inf
LINK = {"length": 0.1, "mass": 1.0, "radius": 0.02}
LINK_NAMES = "length, mass, radius, inertia, straight, wheels"
START_NAMES = "x, y, heading_deg, link, joint_angles_deg, velocity, spin_deg, joint_rates_deg"
FREE, PEG, DISC = sp.Free(), sp.Peg(0.0, 0.0, 0.1), sp.Disc(0, 0, 1, radius=1)
WALL = sp.Wall(((0, 0), (1, 0)))
ACTUATORS = "a Servo, Torque, Prescribed, Free or SeriesElastic"
LAWS = (
    "a Coulomb, OrthotropicCoulomb, DirectionalCoulomb, RectangularCoulomb, SmoothCoulomb, "
    "DistributedCoulomb, SpinCoulomb, Viscous, Fluid or Sum"
)


def link(**values):
    return lambda: sp.Link(**(LINK | values))


def uniform(links=3, **values):
    return lambda: sp.Robot.uniform(links, **(LINK | values))


@sentences(
    # Names.
    (link(masss=2.0), f"Link has no 'masss' (did you mean 'mass'?); it takes {LINK_NAMES}"),
    (lambda: sp.Link(length=0.1), f"Link.mass and Link.radius are missing; Link takes {LINK_NAMES}"),
    (sp.Coulomb, "Coulomb.mu is missing; Coulomb takes mu"),
    (lambda: sp.Start(heading=5.0), f"Start has no 'heading' (did you mean 'heading_deg'?); it takes {START_NAMES}"),
    (lambda: sp.Start(spin_rad=5.0), f"Start has no 'spin_rad' (did you mean 'spin_deg'? units are SI, degrees where a name ends in _deg); it takes {START_NAMES}"),
    (lambda: sp.Contact(colour=1.0), "Contact has no 'colour'; it takes friction, restitution, stiffness, damping"),
    (lambda: sp.Coulomb(0.1, 0.2), "Coulomb takes no more than mu, got 2 values"),
    (lambda: sp.Coulomb(0.1, mu=0.2), "Coulomb.mu is given twice"),
    # Numbers, each kind of mistake once.
    (link(length=-1.0), "Link.length = -1.0 is not allowed: it must be greater than 0"),
    (link(length=0.0), "Link.length = 0.0 is not allowed: it must be greater than 0"),
    (link(length=NAN), "Link.length = nan is not allowed: it must be a finite number"),
    (link(length=INF), "Link.length = inf is not allowed: it must be a finite number"),
    (link(length="1"), "Link.length = '1' is not allowed: it must be a number"),
    (link(length=True), "Link.length = True is not allowed: it must be a number"),
    (link(length=[1.0]), "Link.length = [1.0] is not allowed: it must be a number"),
    (link(length=None), "Link.length = None is not allowed: it must be a number"),
    (link(length=1e200), "Link.length = 1e+200 is not allowed: it must be at most 1e15 in size"),
    (link(mass=-1.0), "Link.mass = -1.0 is not allowed: it must be greater than 0"),
    (link(radius=-1.0), "Link.radius = -1.0 is not allowed: it must be greater than 0"),
    (link(inertia=0.0), "Link.inertia = 0.0 is not allowed: it must be greater than 0"),
    (link(straight=-0.1), "Link.straight = -0.1 is not allowed: it must be at least 0"),
    (lambda: sp.Coulomb(-0.1), "Coulomb.mu = -0.1 is not allowed: it must be at least 0"),
    (lambda: sp.Contact(restitution=1.1), "Contact.restitution = 1.1 is not allowed: it must be at most 1"),
    (lambda: sp.Contact(stiffness=-1.0), "Contact.stiffness = -1.0 is not allowed: it must be greater than 0"),
    (lambda: sp.Contact(stiffness=1e4, damping=-2.0), "Contact.damping = -2.0 is not allowed: it must be at least 0"),
    (lambda: sp.Contact(damping=2.0), "Contact.damping = 2.0 is not allowed without stiffness: hard contact has restitution"),
    (lambda: sp.Contact(restitution=0.5, stiffness=1e4), "Contact.restitution = 0.5 is not allowed with stiffness: the rebound from a compliant obstacle follows from stiffness and damping"),
    (lambda: sp.Disc(0.0, 0.0, 1.0, radius=0.1, contact=sp.Contact(stiffness=1e4)), "Disc.contact.stiffness = 10000.0 is not allowed: only pegs, walls and terrain can be compliant"),
    (lambda: sp.Servo(1.0, 1.0, torque_limit=NAN), "Servo.torque_limit = nan is not allowed: it must be a number"),
    (lambda: sp.Newton(max_iterations=0), "Newton.max_iterations = 0 is not allowed: it must be at least 1"),
    (lambda: sp.Newton(max_iterations=1.5), "Newton.max_iterations = 1.5 is not allowed: it must be a whole number"),
    (lambda: sp.Start(link=True), "Start.link = True is not allowed: it must be a whole number"),
    (lambda: sp.Start(velocity=1.0), "Start.velocity = 1.0 is not allowed: it must be two numbers"),
    (lambda: sp.Start(velocity=(1.0,)), "Start.velocity = [1.0] is not allowed: it must be two numbers"),
    (lambda: sp.Start(joint_angles_deg=5.0), "Start.joint_angles_deg = 5.0 is not allowed: it must be a list"),
    (lambda: sp.World(contact_at="middle"), "World.contact_at = 'middle' is not allowed: it must be 'outline', 'centre' or 'axis'"),
)  # fmt: skip
def test_values(call, words):
    assert refusal(call) == words


@sentences(
    (lambda: sp.Joint(FREE, limits_deg=(10, -10)), "Joint.limits_deg = (10.0, -10.0) is not allowed: the lower limit must be less than the upper one"),
    (lambda: sp.Joint(FREE, limits_deg=(10, 10)), "Joint.limits_deg = (10.0, 10.0) is not allowed: the lower limit must be less than the upper one"),
    (lambda: sp.Joint(sp.Prescribed(), limits_deg=(-10, 10)), "Joint.limits_deg = (-10.0, 10.0) is not allowed with a Prescribed actuator, which overrides any limit; use a Servo or leave the limits out"),
    (uniform(actuator="servo"), f"Joint.actuator = 'servo' is not allowed: it must be {ACTUATORS}"),
    *((uniform(links), f"links = {links!r} is not allowed: it must be a whole number, at least 1") for links in (0, 2.5, "3", True, None)),
    (uniform(mass=[1.0, 2.0]), "Robot.mass has 2 entries, but this robot needs 3"),
    (uniform(actuator=[FREE]), "Robot.actuator has 1 entries, but this robot needs 2"),
    (uniform(mass=[1.0, 2.0, -3.0]), "Link.mass[2] = -3.0 is not allowed: it must be greater than 0"),
    (lambda: sp.Robot(links=[sp.Link(**LINK)] * 3, joints=[sp.Joint(FREE)]), "Robot.joints has 1 entries, but 3 links need 2"),
    (lambda: sp.Robot(links=[], joints=[]), "Robot.links = () is not allowed: a robot has at least one link"),
    (lambda: sp.Robot(links=[1.0], joints=[]), "Robot.links[0] = 1.0 is not allowed: it must be a Link"),
    (uniform(6, wheels=sp.Wheels(), actuator=sp.Prescribed()), "Link.wheels is not allowed on 6 links with 5 joints that are Prescribed: ideal wheels would leave the robot no way to move; give them a mu, lift some, or use a Servo"),
    (lambda: sp.robots.koopaee("half_length"), "variant = 'half_length' is not known (did you mean 'half_length_007'?); there are as_printed, half_length_007"),
)  # fmt: skip
def test_robots(call, words):
    assert refusal(call) == words


@sentences(
    (lambda: sp.Coulomb(0.1) + sp.OrthotropicCoulomb(0.1, 0.2), "friction = Coulomb(mu=0.1) + OrthotropicCoulomb(along=0.1, across=0.2) is not allowed: a sum takes at most one dry law"),
    (lambda: sp.Coulomb(0.1) + sp.SpinCoulomb(0.1, 0.2) + sp.SpinCoulomb(0.3, 0.2), "friction = SpinCoulomb(mu=0.1, arm=0.2) + SpinCoulomb(mu=0.3, arm=0.2) is not allowed: a sum takes at most one dry torque"),
    (lambda: sp.Viscous(1, 2, 0) + (sp.Coulomb(0.1) + sp.Viscous(3, 4, 0)), "friction = Viscous(along=1.0, across=2.0, turning=0.0) + Viscous(along=3.0, across=4.0, turning=0.0) is not allowed: a sum takes at most one viscous law"),
    (lambda: Sum(laws=(sp.Coulomb(0.1) + sp.SpinCoulomb(0.1, 0.2),)), "Sum.laws holds a Sum, which is not allowed: add the laws up"),
    (lambda: sp.Coulomb(0.1) + 3, f"Sum.laws[1] = 3 is not allowed: it must be {LAWS}"),
    (lambda: sp.World(friction=0.2), f"World.friction = 0.2 is not allowed: it must be {LAWS}"),
)  # fmt: skip
def test_friction(call, words):
    assert refusal(call) == words


@sentences(
    *((lambda slope=slope: sp.World(slope_deg=slope), f"World.slope_deg = {slope} is not allowed: it must be at least 0 and less than 90") for slope in (90.0, -1.0)),
    (lambda: sp.World(pegs=[(0.0, 0.0, 0.1)]), "World.pegs[0] = [0.0, 0.0, 0.1] is not allowed: it must be a Peg"),
    (lambda: sp.World(pegs=PEG), "World.pegs = Peg(x=0.0, y=0.0, radius=0.1) is not allowed: it must be a list"),
    (lambda: sp.Wall(points=[(0.0, 0.0)]), "Wall.points = ((0.0, 0.0),) is not allowed: a wall needs at least two points"),
    (lambda: sp.Wall(points=[(0.0, 1.0), (0.0, 1.0)]), "Wall.points repeats (0.0, 1.0): neighbouring points must differ"),
    (lambda: sp.Wall(points=[(0.0, 0.0), (INF, 0.0)]), "Wall.points[1][0] = inf is not allowed: it must be a finite number"),
    (lambda: sp.Wall(points=[(0.0, 0.0), (1.0, 0.0, 0.0)]), "Wall.points[1] = [1.0, 0.0, 0.0] is not allowed: it must be two numbers"),
    (lambda: sp.World(contact_at="centre", walls=[WALL]), "World.contact_at = 'centre' is not allowed with walls: it is for pegs only"),
    (lambda: sp.World(contact_at="centre", pegs=[PEG], contact=sp.Contact(stiffness=1e4)), "World.contact_at = 'centre' is not allowed with compliant pegs: a stiffness needs 'outline'"),
    (lambda: sp.World(contact_at="axis", pegs=[PEG]), "World.contact_at = 'axis' is not allowed with pegs or walls: it is for terrain only"),
    (lambda: sp.World(plane="vertical", loads=[DISC]), "World.loads is not allowed with plane = 'vertical': loads need plane = 'horizontal' and contact_at = 'outline'"),
    (lambda: sp.World(contact_at="axis", loads=[DISC]), "World.loads is not allowed with contact_at: loads need plane = 'horizontal' and contact_at = 'outline'"),
    (lambda: sp.World(terrain=sp.Flat(0.5)), "World.terrain is not allowed in a horizontal plane: it needs plane = 'vertical'"),
    (lambda: sp.World(plane="vertical", contact_at="centre"), "World.contact_at = 'centre' is not allowed in a vertical plane: it must be 'outline' or 'axis'"),
    (lambda: sp.World(plane="vertical", slope_deg=3.0), "World.slope_deg = 3.0 is not allowed in a vertical plane: the slope is the terrain's, terrain = Slope(...)"),
    (lambda: sp.World(plane="vertical", patches=[sp.Patch(0, 0, 1, 1, None)]), "World.patches is not allowed in a vertical plane: friction is the terrain's"),
    (lambda: sp.World(sp.Coulomb(0.2), plane="vertical"), "World.friction = Coulomb(mu=0.2) is not allowed in a vertical plane: friction is the terrain's"),
)  # fmt: skip
def test_worlds(call, words):
    assert refusal(call) == words


@sentences(
    (lambda: sp.Profile([(0, 0), (1, 0), (0.5, 1), (2, 1)], 0.5), "Profile.points overhangs between (1, 0) and (0.5, 1): x must not decrease"),
    (lambda: sp.Profile([(0, 0), (2, 0), (1, 1), (1.5, -1)], 0.5), "Profile.points crosses itself between (1, 1) and (1.5, -1): terrain goes from left to right"),
    (lambda: sp.Profile([(0, 0), (0, 1), (0, 0.5), (1, 0.5)], 0.5), "Profile.points turns back on itself at (0, 1): a wall must have a width"),
    (lambda: sp.Profile([(0, 0)], 0.5), "Profile.points = ((0.0, 0.0),) is not allowed: there must be at least two points"),
    (lambda: sp.Profile([(0, 0), (0, 0)], 0.5), "Profile.points repeats (0.0, 0.0): neighbouring points must differ"),
    (lambda: sp.Profile([(0, 0), (1, 0)], (0.5, 0.4)), "Profile.friction has 2 entries, but this terrain has 1 pieces"),
    (lambda: sp.Compliant(-1.0, 1.0), "Compliant.stiffness = -1.0 is not allowed: it must be greater than 0"),
)  # fmt: skip
def test_terrain(call, words):
    assert refusal(call) == words


def pegs(**more):
    given = {"count": 3, "region": (0, 1, 0, 1), "radius": 0.05, "clearance": 0.01, "seed": 1}
    return lambda: sp.fields.random_pegs(**(given | more))


def corridor(**more):
    return lambda: sp.fields.random_corridor(
        **({"length": 3.0, "clearance": 0.2, "seed": 1} | more)
    )


REGION = "is not allowed: it must be (xmin, xmax, ymin, ymax), in order"
RADIUS = "is not allowed: it must be a number greater than 0, or a range of two, in order"


@sentences(
    *((pegs(count=count), f"count = {count!r} is not allowed: it must be a whole number, zero or more") for count in (-1, 2.5, "3")),
    (pegs(region=(1.0, 0.0, 0.0, 1.0)), f"region = (1.0, 0.0, 0.0, 1.0) {REGION}"),
    (pegs(region=(0.0, 1.0)), f"region = (0.0, 1.0) {REGION}"),
    (pegs(region=(0.0, INF, 0.0, 1.0)), f"region = (0.0, inf, 0.0, 1.0) {REGION}"),
    *((pegs(radius=radius), f"radius = {radius!r} {RADIUS}") for radius in (0.0, (0.1, 0.05), NAN, "a")),
    (pegs(clearance=-1.0), "clearance = -1.0 is not allowed: it must be zero or more"),
    (pegs(seed=-1), "seed = -1 is not allowed: it must be a whole number, zero or more"),
    (pegs(keep_clear=[(0.0, 0.0)]), "keep_clear[0] = [0.0, 0.0] is not allowed: it must be (x, y, radius)"),
    (pegs(keep_clear=[(0.5, 0.5, 5.0)]), "count = 3 pegs do not fit into region (0, 1, 0, 1) with clearance 0.01 m: only 0 found a place; ask for fewer or give them more room"),
    *((corridor(length=length), f"length = {length!r} is not allowed: it must be greater than 0") for length in (0.0, INF, "a")),
    (corridor(clearance=0.0), "clearance = 0.0 is not allowed: it must be greater than 0"),
    (corridor(step=0.1), "step = 0.1 is not allowed: it must be at least the clearance, 0.2"),
    (corridor(max_turn_deg=46.0), "max_turn_deg = 46.0 is not allowed: it must be between 0 and 45"),
    (corridor(roughness=-1.0), "roughness = -1.0 is not allowed: it must be zero or more"),
    (corridor(seed=-1), "seed = -1 is not allowed: it must be a whole number, zero or more"),
    (lambda: sp.fields.aiko_track([0.1, 0.2]), "radius has 2 entries, but the track has 7 pegs"),
    (lambda: sp.fields.aiko_track(0.0), "Peg.radius = 0.0 is not allowed: it must be greater than 0"),
)  # fmt: skip
def test_fields(call, words):
    assert refusal(call) == words


# ----------------------------------------------------------------------------- numbers of NumPy


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.array])
def test_numpy_numbers_are_numbers(kind):
    assert sp.Link(length=kind(1), mass=1.0, radius=kind(1)).length == 1.0
    assert sp.Robot.uniform(np.int64(2), **(LINK | {"length": kind(1)})).length == 2.0
    assert len(pegs(radius=np.float32(0.05))()) == 3


@pytest.mark.parametrize("wrapped", [np.float32(0.05), np.array(0.05, np.float32)])
def test_a_number_of_another_precision_is_the_one_it_is_written_as(wrapped):
    assert plain(wrapped) == 0.05
    assert plain(np.array([wrapped, 0.1], np.float32)) == [0.05, 0.1]
