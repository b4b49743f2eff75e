"""Tables of the report: Table 2 beside ours, and the best gaits."""

from __future__ import annotations

import math

import numpy as np

from serpenoid.analysis.energy import Budget, cycles, tracking_error
from serpenoid.analysis.periodic import Steady
from serpenoid.engine.trajectory import Trajectory
from serpenoid.papers.colorado2010.experiments import SPEED, TESTS
from serpenoid.papers.colorado2010.optimum import Optimum
from serpenoid.papers.colorado2010.snake import (
    INEFFICIENT_ERROR,
    LENGTH,
    LINKS,
    SLIPPERY,
    TABLE_2,
    Ground,
    Shape,
)
from serpenoid.papers.paper import Results, table


def joint_error(run: Trajectory) -> float:
    """Root mean square joint error relative to the joint's motion, mean of the joints, per cent."""
    return 100 * float(tracking_error(run).share.mean())


@table("Table 2 beside ours")
def _table_2_rows(results: Results) -> list[list[str]]:
    tests: list[Steady] = results["tests"]
    errors = [joint_error(results[f"servo_{omega:g}"]) for omega in TESTS]
    lines: list[tuple[str, list[str]]] = [
        ("K_E, published (J)", [f"{column.kinetic:g}" for column in TABLE_2]),
        ("K_E, ours (J)", [f"{motion.kinetic:.2g}" for motion in tests]),
        ("P_L, published (W)", [f"{column.loss:.2g}" for column in TABLE_2]),
        ("P_L, ours (W)", [f"{motion.power:.2g}" for motion in tests]),
        ("P_L / K_E, published (1/s)", [f"{column.ratio:.3f}" for column in TABLE_2]),
        ("P_L / K_E, ours (1/s)", [f"{motion.power / motion.kinetic:.2f}" for motion in tests]),
        ("% P_L, as printed", [f"{column.share:g}" for column in TABLE_2]),
        ("100 P_L / K_E of the printed", [f"{100 * column.ratio:.2f}" for column in TABLE_2]),
        ("1 − P_L / K_E, published", [f"{column.efficiency:.2f}" for column in TABLE_2]),
        ("1 − P_L / K_E, ours", [_signed(1 - m.power / m.kinetic) for m in tests]),
        ("C_T M V² / P, ours", [f"{motion.efficiency:.3f}" for motion in tests]),
        ("speed, ours (cm/s)", [f"{100 * motion.speed:.2f}" for motion in tests]),
        ("error of the joints, published (%)", [f"{column.error:g}" for column in TABLE_2]),
        ("error of the joints with servos, ours (%)", [f"{error:.2g}" for error in errors]),
    ]
    head = ["", *(f"ω = {omega:g} rad/s" for omega in TESTS)]
    return [head, *([name, *values] for name, values in lines)]


@table("Length of a link that would explain Table 2")
def _length_rows(results: Results) -> list[list[str]]:
    """Energies and powers are proportional to the squared length."""
    rows = [["ω (rad/s)", "from K_E (m)", "from P_L (m)"]]
    for column, motion in zip(TABLE_2, results["tests"], strict=True):
        kinetic, loss = column.kinetic / motion.kinetic, column.loss / motion.power
        lengths = [f"{LENGTH * math.sqrt(ratio):.3f}" for ratio in (kinetic, loss)]
        rows.append([f"{column.omega:g}", *lengths])
    return rows


@table("Errors of the joints")
def _error_rows(results: Results) -> list[list[str]]:
    first, last = (joint_error(results[f"servo_{omega:g}"]) for omega in (TESTS[0], TESTS[-1]))
    published_first, published_last = TABLE_2[0].error, TABLE_2[-1].error
    other = joint_error(results["servo_inefficient"])
    ratios = {
        "inefficient by efficient, both at 3 rad/s": (
            INEFFICIENT_ERROR / published_last,
            other / last,
        ),
        "efficient, 3 rad/s by 0.25 rad/s": (published_last / published_first, last / first),
    }
    rows = [[words, *(f"{ratio:.1f}" for ratio in both)] for words, both in ratios.items()]
    return [["error of the joints", "published", "ours"], *rows]


@table(f"The paper's gaits on both grounds, at {100 * SPEED:g} cm/s")
def _surface_rows(results: Results) -> list[list[str]]:
    found: dict[tuple[Shape, Ground], Steady] = results["surfaces"]
    rows = [["ground", "gait", "ω (rad/s)", "power (W)", "P / (M V²) (1/s)", "C_T M V² / P"]]
    for (shape, ground), motion in found.items():
        rows.append([str(ground), str(shape), *_costs(motion)])
    best = next(o for o in results["links"] if o.links == LINKS)
    rows.insert(3, [str(SLIPPERY), f"{best.shape}, least power", *_costs(best.motion)])
    return rows


def _costs(motion: Steady) -> list[str]:
    omega = 2 * math.pi / motion.period
    return [
        f"{omega:.2f}",
        f"{motion.power:.3g}",
        f"{motion.specific_power:.1f}",
        f"{motion.efficiency:.3f}",
    ]


@table(f"Gaits of least power at {100 * SPEED:g} cm/s")
def _best_rows(results: Results) -> list[list[str]]:
    rows = [["links", "C_T/C_N", "α (rad)", "β (rad)", "ω (rad/s)", "power (W)", "C_T M V² / P"]]
    found: list[Optimum] = [*results["ratios"], *results["links"]]
    for optimum in found:
        ratio = optimum.ground.tangential / optimum.ground.normal
        omega, power, _, efficiency = _costs(optimum.motion)
        shape = [f"{optimum.shape.alpha:.3f}", f"{optimum.shape.beta:.3f}"]
        rows.append([str(optimum.links), f"{ratio:g}", *shape, omega, power, efficiency])
    return rows


@table("Two models of the same motion")
def _model_rows(results: Results) -> list[list[str]]:
    """Cycles of the engine's run once the start has died away; both begin at the same phase."""
    engine: Budget = cycles(results["circle"])
    recursion: Steady = results["tests"][-1]
    loss, speed = float(engine.loss[-1]), float(engine.speed[-1])
    kinetic, turn = float(engine.kinetic[-1]), float(engine.turn[-1])
    lines = [
        ("speed (cm/s)", 100 * speed, 100 * recursion.speed),
        ("turn in a period (deg)", np.degrees(turn), np.degrees(recursion.turn)),
        ("K_E (J)", kinetic, recursion.kinetic),
        ("P_L (W)", loss, recursion.power),
    ]
    head = ["circle, efficient, ω = 3 rad/s", "engine, 2 ms", "recursion"]
    return [head, *([name, f"{one:.4f}", f"{other:.4f}"] for name, one, other in lines)]


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
