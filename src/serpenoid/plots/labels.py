"""Where to write beside a drawing without covering it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_DIRECTIONS = 16


@dataclass(frozen=True)
class Anchor:
    """A point to write beside, at least `gap` away from it, m."""

    x: float
    y: float
    gap: float


def place(
    sizes: Sequence[tuple[float, float]],
    anchors: Sequence[Sequence[Anchor]],
    taken: Floats,
    low: Floats,
    high: Floats,
) -> list[tuple[float, float]]:
    """Centre of each text, m, one after the other where it covers least.

    sizes: width and height of each text, m. anchors: of each text, the best one first. taken:
    points not to cover, (k, 2). low, high: corners of what is in view, (2,).
    """
    angles = np.pi / 2 + 2 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    placed: list[tuple[float, float]] = []
    boxes: list[tuple[Floats, Floats]] = []
    for k, (size, choices) in enumerate(zip(sizes, anchors, strict=True)):
        half = np.array(size) / 2
        reach = np.abs(directions) @ half  # half the text's size as seen in each direction
        gaps = np.array([[anchor.gap] for anchor in choices])
        steps = (gaps + reach)[:, :, None] * directions
        centres = (_points(choices)[:, None] + steps).reshape(-1, 2)
        # Order breaks ties: the first anchor, and above it, is best.
        cost = 1e-3 * np.arange(len(centres))
        covered = np.abs(taken[None] - centres[:, None]) < half
        cost += covered.all(axis=2).sum(axis=1)
        outside = (centres - half < low) | (centres + half > high)
        cost += 1e3 * outside.any(axis=1)
        others = [_points(each) for j, each in enumerate(anchors) if j != k]
        if others:
            # Nearer to the anchor of another text, it would be read as that one's.
            own, foreign = _nearest(centres, _points(choices)), _nearest(centres, *others)
            cost += 10.0 * (foreign < own)
        for other, extent in boxes:
            cost += 1e3 * (np.abs(centres - other) < half + extent).all(axis=1)
        best = centres[int(cost.argmin())]
        boxes.append((best, half))
        placed.append((float(best[0]), float(best[1])))
    return placed


def _points(anchors: Sequence[Anchor]) -> Floats:
    return np.array([[anchor.x, anchor.y] for anchor in anchors])


def _nearest(centres: Floats, *points: Floats) -> Floats:
    """Distance from each centre to the nearest of the points."""
    apart = centres[:, None] - np.concatenate(points)
    nearest: Floats = np.hypot(apart[..., 0], apart[..., 1]).min(axis=1)
    return nearest
