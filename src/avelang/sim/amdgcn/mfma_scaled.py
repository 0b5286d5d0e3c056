"""Handlers of gfx950's matrix instructions on 8, 6 and 4-bit floats (f8f6f4), with block scales or without.

CBSZ and BLGP say the formats of A and B, OP_SEL and OP_SEL_HI which byte of a scale's word counts.
`v_mfma_ld_scale_b32` is the first half of a scaled instruction's encoding, and gives the next one its scales. Elements
times their scales are held in double, exactly, so that exponents add as they do in the instruction, and products are
added to C one by one in ascending k, each sum rounded once to f32. Source: AMD CDNA4 ISA, sections 7.1.5 and 7.2.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from avelang.amdgcn.asm import Imm, MCInst, Operand, PhysReg
from avelang.isa.amdgpu.scaled import BLOCK, FORMATS, NO_NUMBER, SLOTS, NarrowFloat, Scaled
from avelang.llvm.narrow_floats import widen
from avelang.llvm.products import places, wide
from avelang.llvm.vectors import Ops, function
from avelang.llvm.writer import Writer
from avelang.sim.amdgcn.state import LANES, REGISTER
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm

SHAPES = {"16x16x128": (16, 128), "32x32x64": (32, 64)}
_BY_CODE = {f.code: name for name, f in FORMATS.items()}
LOAD_SCALE = "v_mfma_ld_scale_b32"


@dataclasses.dataclass(frozen=True, slots=True)
class ScaledMfmaForm:
    """One way in which an instruction is written. `parts`: which byte of the words of scales, or None without scales;
    `constant`: the pattern of a constant C."""

    row: Scaled
    parts: tuple[int, int] | None
    constant: int | None

    @property
    def name(self) -> str:
        """Name of the helper function."""
        parts = "plain" if self.parts is None else "".join(map(str, self.parts))
        return f"ave.{self.row.name}.{parts}.{'' if self.constant is None else self.constant}"


class _Code(Writer):
    """Writes `void name(d, a, b, c, sa, sb)` over pointers to registers."""

    def __init__(self, t: BlockTranslator, form: ScaledMfmaForm):
        super().__init__(t.module, LANES)
        self.form = form

    def register(self, base: str, k: int) -> str:
        place = self.op(f"getelementptr i8, ptr {base}, i64 {k * REGISTER}")
        return self.op(f"load {self.t('i32')}, ptr {place}, align 64")

    def codes(self, base: str, f: NarrowFloat) -> list[str]:
        """The codes of the 32 elements of a lane, with other bits above."""
        b = Ops(self, "i32")
        words, out = [self.register(base, k) for k in range(f.words)], []
        for s in range(SLOTS):
            word, shift = divmod(s * f.bits, 32)
            code = b("lshr", words[word], shift) if shift else words[word]
            if shift + f.bits > 32:
                code = b("or", code, b("shl", words[word + 1], 32 - shift))
            out.append(code)
        return out

    def number(self, f: NarrowFloat, code: str) -> str:
        """The element that a code says, as a double."""
        b, o = Ops(self, "i32"), Ops(self, "float")
        if f.dtype:
            return o.to("double", "fpext", widen(self, f.dtype, True, b.to("i8", "trunc", code)))
        number = o(
            "fmul", o.number(b("shl", b("and", code, (1 << f.bits - 1) - 1), 23 - f.mantissa)), 2.0 ** (127 - f.bias)
        )
        sign = b("shl", b("and", code, 1 << f.bits - 1), 32 - f.bits)
        return o.to("double", "fpext", o.number(b("or", o.pattern(number), sign)))

    def powers(self, base: str, part: int) -> str:
        """The lanes' powers of two, as doubles."""
        b, wide, d = Ops(self, "i32"), Ops(self, "i64"), Ops(self, "double")
        e = b.to("i64", "zext", b("and", b("lshr", self.register(base, 0), 8 * part), 255))
        return d.select(wide.cmp("eq", e, NO_NUMBER), math.nan, d.number(wide("shl", wide("add", e, 1023 - 127), 52)))

    def stored(self, which: int) -> str:
        """Stack memory with an operand's elements times their scales, slot after slot, as doubles."""
        form, base = self.form, "%a" if which == 0 else "%b"
        mma = form.row.mma
        fragment = (mma.a, mma.b)[which]
        d = Ops(self, "double")
        place = self.body.alloca(f"[{SLOTS * LANES} x double]")
        power = self.powers(("%sa", "%sb")[which], form.parts[which]) if form.parts is not None else ""
        row, k = (fragment.index[1], fragment.index[2]) if which == 0 else (fragment.index[2], fragment.index[1])
        moved: dict[bytes, str] = {}
        name = (form.row.a, form.row.b)[which]
        for s, x in enumerate(self.codes(base, FORMATS[name])):
            if power:
                # Lane i + m kb has the scale of row (of B: column) i for the block kb along K.
                lanes = np.ascontiguousarray(row[:, s] + form.row.m * (k[:, s] // BLOCK))
                key = lanes.tobytes()
                if key not in moved:
                    order = ", ".join(f"i32 {n}" for n in lanes)
                    moved[key] = self.op(f"shufflevector {d.v} {power}, {d.v} poison, <{LANES} x i32> <{order}>")
                times = ("double", moved[key])
                value = function(
                    self, f"ave_{name}_times", "double", lambda v, by: d("fmul", self.number(FORMATS[name], v), by),
                    ("i32", x), times,
                )  # fmt: skip
            else:
                value = function(
                    self, f"ave_{name}_number", "double", lambda v: self.number(FORMATS[name], v), ("i32", x)
                )
            at = self.op(f"getelementptr {d.v}, ptr {place}, i64 {s}")
            self.do(f"store {d.v} {value}, ptr {at}, align 64")
        return place


def _function(t: BlockTranslator, form: ScaledMfmaForm) -> str:
    w, mma = _Code(t, form), form.row.mma
    left, right, slots = w.stored(0), w.stored(1), mma.c.slots
    if form.constant is None:
        w.call(
            "llvm.memmove.p0.p0.i64", "void", ("ptr align 64", "%d"), ("ptr align 64", "%c"),
            ("i64", str(slots * REGISTER)), ("i1", "false"),
        )  # fmt: skip
    else:
        for s in range(slots):
            at = w.op(f"getelementptr i8, ptr %d, i64 {s * REGISTER}")
            w.do(f"store {w.t('i32')} {w.splat(str(form.constant), 'i32')}, ptr {at}, align 64")
    w.do(f"call void @{wide(t.module, places(mma))}(ptr %d, ptr {left}, ptr {right})")
    params = "ptr %d, ptr %a, ptr %b, ptr %c, ptr %sa, ptr %sb"
    return f"define internal void @{form.name}({params}) noinline #0 {{\n{w.body.text()}\n  ret void\n}}"


def _registers(o: Operand, want: int, which: str) -> PhysReg:
    if not isinstance(o, PhysReg) or o.file == "s" or o.count != want:
        raise UnsupportedForm(f"{which} must be {want} vector registers, not {o}")
    return o


def _formats(i: MCInst) -> tuple[str, str]:
    for name in ("cbsz", "blgp"):
        if i.int(name) not in _BY_CODE:
            raise UnsupportedForm(f"{name}:{i.int(name)} is no format of f8f6f4")
    return _BY_CODE[i.int("cbsz")], _BY_CODE[i.int("blgp")]


def _bytes(i: MCInst, default: int) -> tuple[int, int]:
    low, high = i.bits("op_sel", 2), i.bits("op_sel_hi", 2, default)
    return low[0] + 2 * high[0], low[1] + 2 * high[1]


def _word(t: BlockTranslator, o: Operand, what: str) -> str:
    """A pointer to the word of scales of each lane."""
    if isinstance(o, PhysReg) and o.file != "s" and o.count == 1:
        return t.place(o)
    if isinstance(o, Imm):
        return t.module.constant(t.t("i32"), t.splat(str(t.immediate(o, 32, False)), "i32"))
    raise UnsupportedForm(f"the scale of {what} must be a vector register or a constant, not {o}")


def _scales(t: BlockTranslator, i: MCInst) -> tuple[tuple[int, int], list[Operand]] | None:
    """Bytes and words of the scales, None where there are none."""
    if "_scale_" in i.name:
        return _bytes(i, 0), list(i.operands[4:6])
    before = t.code[i.index - 1] if i.index else None
    if before is None or before.name != LOAD_SCALE:
        return None
    if i.index in t.targets:
        raise UnsupportedForm(f"a way leads between {LOAD_SCALE} and the instruction that it is a part of")
    return _bytes(before, 1), list(before.operands)


def _matrix(m: int, k: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a, b, c = i.operands[:4]
        row, scales = Scaled(m, k, *_formats(i)), _scales(t, i)
        if other := [x for x in i.mods if i.mods[x] and x not in ("cbsz", "blgp", "op_sel", "op_sel_hi")]:
            raise UnsupportedForm(f"the modifier {other[0]} is not defined for it")
        words = [FORMATS[f].words for f in (row.a, row.b)]
        slots = row.mma.c.slots
        regs = [
            _registers(o, n, which)
            for o, n, which in zip((d, a, b), (slots, *words), ("vdst", "srcA", "srcB"), strict=True)
        ]
        constant = t.immediate(c, 32, True) if isinstance(c, Imm) else None
        regs.append(regs[0] if constant is not None else _registers(c, slots, "srcC"))
        form = ScaledMfmaForm(row, scales[0] if scales else None, constant)
        held = (
            [_word(t, o, what) for o, what in zip(scales[1], "AB", strict=True)] if scales else [t.place(regs[0])] * 2
        )
        name = t.helper(form.name, lambda: _function(t, form))
        t.run(name, *(f"ptr {t.place(r)}" for r in regs), *(f"ptr {x}" for x in held), may_fail=False)

    return handler


def _load_scale(t: BlockTranslator, i: MCInst) -> None:
    """The next instruction takes the scales (see `_scales`)."""
    after = t.code[i.index + 1] if i.index + 1 < len(t.code) else None
    if after is None or not after.name.endswith("_f8f6f4"):
        raise UnsupportedForm("no instruction follows that takes the scales")


TABLE: dict[str, Handler] = {
    **{f"v_mfma_{s}f32_{shape}_f8f6f4": _matrix(*extents) for s in ("", "scale_") for shape, extents in SHAPES.items()},
    LOAD_SCALE: _load_scale,
}
