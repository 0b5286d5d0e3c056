"""The pipeline: which passes run for which target, in order. A kernel in phase "tensors" comes in, one ready for `emit`
goes out."""

from __future__ import annotations

from collections.abc import Callable

import avelang.arch as arch
from avelang.base import knobs
from avelang.base.garbage import rarer_collections
from avelang.ir.core import Kernel, Value
from avelang.ir.functions import EXPANDED
from avelang.ir.verify import verify
from avelang.passes.addresses import addresses
from avelang.passes.alignment import alignment
from avelang.passes.divergent import divergent
from avelang.passes.expand_math import expand_math
from avelang.passes.forward import forward
from avelang.passes.lower_rows import lower_rows
from avelang.passes.op_functions import functions, often
from avelang.passes.reuse import reuse
from avelang.passes.simplify import dead, simplify
from avelang.passes.specialize import specialize
from avelang.passes.uniformity import uniformity
from avelang.passes.unroll import unroll

# Functions of f32 that the CPU emitter has instructions for.
CPU_FUNCTIONS = frozenset({"rsqrt"})
# Where these stand in a kernel more often than so, the CPU calls a function for each: rows with range checks, which are
# branches and loops, and mathematical functions of f32.
CPU_CALLED = {f"amdgpu.raw_buffer_load_x{n}": 4 for n in (1, 2, 4)} | dict.fromkeys(EXPANDED - CPU_FUNCTIONS, 2)

Pass = tuple[str, Callable[[Kernel], None], str]


def checks(kernel: Kernel) -> list[Pass]:
    """The pass that adds checks of bounds, where the kernel's attributes ask for it."""
    how = kernel.attrs.get("bounds")
    if not how:
        return []
    from avelang.passes.bounds_checks import bounds

    return [("bounds", lambda k: bounds(k, how == "skip", how in ("skip", "leave")), "tensors"),
            ("simplify", simplify, "tensors")]


def alike(kernel: Kernel) -> list[Pass]:
    """The pass that adds checks of operands that must be uniform, where the kernel's attributes ask for it: rows are
    there still."""
    if not kernel.attrs.get("uniform"):
        return []
    from avelang.passes.bounds_checks import bounds

    device = kernel.attrs.get("bounds") in ("skip", "leave")
    return [("uniform", lambda k: bounds(k, kernel.attrs.get("bounds") == "skip", device, operands=True), "tensors")]


def cpu_passes(kernel: Kernel, block: tuple[int, int, int]) -> list[Pass]:
    """The passes of the CPU backend: name, function, and the phase of the IR that the pass leaves."""
    chip = kernel.attrs.get("chip")
    features = arch.chip(chip).features if chip else frozenset()
    # Checks are of each access.
    checked = bool(kernel.attrs.get("bounds") or kernel.attrs.get("uniform"))
    called: set[str] = set()

    def call(k: Kernel) -> None:
        names = (n for n in CPU_CALLED if not (checked and n.startswith("amdgpu.")))
        called.update(*(often(k, [n], CPU_CALLED[n]) for n in names))

    def rows(k: Kernel) -> None:
        call(k)
        # Dense matrix instructions are executed from their fragment maps; others are spelled in primitive ops.
        lower_rows(k, lambda row: (row.mma is not None and row.lower is None) or row.name in called, features)

    def math(k: Kernel) -> None:
        call(k)
        expand_math(k, CPU_FUNCTIONS, called)

    return [
        ("specialize", lambda k: specialize(k, block), "tensors"),
        ("divergent", divergent, "tensors"),
        *alike(kernel),
        ("lower_rows", rows, "tensors"),
        ("simplify", simplify, "tensors"),
        *checks(kernel),
        ("addresses", addresses, "addresses"),
        ("simplify", simplify, "addresses"),
        ("forward", forward, "addresses"),
        ("dead", dead, "addresses"),
        ("reuse", reuse, "addresses"),
        # In vectors of lanes; of f64 the C library is called, lane by lane.
        ("expand_math", math, "addresses"),
        ("simplify", simplify, "addresses"),
        ("uniformity", uniformity, "addresses"),
        ("functions", lambda k: functions(k, called, lambda f, varying: _expanded(f, varying, features)), "addresses"),
    ]


def _expanded(function: Kernel, varying: list[Value], features: frozenset[str]) -> None:
    """Runs the passes of the CPU backend on what ops of one kind do."""
    lower_rows(function, lambda row: False, features)
    simplify(function)
    expand_math(function, CPU_FUNCTIONS)
    simplify(function)
    uniformity(function, varying)


def gpu_passes(kernel: Kernel, block: tuple[int, int, int], target: str, native: frozenset[str]) -> list[Pass]:
    """The passes of the GPU backends: `target` is what rows call it in `Row.llvm`; `native` are the functions of f32
    that it has."""
    features = arch.chip(kernel.attrs["chip"]).features
    return [
        ("specialize", lambda k: specialize(k, block), "tensors"),
        ("divergent", divergent, "tensors"),
        *alike(kernel),
        ("lower_rows", lambda k: lower_rows(k, lambda row: target in row.llvm, features), "tensors"),
        ("simplify", simplify, "tensors"),
        # A lane's own memory is registers, which have no addresses: what loops choose there must be constant.
        ("unroll", unroll, "tensors"),
        ("simplify", simplify, "tensors"),
        *checks(kernel),
        ("addresses", addresses, "addresses"),
        ("simplify", simplify, "addresses"),
        ("forward", forward, "addresses"),
        ("dead", dead, "addresses"),
        ("expand_math", lambda k: expand_math(k, native), "addresses"),
        ("simplify", simplify, "addresses"),
        ("alignment", alignment, "addresses"),
        ("uniformity", uniformity, "addresses"),
    ]


def amdgpu_passes(kernel: Kernel, block: tuple[int, int, int]) -> list[Pass]:
    """The passes for AMD GPUs."""
    from avelang.emit.llvm.amdgpu import NATIVE_FUNCTIONS

    return gpu_passes(kernel, block, "amdgpu", NATIVE_FUNCTIONS)


def nvptx_passes(kernel: Kernel, block: tuple[int, int, int]) -> list[Pass]:
    """The passes for NVIDIA GPUs."""
    from avelang.emit.llvm.nvptx import NATIVE_FUNCTIONS

    return gpu_passes(kernel, block, "nvptx", NATIVE_FUNCTIONS)


def gpu(kernel: Kernel, block: tuple[int, int, int]) -> Kernel:
    """Runs the passes for the GPU that `kernel` names as its chip, in place; verifies between them when
    AVE_CHECK=ir."""
    passes = amdgpu_passes if arch.chip(kernel.attrs["chip"]).vendor == "amd" else nvptx_passes
    return _run(kernel, passes(kernel, block))


def cpu(kernel: Kernel, block: tuple[int, int, int]) -> Kernel:
    """Runs the passes of the CPU backend on `kernel`, in place, for blocks of this extent; verifies between them when
    AVE_CHECK=ir."""
    return _run(kernel, cpu_passes(kernel, block))


def _run(kernel: Kernel, passes: list[Pass]) -> Kernel:
    check = knobs.check_ir()
    with rarer_collections():
        for _, run, phase in passes:
            run(kernel)
            if check:
                verify(kernel, phase)
    return kernel
