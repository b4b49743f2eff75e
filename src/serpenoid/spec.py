"""Frozen, validated value objects, and one-sentence messages for invalid values."""

from __future__ import annotations

import functools
import inspect
import math
from abc import ABC
from collections.abc import Callable, Iterable
from types import NoneType
from typing import Annotated, Any, ClassVar, TypeVar, dataclass_transform, get_args

import pydantic
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Discriminator, Field, Strict, Tag
from pydantic.dataclasses import dataclass
from pydantic_core import (
    PydanticCustomError,
    core_schema,
)

from serpenoid.checks import plain
from serpenoid.displays import brief
from serpenoid.errors import InvalidInput
from serpenoid.spec_mistakes import about_keys, sentences
from serpenoid.text import printable

T = TypeVar("T")


def _workable(value: float) -> float:
    """Refuse numbers whose squares and products would overflow."""
    if math.isfinite(value) and abs(value) > 1e15:
        raise ValueError("it must be at most 1e15 in size")
    return value


def _one_line(value: str) -> str:
    """Refuse text that would steer the terminal on which it is shown."""
    if printable(value) != value:
        raise ValueError("it must be one line without control characters")
    return value


# Names and titles, which are shown wherever something is told about their owner.
Label = Annotated[str, Strict(), AfterValidator(_one_line)]
_SIZE = AfterValidator(_workable)
Number = Annotated[float, Strict(), _SIZE]
Positive = Annotated[float, Strict(), Field(gt=0), _SIZE]
NonNegative = Annotated[float, Strict(), Field(ge=0), _SIZE]
PositiveOrInfinite = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=True), _SIZE]
NonNegativeOrInfinite = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=True), _SIZE]
Fraction = Annotated[float, Strict(), Field(ge=0, le=1)]
Count = Annotated[int, Strict(), Field(ge=1, le=1_000_000_000)]
Whole = Annotated[int, Strict()]
# Tables hold whole numbers of 64 bits.
Seed = Annotated[int, Strict(), Field(ge=0, le=2**63 - 1)]

# TOML has no null: in a file this word stands for None, in fields that may be None but not text.
NONE = "none"


def _two(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError("it must be two numbers")
    return value


Point = Annotated[tuple[Number, Number], BeforeValidator(_two)]


def _one_or_each(value: Any) -> str:
    """Tells a single value from a list by its type, so that only one of the two is reported."""
    return "(each)" if isinstance(value, list | tuple) else "(one)"


# One value for all, or a list with one for each: Each[Positive].
Each = Annotated[
    Annotated[T, Tag("(one)")] | Annotated[tuple[T, ...], Tag("(each)")],
    Discriminator(_one_or_each),
]


def each_names(cls: type) -> list[str]:
    """Names of the fields of a spec that take one value for all or a list with one for each."""
    fields: dict[str, Any] = getattr(cls, "__pydantic_fields__", {})
    return [n for n, f in fields.items() if _takes_each(f.annotation, f.metadata)]


def _takes_each(annotation: Any, metadata: Iterable[Any] = ()) -> bool:
    """Whether `Each` is in the annotation of a field."""
    found = (*metadata, *getattr(annotation, "__metadata__", ()))
    if any(getattr(item, "discriminator", None) is _one_or_each for item in found):
        return True
    return any(map(_takes_each, get_args(annotation)))


class Family(ABC):  # noqa: B024 (the families have the abstract methods)
    """Base of specs that can stand in one place and are distinguished by their `kind`.

    A direct subclass founds a family; every `@spec` below it is a member, known by its `kind` in
    saved runs and scenario files.

    Attributes:
        members: Members of the family by kind.
    """

    members: ClassVar[dict[str, type[Any]]] = {}
    is_stand_in: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if Family in cls.__bases__:
            cls.members = {}

    @classmethod
    def known(cls) -> dict[str, type[Any]]:
        """The members of this class by kind."""
        return {kind: member for kind, member in cls.members.items() if issubclass(member, cls)}

    @classmethod
    def offered(cls) -> dict[str, type[Any]]:
        """Those that users may write, without stand-ins that only saved runs hold."""
        return {kind: m for kind, m in cls.known().items() if not m.is_stand_in}

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: pydantic.GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """A base accepts any member below it; a member accepts itself."""
        if "kind" in cls.__annotations__:
            return handler(source)
        return core_schema.no_info_before_validator_function(cls._member, core_schema.any_schema())

    @classmethod
    def _member(cls, value: Any) -> Any:
        """Return a member as it is, or make it of plain values by its kind."""
        if isinstance(value, cls):
            return value
        known, offered = cls.known(), cls.offered()
        kinds = list(offered)
        if not isinstance(value, dict):
            *most, last = [member.__name__ for member in offered.values()]
            classes = f"{', '.join(most)} or {last}" if most else last
            raise PydanticCustomError("member", "", {"classes": classes, "kinds": kinds})
        if "kind" not in value:
            raise ValueError(f"it needs a kind: {', '.join(kinds)}")
        kind = value["kind"]
        if not isinstance(kind, str) or kind not in known:
            raise PydanticCustomError("kind", "", {"kinds": kinds})
        return known[kind].of_plain(value)

    @classmethod
    def of_plain(cls, value: dict[str, Any]) -> Any:
        """Make this member of plain values."""
        return pydantic.TypeAdapter(cls).validate_python(value)


def tag(*, default: Any, kw_only: bool) -> Any:
    """Field for the `kind` of a spec; users never pass it.

    Args:
        default: The kind.
        kw_only: True, so that positional arguments are the other fields.
    """
    return Field(default=default, kw_only=kw_only, repr=False)


@dataclass_transform(frozen_default=True, field_specifiers=(Field, tag))
def spec(cls: type[T]) -> type[T]:
    """Turn a class of annotated fields into a frozen, validated dataclass.

    Unknown names, wrong types, non-finite and out-of-range values raise InvalidInput.

    Returns:
        The dataclass; a member of a family is registered under its kind.

    Raises:
        TypeError: A member of a family is abstract, or its kind is missing or taken; or a field
            may be text or None, with another default than None, which a file cannot tell apart.
    """
    config = ConfigDict(extra="forbid", allow_inf_nan=False, ser_json_inf_nan="constants")
    around: Any = pydantic.model_validator(mode="wrap")
    setattr(cls, "_check_keys", around(classmethod(_check_keys)))  # noqa: B010
    if "__repr__" not in vars(cls):
        setattr(cls, "__repr__", brief)  # noqa: B010
    made: Any = dataclass(frozen=True, config=config)(cls)
    validate: Callable[..., None] = made.__init__

    @functools.wraps(validate)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        values = _by_name(type(self), args, kwargs)
        try:
            validate(self, **{name: plain(value) for name, value in values.items()})
        except pydantic.ValidationError as error:
            raise InvalidInput(*sentences(error, type(self).__name__)) from None

    made.__init__ = init
    for name, field in made.__pydantic_fields__.items():
        if {str, NoneType} <= set(_kinds(field)) and field.default is not None:
            raise TypeError(f"{made.__name__}.{name} may be text or None, so None must be default")
    if issubclass(made, Family):
        _register(made)
    return made  # type: ignore[no-any-return]


def _register(member: Any) -> None:
    """Register a spec under its kind."""
    name = member.__name__
    if inspect.isabstract(member):
        missing = ", ".join(sorted(member.__abstractmethods__))
        raise TypeError(f"{name} lacks {missing}")
    if "kind" not in member.__annotations__:
        raise TypeError(f"{name} needs a kind of its own, as in kind: Literal['...'] = tag(...)")
    kind = member.__pydantic_fields__["kind"].default
    taken = member.members.get(kind)
    # The same class may be defined again, as in a notebook cell that is run twice.
    home = (member.__module__, member.__qualname__)
    if taken is not None and (taken.__module__, taken.__qualname__) != home:
        raise TypeError(f"{name}.kind = {kind!r} is taken by {taken.__name__}")
    member.members[kind] = member


def names(cls: type) -> list[str]:
    """Names of the fields of a spec that a file may have, without its kind."""
    fields: dict[str, Any] = getattr(cls, "__pydantic_fields__", {})
    hidden = {"kind", *(name for name, field in fields.items() if field.exclude)}
    return [name for name in getattr(cls, "__dataclass_fields__", {}) if name not in hidden]


def field_values(item: Any) -> dict[str, Any]:
    """Values of the fields of a spec by name, without its kind."""
    return {name: getattr(item, name) for name in names(type(item))}


def _by_name(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments by name."""
    known = names(cls)
    if len(args) > len(known):
        takes = ", ".join(known)
        raise InvalidInput(f"{cls.__name__} takes no more than {takes}, got {len(args)} values")
    given = dict(zip(known, args, strict=False))
    if twice := [name for name in kwargs if name in given]:
        raise InvalidInput(f"{cls.__name__}.{twice[0]} is given twice")
    return given | kwargs


def _check_keys(cls: Any, value: Any, validate: Callable[[Any], Any]) -> Any:
    """Say of names that are not those of fields, and of missing ones, what there is.

    Args:
        cls: The spec.
        value: What it is made of, from Python or from a file.
        validate: Makes the spec of it.
    """
    try:
        return validate(_with_none(cls, value) if isinstance(value, dict) else value)
    except pydantic.ValidationError as error:
        raise about_keys(error, cls, names(cls), value) from None


def _with_none(cls: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Values of a file with None where the word for it stands."""
    words = [key for key, value in given.items() if type(value) is str and value == NONE]
    fields = cls.__pydantic_fields__
    return given | {key: None for key in words if key in fields and _reads_none(fields[key])}


def _kinds(field: Any) -> list[Any]:
    """Members of the union that a field takes, without what is annotated to them."""
    kinds = get_args(field.annotation)
    return [get_args(kind)[0] if hasattr(kind, "__metadata__") else kind for kind in kinds]


def _reads_none(field: Any) -> bool:
    """Whether a field may be None, and no text that could be mistaken for the word for it."""
    kinds = _kinds(field)
    return NoneType in kinds and str not in kinds


def written(value: Any) -> Any:
    """A spec as nested values that TOML can hold, and from which it is read back the same.

    None is left out where it is the default; elsewhere it is the word `NONE`.

    Args:
        value: A spec, or what a field of one holds.
    """
    fields: dict[str, Any] = getattr(type(value), "__pydantic_fields__", {})
    if fields:
        inner = {name: getattr(value, name) for name, f in fields.items() if not f.exclude}
        kept = {k: v for k, v in inner.items() if v is not None or fields[k].default is not None}
        return {name: written(item) for name, item in kept.items()}
    if isinstance(value, dict):
        return {key: written(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [written(item) for item in value]
    return NONE if value is None else value
