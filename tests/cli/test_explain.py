"""`ave explain`: the published example, a large product, the list of matrix products, errors."""

from __future__ import annotations

import re

import pytest

from tools import need


def test_the_published_example(ave):
    out = ave("explain", "gemm", 8, 13312, 16384, "--dtype", "f16", "--target", "gfx942").output
    config = out[: out.index("instructions")]
    # Chosen on the left, padded on the right, in the terms in which IREE prints them.
    for line in ("mma_kind = VDMFMA_F32_8x16x64x2_F16_PAIRED +mma_kind = MFMA_F32_16x16x16_F16",
                 "workgroup = [8, 64, 0]", "reduction = [0, 0, 4]",
                 "padding = [16, 64, 128]", "reduction = [0, 0, 8]", "workgroup = [16, 64, 0]",
                 "promote_operands = [0] ", "subgroup = [1, 2, 0]",
                 "promote_operands = [0, 1]"):  # fmt: skip
        pattern = line if line.startswith("mma_kind") else re.escape(line)
        assert re.search(pattern, config), line
    assert "2 smfmac_f32_16x16x32_f16" in out and "208 of 2 waves, on 304 units: busy 68.4% of the time" in out
    cycles = [int(x) for x in re.search(r"matrix-pipe cycles +(\d+) +(\d+)", out).groups()]
    assert cycles[1] == 2 * cycles[0]
    assert "chosen" in out and "dropped" in out and "candidates in all" in out
    assert (
        "tile.Block(8, 64, 256, waves=(1, 2), pipeline='streamed', mma='VDMFMA_F32_8x16x64x2_F16_PAIRED')\nlaunch: "
        "3328 blocks of 128 threads, "
        in out
    )
    assert "VDMFMA_F32_8x16x64x2_F16_PAIRED is VDMFMA_F32_8x16x64x2_F16 but for the order of K" in out


def test_a_large_product_has_nothing_beside_it(ave):
    result = ave("explain", "gemm", 4864, 4096, 4096, "--dtype", "bf16", "--all")
    assert "304 of 8 waves, on 304 units: busy 100.0%" in result.output and "padded" not in result.output
    assert "tile.Block(256, 256, 64, waves=(2, 4))\nlaunch: 304 blocks of 512 threads\n" in result.output
    assert "M = 4864 is more than its 8 rows" in result.output and "candidates in all" not in result.output


def test_a_preshuffled_b(ave):
    assert re.search(r"promote_operands = \[0\] *\n", ave("explain", "gemm", 64, 4096, 4096, "--preshuffled").output)


def test_the_line_to_paste_is_the_block(ave):
    from avelang import tile

    out = ave("explain", "gemm", 4096, 4096, 4096, "--dtype", "fp8", "--target", "sm_90a").output
    line = next(x for x in out.splitlines() if x.startswith("tile.Block("))
    assert eval(line) == tile.choose(tile.gemm(4096, 4096, 4096, "fp8", "sm_90a"))[0].block()
    assert "launch: 132 blocks of 384 threads, in clusters of 2\n" in out


def test_code_confirms_the_plan(ave):
    need("llvm-mca")
    out = ave("explain", "gemm", 100, 4096, 4096, "--dtype", "bf16", "--compile").output
    found = re.search(
        r"compiled: (\d+) VGPRs, 0 AGPRs, 0 spills, (\d+) bytes of LDS \(the plan: (\d+)\); matrix pipe busy ([\d.]+)%",
        out,
    )
    assert found and found[2] == found[3] and float(found[4]) > 10
    need("ptxas")
    out = ave("explain", "gemm", 100, 4096, 4096, "--dtype", "bf16", "--target", "sm_80", "--compile").output
    found = re.search(
        r"compiled by ptxas: \d+ registers, 0 bytes of spills, (\d+) bytes of shared memory \(the plan: (\d+)\)", out
    )
    assert found and found[1] == found[2]


def test_a_missing_assembler_is_said(ave, monkeypatch):
    monkeypatch.setenv("AVE_PTXAS", "/nowhere/ptxas")
    result = ave("explain", "gemm", 100, 4096, 4096, "--dtype", "bf16", "--target", "sm_80", "--compile")
    assert result.exit_code == 1 and "[D0" in result.stderr and "Traceback" not in result.stderr


def test_the_list(ave):
    out = ave("explain", "mmas", "--target", "gfx942").output
    line = next(x for x in out.splitlines() if "VDMFMA_F32_8x16x64x2_F16" in x)
    assert line.split() == ["VDMFMA_F32_8x16x64x2_F16", "2", "smfmac_f32_16x16x32_f16", "a", "1,1", "8,4", "2,16",
                            "1,16"]
    assert "in shared memory" in ave("explain", "mmas", "--target", "sm_90a").output


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("gemm", 8, 8, 8, "--target", "gfx1"), "[U101]"),
        (("gemm", 8, 8, 8, "--dtype", "f17"), "[T301] the dtype"),
        (("gemm", 8, 8, 8, "--dtype", "u8"), "[U103]"),
        (("mmas", "--target", "gfx1"), "[U101]"),
    ],
    ids=str,
)
def test_errors(ave, args, words):
    result = ave("explain", *args)
    assert result.exit_code == (2 if "gfx1" in args else 1) and words in result.stderr and "Traceback" not in result.stderr


@pytest.mark.parametrize(("order", "least"), [("NN", (30, 20)), ("TN", (10, 20)), ("NT", (30, 30)), ("TT", (10, 30))])
def test_lines_are_no_shorter_than_their_elements(ave, order, least):
    for option, line in zip(("--lda", "--ldb"), least):
        assert ave("explain", "matmul", 10, 20, 30, "--order", order, option, line).exit_code == 0
        short = ave("explain", "matmul", 10, 20, 30, "--order", order, option, line - 1)
        assert short.exit_code == 2 and f"a line has {line} elements" in short.stderr


def test_sizes_are_checked(ave):
    assert ave("explain", "gemm", 0, 8, 8).exit_code == 2
