"""Handlers of buffer loads and stores, to registers and to LDS, and of their range checks. Source: AMD Instinct MI300 ISA, sections 9.1 and 16.14.

What is checked (section 9.1.5.1), each dword of wide accesses for itself: raw (no index, not swizzled): the end of what is touched is at most
num_records, in bytes from the base; structured (an index and a stride): index < num_records; scratch (the lane's number is added, no index): nothing.
The scalar offset counts in the raw check, and only the lane's offset plus the instruction's wraps at 32 bits: so AMD measured it on gfx950 for its
own simulator of CDNA (ROCm/rocm-systems, pull request 10928), and rocBLAS's kernels rely on it. An index without a stride counts as raw, as Mesa's
driver for gfx9 states it.
A resource without a data format is unbound: all is out of range. Kinds of resources about which the manual is silent stop the wave.
Out of range, loads give 0, also those that go to LDS, and stores do nothing. What is in range must have been given to the kernel.
"""

from __future__ import annotations

from avelang.amdgcn.asm import Instruction, Operand, Reg
from avelang.sim.amdgcn import memory_access
from avelang.sim.amdgcn.faults import RESOURCE
from avelang.sim.amdgcn.memory_addresses import V32, V64, M, helper, record, zeros
from avelang.sim.amdgcn.memory_moves import DWORDS, NAMES, STORE_NAMES, Access, calls
from avelang.sim.amdgcn.state import LANES, REGISTER
from avelang.sim.amdgcn.translator import Handler, Translator, Unknown

WORDS = "i64 %r0, i64 %r1, i64 %soffset, i64 %inst, i64 %exec, i1 %indexed"
PARAMETERS = f"ptr noalias %g, ptr %data, ptr %index, ptr %offset, {WORDS}"
IN_RANGE, MIXED = 0, 2  # what `ave_at_buffer` returns, besides 1 for a fault

# i32 ave_at_buffer(g, out, room, index, offset, words, nbytes, last): addresses in `out`; in `room` how far the range reaches behind what the lane
# addresses: a part whose last byte is `c` bytes behind it is in range where c < room. `last` is that of the last part. When all of all active lanes
# is in range, addresses have been checked, and the answer is IN_RANGE.
_AT = f"""
define internal i32 @ave_at_buffer(ptr noalias %g, ptr noalias %out, ptr noalias %room, ptr %index, ptr %offset, {WORDS}, i64 %nbytes, i64 %last)
 noinline #0 {{
entry:
  %base = and i64 %r0, 281474976710655
  %s1 = lshr i64 %r0, 48
  %stride14 = and i64 %s1, 16383
  %swizzled = icmp slt i64 %r0, 0
  %num = and i64 %r1, 4294967295
  %w3 = lshr i64 %r1, 32
  %t1 = lshr i64 %w3, 23
  %tid = trunc i64 %t1 to i1
  %type = lshr i64 %w3, 30
  %f1 = lshr i64 %w3, 15
  %format = and i64 %f1, 15
  %f2 = shl i64 %format, 14
  %stride18 = or i64 %f2, %stride14
  %stride = select i1 %tid, i64 %stride18, i64 %stride14
  %hasstride = icmp ne i64 %stride, 0
  %hasformat = icmp ne i64 %format, 0
  %bound = or i1 %tid, %hasformat
  %limit = select i1 %bound, i64 %num, i64 0
  %structured = and i1 %indexed, %hasstride
  %base2 = add i64 %base, %soffset
  %isbuffer = icmp eq i64 %type, 0
  %odd1 = and i1 %tid, %indexed
  %nostructure = xor i1 %structured, true
  %odd2 = and i1 %swizzled, %nostructure
  %nottid = xor i1 %tid, true
  %odd3 = and i1 %odd2, %nottid
  %wide = icmp ugt i64 %nbytes, 4
  %odd4 = and i1 %swizzled, %wide
  %odd5 = or i1 %odd1, %odd3
  %odd6 = or i1 %odd4, %odd5
  %notbuffer = xor i1 %isbuffer, true
  %odd = or i1 %odd6, %notbuffer
  br i1 %odd, label %refuse, label %known
known:
  %simple1 = or i1 %tid, %structured
  %simple = or i1 %simple1, %swizzled
  br i1 %simple, label %lanes, label %raw
raw:
  %o32 = load {V32}, ptr %offset, align 64
  %inst32 = trunc i64 %inst to i32
  %i1v = insertelement {V32} poison, i32 %inst32, i64 0
  %iv = shufflevector {V32} %i1v, {V32} poison, <{LANES} x i32> zeroinitializer
  %off32 = add {V32} %o32, %iv
  %off = zext {V32} %off32 to {V64}
  %b1 = insertelement {V64} poison, i64 %base2, i64 0
  %bv = shufflevector {V64} %b1, {V64} poison, <{LANES} x i32> zeroinitializer
  %addresses = add {V64} %off, %bv
  %left = sub i64 %limit, %soffset
  %l1 = insertelement {V64} poison, i64 %left, i64 0
  %lv = shufflevector {V64} %l1, {V64} poison, <{LANES} x i32> zeroinitializer
  %rooms = sub {V64} %lv, %off
  store {V64} %addresses, ptr %out, align 64
  store {V64} %rooms, ptr %room, align 64
  br label %judge
lanes:
  %n = phi i64 [ 0, %known ], [ %n1, %lanes ]
  %xp = getelementptr i32, ptr %index, i64 %n
  %x32 = load i32, ptr %xp, align 4
  %x64 = zext i32 %x32 to i64
  %own = select i1 %tid, i64 %n, i64 0
  %x = add i64 %x64, %own
  %op = getelementptr i32, ptr %offset, i64 %n
  %ol = load i32, ptr %op, align 4
  %ol64 = zext i32 %ol to i64
  %o = add i64 %ol64, %inst
  %skip = mul i64 %x, %stride
  %linear = add i64 %o, %skip
  %k1 = lshr i64 %w3, 21
  %k2 = and i64 %k1, 3
  %istride = shl i64 8, %k2
  %xmsb = udiv i64 %x, %istride
  %xlsb = urem i64 %x, %istride
  %omsb = and i64 %o, -4
  %olsb = and i64 %o, 3
  %row = mul i64 %xmsb, %stride
  %cell = add i64 %row, %omsb
  %block = mul i64 %cell, %istride
  %inrow = shl i64 %xlsb, 2
  %sw1 = add i64 %block, %inrow
  %sw2 = add i64 %sw1, %olsb
  %from = select i1 %swizzled, i64 %sw2, i64 %linear
  %address = add i64 %base2, %from
  %ap = getelementptr i64, ptr %out, i64 %n
  store i64 %address, ptr %ap, align 8
  %good = icmp ult i64 %x, %limit
  %free = or i1 %tid, %good
  %reach = select i1 %free, i64 9223372036854775807, i64 0
  %rp = getelementptr i64, ptr %room, i64 %n
  store i64 %reach, ptr %rp, align 8
  %n1 = add i64 %n, 1
  %more = icmp ult i64 %n1, {LANES}
  br i1 %more, label %lanes, label %judge
judge:
  %fit = call i64 @ave_room(ptr %room, i64 %exec, i64 %last)
  %all = icmp eq i64 %fit, %exec
  br i1 %all, label %settle, label %mixed
settle:
  %s = call i32 @ave_settle(ptr %g, ptr %out, ptr %out, i64 0, i64 %exec, i64 %nbytes)
  ret i32 %s
mixed:
  ret i32 {MIXED}
refuse:
{record(RESOURCE, "0", "%r0", "%r1")}
  ret i32 1
}}
"""

# i64 ave_room(room, exec, last): which active lanes have the part in range whose last byte is there.
_ROOM = f"""
define internal i64 @ave_room(ptr %room, i64 %exec, i64 %last) noinline #0 {{
entry:
  %r = load {V64}, ptr %room, align 64
  %s1 = insertelement {V64} poison, i64 %last, i64 0
  %s = shufflevector {V64} %s1, {V64} poison, <{LANES} x i32> zeroinitializer
  %in = icmp sgt {V64} %r, %s
  %word = bitcast {M} %in to i64
  %lanes = and i64 %word, %exec
  ret i64 %lanes
}}
"""


# i32 ave_some_words(g, data, at, room, exec, nbytes): stores the words in range, a lane's one after another.
_SOME_WORDS = f"""
define internal i32 @ave_some_words(ptr noalias %g, ptr %data, ptr %at, ptr %room, i64 %exec, i64 %nbytes) noinline #0 {{
entry:
  %good = alloca {V64}, align 64
  br label %check
check:
  %c = phi i64 [ 0, %entry ], [ %c1, %checked ]
  %clast = add i64 %c, 3
  %in = call i64 @ave_room(ptr %room, i64 %exec, i64 %clast)
  %some = icmp ne i64 %in, 0
  br i1 %some, label %settle, label %checked
settle:
  %s = call i32 @ave_settle(ptr %g, ptr %at, ptr %good, i64 %c, i64 %in, i64 4)
  %bad = icmp ne i32 %s, 0
  br i1 %bad, label %fault, label %checked
checked:
  %c1 = add i64 %c, 4
  %morechecks = icmp ult i64 %c1, %nbytes
  br i1 %morechecks, label %check, label %lane
lane:
  %left = phi i64 [ %exec, %checked ], [ %rest, %next ]
  %n = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %ap = getelementptr i64, ptr %at, i64 %n
  %a = load i64, ptr %ap, align 8
  %rp = getelementptr i64, ptr %room, i64 %n
  %r = load i64, ptr %rp, align 8
  br label %word
word:
  %k = phi i64 [ 0, %lane ], [ %k1, %stored ]
  %klast = add i64 %k, 3
  %inside = icmp sgt i64 %r, %klast
  br i1 %inside, label %store, label %stored
store:
  %skip = mul i64 %k, {LANES // 4}
  %from = add i64 %skip, %n
  %dp = getelementptr i32, ptr %data, i64 %from
  %v = load i32, ptr %dp, align 4
  %to = add i64 %a, %k
  %pointer = inttoptr i64 %to to ptr
  store i32 %v, ptr %pointer, align 1
  br label %stored
stored:
  %k1 = add i64 %k, 4
  %morewords = icmp ult i64 %k1, %nbytes
  br i1 %morewords, label %word, label %next
next:
  %minus = sub i64 %left, 1
  %rest = and i64 %left, %minus
  %again = icmp ne i64 %rest, 0
  br i1 %again, label %lane, label %done
done:
  ret i32 0
fault:
  ret i32 1
}}
"""


def at_buffer(t: Translator) -> str:
    """`ave_at_buffer`, with its @; `ave_room`, `ave_clear` and `ave_settle` are there too."""
    helper(t, "ave_settle")
    helper(t, "ave_clear")
    t.helper("ave_room", lambda: _ROOM)
    return t.helper("ave_at_buffer", lambda: _AT)


def staged(t: Translator, nbytes: int, last: int) -> str:
    """Lines that find the addresses, and go on at %all or %mixed."""
    words = "i64 %r0, i64 %r1, i64 %soffset, i64 %inst, i64 %exec, i1 %indexed"
    return f"""  %s = call i32 {at_buffer(t)}(ptr %g, ptr %at, ptr %room, ptr %index, ptr %offset, {words}, i64 {nbytes}, i64 {last})
  switch i32 %s, label %fault [ i32 {IN_RANGE}, label %all
                                i32 {MIXED}, label %mixed ]
"""


def _part(t: Translator, access: Access) -> str:
    """i32(g, data, at, room, exec, start): one part of an access, where it is in range."""
    name = f"ave_part_{access.name}"

    def make() -> str:
        clear = "" if access.store else "  %out = xor i64 %in, %exec\n  call void @ave_clear(ptr %data, i64 %out)\n"
        body = f"""  %last = add i64 %start, {access.nbytes - 1}
  %in = call i64 @ave_room(ptr %room, i64 %exec, i64 %last)
{clear}  %some = icmp ne i64 %in, 0
  br i1 %some, label %move, label %done
move:
  %s = call i32 @ave_settle(ptr %g, ptr %at, ptr %good, i64 %start, i64 %in, i64 {access.nbytes})
  %bad = icmp ne i32 %s, 0
  br i1 %bad, label %fault, label %settled
settled:
{calls(t, access, "data", "good", "in")}
  br label %done"""
        return memory_access.function(name, "ptr noalias %g, ptr %data, ptr %at, ptr %room, i64 %exec, i64 %start", {"good": V64}, body)

    return t.helper(name, make)


def _whole(t: Translator, access: Access) -> str:
    """The function of a load or a store, with its @."""
    name, unit = f"ave_buffer_{access.name}", access.unit

    def make() -> str:
        starts = range(0, access.nbytes, unit.nbytes)
        body = [staged(t, access.nbytes, access.nbytes - 1), "all:", calls(t, access, "data", "at", "exec"), "  br label %done", "mixed:"]
        if access.store and len(starts) > 1:
            words = t.helper("ave_some_words", lambda: _SOME_WORDS)
            parts = [f"call i32 {words}(ptr %g, ptr %data, ptr %at, ptr %room, i64 %exec, i64 {access.nbytes})"]
        else:
            body += [f"  %d{k} = getelementptr i8, ptr %data, i64 {REGISTER * k}" for k in range(len(starts))]
            parts = [f"call i32 {_part(t, unit)}(ptr %g, ptr %d{k}, ptr %at, ptr %room, i64 %exec, i64 {start})" for k, start in enumerate(starts)]
        for k, part in enumerate(parts):
            after = "done" if k == len(parts) - 1 else f"part{k}"
            body += [f"  %p{k} = {part}", f"  %q{k} = icmp ne i32 %p{k}, 0", f"  br i1 %q{k}, label %fault, label %{after}"]
            body += [f"{after}:"] if after != "done" else []
        return memory_access.function(name, PARAMETERS, {"at": V64, "room": V64}, "\n".join(body))

    return t.helper(name, make)


def arguments(t: Translator, i: Instruction, vaddr: Operand, rsrc: Operand, soffset: Operand) -> tuple[str, ...]:
    """What a buffer instruction's operands say, as arguments behind `g` and `data`: index, offset, resource, scalar offset, constant, EXEC."""
    indexed, offset = bool(i.int("idxen")), bool(i.int("offen"))
    if not isinstance(rsrc, Reg) or rsrc.file != "s" or rsrc.count != 4:
        raise Unknown(f"{rsrc} is not a resource in four scalar registers")
    if indexed or offset:
        first = memory_access.data_register(t, vaddr, indexed + offset)
        assert isinstance(vaddr, Reg)
        registers = (first if indexed else zeros(t), (t.place(vaddr, 1) if indexed else first) if offset else zeros(t))
    elif memory_access.is_off(vaddr):
        registers = (zeros(t), zeros(t))
    else:
        raise Unknown("an address register without offen or idxen")
    scalar = t.op(f"zext i32 {t.scalar_source(soffset)} to i64")
    words = (t.pair(rsrc.first), t.pair(rsrc.first + 2), scalar, i.int("offset"), t.exec())
    return *(f"ptr {r}" for r in registers), *(f"i64 {w}" for w in words), f"i1 {'true' if indexed else 'false'}"


def _move(access: Access) -> Handler:
    def handler(t: Translator, i: Instruction) -> None:
        if "lds" in i.mods:
            return _to_lds(t, i, access)
        data, vaddr, rsrc, soffset = i.operands
        pointer = memory_access.data_register(t, data, access.words)
        t.run(_whole(t, access), "ptr %g", f"ptr {pointer}", *arguments(t, i, vaddr, rsrc, soffset))

    return handler


TO_LDS = ("u8", "i8", "u16", "i16", "b32", "b96", "b128")  # the wide ones are CDNA4's


def _to_lds(t: Translator, i: Instruction, access: Access) -> None:
    if access.store or access.format not in TO_LDS:
        raise Unknown("there is no such access direct to LDS")
    data = memory_access.slot(t, "data", access.words)
    t.run(_whole(t, access), "ptr %g", f"ptr {data}", *arguments(t, i, *i.operands))
    memory_access.to_lds(t, i, "buffer", access.words, data)


def _formatted(t: Translator, i: Instruction) -> None:
    raise Unknown("conversions of buffer formats are not executed")


FORMATS = [f"format_{d}{c}" for d in ("", "d16_") for c in ("x", "xy", "xyz", "xyzw")]

TABLE: dict[str, Handler] = {
    **{f"buffer_load_{name}": _move(Access(False, f)) for name, f in {**DWORDS, **NAMES}.items()},
    **{f"buffer_store_{name}": _move(Access(True, f)) for name, f in {**DWORDS, **STORE_NAMES}.items()},
    **{f"{b}_{k}_{f}": _formatted for b in ("buffer", "tbuffer") for k in ("load", "store") for f in FORMATS},
    **{f"buffer_{k}_format_d16_hi_x": _formatted for k in ("load", "store")},
}
