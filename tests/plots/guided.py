"""A controller of a user's own that says where it leads."""

import dataclasses
from typing import Literal

import serpenoid as sp
from serpenoid.spec import Point, spec, tag


@spec
class Guided(sp.ControllerSpec):
    """Stands for a controller with waypoints; it is only drawn."""

    waypoints: tuple[Point, ...]
    kind: Literal["guided"] = tag(default="guided", kw_only=True)


def with_waypoints(run: sp.Trajectory, *waypoints: tuple[float, float]) -> sp.Trajectory:
    """The run as if such a controller had led it."""
    scenario = dataclasses.replace(run.scenario, controller=Guided(waypoints))
    return dataclasses.replace(run, scenario=scenario)
