"""Rows that work lane by lane: byte permute against the manual's pseudocode, approximations, fp8 conversions against
ml_dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang.arch import CHIPS
from avelang.isa.row import ROWS
from isa.amdgpu_waves import LANES, lowered, semantics

RNG = np.random.default_rng(13)
WORD = st.integers(0, (1 << 32) - 1)


def perm_model(s0: int, s1: int, sel: int) -> int:
    """V_PERM_B32 of the CDNA3 ISA guide, byte by byte: the source is the 64-bit number {S0, S1}."""
    data, out = s0 << 32 | s1, 0
    for i in range(4):
        code = sel >> 8 * i & 0xFF
        if code >= 13:
            byte = 0xFF
        elif code == 12:
            byte = 0
        elif code >= 8:
            byte = 0xFF * (data >> {11: 63, 10: 47, 9: 31, 8: 15}[code] & 1)
        else:
            byte = data >> 8 * code & 0xFF
        out |= byte << 8 * i
    return out


def full(x: int) -> np.ndarray:
    return np.full(LANES, x, np.uint32)


@given(WORD, WORD, st.lists(st.integers(0, 15) | st.integers(0, 255), min_size=4, max_size=4))
@settings(max_examples=200, deadline=None)
def test_perm(s0, s1, codes):
    sel = int.from_bytes(bytes(codes), "little")
    assert (semantics("perm", full(s0), full(s1), full(sel)) == perm_model(s0, s1, sel)).all()


def test_perm_picks_the_second_operand_for_low_selectors():
    assert semantics("perm", full(0x77665544), full(0x33221100), full(0x07060100))[0] == 0x77661100


def test_perm_expansion():
    s0, s1 = (RNG.integers(0, 1 << 32, LANES).astype(np.uint32) for _ in range(2))
    sel = RNG.integers(0, 16, (LANES, 4)).astype(np.uint8)
    sel[0] = (200, 13, 12, 255)
    sel = sel.view(np.uint32)[:, 0]
    got = lowered("perm", s0.view(np.int32), s1.view(np.int32), sel.view(np.int32))
    assert got.view(np.uint32).tolist() == [
        perm_model(int(a), int(b), int(c)) for a, b, c in zip(s0, s1, sel, strict=True)
    ]


EXACT = {"rcp": lambda x: 1 / x, "rsq": lambda x: 1 / np.sqrt(x), "exp2": np.exp2, "log2": np.log2}


@pytest.mark.parametrize("name", EXACT)
def test_approximations(name):
    x = np.concatenate([RNG.uniform(0.01, 90, LANES - 5), [0.0, -0.0, np.inf, np.nan, 1.0]]).astype(np.float32)
    with np.errstate(all="ignore"):
        want = EXACT[name](x.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(semantics(name, x), want)
    got = lowered(name, x)
    finite = np.isfinite(want)
    np.testing.assert_array_max_ulp(got[finite], want[finite], 1)
    np.testing.assert_array_equal(got[~finite], want[~finite])


# -- 8-bit floats ------------------------------------------------------------------------------------------------------

KIND = {
    ("fp8", "gfx942"): ml_dtypes.float8_e4m3fnuz, ("bf8", "gfx942"): ml_dtypes.float8_e5m2fnuz,
    ("fp8", "gfx950"): ml_dtypes.float8_e4m3fn, ("bf8", "gfx950"): ml_dtypes.float8_e5m2,
}  # fmt: skip
_LIMITS = [240, 241, 248, 448, 449, 500, 57344, 61440, 1e30, -1e30, 2**-10, 1.5 * 2**-11]
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, *_LIMITS], np.float32)


@pytest.mark.parametrize(("kind", "chip"), KIND)
def test_pack(kind, chip):
    a = np.concatenate([SPECIAL, RNG.standard_normal(LANES - len(SPECIAL)).astype(np.float32) * 8])
    b = -a[::-1]
    old = RNG.integers(-(1 << 31), 1 << 31, LANES).astype(np.int32)
    with np.errstate(all="ignore"):
        low, high = (x.astype(KIND[kind, chip]).view(np.uint8) for x in (a, b))
    for word_sel in (0, 1):
        got = semantics(f"cvt_pk_{kind}_f32", a, b, old, word_sel, chip=chip)
        bytes_ = got.view(np.uint8).reshape(-1, 4)
        np.testing.assert_array_equal(bytes_[:, 2 * word_sel], low)
        np.testing.assert_array_equal(bytes_[:, 2 * word_sel + 1], high)
        np.testing.assert_array_equal(
            bytes_[:, 2 - 2 * word_sel :][:, :2], old.view(np.uint8).reshape(-1, 4)[:, 2 - 2 * word_sel :][:, :2]
        )
        np.testing.assert_array_equal(lowered(f"cvt_pk_{kind}_f32", a, b, old, word_sel, chip=chip), got)


def test_pack_does_not_saturate():
    big, zero = np.full(LANES, 1e6, np.float32), np.zeros(LANES, np.int32)
    assert {chip: int(semantics("cvt_pk_fp8_f32", big, big, zero, 0, chip=chip)[0]) & 0xFF for chip in ("gfx942",
        "gfx950")} == {
        "gfx942": 0x80, "gfx950": 0x7F,
    }  # fmt: skip
    assert int(semantics("cvt_pk_bf8_f32", big, big, zero, 0, chip="gfx950")[0]) & 0xFF == 0x7C  # infinity


@pytest.mark.parametrize(("kind", "chip"), KIND)
def test_unpack_every_byte(kind, chip):
    table = np.arange(256, dtype=np.uint8)
    v = table.view(np.int32)
    want = table.view(KIND[kind, chip]).astype(np.float32).reshape(-1, 4)
    for byte in range(4):
        np.testing.assert_array_equal(semantics(f"cvt_f32_{kind}", v, byte, chip=chip), want[:, byte])
        np.testing.assert_array_equal(lowered(f"cvt_f32_{kind}", v, byte, chip=chip), want[:, byte])
    for half in (0, 1):
        pair = want[:, 2 * half : 2 * half + 2]
        np.testing.assert_array_equal(semantics(f"cvt_pk_f32_{kind}", v, half, chip=chip), pair)
        np.testing.assert_array_equal(lowered(f"cvt_pk_f32_{kind}", v, half, chip=chip), pair)


def test_conversions_are_not_on_gfx90a():
    rows = [r for n, r in ROWS.items() if n.startswith("amdgpu.cvt_")]
    assert len(rows) == 6
    assert not any(CHIPS["gfx90a"].has(r) for r in rows) and all(
        CHIPS[c].has(r) for r in rows for c in ("gfx942", "gfx950")
    )
