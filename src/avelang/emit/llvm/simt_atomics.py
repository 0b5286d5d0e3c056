"""Atomic operations and fences of the IR for GPUs: what a target has as an instruction it writes itself
(`GpuTarget.atomic`); anything else becomes a loop of compare-and-swap here."""

from __future__ import annotations

import copy

from avelang.emit.llvm import simt_memory
from avelang.emit.llvm.arithmetic import arith
from avelang.emit.llvm.simt import Simt
from avelang.ir.core import Op
from avelang.ir.ops import bits_of
from avelang.ir.types import SHARED, AtomicScope, PtrType, VecType, dtype_of

ORDERS = ("monotonic", "acquire", "release", "acq_rel")  # LLVM's names, by the numbers of `order`


def order_of(op: Op) -> int:
    """The order of an atomic op or a fence: bit 0 acquires, bit 1 releases."""
    return op.attrs.get("order", 0)


def scope_of(w: Simt, op: Op) -> int:
    """The scope. Where there are no clusters, a block is one by itself."""
    scope = op.attrs.get("scope", AtomicScope.AGENT)
    clusters = bool({"sm_90", "sm_100a"} & w.target.chip.features)
    return AtomicScope.WORKGROUP if scope == AtomicScope.CLUSTER and not clusters else scope


def kind_of(op: Op) -> str:
    """The kind of update: "add", or a kind of `atomic`."""
    return op.attrs.get("kind", "add")


def emit_atomic(w: Simt, op: Op) -> str:
    """The instruction, or the loop; what stood there before."""
    place, offset = op.operands[-2:]
    at = simt_memory.at(w, place, offset)
    if (left := w.target.release(w, _reach(w, op), order_of(op))) != order_of(op):
        op = copy.copy(op)
        op.attrs = {**op.attrs, "order": left}
    got = w.target.atomic(w, op, at)
    return _loop(w, op, at) if got is None else got


def _loop(w: Simt, op: Op, pointer: str) -> str:
    """Loads the word, and swaps what is made of it in, until nobody has come between."""
    value, t = op.operands[0], op.result.type
    d, body, at = dtype_of(t), w.body, f"{w.type(op.operands[-2].type)} {pointer}"
    word, own = f"i{bits_of(t)}", w.type(t)
    end = f"{w.target.scope(scope_of(w, op))}"
    align = f", align {bits_of(t) // 8}"
    first = w.op(f"load atomic {word}, {at}{end} monotonic{align}")
    before, head, done = body.label, body.fresh("try"), body.fresh("swapped")
    w.do(f"br label %{head}")
    body.start(head)
    now, line = "%" + body.fresh("now"), len(body.lines)
    body.lines.append("")
    old, new = w.bitcast(now, word, own), w.value(value)
    if kind_of(op) != "exch":
        new = arith(w.view(t), kind_of(op), d, isinstance(t, VecType), old, new)
    new = w.bitcast(new, own, word)
    order, failed = ORDERS[order_of(op)], "acquire" if order_of(op) & 1 else "monotonic"
    seen = w.target.swap(w, op, pointer, now, new)
    if seen is None:
        pair = w.op(f"cmpxchg {at}, {word} {now}, {word} {new}{end} {order} {failed}{align}")
        seen, ok = (w.op(f"extractvalue {{ {word}, i1 }} {pair}, {i}") for i in (0, 1))
    else:
        ok = w.op(f"icmp eq {word} {seen}, {now}")
    body.lines[line] = f"  {now} = phi {word} [ {first}, %{before} ], [ {seen}, %{body.label} ]"
    w.do(f"br i1 {ok}, label %{done}, label %{head}")
    body.start(done)
    return w.bitcast(seen, word, own)


def _reach(w: Simt, op: Op) -> int:
    """The scope that matters: shared memory is a block's."""
    t = op.operands[-2].type
    return AtomicScope.WORKGROUP if isinstance(t, PtrType) and t.space == SHARED else scope_of(w, op)


def emit_fence(w: Simt, op: Op) -> None:
    """A fence that orders something."""
    if left := w.target.release(w, scope_of(w, op), order_of(op)):
        w.do(f"fence{w.target.scope(scope_of(w, op))} {ORDERS[left]}")
