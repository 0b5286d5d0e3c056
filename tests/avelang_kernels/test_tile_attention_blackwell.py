"""Attention by TMA and tcgen05: by the reference, and as PTX for sm_100a by the executor, against float64."""

import copy
import functools

import numpy as np
import pytest
from tests.avelang_kernels.attended import BF16, F16, Case, check
from tests.ops.judge_attention import Words, judge, within, within_lse

import avelang.language as al
from avelang import arch, ops
from avelang.base.errors import AveError
from avelang.frontend.build import build as built
from avelang.sim.ptx import Program
from avelang_kernels.attention import tile_attention
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.table import FORWARD, entry_for
from avelang_kernels.attention.tile_attention_blackwell import CHIP, Form, build, fits, form_of, launch, planned
from avelang_kernels.attention.tile_attention_views import Features, sight_of
from sim.ptx.executed import Executed
from tools import need


def problem(words: Words, q: np.ndarray, k: np.ndarray, v: np.ndarray, **more) -> Problem:
    """Of arrays (batch, heads, length, d)."""
    left, right = words.window or (None, None)
    bottom = words.causal == "bottom_right" or (words.window is not None and words.causal is None)
    sizes = q.shape[0], q.shape[1], k.shape[1], q.shape[2], k.shape[2], q.shape[3], v.shape[3]
    return Problem(*sizes, q.dtype.name, words.scale, left, 0 if words.causal else right, bottom, words.softcap, **more)


def inputs(rng, batch, kv_heads, group, queries, keys, d, dv, dtype):
    """As they lie (batch, length, heads, d), seen as (batch, heads, length, d)."""
    sizes = (queries, kv_heads * group, d), (keys, kv_heads, d), (keys, kv_heads, dv)
    return [rng.standard_normal((batch, *s), dtype=np.float32).astype(dtype).swapaxes(1, 2) for s in sizes]


def judged(words, q, k, v, out, lse, sinks=None):
    for b in range(q.shape[0]):
        want = judge(words, q[b], k[b], v[b], q.dtype.name, sinks=sinks)
        within(out[b], want.out, want.out_bound, "out")
        within_lse(lse[b], want)


def outputs(q, v):
    shape = q.shape[0], q.shape[2], q.shape[1], v.shape[3]
    return np.full(shape, 7, q.dtype).swapaxes(1, 2), np.full(q.shape[:3], 7, np.float32)


@pytest.mark.parametrize("seed", range(4))
def test_drawn(seed):
    """By the reference: grouped heads, both alignments, windows, caps, sinks, any lengths; a block makes several blocks of
    rows, of one tile or two."""
    rng = np.random.default_rng(seed)
    T = Form(*((128, 32, 2), (256, 64, 1), (128, 64, 3), (256, 32, 2))[seed])
    group, kv_heads, batch = (int(rng.integers(1, 3)) for _ in range(3))
    queries, keys = (int(rng.integers(1, most)) for most in (T.m + 60, 3 * T.n))
    d, dv = (int(rng.integers(1, 9)) * 8 for _ in range(2))
    causal = (None, "top_left", "bottom_right", None)[seed]
    window = (None, None, (int(rng.integers(0, 40)), None), (int(rng.integers(0, 40)), int(rng.integers(0, 40))))[seed]
    words = Words(float(rng.uniform(0.1, 0.4)), causal, window, 0.0 if seed else 4.0)
    q, k, v = inputs(rng, batch, kv_heads, group, queries, keys, d, dv, (BF16, F16)[seed % 2])
    out, lse = outputs(q, v)
    sinks = rng.standard_normal(kv_heads * group).astype(np.float32) if seed % 2 else None
    p = problem(words, q, k, v, sinks=sinks is not None)
    launch(p, Operands(q, k, v, sinks=sinks), out, lse, units=2, T=T)
    judged(words, q, k, v, out, lse, sinks)


def executed(T, queries, keys, d, words, edited=None, order=""):
    """Runs the PTX for sm_100a, or what `edited` makes of it, with all checks: a block of one head's group makes all
    blocks of rows."""
    q, k, v = inputs(np.random.default_rng(d), 1, 1, 2, queries, keys, d, 64, BF16)
    (out, lse), p = outputs(q, v), problem(words, q, k, v)
    kernel, grid, threads, near = planned(p, T, 1, True)
    code = compiled(kernel, p.right is not None, threads)
    if edited is not None:
        code = copy.copy(code)
        code.machine = Program(edited(code.text), code.program.entry)
    arrays = [x.swapaxes(1, 2) for x in (q, k, v, out)]
    by = p.scale * tile_attention.LOG2E
    numbers = 1, 2, 1, queries, keys, near, *sight_of(p), by, 1.0
    code.run([*arrays, lse, *numbers], (grid, 1, 1), check=("all",), order=order, seed=d)
    judged(words, q, k, v, out, lse)


@functools.cache
def compiled(kernel, causal, threads):
    return Executed(built(kernel.source, {"CAUSAL": causal, "sinks": None}, arch.chip(CHIP)), (threads, 1, 1), CHIP)


@pytest.mark.parametrize(("T", "queries", "keys", "d", "words", "order"), [
    (Form(128, 32, 2), 70, 100, 64, Words(0.2, None, (20, 5)), ""),
    (Form(256, 64, 1), 140, 90, 72, Words(0.2, "bottom_right"), "random"),
])  # fmt: skip
def test_as_ptx(T, queries, keys, d, words, order):
    """Executed with what races, waits and fences are checked."""
    executed(T, queries, keys, d, words, order=order)


@pytest.mark.parametrize("what", ["tcgen05.wait::st", "tcgen05.wait::ld", "tcgen05.fence::before_thread_sync",
    "tcgen05.fence::after_thread_sync", "fence.proxy.async.shared"])  # fmt: skip
def test_what_is_missing_is_found(what):
    """The same PTX without one kind of wait or fence."""

    def edited(text):
        lines = text.splitlines()
        left = [x for x in lines if not x.strip().startswith(what)]
        assert len(left) < len(lines)
        return "\n".join(left)

    with pytest.raises(AveError, match="X033"):
        executed(Form(128, 32, 2), 70, 100, 64, Words(0.2, None, (20, 5)), edited)


@pytest.mark.parametrize("layout", ["bshd", "bhsd"])
def test_the_entry_point_of_all_chips(layout):
    call = functools.partial(tile_attention.attention, target=CHIP, T=Form(128, 32), layout=layout, causal=True)
    out = check(call, Case(1, 2, 1, 90, 50, 40, True, layout))
    rows = out if layout == "bshd" else out.swapaxes(1, 2)
    assert not rows[:, :40].any()  # they see nothing


def test_ops_attention_takes_it():
    q, k, v = inputs(np.random.default_rng(5), 1, 1, 2, 40, 70, 32, 32, BF16)
    out, lse = ops.attention(q, k, v, enable_gqa=True, causal="top_left", return_lse=True, target=CHIP)
    judged(Words(32**-0.5, "top_left"), q, k, v, out, lse)


@pytest.mark.parametrize(("more", "name"), [
    ({}, "tile_attention_blackwell"), ({"softcap": 2.0, "left": 5}, "tile_attention_blackwell"),
    ({"queries": 16}, "tile_attention_forward"), ({"sinks": True}, "tile_attention_blackwell"),
    ({"lengths": True}, "tile_attention_forward"), ({"dropout": 0.5}, "tile_attention_forward"),
    ({"d": 100}, "tile_attention_forward"), ({"bias": "bool"}, "tile_attention_forward"),
])  # fmt: skip
def test_which_kernel_runs(more, name):
    of = {"batch": 2, "heads": 8, "kv_heads": 4, "queries": 300, "keys": 400, "d": 128, "dv": 128, "dtype": "float16",
        "scale": 0.1}  # fmt: skip
    p = Problem(**{**of, **more})
    assert entry_for(FORWARD, p, CHIP).name == name and fits(p) == (name == "tile_attention_blackwell")
    assert entry_for(FORWARD, p, "sm_80").name == "tile_attention_forward"


@pytest.mark.parametrize("d", range(64, 257, 64))
@pytest.mark.parametrize("dv", range(64, 257, 64))
def test_there_is_a_form_for_each_width(d, dv):
    F = form_of(None, al.f16, d - 7, dv)
    assert not F.fault() and (F.d, F.dv) == (d, dv) and F.allocated <= 512
    assert F.m == 256 or dv > 128 or d > 192


@pytest.mark.parametrize(("d", "dv"), [(64, 64), (128, 128), (192, 128)])
def test_nothing_is_spilled(d, dv):
    need("ptxas")
    F = form_of(None, al.bf16, d, dv)
    found = build(F, Features(d, dv, 8, left=d == 128)).report(CHIP, (F.threads, 1, 1), CAUSAL=True, sinks=None)
    assert found.stored == found.loaded == 0 and found.remarks == ()


def test_what_is_refused():
    x = np.zeros((1, 8, 1, 256), BF16)
    for T, said in ((Form(64), "m is 64; it may be 128 or 256"), (Form(128, 48), "n is 48; it may be 32, 64 or 128"),
            (Form(256, 32), "columns of tensor memory, and there are 512"),
            (Form(128, 128, 3), "bytes of shared memory, and a block has 232448")):  # fmt: skip
        with pytest.raises((AveError, ValueError), match=said):
            tile_attention.attention(x, x, x, x, CHIP, T=T)
    with pytest.raises(ValueError, match="a form for sm_100a, and the chip is sm_90a"):
        tile_attention.attention(x, x, x, x, "sm_90a", T=Form())
