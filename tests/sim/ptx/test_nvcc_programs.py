"""Small programs that nvcc has compiled, drawn with seeds over the ISA, executed; results bit for bit against NumPy."""

import functools

import numpy as np
import pytest

from avelang.nvptx.nodes import PtxModule
from avelang.nvptx.parse import parse
from avelang.sim.ptx import Program
from sim.ptx import nvcc_programs
from sim.ptx.texts import memory

PROGRAMS = nvcc_programs.names()


@functools.cache
def module(chip: str) -> PtxModule:
    return parse(nvcc_programs.text(chip))


def test_stored_text_is_of_these_programs():
    """Else: `python -m sim.ptx.nvcc_programs`."""
    assert len(PROGRAMS) >= 150
    assert (nvcc_programs.HERE / "sources.sha256").read_text().strip() == nvcc_programs.digest()


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    p = nvcc_programs.program(name)
    chip = nvcc_programs.CHIPS[PROGRAMS.index(name) % 2]
    out = np.zeros_like(p.want) if p.first is None else p.first.copy()
    arrays = [*(x for _, x in p.inputs), out]
    Program(module(chip), name).launch([x.ctypes.data for x in arrays], (p.grid, 1, 1), (p.block, 1, 1),
        memory=memory(*arrays))
    np.testing.assert_array_equal(out.view(f"u{out.itemsize}"), p.want.view(f"u{out.itemsize}"))
