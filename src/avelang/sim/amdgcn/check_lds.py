"""LLVM IR of the function that orders accesses to LDS: who wrote and read each granule, and whether this wave may know that they are done.

What another wave did is done for this one if that wave had waited for it when it came to the last barrier. Of its own accesses, LDS instructions
follow one another, and so do loads that go to LDS, but the two take different ways. Records are laid out in `check_text`.
"""

from __future__ import annotations

from avelang.amdgcn.effects import FLAT, LDS, VM
from avelang.sim.amdgcn.check_text import (
    ATOMIC,
    DIRECT,
    GRANULE,
    KIND,
    OF_GROUP,
    OF_WAVE,
    RING,
    SLOT,
    STAMP,
    WRITE,
    at,
    class_offset,
    field,
    granules,
    wave_field,
)
from avelang.sim.amdgcn.faults import RACE, UNWRITTEN
from avelang.sim.amdgcn.state import GROUP, MAX_WAVES, WAVE, WAVE_BYTES

# Of `kind` of an access.
WRITES, ATOMICALLY, ASYNC, BY_FLAT = 1, 2, 4, 8
# Of a race's `fault_extra`: the other wave in the low bits, its instruction's index from bit 32 (-1 unknown).
BY_WRITE, BY_DIRECT, BARRIER_PASSED = 16, 32, 64


# i32 ave_check_lds(w, g, addresses, offset, nbytes, kind, exec, index): active lanes access `nbytes` of LDS each; granules are of 2**SHIFT bytes and
# begin at GRANULES.
_LDS = f"""
define internal i32 @ave_check_lds(ptr %w, ptr %g, ptr %addr, i32 %offset, i32 %nbytes, i32 %kind, i64 %exec, i32 %index) noinline #0 {{
entry:
  %limits = alloca [{2 * MAX_WAVES} x i32], align 64
{field("w", WAVE["check"], "c", "ptr")}
{field("w", WAVE["index"], "me")}
{field("w", WAVE["epoch"], "epoch")}
{field("g", GROUP["check"], "q", "ptr")}
{field("g", GROUP["lds_bytes"], "bytes")}
  %granules = getelementptr i8, ptr %q, i64 GRANULES
{field("g", GROUP["linear"], "linear", "i64")}
  %linear32 = trunc i64 %linear to i32
  %stamp = add i32 %linear32, 1
  %odd = and i32 %epoch, 1
  %odd64 = zext i32 %odd to i64
  %soff = mul i64 %odd64, {SLOT}
  %slot = getelementptr i8, ptr %q, i64 %soff
{wave_field("done", "vm.done", plus=class_offset(VM))}
{wave_field("done", "lds.done", plus=class_offset(LDS))}
{wave_field("issued", "vm.issued", plus=class_offset(VM))}
{wave_field("issued", "lds.issued", plus=class_offset(LDS))}
  %write.b = and i32 %kind, {WRITES}
  %atomic.b = and i32 %kind, {ATOMICALLY}
  %async.b = and i32 %kind, {ASYNC}
  %flat.b = and i32 %kind, {BY_FLAT}
  %iswrite = icmp ne i32 %write.b, 0
  %isatomic = icmp ne i32 %atomic.b, 0
  %isasync = icmp ne i32 %async.b, 0
  %isflat = icmp ne i32 %flat.b, 0
  ; What is done of each wave as this one may know it; of its own, LDS instructions follow one another, and so do loads to LDS, but not both.
  %all = load <{MAX_WAVES} x i32>, ptr %slot, align 64
{at("slot", KIND, "%slotvm")}
  %allvm = load <{MAX_WAVES} x i32>, ptr %slotvm, align 64
  %mine = select i1 %isasync, i32 %lds.done, i32 -1
  %minevm = select i1 %isasync, i32 -1, i32 %vm.done
  %limit = insertelement <{MAX_WAVES} x i32> %all, i32 %mine, i32 %me
  %limitvm = insertelement <{MAX_WAVES} x i32> %allvm, i32 %minevm, i32 %me
  store <{MAX_WAVES} x i32> %limit, ptr %limits, align 64
{at("limits", KIND, "%limitsvm")}
  store <{MAX_WAVES} x i32> %limitvm, ptr %limitsvm, align 64
  %next.lds = add i32 %lds.issued, 1
  %number.lds = select i1 %isflat, i32 %next.lds, i32 %lds.issued
  %number = select i1 %isasync, i32 %vm.issued, i32 %number.lds
  %index8 = shl i32 %index, 8
  %atomic1 = select i1 %isatomic, i32 {ATOMIC}, i32 0
  %async1 = select i1 %isasync, i32 {DIRECT}, i32 0
  %word0 = or i32 %index8, %me
  %word1 = or i32 %word0, %atomic1
  %word = or i32 %word1, %async1
  %word64 = zext i32 %word to i64
  %wordup = shl i64 %word64, 32
  %number64 = zext i32 %number to i64
  %mark = or i64 %wordup, %number64
  br i1 %isasync, label %start, label %remember
remember:
  %ringat = and i32 %number, {RING - 1}
  %ringp0 = getelementptr i64, ptr %c, i32 %ringat
{at("ringp0", OF_WAVE["ring"], "%ringp")}
  %index64 = zext i32 %index to i64
  %indexup = shl i64 %index64, 32
  %ringword = or i64 %indexup, %number64
  store i64 %ringword, ptr %ringp, align 8
  br label %start
start:
  %none = icmp eq i64 %exec, 0
  br i1 %none, label %fine, label %lanes
lanes:
  %left = phi i64 [ %exec, %start ], [ %rest, %onward ]
  %met = phi i1 [ false, %start ], [ %met1, %onward ]
  %lane = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %minus = sub i64 %left, 1
  %rest = and i64 %left, %minus
  %ap = getelementptr i32, ptr %addr, i64 %lane
  %base = load i32, ptr %ap, align 4
  %a = add i32 %base, %offset
  %a64 = zext i32 %a to i64
  %n64 = zext i32 %nbytes to i64
  %end = add i64 %a64, %n64
  %bytes64 = zext i32 %bytes to i64
  %inside = icmp ule i64 %end, %bytes64
  br i1 %inside, label %touch, label %onward
touch:
  %last = sub i64 %end, 1
  %g0 = lshr i64 %a64, SHIFT
  %g1 = lshr i64 %last, SHIFT
  br label %piece
piece:
  %at = phi i64 [ %g0, %touch ], [ %at1, %noted ]
  %goff = mul i64 %at, {GRANULE}
  %record = getelementptr i8, ptr %granules, i64 %goff
{field("record", WRITE, "old", "i64")}
  %onumber = trunc i64 %old to i32
  %oup = lshr i64 %old, 32
  %oword = trunc i64 %oup to i32
  %owave = and i32 %oword, 15
  %oatomic.b = and i32 %oword, {ATOMIC}
  %oatomic = icmp ne i32 %oatomic.b, 0
  %odirect.b = and i32 %oword, {DIRECT}
  %odirect = icmp ne i32 %odirect.b, 0
  %okind = select i1 %odirect, i32 {MAX_WAVES}, i32 0
  %owhich = add i32 %okind, %owave
  %olp = getelementptr i32, ptr %limits, i32 %owhich
  %olimit = load i32, ptr %olp, align 4
  %olate = icmp ugt i32 %onumber, %olimit
  %both = and i1 %oatomic, %isatomic
  %alone = xor i1 %both, true
  %wbad = and i1 %olate, %alone
  br i1 %wbad, label %afterwrite, label %second
second:
  br i1 %iswrite, label %readers, label %reading
readers:
  %reads = load <{MAX_WAVES} x i32>, ptr %record, align 16
  %rlate = icmp ugt <{MAX_WAVES} x i32> %reads, %limit
  %rmask = bitcast <{MAX_WAVES} x i1> %rlate to i{MAX_WAVES}
  %rbad = icmp ne i{MAX_WAVES} %rmask, 0
  br i1 %rbad, label %afterread, label %writing
writing:
  store i64 %mark, ptr %old.p, align 8
{at("record", STAMP, "%wstamp")}
  store i32 %stamp, ptr %wstamp, align 4
  br label %noted
reading:
INIT  %mineread = getelementptr i32, ptr %record, i32 %me
  store i32 %number, ptr %mineread, align 4
  br label %noted
noted:
  %at1 = add i64 %at, 1
  %morepieces = icmp ule i64 %at1, %g1
  br i1 %morepieces, label %piece, label %onward
onward:
  %met1 = phi i1 [ %met, %lanes ], [ true, %noted ]
  %more = icmp ne i64 %rest, 0
  br i1 %more, label %lanes, label %ended
ended:
  %flatmet = and i1 %met1, %isflat
  br i1 %flatmet, label %flat, label %fine
flat:
  store i32 %number, ptr %lds.issued.p, align 4
{wave_field("issued", "flat.issued", plus=class_offset(FLAT))}
{at("c", OF_WAVE["touched"], "%tp")}
  store i32 %flat.issued, ptr %tp, align 4
  br label %fine
fine:
  ret i32 0
afterwrite:
  %oindex = lshr i32 %oword, 8
  %dbit = select i1 %odirect, i32 {BY_WRITE | BY_DIRECT}, i32 {BY_WRITE}
  br label %fault
afterread:
  %rwave16 = call i{MAX_WAVES} @llvm.cttz.i{MAX_WAVES}(i{MAX_WAVES} %rmask, i1 true)
  %rwave = zext i{MAX_WAVES} %rwave16 to i32
  %rnumber = extractelement <{MAX_WAVES} x i32> %reads, i32 %rwave
{field("g", GROUP["wave_states"], "states", "ptr")}
  %rwave64 = zext i32 %rwave to i64
  %roff = mul i64 %rwave64, {WAVE_BYTES}
  %rw = getelementptr i8, ptr %states, i64 %roff
{field("rw", WAVE["check"], "rc", "ptr")}
  %rat = and i32 %rnumber, {RING - 1}
  %rrp0 = getelementptr i64, ptr %rc, i32 %rat
{at("rrp0", OF_WAVE["ring"], "%rrp")}
  %rring = load i64, ptr %rrp, align 8
  %rlow = trunc i64 %rring to i32
  %rhigh64 = lshr i64 %rring, 32
  %rhigh = trunc i64 %rhigh64 to i32
  %known = icmp eq i32 %rlow, %rnumber
  %rindex = select i1 %known, i32 %rhigh, i32 -1
  br label %fault
fault:
  %xindex = phi i32 [ %oindex, %afterwrite ], [ %rindex, %afterread ]
  %xwave = phi i32 [ %owave, %afterwrite ], [ %rwave, %afterread ]
  %xnumber = phi i32 [ %onumber, %afterwrite ], [ %rnumber, %afterread ]
  %xbits = phi i32 [ %dbit, %afterwrite ], [ 0, %afterread ]
  %xkind = phi i32 [ %okind, %afterwrite ], [ 0, %afterread ]
  %xwhich = add i32 %xkind, %xwave
  %seenp0 = getelementptr i32, ptr %slot, i32 %xwhich
{at("seenp0", OF_GROUP["seen"], "%seenp")}
  %seen = load i32, ptr %seenp, align 4
  %passed = icmp ule i32 %xnumber, %seen
  %pbit = select i1 %passed, i32 {BARRIER_PASSED}, i32 0
  %x0 = or i32 %xwave, %xbits
  %x1 = or i32 %x0, %pbit
  %x64 = zext i32 %x1 to i64
  %xi64 = zext i32 %xindex to i64
  %xup = shl i64 %xi64, 32
  %extra = or i64 %xup, %x64
  %xbits64 = zext i32 %xbits to i64
  %place = shl i64 %at, SHIFT
  %low = icmp ult i64 %place, %a64
  %first = select i1 %low, i64 %a64, i64 %place
{at("g", GROUP["fault_code"], "%fc")}
{at("g", GROUP["fault_lane"], "%fl")}
{at("g", GROUP["fault_address"], "%fa")}
{at("g", GROUP["fault_extra"], "%fx")}
  %lane32 = trunc i64 %lane to i32
  store i32 {RACE}, ptr %fc, align 4
  store i32 %lane32, ptr %fl, align 4
  store i64 %first, ptr %fa, align 8
  store i64 %extra, ptr %fx, align 8
  %key = or i64 %xup, %xbits64
  %stop = call i32 @ave_check_found(ptr %g, i32 %index, i64 %key, i1 true)
  %stops = icmp ne i32 %stop, 0
  br i1 %stops, label %stopped, label %goon
goon:
  br i1 %iswrite, label %writing, label %reading
stopped:
  ret i32 1
}}
"""


# A read of a granule that this workgroup has not written.
_INIT = f"""
{field("record", STAMP, "rstamp")}
  %fresh = icmp eq i32 %rstamp, %stamp
  br i1 %fresh, label %known.read, label %unwritten
unwritten:
  %uplace = shl i64 %at, SHIFT
{at("g", GROUP["fault_code"], "%ufc")}
{at("g", GROUP["fault_lane"], "%ufl")}
{at("g", GROUP["fault_address"], "%ufa")}
  %ulane32 = trunc i64 %lane to i32
  store i32 {UNWRITTEN}, ptr %ufc, align 4
  store i32 %ulane32, ptr %ufl, align 4
  store i64 %uplace, ptr %ufa, align 8
  %ustop = call i32 @ave_check_found(ptr %g, i32 %index, i64 0, i1 true)
  %ustops = icmp ne i32 %ustop, 0
  br i1 %ustops, label %stopped, label %known.read
known.read:
"""


def lds_text(shift: int, count: int, init: bool = False) -> str:
    """The text of `ave_check_lds` for granules of 2**shift bytes, in a program of so many instructions. `init`: reads of what nothing wrote are
    faults."""
    text = _LDS.replace("INIT", _INIT if init else "")
    return text.replace("SHIFT", str(shift)).replace("GRANULES", str(granules(count)))
