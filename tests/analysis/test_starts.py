"""Clear starts among pegs, and what becomes of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.starts import StartBox, clear_starts, passages
from serpenoid.model.segments import distance_to_segments
from serpenoid.scenario.scenario import Scenario

BOX = StartBox(x=(-0.2, 0.5), y=(-0.1, 0.25), heading_deg=(-20, 20))


@pytest.fixture(scope="module")
def track():
    return Scenario.load("aiko_pegs")


def gap(scenario: Scenario, start: sp.Start) -> float:
    """Least distance between pegs and links laid out by hand, m."""
    robot, world = scenario.built
    turns = scenario.controller.angles(len(robot.joints))
    theta = np.concatenate([[0.0], np.cumsum(turns)])
    theta += math.radians(start.heading_deg) - theta.mean()
    axis = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    length = np.array([link.length for link in robot.links])[:, None]
    tails = np.concatenate([np.zeros((1, 2)), np.cumsum(length * axis, axis=0)[:-1]])
    centre = tails + length * axis / 2
    centre += np.array([start.x, start.y]) - centre[start.link]
    half = np.array([link.straight_length / 2 for link in robot.links])[:, None] * axis
    return min(
        (
            distance_to_segments(np.array([peg.x, peg.y]), centre - half, centre + half)
            - [link.radius + peg.radius for link in robot.links]
        ).min()
        for peg in world.pegs
    )


def test_clear_starts_touch_nothing_by_the_distance_of_capsules(track):
    found = clear_starts(track, BOX, 30, seed=1)
    gaps = [gap(track, start) for start in found.starts]
    assert min(gaps) > -1e-6
    for start in found.starts:
        assert BOX.x[0] <= start.x <= BOX.x[1]
        assert BOX.y[0] <= start.y <= BOX.y[1]
        assert abs(start.heading_deg) <= 20
        assert start.link == 5
    assert found.share == 30 / found.drawn


def test_clear_starts_are_those_of_the_seed_that_are_clear(track):
    """The same numbers, drawn and sorted out here."""
    found = clear_starts(track, BOX, 10, seed=7)
    draws = np.random.default_rng(7).random((found.drawn, 3))
    low = np.array([BOX.x[0], BOX.y[0], BOX.heading_deg[0]])
    wide = np.array([BOX.x[1], BOX.y[1], BOX.heading_deg[1]]) - low
    clear = []
    for x, y, heading_deg in low + wide * draws:
        start = sp.Start(x=x, y=y, heading_deg=heading_deg, link=5)
        if gap(track, start) > -1e-6:
            clear.append(start)
    assert tuple(clear) == found.starts


def test_more_starts_begin_with_the_same(track):
    few, many = (clear_starts(track, BOX, count, seed=3) for count in (4, 9))
    assert many.starts[:4] == few.starts
    assert clear_starts(track, BOX, 4, seed=4).starts != few.starts


def test_passages_are_those_of_single_runs(track):
    scenario = track.changed({"clock.duration": 3.0})
    starts = [*clear_starts(track, BOX, 3, seed=1).starts, track.start]
    found = passages(scenario, starts, x=1.2)
    for start, when in zip(starts, found.times, strict=True):
        run = scenario.changed({"start": start}).run()
        past = run.columns["x"][:, -1] + 0.0393 * np.cos(run.columns["theta"][:, -1]) + 0.0525
        assert when is None or past[run.row(when)] > 1.19
        assert (when is None) == (run.columns["x"][:, -1].max() < 1.1)
    assert found.passed == sum(time is not None for time in found.times) > 0
    assert found.share == found.passed / 4
    assert found.stopped == ()


def test_passages_with_a_solver_that_takes_no_batches(track):
    scenario = track.changed({"clock.duration": 0.5, "solver.kind": "prox"})
    found = passages(scenario, [track.start], x=0.0)
    assert found.times == (0.0,)


def test_a_run_that_stops_early_counts_as_such(track):
    """With three iterations a prox step cannot be solved."""
    scenario = track.changed(
        {"clock.duration": 0.5, "solver.kind": "prox", "solver.max_iterations": 3}
    )
    found = passages(scenario, [track.start], x=5.0)
    assert (found.times, found.stopped) == ((None,), (0,))


def test_boxes_and_counts_that_are_not_allowed(track):
    with pytest.raises(sp.InvalidInput, match=r"StartBox.x = \(1, 0\) is not allowed"):
        StartBox(x=(1.0, 0.0), y=(0.0, 0.0))
    full = StartBox(x=(0.4215, 0.4216), y=(0.0029, 0.003))
    with pytest.raises(sp.InvalidInput, match="count = 1 clear starts are not to be had: of 1000"):
        clear_starts(track, full, 1, seed=0)
    with pytest.raises(sp.InvalidInput, match="seed = -1 is not allowed"):
        clear_starts(track, BOX, 1, seed=-1)
    with pytest.raises(sp.InvalidInput, match="there must be one at least"):
        passages(track, [], x=1.0)
