"""Waits of a block's waves for one another: `barrier` and `pause` come in; suspended coroutines and the state that
tells who may go on go out.

In a kernel whose waves meet at plain barriers only, each resumes when all others have come: the turns of `ave_run` are
the barrier. Otherwise arrivals are counted, in a `WaitState` of the block's memory (`native/cpu/waits.c`). """

from __future__ import annotations

from collections.abc import Iterable

from avelang.emit.llvm.cpu_values import S
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.core import Op


def waits(ops: Iterable[Op]) -> tuple[bool, bool]:
    """(waves of a kernel wait at all, they wait for something else than plain barriers)"""
    found = [op for op in ops if op.name in ("barrier", "pause")]
    return bool(found), any(op.name == "pause" or op.operands for op in found)


def together(ops: Iterable[Op]) -> bool:
    """True where blocks of a cluster have to do with one another."""
    return any(op.name in ("shared_peer", "cluster_arrive", "cluster_wait") for op in ops)


def suspend(w: WaveWriter) -> None:
    """The wave stops here until it is resumed."""
    on = w.body.fresh("resumed")
    s = w.call("llvm.coro.suspend", "i8", ("token", "none"), ("i1", "false"))
    w.do(f"switch i8 {s}, label %suspended [i8 0, label %{on} i8 1, label %cleanup]")
    w.body.start(on)


def emit_barrier(w: WaveWriter, op: Op) -> None:
    """A wave that waits for others is suspended; alone it has nothing to wait for."""
    if not w.coroutine:
        return
    if w.state is None:
        suspend(w)
        return
    rep = w.scalar(op.operands[0]) if op.operands else None
    number = "0"
    if rep is not None:
        number = rep.text if isinstance(rep, S) else w.one(rep, op.operands[0].type).text  # type: ignore[arg-type]
    barrier = at(w.state, number, op.attrs.get("threads", 0))
    before = arrive(w, barrier)
    if op.attrs.get("wait", 1):
        until_open(w, barrier, before)


def at(state: str | None, number: str = "0", threads: int = 0) -> str:
    """A barrier, as it is passed to the functions that count; 0 threads: those of all waves."""
    return f"ptr {state}, i32 {number}, i32 {threads}"


def arrive(w: WaveWriter, barrier: str) -> str:
    """The wave has come to a barrier: how often that has opened before."""
    return w.op(f"call i32 @ave_barrier_arrive({barrier})")


def until_open(w: WaveWriter, barrier: str, before: str) -> None:
    """The wave waits until the barrier has opened once more than `before`."""
    test, wait, on = (w.body.fresh(x) for x in ("closed", "wait", "open"))
    w.do(f"br label %{test}")
    w.body.start(test)
    w.do(f"br i1 {w.op(f'call i1 @ave_barrier_open({barrier}, i32 {before})')}, label %{on}, label %{wait}")
    w.body.start(wait)
    suspend(w)
    w.do(f"br label %{test}")
    w.body.start(on)


def emit_pause(w: WaveWriter, op: Op) -> None:
    """The other waves have a turn; `far`: what is waited for comes from other threads or processes."""
    assert w.state is not None
    if op.attrs.get("far"):
        w.do(f"call void @ave_turn_far(ptr {w.state})")
        suspend(w)
        return
    w.do(f"call void @ave_turn(ptr {w.state}, i1 {'true' if op.attrs.get('done') else 'false'})")
    if not op.attrs.get("done"):
        suspend(w)
