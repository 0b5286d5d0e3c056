"""The pipeline: which passes run for which target, in order. A kernel in phase "tensors" comes in, one ready for `emit` goes out."""

from __future__ import annotations

from collections.abc import Callable

import avelang.arch as arch
from avelang.base import knobs
from avelang.ir.core import Kernel
from avelang.ir.verify import verify
from avelang.passes.addresses import addresses
from avelang.passes.expand import expand
from avelang.passes.forward import forward
from avelang.passes.simplify import dead, simplify
from avelang.passes.specialize import specialize
from avelang.passes.uniformity import uniformity

Pass = tuple[str, Callable[[Kernel], None], str]


def cpu_passes(kernel: Kernel, block: tuple[int, int, int]) -> list[Pass]:
    """The passes of the CPU backend: name, function, and the phase of the IR that the pass leaves."""
    chip = kernel.attrs.get("chip")
    features = arch.chip(chip).features if chip else frozenset()
    return [
        ("specialize", lambda k: specialize(k, block), "tensors"),
        # Dense matrix instructions are executed from their fragment maps; every other row is spelled in primitive ops.
        ("expand", lambda k: expand(k, lambda row: row.mma is not None and row.expand is None, features), "tensors"),
        ("simplify", simplify, "tensors"),
        ("addresses", addresses, "addresses"),
        ("simplify", simplify, "addresses"),
        ("forward", forward, "addresses"),
        ("dead", dead, "addresses"),
        ("uniformity", uniformity, "addresses"),
    ]


def cpu(kernel: Kernel, block: tuple[int, int, int]) -> Kernel:
    """Runs the passes of the CPU backend on `kernel`, in place, for blocks of this extent; verifies between them when AVE_CHECK=ir."""
    check = knobs.check_ir()
    for _, run, phase in cpu_passes(kernel, block):
        run(kernel)
        if check:
            verify(kernel, phase)
    return kernel
