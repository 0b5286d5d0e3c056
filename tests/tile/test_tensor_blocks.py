"""The pipeline of tensor memory: the tile source of Hopper as code for sm_100a, on the reference with races checked and
as PTX by the executor, against NumPy; tiles and pairs of all sizes, all dtypes, the user's own epilogue; every wait and
fence taken away; what it cannot do."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

import pathlib
import re
from typing import Annotated, Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import avelang
import avelang.language as al
from avelang import arch, tile
from avelang.base.errors import AveError
from avelang.frontend.build import build as built
from avelang.pipelines import tensor_core
from avelang.tile import tensor_blocks
from avelang_kernels.matmul import tile_gemm
from sim.ptx.executed import Executed
from tile.test_loops import remove_line
from tools import need

CHIP = "sm_100a"
NUMPY = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2, "i8": np.int8, "u8": np.uint8, "i32": np.int32}  # fmt: skip


def block(m: int, n: int, stages: int = 2, cluster: tuple[int, int] = (1, 1), k: int = 64, **more: Any) -> tile.Block:
    return tile.Block(m, n, k, pipeline="tma", stages=stages, cluster=cluster, **more)


def operands(shape: tuple[int, int, int], dtype: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A and B of small integers, and their product."""
    (m, n, k), rng = shape, np.random.default_rng(seed)
    least = 0 if dtype == "u8" else -3
    a, b = (rng.integers(least, 4, (rows, k)).astype(NUMPY[dtype]) for rows in (m, n))
    return a, b, a.astype(np.float64) @ b.astype(np.float64).T


def run(kernel: Any, T: tile.Block, dtype: str, args: list[Any], how: str, constants: dict[str, Any] | None = None) -> None:
    """Runs a kernel, persistent: two clusters at the most make all tiles."""
    cluster = (T.cluster[0], 1, 1)
    threads, grid = T.on(CHIP, getattr(al, dtype)).threads, (2 * cluster[0], 1, 1)
    if how == "reference":
        more = {"cluster": cluster} if cluster != (1, 1, 1) else {}
        kernel[grid, threads](*args, *(constants or {}).values(), target=CHIP, backend="reference", **more)
        return
    found = built(kernel.source, constants or {}, arch.chip(CHIP))
    if cluster != (1, 1, 1):
        found.attrs["cluster"] = cluster
    Executed(found, (threads, 1, 1), CHIP).run(args, grid, cluster)


def check(T: tile.Block, shape: tuple[int, int, int], dtype: str, out: str, how: str, each: tuple[int, int]) -> None:
    m, n, _ = shape
    a, b, want = operands(shape, dtype, sum(shape))
    margin = 64
    whole = np.full(2 * margin + m * n, 77, NUMPY[out])
    c = whole[margin : margin + m * n].reshape(m, n)
    kernel = tile_gemm.build(T, getattr(al, dtype), getattr(al, out))
    run(kernel, T, dtype, [a, b, c, *shape], how, {"EACH": each[0], "WIDE": each[1]})
    assert np.array_equal(c, want.astype(np.float32).astype(NUMPY[out])), (T, shape)
    assert (whole[:margin] == 77).all() and (whole[-margin:] == 77).all()


# Block; m, n, k; dtypes of A and B, and of C.
CASES = {
    "64 rows": (block(64, 64), (70, 72, 136), "bf16", "f32"),
    "128 rows": (block(128, 64), (130, 72, 136), "bf16", "bf16"),
    "256 rows of a block": (block(256, 32), (300, 40, 72), "f16", "f32"),
    "no second accumulator": (block(256, 256, 1), (8, 264, 72), "bf16", "bf16"),
    "three loads": (block(64, 224, 1), (64, 232, 64), "bf16", "f32"),
    "a pair": (block(128, 64, 2, (2, 1)), (300, 72, 136), "f16", "f16"),
    "a wide pair, a ring of three": (block(128, 256, 3, (2, 1)), (257, 248, 264), "bf16", "bf16"),
    "a pair of 512 rows": (block(256, 64, 2, (2, 1)), (300, 72, 136), "bf16", "f32"),
    "a pair beyond C": (block(128, 64, 2, (2, 1)), (8, 8, 8), "bf16", "f32"),
    "K shorter than a step": (block(128, 64, 4, group_m=2), (390, 136, 8), "f16", "bf16"),
    "e4m3": (block(128, 64, 2, (2, 1), 128), (257, 72, 144), "f8e4m3fn", "bf16"),
    "e5m2": (block(64, 64, 2, k=128), (40, 72, 272), "f8e5m2", "f32"),
    "i8": (block(128, 32, 2, k=128), (130, 36, 144), "i8", "i32"),
    "u8 of a pair": (block(128, 32, 2, (2, 1), 128), (130, 36, 144), "u8", "i32"),
    "tf32": (block(128, 32, 2, (2, 1), 32), (257, 36, 44), "f32", "f32"),
}


@pytest.mark.parametrize("how", ["reference", "PTX"])
@pytest.mark.parametrize("name", CASES)
def test_products(name, how, monkeypatch):
    """The executor of PTX checks waits, fences and races by itself."""
    monkeypatch.setenv("AVE_CHECK", "races")
    T, shape, dtype, out = CASES[name]
    check(T, shape, dtype, out, how, (16 // np.dtype(NUMPY[dtype]).itemsize, 4))


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_products_that_are_drawn(data):
    """Blocks, sizes and types, odd edges of C too; rows begin at multiples of 16 bytes."""
    dtype, out = data.draw(st.sampled_from([("bf16", "bf16"), ("f16", "f32"), ("f8e4m3fn", "bf16"), ("i8", "i32")]))
    size, wide = np.dtype(NUMPY[dtype]).itemsize, 16 // np.dtype(NUMPY[out]).itemsize
    cluster = data.draw(st.sampled_from([(1, 1), (2, 1)]))
    m = data.draw(st.sampled_from([64, 128, 256] if cluster == (1, 1) else [128, 256]))
    n = 8 * wide * data.draw(st.integers(1, 256 // (8 * wide)))
    stages = data.draw(st.integers(1, 4))
    T = block(m, n, stages, cluster, 128 // size)
    if stages * (m + n) * 128 + 2 * m * 128 > 220 * 1024:
        return
    shape = (data.draw(st.integers(1, 3 * m)), wide * data.draw(st.integers(1, 2 * n // wide)),
             16 // size * data.draw(st.integers(1, 40)))  # fmt: skip
    check(T, shape, dtype, out, data.draw(st.sampled_from(["reference", "PTX"])), (16 // size, wide))


def test_the_rows_that_warps_hold():
    """Each element of a tile is held once: warp w has 16 rows of those that it reaches."""
    for m in (64, 128):
        held = tensor_blocks.tensor_gemm(al.bf16, m, 64, 64, 2, (1, 1)).mma.acc
        rows, cols = held.index
        assert sorted(zip(rows.ravel().tolist(), cols.ravel().tolist(), strict=True)) == [(i, j) for i in range(m) for j in range(64)]
        for warp, mine in enumerate(rows.reshape(held.waves, -1)):
            first = warp % 4 * (m // 4) + warp // 4 * 16
            assert set(mine.tolist()) == set(range(first, first + 16))


# -- the user's own epilogue -------------------------------------------------------------------------------------------


def finishing(T: tile.Block, dtype: Any, out: Any) -> Any:
    """C = relu(A B^T + bias) * scale of the row; and the greatest sum of each tile's row, through a pointer."""
    IN_A, IN_B, OUT = T.operands(dtype, out)

    @avelang.jit
    def kernel(
        a: Annotated[Any, IN_A], b: Annotated[Any, IN_B], c: Annotated[Any, OUT], bias: al.Pointer[al.f32],
        scale: al.Pointer[al.f32], most: al.Pointer[al.f32], m: al.u32, n: al.u32, k: al.u32,
    ):  # fmt: skip
        A, B, C = tile.view(a, (m, k), 8), tile.view(b, (n, k), 8), tile.view(c, (m, n), 8)
        columns = (n + T.n - 1) // T.n

        def finish(sums: tile.Tile, at: Any):
            def ended(x: al.f32, where: Any):
                row, col = at[0] + where[0], at[1] + where[1]
                x = al.max(x + bias[min(col, n - 1)], 0.0) * scale[min(row, m - 1)]
                return al.select(col < n, x, 0.0)

            sums = sums.sweep(ended)
            C.store(sums, (at[0], at[1]))
            best = sums.max(1)
            tile.view(most, (m, columns)).store(best[:, None], (at[0], at[1] // T.n))

        tile.multiply(T, A, B, (m, n, k), finish)

    return kernel


@pytest.mark.parametrize("how", ["reference", "PTX"])
@pytest.mark.parametrize("T", [block(64, 64), block(128, 64, 2, (2, 1))], ids=["64 rows", "a pair"])
def test_an_epilogue_of_ones_own(T, how, monkeypatch):
    """Bias, activation, scales of rows; and sums folded along rows, which stay in a warp as on Hopper."""
    monkeypatch.setenv("AVE_CHECK", "races")
    m, n, k = shape = (150, 136, 72)
    a, b, plain = operands(shape, "bf16", 7)
    rng = np.random.default_rng(8)
    bias, scale = (rng.integers(-4, 5, count).astype(np.float32) for count in (n, m))
    c, most = np.full((m, n), 7, np.float32), np.full((m, -(-n // T.n)), 7, np.float32)
    run(finishing(T, al.bf16, al.f32), T, "bf16", [a, b, c, bias, scale, most, *shape], how)
    want = np.maximum(plain + bias, 0) * scale[:, None]
    wide = np.pad(want, ((0, 0), (0, -n % T.n))).reshape(m, -1, T.n)
    assert np.array_equal(c, want) and np.array_equal(most, wide.max(2))


@pytest.mark.parametrize("T", [block(128, 256, 6, (2, 1)), block(256, 128, 4)], ids=["a pair", "256 rows"])
def test_an_epilogue_of_ones_own_spills_nothing(T):
    need("ptxas")
    cluster = (2, 1, 1) if T.cluster == (2, 1) else None
    made = finishing(T, al.bf16, al.bf16).report(CHIP, (T.on(CHIP, al.bf16).threads, 1, 1), cluster=cluster)
    assert made.stored == made.loaded == 0


def test_one_source_for_both_chips():
    """The kernel of Hopper's block, as it is, for Hopper and Blackwell."""
    T, shape = block(128, 64, 2, (2, 1)), (140, 72, 72)
    a, b, want = operands(shape, "bf16", 9)
    for chip in ("sm_90a", CHIP):
        c = np.zeros((140, 72), np.float32)
        tile_gemm.gemm(a, b, c, T, chip, 4, backend="reference")
        assert np.array_equal(c, want)


# -- what if a wait were not there -------------------------------------------------------------------------------------

WAITS = re.compile(
    r"^ +(al\.nvvm\.(mbarrier_wait|barrier_sync|fence_proxy_async_shared|cp_async_bulk_wait_group_read)\(.*\)|"
    r"al\.nvvm\.tcgen05_fence_(after|before)_thread_sync\(\)|ring\.wait\(.*\)|finish\(.*\)|"
    r"tensor_core\.give_back\(.*\))$"
)
OWNERS = {tensor_core: ("produce", "issue", "store_tiles", "give_back"), tensor_blocks: ("TileEpilogue", "store")}


def places() -> list[tuple[Any, int, str]]:
    found = []
    for module, owners in OWNERS.items():
        owner = ""
        for i, line in enumerate(pathlib.Path(module.__file__ or "").read_text().splitlines()):
            owner = re.split(r"[ (:]", line)[1] if line.startswith(("def ", "class ")) else owner
            if owner in owners and WAITS.match(line):
                found.append((module, i, line.strip()))
    return found


PLACES = places()


@pytest.mark.parametrize(("module", "line", "text"), PLACES, ids=[f"{m.__name__.rpartition('.')[2]}-{i + 1}" for m, i, _ in PLACES])
def test_every_wait_matters(module, line, text, tmp_path, monkeypatch, request):
    """All but two fences, which the manual wants between a wait and a product, and no executor asks for; and but the
    producer's last wait, since the cluster's barrier at the end stands behind it."""
    monkeypatch.setenv("AVE_CHECK", "races")
    before = pathlib.Path(module.__file__ or "").read_text().splitlines()[line - 1].strip()
    remove_line(module, line, (tile.schedules, tile.views, tensor_blocks, tensor_core), tmp_path, monkeypatch)
    monkeypatch.setattr(tile_gemm, "build", tile_gemm.build.__wrapped__)
    tile.Block._on.cache_clear()
    request.addfinalizer(tile.Block._on.cache_clear)  # what blocks are is of the changed module's classes
    noticed, shape = "", (3 * 64, 2 * 64, 5 * 64)
    T = block(64, 64, 2)
    if "held.empty" in text:  # many tiles of one step: products run ahead of the epilogue
        shape = (16 * 64, 64, 64)
    for how in ("reference", "PTX") if "ring.empty" in text else ("PTX", "reference"):
        try:
            check(T, shape, "bf16", "bf16", how, (8, 8))
        except AveError as e:
            noticed = f"{e.code} {e.message}"
        except AssertionError:
            noticed = "numbers"
        if noticed:
            break
    idle = "fence_after" in text and ("held.empty" in before or "ring.wait" in before) or "for _ in" in before
    assert noticed.startswith("" if idle else ("X", "numbers")) and not (idle and noticed), noticed


# -- what there is not -------------------------------------------------------------------------------------------------

REFUSED = {
    "m = 192; a block has 64, 128 or 256 rows": block(192, 64),
    "m = 64; a block of a pair has 128 or 256 rows": block(64, 64, 2, (2, 1)),
    r"its cluster is \(1, 2\); it may be \(1, 1\), or \(2, 1\), a pair of blocks": block(128, 64, 2, (1, 2)),
    "N is 264; it may be 8 to 256": block(128, 264),
    "N is 24; it may be 16 to 256 in steps of 16": block(128, 24, 2, (2, 1)),
    "k = 32 must be 64: 128 bytes of each row": block(128, 64, k=32),
}


@pytest.mark.parametrize("why", REFUSED)
def test_blocks_that_there_are_not(why):
    with pytest.raises(AveError, match=why) as e:
        REFUSED[why].on(CHIP, al.bf16)  # this line
    assert e.value.code == "T307" and e.value.span.text().endswith("# this line")


def test_dtypes_that_there_are_not():
    with pytest.raises(AveError, match="one of tcgen05: bf16, f16, f32, i8, u8, f8e4m3fn, f8e5m2") as e:
        block(128, 64).on(CHIP, al.i32)
    assert e.value.code == "T301"
