"""The exact remainder of floats, by the C library, lane by lane: texts of LLVM values come in, that of the result goes out."""

from __future__ import annotations

import typing

from avelang.ir.dtypes import DType
from avelang.llvm.literals import elem

if typing.TYPE_CHECKING:
    from avelang.emit.llvm.cpu_wave import WaveWriter


def _lanes(w: WaveWriter, function: str, e: str, args: tuple[str, ...]) -> str:
    """Calls a scalar function for each lane, in a loop that stands once in the module."""
    t = w.t(e)
    name = f"lanes.{function}.{w.W}"
    n = len(args)
    if name not in w.module.functions:
        target = w.module.declare(function, e, [e] * n)
        params = ", ".join(f"{t} %a{i}" for i in range(n))
        saved = "\n".join(f"  %s{i} = alloca {t}, align 64\n  store {t} %a{i}, ptr %s{i}, align 64" for i in range(n))
        reads = "\n".join(f"  %p{i} = getelementptr {e}, ptr %s{i}, i64 %l\n  %x{i} = load {e}, ptr %p{i}" for i in range(n))
        call = f"call {e} {target}({', '.join(f'{e} %x{i}' for i in range(n))})"
        w.module.functions[name] = f"""define internal {t} @{name}({params}) noinline #0 {{
entry:
{saved}
  %r = alloca {t}, align 64
  br label %loop
loop:
  %l = phi i64 [ 0, %entry ], [ %next, %loop ]
{reads}
  %y = {call}
  %q = getelementptr {e}, ptr %r, i64 %l
  store {e} %y, ptr %q
  %next = add i64 %l, 1
  %more = icmp ult i64 %next, {w.W}
  br i1 %more, label %loop, label %done
done:
  %out = load {t}, ptr %r, align 64
  ret {t} %out
}}"""
    return w.op(f"call {t} @{name}({', '.join(f'{t} {x}' for x in args)})")


def remainder(w: WaveWriter, d: DType, wide: bool, x: str, y: str) -> str:
    """The exact remainder of a division truncated toward zero."""
    function, e = "fmodf" if d.bits == 32 else "fmod", elem(d)
    return _lanes(w, function, e, (x, y)) if wide else w.call(function, e, (e, x), (e, y))
