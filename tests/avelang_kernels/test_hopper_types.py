"""Types of Hopper's GEMM: fp8, 8-bit integers and f32, drawn shapes and pairs of types against float64 with bounds."""

from __future__ import annotations

import subprocess

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import avelang.language as al
from alarms.engines import Engine, on
from avelang.base import engines
from avelang.runtime.compile import compile_text
from avelang_kernels.matmul.hopper_f32 import split_f32
from avelang_kernels.matmul.hopper_gemm import GemmTile, build, gemm, threads
from avelang_kernels.matmul.hopper_types import products
from tools import need

bf16, e4m3, e5m2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
FLOATS = [(e4m3, e4m3), (e4m3, e5m2), (e5m2, e4m3), (e5m2, e5m2)]
INTEGERS = [(np.int8, np.int8), (np.int8, np.uint8), (np.uint8, np.int8), (np.uint8, np.uint8)]
ROUNDING = {np.dtype(np.float32): 2.0**-24, np.dtype(np.float16): 2.0**-11, np.dtype(bf16): 2.0**-8}
PLAIN = GemmTile(64, 64, 3)
# A kernel is compiled for each tile and pair of types: few of them, many shapes.
TILES = [PLAIN, GemmTile(64, 96, 3, transposed=True), GemmTile(64, 128, 4, cluster_k=2), GemmTile(128, 64, 3, 2)]


def drawn(rng: np.random.Generator, shape: tuple[int, int], dtype: type, pad: int = 0) -> np.ndarray:
    """Random numbers of all that a type of 8 bits has, or normal ones; rows are 16 bytes apart or a multiple of it, and
    beyond their ends stands what must not be read."""
    size = np.dtype(dtype).itemsize
    wide = (shape[1] * size + 15) // 16 * 16 // size + pad * (16 // size)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max + 1, (shape[0], wide)).astype(dtype)[:, : shape[1]]
    x = np.full((shape[0], wide), np.nan, dtype)
    x[:, : shape[1]] = rng.standard_normal(shape)
    return x[:, : shape[1]]


def wanted(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """float64: the product, and that of magnitudes."""
    x, y = a.astype(np.float64), b.astype(np.float64).T
    return x @ y, np.abs(x) @ np.abs(y)


def held(got: np.ndarray, want: np.ndarray, size: np.ndarray, relative: float = 2e-6) -> None:
    """Within the error of sums, and of one rounding to the output's type."""
    error = np.abs(got.astype(np.float64) - want)
    limit = relative * size + ROUNDING[got.dtype] * np.abs(want)
    assert (error <= limit).all(), (error / limit).max()


EXTENTS = st.integers(1, 150), st.integers(1, 150), st.integers(1, 600)


# A kernel for each: both formats on either side, every output.
SCALED = [(FLOATS[1], bf16), (FLOATS[2], np.float32), (FLOATS[3], np.float16)]


@settings(max_examples=8, deadline=None)
@given(*EXTENTS, st.sampled_from(SCALED), st.integers(0, 2))
def test_fp8_with_scales(m, n, k, types, pad):
    pair, out = types
    rng = np.random.default_rng()
    a, b = drawn(rng, (m, k), pair[0], pad), drawn(rng, (n, k), pair[1])
    one, two = float(rng.uniform(0.1, 2)), np.float32([rng.uniform(0.1, 2)])
    tile = PLAIN if out == np.float32 else TILES[1]
    c = gemm(a, b, np.full((m, n), np.nan, out), tile, 3, scale_a=one, scale_b=two, target="sm_90a")
    want, size = wanted(a, b)
    factor = float(np.float32(one)) * float(two[0])
    held(c, want * factor, size * factor)


@settings(max_examples=6, deadline=None)
@given(*EXTENTS, st.sampled_from(INTEGERS[1:3]))
def test_integers_are_exact(m, n, k, pair):
    rng = np.random.default_rng()
    a, b = drawn(rng, (m, k), pair[0]), drawn(rng, (n, k), pair[1])
    c = gemm(a, b, tile=PLAIN, blocks=3, target="sm_90a")
    assert c.dtype == np.int32
    np.testing.assert_array_equal(c, a.astype(np.int64) @ b.astype(np.int64).T)


@pytest.mark.parametrize("tile,split", [(TILES[2], 1), (PLAIN, 3), (PLAIN, "stream")], ids=str)
def test_integers_that_blocks_share_are_exact(tile, split):
    rng = np.random.default_rng()
    a, b = drawn(rng, (70, 900), np.int8), drawn(rng, (130, 900), np.int8)
    c = gemm(a, b, None, tile, 4, split, target="sm_90a")
    np.testing.assert_array_equal(c, a.astype(np.int64) @ b.astype(np.int64).T)


@pytest.mark.parametrize("out", [bf16, np.float32])
def test_integers_are_scaled(out):
    rng = np.random.default_rng()
    a, b = drawn(rng, (70, 300), np.int8), drawn(rng, (40, 300), np.uint8)
    c = gemm(a, b, tile=PLAIN, scale_a=0.01, scale_b=0.5, dtype=out, target="sm_90a")
    want, size = wanted(a, b)
    held(c, want * 0.005, size * 0.005)


@settings(max_examples=5, deadline=None)
@given(*EXTENTS, st.sampled_from(["rows", "columns", "neither"]), st.floats(-30, 30))
def test_f32_by_three_products(m, n, k, order, magnitude):
    """Within three roundings of bf16 twice, 2^-16 each, in any order of memory and at any magnitude."""
    rng = np.random.default_rng()
    a = np.float32(rng.standard_normal((m, k)) * np.exp(magnitude * rng.standard_normal((m, k)) / 10))
    b = rng.standard_normal((n, k)).astype(np.float32)
    if order != "rows":
        a = np.asfortranarray(a) if order == "columns" else np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2]
    c = gemm(a, b, tile=PLAIN, blocks=3, target="sm_90a")
    assert c.dtype == np.float32
    held(c, *wanted(a, b), 3 * 2.0**-16 + 2e-6)


def test_what_is_split_adds_up_again():
    """Whatever the number: hi + lo is within 2^-16 of it, infinities and NaN stay, and products with one are right."""
    values = np.float32([0, -0.0, 1, np.pi, 3.4028235e38, -3.4e38, 1e-30, -np.inf, np.nan])
    a, b = split_f32(values[None], values[None], target="sm_90a")
    a, b = (x.astype(np.float64).reshape(3, -1) for x in (a, b))
    assert not a[:, values.size :].any() and not b[:, values.size :].any()
    np.testing.assert_array_equal(a[0], a[1])
    np.testing.assert_array_equal(b[0], b[2])
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose((a[0] + a[2])[: values.size], values, rtol=2.0**-16)
        np.testing.assert_array_equal(a[0] + a[2], b[0] + b[1])
    huge = np.diag(np.float32([np.inf, 3.4e38, 2, 1]))
    ones = np.ones((4, 4), np.float32)
    c = gemm(huge + ones * 0.5, ones, tile=PLAIN, target="sm_90a")
    assert (c[0] == np.inf).all() and (c[1] > 3.39e38).all() and (c[2] == 4).all()


@settings(max_examples=5, deadline=None)
@given(*EXTENTS, st.sampled_from([np.float32, bf16]))
def test_f32_as_tf32(m, n, k, out):
    """The low 13 bits of both operands are cut off, and nothing else: exact against operands cut beforehand."""
    rng = np.random.default_rng()
    a, b = drawn(rng, (m, k), np.float32), drawn(rng, (n, k), np.float32)
    c = gemm(a, b, np.full((m, n), np.nan, out), PLAIN, 3, precision="tf32", target="sm_90a")
    held(c, *wanted(a, b), 2.0**-9 + 2e-6)
    cut = [(np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32) for x in (a, b)]
    held(c, *wanted(*cut))


@pytest.mark.parametrize("shape", [(40, 96, 300), (200, 33, 1000)])
def test_the_rule_chooses_for_every_type(shape):
    """Through the rule's tile, with outputs that are made: of each type at one of the shapes."""
    m, n, k = shape
    rng = np.random.default_rng()
    types = ((e4m3, e5m2, bf16), (np.int8, np.int8, np.int32), (np.float32, np.float32, np.float32))
    for one, two, made in types[:1] if m == 40 else types[1:]:
        a, b = drawn(rng, (m, k), one), drawn(rng, (n, k), two)
        c = gemm(a, b, blocks=8, target="sm_90a")
        assert c.dtype == made and c.shape == (m, n)
        want, size = wanted(a, b)
        if made == np.int32:
            np.testing.assert_array_equal(c, want)
        else:
            held(c, want, size, 1e-4)


EXECUTED = [
    (e4m3, e5m2, bf16, TILES[1], {"scale_a": 0.5, "scale_b": np.float32([3])}),
    (e5m2, e5m2, np.float32, TILES[2], {"scale_a": np.float32([0.5]), "scale_b": np.float32([3])}),
    (np.uint8, np.int8, np.int32, TILES[3], {}),
    (np.float32, np.float32, np.float32, PLAIN, {"precision": "tf32"}),
    (np.float32, np.float32, np.float32, PLAIN, {}),
]


@pytest.mark.parametrize("one,two,out,tile,more", EXECUTED, ids=lambda x: getattr(x, "__name__", str(x)))
def test_types_in_executed_ptx(one, two, out, tile, more, monkeypatch):
    """With checks of races and of memory that nothing wrote."""
    monkeypatch.setenv("AVE_CHECK", "all")
    rng = np.random.default_rng()
    a, b = drawn(rng, (70, 272), one), drawn(rng, (72, 272), two)
    with on(Engine(engines.PTX, "sm_90a")) as said:
        c = gemm(a, b, np.zeros((70, 72), out), tile, 4, target="sm_90a", **more)
    assert "X0" not in said.getvalue()
    want, size = wanted(a, b)
    if out == np.int32:
        np.testing.assert_array_equal(c, want)
    else:
        factor = 1.5 if more.get("scale_a") is not None else 1.0
        held(c, want * factor, size * factor, {"precision": 2.0**-9}.get(next(iter(more), ""), 5e-5))


LARGEST = [
    (GemmTile(128, 256, 4, 2), al.f8e4m3fn, al.bf16, al.f8e5m2, 2),
    (GemmTile(256, 192, 3, 1, 2, row_blocks=2), al.f8e4m3fn, al.bf16, al.f8e4m3fn, 1),
    (GemmTile(128, 256, 3, cluster_k=2), al.i8, al.i32, al.u8, None),
    (GemmTile(64, 256, 4, pingpong=True), al.i8, al.bf16, al.i8, 0),
    (GemmTile(128, 256, 3, 2), al.f32, al.f32, al.f32, None),
]


@pytest.mark.parametrize("tile,one,out,two,scaled", LARGEST, ids=str)
def test_ptxas_keeps_the_sums_of_every_type_in_registers(tile, one, out, two, scaled, tmp_path):
    ptxas = need("ptxas")
    assert not tile.fault(out.bytes)
    text = compile_text(build(tile, one, out, two, scaled), {}, (threads(tile), 1, 1), "sm_90a", "asm")
    (tmp_path / "k.ptx").write_text(text)
    said = subprocess.run(
        [ptxas, "-v", "-arch=sm_90a", "k.ptx", "-o", "k.cubin"], cwd=tmp_path, capture_output=True, text=True,
        check=True,
    ).stderr  # fmt: skip
    assert "0 bytes spill stores, 0 bytes spill loads" in said
    assert "C75" not in said, said  # wgmma serialized, setmaxnreg ignored
    assert text.count(f"n{tile.n}k{32 // one.bytes}.") == 8 * tile.row_blocks


@pytest.mark.parametrize("scale", [2, 2.0, np.float64(2), np.float32(2), np.full((1, 1), 2, np.float32)], ids=repr)
def test_a_scale_is_any_one_number(scale):
    a = np.eye(16, dtype=e4m3)
    c = gemm(a, a, tile=PLAIN, blocks=1, scale_b=scale, target="sm_90a")
    np.testing.assert_array_equal(c, 2 * np.eye(16))
    assert c.dtype == bf16


def test_the_table_has_an_instruction_for_each_pair():
    assert len(products()) == 2 + 4 + 4 + 1
    for p in products().values():
        assert hasattr(al.nvvm, f"wgmma_{p.mma}") and p.swapped.swapped == p
        assert p.step * p.a.bytes == 128 and p.a.bytes == p.b.bytes


E4, I8, F32 = (np.zeros((16, 16), t) for t in (e4m3, np.int8, np.float32))


@pytest.mark.parametrize(
    ("a", "b", "more", "kind", "words"),
    [
        (E4, I8, {}, TypeError, "b is of int8; here it must be of f8e4m3fn or f8e5m2, as a is of float8_e4m3fn"),
        (E4, E4, {"out": np.zeros((16, 16), e4m3)}, TypeError, "out is of float8_e4m3fn; here it must be of bf16 or"),
        (E4, E4, {"dtype": np.int32}, TypeError, "dtype is .*int32.*; here it must be bf16 or f16 or f32"),
        (I8, I8, {"out": np.zeros((16, 16), np.int32), "dtype": np.float32}, TypeError, "but dtype asks for"),
        (E4, E4, {"precision": "tf32"}, ValueError, "precision is for a and b of float32"),
        (F32, F32, {"precision": "bf16"}, ValueError, "precision"),
        (E4, E4, {"scale_a": np.zeros(2, np.float32)}, ValueError, "scale_a is .*: it must be one number, or .16,."),
        (E4, E4, {"scale_b": np.zeros(1)}, ValueError, "scale_b must be a number, or an array of float32"),
        (I8, I8, {"tile": GemmTile(64, 40, 2)}, ValueError, "n must be a multiple of 16 for integers"),
        (E4[:, :8], E4[:, :8], {"tile": GemmTile(64, 64, 4, cluster_k=2)}, ValueError, "fewer steps of 128"),
        (np.zeros((4, 24), e4m3), np.zeros((4, 24), e4m3), {}, ValueError, "rows must be a multiple of 16 elements"),
    ],
)  # fmt: skip
def test_what_no_product_has_is_refused(a, b, more, kind, words):
    with pytest.raises(kind, match=words) as caught:
        gemm(a, b, **more)
    assert "L066" in str(caught.value) or getattr(caught.value, "code", "") == "L066"
