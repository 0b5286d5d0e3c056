"""Video instructions: on numbers, halves and bytes, against Python's integers."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from avelang.base.errors import AveError
from sim.ptx.numbers import clamp, signed
from sim.ptx.texts import filled, kernel, run

COMPARE = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}
BASIC = {"vadd": lambda x, y: x + y, "vsub": lambda x, y: x - y, "vabsdiff": lambda x, y: abs(x - y), "vmin": min,
    "vmax": max, "vavrg": lambda x, y: (x + y + (x + y >= 0)) >> 1}  # fmt: skip
SIGNS = [("u32", "u32", "u32"), ("s32", "u32", "s32"), ("u32", "s32", "s32"), ("s32", "s32", "u32")]
EDGES = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF8000, 0x80007FFF, 0xFFFF0001, 0x01FE80FF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]


def words(seed: int) -> np.ndarray:
    return np.array([*EDGES, *np.random.default_rng(seed).integers(0, 1 << 32, 20)], np.uint32)


def computed(lines: list[str]) -> tuple[list[list[int]], np.ndarray]:
    """(operands a, b, c of each lane, results of each line): %r1, %r2, %r3 are a, b, c; %r4 is the result."""
    inputs = np.stack([words(1), words(2)[::-1], words(3)])
    out = np.zeros((len(lines), 32), np.uint32)
    stores = "".join(f"{text} st.global.u32 [%d2+{128 * k}], %r4;\n" for k, text in enumerate(lines))
    run(kernel(f"""mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %d0, %p0; add.u64 %d2, %d0, %p1;
        ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+128]; ld.global.u32 %r3, [%d1+256];
        {stores} ret;""", 2), inputs, out)  # fmt: skip
    return inputs.T.tolist(), out


def part(x: int, k: int, bits: int, kind: str) -> int:
    x = x >> bits * k & (1 << bits) - 1
    return signed(x, bits) if kind[0] == "s" else x


@pytest.mark.parametrize("count", [2, 4])
def test_halves_and_bytes(count):
    bits, cases = 32 // count, []
    for op, rule in BASIC.items():
        for d, a, b in SIGNS:
            cases += [(f"{op}{count}.{d}.{a}.{b}{more}", rule, d, a, b, more) for more in ("", ".sat", ".add")]
    for word, rule in COMPARE.items():
        cases += [(f"vset{count}.{a}.{b}.{word}{more}", lambda x, y, rule=rule: int(rule(x, y)), "u32", a, b, more)
            for _, a, b in SIGNS for more in ("", ".add")]  # fmt: skip
    operands, got = computed([f"{text} %r4, %r1, %r2, %r3;" for text, *_ in cases])
    for (text, rule, d, a, b, more), row in zip(cases, got.tolist(), strict=True):
        for (x, y, c), found in zip(operands, row, strict=True):
            values = [rule(part(x, k, bits, a), part(y, k, bits, b)) for k in range(count)]
            if more == ".sat":
                values = [clamp(v, bits, d[0] == "s") for v in values]
            want = c + sum(values) if more == ".add" else sum((v & (1 << bits) - 1) << bits * k for k, v in enumerate(values))
            assert found == want & 0xFFFFFFFF, (text, hex(x), hex(y), hex(c))


def test_whole_numbers():
    cases = []
    for d, a, b in SIGNS:
        for op, rule in BASIC.items():
            if op != "vavrg":
                cases += [(f"{op}.{d}.{a}.{b}{sat}{second}", rule, d, a, b, sat, second) for sat in ("", ".sat")
                    for second in ("", ".add", ".min", ".max")]  # fmt: skip
        for mode, amount in (("clamp", lambda y: min(y, 32)), ("wrap", lambda y: y & 31)):
            for op, rule in (("vshl", lambda x, y, f=amount: x << f(y)), ("vshr", lambda x, y, f=amount: x >> f(y))):
                cases += [(f"{op}.{d}.{a}.u32{sat}.{mode}", rule, d, a, "u32", sat, "") for sat in ("", ".sat")]
        cases += [(f"vset.{a}.{b}.{word}.max", lambda x, y, rule=rule: int(rule(x, y)), "u32", a, b, "", ".max")
            for word, rule in COMPARE.items()]  # fmt: skip
    operands, got = computed([f"{c[0]} %r4, %r1, %r2{', %r3' * bool(c[-1])};" for c in cases])
    for (text, rule, d, a, b, sat, second), row in zip(cases, got.tolist(), strict=True):
        for (x, y, c), found in zip(operands, row, strict=True):
            value = rule(part(x, 0, 32, a), part(y, 0, 32, b))
            value = part(clamp(value, 32, d[0] == "s") if sat else value, 0, 32, d)
            third = part(c, 0, 32, d)
            want = {"": value, ".add": value + third, ".min": min(value, third), ".max": max(value, third)}[second]
            assert found == want & 0xFFFFFFFF, (text, hex(x), hex(y), hex(c))


def test_a_part_as_the_result_is_refused():
    with pytest.raises(AveError, match=r"\[X031\].*vadd.*a part of a register"):
        filled("vadd.u32.u32.u32 %r4, %r1, %r2, %r3; st.global.u32 [%d0], %r4; ret;")
