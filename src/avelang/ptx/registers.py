"""Registers and predicates; Python's operators on them, each of which adds the instruction that one would write.

Operands of one size meet as they are; a narrower integer meeting a wider one is widened first, by one `cvt`. Untyped
bits compute as unsigned. Signs may differ where the result's bits are the same (+ - * & | ^ <<). `//` and `%` are `div`
and `rem`, which round toward zero. `x = x + 1` is a new register, `x += 1` writes into x itself: so it does what it
says in loops that run."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import Any

import avelang.ptx.types as t
from avelang.base.lazy import ml_dtypes, np
from avelang.base.places import wrong
from avelang.nvptx import nodes as n
from avelang.nvptx.ptx_types import REGISTER_VECTORS, REGISTERS
from avelang.ptx.form_queries import first_known
from avelang.ptx.inst import emit
from avelang.ptx.operand_nodes import operand
from avelang.ptx.refusals import NoValue, RegisterList
from avelang.ptx.trace import Trace, current, is_identifier, opened
from avelang.ptx.types import Type, as_type

_COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_BITWISE = frozenset("&|^")
_OF_INTEGERS = frozenset(("//", "%"))
# The instructions of an operator: the first that the table has for the type.
_OPCODES = {
    "+": (("add",),), "-": (("sub",),), "*": (("mul", "lo"), ("mul",)), "//": (("div",),), "%": (("rem",),),
    "/": (("div", "rn"),),
    "&": (("and",),), "|": (("or",),), "^": (("xor",),),
}  # fmt: skip
_FAMILY = re.compile(r"(?P<name>[^<]*)(?:<(?P<count>\d+)>)?")
COMPONENTS = frozenset("xyzwrgba")  # PTX ISA, 6.4.2 "Vectors as operands"
_MOST_IN_A_LIST = 1 << 16  # far more than a thread can hold
_SIGN_MATTERS = frozenset({"//", "%", ">>", "<", "<=", ">", ">="})


def _operator(op: str) -> tuple[Callable[[Any, Any], Reg], Callable[[Any, Any], Reg]]:
    """The methods of an operator: with this operand on its left, and on its right. A constant goes to the right where
    the order says nothing."""

    def left(self: Any, other: Any) -> Reg:
        return binary(op, self, other)

    def right(self: Any, other: Any) -> Reg:
        return binary(op, other, self)

    return left, left if op in "+*&|^" else right


def _in_place(op: str) -> Callable[[Any, Any], Reg]:
    """The method of `op=`: the result is written into the register itself."""
    return lambda self, other: binary(op, self, other, into=self)


class ScalarOperand(NoValue):
    """An operand with Python's operators. `value()` is the register that holds it."""

    __hash__ = object.__hash__

    def value(self) -> Reg:
        """The register with this value."""
        raise TypeError(f"{self!r} is in no register")

    def __bool__(self) -> bool:
        raise wrong("T227", got=repr(self))

    __add__, __radd__ = _operator("+")
    __sub__, __rsub__ = _operator("-")
    __mul__, __rmul__ = _operator("*")
    __truediv__, __rtruediv__ = _operator("/")
    __floordiv__, __rfloordiv__ = _operator("//")
    __mod__, __rmod__ = _operator("%")
    __lshift__, __rlshift__ = _operator("<<")
    __rshift__, __rrshift__ = _operator(">>")
    __and__, __rand__ = _operator("&")
    __or__, __ror__ = _operator("|")
    __xor__, __rxor__ = _operator("^")
    __lt__ = _operator("<")[0]
    __le__ = _operator("<=")[0]
    __gt__ = _operator(">")[0]
    __ge__ = _operator(">=")[0]
    __eq__ = _operator("==")[0]  # type: ignore[assignment]
    __ne__ = _operator("!=")[0]  # type: ignore[assignment]

    def __invert__(self) -> Reg:
        x = self.value()
        return _unary(("not", "pred" if x.type is t.pred else f"b{x.type.bits}"), x, x.type)

    def __neg__(self) -> Reg:
        x = self.value()
        return _unary(("neg", _signed(x.type)), x, x.type)

    def __pos__(self) -> Reg:
        return self.value()

    def __abs__(self) -> Reg:
        x = self.value()
        return _unary(("abs", _signed(x.type)), x, x.type)

    def to(self, dtype: Any, *modifiers: str) -> Reg:
        """The value converted by `cvt`, into a new register. `modifiers` come behind `cvt` ("rn", "rzi", "sat"); where
        none is given, floats that may be inexact are rounded to nearest even (rn), and integers of floats toward zero
        (rzi)."""
        x, want = self.value(), as_type(dtype, "the type to convert to")
        out = reg.scalar(want)
        emit(("cvt", *modifiers, _plain(want), _plain(x.type)) if modifiers else _cvt(want, x.type), out, x)
        return out


class Reg(ScalarOperand):
    """A register: `name` as PTX has it ("%r0"), `type`."""

    __slots__ = ("name", "trace", "type")

    def __init__(self, name: str, kind: Type, trace: Trace | None = None):
        self.name, self.type, self.trace = name, kind, trace or opened()

    def node(self) -> n.Operand:
        """The operand. Raises T240 in another trace than its own, which may have a register of the same name."""
        if self.trace is not None and self.trace is not opened():
            raise wrong("T240", got=repr(self), kernel=self.trace.kernel)
        return n.Register(self.name)

    def value(self) -> Reg:
        """The register itself."""
        return self

    def __repr__(self) -> str:
        return f"<register {self.name} of {self.type}>"

    @property
    def dtype(self) -> Type:
        """`type`, by the name that arrays have for it."""
        return self.type

    def as_(self, dtype: Any) -> Reg:
        """The same register, taken for another type of its size: no instruction. Raises T228 for another size."""
        want = as_type(dtype, "the type of a register")
        if want.bits != self.type.bits or "pred" in (want.kind, self.type.kind):
            raise wrong("T228", got=self.type, want=want)
        return Reg(self.name, want, self.trace)

    def set(self, value: Any) -> None:
        """Writes a value into the register: `mov`, of its type."""
        move(self, value)

    __iadd__ = _in_place("+")
    __isub__ = _in_place("-")
    __imul__ = _in_place("*")
    __itruediv__ = _in_place("/")
    __ifloordiv__ = _in_place("//")
    __imod__ = _in_place("%")
    __ilshift__ = _in_place("<<")
    __irshift__ = _in_place(">>")
    __iand__ = _in_place("&")
    __ior__ = _in_place("|")
    __ixor__ = _in_place("^")


class VectorReg:
    """A register of several components: `v.x`, `v.y`, `v.z`, `v.w` are registers, v is an operand where PTX takes the
    whole."""

    __slots__ = ("name", "type")

    def __init__(self, name: str, kind: Type):
        self.name, self.type = name, kind

    def node(self) -> n.Operand:
        """The whole register as an operand."""
        return n.Register(self.name)

    def __getattr__(self, name: str) -> Component:
        if name not in COMPONENTS:
            raise AttributeError(name)
        return Component(self, name)

    def __repr__(self) -> str:
        return f"<vector register {self.name} of {self.type}>"


class Component(ScalarOperand):
    """A component of a vector register as an operand; in an operator it is read first, by one `mov`."""

    def __init__(self, register: VectorReg, component: str):
        self.register, self.component, self.type = register, component, register.type

    def node(self) -> n.Operand:
        """The component as an operand."""
        return n.Register(self.register.name, self.component)

    def value(self) -> Reg:
        """A new register with the component: one `mov`."""
        return RegisterFactory.scalar(self.type, self)

    def __repr__(self) -> str:
        return f"<register {self.register.name}.{self.component} of {self.type}>"


def _declared(name: Any) -> n.RegisterName:
    found = _FAMILY.fullmatch(name) if isinstance(name, str) else None
    if found is None or not is_identifier(found["name"]):
        raise wrong("T223", name=name, why='it is no identifier of PTX, nor several as "%r<8>" is')
    return n.RegisterName(found["name"], int(found["count"]) if found["count"] else None)


class Negated:
    """A predicate with `!` before it, as `ptx.not_` gives it."""

    def __init__(self, register: Reg):
        self.register = register

    def node(self) -> n.Operand:
        """The operand `!p`."""
        return n.Not(self.register.node())

    def __repr__(self) -> str:
        return f"<!{self.register.name}>"


class RegisterFactory:
    """`reg`: new registers."""

    @staticmethod
    def scalar(dtype: Any, init: Any = None, name: str = "") -> Reg:
        """A new register of a type. `init`: written into it by `mov` (a number, a register, a special register).
        `name`: as PTX shall have it."""
        kind = as_type(dtype, "the type of a register")
        out = Reg(current("reg.scalar").register(kind, name), kind)
        if init is not None:
            move(out, init)
        return out

    @staticmethod
    def array(dtype: Any, count: int, init: Any = None) -> list[Reg]:
        """A list of new registers. `init`: a number for all, or one for each."""
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < _MOST_IN_A_LIST:
            raise wrong(
                "T221", what="the number of registers", want=f"an int from 0 to {_MOST_IN_A_LIST - 1}", got=repr(count)
            )
        values = list(init) if isinstance(init, (list, tuple)) else [init] * count
        if len(values) != count:
            raise wrong("T221", what="init", want=f"{count} values", got=f"{len(values)}")
        return RegisterList([RegisterFactory.scalar(dtype, v) for v in values])

    @staticmethod
    def declare(dtype: Any, *names: str, vector: str = "") -> Any:
        """Declares registers here, by the names that PTX shall have: "%r<8>" is a list of eight, %r0 to %r7, "p" one
        register; several names give a list. They are known up to the end of the braces (`ptx.scope`). `vector`: "v2",
        "v4", registers of several components. Raises T223."""
        kind = as_type(dtype, "the type of a register")
        trace = current("reg.declare")
        declared = tuple(_declared(name) for name in names)
        if not declared or vector not in ("", *REGISTER_VECTORS):
            raise wrong(
                "T221",
                what="reg.declare",
                want='a type, names, and vector="v2" or "v4" if any',
                got=f"{names!r}, vector={vector!r}",
            )
        spelled = [x for one in declared for x in ((one,) if one.count is None
                                                   else n.registers_named(one.name, one.count))]  # fmt: skip
        trace.declare(n.RegisterDecl(kind.name if kind.name in REGISTERS else kind.held, tuple(spelled), vector))
        make = VectorReg if vector else Reg
        found = [RegisterList([make(each, kind) for each in name.names()]) for name in declared]
        out = [one if name.count is not None else one[0] for one, name in zip(found, declared, strict=True)]
        return out if len(out) > 1 else out[0]

    @staticmethod
    def pred(init: Any = None, name: str = "") -> Reg:
        """A new predicate. `init`: another one, which is copied."""
        return RegisterFactory.scalar(t.pred, init, name)

    @staticmethod
    def from_(value: Any, dtype: Any = None) -> Reg:
        """A new register with the value: of a register or special register, of its type; of an int (u32) or a float
        (f32) else."""
        if dtype is None:
            dtype = getattr(value, "type", None) or (t.f32 if isinstance(value, float) else t.u32)
        return RegisterFactory.scalar(dtype, value)


reg = RegisterFactory()


# -- moves -------------------------------------------------------------------------------------------------------------


def move(into: Reg, value: Any) -> None:
    """`mov` into a register. A float goes into an f16 or a bf16, which have no constants of their own, by its bits."""
    kind = into.type
    if isinstance(value, float) and not isinstance(value, bool):
        value = _float_constant(value, kind)
    elif isinstance(value, int) and kind.kind == "float":
        value = _float_constant(float(value), kind)
    elif isinstance(value, int) and kind.is_int:
        _in_range(value, kind)
    if kind.kind == "pred" and isinstance(value, (bool, int)):
        # A predicate has no constants: 0 == 0 or 0 != 0.
        zero = reg.scalar(t.u32)
        emit(("mov", "u32"), zero, 0)
        emit(("setp", "eq" if value else "ne", "u32"), into, zero, 0)
        return
    emit(typed(("mov",), kind), into, value)


def typed(opcode: tuple[str, ...], kind: Type) -> tuple[str, ...]:
    """The name with a type behind it: that of the register, or untyped bits where the instruction has no such type."""
    return first_known((*opcode, kind.held)) or (*opcode, f"b{kind.bits}")


def _float_constant(value: float, kind: Type) -> Any:
    if kind.bits == 16 and kind.kind == "float":
        dtype = np.dtype(np.float16) if kind is t.f16 else np.dtype(ml_dtypes.bfloat16)
        return HexInt(int(np.asarray(value).astype(dtype).view(np.uint16)))
    if kind.kind == "packed":
        one = t.f16 if kind is t.f16x2 else t.bf16
        bits = _float_constant(value, one).bits
        return HexInt(bits << 16 | bits)
    if kind.kind == "float" or (kind.kind == "bits" and kind.bits == 32):
        return value
    if kind.kind == "bits" and kind.bits == 64:
        return HexInt(int.from_bytes(struct.pack(">d", value), "big"))
    raise wrong("T229", value=repr(value), type=kind)


class HexInt:  # noqa: N801  (a number, in hex)
    """A constant that is written in hex."""

    def __init__(self, bits: int):
        self.bits = bits

    def node(self) -> n.Operand:
        """The constant, written in hex."""
        return n.Int(self.bits, 16)


def _in_range(value: int, kind: Type) -> None:
    low = -(1 << (kind.bits - 1)) if kind.kind != "uint" else 0
    high = (1 << kind.bits) - 1 if kind.kind != "int" else (1 << (kind.bits - 1)) - 1
    if not low <= value <= high:
        raise wrong("T229", value=repr(value), type=kind)


# -- operators ---------------------------------------------------------------------------------------------------------


def _signed(kind: Type) -> str:
    return f"s{kind.bits}" if kind.is_int else _plain(kind)


def _plain(kind: Type) -> str:
    """The name of a type in arithmetic: untyped bits are unsigned."""
    return f"u{kind.bits}" if kind.kind == "bits" and kind.held == kind.name else kind.name


def _unary(parts: tuple[str, ...], x: Reg, kind: Type) -> Reg:
    out = reg.scalar(kind)
    emit(parts, out, x)
    return out


def _cvt(want: Type, have: Type) -> tuple[str, ...]:
    """The conversion without a modifier, or where the table wants one, rounded to nearest even, or toward zero. Raises
    T231."""
    types = _plain(want), _plain(have)
    found = first_known(*(("cvt", *modifiers, *types) for modifiers in ((), ("rn",), ("rzi",))))
    if found is None:
        raise wrong("T231", op=f".to({want})", type=have)
    return found


def binary(op: str, a: Any, b: Any, into: Reg | None = None) -> Reg:
    """Adds the instruction of an operator. Raises T229 to T231 for operands that do not meet."""
    if op in ("<<", ">>"):
        return _shift(op, a, b, into)
    kind, a, b = _meet(op, a, b)
    if into is not None and kind.bits != into.type.bits:
        raise wrong("T230", op=f"{op}=", a=into.type, b=kind, why="the result does not fit the register")
    if op in _COMPARE:
        out = reg.scalar(t.pred)
        name = "neu" if op == "!=" and kind.kind == "float" else _COMPARE[op]
        emit(("setp", name, kind.name if op in ("==", "!=") else _plain(kind)), out, a, b)
        return out
    out = into if into is not None else reg.scalar(kind)
    emit(_opcode(op, kind), out, a, b)
    return out


def _opcode(op: str, kind: Type) -> tuple[str, ...]:
    """The instruction of an operator on a type. Raises T231."""
    name = "pred" if kind.kind == "pred" else f"b{kind.bits}" if op in _BITWISE else _plain(kind)
    fits = kind.is_int or op not in _OF_INTEGERS
    if op in _BITWISE and kind.kind in ("float", "packed"):
        fits = False  # a float's bits are not its value: x.as_(b32) takes them
    found = first_known(*((*opcode, name) for opcode in _OPCODES[op])) if fits else None
    if found is None:
        hint = "integers divide by //, which is `div` and rounds toward zero" if op == "/" and kind.is_int else None
        raise wrong("T231", hint, op=op, type=kind)
    return found


def _shift(op: str, a: Any, b: Any, into: Reg | None) -> Reg:
    if not isinstance(a, ScalarOperand):
        raise wrong("T231", f"put {a!r} into a register first: reg.from_({a!r})", op=op, type="a Python number")
    x = a.value()
    if not x.type.is_int:
        raise wrong("T231", op=op, type=x.type)
    if isinstance(b, ScalarOperand):
        b = b.value()
        if b.type.bits != 32 or not b.type.is_int:
            raise wrong("T230", op=op, a=x.type, b=b.type, why="the count of a shift has 32 bits")
    elif not isinstance(b, int) or not 0 <= b < x.type.bits:
        raise wrong(
            "T230",
            op=op,
            a=x.type,
            b=repr(b),
            why=f"the count is an int from 0 to {x.type.bits - 1}, or a register of 32 bits",
        )
    out = into if into is not None else reg.scalar(x.type)
    emit(("shl", f"b{x.type.bits}") if op == "<<" else ("shr", _plain(x.type)), out, x, b)
    return out


def _meet(op: str, a: Any, b: Any) -> tuple[Type, Any, Any]:
    """The type in which an operator computes, and its operands."""
    if isinstance(a, ScalarOperand) and isinstance(b, ScalarOperand):
        return _registers(op, a.value(), b.value())
    if isinstance(a, ScalarOperand):
        x = a.value()
        return x.type, x, _number(op, b, x.type)
    x = b.value()
    return x.type, _number(op, a, x.type), x


def _number(op: str, value: Any, kind: Type) -> Any:
    """A constant beside a register."""
    if hasattr(value, "__index__") and not isinstance(value, int):
        value = value.__index__()
    if not isinstance(value, (int, float)) or kind.kind == "pred":
        raise wrong("T230", op=op, a=kind, b=repr(value), why="an operand is a register, or a number")
    if kind.is_int:
        if isinstance(value, float):
            raise wrong("T229", value=repr(value), type=kind)
        _in_range(value, kind)
        return value
    value = _float_constant(float(value), kind)
    if isinstance(value, float):
        return value
    held = reg.scalar(kind)  # f16 and bf16 have no constants
    emit(("mov", f"b{kind.bits}"), held, value)
    return held


def _registers(op: str, a: Reg, b: Reg) -> tuple[Type, Reg, Reg]:
    x, y = a.type, b.type
    if x is y:
        return x, a, b
    if not (x.is_int and y.is_int):
        if x.bits == y.bits and "bits" in (x.kind, y.kind) and "pred" not in (x.kind, y.kind):
            return (y if x.kind == "bits" else x), a, b  # the bits of a float
        raise wrong("T230", op=op, a=x, b=y, why="convert one of them: x.to(type)")
    if x.bits != y.bits:
        if x.bits < y.bits:
            a = a.to(t.integer(y.bits, x.signed))
        else:
            b = b.to(t.integer(x.bits, y.signed))
        return _registers(op, a, b)
    if x.signed != y.signed and op in _SIGN_MATTERS and "bits" not in (x.kind, y.kind):
        raise wrong("T230", op=op, a=x, b=y, why="it depends on the sign: say x.as_(type)")
    return (y if x.kind == "bits" else x), a, b


__all__ = ["Negated", "Reg", "ScalarOperand", "binary", "move", "operand", "reg"]
