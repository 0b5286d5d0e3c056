"""Cluster launch control: a block asks for the work of a cluster that has not begun, which then never begins; the
answer comes as a copy of 16 bytes. What they hold is opaque; here: whether there is such a cluster, and its first
block. PTX ISA 9.0, 9.7.13.17, "clusterlaunchcontrol"."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from avelang.sim.ptx.barriers import HostMisuse, phase
from avelang.sim.ptx.code import PtxReg, items_of
from avelang.sim.ptx.copies import Copy
from avelang.sim.ptx.state import LANES, RANK

if TYPE_CHECKING:
    from avelang.sim.ptx.host import HostExecutor, HostView

BYTES = 16


def _try_cancel(host: HostExecutor, v: HostView) -> None:
    """Each thread that executes it asks once."""
    o = v.i.operands
    at, bars = v.address(o[0]), v.address(o[1])
    for lane in v.lanes:
        block, offset = v.shared(lane, int(at[lane]))
        if offset % BYTES:
            raise HostMisuse(f"its answer goes to {offset:#x} of shared memory, no multiple of {BYTES}", lane)
        found = v.run.cancel()
        first = [p * e for p, e in zip(found, v.run.launch.cluster, strict=True)] if found is not None else [0, 0, 0]
        answer = np.array([found is not None, *first], np.uint32).view(np.uint8)
        _, place = v.shared(lane, int(bars[lane]))
        every = "multicast::cluster::all" in v.i.parts
        for b in block.sync.cluster.blocks if every else [block]:
            bar = phase(v, lane, b.rank << RANK | place)
            copy = Copy(
                host.copies, np.array([lane]), b, offset + np.arange(BYTES)[None], answer[None], origin=v.i.index
            )

            def act(copy: Copy = copy, bar: Any = bar, lane: int = lane) -> None:
                copy.land()
                bar.expect(-BYTES, lane)

            bar.coming.append(act)


def _query(host: HostExecutor, v: HostView) -> None:
    """What an answer says: query_cancel.is_canceled, get_first_ctaid."""
    d, reg = v.i.operands
    assert isinstance(reg, PtxReg)
    words = v.warp.memory[reg.place : reg.place + BYTES * LANES].view(np.uint32).reshape(LANES, 4)
    if "is_canceled" in v.i.parts:
        v.set(d, words[:, 0] != 0)
        return
    which = next((p for p in v.i.parts if p.startswith("get_first_ctaid::")), "")
    for k, o in enumerate(items_of(d)):
        v.set(o, words[:, 1 + ("xyz".index(which[-1]) if which else k % 3)])


TABLE: dict[str, Callable[[HostExecutor, HostView], None]] = {
    "clusterlaunchcontrol.try_cancel": _try_cancel,
    "clusterlaunchcontrol.query_cancel": _query,
}
