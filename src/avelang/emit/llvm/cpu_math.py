"""The exact remainder of floats, by the C library, lane by lane: texts of LLVM values come in, that of the result goes
out."""

from __future__ import annotations

import typing

from avelang.ir.dtypes import DType
from avelang.llvm.literals import elem

if typing.TYPE_CHECKING:
    from avelang.emit.llvm.cpu_wave import WaveWriter


def _each_lane(w: WaveWriter, function: str, e: str, args: tuple[str, ...]) -> str:
    """Calls a function of the C library for each lane, by way of memory."""
    t = w.t(e)
    w.module.declare(function, e, [e] * len(args))
    w.module.include("cpu", f"ave_each_{function}")
    places = [w.body.alloca(t) for _ in (*args, None)]
    for x, place in zip(args, places, strict=False):
        w.do(f"store {t} {x}, ptr {place}, align 64")
    w.do(f"call void @ave_each_{function}({', '.join(f'ptr {p}' for p in places)}, i64 {w.W})")
    return w.op(f"load {t}, ptr {places[-1]}, align 64")


def remainder(w: WaveWriter, d: DType, wide: bool, x: str, y: str) -> str:
    """The exact remainder of a division truncated toward zero."""
    function, e = "fmodf" if d.bits == 32 else "fmod", elem(d)
    return _each_lane(w, function, e, (x, y)) if wide else w.call(function, e, (e, x), (e, y))
