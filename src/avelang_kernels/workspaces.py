"""Workspaces of products whose K is split: partial sums and counters, kept for each stream of a GPU."""

from __future__ import annotations

import sys
import threading
from typing import Any

from avelang.bridge import kept_memory
from avelang_kernels.arrays import dtype_of, filled, is_torch, new

_workspaces: dict[Any, tuple[Any, Any]] = {}
_retired: list[Any] = []


def workspace_of(a: Any, blocks: int = 1, size: int = 2) -> tuple[Any, Any]:
    """A workspace for `size` sums (f32) and `blocks` counters, all 0, beside torch's `a`. It is kept for each stream,
    since launches of one stream run one after another, and never given back, so that a captured graph may go on using
    it: graphs captured on one stream must not run side by side. It is in no graph's pool, whoever asks first. Launches
    that use none (`size` 1) get the same on all streams: asking for the current one takes time."""
    torch: Any = sys.modules["torch"]
    where = 0 if size == 1 else stream_of(torch, a.device) if a.is_cuda else threading.get_ident()
    key = a.device, size == 1, where
    found = _workspaces.get(key)
    if found is None or len(found[0]) < size or len(found[1]) < blocks:
        _retired.append(found)
        sizes = (max(n, len(x)) for n, x in zip((size, blocks), found or ((), ()), strict=True))
        sums = kept_memory(a.device, next(sizes), torch.float32, zeros=False)
        counters = kept_memory(a.device, next(sizes), torch.int32)
        found = _workspaces[key] = sums, counters
    return found


def stream_of(torch: Any, device: Any) -> int:
    """The current stream of a GPU of torch's: without an object for it, which takes longer to make than all else."""
    return torch._C._cuda_getCurrentRawStream(device.index)


def workspace_for(a: Any, blocks: int, size: int) -> tuple[Any, Any]:
    """A workspace for arrays of the kind of `a`: for one launch, where they are not torch's."""
    if is_torch(a):
        return workspace_of(a, blocks, size)
    return new(a, (size,), "float32"), filled(a, (blocks,), 0, "uint32")


KEPT = 32 << 20  # bytes of a copy that are kept for the next launch, at the most
_rooms: dict[Any, Any] = {}


def room_for(like: Any, rows: int, cols: int, dtype: Any, slot: str) -> Any:
    """A (rows, cols) for what is there during one call only, such as a copy of an operand. On a GPU small ones are kept
    for each thread, stream and `slot`: at the same address, calls like one before need no new tensor maps,
    which take longer than the copy. Larger ones, and those beside NumPy's arrays, are new."""
    dtype = like.dtype if dtype is None else dtype_of(like, dtype) if isinstance(dtype, str) else dtype
    place, size = place_of_room(like), rows * cols * dtype.itemsize
    if size > KEPT or place is None:
        return new(like, (rows, cols), dtype)
    torch: Any = sys.modules["torch"]
    key = like.device, *place, slot
    found = _rooms.get(key)
    if found is None or found.numel() < size:
        room = 1 << (max(size, 1 << 16) - 1).bit_length()
        found = _rooms[key] = kept_memory(like.device, room, torch.uint8, zeros=False)
    return found[:size].view(dtype).view(rows, cols)


def place_of_room(like: Any) -> tuple[int, int] | None:
    """The stream and the thread for which `room_for` keeps room: a copy and what reads it are two launches, between
    which another thread may make its own. None where it keeps none."""
    if not is_torch(like) or not like.is_cuda:
        return None
    torch: Any = sys.modules["torch"]
    if torch.cuda.is_current_stream_capturing():
        return None
    return stream_of(torch, like.device), threading.get_ident()
