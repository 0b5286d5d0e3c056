"""The judge: the text of a program comes in, what its arrays hold afterwards goes out, found by running the text as Python, thread by thread.

The names of the language are stood in for by the classes below, which know `numbers` and nothing of the compiler. A kernel becomes a generator, one for
each thread: it yields at barriers and shuffles. What the language does not define is an error (`Undefined`), so that a program that is made smaller
cannot slip into saying nothing: reads of memory that nothing wrote, coordinates outside, races, shuffles from lanes that are not there.
"""

from __future__ import annotations

import ast
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from fuzz import numbers
from fuzz.numbers import F32, I32, KINDS, U1, U32, Kind, meet

Three = tuple[int, int, int]
MOST_STEPS = 4_000_000


class Undefined(Exception):
    """The program does something that means nothing, or something that the judge does not know."""


# -- numbers -----------------------------------------------------------------------------------------------------------------------------------


class Dtype:
    """`al.i32`: converts where it is called."""

    def __init__(self, kind: Kind):
        self.kind = kind

    def __call__(self, value: Any) -> Any:
        return convert(value, self)


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


class Memory:
    """Bytes. `known` says which were written; of memory that threads share, `seen` holds who accessed a byte since the last barrier."""

    def __init__(self, size: int, shared: bool, known: bool):
        self.data, self.known = bytearray(size), bytearray([known]) * size
        self.seen: dict[int, tuple[int, bool]] | None = {} if shared else None


class Run:
    """What the threads of the running block have in common."""

    thread = 0
    wave = 64
    block: Three = (1, 1, 1)
    grid: Three = (1, 1, 1)
    index: Three = (0, 0, 0)
    shared: dict[Any, Memory] = {}
    memories: list[Memory] = []
    made: dict[int, int] = {}
    steps = 0


def _touch(m: Memory, at: int, size: int, write: bool) -> None:
    if m.seen is None:
        return
    for byte in range(at, at + size):
        who = m.seen.get(byte)
        if who is None:
            m.seen[byte] = (Run.thread, write)
        elif who[0] != Run.thread and (write or who[1]):
            raise Undefined("a race")
        elif write and not who[1]:
            m.seen[byte] = (Run.thread, True)
        elif who[0] != Run.thread and not who[1]:
            m.seen[byte] = (-1, False)  # read by several


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

    def get(self, at: int) -> Num:
        m, size = self.memory, self.k.bytes
        if not 0 <= at <= len(m.data) - size or not all(m.known[at : at + size]):
            raise Undefined("memory outside, or that nothing wrote")
        _touch(m, at, size, False)
        return Num(self.k, numbers.from_bits(int.from_bytes(m.data[at : at + size], "little"), self.k))

    def put(self, at: int, value: Any) -> None:
        m, size = self.memory, self.k.bytes
        if not 0 <= at <= len(m.data) - size:
            raise Undefined("memory outside")
        _touch(m, at, size, True)
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


# -- the names of the language -----------------------------------------------------------------------------------------------------------------


class Typed:
    """`al.Tensor(shape, strides, dtype)`, an annotation or the layout of a view."""

    def __init__(self, shape: Any, *rest: Any):
        self.shape = shape if isinstance(shape, tuple) else (shape,)
        self.strides, d = rest if len(rest) == 2 else (row_major(self.shape), rest[0])
        self.kind = d.kind


class Layout:
    def __init__(self, shape: Any, strides: Any = None):
        self.shape = shape if isinstance(shape, tuple) else (shape,)
        self.strides = strides if isinstance(strides, tuple) else (strides,) if strides is not None else row_major(self.shape)


DTYPES = {name: Dtype(k) for name, k in KINDS.items()}


def full(shape: Any, value: Any, d: Dtype) -> Tensor:
    shape = shape if isinstance(shape, tuple) else (shape,)
    return vector([Num(d.kind, stored(value, d.kind))] * math.prod(shape), shape)


def make_local(shape: Any, d: Dtype) -> Tensor:
    shape = shape if isinstance(shape, tuple) else (shape,)
    return Tensor(Memory(math.prod(shape) * d.kind.bytes, False, False), d.kind, shape)


def make_shared(shape: Any, d: Dtype, alignment: int = 16) -> Tensor:
    """The n-th allocation of a thread is that of every other thread."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    n = Run.made[Run.thread] = Run.made.get(Run.thread, 0) + 1
    key = (n, shape, d.kind.name)
    if key not in Run.shared:
        Run.shared[key] = Memory(math.prod(shape) * d.kind.bytes, True, False)
        Run.memories.append(Run.shared[key])
    return Tensor(Run.shared[key], d.kind, shape)


def view(t: Tensor, what: Any, layout: Any = None) -> Tensor:
    """The same memory from the same byte on."""
    kind, shape, strides = (what.kind, layout.shape, layout.strides) if isinstance(what, Dtype) else (what.kind, what.shape, what.strides)
    if not all(isinstance(x, (int, Num)) for x in (*shape, *strides)):
        raise Undefined("a nested layout")
    out = Tensor(t.memory, kind, tuple(map(int, shape)), tuple(map(int, strides)), t.base)
    if max(out.offsets()) + kind.bytes > max(t.offsets()) + t.k.bytes:
        raise Undefined("a view that reaches past what it views")
    return out


def subview(t: Tensor, offsets: Any, sizes: Any, strides: Any = None) -> Tensor:
    offsets, sizes = (tuple(map(int, x if isinstance(x, tuple) else (x,))) for x in (offsets, sizes))
    steps = tuple(map(int, strides)) if strides is not None else (1,) * len(sizes)
    for o, n, s, have in zip(offsets, sizes, steps, t.shape):
        if o < 0 or o + (n - 1) * s >= have:
            raise Undefined("a window outside")
    base = t.base + sum(o * s for o, s in zip(offsets, t.strides)) * t.k.bytes
    return Tensor(t.memory, t.k, sizes, tuple(a * b for a, b in zip(steps, t.strides)), base)


def bitcast(value: Any, d: Dtype) -> Any:
    value = value if isinstance(value, Tensor) else typed(value)

    def one(v: Num) -> Num:
        if v.v != v.v:
            raise Undefined("the bits of NaN")
        return Num(d.kind, numbers.from_bits(numbers.to_bits(v.v, v.k), d.kind))

    have = value.k
    if have.bits == d.kind.bits and d.kind is not U1 and have is not U1:
        return each(one, value)
    items = value.items() if isinstance(value, Tensor) else [value]
    if have is U1 or d.kind is U1 or len(items) * have.bits % d.kind.bits or any(v.v != v.v for v in items):
        raise Undefined("a bitcast")
    raw = b"".join(numbers.to_bits(v.v, v.k).to_bytes(v.k.bytes, "little") for v in items)
    size = d.kind.bytes
    out = [Num(d.kind, numbers.from_bits(int.from_bytes(raw[i : i + size], "little"), d.kind)) for i in range(0, len(raw), size)]
    return out[0] if len(out) == 1 else vector(out, (len(out),))


def _fold(f: Callable[..., Any], python: Callable[..., Any]) -> Callable[..., Any]:
    def one(a: Any, b: Any) -> Any:
        x, y, k = both(a, b)
        return Num(k, f(x, y, k))

    def fold(*args: Any) -> Any:
        items = list(args[0]) if len(args) == 1 else list(args)
        out = items[0]
        for v in items[1:]:
            out = each(one, out, v) if isinstance(out, (Num, Tensor)) or isinstance(v, (Num, Tensor)) else python(out, v)
        return out

    return fold


def total(items: Any) -> Any:
    """`sum` of a register tensor or a tuple."""
    items = list(items)
    out = items[0]
    for v in items[1:]:
        out = out + v
    return out


def select(c: Any, a: Any, b: Any) -> Any:
    def one(c: Any, a: Any, b: Any) -> Num:
        if not isinstance(a, Num) and not isinstance(b, Num):
            a = typed(a)
        x, y, k = both(a, b, False)
        return Num(k, x if c.v != 0 else y)

    return each(one, typed(c) if isinstance(c, (int, float)) else c, a, b)


def choose(c: Any, a: Any, b: Any) -> Any:
    """`a if c else b`: of the kind in which both meet."""
    if not isinstance(c, Num):
        return a if c else b
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        raise Undefined("a choice of vectors")
    return select(c, a, b)


def fma(a: Any, b: Any, c: Any) -> Any:
    def one(*items: Any) -> Num:
        k = next(x.k for x in items if isinstance(x, Num))
        for x in items:
            k = meet(k, x.k) if isinstance(x, Num) else with_literal(k, x)
        x, y, z = (numbers.convert(v.v, v.k, k) if isinstance(v, Num) else literal(v, k) for v in items)
        return Num(k, numbers.fma(x, y, z, k))

    return each(one, a, b, c)


def _function(f: Callable[[float, Kind], float]) -> Callable[[Any], Any]:
    def one(v: Any) -> Num:
        v = typed(v)
        if not v.k.is_float:
            raise Undefined("a function of an integer")
        return Num(v.k, f(v.v, v.k))

    return lambda value: each(one, value)


def steps(*bounds: Any, unroll: bool = False) -> Iterator[Num]:
    """`al.range`: Python's, of the kind in which the run-time bounds meet, of 32 bits at least."""
    kinds = [b.k for b in bounds if isinstance(b, Num)]
    k = I32
    if kinds:
        k = kinds[0]
        for other in kinds[1:]:
            k = meet(k, other)
        if k.bits < 32:
            k = meet(k, I32)
    values = [numbers.convert(b.v, b.k, k) if isinstance(b, Num) else b for b in bounds]
    start, stop, step = values if len(values) == 3 else (values[0], values[1], 1) if len(values) == 2 else (0, values[0], 1)
    for i in range(start, stop, step) if step else ():
        tick()
        yield Num(k, i)


def tick() -> None:
    Run.steps += 1
    if Run.steps > MOST_STEPS:
        raise Undefined("a loop without end")


def logic(kind: str, *items: Any) -> Num:
    """`and`, `or` and `not` as conditions."""
    if not any(isinstance(x, Num) for x in items):
        raise Undefined("conditions of literals")
    holds = [bool(x) for x in items]
    return Num(U1, int(not holds[0] if kind == "not" else all(holds) if kind == "and" else any(holds)))


class Device:
    """A device function: arguments and the result as annotated."""

    def __init__(self, fn: Any):
        self.fn, self.notes = fn, fn.__annotations__
        self.names = fn.__code__.co_varnames[: fn.__code__.co_argcount]

    def __call__(self, *args: Any, **named: Any) -> Any:
        given = {**dict(zip(self.names, args)), **named}
        for name, value in given.items():
            if isinstance(self.notes.get(name), Dtype):
                given[name] = Num(self.notes[name].kind, stored(value, self.notes[name].kind))
        out = self.fn(**given)
        note = self.notes.get("return")
        return Num(note.kind, stored(out, note.kind)) if isinstance(note, Dtype) else out


def struct(cls: type) -> type:
    """`al.struct`: fields by their annotations; objects are Python's."""
    notes = cls.__dict__.get("__annotations__", {})

    def init(self: Any, *args: Any, **named: Any) -> None:
        for name, value in {**{n: getattr(cls, n) for n in notes if hasattr(cls, n)}, **dict(zip(notes, args)), **named}.items():
            setattr(self, name, value)

    def put(self: Any, name: str, value: Any) -> None:
        note = notes[name]
        object.__setattr__(self, name, Num(note.kind, stored(value, note.kind)) if isinstance(note, Dtype) else value)

    body = {n: v for n, v in cls.__dict__.items() if n not in notes and n not in ("__dict__", "__weakref__")}
    return type(cls.__name__, (), {**body, "__init__": init, "__setattr__": put})


def _namespace() -> types.SimpleNamespace:
    al = types.SimpleNamespace(**DTYPES)
    al.Tensor, al.Layout, al.make_layout, al.constexpr, al.struct = Typed, Layout, Layout, object(), struct
    al.Pointer = lambda d: Typed((1,), d)
    al.convert, al.bitcast, al.select, al.fma = convert, bitcast, select, fma
    al.min, al.max, al.abs = _fold(numbers.least, min), _fold(numbers.greatest, max), lambda v: abs(v)
    al.sqrt = _function(numbers.sqrt)
    al.floor = _function(lambda a, k: numbers.whole(math.floor, a, k))
    al.ceil = _function(lambda a, k: numbers.whole(math.ceil, a, k))
    al.full, al.make_local, al.make_shared, al.view, al.subview = full, make_local, make_shared, view, subview
    al.range = steps
    # Made by `Text`, which rewrites what Python does by other rules.
    al.choose, al.logic, al.tick = choose, logic, tick
    al.declared = lambda v, d: Num(d.kind, stored(v, d.kind))

    def thread(dim: int) -> Num:
        x, y, _ = Run.block
        return Num(U32, (Run.thread % x, Run.thread // x % y, Run.thread // (x * y))[dim])

    al.thread_id = thread
    al.block_dim = lambda dim: Num(U32, Run.block[dim])
    al.grid_dim = lambda dim: Num(U32, Run.grid[dim])
    al.block_id = lambda dim: Num(U32, Run.index[dim])
    al.lane_id = lambda: Num(U32, Run.thread % Run.wave)
    return al


# -- running -----------------------------------------------------------------------------------------------------------------------------------

SHUFFLES = {"shuffle": "idx", "shuffle_up": "up", "shuffle_down": "down", "shuffle_xor": "xor"}


class Text(ast.NodeTransformer):
    """Rewrites what Python would do by its own rules: choices, conditions, annotated assignments; barriers and shuffles yield."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = ast.unparse(node.func).removeprefix("al.")
        if name == "syncthreads":
            return ast.Yield(ast.Constant("barrier"))
        if name in SHUFFLES:
            width = next((k.value for k in node.keywords if k.arg == "width"), ast.Constant(0))
            return ast.Yield(ast.Tuple([ast.Constant(SHUFFLES[name]), *node.args[:2], *(node.args[2:3] or [width])], ast.Load()))
        return node

    def _call(self, name: str, *args: ast.expr) -> ast.Call:
        return ast.Call(ast.Attribute(ast.Name("al", ast.Load()), name, ast.Load()), list(args), [])

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return self._call("choose", node.test, node.body, node.orelse)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return self._call("logic", ast.Constant("and" if isinstance(node.op, ast.And) else "or"), *node.values)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return self._call("logic", ast.Constant("not"), node.operand) if isinstance(node.op, ast.Not) else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is None:
            return node
        return ast.Assign([node.target], self._call("declared", node.value, node.annotation))

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(self._call("tick")))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        for part in node.body:  # annotations of fields stay
            if isinstance(part, ast.FunctionDef):
                self.visit(part)
        return node


def load(text: str, name: str = "kernel") -> Any:
    """The kernel's function, as Python runs it; a generator function if anything in it waits."""
    tree = ast.parse(text)
    tree.body = [n for n in tree.body if not isinstance(n, (ast.Import, ast.ImportFrom))]
    tree = ast.fix_missing_locations(Text().visit(tree))
    held: dict[str, Any] = {
        "al": _namespace(), "avelang": types.SimpleNamespace(jit=Device, struct=struct), "min": _fold(numbers.least, min), "max": _fold(numbers.greatest, max),
        "sum": total,
    }  # fmt: skip
    exec(compile(tree, "<judged>", "exec", dont_inherit=True), held)  # noqa: S102 - text that was drawn here
    return held[name]


def run(text: str, args: dict[str, Any], block: Three, grid: Three = (1, 1, 1), wave: int = 64) -> None:
    """Runs the kernel of a text over arrays (in place) and Python numbers, given by name. Raises Undefined."""
    kernel = load(text)
    Run.wave, Run.block, Run.grid, Run.steps = wave, block, grid, 0
    arrays, values = [], {}
    for name, value in args.items():
        note = kernel.notes[name]
        if isinstance(value, np.ndarray):
            m = Memory(value.nbytes, True, True)
            m.data[:] = value.tobytes()
            arrays.append((m, value))
            values[name] = Tensor(m, note.kind, note.shape, note.strides)
        else:
            values[name] = Num(note.kind, literal(value, note.kind)) if isinstance(note, Dtype) else value
    Run.memories = [m for m, _ in arrays]
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                Run.index = (x, y, z)
                _block(kernel.fn, values, block, wave)
    for m, value in arrays:
        value.view(np.uint8).reshape(-1)[:] = np.frombuffer(bytes(m.data), np.uint8)


def _block(fn: Any, values: dict[str, Any], block: Three, wave: int) -> None:
    count = block[0] * block[1] * block[2]
    Run.shared, Run.made = {}, {}
    threads: dict[int, Any] = {}
    for Run.thread in range(count):
        made = fn(**values)
        if isinstance(made, types.GeneratorType):
            threads[Run.thread] = made
    answers: dict[int, Any] = dict.fromkeys(threads)
    while threads:
        asked: dict[int, Any] = {}
        for Run.thread, generator in list(threads.items()):
            try:
                asked[Run.thread] = generator.send(answers[Run.thread])
            except StopIteration:
                del threads[Run.thread]
        kinds = {x if isinstance(x, str) else "shuffle" for x in asked.values()}
        if len(kinds) > 1:
            raise Undefined("some threads at a barrier, others at a shuffle")
        if kinds == {"barrier"}:
            for m in Run.memories:
                if m.seen:
                    m.seen.clear()
            answers = dict.fromkeys(threads)
        else:
            answers = {t: _shuffled(t, asked, wave) for t in asked}


def _shuffled(thread: int, asked: dict[int, Any], wave: int) -> Any:
    kind, value, offset, width = asked[thread]
    width, lane = width or wave, thread % wave
    if any(asked[t][0] != kind or asked[t][3] != asked[thread][3] for t in asked):
        raise Undefined("different shuffles")
    segment, place, by = lane - lane % width, lane % width, offset.__index__()
    source = {"idx": by, "up": place - by, "down": place + by, "xor": place ^ by}[kind]
    if not 0 <= source < width:
        return value
    other = asked.get(thread - lane + segment + source)
    if other is None:
        raise Undefined("a shuffle from a lane that is not there")
    return other[1]
