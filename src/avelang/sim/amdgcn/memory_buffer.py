"""Handlers of buffer loads and stores, to registers and to LDS, and of their range checks. Source: AMD Instinct MI300
ISA, sections 9.1 and 16.14.

What is checked (section 9.1.5.1), each dword of wide accesses for itself: raw (no index, not swizzled): the end of what
is touched is at most num_records, in bytes from the base; structured (an index and a stride): index < num_records;
scratch (the lane's number is added, no index): nothing. The scalar offset counts in the raw check, and only the lane's
offset plus the instruction's wraps at 32 bits: so AMD measured it on gfx950 for its own simulator of CDNA
(ROCm/rocm-systems, pull request 10928), and rocBLAS's kernels rely on it. An index without a stride counts as raw, as
Mesa's driver for gfx9 states it. A resource without a data format is unbound: all is out of range. Kinds of resources
about which the manual is silent stop the wave. Out of range, loads give 0, also those that go to LDS, and stores do
nothing. What is in range must have been given to the kernel.
"""

from __future__ import annotations

from avelang.amdgcn.asm import MCInst, Operand, PhysReg
from avelang.native.amdgcn import IN_RANGE, MIXED
from avelang.sim.amdgcn import memory_access
from avelang.sim.amdgcn.memory_addresses import V64, helper, zeros
from avelang.sim.amdgcn.memory_moves import DWORDS, NAMES, STORE_NAMES, MemoryTransfer, calls
from avelang.sim.amdgcn.state import REGISTER
from avelang.sim.amdgcn.translator import BlockTranslator, Handler, UnsupportedForm

WORDS = "i64 %r0, i64 %r1, i64 %soffset, i64 %inst, i64 %exec, i1 %indexed"
PARAMETERS = f"ptr noalias %g, ptr %data, ptr %index, ptr %offset, {WORDS}"


def at_buffer(t: BlockTranslator) -> str:
    """`ave_at_buffer`, with its @ (`native/amdgcn/buffer.c`); `ave_room`, `ave_clear` and `ave_settle` are there
    too."""
    helper(t, "ave_clear")
    return helper(t, "ave_at_buffer")


def staged(t: BlockTranslator, nbytes: int, last: int) -> str:
    """Lines that find the addresses, and go on at %all or %mixed."""
    words = "i64 %r0, i64 %r1, i64 %soffset, i64 %inst, i64 %exec, i1 %indexed"
    arguments = f"ptr %g, ptr %at, ptr %room, ptr %index, ptr %offset, {words}, i64 {nbytes}, i64 {last}"
    return f"""  %s = call i32 {at_buffer(t)}({arguments})
  switch i32 %s, label %fault [ i32 {IN_RANGE}, label %all
                                i32 {MIXED}, label %mixed ]
"""


def _part(t: BlockTranslator, access: MemoryTransfer) -> str:
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
        return memory_access.function(
            name, "ptr noalias %g, ptr %data, ptr %at, ptr %room, i64 %exec, i64 %start", {"good": V64}, body
        )

    return t.helper(name, make)


def _whole(t: BlockTranslator, access: MemoryTransfer) -> str:
    """The function of a load or a store, with its @."""
    name, unit = f"ave_buffer_{access.name}", access.unit

    def make() -> str:
        starts = range(0, access.nbytes, unit.nbytes)
        body = [
            staged(t, access.nbytes, access.nbytes - 1), "all:", calls(t, access, "data", "at", "exec"),
            "  br label %done", "mixed:",
        ]  # fmt: skip
        if access.store and len(starts) > 1:
            words = helper(t, "ave_some_words")
            parts = [f"call i32 {words}(ptr %g, ptr %data, ptr %at, ptr %room, i64 %exec, i64 {access.nbytes})"]
        else:
            body += [f"  %d{k} = getelementptr i8, ptr %data, i64 {REGISTER * k}" for k in range(len(starts))]
            parts = [
                f"call i32 {_part(t, unit)}(ptr %g, ptr %d{k}, ptr %at, ptr %room, i64 %exec, i64 {start})"
                for k, start in enumerate(starts)
            ]
        for k, part in enumerate(parts):
            after = "done" if k == len(parts) - 1 else f"part{k}"
            body += [
                f"  %p{k} = {part}",
                f"  %q{k} = icmp ne i32 %p{k}, 0",
                f"  br i1 %q{k}, label %fault, label %{after}",
            ]
            body += [f"{after}:"] if after != "done" else []
        return memory_access.function(name, PARAMETERS, {"at": V64, "room": V64}, "\n".join(body))

    return t.helper(name, make)


def arguments(t: BlockTranslator, i: MCInst, vaddr: Operand, rsrc: Operand, soffset: Operand) -> tuple[str, ...]:
    """A buffer instruction's operands as arguments behind `g` and `data`: index, offset, resource, scalar offset,
    constant, EXEC."""
    indexed, offset = bool(i.int("idxen")), bool(i.int("offen"))
    if not isinstance(rsrc, PhysReg) or rsrc.file != "s" or rsrc.count != 4:
        raise UnsupportedForm(f"{rsrc} is not a resource in four scalar registers")
    if indexed or offset:
        first = memory_access.data_register(t, vaddr, indexed + offset)
        assert isinstance(vaddr, PhysReg)
        registers = (first if indexed else zeros(t), (t.place(vaddr, 1) if indexed else first) if offset else zeros(t))
    elif memory_access.is_off(vaddr):
        registers = (zeros(t), zeros(t))
    else:
        raise UnsupportedForm("an address register without offen or idxen")
    scalar = t.op(f"zext i32 {t.scalar_source(soffset)} to i64")
    words = (t.pair(rsrc.first), t.pair(rsrc.first + 2), scalar, i.int("offset"), t.exec())
    return *(f"ptr {r}" for r in registers), *(f"i64 {w}" for w in words), f"i1 {'true' if indexed else 'false'}"


def _move(access: MemoryTransfer) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        if "lds" in i.mods:
            return _to_lds(t, i, access)
        data, vaddr, rsrc, soffset = i.operands
        pointer = memory_access.data_register(t, data, access.words)
        t.run(_whole(t, access), "ptr %g", f"ptr {pointer}", *arguments(t, i, vaddr, rsrc, soffset))

    return handler


TO_LDS = ("u8", "i8", "u16", "i16", "b32", "b96", "b128")  # the wide ones are CDNA4's


def _to_lds(t: BlockTranslator, i: MCInst, access: MemoryTransfer) -> None:
    if access.store or access.format not in TO_LDS:
        raise UnsupportedForm("there is no such access direct to LDS")
    data = memory_access.slot(t, "data", access.words)
    t.run(_whole(t, access), "ptr %g", f"ptr {data}", *arguments(t, i, *i.operands))
    memory_access.to_lds(t, i, "buffer", access.words, data)


def _formatted(t: BlockTranslator, i: MCInst) -> None:
    raise UnsupportedForm("conversions of buffer formats are not executed")


FORMATS = [f"format_{d}{c}" for d in ("", "d16_") for c in ("x", "xy", "xyz", "xyzw")]

TABLE: dict[str, Handler] = {
    **{f"buffer_load_{name}": _move(MemoryTransfer(False, f)) for name, f in {**DWORDS, **NAMES}.items()},
    **{f"buffer_store_{name}": _move(MemoryTransfer(True, f)) for name, f in {**DWORDS, **STORE_NAMES}.items()},
    **{f"{b}_{k}_{f}": _formatted for b in ("buffer", "tbuffer") for k in ("load", "store") for f in FORMATS},
    **{f"buffer_{k}_format_d16_hi_x": _formatted for k in ("load", "store")},
}
