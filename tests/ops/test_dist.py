"""Operations of several ranks against NumPy in float64 on drawn sizes, in one process on the CPU and the reference, and in processes of torch's gloo."""

import os
import pathlib
import subprocess
import sys
import time

import ml_dtypes
import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.dist import World, copies
from avelang.ops import dist
from avelang_kernels.dist import exchange, fused

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANKS = 3


def in_order(xs):
    """The sum in f32, in the order of ranks, rounded once."""
    acc = xs[0].astype(np.float32)
    for x in xs[1:]:
        acc = acc + x.astype(np.float32)
    return acc.astype(xs[0].dtype)


def collectives(m, seed, dtype, draws):
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        rows, cols = (int(v) for v in rng.integers(1, 40, 2))
        xs = [rng.standard_normal((rows * m.ranks, cols)).astype(dtype) for _ in range(m.ranks)]
        x, want = xs[m.rank], in_order(xs)
        one, two = (dist.all_reduce(x, m, shots=s) for s in (1, 2))
        assert one.tobytes() == two.tobytes() == want.tobytes()
        assert dist.all_gather(x, m).tobytes() == np.concatenate(xs).tobytes()
        assert dist.reduce_scatter(x, m).tobytes() == want[m.rank * rows : (m.rank + 1) * rows].tobytes()


def test_collectives_on_the_cpu_of_drawn_sizes_and_bits():
    w = World(RANKS, bytes=1 << 18, limit=20)
    w.run(collectives, 1, np.float32, 6)


def test_sums_of_bf16_are_rounded_once():
    def program(m):
        xs = [(np.arange(64) * 0.37 + r * 1.01).astype(ml_dtypes.bfloat16) for r in range(m.ranks)]
        assert dist.all_reduce(xs[m.rank], m).tobytes() == in_order(xs).tobytes()

    World(RANKS, bytes=1 << 16, limit=20).run(program)


def test_collectives_on_the_reference_with_its_checks():
    World(RANKS, backend="reference", bytes=1 << 18).run(collectives, 1, np.float32, 2)


def test_pieces_where_memory_is_small():
    def program(m):
        x = np.arange(9000, dtype=np.float32) * (m.rank + 1)
        assert exchange.workspace(m).room < x.nbytes
        np.testing.assert_array_equal(dist.all_reduce(x, m, shots=1), np.arange(9000, dtype=np.float32) * 6)
        assert (dist.all_gather(x, m)[9000:18000] == x / (m.rank + 1) * 2).all()

    World(RANKS, bytes=1 << 16, limit=20).run(program)


@pytest.mark.parametrize("room,dtype", [(1 << 22, ml_dtypes.bfloat16), (1 << 17, np.float32)])
def test_parts_that_are_copied_beside_kernels_in_pieces_too(room, dtype, monkeypatch):
    """The same bits as of kernels; with little memory in pieces."""
    monkeypatch.setattr(exchange, "COPIED", 0)

    def program(m):
        collectives(m, 2, dtype, 4)
        x = (np.arange(3 * 7000) % 97).astype(dtype) * (m.rank + 1)
        room = m.kept("offers", lambda: None).room
        assert (x.nbytes > room) == (dtype == np.float32)
        assert (dist.all_gather(x, m).reshape(3, -1)[2] == (np.arange(3 * 7000) % 97).astype(dtype) * 3).all()
        assert (dist.reduce_scatter(x, m) == x.reshape(3, -1)[m.rank] / (m.rank + 1) * 6).all()

    World(RANKS, bytes=room, limit=20).run(program)


def test_a_copy_that_does_not_wait_is_found(monkeypatch):
    monkeypatch.setattr(exchange, "COPIED", 0)
    monkeypatch.setattr(copies.HostQueue, "wait", lambda *_: None)

    def program(m):
        time.sleep(0.2 * (m.rank == 1))
        return dist.gathered(np.full(64, m.rank + 1.0), group=m.name)[64:].any()

    assert World(2, bytes=1 << 16, limit=20).run(program) == [False, True]


def products(m, seed, rows, k, n):
    rng = np.random.default_rng(seed)
    for turn in range(3):
        xs = [rng.standard_normal((rows, k)).astype(np.float32) for _ in range(m.ranks)]
        ws = [rng.standard_normal((n, k)).astype(np.float32) for _ in range(m.ranks)]
        want = np.concatenate(xs).astype(np.float64) @ ws[m.rank].T
        for fuse in (True, False)[: 1 + (seed == 1 and not turn)]:
            np.testing.assert_allclose(dist.all_gather_matmul(xs[m.rank], ws[m.rank].T, m, fuse=fuse), want, rtol=1e-4, atol=1e-4)
        xs = [rng.standard_normal((16 * m.ranks, k)).astype(np.float32) for _ in range(m.ranks)]
        want = sum(x.astype(np.float64) @ w.T for x, w in zip(xs, ws, strict=True))
        mine = want[16 * m.rank : 16 * m.rank + 16]
        got = dist.matmul_reduce_scatter(xs[m.rank], ws[m.rank].T, m, fuse=True)
        np.testing.assert_allclose(got, mine, rtol=1e-4, atol=1e-4)
        assert got.tobytes() == dist.matmul_reduce_scatter(xs[m.rank], ws[m.rank].T, m, fuse=True).tobytes()
        if seed == 1 and not turn:
            np.testing.assert_allclose(dist.matmul_all_reduce(xs[m.rank], ws[m.rank].T, m), want, rtol=1e-4, atol=1e-4)


def test_products_that_begin_with_what_has_come():
    w = World(RANKS, bytes=1 << 20, limit=30)
    for seed, rows, k, n in ((1, 16, 40, 72), (2, 70, 40, 72), (3, 1, 72, 8)):
        w.run(products, seed, rows, k, n)


def test_a_gated_product_on_the_reference():
    def program(m):
        rng = np.random.default_rng(5)
        xs, ws = ([rng.standard_normal(s).astype(np.float32) for _ in range(2)] for s in ((16, 32), (16, 32)))
        for _ in range(2):
            got = dist.all_gather_matmul(xs[m.rank], ws[m.rank].T, m, fuse=True)
            np.testing.assert_allclose(got, np.concatenate(xs) @ ws[m.rank].T, rtol=1e-4, atol=1e-4)

    World(2, backend="reference", bytes=1 << 18).run(program)


def test_rules_of_sizes():
    assert exchange.one_shot_limit(2) == float("inf") and exchange.one_shot_limit(8) < exchange.one_shot_limit(4)
    product, slower = fused.seconds(64, 4096, 4096)
    assert slower > product and fused.worth(product, 1e-6, slower, 1e-6) < 0  # few rows: one after the other
    assert fused.worth(1e-3, 1e-3, 1.1e-3, 1e-3) > 0 > fused.worth(1e-3, 1e-4, 1.2e-3, 1e-4)


def test_gradients_and_torch():
    torch = pytest.importorskip("torch")

    def program(m):
        g = torch.Generator().manual_seed(3)
        xs = [torch.randn(2 * m.ranks, 16, generator=g) for _ in range(m.ranks)]
        x = xs[m.rank].clone().requires_grad_()
        (dist.all_reduce(x, m) * (m.rank + 1)).sum().backward()
        assert torch.equal(x.grad, torch.full_like(x, sum(range(1, m.ranks + 1))))
        x.grad = None
        (dist.all_gather(x, m) * (m.rank + 1)).sum().backward()
        assert torch.equal(x.grad, torch.full_like(x, sum(range(1, m.ranks + 1))))
        x.grad = None
        (dist.reduce_scatter(x, m) * (m.rank + 1)).sum().backward()
        want = torch.cat([torch.full((2, 16), r + 1.0) for r in range(m.ranks)])
        assert torch.equal(x.grad, want)

    World(RANKS, bytes=1 << 18, limit=20).run(program)


def test_what_is_refused():
    def fails(m, call, code):
        with pytest.raises(AveError) as e:
            call(m)
        assert e.value.code == code, e.value

    w = World(2, bytes=1 << 16, limit=5)
    w.run(fails, lambda m: dist.all_reduce(np.zeros((4 + m.rank, 2), np.float32), m), "L081")
    w.run(fails, lambda m: dist.all_reduce(np.zeros(4, np.float32 if m.rank else np.float64), m), "L081")
    w.run(fails, lambda m: dist.reduce_scatter(np.zeros(5, np.float32), m), "L066")
    w.run(fails, lambda m: dist.all_reduce(np.zeros(5, np.int32), m), "L066")
    w.run(fails, lambda m: dist.all_reduce(np.zeros(5, np.float32), m, shots=3), "L066")
    w.run(fails, lambda m: dist.all_gather_matmul(np.zeros((4, 8), np.float32), np.zeros((8, 4), np.float32), m, fuse=True), "L066")
    with pytest.raises(AveError) as e:
        dist.all_reduce(np.zeros(5, np.float32), 3)
    assert e.value.code == "L066"


def test_processes_of_gloo(tmp_path):
    pytest.importorskip("torch")
    program = ROOT / "tests" / "dist" / "gloo_ranks.py"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "GLOO_SOCKET_IFNAME": "lo"}
    ranks = [subprocess.Popen([sys.executable, str(program), str(r), "2", str(tmp_path / "store")], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for r in range(2)]  # fmt: skip
    said = [p.communicate(timeout=120)[0] for p in ranks]
    assert [p.returncode for p in ranks] == [0, 0], "\n".join(said)
    assert "L080" in said[0] and "for rank 1" in said[0] and all("sums are right" in s for s in said)
    assert not [f for f in os.listdir("/dev/shm") if f.startswith("avelang-ranks-")] if os.path.isdir("/dev/shm") else True
