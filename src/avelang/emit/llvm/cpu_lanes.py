"""Ops between lanes, and what a lane is: thread_id, lane_id, shuffle, ballot, printf, atomics."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from avelang.emit.llvm import cpu_lin
from avelang.emit.llvm.arithmetic import arith, atomic, convert
from avelang.emit.llvm.cpu_values import Elems, Lin, Ptr, Rep, S, Scalar, V, const, elem, lanes_of
from avelang.emit.llvm.cpu_vectors import elements, from_integer, integer, shuffle
from avelang.emit.llvm.cpu_wave import ZERO, WaveWriter
from avelang.ir.core import Op
from avelang.ir.dtypes import DType, f64, i64, u32, word_of
from avelang.ir.types import Type, VecType, dtype_of
from avelang.llvm.narrow_floats import Bits


def lane_id(w: WaveWriter) -> Scalar:
    """The lane's number: a linear form without a scalar."""
    return lanes_of(list(range(w.W)), 32)


def linear_id(w: WaveWriter) -> Lin:
    """The linear thread id: wave * W + lane."""
    first = cpu_lin.scalar_mul(w, 32, w.wave, const(w.W, 32))
    total = cpu_lin.add(w, _lin(w, first), _lin(w, lane_id(w)))
    assert total is not None
    return _lin(w, total)


def _lin(w: WaveWriter, x: Scalar) -> Lin:
    out = cpu_lin.as_lin(w, x, 32)
    assert out is not None
    return out


def thread_id(w: WaveWriter, dim: int) -> Scalar:
    """The coordinate of each lane's thread. Only the extents below `dim` and its own matter; the last needs no
    remainder."""
    bx, by, _ = w.block
    below, extent = (1, bx * by)[dim // 2] if dim != 1 else bx, w.block[dim]
    t: Scalar = cpu_lin.normal(linear_id(w))
    if below > 1:
        t = int_op(w, "div", t, const(below, 32))
    return t if below * extent >= w.threads else int_op(w, "rem", t, const(extent, 32))


def int_op(w: WaveWriter, name: str, a: Scalar, b: Scalar) -> Scalar:
    """An op on u32 forms."""
    out = cpu_lin.binary(w, name, u32, a, b)
    if out is not None:
        return out
    wide = not (isinstance(a, S) and isinstance(b, S))
    return w.made(arith(w, name, u32, wide, w.text(a, u32, wide), w.text(b, u32, wide)), wide)


# -- shuffles ----------------------------------------------------------------------------------------------------------


def emit_shuffle(w: WaveWriter, op: Op) -> Rep:
    """The value of another lane of the same segment; a lane's own where that is outside."""
    rep, offset, d = w.env[op.operands[0]], w.scalar(op.operands[1]), dtype_of(op.operands[1].type)
    t = op.operands[0].type
    items = elements(w, rep, t)
    if all(isinstance(x, S) for x in items):
        return rep
    known = _known_source(w, op.attrs["kind"], op.attrs["width"], offset, d)
    e = dtype_of(t)
    if known is not None:
        out = tuple(V(shuffle(w, elem(e), w.W, w.vec(x, e), None, known)) for x in items)
    else:
        source = _source(w, op.attrs["kind"], op.attrs["width"], w.vec(offset, d), d)
        out = tuple(_permute(w, x, e, source) for x in items)
    return Elems(out) if isinstance(t, VecType) else out[0]


def _known_source(w: WaveWriter, kind: str, width: int, offset: Scalar, d: DType) -> list[int] | None:
    lin = cpu_lin.as_lin(w, offset, d.bits)
    if lin is None or not lin.is_const:
        return None
    out = []
    for lane, n in enumerate(cpu_lin.numbers(lin, d)):
        own = lane % width
        to = {"idx": n, "up": own - n, "down": own + n, "xor": own ^ n}[kind]
        out.append(lane - own + to if 0 <= to < min(width, w.W) else lane)
    return out


def _source(w: WaveWriter, kind: str, width: int, offset: str, d: DType) -> str:
    """i64: the lane from which each lane takes the value."""
    b = Bits(w, True, 64)
    how = "sext" if d.kind == "int" else "zext"
    n = offset if d.bits == 64 else w.op(f"{how} {w.t(f'i{d.bits}')} {offset} to {b.t}")
    lane = w.const_vector(np.arange(w.W), "i64")
    own, first = (w.const_vector(x, "i64") for x in (np.arange(w.W) % width, np.arange(w.W) // width * width))
    to = n if kind == "idx" else b({"up": "sub", "down": "add", "xor": "xor"}[kind], own, n)
    return b.select(b.cmp("ult", to, min(width, w.W)), b("add", first, to), lane)


def _permute(w: WaveWriter, x: Scalar, d: DType, source: str) -> Scalar:
    """x[source], through memory; narrow elements are widened to what x86 gathers."""
    if isinstance(x, S):
        return x
    bits = max(32, d.bits)
    narrow, wide = w.t(f"i{d.bits}"), w.t(f"i{bits}")
    text = integer(w, x, d, True)
    text = w.op(f"zext {narrow} {text} to {wide}") if bits != d.bits else text
    slot = w.new_slot(VecType(word_of(bits), 1))
    w.do(f"store {wide} {text}, ptr {slot.ptr}, align 64")
    pointers = w.op(f"getelementptr i{bits}, ptr {slot.ptr}, {w.t('i64')} {source}")
    name = w.module.declare(f"llvm.masked.gather.v{w.W}i{bits}.v{w.W}p0", wide, [w.t("ptr"), w.t("i1"), wide])
    got = w.op(
        f"call {wide} {name}({w.t('ptr')} align {bits // 8} {pointers}, {w.t('i1')} splat (i1 true), {wide} {ZERO})"
    )
    return from_integer(w, w.op(f"trunc {wide} {got} to {narrow}") if bits != d.bits else got, d, True)


def emit_ballot(w: WaveWriter, op: Op) -> Rep:
    """u64: a bit for each active lane where the condition holds."""
    mask = w.narrow(w.mask, w.scalar(op.operands[0]))
    if mask is None or isinstance(mask, np.ndarray):
        lanes = np.ones(w.W, bool) if mask is None else mask
        return const(sum(1 << i for i in range(w.W) if lanes[i]), 64)
    word = w.op(f"bitcast {w.t('i1')} {mask} to i{w.W}")
    return S(word if w.W == 64 else w.op(f"zext i{w.W} {word} to i64"))


# -- one lane after another --------------------------------------------------------------------------------------------


def _bits(w: WaveWriter) -> str:
    """The active lanes as an integer of W bits."""
    if w.mask is None:
        return "-1"
    if isinstance(w.mask, np.ndarray):
        return str(sum(1 << i for i in range(w.W) if w.mask[i]))
    return w.op(f"bitcast {w.t('i1')} {w.mask} to i{w.W}")


class EachLane:
    """A loop over the active lanes, lowest first: `with EachLane(w) as lane:` emits its body; `lane` is an i64."""

    def __init__(self, w: WaveWriter):
        self.w = w

    def __enter__(self) -> str:
        w, body = self.w, self.w.body
        self.head, self.done = body.fresh("lane"), body.fresh("lanes.done")
        bits, before = _bits(w), body.label
        t = f"i{w.W}"
        any_ = w.op(f"icmp ne {t} {bits}, 0")
        body.do(f"br i1 {any_}, label %{self.head}, label %{self.done}")
        body.start(self.head)
        self.at, self.phi = len(body.lines), "%" + body.fresh("rest")
        body.lines.append("")
        self.first = f"  {self.phi} = phi {t} [ {bits}, %{before} ]"
        lane = w.call(f"llvm.cttz.{t}", t, (t, self.phi), ("i1", "true"))
        self.region = w.region(w.here, w.mask)
        self.region.__enter__()
        return lane if w.W == 64 else w.op(f"zext {t} {lane} to i64")

    def __exit__(self, *exc: object) -> None:
        w, body, t = self.w, self.w.body, f"i{self.w.W}"
        self.region.__exit__(None, None, None)
        rest = w.op(f"and {t} {self.phi}, {w.op(f'sub {t} {self.phi}, 1')}")
        more = w.op(f"icmp ne {t} {rest}, 0")
        body.lines[self.at] = f"{self.first}, [ {rest}, %{body.label} ]"
        body.do(f"br i1 {more}, label %{self.head}, label %{self.done}")
        body.start(self.done)


_CONVERSION = re.compile(r"%([-+ #0]*\d*(?:\.\d+)?)(?:hh|h|ll|l|j|z|t|L)?([diouxXcsfFeEgGaAp%])")


def emit_printf(w: WaveWriter, op: Op) -> None:
    """C's printf for each active lane. Length modifiers follow the arguments' types, whatever the format says."""
    types = [dtype_of(v.type) for v in op.operands]
    pending = iter(types)

    def spelled(m: re.Match[str]) -> str:
        if m[2] == "%":
            return m[0]
        d = next(pending, None)
        return f"%{m[1]}{'ll' if d is not None and d.bits == 64 and m[2] in 'diouxX' else ''}{m[2]}"

    data = _CONVERSION.sub(spelled, op.attrs["format"]).encode() + b"\0"
    text = w.module.constant(f"[{len(data)} x i8]", 'c"' + "".join(f"\\{x:02X}" for x in data) + '"', 1)
    w.module.declare("printf", "i32", ["ptr", "..."])
    passed = []
    for v, d in zip(op.operands, types, strict=True):
        rep = w.scalar(v)
        wide = not isinstance(rep, S)
        to = (
            f64
            if d.is_float
            else DType("i64" if d.bits == 64 else "i32", d.kind if d.is_int else "uint", max(32, d.bits))
        )
        source = DType("u1", "uint", 1) if d.bits == 1 else d
        passed.append((wide, to, convert(w, source, to, wide, w.text(rep, d, wide))))
    with EachLane(w) as lane:
        args = []
        for wide, to, x in passed:
            args.append(f"{elem(to)} " + (w.op(f"extractelement {w.t(elem(to))} {x}, i64 {lane}") if wide else x))
        w.op(f"call i32 (ptr, ...) @printf({', '.join([f'ptr {text}', *args])})")


def emit_atomic_add(w: WaveWriter, op: Op) -> Rep:
    """Each active lane adds in turn; integers and floats by one instruction or by compare and exchange, pairs of halves
    as one word."""
    return _each_lane(w, op, lambda t, d, word, place, args: _add_one(w, t, d, word, place, args))


def emit_atomic(w: WaveWriter, op: Op) -> Rep:
    """The same for the other kinds."""
    kind = op.attrs["kind"]
    if dtype_of(op.result.type).is_float:
        return _each_lane(w, op, lambda t, d, word, place, args: _update_one(w, kind, d, word, place, args))

    def one(t: Type, d: DType, word: str, place: str, args: list[str]) -> list[str]:
        got = w.op(atomic(kind, d, f"ptr {place}", args, order="acq_rel"))
        return [w.op(f"extractvalue {{ {word}, i1 }} {got}, 0") if kind == "cas" else got]

    return _each_lane(w, op, one)


def emit_fence(w: WaveWriter, op: Op) -> None:
    """Whatever its scope: a fence of this machine."""
    w.do("fence acq_rel")


def _each_lane(w: WaveWriter, op: Op, one: Callable[[Type, DType, str, str, list[str]], list[str]]) -> Rep:
    """`one(type, dtype, word, place, values)` for each active lane in turn: it gives what stood there, element by
    element."""
    *values, ptr, off = op.operands
    t, p = values[0].type, w.env[ptr]
    assert isinstance(p, Ptr) and isinstance(p.base, str)
    d, n = dtype_of(t), t.n if isinstance(t, VecType) else 1
    total = cpu_lin.add64(w, p.off, w.scalar(off))
    word = f"i{d.bits * n}"
    items = [w.vec(x, d) for value in values for x in elements(w, w.env[value], t)]
    offsets = w.vec(total, i64)
    out = [w.body.alloca(w.t(elem(d))) for _ in range(n)]
    for place in out:
        w.do(f"store {w.t(elem(d))} {ZERO}, ptr {place}, align 64")
    with EachLane(w) as lane:
        at = w.op(f"extractelement {w.t('i64')} {offsets}, i64 {lane}")
        place = w.op(f"getelementptr i8, ptr {p.base}, i64 {at}") if p.base else w.op(f"inttoptr i64 {at} to ptr")
        args = [w.op(f"extractelement {w.t(elem(d))} {x}, i64 {lane}") for x in items]
        old = one(t, d, word, place, args)
        for x, slot in zip(old, out, strict=True):
            w.do(
                f"store {elem(d)} {x}, ptr {w.op(f'getelementptr {elem(d)}, ptr {slot}, i64 {lane}')}, align "
                f"{max(1, d.bytes)}"
            )
    got = tuple(V(w.op(f"load {w.t(elem(d))}, ptr {slot}, align 64")) for slot in out)
    return Elems(got) if isinstance(t, VecType) else got[0]


def _add_one(w: WaveWriter, t: Type, d: DType, word: str, place: str, adds: list[str]) -> list[str]:
    """One lane's atomic addition; what stood there before."""
    if len(adds) == 1 and (d.is_int or d.bits >= 32):
        return [
            w.op(f"atomicrmw {'add' if d.is_int else 'fadd'} ptr {place}, {elem(d)} {adds[0]} acq_rel, align {d.bytes}")
        ]
    return _update_one(w, "add", d, word, place, adds)


def _update_one(w: WaveWriter, kind: str, d: DType, word: str, place: str, adds: list[str]) -> list[str]:
    """One lane's update by compare and exchange, of one number or a word of several."""
    body, size = w.body, d.bits * len(adds) // 8
    first = w.op(f"load atomic {word}, ptr {place} monotonic, align {size}")
    before, head, done = body.label, body.fresh("try"), body.fresh("added")
    body.do(f"br label %{head}")
    body.start(head)
    now, line = "%" + body.fresh("now"), len(body.lines)
    body.lines.append("")
    olds, total = [], "0"
    for i, x in enumerate(adds):
        part = w.op(f"lshr {word} {now}, {i * d.bits}") if i else now
        part = w.op(f"trunc {word} {part} to i{d.bits}") if len(adds) > 1 else part
        olds.append(part)
        old = from_integer(w, part, d, False)
        assert isinstance(old, S)
        new = S(arith(w, kind, d, False, old.text, x))
        bits = integer(w, new, d, False)
        bits = w.op(f"zext i{d.bits} {bits} to {word}") if len(adds) > 1 else bits
        total = w.op(f"or {word} {total}, {w.op(f'shl {word} {bits}, {i * d.bits}')}")
    pair = w.op(f"cmpxchg ptr {place}, {word} {now}, {word} {total} acq_rel monotonic, align {size}")
    seen, ok = (w.op(f"extractvalue {{ {word}, i1 }} {pair}, {i}") for i in (0, 1))
    body.lines[line] = f"  {now} = phi {word} [ {first}, %{before} ], [ {seen}, %{body.label} ]"
    body.do(f"br i1 {ok}, label %{done}, label %{head}")
    body.start(done)
    forms = [from_integer(w, x, d, False) for x in olds]
    return [x.text for x in forms if isinstance(x, S)]
