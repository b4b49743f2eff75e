"""Reproduction of colorado2010: claims, proofs, best gaits."""

import math
import re

import numpy as np
import pytest

from serpenoid import papers
from serpenoid.analysis import energy
from serpenoid.analysis.periodic import steady_at_speed
from serpenoid.errors import InvalidInput
from serpenoid.papers.colorado2010.experiments import SPEED, circle
from serpenoid.papers.colorado2010.optimum import largest_speed, least_power
from serpenoid.papers.colorado2010.snake import (
    EFFICIENT,
    INEFFICIENT,
    LENGTH,
    SLIPPERY,
    STICKY,
    TABLE_2,
    Shape,
    model,
)
from serpenoid.papers.readings import Setting
from serpenoid.papers.reproduce import reproduce

PAPER = papers.find("colorado2010")
HOLD = {
    "speed_linear_in_omega": True,
    "best_alpha_grows_with_ratio": True,
    "best_beta_falls_with_links": True,
    "table2": False,
    "efficient_beats_inefficient": False,
    "gamma_makes_circles": True,
}


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    folder = tmp_path_factory.mktemp("colorado2010")
    return reproduce(PAPER, folder, quick=True), folder


@pytest.mark.thorough
def test_what_holds(quick):
    report, _ = quick
    assert {name: report.found(name).holds for name in HOLD} == HOLD
    assert all(report.found(name).note for name in HOLD)


@pytest.mark.thorough
def test_measured(quick):
    found = {name: quick[0].found(name).measured for name in HOLD}
    assert 0.999 < found["speed_linear_in_omega"] < 1
    alphas, betas, ratios = (
        [float(number) for number in re.findall(r"\d\.\d+", found[name])]
        for name in ("best_alpha_grows_with_ratio", "best_beta_falls_with_links", "table2")
    )
    assert alphas == pytest.approx([0.2254, 0.4785], abs=0.002)
    assert betas == pytest.approx([1.495, 0.945], abs=0.01)
    assert ratios == pytest.approx([3.92, 4.13], abs=0.06)
    assert found["efficient_beats_inefficient"] == pytest.approx(8.23, abs=0.01)
    assert found["gamma_makes_circles"] == pytest.approx(1.117, abs=0.002)


@pytest.mark.thorough
def test_files(quick):
    report, folder = quick
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert "Not drawn" not in text
    figures = {path.stem for path in folder.glob("*.png")}
    assert figures == {"fig2", "fig3", "fig4", "fig5", "fig6", "bound", "front", "curvature"}
    for claim in PAPER.claims:
        assert f"| `{claim.id}`: {claim.statement} |" in text
    # The two models agree to what the engine's step of 2 ms allows.
    (line,) = (row for row in text.splitlines() if row.startswith("| P_L (W) |"))
    engine, recursion = (float(cell) for cell in line.split("|")[2:4])
    assert engine == pytest.approx(recursion, rel=1e-3)
    assert {path.name for path in report.files} >= {"circle.nc", "servo_inefficient.nc"}


def test_published_shares_are_power_by_energy_but_for_one_misprint():
    for column in TABLE_2:
        printed = 100 * column.ratio
        off = abs(column.share - printed)
        assert (off > 10) == (column.omega == 1.04)
        # Cut off after two digits, not rounded.
        assert column.efficiency == math.floor(100 * (1 - column.ratio) + 1e-9) / 100
    assert max(column.ratio for column in TABLE_2) < 2 * SLIPPERY.tangential


@pytest.mark.parametrize("ground", [SLIPPERY, STICKY])
def test_the_inefficient_gait_takes_less_at_any_speed(ground):
    for speed in (0.01, 0.05, 0.1):
        powers = [
            steady_at_speed(model(ground), shape.gait(2.0), speed).power
            for shape in (EFFICIENT, INEFFICIENT)
        ]
        assert powers[0] > 2 * powers[1]


def test_no_gait_near_the_best_takes_less():
    best = least_power(SLIPPERY, SPEED)
    assert best.motion.speed == pytest.approx(SPEED, rel=1e-6)
    for step in ((0.02, 0.0), (-0.02, 0.0), (0.0, 0.05), (0.0, -0.05)):
        other = Shape(best.shape.alpha + step[0], best.shape.beta + step[1])
        beside = steady_at_speed(model(SLIPPERY), other.gait(best.omega), SPEED)
        assert beside.power > best.motion.power
    # The gaits that both limits leave are the same from elsewhere.
    again = least_power(SLIPPERY, SPEED, begin=Shape(0.6, 1.5))
    assert again.shape.alpha == pytest.approx(best.shape.alpha, abs=1e-3)
    assert again.shape.beta == pytest.approx(best.shape.beta, abs=1e-3)


def power(shape):
    """At the speed compared; infinite for coils that do not reach it."""
    try:
        return steady_at_speed(model(SLIPPERY), shape.gait(2.0), SPEED).power
    except InvalidInput:
        return math.inf


@pytest.mark.slow
def test_the_best_gait_is_the_best_of_all():
    """No other minimum on a grid over all shapes."""
    best = least_power(SLIPPERY, SPEED)
    alphas, betas = np.linspace(0.1, 1.1, 11), np.linspace(0.3, 2.4, 15)
    powers = np.array([[power(Shape(alpha, beta)) for beta in betas] for alpha in alphas])
    assert powers.min() > best.motion.power
    row, column = np.unravel_index(powers.argmin(), powers.shape)
    assert abs(alphas[row] - best.shape.alpha) < 0.1
    assert abs(betas[column] - best.shape.beta) < 0.15


def test_a_limit_of_omega_is_kept_and_costs_power():
    top = largest_speed(SLIPPERY, 4.0)
    speed = 0.9 * top.motion.speed
    free = least_power(SLIPPERY, speed)
    limited = least_power(SLIPPERY, speed, begin=top.shape, fastest=4.0)
    assert free.omega > 4.2
    assert limited.omega == pytest.approx(4.0, rel=1e-5)
    assert limited.motion.power > 1.01 * free.motion.power
    # Slower than the wave that runs along the body.
    assert top.motion.speed < 4.0 * LENGTH / top.shape.beta


def test_no_gait_beats_the_front():
    experiments = PAPER.experiments(Setting(quick=True))
    works = [experiments[name] for name in ("front", "cloud")]
    front, cloud = (work.function(*work.arguments) for work in works)
    # Power by squared speed is least, and nearly the same, until omega is at its limit.
    least = least_power(SLIPPERY, SPEED).motion.specific_power
    moving = [motion for motion in cloud if motion.speed > 1e-3]
    assert len(moving) > 20
    assert min(motion.specific_power for motion in moving) > 0.99 * least
    assert max(motion.speed for motion in cloud) < front[-1].motion.speed


def test_the_circle_takes_what_its_steady_motion_takes():
    run = circle(EFFICIENT, SLIPPERY, 3.0, 20.0).run()
    found = energy.cycles(run)
    assert energy.steady_from(found) == 1
    assert found.efficiency[-1] == pytest.approx(0.0267, abs=2e-4)
    assert found.printed_efficiency[-1] == pytest.approx(-3.133, abs=1e-3)
