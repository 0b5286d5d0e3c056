"""Helpers of the tests: IR text for kernels that apply one op to arrays, one thread an element."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from avelang import arch
from avelang.base.errors import ExecutionError
from avelang.frontend.build import build
from avelang.ir.core import Kernel
from avelang.ir.text import parse_kernel
from avelang.ir.types import VecType, dtype_of, parse_type
from avelang.ir.verify import verify
from avelang.sim.reference import run


def kernel(params: str, body: str, wave: int = 64, phase: str = "tensors") -> Kernel:
    """A verified kernel named `k` in file `k.py` from the text of its parameters and ops."""
    k = parse_kernel(f'kernel @k({params}) {{"wave": {wave}, "file": "k.py"}} {{\n{body}\n}}')
    verify(k, phase)
    return k


def elementwise(line: str, types: list[str], result: str) -> Kernel:
    """A kernel that reads %0, %1, ... of `types` from arrays, runs `line`, which defines %r of `result`, and writes it."""
    names = [f"%p{i}: ptr<{dtype_of(parse_type(t))}, global>" for i, t in enumerate(types)]
    names.append(f"%o: ptr<{dtype_of(parse_type(result))}, global>")
    body = ['%t = thread_id {"dim": 0} : u32', "%t64 = convert(%t) : i64"]

    def at(name: str, t: str) -> str:
        ty = parse_type(t)
        size = dtype_of(ty).bytes * (ty.n if isinstance(ty, VecType) else 1)
        body.append(f"%{name}s = const {{'value': {size}}} : i64")
        body.append(f"%{name}o = mul(%t64, %{name}s) : i64")
        return f"%{name}o"

    for i, t in enumerate(types):
        offset = at(f"i{i}", t)
        body.append(f"%x{i} = ld(%p{i}, {offset}) {{'align': 1}} : {t}")
    body.append(line)
    offset = at("out", result)
    body.append(f"st(%r, %o, {offset}) {{'align': 1}}")
    return kernel(", ".join(names), "\n".join(body), phase="addresses")


def apply(line: str, types: list[str], result: str, *arrays: np.ndarray) -> np.ndarray:
    """Runs `elementwise(...)` on arrays with one row a thread."""
    t = parse_type(result)
    n = len(arrays[0])
    out = np.zeros((n, t.n) if isinstance(t, VecType) else n, dtype_of(t).np)
    run(elementwise(line, types, result), [*arrays, out], 1, n)
    return out


def printed(k: Kernel, args: list, grid=1, block=64, **options) -> str:
    """What a kernel prints."""
    out = io.StringIO()
    run(k, args, grid, block, out, **options)
    return out.getvalue()


def launched(kernel: Any, *args: Any, block: int = 128, grid: int = 1, cluster: int = 1, chip: str = "sm_90a", values: dict[str, Any] | None = None,
             **options: Any) -> None:  # fmt: skip
    """Runs a `@jit` function on the reference, with `values` for its constexpr parameters."""
    k = build(kernel.source, values or {}, arch.chip(chip))
    if cluster > 1:
        k.attrs["cluster"] = (cluster, 1, 1)
    run(k, list(args), grid, block, **options)


def refused(kernel: Any, *args: Any, **options: Any) -> ExecutionError:
    """The error of a launch."""
    with pytest.raises(ExecutionError) as e:
        launched(kernel, *args, **options)
    return e.value


def line_of(kernel: Any, text: str) -> int:
    """The line of a file in which the source of a `@jit` function has this text, once."""
    source = kernel.source.text.splitlines()
    (at,) = (i for i, line in enumerate(source) if text in line)
    return at + min(kernel.source.tree.lineno, *(d.lineno for d in kernel.source.tree.decorator_list))
