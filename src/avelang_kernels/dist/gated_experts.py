"""The layer of experts over several ranks, whose first product reads the box to which ranks push their rows: a tile
begins when those ranks have pushed that have rows in it. One source for TMA and wgmma, for the portable pipelines and
the CPU."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
import math
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang import tile
from avelang.tile import order as orders
from avelang_kernels.activation.gated import activated
from avelang_kernels.arrays import DTYPES, named, new, whole
from avelang_kernels.dist import experts
from avelang_kernels.dist.collectives import THREADS, WORDS
from avelang_kernels.moe import tile_grouped, tile_grouped_gemm

SPREADING, EACH_UNIT = 8, 8  # units that rows are filled in by beside the product, assumed, and blocks for each
GATES = 1024  # blocks that make gates, at most: some eight for each unit of a chip


@avelang.struct
class ExpertWalk:
    """The tiles of `groups`, a scheduler of groups of rows, which are a rank's experts, from number `first` on.
    `tables`: of the layout; a tile of M rows waits until the `counters` of ranks that have rows in it are at least
    `want`. FENCE: TMA reads what ordinary stores of a peer wrote behind a proxy fence only."""

    groups: ...
    tables: ...
    counters: ...
    want: ...
    first: ...
    RANKS: al.constexpr
    M: al.constexpr
    FENCE: al.constexpr

    def count(self):
        """Tiles of clusters."""
        return self.groups.count()

    def job(self, index: Any, cluster_m: Any, cluster_n: Any):
        """The tile of a number, when its rows are there."""
        work = self.groups.work_tile(index, cluster_m, cluster_n)
        expert, end = self.first + work.b[0] // self.groups.n, min(work.a[0] + self.M, work.a[1])
        for r in range(self.RANKS):
            begin = al.convert(self.tables[experts.AWAY, r, expert], al.u32)
            rows = al.convert(self.tables[experts.COUNT, r, expert], al.u32)
            if begin < end and begin + rows > work.a[0]:
                self.counters[r].wait(self.want, r)
        if self.FENCE:
            al.nvvm.fence_proxy_async()
        return work


@functools.cache
def build(T: tile.Block, dtype: al.DType, ranks: int) -> Any:
    """C[rows of e] = A[rows of e] @ B[e]^T for each of the rank's experts e, where A's rows come from ranks."""
    IN_A, IN_B, _ = T.operands(dtype, dtype)
    R, FENCE = ranks, T.pipeline == "tma"

    @avelang.jit
    def experts_gemm(
        a: Annotated[Any, IN_A], b: Annotated[Any, IN_B], c: al.Pointer[dtype], ends: Annotated[Any, experts.NUMBERS],
        layout: Annotated[Any, experts.NUMBERS], counters: Annotated[Any, WORDS], counts: Annotated[Any, WORDS],
        rows: al.u32, n: al.u32, k: al.u32, first: al.u32, times: al.u32, L: al.constexpr, team: al.Ranks,
        EACH: al.constexpr = 8, WIDE: al.constexpr = 4,
    ):  # fmt: skip
        # A rank's rows are there when its counter, from number `first` on, is `times` the number of calls.
        A, B, C = tile.view(a, (rows, k), EACH), tile.view(b, (L * n, k), EACH), tile.view(c, (rows, n), WIDE)
        words = al.make_tensor(counters, al.u32, al.make_layout((first + R,)))
        tables = al.make_tensor(layout, al.i32, al.make_layout((3, R, R * L)))
        calls = al.make_tensor(counts, al.u32, al.make_layout((1,)))[0]
        groups = orders.groups(T, orders.Bounds(ends, rows, L, True), n, k)
        walk = ExpertWalk(groups, tables, al.Signals(al.subview(words, (first,), (R,)), (R,)), calls * times,
                          al.rank() * L, R, T.m, FENCE)  # fmt: skip

        def finish(sums: Any, at: Any):
            row, col, end = at
            C.cut((end, n)).store(sums, (row, col))

        tile.multiply(T, A, B, walk, finish)

    return experts_gemm


@functools.cache
def build_gate(dtype: al.DType, act: str, vec: int) -> Any:
    """act(gate) * up of the halves of rows that experts have; rows behind the last stay as they are."""
    VEC = vec

    @avelang.jit
    def gate_rows(
        both: al.Pointer[dtype], made: al.Pointer[dtype], ends: Annotated[Any, experts.NUMBERS], rows: al.u32,
        n: al.u32, E: al.u32,
    ):  # fmt: skip
        t, each = al.thread_id(0), THREADS // experts.LANES
        BOTH = al.make_tensor(both, dtype, al.make_layout((rows, 2 * n, VEC)))
        MADE = al.make_tensor(made, dtype, al.make_layout((rows, n, VEC)))
        end = min(al.convert(ends[E - 1], al.u32), rows)
        for row in al.range(al.block_id(0) * each + t // experts.LANES, end, al.grid_dim(0) * each):
            for c in al.range(t % experts.LANES, n, experts.LANES):
                gate, up = al.convert(BOTH[row, c], al.f32), al.convert(BOTH[row, n + c], al.f32)
                MADE[row, c] = al.convert(activated(gate, act)[0] * up, dtype)

    return gate_rows


def why_not(member: Any, x: Any, w: Any, most: int) -> str:
    """The reason why the first product cannot be of rows as they come, or ""."""
    if 0 in w.shape or not most:
        return "there is nothing to multiply"
    if not whole(w):
        return "w_gate_up must be contiguous"
    if x.shape[1] % 8 or w.shape[1] % 16:
        said = f"hidden is {x.shape[1]} and w_gate_up has {w.shape[1]} rows"
        return f"{said}: hidden must be a multiple of 8, and twice inner one of 16"
    fit = experts.fitting(member, x)
    if fit < most:
        return f"{most} rows must fit symmetric memory, and {fit} do: connect(bytes=...)"
    return ""


def block(chip: str, rows: int, groups: int, cpu: bool) -> tile.Block:
    """The block of a chip for groups of as many rows together."""
    if chip.startswith("sm_90"):
        if cpu:
            return tile.Block(64, 64, 64, pipeline="tma", stages=2)
        return tile_grouped_gemm.best_block("sm_90a", rows, groups)
    return tile_grouped.best_block(chip, rows, groups, False, cpu)


def product(
    member: Any, x: Any, order: Any, places: Any, tables: Any, ends: Any, w: Any, out: Any, target: str | None,
    invariant: bool | None = None, clear: bool = True,
) -> None:  # fmt: skip
    """out (most, n) = the rows of the rank's experts @ w (experts of the rank, n, k)^T; x (tokens, k) of each rank is
    pushed first, once to each rank; rows that have the same token are filled in beside the product. Rows of out behind
    the last become zeros (`clear`) or stay as they are. `invariant`: the block of large groups, however many rows
    there are."""
    (most, n), (L, _, k), ranks, dtype = out.shape, w.shape, member.ranks, DTYPES[named(x)]
    box, follows, _, vec = experts.push(member, x, order, places, None, tables, 0, most, False)
    held, pushed = experts.boxes(member), experts.blocks_of(member)
    (chip, units), cpu = tile.device_of(x, target), tile.on_cpu(x)
    units, several = member.share(units), places.shape[1] > 1
    T = _chosen(member, x, most, L, chip, invariant)
    blocks = tile_grouped_gemm.grid(T, most, L, n, units)
    if several and blocks <= units:  # those of the product all run at once, beside the others
        kept = max(1, min(SPREADING, units // 8))
        blocks = tile_grouped_gemm.grid(T, most, L, n, max(T.cluster[0] * T.cluster[1], units - kept))
        with member.beside():
            experts.spread(member, box, follows, tables, x, most, vec, member.BLOCKS if cpu else EACH_UNIT * kept)
    elif several:
        experts.spread(member, box, follows, tables, x, most, vec, pushed)
    a, b = member.own(box).reshape(most, k), w.reshape(L * n, k)
    more = {"cluster": (math.prod(T.cluster), 1, 1)} if T.cluster != (1, 1) else {}
    gate = (held.ready, held.counts, most, n, k, 0, 1) if several else (
        held.signals, held.counts, most, n, k, ranks * pushed, pushed)  # fmt: skip
    member.launch(
        build(T, dtype, ranks), blocks, T.on(chip, dtype).threads, a, b, out, ends, tables, *gate, L, member.team,
        math.gcd(k, 8), math.gcd(n, 4), target=chip, **more,
    )  # fmt: skip
    member.joined()
    if clear:
        tile_grouped.clear_behind(out, ends, chip, **({"backend": "cpu"} if cpu else {}))


def _chosen(member: Any, x: Any, most: int, L: int, chip: str, invariant: bool | None) -> tile.Block:
    """The block of both products: of as many rows as come on average, or (`invariant`) of many."""
    return block(chip, *((1 << 20, 1) if invariant else (most // member.ranks, L)), tile.on_cpu(x))


def layer(
    member: Any, x: Any, order: Any, places: Any, tables: Any, ends: Any, w_gate_up: Any, w_down: Any, out: Any,
    most: int, act: str, target: str | None, invariant: bool | None,
) -> None:  # fmt: skip
    """out (tokens * top_k, hidden) = of each row of x, pushed to the rank of its expert, w_down[e] @ (act(gate) * up),
    where gate and up are the halves of w_gate_up[e] @ row. Nothing is done to the rows behind the last, of which there
    are R - 1 times as many as rows, on average."""
    (L, hidden, inner), dtype = w_down.shape, DTYPES[named(x)]
    both, inside, made = (new(x, (most, n)) for n in (2 * inner, inner, hidden))
    product(member, x, order, places, tables, ends, w_gate_up, both, target, invariant, False)
    chip = tile.device_of(x, target)[0]
    options: dict[str, Any] = {"backend": "cpu"} if tile.on_cpu(x) else {}
    gate, each = build_gate(dtype, act, 8), THREADS // experts.LANES
    gate[min(-(-most // each), GATES), THREADS](both, inside, ends, most, inner // 8, L, target=chip, **options)
    T = _chosen(member, x, most, L, chip, invariant)
    tile_grouped_gemm.grouped_gemm(inside, w_down, ends, made, T, chip, **options)
    experts.move(member, made, None, None, None, tables, out, most // member.ranks, True)
