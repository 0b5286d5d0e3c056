"""`check` comes in; a comparison and a jump go out, and behind the jump what writes the report. Also the ways in which
a wave stops early.

A coordinate that is linear in the lane is compared at its ends: that is two scalars, not a vector. Only where an end is
outside, which may be in a lane that is not active, are the lanes looked at one by one. """

from __future__ import annotations

import dataclasses

import numpy as np

from avelang.emit.llvm import cpu_lin
from avelang.emit.llvm.cpu_values import Lin, Ptr, S, Scalar, elem
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.bounds_report import BLOCK, MOST_VALUES, SITE, THREAD, VALUES
from avelang.ir.core import Op
from avelang.ir.dtypes import DType, u32, u64
from avelang.native.cpu import BoundsRecord
from avelang.native.layouts import LaunchState

# What a wave reads of its launch behind the extents of the grid: a word that is 0 as long as nothing is to be looked
# at, and has STOP where all must stop; and the function that looks, which says whether to stop.
FLAG, LOOK = LaunchState.flag.offset, LaunchState.look.offset
_COLD = '!prof !{!"branch_weights", i32 1, i32 1048575}'
assert [8 * n for n in (SITE, BLOCK, THREAD, VALUES)] == [
    getattr(BoundsRecord, name).offset for name in ("site", "block", "thread", "values")
]


@dataclasses.dataclass(slots=True)
class _Pair:
    """A number and its limit: wrong where it is not less, unsigned."""

    d: DType
    index: Scalar
    limit: Scalar


def emit_check(w: WaveWriter, op: Op) -> None:
    """Compares, and stops the wave with a report where an active lane is wrong."""
    n = op.attrs["pairs"]
    ends = list(zip(op.operands[1 : 1 + 2 * n : 2], op.operands[2 : 2 + 2 * n : 2], strict=True))
    pairs = [_Pair(u32 if a.type == u32 else u64, w.scalar(a), w.scalar(b)) for a, b in ends]
    likely = [text for p in pairs if (text := _ends(w, p)) != "false"]
    if not likely:
        return
    cold, on = w.body.fresh("check"), w.body.fresh("within")
    w.do(f"br i1 {_any(w, likely)}, label %{cold}, label %{on}, {_COLD}")
    w.body.start(cold)
    with w.region(w.here, w.mask):
        _report(w, op, pairs, on)
    w.body.start(on)


def _any(w: WaveWriter, conds: list[str]) -> str:
    out = conds[0]
    for c in conds[1:]:
        out = w.op(f"or i1 {out}, {c}")
    return out


def _ends(w: WaveWriter, p: _Pair) -> str:
    """An i1 that holds where an active lane is wrong; it may hold where only others are."""
    t = f"i{p.d.bits}"
    if isinstance(p.index, S) and isinstance(p.limit, S):
        if p.index.const is not None and p.limit.const is not None:
            return "true" if _unsigned(p.index.const, p.d) >= _unsigned(p.limit.const, p.d) else "false"
        return w.op(f"icmp uge {t} {p.index.text}, {p.limit.text}")
    lin = cpu_lin.as_lin(w, p.index, p.d.bits)
    if isinstance(p.limit, S) and lin is not None and not lin.terms and not lin.exts:
        return _linear(w, p, lin)
    return w.any(w.narrow(w.mask, w.made(_wrong(w, p), True)))


def _linear(w: WaveWriter, p: _Pair, lin: Lin) -> str:
    """Of a scalar plus a number for each lane: the least and the greatest. Between them nothing wraps where the limit
    is no more than half of all numbers."""
    active = w.mask if isinstance(w.mask, np.ndarray) else np.ones(w.W, bool)
    low, high, t = int(lin.k[active].min()), int(lin.k[active].max()), f"i{p.d.bits}"
    assert isinstance(p.limit, S)
    if lin.u is None and p.limit.const is not None:
        wrong = [_unsigned(int(k), p.d) >= _unsigned(p.limit.const, p.d) for k in lin.k[active]]
        return "true" if any(wrong) else "false"
    first, last = (
        lin.u.text if lin.u is not None and not k else w.op(f"add {t} {lin.u.text if lin.u else 0}, {k}")
        for k in (low, high)
    )
    found = [w.op(f"icmp uge {t} {x}, {p.limit.text}") for x in ((first,) if low == high else (first, last))]
    if p.limit.const is None or p.limit.const < 0:
        found.append(w.op(f"icmp slt {t} {p.limit.text}, 0"))
    return _any(w, found)


def _unsigned(x: int, d: DType) -> int:
    return x & ((1 << d.bits) - 1)


def _wrong(w: WaveWriter, p: _Pair) -> str:
    return w.op(f"icmp uge {w.t(f'i{p.d.bits}')} {w.vec(p.index, p.d)}, {w.vec(p.limit, p.d)}")


def _report(w: WaveWriter, op: Op, pairs: list[_Pair], on: str) -> None:
    """The lanes that are wrong by the first pair by which any is; the report of the lowest of them; the end of the
    wave."""
    words, i1, word = [], w.t("i1"), f"i{w.W}"
    for p in pairs:
        found = w.narrow(w.mask, w.made(_wrong(w, p), True))
        words.append(w.op(f"bitcast {i1} {w.mask_text(found)} to {word}"))
    lanes = words[-1]
    for x in reversed(words[:-1]):
        lanes = w.op(f"select i1 {w.op(f'icmp eq {word} {x}, 0')}, {word} {lanes}, {word} {x}")
    wrong = w.body.fresh("wrong")
    w.do(f"br i1 {w.op(f'icmp eq {word} {lanes}, 0')}, label %{on}, label %{wrong}")
    w.body.start(wrong)
    lane = w.call(f"llvm.cttz.{word}", word, (word, lanes), ("i1", "true"))
    lane = lane if w.W == 64 else w.op(f"zext {word} {lane} to i64")
    values = op.operands[1 + 2 * op.attrs["pairs"] :]
    if w.report is None:
        w.report = w.body.alloca(f"[{MOST_VALUES} x i64]")
    for i, v in enumerate(values):
        place = w.op(f"getelementptr i64, ptr {w.report}, i64 {i}")
        w.do(f"store i64 {_value(w, w.scalar(v), v.type, lane)}, ptr {place}, align 8")  # type: ignore[arg-type]
    record = w.env[op.operands[0]]
    assert isinstance(record, Ptr) and isinstance(record.base, str)
    w.module.include("cpu", "ave_report")
    where = f"i32 %block.x, i32 %block.y, i32 %block.z, i64 {_thread(w, lane)}"
    w.do(
        f"call void @ave_report(ptr {record.base}, ptr %grid, i64 {op.attrs['site']}, {where}, ptr {w.report}, i64 "
        f"{len(values)})"
    )
    w.do(f"br label %{stopped(w)}")


def _value(w: WaveWriter, rep: Scalar, d: DType, lane: str) -> str:
    """A number of one lane as 64 bits."""
    text = rep.text if isinstance(rep, S) else w.op(f"extractelement {w.t(elem(d))} {w.vec(rep, d)}, i64 {lane}")
    if d.bits == 64:
        return text
    return w.op(f"{'sext' if d.kind == 'int' else 'zext'} i{d.bits} {text} to i64")


def _thread(w: WaveWriter, lane: str) -> str:
    """The thread's number in its block."""
    first = w.op(f"mul i64 {w.op(f'zext i32 {w.wave.text} to i64')}, {w.W}")
    return w.op(f"add i64 {first}, {lane}")


# -- stopping ----------------------------------------------------------------------------------------------------------


def stopped(w: WaveWriter) -> str:
    """The label at which a wave is over before its end."""
    w.stops = True
    return "stopped"


def emit_look(w: WaveWriter) -> None:
    """At the end of a trip of a long loop: where the launch's word is not 0, its function says whether to stop."""
    if w.flag is None:
        w.flag = "%flag.place"
        w.body.allocas.append(f"  {w.flag} = getelementptr i8, ptr %grid, i64 {FLAG}")
    look, on = w.body.fresh("look"), w.body.fresh("on")
    seen = w.op(f"load atomic i32, ptr {w.flag} monotonic, align 4")
    w.do(f"br i1 {w.op(f'icmp ne i32 {seen}, 0')}, label %{look}, label %{on}, {_COLD}")
    w.body.start(look)
    function = w.op(f"load ptr, ptr {w.op(f'getelementptr i8, ptr %grid, i64 {LOOK}')}, align 8")
    told = w.op(f"call i32 {function}(ptr %grid)")
    w.do(f"br i1 {w.op(f'icmp ne i32 {told}, 0')}, label %{stopped(w)}, label %{on}")
    w.body.start(on)
