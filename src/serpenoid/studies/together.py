"""Points of a study that are simulated at once: one robot in one world, other gaits and starts.

Each run is to the bit what it would be alone, and costs less: what they have in common is made
once. Where worlds differ there is little to share, and to hold them all costs more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from serpenoid.control.interface import CompiledController
from serpenoid.engine.batch_runs import simulate_batch
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted
from serpenoid.methods.default import Newton
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.sampling import Value

# Gives a run, or raises what ended it.
Run = Callable[[], Trajectory]

# Sections in which runs of a batch differ.
_OWN = ("controller", "start")
# A batch has a cost of its own, which fewer runs do not make up for.
_FEWEST = 4
# Rows times links of runs that are held at once: some 50 MB.
_MOST_NUMBERS = 500_000


def _fits(scenario: Scenario) -> bool:
    """Whether a scenario can be part of a batch."""
    compiled = scenario.controller is None or isinstance(scenario.controller, CompiledController)
    return compiled and isinstance(scenario.solver, Newton)


def together(
    keys: Sequence[str],
    points: Sequence[tuple[Value, ...]],
    scenarios: Sequence[Scenario | Exception],
) -> dict[int, Run]:
    """Simulate those that can share a batch: their numbers to their runs; none of the others.

    keys: of the parameters. points: their values, for each scenario. scenarios: or why there is
    none.
    """
    alike: dict[str, list[int]] = {}
    for k, (values, scenario) in enumerate(zip(points, scenarios, strict=True)):
        if isinstance(scenario, Scenario) and _fits(scenario):
            pairs = zip(keys, values, strict=True)
            same = [value for key, value in pairs if key.partition(".")[0] not in _OWN]
            alike.setdefault(repr((type(scenario.controller), same)), []).append(k)
    found: dict[int, Run] = {}
    room = _MOST_NUMBERS
    for members in alike.values():
        chosen = [scenario for k in members if isinstance(scenario := scenarios[k], Scenario)]
        try:
            size = _size(chosen[0])
            chosen = chosen[: room // size]
            if len(chosen) < _FEWEST:
                continue
            runs = simulate_batch(chosen, threads=1)
        except Interrupted:
            raise
        except Exception:
            continue  # each alone shows whose fault it is
        room -= size * len(chosen)
        for b, k in enumerate(members[: len(chosen)]):
            found[k] = functools.partial(runs.__getitem__, b)
    return found


def _size(scenario: Scenario) -> int:
    """Rows times links of a run."""
    rows = round(scenario.clock.duration / scenario.record.period) + 1
    return rows * len(scenario.built[0].links)
