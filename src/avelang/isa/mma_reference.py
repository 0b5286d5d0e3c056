"""What matrix instructions compute: fragments of A, B and C as NumPy arrays come in, the fragment of D goes out.

The rule of the project: an f32 accumulator starts from C and takes the products in ascending k, each by a fused
multiply-add; integers wrap; an f16 accumulator is the f32 chain, rounded once at its end; an f64 one multiplies and
adds. Hardware sums in an order of its own, to a like precision."""

from __future__ import annotations

from avelang.base.lazy import np
from avelang.isa.fragments import Mma


def fma32(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """float32: a * b + c with one rounding, from float64 arrays that hold float32 numbers.

    The product of two 24-bit significands is exact in float64. Their sum with c is rounded to odd there (S. Boldo, G.
    Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008), so that
    the rounding to float32 is the only one that shows."""
    p = a * b
    s = p + c
    back = s - p
    err = (p - (s - back)) + (c - back)
    even = (s.view(np.int64) & 1) == 0
    fix = even & (err != 0) & np.isfinite(s)
    toward = np.where(err > 0, np.inf, -np.inf)
    return np.where(fix, np.nextafter(s, toward), s).astype(np.float32)


def _chain32(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    a, b = a.astype(np.float64), b.astype(np.float64)
    acc = np.ascontiguousarray(c, np.float32)
    for k in range(a.shape[2]):
        acc = fma32(a[:, :, k, None], b[:, None, k, :], acc.astype(np.float64))
    return acc


def _masked(x: np.ndarray, bits: int) -> np.ndarray:
    return (np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFFFFFF << bits & 0xFFFFFFFF)).view(np.float32)


def multiply(mma: Mma, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """D's fragment in C's dtype and shape. Fragments are (lanes, slots), or (lanes,) where there is one slot; `mma` is
    dense."""
    if mma.ignored_bits:
        a, b = _masked(a, mma.ignored_bits), _masked(b, mma.ignored_bits)
    ma, mb, mc = (f.scatter(x.reshape(f.lanes, f.slots)) for f, x in ((mma.a, a), (mma.b, b), (mma.c, c)))
    return mma.c.gather(matmul(ma, mb, mc)).reshape(c.shape)


def matmul(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a @ b + c on (blocks, m, k), (blocks, k, n), (blocks, m, n), by the rule above, in c's dtype."""
    if c.dtype.kind in "iu":
        wide = a.astype(np.int64) @ b.astype(np.int64) + c.astype(np.int64)
        return wide.astype(c.dtype)
    with np.errstate(all="ignore"):
        if c.dtype == np.float64:
            acc = c.copy()
            for k in range(a.shape[2]):
                acc = a[:, :, k, None] * b[:, None, k, :] + acc
            return acc
        return _chain32(a, b, c).astype(c.dtype)
