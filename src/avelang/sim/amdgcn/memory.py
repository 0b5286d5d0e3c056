"""Handlers of scalar, global, buffer, scratch and LDS memory. Source: AMD Instinct MI300 ISA, sections 8 to 11."""

from __future__ import annotations

from avelang.amdgcn.asm import Imm, Instruction, Name, Reg
from avelang.sim.amdgcn.faults import OUTSIDE
from avelang.sim.amdgcn.state import GROUP
from avelang.sim.amdgcn.translator import Handler, Translator, Unknown

# i32 ave_inside(g, address, bytes): 0 where the memory was given to the kernel; else records the fault.
INSIDE = f"""
define internal i32 @ave_inside(ptr %g, i64 %address, i64 %bytes) noinline #0 {{
entry:
  %rp = getelementptr i8, ptr %g, i64 {GROUP["regions"]}
  %cp = getelementptr i8, ptr %g, i64 {GROUP["region_count"]}
  %regions = load ptr, ptr %rp, align 8
  %count = load i32, ptr %cp, align 4
  %end = add i64 %address, %bytes
  br label %look
look:
  %n = phi i32 [ 0, %entry ], [ %n1, %next ]
  %more = icmp ult i32 %n, %count
  br i1 %more, label %try, label %outside
try:
  %two = mul i32 %n, 2
  %ap = getelementptr i64, ptr %regions, i32 %two
  %bp = getelementptr i64, ptr %ap, i64 1
  %a = load i64, ptr %ap, align 8
  %b = load i64, ptr %bp, align 8
  %low = icmp uge i64 %address, %a
  %high = icmp ule i64 %end, %b
  %in = and i1 %low, %high
  br i1 %in, label %fine, label %next
next:
  %n1 = add i32 %n, 1
  br label %look
fine:
  ret i32 0
outside:
  %fc = getelementptr i8, ptr %g, i64 {GROUP["fault_code"]}
  %fa = getelementptr i8, ptr %g, i64 {GROUP["fault_address"]}
  %fx = getelementptr i8, ptr %g, i64 {GROUP["fault_extra"]}
  store i32 {OUTSIDE}, ptr %fc, align 4
  store i64 %address, ptr %fa, align 8
  store i64 %bytes, ptr %fx, align 8
  ret i32 1
}}
"""


def inside(t: Translator) -> str:
    """The function that checks an address, with its @."""
    return t.helper("ave_inside", lambda: INSIDE)


def _s_load(t: Translator, i: Instruction) -> None:
    d, base, offset = i.operands
    if not isinstance(d, Reg) or not isinstance(base, Reg):
        raise Unknown("its operands are not registers")
    delta = t.scalar_source(offset, 64) if isinstance(offset, Imm) else t.scalar_source(offset, 64)
    address = t.op(f"and i64 {t.op(f'add i64 {t.pair(base.first)}, {delta}')}, -4")
    if i.int("offset"):
        address = t.op(f"add i64 {address}, {i.int('offset')}")
    t.run(inside(t), "ptr %g", f"i64 {address}", f"i64 {4 * d.count}")
    pointer = t.op(f"inttoptr i64 {address} to ptr")
    for k in range(d.count):
        place = t.op(f"getelementptr i32, ptr {pointer}, i64 {k}")
        t.set_scalar(d.first + k, t.op(f"load i32, ptr {place}, align 4"))


def _loop(name: str, words: int, store: bool) -> str:
    """i32 name(g, data, low, high, base, exec): each active lane moves `words` dwords between registers and base + (high, low)."""
    body = []
    for k in range(words):
        there, here = f"%t{k}", f"%h{k}"
        body += [
            f"  {there} = getelementptr i32, ptr %pointer, i64 {k}",
            f"  %k{k} = add i64 %lane, {64 * k}",
            f"  {here} = getelementptr i32, ptr %data, i64 %k{k}",
            f"  %x{k} = load i32, ptr {here if store else there}, align 4",
            f"  store i32 %x{k}, ptr {there if store else here}, align 4",
        ]
    moves = "\n".join(body)
    return f"""
define internal i32 @{name}(ptr %g, ptr %data, ptr %low, ptr %high, i64 %base, i64 %exec) noinline #0 {{
entry:
  %none = icmp eq i64 %exec, 0
  br i1 %none, label %done, label %loop
loop:
  %left = phi i64 [ %exec, %entry ], [ %rest, %move ]
  %lane = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %lp = getelementptr i32, ptr %low, i64 %lane
  %hp = getelementptr i32, ptr %high, i64 %lane
  %l = load i32, ptr %lp, align 4
  %h = load i32, ptr %hp, align 4
  %l64 = zext i32 %l to i64
  %h64 = zext i32 %h to i64
  %hs = shl i64 %h64, 32
  %va = or i64 %hs, %l64
  %address = add i64 %base, %va
  %bad = call i32 @ave_inside(ptr %g, i64 %address, i64 {4 * words})
  %isbad = icmp ne i32 %bad, 0
  br i1 %isbad, label %fault, label %move
move:
  %pointer = inttoptr i64 %address to ptr
{moves}
  %minus = sub i64 %left, 1
  %rest = and i64 %left, %minus
  %more = icmp ne i64 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret i32 0
fault:
  %fl = getelementptr i8, ptr %g, i64 {GROUP["fault_lane"]}
  %lane32 = trunc i64 %lane to i32
  store i32 %lane32, ptr %fl, align 4
  ret i32 1
}}
"""


def _global(words: int, store: bool) -> Handler:
    def handler(t: Translator, i: Instruction) -> None:
        vaddr, data = i.operands[:2] if store else (i.operands[1], i.operands[0])
        saddr = i.operands[2]
        if not isinstance(data, Reg) or not isinstance(vaddr, Reg) or vaddr.count != 2 or not isinstance(saddr, Name):
            raise Unknown("this form of address")
        inside(t)
        t.module.declare("llvm.cttz.i64", "i64", ["i64", "i1"])
        name = t.helper(f"ave_global_{'store' if store else 'load'}_{words}", lambda: _loop(f"ave_global_{'store' if store else 'load'}_{words}", words, store))
        args = (f"ptr {t.place(data)}", f"ptr {t.place(vaddr)}", f"ptr {t.place(vaddr, 1)}", f"i64 {i.int('offset')}", f"i64 {t.exec()}")
        t.run(name, "ptr %g", *args)

    return handler


WIDTHS = {"dword": 1, "dwordx2": 2, "dwordx3": 3, "dwordx4": 4}

TABLE: dict[str, Handler] = {
    **{f"s_load_{name}": _s_load for name in ("dword", "dwordx2", "dwordx4", "dwordx8", "dwordx16")},
    **{f"global_load_{name}": _global(n, False) for name, n in WIDTHS.items()},
    **{f"global_store_{name}": _global(n, True) for name, n in WIDTHS.items()},
}
