"""Compliant pegs and walls against closed forms, and against hard ones in the stiff limit."""

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.errors import Overlap
from tests.laws.test_contact import BLOCK, FLOOR, LENGTH, MASS, PEG, RADIUS

G = 9.81
K, D = 2e4, 40.0
SPEED = 1.3


def rebound(k: float, d: float, mass: float = MASS) -> tuple[float, float, float]:
    """Duration of contact, deepest point and speed after it of a mass on spring and damper.

    It leaves when the push has gone, before the spring is relaxed.
    """
    decay = d / (2 * mass)
    swing = np.sqrt(k / mass - decay**2)
    leaves = (np.pi - np.arctan2(d * swing, k - d * decay)) / swing
    turns = np.arctan2(swing, decay) / swing
    t = np.array([turns, leaves])
    depth = SPEED / swing * np.exp(-decay * t) * np.sin(swing * t)
    rate = SPEED * np.exp(-decay * t) * (np.cos(swing * t) - decay / swing * np.sin(swing * t))
    return leaves, depth[0], -rate[1]


def obstacle(kind: str, law: sp.Contact) -> sp.World:
    if kind == "peg":
        return sp.World(pegs=(sp.Peg(PEG.x, PEG.y, PEG.radius, contact=law),))
    return sp.World(walls=(sp.Wall(FLOOR.points, contact=law),))


def struck(world: sp.World, heading: float, dt: float) -> sp.Trajectory:
    """A block that hits what is below it."""
    reach = RADIUS if heading == 0.0 else LENGTH / 2
    start = sp.Start(y=reach + 0.005, heading_deg=heading, velocity=(0.0, -SPEED))
    return sp.simulate(BLOCK, world, None, 0.06, start=start, time_step=dt, record_period=dt)


# --------------------------------------------------------------------------------- closed forms


@pytest.mark.parametrize("damping", [0.0, D])
@pytest.mark.parametrize(
    ("kind", "heading", "places"),
    [("peg", 0.0, 1), ("peg", 90.0, 1), ("wall", 90.0, 1), ("wall", 0.0, 2)],
)
def test_head_on_impact_is_half_a_swing(kind, heading, places, damping):
    """Duration, depth and rebound converge to those of the oscillator, with the first order."""
    law = sp.Contact(stiffness=K, damping=damping)
    duration, depth, speed = rebound(places * K, places * damping)
    errors = []
    for dt in (4e-5, 2e-5):
        run = struck(obstacle(kind, law), heading, dt)
        c = run.columns
        pushed = np.abs(c["contact_force"]).sum(axis=(1, 2)) > 0.0
        assert dt * pushed.sum() == pytest.approx(duration, abs=3 * dt)
        errors.append(c["vy"][-1, 0] - speed)
        assert c["penetration"].max() == pytest.approx(depth, rel=0.01)
        assert abs(c["omega"]).max() < 1e-9
    assert abs(errors[1]) < 0.01 * speed
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.2)


def test_springs_give_back_what_they_take_and_dampers_do_not():
    law = sp.Contact(stiffness=K, damping=D)
    run = struck(obstacle("peg", law), 0.0, 2e-5)
    energy, c = run.energy(), run.columns
    lost = 0.5 * MASS * (SPEED**2 - c["vy"][-1, 0] ** 2)
    works = energy["contact_spring"] + energy["contact_damper"]
    assert works == pytest.approx(-lost, rel=1e-9)
    assert abs(energy["residual"]) < 1e-12
    assert np.diff(c["energy_contact_damper"]).max() <= 1e-12
    assert energy["impact"] == 0.0
    # It leaves a spring that is not relaxed, whose energy is lost, too.
    left = 0.5 * K * (D * c["vy"][-1, 0] / K) ** 2
    assert energy["contact_spring"] == pytest.approx(-left, rel=0.2)


def test_depth_in_compliant_pegs_halves_no_step():
    run = struck(obstacle("peg", sp.Contact(stiffness=K)), 0.0, 1e-3)
    assert run.columns["penetration"].max() > 5e-3
    assert run.columns["halvings"].sum() == 0


@pytest.mark.parametrize("things", ["pegs", "wall"])
def test_weight_on_a_slope_sinks_in_by_force_over_stiffness(things):
    law = sp.Contact(stiffness=K, damping=400.0)
    pegs = tuple(sp.Peg(x, -0.02, 0.02) for x in (-0.05, 0.05))
    place = {"pegs": pegs} if things == "pegs" else {"walls": (FLOOR,)}
    world = sp.World(contact=law, slope_deg=20, slope_direction_deg=-90, **place)
    run = sp.simulate(BLOCK, world, None, 1.0, start=sp.Start(y=RADIUS))
    force = MASS * G * np.sin(np.radians(20))
    c = run.columns
    # Two places of contact carry it.
    assert RADIUS - c["y"][-1, 0] == pytest.approx(force / (2 * K), rel=1e-6)
    assert c["penetration"][-1] == pytest.approx(force / (2 * K), rel=1e-6)
    np.testing.assert_allclose(c["contact_force"][-1, 0], [0.0, force], atol=1e-6)
    assert abs(run.energy()["residual"]) < 1e-12


@pytest.mark.parametrize("angle", [15.0, 25.0])
def test_friction_is_bounded_by_the_push_of_the_spring(angle):
    """Up to atan(mu) a block sticks; beyond, it slides with g (sin - mu cos)."""
    mu, size = np.tan(np.radians(20.0)), np.radians(angle)
    law = sp.Contact(friction=mu, stiffness=K, damping=400.0)
    pull = G * np.sin(np.radians(30.0))
    world = sp.World(walls=(FLOOR,), contact=law, slope_deg=30, slope_direction_deg=-90 + angle)
    run = sp.simulate(BLOCK, world, None, 1.0, start=sp.Start(y=RADIUS), record_period=0.1)
    slide = max(0.0, pull * (np.sin(size) - mu * np.cos(size)))
    found = np.diff(run.columns["vx"][3:, 0]) / 0.1
    assert found == pytest.approx(slide, abs=1e-3)
    assert abs(run.energy()["residual"]) < 1e-10


def test_a_load_is_pushed_back_by_a_compliant_peg():
    law = sp.Contact(stiffness=K, damping=D)
    load = sp.Disc(0.0, 0.055, MASS, radius=0.05, velocity=(0.0, -SPEED))
    world = sp.World(pegs=(sp.Peg(0.0, -0.02, 0.02, contact=law),), loads=(load,))
    robot = sp.Robot.uniform(1, length=LENGTH, mass=MASS, radius=RADIUS)
    run = sp.simulate(
        robot, world, None, 0.06, start=sp.Start(x=3.0), time_step=2e-5, record_period=1e-3
    )
    _, depth, speed = rebound(K, D)
    assert run.columns["load_vy"][-1, 0] == pytest.approx(speed, rel=0.01)
    assert run.columns["penetration"].max() == pytest.approx(depth, rel=0.01)
    assert abs(run.energy()["residual"]) < 1e-12


# ---------------------------------------------------------------------------------- stiff limit


def snake(**law: float) -> sp.Trajectory:
    """A robot that winds through pegs."""
    changes = {"clock.duration": 0.5, "world.contact": law}
    return sp.Scenario.load("aiko_pegs", changes).run()


def test_stiff_pegs_are_hard_ones_in_the_limit():
    hard = snake()
    assert np.abs(hard.columns["contact_force"]).max() > 10.0
    apart = []
    for stiffness in (1e3, 1e4, 1e5, 1e6, 1e7):
        # Twice the critical damping of a link: nothing bounces.
        soft = snake(stiffness=stiffness, damping=4 * np.sqrt(0.68 * stiffness))
        assert abs(soft.energy()["residual"]) < 1e-12
        apart.append(np.abs(soft.columns["x"] - hard.columns["x"]).max())
    assert (np.diff(apart) < 0.0).all()
    assert apart[0] > 1e-2
    assert apart[-1] < 2e-4


# ---------------------------------------------------------------------- state, files, batches


def test_a_run_goes_on_from_within_a_compliant_peg_to_the_bit():
    world = obstacle("peg", sp.Contact(friction=0.2, stiffness=K, damping=D))
    start = sp.Start(y=RADIUS + 0.001, velocity=(0.3, -SPEED))
    whole = sp.simulate(BLOCK, world, None, 0.01, start=start, record_period=1e-3)
    first = sp.simulate(BLOCK, world, None, 0.005, start=start, record_period=1e-3)
    assert first.columns["penetration"][-1] > 1e-3
    second = sp.simulate(BLOCK, world, None, 0.005, start=first.state, record_period=1e-3)
    assert second.state == whole.state


def test_a_load_goes_on_from_within_a_compliant_wall_to_the_bit():
    law = sp.Contact(stiffness=K, damping=D)
    load = sp.Box(0.0, 0.051, MASS, width=0.1, height=0.1, velocity=(0.0, -SPEED))
    world = sp.World(walls=(sp.Wall(FLOOR.points, contact=law),), loads=(load,))
    runs = [sp.simulate(BLOCK, world, None, 0.006, start=sp.Start(y=3.0), record_period=1e-3)]
    runs += [sp.simulate(BLOCK, world, None, 0.003, start=sp.Start(y=3.0), record_period=1e-3)]
    assert runs[1].columns["penetration"][-1] > 1e-3
    assert (
        sp.simulate(BLOCK, world, None, 0.003, start=runs[1].state, record_period=1e-3).state
        == runs[0].state
    )


def test_a_start_in_a_compliant_peg_is_refused():
    world = obstacle("peg", sp.Contact(stiffness=K))
    with pytest.raises(Overlap, match=r"world.pegs\[0\] at \(0, -0.02\) m overlaps link 0"):
        sp.simulate(BLOCK, world, None, 0.01, start=sp.Start(y=RADIUS - 1e-4), record_period=1e-3)


def test_scenario_files_and_saved_runs_keep_it(tmp_path):
    changes = {
        "clock.duration": 0.1,
        "world.contact": {"friction": 0.1, "stiffness": 5e3, "damping": 20.0},
        "world.walls": [{"points": [[3.0, 0.0], [4.0, 0.0]], "contact": {"stiffness": 1e4}}],
    }
    scenario = sp.Scenario.load("aiko_pegs", changes)
    assert scenario.built[1].walls[0].contact == sp.Contact(stiffness=1e4)
    assert sp.Scenario.load(scenario.dump(tmp_path / "soft.toml")) == scenario
    run = scenario.run()
    run.save(tmp_path / "soft.nc")
    loaded = sp.load(tmp_path / "soft.nc")
    assert loaded.scenario == scenario
    assert "energy_contact_spring" in loaded.columns
    assert loaded.scenario.run().state == run.state


# --------------------------------------------------------------------------------------- impacts


@pytest.mark.parametrize(("ground", "places"), [("wall", 2), ("terrain", 3)])
@pytest.mark.parametrize("hard", [False, True])
def test_compliant_contact_does_nothing_in_an_impact(ground, places, hard):
    """An impact has no duration: springs and dampers push for one step, struck post or none."""
    dt, law, entered = 1e-3, sp.Contact(stiffness=K, damping=D), 5e-7
    start = sp.Start(y=RADIUS - entered, velocity=(SPEED, -SPEED))
    x = LENGTH / 2 + 0.3 * dt * SPEED
    posts = (sp.Wall(points=((x, 5.0), (x, -5.0))),) if hard else ()
    if ground == "wall":
        world = sp.World(walls=(sp.Wall(FLOOR.points, contact=law), *posts))
    else:
        terrain = sp.Flat(0.0, contact=sp.Compliant(K, D))
        world = sp.World(plane="vertical", terrain=terrain, walls=posts)
    c = sp.simulate(BLOCK, world, None, dt, start=start, record_period=dt).columns
    assert (c["vx"][-1, 0] < 0.5 * SPEED) == hard
    # m (u - v) = -m g dt + places dt (k (depth - dt/2 u) - d u), depth: that at the midpoint.
    depth, fall = entered + 0.5 * dt * SPEED, 0.0 if ground == "wall" else -MASS * G * dt
    push = places * dt * K * depth
    resists = places * dt * (0.5 * dt * K + D)
    speed = (fall + push - MASS * SPEED) / (MASS + resists)
    assert c["vy"][-1, 0] == pytest.approx(speed, rel=1e-6)
    mean = 0.5 * (speed - SPEED)
    spring = places * dt * K * (depth - 0.5 * dt * speed) * mean
    assert c["energy_contact_spring"][-1] == pytest.approx(spring, rel=1e-6)
    damper = -places * dt * D * speed * mean
    assert c["energy_contact_damper"][-1] == pytest.approx(damper, rel=1e-6)


# --------------------------------------------------------------------------- how walls are drawn


def sunk(*walls: sp.Wall, **start: float) -> float:
    """How deep a block sinks into walls below it, m."""
    world = sp.World(walls=walls, slope_deg=20, slope_direction_deg=-90)
    place = sp.Start(**{"y": RADIUS, **start})
    run = sp.simulate(BLOCK, world, None, 1.0, start=place, record_period=0.1)
    return place.y - run.columns["y"][-1, 0]


FORCE = MASS * G * np.sin(np.radians(20))
SOFT = sp.Contact(stiffness=K, damping=400.0)


@pytest.mark.parametrize("between", [(), (0.0,), (-0.02, 0.03), (-0.07, 0.0, 0.07)])
def test_a_wall_is_as_stiff_however_many_points_it_is_drawn_with(between):
    at = (-5.0, *between, 5.0)
    points = tuple((x, 0.0) for x in at)
    assert sunk(sp.Wall(points, contact=SOFT)) == pytest.approx(FORCE / (2 * K), rel=1e-6)
    pieces = [sp.Wall(points[k : k + 2][::-1], contact=SOFT) for k in range(len(at) - 1)]
    assert sunk(*pieces[::2], *pieces[1::2]) == pytest.approx(FORCE / (2 * K), rel=1e-6)
    # Standing on one of its points.
    upright = sunk(*pieces, y=LENGTH / 2, heading_deg=90.0)
    assert upright == pytest.approx(FORCE / K, rel=1e-6)


@pytest.mark.parametrize("order", [1, -1])
def test_a_shared_corner_is_as_hard_as_the_hardest_wall(order):
    soft = sp.Wall(((0.0, 0.0), (0.1, -1.0)), contact=SOFT)
    hard = sp.Wall(((0.0, 0.0), (-0.1, -1.0)))
    assert abs(sunk(*(soft, hard)[::order])) < 2e-6
    softer = sp.Wall(hard.points, contact=sp.Contact(stiffness=K / 10, damping=400.0))
    assert sunk(*(soft, softer)[::order]) == pytest.approx(FORCE / K, rel=1e-3)


# ------------------------------------------------------------------------------------ fast bodies


@pytest.mark.parametrize("speed", [3.0, 20.0, 30.0, 45.0, 80.0, 400.0])
@pytest.mark.parametrize("who", ["link", "disc", "box"])
@pytest.mark.parametrize("kind", ["peg", "wall"])
def test_nothing_passes_a_compliant_obstacle_unfelt(kind, who, speed):
    """It goes through if it has the energy to press its middle there, and never gains any."""
    k, motion = 1e6, {"velocity": (0.0, -speed)}
    world, start = obstacle(kind, sp.Contact(stiffness=k)), sp.Start(y=0.2, **motion)
    if who != "link":
        start, load = sp.Start(y=3.0), sp.Disc(0.0, 0.2, MASS, radius=RADIUS, **motion)
        if who == "box":
            load = sp.Box(0.0, 0.2, MASS, width=0.2, height=2 * RADIUS, **motion)
        world = sp.World(pegs=world.pegs, walls=world.walls, loads=(load,))
    duration = 0.01 + round(0.4 / speed, 3)
    run = sp.simulate(BLOCK, world, None, duration, start=start, record_period=1e-3)
    after = run.columns["vy" if who == "link" else "load_vy"][-1, 0]
    places = 2 if kind == "wall" and who != "disc" else 1
    size = RADIUS + (PEG.radius if kind == "peg" else 0.0)
    assert (after > 0.0) == (MASS * speed**2 < places * k * size**2)
    assert 0.6 * speed < abs(after) < (1.0 - 1e-4) * speed
