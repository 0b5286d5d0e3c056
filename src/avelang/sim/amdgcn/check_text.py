"""Layout of the checker's records, and LLVM IR of the functions that keep them: what is under way, what has come, who used which piece of LDS.

Of a wave: for each class of instructions under way (`CLASSES`) how many were issued and how many of them, in order, are surely done; and for each
register the number and the class of the load that it waits for. Of a workgroup: for each wave what was done when it came to the last barrier,
and for each granule of LDS the last writer and every wave's last read.
"""

from __future__ import annotations

from avelang.amdgcn.effects import CELLS, FLAT, LDS, SMEM, VM
from avelang.sim.amdgcn.faults import IN_FLIGHT
from avelang.sim.amdgcn.state import ENDED, FILE, GROUP, MAX_WAVES, REGISTER, VECTORS, WAVE, WAVE_BYTES

# Of a wave. `issued`, `done`: a u32 for each class. FLAT instructions come back through two counters: `touched` is the last that met LDS,
# `flat_vm` and `flat_lgkm` how many had been issued when each counter was last 0. `skipped`: what waits that are switched off would have reached,
# for each class. `pending`: of each cell, the number of its load and, above, that instruction's index and class. `ring`: (number, index) of the
# last accesses to LDS. `positions`: at which wait state each instruction was last executed.
CLASSES = (VM, LDS, SMEM, FLAT)
RING = 1024
OF_WAVE = {
    "issued": 0, "done": 16, "touched": 32, "flat_vm": 36, "flat_lgkm": 40, "skipped": 48, "position": 64, "pending": 128,
    "ring": 128 + 8 * CELLS, "positions": 128 + 8 * CELLS + 8 * RING,
}  # fmt: skip

# Of a workgroup. `limit`: for odd and even epochs, for LDS instructions and loads to LDS, for each wave: how many were done when it came to the
# barrier that began the epoch; `seen`: how many had been issued. `met`, `mattered`: how often a wait that is switched off was met, and would have
# waited.
# `covered`: of each instruction, and of the end, whether it waited for what that wait did not. Then the granules: 16 reads, then the last
# write's number and what it was.
OF_GROUP = {"limit": 0, "seen": 256, "met": 512, "mattered": 516, "covered": 576}
SLOT, KIND = 8 * MAX_WAVES, 4 * MAX_WAVES  # bytes of an epoch's, of a kind's part of `limit`
GRANULE = 80
WRITE = 64  # where the last write stands in a granule
STAMP = 72  # and the workgroup that has written it, plus 1
POISON = -131075  # 0xFFFDFFFD: a NaN as f32, two as f16 or bf16, and no address
ATOMIC, DIRECT = 16, 32  # of a write's word, above the wave; the instruction's index stands from bit 8
# Of `GROUP["skip"]`: which counters of the instruction, whose index stands from bit 2; or none at all.
SKIP_VM, SKIP_LGKM, NOTHING = 1, 2, 0xFFFFFFFF


def granules(count: int) -> int:
    """Where the granules begin, in a program of so many instructions."""
    return -(-(OF_GROUP["covered"] + count + 1) // 64) * 64


def at(base: str, offset: int, result: str) -> str:
    """%result, a pointer to a field."""
    return f"  {result} = getelementptr i8, ptr %{base}, i64 {offset}"


def field(base: str, offset: int, name: str, t: str = "i32") -> str:
    """%name, loaded from a field; %name.p points there."""
    return f"{at(base, offset, f'%{name}.p')}\n  %{name} = load {t}, ptr %{name}.p, align {8 if t in ('i64', 'ptr') else 4}"


def wave_field(name: str, as_name: str = "", t: str = "i32", plus: int = 0) -> str:
    """%name, a field of the wave's records."""
    return field("c", OF_WAVE[name] + plus, as_name or name, t)


def class_offset(name: str) -> int:
    """Where a class stands among the u32 of each class."""
    return 4 * CLASSES.index(name)


# i32 ave_check_use(c, g, list, n, index): whether one of n spans (first cell | cells << 10 | class that may still be under way + 1 << 20) waits for
# a load.
USE = f"""
define internal i32 @ave_check_use(ptr %c, ptr %g, ptr %list, i32 %n, i32 %index) noinline #0 {{
entry:
  %issued = load <4 x i32>, ptr %c, align 16
{at("c", OF_WAVE["done"], "%donep")}
  %done = load <4 x i32>, ptr %donep, align 16
  %differ = icmp ne <4 x i32> %issued, %done
  %bits = bitcast <4 x i1> %differ to i4
  %any = icmp ne i4 %bits, 0
  br i1 %any, label %span, label %fine
span:
  %k = phi i32 [ 0, %entry ], [ %k1, %after ]
  %ep = getelementptr i32, ptr %list, i32 %k
  %e = load i32, ptr %ep, align 4
  %first = and i32 %e, 1023
  %up = lshr i32 %e, 10
  %cells = and i32 %up, 1023
  %allowed = lshr i32 %e, 20
  %end = add i32 %first, %cells
  br label %cell
cell:
  %r = phi i32 [ %first, %span ], [ %r1, %next ]
  %rp = getelementptr i64, ptr %c, i32 %r
{at("rp", OF_WAVE["pending"], "%pp")}
  %p = load i64, ptr %pp, align 8
  %number = trunc i64 %p to i32
  %wait = icmp ne i32 %number, 0
  br i1 %wait, label %look, label %next
look:
  %high = lshr i64 %p, 32
  %word = trunc i64 %high to i32
  %class = and i32 %word, 3
  %dp = getelementptr i32, ptr %donep, i32 %class
  %d = load i32, ptr %dp, align 4
  %late = icmp ugt i32 %number, %d
  %class1 = add i32 %class, 1
  %other = icmp ne i32 %class1, %allowed
  %bad = and i1 %late, %other
  br i1 %bad, label %fault, label %next
next:
  %r1 = add i32 %r, 1
  %more = icmp ult i32 %r1, %end
  br i1 %more, label %cell, label %after
after:
  %k1 = add i32 %k, 1
  %again = icmp ult i32 %k1, %n
  br i1 %again, label %span, label %fine
fine:
  ret i32 0
fault:
  %ip = getelementptr i32, ptr %c, i32 %class
  %now = load i32, ptr %ip, align 4
  %sofar = sub i32 %now, %number
  ; FLAT instructions that met LDS overtake those of DS: then a count of others says nothing.
{wave_field("touched")}
{wave_field("flat_lgkm")}
  %mixed = icmp ugt i32 %touched, %flat_lgkm
  %isds = icmp eq i32 %class, {CLASSES.index(LDS)}
  %nocount = and i1 %mixed, %isds
  %since = select i1 %nocount, i32 0, i32 %sofar
  %since64 = zext i32 %since to i64
  %sinceup = shl i64 %since64, 32
  %r64 = zext i32 %r to i64
  %extra = or i64 %sinceup, %r64
{at("g", GROUP["fault_code"], "%fc")}
{at("g", GROUP["fault_address"], "%fa")}
{at("g", GROUP["fault_extra"], "%fx")}
  store i32 {IN_FLIGHT}, ptr %fc, align 4
  store i64 %high, ptr %fa, align 8
  store i64 %extra, ptr %fx, align 8
  store i64 0, ptr %pp, align 8
  %stop = call i32 @ave_check_found(ptr %g, i32 %index, i64 %high, i1 true)
  %stops = icmp ne i32 %stop, 0
  br i1 %stops, label %stopped, label %next
stopped:
  ret i32 1
}}
"""

# void ave_check_issue(c, class, word, list, n): one more instruction of a class; the cells of n spans wait for it. `word`: its index and class.
ISSUE = f"""
define internal void @ave_check_issue(ptr %c, i32 %class, i32 %word, ptr %list, i32 %n) noinline #0 {{
entry:
  %ip = getelementptr i32, ptr %c, i32 %class
  %old = load i32, ptr %ip, align 4
  %number = add i32 %old, 1
  store i32 %number, ptr %ip, align 4
  %low = zext i32 %number to i64
  %word64 = zext i32 %word to i64
  %high = shl i64 %word64, 32
  %p = or i64 %high, %low
  %some = icmp ne i32 %n, 0
  br i1 %some, label %span, label %fine
span:
  %k = phi i32 [ 0, %entry ], [ %k1, %after ]
  %ep = getelementptr i32, ptr %list, i32 %k
  %e = load i32, ptr %ep, align 4
  %first = and i32 %e, 1023
  %up = lshr i32 %e, 10
  %cells = and i32 %up, 1023
  %end = add i32 %first, %cells
  br label %cell
cell:
  %r = phi i32 [ %first, %span ], [ %r1, %cell ]
  %rp = getelementptr i64, ptr %c, i32 %r
{at("rp", OF_WAVE["pending"], "%pp")}
  store i64 %p, ptr %pp, align 8
  %r1 = add i32 %r, 1
  %more = icmp ult i32 %r1, %end
  br i1 %more, label %cell, label %after
after:
  %k1 = add i32 %k, 1
  %again = icmp ult i32 %k1, %n
  br i1 %again, label %span, label %fine
fine:
  ret void
}}
"""


def _reach(name: str, count: str, on: str) -> str:
    """%name.new: what is surely done of an ordered class when at most %count instructions of its counter are under way."""
    return f"""
{wave_field("issued", f"{name}.issued", plus=class_offset(name))}
{wave_field("done", f"{name}.done", plus=class_offset(name))}
  %{name}.out = sub i32 %{name}.issued, %{name}.done
  %{name}.more0 = icmp ugt i32 %{name}.out, %{count}
  %{name}.more = and i1 %{name}.more0, {on}
  %{name}.low = sub i32 %{name}.issued, %{count}
  %{name}.new = select i1 %{name}.more, i32 %{name}.low, i32 %{name}.done
"""


# What a wait makes of `done`, without storing it. Instructions of a class come back in order, scalar loads in none (MI300 ISA, section 4.4); an
# access of FLAT to LDS stands among those of DS, and may overtake them (section 10.2.2), so that then only 0 says something.
_REACHED = f"""
{_reach(VM, "vm", "true")}
{wave_field("touched")}
{wave_field("flat_lgkm")}
  %idle = icmp eq i32 %lgkm, 0
  %mixed = icmp ugt i32 %touched, %flat_lgkm
  %ordered0 = xor i1 %mixed, true
  %ordered = or i1 %ordered0, %idle
{_reach(LDS, "lgkm", "%ordered")}
{wave_field("issued", "smem.issued", plus=class_offset(SMEM))}
{wave_field("done", "smem.done", plus=class_offset(SMEM))}
  %smem.new = select i1 %idle, i32 %smem.issued, i32 %smem.done
{wave_field("issued", "flat.issued", plus=class_offset(FLAT))}
{wave_field("done", "flat.done", plus=class_offset(FLAT))}
{wave_field("flat_vm")}
  %vm.idle = icmp eq i32 %vm, 0
  %flat.v = select i1 %vm.idle, i32 %flat.issued, i32 %flat_vm
  %flat.l = select i1 %idle, i32 %flat.issued, i32 %flat_lgkm
  %waits = icmp ugt i32 %touched, %flat.l
  %less = icmp ult i32 %flat.l, %flat.v
  %both = and i1 %waits, %less
  %flat.new = select i1 %both, i32 %flat.l, i32 %flat.v
"""

_KEEP = """
  store i32 %vm.new, ptr %vm.done.p, align 4
  store i32 %lds.new, ptr %lds.done.p, align 4
  store i32 %smem.new, ptr %smem.done.p, align 4
  store i32 %flat.new, ptr %flat.done.p, align 4
  store i32 %flat.v, ptr %flat_vm.p, align 4
  store i32 %flat.l, ptr %flat_lgkm.p, align 4
"""

# void ave_check_wait(c, vm, lgkm): s_waitcnt; -1 where it does not name a counter.
WAIT = f"""
define internal void @ave_check_wait(ptr %c, i32 %vm, i32 %lgkm) noinline #0 {{
entry:
{_REACHED}
{_KEEP}
  ret void
}}
"""

# As above, for programs whose waits can be switched off: of one that is off, `skipped` keeps what it would have reached; another wait (or the
# end) that comes to that instead is marked in `covered`.
_DEBTS = "\n".join(
    f"""
{wave_field("skipped", f"{name}.debt", plus=class_offset(name))}
  %{name}.owed = icmp ugt i32 %{name}.debt, %{name}.done
  %{name}.paid0 = icmp uge i32 %{name}.new, %{name}.debt
  %{name}.paid = and i1 %{name}.owed, %{name}.paid0
  %{name}.gain = icmp ugt i32 %{name}.new, %{name}.done
  %{name}.keep = select i1 %{name}.gain, i32 %{name}.new, i32 %{name}.debt
"""
    for name in CLASSES
)
_SKIPPED = "\n".join(f"  store i32 %{name}.keep, ptr %{name}.debt.p, align 4" for name in CLASSES)


def _any(what: str) -> str:
    lines, last = [], "false"
    for n, name in enumerate(CLASSES):
        lines.append(f"  %{what}.{n} = or i1 {last}, %{name}.{what}")
        last = f"%{what}.{n}"
    return "\n".join([*lines, f"  %any.{what} = or i1 {last}, false"])


MUTABLE_WAIT = f"""
define internal void @ave_check_reach(ptr %c, ptr %q, i32 %vm, i32 %lgkm, i32 %index, i1 %off) noinline #0 {{
entry:
{_REACHED}
{_DEBTS}
  br i1 %off, label %skip, label %wait
skip:
{_any("gain")}
{field("q", OF_GROUP["met"], "met")}
{field("q", OF_GROUP["mattered"], "mattered")}
  %met1 = add i32 %met, 1
  %one = zext i1 %any.gain to i32
  %mattered1 = add i32 %mattered, %one
  store i32 %met1, ptr %met.p, align 4
  store i32 %mattered1, ptr %mattered.p, align 4
{_SKIPPED}
  ret void
wait:
{_any("paid")}
{_KEEP}
  br i1 %any.paid, label %mark, label %done
mark:
  %mp0 = getelementptr i8, ptr %q, i32 %index
{at("mp0", OF_GROUP["covered"], "%mp")}
  store i8 1, ptr %mp, align 1
  br label %done
done:
  ret void
}}
define internal void @ave_check_mutable_wait(ptr %c, ptr %g, i32 %vm, i32 %lgkm, i32 %index) noinline #0 {{
entry:
{field("g", GROUP["check"], "q", "ptr")}
{field("g", GROUP["skip"], "skip")}
  %which = lshr i32 %skip, 2
  %mine = icmp eq i32 %which, %index
  br i1 %mine, label %off, label %on
off:
  %vmbit = and i32 %skip, {SKIP_VM}
  %lgkmbit = and i32 %skip, {SKIP_LGKM}
  %vmoff = icmp ne i32 %vmbit, 0
  %lgkmoff = icmp ne i32 %lgkmbit, 0
  %vm0 = select i1 %vmoff, i32 %vm, i32 -1
  %lgkm0 = select i1 %lgkmoff, i32 %lgkm, i32 -1
  call void @ave_check_reach(ptr %c, ptr %q, i32 %vm0, i32 %lgkm0, i32 %index, i1 true)
  %vm1 = select i1 %vmoff, i32 -1, i32 %vm
  %lgkm1 = select i1 %lgkmoff, i32 -1, i32 %lgkm
  br label %on
on:
  %v = phi i32 [ %vm, %entry ], [ %vm1, %off ]
  %l = phi i32 [ %lgkm, %entry ], [ %lgkm1, %off ]
  call void @ave_check_reach(ptr %c, ptr %q, i32 %v, i32 %l, i32 %index, i1 false)
  ret void
}}
"""

# void ave_check_arrive(w, g): the wave is at a barrier (or its end: `end`). What it has done by now is what others may rely on behind that.
ARRIVE = f"""
define internal void @ave_check_arrive(ptr %w, ptr %g, i1 %end) noinline #0 {{
entry:
{field("w", WAVE["check"], "c", "ptr")}
{field("w", WAVE["index"], "me")}
{field("w", WAVE["epoch"], "epoch")}
{field("g", GROUP["check"], "q", "ptr")}
{field("g", GROUP["waves"], "waves")}
{field("g", GROUP["wave_states"], "states", "ptr")}
  %epoch1 = add i32 %epoch, 1
  %odd = and i32 %epoch1, 1
  %odd64 = zext i32 %odd to i64
  %off = mul i64 %odd64, {SLOT}
  %slot = getelementptr i8, ptr %q, i64 %off
  call void @ave_check_publish(ptr %slot, ptr %c, i32 %me, i1 %end)
  br label %wave
wave:
  %n = phi i32 [ 0, %entry ], [ %n1, %next ]
  %n64 = zext i32 %n to i64
  %noff = mul i64 %n64, {WAVE_BYTES}
  %u = getelementptr i8, ptr %states, i64 %noff
{field("u", WAVE["status"], "status")}
  %over = icmp eq i32 %status, {ENDED}
  br i1 %over, label %gone, label %next
gone:
{field("u", WAVE["check"], "uc", "ptr")}
  call void @ave_check_publish(ptr %slot, ptr %uc, i32 %n, i1 true)
  br label %next
next:
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, %waves
  br i1 %more, label %wave, label %done
done:
  ret void
}}
define internal void @ave_check_publish(ptr %slot, ptr %c, i32 %wave, i1 %all) #0 {{
entry:
  %place = getelementptr i32, ptr %slot, i32 %wave
{at("place", KIND, "%placevm")}
{at("place", OF_GROUP["seen"], "%seen")}
{at("placevm", OF_GROUP["seen"], "%seenvm")}
{wave_field("issued", "lds.issued", plus=class_offset(LDS))}
{wave_field("done", "lds.done", plus=class_offset(LDS))}
{wave_field("issued", "vm.issued", plus=class_offset(VM))}
{wave_field("done", "vm.done", plus=class_offset(VM))}
  %lds = select i1 %all, i32 %lds.issued, i32 %lds.done
  %vm = select i1 %all, i32 %vm.issued, i32 %vm.done
  store i32 %lds, ptr %place, align 4
  store i32 %vm, ptr %placevm, align 4
  store i32 %lds.issued, ptr %seen, align 4
  store i32 %vm.issued, ptr %seenvm, align 4
  ret void
}}
"""

# void ave_check_start(g): a new workgroup; numbers go on from those of the last one, all of which is done.
START = f"""
define internal void @ave_check_start(ptr %g) #0 {{
entry:
{field("g", GROUP["check"], "q", "ptr")}
{field("g", GROUP["waves"], "waves")}
{field("g", GROUP["wave_states"], "states", "ptr")}
{at("q", SLOT, "%odd")}
{field("g", GROUP["lds"], "lds", "ptr")}
{field("g", GROUP["lds_bytes"], "bytes")}
{field("g", GROUP["item_registers"], "given")}
  %words = lshr i32 %bytes, 2
  call void @ave_check_poison(ptr %lds, i32 %words)
  br label %wave
wave:
  %n = phi i32 [ 0, %entry ], [ %n1, %wave ]
  %n64 = zext i32 %n to i64
  %noff = mul i64 %n64, {WAVE_BYTES}
  %w = getelementptr i8, ptr %states, i64 %noff
{field("w", WAVE["check"], "c", "ptr")}
  %issued = load <4 x i32>, ptr %c, align 16
{at("c", OF_WAVE["done"], "%done")}
  store <4 x i32> %issued, ptr %done, align 16
{at("c", OF_WAVE["skipped"], "%skipped")}
  store <4 x i32> zeroinitializer, ptr %skipped, align 16
  %flat = extractelement <4 x i32> %issued, i64 {CLASSES.index(FLAT)}
{at("c", OF_WAVE["flat_vm"], "%fv")}
{at("c", OF_WAVE["flat_lgkm"], "%fl")}
  store i32 %flat, ptr %fv, align 4
  store i32 %flat, ptr %fl, align 4
  %first = mul i32 %given, {REGISTER}
  %first1 = add i32 %first, {VECTORS}
  %vectors = getelementptr i8, ptr %w, i32 %first1
  %over0 = sub i32 {FILE}, %given
  %words.v = mul i32 %over0, {REGISTER // 4}
  call void @ave_check_poison(ptr %vectors, i32 %words.v)
  call void @ave_check_publish(ptr %q, ptr %c, i32 %n, i1 true)
  call void @ave_check_publish(ptr %odd, ptr %c, i32 %n, i1 true)
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, %waves
  br i1 %more, label %wave, label %over
over:
  ret void
}}
define internal void @ave_check_poison(ptr %at, i32 %words) noinline #0 {{
entry:
  %some = icmp ne i32 %words, 0
  br i1 %some, label %word, label %done
word:
  %n = phi i32 [ 0, %entry ], [ %n1, %word ]
  %p = getelementptr i32, ptr %at, i32 %n
  store i32 {POISON}, ptr %p, align 4
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, %words
  br i1 %more, label %word, label %done
done:
  ret void
}}
"""
