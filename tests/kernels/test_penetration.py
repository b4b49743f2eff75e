"""How far gaps may close within a step, against the true paths of links."""

from __future__ import annotations

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.engine.assemble import pack_world
from serpenoid.kernels.penetration import bend_bound
from tests.calling import called

bend_bound = called(bend_bound)


def gap_after(t, place, link, motion):
    """Gap of a capsule and a disc, m; the capsule's centre begins at the origin."""
    (cx, cy, size), (angle, rear, fore), (ux, uy, w) = place, link, motion
    e = np.array([np.cos(angle + w * t), np.sin(angle + w * t)])
    d = np.array([cx - ux * t, cy - uy * t])
    return np.linalg.norm(d - np.clip(d @ e, rear, fore) * e) - size


@pytest.mark.parametrize("radius", [0.0, 0.05, 5.0])
def test_no_gap_falls_short_of_its_bound(radius):
    scenario, dt = sp.Scenario.load("aiko_pegs"), 0.02
    engine = sp.Batch([scenario], threads=1)._engine
    robot, place = scenario.built
    world, body, i = pack_world(place, robot), engine.body(0), 3
    world.discs.radius[0] = radius
    blocks, contact, link = body.blocks, body.contacts[0], body.links[i]
    body.robot[0].links = len(body.links)
    contact.link, contact.lane, contact.obstacle = i, i, 0
    contact.other_lane, contact.ground = -1, False
    size, closest = link.radius + radius, np.inf
    random = np.random.default_rng(1)
    for _ in range(300):
        angle, s = random.uniform(-np.pi, np.pi), random.uniform(link.rear, link.fore)
        gap, *u = random.uniform(-1e-4, 1e-3), *random.normal(size=2)
        motion = (*u, random.choice([0.1, 1.0, 10.0]) * random.uniform(-1.0, 1.0))
        # On the side of the link, or around one of its ends.
        outward, turned = random.choice([-1, 0, 1]), random.uniform(-np.pi / 2, np.pi / 2)
        if outward == 0:
            away = angle + np.pi / 2 * random.choice([-1, 1])
        else:
            s = link.fore if outward > 0 else link.rear
            away = angle + turned + (0.0 if outward > 0 else np.pi)
        e, to = np.array([np.cos(angle), np.sin(angle)]), np.array([np.cos(away), np.sin(away)])
        c = s * e + (size + gap) * to
        rate = -to @ (np.array(motion[:2]) + motion[2] * s * np.array([-e[1], e[0]]))
        for name, value in zip(("ux", "uy", "uw"), motion, strict=True):
            blocks[name][i // 8, i % 8] = value
        blocks["reach"][i // 8, i % 8], contact.gap = link.radius - link.rear, gap
        bend = bend_bound(world, body, contact, dt)
        for t in (0.5 * dt, dt):
            found = gap_after(t, (*c, size), (angle, link.rear, link.fore), motion)
            short = gap + t * rate - found
            assert short <= bend * t * t + 1e-12
            closest = min(closest, bend * t * t - short)
    # Not far more than is needed.
    assert closest < 1e-4
