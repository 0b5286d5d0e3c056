"""Every scalar ALU instruction against Python integers, 64 sets of operands each; SCC too."""

import dataclasses
import random

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.amdgcn import scalar
from sim.amdgcn.programs import run_program

ONES = {32: (1 << 32) - 1, 64: (1 << 64) - 1}
EDGES = (0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x80000000_00000000, 0x7FFFFFFF_FFFFFFFF, ONES[64], 0x0000CCCC,
    0xFFFF3333, 1 << 35, 0x8001)


@dataclasses.dataclass
class Operands:
    """S0 and S1 and the old D of 64 bits, SCC, EXEC."""

    a: int
    b: int
    d: int
    scc: int
    exec: int


def operands() -> list[Operands]:
    r = random.Random(7)
    edges = [(x, y) for x in EDGES for y in (0, 1, 31, 0x80000000, 0xFFFFFFFF, x)]
    pairs = r.sample(edges, 40) + [(r.getrandbits(64), r.choice([r.getrandbits(64), r.randrange(64),
        r.randrange(70) << 16 | r.randrange(64)])) for _ in range(24)]
    return [Operands(a, b, r.getrandbits(64), r.getrandbits(1),
        r.choice([0, ONES[64], r.getrandbits(64), 1 << 40])) for a, b in pairs]


def signed(x: int, n: int = 32) -> int:
    x &= (1 << n) - 1
    return x - (1 << n) if x >> n - 1 else x


def low(x: int) -> int:
    return x & ONES[32]


# Rules give (D, SCC); None leaves it alone. Their mask to the width is taken outside.
def nonzero(rule, n):
    def out(x):
        value = rule(x) & ONES[n]
        return value, int(value != 0)

    return out


def plain(rule):
    return lambda x: (rule(x), None)


def cut(x: Operands, n: int) -> Operands:
    return dataclasses.replace(x, a=x.a & ONES[n], b=x.b & ONES[n], d=x.d & ONES[n])


def carried(total: int) -> tuple[int, int]:
    return low(total), int(not 0 <= total <= ONES[32])


def overflowed(total: int) -> tuple[int, int]:
    return low(total), int(not -(1 << 31) <= total < 1 << 31)


def field(x: Operands, n: int, sign: bool) -> int:
    at, width = x.b & n - 1, x.b >> 16 & 127
    value = (signed(x.a, n) if sign else x.a) >> at
    value &= (1 << width) - 1
    return signed(value, width) if sign and 0 < width < n else signed(value, n) if sign else value


def first(bits: list[int], wanted: int) -> int:
    return next((k for k, b in enumerate(bits) if b == wanted), -1)


def bits(x: int, n: int) -> list[int]:
    return [x >> k & 1 for k in range(n)]


def number(bs: list[int]) -> int:
    return sum(b << k for k, b in enumerate(bs))


def sign_run(x: int, n: int) -> int:
    down = bits(x, n)[::-1]
    return first(down, 1 - down[0])


def quads(x: int, n: int) -> list[int]:
    return [int(x >> k & 15 != 0) for k in range(0, n, 4)]


LOGIC = {
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "andn2": lambda a, b: a & ~b,
    "orn2": lambda a, b: a | ~b,
    "nand": lambda a, b: ~(a & b), "nor": lambda a, b: ~(a | b), "xnor": lambda a, b: ~(a ^ b),
}  # fmt: skip
COMPARE = {
    "eq": lambda a, b: a == b, "lg": lambda a, b: a != b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}  # fmt: skip
SHORTS = (0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x8001)


def of_both_widths():
    """(text, width of S0 and D, rule). {a}, {b}, {d} stand for registers of that width, {B} for S1 of 32 bits, {A} for
    S0 of 64, {D} for D of 64."""
    for n in (32, 64):
        at = n - 1
        for name, f in LOGIC.items():
            yield f"s_{name}_b{n} {{d}}, {{a}}, {{b}}", n, nonzero(lambda x, f=f: f(x.a, x.b), n)
        yield f"s_lshl_b{n} {{d}}, {{a}}, {{B}}", n, nonzero(lambda x, at=at: x.a << (x.b & at), n)
        yield f"s_lshr_b{n} {{d}}, {{a}}, {{B}}", n, nonzero(lambda x, at=at: x.a >> (x.b & at), n)
        yield f"s_ashr_i{n} {{d}}, {{a}}, {{B}}", n, nonzero(lambda x, n=n, at=at: signed(x.a, n) >> (x.b & at), n)
        yield f"s_bfe_u{n} {{d}}, {{a}}, {{B}}", n, nonzero(lambda x, n=n: field(x, n, False), n)
        yield f"s_bfe_i{n} {{d}}, {{a}}, {{B}}", n, nonzero(lambda x, n=n: field(x, n, True), n)
        yield f"s_bfm_b{n} {{d}}, {{A32}}, {{B}}", n, plain(lambda x, at=at: ((1 << (x.a & at)) - 1) << (x.b & at))
        yield f"s_cselect_b{n} {{d}}, {{a}}, {{b}}", n, plain(lambda x: x.a if x.scc else x.b)
        yield f"s_mov_b{n} {{d}}, {{a}}", n, plain(lambda x: x.a)
        yield f"s_cmov_b{n} {{d}}, {{a}}", n, plain(lambda x: x.a if x.scc else x.d)
        yield f"s_not_b{n} {{d}}, {{a}}", n, nonzero(lambda x: ~x.a, n)
        yield f"s_brev_b{n} {{d}}, {{a}}", n, plain(lambda x, n=n: number(bits(x.a, n)[::-1]))
        yield f"s_wqm_b{n} {{d}}, {{a}}", n, nonzero(lambda x,
            n=n: sum(15 << 4 * k for k, q in enumerate(quads(x.a, n)) if q), n)
        yield f"s_quadmask_b{n} {{d}}, {{a}}", n, nonzero(lambda x, n=n: number(quads(x.a, n)), n)
        for one in (0, 1):
            yield f"s_bcnt{one}_i32_b{n} {{d32}}, {{a}}", n, nonzero(lambda x, n=n, one=one: bits(x.a, n).count(one),
                32)
            yield f"s_ff{one}_i32_b{n} {{d32}}, {{a}}", n, plain(lambda x, n=n, one=one: low(first(bits(x.a, n), one)))
            yield f"s_bitset{one}_b{n} {{d}}, {{A32}}", n, plain(lambda x, at=at,
                one=one: x.d & ~(1 << (x.a & at)) | one << (x.a & at))
            yield f"s_bitcmp{one}_b{n} {{a}}, {{B}}", n, lambda x, at=at, one=one: (None,
                int((x.a >> (x.b & at) & 1) == one))
        yield f"s_flbit_i32_b{n} {{d32}}, {{a}}", n, plain(lambda x, n=n: low(first(bits(x.a, n)[::-1], 1)))
        yield f"s_flbit_i32{'_i64' if n == 64 else ''} {{d32}}, {{a}}", n, plain(lambda x, n=n: low(sign_run(x.a, n)))


def of_32_bits():
    """As `of_both_widths`."""
    yield "s_add_u32 {d}, {a}, {b}", 32, lambda x: carried(x.a + x.b)
    yield "s_sub_u32 {d}, {a}, {b}", 32, lambda x: carried(x.a - x.b)
    yield "s_add_i32 {d}, {a}, {b}", 32, lambda x: overflowed(signed(x.a) + signed(x.b))
    yield "s_sub_i32 {d}, {a}, {b}", 32, lambda x: overflowed(signed(x.a) - signed(x.b))
    yield "s_addc_u32 {d}, {a}, {b}", 32, lambda x: carried(x.a + x.b + x.scc)
    yield "s_subb_u32 {d}, {a}, {b}", 32, lambda x: carried(x.a - x.b - x.scc)
    for k in (1, 2, 3, 4):
        yield f"s_lshl{k}_add_u32 {{d}}, {{a}}, {{b}}", 32, lambda x, k=k: carried((x.a << k) + x.b)
    for kind, f in (("u", low), ("i", signed)):
        yield f"s_min_{kind}32 {{d}}, {{a}}, {{b}}", 32, lambda x, f=f: (x.a, 1) if f(x.a) < f(x.b) else (x.b, 0)
        yield f"s_max_{kind}32 {{d}}, {{a}}, {{b}}", 32, lambda x, f=f: (x.a, 1) if f(x.a) >= f(x.b) else (x.b, 0)
        yield f"s_mul_hi_{kind}32 {{d}}, {{a}}, {{b}}", 32, plain(lambda x, f=f: f(x.a) * f(x.b) >> 32)
        for name, test in COMPARE.items():
            yield f"s_cmp_{name}_{kind}32 {{a}}, {{b}}", 32, lambda x, f=f, test=test: (None, int(test(f(x.a), f(x.b))))
            for c in SHORTS:
                c2 = c if kind == "u" else signed(c, 16)
                yield f"s_cmpk_{name}_{kind}32 {{a}}, {c2}", 32, lambda x, f=f, test=test, c=c2: (None,
                    int(test(f(x.a), c)))
    yield "s_cmp_eq_u64 {a}, {b}", 64, lambda x: (None, int(x.a == x.b))
    yield "s_cmp_lg_u64 {a}, {b}", 64, lambda x: (None, int(x.a != x.b))
    yield "s_mul_i32 {d}, {a}, {b}", 32, plain(lambda x: x.a * x.b)
    yield "s_absdiff_i32 {d}, {a}, {b}", 32, nonzero(lambda x: abs(signed(signed(x.a) - signed(x.b))), 32)
    yield "s_abs_i32 {d}, {a}", 32, nonzero(lambda x: abs(signed(x.a)), 32)
    yield "s_sext_i32_i8 {d}, {a}", 32, plain(lambda x: signed(x.a, 8))
    yield "s_sext_i32_i16 {d}, {a}", 32, plain(lambda x: signed(x.a, 16))
    yield "s_pack_ll_b32_b16 {d}, {a}, {b}", 32, plain(lambda x: x.a & 0xFFFF | (x.b & 0xFFFF) << 16)
    yield "s_pack_lh_b32_b16 {d}, {a}, {b}", 32, plain(lambda x: x.a & 0xFFFF | x.b >> 16 << 16)
    yield "s_pack_hh_b32_b16 {d}, {a}, {b}", 32, plain(lambda x: x.a >> 16 | x.b >> 16 << 16)
    yield "s_bitreplicate_b64_b32 {D}, {a}", 32, plain(lambda x: sum(3 * b << 2 * k for k,
        b in enumerate(bits(x.a, 32))))
    for c in SHORTS:
        c2 = signed(c, 16)
        yield f"s_movk_i32 {{d}}, {c:#x}", 32, plain(lambda x, c=c2: c)
        yield f"s_cmovk_i32 {{d}}, {c:#x}", 32, plain(lambda x, c=c2: c if x.scc else x.d)
        yield f"s_addk_i32 {{d}}, {c:#x}", 32, lambda x, c=c2: overflowed(signed(x.d) + c)
        yield f"s_mulk_i32 {{d}}, {c:#x}", 32, plain(lambda x, c=c2: x.d * c)


CASES = [*of_both_widths(), *of_32_bits()]
REGISTERS = {
    32: {"a": "s0", "b": "s2", "B": "s2", "d": "s10", "d32": "s10", "D": "s[10:11]", "A32": "s0"},
    64: {"a": "s[0:1]", "b": "s[2:3]", "B": "s2", "d": "s[10:11]", "d32": "s10", "D": "s[10:11]", "A32": "s0"},
}
EXEC_CASES = {
    **{f"s_{name}_saveexec_b64": (f, True) for name, f in LOGIC.items()},
    "s_andn1_saveexec_b64": (lambda a, b: ~a & b, True), "s_orn1_saveexec_b64": (lambda a, b: ~a | b, True),
    "s_andn1_wrexec_b64": (lambda a, b: ~a & b, False), "s_andn2_wrexec_b64": (lambda a, b: a & ~b, False),
}  # fmt: skip


def looped(texts: list[str], sets: list[Operands]) -> list[np.ndarray]:
    """Each instruction on each set of operands, one set a lane: D (uint64) and SCC, and EXEC behind it, from v10 on,
    five registers each."""
    words = {0: "a", 2: "b", 4: "d", 7: "exec"}
    inputs: dict[str, np.ndarray | int] = {"v6": np.array([x.scc for x in sets], np.uint32)}
    for at, name in words.items():
        values = np.array([getattr(x, name) for x in sets], np.uint64)
        inputs[f"v{at}"] = (values & 0xFFFFFFFF).astype(np.uint32)
        inputs[f"v{at + 1}"] = (values >> 32).astype(np.uint32)
    # s0-1, s2-3: S0, S1; s4-5: the old D; s6: SCC; s8-9: EXEC; s20: the lane.
    lines = ["s_mov_b32 s20, 0", "loop:"]
    lines += [f"v_readlane_b32 s{s}, v{v}, s20" for s, v in ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (8,
        7), (9, 8))]
    for k, text in enumerate(texts):
        lines += ["s_mov_b64 s[10:11], s[4:5]", "s_mov_b64 exec, s[8:9]", "s_cmp_lg_u32 s6, 0", text,
            "s_cselect_b32 s12, 1, 0"]
        lines += ["s_mov_b64 s[14:15], exec"]
        lines += [f"v_writelane_b32 v{10 + 5 * k + n}, s{s}, s20" for n, s in enumerate((10, 11, 12, 14, 15))]
    lines += ["s_add_u32 s20, s20, 1", "s_cmp_lt_u32 s20, 64", "s_cbranch_scc1 loop", "s_mov_b64 exec, -1"]
    r = run_program("\n".join(lines), inputs)
    return [np.asarray(r[f"v[{10 + 5 * k}:{14 + 5 * k}]"]) for k in range(len(texts))]


def wide(words: np.ndarray) -> list[int]:
    return [int(lo) | int(hi) << 32 for lo, hi in zip(*words, strict=True)]


@pytest.mark.parametrize("part", range(0, len(CASES), 48))
def test_instructions(part):
    sets, some = operands(), CASES[part : part + 48]
    found = looped([text.format(**REGISTERS[n]) for text, n, _ in some], sets)
    for (text, n, rule), got in zip(some, found, strict=True):
        result = 64 if "{D}" in text or n == 64 and "{d}" in text else 32
        for x, d, scc in zip(sets, wide(got[:2]), got[2], strict=True):
            value, flag = rule(cut(x, n))
            want = x.d if value is None else value & ONES[result] | (x.d & ~ONES[result])
            assert (d, scc) == (want, x.scc if flag is None else flag), (text, x, hex(d), hex(want))


def test_exec_logic():
    sets = operands()
    found = looped([f"{name} s[10:11], s[0:1]" for name in EXEC_CASES], sets)
    for (name, (f, saves)), got in zip(EXEC_CASES.items(), found, strict=True):
        for x, d, scc, now in zip(sets, wide(got[:2]), got[2], wide(got[3:]), strict=True):
            want = f(x.a, x.exec) & ONES[64]
            assert (d, scc, now) == (x.exec if saves else want, want != 0, want), (name, x)


def test_relative_moves():
    inputs = {f"s{n}": 1000 + n for n in range(40)} | {"m0": 10}
    body = (
        "s_movrels_b32 s50, s7\ns_movrels_b64 s[52:53], s[8:9]\ns_movreld_b32 s45, s7\ns_movreld_b64 s[46:47], s[2:3]\n"
        "s_mov_b32 s60, s56"
    )
    r = run_program(body, inputs)
    assert [r[x] for x in ("s50", "s52", "s53", "s55", "s56", "s57", "s60")] == [1017, 1018, 1019, 1007, 1002, 1003,
        1002]
    with pytest.raises(AveError, match=r"\[X021\].*s_movrels_b32 s50, s7.*past the last SGPR"):
        run_program("s_mov_b32 m0, 0x1000\ns_movrels_b32 s50, s7")


@pytest.mark.parametrize(
    "text,want",
    [
        ("s_mov_b64 s[0:1], -1", ONES[64]), ("s_mov_b64 s[0:1], 0x80000000", 0x80000000),
        ("s_mov_b64 s[0:1], -17", 0xFFFFFFEF),
        ("s_ashr_i64 s[0:1], 0xfffffff0, 1", ONES[64] - 7), ("s_mov_b64 s[0:1], 1.0", 0x3FF0000000000000),
        ("s_mov_b64 s[0:1], 0.15915494", 0x3FC45F306DC9C882),
        ("s_mov_b64 s[0:1], 0.15915494309189532", 0x3FC45F306DC9C882),
        ("s_mov_b64 s[0:1], src_shared_base", 1 << 48), ("s_mov_b64 s[0:1], src_private_limit", 2 << 48 | 0xFFFFFFFF),
        ("s_mov_b64 s[0:1], exec", 0xF0F0), ("s_mov_b64 s[0:1], src_execz", 0),
        ("s_mov_b64 vcc, 0\ns_mov_b64 s[0:1], src_vccz", 1),
    ],
)  # fmt: skip
def test_sources_of_64_bits(text, want):
    assert run_program(text, exec_mask=0xF0F0)["s[0:1]"] == want


def test_sources_of_32_bits():
    r = run_program(
        "s_mov_b32 s0, 1.0\ns_mov_b32 s1, 0.15915494\ns_mov_b32 s2, -4.0\ns_mov_b32 s3, src_vccz\ns_mov_b32 s4, "
        "scc\ns_mov_b32 s5, m0\n"
        "s_mov_b32 s6, exec_hi\ns_mov_b32 s7, vcc_lo\ns_mov_b32 s8, ttmp3\ns_mov_b32 s9, src_execz\ns_mov_b32 s10, 3.5",
        {"vcc": 0x123456789, "scc": 1, "m0": 77, "ttmp3": 5}, exec_mask=1 << 63,
    )  # fmt: skip
    assert [r[f"s{n}"] for n in range(11)] == [0x3F800000, 0x3E22F983, 0xC0800000, 0, 1, 77, 1 << 31, 0x23456789, 5, 0,
        0x40600000]


def test_what_is_not_modeled_stops():
    for text in ("s_mov_b32 s0, src_shared_base", "s_mov_b32 s0, src_pops_exiting_wave_id"):
        with pytest.raises(AveError, match=r"\[X021\]"):
            run_program(text)


def test_every_instruction_has_a_case():
    tested = {text.split()[0] for text, _, _ in CASES} | set(EXEC_CASES)
    assert set(scalar.TABLE) - tested == {"s_movrels_b32", "s_movrels_b64", "s_movreld_b32", "s_movreld_b64"}
    assert tested <= set(scalar.TABLE)
