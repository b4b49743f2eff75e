"""Loads and links that stand on points with friction of their own."""

import math
from typing import Literal

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import serpenoid as sp
from serpenoid.spec import spec, tag
from tests.peers.mujoco_feet import slide

G = 9.81
SIDE, MU, SPEED = 0.2, 0.3, 0.01
# So heavy that nothing slows it down; its tip is round, at x = 0.05 m.
ROD = sp.Robot.uniform(1, length=0.1, mass=1e7, radius=0.01)
TIP = 0.01
AWAY = sp.Start(x=-5.0)
LINK = sp.Robot.uniform(1, length=0.2, mass=1.5, radius=0.02)


def alone(load: sp.Box | sp.Disc, duration: float = 1.0, **more) -> sp.Trajectory:
    """A load that nothing touches."""
    world = sp.World(loads=(load,), **more)
    return sp.simulate(ROD, world, None, duration, start=AWAY, record_period=1e-3)


def place(run: sp.Trajectory, row: int = -1) -> np.ndarray:
    return np.array([run.columns[f"load_{name}"][row, 0] for name in ("x", "y", "theta")])


def closes(run: sp.Trajectory) -> bool:
    """Whether the ledger closes, and friction never does positive work."""
    energy = run.energy()
    moved = sum(abs(value) for name, value in energy.items() if name != "residual")
    falls = np.diff(run.columns["energy_friction"]).max() <= 1e-15 * moved
    return bool(falls and abs(energy["residual"]) <= 1e-12 * moved)


# ------------------------------------------------------------- quasi-static motion, by integration


def uniform_grid(width: float, height: float, count: int = 200) -> np.ndarray:
    """Points of a rectangle that carry the same each."""
    steps = (np.arange(count) + 0.5) / count - 0.5
    x, y = np.meshgrid(width * steps, height * steps)
    return np.array([x.ravel(), y.ravel()])


def turn_rate(points: np.ndarray, arm: float, share: np.ndarray | None = None) -> float:
    """Rate of turn per speed of the contact, rad/m, of a body pushed slowly along x at y = arm.

    Friction opposes the velocity of every point. Its force must be opposite to the push and on the
    same line; the body is symmetric, so its centre moves along x.
    """
    x, y = points

    def torque_less_push(angle: float) -> float:
        along, turning = math.cos(angle), math.sin(angle)
        vx, vy = along + turning * y, -turning * x
        speed = np.hypot(vx, vy)
        return float(np.average((y * vx - x * vy - arm * vx) / speed, weights=share))

    if arm == 0.0:
        return 0.0
    found = brentq(torque_less_push, 1e-9, math.pi / 2)
    return math.sin(found) / (math.cos(found) + arm * math.sin(found))


def pushed(arm: float, duration: float, width: float = SIDE, height: float = SIDE):
    """A box pushed by the rod at a distance from its centre."""
    box = sp.Box(0.05 + width / 2, 0.0, 1.0, width=width, height=height, friction=MU)
    world, start = sp.World(loads=(box,)), sp.Start(y=arm, velocity=(SPEED, 0.0))
    return sp.simulate(ROD, world, None, duration, start=start, record_period=1e-3)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.999])
def test_a_square_box_turns_as_under_uniform_pressure(share):
    """Within 5 % for all lever arms up to half a side; the largest error is 4.8 %."""
    arm = share * SIDE / 2
    run = pushed(arm, 0.1)
    wanted = turn_rate(uniform_grid(SIDE, SIDE), arm)
    found = -run.columns["load_omega"][-1, 0] / run.columns["vx"][-1, 0]
    assert found == pytest.approx(wanted, rel=0.05, abs=1e-9)
    assert arm == 0.0 or wanted > 2.0
    assert closes(run)


@pytest.mark.parametrize(
    ("width", "height", "worst"), [(0.15, 0.2, 0.04), (0.2, 0.1, 0.1), (0.1, 0.2, 0.07)]
)
def test_longer_boxes_turn_a_little_less_well(width, height, worst):
    """What the docs say of boxes that are not square."""
    for share in (0.3, 0.6, 0.999):
        arm = share * height / 2
        run = pushed(arm, 0.1, width, height)
        found = -run.columns["load_omega"][-1, 0] / run.columns["vx"][-1, 0]
        assert found == pytest.approx(turn_rate(uniform_grid(width, height), arm), rel=worst)


def test_a_box_pushed_5_cm_off_its_centre_turns_by_30_degrees():
    """The whole way against the quasi-static motion under uniform pressure."""
    arm, duration = 0.05, 10.0
    run = pushed(arm, duration)
    arms = np.linspace(0.0, SIDE / 2, 41)
    rates = [turn_rate(uniform_grid(SIDE, SIDE), a) for a in arms]

    def motion(time, pose):
        x, y, theta = pose
        ex, ey = math.cos(theta), math.sin(theta)
        lever = -(0.05 - TIP + SPEED * time - x) * ey + (arm - y) * ex
        omega = -SPEED * ex * np.interp(lever, arms, rates)
        along = SPEED * ex + lever * omega
        return along * ex, along * ey, omega

    wanted = solve_ivp(motion, (0, duration), (0.05 + SIDE / 2, 0.0, 0.0), rtol=1e-8).y[:, -1]
    assert math.degrees(wanted[2]) < -30.0
    assert place(run)[2] == pytest.approx(wanted[2], rel=0.05)
    assert place(run)[:2] == pytest.approx(wanted[:2], abs=2e-3)
    assert closes(run)


# ----------------------------------------------------------------------------- closed forms


BOX = {"width": 0.3, "height": 0.2, "friction": MU}
DISC = {"radius": 0.1, "friction": MU}


@pytest.mark.parametrize("angle", [0.0, 33.0])
@pytest.mark.parametrize("make", [lambda **m: sp.Box(**BOX, **m), lambda **m: sp.Disc(**DISC, **m)])
def test_a_load_that_only_slides_slows_down_by_mu_g(make, angle):
    load = make(x=1.0, y=2.0, mass=2.0, velocity=(0.4, -0.3), angle_deg=angle)
    run = alone(load, 0.1)
    speed = np.hypot(run.columns["load_vx"], run.columns["load_vy"])[:, 0]
    assert speed == pytest.approx(0.5 - MU * G * run.time, abs=1e-12)
    assert abs(run.columns["load_omega"]).max() < 1e-10
    assert closes(run)


@pytest.mark.parametrize(
    ("load", "arm"),
    [
        (sp.Box(0, 0, 2.0, spin_deg=300, **BOX), math.hypot(0.15, 0.1) / math.sqrt(3)),
        (sp.Disc(0, 0, 2.0, spin_deg=300, **DISC), 2 / 3 * 0.1),
        (sp.Box(0, 0, 2.0, spin_deg=300, arm=0.03, **BOX), 0.03),
        (sp.Disc(0, 0, 2.0, spin_deg=300, arm=0.03, **DISC), 0.03),
        (sp.Box(0, 0, 2.0, spin_deg=300, arm=0.0, **BOX), 0.0),
    ],
    ids=["box", "disc", "box with an arm", "disc with an arm", "box on its centre"],
)
def test_a_load_that_only_spins_feels_mu_times_weight_times_arm(load, arm):
    run = alone(load, 0.04)
    slowing = MU * 2.0 * G * arm / load.moment_of_inertia
    omega = run.columns["load_omega"][:, 0]
    assert omega == pytest.approx(math.radians(300) - slowing * run.time, rel=1e-9)
    assert load.friction_arm == pytest.approx(arm, rel=1e-12)
    assert abs(run.columns["load_vx"]).max() < 1e-10
    assert closes(run)


def test_a_disc_is_near_uniform_pressure():
    """What a motion dissipates is within 2.1 %, rates of turn of pushed discs within 13 %."""
    points = np.array(sp.Disc(0, 0, 1, radius=1.0, friction=1.0).support_points)
    radii, around = np.sqrt((np.arange(100) + 0.5) / 100), 2 * np.pi * np.arange(360) / 360
    base = np.array([np.outer(radii, f(around)).ravel() for f in (np.cos, np.sin)])
    worst = 0.0
    for angle in np.linspace(0.0, np.pi / 2, 19):
        for way in np.linspace(0.0, np.pi / 8, 5):
            velocity = np.cos(angle) * np.array([np.cos(way), np.sin(way)])
            omega = 1.5 * np.sin(angle)

            def loss(x, y, share, velocity=velocity, omega=omega):
                return (share * np.hypot(velocity[0] - omega * y, velocity[1] + omega * x)).sum()

            worst = max(worst, abs(loss(*points.T) / loss(*base, 1 / len(base[0])) - 1))
    assert 0.015 < worst < 0.021
    worst, (x, y, share) = 0.0, points.T
    for arm in np.linspace(0.1, 1.0, 19):
        wanted = turn_rate(base, arm)
        for way in (0.0, np.pi / 8):
            ring = np.array([x * np.cos(way) - y * np.sin(way), x * np.sin(way) + y * np.cos(way)])
            worst = max(worst, abs(turn_rate(ring, arm, share) / wanted - 1))
    assert 0.1 < worst < 0.13


# ------------------------------------------------------------------------------- MuJoCo


@pytest.mark.parametrize(
    "load",
    [
        sp.Box(0, 0, 1, width=0.2, height=0.2, inertia=0.01, friction=MU, velocity=(0.5, 0.2)),
        sp.Box(
            *(0, 0, 1), width=0.2, height=0.1, inertia=0.006, friction=MU, velocity=(0.5, 0.2),
            spin_deg=400,
        ),
        sp.Disc(0, 0, 1, radius=0.1, inertia=0.01, friction=MU, velocity=(0.5, 0.2), spin_deg=400),
    ],
    ids=["slides", "box", "disc"],
)  # fmt: skip
def test_mujoco_with_the_same_feet_slides_and_turns_the_same(load):
    """Within 0.6 mm of 10 cm and 0.5 % of a turn; its friction is soft, and its contacts lift."""
    run = alone(load, 0.4)
    theirs = slide(load, 0.4, step=1e-3)
    assert place(run)[:2] == pytest.approx(theirs[:2], abs=6e-4)
    assert place(run)[2] == pytest.approx(theirs[2], rel=5e-3, abs=1e-6)


@pytest.mark.parametrize("arm", [0.02, 0.05, 0.09])
def test_mujoco_with_the_same_feet_is_pushed_the_same_way(arm):
    """Over 5 cm, 9 to 17 degrees: within 0.3 mm and 2 %."""
    box = sp.Box(0.15, 0.0, 1.0, width=0.2, height=0.2, inertia=0.01, friction=MU)
    start = sp.Start(y=arm, velocity=(0.05, 0.0))
    run = sp.simulate(ROD, sp.World(loads=(box,)), None, 1.0, start=start)
    theirs = slide(box, 1.0, step=1e-3, tip=(0.04, arm, TIP, 0.05))
    assert place(run)[:2] == pytest.approx(theirs[:2], abs=3e-4)
    assert place(run)[2] == pytest.approx(theirs[2], rel=0.02)
    assert abs(place(run)[2]) > 0.15


# ------------------------------------------------------------------------------- stick


def test_a_box_sticks_on_all_of_its_points_and_lets_go():
    """Four points hold three velocities, so what each bears is not unique; nothing creeps."""
    edge = math.degrees(math.atan(MU))
    box = sp.Box(1.0, 0.0, 2.0, angle_deg=20.0, **BOX)
    held = alone(box, 2.0, slope_deg=edge - 0.2)
    c = held.columns
    assert held.state.load[0, -1] == 1.0
    assert held.state.support[:, 2].all()
    assert abs(place(held) - place(held, 1)).max() < 1e-9
    assert c["law_residual"].max() <= 1e-6
    assert c["iterations"][10:].max() <= 1.0
    slides = alone(box, 1.0, slope_deg=edge + 0.2)
    slope = math.radians(edge + 0.2)
    way = 0.5 * G * (math.sin(slope) - MU * math.cos(slope))
    assert place(slides)[0] - 1.0 == pytest.approx(way, abs=2e-6)
    assert slides.state.load[0, -1] == 0.0
    assert not slides.state.support[:, 2].any()


def test_a_push_at_the_corner_turns_a_box_smoothly():
    """It turns about a place near two of its points, where the direction of friction is sharp."""
    run = pushed(0.0999, 2.0)
    rate = run.columns["load_omega"][100:, 0]
    assert run.state.load[0, -1] == 0.0
    assert rate.max() < 0.0
    assert abs(np.diff(rate)).max() < 0.01 * abs(rate).max()
    assert closes(run)


# ------------------------------------------------------------------------------- links


@pytest.mark.parametrize("supports", [1, 2, 3, 5])
def test_a_link_on_the_spot_feels_a_torque_by_geometry(supports):
    """The arm of two Gauss points is length / sqrt 12, that of many a quarter of the length."""
    law = sp.DistributedCoulomb(along=0.1, across=0.4, supports=supports)
    run = sp.simulate(LINK, sp.World(law), None, 0.05, start=sp.Start(spin_deg=300))
    places, weights = np.polynomial.legendre.leggauss(supports)
    arm = 0.1 * (weights / 2) @ abs(places)
    slowing = 0.4 * 1.5 * G * arm / LINK.links[0].moment_of_inertia
    omega = run.columns["omega"][:, 0]
    assert omega == pytest.approx(math.radians(300) - slowing * run.time, rel=1e-9)
    assert supports != 2 or arm == pytest.approx(0.2 / math.sqrt(12))
    assert closes(run)


def test_a_link_that_only_slides_is_held_as_by_the_law_at_its_centre():
    start = sp.Start(velocity=(0.4, 0.3), heading_deg=20)
    one, two = (
        sp.simulate(LINK, sp.World(law), None, 0.5, start=start).columns
        for law in (sp.DistributedCoulomb(0.1, 0.4), sp.OrthotropicCoulomb(0.1, 0.4))
    )
    for name in ("x", "y", "theta"):
        np.testing.assert_allclose(one[name], two[name], atol=1e-9)


def test_a_link_that_slides_and_turns_follows_its_equations_of_motion():
    """Integrated by other code, with the force of each point written out."""
    along, across, spin = 0.2, 0.4, 200.0
    law = sp.DistributedCoulomb(along, across, supports=3)
    start = sp.Start(velocity=(0.6, 0.3), spin_deg=spin)
    run = sp.simulate(LINK, sp.World(law), None, 0.1, start=start, time_step=1e-4)
    places, weights = np.polynomial.legendre.leggauss(3)
    mass, inertia = 1.5, LINK.links[0].moment_of_inertia

    def motion(_, state):
        theta, vx, vy, omega = state[2:]
        ex, ey = math.cos(theta), math.sin(theta)
        va, vb = vx * ex + vy * ey, vy * ex - vx * ey + 0.1 * places * omega
        size = np.hypot(along * va, across * vb)
        weight = 0.5 * weights * mass * G
        fa, fb = -weight * along**2 * va / size, -weight * across**2 * vb / size
        fx, fy = (fa * ex - fb * ey).sum() / mass, (fa * ey + fb * ex).sum() / mass
        return vx, vy, omega, fx, fy, (0.1 * places * fb).sum() / inertia

    first = (0.0, 0.0, 0.0, 0.6, 0.3, math.radians(spin))
    wanted = solve_ivp(motion, (0.0, 0.1), first, rtol=1e-9, atol=1e-12).y[:3, -1]
    found = [run.columns[name][-1, 0] for name in ("x", "y", "theta")]
    assert found == pytest.approx(wanted, abs=2e-5)
    assert closes(run)


def test_a_run_in_parts_is_the_whole_run_and_a_batch_is_single_runs(tmp_path):
    """Also where some links are on a patch without the law."""
    robot = sp.Robot.uniform(4, length=0.15, mass=0.4, radius=0.02)
    world = sp.World(
        sp.DistributedCoulomb(0.1, 0.4, supports=3),
        loads=(sp.Box(0.45, 0.02, 0.3, width=0.2, height=0.1, friction=0.2),),
        patches=(sp.Patch(0.0, 0.0, 0.3, 1.0, sp.Coulomb(0.2)),),
        contact=sp.Contact(friction=0.2),
    )
    gait = sp.Serpenoid(amplitude_deg=40, frequency_deg=200, phase_deg=60)
    start = sp.Start(velocity=(0.5, 0))
    whole = sp.simulate(robot, world, gait, 1.0, start=start)
    first = sp.simulate(robot, world, gait, 0.5, start=start)
    kept = sp.load(first.save(tmp_path / "run.nc"))
    assert kept.state.support.shape == (4 * 3 + 4, 3)
    assert sp.simulate(robot, world, gait, 0.5, start=kept.state).state == whole.state
    assert closes(whole)
    other = sp.World(loads=(sp.Disc(0.45, 0.0, 0.3, radius=0.05, friction=0.2),))
    scenarios = [
        sp.Scenario.of(sp.simulate(robot, place, gait, 0.2, start=start))
        for place in (world, other)
    ]
    batch = sp.Batch(scenarios)
    batch.step(200)
    for b, scenario in enumerate(scenarios):
        assert batch.state(b) == scenario.run().state


def test_a_state_goes_on_where_support_points_differ():
    """Multipliers of other points are no help, and no harm."""
    on_points = sp.simulate(LINK, sp.World(sp.DistributedCoulomb(0.1, 0.4)), None, 0.1)
    for law in (sp.Coulomb(0.2), sp.DistributedCoulomb(0.1, 0.4, supports=4), None):
        rest = sp.simulate(LINK, sp.World(law), None, 0.1, start=on_points.state)
        assert rest.state.step == 200


def test_a_law_of_a_users_own_says_how_many_points_there_are():
    @spec
    class Feet(sp.FrictionLaw):
        feet: int = 0
        kind: Literal["feet of a test"] = tag(default="feet of a test", kw_only=True)

        def pack(self, surface):
            surface.support_along = surface.support_across = 0.2
            surface.support_count = self.feet

    # It is known to nobody else.
    del sp.FrictionLaw.members["feet of a test"]
    assert sp.simulate(LINK, sp.World(Feet(3)), None, 0.01).state.support.shape == (3, 3)
    with pytest.raises(sp.InvalidInput, match=r"^friction sets support_along or support_across wi"):
        sp.simulate(LINK, sp.World(Feet()), None, 0.01)


def test_points_of_links_are_the_same_everywhere():
    law, more = sp.DistributedCoulomb(0.1, 0.4), sp.DistributedCoulomb(0.1, 0.4, supports=3)
    world = sp.World(
        law, patches=(sp.Patch(0, 0, 1, 1, sp.Coulomb(0.2)), sp.Patch(0, 0, 1, 1, more))
    )
    with pytest.raises(
        sp.InvalidInput, match=r"^world\.patches\[1\]\.friction\.supports = 3 is not"
    ):
        sp.simulate(LINK, world, None, 0.1)
