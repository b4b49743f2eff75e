"""How kernels hand named tuples and blocks of lanes to each other: as addresses.

Numba hands a tuple over number by number: that of a robot has two hundred, at every call. And it
makes an array of every field of a block before it reads one lane of it, twenty instructions where
two do. A third of the time of compiling went into that: `aiko_pegs` took 52 s, and takes 33.

In Python nothing of this exists: `by_reference` returns what it is given.
"""

# Numba has no types for its decorators, and not all of its names.
# mypy: disable-error-code="untyped-decorator,attr-defined"

import operator
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_global,
    signature,
)
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
    type_callable,
)

from serpenoid.kernels.block_layout import BLOCK

T = TypeVar("T")

_BLOCK = numba.from_dtype(BLOCK)


def by_reference(value: T) -> T:
    """A named tuple as an address, for kernels: its fields are read as before.

    It points into the frame of the function that calls this, which must be an entry: an address
    must not outlive it. A named tuple within it is an address, too, and so are blocks of lanes,
    which have no negative indices.
    """
    return value


def outlives_its_frame(kind: Any) -> bool:
    """Whether a function that returns something of a type returns an address in its own frame."""
    members = getattr(kind, "types", ())
    inner = members if isinstance(members, tuple) else ()
    return isinstance(kind, Reference) or any(map(outlives_its_frame, inner))


class _Address(types.Type):
    """Where something is.

    Attributes:
        kind: Type of what is there.
    """

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        super().__init__(name=f"{type(self).__name__}({kind._code})")

    @property
    def mangling_args(self) -> tuple[str, tuple[int]]:
        """What it is called in the names of compiled functions: short, for they are many."""
        return type(self).__name__, (self.kind._code,)


class Reference(_Address):
    """The address of a named tuple."""


class Blocks(_Address):
    """Blocks of lanes, all of one kind of record: their address and their number."""


class Block(_Address):
    """The address of one block."""


class Lanes(_Address):
    """The address of one field of a block, a number for each lane."""


def _pointer(context: Any, kind: Any) -> Any:
    """An address in the words of LLVM."""
    return context.get_data_type(kind).as_pointer()


# ---------------------------------------------------------------------------------- models


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Reference) -> None:
        super().__init__(dmm, fe_type, dmm.lookup(fe_type.kind).get_value_type().as_pointer())


@register_model(Blocks)
class _BlocksModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Blocks) -> None:
        super().__init__(dmm, fe_type, [("first", types.voidptr), ("count", types.intp)])


@register_model(Block)
@register_model(Lanes)
class _PlaceModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: _Address) -> None:
        super().__init__(dmm, fe_type, ir.IntType(8).as_pointer())


# ---------------------------------------------------------------------------------- named tuples


@type_callable(by_reference)
def _type_by_reference(_context: Any) -> Any:
    def typer(value: Any) -> Any:
        return Reference(value) if isinstance(value, types.BaseNamedTuple) else None

    return typer


@lower_builtin(by_reference, types.BaseNamedTuple)
def _lower_by_reference(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    return cgutils.alloca_once_value(builder, arguments[0])


def _has_lanes(kind: Any) -> bool:
    """Whether something is an array of blocks of lanes."""
    is_list = isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C"
    return is_list and kind.dtype == _BLOCK


def _as_read(reference: Reference, name: str) -> Any:
    """The type of a field as it is read."""
    kind = reference.kind[reference.kind.fields.index(name)]
    if isinstance(kind, types.BaseNamedTuple):
        return Reference(kind)
    return Blocks(kind.dtype) if _has_lanes(kind) else kind


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = Reference

    def generic_resolve(self, reference: Reference, name: str) -> Any:
        return _as_read(reference, name) if name in reference.kind.fields else None


@lower_getattr_generic(Reference)
def _lower_field(context: Any, builder: Any, reference: Reference, address: Any, name: str) -> Any:
    index = reference.kind.fields.index(name)
    place, wanted = cgutils.gep_inbounds(builder, address, 0, index), _as_read(reference, name)
    if isinstance(wanted, Reference):
        return place
    value = builder.load(place)
    if not isinstance(wanted, Blocks):
        return value
    array = context.make_array(reference.kind[index])(context, builder, value)
    blocks = cgutils.create_struct_proxy(wanted)(context, builder)
    blocks.first = builder.bitcast(array.data, blocks.first.type)
    blocks.count = array.nitems
    return blocks._getvalue()


# ---------------------------------------------------------------------------------- blocks of lanes


@infer_getattr
class _BlocksShape(AttributeTemplate):  # type: ignore[misc]
    key = Blocks

    def resolve_shape(self, _blocks: Blocks) -> Any:
        return types.UniTuple(types.intp, 1)


@lower_getattr(Blocks, "shape")
def _lower_shape(context: Any, builder: Any, kind: Blocks, value: Any) -> Any:
    blocks = cgutils.create_struct_proxy(kind)(context, builder, value)
    return context.make_tuple(builder, types.UniTuple(types.intp, 1), (blocks.count,))


@infer_getattr
class _BlockFields(AttributeTemplate):  # type: ignore[misc]
    key = Block

    def generic_resolve(self, block: Block, name: str) -> Any:
        if name not in block.kind.fields:
            return None
        kind = block.kind.typeof(name)
        return Lanes(kind) if isinstance(kind, types.NestedArray) else kind


@lower_getattr_generic(Block)
def _lower_block_field(context: Any, builder: Any, block: Block, address: Any, name: str) -> Any:
    place = cgutils.pointer_add(builder, address, block.kind.offset(name))
    kind = block.kind.typeof(name)
    if isinstance(kind, types.NestedArray):
        return place
    return context.unpack_value(builder, kind, builder.bitcast(place, _pointer(context, kind)))


@lower_setattr_generic(Block)
def _lower_set_field(context: Any, builder: Any, sig: Any, arguments: Any, name: str) -> None:
    block, (address, value) = sig.args[0], arguments
    place = cgutils.pointer_add(builder, address, block.kind.offset(name))
    kind = block.kind.typeof(name)
    value = context.cast(builder, value, sig.args[1], kind)
    context.pack_value(builder, kind, value, builder.bitcast(place, _pointer(context, kind)))


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        owner, index = args
        if kws or not isinstance(index, types.Integer):
            return None
        if isinstance(owner, Blocks):
            return signature(Block(owner.kind), owner, types.intp)
        if isinstance(owner, Lanes):
            return signature(owner.kind.dtype, owner, types.intp)
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        owner, index, _ = args
        if kws or not isinstance(owner, Lanes) or not isinstance(index, types.Integer):
            return None
        return signature(types.none, owner, types.intp, owner.kind.dtype)


def _check(context: Any, builder: Any, index: Any, count: Any) -> None:
    """Look whether an index is within bounds, where Numba is told to look."""
    if numba.config.BOUNDSCHECK:
        cgutils.do_boundscheck(context, builder, index, count)


def _lane(context: Any, builder: Any, lanes: Lanes, address: Any, index: Any) -> Any:
    _check(context, builder, index, ir.Constant(index.type, lanes.kind.shape[0]))
    first = builder.bitcast(address, _pointer(context, lanes.kind.dtype))
    return builder.gep(first, [index], inbounds=True)


@lower_builtin(operator.getitem, Blocks, types.intp)
def _lower_block(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    blocks = cgutils.create_struct_proxy(sig.args[0])(context, builder, arguments[0])
    _check(context, builder, arguments[1], blocks.count)
    offset = builder.mul(arguments[1], ir.Constant(arguments[1].type, sig.return_type.kind.size))
    return cgutils.pointer_add(builder, blocks.first, offset)


@lower_builtin(operator.getitem, Lanes, types.intp)
def _lower_get_lane(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    place = _lane(context, builder, sig.args[0], *arguments)
    return context.unpack_value(builder, sig.return_type, place)


@lower_builtin(operator.setitem, Lanes, types.intp, types.Any)
def _lower_set_lane(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    lanes, address, value = sig.args[0], arguments[0], arguments[2]
    place = _lane(context, builder, lanes, address, arguments[1])
    context.pack_value(builder, lanes.kind.dtype, value, place)
    return context.get_dummy_value()
