"""`run.plot`: the figures of a run as methods."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from serpenoid.engine.trajectory import Trajectory
from serpenoid.plots import (
    contact_figures,
    energy_figures,
    figures,
    heat_maps,
    path_figures,
    scenes,
)
from serpenoid.plots.run_options import (
    check_options,
    docstring_without_run,
    figure_names,
    full_signature,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Options = ParamSpec("Options")


def _of_run(
    draw: Callable[Concatenate[Trajectory, Options], Axes],
) -> Callable[Concatenate[Plots, Options], Axes]:
    """A function that draws a run as a method of `Plots`, with its docstring."""

    @functools.wraps(draw)
    def method(self: Plots, /, *args: Options.args, **options: Options.kwargs) -> Axes:
        check_options(draw, options)
        return draw(self.run, *args, **options)

    # A method is not given the run; its options are shown by name.
    _run, *rest = full_signature(draw).parameters.values()
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    vars(method)["__signature__"] = inspect.Signature([itself, *rest])
    method.__doc__ = docstring_without_run(draw)
    return method


@dataclass(frozen=True)
class Plots:
    """Figures of a run, each on the Axes given or in a new figure; they return their Axes.

    Attributes:
        run: The run to draw.
    """

    run: Trajectory

    path = _of_run(scenes.path)
    snapshot = _of_run(scenes.snapshot)
    position = _of_run(figures.position)
    speeds = _of_run(figures.speeds)
    joint_angles = _of_run(figures.joint_angles)
    torques = _of_run(figures.torques)
    contacts = _of_run(contact_figures.contacts)
    contact_forces = _of_run(heat_maps.contact_forces)
    contact_force_components = _of_run(figures.contact_force_components)
    stick_slip = _of_run(heat_maps.stick_slip)
    loads = _of_run(figures.loads)
    energy = _of_run(energy_figures.energy)
    cross_track = _of_run(path_figures.cross_track)
    heading_error = _of_run(path_figures.heading_error)
    forward_velocity = _of_run(path_figures.forward_velocity)

    def __dir__(self) -> list[str]:
        return figure_names(type(self))
