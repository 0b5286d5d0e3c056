"""Gradients of attention with a bias that TMA brings, on Hopper: right on the reference, which checks races, and in
executed PTX; the bias's own gradient, whatever it is broadcast along."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.avelang_kernels.attended import BF16, F16
from tests.avelang_kernels.attended_gradients import near, wanted

import avelang.language as al
from alarms.engines import Engine, on
from avelang import ops
from avelang.base import engines
from avelang_kernels.attention import hopper_backward_rows
from avelang_kernels.attention.hopper_backward import build
from avelang_kernels.attention.hopper_backward_products import HopperBackward
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.table import run_backward
from tools import need


def gradient_of_bias(p, q, k, v, dout, bias, lse):
    """In float64, with the shape of the bias."""
    k, v = (np.repeat(x.astype(float), p.group, 1) for x in (k, v))
    s = q.astype(float) @ k.swapaxes(2, 3) * p.scale + bias.astype(float)
    if p.right is not None:
        s[..., np.arange(p.keys) > np.arange(p.queries)[:, None] + p.keys - p.queries + p.right] = -np.inf
    weights = np.exp(s - np.where(np.isfinite(lse), lse, 0)[..., None])  # 0 of rows that see nothing
    delta = (dout.astype(float) * (weights @ v)).sum(3, keepdims=True)
    ds = weights * (dout.astype(float) @ v.swapaxes(2, 3) - delta)
    return ds.sum(tuple(i for i in range(2) if bias.shape[i] == 1), keepdims=True)


def check(shape, over, kv_heads=None, right=None, dtype=BF16, gradient=True, padding=0, **options):
    """shape: batch, heads, queries, keys, d; over: batches and heads of the bias. padding: of its rows, NaN."""
    batch, heads, queries, keys, d = shape
    rng, kv_heads = np.random.default_rng(hash((shape, over)) & 0xFFFF), kv_heads or heads
    sizes = (heads, queries), (kv_heads, keys), (kv_heads, keys), (heads, queries)
    q, k, v, dout = (rng.standard_normal((batch, *s, d), np.float32).astype(dtype) for s in sizes)
    wide = np.full((*over, queries, keys + padding), np.nan, dtype)
    bias = wide[..., :keys]
    bias[...] = rng.standard_normal(bias.shape)
    p = Problem(batch, heads, kv_heads, queries, keys, d, d, "bfloat16" if dtype == BF16 else "float16", d**-0.5,
                right=right, bottom_right=True, bias="bfloat16" if dtype == BF16 else "float16")  # fmt: skip
    assert hopper_backward_rows.fits(p)
    out, lse, want = wanted(p, q, k, v, dout, None, None, bias)
    made = [np.full_like(x, np.nan) for x in (q, k, v)]
    dbias = np.full(bias.shape, np.nan, dtype) if gradient else None
    hopper_backward_rows.backward(
        p, Operands(q, k, v, bias), out.astype(dtype), lse.astype(np.float32), dout, None, *made, dbias=dbias, **options
    )  # fmt: skip
    near(p, made, want)
    if gradient:
        same = gradient_of_bias(p, q, k, v, dout, bias, lse)
        error = np.abs(dbias.astype(float) - same).max() / np.sqrt((same**2).mean())
        assert error < (0.15 if dtype == BF16 else 0.02)


@pytest.mark.parametrize("over", [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_what_it_is_broadcast_along(over):
    check((2, 2, 70, 136, 64), over, kv_heads=1, right=0, backend="reference")


@pytest.mark.parametrize("seed", range(12))
def test_drawn_shapes(seed):
    pick = random.Random(seed)
    batch, kv_heads, group = (pick.randint(1, 2) for _ in range(3))
    # Of a single key the gradients of scores are 0 but for roundings, and of few queries one gradient is far above the
    # mean, by which errors are judged.
    queries, keys = (pick.choice((least, pick.randrange(least, 90), pick.randrange(least, 280))) for least in (16, 4))
    heads, d = kv_heads * group, pick.choice((8, 64, 72, 128))
    over = pick.choice((1, batch)), pick.choice((1, heads))
    check((batch, heads, queries, keys, d), over, kv_heads, pick.choice((None, 0, 5)), pick.choice((BF16, F16)),
          gradient=pick.random() < 0.8, padding=pick.choice((0, -keys % 8, 3)),
          backend="reference" if queries * keys * heads < 1 << 14 else "cpu")  # fmt: skip


def test_two_stages_and_rows_of_odd_sizes():
    """Rows of 103 elements are copied first; those with a padding are read where they lie."""
    check((1, 2, 141, 103, 128), (1, 2), backend="reference")
    check((1, 2, 60, 100, 128), (1, 1), dtype=F16, padding=4, backend="reference")


def test_without_its_own_gradient():
    check((1, 4, 300, 300, 64), (1, 4), kv_heads=2, right=0, gradient=False, backend="cpu")


def test_in_executed_ptx(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "all")
    with on(Engine(engines.PTX, "sm_90a")) as said:
        check((1, 1, 70, 136, 64), (1, 1), right=0)
    assert "X0" not in said.getvalue()


@pytest.mark.parametrize("d", [64, 128])
@pytest.mark.parametrize("gradient", [False, True])
def test_products_overlap(d, gradient):
    need("ptxas")
    F = HopperBackward(al.bf16, d, bias=True, bias_gradient=gradient)
    found = build(F).report("sm_90a", (F.threads, 1, 1))
    assert found.stored + found.loaded <= (128 if d == 64 else 0) and found.remarks == ()


def test_what_is_left_to_others():
    p = Problem(1, 1, 1, 64, 64, 64, 64, "bfloat16", 0.125, bias="bfloat16")
    assert hopper_backward_rows.fits(p)
    for more in ({"bias": "float32"}, {"softcap": 2.0}, {"lengths": True}, {"d": 256, "dv": 256}):
        said = {"d": 64, "dv": 64, "bias": "bfloat16"} | more
        rest = {n: x for n, x in said.items() if n not in ("d", "dv", "bias")}
        other = Problem(1, 1, 1, 64, 64, said["d"], said["dv"], "bfloat16", 0.125, bias=said["bias"], **rest)
        assert not hopper_backward_rows.fits(other)


@pytest.mark.parametrize("shape", [(70, 136), (2, 1, 70, 136), (2, 70, 136), (1, 2, 1, 136), (2, 2, 70, 136)])
def test_by_the_operation(shape):
    """Masks of fewer dimensions, and of rows or columns that have one bias, which another kernel takes."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    q, k, v, g = (torch.randn(2, 2, n, 64, dtype=torch.bfloat16) for n in (70, 136, 136, 70))
    bias = torch.randn(shape, dtype=torch.bfloat16)
    mine, theirs = ([x.detach().clone().requires_grad_() for x in (q, k, v, bias)] for _ in range(2))
    ops.attention(*mine, target="sm_90a").backward(g)
    wide = [x.float() for x in theirs]
    torch.nn.functional.scaled_dot_product_attention(*wide[:3], attn_mask=wide[3]).backward(g.float())
    for x, y in zip(mine, theirs, strict=True):
        error = (x.grad.float() - y.grad.float()).abs().max() / y.grad.float().square().mean().sqrt()
        assert error < 0.15


def test_an_empty_problem_has_a_gradient_of_zeros():
    p = Problem(1, 1, 1, 0, 8, 64, 64, "bfloat16", 0.125, bias="bfloat16")
    x = [np.zeros((1, 1, n, 64), BF16) for n in (0, 8, 8)]
    dbias = np.ones((1, 1, 1, 8), BF16)
    run_backward(p, Operands(*x, np.zeros((1, 1, 1, 8), BF16)), x[0], np.zeros((1, 1, 0), np.float32), x[0], None, *x,
                 dbias=dbias, rows=(1, 1, 0))  # fmt: skip
    assert not dbias.any()
