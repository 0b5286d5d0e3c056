"""Control flow that the kernel executes: labels and branches, loops, ifs, guards. (Python's own `for` and `if` run
while the kernel is traced.)"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import avelang.ptx.types as t
from avelang.base.places import wrong
from avelang.nvptx import nodes as n
from avelang.ptx.inst import add, emit, guard_of
from avelang.ptx.registers import Negated, Reg, ScalarOperand, binary, move, reg
from avelang.ptx.special_registers import SpecialReg
from avelang.ptx.trace import OpenLoop, Trace, current
from avelang.ptx.types import as_type


def not_(pred: Reg) -> Negated:
    """`!p`: the predicate negated where it is used, as a guard or an operand. No instruction (`~p` is one). Raises
    T225."""
    if not isinstance(pred, Reg) or pred.type is not t.pred:
        raise wrong("T225", got=repr(pred))
    return Negated(pred)


def label(name: str) -> None:
    """Places a label here. Raises T224 for one that stands already."""
    current("ptx.label").place(name)


def bra(name: str, pred: Any = None, uniform: bool = False) -> None:
    """`bra name`, `@p bra name` under a predicate; `uniform`: `bra.uni`, all threads go the same way."""
    emit(("bra", "uni") if uniform else ("bra",), name, pred=pred)


def ret(pred: Any = None) -> None:
    """`ret`: the end of the kernel for this thread."""
    emit(("ret",), pred=pred)


def exit_(pred: Any = None) -> None:
    """`exit`."""
    emit(("exit",), pred=pred)


@contextlib.contextmanager
def when(pred: Any) -> Iterator[None]:
    """Each instruction in the block gets the guard `@p`. Raises T226 inside of another."""
    trace = current("ptx.when")
    if trace.guard is not None:
        raise wrong("T226", name="ptx.when")
    trace.guard = guard_of(pred)
    try:
        yield
    finally:
        trace.guard = None


def _unguarded(trace: Trace, what: str) -> None:
    if trace.guard is not None:
        raise wrong("T226", name=what)


def _branch(trace: Trace, to: str, pred: Any, unless: bool = False, uniform: bool = False) -> None:
    guard = guard_of(pred)
    if guard is not None and unless:
        guard = n.Guard(guard.register, not guard.negated)
    add(trace, n.PtxInstruction(("bra", "uni") if uniform else ("bra",), (n.SymbolOperand(to),), guard))


class OpenBlock:
    """A block of `ptx.if_`, `ptx.else_`, `ptx.block`, `ptx.do_while` or `ptx.loop()` that is open: what `as` names."""

    def __init__(self, end: str, again: str = ""):
        self._end, self._again = end, again

    def leave(self, pred: Any = None, uniform: bool = False) -> None:
        """Branches to the end of the block, where the predicate holds if there is one; of an `if_` that has an `else_`,
        to that other side."""
        bra(self._end, pred, uniform)

    def again(self, pred: Any = None, uniform: bool = False) -> None:
        """Branches to the first instruction of a loop's block. Raises T232 for a block that is no loop."""
        if not self._again:
            raise wrong("T232", name="again", why="the block is no loop")
        bra(self._again, pred, uniform)


@contextlib.contextmanager
def block() -> Iterator[OpenBlock]:
    """Instructions with a label behind them: `with ptx.block() as search:`, and within, also in blocks and loops that
    stand there, `search.leave(found)`."""
    trace = current("ptx.block")
    _unguarded(trace, "ptx.block")
    end = trace.new_label("endblock")
    yield OpenBlock(end)
    trace.place(end)


@contextlib.contextmanager
def if_(pred: Any, uniform: bool = False) -> Iterator[OpenBlock]:
    """The block is executed where the predicate holds: `@!p bra` around it. `ptx.else_()` may follow directly.
    `uniform`: `bra.uni`, all threads go the same way."""
    trace = current("ptx.if_")
    _unguarded(trace, "ptx.if_")
    other = trace.new_label("else")
    _branch(trace, other, pred, True, uniform)
    yield OpenBlock(other)
    trace.place(other)
    trace.closed_if = len(trace.statements), other


@contextlib.contextmanager
def else_(uniform: bool = False) -> Iterator[OpenBlock]:
    """The other side of the `ptx.if_` whose block has just ended. `uniform`: of the branch over it. Raises T232 where
    there is none."""
    trace = current("ptx.else_")
    if trace.closed_if is None or trace.closed_if[0] != len(trace.statements):
        raise wrong("T232", name="ptx.else_", why="no `ptx.if_` ends right before it")
    end = trace.new_label("endif")
    # The branch over the other side stands before the label of that side.
    at, line = trace.statements.pop(), trace.lines.pop()
    _branch(trace, end, None, uniform=uniform)
    trace.statements.append(at)
    trace.lines.append(line)
    yield OpenBlock(end)
    trace.place(end)


@contextlib.contextmanager
def do_while(pred: Any, uniform: bool = False, head: str = "") -> Iterator[OpenBlock]:
    """A loop with its condition behind the block: `@p bra` to its head, as compilers write loops. `ptx.break_` leaves
    it, `ptx.continue_` goes to the branch; `as`: `again` goes to the head without asking. `uniform`: `bra.uni`.
    `head`: the name of the label there, for branches from elsewhere."""
    trace = current("ptx.do_while")
    _unguarded(trace, "ptx.do_while")
    first, next_, end = (trace.new_label(x) for x in ("loop", "next", "endloop"))
    head = head or first
    trace.place(head)
    trace.loops.append(OpenLoop(next_, end))
    try:
        yield OpenBlock(end, head)
    finally:
        trace.loops.pop()
    if next_ in trace.wanted:
        trace.place(next_)
    _branch(trace, head, pred, uniform=uniform)
    if end in trace.wanted:
        trace.place(end)


@contextlib.contextmanager
def loop(
    start: Any = None, stop: Any = None, step: Any = 1, *, dtype: Any = t.u32, uniform: bool = False,
    head: str = "",
) -> Iterator[Any]:  # fmt: skip
    """A loop that runs. `ptx.loop(stop)`, `ptx.loop(start, stop, step)`: the block's value is a register of `dtype`
    that counts; the condition stands at the head. `ptx.loop()`: without an end but `ptx.break_`; its value has `leave`
    and `again`, as that of `ptx.do_while`. Bounds are ints or registers; `step` may be a negative int. `uniform`:
    `bra.uni` at the end; `head`: the name of the label at the head, for branches from elsewhere."""
    trace = current("ptx.loop")
    _unguarded(trace, "ptx.loop")
    if stop is None:
        start, stop = 0, start
    first, end, next_ = (trace.new_label(x) for x in ("loop", "endloop", "next"))
    again = head or first
    counter: Reg | None = None
    if stop is not None:
        counter = reg.scalar(as_type(dtype, "the type of a loop's counter"))
        move(counter, start.value() if isinstance(start, ScalarOperand) and not isinstance(start, Reg) else start)
        if isinstance(stop, ScalarOperand):
            stop = stop.value()
    trace.place(again)
    if counter is not None:
        done = binary("<=" if isinstance(step, int) and step < 0 else ">=", counter, stop)
        _branch(trace, end, done)
    trace.loops.append(OpenLoop(next_ if counter is not None else again, end))
    try:
        yield counter if counter is not None else OpenBlock(end, again)
    finally:
        trace.loops.pop()
    if counter is not None:
        if next_ in trace.wanted:
            trace.place(next_)
        if isinstance(step, int) and step < 0 and not counter.type.signed:
            binary("-", counter, -step, into=counter)
        else:
            binary("+", counter, step, into=counter)
    _branch(trace, again, None, uniform=uniform)
    if counter is not None or end in trace.wanted:
        trace.place(end)


def _loop(name: str) -> OpenLoop:
    trace = current(name)
    if not trace.loops:
        raise wrong("T232", name=name, why="it stands in no `ptx.loop`")
    return trace.loops[-1]


def break_(pred: Any = None, uniform: bool = False) -> None:
    """Leaves the innermost loop, where the predicate holds if there is one. Raises T232 outside of loops."""
    bra(_loop("ptx.break_").end, pred, uniform)


def continue_(pred: Any = None, uniform: bool = False) -> None:
    """Goes on with the next trip of the innermost loop. Raises T232 outside of loops."""
    bra(_loop("ptx.continue_").again, pred, uniform)


def bar_sync(barrier: Any = 0, threads: Any = None) -> None:
    """`bar.sync`: waits for all threads of the block, or for `threads` of them."""
    emit(("bar", "sync"), barrier, *(() if threads is None else (threads,)))


def syncthreads() -> None:
    """`bar.sync 0`."""
    bar_sync()


def elect_sync(mask: Any = 0xFFFFFFFF) -> Reg:
    """`elect.sync`: a predicate, true in one of the warp's lanes that `mask` names (sm_90)."""
    out = reg.pred()
    emit(("elect", "sync"), (None, out), mask)
    return out


class ClusterOps:
    """`ptx.cluster`: the barrier of a cluster, and addresses in other blocks of it."""

    @staticmethod
    def arrive(*modifiers: str) -> None:
        """`barrier.cluster.arrive`; modifiers such as "release", "relaxed", "aligned" follow."""
        emit(("barrier", "cluster", "arrive", *modifiers))

    @staticmethod
    def wait(*modifiers: str) -> None:
        """`barrier.cluster.wait`."""
        emit(("barrier", "cluster", "wait", *modifiers))

    @staticmethod
    def sync() -> None:
        """Both, `.aligned`: two instructions."""
        ClusterOps.arrive("aligned")
        ClusterOps.wait("aligned")

    @staticmethod
    def rank() -> SpecialReg:
        """`%cluster_ctarank`: which block of its cluster this is."""
        return SpecialReg("%cluster_ctarank")

    @staticmethod
    def mapa(address: Any, rank: Any) -> Reg:
        """`mapa.shared::cluster.u32`: the address of the same place in the shared memory of the block with that
        rank."""
        out = reg.scalar(t.u32)
        emit(("mapa", "shared::cluster", "u32"), out, address, rank)
        return out


cluster = ClusterOps()
