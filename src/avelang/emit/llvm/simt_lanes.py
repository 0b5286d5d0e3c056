"""The lane that a shuffle reads: its kind, width and offset come in; the number of the lane goes out."""

from __future__ import annotations

from avelang.emit.llvm.simt import Simt
from avelang.ir.core import Value
from avelang.ir.types import DType


def constant_of(v: Value) -> int | None:
    """The integer that a value is at compile time."""
    value = v.op.attrs["value"] if v.op is not None and v.op.name == "const" else None
    return value if isinstance(value, int) else None


def source_lane(w: Simt, kind: str, width: int, offset: Value) -> str:
    """The lane to read from, an i32: the own one where the source is outside the segment."""
    lane, d = w.target.lane(w), offset.type
    assert isinstance(d, DType)
    by = w.value(offset)
    outside = w.op(f"icmp uge i{d.bits} {by}, {width}")  # a negative number is far outside too
    if d.bits != 32:
        how = "trunc" if d.bits > 32 else "sext" if d.kind == "int" else "zext"
        by = w.op(f"{how} i{d.bits} {by} to i32")
    own = w.op(f"and i32 {lane}, {width - 1}")
    start = w.op(f"and i32 {lane}, {-width}")
    if kind in ("idx", "xor"):
        inner, beyond = by if kind == "idx" else w.op(f"xor i32 {own}, {by}"), outside
    else:
        inner = w.op(f"{'sub' if kind == 'up' else 'add'} i32 {own}, {by}")
        # A distance below zero runs the other way; one of a segment or more always leads outside.
        beyond = w.op(f"icmp uge i32 {inner}, {width}")
        far = _far(w, d, offset, width)
        beyond = beyond if far is None else w.op(f"or i1 {beyond}, {far}")
    source = w.op(f"or i32 {start}, {inner}")
    return w.op(f"select i1 {beyond}, i32 {lane}, i32 {source}")


def _far(w: Simt, d: DType, offset: Value, width: int) -> str | None:
    """True where a distance is so large that the low 32 bits of the lane's number do not tell; None where they do."""
    if d.bits <= 32 and d.kind == "int":
        return None
    text = w.value(offset)
    if d.kind == "uint":
        return w.op(f"icmp uge i{d.bits} {text}, {width}")
    low = w.op(f"icmp sle i64 {text}, {-width}")
    return w.op(f"or i1 {low}, {w.op(f'icmp sge i64 {text}, {width}')}")
