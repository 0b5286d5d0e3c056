"""Handlers of vector instructions on integers: arithmetic, carries, shifts, bit fields, extremes, sums of
differences."""

from __future__ import annotations

import functools

from avelang.amdgcn.asm import MCInst, PhysReg
from avelang.llvm.vectors import Bool, Ops, function
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm
from avelang.sim.amdgcn.vector import Rule, binary, intrinsic, kinds, lanes, mul_add, row, shift


def _then(first: str, second: str) -> Rule:
    """(S0 first S1) second S2."""
    return lambda o, x, y, z: o(second, o(first, x, y), z)


def _high(o: Ops, x: str, y: str) -> str:
    return o("lshr", o("mul", x, y), 32)


def _lshl(second: str, mask: int = 31) -> Rule:
    return lambda o, x, n, z: o(second, o("shl", x, o("and", n, mask)), z)


def _bfe_u(o: Ops, x: str, at: str, width: str) -> str:
    ones = o("add", o("shl", 1, o("and", width, 31)), -1)
    return o("and", o("lshr", x, o("and", at, 31)), ones)


def _bfe_i(o: Ops, x: str, at: str, width: str) -> str:
    width = o("and", width, 31)
    up = o("and", o("sub", 32, width), 31)
    field = o("ashr", o("shl", o("ashr", x, o("and", at, 31)), up), up)
    return o.select(o.cmp("eq", width, 0), 0, field)


def _bfm(o: Ops, width: str, at: str) -> str:
    return o("shl", o("add", o("shl", 1, o("and", width, 31)), -1), o("and", at, 31))


def _bfi(o: Ops, m: str, x: str, y: str) -> str:
    return o("or", o("and", m, x), o("and", o("xor", m, -1), y))


def _align(unit: int, mask: int) -> Rule:
    return lambda o, high, low, n: o.fn("fshr", high, low, o("mul", o("and", n, mask), unit))


def _perm(o: Ops, high: str, low: str, select: str) -> str:
    """Each byte of the result is one of the 8 bytes of (S0, S1), or the sign of byte 1, 3, 5 or 7, or 0, or 255."""
    wide = o.at("i64")
    data = wide("or", wide("shl", o.to("i64", "zext", high), 32), o.to("i64", "zext", low))
    out = ""
    for k in range(4):
        s = o("and", o("lshr", select, 8 * k), 255)
        at = o.to("i64", "zext", o("shl", o("and", s, 7), 3))
        byte = o("and", wide.to("i32", "trunc", wide("lshr", data, at)), 255)
        sign_at = o.to("i64", "zext", o("add", o("shl", o("and", s, 3), 4), 15))
        sign = o("sub", 0, o("and", wide.to("i32", "trunc", wide("lshr", data, sign_at)), 1))
        byte = o.select(o.cmp("ugt", s, 7), o("and", sign, 255), byte)
        byte = o.select(o.cmp("ugt", s, 11), o.select(o.cmp("eq", s, 12), 0, 255), byte)
        out = o("or", out, o("shl", byte, 8 * k)) if out else byte
    return out


# -- bits --------------------------------------------------------------------------------------------------------------


def _first(name: str, signed: bool = False) -> Rule:
    """The place of the first set bit, or -1; with `signed` of the first bit that is not the sign."""

    def rule(o: Ops, x: str) -> str:
        if signed:
            x = o("xor", x, o("ashr", x, 31))
        return o.select(o.cmp("eq", x, 0), -1, o.fn(name, x, False))

    return rule


def _bitop3(t: BlockTranslator, i: MCInst) -> None:
    """Any function of three bits: bit 4 a + 2 b + c of the table is its value."""
    bits, table = 16 if i.name.endswith("16") else 32, i.int("bitop3")
    o = Ops(t, f"i{bits}")
    a, b, c = (t.source_at(i, n, bits) for n in (1, 2, 3))
    terms = []
    for k in range(8):
        if table >> k & 1:
            parts = [x if k & m else o("xor", x, -1) for x, m in ((a, 4), (b, 2), (c, 1))]
            terms.append(o("and", o("and", parts[0], parts[1]), parts[2]))
    t.result_at(i, functools.reduce(lambda x, y: o("or", x, y), terms) if terms else o("and", a, 0), bits)


# -- extremes ----------------------------------------------------------------------------------------------------------


def _med3(sign: str) -> Rule:
    def rule(o: Ops, x: str, y: str, z: str) -> str:
        low, high = o.fn(f"{sign}min", x, y), o.fn(f"{sign}max", x, y)
        return o.fn(f"{sign}max", low, o.fn(f"{sign}min", high, z))

    return rule


def _extremes(kind: str) -> dict[str, Handler]:
    sign = {"i": "s", "u": "u"}[kind[0]]
    two, three = f"{kind} {kind}", f"{kind} {kind} {kind}"
    return {
        **{f"v_{m}_{kind}": row(intrinsic(sign + m), two, kind, clamp=True) for m in ("min", "max")},
        **{f"v_{m}3_{kind}": row(intrinsic(sign + m), three, kind, clamp=True) for m in ("min", "max")},
        f"v_med3_{kind}": row(_med3(sign), three, kind, clamp=True),
    }


# -- sums of absolute differences --------------------------------------------------------------------------------------


def _difference(o: Ops, x: str, y: str) -> str:
    return o("sub", o.fn("umax", x, y), o.fn("umin", x, y))


def _parts(o: Ops, x: str, bits: int) -> list[str]:
    """The fields of a register, low ones first."""
    return [
        o("and", o("lshr", x, k), (1 << bits) - 1) if k else o("and", x, (1 << bits) - 1) for k in range(0, 32, bits)
    ]


def _sad(bits: int, masked: bool = False, shift: int = 0) -> Rule:
    """S2 plus the differences of the fields; `masked`: fields of S1 that are 0 do not count."""

    def rule(o: Ops, x: str, y: str, z: str) -> str:
        total = ""
        for a, b in zip(_parts(o, x, bits), _parts(o, y, bits), strict=True):
            d = _difference(o, a, b)
            d = o.select(o.cmp("eq", b, 0), 0, d) if masked else d
            total = o("add", total, d) if total else d
        return o("add", o("shl", total, shift) if shift else total, z)

    return rule


def _quad(masked: bool, wide: bool) -> Handler:
    """Four sums, of bytes k to k + 3 of the 8 bytes of S0, added to the fields of S2: 16 bits each, or `wide`
    registers."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        if i.int("clamp"):
            raise UnsupportedForm("clamp")
        d, a, b, c = i.operands
        if not isinstance(d, PhysReg):
            raise UnsupportedForm("its destination is no register")
        o = Ops(t, "i32")
        low, high, y = t.source(a), t.source(a, 32, 1), t.source(b)
        found = []
        for k in range(4):
            x = o.fn("fshr", high, low, 8 * k) if k else low
            z = t.source(c, 32, k if wide else k // 2)
            if not wide:
                z = o("lshr", z, 16) if k % 2 else o("and", z, 0xFFFF)
            name = "ave_v_msad_u8" if masked else "ave_v_sad_u8"
            found.append(
                function(t, name, "i32", lambda *xs: _sad(8, masked)(o, *xs), ("i32", x), ("i32", y), ("i32", z))
            )
        if not wide:
            found = [o("or", o("and", found[k], 0xFFFF), o("shl", found[k + 1], 16)) for k in (0, 2)]
        for k, value in enumerate(found):
            t.set_result(d, value, k=k)

    return handler


def _lerp(o: Ops, x: str, y: str, z: str) -> str:
    out = ""
    for k, (a, b, c) in enumerate(zip(_parts(o, x, 8), _parts(o, y, 8), _parts(o, z, 8), strict=True)):
        byte = o("shl", o("lshr", o("add", o("add", a, b), o("and", c, 1)), 1), 8 * k)
        out = o("or", out, byte) if out else byte
    return out


def _ashr_pk(signed: bool) -> Rule:
    def rule(o: Ops, x: str, y: str, n: str) -> str:
        low, high = (-128, 127) if signed else (0, 255)
        n = o("and", n, 31)
        a, b = (o("and", o.fn("smin", o.fn("smax", o("ashr", v, n), low), high), 255) for v in (x, y))
        return o("or", a, o("shl", b, 8))

    return rule


# -- carries -----------------------------------------------------------------------------------------------------------


def _carry(name: str, reverse: bool, takes: bool) -> Handler:
    """D, the carry out of each lane, S0, S1 and, where `takes`, the carry in."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        o, both = Ops(t, "i32"), Bool(t)
        x, y = t.source_at(i, 2), t.source_at(i, 3)
        if reverse:
            x, y = y, x
        value = o(name, x, y)
        out = o.cmp("ult", *((value, x) if name == "add" else (x, y)))
        if takes:
            bit = t.op(f"zext {both.v} {lanes(t, i, 4)} to {o.v}")
            more = o(name, value, bit)
            again = o.cmp("ult", *((more, value) if name == "add" else (value, bit)))
            value, out = more, both("or", out, again)
        if i.int("clamp"):  # unsigned: what goes beyond an end is that end
            value = o.select(out, -1 if name == "add" else 0, value)
        t.result_at(i, value, clamped=True)
        t.mask_result_at(i, out)

    return handler


def _mad64(signed: bool) -> Handler:
    """S0 * S1 + S2 in 64 bits, and the 65th bit of the sum."""

    def handler(t: BlockTranslator, i: MCInst) -> None:
        if i.int("clamp"):
            raise UnsupportedForm("clamp")
        o, how = Ops(t, "i64"), "sext" if signed else "zext"
        x, y = (Ops(t, "i32").to("i64", how, t.source_at(i, n)) for n in (2, 3))
        z = t.source_at(i, 4, 64)
        product = o("mul", x, y)
        total = o("add", product, z)
        out = o.cmp("ult", total, z)
        if signed:  # the operands' signs reach into bit 64
            signs = o("xor", product, z)
            negative = o.cmp("slt", signs, 0)
            out = Bool(t)("xor", out, negative)
        t.result_at(i, total, 64)
        t.mask_result_at(i, out)

    return handler


_ADD, _SUB, _REV = binary("add"), binary("sub"), binary("sub", True)

TABLE: dict[str, Handler] = {
    **kinds(("u32", "i32", "u16", "i16"), lambda k: row(_ADD, f"{k} {k}", k, clamp=True), "v_add_{}"),
    **kinds(("u32", "i32", "u16", "i16"), lambda k: row(_SUB, f"{k} {k}", k, clamp=True), "v_sub_{}"),
    **kinds(("u32", "u16"), lambda k: row(_REV, f"{k} {k}", k, clamp=True), "v_subrev_{}"),
    "v_add_co_u32": _carry("add", False, False), "v_sub_co_u32": _carry("sub", False, False),
    "v_subrev_co_u32": _carry("sub", True, False), "v_addc_co_u32": _carry("add", False, True),
    "v_subb_co_u32": _carry("sub", False, True), "v_subbrev_co_u32": _carry("sub", True, True),
    "v_mad_u64_u32": _mad64(False), "v_mad_i64_i32": _mad64(True),
    **kinds(("u32", "i32", "u16"), lambda k: row(binary("mul"), f"{k} {k}", k), "v_mul_lo_{}"),
    **kinds(("u32", "i32"), lambda k: row(_high, f"{k} {k}", k, compute="i64"), "v_mul_hi_{}"),
    "v_mul_u32_u24": row(binary("mul"), "u24 u24", "u32", clamp=True),
    "v_mul_i32_i24": row(binary("mul"), "i24 i24", "i32", clamp=True),
    "v_mul_hi_u32_u24": row(_high, "u24 u24", "u32", compute="i64"),
    "v_mul_hi_i32_i24": row(_high, "i24 i24", "i32", compute="i64"),
    "v_mad_u32_u24": row(mul_add, "u24 u24 u32", "u32", clamp=True),
    "v_mad_i32_i24": row(mul_add, "i24 i24 i32", "i32", clamp=True),
    "v_mad_u32_u16": row(mul_add, "u16 u16 u32", "u32", clamp=True),
    "v_mad_i32_i16": row(mul_add, "i16 i16 i32", "i32", clamp=True),
    **kinds(("u16", "i16"), lambda k: row(mul_add, f"{k} {k} {k}", k, clamp=True), "v_mad_{}"),
    **kinds(("u16", "i16"), lambda k: row(mul_add, f"{k} {k} {k}", k, clamp=True), "v_mad_legacy_{}"),
    **kinds(("and", "or", "xor"), lambda k: row(binary(k), "u32 u32", "u32"), "v_{}_b32"),
    "v_xnor_b32": row(lambda o, x, y: o("xor", o("xor", x, y), -1), "u32 u32", "u32"),
    "v_not_b32": row(lambda o, x: o("xor", x, -1), "u32", "u32"),
    "v_add3_u32": row(_then("add", "add"), "u32 u32 u32", "u32"),
    "v_xad_u32": row(_then("xor", "add"), "u32 u32 u32", "u32"),
    "v_and_or_b32": row(_then("and", "or"), "u32 u32 u32", "u32"),
    "v_or3_b32": row(_then("or", "or"), "u32 u32 u32", "u32"),
    "v_lshl_add_u32": row(_lshl("add"), "u32 u32 u32", "u32"), "v_lshl_or_b32": row(_lshl("or"), "u32 u32 u32", "u32"),
    "v_lshl_add_u64": row(_lshl("add", 7), "u64 u32 u64", "u64"),
    "v_add_lshl_u32": row(lambda o, x, y, n: o("shl", o("add", x, y), o("and", n, 31)), "u32 u32 u32", "u32"),
    "v_lshlrev_b16": row(shift("shl", 15), "u16 u16", "u16"), "v_lshrrev_b16": row(shift("lshr", 15), "u16 u16", "u16"),
    "v_ashrrev_i16": row(shift("ashr", 15), "u16 i16", "i16"), "v_lshlrev_b32": row(shift("shl", 31), "u32 u32", "u32"),
    "v_lshrrev_b32": row(shift("lshr", 31), "u32 u32", "u32"),
    "v_ashrrev_i32": row(shift("ashr", 31), "u32 i32", "i32"), "v_lshlrev_b64": row(shift("shl", 63), "u32 u64", "u64"),
    "v_lshrrev_b64": row(shift("lshr", 63), "u32 u64", "u64"),
    "v_ashrrev_i64": row(shift("ashr", 63), "u32 i64", "i64"), "v_bfe_u32": row(_bfe_u, "u32 u32 u32", "u32"),
    "v_bfe_i32": row(_bfe_i, "i32 u32 u32", "i32", far=True), "v_bfi_b32": row(_bfi, "u32 u32 u32", "u32"),
    "v_bfm_b32": row(_bfm, "u32 u32", "u32"), "v_alignbit_b32": row(_align(1, 31), "u32 u32 u32", "u32"),
    "v_alignbyte_b32": row(_align(8, 3), "u32 u32 u32", "u32"),
    "v_perm_b32": row(_perm, "u32 u32 u32", "u32", far=True),
    "v_bcnt_u32_b32": row(lambda o, x, y: o("add", o.fn("ctpop", x), y), "u32 u32", "u32"),
    "v_bfrev_b32": row(intrinsic("bitreverse"), "u32", "u32", far=True),
    "v_ffbh_u32": row(_first("ctlz"), "u32", "u32"), "v_ffbh_i32": row(_first("ctlz", signed=True), "i32", "i32"),
    "v_ffbl_b32": row(_first("cttz"), "u32", "u32"),
    "v_prng_b32": row(lambda o, x: o("xor", o("shl", x, 1), o("and", o("ashr", x, 31), 197)), "u32", "u32"),
    "v_bitop3_b32": _bitop3, "v_bitop3_b16": _bitop3, **_extremes("i16"), **_extremes("u16"), **_extremes("i32"),
    **_extremes("u32"), "v_sad_u8": row(_sad(8), "u32 u32 u32", "u32", far=True, clamp=True),
    "v_sad_hi_u8": row(_sad(8, shift=16), "u32 u32 u32", "u32", far=True, clamp=True),
    "v_sad_u16": row(_sad(16), "u32 u32 u32", "u32", far=True, clamp=True),
    "v_sad_u32": row(lambda o, x, y, z: o("add", _difference(o, x, y), z), "u32 u32 u32", "u32", clamp=True),
    "v_msad_u8": row(_sad(8, masked=True), "u32 u32 u32", "u32", far=True, clamp=True),
    "v_qsad_pk_u16_u8": _quad(masked=False, wide=False), "v_mqsad_pk_u16_u8": _quad(masked=True, wide=False),
    "v_mqsad_u32_u8": _quad(masked=True, wide=True), "v_lerp_u8": row(_lerp, "u32 u32 u32", "u32", far=True),
    "v_ashr_pk_i8_i32": row(_ashr_pk(True), "i32 i32 u32", "u32", far=True),
    "v_ashr_pk_u8_i32": row(_ashr_pk(False), "i32 i32 u32", "u32", far=True),
}  # fmt: skip
