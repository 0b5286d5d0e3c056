"""Seeds at the thread level and at the tile level: jit functions whose constexpr `BUG` says which of the two they are, on all engines."""

from __future__ import annotations

import contextlib
import functools
import io
from typing import Any

import numpy as np

from avelang.runtime import compile
from avelang.sim.ptx import Program
from checks.cases import Case
from checks.seeds import Column, Seed

PTX_CHIP = "sm_90a"
SAID = "said"  # on standard error, in place of an error: what of an output nothing wrote


def launched(case: Case, engine: str, bug: bool) -> str:
    """One of the engines that launches know. What the init check says on standard error of an output is a finding
    where the case is of that kind: to leave a part of it is no bug as such."""
    said = io.StringIO()
    options = {**dict(case.options), "backend": engine}
    if engine.startswith("gfx"):
        del options["backend"]
        options["target"] = engine.partition("-")[0]
    with contextlib.redirect_stderr(said):
        case.kernel[case.grid, case.block](*case.args(), BUG=bug, **options)
    return SAID if SAID in case.codes and "has not written" in said.getvalue() else ""


@functools.cache
def assembly(case: Case, bug: bool) -> tuple[str, dict[str, Any]]:
    options = dict(case.options)
    target = str(options.pop("target", PTX_CHIP))
    target = target if target.startswith("sm_") else PTX_CHIP
    constexprs = {name: v for name, v in (*options.items(), ("BUG", bug))}
    return compile.device_assembly(case.kernel.source, compile.constants(case.kernel.source, constexprs), target, (case.block, 1, 1), {})


def in_ptx(case: Case, word: str, bug: bool) -> str:
    """The code for NVIDIA GPUs, in the executor of PTX."""
    text, meta = assembly(case, bug)
    values = case.args()
    arrays = [v for v in values if isinstance(v, np.ndarray)]
    slots = [v.ctypes.data if isinstance(v, np.ndarray) else v & 0xFFFFFFFF for v in values]
    memory = [(a.ctypes.data, a.nbytes, f"argument {k}", True) for k, a in enumerate(arrays)]
    Program(text, entry=meta["entry"]).launch(slots, (case.grid, 1, 1), (case.block, 1, 1), memory=memory, check=(word,) if word else ())
    return ""


def runner(case: Case, level: str) -> Any:
    def run(column: Column, bug: bool) -> str | None:
        engine, word = column
        if level == "tile" and (engine == "gfx950-exec" or word == "uniform"):
            return None  # as gfx942-exec there, and not asked of tiles: their kernels take long to compile
        if engine == "text":
            options = dict(case.options)
            target = options.pop("target", None)
            compile.compile_text(case.kernel, {**options, "BUG": bug}, (case.block, 1, 1), target)
            return ""
        if engine == "cpu" and (case.codes[0] == "X011" or not case.on_cpu):
            return None  # threads that wait for ever have no end there
        if engine == "ptx-exec":
            return in_ptx(case, word, bug) if case.on_ptx else None
        return launched(case, engine, bug)

    return run


def seeds(cases: list[Case], level: str) -> list[Seed]:
    return [Seed(case.name, level, runner(case, level)) for case in cases]
