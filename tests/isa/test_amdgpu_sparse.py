"""smfmac rows: the meaning against a dense product of the matrix that index and elements stand for, the expansion
against the meaning, LLVM's names."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.arch import CHIPS
from avelang.ir.types import dtype_of
from avelang.isa.amdgpu.sparse import SPARSE
from avelang.isa.lowering import spelling
from avelang.isa.row import ROWS, Row, in_range, types_on
from isa.amdgpu_waves import LANES, lowered, semantics
from isa.test_amdgpu_mfma_rows import AMD, _llvm_type, _machine, selected

NAMES = [f"smfmac_{d.acc}_{d.m}x{d.m}x{d.k}_{d.inputs}" for d in SPARSE]
BY_NAME = dict(zip(NAMES, SPARSE, strict=True))


def row_of(name: str) -> Row:
    return ROWS[f"amdgpu.{name}"]


def chip_of(name: str) -> str:
    return "gfx950" if BY_NAME[name].needs == "mfma-gfx950" else "gfx942"


def case(name: str, seed: int = 0, abid: int = 0):
    """(dense A, B, C, operands): A has two elements of each four along K; where they stand, and with them the index, is
    random."""
    d, row, rng = BY_NAME[name], row_of(name), np.random.default_rng(seed)
    types = [dtype_of(types_on(p, CHIPS[chip_of(name)].features)[0]).np for p in row.params[:3]]
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
        got = row_of(name).mma.c.scatter(semantics(name, *operands, 0, abid))[0]
        np.testing.assert_array_equal(got, dense.astype(np.float64) @ b.astype(np.float64) + c)


def test_cbsz_takes_the_first_set():
    dense, b, c, operands = case(NAMES[0], 3, abid=0)
    got = row_of(NAMES[0]).mma.c.scatter(semantics(NAMES[0], *operands, 1, 3))[0]
    np.testing.assert_array_equal(got, dense.astype(np.float64) @ b.astype(np.float64) + c)


def test_sets_of_the_index():
    for name in NAMES:
        abid = next(p for p in row_of(name).params if p.name == "abid")
        sets = {4: 4, 8: 2, 16: 1}[row_of(name).mma.a.slots]
        assert [in_range(abid, i) for i in range(5)] == [i < sets for i in range(5)]


EXPANDED = [
    ("f32_16x16x32_bf16", 1), ("f32_32x32x16_f16", 1), ("i32_16x16x64_i8", 1), ("f32_32x32x32_fp8_bf8", 1),
    ("f32_16x16x64_f16", 1),
    ("f32_32x32x32_bf16", 1), ("i32_16x16x128_i8", 0), ("f32_32x32x64_bf8_fp8", 0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "abid"), EXPANDED)
def test_expansion(name, abid):
    name = f"smfmac_{name}"
    row = row_of(name)
    _, _, _, operands = case(name, 1, abid)
    types = [types_on(p, CHIPS[chip_of(name)].features)[0] for p in row.operands]
    np.testing.assert_array_equal(lowered(name, *operands, 0, abid, types=types), semantics(name, *operands, 0, abid))


# Places along K of B's slots, in group g of lanes (CDNA4 ISA guide, tables 34 and 36 and those of 7.5.1.3).
PLACES = {
    "16x16x32_f16": lambda g, e: 8 * g + e, "32x32x16_bf16": lambda g, e: 8 * g + e,
    "16x16x64_fp8_fp8": lambda g, e: 16 * g + e, "32x32x32_fp8_bf8": lambda g, e: 16 * g + e,
    "16x16x64_f16": lambda g, e: 32 * (e // 8) + 8 * g + e % 8, "32x32x32_bf16": lambda g,
    e: 16 * (e // 8) + 8 * g + e % 8,
    "16x16x128_bf8_bf8": lambda g, e: 64 * (e // 16) + 16 * g + e % 16, "32x32x64_fp8_fp8": lambda g,
    e: 32 * (e // 16) + 16 * g + e % 16,
}  # fmt: skip


@pytest.mark.parametrize("shape", PLACES)
def test_places_along_k_in_the_manual(shape):
    d, mma = BY_NAME[f"smfmac_f32_{shape}"], row_of(f"smfmac_f32_{shape}").mma
    for g in range(LANES // d.m):
        assert [int(k) for k in mma.b.index[1][d.m * g]] == [PLACES[shape](g, e) for e in range(mma.b.slots)]
        assert [int(k) for k in mma.a.index[2][d.m * g]] == [mma.a.slots * g + s for s in range(mma.a.slots)]


# For 8-bit operands, (group of lanes, slot) of A's stored element c and of B's row k, in the emulator of AMD's ROCm
# systems repository (exec_smfmac_f32_16x16x64_fp8 and its like; those of gfx950 were verified on an MI350).
EMULATOR = {
    "16x16x64_fp8_fp8": (lambda c: (c % 16 // 4, 4 * (c // 16) + c % 4), lambda k: (k // 8 % 4, 8 * (k // 32) + k % 8)),
    "32x32x32_fp8_fp8": (lambda c: (c % 8 // 4, 4 * (c // 8) + c % 4), lambda k: (k // 8 % 2, 8 * (k // 16) + k % 8)),
    "16x16x128_fp8_fp8": (
        lambda c: (2 * (c >> 5 & 1) + (c >> 3 & 1), 4 * (2 * (c >> 2 & 1) + (c >> 4 & 1)) + c % 4),
        lambda k: (k // 8 % 4, 8 * (k // 32) + k % 8),
    ),
    "32x32x64_fp8_fp8": (lambda c: (c >> 4 & 1, 4 * (2 * (c >> 2 & 1) + (c >> 3 & 1)) + c % 4),
        lambda k: (k // 8 % 2, 8 * (k // 16) + k % 8)),
}  # fmt: skip


@pytest.mark.parametrize("shape", EMULATOR)
def test_what_meets_what_in_the_emulator(shape):
    """Its names of the places along K differ from the manual's; which slots of A meet which of B does not."""
    d, mma = BY_NAME[f"smfmac_f32_{shape}"], row_of(f"smfmac_f32_{shape}").mma
    stored, dense = EMULATOR[shape]
    theirs = {(stored(2 * q), stored(2 * q + 1), *(dense(4 * q + i) for i in range(4))) for q in range(d.k // 4)}
    at_a = {int(mma.a.index[2][d.m * g, s]): (g, s) for g in range(LANES // d.m) for s in range(mma.a.slots)}
    at_b = {int(mma.b.index[1][d.m * g, s]): (g, s) for g in range(LANES // d.m) for s in range(mma.b.slots)}
    assert theirs == {(at_a[2 * q], at_a[2 * q + 1], *(at_b[4 * q + i] for i in range(4))) for q in range(d.k // 4)}


@pytest.mark.parametrize("name", NAMES)
def test_llvm_selects_it(name):
    d, row = BY_NAME[name], row_of(name)
    result = _llvm_type(row.params[2].type)
    for chip in (c.name for c in AMD if c.has(row)):
        got = selected(_machine(chip), spelling(row.llvm["amdgpu"]), result, [*d.words, result, "i32"], "i32 0, i32 0")
        assert got == name, chip
