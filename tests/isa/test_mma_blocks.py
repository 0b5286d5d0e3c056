"""Products of small floats of sm_120a: each row by the reference and as executed PTX, against NumPy's numbers of ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import arch
from avelang.frontend.build import build as built
from avelang.isa.nvptx.mma_blocks import TYPES
from sim.ptx.executed import Executed

NUMPY = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2, "e3m2": ml_dtypes.float6_e3m2fn, "e2m3": ml_dtypes.float6_e2m3fn,
    "e2m1": ml_dtypes.float4_e2m1fn}  # fmt: skip
WIDTH = {"e4m3": 8, "e5m2": 8, "e3m2": 6, "e2m3": 6, "e2m1": 4}


def codes(name: str, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """uint8 codes of finite numbers."""
    drawn = rng.integers(0, 1 << WIDTH[name], shape).astype(np.uint8)
    bad = ~np.isfinite(drawn.view(NUMPY[name]).astype(np.float32))
    return np.where(bad, 0, drawn).astype(np.uint8)


def words(rows: np.ndarray, halves: int) -> np.ndarray:
    """uint32 (32, words) of the bytes (rows, 32): by the manual's figure, word r of a lane is row lane / 4 (+ 8), bytes 4 (lane % 4) (+ 16)."""
    out = np.zeros((32, 2 * halves), np.uint32)
    for lane in range(32):
        for r in range(2 * halves):
            row, first = lane // 4 + 8 * (r % halves), 4 * (lane % 4) + 16 * (r // halves)
            out[lane, r] = int.from_bytes(rows[row, first : first + 4].tobytes(), "little")
    return out


def kernel_of(row: str, out: al.DType, extra: dict[str, int]):
    f = getattr(al.nvvm, row)
    scaled, PLACES = bool(extra), tuple(extra.values())

    @avelang.jit
    def run(a: al.Pointer(al.u32), b: al.Pointer(al.u32), c: al.Pointer(out), s: al.Pointer(al.u32)):
        A, B = al.make_tensor(a, al.u32, al.make_layout((32, 4))), al.make_tensor(b, al.u32, al.make_layout((32, 2)))
        C, S = al.make_tensor(c, out, al.make_layout((32, 4))), al.make_tensor(s, al.u32, al.make_layout((2, 32)))
        t = al.thread_id(0)
        x, y, z = al.full((4,), 0, al.u32), al.full((2,), 0, al.u32), al.full((4,), 0, out)
        for i in range(4):
            x[i] = A[t, i]
            z[i] = C[t, i]
        for i in range(2):
            y[i] = B[t, i]
        if scaled:
            d = f(x, y, z, S[0, t], S[1, t], *PLACES)
        else:
            d = f(x, y, z)
        for i in range(4):
            C[t, i] = d[i]

    return run


CASES = [(f"f8f6f4_{a}_{b}", a, b, 0, "") for a in TYPES for b in TYPES]
CASES += [(f"mxf8f6f4_{a}_{b}", a, b, 1, "ue8m0") for a, b in zip(TYPES, (*TYPES[2:], *TYPES[:2]), strict=True)]
CASES += [("mxf4_e2m1_e2m1", "e2m1", "e2m1", 2, "ue8m0"), ("mxf4nvf4_2x_ue8m0_e2m1_e2m1", "e2m1", "e2m1", 2, "ue8m0"),
    ("mxf4nvf4_4x_ue4m3_e2m1_e2m1", "e2m1", "e2m1", 4, "ue4m3")]  # fmt: skip


@pytest.mark.parametrize(("name", "a_type", "b_type", "scales", "factor"), CASES, ids=[c[0] for c in CASES])
def test_each_row(name, a_type, b_type, scales, factor):
    rng, packed = np.random.default_rng(len(name)), "mxf4" in name
    k, out = 64 if packed else 32, al.f16 if not scales and a_type == "e2m1" and b_type != "e5m2" else al.f32
    left, right = codes(a_type, (16, k), rng), codes(b_type, (8, k), rng)
    x, y = (m.view(NUMPY[t]).astype(np.float64) for m, t in ((left, a_type), (right, b_type)))
    extra: dict[str, int] = {}
    s = np.zeros((2, 32), np.uint32)
    if scales:
        extra = {"byte_a": 4 - scales if scales < 4 else 0, "thread_a": 1, "byte_b": 0, "thread_b": 2}
        low, high = (120, 134) if factor == "ue8m0" else (40, 72)
        s = rng.integers(low, high, (2, 32, 4)).astype(np.uint8)
        value = (lambda c: 2.0 ** (c.astype(np.float64) - 127)) if factor == "ue8m0" else (
            lambda c: c.view(ml_dtypes.float8_e4m3fn).astype(np.float64))  # fmt: skip
        row, col = np.arange(16), np.arange(8)
        of_a = value(s[0][4 * (row % 8) + 2 + row // 8][:, extra["byte_a"] : extra["byte_a"] + scales])
        of_b = value(s[1][4 * col + 2][:, :scales])
        x, y = x * np.repeat(of_a, k // scales, 1), y * np.repeat(of_b, k // scales, 1)
        s = s.reshape(2, 128).view(np.uint32)
    if packed:
        stored = [m[:, ::2] | m[:, 1::2] << 4 for m in (left, right)]
    else:
        stored = [m << (2 if t == "e2m1" else 0) for m, t in ((left, a_type), (right, b_type))]
    a, b = words(stored[0].astype(np.uint8), 2), words(stored[1].astype(np.uint8), 1)
    lane = np.arange(32)[:, None]
    place = lane // 4 + 8 * (np.arange(4) // 2), 2 * (lane % 4) + np.arange(4) % 2
    start = rng.integers(-4, 5, (16, 8)).astype(np.float64)
    want, most = start + x @ y.T, abs(start) + abs(x) @ abs(y).T
    c = start[place].astype(np.float16 if out == al.f16 else np.float32)
    row = f"mma_16x8x{k}_{name}_{out}"
    kernel = kernel_of(row, out, extra)
    got = c.copy()
    kernel[lambda: (1, 32)](a, b, got, s, target="sm_120a", backend="reference")
    executed = c.copy()
    Executed(built(kernel.source, {}, arch.chip("sm_120a")), (32, 1, 1), "sm_120a").run([a, b, executed, s])
    np.testing.assert_array_equal(got, executed)
    eps = 2.0**-10 if out == al.f16 else 2.0**-20
    assert (abs(got.astype(np.float64) - want[place]) <= most[place] * eps).all()
