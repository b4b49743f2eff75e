"""Pushing a load: constraint forces, accelerations, slippage, and the inputs that push best."""

from serpenoid.analysis.pushing.extremes import Extremes
from serpenoid.analysis.pushing.plan import Plan, plan_push
from serpenoid.analysis.pushing.projection import Projection, project
from serpenoid.analysis.pushing.push_dynamics import Pushing, Response
from serpenoid.analysis.pushing.specs import PushedLoad, PushWheels, Touch
from serpenoid.analysis.pushing.system import Ellipsoids, Maps, System

__all__ = [
    "Ellipsoids",
    "Extremes",
    "Maps",
    "Plan",
    "Projection",
    "PushWheels",
    "PushedLoad",
    "Pushing",
    "Response",
    "System",
    "Touch",
    "plan_push",
    "project",
]
