"""Every wait and every barrier deleted in turn, from kernels of other compilers and from ours: the checker or the
numbers notice, or there is a reason why it does not matter."""

import collections
import pathlib
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from avelang import executor
from avelang.amdgcn.asm import parse
from avelang.runtime.compile import compile_text
from avelang.sim import reference
from avelang.sim.amdgcn import mutate
from avelang.sim.amdgcn.load import load
from avelang.sim.amdgcn.machine import AmdMachine
from avelang_kernels.matmul import mi300_gemm
from emit.llvm.gpu_cases import kernels
from sim.amdgcn.executed import Executed
from sim.amdgcn.programs import assemble, start

PEERS = pathlib.Path(__file__).parents[2] / "peers"
bf16 = ml_dtypes.bfloat16
OPTIONS: dict[str, Any] = {"check": True, "mutable": True}


def triton():
    m, n, k = 128, 128, 192
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((m, k)).astype(bf16), rng.standard_normal((n, k)).astype(bf16)
    want = a.astype(np.float64) @ b.astype(np.float64).T
    machine = AmdMachine(load(PEERS / "gemm_gfx942_128x128x64_w4_s2_nk16.amdgcn"), **OPTIONS)

    def right() -> bool:
        c = np.full((m, n), np.nan, bf16)
        executor.Kernel(machine)[1, 256](a, b, c, m, n, k, k, k, n, None, None, dynamic_lds=32768)
        return bool(np.abs(c.astype(np.float64) - want).max() <= 3e-3 * np.abs(want).max())

    return machine, right


def iree():
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((4864, 4096)).astype(bf16), rng.standard_normal((4096, 4096)).astype(bf16)
    c = np.empty((4864, 4096), np.float32)
    want = a[:128].astype(np.float64) @ b[:128].astype(np.float64).T
    machine = AmdMachine(load(PEERS / "iree_bf16_4864x4096x4096.s"), **OPTIONS)

    def right() -> bool:
        c[:128, :128] = np.nan
        executor.Kernel(machine)[1, 256](a, b, c)
        return bool(np.abs(c[:128, :128] - want).max() <= 2e-6 * np.abs(want).max())

    return machine, right


def pipelined():
    """Our pipelined product: one tile of 128 x 128, three steps along K, edges on all sides."""
    m, n, k = 120, 100, 136
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((m, k)).astype(bf16), rng.standard_normal((n, k)).astype(bf16)
    want = a.astype(np.float64) @ b.astype(np.float64).T
    machine = AmdMachine(parse(compile_text(mi300_gemm.gemm_f32, {}, (256, 1, 1), "gfx942", "asm")), **OPTIONS)

    def right() -> bool:
        c = np.full((m, n), np.nan, np.float32)
        executor.Kernel(machine)[1, 256](a, b, c, m, n, k)
        return bool(np.abs(c - want).max() <= 2e-6 * np.abs(want).max())

    return machine, right


def ours(name: str):
    case = next(c for c in kernels(64) if c.name == name)
    block = case.block or (64, 1, 1)
    kernel, args = case.make("gfx942")
    want = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
    reference.run(kernel, want, case.grid, block)
    done = Executed(case.make("gfx942")[0], block, **OPTIONS)

    def right() -> bool:
        again = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
        done.run(again, case.grid)
        return case.check(want, again) <= case.most

    return done.machine, right


# How many waits and barriers (and single counters of waits) there are (0: as many as the compiler makes); reasons of
# those that the checker does not catch, words of each.
KERNELS = {
    "triton": (triton, 28, ()),
    "iree": (iree, 32, ("before the wave ends",) * 2 + ("has come already", "ordered by the other barriers")),
    "pipelined": (pipelined, 0, ()), "turn": (lambda: ours("turn"), 0, ()),
    "row_sums": (lambda: ours("row_sums"), 0, ()), "softmax": (lambda: ours("softmax"), 0, ()),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_every_deletion(name):
    make, count, reasons = KERNELS[name]
    machine, right = make()
    assert right()
    verdicts = [mutate.judge(machine, p, right) for p in mutate.points(machine.program)]
    for v in verdicts:
        print(f"{v.point}: {v.by}: {v.why.splitlines()[0]}")
    by = collections.Counter(v.by for v in verdicts)
    assert len(verdicts) == count or (not count and verdicts)
    assert by["checker"] == len(verdicts) - len(reasons), by
    rest = sorted(v.why for v in verdicts if not v.caught)
    assert len(rest) == len(reasons)
    for words in set(reasons):
        assert sum(words in why for why in rest) == reasons.count(words), rest
    assert right()  # nothing is switched off any more


DATA = np.arange(64, dtype=np.uint32)
LOAD = "global_load_dword v5, v[2:3], off\n"
# Program; of its first wait: who notices and words of the reason.
REASONS = {
    "needed": (LOAD + "s_waitcnt vmcnt(0)\nv_mov_b32 v6, v5", "checker", "reads v5"),
    "twice": (
        LOAD + "s_waitcnt vmcnt(0)\ns_waitcnt vmcnt(0)\nv_mov_b32 v6, v5",
        "redundant",
        "before `s_waitcnt vmcnt(0)` (line 11) waits for the same",
    ),
    "stronger later": (
        LOAD + LOAD + "s_waitcnt vmcnt(1)\ns_waitcnt vmcnt(0)\nv_mov_b32 v6, v5",
        "redundant",
        "before `s_waitcnt vmcnt(0)` (line 12)",
    ),
    "at the end": (LOAD + "s_waitcnt vmcnt(0)", "redundant", "is used before the wave ends"),
    "nothing under way": ("s_waitcnt vmcnt(0)\nv_mov_b32 v6, v5", "redundant", "has come already"),
    "never met": ("s_branch over\ns_waitcnt vmcnt(0)\nover:\ns_nop 0", "not executed", "no wave"),
    "barrier of one wave": ("s_barrier\ns_nop 0", "redundant", "ordered by the other barriers"),
}


@pytest.mark.parametrize("name", REASONS)
def test_reasons(name):
    body, by, words = REASONS[name]
    machine = assemble(body, **OPTIONS)
    full = np.uint64(DATA.ctypes.data) + 4 * np.arange(64, dtype=np.uint64)
    address = np.stack([full & np.uint64(0xFFFFFFFF), full >> np.uint64(32)]).astype(np.uint32)

    def right() -> bool:
        start(machine, {"v[2:3]": address}, regions=((DATA.ctypes.data, DATA.ctypes.data + DATA.nbytes),))
        return True

    verdict = mutate.judge(machine, next(mutate.points(machine.program)), right)
    assert verdict.by == by and words in verdict.why


def test_wrong_numbers_are_told_apart():
    """Without the checker's help: what `right` says counts."""
    machine = assemble("s_barrier\ns_nop 0", **OPTIONS)
    point = next(mutate.points(machine.program))
    assert mutate.judge(machine, point, lambda: False).by == "numbers"
    assert str(point) == "s_barrier (line 9)"


def test_counters_of_one_wait():
    both = parse(".text\ns_waitcnt vmcnt(1) lgkmcnt(0)\ns_waitcnt vmcnt(0)\ns_barrier")
    assert [str(p) for p in mutate.points(both)] == [
        "s_waitcnt vmcnt(1) lgkmcnt(0) (line 2)", "s_waitcnt vmcnt(1) of `s_waitcnt vmcnt(1) lgkmcnt(0)` (line 2)",
        "s_waitcnt lgkmcnt(0) of `s_waitcnt vmcnt(1) lgkmcnt(0)` (line 2)", "s_waitcnt vmcnt(0) (line 3)",
        "s_barrier (line 4)",
    ]  # fmt: skip


def test_what_is_not_executed_is_left_out():
    machine = assemble("s_branch over\ns_barrier\ns_waitcnt vmcnt(0)\nover:\ns_waitcnt lgkmcnt(0)", **OPTIONS)

    def right() -> bool:
        start(machine)
        return True

    assert [(str(v.point), v.by) for v in mutate.study(machine, right)] == [
        ("s_waitcnt lgkmcnt(0) (line 13)", "redundant")
    ]
