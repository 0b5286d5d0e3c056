"""Mistakes of those who port kernels of Triton and torch: words and habits that are no part of the language, each named
by its code, at the line where it stands, with the word that is."""

from __future__ import annotations

import pytest
from tests.errors.test_mistakes import judged
from tests.errors.test_mistakes_more import TILE_HEAD, A, tiles

STRUCT = "@avelang.struct\nclass S:\n    n: ...\n"
ROWS = "\n@avelang.jit\ndef kernel(x: {}):  # <-\n    pass\nkernel[1, 1](x)\n"
INNER = "\n@avelang.jit\ndef inner(x: al.Pointer[al.f32]):\n    pass\n"
# Text, code, words of the message or of the hint.
CASES = [
    (STRUCT + "@avelang.struct\nclass B(S):  # <-\n    m: ...\n", "S004", "inherits from S"),
    (STRUCT + "class B(S):  # <-\n    pass\n", "S004", "hold the other one in a field"),
    (ROWS.format("al.Pointer"), "T007", "al.Pointer[al.f32]"),
    (ROWS.format("al.Tensor"), "T007", "al.Tensor[(al.dynamic, al.dynamic), al.f32]"),
    (ROWS.format("al.Tensor[al.f32, 2]"), "T032", "the shape stands first"),
    (ROWS.format("al.Tensor[(None, 4), al.f32]"), "T030", "al.dynamic"),
    ("\n@avelang.jit\ndef kernel(N: al.constexpr):\n    pass\nkernel[1, 1](x)  # <-\n", "L020", "with shape (64, 64)"),
    (tiles(A + "b = max(a)  # <-"), "T022", "tile.max(t)"),
    (tiles(A + "b = min(a)  # <-"), "T022", "tile.min(t)"),
    (tiles(A + "b = sum(a)  # <-"), "T022", "tile.sum(t)"),
    (tiles(A + "b = len(a)  # <-"), "T095", "t.shape[0]"),
    (tiles(A + "a[:32] += 1.0  # <-"), "T095", "tile.where"),
    (tiles(A + "a[:32] = 1.0  # <-"), "T095", "tile.where"),
    (tiles(A + "b = a.transpose(0, 1)  # <-"), "T009", "t.permute(order)"),
    (tiles(A + "b = a.float()  # <-"), "T009", "t.to(al.f32)"),
    (tiles(A + "b = a.unsqueeze(0)  # <-"), "T009", "t[:, None]"),
    (tiles(A + "b = a.item()  # <-"), "T009", "tile.load_scalar"),
    (tiles("a = x + 1  # <-"), "T023", "no arithmetic on pointers"),
    (tiles("a = x[0, 0]  # <-"), "T042", "al.make_layout"),
    (tiles("a = x.shape  # <-"), "T009", "al.Tensor"),
    (tiles("for i, v in enumerate(n):  # <-\n    pass"), "T050", "al.range"),
    (tiles("for i, v in zip((1, 2), n):  # <-\n    pass"), "T050", "al.range"),
    (tiles(A + "for i, v in enumerate(a):  # <-\n    pass"), "T050", "DistributedTile"),
    (tiles("v = type(n)  # <-"), "T063", "isinstance"),
    (tiles("v = getattr(x, 'dtype')  # <-"), "T063", "x.name"),
    (INNER + tiles("inner[1, 64](x)  # <-"), "T029", "without brackets"),
    (tiles(A + "b = tile.reduce(a, 'max')  # <-"), "T301", "tile.max(t, axis)"),
    (tiles(A + "b = tile.gather(a, a, 0)  # <-"), "T0", "tile.load(memory, index)"),
    (tiles(A + "b = tile.histogram(a, 8)  # <-"), "T009", "tile.atomic_add"),
    (tiles(A + "b = tile.flip(a)  # <-"), "T009", "t[::-1]"),
    (tiles(A + "b = tile.ravel(a)  # <-"), "T009", "t.reshape(-1)"),
    (tiles(A + "b = tile.xor_sum(a)  # <-"), "T009", "a ^ b"),
    (tiles(A + "b = tile.atomic_cas(x, 0, 0, 1)  # <-"), "T009", "al.atomic_cas"),
    (tiles(A + "b = tile.fdiv(a, a)  # <-"), "T009", "a / b"),
    (tiles(A + "b = tile.relu(a)  # <-"), "T009", "tile.maximum(t, 0.0)"),
    (tiles(A + "b = tile.var(a)  # <-"), "T009", "keepdims"),
    (tiles(A + "b = tile.cummax(a)  # <-"), "T009", "tile.scan"),
    (tiles(A + "b = tile.prod(a)  # <-"), "T009", "a * b"),
    (tiles(A + "b = tile.concat((a, a))  # <-"), "T009", "tile.store"),
    (tiles(A + "b = tile.eye(8)  # <-"), "T009", "tile.where"),
]  # fmt: skip
LINES = [next(x.split("# <-")[0].strip() for x in text.split("\n") if "# <-" in x) for text, *_ in CASES]


@pytest.mark.parametrize(("text", "code", "words"), CASES, ids=LINES)
def test_mistake(text, code, words):
    assert judged(text, code, words, TILE_HEAD) == ""


def test_a_word_of_theirs_that_is_a_module_of_ours():
    """`tile.gather` is a module as soon as somebody has imported it."""
    text = "import avelang.tile.gather\n" + tiles(A + "b = tile.gather(a, a, 0)  # <-")
    assert judged(text, "T063", "tile.load(memory, index)", TILE_HEAD) == ""
