"""Scenario files: a whole run as TOML, strict, and back."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import pydantic
import tomli_w
from pydantic import BeforeValidator

from serpenoid.control.interface import ControllerSpec
from serpenoid.engine.simulate import simulate, whole_multiple
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.files import write_text
from serpenoid.methods.method import Method, Newton
from serpenoid.model import robots
from serpenoid.model.actuator import Actuator
from serpenoid.model.friction import FrictionLaw
from serpenoid.model.robot import Robot
from serpenoid.model.start import Start
from serpenoid.model.state import State
from serpenoid.model.world import Peg, Wall, World
from serpenoid.scenario.keys import changed, parse, without_none
from serpenoid.scenario.sections import Chain, Clock, NamedRobot, Place, Record, as_place, as_robot
from serpenoid.spec import Each, Seed, names, nearest_word, plain, sentence, spec


@spec
class Scenario:
    """Everything a run needs.

    robot: by name, as a chain of similar links, or link by link. world: what stands on the plane.
    friction: of the ground; none if left out. actuator: one for all joints or a list with one for
    each; the robot's own if left out. controller: a gait; without one the joints hold the shape the
    robot starts in. start: the pose. solver: with its options. clock, record: when to stop, how
    finely to step and to record. seed: of random fields.
    """

    robot: Annotated[NamedRobot | Chain | Robot, BeforeValidator(as_robot)]
    title: str = ""
    seed: Seed = 0
    world: Annotated[Place, BeforeValidator(as_place)] = Place()
    friction: FrictionLaw | None = None
    actuator: Each[Actuator] | None = None
    controller: ControllerSpec | None = None
    start: Start = Start()
    solver: Method = Newton()
    clock: Clock = Clock()
    record: Record = Record()

    def __post_init__(self) -> None:
        step, period = self.clock.time_step, self.record.period
        whole_multiple("record.period", period, "clock.time_step", step)
        whole_multiple("clock.duration", self.clock.duration, "record.period", period)
        if isinstance(self.robot, Robot) and self.actuator is not None:
            raise InvalidInput(
                "actuator is not allowed beside robot.joints, which have their own actuators"
            )

    @classmethod
    def load(
        cls, source: str | os.PathLike[str], changes: Mapping[str, Any] | None = None
    ) -> Scenario:
        """Read a file, or a scenario of the gallery by name; changes: dotted keys to new values."""
        path = find(source)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{source} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise InvalidInput(f"{source} is not valid TOML: it is no UTF-8 text") from None
        data = parse(text, str(source))
        try:
            scenario = cls.from_plain(data)
            return scenario.changed(changes) if changes else scenario
        except InvalidInput as error:
            raise InvalidInput(f"{source}: {error}") from None

    @classmethod
    def loads(cls, text: str) -> Scenario:
        """Read a scenario from TOML text."""
        if not isinstance(text, str):
            raise InvalidInput(f"text = {text!r} is not allowed: it must be text")
        return cls.from_plain(parse(text, "this"))

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Scenario:
        """Build a scenario from nested plain values."""
        if not isinstance(data, Mapping):
            raise InvalidInput(f"data = {data!r} is not allowed: it must be a table")
        world = data.get("world")
        if isinstance(world, Mapping) and "friction" in world:
            raise InvalidInput("world.friction is not known: the ground is a section, [friction]")
        try:
            return pydantic.TypeAdapter(cls).validate_python(data)
        except pydantic.ValidationError as error:
            raise InvalidInput(sentence(error)) from None

    @classmethod
    def of(cls, run: Trajectory) -> Scenario:
        """The scenario of a recorded run, spelt out; the time it reached is the duration."""
        stored = run.scenario
        if stored["start"] is None:
            raise InvalidInput(
                "this run continues another one, and a scenario cannot hold where it took over"
            )
        if isinstance(stored["controller"], str):
            raise InvalidInput(
                f"this run was controlled by {stored['controller']}, which only Python code knows"
            )
        if len(run.time) < 2:
            raise InvalidInput("this run has a single row, so there is nothing to repeat")
        world = dict(stored["world"])
        data = {key: stored[key] for key in ("robot", "controller", "start", "solver", "seed")}
        data |= {"title": stored["title"], "friction": world.pop("friction"), "world": world}
        data["clock"] = {
            "duration": float(round(run.time[-1] - run.time[0], 9)),
            "time_step": stored["time_step"],
        }
        data["record"] = {"period": stored["record_period"]}
        return cls.from_plain(without_none(data))

    def plain(self) -> dict[str, Any]:
        """Nested plain values, as a TOML file holds them."""
        data = json.loads(pydantic.TypeAdapter(Scenario).dump_json(self))
        return without_none(data)  # type: ignore[no-any-return]

    def dumps(self) -> str:
        """As TOML text."""
        return tomli_w.dumps(self.plain())

    def dump(self, path: str | os.PathLike[str]) -> Path:
        """Write to a TOML file, whole or not at all."""
        return write_text(path, self.dumps())

    def changed(self, changes: Mapping[str, Any]) -> Scenario:
        """This scenario with other values at dotted keys: {"controller.phase_deg": -30}."""
        if not isinstance(changes, Mapping):
            raise InvalidInput(f"changes = {changes!r} is not allowed: it must be a table")
        data = self._plain
        if self.actuator is None and any(str(key).startswith("actuator.") for key in changes):
            data = data | {"actuator": self._own_actuator()}
        # Whole sections before their keys, and a kind before the values that belong to it.
        for key in sorted(changes, key=lambda k: (str(k).count("."), not str(k).endswith("kind"))):
            data = changed(data, key, plain(changes[key]))
        # Sections that are as they were need not be checked again.
        same = {name for name in data if data[name] is self._plain.get(name)}
        return Scenario.from_plain(data | {name: getattr(self, name) for name in same})

    @functools.cached_property
    def _plain(self) -> dict[str, Any]:
        """What `plain` gives, which others must not change."""
        return self.plain()

    def _own_actuator(self) -> dict[str, Any]:
        """What drives the joints of a robot that brings its own actuators, if it is one for all."""
        own = {joint.actuator for joint in self.built[0].joints}
        if isinstance(self.robot, Robot) or len(own) != 1:
            raise InvalidInput("actuator: this robot's joints have their own; change robot.joints")
        return json.loads(pydantic.TypeAdapter(Actuator).dump_json(own.pop()))  # type: ignore[no-any-return]

    @functools.cached_property
    def built(self) -> tuple[Robot, World]:
        """The robot and the world."""
        return self._robot(), self._world()

    def run(
        self,
        progress: bool | Callable[[float], None] = False,
        *,
        duration: float | None = None,
        start: State | None = None,
    ) -> Trajectory:
        """Simulate it; progress: show a bar, or call this with the simulated time.

        duration: s, instead of the clock's. start: where an earlier run of it ended, to go on from
        there.
        """
        robot, world = self.built
        try:
            return simulate(
                robot,
                world,
                self.controller,  # type: ignore[arg-type]
                self.clock.duration if duration is None else duration,
                start=self.start if start is None else start,
                time_step=self.clock.time_step,
                record_period=self.record.period,
                solver=self.solver,
                seed=self.seed,
                title=self.title,
                progress=progress,
            )
        except InvalidInput as error:
            raise type(error)(in_sections(str(error))) from None

    def _robot(self) -> Robot:
        if isinstance(self.robot, Robot):
            return self.robot
        try:
            if isinstance(self.robot, NamedRobot):
                return robots.BY_NAME[self.robot.name](self.actuator)
            values = {name: getattr(self.robot, name) for name in names(Chain)}
            if self.actuator is not None:
                values["actuator"] = self.actuator
            return Robot.uniform(values.pop("links"), **values)
        except InvalidInput as error:
            words = re.sub(r"^(Link|Joint|Robot)\.", "", str(error))
            raise InvalidInput(f"robot.{words}") from None

    def _world(self) -> World:
        place = {name: getattr(self.world, name) for name in names(Place)}
        field = place.pop("field")
        if field is not None:
            try:
                found = field.obstacles(self.seed)
            except InvalidInput as error:
                raise InvalidInput(f"world.field: {error}") from None
            place["pegs"] += tuple(thing for thing in found if isinstance(thing, Peg))
            place["walls"] += tuple(thing for thing in found if isinstance(thing, Wall))
        return World(friction=self.friction, **place)


# What `simulate` calls its arguments, and what scenario files call them.
_SECTIONS = {
    "World.": "world.",
    "Start.": "start.",
    "Robot.": "robot.",
    "record_period ": "record.period ",
    "duration ": "clock.duration ",
    "time_step ": "clock.time_step ",
}


def in_sections(words: str) -> str:
    """A sentence about an argument, about the key it came from."""
    for argument, key in _SECTIONS.items():
        if words.startswith(argument):
            return key + words.removeprefix(argument)
    return words


def gallery() -> dict[str, Path]:
    """The ready scenarios, name to file."""
    folder = Path(str(resources.files("serpenoid.scenario") / "gallery"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find(source: str | os.PathLike[str]) -> Path:
    """The file of a scenario given by path or by its name in the gallery."""
    ready = gallery()
    if not isinstance(source, str | os.PathLike):
        raise InvalidInput(f"source = {source!r} is not allowed: it must be a path or a name")
    text = os.fspath(source)
    if text in ready:
        return ready[text]
    path = Path(text)
    try:
        found, there = bool(text) and path.is_file(), bool(text) and path.exists()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidInput(f"{text[:60]} cannot be read: {reason}") from None
    if found:
        return path
    if there:
        raise InvalidInput(f"{text} is not a file")
    hint = nearest_word(text, list(ready))
    raise InvalidInput(
        f"scenario {text!r} is neither a file nor in the gallery{hint}; there are "
        + ", ".join(ready)
    )
