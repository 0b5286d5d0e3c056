"""Attention of f32 on NVIDIA, whose products are three of tf32: PTX executed, against float64."""

import inspect

import numpy as np
import pytest
from tests.ops.judge_attention import Words, judge, within, within_lse

from avelang import arch
from avelang.frontend.build import build as built
from avelang_kernels.attention import tile_attention_backward, tile_attention_forward
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.table import BACKWARD, FORWARD, entry_for
from avelang_kernels.attention.tile_attention import AttentionBlock
from sim.ptx.executed import Executed

SMALL = AttentionBlock(16, 16, 1, False)


class Ptx:
    """A kernel whose launches execute PTX: `kernel[grid, threads](*args, target=)`."""

    tf32 = 0

    def __init__(self, kernel):
        self.kernel = kernel

    def __getitem__(self, at):
        grid, threads = at

        def run(*args, target, **_):
            names = list(inspect.signature(self.kernel.source.fn).parameters)
            absent = {n: None for n, a in zip(names, args, strict=True) if a is None}
            code = Executed(built(self.kernel.source, absent, arch.chip(target)), (threads, 1, 1), target)
            Ptx.tf32 += code.text.count("m16n8k8.row.col.f32.tf32.tf32.f32")
            code.run([a for a in args if a is not None], (grid, 1, 1))

        return run


@pytest.fixture
def executed(monkeypatch):
    """Launches of the kernels by tiles execute PTX."""
    for module, names in ((tile_attention_forward, ["build"]), (tile_attention_backward, ["build_rows", "build_columns"])):
        for name in names:
            monkeypatch.setattr(module, name, lambda *a, of=getattr(module, name): Ptx(of(*a)))


@pytest.mark.parametrize(("chip", "words"), [("sm_80", Words(0.2, "bottom_right")), ("sm_90a", Words(0.3, None, (7, 2), 4.0))])
def test_ptx(executed, chip, words):
    rng, heads, queries, keys, d = np.random.default_rng(7), 2, 19, 37, 24
    q, k, v, g = (rng.standard_normal((1, h, n, d), dtype=np.float32)
                  for h, n in ((heads, queries), (1, keys), (1, keys), (heads, queries)))  # fmt: skip
    left, right = words.window or (None, 0)
    p = Problem(1, heads, 1, queries, keys, d, d, "float32", words.scale, left, right, True, words.softcap)
    out, dq, dk, dv = (np.full_like(x, np.nan) for x in (q, q, k, v))
    lse, x = np.full((1, heads, queries), np.nan, np.float32), Operands(q, k, v)
    before = Ptx.tf32
    tile_attention_forward.launch(p, x, out, lse, target=chip, T=SMALL, splits=1)
    tile_attention_backward.launch(p, x, out, lse, g, None, dq, dk, dv, target=chip, T=SMALL)
    assert Ptx.tf32 - before > 100
    want = judge(words, q[0], k[0], v[0], "float32", grad=g[0])
    within(out[0], want.out, want.out_bound, "out")
    within_lse(lse[0], want)
    for what, found, y, bound in zip(("dq", "dk", "dv"), (dq, dk, dv), want.grads, want.grad_bounds, strict=False):
        within(found[0], y, bound, what)
        assert np.abs(found[0] - y).max() < 2e-5 * np.abs(y).max()  # one product of tf32 is off by some 5e-4
    assert np.abs(out[0] - want.out).max() < 2e-5 * np.abs(want.out).max()


@pytest.mark.parametrize("chip", ["sm_80", "sm_86", "sm_90a", "sm_100a", "gfx942"])
@pytest.mark.parametrize("d", [8, 64, 128, 256])
def test_blocks_have_room(chip, d):
    """K and V twice, and what a block keeps, in its shared memory."""
    p = Problem(1, 1, 1, 64, 64, d, d, "float32", 1.0)
    assert entry_for(FORWARD, p, chip).name == "tile_attention_forward"
    assert entry_for(BACKWARD, p, chip).name == "tile_attention_backward"
    if chip.startswith("gfx"):
        return
    most = arch.chip(chip).lds_bytes
    wide = -(-d // 32) * 32
    T = tile_attention_forward.block_for(chip, "float32", d, d, 4096, False)
    assert (4 * T.n + T.m) * wide * 4 <= most
    T = tile_attention_backward.block_for(chip, "float32", d, d)
    assert (4 * T.n + 2 * T.m) * wide * 4 <= most


def test_there_is_none_on_turing():
    p = Problem(1, 1, 1, 64, 64, 64, 64, "float32", 1.0)
    with pytest.raises(ValueError, match="float32 on sm_75: .*float16 on sm_75"):
        entry_for(FORWARD, p, "sm_75")
