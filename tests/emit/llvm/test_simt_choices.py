"""Local memory at places that differ by lane: chosen among registers, and the same as in the reference; what is too
much stays in memory."""

from __future__ import annotations

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.emit.llvm import simt_choices
from avelang.frontend.build import build
from avelang.sim import reference
from emit.llvm.gpu import assembly, metadata
from emit.llvm.simt_host import OnHost, aligned


@avelang.jit
def words(A: al.Tensor((64, 8), al.i32), B: al.Tensor((64, 8), al.i32), n: al.i32):
    """Read and written at one place in eight, in a loop and under a condition."""
    t = al.thread_id(0)
    mine = al.make_local((8,), al.i32)
    for i in range(8):
        mine[i] = A[t, i]
    for i in al.range(n):
        if A[t, 0] % 3 != 1:
            mine[(t + i * 3) % 8] += mine[A[t, i % 8] % 8]
    for i in range(8):
        B[t, i] = mine[i]


@avelang.jit
def rows(A: al.Tensor((64, 16), al.f32), B: al.Tensor((64, 16), al.f32)):
    """Whole rows of a small matrix, through a view."""
    t = al.thread_id(0)
    mine = al.make_local((4, 4), al.f32)
    for i in range(4):
        for j in range(4):
            mine[i, j] = A[t, i * 4 + j]
    part = al.subview(mine, (t % 4, 0), (1, 4), (4, 1))
    for j in range(4):
        part[0, j] = part[0, j] * 2.0 + mine[3 - t % 4, j]
    for i in range(16):
        B[t, i] = mine[i // 4, i % 4]


@avelang.jit
def small(A: al.Tensor((64, 16), al.u8), B: al.Tensor((64, 16), al.u8)):
    """Bytes and conditions."""
    t = al.thread_id(0)
    mine = al.make_local((16,), al.u8)
    flags = al.make_local((4,), al.u1)
    for i in range(16):
        mine[i] = A[t, i]
    for i in range(4):
        flags[i] = A[t, i] > 100
    flags[t % 4] = t > 20
    mine[A[t, 3] % 16] = 7
    for i in range(16):
        B[t, i] = mine[15 - i] if flags[(t + i) % 4] else mine[i]


@avelang.jit
def too_many(A: al.Tensor((64, 64), al.i32), B: al.Tensor((64,), al.i32)):
    t = al.thread_id(0)
    mine = al.make_local((64,), al.i32)
    for i in range(64):
        mine[i] = A[t, i]
    B[t] = mine[A[t, 0] % 64]


CASES = [
    (words, lambda r: r.integers(0, 99, (64, 8)).astype(np.int32), [np.int32(11)]),
    (rows, lambda r: r.standard_normal((64, 16)).astype(np.float32), []),
    (small, lambda r: r.integers(0, 256, (64, 16)).astype(np.uint8), []),
]


def both(kernel, make, more) -> tuple[np.ndarray, np.ndarray]:
    """What the reference gives, and what we do."""
    given = make(np.random.default_rng(5))
    a, got, want = (aligned(given.shape, given.dtype) for _ in range(3))
    a[:] = given
    reference.run(build(kernel.source, {}, None), [a, want, *more], (1, 1, 1), (64, 1, 1))
    OnHost(build(kernel.source, {}, None), (64, 1, 1)).run([a, got, *more])
    return want, got


@pytest.mark.parametrize(("kernel", "make", "more"), CASES, ids=[k.__name__ for k, *_ in CASES])
def test_as_the_reference(kernel, make, more):
    want, got = both(kernel, make, more)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("kernel", [words, rows, small], ids=lambda k: k.__name__)
def test_nothing_is_left_in_memory(kernel, chip):
    text = assembly(kernel, chip)
    assert metadata(text, "private_segment_fixed_size") == 0 and "scratch_" not in text.split("s_endpgm")[0]


def test_among_many_places_it_is_memory():
    text = assembly(too_many, "gfx942")
    assert metadata(text, "private_segment_fixed_size") >= 256 and "scratch_load_dword" in text


def test_without_the_choice_it_is_memory(monkeypatch):
    """The negative control."""
    monkeypatch.setattr(simt_choices, "MOST_PLACES", 1)
    assert metadata(assembly(words, "gfx942"), "private_segment_fixed_size") > 0


def test_a_wrong_choice_is_noticed(monkeypatch):
    real = simt_choices._places

    def shifted(w, c):
        places, meant = real(w, c)
        return places, meant[1:] + meant[:1]

    monkeypatch.setattr(simt_choices, "_places", shifted)
    want, got = both(*CASES[0])
    assert (want != got).any()


@avelang.jit
def extremes(x: al.Pointer(al.f16), y: al.Pointer(al.f16), out: al.Pointer(al.f16), N: al.constexpr):
    t = al.thread_id(0)
    a, b = al.make_local((N,), al.f16), al.make_local((N,), al.f16)
    for i in range(N):
        a[i], b[i] = x[t * N + i], y[t * N + i]
    high, low = al.max(a, b), al.min(a, b)
    for i in range(N):
        out[t * N + i] = high[i] - low[i]


@pytest.mark.parametrize("n", [16, 17, 32, 45])
def test_extremes_of_long_vectors(n):
    """LLVM 22 has no code for those of more than 16 halves on AMD."""
    rng = np.random.default_rng(n)
    x, y = rng.integers(-50, 50, (2, 64 * n)).astype(np.float16)
    out = np.zeros_like(x)
    extremes[1, 64](x, y, out, n, target="gfx942")
    assert np.array_equal(out, np.abs(x - y))
