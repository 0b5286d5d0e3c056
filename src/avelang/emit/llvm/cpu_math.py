"""Functions of the C library, lane by lane: for f64, and for what has no vector version here."""

from __future__ import annotations

from avelang.emit.llvm.cpu_values import elem
from avelang.emit.llvm.cpu_wave import Wave
from avelang.ir.dtypes import DType


def _lanes(w: Wave, function: str, e: str, args: tuple[str, ...]) -> str:
    """Calls a scalar function for each lane, in a loop that stands once in the module."""
    t = w.t(e)
    name = f"lanes.{function}.{w.W}"
    n = len(args)
    if name not in w.module.functions:
        target = w.module.declare(function, e, [e] * n)
        params = ", ".join(f"{t} %a{i}" for i in range(n))
        reads = "\n".join(f"  %x{i} = extractelement {t} %a{i}, i64 %l" for i in range(n))
        call = f"call {e} {target}({', '.join(f'{e} %x{i}' for i in range(n))})"
        w.module.functions[name] = f"""define internal {t} @{name}({params}) noinline #0 {{
entry:
  br label %loop
loop:
  %l = phi i64 [ 0, %entry ], [ %next, %loop ]
  %r = phi {t} [ zeroinitializer, %entry ], [ %s, %loop ]
{reads}
  %y = {call}
  %s = insertelement {t} %r, {e} %y, i64 %l
  %next = add i64 %l, 1
  %more = icmp ult i64 %next, {w.W}
  br i1 %more, label %loop, label %done
done:
  ret {t} %s
}}"""
    return w.op(f"call {t} @{name}({', '.join(f'{t} {x}' for x in args)})")


def _library(w: Wave, function: str, d: DType, wide: bool, args: tuple[str, ...]) -> str:
    e = elem(d)
    if wide:
        return _lanes(w, function, e, args)
    return w.call(function, e, *((e, x) for x in args))


def call(w: Wave, name: str, d: DType, wide: bool, x: str) -> str:
    """exp, log, tanh, ... of f32 or f64."""
    return _library(w, name + ("f" if d.bits == 32 else ""), d, wide, (x,))


def remainder(w: Wave, d: DType, wide: bool, x: str, y: str) -> str:
    """The exact remainder of a division truncated toward zero."""
    return _library(w, "fmodf" if d.bits == 32 else "fmod", d, wide, (x, y))
