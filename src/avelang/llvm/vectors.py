"""Short ways to write instructions on vectors: an LLVM element type and operands as text come in, instructions go out
into a writer's function.

Both executors of machine text write through it; their vectors are the lanes of a wave.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Generic, TypeVar

from avelang.llvm.core import Body
from avelang.llvm.writer import Writer

BITS = {"half": 16, "float": 32, "double": 64}
FLOAT = {bits: e for e, bits in BITS.items()}
W = TypeVar("W", bound=Writer)


class Ops(Generic[W]):
    """Writes instructions on vectors of the LLVM type `e`, as wide as the writer's. Operands are texts, or Python
    numbers, which stand for all elements."""

    def __init__(self, t: W, e: str):
        self.t, self.e, self.v = t, e, t.t(e)
        self.bits = BITS.get(e) or int(e[1:])

    def at(self, e: str) -> Ops[W]:
        """The same on another type."""
        return Ops(self.t, e)

    @property
    def ints(self) -> Ops[W]:
        """The same on integers as wide as the elements."""
        return self.at(f"i{self.bits}")

    def lit(self, x: str | float) -> str:
        """An operand's text."""
        if isinstance(x, str):
            return x
        if self.e in BITS:
            if self.e == "half":
                return f"splat (half 0xH{struct.unpack('<H', struct.pack('<e', x))[0]:04X})"
            return f"splat ({self.e} 0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X})"
        return f"splat ({self.e} {x})"

    def __call__(self, name: str, *args: str | float) -> str:
        return self.t.op(f"{name} {self.v} {', '.join(map(self.lit, args))}")

    def fn(self, name: str, *args: str | float) -> str:
        """An intrinsic of LLVM that maps vectors to vectors; Python bools stay scalar flags."""
        typed = [("i1", str(a).lower()) if isinstance(a, bool) else (self.v, self.lit(a)) for a in args]
        return self.t.call(self.t.overload(name, self.e, True), self.v, *typed)

    def cmp(self, pred: str, a: str | float, b: str | float) -> str:
        """One bit for each lane."""
        return self(f"{'fcmp' if self.e in BITS else 'icmp'} {pred}", a, b)

    def select(self, c: str, a: str | float, b: str | float) -> str:
        """`a` where `c` holds, else `b`."""
        return self.t.op(f"select {self.t.t('i1')} {c}, {self.v} {self.lit(a)}, {self.v} {self.lit(b)}")

    def to(self, e: str, how: str, x: str) -> str:
        """A conversion by an LLVM instruction, from this type to `e`; nothing where they are the same."""
        return x if e == self.e else self.t.op(f"{how} {self.v} {x} to {self.t.t(e)}")

    def pattern(self, x: str) -> str:
        """Floats as integers of the same bits."""
        return self.to(self.ints.e, "bitcast", x)

    def number(self, x: str) -> str:
        """Integers as floats of the same bits: the inverse of `pattern`, called on the float type's Ops."""
        return self.ints.to(self.e, "bitcast", x)


class Bool:
    """Logic on vectors of one bit a lane."""

    def __init__(self, t: Writer):
        self.t, self.v = t, t.t("i1")

    def __call__(self, name: str, first: str, *more: str) -> str:
        for x in more:
            first = self.t.op(f"{name} {self.v} {first}, {x}")
        return first

    def no(self, a: str) -> str:
        """The complement."""
        return self.t.op(f"xor {self.v} {a}, splat (i1 true)")


def function(t: Writer, name: str, result: str, make: Callable[..., str], *args: tuple[str, str]) -> str:
    """Calls a function of the module on vectors: `args` are (element type, value), `result` an element type; `make`
    writes the body when it is first called, given the parameters' names, and returns the result's."""
    types = [t.t(e) for e, _ in args]
    if name not in t.module.functions:
        t.module.functions[name] = ""
        outer, memo = t.body, t._memo
        t.body, t._memo = Body(), [{}]
        names = [f"%x{k}" for k in range(len(args))]
        value = make(*names)
        params = ", ".join(f"{kind} {x}" for kind, x in zip(types, names, strict=True))
        t.module.define(name, t.t(result), params, t.body, value)
        t.body, t._memo = outer, memo
    return t.op(
        f"call {t.t(result)} @{name}({', '.join(f'{kind} {v}' for kind, (_, v) in zip(types, args, strict=True))})"
    )
