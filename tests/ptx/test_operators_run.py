"""What operators compute, executed: against NumPy's arithmetic on the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.ptx import Tile, kernel, ptx, reg
from avelang.ptx.types import f32, f64, s32, s64, u32, u64

INTEGERS = {
    "+": (lambda a, b: a + b, lambda a, b: a + b),
    "-": (lambda a, b: a - b, lambda a, b: a - b),
    "*": (lambda a, b: a * b, lambda a, b: a * b),
    "//": (lambda a, b: a // b, lambda a, b: _toward_zero(a, b)),
    "%": (lambda a, b: a % b, lambda a, b: np.fmod(a, b)),
    "&": (lambda a, b: a & b, lambda a, b: a & b),
    "|": (lambda a, b: a | b, lambda a, b: a | b),
    "^": (lambda a, b: a ^ b, lambda a, b: a ^ b),
    "<<": (lambda a, b: a << 3, lambda a, b: a << 3),
    ">>": (lambda a, b: a >> 3, lambda a, b: a >> 3),
    "~": (lambda a, b: ~a, lambda a, b: ~a),
    "- (one)": (lambda a, b: -a, lambda a, b: -a),
    "number -": (lambda a, b: 7 - a, lambda a, b: 7 - a),
}
FLOATS = {
    "+": (lambda a, b: a + b, lambda a, b: a + b),
    "-": (lambda a, b: 1.5 - b, lambda a, b: 1.5 - b),
    "*": (lambda a, b: a * b, lambda a, b: a * b),
    "/": (lambda a, b: a / b, lambda a, b: a / b),
    "abs": (lambda a, b: abs(a), lambda a, b: abs(a)),
    "- (one)": (lambda a, b: -a, lambda a, b: -a),
}
COMPARISONS = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}  # fmt: skip


def _toward_zero(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a - np.fmod(a, b)) // b


def compute(kind, ops, a, b):
    """One row of results for each operator; comparisons as 0 and 1 of u32."""
    size = kind.bytes

    @kernel(
        in_specs=(Tile("N", kind), Tile("N", kind)),
        out_specs=(Tile(len(ops), "N", kind), Tile(len(COMPARISONS), "N", u32)), grid=1,
        block=lambda N: N, arch="sm_80",
    )  # fmt: skip
    def k(x, y, out, flags, *, N):
        px, py, po, pf = ptx.global_ptrs(x, y, out, flags)
        t = reg.from_(ptx.special.tid.x())
        u, v, zero = reg.scalar(kind), reg.scalar(kind), reg.scalar(u32)
        ptx.inst["ld.global." + kind.name](u, ptx.addr(px + t * size))
        ptx.inst["ld.global." + kind.name](v, ptx.addr(py + t * size))
        for i, (op, _) in enumerate(ops.values()):
            ptx.inst["st.global." + kind.name](ptx.addr(po + (t + i * N) * size), op(u, v))
        for i, op in enumerate(COMPARISONS.values()):
            ptx.inst.selp.u32(zero, 1, 0, op(u, v))
            ptx.inst.st.global_.u32(ptx.addr(pf + (t + i * N) * 4), zero)

    return k(a, b)


@pytest.mark.parametrize("kind", [u32, s32, u64, s64, f32, f64], ids=repr)
def test_against_numpy(kind):
    rng, n = np.random.default_rng(5), 64
    dtype = kind.in_memory.np
    if kind.kind == "float":
        a, b = (rng.standard_normal(n).astype(dtype) for _ in range(2))
        a[0] = b[1] = np.nan
        ops = FLOATS
    else:
        a, b = (
            rng.integers(kind.in_memory.min, kind.in_memory.max, n, dtype, endpoint=True)
            >> rng.integers(0, 24, n).astype(dtype)
            for _ in range(2)
        )
        b[b == 0] = 3
        ops = INTEGERS
    b[5:9] = a[5:9]
    out, flags = compute(kind, ops, a, b)
    with np.errstate(all="ignore"):
        for row, (name, (_, wanted)) in zip(out, ops.items(), strict=True):
            np.testing.assert_array_equal(row, wanted(a, b).astype(dtype), err_msg=name)
        for row, (name, wanted) in zip(flags, COMPARISONS.items(), strict=True):
            np.testing.assert_array_equal(row, wanted(a, b).astype(np.uint32), err_msg=name)
