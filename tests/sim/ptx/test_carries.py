"""The condition code where a chain of sums goes on with differences, or the other way round: a difference is x + ~y + 1,
and its carry says that nothing was borrowed. nvcc's division of 128-bit integers depends on it."""

from __future__ import annotations

import numpy as np
import pytest

from sim.ptx.texts import kernel, run

EDGES = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 12345]
PAIRS = np.array([(a, b) for a in EDGES for b in EDGES], np.uint64)


def results(body: str, bits: int) -> tuple[np.ndarray, np.ndarray]:
    """What a body leaves in x, for all pairs of edges, which it finds in a and b: registers of so many bits."""
    a = PAIRS.copy() if bits == 32 else PAIRS << np.uint64(32) | PAIRS[:, ::-1]
    a, out = np.ascontiguousarray(a), np.zeros(len(PAIRS), np.uint64)
    cut = "cvt.u32.u64" if bits == 32 else "mov.b64"
    run(kernel(f"""
        .reg .b{bits} a, b, x, y, z; mov.u32 %r0, %tid.x; mul.wide.u32 %d0, %r0, 16; add.u64 %d0, %d0, %p0;
        ld.global.v2.u64 {{%d1, %d2}}, [%d0]; {cut} a, %d1; {cut} b, %d2; mov.b{bits} z, 0;
        {body}
        mul.wide.u32 %d3, %r0, 8; add.u64 %d3, %d3, %p1; st.global.u{bits} [%d3], x; ret;""", 2), a, out,
        block=(len(PAIRS), 1, 1))  # fmt: skip
    return np.array([[int(v) for v in row] for row in a], object), out


@pytest.mark.parametrize("bits", [32, 64])
def test_a_sum_behind_a_difference(bits):
    """addc behind sub.cc adds 1 where nothing was borrowed."""
    a, got = results(f"sub.cc.u{bits} y, a, b; addc.u{bits} x, z, z;", bits)
    assert [int(v) for v in got] == [int(p >= q) for p, q in a]


@pytest.mark.parametrize("bits", [32, 64])
def test_a_difference_behind_a_sum(bits):
    """subc behind add.cc takes off 1 where there was no carry."""
    a, got = results(f"add.cc.u{bits} y, a, b; subc.u{bits} x, a, b;", bits)
    full = 1 << bits
    assert [int(v) for v in got] == [(p - q - 1 + (p + q >= full)) % full for p, q in a]


def test_the_carry_of_a_difference_that_takes_one():
    """Two words less two words: all that was borrowed shows behind the second, and in a third as -1."""
    a, got = results("sub.cc.u32 y, a, b; subc.cc.u32 y, b, a; addc.cc.u32 x, z, z;", 32)
    wide = [(p | q << 32, q | p << 32) for p, q in a]
    assert [int(v) for v in got] == [int(p >= q) for p, q in wide]
    _, got = results("sub.cc.u32 y, a, b; subc.cc.u32 y, b, a; subc.u32 x, z, z;", 32)
    assert [int(v) for v in got] == [0 if p >= q else 0xFFFFFFFF for p, q in wide]


def test_a_product_behind_a_difference():
    """madc takes that carry too."""
    a, got = results("sub.cc.u32 y, a, b; madc.lo.u32 x, a, b, b;", 32)
    assert [int(v) for v in got] == [(p * q + q + (p >= q)) % (1 << 32) for p, q in a]
