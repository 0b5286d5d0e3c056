"""Registers that do not exist, and what else a hand that writes assembly gets wrong."""

from __future__ import annotations

import pytest

from avelang.amdgcn.asm import parse
from avelang.base.errors import AveError


@pytest.mark.parametrize("text", ["v256", "v[255:256]", "a300", "s102", "s[100:103]", "ttmp16", "v[3:2]"])
def test_registers_that_do_not_exist(text):
    with pytest.raises(AveError, match=rf"\[X020\] x\.s:2: cannot read `v_mov_b32 v0, .*there is no {text.replace('[', '.')[:3]}"):
        parse(f"\nv_mov_b32 v0, {text}\n", "x.s")


@pytest.mark.parametrize("text", ["v255", "v[254:255]", "a255", "s101", "s[98:101]", "ttmp15", "vcc", "flat_scratch"])
def test_registers_that_do(text):
    assert str(parse(f"v_mov_b32 v0, {text}").instructions[0].operands[1]) in (text, "s123")


def test_data_that_cannot_be_read():
    with pytest.raises(AveError, match=r"\[X020\] x\.s:2"):
        parse('.data\n.ascii "\\x"\n', "x.s")
