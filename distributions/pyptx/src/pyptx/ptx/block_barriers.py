"""Barriers of a block by name, the election of a lane, and the number of registers that a warp has."""

from __future__ import annotations

from typing import Any

from pyptx._operands import emit
from pyptx._registers import PipeRef


class BarOps:
    """`ptx.bar`."""

    @staticmethod
    def sync(n: Any = 0, count: Any = None, *, pred: Any = None) -> None:
        """`bar.sync n[, count]`: waits for all threads of the block, or for `count` of them."""
        emit(("bar", "sync"), n, *([] if count is None else [count]), pred=pred)


bar = BarOps()


class NamedBarrier:
    """A barrier of a number, for so many threads (None: all)."""

    def __init__(self, barrier_id: Any, count: Any = None):
        self.barrier_id, self.count = barrier_id, count

    def sync(self, *, pred: Any = None) -> None:
        """`bar.sync`."""
        bar.sync(self.barrier_id, self.count, pred=pred)


def named_barrier(barrier_id: Any, *, count: Any = None) -> NamedBarrier:
    """The barrier of that number (0 to 15)."""
    return NamedBarrier(barrier_id, count)


def setmaxnreg(count: int, *, inc: bool = True) -> None:
    """`setmaxnreg.inc` or `.dec`: the registers of each thread of the warpgroup."""
    emit(("setmaxnreg", "inc" if inc else "dec", "sync", "aligned", "u32"), count)


def setmaxnreg_inc(reg_count: int) -> None:
    """`setmaxnreg.inc`."""
    setmaxnreg(reg_count, inc=True)


def setmaxnreg_dec(reg_count: int) -> None:
    """`setmaxnreg.dec`."""
    setmaxnreg(reg_count, inc=False)


def elect_sync(dst: Any, pred_out: Any, membermask: Any, *, pred: Any = None) -> None:
    """`elect.sync dst|pred_out, membermask`: one lane of the mask gets a true predicate, all get its number."""
    emit(("elect", "sync"), PipeRef(dst, pred_out), membermask, pred=pred)
