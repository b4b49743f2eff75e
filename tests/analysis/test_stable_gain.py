"""Gains that are stable along a wave, maps over servos and filters, and ticks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.collections import QuadMesh

import serpenoid as sp
from benchmarks import contact_growth
from benchmarks import stable_gain as fields
from serpenoid.analysis.contact_stability import (
    contact_loop,
    measure_growth,
    stability_map,
    stable_gain,
    wave_shapes,
    worst_contacts,
)
from serpenoid.plots.stability_figures import stability_maps

ROBOT = sp.Robot.uniform(10, length=0.14, mass=1.0, inertia=0.0016, radius=0.005)
SHORT = sp.Robot.uniform(5, length=0.14, mass=1.0, inertia=0.0016, radius=0.005)
WAVE = sp.Follower(60, 40, delay=0.7)
STEEP_DEG = 60 * np.sin(np.radians(-40.0 * np.arange(9)))


@pytest.fixture(scope="module")
def loop():
    return contact_loop(ROBOT, STEEP_DEG, dict.fromkeys(range(4, 9), "left"))


# --------------------------------------------------------------------------------------- ticks


def test_frequent_ticks_are_none(loop):
    smooth = loop.poles(0.02)[0]
    errors = [abs(loop.changed(period=period).poles(0.02)[0] - smooth) for period in (1e-4, 1e-5)]
    assert errors[1] < 1e-3 * abs(smooth)
    assert errors[0] == pytest.approx(10 * errors[1], rel=0.2)


def test_rare_ticks_make_it_unstable_as_in_the_engine():
    """One of the sets of the table: its pole is at 2.2 without ticks, at 33 with ticks of 1 ms."""
    drawn = contact_growth.draw_sets(21)[20]
    ticks = drawn.loop.changed(period=1e-3)
    pole = ticks.poles(drawn.gain)[0]
    assert replace(drawn.loop, period=None).growth_rate(drawn.gain) < 3
    assert pole.real > 30
    growth = measure_growth(ticks, drawn.gain, duration=0.5)
    assert growth.rate == pytest.approx(pole.real, rel=1e-3)
    assert growth.frequency == pytest.approx(pole.imag, rel=1e-3)


def test_with_ticks_forces_are_remembered(loop):
    assert len(loop.changed(period=1e-3).poles(0.02)) == len(loop.poles(0.02)) + 5


# --------------------------------------------------------------- predictions against simulations


@pytest.mark.thorough
def test_growth_rates_of_all_sets_of_the_table_are_those_of_the_poles():
    sets = contact_growth.draw_sets()
    assert len(sets) >= 20
    for drawn in sets:
        rate, frequency = drawn.measure()
        pole = drawn.pole
        assert rate == pytest.approx(pole.real, rel=contact_growth.BOUND)
        assert frequency == pytest.approx(pole.imag, rel=contact_growth.BOUND, abs=0.1)


def test_the_kept_table_has_the_poles_of_the_code():
    sets = contact_growth.draw_sets()
    same = [(each.pole.real, abs(each.pole.imag)) for each in sets]
    made = contact_growth.table(sets, same).splitlines()
    kept = contact_growth.OUTPUT.read_text(encoding="utf-8").splitlines()
    assert len(made) == len(kept)
    for ours, theirs in zip(made[2 : 2 + len(sets)], kept[2:], strict=False):
        assert ours.split("|")[1:8] == theirs.split("|")[1:8]
        rate = float(theirs.split("|")[8].split("±")[0])
        assert abs(rate / float(theirs.split("|")[7].split("±")[0]) - 1) < contact_growth.BOUND


# ------------------------------------------------------------------------------------- the rule


def test_no_neighbouring_links_are_unstable_below_the_gain_of_the_rule():
    worst = worst_contacts(SHORT, WAVE, shapes=6)
    gain = stable_gain(SHORT, WAVE, shapes=6)
    assert gain == pytest.approx(worst.critical_gain() / 2)
    assert stable_gain(SHORT, WAVE, shapes=6, margin=1.0) == pytest.approx(2 * gain)
    least = min(
        contact_loop(SHORT, angles, dict.fromkeys(range(first, last), "left")).critical_gain()
        for angles in np.degrees(wave_shapes(WAVE, 4, 6))
        for first in range(5)
        for last in range(first + 1, 6)
    )
    assert least == pytest.approx(worst.critical_gain(), rel=1e-6)


def test_ticks_make_the_gain_smaller():
    gains = [stable_gain(SHORT, WAVE, shapes=4, period=period) for period in (None, 0.01)]
    assert gains[1] < gains[0]


def test_joints_follow_the_one_ahead_and_the_head_link_swings():
    """36 deg/s and a delay of 1 s: a tenth of a turn."""
    shapes = wave_shapes(sp.Follower(60, 36, delay=1.0), 9, 10)
    np.testing.assert_allclose(shapes[1:, :-1], shapes[:-1, 1:], atol=1e-12)
    theta = np.concatenate([np.zeros((10, 1)), np.cumsum(shapes, axis=1)], axis=1)
    head = theta[:, -1] - theta.mean(axis=1)
    turns = np.radians(36.0 * np.arange(10))
    np.testing.assert_allclose(np.degrees(head), 60 * np.sin(turns), atol=1e-9)


def test_shapes_of_a_gait_are_those_it_commands():
    gait = sp.Serpenoid(30, 90, -50, offset_deg=5, start_deg=10)
    shapes = wave_shapes(gait, 4, 8)
    for k, shape in enumerate(shapes):
        np.testing.assert_allclose(shape, gait.angles(4, 0.5 * k), atol=1e-12)


def test_the_table_of_fields_is_about_the_gain_of_the_rule():
    gain = fields.rule()
    assert f"{gain:.4f}, rule" in fields.OUTPUT.read_text(encoding="utf-8")


def test_a_table_of_fields_counts_pairs():
    good, crossed = fields.Passage(5, 90.0, False, False), fields.Passage(5, 90.0, True, False)
    far, stuck = fields.Passage(5, 181.0, False, False), fields.Passage(2, 90.0, False, True)
    found = {
        ("centre", 0.0): [stuck, good, far],
        ("centre", 0.02): [good, stuck, stuck],
        ("centre", 0.003): [good, good, crossed],
    }
    rows = [line.split("|")[1:-1] for line in fields.table(found, 0.003).splitlines()[2:]]
    cells = [[cell.strip() for cell in row] for row in rows]
    assert all(row[0] == "centre" for row in cells)
    assert cells[0][1:] == ["none", "2 of 3", "1", "4.0", "1", "0", "1", "1, 0, 1"]
    assert cells[1][1:] == ["0.02, as printed", "1 of 3", "1", "3.0", "0", "0", "2", "1, 0, 1"]
    assert cells[2][1:] == ["0.0030, rule", "3 of 3", "2", "5.0", "0", "1", "0", ""]


# ---------------------------------------------------------------------------------------- maps


@pytest.fixture(scope="module")
def found(loop):
    return stability_map(loop, gain=[0.001, 0.01, 0.1], kd=[2.0, 5.0], cutoff=[0.5, 0.75, 3.0])


def test_a_map_has_all_combinations(loop, found):
    assert all(len(column) == 18 for column in found.values())
    row = (found["gain"] == 0.01) & (found["kd"] == 2.0) & (found["cutoff"] == 3.0)
    other = loop.changed(kd=2.0, cutoff=3.0)
    assert found["growth_rate"][row] == pytest.approx([other.growth_rate(0.01)])
    assert found["critical_gain"][row] == pytest.approx([other.critical_gain()])


def test_a_map_of_gains_alone_keeps_servos_and_filter(loop):
    found = stability_map(loop, gain=[0.02])
    assert found["kd"].tolist() == [5.0]
    assert found["cutoff"].tolist() == [0.75]
    assert found["growth_rate"] == pytest.approx([loop.growth_rate(0.02)])


def test_slow_filters_and_weak_damping_leave_what_the_stiffness_allows(found):
    """The line that bounds the stable region is vertical there: 1/kp over the force per torque."""
    slow = found["critical_gain"][found["cutoff"] == 0.5]
    assert np.ptp(slow) < 1e-3 * slow.max()
    assert found["critical_gain"][found["cutoff"] == 3.0].min() < 0.6 * slow.max()


def test_the_figure_shows_the_map(found):
    figure = stability_maps(found, kd=5.0, cutoff=0.75)
    shown = [
        [each for each in ax.collections if isinstance(each, QuadMesh)][-1].get_array()
        for ax in figure.axes[:3]
    ]
    row = (found["gain"] == 0.1) & (found["kd"] == 5.0) & (found["cutoff"] == 3.0)
    assert shown[0][2, 2] == found["growth_rate"][row][0]
    assert shown[0].mask[0, 0]  # stable
    row = (found["gain"] == 0.1) & (found["kd"] == 2.0) & (found["cutoff"] == 0.75)
    assert shown[1][0, 2] == found["growth_rate"][row][0]
    row = (found["gain"] == 0.1) & (found["kd"] == 2.0) & (found["cutoff"] == 3.0)
    assert shown[2][2, 0] == found["critical_gain"][row][0]


# ------------------------------------------------------------------------------ what is not allowed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"wave": sp.PedalWave(30, 40, 20)}, "it must be a Follower or a Serpenoid"),
        ({"robot": None}, "robot = None is not allowed: it must be a Robot"),
        ({"margin": 0.5}, "margin = 0.5 is not allowed: it must be a finite number, at least 1"),
        ({"shapes": 0}, "count = 0 is not allowed"),
        ({"cutoff": -1.0}, "cutoff = -1.0 is not allowed"),
        ({"period": 0.0}, "period = 0.0 is not allowed"),
    ],
)
def test_rules_that_are_not_allowed(change, words):
    values = {"robot": SHORT, "wave": WAVE} | change
    with pytest.raises(sp.InvalidInput, match=words):
        stable_gain(**values)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gain": []}, "it must be a list of different numbers"),
        ({"kd": [1.0, 1.0]}, "it must be a list of different numbers"),
        ({"gain": [-1.0]}, "gain = -1.0 is not allowed"),
        ({"cutoff": [0.0]}, "cutoff = 0.0 is not allowed"),
        ({"loop": 3}, "loop = 3 is not allowed: it must be a ContactLoop"),
    ],
)
def test_maps_that_are_not_allowed(loop, change, words):
    values = {"loop": loop, "gain": [0.02]} | change
    with pytest.raises(sp.InvalidInput, match=words):
        stability_map(**values)


def test_figures_that_are_not_allowed(loop, found):
    with pytest.raises(sp.InvalidInput, match=r"kd = 3.0 is not in this map; it has 2, 5"):
        stability_maps(found, kd=3.0, cutoff=0.75)
    with pytest.raises(sp.InvalidInput, match="a map needs at least two values"):
        stability_maps(stability_map(loop, gain=[0.01, 0.02]), kd=5.0, cutoff=0.75)
