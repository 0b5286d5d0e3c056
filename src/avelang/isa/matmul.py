"""The meaning of dense matrix instructions in NumPy: fragments of A, B and C come in, the fragment of D goes out."""

from __future__ import annotations

import numpy as np

from avelang.isa.fragments import Fragment, Mma
from avelang.isa.row import Meaning, Wave


def _matrix(fragment: Fragment, held: np.ndarray, dtype: type) -> np.ndarray:
    return fragment.scatter(held.reshape(fragment.lanes, fragment.slots).astype(dtype))


def meaning_of(mma: Mma, ignored_bits: int = 0) -> Meaning:
    """D = A @ B + C from the fragment maps.

    f32 accumulators start from C and take one product after another, k ascending, with one rounding each; those of 16 bits do the same in
    f32 and are rounded at the end; f64 multiplies and adds; integers wrap. `ignored_bits`: so many low bits of the f32 elements of A and B count
    as zero.
    """

    def meaning(wave: Wave, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        kind = {"i": np.int32, "u": np.int32, "f": np.float32}.get(c.dtype.kind, np.float32)
        kind = np.float64 if c.dtype == np.float64 else kind
        left, right, acc = _matrix(mma.a, a, kind), _matrix(mma.b, b, kind), _matrix(mma.c, c, kind)
        if ignored_bits:
            mask = np.uint32(0xFFFFFFFF << ignored_bits & 0xFFFFFFFF)
            left, right = ((x.view(np.uint32) & mask).view(np.float32) for x in (left, right))
        # Products of two numbers of at most 12 significant bits are exact in f32, so multiply and add round once.
        with np.errstate(all="ignore"):
            for k in range(mma.k):
                acc = acc + left[:, :, k : k + 1] * right[:, k : k + 1, :]
        return mma.c.gather(acc.astype(c.dtype)).reshape(c.shape)

    return meaning
