"""The part of a controller that is computed in Python: a class that is named, or an object."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, Literal, TypeGuard, cast

from serpenoid.control.interface import CompiledController, Controller, ControllerSpec
from serpenoid.control.python_controller import THESE_VALUES, THIS_TEXT, Made, PythonController
from serpenoid.control.source import CodeSource
from serpenoid.errors import CodeNotAllowed, InvalidInput
from serpenoid.spec import Label, spec, tag
from serpenoid.text import printable


@spec
class LiveController(ControllerSpec):
    """Stands in a scenario for an object that was handed over in Python, which no file can name.

    Attributes:
        name: Module and class of the object.
    """

    name: Label
    kind: Literal["live"] = tag(default="live", kw_only=True)

    is_stand_in = True
    # The object itself, as long as it is at hand; no part of the scenario of a run.
    held = cast("Made | None", None)

    @classmethod
    def holding(cls, controller: object, digest: str = "") -> LiveController:
        """The stand-in for an object, which holds it.

        Args:
            controller: The object.
            digest: Of the file of its class.
        """
        made = cls(f"{type(controller).__module__}.{type(controller).__qualname__}")
        object.__setattr__(made, "held", Made(controller, digest))
        return made


def is_controller(value: object) -> TypeGuard[Controller]:
    """Whether it is an object with a period and a command method."""
    return not isinstance(value, type) and _has(value, "period") and _has(value, "command")


def _has(value: object, name: str) -> bool:
    """Whether an object has an attribute; one that raises when it is read counts."""
    try:
        return hasattr(value, name)
    except (Exception, SystemExit):
        return True


def nearly(value: object) -> str:
    """What to give instead of something that is nearly a controller; empty if it is not."""
    if isinstance(value, type) and (hasattr(value, "command") or issubclass(value, ControllerSpec)):
        return f"; that is a class, give one of it: {value.__name__}(...)"
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            CodeSource.read(value)
            return f"; name it as PythonController({value!r})"
    return ""


def no_controller(value: object) -> InvalidInput:
    """The error for something else in place of a controller."""
    return InvalidInput(
        f"controller = {value!r} is not allowed: it must be a gait, None, or have a period and a "
        f"command method{nearly(value)}"
    )


def as_spec(controller: object) -> Any:
    """A controller as a spec; an object in Python is held by its stand-in."""
    if isinstance(controller, ControllerSpec) or not is_controller(controller):
        return controller
    return LiveController.holding(controller)


def own_part(controller: object) -> Any:
    """The part of a controller that is computed in Python; None if there is none."""
    if isinstance(controller, CompiledController):
        return controller.own
    return controller


def own_key(controller: object) -> str:
    """Where what `own_part` gives stands in a scenario, as messages name it."""
    return f"controller{controller.own_key if isinstance(controller, CompiledController) else ''}"


def source_of(controller: object) -> CodeSource | None:
    """Where the class of a controller is that a scenario names; None if it names none."""
    own = own_part(controller)
    return own.place(own_key(controller)) if isinstance(own, PythonController) else None


def check_allowed(controller: object, allow_code: bool = False) -> None:
    """Refuse to run code that a file names.

    Args:
        controller: A controller.
        allow_code: Whether that is allowed.

    Raises:
        CodeNotAllowed: It is not.
    """
    own = own_part(controller)
    if isinstance(own, PythonController) and own.withheld and not allow_code:
        named = "" if own.withheld in (THESE_VALUES, THIS_TEXT) else f"{own.withheld}: "
        raise CodeNotAllowed(
            f"{named}{own_key(controller)}.source = {own.source!r}{_where(own)} is Python code, "
            "which runs only if that is allowed: give --allow-code, or load it with "
            "Scenario.load(..., allow_code=True)"
        )


def _where(own: PythonController) -> str:
    """The file in which a class is, if that is not the one which its source says."""
    place = own.place()
    try:
        file = place.file().resolve()
    except InvalidInput:
        return ""
    evident = place.place if place.is_file else f"{place.place.replace('.', '/')}.py"
    return "" if file == Path(evident).resolve() else f", a class in {printable(str(file))},"


def check_own(controller: object) -> None:
    """Refuse a controller whose class cannot be imported, or does not take its parameters.

    Args:
        controller: A controller, which may run.

    Raises:
        InvalidInput: It may not, or its class cannot be used.
    """
    check_allowed(controller)
    own = own_part(controller)
    if isinstance(own, PythonController):
        own.find(own_key(controller))


def make_own(controller: object, allow_code: bool = False) -> Made | None:
    """The part of a controller that is computed in Python, made to run.

    Args:
        controller: A controller.
        allow_code: Whether code that files name may run.

    Returns:
        It; None if there is none.

    Raises:
        InvalidInput: It is not allowed, or cannot be made.
    """
    check_allowed(controller, allow_code)
    own = own_part(controller)
    if isinstance(own, PythonController):
        return own.make(own_key(controller))
    if isinstance(own, LiveController):
        if own.held is None:
            raise InvalidInput(
                f"controller = {own.name} is not allowed here: only Python code knows it"
            )
        return own.held
    return None if own is None else Made(own)


def without_held(controller: ControllerSpec) -> ControllerSpec:
    """A controller as the scenario of a run keeps it: without objects, which are only named."""
    own = own_part(controller)
    if not isinstance(own, LiveController) or own.held is None:
        return controller
    return with_own(controller, LiveController(own.name))


def with_own(controller: ControllerSpec, own: ControllerSpec) -> ControllerSpec:
    """A controller with another one in Python in place of its own."""
    return controller.with_own(own) if isinstance(controller, CompiledController) else own


def made_once(controller: ControllerSpec | None) -> ControllerSpec | None:
    """A controller whose part in Python is made now, for several runs that go on from each other.

    Raises:
        InvalidInput: It may not run, or cannot be made.
    """
    made = make_own(controller)
    if controller is None or made is None:
        return controller
    return with_own(controller, LiveController.holding(made.controller, made.digest))
