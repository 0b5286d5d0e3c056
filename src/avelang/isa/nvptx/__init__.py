"""The intrinsics of `al.nvvm`: importing this package registers their rows."""

from avelang.isa.nvptx import (
    atomics,
    cluster,
    copy_async,
    ldmatrix,
    mbarrier,
    mma,
    mma_blocks,
    scalar,
    sync,
    tensor_core,
    tensor_products,
    tma,
    votes,
    wgmma,
)

__all__ = [
    "atomics",
    "cluster",
    "copy_async",
    "ldmatrix",
    "mbarrier",
    "mma",
    "mma_blocks",
    "scalar",
    "sync",
    "tensor_core",
    "tensor_products",
    "tma",
    "votes",
    "wgmma",
]
