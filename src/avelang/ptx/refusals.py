"""What Python asks of values that exist only when a kernel runs: each question comes in, an error at the user's line
goes out.

Without these methods Python would answer for itself, with a TypeError that names neither the kernel nor what to write
instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from avelang.base.errors import AveError, AveTypeError
from avelang.base.places import wrong

# What to write instead, by topic; a face has words of its own for what it names otherwise.
WORDS = {
    "count": "range() and lists count while the kernel is traced; ptx.loop() and ptx.addr(p, offset) while it runs",
    "int": "x.to(s32) converts while the kernel runs",
    "float": "x.to(f32) converts while the kernel runs",
    "length": "reg.array(type, n) has a length",
    "items": "reg.array(type, n) has items, v.x to v.w are those of a vector",
    "read": "memory is read by ptx.inst.ld..., at ptx.addr(pointer, offset); pointers come from ptx.global_ptrs(x)",
    "write": "memory is written by ptx.inst.st..., at ptx.addr(pointer, offset); pointers come from ptx.global_ptrs(x)",
    "within": "compare registers, and combine predicates by | and &",
    "power": "multiply, or take ptx.inst.ex2 and ptx.inst.lg2",
    "matrix": "ptx.mma and ptx.wgmma multiply matrices",
    "round": 'x.to(s32, "rni") rounds while the kernel runs',
    "load": "load it first: ptx.param(x), or the address of an array by ptx.global_ptrs(x)",
}


class NoValue:
    """A value that Python can neither count with nor look into while the kernel is traced. Raises T110."""

    __slots__ = ()

    words: Mapping[str, str] = WORDS

    def _refuse(self, what: str, topic: str) -> NoReturn:
        raise wrong("T110", got=repr(self), what=what, hint=self.words[topic])

    def __index__(self) -> int:  # noqa: PLE0305  it raises
        self._refuse("count with it or index by it", "count")

    def __int__(self) -> int:
        self._refuse("make an int of it", "int")

    def __float__(self) -> float:
        self._refuse("make a float of it", "float")

    def __len__(self) -> int:  # noqa: PLE0303  likewise
        self._refuse("ask for its length", "length")

    def __iter__(self) -> Iterator[Any]:
        self._refuse("go through it", "items")

    def __getitem__(self, key: Any) -> Any:
        self._refuse("index it", "read")

    def __setitem__(self, key: Any, value: Any) -> None:
        self._refuse("store into it", "write")

    def __contains__(self, item: Any) -> bool:
        self._refuse("look into it", "within")

    def __pow__(self, other: Any) -> Any:
        self._refuse("raise it to a power", "power")

    def __matmul__(self, other: Any) -> Any:
        self._refuse("multiply it as a matrix", "matrix")

    def __round__(self, digits: Any = None) -> Any:
        self._refuse("round it", "round")


T = TypeVar("T")
E = TypeVar("E", bound=AveError)


def as_class(kind: type[E], found: AveError) -> E:
    """The same error, of another class."""
    out = kind(*found.args)
    out.code, out.message, out.hint, out.span = found.code, found.message, found.hint, found.span
    return out


class NoRegister(AveTypeError, IndexError):
    """A number behind the last register of a list (T041): as Python expects it, and coded as all that is wrong in a
    kernel."""


class RegisterList(list[T]):
    """Registers by number. Raises T041 for a number that none has."""

    def __getitem__(self, index: Any) -> Any:
        try:
            return super().__getitem__(index)
        except IndexError:
            hint = "registers are numbered from 0; reg.array(type, n) makes n of them"
            found = wrong("T041", hint, index=index, axis=0, extent=len(self))
        raise as_class(NoRegister, found)


def no_arithmetic(kind: type[T]) -> type[T]:
    """Gives a class the operators of numbers, each of which raises T110."""

    def operator(sign: str) -> Any:
        def refused(self: Any, other: Any = None) -> None:
            self._refuse(f"compute with it (`{sign}`)", "load")

        return refused

    signs = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "lshift": "<<",
             "rshift": ">>", "and": "&", "or": "|",
             "xor": "^"}  # fmt: skip
    for name, sign in signs.items():
        setattr(kind, f"__{name}__", operator(sign))
        setattr(kind, f"__r{name}__", operator(sign))
    for name, sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "neg": "-", "invert": "~", "abs": "abs"}.items():
        setattr(kind, f"__{name}__", operator(sign))
    return kind
