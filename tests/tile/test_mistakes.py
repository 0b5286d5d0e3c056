"""Mistakes in kernels of the tile level: each is an error with a code, at the user's line, before anything is lost. And
launches with other threads."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.tile.order import Job

BLOCK = tile.Block(64, 64, 64)
TMA = tile.Block(64, 64, 64, pipeline="tma")
BF16: Any = al.bf16
F32: Any = al.f32
HERE, WIDER = (tile.Distribution.blocked((64, n), BF16, waves=4) for n in (16, 32))
P: Any = al.Pointer(al.bf16)
F: Any = al.Pointer(al.f32)
U: Any = al.u32


@avelang.struct
class Tuples:
    """A walk whose jobs are none."""

    n: ...

    def count(self):
        return al.convert(1, al.u32)

    def job(self, index, below, beside):
        return (0, self.n), (0, self.n), (0, self.n), (0, 0)


@avelang.struct
class Countless:
    """A walk that does not say how many tiles there are."""

    n: ...

    def job(self, index, below, beside):
        return Job((0, self.n), (0, self.n), (0, self.n), (0, 0))


@avelang.jit
def wrong(a: P, b: P, c: F, n: U, CASE: al.constexpr):
    A, B, C = tile.view(a, (n, n), 8), tile.view(b, (n, n), 8), tile.view(c, (n, n), 4)
    t = tile.full(HERE, 0.0, al.f32)
    if CASE == 0:
        tile.multiply((64, 64), A, B, (n, n, n), None)
    elif CASE == 1:
        tile.multiply(BLOCK, A.data, B, (n, n, n), None)
    elif CASE == 2:
        tile.multiply(BLOCK, A.unmerge(0, (4, 16)), B, (n, n, n), None)
    elif CASE == 3:
        tile.multiply(BLOCK, A, C, (n, n, n), None)
    elif CASE == 4:
        tile.multiply(BLOCK, A, B, (n, n), None)
    elif CASE == 5:
        tile.multiply(BLOCK, A, B, Tuples(n), None)
    elif CASE == 6:
        tile.multiply(BLOCK, A, B, Countless(n), None)
    elif CASE == 7:
        tile.multiply(BLOCK, A, B, (n, n, n), lambda sums: sums)
    elif CASE == 8:
        A.window((64, 16), (0,), HERE)
    elif CASE == 9:
        A.window((64,), (0, 0), HERE)
    elif CASE == 10:
        A.window((32, 16), (0, 0), HERE)
    elif CASE == 11:
        A.window((64, 16), (0, 0)).load()
    elif CASE == 12:
        A.window((64, 16), (0, 0), HERE).move(16)
    elif CASE == 13:
        C.store(t, (0, 0, 0))
    elif CASE == 14:
        C.window((64, 32), (0, 0)).store(t)
    elif CASE == 15:
        A.window((64, 16), (0, 0), HERE).load_into(tile.full(WIDER, 0.0, al.bf16))
    elif CASE == 16:
        A.pad(2, 1, 1)
    elif CASE == 17:
        A.merge(1, 2)
    elif CASE == 18:
        A.embed(0, (n, 3), (1,))
    elif CASE == 19:
        tile.view(a, (n, n), 0)
    elif CASE == 20:
        tile.view(a, n)
    elif CASE == 21:
        tile.view(a, (64, 64)).unmerge(1, (3, 16))
    elif CASE == 22:
        t.along(lambda x, y: x - y, t, 1)


WORDS = [
    ("T301", "must be a tile.Block, not (64, 64)"),
    ("T301", "A must be a view"),
    ("T301", "A must be a view of two dimensions"),
    ("T301", "B must be of bf16, which the product takes, not f32"),
    ("T301", "(m, n, k), or a walk, not 2"),
    ("T301", "must be an avelang.tile.order.WorkTile"),
    ("T009", "Countless has no attribute 'count'"),
    ("T003", "takes 1 argument (sums), 2 given"),
    ("T301", "the origin of a window must be a tuple of 2"),
    ("T301", "the extents of a window must be a tuple of 2"),
    ("T304", "its distribution is one of (64, 16)"),
    ("T301", "one with a distribution"),
    ("T301", "must be a tuple of 2, one for each dimension, not a single number"),
    ("T301", "the origin of a store must be a tuple of 2"),
    ("T304", "its extents are (64, 32)"),
    ("T301", "one of (64, 32)"),
    ("T301", "axis must be a dimension of the view, 0 to 1, not 2"),
    ("T301", "axis must be a dimension of the view, 0 to 0, not 1"),
    ("T301", "the strides of `embed` must be a tuple of 2"),
    ("T301", "the vector of a view must be an integer from 1"),
    ("T301", "the shape of a view must be a tuple"),
    ("T301", "the dimension's extent, 64, not 48"),
    ("T301", "of (64,), not one of (64, 16)"),
]  # codes and words of the messages, by case


@pytest.mark.parametrize("case", range(len(WORDS)), ids=[f"{i}-{code}" for i, (code, _) in enumerate(WORDS)])
def test_mistakes_in_kernels(case):
    (code, words), a, c = WORDS[case], np.ones((64, 64), ml_dtypes.bfloat16), np.full((64, 64), 7, np.float32)
    with pytest.raises(AveError) as e:
        wrong[1, 256](a, a, c, 64, case, target="gfx942")
    assert e.value.code == code and words in e.value.message and (c == 7).all()
    shown = str(e.value).splitlines()
    assert shown[1].startswith(f"  --> {__file__}:"), "the first place is the user's"


def test_the_memory_that_a_pipeline_takes():
    """Pointers where the copy engine wants tensor maps, and the other way round."""
    x = np.ones((64, 64), ml_dtypes.bfloat16)
    maps = TMA.operands(BF16, F32)

    def build(T, one, two):
        @avelang.jit
        def mixed(a: one, b: two, n: U):
            tile.multiply(T, tile.view(a, (n, n), 8), tile.view(b, (n, n), 8), (n, n, n), None)

        return mixed

    for T, one, two, words in (
        (TMA, P, P, "the memory of A"), (TMA, maps[0], P, "the memory of B"),
        (tile.Block(64, 64, 32, pipeline="cp-async"), *maps[:2], "a pointer or a tensor, not a tensor map")
    ):
        with pytest.raises(AveError, match="T301") as e:
            build(T, one, two)[1, T.on("sm_90a", BF16).threads](x, x, 64, target="sm_90a", backend="reference")
        assert words in e.value.message


@pytest.mark.parametrize("how", ["cut", "transformed"])
def test_views_of_tensor_maps_are_as_the_map_is(how):
    """The copy engine would not know of what is put over it: of K up to 32 only, or shifted."""
    x, maps = np.ones((64, 64), ml_dtypes.bfloat16), TMA.operands(BF16, F32)

    @avelang.jit
    def other(a: maps[0], b: maps[1], n: U, HOW: al.constexpr):
        A, B = tile.view(a, (n, n), 8), tile.view(b, (n, n), 8)
        A = A.cut((n, 32)) if HOW == "cut" else A.pad(1, 8, 0)
        tile.multiply(TMA, A, B, (n, n, n), None)

    with pytest.raises(AveError, match="T312") as e:
        other[1, TMA.on("sm_90a", BF16).threads](x, x, 64, how, target="sm_90a", backend="reference")
    assert how in e.value.message and str(e.value).splitlines()[1].startswith(f"  --> {__file__}:")


SHUFFLED = tile.Block(32, 32, 64, pipeline="preshuffled")
LIES = {
    "as it is": "", "known rows": "T313: begin 72 elements apart", "turned": "T313: neighbors along K are 64",
    "padded": "T313: a transformed view", "part of K": "L050: to follow one another, got 64",
    "rows": "L050: to follow one another, got 72", "stride": "L050: to follow one another, got 2"
}


@pytest.mark.parametrize("how", LIES)
def test_how_preshuffled_matrices_lie(how):
    """Strides, transforms and a smaller K would be ignored: the order of `preshuffle` is that of whole rows."""
    a = np.random.default_rng(0).integers(-3, 4, (2, 64, 64)).astype(ml_dtypes.bfloat16)
    given, c, T = SHUFFLED.on("gfx942", BF16).preshuffle(a[1]), np.full((64, 64), 7, np.float32), SHUFFLED

    @avelang.jit
    def other(a: P, b: P, c: F, n: U, row: U, one: U, HOW: al.constexpr):
        if HOW == "known rows" or HOW == "turned":
            B = tile.view(b, (64, 64), 1, (72, 1) if HOW == "known rows" else (1, 64))
        elif HOW == "rows" or HOW == "stride":
            B = tile.view(b, (n, n), 1, (row, 1) if HOW == "rows" else (n, one))
        else:
            B = tile.view(b, (n, n))
        if HOW == "padded":
            B = B.pad(0, 0, 1)
        k = n // 2 if HOW == "part of K" else n
        if HOW == "part of K":
            B = B.cut((n, k))
        C = tile.view(c, (n, n), 4)

        def finish(sums, at):
            C.store(sums, at)

        tile.multiply(T, tile.view(a, (n, n), 8), B, (n, n, k), finish)

    def launch():
        row, one = (72 if how == "rows" else 64), (2 if how == "stride" else 1)
        other[T.grid(64, 64, 4), T.on("gfx942", BF16).threads](a[0], given, c, 64, row, one, how, target="gfx942",
                                                               backend="reference")

    if not LIES[how]:
        launch()
        assert np.array_equal(c, a[0].astype(np.float32) @ a[1].astype(np.float32).T)
        return
    code, words = LIES[how].split(": ")
    with pytest.raises(AveError, match=code) as e:
        launch()
    assert words in e.value.message and (c == 7).all()


@avelang.jit
def merged(a: P, m: U, n: U, HOW: al.constexpr):
    A = (
        tile.view(a, (m, n, 8), 1)
        if HOW == "three"
        else tile.view(a, (1 << 16, 1 << 16), 1)
        if HOW == "known"
        else tile.view(a, (m, n), 1)
    )
    A.merge(0, 3 if HOW == "three" else 2)


@pytest.mark.parametrize(
    ("m", "n", "how", "code"),
    [
        (1 << 16, (1 << 16) - 1, "two", None), (1 << 16, 1 << 16, "two", "L050"), (1 << 15, 1 << 15, "three", "L050"),
        (1 << 31, 1 << 31, "three", "L050"), (1 << 15, 1 << 10, "three", None), (1, 1, "known", "T311")
    ],
)
def test_merged_dimensions_are_counted_by_32_bits(m, n, how, code):
    x = np.zeros(64, ml_dtypes.bfloat16)
    if code is None:
        merged[1, 64](x, m, n, how, target="gfx942", backend="reference")
        return
    with pytest.raises(AveError, match=code) as e:
        merged[1, 64](x, m, n, how, target="gfx942", backend="reference")
    assert "less than 2^32 places" in e.value.message


BLOCKS = [
    (dict(m=0), "m of a Block must be an integer from 1, not 0"), (dict(n=64.0), "n of a Block"),
    (dict(k="64"), "k of a Block"), (dict(together=0), "group_m of a Block"), (dict(stages=True), "stages of a Block"),
    (dict(stages=1, pipeline="cp-async"), "an integer from 2"), (dict(waves=4), "waves of a Block"),
    (dict(waves=(0, 2)), "two integers from 1"), (dict(cluster=(2,)), "cluster of a Block"),
    (dict(cluster=(2, 1)), "(1, 1) with the pipeline 'double-buffer'")
]


@pytest.mark.parametrize(("fields", "words"), BLOCKS, ids=[str(f) for f, _ in BLOCKS])
def test_numbers_of_a_block(fields, words):
    with pytest.raises(AveError, match="T301") as e:
        tile.Block(**{"m": 64, "n": 64, "k": 64, **fields})
    assert words in e.value.message and e.value.span is not None and e.value.span.file == __file__


def test_what_a_chip_has_instead():
    """What `on` raises stands at the line that asked, and says what there is."""
    for T, chip, code, words in (
        (TMA, "gfx942", "U103", "it has single, prefetch"),
        (tile.Block(72, 64, 64), "gfx942", "T307", "block GEMM: m = 72 is no multiple of 32"),
        (tile.Block(64, 64, 64, mma="MFMA_F32_16X16"), "gfx942", "T301", "such as MFMA_F32_16x16x"),
    ):
        with pytest.raises(AveError, match=code) as e:
            T.on(chip, BF16)
        assert words in str(e.value) and e.value.span is not None and e.value.span.file == __file__


@avelang.jit
def product(a: P, b: P, c: F, n: U):
    A, B, C = tile.view(a, (n, n), 8), tile.view(b, (n, n), 8), tile.view(c, (n, n), 4)

    def finish(sums, at):
        C.store(sums, at)

    tile.multiply(BLOCK, A, B, (n, n, n), finish)


@avelang.jit
def copied(a: P, b: P, c: F, n: U):
    dist = tile.Distribution.blocked((64, 64), BF16, waves=4)
    tile.view(c, (n, n), 4).store(tile.view(a, (n, n), 8).window((64, 64), (0, 0), dist).load(), (0, 0))


@avelang.jit
def of_the_launch(c: F, n: U, CASE: al.constexpr):
    if CASE == "arange":
        tile.arange(n)
    elif CASE == "zeros":
        tile.zeros((16, n), al.f32)
    else:
        tile.topk(tile.load(c, tile.arange(64)), n)


@pytest.mark.parametrize("case, words", [("arange", "the bounds of tile.arange"), ("zeros", "extents of a tile"), ("topk", "k of tile.topk")])
def test_extents_that_a_launch_gives(case, words):
    with pytest.raises(AveError, match="T301") as e:
        of_the_launch[1, 64](np.zeros(64, np.float32), 64, case)
    assert words in e.value.message and "known at compile time" in e.value.message


@pytest.mark.parametrize("backend", ["gfx942-exec", "reference", "cpu"])
def test_threads_of_a_launch(backend):
    """A product is for just its threads; a tile may have more of them beside it, which hold the same elements."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-3, 4, (64, 64)).astype(ml_dtypes.bfloat16) for _ in "ab")
    for kernel, threads in (
        (product, 128), (product, 512), (product, (64, 4)), (product, (256, 2)), (copied, 128), (copied, (64, 4))
    ):
        c = np.full((64, 64), 7, np.float32)
        with pytest.raises(AveError, match="L024") as e:
            kernel[1, threads](a, b, c, 64, target="gfx942", backend=backend)
        assert "is for blocks of 256 threads" in e.value.message and (c == 7).all()
    for kernel, threads, want in (
        (product, 256, a.astype(np.float32) @ b.astype(np.float32).T), (copied, 256, a), (copied, 512, a)
    ):
        c = np.full((64, 64), 7, np.float32)
        kernel[1, threads](a, b, c, 64, target="gfx942", backend=backend)
        assert np.array_equal(c, want.astype(np.float32))
