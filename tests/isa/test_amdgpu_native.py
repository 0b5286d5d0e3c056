"""AMD rows that compute a value, as ops in a kernel: the CPU backend against the reference, some lanes inactive where
that may be."""

from __future__ import annotations

import numpy as np
import pytest

from avelang import pipeline
from avelang.arch import CHIPS
from avelang.ir.core import Kernel
from avelang.ir.dtypes import u1
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.types import dtype_of
from avelang.isa.row import ROWS, Row, types_on
from emit.llvm.native import Native
from isa.amdgpu_waves import ALL, LANES, Bench, numpy_shape

ROWS_ = [
    r
    for n, r in ROWS.items()
    if n.startswith("amdgpu.") and r.result is not None and not any(p.type == "tensor" for p in r.params)
]
ROWS_ = [r for r in ROWS_ if not any(p.name == "rsrc" for p in r.params)]
# Compiling a matrix instruction for the CPU takes a second or so: the ones that users know and a third of the small
# others stand for all.
KNOWN = (
    "mfma_f32_32x32x8_bf16", "mfma_f32_16x16x16_bf16", "mfma_f32_16x16x16_f16", "smfmac_f32_16x16x32_bf16",
    "smfmac_i32_16x16x64_i8",
)  # fmt: skip
SMALL = [r.name for r in ROWS_ if r.mma and r.mma.m < 32 and not r.mma.sparse and r.mma.k < 100][::3]
# Of the 25 pairs of formats of a scaled product, whose code takes long to compile, those of a format with the next:
# each is decoded as A and as B.
FORMATS = ("fp8", "bf8", "fp6", "bf6", "fp4")
PAIRS = {"16x16x128": list(zip(FORMATS, (*FORMATS[1:], FORMATS[0]))), "32x32x64": [("fp4", "fp4")]}
SCALED = [f"amdgpu.mfma_scale_f32_{shape}_{a}_{b}" for shape, pairs in PAIRS.items() for a, b in pairs]
assert set(SCALED) <= {r.name for r in ROWS_}
ROWS_ = [r for r in ROWS_ if not r.mma or r.name in SMALL or r.name.removeprefix("amdgpu.") in KNOWN]
ROWS_ = [r for r in ROWS_ if "mfma_scale" not in r.name or r.name in SCALED]
MATRIX = {r.name for r in ROWS_ if r.mma or r.name in SCALED}
APPROXIMATE = ("rcp", "rsq", "exp2", "log2")


def chip_of(row: Row) -> str:
    return next(c.name for c in (CHIPS["gfx942"], CHIPS["gfx950"], CHIPS["gfx90a"]) if c.has(row))


def draw(rng: np.random.Generator, t) -> np.ndarray:
    d, shape = dtype_of(t), numpy_shape(t)
    if d == u1:
        return rng.random(shape) < 0.5
    if d.is_float:
        return (rng.standard_normal(shape) * 3).astype(d.np)
    return rng.integers(0, 256, (*shape, d.bytes)).astype(np.uint8).view(d.np).reshape(shape)


def consts(row: Row, rng: np.random.Generator) -> dict[str, int]:
    """Random values that the row allows. `abid` must number a block of the group."""
    out = {
        p.name: int(rng.choice(p.choices) if p.choices else rng.integers(p.range[0], p.range[1] + 1))
        for p in row.params
        if p.is_const
    }
    if "blgp" in out:
        out["abid"] &= (1 << out["cbsz"]) - 1
    return out


def run_both(row: Row, seed: int, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rng, chip = np.random.default_rng(seed), chip_of(row)
    bench, seen, operands = Bench(chip), {}, []
    for p in row.operands:
        t = seen[p.type] if isinstance(p.type, str) else types_on(p, CHIPS[chip].features)[0]
        seen[p.name] = t
        data = np.abs(draw(rng, t)) if row.name.endswith(APPROXIMATE) else draw(rng, t)
        operands.append(bench.operand(data, t))
    result = seen[row.result] if isinstance(row.result, str) else row.result
    with bench.only(active):
        kept = bench.keep(bench.b.emit(row.name, operands, (result,), **consts(row, rng)).result)
    args = [a.copy() for a in bench.args]
    kernel = Kernel("bench", bench.body.args, bench.body, {"wave": LANES, "chip": chip, "file": ""})
    text = print_kernel(kernel)
    assert print_kernel(parse_kernel(text)) == text
    bench.run()
    Native(pipeline.cpu(parse_kernel(text), (LANES, 1, 1))).run(args)
    return kept, args[-1].view(kept.dtype).reshape(kept.shape)


@pytest.mark.parametrize("row", ROWS_, ids=lambda r: r.name.removeprefix("amdgpu."))
def test_cpu_is_the_reference(row: Row):
    active = ALL if row.mma else np.random.default_rng(9).random(LANES) < 0.7  # matrix instructions want all lanes
    for seed in range(1 if row.name in MATRIX else 3):
        want, got = run_both(row, seed, active)
        if row.name.endswith(APPROXIMATE):
            np.testing.assert_array_max_ulp(got, want, 2)
        elif "mfma_scale" in row.name:
            np.testing.assert_array_equal(got, want)  # random scales make infinities, whose NaN have any sign
        else:
            # Bits, so that NaN and signed zeros count; of fp8 and f16 results there are none here.
            np.testing.assert_array_equal(got.view(np.uint8), want.view(np.uint8))
