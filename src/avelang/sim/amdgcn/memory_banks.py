"""An access to LDS comes in; calls that count the cycles which bank conflicts cost it go out, into the workgroup's
`profile`.

A wave's access takes phases of lanes, which are the chip's (`avelang.arch.amd`, with their sources); a phase takes as
many cycles as the bank that most dwords are asked of. What is counted is the cycles beyond one for each phase with an
active lane. Lanes that read one dword share it. Assumed: atomics have the phases of writes as wide; lanes that write or
update one dword share it, so that the turns which atomics on one address take are not counted; each place of a `..2`
instruction is an access of its own (measured for reads, nod-ai, "Empirical LDS Measurements"). """

from __future__ import annotations

from avelang.amdgcn.asm import Instruction
from avelang.arch import chip
from avelang.sim.amdgcn.state import GROUP, LANES
from avelang.sim.amdgcn.translator import Translator

MOST_BANKS = 64

# void ave_banks(g, index, order, size, banks, addr, offset, nbytes, exec). For each dword, in the order of lanes, it
# looks whether the phase has asked for that dword already; if not, its bank takes one turn more.
_TEXT = f"""
define internal void @ave_banks(
  ptr noalias %g, i64 %index, ptr %order, i64 %size, i32 %banks, ptr %addr, i32 %offset, i32 %nbytes, i64 %exec
) noinline #0 {{
entry:
  %seen = alloca [{4 * LANES + LANES} x i32], align 64
  %turns = alloca [{MOST_BANKS} x i32], align 64
  br label %phase
phase:
  %first = phi i64 [ 0, %entry ], [ %last, %sum ]
  %extra = phi i64 [ 0, %entry ], [ %extra1, %sum ]
  %last = add i64 %first, %size
  call void @llvm.memset.p0.i64(ptr align 64 %turns, i8 0, i64 {4 * MOST_BANKS}, i1 false)
  br label %lane
lane:
  %k = phi i64 [ %first, %phase ], [ %k1, %lanedone ]
  %count = phi i32 [ 0, %phase ], [ %count2, %lanedone ]
  %most = phi i32 [ 0, %phase ], [ %most2, %lanedone ]
  %op = getelementptr i8, ptr %order, i64 %k
  %o8 = load i8, ptr %op, align 1
  %o = zext i8 %o8 to i64
  %bits = lshr i64 %exec, %o
  %active = trunc i64 %bits to i1
  br i1 %active, label %ask, label %skip
skip:
  br label %lanedone
ask:
  %ap = getelementptr i32, ptr %addr, i64 %o
  %a0 = load i32, ptr %ap, align 4
  %a = add i32 %a0, %offset
  %e0 = add i32 %a, %nbytes
  %e = sub i32 %e0, 1
  %w0 = lshr i32 %a, 2
  %w1 = lshr i32 %e, 2
  br label %word
word:
  %w = phi i32 [ %w0, %ask ], [ %wn, %worddone ]
  %count1 = phi i32 [ %count, %ask ], [ %count4, %worddone ]
  %most1 = phi i32 [ %most, %ask ], [ %most4, %worddone ]
  br label %look
look:
  %n = phi i32 [ 0, %word ], [ %n1, %other ]
  %old = icmp ult i32 %n, %count1
  br i1 %old, label %try, label %new
try:
  %sp = getelementptr i32, ptr %seen, i32 %n
  %s = load i32, ptr %sp, align 4
  %same = icmp eq i32 %s, %w
  br i1 %same, label %shared, label %other
other:
  %n1 = add i32 %n, 1
  br label %look
shared:
  br label %worddone
new:
  %np = getelementptr i32, ptr %seen, i32 %count1
  store i32 %w, ptr %np, align 4
  %count3 = add i32 %count1, 1
  %bank = urem i32 %w, %banks
  %bp = getelementptr i32, ptr %turns, i32 %bank
  %t0 = load i32, ptr %bp, align 4
  %t1 = add i32 %t0, 1
  store i32 %t1, ptr %bp, align 4
  %worse = icmp ugt i32 %t1, %most1
  %most3 = select i1 %worse, i32 %t1, i32 %most1
  br label %worddone
worddone:
  %count4 = phi i32 [ %count1, %shared ], [ %count3, %new ]
  %most4 = phi i32 [ %most1, %shared ], [ %most3, %new ]
  %wn = add i32 %w, 1
  %morewords = icmp ult i32 %w, %w1
  br i1 %morewords, label %word, label %lanedone
lanedone:
  %count2 = phi i32 [ %count, %skip ], [ %count4, %worddone ]
  %most2 = phi i32 [ %most, %skip ], [ %most4, %worddone ]
  %k1 = add i64 %k, 1
  %morelanes = icmp ult i64 %k1, %last
  br i1 %morelanes, label %lane, label %sum
sum:
  %busy = icmp ne i32 %most2, 0
  %less = sub i32 %most2, 1
  %cost = select i1 %busy, i32 %less, i32 0
  %cost64 = zext i32 %cost to i64
  %extra1 = add i64 %extra, %cost64
  %morephases = icmp ult i64 %last, {LANES}
  br i1 %morephases, label %phase, label %done
done:
  %pp = getelementptr i8, ptr %g, i64 {GROUP["profile"]}
  %profile = load ptr, ptr %pp, align 8
  %place = getelementptr i64, ptr %profile, i64 %index
  %was = atomicrmw add ptr %place, i64 %extra1 monotonic, align 8
  ret void
}}
"""


def count(t: Translator, i: Instruction, addr: str, offset: int, nbytes: int, kind: str, lanes: str) -> None:
    """Counts an access of `lanes`, an i64 with a bit for each; see `Translator.lds_access` for the rest."""
    t.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
    order, size, banks = chip(t.chip).shared.phases(nbytes, kind)
    table = t.module.constant(f"[{LANES} x i8]", "[" + ", ".join(f"i8 {n}" for n in order) + "]")
    where = (f"ptr {table}", f"i64 {size}", f"i32 {banks}", f"ptr {addr}", f"i32 {offset}", f"i32 {nbytes}")
    t.run(t.helper("ave_banks", lambda: _TEXT), "ptr %g", f"i64 {i.index}", *where, f"i64 {lanes}", may_fail=False)
