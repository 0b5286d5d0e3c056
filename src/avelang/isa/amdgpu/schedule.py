"""Rows that only speak to the scheduler: wait counts, priorities, fences for the instruction order. They compute
nothing."""

from __future__ import annotations

from avelang.ir.build import Builder
from avelang.ir.core import Op
from avelang.isa.lowering import WAITS, Emitter, Lowering, immediates
from avelang.isa.row import Param, Row, Wave, register

SOPP = "AMD CDNA3 ISA, section 12.5 (SOPP)"
LLVM = "LLVM, AMDGPUUsage, LLVM IR intrinsics"
GFX9 = frozenset({"gfx9"})
VMCNT, EXPCNT, LGKMCNT = 63, 7, 15


def waitcnt_immediate(vmcnt: int, expcnt: int, lgkmcnt: int) -> int:
    """The SIMM16 of s_waitcnt on gfx9: vmcnt in bits 3:0 and 15:14, expcnt in 6:4, lgkmcnt in 11:8 (AMD CDNA3 ISA,
    S_WAITCNT)."""
    return vmcnt & 15 | expcnt << 4 | lgkmcnt << 8 | vmcnt >> 4 << 14


def _waitcnt(w: Emitter, op: Op, name: str) -> None:
    w.call(name, "void", *immediates(waitcnt_immediate(*(op.attrs[n] for n in ("vmcnt", "expcnt", "lgkmcnt")))))


def _nothing(wave: Wave, *args: int) -> None:
    return None


def _expand_nothing(b: Builder, *args: int) -> None:
    return None


def _const(name: str, doc: str, low: int, high: int) -> Param:
    return Param(name, "const", doc, range=(low, high))


_MASK = (
    "0: none may cross; 1 all that are not memory, 2 VALU, 4 SALU, 8 MFMA, 0x10 all vector memory, 0x20 its reads, "
    "0x40 its writes, 0x80 "
    "all LDS, "
    "0x100 its reads, 0x200 its writes, 0x400 transcendentals"
)
# Name, parameters, words, source, how LLVM spells it.
_TABLE: tuple[tuple[str, tuple[Param, ...], str, str, str | Lowering], ...] = (
    ("s_waitcnt", (
        _const("vmcnt", "vector memory operations that may still be under way", 0, VMCNT),
        _const("expcnt", "exports that may still be under way", 0, EXPCNT),
        _const("lgkmcnt", "LDS, scalar memory and message operations that may still be under way", 0, LGKMCNT),
    ), "Waits until no more operations of each kind are under way than said.", f"{SOPP}, S_WAITCNT",
     Lowering("llvm.amdgcn.s.waitcnt", emit=_waitcnt, marks=frozenset({WAITS}))),
    ("s_setprio", (_const("priority", "3 is the highest", 0, 3),), "Sets the priority of the wave among those of its "
                                                                   "SIMD.", f"{SOPP}, S_SETPRIO",
     Lowering("llvm.amdgcn.s.setprio", {"priority": "i16"})),
    ("s_nop", (_const("count", "wait states less one", 0, 15),), "Does nothing for `count` + 1 wait states.",
        f"{SOPP}, S_NOP",
     Lowering("llvm.amdgcn.s.nop", {"count": "i16"})),
    ("s_sleep", (_const("amount", "in units of 64 clocks", 0, 127),), "The wave sleeps for about that "
                                                                      "long.", f"{SOPP}, S_SLEEP",
                                                                      "llvm.amdgcn.s.sleep"),
    ("sched_barrier", (_const("mask", f"kinds of instructions that the compiler may move across: {_MASK}", 0, 0x7FF),),
     "The compiler moves no other instructions across this point.", f"{LLVM}, llvm.amdgcn.sched.barrier",
     "llvm.amdgcn.sched.barrier"),
    ("sched_group_barrier", (
        _const("mask", f"kinds of instructions of the group: {_MASK}", 0, 0x7FF),
        _const("size", "how many of them", 0, 0x7FFFFFFF),
        _const("group_id", "groups of one id are put in the order of their calls", 0, 0x7FFFFFFF),
    ), "The compiler makes a group of so many instructions of those kinds "
       "here.", f"{LLVM}, llvm.amdgcn.sched.group.barrier", "llvm.amdgcn.sched.group.barrier"),
)  # fmt: skip
for _name, _params, _words, _source, _llvm in _TABLE:
    # Convergent: without an effect it would be removed as dead.
    register(Row(f"amdgpu.{_name}", _params, None, f"{_words} Results do not depend on "
                                                   f"it.", _source, GFX9, _nothing, frozenset({"convergent"}),
                 _expand_nothing, llvm={"amdgpu": _llvm}))  # fmt: skip
