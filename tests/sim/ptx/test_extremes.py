"""Least and greatest numbers: of vectors of 16-bit floats in memory, of the lanes of a warp, of three operands."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from avelang.base.errors import AveError
from sim.ptx.texts import filled, kernel, run

HALVES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}


@pytest.mark.parametrize("op", ["min", "max"])
@pytest.mark.parametrize("kind", HALVES)
def test_vectors_of_halves_in_memory(kind, op):
    """A row of two pairs by `atom`, and the same numbers, one by one, by `red`: a NaN gives way to numbers."""
    dtype, best = HALVES[kind], {"min": np.fmin, "max": np.fmax}[op]
    values = (np.random.default_rng(2).standard_normal((32, 4)) * 50).astype(dtype)
    values[7, 1], values[9], values[:, 3] = np.nan, 0, np.nan
    start = np.array([0.25, -1, np.nan, np.nan], dtype)
    pairs, single = start.copy(), start.copy()
    run(kernel(f"""
        mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 8; add.u64 %d0, %d0, %p0;
        ld.global.v2.b32 {{%r1, %r2}}, [%d0]; ld.global.v4.b16 {{%h1, %h2, %h3, %h4}}, [%d0];
        atom.global.{op}.noftz.v2.{kind}x2 {{%r3, %r4}}, [%p1], {{%r1, %r2}};
        red.global.{op}.noftz.v4.{kind} [%p2], {{%h1, %h2, %h3, %h4}}; ret;""", 3), values, pairs, single)  # fmt: skip
    want = best.reduce([start.astype(np.float32), *values.astype(np.float32)])
    assert np.array_equal(pairs.astype(np.float32), want, equal_nan=True) and np.isnan(want).tolist() == [False] * 3 + [True]
    assert np.array_equal(single.view(np.uint16), pairs.view(np.uint16))
    if kind == "f16":
        assert single.view(np.uint16)[3] == 0x7FFF


@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("op", ["min", "max"])
def test_floats_of_the_lanes(op, absolute, nan):
    """Both halves of the warp for themselves; one has a NaN, and a third group nothing else."""
    values = (np.random.default_rng(5).standard_normal(32) - 0.3).astype(np.float32)
    values[4], values[24:] = np.nan, np.nan
    out = np.zeros(32, np.float32)
    word = f"redux.sync.{op}{'.abs' * absolute}{'.NaN' * nan}.f32 %f1, %f0,"
    run(kernel(f"""
        mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %d0, %p0; add.u64 %d0, %d0, %p1;
        ld.global.f32 %f0, [%d1]; setp.lt.u32 %q1, %r0, 12; setp.lt.u32 %q2, %r0, 24; @%q1 bra A; @%q2 bra B;
        {word} 0xff000000; bra C; B: {word} 0x00fff000; bra C; A: {word} 0xfff; C: st.global.f32 [%d0], %f1; ret;""",
        2, chip="sm_100a"), values, out)  # fmt: skip
    x = np.abs(values) if absolute else values
    best = {"min": np.fmin, "max": np.fmax}[op]
    first = np.float32(np.nan) if nan else best.reduce(x[:12])
    want = np.repeat([first, best.reduce(x[12:24]), np.float32(np.nan)], [12, 12, 8])
    assert np.array_equal(out, want, equal_nan=True) and (out[24:].view(np.uint32) == 0x7FFFFFFF).all()


@pytest.mark.parametrize(("text", "want"), [
    ("max.abs.f32", 3.0), ("min.abs.f32", 1.0), ("max.f32", 2.0), ("min.f32", -3.0),
])  # fmt: skip
def test_three_operands(text, want):
    got = filled(f"{text} %f3, 0f40000000, 0fBF800000, 0fC0400000; st.global.f32 [%d0], %f3; ret;", dtype=np.float32,
        chip="sm_100a")  # fmt: skip
    assert (got == want).all()


def test_testp_says_what_it_tests():
    with pytest.raises(AveError, match=r"\[X031\].*a test is needed"):
        filled("testp.f32 %q1, %f1; ret;")
