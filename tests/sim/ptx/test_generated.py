"""Generated programs over the instruction set, against results computed in exact integers and fractions (`programs`, `forms`, `numbers`)."""

import numpy as np
import pytest

from avelang.sim.ptx import Program
from sim.ptx import programs

FORMS, SECTIONS = 128, 16
SEEDS = range(10)  # of so many modules of 16 programs each


def run(made: programs.Made) -> np.ndarray:
    out = np.full(made.want.shape, programs.KEPT, np.uint64)
    memory = [(made.inputs.ctypes.data, made.inputs.nbytes, "source", False), (out.ctypes.data, out.nbytes, "destination", True)]
    Program(made.text).launch([made.inputs.ctypes.data, out.ctypes.data], (len(made.steps), 1, 1), (programs.LANES, 1, 1), memory=memory)
    return out


@pytest.mark.parametrize("first", range(0, len(programs.alphabet()), FORMS))
def test_every_form(first):
    chosen = programs.alphabet()[first : first + FORMS]
    made = programs.module(1000 + first, SECTIONS, -(-len(chosen) // SECTIONS), only=chosen)
    assert programs.differences(made, run(made)) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed):
    made = programs.module(seed, SECTIONS, 4)
    assert programs.differences(made, run(made)) == []


def test_a_wrong_result_is_found():
    made = programs.module(1, 2, 3)
    out = run(made)
    at = made.steps[1][2].outs[0]
    out[1, at, 5] ^= np.uint64(1 << 40)
    found = programs.differences(made, out)
    assert len(found) == 1 and "section 1" in found[0] and "thread 5" in found[0]
