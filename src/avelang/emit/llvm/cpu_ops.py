"""One rule for each op of the IR: the op comes in, its text and the form of its result go out. Control flow is in
`cpu_if` and `cpu_loops`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from avelang.emit.llvm import arithmetic, cpu_check, cpu_cluster, cpu_lanes, cpu_lin, cpu_memory, cpu_waits
from avelang.emit.llvm.cpu_parts import address_of
from avelang.emit.llvm.cpu_values import (
    Aos,
    Bools,
    Elems,
    Lin,
    LocalMemory,
    Packed,
    Pending,
    Ptr,
    Rep,
    S,
    Scalar,
    StackVector,
    V,
    const,
    elem,
    lanes_of,
)
from avelang.emit.llvm.cpu_vectors import bitcast, elements, extract, insert
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.core import Block, Op, Value
from avelang.ir.dtypes import DType, bf16, f32, i64, u32
from avelang.ir.functions import FUNCTIONS
from avelang.ir.types import GLOBAL, LOCAL, SHARED, PtrType, TensorType, Type, VecType, dtype_of
from avelang.llvm.literals import literal

Rule = Callable[[WaveWriter, Op], "Rep | None"]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers the function as the rule of ops."""

    def add(f: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, f))
        return f

    return add


def _each(w: WaveWriter, op: Op, f: Callable[..., Scalar]) -> Rep:
    """Applies a rule on scalar forms to scalars, or to vectors element by element; a scalar operand goes with every
    element."""
    t = op.result.type
    if not isinstance(t, VecType):
        return f(*(w.scalar(v) for v in op.operands))
    columns = []
    for v in op.operands:
        items = elements(w, w.env[v], v.type)
        columns.append(items if isinstance(v.type, VecType) else items * t.n)
    return Elems(tuple(f(*xs) for xs in zip(*columns, strict=True)))


# -- constants and arithmetic ------------------------------------------------------------------------------------------


def constant(value: float, d: DType) -> S:
    """The form of a number of a dtype."""
    return const(int(value), d.bits) if d.is_int else S(literal(value, d))


@rule("const")
def _const(w: WaveWriter, op: Op) -> Rep:
    t, value = op.result.type, op.attrs["value"]
    d = dtype_of(t)
    if not isinstance(t, VecType):
        return constant(value, d)
    return Elems(tuple(constant(x, d) for x in (value if isinstance(value, tuple) else (value,) * t.n)))


def _binary(w: WaveWriter, name: str, d: DType, a: Scalar, b: Scalar) -> Scalar:
    if d.is_int:
        out = cpu_lin.binary(w, name, d, a, b)
        if out is not None:
            return out
        if name in ("shl", "shr") and isinstance(b, S) and b.const is not None and 0 <= b.const < d.bits:
            return _shift(w, name, d, a, b)
    if isinstance(a, Bools) and isinstance(b, Bools):
        return Bools({"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[name](a.lanes, b.lanes))
    wide = not (isinstance(a, S) and isinstance(b, S))
    out = w.made(arithmetic.arith(w, name, d, wide, w.text(a, d, wide), w.text(b, d, wide)), wide)
    return _with_zeros(name, d, out, a, b) if d.is_int else out


def _shift(w: WaveWriter, name: str, d: DType, a: Scalar, b: S) -> Scalar:
    """A shift by a constant within the width is one instruction."""
    wide = not isinstance(a, S)
    how = "shl" if name == "shl" else "ashr" if d.kind == "int" else "lshr"
    text = w.op(f"{how} {w.t(elem(d), wide)} {w.text(a, d, wide)}, {w.splat(b.text, elem(d)) if wide else b.text}")
    return (
        S(text, max(0, min(d.bits, a.tz + (b.const or 0) * (1 if name == "shl" else -1))))
        if isinstance(a, S)
        else V(text)
    )


def _with_zeros(name: str, d: DType, out: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """A scalar result with the low bits that are known to be zero."""
    if not isinstance(out, S) or not isinstance(a, S) or not isinstance(b, S):
        return out
    tz = {"and": max(a.tz, b.tz), "or": min(a.tz, b.tz), "xor": min(a.tz, b.tz), "sub": min(a.tz, b.tz)}.get(name, 0)
    return S(out.text, tz)


@rule("add", "sub", "mul", "div", "rem", "floordiv", "mod", "and", "or", "xor", "shl", "shr", "min", "max")
def _on_binary(w: WaveWriter, op: Op) -> Rep:
    d = dtype_of(op.result.type)
    return _each(w, op, lambda a, b: _binary(w, op.name, d, a, b))


@rule("not", "neg", *FUNCTIONS)
def _on_unary(w: WaveWriter, op: Op) -> Rep:
    d = dtype_of(op.result.type)

    def one(x: Scalar) -> Scalar:
        if isinstance(x, Bools):
            return Bools(~x.lanes)
        if isinstance(x, Lin) and op.name in ("neg", "not"):
            minus = cpu_lin.negate(w, x)
            return minus if op.name == "neg" else _binary(w, "add", d, minus, const(-1, d.bits))
        wide = not isinstance(x, S)
        return w.made(arithmetic.arith(w, op.name, d, wide, w.text(x, d, wide)), wide)

    return _each(w, op, one)


@rule("fma")
def _fma(w: WaveWriter, op: Op) -> Rep:
    d = dtype_of(op.result.type)

    def one(*xs: Scalar) -> Scalar:
        if d.is_int:
            return _binary(w, "add", d, _binary(w, "mul", d, xs[0], xs[1]), xs[2])
        wide = not all(isinstance(x, S) for x in xs)
        return w.made(arithmetic.arith(w, "fma", d, wide, *(w.text(x, d, wide) for x in xs)), wide)

    return _each(w, op, one)


@rule("cmp")
def _cmp(w: WaveWriter, op: Op) -> Rep:
    d, pred = dtype_of(op.operands[0].type), op.attrs["pred"]

    def one(a: Scalar, b: Scalar) -> Scalar:
        x, y = (cpu_lin.as_lin(w, v, d.bits) if d.is_int else None for v in (a, b))
        if (
            x is not None
            and y is not None
            and x.is_const
            and y.is_const
            and not (isinstance(a, S) and isinstance(b, S))
        ):
            return cpu_lin.compare(pred, x, y, d)
        wide = not (isinstance(a, S) and isinstance(b, S))
        return w.made(arithmetic.compare(w, pred, d, wide, w.text(a, d, wide), w.text(b, d, wide)), wide)

    return _each(w, op, one)


@rule("select")
def _select(w: WaveWriter, op: Op) -> Rep:
    t = op.result.type
    if isinstance(t, PtrType):
        a, b = (address_of(w, p) for p in (w.env[v] for v in op.operands[1:]) if isinstance(p, Ptr))
        return Ptr(t.space, "%scratch" if t.space == SHARED else "", _choose(w, i64, w.scalar(op.operands[0]), a, b))
    d = dtype_of(t)
    return _each(w, op, lambda c, a, b: _choose(w, d, c, a, b))


def _choose(w: WaveWriter, d: DType, c: Scalar, a: Scalar, b: Scalar) -> Scalar:
    x, y = (cpu_lin.as_lin(w, v, d.bits) if d.is_int else None for v in (a, b))
    if isinstance(c, Bools) and x is not None and y is not None and x.is_const and y.is_const:
        return cpu_lin.normal(lanes_of(np.where(c.lanes, x.k, y.k), d.bits))
    wide = not (isinstance(c, S) and isinstance(a, S) and isinstance(b, S))
    t, which = w.t(elem(d), wide), "i1" if isinstance(c, S) else w.t("i1")
    cond = c.text if isinstance(c, S) else w.vec(c, DType("u1", "bool", 1))
    out = w.op(f"select {which} {cond}, {t} {w.text(a, d, wide)}, {t} {w.text(b, d, wide)}")
    return S(out, min(a.tz, b.tz)) if isinstance(a, S) and isinstance(b, S) and not wide else w.made(out, wide)


@rule("convert")
def _convert(w: WaveWriter, op: Op) -> Rep:
    src, dst = dtype_of(op.operands[0].type), dtype_of(op.result.type)

    def one(x: Scalar) -> Scalar:
        if src == dst:
            return x
        if isinstance(x, Bools) and dst.is_int:
            return cpu_lin.normal(lanes_of(x.lanes.astype(np.int64), dst.bits))
        if src.is_int and dst.is_int and (isinstance(x, Lin) or (isinstance(x, S) and x.const is not None)):
            lin = cpu_lin.as_lin(w, x, src.bits)
            out = cpu_lin.convert(w, lin, src, dst) if lin is not None else None
            if out is not None:
                return out
        wide = not isinstance(x, S)
        if wide and src == f32 and dst == bf16 and w.narrows:
            name, own = f"narrowed.{dst}.{w.W}", "%x"
            make = functools.partial(arithmetic.convert, w, src, dst, True, own)
            return V(w.outlined(name, w.t("i16"), w.t("float"), w.vec(x, src), make))
        text = arithmetic.convert(w, src, dst, wide, w.text(x, src, wide))
        return S(text, min(x.tz, dst.bits) if src.is_int and dst.is_int else 0) if isinstance(x, S) else V(text)

    return _each(w, op, one)


# -- vectors -----------------------------------------------------------------------------------------------------------


@rule("bitcast")
def _bitcast(w: WaveWriter, op: Op) -> Rep:
    return bitcast(w, w.env[op.operands[0]], op.operands[0].type, op.result.type)


@rule("vec")
def _vec(w: WaveWriter, op: Op) -> Rep:
    return Elems(tuple(w.scalar(v) for v in op.operands))


def _vector(v: Value) -> VecType:
    assert isinstance(v.type, VecType)
    return v.type


@rule("extract")
def _extract(w: WaveWriter, op: Op) -> Rep:
    v = op.operands[0]
    if "index" in op.attrs:
        return extract(w, w.env[v], _vector(v), op.attrs["index"], u32)
    return extract(w, w.env[v], _vector(v), w.scalar(op.operands[1]), dtype_of(op.operands[1].type))


@rule("insert")
def _insert(w: WaveWriter, op: Op) -> Rep:
    v, item = op.operands[:2]
    index: int | Scalar = op.attrs["index"] if "index" in op.attrs else w.scalar(op.operands[2])
    d = u32 if "index" in op.attrs else dtype_of(op.operands[2].type)
    return insert(w, w.env[v], _vector(v), w.scalar(item), index, d, w.dies(v))


@rule("slice")
def _slice(w: WaveWriter, op: Op) -> Rep:
    rep, start, n = w.env[op.operands[0]], op.attrs["start"], _vector(op.result).n
    if isinstance(rep, Aos):
        return Aos(rep.bits, rep.n, rep.start + start, n, rep.chunks, rep.lanes)
    if isinstance(rep, Packed):
        bits = _vector(op.result).dtype.bits
        if start * bits % 32 == 0 and n * bits % 32 == 0:
            return Packed(rep.words[start * bits // 32 : (start + n) * bits // 32])
    if isinstance(rep, StackVector):
        return Elems(tuple(extract(w, rep, _vector(op.operands[0]), i, u32) for i in range(start, start + n)))
    return Elems(elements(w, rep, op.operands[0].type)[start : start + n])


# -- where we are ------------------------------------------------------------------------------------------------------

_AXES = "xyz"


@rule("block_id")
def _block_id(w: WaveWriter, op: Op) -> Rep:
    return S(f"%block.{_AXES[op.attrs['dim']]}")


@rule("grid_dim")
def _grid_dim(w: WaveWriter, op: Op) -> Rep:
    place = w.op(f"getelementptr i32, ptr %grid, i64 {op.attrs['dim']}")
    return S(w.op(f"load i32, ptr {place}, align 4"))


@rule("block_dim")
def _block_dim(w: WaveWriter, op: Op) -> Rep:
    return const(w.block[op.attrs["dim"]], 32)


@rule("thread_id")
def _thread_id(w: WaveWriter, op: Op) -> Rep:
    return cpu_lanes.thread_id(w, op.attrs["dim"])


@rule("lane_id")
def _lane_id(w: WaveWriter, op: Op) -> Rep:
    return cpu_lanes.lane_id(w)


RULES.update(
    shuffle=cpu_lanes.emit_shuffle,
    ballot=cpu_lanes.emit_ballot,
    printf=cpu_lanes.emit_printf,
    atomic_add=cpu_lanes.emit_atomic_add,
    atomic=cpu_lanes.emit_atomic,
    fence=cpu_lanes.emit_fence,
    barrier=cpu_waits.emit_barrier,
    pause=cpu_waits.emit_pause,
    cluster_arrive=cpu_cluster.emit_arrive,
    cluster_wait=cpu_cluster.emit_wait,
    check=cpu_check.emit_check,
)


# -- memory ------------------------------------------------------------------------------------------------------------


def size_of(t: TensorType) -> int:
    """Bytes from the first to behind the last element of a static layout."""
    last = sum((extent or 0) * (stride or 0) - (stride or 0) for extent, stride in zip(t.shape, t.strides, strict=True))
    return (last + 1) * t.dtype.bytes


def shared_plan(ops: Iterable[Op]) -> tuple[dict[Value, int], int]:
    """The offset of each shared `alloc` in the block's memory, and its size. Offsets are multiples of 64 at least."""
    offsets, end = {}, 0
    for op in ops:
        t = op.result.type if op.name == "alloc" else None
        if isinstance(t, TensorType) and t.space == SHARED:
            align = max(64, op.attrs.get("align") or 0)
            offsets[op.result] = -(-end // align) * align
            end = offsets[op.result] + size_of(t)
    return offsets, -(-end // 64) * 64


def root_of(v: Value) -> Value | None:
    """The local tensor into which a pointer points."""
    while v.op is not None and v.op.name in ("ptr_add", "base"):
        v = v.op.operands[0]
    return v


def _known(op: Op, i: int) -> Any:
    made = op.operands[i].op
    return made.attrs["value"] if made is not None and made.name == "const" else None


def _unit(op: Op, ptr: Value, value: Value) -> int:
    """Bytes of the widest word of which an access of local memory reaches whole ones: of its elements, or 4 where these
    are narrower and it begins and ends at multiples of 4."""
    t, place = value.type, _known(op, 1 if op.name == "ld" else 2)
    d = dtype_of(t)
    aligned = op.attrs["align"] % 4 == 0 or (isinstance(place, int) and place % 4 == 0 and _aligned(ptr))
    return 4 if d.bits in (8, 16) and isinstance(t, VecType) and t.bits % 32 == 0 and aligned else d.bytes


def _aligned(ptr: Value) -> bool:
    """True where a pointer is known to be a multiple of 4 bytes from the beginning of its tensor."""
    while ptr.op is not None and ptr.op.name in ("ptr_add", "base"):
        step = _known(ptr.op, 1) if ptr.op.name == "ptr_add" else 0
        if not isinstance(step, int) or step % 4:
            return False
        ptr = ptr.op.operands[0]
    return True


def stored_whole(ops: Iterable[Op]) -> set[Value]:
    """Values that are stored to global or shared memory as they are: they may stay as lanes have them there."""
    return {op.operands[0] for op in ops if op.name == "st" and _space(op.operands[1]) != LOCAL}


def local_words(ops: Iterable[Op]) -> dict[Value, int]:
    """Bytes of the words of each local tensor: as narrow as the narrowest word by which it is accessed."""
    out: dict[Value, int] = {}
    for op in ops:
        if op.name in ("ld", "st"):
            ptr, value = (op.operands[0], op.result) if op.name == "ld" else (op.operands[1], op.operands[0])
            root = root_of(ptr) if isinstance(ptr.type, PtrType) and ptr.type.space == LOCAL else None
            if root is not None:
                out[root] = min(out.get(root, 8), _unit(op, ptr, value))
    return out


@rule("alloc")
def _alloc(w: WaveWriter, op: Op) -> None:
    t = op.result.type
    assert isinstance(t, TensorType)
    if t.space == SHARED:
        w.env[op.result] = Ptr(SHARED, "%scratch", const(w.shared[op.result], 64))
        return
    word = w.words.get(op.result, t.dtype.bytes)
    words = -(-size_of(t) // word)
    ptr = w.body.alloca(f"[{words * w.W} x i{word * 8}]")
    w.env[op.result] = Ptr(LOCAL, LocalMemory(ptr, word, words), const(0, 64))


@rule("base")
def _base(w: WaveWriter, op: Op) -> Rep:
    return w.env[op.operands[0]]


def _pointer(w: WaveWriter, v: Value) -> Ptr:
    rep = w.env[v]
    assert isinstance(rep, Ptr)
    return rep


@rule("ptr_add")
def _ptr_add(w: WaveWriter, op: Op) -> Rep:
    p = _pointer(w, op.operands[0])
    return Ptr(p.space, p.base, cpu_lin.add64(w, p.off, w.scalar(op.operands[1])))


@rule("ptr_int")
def _ptr_int(w: WaveWriter, op: Op) -> Rep:
    return address_of(w, _pointer(w, op.operands[0]))


@rule("shared_base")
def _shared_base(w: WaveWriter, op: Op) -> Rep:
    return Ptr(SHARED, "%scratch", const(0, 64))


@rule("shared_peer")
def _shared_peer(w: WaveWriter, op: Op) -> Rep:
    p, rank = _pointer(w, op.operands[0]), w.scalar(op.operands[1])
    away = cpu_lin.add64(w, _binary(w, "mul", i64, rank, const(w.block_bytes, 64)), w.first_block)
    return Ptr(SHARED, p.base, cpu_lin.add64(w, p.off, away))


@rule("map_word")
def _map_word(w: WaveWriter, op: Op) -> Rep:
    place = w.op(f"getelementptr i64, ptr {w.maps[op.operands[0]]}, i64 {op.attrs['index']}")
    return S(w.op(f"load i64, ptr {place}, align 8"))


@rule("int_ptr")
def _int_ptr(w: WaveWriter, op: Op) -> Rep:
    return Ptr("global", "", w.scalar(op.operands[0]))


def copies(block: Block, uses: dict[Value, int]) -> set[Value]:
    """Loads that may wait for the store that is their only use: nothing between the two writes, waits or branches, and
    they are in different spaces, so that the copy cannot overlap itself."""
    out: set[Value] = set()
    waiting: set[Value] = set()
    for op in block.ops:
        if op.name == "ld" and isinstance(op.result.type, VecType) and uses.get(op.result) == 1:
            waiting.add(op.result)
        elif op.name == "st" and op.operands[0] in waiting:
            source = op.operands[0].op
            assert source is not None
            if {_space(source.operands[0]), _space(op.operands[1])} == {GLOBAL, SHARED}:
                out.add(op.operands[0])
        if not _only_checks(op):
            waiting.clear()
        for region in op.regions:
            out |= copies(region, uses)
    return out


def _only_checks(op: Op) -> bool:
    """True for an op that writes nothing and goes on behind itself, or does not go on at all."""
    if op.name == "if":
        return all(_only_checks(inner) for region in op.regions for inner in region.ops)
    return op.name == "check" or not (op.regions or op.defn.effects - {"read"})


def _space(ptr: Value) -> str:
    assert isinstance(ptr.type, PtrType)
    return ptr.type.space


@rule("ld")
def _ld(w: WaveWriter, op: Op) -> Rep:
    p, off, align = _pointer(w, op.operands[0]), w.scalar(op.operands[1]), op.attrs["align"]
    if op.result in w.copies and w.mask is None:
        return Pending(p, off, align)
    if op.result in w.in_place and w.mask is None:
        found = cpu_memory.local_vector(w, p, off, op.result.type)
        if found is not None:
            return found
    return cpu_memory.load(w, p, off, op.result.type, align, op.result not in w.whole)


@rule("st")
def _st(w: WaveWriter, op: Op) -> None:
    value, ptr, off = op.operands
    rep, p, at, align = w.env[value], _pointer(w, ptr), w.scalar(off), op.attrs["align"]
    if isinstance(rep, Pending):
        if cpu_memory.copy(w, rep, p, at, value.type):
            return
        rep = cpu_memory.load(w, rep.ptr, rep.off, value.type, rep.align)
    cpu_memory.store(w, rep, value.type, p, at, align)


def type_of(t: Type) -> str:
    """The LLVM type in which a kernel parameter is read."""
    return elem(t) if isinstance(t, DType) else "ptr"
