"""Handlers of MFMA and SMFMAC instructions, from the fragment maps of the rows; EXEC does not matter to them.

Operands are widened to the accumulator's type (exactly), and the products are added to C one by one, in ascending k: an
f32 accumulator by fused multiply-adds, so that each addition rounds once; i32 wraps; f64 multiplies and adds, rounding
twice. That is the definition of `avelang.isa.mma_reference`, and the reference executor computes the same bits.
Hardware adds within an instruction in an order that is not published. Source: AMD Instinct MI300 ISA, section 7 and
section 16.11. On gfx90a, products of f16 and bf16 take denormals for zeros, operands and results (PyTorch, "Numerical
accuracy", on MI200 GPUs).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from avelang.amdgcn.asm import Imm, MCInst, Operand, PhysReg
from avelang.ir.dtypes import DType
from avelang.ir.types import dtype_of
from avelang.isa.amdgpu.passes import mnemonic
from avelang.isa.row import ROWS, Param, Row
from avelang.llvm.narrow_floats import Bits, widen
from avelang.llvm.products import function, places
from avelang.llvm.writer import Writer
from avelang.sim.amdgcn.state import LANES, REGISTER
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm

WORK = {"f32": "float", "f64": "double", "i32": "i32"}
NAMES = ("vdst", "srcA", "srcB", "srcC")


@dataclasses.dataclass(frozen=True, slots=True)
class MfmaForm:
    """One way in which an instruction is written: its row, the attributes among its modifiers, the kinds of A, B and
    the accumulator, the signs of `neg:`, the pattern of a constant C, and whether denormals are zeros."""

    row: Row
    attrs: tuple[tuple[str, int], ...]
    kinds: tuple[DType, DType, DType]
    neg: tuple[int, ...]
    constant: int | None
    flushes: bool = False

    @property
    def name(self) -> str:
        """Name of the helper function."""
        tail = ".".join(f"{k}{v}" for k, v in self.attrs if v)
        signs = "".join(map(str, self.neg)) if any(self.neg) else ""
        kinds = "" if self.kinds[0].bits != 8 else f".{self.kinds[0]}"
        flushes = "flush" if self.flushes else ""
        constant = "" if self.constant is None else self.constant
        return f"ave.{self.row.name}{kinds}.{tail}.{signs}.{constant}{flushes}".replace("amdgpu.", "")


def _kind(param: Param, fp8: str) -> DType:
    """The dtype of an operand; of 8-bit floats, the kind that the chip has."""
    kinds = param.type if isinstance(param.type, tuple) else (param.type,)
    dtypes = [dtype_of(t) for t in kinds if not isinstance(t, str)]
    return next((d for d in dtypes if d.name.endswith("fnuz") == (fp8 == "fnuz")), dtypes[0])


def _form(t: BlockTranslator, row: Row, i: MCInst, c: Operand) -> MfmaForm:
    by_name = {p.name: p for p in row.params}
    kinds = tuple(_kind(by_name[x], t.fp8) for x in "abc")
    attrs = []
    for p in row.params:
        if p.is_const:
            value = i.int(p.name)
            if p.range and not p.range[0] <= value <= p.range[1]:
                raise UnsupportedForm(f"{p.name}:{value} is not defined for it")
            attrs.append((p.name, value))
    known = {p.name for p in row.params} | {"neg", "neg_lo", "neg_hi"}
    if other := [m for m in i.mods if m not in known and i.mods[m]]:
        raise UnsupportedForm(f"the modifier {other[0]} is not defined for it")
    neg = i.bits("neg", 3)
    if any(neg) and kinds[2].name != "f64":
        raise UnsupportedForm("signs are defined for f64 only")
    constant = t.immediate(c, kinds[2].bits, kinds[2].is_float) if isinstance(c, Imm) else None
    flushes = t.chip == "gfx90a" and kinds[0].is_float and kinds[0].bits == 16
    return MfmaForm(row, tuple(attrs), (kinds[0], kinds[1], kinds[2]), neg, constant, flushes)


def _registers(o: Operand, want: int, which: str) -> PhysReg:
    if not isinstance(o, PhysReg) or o.file not in "va" or o.count != want:
        raise UnsupportedForm(f"{which} must be {want} vector registers, not {o}")
    return o


def _matrix(row: Row) -> Handler:
    mma = row.mma
    assert mma is not None

    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a, b = i.operands[:3]
        c, index = (d, i.operands[3]) if mma.sparse else (i.operands[3], None)
        form = _form(t, row, i, c)
        bits = [k.bits for k in form.kinds]
        sizes = [f.slots * n // 32 for f, n in zip((mma.a, mma.b, mma.c), bits, strict=True)]
        regs = [_registers(o, n, which) for o, n, which in zip((d, a, b), (sizes[2], *sizes[:2]), NAMES, strict=False)]
        regs.append(regs[0] if form.constant is not None else _registers(c, sizes[2], "srcC"))
        if index is not None:
            regs.append(_registers(index, 1, "the index"))
        name = t.helper(form.name, lambda: _function(t, form))
        t.run(name, *(f"ptr {t.place(r)}" for r in regs), may_fail=False)

    return handler


class _Function(Writer):
    """Writes `void name(d, a, b, c[, index])` over pointers to registers."""

    def __init__(self, t: BlockTranslator, form: MfmaForm):
        super().__init__(t.module, LANES)
        self.form = form
        self.work = WORK[form.kinds[2].name]

    def register(self, base: str, k: int) -> str:
        place = self.op(f"getelementptr i8, ptr {base}, i64 {k * REGISTER}")
        return self.op(f"load {self.t('i32')}, ptr {place}, align 64")

    def elements(self, base: str, d: DType, slots: int) -> list[str]:
        """The elements that registers hold, slot by slot, in the type of the products."""
        out = []
        for s in range(slots):
            if d.bits == 64:
                out.append(self.op(f"bitcast {self.t('i64')} {self.double(base, s)} to {self.t('double')}"))
                continue
            word = self.register(base, s * d.bits // 32)
            if d.bits == 32:
                word = self.flushed(word, 32, 23) if self.form.flushes else word
                out.append(
                    word if self.work == "i32" else self.op(f"bitcast {self.t('i32')} {word} to {self.t('float')}")
                )
                continue
            bits = Bits(self, True)
            part = bits("lshr", word, s * d.bits % 32)
            narrow = self.op(f"trunc {self.t('i32')} {part} to {self.t(f'i{d.bits}')}")
            if self.form.flushes:
                narrow = self.flushed(narrow, 16, 10 if d.name == "f16" else 7)
            out.append(
                widen(self, d, True, narrow)
                if d.is_float
                else self.op(f"sext {self.t(f'i{d.bits}')} {narrow} to {self.t('i32')}")
            )
        return out

    def flushed(self, pattern: str, bits: int, mantissa: int) -> str:
        """Patterns of floats, denormals made zeros of their sign."""
        v, sign = self.t(f"i{bits}"), 1 << bits - 1
        field = self.op(f"and {v} {pattern}, splat (i{bits} {(sign - 1) >> mantissa << mantissa})")
        zero = self.op(f"and {v} {pattern}, splat (i{bits} {sign - (1 << bits)})")
        tiny = self.op(f"icmp eq {v} {field}, zeroinitializer")
        return self.op(f"select {self.t('i1')} {tiny}, {v} {zero}, {v} {pattern}")

    def flush_results(self, slots: int) -> None:
        for s in range(slots):
            place = self.op(f"getelementptr {self.t('i32')}, ptr %d, i64 {s}")
            word = self.op(f"load {self.t('i32')}, ptr {place}, align 64")
            self.do(f"store {self.t('i32')} {self.flushed(word, 32, 23)}, ptr {place}, align 64")

    def double(self, base: str, s: int) -> str:
        """A pair of registers as <64 x i64>."""
        wide = self.t("i64")
        low, high = (
            self.op(f"zext {self.t('i32')} {self.register(base, 2 * s + k)} to {self.t('i64')}") for k in (0, 1)
        )
        return self.op(f"or {wide} {low}, {self.op(f'shl {wide} {high}, splat (i64 32)')}")

    def stored(self, base: str, which: int, slots: int, lanes: np.ndarray | None) -> str:
        """Stack memory with an operand's elements, slot after slot."""
        form, e = self.form, self.work
        mma = form.row.mma
        assert mma is not None
        place = self.body.alloca(f"[{slots * LANES} x {e}]")
        for s, x in enumerate(self.elements(base, form.kinds[which], slots)):
            if mma.ignored_bits and which < 2:
                bits = Bits(self, True)
                x = bits.to_float(bits("and", bits.from_float(x), -1 << mma.ignored_bits))
            if which < 3 and any(form.neg) and form.neg[which]:
                x = self.op(f"fneg {self.t(e)} {x}")
            if lanes is not None:
                order = ", ".join(f"i32 {n}" for n in lanes)
                x = self.op(f"shufflevector {self.t(e)} {x}, {self.t(e)} poison, <{LANES} x i32> <{order}>")
            self.put(place, s, x)
        return place

    def put(self, base: str, s: int, value: str) -> None:
        place = self.op(f"getelementptr {self.t(self.work)}, ptr {base}, i64 {s}")
        self.do(f"store {self.t(self.work)} {value}, ptr {place}, align 64")

    def fields(self, slots: int, attrs: Mapping[str, int]) -> str:
        """Which of four neighbors each stored element of a sparse A is, as i32."""
        shift = 0 if attrs["cbsz"] else 2 * slots * attrs["abid"]
        bits, word = Bits(self, True), self.register("%i", 0)
        place = self.body.alloca(f"[{slots * LANES} x i32]")
        for s in range(slots):
            at = self.op(f"getelementptr {self.t('i32')}, ptr {place}, i64 {s}")
            self.do(f"store {self.t('i32')} {bits('and', bits('lshr', word, shift + 2 * s), 3)}, ptr {at}, align 64")
        return place


def _function(t: BlockTranslator, form: MfmaForm) -> str:
    w, mma, attrs = _Function(t, form), form.row.mma, dict(form.attrs)
    assert mma is not None
    moved = mma.sources(attrs) if mma.sources else None
    left = w.stored("%a", 0, mma.a.slots, None if moved is None else moved[0])
    right = w.stored("%b", 1, mma.b.slots, None if moved is None else moved[1])
    slots, e = mma.c.slots, w.work
    # In f32 and i32, the registers of D are the accumulator as it stands; f64, and a C whose sign turns, are worked on
    # beside them.
    beside = e == "double"
    total = w.body.alloca(f"[{slots * LANES} x {e}]") if beside else "%d"
    if form.constant is not None:
        value = form.constant
        for s in range(slots):
            w.put(
                total,
                s,
                w.op(
                    f"bitcast {w.t(f'i{form.kinds[2].bits}')} {w.splat(str(value), f'i{form.kinds[2].bits}')} to "
                    f"{w.t(e)}"
                ),
            )
    elif beside:
        total = w.stored("%c", 2, slots, None)
    elif form.flushes:
        for s, x in enumerate(w.elements("%c", form.kinds[2], slots)):
            w.put(total, s, x)
    else:
        w.call(
            "llvm.memmove.p0.p0.i64", "void", ("ptr align 64", "%d"), ("ptr align 64", "%c"),
            ("i64", str(slots * REGISTER)), ("i1", "false"),
        )  # fmt: skip
    args = [total, left, right, *([w.fields(mma.a.slots, attrs)] if mma.sparse else [])]
    w.do(f"call void @{function(t.module, places(mma), e, mma.sparse)}({', '.join(f'ptr {x}' for x in args)})")
    if beside:
        _spread(w, total, slots)
    if form.flushes:
        w.flush_results(slots)
    params = "ptr %d, ptr %a, ptr %b, ptr %c" + (", ptr %i" if mma.sparse else "")
    return f"define internal void @{form.name}({params}) noinline #0 {{\n{w.body.text()}\n  ret void\n}}"


def _spread(w: _Function, total: str, slots: int) -> None:
    """Doubles back into pairs of registers."""
    i32, i64 = w.t("i32"), w.t("i64")
    for s in range(slots):
        place = w.op(f"getelementptr {w.t('double')}, ptr {total}, i64 {s}")
        word = w.op(f"load {i64}, ptr {place}, align 64")
        for k, part in enumerate((word, w.op(f"lshr {i64} {word}, splat (i64 32)"))):
            at = w.op(f"getelementptr i8, ptr %d, i64 {(2 * s + k) * REGISTER}")
            w.do(f"store {i32} {w.op(f'trunc {i64} {part} to {i32}')}, ptr {at}, align 64")


def _rows() -> list[Row]:
    """The rows that are one instruction on registers a, b, c and perhaps an index; those that may be scaled are
    `mfma_scaled`'s."""
    plain = {"a", "b", "c", "index"}
    found = [
        r
        for r in ROWS.values()
        if r.mma is not None and r.namespace == "amdgpu" and {p.name for p in r.operands} <= plain
    ]
    return [r for r in found if not mnemonic(r.name).endswith("f8f6f4")]


TABLE: dict[str, Handler] = {mnemonic(row.name): _matrix(row) for row in _rows()}
