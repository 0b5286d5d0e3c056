"""`ave show`: pictures in the terminal and as SVG, and what is wrong with what cannot be shown."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("layout", "((2,4),3):((1,6),2)"), ("Layout(((2, 4), 3), ((1, 6), 2))", "24 coordinates, 24 places")),
        (("row", "mfma_16x16x16_bf16_f32", "--operand", "a"), ("amdgpu.mfma_f32_16x16x16_bf16, A", "T63 v3")),
        (("row", "VDMFMA_F32_8x16x64x2_F16"), ("VDMFMA_F32_8x16x64x2_F16, A", "VDMFMA_F32_8x16x64x2_F16, C", "T63 v15")),
        (("row", "wgmma_f16_f32", "-n", "16"), ("nvvm.wgmma_f16_f32, C", "w3 T31 v7")),
        (("encoding", "Distribution.blocked((8, 64), al.bf16, waves=1)"), ("distribution of 8 x 64", "T63 v7")),
        (("encoding", "SubgroupLayout((1, 1), (8, 4), (2, 16), (1, 16))"), ("tstrides (2, 16)", "T3 v0")),
        (("swizzle", "3,4,3"), ("Swizzle(3, 4, 3)", "7,0")),
        (("swizzle", "64B", "--rows", "4"), ("Swizzle(2, 4, 3)", "3,7")),
        (("banks", "mfma_16x16x16_bf16_f32", "--operand", "b"), ("64 cycles, 60 of them lost to conflicts", "lanes 16-31: 16 cycles")),
        (("banks", "VMFMA_F32_16x16x32_BF16", "--swizzle", "128B"), ("8 cycles, 0 of them lost", "lanes 4-7, 16-19: 1 cycle")),
        (("banks", "mma_16x8x16_f16_f32", "--target", "sm_80", "--row-bytes", "32"), ("lanes 0-31",)),
        (("pipeline", "ping-pong", "--tiles", "3"), ("group 1 mma (matrix)", "of each group")),
    ],
    ids=str,
)
def test_pictures(ave, tmp_path, args, words):
    result = ave("show", *args)
    assert result.exit_code == 0, result.output + result.stderr
    assert all(w in result.output for w in words)
    file = tmp_path / "picture.svg"
    result = ave("show", *args, "-o", file)
    assert result.exit_code == 0 and result.output.startswith(f"{file}: ")
    text = "".join(ET.parse(file).getroot().itertext())
    assert all(w in text for w in words)


def test_an_object_of_a_file(ave, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("from avelang.tile import Encoding\nTILE = Encoding((), ((4,), (16,)), ((), (1, 2)), ((), (0, 0)), (), ())\n")
    assert "T63 v0" in ave("show", "encoding", f"{file}:TILE").output
    missing = ave("show", "encoding", f"{file}:OTHER")
    assert missing.exit_code == 1 and "has no OTHER" in missing.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("layout", "3:x"), "[T308] '3:x' cannot be shown: it is no layout"),
        (("layout", "(2,2):(1,)"), "[T031]"),
        (("row", "mfma_nothing"), "[T301] a row must be"),
        (("row", "VDMFMA"), "[T301] the name of an MMA must be one of"),
        (("row", "wgmma_f16_f32", "--operand", "b"), "B of it is in shared memory"),
        (("row", "mfma_16x16x16_bf16_f32", "--target", "gfx1"), "[U101]"),
        (("encoding", "Encoding((), ((4,),), ((1,),), ((0,),), (1,), (0,))"), "[T303] Hs[0][0]"),
        (("encoding", "Foo(3)"), "NameError"),
        (("encoding", "3"), "objects of int have no picture"),
        (("swizzle", "hello"), "the swizzle 'hello' cannot be shown"),
        (("swizzle", "3,4,1"), "[T301] shift must be at least bits"),
        (("banks", "VMFMA_F32_16x16x32_BF16", "--target", "gfx950"), "[U103]"),
        (("pipeline", "triple"), "a pipeline must be one of"),
        (("pipeline", "tma", "-o", "/nowhere/x.svg"), "cannot be written"),
    ],
    ids=str,
)
def test_errors(ave, args, words):
    result = ave("show", *args)
    assert result.exit_code == 1 and words in result.stderr and "Traceback" not in result.stderr
