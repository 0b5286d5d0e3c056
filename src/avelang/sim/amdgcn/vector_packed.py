"""Handlers of packed math and dot products (VOP3P): two results in the halves of a register, or in two registers, and
sums of products."""

from __future__ import annotations

from collections.abc import Callable

from avelang.amdgcn.asm import Imm, MCInst, PhysReg
from avelang.ir.dtypes import bf16
from avelang.llvm.narrow_floats import widen
from avelang.llvm.vectors import FLOAT, Ops, function
from avelang.sim.amdgcn import operands
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm
from avelang.sim.amdgcn.vector import Rule, binary, intrinsic, mul_add, saturated, shift, to_half
from avelang.sim.amdgcn.vector_float import extreme, fused

# -- two at a time -----------------------------------------------------------------------------------------------------


def _integers(rule: Rule, kind: str, sources: int = 2, clamp: bool = False) -> Handler:
    """Rules on 16-bit integers; with the clamp bit they saturate, found by computing in 32 bits."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        saturates = bool(i.int("clamp"))
        if saturates and not clamp:
            raise UnsupportedForm("clamp on this instruction")
        e = "i64" if saturates else "i16"
        o, narrow, how = Ops(t, e), Ops(t, "i16"), "sext" if kind[0] == "i" else "zext"
        pairs = [t.packed_at(i, n) for n in range(1, sources + 1)]
        out = []
        for part in zip(*pairs, strict=True):
            value = rule(o, *(narrow.to(e, how, x) for x in part))
            out.append(o.to("i16", "trunc", saturated(o, value, kind) if saturates else value))
        t.packed_result(i, *out, clamped=saturates)

    return handler


def _floats(rule: Rule, bits: int, compute: str, sources: int = 2, adds: bool = False) -> Handler:
    """Rules on floats; `adds`: the last source is the destination's old value."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        e = FLOAT[bits]
        o, narrow = Ops(t, compute), Ops(t, e)
        places = [*range(1, sources), 0 if adds else sources]
        pairs = [t.packed_float_at(i, n, bits) if n else _old_halves(t, i) for n in places]
        out = []
        for part in zip(*pairs, strict=True):
            args = [narrow.to(compute, "fpext", x) for x in part]
            value = rule(o, *args)
            out.append(to_half(o, value, args) if bits == 16 else o.to(e, "fptrunc", value))
        t.packed_float_result(i, *out, bits=bits)

    return handler


def _old_halves(t: BlockTranslator, i: MCInst) -> tuple[str, str]:
    """The destination as two f16, denormals made zeros where MODE says so."""
    o, half = Ops(t, "i32"), Ops(t, "half")
    word = t.source_at(i, 0)
    parts = [o.to("i16", "trunc", x) for x in (word, o("lshr", word, 16))]
    if t.mode.flushes_sources(16):
        parts = [operands.flushed(t, x, 16) for x in parts]
    low, high = (half.number(x) for x in parts)
    return low, high


def _move(t: BlockTranslator, i: MCInst) -> None:
    """One register of each pair: op_sel[n] picks that of source n."""
    picks = i.bits("op_sel", 2)
    out = [t.source(o, 32, k if isinstance(o, PhysReg) else 0) for o, k in zip(i.operands[1:], picks, strict=True)]
    t.packed_result(i, *out, bits=32)


def _mix(t: BlockTranslator, i: MCInst) -> None:
    """Fused multiply-add in f32 of operands that are f32 or f16 each; as f32, or rounded to f16 for the low or high
    half of the result."""
    o = Ops(t, "float")
    value = fused(o, *(t.mix_at(i, n) for n in (1, 2, 3)))
    if i.name.endswith("mix_f32"):
        return t.float_result(i, value)
    b = o.ints
    word = o.at("i16").to("i32", "zext", operands.finished(t, i, to_half(o, value), 16))
    high = "mixhi" in i.name
    kept = b("and", t.source_at(i, 0), 0xFFFF if high else 0xFFFF0000)
    t.result_at(i, b("or", kept, b("shl", word, 16) if high else word), clamped=True)


# -- dot products ------------------------------------------------------------------------------------------------------


def _field(o: Ops, x: str, k: int, bits: int, signed: bool) -> str:
    up = o("shl", x, 32 - bits * (k + 1)) if k < 32 // bits - 1 else x
    return o("ashr" if signed else "lshr", up, 32 - bits)


def _dot_integers(bits: int, kind: str) -> Handler:
    """The sum of the products of the fields of S0 and S1, and S2; or, for dot2c and its like, the destination's old
    value."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        signed, o = kind[0] == "i", Ops(t, "i32")
        old = 0 if "c_" in i.name else 3
        x, y = (_word(t, i, n, bits) for n in (1, 2))
        z = t.source_at(i, old)
        clamp = bool(i.int("clamp"))
        name = f"ave_dot_{kind}_{bits}{'_clamp' if clamp else ''}"
        value = function(
            t, name, "i32", lambda a, b, c: _dot_sum(o, (a, b, c), bits, signed, clamp), ("i32", x), ("i32", y),
            ("i32", z),
        )  # fmt: skip
        t.result_at(i, value, clamped=clamp)

    return handler


def _dot_sum(o: Ops, operands: tuple[str, str, str], bits: int, signed: bool, clamp: bool) -> str:
    x, y, z = operands
    wide, how = o.at("i64"), "sext" if signed else "zext"
    total = o.to("i64", how, z) if clamp else z
    add = wide if clamp else o
    for k in range(32 // bits):
        product = o("mul", _field(o, x, k, bits, signed), _field(o, y, k, bits, signed))
        total = add("add", total, o.to("i64", how, product) if clamp else product)
    return wide.to("i32", "trunc", saturated(wide, total, "i32" if signed else "u32")) if clamp else total


def _word(t: BlockTranslator, i: MCInst, n: int, bits: int) -> str:
    """An operand of a dot product: as it is, or halves as op_sel says."""
    if bits != 16 or not {"op_sel", "op_sel_hi"} & i.mods.keys():
        o = i.operands[n]
        return t.source_at(i, n) if not isinstance(o, Imm) or bits != 16 else t.source(o)
    b = Ops(t, "i32")
    low, high = (b.at("i16").to("i32", "zext", x) for x in t.packed_at(i, n))
    return b("or", low, b("shl", high, 16))


def _dot_floats(pairs: Callable[[BlockTranslator, MCInst, int], tuple[str, str]], last: bool) -> Handler:
    """S2 (for dot2c the old value) plus the products of the halves of S0 and S1, one after the other, each product
    exact; with `last`, S2 after both."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        o = Ops(t, "float")
        (x, u), (y, v) = (pairs(t, i, n) for n in (1, 2))
        z = t.float_at(i, 0 if "c_" in i.name else 3)
        if last:
            value = o("fadd", o.fn("fma", u, v, o("fmul", x, y)), z)
        else:
            value = o.fn("fma", u, v, o.fn("fma", x, y, z))
        t.float_result(i, value)

    return handler


def _halves(t: BlockTranslator, i: MCInst, n: int) -> tuple[str, str]:
    low, high = (Ops(t, "half").to("float", "fpext", x) for x in t.packed_float_at(i, n))
    return low, high


def _bf16_parts(t: BlockTranslator, i: MCInst, n: int) -> tuple[str, str]:
    """The halves of operand `n`, <64 x i16>. A constant float is a bf16 in the lower half (LLVM,
    AMDGPU::getInlineEncodingV2BF16)."""
    x = i.operands[n]
    if not isinstance(x, Imm) or not isinstance(x.value, float):
        return t.packed_at(i, n)
    if not x.inline:
        raise UnsupportedForm("a float that is no inline constant, as bf16")
    word = operands.immediate(x, 32, True) >> 16
    picks = i.bits("op_sel", 4)[n - 1], i.bits("op_sel_hi", 4, 1)[n - 1]
    low, high = (t.splat(str(0 if pick else word), "i16") for pick in picks)
    return low, high


def _bf16_halves(t: BlockTranslator, i: MCInst, n: int) -> tuple[str, str]:
    signs = [i.bits(name, 4)[n - 1] for name in ("neg_lo", "neg_hi")]
    o = Ops(t, "float")
    low, high = (
        o("fneg", widen(t, bf16, True, x)) if s else widen(t, bf16, True, x)
        for x, s in zip(_bf16_parts(t, i, n), signs, strict=True)
    )
    return low, high


TABLE: dict[str, Handler] = {
    **{f"v_pk_{n}_{k}": _integers(binary(n), k, clamp=True) for n in ("add", "sub") for k in ("i16", "u16")},
    **{
        f"v_pk_{n}_{k}": _integers(intrinsic(("s" if k == "i16" else "u") + n), k, clamp=True)
        for n in ("min", "max")
        for k in ("i16", "u16")
    },
    **{f"v_pk_mad_{k}": _integers(mul_add, k, 3, clamp=True) for k in ("i16", "u16")},
    "v_pk_mul_lo_u16": _integers(binary("mul"), "u16"),
    "v_pk_lshlrev_b16": _integers(shift("shl", 15), "u16"),
    "v_pk_lshrrev_b16": _integers(shift("lshr", 15), "u16"),
    "v_pk_ashrrev_i16": _integers(shift("ashr", 15), "i16"),
    "v_pk_add_f16": _floats(binary("fadd"), 16, "float"),
    "v_pk_mul_f16": _floats(binary("fmul"), 16, "float"),
    "v_pk_min_f16": _floats(lambda o, x, y: extreme(o, "min", x, y), 16, "half"),
    "v_pk_max_f16": _floats(lambda o, x, y: extreme(o, "max", x, y), 16, "half"),
    "v_pk_fma_f16": _floats(fused, 16, "half", 3),
    "v_pk_fmac_f16": _floats(fused, 16, "half", 3, adds=True),
    "v_pk_minimum3_f16": _floats(intrinsic("minimum"), 16, "float", 3),
    "v_pk_maximum3_f16": _floats(intrinsic("maximum"), 16, "float", 3),
    "v_pk_add_f32": _floats(binary("fadd"), 32, "float"),
    "v_pk_mul_f32": _floats(binary("fmul"), 32, "float"),
    "v_pk_fma_f32": _floats(fused, 32, "float", 3),
    "v_pk_mov_b32": _move,
    **{f"v_fma_{n}": _mix for n in ("mix_f32", "mixlo_f16", "mixhi_f16")},
    **{f"v_dot{32 // b}_{k}32_{k}{b}": _dot_integers(b, k) for b in (16, 8, 4) for k in "iu"},
    **{f"v_dot{32 // b}c_i32_i{b}": _dot_integers(b, "i") for b in (16, 8, 4)},
    "v_dot2_f32_f16": _dot_floats(_halves, False),
    "v_dot2c_f32_f16": _dot_floats(_halves, False),
    "v_dot2_f32_bf16": _dot_floats(_bf16_halves, True),
    "v_dot2c_f32_bf16": _dot_floats(_bf16_halves, False),
}
