"""Handlers of what moves values between lanes and register files: readlane and its like, permutes, swizzles, counts
below a lane, AGPR moves.

DPP is a modifier of other instructions: see `operands`. Source: AMD Instinct MI300 ISA, sections 6.6, 11.3 and 12.6 to
12.13.
"""

from __future__ import annotations

import re

from avelang.amdgcn.asm import MCInst, Operand, PhysReg
from avelang.llvm.writer import vector
from avelang.sim.amdgcn.faults import UnsupportedForm
from avelang.sim.amdgcn.operands import shuffle
from avelang.sim.amdgcn.state import FILES, LANES
from avelang.sim.amdgcn.translator import BlockTranslator, Handler


def _register(o: Operand) -> PhysReg:
    if not isinstance(o, PhysReg) or o.file not in FILES:
        raise UnsupportedForm(f"{o} is no vector register")
    return o


# -- one lane ----------------------------------------------------------------------------------------------------------


def _lane(t: BlockTranslator, o: Operand) -> str:
    """A lane's number from a scalar operand: its low six bits."""
    text = t.scalar_source(o)
    return t.op(f"and i32 {text}, {LANES - 1}") if text.startswith("%") else str(int(text) & LANES - 1)


def _element(t: BlockTranslator, reg: PhysReg, lane: str) -> str:
    """A pointer to one lane of a register in memory."""
    return t.op(f"getelementptr i32, ptr {t.place(reg)}, i32 {lane}")


def _read_lane(t: BlockTranslator, i: MCInst) -> None:
    d, a, lane = i.operands
    t.set_scalar_result(d, t.op(f"load i32, ptr {_element(t, _register(a), _lane(t, lane))}, align 4"))


def _read_first_lane(t: BlockTranslator, i: MCInst) -> None:
    """The lowest active lane, or lane 0 where none is active."""
    d, a = i.operands
    lane = "0"
    if t.exec() != "-1":
        first = t.call("llvm.cttz.i64", "i64", ("i64", t.exec()), ("i1", "false"))
        lane = t.op(f"and i32 {t.op(f'trunc i64 {first} to i32')}, {LANES - 1}")
    t.set_scalar_result(d, t.op(f"load i32, ptr {_element(t, _register(a), lane)}, align 4"))


def _write_lane(t: BlockTranslator, i: MCInst) -> None:
    d, a, lane = i.operands
    reg, value = _register(d), t.scalar_source(a)
    t.do(f"store i32 {value}, ptr {_element(t, reg, _lane(t, lane))}, align 4")
    t.forget_vector(reg)


# -- all lanes ---------------------------------------------------------------------------------------------------------


def _count_below(upper: bool) -> Handler:
    """D = S1 + the number of bits of S0 below the lane's own, in the lower or upper half of 64."""
    masks = [(1 << n) - 1 >> (32 if upper else 0) & 0xFFFFFFFF for n in range(LANES)]

    def handler(t: BlockTranslator, i: MCInst) -> None:
        i32 = t.t("i32")
        below = t.op(f"and {i32} {t.source_at(i, 1)}, {vector(masks, 'i32')}")
        count = t.call(f"llvm.ctpop.v{LANES}i32", i32, (i32, below))
        t.result_at(i, t.op(f"add {i32} {count}, {t.source_at(i, 2)}"))

    return handler


def _permute(forward: bool) -> Handler:
    """Where lanes send to the same one, the highest of them wins; lanes that are not active neither send nor receive,
    and read as 0."""
    name = "ave_permute" if forward else "ave_bpermute"

    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a, b = (_register(o) for o in i.operands)
        t.module.include("amdgcn", name)
        where = (f"ptr {t.place(d)}", f"ptr {t.place(a)}", f"ptr {t.place(b)}")
        t.run("@" + name, *where, f"i64 {t.exec()}", f"i32 {i.int('offset')}", may_fail=False)

    return handler


def swizzle_offset(value: int | str | tuple[int, ...]) -> int:
    """The 16-bit pattern of ds_swizzle_b32, which may be written as swizzle(MODE, ...) (LLVM, "Syntax of AMDGPU
    Instruction Modifiers")."""
    if isinstance(value, int):
        return value
    m = re.fullmatch(r"swizzle\((.*)\)", value) if isinstance(value, str) else None
    mode, *args = [x.strip() for x in m[1].split(",")] if m else [""]
    if mode == "BITMASK_PERM" and len(args) == 1 and re.fullmatch(r'"[01pi]{5}"', args[0]):
        bits = list(zip(args[0].strip('"'), (16, 8, 4, 2, 1), strict=True))
        keep, ones, flip = (sum(x for c, x in bits if c in which) for which in ("pi", "1", "i"))
        return keep | ones << 5 | flip << 10
    try:
        n = [int(x, 0) for x in args]
        if mode == "QUAD_PERM" and len(n) == 4:
            return 0x8000 | sum(x << 2 * k for k, x in enumerate(n))
        if mode == "BROADCAST" and len(n) == 2:
            return 32 - n[0] | n[1] << 5
        rules = {"SWAP": (0x1F, 10, 0), "REVERSE": (0x1F, 10, -1), "FFT": (0xE000, 0, 0)}
        if mode in rules and len(n) == 1:
            base, shift, less = rules[mode]
            return base | n[0] + less << shift
        if mode == "ROTATE" and len(n) == 2:
            return 0xC000 | n[0] << 10 | n[1] << 5
    except ValueError:
        pass
    raise UnsupportedForm(f"{value} is no swizzle pattern")


def swizzle_lanes(offset: int) -> tuple[int, ...]:
    """For each lane, the lane that ds_swizzle_b32 reads."""
    low = offset & 31
    if offset >= 0xE000:
        ones = low.bit_count()
        return tuple(int(f"{n & 31:05b}"[::-1], 2) >> ones | n & low | n & 32 for n in range(LANES))
    if offset >= 0xC000:
        by = (offset >> 5 & 31) * (-1 if offset >> 10 & 1 else 1)
        return tuple(n & low | n + by & ~low & 31 | n & 32 for n in range(LANES))
    if offset >> 15:
        return tuple(n & ~3 | offset >> 2 * (n & 3) & 3 for n in range(LANES))
    return tuple((n & low | offset >> 5 & 31) ^ offset >> 10 & 31 | n & 32 for n in range(LANES))


def _swizzle(t: BlockTranslator, i: MCInst) -> None:
    d, a = i.operands
    v = t.t("i32")
    value = t.source(_register(a))
    if t.exec() != "-1":
        value = t.op(f"select {t.t('i1')} {t.mask()}, {v} {value}, {v} zeroinitializer")
    t.set_result(d, shuffle(t, value, "i32", swizzle_lanes(swizzle_offset(i.mods.get("offset", 0)))))


def _swap(row: int) -> Handler:
    """v_permlane16_swap_b32, v_permlane32_swap_b32 of gfx950: rows of S0 that are even (of 16 or 32 lanes) change
    places with odd ones of D."""
    even = [n // row % 2 == 0 for n in range(LANES)]
    first = tuple(n if even[n] else LANES + n - row for n in range(LANES))  # D, then S0
    second = tuple(n + row if even[n] else LANES + n for n in range(LANES))

    def handler(t: BlockTranslator, i: MCInst) -> None:
        d, a = (_register(o) for o in i.operands)
        t.stop_if(t.op(f"icmp ne i64 {t.exec()}, -1"), "what it does with lanes that are not active is not documented")
        x, y, v = t.source(d), t.source(a), t.t("i32")
        for reg, pick in ((d, first), (a, second)):
            lanes = ", ".join(f"i32 {n}" for n in pick)
            t.set_vector(
                reg.file, reg.first, t.op(f"shufflevector {v} {x}, {v} {y}, <{LANES} x i32> <{lanes}>"), masked=False
            )

    return handler


def _move(t: BlockTranslator, i: MCInst) -> None:
    d, a = i.operands
    t.set_result(d, t.source(a))


TABLE: dict[str, Handler] = {
    "v_readlane_b32": _read_lane, "v_readfirstlane_b32": _read_first_lane, "v_writelane_b32": _write_lane,
    "v_mbcnt_lo_u32_b32": _count_below(False), "v_mbcnt_hi_u32_b32": _count_below(True),
    "ds_permute_b32": _permute(True), "ds_bpermute_b32": _permute(False), "ds_swizzle_b32": _swizzle,
    "v_permlane16_swap_b32": _swap(16), "v_permlane32_swap_b32": _swap(32), "v_accvgpr_read_b32": _move,
    "v_accvgpr_write_b32": _move, "v_accvgpr_mov_b32": _move,
}  # fmt: skip
