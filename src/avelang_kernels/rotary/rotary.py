"""Queries and keys come in, with cosines and sines of positions; the same turned by the angles of their positions go
out, or turned back: one source for AMD, NVIDIA and the CPU.

Pairs of an element are (x[i], x[i + r / 2]), or (x[2 i], x[2 i + 1]) where they are interleaved, of the first r
elements of a head; what follows is copied. Facts: RoFormer (Su et al. 2021), 3.4; the pairs of GPT-NeoX and of GPT-J.
"""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
import itertools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.arrays import address, copied, named, spanned, strides_of
from avelang_kernels.norm.launches import accumulator, of
from avelang_kernels.norm.row_plans import WIDEST

BLOCK = 256  # threads
INDICES: dict[str, Any] = {"int64": al.i64, "int32": al.i32}


@avelang.struct
class Heads:
    """An array (batches, heads, positions, elements): `memory`, a pointer, and strides; `step` is that of the
    elements."""

    memory: ...
    batches: ...
    heads: ...
    positions: ...
    n: ...
    s0: ...
    s1: ...
    s2: ...
    step: ...

    def part(self, VEC: Any):
        """The array in accesses of VEC elements."""
        shape = self.batches, self.heads, self.positions, self.n // VEC, VEC
        strides = self.s0, self.s1, self.s2, self.step * VEC, 1
        return al.make_tensor(self.memory, self.memory.dtype, al.make_layout(shape, strides))


@avelang.jit
def turn(
    X: Any, Y: Any, C: Any, S: Any, r: Any, where: Any, p: Any, pairs: Any, inverse: Any, VEC: Any, CVEC: Any,
    INTERLEAVED: Any, T: Any, ACC: Any,
):  # fmt: skip
    """The part of a thread, of T, in row r of the arrays: pairs, and what is copied."""
    x, y, (b, h, s) = X.part(VEC), Y.part(VEC), r
    c, d = C.part(CVEC), S.part(CVEC)
    turned = pairs // CVEC
    held = x.shape[3]
    rest = held - 2 * pairs // VEC
    for j in al.range(al.thread_id(0) % T, turned + rest, T):
        if j < turned:
            cos, sin = al.convert(c[where, 0, p, j], ACC), al.convert(d[where, 0, p, j], ACC) * inverse
            if INTERLEAVED and VEC > 1:
                both = al.convert(x[b, h, s, j], ACC)
                out = al.make_local((VEC,), ACC)
                for e in range(VEC // 2):
                    out[2 * e] = both[2 * e] * cos[e] - both[2 * e + 1] * sin[e]
                    out[2 * e + 1] = both[2 * e + 1] * cos[e] + both[2 * e] * sin[e]
                y[b, h, s, j] = al.convert(out, y.dtype)
            else:
                one, two = (2 * j, 2 * j + 1) if INTERLEAVED else (j, pairs // VEC + j)
                low, high = al.convert(x[b, h, s, one], ACC), al.convert(x[b, h, s, two], ACC)
                y[b, h, s, one] = al.convert(low * cos - high * sin, y.dtype)
                y[b, h, s, two] = al.convert(high * cos + low * sin, y.dtype)
        else:
            at = held - rest + (j - turned)
            y[b, h, s, at] = x[b, h, s, at]


@functools.cache
def build(
    dtype: Any, table: Any, index: Any, two: bool, VEC: int, CVEC: int, T: int, INTERLEAVED: bool
) -> Any:
    """The kernel for the dtypes of queries and keys, of cosines and sines, and of positions (None: a row's own).
    `two`: there are keys. VEC, CVEC: elements of an access of queries, of cosines; T: threads of a head."""
    acc = accumulator(dtype)
    K, N, M = (al.Pointer(dtype), al.u32, al.i64) if two else (al.constexpr,) * 3
    AT, OFF = (al.constexpr, al.constexpr) if index is None else (al.Pointer(index), al.i64)

    @avelang.jit
    def rotary(
        q: al.Pointer[dtype], yq: al.Pointer[dtype], cos: al.Pointer[table], sin: al.Pointer[table], batches: al.u32,
        heads: al.u32, length: al.u32, n: al.u32, most: al.u32, pairs: al.u32, inverse: Annotated[Any, acc],
        q0: al.i64, q1: al.i64, q2: al.i64, q3: al.i64, c0: al.i64, c2: al.i64, c3: al.i64, d0: al.i64, d2: al.i64,
        d3: al.i64, o0: al.i64, o1: al.i64, o2: al.i64, offset: al.i64 = 0, at: Annotated[Any, AT] = None,
        a0: Annotated[Any, OFF] = None, a1: Annotated[Any, OFF] = None, k: Annotated[Any, K] = None,
        yk: Annotated[Any, K] = None, kv_heads: Annotated[Any, N] = None, k0: Annotated[Any, M] = None,
        k1: Annotated[Any, M] = None, k2: Annotated[Any, M] = None, k3: Annotated[Any, M] = None,
        p0: Annotated[Any, M] = None, p1: Annotated[Any, M] = None, p2: Annotated[Any, M] = None,
    ):  # fmt: skip
        r = al.block_id(0) * (BLOCK // T) + al.thread_id(0) // T
        both = heads + kv_heads if two else heads
        if r < batches * length * both:
            b, s, h = r // both // length, r // both % length, r % both
            if index is None:
                place = offset + al.convert(s, al.i64)
            else:
                entry = al.convert(b, al.i64) * a0 + al.convert(s, al.i64) * a1
                found = al.make_tensor(at, index, al.make_layout((batches * length,)))[entry]
                place = al.convert(found, al.i64) + offset
            count = al.convert(most, al.i64)
            place = al.select(place < 0, place + count, place)  # from the end, as of NumPy's and torch's arrays
            p = al.convert(al.max(al.min(place, count - 1), 0), al.u32)
            C = Heads(cos, batches, 1, most, pairs, c0, 0, c2, c3)
            S = Heads(sin, batches, 1, most, pairs, d0, 0, d2, d3)
            if h < heads:
                X = Heads(q, batches, heads, length, n, q0, q1, q2, q3)
                Y = Heads(yq, batches, heads, length, n, o0, o1, o2, 1)
                turn(X, Y, C, S, (b, h, s), b, p, pairs, inverse, VEC, CVEC, INTERLEAVED, T, acc)
            elif two:
                XK = Heads(k, batches, kv_heads, length, n, k0, k1, k2, k3)
                YK = Heads(yk, batches, kv_heads, length, n, p0, p1, p2, 1)
                turn(XK, YK, C, S, (b, h - heads, s), b, p, pairs, inverse, VEC, CVEC, INTERLEAVED, T, acc)

    return rotary


# -- on the host -------------------------------------------------------------------------------------------------------


def _four(x: Any) -> tuple[Any, tuple[int, ...], list[int]]:
    """An array as (batches, heads, positions, elements): itself or a copy, that shape, and strides."""
    for _ in range(2):
        shape, strides = tuple(x.shape), list(strides_of(x))
        lead = [(n, s) for n, s in zip(shape[:-3], strides[:-3], strict=True) if n != 1]
        joined = all(a[1] == b[0] * b[1] for a, b in itertools.pairwise(lead))
        if joined and all(s >= 0 for s in strides):
            batches = math.prod(shape[:-3])
            tail = shape[-3:] if len(shape) > 2 else (1, *shape)
            steps = strides[-3:] if len(shape) > 2 else [0, *strides]
            return x, (batches, *tail), [lead[-1][1] if lead else 0, *steps]
        x = copied(x)
    raise AssertionError("a copy has no gaps")


def _table(x: Any, pairs: int, interleaved: bool) -> tuple[Any, list[int]]:
    """Cosines, or sines, of pairs: memory, and strides of batches, positions and elements."""
    if x.shape[-1] == 2 * pairs:
        x = x[..., ::2] if interleaved else x[..., :pairs]
    if any(s < 0 for s in strides_of(x)):
        x = copied(x)
    strides = list(strides_of(x))
    x = spanned(x)
    return x, [strides[0] if len(strides) == 3 else 0, *strides[-2:]]


def rotate(q: Any, k: Any, cos: Any, sin: Any, positions: Any, yq: Any, yk: Any, *, offset: int = 0,
    interleaved: bool = False, dims: int = 0, inverse: bool = False, **options: Any) -> None:  # fmt: skip
    """Fills yq and yk (None with k), whose elements are side by side, with q and k (..., heads, positions, elements)
    turned, or turned back. cos, sin: (most, r / 2) or (most, r), or of each batch (batches, ...); positions:
    (positions,) or (batches, positions), or None: their number; `offset` is added. dims: r; 0: what cos says."""
    given = (q,) if k is None else (q, k)
    arrays = [_four(x) for x in given]
    (_, shape, steps), n = arrays[0], int(q.shape[-1])
    pairs = (dims or 2 * int(cos.shape[-1])) // 2
    (c, cs), (d, ds) = _table(cos, pairs, interleaved), _table(sin, pairs, interleaved)
    batches, _, length, _ = shape
    rows = batches * length * sum(a[1][1] for a in arrays)
    if 0 in (rows, n):
        return
    # Neighbors of an access: all that is loaded at once lies side by side, and begins at a multiple of it.
    size, vec = q.dtype.itemsize, 0
    made = [_four(y) for y in ((yq,) if k is None else (yq, yk))]
    for x, _, each in (*arrays, *made):
        vec = math.gcd(vec, *each[:3], n, _begin(x)) if each[3] == 1 else 1
    vec = math.gcd(vec, WIDEST // size, 2 * pairs if interleaved else pairs)
    cvec = vec if not interleaved else max(1, vec // 2)
    least = math.gcd(cvec, *(s for t in (cs, ds) for s in t[:2]), _begin(c), _begin(d))
    if least != cvec or cs[2] * ds[2] != 1:
        vec, cvec = 1, 1
    work = pairs // cvec + (n - 2 * pairs) // vec
    T = min(BLOCK, 1 << max(0, work - 1).bit_length())
    said: dict[str, Any] = {}
    if positions is not None:
        at = list(strides_of(positions))
        said = {"at": spanned(positions),
                "a0": at[0] if len(at) == 2 else 0, "a1": at[-1]}  # fmt: skip
    if k is not None:
        (x, kshape, ks) = arrays[1]
        said |= {"k": _memory(x), "yk": _memory(yk), "kv_heads": kshape[1],
                 **dict(zip(("k0", "k1", "k2", "k3"), ks, strict=True)),
                 **dict(zip(("p0", "p1", "p2"), made[1][2][:3], strict=True))}  # fmt: skip
    x = arrays[0][0]
    kernel = build(of(q), of(cos), None if positions is None else INDICES[named(positions)], k is not None, vec, cvec,
                   T, interleaved)  # fmt: skip
    kernel[-(-rows // (BLOCK // T)), BLOCK](
        _memory(x), _memory(yq), c, d, batches, shape[1], length, n, int(cos.shape[-2]), pairs,
        -1.0 if inverse else 1.0, *steps, *cs, *ds, *made[0][2][:3], offset, **said, **options,
    )  # fmt: skip


def _memory(x: Any) -> Any:
    return spanned(x)


def _begin(x: Any) -> int:
    """The address of an array's first element, counted in elements."""
    return address(x) // x.dtype.itemsize
