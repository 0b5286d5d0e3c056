"""Hopper's products that wait for ranks, or store at ranks: against float64 on drawn shapes, on the CPU and the reference with races verified; what is seeded
wrong is found; and the code by what ptxas says of it."""

import importlib.util
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.dist import World
from avelang.ops import dist
from avelang.pipelines import shards, warp_specialized
from avelang.runtime.compile import compile_text
from avelang_kernels.dist import exchange, fused, hopper
from avelang_kernels.matmul import hopper_gemm
from avelang_kernels.matmul.hopper_gemm import GemmTile, threads
from avelang_kernels.matmul.hopper_rule import choose_tile, times
from tools import need

BF16 = ml_dtypes.bfloat16
WIDE, PAIRS = GemmTile(64, 64, 3), GemmTile(64, 128, 3, 1, 2, pingpong=True)
PLAIN, PAIR, TURNS = GemmTile(64, 32, 2), GemmTile(64, 32, 3, 2, group_m=2), GemmTile(64, 32, 3, 1, 2, pingpong=True)


def close(got, want):
    assert (np.abs(got.astype(np.float64) - want) <= 2.0**-7 * np.abs(want).max()).all()


def products(m, seed, rows, k, n, which, calls, columns=False):
    """Both, `calls` times, on a member's part of random numbers. `columns`: w is (k, n) without gaps, and not its transpose."""
    lies = np.ascontiguousarray if columns else np.asarray
    rng = np.random.default_rng(seed)
    for _ in range(calls):
        xs, ws = ([rng.standard_normal((r, k)).astype(BF16) for _ in range(m.ranks)] for r in (rows * m.ranks, n))
        wide = [x.astype(np.float64) for x in xs]
        if "gather" in which:
            want = np.concatenate([x[:rows] for x in wide]) @ ws[m.rank].T.astype(np.float64)
            close(dist.all_gather_matmul(xs[m.rank][:rows], lies(ws[m.rank].T), m, fuse=True, target="sm_90a"), want)
        if "scatter" in which:
            want = sum(x[m.rank * rows :][:rows] @ w.T.astype(np.float64) for x, w in zip(wide, ws, strict=True))
            got = [dist.matmul_reduce_scatter(xs[m.rank], lies(ws[m.rank].T), m, fuse=True, target="sm_90a") for _ in range(2)]
            close(got[0], want)
            assert got[0].tobytes() == got[1].tobytes()


def products_of_f32(m, seed, rows, k, n):
    """Both, as near to float64 as three products of bf16 are; one of bf16 or tf32 would be hundreds of times as far."""
    rng = np.random.default_rng(seed)
    xs, ws = ([rng.standard_normal((r, k)).astype(np.float32) for _ in range(m.ranks)] for r in (rows * m.ranks, n))
    wide = [x.astype(np.float64) for x in xs]
    want = np.concatenate([x[:rows] for x in wide]) @ ws[m.rank].T.astype(np.float64)
    got = dist.all_gather_matmul(xs[m.rank][:rows], ws[m.rank].T, m, fuse=True, target="sm_90a")
    assert got.dtype == np.float32 and np.abs(got - want).max() <= 2.0**-14 * k**0.5
    want = sum(x[m.rank * rows :][:rows] @ w.T.astype(np.float64) for x, w in zip(wide, ws, strict=True))
    got = dist.matmul_reduce_scatter(xs[m.rank], ws[m.rank].T, m, fuse=True, target="sm_90a")
    assert got.dtype == np.float32 and np.abs(got - want).max() <= 2.0**-14 * (m.ranks * k) ** 0.5


@pytest.mark.parametrize("backend,rows,k,n", [("cpu", 70, 33, 41), ("reference", 20, 9, 40), ("sm_90a", 20, 9, 33)])
def test_f32_is_three_products_of_bf16_as_in_matmul(backend, rows, k, n, monkeypatch):
    tiles(monkeypatch, PLAIN)
    World(2, backend=backend, bytes=1 << 20, limit=240).run(products_of_f32, 1, rows, k, n)


@pytest.mark.parametrize("k", [5, 16])
@pytest.mark.parametrize("dtype", [np.float32, BF16, np.float16])
@pytest.mark.parametrize("chip", ["sm_75", "sm_80", "sm_90", "sm_90a", "sm_100a", "sm_120a", "gfx90a", "gfx942", "gfx950", "gfx1100"])
def test_each_dtype_and_chip_has_a_block_or_an_error_of_the_operation(chip, dtype, k):
    class Told:
        ranks, copies, left, _kept, recording = 2, True, 1 << 34, (), False
        share = staticmethod(lambda units: units)

    x, w = np.zeros((32, k), dtype), np.zeros((24, k), dtype).T
    for choose in (fused.gathers, fused.scatters):
        assert choose(Told, x, w, -1, chip) in (True, False)
        try:
            assert choose(Told, x, w, 1, chip)
        except AveError as e:
            assert e.code == "L066" and f"no fused product of {x.dtype} on {chip}" in e.message
            assert chip not in ("sm_90a", "gfx942") and (dtype == np.float32 or chip in ("sm_75", "gfx1100"))
        else:
            rows, kept = (32, False) if choose is fused.gathers else (16, True)
            assert fused._on_hopper(x, chip) or fused._block(rows, kept, chip, fused.DTYPES[str(x.dtype)])


def tiles(monkeypatch, tile):
    """Two blocks or clusters of them make all tiles, of this kind."""
    monkeypatch.setattr(hopper, "choose", lambda *_: (tile, 1.0))
    monkeypatch.setattr(hopper, "blocks_of", lambda tiles, sms, t: min(tiles, 2) * t.cluster)


@pytest.mark.parametrize("tile,ranks", [(PAIR, 3), (TURNS, 2)], ids=["pair", "turns"])
@pytest.mark.parametrize("copied", [False, True])
def test_on_the_cpu_of_drawn_shapes(tile, ranks, copied, monkeypatch):
    """Rows that are no multiple of the tile, columns of no whole 16 bytes; parts that a kernel stores, and such as are copied beside the product."""
    tiles(monkeypatch, tile)
    monkeypatch.setattr(exchange, "COPIED", 0 if copied else 1 << 30)
    monkeypatch.setattr(fused, "PART", 256)  # several parts of a shard
    rng = np.random.default_rng()
    for _ in range(3):
        rows, n = (int(v) for v in rng.integers(1, 150, 2))
        k = 8 * int(rng.integers(1, 20))
        World(ranks, bytes=1 << 22, limit=240).run(products, ranks, rows, k, n, "gather, scatter", 3)


@pytest.mark.parametrize("backend", ["reference", "sm_90a"])
@pytest.mark.parametrize("which,ranks,rows,k,n,tile", [
    ("gather", 3, 40, 72, 40, PAIR), ("gather", 2, 100, 8, 40, PLAIN), ("scatter", 2, 70, 8, 40, PLAIN), ("scatter", 3, 10, 8, 33, TURNS),
])  # fmt: skip
def test_on_the_reference_and_in_executed_ptx_without_races(which, ranks, rows, k, n, tile, backend, monkeypatch):
    tiles(monkeypatch, tile)
    World(ranks, backend=backend, bytes=1 << 20, seed=rows).run(products, 1, rows, k, n, which, 1)


@pytest.mark.parametrize("backend,tile", [("cpu", WIDE), ("cpu", PAIRS), ("reference", WIDE), ("sm_90a", PAIRS)])
def test_a_matrix_that_is_no_weight_is_read_as_it_lies(backend, tile, monkeypatch):
    """As gradients need it: neighbors of w lie along n."""
    tiles(monkeypatch, tile)
    rng = np.random.default_rng()
    rows, k, n = int(rng.integers(1, 100)), 8 * int(rng.integers(1, 12)), 8 * int(rng.integers(1, 12))
    World(2, backend=backend, bytes=1 << 21, limit=240).run(products, 1, rows, k, n, "gather, scatter", 1, True)


def test_products_of_both_kinds_and_sizes_take_turns(monkeypatch):
    """By TMA and by portable tiles, parts that are copied and such as a kernel stores, in rooms of one size."""
    tiles(monkeypatch, PAIR)

    def program(m):
        for turn, k in enumerate((16, 12, 16, 12, 12, 16, 16, 12)):
            m.exchange(None)  # none is in a call
            if m.rank == 0:
                exchange.COPIED = 0 if turn % 3 else 1 << 30
            m.exchange(None)  # all have the same way
            products(m, turn, 40, k, 24, "gather" if k == 12 else "gather, scatter", 1)

    monkeypatch.setattr(exchange, "COPIED", 0)
    World(3, bytes=1 << 22, limit=240).run(program)


MUTANTS = [
    # what is left out or changed in the pipeline's file, and of which product
    ("                self.counters[shard * PARTS + i].wait(self.want, shard)", "                pass", "gather"),
    ("self.want, shard)", "self.want - 1, shard)", "gather"),
    ("            al.nvvm.fence_proxy_async()\n", "", "gather"),
    ("            al.nvvm.cp_async_bulk_wait_group(0)\n", "", "scatter"),
    ("            self.flags[t * self.units() + unit].wait(self.epoch, t)", "            pass", "scatter"),
    ("self.epoch, t)\n", "self.epoch - 1, t)\n", "scatter"),
]  # fmt: skip


@pytest.mark.parametrize("old,new,which", MUTANTS, ids=lambda x: x.strip()[:24])
def test_what_is_seeded_wrong_is_found(old, new, which, monkeypatch, tmp_path):
    assert seeded("reference", old, new, which, monkeypatch, tmp_path) == ("X014" if "proxy" in old else "X040")


def seeded(backend, old, new, which, monkeypatch, tmp_path):
    """The code of the report."""
    source = pathlib.Path(shards.__file__).read_text()
    assert source.count(old) == 1
    (tmp_path / "mutant.py").write_text(source.replace(old, new))
    spec = importlib.util.spec_from_file_location("mutant", tmp_path / "mutant.py")
    mutant = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mutant)
    tiles(monkeypatch, PLAIN)
    monkeypatch.setattr(hopper, "ShardGate", mutant.ShardGate)
    monkeypatch.setattr(hopper, "PeerEpilogue", mutant.PeerEpilogue)
    for build in (hopper.build_gathered, hopper.build_scattered):
        monkeypatch.setattr(hopper, build.__name__, build.__wrapped__)
    with pytest.raises(AveError) as e:
        World(2, backend=backend, bytes=1 << 20).run(products, 1, 60, 8, 100, which, 1)
    assert "of rank" in e.value.message
    return e.value.code


X = al.Tensor((4096, 4), al.u32)


@avelang.jit
def walk(out: X, rows: al.u32, n: al.u32, first: al.u32, R: al.constexpr, T: al.constexpr):
    """Row in its shard, column, shard and whether there is a tile, of each tile of clusters in its order."""
    s = shards.ShardScheduler(rows, n, 8, first, R, T.m, T.n, T.cluster_m, T.cluster_n, T.group_m)
    for i in al.range(s.count()):
        work = s.work_tile(i, 0, 0)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = work.a[0], work.b[0], work.at[2], 1


def test_walks_have_each_tile_once_and_shards_in_turn():
    rng = np.random.default_rng()
    for _ in range(20):
        ranks, rows, n = (int(v) for v in rng.integers((1, 1, 1), (9, 400, 300)))
        own, tile = int(rng.integers(ranks)), [PLAIN, PAIR, TURNS][rng.integers(3)]
        high, wide = tile.m * tile.cluster_m, tile.n * tile.cluster_n
        out = np.zeros((4096, 4), np.uint32)
        walk[1, 1](out, rows, n, own, ranks, tile)
        made = out[out[:, 3] > 0].astype(int)
        places = [tuple(map(int, p)) for p in made[:, :3]]
        want = {(r * high, c * wide, s) for s in range(ranks) for r in range(-(-rows // high)) for c in range(-(-n // wide))}
        assert len(places) == len(set(places)) == len(want) and set(places) == want
        order = (made[:, 2] - own) % ranks
        assert order[0] == 0 and (np.diff(order) >= 0).all()


def test_the_rule_counts_the_overlap():
    """One after the other where rows are few; one product where an exchange of some size goes beside it."""
    class Told:
        ranks, copies, left, _kept, recording = 4, True, 1 << 34, (), False
        share = staticmethod(lambda units: units)

    def gathers(m, n, k):
        x, w = (np.lib.stride_tricks.as_strided(np.zeros(1, BF16), s, (2 * s[1], 2)) for s in ((m, k), (n, k)))
        return fused.gathers(Told, x, w.T, -1, "sm_90a"), fused.scatters(Told, x, w.T, -1, "sm_90a")

    assert gathers(16, 7168, 8192)[0] is False
    assert gathers(2048, 7168, 8192) == (True, True)
    Told.recording, Told.left = True, 1 << 20  # what is recorded has memory of its own, which is not there now
    assert gathers(2048, 7168, 8192) == (False, False)


def test_ordinary_products_have_tiles_and_times_of_their_own():
    tile, time = hopper.choose(2048, 4, 7168, 8192, 132, 2)
    assert tile.split == 1 and tile.cluster_k == 1 and not tile.transposed and tile.m * tile.cluster_m <= 2048
    assert time * 1e6 >= float(times(8192, 7168, 8192)[1].min()) > 0 and choose_tile(8192, 7168, 8192)


def run_of(text, monkeypatch, tmp_path):
    """`run` of the pipeline's file as another text of it says."""
    (tmp_path / "other.py").write_text(text)
    spec = importlib.util.spec_from_file_location("other", tmp_path / "other.py")
    other = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "other", other)
    spec.loader.exec_module(other)
    return other.run


@pytest.mark.parametrize("tile", [PLAIN, PAIR, TURNS, GemmTile(128, 128, 3, 2), GemmTile(64, 64, 3, split=2)], ids=repr)
def test_the_ordinary_product_is_the_same_code_without_gates(tile, monkeypatch, tmp_path):
    """Byte by byte that of a pipeline from which gates are cut out of the text; a fence in their place is seen."""

    def code():
        return compile_text(hopper_gemm.build.__wrapped__(tile, al.bf16, al.bf16), {}, (threads(tile), 1, 1), "sm_90a", "asm")

    source = pathlib.Path(warp_specialized.__file__).read_text()
    gate, made = "        if gate is not None:\n            gate(work)\n", code()
    assert source.count(gate) == 1
    monkeypatch.setattr(hopper_gemm, "run", run_of(source.replace(gate, ""), monkeypatch, tmp_path))
    assert code() == made and "wgmma" in made
    fenced = source.replace(gate, "        al.nvvm.fence_proxy_async()\n")
    monkeypatch.setattr(hopper_gemm, "run", run_of(fenced, monkeypatch, tmp_path))
    assert code() != made


@pytest.mark.parametrize("ranks,columns", [(2, False), (4, False), (4, True), (8, False)])
@pytest.mark.parametrize("build", [hopper.build_gathered, hopper.build_scattered])
def test_assembled_without_spills(build, ranks, columns, tmp_path):
    tool = need("ptxas")
    for rows, n, k in ((2048, 7168, 8192), (4096, 3072, 12288), (16, 4096, 4096)):
        tile, _ = hopper.choose(rows, ranks, n, k, 132, 2, columns)
        text = compile_text(build(tile, al.bf16, ranks, columns=columns), {}, (threads(tile), 1, 1), "sm_90a", "asm")
        assert ("fence.proxy.async;" in text) == (build is hopper.build_gathered) and ".sys." in text and "multimem" not in text
        (tmp_path / "a.ptx").write_text(text)
        said = subprocess.run([tool, "-arch=sm_90a", "-v", "-o", tmp_path / "a.cubin", tmp_path / "a.ptx"], capture_output=True, text=True)
        assert not said.returncode, said.stderr
        assert "0 bytes spill stores, 0 bytes spill loads" in said.stderr and "C7515" not in said.stderr
