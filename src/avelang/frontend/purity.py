"""Whose code is it: a function's or a class's module and file come in; what Ave may assume of it goes out.

Ave's own code is covered by the digest of its files. Of Python's library and of installed packages a list is known to
compute from its arguments alone; whatever else is installed (time, random, os, files, the network) has results that no
key can say."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from typing import Any

OURS, PURE, IMPURE, THEIRS = "ave", "pure", "impure", "user"

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# Modules whose functions and classes compute from arguments alone, those beneath them included.
_PURE = frozenset(
    """
    builtins math cmath operator _operator itertools functools _functools collections _collections _collections_abc
    dataclasses enum typing types abc _abc copy copyreg fractions decimal _decimal _pydecimal numbers statistics
    _statistics bisect _bisect heapq _heapq string _string re _sre sre_compile struct _struct json _json array binascii
    zlib base64 hashlib _hashlib textwrap unicodedata colorsys contextlib warnings _warnings numpy ml_dtypes posixpath
    genericpath ntpath _typing typing_extensions reprlib keyword pprint _md5 _sha1 _sha2 _sha256 _sha512 _blake2
    """.split()  # noqa: SIM905
)
# What among these depends on more: the process, files, a setting, the order of memory.
_NOT = frozenset(
    {
        *(("builtins", n) for n in ("open", "input", "eval", "exec", "compile", "globals", "locals", "vars", "id",
                                    "__import__", "breakpoint",
        "dir")), *(("numpy", n) for n in (
            "load", "loadtxt", "genfromtxt", "fromfile", "memmap", "fromregex", "geterr", "geterrcall",
            "get_printoptions", "empty", "empty_like",
            "show_config", "get_include", "getbufsize",
        )),
        *(("decimal", n) for n in ("getcontext", "localcontext", "setcontext")),
        *(("_decimal", n) for n in ("getcontext", "localcontext")),
        *(("posixpath", n) for n in ("abspath", "realpath", "expanduser", "expandvars", "relpath", "ismount", "exists",
                                     "lexists", "islink")),
        *(("genericpath", n) for n in ("exists", "isfile", "isdir", "getsize", "getmtime", "getatime", "getctime",
                                       "samefile", "isjunction")),
    }
)  # fmt: skip
_HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that was made while the program runs
_NEVER = ("numpy.random", "numpy.lib.npyio", "numpy.lib._npyio_impl", "numpy._core.memmap", "numpy.ctypeslib",
          "numpy.f2py", "numpy.testing")
# Those of them that do not come with Python.
_PACKAGES = frozenset({"numpy", "ml_dtypes", "typing_extensions"})
# Installed classes whose instances are values that pickle's protocol tells in full.
VALUES = frozenset({"datetime", "pathlib", "uuid", "zoneinfo", "_pydatetime", "ipaddress", "pathlib._local"})


@functools.cache
def _library() -> tuple[str, ...]:
    found = {sysconfig.get_path(n) for n in ("stdlib", "platstdlib")}
    return tuple(os.path.join(os.path.abspath(p), "") for p in found if p)


@functools.lru_cache(maxsize=4096)
def place(file: str) -> str:
    """OURS, IMPURE (Python's library) or THEIRS for a file of Python text. Installed packages are looked into as the
    user's own files are."""
    if file.startswith(_OWN):
        return OURS
    packages = "site-packages" in file or "dist-packages" in file
    return IMPURE if not packages and file.startswith(("<frozen ", *_library())) else THEIRS


def known(module: str | None, name: str = "") -> bool:
    """True if a function or class of an installed module is on the list."""
    parts = (module or "").split(".")
    if module is None or module.startswith(_NEVER) or (parts[0], name) in _NOT:
        return False
    return parts[0] in _PURE


def of_module(module: Any) -> str:
    """Whose module it is."""
    name = getattr(module, "__name__", "")
    if name == "avelang" or name.startswith("avelang."):
        return OURS
    file = getattr(module, "__file__", None)
    if file is None:  # built in, or made by hand
        return _rated(name) if name in sys.builtin_module_names or name in sys.stdlib_module_names else THEIRS
    return THEIRS if place(file) == THEIRS and name.partition(".")[0] not in _PACKAGES else _rated(name)


def _rated(name: str) -> str:
    return PURE if known(name) else IMPURE


def of_function(fn: Any) -> str:
    """Whose Python function it is. (A class made by a library, such as a named tuple, has functions of no file: they
    are looked into.)"""
    where = place(fn.__code__.co_filename)
    # Not `__module__`, which functools.wraps takes from the function that is wrapped.
    module = str(fn.__globals__.get("__name__", ""))
    packaged = where == THEIRS and module.partition(".")[0] in _PACKAGES
    return PURE if (where == IMPURE or packaged) and known(module, fn.__name__) else where


def _at(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name, None)
    return module


def of_class(cls: type) -> str:
    """Whose class it is: of one written in C, the module says it. A class of Python's that its module does not have was
    made elsewhere."""
    module = sys.modules.get(cls.__module__)
    made = cls.__flags__ & _HEAP and any(n in cls.__dict__ for n in ("__dict__", "__slots__", "__dataclass_fields__"))
    if made and _at(module, cls.__qualname__) is not cls:
        return THEIRS
    if cls.__module__ == "builtins" or module is None and not cls.__flags__ & _HEAP:
        return _rated(cls.__module__)
    found = of_module(module) if module is not None else THEIRS
    return PURE if found == IMPURE and known(cls.__module__, cls.__name__) else found
