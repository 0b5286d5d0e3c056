"""A kernel and a puzzle come in: the kernel runs on drawn shapes in the reference executor, races and bounds verified,
and is compared with NumPy. A verdict goes out, with the hint that fits the mistake."""

from __future__ import annotations

import ast
import inspect
import runpy
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.base.lazy import np
from avelang.jit import JitFunction
from avelang.puzzles.puzzle import Case, Puzzle, Verdict
from avelang.puzzles.tasks import puzzle as puzzle_of

SEED = 17
OUTSIDE = (
    "An access is outside of an array. Compare every coordinate with its extent before the access: `if i < n`. With "
    "`<=` the last thread is one too far."
)
BARRIER = (
    "Threads of other waves wrote what is read here, or will. Between writing shared memory and reading what another "
    "thread wrote stands an `al.syncthreads()`, and one more before it is written again."
)
HINTS = {
    "X001": OUTSIDE,
    "X002": OUTSIDE,
    "X003": "Memory is read that nothing has written. If another thread should have written it, `al.syncthreads()` is "
            "missing between. If nobody did, a mask leaves that place out.",
    "X006": BARRIER,
    "X040": "Two blocks or waves write one place of global memory, or one reads what the other writes. Which thread "
            "owns each element of the output?",
    "X041": "Lanes of one wave write different values to one place. Only one of them should store.",
    "X042": "All threads of a block have to come to each `al.syncthreads()`. Put it outside of the `if`, or give the "
            "loop the same number of trips in all threads.",
    "X043": "A shuffle reads a lane that is not active. Shuffle outside of the `if`, and let the lanes that have no "
            "element bring a neutral value.",
    "X011": "Waves wait for one another for ever: a barrier that not all of them reach.",
}  # fmt: skip


def check(number: int, kernel: Any, seed: int = SEED) -> Verdict:
    """A verdict on a kernel (a function under `@avelang.jit`) for puzzle `number`, from 1 on. Shapes are drawn from
    `seed`, beside the corners that each puzzle has. Raises L066 for a number that there is not."""
    task = puzzle_of(number)
    wrong = _fits(task, kernel)
    if wrong is not None:
        return wrong
    done = 0
    for case in task.cases(np.random.default_rng(seed)):
        found = _run(task, kernel, case)
        if found is not None:
            return Verdict(False, f"{case.label}: {found.message}", found.hint, done)
        done += 1
    if task.needs and not _names(kernel).intersection(task.needs):
        return Verdict(
            False,
            f"the numbers are right, but the kernel does not use {' or '.join(task.needs)}",
            "The puzzle is about that: read its statement again.",
            done,
        )
    return Verdict(True, f"right in {done} cases, with races and bounds verified", "", done)


def check_file(number: int, file: str | Path, seed: int = SEED) -> Verdict:
    """A verdict on the kernel of a Python file, found by the puzzle's name for it. What the file raises while it is
    imported is not caught; it is run as a module, so a block under `if __name__ == "__main__"` is not."""
    return check_names(number, runpy.run_path(str(file), run_name="puzzle"), str(file), seed)


def check_names(number: int, names: Mapping[str, Any], file: str, seed: int = SEED) -> Verdict:
    """A verdict on the kernel among the globals of a file that has run."""
    task = puzzle_of(number)
    if task.name not in names:
        return Verdict(False, f"{file} has no `{task.name}`", f"The kernel must be called `{task.name}`.")
    return check(number, names[task.name], seed)


def _fits(task: Puzzle, kernel: Any) -> Verdict | None:
    if not isinstance(kernel, JitFunction):
        return Verdict(False, f"`{task.name}` is no kernel", "Put `@avelang.jit` above the function.")
    want = ast.parse(task.skeleton).body[0]
    assert isinstance(want, ast.FunctionDef)
    params, have = [a.arg for a in want.args.args], list(inspect.signature(kernel.source.fn).parameters)
    if len(params) != len(have):
        return Verdict(
            False,
            f"`{task.name}` has the parameters {', '.join(have)}",
            f"Leave them as they are in the skeleton: {', '.join(params)}.",
        )
    return None


def _names(kernel: JitFunction) -> set[str]:
    """Attributes that the file of a kernel uses: functions that it calls may stand beside it."""
    file = inspect.getsourcefile(kernel.source.fn)
    text = Path(file).read_text() if file else textwrap.dedent(inspect.getsource(kernel.source.fn))
    return {n.attr for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Attribute)}


def _run(task: Puzzle, kernel: JitFunction, case: Case) -> Verdict | None:
    args = [a.copy() if isinstance(a, np.ndarray) else a for a in case.args]
    out = args[case.out]
    out[...] = np.nan
    options = {"target": task.target} if task.target else {}
    try:
        with knobs.checking("races"):
            kernel[case.grid, case.block](*args, backend="reference", **options)
    except AveError as e:
        hint = dict(task.codes).get(e.code) or HINTS.get(e.code) or e.hint or ""
        return Verdict(False, str(e).rstrip(), hint)
    for place, (before, after) in enumerate(zip(case.args, args, strict=True)):
        if place != case.out and isinstance(before, np.ndarray) and not np.array_equal(before, after):
            return Verdict(False, f"argument {place + 1} was overwritten", "It is an input. Store to the output only.")
    return diagnose(task, case, np.asarray(out, np.float64))


def diagnose(task: Puzzle, case: Case, got: Any) -> Verdict | None:
    """None for a right answer; else what is wrong with it, with the hint of the mistake that gives just these
    numbers, if one does. `got`: float64, NaN where nothing was written."""
    want = np.asarray(case.want, np.float64)
    if _same(got, want, task.tolerance):
        return None
    holes = np.isnan(got)
    for mistake in task.mistakes:
        theirs = np.asarray(mistake.gives(case), np.float64)
        if theirs.shape == got.shape and _same(got, theirs, max(task.tolerance, 1e-6)):
            return Verdict(False, _first(got, want, task.tolerance), mistake.hint)
    if holes.any():
        return _unwritten(task, holes, case)
    if got.ndim == 2 and got.shape[0] == got.shape[1] and _same(got.T, want, task.tolerance):
        return Verdict(
            False,
            _first(got, want, task.tolerance),
            "This is the transposed answer: rows and columns are exchanged somewhere.",
        )
    wrong = ~np.isclose(got, want, rtol=max(task.tolerance, 1e-12), atol=task.tolerance)
    where = _last_only(wrong)
    hint = f"Only the last {where} is wrong: look for an off by one in a loop or a mask." if where else ""
    return Verdict(False, _first(got, want, task.tolerance), hint)


def _same(got: Any, want: Any, tolerance: float) -> bool:
    return bool(np.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True))


def _first(got: Any, want: Any, tolerance: float) -> str:
    wrong = ~np.isclose(got, want, rtol=tolerance, atol=tolerance)
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{int(wrong.sum())} of {wrong.size} elements are wrong. The first is {_index(at)}: " \
           f"got {got[at]:.6g}, want {want[at]:.6g}"  # fmt: skip


def _index(at: Iterable[int]) -> str:
    return "[" + ", ".join(map(str, at)) + "]"


def _last_only(wrong: Any) -> str:
    """The word for what is wrong, if it is just the last element, row or column; else ""."""
    words = ("element",) if wrong.ndim == 1 else ("row", "column")
    for axis, word in enumerate(words[: wrong.ndim]):
        lines = np.moveaxis(wrong, axis, 0).reshape(wrong.shape[axis], -1)
        if lines.shape[0] > 1 and lines[-1].all() and not lines[:-1].any():
            return word
    return ""


def _unwritten(task: Puzzle, holes: Any, case: Case) -> Verdict:
    first = tuple(int(i) for i in np.argwhere(holes)[0])
    message = (
        f"{int(holes.sum())} of {holes.size} elements were never written, or are NaN. The first is {_index(first)}"
    )
    if holes.all():
        return Verdict(False, message, "Nothing arrived in the output. Is there a store, and does its mask ever hold?")
    where = _last_only(holes)
    if where:
        return Verdict(
            False,
            message,
            f"The last {where} is missing: an off by one in the mask. `i < n` lets the last "
            "one through, `i < n - 1` does not.",
        )
    flat = holes.ravel()
    start = int(np.argmax(flat))
    if flat[start:].all() and start in (case.block[0], _threads(case.block)):
        return Verdict(
            False,
            message,
            f"Only the first {start} were written, as many as a block has threads. Does the "
            "index have `al.block_id(0)` in it?",
        )
    return Verdict(False, message, task.holes)


def _threads(block: tuple[int, ...]) -> int:
    return int(np.prod(block))
