"""The gradients of sinks: what attention made and its gradients come in; a number for each head goes out, of sums in a
fixed order."""

# No `from __future__ import annotations`: the annotations of kernels name values of the functions around them.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.arrays import DTYPES, named, new, spanned, strides_of

THREADS, LANES = 256, 32  # of a block, and of those that add up a row
ROWS = THREADS // LANES
PARTS = 64  # blocks of a head, at most
NOTHING = float("-inf")
HALVES = (128, 64, 32, 16, 8, 4, 2, 1)


@avelang.jit
def total(x: Any):
    """The sum over a block's threads."""
    thread = al.thread_id(0)
    shared = al.make_shared((THREADS,), al.f32)
    shared[thread] = x
    for half in HALVES:
        al.syncthreads()
        if thread < half:
            shared[thread] = shared[thread] + shared[thread + half]
    al.syncthreads()
    return shared[0]


@functools.cache
def build_parts(dtype: al.DType, given: bool) -> Any:
    """The kernel that leaves the sums of some rows. `given`: logarithms have a gradient of their own."""
    MORE: Any = al.Pointer(al.f32) if given else al.constexpr
    STEP: Any = al.u64 if given else al.constexpr

    @avelang.jit
    def sink_parts(
        out: al.Pointer[dtype], grad: al.Pointer[dtype], lse: al.Pointer[al.f32], sinks: al.Pointer[al.f32],
        parts: al.Pointer[al.f32], rows: al.u32, queries: al.u32, d: al.u32,
        ob: al.u64, oh: al.u64, oq: al.u64, od: al.u64, gb: al.u64, gh: al.u64, gq: al.u64, gd: al.u64,
        lb: al.u64, lh: al.u64, lq: al.u64,
        glse: Annotated[Any, MORE] = None, db: Annotated[Any, STEP] = None, dh: Annotated[Any, STEP] = None,
        dq: Annotated[Any, STEP] = None,
    ):  # fmt: skip
        head, lane = al.convert(al.block_id(1), al.u64), al.thread_id(0) % LANES
        sink, sum = sinks[al.block_id(1)], al.convert(0.0, al.f32)
        # A sum of rows has the same terms in all lanes of its row.
        for first in al.range(al.block_id(0) * ROWS, rows, al.grid_dim(0) * ROWS):
            row = first + al.thread_id(0) // LANES
            inside = row < rows
            at = al.select(inside, row, 0)
            b, q = al.convert(at // queries, al.u64), al.convert(at % queries, al.u64)
            o, g = b * ob + head * oh + q * oq, b * gb + head * gh + q * gq
            dot = al.convert(0.0, al.f32)
            for i in al.range(lane, d, LANES):
                j = al.convert(i, al.u64)
                dot += al.convert(out[o + j * od], al.f32) * al.convert(grad[g + j * gd], al.f32)
            for step in (16, 8, 4, 2, 1):
                dot += al.shuffle_xor(dot, step, width=LANES)
            if given:
                dot -= glse[b * db + head * dh + q * dq]
            log = lse[b * lb + head * lh + q * lq]
            # A row without keys, whose sink is -inf too, has no weights.
            share = al.select(log == NOTHING, 0.0, al.exp(sink - al.select(log == NOTHING, 0.0, log)))
            sum -= al.select(inside & (lane == 0), share * dot, 0.0)
        sum = total(sum)
        if al.thread_id(0) == 0:
            parts[al.block_id(1) * al.grid_dim(0) + al.block_id(0)] = sum

    return sink_parts


@avelang.jit
def sink_sums(parts: al.Pointer[al.f32], out: al.Pointer[al.f32], count: al.u32):
    """Adds up the parts of a head."""
    sum = al.convert(0.0, al.f32)
    if al.thread_id(0) < count:
        sum = parts[al.block_id(0) * count + al.thread_id(0)]
    sum = total(sum)
    if al.thread_id(0) == 0:
        out[al.block_id(0)] = sum


def launch(sinks: Any, out: Any, grad: Any, lse: Any, grad_lse: Any, dsinks: Any, packed: bool, **options: Any) -> None:
    """dsinks = the sums over rows of -e^(sink - lse) (out . grad - grad_lse): each sink is a score whose value is 0.

    out, grad: (batch, heads, queries, d), or `packed` (tokens, heads, d); lse, grad_lse: f32, (batch, heads, queries)
    or (heads, tokens); grad_lse may be None; sinks, dsinks: f32, (heads,). Any strides that are 0 or more."""
    if packed:
        out, grad = (x.swapaxes(0, 1)[None] for x in (out, grad))
        lse, grad_lse = (None if x is None else x[None] for x in (lse, grad_lse))
    batch, heads, queries, d = out.shape
    rows = batch * queries
    count = max(1, min(PARTS, -(-rows // ROWS)))
    parts = new(lse, (heads * count,), "float32")
    steps = [s for x in (out, grad, lse) for s in strides_of(x)]
    more = {} if grad_lse is None else {
        "glse": spanned(grad_lse), **dict(zip(("db", "dh", "dq"), strides_of(grad_lse), strict=True))
    }  # fmt: skip
    build_parts(DTYPES[named(out)], grad_lse is not None)[(count, heads), THREADS](
        spanned(out), spanned(grad), spanned(lse), spanned(sinks), parts, rows, max(queries, 1), d, *steps, **more,
        **options,
    )  # fmt: skip
    sink_sums[heads, THREADS](parts, dsinks, count, **options)
