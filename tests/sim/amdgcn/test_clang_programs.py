"""Drawn C++ programs that clang has compiled for AMD's chips, with and without optimization, executed with all checks; results bit for bit against this machine's."""

import numpy as np
import pytest

from amdgcn.objects import assemble
from avelang import executor
from avelang.amdgcn.link import link
from sim.amdgcn import clang_programs as programs
from tools import disassembler, lld

CHIPS = ("gfx942", "gfx90a", "gfx950")


@pytest.mark.parametrize("seed", range(12))
def test_program(seed):
    """Every third from a linked code object, the others from assembly."""
    text = programs.Program(seed).text
    want = programs.judged(text, seed)
    for level in ("0", "3"):
        chip = CHIPS[seed % 3]
        source = programs.assembly(text, chip, level)
        if seed % 4 == 1:
            lld()
            disassembler()
            source = link(assemble(source, chip))
        words, floats = programs.inputs(seed)
        out = np.zeros_like(want)
        executor.load(source, "k", check="all")[programs.GRID, programs.BLOCK](words, floats, out)
        np.testing.assert_array_equal(out, want, err_msg=f"-O{level}")
