"""Tensor maps of arrays in peers' memory: TMA loads from there, executed on the CPU, the reference and as PTX; what is seeded wrong is found."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.base.errors import AveError
from avelang.dist import World

BOX, S = al.Tensor((16, 32), al.f32), al.Tensor((8,), al.u32)


@avelang.jit
def fetched(theirs: al.TensorMap(al.f32, 2, (8, 32)), box: BOX, out: BOX, signals: S, epoch: al.u32, how: al.constexpr, team: al.Ranks):
    """TMA fetches the next rank's box, 8 rows a block; 32 threads."""
    t, b, me, n = al.thread_id(0), al.block_id(0), al.rank(), al.ranks()
    tile, bar = al.make_shared((8, 32), al.f32, 128), al.make_shared((1,), al.u64)
    for i in range(8):
        box[8 * b + i, t] = al.convert(me * 1000 + epoch * 100 + 8 * b + i, al.f32)
    if t == 0:
        al.nvvm.mbarrier_init(bar, 1)
        al.nvvm.fence_mbarrier_init()
    al.syncthreads()
    if t == 0:
        al.signal(al.peer(al.subview(signals, (b,), (1,)), (me + n - 1) % n), epoch)
        if how != "no wait":
            al.wait(al.subview(signals, (b,), (1,)), epoch, (me + 1) % n)
        if how != "no fence":
            al.nvvm.fence_proxy_async()
        al.nvvm.mbarrier_arrive_expect_tx(bar, 1024)
        al.nvvm.tma_load_2d(tile, theirs, 8 * b + 16 * (how == "outside"), 0, bar)
    al.nvvm.mbarrier_wait(bar, 0)
    for i in range(8):
        out[8 * b + i, t] = tile[i, t]


def run(ranks, backend, how="right", **more):
    w = World(ranks, backend=backend, bytes=1 << 14, limit=30, **more)
    box, signals = w.zeros((16, 32), np.float32), w.zeros(8, np.uint32)
    outs = [np.full((16, 32), -1, np.float32) for _ in range(ranks)]
    theirs = w.each([box[(r + 1) % ranks] for r in range(ranks)])
    w.launch(fetched, 2, 32, theirs, box, w.each(outs), signals, 1, how, w.team, target="sm_90a")
    for r, out in enumerate(outs):
        rows = np.zeros(16) if how == "outside" else (r + 1) % ranks * 1000 + 100 + np.arange(16)
        np.testing.assert_array_equal(out, np.repeat(rows[:, None], 32, 1))


@pytest.mark.parametrize("backend,seeds", [("cpu", 1), ("reference", 4), ("sm_90a", 4)])
def test_boxes_of_peers_are_fetched(backend, seeds):
    for seed in range(seeds):
        run(2 + seed % 3, backend, seed=seed)
    run(2, backend, "outside")  # zeros


@pytest.mark.parametrize("backend,how,code", [
    ("reference", "no wait", "X040"), ("sm_90a", "no wait", "X040"), ("reference", "no fence", "X014"),
])  # fmt: skip
def test_what_is_seeded_wrong_is_found(backend, how, code):
    with pytest.raises(AveError) as e:
        run(3, backend, how)
    assert e.value.code == code, e.value


@avelang.jit
def peer_of_a_map(theirs: al.TensorMap(al.f32, 2, (8, 32)), team: al.Ranks):
    al.peer(theirs, 1)


def test_a_map_belongs_to_one_array():
    w = World(2)
    with pytest.raises(AveError, match="al.peer") as e:
        w.launch(peer_of_a_map, 1, 32, w.zeros((16, 32), np.float32), w.team, target="sm_90a")
    assert e.value.code == "T022" and "tensor map of the peer's array" in e.value.hint
