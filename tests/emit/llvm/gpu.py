"""What the tests of the GPU emitters share: a kernel's program, its assembly, and what is counted in it."""

from __future__ import annotations

import collections
import functools
import re
from typing import Any

from avelang import arch, pipeline
from avelang.emit.llvm import simt_device
from avelang.emit.llvm.simt import DeviceModule
from avelang.frontend.build import build
from avelang.ir.core import Kernel

Block = tuple[int, int, int]


def lowered(kernel: Any, chip: str, block: Block = (64, 1, 1), **constexprs: Any) -> Kernel:
    """A jit function (or IR in phase "tensors") behind the passes."""
    k = kernel if isinstance(kernel, Kernel) else build(kernel.source, constexprs, arch.chip(chip))
    return pipeline.gpu(k, block)


def program(kernel: Any, chip: str, block: Block = (64, 1, 1), **constexprs: Any) -> DeviceModule:
    return simt_device.program(lowered(kernel, chip, block, **constexprs), arch.chip(chip))


@functools.cache
def device(chip: str) -> simt_device.DeviceCompiler:
    return simt_device.DeviceCompiler(arch.chip(chip))


def assembly(kernel: Any, chip: str, block: Block = (64, 1, 1), **constexprs: Any) -> str:
    return device(chip).assembly(program(kernel, chip, block, **constexprs).text)


def code(text: str) -> str:
    """The instructions alone: without directives, metadata and the rest."""
    return "\n".join(line for line in text.splitlines() if re.match(r"\t[a-z_]|\.L|\$L|[a-z_]+:", line))


def counts(text: str) -> collections.Counter[str]:
    """How often each mnemonic stands in AMD assembly."""
    return collections.Counter(re.findall(r"^\t([a-z]\w+)", text, re.M))


def metadata(text: str, name: str) -> int:
    """A number of the code object's metadata."""
    found = re.search(rf"^\s+\.{name}:\s+(\d+)", text, re.M)
    assert found, name
    return int(found[1])


def lane_loops(text: str) -> int:
    """Loops over the lanes of a wave, which LLVM builds where a scalar operand differs by lane: what is run again while
    lanes are left reads the first lane's value."""
    found = 0
    for branch in re.finditer(r"^\ts_cbranch_execnz (\.LBB\w+)$", text, re.M):
        start = text.find(f"\n{branch[1]}:")
        found += 0 <= start < branch.start() and "v_readfirstlane" in text[start : branch.start()]
    return found
