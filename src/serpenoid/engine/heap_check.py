"""Whether the texts in an HDF5 file can be read without end.

HDF5 keeps texts of any length in global heaps, which have no checksum, and walks through the
objects of a heap by the sizes that they declare. It trusts these: where a damaged block holds
zeros, the walk stays in one place for ever. The layout is that of the HDF5 File Format
Specification, III.E.
"""

from __future__ import annotations

import mmap
from pathlib import Path

# Signature and version.
_HEAP = b"GCOL\1"
# Sizes of the header of a heap and of that of an object in it, and of the smallest heap, B.
_HEADER, _LEAST = 16, 4096


def heaps_are_sound(path: Path) -> bool:
    """Whether the walk through every global heap of a file comes to its end, and soon.

    Args:
        path: The file.
    """
    if path.stat().st_size == 0:
        return True
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        # Of all heaps together: those that overlap would have the same ones walked many times.
        left = len(content) // _HEADER
        begin = content.find(_HEAP)
        while begin >= 0:
            size = _number(content, begin + 8)
            # HDF5 itself refuses a heap of another size; most often, it is none but numbers.
            if _LEAST <= size <= len(content) - begin:
                objects = _objects(content, begin, begin + size, left)
                if objects is None:
                    return False
                left -= objects
            begin = content.find(_HEAP, begin + 1)
    return True


def _objects(content: mmap.mmap, begin: int, end: int, most: int) -> int | None:
    """How many objects fill a heap one after the other; None if they do not, or are too many."""
    place, count = begin + _HEADER, 0
    while place + _HEADER <= end:
        index, size = (
            int.from_bytes(content[place : place + 2], "little"),
            _number(content, place + 8),
        )
        # Object 0 is what is free, its header included; others are padded to 8 bytes.
        taken = size if index == 0 else _HEADER + (size + 7) // 8 * 8
        count += 1
        if count > most or not _HEADER <= taken <= end - place:
            return None
        place += taken
    return count


def _number(content: mmap.mmap, place: int) -> int:
    return int.from_bytes(content[place : place + 8], "little")
