"""Operations that the tests of the bridge share: small, of one kernel."""

from __future__ import annotations

import math

import avelang
import avelang.language as al
from avelang.bridge import Array, op


@avelang.jit
def scaled_kernel(
    x: al.Pointer(al.f32), w: al.Pointer(al.f32), y: al.Pointer(al.f32), kept: al.Pointer(al.f32), n: al.i32,
    columns: al.i32, factor: al.f32
):  # fmt: skip
    i, T = al.block_id(0) * 64 + al.thread_id(0), al.Tensor((n,), al.f32)
    if i < n:
        out, saved = al.make_tensor(y, T), al.make_tensor(kept, T)
        weight = al.make_tensor(w, al.Tensor((columns,), al.f32))[i % columns]
        out[i] = factor * al.make_tensor(x, T)[i] * weight
        saved[i] = factor * weight


def scaled_shapes(x, w, *, factor):
    for name, a in (("x", x), ("w", w)):
        if a.dtype != "float32":
            raise avelang.bridge.no_kernel(f"{name} is of {a.dtype}: there is a kernel for float32")
    if x.ndim < 1 or w.shape != x.shape[-1:]:
        raise avelang.argument_error(f"w is {w.shape}: it must be {x.shape[-1:]}, a number for each column of x")
    return Array(x.shape, x.dtype), Array(x.shape, "f32")


SEEN: list[dict] = []


@op(scaled_shapes, batched=("x",), contiguous=True)
def scaled(x, w, out, kept, *, factor: float = 2.0, mode=(1, 2), invariant: bool | None = None):
    """factor * x * w, for each row of x; kept is factor * w."""
    SEEN.append({"x": type(x).__module__, "mode": mode, "invariant": invariant})
    n = math.prod(x.shape)
    scaled_kernel[-(-n // 64), 64](x, w, out, kept, n, x.shape[-1], factor)


@scaled.backward(saves=("x", "kept"))
def _(grads, inputs, outputs, *, factor, needs):
    (g,), (x, w), (out, kept) = grads, inputs, outputs
    assert w is None and out is None
    of_w = (g * x).reshape(-1, x.shape[-1]).sum(0) * factor if needs[1] else None
    return g * kept, of_w


@scaled.fallback
def _(x, w, *, factor, mode, invariant):
    return x * w * factor
