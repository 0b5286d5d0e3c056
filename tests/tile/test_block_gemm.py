"""The product of a block: its distributions against the instruction's own fragments, what does not fit, B as it is
preshuffled."""

import math

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.ir.dtypes import BY_NAME
from avelang.tile import vectorize
from avelang.tile.block_gemm import block_gemm, k_order, words
from avelang_kernels.matmul.tile_gemm import build
from checked import ask


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950", "sm_80", "sm_90a"])
@pytest.mark.parametrize("dtype", [al.bf16, al.f16])
def test_every_product_is_made_once(target, dtype):
    """What instructions multiply, by the fragments of their rows, is A @ B^T."""
    G = block_gemm(target, dtype, 32, 64, 64, (1, 2))
    rng = np.random.default_rng(0)
    a, b = rng.integers(-3, 4, (32, 64)), rng.integers(-3, 4, (64, 64))
    c = np.zeros((32, 64), int)
    held_a, held_b = (
        d.gather(x).reshape(2, G.mma.wave, G.steps, n, -1) for d, x, n in ((G.a, a, G.count[0]), (G.b, b, G.count[1]))
    )
    out = np.zeros((2, G.mma.wave, *G.count, G.mma.acc.elements), int)
    for w, step, i, j in np.ndindex(2, G.steps, *G.count):
        for part in G.parts:
            x, y = held_a[w, :, step, i].reshape(G.mma.wave, -1, 2), held_b[w, :, step, j].reshape(G.mma.wave, -1, 2)
            x, y = (v[:, list(p)].reshape(G.mma.wave, -1) for v, p in ((x, part.a), (y, part.b)))
            x, y = (y, x) if G.swapped else (x, y)
            out[w, :, i, j] += G.mma.acc.gather(G.mma.a.scatter(x) @ G.mma.b.scatter(y))
    c = G.c.scatter(out.reshape(2 * G.mma.wave, -1))
    assert np.array_equal(c, a @ b.T)


def test_a_wide_read_feeds_several_instructions():
    """IREE's VMFMA: 16 bytes of each operand for two instructions of 16 x 16 x 16."""
    G, v = block_gemm("gfx942", al.f16, 64, 64, 32, (2, 2)), tile.mma("VMFMA_F32_16x16x32_F16")
    assert (G.depth, G.times, len(G.parts)) == (v.k, 2, 2) and G.a.run(1) == v.a.run(1) == 8
    assert block_gemm("gfx950", al.bf16, 64, 64, 32, (2, 2)).times == 1  # 16 bytes for one instruction


def test_operands_that_the_chip_loads_as_they_are():
    """`ldmatrix` gives whole operands of an instruction: registers need no moves."""
    G = block_gemm("sm_80", al.bf16, 64, 64, 32, (2, 2))
    assert (
        G.native_order
        and [p.a for p in G.parts] == [(0, 1, 2, 3), (4, 5, 6, 7)]
        and [p.b for p in G.parts] == [(0, 1), (2, 3)]
    )
    for d in (G.a, G.b):
        found = vectorize.matrices(d, 1, 2, "sm_80")
        assert found is not None and (found.each, found.turned) == (4, False)
    assert G.single().steps == 2 and not block_gemm("gfx942", al.bf16, 64, 64, 32, (2, 2)).native_order


def test_order_puts_a_lane_s_k_side_by_side():
    mma = tile.mma("MMA_SYNC_F32_16x8x16_BF16", "sm_80")
    new = k_order(mma.name, mma.b.index[0], mma.k, 2, al.bf16)
    assert new[[0, 1, 8, 9, 16, 17, 24, 25]].tolist() == list(range(8)) and sorted(new.tolist()) == list(range(32))
    assert words((4, 5, 0, 1), 2) == (2, 0)


@pytest.mark.parametrize(
    ("m", "n", "k", "waves", "said"),
    [
        (48, 64, 32, (2, 2), "m = 48 is no multiple of 32"), (64, 40, 32, (1, 2), "n = 40 is no multiple of 32"),
        (64, 64, 40, (2, 2), "k = 40 is no multiple")
    ],
)
def test_what_does_not_fit(m, n, k, waves, said):
    with pytest.raises(AveError, match=said) as e:
        block_gemm("gfx942", al.bf16, m, n, k, waves)
    assert e.value.code == "T307"


def test_dtypes_without_a_product():
    with pytest.raises(AveError) as e:
        block_gemm("sm_75", al.bf16, 64, 64, 32, (2, 2))
    assert e.value.code == "U103"


@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
def test_preshuffled_fragments(target):
    """What a lane loads from the flat array, by `preshuffled_b`, is what `b` says that it holds."""
    G = block_gemm(target, al.bf16, 32, 64, 64, (1, 2))
    b = np.arange(64 * 64).reshape(64, 64)
    flat = G.preshuffle(b)
    assert np.array_equal(G.preshuffled_b.gather(flat.reshape(G.preshuffled_b.shape)), (G.ring or G).b.gather(b))
    assert G.preshuffled_b.run(1) == 8
    small = G.preshuffle(b[:50, :60])
    whole = np.zeros((64, 64), int)
    whole[:50, :60] = b[:50, :60]
    high = G.fragment[1]
    assert np.array_equal(small, G.preshuffle(whole[: -(-50 // high) * high]))


# -- with an instruction of one's own choice ---------------------------------------------------------------------------

V = "VDMFMA_F32_8x16x64x2_F16"


@avelang.jit
def four_products(a, b, acc):
    for i in range(4):
        left, right = al.make_local((4,), al.bf16), al.make_local((4,), al.bf16)
        for j in range(4):
            left[j], right[j] = a[4 * i + j], b[4 * i + j]
        acc = al.amdgpu.mfma_f32_16x16x16_bf16(left, right, acc)
    return acc


def mine() -> tile.Mma:
    """As in `examples/virtual_mma.py`: 16 neighbors of K to a lane."""
    a = tile.SubgroupLayout((1, 1), (16, 4), (1, 16), (1, 16))
    acc = tile.SubgroupLayout((1, 1), (4, 16), (16, 1), (4, 1))
    return tile.Mma("MINE", (16, 16, 64), (al.bf16, al.bf16, al.f32), a, a.transposed, acc, four_products,
                    ("mfma_f32_16x16x16_bf16",) * 4)


CHOSEN = [
    # chip, MMA, m, n, k, pipeline, dtype
    ("gfx942", V, 8, 32, 64, "single", "f16"),
    ("gfx942", V + "_PAIRED", 16, 32, 128, "prefetch", "f16"),
    ("gfx942", V.replace("F16", "BF16"), 8, 32, 128, "streamed", "bf16"),
    ("gfx942", V.replace("_F16", "_BF16_PAIRED"), 8, 32, 128, "streamed", "bf16"),
    ("gfx942", "VDMFMA_I32_8x16x128x2_I8", 8, 32, 128, "single", "i8"),
    ("gfx942", "VDMFMA_I32_8x16x128x2_I8_PAIRED", 8, 32, 128, "streamed", "i8"),
    ("gfx942", "VDMFMA_F32_8x16x128x2_F8E4M3FNUZ", 8, 32, 128, "prefetch", "f8e4m3fnuz"),
    ("gfx942", "VDMFMA_F32_8x16x128x2_F8E5M2FNUZ_PAIRED", 8, 32, 128, "streamed", "f8e5m2fnuz"),
    ("gfx942", "VMFMA_F32_16x16x32_F16", 32, 32, 64, "double-buffer", "f16"),
    ("gfx942", "MFMA_F32_32x32x8_F16", 64, 64, 32, "single", "f16"),
    ("gfx942", "VMFMA_F32_32x32x16_BF16", 32, 64, 64, "streamed", "bf16"),
    ("gfx942", "MINE", 32, 32, 64, "single", "bf16"),
    ("gfx942", "MINE", 16, 32, 128, "streamed", "bf16"),
    ("gfx950", "VDMFMA_F32_8x16x64x1_F16", 8, 32, 128, "streamed", "f16"),
    ("sm_80", "VMMA_SYNC_F32_8x16x16_F16", 8, 32, 64, "cp-async", "f16"),
    ("sm_90a", "VMMA_SYNC_F32_8x16x16_BF16", 8, 32, 64, "streamed", "bf16"),
    ("sm_75", "VMMA_SYNC_F32_8x16x8_F16", 16, 32, 64, "streamed", "f16"),
    ("sm_80", "MMA_SYNC_F64_8x8x4_F64", 16, 32, 32, "prefetch", "f64"),
]

EXECUTED = [
    (V + "_PAIRED", "prefetch"), (V.replace("_F16", "_BF16_PAIRED"), "streamed"),
    ("VDMFMA_I32_8x16x128x2_I8_PAIRED", "streamed"), ("VDMFMA_F32_8x16x128x2_F8E4M3FNUZ", "prefetch"),
    ("MINE", "streamed")
]


def product(block, target, dtype, m, n, k, backend):
    """(C, what it should be): integers that all dtypes here hold."""
    rng, d = np.random.default_rng((m, n, k)), BY_NAME[dtype]
    a, b = (rng.integers(-3, 4, (rows, k)).astype(d.np) for rows in (m, n))
    c = np.full((m, n), 77, np.int32 if d.is_int else np.float32)
    kernel, run = build(block, d, al.i32 if d.is_int else al.f32), math.gcd(k, 16 // d.bytes)
    blocks = -(-m // block.m) * -(-n // block.n)
    options = {} if backend == "gfx942-exec" else {"backend": backend}
    kernel[blocks, block.on(target, d).threads](a, b, c, m, n, k, run, math.gcd(n, 4), target=target, **options)
    return c, a.astype(c.dtype) @ b.astype(c.dtype).T


@pytest.mark.parametrize("case", CHOSEN, ids=lambda c: f"{c[0]}-{c[1]}-{c[5]}")
def test_products_by_the_chosen_instruction(case, monkeypatch):
    """Several tiles, edges in all directions, more than one step of K; in executed code too, with waits checked."""
    target, name, m, n, k, pipeline, dtype = case
    block = tile.Block(m, n, k, (1, 2) if m < 32 or n < 64 else (1, 1), pipeline,
                       mma=mine() if name == "MINE" else name)
    assert block.on(target, BY_NAME[dtype]).mma.name.startswith(name)
    for backend in ("reference", *(["gfx942-exec"] if (name, pipeline) in EXECUTED else [])):
        ask(monkeypatch, backend, target, "races", "waits")
        got, want = product(block, target, dtype, m + 5, n + 8, 3 * k + 16, backend)
        assert np.array_equal(got, want), backend


def test_the_chosen_instruction_on_the_cpu():
    block = tile.Block(8, 32, 128, (1, 2), "streamed", mma=V + "_PAIRED")
    got, want = product(block, "gfx942", "f16", 5, 40, 400, "cpu")
    assert np.array_equal(got, want)


def test_paired_fragments_in_shared_memory():
    """Where A is packed, a lane reads what it needs at once, and what copies put there is what fragments find."""
    block = tile.Block(8, 32, 128, (1, 2), "streamed", mma=V + "_PAIRED")
    plain = block.on("gfx942", al.f16)
    packed = plain.packing()
    assert plain.a.run(1) == 2 and packed.a.run(1) == 8 == packed.b.run(1)
    a = np.arange(8 * 128).reshape(8, 128)
    memory = np.zeros_like(a)
    memory[packed.stage_a.index] = packed.copy_a.gather(a)
    assert np.array_equal(np.sort(packed.a.gather(memory)), np.sort(plain.a.gather(a)))
    # What has the same K for A and B stays as it is.
    dense = block_gemm("gfx942", al.f16, 32, 32, 64, (1, 2))
    assert np.array_equal(dense.packing().packed, np.arange(dense.depth))


def test_instructions_that_do_not_fit():
    def block(mma, **more):
        return tile.Block(**{"m": 32, "n": 32, "k": 64, "waves": (1, 1), "pipeline": "single", **more}, mma=mma)

    for made, code, said in (
        (block("VDMFMA_F32_9x9x9"), "T301", "the name of an MMA must be one of"),
        (block(7), "T301", "mma must be the name of an MMA of the chip, or an Mma, not 7"),
        (block(V), "T307", "it takes A of f16, and the block's is of bf16"),
        (block(tile.mma("VMMA_SYNC_F32_8x16x16_BF16", "sm_80")), "U103", "made of nvvm.mma"),
        (block("WGMMA_F32_64x64x16_BF16"), "T307", "by descriptors"),
        (block(V, pipeline="tma"), "T307", "its tile has one instruction"),
    ):
        target = "sm_90a" if "descriptors" in said or "one instruction" in said else "gfx942"
        with pytest.raises(AveError, match=said) as e:
            made.on(target, al.bf16)
        assert e.value.code == code
    with pytest.raises(AveError, match="parts of K that overlap") as e:
        k_order("this", np.array([[0, 1, 2, 3], [2, 3, 4, 5]]), 6, 1, al.f16)
    assert e.value.code == "T307"
    with pytest.raises(AveError, match="not side by side in memory") as e:
        words((0, 2, 1, 3), 2, "this")
    assert e.value.code == "T307"
