"""Scalar loads and stores."""

import numpy as np
import pytest

from avelang.base.errors import AveError
from avelang.sim.amdgcn.memory_scalar import LOADS, STORES, TABLE
from avelang.sim.amdgcn.memory_scalar_atomics import TABLE as ATOMICS
from sim.amdgcn.memory_model import random_words, region, registers
from sim.amdgcn.programs import assemble, run_program, start

SIZES = {"dword": 1, "dwordx2": 2, "dwordx4": 4, "dwordx8": 8, "dwordx16": 16}
FORMS = {"s[2:3], 0x10": 16, "s[2:3], s4": 8, "s[2:3], s4 offset:0x14": 28, "s[2:3], -0x8": -8, "s[2:3], m0": 12}
TODAY = {f"s_{b}load_{n}" for b in ("", "buffer_") for n in SIZES} | {
    f"s_{b}store_{n}" for b in ("", "buffer_", "scratch_") for n in list(SIZES)[:3]
}
TODAY |= {f"s_scratch_load_{n}" for n in list(SIZES)[:3]} | {"s_dcache_discard", "s_dcache_discard_x2"}


def test_each_instruction_has_a_case():
    assert set(TABLE) == TODAY
    assert dict(LOADS) == SIZES
    assert list(STORES) == list(SIZES)[:3]


def inputs(memory: np.ndarray) -> dict:
    return {"s[2:3]": memory.ctypes.data + 16, "s4": 8, "m0": 12}


def words(value: int, n: int) -> list[int]:
    return [value >> 32 * k & 0xFFFFFFFF for k in range(n)]


@pytest.mark.parametrize("form", FORMS)
def test_loads(form):
    """Into registers that may hold the base, and at addresses whose two lower bits do not count."""
    memory = random_words(np.random.default_rng(1), 64)
    machine = assemble(
        "\n".join(f"s_load_{n} {registers(16 * k + 16, c, 's')}, {form}" for k, (n, c) in enumerate(SIZES.items()))
    )
    for shift in (0, 3):
        got = start(machine, {**inputs(memory), "s[2:3]": memory.ctypes.data + 16 + shift}, regions=(region(memory),))
        for k, c in enumerate(SIZES.values()):
            assert words(got[registers(16 * k + 16, c, "s")], c) == memory[4 + FORMS[form] // 4 :][:c].tolist()
    got = run_program(
        "s_load_dwordx4 s[0:3], s[2:3], 0x0\ns_load_dwordx2 vcc, s[6:7], 0x4",
        {**inputs(memory), "s[6:7]": memory.ctypes.data},
        regions=(region(memory),),
    )
    assert words(got["s[0:3]"], 4) == memory[4:8].tolist()
    assert words(got["vcc"], 2) == memory[1:3].tolist()


def test_stores():
    memory, values = np.zeros(64, np.uint32), random_words(np.random.default_rng(2), 8)
    given = {f"s{16 + k}": int(v) for k, v in enumerate(values)}
    run_program("s_store_dword s17, s[2:3], 0x0\ns_store_dwordx2 s[18:19], s[2:3], m0 offset:0x8\n"
                "s_store_dwordx4 s[20:23], s[2:3], 0x40", {**inputs(memory), **given},
                regions=(region(memory),))  # fmt: skip
    want = np.zeros(64, np.uint32)
    want[4], want[9:11], want[20:24] = values[1], values[2:4], values[4:8]
    assert (memory == want).all()


def test_scratch_forms_count_registers_in_64_bytes():
    memory = random_words(np.random.default_rng(3), 256)
    before = memory.copy()
    got = run_program(
        "s_scratch_load_dwordx2 s[16:17], s[2:3], s4\ns_scratch_store_dword s18, s[2:3], 0x8",
        {**inputs(memory), "s18": 5},
        regions=(region(memory),),
    )
    assert words(got["s[16:17]"], 2) == before[4 + 128 :][:2].tolist()
    before[6] = 5
    assert (memory == before).all()


@pytest.mark.parametrize("stride", [0, 12])
@pytest.mark.parametrize("inside", range(5))
def test_buffer_range(inside, stride):
    """num_records counts bytes, or as many times the stride; dwords that start behind it read 0 and are not written."""
    memory = random_words(np.random.default_rng(4), 64)
    offset, size = (24, 36) if stride else (16, 16)
    records = offset // max(stride, 1) + (inside * 12 // stride if stride else 4 * inside)
    limit = records * max(stride, 1)
    before = memory.copy()
    resource = memory.ctypes.data | stride << 48 | records << 64 | 0x27000 << 96
    got = run_program(
        f"s_buffer_load_dwordx4 s[16:19], s[8:11], {offset}\ns_buffer_load_dword s20, s[8:11], s4 "
        f"offset:0x10\ns_buffer_store_dwordx4 s[24:27], s[8:11], {offset}",
        {"s[8:11]": resource, "s4": 0, "s[24:27]": 0x44444444333333332222222211111111},
        regions=((memory.ctypes.data, memory.ctypes.data + limit),),
    )  # fmt: skip
    at = [offset + 4 * k for k in range(4)]
    assert words(got["s[16:19]"], 4) == [int(before[a // 4]) if a < limit else 0 for a in at]
    assert got["s20"] == (int(before[4]) if limit > 16 else 0)
    for k, a in enumerate(at):
        if a < limit:
            before[a // 4] = 0x11111111 * (k + 1)
    assert (memory == before).all()
    assert size


def test_every_size_of_buffer_access():
    memory = random_words(np.random.default_rng(5), 64)
    resource = memory.ctypes.data | memory.nbytes << 64
    text = "\n".join(
        f"s_buffer_load_{n} {registers(16 * k + 16, c, 's')}, s[8:11], 0x20" for k, (n, c) in enumerate(SIZES.items())
    )
    got = run_program(text, {"s[8:11]": resource}, regions=(region(memory),))
    for k, c in enumerate(SIZES.values()):
        assert words(got[registers(16 * k + 16, c, "s")], c) == memory[8:][:c].tolist()


@pytest.mark.parametrize(
    "text",
    [
        "s_load_dwordx8 s[16:23], s[2:3], 0xe0",
        "s_store_dword s16, s[2:3], 0xf0",
        "s_buffer_load_dword s16, s[8:11], 0xfc",
    ],
)
def test_outside(text):
    memory = np.zeros(64, np.uint32)
    resource = memory.ctypes.data + 4 | 0xFFFFFFFF << 64
    with pytest.raises(AveError, match=rf"X022.*touches {32 if 'x8' in text else 4} bytes.*wave 0"):
        run_program(text, {**inputs(memory), "s[8:11]": resource}, regions=(region(memory),))


def test_past_the_end_of_a_piece():
    """LLVM widens loads where the address is aligned to the whole, or to 16 bytes; what is not aligned, ends behind the 16
    bytes in which the piece ends, or begins outside is a fault."""
    memory = random_words(np.random.default_rng(6), 64)
    start = memory.ctypes.data + -memory.ctypes.data % 64
    first = (start - memory.ctypes.data) // 4
    given = ((start, start + 42),)
    got = run_program("s_load_dwordx4 s[16:19], s[2:3], 0x20\ns_load_dword s20, s[2:3], 0x28", {"s[2:3]": start}, regions=given)
    assert words(got["s[16:19]"], 2) == memory[first + 8 : first + 10].tolist()
    assert got["s20"] & 0xFFFF == int(memory[first + 10]) & 0xFFFF
    got = run_program("s_load_dwordx8 s[16:23], s[2:3], 0x10", {"s[2:3]": start}, regions=given)
    assert words(got["s[16:23]"], 6) == memory[first + 4 : first + 10].tolist()
    for text in ("s_load_dwordx4 s[16:19], s[2:3], 0x1c", "s_load_dwordx8 s[16:23], s[2:3], 0x20", "s_load_dword s16, s[2:3], 0x2c",
                 "s_store_dword s16, s[2:3], 0x28"):  # fmt: skip
        with pytest.raises(AveError, match="X022"):
            run_program(text, {"s[2:3]": start}, regions=given)


@pytest.mark.parametrize(
    "text", ["s_dcache_discard s[2:3], 0x0", "s_load_dword v1, s[2:3], 0x0", "s_buffer_load_dword s1, s[2:3], 0x0"]
)
def test_what_is_not_executed(text):
    with pytest.raises(AveError, match="X021"):
        run_program(text)


# -- atomics -----------------------------------------------------------------------------------------------------------


def wrapped(x: int, bits: int) -> int:
    return x - (x >> bits - 1 << bits)


MEANING = {
    "swap": lambda old, x, y, n: x, "cmpswap": lambda old, x, y, n: x if old == y else old, "add": lambda old, x, y,
    n: old + x,
    "sub": lambda old, x, y, n: old - x, "smin": lambda old, x, y, n: min(old, x, key=lambda v: wrapped(v, n)),
    "umin": lambda old, x, y, n: min(old, x),
    "smax": lambda old, x, y, n: max(old, x, key=lambda v: wrapped(v, n)), "umax": lambda old, x, y, n: max(old, x),
    "and": lambda old, x, y, n: old & x,
    "or": lambda old, x, y, n: old | x, "xor": lambda old, x, y, n: old ^ x, "inc": lambda old, x, y,
    n: 0 if old >= x else old + 1,
    "dec": lambda old, x, y, n: x if old == 0 or old > x else old - 1,
}  # fmt: skip


def test_each_atomic_has_a_meaning():
    assert {f"s_{b}atomic_{n}{w}" for b in ("", "buffer_") for n in MEANING for w in ("", "_x2")} == set(ATOMICS)


@pytest.mark.parametrize("wide", ["", "_x2"])
def test_atomics(wide):
    """All operations on their own words, with what was there and without, on memory and on a buffer, where what is out
    of range is let be."""
    rng, bits = np.random.default_rng(len(wide)), 64 if wide else 32
    n, kind = bits // 32, np.uint64 if wide else np.uint32
    for buffer in (False, True):
        memory = rng.choice(np.array([0, 1, 7, (1 << bits) - 1, 1 << bits - 1, 12345], kind), 2 * len(MEANING) + 1)
        before, given, text, want = memory.copy(), {}, [], {}
        for k, (name, rule) in enumerate(MEANING.items()):
            x, y = (int(v) for v in rng.choice(np.array([0, 5, (1 << bits) - 1, 12345], kind), 2))
            for glc in (0, 1):
                at, first = 2 * k + glc, 4 * (k % 8) + 20
                old = int(before[at])
                count = 2 * n if name == "cmpswap" else n
                given_words = words(x, n) + (words(y, n) if name == "cmpswap" else [])
                text += [f"s_mov_b32 s{first + j}, {w:#x}" for j, w in enumerate(given_words)]
                data = registers(first, count, "s")
                text.append(
                    f"s_{'buffer_' * buffer}atomic_{name}{wide} {data}, {'s[4:7]' if buffer else 's[4:5]'}, "
                    f"{at * bits // 8:#x}{' glc' * glc}"
                )
                memory_after = rule(old, x, y, bits) & (1 << bits) - 1
                want[at] = memory_after
                if glc:
                    text += [f"s_store_dword s{first + j}, s[8:9], {4 * (n * k + j):#x}" for j in range(n)]
        out = np.zeros(n * len(MEANING), np.uint32)
        resource = {"s[4:7]": memory.ctypes.data | (memory.nbytes - bits // 8) << 64 | 0x27000 << 96}
        beyond = (
            f"s_mov_b32 s20, 1\ns_mov_b32 s21, 2\ns_buffer_atomic_add{wide} {registers(20, n, 's')}, s[4:7], "
            f"{memory.nbytes - bits // 8:#x} glc"
            * buffer
        )
        got = run_program(
            "\n".join([*text, beyond]),
            {**given, **resource, "s[8:9]": out.ctypes.data},
            regions=(region(memory), region(out)),
        )
        assert [int(v) for v in memory[:-1]] == [want[k] for k in range(len(want))] and memory[-1] == before[-1]
        assert (out.view(kind) == before[1:-1:2]).all()
        assert not buffer or words(got["s[20:21]"], n) == [0] * n


def test_atomics_that_stop():
    memory = np.zeros(4, np.uint32)
    for text, why in (("s_atomic_add s0, s[4:5], 0x10", "X022"),
        ("s_atomic_add_x2 s[0:1], s[4:5], 0x4", "X021.*multiple of 8"),
                      ("s_atomic_cmpswap s0, s[4:5], 0x0", "X021.*2 data registers")):  # fmt: skip
        with pytest.raises(AveError, match=why):
            run_program(text, {"s[4:5]": memory.ctypes.data}, regions=(region(memory),))
