"""Registers, register arrays and predicates with Python's operators, each of which adds the instruction that one would
write, into a new register; the in-place forms (`+=`) write into the register itself.

Integers only: floats compute by `ptx.inst`. A register of 32 bits that meets one of 64 is widened by `cvt.u64.u32`.
Right shifts and maxima of signed registers are signed."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pyptx.types as t
from avelang.base.lazy import ml_dtypes, np
from avelang.base.places import wrong
from avelang.nvptx import nodes as n
from avelang.nvptx.special_registers import SPECIAL
from avelang.ptx.operand_nodes import parsed
from avelang.ptx.refusals import NoValue
from avelang.ptx.registers import typed
from avelang.ptx.trace import opened
from pyptx._errors import PyptxIndexError, bad_type, bad_value, fail
from pyptx._operands import emit, node
from pyptx._trace import PREFIX, get_ctx
from pyptx._words import WORDS
from pyptx.types import PtxType, as_ptx_type

_COMPARE = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


class Reg(NoValue):
    """A register: `name` as PTX has it ("%r0"), `dtype`."""

    __slots__ = ("dtype", "name", "trace")
    words = WORDS

    def __init__(self, name: str, dtype: PtxType, trace: Any = None):
        self.name, self.dtype, self.trace = name, dtype, trace

    def node(self) -> n.Operand:
        """The operand. Raises T240 in another trace than its own."""
        if self.trace is not None and self.trace is not opened():
            raise wrong("T240", got=repr(self), kernel=self.trace.kernel)
        if self.is_special:
            return parsed(self.name, "a special register")
        return n.Register(self.name)

    @property
    def is_special(self) -> bool:
        """True for %tid.x, %laneid and the like, which `mov` and `cvt` read."""
        return self.name.partition(".")[0] in SPECIAL

    def value(self) -> Reg:
        """The register that arithmetic can read: itself, or of a special register a copy."""
        if not self.is_special:
            return self
        out = scalar(self.dtype)
        emit(typed(("mov",), self.dtype.ave), out, self)
        return out

    def __repr__(self) -> str:
        return f"Reg({self.name}, {self.dtype})"

    def __hash__(self) -> int:
        return hash(self.name)

    def __bool__(self) -> bool:
        raise wrong("T227", WORDS["T227"], got=repr(self))

    # -- arithmetic ----------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        return _arithmetic("+", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _arithmetic("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _arithmetic("-", _held(other, self), self)

    def __mul__(self, other: Any) -> Any:
        return _arithmetic("*", self, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return _arithmetic("//", self, other)

    def __mod__(self, other: Any) -> Any:
        return _arithmetic("%", self, other)

    def __lshift__(self, other: Any) -> Any:
        return _arithmetic("<<", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return _arithmetic("<<", _held(other, self), self)

    def __rshift__(self, other: Any) -> Any:
        return _arithmetic(">>", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return _arithmetic(">>", _held(other, self), self)

    def __and__(self, other: Any) -> Any:
        return _arithmetic("&", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        if self.dtype == t.pred or isinstance(other, (Reg, NegPred)) and getattr(other, "dtype", t.pred) == t.pred:
            return PipeRef(self, other)
        return _arithmetic("|", self, other)

    def __ror__(self, other: Any) -> Any:
        return _arithmetic("|", self, other)

    def __xor__(self, other: Any) -> Any:
        return _arithmetic("^", self, other)

    __rxor__ = __xor__

    def __iadd__(self, other: Any) -> Any:
        return _arithmetic("+", self, other, self)

    def __isub__(self, other: Any) -> Any:
        return _arithmetic("-", self, other, self)

    def __imul__(self, other: Any) -> Any:
        return _arithmetic("*", self, other, self)

    def __ilshift__(self, other: Any) -> Any:
        return _arithmetic("<<", self, other, self)

    def __irshift__(self, other: Any) -> Any:
        return _arithmetic(">>", self, other, self)

    def __iand__(self, other: Any) -> Any:
        return _arithmetic("&", self, other, self)

    def __ixor__(self, other: Any) -> Any:
        return _arithmetic("^", self, other, self)

    def __neg__(self) -> Any:
        x = _integer("-", self.value())
        out = scalar(x.dtype)
        emit(("neg", f"s{x.dtype.bits}"), out, x)
        return out

    def __invert__(self) -> Any:
        if self.dtype == t.pred:
            return NegPred(self)
        x = _integer("~", self.value())
        out = scalar(x.dtype)
        emit(("not", f"b{x.dtype.bits}"), out, x)
        return out

    def max(self, other: Any) -> Reg:
        """`max.u32` or `max.s32` into a new register. Raises TypeError (T241) for another size."""
        x = self.value()
        if x.dtype.name not in ("b32", "u32", "s32"):
            raise bad_type("Reg.max", f"{x!r}: it is for integers of 32 bits")
        out = scalar(x.dtype)
        emit(("max", "s32" if x.dtype.signed else "u32"), out, x, _value(other))
        return out

    # -- comparisons ---------------------------------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Any:
        return _compare("<", self, other)

    def __le__(self, other: Any) -> Any:
        return _compare("<=", self, other)

    def __gt__(self, other: Any) -> Any:
        return _compare(">", self, other)

    def __ge__(self, other: Any) -> Any:
        return _compare(">=", self, other)

    def __eq__(self, other: Any) -> Any:  # type: ignore[override]
        return _compare("==", self, other)

    def __ne__(self, other: Any) -> Any:  # type: ignore[override]
        return _compare("!=", self, other)


class NegPred:
    """A predicate negated where it is used, `~p`: as a guard, a condition or an operand. `reg` is the predicate."""

    __slots__ = ("reg",)

    def __init__(self, reg: Reg):
        self.reg = reg

    def node(self) -> n.Operand:
        """The operand `!p`."""
        return n.Not(self.reg.node())

    def __invert__(self) -> Reg:
        return self.reg

    def __or__(self, other: Any) -> PipeRef:
        return PipeRef(self, other)

    def __bool__(self) -> bool:
        raise wrong("T227", WORDS["T227"], got=repr(self))

    def __repr__(self) -> str:
        return f"NegPred({self.reg!r})"


class PipeRef:
    """Two destinations `a|b`, of which the second is a predicate."""

    __slots__ = ("left", "right")

    def __init__(self, left: Any, right: Any):
        self.left, self.right = left, right

    def node(self) -> n.Operand:
        """The operand `a|b`."""
        return n.Pair(node(self.left), node(self.right))

    def __repr__(self) -> str:
        return f"PipeRef({self.left!r}, {self.right!r})"


class RegArray:
    """Registers `base0`, `base1`, ... of one type. As an operand they are a vector in braces."""

    __slots__ = ("_items", "base", "count", "dtype")

    def __init__(self, base: str, dtype: PtxType, count: int, trace: Any = None):
        self.base, self.dtype, self.count = base, dtype, count
        self._items = [Reg(f"{base}{i}", dtype, trace) for i in range(count)]

    def node(self) -> n.Operand:
        """The operand in braces."""
        return n.VectorOperand(tuple(r.node() for r in self._items))

    def _at(self, index: Any) -> int:
        if not hasattr(index, "__index__") or isinstance(index, Reg):
            raise bad_type("RegArray", f"the index {index!r} is no int")
        i = index.__index__()
        if not 0 <= i < self.count:
            raise fail(PyptxIndexError, "RegArray", f"index {i} of {self.count} registers {self.base}<{self.count}>")
        return i

    def __getitem__(self, index: Any) -> Any:
        return self._items[index] if isinstance(index, slice) else self._items[self._at(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        slot = self._items[self._at(index)]
        if value is not slot:
            move(slot, value)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Reg]:
        return iter(self._items)

    def regs(self) -> list[Reg]:
        """The registers as a list."""
        return list(self._items)

    def hw_order(self, *, reverse: bool = False) -> list[Reg]:
        """The registers in the order in which instructions take them: as declared, or the other way round."""
        return self._items[::-1] if reverse else list(self._items)

    def __repr__(self) -> str:
        return f"RegArray({self.base}<{self.count}>, {self.dtype})"


# -- making them -------------------------------------------------------------------------------------------------------


def scalar(dtype: Any, init: Any = None, name: str | None = None) -> Reg:
    """A new register. `init` is written into it by one `mov`."""
    kind = as_ptx_type(dtype, "reg.scalar")
    trace = get_ctx()
    out = Reg(trace.one(kind, name), kind, trace)
    if init is not None:
        move(out, init)
    return out


def bits_constant(value: float, kind: PtxType) -> Any:
    """A number for a float register: itself, or for 16 bits the bits of it."""
    if kind.name in ("f16", "bf16"):
        dtype = np.dtype(np.float16) if kind.name == "f16" else np.dtype(ml_dtypes.bfloat16)
        return int(np.asarray(value).astype(dtype).view(np.uint16))
    return float(value)


def float_bits(value: float) -> int:
    """The bits of an f32."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def move(into: Reg, value: Any) -> None:
    """`mov` into a register, of its type. Raises TypeError (T241) for a float where it cannot be one."""
    kind = into.dtype
    if isinstance(value, bool) and kind == t.pred:
        zero = scalar(t.u32, 0)
        emit(("setp", "eq" if value else "ne", "u32"), into, zero, 0)
        return
    if isinstance(value, (Reg, str)) or not hasattr(value, "__float__"):
        emit(typed(("mov",), kind.ave), into, value)
        return
    if kind.is_float:
        if isinstance(value, float) and kind.bits == 16:
            raise bad_type("reg.scalar", f"{kind} registers have no float constants; convert: cvt.rn.{kind}.f32")
        value = bits_constant(value, kind)
    elif isinstance(value, float):
        raise bad_type("reg.scalar", f"{value!r} does not go into a register of {kind}")
    emit((*typed(("mov",), kind.ave)[:-1], "f32") if kind.name in ("f32", "tf32") else typed(("mov",), kind.ave), into,
         value)  # fmt: skip


def array(dtype: Any, count: int, name: str | None = None) -> RegArray:
    """`count` registers under one declaration."""
    kind = as_ptx_type(dtype, "reg.array")
    if not isinstance(count, int) or isinstance(count, bool) or not 0 < count < 1 << 16:
        raise bad_value("reg.array", f"{count!r} registers; an int from 1 on is wanted")
    trace = get_ctx()
    prefix = PREFIX[kind.name]
    if kind == t.pred and name is None and trace.predicates(count):
        return RegArray("%p", kind, count, trace)
    if name is None:
        base = prefix if trace.at(prefix) == 0 and kind != t.pred else f"{prefix}arr{trace.number(f'{prefix}arr')}_"
    else:
        base = name
    trace.several(kind, base, count)
    trace.passed(base, count)
    return RegArray(base, kind, count, trace)


# -- operators ---------------------------------------------------------------------------------------------------------


def _value(x: Any) -> Any:
    return x.value() if isinstance(x, Reg) else x


def _held(value: Any, beside: Reg) -> Reg:
    """A Python number on the left of an operator, in a register of the other side's type."""
    _number("an operator", value)
    out = scalar(beside.dtype if beside.dtype.bits in (32, 64) else t.u32)
    move(out, value)
    return out


def _number(op: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or isinstance(value, NoValue):
        raise bad_type(f"`{op}`", f"an operand is a register or an int, not {value!r}")
    return value.__index__()


def _integer(op: str, x: Reg) -> Reg:
    if x.dtype.is_float or x.dtype.bits not in (16, 32, 64) or "x2" in x.dtype.name:
        raise bad_type(f"`{op}`", f"it works on integers, not on {x!r}; ptx.inst has the instructions of floats")
    return x


def _widened(x: Reg) -> Reg:
    out = scalar(t.u64)
    emit(("cvt", "u64", "u32"), out, x)
    return out


def _mnemonic(op: str, kind: PtxType, by_number: bool) -> tuple[str, ...]:
    """The instruction of an operator on a type."""
    bits, sign = kind.bits, "s" if kind.signed else "u"
    if op in "&|^":
        return {"&": "and", "|": "or", "^": "xor"}[op], f"b{bits}"
    if op == "<<":
        return "shl", f"b{bits}"
    if op in (">>", "//", "%"):
        return {">>": "shr", "//": "div", "%": "rem"}[op], f"{sign}{bits}"
    if op == "+":
        return "add", "s64" if bits == 64 else f"{sign}{bits}"
    if op == "-":
        return "sub", f"s{bits}"
    return "mul", "lo", f"s{bits}" if by_number and bits == 32 else f"u{bits}"


def _arithmetic(op: str, a: Reg, b: Any, into: Reg | None = None) -> Reg:
    """Adds the instruction of an operator. Raises TypeError (T241) for floats and what else does not compute."""
    a = a.value()
    if a.dtype == t.pred and isinstance(b, Reg) and b.dtype == t.pred and op in "&^":
        out = scalar(t.pred) if into is None else into
        emit(({"&": "and", "^": "xor"}[op], "pred"), out, a, b)
        return out
    _integer(op, a)
    if isinstance(b, Reg):
        b = _integer(op, b.value())
        if op not in ("<<", ">>") and a.dtype.bits != b.dtype.bits:
            a, b = _met(op, a, b, into)
        elif op in ("<<", ">>") and b.dtype.bits != 32:
            raise bad_type(f"`{op}`", f"the count of a shift has 32 bits: {b!r}")
    else:
        b = _number(op, b)
    out = into if into is not None else scalar(a.dtype)
    emit(_mnemonic(op, a.dtype, not isinstance(b, Reg)), out, a, b)
    return out


def _met(op: str, a: Reg, b: Reg, into: Reg | None) -> tuple[Reg, Reg]:
    """Operands of 32 and 64 bits, the smaller widened."""
    if {a.dtype.bits, b.dtype.bits} != {32, 64}:
        raise bad_type(f"`{op}`", f"{a!r} and {b!r} have different sizes")
    if b.dtype.bits == 32:
        return a, _widened(b)
    if into is not None:
        raise bad_type(f"`{op}=`", f"{b!r} does not fit into {into!r}")
    return _widened(a), b


def _compare(op: str, a: Reg, b: Any) -> Reg:
    """`setp` into a new predicate."""
    a = a.value()
    if a.dtype == t.pred:
        raise bad_type(f"`{op}`", f"{a!r} is a predicate: combine predicates by ptx.inst.and_.pred and its like")
    kind = a.dtype.name
    if isinstance(b, Reg):
        b = b.value()
        if a.dtype.bits != b.dtype.bits:
            a, b = _met(op, a, b, None)
            kind = a.dtype.name
    elif not a.dtype.is_float:
        b = _number(op, b)
    elif not hasattr(b, "__float__"):
        raise bad_type(f"`{op}`", f"{a!r} compares with a register or a number, not with {b!r}")
    kind = f"u{kind[1:]}" if kind[0] == "b" and kind[1:].isdigit() else "f32" if kind == "tf32" else kind
    out = scalar(t.pred)
    emit(("setp", _COMPARE[op], kind), out, a, b)
    return out
