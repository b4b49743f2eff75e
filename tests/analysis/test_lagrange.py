"""The Euler-Lagrange equations against published-quality numbers and the Lagrangian itself."""

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.lagrange import equations_of_motion
from tests.oracles.lagrangian import Lagrangian

# Computed with 40 digits from the Lagrangian.
GOLDEN_MASS = {
    (0, 0): 1.473194444444445e-4,
    (0, 5): 6.097667485939018e-4,
    (5, 5): 9.529351711662934e-3,
    (0, 6): 1.8066533953348383e-5,
    (5, 7): 1.4376900122858166e-5,
    (0, 8): -2.55e-4,
    (8, 8): 0.065025,
}
GOLDEN_BIAS = [
    *(1.293790089688, 4.369004508405, 3.433341399236, -0.6516418708627, -4.131424985347),
    *(1.547046271379e-4, 7.588302665800e-5, 6.867002275444),
    *(-1.288057498698, -4.359955613145, -3.423330643832, 0.6606887319225, 4.137273934469),
]


def test_golden_numbers():
    q = 0.3 * np.sin(np.arange(1, 14.0))
    q[6:8] = 0.05, 0.01
    u = 0.5 * np.cos(2 * np.arange(1, 14.0))
    found = equations_of_motion(sp.robots.koopaee("as_printed"), q, u)
    for place, value in GOLDEN_MASS.items():
        assert found.mass[place] == pytest.approx(value, rel=1e-9)
    assert found.mass.sum() == pytest.approx(1.8459715818691487, rel=1e-9)
    assert found.energy == pytest.approx(2.6663873256349793, rel=1e-9)
    np.testing.assert_allclose(found.bias, GOLDEN_BIAS, rtol=1e-9)
    assert (np.linalg.eigvalsh(found.mass) > 0).all()


@pytest.mark.parametrize("links", [2, 3, 6, 9])
def test_mass_and_bias_are_those_of_the_lagrangian(links):
    given = Lagrangian(
        links=links,
        half=0.05,
        mass=0.13,
        inertia=2.1e-4,
        rotor_mass=0.04,
        rotor_inertia=3e-6,
        ratio=70.0,
        stiffness=2.5,
        gravity=9.81,
    )
    drive = sp.SeriesElastic(
        stiffness=2.5, kp=1.0, kd=1.0, gear_ratio=70.0, rotor_inertia=3e-6, rotor_mass=0.04
    )
    robot = sp.Robot.uniform(
        links, length=0.1, mass=0.13, inertia=2.1e-4, radius=0.01, actuator=drive
    )
    random = np.random.default_rng(links)
    q, u = random.uniform(-1, 1, (2, 2 * links + 1))
    found = equations_of_motion(robot, q, u)
    np.testing.assert_allclose(found.mass, given.mass_matrix(q), atol=1e-14, rtol=1e-9)
    np.testing.assert_allclose(found.bias, given.bias(q, u), atol=1e-11, rtol=1e-9)
    energy = given.kinetic(q, u) + given.potential(q)
    assert found.energy == pytest.approx(energy, rel=1e-12)


def test_wrong_input_is_one_sentence():
    robot = sp.robots.koopaee()
    with pytest.raises(sp.InvalidInput, match=r"q has the shape \(3,\), but 6 links need 13"):
        equations_of_motion(robot, np.zeros(3), np.zeros(13))
    with pytest.raises(sp.InvalidInput, match="must be SeriesElastic with a spring"):
        equations_of_motion(sp.robots.aiko(), np.zeros(23), np.zeros(23))
