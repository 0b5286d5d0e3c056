"""Moves between lanes against plain Python over lists of lanes, with all lanes active and with some."""

import re
import subprocess

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.amdgcn import cross_lane
from sim.amdgcn.programs import run_program
from tools import assembler

FULL = (1 << 64) - 1
MASKS = (FULL, 0x00FF_1234_8421_F00D, 0, 1 << 63)
RNG = np.random.default_rng(3)
DATA = RNG.integers(0, 1 << 32, 64, dtype=np.uint32)
OTHER = RNG.integers(0, 1 << 32, 64, dtype=np.uint32)
OLD = RNG.integers(0, 1 << 32, 64, dtype=np.uint32)


def active(mask: int) -> list[bool]:
    return [bool(mask >> n & 1) for n in range(64)]


def kept(new: list[int], mask: int) -> list[int]:
    return [v if on else int(o) for v, on, o in zip(new, active(mask), OLD, strict=True)]


@pytest.mark.parametrize("mask", MASKS)
def test_one_lane(mask):
    body = """
        v_readfirstlane_b32 s0, v0
        v_readlane_b32 s1, v0, 5
        v_readlane_b32 s2, v0, s20
        v_readlane_b32 m0, v0, 63
        v_mov_b32 v3, v0
        v_writelane_b32 v1, s20, 7
        v_writelane_b32 v1, 17, s20
        v_writelane_b32 v1, -1, m0
        v_writelane_b32 v3, s1, 2
        v_readlane_b32 s3, v3, 2
        v_readlane_b32 vcc_lo, v3, 3
        v_mov_b32 v4, v1
    """
    r = run_program(body, {"v0": DATA, "v1": OTHER, "v3": OLD, "v4": OLD, "s20": 64 + 9}, exec_mask=mask)
    low = (mask & -mask).bit_length() - 1 if mask else 0
    last = int(DATA[63])
    moved = kept([int(x) for x in DATA], mask)
    assert [r[x] for x in ("s0", "s1", "s2", "m0", "s3", "vcc_lo")] == [
        DATA[low], DATA[5], DATA[9], last, DATA[5], moved[3],
    ]  # fmt: skip
    want = OTHER.copy()
    want[7], want[9], want[last % 64] = 73, 17, 0xFFFFFFFF
    assert (r["v1"] == want).all()
    assert list(r["v4"]) == kept([int(x) for x in want], mask)


@pytest.mark.parametrize("mask", MASKS)
def test_counts_below(mask):
    word = 0xDEADBEEF12345678
    body = (
        "v_mbcnt_lo_u32_b32 v1, -1, 0\nv_mbcnt_hi_u32_b32 v1, -1, v1\nv_mbcnt_lo_u32_b32 v2, s0, v0\n"
        "v_mbcnt_hi_u32_b32 v2, s1, v2"
    )
    r = run_program(body, {"v0": DATA, "v1": OLD, "v2": OLD, "s[0:1]": word}, exec_mask=mask)
    below = [(word & (1 << n) - 1).bit_count() for n in range(64)]
    assert list(r["v1"]) == kept(list(range(64)), mask)
    assert list(r["v2"]) == kept([(int(x) + b) & 0xFFFFFFFF for x, b in zip(DATA, below, strict=True)], mask)


@pytest.mark.parametrize("mask", MASKS)
def test_permutes(mask):
    to = RNG.permutation(64).astype(np.uint32) * 4
    crowded = RNG.integers(0, 1 << 32, 64, dtype=np.uint32)
    body = """
        ds_bpermute_b32 v4, v1, v0
        ds_bpermute_b32 v5, v2, v0 offset:20
        ds_permute_b32 v6, v1, v0 offset:8
        ds_permute_b32 v7, v2, v0
        ds_bpermute_b32 v0, v1, v0
    """
    r = run_program(body, {"v0": DATA, "v1": to, "v2": crowded, **{f"v{n}": OLD for n in (4, 5, 6, 7)}}, exec_mask=mask)
    on = active(mask)

    def fetched(address: np.ndarray, offset: int) -> list[int]:
        where = [(int(a) + offset) // 4 % 64 for a in address]
        return [int(DATA[w]) if on[w] else 0 for w in where]

    def sent(address: np.ndarray, offset: int) -> list[int]:
        out = [0] * 64
        for n in range(64):
            if on[n]:
                out[(int(address[n]) + offset) // 4 % 64] = int(DATA[n])
        return out

    assert list(r["v4"]) == kept(fetched(to, 0), mask)
    assert list(r["v5"]) == kept(fetched(crowded, 20), mask)
    assert list(r["v6"]) == kept(sent(to, 8), mask)
    assert list(r["v7"]) == kept(sent(crowded, 0), mask)
    assert list(r["v0"]) == [v if x else int(d) for v, x, d in zip(fetched(to, 0), on, DATA, strict=True)]


SWIZZLES = {
    "swizzle(QUAD_PERM,3,1,0,2)": lambda n: n // 4 * 4 + (3, 1, 0, 2)[n % 4],
    'swizzle(BITMASK_PERM,"01pi0")': lambda n: n & 32 | 8 | n & 4 | (n & 2 ^ 2),
    'swizzle(BITMASK_PERM,"p0p1i")': lambda n: n & 32 | n & 16 | n & 4 | 2 | (n & 1 ^ 1),
    "swizzle(BROADCAST,8,5)": lambda n: n // 8 * 8 + 5, "swizzle(BROADCAST,32,17)": lambda n: n // 32 * 32 + 17,
    "swizzle(SWAP,4)": lambda n: n ^ 4, "swizzle(REVERSE,16)": lambda n: n // 16 * 16 + 15 - n % 16,
    "swizzle(ROTATE,0,3)": lambda n: n // 32 * 32 + (n + 3) % 32,
    "swizzle(ROTATE,1,5)": lambda n: n // 32 * 32 + (n - 5) % 32,
    "swizzle(FFT,0)": lambda n: n & 32 | int(f"{n % 32:05b}"[::-1], 2),
    "swizzle(FFT,1)": lambda n: n & 32 | int(f"{n % 32:05b}"[::-1], 2) >> 1 | n & 1, "0x401f": lambda n: n ^ 16,
    "0xc063": lambda n: n // 32 * 32 + ((n + 3) & 0x1C | n & 3),
}  # fmt: skip


@pytest.mark.parametrize("mask", MASKS)
def test_swizzles(mask):
    body = "\n".join(f"ds_swizzle_b32 v{2 + n}, v0 offset:{text}" for n, text in enumerate(SWIZZLES))
    r = run_program(body, {"v0": DATA, **{f"v{2 + n}": OLD for n in range(len(SWIZZLES))}}, exec_mask=mask)
    on = active(mask)
    for n, (text, rule) in enumerate(SWIZZLES.items()):
        want = kept([int(DATA[rule(k)]) if on[rule(k)] else 0 for k in range(64)], mask)
        assert list(r[f"v{2 + n}"]) == want, text


def test_patterns_are_those_of_the_assembler():
    text = "\n".join(f"ds_swizzle_b32 v0, v1 offset:{x}" for x in SWIZZLES if x.startswith("swizzle"))
    out = subprocess.run(assembler("gfx942", encoding=True), input=text, capture_output=True, text=True, check=True)
    codes = [[int(x, 16) for x in m.split(",")] for m in re.findall(r"encoding: \[([^]]+)\]", out.stdout)]
    assert [c[0] | c[1] << 8 for c in codes] == [
        cross_lane.swizzle_offset(x) for x in SWIZZLES if x.startswith("swizzle")
    ]


@pytest.mark.parametrize("mask", MASKS)
def test_accumulation_registers(mask):
    body = (
        "v_accvgpr_write_b32 a3, v0\nv_accvgpr_read_b32 v2, a3\nv_accvgpr_mov_b32 a4, a3\nv_accvgpr_write_b32 a5, 2.0"
    )
    r = run_program(body, {"v0": DATA, **{x: OLD for x in ("a3", "a4", "a5", "v2")}}, exec_mask=mask)
    moved = kept([int(x) for x in DATA], mask)
    assert list(r["a3"]) == moved and list(r["v2"]) == moved and list(r["a4"]) == moved
    assert list(r["a5"]) == kept([0x40000000] * 64, mask)


def test_swapped_rows():
    r = run_program(
        "v_permlane16_swap_b32 v0, v1\nv_permlane32_swap_b32 v2, v3",
        {"v0": DATA, "v1": OTHER, "v2": DATA, "v3": OTHER},
        chip="gfx950",
    )
    for a, b, row in (("v0", "v1", 16), ("v2", "v3", 32)):
        d, s = DATA.reshape(-1, row).copy(), OTHER.reshape(-1, row).copy()
        d[1::2], s[::2] = OTHER.reshape(-1, row)[::2], DATA.reshape(-1, row)[1::2]
        assert (r[a] == d.ravel()).all() and (r[b] == s.ravel()).all()
    with pytest.raises(AveError, match=r"\[X021\].*lanes that are not active"):
        run_program("v_permlane16_swap_b32 v0, v1", {"v0": DATA, "v1": OTHER}, chip="gfx950", exec_mask=1)


@pytest.mark.parametrize(
    "text",
    [
        "ds_swizzle_b32 v0, v1 offset:swizzle(TWIST,3)",
        "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,x)",
        "v_readlane_b32 s0, s1, 3",
    ],
)
def test_what_cannot_be_read_stops(text):
    with pytest.raises(AveError, match=r"\[X021\]"):
        run_program(text)


def test_every_instruction_has_a_case():
    source = open(__file__).read()
    assert [name for name in cross_lane.TABLE if f"{name} " not in source] == []
