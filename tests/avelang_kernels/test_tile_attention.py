"""Attention on the tile level: one source, right on all backends to the bound of its roundings; scores of any size; "
"what its code takes."""

import functools

import numpy as np
import pytest
from benchmarks import pages
from benchmarks import tile_attention as benchmark
from tests.avelang_kernels.attended import BF16, F16, Case, check, run, wanted

import avelang.language as al
from avelang import executor
from avelang.amdgcn.report import report
from avelang.runtime.compile import compile_text
from avelang_kernels.attention import tile_attention_hopper
from avelang_kernels.attention.tile_attention import LOG2E, Block, attention, block_for, build
from tools import need

SMALL = Block(32, 32, 2)
RUNS = [("gfx942", "reference"), ("gfx942", "cpu"), ("gfx942", None), ("sm_80", "reference")]
ON = pytest.mark.parametrize(("target", "backend"), RUNS)
SOME = pytest.mark.parametrize(("target", "backend"), RUNS[2:])


def call(target, backend=None, **options):
    if backend:
        options["backend"] = backend
    return functools.partial(attention, target=target, T=options.pop("T", SMALL), **options)


@ON
def test_against_float64(target, backend):
    """Three heads share keys; the first rows see nothing; d is padded."""
    check(call(target, backend, causal=True), Case(1, 3, 1, 70, 41, 40, True, dtype=F16))


@SOME
@pytest.mark.parametrize(
    "case", [Case(1, 2, 1, 50, 75, 32), Case(2, 2, 2, 50, 75, 32, True, "bhsd")], ids=["gqa", "causal"]
)
def test_layouts(case, target, backend):
    check(call(target, backend, causal=case.causal, layout=case.layout), case)


@pytest.mark.parametrize(("target", "d"), [("gfx90a", 32), ("gfx950", 64)])
def test_other_chips(target, d):
    check(call(target, "reference", causal=True), Case(1, 1, 1, 40, 70, d, True))


@ON
def test_queries_in_shared_memory(target, backend):
    check(call(target, backend, T=Block(32, 32, 2, False), causal=True), Case(1, 2, 1, 40, 70, 40, True))


def test_the_block_that_is_chosen():
    check(call("sm_80", "reference", T=None), Case(1, 1, 1, 70, 70, 64))
    assert block_for("gfx942", 128) == Block(256, 64, 8) and block_for("gfx942", 256) == Block(128, 32, 8)
    assert [block_for("sm_80", d) for d in (64, 128, 256)] == [
        Block(64, 64, 4, False),
        Block(64, 64, 4),
        Block(64, 32, 4, False),
    ]


def test_one_entry_point(monkeypatch):
    """On sm_90a it takes the form for Hopper where that fits; `T` overrides."""
    q, k, v = Case(1, 1, 1, 40, 40, 64).inputs()
    wide = [np.concatenate([x] * 4, 3) for x in (q, k, v)]
    taken = []
    monkeypatch.setattr(tile_attention_hopper, "launch", lambda *args: taken.append(args[4:6]))
    small = {"backend": "reference"}
    attention(q, k, v, q.copy(), "sm_90a", units=3, **small)
    attention(q, k, v, q.copy(), "sm_90a", T=tile_attention_hopper.Form(n=64), units=2, **small)
    attention(q, k, v, q.copy(), "sm_90a", T=SMALL, **small)
    attention(q, k, v, q.copy(), "sm_80", T=SMALL, **small)
    attention(*wide, wide[0].copy(), "sm_90a", T=Block(16, 16, 1), **small)
    assert taken == [(None, 3), (tile_attention_hopper.Form(n=64), 2)]
    with pytest.raises(ValueError, match="a form for sm_90a, and the chip is gfx942"):
        attention(q, k, v, q, "gfx942", T=tile_attention_hopper.Form())
    with pytest.raises(TypeError, match="T is 64: it must be a tile_attention.Block"):
        attention(q, k, v, q, "sm_90a", T=64)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="that takes 327760 bytes of shared memory, and a block has 232448"):
        attention(*wide, wide[0], "sm_90a", T=tile_attention_hopper.Form())


@SOME
def test_rows_that_see_nothing_and_runs_that_are_alike(target, backend):
    case = Case(1, 1, 1, 70, 40, 32, True)
    out = check(call(target, backend, causal=True), case)
    assert not out[:, :30].any() and out[:, 30:].all()
    q, k, v = case.inputs()
    again, _ = run(call(target, backend, causal=True), q, k, v, case)
    assert np.array_equal(out, again)


@SOME
def test_scores_of_any_size(target, backend):
    """Scores to 2^120: the greatest alone counts, equal ones share; a score that overflows to -inf counts nothing, "
    "one to +inf makes its row NaN."""
    case = Case(1, 1, 1, 32, 64, 32)
    q, k, v = (np.zeros(case.shape(1, n), np.float32) for n in (32, 64, 64))
    v[:] = np.random.default_rng(0).integers(-8, 9, v.shape)
    k[0, :, 0, 0] = np.arange(64) % 48 - 20  # the greatest is met once, the least twice
    q[0, :, 0, 0] = 2.0 ** (4 * np.arange(32) - 10)
    q[0, 1::2, 0, 0] *= -1
    q, k, v = (x.astype(BF16) for x in (q, k, v))
    out, lse = run(call(target, backend, scale=1.0), q, k, v, case)
    o, _, logs, _ = wanted(q, k, v, case, 1.0)
    # Scores are exact; weights are those of scores times log2(e) in f32, or from row 8 on, where scores are 2^22 apart,
    # 0 and 1.
    np.testing.assert_array_less(np.abs(out[0, :, 0].astype(np.float64) - o[0, :, 0])[[0, 1, *range(8, 32)]], 2.0**-5)
    assert (out[0, 8::2, 0] == v[0, 47, 0]).all()
    np.testing.assert_allclose(lse[0, 0], logs[0, 0], rtol=2.0**-21, atol=2.0**-20)

    q[:], k[0, :, 0, 0], k[0, :, 0, 1] = 0, 1e30, 1e30
    k[0, 60, 0, 1] = 0
    q[0, 3, 0, 0], q[0, 4, 0, 0], q[0, 5, 0, 1] = -3e38, 3e38, -3e38  # all -inf, all +inf, all -inf but key 60
    out, lse = (x.astype(np.float64) for x in run(call(target, backend, scale=1.0), q, k, v, case))
    assert not out[0, 3].any() and lse[0, 0, 3] == -np.inf and np.isnan(out[0, 4]).all()
    assert np.array_equal(out[0, 5], v[0, 60].astype(np.float64)) and lse[0, 0, 5] == 0
    rest = np.delete(out[0, :, 0], (3, 4, 5), 0)
    assert (np.abs(rest - v[0, :, 0].astype(np.float64).mean(0)) < 2.0**-6).all()


def test_code_for_amd():
    """No spills; two waves to a SIMD; every wait and hazard checked, and no cycle lost to bank conflicts."""
    d, T = 128, block_for("gfx942", 128)
    threads = T.on("gfx942", al.bf16, d).first.threads
    kernel = build(T, al.bf16, d)
    text = compile_text(kernel, {"SEQ_FIRST": True, "CAUSAL": False}, (threads, 1, 1), "gfx942", "asm")
    made = report(text)
    assert made.vgpr_spills == made.sgpr_spills == 0 and made.vgpr + made.agpr <= 256
    case = Case(1, 1, 1, T.m, 3 * T.n - 5, d)
    q, k, v = case.inputs()
    out = np.full(q.shape, np.nan, BF16)
    ran = executor.load(text, check=True, profile=True)[1, threads](
        q, k, v, out, 1, 1, T.m, 1, case.keys, d**-0.5 * LOG2E
    )
    o, bound, _, _ = wanted(q, k, v, case)
    assert (np.abs(out.astype(np.float64) - o) <= bound).all() and ran.conflicts == {}


@pytest.mark.parametrize(("d", "threads"), [(64, 512), (128, 256), (256, 256)])
def test_nothing_is_spilled(d, threads):
    need("ptxas")
    T = block_for("sm_90a", d)
    found = build(T, al.bf16, d).report(
        "sm_90a", (T.on("sm_90a", al.bf16, d).first.threads, 1, 1), SEQ_FIRST=True, CAUSAL=True
    )
    assert found.stored == found.loaded == 0
    assert found.registers * threads <= 65536  # threads of several blocks that have a place on a multiprocessor


def test_tables_of_the_page():
    """Every shape and every piece of code has its line; `tests/docs/test_tables.py` holds the page against the "
    "results."""
    record = {"device": {"gpu": "G"}, "figures": [
        {"shape": benchmark.Shape(1, 8, 64, 128, True, 2)._asdict(), "tflops": {"wgmma": 3.0, "mma.sync": 2.0,
            "cuDNN": 4.0, "flash": 1.0}}]}  # fmt: skip
    last = pages.attention_timed(record).splitlines()[-1]
    assert last == "| 1, 8, 64, 128, 2 heads of K and V, causal | 3 | 2 | 4 | 1 | 0.75 |"


def test_candidates():
    """What could be chosen holds what is; no two have one name."""
    for d, forms in benchmark.FORMS.items():
        assert block_for("sm_90a", d) in benchmark.BLOCKS[d]
        names = [benchmark.named(T) for T in (*forms, *benchmark.BLOCKS[d])]
        assert len(set(names)) == len(names)
        if forms:
            F = tile_attention_hopper.form_of(None, al.bf16, d)
            assert any((F.m, F.n, F.stages, F.turns, F.near) == (x.m, x.n, x.stages, x.turns, x.near) for x in forms)


def test_nothing_to_attend_to():
    q, k = np.zeros((1, 4, 2, 64), BF16), np.zeros((1, 0, 2, 64), BF16)
    out, lse = np.full(q.shape, np.nan, BF16), np.full((1, 2, 4), np.nan, np.float32)
    attention(q, k, k, out, "gfx942", lse=lse)
    assert not out.any() and (lse == -np.inf).all()


ONE = np.zeros((2, 8, 4, 64), BF16)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"layout": "bsdh"}, ValueError, "layout is 'bsdh'"), ({"q": ONE[0]}, ValueError, "4 dimensions"),
        ({"q": ONE.astype(np.float32)}, TypeError, "float32"),
        ({"v": ONE.astype(F16)}, TypeError, "one dtype"), ({"v": ONE[:, :4]}, ValueError, "must be alike"),
        ({"k": ONE[:1], "v": ONE[:1]}, ValueError, "batch and d"),
        ({"k": ONE[:, :, :3], "v": ONE[:, :, :3]}, ValueError, "4 heads and k has 3"), ({"out": ONE[:, :4]},
            ValueError, "shape of q"),
        ({"q": ONE[..., :60], "k": ONE[..., :60], "v": ONE[..., :60]}, ValueError, "d is 60"), ({"lse": np.zeros((2, 8,
            4), np.float32)}, ValueError, "lse is"),
        ({"lse": np.zeros((2, 4, 8))}, TypeError, "of f32"), ({"scale": 0.0}, ValueError, "above 0"),
        ({"scale": float("nan")}, ValueError, "above 0"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(change, error, said):
    with pytest.raises(error, match=said):
        attention(**{"q": ONE, "k": ONE, "v": ONE, "out": ONE, "target": "gfx942", **change})
