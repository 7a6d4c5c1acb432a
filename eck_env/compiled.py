"""Compiling the engines with numba, and a cache of the machine code that notices every change.

Two decorators: `rule` for the small functions that are compiled into their callers, `entry_point` for the few
functions that Python calls. Only entry points are cached on disk. numba checks a cached function against its own
source file alone, so a change in a file it calls into would go unseen; here the stamp of every entry point is a hash
over all source files of the package, and of the folder of its own file where that lies elsewhere.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, _CacheLocator
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload, register_jitable

logger = logging.getLogger("eck_env")

F = TypeVar("F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).resolve().parent
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


@functools.cache
def source_stamp(folder: Path = _PACKAGE) -> str:
    """Return a hash over the names and contents of all Python files of the package, and of another folder."""
    digest = hashlib.blake2b(digest_size=16)
    for root in sorted({_PACKAGE, folder}):
        for path in sorted(root.rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _usable(folder: Path) -> bool:
    """Whether files can be written to the folder, which is made (private to the user) if need be."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder of the compiled code, or None if none can be written to.

    In this order: below ``NUMBA_CACHE_DIR`` if that is set, ``__pycache__`` inside the package, the user's cache
    folder. The last serves installations that are read-only or belong to somebody else; each installation gets a
    folder of its own there, so two never overwrite each other's code in turn.
    """
    own = "eck_env-" + hashlib.blake2b(str(_PACKAGE).encode(), digest_size=6).hexdigest()
    candidates = [_PACKAGE / "__pycache__"]
    if numba.config.CACHE_DIR:
        candidates = [Path(numba.config.CACHE_DIR) / own]
    with contextlib.suppress(RuntimeError):  # no home folder
        candidates.append(_user_cache() / own)
    return next((folder for folder in candidates if _usable(folder)), None)


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Tells numba where the package's compiled code lies and what it was compiled from."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._py_file = py_file
        self._module = py_func.__module__

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        home = Path(self._py_file).resolve().parent
        return source_stamp(_PACKAGE if home.is_relative_to(_PACKAGE) else home)

    def get_disambiguator(self) -> str:
        return self._module.replace(".", "_")

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        return cls(py_func, py_file)


class _CacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


@functools.cache
def _announce() -> None:
    """Say once a process why the first call takes seconds; shown by default, and silenced through logging."""
    logger.warning("eck_env: compiling the game for this machine; this takes a few seconds, the first time only")


class _Cache(FunctionCache):  # type: ignore[misc]
    """numba's cache, except that no trouble with the files ever reaches the caller."""

    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except Exception as error:  # a damaged file raises whatever it pleases
            logger.debug("eck_env: the compiled code in the cache could not be read: %r", error)
            found = None
            with contextlib.suppress(Exception):
                self.flush()  # or the damaged index would stand in the way of saving, too
        if found is None:
            _announce()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            logger.warning("eck_env: the compiled code could not be kept in %s: %s", self.cache_path, error)


class _NoCache(NullCache):  # type: ignore[misc]
    """Where no folder can be written to: every process compiles, and says so."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        _announce()


def rule(function: F) -> F:
    """Let compiled functions call this one, compiled into them; from Python it stays the plain function it is."""
    plain: F = register_jitable(forceinline=True, **_OPTIONS)(function)
    return plain


def rare_rule(function: F) -> F:
    """As `rule`, for what is seldom needed: compiled once and called, which keeps its callers small."""
    plain: F = register_jitable(**_OPTIONS)(function)
    return plain


def entry_point(function: F) -> F:
    """Compile a function that Python calls, and keep its machine code on disk where a folder for it can be found."""
    if numba.config.DISABLE_JIT:
        raise RuntimeError("eck_env's engine needs numba's compiler: unset NUMBA_DISABLE_JIT")
    compiled: Any = numba.njit(**_OPTIONS)(function)
    compiled._cache = _NoCache() if cache_folder() is None else _Cache(compiled.py_func)
    result: F = compiled
    return result


@intrinsic  # type: ignore[untyped-decorator]
def _popcount(typingctx: Any, bits: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _lowest_bit(typingctx: Any, bits: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


def popcount(bits: int) -> int:
    """Count the bits set in an integer that is not negative."""
    return int(bits).bit_count()


def lowest_bit(bits: int) -> int:
    """Return the index of the lowest bit set in a positive integer."""
    return (int(bits) & -int(bits)).bit_length() - 1


# numba compares the names and annotations of an overload with those of the lambda it returns: so there are none.
@overload(popcount)
def _compile_popcount(bits):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    return lambda bits: _popcount(np.int64(bits))


@overload(lowest_bit)
def _compile_lowest_bit(bits):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    return lambda bits: _lowest_bit(np.int64(bits))


def spread_bits(bits: int, count: int, out: np.ndarray[Any, Any]) -> None:
    """Write the lowest `count` bits, at most 64, as ones and zeros to the start of an array.

    In compiled code `count` must be a constant, and the array contiguous: the bits are then written as vectors.
    """
    for place in range(count):
        out[place] = (bits >> place) & 1


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def _spread_bits(typingctx: Any, bits: Any, count: Any, out: Any) -> Any:
    if not isinstance(count, types.IntegerLiteral) or not isinstance(out, types.Array) or out.layout != "C":
        raise TypingError("spread_bits needs a constant count and a contiguous array")

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        start = context.make_array(out)(context, builder, args[2]).data
        place = 0
        for width in (64, 32, 16, 8, 4, 2, 1):
            if count.literal_value & width:
                shifted = builder.lshr(args[0], ir.Constant(ir.IntType(64), place))
                word = builder.trunc(shifted, ir.IntType(width)) if width < 64 else shifted
                flags = builder.bitcast(word, ir.VectorType(ir.IntType(1), width))
                widen = builder.uitofp if isinstance(out.dtype, types.Float) else builder.zext
                lanes = ir.VectorType(context.get_data_type(out.dtype), width)
                target = builder.gep(start, [ir.Constant(ir.IntType(64), place)])
                builder.store(widen(flags, lanes), builder.bitcast(target, lanes.as_pointer()), align=1)
                place += width
        return context.get_dummy_value()

    return types.none(types.int64, count, out), generate


@overload(spread_bits, prefer_literal=True)
def _compile_spread_bits(bits, count, out):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    return lambda bits, count, out: _spread_bits(np.int64(bits), count, out)


def borrowed(value: Any) -> Any:
    """Return an array, or a tuple with arrays, for use within this call without counting references to it.

    numba counts a reference, an atomic operation, wherever an array is handed on; in the loops over many games that
    costs more than the rules do. The caller holds the arrays anyway.
    """
    return value


@intrinsic  # type: ignore[untyped-decorator]
def _borrowed(typingctx: Any, value: Any) -> Any:
    def strip(context: Any, builder: ir.IRBuilder, kind: Any, content: Any) -> Any:
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, content)
            array.meminfo = cgutils.get_null_value(array.meminfo.type)
            return array._getvalue()
        if isinstance(kind, types.BaseTuple):
            for place, part in enumerate(kind.types):
                item = builder.extract_value(content, place)
                content = builder.insert_value(content, strip(context, builder, part, item), place)
        return content

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        return strip(context, builder, value, args[0])

    return value(value), generate


@overload(borrowed)
def _compile_borrowed(value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    return lambda value: _borrowed(value)
