"""The scenario of a run: what a file says, what Python builds and what a run keeps."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pydantic
import tomli_w
from pydantic import BeforeValidator, Strict

from serpenoid.checks import nearest_word, plain, short, single, whole_multiple
from serpenoid.control.interface import ControllerSpec
from serpenoid.control.own import LiveController, own_part, with_own
from serpenoid.control.python_controller import THIS_TEXT, PythonController
from serpenoid.displays import Displayed
from serpenoid.errors import InvalidInput, prefixed, together
from serpenoid.files import write_text
from serpenoid.methods.default import Newton
from serpenoid.methods.method import Method
from serpenoid.model import robots
from serpenoid.model.actuator import Actuator
from serpenoid.model.friction import FrictionLaw
from serpenoid.model.robot import Robot
from serpenoid.model.start import Start
from serpenoid.model.state import State
from serpenoid.model.world import Peg, Wall, World
from serpenoid.scenario.key_lines import located
from serpenoid.scenario.keys import changed, parse, read_text
from serpenoid.scenario.sections import Chain, Clock, NamedRobot, Place, Record, as_place, as_robot
from serpenoid.spec import Each, Label, Seed, field_values, spec, written
from serpenoid.spec_mistakes import placed, sentences

if TYPE_CHECKING:
    from serpenoid.engine.trajectory import Trajectory

# Sections of which robot and world are built.
_BUILT_FROM = ("robot", "actuator", "world", "friction", "seed")


@spec
class Scenario(Displayed):
    """Everything a run needs.

    Attributes:
        robot: By name, as a chain of similar links, or link by link.
        title: Of figures and pages.
        seed: Of random fields.
        world: What stands on the plane.
        friction: Of the ground; none if left out.
        actuator: One for all joints or a list with one for each; the robot's own if left out.
        controller: A gait or feedback; without one the joints hold the shape the robot starts in.
        start: The pose.
        solver: The method that takes the steps, with its options.
        clock: When to stop, and how finely to step.
        record: How finely to record.
        continued: Whether it begins where an earlier run ended, which a file cannot hold: such a
            scenario runs from a state only.
    """

    robot: Annotated[NamedRobot | Chain | Robot, BeforeValidator(as_robot)]
    title: Label = ""
    seed: Seed = 0
    world: Annotated[Place, BeforeValidator(as_place)] = Place()
    friction: FrictionLaw | None = None
    actuator: Each[Actuator] | None = None
    controller: ControllerSpec | None = None
    start: Start = Start()
    solver: Method = Newton()
    clock: Clock = Clock()
    record: Record = Record()
    continued: Annotated[bool, Strict()] = False

    def __post_init__(self) -> None:
        with together() as check:
            with check():
                _ = self.steps_per_row
            with check():
                _ = self.rows
            with check():
                self._check_sections()

    def _check_sections(self) -> None:
        """Refuse sections that do not go with each other."""
        if self.world.plane == "vertical" and self.friction is not None:
            raise InvalidInput(
                f"friction = {self.friction} is not allowed in a vertical plane: friction is the "
                "terrain's"
            )
        if isinstance(self.robot, Robot) and self.actuator is not None:
            raise InvalidInput(
                "actuator is not allowed beside robot.joints, which have their own actuators"
            )
        own = own_part(self.controller)
        if isinstance(own, LiveController) and own.held is not None:
            raise InvalidInput(
                f"controller holds an object of {own.name}, which a scenario cannot hold: name its "
                "class, PythonController('file.py:Class'), or give the object to simulate"
            )

    @classmethod
    def load(
        cls,
        source: str | os.PathLike[str],
        changes: Mapping[str, Any] | None = None,
        *,
        allow_code: bool = False,
    ) -> Scenario:
        """Read a scenario from a file, or a ready one by name.

        Args:
            source: Path of a TOML file, or name of a ready scenario.
            changes: Dotted keys and their new values, `{"clock.duration": 5.0}`.
            allow_code: Whether a controller in Python that it names may be imported for its runs.

        Returns:
            The scenario.

        Raises:
            InvalidInput: There is no such file or name, or a value is not allowed.
        """
        path = find(source)
        text, what = read_text(path, str(source)), str(source)
        return cls.read(text, what, changes, folder=path.parent, allow_code=allow_code)

    @classmethod
    def read(
        cls,
        text: str,
        what: str,
        changes: Mapping[str, Any] | None = None,
        *,
        folder: Path | None = None,
        allow_code: bool = False,
    ) -> Scenario:
        """Read TOML text that has a name, so that its mistakes are told with their lines.

        Args:
            text: The text.
            what: Name of the file that it comes from.
            changes: Dotted keys to new values.
            folder: The folder of the file, which paths in it are relative to.
            allow_code: Whether a controller in Python that it names may be imported for its runs.

        Returns:
            The scenario.

        Raises:
            InvalidInput: Values are not allowed; each mistake is told with its line.
        """
        data = parse(text, what)
        with located(what, text):
            scenario = cls.from_plain(data)
        if folder is not None and scenario.python is not None:
            scenario = scenario._with_python(scenario.python.resolve_in(folder))
        with prefixed(what):
            scenario = scenario.changed(changes) if changes else scenario
        return scenario.withhold("" if allow_code else what)._allowing_code(allow_code)

    @classmethod
    def loads(cls, text: str, *, allow_code: bool = False) -> Scenario:
        """Read a scenario from TOML text.

        Args:
            text: The TOML text.
            allow_code: Whether a controller in Python that it names may be imported for its runs.

        Returns:
            The scenario.

        Raises:
            InvalidInput: The text is not TOML, or a value is not allowed.
        """
        if not isinstance(text, str):
            raise InvalidInput(f"text = {text!r} is not allowed: it must be text")
        return cls.from_plain(parse(text, "this")).withhold("" if allow_code else THIS_TEXT)

    @property
    def python(self) -> PythonController | None:
        """The controller in Python that it names, alone or as a part."""
        own = own_part(self.controller)
        return own if isinstance(own, PythonController) else None

    def withhold(self, by: str) -> Scenario:
        """This scenario, whose Python code may not run unless that is allowed, or may.

        Args:
            by: What names the code, for the refusal; empty allows it.

        Returns:
            The scenario.
        """
        python = self.python
        if python is None or python.withheld == by:
            return self
        return self._with_python(python.withhold(by))

    @property
    def _allows_code(self) -> bool:
        """Whether code that changes name may run; no field, because no file can say it."""
        return "_allow_code" in vars(self)

    def _allowing_code(self, allow_code: bool) -> Scenario:
        """This same scenario, in which it is noted if changes may name code that runs."""
        if allow_code:
            vars(self)["_allow_code"] = True
        return self

    def _with_python(self, python: PythonController) -> Scenario:
        """This scenario with another controller in Python in place of its own."""
        assert self.controller is not None
        return dataclasses.replace(self, controller=with_own(self.controller, python))

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Scenario:
        """Build a scenario from nested plain values.

        Args:
            data: Tables, lists, numbers and texts, with the keys of a file.

        Returns:
            The scenario.

        Raises:
            InvalidInput: A key is unknown, or a value is not allowed.
        """
        if not isinstance(data, Mapping):
            raise InvalidInput(f"data = {data!r} is not allowed: it must be a table")
        world = data.get("world")
        with together() as check:
            if isinstance(world, Mapping) and "friction" in world:
                data = {**data, "world": {k: v for k, v in world.items() if k != "friction"}}
                with check():
                    raise InvalidInput(
                        "world.friction is not known: the ground is a section, [friction]"
                    )
            with check():
                try:
                    made: Scenario = pydantic.TypeAdapter(cls).validate_python(data)
                except pydantic.ValidationError as error:
                    raise InvalidInput(*sentences(error)) from None
        return made

    @classmethod
    def of(cls, run: Trajectory) -> Scenario:
        """The scenario that repeats a recorded run, up to its last row.

        Args:
            run: The run.

        Returns:
            The scenario, with the duration of the run.

        Raises:
            InvalidInput: The run cannot be repeated from a scenario.
        """
        scenario = run.scenario
        if scenario.continued:
            raise InvalidInput(
                "this run continues another one, and a scenario cannot hold where it took over"
            )
        own = own_part(scenario.controller)
        if isinstance(own, LiveController):
            raise InvalidInput(
                f"this run was controlled by {own.name}, which only Python code knows"
            )
        if len(run.time) < 2:
            raise InvalidInput("this run has a single row, so there is nothing to repeat")
        reached = float(round(run.time[-1] - run.time[0], 9))
        return dataclasses.replace(
            scenario, clock=dataclasses.replace(scenario.clock, duration=reached)
        )

    def plain(self) -> dict[str, Any]:
        """This scenario as nested plain values.

        Returns:
            What JSON can hold, None included, with the keys of a file.
        """
        return json.loads(pydantic.TypeAdapter(Scenario).dump_json(self))  # type: ignore[no-any-return]

    def dumps(self) -> str:
        """This scenario as TOML text.

        Returns:
            The text.
        """
        return tomli_w.dumps(written(self))

    def dump(self, path: str | os.PathLike[str]) -> Path:
        """Write to a TOML file, whole or not at all.

        Args:
            path: File to write.

        Returns:
            The file.

        Raises:
            OutputError: The file cannot be written.
        """
        return write_text(path, self.dumps())

    def changed(self, changes: Mapping[str, Any]) -> Scenario:
        """This scenario with other values at dotted keys.

        Args:
            changes: Dotted keys and their new values, `{"controller.phase_deg": -30}`.

        Returns:
            The changed scenario.

        Raises:
            InvalidInput: A key is unknown, or a value is not allowed.
        """
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
        made = Scenario.from_plain(data | {name: getattr(self, name) for name in same})
        if self.python is not None and made.python is not None:
            # Those of a controller that may run may be changed.
            made = made.withhold(self.python.withheld)
        elif self._allows_code:
            made = made.withhold("")
        made = made._allowing_code(self._allows_code)
        if "built" in vars(self) and all(getattr(made, k) is getattr(self, k) for k in _BUILT_FROM):
            vars(made)["built"] = self.built
        return made

    @property
    def steps_per_row(self) -> int:
        """Time steps from one recorded row to the next."""
        step, period = self.clock.time_step, self.record.period
        return whole_multiple("record.period", period, "clock.time_step", step)

    @property
    def rows(self) -> int:
        """Rows of a whole run, that of the start included."""
        duration, period = self.clock.duration, self.record.period
        return whole_multiple("clock.duration", duration, "record.period", period) + 1

    def as_continued(self, state: State) -> Scenario:
        """This scenario for a run that begins with a state.

        Args:
            state: The state of an earlier run.

        Returns:
            The scenario, marked as continued.

        Raises:
            InvalidInput: It is no state, or was stepped with another time step.
        """
        if not isinstance(state, State):
            raise InvalidInput(f"start = {state!r} is not allowed: it must be a State or None")
        step = single(getattr(state, "time_step", None))
        if type(step) is not float or step != self.clock.time_step:
            raise InvalidInput(
                f"clock.time_step = {self.clock.time_step!r} is not allowed: the state to continue "
                f"from has {short(step)} s"
            )
        return dataclasses.replace(self, start=Start(), continued=True)

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
        allow_code: bool = False,
    ) -> Trajectory:
        """Simulate this scenario.

        Args:
            progress: Show a bar, or call this with the simulated time.
            duration: Instead of the clock's, s.
            start: Where an earlier run of it ended, to go on from there.
            allow_code: Whether a controller in Python that a file names may be imported.

        Returns:
            The recorded run.

        Raises:
            InvalidInput: A value cannot be simulated, or code is named that may not run.
            SimulationStopped: A step cannot be solved; what was computed is in its `run`.
            ControllerError: A controller in Python fails; what was computed is in its `run`.
        """
        from serpenoid.engine.simulate import run_scenario

        scenario = self if duration is None else self.changed({"clock.duration": duration})
        return run_scenario(scenario, start=start, progress=progress, allow_code=allow_code)

    def __repr__(self) -> str:
        return f"<Scenario {self}>"

    def __str__(self) -> str:
        robot, world, field = self.robot, self.world, self.world.field
        parts = [f"robot {robot.name}"]
        for things, word in ((world.pegs, "peg"), (world.walls, "wall"), (world.loads, "load")):
            if things:
                parts.append(f"{len(things)} {word}{'s' if len(things) > 1 else ''}")
        parts += [type(each).__name__ for each in (field, self.controller) if each is not None]
        parts.append(f"{self.clock.duration:g} s")
        return (f"{self.title!r}, " if self.title else "") + ", ".join(parts)

    def _robot(self) -> Robot:
        if isinstance(self.robot, Robot):
            return self.robot
        try:
            if isinstance(self.robot, NamedRobot):
                return robots.BY_NAME[self.robot.name](self.actuator)
            chain = field_values(self.robot)
            if self.actuator is not None:
                chain["actuator"] = self.actuator
            return Robot.uniform(**chain)
        except InvalidInput as error:
            told = (placed(words, "robot") for words in error.mistakes)
            # Actuators have a section of their own.
            told = (words.replace("robot.actuator", "actuator", 1) for words in told)
            raise InvalidInput(*told) from None

    def _world(self) -> World:
        place = field_values(self.world)
        field = place.pop("field")
        if field is not None:
            with prefixed("world.field"):
                found = field.obstacles(self.seed)
            place["pegs"] += tuple(thing for thing in found if isinstance(thing, Peg))
            place["walls"] += tuple(thing for thing in found if isinstance(thing, Wall))
        return World(friction=self.friction, **place)


def gallery() -> dict[str, Path]:
    """List the ready scenarios.

    Returns:
        Name of each to its file.
    """
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
