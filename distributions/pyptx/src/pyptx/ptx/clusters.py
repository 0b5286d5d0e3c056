"""`ptx.cluster`: the barrier of a cluster, addresses in its other blocks, and arrivals at their mbarriers."""

from __future__ import annotations

from typing import Any

import pyptx.types as t
from avelang.nvptx import nodes as n
from pyptx._errors import bad_type, bad_value
from pyptx._operands import Address, addr, emit
from pyptx._registers import Reg, scalar
from pyptx._trace import get_ctx


def arrive(*, aligned: bool = False, pred: Any = None) -> None:
    """`barrier.cluster.arrive`."""
    emit(("barrier", "cluster", "arrive", *["aligned"] * aligned), pred=pred)


def wait(*, aligned: bool = False, pred: Any = None) -> None:
    """`barrier.cluster.wait`."""
    emit(("barrier", "cluster", "wait", *["aligned"] * aligned), pred=pred)


def sync(*, aligned: bool = False) -> None:
    """Both."""
    arrive(aligned=aligned)
    wait(aligned=aligned)


def rank(cta_rank: Any) -> Reg:
    """A predicate: whether this block has that rank in its cluster."""
    mine = scalar(t.u32)
    emit(("mov", "u32"), mine, "%cluster_ctarank")
    return mine == cta_rank


def value_of(place: Any) -> Any:
    """An operand whose value is the address that an address argument names."""
    if isinstance(place, Reg):
        return place
    found = addr(place)
    if found.offset is None:
        return found.base
    base = found.node()
    assert isinstance(base, n.AddressOperand)
    if isinstance(base.base, n.Register):
        out = scalar(t.b32)
        emit(("add", "u32"), out, found.base, found.offset)
        return out
    return _Named(n.Binary("+", base.base, base.offset or n.Int(0)))


class _Named:
    """An operand that is a node already."""

    def __init__(self, made: n.Operand):
        self._made = made

    def node(self) -> n.Operand:
        """The operand."""
        return self._made


def map_shared_u32(bar_addr: Any, cta_id: Any) -> Reg:
    """`mapa.shared::cluster.u32`: the address of the same place in the shared memory of block `cta_id`."""
    place = value_of(bar_addr)
    which = scalar(t.u32, cta_id) if isinstance(cta_id, int) else cta_id
    out = scalar(t.b32)
    emit(("mapa", "shared::cluster", "u32"), out, place, which)
    return out


def arrive_remote(bar_addr: Any, cta_id: Any, count: Any = 1, *, pred: Any = None) -> None:
    """An arrival at the mbarrier at the same place in block `cta_id`: `mapa`, `mbarrier.arrive.shared::cluster`."""
    trace = get_ctx()
    place = value_of(bar_addr)
    with trace.braces():
        remote = Reg(trace.one(t.b32, "remAddr32"), t.b32, trace)
        emit(("mapa", "shared::cluster", "u32"), remote, place, cta_id, pred=pred)
        emit(("mbarrier", "arrive", "shared::cluster", "b64"), None, Address(remote), count, pred=pred)


def arrive_multicast(bar_addr: Any, mask: int, count: Any = 1, *, pred: Any = None) -> None:
    """An arrival at the mbarrier at the same place in each block that a mask of bits names: one `arrive_remote` each
    (PTX has no such instruction). Raises TypeError (T241) for a mask that is no int."""
    if not isinstance(mask, int) or isinstance(mask, bool):
        raise bad_type("ptx.cluster.arrive_multicast", f"the mask is an int, not {mask!r}")
    if not 0 <= mask < 1 << 16:
        raise bad_value("ptx.cluster.arrive_multicast", f"the mask names blocks 0 to 15: {mask:#x}")
    for block in (i for i in range(16) if mask >> i & 1):
        arrive_remote(bar_addr, block, count, pred=pred)
