"""`{environment} Crawl-v0`: what an environment sees, does and rewards, from its description."""

from __future__ import annotations

import math

from docutils import nodes
from making import note_what_was_made
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from serpenoid.envs.actions import MODES
from serpenoid.envs.task_batch import TaskBatch
from serpenoid.envs.tasks import TASKS, Task


def markdown(name: str) -> str:
    """Everything about an environment as Markdown."""
    task = TASKS[name]
    robot, n = task.robot(False), len(task.robot(False).links)
    parts = [f"{task.words} The robot has {n} links, is {robot.length:.3g} m long and weighs "]
    parts[0] += f"{robot.mass:.3g} kg."
    parts += [_observation(name), _actions(task, n), _rewards(task), _ends(task)]
    return "\n\n".join(parts)


def _table(head: str, rows: list[list[str]]) -> str:
    lines = [head.split("|"), ["---"] * (head.count("|") + 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _observation(name: str) -> str:
    batches = {mode: TaskBatch(name, 1, 1, {"action": mode}) for mode in MODES}
    rows, begin = [], 0
    for term, size in zip(batches["gait"].terms, batches["gait"].sizes, strict=True):
        place = str(begin) if size == 1 else f"{begin}–{begin + size - 1}"
        bound = "π" if term.bound == math.pi else f"{term.bound:g}"
        modes = [m for m, batch in batches.items() if term.name in {t.name for t in batch.terms}]
        only = f"; with {' and '.join(f'`{mode}`' for mode in modes)} only"
        words = term.words + (only if len(modes) < len(MODES) else "")
        rows.append([place, f"`{term.name}`", words, term.unit, f"±{bound}"])
        begin += size
    return _table("index|observation|what|unit|bounds", rows)


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
