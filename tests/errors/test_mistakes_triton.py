"""Mistakes of somebody who writes the first kernels out of a memory of Triton: parameters and words of its functions, and
its launches. Each is named by its code, at the line where it stands, with what to write."""

from __future__ import annotations

import numpy as np
import pytest
from tests.errors.test_mistakes import judged
from tests.errors.test_mistakes_more import TILE_HEAD, A, M, tiles

import avelang
import avelang.language as al
from avelang import tile

LAUNCHED = "\n@avelang.jit\ndef kernel(x: al.Pointer[al.f32], n: al.i32, B: al.constexpr):\n    tile.store(x, tile.arange(B), 0.0)\n"
# Text, code, words of the message or of the hint.
CASES = [
    (tiles(A + "b = tile.sum(a, keep_dims=True)  # <-"), "T060", "`keep_dims` is `keepdims` here"),
    (tiles(A + "b = tile.max(a, return_indices=True)  # <-"), "T060", "tile.argmax(t, axis)"),
    (tiles("a = tile.load(x, tile.arange(64), 0.0)  # <-"), "T301", "tile.load(x, i, mask, other)"),
    (tiles("a = tile.load(x, tile.arange(64), 0)  # <-"), "T301", "a condition, such as i < n"),
    (tiles(A + "b = tile.load(x, tile.arange(64), a)  # <-"), "T301", "not of f32"),
    (tiles(A + "tile.store(y, tile.arange(64), a, a)  # <-"), "T301", "a condition, such as i < n"),
    (tiles("a = tile.arange(0, 64, 2)  # <-"), "T003", "tile.arange(32) * 2"),
    (tiles("a = tile.load(x, tile.arange(64), eviction_policy='evict_last')  # <-"), "T060", "leave it out"),
    (tiles("a = tile.load(x, tile.arange(64), cache_modifier='.cg')  # <-"), "T060", "leave it out"),
    (tiles("a = tile.load(x, tile.arange(64), volatile=True)  # <-"), "T060", "an atomic operation"),
    (tiles("a = tile.load(x, tile.arange(64), boundary_check=(0,))  # <-"), "T060", "the mask says"),
    (tiles("a = tile.load(x, tile.arange(64), padding_option='nan')  # <-"), "T060", "`other` is the number"),
    (tiles(M + "b = tile.dot(a, a, allow_tf32=True)  # <-"), "T060", 'precision="tf32"'),
    (tiles(M + "b = tile.dot(a, a, input_precision='tf32')  # <-"), "T060", "is `precision` here"),
    (tiles(M + "b = tile.dot(a, a, out_dtype=al.f16)  # <-"), "T060", ".to(al.f16)"),
    (tiles(M + "b = a.t()  # <-"), "T009", "t.T"),
    (tiles(M + "b = tile.reshape(a, (8, 32))  # <-"), "T009", "t.reshape(shape)"),
    (tiles(M + "b = tile.permute(a, (1, 0))  # <-"), "T009", "t.permute(order)"),
    (tiles(A + "b = tile.inline_asm_elementwise('x', '=r', [a], al.f32, True, 1)  # <-"), "T009", "an intrinsic by name"),
    (tiles(A + "al.printf('%f', a)  # <-"), "T082", "a thread prints one number"),
    (tiles("for i in tile.range(0, n):  # <-\n    pass"), "T009", "al.range(...)"),
    (tiles(A + "b = a.numel  # <-"), "T009", "shape has the extents"),
    (tiles(A + "b = a.cast(al.f16)  # <-"), "T009", "t.to(dtype)"),
    (tiles(A + "b = tile.clip(a, 0.0, 1.0)  # <-"), "T009", "tile.clamp(t, low, high)"),
    (tiles(A + "b = tile.pow(a, 2.0)  # <-"), "T009", "t ** n"),
    (tiles(A + "b = tile.tan(a)  # <-"), "T009", "tile.cos(t)"),
    (tiles(A + "b = tile.math.exp(a)  # <-"), "T009", "tile.exp(t)"),
    (tiles(A + "b = tile.gelu(a)  # <-"), "T009", "tile.erf"),
    (tiles(A + "b = tile.silu(a)  # <-"), "T009", "t * tile.sigmoid(t)"),
    (tiles(A + "b = tile.softplus(a)  # <-"), "T009", "tile.log1p(tile.exp(t))"),
    (tiles(A + "b = tile.logsumexp(a)  # <-"), "T009", "tile.log(tile.sum"),
    (tiles(A + "b = tile.topk(a, 4, largest=False)  # <-"), "T060", "tile.topk(-t, k)"),
    (tiles(A + "b = tile.sort(a, dim=0)  # <-"), "T060", "`dim` is `axis` here"),
    (tiles(A + "b = tile.sort(a, reverse=True)  # <-"), "T060", "`reverse` is `descending` here"),
    (tiles(A + "b = tile.argmax(a, dim=0)  # <-"), "T060", "`dim` is `axis` here"),
    (tiles(A + "b = tile.cumsum(a, dim=0)  # <-"), "T060", "`dim` is `axis` here"),
    (tiles(A + "tile.atomic_add(x, tile.arange(64), a, sem='relaxed')  # <-"), "T060", "`sem` is `order` here"),
    (tiles(A + "b = tile.make_tensor_descriptor(x, (64,), (1,), (64,))  # <-"), "T009", ".window(lengths, origin"),
    (tiles("i = al.block_id(axis=0)  # <-"), "T060", "`axis` is `dim` here"),
    (LAUNCHED + "kernel[1](x, 64, 64)  # <-\n", "L002", "kernel[grid, threads]"),
    (LAUNCHED + "kernel[(1,)](x, 64, B=64)  # <-\n", "L002", "kernel[(8, 2), 128]"),
    (LAUNCHED + "kernel[lambda meta: (1,), 64](x, 64, 64)  # <-\n", "L002", "no int"),
    (LAUNCHED + "kernel.run(x, 64, 64)  # <-\n", "T009", "kernel[grid, threads](...)"),
    (LAUNCHED + "kernel.warmup(x, 64, 64)  # <-\n", "T009", "ave build"),
    (LAUNCHED + "kernel.best_config  # <-\n", "T009", "avelang.tune"),
    ("\n@avelang.jit\ndef kernel(x: al.Pointer[al.f32], B: tl.constexpr):  # <-\n    pass\nkernel[1, 64](x, 1)\n", "T005",
     "use al.constexpr"),
    ("\n@avelang.jit\ndef kernel(x: al.Pointer[al.f32], n: tl.int32):  # <-\n    pass\nkernel[1, 64](x, 1)\n", "T005", "al.i32"),
    ("avelang.autotune(configs=[], key=['n'])  # <-\n", "T009", "avelang.tune"),
    ("avelang.heuristics({})  # <-\n", "T009", "the caller computes"),
    ("avelang.cdiv(3, 2)  # <-\n", "T009", "it has others"),
]  # fmt: skip
LINES = [next(x.split("# <-")[0].strip() for x in text.split("\n") if "# <-" in x) for text, *_ in CASES]


@pytest.mark.parametrize(("text", "code", "words"), CASES, ids=LINES)
def test_mistake(text, code, words):
    assert judged(text, code, words, TILE_HEAD) == ""


@avelang.jit
def padded(x: al.Pointer[al.f32], y: al.Pointer[al.f32], n: al.i32):
    i = tile.arange(64)
    tile.store(y, i, tile.load(x, i, mask=i < n, other=None) + tile.load(x, i, i & 1, 7.0))


def test_what_is_outside_is_zero_and_numbers_may_be_masks():
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    padded[1, 64](x, y, 40)
    i = np.arange(64)
    assert np.array_equal(y, np.where(i < 40, x, 0) + np.where(i & 1, x, 7))


def test_attributes_that_a_kernel_does_not_have():
    assert not hasattr(padded, "run") and not hasattr(padded, "anything") and getattr(avelang, "nothing", 3) == 3
