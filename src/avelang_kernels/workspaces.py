"""Workspaces of products whose K is split: partial sums and counters, kept for each stream of a GPU."""

from __future__ import annotations

import sys
import threading
from typing import Any

from avelang_kernels.arrays import is_torch

_workspaces: dict[Any, tuple[Any, Any]] = {}
_retired: list[Any] = []


def workspace_of(a: Any, blocks: int = 1, size: int = 2) -> tuple[Any, Any]:
    """A workspace for `size` sums (f32) and `blocks` counters, all 0, beside torch's `a`. It is kept for each stream,
    since launches of one stream run one after another, and never given back, so that a captured graph may go on using
    it: graphs captured on one stream must not run side by side. Launches that use none (`size` 1) get the same on all
    streams: asking for the current one takes time."""
    torch: Any = sys.modules["torch"]
    where = 0 if size == 1 else torch.cuda.current_stream(a.device).cuda_stream if a.is_cuda else threading.get_ident()
    key = a.device, size == 1, where
    found = _workspaces.get(key)
    if found is None or len(found[0]) < size or len(found[1]) < blocks:
        _retired.append(found)
        sizes = (max(n, len(x)) for n, x in zip((size, blocks), found or ((), ()), strict=True))
        found = torch.empty(next(sizes), device=a.device), torch.zeros(next(sizes), dtype=torch.int32, device=a.device)
        _workspaces[key] = found
    return found


def numpy_workspace(blocks: int, size: int) -> tuple[Any, Any]:
    """A workspace for one launch with arrays of NumPy."""
    import numpy as np  # takes longer to import than the kernel to compile

    return np.empty(size, np.float32), np.zeros(blocks, np.uint32)


def workspace_for(a: Any, blocks: int, size: int) -> tuple[Any, Any]:
    """A workspace for arrays of the kind of `a`."""
    return workspace_of(a, blocks, size) if is_torch(a) else numpy_workspace(blocks, size)
