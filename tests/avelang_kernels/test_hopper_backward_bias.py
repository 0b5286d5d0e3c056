"""Gradients of attention with a bias that TMA brings, on Hopper: right on the reference, which checks races, and in
executed PTX; the bias's own gradient, whatever it is broadcast along."""

from __future__ import annotations

import dataclasses
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
    """In float64, of each sequence and head."""
    k, v = (np.repeat(x.astype(float), p.group, 1) for x in (k, v))
    s = q.astype(float) @ k.swapaxes(2, 3) * p.scale
    s = (p.softcap * np.tanh(s / p.softcap) if p.softcap else s) + bias.astype(float)
    if p.right is not None:
        s[..., np.arange(p.keys) > np.arange(p.queries)[:, None] + p.keys - p.queries + p.right] = -np.inf
    weights = np.exp(s - np.where(np.isfinite(lse), lse, 0)[..., None])  # 0 of rows that see nothing
    delta = (dout.astype(float) * (weights @ v)).sum(3, keepdims=True)
    return weights * (dout.astype(float) @ v.swapaxes(2, 3) - delta)


def wanted_of(p, q, k, v, dout, bias, lengths):
    """O, the logarithms, gradients of q, k and v, and that of the bias, of sequences with so many keys each."""
    found, ds = [], np.zeros((p.batch, p.heads, p.queries, p.keys))
    for b, n in enumerate(lengths or [p.keys] * p.batch):
        one, mine = dataclasses.replace(p, batch=1, keys=n, lengths=False), slice(b, b + 1)
        own = (q[mine], k[mine, :, :n], v[mine, :, :n], dout[mine])
        more = np.broadcast_to(bias, (p.batch, *bias.shape[1:]))[mine, ..., :n]
        out, lse, grads = wanted(one, *own, None, None, more)
        ds[mine, ..., :n] = gradient_of_bias(one, *own, more, lse)
        grads = [np.pad(x, ((0, 0), (0, 0), (0, y.shape[2] - x.shape[2]), (0, 0))) for x, y in zip(grads, (q, k, v))]
        found.append((out, lse, *grads))
    return *map(np.concatenate, zip(*found)), ds.sum(tuple(i for i in range(2) if bias.shape[i] == 1), keepdims=True)


def check(shape, over, kv_heads=None, right=None, dtype=BF16, gradient=True, padding=0, cap=0.0, lengths=None,
          **options):  # fmt: skip
    """shape: batch, heads, queries, keys, d; over: batches and heads of the bias. padding: of its rows, NaN."""
    batch, heads, queries, keys, d = shape
    rng, kv_heads = np.random.default_rng(hash((shape, over)) & 0xFFFF), kv_heads or heads
    sizes = (heads, queries), (kv_heads, keys), (kv_heads, keys), (heads, queries)
    q, k, v, dout = (rng.standard_normal((batch, *s, d), np.float32).astype(dtype) for s in sizes)
    wide = np.full((*over, queries, keys + padding), np.nan, dtype)
    bias = wide[..., :keys]
    bias[...] = rng.standard_normal(bias.shape)
    p = Problem(batch, heads, kv_heads, queries, keys, d, d, "bfloat16" if dtype == BF16 else "float16", d**-0.5,
                right=right, bottom_right=True, bias="bfloat16" if dtype == BF16 else "float16", softcap=cap,
                lengths=lengths is not None)  # fmt: skip
    assert hopper_backward_rows.fits(p)
    out, lse, *want, same = wanted_of(p, q, k, v, dout, bias, lengths)
    for b, n in enumerate(lengths or ()):
        k[b, :, n:], v[b, :, n:] = np.nan, np.nan
        if over[0] == batch:
            bias[b, ..., n:] = np.nan
    made = [np.full_like(x, np.nan) for x in (q, k, v)]
    dbias = np.full(bias.shape, np.nan, dtype) if gradient else None
    x = Operands(q, k, v, bias, lengths=lengths and np.array(lengths, np.int32))
    hopper_backward_rows.backward(
        p, x, out.astype(dtype), lse.astype(np.float32), dout, None, *made, dbias=dbias, **options
    )  # fmt: skip
    near(p, made, want)
    if gradient:
        error = np.abs(dbias.astype(float) - same).max() / max(1e-3, np.sqrt((same**2).mean()))
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
    heads, d = kv_heads * group, pick.choice((8, 64, 72, 128, 136, 256))
    over = pick.choice((1, batch)), pick.choice((1, heads))
    cap = pick.choice((0, 0, 1.5))
    check((batch, heads, queries, keys, d), over, kv_heads, pick.choice((None, 0, 5)), pick.choice((BF16, F16)),
          gradient=not cap and pick.random() < 0.8, padding=pick.choice((0, -keys % 8, 3)), cap=cap,
          lengths=pick.choice((None, [pick.randint(0, keys) for _ in range(batch)])),
          backend="reference" if queries * keys * heads < 1 << 14 else "cpu")  # fmt: skip


def test_two_stages_and_rows_of_odd_sizes():
    """Rows of 103 elements are copied first; those with a padding are read where they lie."""
    check((1, 2, 141, 103, 128), (1, 2), backend="reference")
    check((1, 2, 60, 100, 128), (1, 1), dtype=F16, padding=4, backend="reference")


def test_without_its_own_gradient():
    check((1, 4, 300, 300, 64), (1, 4), kv_heads=2, right=0, gradient=False, backend="cpu")


@pytest.mark.parametrize("d", [64, 256])
def test_in_executed_ptx(monkeypatch, d):
    monkeypatch.setenv("AVE_CHECK", "all")
    with on(Engine(engines.PTX, "sm_90a")) as said:
        check((1, 1, 140, 136, d), (1, 1), right=0)
    assert "X0" not in said.getvalue()


@pytest.mark.parametrize("d", [64, 128, 256])
@pytest.mark.parametrize("gradient", [False, True])
def test_products_overlap(d, gradient):
    need("ptxas")
    F = HopperBackward(al.bf16, d, bias=True, bias_gradient=gradient)
    found = build(F).report("sm_90a", (F.threads, 1, 1))
    assert found.stored + found.loaded <= {64: 128, 128: 64, 256: 512}[d] and found.remarks == ()


def test_what_is_left_to_others():
    p = Problem(1, 1, 1, 64, 64, 256, 256, "bfloat16", 0.125, bias="bfloat16", softcap=2.0, lengths=True)
    assert hopper_backward_rows.fits(p)
    for more in ({"bias": "float32"}, {"bias": "float16"}, {"packed_q": True, "packed_k": True}):
        assert not hopper_backward_rows.fits(dataclasses.replace(p, **more))


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
