"""Rows that move values between lanes: DPP against a model in plain Python, and each expansion against its meaning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang.ir.dtypes import SCALARS
from avelang.isa.amdgpu.lane_rows import CONTROLS
from avelang.isa.row import ROWS
from isa.amdgpu_waves import LANES, lowered, semantics

RNG = np.random.default_rng(7)
SOME = RNG.random(LANES) < 0.6
VALUES = RNG.integers(0, 1 << 31, LANES, dtype=np.int32)
OLD = -RNG.integers(1, 1 << 30, LANES, dtype=np.int32)


def dpp_model(old, src, ctrl, row_mask, bank_mask, bound, active):
    """Lane by lane, from the words of the manual."""
    out = []
    for lane in range(64):
        row, at = divmod(lane, 16)
        if not (row_mask >> row & 1 and bank_mask >> (at // 4) & 1):
            out.append(old[lane])
            continue
        if ctrl < 0x100:
            source = lane - lane % 4 + (ctrl >> 2 * (lane % 4)) % 4
        elif 0x101 <= ctrl <= 0x10F:
            source = lane + ctrl - 0x100 if at + ctrl - 0x100 <= 15 else None
        elif 0x111 <= ctrl <= 0x11F:
            source = lane - (ctrl - 0x110) if at >= ctrl - 0x110 else None
        elif 0x121 <= ctrl <= 0x12F:
            source = 16 * row + (at + 16 - (ctrl - 0x120)) % 16
        elif ctrl == 0x130:
            source = lane + 1 if lane < 63 else None
        elif ctrl == 0x134:
            source = lane + 1 if lane < 63 else 0
        elif ctrl == 0x138:
            source = lane - 1 if lane > 0 else None
        elif ctrl == 0x13C:
            source = lane - 1 if lane > 0 else 63
        elif ctrl == 0x140:
            source = 16 * row + 15 - at
        elif ctrl == 0x141:
            source = 16 * row + 8 * (at // 8) + 7 - at % 8
        elif ctrl == 0x142:
            source = 16 * row - 1 if row else None
        elif ctrl == 0x143:
            source = 31 if row >= 2 else None
        else:
            source = 16 * row + ctrl - 0x150
        if source is None or not active[source]:
            out.append(0 if bound else old[lane])
        else:
            out.append(src[source])
    return np.array(out, old.dtype)


@given(
    st.sampled_from(CONTROLS), st.integers(0, 15), st.integers(0, 15), st.integers(0, 1), st.integers(0, (1 << 64) - 1)
)
@settings(max_examples=300, deadline=None)
def test_dpp_is_the_model(ctrl, row_mask, bank_mask, bound, bits):
    active = np.array([bits >> lane & 1 for lane in range(64)], bool)
    want = dpp_model(OLD, VALUES, ctrl, row_mask, bank_mask, bound, active)
    np.testing.assert_array_equal(
        semantics("get_dpp", OLD, VALUES, ctrl, row_mask, bank_mask, bound, active=active), want
    )


PATTERN_SAMPLES = (
    0x00, 0x1B, 0xE4, 0x101, 0x10F, 0x111, 0x118, 0x121, 0x12C,
    0x130, 0x134, 0x138, 0x13C, 0x140, 0x141, 0x142, 0x143, 0x150, 0x15F,
)  # fmt: skip


@pytest.mark.parametrize("ctrl", PATTERN_SAMPLES)
@pytest.mark.parametrize(("row_mask", "bank_mask", "bound"), [(15, 15, 1), (10, 15, 0), (15, 6, 1)])
def test_dpp_expansion(ctrl, row_mask, bank_mask, bound):
    got = lowered("get_dpp", OLD, VALUES, ctrl, row_mask, bank_mask, bound, active=SOME)
    np.testing.assert_array_equal(got[SOME], dpp_model(OLD, VALUES, ctrl, row_mask, bank_mask, bound, SOME)[SOME])


def test_every_dpp_control_is_known_and_no_other():
    param = next(p for p in ROWS["amdgpu.get_dpp"].params if p.name == "dpp_ctrl")
    assert len(CONTROLS) == len(set(CONTROLS)) == 256 + 3 * 15 + 4 + 4 + 16
    assert not {0x100, 0x110, 0x120, 0x131, 0x144} & set(param.choices)


@pytest.mark.parametrize(
    "dtype", [d for d in SCALARS if any(d == t for t in ROWS["amdgpu.readfirstlane"].params[0].type)], ids=repr
)
@pytest.mark.parametrize("lanes", [[0, 5], [63], [17, 18, 40], list(range(64))])
def test_readfirstlane(dtype, lanes):
    active = np.isin(np.arange(64), lanes)
    v = RNG.integers(0, 100, LANES).astype(dtype.np)
    got = semantics("readfirstlane", v, active=active)
    assert (got == v[lanes[0]]).all()
    np.testing.assert_array_equal(lowered("readfirstlane", v, active=active, types=[dtype])[active], got[active])


def test_readfirstlane_moves_bits_of_floats():
    nan = np.full(LANES, 0x7FC0BEEF, np.uint32).view(np.float32)
    assert (semantics("readfirstlane", nan).view(np.uint32) == 0x7FC0BEEF).all()


@pytest.mark.parametrize("pattern", [0x041F, 0x401F, 0x7C1F, 0x0010, 0x03E0, 0x80E4, 0x801B])
def test_swizzle(pattern):
    def source(lane):
        if pattern >= 0x8000:
            return lane - lane % 4 + (pattern >> 2 * (lane % 4)) % 4
        low = ((lane % 32) & (pattern % 32) | pattern // 32 % 32) ^ pattern // 1024 % 32
        return lane // 32 * 32 + low

    want = np.array([VALUES[source(lane)] if SOME[source(lane)] else 0 for lane in range(64)])
    np.testing.assert_array_equal(semantics("ds_swizzle", VALUES, pattern, active=SOME), want)
    np.testing.assert_array_equal(lowered("ds_swizzle", VALUES, pattern, active=SOME)[SOME], want[SOME])


def test_swizzle_xor_is_a_butterfly():
    assert (semantics("ds_swizzle", VALUES, 0x1F | 16 << 10) == VALUES[np.arange(64) ^ 16]).all()


def test_bpermute_takes_four_times_the_lane_modulo_the_wave():
    lanes = RNG.integers(-3, 200, LANES)
    address = (4 * lanes + RNG.integers(0, 4, LANES)).astype(np.int32)
    want = np.array([VALUES[lane % 64] if SOME[lane % 64] else 0 for lane in lanes])
    np.testing.assert_array_equal(semantics("ds_bpermute", address, VALUES, active=SOME), want)
    np.testing.assert_array_equal(lowered("ds_bpermute", address, VALUES, active=SOME)[SOME], want[SOME])


def test_ballot_and_mbcnt_rank_the_lanes_of_a_condition():
    cond = RNG.random(LANES) < 0.5
    word = semantics("ballot", cond, active=SOME)
    assert (word == sum(1 << lane for lane in range(64) if cond[lane] and SOME[lane])).all()
    np.testing.assert_array_equal(lowered("ballot", cond, active=SOME)[SOME], word[SOME])
    low, high = (word & np.uint64(0xFFFFFFFF)).astype(np.uint32), (word >> np.uint64(32)).astype(np.uint32)
    base = np.full(LANES, 5, np.uint32)
    rank = semantics("mbcnt_hi", high, semantics("mbcnt_lo", low, base))
    np.testing.assert_array_equal(rank, 5 + np.concatenate([[0], np.cumsum(cond & SOME)[:-1]]))
    np.testing.assert_array_equal(lowered("mbcnt_hi", high, lowered("mbcnt_lo", low, base)), rank)
