"""Rows of `al.system`: loads and stores of words of global memory as all GPUs of a host and the host itself see them.
Atomic operations and fences are `al.atomic_add` and the others, and `al.fence`, with scope="system".

They are portable. On NVIDIA GPUs they are instructions with `.sys` (PTX ISA 9.0, 8.3, "Scope"), on AMD GPUs LLVM's
atomics without a `syncscope`, which the memory model of the target makes caches write back and invalidate for (LLVM,
"User Guide for AMDGPU Backend", Memory Model gfx942: `sc0=1 sc1=1`, `buffer_wbl2`, `buffer_inv`). Peers' memory is
reached over NVLink or XGMI by ordinary addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Op, Value
from avelang.ir.dtypes import DType, i32, i64, u32, u64
from avelang.ir.types import GLOBAL, AtomicScope, dtype_of
from avelang.isa.asm import Asm
from avelang.isa.lowering import Emitter, Lowering
from avelang.isa.lowering_helpers import pointer
from avelang.isa.row import Param, Row, TensorRef, Wave, register

EVERY = frozenset({"gfx9", "sm_75"})
EFFECTS = frozenset({"read", "write"})
SOURCE = "PTX ISA 9.0, {}; LLVM, User Guide for AMDGPU Backend, Memory Model gfx942"
WORD = Param("dst", "tensor", "begins with the word, in global memory of this rank or a peer; aligned to its size",
             spaces=(GLOBAL,))  # fmt: skip
SRC = Param("src", "tensor", WORD.doc, spaces=(GLOBAL,))


# -- meaning -----------------------------------------------------------------------------------------------------------


def _loads(words: Any) -> Callable[..., np.ndarray]:
    def semantics(wave: Wave, src: TensorRef) -> np.ndarray:
        raw = wave.read(src.space, src.address, np.dtype(words).itemsize, wave.active)
        return np.ascontiguousarray(raw).view(words).reshape(-1)

    return semantics


def _look(wave: Any, src: TensorRef, epoch: np.ndarray, rank: np.ndarray) -> np.ndarray:
    wave.awaited = np.broadcast_to(epoch, (wave.lanes,))
    try:
        return _loads(u32.np)(wave, src)
    finally:
        wave.awaited = None


def _stores(wave: Wave, dst: TensorRef, value: np.ndarray) -> None:
    wave.write(dst.space, dst.address, np.ascontiguousarray(value).view(np.uint8).reshape(wave.lanes, -1), wave.active)


def _sends(wave: Any, dst: TensorRef, value: np.ndarray) -> None:
    """A store that says so where a signal is set back."""
    wave.behind(dst.space, dst.address, value)
    _stores(wave, dst, value)


def _nothing(wave: Wave) -> None:
    """It changes nothing."""


# -- expansion ---------------------------------------------------------------------------------------------------------


def _lower_load(t: DType) -> Callable[..., Value]:
    return lambda b, src, *awaited: b.emit(
        "atomic", (b.const(0, t), pointer(b, src), b.const(0, i64)), (t,), kind="or"
    ).result


def _lower_store(b: Builder, dst: Value, value: Value) -> None:
    b.emit("atomic", (value, pointer(b, dst), b.const(0, i64)), (value.type,), kind="exch")


# -- code --------------------------------------------------------------------------------------------------------------


def _emit_load(w: Emitter, op: Op, order: str) -> str:
    d = dtype_of(op.result.type)
    return w.op(f"load atomic i{d.bits}, {w.typed(op.operands[0])} {order}, align {d.bytes}")


def _emit_store(w: Emitter, op: Op, order: str) -> None:
    d = dtype_of(op.operands[1].type)
    if order == "release" and not w.target.release(w, AtomicScope.SYSTEM, 2):
        order = "monotonic"
    w.do(f"store atomic {w.typed(op.operands[1])}, {w.typed(op.operands[0])} {order}, align {d.bytes}")


def _sleep(w: Emitter, op: Op, name: str) -> None:
    w.call("llvm.amdgcn.s.sleep", "void", ("i32", "1"))


def _both(ptx: Any, emit: Callable[..., Any], name: str = "") -> dict[str, Any]:
    return {"nvptx": Asm(ptx), "amdgpu": Lowering(name, emit=emit)}


# -- rows --------------------------------------------------------------------------------------------------------------

for _t in (u32, u64):
    register(Row(
        f"system.load_acquire_{_t}", (SRC,), _t, "Loads the word; accesses behind it come after it, and see what was "
        "written, on any GPU, before the store_release (or the atomic with release) whose value it gives.",
        SOURCE.format("9.7.9.8, ld"), EVERY, _loads(_t.np), EFFECTS, _lower_load(_t),
        llvm=_both(f"ld.acquire.sys.global.u{_t.bits} <out>, [<src>];", _emit_load, "acquire"),
    ))  # fmt: skip
    register(Row(
        f"system.load_relaxed_{_t}", (SRC,), _t, "Loads the word as it is now; orders nothing.",
        SOURCE.format("9.7.9.8, ld"), EVERY, _loads(_t.np), EFFECTS, _lower_load(_t),
        llvm=_both(f"ld.relaxed.sys.global.u{_t.bits} <out>, [<src>];", _emit_load, "monotonic"),
    ))  # fmt: skip
register(Row(
    "system.load_signal", (SRC, Param("epoch", u32, "what is waited for"), Param("rank", u32, "who signals")), u32,
    "The look of `al.wait` at a signal: load_acquire_u32, which says in reports what is waited for, and of whom.",
    SOURCE.format("9.7.9.8, ld"), EVERY, _look, EFFECTS, _lower_load(u32),
    llvm=_both("ld.acquire.sys.global.u32 <out>, [<src>];", _emit_load, "acquire"),
))  # fmt: skip
for _order, _name, _doc in (
    ("release", "release", "Stores a word behind all accesses before it, for whoever loads it with acquire, on any "
     "GPU."),
    ("relaxed", "monotonic", "Stores a word, in one piece; orders nothing. A word of 64 bits may hold a number and the "
     "mark of the round that it is of: whoever sees the one sees the other."),
):  # fmt: skip
    register(Row(
        f"system.store_{_order}", (WORD, Param("value", (u32, i32, u64), "what is written")), None, _doc,
        SOURCE.format("9.7.9.11, st"), EVERY, _stores, EFFECTS, _lower_store,
        llvm=_both(
            lambda a, order=_order: f"st.{order}.sys.global.u{dtype_of(a['value']).bits} [<dst>], <value>;",
            _emit_store, _name,
        ),
    ))  # fmt: skip
register(Row(
    "system.send_signal", (WORD, Param("epoch", u32, "what is sent")), None,
    "The store of `al.signal` to a signal: store_release, of an epoch that is not before the one that is there.",
    SOURCE.format("9.7.9.11, st"), EVERY, _sends, EFFECTS, _lower_store,
    llvm=_both("st.release.sys.global.u32 [<dst>], <epoch>;", _emit_store, "release"),
))  # fmt: skip
register(Row(
    "system.pause", (), None, "Gives others time: what stands in a loop that waits for another rank. Orders nothing.",
    SOURCE.format("9.7.19.4, nanosleep"), EVERY, _nothing, frozenset({"sync"}),
    lambda b: b.emit("pause", far=1) and None, llvm=_both("nanosleep.u32 32;", _sleep),
))  # fmt: skip
