"""Handlers of scalar ALU instructions: SOP1, SOP2, SOPK and SOPC. Source: AMD Instinct MI300 ISA, section 16.1 to 16.4."""

from __future__ import annotations

from collections.abc import Callable

from avelang.amdgcn.asm import EXEC, Instruction
from avelang.sim.amdgcn.translator import Handler, Translator

Rule = Callable[[Translator, str, str, str], str]


def _nonzero(t: Translator, value: str, bits: int) -> None:
    t.set_scc(t.op(f"icmp ne i{bits} {value}, 0"))


def _logic(op: str, bits: int) -> Handler:
    """SCC says whether the result is not zero."""

    def handler(t: Translator, i: Instruction) -> None:
        d, a, b = i.operands
        x, y = t.scalar_source(a, bits), t.scalar_source(b, bits)
        value = t.op(f"{op} i{bits} {x}, {y}")
        t.set_scalar_result(d, value, bits)
        _nonzero(t, value, bits)

    return handler


def _add(t: Translator, i: Instruction) -> None:
    """SCC is signed overflow, or the carry out."""
    d, a, b = i.operands
    x, y = t.scalar_source(a), t.scalar_source(b)
    kind = {"s_add_i32": "sadd", "s_sub_i32": "ssub", "s_add_u32": "uadd", "s_sub_u32": "usub"}[i.name]
    both = t.call(f"llvm.{kind}.with.overflow.i32", "{ i32, i1 }", ("i32", x), ("i32", y))
    t.set_scalar_result(d, t.op(f"extractvalue {{ i32, i1 }} {both}, 0"))
    t.set_scc(t.op(f"extractvalue {{ i32, i1 }} {both}, 1"))


def _move(bits: int) -> Handler:
    def handler(t: Translator, i: Instruction) -> None:
        d, a = i.operands
        t.set_scalar_result(d, t.scalar_source(a, bits), bits)

    return handler


def _compare(pred: str, bits: int) -> Handler:
    def handler(t: Translator, i: Instruction) -> None:
        a, b = i.operands
        x, y = t.scalar_source(a, bits), t.scalar_source(b, bits)
        t.set_scc(t.op(f"icmp {pred} i{bits} {x}, {y}"))

    return handler


def _saveexec(t: Translator, i: Instruction) -> None:
    """s_OP_saveexec_b64: D = EXEC, EXEC = S0 op EXEC."""
    d, a = i.operands
    old, word = t.exec(), t.scalar_source(a, 64)
    t.set_scalar_result(d, old, 64)
    t.set_pair(EXEC, t.op(f"and i64 {word}, {old}"))
    _nonzero(t, t.exec(), 64)


PREDICATES = {"eq": ("eq", "eq"), "lg": ("ne", "ne"), "gt": ("sgt", "ugt"), "ge": ("sge", "uge"), "lt": ("slt", "ult"), "le": ("sle", "ule")}

TABLE: dict[str, Handler] = {
    "s_mov_b32": _move(32),
    "s_mov_b64": _move(64),
    "s_and_saveexec_b64": _saveexec,
    **{f"s_{name}_b{bits}": _logic(name, bits) for name in ("and", "or", "xor") for bits in (32, 64)},
    **{name: _add for name in ("s_add_i32", "s_sub_i32", "s_add_u32", "s_sub_u32")},
    **{f"s_cmp_{name}_{kind}32": _compare(preds[kind == "u"], 32) for name, preds in PREDICATES.items() for kind in "iu"},
}
