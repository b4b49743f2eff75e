"""Rewards: nothing is earned by waiting or by going to and fro, and a goal is paid once."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest

import serpenoid.envs
from serpenoid.envs.goals import beyond
from serpenoid.envs.tasks import TASKS
from tests.envs.inside import robots_of

GOALS = pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.goal])
# Courses that end at a line.
LINES = {"PegField-v0": (2.2, 0.0), "Stairs-v0": (0.9, 0.0)}
STEPS = 600


def moved(now: Any, robot: Any, load: Any, force: Any) -> Any:
    """The moment with the robot's centre and the load elsewhere, (2,) each, and contact forces."""
    shift = robot - now.centre[0]
    seen = replace(now.seen, x=now.seen.x + shift[0], y=now.seen.y + shift[1], contact_force=force)
    pose = now.seen.load_pose.copy()
    pose[..., :2] = load
    return replace(now, seen=replace(seen, load_pose=pose))


def paid(robots: Any, before: Any, now: Any) -> float:
    """All parts of the reward of a control period, as a lump, m."""
    terms = {r.name: r.read(before, now, robots.period) for r in robots.task.rewards}
    return robots.period * float(
        sum(robots.weights[name] * value[0] for name, value in terms.items())
    )


@GOALS
@pytest.mark.parametrize("period", [0.05, 0.2])
def test_finishing_pays_more_than_all_that_staying_could(name: str, period: float) -> None:
    """From anywhere, even if it takes the work of lifting the robot by a metre."""
    robots = robots_of(serpenoid.envs.SerpenoidEnv(name, control_period=period))
    goal, random = robots.task.goal, np.random.default_rng(1)
    assert goal is not None
    place = np.array(LINES[name]) if name in LINES else robots.now.goals[0, -1]
    last = replace(robots.now, next_goal=np.array([goal.count - 1]))
    shape = last.seen.contact_force.shape

    def at(point: Any, force: Any) -> Any:
        """What has to reach the goal is there; a robot with a load has it somewhere along it."""
        behind = random.uniform(-0.5, 0.5, 2) if last.seen.load_pose.size else np.zeros(2)
        return moved(last, point + behind, point, force)

    def short_of_it(near: float) -> Any:
        """Somewhere before the goal, pushed hard along x by whatever is there."""
        while True:
            angle, aside = random.uniform(0, 2 * np.pi), near * abs(random.normal())
            direction = np.array([np.cos(angle), np.sin(angle)])
            point = place + (1.001 * goal.acceptance + aside) * direction
            there = at(point, random.uniform(0, 100, shape))
            if not goal.read(there)[0]:
                return there

    for near in (0.001, 0.03, 1.0):
        begin, *path = (short_of_it(near) for _ in range(STEPS))
        stays = sum(paid(robots, *pair) for pair in itertools.pairwise([begin, *path]))
        # Or it stays where that pays best.
        stays = max(stays, *(paid(robots, begin, each) for each in path))
        end = at(place + np.array([0.99 * goal.acceptance + 1e-6, 0.0]), np.zeros(shape))
        assert goal.read(end)[0]
        lifted = replace(end, reached=np.array([True]), work=end.work + end.weight * 1.0)
        assert paid(robots, begin, lifted) > stays
        # To and fro pays nothing.
        assert abs(paid(robots, begin, path[0]) + paid(robots, path[0], begin)) < 1e-12


@pytest.mark.parametrize("period", [0.05, 0.1])
@pytest.mark.parametrize("name", list(LINES))
def test_the_end_of_a_course_is_paid_once_whatever_the_control_period(
    name: str, period: float
) -> None:
    env = serpenoid.envs.SerpenoidEnv(name, control_period=period)
    env.reset(seed=1)
    # The line is moved to where the robot is.
    robots_of(env).task = replace(
        robots_of(env).task, goal=beyond(robots_of(env).now.centre[0, 0] - 0.1)
    )
    lumps, ends = [], []
    for _ in range(3):
        *_, terminated, _, info = env.step(np.zeros(env.action_space.shape))
        lumps.append(info["reward_arrival"] * period)
        ends.append(terminated)
    assert lumps == [pytest.approx(1.0), 0.0, 0.0]
    assert ends == [True] * 3


def test_each_waypoint_is_paid_once() -> None:
    env = gymnasium.make("serpenoid/PathFollow-v0").unwrapped
    env.reset(seed=1)
    now = robots_of(env).now
    robots_of(env).now = replace(now, goals=np.repeat(now.centre[:, None], 4, axis=1))
    arrivals, ends = [], []
    for _ in range(6):
        *_, terminated, _, info = env.step(np.zeros(7))
        arrivals.append(info["reward_arrival"])
        ends.append(terminated)
    assert arrivals == [5.0, 5.0, 5.0, 5.0, 0.0, 0.0]
    assert ends == [False, False, False, True, True, True]
