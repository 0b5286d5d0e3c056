"""The Hopper GEMM of the instruction level with no GPU: its numbers against float64 on the executor, what ptxas says of
it, and its loop beside that of the kernel that a compiler wrote."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest
from tests.avelang_kernels.guarded import BF16, ONE, check_product
from tests.tools import need

import avelang.language as al
import avelang_kernels.matmul.hopper_gemm as threads_level
from avelang.ptx.types import bf16, f32
from avelang.runtime.compile import compile_text
from avelang_kernels.matmul.ptx_hopper_gemm import TILES, Plan, build, gemm


@pytest.mark.parametrize(
    ("plan", "dtype", "out", "blocks", "m", "n", "k"),
    [
        (
            Plan(64, 64, 3, 2),
            BF16,
            BF16,
            2,
            140,
            72,
            200,
        ),  # more tiles than blocks, a ring that begins again, tails of everything
        (Plan(128, 64, 2, group_m=2), np.float16, np.float32, 1, 130, 68, 72),
        (Plan(64, 96, 2), BF16, np.float32, 2, 70, 100, 8),  # an odd number of pieces; one step
        (Plan(64, 64, 2, 2), BF16, BF16, 2, 100, 37, 72),  # rows that the copy engine cannot write
        (Plan(64, 64, 2), np.float16, np.float32, 1, 1, 1, 136),
    ],
)
def test_on_the_executor(plan, dtype, out, blocks, m, n, k, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races,init")
    check_product(gemm, m, n, k, dtype, out, plan=plan, blocks=blocks)


def test_an_output_is_made():
    a = np.eye(16, dtype=BF16)
    c = gemm(a, a, plan=Plan(64, 64, 2), blocks=1)
    assert c.dtype == BF16
    np.testing.assert_array_equal(c, a)
    assert gemm(a, a, to=f32, plan=Plan(64, 64, 2), blocks=1).dtype == np.float32


@pytest.mark.parametrize(
    ("a", "b", "options", "kind", "words"),
    [
        (ONE, ONE[:, :8], {}, ValueError, "same number of columns"),
        (ONE[:, :12], ONE[:, :12], {}, ValueError, "12 columns.*multiple of 8"),
        (ONE, ONE, {"out": np.zeros((16, 8), BF16)}, ValueError, r"the product of 16 and 16 rows is \(16, 16\)"),
        (ONE, ONE.astype(np.float16), {}, TypeError, "b is of float16; here it must be of bf16"),
        (ONE, ONE, {"plan": Plan(64, 64, 2, 2, 2)}, ValueError, "a cluster of 2 x 2 blocks"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(a, b, options, kind, words):
    with pytest.raises(kind, match=words):
        gemm(a, b, **options)


@pytest.mark.parametrize(("whole", "out"), [(True, bf16), (False, f32)], ids=str)
@pytest.mark.parametrize("plan", TILES, ids=str)
def test_ptxas_keeps_the_sums_in_registers_and_the_products_under_way(plan, whole, out, tmp_path):
    ptxas = need("ptxas")
    text = build(plan, bf16, out, whole).ptx(8192, 8192 if whole else 8189, 4096)
    (tmp_path / "k.ptx").write_text(text)
    said = subprocess.run(
        [ptxas, "-v", "-arch=sm_90a", "k.ptx", "-o", "k.cubin"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert "0 bytes spill stores, 0 bytes spill loads" in said
    assert "C75" not in said, said  # wgmma serialized, setmaxnreg ignored
    # For each consumer the first step and the loop's, four products each.
    assert re.findall(r"wgmma\.mma_async\S*m64n(\d+)k16", text) == [str(plan.n)] * 8 * (plan.m // 64)


def loop(text: str) -> list[str]:
    """The instructions of the smallest loop with four products."""
    text = re.sub(r"//.*|[{}]|\.reg [^;]*;", "", text)
    lines = [x.strip() for line in text.splitlines() for x in re.split(r";|(?<=:)\s", line) if x.strip()]
    found = []
    for i, line in enumerate(lines):
        back = [
            j
            for j in range(i, len(lines))
            if line.endswith(":") and re.search(rf"bra(\.uni)?\s+{re.escape(line[:-1])}$", lines[j])
        ]
        inside = [x for x in lines[i : back[-1] + 1] if not x.endswith(":")] if back else []
        if sum("wgmma.mma_async" in x for x in inside) == 4:
            found.append(inside)
    return min(found, key=len)


def test_the_loop_is_shorter_than_a_compilers():
    plan = Plan(128, 256, 4, 2)
    theirs = loop(
        compile_text(
            threads_level.build(plan, al.bf16, al.bf16), {}, (threads_level.threads(plan), 1, 1), "sm_90a", "asm"
        )
    )
    ours = loop(build(plan, bf16, bf16).ptx(8192, 8192, 8192))
    assert len(ours) < len(theirs)
    for name in ("wgmma.fence", "wgmma.commit_group", "wgmma.wait_group", "mbarrier.try_wait", "mbarrier.arrive"):
        assert sum(name in x for x in ours) == sum(name in x for x in theirs) == 1, name
