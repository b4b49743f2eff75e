"""Numbers of a page: the values of every frame as compact text."""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
# What is kept of rows that are left out.
Over = Literal["", "mean", "largest", "sum"]


@dataclass(frozen=True)
class Channel:
    """Values of every frame.

    Attributes:
        values: The values, (frames, ...).
        step: Values are kept as whole multiples of it; 0 keeps them as they are.
        over: What a frame holds of the rows since the frame before it, where rows are left out:
            their 'mean', 'largest' or 'sum'; empty: its own row.
    """

    values: Array
    step: float = 0.0
    over: Over = ""

    @property
    def type(self) -> str:
        """The smallest NumPy type that holds the values."""
        if self.step == 0:
            return self.values.dtype.str[1:]
        largest = float(np.abs(self.values).max(initial=0.0)) / self.step
        fitting = (size for size in (1, 2, 4) if largest < 2 ** (8 * size - 1) - 1)
        return next((f"i{size}" for size in fitting), "f8")

    def characters(self) -> float:
        """Length of the base64 text of one frame."""
        return math.prod(self.values.shape[1:]) * np.dtype(self.type).itemsize * 4 / 3

    def thinned(self, kept: npt.NDArray[np.intp]) -> Channel:
        """The channel with some of its rows only.

        Args:
            kept: Numbers of the rows to keep, ascending from 0.
        """
        values = self.values[kept]
        if self.over and len(kept) > 1:
            gather = np.maximum if self.over == "largest" else np.add
            values[1:] = gather.reduceat(self.values[1 : kept[-1] + 1], kept[:-1])
            if self.over == "mean":
                values[1:] /= np.diff(kept).reshape(-1, *[1] * (values.ndim - 1))
        return Channel(values, self.step)

    def pack(self) -> dict[str, Any]:
        """Type, step and little-endian base64 text."""
        values, step = self.values, 1.0
        if self.type.startswith("i"):
            values, step = np.rint(values / self.step), self.step
        raw = np.ascontiguousarray(values, "<" + self.type).tobytes()
        return {"type": self.type, "step": step, "data": base64.b64encode(raw).decode("ascii")}
