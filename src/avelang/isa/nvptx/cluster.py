"""Rows of thread block clusters: where a block stands, the cluster's barrier, and the shared memory of its other
blocks.

Expansions know the cluster's extents: what a cluster of one asks of itself, its blocks' barriers and memory do.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import i32, i64, u32, u64
from avelang.ir.types import SHARED, Type, VecType
from avelang.isa.asm import Asm
from avelang.isa.lowering_helpers import peer, pointer, shared_offset
from avelang.isa.nvptx.mbarrier import BAR, EFFECTS, change, report, transactions
from avelang.isa.row import Param, Row, TensorRef, register
from avelang.isa.wave_protocol import Machine, Waiting

SM_90 = frozenset({"sm_90"})
DIM = Param("dim", "const", "0, 1 or 2", range=(0, 2))
# By `relaxed` of an arrival at another block's mbarrier: semantics and scope. None said means release, for the block.
REACHES = {0: ".release.cluster", 1: ".relaxed.cluster", 2: ""}
RANK = Param("rank", u32, "which block of the cluster, by its rank")
WINDOW = 24  # bits: an address in another block's shared memory is its offset there, and the rank above


def everywhere(wave: Machine, n: int) -> np.ndarray:
    """A number in every lane."""
    return np.full(wave.lanes, n, np.uint32)


def _of_block(op: str, query: str) -> Callable[[Builder, int], Value]:
    """What a block's or a grid's number along a dimension says of clusters: divided by their extent, or what that
    leaves over."""

    def lower(b: Builder, d: int) -> Value:
        return b.same(op, b.emit(query, (), (u32,), dim=d).result, b.const(b.cluster[d]))

    return lower


def _expand_rank(b: Builder) -> Value:
    rank = b.const(0)
    for d, n in enumerate(b.cluster):
        if n > 1:
            rank = b.add(rank, b.mul(_of_block("rem", "block_id")(b, d), b.const(math.prod(b.cluster[:d]))))
    return rank


_IDS: tuple[tuple[str, str, str, Callable[..., int], Callable[..., Value]], ...] = (
    ("cluster_id", "clusterid", "Which cluster of the grid this is, along a dimension.", lambda w, d: w.place()[1][d],
     _of_block("div", "block_id")),
    ("cluster_count", "nclusterid", "Clusters of the grid, along a dimension.", lambda w, d: w.place()[2][d],
     _of_block("div", "grid_dim")),
    ("cluster_block_id", "cluster_ctaid", "Which block of its cluster this is, along a dimension.",
     lambda w, d: np.unravel_index(w.place()[3], w.place()[0][::-1])[2 - d], _of_block("rem", "block_id")),
    ("cluster_dim", "cluster_nctaid", "Blocks of a cluster, along a dimension.", lambda w, d: w.place()[0][d],
     lambda b, d: b.const(b.cluster[d])),
)  # fmt: skip


def _id_rows() -> None:
    def semantics(get: Callable[..., int]) -> Callable[..., np.ndarray]:
        return lambda wave, dim: everywhere(wave, int(get(wave, dim)))

    def text(register_: str) -> Callable[..., str]:
        return lambda attrs: f"mov.u32 <out>, %{register_}.{'xyz'[attrs['dim']]};"

    for name, special, doc, get, lower in _IDS:
        register(Row(f"nvvm.{name}", (DIM,), u32, doc, f"PTX ISA 9.0, 10, %{special}", SM_90, semantics(get),
            lower=lower, llvm={"nvptx": Asm(text(special))}))  # fmt: skip
    for name, special, doc, count in (
        ("cluster_rank", "cluster_ctarank", "The block's rank in its cluster, x fastest.", False),
        ("cluster_size", "cluster_nctarank", "Blocks of a cluster.", True),
    ):
        register(Row(f"nvvm.{name}", (), u32, doc, f"PTX ISA 9.0, 10, %{special}", SM_90,
            (lambda wave: everywhere(wave, int(np.prod(wave.place()[0])))) if count
            else (lambda wave: everywhere(wave, wave.place()[3])), lower=(lambda b: b.const(math.prod(b.cluster)))
            if count else _expand_rank, llvm={"nvptx": Asm(f"mov.u32 <out>, %{special};")}))  # fmt: skip


_RELAXED = Param("relaxed", "const", "1: orders no accesses to memory. Enough behind fence_mbarrier_init, or where "
    "only blocks must still be there", range=(0, 1), default=0)  # fmt: skip


def _arrive(wave: Machine, relaxed: int) -> None:
    wave.cluster_arrive(bool(relaxed))


def _wait(wave: Machine) -> Waiting:
    yield from wave.cluster_wait()


def _expand_arrive(b: Builder, relaxed: int) -> None:
    if math.prod(b.cluster) > 1:
        b.emit("cluster_arrive")


def _expand_wait(b: Builder) -> None:
    # In a cluster of one the wait alone is the block's barrier.
    b.emit("cluster_wait" if math.prod(b.cluster) > 1 else "barrier")


def _barrier_rows() -> None:
    register(Row("nvvm.cluster_arrive", (_RELAXED,), None, "Arrives at the barrier of the cluster: all threads of all "
        "its blocks do. cluster_wait must follow.", "PTX ISA 9.0, 9.7.13.3, barrier.cluster", SM_90, _arrive, EFFECTS
        | {"convergent"}, _expand_arrive,
        llvm={"nvptx": Asm(lambda a: f"barrier.cluster.arrive.{'relaxed' if a['relaxed'] else 'release'}.aligned;")}))
    register(Row("nvvm.cluster_wait", (), None, "Waits until all threads of the cluster have arrived; orders their "
        "memory accesses.", "PTX ISA 9.0, 9.7.13.3, barrier.cluster", SM_90, _wait, EFFECTS | {"convergent"},
        _expand_wait, llvm={"nvptx": Asm("barrier.cluster.wait.acquire.aligned;")}))  # fmt: skip


# -- shared memory of other blocks -------------------------------------------------------------------------------------


def remote(address: str, rest: str, also: str = "") -> str:
    """Code in which `a` is `<tile>` (and `m` `<bar>`) in block `<rank>`."""
    bar = " mapa.shared::cluster.u32 m, <bar>, <rank>;" if also else ""
    return f"{{ .reg .b32 a, m; mapa.shared::cluster.u32 a, {address}, <rank>;{bar} {rest} }}"


def _mapa(wave: Machine, tile: TensorRef, rank: np.ndarray) -> np.ndarray:
    return (rank << WINDOW | tile.address.astype(np.uint32)).astype(np.uint32)


def _expand_mapa(b: Builder, tile: Value, rank: Value) -> Value:
    return b.or_(b.shl(rank, b.const(WINDOW)), b.convert(shared_offset(b, pointer(b, tile)), u32))


def _load(n: int) -> Callable[..., np.ndarray]:
    def semantics(wave: Machine, tile: TensorRef, rank: np.ndarray) -> np.ndarray:
        out = np.zeros((wave.lanes, 4 * n), np.uint8)
        for lane in np.flatnonzero(wave.active).tolist():
            out[lane] = wave.peer(lane, int(rank[lane]), tile.address[lane : lane + 1], 4 * n)
        words = out.view(np.int32)
        return words[:, 0].copy() if n == 1 else words

    return semantics


def _store(n: int) -> Callable[..., None]:
    def semantics(wave: Machine, tile: TensorRef, rank: np.ndarray, data: np.ndarray) -> None:
        raw = np.ascontiguousarray(data).view(np.uint8).reshape(wave.lanes, 4 * n)
        for lane in np.flatnonzero(wave.active).tolist():
            wave.peer(lane, int(rank[lane]), tile.address[lane : lane + 1], 4 * n, raw[lane])

    return semantics


def _store_async(n: int) -> Callable[..., None]:
    def semantics(wave: Machine, tile: TensorRef, rank: np.ndarray, data: np.ndarray, bar: TensorRef) -> None:
        raw = np.ascontiguousarray(data).view(np.uint8).reshape(wave.lanes, 4 * n)
        for lane in np.flatnonzero(wave.active).tolist():
            at = tile.address.view(np.int64)[lane] + np.arange(4 * n)[None]
            flight = wave.begin(SHARED, np.array([lane]), at, raw[lane : lane + 1], rank=int(rank[lane]), ordinary=True)
            found = wave.mbarrier(lane, int(bar.address[lane]), int(rank[lane]))
            report(flight, found, 4 * n, lane)

    return semantics


def _arrive_remote(wave: Machine, bar: TensorRef, rank: np.ndarray, relaxed: int) -> None:
    for lane in np.flatnonzero(wave.active).tolist():
        found = wave.mbarrier(lane, int(bar.address[lane]), int(rank[lane]))
        found.arrive(1, lane, relaxed == 1 or (relaxed == 2 and found.elsewhere))


def _memory_rows() -> None:
    source = "PTX ISA 9.0, 9.7.9"
    tile = Param("tile", "tensor", "in shared memory; the same place in the other block's is meant", spaces=(SHARED,))
    register(Row("nvvm.mapa", (tile, RANK), u32, "The address in the cluster's shared memory window that a place has "
        "in another block.", f"{source}.23, mapa", SM_90, _mapa, lower=_expand_mapa,
        llvm={"nvptx": Asm("mapa.shared::cluster.u32 <out>, <tile>, <rank>;")}))  # fmt: skip
    for n in (1, 2, 4):
        t: Type = i32 if n == 1 else VecType(i32, n)
        v = "" if n == 1 else f".v{n}"
        words = "<data>" if n == 1 else "<data*>"
        out = "<out>" if n == 1 else "<out*>"
        data = Param("data", t, "what to store", packed=True)
        register(Row(f"nvvm.ld_cluster_x{n}", (tile, RANK), t, f"Loads {n} words from the shared memory of another "
            f"block of the cluster.", f"{source}.8, ld", SM_90, _load(n), frozenset({"read"}), lambda b, tile, rank,
            t=t, n=n: b.ld(peer(b, tile, rank), b.const(0, i64), t, 4 * n),
            llvm={"nvptx": Asm(remote("<tile>", f"ld.shared::cluster{v}.b32 {out}, [a];"))}))  # fmt: skip
        register(Row(f"nvvm.st_cluster_x{n}", (tile, RANK, data), None, f"Stores {n} words into the shared memory of "
            f"another block of the cluster.", f"{source}.11, st", SM_90, _store(n), frozenset({"write"}), lambda b,
            tile, rank, data, n=n: b.st(data, peer(b, tile, rank), b.const(0, i64), 4 * n) and None,
            llvm={"nvptx": Asm(remote("<tile>", f"st.shared::cluster{v}.b32 [a], {words};"))}))  # fmt: skip

        def expand_async(b: Builder, tile: Value, rank: Value, data: Value, bar: Value, n: int = n) -> None:
            b.st(data, peer(b, tile, rank), b.const(0, i64), 4 * n)
            change(b, peer(b, bar, rank), transactions(b, b.const(4 * n), -1))

        register(Row(f"nvvm.st_async_x{n}", (tile, RANK, data, BAR), None, f"Begins a store of {n} words into the "
            f"shared memory of another block of the cluster; its bytes count on that block's mbarrier at the "
            f"place of `bar`.", f"{source}.12, st.async", SM_90, _store_async(n), EFFECTS, expand_async,
            llvm={"nvptx": Asm(remote("<tile>", f"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes{v}.b32 "
            f"[a], {words}, [m];", "bar"))}))  # fmt: skip
    relaxed = Param("relaxed", "const", "1: orders none of the thread's accesses before the arrival. Enough for those "
        "of wgmma and of the copy engine that are complete; 0, the form that orders them, takes some 1000 cycles. "
        "2: orders them for the thread's own block, and none for another", range=(0, 2), default=0)
    register(Row("nvvm.mbarrier_arrive_cluster", (BAR, RANK, relaxed), None, "One arrival for each active lane on the "
        "mbarrier that another block of the " "cluster has at this place.",
        "PTX ISA 9.0, 9.7.13.15.13, mbarrier.arrive", SM_90, _arrive_remote, EFFECTS, lambda b, bar, rank,
        relaxed: change(b, peer(b, bar, rank), b.const(-1, u64)),
        llvm={"nvptx": Asm(lambda attrs: remote("<bar>",
        f"mbarrier.arrive{REACHES[attrs['relaxed']]}.shared::cluster.b64 _, [a];"))}))


_id_rows()
_barrier_rows()
_memory_rows()
