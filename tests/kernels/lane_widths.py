"""Short runs with blocks of another width: python -m tests.kernels.lane_widths SHIFT [POISON].

With POISON, a number, idle lanes are filled with it before every step but for what makes them so.

The kernels are not compiled, so that each width takes seconds, not minutes. `block_layout`, which
all others take the width from, is changed as it is imported.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import types
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any

NAME = "serpenoid.kernels.block_layout"


class Loader(SourceFileLoader):
    """Loads `block_layout` with blocks of 2**shift lanes."""

    shift = 3

    def get_code(self, _fullname: str) -> types.CodeType:
        """Compiled from the changed source, never from the cache of bytecode."""
        source = Path(self.path).read_text()
        assert source.count("\nSHIFT = 3\n") == 1
        return compile(
            source.replace("\nSHIFT = 3\n", f"\nSHIFT = {self.shift}\n"), self.path, "exec"
        )


class Finder(PathFinder):
    """Finds `block_layout` for that loader, and nothing else."""

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Any:
        """Where the module is, if it is that one."""
        spec = super().find_spec(fullname, path, target) if fullname == NAME else None
        if spec is not None and spec.origin is not None:
            spec.loader = Loader(fullname, spec.origin)
        return spec


def set_width(shift: int) -> None:
    """Let blocks have 2**shift lanes."""
    Loader.shift = shift
    sys.meta_path.insert(0, Finder)


def scenarios() -> dict[str, Any]:
    """Name and run of robots with all kinds of laws, their numbers of links no multiples of 4."""
    import serpenoid as sp

    mixed = sp.DirectionalCoulomb(0.1, 0.3, 0.5) + sp.Viscous(0.5, 2.0)
    rough = sp.Contact(friction=0.2, restitution=0.3)

    def peg_row(
        n: int, friction: sp.FrictionLaw = mixed, law: sp.Contact = rough, **options: Any
    ) -> sp.Trajectory:
        robot = sp.Robot.uniform(n, length=0.12, mass=0.6, radius=0.02, **options)
        at = [0.12 * i - 0.06 * (n - 1) for i in range(n)]
        pegs = [sp.Peg(x, side * 0.051, 0.03) for x in at for side in (-1, 1)]
        world = sp.World(friction, pegs=pegs, contact=law, slope_deg=5)
        start = sp.Start(velocity=(0.2, 0.4), spin_deg=20.0)
        gait = sp.Serpenoid(amplitude_deg=-0.2, frequency_deg=900.0, phase_deg=-50.0)
        return sp.simulate(robot, world, gait, 0.012, start=start, record_period=2e-3)

    def push() -> sp.Trajectory:
        robot = sp.Robot.uniform(3, length=0.1, mass=0.5, radius=0.02, actuator=sp.Servo(20.0, 1.0))
        loads = (
            sp.Disc(0.182, 0.0, 0.2, radius=0.03, friction=0.3),
            sp.Box(0.243, 0.0, 0.3, width=0.06, height=0.1, friction=0.3),
        )
        wall = sp.Wall(points=((0.2735, -1.0), (0.2735, 1.0)))
        law = sp.Contact(friction=0.2)
        world = sp.World(sp.Coulomb(0.2), loads=loads, walls=(wall,), contact=law)
        start = sp.Start(joint_angles_deg=(0.0, 0.0), velocity=(1.0, 0.1))
        return sp.simulate(robot, world, None, 0.006, start=start, record_period=2e-3)

    def gallery(name: str, duration: float) -> sp.Trajectory:
        changes = {"clock.duration": duration, "record.period": duration / 2}
        return sp.Scenario.load(name, changes).run()

    servo = sp.Servo(20.0, 1.0)
    return {
        "servos between pegs": lambda: peg_row(5, actuator=servo),
        "limits between pegs": lambda: peg_row(
            9, actuator=sp.Servo(20.0, 1.0, torque_limit=2.0), limits_deg=(-0.3, 0.3)
        ),
        "prescribed joints": lambda: peg_row(3, actuator=sp.Prescribed()),
        "rectangular friction": lambda: peg_row(
            5, sp.RectangularCoulomb(0.1, 0.3) + sp.SpinCoulomb(0.1, 0.02), actuator=servo
        ),
        "smooth friction": lambda: peg_row(
            5, sp.SmoothCoulomb(0.2, 0.01) + sp.Fluid(0.1, 0.2, 0.3, 0.4), actuator=servo
        ),
        "distributed friction": lambda: peg_row(
            5, sp.DistributedCoulomb((0.1, 0.2, 0.1, 0.2, 0.3), 0.3), actuator=servo
        ),
        "compliant pegs": lambda: peg_row(
            5, law=sp.Contact(friction=0.2, stiffness=2e4, damping=20.0), actuator=servo
        ),
        "loads against a wall": push,
        "pedal_wave": lambda: gallery("pedal_wave", 0.01),
        "stairs": lambda: gallery("stairs", 0.01),
        "eel": lambda: gallery("eel", 0.01),
    }


def digest(run: Any) -> str:
    """A hash of all columns and of the state."""
    found = hashlib.sha256()
    for name, column in sorted(run.columns.items()):
        found.update(name.encode() + column.tobytes())
    for name, value in vars(run.state).items():
        found.update(f"{name} {value!r}".encode())
    return found.hexdigest()


def poison_idle_lanes(value: float) -> None:
    """Fill idle lanes before every step, when `load_lanes` has filled the blocks.

    All but what `clear_lane` and `clear_laws` set: that is what makes them idle.
    """
    import numpy as np

    from serpenoid.kernels import run
    from serpenoid.kernels.block_layout import BLOCK, LANES
    from serpenoid.kernels.lanes import clear_lane, clear_laws

    blank = np.zeros(1, BLOCK).view(np.recarray)
    floats = [name for name in BLOCK.names or () if BLOCK[name].base == np.float64]
    for name in floats:
        blank[name] = np.nan
    clear_laws(blank[0])
    clear_lane(blank[0], 0)
    advance, names = run.advance, [name for name in floats if np.isnan(blank[name][0, 0])]

    def poisoned(world: Any, body: Any, *rest: Any) -> int:
        for i in range(len(body.blocks) * LANES):
            at = i // LANES, i % LANES
            if body.blocks["live"][at] == 0.0:
                for name in names:
                    body.blocks[name][at] = value
        return int(advance(world, body, *rest))

    run.advance = poisoned


def main(shift: int, poison: float | None) -> None:
    """Print the hashes of all runs."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    set_width(shift)
    from serpenoid.kernels.lanes import LANES

    if poison is not None:
        poison_idle_lanes(poison)

    found = {name: digest(run()) for name, run in scenarios().items()}
    print(json.dumps({"lanes": LANES, "digests": found}))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else None)
