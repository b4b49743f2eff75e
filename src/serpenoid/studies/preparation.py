"""What is checked before a study begins: whether any of its points can be run."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

from serpenoid.analysis.metrics import METRICS
from serpenoid.control.own import check_allowed, check_own
from serpenoid.errors import Interrupted, InvalidInput, SerpenoidError, prefixed
from serpenoid.scenario.scenario import Scenario
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
    check_allowed(study.scenario.controller)
    checked, solvers = list(points), set()
    reason: tuple[str, ...] = ()
    for changes in checked:
        try:
            scenario = _checked(study, changes)
        except InvalidInput as error:
            reason = reason or error.mistakes
            continue
        if type(scenario.solver) not in solvers:
            solvers.add(type(scenario.solver))
            _compile(scenario)
        if not any(key.startswith("solver") for key in study.parameters):
            return
    if not solvers and (len(checked) < CHECKED_POINTS or _hopeless(study, checked)):
        raise InvalidInput(*reason)


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
    check_own(scenario.controller)
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
