"""Distances and crossings of straight segments in the plane."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from serpenoid.kernels.layout import Floats


def distance_to_segments(point: Floats, a: Floats, b: Floats) -> Floats:
    """Distance from a point to a segment; either may be an array of many."""
    along = b - a
    size = np.maximum((along**2).sum(axis=-1), 1e-300)
    s = np.clip(((point - a) * along).sum(axis=-1) / size, 0.0, 1.0)
    distance: Floats = np.linalg.norm(point - a - s[..., None] * along, axis=-1)
    return distance


def crosses(a: Floats, b: Floats, c: Floats, d: Floats) -> npt.NDArray[np.bool_]:
    """Whether segments a-b cross segments c-d; either may be one or an array of many."""

    def side(p: Floats, q: Floats, r: Floats) -> Floats:
        first, second = q - p, r - p
        cross: Floats = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
        return cross

    apart = (side(c, d, a) * side(c, d, b) < 0) & (side(a, b, c) * side(a, b, d) < 0)
    return np.asarray(apart)
