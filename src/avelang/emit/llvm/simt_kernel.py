"""The way into the emitter for lanes: a kernel in phase "addresses", with its block's extents, and a target come in; a
`DeviceModule` goes out."""

from __future__ import annotations

import re

from avelang.base.errors import error
from avelang.emit.llvm import simt_choices, simt_memory
from avelang.emit.llvm.simt import DeviceModule, GpuTarget, Simt
from avelang.emit.llvm.simt_flow import CONTROL
from avelang.emit.llvm.simt_ops import RULES
from avelang.emit.llvm.simt_printf import PARAM
from avelang.ir.core import Block, Kernel, walk
from avelang.ir.types import DType, MapType
from avelang.isa.row import ROWS

# What generated code assumes of every pointer argument, in bytes; a launch must check it.
POINTER_ALIGN = 16
# Parameters keep their names, which the metadata shows, unless they look like the names of values and labels.
_CLASHES = re.compile(r"[a-z]*\d+|entry|")


def emit(kernel: Kernel, target: GpuTarget) -> DeviceModule:
    """The module of a kernel. Raises U202 for what the target has no code for, U203 where shared memory is over the
    chip's, V001 on an op that should not have come this far."""
    if kernel.attrs["wave"] != target.chip.wave:
        raise error(
            "U204",
            kernel.span,
            kernel=kernel.name,
            wave=kernel.attrs["wave"],
            target=target.chip.name,
            have=target.chip.wave,
        )
    w = Simt(kernel, target, _block)
    plan = simt_memory.plan(kernel)
    if plan.total > target.chip.lds_bytes:
        raise error(
            "U203",
            kernel.span,
            kernel=kernel.name,
            have=plan.total,
            limit=target.chip.lds_bytes,
            target=target.chip.name,
        )
    w.choices = simt_choices.choices(kernel)
    lines, dynamic = target.shared(w, plan)
    params = _params(w)
    target.begin(w)
    _block(w, kernel.body)
    function = f"define {target.convention} void @{kernel.name}({params}) #0 {{\n{w.body.text()}\n  ret void\n}}"
    text = "\n".join([
        f'target triple = "{target.triple}"', "", *lines, "", w.module.text(target.attributes(w)), function, "",
        *target.tail(w), "",
    ])  # fmt: skip
    sites = tuple(kernel.attrs.get("sites", ()))
    return DeviceModule(
        text, kernel.name, target.chip, w.block, plan.total, dynamic, POINTER_ALIGN, tuple(w.prints), sites,
        kernel.attrs.get("aligned", {}), kernel.attrs.get("whole", {}),
    )  # fmt: skip


def _params(w: Simt) -> str:
    """The parameters: pointers to global memory, scalars as they are, a condition as a byte; the buffer of a kernel
    that prints."""
    out = []
    for i, p in enumerate(w.kernel.params):
        name = f"%arg{i}" if _CLASHES.fullmatch(p.name) else f"%{p.name}"
        if isinstance(p.type, DType):
            flag = p.type.kind == "bool"
            out.append(f"{'i8' if flag else w.type(p.type)} noundef {name}")
            w.env[p] = w.op(f"icmp ne i8 {name}, 0") if flag else name
        elif isinstance(p.type, MapType):
            out.append(w.target.map_param(w, name))
            w.env[p] = name
        else:
            align = w.kernel.attrs.get("aligned", {}).get(p.name, POINTER_ALIGN)
            out.append(f"ptr addrspace(1) noundef align {align} {name}")
            w.env[p] = name
    if any(op.name == "printf" for op in walk(w.kernel.body)):
        out.append(f"ptr addrspace(1) noundef align {POINTER_ALIGN} {PARAM}")
    return ", ".join(out)


def _block(w: Simt, block: Block) -> None:
    """Emits the ops of a block."""
    for op in block.ops:
        w.here = op
        if op.name in CONTROL:
            CONTROL[op.name](w, op)
        elif op.name in RULES or op.name in ROWS:
            text = RULES[op.name](w, op) if op.name in RULES else w.target.row(w, op)
            if op.results:
                if text is None:
                    raise error("V001", op.span, op=op.name, why="has no value")
                w.env[op.result] = text
        elif not op.defn.terminator:
            raise error("V001", op.span, op=op.name, why="has no code on a GPU: it should have been rewritten")
        w.previous = op
