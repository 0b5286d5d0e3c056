"""`ptx.cp`: copies that run beside the threads. `cp.async_` copies 4, 8 or 16 bytes a thread (sm_80); `cp.async_.bulk`
moves boxes of arrays by tensor maps (sm_90).

Coordinates are in the order of PTX: the contiguous dimension first. A tensor map is the register that `tma_desc()`
gives: `src` of a load, `dst` of a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyptx._errors import bad_value
from pyptx._operands import Address, at, emit, emit_name

DONE = "mbarrier::complete_tx::bytes"


def checked(call: str, coord: Any, count: int) -> tuple[Any, ...]:
    """So many coordinates. Raises ValueError (T241)."""
    if coord is None:
        raise bad_value(call, f"coord is missing: {count} of them")
    found = tuple(coord) if isinstance(coord, (tuple, list)) else (coord,)
    if len(found) != count:
        raise bad_value(call, f"{len(found)} coordinates; {count} are wanted, the contiguous dimension first")
    return found


def _group(call: str, cta_group: int) -> str:
    if cta_group not in (1, 2):
        raise bad_value(call, f"cta_group is 1 or 2, not {cta_group!r}")
    return ".cta_group::2" if cta_group == 2 else ""


def load_box(
    rank: str, dst: Any, place: Address, mbar: Any, *, mode: str = "", to: str = "shared::cluster", cta_group: int = 1,
    mask: Any = None, cache_hint: Any = None, after: Sequence[Any] = (), pred: Any = None,
) -> None:  # fmt: skip
    """`cp.async.bulk.tensor` from global to shared memory. `after`: operands behind the barrier (offsets of im2col)."""
    if mbar is None:
        raise bad_value(f"cp.async_.bulk.tensor {rank}", "mbar is missing: the barrier on which the bytes count")
    name = f"cp.async.bulk.tensor.{rank}.{to}.global{mode}.{DONE}" + ".multicast::cluster" * (mask is not None)
    name += _group("cp.async_.bulk.tensor", cta_group) + ".L2::cache_hint" * (cache_hint is not None)
    rest = [*after, *([] if mask is None else [mask]), *([] if cache_hint is None else [cache_hint])]
    emit_name(name, at(dst), place, at(mbar), *rest, pred=pred)


def store_box(rank: str, place: Address, src: Any, *, mode: str = "", cache_hint: Any = None, pred: Any = None) -> None:
    """`cp.async.bulk.tensor` from shared to global memory, of the thread's open group."""
    name = f"cp.async.bulk.tensor.{rank}.global.shared::cta{mode}.bulk_group" + ".L2::cache_hint" * (
        cache_hint is not None
    )
    emit_name(name, place, at(src), *([] if cache_hint is None else [cache_hint]), pred=pred)


class TensorCopy:
    """Boxes of so many dimensions: a call loads one, `store` stores one."""

    def __init__(self, rank: int):
        self._rank, self._name = rank, f"cp.async_.bulk.tensor_{rank}d"

    def __call__(
        self, *, dst: Any, src: Any, coord: Any = None, mbar: Any = None, cta_group: int = 1,
        multicast_mask: Any = None, pred: Any = None,
    ) -> None:  # fmt: skip
        """Loads a box into shared memory; its bytes count on an mbarrier. `multicast_mask` (a b16 register): into each
        block of the cluster that it names. Raises ValueError (T241)."""
        place = at(src, checked(self._name, coord, self._rank))
        load_box(f"{self._rank}d", dst, place, mbar, cta_group=cta_group, mask=multicast_mask, pred=pred)

    def store(self, *, dst: Any, src: Any, coord: Any = None, pred: Any = None) -> None:
        """Stores a box; `dst` is the tensor map."""
        store_box(f"{self._rank}d", at(dst, checked(self._name, coord, self._rank)), src, pred=pred)

    def shared_cta_global_tile(
        self, *, dst: Any, src: Any, coord: Any = None, mbar: Any, cta_group: int = 1, pred: Any = None
    ) -> None:
        """Loads a box into this block; with `cta_group=2` the barrier may be the other block's of the pair."""
        place = at(src, checked(self._name, coord, self._rank))
        load_box(
            f"{self._rank}d", dst, place, mbar, mode=".tile", to="shared::cta", cta_group=cta_group, pred=pred
        )  # fmt: skip


def _tile(rank: int) -> Callable[..., None]:
    def load(
        dst: Any, src: Any, coord: Any, *, mbar: Any = None, cache_hint: Any = None, multicast_mask: Any = None,
        cta_group: int = 1, pred: Any = None,
    ) -> None:  # fmt: skip
        place = at(src, checked(f"tile_{rank}d", coord, rank))
        load_box(f"{rank}d", dst, place, mbar, mode=".tile", cta_group=cta_group, mask=multicast_mask,
                 cache_hint=cache_hint, pred=pred)  # fmt: skip

    load.__name__, load.__doc__ = f"tile_{rank}d", f"Loads a box of {rank} dimensions; `src` is the tensor map."
    return load


def _im2col(rank: int) -> Callable[..., None]:
    def load(
        dst: Any, src: Any, coord: Any, *, offsets: Any = None, mbar: Any = None, cache_hint: Any = None,
        multicast_mask: Any = None, pred: Any = None,
    ) -> None:  # fmt: skip
        given = list(coord) if offsets is None else [*coord, *offsets]
        given += [0] * (2 * rank - 2 - len(given) if offsets is None and len(given) == rank else 0)
        every = checked(f"im2col_{rank}d", given, 2 * rank - 2)
        load_box(f"{rank}d", dst, at(src, every[:rank]), mbar, mode=".im2col", mask=multicast_mask,
                 cache_hint=cache_hint, after=[list(every[rank:])], pred=pred)  # fmt: skip

    load.__name__ = f"im2col_{rank}d"
    load.__doc__ = (
        f"Loads a box in im2col mode: {rank} coordinates, and {rank - 2} offsets (behind them, or as `offsets`; 0)."
    )
    return load


def _store(rank: int) -> Callable[..., None]:
    def store(dst: Any, src: Any, coord: Any, *, cache_hint: Any = None, pred: Any = None) -> None:
        store_box(
            f"{rank}d", at(dst, checked(f"store_{rank}d", coord, rank)), src, mode=".tile", cache_hint=cache_hint,
            pred=pred,
        )  # fmt: skip

    store.__name__, store.__doc__ = f"store_{rank}d", f"Stores a box of {rank} dimensions; `dst` is the tensor map."
    return store


class TensorOps:
    """`ptx.cp.async_.bulk.tensor`: copies of boxes by their positional arguments (dst, src, coord)."""

    tensor_1d, tensor_2d, tensor_3d, tensor_4d, tensor_5d = (TensorCopy(rank) for rank in range(1, 6))
    tile_1d, tile_2d, tile_3d, tile_4d, tile_5d = (staticmethod(_tile(rank)) for rank in range(1, 6))
    im2col_3d, im2col_4d, im2col_5d = (staticmethod(_im2col(rank)) for rank in range(3, 6))
    store_1d, store_2d, store_3d, store_4d, store_5d = (staticmethod(_store(rank)) for rank in range(1, 6))

    @staticmethod
    def gather4_2d(
        dst: Any, src: Any, coord: Any, *, mbar: Any = None, cache_hint: Any = None, multicast_mask: Any = None,
        cta_group: int = 1, pred: Any = None,
    ) -> None:  # fmt: skip
        """Loads four rows: a column and four row numbers (sm_100)."""
        load_box("2d", dst, at(src, checked("gather4_2d", coord, 5)), mbar, mode=".tile::gather4", cta_group=cta_group,
                 mask=multicast_mask, cache_hint=cache_hint, pred=pred)  # fmt: skip

    @staticmethod
    def scatter4_2d(
        dst: Any, src: Any, coord: Any, *, mbar: Any = None, cache_hint: Any = None, pred: Any = None
    ) -> None:
        """Stores four rows: a column and four row numbers (sm_100). A store has no barrier: `mbar` is None."""
        if mbar is not None:
            raise bad_value("scatter4_2d", "a store has no barrier: it belongs to the thread's open bulk group")
        store_box("2d", at(dst, checked("scatter4_2d", coord, 5)), src, mode=".tile::scatter4", cache_hint=cache_hint,
                  pred=pred)  # fmt: skip


class BulkOps:
    """`ptx.cp.async_.bulk`: groups of bulk copies, and boxes."""

    tensor = TensorOps()
    tensor_1d, tensor_2d, tensor_3d, tensor_4d, tensor_5d = (TensorCopy(rank) for rank in range(1, 6))

    @staticmethod
    def commit_group(*, pred: Any = None) -> None:
        """`cp.async.bulk.commit_group`: the stores since the last make one group."""
        emit(("cp", "async", "bulk", "commit_group"), pred=pred)

    @staticmethod
    def wait_group(n: int = 0, *, read: bool = False, pred: Any = None) -> None:
        """`cp.async.bulk.wait_group[.read] n`: all groups but the newest n are complete, or have read their memory."""
        emit(("cp", "async", "bulk", "wait_group", *["read"] * read), n, pred=pred)


class AsyncOps:
    """`ptx.cp.async_`: copies of 4, 8 or 16 bytes a thread from global to shared memory."""

    bulk = BulkOps()

    @staticmethod
    def cg(smem_dst: Any, global_src: Any, byte_count: int, *, pred: Any = None) -> None:
        """`cp.async.cg.shared.global`: 16 bytes, past the first cache."""
        emit(("cp", "async", "cg", "shared", "global"), at(smem_dst), at(global_src), byte_count, pred=pred)

    @staticmethod
    def ca(smem_dst: Any, global_src: Any, byte_count: int, *, pred: Any = None) -> None:
        """`cp.async.ca.shared.global`: 4, 8 or 16 bytes."""
        emit(("cp", "async", "ca", "shared", "global"), at(smem_dst), at(global_src), byte_count, pred=pred)

    @staticmethod
    def commit_group(*, pred: Any = None) -> None:
        """`cp.async.commit_group`: the copies since the last make one group."""
        emit(("cp", "async", "commit_group"), pred=pred)

    @staticmethod
    def wait_group(n: int, *, pred: Any = None) -> None:
        """`cp.async.wait_group n`: all groups but the newest n are complete."""
        emit(("cp", "async", "wait_group"), n, pred=pred)

    @staticmethod
    def wait_all(*, pred: Any = None) -> None:
        """`cp.async.wait_all`."""
        emit(("cp", "async", "wait_all"), pred=pred)


async_ = AsyncOps()
async_bulk = async_.bulk
