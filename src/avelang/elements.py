"""Arrays of any strides and dtypes come in, as views of a GPU's memory (`avelang.bridge.device_views`); kernels copy
them, fill them, count in them and add them up."""

# No `from __future__ import annotations`: the annotations of kernels name values of the functions around them.

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import avelang.language as al
from avelang.base.lazy import np
from avelang.bridge.dimensions import merged
from avelang.ir.dtypes import from_numpy
from avelang.jit import jit

THREADS = 256
RANK = 5  # dimensions of a launch; those before are launches of their own
WIDE = 8  # bytes that a thread moves at the most
UNIT = 16  # bytes at a multiple of which arguments of a GPU begin
HALVES = (128, 64, 32, 16, 8, 4, 2, 1)
FEW = 1 << 12  # with fewer sums than this each has a block, else a thread


# -- kernels -----------------------------------------------------------------------------------------------------------


@jit
def place(i: Any, extents: Any, steps: Any, S: Any):
    """The place of element i, counted in rows, by extents behind the first dimension and all strides."""
    found = al.convert(0, S)
    for d in range(len(extents), 0, -1):
        rest = i // extents[d - 1]
        found += al.convert(i - rest * extents[d - 1], S) * steps[d]
        i = rest
    return found + al.convert(i, S) * steps[0]


@jit
def converted(x: Any, FROM: Any, TO: Any):
    """A number in another dtype."""
    if FROM == TO:
        return x
    if FROM.is_float and TO.is_float and FROM.bytes < 4 and TO.bytes < 4:
        return al.convert(al.convert(x, al.f32), TO)
    return al.convert(x, TO)


def _kinds(rank: int, of: Any) -> tuple[Any, ...]:
    """The kinds of parameters for so many dimensions; the others are not there."""
    return tuple(of if d < rank else al.constexpr for d in range(RANK))


@functools.cache
def build_assign(source: al.DType, target: al.DType, how: str, rank: int, I: Any, S: Any) -> Any:
    """The kernel y = x, of a rank. how: "copy"; "truth", y says whether x is not 0; or "count", x is a number, and y =
    x + step * i. I, S: dtypes of numbers and of strides."""
    counts = how == "count"
    E, Y, X = _kinds(rank - 1, I), _kinds(rank, S), _kinds(0 if counts else rank, S)
    GIVEN: Any = source if counts else al.Pointer(source)
    STEP: Any = source if counts else al.constexpr

    @jit
    def assign(
        x: Annotated[Any, GIVEN], y: al.Pointer[target], count: Annotated[Any, I], x_first: Annotated[Any, S],
        y_first: Annotated[Any, S],
        x0: Annotated[Any, X[0]] = None, x1: Annotated[Any, X[1]] = None, x2: Annotated[Any, X[2]] = None,
        x3: Annotated[Any, X[3]] = None, x4: Annotated[Any, X[4]] = None,
        y0: Annotated[Any, Y[0]] = None, y1: Annotated[Any, Y[1]] = None, y2: Annotated[Any, Y[2]] = None,
        y3: Annotated[Any, Y[3]] = None, y4: Annotated[Any, Y[4]] = None,
        e1: Annotated[Any, E[0]] = None, e2: Annotated[Any, E[1]] = None, e3: Annotated[Any, E[2]] = None,
        e4: Annotated[Any, E[3]] = None, step: Annotated[Any, STEP] = None,
    ):  # fmt: skip
        i = al.convert(al.block_id(0), I) * THREADS + al.convert(al.thread_id(0), I)
        if i < count:
            extents = (e1, e2, e3, e4)[: rank - 1]
            if counts:
                value = x + step * al.convert(i, source)
            else:
                value = x[x_first + place(i, extents, (x0, x1, x2, x3, x4)[:rank], S)]
            made = al.convert(value != 0, target) if how == "truth" else converted(value, source, target)
            y[y_first + place(i, extents, (y0, y1, y2, y3, y4)[:rank], S)] = made

    return assign


@functools.cache
def build_sums(source: al.DType, target: al.DType, acc: al.DType, alone: bool, I: Any, S: Any) -> Any:
    """The kernel y[o] = the sum of x[o, i] over i: by a thread `alone`, or by a block, whose threads add every
    `THREADS`th term first."""

    @jit
    def sums(
        x: al.Pointer[source], y: al.Pointer[target], count: Annotated[Any, I], terms: Annotated[Any, I],
        first: Annotated[Any, S], along: Annotated[Any, S], step: Annotated[Any, S],
    ):  # fmt: skip
        thread, o = al.convert(al.thread_id(0), I), al.convert(al.block_id(0), I)
        o, begin = (o * THREADS + thread, al.convert(0, I)) if alone else (o, thread)
        total = al.convert(0, acc)
        if o < count:
            for i in al.range(begin, terms, 1 if alone else THREADS):
                total += al.convert(x[first + al.convert(o, S) * along + al.convert(i, S) * step], acc)
        if not alone:
            shared = al.make_shared((THREADS,), acc)
            shared[al.thread_id(0)] = total
            for half in HALVES:
                al.syncthreads()
                if al.thread_id(0) < half:
                    shared[al.thread_id(0)] = shared[al.thread_id(0)] + shared[al.thread_id(0) + half]
            al.syncthreads()
            total = shared[0]
        if o < count and (alone or thread == 0):
            y[o] = al.convert(total, target)

    return sums


# -- launches ----------------------------------------------------------------------------------------------------------


def _memory(x: Any) -> tuple[Any, int]:
    """A view's memory from its lowest address to its highest, as one dimension, and where in it the first element
    is."""
    steps = [s // x.itemsize for s in x.strides]
    down = -sum((n - 1) * s for n, s in zip(x.shape, steps, strict=True) if s < 0)
    span = down + 1 + sum((n - 1) * s for n, s in zip(x.shape, steps, strict=True) if s > 0)
    return type(x)(x.address - down * x.itemsize, (span,), x.dtype, x.device, None, x.room), down


def _reach(x: Any) -> tuple[Any, int]:
    """`_memory` for a launch: from a multiple of 16 bytes on, as GPUs take arguments; what is before is not read."""
    memory, first = _memory(x)
    more = memory.address % UNIT // x.itemsize
    at = memory.address - more * x.itemsize
    return type(x)(at, (memory.size + more,), x.dtype, x.device, None, x.room), first + more


def _lines(x: Any, part: slice = slice(None)) -> list[tuple[int, tuple[int, ...]]]:
    """Some dimensions of a view, merged."""
    return merged(x.shape[part], [[s // x.itemsize for s in x.strides[part]]])


def _parts(views: Sequence[Any], ordered: bool) -> Iterator[tuple[list[tuple[int, tuple[int, ...]]], list[int]]]:
    """The dimensions of a launch of views of one shape, as `merged` has them, `RANK` at the most, and by how many
    elements each view's first element is moved, for each of the launches. `ordered`: in any order that is fast."""
    count = len(views)
    groups = merged(views[0].shape, [[s // x.itemsize for s in x.strides] for x in views])
    if ordered and groups:
        # Elements that lie side by side in the last view come last: their accesses are made together.
        groups.sort(key=lambda g: -abs(g[1][-1]))
        groups = merged([n for n, _ in groups], list(zip(*(s for _, s in groups), strict=True)))
    groups = groups or [(1, (0,) * count)]
    apart, inner = groups[: max(0, len(groups) - RANK)], groups[max(0, len(groups) - RANK) :]
    for at in itertools.product(*(range(n) for n, _ in apart)):
        yield inner, [sum(i * s[v] for i, (_, s) in zip(at, apart, strict=True)) for v in range(count)]


def _numbers(*counts: int) -> tuple[Any, Any]:
    """Dtypes of numbers and of strides of a launch."""
    return (al.u32, al.i32) if max(counts) < 1 << 31 else (al.u64, al.i64)


def _options(x: Any) -> dict[str, Any]:
    return {"backend": "cpu"} if x.device == "cpu" else {}


def _as(x: Any, dtype: Any) -> Any:
    """The same memory, with elements of a dtype of the same size."""
    return type(x)(x.address, x.shape, np.dtype(dtype), x.device, x.strides, x.room)


def _wide(x: Any, y: Any) -> tuple[Any, Any]:
    """Two views of one dtype as views of integers, as wide as both allow."""
    size, shape = x.itemsize, x.shape
    x, y = (_as(v, f"u{size}") for v in (x, y))
    if not shape or {v.strides[-1] for v in (x, y)} != {size}:
        return x, y
    unit = math.gcd(WIDE, x.address, y.address, shape[-1] * size, *x.strides[:-1], *y.strides[:-1])
    if unit <= size:
        return x, y
    kind, row = np.dtype(f"u{unit}"), (*shape[:-1], shape[-1] * size // unit)
    one, two = (type(v)(v.address, row, kind, v.device, (*v.strides[:-1], unit), v.room) for v in (x, y))
    return one, two


def _launch(target: Any, source: Any, how: str, step: Any = None) -> None:
    """Runs the kernel for each part of a view. source: a view of the same shape; where `how` is "count", a number of
    dtype `number_of(target)`."""
    counts = how == "count"
    views, given = ((target,), number_of(target)) if counts else ((source, target), from_numpy(source.dtype))
    found = [_reach(x) for x in views]
    for groups, moved in _parts(views, not step):
        count = math.prod(n for n, _ in groups)
        numbers = _numbers(count + THREADS, *(x.size for x, _ in found))
        firsts = [first + more for (_, first), more in zip(found, moved, strict=True)]
        none = [None] * (RANK - len(groups))
        steps = [y for v in range(len(views)) for y in (*(s[v] for _, s in groups), *none)]
        extents = [n for n, _ in groups[1:]] + none
        if counts:
            arrays, firsts, steps = (source, found[0][0]), [0, *firsts], [None] * RANK + steps
        else:
            arrays = found[0][0], found[1][0]
        kernel = build_assign(given, from_numpy(target.dtype), how, len(groups), *numbers)
        kernel[-(-count // THREADS), THREADS](
            *arrays, count, *firsts, *steps, *extents, step, **_options(target)
        )


def number_of(target: Any) -> Any:
    """The dtype in which a view is counted in."""
    made = from_numpy(target.dtype)
    return al.u64 if made == al.u64 else al.i64 if target.dtype.kind in "iu" else al.f64 if made == al.f64 else al.f32


def assign(target: Any, source: Any) -> None:
    """target = source, of one shape, in the dtype of the target; where they share memory, as if through a copy."""
    if (source.address, source.strides, source.dtype) == (target.address, target.strides, target.dtype):
        return
    (begin, end), (first, last) = target.reach(), source.reach()
    if begin < last and first < end:
        source = source.copy()
    if source.dtype == target.dtype:
        source, target = _wide(source, target)
    how = "truth" if target.dtype.kind == "b" else "copy"
    source, target = (_as(v, "u1") if v.dtype.kind == "b" else v for v in (source, target))
    _launch(target, source, how)


def fill(target: Any, value: Any) -> None:
    """target = value, a number of Python or NumPy."""
    count(target, value, 0)


def count(target: Any, start: Any, step: Any) -> None:
    """target[i] = start + step * i, of elements counted in rows."""
    if target.dtype.kind == "b":
        target, start = _as(target, "u1"), bool(start)
    number = int if target.dtype.kind in "iu" else float
    _launch(target, number(start), "count", number(step))


def add_up(target: Any, source: Any, axes: tuple[int, ...]) -> None:
    """target = the sums of source along axes, which are 1 in the shape of target, a new array: in f32 (f64 of f64, i64
    of integers), in a fixed order."""
    kept = [i for i in range(source.ndim) if i not in axes]
    turned = source.transpose(*kept, *axes) if source.ndim else source
    outer, inner = slice(0, len(kept)), slice(len(kept), None)
    if 0 in turned.shape[inner]:
        fill(target, 0)
        return
    if max(len(_lines(turned, part)) for part in (outer, inner)) > 1:
        turned = turned.copy()
    if turned.dtype.kind == "b":
        turned = _as(turned, "u1")
    (sums, along), (terms, step) = (next(iter(_lines(turned, part)), (1, (0,))) for part in (outer, inner))
    made, to = from_numpy(turned.dtype), from_numpy(target.dtype)
    acc = al.f64 if to == al.f64 else al.f32 if to is not None and to.is_float else al.i64
    memory, first = _reach(turned)
    alone = sums >= FEW
    kernel = build_sums(made, to, acc, alone, *_numbers(sums * THREADS, terms + THREADS, memory.size))
    kernel[-(-sums // THREADS) if alone else sums, THREADS](
        memory, _memory(target)[0], sums, terms, first, along[0], step[0], **_options(target)
    )
