"""Blocks of a cluster that run together: their number and what one of them takes come in; where each has its memory,
and their turns, go out.

One thread runs a cluster, as it runs a block otherwise: the waves of all its blocks take turns. In the thread's memory,
the blocks' own memories lie behind one another, each with the state of its barriers, then a state for the cluster,
whose barrier 0 is the barrier of all waves. So another block's shared memory is a known number of bytes away, and an
arrival there is an ordinary access. """

from __future__ import annotations

import ctypes
import dataclasses
import math

from avelang.emit.llvm import cpu_waits
from avelang.emit.llvm.cpu_values import S
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.core import Op
from avelang.native.cpu import CoroutinePlan, WaitState

STATE = ctypes.sizeof(WaitState)
ALIGN_BITS = 6  # a block's memory begins at a multiple of 64 bytes, so that each block's alignment is that of the first


@dataclasses.dataclass(frozen=True)
class BlockMemory:
    """The memory that a thread lends to the blocks of a cluster of `extents`: `own` bytes of each block, and where
    arrivals are `counted`, its state."""

    extents: tuple[int, int, int]
    waves: int
    own: int
    counted: bool

    @property
    def blocks(self) -> int:
        """Blocks that run together."""
        return math.prod(self.extents)

    @property
    def turns(self) -> int:
        """Waves that take turns."""
        return self.blocks * self.waves

    @property
    def state(self) -> int:
        """Byte of a block's memory at which its state begins."""
        return self.own

    @property
    def stride(self) -> int:
        """Bytes of a block."""
        return self.own + (STATE if self.counted else 0)

    @property
    def whole(self) -> int:
        """Byte at which the state of the cluster begins; a block without a cluster has one state."""
        return self.blocks * self.stride if self.blocks > 1 else self.state

    @property
    def scratch(self) -> int:
        """Bytes of all of it."""
        return self.blocks * self.stride + (STATE if self.blocks > 1 else 0)

    def plan(self, lanes: int) -> tuple[str, str]:
        """Type and value of the constant that `ave_run_coroutines` reads, a `CoroutinePlan`."""
        plan = CoroutinePlan(self.extents, self.waves, lanes, self.counted, self.stride, self.state, self.whole)
        data = bytes(plan)
        return f"[{len(data)} x i8]", "[" + ", ".join(f"i8 {x}" for x in data) + "]"


def enter(w: WaveWriter, memory: BlockMemory) -> None:
    """At a wave's begin: finds the cluster's state, and where the memory of rank 0 is, as seen from the block's own."""
    w.cluster_state = w.op(
        f"load ptr, ptr {w.op(f'getelementptr i8, ptr {w.state}, i64 {WaitState.home.offset}')}, align 8"
    )
    w.first_block = S(
        w.op(f"load i64, ptr {w.op(f'getelementptr i8, ptr {w.state}, i64 {WaitState.first.offset}')}, align 8"),
        ALIGN_BITS,
    )
    w.block_bytes = memory.stride


def emit_arrive(w: WaveWriter, op: Op) -> None:
    """The wave keeps which opening of the cluster's barrier it waits for."""
    before = cpu_waits.arrive(w, cpu_waits.at(w.cluster_state))
    w.arrived = w.arrived or w.body.alloca("i32", 4)
    w.do(f"store i32 {before}, ptr {w.arrived}, align 4")


def emit_wait(w: WaveWriter, op: Op) -> None:
    """Until the barrier has opened."""
    w.arrived = w.arrived or w.body.alloca("i32", 4)
    before = w.op(f"load i32, ptr {w.arrived}, align 4")
    cpu_waits.until_open(w, cpu_waits.at(w.cluster_state), before)
