"""Stability of the adaptation to contact forces: poles, critical gains, a gain that is stable."""

from serpenoid.analysis.contact_stability.gains import (
    StabilityMap,
    stability_map,
    stable_gain,
    wave_shapes,
    worst_contacts,
)
from serpenoid.analysis.contact_stability.growth import Growth, measure_growth
from serpenoid.analysis.contact_stability.loop import ContactLoop, contact_loop
from serpenoid.analysis.contact_stability.rest import AtRest, at_rest

__all__ = [
    "AtRest",
    "ContactLoop",
    "Growth",
    "StabilityMap",
    "at_rest",
    "contact_loop",
    "measure_growth",
    "stability_map",
    "stable_gain",
    "wave_shapes",
    "worst_contacts",
]
