"""What a command says of a run: printed, and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from serpenoid.control.own import source_of
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.files import json_numbers
from serpenoid.scenario.scenario import Scenario


def print_summary(result: Trajectory, console: Console) -> None:
    """Print speed, energy and certificate of a run."""
    columns, energy = result.columns, result.energy()
    console.print(str(result), style="bold")
    spent = ", ".join(
        f"{name} {value:+.3g} J" for name, value in energy.items() if abs(value) > 1e-9
    )
    console.print(f"energy: {spent or 'none moved'}")
    lost = f"{int(columns['halvings'].sum())} steps halved"
    if "integrator_steps" in columns:
        lost = f"{int(columns['integrator_steps'].sum())} integrator steps"
    if "unresolved_modes" in columns:
        lost = f"{int(columns['unresolved_modes'].sum())} contact modes unresolved"
    console.print(
        f"certificate: law residual {columns['law_residual'].max():.1e} m/s, penetration "
        f"{1000 * columns['penetration'].max():.3f} mm, energy unaccounted "
        f"{energy['residual']:.0e} J, {lost}"
    )
    span = result.time[-1] - result.time[0]
    if result.stepping_seconds > 0:
        speed = span / result.stepping_seconds
        console.print(
            f"{span:g} s stepped in {result.stepping_seconds:.3g} s, {speed:.0f} x real time"
        )


def about_scenario(scenario: Scenario) -> dict[str, Any]:
    """What a scenario describes: words to values that JSON can hold.

    Args:
        scenario: The scenario; nothing is run.
    """
    robot, world = scenario.built
    controller = scenario.controller
    return {
        "title": scenario.title,
        "robot": str(robot),
        "world": str(world).removeprefix("World: "),
        "controller": None if controller is None else getattr(controller, "kind", "python"),
        **_about_code(controller),
        "solver": getattr(scenario.solver, "kind", ""),
        "seed": scenario.seed,
        "duration": scenario.clock.duration,
        "time_step": scenario.clock.time_step,
        "record_period": scenario.record.period,
        "contacts": scenario.record.contacts,
    }


def _about_code(controller: object) -> dict[str, str]:
    """Source and file of a controller in Python that a scenario names; nothing is imported."""
    place = source_of(controller)
    if place is None:
        return {}
    try:
        file = str(place.file())
    except InvalidInput:
        file = "not found"
    return {"source": place.text, "source_file": file}


def about_run(run: Trajectory) -> dict[str, Any]:
    """Which scenario a run is of, and how far it got; `duration` is what was asked for.

    Args:
        run: The run.
    """
    return {
        **about_scenario(run.scenario),
        "start": float(run.time[0]),
        "end": float(run.time[-1]),
        "rows": len(run.time),
        "continued": run.scenario.continued,
        "numerical_share": run.numerical_share,
    }


def run_as_json(result: Trajectory, path: Path) -> dict[str, Any]:
    """A run in words and numbers that JSON can hold: what it is, energies, measures, certificate.

    Args:
        result: The run.
        path: Its file.
    """
    # They import Numba, which no other command needs so soon.
    from serpenoid.analysis.measures import measures
    from serpenoid.analysis.metrics import certificate

    found = measures(result)
    return {
        "file": str(path),
        **about_run(result),
        "energy": json_numbers(result.energy()),
        "measures": json_numbers(dict(found)),
        "units": dict(found.units),
        "left_out": dict(found.left_out),
        "certificate": json_numbers(certificate(result)),
    }
