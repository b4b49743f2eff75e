"""The command `plan-push`."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from serpenoid.cli.output import app, err, examples, show_table
from serpenoid.cli.run_commands import simulate_and_save
from serpenoid.cli.sources import ScenarioName, Settings, read_source
from serpenoid.control.constant_torque import ConstantTorque
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.model.actuator import Torque
from serpenoid.model.robot import Robot
from serpenoid.model.world import World
from serpenoid.scenario.scenario import Scenario

if TYPE_CHECKING:
    from serpenoid.analysis.pushing import Plan


@app.command(
    "plan-push",
    epilog=examples(
        "serpenoid plan-push push_disc",
        "serpenoid plan-push push_disc --direction 90 --torque 3 --out trial",
    ),
)
def plan(
    scenario: ScenarioName,
    direction: Annotated[
        float, typer.Option(metavar="DEG", help="Where to move the load, deg from the x axis.")
    ] = 0.0,
    torque: Annotated[
        float, typer.Option(metavar="NM", help="Largest torque of a joint, N m.")
    ] = 1.0,
    load: Annotated[int, typer.Option(metavar="K", help="Which load, from 0.")] = 0,
    link: Annotated[int, typer.Option(metavar="K", help="Link that pushes; 0 is the tail.")] = 0,
    settings: Settings = None,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for plan and run.")
    ] = Path("runs"),
) -> None:
    """Find the shape and torques that move a load with the least slip, and simulate the push."""
    # Takes longer to import than all the rest, and no other command needs it.
    from serpenoid.analysis.pushing import Touch, plan_push

    source = read_source(scenario, settings)
    base = source.scenario
    with source.located():
        robot, world = base.built
        if not 0 <= load < len(world.loads):
            there = f"loads 0 to {len(world.loads) - 1}" if world.loads else "none"
            raise InvalidInput(f"--load {load} is not allowed: there are {there} in world.loads")
        found = plan_push(
            robot,
            world.loads[load],
            direction,
            largest_torque=torque,
            touch=Touch(link=link),
            gravity=world.normal_gravity,
        )
    if neglected := _neglected(world):
        err.print(f"the plan does not think of {neglected}; the simulation does")
    simulate_and_save(
        _scenario(base, found, torque),
        source,
        folder / f"{source.output()}-push",
        lambda run, _path: _report(found, run, load, direction),
    )


def _neglected(world: World) -> str:
    """Forces in a world that a plan neglects."""
    there = {
        "ground friction under the robot": world.friction is not None or world.patches,
        "friction where it touches the load": world.contact.friction > 0,
        "the slope": world.slope_deg > 0,
        "pegs and walls": world.pegs or world.walls,
        "other loads": len(world.loads) > 1,
    }
    return ", ".join(words for words, acts in there.items() if acts)


def _scenario(base: Scenario, plan: Plan, torque: float) -> Scenario:
    """The scenario of a plan: the same world, torques instead of a gait."""
    drive = Torque(limit=torque)
    robot, actuator = base.robot, None
    if isinstance(robot, Robot):
        joints = tuple(dataclasses.replace(joint, actuator=drive) for joint in robot.joints)
        robot = dataclasses.replace(robot, joints=joints)
    else:
        actuator = drive
    return dataclasses.replace(
        base,
        robot=robot,
        actuator=actuator,
        controller=ConstantTorque(torques=tuple(plan.torques.tolist()), period=base.record.period),
        start=plan.start,
        title=f"{base.title or 'push'}, planned",
    )


def _report(plan: Plan, run: Trajectory, load: int, direction_deg: float) -> None:
    """Print the plan, its predictions, and the results of the simulation."""
    to = np.array([math.cos(math.radians(direction_deg)), math.sin(math.radians(direction_deg))])
    where = np.stack([run.columns[f"load_{axis}"][:, load] for axis in "xy"], axis=1)
    moved = where[-1] - where[0]
    first = max(1, run.row(run.time[0] + min(0.05, run.time[-1] - run.time[0])))
    speed = np.stack([run.columns[f"load_v{axis}"][first, load] for axis in "xy"]) @ to
    angles = ", ".join(f"{angle:.1f}" for angle in np.degrees(plan.angles))
    torques = ", ".join(f"{torque:.3g}" for torque in plan.torques)
    after = run.time[first] - run.time[0]
    show_table(
        "plan",
        [
            ["joint angles, deg", angles],
            ["torques, N m", torques],
            ["slippage ratio at first", f"{plan.slippage_ratio:.4f}"],
            ["force on the load at first, N", f"{plan.force:.3g}"],
            ["acceleration of the load at first, m/s2", f"{plan.acceleration:.4g}"],
        ],
    )
    show_table(
        "simulated",
        [
            [
                f"speed after {after:g} s, m/s",
                f"{speed:.4g} ({plan.acceleration * after:.4g} at that acceleration)",
            ],
            [f"moved in {run.time[-1] - run.time[0]:g} s, m", f"{moved @ to:.4g}"],
            ["and aside, m", f"{to[0] * moved[1] - to[1] * moved[0]:.3g}"],
        ],
    )
