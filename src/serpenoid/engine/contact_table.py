"""The table of contacts of a run."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.checks import as_numbers, check_whole
from serpenoid.engine.variables import CONTACT_KINDS, CONTACT_LOG
from serpenoid.kernels.layout import Floats

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ContactTable:
    """Contacts of a run, one in each entry of its arrays, in the order of rows.

    A row has the contacts that pushed since the row before. Forces are means over that time; point,
    normal and stick are those of the last step in which the contact pushed. What is touched is
    pushed back by the opposite force.

    Attributes:
        time: Time of the row, (c,), s.
        link: Link that is pushed, (c,); -1 where a load touches something else than a link.
        load: Load that is pushed, (c,); -1 where a link is.
        kind: What it touches, (c,): 'peg', 'wall', 'terrain', 'load' or 'link'.
        index: Which one, (c,): that of `world.pegs`, `world.walls`, `world.loads` or the robot's
            links; 0 for the terrain.
        point: Where they touch, (c, 2), m.
        normal: Direction from what is touched to what is pushed, (c, 2).
        normal_force: Force along the normals, (c, 2), N.
        tangential_force: Friction, across the normals, (c, 2), N.
        sticks: Whether friction was within its bound, so that it held; it slips otherwise, (c,).
    """

    time: Floats
    link: Ints
    load: Ints
    kind: npt.NDArray[np.str_]
    index: Ints
    point: Floats
    normal: Floats
    normal_force: Floats
    tangential_force: Floats
    sticks: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        return f"<ContactTable: {len(self)}>"

    @property
    def force(self) -> Floats:
        """Force on what is pushed, friction included, (c, 2), N."""
        return self.normal_force + self.tangential_force

    def where(self, chosen: Any) -> ContactTable:
        """Select contacts.

        Args:
            chosen: A mask, a slice or a list of indices.

        Returns:
            The table of the selected contacts.
        """
        return ContactTable(**{name: column[chosen] for name, column in self.columns.items()})

    @property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays by name, (c,) or (c, 2) each."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def joined(cls, one: ContactTable, other: ContactTable) -> ContactTable:
        """The contacts of two runs one after the other."""
        parts = zip(one.columns.items(), other.columns.values(), strict=True)
        return cls(**{name: np.concatenate([a, b]) for (name, a), b in parts})

    @classmethod
    def from_stored(cls, stored: dict[str, npt.NDArray[Any]]) -> ContactTable:
        """From the arrays of a dataset or file, where kinds are numbers.

        Raises:
            InvalidInput: One of them is none.
        """
        columns = {entry.source: stored[entry.name] for entry in CONTACT_LOG}
        kinds = as_numbers("contact_kind", columns["kind"], (None,), np.int64)
        check_whole("contact_kind", kinds, 1, len(CONTACT_KINDS))
        return cls(**columns | {"kind": np.array(CONTACT_KINDS)[kinds - 1]})

    def stored(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays by the names of `variables.CONTACT_LOG`, kinds as numbers."""
        numbers = {word: k for k, word in enumerate(CONTACT_KINDS, 1)}
        kinds = np.array([numbers[word] for word in self.kind.tolist()], np.int64)
        columns = self.columns | {"kind": kinds}
        return {entry.name: columns[entry.source] for entry in CONTACT_LOG}


def _empty() -> ContactTable:
    return ContactTable.from_stored(
        {entry.name: np.zeros((0, 2)[: len(entry.dims)], entry.dtype) for entry in CONTACT_LOG}
    )


# Of a run that records none.
NO_CONTACTS = _empty()
