"""gfx950's f8f6f4 instructions, scaled and not, against products of exact numbers that stand where the manual's layouts
put them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sim.amdgcn.programs import run_program
from tests.sim.amdgcn.test_vector_scaled import SMALL, number, words
from tests.sim.amdgcn.vector_cases import assembles

from avelang.base.errors import AveError

CODES = {"fp8": 0, "bf8": 1, "fp6": 2, "bf6": 3, "fp4": 4}
LANES = 64
lane, slot = np.meshgrid(np.arange(LANES), np.arange(32), indexing="ij")


def places(m: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Row (of B: column) and k of each lane's 32 elements (CDNA4 ISA, section 7.1.5): 8-bit ones in two runs of 16, the
    others in one of 32."""
    group = lane // m
    half = LANES // m * 16
    return lane % m, (slot // 16 * half + group * 16 + slot % 16) if SMALL[kind][0] == 8 else 32 * group + slot


def drawn(rng, kind: str, tame: bool) -> np.ndarray:
    bits = SMALL[kind][0]
    x = rng.integers(0, 1 << bits, (LANES, 32), np.uint32)
    if tame:  # neither infinities nor NaN, and products whose sums are not all rounding
        while not np.isfinite(value := decoded(x, kind)).all():
            x = np.where(np.isfinite(value), x, rng.integers(0, 1 << bits, x.shape, np.uint32))
    return x


def decoded(x: np.ndarray, kind: str) -> np.ndarray:
    table = np.array([number(c, kind) for c in range(1 << SMALL[kind][0])])
    return table[x]


def by(scale: np.ndarray, part: int) -> np.ndarray:
    e = (scale >> np.uint32(8 * part) & 255).astype(int)
    return np.where(e == 255, np.nan, np.exp2(e - 127.0))


def product(m: int, a: np.ndarray, ka: str, b: np.ndarray, kb: str, c: np.ndarray, sa=None, sb=None) -> np.ndarray:
    """D (m, m) float32: products one after another in ascending k, each sum rounded once."""
    k = 128 if m == 16 else 64
    left, right = np.zeros((m, k)), np.zeros((k, m))
    row, at = places(m, ka)
    left[row, at] = decoded(a, ka) * (1 if sa is None else sa[row + m * (at // 32)])
    row, at = places(m, kb)
    right[at, row] = decoded(b, kb) * (1 if sb is None else sb[row + m * (at // 32)])
    acc = c.astype(np.float32)
    with np.errstate(all="ignore"):
        for n in range(k):
            acc = (acc.astype(np.float64) + left[:, n, None] * right[None, n]).astype(np.float32)
    return acc


def accumulator(m: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of each lane's elements of C and D."""
    n = m * m // LANES
    ln, s = np.meshgrid(np.arange(LANES), np.arange(n), indexing="ij")
    return s // 4 * (LANES // m * 4) + ln // m * 4 + s % 4, ln % m


def span(file: str, first: int, count: int) -> str:
    return f"{file}[{first}:{first + count - 1}]"


def run(
    rng, m: int, ka: str, kb: str, *, scaled: bool, prefix: bool = False, tame: bool = True, scales=None,
    constant: str = "",
):  # fmt: skip
    k = 128 if m == 16 else 64
    a, b = drawn(rng, ka, tame), drawn(rng, kb, tame)
    row, col = accumulator(m)
    n = m * m // LANES
    c = np.full((m, m), 1.0, np.float32) if constant else rng.standard_normal((m, m)).astype(np.float32)
    sa, sb = scales or (rng.integers(0x78787878, 0x88888888, LANES, np.uint32) for _ in range(2))
    parts = rng.integers(0, 4, 2) if scaled else (0, 0)
    wa, wb = words(a.T, SMALL[ka][0]), words(b.T, SMALL[kb][0])
    d = span("v", 32, n)
    text = f"{d}, {span('a', 0, len(wa))}, {span('v', 8, len(wb))}, {constant or d}"
    formats = f"cbsz:{CODES[ka]} blgp:{CODES[kb]}"
    low, high = ",".join(str(p & 1) for p in parts), ",".join(str(p >> 1) for p in parts)
    name = f"{m}x{m}x{k}_f8f6f4"
    if prefix:
        text = f"v_mfma_ld_scale_b32 v16, v17 op_sel:[{low}] op_sel_hi:[{high}]\nv_mfma_f32_{name} {text} {formats}"
    elif scaled:
        text = f"v_mfma_scale_f32_{name} {text}, v16, v17 op_sel:[{low},0] op_sel_hi:[{high},0] {formats}"
    else:
        text = f"v_mfma_f32_{name} {text} {formats}"
    assert not assembles(text, "gfx950")
    inputs = {
        span("a", 0, len(wa)): wa, span("v", 8, len(wb)): wb, "v16": sa, "v17": sb,
        d: c[row, col].T.copy().view(np.uint32),
    }  # fmt: skip
    r = run_program(text, inputs, chip="gfx950", exec_mask=0x5555555555555555)
    got = np.zeros((m, m), np.float32)
    got[row, col] = np.asarray(r[d]).view(np.float32).T
    powers = [by(s, p) for s, p in zip((sa, sb), parts, strict=True)] if scaled or prefix else [None, None]
    return got, product(m, a, ka, b, kb, c, *powers)


@pytest.mark.parametrize("m", [16, 32])
@pytest.mark.parametrize("ka", CODES)
def test_formats_and_scales(m, ka):
    """Each format on each side, in both shapes; `run` takes any pair."""
    kb = list(CODES)[(CODES[ka] + (1 if m == 16 else 3)) % 5]
    got, want = run(np.random.default_rng(m + CODES[ka]), m, ka, kb, scaled=(m == 16) != (ka == "fp6"))
    assert (got.view(np.uint32) == want.view(np.uint32)).all()


def test_the_scale_s_own_instruction():
    rng = np.random.default_rng(1)
    got, want = run(rng, 16, "fp4", "fp8", scaled=True, prefix=True)
    assert (got == want).all()


def test_constants_special_numbers_and_far_scales():
    """Scales that an f32 does not hold with the element, but whose product it does; NaN among scales and elements."""
    rng = np.random.default_rng(2)
    got, want = run(rng, 16, "fp4", "bf6", scaled=True, constant="1.0")
    assert (got == want).all()
    far = np.full(LANES, 0xFEFEFEFE, np.uint32), np.zeros(LANES, np.uint32)
    got, want = run(rng, 16, "fp4", "fp4", scaled=True, scales=far)
    assert np.isfinite(want).all() and (got == want).all()
    none = (
        np.where(np.arange(LANES) == 5, 0xFFFFFFFF, 0x7F7F7F7F).astype(np.uint32),
        np.full(LANES, 0x7F7F7F7F, np.uint32),
    )
    got, want = run(rng, 16, "bf8", "fp8", scaled=True, tame=False, scales=none)
    assert np.isnan(want).any() and np.array_equal(got, want, equal_nan=True)


@pytest.mark.parametrize(
    "body,why",
    [
        ("v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3] cbsz:5", "cbsz:5 is no format"),
        ("v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3] cbsz:4", "srcA must be 4 vector registers"),
        ("v_mfma_ld_scale_b32 v0, v1\ns_nop 0", "no instruction follows"),
        (
            "v_mfma_ld_scale_b32 v0, v1\nin:\nv_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], "
            "v[0:3]\ns_cbranch_scc1 in",
            "a way leads between",
        ),
    ],
)
def test_forms_that_stop(body, why):
    with pytest.raises(AveError, match=rf"\[X021\].*{why}"):
        run_program(body, chip="gfx950")
