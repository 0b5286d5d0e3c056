"""The process that runs a user's file for the language server: a text comes in, errors and types go out as a line of
JSON, and then what its shared memory's banks do as another. `python -m avelang.cli.lsp_worker`

It is apart from the server so that it can be ended: a file that runs for long, or for ever, costs the time limit of
`cli/lsp_server.py` and nothing else. The file runs as a module, never as `__main__`; what it imports stays imported, so
that the next text is quick."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import os
import sys
import types
from typing import Any

from avelang.base.errors import AveError
from avelang.cli.script import package_of
from avelang.ir.core import walk
from avelang.ir.types import SHARED
from avelang.jit import JitFunction

Sharing = tuple[JitFunction[..., Any], int]
MOST_OPS = 4000  # of all kernels whose accesses are walked: 0.15 ms each, for which the next text waits


def _place(e: AveError, path: str) -> tuple[int, int, int]:
    """Line, column and end of an error in the file: of what the user wrote there, where the error is in a function of
    another."""
    spans = e.span.chain() if e.span is not None else []
    found = next((s for s in spans if s.file == path), None)
    return (found.line, found.col, found.end_col if found.end_line == found.line else 0) if found else (1, 0, 0)


def _problem(e: AveError, path: str, lines: list[bytes]) -> dict[str, Any]:
    line, col, end = _place(e, path)
    place = [line, col, line, end]
    _columns([place], lines)
    _, col, _, end = place
    text = e.message + (f"\n{e.hint}" if e.hint else "")
    return {"line": line, "col": col, "end": end, "code": e.code, "text": text}


def _module(path: str, text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The names of the file, and what its text or its run raised."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    name = os.path.splitext(os.path.basename(path))[0]
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[f"avelang_lsp_{name}"] = module
    module.__name__ = f"avelang_lsp_{name}"
    root, dotted = package_of(path, text)
    module.__package__ = dotted.rpartition(".")[0]
    sys.path[:1] = [root or os.path.dirname(path)]
    try:
        exec(compile(text, path, "exec"), module.__dict__)
    except AveError as e:
        return module.__dict__, [_problem(e, path, text.encode().splitlines())]
    except SyntaxError as e:
        return module.__dict__, [{"line": e.lineno or 1, "col": max((e.offset or 1) - 1, 0), "end": 0, "code": "Python",
                                  "text": f"{e.msg}"}]  # fmt: skip
    except BaseException as e:  # whatever the user's file raises, SystemExit too
        at = e.__traceback__
        line = 1
        while at is not None:
            line = at.tb_lineno if at.tb_frame.f_code.co_filename == path else line
            at = at.tb_next
        return module.__dict__, [{"line": line, "col": 0, "end": 0, "code": "Python",
                                  "text": f"{type(e).__name__}: {e}"}]  # fmt: skip
    return module.__dict__, []


def _kernels(names: dict[str, Any], path: str, text: str) -> list[JitFunction[..., Any]]:
    """The file's own kernels that need no values: nobody calls them, every parameter has an annotation, and
    compile-time ones a default."""
    from avelang.frontend.signature import EMPTY, signature

    found: list[JitFunction[..., Any]] = []
    called = {ast.unparse(n.func) for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Call)}
    for value in names.values():
        if not isinstance(value, JitFunction) or value.source.file != path or value in found:
            continue
        if value.source.name in called or any(a.annotation is None for a in value.source.tree.args.args):
            continue  # a device function: what it is given is found in the kernels that call it
        try:
            open_ = any(p.kind == "constexpr" and p.default is EMPTY for p in signature(value.source))
        except AveError:
            open_ = False  # an annotation is wrong: the build says so
        if not open_:
            found.append(value)
    return found


def _types(kernel: Any, path: str) -> list[list[Any]]:
    """Line, column, last line, last column and type of each value that the file's text makes."""
    found: list[list[Any]] = []
    blocks = [kernel.body]
    for block in blocks:
        for op in block.ops:
            blocks += op.regions
            s = op.span
            if s is not None and s.file == path:
                shown = op.attrs.get("layout") or op.attrs.get("shape")
                found += [[s.line, s.col, s.end_line, s.end_col, f"{r.type}", op.name, str(shown or "")]
                          for r in op.results]  # fmt: skip
    return found


def analyzed(path: str, text: str) -> tuple[dict[str, Any], list[Sharing]]:
    """Returns the facts of a file: `problems` (line, col, end, code, text) and `types`; and its kernels that have
    shared memory, with the number of their operations."""
    from avelang.runtime.compile import build, constants

    names, problems = _module(path, text)
    found: list[list[Any]] = []
    sharing, lines = [], text.encode().splitlines()
    for kernel in _kernels(names, path, text) if not problems else ():
        try:
            built = build(kernel.source, constants(kernel.source, {}), None, (64, 1, 1))
            found += _types(built, path)
            ops = [*walk(built.body)]
            if any(getattr(r.type, "space", None) == SHARED for op in ops for r in op.results):
                sharing.append((kernel, len(ops)))
        except AveError as e:
            problems.append(_problem(e, path, lines))
        except Exception as e:  # a defect of the compiler must not silence the others
            problems.append({"line": kernel.source.fn.__code__.co_firstlineno, "col": 0, "end": 0, "code": "Python",
                             "text": f"{type(e).__name__}: {e}"})  # fmt: skip
    _columns(found, lines)
    once = {json.dumps(p, sort_keys=True): p for p in problems}
    return {"problems": [*once.values()], "types": found}, sharing


def banks(kernels: list[Sharing], path: str, target: str) -> dict[str, Any]:
    """Returns `banks` of kernels: line, column, last line, last column and words of each access to shared memory.
    `target`: a chip, or ""; kernels that do not compile for it are taken for one of their own."""
    from avelang.inspection.bank_words import bank_words

    found: list[list[Any]] = []
    left = MOST_OPS
    for kernel, ops in kernels:
        left -= ops
        if left < 0:
            tree = kernel.source.tree
            words = f"bank conflicts: too large a kernel for here; `ave inspect` of {kernel.source.name} has them"
            found.append([tree.lineno, 0, tree.end_lineno, tree.end_col_offset, words])
            continue
        for chip in dict.fromkeys((target or None, None)):
            with contextlib.suppress(Exception):  # what does not compile was said, or is said when it is launched
                found += [list(x) for x in bank_words(kernel, path, chip)]
                break
    return {"banks": found}


def _columns(places: list[list[Any]], lines: list[bytes]) -> None:
    """Columns of places (line, column, last line, last column, ...) as editors count them, in UTF-16; Python's are of
    UTF-8."""

    def shifted(line: int, col: int) -> int:
        text = lines[line - 1] if 0 < line <= len(lines) else b""
        return col if text.isascii() else len(text[:col].decode(errors="ignore").encode("utf-16-le")) // 2

    for place in places:
        place[1], place[3] = shifted(place[0], place[1]), shifted(place[2], place[3])


def main() -> None:
    """Answers requests from standard input until it ends; the user's own output goes nowhere, and its input is
    empty."""
    answers, requests = os.fdopen(os.dup(1), "w", buffering=1), os.fdopen(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for line in requests:
        asked = json.loads(line)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            answer, sharing = analyzed(asked["path"], asked["text"])
            answers.write(json.dumps(answer) + "\n")
            found = banks(sharing, asked["path"], asked["target"])
            _columns(found["banks"], asked["text"].encode().splitlines())
            answers.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
