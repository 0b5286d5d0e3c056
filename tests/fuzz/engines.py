"""The engines: a drawn program comes in, the arrays that each of them leaves go out.

Each runs what users run: the frontend, the passes and the emitters, LLVM at the levels that ship, and the executors of the code that comes out.
"""

from __future__ import annotations

import ctypes
import functools
import linecache
import sys
from typing import Any

import numpy as np

from avelang import arch, pipeline
from avelang.amdgcn import asm
from avelang.emit.llvm import cpu, simt_device
from avelang.frontend.build import build
from avelang.ir.core import Kernel
from avelang.ir.types import MapType
from avelang.llvm.core import HostCompiler
from avelang.llvm.engine import LoadedCode
from avelang.runtime.tensor_maps import words
from avelang.sim import reference
from avelang.sim.amdgcn.arguments import pack, span
from avelang.sim.amdgcn.machine import AmdMachine, DispatchParams, Ready
from avelang.sim.amdgcn.program import translate
from avelang.sim.amdgcn.translator import Options
from fuzz.drawn import CONSTEXPR, Drawn, numpy_of
from fuzz.numbers import KINDS

Three = tuple[int, int, int]
NAMES = ("reference", "cpu", "cpu32", "gfx942", "gfx950", "sm_80", "sm_90a")
WAVES = {"reference": 64, "cpu": 64, "gfx942": 64, "gfx950": 64, "cpu32": 32, "sm_80": 32, "sm_90a": 32, "reference32": 32, "gpu": 32}


@functools.cache
def host(level: int) -> HostCompiler:
    return HostCompiler(level)


@functools.cache
def device(chip: str) -> simt_device.DeviceCompiler:
    return simt_device.DeviceCompiler(arch.chip(chip))


def load(text: str, name: str = "kernel") -> Any:
    """The kernel of a text that stands in no file."""
    file = "<drawn program>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    held: dict[str, Any] = {"__name__": "drawn", "__file__": file}
    exec(compile(text, file, "exec", dont_inherit=True), held)  # noqa: S102 - text that was drawn here
    return held[name]


def built(drawn: Drawn, chip: str | None) -> Kernel:
    constants = {name: value for name, kind, value in drawn.numbers if kind == CONSTEXPR}
    return build(load(drawn.text).source, constants, arch.chip(chip) if chip else None)


def _word(a: Any) -> int:
    """An argument as the launch hands it on."""
    return a.ctypes.data if isinstance(a, np.ndarray) else int.from_bytes(a.tobytes(), "little")


def _native(kernel: Kernel, args: list[Any], drawn: Drawn, level: int) -> None:
    types = [p.type for p in kernel.params]
    emitted = cpu.emit(pipeline.cpu(kernel, drawn.block))
    code = LoadedCode(host(level).object(emitted.text))
    run = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 2, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)(code.address(emitted.entry))
    maps = [words(t, a.ctypes.data, a.shape, a.strides) if isinstance(t, MapType) else None for t, a in zip(types, args, strict=True)]
    slots = np.array([_word(a) if m is None else ctypes.addressof(m) for m, a in zip(maps, args, strict=True)], np.uint64)
    scratch = np.zeros(emitted.scratch_bytes + 64, np.uint8)
    grid = np.array((*drawn.grid, *[0] * 5), np.uint32)  # and the launch's word and function, of which nothing is asked
    status = run(slots.ctypes.data, grid.ctypes.data, 0, int(np.prod(drawn.grid)), -(-scratch.ctypes.data // 64) * 64)
    assert status == 0, f"the CPU's code returned {status}"


def _ptx(kernel: Kernel, args: list[Any], drawn: Drawn, chip: str) -> None:
    from sim.ptx.executed import Executed

    Executed(kernel, drawn.block, chip).run(args, drawn.grid)


@functools.lru_cache(2)
def _translated(body: str, entry: str, level: int) -> AmdMachine:
    """The code of a chip, translated for this machine; `level` 0 takes a third of the time that the executor's own takes."""
    program = asm.parse(body, "kernel")
    label = program.kernels[entry].label
    made = translate(program, label, Options())
    return AmdMachine(program, entry, ready=Ready(host(level).object(made.text), made.unknown))


def _amd(kernel: Kernel, args: list[Any], drawn: Drawn, chip: str, level: int) -> None:
    params = list(kernel.params)
    made = simt_device.program(pipeline.gpu(kernel, drawn.block), arch.chip(chip))
    text = device(chip).assembly(made.text)
    machine = _translated(text, made.entry, level)
    slots = [_word(a) for a in args]
    assert len(slots) == len(params)
    kernarg = pack(machine.kernel, slots, drawn.grid, drawn.block, made.dynamic_bytes)
    machine.launch(DispatchParams(drawn.grid, drawn.block, kernarg, [span(a) for a in args if isinstance(a, np.ndarray)], made.dynamic_bytes), 1)


TORCH = {"f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
         "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz", "u1": "bool", "u8": "uint8"}  # fmt: skip


def _gpu(drawn: Drawn, args: dict[str, Any]) -> None:
    """On the GPU that torch knows of, launched as users do. torch's integers are signed: kernels take them for their unsigned ones."""
    import torch

    kinds = {name: kind for name, kind, _ in drawn.arrays}
    given: dict[str, Any] = dict(args)
    for name, kind in kinds.items():
        held = getattr(torch, TORCH.get(kind, f"int{KINDS[kind].bits}"))
        raw = torch.from_numpy(args[name].reshape(-1).view(np.uint8).copy()).cuda()
        given[name] = raw.view(held).reshape(args[name].shape)
    load(drawn.text)[drawn.grid, drawn.block](**given)
    torch.cuda.synchronize()
    for name in kinds:
        args[name].reshape(-1).view(np.uint8)[:] = given[name].reshape(-1).view(torch.uint8).cpu().numpy()


def lost() -> bool:
    """Whether CUDA is of no more use in this process: an access outside of memory on the GPU ends all."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return False
    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


def run(drawn: Drawn, engine: str, args: dict[str, Any], level: int = 1) -> None:
    """Runs a program on an engine, over arrays (in place) and numbers by name."""
    if engine == "gpu":
        return _gpu(drawn, args)
    kinds = {name: kind for name, kind, _ in drawn.numbers}
    given = [a if isinstance(a, np.ndarray) else numpy_of(kinds[n]).type(a) for n, a in args.items() if kinds.get(n) != CONSTEXPR]
    chips = {"reference": None, "cpu": None, "reference32": "sm_80", "cpu32": "sm_80"}
    on(drawn, engine.removesuffix("32") if engine in chips else engine, chips.get(engine, engine), given, level)


def on(drawn: Drawn, engine: str, chip: str | None, given: list[Any], level: int = 1, kernel: Kernel | None = None) -> None:
    """Runs a program for a chip: on the reference, on the CPU, or executed; over arrays (in place) and NumPy's numbers, in order. `kernel`: its IR, where it is built."""
    plain = [a.item() if isinstance(a, np.generic) else a for a in given]
    with np.errstate(all="ignore"):
        kernel = kernel or built(drawn, chip)
        if engine == "reference":
            reference.run(kernel, plain, drawn.grid, drawn.block)
        elif engine == "cpu":
            _native(kernel, given, drawn, level)
        elif engine.startswith("gfx"):
            _amd(kernel, given, drawn, engine, min(level, 1))
        else:
            _ptx(kernel, plain, drawn, engine)


# How many numbers of its dtype a result of `names.FUNCTIONS` may be away: docs/language.md says two units in the last place, and one or one and a half of
# f64, where the judge's own functions may be off by one.
STEPS = {"f64": 3}
LOOSE = "u_"  # names of the arrays that hold such results


def _steps(a: np.ndarray) -> np.ndarray:
    """Numbers counted in their order, both zeros alike."""
    bits = a.view(f"i{a.dtype.itemsize}").astype(object)
    return np.where(bits < 0, -(bits & (1 << 8 * a.dtype.itemsize - 1) - 1), bits)


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
        if name.startswith(LOOSE) and off.any():
            near = np.abs(_steps(w[off]) - _steps(g[off])) <= STEPS.get(name.removeprefix(LOOSE), 2)
            off[off] = ~(near & ~np.isnan(w[off].astype(np.float64)) & ~np.isnan(g[off].astype(np.float64))).astype(bool)
        found += [(name, tuple(map(int, at)), w[tuple(at)], g[tuple(at)]) for at in np.argwhere(off)]
    return found
