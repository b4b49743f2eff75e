"""Ground friction with coefficients of each link's own, and per mass."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.model.friction import Sum
from tests.sentences import refusal

MASSES = (0.5, 0.8, 1.2)
LENGTHS = (0.1, 0.15, 0.2)
LINKS = tuple(
    sp.Link(length=length, mass=mass, radius=0.02)
    for length, mass in zip(LENGTHS, MASSES, strict=True)
)
FREE = sp.Robot(links=LINKS, joints=(sp.Joint(sp.Free()),) * 2)
START = sp.Start(velocity=(0.4, 0.3), spin_deg=90.0, heading_deg=30.0)
LOW, MID, HIGH = (0.1, 0.2, 0.3), (0.3, 0.1, 0.2), (0.5, 0.4, 0.6)
LAWS = {
    "coulomb": sp.Coulomb(LOW),
    "orthotropic": sp.OrthotropicCoulomb(LOW, HIGH),
    "directional": sp.DirectionalCoulomb(LOW, MID, 0.4),
    "rectangular": sp.RectangularCoulomb(LOW, HIGH),
    "smooth": sp.SmoothCoulomb(LOW, (1e-3, 1e-2, 1e-1)),
    "distributed": sp.DistributedCoulomb(LOW, HIGH),
    "spin": sp.SpinCoulomb(LOW, (0.01, 0.02, 0.03)),
    "viscous": sp.Viscous(LOW, HIGH),
    "viscous turning": sp.Viscous(0.1, 0.2, turning=(1e-3, 2e-3, 3e-3)),
    "viscous per mass": sp.Viscous(LOW, 0.5, per_mass=True),
    "fluid": sp.Fluid(LOW, HIGH, MID, HIGH, (0.01, 0.02, 0.03), (0.1, 0.2, 0.3)),
    "sum": sp.Coulomb(LOW) + sp.SpinCoulomb(0.1, MID) + sp.Viscous(0.1, HIGH),
}


def of_link(law: sp.FrictionLaw, i: int) -> sp.FrictionLaw:
    """The law with the coefficients of one link."""
    if hasattr(law, "laws"):
        return replace(law, laws=tuple(of_link(part, i) for part in law.laws))
    lists = {name: value for name, value in vars(law).items() if isinstance(value, tuple)}
    return replace(law, **{name: value[i] for name, value in lists.items()})


@pytest.mark.parametrize("name", LAWS)
def test_each_link_has_the_friction_that_it_has_alone(name):
    """In a step so short that the hinges change nothing: forces and works of single links."""
    law, clock = LAWS[name], {"time_step": 1e-7, "record_period": 1e-7}
    run = sp.simulate(FREE, sp.World(law), None, 1e-7, start=START, **clock)
    c, work = run.columns, 0.0
    for i, link in enumerate(LINKS):
        start = sp.Start(
            velocity=(c["vx"][0, i], c["vy"][0, i]),
            spin_deg=np.degrees(c["omega"][0, i]),
            heading_deg=np.degrees(c["theta"][0, i]),
        )
        alone = sp.simulate(
            sp.Robot(links=(link,), joints=()),
            sp.World(of_link(law, i)), None, 1e-7, start=start, **clock,
        )  # fmt: skip
        work += alone.energy()["friction"] + alone.energy()["damping"]
        if name != "fluid":  # its added mass is pulled by the hinges, too
            force = alone.columns["friction_force"][-1, 0]
            np.testing.assert_allclose(c["friction_force"][-1, i], force, rtol=1e-4, atol=1e-9)
    assert run.energy()["friction"] + run.energy()["damping"] == pytest.approx(work, rel=1e-4)
    assert work < 0.0


@pytest.mark.parametrize("solver", ["newton", "prox", "hybrid"])
def test_the_same_for_each_is_one_for_all(solver):
    robot = sp.Robot.uniform(4, length=0.15, mass=0.4, radius=0.02, self_contact=False)
    gait = sp.Serpenoid(amplitude_deg=40, frequency_deg=200, phase_deg=60)
    one, each = (
        sp.simulate(robot, sp.World(law), gait, 0.2, solver=solver)
        for law in (sp.OrthotropicCoulomb(0.1, 0.4), sp.OrthotropicCoulomb([0.1] * 4, [0.4] * 4))
    )
    assert one.state == each.state
    assert each.scenario.friction.along == (0.1,) * 4


@pytest.mark.parametrize("solver", [sp.Prox(r_tangential=0.4), "hybrid"], ids=["prox", "hybrid"])
def test_other_methods_move_the_same_way(solver):
    """The head half grips better than the tail half."""
    robot = sp.Robot.uniform(4, length=0.15, mass=0.4, radius=0.02, self_contact=False)
    world = sp.World(sp.OrthotropicCoulomb((0.1, 0.1, 0.3, 0.4), 0.4))
    gait = sp.Serpenoid(amplitude_deg=40, frequency_deg=200, phase_deg=60)
    ours, theirs = (
        sp.simulate(robot, world, gait, 0.5, solver=method).centre_of_mass()[-1]
        for method in ("newton", solver)
    )
    uniform = sp.simulate(robot, sp.World(sp.OrthotropicCoulomb(0.1, 0.4)), gait, 0.5)
    off, apart = np.linalg.norm(ours - theirs), np.linalg.norm(ours - uniform.centre_of_mass()[-1])
    assert off < 0.1 * apart


def test_a_straight_robot_slows_down_by_the_sum_of_its_friction():
    """Along its axis it stays straight: mu_i m_i g of all links by the mass of all."""
    start = sp.Start(velocity=(0.5, 0.0))
    run = sp.simulate(FREE, sp.World(sp.Coulomb(LOW)), None, 0.1, start=start)
    slowing = 9.81 * np.dot(LOW, MASSES) / sum(MASSES)
    assert run.centre_velocity()[:, 0] == pytest.approx(0.5 - slowing * run.time, abs=1e-6)


def test_viscous_friction_per_mass_slows_all_links_down_alike():
    """Whatever they weigh: v falls by exp(-c t), where the chain stays straight."""
    start = sp.Start(velocity=(0.5, 0.0))
    law = sp.Viscous(along=2.0, across=3.0, per_mass=True)
    run = sp.simulate(FREE, sp.World(law), None, 0.5, start=start)
    assert run.centre_velocity()[-1, 0] == pytest.approx(0.5 * np.exp(-1.0), rel=1e-6)
    listed = sp.Viscous(tuple(2.0 * m for m in MASSES), tuple(3.0 * m for m in MASSES))
    moving = sp.Start(velocity=(0.5, 0.2), spin_deg=100.0)
    one, two = (
        sp.simulate(FREE, sp.World(each), None, 0.3, start=moving).columns for each in (law, listed)
    )
    np.testing.assert_allclose(one["theta"], two["theta"], atol=1e-12)
    turning = replace(law, turning=0.01)
    surface = sp.simulate(FREE, sp.World(turning), None, 0.1, start=moving)
    assert surface.energy()["damping"] < 0.0


def test_patches_have_lists_of_their_own():
    """Each link has its own coefficient of whatever it is on."""
    wide = sp.Patch(0.0, 0.0, 10.0, 10.0, sp.Coulomb(LOW))
    start = sp.Start(velocity=(0.5, 0.0))
    on_patch = sp.simulate(FREE, sp.World(sp.Coulomb(0.9), patches=[wide]), None, 0.1, start=start)
    plain = sp.simulate(FREE, sp.World(sp.Coulomb(LOW)), None, 0.1, start=start)
    assert on_patch.state == plain.state
    # The head link alone is on the patch.
    ahead = sp.Patch(5.15, 0.0, 10.0, 10.0, sp.Coulomb((9.0, 9.0, 0.3)))
    world = sp.World(sp.Coulomb((0.1, 0.2, 9.0)), patches=[ahead])
    start = sp.Start(velocity=(0.5, 0.0), x=0.1)
    still = sp.simulate(FREE, world, None, 0.001, start=start, record_period=0.001)
    x = still.columns["x"][0]
    assert x[1] < 0.15 < x[2]
    force = still.columns["friction_force"][-1, :, 0]
    assert force == pytest.approx(-9.81 * np.array(LOW) * MASSES, rel=1e-6)


def test_robots_of_a_batch_have_their_own_lists():
    robot = {"links": 3, "length": 0.1, "mass": 0.5, "radius": 0.02}
    laws = [{"kind": "coulomb", "mu": mu} for mu in (0.1, [0.1, 0.2, 0.3], [0.3, 0.2, 0.1])]
    plain = {"robot": robot, "start": {"velocity": [0.5, 0.1]}, "clock": {"duration": 0.1}}
    scenarios = [sp.Scenario.from_plain({**plain, "friction": law}) for law in laws]
    batch = sp.Batch(scenarios)
    batch.step(100)
    for b, scenario in enumerate(scenarios):
        one, other = batch.state(b), scenario.run().state
        for name in ("com", "theta", "velocity", "dry"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_lists_in_files_and_on_the_command_line(tmp_path):
    text = "[robot]\nlinks = 3\nlength = 0.1\nmass = 0.5\nradius = 0.02\n"
    text += "[friction]\nkind = 'coulomb'\n"
    scenario = sp.Scenario.loads(text + "mu = [0.1, 0.2, 0.3]\n[clock]\nduration = 0.02\n")
    assert scenario.friction == sp.Coulomb((0.1, 0.2, 0.3))
    assert sp.Scenario.loads(scenario.dumps()) == scenario
    path = scenario.changed({"friction.mu": 0.2}).dump(tmp_path / "one.toml")
    changes = {"friction.mu": [0.1, 0.2, 0.3]}
    assert sp.Scenario.load(path, changes).run().state == scenario.run().state
    run = scenario.run()
    assert sp.load(run.save(tmp_path / "run.nc")).scenario == scenario


WRONG = {
    "friction.mu has 2 entries, but the robot has 3 links": sp.Coulomb((0.1, 0.2)),
    "friction.along has 4 entries, but the robot has 3 links": sp.Viscous((1.0,) * 4, 2.0),
    "friction.turning has 1 entries, but the robot has 3 links": sp.Viscous(1.0, 2.0, (0.1,)),
    "friction.laws[1].across has 2 entries, but the robot has 3 links": Sum(
        (sp.Coulomb(0.1), sp.Viscous(1.0, (1.0, 2.0)))
    ),
    "friction.mu has 0 entries, but the robot has 3 links": sp.Coulomb(()),
}


@pytest.mark.parametrize("words", WRONG)
def test_lists_of_the_wrong_length(words):
    law = WRONG[words]
    assert refusal(lambda: sp.simulate(FREE, sp.World(law), None, 0.1)) == words
    scenario = sp.Scenario(robot=FREE, friction=law)
    assert refusal(lambda: sp.export.mjcf(scenario)) == words
    patch = sp.Patch(0, 0, 1, 1, law)
    world = sp.World(patches=[sp.Patch(0, 0, 1, 1), patch])
    assert refusal(lambda: sp.simulate(FREE, world, None, 0.1)) == f"world.patches[1].{words}"
    assert refusal(lambda: sp.simulate(FREE, world, None, 0.1, solver="hybrid")) == (
        f"world.patches[1].{words}"
    )


def test_lists_of_a_sum_are_as_long_as_each_other():
    words = "Sum.laws[1].across has 2 entries, but laws[0].mu has 3"
    assert refusal(lambda: sp.Coulomb(LOW) + sp.Viscous(1.0, (1.0, 2.0))) == words
    plain = {"kind": "sum", "laws": [{"kind": "coulomb", "mu": [0.1, 0.2]}]}
    plain["laws"].append({"kind": "spin", "mu": 0.1, "arm": [0.1]})
    text = {"robot": {"links": 3, "length": 0.1, "mass": 0.5, "radius": 0.02}, "friction": plain}
    words = "friction.laws[1].arm has 1 entries, but laws[0].mu has 2"
    assert refusal(lambda: sp.Scenario.from_plain(text)) == words


def test_values_of_a_list_are_checked_one_by_one():
    words = "Coulomb.mu[1] = -0.1 is not allowed: it must be at least 0"
    assert refusal(lambda: sp.Coulomb((0.1, -0.1, 0.2))) == words


def test_mjcf_carries_the_coefficients_of_each_link():
    law = sp.OrthotropicCoulomb(LOW, HIGH) + sp.SpinCoulomb(MID, 0.02)
    law += sp.Viscous((1.0, 0.0, 2.0), 3.0, per_mass=True)
    root = ET.fromstring(sp.export.mjcf(sp.Scenario(robot=FREE, friction=law)))
    pairs = [pair.attrib["friction"].split()[:2] for pair in root.findall("contact/pair")]
    np.testing.assert_allclose(np.array(pairs, float).T, [LOW, HIGH], rtol=1e-6)
    loss = [float(item.attrib["frictionloss"]) for item in root.findall("tendon/fixed")]
    assert loss == pytest.approx(9.81 * 0.02 * np.multiply(MID, MASSES), rel=1e-6)
    found = {
        item.attrib["name"]: -float(item.attrib["biasprm"].split()[2])
        for item in root.findall("actuator/general")
    }
    across = {f"across{i}": 3.0 * mass for i, mass in enumerate(MASSES)}
    assert found == pytest.approx({"along0": 0.5, "along2": 2.4, **across}, rel=1e-6)


def test_mjcf_refuses_friction_at_points_along_the_link():
    scenario = sp.Scenario(robot=FREE, friction=sp.DistributedCoulomb(0.1, 0.4))
    assert "cannot be exported to MuJoCo" in refusal(lambda: sp.export.mjcf(scenario))
