"""Operations of several ranks: each rank calls them with its own arrays, in the same order. `all_reduce`, `all_gather`,
`reduce_scatter` (`collectives.py`), products with these around them (`overlapped.py`), mixtures of experts
(`experts.py`), and attention over a split sequence (`sequence.py`).

`group`: a `Member` of `avelang.dist` (a `Group` of `connect`, or what `World.run` gives), a torch process group, or
None for torch's default one. Sums are in f32 (f64 of f64) in the order of ranks, rounded once: every rank has the same
bits in every run, whatever the number of rows or of shots."""

from avelang.ops.dist.collectives import all_gather, all_reduce, gathered, reduce_scatter, reduced, scattered
from avelang.ops.dist.experts import Dispatched, Handle, expert_layout, moe, moe_combine, moe_dispatch, rows_moved
from avelang.ops.dist.overlapped import (
    all_gather_matmul,
    gathered_product,
    matmul_all_reduce,
    matmul_reduce_scatter,
    scattered_product,
)
from avelang.ops.dist.sequence import ring_attention, ring_positions

__all__ = [
    "Dispatched", "Handle", "all_gather", "all_gather_matmul", "all_reduce", "expert_layout", "gathered",
    "gathered_product", "matmul_all_reduce", "matmul_reduce_scatter", "moe", "moe_combine", "moe_dispatch",
    "reduce_scatter", "reduced", "ring_attention", "ring_positions", "rows_moved", "scattered", "scattered_product",
]  # fmt: skip
