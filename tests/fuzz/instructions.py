"""Draws modules of PTX by the generator of the executor's tests (`sim.ptx.programs`), whose results are computed in exact integers and fractions; each is run on
the executor of PTX, and assembled where ptxas is there. A wrong result is made small: the one form that is wrong, alone."""

from __future__ import annotations

import functools
import subprocess
import tempfile

import numpy as np

from avelang.base.errors import AveError
from avelang.sim.ptx import Program
from sim.ptx import programs

SECTIONS, STEPS = 16, 4


@functools.cache
def assembler() -> str:
    """The path of ptxas, or ""."""
    from avelang.runtime import ptxas

    found = ptxas.find()
    return str(found.path) if found is not None else ""


def run(made: programs.Made) -> np.ndarray:
    """What the executor leaves."""
    out = np.full(made.want.shape, programs.KEPT, np.uint64)
    memory = [(made.inputs.ctypes.data, made.inputs.nbytes, "source", False), (out.ctypes.data, out.nbytes, "destination", True)]
    Program(made.text).launch([made.inputs.ctypes.data, out.ctypes.data], (len(made.steps), 1, 1), (programs.LANES, 1, 1), memory=memory)
    return out


def wrong(made: programs.Made) -> list[str]:
    """What the executor does otherwise."""
    try:
        return programs.differences(made, run(made), exact=True)
    except AveError as e:
        return [f"{e.code}: {e}"]


def refused(made: programs.Made) -> str:
    """What ptxas says against the text."""
    if not assembler():
        return ""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(made.text)
        file.flush()
        said = subprocess.run([assembler(), "-arch=sm_90a", "-O0", file.name, "-o", "/dev/null"], capture_output=True, text=True)
    return said.stdout + said.stderr if said.returncode else ""


def trial(seed: int) -> list[str]:
    """What is wrong with the module of a seed, each in a program as small as was found."""
    made = programs.module(seed, SECTIONS, STEPS)
    found = [f"ptxas: {refused(made)}"] if refused(made) else []
    for line in wrong(made)[:3]:
        forms = [s.form for steps in made.steps for s in steps if s.form.name in line]
        smaller = next((m for form in forms[:2] for n in range(40) if wrong(m := programs.module(n, 1, 1, only=[form]))), made)
        found.append(f"{line}\n{smaller.text}")
    return found
