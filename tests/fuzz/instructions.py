"""Draws modules of PTX for the executor of PTX; ptxas must take each where it is there. Two kinds by turns: single instructions by the generator of the executor's
tests (`sim.ptx.programs`), and whole programs whose threads branch and talk (`scenes`), which run with the executor's checks, too. What is wrong is made small."""

from __future__ import annotations

import functools
import subprocess
import tempfile

import numpy as np

from avelang.base.errors import AveError
from avelang.sim.ptx import Program
from fuzz import kept, scene_run, scenes
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


def refused(text: str) -> str:
    """What ptxas says against a text."""
    if not assembler():
        return ""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        said = subprocess.run([assembler(), "-arch=sm_90a", "-O0", file.name, "-o", "/dev/null"], capture_output=True, text=True)
    return said.stdout + said.stderr if said.returncode else ""


def trial(seed: int) -> tuple[int, list[tuple[str, str]]]:
    """How many programs a seed is, and what is wrong, each in a program as small as was found: (what, a case to keep)."""
    return (SECTIONS, single(seed)) if seed % 4 == 0 else (1, whole(seed))


def single(seed: int) -> list[tuple[str, str]]:
    """Of a module of single instructions."""
    made = programs.module(seed, SECTIONS, STEPS)
    said = refused(made.text)
    found = [(f"ptxas: {said}", "")] if said else []
    for line in wrong(made)[:3]:
        forms = [s.form for steps in made.steps for s in steps if s.form.name in line]
        smaller = next((m for form in forms[:2] for n in range(40) if wrong(m := programs.module(n, 1, 1, only=[form]))), made)
        found.append((f"{line}\n{smaller.text}", ""))
    return found


def whole(seed: int) -> list[tuple[str, str]]:
    """Of a whole program: wrong results, reports where nothing is wrong, what ptxas refuses."""
    drawn = scenes.scene(seed)
    if refused(drawn.text):
        small = scene_run.smallest(drawn, lambda s: bool(refused(s.text)))
        return [(f"ptxas: {refused(small.text)}\n{small.listing()}", "")]
    for checked in (False, True):
        what = scene_run.wrong(drawn, checked)
        if what:
            small = scene_run.smallest(drawn, lambda s: scene_run.wrong(s, checked)[:5] == what[:5])
            return [(f"{scene_run.wrong(small, checked)}{' (checked)' if checked else ''}\n{small.listing()}", kept.of_scene(small))]
    return []
