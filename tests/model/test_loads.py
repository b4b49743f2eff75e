"""Loads that are pushed, and wheels under links."""

import math
from itertools import combinations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.pushing import PushedLoad, Pushing, Touch
from serpenoid.errors import Overlap

G = 9.81
BLOCK = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.02)
FAR = sp.Start(x=-5.0)


class Constant:
    """Torques that do not change."""

    period = 1e-3

    def __init__(self, torque):
        self.torque = np.asarray(torque)

    def command(self, observation):  # noqa: ARG002
        return sp.Command(torque=self.torque)


def momentum(run, row):
    """Linear and angular momentum of robot and loads about the origin."""
    c = run.columns
    lumps = run.robot.lumps()
    loads = run.world.loads
    mass = np.array([*lumps.mass, *(load.mass for load in loads)])
    inertia = np.array([*lumps.inertia, *(load.moment_of_inertia for load in loads)])
    names = ("x", "y", "vx", "vy", "omega")
    x, y, vx, vy, omega = (np.concatenate([c[k][row], c[f"load_{k}"][row]]) for k in names)
    turning = mass * (x * vy - y * vx) + inertia * omega
    return np.array([mass @ vx, mass @ vy, turning.sum()])


def closes(run, share=1e-10):
    """Whether the ledger closes, to a share of all energy moved."""
    energy = run.energy()
    moved = sum(abs(value) for name, value in energy.items() if name != "residual")
    return abs(energy["residual"]) <= share * moved + 1e-15


def test_a_sliding_load_stops_where_friction_stops_it():
    loads = (
        sp.Disc(1.0, 1.0, 2.0, radius=0.1, friction=0.3, velocity=(0.5, 0.0)),
        sp.Disc(2.0, 2.0, 2.0, radius=0.1, friction=0.3, spin_deg=300.0),
        sp.Box(3.0, 3.0, 0.5, width=0.2, height=0.1, friction=0.2, velocity=(0.0, -0.4)),
    )
    run = sp.simulate(BLOCK, sp.World(loads=loads), None, 1.0)
    c = run.columns
    # One step of 1 ms at the speed of the start is 0.5 mm; first order in the step at the stop.
    assert c["load_x"][-1, 0] - 1.0 == pytest.approx(0.5**2 / (2 * 0.3 * G), abs=1e-6)
    rate = 0.3 * 2.0 * G * loads[1].friction_arm / loads[1].moment_of_inertia
    assert c["load_theta"][-1, 1] == pytest.approx(math.radians(300) ** 2 / (2 * rate), abs=1e-5)
    assert c["load_y"][-1, 2] - 3.0 == pytest.approx(-(0.4**2) / (2 * 0.2 * G), abs=1e-6)
    assert np.abs(c["load_vx"][-1]).max() < 1e-15
    assert np.abs(c["load_omega"][-1]).max() < 1e-15
    assert run.energy()["friction"] == pytest.approx(
        -0.5 * 2 * 0.25 - 0.5 * 0.01 * 5.236**2 - 0.04, 1e-4
    )
    assert closes(run)


@pytest.mark.parametrize(("width", "height"), [(0.2, 0.2), (0.3, 0.1), (0.05, 0.4)])
def test_support_points_carry_a_load_as_a_uniform_pressure_does(width, height):
    """The same weight, centre and second moments; the friction arm is 7 to 16 % longer."""
    x, y = np.meshgrid(*(side * ((np.arange(400) + 0.5) / 400 - 0.5) for side in (width, height)))
    box = sp.Box(0, 0, 1, width=width, height=height)
    px, py, share = np.array(box.support_points).T
    assert share.sum() == pytest.approx(1.0)
    for one, other in ((px, x), (py, y)):
        assert share @ one == pytest.approx(0.0, abs=1e-15)
        assert share @ one**2 == pytest.approx((other**2).mean(), rel=1e-4)
    assert 1.06 < box.friction_arm / np.hypot(x, y).mean() < 1.16


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_central_impact_between_discs(restitution):
    """Velocities after an impact of masses m and M, closed form."""
    loads = (
        sp.Disc(0.0, 0.0, 0.3, radius=0.05, velocity=(1.0, 0.0)),
        sp.Disc(0.3, 0.0, 0.7, radius=0.05),
    )
    world = sp.World(loads=loads, contact=sp.Contact(restitution=restitution))
    run = sp.simulate(BLOCK, world, None, 0.6, start=FAR)
    slow, fast = run.columns["load_vx"][-1]
    assert slow == pytest.approx((0.3 - 0.7 * restitution) / 1.0, abs=1e-6)
    assert fast == pytest.approx(0.3 * (1 + restitution) / 1.0, abs=1e-6)
    assert closes(run)


def test_momentum_is_kept_when_a_robot_strikes_loads():
    robot = sp.Robot.uniform(4, length=0.15, mass=0.4, radius=0.02)
    loads = (
        sp.Box(0.55, 0.03, 0.6, width=0.2, height=0.15, angle_deg=25),
        sp.Disc(0.85, 0.0, 0.2, radius=0.06),
        sp.Disc(0.75, 0.2, 0.1, radius=0.04),
    )
    for contact in (sp.Contact(), sp.Contact(friction=0.5), sp.Contact(restitution=0.8)):
        run = sp.simulate(
            robot,
            sp.World(loads=loads, contact=contact),
            None,
            2.0,
            start=sp.Start(velocity=(1, 0)),
        )
        start, end = momentum(run, 0), momentum(run, -1)
        assert end[:2] == pytest.approx(start[:2], abs=1e-12)
        # The hinges close at midpoints, which lets angular momentum drift with dt^2.
        assert end[2] == pytest.approx(start[2], abs=1e-5)
        assert abs(run.columns["load_omega"]).max() > 0.1
        assert run.columns["penetration"].max() < 5e-5
        assert closes(run, 1e-9)


def push_with(wheels, angles, torque, mass=100.0):
    """Accelerations from rest in the engine: of the coordinates of Pushing, of the load."""
    robot = sp.Robot.uniform(
        len(angles) + 1,
        length=0.15,
        mass=1.0,
        radius=0.01,
        inertia=0.002,
        actuator=sp.Torque(),
        wheels=wheels,
    )
    theta = np.concatenate([[0.0], np.cumsum(angles)])
    start = sp.Start(
        link=0, heading_deg=math.degrees(theta.mean()), joint_angles_deg=tuple(np.degrees(angles))
    )
    run = sp.simulate(
        robot,
        sp.World(loads=(sp.Disc(0.0, 0.06, mass, radius=0.05),)),
        Constant(torque),
        1e-3,
        start=start,
        record_period=1e-3,
        solver=sp.Newton(tolerance=1e-13, force_tolerance=1e-12),
    )
    c = {name: column[-1] / 1e-3 for name, column in run.columns.items()}
    tail = [c["vx"][0], c["vy"][0], c["omega"][0]]
    load = [c["load_vx"][0], c["load_vy"][0], c["load_omega"][0]]
    return np.array([*tail, *np.diff(c["omega"])]), np.array(load)


@pytest.mark.parametrize("mu", [None, 0.1, math.inf])
def test_acceleration_from_rest_is_that_of_the_analysis(mu):
    """The three scenarios of reyes2017: no friction, wheels with a limit, ideal wheels."""
    rng = np.random.default_rng(7)
    slid = pushed = 0
    for joints in (2, 3) * 8:
        angles, torque = rng.uniform(-1.5, 1.5, joints), 0.2 * rng.normal(size=joints)
        wheels = None
        if mu is not None:
            under = sp.Wheels(mu=None if math.isinf(mu) else mu)
            wheels = [sp.Wheels(lifted=True), *[under] * joints]
        robot, load = push_with(wheels, angles, torque)
        chain = sp.Robot.uniform(
            joints + 1, length=0.15, mass=1.0, radius=0.01, inertia=0.002, wheels=wheels
        )
        told = Pushing(chain, PushedLoad(100.0), Touch()).respond(angles, torque)
        assert robot == pytest.approx(told.robot, abs=1e-8)
        assert load == pytest.approx(told.load, abs=1e-8)
        slid += bool(told.sliding.any())
        pushed += bool(told.forces[0] > 0)
    assert 3 < pushed < 16, "both contacts that push and ones that open"
    assert (slid > 3) == (mu == 0.1)


def test_contact_never_pulls():
    """A robot that moves off leaves a load behind as it is."""
    load = sp.Disc(0.19, 0.0, 0.5, radius=0.07)
    run = sp.simulate(BLOCK, sp.World(loads=(load,)), None, 0.5, start=sp.Start(velocity=(-1, 0)))
    assert np.all(run.columns["load_vx"] == 0)
    assert np.all(run.columns["load_force"] == 0)
    run = sp.simulate(BLOCK, sp.World(loads=(load,)), None, 0.5, start=sp.Start(velocity=(1, 0)))
    assert run.columns["load_force"][:, 0, 0].min() >= 0
    assert run.columns["load_vx"][-1, 0] == pytest.approx(2 / 3, abs=1e-6)


def test_a_box_stops_at_a_wall_and_lies_flat():
    wall = sp.Wall(((1.0, -1.0), (1.0, 1.0)))
    box = sp.Box(0.5, 0.0, 1.0, width=0.2, height=0.1, friction=0.05, velocity=(1.0, 0.0))
    run = sp.simulate(BLOCK, sp.World(walls=(wall,), loads=(box,)), None, 2.0, start=FAR)
    c = run.columns
    assert c["load_x"][-1, 0] == pytest.approx(0.9, abs=1e-6)
    assert abs(c["load_vx"][-1, 0]) + abs(c["load_omega"][-1, 0]) < 1e-12
    tilted = sp.Box(0.5, 0.0, 1.0, width=0.2, height=0.1, velocity=(1.0, 0.0), angle_deg=20)
    run = sp.simulate(BLOCK, sp.World(walls=(wall,), loads=(tilted,)), None, 2.0, start=FAR)
    c = run.columns
    corner = np.hypot(0.1, 0.05) * np.cos(
        np.arctan2(0.05, 0.1) - abs(c["load_theta"][:, 0]) % np.pi
    )
    assert np.max(c["load_x"][:, 0] + abs(corner)) < 1.0 + 5e-5
    assert c["load_vx"][-1, 0] <= 0
    assert abs(c["load_omega"][-1, 0]) > 0.1
    assert closes(run)


@pytest.mark.parametrize("peg", [True, False])
def test_a_load_stops_at_a_peg(peg):
    world = sp.World(
        pegs=(sp.Peg(1.0, 0.0, 0.05),) if peg else (),
        loads=(sp.Disc(0.0, 0.0, 1.0, radius=0.1, velocity=(1.0, 0.0)),),
    )
    run = sp.simulate(BLOCK, world, None, 1.5, start=FAR)
    assert run.columns["load_x"][-1, 0] == pytest.approx(0.85 if peg else 1.5, abs=5.1e-4)


def test_loads_in_line_push_each_other():
    """Six discs that touch, struck by a link: all move as one, and come to rest by friction."""
    discs = tuple(sp.Disc(0.3 + 0.12 * k, 0.0, 1.0, radius=0.06, friction=0.2) for k in range(6))
    run = sp.simulate(BLOCK, sp.World(loads=discs), None, 1.0, start=sp.Start(velocity=(3.0, 0.0)))
    c = run.columns
    fastest = c["load_vx"].max(axis=0)
    assert fastest == pytest.approx(np.full(6, 3.0 / 7.0), rel=0.03)
    assert np.ptp(fastest) < 1e-6
    gaps = np.diff(c["load_x"], axis=1) - 0.12
    assert gaps.min() > -5e-5
    assert np.all(c["load_vx"][-1] < 1e-6)


def test_a_robot_that_curls_about_a_box_closes_loops():
    """A box gripped by at least three links; all that is between them is internal."""
    robot = sp.Robot.uniform(5, length=0.1, mass=0.3, radius=0.01, actuator=sp.Torque())
    start = sp.Start(joint_angles_deg=(60, 40, 40, 60), velocity=(0.0, 0.5))
    for friction in (0.0, 0.4):
        world = sp.World(
            loads=(sp.Box(0.0, 0.075, 0.5, width=0.12, height=0.1),),
            contact=sp.Contact(friction=friction),
        )
        run = sp.simulate(robot, world, Constant([0.1] * 4), 1.5, start=start)
        touching = (np.abs(run.columns["contact_force"]).max(axis=2) > 0).sum(axis=1)
        assert touching.max() >= 3
        assert momentum(run, -1)[:2] == pytest.approx([0.0, 0.75], abs=1e-12)
        force = run.columns["contact_force"].sum(axis=1) + run.columns["load_force"][:, 0]
        assert np.abs(force).max() < 1e-9
        assert run.columns["law_residual"].max() <= 1e-6
        assert closes(run, 1e-9)


@pytest.mark.parametrize("count", [3, 12])
def test_many_coupled_loads_find_room(count):
    """More loads in touch than there is room for at first."""
    boxes = tuple(sp.Box(0.25 + 0.1 * k, 0.0, 0.2, width=0.1, height=0.1) for k in range(count))
    run = sp.simulate(BLOCK, sp.World(loads=boxes), None, 0.3, start=sp.Start(velocity=(1, 0)))
    speeds = run.columns["load_vx"][-1]
    assert speeds == pytest.approx(np.full(count, 1 / (1 + 0.2 * count)), rel=1e-3)


def test_a_continued_run_with_loads_is_the_same_to_the_bit(tmp_path):
    robot = sp.Robot.uniform(4, length=0.15, mass=0.4, radius=0.02, wheels=sp.Wheels(mu=0.4))
    world = sp.World(
        loads=(sp.Box(0.45, 0.02, 0.3, width=0.2, height=0.1, friction=0.2),),
        contact=sp.Contact(friction=0.2),
    )
    gait = sp.Serpenoid(amplitude_deg=40, frequency_deg=200, phase_deg=60)
    whole = sp.simulate(robot, world, gait, 2.0, start=sp.Start(velocity=(0.5, 0)))
    first = sp.simulate(robot, world, gait, 1.0, start=sp.Start(velocity=(0.5, 0)))
    kept = sp.load(first.save(tmp_path / "run.nc"))
    rest = sp.simulate(robot, world, gait, 1.0, start=kept.state)
    assert rest.state == whole.state
    assert np.array_equal(kept.columns["load_x"], first.columns["load_x"])


def test_ideal_wheels_never_slide_and_limited_ones_do():
    gait = sp.Serpenoid(amplitude_deg=30, frequency_deg=150, phase_deg=50)
    across = {}
    for mu in (None, 0.05):
        robot = sp.Robot.uniform(6, length=0.1, mass=0.3, radius=0.02, wheels=sp.Wheels(mu=mu))
        c = sp.simulate(robot, sp.World(), gait, 2.0).columns
        side = c["vy"] * np.cos(c["theta"]) - c["vx"] * np.sin(c["theta"])
        across[mu] = np.abs(side).max()
    # Wheels hold at midpoints; half a step on, a link has turned.
    assert across[None] < 2e-3
    assert across[0.05] > 0.02


def test_a_wheel_rolls_freely_and_holds_up_to_its_limit():
    robot = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.02, wheels=sp.Wheels(mu=0.5))
    rolling = sp.simulate(
        robot, sp.World(sp.Coulomb(0.3)), None, 1.0, start=sp.Start(velocity=(1, 0))
    )
    assert rolling.columns["x"][-1, 0] == pytest.approx(1.0, abs=1e-12)
    sliding = sp.simulate(robot, sp.World(), None, 1.0, start=sp.Start(velocity=(0, 1)))
    assert sliding.columns["y"][-1, 0] == pytest.approx(1 / (2 * 0.5 * G), abs=1e-5)
    # On a slope across, friction holds to atan(mu) = 26.6 degrees.
    for slope, moves in ((26.0, False), (27.0, True)):
        world = sp.World(slope_deg=slope, slope_direction_deg=90)
        run = sp.simulate(robot, world, None, 1.0)
        assert (abs(run.columns["y"][-1, 0]) > 1e-4) == moves
        # The first step ends within the tolerance of 1e-6 m/s, the others hold what it found.
        assert moves or run.columns["y"][-1, 0] == pytest.approx(0.0, abs=1e-9)


def test_lifted_wheels_touch_nothing():
    robot = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.02, wheels=sp.Wheels(lifted=True))
    run = sp.simulate(robot, sp.World(sp.Coulomb(0.3)), None, 1.0, start=sp.Start(velocity=(0, 1)))
    assert run.columns["y"][-1, 0] == pytest.approx(1.0, abs=1e-12)


def test_cost_does_not_grow_with_what_nothing_touches():
    """Iterations and contacts are those of the loads in touch, however many lie about."""
    near = (sp.Disc(0.3, 0.0, 0.5, radius=0.1),)
    away = tuple(sp.Disc(2.0 + 0.3 * k, 3.0, 0.5, radius=0.1) for k in range(40))
    start = sp.Start(velocity=(0.5, 0))
    few = sp.simulate(BLOCK, sp.World(loads=near), None, 0.5, start=start)
    many = sp.simulate(BLOCK, sp.World(loads=near + away), None, 0.5, start=start)
    assert np.array_equal(few.columns["load_x"][:, 0], many.columns["load_x"][:, 0])
    assert np.array_equal(few.columns["iterations"], many.columns["iterations"])


def _random_world(rng):
    loads = []
    for _ in range(int(rng.integers(1, 7))):
        (x, y), mass = rng.uniform(-0.8, 0.8, 2), 10 ** rng.uniform(-2, 1.5)
        more = {
            "angle_deg": rng.uniform(0, 360),
            "friction": rng.choice([0, 0.1, 0.5]),
            "velocity": tuple(rng.normal(size=2) * rng.choice([0, 0.3])),
            "spin_deg": rng.normal() * rng.choice([0, 100]),
        }
        if rng.random() < 0.5:
            loads.append(sp.Disc(x, y, mass, radius=rng.uniform(0.02, 0.12), **more))
        else:
            width, height = rng.uniform(0.03, 0.25, 2)
            loads.append(sp.Box(x, y, mass, width=width, height=height, **more))
    corners = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0))
    grounds = [None, sp.Coulomb(0.2), sp.OrthotropicCoulomb(0.05, 0.5), sp.Viscous(0.2, 2.0)]
    return sp.World(
        grounds[int(rng.integers(4))],
        loads=tuple(loads),
        pegs=tuple(sp.Peg(*rng.uniform(-1, 1, 2), 0.04) for _ in range(int(rng.integers(0, 6)))),
        walls=(sp.Wall(corners),) if rng.random() < 0.6 else (),
        contact=sp.Contact(friction=rng.choice([0, 0.3]), restitution=rng.choice([0, 0, 0.5])),
    )


def _random_run(seed):
    """A robot among loads, pegs and walls; None if it starts in one of them."""
    rng = np.random.default_rng(seed)
    world = _random_world(rng)
    wheels = [None, None, sp.Wheels(), sp.Wheels(mu=0.3)][int(rng.integers(4))]
    robot = sp.Robot.uniform(
        int(rng.integers(1, 12)),
        length=0.12,
        mass=0.4,
        radius=0.02,
        wheels=wheels,
        actuator=[sp.Servo(20, 2), sp.Servo(20, 2, torque_limit=1.0)][int(rng.integers(2))],
    )
    gait = sp.Serpenoid(
        amplitude_deg=rng.uniform(10, 60),
        frequency_deg=rng.uniform(30, 200),
        phase_deg=rng.uniform(-90, 90),
    )
    start = sp.Start(*rng.uniform(-0.3, 0.3, 2), heading_deg=rng.uniform(0, 360))
    try:
        return sp.simulate(robot, world, gait, 2.0, start=start)
    except Overlap:
        return None


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(60, 1000), marks=pytest.mark.slow)], ids=["60", "1000"]
)
def test_random_crowds(seeds):
    """No step that fails, no number that is none, nothing entered, energy accounted for."""
    done = 0
    for seed in seeds:
        run = _random_run(seed)
        if run is None:
            continue
        done += 1
        assert all(np.isfinite(column).all() for column in run.columns.values()), seed
        assert run.columns["penetration"].max() < 2e-4, seed
        assert closes(run, 1e-9), seed
    assert done > len(seeds) / 3


def test_bodies_of_a_chain_of_loads_stay_in_order():
    """What the sorted search for neighbours must not miss: loads that overtake each other in x."""
    rng = np.random.default_rng(3)
    discs = tuple(
        sp.Disc(0.3 * k, 0.3 * (k % 2), 0.2, radius=0.05, velocity=tuple(rng.normal(size=2) * 0.3))
        for k in range(12)
    )
    wall = sp.Wall(((-0.2, -0.2), (3.6, -0.2), (3.6, 0.6), (-0.2, 0.6), (-0.2, -0.2)))
    world = sp.World(loads=discs, walls=(wall,), contact=sp.Contact(restitution=1.0))
    run = sp.simulate(BLOCK, world, None, 6.0, start=sp.Start(y=5.0))
    x, y = run.columns["load_x"], run.columns["load_y"]
    for a, b in combinations(range(12), 2):
        assert np.hypot(x[:, a] - x[:, b], y[:, a] - y[:, b]).min() > 0.1 - 1e-4
    assert (x[-1] != np.sort(x[-1])).any()
    energy = run.energy()
    # Each of some hundred impacts is right to 1e-6 m/s.
    assert energy["kinetic"] == pytest.approx(run.columns["energy_kinetic"][0], rel=1e-6)


# ---------------------------------------------------------------- geometry of the tests' own


def _outline(body, spread=120):
    """Places on the core of a body (a segment or rectangle), its rounding, and its pose."""
    half_width, half_height, _, x, y, angle = body
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    corners = signs * np.array([half_width, half_height])
    places = np.concatenate(
        [np.linspace(a, b, spread) for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)]
    )
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    return places @ turn + np.array([x, y])


def _overlap(a, b):
    """How deep two bodies are in each other, m, to the spacing of places on their outlines."""
    worst = -np.inf
    for one, two in ((a, b), (b, a)):
        half_width, half_height, rounding, x, y, angle = one
        apart = _outline(two) - np.array([x, y])
        c, s = math.cos(angle), math.sin(angle)
        local = np.abs(
            np.stack([apart[:, 0] * c + apart[:, 1] * s, apart[:, 1] * c - apart[:, 0] * s], 1)
        )
        beyond = local - np.array([half_width, half_height])
        outside = np.linalg.norm(np.maximum(beyond, 0), axis=1)
        distance = np.where(outside > 0, outside, beyond.max(axis=1))
        worst = max(worst, float((rounding + two[2] - distance).max()))
    return worst


def _bodies(run, row):
    c = run.columns
    links = [
        (
            link.straight_length / 2,
            0.0,
            link.radius,
            c["x"][row, i],
            c["y"][row, i],
            c["theta"][row, i],
        )
        for i, link in enumerate(run.robot.links)
    ]
    loads = [
        (*load.half_sizes, load.rounding, *(c[f"load_{k}"][row, i] for k in ("x", "y", "theta")))
        for i, load in enumerate(run.world.loads)
    ]
    return links, loads


def deepest_by_hand(run, every=10):
    """Deepest overlap of loads with links and each other in the rows of a run, m."""
    worst = 0.0
    for row in range(0, len(run.time), every):
        links, loads = _bodies(run, row)
        pairs = [*combinations(loads, 2), *((link, load) for link in links for load in loads)]
        for a, b in pairs:
            if math.hypot(a[3] - b[3], a[4] - b[4]) < sum(map(sum, (a[:3], b[:3]))):
                worst = max(worst, _overlap(a, b))
    return worst


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.01, 0.5, 5.0, -5.0])
@pytest.mark.parametrize("size", [0.08, 0.1, 0.3])
def test_a_link_flush_on_a_box(size, angle):
    """A link that falls broadside on a box, longer or shorter than it, lies on it."""
    for turn in (0.0, 30.0, 90.0):
        to = np.array([math.cos(math.radians(turn)), math.sin(math.radians(turn))])
        box = sp.Box(*(0.2 * to), 2.0, width=size, height=size, angle_deg=turn)
        start = sp.Start(velocity=tuple(to), heading_deg=turn + 90.0 + angle)
        run = sp.simulate(BLOCK, sp.World(loads=(box,)), None, 0.5, start=start)
        assert deepest_by_hand(run, every=1) < 1e-4
        speed = np.array([run.columns["load_vx"][-1, 0], run.columns["load_vy"][-1, 0]]) @ to
        assert speed > 0.15


@pytest.mark.parametrize("seed", range(12))
def test_what_the_certificate_says_is_so(seed):
    """Depth by the tests' own geometry; crowds of few links, so that it does not take long."""
    run = _random_run(1000 + seed)
    if run is not None:
        assert deepest_by_hand(run, every=20) < 2e-4


@pytest.mark.parametrize(
    "actuator",
    [
        sp.Prescribed(),
        sp.SeriesElastic(
            stiffness=5.0, rotor_mass=0.01, rotor_inertia=1e-6, gear_ratio=100.0, kp=5.0, kd=0.5
        ),
    ],
    ids=["prescribed", "elastic"],
)
def test_loads_with_other_joints(actuator):
    """The response of the links to loads goes through each kind of joint."""
    robot = sp.Robot.uniform(5, length=0.12, mass=0.3, radius=0.02, actuator=actuator)
    loads = (
        sp.Box(0.42, 0.0, 0.3, width=0.1, height=0.2),
        sp.Disc(0.53, 0.02, 0.2, radius=0.05),
        sp.Disc(0.3, 0.15, 0.2, radius=0.05),
    )
    gait = sp.Serpenoid(amplitude_deg=30, frequency_deg=200, phase_deg=60)
    start = sp.Start(velocity=(0.5, 0.0))
    run = sp.simulate(robot, sp.World(loads=loads), gait, 1.0, start=start)
    lumps = run.robot.lumps()
    if not lumps.middle.any():
        assert momentum(run, -1)[:2] == pytest.approx(momentum(run, 0)[:2], abs=1e-12)
    assert abs(run.columns["load_omega"]).max() > 0.01
    assert closes(run, 1e-9)
    half = sp.simulate(robot, sp.World(loads=loads), gait, 0.5, start=start)
    rest = sp.simulate(robot, sp.World(loads=loads), gait, 0.5, start=half.state)
    assert rest.state == run.state


def test_a_row_of_many_boxes_goes_on_where_it_was():
    """More contacts than there is room for at first, in the state that is continued."""
    boxes = tuple(sp.Box(0.2 + 0.1 * k, 0.0, 0.2, width=0.1, height=0.1) for k in range(30))
    world, start = sp.World(loads=boxes), sp.Start(velocity=(1, 0))
    whole = sp.simulate(BLOCK, world, None, 0.2, start=start)
    first = sp.simulate(BLOCK, world, None, 0.1, start=start)
    assert len(first.state.contact) > 72
    rest = sp.simulate(BLOCK, world, None, 0.1, start=first.state)
    assert rest.state == whole.state


@pytest.mark.parametrize(
    "inner", [(), (0.0,), (-0.1, 0.1), (-0.5, -0.1, 0.0, 0.1)], ids=["0", "1", "2", "4"]
)
@pytest.mark.parametrize(("angle", "height"), [(0.0, 0.1), (45.0, 0.1 * math.sqrt(2))])
def test_a_box_rests_on_a_wall_of_pieces(inner, angle, height):
    """Points within a straight wall make no difference, not even right under a corner."""
    wall = sp.Wall(tuple((x, 0.0) for x in (-1.0, *inner, 1.0)))
    box = sp.Box(0.0, height + 0.05, 1.0, width=0.2, height=0.2, angle_deg=angle)
    world = sp.World(loads=(box,), walls=(wall,), slope_deg=20.0, slope_direction_deg=270.0)
    run = sp.simulate(BLOCK, world, None, 0.6, start=sp.Start(y=-5.0))
    # It falls by 5 cm at 3.4 m/s2 and stops within the step of the impact.
    assert run.columns["load_y"][-1, 0] == pytest.approx(height, abs=1e-3)
    assert run.columns["load_theta"][-1, 0] == pytest.approx(math.radians(angle), abs=1e-9)


def test_loads_slide_down_a_slope():
    world = sp.World(
        slope_deg=10.0,
        loads=(
            sp.Box(1.0, 0.0, 2.0, width=0.1, height=0.1, friction=0.1),
            sp.Box(1.0, 1.0, 2.0, width=0.1, height=0.1, friction=0.2),
        ),
    )
    run = sp.simulate(BLOCK, world, None, 1.0, start=FAR)
    slide = G * (math.sin(math.radians(10)) - 0.1 * math.cos(math.radians(10)))
    assert run.columns["load_x"][-1] - 1.0 == pytest.approx([slide / 2, 0.0], abs=1e-6)
