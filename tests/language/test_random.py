"""Random numbers: Philox 4x32-10 against the published algorithm in NumPy and the known answers of Random123, on every
engine bit by bit; and functions of numbers that porters look for, against NumPy in f64."""

from __future__ import annotations

import math

import numpy as np
import pytest

import avelang
import avelang.language as al
from alarms.engines import engine, on
from avelang.base.errors import AveError

ENGINES = ["reference gfx942", "cpu gfx942", "cpu sm_80", "gfx942-exec gfx942", "ptx-exec sm_80"]
SEEDS = (1234, -7, (0x299F31D0 << 32) | 0xA4093822)
# Random123, tests/kat_vectors, philox4x32 with 10 rounds: counter, key, words.
KNOWN = [((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
    (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1))]  # fmt: skip


def philox(seed: int, *counter) -> np.ndarray:
    """The algorithm as the paper has it, in Python's integers of 64 bits: uint32 (4, n)."""
    c = [np.atleast_1d(np.asarray(x)).astype(np.int64).view(np.uint64) & np.uint64(0xFFFFFFFF) for x in counter]
    c = list(np.broadcast_arrays(*c))
    key = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    mask = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        p0, p1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(p1 >> np.uint64(32)) ^ c[1] ^ np.uint64(key[0]), p1 & mask,
            (p0 >> np.uint64(32)) ^ c[3] ^ np.uint64(key[1]), p0 & mask]  # fmt: skip
        key = [key[0] + 0x9E3779B9 & 0xFFFFFFFF, key[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return np.stack(c).astype(np.uint32)


def uniform(words: np.ndarray) -> np.ndarray:
    folded = words.view(np.int32)
    return np.where(folded < 0, -1 - folded, folded).astype(np.float32) * np.float32(4.6566127342e-10)


@avelang.jit
def drawing(known: al.Tensor((3, 4), al.u32), words: al.Tensor((4, 64), al.u32), uniform: al.Tensor((3, 64), al.f32),
        normal: al.Tensor((2, 64), al.f32), wide: al.Tensor((64, 4), al.f32), seed: al.i64):
    t = al.lane_id() + 32 * (al.thread_id(0) // 32) if al.target().wave == 32 else al.thread_id(0)
    if t == 0:
        known[0] = al.philox(0, 0)
        known[1] = al.philox(-1, -1, -1, -1, -1)
        known[2] = al.philox((0x299F31D0 << 32) | 0xA4093822, 0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
    words[0, t] = al.randint(seed, t)
    words[1, t] = al.philox(seed, t, 5, c3=9)[2]
    words[2, t] = al.randint(3, al.convert(t, al.i32) - 7)
    words[3, t] = al.randint(seed, al.convert(t, al.i64) * 0x100000001)
    uniform[0, t] = al.rand(1234, t)
    uniform[1, t] = al.rand(-7, t)
    uniform[2, t] = al.rand(seed, t)
    normal[0, t] = al.randn(seed, t)
    row = al.make_local((4,), al.u32)
    for i in range(4):
        row[i] = 4 * t + i
    wide[t] = al.rand(seed, row)
    four = al.randn(seed, row)
    normal[1, t] = four[3]


def test_philox_on_every_engine():
    t, first = np.arange(64), None
    for seed in SEEDS[:2]:
        for where in ENGINES:
            place = engine(where)
            made = [np.zeros((3, 4), np.uint32), np.zeros((4, 64), np.uint32), *(np.zeros(s, np.float32) for s in (
                (3, 64), (2, 64), (64, 4)))]  # fmt: skip
            with on(place):
                drawing[1, 64](*made, seed, target=place.chip, **place.options)
            known, words, uniforms, normal, wide = made
            np.testing.assert_array_equal(known, [answer for _, _, answer in KNOWN])
            np.testing.assert_array_equal(words[0], philox(seed, t, 0, 0, 0)[0])
            np.testing.assert_array_equal(words[1], philox(seed, t, 5, 0, 9)[2])
            np.testing.assert_array_equal(words[2], philox(3, t - 7, 0, 0, 0)[0])
            np.testing.assert_array_equal(words[3], philox(seed, t, t, 0, 0)[0])
            for row, s in zip(uniforms, (1234, -7, seed), strict=True):
                np.testing.assert_array_equal(row, uniform(philox(s, t, 0, 0, 0)[0]))
            np.testing.assert_array_equal(wide.ravel(), uniform(philox(seed, np.arange(256), 0, 0, 0)[0]))
            for row, offset in ((normal[0], t), (normal[1], 4 * t + 3)):
                u, v = (uniform(w).astype(np.float64) for w in philox(seed, offset, 0, 0, 0)[:2])
                want = np.sqrt(-2 * np.log(np.maximum(u, np.float32(1e-7)))) * np.cos(2 * math.pi * v)
                np.testing.assert_allclose(row, want, rtol=1e-6, atol=3e-7)
            if seed == SEEDS[0]:
                first = normal if first is None else first
                np.testing.assert_array_equal(normal.view(np.uint32), first.view(np.uint32))


def test_the_algorithm_itself():
    for counter, key, answer in KNOWN:
        assert tuple(philox(key[1] << 32 | key[0], *counter)[:, 0]) == answer
    u = uniform(philox(5, np.arange(1 << 16), 0, 0, 0)[0])
    assert 0 <= u.min() and u.max() < 1 and abs(u.mean() - 0.5) < 0.005
    assert uniform(np.array([0x7FFFFFFF, 0x80000000], np.uint32)).max() < 1


@avelang.jit
def several(i: al.Tensor((64,), al.i32), u: al.Tensor((64,), al.u64), y: al.Tensor((64,), al.f32),
        outs: al.Tensor((8, 64), al.i32), wide: al.Tensor((4, 64), al.u64), floats: al.Tensor((9, 64), al.f32),
        d: al.Tensor((3, 64), al.f64)):
    t = al.thread_id(0)
    x = i[t]
    outs[0, t] = al.popc(x)
    outs[1, t] = al.clz(x)
    outs[2, t] = al.brev(x)
    outs[3, t] = al.ffs(x)
    outs[4, t] = al.cdiv(x, 7)
    outs[5, t] = al.clamp(x, -5, 9)
    outs[6, t] = al.sign(x)
    outs[7, t] = al.where(x > 3, x, -1)
    w = u[t]
    wide[0, t] = al.popc(w)
    wide[1, t] = al.clz(w)
    wide[2, t] = al.brev(w)
    wide[3, t] = al.cdiv(w, 10)
    v = y[t]
    floats[0, t] = al.log1p(v)
    floats[1, t] = al.sigmoid(v)
    floats[2, t] = al.round(v)
    floats[3, t] = al.trunc(v)
    floats[4, t] = al.where(al.isnan(v), 1.0, 0.0)
    floats[5, t] = al.where(al.isinf(v), 1.0, 0.0)
    floats[6, t] = al.where(al.isfinite(v), 1.0, 0.0)
    floats[7, t] = al.sign(v)
    floats[8, t] = al.clamp(v, -1.5, 2.5)
    d[0, t] = al.log1p(d[0, t])
    d[1, t] = al.sigmoid(d[1, t])
    d[2, t] = al.round(d[2, t])


def near(got: np.ndarray, want: np.ndarray, steps: float) -> None:
    """Within so many units in the last place, NaN where NaN is."""
    want = want.astype(np.float64)
    assert (np.isnan(got) == np.isnan(want)).all()
    some = np.isfinite(want)
    np.testing.assert_array_equal(got[~some], want[~some].astype(got.dtype))
    off = np.abs(got[some] - want[some]) / np.spacing(np.abs(want[some]).astype(got.dtype))
    assert off.max() <= steps, off.max()


def test_numbers_on_every_engine():
    rng = np.random.default_rng(8)
    x = (rng.integers(-(2**31), 2**31, 64) >> rng.integers(0, 32, 64)).astype(np.int32)
    x[:4] = 0, -1, 2**31 - 1, -(2**31)
    w = rng.integers(0, 2**63, 64).astype(np.uint64) * np.uint64(2) >> rng.integers(0, 64, 64).astype(np.uint64)
    w[:2] = 0, 2**64 - 1
    y = (rng.standard_normal(64) * 10.0 ** rng.integers(-9, 3, 64)).astype(np.float32)
    y[:13] = np.nan, np.inf, -np.inf, 0, -0.0, 0.5, 1.5, 2.5, -1, -2.5, 88, -88, 1e-38
    start = np.stack([y, y, y * 1e5]).astype(np.float64)
    bits = lambda v, n: f"{int(v) % (1 << n):0{n}b}"  # noqa: E731
    for where in ENGINES[::1]:
        place = engine(where)
        outs, wide = np.zeros((8, 64), np.int32), np.zeros((4, 64), np.uint64)
        floats, d = np.zeros((9, 64), np.float32), start.copy()
        with on(place):
            several[1, 64](x, w, y, outs, wide, floats, d, target=place.chip, **place.options)
        for n, row, values in ((32, outs, x), (64, wide, w)):
            assert row[0].tolist() == [bits(v, n).count("1") for v in values]
            assert row[1].tolist() == [len((bits(v, n) + "1").split("1")[0]) for v in values]
            assert [int(v) % (1 << n) for v in row[2]] == [int(bits(v, n)[::-1], 2) for v in values]
        assert outs[3].tolist() == [(int(v) & -int(v)).bit_length() for v in x]
        assert outs[4].tolist() == [-(-int(v) // 7) for v in x] and wide[3].tolist() == [-(-int(v) // 10) for v in w]
        np.testing.assert_array_equal(outs[5], np.clip(x, -5, 9))
        np.testing.assert_array_equal(outs[6], np.sign(x))
        np.testing.assert_array_equal(outs[7], np.where(x > 3, x, -1))
        with np.errstate(all="ignore"):
            exact = y.astype(np.float64)
            near(floats[0], np.log1p(exact).astype(np.float64), 2)
            near(floats[1], 1 / (1 + np.exp(-exact)), 2)
            near(d[0], np.log1p(start[0]), 2)
            near(d[1], 1 / (1 + np.exp(-start[1])), 2)
        for got, want in ((floats[2], np.rint(y)), (floats[3], np.trunc(y)), (floats[4], np.isnan(y)),
                (floats[5], np.isinf(y)), (floats[6], np.isfinite(y)), (floats[7], np.sign(y)),
                (d[2], np.rint(start[2]))):  # fmt: skip
            np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(floats[8][1:], np.clip(y, -1.5, 2.5)[1:])


def test_compile_time_numbers_and_host_code():
    assert al.cdiv(7, 2) == 4 and al.cdiv(-7, 2) == -3 and al.cdiv(8, b=2) == 4

    @avelang.jit
    def known(out: al.Tensor((8,), al.i32)):
        assert al.cdiv(7, 2) == 4 and al.clamp(12, 0, 9) == 9 and al.popc(-1) == 32 and al.clz(1) == 31
        assert al.ffs(8) == 4 and al.sign(-3) == -1 and al.where(True, 1, 2) == 1 and not al.isnan(1.0)
        assert al.brev(1) == -(2**31) and al.round(2.5) == 2.0 and al.isfinite(3) and al.sigmoid(0.0) == 0.5
        pair = al.full((2,), 12, al.i32)
        out[0] = al.popc(pair)[1]
        out[1] = al.cdiv(pair, 5)[0]
        out[2] = al.clamp(pair, 0, 3)[1]
        out[3] = al.where(al.isnan(al.full((2,), 1.0, al.f32)), 1, 2)[0]

    out = np.zeros(8, np.int32)
    known[1, 1](out)
    assert out.tolist() == [2, 3, 3, 2, 0, 0, 0, 0]


@avelang.jit
def wrong(x: al.Tensor((4,), al.f32), CASE: al.constexpr):
    if CASE == 0:
        x[0] = al.popc(x[0])
    elif CASE == 1:
        x[0] = al.cdiv(x[0], 2)
    elif CASE == 2:
        x[0] = al.rand(1.5, 0)
    elif CASE == 3:
        x[0] = al.log1p(al.lane_id())
    elif CASE == 4:
        x[0] = al.rand(al.full((4,), 1, al.u32), 0)
    elif CASE == 5:
        x[0] = al.ffs(x[1])


@pytest.mark.parametrize(("case", "code"), [(0, "T071"), (1, "T025"), (2, "T022"), (3, "T071"), (4, "T022"),
    (5, "T071")])  # fmt: skip
def test_misuse_is_named(case, code):
    with pytest.raises(AveError) as caught:
        wrong[1, 1](np.zeros(4, np.float32), case)
    assert caught.value.code == code
