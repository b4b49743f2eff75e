"""`run.plot`: the figures of a run as methods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from serpenoid.engine.trajectory import Trajectory
from serpenoid.plots import figures, heat_maps, path_figures, scenes
from serpenoid.plots.figures import LoadQuantity
from serpenoid.plots.selection import Tracked

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Plots:
    """Figures of a run, each on the Axes given or in a new figure; they return their Axes.

    Attributes:
        run: The run to draw.
    """

    run: Trajectory

    def path(
        self,
        ax: Axes | None = None,
        *,
        link: Tracked = None,
        times: Iterable[float] | None = None,
    ) -> Axes:
        """Path of a link, with snapshots of the robot and the contact forces on it.

        Args:
            ax: Axes to draw on; those of a new figure if not given.
            link: Number of the link, or 'com' for the centre of mass; the middle link if not given.
            times: Times of the snapshots, s; a few spread over the run if not given.
        """
        return scenes.path(self.run, ax, link=link, times=times)

    def snapshot(
        self,
        ax: Axes | None = None,
        *,
        time: float | None = None,
        number: bool | Sequence[object] = False,
    ) -> Axes:
        """The robot at one time, with the contact forces on it.

        Args:
            ax: Axes to draw on; those of a new figure if not given.
            time: Time, s; the end of the run if not given.
            number: Whether to number the links, or a list with a label for each link.
        """
        return scenes.snapshot(self.run, ax, time=time, number=number)

    def position(self, ax: Axes | None = None, *, link: Tracked = None) -> Axes:
        """Position of a link over time, x and y.

        Args:
            ax: Axes to draw on; those of a new figure if not given.
            link: Number of the link, or 'com' for the centre of mass; the middle link if not given.
        """
        return figures.position(self.run, ax, link=link)

    def speeds(self, ax: Axes | None = None) -> Axes:
        """Speed of the centre of mass over time."""
        return figures.speeds(self.run, ax)

    def joint_angles(self, ax: Axes | None = None, *, joints: Iterable[int] | None = None) -> Axes:
        """Joint angles over time, measured and wanted.

        Args:
            ax: Axes to draw on; those of a new figure if not given.
            joints: Numbers of the joints; a few from tail to head if not given.
        """
        return figures.joint_angles(self.run, ax, joints=joints)

    def torques(self, ax: Axes | None = None, *, joints: Iterable[int] | None = None) -> Axes:
        """Joint torques over time.

        Args:
            ax: Axes to draw on; those of a new figure if not given.
            joints: Numbers of the joints; a few from tail to head if not given.
        """
        return figures.torques(self.run, ax, joints=joints)

    def contact_forces(self, ax: Axes | None = None) -> Axes:
        """Size of the contact force on every link over time, as a map."""
        return heat_maps.contact_forces(self.run, ax)

    def contact_force_components(self, ax: Axes | None = None, *, link: int | None = None) -> Axes:
        """Contact force on one link over time, its x and y components.

        Args:
            ax: Axes to draw on; those of a new figure if not given.
            link: Number of the link; the one that is pushed most over the run if not given.
        """
        return figures.contact_force_components(self.run, ax, link=link)

    def stick_slip(self, ax: Axes | None = None) -> Axes:
        """Which links stick, slide and touch an obstacle over time, as a map."""
        return heat_maps.stick_slip(self.run, ax)

    def loads(self, ax: Axes | None = None, *, quantity: LoadQuantity = "distance") -> Axes:
        """Displacement of loads over time, or their speed, rotation or contact force.

        Args:
            ax: Axes to draw on; those of a new figure if not given.
            quantity: 'distance' from the start, 'speed', 'turn' or size of the contact 'force'.
        """
        return figures.loads(self.run, ax, quantity=quantity)

    def energy(self, ax: Axes | None = None) -> Axes:
        """Energy ledger over time: where the work came from and where it went."""
        return figures.energy(self.run, ax)

    def cross_track(self, ax: Axes | None = None) -> Axes:
        """Distance of the centre of mass to the left of the path over time."""
        return path_figures.cross_track(self.run, ax)

    def heading_error(self, ax: Axes | None = None) -> Axes:
        """Heading relative to the path over time."""
        return path_figures.heading_error(self.run, ax)

    def forward_velocity(self, ax: Axes | None = None) -> Axes:
        """Velocity of the centre of mass along the heading over time."""
        return path_figures.forward_velocity(self.run, ax)
