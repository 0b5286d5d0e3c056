"""Special registers: a name comes in; its bits and its value in every lane go out. PTX ISA, 10, "Special registers"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from avelang.nvptx import nodes as n
from avelang.sim.ptx.modifiers import NotExecuted
from avelang.sim.ptx.state import BLOCK, GRID_POINTER, LANES, WARP

if TYPE_CHECKING:
    from avelang.sim.ptx.translator import PtxTranslator

AXES = {"x": 0, "y": 1, "z": 2, "w": 3}
VECTORS = ("ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid")
WORDS = {"%cluster_ctarank": "rank", "%cluster_nctarank": "ranks", "%dynamic_smem_size": "dynamic",
    "%total_smem_size": "shared_bytes", "%aggr_smem_size": "shared_bytes"}  # fmt: skip
_LANE_MASKS = {
    "%lanemask_eq": lambda k: 1 << k, "%lanemask_le": lambda k: (2 << k) - 1, "%lanemask_lt": lambda k: (1 << k) - 1,
    "%lanemask_ge": lambda k: 0xFFFFFFFF & -1 << k, "%lanemask_gt": lambda k: 0xFFFFFFFF & -2 << k,
}  # fmt: skip
# One multiprocessor, one grid: what code may rely on of these is their range only.
CONSTANTS = {"%smid": 0, "%nsmid": 1, "%gridid": 1, "%nwarpid": 64, "%reserved_smem_offset_begin": 0,
    "%reserved_smem_offset_end": 0}


def value(t: PtxTranslator, o: n.SpecialOperand) -> tuple[int, str]:
    """(bits, the vector). Raises Unknown for what is not modeled."""
    name = o.name[1:]
    if name == "tid" or name in VECTORS:
        if o.component not in AXES:
            raise NotExecuted(f"{o.name} is a vector: one of its components is needed")
        axis = AXES[o.component]
        if axis == 3:
            return 32, t.constant(0 if name.endswith("id") and name[0] != "n" else 1, 32)
        if name == "tid":
            return 32, t.op(f"load {t.t('i32')}, ptr {t.pointer('w', WARP['thread'] + axis * 4 * LANES)}, align 64")
        return 32, t.splat(t.word(name, axis), "i32")
    if o.name == "%laneid":
        return 32, t.numbers()
    if o.name in _LANE_MASKS:
        return 32, t.const_vector([_LANE_MASKS[o.name](k) for k in range(LANES)], "i32")
    if o.name in WORDS:
        return 32, t.splat(t.word(WORDS[o.name]), "i32")
    if o.name == "%warpid":
        index = t.op(f"load i32, ptr {t.pointer('w', WARP['index'])}, align 4")
        return 32, t.splat(index, "i32")
    if o.name == "%is_explicit_cluster":
        return 1, t.splat(t.op(f"icmp ne i32 {t.word('explicit')}, 0"), "i1")
    if o.name in CONSTANTS:
        return 64 if o.name == "%gridid" else 32, t.constant(CONSTANTS[o.name], 64 if o.name == "%gridid" else 32)
    if o.name in ("%clock", "%clock64", "%clock_hi", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"):
        return _clock(t, o.name)
    if o.name in GRID_POINTER and t.windows.bits == 64:
        half = t.op(f"lshr i64 {t.word('module', 0, 64)}, {GRID_POINTER[o.name]}")
        return 32, t.splat(t.op(f"trunc i64 {half} to i32"), "i32")
    raise NotExecuted(f"{o.name} is not modeled")


def _clock(t: PtxTranslator, name: str) -> tuple[int, str]:
    """Time is not modeled: each reading of any clock is greater than those before, which is all that code may rely
    on."""
    place = t.pointer("g", BLOCK["clock"])
    now = t.op(f"add i64 {t.op(f'load i64, ptr {place}, align 8')}, 16")
    t.do(f"store i64 {now}, ptr {place}, align 8")
    if name in ("%clock64", "%globaltimer"):
        return 64, t.splat(now, "i64")
    part = t.op(f"lshr i64 {now}, 32") if name.endswith("hi") else now
    return 32, t.splat(t.op(f"trunc i64 {part} to i32"), "i32")
