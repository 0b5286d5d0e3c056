"""What watched code does besides its work: it writes down who accessed which memory, for `watch` to read when the warp
has stopped.

`native/ptx/watch.c` has the functions that write, `native/ptx.h` the log: a header (the count of records, and at SINK a
place for accesses that have none) and records of RECORD bytes. Here is the LLVM IR of the comparison behind a store.
"""

from __future__ import annotations

import ctypes

import numpy as np

from avelang.native.ptx import (
    ALONE,
    ATOM,
    BLAME,
    CAPACITY,
    CLASH,
    ENTER,
    FENCE,
    LOAD,
    RUNNING,
    SPARE,
    STORE,
    UNDEFINED,
    UNNAMED,
    Log,
    LogRecord,
)
from avelang.sim.ptx.memory_text import each, field, head
from avelang.sim.ptx.state import LANES

HEADER, SINK, RECORD = Log.records.offset, Log.sink.offset, ctypes.sizeof(LogRecord)
DTYPE = np.dtype([("instr", "<i4"), ("kind", "<i4"), ("mask", "<u4"), ("size", "<i4"), ("code", "<i4"), ("pad", "V44"),
    ("address", "<u8", (LANES,))])
assert DTYPE.itemsize == RECORD

__all__ = ["ALONE", "ATOM", "BLAME", "CAPACITY", "CLASH", "ENTER", "FENCE", "LOAD", "RUNNING", "SPARE", "STORE",
    "UNDEFINED", "UNNAMED"]


def same(space: str, bits: int, n: int, watched: bool = True) -> tuple[str, str]:
    """(name, text) of a function behind a store: it puts into the warp's `bad` the lanes whose data is not what stands
    in memory now."""
    name, size, t = f"ave_same_{space.replace('::', '_')}_{bits}x{n}", bits // 8, f"i{bits}"
    lines = [field("bad", "%bp", "w")]
    for k in range(n):
        lines += [f"  %i{k} = add i64 %lane, {k * LANES}", f"  %q{k} = getelementptr {t}, ptr %dp, i64 %i{k}",
            f"  %m{k}p = getelementptr {t}, ptr %p, i64 {k}", f"  %x{k} = load {t}, ptr %q{k}, align {min(8, size)}",
            f"  %y{k} = load {t}, ptr %m{k}p, align {min(8, size)}", f"  %ne{k} = icmp ne {t} %x{k}, %y{k}",
            f"  %z{k} = zext i1 %ne{k} to i32", f"  %b{k} = shl i32 %z{k}, %lane32", f"  %o{k} = load i32, ptr %bp, "
            f"align 4", f"  %w{k} = or i32 %o{k}, %b{k}", f"  store i32 %w{k}, ptr %bp, align 4"]  # fmt: skip
    return name, head(name) + "  br label %loop" + each(space, size * n, False, "\n".join(lines), ("some",), watched)
