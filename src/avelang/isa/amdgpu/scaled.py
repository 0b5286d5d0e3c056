"""Rows of gfx950's matrix instructions with block scales: 8, 6 and 4-bit floats, each 32 neighbors along K with a power
of two of their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Op, Value
from avelang.ir.dtypes import DType, f8e4m3fn, f8e5m2, f32, f64, i32, u32
from avelang.ir.types import VecType
from avelang.isa.amdgpu.mfma_rows import CONVERGENT, LANES, accumulator, operand
from avelang.isa.fragments import Fragment, Mma
from avelang.isa.lowering import Emit, Emitter, Lowering, immediates
from avelang.isa.mma_reference import matmul
from avelang.isa.row import Param, Row, Wave, register

SOURCE = (
    "AMD CDNA4 ISA guide, sections 7.1.5 (formats and layouts) and 7.2 (Block Scaled Matrices); "
    "LLVM, IntrinsicsAMDGPU.td, int_amdgcn_mfma_scale"
)
SLOTS, BLOCK, NO_NUMBER = 32, 32, 255  # elements of a lane, elements that share a scale, the scale that is NaN


@dataclasses.dataclass(frozen=True, slots=True)
class NarrowFloat:
    """A narrow float: what CBSZ and BLGP call it, its bits, bits of its significand, the bias of its exponent, its
    dtype where the language has one. Those without have neither infinities nor NaN."""

    code: int
    bits: int
    mantissa: int
    bias: int
    dtype: DType | None = None

    @property
    def words(self) -> int:
        """Registers of an operand."""
        return SLOTS * self.bits // 32

    @property
    def type(self) -> VecType | tuple[VecType, ...]:
        """Types of an operand: elements, where the language has the dtype, else words."""
        return VecType(self.dtype, SLOTS) if self.dtype else (VecType(u32, self.words), VecType(i32, self.words))

    def fragment(self, m: int, k: int, transposed: bool) -> Fragment:
        """8-bit operands take K in two halves; a lane of the others holds 32 neighbors."""
        return operand(m, k, 1, transposed, 2 if self.bits == 8 else 1)

    def numbers(self, held: np.ndarray) -> np.ndarray:
        """float32 (lanes, 32) of the registers of an operand."""
        if self.dtype:
            return np.ascontiguousarray(held).view(self.dtype.np).astype(np.float32)
        bits = np.unpackbits(np.ascontiguousarray(held).view(np.uint8), axis=1, bitorder="little").reshape(
            LANES, SLOTS, self.bits
        )
        codes = bits @ (1 << np.arange(self.bits))
        low, sign = codes & ((1 << self.mantissa) - 1), codes >> (self.bits - 1)
        exponent = (codes >> self.mantissa) & ((1 << (self.bits - 1 - self.mantissa)) - 1)
        value = np.where(exponent == 0, low, low + (1 << self.mantissa)) * 2.0 ** (
            np.maximum(exponent, 1) - self.bias - self.mantissa
        )
        return np.where(sign, -value, value).astype(np.float32)


FORMATS: dict[str, NarrowFloat] = {
    "fp8": NarrowFloat(0, 8, 3, 7, f8e4m3fn), "bf8": NarrowFloat(1, 8, 2, 15, f8e5m2), "fp6": NarrowFloat(2, 6, 3, 1),
    "bf6": NarrowFloat(3, 6, 2, 3),
    "fp4": NarrowFloat(4, 4, 1, 1),
}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Scaled:
    """One instruction with its formats."""

    m: int
    k: int
    a: str
    b: str

    @property
    def name(self) -> str:
        """The row's name."""
        return f"mfma_scale_f32_{self.m}x{self.m}x{self.k}_{self.a}_{self.b}"

    @property
    def llvm(self) -> str:
        """LLVM's intrinsic, without its prefix."""
        words = (FORMATS[f].words for f in (self.a, self.b))
        return f"mfma.scale.f32.{self.m}x{self.m}x{self.k}.f8f6f4." + ".".join(f"v{n}i32" for n in words)

    @property
    def mma(self) -> Mma:
        """The maps. (`Row.mma` is for products of the operands as they are, which backends execute from the maps
        alone.)"""
        a, b = (FORMATS[f].fragment(self.m, self.k, t) for f, t in ((self.a, False), (self.b, True)))
        return Mma(self.m, self.m, self.k, a, b, accumulator(self.m, self.m, 1, 4))


SCALED: tuple[Scaled, ...] = tuple(
    Scaled(m, k, a, b) for m, k in ((16, 128), (32, 64)) for a in FORMATS for b in FORMATS
)


def powers(word: np.ndarray, part: int) -> np.ndarray:
    """float64 (lanes,): the powers of two, or NaN, that byte `part` of the scales says (E8M0)."""
    e = np.ascontiguousarray(word).view(np.uint8).reshape(LANES, 4)[:, part].astype(np.int32)
    return np.where(e == NO_NUMBER, np.nan, np.ldexp(1.0, e - 127))


def _semantics(d: Scaled) -> Callable[..., np.ndarray]:
    mma = d.mma

    def scaled(
        f: NarrowFloat, fragment: Fragment, held: np.ndarray, scale: np.ndarray, part: int, axis: int
    ) -> np.ndarray:
        # Lane i + m kb has the scale of row (of B: column) i for the block kb along K.
        by = np.repeat(powers(scale, part).reshape(d.k // BLOCK, d.m), BLOCK, axis=0)
        matrix = fragment.scatter(f.numbers(held)).astype(
            np.float64
        )  # an element times its scale is beyond f32; here all of it is exact
        return matrix * (by.T if axis else by)[None]

    def semantics(
        wave: Wave, a: np.ndarray, b: np.ndarray, c: np.ndarray, scale_a: np.ndarray, scale_b: np.ndarray, part_a: int,
        part_b: int,
    ):  # fmt: skip
        with np.errstate(all="ignore"):
            left = scaled(FORMATS[d.a], mma.a, a, scale_a, part_a, 1)
            right = scaled(FORMATS[d.b], mma.b, b, scale_b, part_b, 0)
            return mma.c.gather(matmul(left, right, mma.c.scatter(c)))

    return semantics


def _elements(b: Builder, f: NarrowFloat, held: Value) -> list[Value]:
    """The 32 numbers of a lane, as f32."""
    if f.dtype:
        return [b.convert(b.extract(held, s), f32) for s in range(SLOTS)]
    words = b.bitcast(held, VecType(u32, f.words))
    out = []
    for s in range(SLOTS):
        word, shift = divmod(s * f.bits, 32)
        code = b.shr(b.extract(words, word), b.const(shift))
        if shift + f.bits > 32:
            code = b.or_(code, b.shl(b.extract(words, word + 1), b.const(32 - shift)))
        # In the places of an f32 the exponent is short of the difference of the biases, which a product makes good,
        # subnormal numbers included.
        magnitude = b.shl(b.and_(code, b.const((1 << (f.bits - 1)) - 1)), b.const(23 - f.mantissa))
        number = b.mul(b.bitcast(magnitude, f32), b.const(2.0 ** (127 - f.bias), f32))
        sign = b.shl(b.and_(code, b.const(1 << (f.bits - 1))), b.const(32 - f.bits))
        out.append(b.bitcast(b.or_(b.bitcast(number, u32), sign), f32))
    return out


def _power(b: Builder, scale: Value, part: int) -> Value:
    """`powers` of the lane's own word."""
    e = b.and_(b.shr(b.bitcast(scale, u32), b.const(8 * part)), b.const(255))
    least = b.select(b.cmp("eq", e, b.const(0)), b.const(1 << 22), b.shl(e, b.const(23)))
    return b.bitcast(b.select(b.cmp("eq", e, b.const(NO_NUMBER)), b.const(0x7FC00000), least), f32)


def _lower(d: Scaled) -> Callable[..., Value]:
    """Every lane computes its own elements of D: those of one column in several rows."""
    mma = d.mma

    def lower(
        b: Builder, a: Value, right: Value, c: Value, scale_a: Value, scale_b: Value, part_a: int, part_b: int
    ) -> Value:
        lane = b.lane_id()
        column, group = b.and_(lane, b.const(d.m - 1)), b.shr(lane, b.const(d.m.bit_length() - 1))

        def take(v: Value, row: Value, g: int) -> Value:
            return b.shuffle("idx", v, b.add(row, b.const(g * d.m)), LANES)

        def places(index: np.ndarray) -> dict[int, tuple[int, int]]:
            return {int(index[g * d.m, s]): (g, s) for g in range(LANES // d.m) for s in range(SLOTS)}

        at_a, at_b = places(mma.a.index[2]), places(mma.b.index[1])
        left, whole = _elements(b, FORMATS[d.a], a), _elements(b, FORMATS[d.b], right)
        power_a, power_b = (
            b.convert(_power(b, scale, part), f64) for scale, part in ((scale_a, part_a), (scale_b, part_b))
        )
        blocks = range(d.k // BLOCK)
        by_b = [take(power_b, column, kb) for kb in blocks]
        col = [take(whole[s], column, g) for g, s in (at_b[k] for k in range(d.k))]
        out = []
        for r in range(mma.c.slots):
            row = b.add(b.const(int(mma.c.index[1][0, r])), b.shl(group, b.const(2)))
            by = [b.mul(take(power_a, row, kb), by_b[kb]) for kb in blocks]
            acc = b.extract(c, r)
            for k in range(d.k):
                # Elements multiply exactly in f32, and with both powers in f64. A product of 8 bits and a sum of 24 are
                # near enough to f32 that a rounding to f64 in between does not show (Figueroa, 1995).
                g, s = at_a[k]
                product = b.convert(b.mul(take(left[s], row, g), col[k]), f64)
                acc = b.convert(b.same("fma", product, by[k // BLOCK], b.convert(acc, f64)), f32)
            out.append(acc)
        return b.vec(out)

    return lower


def _emit(d: Scaled) -> Emit:
    """Formats, then scales and which byte of them. Two scales of the number zero LLVM would take for none: the bytes
    that are not looked at are not zero then."""

    def emit(w: Emitter, op: Op, name: str) -> str:
        args = []
        for v, f in zip(op.operands[:2], (FORMATS[d.a], FORMATS[d.b]), strict=True):
            t = f"<{f.words} x i32>"
            args.append((t, w.bitcast(w.value(v), w.type(v.type), t)))
        c, scales = op.operands[2], [w.value(v) for v in op.operands[3:]]
        part_a, part_b = op.attrs["part_a"], op.attrs["part_b"]
        if scales == ["0", "0"]:
            scales[0] = str(1 << 8 * (part_a ^ 1))
        formats = immediates(FORMATS[d.a].code, FORMATS[d.b].code)
        tail = [*formats, *immediates(part_a), ("i32", scales[0]), *immediates(part_b), ("i32", scales[1])]
        return w.call(name, w.type(c.type), *args, (w.type(c.type), w.value(c)), *tail)

    return emit


def _row(d: Scaled) -> Row:
    mma, a, b = d.mma, FORMATS[d.a], FORMATS[d.b]

    def held(f: NarrowFloat, name: str) -> str:
        return f"{SLOTS} of {name} a lane" + ("" if f.dtype else f" in {f.words} words, the first lowest")

    scale = (
        "powers of two with a bias of 127 in a byte (E8M0; 255: NaN): lane i + {m} b has that of {which} i, "
        "elements 32 b to 32 b + 31 along K"
    )
    params = (
        Param("a", a.type, f"A, {d.m} x {d.k}: {held(a, d.a)}", packed=True),
        Param("b", b.type, f"B, {d.k} x {d.m}: {held(b, d.b)}", packed=True),
        Param("c", VecType(f32, mma.c.slots), f"C, {d.m} x {d.m}: {mma.c.slots} of f32 a lane"),
        Param("scale_a", (i32, u32), "A's scales: " + scale.format(m=d.m, which="row")),
        Param("scale_b", (i32, u32), "B's scales, likewise of columns"),
        *(Param(f"part_{x}", "const", f"which byte of `scale_{x}`", range=(0, 3), default=0) for x in "ab"),
    )
    doc = (
        f"D = A @ B + C over a wave, A {d.m} x {d.k} ({d.a}) and B {d.k} x {d.m} ({d.b}), C and D f32. Each 32 "
        f"neighbors along K of a row of A "
        "and of a column of B are multiplied by a power of two of their own. Products of elements and scales are "
        "exact, however far the scales; "
        "each is added with one rounding to f32."
    )  # fmt: skip
    return Row(f"amdgpu.{d.name}", params, "c", doc, SOURCE, frozenset({"mfma-gfx950"}), _semantics(d), CONVERGENT,
        _lower(d),
               llvm={"amdgpu": Lowering(f"llvm.amdgcn.{d.llvm}", emit=_emit(d))})  # fmt: skip


for _d in SCALED:
    register(_row(_d))
