"""What the compiler makes for NVIDIA's chips, executed as PTX: kernels of the language, ops of the IR, random programs
and the asynchronous rows, against the reference and NumPy. `tests/gpu/nvptx_check.py` runs the same cases on a GPU."""

import numpy as np
import pytest

from avelang import arch
from avelang.frontend.build import build
from avelang.sim import reference
from emit.llvm import gpu_kernels
from emit.llvm.gpu_cases import benches, differing, kernels, language, programs
from isa import cluster_kernels, hopper_kernels, wgmma_kernels
from sim.ptx.executed import Executed, off


def tensor_cores(r: np.random.Generator) -> list[np.ndarray]:
    return [r.standard_normal(s).astype(t) for s,
        t in (((16, 16), np.float16), ((8, 16), np.float16), ((16, 8), np.float32))]


# Of the benches, which are many, those that the kernels and the rows do not touch.
BENCHES = ("arithmetic i16 x2", "arithmetic u64 x1", "arithmetic bf16 x1", "conversions f32 x1", "vectors f16",
    "loops i64 run time", "conditions", "ballots")
CASES = {c.name: c for c in (*kernels(32), *programs(), *(c for c in benches() if c.name in BENCHES), language(
    "tensor_cores", gpu_kernels.tensor_cores, tensor_cores, (32, 1, 1), most=1e-5))}  # fmt: skip


def drawn(name):
    """A case, its arguments, what they should be afterwards, and another kernel of it with block and chip."""
    case, chip = CASES[name], "sm_90a" if len(name) % 2 else "sm_80"
    kernel, args = case.make(chip)
    want = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
    block = case.block or (32, 1, 1)
    if case.want is not None:
        want = case.want(want)
    else:
        reference.run(kernel, want, case.grid, block)
    again, _ = case.make(chip)
    return case, args, want, (again, block, chip)


@pytest.mark.parametrize("name", CASES)
def test_cases(name):
    case, args, want, made = drawn(name)
    Executed(*made).run(args, case.grid)
    assert case.check(want, args) <= case.most


@pytest.mark.parametrize("name", [n for n in CASES if not n.startswith(("arithmetic", "conversions", "loops"))])
def test_cases_in_memory_that_begins_anywhere(name):
    """Arrays of which an instruction wants 16 bytes are said; all others may begin at any element."""
    (case, args, want, made), rng = drawn(name), np.random.default_rng(len(name))
    again = made[0]
    arrays = {p.name: a for p, a in zip(again.params, args) if isinstance(a, np.ndarray)}
    again.attrs["narrow"] = " ".join(f"{n}={a.itemsize}" for n, a in arrays.items())
    executed = Executed(*made)
    assert set(executed.program.aligned) | set(executed.program.whole) == set(arrays)
    free = executed.program.aligned
    args = [off(a, int(rng.integers(1, 16)) * free[p.name] // a.itemsize if p.name in free else 0) if isinstance(a, np.ndarray) else a
            for p, a in zip(again.params, args)]  # fmt: skip
    executed.run(args, case.grid)
    assert case.check(want, args) <= case.most


TRIALS = {t.name: t for t in (*hopper_kernels.trials(), *cluster_kernels.trials())}
CHOSEN = [n for k, n in enumerate(TRIALS) if k % 4 == 0 or "gemm" in n or "cluster" in n or "mbarrier" in n]


@pytest.mark.parametrize("name", CHOSEN)
def test_asynchronous_rows(name):
    t = TRIALS[name]
    built = build(t.kernel.source, {}, arch.chip("sm_90a"))
    if t.cluster != (1, 1, 1):
        built.attrs["cluster"] = t.cluster
    args = [np.copy(a) if isinstance(a, np.ndarray) else a for a in t.args]
    Executed(built, t.block, "sm_90a").run(args, t.grid, t.cluster)
    assert differing(t.want, args) == 0


PRODUCTS = {w.name: w for w in (*wgmma_kernels.trials(), *wgmma_kernels.sizes()[::8])}


@pytest.mark.parametrize("name", [n for k, n in enumerate(PRODUCTS) if k % 4 == 0])
def test_products_of_warpgroups(name):
    kernel, args, want = wgmma_kernels.arguments(PRODUCTS[name])
    Executed(build(kernel.source, {}, arch.chip("sm_90a")), (128, 1, 1), "sm_90a").run(args)
    assert differing([*args[:2], want.astype(args[2].dtype)], args) == 0
