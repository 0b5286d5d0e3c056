"""The grouped GEMM: each group's product, whatever its size, on chips of both vendors; nothing beside the rows of the
groups is written; what its code takes."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import avelang.language as al
from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import report
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang_kernels.moe.tile_grouped_gemm import best_block, build, grouped_gemm
from checked import ask
from tools import need

BF16 = ml_dtypes.bfloat16
SIZES = (5, 0, 66, 1)  # four groups in most tests, which then share kernels
AMD, TMA = Block(32, 64, 64), Block(64, 64, 64, pipeline="tma", stages=2)
EXECUTED = {}
MARGIN = 2  # rows of NaN before and behind the output


def rounded(dtype, *shape, seed=0):
    return np.random.default_rng((seed, *shape)).integers(-3, 4, shape).astype(dtype)


def outcome(T, target, sizes, n=72, k=72, dtype=BF16, out=BF16, seed=0, before=1, ends=False, taken=False,
    scaled=False, gated=False, offsets=None,
            **options):  # fmt: skip
    """(what came out with the rows around it, what should): NaN where nothing is written."""
    E, bounds, rows = len(sizes), np.cumsum((0 if ends else before, *sizes)), before + sum(sizes) + 3
    a, b = rounded(dtype, 40 if taken else rows, k, seed=seed), rounded(dtype, E, n, k, seed=seed + 1)
    a = a / dtype(16) if gated else a
    rng = np.random.default_rng(seed)
    index = rng.integers(-1, 42, rows).astype(np.int32) if taken else None
    factors = rng.integers(-2, 3, rows).astype(np.float32) if scaled else None
    wide = n // 2 if gated else n
    room = np.full((rows + 2 * MARGIN, wide), np.nan, out)
    c, want = room[MARGIN:-MARGIN], np.full(room.shape, np.nan)
    A = a.astype(np.float64)
    if index is not None:
        A = np.where(((index >= 0) & (index < 40))[:, None], A[index.clip(0, 39)], 0)
    for g, (begin, end) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        x = A[begin:end] @ b[g].astype(np.float64).T
        if gated:
            gate, up = x.reshape(len(x), n // 64, 2, 32).transpose(2, 0, 1, 3)
            x = (gate / (1 + np.exp(-gate)) * up).reshape(len(x), wide)
        want[MARGIN + begin : MARGIN + end] = x if factors is None else x * factors[begin:end, None]
    given = T.on(target, al.bf16).preshuffle(b.reshape(E * n, k)) if T.pipeline == "preshuffled" else b
    told = np.asarray(bounds[1:] if ends else bounds if offsets is None else offsets, np.int32)
    assert (
        grouped_gemm(a, given, told, c, T, target, index=index, factors=factors, gated=gated, units=4, **options) is c
    )
    return room, want


def equal(room, want):
    return np.array_equal(room.astype(np.float64), want.astype(room.dtype).astype(np.float64), equal_nan=True)


RUNS = [
    ("gfx942", AMD, EXECUTED, {"taken": True}),
    *(("gfx942", Block(32, 32, 64, pipeline=p, stages=2), EXECUTED, {"taken": True, "n": 48}) for p in ("preshuffled",
        "direct-to-lds")),
    ("sm_80", Block(32, 32, 32, pipeline="cp-async", stages=2), {"backend": "reference"}, {"taken": True,
        "ends": True}),
    ("sm_90a", TMA, {"backend": "reference"}, {"ends": True, "scaled": True}),
    ("sm_100a", TMA, {"backend": "reference"}, {"ends": True, "scaled": True}),
    ("sm_90a", TMA, {"backend": "cpu"}, {"n": 75, "out": np.float32}),
    ("sm_90a", Block(64, 64, 64, pipeline="tma", stages=2, cluster=(1, 2)), {"backend": "cpu"}, {"dtype": np.float16,
        "out": np.float16}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("target", "T", "options", "what"), RUNS, ids=[f"{i}-{r[0]}-{r[1].pipeline}" for i, r in enumerate(RUNS)]
)
def test_products(target, T, options, what, monkeypatch):
    """Groups of no rows, of one, of a tile and of more; rows of no group; n and k no multiples of the tile."""
    ask(monkeypatch, options.get("backend"), target, "races", "waits")
    assert equal(*outcome(T, target, SIZES, **what, **options))


def test_gathered_rows_of_odd_length():
    """Rows that begin in the middle of a word."""
    assert equal(*outcome(AMD, "gfx942", (5, 40), n=35, k=37, taken=True, backend="reference"))


@settings(max_examples=4, deadline=None)
@given(st.lists(st.sampled_from((0, 1, 31, 32, 63, 64, 65, 128, 130)), min_size=4, max_size=4), st.integers(0, 100))
@example([0, 0, 0, 0], 0)
@example([0, 0, 257, 0], 1)
@example([1, 1, 1, 1], 2)
def test_drawn_sizes(sizes, seed):
    for target, T, options in (("gfx942", AMD, EXECUTED), ("sm_90a", TMA, {"backend": "cpu"})):
        assert equal(*outcome(T, target, sizes, seed=seed, **options))


@pytest.mark.parametrize(
    ("target", "T", "options"),
    [("gfx942", Block(64, 64, 64, (4, 1)), EXECUTED), ("sm_80", Block(64, 64, 32, (4, 1), "cp-async", stages=2),
        {"backend": "reference"}),
     ("sm_90a", TMA, {"backend": "cpu"})], ids=["executed", "sm_80", "tma"],
)  # fmt: skip
def test_gated(target, T, options):
    room, want = outcome(
        T, target, (5, 0, 66, 1) if T is TMA else (2, 20), n=128, out=np.float32, gated=True, scaled=True, **options
    )
    np.testing.assert_allclose(room.astype(np.float64), want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("target", "T", "options"),
    [("gfx942", AMD, EXECUTED), ("sm_90a", TMA, {"backend": "cpu"})],
    ids=["executed", "tma"],
)
@pytest.mark.parametrize(
    "offsets", [(0, 90, 40, 100, 101), (0, 1 << 30, -5, 1 << 20, -60), (-1, -7, -9, -2, -1)], ids=str
)
def test_wrong_offsets_write_nothing_outside(target, T, options, offsets, monkeypatch):
    """The executor also tells of reads outside of arrays. Rows of groups that no other one meets are right."""
    ask(monkeypatch, options.get("backend"), target, "waits")  # groups that overlap race
    room, _ = outcome(T, target, (20, 30, 40, 0), offsets=offsets, **options)
    assert np.isnan(np.concatenate([room[:MARGIN], room[-MARGIN:]]).astype(np.float32)).all()
    if offsets[1] == 1 << 30:  # the first group has all rows there are, the others begin past the end
        a, b = rounded(BF16, 94, 72).astype(np.float64), rounded(BF16, 4, 72, 72, seed=1).astype(np.float64)
        assert np.array_equal(room[MARGIN:-MARGIN].astype(np.float64), (a @ b[0].T).astype(BF16).astype(np.float64))


def test_nothing_to_do():
    out = np.full((0, 64), np.nan, BF16)
    assert (
        grouped_gemm(rounded(BF16, 0, 72), rounded(BF16, 3, 64, 72), np.zeros(4, np.int32), out, AMD, "gfx942") is out
    )


def arrays(**other):
    return {
        "a": rounded(BF16, 9, 16),
        "b": rounded(BF16, 3, 8, 16),
        "offsets": np.array([0, 4, 4, 9], np.int32),
        "out": np.zeros((9, 8), BF16),
        **other,
    }


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        ({"a": rounded(BF16, 9, 24)}, ValueError, "b should be"), ({"a": rounded(BF16, 8, 16)}, ValueError,
            "a has 8 rows"),
        ({"b": rounded(BF16, 3, 16, 8).transpose(0, 2, 1)}, ValueError, "not contiguous"), ({"b": rounded(BF16, 8,
            16)}, ValueError, "b must be an array of 3 dimensions"), ({"offsets": np.zeros(6, np.int32)}, ValueError,
            "6 offsets"),
        ({"offsets": np.zeros(4, np.int64)}, TypeError, "int64"), ({"offsets": np.zeros((4, 1), np.int32)}, TypeError,
            "1 dimension"),
        ({"out": np.zeros((9, 8), np.float16)}, TypeError, "float16"), ({"a": rounded(np.float32, 9, 16)}, TypeError,
            "float32"),
        ({"factors": np.zeros(8, np.float32)}, TypeError, "factors"), ({"index": np.zeros(9, np.int64)}, TypeError,
            "index"),
        ({"out": np.zeros((9, 4), BF16), "gated": True}, ValueError, "stripes"),
        ({"a": rounded(BF16, 9, 0), "b": rounded(BF16, 3, 8, 0)}, ValueError, "k = 0"),
        ({"T": TMA, "target": "sm_90a", "index": np.zeros(9, np.int32)}, ValueError, "not through an index"),
        ({"T": TMA, "target": "sm_90a", "a": rounded(BF16, 9, 12), "b": rounded(BF16, 3, 8, 12)}, ValueError, "k = 12"),
        ({"T": Block(32, 32, 64, pipeline="preshuffled"), "b": np.zeros(100, BF16)}, ValueError, "preshuffled"),
    ],
)  # fmt: skip
def test_what_does_not_fit(wrong, kind, words):
    with pytest.raises(kind, match=words):
        grouped_gemm(**arrays(**{"T": AMD, "target": "gfx942", **wrong}))


def test_gates_of_other_lanes():
    with pytest.raises(AveError, match="multiple of 64 columns"):
        outcome(Block(32, 64, 64), "gfx942", (5,), n=64, gated=True, backend="reference")


def test_blocks_fit_groups():
    for target in ("gfx942", "sm_80", "sm_90a"):
        assert best_block(target, 512, 64).m < best_block(target, 16384, 8).m
        assert best_block(target, 16384, 64, True).pipeline != "tma"


@pytest.mark.parametrize(("rows", "least"), [(512, 0.88), (8192, 0.90), (1 << 17, 0.93)])
def test_the_matrix_core_is_busy(rows, least):
    """What is recommended for few rows and for many, with everything: rows through an index, factors, gates."""
    need("llvm-mca")
    block = best_block("gfx942", rows, 64)
    text = compile_text(
        build(block, al.bf16, al.bf16, True, True, True),
        {"E": 64},
        (block.on("gfx942", al.bf16).threads, 1, 1),
        "gfx942",
        "asm",
    )
    made = report(text)
    assert made.vgpr_spills == made.sgpr_spills == 0 and utilization(text, "gfx942").ratio >= least


@pytest.mark.parametrize(
    ("target", "rows", "E", "taken"), [("sm_90a", 512, 256, False), ("sm_90a", 1 << 17, 512, False)]
)
def test_nothing_is_spilled(target, rows, E, taken):
    need("ptxas")
    block = best_block(target, rows, E, taken)
    kernel = build(block, al.bf16, al.bf16, taken, True, True)
    found = kernel.report(target, (block.on(target, al.bf16).threads, 1, 1), E=E)
    assert found.stored == found.loaded == 0
