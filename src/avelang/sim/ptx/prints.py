"""Functions that a module calls and the host has: vprintf, __assertfail. CUDA C++ Programming Guide, "Formatted
output"."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from avelang.ir.dtypes import f64, i32, i64
from avelang.ir.printf import formatter
from avelang.nvptx import nodes as n
from avelang.sim.ptx.barriers import HostMisuse
from avelang.sim.ptx.code import At, PtxReg
from avelang.sim.ptx.state import LANES

if TYPE_CHECKING:
    from avelang.sim.ptx.host import HostView

LONGEST = 1 << 16  # bytes of a format
_CONVERSION = re.compile(r"%[-+ #0]*(?:\d+)?(?:\.\d*)?(?P<length>hh|h|ll|l|j|z|t|L)?(?P<conv>[a-zA-Z%])")


def _arguments(v: HostView) -> list[np.ndarray]:
    """The arguments of a call, u64 (lanes,): registers, or variables of 4 or 8 bytes in the lanes' memory."""
    lists = [o for o in v.i.operands if isinstance(o, n.Arguments)]
    out = []
    for o in lists[-1].items:
        if isinstance(o, At):
            size, stride = o.variable.bytes, v.run.program.code.local_bytes
            at = (v.warp.index * LANES + np.arange(LANES)) * stride + o.variable.offset
            data = v.block.local[at[:, None] + np.arange(size)]
            out.append(np.ascontiguousarray(data).view(f"u{size}")[:, 0].astype(np.uint64))
        elif isinstance(o, (PtxReg, n.Int)):
            out.append(v.get(o, 64))
    return out


def _text(v: HostView, lane: int, address: int) -> str:
    out = bytearray()
    while len(out) < LONGEST:
        c = int(v.place(lane, address + len(out), 1, False)[0])
        if not c:
            break
        out.append(c)
    return out.decode("utf-8", "replace")


def _pointed(v: HostView, lane: int, m: re.Match[str], address: int) -> str:
    """What %s and %p print of an address, as a part of a format."""
    said = _text(v, lane, address) if m["conv"] == "s" else f"{address:#x}" if address else "(nil)"
    return ((m[0][:-1].rstrip("hljztL") + "s") % said).replace("%", "%%")


def _one(v: HostView, lane: int, form: str, valist: int) -> tuple[str, int]:
    """(text, number of arguments) of one lane: arguments stand in order, each at a multiple of its size."""
    kinds, values, at, count = [], [], valist, 0
    parts, done = [], 0
    for m in _CONVERSION.finditer(form):
        if m["conv"] == "%":
            continue
        floats, pointer = m["conv"] in "eEfFgGaA", m["conv"] in "sp"
        wide = floats or m["length"] in ("l", "ll", "j", "z", "t") or pointer and v.run.program.code.windows.bits == 64
        size = 8 if wide else 4
        at, count = -(-at // size) * size, count + 1
        raw = v.place(lane, at, size, False)
        at += size
        if pointer:
            parts += [form[done : m.start()], _pointed(v, lane, m, int(raw.view(f"<u{size}")[0]))]
            done = m.end()
            continue
        kinds.append(f64 if floats else i64 if size == 8 else i32)
        values.append(raw.view("<f8" if floats else f"<i{size}")[0].item())
    return formatter("".join([*parts, form[done:]]), kinds)(values), count


def _vprintf(v: HostView) -> None:
    form, valist = _arguments(v)
    counts = np.zeros(LANES, np.uint32)
    for lane in v.lanes:
        text, counts[lane] = _one(v, lane, _text(v, lane, int(form[lane])), int(valist[lane]))
        sys.stdout.write(text)
    results = v.i.operands[0]
    if isinstance(results, n.Arguments) and len(v.i.operands) > 2:
        _give(v, results.items[0], counts)


def _give(v: HostView, o: object, values: np.ndarray) -> None:
    """The result of a call: of printf, the number of its arguments (CUDA C++ Programming Guide, "Formatted output")."""
    if isinstance(o, PtxReg):
        v.set(o, values)
    elif isinstance(o, At):
        at = (v.warp.index * LANES + np.arange(LANES)) * v.run.program.code.local_bytes + o.variable.offset
        for lane in v.lanes:
            v.block.local[at[lane] : at[lane] + 4] = values[lane : lane + 1].view(np.uint8)


def _assertfail(v: HostView) -> None:
    message, file, line, function, _ = _arguments(v)
    lane = v.lanes[0]
    said = _text(v, lane, int(message[lane]))
    raise HostMisuse(f"assertion `{said}` failed: {_text(v, lane, int(file[lane]))}:{int(line[lane])}, "
        f"{_text(v, lane, int(function[lane]))}", lane)


FUNCTIONS: dict[str, Callable[[HostView], None]] = {"vprintf": _vprintf, "__assertfail": _assertfail}
