"""`ave reduce FILE`: a program that fails comes in; the smallest one found that fails in the same way goes out."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

import click

from avelang.base import knobs
from avelang.cli.console import FAILED, fail
from avelang.cli.run import Checks

NOTHING = ""  # the failure of a program that does not fail
LAUNCHED = " behind a launch"  # of an `assert` that fails when a kernel was launched: so it must in what is kept


class _Launches:
    """Whether anything was launched."""

    def __init__(self) -> None:
        self.any = False

    def intercept(self, launch: Any) -> bool:
        """Notes a launch."""
        self.any = True
        return True

    intercept_ptx = intercept


@click.command("reduce")
@click.argument("file", metavar="FILE[:KERNEL]")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--error", "code", metavar="CODE", help="The failure to keep: a code such as X001, or an exception's name."
)
@click.option("--wrong", is_flag=True, help="The failure to keep: a wrong result, which the program says by `assert`.")
@click.option(
    "--on",
    "backend",
    type=click.Choice(["cpu", "reference", "gfx942-exec", "gfx950-exec"]),
    help="The engine, as in `ave run`.",
)
@click.option("--check", type=Checks(), multiple=True, help="What is verified, as in `ave run`.")
@click.option("--seconds", type=click.FloatRange(1), default=60.0, show_default=True, help="For all.")
@click.option(
    "--limit",
    type=click.FloatRange(0.1),
    default=20.0,
    show_default=True,
    help="Seconds for one run; one that takes longer fails as `timeout`.",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, writable=True), help="A file, instead of standard output."
)
def reduce_command(file: str, arguments: tuple[str, ...], code: str | None, wrong: bool, backend: str | None,
                   check: tuple[tuple[str, ...], ...], seconds: float, limit: float,
                   output: str | None) -> None:  # fmt: skip
    """Make a failing program small: FILE is Python that fails when it runs, with a code of Ave's, with an exception, by
    a signal or by taking too long. Statements and parts of expressions are left out as long as it fails in the same way
    (with FILE:KERNEL, in that kernel).

    Each try runs in a process of its own. Comments go. The status is 1 where the program does not fail."""
    from avelang.reducing import reduce

    path, kernel = _split(file)
    words = tuple(dict.fromkeys(word for one in check for word in one))
    knobs.set_defaults(backend, None, words)
    trial = _Trial(path, arguments, limit, kernel)
    text = path.read_text(encoding="utf-8")
    try:
        compile(text, str(path), "exec")
    except SyntaxError as exc:
        fail(f"{path} is no Python: {exc.msg} in line {exc.lineno}")
    found = trial.failure(text)
    wanted = code or ("AssertionError" if wrong else found)
    if wanted == "AssertionError" and found == wanted + LAUNCHED:
        wanted = found
    if found == NOTHING or found != wanted:
        fail(f"{file} {'does not fail' if found == NOTHING else f'fails otherwise: {found}'}",
             f"what was to be kept: {wanted}" if wanted else "run it with the same --on and --check as where it failed",
             FAILED)  # fmt: skip
    click.echo(f"keeping: {wanted}", err=True)
    start = time.monotonic()
    small = reduce(text, lambda candidate: trial.failure(candidate) == wanted, seconds)
    click.echo(f"{len(text.splitlines())} lines, now {len(small.splitlines())}, in {trial.runs} runs and "
               f"{time.monotonic() - start:.0f} s", err=True)  # fmt: skip
    if output is None:
        click.echo(small)
        return
    try:
        pathlib.Path(output).write_text(small + "\n", encoding="utf-8")
    except OSError as exc:
        fail(f"cannot write {output}: {exc.strerror}")


def _import(text: str) -> None:
    """Imports what runs of a program need: Ave's parts, and packages that the program names."""
    import ast
    import importlib

    named = [a.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import) for a in n.names]
    named += [n.module for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom) and n.module and not n.level]
    parts = ("frontend.build", "jit", "language", "passes.collect_expects", "passes.writes", "pipeline",
             "runtime.interpreted", "runtime.launch", "sim.reference", "emit.llvm.cpu", "testing")  # fmt: skip
    for name in (*(f"avelang.{part}" for part in parts), *named):
        with contextlib.suppress(Exception):  # one that is missing fails in the run, too
            importlib.import_module(name)


def _split(file: str) -> tuple[pathlib.Path, str]:
    """The file and the kernel, "" where none is named."""
    from avelang.cli.console import USAGE

    path, kernel = pathlib.Path(file), ""
    if not path.is_file() and ":" in file:
        head, _, kernel = file.rpartition(":")
        path = pathlib.Path(head)
    if not path.is_file():
        fail(f"there is no file {path}", status=USAGE)
    return path, kernel


class _Trial:
    """Runs of one program's variants."""

    def __init__(self, path: pathlib.Path, arguments: tuple[str, ...], limit: float, kernel: str):
        self.path, self.arguments, self.limit, self.kernel = path.resolve(), arguments, limit, kernel
        self.runs = 0

    def failure(self, text: str) -> str:
        """The way in which a text fails, in a process of its own: a code, an exception's name, "signal 11", "timeout";
        "" where it does not."""
        self.runs += 1
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / self.path.name
            file.write_text(text, encoding="utf-8")
            if not hasattr(os, "fork"):
                return self._spawned(file)
            return self._forked(file)

    def _forked(self, file: pathlib.Path) -> str:
        """In a fork of this process, where all that a run imports is there already."""
        if self.runs == 1:
            _import(file.read_text(encoding="utf-8"))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            faulthandler.disable()
            try:
                os.close(read)
                os.setsid()
                nowhere = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(nowhere, stream)
                os.write(write, self._ran(file).encode()[:4096])
                status = 0
            finally:
                os._exit(status)
        os.close(write)
        said = self._answer(read, child)
        os.close(read)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return "timeout" if said is None else f"signal {os.WTERMSIG(status)}"
        return said if said is not None else "timeout"

    def _answer(self, read: int, child: int) -> str | None:
        """The words of a child; None, and its end, where it takes too long."""
        import select

        ready, _, _ = select.select([read], [], [], self.limit)
        if ready:
            return os.read(read, 4096).decode()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        return None

    def _ran(self, file: pathlib.Path) -> str:
        """Runs a program here; gives its failure."""
        import runpy

        from avelang.base.errors import AveError
        from avelang.runtime.interception import intercepting

        launches = _Launches()
        sys.argv = [str(file), *self.arguments]
        sys.path[:0] = [str(self.path.parent)]
        sys.stdout = sys.stderr = io.StringIO()
        try:
            with intercepting(launches, everywhere=True):
                runpy.run_path(str(file), run_name="__main__")
        except AveError as exc:
            return exc.code if not self.kernel or self.kernel in self._functions(exc) else f"{exc.code} elsewhere"
        except SystemExit as exc:
            return f"status {exc.code}" if exc.code not in (None, 0) else NOTHING
        except AssertionError:
            return "AssertionError" + LAUNCHED * launches.any
        except BaseException as exc:
            return type(exc).__name__
        return NOTHING

    @staticmethod
    def _functions(exc: Any) -> set[str]:
        return {span.function for span in exc.span.chain()} if exc.span is not None else set()

    def _spawned(self, file: pathlib.Path) -> str:
        """In a new Python, on systems without fork."""
        command = [sys.executable, "-m", "avelang", "run", "--json", str(file), *self.arguments]
        env = knobs.child_environment([str(self.path.parent), *sys.path])
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.limit, env=env)
        except subprocess.TimeoutExpired:
            return "timeout"
        if done.returncode < 0:
            return f"signal {-done.returncode}"
        if done.returncode == 0:
            return NOTHING
        try:
            found = json.loads(done.stdout)
        except json.JSONDecodeError:
            return f"status {done.returncode}"
        error = found.get("error")
        return (error["code"] or error["kind"]) if error else f"status {done.returncode}"
