"""The pipeline "streamed": whole tiles of K and what is left of one, any number of either, rows that begin anywhere;
what its gfx942 loop is made of."""

import math

import numpy as np
import pytest

import avelang.language as al
from avelang.amdgcn.report import report
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang_kernels.matmul.tile_gemm import build

PAIRED = "VDMFMA_F32_8x16x64x2_F16_PAIRED"
AMD = Block(8, 32, 64, (1, 2), "streamed", mma=PAIRED)
DEEP = Block(8, 32, 128, (1, 2), "streamed", mma=PAIRED)
NVIDIA = Block(8, 32, 64, (1, 2), "streamed", mma="VMMA_SYNC_F32_8x16x16_F16")


def check(block, target, m, n, k, backend="reference"):
    rng = np.random.default_rng((m, n, k))
    a, b = (rng.integers(-3, 4, (rows, k)).astype(np.float16) for rows in (m, n))
    c = np.full((m, n), np.nan, np.float32)
    options = {} if backend == "gfx942-exec" else {"backend": backend}
    grid = -(-m // block.m) * -(-n // block.n), block.on(target, al.f16).threads
    build(block, al.f16, al.f32)[grid](a, b, c, m, n, k, math.gcd(k, 8), math.gcd(n, 4), target=target, **options)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)


@pytest.mark.parametrize(("block", "target"), [(AMD, "gfx942"), (NVIDIA, "sm_80")], ids=["gfx942", "sm_80"])
@pytest.mark.parametrize("k", [40, 64, 128, 192, 256, 200])
def test_tiles_of_k(block, target, k, monkeypatch):
    """Less than one, one to four, three and a part: the loop takes two at a time, the last one comes behind it."""
    monkeypatch.setenv("AVE_CHECK", "races,ir")
    check(block, target, 5, 40, k)


@pytest.mark.parametrize("k", [129, 130, 132])
def test_rows_that_begin_anywhere(k):
    """Reads of one, two and four elements: of halves of words nothing is streamed."""
    check(AMD, "gfx942", 3, 20, k)
    check(NVIDIA, "sm_80", 3, 20, k)


@pytest.mark.parametrize("k", [384, 200])
def test_executed_with_waits_checked(k, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "waits")
    check(DEEP, "gfx942", 16, 40, k, "gfx942-exec")


def test_the_loop_moves_no_register_of_b():
    """For each tile: B's 16-byte reads straight from memory, with constant offsets; A, and nothing else, by LDS; a
    barrier; only A is moved about."""
    made = report(compile_text(build(DEEP, al.f16, al.f32), {}, (128, 1, 1), "gfx942", "asm"))
    assert made.loop is not None and made.vgpr_spills == made.sgpr_spills == 0
    found, tiles = made.loop.counts, 2
    assert found["matrix"] == {"v_smfmac_f32_16x16x32_f16": tiles * 2 * 2}
    assert found["load"] == {"buffer_load_dwordx4": tiles * (4 + 1)}
    assert (
        found["LDS read"] == {"ds_read_b128": tiles * 2}
        and found["LDS write"] == {"ds_write_b64": tiles * 2}
        and found["barrier"] == {"s_barrier": tiles}
    )
    assert found["VALU"]["v_mov_b32"] <= tiles * 4 and sum(found["VALU"].values()) <= tiles * 10
