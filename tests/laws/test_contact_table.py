"""The contacts that a run records: closed forms, geometry of their own, sums of forces."""

import dataclasses

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.engine.contact_table import ContactTable

G, MASS, LENGTH, RADIUS = 9.81, 0.7, 0.3, 0.05
BLOCK = sp.Robot.uniform(1, length=LENGTH, mass=MASS, radius=RADIUS)
HALF = BLOCK.links[0].straight_length / 2
WALL = ((-1.0, 0.0), (1.0, 0.0))
SERVO = sp.Servo(kp=4.0, kd=0.2)
SNAKE = sp.Robot.uniform(8, length=0.12, mass=0.4, radius=0.03, actuator=SERVO)
GAIT = sp.Serpenoid(amplitude_deg=45, frequency_deg=250, phase_deg=-50)
STRAIGHT = (0.0,) * 7


def recorded(robot, world, duration, gait=None, start=None, **options) -> sp.Trajectory:
    return sp.simulate(robot, world, gait, duration, start=start, record_contacts=True, **options)


def leaning(tilt: float, friction: float, duration: float) -> ContactTable:
    """A block on a slippery plane of 30 deg, flush on a wall that is `tilt` deg from level."""
    law = sp.Contact(friction=friction)
    world = sp.World(
        walls=(sp.Wall(WALL, contact=law),), slope_deg=30, slope_direction_deg=tilt - 90
    )
    run = recorded(BLOCK, world, duration, start=sp.Start(x=0.1, y=RADIUS))
    return run.contacts.where(run.contacts.time == run.time[-1])


# --------------------------------------------------------------------------------- closed forms


def test_block_on_a_slope_sticks_to_a_wall():
    weight, tilt = MASS * G / 2, np.radians(15)
    last = leaning(15, friction=0.5, duration=0.2)
    assert last.kind.tolist() == ["wall", "wall"]
    assert last.index.tolist() == last.link.tolist() == [0, 0]
    assert last.load.tolist() == [-1, -1]
    assert last.sticks.all()
    np.testing.assert_allclose(last.normal, [[0, 1], [0, 1]], atol=1e-12)
    np.testing.assert_allclose(last.point, [[0.1 - HALF, 0], [0.1 + HALF, 0]], atol=1e-6)
    assert np.all(last.normal_force[:, 0] == 0.0)
    assert last.normal_force[:, 1].sum() == pytest.approx(weight * np.cos(tilt), rel=1e-6)
    assert np.all(last.tangential_force[:, 1] == 0.0)
    friction = last.tangential_force[:, 0].sum()
    assert friction == pytest.approx(-weight * np.sin(tilt), rel=1e-6)
    # Friction at the wall turns the block on to its front end.
    tail, head = last.normal_force[:, 1]
    assert (head - tail) * HALF == pytest.approx(-friction * RADIUS, rel=1e-5)


def test_block_on_a_slope_slips_along_a_wall():
    weight, tilt = MASS * G / 2, np.radians(30)
    last = leaning(30, friction=0.2, duration=0.2)
    assert not last.sticks.any()
    np.testing.assert_allclose(
        last.tangential_force[:, 0], -0.2 * last.normal_force[:, 1], rtol=1e-5
    )
    assert last.normal_force[:, 1].sum() == pytest.approx(weight * np.cos(tilt), rel=1e-6)


@pytest.mark.parametrize("angle", [-20.0, 12.0])
@pytest.mark.parametrize(
    "law", [sp.Hard(), sp.Compliant(stiffness=2e4, damping=200.0)], ids=["hard", "compliant"]
)
def test_block_rests_on_terrain(angle, law):
    slope = np.radians(angle)
    normal = np.array([-np.sin(slope), np.cos(slope)])
    along = np.array([np.cos(slope), np.sin(slope)])
    world = sp.World(plane="vertical", terrain=sp.Slope(angle_deg=angle, friction=0.6, contact=law))
    centre = 2.0 * along + RADIUS * normal
    start = sp.Start(x=centre[0], y=centre[1], heading_deg=angle)
    run = recorded(BLOCK, world, 0.6, start=start)
    last = run.contacts.where(run.contacts.time == run.time[-1])
    assert set(last.kind.tolist()) == {"terrain"}
    assert set(last.index.tolist()) == {0}
    np.testing.assert_allclose(last.normal, np.tile(normal, (len(last), 1)), atol=1e-12)
    weight = MASS * G
    pushed, rubbed = last.normal_force.sum(axis=0), last.tangential_force.sum(axis=0)
    np.testing.assert_allclose(pushed, weight * np.cos(slope) * normal, rtol=1e-4)
    np.testing.assert_allclose(rubbed, weight * np.sin(slope) * along, rtol=1e-3)
    # Where three points press, two of them may be at their bounds.
    assert last.sticks.any()
    # Every point is on the ground, or as deep as its spring is pressed.
    depth = 0.0 if isinstance(law, sp.Hard) else weight / 2e4
    assert np.abs(last.point @ normal).max() <= depth + 1e-5


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_impact_is_in_the_row_it_happens_in(restitution):
    peg = sp.Peg(0.0, -0.1, 0.1, contact=sp.Contact(restitution=restitution))
    speed, period = 1.5, 0.01
    start = sp.Start(y=RADIUS + 0.0202, velocity=(0.0, -speed))
    run = recorded(BLOCK, sp.World(pegs=(peg,)), 0.05, start=start, record_period=period)
    assert run.contacts.kind.tolist() == ["peg"]
    assert run.contacts.time[0] == pytest.approx(0.02)
    impulse = period * run.contacts.normal_force[0]
    np.testing.assert_allclose(impulse, [0, MASS * speed * (1 + restitution)], rtol=1e-6)
    # A rebound comes before the step in which it would pass, up to one and a half steps early.
    np.testing.assert_allclose(run.contacts.point[0], [0, 0], atol=1.5e-3 * speed)


# --------------------------------------------------------------------------------------- columns


def total_forces(run: sp.Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What contacts add up to, as contact_force, friction_force and load_force have it."""
    c, n = run.contacts, len(run.robot.links)
    on_bodies = np.zeros((len(run.time), n + len(run.world.loads), 2))
    by_terrain = np.zeros((len(run.time), n, 2))
    for k in range(len(c)):
        row = int(np.flatnonzero(run.time == c.time[k])[0])
        body = c.link[k] if c.link[k] >= 0 else n + c.load[k]
        on_bodies[row, body] += c.normal_force[k]
        if c.kind[k] == "terrain":
            by_terrain[row, body] += c.tangential_force[k]
        else:
            on_bodies[row, body] += c.tangential_force[k]
        if c.kind[k] in ("load", "link"):
            on_bodies[row, c.index[k] + (n if c.kind[k] == "load" else 0)] -= c.force[k]
    return on_bodies[:, :n], by_terrain, on_bodies[:, n:]


def pegs(law: sp.Contact) -> tuple[sp.Peg, ...]:
    places = np.random.default_rng(3).uniform((-0.6, -0.5), (1.2, 0.5), (60, 2))
    body = np.stack([np.linspace(-0.5, 0.5, 50), np.zeros(50)], axis=1)
    clear = np.linalg.norm(places[:, None] - body, axis=2).min(axis=1) > 0.09
    return tuple(sp.Peg(x, y, 0.03, contact=law) for x, y in places[clear])


ROUGH_LAW = sp.Contact(friction=0.4, restitution=0.3)
SOFT_LAW = sp.Contact(friction=0.4, stiffness=5e3, damping=5.0)
CHANNEL = (((-1, -0.11), (0.2, -0.1), (2, -0.14)), ((-1, 0.12), (2, 0.1)))
WORLDS = {
    "pegs": sp.World(sp.Coulomb(0.3), pegs=pegs(ROUGH_LAW)),
    "compliant pegs": sp.World(sp.Coulomb(0.3), pegs=pegs(SOFT_LAW)),
    "walls": sp.World(sp.Coulomb(0.3), walls=tuple(sp.Wall(w, ROUGH_LAW) for w in CHANNEL)),
    "compliant walls": sp.World(
        sp.Coulomb(0.3), walls=tuple(sp.Wall(w, SOFT_LAW) for w in CHANNEL)
    ),
    "loads": sp.World(
        sp.Coulomb(0.3),
        pegs=(sp.Peg(0.1, 0.2, 0.05),),
        walls=(sp.Wall(((-1, -0.16), (2, -0.16))),),
        loads=(
            sp.Box(x=0.1, y=0.09, mass=0.3, width=0.15, height=0.1, friction=0.2),
            sp.Disc(x=-0.2, y=-0.09, mass=0.3, radius=0.05, friction=0.2),
            sp.Disc(x=0.4, y=0.1, mass=0.2, radius=0.06, friction=0.2),
        ),
        contact=sp.Contact(friction=0.3, restitution=0.2),
    ),
    "hard terrain": sp.World(
        plane="vertical", terrain=sp.Rough(0.05, 0.1, length=4.0, seed=1, friction=0.5, x=-2.0)
    ),
    "compliant terrain": sp.World(
        plane="vertical",
        terrain=sp.Rough(
            *(0.05, 0.1),
            length=4.0,
            seed=1,
            friction=0.5,
            x=-2.0,
            contact=sp.Compliant(stiffness=5e3, damping=50.0),
        ),
    ),
}


@pytest.mark.parametrize("name", WORLDS)
def test_forces_add_up_to_those_of_links_and_loads(name):
    world = WORLDS[name]
    start = sp.Start(y=0.12 if world.terrain else 0.0, joint_angles_deg=STRAIGHT)
    run = recorded(SNAKE, world, 2.5, GAIT, start, record_period=0.02)
    assert len(run.contacts) > 30
    assert (run.contacts.tangential_force != 0.0).any()
    on_links, by_terrain, on_loads = total_forces(run)
    bound = 1e-12 * np.abs(run.columns["contact_force"]).max()
    assert np.abs(on_links - run.columns["contact_force"]).max() <= bound
    if world.terrain:
        assert np.abs(by_terrain - run.columns["friction_force"]).max() <= bound
    if world.loads:
        assert np.abs(on_loads - run.columns["load_force"]).max() <= bound
        pairs = set(zip(run.contacts.link >= 0, run.contacts.kind.tolist(), strict=True))
        assert (True, "load") in pairs
        assert len({kind for of_link, kind in pairs if not of_link}) > 0
    size = np.hypot(*run.contacts.normal.T)
    np.testing.assert_allclose(size, 1.0, atol=1e-12)


def test_links_that_touch_each_other_push_each_other():
    """A chain that is curled up until it touches itself; its forces add up to nothing."""
    curl = sp.Serpenoid(amplitude_deg=0.0, frequency_deg=60.0, phase_deg=0.0, offset_deg=75.0)
    start = sp.Start(joint_angles_deg=(40.0,) * 7)
    run = recorded(SNAKE, sp.World(sp.Viscous(0.5, 0.5)), 1.0, curl, start)
    assert set(run.contacts.kind.tolist()) == {"link"}
    assert (np.abs(run.contacts.link - run.contacts.index) > 1).all()
    on_links = total_forces(run)[0]
    bound = 1e-12 * np.abs(run.columns["contact_force"]).max()
    assert np.abs(on_links - run.columns["contact_force"]).max() <= bound
    assert np.abs(on_links.sum(axis=1)).max() <= bound


@pytest.mark.parametrize("name", ["pegs", "walls"])
def test_points_are_on_both_outlines(name):
    """Of the obstacle that is named and of the link, as far as both get in half a step."""
    start = sp.Start(joint_angles_deg=STRAIGHT)
    run = recorded(SNAKE, WORLDS[name], 1.0, GAIT, start, record_period=0.001)
    c, near = run.contacts, 1e-4
    row = np.searchsorted(run.time, c.time)
    x, y, theta = (run.columns[key][row, c.link] for key in ("x", "y", "theta"))
    away = c.point - np.stack([x, y], axis=1)
    axis = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    half = SNAKE.links[0].straight_length / 2
    along = np.clip((away * axis).sum(axis=1), -half, half)
    off = np.linalg.norm(away - along[:, None] * axis, axis=1)
    speed = (
        np.hypot(run.columns["vx"], run.columns["vy"]).max()
        + 0.1 * np.abs(run.columns["omega"]).max()
    )
    assert np.abs(off - 0.03).max() <= near + 0.5e-3 * speed
    for k in range(0, len(c), 7):
        if name == "pegs":
            peg = run.world.pegs[c.index[k]]
            out = c.point[k] - (peg.x, peg.y)
            assert np.hypot(*out) == pytest.approx(peg.radius, abs=near + 0.5e-3 * speed)
            np.testing.assert_allclose(c.normal[k], out / np.hypot(*out), atol=1e-6)
        else:
            below = c.index[k] == 0
            assert (c.normal[k, 1] > 0) == below
            assert (c.point[k, 1] < 0) == below


def test_prox_records_the_same_contacts():
    world = sp.World(sp.Coulomb(0.3), pegs=pegs(sp.Contact()))
    start = sp.Start(joint_angles_deg=STRAIGHT)
    robot = dataclasses.replace(SNAKE, self_contact=False)
    one, other = (
        recorded(robot, world, 0.3, GAIT, start, solver=solver).contacts
        for solver in ("newton", "prox")
    )
    assert len(one) > 0
    assert {*zip(one.link, one.index, strict=True)} == {*zip(other.link, other.index, strict=True)}
    ours, theirs = (each.normal_force.sum(axis=0) for each in (one, other))
    np.testing.assert_allclose(ours, theirs, rtol=0.05, atol=1.0)
