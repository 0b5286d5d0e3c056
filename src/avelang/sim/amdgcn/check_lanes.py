"""LLVM IR of the functions that look at the lanes of one instruction: stores of different values to one place, shuffles from inactive lanes."""

from __future__ import annotations

from avelang.sim.amdgcn.faults import INACTIVE, LANES_DIFFER
from avelang.sim.amdgcn.state import GROUP, LANES, REGISTER

_RECORD = f"""
  %code.p = getelementptr i8, ptr %g, i64 {GROUP["fault_code"]}
  %lane.p = getelementptr i8, ptr %g, i64 {GROUP["fault_lane"]}
  %address.p = getelementptr i8, ptr %g, i64 {GROUP["fault_address"]}
  %extra.p = getelementptr i8, ptr %g, i64 {GROUP["fault_extra"]}
  %n32 = trunc i64 %n to i32
  store i32 CODE, ptr %code.p, align 4
  store i32 %n32, ptr %lane.p, align 4
  store i64 %where, ptr %address.p, align 8
  store i64 %other, ptr %extra.p, align 8
  %index.p = getelementptr i8, ptr %g, i64 {GROUP["access"]}
  %index = load i32, ptr %index.p, align 8
  %stop = call i32 @ave_check_found(ptr %g, i32 %index, i64 0, i1 true)
  ret i32 %stop
"""

# i32 ave_lanes(g, data, at, exec, words, shift, mask): whether two active lanes store different values at the same address. A lane is held against
# those up to 32 further on, so that each pair is met.
LANES_TEXT = f"""
define internal i32 @ave_lanes(ptr %g, ptr %data, ptr %at, i64 %exec, i64 %words, i32 %shift, i32 %mask) noinline #0 {{
entry:
  %twice = alloca [{2 * LANES} x i64], align 64
  %a = load <{LANES} x i64>, ptr %at, align 64
  store <{LANES} x i64> %a, ptr %twice, align 64
  %again = getelementptr i64, ptr %twice, i64 {LANES}
  store <{LANES} x i64> %a, ptr %again, align 64
  br label %step
step:
  %k = phi i64 [ 1, %entry ], [ %k1, %next ]
  %bp = getelementptr i64, ptr %twice, i64 %k
  %b = load <{LANES} x i64>, ptr %bp, align 8
  %eq = icmp eq <{LANES} x i64> %a, %b
  %word = bitcast <{LANES} x i1> %eq to i64
  %there = call i64 @llvm.fshr.i64(i64 %exec, i64 %exec, i64 %k)
  %both0 = and i64 %word, %exec
  %both = and i64 %both0, %there
  %some = icmp ne i64 %both, 0
  br i1 %some, label %lane, label %next
lane:
  %left = phi i64 [ %both, %step ], [ %rest, %same ]
  %n = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %far = add i64 %n, %k
  %other = and i64 %far, {LANES - 1}
  br label %value
value:
  %j = phi i64 [ 0, %lane ], [ %j1, %equal ]
  %row = mul i64 %j, {REGISTER}
  %reg = getelementptr i8, ptr %data, i64 %row
  %xp = getelementptr i32, ptr %reg, i64 %n
  %yp = getelementptr i32, ptr %reg, i64 %other
  %x0 = load i32, ptr %xp, align 4
  %y0 = load i32, ptr %yp, align 4
  %d0 = xor i32 %x0, %y0
  %d1 = lshr i32 %d0, %shift
  %d = and i32 %d1, %mask
  %differ = icmp ne i32 %d, 0
  br i1 %differ, label %fault, label %equal
equal:
  %j1 = add i64 %j, 1
  %morewords = icmp ult i64 %j1, %words
  br i1 %morewords, label %value, label %same
same:
  %minus = sub i64 %left, 1
  %rest = and i64 %left, %minus
  %morelanes = icmp ne i64 %rest, 0
  br i1 %morelanes, label %lane, label %next
next:
  %k1 = add i64 %k, 1
  %more = icmp ule i64 %k1, {LANES // 2}
  br i1 %more, label %step, label %fine
fine:
  ret i32 0
fault:
  %wp = getelementptr i64, ptr %at, i64 %n
  %where = load i64, ptr %wp, align 8{_RECORD.replace("CODE", str(LANES_DIFFER))}}}
"""

# i32 ave_sources(g, addresses, offset, exec): whether an active lane of ds_bpermute_b32 reads from one that is not.
SOURCES_TEXT = f"""
define internal i32 @ave_sources(ptr %g, ptr %addr, i32 %offset, i64 %exec) noinline #0 {{
entry:
  %full = icmp eq i64 %exec, -1
  %none = icmp eq i64 %exec, 0
  %easy = or i1 %full, %none
  br i1 %easy, label %fine, label %lane
lane:
  %left = phi i64 [ %exec, %entry ], [ %rest, %next ]
  %n = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %ap = getelementptr i32, ptr %addr, i64 %n
  %a0 = load i32, ptr %ap, align 4
  %a = add i32 %a0, %offset
  %up = lshr i32 %a, 2
  %from = and i32 %up, {LANES - 1}
  %other = zext i32 %from to i64
  %shifted = lshr i64 %exec, %other
  %active = trunc i64 %shifted to i1
  br i1 %active, label %next, label %fault
next:
  %minus = sub i64 %left, 1
  %rest = and i64 %left, %minus
  %more = icmp ne i64 %rest, 0
  br i1 %more, label %lane, label %fine
fine:
  ret i32 0
fault:
  %where = add i64 0, 0{_RECORD.replace("CODE", str(INACTIVE))}}}
"""
