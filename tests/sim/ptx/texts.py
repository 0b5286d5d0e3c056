"""Bodies of PTX kernels come in; they are run on arrays, for tests of single features."""

from __future__ import annotations

from typing import Any

import numpy as np

from avelang.sim.ptx import Program, TensorMap

Three = tuple[int, int, int]


def kernel(body: str, params: int = 1, chip: str = "sm_90a", outside: str = "", directives: str = "") -> str:
    """A module with one entry; parameters p0, p1, ... are u64, loaded into %p0, %p1, ..."""
    names = ", ".join(f".param .align 64 .b8 p{k}[128]" if directives == "map" and k == 0 else f".param .u64 p{k}"
        for k in range(params))
    loads = "\n".join(f".reg .b64 %p{k}; ld.param.u64 %p{k}, [p{k}];" for k in range(params)
        if not (directives == "map" and k == 0))
    said = "" if directives == "map" else directives
    return f"""
.version 8.6
.target {chip}
.address_size 64
{outside}
.visible .entry k({names}) {said}
{{
.reg .pred %q<20>; .reg .b16 %h<20>; .reg .b32 %r<60>; .reg .b64 %d<40>; .reg .f32 %f<40>;
{loads}
{body}
}}
"""


def memory(*arrays: np.ndarray) -> list[tuple[int, int, str, bool]]:
    return [(a.ctypes.data, a.nbytes, f"array {k}", a.flags.writeable) for k, a in enumerate(arrays)]


def run(text: str, *args: Any, grid: Three = (1, 1, 1), block: Three = (32, 1, 1), **more: Any) -> Program:
    """Runs a module on arrays, ints and tensor maps."""
    program = Program(text)
    values = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in args]
    arrays = [a for a in args if isinstance(a, np.ndarray)] + list(more.pop("also", ()))
    program.launch(values, grid, block, memory=memory(*arrays), **more)
    return program


def filled(body: str, n: int = 32, dtype: Any = np.uint32, block: Three = (32, 1, 1), grid: Three = (1, 1, 1),
        **more: Any) -> np.ndarray:
    """What a body writes into an array of n elements, one a thread: the address of the thread's own is in %d0, %tid.x
    in %r0."""
    size = np.dtype(dtype).itemsize
    start = f"mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, {size}; add.u64 %d0, %d0, %p0;\n"
    out = np.zeros(n, dtype)
    run(kernel(start + body, **{k: more.pop(k) for k in ("chip", "outside", "directives") if k in more}), out,
        grid=grid, block=block, **more)
    return out


def map_of(a: np.ndarray, box: tuple[int, ...], dtype: str, **more: Any) -> TensorMap:
    return TensorMap(a.ctypes.data, a.shape, a.strides, dtype, box, **more)
