"""Rows of the AMD matrix instructions: dense MFMA of gfx90a, gfx942 and gfx950. One table; the fragment maps are its
columns."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

from avelang.base.lazy import np
from avelang.ir.dtypes import DType, bf16, f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f16, f32, f64, i8, i32
from avelang.ir.types import Type, VecType
from avelang.isa.fragments import Fragment, Mma
from avelang.isa.lowering import Lowering, immediates
from avelang.isa.mma_reference import multiply
from avelang.isa.row import Param, Row, Wave, register

LANES = 64
CONVERGENT = frozenset({"convergent"})
SOURCE = (
    "AMD CDNA2, CDNA3 and CDNA4 ISA guides, section 7 (Matrix Arithmetic Instructions); "
    "AMD Matrix Instruction Calculator"
)

# What the names of operand types in mnemonics stand for. For 8-bit floats: the gfx942 kind, then the gfx950 kind.
INPUTS: dict[str, tuple[DType, ...]] = {
    "f16": (f16,), "bf16": (bf16,), "f32": (f32,), "xf32": (f32,), "f64": (f64,), "i8": (i8,),
    "fp8": (f8e4m3fnuz, f8e4m3fn), "bf8": (f8e5m2fnuz, f8e5m2),
}  # fmt: skip
ACCUMULATORS: dict[str, DType] = {"f32": f32, "f64": f64, "i32": i32}


def operand(m: int, k: int, blocks: int, transposed: bool, passes: int = 1) -> Fragment:
    """The map of A (m x k), or of B where `transposed` (k x m): a lane holds consecutive k of one row. Lane % m is the
    row; what is left of the lane number counts blocks where there are several, and runs of k where there is one.
    Instructions that work in several passes along K take the slots of a lane in as many runs, one in each pass."""
    slots = m * k * blocks // LANES
    run = slots // passes

    def place(lane: np.ndarray, slot: np.ndarray) -> tuple[np.ndarray | int, np.ndarray, np.ndarray]:
        row, group = lane % m, lane // m
        along = k // passes * (slot // run) + run * (group // blocks) + slot % run
        return (group % blocks, along, row) if transposed else (group % blocks, row, along)

    return Fragment(LANES, slots, (blocks, k, m) if transposed else (blocks, m, k), place)


def accumulator(m: int, n: int, blocks: int, run: int) -> Fragment:
    """The map of C and D: lane % n is the column, a lane holds runs of `run` consecutive rows; a block's rows are dealt
    out, run by run, to the groups of n lanes that share it. Several blocks of 16 or 32 columns stand one after another
    in the slots; blocks of 4 columns have n lanes each."""
    slots = m * n * blocks // LANES
    in_lanes = blocks if n == 4 else 1
    groups = LANES // (n * in_lanes)
    per_block = slots * in_lanes // blocks

    def place(lane: np.ndarray, slot: np.ndarray) -> tuple[np.ndarray | int, np.ndarray, np.ndarray]:
        block = (lane // n) % blocks if in_lanes > 1 else slot // per_block
        r = slot % per_block
        row = run * groups * (r // run) + run * (lane // (n * in_lanes)) + r % run
        return block, row, lane % n

    return Fragment(LANES, slots, (blocks, m, n), place)


# BLGP: from which lane B's fragment comes (AMD Matrix Instruction Calculator, README, "BLGP"): lanes as they are, the
# low or the high half for both halves, all rotated down by 16, one quarter for all four.
BLGP: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda x: x, lambda x: x % 32, lambda x: x % 32 + 32, lambda x: (x + 16) % LANES,
    lambda x: x % 16, lambda x: x % 16 + 16, lambda x: x % 16 + 32, lambda x: x % 16 + 48,
)  # fmt: skip


def sources(m: int, blocks: int, attrs: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray] | None:
    """From which lanes A and B come under `cbsz`, `abid` and `blgp`. CBSZ makes groups of 2**cbsz neighboring blocks of
    A, all of which get the block that ABID numbers within the group."""
    cbsz, abid, blgp = attrs["cbsz"], attrs["abid"], attrs["blgp"]
    if not cbsz and not blgp:
        return None
    lane, mask = np.arange(LANES), (1 << cbsz) - 1
    block = (lane // m & ~mask) + (abid & mask)
    return (m * block + lane % m if cbsz else lane), BLGP[blgp](lane)


@dataclasses.dataclass(frozen=True, slots=True)
class Dense:
    """One instruction. `llvm` is the intrinsic's name behind "llvm.amdgcn.mfma."; `words` is the type in which LLVM
    takes A and B; `extra` are further public names; `passes` as for `operand`."""

    acc: str
    m: int
    k: int
    blocks: int
    a: str
    b: str
    needs: str
    llvm: str
    words: str
    extra: tuple[str, ...] = ()
    passes: int = 1

    @property
    def shape(self) -> str:
        """M x N x K, with the number of blocks where there is more than one."""
        return f"{self.m}x{self.m}x{self.k}" + (f"_{self.blocks}b" if self.blocks > 1 else "")

    @property
    def inputs(self) -> str:
        """Types of A and B in the name."""
        return self.a if self.a == self.b and self.a not in ("fp8", "bf8") else f"{self.a}_{self.b}"

    @property
    def name(self) -> str:
        """The row's name, after the mnemonic."""
        return f"mfma_{self.acc}_{self.shape}_{self.inputs}"

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other public names of the row. f32 may be left out behind two names of fp8."""
        short = (f"mfma_{self.shape}_{self.inputs}",) if "_" in self.inputs else ()
        return (f"mfma_{self.shape}_{self.inputs}_{self.acc}", *short, *self.extra)


def mma_of(d: Dense) -> Mma:
    """The maps of a dense instruction. f64 holds single rows where the others hold four; xf32 ignores 13 bits of the
    significand."""
    a, b = (operand(d.m, d.k, d.blocks, transposed, d.passes) for transposed in (False, True))
    c = accumulator(d.m, d.m, d.blocks, 1 if d.acc == "f64" else 4)
    return Mma(
        d.m, d.m, d.k, a, b, c, d.blocks, ignored_bits=13 if d.a == "xf32" else 0,
        sources=functools.partial(sources, d.m, d.blocks),
    )  # fmt: skip


# Accumulator, M = N, K, blocks, A, B, feature, LLVM's name, LLVM's type of A and B.
_F32 = [Dense("f32", m, k, b, "f32", "f32", "mfma-gfx90a", f"f32.{m}x{m}x{k}f32", "float")
        for m, k, b in ((4, 1, 16), (16, 1, 4), (16, 4, 1), (32, 1, 2), (32, 2, 1))]  # fmt: skip
_HALF = [(4, 4, 16), (16, 4, 4), (16, 16, 1), (32, 4, 2), (32, 8, 1)]
_F16 = [Dense("f32", m, k, b, "f16", "f16", "mfma-gfx90a", f"f32.{m}x{m}x{k}f16", "<4 x half>") for m, k, b in _HALF]
_BF16 = [Dense("f32", m, k, b, "bf16", "bf16", "mfma-gfx90a", f"f32.{m}x{m}x{k}bf16.1k", "<4 x i16>",
               (f"mfma_f32_{m}x{m}x{k}{f'_{b}b' if b > 1 else ''}_bf16_1k",)) for m, k, b in _HALF]  # fmt: skip
_BF16_OLD = [Dense("f32", m, k, b, "bf16", "bf16", "mfma-gfx908", f"f32.{m}x{m}x{k}bf16", "<2 x i16>")
             for m, k, b in ((4, 2, 16), (16, 2, 4), (16, 8, 1), (32, 2, 2), (32, 4, 1))]  # fmt: skip
_I8 = [Dense("i32", m, k, b, "i8", "i8", "mfma-gfx90a" if b > 1 else "mfma-gfx908", f"i32.{m}x{m}x{k}i8", "i32")
       for m, k, b in _HALF]  # fmt: skip
_I8_WIDE = [Dense("i32", m, k, 1, "i8", "i8", need, f"i32.{m}x{m}x{k}.i8", words)
            for m, k, need, words in ((16, 32, "mfma-gfx942", "i64"), (32, 16, "mfma-gfx942", "i64"),
                                      (16, 64, "mfma-gfx950", "<4 x i32>"),
                                      (32, 32, "mfma-gfx950", "<4 x i32>"))]  # fmt: skip
_XF32 = [
    Dense("f32", m, k, 1, "xf32", "xf32", "xf32", f"f32.{m}x{m}x{k}.xf32", "<2 x float>") for m, k in ((16, 8), (32, 4))
]
_F64 = [Dense("f64", m, 4, b, "f64", "f64", "mfma-gfx90a", f"f64.{m}x{m}x4f64", "double") for m, b in ((4, 4), (16, 1))]
_FP8 = [Dense("f32", m, k, 1, a, b, "mfma-gfx942", f"f32.{m}x{m}x{k}.{a}.{b}", "i64")
        for m, k in ((16, 32), (32, 16)) for a in ("fp8", "bf8") for b in ("fp8", "bf8")]  # fmt: skip
_WIDE = [Dense("f32", m, k, 1, d, d, "mfma-gfx950", f"f32.{m}x{m}x{k}.{d}", f"<8 x {t}>")
         for m, k in ((16, 32), (32, 16)) for d, t in (("f16", "half"), ("bf16", "bfloat"))]  # fmt: skip
# The instruction that takes any 8, 6 and 4-bit floats, for the 8-bit ones and without scales. LLVM's intrinsic says the
# formats by CBSZ and BLGP (`F8F6F4`), and means no scales by zeros for them. Order of K: A. Salykov and others, "Matrix
# Core Programming on AMD CDNA3 and CDNA4" (AMD, 2025), 5.4.
F8F6F4 = {"fp8": 0, "bf8": 1}
_F8 = [Dense("f32", m, k, 1, a, b, "mfma-gfx950", f"scale.f32.{m}x{m}x{k}.f8f6f4.v8i32.v8i32", "<8 x i32>", passes=2)
       for m, k in ((16, 128), (32, 64)) for a in F8F6F4 for b in F8F6F4]  # fmt: skip
DENSE: tuple[Dense, ...] = (*_F32, *_F16, *_BF16, *_BF16_OLD, *_I8, *_I8_WIDE, *_XF32, *_F64, *_FP8, *_WIDE, *_F8)


def fragment_type(names: tuple[DType, ...], slots: int) -> Type | tuple[Type, ...]:
    """The register type of a fragment: a scalar where a lane holds one element; alternatives where the element has
    several."""
    types = tuple(VecType(d, slots) if slots > 1 else d for d in names)
    return types[0] if len(types) == 1 else types


def _semantics(mma: Mma) -> Callable[..., np.ndarray]:
    def semantics(
        wave: Wave, a: np.ndarray, b: np.ndarray, c: np.ndarray, cbsz: int, abid: int, blgp: int
    ) -> np.ndarray:
        moved = mma.sources({"cbsz": cbsz, "abid": abid, "blgp": blgp}) if mma.sources else None
        if moved is not None:
            a, b = a[moved[0]], b[moved[1]]
        return multiply(mma, a, b, c)

    return semantics


def modifiers(d: Dense) -> tuple[Param, ...]:
    """CBSZ and ABID are for instructions with several blocks; BLGP is for those that gfx90a already had, f64 excepted
    (where gfx942 makes it three signs instead, and gfx90a ignores it)."""
    classic = d.needs in ("mfma-gfx90a", "mfma-gfx908") and d.acc != "f64"
    many = d.blocks.bit_length() - 1 if classic else 0
    return (
        Param("cbsz", "const", "groups of 2**cbsz blocks of A share one block", range=(0, many), default=0),
        Param("abid", "const", "which block of the group that is", range=(0, (1 << many) - 1), default=0),
        Param("blgp", "const",
            "lane pattern of B: 0 as it is; 1, 2: the low, high half for both; 3: rotated down by 16 lanes; "
              "4 to 7: one quarter for all", range=(0, 7 if classic else 0), default=0),
    )  # fmt: skip


_NOTES = {
    "xf32": " The low 13 bits of the significands of A and B are ignored: the ISA guide says rounded in section 7 and "
            "truncated at the instruction; hardware was measured to truncate.",
}  # fmt: skip


def _lowering(d: Dense) -> Lowering:
    """The instruction of 8-bit floats takes their formats, and scales: none where both are zero."""
    fixed = tuple(immediates(F8F6F4[d.a], F8F6F4[d.b], 0, 0, 0, 0)) if d.passes > 1 else None
    return Lowering(f"llvm.amdgcn.mfma.{d.llvm}", types={"a": d.words, "b": d.words}, fixed=fixed)


def _row(d: Dense) -> Row:
    mma = mma_of(d)
    params = (
        Param(
            "a",
            fragment_type(INPUTS[d.a], mma.a.slots),
            f"A, {d.m} x {d.k}: {mma.a.slots} of {d.a} a lane",
            packed=True,
        ),
        Param(
            "b",
            fragment_type(INPUTS[d.b], mma.b.slots),
            f"B, {d.k} x {d.m}: {mma.b.slots} of {d.b} a lane",
            packed=True,
        ),
        Param(
            "c",
            fragment_type((ACCUMULATORS[d.acc],), mma.c.slots),
            f"C, {d.m} x {d.m}: {mma.c.slots} of {d.acc} a lane",
        ),
        *modifiers(d),
    )
    many = f"{d.blocks} independent products of" if d.blocks > 1 else "the product of"
    doc = (
        f"D = A @ B + C over a wave, {many} A {d.m} x {d.k} ({d.a}) and B {d.k} x {d.m} ({d.b}); "
        f"C and D are {d.acc}.{_NOTES.get(d.a, '')}"
    )
    return Row(f"amdgpu.{d.name}", params, "c", doc, SOURCE, frozenset({d.needs}), _semantics(mma), CONVERGENT,
               mma=mma, aliases=d.aliases, llvm={"amdgpu": _lowering(d)})  # fmt: skip


for _d in DENSE:
    register(_row(_d))
