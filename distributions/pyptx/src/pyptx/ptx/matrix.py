"""Matrix instructions of a warp: `mma.sync`, `ldmatrix`, `stmatrix`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyptx.types as t
from pyptx._errors import bad_value
from pyptx._operands import Parts, addr, emit, emit_name
from pyptx._registers import Reg, scalar
from pyptx.types import as_ptx_type


class MmaOps:
    """`ptx.mma`."""

    @staticmethod
    def sync(
        *, shape: Sequence[int], dtype_d: Any, dtype_a: Any, dtype_b: Any, dtype_c: Any, d: Any, a: Any, b: Any, c: Any,
        a_layout: str = "row", b_layout: str = "col", pred: Any = None,
    ) -> None:  # fmt: skip
        """`mma.sync.aligned`: D = A B + C of a warp. `shape`: (m, n, k); the operands are lists of registers or arrays
        of them. Raises ValueError (T241) for an unknown layout, and what the table says of shapes and types."""
        for name, given in (("a_layout", a_layout), ("b_layout", b_layout)):
            if given not in ("row", "col"):
                raise bad_value("ptx.mma.sync", f'{name} is "row" or "col", not {given!r}')
        types = (as_ptx_type(x, "ptx.mma.sync").name for x in (dtype_d, dtype_a, dtype_b, dtype_c))
        word = "m{}n{}k{}".format(*shape)
        emit(("mma", "sync", "aligned", word, a_layout, b_layout, *types), *(Parts(*x) for x in (d, a, b, c)),
             pred=pred)  # fmt: skip


mma = MmaOps()


def ldmatrix(*, dst: Any, src: Any, layout: str = "x4", trans: bool = False, pred: Any = None) -> None:
    """`ldmatrix.sync.aligned`: matrices of 8 x 8 elements of 16 bits out of shared memory. `layout`: "x4", or with the
    shape "m8n8.x4". `dst`: registers; `src`: an address, in each lane that of a row."""
    words = layout.strip(".").split(".")
    words = words if words[0].startswith("m") else ["m8n8", *words]
    emit(("ldmatrix", "sync", "aligned", *words, *["trans"] * trans, "shared", "b16"), Parts(*dst), addr(src),
         pred=pred)  # fmt: skip


def stmatrix(
    *, smem: Any, regs: Any, layout: str = "x4", trans: bool = False, shape: str = "m8n8", pred: Any = None
) -> None:
    """`stmatrix.sync.aligned`: the same into shared memory (sm_90). "x4.trans" transposes too."""
    words = [w for w in layout.strip(".").split(".") if not w.startswith("m")]
    count, turned = words[0], trans or "trans" in words[1:]
    name = f"stmatrix.sync.aligned.{shape}.{count}{'.trans' * turned}.shared::cta.b16"
    emit_name(name, addr(smem), Parts(*regs), pred=pred)


def stmatrix_x4_trans_f32_bf16(
    *, frag: Any, smem_base: Any, lane: Reg, row_stride: int, tmp_bf16: Any = None, tmp_pack: Any = None
) -> None:
    """Writes a fragment of f32 registers (a multiple of 8) as bf16, transposed, into shared memory with rows of
    `row_stride` elements. `lane` is the thread in its warpgroup. Temporaries (8 b16, 4 b32) may be given. Raises
    ValueError (T241)."""
    call = "ptx.stmatrix_x4_trans_f32_bf16"
    values = list(frag)
    if not values or len(values) % 8:
        raise bad_value(call, f"{len(values)} registers; a multiple of 8 is wanted")
    halves = [scalar(t.b16) for _ in range(8)] if tmp_bf16 is None else list(tmp_bf16)
    packs = [scalar(t.b32) for _ in range(4)] if tmp_pack is None else list(tmp_pack)
    if len(halves) != 8 or len(packs) != 4:
        raise bad_value(call, f"{len(halves)} and {len(packs)} temporaries; 8 b16 and 4 b32 are wanted")
    in_warp = lane & 31
    offset = (lane >> 5) << 4
    offset = offset + (in_warp & 7) * row_stride + (in_warp >> 4) * (8 * row_stride) + (in_warp & 8)
    offset = offset << 1
    start = smem_base.value() if isinstance(smem_base, Reg) else scalar(t.u32, None)
    if not isinstance(smem_base, Reg):
        emit(("mov", "u32"), start, smem_base)
    address = start + offset
    for group in range(len(values) // 8):
        for i in range(8):
            emit(("cvt", "rn", "bf16", "f32"), halves[i], values[8 * group + i])
        for i in range(4):
            emit(("mov", "b32"), packs[i], [halves[2 * i], halves[2 * i + 1]])
        where = addr(address, group * row_stride * 32) if group else addr(address)
        stmatrix(smem=where, regs=packs, layout="x4", trans=True)
