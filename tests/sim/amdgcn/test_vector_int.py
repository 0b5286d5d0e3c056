"""Vector integer instructions against Python's integers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.sim.amdgcn.programs import run_program
from tests.sim.amdgcn.vector_cases import Batch, Case, assembles, batches

from avelang.base.errors import AveError
from avelang.sim.amdgcn import vector, vector_int

M16, M32, M64 = 0xFFFF, 0xFFFFFFFF, (1 << 64) - 1


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (x >> bits - 1 << bits)


def clamped(x, kind):
    bits = int(kind[1:])
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)
    return min(max(x, low), high)


def fields(x, bits):
    return [x >> k & (1 << bits) - 1 for k in range(0, 32, bits)]


def sad(x, y, bits=8, masked=False):
    return sum(abs(a - b) for a, b in zip(fields(x, bits), fields(y, bits), strict=True) if not masked or b)


def quad(x, y, z, masked, wide):
    out, step = 0, 32 if wide else 16
    for k in range(4):
        total = sad(x >> 8 * k & M32, y, masked=masked) + (z >> step * k)
        out |= (total & (1 << step) - 1) << step * k
    return out


def perm(x, y, select):
    data, out = x << 32 | y, 0
    for k, s in enumerate(fields(select, 8)):
        byte = (
            data >> 8 * s & 255
            if s < 8
            else (data >> (16 * (s - 8) + 15) & 1) * 255
            if s < 12
            else 0
            if s == 12
            else 255
        )
        out |= byte << 8 * k
    return out


def lerp(x, y, z):
    return sum(
        (a + b + (c & 1) >> 1) << 8 * k
        for k, (a, b, c) in enumerate(zip(*(fields(v, 8) for v in (x, y, z)), strict=True))
    )


def first_difference(x):
    x = x ^ M32 if x >> 31 else x
    return 32 - x.bit_length() if x else -1


def bitop3(x, y, z, table):
    return sum((table >> (4 * (x >> k & 1) + 2 * (y >> k & 1) + (z >> k & 1)) & 1) << k for k in range(32))


def median(*values):
    return sorted(values)[1]


def ashr_pk(x, y, n, low, high):
    return sum((min(max(signed(v, 32) >> (n & 31), low), high) & 255) << 8 * k for k, v in enumerate((x, y)))


def _simple():
    add, sub, mul = (lambda x, y: x + y), (lambda x, y: x - y), (lambda x, y: x * y)
    for k in ("u32", "i32", "u16", "i16"):
        for name, f in (("add", add), ("sub", sub), ("subrev", lambda x, y: y - x)):
            if name == "subrev" and k[0] == "i":
                continue
            bits = int(k[1:])
            yield Case(f"v_{name}_{k}", f"{k} {k}", k, lambda x, y, f=f, b=bits: f(x, y) & (1 << b) - 1, old=False)
            clamp = (
                f"v_{name}_{k}_e64"
                if (name, k) not in (("add", "i32"), ("sub", "i32"), ("add", "i16"), ("sub", "i16"))
                else f"v_{name}_{k}"
            )
            yield Case(
                f"v_{name}_{k}", f"{k} {k}", k, lambda x, y, f=f, k=k: clamped(f(x, y), k),
                clamp + " {d}, {a}, {b} clamp",
            )  # fmt: skip
    for k in ("u32", "i32"):
        yield Case(f"v_mul_lo_{k}", f"{k} {k}", k, mul)
        yield Case(f"v_mul_hi_{k}", f"{k} {k}", k, lambda x, y: x * y >> 32)
    yield Case("v_mul_lo_u16", "u16 u16", "u16", lambda x, y: x * y & M16)
    for s in "ui":
        yield Case(f"v_mul_{s}32_{s}24", f"{s}24 {s}24", f"{s}32", mul)
        yield Case(f"v_mul_hi_{s}32_{s}24", f"{s}24 {s}24", f"{s}32", lambda x, y: x * y >> 32)
        for n in (16, 24):
            sources = f"{s}{n} {s}{n} {s}32"
            yield Case(f"v_mad_{s}32_{s}{n}", sources, f"{s}32", lambda x, y, z: x * y + z)
            yield Case(
                f"v_mad_{s}32_{s}{n}", sources, f"{s}32", lambda x, y, z, s=s: clamped(x * y + z, f"{s}32"),
                f"v_mad_{s}32_{s}{n} {{d}}, {{a}}, {{b}}, {{c}} clamp",
            )  # fmt: skip
        yield Case(f"v_mad_legacy_{s}16", f"{s}16 {s}16 {s}16", f"{s}16", lambda x, y, z: x * y + z & M16)
    for name, f in (("and", lambda x, y: x & y), ("or", lambda x, y: x | y), ("xor", lambda x, y: x ^ y)):
        yield Case(f"v_{name}_b32", "u32 u32", "u32", f)
    yield Case("v_xnor_b32", "u32 u32", "u32", lambda x, y: ~(x ^ y))
    yield Case("v_not_b32", "u32", "u32", lambda x: ~x)


def _keeping():
    """16-bit results that leave the other half of their register alone."""
    for s in "ui":
        k = f"{s}16"
        for text, high in (("", 0), (" op_sel:[0,1,0,1]", 1)):

            def keep(f, high=high):
                def meaning(x, y, z, old):
                    y = y if not high else y
                    return old & 0xFFFF | (f(x, y, z) & M16) << 16 if high else old & 0xFFFF0000 | f(x, y, z) & M16

                return meaning

            # With op_sel, source b is the upper half of its register, which the case reads as all 32 bits.
            names = {"mad": lambda x, y, z: x * y + z, "min3": min, "max3": max, "med3": median}
            for n, f in names.items():
                name = f"v_{n}_{k}"
                if high:
                    pick = (lambda f, s=s: lambda x, y, z: f(x, signed(y >> 16, 16) if s == "i" else y >> 16, z))(f)
                    yield Case(
                        name, f"{k} u32 {k}", "u32", keep(pick), f"{name} {{d}}, {{a}}, {{b}}, {{c}}{text}", old=True
                    )
                else:
                    yield Case(name, f"{k} {k} {k}", "u32", keep(f), old=True)


def _bits():
    for name, f in (("lshlrev", lambda n, x: x << n), ("lshrrev", lambda n, x: x >> n)):
        for b in (16, 32, 64):
            yield Case(
                f"v_{name}_b{b}", f"u{min(b, 32)} u{b}", f"u{b}", lambda n, x, f=f, b=b: f(n % b, x) & (1 << b) - 1
            )
    for b in (16, 32, 64):
        yield Case(f"v_ashrrev_i{b}", f"u{min(b, 32)} i{b}", f"i{b}", lambda n, x, b=b: (x >> n % b) & (1 << b) - 1)
    u3 = "u32 u32 u32"
    for name, f in {
        "v_add3_u32": lambda x, y, z: x + y + z, "v_xad_u32": lambda x, y, z: (x ^ y) + z, "v_and_or_b32": lambda x, y,
        z: x & y | z,
        "v_or3_b32": lambda x, y, z: x | y | z, "v_lshl_add_u32": lambda x, n, z: (x << n % 32) + z,
        "v_lshl_or_b32": lambda x, n, z: x << n % 32 | z,
        "v_add_lshl_u32": lambda x, y, n: x + y << n % 32, "v_bfe_u32": lambda x, n,
        w: (x >> n % 32) & (1 << w % 32) - 1,
        "v_bfi_b32": lambda m, x, y: m & x | ~m & y, "v_alignbit_b32": lambda x, y, n: (x << 32 | y) >> n % 32,
        "v_alignbyte_b32": lambda x, y, n: (x << 32 | y) >> 8 * (n % 4), "v_perm_b32": perm, "v_lerp_u8": lerp,
        "v_sad_u8": lambda x, y, z: sad(x, y) + z, "v_sad_hi_u8": lambda x, y, z: (sad(x, y) << 16) + z,
        "v_sad_u16": lambda x, y, z: sad(x, y, 16) + z, "v_sad_u32": lambda x, y, z: abs(x - y) + z,
        "v_msad_u8": lambda x, y, z: sad(x, y, masked=True) + z,
    }.items():  # fmt: skip
        yield Case(name, u3, "u32", f)
    yield Case(
        "v_sad_u8", u3, "u32", lambda x, y, z: clamped(sad(x, y) + z, "u32"), "v_sad_u8 {d}, {a}, {b}, {c} clamp"
    )
    yield Case("v_lshl_add_u64", "u64 u32 u64", "u64", lambda x, n, z: (x << n % 8) + z)
    yield Case("v_bfe_i32", "i32 u32 u32", "i32", lambda x, n, w: signed(x >> n % 32, w % 32) if w % 32 else 0)
    yield Case("v_bfm_b32", "u32 u32", "u32", lambda w, n: (1 << w % 32) - 1 << n % 32)
    yield Case("v_bcnt_u32_b32", "u32 u32", "u32", lambda x, y: x.bit_count() + y)
    yield Case("v_bfrev_b32", "u32", "u32", lambda x: int(f"{x:032b}"[::-1], 2))
    yield Case("v_ffbh_u32", "u32", "u32", lambda x: 32 - x.bit_length() if x else -1)
    yield Case("v_ffbh_i32", "u32", "u32", first_difference)
    yield Case("v_ffbl_b32", "u32", "u32", lambda x: (x & -x).bit_length() - 1)
    for s in "ui":
        for b in (16, 32):
            k = f"{s}{b}"
            for n, f in (("min", min), ("max", max)):
                yield Case(f"v_{n}_{k}", f"{k} {k}", k, lambda x, y, f=f, b=b: f(x, y) & (1 << b) - 1)
                if b == 32:
                    yield Case(f"v_{n}3_{k}", f"{k} {k} {k}", k, f)
        yield Case(f"v_med3_{s}32", f"{s}32 {s}32 {s}32", f"{s}32", median)


def _wide():
    for name, masked in (("v_qsad_pk_u16_u8", False), ("v_mqsad_pk_u16_u8", True)):
        yield Case(name, "u64 u32 u64", "u64", lambda x, y, z, m=masked: quad(x, y, z, m, False))
    yield Case("v_mqsad_u32_u8", "u64 u32 b128", "b128", lambda x, y, z: quad(x, y, z, True, True))
    for op, f in (
        ("add", lambda x, y, c: x + y + c),
        ("sub", lambda x, y, c: x - y - c),
        ("subrev", lambda x, y, c: y - x - c),
    ):
        for takes, name in ((False, op), (True, {"add": "addc", "sub": "subb", "subrev": "subbrev"}[op])):
            # The carry in: a pattern of lanes that depends on nothing else, found again from the lane's own number in
            # v63's place.
            yield Case(
                f"v_{name}_co_u32", "u32 u32", "u32", lambda x, y, f=f, t=takes: f(x, y, t), _carry(name, takes, False)
            )
            yield Case(
                f"v_{name}_co_u32", "u32 u32", "u32", lambda x, y, f=f, t=takes: not 0 <= f(x, y, t) <= M32,
                _carry(name, takes, True),
            )  # fmt: skip
            if takes:
                yield Case(
                    f"v_{name}_co_u32", "u32 u32", "u32", lambda x, y, f=f: f(x, y, 0),
                    _carry(name, takes, False, ones=0),
                )  # fmt: skip
    for s in "ui":
        name, how = {"u": ("v_mad_u64_u32", M64), "i": ("v_mad_i64_i32", M64)}[s]
        yield Case(
            name, f"{s}32 {s}32 {s}64", "u64", lambda x, y, z, m=how: x * y + z & m,
            name + " {d}, s[20:21], {a}, {b}, {c}",
        )  # fmt: skip
        text = name + " v[38:39], s[20:21], {a}, {b}, {c}\nv_cndmask_b32 {d}, 0, 1, s[20:21]"
        yield Case(name, f"{s}32 {s}32 {s}64", "u32", lambda x, y, z: (x * y + z) >> 64 & 1, text)


def _carry(name, takes, out, ones=-1):
    text = f"s_mov_b64 s[10:11], {ones}\n" if takes else ""
    text += f"v_{name}_co_u32_e64 {{d}}, s[20:21], {{a}}, {{b}}" + (", s[10:11]" if takes else "")
    return text + ("\nv_cndmask_b32 {d}, 0, 1, s[20:21]" if out else "")


def _gfx950():
    for table in (0x40, 0x96, 0xE8, 0, 0xFF):
        yield Case(
            "v_bitop3_b32",
            "u32 u32 u32",
            "u32",
            lambda x, y, z, t=table: bitop3(x, y, z, t),
            f"v_bitop3_b32 {{d}}, {{a}}, {{b}}, {{c}} bitop3:{table:#x}",
        )
    text = "v_bitop3_b16 {d}, {a}, {b}, {c} bitop3:0x96"
    yield Case("v_bitop3_b16", "u16 u16 u16", "u16", lambda x, y, z: (x ^ y ^ z) & M16, text)
    yield Case("v_prng_b32", "u32", "u32", lambda x: x << 1 ^ (197 if x >> 31 else 0))
    yield Case("v_ashr_pk_i8_i32", "u32 u32 u32", "u32", lambda x, y, n: ashr_pk(x, y, n, -128, 127))
    yield Case("v_ashr_pk_u8_i32", "u32 u32 u32", "u32", lambda x, y, n: ashr_pk(x, y, n, 0, 255))


def _keep_two():
    for n, f in (("add", lambda x, y: x + y), ("sub", lambda x, y: x - y)):
        yield Case(f"v_{n}_i16", "i16 i16", "u32", lambda x, y, old, f=f: old & 0xFFFF0000 | f(x, y) & M16, old=True)
        yield Case(
            f"v_{n}_i16", "i16 i16", "u32", lambda x, y, old, f=f: old & 0xFFFF0000 | clamped(f(x, y), "i16") & M16,
            f"v_{n}_i16 {{d}}, {{a}}, {{b}} clamp", old=True,
        )  # fmt: skip


def _moves():
    yield Case("v_mov_b32", "u32", "u32", lambda x: x)
    yield Case("v_mov_b64", "u64", "u64", lambda x: x)
    yield Case(
        "v_cndmask_b32", "u32 u32 u32", "u32", lambda x, y, z: y if z & 1 else x,
        "v_and_b32 v39, 1, {c}\nv_cmp_eq_u32 vcc, 1, v39\nv_cndmask_b32 {d}, {a}, {b}, vcc",
    )  # fmt: skip
    yield Case(
        "v_cndmask_b32", "u32 u32", "u32", lambda x, y: y ^ 1 << 31,
        "s_mov_b64 vcc, -1\nv_cndmask_b32_e64 {d}, |{a}|, -{b}, vcc",
    )  # fmt: skip
    yield Case(
        "v_swap_b32", "u32 u32", "u32", lambda x, y: x, "v_mov_b32 {d}, {b}\nv_mov_b32 v39, {a}\nv_swap_b32 {d}, v39"
    )
    yield Case(
        "v_swap_b32", "u32 u32", "u32", lambda x, y: y, "v_mov_b32 v39, {b}\nv_mov_b32 {d}, {a}\nv_swap_b32 v39, {d}"
    )


CASES = [c for c in _simple() if c.name not in ("v_add_i16", "v_sub_i16")] + [
    *_keeping(), *_keep_two(), *_bits(), *_wide(), *_moves(),
]  # fmt: skip
LATER = [*_gfx950()]


def test_every_instruction_has_a_case():
    assert {c.name for c in CASES + LATER} == vector_int.TABLE.keys() | vector.TABLE.keys()


@pytest.mark.parametrize("part", range(len(batches(CASES))))
def test_gfx942(part):
    batch = Batch(batches(CASES)[part], "gfx942", part)
    assert batch.check() == []


def test_gfx950():
    assert Batch(LATER, "gfx950", 7).check() == []


def test_the_programs_are_legal():
    assert assembles("\n".join(Batch(part, "gfx942", 0).text for part in batches(CASES)), "gfx942") == ""
    assert assembles(Batch(LATER, "gfx950", 0).text, "gfx950") == ""


def test_clamp_where_it_has_no_meaning_stops():
    with pytest.raises(AveError, match=r"\[X021\].*clamp"):
        run_program("v_and_b32_e64 v0, v1, v2 clamp")


def test_clamped_sums_with_carries():
    """The result stays at the end that it would pass; the carry tells it."""
    rng = np.random.default_rng(3)
    x, y = (rng.choice(np.array([0, 1, 2, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF], np.uint32), 64) for _ in range(2))
    carry = int(rng.integers(0, 1 << 63))
    body = """
        v_add_co_u32_e64 v2, s[0:1], v0, v1 clamp
        v_sub_co_u32_e64 v3, s[2:3], v0, v1 clamp
        v_subrev_co_u32_e64 v4, s[4:5], v0, v1 clamp
        v_addc_co_u32_e64 v5, s[6:7], v0, v1, s[10:11] clamp
        v_subb_co_u32_e64 v6, s[8:9], v0, v1, s[10:11] clamp
    """
    r = run_program(body, {"v0": x, "v1": y, "s[10:11]": carry})
    for lane in range(64):
        a, b, c = int(x[lane]), int(y[lane]), carry >> lane & 1
        for register, flag, total in (("v2", "s[0:1]", a + b), ("v3", "s[2:3]", a - b), ("v4", "s[4:5]", b - a),
            ("v5", "s[6:7]", a + b + c),
                                      ("v6", "s[8:9]", a - b - c)):  # fmt: skip
            assert int(r[register][lane]) == min(max(total, 0), (1 << 32) - 1)
            assert r[flag] >> lane & 1 == (total < 0 or total >= 1 << 32)
