"""What a notebook shows of runs, scenarios, robots and worlds."""

from __future__ import annotations

import html
from typing import Any

from serpenoid.engine.runs_by_name import Runs
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import SerpenoidError
from serpenoid.model.robot import Robot
from serpenoid.model.world import World
from serpenoid.plots.still import draw_still
from serpenoid.plots.viewer import page
from serpenoid.scenario.scenario import Scenario

# Characters of the data of a player inside a notebook, which keeps a copy of each.
_BUDGET = 900_000
# Height of a player inside a notebook, pixels.
_HEIGHT = 690
# Greatest height of a drawing, pixels.
_TALLEST = 380
_CELL = "text-align:left;vertical-align:top;padding:2px 12px 2px 0"

Rows = dict[str, object]


def shown(value: Any) -> str | None:
    """HTML of a value; None where there is nothing to draw, so that its line of text is shown.

    Nothing is simulated, and no controller is imported.

    Args:
        value: A run, a scenario, a robot or a world.
    """
    try:
        if isinstance(value, Trajectory):
            return player(value)
        rows = _rows(value)
        return None if rows is None else _table(str(value), rows) + _drawing(value)
    except SerpenoidError:
        return None


def player(run: Trajectory) -> str:
    """A run's summary, and below it the page that plays it, in a frame of its own."""
    return frame(run, str(run), str(run.robot.name))


def frame(run: Trajectory | Runs, summary: str, name: str, title: str | None = None) -> str:
    """A summary of runs, and below it the page that plays them, in a frame.

    The frame is closed off: it can run its own script and save files, and nothing else.

    Args:
        run: The run, or several by name.
        summary: What stands above the frame.
        name: What it plays, for screen readers.
        title: Heading of the page, as in `page`.
    """
    text = html.escape(page(run, title, budget=_BUDGET))
    return (
        f"<p>{html.escape(summary)}</p>"
        f'<iframe title="{html.escape(name)}, a player" srcdoc="{text}" '
        'sandbox="allow-scripts allow-downloads" loading="lazy" '
        f'style="width:100%;height:{_HEIGHT}px;border:1px solid #8884;border-radius:8px"></iframe>'
    )


def _rows(value: object) -> Rows | None:
    """What the table beside a drawing says."""
    if isinstance(value, Robot):
        return _of_robot(value)
    if isinstance(value, World):
        return _of_world(value)
    if not isinstance(value, Scenario):
        return None
    robot, world = value.built
    start, clock = value.start, value.clock
    return {
        "robot": str(robot),
        "world": str(world).removeprefix("World: "),
        "controller": "none" if value.controller is None else value.controller,
        "start": f"({start.x:g}, {start.y:g}) m, heading {start.heading_deg:g} deg",
        "clock": f"{clock.duration:g} s in steps of {clock.time_step:g} s",
        "solver": value.solver,
    }


def _of_robot(robot: Robot) -> Rows:
    lengths = sorted({link.length for link in robot.links})
    drives: list[object] = []
    for joint in robot.joints:
        if joint.actuator not in drives:
            drives.append(joint.actuator)
    return {
        "links": len(robot.links),
        "length": f"{robot.length:.3g} m, links of {_range(lengths)} m",
        "mass": f"{robot.mass:.3g} kg",
        "actuator": ", ".join(map(str, drives[:3])) + (", ..." if len(drives) > 3 else ""),
    }


def _range(values: list[float]) -> str:
    low, high = values[0], values[-1]
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"


def _of_world(world: World) -> Rows:
    things = {"pegs": world.pegs, "walls": world.walls, "loads": world.loads}
    counts = {name: len(some) for name, some in (things | {"patches": world.patches}).items()}
    ground = {"terrain": world.terrain} if world.plane == "vertical" else {}
    slope = {"slope": f"{world.slope_deg:g} deg"} if world.slope_deg else {}
    friction = {} if ground else {"friction": world.friction or "none"}
    return ground | friction | slope | {name: n for name, n in counts.items() if n}


def _table(title: str, rows: Rows) -> str:
    lines = "".join(
        f'<tr><th scope="row" style="{_CELL}">{name}</th>'
        f'<td style="{_CELL}">{html.escape(str(value))}</td></tr>'
        for name, value in rows.items()
        if str(value)
    )
    return f"<p>{html.escape(title)}</p><table>{lines}</table>"


def _has_parts(world: World) -> bool:
    """Whether there is anything to draw of a world."""
    return bool(world.pegs or world.walls or world.loads or world.patches or world.terrain)


def _drawing(value: Scenario | Robot | World) -> str:
    """The drawing as SVG inside the page."""
    from serpenoid.plots import render

    if isinstance(value, World) and not _has_parts(value):
        return ""
    svg = render(draw_still(value), "svg").decode("utf-8")
    # Inside a page there is no header, and the drawing fits the cell.
    svg = svg[svg.index("<svg") :]
    words = f'role="img" aria-label="{html.escape(str(value))}"'
    look = f"max-width:100%;height:auto;max-height:{_TALLEST}px"
    return svg.replace("<svg ", f'<svg {words} style="{look}" ', 1)
