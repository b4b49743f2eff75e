"""Figures are drawn without a screen; pages are shown in one browser."""

from __future__ import annotations

import matplotlib

from tests.plots.pages import tab, visit

__all__ = ["tab", "visit"]

matplotlib.use("Agg")
