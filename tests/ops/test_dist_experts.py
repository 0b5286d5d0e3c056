"""Mixtures of experts over several ranks on drawn routing, against NumPy in float64 on the user's words and against the layer on one rank, with races
verified on the reference; and the code of the kernels for GPUs."""

from __future__ import annotations

import subprocess

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
import tools
from avelang import ops
from avelang.base.errors import AveError
from avelang.dist import World
from avelang.ops import dist
from avelang.runtime import compile
from avelang_kernels.dist import experts as kernels
from avelang_kernels.dist import gated_experts


def drawn(rng, ranks, kind):
    """Experts, top_k, width, most tokens, and each rank's x and ids."""
    experts, top_k = ranks * int(rng.integers(1, 4)), int(rng.integers(1, 4))
    width, most = int(rng.integers(1, 80)), int(rng.integers(1, 20))
    tokens = [most if kind == "full" else int(rng.integers(0, most + 1)) for _ in range(ranks)]
    if kind == "one rank has none":
        tokens[int(rng.integers(ranks))] = 0
    low, high = {"one expert": (experts - 1, experts), "first rank": (0, experts // ranks)}.get(kind, (-1, experts + 1))
    xs = [rng.standard_normal((t, width)).astype(np.float32) for t in tokens]
    ids = [rng.integers(low, high, (t, top_k)).astype(np.int64 if kind == "full" else np.int32) for t in tokens]
    if kind == "nobody":
        ids = [np.full_like(i, -1) for i in ids]
    return experts, top_k, most, xs, ids


KINDS = ("any", "full", "one rank has none", "one expert", "first rank", "nobody")


def exchanged(m, seed, kind):
    """Dispatch and combine of one drawn routing, against the words of their docstrings."""
    rng = np.random.default_rng(seed)
    experts, top_k, most, xs, ids = drawn(rng, m.ranks, kind)
    each, x, own = experts // m.ranks, xs[m.rank], ids[m.rank]
    got = dist.moe_dispatch(x, own, m, experts=experts, max_tokens=most)
    want, ends = [], []
    for e in range(m.rank * each, m.rank * each + each):
        want += [xs[r][t] for r in range(m.ranks) for t in range(len(xs[r])) for i in range(top_k) if ids[r][t, i] == e]
        ends.append(len(want))
    assert got.ends.tolist() == ends and got.rows.shape == (m.ranks * most * top_k, x.shape[1])
    assert got.rows[: len(want)].tobytes() == b"".join(w.tobytes() for w in want) and not got.rows[len(want) :].any()
    y = got.rows.copy()
    for i, begin in enumerate([0, *ends[:-1]]):
        y[begin : ends[i]] *= m.rank * each + i + 1  # what an expert does: its number, times
    weights = rng.standard_normal((m.ranks, most, top_k)).astype(np.float32)[m.rank, : len(x)]
    factors = np.where((own >= 0) & (own < experts), own + 1, 0)
    want = x.astype(np.float64) * (factors * weights.astype(np.float64)).sum(1, keepdims=True)
    np.testing.assert_allclose(dist.moe_combine(y, weights, got.handle, m), want, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(dist.moe_combine(y, None, got.handle, m), x * factors.sum(1, keepdims=True), rtol=1e-4, atol=1e-4)


def test_rows_go_to_their_experts_and_back_on_the_cpu():
    w = World(3, bytes=1 << 18, limit=30)
    for seed in range(12):
        w.run(exchanged, seed, KINDS[seed % len(KINDS)])


@pytest.mark.parametrize("ranks,seeds", [(2, 3), (4, 1)])
def test_rows_on_the_reference_with_its_checks(ranks, seeds):
    for seed in range(seeds):
        World(ranks, backend="reference", bytes=1 << 18, seed=seed).run(exchanged, 7 * seed, KINDS[seed])


def test_a_token_goes_once_to_a_rank_and_comes_where_its_experts_are():
    """Rows of the box that nobody wrote are those of tokens that went there for another expert."""

    def program(m, weighted):
        rng = np.random.default_rng(5)
        experts, top_k, tokens, width = 4 * m.ranks, 5, 30, 7
        x = rng.standard_normal((m.ranks, tokens, width)).astype(np.float32)
        ids = rng.integers(-1, experts + 1, (m.ranks, tokens, top_k)).astype(np.int32)
        if not weighted:
            box = m.at(kernels.boxes(m).rows, m.ranks * tokens * top_k * width, "float32")[m.rank]
            box[:] = np.nan
            m.exchange(None)
            got = dist.moe_dispatch(x[m.rank], ids[m.rank], m, experts=experts)
            written = ~np.isnan(box.reshape(-1, width)[: got.ends[-1]]).any(1)
            home = [{i // 4 for i in ids[r, t] if 0 <= i < experts} for r in range(m.ranks) for t in range(tokens)]
            assert written.sum() == sum(m.rank in h for h in home) < got.ends[-1]
            return
        torch = pytest.importorskip("torch")
        got = dist.moe_dispatch(torch.from_numpy(x[m.rank]), torch.from_numpy(ids[m.rank]), m, experts=experts)
        y = got.rows.clone().requires_grad_()
        w = torch.from_numpy(rng.random((m.ranks, tokens, top_k)).astype(np.float32)[m.rank]).requires_grad_()
        g = rng.standard_normal((m.ranks, tokens, width)).astype(np.float32)
        dy, dw = torch.autograd.grad(dist.moe_combine(y, w, got.handle, m), (y, w), torch.from_numpy(g[m.rank]))
        want: list = []
        all_w = m.exchange(w.detach().numpy())
        for e in range(m.rank * 4, m.rank * 4 + 4):
            want += [g[r, t] * all_w[r][t, i] for r in range(m.ranks) for t in range(tokens) for i in range(top_k) if ids[r, t, i] == e]
        assert dy[: len(want)].numpy().tobytes() == np.array(want).tobytes() and not dy[len(want) :].any()
        there = (ids[m.rank] >= 0) & (ids[m.rank] < experts)
        np.testing.assert_allclose(dw.numpy(), there * np.einsum("th,th->t", x[m.rank], g[m.rank])[:, None], rtol=1e-4, atol=1e-4)

    for weighted in (False, True):
        World(3, bytes=1 << 18, limit=30).run(program, weighted)


def test_eight_ranks():
    World(8, bytes=1 << 18, limit=30).run(exchanged, 3, "any")


def test_rows_in_pieces_where_memory_is_small():
    def program(m, backend):
        rng = np.random.default_rng(2)
        x = rng.standard_normal((m.ranks, 40, 24)).astype(np.float32)
        ids = rng.integers(0, 2 * m.ranks, (m.ranks, 40, 2)).astype(np.int32)
        ids[:, ::3] = m.ranks  # many to one expert
        got = dist.moe_dispatch(x[m.rank], ids[m.rank], m, experts=2 * m.ranks)
        assert kernels.boxes(m).room < got.rows.nbytes
        back = dist.moe_combine(got.rows, None, got.handle, m)
        np.testing.assert_array_equal(back, 2 * x[m.rank])

    for backend in ("cpu", "reference"):
        World(2, backend=backend, bytes=1 << 14, limit=30).run(program, backend)


def layer(x, weights, ids, w13, w2):
    """The layer in float64, token by token."""
    out = np.zeros(x.shape)
    for t in range(x.shape[0]):
        for w, e in zip(weights[t], ids[t], strict=True):
            if 0 <= e < w13.shape[0]:
                gate, up = np.split(w13[e] @ x[t], 2)
                out[t] += w * (w2[e] @ (gate / (1 + np.exp(-gate)) * up))
    return out


def test_the_layer_on_the_reference_against_float64():
    def program(m):
        rng = np.random.default_rng(1)
        xs, tokens = rng.standard_normal((2, 5, 16)).astype(ml_dtypes.bfloat16), (5, 2)
        w13, w2 = ((rng.standard_normal(s) / 4).astype(ml_dtypes.bfloat16) for s in ((2, 32, 16), (2, 16, 16)))
        weights, ids = rng.random((2, 5, 2)).astype(np.float32), rng.integers(-1, 3, (2, 5, 2))
        r, t = m.rank, tokens[m.rank]
        got = dist.moe(xs[r, :t], (weights[r, :t], ids[r, :t]), w13[r : r + 1], w2[r : r + 1], m, max_tokens=5)
        want = layer(xs[r, :t].astype(float), weights[r, :t], ids[r, :t], w13.astype(float), w2.astype(float))
        assert got.shape == want.shape and np.linalg.norm(got.astype(float) - want) <= 2**-7 * np.linalg.norm(want)

    World(2, backend="reference", bytes=1 << 18).run(program)


def test_the_layer_has_the_bits_of_the_layer_on_one_rank_forward_and_backward():
    torch = pytest.importorskip("torch")

    def program(m):
        g = torch.Generator().manual_seed(1)
        experts, hidden, inner, tokens = 2 * m.ranks, 32, 24, (5, 0, 8)
        xs, logits, gs = ([torch.randn(t, n, generator=g).bfloat16() for t in tokens] for n in (hidden, experts, hidden))
        w13, w2 = ((torch.randn(experts, *s, generator=g) / 6).bfloat16() for s in ((2 * inner, hidden), (hidden, inner)))
        mine, at = slice(2 * m.rank, 2 * m.rank + 2), sum(tokens[: m.rank])
        given = [a.clone().requires_grad_() for a in (xs[m.rank], logits[m.rank], w13[mine], w2[mine])]
        whole = [a.clone().requires_grad_() for a in (torch.cat(xs), torch.cat(logits), w13, w2)]
        y = dist.moe(*given, m, top_k=2, max_tokens=8, invariant=True)
        mine_too = torch.autograd.grad(y, given, gs[m.rank])
        want = ops.moe(*whole, top_k=2, invariant=True)
        wanted = torch.autograd.grad(want, whole, torch.cat(gs))
        rows = slice(at, at + tokens[m.rank])
        assert torch.equal(y, want[rows])
        for name, a, b in zip(("x", "router", "w13", "w2"), mine_too, wanted, strict=True):
            assert torch.equal(a, b[rows if name in ("x", "router") else mine]), name
        again = [a.detach().clone().requires_grad_() for a in given]
        parts = dist.moe_dispatch(again[0], torch.zeros(tokens[m.rank], 1, dtype=torch.int32), m, experts=experts, max_tokens=8)
        (parts.rows.float() * (m.rank + 1)).sum().backward()  # all rows go to rank 0
        assert torch.equal(again[0].grad, torch.ones_like(again[0]))

    World(3, bytes=1 << 18, limit=60).run(program)


def fused(m, seed, kind, target=None, fuse=True):
    """The layer whose first product reads rows where they arrive, of drawn routing, against float64."""
    rng = np.random.default_rng(seed)
    experts, top_k, most, xs, ids = drawn(rng, m.ranks, kind)
    hidden, inner, r, each = 8 * int(rng.integers(1, 9)), 8 * int(rng.integers(1, 9)), m.rank, experts // m.ranks
    x = rng.standard_normal((m.ranks, most, hidden)).astype(ml_dtypes.bfloat16)[r, : len(xs[r])]
    weights = rng.random((m.ranks, most, top_k)).astype(np.float32)[r, : len(x)]
    w13, w2 = ((rng.standard_normal((experts, *s)) / 6).astype(ml_dtypes.bfloat16) for s in ((2 * inner, hidden), (hidden, inner)))
    own = slice(r * each, r * each + each)
    got = dist.moe(x, (weights, ids[r]), w13[own], w2[own], m, max_tokens=most, fuse=fuse, target=target)
    want = layer(x.astype(float), weights, ids[r], w13.astype(float), w2.astype(float))
    assert np.linalg.norm(got.astype(float) - want) <= 2**-7 * np.linalg.norm(want)


def test_a_first_product_of_rows_as_they_come():
    w = World(3, bytes=1 << 20, limit=60)
    for seed, kind in enumerate(KINDS):
        w.run(fused, seed, kind)
    World(2, bytes=1 << 20, limit=60).run(fused, 3, "any", "sm_90a")


@pytest.mark.parametrize("target", [None, "sm_90a"])
def test_that_product_on_the_reference_with_its_checks(target):
    World(2, backend="reference", bytes=1 << 20).run(fused, 0, "full", target)


@avelang.struct
class Ungated:
    """A walk that waits for nobody."""

    groups: ...
    tables: ...
    counters: ...
    want: ...
    first: ...
    RANKS: al.constexpr
    M: al.constexpr
    FENCE: al.constexpr

    def count(self):
        return self.groups.count()

    def job(self, index, cluster_m, cluster_n):
        return self.groups.work_tile(index, cluster_m, cluster_n)


def test_tiles_that_do_not_wait_for_their_rows_are_found(monkeypatch):
    monkeypatch.setattr(gated_experts, "ExpertWalk", Ungated)
    monkeypatch.setattr(gated_experts, "build", gated_experts.build.__wrapped__)
    with pytest.raises(AveError) as e:
        World(2, backend="reference", bytes=1 << 20).run(fused, 3, "full")
    assert e.value.code == "X040", e.value


def test_gradients_of_rows_as_they_come():
    torch = pytest.importorskip("torch")

    def program(m):
        g = torch.Generator().manual_seed(3)
        x, logits = torch.randn(m.ranks, 6, 32, generator=g).bfloat16()[m.rank], torch.randn(m.ranks, 6, 2, generator=g)[m.rank]
        w13, w2 = ((torch.randn(m.ranks, *s, generator=g) / 6).bfloat16()[m.rank : m.rank + 1] for s in ((48, 32), (32, 24)))
        given = [a.clone().requires_grad_() for a in (x, logits, w13, w2)]
        made = [dist.moe(*given, m, top_k=2, fuse=fuse) for fuse in (True, False)]
        one, two = (torch.autograd.grad(y, given, torch.ones_like(y)) for y in made)
        for name, a, b in zip(("x", "router", "w13", "w2"), one, two, strict=True):
            assert (a.float() - b.float()).norm() <= 2**-7 * b.float().norm(), name

    World(2, bytes=1 << 20, limit=60).run(program)


def test_what_is_refused():
    def fails(m, call, code, words=""):
        with pytest.raises(AveError, match=words) as e:
            call(m)
        assert e.value.code == code, e.value

    def layer_of(m, tokens=4, hidden=16, turned=False, **more):
        x, w13, w2 = (np.zeros(s, ml_dtypes.bfloat16) for s in ((tokens, hidden), (1, hidden, 16), (1, hidden, 8)))
        w13 = w13.swapaxes(1, 2) if turned else w13.reshape(1, 16, hidden)
        return dist.moe(x, (np.ones((tokens, 1), np.float32), np.zeros((tokens, 1), np.int32)), w13, w2, m, **more)

    w = World(2, bytes=1 << 16, limit=5)
    x, ids, half = np.zeros((4, 8), np.float32), np.zeros((4, 2), np.int32), np.zeros((4, 8), ml_dtypes.bfloat16)
    bad = (
        (lambda m: dist.moe_dispatch(x, ids, m, experts=3), "L066", "as many for each of 2 ranks"),
        (lambda m: dist.moe_dispatch(x, ids[:3], m, experts=4), "L066", r"ids are \(3, 2\)"),
        (lambda m: dist.moe_dispatch(x, ids.astype(np.float32), m, experts=4), "L066", "int32 or int64"),
        (lambda m: dist.moe_dispatch(x.astype(np.int32), ids, m, experts=4), "L066", "x is"),
        (lambda m: dist.moe_dispatch(x, ids, m, experts=4, max_tokens=3), "L066", "max_tokens is 3"),
        (lambda m: dist.moe_dispatch(x, ids, m, experts=4, max_tokens="many"), "L066", "max_tokens is 'many'"),
        (lambda m: dist.moe_dispatch(np.zeros((4, 1 << 15), np.float32), ids, m, experts=4), "L066", "bytes of symmetric memory"),
        (lambda m: dist.moe_dispatch(x, ids, m), "L066", "experts"),
        (lambda m: dist.moe_combine(x, None, "handle", m), "L066", "handle is of str"),
        (lambda m: dist.moe(half, half[:, :3], np.zeros((1, 8, 8), half.dtype), np.zeros((1, 8, 4), half.dtype), m, top_k=1), "L066", "router is"),
        (lambda m: layer_of(m, fuse="yes"), "L066", "fuse is 'yes'"),
        (lambda m: layer_of(m, hidden=12, fuse=True), "L066", "hidden must be a multiple of 8"),
        (lambda m: layer_of(m, tokens=4000, fuse=True), "L066", "8000 rows must fit symmetric memory"),
        (lambda m: layer_of(m, turned=True, fuse=True), "L066", "w_gate_up must be contiguous"),
        (lambda m: dist.moe_dispatch(x[: 4 - m.rank], ids[: 4 - m.rank], m, experts=4), "L081", "tokens .*max_tokens"),
        (lambda m: dist.moe_dispatch(x[:, : 4 + m.rank], ids, m, experts=4), "L081", "shape"),
        (lambda m: dist.moe_dispatch(x, ids, m, experts=4 + 2 * m.rank), "L081", "experts"),
        (lambda m: dist.moe_dispatch(x, ids[:, : 1 + m.rank], m, experts=4), "L081", "top_k"),
        (lambda m: dist.moe_dispatch(x.astype((np.float32, np.float64)[m.rank]), ids, m, experts=4), "L081", "dtype"),
        (lambda m: dist.moe_dispatch(x, ids, m, experts=4, max_tokens=6 + m.rank), "L081", "max_tokens"),
    )
    for call in bad:
        w.run(fails, *call)

    def combined(m):
        got = dist.moe_dispatch(x, ids, m, experts=4)
        fails(m, lambda m: dist.moe_combine(x, None, got.handle, m), "L066", r"y is \(4, 8\)")
        fails(m, lambda m: dist.moe_combine(got.rows, x, got.handle, m), "L066", r"weights is \(4, 8\)")

    w.run(combined)


BUILT = {
    "counts": lambda: kernels.build_layout(4, 32),
    "push of tokens": lambda: kernels.build_push(al.bf16, 4, 8, False, True),
    "push of gradients": lambda: kernels.build_push(al.bf16, 4, 8, False, True, True),
    "push back": lambda: kernels.build_push(al.f16, 8, 1, True, False),
    "take": lambda: kernels.build_take(al.bf16, 4, 8, False),
    "take of gradients": lambda: kernels.build_take(al.bf16, 4, 8, False, True, True),
    "spread": lambda: kernels.build_spread(al.bf16, 4, 8),
    "take back": lambda: kernels.build_take(al.f32, 2, 4, True),
}


@pytest.mark.parametrize("name", BUILT)
def test_code_for_gpus(name, tmp_path):
    kernel = BUILT[name]()
    block = (kernels.THREADS, 1, 1)
    amd = compile.compile_text(kernel, {}, block, "gfx942", "asm")
    assert ("global_store" in amd) and ("take" in name or name == "spread" or "buffer_wbl2 sc0 sc1" in amd) and "buffer_inv sc0 sc1" in amd
    assembled(compile.compile_text(kernel, {}, block, "sm_90a", "asm"), tmp_path)


@pytest.mark.parametrize("chip", ["sm_90a", "gfx942"])
def test_code_of_products_that_wait(chip, tmp_path):
    gates = compile.compile_text(gated_experts.build_gate(al.bf16, "silu", 8), {}, (kernels.THREADS, 1, 1), chip, "asm")
    assert "global_store_dwordx4" in gates or "st.global.v4" in gates
    T = gated_experts.block(chip, 8192, 8, False)
    text = compile.compile_text(gated_experts.build(T, al.bf16, 4), {"L": 8}, (T.on(chip, al.bf16).threads, 1, 1), chip, "asm")
    if chip == "gfx942":
        assert "v_mfma_f32" in text and "buffer_inv sc0 sc1" in text
        return
    assert T.pipeline == "tma" and "wgmma" in text and "fence.proxy.async" in text
    assembled(text, tmp_path)


def assembled(ptx, tmp_path):
    """ptxas takes it."""
    assert "ld.acquire.sys" in ptx and "multimem" not in ptx
    (tmp_path / "k.ptx").write_text(ptx)
    subprocess.run([tools.need("ptxas"), "-arch=sm_90a", str(tmp_path / "k.ptx"), "-o", str(tmp_path / "k.cubin")], check=True)
