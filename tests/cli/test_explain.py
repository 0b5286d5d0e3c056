"""`ave explain`: the published example, a large product, the list of matrix products, errors."""

from __future__ import annotations

import re

import pytest


def test_the_published_example(ave):
    out = ave("explain", "gemm", 8, 13312, 16384, "--dtype", "f16", "--target", "gfx942").output
    config = out[: out.index("instructions")]
    # Chosen on the left, padded on the right, in the terms in which IREE prints them.
    for line in ("mma_kind = VDMFMA_F32_8x16x64x2_F16 +mma_kind = MFMA_F32_16x16x16_F16", "workgroup = [8, 64, 0]", "reduction = [0, 0, 4]",
                 "padding = [16, 64, 128]", "reduction = [0, 0, 8]", "workgroup = [16, 64, 0]", "promote_operands = [0, 1]", "subgroup = [1, 2, 0]"):  # fmt: skip
        pattern = line if line.startswith("mma_kind") else re.escape(line)
        assert re.search(pattern, config), line
    assert "2 smfmac_f32_16x16x32_f16" in out and "208 of 2 waves, on 304 units: busy 68.4% of the time" in out
    cycles = [int(x) for x in re.search(r"matrix-pipe cycles +(\d+) +(\d+)", out).groups()]
    assert cycles[1] == 2 * cycles[0]
    assert "chosen" in out and "dropped" in out and "candidates in all" in out


def test_a_large_product_has_nothing_beside_it(ave):
    result = ave("explain", "gemm", 4864, 4096, 4096, "--dtype", "bf16", "--all")
    assert "304 of 4 waves, on 304 units: busy 100.0%" in result.output and "padded" not in result.output
    assert "M = 4864 is more than its 8 rows" in result.output and "candidates in all" not in result.output


def test_a_preshuffled_b(ave):
    assert re.search(r"promote_operands = \[0\] *\n", ave("explain", "gemm", 64, 4096, 4096, "--preshuffled").output)


def test_the_list(ave):
    out = ave("explain", "mmas", "--target", "gfx942").output
    line = next(x for x in out.splitlines() if "VDMFMA_F32_8x16x64x2_F16" in x)
    assert line.split() == ["VDMFMA_F32_8x16x64x2_F16", "2", "smfmac_f32_16x16x32_f16", "a", "1,1", "8,4", "2,16", "1,16"]
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
    assert result.exit_code == 1 and words in result.stderr and "Traceback" not in result.stderr


def test_sizes_are_checked(ave):
    assert ave("explain", "gemm", 0, 8, 8).exit_code == 2
