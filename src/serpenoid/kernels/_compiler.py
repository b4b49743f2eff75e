"""How kernels are compiled: with `_reference` and `_shortcuts`, all that leans on private Numba.

Numba optimises a function together with all that it calls, and does so again for each of its
callers. Here a function that only kernels call (a part) becomes LLVM IR and no more. A function
that Python calls (an entry) links the IR of all parts that it reaches, and is optimised once.

Importing this module fails where Numba no longer has the names that it needs. That they still do
what they did is tried on two small functions before anything else is compiled.
"""

import functools
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba import _dynfunc
from numba.core import codegen, compiler, serialize, typed_passes, untyped_passes
from numba.core.caching import NullCache
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.environment import lookup_environment

from serpenoid.kernels import _store
from serpenoid.kernels._fingerprint import Unkeyed, fingerprint, source_digest, type_digest
from serpenoid.kernels._reference import outlives_its_frame
from serpenoid.kernels._shortcuts import shortcuts

# Settings of Numba that change the code it makes.
_SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")
_ENVIRONMENT = "_ZN08NumbaEnv"


# --------------------------------------------------------------------------------------- libraries


def _reached(root: Any) -> list[Any]:
    """The libraries of all functions that a library calls, directly or not, callers first.

    LLVM links a function in only if what is there already calls it.
    """
    found: dict[Any, None] = {}

    def visit(library: Any) -> None:
        for callee in library._linking_libraries:
            if callee not in found:
                if isinstance(callee, _PartLibrary):
                    visit(callee)
                found[callee] = None

    visit(root)
    return list(reversed(found))


def _link(module: Any, root: Any) -> None:
    """Link all that a library reaches into a module."""
    for library in _reached(root):
        alone = isinstance(library, _PartLibrary)
        part = library.alone() if alone else library._get_module_for_linking()
        module.link_in(part, preserve=True)
        root._reload_init.update(library._reload_init)


class _PartLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The IR of one function, simplified by itself but not joined with what it calls."""

    def finalize(self) -> None:
        self._finalized = True

    def alone(self) -> Any:
        """The IR of the function, for entries."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """The same with all that it calls, for functions that are decorated by Numba itself."""
        module = self.alone().clone()
        _link(module, self)
        return module


class _EntryLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The machine code of an entry with all that it reaches."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        module = self._final_module
        own = {function.name for function in module.functions if not function.is_declaration}
        _link(module, self)
        self._optimize_final_module()
        # Only now: what is private and called once would be inlined, however large and rare. With
        # `internal`, functions of the same name in two entries are taken for each other.
        for function in module.functions:
            if not function.is_declaration and function.name not in own:
                function.linkage = "private"
        module.verify()
        self._finalize_final_module()

    def _get_module_for_linking(self) -> Any:
        """The names that the machine code defines: kernels link the part of the same function."""
        names = [f.name for f in self._final_module.functions if f.linkage == llvm.Linkage.external]
        stubs = [f'define void @"{name}"() {{ ret void }}' for name in names]
        return llvm.parse_assembly("\n".join(stubs))


# --------------------------------------------------------------------------------------- pipelines


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(typed_passes.NativeLowering):  # type: ignore[misc]
    _name = "serpenoid_part_lowering"

    def run_pass(self, state: Any) -> bool:
        context = state.targetctx
        if outlives_its_frame(state.return_type):
            raise TypeError(f"{state.func_id.func_qualname} returns an address in its own frame")
        state.library = _PartLibrary(context.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        module, name = lowered.fndesc.lookup_module(), lowered.fndesc.qualname.split(".")[-1]
        # Never called: the key by which the callers find the function.
        key = _dynfunc.make_function(module, name, "", 0, lowered.env, (state.library,))
        context.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _EntryLowering(typed_passes.NativeLowering):  # type: ignore[misc]
    _name = "serpenoid_entry_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = library = _EntryLibrary(
            state.targetctx.codegen(), state.func_id.func_qualname
        )
        library.enable_object_caching()
        super().run_pass(state)
        for variable in library._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    library.codegen.set_env(variable.name, environment)
        return True


# Passes for what kernels do not have: closures, `with`, exceptions, expressions of arrays, Numba's
# own way to inline, reference counts. A seventh of the time.
_NEEDLESS = {
    untyped_passes.WithLifting,
    untyped_passes.InlineClosureLikes,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    typed_passes.NoPythonSupportedFeatureValidation,
    typed_passes.AnnotateTypes,
    typed_passes.DumpParforDiagnostics,
    typed_passes.IRLegalization,
}


class _Compiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's pipeline with another way to lower, if that works."""

    lowering: Any

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        works()
        with shortcuts():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        if not _verdict:
            return [passes]
        ours = PassManager(passes.pipeline_name)
        for step, about in passes.passes:
            if step not in _NEEDLESS:
                ours.add_pass(self.lowering if step is typed_passes.NativeLowering else step, about)
        ours.finalize()
        return [ours]


class PartCompiler(_Compiler):
    """Compile a function that only kernels call."""

    lowering = _PartLowering


class EntryCompiler(_Compiler):
    """Compile a function that Python calls."""

    lowering = _EntryLowering


# ------------------------------------------------------------------------------------------- trial

# Whether the pipelines work; None before they were tried.
_verdict: bool | None = None


def works() -> bool:
    """Whether the pipelines work with this Numba, tried once; if not, its own one is used."""
    global _verdict
    if _verdict is None:
        _verdict = True  # for the trial itself
        try:
            _try()
        except Exception as error:
            _verdict = False
            print(
                f"serpenoid: Numba {numba.__version__} compiles kernels in its own way, which takes"
                f" longer ({type(error).__name__}: {error})",
                file=sys.stderr,
            )
    return _verdict


def _try() -> None:
    """Compile an entry with a part, take it to bytes and back, and call both.

    Raises:
        Exception: Whatever a Numba whose private parts have changed may raise.
    """
    # It imports this module.
    from serpenoid.kernels._jit import FLAGS

    part = numba.njit(pipeline_class=PartCompiler, no_cpython_wrapper=True, **FLAGS)
    entry = numba.njit(pipeline_class=EntryCompiler, **FLAGS)
    half = part(lambda x: 0.5 * x)
    result = entry(lambda x: half(half(x))).get_compile_result(numba.float64(numba.float64))
    copy = from_bytes(result.target_context, to_bytes(result))
    values = result.entry_point(8.0), copy.entry_point(8.0)
    if values != (2.0, 2.0):
        raise ArithmeticError(f"8 / 4 came out as {values}")


# ------------------------------------------------------------------------------------------- store


def to_bytes(result: Any) -> bytes:
    """A compiled entry as it is kept."""
    return bytes(serialize.dumps(result._reduce()))


def from_bytes(context: Any, data: bytes) -> Any:
    """The compiled entry that was kept."""
    return compiler.CompileResult._rebuild(context, *pickle.loads(data))


@functools.cache
def _sources() -> str:
    """A digest of the modules that decide what kernels compile to, and are not reached by them."""
    names = ("_compiler", "_jit", "_reference", "_shortcuts")
    return source_digest(Path(__file__).with_name(f"{name}.py").read_text() for name in names)


def store_name(kernel: Any) -> str:
    """What the files of an entry begin with, for this compiler and processor.

    Raises:
        Unkeyed: The entry uses something whose value cannot be told from one process to another.
    """
    settings = [getattr(numba.config, name, None) for name in _SETTINGS]
    python = sys.implementation.cache_tag, getattr(sys, "abiflags", "")
    versions = numba.__version__, llvmlite.__version__, np.__version__
    processor = kernel.targetctx.codegen().magic_tuple()
    made_by = _sources(), python, versions, settings, processor
    function = kernel.py_func
    return f"{function.__module__}.{function.__qualname__}-{fingerprint(kernel, repr(made_by))}"


class EntryCache(NullCache):  # type: ignore[misc]
    """What a dispatcher asks before it compiles an entry, and tells afterwards.

    To load one needs nothing of what Numba imports to compile, which takes half a second.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel

    def _file_name(self, signature: Any) -> str | None:
        arguments = getattr(signature, "args", signature)
        try:
            return f"{store_name(self._kernel)}-{type_digest(arguments)}"
        except Unkeyed:
            return None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled entry for arguments of these types, or None."""
        name = self._file_name(sig)
        data = _store.read(name) if name else None
        if name is None or data is None:
            return None
        try:
            return from_bytes(target_context, data)
        except Exception as error:
            _store.complain(name, str(error))
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled entry, unless it holds addresses of this process."""
        name = self._file_name(sig)
        if name and not data.lifted and not data.library.has_dynamic_globals:
            _store.write(name, to_bytes(data))
