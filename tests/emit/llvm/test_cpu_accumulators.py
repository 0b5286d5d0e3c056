"""Accumulators in local memory are added to where they stand, and only where nothing can tell."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.emit.llvm import cpu, cpu_accumulators

CALLS: list[int] = []


def body(between: str):
    """A kernel that adds products to two accumulators in a loop; `between`: what stands beside them."""

    @avelang.jit
    def kernel(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, HOW: al.constexpr = between):
        t = al.thread_id(0)
        X = al.make_tensor(x, al.f32, al.make_layout((4, 64), (64, 1)))
        Y = al.make_tensor(y, al.f32, al.make_layout((12, 64), (64, 1)))
        acc = al.make_local((2, 4), al.f32)
        for i in range(2):
            acc[i] = al.full((4,), 1.0, al.f32)
        seen = al.full((4,), 0.0, al.f32)
        for k in al.range(n):
            a, b = X[k % 4, t], X[(k + 1) % 4, t]
            for i in range(2):
                old = acc[i]
                new = al.amdgpu.mfma_f32_16x16x4_f32(a, b, old)
                if HOW == "read":
                    seen = seen + acc[i]
                if HOW == "used twice":
                    seen = seen + old
                if HOW == "written":
                    acc[i, 0] = a
                if HOW == "masked":
                    if t < 16:
                        acc[i] = new
                else:
                    acc[i] = new
            if HOW == "crossed":
                first = acc[0]
                acc[0] = acc[1]
                acc[1] = first
        for i in range(2):
            for j in range(4):
                Y[i * 4 + j, t] = acc[i][j]
        for j in range(4):
            Y[8 + j, t] = seen[j]

    return kernel


@pytest.mark.parametrize("how", ["plain", "read", "used twice", "written", "masked", "crossed"])
def test_as_the_reference(monkeypatch, how):
    found = []
    monkeypatch.setenv("AVE_NO_CACHE", "1")
    monkeypatch.setattr(cpu, "in_place", lambda *args: found.append(cpu_accumulators.in_place(*args)) or found[-1])
    x = np.random.default_rng(0).integers(-3, 4, (4, 64)).astype(np.float32)
    out = [np.zeros((12, 64), np.float32) for _ in range(2)]
    for y, backend in zip(out, ("cpu", "reference"), strict=True):
        body(how)[1, 64](x, y, 3, target="gfx942", backend=backend)
    np.testing.assert_array_equal(*out)
    assert out[0][:8].any()
    assert len(found[0]) == (2 if how == "plain" else 0) or how in ("read", "written")
