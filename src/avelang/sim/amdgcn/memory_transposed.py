"""Handlers of gfx950's transposed LDS loads: 16 lanes read rows of a matrix, and each gets a column.

Lanes stand in groups of 16. The 64 bits (of 6-bit elements: 96) that each reads are, one after another, a matrix whose rows have 16 elements; lane n
of the group gets elements n of all rows, the first row's lowest. All lanes must be active, and addresses multiples of the size (of 16 bytes, for 96
bits). Sources: AMD CDNA4 ISA, section 11.4; Triton, third_party/amd, `LocalLoad` by `ds_read_tr` (which lane gets what).
"""

from __future__ import annotations

from avelang.amdgcn.asm import MCInst
from avelang.sim.amdgcn import memory_access
from avelang.sim.amdgcn.memory_addresses import V32, V64, helper, zeros
from avelang.sim.amdgcn.memory_lds import refuse_gds
from avelang.sim.amdgcn.memory_moves import MemoryTransfer, calls
from avelang.sim.amdgcn.state import LANES
from avelang.sim.amdgcn.translator import BlockTranslator, Handler

GROUP = 16  # lanes, and elements of a row
WORDS = {16: 2, 8: 2, 4: 2, 6: 3}  # registers of a lane, by the bits of an element


def _turn(t: BlockTranslator, bits: int) -> str:
    """void(data, rows): registers of columns from registers of rows, with its @."""
    words = WORDS[bits]
    held = 32 * words // bits  # elements of a lane
    name, kind = f"ave_turn_b{bits}", f"i{32 * words}"
    lanes_of_row = GROUP // held
    lines = [
        f"define internal void @{name}(ptr noalias %data, ptr noalias %rows) noinline #0 {{", "entry:", "  br label %loop", "loop:",
        "  %n = phi i32 [ 0, %entry ], [ %next, %loop ]", f"  %first = and i32 %n, {-GROUP}", f"  %column = and i32 %n, {GROUP - 1}",
        f"  %from = udiv i32 %column, {held}", f"  %e = urem i32 %column, {held}", f"  %shift32 = mul i32 %e, {bits}",
        f"  %shift = zext i32 %shift32 to {kind}", "  %lane0 = add i32 %first, %from",
    ]  # fmt: skip
    total = "0"
    for k in range(held):
        lines.append(f"  %lane{k}r = add i32 %lane0, {k * lanes_of_row}")
        value = ""
        for w in range(words):
            lines += [
                f"  %i{k}.{w} = add i32 %lane{k}r, {w * LANES}", f"  %p{k}.{w} = getelementptr i32, ptr %rows, i32 %i{k}.{w}",
                f"  %w{k}.{w} = load i32, ptr %p{k}.{w}, align 4", f"  %z{k}.{w} = zext i32 %w{k}.{w} to {kind}",
                f"  %s{k}.{w} = shl {kind} %z{k}.{w}, {32 * w}", f"  %o{k}.{w} = or {kind} {value or '0'}, %s{k}.{w}",
            ]  # fmt: skip
            value = f"%o{k}.{w}"
        lines += [
            f"  %d{k} = lshr {kind} {value}, %shift", f"  %m{k} = and {kind} %d{k}, {(1 << bits) - 1}", f"  %u{k} = shl {kind} %m{k}, {bits * k}",
            f"  %t{k} = or {kind} {total}, %u{k}",
        ]  # fmt: skip
        total = f"%t{k}"
    for w in range(words):
        lines += [
            f"  %r{w} = lshr {kind} {total}, {32 * w}", f"  %c{w} = trunc {kind} %r{w} to i32", f"  %j{w} = add i32 %n, {w * LANES}",
            f"  %q{w} = getelementptr i32, ptr %data, i32 %j{w}", f"  store i32 %c{w}, ptr %q{w}, align 4",
        ]  # fmt: skip
    lines += ["  %next = add i32 %n, 1", f"  %more = icmp ult i32 %next, {LANES}", "  br i1 %more, label %loop, label %done", "done:", "  ret void"]
    lines.append("}")
    return t.helper(name, lambda: "\n".join(lines))


def _function(t: BlockTranslator, bits: int) -> str:
    """The function of an instruction, with its @: i32(g, w, data, low, high, base, exec)."""
    access = MemoryTransfer(False, f"b{32 * WORDS[bits]}")
    align = 16 if bits == 6 else 8
    name = f"ave_lds_turned_b{bits}"

    def make() -> str:
        body = f"""{memory_access.staged(t, "lds", access.nbytes)}
  %s.al = call i32 {helper(t, "ave_aligned")}(ptr %g, ptr %at, i64 %exec, i64 {align})
  %b.al = icmp ne i32 %s.al, 0
  br i1 %b.al, label %fault, label %aligned
aligned:
{calls(t, access, "rows", "at", "exec")}
  call void {_turn(t, bits)}(ptr %data, ptr %rows)
  br label %done"""
        return memory_access.function(name, memory_access.PARAMETERS, {"at": V64, "rows": f"[{WORDS[bits]} x {V32}]"}, body)

    return t.helper(name, make)


def _load(bits: int) -> Handler:
    def handler(t: BlockTranslator, i: MCInst) -> None:
        refuse_gds(i)
        data, vaddr = i.operands
        t.stop_if(t.op(f"icmp ne i64 {t.exec()}, -1"), "a transposed load with lanes switched off, which the manual does not define")
        pointer, low = memory_access.data_register(t, data, WORDS[bits]), memory_access.data_register(t, vaddr, 1)
        memory_access.touch(t, i, low, i.int("offset"), 4 * WORDS[bits], "read")
        places = (f"ptr {low}", f"ptr {zeros(t)}", f"i64 {i.int('offset')}", f"i64 {t.exec()}")
        t.run(_function(t, bits), "ptr %g", "ptr %w", f"ptr {pointer}", *places)

    return handler


TABLE: dict[str, Handler] = {f"ds_read_b{32 * words}_tr_b{bits}": _load(bits) for bits, words in WORDS.items()}
