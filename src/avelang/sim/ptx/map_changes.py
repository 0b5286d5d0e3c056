"""Tensor maps that a kernel changes: tensormap.replace, and tensormap.cp_fenceproxy, which hands a changed map from
shared to global memory. PTX ISA 9.0, 9.7.9.28, "tensormap.replace", and 9.7.13.16, "tensormap.cp_fenceproxy"."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import avelang.sim.ptx.maps as maps
from avelang.nvptx import nodes as n
from avelang.sim.ptx.barriers import HostMisuse
from avelang.sim.ptx.code import PtxReg
from avelang.sim.ptx.copies import in_shared
from avelang.sim.ptx.modifiers import NotExecuted
from avelang.sim.ptx.state import RANK, SHARED_BASE

if TYPE_CHECKING:
    from avelang.sim.ptx.host import HostExecutor, HostView

# What the numbers of a field mean, in the order in which the ISA counts them; None: this executor has no such maps.
ELEMENTS = ("u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", None, "f64", "bf16")
SWIZZLES = (0, 32, 64, 128)
INTERLEAVES = (0, 16, 32)
LISTS = {"box_dim": "box", "global_dim": "shape", "global_stride": "strides"}


def _memory(v: HostView, o: object, lane: int, write: bool) -> np.ndarray:
    """The bytes of the map that an operand names, in shared or global memory."""
    address = int(v.address(o)[lane])
    if "shared::cta" in v.i.parts and "global" not in v.i.parts:
        block, offset = v.shared(lane, address)
        address = in_shared(block, offset)
    if address % maps.BYTES:
        raise HostMisuse(f"a tensor map at {address:#x}, no multiple of {maps.BYTES}", lane)
    return v.place(lane, address, maps.BYTES, write)


def _watched(v: HostView, lane: int, o: object, write: bool, shared: bool) -> None:
    """Tells who looks for races that the thread reads or writes the bytes of a map."""
    watch, at = v.run.watch, int(v.address(o)[lane])
    if watch is None:
        return
    w = watch.warps[v.warp]
    if shared or at >> 60 == SHARED_BASE >> 60:
        block, offset = v.shared(lane, at)
        where = (block, offset + np.arange(maps.BYTES))
    else:
        where = (None, at + np.arange(maps.BYTES))
    watch.memory.flight(w, v.i.index, w.agent, w.count, where, write, False)


def _choice(v: HostView, values: tuple, number: int, lane: int, what: str) -> object:
    """What a number of a field means."""
    if not 0 <= number < len(values):
        raise HostMisuse(f"{number} is no {what}: 0 to {len(values) - 1} are", lane)
    if values[number] is None:
        raise NotExecuted(f"maps with {what} {number} are not executed here")
    return values[number]


def _changed(v: HostView, fields: maps.MapFields, lane: int) -> None:
    """Puts the new value of the field that the instruction names into the fields of a map."""
    o, parts = v.i.operands, v.i.parts
    wide = 64 if parts[-1] == "b64" else 32
    value = int(v.get(o[-1], wide)[lane])
    field = parts[3]
    if field == "global_address":
        fields.address = value + v.run.launch.base()
    elif field == "rank":
        if value >= maps.MOST_RANK:
            raise HostMisuse(f"the rank is given less one, and so 0 to {maps.MOST_RANK - 1}, not {value}", lane)
        fields.rank = value + 1
    elif field in ("box_dim", "global_dim", "global_stride", "element_stride"):
        _dimension(v, fields, field, value, lane)
    elif field == "elemtype":
        fields.dtype = str(_choice(v, ELEMENTS, value, lane, "element type"))
    elif field == "swizzle_mode":
        fields.swizzle = int(_choice(v, SWIZZLES, value, lane, "swizzle"))  # type: ignore[call-overload]
    elif field == "interleave_layout":
        fields.interleave = int(_choice(v, INTERLEAVES, value, lane, "interleaving"))  # type: ignore[call-overload]
    elif field == "fill_mode":
        fields.nan = bool(_choice(v, (0, 1), value, lane, "fill"))
    elif value:
        raise NotExecuted(f"the field .{field} is not executed here but as 0")


def _dimension(v: HostView, fields: maps.MapFields, field: str, value: int, lane: int) -> None:
    """A field of one dimension: 0 is the contiguous one. That has no stride, which is that of its elements."""
    which = v.i.operands[1]
    at = which.value if isinstance(which, n.Int) else 0
    if field == "element_stride":
        if value != 1:
            raise NotExecuted(f"maps that take every element number {value} alone are not executed here")
        return
    at += field == "global_stride"
    if at >= maps.MOST_RANK:
        raise HostMisuse(f"there are strides of {maps.MOST_RANK - 1} dimensions, numbered from 0", lane)
    getattr(fields, LISTS[field])[at] = value


def _replace(host: HostExecutor, v: HostView) -> None:
    """tensormap.replace: one field of the map in memory."""
    for lane in v.lanes:
        memory = _memory(v, v.i.operands[0], lane, True)
        fields = maps.fields(memory)
        if fields is None:
            raise HostMisuse("there is no tensor map at the address: copy one that the host has made there", lane)
        _changed(v, fields, lane)
        memory[:] = np.frombuffer(fields.pack(), np.uint8)
        _watched(v, lane, v.i.operands[0], True, "shared::cta" in v.i.parts)


def _hand_over(host: HostExecutor, v: HostView) -> None:
    """tensormap.cp_fenceproxy: the warp copies a map from shared to global memory, and releases it to those who
    acquire it by fence.proxy.tensormap."""
    lane = v.lanes[0]
    to, source = v.i.operands[:2]
    for o in (to, source):
        at = v.address(o)
        if isinstance(o.base, PtxReg) and (at[v.lanes] != at[lane]).any():  # type: ignore[union-attr]
            raise HostMisuse("the addresses must be the same in all lanes")
    block, offset = v.shared(lane, int(v.address(source)[lane]))
    if offset % maps.BYTES or int(v.address(to)[lane]) % maps.BYTES:
        raise HostMisuse(f"both addresses must be multiples of {maps.BYTES}", lane)
    data = v.place(lane, SHARED_BASE | block.rank << RANK | offset, maps.BYTES, False)
    v.place(lane, int(v.address(to)[lane]), maps.BYTES, True)[:] = data
    _watched(v, lane, source, False, True)
    _watched(v, lane, to, True, False)


TABLE: dict[str, Callable[[HostExecutor, HostView], None]] = {
    "tensormap.replace": _replace,
    "tensormap.cp_fenceproxy": _hand_over,
}
