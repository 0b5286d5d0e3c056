"""Attention by the copy engine and wgmma: right on the reference, which checks races and registers under way; what "
"its code takes."""

import dataclasses
import functools

import numpy as np
import pytest
from tests.avelang_kernels.attended import BF16, F16, Case, check
from tests.avelang_kernels.drawn_problems import check as judged
from tests.avelang_kernels.drawn_problems import drawn, normal

import avelang.language as al
from alarms.engines import Engine, on
from avelang.base import engines
from avelang_kernels.attention.hopper_arrays import reachable, staged_bias
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.tile_attention_hopper import (
    HopperAttention,
    added,
    attention,
    build,
    fits,
    form_of,
    launch,
    near_of,
    one_head,
)
from avelang_kernels.attention.tile_attention_views import Features
from tools import need

FORM = HopperAttention(m=128, n=64)


def call(form, backend="reference", **options):
    return functools.partial(attention, form=form, units=2, backend=backend, **options)


def test_two_consumers_take_turns():
    """Blocks of the grid make several blocks of rows; two heads share keys; causal, with more keys than queries."""
    check(call(FORM, causal=True), Case(1, 2, 1, 140, 170, 64, True))


def test_one_consumer_and_rows_that_see_nothing():
    """Strides instead of another layout; d in two pieces, of which the second is padded."""
    out = check(
        call(HopperAttention(m=64, n=32), causal=True, layout="bhsd"), Case(1, 3, 1, 90, 50, 72, True, "bhsd", F16)
    )
    assert not out[:, :, :40].any()


def test_heads_by_turns():
    """Groups of two heads, of which the last has one: the first begins with the last rows, the second with the "
    "first ones."""
    check(call(HopperAttention(m=64, n=64, near=2), causal=True), Case(1, 3, 3, 100, 100, 64, True))


@pytest.mark.parametrize("packed", [False, True])
def test_heads_that_are_one_expanded_are_read_once(packed):
    one = np.zeros((5, 1, 64) if packed else (2, 1, 5, 64), BF16)
    k, v = (np.broadcast_to(a, (a.shape[0], 3, *a.shape[2:])) for a in (one, one[..., :32]))
    p = Problem(2, 6, 3, 4, 5, 64, 32, "bfloat16", 1.0, packed_q=packed, packed_k=packed)
    found, x = one_head(p, Operands(None, k, v))
    assert found == dataclasses.replace(p, kv_heads=1) and x.k.shape == one.shape and x.v.shape[-1] == 32
    assert all(reachable(a) and np.shares_memory(a, one) for a in (x.k, x.v))
    for other in (Operands(None, k, np.zeros_like(v)), Operands(None, np.zeros_like(k), v)):
        assert one_head(p, other) == (p, other)


@pytest.mark.parametrize(("batch", "heads", "kv_heads", "seq", "d"), [
    (4, 32, 32, 4096, 128), (4, 32, 8, 4096, 128), (1, 32, 32, 16384, 128), (8, 16, 16, 2048, 64), (2, 16, 16, 8192,
        128),
])  # fmt: skip
def test_causal_parts_are_equal(batch, heads, kv_heads, seq, d):
    """By the order that kernels go through, in Python: each row of tiles of each head once, and no multiprocessor has 5
    % more than another's share. K and V of a group are at most 32 MiB."""
    F, units = form_of(None, al.bf16, d), 132
    tiles, every = -(-seq // F.m), batch * heads
    near = near_of(tiles, seq, 0, every, heads // kv_heads, F, units)
    assert near % (heads // kv_heads) == 0 and near * kv_heads // heads * seq * d * 4 <= 32 << 20
    groups, load, seen = -(-every // near), [0.0] * units, set()
    for i in range(tiles * every):
        group, inner = divmod(i, near * tiles)
        row, head = divmod(inner, min(near, every - group * near))
        row = tiles - 1 - row if (groups - 1 - group) % 2 == 0 else row
        seen.add((row, group * near + head))
        load[i % units] += -(-min(seq, row * F.m + F.m) // F.n) + 1
    assert len(seen) == tiles * every
    assert max(load) / (sum(load) / units) < 1.05


def test_rows_of_o_stand_where_rows_of_q_stood():
    """d in three pieces: there is no room for both; a block makes two blocks of rows."""
    check(call(HopperAttention(m=64, n=32)), Case(1, 1, 1, 100, 60, 136))


def test_arguments_that_do_not_fit():
    x = np.zeros((1, 8, 1, 256), BF16)
    with pytest.raises(ValueError, match="takes 327760 bytes of shared memory, and a block has 232448"):
        attention(x, x, x, x, form=HopperAttention(n=128, stages=2))
    lse = np.zeros((1, 1, 8), np.float32)
    out = np.full((1, 8, 1, 64), np.nan, BF16)
    none = np.zeros((1, 0, 1, 64), BF16)
    assert not attention(out * 0, none, none, out, lse=lse).any() and (lse == -np.inf).all()


SMALL = (HopperAttention(m=64, n=32), HopperAttention(m=128, n=64))


def solved(seed, form, wide=(64, 72, 128), **options):
    """Runs a drawn problem."""
    case = drawn(seed, wide)
    assert fits(case.p)
    with np.errstate(all="ignore"):
        launch(case.p, case.x, case.out, case.lse, form, 3, options)
        judged(case)


@pytest.mark.parametrize("seed", range(20))
def test_drawn_problems(seed):
    """Masks of all kinds, caps, sinks, packed sequences, lengths: on the reference, which finds races and what lies
    outside of arrays."""
    solved(seed, SMALL[seed % 2], backend="reference")


@pytest.mark.parametrize("seed", range(100, 104))
def test_drawn_problems_in_executed_ptx(seed, monkeypatch):
    """With checks of races and of memory that nothing wrote."""
    monkeypatch.setenv("AVE_CHECK", "all")
    with on(Engine(engines.PTX, "sm_90a")) as said:
        solved(seed, SMALL[0], (64,))
    assert "X0" not in said.getvalue()


@pytest.mark.parametrize("seed", range(200, 208))
def test_drawn_problems_of_the_forms_that_run(seed):
    solved(seed, None, (64, 128, 136, 200, 256), backend="cpu")


def biased(seed):
    """A drawn problem with a bias whose rows begin at multiples of 16 bytes, and NaN between them."""
    case = next(c for c in (drawn(1000 * seed + i) for i in range(99)) if not c.p.packed_q and not c.p.lengths)
    p, rng = case.p, np.random.default_rng(seed)
    have = [p.batch, p.heads, p.queries, -(-p.keys // 8) * 8 + 8 * (seed % 2)]
    for dim in (0, 1):
        have[dim] = 1 if rng.random() < 0.4 else have[dim]
    case.x.bias = normal(rng, have)
    case.x.bias[..., p.keys :] = np.nan
    case.x.bias = case.x.bias[..., : p.keys]
    case.p = dataclasses.replace(p, bias="bfloat16")
    assert staged_bias(case.p, case.x.bias) is not None
    return case


STAGED = HopperAttention(m=128, n=64, added=2)


@pytest.mark.parametrize("seed", range(8))
def test_a_bias_that_tma_brings(seed):
    case = biased(seed)
    with np.errstate(all="ignore"):
        launch(case.p, case.x, case.out, case.lse, STAGED, 3, {"backend": "reference" if seed % 2 else "cpu"})
    judged(case)


def test_a_bias_that_tma_brings_in_executed_ptx(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "all")
    case = biased(3)
    with on(Engine(engines.PTX, "sm_90a")) as said, np.errstate(all="ignore"):
        launch(case.p, case.x, case.out, case.lse, dataclasses.replace(STAGED, m=64), 3, {})
    judged(case)
    assert "X0" not in said.getvalue()


def test_which_biases_tma_brings():
    p = Problem(2, 4, 4, 16, 24, 64, 64, "bfloat16", 1.0, bias="bfloat16")
    for shape in ((2, 4, 16, 24), (1, 4, 16, 24), (1, 1, 16, 24)):
        found = staged_bias(p, np.zeros(shape, BF16))
        assert found.shape == (shape[0], 16, shape[1], 24)
    one = np.broadcast_to(np.zeros((1, 4, 16, 24), BF16), (2, 4, 16, 24))
    assert staged_bias(p, one).shape == (1, 16, 4, 24)
    turned = np.zeros((2, 4, 24, 16), BF16).swapaxes(2, 3)
    for other in (np.zeros((2, 4, 1, 24), BF16), np.zeros((2, 4, 16, 25), BF16)[..., 1:], turned):
        assert staged_bias(p, other) is None
    assert staged_bias(dataclasses.replace(p, bias="float32"), np.zeros((2, 4, 16, 24), np.float32)) is None


@pytest.mark.parametrize("what", ["plain", "causal", "window", "cap", "sinks", "bool", "add", "staged", "packed", "lengths"])
@pytest.mark.parametrize("d", [64, 128])
def test_nothing_is_spilled_and_products_overlap(d, what):
    """ptxas has no remark on products that it would not run beside other code."""
    need("ptxas")
    A = Features(d, d, 8, right=False)
    A = dataclasses.replace(A, **{
        "plain": {}, "causal": {"right": True}, "window": {"right": True, "left": True}, "sinks": {"sinks": True},
        "cap": {"edited": True, "cap": True}, "bool": {"bias": "bool"}, "lengths": {"lengths": True},
        **dict.fromkeys(("add", "staged"), {"bias": "add", "bias_vector": 8, "edited": True}), "packed": {"packed_q": True, "packed_k": True},
    }[what])  # fmt: skip
    biased = what in ("add", "staged")
    F = form_of(added(d, 2, what == "staged") if biased else None, al.bf16, d)
    there = {"lse": True, "memory": A.packed_q, "sinks": A.sinks, "cu_q": A.packed_q, "cu_k": A.packed_k,
             "lengths": A.lengths, "bias": what == "add", "bits": what == "bool", "lists": what == "bool",
             "tiles": what == "staged"}  # fmt: skip
    none = {name: None for name, given in there.items() if not given}
    found = build(F, A, True, al.bf16 if biased else None).report("sm_90a", (F.threads, 1, 1), **none)
    assert found.stored <= (32 if what == "add" else 0) and found.remarks == ()
