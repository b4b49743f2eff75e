"""What an environment sees, does and rewards, from its description."""

from __future__ import annotations

import math
from pathlib import Path

from docs._pages.writing import table
from serpenoid.envs.actions import MODES
from serpenoid.envs.task_batch import TaskBatch
from serpenoid.envs.tasks import TASKS, Task
from serpenoid.envs.variation import variable


def markdown(_page: Path, name: str) -> str:
    """Everything about an environment as Markdown."""
    task = TASKS[name]
    robot, _ = task.scenario(False).built
    n = len(robot.links)
    parts = [f"{task.words} The robot has {n} links, is {robot.length:.3g} m long and weighs "]
    parts[0] += f"{robot.mass:.3g} kg."
    parts += [_observation(name), _actions(task, n), _rewards(task), _ends(task)]
    return "\n\n".join(parts)


def _observation(name: str) -> str:
    # Tasks have no controllers of their own, which other actions are added to.
    own = [mode for mode, kind in MODES.items() if not kind.on_top]
    batches = {mode: TaskBatch(name, 1, 1, {"action": mode}) for mode in own}
    rows, begin = [], 0
    for term, size in zip(batches["gait"].terms, batches["gait"].sizes, strict=True):
        place = str(begin) if size == 1 else f"{begin}–{begin + size - 1}"
        bound = "π" if term.bound == math.pi else f"{term.bound:g}"
        modes = [m for m, batch in batches.items() if term.name in {t.name for t in batch.terms}]
        only = f"; with {' and '.join(f'`{mode}`' for mode in modes)} only"
        words = term.words + (only if len(modes) < len(own) else "")
        rows.append([place, f"`{term.name}`", words, term.unit, f"±{bound}"])
        begin += size
    return table(("index", "observation", "what", "unit", "bounds"), rows)


def _actions(task: Task, n: int) -> str:
    rows = [
        ["`joint_targets`", str(n - 1), f"1 is {task.joint_deg:g} degrees"],
        ["`joint_torques`", str(n - 1), f"1 is {task.joint_torque:g} N m"],
        ["`gait`", "4", "[amplitude, frequency, phase, offset](#actions)"],
    ]
    return table(("action", "numbers", "scale"), rows)


def _rewards(task: Task) -> str:
    rows = [[f"`reward_{r.name}`", f"{r.weight:g}", r.words] for r in task.rewards]
    return table(("part of the reward", "weight", "what"), rows)


def _ends(task: Task) -> str:
    ends = [end.words for end in task.ends]
    if task.goal is not None:
        ends.insert(0, task.goal.words)
    over = f"An episode is terminated when {', or when '.join(ends)}; it" if ends else "An episode"
    keys = ", ".join(f"`{key}`" for key in variable(task.scenario(False)))
    return f"{over} is truncated after {task.steps} control periods. `randomise` takes {keys}."
