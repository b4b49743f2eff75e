"""Ways to damage the file of a run, or to make it hostile."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

_NUMBERS = [np.nan, np.inf, -np.inf, 1e300, -1e300, 1e99, -1e30, 1e9, -1.0, 0.0, 0.5, 7.0]
_WHOLE = [2**62, -(2**62), 2**31, 1000, 5, 3, 1, 0, -1, -2]
_TEXTS = [
    "",
    "text",
    "4",
    "nan",
    "\x1b[2J",
    "x" * 10**6,
    "[" * 10**5,
    '{"a":' * 10**4,
    "9" * 9999,
]
_KINDS: list[Any] = [
    "f2", "f4", ">f8", "i1", "u1", "i2", "i4", ">i8", "u8", "c16", "S8", "?",
    h5py.string_dtype(), h5py.vlen_dtype("f8"), h5py.ref_dtype, h5py.enum_dtype({"a": 0, "b": 1}),
    np.dtype([("a", "f8"), ("b", "i4")]), np.dtype(("f8", (3,))), np.dtype("V8"),
]  # fmt: skip
_ATTRIBUTES = ["format", "format", "scenario", "columns_format", "serpenoid_version", "checksum"]
_HUGE = 10**12

Damage = Callable[[random.Random, Path], None]


def damage(draw: random.Random, path: Path, others: list[bytes]) -> None:
    """Damage a file in one way or another.

    Args:
        draw: Random numbers.
        path: The file.
        others: Other files, of which parts may be taken.
    """
    if draw.random() < 0.45:
        draw.choice([_truncate, _flip, _flip, _overwrite, _graft, _heaps])(draw, path, others)
        return
    with h5py.File(path, "r+") as file:
        # Files of later formats have a checksum; who wants to harm can do without.
        if draw.random() < 0.9 and file.attrs.get("format", 1) > 3:
            file.attrs["format"] = 3
        for _ in range(draw.choice([1, 1, 1, 2])):
            draw.choice(_WAYS)(draw, file)


def _truncate(draw: random.Random, path: Path, _: list[bytes]) -> None:
    content = path.read_bytes()
    cut = content[: draw.randrange(len(content))]
    more = [b"", b"", bytes(len(content) - len(cut)), draw.randbytes(1000), content]
    path.write_bytes(cut + draw.choice(more))


def _flip(draw: random.Random, path: Path, _: list[bytes]) -> None:
    content = bytearray(path.read_bytes())
    # Everywhere, or in one stretch; that of the beginning holds the structure.
    begin = draw.choice([0, 0, draw.randrange(len(content))])
    end = min(len(content), begin + draw.choice([100, 2000, 20_000, len(content)]))
    for _flip in range(draw.choice([1, 1, 2, 8, 64])):
        content[draw.randrange(begin, end)] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def _overwrite(draw: random.Random, path: Path, _: list[bytes]) -> None:
    content = bytearray(path.read_bytes())
    size = draw.choice([1, 2, 4, 8, 64, 512, 4096])
    begin = draw.randrange(len(content) - size)
    other = draw.randrange(len(content) - size)
    fills = [bytes(size), b"\xff" * size, draw.randbytes(size), content[other : other + size]]
    content[begin : begin + size] = draw.choice(fills)
    path.write_bytes(content)


def _graft(draw: random.Random, path: Path, others: list[bytes]) -> None:
    content, other = path.read_bytes(), draw.choice(others)
    cut = draw.randrange(min(len(content), len(other)))
    path.write_bytes(content[:cut] + other[cut:])


def _heaps(draw: random.Random, path: Path, _: list[bytes]) -> None:
    path.write_bytes(path.read_bytes() + overlapping_heaps(draw.choice([2**13, 2**17, 2**20])))


def overlapping_heaps(size: int) -> bytes:
    """Global heaps of HDF5, each within the one before, whose objects are those of all of them."""
    header, count = b"GCOL\1\0\0\0", size // 32
    # An object of 16 bytes, which are the header of the next heap.
    one = b"\1" + bytes(7) + (16).to_bytes(8, "little")
    heaps = (header + (32 * (count - k) + 16).to_bytes(8, "little") + one for k in range(count))
    return b"".join(heaps) + bytes(16)


def _variable(draw: random.Random, file: h5py.File) -> tuple[h5py.Group, str]:
    """A variable that is read."""
    group = file["state"] if "state" in file and draw.random() < 0.3 else file
    names = [name for name in group if name not in ("link", "joint", "axis", "load", "state")]
    # Logs are rare, and look things up.
    logs = [name for name in names if name.startswith(("event_", "contact_"))]
    if not isinstance(group, h5py.Group) or not names:
        return file, "nothing"
    return group, draw.choice(logs if logs and draw.random() < 0.4 else names)


def _put(group: h5py.Group, name: str, *arguments: Any, **options: Any) -> None:
    if name in group:
        del group[name]
    group.create_dataset(name, *arguments, **options)


def _numbers(draw: random.Random, file: h5py.File) -> None:
    group, name = _variable(draw, file)
    data = group[name][...] if isinstance(group.get(name), h5py.Dataset) else np.zeros(3)
    if data.dtype.kind not in "if" or data.size == 0:
        return
    for _ in range(draw.choice([1, 1, 3])):
        where = draw.randrange(data.size)
        if data.dtype.kind == "f":
            with np.errstate(over="ignore"):
                data.flat[where] = draw.choice(_NUMBERS)
        else:
            data.flat[where] = draw.choice(_WHOLE) % 2 ** (8 * data.itemsize - 1)
    _put(group, name, data=data)


def _shape(draw: random.Random, file: h5py.File) -> None:
    group, name = _variable(draw, file)
    shape = list(group[name].shape) if isinstance(group.get(name), h5py.Dataset) else [3]
    if not shape or draw.random() < 0.3:
        shape.insert(draw.randint(0, len(shape)), draw.choice([0, 1, 2]))
    else:
        shape[draw.randrange(len(shape))] = draw.choice([0, 1, 2, 3, 5, 7, 100, 100_000])
    _put(group, name, data=np.full(shape, draw.choice([0.0, 1.0])))


def _kind(draw: random.Random, file: h5py.File) -> None:
    group, name = _variable(draw, file)
    shape = group[name].shape if isinstance(group.get(name), h5py.Dataset) else (3,)
    _put(group, name, shape, draw.choice(_KINDS))


def _names(draw: random.Random, file: h5py.File) -> None:
    group, name = _variable(draw, file)
    if name not in group:
        return
    other = draw.choice([name.upper(), f"{name}_", "deeper/" + name, f"{name}\N{SNAKE}"])
    if draw.random() < 0.5:
        del group[name]
    elif other not in group:
        group.move(name, other)


def _link(draw: random.Random, file: h5py.File) -> None:
    group, name = _variable(draw, file)
    if name in group:
        del group[name]
    if draw.random() < 0.3:
        group, name = file, "state"
        del file["state"]
    targets = [
        h5py.SoftLink("/x"),
        h5py.SoftLink(f"/{name}"),
        h5py.SoftLink("/state"),
        h5py.ExternalLink("/etc/passwd", "/x"),
        h5py.ExternalLink(file.filename, "/x"),
        file["/"],
        file["x"] if "x" in file else file["/"],
        np.dtype("f8"),
    ]
    group[name] = draw.choice(targets)


def _elsewhere(draw: random.Random, file: h5py.File) -> None:
    """Numbers that are in other files."""
    group, name = _variable(draw, file)
    shape = (draw.choice([6, _HUGE]),)
    if name in group:
        del group[name]
    if draw.random() < 0.5:
        group.create_dataset(name, shape, "f8", external=draw.choice(["/etc/passwd", "/dev/zero"]))
        return
    layout = h5py.VirtualLayout(shape, "f8", maxshape=(None,))
    source = h5py.VirtualSource(draw.choice(["/etc/passwd", "."]), "x", shape, maxshape=(None,))
    layout[: shape[0]] = source[: shape[0]]
    group.create_virtual_dataset(name, layout)


def _bomb(draw: random.Random, file: h5py.File) -> None:
    """A small file that declares much."""
    group, name = _variable(draw, file)
    rank = draw.choice([1, 1, 2, 3, 30])
    shape = tuple([1] * (rank - 1) + [draw.choice([10**8, _HUGE, 2**60])])
    options: dict[str, Any] = draw.choice([
        {},
        {"chunks": (1,) * (rank - 1) + (10**6,), "compression": "gzip"},
        {"chunks": (1,) * (rank - 1) + (10**8,)},
        {"chunks": True, "compression": "lzf", "shuffle": True, "fletcher32": True},
        {"chunks": (1,) * (rank - 1) + (10**6,), "fillvalue": np.nan},
        {"maxshape": (None,) * rank},
    ])  # fmt: skip
    _put(group, name, shape, "f8", **options)
    if options.get("compression") == "gzip":
        group[name][(0,) * (rank - 1) + (slice(0, 10**6),)] = 0.0


def _filter(draw: random.Random, file: h5py.File) -> None:
    """Numbers that only code from elsewhere could decode."""
    group, name = _variable(draw, file)
    shape = group[name].shape if isinstance(group.get(name), h5py.Dataset) else (3,)
    if not shape or 0 in shape:
        return
    if name in group:
        del group[name]
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(shape)
    codes = [32001, 32015, 305, 511, 65535]
    plist.set_filter(draw.choice(codes), h5py.h5z.FLAG_OPTIONAL, (1, 2, 3))
    space = h5py.h5s.create_simple(shape)
    h5py.h5d.create(group.id, name.encode(), h5py.h5t.IEEE_F64LE, space, plist)


def _attribute(draw: random.Random, file: h5py.File) -> None:
    state = isinstance(file.get("state"), h5py.Group) and draw.random() < 0.2
    owner, name = (file["state"], "version") if state else (file, draw.choice(_ATTRIBUTES))
    values = [*_TEXTS, *_WHOLE, *_NUMBERS, b"\xff\xfe", [1, 2, 3], ["a", "b"], h5py.Empty("f8")]
    if draw.random() < 0.2:
        owner.attrs.pop(name, None)
    elif draw.random() < 0.2:
        owner.attrs.create(name, np.zeros(draw.choice([1, 1000])), dtype=draw.choice(["f8", "i8"]))
    else:
        owner.attrs[name] = draw.choice(values)


def _scenario(draw: random.Random, file: h5py.File) -> None:
    """Another value somewhere in the scenario."""
    if not isinstance(file.attrs.get("scenario"), str):
        return
    data = told = json.loads(file.attrs["scenario"])
    key: Any = draw.choice(sorted(told))
    while isinstance(told[key], dict | list) and told[key] and draw.random() < 0.8:
        told = told[key]
        key = draw.choice(sorted(told)) if isinstance(told, dict) else draw.randrange(len(told))
    if draw.random() < 0.15:
        del told[key]
    else:
        junk = [None, True, "", "text", -1, 0, 3, 1.5, 1e300, [], {}, [[]], {"kind": "x"}]
        told[key] = draw.choice([*junk, float("nan"), float("inf"), 10**400, "x" * 10**5])
    file.attrs["scenario"] = json.dumps(data)


_WAYS = [
    *(_numbers, _numbers, _numbers, _shape, _shape, _kind, _kind, _names, _link),
    *(_elsewhere, _bomb, _bomb, _filter, _attribute, _attribute, _scenario, _scenario),
]
