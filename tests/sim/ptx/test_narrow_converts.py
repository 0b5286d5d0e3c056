"""Conversions to numbers of 4 and 6 bits and to scales of block-scaled products, against ml_dtypes; bytes and bf16."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from sim.ptx.texts import kernel, run

SMALL = {"e2m1x2": (ml_dtypes.float4_e2m1fn, 4), "e2m3x2": (ml_dtypes.float6_e2m3fn, 6),
    "e3m2x2": (ml_dtypes.float6_e3m2fn, 6)}  # fmt: skip
NUMBERS = np.concatenate([np.arange(-36, 36, 1 / 16), np.geomspace(1e-4, 1e4, 250),
    [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-42]]).astype(np.float32)  # fmt: skip
BODY = """
mov.u32 %r0, %ctaid.x; shl.b32 %r0, %r0, 5; mov.u32 %r1, %tid.x; add.u32 %r0, %r0, %r1;
mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %d0, %p0; add.u64 %d2, %d0, %p1; add.u64 %d3, %d0, %p2; add.u64 %d4, %d0, %p3;
ld.global.f32 %f0, [%d1]; ld.global.b32 %r4, [%d1]; ld.global.f32 %f1, [%d2];
{there} st.global.u32 [%d3], %r2; {back} st.global.u32 [%d4], %r3; ret;
"""


def converted(a: np.ndarray, b: np.ndarray, there: str, back: str) -> tuple[np.ndarray, np.ndarray]:
    """What two pieces of text make of a (%f0, %r4) and b (%f1): %r2, %r3."""
    a, b = (np.resize(x, -(-len(x) // 32) * 32).copy() for x in (a, b))
    out = np.zeros(len(a), np.uint32), np.zeros(len(a), np.uint32)
    run(kernel(BODY.format(there=there, back=back), 4, "sm_100a"), a, b, *out, grid=(len(a) // 32, 1, 1))
    return out


def code(x: np.ndarray, kind: str, relu: bool) -> np.ndarray:
    dtype, bits = SMALL[kind]
    sign, most = 1 << bits - 1, float(ml_dtypes.finfo(dtype).max)
    kept = np.where(np.isnan(x), np.float32(most), np.clip(x, -most, most)).astype(dtype).view(np.uint8)
    kept = kept & (sign - 1) | np.where(np.signbit(x) & ~np.isnan(x), sign, 0)
    return np.where(relu & (kept & sign != 0), 0, kept).astype(np.uint32)


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("kind", SMALL)
def test_numbers_of_few_bits(kind, relu):
    a, b, word = NUMBERS, NUMBERS[::-1].copy(), ".relu" * relu
    reg, cut, width = ("b8", "cvt.u32.u8", 4) if kind == "e2m1x2" else ("b16", "cvt.u32.u16", 8)
    there = f".reg .{reg} c; cvt.rn.satfinite{word}.{kind}.f32 c, %f0, %f1; {cut} %r2, c;"
    out, back = converted(a, b, there, f"cvt.rn{word}.f16x2.{kind} %r3, c;")
    high, low = (np.resize(code(x, kind, relu), len(out)) for x in (a, b))
    assert (out == (high << width | low)).all()
    wide = [x.astype(np.uint8).view(SMALL[kind][0]).astype(np.float16).view(np.uint16).astype(np.uint32)
        for x in (high, low)]  # fmt: skip
    assert (back == (wide[0] << 16 | wide[1])).all()


def scale(x: int, up: bool, finite: bool) -> int:
    """The exponent, as the ISA and cuda_fp8.hpp round it: signs do not count, and 2**-127 is the least."""
    x &= 0x7FFFFFFF
    if up and x & 0x7FFFFF and 1 << 22 < x < 0x7F800000:
        x += 1 << 23
    return 254 if finite and x >> 23 == 255 and x <= 0x7FFFFFFF and x & 0x7FFFFF == 0 else x >> 23


@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("mode", ["rz", "rp"])
def test_scales(mode, finite):
    """The lower of each pair is of 1.5."""
    ends = [0, 1, 0x3FFFFF, 0x400000, 0x400001, 0x7FFFFF, 0x800000, 0x7F000000, 0x7F800000, 0xFF800000, 0xC0000001]
    words = np.array([*ends, *np.random.default_rng(3).integers(0, 0x7F000000, 181)], np.uint32)
    word = ".satfinite" * finite
    there = f".reg .b16 c; cvt.{mode}{word}.ue8m0x2.f32 c, %f0, 0f3FC00000; cvt.u32.u16 %r2, c;"
    out, back = converted(words, words, there, "cvt.rn.bf16x2.ue8m0x2 %r3, c;")
    want = np.array([scale(int(x), mode == "rp", finite) << 8 | (128 if mode == "rp" else 127)
        for x in np.resize(words, len(out))])  # fmt: skip
    assert (out == want).all()
    power = np.array([0x40 if x == 0 else 0x7FFF if x == 255 else x << 7 for x in range(256)])
    assert (back == (power[want >> 8] << 16 | power[want & 255])).all()


def test_the_largest_scale_is_rounded_up_to_nan_unless_it_is_to_be_finite():
    words = np.array([0x7F7FFFFF], np.uint32)
    for word, want in (("", 255), (".satfinite", 254)):
        text = f".reg .b16 c; cvt.rp{word}.ue8m0x2.bf16x2 c, %r4; cvt.u32.u16 %r2, c;"
        out, _ = converted(words, words, text, "")
        assert (out >> 8 == want).all()


@pytest.mark.parametrize(("mode", "rule"), [("rp", np.ceil), ("rm", np.floor)])
def test_bf16_rounded_up_or_down(mode, rule):
    """Numbers between 1 and 2 have steps of 1/128 in bf16."""
    x = np.concatenate([s * np.linspace(1, 1.99, 96) for s in (1, -1)]).astype(np.float32)
    out, _ = converted(x, x, f".reg .b16 c; cvt.{mode}.bf16.f32 c, %f0; cvt.u32.u16 %r2, c;", "")
    assert ((out << 16).view(np.float32) == rule(x.astype(np.float64) * 128) / 128).all()


def test_bytes_and_bf16():
    """As CUDA's headers convert them: by registers of 8 bits."""
    x = np.array([-200.5, -128, -3.7, -0.0, 0.5, 2.5, 127, 128, 300, np.nan], np.float32)
    text = """.reg .b8 c; .reg .b16 h; cvt.rn.bf16.f32 h, %f0; cvt.rzi.s8.bf16 c, h; cvt.s32.s8 %r2, c;
        cvt.rn.bf16.s8 h, c;"""
    out, back = converted(x, x, text, "cvt.u32.u16 %r3, h;")
    want = np.array([-128, -128, -3, 0, 0, 2, 127, 127, 127, 0])
    assert (out.view(np.int32)[:10] == want).all()
    assert ((back[:10] << 16).view(np.float32) == want.astype(ml_dtypes.bfloat16).astype(np.float32)).all()
