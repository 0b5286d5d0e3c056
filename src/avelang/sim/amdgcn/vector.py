"""Handlers of vector ALU instructions: VOP1, VOP2, VOP3, VOP3P and VOPC. Source: AMD Instinct MI300 ISA, section 16.7 to 16.12."""

from __future__ import annotations

from avelang.amdgcn.asm import Instruction
from avelang.sim.amdgcn.translator import Handler, Translator


def _integer(op: str, reverse: bool = False) -> Handler:
    def handler(t: Translator, i: Instruction) -> None:
        x, y = t.source_at(i, 1), t.source_at(i, 2)
        if reverse:
            x, y = y, x
        if op in ("shl", "lshr", "ashr"):
            y = t.op(f"and {t.t('i32')} {y}, splat (i32 31)")
        t.result_at(i, t.op(f"{op} {t.t('i32')} {x}, {y}"))

    return handler


def _move(t: Translator, i: Instruction) -> None:
    t.result_at(i, t.source_at(i, 1))


def _float(op: str) -> Handler:
    def handler(t: Translator, i: Instruction) -> None:
        t.float_result(i, t.op(f"{op} {t.t('float')} {t.float_at(i, 1)}, {t.float_at(i, 2)}"))

    return handler


def _compare(pred: str) -> Handler:
    def handler(t: Translator, i: Instruction) -> None:
        d, a, b = i.operands
        t.set_mask_result(d, t.op(f"icmp {pred} {t.t('i32')} {t.source(a)}, {t.source(b)}"))

    return handler


def _add64(t: Translator, i: Instruction) -> None:
    d, a, b, c = i.operands
    t64 = t.t("i64")
    amount = t.op(f"zext {t.t('i32')} {t.source(b)} to {t64}")
    shifted = t.op(f"shl {t64} {t.source(a, 64)}, {amount}")
    t.set_result(d, t.op(f"add {t64} {shifted}, {t.source(c, 64)}"), 64)


def _shift64(t: Translator, i: Instruction) -> None:
    d, a, b = i.operands
    t64 = t.t("i64")
    amount = t.op(f"zext {t.t('i32')} {t.source(a)} to {t64}")
    amount = t.op(f"and {t64} {amount}, splat (i64 63)")
    t.set_result(d, t.op(f"shl {t64} {t.source(b, 64)}, {amount}"), 64)


def _lshl_or(t: Translator, i: Instruction) -> None:
    d, a, b, c = i.operands
    x = t.op(f"shl {t.t('i32')} {t.source(a)}, {t.source(b)}")
    t.set_result(d, t.op(f"or {t.t('i32')} {x}, {t.source(c)}"))


TABLE: dict[str, Handler] = {
    "v_mov_b32": _move,
    "v_lshl_or_b32": _lshl_or,
    "v_lshlrev_b64": _shift64,
    "v_lshl_add_u64": _add64,
    "v_add_u32": _integer("add"),
    "v_sub_u32": _integer("sub"),
    "v_and_b32": _integer("and"),
    "v_or_b32": _integer("or"),
    "v_xor_b32": _integer("xor"),
    "v_lshlrev_b32": _integer("shl", reverse=True),
    "v_lshrrev_b32": _integer("lshr", reverse=True),
    "v_add_f32": _float("fadd"),
    "v_mul_f32": _float("fmul"),
    "v_cmp_gt_u32": _compare("ugt"),
}
