"""The NVIDIA target (sm_75 to sm_100a): a kernel in phase "addresses" comes in; LLVM IR for LLVM's NVPTX backend goes
out.

Sources: LLVM, "User Guide for NVPTX Back-end" and IntrinsicsNVVM.td; PTX ISA 9.0 (shfl.sync, vote.sync, barrier); CUDA
C++ Programming Guide, "Technical Specifications per Compute Capability" (48 KB of shared memory that a kernel declares
itself; more comes with the launch). """

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import avelang.arch as arch
from avelang.arch.facts import MAX_BLOCKS
from avelang.emit.llvm import arithmetic, nvptx_atomics, simt_atomics, simt_kernel
from avelang.emit.llvm.nvptx_asm import ChainedBody
from avelang.emit.llvm.nvptx_lines import LinedChain
from avelang.emit.llvm.rows import emit_row
from avelang.emit.llvm.simt import BINARY16, DeviceModule, GpuTarget, SharedLayout, Simt
from avelang.emit.llvm.simt_lanes import constant_of, source_lane
from avelang.emit.llvm.simt_lines import Metadata, marked
from avelang.ir.core import Kernel, Op, walk
from avelang.ir.dtypes import DType
from avelang.ir.types import Type, VecType, dtype_of
from avelang.isa.lowering import SETS_REGISTERS, has_mark

TRIPLE = "nvptx64-nvidia-cuda"
STATIC_SHARED = 48 * 1024  # bytes
WHOLE = 31  # the clamp of a shuffle that may reach all of its segment
SPECIAL = {"thread_id": "tid", "block_id": "ctaid", "grid_dim": "nctaid"}
WIDENED = {"f8e4m3fn": "e4m3", "f8e5m2": "e5m2"}  # 8-bit floats that sm_89 and newer turn into f16

# Passes over LLVM IR. Of what comes out ptxas makes as many instructions as of what -O3 gives (measured on kernels with
# mma.sync, with wgmma, and softmax), in two fifths of its time: sums of addresses must stand as they can be shared;
# what loops repeat, ptxas moves out itself.
PASSES = (
    "sroa",
    "instruction_combine",
    "simplify_cfg",
    "reassociate",
    "new_gvn",
    "instruction_combine",
    "simplify_cfg",
)


def features(chip: arch.Chip) -> str:
    """The feature string of LLVM's target machine."""
    return f"+ptx{chip.ptx}"


class Nvptx(GpuTarget):
    """LLVM's NVPTX backend for one chip."""

    convention = "ptx_kernel"
    triple = TRIPLE
    split_members = True
    device_scope = ' syncscope("device")'
    scopes = ("block", "device", "", "cluster")

    def __init__(self, chip: arch.Chip, lines: Metadata | None = None):
        super().__init__(chip)
        self.lines = lines
        if "sm_80" in chip.features:
            self.native_narrow = self.native_fma = frozenset(BINARY16)

    def attributes(self, w: Simt) -> str:
        """Extents of the block and the cluster."""
        cluster = w.kernel.attrs.get("cluster")
        clusters = f' "nvvm.cluster_dim"="{",".join(map(str, cluster))}"' if cluster else ""
        # ptxas heeds setmaxnreg only where it knows how many registers a thread begins with: as many as one block
        # leaves each.
        once = (
            ' "nvvm.minctasm"="1"' if any(has_mark(op, "nvptx", SETS_REGISTERS) for op in walk(w.kernel.body)) else ""
        )
        return f'nounwind "nvvm.reqntid"="{",".join(map(str, w.block))}"{clusters}{once}'

    def begin(self, w: Simt) -> None:
        """The last warp of a block that is no multiple of a warp has fewer lanes."""
        w.body = LinedChain(w, self.lines) if self.lines is not None else ChainedBody(w)
        rest = w.threads % w.wave
        if not rest:
            return
        linear = self._linear(w)
        last = w.op(f"icmp uge i32 {linear}, {w.threads - rest}")
        w.members = w.op(f"select i1 {last}, i32 {(1 << rest) - 1}, i32 -1")

    def map_param(self, w: Simt, name: str) -> str:
        """By value, where copies can look at it (CUDA's __grid_constant__)."""
        if "sm_90" not in self.chip.features:
            return super().map_param(w, name)
        return f'ptr byval([128 x i8]) align 64 "nvvm.grid_constant" {name}'

    def shared(self, w: Simt, plan: SharedLayout) -> tuple[list[str], int]:
        """Up to 48 KB are the kernel's own; more are one block that the launch provides."""
        if plan.total <= STATIC_SHARED:
            return super().shared(w, plan)
        for op, _, _, offset in plan.allocations:
            w.shared[op] = f"getelementptr (i8, ptr addrspace(3) @shared, i32 {offset})" if offset else "@shared"
        return ["@shared = external addrspace(3) global [0 x i8], align 1024"], plan.total

    # -- ids -----------------------------------------------------------------------------------------------------------

    def index(self, w: Simt, op: Op) -> str:
        """`thread_id`, `block_id` or `grid_dim`, by special registers."""
        dim = op.attrs["dim"]
        end = w.block[dim] if op.name == "thread_id" else MAX_BLOCKS[dim] + (op.name == "grid_dim")
        return w.ranged(f"llvm.nvvm.read.ptx.sreg.{SPECIAL[op.name]}.{'xyz'[dim]}", end)

    def _linear(self, w: Simt) -> str:
        """The thread's number in its block."""
        x, y, z = (
            w.ranged(f"llvm.nvvm.read.ptx.sreg.tid.{axis}", n) if n > 1 else "0"
            for axis, n in zip("xyz", w.block, strict=True)
        )
        upper = w.op(f"add i32 {w.op(f'mul i32 {z}, {w.block[1]}')}, {y}")
        return w.op(f"add i32 {w.op(f'mul i32 {upper}, {w.block[0]}')}, {x}")

    def lane(self, w: Simt) -> str:
        """The lane, from the thread's number where a block is one row."""
        bx, by, bz = w.block
        if by == bz == 1:
            x = w.ranged("llvm.nvvm.read.ptx.sreg.tid.x", bx)
            return x if bx <= w.wave else w.op(f"and i32 {x}, {w.wave - 1}")
        return w.ranged("llvm.nvvm.read.ptx.sreg.laneid", w.wave)

    # -- lanes together ------------------------------------------------------------------------------------------------

    def count(self, w: Simt, cond: str) -> str:
        """A ballot of the lanes that are here, an i32."""
        return w.call("llvm.nvvm.vote.ballot.sync", "i32", ("i32", w.members or "-1"), ("i1", cond))

    def shuffle(self, w: Simt, op: Op, word: str) -> str:
        """shfl.sync among the lanes that are here."""
        kind, width, offset = op.attrs["kind"], op.attrs["width"], op.operands[1]
        known = constant_of(offset)
        if kind == "idx" or known is None or known < 0:
            return self._shuffle(w, "idx", word, source_lane(w, kind, width, offset), WHOLE)
        if known >= width or not known:
            return word
        segment = (w.wave - width) << 8
        if kind == "xor":
            return self._shuffle(w, "bfly", word, str(known), WHOLE)
        return self._shuffle(w, kind, word, str(known), segment | (WHOLE if kind == "down" else 0))

    def _shuffle(self, w: Simt, mode: str, word: str, by: str, clamp: int) -> str:
        members = ("i32", w.members or "-1")
        return w.call(
            f"llvm.nvvm.shfl.sync.{mode}.i32", "i32", members, ("i32", word), ("i32", by), ("i32", str(clamp))
        )

    def ballot(self, w: Simt, cond: str) -> str:
        """vote.sync.ballot, as an i64."""
        return w.op(f"zext i32 {self.count(w, cond)} to i64")

    def first(self, w: Simt, word: str) -> str:
        """The first active lane's word."""
        lane = w.call("llvm.cttz.i32", "i32", ("i32", w.members), ("i1", "true")) if w.members else "0"
        return self._shuffle(w, "idx", word, lane, WHOLE)

    def barrier(self, w: Simt, op: Op) -> None:
        """bar.sync 0; without .aligned where lanes of a warp may have parted."""
        w.call(f"llvm.nvvm.barrier.cta.sync{'' if w.parted else '.aligned'}.all", "void", ("i32", "0"))

    def leave(self, w: Simt) -> None:
        """The lane ends, by `exit`."""
        w.call("llvm.nvvm.exit", "void")

    # -- memory --------------------------------------------------------------------------------------------------------

    def atomic(self, w: Simt, op: Op, pointer: str) -> str | None:
        """`atom`, with the scope and the order that the op has."""
        if "scope" in op.attrs:
            return nvptx_atomics.emit(w, op, pointer)
        values, place = op.operands[:-2], op.operands[-2]
        d, kind, at = dtype_of(op.result.type), simt_atomics.kind_of(op), f"{w.type(place.type)} {pointer}"
        if isinstance(op.result.type, VecType) or d.bits < 32:
            raise w.refuse("atomic addition works on 32 and 64 bits")
        kind = "fadd" if d.is_float else kind
        got = w.op(arithmetic.atomic(kind, d, at, [w.value(v) for v in values], self.device_scope))
        return w.op(f"extractvalue {{ {w.type(op.result.type)}, i1 }} {got}, 0") if kind == "cas" else got

    def swap(self, w: Simt, op: Op, pointer: str, now: str, new: str) -> str | None:
        """`atom.cas.b16`."""
        return nvptx_atomics.swap(w, op, pointer, now, new)

    # -- the rest ------------------------------------------------------------------------------------------------------

    def widen(self, w: Simt, t: Type, x: str) -> str | None:
        """Two at a time, by way of f16, which holds them all. The other way there is no instruction: those to 8 bits
        saturate."""
        name = WIDENED.get(dtype_of(t).name) if "fp8-ocp" in self.chip.features else None
        if name is None:
            return None
        n = t.n if isinstance(t, VecType) else 1
        halves: list[str] = []
        for word in w.words(x, t):
            for shift in (0, 16):
                if len(halves) < n:
                    pair = w.op(f"trunc i32 {w.op(f'lshr i32 {word}, {shift}') if shift else word} to i16")
                    both = w.call(f"llvm.nvvm.{name}x2.to.f16x2.rn", "<2 x half>", ("i16", pair))
                    halves += [w.op(f"extractelement <2 x half> {both}, i64 {i}") for i in (0, 1)]
        if not isinstance(t, VecType):
            return w.op(f"fpext half {halves[0]} to float")
        return w.op(f"fpext <{n} x half> {w.vector(halves[:n], 'half')} to <{n} x float>")

    def function(self, name: str) -> Callable[[Simt, DType, str], str] | None:
        """The approximate instructions of f32 that are exact enough."""
        return _FUNCTIONS.get(name)

    def row(self, w: Simt, op: Op) -> str | None:
        """An intrinsic, as its row spells it for LLVM's NVPTX backend."""
        return emit_row(w, op, "nvptx")


def _approximate(name: str) -> Callable[[Simt, DType, str], str]:
    def rule(w: Simt, d: DType, x: str) -> str:
        return w.call(f"llvm.nvvm.{name}.approx.f", "float", ("float", x))

    return rule


# Both are right to two units in the last place over the whole range, subnormal numbers included (PTX ISA, ex2, rsqrt).
_FUNCTIONS = {"exp2": _approximate("ex2"), "rsqrt": _approximate("rsqrt")}
NATIVE_FUNCTIONS = frozenset(_FUNCTIONS)


def emit(kernel: Kernel, chip: arch.Chip) -> DeviceModule:
    """The module of a kernel for an NVIDIA chip, with line information where its attributes ask for `lines`; errors as
    `simt_kernel.emit`."""
    if not kernel.attrs.get("lines"):
        return simt_kernel.emit(kernel, Nvptx(chip))
    metadata = Metadata(kernel)
    made = simt_kernel.emit(kernel, Nvptx(chip, metadata))
    return dataclasses.replace(made, text=marked(made.text, kernel.name, metadata) + metadata.text())
