"""Warp-specialized kernels with one fault each: every call by which waves synchronize is left out, every number in one changed, and the reference says so,
in whatever order the waves take their turns; what it need not report stands in a table with the reason."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from avelang import arch
from avelang.base.errors import ExecutionError
from avelang.frontend.build import build
from avelang.sim.reference import run
from isa import hopper_kernels
from sim import hopper_pipeline
from sim.mutants import Mutant, function, imported, mutants

ORDERS = ("forward", "reverse", "random")
# Part of what was done, and why it is no fault.
HARMLESS = {
    "_gemm: without al.nvvm.fence_mbarrier_init()": "the barrier behind it orders the initialization for all waves, and the copy engine uses mbarriers "
                                                    "by the generic proxy; `pipeline` needs the fence, since its barrier is relaxed",
    "without al.nvvm.setmaxnreg": "registers are a matter of speed; executors have no number of them",
    "wgmma_wait_acc(acc, 1): (1) - 1": "it waits for more than it must",
    "without al.nvvm.tma_store": "the result is wrong, but nothing races: the next test's",
}  # fmt: skip


def gemm() -> tuple[Any, list[Any], Any, tuple[int, int, int], int]:
    trial = hopper_kernels.gemm()
    return hopper_kernels, trial.args, trial.want[2][: hopper_kernels.BM, : hopper_kernels.BN], (1, 1, 1), trial.block[0]


def pipeline() -> tuple[Any, list[Any], Any, tuple[int, int, int], int]:
    args, want = hopper_pipeline.arguments()
    return hopper_pipeline, args, want, (hopper_pipeline.CLUSTER, 1, 1), hopper_pipeline.THREADS


KERNELS = {"_gemm": gemm(), "pipeline": pipeline()}
TEXTS = {name: function(pathlib.Path(k[0].__file__).read_text(), name) for name, k in KERNELS.items()}
MUTANTS = [(name, m) for name, text in TEXTS.items() for m in mutants(text)]


def launched(name: str, kernel: Any, order: Any, races: bool = True) -> np.ndarray:
    """What is in the part of C that a first block or cluster makes."""
    _, args, want, cluster, threads = KERNELS[name]
    args = [np.copy(a) for a in args]
    k = build(kernel.source, {}, arch.chip("sm_90a"))
    k.attrs["cluster"] = cluster
    run(k, args, cluster[0], threads, order=order, seed=5, races=races)
    return args[2][: want.shape[0], : want.shape[1]]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", KERNELS)
def test_the_kernel_itself_is_clean(name: str, order: str):
    np.testing.assert_array_equal(launched(name, getattr(KERNELS[name][0], name), order), KERNELS[name][2])


@pytest.mark.parametrize(("name", "mutant"), MUTANTS, ids=lambda x: x if isinstance(x, str) else f"{x.line}: {x.what}")
def test_a_fault_is_reported(name: str, mutant: Mutant, tmp_path: pathlib.Path):
    values = {k: v for k, v in vars(KERNELS[name][0]).items() if not k.startswith("__")}
    kernel = imported(mutant.text, name, tmp_path, values)
    order = ORDERS[mutant.line % 3]
    if any(part in f"{name}: {mutant.what}" for part in HARMLESS):
        got = launched(name, kernel, order)
        assert np.array_equal(got, KERNELS[name][2]) != ("tma_store" in mutant.what)
        return
    with pytest.raises(ExecutionError) as e:
        launched(name, kernel, order)
    assert e.value.code in ("X003", "X006", "X010", "X011", "X012", "X013", "X014")
    assert e.value.span is not None and e.value.span.file.endswith(".py")


def test_every_reason_is_needed():
    whats = [f"{name}: {m.what}" for name, m in MUTANTS]
    assert all(any(part in what for what in whats) for part in HARMLESS)


# What the run that is checked by default, without races, says of these: the code and the lines that it names.
BY_DEFAULT = {
    "without al.nvvm.wgmma_fence_acc(acc)": ("X013", "wgmma_bf16_f32(da + 2 * j", None),
    "without al.nvvm.wgmma_wait_acc(acc, 0)": ("X013", "2 * (lane % 4) + 8 * (j // 4)", "wgmma_bf16_f32(da + 2 * j"),
    "without al.nvvm.fence_proxy_async_shared()": ("X014", "tma_store_2d(", "2 * (lane % 4) + 8 * (j // 4)"),
    "without al.nvvm.cp_async_bulk_wait_group_read(0)": ("X010", "2 * (lane % 4) + 8 * (j // 4)", "tma_store_2d("),
    "without al.nvvm.wgmma_wait_acc(acc, 1)": ("X010", "tma_load_2d(a[s]", "wgmma_bf16_f32(da + 2 * j"),
}  # fmt: skip


@pytest.mark.parametrize("what", BY_DEFAULT)
def test_most_are_reported_by_default_with_both_lines(what: str, tmp_path: pathlib.Path):
    (mutant,) = (m for name, m in MUTANTS if name == "pipeline" and m.what == what)
    code, here, there = BY_DEFAULT[what]
    kernel = imported(mutant.text, "pipeline", tmp_path, {k: v for k, v in vars(hopper_pipeline).items() if not k.startswith("__")})
    with pytest.raises(ExecutionError) as e:
        launched("pipeline", kernel, "forward", races=False)
    lines = mutant.text.splitlines()
    assert e.value.code == code and e.value.span is not None and here in lines[e.value.span.line - 1]
    if there is not None:
        (line,) = (i for i, text in enumerate(lines, 1) if there in text)
        assert f"in line {line}" in e.value.message
