"""What the compiler makes for gfx942, executed: kernels of the language, the IR's ops, random programs and every AMD row, against the reference."""

import functools

import numpy as np
import pytest

from avelang import arch
from avelang.ir.core import Kernel
from avelang.ir.text import parse_kernel, print_kernel
from avelang.isa.row import ROWS, types_on
from avelang.sim import reference
from emit.llvm.gpu_cases import benches, kernels, programs
from isa.amdgpu_waves import ALL, LANES, Bench
from isa.test_amdgpu_native import APPROXIMATE, consts, draw
from sim.amdgcn.executed import Executed

CHIP = arch.chip("gfx942")
CASES = {c.name: c for c in (*kernels(64), *benches(), *programs())}


@pytest.mark.parametrize("name", CASES)
def test_cases(name):
    case = CASES[name]
    kernel, args = case.make("gfx942")
    want = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
    block = case.block or (64, 1, 1)
    if case.want is not None:
        want = case.want(want)
    else:
        reference.run(kernel, want, case.grid, block)
    again, _ = case.make("gfx942")
    Executed(again, block, check=True).run(args, case.grid)
    assert case.check(want, args) <= case.most


VALUES = [r for r in ROWS.values() if r.namespace == "amdgpu" and CHIP.has(r) and r.result is not None]
VALUES = [r for r in VALUES if not any(p.type == "tensor" or p.name == "rsrc" for p in r.params)]


@pytest.mark.parametrize("row", VALUES, ids=lambda r: r.name.removeprefix("amdgpu."))
def test_rows_that_compute_a_value(row):
    """Some lanes are inactive, except for matrix instructions."""
    rng = np.random.default_rng(7)
    active = ALL if row.mma else rng.random(LANES) < 0.7
    bench, seen, operands = Bench("gfx942"), {}, []
    for p in row.operands:
        t = seen[p.type] if isinstance(p.type, str) else types_on(p, CHIP.features)[0]
        seen[p.name] = t
        data = np.abs(draw(rng, t)) if row.name.endswith(APPROXIMATE) else draw(rng, t)
        operands.append(bench.operand(data, t))
    result = seen[row.result] if isinstance(row.result, str) else row.result
    with bench.only(active):
        kept = bench.keep(bench.b.emit(row.name, operands, (result,), **consts(row, rng)).result)
    args = [a.copy() for a in bench.args]
    kernel = Kernel("bench", bench.body.args, bench.body, {"wave": LANES, "chip": "gfx942", "file": ""})
    text = print_kernel(kernel)
    bench.run()
    Executed(parse_kernel(text), check=True).run(args)
    got = args[-1].view(kept.dtype).reshape(kept.shape)
    if row.name.endswith(APPROXIMATE):
        np.testing.assert_array_max_ulp(got, kept, 2)
    else:
        np.testing.assert_array_equal(got.view(np.uint8), kept.view(np.uint8))


@functools.cache
def tested_elsewhere() -> frozenset[str]:
    """Rows of memory and of scheduling: `test_rows_of_memory` and `test_rows_without_a_result` name them."""
    return frozenset(r.name for r in ROWS.values() if r.namespace == "amdgpu" and CHIP.has(r)) - {r.name for r in VALUES}
