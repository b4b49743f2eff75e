"""Figures are drawn without a screen."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
