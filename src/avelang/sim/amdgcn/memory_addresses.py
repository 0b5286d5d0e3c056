"""Addresses of 64 lanes come in, in the ways instructions spell them; LLVM IR of functions that check them and make host addresses goes out.

A stage is `i32 stage(g, w, out, low, high, base, exec, bytes)`: `low` and `high` point at vector registers, `base` is the same for all lanes, each
active lane touches `bytes`. It writes 64 addresses to `out` (those of inactive lanes are good to read) and returns 0, or records a fault and
returns 1. At least one lane is active. What lanes touch together is checked at once; one by one only where that fails, to name the lane.
"""

from __future__ import annotations

from avelang.sim.amdgcn import memory_traffic
from avelang.sim.amdgcn.faults import LDS_OUTSIDE, MISALIGNED, OUTSIDE
from avelang.sim.amdgcn.state import GROUP, LANES, PRIVATE_BASE, SHARED_BASE, WAVE
from avelang.sim.amdgcn.translator import Translator

V64, V32, M = f"<{LANES} x i64>", f"<{LANES} x i32>", f"<{LANES} x i1>"
LANE_NUMBERS = "<" + ", ".join(f"i64 {n}" for n in range(LANES)) + ">"
STAGE = (
    "define internal i32 @{name}(ptr noalias %g, ptr noalias %w, ptr noalias %out, ptr %low, ptr %high, i64 %base, i64 %exec, i64 %bytes)"
    " noinline #0 {{\nentry:"
)


def field(base: str, name: str, result: str) -> str:
    """A line that points `result` at a field of the workgroup ("g") or the wave ("w")."""
    return f"  %{result} = getelementptr i8, ptr %{base}, i64 {(GROUP if base == 'g' else WAVE)[name]}"


def record(code: int | str, lane: str, address: str, extra: str) -> str:
    """Lines that record a fault."""
    return f"""{field("g", "fault_code", "f.code")}
{field("g", "fault_lane", "f.lane")}
{field("g", "fault_address", "f.address")}
{field("g", "fault_extra", "f.extra")}
  %f.lane32 = trunc i64 {lane} to i32
  store i32 {code}, ptr %f.code, align 4
  store i32 %f.lane32, ptr %f.lane, align 4
  store i64 {address}, ptr %f.address, align 8
  store i64 {extra}, ptr %f.extra, align 8"""


# i1 ave_within(g, low, high, bytes): whether one piece of the memory that was given holds all of low .. high + bytes - 1.
_WITHIN = f"""
define internal i1 @ave_within(ptr noalias %g, i64 %low, i64 %high, i64 %bytes) noinline #0 {{
entry:
{field("g", "regions", "rp")}
{field("g", "region_count", "cp")}
  %regions = load ptr, ptr %rp, align 8
  %count = load i32, ptr %cp, align 4
  br label %look
look:
  %n = phi i32 [ 0, %entry ], [ %n1, %next ]
  %more = icmp ult i32 %n, %count
  br i1 %more, label %try, label %outside
try:
  %two = shl i32 %n, 1
  %ap = getelementptr i64, ptr %regions, i32 %two
  %bp = getelementptr i64, ptr %ap, i64 1
  %a = load i64, ptr %ap, align 8
  %b = load i64, ptr %bp, align 8
  %above = icmp uge i64 %low, %a
  %below = icmp ult i64 %high, %b
  %between = and i1 %above, %below
  %room = sub i64 %b, %high
  %fits = icmp uge i64 %room, %bytes
  %in = and i1 %between, %fits
  br i1 %in, label %inside, label %next
next:
  %n1 = add i32 %n, 1
  br label %look
inside:
  ret i1 true
outside:
  ret i1 false
}}
"""

# i32 ave_each(g, at, exec, bytes): the check of each active lane alone.
_EACH = f"""
define internal i32 @ave_each(ptr noalias %g, ptr noalias %at, i64 %exec, i64 %bytes) noinline #0 {{
entry:
  br label %loop
loop:
  %left = phi i64 [ %exec, %entry ], [ %rest, %next ]
  %n = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %ap = getelementptr i64, ptr %at, i64 %n
  %a = load i64, ptr %ap, align 8
  %in = call i1 @ave_within(ptr %g, i64 %a, i64 %a, i64 %bytes)
  br i1 %in, label %next, label %bad
next:
  %minus = sub i64 %left, 1
  %rest = and i64 %left, %minus
  %more = icmp ne i64 %rest, 0
  br i1 %more, label %loop, label %fine
fine:
  ret i32 0
bad:
{record(OUTSIDE, "%n", "%a", "%bytes")}
  ret i32 1
}}
"""

# i32 ave_settle(g, from, out, delta, exec, bytes): checks addresses, moved by delta, and writes those of inactive lanes over with a good one.
_SETTLE = f"""
define internal i32 @ave_settle(ptr noalias %g, ptr %from, ptr %out, i64 %delta, i64 %exec, i64 %bytes) noinline #0 {{
entry:
  %raw = load {V64}, ptr %from, align 64
  %d1 = insertelement {V64} poison, i64 %delta, i64 0
  %d = shufflevector {V64} %d1, {V64} poison, <{LANES} x i32> zeroinitializer
  %a = add {V64} %raw, %d
  %m = bitcast i64 %exec to {M}
  %forlow = select {M} %m, {V64} %a, {V64} splat (i64 -1)
  %forhigh = select {M} %m, {V64} %a, {V64} zeroinitializer
  %low = call i64 @llvm.vector.reduce.umin.v{LANES}i64({V64} %forlow)
  %high = call i64 @llvm.vector.reduce.umax.v{LANES}i64({V64} %forhigh)
  %l1 = insertelement {V64} poison, i64 %low, i64 0
  %l = shufflevector {V64} %l1, {V64} poison, <{LANES} x i32> zeroinitializer
  %good = select {M} %m, {V64} %a, {V64} %l
  store {V64} %good, ptr %out, align 64
;moved %exec %bytes
  %in = call i1 @ave_within(ptr %g, i64 %low, i64 %high, i64 %bytes)
  br i1 %in, label %fine, label %slow
fine:
  ret i32 0 ;race %out %exec %bytes
slow:
  %s = call i32 @ave_each(ptr %g, ptr %out, i64 %exec, i64 %bytes)
  ret i32 %s ;race %out %exec %bytes
}}
"""

# base + (high, low): both registers may be the zeros of `zeros`.
_GLOBAL = f"""
  %l = load {V32}, ptr %low, align 64
  %h = load {V32}, ptr %high, align 64
  %l64 = zext {V32} %l to {V64}
  %h64 = zext {V32} %h to {V64}
  %up = shl {V64} %h64, splat (i64 32)
  %va = or {V64} %up, %l64
  %b1 = insertelement {V64} poison, i64 %base, i64 0
  %b = shufflevector {V64} %b1, {V64} poison, <{LANES} x i32> zeroinitializer
  %a = add {V64} %va, %b
"""

# LDS: low + base modulo 2**32, in bytes from the start of what the workgroup has (MI300 ISA, section 11.3.1).
_LDS = f"""
  %l = load {V32}, ptr %low, align 64
  %base32 = trunc i64 %base to i32
  %b1 = insertelement {V32} poison, i32 %base32, i64 0
  %b = shufflevector {V32} %b1, {V32} poison, <{LANES} x i32> zeroinitializer
  %a = add {V32} %l, %b
  %m = bitcast i64 %exec to {M}
  %forhigh = select {M} %m, {V32} %a, {V32} zeroinitializer
  %high32 = call i32 @llvm.vector.reduce.umax.v{LANES}i32({V32} %forhigh)
  %end32 = zext i32 %high32 to i64
  %end = add i64 %end32, %bytes
{field("g", "lds_bytes", "np")}
  %n32 = load i32, ptr %np, align 4
  %n = zext i32 %n32 to i64
  %fits = icmp ule i64 %end, %n
  br i1 %fits, label %fine, label %bad
fine:
  %h1 = insertelement {V32} poison, i32 %high32, i64 0
  %h = shufflevector {V32} %h1, {V32} poison, <{LANES} x i32> zeroinitializer
  %good = select {M} %m, {V32} %a, {V32} %h
{field("g", "lds", "pp")}
  %p = load i64, ptr %pp, align 8
  %p1 = insertelement {V64} poison, i64 %p, i64 0
  %ps = shufflevector {V64} %p1, {V64} poison, <{LANES} x i32> zeroinitializer
  %wide = zext {V32} %good to {V64}
  %at = add {V64} %wide, %ps
  store {V64} %at, ptr %out, align 64
  ret i32 0
bad:
  %last = sub i64 %n, %bytes
  %ns = trunc i64 %last to i32
  %n1 = insertelement {V32} poison, i32 %ns, i64 0
  %nn = shufflevector {V32} %n1, {V32} poison, <{LANES} x i32> zeroinitializer
  %over = icmp ugt {V32} %a, %nn
  %none = icmp slt i64 %last, 0
  %word = bitcast {M} %over to i64
  %all = select i1 %none, i64 -1, i64 %word
  %which = and i64 %all, %exec
  %lane = call i64 @llvm.cttz.i64(i64 %which, i1 true)
  store {V32} %a, ptr %out, align 64
  %ap = getelementptr i32, ptr %out, i64 %lane
  %a32 = load i32, ptr %ap, align 4
  %a64 = zext i32 %a32 to i64
{record(LDS_OUTSIDE, "%lane", "%a64", "%bytes")}
  ret i32 1
}}
"""

# A lane's stack: offset low + base, unsigned (MI300 ISA, section 10.5). Lanes stand one after another, `private_bytes` each.
_SCRATCH = f"""
  %l = load {V32}, ptr %low, align 64
  %l64 = zext {V32} %l to {V64}
  %b1 = insertelement {V64} poison, i64 %base, i64 0
  %b = shufflevector {V64} %b1, {V64} poison, <{LANES} x i32> zeroinitializer
  %off = add {V64} %l64, %b
  %m = bitcast i64 %exec to {M}
  %sel = select {M} %m, {V64} %off, {V64} zeroinitializer
{field("g", "private_bytes", "np")}
  %n32 = load i32, ptr %np, align 4
  %n = zext i32 %n32 to i64
  %last = sub i64 %n, %bytes
  %m1 = insertelement {V64} poison, i64 %last, i64 0
  %mm = shufflevector {V64} %m1, {V64} poison, <{LANES} x i32> zeroinitializer
  %over = icmp ugt {V64} %sel, %mm
  %word = bitcast {M} %over to i64
  %none = icmp slt i64 %last, 0
  %all = select i1 %none, i64 -1, i64 %word
  %which = and i64 %all, %exec
  %bad = icmp ne i64 %which, 0
{field("w", "private", "pp")}
  %p = load i64, ptr %pp, align 8
  %p1 = insertelement {V64} poison, i64 %p, i64 0
  %ps = shufflevector {V64} %p1, {V64} poison, <{LANES} x i32> zeroinitializer
  %s1 = insertelement {V64} poison, i64 %n, i64 0
  %ss = shufflevector {V64} %s1, {V64} poison, <{LANES} x i32> zeroinitializer
  %own = mul {V64} %ss, {LANE_NUMBERS}
  %start = add {V64} %ps, %own
  %at = add {V64} %start, %sel
  store {V64} %at, ptr %out, align 64
  br i1 %bad, label %fault, label %fine
fine:
  ret i32 0
fault:
  %lane = call i64 @llvm.cttz.i64(i64 %which, i1 true)
  store {V64} %off, ptr %out, align 64
  %ap = getelementptr i64, ptr %out, i64 %lane
  %a = load i64, ptr %ap, align 8
  %flat = add i64 %a, {PRIVATE_BASE}
{record(OUTSIDE, "%lane", "%flat", "%bytes")}
  ret i32 1
}}
"""

# Flat addresses: the upper word tells LDS and stacks from the rest (MI300 ISA, section 10.3); lanes may differ in that.
_FLAT = f"""{_GLOBAL}
  %top = lshr {V64} %a, splat (i64 32)
  %isshared = icmp eq {V64} %top, splat (i64 {SHARED_BASE >> 32})
  %isprivate = icmp eq {V64} %top, splat (i64 {PRIVATE_BASE >> 32})
  %either = or {M} %isshared, %isprivate
  %word = bitcast {M} %either to i64
  %some = and i64 %word, %exec
  %any = icmp ne i64 %some, 0
  store {V64} %a, ptr %out, align 64
  br i1 %any, label %mixed, label %plain
plain:
  %s = call i32 @ave_settle(ptr %g, ptr %out, ptr %out, i64 0, i64 %exec, i64 %bytes)
  ret i32 %s
mixed:
{field("g", "lds", "lp")}
  %lds = load i64, ptr %lp, align 8
{field("g", "lds_bytes", "lnp")}
  %ln32 = load i32, ptr %lnp, align 4
  %ln = zext i32 %ln32 to i64
{field("w", "private", "pp")}
  %private = load i64, ptr %pp, align 8
{field("g", "private_bytes", "pnp")}
  %pn32 = load i32, ptr %pnp, align 4
  %pn = zext i32 %pn32 to i64
  br label %loop
loop:
  %left = phi i64 [ %exec, %mixed ], [ %rest, %put ]
  %n = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %ap = getelementptr i64, ptr %out, i64 %n
  %x = load i64, ptr %ap, align 8
  %xtop = lshr i64 %x, 32
  %xlow = and i64 %x, 4294967295
  %end = add i64 %xlow, %bytes
  %shared = icmp eq i64 %xtop, {SHARED_BASE >> 32}
  br i1 %shared, label %inlds, label %notlds
inlds:
  %lfits = icmp ule i64 %end, %ln
  %lat = add i64 %lds, %xlow
  br i1 %lfits, label %put, label %ldsbad
notlds:
  %stack = icmp eq i64 %xtop, {PRIVATE_BASE >> 32}
  br i1 %stack, label %instack, label %inmemory
instack:
  %pfits = icmp ule i64 %end, %pn
  %skip = mul i64 %pn, %n
  %mine = add i64 %private, %skip
  %pat = add i64 %mine, %xlow
  br i1 %pfits, label %put, label %bad
inmemory:
;moved 1 %bytes
  %in = call i1 @ave_within(ptr %g, i64 %x, i64 %x, i64 %bytes)
  br i1 %in, label %put, label %bad
put:
  %y = phi i64 [ %lat, %inlds ], [ %pat, %instack ], [ %x, %inmemory ]
  store i64 %y, ptr %ap, align 8
  %minus = sub i64 %left, 1
  %rest = and i64 %left, %minus
  %more = icmp ne i64 %rest, 0
  br i1 %more, label %loop, label %fill
fill:
  %all = load {V64}, ptr %out, align 64
  %m = bitcast i64 %exec to {M}
  %y1 = insertelement {V64} poison, i64 %y, i64 0
  %ys = shufflevector {V64} %y1, {V64} poison, <{LANES} x i32> zeroinitializer
  %good = select {M} %m, {V64} %all, {V64} %ys
  store {V64} %good, ptr %out, align 64
  %others = xor i64 %word, -1
  %inmem = and i64 %others, %exec
  ret i32 0 ;race %out %inmem %bytes
ldsbad:
  br label %bad
bad:
  %code = phi i32 [ {LDS_OUTSIDE}, %ldsbad ], [ {OUTSIDE}, %instack ], [ {OUTSIDE}, %inmemory ]
  %told = select i1 %shared, i64 %xlow, i64 %x
{record("%code", "%n", "%told", "%bytes")}
  ret i32 1
}}
"""

# i32 ave_aligned(g, at, exec, bytes): a fault where an active lane's address is not a multiple of `bytes`, a power of two.
_ALIGNED = f"""
define internal i32 @ave_aligned(ptr noalias %g, ptr noalias %at, i64 %exec, i64 %bytes) noinline #0 {{
entry:
  %a = load {V64}, ptr %at, align 64
  %below = sub i64 %bytes, 1
  %b1 = insertelement {V64} poison, i64 %below, i64 0
  %b = shufflevector {V64} %b1, {V64} poison, <{LANES} x i32> zeroinitializer
  %part = and {V64} %a, %b
  %off = icmp ne {V64} %part, zeroinitializer
  %word = bitcast {M} %off to i64
  %which = and i64 %word, %exec
  %bad = icmp ne i64 %which, 0
  br i1 %bad, label %fault, label %fine
fine:
  ret i32 0
fault:
  %lane = call i64 @llvm.cttz.i64(i64 %which, i1 true)
  %ap = getelementptr i64, ptr %at, i64 %lane
  %address = load i64, ptr %ap, align 8
{record(MISALIGNED, "%lane", "%address", "%bytes")}
  ret i32 1
}}
"""

# void ave_clear(data, lanes): 0 in a register's lanes.
_CLEAR = f"""
define internal void @ave_clear(ptr %data, i64 %lanes) noinline #0 {{
entry:
  %old = load {V32}, ptr %data, align 64
  %m = bitcast i64 %lanes to {M}
  %new = select {M} %m, {V32} zeroinitializer, {V32} %old
  store {V32} %new, ptr %data, align 64
  ret void
}}
"""

_SETTLED = f"""
  store {V64} %a, ptr %out, align 64
  %s = call i32 @ave_settle(ptr %g, ptr %out, ptr %out, i64 0, i64 %exec, i64 %bytes)
  ret i32 %s
}}
"""
_STAGES = {"global": _GLOBAL + _SETTLED, "flat": _FLAT, "scratch": _SCRATCH, "lds": _LDS}
_HELPERS = {"ave_within": _WITHIN, "ave_each": _EACH, "ave_settle": _SETTLE, "ave_aligned": _ALIGNED, "ave_clear": _CLEAR}


def helper(t: Translator, name: str) -> str:
    """One of the functions that check ("ave_within", "ave_settle" or "ave_aligned"), or "ave_clear", with its @."""
    t.module.declare("llvm.cttz.i64", "i64", ["i64", "i1"])
    for kind in ("umin", "umax"):
        t.module.declare(f"llvm.vector.reduce.{kind}.v{LANES}i64", "i64", [V64])
    t.module.declare(f"llvm.vector.reduce.umax.v{LANES}i32", "i32", [V32])
    needed = ("ave_within", "ave_each", "ave_settle") if name == "ave_settle" else (name,)
    return [t.helper(n, lambda n=n: memory_traffic.counting(t, _HELPERS[n])) for n in needed][-1]


def stage(t: Translator, space: str) -> str:
    """The stage of a space ("global", "flat", "scratch" or "lds"), with its @."""
    helper(t, "ave_settle")
    name = f"ave_at_{space}"
    return t.helper(name, lambda: memory_traffic.counting(t, STAGE.format(name=name) + _STAGES[space]))


def zeros(t: Translator) -> str:
    """A pointer to the memory of a vector register that holds 0: for an address without that part."""
    return t.module.constant(V32, "zeroinitializer")
