"""Controllers put together from parts, with the numbers that were found to work."""

from __future__ import annotations

from serpenoid.control.guidance import Guidance
from serpenoid.control.parts import (
    Adaptation,
    Follower,
    Heading,
    Recovery,
    References,
    SpreadLimit,
)


def adaptive_path_following(path: Guidance) -> References:
    """Path following among pegs [liljeback2011], made to work with contact on the outline.

    DOC
    """
    parts = (
        Follower(60.0, 40.0, delay=0.6),
        Adaptation(0.02, limit_deg=23.0),
        Heading(1.3, look_ahead=0.7, path=path),
        Recovery(distance=0.1, time=5.0, back=5.0),
        SpreadLimit(180.0),
    )
    return References(parts=parts, cutoff=20.0)
