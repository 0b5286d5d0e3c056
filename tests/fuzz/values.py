"""Numbers, vectors and memory as a program of the language sees them, for the judge: classes whose operators are the language's, by `numbers` alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from fuzz import numbers
from fuzz.numbers import F32, I32, KINDS, U1, U32, Kind, meet

Three = tuple[int, int, int]


class Undefined(Exception):
    """The program does something that means nothing, or something that the judge does not know."""


# -- numbers -----------------------------------------------------------------------------------------------------------------------------------


class Dtype:
    """`al.i32`: converts where it is called."""

    def __init__(self, kind: Kind):
        self.kind = kind

    def __call__(self, value: Any) -> Any:
        return convert(value, self)


DTYPES = {name: Dtype(k) for name, k in KINDS.items()}


def literal(v: Any, k: Kind) -> Any:
    """A Python number as one of kind `k`."""
    if k.is_float:
        return numbers.rounded(v, k) if isinstance(v, float) else numbers.exactly(v, k)
    return int(v != 0) if k.kind == "bool" else numbers.wrap(int(v), k)


def with_literal(k: Kind, v: Any, arithmetic: bool = True) -> Kind:
    """The kind in which a number of kind `k` and a literal meet."""
    if isinstance(v, float) and not k.is_float:
        return F32
    if k.kind == "bool" and (arithmetic or not isinstance(v, bool)):
        return I32
    return k


def own_kind(v: Any) -> Kind:
    """The kind of a literal that meets nothing."""
    if isinstance(v, bool):
        return U1
    if isinstance(v, float):
        return F32
    return next(KINDS[n] for n in ("i32", "i64", "u64") if KINDS[n].low <= v <= KINDS[n].high)


def both(a: Any, b: Any, arithmetic: bool = True) -> tuple[Any, Any, Kind]:
    """Two scalars, of which one at most is a Python number, as they meet."""
    if a.__class__ is not Num:
        k = with_literal(b.k, a, arithmetic)
        return literal(a, k), numbers.convert(b.v, b.k, k), k
    if b.__class__ is not Num:
        k = with_literal(a.k, b, arithmetic)
        return numbers.convert(a.v, a.k, k), literal(b, k), k
    k = a.k
    if k is b.k and (k is not U1 or not arithmetic):
        return a.v, b.v, k
    k = meet(k, b.k, arithmetic)
    return numbers.convert(a.v, a.k, k), numbers.convert(b.v, b.k, k), k


BITWISE = ("and", "or", "xor")


def _binary(name: str, a: Any, b: Any) -> Any:
    x, y, k = both(a, b, name not in BITWISE)
    if k.is_float and name in BITWISE:
        raise Undefined("bits of a float")
    return Num(k, numbers.binary(name, x, y, k))


def _shift(name: str, a: Any, b: Any) -> Any:
    if a.__class__ is not Num:
        a = Num(b.k if b.k.is_int else I32, literal(a, b.k if b.k.is_int else I32))
    elif a.k is U1:
        a = Num(I32, a.v)
    if b.__class__ is not Num:
        b = Num(U32, b)
    if not a.k.is_int or b.k.is_float:
        raise Undefined("a shift of floats")
    return Num(a.k, numbers.shift(name, a.v, a.k, b.v, b.k))


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}  # fmt: skip


def _compare(name: str, a: Any, b: Any) -> Any:
    x, y, _ = both(a, b, name not in ("eq", "ne"))
    return Num(U1, int(COMPARE[name](x, y)))


def operator(name: str, a: Any, b: Any) -> Any:
    """A binary operator of scalars and vectors."""
    f = _shift if name in ("shl", "shr") else _compare if name in COMPARE else _binary
    return each(lambda x, y: f(name, x, y), a, b)


def each(f: Callable[..., Any], *args: Any) -> Any:
    """A function of scalars, on scalars, or element by element."""
    vectors = [a for a in args if isinstance(a, Tensor)]
    if not vectors:
        return f(*args)
    shape = vectors[0].shape
    if any(v.shape != shape for v in vectors):
        raise Undefined("shapes")
    rows = [v.items() if isinstance(v, Tensor) else None for v in args]
    count = math.prod(shape)
    return vector([f(*(a if r is None else r[i] for a, r in zip(args, rows))) for i in range(count)], shape)


class Operators:
    """What scalars and tensors have in common."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]


def _install() -> None:
    names = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floordiv", "mod": "mod", "and": "and", "or": "or",
             "xor": "xor", "lshift": "shl", "rshift": "shr"}  # fmt: skip
    for python, name in names.items():
        setattr(Operators, f"__{python}__", lambda a, b, name=name: operator(name, a, b))
        setattr(Operators, f"__r{python}__", lambda a, b, name=name: operator(name, b, a))
    for name in COMPARE:
        setattr(Operators, f"__{name}__", lambda a, b, name=name: operator(name, a, b))
    setattr(Operators, "__neg__", lambda a: each(_neg, a))
    setattr(Operators, "__pos__", lambda a: a)
    setattr(Operators, "__invert__", lambda a: each(_not, a))
    setattr(Operators, "__abs__", lambda a: each(_abs, a))
    setattr(Operators, "__pow__", _pow)


def _neg(a: Num) -> Num:
    if a.k is U1:
        raise Undefined("minus a condition")
    return Num(a.k, a.v * -1.0 if a.k.is_float else numbers.wrap(-a.v, a.k)) if a.k.zero or a.v != 0 else a


def _not(a: Num) -> Num:
    return Num(a.k, 1 - a.v if a.k is U1 else numbers.wrap(~a.v, a.k))


def _abs(a: Num) -> Num:
    if a.k is U1:
        raise Undefined("abs of a condition")
    return Num(a.k, abs(a.v) if a.k.is_float else numbers.wrap(abs(a.v), a.k))


def _pow(a: Any, n: int) -> Any:
    if not isinstance(n, int) or n < 1:
        raise Undefined("a power")
    out = a
    for _ in range(n - 1):
        out = out * a
    return out


class Num(Operators):
    """A run-time number."""

    __slots__ = ("k", "v")

    def __init__(self, k: Kind, v: Any):
        self.k, self.v = k, v

    def __bool__(self) -> bool:
        return self.v != 0

    def __index__(self) -> int:
        if not self.k.is_int:
            raise Undefined("a coordinate that is no integer")
        return self.v

    def __repr__(self) -> str:
        return f"{self.k}({self.v})"


def typed(v: Any) -> Num:
    return v if isinstance(v, Num) else Num(own_kind(v), literal(v, own_kind(v)))


def convert(value: Any, d: Dtype) -> Any:
    """`al.convert`."""
    if isinstance(value, (int, float)):
        k = d.kind
        if k.is_int and isinstance(value, float):
            return Num(k, numbers.convert(value, KINDS["f64"], k))
        return Num(k, literal(value, k))
    return each(lambda v: Num(d.kind, numbers.convert(v.v, v.k, d.kind)), value)


def stored(value: Any, k: Kind) -> Any:
    """A value as a store, an argument or a result of kind `k` takes it."""
    if not isinstance(value, Num):
        if isinstance(value, float) and not k.is_float:
            raise Undefined("a float literal for an integer")
        return literal(value, k)
    if value.k.is_float != k.is_float and value.k is not U1 or k is U1 and value.k is not U1:
        raise Undefined("a store between integers and floats")
    return numbers.convert(value.v, value.k, k)


# -- memory ------------------------------------------------------------------------------------------------------------------------------------


READ, WRITE, ATOMIC = range(3)
SEVERAL = -1


class Memory:
    """Bytes. `known` says which were written. Of memory that threads share, `seen` holds who accessed a byte since the last barrier, and how; of memory
    that blocks share, `blocks` which block did since the launch."""

    def __init__(self, size: int, shared: bool, known: bool, blocks: bool = False):
        self.data, self.known = bytearray(size), bytearray([known]) * size
        self.seen: dict[int, tuple[int, int]] | None = {} if shared else None
        self.blocks: dict[int, tuple[int, int]] | None = {} if blocks else None


class Run:
    """What the threads of the running block have in common. `copies` are a thread's copies under way, group by group, the last one open."""

    thread = 0
    wave = 64
    block: Three = (1, 1, 1)
    grid: Three = (1, 1, 1)
    index: Three = (0, 0, 0)
    number = 0
    shared: dict[Any, Memory] = {}
    memories: list[Memory] = []
    made: dict[int, int] = {}
    copies: dict[int, list[list[Any]]] = {}
    steps, most = 0, 4_000_000


def _clash(seen: dict[int, tuple[int, int]], byte: int, who: int, mode: int) -> None:
    """Notes an access; two race where they are of different ones, and are not both reads or both atomic."""
    had = seen.get(byte)
    if had is None:
        seen[byte] = (who, mode)
    elif had[0] != who:
        if mode != had[1] or mode == WRITE:
            raise Undefined("a race")
        if had[0] != SEVERAL:
            seen[byte] = (SEVERAL, mode)
    elif mode != had[1]:
        seen[byte] = (who, WRITE)


def touch(m: Memory, at: int, size: int, mode: int) -> None:
    if m.seen is None:
        return
    for byte in range(at, at + size):
        _clash(m.seen, byte, Run.thread, mode)
        if m.blocks is not None:
            _clash(m.blocks, byte, Run.number, mode)


class Tensor(Operators):
    """Elements at `base` (bytes) of a memory; strides in elements. A register tensor is one whose memory belongs to a thread."""

    __slots__ = ("base", "k", "local", "memory", "shape", "strides")

    def __init__(self, memory: Memory, k: Kind, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, base: int = 0):
        self.memory, self.k, self.shape, self.base = memory, k, tuple(shape), base
        self.strides = tuple(strides) if strides is not None else row_major(self.shape)
        self.local = memory.seen is None

    @property
    def dtype(self) -> Dtype:
        return DTYPES[self.k.name]

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        raise Undefined("a vector as a condition")

    def _at(self, coords: Any) -> tuple[int, int]:
        """The byte of the element at the coordinates (of the first of what remains), and how many were given."""
        coords = coords if isinstance(coords, tuple) else (coords,)
        if len(coords) > len(self.shape):
            raise Undefined("too many coordinates")
        at = 0
        for c, n, s in zip(coords, self.shape, self.strides):
            c = c.__index__()
            if not 0 <= c < n:
                raise Undefined("a coordinate outside")
            at += c * s
        return self.base + at * self.k.bytes, len(coords)

    def get(self, at: int, mode: int = READ) -> Num:
        m, size = self.memory, self.k.bytes
        if not 0 <= at <= len(m.data) - size or not all(m.known[at : at + size]):
            raise Undefined("memory outside, or that nothing wrote")
        touch(m, at, size, mode)
        return Num(self.k, numbers.from_bits(int.from_bytes(m.data[at : at + size], "little"), self.k))

    def put(self, at: int, value: Any, mode: int = WRITE) -> None:
        m, size = self.memory, self.k.bytes
        if not 0 <= at <= len(m.data) - size:
            raise Undefined("memory outside")
        touch(m, at, size, mode)
        m.data[at : at + size] = numbers.to_bits(stored(value, self.k), self.k).to_bytes(size, "little")
        m.known[at : at + size] = b"\1" * size

    def offsets(self, at: int = 0) -> list[int]:
        """Byte offsets of the elements of what is left behind `at` coordinates, the last one fastest."""
        out = [0]
        for n, s in zip(self.shape[at:], self.strides[at:]):
            out = [x + i * s * self.k.bytes for x in out for i in range(n)]
        return out

    def items(self) -> list[Num]:
        return [self.get(self.base + x) for x in self.offsets()]

    def __getitem__(self, coords: Any) -> Any:
        at, given = self._at(coords)
        if given == len(self.shape):
            return self.get(at)
        return vector([self.get(at + x) for x in self.offsets(given)], self.shape[given:])

    def __setitem__(self, coords: Any, value: Any) -> None:
        at, given = self._at(coords)
        places = [at + x for x in self.offsets(given)]
        values = value.items() if isinstance(value, Tensor) else [value] * len(places)
        if len(values) != len(places) or isinstance(value, Tensor) and given == len(self.shape):
            raise Undefined("shapes")
        for place, v in zip(places, values):
            self.put(place, v)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self.shape[0]))


_install()


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def vector(items: list[Any], shape: tuple[int, ...]) -> Tensor:
    """A new register tensor."""
    k = items[0].k
    out = Tensor(Memory(len(items) * k.bytes, False, True), k, shape)
    for i, v in enumerate(items):
        out.put(i * k.bytes, v)
    return out
