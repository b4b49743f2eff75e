"""Obstacle fields: repeatable, and as roomy as promised."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import serpenoid as sp

SEEDS = range(30)
ROUNDING = 1e-12  # m


# ---------------------------------------------------------------------------------------- pegs


def some_pegs(seed: int, **more) -> tuple[sp.Peg, ...]:
    options = {
        "region": (-1.0, 2.0, 0.5, 3.0),
        "radius": (0.01, 0.15),
        "clearance": 0.05,
        "keep_clear": ((0.5, 1.5, 0.4), (-1.0, 3.0, 0.3)),
    }
    return sp.fields.random_pegs(30, seed=seed, **(options | more))


def test_same_seed_same_pegs():
    assert some_pegs(5) == some_pegs(5)
    assert some_pegs(5) != some_pegs(6)


def test_pegs_are_where_and_as_large_as_told_and_keep_their_distance():
    for seed in SEEDS:
        pegs = some_pegs(seed)
        for a, b in itertools.combinations(pegs, 2):
            gap = math.hypot(a.x - b.x, a.y - b.y) - a.radius - b.radius
            assert gap >= 0.05 - ROUNDING, seed
        for peg in pegs:
            assert -1.0 <= peg.x <= 2.0, seed
            assert 0.5 <= peg.y <= 3.0, seed
            assert 0.01 <= peg.radius <= 0.15, seed
            for x, y, radius in ((0.5, 1.5, 0.4), (-1.0, 3.0, 0.3)):
                assert math.hypot(peg.x - x, peg.y - y) >= radius + peg.radius - ROUNDING, seed


def test_crowded_pegs_keep_their_distance():
    """As many as nearly fit, of one size, across the cells of the search and below zero."""
    pegs = sp.fields.random_pegs(
        250, region=(-1.0, 1.0, -1.0, 1.0), radius=0.03, clearance=0.02, seed=0
    )
    x, y = np.array([(peg.x, peg.y) for peg in pegs]).T
    distance = np.hypot(x[:, None] - x, y[:, None] - y) + 9.0 * np.eye(len(pegs))
    assert distance.min() >= 0.08 - ROUNDING
    assert distance.min() < 0.09  # crowded indeed


def test_pegs_fill_the_region():
    """Of many, a fair share in every quarter: 2000 pegs, so 500 +- 5 sigma."""
    pegs = sp.fields.random_pegs(
        2000, region=(0.0, 10.0, 0.0, 10.0), radius=0.01, clearance=0.0, seed=3
    )
    counts = np.histogram2d([p.x for p in pegs], [p.y for p in pegs], bins=2)[0]
    assert np.abs(counts - 500).max() < 5 * math.sqrt(500)


def test_radii_fill_their_range():
    radii = [peg.radius for peg in some_pegs(0)]
    assert len(set(radii)) == 30
    assert max(radii) - min(radii) > 0.07


def test_no_pegs():
    assert some_pegs(0)[:0] == sp.fields.random_pegs(
        0, region=(0.0, 1.0, 0.0, 1.0), radius=0.1, clearance=0.0, seed=0
    )


def test_track_is_the_papers():
    pegs = sp.fields.aiko_track()
    assert len(pegs) == 7
    assert (pegs[2].x, pegs[2].y, pegs[2].radius) == (0.8037, 0.1851, 0.0125)
    assert [p.radius for p in sp.fields.aiko_track(np.arange(1.0, 8.0))] == list(range(1, 8))


# ------------------------------------------------------------------------------------ corridors

CORRIDORS = {
    "gentle": {"clearance": 0.2},
    "winding": {"clearance": 0.2, "max_turn_deg": 45.0, "step": 0.2},
    "rough": {"clearance": 0.3, "max_turn_deg": 45.0, "step": 0.3, "roughness": 0.3},
    "very rough": {"clearance": 0.1, "max_turn_deg": 30.0, "step": 0.1, "roughness": 1.0},
    "straight": {"clearance": 0.5, "max_turn_deg": 0.0, "step": 0.5},
}
each_corridor = pytest.mark.parametrize("options", CORRIDORS.values(), ids=CORRIDORS)


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def point_to_segments(points, a, b):
    """Distances of all points from all segments, (points, segments)."""
    along = b - a
    s = ((points[:, None] - a) * along).sum(-1) / (along**2).sum(-1)
    foot = a + np.clip(s, 0.0, 1.0)[..., None] * along
    return np.linalg.norm(points[:, None] - foot, axis=-1)


def crossings(a, b, c, d):
    """Whether segments a-b and c-d properly cross, for all pairs."""
    a, b = a[:, None], b[:, None]
    return (cross(b - a, c - a) * cross(b - a, d - a) < 0) & (
        cross(d - c, a - c) * cross(d - c, b - c) < 0
    )


def sides(walls):
    return [np.array(wall.points) for wall in walls]


def width(left, right) -> float:
    """Least distance between two polylines, 0 if they cross, m."""
    pieces = [(p[:-1], p[1:]) for p in (left, right)]
    if crossings(*pieces[0], *pieces[1]).any():
        return 0.0
    return min(
        point_to_segments(left, *pieces[1]).min(), point_to_segments(right, *pieces[0]).min()
    )


def test_measure_of_width():
    """The measure itself: two parallel lines, and a cross."""
    lines = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[-5.0, 0.3], [5.0, 0.3]])
    assert width(*lines) == pytest.approx(0.3)
    assert width(lines[0], np.array([[0.5, -1.0], [0.5, 1.0]])) == 0.0


@each_corridor
def test_same_seed_same_corridor(options):
    one, same, other = (sp.fields.random_corridor(4.0, seed=s, **options) for s in (1, 1, 2))
    assert one == same
    if options.get("max_turn_deg") != 0.0:
        assert one != other


@each_corridor
def test_corridor_is_as_wide_as_told(options):
    for seed in SEEDS:
        left, right = sides(sp.fields.random_corridor(4.0, seed=seed, **options))
        assert width(left, right) >= options["clearance"] - ROUNDING, seed


@each_corridor
def test_walls_do_not_cross_themselves(options):
    for seed in SEEDS:
        for wall in sides(sp.fields.random_corridor(4.0, seed=seed, **options)):
            a, b = wall[:-1], wall[1:]
            assert not crossings(a, b, a, b).any(), seed


@each_corridor
def test_robot_wide_disc_can_go_all_the_way(options):
    """A disc as wide as the clearance follows some line: here every wall stays on its side.

    The corridor begins at the origin towards +x and the left wall is the one with larger y.
    """
    left, right = sides(sp.fields.random_corridor(4.0, seed=0, **options))
    assert left[0][1] >= options["clearance"] / 2 - ROUNDING
    assert right[0][1] <= -options["clearance"] / 2 + ROUNDING
    assert abs(left[0][0]) < ROUNDING
    assert len(left) == len(right) == math.ceil(4.0 / options.get("step", 0.4)) + 1


def test_smooth_corridor_is_no_wider_than_told():
    """Without roughness the walls are parallel to the centre line."""
    left, right = sides(sp.fields.random_corridor(4.0, clearance=0.2, seed=3))
    assert width(left, right) == pytest.approx(0.2, abs=ROUNDING)


def test_roughness_stands_back():
    smooth = sides(sp.fields.random_corridor(4.0, clearance=0.2, seed=3))
    rough = sides(sp.fields.random_corridor(4.0, clearance=0.2, seed=3, roughness=0.1))
    for a, b in zip(smooth, rough, strict=True):
        back = np.linalg.norm(a - b, axis=1)
        assert back.max() <= 0.1 + ROUNDING
        assert back.max() > 0.05
