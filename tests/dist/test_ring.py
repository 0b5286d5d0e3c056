"""Attention over a split sequence against float64 on the whole one: drawn lengths, heads, d, layouts and masks; on the CPU, on the reference with its
checks, and in processes of torch's gloo."""

import os
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from avelang.base.errors import AveError
from avelang.dist import World
from avelang.ops import dist
from avelang.ops.dist.sequence import ring_attention_gradients as gradients
from avelang.runtime import compile
from avelang_kernels.dist import exchange
from avelang_kernels.dist import ring_attention as ring

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = {"float32": np.float32, "bfloat16": ml_dtypes.bfloat16}


def judge(q, k, v, grad, *, causal, window=(None, None), scale=None, softcap=0.0, grad_lse=None):
    """O, logarithms and gradients in float64 of the whole sequence, by the definition: a loop over heads."""
    q, k, v, grad = (x.astype(np.float64) for x in (q, k, v, grad))
    o, logs = np.zeros((*q.shape[:3], v.shape[3])), np.zeros(q.shape[:3])
    dq, dk, dv = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
    i, j, scale = np.arange(q.shape[2])[:, None], np.arange(k.shape[2])[None], q.shape[3] ** -0.5 if scale is None else scale
    sees = (j <= i) if causal else np.ones((q.shape[2], k.shape[2]), bool)
    sees = sees & (window[0] is None or j >= i - window[0]) & (window[1] is None or j <= i + window[1])
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            own = h * k.shape[1] // q.shape[1]
            t = q[b, h] @ k[b, own].T * scale
            s = softcap * np.tanh(t / softcap) if softcap else t
            e = np.where(sees, np.exp(s), 0)
            p = e / e.sum(1, keepdims=True)
            o[b, h], logs[b, h] = p @ v[b, own], np.log(e.sum(1))
            dp = grad[b, h] @ v[b, own].T
            ds = p * (dp - (grad[b, h] * o[b, h]).sum(1, keepdims=True) + (0 if grad_lse is None else grad_lse[b, h][:, None]))
            ds = ds * (1 - np.tanh(t / softcap) ** 2 if softcap else 1) * scale
            dq[b, h] = ds @ k[b, own]
            dk[b, own] += ds.T @ q[b, h]
            dv[b, own] += p.T @ grad[b, h]
    return o, logs, dq, dk, dv


def near(got, want, dtype, what):
    unit = {"float32": 2e-6, "bfloat16": 2.0**-6}[dtype]
    error = np.abs(got.astype(np.float64) - want).max(initial=0)
    assert error <= unit * (1 + np.abs(want).max(initial=0)) * 4, f"{what}: off by {error:.3g}"


def drawn(rng, ranks, layout, dtype="float32", causal=True, window=None, length=None, wide=16, heads=None, back=True, **options):
    """Arrays of a whole sequence, and what a rank does with its part and compares."""
    n = length or int(rng.integers(1, 8)) * (2 if layout == "zigzag" else 1)
    (kv, batch), group = heads or (int(x) for x in rng.integers(1, 3, 2)), 2
    d, dv = (wide, wide) if isinstance(wide, int) else wide
    q, k, v, grad = (rng.standard_normal((batch, h, n * ranks, x)).astype(NAMES[dtype])
                     for h, x in ((kv * group, d), (kv, d), (kv, dv), (kv * group, dv)))  # fmt: skip
    grad_lse = rng.standard_normal(grad.shape[:3]).astype(np.float32)
    want = judge(q, k, v, grad, causal=causal, window=window or (None, None), grad_lse=grad_lse, **options)

    def program(m):
        at = dist.ring_positions(n, m, layout)
        mine = [np.ascontiguousarray(x[:, :, at]) for x in (q, k, v, grad)]
        o, lse = dist.ring_attention(*mine[:3], m, is_causal=causal, enable_gqa=True, layout=layout, window=window, return_lse=True, **options)
        near(o, want[0][:, :, at], dtype, "O")
        near(lse, want[1][:, :, at], "float32", "logarithms")
        if back:
            left, right = (None, None) if window is None else window
            made = gradients(mine[3], *mine[:3], o, lse, np.ascontiguousarray(grad_lse[:, :, at]), group=m.name, layout=layout, left=left,
                                                 right=0 if causal else right, gqa=True, **options)  # fmt: skip
            for got, whole, name in zip(made, want[2:], ("dQ", "dK", "dV"), strict=True):
                near(got, whole[:, :, at], dtype, name)
        return o.tobytes()

    return program


@pytest.mark.parametrize("layout", ring.LAYOUTS)
@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_drawn_sequences_with_a_causal_mask(ranks, layout):
    w, rng = World(ranks, bytes=1 << 18, limit=300), np.random.default_rng(ranks)
    for _ in range(2):
        w.run(drawn(rng, ranks, layout))


@pytest.mark.parametrize("layout", ["contiguous", "striped"])
def test_windows_and_caps(layout):
    w, rng = World(3, bytes=1 << 18, limit=300), np.random.default_rng(7)
    for causal, left, right in ((False, 3, 2), (True, 0, 30), (False, 25, None), (True, 2, None)):
        w.run(drawn(rng, 3, layout, causal=causal, window=(left, right), softcap=2.0, scale=0.3))


def test_no_mask_eight_ranks_and_bf16():
    w, rng = World(8, bytes=1 << 17, limit=300), np.random.default_rng(8)
    w.run(drawn(rng, 8, "contiguous", causal=False, length=1))
    w.run(drawn(rng, 8, "zigzag", dtype="bfloat16", length=6, wide=(7, 20), back=False))


@pytest.mark.parametrize("layout", ring.LAYOUTS)
def test_on_the_reference_with_its_checks(layout):
    program = drawn(np.random.default_rng(3), 3, layout, length=4)
    for seed in range(2):
        World(3, backend="reference", bytes=1 << 16, seed=seed, limit=300).run(program)


def test_pieces_where_memory_is_small_and_the_same_bits_in_every_run():
    program, seen = drawn(np.random.default_rng(11), 2, "zigzag", length=16, heads=(2, 2)), set()
    for size in (1 << 16, 1 << 16, 1 << 20):
        w = World(2, bytes=size, limit=300)
        seen.add(tuple(w.run(program)))
        rooms = w.run(lambda m: exchange.workspace(m).room)
        assert (rooms[0] < 2 * 2 * 16 * 32 * 4) == (size == 1 << 16)
    assert len(seen) == 1


def test_rows_that_see_nothing_of_a_shard_and_every_mask_by_place():
    """The masks of the steps, put together, are the mask of the whole sequence: every layout, rank and window."""
    for layout in ring.LAYOUTS:
        for ranks, n in ((1, 4), (2, 6), (3, 2), (4, 4), (5, 8)):
            at = [np.array(ring.positions(layout, r, ranks, n)) for r in range(ranks)]
            assert sorted(np.concatenate(at)) == list(range(ranks * n))
            for left, right in ((None, None), (None, 0)) + (((2, 0), (0, 3), (n, None), (None, 9)) if layout != "zigzag" else ()):
                for me in range(ranks):
                    for other in range(ranks):
                        i, j = at[me][:, None], at[other][None]
                        want = (left is None or j >= i - left) & (right is None or j <= i + right) & np.ones((n, n), bool)
                        found, p = np.zeros((n, n), bool), ring.piece(layout, me, other, ranks, n, n, left, right)
                        if p is not None:
                            a, b = np.arange(n)[:, None] - p.queries[0], np.arange(n)[None] - p.keys[0]
                            found = (p.left is None or b >= a - p.left) & (p.right is None or b <= a + p.right)
                            found = found & (a >= 0) & (a < p.queries[1] - p.queries[0]) & (b >= 0) & (b < p.keys[1] - p.keys[0])
                        assert np.array_equal(found, want), (layout, ranks, n, left, right, me, other, p)


def test_all_ranks_have_the_same_to_do_in_a_zigzag():
    def work(layout, r, ranks, n):
        found = [ring.piece(layout, r, s, ranks, n, n, None, 0) for s in range(ranks)]
        sides = [(p.queries[1] - p.queries[0], p.keys[1] - p.keys[0], p.right) for p in found if p is not None]
        return sum(q * k if right is None else q * (k + 1) / 2 for q, k, right in sides)

    for ranks in (2, 3, 8):
        assert len({work("zigzag", r, ranks, 8) for r in range(ranks)}) == 1
        assert work("contiguous", ranks - 1, ranks, 8) > ranks * work("contiguous", 0, ranks, 8)


def test_what_is_refused():
    def fails(m, call, code):
        with pytest.raises(AveError) as e:
            call(m)
        assert e.value.code == code, e.value

    def x(n=4, h=2, d=8):
        return np.zeros((1, h, n, d), np.float32)

    w = World(2, bytes=1 << 16, limit=5)
    w.run(fails, lambda m: dist.ring_attention(x(4 + m.rank), x(4 + m.rank), x(4 + m.rank), m), "L081")
    w.run(fails, lambda m: dist.ring_attention(x(), x(), x(), m, is_causal=bool(m.rank)), "L081")
    for call in (
        lambda m: dist.ring_attention(x(), x(6), x(6), m, is_causal=True),
        lambda m: dist.ring_attention(x(5), x(5), x(5), m, is_causal=True, layout="zigzag"),
        lambda m: dist.ring_attention(x(), x(), x(), m, layout="ring"),
        lambda m: dist.ring_attention(x(), x(), x(), m, layout="zigzag", window=(2, 0)),
        lambda m: dist.ring_attention(x(), x(), x(), m, window=3),
        lambda m: dist.ring_attention(x(), x(h=1), x(h=1), m),
        lambda m: dist.ring_attention(*(x().astype(np.float64),) * 3, m),
        lambda m: dist.ring_positions(3, m, "zigzag"),
    ):
        w.run(fails, call, "L066")


def test_code_for_gpus():
    for kernel in (ring.build_shift(al.bf16, 4, 8, True), ring.build_shift(al.f32, 2, 4, False), ring.build_rows(al.bf16, al.f32, 4, True)):
        values = {"EACH": 32} if kernel is ring.build_rows(al.bf16, al.f32, 4, True) else {}
        for target in ("sm_90a", "gfx942"):
            text = compile.compile_text(kernel, values, (256, 1, 1), target, "asm")
            assert ("st.release.sys" in text or "buffer_wbl2" in text) == (not values)


def test_processes_of_gloo(tmp_path):
    pytest.importorskip("torch")
    program = ROOT / "tests" / "dist" / "gloo_ring.py"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "GLOO_SOCKET_IFNAME": "lo"}
    ranks = [subprocess.Popen([sys.executable, str(program), str(r), "2", str(tmp_path / "store")], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for r in range(2)]  # fmt: skip
    said = [p.communicate(timeout=600)[0] for p in ranks]
    assert [p.returncode for p in ranks] == [0, 0] and all("the ring is right" in s for s in said), "\n".join(said)
