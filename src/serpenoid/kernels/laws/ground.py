"""All laws of the ground, stage by stage.

Each kernel here calls one stage of every law that has it, in the order of `GROUND_LAWS`. A stage
takes those of the kernel's arguments that it names. Numba cannot loop over functions, so the calls
are written out.
"""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from serpenoid.kernels._jit import jit_lines
from serpenoid.kernels.laws import GROUND_LAWS

_MODULES = {law: import_module(f"{__package__}.{law.name}") for law in GROUND_LAWS}


def _calls(stage: str, arguments: str, zero: str = "", entry: str = "") -> Callable[..., Any]:
    """A kernel that calls a stage of the laws that the robot needs.

    Args:
        stage: Name of the stage.
        arguments: Of the kernel, among them `robot`.
        zero: If what the stages return is to be added up, the sum of none.
        entry: If only laws of this entry of the ledger are called, the entry.
    """
    lines, stages = [f"total = {zero}"] if zero else [], {}
    for law, module in _MODULES.items():
        if hasattr(module, stage) and entry in ("", law.entry):
            stages[law.name] = getattr(module, stage)
            names = ", ".join(inspect.signature(stages[law.name]).parameters)
            add = "total += " if zero else ""
            # What a link needs is found by `set_coefficients` itself.
            flag = "" if stage == "set_coefficients" else f"if robot.{law.name}: "
            if "supports" in names:
                # Robots without support points, which have None, wait for no code of them.
                lines.append("if supports is not None:")
                flag = f"    {flag}"
            lines.append(f"{flag}{add}{law.name}({names})")
    return jit_lines(arguments, [*lines, "return total"] if zero else lines, **stages)


_SET_VALUED = [law.name for law, module in _MODULES.items() if hasattr(module, "residuals")]

# Before bounds and coefficients are set, which says which laws are needed.
need_none = jit_lines("robot", [f"robot.{law.name} = False" for law in GROUND_LAWS])
# Of a link in a step; weight: impulse of its weight, time: length of the step, both 0 if wheels
# carry it.
set_coefficients = _calls("set_coefficients", "robot, o, at, surface, weight, time, stiffness")
# What depends on the state before the step, such as the multipliers it starts from.
begin = _calls("begin", "blocks, robot, supports")
# Impulse and curvature at u, added to the quadratics; predict: on the pieces of the last step.
terms = _calls("terms", "blocks, robot, supports, predict")
# Impulses that the sweep has balanced; how many links are off the law.
update = _calls("update", "blocks, robot, supports, tolerance", "0")
# Whether there are laws with multipliers; the residuals of these, into the lanes.
is_set_valued = jit_lines(
    "robot", ["return " + " or ".join(f"robot.{name}" for name in _SET_VALUED)]
)
residuals = _calls("residuals", "blocks, robot, supports")
accept_multipliers = _calls("accept_multipliers", "blocks, robot, supports")
# What the next step starts from, of an accepted step.
accept = _calls("accept", "blocks, robot, supports")
# Works at the mean velocity of the step, J; impulses are added to those of links.
friction_works = _calls("works", "blocks, robot, supports", "0.0", "FRICTION")
damping_works = _calls("works", "blocks, robot, supports", "0.0", "DAMPING")
# The same of laws whose works are in their kinetic energy: that, after the step, J.
kinetic_energies = _calls("works", "blocks, robot, supports", "0.0", "KINETIC")
