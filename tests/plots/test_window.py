"""A window shows pictures at their pace, and its absence stops nothing."""

from __future__ import annotations

import time

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from serpenoid.plots.window import Window

DARK, LIGHT = (np.full((20, 30, 3), value, np.uint8) for value in (10, 240))


def test_without_a_display_it_says_so_once(capsys: pytest.CaptureFixture[str]) -> None:
    matplotlib.use("Agg")
    window = Window("a robot", 0.0)
    window.show(DARK)
    window.show(LIGHT)
    window.close()
    assert capsys.readouterr().err.count("there is no display") == 1
    assert not pyplot.get_fignums()


def test_pictures_follow_each_other_at_their_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    # A backend that draws, and is taken for one that shows.
    matplotlib.use("Agg")
    monkeypatch.setattr(matplotlib, "get_backend", lambda: "TkAgg")
    monkeypatch.setattr(Figure, "show", lambda _: None)
    window = Window("a robot", 0.1)
    window.show(DARK)
    begin = time.perf_counter()
    window.show(LIGHT)
    assert time.perf_counter() - begin > 0.08
    figure = pyplot.figure("a robot")
    figure.canvas.draw()
    assert np.asarray(figure.canvas.buffer_rgba())[10, 15, 0] == 240  # type: ignore[attr-defined]
    # Closed by hand, it stays closed.
    pyplot.close(figure)
    window.show(DARK)
    assert not pyplot.get_fignums()
    window.close()
