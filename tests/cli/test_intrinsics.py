"""`ave intrinsics`: the list, a page, a name that is not there, a chip that is not there."""

from __future__ import annotations

import pytest

from avelang.isa import PUBLIC


def test_list_has_every_name(ave):
    result = ave("intrinsics")
    assert result.exit_code == 0
    words = set(result.output.split())
    assert {name.partition(".")[2] for name in PUBLIC} <= words


def test_list_by_chip(ave):
    result = ave("intrinsics", "--chip", "sm_80")
    assert "ldmatrix_m8n8_x4_b16" in result.output and "mfma" not in result.output


@pytest.mark.parametrize(
    "name", ["amdgpu.mfma_f32_32x32x8_bf16", "al.amdgpu.mfma_f32_32x32x8_bf16", "mfma_f32_32x32x8_bf16"]
)
def test_page(ave, name):
    out = ave("intrinsics", name).output
    assert "al.amdgpu.mfma_f32_32x32x8_bf16(a, b, c" in out
    assert "gfx942" in out and "source: " in out
    # language.md: A[i][k] with i = lane % 32, k = 4 * (lane / 32) + element.
    assert "row = lane % 32; column = 4 * (lane // 32) + slot" in out
    assert "mfma_32x32x8_bf16_f32" in out  # the other name of the same instruction


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_page_renders(ave, name):
    result = ave("intrinsics", name)
    assert result.exit_code == 0, result.output
    assert f"al.{name.removeprefix('al.')}(" in result.output


def test_a_page_names_the_other_names_only(ave):
    for name, other in (("mfma_16x16x16_bf16_f32", "mfma_f32_16x16x16_bf16"),
                        ("mfma_f32_16x16x16_bf16", "mfma_16x16x16_bf16_f32")):
        line = next(line for line in ave("intrinsics", name).output.splitlines() if line.startswith("also named: "))
        assert other in line.removeprefix("also named: ").split(", ") and name not in line.split(": ")[1].split(", ")


def test_part_of_a_name_lists(ave):
    out = ave("intrinsics", "ldmatrix").output
    assert out.count("ldmatrix_m8n8") == 6


def test_unknown_name_suggests(ave):
    result = ave("intrinsics", "mfma_32x32x8_bf16_f23")
    assert result.exit_code == 2
    assert "there is no intrinsic" in result.stderr and "mfma_32x32x8_bf16_f32" in result.stderr


def test_unknown_chip(ave):
    result = ave("intrinsics", "--chip", "gfx1")
    assert result.exit_code == 2 and "gfx942" in result.stderr
