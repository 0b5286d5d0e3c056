"""The playground's Python: the text of a program comes in; its errors, the IR of its kernels, or what it prints goes out.

It runs in Pyodide. The frontend needs the standard library alone, so `check` works wherever Python does. `run` needs NumPy: it runs the
program with every launch in the reference executor, of which neither LLVM nor native code is a part.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import inspect
import io
import linecache
import pathlib
import sys
import tempfile
import traceback
import types
from collections.abc import Callable
from typing import Any

import avelang
from avelang.base.errors import AveError
from avelang.frontend.names import Tensor, constexpr, plain
from avelang.jit import JitFunction
from avelang.runtime.compile import build, compile_text
from avelang.runtime.geometry import geometry

NAME = "program.py"


def _file(text: str) -> pathlib.Path:
    """A new file with the text: kernels are built from the text of a file."""
    file = pathlib.Path(tempfile.mkdtemp()) / NAME
    file.write_text(text)
    linecache.checkcache()
    return file


def _said(e: BaseException, file: pathlib.Path) -> str:
    """An error in the words of Ave; anything else as Python shows it, from the program's own lines on."""
    if isinstance(e, AveError):
        return str(e).replace(str(file), NAME)
    own = [f for f in traceback.extract_tb(e.__traceback__) if f.filename == str(file)]
    lines = traceback.format_list(own) + traceback.format_exception_only(e)
    return "".join(lines).replace(str(file), NAME).rstrip()


def _defining(text: str, file: str) -> types.CodeType:
    """The code of the statements that define something: imports, functions, classes, names. Launches and prints are left out, and
    imports and names that need what is not here (NumPy) fail in silence. One unit, since Python compiles a call of an imported module's
    function in another way than that of a name that it does not know, and a kernel's code is held against its text."""
    body: list[ast.stmt] = []
    for statement in ast.parse(text, file).body:
        if (
            isinstance(statement, (ast.FunctionDef, ast.ClassDef))
            or isinstance(statement, (ast.Import, ast.ImportFrom))
            and getattr(statement, "module", "") == "__future__"
        ):
            body.append(statement)
        elif isinstance(statement, (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)):
            names = [ast.Name(x, ast.Load()) for x in ("NameError", "ImportError", "AttributeError")]
            handler = ast.ExceptHandler(ast.Tuple(list(names), ast.Load()), None, [ast.Pass()])
            body.append(ast.copy_location(ast.Try([statement], [handler], [], []), statement))
    return compile(ast.fix_missing_locations(ast.Module(body, [])), file, "exec", dont_inherit=True)


def _kernels(file: pathlib.Path, text: str) -> list[JitFunction]:
    """The kernels of a program, of which only what defines something is executed."""
    module = types.ModuleType("program")
    module.__file__ = str(file)
    sys.modules["program"] = module
    exec(_defining(text, str(file)), vars(module))
    found = [k for k in vars(module).values() if isinstance(k, JitFunction) and k.__module__ == "program"]
    return [k for k in found if _is_kernel(k)]


def _is_kernel(function: JitFunction) -> bool:
    return all(p.annotation is not p.empty for p in inspect.signature(function).parameters.values())


def check(text: str, threads: int = 64) -> str:
    """Builds each kernel of a program for blocks of `threads` threads. Gives the IR of those that are right, and the errors."""
    file = _file(text)
    try:
        found = _kernels(file, text)
    except BaseException as e:
        return _said(e, file)
    out = [] if found else ["There is no kernel: a function with @avelang.jit whose parameters all have annotations."]
    for kernel in found:
        try:
            out.append(compile_text(kernel, {}, (threads, 1, 1), "cpu", "ir").replace(str(file), NAME))
        except AveError as e:
            out.append(_said(e, file))
    return "\n".join(out)


def _launch(kernel: JitFunction, provider: Any) -> Callable[..., None]:
    """A launch in the reference, without the argument checks and the cache of the usual one, which need native code."""
    from avelang.sim import reference

    grid, block = geometry(kernel.source.name, provider)

    def launch(*args: Any, **options: Any) -> None:
        for option in ("backend", "target", "stream"):
            options.pop(option, None)
        given = inspect.signature(kernel).bind(*args, **options)
        given.apply_defaults()
        known: dict[str, Any] = {}
        rest: list[Any] = []
        for name, value in given.arguments.items():
            wanted = inspect.signature(kernel).parameters[name].annotation
            if wanted is constexpr:
                known[name] = plain(value)
                continue
            if isinstance(wanted, Tensor) and wanted.dynamic:
                known[name] = tuple(value.shape)
            rest.append(value)
        reference.run(build(kernel.source, known, "cpu", block), rest, grid, block, races=True)

    return launch


def run(text: str) -> str:
    """Runs a program, its launches in the reference with the check for races. Gives what it printed, and the error that ended it."""
    file = _file(text)
    printed = io.StringIO()
    spec = importlib.util.spec_from_file_location("program", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["program"] = module
    usual = JitFunction.__getitem__
    JitFunction.__getitem__ = lambda self, provider, *_: _launch(self, provider)
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            spec.loader.exec_module(module)
    except BaseException as e:
        printed.write(_said(e, file) + "\n")
    finally:
        JitFunction.__getitem__ = usual
    return printed.getvalue()


def about() -> str:
    """The versions of Python and Ave, and whether NumPy is here."""
    numpy = importlib.util.find_spec("numpy") is not None
    return f"Ave {avelang.__version__}, Python {sys.version.split()[0]}, {'with' if numpy else 'without'} NumPy"
