"""The AMD target (gfx90a, gfx942, gfx950): a kernel in phase "addresses" comes in; LLVM IR for LLVM's AMDGPU backend
goes out.

Sources: LLVM, "User Guide for AMDGPU Backend" (intrinsics, attributes, memory model, code object v5); AMD CDNA3 ISA
guide. No inline assembly: the LLVM that comes with llvmlite has no parser for it. """

from __future__ import annotations

import dataclasses

import avelang.arch as arch
from avelang.arch.facts import MAX_BLOCKS
from avelang.emit.llvm import amdgpu_fp8, arithmetic, simt_atomics, simt_kernel
from avelang.emit.llvm.rows import emit_row
from avelang.emit.llvm.simt import BINARY16, DeviceModule, GpuTarget, Simt
from avelang.emit.llvm.simt_lanes import constant_of, source_lane
from avelang.emit.llvm.simt_lines import LinedBody, Metadata, marked
from avelang.ir.core import Kernel, Op, Value, walk
from avelang.ir.ops import bits_of
from avelang.ir.types import GLOBAL, SHARED, AtomicScope, DType, PtrType, Type, VecType, dtype_of
from avelang.isa.amdgpu.schedule import EXPCNT, LGKMCNT, VMCNT, waitcnt_immediate
from avelang.isa.lowering import LOADS_TO_LDS, WAITS, has_mark

TRIPLE = "amdgcn-amd-amdhsa"
CODE_OBJECT = 500  # code object version 5; LLVM's own default is newer than most ROCm installations
# Byte offsets of the counts of blocks among the implicit arguments of code object v5 (LLVM, AMDGPUUsage, "Code Object
# V5 Metadata").
BLOCK_COUNT = (0, 4, 8)
# What the hardware or the runtime would hand to a kernel and ours never ask for (LLVM, AMDGPUUsage, "LLVM IR
# Attributes"); what they may ask for, and by which function. LLVM reserves registers for all that it is not told of.
# AGPRs hold nothing either: matrix instructions take VGPRs, and no assembly or call in the text wants others.
UNUSED = (
    "cluster-id-x", "cluster-id-y", "cluster-id-z", "completion-action", "default-queue", "dispatch-id",
    "dispatch-ptr", "flat-scratch-init",
    "heap-ptr", "hostcall-ptr", "lds-kernel-id", "multigrid-sync-arg", "queue-ptr",
)  # fmt: skip
INPUTS = {
    "implicitarg-ptr": "llvm.amdgcn.implicitarg.ptr",
    **{f"{kind}-id-{dim}": f"llvm.amdgcn.{kind}.id.{dim}" for kind in ("workgroup", "workitem") for dim in "xyz"},
}


_OWN = 2  # numbers of metadata that `Amdgpu.tail` takes


class Amdgpu(GpuTarget):
    """LLVM's AMDGPU backend for one chip."""

    convention = "amdgpu_kernel"
    triple = TRIPLE
    stack_space = 5
    adds_to_products = True  # VOP3PInstructions.td, MadFmaMixFP16Pats: V_FMA_MIXLO_F16 and V_FMA_MIXHI_F16
    # LLVM 22 makes `v_mov_b32 y, x` of `v_or_b32 y, x, -1` where it finds the -1 late, as the high word of a choice
    # between two negative numbers (SIFoldOperands.cpp, tryConstantFoldOp, removes the wrong operand). Of two words it
    # finds it early.
    or_by_words = True
    device_scope = ' syncscope("agent")'
    scopes = ("workgroup", "agent", "", "workgroup")

    def __init__(self, chip: arch.Chip, lines: Metadata | None = None):
        super().__init__(chip)
        self.lines = lines
        if "mfma-gfx950" in chip.features:
            self.native_narrow = frozenset(BINARY16)  # V_CVT_PK_BF16_F32

    def begin(self, w: Simt) -> None:
        """Line information, and whether loads go straight to LDS."""
        if self.lines is not None:
            w.body = LinedBody(w, self.lines)
        self.direct_loads = any(has_mark(op, "amdgpu", LOADS_TO_LDS) for op in walk(w.kernel.body))

    def attributes(self, w: Simt) -> str:
        """The work-group's size, from `num_warps` where the launch says it; `waves_per_eu` is a hint for occupancy."""
        most = max(w.threads, int(w.kernel.attrs.get("num_warps") or 0) * w.wave)
        out = ["nounwind", f'"amdgpu-flat-work-group-size"="{w.threads},{most}"', '"uniform-work-group-size"="true"']
        # In IEEE mode v_min and v_max answer a signaling NaN with NaN, and LLVM makes v_max3 of two maxima without
        # quieting what comes in.
        out.append('"amdgpu-ieee"="false"')
        if w.kernel.attrs.get("waves_per_eu"):
            out.append(f'"amdgpu-waves-per-eu"="{w.kernel.attrs["waves_per_eu"]}"')
        out += (f'"amdgpu-no-{what}"' for what in UNUSED)
        out += (f'"amdgpu-no-{what}"' for what, function in INPUTS.items() if not w.module.declares(function))
        return " ".join([*out, '"amdgpu-agpr-alloc"="0"'])

    def tail(self, w: Simt) -> list[str]:
        """Module flags, and the metadata of lines."""
        flags = self.lines.text("!0") if self.lines is not None else "!llvm.module.flags = !{!0}"
        return [flags, f'!0 = !{{i32 1, !"amdhsa_code_object_version", i32 {CODE_OBJECT}}}', "!1 = !{}"]

    # -- ids -----------------------------------------------------------------------------------------------------------

    def index(self, w: Simt, op: Op) -> str:
        """`thread_id`, `block_id` or `grid_dim`."""
        dim = op.attrs["dim"]
        if op.name == "grid_dim":
            base = w.call("llvm.amdgcn.implicitarg.ptr", "ptr addrspace(4)")
            place = w.op(f"getelementptr i8, ptr addrspace(4) {base}, i64 {BLOCK_COUNT[dim]}")
            return w.op(f"load i32, ptr addrspace(4) {place}, align 4, !invariant.load !1")
        thread = op.name == "thread_id"
        name = f"llvm.amdgcn.{'workitem' if thread else 'workgroup'}.id.{'xyz'[dim]}"
        return w.ranged(name, w.block[dim] if thread else MAX_BLOCKS[dim])

    def own(self, w: Simt, type: str, text: str) -> str:
        """In a vector register. LLVM 22 keeps a counter in a scalar register, makes what a lane left with from it again
        behind the loop (v_xad of the counter), and reads there what the last lane left with."""
        if type in ("i8", "i16"):
            wide = w.op(f"zext {type} {text} to i32")
            return w.op(f"trunc i32 {self.own(w, 'i32', wide)} to {type}")
        return w.op(f'call {type} asm "", "=v,0"({type} {text})') if type in ("i32", "i64", "float", "double") else text

    def unseen(self, w: Simt, type: str, text: str) -> str:
        """In a vector register. `llvm.arithmetic.fence` would say it, but LLVM 22 puts what is the same in all lanes
        into a scalar register there, to which a product of floats cannot go (illegal VGPR to SGPR copy)."""
        return w.op(f'call {type} asm "", "=v,0"({type} {text}) nounwind memory(none)')

    def agreed(self, w: Simt, op: Op, text: str) -> str:
        """The first lane's value of what the whole wave has alike."""
        return first_lane(w, text) if w.type(op.result.type) == "i32" else text

    def lane(self, w: Simt) -> str:
        """The lane, by mbcnt."""
        bx, by, bz = w.block
        if by == bz == 1:
            x = w.ranged("llvm.amdgcn.workitem.id.x", bx)
            return x if bx <= w.wave else w.op(f"and i32 {x}, {w.wave - 1}")
        low = w.call("llvm.amdgcn.mbcnt.lo", "i32", ("i32", "-1"), ("i32", "0"))
        return w.ranged("llvm.amdgcn.mbcnt.hi", w.wave, ("i32", "-1"), ("i32", low))

    # -- lanes together ------------------------------------------------------------------------------------------------

    def shuffle(self, w: Simt, op: Op, word: str) -> str:
        """By ds_bpermute, or by a DPP exchange where the lanes are known."""
        kind, width, offset = op.attrs["kind"], op.attrs["width"], op.operands[1]
        known = constant_of(offset)
        if kind == "xor" and known is not None and 0 < known < min(width, 32):
            return _exchange(w, word, known)
        address = w.op(f"shl i32 {source_lane(w, kind, width, offset)}, 2")
        return w.call("llvm.amdgcn.ds.bpermute", "i32", ("i32", address), ("i32", word))

    def ballot(self, w: Simt, cond: str) -> str:
        """A bit for each active lane."""
        return w.call("llvm.amdgcn.ballot.i64", "i64", ("i1", cond))

    def first(self, w: Simt, word: str) -> str:
        """The first active lane's word."""
        return first_lane(w, word)

    def barrier(self, w: Simt, op: Op) -> None:
        """Release, barrier, acquire, within the work-group: LLVM waits for what must have arrived, loads straight to
        LDS included. Where the user wrote a wait right before, that one says how many of those may stay under way: only
        LDS itself is waited for then."""
        own = self.direct_loads and w.previous is not None and has_mark(w.previous, "amdgpu", WAITS)
        scope = "singlethread" if own else "workgroup"  # which orders the program's text, and asks for no wait
        w.do(f'fence syncscope("{scope}") release')
        if own:
            w.call("llvm.amdgcn.s.waitcnt", "void", ("i32", str(waitcnt_immediate(VMCNT, EXPCNT, 0))))
        w.call("llvm.amdgcn.s.barrier", "void")
        w.do(f'fence syncscope("{scope}") acquire')

    def leave(self, w: Simt) -> None:
        """The wave ends: of lanes that have parted, those that are here take the others along."""
        w.call("llvm.amdgcn.endpgm", "void")

    # -- memory --------------------------------------------------------------------------------------------------------

    def release(self, w: Simt, scope: int, order: int) -> int:
        """A fence, and a wait for it. LLVM 22 takes its own wait behind `buffer_wbl2` away where it knows of nothing
        else that is under way (pull request 178316 of llvm-project): the access might come before what it releases."""
        if not order & 2 or scope < AtomicScope.AGENT or "gfx9" not in self.chip.features:
            return order
        w.do(f"fence{self.scope(scope)} release")
        w.call("llvm.amdgcn.s.waitcnt", "void", ("i32", str(waitcnt_immediate(0, EXPCNT, LGKMCNT))))
        return order & 1

    def atomic(self, w: Simt, op: Op, pointer: str) -> str | None:
        """An instruction, not a loop, where the chip has it."""
        *values, place, _ = op.operands
        t, kind, order = op.result.type, simt_atomics.kind_of(op), simt_atomics.ORDERS[simt_atomics.order_of(op)]
        scope = simt_atomics.scope_of(w, op)
        if kind == "add" and dtype_of(t).is_float:
            if "scope" in op.attrs and not self._adds(op, scope):
                return None
            return self.atomic_add(w, values[0], place, pointer, scope, order)
        if dtype_of(t).is_float:
            return None
        at = f"{w.type(place.type)} {pointer}"
        got = w.op(arithmetic.atomic(kind, dtype_of(t), at, [w.value(v) for v in values], self.scope(scope), order))
        return w.op(f"extractvalue {{ {w.type(t)}, i1 }} {got}, 0") if kind == "cas" else got

    def _adds(self, op: Op, scope: int) -> bool:
        """Whether there is an instruction that adds these floats within a scope: gfx90a has none for pairs of bf16, and
        of pairs of f16 in LDS; no chip for one of 16 bits; no memory that several devices share is known to add
        floats."""
        if bits_of(op.result.type) < 32:
            return False
        shared = op.operands[1].type.space == SHARED  # type: ignore[union-attr]
        pair = isinstance(op.result.type, VecType)
        old = "gfx90a" in self.chip.features and pair and (shared or dtype_of(op.result.type).name == "bf16")
        return not old and (shared or scope != AtomicScope.SYSTEM)

    def atomic_add(
        self, w: Simt, value: Value, place: Value, pointer: str, scope: int, order: str = "monotonic"
    ) -> str:
        """Adds `value` at `pointer`, which was made from the IR pointer `place`; gives what stood there before. One
        instruction, not a loop, where the chip has it."""
        d, t = dtype_of(value.type), w.type(value.type)
        assert isinstance(place.type, PtrType)
        text, kind, inner = w.value(value), "fadd" if d.is_float else "add", t
        if d.name in BINARY16:
            inner = f"<{value.type.n} x {BINARY16[d.name]}>" if isinstance(value.type, VecType) else BINARY16[d.name]
            text = w.op(f"bitcast {t} {text} to {inner}")
        if bits_of(value.type) not in (32, 64) or (isinstance(value.type, VecType) and d.bits >= 32):
            raise w.refuse("atomic addition works on 32 and 64 bits")
        flags = ""
        if d.is_float:
            # The instruction, not a loop around it, whatever it does to subnormal numbers. Memory that several devices
            # share does not add floats in one step, though; within a device there is none of it.
            flags = ", !amdgpu.ignore.denormal.mode !1"
            if scope < 2 and place.type.space == GLOBAL:
                flags += ", !amdgpu.no.fine.grained.memory !1, !amdgpu.no.remote.memory !1"
        size = bits_of(value.type) // 8
        end = f"{self.scope(scope)} {order}, align {size}{flags}"
        old = w.op(f"atomicrmw {kind} {w.type(place.type)} {pointer}, {inner} {text}{end}")
        return w.bitcast(old, inner, t)

    # -- the rest ------------------------------------------------------------------------------------------------------

    def narrow(self, w: Simt, t: Type, x: str) -> str | None:
        """f32 to 8-bit floats, where the chip converts them."""
        kind = amdgpu_fp8.name_on(self.chip, dtype_of(t))
        return amdgpu_fp8.narrow(w, kind, t, x) if kind else None

    def widen(self, w: Simt, t: Type, x: str) -> str | None:
        """8-bit floats to f32, likewise."""
        kind = amdgpu_fp8.name_on(self.chip, dtype_of(t))
        return amdgpu_fp8.widen(w, kind, t, x) if kind else None

    def function(self, name: str):
        """The instructions of f32 that are exact enough."""
        return _FUNCTIONS.get(name)

    def row(self, w: Simt, op: Op) -> str | None:
        """An intrinsic, as its row spells it for LLVM's AMDGPU backend."""
        return emit_row(w, op, "amdgpu")


def first_lane(w: Simt, word: str) -> str:
    """An i32 of the first active lane, in a scalar register."""
    return w.call("llvm.amdgcn.readfirstlane.i32", "i32", ("i32", word)) if word.startswith("%") else word


def _exchange(w: Simt, word: str, by: int) -> str:
    """The word of lane ^ by, for by < 32: by DPP where there is a pattern, else through the LDS crossbar, which needs
    no address then."""
    pattern = _XOR_DPP.get(by)
    if pattern is not None:
        return w.call(
            "llvm.amdgcn.update.dpp.i32",
            "i32",
            ("i32", "poison"),
            ("i32", word),
            ("i32", str(pattern)),
            ("i32", "15"),
            ("i32", "15"),
            ("i1", "true"),
        )
    return w.call("llvm.amdgcn.ds.swizzle", "i32", ("i32", word), ("i32", str(0x1F | by << 10)))


# lane ^ n as dpp_ctrl: quad_perm for 1, 2, 3; row_half_mirror for 7; row_ror:8 for 8; row_mirror for 15.
_XOR_DPP = {1: 0xB1, 2: 0x4E, 3: 0x1B, 7: 0x141, 8: 0x128, 15: 0x140}


def _native(name: str):
    def rule(w: Simt, d: DType, x: str) -> str:
        return w.call(f"llvm.{name}.f32", "float", ("float", x))

    return rule


def _rsqrt(w: Simt, d: DType, x: str) -> str:
    """V_RSQ_F32 is right to a unit in the last place but takes subnormal numbers for zero: those are scaled up
    first."""
    small = w.op(f"fcmp olt float {x}, {_POWERS[-126]}")
    scaled = w.op(f"fmul float {x}, {_POWERS[48]}")
    root = w.call("llvm.amdgcn.rsq.f32", "float", ("float", w.op(f"select i1 {small}, float {scaled}, float {x}")))
    return w.op(f"select i1 {small}, float {w.op(f'fmul float {root}, {_POWERS[24]}')}, float {root}")


_POWERS = {e: f"0x{(e + 1023) << 52:016X}" for e in (-126, 24, 48)}

# LLVM expands exp and log around V_EXP_F32 and V_LOG_F32, to a unit in the last place or so (AMDGPUISelLowering,
# lowerFEXP, lowerFLOG).
_FUNCTIONS = {**{name: _native(name) for name in ("exp", "exp2", "log", "log2")}, "rsqrt": _rsqrt}
NATIVE_FUNCTIONS = frozenset(_FUNCTIONS)


def emit(kernel: Kernel, chip: arch.Chip) -> DeviceModule:
    """The module of a kernel for an AMD chip, with line information where its attributes ask for `lines`; errors as
    `simt_kernel.emit`."""
    if not kernel.attrs.get("lines"):
        return simt_kernel.emit(kernel, Amdgpu(chip))
    lines = Metadata(kernel, _OWN)
    made = simt_kernel.emit(kernel, Amdgpu(chip, lines))
    return dataclasses.replace(made, text=marked(made.text, kernel.name, lines))
