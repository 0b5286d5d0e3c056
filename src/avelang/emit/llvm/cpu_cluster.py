"""Blocks of a cluster that run together: their number and what one of them takes come in; where each has its memory, and their turns, go out.

One thread runs a cluster, as it runs a block otherwise: the waves of all its blocks take turns. In the thread's memory, the blocks' own memories lie
behind one another, each with the state of its barriers, then a state for the cluster, whose barrier 0 is the barrier of all waves. So another block's
shared memory is a known number of bytes away, and an arrival there is an ordinary access.
"""

from __future__ import annotations

import dataclasses
import math

from avelang.emit.llvm import cpu_waits
from avelang.emit.llvm.cpu_values import S
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.core import Op

ALIGN_BITS = 6  # a block's memory begins at a multiple of 64 bytes, so that each block's alignment is that of the first


@dataclasses.dataclass(frozen=True)
class ClusterMemory:
    """`extents` in blocks; a block has `waves` waves and `stride` bytes of memory, in which its state is at `state`."""

    extents: tuple[int, int, int]
    waves: int
    stride: int
    state: int

    @property
    def blocks(self) -> int:
        return math.prod(self.extents)

    @property
    def turns(self) -> int:
        """Waves that take turns."""
        return self.blocks * self.waves

    @property
    def scratch(self) -> int:
        """Bytes of all of it."""
        return self.blocks * self.stride + cpu_waits.STATE


def enter(w: WaveWriter, cluster: ClusterMemory) -> None:
    """At a wave's begin: finds the cluster's state, and where the memory of rank 0 is, as seen from the block's own."""
    w.cluster_state = w.op(f"load ptr, ptr {w.op(f'getelementptr i8, ptr {w.state}, i64 {cpu_waits.HOME}')}, align 8")
    w.first_block = S(w.op(f"load i64, ptr {w.op(f'getelementptr i8, ptr {w.state}, i64 {cpu_waits.FIRST}')}, align 8"), ALIGN_BITS)
    w.block_bytes = cluster.stride


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


# -- ave_run -----------------------------------------------------------------------------------------------------------------------------


def units(cluster: ClusterMemory) -> str:
    """Code that makes clusters of the blocks that are asked for. A cluster belongs to the range that has the block of its number times its size, so
    that ranges which cover all blocks run each cluster once."""
    n, (ex, ey, _) = cluster.blocks, cluster.extents
    return f"""  %upto = add i64 %start, {n - 1}
  %first = udiv i64 %upto, {n}
  %uptoend = add i64 %end, {n - 1}
  %last = udiv i64 %uptoend, {n}
  %cgx = udiv i64 %gxl, {ex}
  %cgy = udiv i64 %gyl, {ey}
"""


def start(cluster: ClusterMemory) -> str:
    """Code that makes the states of a cluster; %x, %y and %z are its number."""
    ex, ey, ez = cluster.extents
    return f"""  call void @cluster.start(ptr %scratch)
  %state = getelementptr i8, ptr %scratch, i64 {cluster.blocks * cluster.stride}
  %firstx = mul i32 %x, {ex}
  %firsty = mul i32 %y, {ey}
  %firstz = mul i32 %z, {ez}
"""


def place(cluster: ClusterMemory) -> str:
    """Code that finds wave %w of its block, the block %bx, %by, %bz and its memory %own, from the number %number of a wave in its cluster."""
    ex, ey, _ = cluster.extents
    return f"""  %w = urem i32 %number, {cluster.waves}
  %rank = udiv i32 %number, {cluster.waves}
  %rx = urem i32 %rank, {ex}
  %ryz = udiv i32 %rank, {ex}
  %ry = urem i32 %ryz, {ey}
  %rz = udiv i32 %ryz, {ey}
  %bx = add i32 %firstx, %rx
  %by = add i32 %firsty, %ry
  %bz = add i32 %firstz, %rz
  %rankl = zext i32 %rank to i64
  %away = mul i64 %rankl, {cluster.stride}
  %own = getelementptr i8, ptr %scratch, i64 %away
"""


def functions(w: WaveWriter, cluster: ClusterMemory) -> None:
    """Defines what makes the states: each block's knows the cluster's, and how far away the memory of rank 0 is."""
    w.module.functions["cluster.start"] = f"""define internal void @cluster.start(ptr %scratch) #0 {{
entry:
  %all = getelementptr i8, ptr %scratch, i64 {cluster.blocks * cluster.stride}
  call void @state.start(ptr %all, i32 {cluster.turns}, ptr %all, i64 0)
  br label %each
each:
  %rank = phi i64 [ 0, %entry ], [ %next, %each ]
  %away = mul i64 %rank, {cluster.stride}
  %at = add i64 %away, {cluster.state}
  %state = getelementptr i8, ptr %scratch, i64 %at
  %back = sub i64 0, %away
  call void @state.start(ptr %state, i32 {cluster.waves}, ptr %all, i64 %back)
  %next = add i64 %rank, 1
  %more = icmp ult i64 %next, {cluster.blocks}
  br i1 %more, label %each, label %done
done:
  ret void
}}"""
    w.module.functions["state.start"] = f"""define internal void @state.start(ptr %state, i32 %waves, ptr %all, i64 %back) #0 {{
  call void @llvm.memset.p0.i64(ptr %state, i8 0, i64 {cpu_waits.STATE}, i1 false)
  %live = getelementptr i8, ptr %state, i64 {cpu_waits.LIVE}
  store i32 %waves, ptr %live
  %home = getelementptr i8, ptr %state, i64 {cpu_waits.HOME}
  store ptr %all, ptr %home
  %first = getelementptr i8, ptr %state, i64 {cpu_waits.FIRST}
  store i64 %back, ptr %first
  ret void
}}"""
