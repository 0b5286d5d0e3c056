"""LLVM IR of the functions that run workgroups: a wave until its next barrier, all waves in an order, one workgroup after another."""

from __future__ import annotations

from avelang.amdgcn.asm import EXEC
from avelang.sim.amdgcn.state import AT_BARRIER, BARRIER, CELLS, ENDED, GROUP, LANES, WAVE, WAVE_BYTES


def _at(base: str, name: str, result: str) -> str:
    offset = (GROUP if base == "g" else WAVE)[name]
    return f"  {result} = getelementptr i8, ptr %{base}, i64 {offset}"


# Runs one wave from its pc until it waits, ends or faults. Returns 0, or 1 after a fault.
_WAVE = f"""
define internal i32 @ave_wave(ptr %w, ptr %g) #0 {{
entry:
{_at("w", "pc", "%pcp")}
{_at("w", "status", "%stp")}
{_at("g", "current", "%cup")}
{_at("g", "stop", "%stopp")}
  store ptr %w, ptr %cup, align 8
  %first = load i32, ptr %pcp, align 4
  br label %step
step:
  %pc = phi i32 [ %first, %entry ], [ %next, %look ]
  %slot = getelementptr ptr, ptr @ave_blocks, i32 %pc
  %code = load ptr, ptr %slot, align 8
  %next = call i32 %code(ptr %w, ptr %g)
  %on = icmp sge i32 %next, 0
  br i1 %on, label %look, label %stop
look:
  %told = load atomic i32, ptr %stopp monotonic, align 4
  %quit = icmp ne i32 %told, 0
  br i1 %quit, label %fault, label %step
stop:
  switch i32 %next, label %fault [ i32 {BARRIER}, label %wait
                                   i32 -1, label %end ]
wait:
  store i32 {AT_BARRIER}, ptr %stp, align 4
  ret i32 0
end:
  store i32 {ENDED}, ptr %stp, align 4
  ret i32 0
fault:
{_at("w", "index", "%ixp")}
{_at("g", "fault_wave", "%fwp")}
  %ix = load i32, ptr %ixp, align 4
  store i32 %ix, ptr %fwp, align 4
  ret i32 1
}}
"""

# Gives every wave of the workgroup its first registers.
_START = f"""
define internal void @ave_start(ptr %g) #0 {{
entry:
{_at("g", "waves", "%wavesp")}
{_at("g", "wave_states", "%statesp")}
{_at("g", "template", "%templatep")}
{_at("g", "items", "%itemsp")}
{_at("g", "item_registers", "%registersp")}
{_at("g", "id_cell", "%cellp")}
{_at("g", "id_mask", "%maskp")}
  %waves = load i32, ptr %wavesp, align 4
  %states = load ptr, ptr %statesp, align 8
  %template = load ptr, ptr %templatep, align 8
  %items = load ptr, ptr %itemsp, align 8
  %registers = load i32, ptr %registersp, align 4
  %cell = load i32, ptr %cellp, align 4
  %mask = load i32, ptr %maskp, align 4
  %bytes = mul i32 %registers, {4 * LANES}
  %bytes64 = zext i32 %bytes to i64
  br label %wave
wave:
  %n = phi i32 [ 0, %entry ], [ %n1, %placed ]
  %n64 = zext i32 %n to i64
  %off = mul i64 %n64, {WAVE_BYTES}
  %w = getelementptr i8, ptr %states, i64 %off
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %w, ptr align 4 %template, i64 {4 * CELLS}, i1 false)
{_at("w", "pc", "%pcp")}
{_at("w", "status", "%stp")}
{_at("w", "index", "%ixp")}
{_at("w", "epoch", "%epp")}
  store i32 0, ptr %pcp, align 4
  store i32 0, ptr %stp, align 4
  store i32 %n, ptr %ixp, align 4
  store i32 0, ptr %epp, align 4
  %from = mul i64 %n64, %bytes64
  %mine = getelementptr i8, ptr %items, i64 %from
  %v0 = getelementptr i8, ptr %w, i64 1024
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %v0, ptr align 4 %mine, i64 %bytes64, i1 false)
  br label %dim
dim:
  %d = phi i32 [ 0, %wave ], [ %d1, %after ]
  %at = phi i32 [ %cell, %wave ], [ %at1, %after ]
  %bit = lshr i32 %mask, %d
  %has = trunc i32 %bit to i1
  br i1 %has, label %put, label %after
put:
  %dd = add i32 %d, {GROUP["id"] // 4}
  %idp = getelementptr i32, ptr %g, i32 %dd
  %id = load i32, ptr %idp, align 4
  %cellat = getelementptr i32, ptr %w, i32 %at
  store i32 %id, ptr %cellat, align 4
  %atn = add i32 %at, 1
  br label %after
after:
  %at1 = phi i32 [ %at, %dim ], [ %atn, %put ]
  %d1 = add i32 %d, 1
  %dmore = icmp ult i32 %d1, 3
  br i1 %dmore, label %dim, label %placed
placed:
  %n1 = add i32 %n, 1
  %islast = icmp eq i32 %n1, %waves
{_at("g", "last_exec", "%lastp")}
  %last = load i64, ptr %lastp, align 8
  %execp = getelementptr i8, ptr %w, i64 {4 * EXEC}
  %given = load i64, ptr %execp, align 8
  %within = select i1 %islast, i64 %last, i64 -1
  %exec = and i64 %within, %given
  store i64 %exec, ptr %execp, align 8
  %more = icmp ult i32 %n1, %waves
  br i1 %more, label %wave, label %done
done:
  call void @ave_check_start(ptr %g)
  ret void
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""

# The order of the waves in this round: forward, reverse, or shuffled (Fisher and Yates, with a xorshift generator).
_ORDER = f"""
define internal void @ave_order(ptr %g, i32 %waves) #0 {{
entry:
{_at("g", "order", "%orderp")}
{_at("g", "seed", "%seedp")}
{_at("g", "permutation", "%perm")}
  %order = load i32, ptr %orderp, align 4
  %reverse = icmp eq i32 %order, 1
  %last = sub i32 %waves, 1
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i1, %fill ]
  %back = sub i32 %last, %i
  %value = select i1 %reverse, i32 %back, i32 %i
  %slot = getelementptr i32, ptr %perm, i32 %i
  store i32 %value, ptr %slot, align 4
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %waves
  br i1 %more, label %fill, label %filled
filled:
  %random = icmp eq i32 %order, 2
  %several = icmp ugt i32 %waves, 1
  %go = and i1 %random, %several
  br i1 %go, label %shuffle, label %done
shuffle:
  %k = phi i32 [ %last, %filled ], [ %k1, %shuffle ]
  %s0 = load i32, ptr %seedp, align 4
  %a = shl i32 %s0, 13
  %s1 = xor i32 %s0, %a
  %b = lshr i32 %s1, 17
  %s2 = xor i32 %s1, %b
  %c = shl i32 %s2, 5
  %s3 = xor i32 %s2, %c
  store i32 %s3, ptr %seedp, align 4
  %span = add i32 %k, 1
  %pick = urem i32 %s3, %span
  %kp = getelementptr i32, ptr %perm, i32 %k
  %pp = getelementptr i32, ptr %perm, i32 %pick
  %kv = load i32, ptr %kp, align 4
  %pv = load i32, ptr %pp, align 4
  store i32 %pv, ptr %kp, align 4
  store i32 %kv, ptr %pp, align 4
  %k1 = sub i32 %k, 1
  %again = icmp ugt i32 %k1, 0
  br i1 %again, label %shuffle, label %done
done:
  ret void
}}
"""

# One workgroup: rounds over its waves until all have ended; waves that wait go on when no other wave can.
_GROUP = f"""
define internal i32 @ave_group(ptr %g) #0 {{
entry:
  call void @ave_start(ptr %g)
{_at("g", "waves", "%wavesp")}
{_at("g", "wave_states", "%statesp")}
{_at("g", "permutation", "%perm")}
  %waves = load i32, ptr %wavesp, align 4
  %states = load ptr, ptr %statesp, align 8
  br label %round
round:
  call void @ave_order(ptr %g, i32 %waves)
  br label %visit
visit:
  %i = phi i32 [ 0, %round ], [ %i1, %visited ]
  %slot = getelementptr i32, ptr %perm, i32 %i
  %n = load i32, ptr %slot, align 4
  %n64 = zext i32 %n to i64
  %off = mul i64 %n64, {WAVE_BYTES}
  %w = getelementptr i8, ptr %states, i64 %off
{_at("w", "status", "%stp")}
  %st = load i32, ptr %stp, align 4
  %ready = icmp eq i32 %st, 0
  br i1 %ready, label %go, label %visited
go:
  %bad = call i32 @ave_wave(ptr %w, ptr %g)
  %fault = icmp ne i32 %bad, 0
  br i1 %fault, label %failed, label %visited
visited:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %waves
  br i1 %more, label %visit, label %release
release:
  %j = phi i32 [ 0, %visited ], [ %j1, %released ]
  %open = phi i32 [ 0, %visited ], [ %open1, %released ]
  %j64 = zext i32 %j to i64
  %joff = mul i64 %j64, {WAVE_BYTES}
  %v = getelementptr i8, ptr %states, i64 %joff
  %vst = getelementptr i8, ptr %v, i64 {WAVE["status"]}
  %s = load i32, ptr %vst, align 4
  %waits = icmp eq i32 %s, {AT_BARRIER}
  br i1 %waits, label %free, label %released
free:
  store i32 0, ptr %vst, align 4
  br label %released
released:
  %one = zext i1 %waits to i32
  %open1 = or i32 %open, %one
  %j1 = add i32 %j, 1
  %jmore = icmp ult i32 %j1, %waves
  br i1 %jmore, label %release, label %next
next:
  %again = icmp ne i32 %open1, 0
  br i1 %again, label %round, label %done
done:
  ret i32 0
failed:
  ret i32 1
}}
"""

# Workgroups first .. last - 1 by their linear number, x fastest. Returns 1 after a fault.
_RUN = f"""
define i32 @ave_run(ptr %g, i64 %first, i64 %last) #0 {{
entry:
{_at("g", "grid", "%gridp")}
{_at("g", "id", "%idp")}
  %gyp = getelementptr i32, ptr %gridp, i64 1
  %iyp = getelementptr i32, ptr %idp, i64 1
  %izp = getelementptr i32, ptr %idp, i64 2
  %gx = load i32, ptr %gridp, align 4
  %gy = load i32, ptr %gyp, align 4
  %gx64 = zext i32 %gx to i64
  %gy64 = zext i32 %gy to i64
  br label %loop
loop:
  %at = phi i64 [ %first, %entry ], [ %at1, %ok ]
  %x = urem i64 %at, %gx64
  %rest = udiv i64 %at, %gx64
  %y = urem i64 %rest, %gy64
  %z = udiv i64 %rest, %gy64
  %x32 = trunc i64 %x to i32
  %y32 = trunc i64 %y to i32
  %z32 = trunc i64 %z to i32
  store i32 %x32, ptr %idp, align 4
  store i32 %y32, ptr %iyp, align 4
  store i32 %z32, ptr %izp, align 4
{_at("g", "linear", "%linearp")}
  store i64 %at, ptr %linearp, align 8
  %bad = call i32 @ave_group(ptr %g)
  %fault = icmp ne i32 %bad, 0
  br i1 %fault, label %failed, label %ok
ok:
  %at1 = add i64 %at, 1
  %more = icmp ult i64 %at1, %last
  br i1 %more, label %loop, label %done
done:
  ret i32 0
failed:
  ret i32 1
}}
"""

# The same, where blocks are made when a wave first comes to them: `ave_maker` is called with the block's number, and fills its place in `ave_blocks`.
_LATER = _WAVE.replace(
    """  %next = call i32 %code(ptr %w, ptr %g)
""",
    """  %none = icmp eq ptr %code, null
  br i1 %none, label %missing, label %there
missing:
  %maker = load ptr, ptr @ave_maker, align 8
  %made = call i32 %maker(i32 %pc)
  %failed = icmp ne i32 %made, 0
  br i1 %failed, label %fault, label %step
there:
  %next = call i32 %code(ptr %w, ptr %g)
""",
).replace("[ %next, %look ]", "[ %next, %look ], [ %pc, %missing ]")
assert _LATER.count("%missing") == 2

TEXT = _WAVE + _START + _ORDER + _GROUP + _RUN
LATER = _LATER + _START + _ORDER + _GROUP + _RUN + "\n@ave_maker = global ptr null, align 8"
