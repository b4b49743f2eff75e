"""One outline for contact, start check and certificate, checked by geometry of the tests' own."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.errors import Overlap
from tests import depths
from tests.outline_scenarios import random_ground, random_plane
from tests.scenarios import Case

MAKERS = {"plane": random_plane, "ground": random_ground}
FEW, MANY = 50, 1000
# Those of the many that are not resolved to the end; they stop and say so.
STOPS = {("plane", 451), ("ground", 567)}
# Two ways to the same solution should not differ by the tolerance of the solver.
SHARP = sp.Newton(tolerance=1e-9)
GEARED = sp.SeriesElastic(
    stiffness=10.0, kp=30.0, kd=1.0, gear_ratio=100.0, rotor_inertia=1e-6, rotor_mass=1.0
)


def run_of(case: Case, duration: float = 0.3, **more) -> sp.Trajectory:
    more = {"record_period": 1e-3} | more
    return sp.simulate(case.robot, case.world, case.gait, duration, start=case.start, **more)


# -------------------------------------------------------------------------- the tests' geometry


def test_depths_in_closed_form():
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    line = np.array([[3.0, -1.0], [3.0, 1.0]])
    turned = (square @ np.array([[1, 1], [-1, 1]]) / math.sqrt(2)) + (2.0, 0.0)
    for one, two, wanted in (
        ((square, 0.0), (line, 0.5), -1.5),
        ((square, 0.0), (np.array([[0.75, 0.0]]), 0.5), 0.75),
        ((square, 0.0), (np.array([[2.0, 2.0]]), 1.0), 1 - math.sqrt(2)),
        ((np.zeros((1, 2)), 1.0), (np.array([[3.0, 4.0]]), 2.0), -2.0),
        ((line, 0.1), (np.array([[0.0, 0.0], [3.5, 0.0]]), 0.1), 0.2 + 0.5),
        ((square, 0.0), (turned, 0.0), 1 - (2 - math.sqrt(2))),
    ):
        assert depths.depth(one, two) == pytest.approx(wanted)
        assert depths.depth(two, one) == pytest.approx(wanted)
    step = sp.Stairs(height=1.0, tread=2.0, friction=0.0)
    for axis, wanted in (
        ([[-3.0, 0.4], [-1.0, 0.4]], 0.1),
        ([[-0.5, 0.5], [-0.5, 2.0]], 0.0),
        ([[-1.0, 1.0], [1.0, 3.0]], 0.5 - math.sqrt(0.5)),
        ([[-1.0, 0.9], [1.0, 0.9]], 0.6),
    ):
        found = depths.in_terrain((np.array([axis]), 0.5), step)
        assert found == pytest.approx(wanted, abs=1e-12)


# ------------------------------------------------------------------------------------- findings


def test_an_upright_link_rests_on_its_outline():
    for straight, height in ((None, 0.1), (0.0, 0.05), (0.3, 0.2)):
        robot = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.05, straight=straight)
        start = sp.Start(y=height + 0.01, heading_deg=90.0)
        world = sp.World(plane="vertical", terrain=sp.Flat(1.0))
        run = sp.simulate(robot, world, None, 0.3, start=start)
        assert run.columns["y"][-1, 0] == pytest.approx(height, abs=1e-6)


@pytest.mark.parametrize("radius", [[0.1, 0.01], [0.01, 0.1]])
def test_links_of_unequal_radii_lie_on_the_ground(radius):
    servo = sp.Servo(kp=1e4, kd=10.0)
    robot = sp.Robot.uniform(2, length=0.3, mass=1.0, radius=radius, straight=0.3, actuator=servo)
    world = sp.World(plane="vertical", terrain=sp.Flat(0.5))
    run = sp.simulate(robot, world, None, 1.0, start=sp.Start(y=0.3))
    assert abs(depths.deepest(run)[-1]) < 1e-6


def test_the_start_check_knows_where_rotors_leave_the_outline():
    robot = sp.Robot.uniform(2, length=0.2, mass=1.0, radius=0.02, actuator=GEARED)
    rest = sp.simulate(robot, sp.World(), None, 0.01)
    tail, head = rest.columns["x"][0, 0] - 0.1, rest.columns["x"][0, 1] + 0.1
    for x, link, depth in ((tail + 0.02, 0, 30), (tail + 0.005, 0, 15), (head - 0.005, 1, 15)):
        world = sp.World(pegs=(sp.Peg(float(x), 0.0, 0.01),))
        with pytest.raises(Overlap, match=f"overlaps link {link} by {depth} mm"):
            sp.simulate(robot, world, None, 0.01)
    for x in (tail - 0.0101, head + 0.0101):
        sp.simulate(robot, sp.World(pegs=(sp.Peg(float(x), 0.0, 0.01),)), None, 0.01)


def test_a_link_that_pierces_a_hill_is_refused():
    """Both ends are in the air, on the same side of the bisector of the highest corner."""
    hill = sp.Profile([(0, 0), (0.1, 0.3), (0.4, 0.2), (0.5, 0)], 0.5)
    robot = sp.Robot.uniform(1, length=0.7, mass=1.0, radius=0.01)
    for at in ("outline", "axis"):
        world = sp.World(plane="vertical", terrain=hill, contact_at=at)
        with pytest.raises(Overlap, match=r"world\.terrain is entered by link 0"):
            sp.simulate(robot, world, None, 0.01, start=sp.Start(x=0.25, y=0.1))


def test_contact_at_the_centre_is_at_the_middle_of_a_link_with_a_rotor():
    """An inelastic impact stops the middle of the link, not the centre of mass with the rotor."""
    robot = sp.Robot.uniform(2, length=0.2, mass=1.0, radius=0.02, actuator=GEARED)
    x = float(sp.simulate(robot, sp.World(), None, 0.01).columns["x"][0, 0])
    world = sp.World(pegs=(sp.Peg(x, -0.055, 0.05),), contact_at="centre")
    run = sp.simulate(robot, world, None, 0.02, start=sp.Start(velocity=(0.0, -0.5)))
    theta, vx, vy = (run.columns[name][-1, 0] for name in ("theta", "vx", "vy"))
    # To the angle that the link turns by in half a step.
    assert abs(math.cos(theta) * vy - math.sin(theta) * vx) < 1e-4
    assert abs(run.columns["omega"][-1]).max() > 0.1
    # A peg that only the tail end of the axis reaches, on which the link turns, is felt, too.
    world = sp.World(pegs=(sp.Peg(x - 0.095, -0.055, 0.05),), contact_at="centre")
    run = sp.simulate(robot, world, None, 0.02, start=sp.Start(velocity=(0.0, -0.5)))
    assert np.abs(run.columns["contact_force"]).max() > 1.0


# --------------------------------------------------------------------------------------- random


def check(kind: str, seed: int) -> None:
    """No row is deeper than 0.1 mm where the certificate says so."""
    try:
        run = run_of(MAKERS[kind](seed))
    except sp.SimulationStopped as stopped:
        assert (kind, seed) in STOPS, (kind, seed)
        run = stopped.run
    deep, said = depths.deepest(run), run.columns["penetration"]
    assert (deep[said < 1e-4] < 1e-4).all(), (kind, seed, deep.max())
    # What it finds at midpoints is over by the end of a step.
    assert deep.max() < 1e-4, (kind, seed, deep.max())


@pytest.mark.parametrize("kind", MAKERS)
def test_random_outlines(kind):
    for seed in range(FEW):
        check(kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("kind", MAKERS)
def test_many_random_outlines(kind, part):
    for seed in range(FEW + part * MANY // 20, FEW + (part + 1) * MANY // 20):
        check(kind, seed)


def test_the_start_check_draws_the_line_where_the_outlines_are():
    """Pegs and walls pushed into a link, or left clear of it, by 20 um; the robot lowered."""
    for seed in range(8):
        case = random_plane(seed)
        run = run_of(dataclasses.replace(case, world=sp.World()), 1e-3)
        random = np.random.default_rng(seed)
        core, radius = depths.links(run)[random.integers(len(case.robot.links))]
        angle = random.uniform(-np.pi, np.pi)
        away = np.array([math.cos(angle), math.sin(angle)])
        touching = core[0, np.argmax(core[0] @ away)] + radius * away
        across = 0.05 * np.array([-away[1], away[0]])
        for gap in (2e-5, -2e-5):
            peg = sp.Peg(*(touching + (gap + 0.02) * away).tolist(), 0.02)
            middle = touching + gap * away
            wall = sp.Wall((tuple(middle - across), tuple(middle + across)))
            for world in (sp.World(pegs=(peg,)), sp.World(walls=(wall,))):
                one = dataclasses.replace(case, world=world)
                bodies = [(body[:1], r) for body, r in depths.links(run)]
                around = depths.obstacles(world)
                deep = max(depths.depth(body, thing)[0] for body in bodies for thing in around)
                assert is_refused(one) == (deep > 1e-6), (seed, gap, deep)
        ground = random_ground(seed)
        axis = ground.world.contact_at == "axis"
        shapes = depths.links(run_of(ground, 1e-3), axis)
        for drop in np.linspace(0.0, 0.02, 5):
            start = dataclasses.replace(ground.start, y=ground.start.y - drop)
            lowered = [(core[:1] - (0.0, drop), r) for core, r in shapes]
            deep = max(depths.in_terrain(body, ground.world.terrain)[0] for body in lowered)
            one = dataclasses.replace(ground, start=start)
            assert is_refused(one) == (deep > 1e-6), (seed, drop, deep)


@pytest.mark.parametrize("kind", ["pegs", "walls", "loads"])
def test_the_start_check_says_how_deep_the_outlines_are(kind):
    """One thing after the other at random places about a robot; walls and bars may lie across."""
    refused = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        robot = sp.Robot.uniform(2, length=0.2, mass=1.0, radius=[0.02, 0.03], straight=0.15)
        start = sp.Start(joint_angles_deg=(random.uniform(-90, 90),))
        x, y, angle = random.uniform(-0.2, 0.2), random.uniform(-0.1, 0.1), random.uniform(0, 7)
        away = 0.08 * np.array([math.cos(angle), math.sin(angle)])
        wall = sp.Wall(((x + away[0], y + away[1]), (x - away[0], y - away[1])))
        peg, disc = sp.Peg(x, y, 0.02), sp.Disc(x, y, 1.0, radius=0.02)
        thing = {"pegs": peg, "walls": wall, "loads": disc}[kind]
        free = run_of(Case(robot, sp.World(), None, start), 1e-3)
        # A disc is as deep as the peg in its place.
        fixed = {"walls": (wall,)} if kind == "walls" else {"pegs": (peg,)}
        (shape,) = depths.obstacles(sp.World(**fixed))
        deep = [depths.depth((core[:1], r), shape)[0] for core, r in depths.links(free)]
        case = Case(robot, sp.World(**{kind: (thing,)}), None, start)
        if max(deep) <= 1e-6:
            assert not is_refused(case), seed
            continue
        refused += 1
        link, words = int(np.argmax(deep)), rf"world\.{kind}\[0\].* overlaps link "
        with pytest.raises(Overlap, match=words + f"{link} by {1e3 * max(deep):.3g} mm"):
            run_of(case, 1e-3)
    assert 5 <= refused < 20


def is_refused(case: Case) -> bool:
    try:
        run_of(case, 1e-3)
    except Overlap:
        return True
    return False


# ------------------------------------------------------------------------------------ symmetries


def turned_over(gait: sp.Serpenoid) -> sp.Serpenoid:
    """All joint angles the other way."""
    return dataclasses.replace(gait, amplitude_deg=-gait.amplitude_deg, offset_deg=-gait.offset_deg)


def mapped(case: Case, turn: complex, mirror: bool) -> Case:
    """A case turned about the origin, or mirrored at the x axis before that."""

    def point(x: float, y: float) -> tuple[float, float]:
        z = turn * complex(x, -y if mirror else y)
        return z.real, z.imag

    sign, more = (-1.0 if mirror else 1.0), math.degrees(np.angle(turn))
    world, start, gait = case.world, case.start, case.gait
    place = lambda thing: dict(zip("xy", point(thing.x, thing.y), strict=True))  # noqa: E731
    loads = [
        dataclasses.replace(
            load,
            **place(load),
            angle_deg=sign * load.angle_deg + more,
            spin_deg=sign * load.spin_deg,
        )
        for load in world.loads
    ]
    walls = [dataclasses.replace(w, points=tuple(point(*p) for p in w.points)) for w in world.walls]
    pegs = [dataclasses.replace(peg, **place(peg)) for peg in world.pegs]
    return Case(
        case.robot,
        dataclasses.replace(world, pegs=pegs, walls=walls, loads=loads),
        turned_over(gait) if mirror else gait,
        dataclasses.replace(
            start,
            heading_deg=sign * start.heading_deg + more,
            velocity=point(*start.velocity),
            spin_deg=sign * start.spin_deg,
        ),
    )


@pytest.mark.parametrize("mirror", [False, True])
def test_a_turned_or_mirrored_plane_turns_or_mirrors_the_motion(mirror):
    turn = np.exp(0.7j)
    for seed in range(6):
        case = random_plane(seed)
        run, other = (run_of(c, 0.2, solver=SHARP) for c in (case, mapped(case, turn, mirror)))
        z, w = (r.columns["x"] + 1j * r.columns["y"] for r in (run, other))
        # Rounding and the tolerance on laws, as they grow with every contact.
        assert np.abs(w - turn * (z.conj() if mirror else z)).max() < 1e-8, seed


def mirrored_ground(case: Case) -> Case:
    """The same seen from behind the plane: x turned about."""
    line = case.world.terrain.polyline()[::-1] * (-1.0, 1.0)
    terrain = sp.Profile(
        tuple(map(tuple, line.tolist())), case.world.terrain.friction, case.world.terrain.contact
    )
    start = case.start
    return Case(
        case.robot,
        dataclasses.replace(case.world, terrain=terrain),
        turned_over(case.gait),
        dataclasses.replace(
            start,
            heading_deg=180.0 - start.heading_deg,
            velocity=(-start.velocity[0], start.velocity[1]),
            spin_deg=-start.spin_deg,
        ),
    )


def test_mirrored_terrain_mirrors_the_motion():
    for seed in range(8):
        case = random_ground(seed)
        run, other = (run_of(c, 0.2, solver=SHARP) for c in (case, mirrored_ground(case)))
        assert np.abs(run.columns["x"] + other.columns["x"]).max() < 1e-8, seed
        assert np.abs(run.columns["y"] - other.columns["y"]).max() < 1e-8, seed


@pytest.mark.parametrize("kind", MAKERS)
def test_a_run_in_two_parts_is_the_same_to_the_bit(kind):
    for seed in range(4):
        case = MAKERS[kind](seed)
        whole, first = run_of(case, 0.2), run_of(case, 0.1)
        again = dataclasses.replace(case, start=first.state)
        assert run_of(again, 0.1).state == whole.state, (kind, seed)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_run_in_a_batch_is_the_same_to_the_bit(kind):
    for seed in range(3):
        alone = run_of(MAKERS[kind](seed), 0.2)
        one, two = sp.simulate_batch([alone.scenario] * 2)
        assert one.state == two.state == alone.state, (kind, seed)


# ------------------------------------------------------------------------------ flush on corners


def test_nothing_turns_over_the_end_of_a_wall_unseen():
    """Links and boxes that fall almost flush on a wall that ends under them, and roll over it."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        size, end = random.uniform(0.1, 0.2), random.uniform(-0.08, 0.08)
        points = ((end, -1.0), (end, 0.0), (end + 1, 0.0))
        wall = sp.Wall(points if seed % 2 else points[1:])
        law = sp.Contact(friction=random.choice([0.0, 0.3]))
        tilt, spin = random.uniform(-2, 2), random.uniform(-900, 900)
        velocity = (random.uniform(-1, 1), -random.uniform(0.3, 1.5))
        lift = 0.001 + 0.6 * size * math.sin(math.radians(2))
        robot = sp.Robot.uniform(1, length=size, mass=1.0, radius=0.1 * size, straight=size)
        start = sp.Start(y=0.1 * size + lift, heading_deg=tilt, velocity=velocity, spin_deg=spin)
        box = sp.Box(
            0.0, 0.02 + lift, 1.0, tilt, width=size, height=0.04, velocity=velocity, spin_deg=spin
        )
        link = Case(robot, sp.World(walls=(wall,), contact=law), None, start)
        load = sp.World(walls=(wall,), contact=law, loads=(box,))
        for case in (link, Case(robot, load, None, sp.Start(y=3.0))):
            try:
                run = run_of(case, 0.05)
            except sp.SimulationStopped as stopped:
                run = stopped.run
            assert depths.deepest(run).max() < 1e-4, seed
