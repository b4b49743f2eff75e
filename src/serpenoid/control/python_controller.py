"""Controllers of one's own that are named by their source, and made of it for each run."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field

from serpenoid.checks import nearest_word, plain, short
from serpenoid.control.interface import ControllerSpec
from serpenoid.control.source import CodeSource, error_words, place_of
from serpenoid.errors import InvalidInput
from serpenoid.spec import Label, names, spec, tag
from serpenoid.text import printable


def _checked_source(value: str) -> str:
    CodeSource.read(value)
    return value


def _checked_parameters(value: Any) -> Any:
    """Parameters that a scenario file can hold, as new lists and tables."""
    if not isinstance(value, Mapping):
        raise ValueError("it must be a table")
    return {_checked_name(name): _plain(name, each) for name, each in value.items()}


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or printable(name) != name:
        raise ValueError(f"{name!r} is no name of a parameter")
    return name


def _plain(name: str, value: Any) -> Any:
    value = plain(value)
    if isinstance(value, list | tuple):
        return [_plain(name, each) for each in value]
    if isinstance(value, Mapping):
        return {_checked_name(key): _plain(name, each) for key, each in value.items()}
    finite = not isinstance(value, float) or math.isfinite(value)
    if not isinstance(value, bool | int | float | str) or not finite:
        raise ValueError(
            f"{name} = {short(value)} must be a finite number, text, true or false, a list or a "
            "table of these"
        )
    return value


def _hashable(value: Any) -> Any:
    """Parameters as what can be looked up: equal ones are equal."""
    if isinstance(value, dict):
        return frozenset((key, _hashable(each)) for key, each in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


@dataclass(frozen=True)
class Made:
    """A controller in Python, made to run.

    Attributes:
        controller: The object.
        digest: Of the file of its class, or of the file that named it; empty if there is none.
        period: As it was when it was made, s; None if it was not read then.
    """

    controller: Any
    digest: str = ""
    period: Any = None

    def read_period(self) -> Any:
        """Its period as it was read when it was made, s; read now if it was handed over.

        Raises:
            InvalidInput: It cannot be read.
        """
        if self.period is not None:
            return self.period
        try:
            return self.controller.period
        except (Exception, SystemExit) as error:
            raise InvalidInput(f"controller.period cannot be read: {error_words(error)}") from None

    def probe(self) -> Any:
        """A copy to ask for the shape at the start; None if it cannot be copied."""
        try:
            return copy.deepcopy(self.controller)
        except Exception:
            return None


# What names code that no file names: plain values, or a text.
THESE_VALUES, THIS_TEXT = "these values", "this text"


@spec
class PythonController(ControllerSpec):
    """A controller of your own: a class in Python, of which each run makes an object afresh.

    What Python code makes with this class may run. What comes from a file, from text or from a
    saved run may only if that is allowed, by `--allow-code` or `allow_code=True`.

    Attributes:
        source: `module:Class`, or `file.py:Class` with a path.
        parameters: Given to the class by name: numbers, text, true or false, lists and tables.
        folder: Where files and modules are looked for first: that of the scenario file which names
            them, else the current one.
        withheld: The file or text that named it, if it may not run for that; empty if it may. No
            file can say it, and copies keep it.
    """

    source: Annotated[Label, AfterValidator(_checked_source)]
    parameters: Annotated[dict[str, Any], BeforeValidator(_checked_parameters)] = Field(
        default_factory=dict
    )
    folder: Label | None = None
    withheld: Annotated[Label, Field(exclude=True)] = dataclasses.field(
        default="", repr=False, compare=False, kw_only=True
    )
    kind: Literal["python"] = tag(default="python", kw_only=True)

    def __hash__(self) -> int:
        return hash((self.source, self.folder, _hashable(self.parameters)))

    @classmethod
    def of_plain(cls, value: dict[str, Any]) -> PythonController:
        """Make it of plain values; it may not run unless that is allowed.

        Args:
            value: Fields by name.

        Returns:
            The controller.

        Raises:
            InvalidInput: A value is not allowed.
        """
        if "withheld" in value:
            takes = ", ".join(names(cls))
            raise InvalidInput(f"{cls.__name__}.withheld is not known; it takes {takes}")
        made: PythonController = super().of_plain(value)
        return made.withhold(THESE_VALUES)

    def withhold(self, by: str) -> Self:
        """The same controller, forbidden to run, or allowed.

        Args:
            by: What names the code, for the refusal; empty allows it.

        Returns:
            A copy.
        """
        return dataclasses.replace(self, withheld=by)

    def resolve_in(self, folder: Path) -> Self:
        """The same controller, whose paths are looked for in a folder.

        Args:
            folder: That of the file which names the code.

        Returns:
            A copy.
        """
        where = str((folder / (self.folder or "")).absolute())
        return dataclasses.replace(self, folder=where)

    def place(self, key: str = "controller") -> CodeSource:
        """Where the class is.

        Args:
            key: Where the controller stands in its scenario, for messages.

        Returns:
            The source, taken apart; whether there is a file is not looked for.
        """
        return dataclasses.replace(CodeSource.read(self.source, self.folder), key=key)

    def find(self, key: str = "controller") -> tuple[type, str]:
        """Import the class, and check that it takes the parameters; no object is made.

        Args:
            key: Where the controller stands in its scenario, for messages.

        Returns:
            The class, and the digest of its file.

        Raises:
            InvalidInput: It cannot be used; the sentence has file, line and reason.
        """
        place = self.place(key)
        found, digest = place.load()
        self._check_parameters(place, found)
        return found, digest

    def make(self, key: str = "controller") -> Made:
        """Import the class and make an object of it.

        Args:
            key: Where the controller stands in its scenario, for messages.

        Returns:
            The object, with the digest of its file.

        Raises:
            InvalidInput: It cannot be made; the sentence has file, line and reason.
        """
        place, (found, digest) = self.place(key), self.find(key)
        try:
            made = found(**copy.deepcopy(self.parameters))
            held = {name: getattr(made, name, _MISSING) for name in ("period", "command")}
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            where = place_of(error, str(place.file())) or _line(place, found)
            raise place.refused(f"{where}{error_words(error)}") from None
        for needed, value in held.items():
            if value is _MISSING:
                raise place.refused(f"{_line(place, found)}{place.name} has no {needed}")
        return Made(made, digest, held["period"])

    def _check_parameters(self, place: CodeSource, found: type) -> None:
        """Refuse parameters that the class does not take, or lacks."""
        try:
            signature = inspect.signature(found)
        except (TypeError, ValueError):  # a class that does not say
            return
        known = {name: p for name, p in signature.parameters.items() if p.kind in _BY_NAME}
        takes = f"{place.name} takes {', '.join(known) or 'no parameters'}"
        line = _line(place, found)
        open_ended = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
        for name in self.parameters:
            if name not in known and not open_ended:
                hint = nearest_word(name, list(known))
                raise place.refused(f"{line}parameters.{name} is not known{hint}; {takes}")
        for name, parameter in known.items():
            if parameter.default is parameter.empty and name not in self.parameters:
                raise place.refused(f"{line}parameters.{name} is missing; {takes}")


_MISSING = object()
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def _line(place: CodeSource, found: type) -> str:
    """File and line of a class, before a colon."""
    try:
        return f"{place.file().name}, line {inspect.getsourcelines(found)[1]}: "
    except (OSError, TypeError):
        return f"{place.file().name}: "
