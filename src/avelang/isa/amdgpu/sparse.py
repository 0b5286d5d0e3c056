"""Rows of the sparse matrix instructions of gfx942 and gfx950 (smfmac): A keeps two of each four neighbors along K, and
an index says which."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import f32, i32, u32
from avelang.ir.types import VecType
from avelang.isa.amdgpu.mfma_rows import ACCUMULATORS, CONVERGENT, INPUTS, LANES, accumulator, fragment_type, operand
from avelang.isa.fragments import Mma
from avelang.isa.lowering import Lowering
from avelang.isa.mma_reference import matmul
from avelang.isa.row import Param, Row, Wave, register

SOURCE = (
    "AMD CDNA4 ISA guide, section 7.5 (Sparse Matrices), which also has the shapes of CDNA3: layouts of B and of the "
    "index; "
    "the emulator in AMD's ROCm systems repository, whose order along K is the same but for the names of the places"
)


@dataclasses.dataclass(frozen=True, slots=True)
class Sparse:
    """One instruction; `words` are the types in which LLVM takes A and B."""

    acc: str
    m: int
    k: int
    a: str
    b: str
    llvm: str
    words: tuple[str, str]
    needs: str = "mfma-gfx942"

    @property
    def inputs(self) -> str:
        """Types of A and B in the name."""
        return self.a if self.a == self.b and self.a not in ("fp8", "bf8") else f"{self.a}_{self.b}"

    @property
    def mma(self) -> Mma:
        """The instructions of gfx950 take K in two halves: a lane's slots of B lie in both, those of A in one."""
        a, b = (
            operand(self.m, self.k // 2, 1, False),
            operand(self.m, self.k, 1, True, 2 if self.needs == "mfma-gfx950" else 1),
        )
        return Mma(self.m, self.m, self.k, a, b, accumulator(self.m, self.m, 1, 4), sparse=True)


# Feature, registers of A (B has twice as many), K of 16-bit operands in the shape of 16 (half of that in the shape of
# 32), LLVM's bf16.
_FAMILIES = (("mfma-gfx942", 2, 32, "i16"), ("mfma-gfx950", 4, 64, "bfloat"))
_16 = [Sparse("f32", m, k * 16 // m, d, d, f"f32.{m}x{m}x{k * 16 // m}.{d}", (f"<{2 * n} x {t}>", f"<{4 * n} x {t}>"),
    need)
       for need, n, k, bfloat in _FAMILIES for m in (16, 32) for d,
       t in (("f16", "half"), ("bf16", bfloat))]  # fmt: skip
_8 = [Sparse(acc, m, k * 32 // m, a, b, f"{acc}.{m}x{m}x{k * 32 // m}.{a}" + (f".{b}" if acc == "f32" else ""),
             (f"<{n} x i32>", f"<{2 * n} x i32>"), need)
      for need, n, k, _ in _FAMILIES for m in (16, 32)
      for acc, a, b in (("i32", "i8", "i8"), *(("f32", a, b) for a in ("fp8", "bf8") for b in ("fp8",
          "bf8")))]  # fmt: skip
SPARSE: tuple[Sparse, ...] = (*_16, *_8)


def index_shift(mma: Mma, cbsz: int, abid: int) -> int:
    """First bit of a lane's indices in its index word: two bits for each stored element. ABID numbers the sets of bits,
    where the word has several; CBSZ other than 0 takes the first whatever ABID says."""
    return 0 if cbsz else 2 * mma.a.slots * abid


def _semantics(mma: Mma) -> Callable[..., np.ndarray]:
    def semantics(
        wave: Wave, a: np.ndarray, b: np.ndarray, c: np.ndarray, index: np.ndarray, cbsz: int, abid: int
    ) -> np.ndarray:
        fields = (
            index.view(np.uint32)[:, None]
            >> np.uint32(index_shift(mma, cbsz, abid))
            >> (2 * np.arange(mma.a.slots, dtype=np.uint32))
        )
        where = mma.a.scatter((fields & 3).astype(np.int64))[0]
        stored = mma.a.scatter(a)[0]
        # Both elements of a group may name one place: they are two products then, in their order along K.
        full = mma.b.scatter(b)[0]
        group = 4 * (np.arange(mma.k // 2) // 2)
        picked = full[(group + where)[:, :, None], np.arange(mma.n)]  # (m, k/2, n)
        acc = mma.c.scatter(c)[0][:, None, :]
        out = matmul(stored[:, None, :], picked, acc)
        return mma.c.gather(out.reshape(1, mma.m, mma.n))

    return semantics


def _lower(mma: Mma, wide: str) -> Callable[..., Value]:
    """Every lane computes its own elements of D: those of one column in several rows."""

    def lower(b: Builder, a: Value, right: Value, c: Value, index: Value, cbsz: int, abid: int) -> Value:
        d = i32 if wide == "i32" else f32
        groups = LANES // mma.n
        lane = b.lane_id()
        column = b.and_(lane, b.const(mma.n - 1))
        bits = b.shr(b.bitcast(index, u32), b.const(index_shift(mma, cbsz, abid)))
        # Elements are moved between lanes in 32 bits: a shuffle of one register.
        left = [b.convert(b.extract(a, s), d) for s in range(mma.a.slots)]
        whole = [b.convert(b.extract(right, s), d) for s in range(mma.b.slots)]
        stride = mma.m
        order_b = {
            int(k): (g, s) for g in range(groups) for s in range(mma.b.slots) for k in [mma.b.index[1][g * stride, s]]
        }
        col = [
            b.shuffle("idx", whole[s], b.add(column, b.const(g * stride)), LANES)
            for g, s in (order_b[k] for k in range(mma.k))
        ]
        order_a = {
            int(k): (g, s) for g in range(groups) for s in range(mma.a.slots) for k in [mma.a.index[2][g * stride, s]]
        }
        out = []
        for r in range(mma.c.slots):
            # The row of slot r for group 0, and four more for each group of lanes.
            row = b.add(
                b.const(int(mma.c.index[1][0, r])), b.shl(b.shr(lane, b.const(mma.n.bit_length() - 1)), b.const(2))
            )
            acc = b.extract(c, r)
            for k in range(mma.k // 2):
                g, s = order_a[k]
                source = b.add(row, b.const(g * stride))
                at = b.and_(b.shr(b.shuffle("idx", bits, source, LANES), b.const(2 * s)), b.const(3))
                x = col[4 * (k // 2)]
                for p in (1, 2, 3):
                    x = b.select(b.cmp("eq", at, b.const(p)), col[4 * (k // 2) + p], x)
                acc = b.same("fma", b.shuffle("idx", left[s], source, LANES), x, acc)
            out.append(acc)
        return b.vec(out)

    return lower


def _row(d: Sparse) -> Row:
    mma = d.mma
    sets = 16 // mma.a.slots
    params = (
        Param(
            "a",
            fragment_type(INPUTS[d.a], mma.a.slots),
            f"A's stored elements, {d.m} x {d.k // 2}: {mma.a.slots} of {d.a} a lane",
            packed=True,
        ),
        Param(
            "b",
            fragment_type(INPUTS[d.b], mma.b.slots),
            f"B, {d.k} x {d.m}: {mma.b.slots} of {d.b} a lane",
            packed=True,
        ),
        Param("c", VecType(ACCUMULATORS[d.acc], mma.c.slots), f"C, {d.m} x {d.m}: {mma.c.slots} of {d.acc} a lane"),
        Param(
            "index",
            (i32, u32),
            "two bits for each stored element of the lane, the first lowest: its place among its four neighbors",
        ),
        Param(
            "cbsz", "const", "other than 0: the lowest set of index bits, whatever `abid` says", range=(0, 7), default=0
        ),
        Param(
            "abid",
            "const",
            f"which of the {sets} sets of {2 * mma.a.slots} index bits in the word is meant",
            range=(0, sets - 1),
            default=0,
        ),
    )
    doc = (
        f"D = A @ B + C over a wave, A {d.m} x {d.k} ({d.a}) with two stored elements of each four along K, B {d.k} x "
        f"{d.m} ({d.b}), C and "
        f"D {d.acc}. "
        "Stored elements 2 i and 2 i + 1 of a row stand in columns 4 i to 4 i + 3, where the index says."
    )
    llvm = {"amdgpu": Lowering(f"llvm.amdgcn.smfmac.{d.llvm}", types={"a": d.words[0], "b": d.words[1]})}
    names = (f"smfmac_{d.m}x{d.m}x{d.k}_{d.inputs}_{d.acc}",)
    return Row(f"amdgpu.smfmac_{d.acc}_{d.m}x{d.m}x{d.k}_{d.inputs}", params, "c", doc, SOURCE, frozenset({d.needs}),
               _semantics(mma), CONVERGENT, _lower(mma, d.acc), mma, names, llvm)  # fmt: skip


for _d in SPARSE:
    register(_row(_d))
