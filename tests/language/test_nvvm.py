"""NVIDIA matrix instructions in kernels: mma from memory, through ldmatrix, back through stmatrix; the wave has 32
lanes."""

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang.ir.types import dtype_of
from avelang.isa.row import ROWS


def product(a, b, c):
    """f32 chain in ascending k; products of halves are exact in f32."""
    acc = c.astype(np.float32)
    for k in range(a.shape[1]):
        acc = acc + a[:, k : k + 1].astype(np.float32) * b[None, :, k].astype(np.float32)
    return acc


def halves(shape, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float16)


@avelang.jit
def by_words(a: al.Tensor((16, 8), al.i32), b: al.Tensor((8, 8), al.i32), c: al.Tensor((16, 8), al.f16)):
    lane = al.thread_id(0)
    g = lane // 4
    t = lane % 4
    ra = al.make_local((4,), al.i32)
    ra[0] = a[g, t]
    ra[1] = a[g + 8, t]
    ra[2] = a[g, t + 4]
    ra[3] = a[g + 8, t + 4]
    rb = al.make_local((2,), al.i32)
    rb[0] = b[g, t]
    rb[1] = b[g, t + 4]
    rc = al.make_local((4,), al.f16)
    for i in range(4):
        rc[i] = c[g + 8 * (i // 2), 2 * t + i % 2]
    rd = al.nvvm.mma_16x8x16_f16_f16(ra, rb, rc)
    for i in range(4):
        c[g + 8 * (i // 2), 2 * t + i % 2] = rd[i]


def test_mma_of_packed_words(launch):
    a, b, c = halves((16, 16), 0), halves((8, 16), 1), halves((16, 8), 2)
    want = product(a, b, c).astype(np.float16)
    launch(by_words, a.view(np.int32), b.view(np.int32), c, block=32)
    np.testing.assert_array_equal(c, want)


@avelang.jit
def by_halves(a: al.Tensor((16, 8), al.f16), b: al.Tensor((8, 8), al.f16), c: al.Tensor((16, 8), al.f32)):
    lane = al.thread_id(0)
    g = lane // 4
    t = lane % 4
    ra = al.make_local((4,), al.f16)
    rb = al.make_local((2,), al.f16)
    rc = al.full((4,), 0.0, al.f32)
    for i in range(2):
        ra[i] = a[g, 2 * t + i]
        ra[2 + i] = a[g + 8, 2 * t + i]
        rb[i] = b[g, 2 * t + i]
    rc = al.nvvm.mma_16x8x8_f16_f32(ra, rb, rc)
    for i in range(4):
        c[g + 8 * (i // 2), 2 * t + i % 2] = rc[i]


def test_mma_of_halves(launch):
    a, b, c = halves((16, 8), 3), halves((8, 8), 4), np.zeros((16, 8), np.float32)
    launch(by_halves, a, b, c, block=32)
    np.testing.assert_array_equal(c, product(a, b, np.zeros_like(c)))


@avelang.jit
def through_ldmatrix(a: al.Tensor((16, 16), al.f16), b: al.Tensor((8, 16), al.f16), c: al.Tensor((16, 8), al.f16)):
    lane = al.thread_id(0)
    a_tile = al.make_shared((16, 16), al.f16, 16)
    b_tile = al.make_shared((8, 16), al.f16, 16)
    c_tile = al.make_shared((16, 8), al.f16, 16)
    for i in al.range(8):
        a_tile[(i * 32 + lane) // 16, lane % 16] = a[(i * 32 + lane) // 16, lane % 16]
    for i in al.range(4):
        b_tile[(i * 32 + lane) // 16, lane % 16] = b[(i * 32 + lane) // 16, lane % 16]
    al.syncthreads()
    # Matrices 0 and 1 are the upper and lower half of the first eight columns, 2 and 3 those of the other eight.
    ra = al.nvvm.ldmatrix_m8n8_x4_b16(al.subview(a_tile, (lane % 16, lane // 16 * 8), (1, 8), (1, 1)))
    rb = al.nvvm.ldmatrix_m8n8_x2_b16(al.subview(b_tile, (lane % 8, lane // 8 % 2 * 8), (1, 8), (1, 1)))
    rc = al.full((4,), 0.0, al.f16)
    rc = al.nvvm.mma_16x8x16_f16_f16(ra, rb, rc)
    words = al.view(rc, al.Tensor((2,), al.i32))
    al.nvvm.stmatrix_m8n8_x2_b16(al.subview(c_tile, (lane % 16, 0), (1, 8), (1, 1)), words)
    al.syncthreads()
    for i in al.range(4):
        c[(i * 32 + lane) // 8, lane % 8] = c_tile[(i * 32 + lane) // 8, lane % 8]


def test_a_tile_through_ldmatrix_mma_and_stmatrix(launch):
    a, b, c = halves((16, 16), 5), halves((8, 16), 6), np.zeros((16, 8), np.float16)
    launch(through_ldmatrix, a, b, c, block=32)
    np.testing.assert_array_equal(c, product(a, b, np.zeros_like(c)).astype(np.float16))


def move_kernel(load, store, count):
    @avelang.jit
    def kernel(x: al.Tensor((32, 8), al.u16), y: al.Tensor((32, 8), al.u16)):
        lane = al.thread_id(0)
        source = al.make_shared((32, 8), al.u16, 16)
        target = al.make_shared((32, 8), al.u16, 16)
        source[lane] = x[lane]
        target[lane] = al.full((8,), 0, al.u16)
        al.syncthreads()
        words = load(al.subview(source, (lane % (8 * count), 0), (1, 8), (1, 1)))
        store(al.subview(target, (lane % (8 * count), 0), (1, 8), (1, 1)), words)
        al.syncthreads()
        y[lane] = target[lane]

    return kernel


@pytest.mark.parametrize("store_trans", ["", "_trans"])
@pytest.mark.parametrize("load_trans", ["", "_trans"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_every_form_moves_or_transposes(launch, count, load_trans, store_trans):
    load = getattr(al.nvvm, f"ldmatrix_m8n8_x{count}_b16{load_trans}")
    store = getattr(al.nvvm, f"stmatrix_m8n8_x{count}_b16{store_trans}")
    x = np.random.default_rng(count).integers(0, 1 << 16, (32, 8)).astype(np.uint16)
    y = np.ones_like(x)
    launch(move_kernel(load, store, count), x, y, block=32)
    want = np.zeros_like(x)
    for j in range(count):
        m = x[8 * j : 8 * j + 8]
        want[8 * j : 8 * j + 8] = m.T if load_trans != store_trans else m
    np.testing.assert_array_equal(y, want)


@avelang.jit
def lanes_of_a_wave(x: al.Tensor((64,), al.i32), out: al.Tensor((64,), al.i32)):
    t = al.thread_id(0)
    rc = al.full((4,), 0.0, al.f16)
    rc = al.nvvm.mma_16x8x16_f16_f16(al.full((4,), 0, al.i32), al.full((2,), 0, al.i32), rc)
    out[t] = al.shuffle(x[t], 0, 32) + al.convert(rc[0], al.i32)


def test_the_wave_follows_from_the_intrinsics(launch):
    x = np.arange(64, dtype=np.int32)
    out = np.zeros_like(x)
    launch(lanes_of_a_wave, x, out)
    np.testing.assert_array_equal(out, x // 32 * 32)


# -- every mma of the table --------------------------------------------------------------------------------------------

# Combinations of two operand types share all code with those of one: a sample of them is enough here.
ROWS_HERE = [
    r
    for r in ROWS.values()
    if r.mma
    and r.namespace == "nvvm"
    and (dtype_of(r.params[0].type) == dtype_of(r.params[1].type) or "16x8x32" in r.name)
]


def any_mma(instruction, types, slots):
    """Each lane's fragments stand in rows of its own; a fragment of one element is a scalar."""
    a_type, b_type, c_type = types
    na, nb, nc = slots

    @avelang.jit
    def kernel(a: al.Tensor((32, na), a_type), b: al.Tensor((32, nb), b_type), c: al.Tensor((32, nc), c_type)):
        lane = al.thread_id(0)
        if na == 1:
            c[lane] = instruction(a[lane, 0], b[lane, 0], c[lane])
        elif nb == 1:
            c[lane] = instruction(a[lane], b[lane, 0], c[lane])
        else:
            c[lane] = instruction(a[lane], b[lane], c[lane])

    return kernel


@pytest.mark.parametrize("row", ROWS_HERE, ids=lambda r: r.name)
def test_every_mma(launch, row):
    """Small integers, which every type holds and adds exactly; the fragment maps are checked by the tests of the
    rows."""
    fragments = (row.mma.a, row.mma.b, row.mma.c)
    dtypes = [dtype_of(p.type) for p in row.params]
    rng = np.random.default_rng(13)
    low = [-4 if d.is_signed else 0 for d in dtypes]
    whole = [rng.integers(v, 5, f.shape[1:]) for v, f in zip(low, fragments, strict=True)]
    a, b, c = (f.gather(x[None].astype(d.np)) for f, x, d in zip(fragments, whole, dtypes, strict=True))
    kernel = any_mma(getattr(al.nvvm, row.name.removeprefix("nvvm.")), dtypes, [f.slots for f in fragments])
    launch(kernel, a, b, c, block=32)
    np.testing.assert_array_equal(row.mma.c.scatter(c)[0].astype(np.int64), whole[0] @ whole[1] + whole[2])
