"""The product of a few rows on Hopper: its numbers against float64 on awkward shapes, on the CPU and on the reference,
however tiles are shared; the same bits in every run; its machine code against what it was written for, by ptxas."""

from __future__ import annotations

import re
import subprocess

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from avelang import arch, pipeline
from avelang.emit.llvm import simt_device
from avelang.frontend.build import build
from avelang_kernels.matmul import hopper_skinny
from avelang_kernels.matmul.hopper_skinny import (
    GROUP,
    WARP,
    Plan,
    SkinnyConfig,
    best_plan,
    kernel_of,
    launch,
    skinny_gemm,
    stages_of,
    width_of,
    work_of,
)
from tools import need

bf16 = ml_dtypes.bfloat16
SMS = 132  # of an H200


def operands(m: int, n: int, k: int, dtype: type = bf16) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng((m, n, k))
    return rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((n, k)).astype(dtype)


def right(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """Every element against float64, relative to the sum of the terms' sizes: f32 sums lose some units in the last "
    "place of that; the result rounds once."""
    x, y = a.astype(np.float64), b.astype(np.float64).T
    want, terms = x @ y, np.abs(x) @ np.abs(y)
    unit = {np.dtype(bf16): 2.0**-8, np.dtype(np.float16): 2.0**-11}.get(out.dtype, 0)
    error = np.abs(out.astype(np.float64) - want)
    assert (error <= 2e-6 * terms + unit * np.abs(want)).all(), error.max()


# rows, depth, stages, blocks, split_k, cluster_n; with m, n, k that leave ends everywhere. `most`: how many blocks
# share a tile by way of the workspace.
DIVISIONS = {
    "runs end inside of tiles": (Plan(64, 2, 3, 3), 5, 200, 400, 2),
    "one tile for five blocks": (Plan(64, 1, 3, 5), 8, 50, 1000, 8),
    "each block a tile": (Plan(64, 1, 2, 3), 9, 130, 72, 1),
    "two tiles at once": (Plan(128, 1, 2, 4), 33, 300, 136, 2),
    "more blocks than units": (Plan(64, 4, 2, 9), 1, 66, 264, 2),
    "a cluster shares a tile": (Plan(64, 1, 2, 0, 3), 17, 100, 456, 1),
    "a cluster longer than K": (Plan(64, 2, 2, 0, 4), 2, 64, 200, 1),
    "a cluster shares A": (Plan(64, 1, 2, 4, 1, 2), 16, 330, 136, 1),
    "four blocks share A": (Plan(64, 1, 2, 8, 1, 4), 41, 280, 72, 1),
    "whole tiles, not as many for each": (Plan(64, 1, 2, 3, 1, 1, True), 20, 460, 136, 1),
    "more blocks than whole tiles": (Plan(64, 2, 2, 9, 1, 1, True), 37, 100, 136, 1),
}
EACH = pytest.mark.parametrize("name", DIVISIONS)


def check(name: str, dtype: type, **options: object) -> None:
    """A division on a poisoned output, twice: the bits are the same."""
    plan, m, n, k, most = DIVISIONS[name]
    assert work_of(plan, n, k).most == most
    a, b = operands(m, n, k)
    first, second = (np.full((m, n), np.nan, dtype) for _ in range(2))
    assert launch(a, b, first, plan, **options) is first
    right(a, b, first)
    launch(a, b, second, plan, **options)
    np.testing.assert_array_equal(first.view(np.uint8), second.view(np.uint8))


@EACH
def test_on_the_cpu(name):
    check(name, np.float32)


@pytest.mark.parametrize(
    "name", ["runs end inside of tiles", "more blocks than units", "a cluster shares a tile", "a cluster shares A"]
)
def test_in_the_reference(name, monkeypatch):
    """Every access within bounds and written before it is read; no two waves race."""
    monkeypatch.setenv("AVE_CHECK", "races,ir")
    check(name, bf16, backend="reference")


def test_the_workspace_is_clean_behind_a_launch(monkeypatch):
    made = []

    def kept(a, blocks: int, size: int):
        made.append((np.full(size, np.nan, np.float32), np.zeros(blocks, np.uint32)))
        return made[0]

    monkeypatch.setattr(hopper_skinny, "workspace_for", kept)
    check("runs end inside of tiles", np.float32)
    sums, counts = made[0]
    assert not counts.any() and np.isfinite(sums).any() and len(made) == 2


@pytest.mark.parametrize("kind", [bf16, np.float16])
def test_dtypes(kind):
    a, b = operands(3, 70, 72, kind)
    found = skinny_gemm(a, b)
    right(a, b, found)
    assert found.dtype == kind
    out = np.full((3, 70), np.nan, np.float16)
    right(a, b, skinny_gemm(a, b, out))
    assert not skinny_gemm(a[:, :0], b[:, :0], out).any()
    assert skinny_gemm(a, b[:0], dtype=np.float32).dtype == np.float32


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    a, b = (torch.from_numpy(x.astype(np.float32)).bfloat16() for x in operands(5, 200, 400))
    for _ in range(2):
        out = launch(a, b, torch.full((5, 200), float("nan")), Plan(64, 2, 3, 3))
        assert out.dtype == torch.float32 and float((out - a.float() @ b.float().T).abs().max()) < 1e-3
        assert not hopper_skinny.workspace_of(a)[1].any()
    assert skinny_gemm(a, b).dtype == torch.bfloat16


def test_what_does_not_fit_is_refused():
    a, b = operands(5, 20, 72)
    for args, options, words in (
        ((a, b[:, :64]), {}, "same number of columns"), ((a[0], b), {}, "2 dimensions"), ((np.repeat(a, 13, 0), b), {},
            "for 1 to 64"),
        ((a[:0], b), {}, "for 1 to 64"), ((a[:, :70], b[:, :70]), {}, "multiple of 8"), ((a, b.astype(np.float16)), {},
            "both f16"),
        ((a.astype(np.float32), b.astype(np.float32)), {}, "both must be bf16"), ((a, b, np.zeros((5, 21), bf16)), {},
            "out is (5, 21)"),
        ((a, b, np.zeros((5, 20), np.int32)), {}, "out is int32"), ((a, b, np.zeros((5, 20), bf16)),
            {"dtype": np.float32}, "dtype asks for f32"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=re.escape(words)):
            skinny_gemm(*args, **options)


# -- machine code -----------------------------------------------------------------------------------------------------

SHAPES = (
    (8, 13312, 16384),
    (8, 2304, 8192),
    (8, 6656, 8192),
    (1, 8192, 8192),
    (16, 28672, 8192),
    (64, 8192, 8192),
    (33, 4104, 512),
    (20, 8192, 4096),
    (1, 128256, 4096),
)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_best_plan_keeps_its_registers_and_its_pipeline(shape, tmp_path):
    """No spills, wgmma not serialized (ptxas says so), shared memory that a block may have, and enough bytes on their
    way to hide memory: 32 KB on each multiprocessor at 4.8 TB/s and 1 us."""
    m, n, k = shape
    plan = best_plan(m, n, k, SMS)
    work, width = work_of(plan, n, k), width_of(m)
    form = SkinnyConfig(width, plan.rows, plan.depth, plan.stages, plan.split_k, plan.cluster_n, work.most)
    kernel = build(kernel_of(al.bf16, al.bf16, form).source, {}, arch.chip("sm_90a"))
    if plan.split_k * plan.cluster_n > 1:
        kernel.attrs["cluster"] = (plan.split_k * plan.cluster_n, 1, 1)
    program = simt_device.program(pipeline.gpu(kernel, (GROUP + WARP, 1, 1)), arch.chip("sm_90a"))
    assert program.dynamic_bytes + 1024 <= 228 * 1024
    assert work.blocks * plan.stages * plan.depth * plan.rows * 128 >= 2 * SMS * 32 * 1024
    text = simt_device.DeviceCompiler(arch.chip("sm_90a")).assembly(program.text)
    (tmp_path / "k.ptx").write_text(text)
    command = [need("ptxas"), "-arch=sm_90a", "-v", str(tmp_path / "k.ptx"), "-o", str(tmp_path / "k.cubin")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert (
        "0 bytes spill stores" in said
        and "Potential Performance Loss" not in said
        and int(re.findall(r"Used (\d+) registers", said)[0]) <= 200
    )
    products = plan.depth * 4 * (plan.rows // 64)
    assert text.count("wgmma.mma_async") == products and f"m64n{width}k16" in text
    assert text.count("cp.async.bulk.tensor.2d") == 2 * plan.depth and ("atom." in text) == (work.most > 1)


def test_stages_fill_shared_memory():
    for width, rows, depth, along in ((8, 64, 2, 1), (64, 128, 1, 2), (16, 128, 4, 1)):
        stages = stages_of(width, rows, depth, along)
        each = (rows + width) * depth * 128 + 16
        rest = (along - 1) * rows * width * 4 if along > 1 else 2048
        assert stages * each + rest <= 227 * 1024 - 1024 < (stages + 1) * each + rest
