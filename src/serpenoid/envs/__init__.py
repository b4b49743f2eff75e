"""Environments for Gymnasium; importing this module registers them as serpenoid/Crawl-v0 etc.

Needs `pip install 'serpenoid[rl]'`.
"""

from __future__ import annotations

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "serpenoid.envs needs Gymnasium: pip install 'serpenoid[rl]'", name="gymnasium"
    ) from error

from serpenoid.envs.environment import SerpenoidEnv
from serpenoid.envs.tasks import TASKS
from serpenoid.envs.vector import SerpenoidVectorEnv

__all__ = ["SerpenoidEnv", "SerpenoidVectorEnv"]


def __dir__() -> list[str]:
    return sorted(__all__)


for _name, _task in TASKS.items():
    gymnasium.register(
        f"serpenoid/{_name}",
        entry_point="serpenoid.envs:SerpenoidEnv",
        vector_entry_point="serpenoid.envs:SerpenoidVectorEnv",
        max_episode_steps=_task.steps,
        kwargs={"task": _name},
    )
