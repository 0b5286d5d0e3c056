"""The pipeline "tma" of NVIDIA's Hopper: tensor maps of A, B and C and a block's product come in; tiles of C go out,
one after another, by `avelang.pipelines.warp_specialized`."""

from __future__ import annotations

import dataclasses
from typing import Any

import avelang
import avelang.language as al
from avelang.base.places import wrong
from avelang.ir.dtypes import DType
from avelang.isa.nvptx import wgmma
from avelang.pipelines import warp_specialized
from avelang.pipelines.epilogue import TmaEpilogue, staging
from avelang.pipelines.ring import cluster_sync, mbarrier_ring
from avelang.pipelines.warp_specialized import GROUP, PATTERN, ROWS, WarpSpecialized
from avelang.tile.block_gemm import acc_dtype
from avelang.tile.order import place_in_c
from avelang.tile.products import MmaAtom
from avelang.tile.tensors import DistributedTile
from avelang.tile.virtual import group

NAME = "warp-specialized GEMM"  # as errors call it


@avelang.constant
@dataclasses.dataclass(frozen=True)
class TmaGemm(WarpSpecialized):
    """A warp-specialized block; `mma`: the wgmma of 64 rows and the tile's columns."""

    mma: MmaAtom | None = None


@avelang.constant
def tma_gemm(
    dtype: DType, m: int, n: int, k: int, stages: int, cluster: tuple[int, int], target: str = "sm_90a"
) -> TmaGemm:
    """The product of a block with wgmma. Raises T301 for a dtype that it does not have, T307 for extents."""
    acc, forms = acc_dtype(dtype), [f for f in wgmma.FORMS if not f.registers]
    form = next((f for f in forms if f.a.dtype == f.b.dtype == dtype and f.d == acc), None)
    if form is None:
        raise wrong("T301", what="the dtype", want="one of wgmma, such as bf16", got=repr(dtype))
    row = PATTERN // dtype.bytes
    limits = (("m", m, ROWS, 4 * ROWS), ("n", n, 8 * cluster[0], 256), ("k", k, row, row))
    for name, extent, unit, most in limits:
        if extent % unit or extent > most:
            why = f"{name} = {extent} must be a multiple of {unit}, of {most} at most"
            raise wrong("T307", name=NAME, why=why)
    return TmaGemm(m, n, stages, dtype, *cluster, mma=group(form, n, target))


@avelang.constant
def check_columns(n: int, out: DType) -> None:
    """Checks that TMA can store the rows of a tile of C with n columns, 128 bytes at a time. Raises T307."""
    _check_columns(n, out)


def _check_columns(n: int, out: DType) -> None:
    unit = PATTERN // out.bytes
    if n % unit:
        why = f"n = {n} must be a multiple of {unit}: C's rows, of {out}, are stored {PATTERN} bytes at a time"
        raise wrong("T307", name=NAME, why=why)


def tensor_maps(dtype: DType, out: DType, m: int, n: int, cluster: tuple[int, int]) -> tuple[Any, Any, Any]:
    """The annotations of A, B and C of a kernel for `TmaGemm`: what TMA copies at once. Raises T307."""
    _check_columns(n, out)
    boxes = (
        (dtype, m // cluster[1], PATTERN // dtype.bytes), (dtype, n // cluster[0], PATTERN // dtype.bytes),
        (out, ROWS, PATTERN // out.bytes)
    )
    a, b, c = (al.TensorMap(d, 2, (rows, cols), swizzle=PATTERN) for d, rows, cols in boxes)
    return a, b, c


@avelang.jit
def run(G, A, B, scheduler, finish):
    """All tiles of a scheduler that are this block's; `A`, `B`: views of tensor maps; `finish(tile, at)` gets each
    tile of 64 rows."""
    MMA = G.mma
    dtype = MMA.dtypes[0]
    a, b = al.make_shared((G.stages, G.m * G.k), dtype, 1024), al.make_shared((G.stages, G.n * G.k), dtype, 1024)
    ring = mbarrier_ring(G.stages, G.consumers, G.cluster_m, G.cluster_n)
    if al.thread_id(0) == 0:
        ring.init()
        al.nvvm.fence_mbarrier_init()
    cluster_sync(G.cluster)

    def zero():
        return al.full((MMA.acc.elements,), 0, MMA.dtypes[2])

    def epilogue(acc, work, consumer, t):
        at = place_in_c(work)
        finish(DistributedTile(acc, MMA.acc, t, G.consumers), (at[0] + consumer * ROWS,) + at[1:])

    warp_specialized.run(G, A.data, B.data, a, b, ring, scheduler, zero, MMA.lower, epilogue)


@avelang.jit
def store(C, tile, at):
    """Rounds a consumer's tile and has TMA store it, 128 bytes of each row at a time. `C`: a tensor map."""
    check_columns(tile.shape[1], C.dtype)
    epilogue = TmaEpilogue(C, staging(tile.groups, tile.shape[1], C.dtype))
    epilogue.store(tile.values, at[0], at[1], al.thread_id(0) // GROUP - 1, tile.thread)
