"""Export of scenarios to other programs; `mjcf` writes MuJoCo models."""

from serpenoid.export.mjcf_document import mjcf

__all__ = ["mjcf"]
