"""Modifiers of vector operands (SDWA, DPP, op_sel, neg, abs, clamp, omod) and constants, on instructions whose
arithmetic is simple."""

import subprocess

import numpy as np
import pytest

from avelang.amdgcn.asm import parse
from avelang.base.errors import AveError
from avelang.sim.amdgcn import operands
from sim.amdgcn.programs import run_program
from tools import assembler

RNG = np.random.default_rng(11)
A, B, OLD = (RNG.integers(0, 1 << 32, 64, dtype=np.uint32) for _ in range(3))
A[:6] = 0x80808080, 0x7F7F7F7F, 0, 0xFFFFFFFF, 0x80000000, 0x00008000
MASK = 0x8421_F00D_00FF_1234
FULL = (1 << 64) - 1


def active(mask: int) -> np.ndarray:
    return np.array([mask >> n & 1 for n in range(64)], bool)


def outputs(lines: list[str], inputs: dict, mask: int = MASK, **more: object) -> list[np.ndarray]:
    """Each instruction writes v{0} for a register of its own, from v20 on, that held OLD."""
    body = "\n".join(line.format(20 + n) for n, line in enumerate(lines))
    r = run_program(body, {**inputs, **{f"v{20 + n}": OLD for n in range(len(lines))}}, exec_mask=mask, **more)
    return [np.asarray(r[f"v{20 + n}"]) for n in range(len(lines))]


# -- SDWA --------------------------------------------------------------------------------------------------------------

SELECTS = {
    "BYTE_0": (0, 8), "BYTE_1": (8, 8), "BYTE_2": (16, 8), "BYTE_3": (24, 8), "WORD_0": (0, 16), "WORD_1": (16, 16),
    "DWORD": (0, 32),
}  # fmt: skip


def selected(x: np.ndarray, select: str, sext: bool) -> np.ndarray:
    shift, width = SELECTS[select]
    kind = {8: (np.uint8, np.int8), 16: (np.uint16, np.int16), 32: (np.uint32, np.int32)}[width][sext]
    return (x >> np.uint32(shift)).astype(f"u{width // 8}").view(kind).astype(np.int64).astype(np.uint32)


def deposited(x: np.ndarray, old: np.ndarray, select: str, unused: str) -> np.ndarray:
    shift, width = SELECTS[select]
    if width == 32:
        return x
    part = selected(x, f"{'BYTE' if width == 8 else 'WORD'}_0", unused == "UNUSED_SEXT") << np.uint32(shift)
    ones = np.uint32(((1 << width) - 1) << shift)
    return {"UNUSED_PAD": part & ones, "UNUSED_SEXT": part, "UNUSED_PRESERVE": old & ~ones | part & ones}[unused]


@pytest.mark.parametrize("second", SELECTS)
def test_sdwa_sources(second):
    cases = [(s, x, y) for s in SELECTS for x in (False, True) for y in (False, True)]
    text = "v_add_u32_sdwa v{{}}, {}, {} dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:{} src1_sel:{}"
    lines = [text.format("sext(v1)" if x else "v1", "sext(v2)" if y else "v2", s, second) for s, x, y in cases]
    for (s, x, y), got in zip(cases, outputs(lines, {"v1": A, "v2": B}), strict=True):
        want = selected(A, s, x) + selected(B, second, y)
        assert (got == np.where(active(MASK), want, OLD)).all(), (s, x, y)


def test_sdwa_results():
    cases = [(s, u) for s in SELECTS for u in ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")]
    lines = [
        f"v_add_u32_sdwa v{{}}, v1, s0 dst_sel:{s} dst_unused:{u} src0_sel:DWORD src1_sel:WORD_1" for s, u in cases
    ]
    for (s, u), got in zip(cases, outputs(lines, {"v1": A, "s0": 0x12345678}), strict=True):
        want = deposited(A + np.uint32(0x1234), OLD, s, u)
        assert (got == np.where(active(MASK), want, OLD)).all(), (s, u)


def halves(x: np.ndarray, upper: bool = False) -> np.ndarray:
    return (x >> np.uint32(16 * upper)).astype(np.uint16)


def test_sdwa_of_halves_and_masks():
    f = np.linspace(-3, 3, 128).astype(np.float16)
    x, y = f[:64].view(np.uint16), f[64:].view(np.uint16)
    v1, v2 = OLD & 0xFFFF | x.astype(np.uint32) << 16, y.astype(np.uint32) | 0xABCD0000
    lines = [
        "v_add_f16_sdwa v{}, -|v1|, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0",
        "v_add_f16_sdwa v{}, v1, v2 clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_0",
        "v_cmp_gt_f16_sdwa s[4:5], v1, v2 src0_sel:WORD_1 src1_sel:WORD_0\nv_mov_b32 v{}, 7",
        "v_cmp_lt_i32_sdwa vcc, sext(v1), v2 src0_sel:BYTE_3 src1_sel:BYTE_0\nv_mov_b32 v{}, 7",
    ]
    body = "\n".join(line.format(20 + n) for n, line in enumerate(lines))
    r = run_program(body, {"v1": v1, "v2": v2, "v20": OLD, "v21": OLD}, exec_mask=MASK)
    on = active(MASK)
    neg = (-abs(f[:64]) + f[64:]).view(np.uint16).astype(np.uint32) << 16 | OLD & 0xFFFF
    assert (r["v20"] == np.where(on, neg, OLD)).all()
    clamped = np.clip(f[:64] + f[64:], 0, 1).astype(np.float16).view(np.uint16)
    assert (r["v21"] == np.where(on, clamped, OLD)).all()
    assert r["s[4:5]"] == sum(1 << n for n in range(64) if on[n] and f[n] > f[64 + n])
    less = selected(v1, "BYTE_3", True).view(np.int32) < selected(v2, "BYTE_0", False).view(np.int32)
    assert r["vcc"] == sum(1 << n for n in range(64) if on[n] and less[n])


def test_sdwa_of_constants():
    """A float constant of an f16 operand is an f16 pattern in the lower half of its word, as in packed math."""
    f = np.linspace(-3, 3, 64).astype(np.float16)
    form = "dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel"
    lines = [
        f"v_add_f16_sdwa v{{}}, v1, 1.0 {form}:WORD_1 src1_sel:WORD_0",
        f"v_mul_f16_sdwa v{{}}, -4.0, v1 {form}:DWORD src1_sel:WORD_1",
        f"v_cvt_f32_f16_sdwa v{{}}, 0.5 {form}:WORD_0",
        f"v_add_f32_sdwa v{{}}, 2.0, v2 {form}:DWORD src1_sel:DWORD",
    ]
    one = np.ones(64, np.float32).view(np.uint32)
    got = outputs(lines, {"v1": f.view(np.uint16).astype(np.uint32) << 16 | 0x5555, "v2": one}, FULL)
    for line, found, want in zip(lines[:2], got, (f + 1, f * -4), strict=False):
        assert (found == want.astype(np.float16).view(np.uint16)).all(), line
    assert (got[2].view(np.float32) == 0.5).all() and (got[3].view(np.float32) == 3.0).all()


# -- DPP ---------------------------------------------------------------------------------------------------------------


def row(n: int) -> int:
    return n // 16 * 16


# Which lane each lane reads, None where there is none: written out again from table 94 of the manual.
MOVES = {
    "quad_perm:[3,1,0,2]": lambda n: n // 4 * 4 + (3, 1, 0, 2)[n % 4],
    **{f"row_shl:{k}": lambda n, k=k: n + k if n % 16 < 16 - k else None for k in (1, 7, 15)},
    **{f"row_shr:{k}": lambda n, k=k: n - k if n % 16 >= k else None for k in (1, 8, 15)},
    **{f"row_ror:{k}": lambda n, k=k: n - k if n % 16 >= k else n + 16 - k for k in (1, 6, 15)},
    "wave_shl:1": lambda n: n + 1 if n < 63 else None, "wave_rol:1": lambda n: n + 1 if n < 63 else 0,
    "wave_shr:1": lambda n: n - 1 if n > 0 else None, "wave_ror:1": lambda n: n - 1 if n > 0 else 63,
    "row_mirror": lambda n: row(n) + 15 - n % 16, "row_half_mirror": lambda n: n // 8 * 8 + 7 - n % 8,
    "row_bcast:15": lambda n: row(n) - 1 if n > 15 else None, "row_bcast:31": lambda n: 31 if n > 31 else None,
    "row_newbcast:5": lambda n: row(n) + 5,
}  # fmt: skip
MASKS = (
    "row_mask:0xf bank_mask:0xf", "row_mask:0xa bank_mask:0xf", "row_mask:0xf bank_mask:0x5",
    "row_mask:0x3 bank_mask:0xe",
)  # fmt: skip


def written(text: str, n: int) -> bool:
    rows, banks = (int(x.split(":")[1], 16) for x in text.split())
    return bool(rows >> n // 16 & 1 and banks >> n % 16 // 4 & 1)


@pytest.mark.parametrize("mask", [FULL, MASK, 0])
@pytest.mark.parametrize("bound", ["", " bound_ctrl:1", " bound_ctrl:0"])
def test_dpp(mask, bound):
    cases = [(move, where) for move in MOVES for where in MASKS]
    lines = [f"v_add_u32_dpp v{{}}, v1, v2 {move} {where}{bound}" for move, where in cases]
    on = active(mask)
    for (move, where), got in zip(cases, outputs(lines, {"v1": A, "v2": B}, mask), strict=True):
        for n in range(64):
            source = MOVES[move](n)
            there = source is not None and on[source]
            want = int(OLD[n])
            if on[n] and written(where, n) and (there or bound):
                want = (int(A[source]) if there else 0) + int(B[n]) & 0xFFFFFFFF
            assert int(got[n]) == want, (move, where, n)


def test_dpp_with_signs_and_pairs():
    f, g = (RNG.standard_normal(64).astype(np.float32) for _ in range(2))
    body = """
        v_add_f32_dpp v3, -|v1|, |v2| row_ror:4 row_mask:0xf bank_mask:0xf
        v_mov_b64_dpp v[4:5], v[1:2] row_newbcast:9 row_mask:0xf bank_mask:0xf
        v_fmac_f32_dpp v6, v1, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
        v_add_f16_dpp v7, v1, v2 row_mirror row_mask:0xf bank_mask:0xf
        v_add_co_u32_dpp v8, vcc, v1, v2 row_ror:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
    """
    r = run_program(body, {"v1": f, "v2": g, "v6": f, "v8": OLD})
    lane = np.arange(64)
    turned = f[lane // 16 * 16 + (lane - 4) % 16]
    assert (r["v3"].view(np.float32) == -abs(turned) + abs(g)).all()
    bits = np.array([f, g]).view(np.uint32)
    assert (r["v[4:5]"] == bits[:, lane // 16 * 16 + 9]).all()
    swapped = f[lane ^ 1].astype(np.float64) * g + f
    assert (r["v6"].view(np.float32) == swapped.astype(np.float32)).all()
    low = [halves(x).view(np.float16) for x in bits]
    with np.errstate(all="ignore"):
        want = (low[0][lane ^ 15] + low[1]).view(np.uint16)
    same = (r["v7"] == want) | np.isnan(want.view(np.float16))
    assert same.all()
    total = bits[0][lane // 16 * 16 + (lane - 1) % 16].astype(np.uint64) + bits[1]
    assert (r["v8"] == total.astype(np.uint32)).all()
    assert r["vcc"] == sum(1 << n for n in range(64) if total[n] >> np.uint64(32))


# -- halves ------------------------------------------------------------------------------------------------------------


def test_op_sel_of_single_halves():
    cases = [(a, b, d) for a in (0, 1) for b in (0, 1) for d in (0, 1)]
    lines = [f"v_add_i16 v{{}}, v1, v2 op_sel:[{a},{b},{d}]" for a, b, d in cases]
    for (a, b, d), got in zip(cases, outputs(lines, {"v1": A, "v2": B}), strict=True):
        value = (halves(A, bool(a)) + halves(B, bool(b))).astype(np.uint32)
        want = OLD & 0xFFFF | value << 16 if d else OLD & 0xFFFF0000 | value
        assert (got == np.where(active(MASK), want, OLD)).all(), (a, b, d)


def test_the_upper_half_is_kept_or_cleared():
    lines = ["v_add_u16 v{}, v1, v2", "v_mad_u16 v{}, v1, v2, v1", "v_mad_u16 v{}, v1, s0, -1 op_sel:[1,1,0,1]"]
    cleared, kept, upper = outputs(lines, {"v1": A, "v2": B, "s0": 0x00030000})
    on, a = active(MASK), halves(A)
    assert (cleared == np.where(on, (a + halves(B)).astype(np.uint32), OLD)).all()
    assert (kept == np.where(on, OLD & 0xFFFF0000 | (a * halves(B) + a), OLD)).all()
    high = (halves(A, True) * np.uint16(3) - np.uint16(1)).astype(np.uint32)
    assert (upper == np.where(on, OLD & 0xFFFF | high << 16, OLD)).all()


def test_packed_halves():
    cases = [(x, y) for x in ((0, 0), (0, 1), (1, 0), (1, 1)) for y in ((0, 1), (1, 0))]
    lines = [f"v_pk_add_u16 v{{}}, v1, v2 op_sel:[{x[0]},{y[0]}] op_sel_hi:[{x[1]},{y[1]}]" for x, y in cases]
    lines += [
        "v_pk_add_u16 v{}, v1, -1", "v_pk_add_u16 v{}, v1, 5", "v_pk_add_u16 v{}, v1, s0",
        "v_pk_add_u16 v{}, v1, 5 op_sel_hi:[1,0]",
    ]  # fmt: skip
    got = outputs(lines, {"v1": A, "v2": B, "s0": 0x00070003})
    pair = lambda x, lo, hi: (halves(x, bool(lo)), halves(x, bool(hi)))  # noqa: E731
    wants = [[p + q for p, q in zip(pair(A, *x), pair(B, *y), strict=True)] for x, y in cases]
    low, high = halves(A), halves(A, True)
    u = np.uint16
    wants += [[low - u(1), high - u(1)], [low + u(5), high], [low + u(3), high + u(7)], [low + u(5), high + u(5)]]
    for line, found, (lo, hi) in zip(lines, got, wants, strict=True):
        want = lo.astype(np.uint32) | hi.astype(np.uint32) << 16
        assert (found == np.where(active(MASK), want, OLD)).all(), line


def test_packed_floats():
    f = RNG.standard_normal((4, 64)).astype(np.float16)
    v1, v2 = (x.view(np.uint16).astype(np.uint32) for x in f[:2]), (x.view(np.uint16).astype(np.uint32) for x in f[2:])
    v1, v2 = ((lambda lo, hi: lo | hi << 16)(*v) for v in (v1, v2))
    lines = ["v_pk_add_f16 v{}, v1, v2 neg_lo:[1,0] neg_hi:[0,1]", "v_pk_mul_f16 v{}, v1, 2.0 op_sel_hi:[1,0]",
        "v_pk_mul_f16 v{}, v1, 2.0",
             "v_pk_add_f16 v{}, v1, v2 clamp"]  # fmt: skip
    got = outputs(lines, {"v1": v1, "v2": v2})
    two = np.float16(2)
    wants = [(-f[0] + f[2], f[1] - f[3]), (f[0] * two, f[1] * two), (f[0] * two, f[1] * np.float16(0)),
             (np.clip(f[0] + f[2], 0, 1), np.clip(f[1] + f[3], 0, 1))]  # fmt: skip
    for line, found, pair in zip(lines, got, wants, strict=True):
        lo, hi = (x.astype(np.float16).view(np.uint16).astype(np.uint32) for x in pair)
        assert (found == np.where(active(MASK), lo | hi << 16, OLD)).all(), line


def test_packed_pairs():
    f = RNG.standard_normal((4, 64)).astype(np.float32)
    body = """
        v_pk_mul_f32 v[20:21], v[0:1], v[2:3] op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[0,1]
        v_pk_add_f32 v[22:23], v[0:1], s[0:1]
        v_pk_mul_f32 v[24:25], v[0:1], 2.0 op_sel_hi:[1,0]
    """
    s = np.array([1.5, -2.5], np.float32)
    inputs = {
        **{f"v{n}": f[n] for n in range(4)},
        "s[0:1]": int(s.view(np.uint64)[0]),
        **{f"v{n}": OLD for n in range(20, 26)},
    }
    r = run_program(body, inputs, exec_mask=MASK)
    wants = [f[1] * -f[2], f[0] * f[3], f[0] + s[0], f[1] + s[1], f[0] * np.float32(2), f[1] * np.float32(2)]
    for n, want in enumerate(wants):
        assert (r[f"v{20 + n}"] == np.where(active(MASK), want.view(np.uint32), OLD)).all(), n
    with pytest.raises(AveError, match=r"\[X021\].*upper half of a constant"):
        run_program("v_pk_mul_f32 v[24:25], v[0:1], 2.0")


def test_mixed_floats():
    f = RNG.standard_normal((3, 64)).astype(np.float32)
    h = RNG.standard_normal((2, 64)).astype(np.float16)
    v3 = h[0].view(np.uint16).astype(np.uint32) | h[1].view(np.uint16).astype(np.uint32) << 16
    lines = ["v_fma_mix_f32 v{}, v0, -|v3|, v2 op_sel:[0,1,0] op_sel_hi:[0,1,0]", "v_fma_mix_f32 v{}, -v0, v1, |v2|",
             "v_fma_mix_f32 v{}, v3, v3, 1.0 op_sel:[0,1,0] op_sel_hi:[1,1,1]"]  # fmt: skip
    got = outputs(lines, {"v0": f[0], "v1": f[1], "v2": f[2], "v3": v3})
    d, g = f.astype(np.float64), h.astype(np.float64)
    wants = [d[0] * -abs(g[1]) + d[2], -d[0] * d[1] + abs(d[2]), g[0] * g[1] + 1]
    for line, found, want in zip(lines, got, wants, strict=True):
        assert (found == np.where(active(MASK), want.astype(np.float32).view(np.uint32), OLD)).all(), line


# -- signs, constants, clamp, omod -------------------------------------------------------------------------------------


def test_signs_and_constants():
    f = RNG.standard_normal(64).astype(np.float32)
    f[:4] = 0, -0.0, np.inf, -np.inf
    lines = ["v_add_f32 v{}, -v0, s0", "v_add_f32 v{}, |v0|, 0", "v_mul_f32 v{}, -|v0|, 4.0",
        "v_mul_f32 v{}, 0.15915494, v0", "v_mul_f32 v{}, -s0, v0",
             "v_mul_f32 v{}, 0x40490fdb, v0", "v_mul_f32 v{}, 3.5, v0", "v_add_u32 v{}, -17, v1",
             "v_add_u32 v{}, 1.0, v1", "v_add_u32 v{}, vcc_hi, v1",
             "v_add_u32 v{}, m0, v1", "v_add_u32 v{}, exec_lo, v1", "v_add_u32 v{}, scc, v1",
             "v_add_u32 v{}, src_vccz, v1"]  # fmt: skip
    inputs = {"v0": f, "v1": A, "s0": 0x40200000, "vcc": 5 << 32, "m0": 99, "scc": 1}
    got = outputs(lines, inputs)
    s, u = np.float32, lambda x: A + np.uint32(x & 0xFFFFFFFF)
    pattern = lambda x: np.uint32(x).view(np.float32)  # noqa: E731
    wants = [-f + s(2.5), abs(f) + s(0), -abs(f) * s(4), f * pattern(0x3E22F983), f * s(-2.5), f * pattern(0x40490FDB),
        f * s(3.5), u(-17), u(0x3F800000), u(5),
             u(99), u(MASK), u(1), u(0)]  # fmt: skip
    for line, found, want in zip(lines, got, wants, strict=True):
        assert (found == np.where(active(MASK), want.view(np.uint32), OLD)).all(), line


def test_constants_of_16_and_64_bits():
    d = RNG.standard_normal(64)
    pair = d.view(np.uint32).reshape(64, 2).T
    h = d.astype(np.float16)
    body = """
        v_mul_f16 v4, 0.5, v3
        v_mul_f16 v5, 0x3118, v3
        v_mul_f16 v6, 0.15915494, v3
        v_add_u16 v7, -2, v3
        v_mul_f64 v[8:9], v[0:1], -0.5
        v_mul_f64 v[10:11], v[0:1], 0.15915494
        v_mul_f64 v[12:13], -|v[0:1]|, s[0:1]
        v_lshlrev_b64 v[14:15], 3, v[0:1]
    """
    scale = np.array([1.25])
    r = run_program(
        body, {"v[0:1]": pair, "v3": h.view(np.uint16).astype(np.uint32), "s[0:1]": int(scale.view(np.uint64)[0])}
    )
    low = lambda name: np.asarray(r[name]).astype(np.uint16).view(np.float16)  # noqa: E731
    long = lambda name: np.ascontiguousarray(np.asarray(r[name]).T).view(np.float64)[:, 0]  # noqa: E731
    tiny = np.uint16(0x3118).view(np.float16)
    assert (low("v4") == h * np.float16(0.5)).all() and (low("v5") == h * tiny).all() and (low("v6") == h * tiny).all()
    assert (np.asarray(r["v7"]) == h.view(np.uint16) - np.uint16(2)).all()
    assert (long("v[8:9]") == d * -0.5).all() and (long("v[12:13]") == -abs(d) * 1.25).all()
    assert (long("v[10:11]") == d * np.uint64(0x3FC45F306DC9C882).view(np.float64)).all()
    assert (long("v[14:15]").view(np.uint64) == d.view(np.uint64) << np.uint64(3)).all()


X = np.array([*np.linspace(-2, 2, 56), 0, -0.0, np.nan, np.inf, -np.inf, 1e-40, -1e-40, 3e38], np.float32)


def test_clamp():
    got = outputs(["v_add_f32 v{}, v0, 0 clamp"], {"v0": X}, FULL)[0].view(np.float32)
    with np.errstate(all="ignore"):
        assert (got == np.nan_to_num(np.clip(X, 0, 1), nan=0)).all()
    kept = outputs(
        ["v_add_f32 v{}, v0, 0 clamp"],
        {"v0": X},
        FULL,
        directives=".amdhsa_dx10_clamp 0\n.amdhsa_float_denorm_mode_32 3",
    )[0].view(np.float32)
    assert np.isnan(kept[58]) and (np.delete(kept, 58) == np.delete(got, 58)).all()
    with pytest.raises(AveError, match=r"\[X021\].*clamp on this instruction"):
        run_program("v_and_b32 v0, v0, v1 clamp")


@pytest.mark.parametrize(
    "ieee,denorm,scales", [(0, 0, True), (0, 1, True), (0, 2, False), (0, 3, False), (1, 0, False), (1, 3, False)]
)
def test_output_modifiers_where_they_count(ieee, denorm, scales):
    lines = [
        "v_add_f32 v{}, v0, v1 mul:2", "v_add_f32 v{}, v0, v1 mul:4", "v_add_f32 v{}, v0, v1 div:2",
        "v_add_f32 v{}, v0, v1 clamp div:2",
    ]  # fmt: skip
    mode = f".amdhsa_ieee_mode {ieee}\n.amdhsa_float_denorm_mode_32 {denorm}"
    zero = np.full(64, -0.0, np.float32)
    got = outputs(lines, {"v0": X, "v1": zero}, FULL, directives=mode)
    tiny = np.float32(np.finfo(np.float32).tiny)

    def flushed(x: np.ndarray, on: bool) -> np.ndarray:
        return np.where(on & (abs(x) < tiny), np.copysign(np.float32(0), x), x)

    with np.errstate(all="ignore"):
        base = flushed(flushed(X, not denorm & 1), False)
        for found, factor, clamp in zip(got, (2, 4, 0.5, 0.5), (0, 0, 0, 1), strict=True):
            want = base * np.float32(factor if scales else 1)
            want = np.nan_to_num(np.clip(want, 0, 1), nan=0) if clamp else want
            want = flushed(want, not denorm & 2)
            want = np.where(scales & (want == 0), np.float32(0), want)
            same = (found == want.view(np.uint32)) | np.isnan(want) & np.isnan(found.view(np.float32))
            assert (same | bool(clamp) & (want == 0)).all(), (factor, clamp)


@pytest.mark.parametrize(
    "text,why",
    [
        ("v_mul_f32_sdwa v0, -v1, v2 src0_sel:WORD_1 src1_sel:DWORD", "neg or abs on WORD_1"),
        ("v_add_u32 v0, src_shared_base, v1", "holds 64 bits"),
        ("v_add_u16 v0, 1.0, v1", "a float as a constant of a 16-bit integer"),
        ("v_add_u16_sdwa v0, 1.0, v1 src0_sel:DWORD src1_sel:WORD_0", "a float as a constant of a 16-bit integer"),
        ("v_add_co_u32_dpp v0, vcc, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf", "leaves lanes out"),
        ("v_add_u32 v0, src_pops_exiting_wave_id, v1", "not modeled"),
    ],
)
def test_what_is_not_executed_stops(text, why):
    with pytest.raises(AveError, match=rf"\[X021\].*{why}"):
        run_program(text)


def test_movements_are_those_of_the_assembler():
    """LLVM's assembler for gfx942 accepts each movement that is executed; the table names no other."""
    text = "\n".join(f"v_mov_b32_dpp v0, v1 {move} {where} bound_ctrl:0" for move in MOVES for where in MASKS)
    out = subprocess.run(assembler("gfx942"), input=text, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert set(operands.CONTROLS) == {m.partition(":")[0] for m in MOVES} - {"quad_perm"}


def test_where_sources_begin():
    for text, first in (("v_add_u32 v0, v1, v2", 1), ("v_add_co_u32 v0, vcc, v1, v2", 2),
        ("v_div_scale_f32 v0, vcc, v1, v2, v3", 2),
                        ("v_mad_u64_u32 v[0:1], vcc, v2, v3, v[4:5]", 2), ("v_cmp_gt_u32 vcc, v0, v1", 1)):  # fmt: skip
        assert operands.first_source(parse(text).instructions[0]) == first
