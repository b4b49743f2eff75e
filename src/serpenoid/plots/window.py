"""A window that shows one picture after the other."""

from __future__ import annotations

import sys
import time as clock
from typing import Any

from serpenoid.plots.animation import Pixels


class Window:
    """Shows pictures in a window, which opens with the first one.

    Without a display it says so once and shows nothing.

    Args:
        title: Title of the window.
        pause: Least time from one picture to the next, s.
    """

    def __init__(self, title: str, pause: float) -> None:
        self._title, self._pause = title, pause
        self._image: Any = None
        self._blind = False
        self._due = 0.0

    def show(self, picture: Pixels) -> None:
        """Show a picture; nothing once the user has closed the window.

        Args:
            picture: Pixels, red, green and blue, (height, width, 3).
        """
        from matplotlib import pyplot

        if self._image is not None and not pyplot.fignum_exists(self._image.figure.number):
            self._image, self._blind = None, True
        if self._blind or (self._image is None and not self._open(picture)):
            return
        self._image.set_data(picture)
        canvas = self._image.figure.canvas
        canvas.draw_idle()
        # The event loop of the window handles its events meanwhile.
        left = self._due - clock.perf_counter()
        canvas.start_event_loop(max(left, 1e-3))
        self._due = clock.perf_counter() + self._pause

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._image is not None:
            from matplotlib import pyplot

            pyplot.close(self._image.figure)
            self._image = None

    def _open(self, picture: Pixels) -> bool:
        import matplotlib
        from matplotlib import pyplot
        from matplotlib.backends.registry import BackendFilter, backend_registry

        height, width, _ = picture.shape
        figure = pyplot.figure(self._title, figsize=(width / 100, height / 100), dpi=100)
        shown = backend_registry.list_builtin(BackendFilter.INTERACTIVE)  # type: ignore[no-untyped-call]
        if matplotlib.get_backend().lower() not in shown:
            pyplot.close(figure)
            print(
                "serpenoid: there is no display to open a window on; use render_mode='rgb_array'",
                file=sys.stderr,
            )
            self._blind = True
            return False
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        self._image = axes.imshow(picture)
        figure.show()
        return True
