"""Tiles of Hopper's GEMM that were tuned: a shape and a GPU come in; the tile that a table has for it goes out.

The package brings a table, `tuned.txt`, behind the user's own: shapes of models' weights, tuned on one GPU and held
there against the rule and cuBLAS (`benchmarks/tune_hopper_gemm.py --only shipped`). A GPU of another name has none of
it."""

from __future__ import annotations

import functools
import pathlib
import sys
from typing import Any

from avelang import tuning
from avelang_kernels.arrays import is_torch
from avelang_kernels.matmul.hopper_tiles import GemmTile

TUNED = "avelang_kernels.matmul.hopper_gemm.gemm"  # the name under which tables have these tiles
TABLE = pathlib.Path(__file__).with_name("tuned.txt")
tuning.add(TABLE)


def tuned_tile(device: str, m: int, n: int, k: int, size: int, majors: Any) -> GemmTile | None:
    """The tuned tile of a device, of `device_name`, for A and B of 2 bytes an element and C of `size`; None where there
    is none, or where it is none for operands by columns, `majors`."""
    found = tuning.find(TUNED, device, ("bf16", m, n, k)) if device and size == 2 else None
    if found is None:
        return None
    one = GemmTile(*found["tile"])
    flipped = majors[::-1] if one.transposed else majors
    return None if one.fault(size, *flipped) or one.cluster_k > max(1, -(-k // 64)) else one


def device_name(x: Any) -> str:
    """The name of an array's GPU in tables."""
    return _torch_device_name(x.device) if is_torch(x) else tuning.device_of(x)


@functools.lru_cache(maxsize=64)
def _torch_device_name(device: Any) -> str:
    torch = sys.modules["torch"]
    return tuning.device_name(f"{'rocm' if torch.version.hip else 'cuda'}:{device.index or 0}")
