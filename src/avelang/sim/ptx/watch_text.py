"""LLVM IR of what watched code does besides its work: it writes down who accessed which memory, for `watch` to read when the warp has stopped.

The log is a header (the count of records, and at SINK a place for accesses that have none) and records of RECORD bytes, in the order in which they
happened. A record has the index of the instruction, what it is, a mask of lanes, bytes, a code, and the lanes' addresses as they were put.
"""

from __future__ import annotations

import numpy as np

from avelang.sim.ptx.memory_text import each, field, head
from avelang.sim.ptx.state import LANES

HEADER, SINK, RECORD = 512, 256, 320
CAPACITY, SPARE = 1 << 15, 1 << 12  # records; the spare ones are for faults, of which nobody knows how many there will be
# What a record says. ENTER: these lanes run together from here on; BLAME: a fault, its address the first; CLASH: lanes whose stores another lane of
# the same instruction has overwritten with something else; ALONE: lanes that read one which does not take part; RUNNING: an accumulator still runs;
# UNDEFINED: lanes that use what nothing has written; UNNAMED: lanes that the mask which they give leaves out.
ENTER, LOAD, STORE, ATOM, FENCE, BLAME, CLASH, ALONE, RUNNING, UNDEFINED, UNNAMED = range(1, 12)
DTYPE = np.dtype([("instr", "<i4"), ("kind", "<i4"), ("mask", "<u4"), ("size", "<i4"), ("code", "<i4"), ("pad", "V44"), ("address", "<u8", (LANES,))])
assert DTYPE.itemsize == RECORD

NOTE = f"""
define internal ptr @ave_record(ptr %g, i64 %most) #0 {{
entry:
{field("log", "%lpp")}
  %l = load ptr, ptr %lpp, align 8
  %n = load i64, ptr %l, align 8
  %full = icmp uge i64 %n, %most
  br i1 %full, label %none, label %some
none:
  ret ptr null
some:
  %n1 = add i64 %n, 1
  store i64 %n1, ptr %l, align 8
  %off = mul i64 %n, {RECORD}
  %at = add i64 %off, {HEADER}
  %r = getelementptr i8, ptr %l, i64 %at
  ret ptr %r
}}

define internal void @ave_note(ptr %w, ptr %g, i32 %mask, i32 %instr, i32 %kind, i32 %size) noinline #0 {{
entry:
{field("at", "%atp", "w")}
  store i32 %instr, ptr %atp, align 4
  %none = icmp eq i32 %mask, 0
  br i1 %none, label %done, label %write
done:
  ret void
write:
  %r = call ptr @ave_record(ptr %g, i64 {CAPACITY})
  %null = icmp eq ptr %r, null
  br i1 %null, label %done, label %put
put:
  %kp = getelementptr i32, ptr %r, i64 1
  %mp = getelementptr i32, ptr %r, i64 2
  %sp = getelementptr i32, ptr %r, i64 3
  store i32 %instr, ptr %r, align 4
  store i32 %kind, ptr %kp, align 4
  store i32 %mask, ptr %mp, align 4
  store i32 %size, ptr %sp, align 4
{field("address", "%ap", "w")}
  %a = load <{LANES} x i64>, ptr %ap, align 64
  %to = getelementptr i8, ptr %r, i64 64
  store <{LANES} x i64> %a, ptr %to, align 64
  ret void
}}

define internal void @ave_enter(ptr %w, ptr %g, i32 %active) noinline #0 {{
entry:
{field("seen", "%sp", "w")}
  %seen = load i32, ptr %sp, align 4
  %same = icmp eq i32 %seen, %active
  br i1 %same, label %done, label %new
done:
  ret void
new:
  store i32 %active, ptr %sp, align 4
  call void @ave_note(ptr %w, ptr %g, i32 %active, i32 -1, i32 {ENTER}, i32 0)
  ret void
}}

define internal ptr @ave_blame(ptr %w, ptr %g, i64 %lane, i64 %a, i64 %n, i32 %code) noinline #0 {{
entry:
  %r = call ptr @ave_record(ptr %g, i64 {CAPACITY + SPARE})
  %null = icmp eq ptr %r, null
  br i1 %null, label %done, label %put
put:
{field("at", "%atp", "w")}
  %instr = load i32, ptr %atp, align 4
  %lane32 = trunc i64 %lane to i32
  %bit = shl i32 1, %lane32
  %n32 = trunc i64 %n to i32
  %kp = getelementptr i32, ptr %r, i64 1
  %mp = getelementptr i32, ptr %r, i64 2
  %sp = getelementptr i32, ptr %r, i64 3
  %cp = getelementptr i32, ptr %r, i64 4
  %ap = getelementptr i8, ptr %r, i64 64
  store i32 %instr, ptr %r, align 4
  store i32 {BLAME}, ptr %kp, align 4
  store i32 %bit, ptr %mp, align 4
  store i32 %n32, ptr %sp, align 4
  store i32 %code, ptr %cp, align 4
  store i64 %a, ptr %ap, align 8
  br label %done
done:
{field("log", "%lpp")}
  %l = load ptr, ptr %lpp, align 8
  %sink = getelementptr i8, ptr %l, i64 {SINK}
  store <16 x i64> zeroinitializer, ptr %sink, align 16
  ret ptr %sink
}}
"""


def same(space: str, bits: int, n: int, watched: bool = True) -> tuple[str, str]:
    """(name, text) of a function behind a store: it puts into the warp's `bad` the lanes whose data is not what stands in memory now."""
    name, size, t = f"ave_same_{space.replace('::', '_')}_{bits}x{n}", bits // 8, f"i{bits}"
    lines = [field("bad", "%bp", "w")]
    for k in range(n):
        lines += [
            f"  %i{k} = add i64 %lane, {k * LANES}", f"  %q{k} = getelementptr {t}, ptr %dp, i64 %i{k}",
            f"  %m{k}p = getelementptr {t}, ptr %p, i64 {k}", f"  %x{k} = load {t}, ptr %q{k}, align {min(8, size)}",
            f"  %y{k} = load {t}, ptr %m{k}p, align {min(8, size)}", f"  %ne{k} = icmp ne {t} %x{k}, %y{k}", f"  %z{k} = zext i1 %ne{k} to i32",
            f"  %b{k} = shl i32 %z{k}, %lane32", f"  %o{k} = load i32, ptr %bp, align 4", f"  %w{k} = or i32 %o{k}, %b{k}",
            f"  store i32 %w{k}, ptr %bp, align 4",
        ]  # fmt: skip
    return name, head(name) + "  br label %loop" + each(space, size * n, False, "\n".join(lines), ("some",), watched)
