"""Recorded contacts as the viewer page reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.motion import contact_rows
from serpenoid.engine.trajectory import Trajectory
from serpenoid.plots.viewer.channels import Channel


def touches(run: Trajectory, kept: npt.NDArray[np.intp]) -> dict[str, Any]:
    """Contacts of all frames one after the other, those that push back included.

    Where rows are left out, the contacts of a link with one thing since the frame before are one,
    in the middle of its pushes.

    Args:
        run: The run.
        kept: Numbers of the rows that frames show, ascending from 0.

    Returns:
        Where each frame's contacts begin, their points, m, the forces there and, told apart of
        terrain only, friction, N, and whether they are on loads.
    """
    c = run.contacts
    back = np.flatnonzero(np.isin(c.kind, ("load", "link")))
    # Every contact pushes one body, and the other one back.
    entry = np.append(np.arange(len(c)), back)
    sign = np.where(np.arange(len(entry)) < len(c), 1, -1)
    whole = len(kept) == len(run.time)
    frame = np.searchsorted(kept, contact_rows(run))
    kinds, kind = np.unique(c.kind, return_inverse=True)
    number = np.arange(len(c)) if whole else np.zeros(len(c), int)
    keys = np.stack([frame, number, c.link, c.load, kind, c.index], axis=1)[entry]
    keys, group = np.unique(np.append(keys, sign[:, None], axis=1), axis=0, return_inverse=True)
    weight = np.hypot(*c.normal_force.T)[:, None] + 1e-300
    terrain = (c.kind == "terrain")[:, None]
    share = 1.0 / np.diff(kept, prepend=-1)[frame][:, None]
    pushes = share * np.where(terrain, c.normal_force, c.force)
    rubs = share * np.where(terrain, c.tangential_force, 0.0)
    sums = np.zeros((len(keys), 7))
    places = np.concatenate([weight, weight * c.point], axis=1)[entry]
    forces = sign[:, None] * np.concatenate([pushes, rubs], axis=1)[entry]
    np.add.at(sums, group.reshape(-1), np.concatenate([places, forces], axis=1))
    first = np.searchsorted(keys[:, 0], np.arange(len(kept) + 1))
    columns = {
        "points": sums[:, 1:3] / sums[:, :1],
        "forces": sums[:, 3:5],
        "friction": sums[:, 5:],
    }
    packed = {name: Channel(each.astype(np.float32)).pack() for name, each in columns.items()}
    _, _, _, load, kind, _, sign = keys.T
    on_loads = np.where(sign > 0, load >= 0, kinds[kind] == "load").astype(np.uint8)
    return {"first": Channel(first, 1.0).pack(), "on_loads": Channel(on_loads).pack()} | packed
