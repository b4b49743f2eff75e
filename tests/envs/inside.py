"""The robots inside environments, which tests move and break."""

from typing import Any

from serpenoid.engine.batch import Batch


def robots_of(env: Any) -> Any:
    """The robots of an environment or a vector of them, with their task and what they see."""
    return env.unwrapped.task_batch


def batch_of(env: Any) -> Batch:
    """The same as the engine has them."""
    batch: Batch = robots_of(env).batch
    return batch


def put_load_into_goal(env: Any, robot: int = 0, aside: float = 0.0) -> None:
    """Put the load of a robot that has just been reset into its goal, m aside."""
    goal = robots_of(env).now.goal[robot] + aside
    _put(env, robot, {"world.loads[0].x": goal[0], "world.loads[0].y": goal[1]})


def let_next_step_fail(env: Any, robot: int = 0) -> None:
    """Put a robot that spins faster than any step can follow in the place of another."""
    _put(env, robot, {"start.spin_deg": 1e9})


def _put(env: Any, robot: int, changes: dict[str, Any]) -> None:
    scenario = robots_of(env).scenarios[robot]
    batch_of(env).put(robot, scenario.changed(changes))
