"""LLVM IR of the function that follows accesses to global memory: who wrote and read each granule of the launch's arrays, and whether that is over.

What this function knows itself is a wave's own accesses, and those of its workgroup's waves from before the last barrier. The waves of a workgroup
run on one compute unit and go through its one vector cache in order, so that no wait stands between a vector access, a barrier and another wave's
vector access; scalar accesses have another cache, and are ordered by what was done when the waves came to the barrier. A workgroup with tg_split may
be spread over compute units, and nothing of this holds there (LLVM, "User Guide for AMDGPU Backend", Memory Model gfx942). The rest is asked of
Python (`ordering.Ordering`), where releases and acquires are followed: few accesses of a program without races get there.

A mark is (1 + 16 * workgroup + wave) << 32 | number, the number being that of the wave's memory instruction. Records of a granule: the last write,
then two reads (the first and the latest of different waves), and where the last write is atomic, the last plain one before it; each a mark, the
instruction's index and the access's bits.
"""

from __future__ import annotations

import re

from avelang.amdgcn.asm import AsmProgram, MCInst
from avelang.amdgcn.effects import FLAT_UNIT, SMEM_UNIT, VM, VMEM, effects
from avelang.sim.amdgcn.check_text import KIND, OF_GROUP, SLOT, at, class_offset, field, wave_field
from avelang.sim.amdgcn.faults import MEMORY_RACE
from avelang.sim.amdgcn.state import GROUP, MAX_WAVES, WAVE

# Of an access: it writes; it is an atomic operation or one that other workgroups' may meet (sc1, or sc0 inside a workgroup); it returns what was
# there; it is known to be done at the next barrier whatever was waited for (scalar and flat accesses); it goes by the scalar cache.
WRITES, ATOMIC, GROUP_ATOMIC, COHERENT, RETURNS, SIMPLE, SCALAR = 1, 2, 4, 8, 16, 32, 64
ACCESS, MARKS = 16, 4  # bytes of a mark with what belongs to it; of each granule
GRANULE = ACCESS * MARKS
OLD_WRITE = 1 << 31  # of what Python is asked: the earlier access is a write
_BYTES, _SHORTS = (re.compile(rf"(global|flat|buffer)_.*({x})") for x in (r"byte", r"short|d16"))
UNITS = (VMEM, FLAT_UNIT, SMEM_UNIT)


def bits(i: MCInst) -> int:
    """What kind of access to memory an instruction is (LLVM, "User Guide for AMDGPU Backend", Memory Model gfx942)."""
    kind = effects(i)
    found = (SIMPLE if kind.unit != VMEM else 0) | (SCALAR if kind.unit == SMEM_UNIT else 0)
    if "atomic" in i.name:
        return found | WRITES | ATOMIC | COHERENT | (RETURNS if i.int("sc0") or i.int("glc") else 0)
    if "store" in i.name:
        found |= WRITES
    if i.int("sc1") or (kind.unit == SMEM_UNIT and i.int("glc")):
        found |= ATOMIC | COHERENT | (0 if found & WRITES else RETURNS)
    elif i.int("sc0") or i.int("glc"):
        found |= GROUP_ATOMIC
    return found


def touches(i: MCInst) -> bool:
    """Whether an instruction may access global memory."""
    return effects(i).unit in UNITS and bool(re.search(r"load|store|atomic", i.name)) and not i.name.startswith(("scratch_", "s_scratch"))


def shift(program: AsmProgram) -> int:
    """How fine memory is watched, as a power of two: by dwords, or as fine as the program's finest access to it."""
    watched = [i.name for i in program.instructions if touches(i)]
    if any(_BYTES.match(name) for name in watched):
        return 0
    return 1 if any(_SHORTS.match(name) for name in watched) else 2


def _slot(name: str, base: str, offset: int) -> str:
    """%name and %name.bits, the mark at an offset of the record and its bits and index in one word."""
    return f"""{at(base, offset, f"%{name}.p")}
  %{name} = load i64, ptr %{name}.p, align 8
{at(base, offset + 8, f"%{name}.bp")}
  %{name}.bits = load i64, ptr %{name}.bp, align 8"""


def _known(name: str, done: str, ask: str, on: str, write: bool) -> str:
    """Goes on at `on` where the earlier access %name is no affair of this one, else to `ask` or the judge: labels {name}..."""
    both = f"""  %{name}.kind = trunc i64 %{name}.bits to i32
  %{name}.both = and i32 %{name}.kind, %kind
  %{name}.atomic.b = and i32 %{name}.both, {ATOMIC}
  %{name}.atomic = icmp ne i32 %{name}.atomic.b, 0"""
    return f"""  %{name}.none = icmp eq i64 %{name}, 0
  br i1 %{name}.none, label %{on}, label %{name}.some
{name}.some:
  %{name}.id = lshr i64 %{name}, 32
  %{name}.own = icmp eq i64 %{name}.id, %id
{both}
  %{name}.fine = or i1 %{name}.own, %{name}.atomic
  br i1 %{name}.fine, label %{on}, label %{name}.other
{name}.other:
  %{name}.id0 = sub i64 %{name}.id, 1
  %{name}.group = lshr i64 %{name}.id0, 4
  %{name}.near0 = icmp eq i64 %{name}.group, %linear
  %{name}.near = and i1 %{name}.near0, %together
  br i1 %{name}.near, label %{name}.mates, label %{name}.{ask}
{name}.mates:
  %{name}.gbits = or i32 %{name}.kind, 0
  %{name}.gboth0 = and i32 %{name}.gbits, {ATOMIC | GROUP_ATOMIC}
  %{name}.gboth1 = and i32 %kind, {ATOMIC | GROUP_ATOMIC}
  %{name}.g0 = icmp ne i32 %{name}.gboth0, 0
  %{name}.g1 = icmp ne i32 %{name}.gboth1, 0
  %{name}.gatomic = and i1 %{name}.g0, %{name}.g1
  %{name}.wave = and i64 %{name}.id0, 15
  %{name}.any = or i32 %{name}.kind, %kind
  %{name}.scalar.b = and i32 %{name}.any, {SCALAR}
  %{name}.scalar = icmp ne i32 %{name}.scalar.b, 0
  %{name}.limits = select i1 %{name}.scalar, ptr %limits, ptr %came
  %{name}.lp = getelementptr i32, ptr %{name}.limits, i64 %{name}.wave
  %{name}.limit = load i32, ptr %{name}.lp, align 4
  %{name}.number = trunc i64 %{name} to i32
  %{name}.over = icmp ule i32 %{name}.number, %{name}.limit
  %{name}.ok = or i1 %{name}.over, %{name}.gatomic
  br i1 %{name}.ok, label %{on}, label %{name}.{ask}
{name}.{ask}:
  %{name}.word = {f"or i64 %{name}.bits, {OLD_WRITE}" if write else f"add i64 %{name}.bits, 0"}
  br label %{done}
"""


# i32 ave_race(g, at, exec, bytes): the active lanes access `bytes` at 64 addresses; GROUP["access"] says as what.
_RACE = f"""
define internal i32 @ave_race(ptr %g, ptr %at, i64 %exec, i64 %bytes) noinline #0 {{
entry:
{field("g", GROUP["shadow"], "table", "ptr")}
{field("g", GROUP["shadows"], "count")}
  %nothing = icmp eq i32 %count, 0
  %idle = icmp eq i64 %exec, 0
  %out = or i1 %nothing, %idle
  br i1 %out, label %fine, label %begin
begin:
{field("g", GROUP["access"], "access", "i64")}
{field("g", GROUP["current"], "w", "ptr")}
{field("g", GROUP["check"], "q", "ptr")}
{field("g", GROUP["linear"], "linear", "i64")}
{field("w", WAVE["check"], "c", "ptr")}
{field("w", WAVE["index"], "me")}
{field("w", WAVE["epoch"], "epoch")}
  %index = trunc i64 %access to i32
  %access.up = lshr i64 %access, 32
  %kind = trunc i64 %access.up to i32
  %kind64 = zext i32 %kind to i64
  %index64 = zext i32 %index to i64
  %indexup = shl i64 %index64, 32
  %mine.bits = or i64 %indexup, %kind64
  %writes.b = and i32 %kind, {WRITES}
  %writes = icmp ne i32 %writes.b, 0
  %simple.b = and i32 %kind, {SIMPLE}
  %simple = icmp ne i32 %simple.b, 0
{wave_field("issued", "vm.issued", plus=class_offset(VM))}
{wave_field("done", "vm.done", plus=class_offset(VM))}
  %number = select i1 %simple, i32 %vm.done, i32 %vm.issued
  %number64 = zext i32 %number to i64
  %me64 = zext i32 %me to i64
  %group16 = shl i64 %linear, 4
  %id0 = or i64 %group16, %me64
  %id = add i64 %id0, 1
  %idup = shl i64 %id, 32
  %mine = or i64 %idup, %number64
  %odd = and i32 %epoch, 1
  %odd64 = zext i32 %odd to i64
  %soff = mul i64 %odd64, {SLOT}
  %soff1 = add i64 %soff, {OF_GROUP["limit"] + KIND}
  %limits = getelementptr i8, ptr %q, i64 %soff1
{at("limits", OF_GROUP["seen"] - OF_GROUP["limit"], "%came")}
  %together = icmp ne i1 SPLIT, true
  br label %lanes
lanes:
  %left = phi i64 [ %exec, %begin ], [ %rest, %onward ]
  %lane = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %minus = sub i64 %left, 1
  %rest = and i64 %left, %minus
  %ap = getelementptr i64, ptr %at, i64 %lane
  %a = load i64, ptr %ap, align 8
  %end = add i64 %a, %bytes
  br label %find
find:
  %r = phi i32 [ 0, %lanes ], [ %r1, %miss ]
  %r64 = zext i32 %r to i64
  %roff = mul i64 %r64, 24
  %region = getelementptr i8, ptr %table, i64 %roff
  %first = load i64, ptr %region, align 8
{at("region", 8, "%lastp")}
  %last = load i64, ptr %lastp, align 8
  %above = icmp uge i64 %a, %first
  %below = icmp ule i64 %end, %last
  %inside = and i1 %above, %below
  br i1 %inside, label %hit, label %miss
miss:
  %r1 = add i32 %r, 1
  %again = icmp ult i32 %r1, %count
  br i1 %again, label %find, label %onward
hit:
{field("region", 16, "shadow", "ptr")}
  %from = sub i64 %a, %first
  %to0 = sub i64 %end, %first
  %to = sub i64 %to0, 1
  %g0 = lshr i64 %from, SHIFT
  %g1 = lshr i64 %to, SHIFT
  br label %piece
piece:
  %n = phi i64 [ %g0, %hit ], [ %n1, %noted ]
  %goff = mul i64 %n, {GRANULE}
  %record = getelementptr i8, ptr %shadow, i64 %goff
{_slot("old", "record", 0)}
{_slot("ra", "record", ACCESS)}
{_slot("rb", "record", 2 * ACCESS)}
{_slot("plain", "record", 3 * ACCESS)}
{_known("old", "askold", "ask", "plain.write", True)}
askold:
  br label %asked
plain.write:
{_known("plain", "askplain", "ask", "reads", True)}
askplain:
  br label %asked
reads:
  br i1 %writes, label %first.read, label %reading
first.read:
{_known("ra", "askra", "ask", "second.read", False)}
askra:
  br label %asked
second.read:
{_known("rb", "askrb", "ask", "writing", False)}
askrb:
  br label %asked
asked:
  %stage = phi i32 [ 0, %askold ], [ 1, %askra ], [ 2, %askrb ], [ 3, %askplain ]
  %omark = phi i64 [ %old, %askold ], [ %ra, %askra ], [ %rb, %askrb ], [ %plain, %askplain ]
  %oword = phi i64 [ %old.word, %askold ], [ %ra.word, %askra ], [ %rb.word, %askrb ], [ %plain.word, %askplain ]
  %start = shl i64 %n, SHIFT
  %place0 = add i64 %start, %first
  %low = icmp ult i64 %place0, %a
  %place = select i1 %low, i64 %a, i64 %place0
{field("g", GROUP["judge"], "judge", "ptr")}
  %lane32 = trunc i64 %lane to i32
  %into0 = sub i64 %place, %a
  %into32 = trunc i64 %into0 to i32
  %into8 = shl i32 %into32, 8
  %within = or i32 %into8, %lane32
  %verdict = call i32 %judge(i64 %id, i64 %access, i64 %place, i64 %omark, i64 %oword, i32 %within)
  %bad = icmp ne i32 %verdict, 0
  br i1 %bad, label %fault, label %judged
judged:
  switch i32 %stage, label %writing [ i32 0, label %plain.write
                                      i32 1, label %second.read
                                      i32 3, label %reads ]
fault:
  %oindex0 = lshr i64 %oword, 32
  %owrite.b = and i64 %oword, {OLD_WRITE}
  %oid = lshr i64 %omark, 32
  %oindexup = shl i64 %oindex0, 40
  %owriteup = shl i64 %owrite.b, 8
  %x0 = or i64 %oindexup, %owriteup
  %extra = or i64 %x0, %oid
{at("g", GROUP["fault_code"], "%fc")}
{at("g", GROUP["fault_lane"], "%fl")}
{at("g", GROUP["fault_address"], "%fa")}
{at("g", GROUP["fault_extra"], "%fx")}
  store i32 {MEMORY_RACE}, ptr %fc, align 4
  store i32 %lane32, ptr %fl, align 4
  store i64 %place, ptr %fa, align 8
  store i64 %extra, ptr %fx, align 8
  %stop = call i32 @ave_check_found(ptr %g, i32 %index, i64 %x0, i1 true)
  %stops = icmp ne i32 %stop, 0
  br i1 %stops, label %stopped, label %judged
stopped:
  ret i32 1
writing:
  ; An atomic access hides no plain write behind it, which others' atomics race with as well.
  %mine.atomic.b = and i32 %kind, {ATOMIC}
  %mine.atomic = icmp ne i32 %mine.atomic.b, 0
  %was.kind = trunc i64 %old.bits to i32
  %was.atomic.b = and i32 %was.kind, {ATOMIC}
  %was.atomic = icmp ne i32 %was.atomic.b, 0
  %kept = select i1 %was.atomic, i64 %plain, i64 %old
  %kept.bits = select i1 %was.atomic, i64 %plain.bits, i64 %old.bits
  %plain.new = select i1 %mine.atomic, i64 %kept, i64 0
  store i64 %plain.new, ptr %plain.p, align 8
  store i64 %kept.bits, ptr %plain.bp, align 8
  store i64 %mine, ptr %old.p, align 8
  store i64 %mine.bits, ptr %old.bp, align 8
  store i64 0, ptr %ra.p, align 8
  store i64 0, ptr %rb.p, align 8
  br label %noted
reading:
  %ra.free0 = icmp eq i64 %ra, 0
  %ra.who = lshr i64 %ra, 32
  %ra.me = icmp eq i64 %ra.who, %id
  %ra.free = or i1 %ra.free0, %ra.me
  %into = select i1 %ra.free, ptr %ra.p, ptr %rb.p
  %intob = select i1 %ra.free, ptr %ra.bp, ptr %rb.bp
  store i64 %mine, ptr %into, align 8
  store i64 %mine.bits, ptr %intob, align 8
  br label %noted
noted:
  %n1 = add i64 %n, 1
  %morepieces = icmp ule i64 %n1, %g1
  br i1 %morepieces, label %piece, label %pieces
pieces:
EVENT  br label %onward
onward:
  %more = icmp ne i64 %rest, 0
  br i1 %more, label %lanes, label %fine
fine:
  ret i32 0
}}
define internal i32 @ave_race_one(ptr %g, i64 %address, i64 %bytes) noinline #0 {{
entry:
  %slot = alloca i64, align 8
  store i64 %address, ptr %slot, align 8
  %s = call i32 @ave_race(ptr %g, ptr %slot, i64 1, i64 %bytes)
  ret i32 %s
}}
"""
assert MAX_WAVES == 16


# An atomic access of a lane, told to whoever follows releases and acquires.
_EVENT = f"""
  %isatomic.b = and i32 %kind, {ATOMIC}
  %isatomic = icmp ne i32 %isatomic.b, 0
  br i1 %isatomic, label %tell, label %onward
tell:
{field("g", GROUP["judge"], "listener", "ptr")}
  %told = call i32 %listener(i64 %id, i64 %access, i64 %a, i64 0, i64 0, i32 0)
"""

# i32 ave_event(w, g, what): something else that orders waves.
_TELL = f"""
define internal void @ave_event(ptr %w, ptr %g, i64 %what) noinline #0 {{
entry:
{field("w", WAVE["index"], "me")}
{field("g", GROUP["linear"], "linear", "i64")}
{field("g", GROUP["judge"], "judge", "ptr")}
  %me64 = zext i32 %me to i64
  %up = shl i64 %linear, 4
  %id0 = or i64 %up, %me64
  %id = add i64 %id0, 1
  %told = call i32 %judge(i64 %id, i64 0, i64 0, i64 0, i64 %what, i32 0)
  ret void
}}
"""


def text(program: AsmProgram, events: bool, split: bool) -> str:
    """The text of `ave_race`, for granules as fine as the program's accesses. `events`: atomic accesses are told of; `split`: waves of a workgroup
    may be on several compute units."""
    race = _RACE.replace("SHIFT", str(shift(program))).replace("SPLIT", "true" if split else "false")
    return race.replace("EVENT", _EVENT if events else "") + _TELL


def following(lines: list[str], on: bool) -> list[str]:
    """The lines of a function of `memory_addresses`, in which `ret i32 STATUS ;race ...` becomes a call that returns what it says:
    `;race AT LANES BYTES` of pointers to addresses, `;race1 ADDRESS BYTES` of one."""
    out = []
    for line in lines:
        code, mark, what = line.partition(" ;race")
        if not mark or not on:
            out.append(code)
            continue
        status, words = code.split()[-1], what.split()
        if status != "0":
            out += [f"  %race.ok = icmp eq i32 {status}, 0", f"  %race.lanes = select i1 %race.ok, i64 {words[1]}, i64 0"]
            words[1] = "%race.lanes"
        if line.partition(";race")[2].startswith("1"):
            call = f"@ave_race_one(ptr %g, i64 {words[1]}, i64 {words[2]})"
        else:
            call = f"@ave_race(ptr %g, ptr {words[0]}, i64 {words[1]}, i64 {words[2]})"
        name = f"%race.{len(out)}"
        out.append(f"  {name} = call i32 {call}")
        if status != "0":
            out.append(f"  %race.both = or i32 {status}, {name}")
        out.append(f"  ret i32 {'%race.both' if status != '0' else name}")
    return out
