"""Poles of the adaptation to contact forces beside growth rates measured in simulations.

    python -m benchmarks.contact_growth         24 contact sets, half a minute of CPU time

Robots, shapes, links in contact, sides, servos, filters and gains are drawn at random by a seed;
sets whose largest pole is right of 1 1/s and whose weakest contact has a twentieth of the mean
force are taken, in the order in which they are drawn. Each runs with `hybrid` and ticks every 0.1
ms from rest, disturbed by 1e-6 rad. Prints the table of the page Stability and writes it to
docs/_static/contact_growth.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg

import serpenoid as sp
from serpenoid.analysis.contact_stability import ContactLoop, contact_loop, measure_growth

OUTPUT = Path(__file__).parents[1] / "docs" / "_static" / "contact_growth.md"
SETS, SEED = 24, 1
# The largest error allowed of a rate, relative.
BOUND = 0.1
# Mean contact force at rest, N.
PRELOAD = 20.0
# Time between ticks of the controller, s.
PERIOD = 1e-4


@dataclass(frozen=True, eq=False)
class ContactSet:
    """A robot at rest among contacts, and its gain.

    Attributes:
        loop: The robot and its contacts.
        gain: Gain of the adaptation, rad/N.
    """

    loop: ContactLoop
    gain: float

    @property
    def pole(self) -> complex:
        """The pole with the largest real part, 1/s."""
        return complex(self.loop.poles(self.gain)[0])

    def measure(self) -> tuple[float, float]:
        """Rate, 1/s, and angular frequency, rad/s, in a simulation."""
        found = measure_growth(self.loop, self.gain, duration=20 / self.pole.real)
        return found.rate, found.frequency


def draw_sets(count: int = SETS, seed: int = SEED) -> list[ContactSet]:
    """Draw contact sets that are unstable and press on all their pegs."""
    random = np.random.default_rng(seed)
    sets: list[ContactSet] = []
    while len(sets) < count:
        drawn = _draw(random)
        links = list(drawn.loop.contacts)
        if drawn.pole.real > 1 and np.abs(drawn.loop.forces[links]).min() > PRELOAD / 20:
            sets.append(drawn)
    return sets


def _draw(random: np.random.Generator) -> ContactSet:
    """A set, stable or not."""
    n = int(random.integers(4, 11))
    servo = sp.Servo(float(random.choice([10, 20, 40])), float(random.choice([2, 5, 10])))
    robot = sp.Robot.uniform(n, length=0.14, mass=1.0, inertia=0.0016, radius=0.005, actuator=servo)
    angles = random.uniform(-60, 60, n - 1).tolist()
    count = int(random.integers(4, min(n, 6) + 1))
    begin = int(random.integers(0, n - count + 1))
    scattered = sorted(random.choice(n, count, replace=False).tolist())
    links = scattered if random.random() < 0.5 else list(range(begin, begin + count))
    # Sides from which some forces balance.
    bare = contact_loop(robot, angles, dict.fromkeys(links, "left"))
    balanced = scipy.linalg.null_space(bare.chain.balance()[:, links])
    pushes = balanced @ random.normal(size=balanced.shape[1])
    sides: Any = {
        link: "right" if push > 0 else "left" for link, push in zip(links, pushes, strict=True)
    }
    cutoff = float(random.choice([0.5, 0.75, 1.5]))
    loop = contact_loop(robot, angles, sides, cutoff=cutoff, preload=PRELOAD, period=PERIOD)
    return ContactSet(loop, float(random.choice([0.01, 0.02, 0.04])))


def table(sets: list[ContactSet], measured: list[tuple[float, float]]) -> str:
    """The table; measured: rates and frequencies."""
    lines = [
        "| links | in contact | kP, kD | cutoff (Hz) | gain (rad/N) | pole without ticks (1/s) | "
        "pole (1/s) | measured (1/s) | error of the rate |",
        "|---" * 9 + "|",
    ]
    for drawn, (rate, frequency) in zip(sets, measured, strict=True):
        loop, pole = drawn.loop, drawn.pole
        touching = ", ".join(
            f"{link}{'l' if side == 'left' else 'r'}" for link, side in loop.contacts.items()
        )
        smooth = complex(replace(loop, period=None).poles(drawn.gain)[0])
        error = 100 * (rate / pole.real - 1)
        lines.append(
            f"| {len(loop.forces)} | {touching} | {loop.kp[0]:g}, {loop.kd[0]:g} | {loop.cutoff:g} "
            f"| {drawn.gain:g} | {_shown(smooth)} | {_shown(pole)} "
            f"| {_shown(complex(rate, frequency))} | {error:+.2f} % |"
        )
    errors = [
        abs(rate / each.pole.real - 1) for each, (rate, _) in zip(sets, measured, strict=True)
    ]
    lines += [
        "",
        f"Largest error of {len(sets)} sets: {100 * max(errors):.1f} %, median "
        f"{100 * np.median(errors):.1f} %. Letters are the sides of the pegs.",
    ]
    return "\n".join(lines) + "\n"


def _shown(pole: complex) -> str:
    return f"{pole.real:.2f}" + (f" ± {abs(pole.imag):.1f} i" if pole.imag else "")


def main() -> None:
    """Measure, print and keep."""
    sets = draw_sets()
    text = table(sets, [each.measure() for each in sets])
    print(text)
    OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
