"""atomic_add: lanes that name one word add up, each gets what stood there before it; meaning and expansion."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.base.errors import UnsupportedError
from avelang.ir.dtypes import bf16, f16, f32, i32, u8, u32
from avelang.ir.types import GLOBAL, AtomicScope, TensorType, VecType, dtype_of
from avelang.isa.row import ROWS, TensorRef
from isa.amdgpu_waves import LANES, Bench, OneWave

ROW = ROWS["amdgpu.atomic_add"]
WORDS = 7
RNG = np.random.default_rng(17)
TYPES = [i32, u32, f32, VecType(f16, 2), VecType(bf16, 2)]


@pytest.mark.parametrize("t", TYPES, ids=str)
def test_duplicates_add_up(t):
    np_type = dtype_of(t).np
    width = t.n if isinstance(t, VecType) else 1
    start = RNG.integers(0, 50, (WORDS, width)).astype(np_type)
    value = RNG.integers(0, 50, (LANES, width)).astype(np_type)
    which = RNG.integers(0, WORDS, LANES)
    active = RNG.random(LANES) < 0.8
    want, olds = start.copy(), np.zeros_like(value)
    for lane in np.flatnonzero(active):
        olds[lane] = want[which[lane]]
        want[which[lane]] = want[which[lane]] + value[lane]
    offset, held = (4 * which).astype(np.int32), value if width > 1 else value[:, 0]

    memory = start.view(np.uint8).reshape(-1).copy()
    place = TensorRef(GLOBAL, np.full(LANES, 0x1000, np.uint64), TensorType(u8, (4 * WORDS,), (1,), GLOBAL))
    got = ROW.semantics(OneWave({GLOBAL: memory}, active), offset, held, place, AtomicScope.AGENT)
    np.testing.assert_array_equal(memory, want.view(np.uint8).reshape(-1))
    np.testing.assert_array_equal(got.reshape(LANES, width)[active], olds[active])

    memory = start.view(np.uint8).reshape(-1).copy()
    bench = Bench()
    tensor = bench.array(memory, TensorType(u8, (4 * WORDS,), (1,), GLOBAL))
    at, v = bench.operand(offset, i32), bench.operand(held, t)
    with bench.only(active):
        kept = bench.keep(ROW.lower(bench.b, at, v, tensor, 0))
    bench.run()
    np.testing.assert_array_equal(memory, want.view(np.uint8).reshape(-1))
    np.testing.assert_array_equal(kept.reshape(LANES, width)[active], olds[active])


def test_bf16_pairs_are_not_on_gfx90a():
    bench = Bench("gfx90a")
    with pytest.raises(UnsupportedError, match="a pair of bf16 is not available"):
        ROW.lower(bench.b, bench.b.const(0, i32), bench.b.const(0.0, VecType(bf16, 2)), bench.shared(64), 0)


def test_scopes():
    assert (AtomicScope.WORKGROUP, AtomicScope.AGENT, AtomicScope.SYSTEM) == (0, 1, 2)
