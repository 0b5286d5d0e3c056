"""The engines: a drawn program comes in, the arrays that each of them leaves go out.

Each runs what users run: the frontend, the passes and the emitters, LLVM at the levels that ship, and the executors of the code that comes out.
"""

from __future__ import annotations

import ctypes
import functools
import linecache
from typing import Any

import numpy as np

from avelang import arch, pipeline
from avelang.amdgcn import asm
from avelang.emit.llvm import cpu, simt_device
from avelang.frontend.build import build
from avelang.ir.core import Kernel
from avelang.llvm.core import Host
from avelang.llvm.engine import Code
from avelang.sim import reference
from avelang.sim.amdgcn.arguments import pack, span
from avelang.sim.amdgcn.machine import Launch, Machine, Ready
from avelang.sim.amdgcn.program import translate
from avelang.sim.amdgcn.translator import Options
from fuzz.drawn import Drawn, numpy_of

Three = tuple[int, int, int]
NAMES = ("reference", "cpu", "cpu32", "gfx942", "gfx950", "sm_80", "sm_90a")
WAVES = {"reference": 64, "cpu": 64, "gfx942": 64, "gfx950": 64, "cpu32": 32, "sm_80": 32, "sm_90a": 32, "reference32": 32}


@functools.cache
def host(level: int) -> Host:
    return Host(level)


@functools.cache
def device(chip: str) -> simt_device.Device:
    return simt_device.Device(arch.chip(chip))


def load(text: str, name: str = "kernel") -> Any:
    """The kernel of a text that stands in no file."""
    file = "<drawn program>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    held: dict[str, Any] = {"__name__": "drawn", "__file__": file}
    exec(compile(text, file, "exec", dont_inherit=True), held)  # noqa: S102 - text that was drawn here
    return held[name]


def built(drawn: Drawn, chip: str | None) -> Kernel:
    return build(load(drawn.text).source, {}, arch.chip(chip) if chip else None)


def _word(a: Any) -> int:
    """An argument as the launch hands it on."""
    return a.ctypes.data if isinstance(a, np.ndarray) else int.from_bytes(a.tobytes(), "little")


def _native(kernel: Kernel, args: list[Any], drawn: Drawn, level: int) -> None:
    emitted = cpu.emit(pipeline.cpu(kernel, drawn.block))
    code = Code(host(level).object(emitted.text))
    run = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 2, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)(code.address(emitted.entry))
    slots = [_word(a) for a in args]
    scratch = np.zeros(emitted.scratch_bytes + 64, np.uint8)
    grid = np.array((*drawn.grid, *[0] * 5), np.uint32)  # and the launch's word and function, of which nothing is asked
    status = run(np.array(slots, np.uint64).ctypes.data, grid.ctypes.data, 0, int(np.prod(drawn.grid)), -(-scratch.ctypes.data // 64) * 64)
    assert status == 0, f"the CPU's code returned {status}"


def _ptx(kernel: Kernel, args: list[Any], drawn: Drawn, chip: str) -> None:
    from sim.ptx.executed import Executed

    Executed(kernel, drawn.block, chip).run(args, drawn.grid)


@functools.lru_cache(2)
def _translated(body: str, entry: str, level: int) -> Machine:
    """The code of a chip, translated for this machine; `level` 0 takes a third of the time that the executor's own takes."""
    program = asm.parse(body, "kernel")
    label = program.kernels[entry].label
    made = translate(program, label, Options())
    return Machine(program, entry, ready=Ready(host(level).object(made.text), made.unknown))


def _amd(kernel: Kernel, args: list[Any], drawn: Drawn, chip: str, level: int) -> None:
    params = list(kernel.params)
    made = simt_device.program(pipeline.gpu(kernel, drawn.block), arch.chip(chip))
    text = device(chip).assembly(made.text)
    machine = _translated(text, made.entry, level)
    slots = [_word(a) for a in args]
    assert len(slots) == len(params)
    kernarg = pack(machine.kernel, slots, drawn.grid, drawn.block, made.dynamic_bytes)
    machine.launch(Launch(drawn.grid, drawn.block, kernarg, [span(a) for a in args if isinstance(a, np.ndarray)], made.dynamic_bytes), 1)


def run(drawn: Drawn, engine: str, args: dict[str, Any], level: int = 1) -> None:
    """Runs a program on an engine, over arrays (in place) and numbers by name."""
    kinds = {name: kind for name, kind, _ in drawn.numbers}
    given = [a if isinstance(a, np.ndarray) else numpy_of(kinds[n]).type(a) for n, a in args.items()]
    chips = {"reference": None, "cpu": None, "reference32": "sm_80", "cpu32": "sm_80"}
    on(drawn, engine.removesuffix("32") if engine in chips else engine, chips.get(engine, engine), given, level)


def on(drawn: Drawn, engine: str, chip: str | None, given: list[Any], level: int = 1) -> None:
    """Runs a program for a chip: on the reference, on the CPU, or executed; over arrays (in place) and NumPy's numbers, in order."""
    plain = [a.item() if isinstance(a, np.generic) else a for a in given]
    with np.errstate(all="ignore"):
        kernel = built(drawn, chip)
        if engine == "reference":
            reference.run(kernel, plain, drawn.grid, drawn.block)
        elif engine == "cpu":
            _native(kernel, given, drawn, level)
        elif engine.startswith("gfx"):
            _amd(kernel, given, drawn, engine, min(level, 1))
        else:
            _ptx(kernel, plain, drawn, engine)


def differences(want: dict[str, Any], got: dict[str, Any]) -> list[tuple[str, tuple[int, ...], Any, Any]]:
    """(array, place, expected, found) of each element whose bits differ; NaNs are alike."""
    found = []
    for name, w in want.items():
        if not isinstance(w, np.ndarray):
            continue
        g = got[name]
        bits = f"u{w.dtype.itemsize}"
        off = w.view(bits) != g.view(bits)
        if w.dtype.kind not in "iub" and off.any():
            with np.errstate(all="ignore"):
                off &= ~(np.isnan(w.astype(np.float64)) & np.isnan(g.astype(np.float64)))
        found += [(name, tuple(map(int, at)), w[tuple(at)], g[tuple(at)]) for at in np.argwhere(off)]
    return found
