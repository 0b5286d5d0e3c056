"""The tile level's wrappers hand calls that are like one before to the launcher's host code: none of them makes
something new each time that Python has to look at. Kernels compile to programs that do nothing."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.runtime import programs

from avelang.runtime import compile
from avelang.runtime.launch import Launcher
from avelang.tile import Block
from avelang_kernels.attention import tile_attention, tile_attention_hopper
from avelang_kernels.matmul import tile_gemm, tile_inference, tile_skinny
from avelang_kernels.moe import tile_grouped_gemm, tile_moe

torch = pytest.importorskip("torch")

# As no other test has them: what is compiled here does nothing, and is kept by the process.
TMA, WARPS = Block(64, 64, 64, pipeline="tma", stages=2, together=3), Block(64, 64, 32, pipeline="cp-async", together=3)
STORED = Block(128, 128, 64, (2, 4), "preshuffled", together=3)
CHIP: Any = {"target": "sm_90a", "backend": "cpu"}


@pytest.fixture(autouse=True)
def slow(monkeypatch):
    """The launches by the slow path."""
    found, path = [], Launcher._slow

    def counted(launcher, provider, /, *args, **kwargs):
        found.append(launcher.source.name)
        path(launcher, provider, *args, **kwargs)

    payload = programs.payload(programs.HEAD + "  ret i64 0\n}\n")
    monkeypatch.setenv("AVE_NO_CACHE", "1")
    monkeypatch.setattr(compile, "cpu_object", lambda *_: (payload, {"entry": "ave_run", "scratch_bytes": 0}))
    monkeypatch.setattr(Launcher, "_slow", counted)
    builders = (
        tile_moe.build,
        tile_skinny.build,
        tile_attention.build,
        tile_attention_hopper.build,
        tile_grouped_gemm._fitted,
    )
    for cached in builders:
        cached.cache_clear()
    yield found
    for cached in builders:
        cached.cache_clear()


def bf16(*shape):
    return torch.zeros(*shape, dtype=torch.bfloat16)


def product(T):
    return lambda rows: partial(tile_gemm.gemm, bf16(rows, 48), bf16(64, 48), bf16(rows, 64), T, units=1, **CHIP)


def grouped(T, taken=False, gated=False):
    def made(rows):
        arrays = (
            bf16(rows, 48),
            bf16(2, 64, 48),
            torch.tensor([0, 4, rows], dtype=torch.int32),
            bf16(rows, 32 if gated else 64),
        )
        more: Any = {
            "index": torch.zeros(rows, dtype=torch.int32) if taken else None,
            "factors": torch.zeros(rows),
            "gated": gated,
        }
        return partial(tile_grouped_gemm.grouped_gemm, *arrays, T, units=1, **more, **CHIP)

    return made


def layer(rows):
    ids, weights = torch.zeros(rows, 2, dtype=torch.int64), torch.zeros(rows, 2)
    arrays = bf16(rows, 64), bf16(2, 128, 64), bf16(2, 64, 64), ids, weights, bf16(rows, 64)
    return partial(tile_moe.moe, *arrays, (WARPS, WARPS), units=1, **CHIP)


def stored(rows):
    weights = tile_inference.preshuffle(bf16(128, 64), STORED, "sm_90a")
    return partial(
        tile_inference.gemm, bf16(rows, 64), weights, bf16(rows, 128), bf16(128), tile_inference.relu, **CHIP
    )


def few(rows):
    return partial(tile_skinny.gemm, bf16(rows - 60, 64), bf16(128, 64), bf16(rows - 60, 128), **CHIP)


def attention(rows):
    q, lse = bf16(1, rows, 1, 64), torch.zeros(1, 1, rows)
    return partial(
        tile_attention.attention, q, q, q, q.clone(), lse=lse, causal=True, T=tile_attention.Block(64, 64, 4), **CHIP
    )


def hopper(rows):
    q = bf16(1, rows, 1, 64)
    return partial(tile_attention_hopper.attention, q, q, q, q.clone(), causal=True, units=1, backend="cpu")


CALLS = {
    "product, tma": product(TMA), "product, cp-async": product(WARPS), "grouped": grouped(TMA),
    "gathered, gated": grouped(WARPS, True, True),
    "layer": layer, "stored weights": stored, "few rows": few, "attention": attention, "attention, Hopper": hopper,
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_alike_are_served_by_the_host_code(name, slow):
    calls = [CALLS[name](rows) for rows in (64, 70)]
    for call in calls:
        call()
    first = len(slow)
    assert first >= 1
    for call in calls * 2:
        call()
    assert len(slow) == first, slow


def test_shapes_are_remembered_and_what_is_wrong_is_said_again():
    """What wrappers keep by shape and dtype is no array's memory, and no error."""
    call = grouped(TMA)(64)
    call()
    call()
    assert tile_grouped_gemm._fitted.cache_info().hits >= 1
    for _ in range(2):
        with pytest.raises(ValueError, match="b should be"):
            tile_grouped_gemm.grouped_gemm(
                bf16(8, 48), bf16(2, 64, 40), torch.zeros(3, dtype=torch.int32), bf16(8, 64), TMA, **CHIP
            )


def test_numpy_s_arrays_too(slow):
    import ml_dtypes

    a, b, c = (np.zeros(shape, ml_dtypes.bfloat16) for shape in ((70, 48), (64, 48), (70, 64)))
    for _ in range(3):
        tile_gemm.gemm(a, b, c, Block(64, 64, 64, pipeline="tma", stages=2, together=5), units=1, **CHIP)
    assert len(slow) == 1
