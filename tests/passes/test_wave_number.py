"""Uniformity of the wave's number: thread_id(0) divided by a multiple of the wave."""

from __future__ import annotations

import pytest

from avelang.ir.core import walk
from avelang.ir.text import parse_kernel
from avelang.passes.uniformity import uniformity


def uniform(block: tuple[int, int, int], line: str, dim: int = 0) -> bool:
    text = f"""kernel @k() {{'wave': 64, 'chip': 'gfx942', 'file': '', 'block': {block}}} {{
      %t = thread_id {{'dim': {dim}}} : u32
      %s = convert(%t) : i32
      %six = const {{'value': 6}} : u32
      %five = const {{'value': 5}} : u32
      %n = const {{'value': 128}} : i32
      %m = const {{'value': 96}} : i32
      {line}
    }}"""
    kernel = parse_kernel(text)
    uniformity(kernel)
    return next(v.uniform for op in walk(kernel.body) for v in op.results if v.name == "w")


@pytest.mark.parametrize("block", [(256, 1, 1), (100, 1, 1), (128, 4, 1)])
def test_the_number_of_a_wave(block):
    assert uniform(block, "%w = shr(%t, %six) : u32")
    assert uniform(block, "%w = floordiv(%s, %n) : i32")
    assert uniform(block, "%w = div(%s, %n) : i32")
    assert not uniform(block, "%w = shr(%t, %five) : u32")
    assert not uniform(block, "%w = floordiv(%s, %m) : i32")
    assert not uniform(block, "%w = shr(%six, %t) : u32")


def test_where_lanes_are_no_neighbors():
    assert not uniform((96, 2, 1), "%w = shr(%t, %six) : u32")
    assert not uniform((4, 64, 1), "%w = shr(%t, %six) : u32", dim=1)
