"""A description of a matrix product comes in; it is run on adversarial matrices and held against the dense product in
NumPy.

No `from __future__ import annotations`: the probe's annotations name what only its factory knows.
"""

import dataclasses
from typing import Any

import ml_dtypes
import numpy as np

import avelang
import avelang.language as al
from avelang.base.places import wrong
from avelang.base.takes import takes
from avelang.ir.dtypes import DType
from avelang.isa.mma_reference import matmul
from avelang.tile.distribution import row_of
from avelang.tile.products import MmaAtom

CHAIN = 2  # tiles of K one after another, so that the accumulator is carried from one to the next


def probe(mma: MmaAtom, chain: int) -> Any:
    """A kernel of one wave: D = C + the product of `chain` tiles along K, on fragments as they lie in memory, (chain,
    lanes, elements)."""
    lower, expand, collapse = mma.lower, mma.expand, mma.collapse
    da, db, dc = mma.dtypes
    assert mma.a is not None and mma.b is not None
    lanes, na, nb, nc = mma.wave, mma.a.elements, mma.b.elements, mma.acc.elements

    @avelang.jit
    def run(
        a: al.Tensor((chain, lanes, na), da),  # type: ignore
        b: al.Tensor((chain, lanes, nb), db),  # type: ignore
        c: al.Tensor((lanes, nc), dc),  # type: ignore
        d: al.Tensor((lanes, nc), dc),  # type: ignore
    ):
        lane = al.thread_id(0)
        acc = expand(c[lane])
        for step in range(chain):
            acc = lower(a[step, lane], b[step, lane], acc)
        d[lane] = collapse(acc)

    return run


@dataclasses.dataclass(frozen=True)
class Case:
    """One set of matrices: A (m, k), B (k, n), C (m, n), all in float64 or int64, and whether every order of the sum
    gives the same bits."""

    name: str
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    exact: bool


def cases(mma: MmaAtom, chain: int = CHAIN, seed: int = 7) -> list[Case]:
    """Random numbers, small integers, one-hot matrices, cancellation; for floats also NaN and infinities (in A, in B
    where A is zero, in C), negative zeros and denormals."""
    m, n, k = mma.m, mma.n, mma.k * chain
    rng = np.random.default_rng(seed)
    low = -4 if mma.dtypes[0].kind != "uint" else 0

    def whole(*shape: int) -> Any:
        return rng.integers(low, 5, shape).astype(np.float64)

    a, b, c = whole(m, k), whole(k, n), whole(m, n)
    eye = np.zeros((m, k))
    eye[np.arange(k) % m, np.arange(k)] = 1
    place = (np.arange(k)[:, None] * 3 + np.arange(n)) % 8 - 4 * (low < 0)
    out = [Case("integers", a, b, c, True), Case("one-hot A", eye, place.astype(float), 0 * c, True)]
    if not mma.dtypes[2].is_float:
        return out
    big = 64.0
    away = np.where(np.arange(k) % 2, -big, big) + 0 * a  # pairs that cancel, beside small ones
    away[:, : k // 4] = whole(m, k // 4)
    out.append(Case("cancellation", away, np.repeat(whole(k // 2, n), 2, axis=0), c, True))
    left, right = (_shortened(mma, rng.standard_normal(x)) for x in ((m, k), (k, n)))
    out.append(Case("random", left, right, rng.standard_normal((m, n)), False))
    out.append(Case("negative zeros", -0.0 * np.abs(a), np.abs(b), -0.0 * np.abs(c), True))
    out.append(Case("zeros of both signs", -0.0 * np.abs(a), b, -0.0 * np.abs(c), True))
    # Whole numbers of the least one that A's dtype, or B's, has: exact, and lost where denormals count as zero.
    low_a, low_b = (_least(mma, d) for d in mma.dtypes[:2])
    out += [
        Case("denormals in A", a * low_a, b, c * low_a, True), Case("denormals in B", a, b * low_b, c * low_b, True)
    ]
    for name, value in (("NaN", np.nan), ("infinity", np.inf)):
        if name == "infinity" and mma.dtypes[0].name.endswith("fnuz") or mma.dtypes[0].name == "f8e4m3fn":
            continue  # these have no infinities
        for which in range(3):
            x = [a.copy(), b.copy(), c.copy()]
            x[0][0, :] = 0  # 0 times NaN or infinity is NaN
            for at in rng.integers(0, x[which].size, 3):
                x[which].reshape(-1)[at] = value * rng.choice([-1, 1])
            out.append(Case(f"{name} in {'ABC'[which]}", x[0], x[1], x[2], True))
    return out


def _ignored(mma: MmaAtom) -> int:
    """Low bits of f32 that the instructions ignore (tf32, xf32)."""
    return max(found.ignored_bits if (found := row_of(name).mma) else 0 for name in mma.natives)


def _least(mma: MmaAtom, dtype: DType) -> float:
    """The least positive number of A's or B's dtype, of those that the instructions tell from 0."""
    return float(ml_dtypes.finfo(dtype.np).smallest_subnormal) * 2.0 ** _ignored(mma)


def _shortened(mma: MmaAtom, x: np.ndarray) -> np.ndarray:
    """Without the bits that the instructions ignore."""
    bits = _ignored(mma)
    whole = x.astype(np.float32).view(np.uint32) >> bits << bits
    return whole.view(np.float32).astype(np.float64) if bits else x


def compute(
    mma: MmaAtom, case: Case, chain: int = CHAIN, kernel: Any = None, **options: Any
) -> tuple[np.ndarray, np.ndarray]:
    """(D by the MMA, the dense product), both (m, n), in the accumulator's dtype."""
    types = [d.np for d in mma.dtypes]
    with np.errstate(all="ignore"):
        a, b, c = (x.astype(t) for x, t in zip((case.a, case.b, case.c), types, strict=True))
    assert mma.a is not None and mma.b is not None
    parts_a = np.stack([mma.a.gather(x) for x in np.split(a, chain, axis=1)])
    parts_b = np.stack([mma.b.gather(x) for x in np.split(b, chain, axis=0)])
    held = np.ascontiguousarray(mma.acc.gather(c))
    out = np.zeros_like(held)
    (kernel or probe(mma, chain))[(1, mma.wave)](np.ascontiguousarray(parts_a), np.ascontiguousarray(parts_b), held,
                                                 out, **options)
    return mma.acc.scatter(out), matmul(a[None], b[None], c[None])[0]


def difference(mma: MmaAtom, case: Case, got: np.ndarray, want: np.ndarray) -> str:
    """Text of a difference greater than the order of the sum allows; empty where they do not."""
    if case.exact:
        same = (got == want) & (np.signbit(got) == np.signbit(want)) if mma.dtypes[2].is_float else got == want
        same = same | ((got != got) & (want != want))
    else:
        # Products of two are exact in the accumulator's dtype, or rounded once; each of k sums is rounded once, in
        # whatever order, to nearest or towards zero: an error of no more than eps each, of what is no more than the sum
        # of magnitudes (and little more, for which k + 2 is enough).
        eps = float(np.finfo(want.dtype).eps)
        bound = (case.a.shape[1] + 2) * eps * (np.abs(case.a) @ np.abs(case.b) + np.abs(case.c))
        same = np.abs(got.astype(np.float64) - want) <= bound
    if same.all():
        return ""
    row, col = map(int, np.argwhere(~same)[0])
    first = f"the first at ({row}, {col}): {got[row, col]}, and the dense product has {want[row, col]}"
    return f"{case.name}: {int((~same).sum())} of {same.size} differ, {first}"


@takes("T301")
def check(mma: MmaAtom, target: str = "gfx942", chain: int = CHAIN, **options: Any) -> list[str]:
    """Runs a matrix product on all `cases` on the CPU (or with these options of a launch, such as
    `backend="reference"`) and returns the names of the cases. Raises T307 at the caller's line for the first that is
    not the dense product, and for one whose operands come from shared memory, which one wave's fragments cannot
    feed."""
    if mma.a is None or mma.b is None:
        raise wrong("T307", name=mma.name, why="its operands are in shared memory, and the check feeds registers")
    kernel, done = probe(mma, chain), []
    for case in cases(mma, chain):
        got, want = compute(mma, case, chain, kernel, target=target, **options)
        bad = difference(mma, case, got, want)
        if bad:
            raise wrong("T307", name=mma.name, why=bad)
        done.append(case.name)
    return done
