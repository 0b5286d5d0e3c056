"""Copies that run beside the threads, and what waits for them: `cp.async`, mbarriers, the copy engine (TMA). Each
function names its instructions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import avelang.ptx.types as t
from avelang.base.errors import counted
from avelang.base.places import wrong
from avelang.ptx.form_queries import operands_of
from avelang.ptx.inst import emit
from avelang.ptx.registers import Negated, Reg, ScalarOperand, reg
from avelang.ptx.shared_memory import MemoryOperand, SharedTile, addr
from avelang.ptx.specs import KernelArgument
from avelang.ptx.trace import current


def _at(place: Any) -> MemoryOperand:
    return place if isinstance(place, MemoryOperand) else addr(place)


class CpAsyncOps:
    """`ptx.cp_async`: copies of 4, 8 or 16 bytes a thread, from global to shared memory (sm_80)."""

    def __call__(
        self, dst: Any, src: Any, size: int = 16, *, src_size: Any = None, l1: bool | None = None, pred: Any = None
    ) -> None:
        """`cp.async.cg.shared.global`, for 16 bytes, or `.ca` with `l1` (the only one for 4 and 8). `src_size`: how
        many bytes are read (a u32 register or an int); the rest are zeros."""
        past_l1 = ("cp", "async", "cg", "shared", "global")  # for the sizes that it has, if nothing else is asked for
        keeps = str(size) not in operands_of(past_l1)[2].values if l1 is None else l1
        parts = ("cp", "async", "ca", "shared", "global") if keeps else past_l1
        emit(parts, _at(dst), _at(src), size, *(() if src_size is None else (src_size,)), pred=pred)

    @staticmethod
    def commit_group() -> None:
        """`cp.async.commit_group`: the copies since the last make one group."""
        emit(("cp", "async", "commit_group"))

    @staticmethod
    def wait_group(pending: int = 0) -> None:
        """`cp.async.wait_group`: all groups of the thread but the newest `pending` are complete."""
        emit(("cp", "async", "wait_group"), pending)

    @staticmethod
    def wait_all() -> None:
        """`cp.async.wait_all`."""
        emit(("cp", "async", "wait_all"))

    @staticmethod
    def mbarrier_arrive(bar: Any, *, noinc: bool = True) -> None:
        """`cp.async.mbarrier.arrive`: an arrival once the thread's copies are complete; `noinc`: one of those that the
        phase expects."""
        emit(("cp", "async", "mbarrier", "arrive", *(("noinc",) if noinc else ()), "shared::cta", "b64"), _at(bar))


class MbarrierOps:
    """`ptx.mbarrier`: barriers in shared memory, of `smem.barriers()`, whose phases end after so many arrivals and
    bytes."""

    @staticmethod
    def init(bar: Any, count: Any) -> None:
        """`mbarrier.init`: phases end after `count` arrivals. A fence or a barrier stands before other threads' use."""
        emit(("mbarrier", "init", "shared::cta", "b64"), _at(bar), count)

    @staticmethod
    def inval(bar: Any) -> None:
        """`mbarrier.inval`."""
        emit(("mbarrier", "inval", "shared::cta", "b64"), _at(bar))

    @staticmethod
    def arrive(bar: Any, count: Any = None, *, pred: Any = None) -> None:
        """`mbarrier.arrive`, of one arrival or of `count`."""
        emit(
            ("mbarrier", "arrive", "shared::cta", "b64"),
            None,
            _at(bar),
            *(() if count is None else (count,)),
            pred=pred,
        )

    @staticmethod
    def arrive_cluster(bar: Any, *, pred: Any = None) -> None:
        """`mbarrier.arrive.release.cluster.shared::cluster`: on an mbarrier of another block, at an address by
        `ptx.cluster.mapa`."""
        emit(("mbarrier", "arrive", "release", "cluster", "shared::cluster", "b64"), None, _at(bar), pred=pred)

    @staticmethod
    def expect_tx(bar: Any, size: Any, *, pred: Any = None) -> None:
        """`mbarrier.expect_tx`: the phase waits for `size` more bytes."""
        emit(("mbarrier", "expect_tx", "relaxed", "cta", "shared::cta", "b64"), _at(bar), size, pred=pred)

    @staticmethod
    def arrive_expect_tx(bar: Any, size: Any, *, pred: Any = None) -> None:
        """`mbarrier.arrive.expect_tx`: the phase waits for `size` more bytes; then one arrival."""
        emit(("mbarrier", "arrive", "expect_tx", "shared::cta", "b64"), None, _at(bar), size, pred=pred)

    @staticmethod
    def test_wait(bar: Any, parity: Any) -> Reg:
        """`mbarrier.test_wait.parity`: a predicate, whether the phase of that parity has ended."""
        return MbarrierOps._asked("test_wait", bar, parity)

    @staticmethod
    def try_wait(bar: Any, parity: Any) -> Reg:
        """`mbarrier.try_wait.parity`: the same, after a while (sm_90)."""
        return MbarrierOps._asked("try_wait", bar, parity)

    @staticmethod
    def _asked(what: str, bar: Any, parity: Any) -> Reg:
        out = reg.pred()
        emit(("mbarrier", what, "parity", "shared::cta", "b64"), out, _at(bar), parity)
        return out

    @staticmethod
    def wait(bar: Any, parity: Any) -> None:
        """Waits until the phase of that parity has ended: `mbarrier.try_wait.parity` and a branch back to it."""
        trace = current("ptx.mbarrier.wait")
        again = trace.new_label("wait")
        trace.place(again)
        done = MbarrierOps.try_wait(bar, parity)
        emit(("bra",), again, pred=Negated(done))


def _of_rank(name: str, rank: int) -> Any:
    """`load` or `store` of boxes of so many dimensions."""

    def copy(self: TmaOps, first: Any, second: Any, third: Any, *rest: Any, **options: Any) -> None:
        coords = third if name == "load" else second
        if len(coords) != rank:
            raise wrong(
                "T101", what=f"ptx.tma.{name}_{rank}d: coords", allowed=counted(rank, "coordinate"), got=len(coords)
            )
        getattr(self, name)(first, second, third, *rest, **options)

    copy.__name__, copy.__doc__ = f"{name}_{rank}d", f"`{name}` of a box of {counted(rank, 'dimension')}."
    return copy


class TmaOps:
    """`ptx.tma`: boxes of arrays, by tensor maps, and straight runs of bytes (sm_90). `array` is an argument whose Tile
    has a box, or what `map` made of it; coordinates are those of the box's first element, in the order of the array's
    dimensions. One thread issues a copy."""

    @staticmethod
    def map(array: KernelArgument) -> Reg:
        """The address of an argument's tensor map: `mov.b64`, `cvta.param.u64`. Once, instead of with each copy. Raises
        T222."""
        if not isinstance(array, KernelArgument) or array.map is None:
            raise wrong(
                "T222",
                'give its Tile a box: Tile("M", "K", bf16, box=(64, 64), swizzle=128)',
                name="ptx.tma",
                got=repr(array),
            )
        out = reg.scalar(t.b64)
        emit(("mov", "b64"), out, array.map.name)
        emit(("cvta", "param", "u64"), out, out)
        return out

    @staticmethod
    def load(
        dst: Any, array: Any, coords: Sequence[Any], bar: Any, *, mask: Any = None, policy: Any = None, pred: Any = None
    ) -> None:
        """`cp.async.bulk.tensor.Nd` into shared memory; its bytes count on the mbarrier. `mask` (a b16 register):
        `.multicast::cluster`, into each block that it names. `policy` (a b64 register): `.L2::cache_hint`."""
        parts = (
            "cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            + ".multicast::cluster" * (mask is not None)
        )
        _tensor(
            "load",
            parts,
            dst,
            array,
            coords,
            lambda place: [_at(dst), place, _at(bar), *([] if mask is None else [mask])],
            policy,
            pred,
        )

    @staticmethod
    def store(array: Any, coords: Sequence[Any], src: Any, *, policy: Any = None, pred: Any = None) -> None:
        """`cp.async.bulk.tensor.Nd.global`, of the thread's open group."""
        parts = "cp.async.bulk.tensor.{}d.global.shared::cta.tile.bulk_group"
        _tensor("store", parts, src, array, coords, lambda place: [place, _at(src)], policy, pred)

    @staticmethod
    def reduce_add(array: Any, coords: Sequence[Any], src: Any, *, policy: Any = None, pred: Any = None) -> None:
        """`cp.reduce.async.bulk.tensor.Nd.global...add`."""
        parts = "cp.reduce.async.bulk.tensor.{}d.global.shared::cta.add.tile.bulk_group"
        _tensor("reduce_add", parts, src, array, coords, lambda place: [place, _at(src)], policy, pred)

    load_1d, load_2d, load_3d, load_4d, load_5d = (_of_rank("load", rank) for rank in range(1, 6))
    store_1d, store_2d, store_3d, store_4d, store_5d = (_of_rank("store", rank) for rank in range(1, 6))

    @staticmethod
    def prefetch_map(array: Any) -> None:
        """`prefetch.tensormap`."""
        emit(("prefetch", "tensormap"), addr(_map(array)))

    @staticmethod
    def load_bytes(dst: Any, src: Any, size: Any, bar: Any, *, pred: Any = None) -> None:
        """`cp.async.bulk` from global to shared memory: `size` bytes, a multiple of 16."""
        emit(
            ("cp", "async", "bulk", "shared::cluster", "global", "mbarrier::complete_tx::bytes"),
            _at(dst),
            _at(src),
            size,
            _at(bar),
            pred=pred,
        )

    @staticmethod
    def store_bytes(dst: Any, src: Any, size: Any, *, pred: Any = None) -> None:
        """`cp.async.bulk` from shared to global memory, of the thread's open group."""
        emit(("cp", "async", "bulk", "global", "shared::cta", "bulk_group"), _at(dst), _at(src), size, pred=pred)

    @staticmethod
    def commit_group() -> None:
        """`cp.async.bulk.commit_group`: the stores since the last make one group."""
        emit(("cp", "async", "bulk", "commit_group"))

    @staticmethod
    def wait_group(pending: int = 0, *, read: bool = False) -> None:
        """`cp.async.bulk.wait_group`: all groups but the newest `pending` are complete, or (`read`) have read their
        shared memory."""
        emit(("cp", "async", "bulk", "wait_group", *(("read",) if read else ())), pending)


def _map(array: Any) -> Any:
    return array if isinstance(array, ScalarOperand) else TmaOps.map(array)


def _tensor(
    what: str, parts: str, tile: Any, array: Any, coords: Sequence[Any], operands: Any, policy: Any, pred: Any
) -> None:
    """Adds a copy of a box. Raises T101 for coordinates of another rank, and for a tile of shared memory that cannot
    hold the box, or has another pattern."""
    spec = array.tile if isinstance(array, KernelArgument) else None
    if spec is not None and spec.box is not None:
        size = math.prod(spec.box) * spec.type.bytes
        if isinstance(tile, SharedTile) and tile.bytes < size:
            allowed = f"as large as the box of {array.name!r}, {counted(size, 'byte')}"
            raise wrong("T101", what=f"ptx.tma.{what}: the tile", allowed=allowed, got=tile.bytes)
        if isinstance(tile, SharedTile) and tile.swizzle and tile.swizzle != spec.swizzle:
            allowed = f"{spec.swizzle}, as that of {array.name!r} is"
            raise wrong("T101", what=f"ptx.tma.{what}: the tile's swizzle", allowed=allowed, got=tile.swizzle)
        if len(coords) != len(spec.box):
            raise wrong("T101", what=f"coordinates of {array.name!r}", allowed=str(len(spec.box)), got=len(coords))
    hint = [] if policy is None else ["L2::cache_hint"]
    place = addr(_map(array), coords=list(reversed(coords)))
    emit(
        (*parts.format(len(coords)).split("."), *hint),
        *operands(place),
        *([] if policy is None else [policy]),
        pred=pred,
    )


class FenceOps:
    """`ptx.fence`: what orders ordinary accesses and those of copies and matrix instructions."""

    @staticmethod
    def proxy_async(space: str = "shared::cta") -> None:
        """`fence.proxy.async`, of shared memory, of "global", or of all ("")."""
        emit(("fence", "proxy", "async", *((space,) if space else ())))

    @staticmethod
    def mbarrier_init() -> None:
        """`fence.mbarrier_init.release.cluster`."""
        emit(("fence", "mbarrier_init", "release", "cluster"))

    @staticmethod
    def acq_rel(scope: str = "gpu") -> None:
        """`fence.acq_rel`, of "cta", "cluster", "gpu" or "sys"."""
        emit(("fence", "acq_rel", scope))


cp_async, mbarrier, tma, fence = CpAsyncOps(), MbarrierOps(), TmaOps(), FenceOps()
