"""Geometry of links of one robot, apart from the kernels', and seeded random coils."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import serpenoid as sp


def _cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _to_segment(point, a, b):
    along = b - a
    size = np.maximum((along**2).sum(axis=-1), 1e-300)
    s = np.clip(((point - a) * along).sum(axis=-1) / size, 0.0, 1.0)
    return np.linalg.norm(point - a - s[..., None] * along, axis=-1)


def axes(robot: sp.Robot, columns: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Tail and head ends of the straight outlines, (rows, n, 2) each, m; columns: x, y, theta."""
    middle = np.stack([columns["x"], columns["y"]], axis=-1)
    half = np.array([link.straight_length / 2 for link in robot.links])[:, None]
    along = np.stack([np.cos(columns["theta"]), np.sin(columns["theta"])], axis=-1) * half
    return middle - along, middle + along


def gaps_between(robot: sp.Robot, columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Least distance of the outlines of links that are not neighbours, (rows,), m."""
    (tail, head), radius = axes(robot, columns), np.array([link.radius for link in robot.links])
    i, j = np.triu_indices(len(radius), k=2)
    a, b, c, d = tail[:, i], head[:, i], tail[:, j], head[:, j]
    apart = np.minimum.reduce(
        [_to_segment(a, c, d), _to_segment(b, c, d), _to_segment(c, a, b), _to_segment(d, a, b)]
    )
    one = _cross(b - a, c - a) * _cross(b - a, d - a) < 0
    two = _cross(d - c, a - c) * _cross(d - c, b - c) < 0
    return (np.where(one & two, 0.0, apart) - radius[i] - radius[j]).min(axis=1)


def own_gaps(run: sp.Trajectory) -> np.ndarray:
    """The same in every row of a run."""
    return gaps_between(run.robot, run.columns)


def random_coil(seed: int) -> sp.Scenario:
    """A robot that winds up until it touches itself, as it can and as it is driven to."""
    random = np.random.default_rng(seed)
    n = int(random.integers(5, 17))
    length = random.uniform(0.06, 0.15)
    lengths = length * random.uniform(0.7, 1.3, n)
    radius = lengths.min() * random.uniform(0.1, 0.45)
    kp = 10 ** random.uniform(0.0, 1.5)
    drive = {"kind": "servo", "kp": kp, "kd": kp * random.uniform(0.02, 0.2)}
    if random.random() < 0.3:
        drive |= {"torque_limit": random.uniform(0.5, 3.0)}
    if random.random() < 0.15:
        drive = {"kind": "series_elastic", "stiffness": 5.0, "kp": 10.0, "kd": 1.0}
        drive |= {"gear_ratio": 50.0, "rotor_mass": 0.02, "rotor_inertia": 1e-6}
    bend = random.uniform(1.05, 1.5) * 360.0 / n
    gait = {
        "kind": "serpenoid",
        "amplitude_deg": 0.5 * bend,
        "offset_deg": random.choice([-1, 1]) * bend,
    }
    gait |= {"frequency_deg": random.uniform(90, 360), "phase_deg": random.uniform(-40, 40)}
    law = {
        "friction": random.choice([0.0, 0.2, 0.6]),
        "restitution": random.choice([0.0, 0.0, 0.5]),
    }
    plain = {
        "robot": {
            "links": n,
            "length": lengths.tolist(),
            "mass": random.uniform(0.1, 0.5, n).tolist(),
            "radius": radius,
            "self_contact": law,
        },
        "actuator": drive,
        "controller": gait,
        "start": {
            "joint_angles_deg": (
                0.5 * gait["offset_deg"] * random.uniform(0.6, 1.0, n - 1)
            ).tolist(),
            "spin_deg": random.uniform(-60, 60),
        },
        "friction": {"kind": "coulomb", "mu": random.uniform(0.05, 0.6)},
        "clock": {"duration": 1.0},
    }
    if random.random() < 0.3:
        plain["friction"] = None
    if random.random() < 0.3:
        # In a vertical plane, above the ground.
        terrain = {"kind": "profile", "points": [[-9, 0], [9, 0]], "friction": [0.5]}
        plain |= {"friction": None, "world": {"plane": "vertical", "terrain": terrain}}
        plain["start"] |= {"x": 0.0, "y": float(lengths.sum()) * 0.6}
    elif random.random() < 0.3:
        x, y = random.uniform(-0.1, 0.1, 2) * n
        disc = {"kind": "disc", "x": x, "y": y, "mass": 0.3, "radius": 0.3 * length}
        plain["world"] = {"loads": [disc | {"friction": 0.3}]}
    return sp.Scenario.from_plain(plain)
