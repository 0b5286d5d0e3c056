"""Special registers: a name such as "%tid" comes in; its type, its components and where it exists go out. PTX ISA, 10,
"Special registers"."""

from __future__ import annotations

from typing import NamedTuple


class SpecialRegister(NamedTuple):
    """`type` is that of one component, "v4" says that there are x, y, z and w. `ptx` and `sm` are the oldest that have
    it."""

    type: str
    vector: bool = False
    ptx: tuple[int, int] = (1, 0)
    sm: int = 0


_V, _CLUSTER = SpecialRegister("u32", True), SpecialRegister("u32", False, (7, 8), 90)
_MASK, _RESERVED = SpecialRegister("u32", False, (2, 0), 20), SpecialRegister("b32", False, (7, 6), 80)

SPECIAL: dict[str, SpecialRegister] = {**dict.fromkeys(("%tid", "%ntid", "%ctaid", "%nctaid"), _V),
    **dict.fromkeys(("%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"),
    SpecialRegister("u32", True, (7, 8), 90)), **dict.fromkeys(("%cluster_ctarank", "%cluster_nctarank"), _CLUSTER),
    "%is_explicit_cluster": SpecialRegister("pred", False, (7, 8), 90),
    "%laneid": SpecialRegister("u32", False, (1, 3)),
    **dict.fromkeys(("%warpid", "%smid"), SpecialRegister("u32", False, (1, 3))),
    **dict.fromkeys(("%nwarpid", "%nsmid"), _MASK), "%gridid": SpecialRegister("u64", False, (3, 0)),
    **dict.fromkeys((f"%lanemask_{x}" for x in ("eq", "le", "lt", "ge", "gt")), _MASK),
    "%clock": SpecialRegister("u32"), "%clock_hi": SpecialRegister("u32", False, (5, 0), 20),
    "%clock64": SpecialRegister("u64", False, (2, 0), 20),
    **{f"%pm{i}": SpecialRegister("u32", False, (1, 3) if i < 4 else (3, 0)) for i in range(8)},
    **{f"%pm{i}_64": SpecialRegister("u64", False, (4, 0), 50) for i in range(8)},
    **{f"%envreg{i}": SpecialRegister("b32", False, (2, 1)) for i in range(32)},
    "%globaltimer": SpecialRegister("u64", False, (3, 1), 30),
    **dict.fromkeys(("%globaltimer_lo", "%globaltimer_hi"), SpecialRegister("u32", False, (3, 1), 30)),
    **dict.fromkeys((f"%reserved_smem_offset_{x}" for x in ("begin", "end", "cap", "0", "1")), _RESERVED),
    "%total_smem_size": SpecialRegister("u32", False, (4, 1), 20),
    "%aggr_smem_size": SpecialRegister("u32", False, (8, 1), 90),
    "%dynamic_smem_size": SpecialRegister("u32", False, (4, 1), 20),
    "%current_graph_exec": SpecialRegister("u64", False, (8, 0), 50)}
CONSTANTS = {"WARP_SZ": 32}
