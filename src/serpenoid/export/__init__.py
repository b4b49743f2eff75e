"""Scenarios for other programs: `mjcf` writes them as MuJoCo models."""

from serpenoid.export.mjcf_document import mjcf

__all__ = ["mjcf"]
