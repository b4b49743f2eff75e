"""What the decorators of kernels promise."""

import gc
import os
import stat
import threading

import numba
import pytest

from serpenoid.kernels import _compiler, _jit
from serpenoid.kernels.references import set_references
from tests.kernels import tiny_kernels
from tests.kernels.tiny_kernels import VALUES, call, outcome, start, write

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@compiled
@pytest.mark.parametrize(("given", "named"), [((1, 2, 3), {}), ((), {"t": 0.0})])
def test_inner_kernels_refuse_python_instead_of_ending_it(given, named):
    with pytest.raises(TypeError, match="set_references is called by other kernels only"):
        set_references(*given, **named)


def test_another_checkout_loads_and_a_changed_constant_compiles(tmp_path):
    cache = tmp_path / "cache"
    assert call(write(tmp_path / "here"), cache)[:2] == (VALUES, "0 loaded")
    moved = {"parts": ("", "# a comment\n\n"), "entries": ("", "\n\n")}
    assert call(write(tmp_path / "there", moved), cache)[:2] == (VALUES, "2 loaded")
    caller = {"parts": ("7.0 * x", "8.0 * x")}
    assert call(write(tmp_path / "caller", caller), cache)[:2] == ("4.0 28.0", "1 loaded")
    both = {"constants": ("OFFSET = 1.0", "OFFSET = 3.0")}
    assert call(write(tmp_path / "both", both), cache)[:2] == ("6.0 27.0", "0 loaded")
    # What was compiled for one of them is still there for the others.
    assert call(tmp_path / "here", cache)[:2] == (VALUES, "2 loaded")


def test_damaged_machine_code_is_compiled_again(tmp_path):
    package, cache = write(tmp_path / "here"), tmp_path / "cache"
    call(package, cache)
    for file in cache.iterdir():
        file.write_bytes(file.read_bytes()[:-100])
    values, loaded, said = call(package, cache)
    assert (values, loaded) == (VALUES, "0 loaded")
    assert said.count("compiling again") == 2
    assert call(package, cache) == (VALUES, "2 loaded", "")


@pytest.mark.thorough
def test_two_processes_at_once_and_no_folder_at_all(tmp_path):
    package, cache = write(tmp_path / "here"), tmp_path / "cache"
    for process in [start(package, cache), start(package, cache)]:
        assert outcome(process)[0] == VALUES
    assert call(package, cache) == (VALUES, "2 loaded", "")
    (tmp_path / "file").write_text("")
    assert call(package, tmp_path / "file" / "cache") == (VALUES, "0 loaded", "")


@pytest.mark.thorough
def test_a_numba_without_the_names_we_need_compiles_and_keeps_in_its_own_way(tmp_path):
    package, cache = write(tmp_path / "here"), tmp_path / "cache"
    # Folders that Numba makes are open to all then.
    before = "import os; os.umask(0)\n"
    before += "import numba.core.codegen as codegen; del codegen.JITCodeLibrary\n"
    assert call(package, cache, before) == (VALUES, "0 loaded", "")
    assert call(package, cache, before) == (VALUES, "2 loaded", "")
    (own,) = cache.iterdir()
    if os.name == "posix":
        assert [stat.S_IMODE(place.stat().st_mode) for place in (cache, own)] == [0o700, 0o700]
        own.chmod(0o777)
        values, loaded, said = call(package, cache, before)
        assert (values, loaded) == (VALUES, "0 loaded")
        assert f"compiled code is not kept in {own}, because others can write there" in said
        own.chmod(0o700)
    changed = write(tmp_path / "changed", {"constants": ("OFFSET = 1.0", "OFFSET = 3.0")})
    assert call(changed, cache, before)[0] == "6.0 27.0"


@pytest.mark.thorough
def test_without_addresses_named_tuples_are_handed_over_number_by_number(tmp_path):
    entry = (
        "pair = halves(x)",
        "pair = by_reference(halves(x))",
    )
    package, cache = write(tmp_path / "here", {"entries": entry}), tmp_path / "cache"
    source = package / "tiny" / "entries.py"
    source.write_text("from serpenoid.kernels._jit import by_reference\n" + source.read_text())
    before = "import numba.extending as extending; del extending.lower_setattr_generic\n"
    assert call(package, cache, before) == (VALUES, "0 loaded", "")
    assert call(package, cache, before) == (VALUES, "2 loaded", "")
    # The same package with them.
    assert call(package, tmp_path / "other")[0] == VALUES


@pytest.mark.thorough
@pytest.mark.parametrize(
    "before", ["", "import numba.core.codegen as codegen; del codegen.JITCodeLibrary\n"]
)
def test_code_that_checks_bounds_is_kept_apart(before, tmp_path):
    package, cache = write(tmp_path / "here"), tmp_path / "cache"
    for checked in ("0", "1"):
        for loaded in ("0 loaded", "2 loaded"):
            answer = call(package, cache, before, NUMBA_BOUNDSCHECK=checked)
            assert answer == (VALUES, loaded, "")


def test_a_numba_that_works_otherwise_compiles_in_its_own_way(tmp_path):
    package, cache = write(tmp_path / "here"), tmp_path / "cache"
    before = (
        "from serpenoid.kernels import _compiler\n"
        "del _compiler.lookup_environment, _compiler._dynfunc\n"
    )
    values, loaded, said = call(package, cache, before)
    assert (values, loaded) == (VALUES, "0 loaded")
    assert said.count("compiles kernels in its own way") == 1
    assert call(package, cache, before) == (VALUES, "2 loaded", "")


def test_kernels_are_python_without_a_compiler(tmp_path):
    answer = call(write(tmp_path / "here"), tmp_path / "cache", NUMBA_DISABLE_JIT="1")
    assert answer == (VALUES, "not compiled", "")
    assert not (tmp_path / "cache").exists()


@compiled
def test_threads_compile_once_and_garbage_is_collected_afterwards(tmp_path, monkeypatch):
    monkeypatch.setenv("SERPENOID_CACHE_DIR", str(tmp_path / "cache"))
    entries = tiny_kernels.imported(write(tmp_path / "here"), monkeypatch)
    assert not _jit.is_compiled(entries.outer)
    results: list[float] = []
    threads = [
        threading.Thread(target=lambda: results.append(entries.outer(3.0))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [25.0] * 4
    assert sum(entries.outer.stats.cache_misses.values()) == 1
    assert _compiler.works()
    assert gc.isenabled()
    assert _jit.is_compiled(entries.outer)
    assert not _jit.is_compiled(entries.total)


@compiled
def test_machine_code_is_that_of_the_types(tmp_path, monkeypatch):
    monkeypatch.setenv("SERPENOID_CACHE_DIR", str(tmp_path / "cache"))
    entries = tiny_kernels.imported(write(tmp_path / "here"), monkeypatch)
    code = _jit.machine_code(entries.total, 3.0)
    assert code(3.0) == entries.total(3.0) == 4.0
    assert len(entries.total.signatures) == 1


@compiled
def test_functions_decorated_by_numba_itself_can_call_kernels(tmp_path, monkeypatch):
    monkeypatch.setenv("SERPENOID_CACHE_DIR", str(tmp_path / "cache"))
    entries = tiny_kernels.imported(write(tmp_path / "here"), monkeypatch)
    total, outer = entries.total, entries.outer
    assert numba.njit(lambda x: total(x) + outer(x))(3.0) == 29.0
