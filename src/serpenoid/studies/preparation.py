"""Before a study begins: can it ever work, is its folder free, and was the same begun there?"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from serpenoid._version import __version__
from serpenoid.errors import Interrupted, InvalidInput, OutputError, SerpenoidError, prefixed
from serpenoid.kernels._jit import DIGEST
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.metrics import METRICS
from serpenoid.studies.sampling import Value
from serpenoid.studies.study import Study, StudyBase

# Count of points among which a valid scenario is looked for.
CHECKED_POINTS = 200


def prepare(study: StudyBase, points: Iterable[Mapping[str, Value]]) -> None:
    """Compile what the runs need, and refuse a study that can never work.

    Args:
        study: Which will be run.
        points: Of the study, all or CHECKED_POINTS of them, as dotted keys to values.

    Raises:
        InvalidInput: If no point can be run. What goes wrong with some is left to their rows.
    """
    checked, reason, solvers = list(points), "", set()
    for changes in checked:
        try:
            scenario = _checked(study, changes)
        except InvalidInput as error:
            reason = reason or str(error)
            continue
        if type(scenario.solver) not in solvers:
            solvers.add(type(scenario.solver))
            _compile(scenario)
        if not any(key.startswith("solver") for key in study.parameters):
            return
    if not solvers and (len(checked) < CHECKED_POINTS or _hopeless(study, checked)):
        raise InvalidInput(reason)


def some_points(study: Study) -> Iterator[dict[str, Value]]:
    """Points of a study to prepare it with, spread over all of it."""
    points = len(study.points)
    chosen = random.Random(0).sample(range(points), min(points, CHECKED_POINTS))
    return (study.changes(point) for point in sorted(chosen))


def _checked(study: StudyBase, changes: Mapping[str, Value]) -> Scenario:
    """The scenario of a point, if all its metrics can be measured."""
    scenario = study.scenario.changed(changes)
    if study.skip >= scenario.clock.duration:
        raise InvalidInput(
            f"skip = {study.skip:g} is not allowed: runs last {scenario.clock.duration:g} s"
        )
    for name in study.measured:
        with prefixed(f"metrics: {name!r} is not allowed"):
            METRICS[name].check(scenario)
    return scenario


def _hopeless(study: StudyBase, points: Sequence[Mapping[str, Value]]) -> bool:
    """Whether one of the parameters alone is wrong at all points."""

    def wrong(changes: Mapping[str, Value]) -> bool:
        try:
            _checked(study, changes)
        except InvalidInput:
            return True
        return False

    return any(all(wrong({key: point[key]}) for point in points) for key in study.parameters)


def _compile(scenario: Scenario) -> None:
    """Run one period of the record, which compiles the solver; errors are left to the rows."""
    try:
        scenario.run(duration=scenario.record.period)
    except Interrupted:
        raise
    except SerpenoidError:
        return


def identity(study: StudyBase) -> dict[str, Any]:
    """All that the runs of a study depend on."""
    return {
        "serpenoid_version": __version__,
        "kernels": DIGEST,
        "order": [list(study.parameters), list(study.measured)],
        "metric": {name: METRICS[name].about() for name in study.measured},
        "study": study.plain(),
        "scenario": study.scenario.plain(),
    }


def check_same(begun: Mapping[str, Any], now: Mapping[str, Any], where: str) -> None:
    """Refuse to go on with something else than was begun, and say what differs."""
    before, after = _flat(begun), _flat(json.loads(json.dumps(now)))
    for key in [*after, *before]:
        # NaN is the same as NaN.
        old, new = (json.dumps(side[key]) if key in side else "nothing" for side in (before, after))
        if old != new:
            raise InvalidInput(
                f"{where} was begun with {key.removeprefix('study.')} = {_short(old)}, which is "
                f"now {_short(new)}; take another folder, or delete it to begin anew"
            )


def _flat(value: Any, place: str = "") -> dict[str, Any]:
    """Nested tables as dotted keys to values."""
    if not isinstance(value, Mapping):
        return {place: value}
    inner = [_flat(value[key], f"{place}.{key}" if place else key) for key in value]
    return {key: v for table in inner for key, v in table.items()}


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def read_json(path: Path) -> dict[str, Any]:
    """The table in a JSON file."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise OutputError(f"path = {str(path)!r} cannot be read: {error}") from None


def locked(path: Path) -> IO[bytes]:
    """The file, locked until it is closed or this process ends, however it ends.

    Where there are no such locks, as on Windows, nothing keeps others out.
    """
    try:
        file = path.open("ab")
    except OSError as error:
        raise OutputError(f"path = {str(path)!r} cannot be written: {error.strerror}") from None
    try:
        import fcntl
    except ImportError:
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        if isinstance(error, BlockingIOError):
            raise InvalidInput(f"another process is at work in {path.parent}") from None
        raise OutputError(f"path = {str(path)!r} cannot be locked: {error.strerror}") from None
    return file
