"""The writer of vector code: element types and texts come in, instructions on vectors of `W` elements go out into a
function that grows.

Emitters and executors write through it, whatever their vectors are: a wave's lanes, a vector value of one thread, the
registers of a machine. """

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from avelang.base.lazy import np
from avelang.llvm.core import Body, IRModule

ZERO = "zeroinitializer"
LETTERS = {"float": "f32", "double": "f64", "half": "f16"}


class ElementWriter(Protocol):
    """The part of a writer that code which works element by element needs, such as `narrow_floats`."""

    W: int
    module: IRModule

    def op(self, text: str) -> str:
        """Appends an instruction that has a result, and returns the result's name."""
        ...

    def do(self, text: str) -> None:
        """Appends an instruction without a result."""
        ...

    def t(self, e: str, wide: bool = True) -> str:
        """An element type, or the vector of it."""
        ...

    def splat(self, text: str, e: str) -> str:
        """A scalar in all elements."""
        ...

    def call(self, name: str, result: str, *args: tuple[str, str]) -> str:
        """Calls an external function or intrinsic."""
        ...

    def overload(self, name: str, e: str, wide: bool) -> str:
        """An intrinsic's name with its suffix for an element type."""
        ...

    def outlined(self, name: str, result: str, param: str, x: str, make: Callable[[], str]) -> str:
        """Calls a function that `make` writes when it is first called."""
        ...


def vector(values: Iterable[object] | np.ndarray, e: str) -> str:
    """LLVM's text of a constant vector."""
    items = [str(x) for x in values]
    if all(x == items[0] for x in items):
        return ZERO if items[0] in ("0", "false") else f"splat ({e} {items[0]})"
    return "<" + ", ".join(f"{e} {x}" for x in items) + ">"


class Writer:
    """Writes into `body`, a function of `module`; vectors have `W` elements."""

    def __init__(self, module: IRModule, width: int):
        self.module = module
        self.body = Body()
        self.W = width
        # One dict for each region that is being emitted: what stands in an outer region may be used again in an inner
        # one.
        self._memo: list[dict[object, str]] = [{}]

    def op(self, text: str) -> str:
        """Appends an instruction that has a result, and returns the result's name."""
        return self.body.op(text)

    def do(self, text: str) -> None:
        """Appends an instruction without a result."""
        self.body.do(text)

    def t(self, e: str, wide: bool = True) -> str:
        """An element type, or the vector of it with `W` elements."""
        return f"<{self.W} x {e}>" if wide else e

    def call(self, name: str, result: str, *args: tuple[str, str]) -> str:
        """Calls an external function or intrinsic, declaring it. `args` are (type, value) pairs; attributes may follow
        the type."""
        target = self.module.declare(
            name, result, (t.split(" align ")[0] if t.startswith("ptr") else t for t, _ in args)
        )
        text = f"call {result} {target}({', '.join(f'{t} {v}' for t, v in args)})"
        if result == "void":
            self.do(text)
            return ""
        return self.op(text)

    def overload(self, name: str, e: str, wide: bool) -> str:
        """An intrinsic's name with its suffix for an element type: llvm.fma.v64f32."""
        letter = LETTERS.get(e, e)
        return f"llvm.{name}.v{self.W}{letter}" if wide else f"llvm.{name}.{letter}"

    def outlined(self, name: str, result: str, param: str, x: str, make: Callable[[], str]) -> str:
        """Calls a function of the module on `x`, defining it if need be: `make` emits its body on %x, one basic block.
        For code that is long and used often: compiled once, it costs a call where it would cost compile time at each
        use."""
        if name not in self.module.functions:
            self.module.functions[name] = ""
            outer, self.body = self.body, Body()
            memo, self._memo = self._memo, [{}]
            value = make()
            self.module.define(name, result, f"{param} %x", self.body, value)
            self.body, self._memo = outer, memo
        return self.op(f"call {result} @{name}({param} {x})")

    def memo(self, key: object) -> str | None:
        """The text remembered under a key in this region or an outer one."""
        for scope in reversed(self._memo):
            if key in scope:
                return scope[key]
        return None

    def remember(self, key: object, text: str) -> str:
        """Keeps a text for later uses in this region."""
        self._memo[-1][key] = text
        return text

    def const_vector(self, values: Iterable[object] | np.ndarray, e: str) -> str:
        """LLVM's text of a constant vector."""
        return vector(values, e)

    def splat(self, text: str, e: str, n: int | None = None) -> str:
        """A vector of n (default: `W`) copies of a scalar."""
        n = n or self.W
        if not text.startswith("%"):
            return ZERO if text in ("0", "false") else f"splat ({e} {text})"
        key = ("splat", text, n)
        if (found := self.memo(key)) is not None:
            return found
        one = self.op(f"insertelement <{n} x {e}> poison, {e} {text}, i64 0")
        return self.remember(
            key, self.op(f"shufflevector <{n} x {e}> {one}, <{n} x {e}> poison, <{n} x i32> zeroinitializer")
        )
