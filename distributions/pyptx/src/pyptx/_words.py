"""What hints name, in the words of this package: by the code of the error, or by the topic."""

from __future__ import annotations

from avelang.ptx.refusals import WORDS as TOPICS
from avelang.ptx.trace import WORDS as CODES

WORDS = {
    **CODES, **TOPICS,
    "S206": "ptx.var(...), smem.alloc(...) and smem.mbarrier(...) declare variables",
    "register": "reg.scalar(type, name=...) makes a register of that name",
    "T222": "operands are registers, numbers, ptx.addr(...), lists for braces, tuples for parentheses, p | q for p|q, "
            "None for _",
    "T225": "compare registers, or write one by ptx.setp(...) into reg.scalar(pred); ~p negates it",
    "T227": "ptx.if_(p), ptx.loop(label, pred=p) and pred=p decide when the kernel runs",
    "T239": "mov and cvt can: reg.from_(ptx.special.tid.x(), u32)",
    "count": "range() and lists count while the kernel is traced; ptx.range_(start, stop) and ptx.addr(p, offset) "
             "while it runs",
    "int": "ptx.cvt(s32, ...) converts while the kernel runs",
    "float": "ptx.cvt(f32, ...) converts while the kernel runs",
    "items": "reg.array(type, n) has items",
    "read": "memory is read by ptx.ld(...), at ptx.addr(pointer, offset); pointers come from ptx.global_ptrs(x)",
    "write": "memory is written by ptx.st(...), at ptx.addr(pointer, offset); pointers come from ptx.global_ptrs(x)",
    "within": "compare registers; ptx.inst.and_.pred and ptx.inst.or_.pred combine predicates",
    "round": 'ptx.cvt(s32, f32, d, x, rounding="rni") rounds while the kernel runs',
    "load": "load it first: ptx.param(type, x), or the address of an array by ptx.global_ptrs(x)",
}  # fmt: skip
