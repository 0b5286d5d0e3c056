"""multimem: loads, stores and reductions of all replicas of a multicast object (`multicast`). PTX ISA 9.0, 9.7.9.14;
its bulk copies (9.1) are with the other `copies`.

Replicas are added in their order, which is the order of the arrays; a switch may take another. Without `.acc::`, each
addition of f16 and bf16 is rounded to that type; fp8 is summed in f32 and rounded once, to the largest number where it
is beyond. """

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import avelang.sim.ptx.watch_text as watch_text
from avelang.ir.dtypes import BY_NAME
from avelang.sim.ptx.barriers import HostMisuse
from avelang.sim.ptx.code import items_of
from avelang.sim.ptx.copies import REDUCTIONS
from avelang.sim.ptx.modifiers import Mods
from avelang.sim.ptx.multicast import Multicast, found
from avelang.sim.ptx.state import LANES

if TYPE_CHECKING:
    from avelang.sim.ptx.host import HostExecutor, HostView

VECTORS = {"v2": 2, "v4": 4, "v8": 8}
OPERATIONS = ("add", "min", "max", "and", "or", "xor")
_HINTS = ("weak", "relaxed", "acquire", "release", "cta", "cluster", "gpu", "sys", "global")
_FP8 = {"e4m3": "f8e4m3fn", "e5m2": "f8e5m2"}


# -- numbers -----------------------------------------------------------------------------------------------------------


def _dtype(kind: str) -> Any:
    """NumPy's type of the elements of a PTX type."""
    base = kind.partition("x")[0]
    if base[0] == "b" and base[1:].isdigit():
        base = f"u{base[1:]}"
    return np.dtype(BY_NAME[_FP8.get(base, base.replace("s", "i") if base[0] == "s" else base)].np)


def reduced(values: Sequence[np.ndarray], op: str, kind: str, acc: str = "") -> np.ndarray:
    """The reduction of bytes uint8 (bytes,) of each replica, as elements of a PTX type; uint8 (bytes,)."""
    dtype = _dtype(kind)
    wide = BY_NAME[acc.partition("::")[2]].np if acc else np.dtype(np.float32) if kind[:4] in _FP8 else dtype
    parts = [np.ascontiguousarray(v).view(dtype).astype(wide) for v in values]
    out = parts[0]
    with np.errstate(all="ignore"):
        for x in parts[1:]:
            out = REDUCTIONS[op](out, x).astype(wide)
    if kind[:4] in _FP8 and op == "add":
        most = {"e4m3": 448.0, "e5m2": 57344.0}[kind[:4]]
        out = np.clip(out.astype(np.float32), -most, most)
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(out.astype(dtype)).view(np.uint8)


# -- instructions ------------------------------------------------------------------------------------------------------


class MultimemForm:
    """The operation, types and vector of a multimem instruction."""

    def __init__(self, v: HostView):
        m = Mods(v.i)
        for word in ("ld_reduce", "red", "st", *_HINTS):
            m.take(word)
        self.op, self.acc = m.take(*OPERATIONS), m.take("acc::f16", "acc::f32")
        self.count = VECTORS.get(m.take(*VECTORS), 1)
        self.kind = m.type()
        m.done()
        self.bits = _dtype(self.kind).itemsize * 8 * int(self.kind.partition("x")[2] or 1)
        self.bytes = self.bits // 8 * self.count

    def places(self, v: HostView, mem: object, write: bool) -> dict[int, tuple[Multicast, int]]:
        """By lane, the multicast object and the offset in it; they are written down where the launch is watched."""
        address, out = v.address(mem), {}
        for lane in v.lanes:
            at = int(address[lane])
            if at % self.bytes:
                raise HostMisuse(f"address {at & (1 << 64) - 1:#x} is no multiple of {self.bytes}", lane)
            out[lane] = found(v.run.launch, at, self.bytes, write, lane)
        _note(v, out, self.bytes, watch_text.ATOM if write and self.op else watch_text.STORE if write
            else watch_text.LOAD)  # fmt: skip
        return out

    def data(self, v: HostView, o: object) -> np.ndarray:
        """uint8 (lanes, bytes) of a register, or of those in braces."""
        parts = items_of(o) if self.count > 1 else [o]
        return np.ascontiguousarray(np.stack([v.get(x, self.bits) for x in parts], axis=1)).view(np.uint8)


def _note(v: HostView, places: dict[int, tuple[Multicast, int]], nbytes: int, kind: int) -> None:
    """The watch of races is told of an access to each replica."""
    if v.run.watch is None:
        return
    most = max(len(m.replicas) for m, _ in places.values())
    records = np.zeros(most, watch_text.DTYPE)
    for lane, (m, offset) in places.items():
        for k, (start, _, _, _) in enumerate(m.spans()):
            records[k]["mask"] |= np.uint32(1 << lane)
            records[k]["address"][lane] = start + offset
    records["instr"], records["kind"], records["size"] = v.i.index, kind, nbytes
    v.run.watch.memory.flush(v.warp, records)


def _load(host: HostExecutor, v: HostView) -> None:
    """multimem.ld_reduce: what stands in all replicas, as one."""
    f = MultimemForm(v)
    out = np.zeros((LANES, f.bytes), np.uint8)
    for lane, (m, offset) in f.places(v, v.i.operands[1], False).items():
        out[lane] = reduced(m.at(offset, f.bytes), f.op, f.kind, f.acc)
    words = out.view(f"u{f.bits // 8}")
    for k, o in enumerate(items_of(v.i.operands[0]) if f.count > 1 else [v.i.operands[0]]):
        v.set(o, words[:, k])


def _store(host: HostExecutor, v: HostView) -> None:
    """multimem.st and multimem.red: a value goes to all replicas, or is combined with what stands there."""
    f = MultimemForm(v)
    data = f.data(v, v.i.operands[1])
    for lane, (m, offset) in f.places(v, v.i.operands[0], True).items():
        for there in m.at(offset, f.bytes):
            there[:] = reduced([there, data[lane]], f.op, f.kind) if f.op else data[lane]


TABLE: dict[str, Callable[[HostExecutor, HostView], None]] = {
    "multimem.ld_reduce": _load,
    **dict.fromkeys(("multimem.st", "multimem.red"), _store),
}
