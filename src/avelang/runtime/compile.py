"""A jit function's source, compile-time values, a target and a block come in; IR, LLVM IR, assembly or a loadable
object goes out.

The only module of the runtime that reaches the frontend's builder, the pipeline and the emitters, and it does so only
to compile: a kernel that comes out of the cache on disk needs none of them."""

from __future__ import annotations

import contextlib
import gc
import sys
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from avelang.base import knobs
from avelang.base.errors import error
from avelang.base.garbage import rarer_collections
from avelang.frontend.source import FunctionSource
from avelang.ir.core import Kernel
from avelang.runtime import progress
from avelang.runtime.geometry import Dim3, check_block

if TYPE_CHECKING:
    from avelang.arch import Chip
    from avelang.emit.llvm.simt import DeviceModule

EMITS = ("ir", "llvm", "asm")
# Launch options that code generation for GPUs takes from the kernel's attributes.
# "narrow" is none of users': arguments that begin off 16 bytes, `Parameters.narrow`.
HINTS = ("num_warps", "waves_per_eu", "cluster", "narrow")


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Without Python's search for garbage: a kernel's IR is hundreds of thousands of objects, nearly all of them alive,
    and each search looks at them all. What a compilation leaves is found by the first search after it."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def chip_of(target: str | None) -> Chip | None:
    """The chip that a target names; None for "cpu" or nothing: the frontend infers it from the intrinsics used. Raises
    U101."""
    if target in (None, "", "cpu"):
        return None
    import avelang.arch as arch

    return arch.chip(str(target))


class Built(FunctionSource):
    """A source whose kernel was built already, for one compilation."""

    def __init__(self, source: FunctionSource, kernel: Kernel):
        self.__dict__.update(source.__dict__)
        self.kernel = kernel


def said(kernel: Kernel) -> str:
    """All that a kernel's IR says, with the lines that it comes from: two kernels of one text are the same."""
    from avelang.ir.core import walk
    from avelang.ir.text import print_kernel

    lines = [f"{op.span.file}:{op.span.line}" if op.span is not None else "" for op in walk(kernel.body)]
    return "\n".join((print_kernel(kernel), repr(sorted(kernel.attrs.items(), key=lambda item: item[0])), *lines))


def build(source: FunctionSource, constexprs: Mapping[str, Any], target: str | None,
          block: Dim3 | None = None) -> Kernel:  # fmt: skip
    """The frontend's IR, in phase "tensors", for launches with such blocks."""
    from avelang.frontend.build import build as frontend

    if isinstance(source, Built):
        return source.kernel
    kernel = frontend(source, constexprs, chip_of(target), block)
    if "ir" in knobs.dump():
        from avelang.ir.text import print_kernel

        _show("ir", kernel.name, print_kernel(kernel))
    return kernel


def expected(kernel: Kernel, block: Dim3) -> dict[str, Any]:
    """The expectations of a kernel, as `build` makes it, for launches with such blocks: see `passes.expects`."""
    from avelang.passes.collect_expects import collect

    return collect(kernel, block)


def stored(kernel: Kernel) -> list[str]:
    """Names of the parameters that a kernel, as `build` makes it, stores to."""
    from avelang.passes.writes import written

    return sorted(written(kernel))


def _show(stage: str, name: str, text: str) -> None:
    print(f"; ---- {stage} of {name}\n{text}", file=sys.stderr)


def cpu_text(kernel: Kernel, block: Dim3) -> Any:
    """The `Emitted` LLVM IR of a kernel for the CPU; runs the passes on `kernel` in place."""
    import avelang.pipeline as pipeline
    from avelang.emit.llvm import cpu

    chip = kernel.attrs.get("chip")
    check_block(kernel.name, block, chip_of(chip))
    progress.stage("passes")
    lowered = pipeline.cpu(kernel, block)
    progress.stage("LLVM IR")
    if "passes" in knobs.dump():
        from avelang.ir.text import print_kernel

        _show("passes", kernel.name, print_kernel(lowered))
    with rarer_collections():
        emitted = cpu.emit(lowered)
    if "llvm" in knobs.dump():
        _show("llvm", kernel.name, emitted.text)
    return emitted


def gpu_program(kernel: Kernel, block: Dim3, chip: Chip) -> DeviceModule:
    """The LLVM IR of a kernel for a GPU, with what a launch must know; runs the passes on `kernel` in place."""
    import avelang.pipeline as pipeline
    from avelang.emit.llvm.simt_device import program

    check_block(kernel.name, block, chip)
    progress.stage("passes")
    lowered = pipeline.gpu(kernel, block)
    progress.stage("LLVM IR")
    if "passes" in knobs.dump():
        from avelang.ir.text import print_kernel

        _show("passes", kernel.name, print_kernel(lowered))
    with rarer_collections():
        made = program(lowered, chip)
    if "llvm" in knobs.dump():
        _show("llvm", kernel.name, made.text)
    return made


def _gpu_text(kernel: Kernel, block: Dim3, chip: Chip, emit: str) -> str:
    """LLVM IR, or assembly (PTX for NVIDIA), for a GPU."""
    from avelang.emit.llvm.simt_device import DeviceCompiler

    made = gpu_program(kernel, block, chip)
    return made.text if emit == "llvm" else DeviceCompiler(chip).assembly(made.text)


def _device_program(
    source: FunctionSource, constexprs: Mapping[str, Any], target: str, block: Dim3, options: Mapping[str, Any]
) -> tuple[DeviceModule, dict[str, Any]]:  # fmt: skip
    """The LLVM IR of a launch on a GPU, and what the runtime must know of it: JSON values only."""
    from avelang.ir.dtypes import DType
    from avelang.ir.types import MapType
    from avelang.passes.collect_expects import collect
    from avelang.passes.writes import written

    start = time.perf_counter()
    chip = chip_of(target)
    assert chip is not None
    kernel = build(source, constexprs, target, block)
    kernel.attrs.update({name: options[name] for name in HINTS if name in options})
    kernel.attrs["lines"] = True
    if knobs.check_bounds():
        kernel.attrs["bounds"] = _checks_on(kernel)
    kernel.attrs.update({"uniform": True} if knobs.check_uniform() and chip.vendor == "amd" else {})
    arguments = [(p.name, p.type.name if isinstance(p.type, DType) else "pointer") for p in kernel.params]
    writes, expects = written(kernel), collect(kernel, block)
    made = gpu_program(kernel, block, chip)
    return made, {
        "kind": "kernel", "kernel": kernel.name, "entry": made.entry, "prints": made.prints, "writes": sorted(writes),
        "chip": chip.name,
        "expects": expects,
        "block": list(block), "params": len(arguments), "arguments": arguments,
        "wide": [i for i, p in enumerate(kernel.params) if isinstance(p.type, MapType)],
        "shared_bytes": made.shared_bytes,
        "dynamic_bytes": made.dynamic_bytes, "pointer_align": made.pointer_align, "aligned": made.aligned,
        "whole": made.whole,
        "place": [source.file, kernel.span.line if kernel.span else 0],
        "created": time.time(), "seconds": time.perf_counter() - start,
        **_checked(kernel),
    }  # fmt: skip


def _checks_on(kernel: Kernel) -> str:
    """How lanes of a GPU take a wrong access: "leave": they are over. "skip": they leave the access out and go on, in
    kernels in which others would wait for them for ever: at barriers that count arrivals, or for copies."""
    from avelang.ir.core import walk

    waits = ("nvvm.mbarrier", "nvvm.cluster", "nvvm.wgmma", "nvvm.cp_async_bulk", "nvvm.setmaxnreg", "cluster_")
    counted = any(op.name.startswith(waits) or (op.name == "barrier" and op.operands) for op in walk(kernel.body))
    return "skip" if counted else "leave"


@_uncollected()
def device_assembly(
    source: FunctionSource, constexprs: Mapping[str, Any], target: str, block: Dim3, options: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:  # fmt: skip
    """The assembly of a launch (for the executor; PTX for NVIDIA), and what the runtime must know of it: JSON values
    only."""
    import avelang.arch as arch
    from avelang.emit.llvm.simt_device import DeviceCompiler

    made, meta = _device_program(source, constexprs, target, block, options)
    progress.stage("machine code")
    text = DeviceCompiler(arch.chip(target)).assembly(made.text)
    if "asm" in knobs.dump():
        _show("asm", source.name, text)
    return text, meta


@_uncollected()
def device_object(
    source: FunctionSource, constexprs: Mapping[str, Any], target: str, block: Dim3, options: Mapping[str, Any]
) -> tuple[bytes, dict[str, Any]]:  # fmt: skip
    """A code object that the driver of the target's GPU loads, and what the runtime must know of it: JSON values
    only."""
    import avelang.arch as arch
    from avelang.amdgcn.link import link
    from avelang.emit.llvm.simt_device import DeviceCompiler

    made, meta = _device_program(source, constexprs, target, block, options)
    progress.stage("machine code")
    device = DeviceCompiler(arch.chip(target))
    if "asm" in knobs.dump():
        _show("asm", source.name, device.assembly(made.text))
    return link(device.object(made.text)), meta


@_uncollected()
def cpu_object(
    source: FunctionSource, constexprs: Mapping[str, Any], target: str | None, block: Dim3, cluster: Any = None
) -> tuple[bytes, dict[str, Any]]:
    """An object file with `ave_run`, and what the runtime must know of it: JSON values only."""
    from avelang.ir.core import walk
    from avelang.llvm.core import HostCompiler
    from avelang.passes.collect_expects import collect
    from avelang.passes.writes import written

    start = time.perf_counter()
    kernel = build(source, constexprs, target, block)
    if cluster:
        kernel.attrs["cluster"] = cluster
    if knobs.check_bounds():
        kernel.attrs["bounds"] = "stop"
    kernel.attrs.update({"uniform": True} if knobs.check_uniform() else {})
    prints = any(op.name == "printf" for op in walk(kernel.body))
    writes, expects = written(kernel), collect(kernel, block)
    emitted = cpu_text(kernel, block)
    progress.stage("machine code")
    host = HostCompiler()
    payload = host.object(emitted.text)
    if "asm" in knobs.dump():
        _show("asm", kernel.name, host.assembly(emitted.text))
    meta = {
        "kind": "kernel", "kernel": kernel.name, "entry": emitted.entry, "scratch_bytes": emitted.scratch_bytes,
        "prints": prints, "writes": writes,
        "chip": kernel.attrs.get("chip", ""), "block": list(block), "expects": expects, "created": time.time(),
        "seconds": time.perf_counter() - start, **_checked(kernel),
    }  # fmt: skip
    return payload, meta


def _checked(kernel: Kernel) -> dict[str, Any]:
    """What is kept of a kernel that checks its accesses."""
    return {"sites": kernel.attrs["sites"], "wave": kernel.attrs["wave"]} if "sites" in kernel.attrs else {}


def constants(source: FunctionSource, constexprs: Mapping[str, Any]) -> dict[str, Any]:
    """The compile-time values of a kernel by name, defaults filled in. Raises L006 for those that are missing, L007 for
    those it does not have."""
    from avelang.frontend.names import near
    from avelang.frontend.signature import EMPTY, signature

    specs = {s.name: s for s in signature(source) if s.kind == "constexpr" or s.open is not None}
    unknown = [name for name in constexprs if name not in specs]
    if unknown:
        known = ", ".join(specs) or "none"
        raise error("L007", hint=f"its constexpr parameters: {known}", kernel=source.name, name=unknown[0],
                    near=f" that is known at compile time{near(unknown[0], specs)}", options="")
    values = {name: constexprs.get(name, spec.default) for name, spec in specs.items()}
    missing = [name for name, value in values.items() if value is EMPTY]
    if missing:
        raise error("L006", kernel=source.name, missing=", ".join(missing))
    return values


def compile_code_object(jitted: Any, constexprs: Mapping[str, Any], block: Dim3 = (1, 1, 1),
                        target: str = "gfx942") -> bytes:
    """The code object of a kernel for an AMD GPU, as `hipModuleLoadData` takes it; nothing is run.

    Arguments and errors as of `compile_text`; L009 where the target is no AMD GPU, D020 where there is no linker.
    """
    source: FunctionSource = jitted.source
    chip = chip_of(target)
    if chip is None or chip.vendor != "amd":
        raise error("L009", kernel=source.name, name="emit", want=f"{', '.join(EMITS)} for {target}",
                    got="'hsaco', which is for AMD GPUs")
    return device_object(source, constants(source, constexprs), chip.name, block, {})[0]


@_uncollected()
def compile_text(jitted: Any, constexprs: Mapping[str, Any], block: Dim3 = (1, 1, 1), target: str | None = "cpu",
                 emit: str = "ir") -> str:
    """The kernel's code as text, without running it.

    `jitted`: a jit function; `constexprs`: its compile-time values by name, those with a default may be left out;
    `target`: "cpu" or the name of a chip; `emit`: "ir" (after the frontend), "llvm" (before LLVM's own passes) or
    "asm". Raises what the frontend raises, L006 and L007 for constexprs, U101 for an unknown target, U2 codes for what
    a target cannot do."""
    source: FunctionSource = jitted.source
    if emit not in EMITS:
        raise error("L009", kernel=source.name, name="emit", want=" or ".join(EMITS), got=repr(emit))
    chip = chip_of(target)
    values = constants(source, constexprs)
    kernel = build(source, values, target, block)
    if emit == "ir":
        from avelang.ir.text import print_kernel

        return print_kernel(kernel)
    if chip is not None:
        if chip.vendor == "amd":  # PTX text is for reading, and for the same text on all machines
            kernel.attrs["lines"] = True
        return _gpu_text(kernel, block, chip, emit)
    emitted = cpu_text(kernel, block)
    if emit == "llvm":
        return emitted.text
    from avelang.llvm.core import HostCompiler

    return HostCompiler().assembly(emitted.text)
