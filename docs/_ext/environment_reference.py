"""`{environment} Crawl-v0`: what an environment sees, does and rewards, from its description."""

from __future__ import annotations

import math

from docutils import nodes
from making import note_what_was_made
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from serpenoid.envs.actions import MODES, Action
from serpenoid.envs.tasks import TASKS, Task
from serpenoid.envs.terms import Term


def markdown(name: str) -> str:
    """Everything about an environment as Markdown."""
    task = TASKS[name]
    robot, n = task.robot(False), len(task.robot(False).links)
    parts = [f"{task.words} The robot has {n} links, is {robot.length:.3g} m long and weighs "]
    parts[0] += f"{robot.mass:.3g} kg."
    parts += [_observation(task, n), _actions(task, n), _rewards(task), _ends(task)]
    return "\n\n".join(parts)


def _table(head: str, rows: list[list[str]]) -> str:
    lines = [head.split("|"), ["---"] * (head.count("|") + 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _observation(task: Task, n: int) -> str:
    rows, begin = [], 0
    for term in task.observation:
        row, begin = _row(term, n, begin)
        rows.append(row)
    for term in MODES["gait"](1, n - 1, 1.0, 1.0).terms:
        row, begin = _row(term, n, begin)
        modes = [mode for mode, kind in MODES.items() if term.name in _names(kind, n)]
        row[2] = f"with {' and '.join(f'`{mode}`' for mode in modes)} only: {row[2]}"
        rows.append(row)
    return _table("index|observation|what|unit|bounds", rows)


def _row(term: Term, n: int, begin: int) -> tuple[list[str], int]:
    """A part of the observation that begins at an index, and the index of the next."""
    end = begin + term.size(n)
    place = str(begin) if end == begin + 1 else f"{begin}–{end - 1}"
    bound = "π" if term.bound == math.pi else f"{term.bound:g}"
    return [place, f"`{term.name}`", term.words, term.unit, f"±{bound}"], end


def _names(kind: type[Action], n: int) -> list[str]:
    return [term.name for term in kind(1, n - 1, 1.0, 1.0).terms]


def _actions(task: Task, n: int) -> str:
    rows = [
        ["`joint_targets`", str(n - 1), f"1 is {task.joint_deg:g} degrees"],
        ["`joint_torques`", str(n - 1), f"1 is {task.joint_torque:g} N m"],
        ["`gait`", "4", "[amplitude, frequency, phase, offset](#actions)"],
    ]
    return _table("action|numbers|scale", rows)


def _rewards(task: Task) -> str:
    rows = [[f"`reward_{r.name}`", f"{r.weight:g}", r.words] for r in task.rewards]
    return _table("part of the reward|weight|what", rows)


def _ends(task: Task) -> str:
    ends = [end.words for end in task.ends]
    if task.goal is not None:
        ends.insert(0, task.goal.words)
    over = f"An episode is terminated when {', or when '.join(ends)}; it" if ends else "An episode"
    keys = ", ".join(f"`{key}`" for key in task.varies)
    return f"{over} is truncated after {task.steps} control periods. `randomise` takes {keys}."


class EnvironmentReference(SphinxDirective):
    """An environment by its name."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write it in Markdown and have that parsed."""
        note_what_was_made(self.env, __file__)
        return self.parse_text_to_nodes(markdown(self.arguments[0]))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("environment", EnvironmentReference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
