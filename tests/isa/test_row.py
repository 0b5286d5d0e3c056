"""The row as such: what its checker accepts, which values and types its parameters allow, that names are taken once."""

from __future__ import annotations

import dataclasses

import pytest

import avelang.isa.amdgpu  # noqa: F401  (registers the rows)
from avelang.arch import CHIPS
from avelang.base.errors import VerifyError
from avelang.ir.build import Builder
from avelang.ir.core import OPS, Block
from avelang.ir.dtypes import bf16, f32, i32
from avelang.ir.types import VecType
from avelang.isa.row import PUBLIC, ROWS, Param, allowed, in_range, register, types_on


def test_names_are_taken_once():
    for row in (
        ROWS["amdgpu.rcp"],
        dataclasses.replace(ROWS["amdgpu.rcp"], name="amdgpu.new", aliases=("mfma_32x32x8_bf16_f32",)),
    ):
        with pytest.raises(VerifyError, match="defined twice"):
            register(row)
    assert "amdgpu.new" not in ROWS and "amdgpu.new" not in PUBLIC and "amdgpu.new" not in OPS


def test_values_of_consts():
    plain, ranged, chosen = (
        Param("p", "const"),
        Param("p", "const", range=(-2, 5)),
        Param("p", "const", range=(1, 9), choices=(1, 4, 9)),
    )
    assert in_range(plain, 10**9) and [n for n in range(-9, 9) if in_range(ranged, n)] == list(range(-2, 6))
    assert [n for n in range(12) if in_range(chosen, n)] == [1, 4, 9]
    assert [allowed(p) for p in (plain, ranged, chosen)] == ["any integer", "within -2..5", "one of 1, 4, 9"]


def test_types_of_8_bit_floats_follow_the_chip():
    a = ROWS["amdgpu.mfma_f32_16x16x32_fp8_bf8"].params[0]
    shown = {name: [str(t) for t in types_on(a, CHIPS[name].features)] for name in ("gfx942", "gfx950", "gfx90a")}
    assert (
        shown["gfx942"] == ["vec<8 x f8e4m3fnuz>"]
        and shown["gfx950"] == ["vec<8 x f8e4m3fn>"]
        and len(shown["gfx90a"]) == 2
    )
    assert types_on(Param("x", (i32, f32)), CHIPS["gfx942"].features) == (i32, f32)


def check(name: str, operands, result, **attrs) -> str | None:
    b = Builder(Block())
    values = [b.const(0, t) for t in operands]
    return OPS[name].check(b.emit(name, values, (result,), **attrs))


def test_checker():
    four, acc, mods = VecType(bf16, 4), VecType(f32, 16), {"cbsz": 0, "abid": 0, "blgp": 0}
    name = "amdgpu.mfma_f32_32x32x8_bf16"
    assert check(name, (four, four, acc), acc, **mods) is None
    assert "takes 3 operands, not 2" in check(name, (four, acc), acc, **mods)
    assert "`b` cannot be vec<16 x f32>" in check(name, (four, acc, acc), acc, **mods)
    assert "gives vec<16 x f32>" in check(name, (four, four, acc), four, **mods)
    assert "`cbsz` must be a constant, within 0..0, not 1" in check(name, (four, four, acc), acc, **mods | {"cbsz": 1})
    dpp = {"dpp_ctrl": 0x111, "row_mask": 15, "bank_mask": 15, "bound_ctrl": 0}
    assert check("amdgpu.get_dpp", (f32, f32), f32, **dpp) is None
    assert "`src` cannot be i32" in check("amdgpu.get_dpp", (f32, i32), f32, **dpp)
    assert "`dpp_ctrl` must be a constant" in check("amdgpu.get_dpp", (f32, f32), f32, **dpp | {"dpp_ctrl": 0x110})
