"""The builtins of kernels on several GPUs: `rank`, `ranks`, `peer`, `signal`, `wait`. They read the words to which the
kernel's parameter of type `al.Ranks` points.

The words, of 64 bits: 0 the rank, 1 how many there are, 2 the address of the launch's control words, 3 that of the word
by which the host ends waits; from `DELTAS` on, for each rank, how many bytes its symmetric memory lies behind this
rank's own."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from avelang.frontend import tensor_access
from avelang.frontend.frame import Frame
from avelang.frontend.infer import fits
from avelang.frontend.values import Ref, describe, is_number, is_scalar
from avelang.ir.core import Block, Value
from avelang.ir.dtypes import i32, i64, u32, u64
from avelang.ir.types import GLOBAL, PtrType

DELTAS = 4
ALIGNED = 256  # bytes, at multiples of which symmetric memory begins, and tensors in it
# Bytes of the control words: whether the host gives up (u32; on a GPU this one is in the GPU's own memory); who was
# waited for where, as `LATE` packs it (u64); what stood there and what was waited for (u64).
GIVE_UP, WHO, WHAT = 0, 8, 16
LATE_RANK, LATE_LINE = 48, 32  # bits: rank + 1, the line, and below it the block's number along dimension 0

Args = dict[str, Any]


def _rows() -> None:
    """Registers the rows of `al.system`."""
    import avelang.isa.ranks as rows

    assert rows


def _word(f: Frame, name: str, index: int, node: ast.AST) -> Value:
    """One of the launch's words."""
    if f.build.ranks is None:
        f.fail("T340", node, name=name)
    f.at(node)
    return f.b.ld(f.build.ranks, f.b.const(8 * index, i64), i64, 8)


def _number(f: Frame, v: Any, what: str, node: ast.AST) -> Value:
    """An integer as u32."""
    v = tensor_access.operand(f, v, node)
    if is_number(v):
        if isinstance(v, float) or not fits(v, u32, bitwise=True):
            f.fail("T021", node, number=v, dtype=u32)
        return f.b.const(int(v) & 0xFFFFFFFF, u32)
    if not is_scalar(v) or not v.type.is_int:
        f.fail("T022", node, what=what, got=describe(v), want="an integer")
    return f.b.convert(v, u32)


def _place(f: Frame, v: Any, name: str, node: ast.AST) -> Value:
    """The place of a signal."""
    if isinstance(v, Value) and isinstance(v.type, PtrType) and v.type.space == GLOBAL and v.type.dtype == u32:
        return v
    tensor_access.data(f, v, node)
    if not isinstance(v, Ref) or v.type.space != GLOBAL or v.dtype != u32:
        hint = "al.subview(signals, (i,), (1,)) is the place of signal i" if is_scalar(v) else None
        f.fail("T022", node, hint, what=f"the place of al.{name}", got=describe(v),
               want="a tensor of al.u32 in global memory")  # fmt: skip
    return tensor_access.whole(f, v).value


def _rank(f: Frame, a: Args, node: ast.Call) -> Value:
    return f.b.convert(_word(f, "rank", 0, node), u32)


def _ranks(f: Frame, a: Args, node: ast.Call) -> Value:
    return f.b.convert(_word(f, "ranks", 1, node), u32)


def peer(f: Frame, held: Any, given: Any, node: ast.AST) -> Any:
    """The same tensor, or pointer, in the memory of another rank."""
    rank = _number(f, given, "the rank of al.peer", node)
    table = _word(f, "peer", 0, node) and f.build.ranks
    assert table is not None
    at = f.b.add(f.b.const(8 * DELTAS, i64), f.b.mul(f.b.convert(rank, i64), f.b.const(8, i64)))
    # Said once more for the pass that looks for wide accesses: without it a vector went to a peer element by element.
    delta = f.b.and_(f.b.ld(table, at, i64, 8), f.b.const(-ALIGNED, i64))
    if isinstance(held, Value) and isinstance(held.type, PtrType) and held.type.space == GLOBAL:
        return f.b.ptr_add(held, delta)
    tensor_access.data(f, held, node)
    if not isinstance(held, Ref) or held.type.space != GLOBAL:
        hint = "pass a tensor map of the peer's array: an argument of its own" if "map" in describe(held) else None
        f.fail("T022", node, hint, what="the first argument of al.peer", got=describe(held),
               want="a tensor or a pointer in global memory")  # fmt: skip
    own = tensor_access.whole(f, held)
    place = f.b.ptr_add(f.b.base(own.value), delta)
    return tensor_access.make(f, "make_tensor", [place], own.dtype, GLOBAL, own.shape, own.strides,
                              name=f"{own.value.name or 'a tensor'} of a peer")  # fmt: skip


def send(f: Frame, place: Value, given: Any, node: ast.AST) -> None:
    """Sends an epoch."""
    _rows()
    epoch = _number(f, given, "the epoch of a signal", node)
    f.at(node)
    f.b.emit("system.send_signal", (place, epoch))


def value(f: Frame, place: Value, node: ast.AST) -> Value:
    """The epoch that is there."""
    _rows()
    f.at(node)
    return f.b.emit("system.load_acquire_u32", (place,), (u32,)).result


def wait(f: Frame, place: Value, at_least: Any, given: Any, node: ast.AST) -> None:
    """A loop of looks at the signal, and after each in vain one at the host's word; where the host gives up, who was
    waited for is left in the control words. A signal that is there costs one look: on two GPUs a look at the host's
    memory took tens of microseconds where many lanes looked."""
    _rows()
    epoch = _number(f, at_least, "the epoch of a wait", node)
    rank = _number(f, given, "the rank of a wait", node)
    b, ends = f.b, f.b.int_ptr(_word(f, "wait", 3, node), u32)

    def early() -> tuple[Value, Value]:
        seen = b.emit("system.load_signal", (place, epoch, rank), (u32,)).result
        return seen, b.cmp("lt", b.bitcast(b.sub(seen, epoch), i32), b.const(0, i32))

    before, body = Block(), Block()
    given_up = before.add_arg("", u32)
    body.add_arg("", u32)
    with b.inside(before):
        b.emit("condition", (b.and_(early()[1], b.cmp("eq", given_up, b.const(0, u32))), given_up))
    with b.inside(body):
        b.emit("system.pause")
        b.yield_(b.emit("system.load_relaxed_u32", (ends,), (u32,)).result)
    given_up = b.emit("while", (b.const(0, u32),), (u32,), (before, body)).result
    with b.if_(b.cmp("ne", given_up, b.const(0, u32))):
        seen, late = early()
        with b.if_(late):
            control = b.int_ptr(_word(f, "wait", 2, node), u32)
            _late(f, control, rank, seen, epoch, node)


def _late(f: Frame, control: Value, rank: Value, seen: Value, epoch: Value, node: ast.AST) -> None:
    """Says for whom, where and for what the launch has waited in vain, where nobody has said so yet."""
    b = f.b
    wide = lambda v: b.convert(v, u64)  # noqa: E731
    block = wide(b.emit("block_id", (), (u32,), dim=0).result)
    line = min(f.span(node).line, 0xFFFF)
    who = b.shl(b.add(wide(rank), b.const(1, u64)), b.const(LATE_RANK, u64))
    who = b.or_(b.or_(who, b.const(line << LATE_LINE, u64)), block)
    long = b.int_ptr(b.ptr_int(control), u64)
    first = b.emit("atomic", (b.const(0, u64), who, long, b.const(WHO, i64)), (u64,), kind="cas").result
    with b.if_(b.cmp("eq", first, b.const(0, u64))):
        what = b.or_(b.shl(wide(seen), b.const(32, u64)), wide(epoch))
        b.emit("atomic", (what, long, b.const(WHAT, i64)), (u64,), kind="exch")


BUILTIN: dict[str, Callable[[Frame, Args, ast.Call], Any]] = {
    "rank": _rank,
    "ranks": _ranks,
    "peer": lambda f, a, node: peer(f, a["tensor"], a["rank"], node),
    "signal": lambda f, a, node: send(f, _place(f, a["place"], "signal", node), a["epoch"], node),
    "wait": lambda f, a, node: wait(f, _place(f, a["place"], "wait", node), a["epoch"], a["rank"], node),
}
