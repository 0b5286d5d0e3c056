"""From a fault to an error: what a wave was doing comes in; an ExecutionError with kernel, line, tensor, index, block
and lane goes out."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from avelang.base.errors import AveError, error, users_place
from avelang.ir.core import Op, Value, walk
from avelang.ir.types import GLOBAL, SHARED, PtrType, TensorType
from avelang.sim.address_space import AccessFault, AddressSpace
from avelang.sim.barriers import SyncMisuse
from avelang.sim.memory_ops import TensorValue, at_lane
from avelang.sim.reference_program import ReferenceProgram
from avelang.sim.wave import ReferenceWave

_WORDS = {"load": "load", "store": "store", "ld": "load", "st": "store"}
# Which operand of a tensor access is the tensor; the coordinates follow it.
_TENSOR_AT = {"load": 0, "store": 1, "subview": 0}
_CODES = {"extent": "X001", "bounds": "X002", "unwritten": "X003", "readonly": "X004", "register": "X005",
          "race": "X006", "apart": "X006", "flight": "X010",
          "guard": "X010", "proxy": "X014", "world": "X040", "lanes": "X041",
          "diverged": "X042", "inactive": "X043"}  # fmt: skip


# What waits for the copies that these rows begin; the others report to an mbarrier.
WAITS = {f"nvvm.cp_async_{n}": "nvvm.cp_async_wait_group" for n in ("x4", "x8", "x16")}


def where(p: ReferenceProgram, wave: ReferenceWave, lane: int) -> str:
    """Block, thread, lane and wave in words."""
    thread = tuple(int(t[lane]) for t in wave.shape.threads)
    rank = "" if p.ranks == 1 else f"rank {wave.block.rank}, "
    return f"{rank}block {wave.block.index}, thread {thread}, lane {lane} of wave {wave.shape.index}"


def _tensor(op: Op) -> tuple[Value, list[Value]] | None:
    """The tensor and the coordinates of an access through a tensor."""
    if op.name not in _TENSOR_AT:
        return None
    tensor, *coords = op.operands[_TENSOR_AT[op.name] :]
    if op.name == "subview":
        coords = coords[: len(tensor.type.shape)]  # type: ignore[union-attr]
    return tensor, coords


def _index(p: ReferenceProgram, wave: ReferenceWave, op: Op, fault: AccessFault) -> tuple[int, ...] | None:
    """The coordinates of the offending element, those that a vector access runs through included."""
    through = _tensor(op)
    if through is None:
        return None
    tensor, coords = through
    given = tuple(int(wave.env[p.slot(c)][fault.lane]) for c in coords)
    assert isinstance(tensor.type, TensorType)
    if op.name == "subview":
        return tuple(c if c < 0 else c + by for c, by in zip(given, op.attrs["reach"], strict=True))
    rest = [x or 0 for x in tensor.type.shape[len(coords) :]]
    if fault.kind == "extent" or not rest:
        return given
    return given + tuple(int(i) for i in np.unravel_index(fault.byte // tensor.type.dtype.bytes, rest))


def _nearest(space: AddressSpace, fault: AccessFault) -> str:
    near = space.nearest(fault.address)
    if near is None:
        return ""
    at, past = fault.address - near.start, fault.address + fault.size - near.end
    place = f"{-at} bytes before its start" if at < 0 else f"ends {past} bytes past its end"
    return (
        f"; nearest is `{near.name}`, {near.size} bytes at {near.start:#x}: the access "
        f"{'starts ' if at < 0 else ''}{place}"
    )


def site(op: Op, beside: Op | None = None) -> str:
    """An op in words, with the line to which an error's arrow would point, and its file where that of `beside`, which
    has the arrow, is another one."""
    line = f" in {_line(op, beside)}" if op.span is not None else ""
    return f"a {_WORDS.get(op.name, f'`{op.name}`')}{line}"


def _line(op: Op, beside: Op | None) -> str:
    assert op.span is not None
    at = users_place(op.span)
    same = beside is None or beside.span is None or users_place(beside.span).file == at.file
    return f"line {at.line}" if same else f"{os.path.basename(at.file)}:{at.line}"


def mbarriers(p: ReferenceProgram, wave: ReferenceWave) -> list[str]:
    """The states of the mbarriers at which a wave waits, in words."""
    op = wave.op
    if op is None or not op.name.startswith("nvvm.mbarrier_"):
        return []
    place = wave.env[p.slot(op.operands[0])]
    address = place.address if isinstance(place, TensorValue) else place
    out = []
    for at in np.unique(address[wave.active]).tolist():
        found, holder = wave.block.sync.mbarriers.get(at), wave.block.shared.holder(at)
        if found is not None and holder is not None:
            out.append(
                f"the mbarrier at byte {at - holder.start} of `{holder.name}` of block {wave.block.index}: {found}"
            )
    return out


def signals(p: ReferenceProgram, wave: ReferenceWave) -> list[str]:
    """The signals that a wave waits for, in words."""
    looks = (x for region in (wave.op.regions if wave.op is not None else ()) for x in walk(region))
    out = []
    for op in looks:
        if op.name == "system.load_signal":
            seen, epoch, rank = (int(wave.env[p.slot(v)][wave.mask.first]) for v in (op.result, *op.operands[1:]))
            line = "" if op.span is None else f" ({_line(op, wave.op)})"
            whose = f"rank {rank}, whose signal{_element(p, wave, op.operands[0])} is {seen}{line}"
            out.append(f"rank {wave.block.rank} waits for epoch {epoch} of {whose}")
    return out


def _element(p: ReferenceProgram, wave: ReferenceWave, place: Value) -> str:
    """The tensor of which a place is one element, and which, in words; "" where that is not known."""
    op = place.op
    if op is None or op.name != "subview" or not isinstance(op.operands[0].type, TensorType):
        return ""
    whole, *at = op.operands[: 1 + len(op.operands[0].type.shape)]
    held = wave.env[p.slot(whole)]
    index = ", ".join(str(int(wave.env[p.slot(v)][wave.mask.first])) for v in at)
    return f" `{held.name}[{index}]`" if isinstance(held, TensorValue) and held.name else ""


def report(p: ReferenceProgram, wave: ReferenceWave, fault: AccessFault, op: Op) -> AveError:
    """The error for a fault that `op` met in `wave`."""
    lane = fault.lane
    if fault.kind in ("sync", "registers"):
        told = fault.other if isinstance(fault.other, SyncMisuse) else SyncMisuse(str(fault.other), None)
        why = told.why.format(op=site(told.op, op)) if told.op is not None else told.why
        code, hint = ("X012", {}) if fault.kind == "sync" else ("X013", {"hint": told.hint})
        return error(code, op.span, kernel=p.kernel.name, what=site(op), why=why, where=where(p, wave, lane), **hint)
    if fault.kind in ("diverged", "inactive"):
        return error(_CODES[fault.kind], op.span, kernel=p.kernel.name, what=site(op), why=fault.other,
                     where=where(p, wave, lane))
    if fault.kind == "uniform":
        param, first = fault.other
        named = {"what": site(op), "operand": param.name, "first": first, "instead": param.uniform}
        return error("X044", op.span, kernel=p.kernel.name, lane=lane, where=where(p, wave, lane), **named)
    fields: dict[str, Any] = {"kernel": p.kernel.name, "what": _WORDS.get(op.name, f"`{op.name}`"),
                              "where": where(p, wave, lane)}
    through, index = _tensor(op), _index(p, wave, op, fault)
    value = wave.env[p.slot(through[0])] if through else None
    space_name = _space(op) if fault.space is None else fault.space.name
    space = wave.spaces[space_name]
    holder = space.holder(fault.address)
    if isinstance(value, TensorValue):
        fields["tensor"] = value.name
        fields["extents"] = tuple(at_lane(x, lane) for x in value.shape)
    else:
        fields["tensor"] = holder.name if holder else space_name
    if fault.kind == "register":
        fields["index"] = fault.address
    elif fault.kind == "extent":
        fields["index"] = index
    elif fault.kind == "bounds":
        fields["index"] = f" of `{fields['tensor']}` at index {index}" if index else ""
        fields["nearest"] = _nearest(space, fault)
    else:
        fields["index"] = f" at index {index}" if index else ""
    fields["byte"] = _byte(fault, op, holder.start if holder else 0)
    _meets(p, wave, fault, op, fields, space_name, index)
    code = "X040" if fault.kind == "apart" and space_name == GLOBAL else _CODES[fault.kind]
    return error(code, op.span, space=space_name, size=fault.size, address=f"{fault.address:#x}", **fields)


def _meets(p: ReferenceProgram, wave: ReferenceWave, fault: AccessFault, op: Op, fields: dict[str, Any],
           space_name: str, index: Any) -> None:  # fmt: skip
    """Puts into the fields what another access has to do with it."""
    if fault.kind in ("flight", "guard"):
        fields["does"] = "will write" if fault.kind == "flight" else "still reads"
        wgmma = "wgmma" in fault.other.name
        fields["who"] = "a running wgmma" if wgmma else "a running copy"
        wait = "its mbarrier" if fault.kind == "flight" else "nvvm.cp_async_bulk_wait_group_read"
        fields["wait"] = "nvvm.wgmma_wait_acc or nvvm.wgmma_wait_group" if wgmma else WAITS.get(fault.other.name, wait)
    if fault.kind == "proxy":
        ranks = space_name == GLOBAL
        fields["memory"] = "global memory" if ranks else "shared memory"
        fields["instead"] = _FENCE_OF_RANKS if ranks else _FENCE_OF_THREADS
    place = f"byte {fields['byte']} of `{fields['tensor']}`"
    fields["place"] = f"`{fields['tensor']}`{fields['index']}, byte {fields['byte']} of it" if index else place
    fields["whose"] = "another wave"
    if isinstance(fault.other, Op):
        fields["what"], fields["other"] = site(op), site(fault.other, op)
        if fault.other is op and _one_place(p, wave, op):
            fields["hint"] = _ONE_THREAD
    if fault.kind == "apart":
        fields["whose"], fields["hint"] = "another lane of its wave, with no fence between", _FENCE_OF_LANES
        if space_name == GLOBAL:
            fields["other"] += f" by {fields['whose']}"
    if fault.kind in ("world", "lanes") or fault.kind == "proxy" and space_name == GLOBAL:
        other: Any = fault.other
        fields["what"], fields["other"] = site(op), f"lane {other}"
        if not isinstance(other, int):
            rank = "" if p.ranks == 1 else f" of rank {other.rank}"
            fields["other"] = f"{site(other.op, op)} by wave {other.wave} of block {other.block}{rank}"
            if other.op is op and other.block == wave.block.index and not rank and _one_place(p, wave, op):
                fields["hint"] = _ONE_THREAD


_FENCE_OF_LANES = (
    "code is compiled lane by lane, and NVIDIA's lanes may drift apart: al.fence(scope=\"block\") or syncthreads() "
    "stands between two lanes' accesses"
)
_ONE_THREAD = (
    "each thread of the block executes this store: let one do it, as in `if al.thread_id(0) == 0`; in a kernel on "
    "tiles tile.store(x, index, value) stores a number once"
)
_FENCE_OF_THREADS = "each thread that wrote calls fence_proxy_async_shared(), and a barrier stands behind that"
_FENCE_OF_RANKS = "who has waited for a rank calls fence_proxy_async() before it copies what that rank stored"


def _one_place(p: ReferenceProgram, wave: ReferenceWave, op: Op) -> bool:
    """True for a store that several lanes execute for the same element, as a number's is that was meant for one."""
    if op.name != "store" or wave.mask.count < 2:
        return False
    found = [wave.env[p.slot(v)][wave.mask.active] for v in op.operands[2:]]
    return all((x == x[0]).all() for x in found)


def _space(op: Op) -> str:
    """The space of the first tensor or pointer among an op's operands."""
    return next((v.type.space for v in op.operands if isinstance(v.type, (TensorType, PtrType))), SHARED)


def _byte(fault: AccessFault, op: Op, start: int) -> int:
    """The offending byte, counted from the start of its allocation."""
    return fault.address - start + fault.byte % max(fault.size, 1)
