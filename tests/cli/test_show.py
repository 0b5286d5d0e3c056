"""`ave show`: pictures in the terminal and as SVG, and what is wrong with what cannot be shown."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("layout", "((2,4),3):((1,6),2)"), ("Layout(((2, 4), 3), ((1, 6), 2))", "24 coordinates, 24 places")),
        (("row", "mfma_16x16x16_bf16_f32", "--operand", "a"), ("amdgpu.mfma_f32_16x16x16_bf16, A", "T63 v3")),
        (
            ("row", "VDMFMA_F32_8x16x64x2_F16"),
            ("VDMFMA_F32_8x16x64x2_F16, A", "VDMFMA_F32_8x16x64x2_F16, C", "T63 v15"),
        ),
        (("row", "wgmma_f16_f32", "-n", "16"), ("nvvm.wgmma_f16_f32, C", "w3 T31 v7")),
        (("encoding", "Distribution.blocked((8, 64), al.bf16, waves=1)"), ("distribution of 8 x 64", "T63 v7")),
        (("encoding", "SubgroupLayout((1, 1), (8, 4), (2, 16), (1, 16))"), ("tstrides (2, 16)", "T3 v0")),
        (("swizzle", "3,4,3"), ("Swizzle(3, 4, 3)", "7,0")),
        (("swizzle", "64B", "--rows", "4"), ("Swizzle(2, 4, 3)", "3,7")),
        (
            ("banks", "mfma_16x16x16_bf16_f32", "--operand", "b"),
            ("64 cycles, 60 of them lost to conflicts", "lanes 16-31: 16 cycles"),
        ),
        (
            ("banks", "VMFMA_F32_16x16x32_BF16", "--swizzle", "128B"),
            ("8 cycles, 0 of them lost", "lanes 4-7, 16-19: 1 cycle"),
        ),
        (("banks", "mma_16x8x16_f16_f32", "--target", "sm_80", "--row-bytes", "32"), ("lanes 0-31",)),
        (("pipeline", "ping-pong", "--tiles", "3"), ("group 1 mma (matrix)", "of each group")),
        (
            ("swizzle", "128B"),
            (
                "without the swizzle, 16 bytes a lane",
                "64 cycles, 56 of them lost",
                "with it",
                "8 cycles, 0 of them lost",
            ),
        ),
        (
            ("banks", "Distribution.blocked((16, 64), al.bf16, waves=1)"),
            ("tile of 16 x 64, rows of 128 bytes, access 0 of 2, 16 bytes a lane",),
        ),
        (
            (
                "banks",
                "Distribution.blocked((8, 64), al.f32, waves=1)",
                "--element",
                "4",
                "--write",
                "--swizzle",
                "128B",
            ),
            ("lanes 0-7: 1 cycle",),
        ),
        (
            ("tiles", "4864", "4096"),
            ("4864 x 4096, in tiles of 256 x 256", "303", "304 tiles for 304 units: 1 round", "8 dies"),
        ),
        (
            ("tiles", "512", "512", "--block", "128x256", "--units", "3", "--target", "sm_90a"),
            ("8 tiles for 3 units: 3 rounds",),
        ),
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
    file.write_text(
        "from avelang.tile import Encoding\nTILE = Encoding((), ((4,), (16,)), ((), (1, 2)), ((), (0, 0)), (), ())\n"
    )
    assert "T63 v0" in ave("show", "encoding", f"{file}:TILE").output
    file.write_text(file.read_text() + "from avelang.tile import Distribution\nD = Distribution(TILE)\n")
    assert "tile of 4 x 16, rows of 32 bytes" in ave("show", "banks", f"{file}:D", "--row-bytes", "32").output
    missing = ave("show", "encoding", f"{file}:OTHER")
    assert missing.exit_code == 2 and "has no OTHER" in missing.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("layout", "3:x"), "[T308] '3:x' cannot be shown: it is no layout"),
        (("layout", "(2,2):(1,)"), "[T031]"),
        (("layout", "(1000000,1000000):(1,1)"), "has 1000000000000 cells"),
        (("row", "mfma_nothing"), "[T301] a row must be"),
        (("row", "VDMFMA"), "[T301] the name of an MMA must be one of"),
        (("row", "wgmma_f16_f32", "--operand", "b"), "B of it is in shared memory"),
        (("row", "mfma_16x16x16_bf16_f32", "--target", "gfx1"), "[U101]"),
        (("encoding", "Encoding((), ((4,),), ((1,),), ((0,),), (1,), (0,))"), "[T303] Hs[0][0]"),
        (("encoding", "Foo(3)"), "NameError"),
        (("encoding", "3"), "objects of int have no picture"),
        (("swizzle", "hello"), "the swizzle 'hello' cannot be shown"),
        (("swizzle", "3,4,1"), "[T301] shift must be at least bits"),
        (("banks", "MFMA_F32_16x16x16_BF16", "--target", "gfx1"), "[U101]"),
        (("pipeline", "triple"), "a pipeline must be one of"),
        (("encoding", "nothing.py:TILE"), "there is no file nothing.py"),
        (("encoding", "Distribution.blocked((8, 8)"), "SyntaxError: '(' was never closed"),
        (("banks", "Distribution.blocked((8,), al.f32, waves=1)"),
         "a tile of (8,) cannot be shown: it is no distribution of rows and columns"),
        (("banks", "Distribution.blocked((8, 64), al.bf16, waves=1)", "--target", "sm_80"),
         "its waves have 64 lanes, those of sm_80 32"),
        (("banks", "Distribution.blocked((8, 64), al.bf16, waves=1)", "--element", "3"), "no aligned runs of 3 bytes"),
        (("swizzle", "3,4,3", "--width", "0"), "there are none"),
        (("swizzle", "128B", "--row-bytes", "100"), "rows of 100 bytes cannot be shown"),
        (("tiles", "0", "10"), "an extent is below 1"),
        (("tiles", "10", "10", "--target", "gfx1"), "[U101]"),
        (("pipeline", "tma", "-o", "/nowhere/x.svg"), "cannot be written"),
    ],
    ids=str,
)
def test_errors(ave, args, words):
    result = ave("show", *args)
    usage = any(x in " ".join(args) for x in ("gfx1", "Foo", "nothing.py", "((8, 8)"))  # names nothing that there is
    assert result.exit_code == (2 if usage else 1) and words in result.stderr and "Traceback" not in result.stderr
