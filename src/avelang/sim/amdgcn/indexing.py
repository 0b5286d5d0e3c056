"""A vector instruction comes in while VGPR indexing is on; it is run on the registers that lie M0[7:0] behind those
that it names.

Registers that are shifted are copied to memory of the block (file "x"), the instruction works there, and its results
are copied back. Which operands are shifted M0[15:12] says: bits 0 to 2 the sources, bit 3 the destination, also where
it is a source too (mac, SDWA that preserves). Source: AMD CDNA4 ISA, section 6.6.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from avelang.amdgcn.asm import M0, MCInst, PhysReg
from avelang.isa.amdgpu.instructions import MATRIX
from avelang.sim.amdgcn.faults import UnsupportedForm
from avelang.sim.amdgcn.mode import DYNAMIC
from avelang.sim.amdgcn.operands import first_source
from avelang.sim.amdgcn.state import FILE, LANES, REGISTER, VECTORS

if TYPE_CHECKING:
    from avelang.sim.amdgcn.translator import BlockTranslator, Handler

WIDEST = 32  # registers of an operand
BESIDE = 5 * WIDEST
DESTINATION = 3


def _part(i: MCInst, n: int) -> int:
    """Which bit of the mask says whether operand `n` is shifted."""
    first = first_source(i)
    return DESTINATION if n < first else n - first


def _distance(t: BlockTranslator, part: int) -> str:
    """By how many registers operands of that bit are shifted, an i32."""
    index = t.op(f"and i32 {t.scalar(M0)}, 255")
    if t.mode.indexed != DYNAMIC:
        return index
    bit = t.op(f"and i32 {t.op(f'lshr i32 {t.scalar(M0)}, {12 + part}')}, 1")
    return t.op(f"mul i32 {index}, {bit}")


def _place(t: BlockTranslator, o: PhysReg, part: int) -> str:
    """A pointer to the first register that is meant. One that is past the last stops the wave."""
    base = o.first + (t.accum if o.file == "a" else 0)
    at = t.op(f"add i32 {_distance(t, part)}, {base}")
    last = t.registers or (FILE if o.file == "a" else t.accum)
    t.stop_if(t.op(f"icmp ugt i32 {at}, {last - o.count}"), "VGPR indexing that leads past the last register")
    offset = t.op(f"add i32 {t.op(f'mul i32 {at}, {REGISTER}')}, {VECTORS}")
    return t.op(f"getelementptr i8, ptr %w, i32 {offset}")


def _cells(t: BlockTranslator, place: str, count: int) -> list[str]:
    return [t.op(f"getelementptr i32, ptr {place}, i32 {k * LANES}") for k in range(count)]


def run(t: BlockTranslator, i: MCInst, handler: Handler) -> None:
    """Runs a handler where MODE has VGPR indexing on. Raises UnsupportedForm for instructions of which the manual does
    not say what is shifted."""
    if i.desc.unit == MATRIX or (len(i.operands) == 2 and all(o.written and o.read for o in i.desc.operands)):
        raise UnsupportedForm("VGPR indexing of this instruction, of which the manual does not say what it shifts")
    operands, back = list(i.operands), []
    for n, o in enumerate(i.operands):
        if not isinstance(o, PhysReg) or o.file not in ("v", "a"):
            continue
        part = _part(i, n)
        if t.mode.indexed != DYNAMIC and not t.mode.indexed >> part & 1:
            continue
        place = _place(t, o, part)
        operands[n] = dataclasses.replace(o, file="x", first=n * WIDEST)
        for k, cell in enumerate(_cells(t, place, o.count)):
            t.set_vector("x", n * WIDEST + k, t.op(f"load {t.t('i32')}, ptr {cell}, align 64"), masked=False)
        if part == DESTINATION:
            back.append((n * WIDEST, o.count, place))
    handler(t, dataclasses.replace(i, operands=tuple(operands)))
    for first, count, place in back:
        for k, cell in enumerate(_cells(t, place, count)):
            t.do(f"store {t.t('i32')} {t.vector('x', first + k)}, ptr {cell}, align 64")
    if back:
        t.forget_vectors()
