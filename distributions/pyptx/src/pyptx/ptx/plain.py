"""Instructions with their types as arguments: moves, integer and bit arithmetic, conversions, loads and stores."""

from __future__ import annotations

from typing import Any

import pyptx.types as t
from avelang.ptx.registers import typed
from pyptx._errors import bad_type, bad_value
from pyptx._operands import addr, emit
from pyptx._registers import Reg, scalar
from pyptx.smem import memory_type
from pyptx.types import as_ptx_type

SPACES = ("global", "shared", "local", "param", "const", "generic")
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def _name(dtype: Any, call: str) -> str:
    return as_ptx_type(dtype, f"ptx.{call}").name


def mov(dtype: Any, dst: Reg, src: Any, *, pred: Any = None) -> None:
    """`mov`."""
    emit(typed(("mov",), as_ptx_type(dtype, "ptx.mov").ave), dst, src, pred=pred)


def add(dtype: Any, dst: Reg, a: Any, b: Any, *, pred: Any = None) -> None:
    """`add`."""
    emit(("add", _name(dtype, "add")), dst, a, b, pred=pred)


def sub(dtype: Any, dst: Reg, a: Any, b: Any, *, pred: Any = None) -> None:
    """`sub`."""
    emit(("sub", _name(dtype, "sub")), dst, a, b, pred=pred)


def shl(dtype: Any, dst: Reg, a: Any, b: Any, *, pred: Any = None) -> None:
    """`shl`."""
    emit(("shl", _name(dtype, "shl")), dst, a, b, pred=pred)


def shr(dtype: Any, dst: Reg, a: Any, b: Any, *, pred: Any = None) -> None:
    """`shr`."""
    emit(("shr", _name(dtype, "shr")), dst, a, b, pred=pred)


def and_(dtype: Any, dst: Reg, a: Any, b: Any, *, pred: Any = None) -> None:
    """`and`."""
    emit(("and", _name(dtype, "and_")), dst, a, b, pred=pred)


def or_(dtype: Any, dst: Reg, a: Any, b: Any, *, pred: Any = None) -> None:
    """`or`."""
    emit(("or", _name(dtype, "or_")), dst, a, b, pred=pred)


def xor_(dtype: Any, dst: Reg, a: Any, b: Any, *, pred: Any = None) -> None:
    """`xor`."""
    emit(("xor", _name(dtype, "xor_")), dst, a, b, pred=pred)


def not_(dtype: Any, dst: Reg, src: Any, *, pred: Any = None) -> None:
    """`not`."""
    emit(("not", _name(dtype, "not_")), dst, src, pred=pred)


def mul(dtype: Any, dst: Reg, a: Any, b: Any, *, mode: str | None = None, pred: Any = None) -> None:
    """`mul`, of integers with the mode "lo", "hi" or "wide"."""
    emit(("mul", *([mode] if mode else []), _name(dtype, "mul")), dst, a, b, pred=pred)


def mad(*args: Any, mode: str = "lo", pred: Any = None) -> Reg | None:
    """`mad`: of (dtype, dst, a, b, c); of (a, b, c) into a new register of the first register's type, which it gives.
    Raises TypeError (T241)."""
    if len(args) == 5:
        emit(("mad", mode, _name(args[0], "mad")), *args[1:], pred=pred)
        return None
    found = next((x for x in args if isinstance(x, Reg)), None)
    if len(args) != 3 or found is None:
        raise bad_type("ptx.mad", "it takes (dtype, dst, a, b, c), or (a, b, c) with a register among them")
    kind = found.dtype
    out = scalar(kind)
    name = kind.name if kind.is_float else f"s{kind.bits}" if kind.bits == 32 else f"{_sign(kind)}{kind.bits}"
    emit(("mad", mode, name), out, *args, pred=pred)
    return out


def _sign(kind: t.PtxType) -> str:
    return "s" if kind.signed else "u"


def selp(dtype: Any, dst: Reg, true_val: Any, false_val: Any, pred_reg: Any, *, pred: Any = None) -> None:
    """`selp`: one of two values, as a predicate says."""
    emit(("selp", _name(dtype, "selp")), dst, true_val, false_val, pred_reg, pred=pred)


def setp(cmp_op: str, dtype: Any, pred_out: Any, a: Any, b: Any, *, pred_negate: Any = None, pred: Any = None) -> None:
    """`setp`; `pred_negate` is a guard, as `pred` is. Raises ValueError (T241) for an unknown comparison."""
    if cmp_op not in COMPARISONS:
        raise bad_value("ptx.setp", f"the comparison {cmp_op!r} is none of {', '.join(COMPARISONS)}")
    guard = pred if pred is not None else pred_negate
    emit(("setp", cmp_op, _name(dtype, "setp")), pred_out, a, b, pred=guard)


def cvt(
    dst_type: Any, src_type: Any, dst: Reg, src: Any, *, rounding: str | None = None, ftz: bool = False,
    sat: bool = False, pred: Any = None,
) -> None:  # fmt: skip
    """`cvt[.rounding][.ftz][.sat].D.S`."""
    words = [rounding.lstrip(".")] if rounding else []
    words += ["ftz"] * ftz + ["sat"] * sat
    emit(("cvt", *words, _name(dst_type, "cvt"), _name(src_type, "cvt")), dst, src, pred=pred)


def _memory(opcode: str, dtype: Any, space: str, cache: str | None) -> tuple[str, ...]:
    if space not in SPACES:
        raise bad_value(f"ptx.{opcode}", f"the space {space!r} is none of {', '.join(SPACES)}")
    words = [] if space == "generic" else [space]
    words += cache.lstrip(".").split(".") if cache else []
    return (opcode, *words, memory_type(as_ptx_type(dtype, f"ptx.{opcode}")))


def ld(dtype: Any, dst: Any, src: Any, *, space: str = "global", cache: str | None = None, pred: Any = None) -> None:
    """`ld.SPACE[.CACHE].T dst, [src]`. Raises ValueError (T241) for an unknown space."""
    emit(_memory("ld", dtype, space, cache), dst, addr(src), pred=pred)


def st(dtype: Any, dst: Any, src: Any, *, space: str = "global", cache: str | None = None, pred: Any = None) -> None:
    """`st.SPACE[.CACHE].T [dst], src`. Raises ValueError (T241) for an unknown space."""
    emit(_memory("st", dtype, space, cache), addr(dst), src, pred=pred)


class CvtaOps:
    """`ptx.cvta`: addresses from one space to another."""

    @staticmethod
    def param(src: Any, dst: Reg | None = None) -> Reg:
        """`cvta.param.u64`: the generic address of a parameter."""
        out = dst if dst is not None else scalar(t.u64)
        emit(("cvta", "param", "u64"), out, src)
        return out

    @staticmethod
    def to_global(src: Any, dst: Reg | None = None) -> Reg:
        """`cvta.to.global.u64`: the address in global memory of a generic one."""
        out = dst if dst is not None else scalar(t.b64)
        emit(("cvta", "to", "global", "u64"), out, src)
        return out


cvta = CvtaOps()
