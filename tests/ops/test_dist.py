"""Operations of several ranks against NumPy in float64 on drawn sizes, in one process on the CPU and the reference, and in processes of torch's gloo."""

import gc
import os
import pathlib
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
import tools
from avelang.base.errors import AveError
from avelang.dist import World
from avelang.ops import dist
from avelang.runtime import compile
from avelang_kernels.dist import collectives as kernels
from avelang_kernels.dist import exchange, fused, quick

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANKS = 3


def in_order(xs):
    """The sum in f32 (f64 of f64), in the order of ranks, rounded once."""
    wide = np.float64 if xs[0].dtype == np.float64 else np.float32
    acc = xs[0].astype(wide)
    for x in xs[1:]:
        acc = acc + x.astype(wide)
    return acc.astype(xs[0].dtype)


def collectives(m, seed, dtype, draws):
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        rows, cols = (int(v) for v in rng.integers(1, 40, 2))
        xs = [rng.standard_normal((rows * m.ranks, cols)).astype(dtype) for _ in range(m.ranks)]
        x, want = xs[m.rank], in_order(xs)
        one, two = (dist.all_reduce(x, m, shots=s) for s in (1, 2))
        assert one.tobytes() == two.tobytes() == want.tobytes()
        for shots in (0, 1, 2):
            summed = x.copy()
            assert dist.all_reduce(summed, m, shots=shots, out=summed) is summed and summed.tobytes() == want.tobytes()
        assert dist.all_gather(x, m).tobytes() == np.concatenate(xs).tobytes()
        assert dist.reduce_scatter(x, m).tobytes() == want[m.rank * rows : (m.rank + 1) * rows].tobytes()


def test_collectives_on_the_cpu_of_drawn_sizes_and_bits():
    w = World(RANKS, bytes=1 << 18, limit=60)
    w.run(collectives, 1, np.float32, 6)


def test_sums_of_bf16_are_rounded_once():
    def program(m):
        xs = [(np.arange(64) * 0.37 + r * 1.01).astype(ml_dtypes.bfloat16) for r in range(m.ranks)]
        assert dist.all_reduce(xs[m.rank], m).tobytes() == in_order(xs).tobytes()

    World(RANKS, bytes=1 << 16, limit=60).run(program)


def test_collectives_on_the_reference_with_its_checks():
    World(RANKS, backend="reference", bytes=1 << 18).run(collectives, 1, np.float32, 2)


def off(x, by):
    """A copy that begins `by` elements behind a multiple of 16 bytes."""
    made = np.empty(x.size + by + 16, x.dtype)
    first = -made.ctypes.data % 16 // x.itemsize + by
    made[first : first + x.size] = x
    return made[first : first + x.size]


def drawn(m, seed, draws, sizes, blocks=2):
    """Collectives of sizes, dtypes and places that are drawn, one after another on the same memory; places are other ones on each rank."""
    rng, own = np.random.default_rng(seed), np.random.default_rng([seed, m.rank])
    m.BLOCKS = m.PIECE_BLOCKS = blocks
    exchange.ON_HOSTS = m.ranks <= 4 or not m.copies  # LLVM takes seconds for the words of 7 ranks
    for _ in range(draws):
        dtype = (np.float32, ml_dtypes.bfloat16, np.float16, np.float64)[rng.integers(4)]
        n, kind, words = int(rng.integers(0, rng.choice(sizes) + 1)), int(rng.integers(5)), bool(rng.integers(2))
        xs = [rng.standard_normal(n * m.ranks).astype(dtype) for _ in range(m.ranks)]
        x, total = off(xs[m.rank], int(own.integers(3))), in_order(xs)
        want = np.concatenate(xs) if kind == 0 else total[m.rank * n : m.rank * n + n] if kind == 1 else total
        out = off(np.full(want.size, np.nan, dtype), int(own.integers(3)))
        if kind == 0:
            exchange.all_gather(m, x, out)
        elif kind == 1:
            exchange.reduce_scatter(m, x, out)
        elif m.ranks > 1 and n and not words and kind < 4:
            split = ("one_shot", n * m.ranks) if kind == 2 else ("two_shot", n)
            x, made = exchange._aligned(x), exchange._aligned(out, False)
            exchange._run(m, split[0], x, made, split[1])
            exchange._given(out, made)
        else:
            exchange.all_reduce(m, x, out, kind - 2)
        assert out.tobytes() == want.tobytes(), (dtype, n, kind)


@pytest.fixture
def words_of_hosts(monkeypatch):
    """Few bytes go in words with marks on the CPU and executors too."""
    monkeypatch.setattr(exchange, "ON_HOSTS", True)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
def test_calls_of_very_different_sizes_in_turn(ranks, words_of_hosts):
    World(ranks, bytes=1 << 22, limit=120).run(drawn, ranks, 8, (3, 40, 4000), 3)


@pytest.mark.parametrize("backend,ranks,seed", [("reference", 2, 1), ("reference", 4, 2), ("sm_90a", 2, 3), ("sm_90a", 3, 4), ("sm_90a", 8, 5), ("gfx942", 2, 6)])
def test_calls_in_turn_where_races_are_looked_for(backend, ranks, seed, words_of_hosts):
    World(ranks, backend=backend, bytes=1 << 18, limit=120, seed=seed).run(drawn, seed, 6, (3, 40, 1500), 3)


def test_many_pieces_of_blocks_that_begin_at_different_times(words_of_hosts, monkeypatch):
    """With pieces of a few hundred vectors there are as many as in arrays of megabytes."""
    monkeypatch.setattr(exchange, "MOST", 1 << 13)
    for ranks in (2, 3):
        World(ranks, bytes=1 << 20, limit=120).run(drawn, 10 + ranks, 10, (60, 20000), 5)
        World(ranks, backend="reference", bytes=1 << 20, limit=300).run(drawn, 20 + ranks, 2, (6000,), 2)


def test_pieces_where_memory_is_small():
    def program(m):
        x = np.arange(9000, dtype=np.float32) * (m.rank + 1)
        np.testing.assert_array_equal(dist.all_reduce(x, m, shots=1), np.arange(9000, dtype=np.float32) * 6)
        assert m.kept("areas", lambda: None).room < x.nbytes
        assert (dist.all_gather(x, m)[9000:18000] == x / (m.rank + 1) * 2).all()

    World(RANKS, bytes=1 << 16, limit=60).run(program)


@pytest.mark.parametrize("first", [2**32 - 4, quick.CLEARED - 3, 2**31 - 3])
def test_numbers_of_calls_go_round(first, words_of_hosts):
    """Steps and calls from a number on: 2**32 is 0, marks begin anew, and what has stood there since the last time is cleared before."""

    def program(m):
        x = np.arange(512, dtype=np.float32) + m.rank
        for size in (512, 8):
            exchange.all_reduce(m, x[:size], np.empty_like(x[:size]))
            exchange._run(m, "one_shot", x[:size], np.empty_like(x[:size]), size)
        words, areas = m.kept("words", lambda: None), m.kept("areas", lambda: None)
        for held in (words, areas):
            m.own(held.signals)[...] = m.own(held.counts)[...] = first
        for half in (0, 1):  # as if a round ago call first + 4 or so had left values there
            old = (2 * (first + 4 + (first + half) % 2) + 1) % 2**32 << 32
            m.own(words.box)[half * words.room : (half + 1) * words.room] = old + 7
        m.exchange(None)
        for call in range(8):
            size, out = (8, 512)[call % 2], np.empty((2, 512), np.float32)
            exchange.all_reduce(m, x[:size] * call, out[0, :size])
            exchange._run(m, "one_shot", x[:size] * call, out[1, :size], size)
            want = (2 * np.arange(size, dtype=np.float32) + 1) * call
            assert (out[:, :size] == want).all(), call

    World(2, bytes=1 << 20, limit=60).run(program)


@pytest.mark.parametrize("ring,lag", [(1, 1), (2, 2)])
def test_too_few_areas_are_found(ring, lag, monkeypatch):
    """Half as many as the argument asks for: a rank stores where another one still reads."""
    monkeypatch.setattr(kernels, "RING", ring)
    monkeypatch.setattr(exchange, "_piece", lambda *_: (8, 0, lag))
    kernels.build.cache_clear()

    def program(m, kind):
        x = np.ones(8 * 12 * m.ranks, np.float32)
        exchange._run(m, kind, x, np.empty_like(x), x.size // (1 if kind == "one_shot" else m.ranks))

    codes = set()
    for seed in range(6):
        try:
            World(2, backend="reference", bytes=1 << 16, seed=seed).run(program, "one_shot")
        except AveError as e:
            codes.add(e.code)
    kernels.build.cache_clear()
    assert codes == {"X040"}


@pytest.mark.parametrize("words", [True, False])
def test_a_rank_that_does_not_come_to_a_collective_is_named(words, monkeypatch):
    monkeypatch.setattr(exchange, "ON_HOSTS", words)

    def program(m, all_come):
        x = np.ones(1000, np.float32)  # of one block: on a host one waits for another
        exchange.all_reduce(m, x, np.empty_like(x))
        if m.rank != 1 and not all_come:
            exchange.all_reduce(m, x, np.empty_like(x))

    World(3, bytes=1 << 22, limit=60).run(program, True)  # which compiles it
    with pytest.raises(AveError, match="for rank 1: its signal is 1, epoch 2 ") as e:
        World(3, bytes=1 << 22, limit=2).run(program, False)
    assert e.value.code == "L080" and ("quick" in e.value.message) == words


def code(kind, ranks, target="sm_90a"):
    built = quick.build(al.bf16, ranks, 8) if kind == "quick" else kernels.build(kind, al.bf16, ranks, 8)
    return compile.compile_text(built, {}, (kernels.THREADS if kind == "quick" else kernels.WIDE, 1, 1), target, "asm")


def test_code_for_hopper_loads_all_before_it_stores_and_in_whole_vectors():
    accesses = re.findall(r"(ld|st)\.global\.(\S+)", code("one_shot", 2))
    assert all(how in ("v4.b32", "b32", "b64") for _, how in accesses), accesses  # and none of single elements
    order = "".join("LS"[which == "st"] for which, how in accesses if how == "v4.b32")
    assert order.startswith(6 * "L" + 2 * "S"), order  # x of the next piece, x and box of this one: two vectors each


def test_words_with_marks_are_stored_and_loaded_in_one_piece():
    ptx, asm = code("quick", 2).split(), code("quick", 2, "gfx942")
    assert ptx.count("st.relaxed.sys.global.u64") == 4 + 1 and ptx.count("ld.relaxed.sys.global.u64") == 2 * 4  # and one that clears
    assert "st.release.sys.global.u32" not in ptx  # which is a fence
    assert len(re.findall(r"global_store_dwordx2 .* sc0 sc1", asm)) == 5 and len(re.findall(r"global_load_dwordx2 .* sc0 sc1", asm)) == 8


@pytest.mark.parametrize("kind", ["quick", "all_gather", "reduce_scatter", "one_shot", "two_shot"])
def test_registers_do(kind, tmp_path):
    assembler = tools.need("ptxas")
    for ranks in (2, 4, 8):
        (tmp_path / "x.ptx").write_text(code(kind, ranks))
        said = subprocess.run([assembler, "-arch=sm_90a", "-v", tmp_path / "x.ptx", "-o", tmp_path / "x.cubin"], check=True, capture_output=True, text=True)
        spilled = re.findall(r"(\d+) bytes spill stores", said.stderr)
        assert int(spilled[0]) <= 16, said.stderr  # ptxas keeps a word or two elsewhere for the sake of 32 registers


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
    assert exchange.one_shot_limit(2) > exchange.one_shot_limit(4) > exchange.one_shot_limit(8) > 0
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
    for other in (dist.all_gather, dist.reduce_scatter):  # of the same shape and dtype
        w.run(fails, lambda m, other=other: (other if m.rank else dist.all_reduce)(np.zeros(4, np.float32), m), "L081")
    w.run(fails, lambda m: dist.reduce_scatter(np.zeros(5, np.float32), m), "L066")
    w.run(fails, lambda m: dist.all_reduce(np.zeros(5, np.int32), m), "L066")
    w.run(fails, lambda m: dist.all_reduce(np.zeros(5, np.float32), m, shots=3), "L066")
    w.run(fails, lambda m: dist.all_gather_matmul(np.zeros((4, 8), np.float32), np.zeros((8, 4), np.float32), m, fuse=True), "L066")
    with pytest.raises(AveError) as e:
        dist.all_reduce(np.zeros(5, np.float32), 3)
    assert e.value.code == "L066"


def test_groups_that_follow_one_another():
    """Whose members lie where those of a group before lay, and whose results are of other sizes."""
    torch = pytest.importorskip("torch")
    x = torch.ones(4, 8)
    for ranks in (2, 3, 4, 3, 2, 4):
        gc.collect()
        for out in World(ranks, bytes=1 << 16, limit=60).run(lambda m: dist.all_gather(x * m.rank, m)):
            assert out.shape == (4 * ranks, 8) and out[:, 0].tolist() == [i // 4 for i in range(4 * ranks)]


def test_processes_of_gloo(tmp_path):
    pytest.importorskip("torch")
    program = ROOT / "tests" / "dist" / "gloo_ranks.py"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "GLOO_SOCKET_IFNAME": "lo"}
    ranks = [subprocess.Popen([sys.executable, str(program), str(r), "2", str(tmp_path / "store")], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for r in range(2)]  # fmt: skip
    said = [p.communicate(timeout=600)[0] for p in ranks]
    assert [p.returncode for p in ranks] == [0, 0], "\n".join(said)
    assert "L080" in said[0] and "for rank 1" in said[0] and all("sums are right" in s for s in said)
    assert not [f for f in os.listdir("/dev/shm") if f.startswith("avelang-ranks-")] if os.path.isdir("/dev/shm") else True


@pytest.mark.parametrize("learned", [True, False])
def test_gradients_of_products(learned):
    """Of both operands, and where the weight wants none, which takes another way."""
    torch = pytest.importorskip("torch")

    def program(m):
        g = torch.Generator().manual_seed(7)
        xs, ws = ([torch.randn(*s, generator=g) for _ in range(m.ranks)] for s in ((32 * m.ranks, 16), (24, 16)))
        x, w = xs[m.rank][:32].clone().requires_grad_(), ws[m.rank].clone().requires_grad_(learned)
        (dist.all_gather_matmul(x, w.T, m) * (m.rank + 1)).sum().backward()
        assert torch.allclose(x.grad, sum((r + 1) * torch.ones(32, 24) @ ws[r] for r in range(m.ranks)), rtol=1e-4, atol=1e-4)
        rows = torch.cat([a[:32] for a in xs])
        if learned:
            assert torch.allclose(w.grad, (m.rank + 1) * torch.ones(24, 32 * m.ranks) @ rows, rtol=1e-4, atol=1e-4)
        x, w = xs[m.rank].clone().requires_grad_(), ws[m.rank].clone().requires_grad_(learned)
        (dist.matmul_reduce_scatter(x, w.T, m) * (m.rank + 1)).sum().backward()
        ones = torch.cat([torch.full((32, 24), r + 1.0) for r in range(m.ranks)])
        assert torch.allclose(x.grad, ones @ ws[m.rank], rtol=1e-4, atol=1e-4)
        if learned:
            assert torch.allclose(w.grad, ones.T @ xs[m.rank], rtol=1e-4, atol=1e-4)
        return True

    for ranks in (1, 2, 3):
        assert all(World(ranks, bytes=1 << 20, limit=60).run(program))
