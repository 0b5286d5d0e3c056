"""Atomic operations against a model: what a lane finds, what it leaves, lanes in ascending order; and many threads on
one address."""

import struct

import ml_dtypes
import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.amdgcn.memory_atomics import TABLE
from avelang.sim.amdgcn.state import PRIVATE_BASE, SHARED_BASE
from sim.amdgcn import memory_model as model
from sim.amdgcn.memory_model import FULL, LANES, MASKS, pair, region, registers
from sim.amdgcn.programs import assemble, run_program, start

CELLS = 8


def signed(v: int, bits: int) -> int:
    return v - (v >> bits - 1 << bits)


def real(v: int, bits: int) -> float:
    return struct.unpack({32: "<f", 64: "<d"}[bits], v.to_bytes(bits // 8, "little"))[0]


def pattern(x, bits: int) -> int:
    kind = {16: np.float16, 32: np.float32, 64: np.float64}[bits]
    return int(np.array(x, kind).view(f"u{bits // 8}"))


EXPONENT, QUIET = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF << 52}, {16: 0x200, 32: 0x400000, 64: 1 << 51}


def is_nan(v: int, bits: int, exponent: int | None = None) -> bool:
    return (v & (1 << bits - 1) - 1) > (EXPONENT[bits] if exponent is None else exponent)


def add_float(m: int, d: int, bits: int) -> int:
    for v in (m, d):
        if is_nan(v, bits):
            return v | QUIET[bits]
    with np.errstate(all="ignore"):
        kind = {32: np.float32, 64: np.float64}[bits]
        total = pattern(kind(real(m, bits)) + kind(real(d, bits)), bits)
    return EXPONENT[bits] | QUIET[bits] if is_nan(total, bits) else total


def add_half(m: int, d: int, kind) -> int:
    """One half of a packed sum, rounded once from the exact value."""
    exponent, quiet = (0x7C00, 0x200) if kind is np.float16 else (0x7F80, 0x40)
    for v in (m, d):
        if is_nan(v, 16, exponent):
            return v | quiet
    with np.errstate(all="ignore"):
        exact = np.array([m, d], np.uint16).view(kind).astype(np.float64).sum()
        got = int(np.array(exact).astype(kind).view(np.uint16))
    return exponent | quiet if is_nan(got, 16, exponent) else got


def packed(m: int, d: int, kind) -> int:
    return sum(add_half(m >> s & 0xFFFF, d >> s & 0xFFFF, kind) << s for s in (0, 16))


def extreme(m: int, d: int, bits: int, least: bool) -> int:
    """By the manual's order, 9.2.3: a signaling NaN is given back quieted; numbers come before quiet NaNs; -0 is less
    than 0."""
    for v in (m, d):
        if is_nan(v, bits) and not v & QUIET[bits]:
            return v | QUIET[bits]
    if is_nan(m, bits) or is_nan(d, bits):
        return d if is_nan(m, bits) else m
    key = lambda v: (real(v, bits), -(v >> bits - 1))  # noqa: E731
    return min(m, d, key=key) if least else max(m, d, key=key)


# What memory holds behind an operation on `m` with data `d` and the second operand `e`, as unsigned integers of `bits`.
INTEGER = {
    "swap": lambda m, d, e, b: d,
    "cmpswap": lambda m, d, e, b: d if m == e else m,
    "add": lambda m, d, e, b: m + d,
    "sub": lambda m, d, e, b: m - d,
    "rsub": lambda m, d, e, b: d - m,
    "smin": lambda m, d, e, b: min(m, d, key=lambda v: signed(v, b)),
    "smax": lambda m, d, e, b: max(m, d, key=lambda v: signed(v, b)),
    "umin": lambda m, d, e, b: min(m, d),
    "umax": lambda m, d, e, b: max(m, d),
    "and": lambda m, d, e, b: m & d,
    "or": lambda m, d, e, b: m | d,
    "xor": lambda m, d, e, b: m ^ d,
    "inc": lambda m, d, e, b: 0 if m >= d else m + 1,
    "dec": lambda m, d, e, b: d if m == 0 or m > d else m - 1,
    "mskor": lambda m, d, e, b: m & ~d | e,
    "wrap": lambda m, d, e, b: m - d if m >= d else m + e,
    "condxchg": lambda m, d, e, b: sum(
        (d >> s & 0x7FFFFFFF if d >> s & 0x80000000 else m >> s & 0xFFFFFFFF) << s for s in (0, 32)
    ),
}
FLOAT = {
    "add_f": lambda m, d, e, b: add_float(m, d, b), "pk_f16": lambda m, d, e, b: packed(m, d, np.float16),
    "pk_bf16": lambda m, d, e, b: packed(m, d, ml_dtypes.bfloat16), "min_f": lambda m, d, e, b: extreme(m, d, b, True),
    "max_f": lambda m, d, e, b: extreme(m, d, b, False),
    "cmpst_f": lambda m, d, e, b: d if real(m, b) == real(e, b) else m,
}  # fmt: skip
TWO = ("cmpswap", "mskor", "wrap", "cmpst_f")
MEMORY = {f"{op}{'_x2' * (b == 64)}": (op, b) for op in list(INTEGER)[:14] if op != "rsub" for b in (32, 64)}
MEMORY |= {
    "add_f32": ("add_f", 32), "add_f64": ("add_f", 64), "pk_add_f16": ("pk_f16", 32), "pk_add_bf16": ("pk_bf16", 32),
}  # fmt: skip
MEMORY |= {"min_f64": ("min_f", 64), "max_f64": ("max_f", 64)}
LDS_NAMES = {
    "add_u": "add", "sub_u": "sub", "rsub_u": "rsub", "inc_u": "inc", "dec_u": "dec", "min_i": "smin", "max_i": "smax",
    "min_u": "umin",
    "max_u": "umax", "and_b": "and", "or_b": "or", "xor_b": "xor", "mskor_b": "mskor", "cmpst_b": "cmpswap",
    "cmpst_f": "cmpst_f", "min_f": "min_f",
    "max_f": "max_f", "add_f": "add_f",
}  # fmt: skip
LDS = {f"{name}{b}": (op, b) for name, op in LDS_NAMES.items() for b in (32, 64)} | {
    "pk_add_f16": ("pk_f16", 32),
    "pk_add_bf16": ("pk_bf16", 32),
}
ONLY_RETURNING = {
    "wrxchg_rtn_b32": ("swap", 32), "wrxchg_rtn_b64": ("swap", 64), "wrap_rtn_b32": ("wrap", 32),
    "condxchg32_rtn_b64": ("condxchg", 64),
}  # fmt: skip
EXCHANGES = [f"ds_wrxchg2{s}_rtn_b{b}" for s in ("", "st64") for b in (32, 64)]


def returning(name: str) -> str:
    head, _, tail = name.rpartition("_")
    return f"{head}_rtn_{tail}"


def test_each_instruction_has_a_case():
    names = (
        {f"{s}_atomic_{n}" for s in ("global", "flat", "buffer") for n in MEMORY}
        | {f"ds_{n}" for n in LDS}
        | {f"ds_{returning(n)}" for n in LDS}
    )
    assert set(TABLE) == names | {f"ds_{n}" for n in ONLY_RETURNING} | set(EXCHANGES)


def values(rng: np.random.Generator, op: str, bits: int, n: int) -> list[int]:
    """Operands with the values that matter among them."""
    if op.startswith("pk"):
        kind = np.float16 if op == "pk_f16" else ml_dtypes.bfloat16
        few = [
            0,
            0x8000,
            1,
            0x8001,
            *(
                (0x7C00, 0xFC00, 0x7C01, 0xFE05, 0x7BFF)
                if kind is np.float16
                else (0x7F80, 0xFF80, 0x7F81, 0xFFC5, 0x7F7F)
            ),
        ]
        halves = [int(v) for v in np.array(rng.standard_normal(4 * n), kind).view(np.uint16)]
        pick = [halves[k] if rng.random() < 0.6 else few[rng.integers(len(few))] for k in range(2 * n)]
        return [pick[2 * k] | pick[2 * k + 1] << 16 for k in range(n)]
    if op in FLOAT:
        inf, quiet, sign = EXPONENT[bits], QUIET[bits], 1 << bits - 1
        few = [
            0, sign, 1, sign | 1, inf, sign | inf, inf | quiet | 5, sign | inf | 5, inf | 7, inf - 1,
            pattern(1.0, bits),
        ]  # fmt: skip
        return [
            pattern(rng.integers(-3, 4) * 0.25, bits) if rng.random() < 0.6 else few[rng.integers(len(few))]
            for _ in range(n)
        ]
    top = (1 << bits) - 1
    few = [0, 1, top, top >> 1, (top >> 1) + 1, 3, 5]
    return [
        few[rng.integers(len(few))] if rng.random() < 0.5 else int(rng.integers(0, 1 << 63)) & top for _ in range(n)
    ]


def numbers(words: np.ndarray) -> list[int]:
    """Registers (n, 64) or (64,) as one integer for each lane."""
    rows = np.atleast_2d(words)
    return [sum(int(rows[k, n]) << 32 * k for k in range(len(rows))) for n in range(LANES)]


def words_of(items: list[int], bits: int) -> np.ndarray:
    return np.array([[v >> 32 * k & 0xFFFFFFFF for v in items] for k in range(bits // 32)], np.uint32)


def expected(
    op: str, bits: int, cells: list[int], which: np.ndarray, d: list[int], e: list[int], mask: int
) -> tuple[list[int], list[int]]:
    """What the cells hold behind it, and what each lane found."""
    rule, cells = {**INTEGER, **FLOAT}[op], [*cells]
    found = [sum(model.UNTOUCHED << 32 * k for k in range(bits // 32))] * LANES
    for n in model.lanes_of(mask):
        at = int(which[n])
        found[n] = cells[at]
        cells[at] = rule(cells[at], d[n], e[n], bits) & (1 << bits) - 1
    return cells, found


def case(seed: int, op: str, bits: int) -> tuple[list[int], np.ndarray, list[int], list[int]]:
    """Cells, which one each lane works on, and data; what is compared is often there."""
    rng = np.random.default_rng(seed)
    cells, which = values(rng, op, bits, CELLS), rng.integers(0, CELLS, LANES)
    d, e = values(rng, op, bits, LANES), values(rng, op, bits, LANES)
    return cells, which, d, [cells[which[n]] if rng.random() < 0.5 else v for n, v in enumerate(e)]


def seed_of(name: str) -> int:
    return sum(name.encode())


FORMS = ["global vaddr", "global saddr", "flat", "buffer"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("returned", [False, True])
def test_memory(form, returned):
    """All operations of a form, each on cells of its own; their operands are loaded before each, so that registers
    suffice."""
    space, size = form.split()[0], 64
    memory = np.zeros((len(MEMORY), size), np.uint8)
    text, given, results = [], {}, np.zeros((len(MEMORY), LANES, 16), np.uint8)
    operands = np.zeros((len(MEMORY), LANES, 32), np.uint8)
    where, wants = np.zeros((len(MEMORY), LANES), np.uint32), {}
    mask = MASKS["some"] if returned else FULL
    for k, (name, (op, bits)) in enumerate(MEMORY.items()):
        n, two, w = bits // 8, op in TWO, bits // 32
        cells, which, d, e = case(seed_of(form + name), op, bits)
        memory[k, : CELLS * n] = np.array(cells, f"<u{n}").view(np.uint8)
        operands[k, :, : 2 * n] = np.stack([np.array(d, f"<u{n}"), np.array(e, f"<u{n}")], 1).view(np.uint8)
        where[k] = which * n
        wants[name] = expected(op, bits, cells, which, d, e, mask)
        data, rtn = registers(20, w * (1 + two)), registers(20 if space == "buffer" else 30, w)
        text.append(
            "global_load_dwordx4 v[20:23], v2, s[8:9] offset:0\nglobal_load_dword v4, v3, s[10:11]\nv_lshl_add_u64 "
            "v[6:7], v[4:5], 0, s[12:13]"
        )
        address = {
            "global vaddr": ("v[6:7]", "off"),
            "global saddr": ("v4", "s[12:13]"),
            "flat": ("v[6:7]",),
            "buffer": ("v4", "s[16:19]", "0 offen"),
        }[form]
        args = [data, *address] if space == "buffer" else [address[0], data, *address[1:]]
        args = [rtn, *args] if returned and space != "buffer" else args
        if returned:
            text.append("v_mov_b32 v30, v0\nv_mov_b32 v31, v0")
        text.append(
            f"s_mov_b64 exec, s[14:15]\n{space}_atomic_{name} "
            f"{', '.join(args)}{' sc0' if returned else ''}\ns_mov_b64 exec, -1"
        )
        if returned:
            source = 20 if space == "buffer" else 30
            text.append(f"global_store_dwordx2 v1, v[{source}:{source + 1}], s[20:21]")
        text.append(
            f"s_add_u32 s8, s8, {LANES * 32}\ns_addc_u32 s9, s9, 0\ns_add_u32 s10, s10, {LANES * 4}\ns_addc_u32 s11, "
            f"s11, 0\n"
            f"s_add_u32 s12, s12, {size}\ns_addc_u32 s13, s13, 0\ns_add_u32 s16, s16, {size}\ns_addc_u32 s17, s17, 0\n"
            f"s_add_u32 s20, s20, {LANES * 16}\ns_addc_u32 s21, s21, 0"
        )  # fmt: skip
    lane = np.arange(LANES, dtype=np.uint32)
    given = {
        "v0": model.UNTOUCHED, "v1": lane * 16, "v2": lane * 32, "v3": lane * 4, "v5": 0,
        "s[8:9]": operands.ctypes.data, "s[10:11]": where.ctypes.data,
        "s[12:13]": memory.ctypes.data, "s[14:15]": mask, "s[16:19]": memory.ctypes.data | size << 64 | 0x27000 << 96,
        "s[20:21]": results.ctypes.data,
    }  # fmt: skip
    chip = "gfx950" if form == "buffer" else "gfx942"  # gfx942 has no buffer_atomic_pk_add_bf16
    run_program("\n".join(text), given, chip=chip, regions=tuple(region(x) for x in (memory, operands, where, results)))
    for k, (name, (_, bits)) in enumerate(MEMORY.items()):
        n = bits // 8
        cells, found = wants[name]
        assert memory[k, : CELLS * n].view(f"<u{n}").tolist() == cells, name
        if returned:
            have = np.ascontiguousarray(results[k, :, :n]).view(f"<u{n}").reshape(-1)
            assert [int(have[x]) for x in model.lanes_of(mask)] == [found[x] for x in model.lanes_of(mask)], name


def lds_text(name: str, bits: int, two: bool, returned: bool) -> str:
    w = bits // 32
    data = [registers(20, w), *([registers(24, w)] if two else [])]
    return f"ds_{name} {', '.join([*([registers(30, w)] if returned else []), 'v2', *data])} offset:16"


def lds_cases(returned: bool) -> dict[str, tuple[str, int]]:
    return {f"{returning(n)}": c for n, c in LDS.items()} | ONLY_RETURNING if returned else LDS


@pytest.mark.parametrize("returned", [False, True])
def test_lds(returned):
    """All operations one after another, each on cells that are written before and read behind it."""
    cases, text = lds_cases(returned), []
    for name, (op, bits) in cases.items():
        x = 2 if bits == 64 else 1
        text.append(
            f"global_load_dwordx4 v[20:23], v3, s[8:9]\nglobal_load_dwordx2 v[24:25], v3, s[8:9] "
            f"offset:16\nglobal_load_dword v2, v3, s[8:9] offset:24\n"
            f"s_add_u32 s8, s8, {LANES * 40}\ns_addc_u32 s9, s9, 0\nglobal_load_dwordx2 v[6:7], v3, s[8:9] "
            f"offset:-{LANES * 40 - 32}\n"
            f"ds_write_b{bits} v5, {registers(6, x)} offset:16\nv_mov_b32 v30, v0\nv_mov_b32 v31, v0\ns_mov_b64 exec, "
            f"s[14:15]\n"
            + lds_text(name, bits, op in TWO, returned)
            + f"\ns_mov_b64 exec, -1\nds_read_b{bits} {registers(6, x)}, v5 offset:16\n"
              f"global_store_dwordx2 v1, v[6:7], s[10:11]\n"
            f"global_store_dwordx2 v1, v[30:31], s[10:11] offset:8\ns_add_u32 s10, s10, {LANES * 16}\ns_addc_u32 s11, "
            f"s11, 0"
        )  # fmt: skip
    mask, lane = MASKS["some"] if returned else FULL, np.arange(LANES, dtype=np.uint32)
    # Of each lane: data, the second operand at 16, the cell's place at 24, and at 32 what the lane puts into the cell
    # of its number.
    operands, results = np.zeros((len(cases), LANES, 40), np.uint8), np.zeros((len(cases), LANES, 16), np.uint8)
    wants = {}
    for k, (name, (op, bits)) in enumerate(cases.items()):
        n = bits // 8
        cells, which, d, e = case(seed_of(name), op, bits)
        wants[name] = expected(op, bits, cells, which, d, e, mask)
        first, second = (e, d) if op in ("cmpswap", "cmpst_f") else (d, e)  # what is compared comes first in LDS
        for at, items in ((0, first), (16, second), (32, [*cells, *[0] * (LANES - CELLS)])):
            operands[k, :, at : at + n] = np.array(items, f"<u{n}").view(np.uint8).reshape(LANES, n)
        operands[k, :, 24:28] = (which * 8).astype("<u4").view(np.uint8).reshape(LANES, 4)
    given = {"v0": model.UNTOUCHED, "v1": lane * 16, "v3": lane * 40, "v5": lane * 8, "s[8:9]": operands.ctypes.data,
        "s[10:11]": results.ctypes.data,
             "s[14:15]": mask}  # fmt: skip
    run_program("\n".join(text), given, regions=(region(operands), region(results)), lds=1024)
    for k, (name, (_, bits)) in enumerate(cases.items()):
        n = bits // 8
        cells, found = wants[name]
        have = np.ascontiguousarray(results[k, :, :n]).view(f"<u{n}").reshape(-1)
        assert have[:CELLS].tolist() == cells, name
        if returned:
            have = np.ascontiguousarray(results[k, :, 8 : 8 + n]).view(f"<u{n}").reshape(-1)
            assert have.tolist() == found, name


@pytest.mark.parametrize("name", EXCHANGES)
def test_two_exchanges(name):
    """The registers that receive hold the address and the data."""
    bits, w = int(name[-2:]), int(name[-2:]) // 32
    unit = bits // 8 * (64 if "st64" in name else 1)
    rng, lane = np.random.default_rng(3), np.arange(LANES)
    old, new = (model.random_words(rng, 2 * w, LANES) for _ in range(2))
    first, second, places = registers(2, w), registers(2 + w, w), (0, 1) if "st64" in name else (1, 200)
    body, back = (
        "\n".join(f"ds_{what}_b{bits} {', '.join(['v1', registers(k + w * n, w)][::way])} offset:{unit * p}" for n,
            p in enumerate(places))
        for what, k, way in (("write", 10, 1), ("read", 20, -1))
    )  # fmt: skip
    got = run_program(f"{body}\n{name} {registers(2, 2 * w)}, v1, {first}, {second} offset0:{places[0]} "
                      f"offset1:{places[1]}\n{back}",
                      {"v1": (lane * bits // 8).astype(np.uint32), registers(10, 2 * w): old, registers(2, 2 * w): new},
                      lds=16384)  # fmt: skip
    assert (np.atleast_2d(got[registers(2, 2 * w)]) == old).all()
    assert (np.atleast_2d(got[registers(20, 2 * w)]) == new).all()


def test_denormals_in_lds_follow_mode_and_stay_in_memory():
    tiny = np.full(LANES, 0x00000003, np.uint32)
    body = ("ds_write_b32 v1, v2\nds_add_f32 v1, v2\nds_read_b32 v3, v1\nds_max_rtn_f32 v4, v1, v2\n"
            "ds_write_b32 v1, v5\nds_max_f32 v1, v2\nds_read_b32 v6, v1\n"
            "global_store_dword v1, v2, s[2:3]\nglobal_atomic_add_f32 v1, v2, s[2:3]\n"
            "global_load_dword v7, v1, s[2:3]")  # fmt: skip
    memory = np.zeros(LANES, np.uint32)
    given = {"v1": np.arange(LANES, dtype=np.uint32) * 4, "v2": tiny, "v5": tiny + 1, "s[2:3]": memory.ctypes.data}
    keep = run_program(body, given, lds=256, regions=(region(memory),))
    flush = run_program(body, given, lds=256, regions=(region(memory),), directives=".amdhsa_float_denorm_mode_32 0")
    assert (keep["v3"] == 6).all() and (flush["v3"] == 0).all()
    assert (keep["v6"] == 4).all() and (flush["v6"] == 3).all()  # equal once flushed: the register's, as it is
    assert (keep["v7"] == 6).all() and (flush["v7"] == 6).all()


def test_buffer_range():
    """All or nothing, by where it starts; out of range, it gives back 0."""
    memory, lane = np.arange(LANES, dtype=np.uint32), np.arange(LANES, dtype=np.uint32)
    resource = memory.ctypes.data | 100 << 64 | 0x27000 << 96
    got = run_program(
        "buffer_atomic_add v3, v2, s[4:7], 0 offen sc0", {"v2": lane * 4, "v3": 1000, "s[4:7]": resource},
        exec_mask=MASKS["even"], regions=(region(memory),),
    )  # fmt: skip
    inside, active = lane < 25, lane % 2 == 0
    assert (memory == lane + np.where(inside & active, 1000, 0)).all()
    assert (got["v3"] == np.where(active, np.where(inside, lane, 0), 1000)).all()


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("text", ["global_atomic_add v0, v1, s[2:3]", "global_atomic_add_f32 v0, v1, s[2:3]",
    "global_atomic_pk_add_f16 v0, v1, s[2:3]",
                                  "flat_atomic_inc v[4:5], v1",
                                  "buffer_atomic_add_f64 v[6:7], off, s[8:11], 0"])  # fmt: skip
def test_threads_lose_nothing(text, threads):
    """512 workgroups on one cell, several at a time."""
    memory = np.zeros(2, np.uint64)
    one = {"add_f32": 0x3F800000, "f16": 0, "inc": 0xFFFFFFFF}.get(
        next((k for k in ("add_f32", "f16", "inc") if k in text), ""), 1
    )
    machine = assemble(text)
    given = {"v0": 0, "v1": 0x3C000000 if "f16" in text else one, "s[2:3]": memory.ctypes.data,
        "v[4:5]": pair(np.full(LANES, memory.ctypes.data)),
             "v[6:7]": words_of([pattern(1.0, 64)] * LANES, 64),
             "s[8:11]": memory.ctypes.data | 16 << 64 | 4 << 111}  # fmt: skip
    groups = 16 if "f16" in text else 512
    start(machine, given, regions=(region(memory),), groups=groups, threads=threads)
    total = groups * LANES
    want = {"add_f32": pattern(total, 32), "f16": pattern(total, 16) << 16, "add_f64": pattern(total, 64)}
    assert int(memory[0]) == next((v for k, v in want.items() if k in text), total)


def test_flat_addresses_of_lds():
    """Lanes take turns between memory and LDS; stacks work too."""
    memory, lane = np.zeros(LANES, np.uint32), np.arange(LANES)
    address = np.select(
        [lane % 3 == 0, lane % 3 == 1], [memory.ctypes.data + 4 * lane, SHARED_BASE + 4 * lane], PRIVATE_BASE + 4
    )
    got = run_program("ds_write_b32 v1, v2\nscratch_store_dword off, v2, off offset:4\nflat_atomic_add v[4:5], v3\n"
                      "ds_read_b32 v6, v1\nscratch_load_dword v7, off, off offset:4",
                      {"v1": (4 * lane).astype(np.uint32), "v2": 100, "v3": lane.astype(np.uint32),
                          "v[4:5]": pair(address)}, lds=256, regions=(region(memory),),
                      directives=".amdhsa_float_denorm_mode_32 3\n.amdhsa_private_segment_fixed_size 16")  # fmt: skip
    assert (memory == np.where(lane % 3 == 0, lane, 0)).all()
    assert (got["v6"] == np.where(lane % 3 == 1, 100 + lane, 100)).all()
    assert (got["v7"] == np.where(lane % 3 == 2, 100 + lane, 100)).all()


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("global_atomic_add_x2 v0, v[2:3], s[2:3]", 8),
        ("ds_add_u32 v0, v1", 4),
        ("buffer_atomic_or v1, v0, s[4:7], 0 offen", 4),
    ],
)
def test_misaligned(text, size):
    memory = np.zeros(64, np.uint64)
    at = np.where(np.arange(LANES) == 11, size // 2, 0).astype(np.uint32)
    with pytest.raises(AveError, match=rf"X056.*takes a multiple of {size} .*lane 11\)"):
        run_program(
            text, {"v0": at, "s[2:3]": memory.ctypes.data, "s[4:7]": memory.ctypes.data | 512 << 64 | 4 << 111}, lds=64,
            regions=(region(memory),),
        )  # fmt: skip


@pytest.mark.parametrize(("text", "code"), [("global_atomic_add v0, v1, s[2:3]", "X022"), ("ds_add_u32 v0, v1", "X023"),
    ("ds_add_u32 v0, v1 gds", "X021"),
                                            ("flat_atomic_add_f32 v[6:7], v1", "X021"),
                                            ("ds_wrxchg2_rtn_b32 v[2:3], v0, v1, v4", "X021"),
                                            ("ds_cmpst_b32 v0, v1", "X021")])  # fmt: skip
def test_faults(text, code):
    memory = np.zeros(4, np.uint32)
    with pytest.raises(AveError, match=code):
        run_program(text, {"v0": 64, "s[2:3]": memory.ctypes.data}, lds=64, regions=(region(memory),), directives="")
