"""What a method is: its options, the laws it resolves, its compiled loop over robots."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from serpenoid.checks import nearest_word
from serpenoid.errors import InvalidInput, UnsupportedLaw
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.methods.laws import Law, laws_needed
from serpenoid.model.robot import Robot
from serpenoid.model.world import World
from serpenoid.spec import Family

# Features of a run that a method may bring with it, and with them columns of the record.
INTEGRATOR, EVENTS = "integrator", "events"


class Method(Family):
    """Base of the time-stepping methods.

    A method is a spec of its options. The engine asks it for the laws it resolves, its options as
    numbers, its scratch and its entry, a kernel called as `entry(batch, timing, options, scratch,
    first, last)`, without the scratch if there is none.

    Attributes:
        resolves: Laws it can resolve; any other is refused.
        features: What runs with it record besides the usual.
        compile_time: How long its entry takes to compile, in words.
        takes_batches: Whether several robots can be stepped at once; not with a scratch, of which
            there is one for all threads.
        tried: What it does about a step that fails, in words that end the sentence about one.
        records_contacts: Whether its steps note their contacts, see `kernels/contact_log.py`.
    """

    resolves: ClassVar[frozenset[Law]]
    features: ClassVar[frozenset[str]] = frozenset()
    compile_time: ClassVar[str] = "half a minute"
    takes_batches: ClassVar[bool] = False
    tried: ClassVar[str] = ""
    records_contacts: ClassVar[bool] = False

    @abstractmethod
    def entry(self) -> Callable[..., None]:
        """The compiled loop over robots and steps."""

    @abstractmethod
    def options(self) -> tuple[Any, ...]:
        """Its options as the entry takes them."""

    @abstractmethod
    def remedy(self, time_step: float) -> str:
        """The end of the sentence about a step that failed: what to try."""

    def check(self, robot: Robot, world: World) -> None:
        """Refuse laws that it does not resolve.

        Raises:
            UnsupportedLaw: Naming the law and the remedy.
        """
        for law, words in laws_needed(robot, world):
            if law not in self.resolves:
                kind = getattr(self, "kind", "")
                remedy = "" if law is Law.UNKNOWN else "; use solver='newton'"
                raise UnsupportedLaw(f"solver {kind!r} cannot resolve {words}{remedy}")

    def check_contacts_recorded(self) -> None:
        """Refuse to record contacts if its steps do not note them.

        Raises:
            InvalidInput: Naming the remedy.
        """
        if not self.records_contacts:
            kind = getattr(self, "kind", "")
            raise InvalidInput(
                f"record.contacts = True is not allowed with solver {kind!r}, which does not note "
                "its contacts one by one; use solver='newton'"
            )

    def check_step(self, robot: Robot, world: World, time_step: float) -> None:
        """Refuse a time step, s, that is too large; by default any is taken.

        Raises:
            InvalidInput: Naming the largest step allowed.
        """

    def scratch(self, robot: Robot, body: layout.Body, before: Any = None) -> Any:  # noqa: ARG002
        """Scratch for one robot; none by default.

        Args:
            robot: The robot.
            body: The same as the kernels take it.
            before: Scratch of the same run, with room for fewer contacts.
        """
        return None

    def events(self, scratch: Any) -> Floats:  # noqa: ARG002
        """The events it has located, oldest first: time, kind, link and peg, (events, 4)."""
        return np.zeros((0, 4))

    def event_count(self, scratch: Any) -> int:  # noqa: ARG002
        """How many events it has located."""
        return 0

    def forget_events(self, scratch: Any, count: int) -> None:
        """Forget all events but the first `count`."""


def as_method(solver: str | Method) -> Method:
    """A method by its name, with default options, or as given."""
    if isinstance(solver, Method):
        return solver
    names = list(Method.members)
    if solver in names:
        method: Method = Method.members[solver]()
        return method
    hint = nearest_word(str(solver), names)
    raise InvalidInput(f"solver = {solver!r} is not known{hint}; there are {', '.join(names)}")
