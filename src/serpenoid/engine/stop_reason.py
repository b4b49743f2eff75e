"""Why a robot cannot go on, in one sentence: time, what is in the way, law, remedy."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.engine.contact_decoding import obstacle_name
from serpenoid.kernels import layout
from serpenoid.model.world import World

_WHAT = {
    layout.NO_CONVERGENCE: "the step did not converge",
    layout.NOT_FINITE: "the motion is no longer finite",
    layout.TOO_DEEP: "an obstacle was entered too deeply",
    layout.TOO_FAST: "a link outran the search for contacts",
    layout.TOO_ROUGH: "the links turn too fast for the hinges to be closed without work",
    layout.CREATES_ENERGY: "contacts would create energy",
}
# Sine of the angle between two links that counts as none.
_FLAT = 0.1

# A world, and the same as the kernels take it.
PackedPlace = tuple[World, layout.PackedWorld]


def stop_reason(body: layout.Body, status: int, time: float, place: PackedPlace) -> tuple[str, str]:
    """Why the step of a robot failed, and what to do about it; "" if only its method knows that.

    Args:
        body: The robot, as the failed step has left it.
        status: That of the step.
        time: At the beginning of the step, s.
        place: Where it is.
    """
    index, law, lane, _ = (int(value) for value in body.blame)
    where, who = "", _body_name(body, index)
    what, remedy = _WHAT[status], ""
    if status == layout.TOO_DEEP and lane >= 0:
        what = "they overlap too deeply"
    if law == layout.CONTACT_LAW:
        where, remedy = f", contact of {who} with {_touched(body, place)}", _remedy(body)
    elif law == layout.GROUND_LAW:
        where = f", ground friction of {who}"
    elif law == layout.LIMIT_LAW:
        where = f", limit of joint {index}"
    elif status == layout.TOO_ROUGH and (body.joints["actuator"] == layout.PRESCRIBED).any():
        remedy = "tell prescribed joints their rates, and nothing that jumps, or try servos"
    return f"stopped at t = {time:g} s{where}: {what}", remedy


def _body_name(body: layout.Body, number: int) -> str:
    """A link or load, links first."""
    n = len(body.links)
    return f"link {number}" if number < n else f"load {number - n}"


def _touched(body: layout.Body, place: PackedPlace) -> str:
    """What the contact that is blamed is with."""
    index, _, lane, obstacle = (int(value) for value in body.blame)
    n = len(body.links)
    if lane >= 0:
        return _body_name(body, lane if lane < n else n + lane - int(body.robot[0].load_lane))
    if obstacle < 0:
        return "world.terrain"
    record: Any = body.bodies[index]
    item = obstacle if index < n else obstacle // layout.CODES
    return obstacle_name(item, (float(record.x), float(record.y)), *place)


def _remedy(body: layout.Body) -> str:
    """What to do about a contact that no step can keep; "" if that depends on the method."""
    index, _, lane, _ = (int(value) for value in body.blame)
    links, joints = body.links.view(np.ndarray), body.joints.view(np.ndarray)
    between = slice(None)
    if lane >= 0 and max(index, lane) < len(links):
        between = slice(min(index, lane), max(index, lane))
        angle = np.diff(links["theta"])[between]
        folded = np.flatnonzero(np.cos(angle) < 0.0)
        if len(folded) and np.abs(np.sin(angle)).max() < _FLAT:
            joint = between.start + int(folded[0])
            return (
                f"these links have folded flat, which limits_deg of joint {joint}, such as "
                "(-150, 150), would keep them from"
            )
    if (joints["actuator"][between] == layout.PRESCRIBED).all() and len(joints):
        return (
            "prescribed joints do not yield to what is in the way; try another gait, or servos in "
            "their place"
        )
    return ""
