"""smfmac rows: the meaning against a dense product of the matrix that index and elements stand for, the expansion against the meaning,
LLVM's names."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.arch import CHIPS
from avelang.ir.types import dtype_of
from avelang.isa.amdgpu.sparse import SPARSE
from avelang.isa.row import ROWS, Row, in_range, types_on
from isa.amdgpu_waves import LANES, expanded, meaning
from isa.test_amdgpu_matrix import AMD, _llvm_type, _machine, selected

NAMES = [f"smfmac_{d.acc}_{d.m}x{d.m}x{d.k}_{d.inputs}" for d in SPARSE]
BY_NAME = dict(zip(NAMES, SPARSE, strict=True))


def row_of(name: str) -> Row:
    return ROWS[f"amdgpu.{name}"]


def case(name: str, seed: int = 0, abid: int = 0):
    """(dense A, B, C, operands): A has two elements of each four along K; where they stand, and with them the index, is random."""
    d, row, rng = BY_NAME[name], row_of(name), np.random.default_rng(seed)
    types = [dtype_of(types_on(p, CHIPS["gfx942"].features)[0]).np for p in row.params[:3]]
    stored = rng.integers(-4, 5, (d.m, d.k // 2)).astype(types[0])
    b = rng.integers(-4, 5, (d.k, d.m)).astype(types[1])
    c = rng.integers(-4, 5, (d.m, d.m)).astype(types[2])
    places = np.array([[sorted(rng.choice(4, 2, replace=False)) for _ in range(d.k // 4)] for _ in range(d.m)])
    dense = np.zeros((d.m, d.k), types[0])
    for i in range(d.m):
        for q in range(d.k // 4):
            for s in range(2):
                dense[i, 4 * q + places[i, q, s]] = stored[i, 2 * q + s]
    mma = row.mma
    index = rng.integers(0, 1 << 32, LANES, dtype=np.uint64)  # what stands in the other sets must not matter
    for lane in range(LANES):
        for slot in range(mma.a.slots):
            i, at = (int(x[lane, slot]) for x in mma.a.index[1:])
            shift = 2 * slot + 2 * mma.a.slots * abid
            index[lane] = index[lane] & ~np.uint64(3 << shift) | np.uint64(int(places[i, at // 2, at % 2]) << shift)
    held = [f.gather(x[None]) for f, x in ((mma.a, stored), (mma.b, b), (mma.c, c))]
    return dense, b, c, [*held, index.astype(np.uint32).view(np.int32)]


@pytest.mark.parametrize("name", NAMES)
def test_product_of_the_matrix_that_is_meant(name):
    sets = 16 // row_of(name).mma.a.slots
    for abid in range(sets):
        dense, b, c, operands = case(name, abid, abid)
        got = row_of(name).mma.c.scatter(meaning(name, *operands, 0, abid))[0]
        np.testing.assert_array_equal(got, dense.astype(np.float64) @ b.astype(np.float64) + c)


def test_cbsz_takes_the_first_set():
    dense, b, c, operands = case(NAMES[0], 3, abid=0)
    got = row_of(NAMES[0]).mma.c.scatter(meaning(NAMES[0], *operands, 1, 3))[0]
    np.testing.assert_array_equal(got, dense.astype(np.float64) @ b.astype(np.float64) + c)


def test_sets_of_the_index():
    for name in NAMES:
        abid = next(p for p in row_of(name).params if p.name == "abid")
        assert in_range(abid, 1) and in_range(abid, 3) == (row_of(name).mma.a.slots == 4)


@pytest.mark.parametrize("name", ["f32_16x16x32_bf16", "f32_32x32x16_f16", "i32_16x16x64_i8", "f32_32x32x32_fp8_bf8"])
def test_expansion(name):
    name = f"smfmac_{name}"
    row = row_of(name)
    _, _, _, operands = case(name, 1, abid=1)
    types = [types_on(p, CHIPS["gfx942"].features)[0] for p in row.operands]
    np.testing.assert_array_equal(expanded(name, *operands, 0, 1, types=types), meaning(name, *operands, 0, 1))


# Order of 8-bit operands in the emulator of AMD's ROCm systems repository (exec_smfmac_f32_16x16x64_fp8): element e of B in lane group g is
# k = 32 (e / 8) + 8 g + e % 8; stored element cc of A is byte 4 (cc / 16) + cc % 4 of group (cc % 16) / 4, its index two bits at twice
# that byte.
def test_order_of_8_bit_operands():
    mma = row_of("smfmac_f32_16x16x64_fp8_fp8").mma
    for g in range(4):
        assert [int(k) for k in mma.b.index[1][16 * g]] == [32 * (e // 8) + 8 * g + e % 8 for e in range(16)]
    for cc in range(32):
        assert mma.a.index[2][16 * (cc % 16 // 4), 4 * (cc // 16) + cc % 4] == cc


@pytest.mark.parametrize("name", NAMES)
def test_llvm_selects_it(name):
    d, row = BY_NAME[name], row_of(name)
    result = _llvm_type(row.params[2].type)
    for chip in (c.name for c in AMD if c.has(row)):
        got = selected(_machine(chip), row.llvm["amdgpu"], result, [*d.words, result, "i32"], "i32 0, i32 0")
        assert got == name, chip
