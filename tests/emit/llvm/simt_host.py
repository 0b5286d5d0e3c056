"""Runs what the emitter for lanes writes on this machine's processor, one thread after another: arithmetic, control
flow and memory are the same text on every GPU, so they can be held against the reference without one. What lanes do
together is refused here."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from avelang import arch, pipeline
from avelang.emit.llvm import simt_kernel
from avelang.emit.llvm.simt import GpuTarget, Simt
from avelang.ir.core import Kernel
from avelang.ir.dtypes import DType
from avelang.llvm.core import HostCompiler

HOST = HostCompiler()
# Never freed: in a garbage cycle a context of its own could go before the engine that uses it.
CONTEXT = llvm.create_context()
SPECIAL = ("thread_id", "block_id", "grid_dim")


class HostTarget(GpuTarget):
    """Ids come from the global `ids`: three each of thread, block and grid."""

    triple = HOST.triple
    native_fma = frozenset()  # this machine has none: LLVM would call a library

    def attributes(self, w: Simt) -> str:
        return "nounwind"

    def tail(self, w: Simt) -> list[str]:
        return ["@ids = global [9 x i32] zeroinitializer, align 16"]

    def _id(self, w: Simt, which: int) -> str:
        place = w.op(f"getelementptr i32, ptr @ids, i64 {which}")
        return w.op(f"load i32, ptr {place}, align 4")

    def index(self, w, op):
        return self._id(w, 3 * SPECIAL.index(op.name) + op.attrs["dim"])

    def lane(self, w):
        x, y, z = (self._id(w, i) for i in range(3))
        upper = w.op(f"add i32 {w.op(f'mul i32 {z}, {w.block[1]}')}, {y}")
        row = w.op(f"mul i32 {upper}, {w.block[0]}")
        return w.op(f"and i32 {w.op(f'add i32 {row}, {x}')}, {w.wave - 1}")

    def shuffle(self, w, op, word):
        raise w.refuse()

    def ballot(self, w, cond):
        raise w.refuse()

    def first(self, w, word):
        return word  # threads run one by one

    def barrier(self, w, op):
        raise w.refuse()

    def row(self, w, op):
        raise w.refuse()

    def atomic_add(self, w, value, place, pointer, scope):
        raise w.refuse()

    def atomic(self, w, op, pointer):
        raise w.refuse()


class OnHost:
    """A loaded kernel, from IR in phase "tensors"."""

    def __init__(self, kernel: Kernel, block: tuple[int, int, int]):
        self.kernel, self.block = kernel, block
        kernel.attrs["chip"] = kernel.attrs["chip"] or "gfx942"
        for _, run, _ in pipeline.gpu_passes(kernel, block, "host", frozenset()):
            run(kernel)
        chip = arch.chip(kernel.attrs["chip"])
        self.program = simt_kernel.emit(kernel, HostTarget(chip))
        self.text = self.program.text + _wrapper(kernel, bool(self.program.prints))
        self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly("", CONTEXT), HOST.target_machine())
        self.engine.add_object_file(llvm.ObjectFileRef.from_data(HOST.object(self.text)))
        self.engine.finalize_object()
        self.entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.engine.get_function_address("run"))
        self.ids = (ctypes.c_uint32 * 9).from_address(self.engine.get_global_value_address("ids"))

    def run(
        self, args: Sequence[Any], grid: tuple[int, int, int] = (1, 1, 1), printed: np.ndarray | None = None
    ) -> None:
        slots = np.zeros(len(args) + 1, np.uint64)
        slots[-1] = printed.ctypes.data if printed is not None else 0
        for i, (p, a) in enumerate(zip(self.kernel.params, args, strict=True)):
            if isinstance(p.type, DType):
                raw = np.array(a, p.type.np).tobytes()
                slots[i : i + 1].view(np.uint8)[: len(raw)] = np.frombuffer(raw, np.uint8)
            else:
                assert a.ctypes.data % simt_kernel.POINTER_ALIGN == 0
                slots[i] = a.ctypes.data
        self.ids[6:9] = grid
        for place in itertools.product(*(range(n) for n in (*grid[::-1], *self.block[::-1]))):
            bz, by, bx, z, y, x = place
            self.ids[0:6] = (x, y, z, bx, by, bz)
            self.entry(slots.ctypes.data)


def _wrapper(kernel: Kernel, prints: bool) -> str:
    """`run(args)`: loads each argument from its slot of eight bytes; the last is the buffer of a kernel that prints."""
    from avelang.llvm.literals import elem

    lines, given = [], []
    for i, t in enumerate((*(p.type for p in kernel.params), *((None,) if prints else ()))):
        t = ("i8" if t.kind == "bool" else elem(t)) if isinstance(t, DType) else "ptr addrspace(1)"
        lines += [f"  %p{i} = getelementptr i64, ptr %args, i64 {i}", f"  %a{i} = load {t}, ptr %p{i}, align 8"]
        given.append(f"{t} %a{i}")
    return "\n".join([
        "define void @run(ptr %args) {", *lines, f"  call void @{kernel.name}({', '.join(given)})", "  ret void", "}",
        ""
    ])  # fmt: skip


def aligned(shape: Any, dtype: Any) -> np.ndarray:
    """Zeros at an address that launches accept."""
    n = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(n + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + n].view(dtype).reshape(shape)
