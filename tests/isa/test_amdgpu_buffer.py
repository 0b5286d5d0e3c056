"""Raw-buffer rows: dword-wise range checks against a byte-by-byte model, meanings and expansions; loads straight to
LDS."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avelang.base.errors import UnsupportedError
from avelang.ir.dtypes import i32, i64, u8, u32
from avelang.ir.types import GLOBAL, SHARED, TensorType, VecType
from avelang.isa.amdgpu.buffer import FLAGS, LDS_SIZES, RSRC, words
from avelang.isa.row import ROWS, TensorRef, allowed, in_range
from isa.amdgpu_waves import ALL, LANES, Bench, OneWave

BASE = 0x7F12_3456_7000
BYTES = 1024
RNG = np.random.default_rng(11)
CONTENT = RNG.integers(1, 256, BYTES).astype(np.uint8)


def place(address: int, space: str = GLOBAL) -> TensorRef:
    return TensorRef(space, np.full(LANES, address, np.uint64), TensorType(u8, (BYTES,), (1,), space))


def rsrc(limit: int, wave: OneWave | None = None) -> np.ndarray:
    return ROWS["amdgpu.make_rsrc"].semantics(wave or OneWave(), place(BASE), np.full(LANES, limit, np.uint32), FLAGS)


def model_load(memory: np.ndarray, offset: int, limit: int, n: int) -> list[int]:
    """The n dwords that a lane must get, read byte by byte."""
    out = []
    for j in range(n):
        at = offset + 4 * j
        out.append(int.from_bytes(memory[at : at + 4].tobytes(), "little", signed=True) if at + 4 <= limit else 0)
    return out


def test_resource_words():
    got = rsrc(1000)
    assert got.dtype == np.int32 and (got.view(np.uint32) == [0x3456_7000, 0x7F12, 1000, 0x0002_7000]).all()


# -- meaning -----------------------------------------------------------------------------------------------------------

OFFSETS = st.lists(
    st.integers(0, BYTES // 4 - 1) | st.integers(0x3FFF_FFF0, 0x3FFF_FFFF), min_size=LANES, max_size=LANES
)


@given(OFFSETS, OFFSETS, st.integers(0, BYTES), st.sampled_from([1, 2, 4]), st.integers(0, (1 << 64) - 1))
@settings(max_examples=60, deadline=None)
def test_range_is_checked_dword_by_dword(v, s, limit, n, bits):
    """Offsets that reach the sign bit count as large, not as negative; offset sums do not wrap."""
    active = np.array([bits >> lane & 1 for lane in range(LANES)], bool)
    wave = OneWave({GLOBAL: CONTENT.copy()}, active, base=BASE)
    voffset, soffset = (4 * np.array(x, np.uint32) for x in (v, s))
    total = [int(x) + int(y) for x, y in zip(voffset, soffset, strict=True)]
    got = (
        ROWS[f"amdgpu.raw_buffer_load_x{n}"]
        .semantics(wave, rsrc(limit), voffset.view(np.int32), soffset, 0)
        .reshape(LANES, n)
    )
    for lane in np.flatnonzero(active):
        assert got[lane].tolist() == model_load(CONTENT, total[lane], limit, n)

    data = RNG.integers(-(1 << 31), 1 << 31, (LANES, n)).astype(np.int32)
    row = ROWS[f"amdgpu.raw_buffer_store_x{n}"]
    row.semantics(wave, data if n > 1 else data[:, 0], rsrc(limit), voffset.view(np.int32), soffset, 0)
    want = CONTENT.copy()
    for lane in np.flatnonzero(active):
        for j in range(n):
            at = total[lane] + 4 * j
            if at + 4 <= limit:
                want[at : at + 4] = data[lane, j : j + 1].view(np.uint8)
    # Where lanes overlap, which of them wins is not defined: compare elsewhere.
    touched = [
        total[lane] + 4 * j for lane in np.flatnonzero(active) for j in range(n) if total[lane] + 4 * j + 4 <= limit
    ]
    clashes = {at for at in touched if touched.count(at) > 1}
    same = np.ones(BYTES, bool)
    for at in clashes:
        same[at : at + 4] = False
    np.testing.assert_array_equal(wave.memory[GLOBAL][same], want[same])


# -- expansion ---------------------------------------------------------------------------------------------------------


def buffer_bench(memory: np.ndarray, limit: int):
    """A bench with a resource over all of `memory`, made by the expansion of make_rsrc."""
    bench = Bench()
    tensor = bench.array(memory, TensorType(u8, (BYTES,), (1,), GLOBAL))
    return bench, ROWS["amdgpu.make_rsrc"].lower(bench.b, tensor, bench.b.const(limit, u32), FLAGS)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("limit", [0, 3, 4, 500, 509, BYTES])
@pytest.mark.parametrize("split", [False, True], ids=["one offset", "two offsets"])
def test_load_expansion(n, limit, split):
    total = 4 * RNG.integers(0, 160, LANES)
    if split:
        total[:4] = (0xFFFF_FFFC, 0x8000_0000, 0xFFFF_FFF0, 0x7FFF_FFF0)
    soffset = (total // 3 // 4 * 4).astype(np.uint32) if split else np.zeros(LANES, np.uint32)
    voffset = (total - soffset).astype(np.uint32).view(np.int32)
    active = RNG.random(LANES) < 0.7
    bench, resource = buffer_bench(CONTENT.copy(), limit)
    v, s = bench.operand(voffset, i32), bench.operand(soffset, u32)
    with bench.only(active):
        got = bench.keep(ROWS[f"amdgpu.raw_buffer_load_x{n}"].lower(bench.b, resource, v, s, 0))
    bench.run()
    for lane in np.flatnonzero(active):
        assert got.reshape(LANES, n)[lane].tolist() == model_load(CONTENT, int(total[lane]), limit, n)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("limit", [0, 4, 500, 510, BYTES])
def test_store_expansion(n, limit):
    offset = (4 * n * RNG.permutation(LANES)).astype(np.int32)  # no two lanes overlap
    data = RNG.integers(-(1 << 31), 1 << 31, (LANES, n)).astype(np.int32)
    memory = CONTENT.copy()
    bench, resource = buffer_bench(memory, limit)
    value, v = bench.operand(data, words(n)), bench.operand(offset, i32)
    ROWS[f"amdgpu.raw_buffer_store_x{n}"].lower(bench.b, value, resource, v, bench.b.const(0, i32), 0)
    bench.run()
    want = CONTENT.copy()
    for lane in range(LANES):
        for j in range(n):
            at = int(offset[lane]) + 4 * j
            if at + 4 <= min(limit, BYTES):
                want[at : at + 4] = data[lane, j : j + 1].view(np.uint8)
    np.testing.assert_array_equal(memory, want)


def test_resource_expansion_is_its_meaning():
    memory = CONTENT.copy()
    bench, resource = buffer_bench(memory, 77)
    got = bench.keep(resource)
    bench.run()
    words_ = got.view(np.uint32)
    assert (words_ == words_[0]).all() and words_[0, 2:].tolist() == [77, FLAGS] and words_[0, 1] < 1 << 16


# -- straight to LDS ---------------------------------------------------------------------------------------------------

LDS_BYTES = 64 * 16 + 64


def lds_model(memory, total, limit, size, first_base, imm, active):
    out = np.zeros(LDS_BYTES, np.uint8)
    for lane in np.flatnonzero(active):
        at, to = (
            int(total[lane]) + imm,
            first_base + imm + lane * {12: 16}.get(size, max(4, size)),
        )  # three words leave the fourth free
        if size < 4:
            raw = memory[at : at + size].tobytes().ljust(4, b"\0") if at + size <= limit else bytes(4)
        else:
            raw = b"".join(int.to_bytes(x, 4, "little", signed=True) for x in model_load(memory, at, limit, size // 4))
        out[to : to + len(raw)] = np.frombuffer(raw, np.uint8)
    return out


LDS = ROWS["amdgpu.raw_buffer_load_x1_lds"]


@pytest.mark.parametrize("size", LDS_SIZES)
@pytest.mark.parametrize("active", [ALL, np.arange(LANES) % 3 == 1], ids=["all", "third"])
def test_load_to_lds(size, active):
    """The base is the first active lane's, whatever the others say."""
    voffset = (4 * RNG.integers(0, 200, LANES)).astype(np.int32)
    soffset, imm, limit = np.full(LANES, 8, np.uint32), 12, 700
    first = int(np.flatnonzero(active)[0])
    bases = np.where(np.arange(LANES) == first, 16, 32).astype(np.uint64)
    want = lds_model(CONTENT, voffset + 8, limit, size, 16, imm, active)

    wave = OneWave({GLOBAL: CONTENT.copy(), SHARED: np.zeros(LDS_BYTES, np.uint8)}, active, "gfx950")
    wave.base = 0
    flat = ROWS["amdgpu.make_rsrc"].semantics(wave, place(0), np.full(LANES, limit, np.uint32), FLAGS)
    LDS.semantics(
        wave, flat, TensorRef(SHARED, bases, TensorType(u8, (LDS_BYTES,), (1,), SHARED)), size, voffset, soffset, imm, 0
    )
    np.testing.assert_array_equal(wave.memory[SHARED], want)

    bench = Bench("gfx950")
    tensor = bench.array(CONTENT.copy(), TensorType(u8, (BYTES,), (1,), GLOBAL))
    resource = ROWS["amdgpu.make_rsrc"].lower(bench.b, tensor, bench.b.const(limit, u32), FLAGS)
    lds = bench.b.base(bench.shared(LDS_BYTES))
    v = bench.operand(voffset, i32)
    for start in range(0, LDS_BYTES, LANES):  # shared memory begins undefined
        bench.b.st(bench.b.const(0, u8), lds, bench.b.add(bench.lane, bench.b.const(start, i64)), 1)
    where = bench.b.ptr_add(lds, bench.operand(bases.astype(np.int64), i64))
    with bench.only(active):
        LDS.lower(bench.b, resource, where, size, v, bench.b.const(8, u32), imm, 0)
    per_lane = LDS_BYTES // LANES
    got = bench.keep(bench.b.ld(lds, bench.b.mul(bench.lane, bench.b.const(per_lane, i64)), VecType(u8, per_lane), 1))
    bench.run()
    np.testing.assert_array_equal(got.reshape(-1), want)


def test_sizes_of_lds_loads():
    size = next(p for p in LDS.params if p.name == "size")
    assert [n for n in range(20) if in_range(size, n)] == [1, 2, 4, 12, 16]
    assert allowed(size) == "one of 1, 2, 4, 12, 16"
    bench = Bench("gfx942")
    args = [bench.b.const(0, RSRC), bench.shared(64), 16, bench.b.const(0, i32), bench.b.const(0, i32), 0, 0]
    with pytest.raises(UnsupportedError, match="size 16 is not available") as e:
        LDS.lower(bench.b, *args)
    assert e.value.code == "U103"
