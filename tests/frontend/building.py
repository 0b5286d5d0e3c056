"""Helpers of the frontend's tests: build a function, run its IR on the reference, read the IR without spans, catch an
error."""

import inspect
import io
import re

import numpy as np
import pytest

import avelang
from avelang import arch
from avelang.base.errors import AveError
from avelang.frontend.build import build
from avelang.frontend.source import FunctionSource
from avelang.ir import core
from avelang.ir.text import parse_kernel, print_kernel
from avelang.sim import reference

jit = avelang.jit


def source_of(fn):
    return fn.source if hasattr(fn, "source") else FunctionSource(fn)


def built(fn, chip=None, **constexprs):
    """The verified IR; its text must read back."""
    kernel = build(source_of(fn), constexprs, arch.chip(chip) if chip else None)
    text = print_kernel(kernel)
    assert print_kernel(parse_kernel(text)) == text
    return kernel


def text_of(fn, **constexprs):
    """The IR's lines without spans."""
    return [re.sub(r"( @[\d:]+)", "", line).strip()
            for line in print_kernel(built(fn, **constexprs)).splitlines()[1:-1]]


def ops_of(kernel):
    return [op.name for op in core.walk(kernel.body)]


def run(fn, *args, grid=(1, 1, 1), block=(64, 1, 1), **constexprs):
    """Runs on the reference and gives what was printed."""
    out = io.StringIO()
    reference.run(built(fn, **constexprs), list(args), grid, block, stdout=out)
    return out.getvalue()


def lanes(fn, *more, n=64, dtype=np.int32, **constexprs):
    """Runs a kernel whose first parameter is an output with one element a lane."""
    out = np.zeros(n, dtype)
    run(fn, out, *more, block=(n, 1, 1), **constexprs)
    return out


def both(fn, *args, threads=1, **options):
    """Launches a function as a kernel on the reference and on the CPU, which must agree; gives the arrays
    afterwards."""
    kernel, left = jit(fn), []
    for backend in ("reference", "cpu"):
        mine = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        kernel[1, threads](*mine, backend=backend, **options)
        left.append([a for a in mine if isinstance(a, np.ndarray)])
    for a, b in zip(*left, strict=True):
        np.testing.assert_array_equal(a, b)
    return left[0]


def refused(fn, code, *parts, line=None, marked=None, chip=None, **constexprs):
    """Building must fail with `code`; the message has all `parts`; the span is the source line with the arrow comment
    (or `line`), and the carets stand under `marked`."""
    with pytest.raises(AveError) as caught:
        build(source_of(fn), constexprs, arch.chip(chip) if chip else None)
    e = caught.value
    assert e.code == code, str(e)
    for part in parts:
        assert part in e.message or part in e.hint, str(e)
    assert e.span is not None
    where = line or next((i for i, s in _lines(fn) if "# <-" in s), None)
    if where is not None:
        assert e.span.line == where, str(e)
    if marked is not None:
        assert e.span.text()[e.span.col : e.span.end_col] == marked, str(e)
    return e


def _lines(fn):
    lines, first = inspect.getsourcelines(source_of(fn).fn)
    return enumerate(lines, first)
