"""Rows of atomic operations on global and shared memory with one signature on every chip, and of the fence.

A row works on the word at its tensor's first element, each active lane for itself. One line of `UPDATES` says which
types it takes and what it makes of the old value; the meaning in NumPy comes from it, and the expansion is an `atomic`
of the IR, of which each emitter makes the chip's own instruction, or a loop of compare-and-swap where it has none."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import BY_NAME, bf16, f16, f32, f64, i32, i64, u32, u64
from avelang.ir.types import GLOBAL, SHARED, Type, VecType, dtype_of
from avelang.isa.lowering_helpers import pointer
from avelang.isa.row import Param, Row, TensorRef, Wave, register

EVERY = frozenset({"gfx9", "sm_75"})
# The words of `scope=` and `order=`, and the numbers that the IR has for them (`ir.types.AtomicScope`).
SCOPES = ("block", "device", "system", "cluster")
ORDERS = ("relaxed", "acquire", "release", "acq_rel")
INTEGERS = (i32, u32, i64, u64)
FLOATS = (f32, f64)
HALVES = (f16, bf16)
PAIRS = (VecType(f16, 2), VecType(bf16, 2))


@dataclasses.dataclass(frozen=True, slots=True)
class Update:
    """An operation: the types of its word, what it does in words, what goes back to memory, of the old value and the
    operands as arrays, and what chips it is a loop of compare-and-swap on."""

    types: tuple[Type, ...]
    doc: str
    make: Callable[..., np.ndarray]
    loops: str = ""
    operands: tuple[str, ...] = ("value",)


def _extreme(more: bool) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The greater or the lesser: the number where one is NaN, and -0.0 below 0.0."""

    def make(old: np.ndarray, value: np.ndarray) -> np.ndarray:
        if old.dtype.kind in "iu":
            return np.maximum(old, value) if more else np.minimum(old, value)
        takes = np.isnan(old) | ((value > old) if more else (value < old))
        takes |= (value == old) & (np.signbit(old) if more else np.signbit(value))
        return np.where(takes & ~np.isnan(value), value, old)

    return make


# LLVM does not trust these to reach memory that the host holds; on gfx90a it does not know which memory that is.
_FAR = 'of scope "system" in global memory on AMD GPUs, on gfx90a of every scope'
_BIT_LOOPS = f"it is a loop of compare-and-swap {_FAR}"
_EXTREME_LOOPS = f"floats are a loop of compare-and-swap on every GPU, integers {_FAR}"
UPDATES = {
    "add": Update((*INTEGERS, *FLOATS, *HALVES, *PAIRS), "Adds `value`; of a pair, which is one word, each half.",
        lambda old, value: old + value, "bf16, a pair or one, is a loop of compare-and-swap on gfx90a and below "
        "sm_90, "
        "a pair of f16 in shared memory on gfx90a, one f16 or bf16 on all AMD GPUs (of the word of 32 bits that it is "
        "in), and floats of scope \"system\" in global memory on AMD GPUs"),
    "max": Update((*INTEGERS, *FLOATS, *HALVES), "Writes `value` where it is more.", _extreme(True), _EXTREME_LOOPS),
    "min": Update((*INTEGERS, *FLOATS, *HALVES), "Writes `value` where it is less.", _extreme(False), _EXTREME_LOOPS),
    "and": Update(INTEGERS, "Ands the bits of `value`.", lambda old, value: old & value, _BIT_LOOPS),
    "or": Update(INTEGERS, "Ors the bits of `value`.", lambda old, value: old | value, _BIT_LOOPS),
    "xor": Update(INTEGERS, "Flips the bits of `value`.", lambda old, value: old ^ value, _BIT_LOOPS),
    "exchange": Update((*INTEGERS, *FLOATS, *HALVES, *PAIRS), "Writes `value`.", lambda old, value: value),
    "cas": Update((*INTEGERS, *FLOATS, *HALVES),
        "Compare-and-swap: writes `value` where the word has the bits of `expected`.",
        lambda old, expected, value: np.where(_bits(old) == _bits(expected), value, old), "",
        ("expected", "value")),
}  # fmt: skip
# The kinds of the IR's `atomic`, where they are called otherwise.
KINDS = {"exchange": "exch"}
PYTHON = {"and": "and_", "or": "or_"}  # words of Python
PLACE = Param("x", "tensor", "global or shared memory; the word is the element at `index`, aligned to its size",
    spaces=(GLOBAL, SHARED))  # fmt: skip
SCOPE = Param("scope", "const", 'among whom it is one step: "block", "cluster", "device" or "system"', range=(0, 3),
    default=1, words=SCOPES)  # fmt: skip
ORDER = Param("order", "const", 'what it orders: "relaxed" nothing, "acquire" accesses behind it, "release" accesses '
    'before it, "acq_rel" both', range=(0, 3), default=0, words=ORDERS)  # fmt: skip


def _bits(a: Any) -> np.ndarray:
    a = np.ascontiguousarray(a)
    return a.view(f"u{a.dtype.itemsize}")


def public(name: str) -> str:
    """The name in `al` of an update."""
    return f"atomic_{PYTHON.get(name, name)}"


def _semantics(update: Update) -> Callable[..., np.ndarray]:
    def semantics(wave: Wave, x: TensorRef, *rest: Any) -> np.ndarray:
        *values, _scope, _order = rest
        first = values[-1]
        size, out = first.nbytes // wave.lanes, np.zeros_like(first)
        for lane in np.flatnonzero(wave.active):
            only = np.arange(wave.lanes) == lane
            raw = np.ascontiguousarray(wave.read(x.space, x.address, size, only)[lane])
            old = raw.view(first.dtype).reshape(first.shape[1:])
            out[lane] = old
            with np.errstate(all="ignore"):
                new = np.asarray(update.make(old, *(v[lane] for v in values))).astype(first.dtype)
            data = np.ascontiguousarray(new).reshape(-1).view(np.uint8)
            wave.write(x.space, x.address, np.broadcast_to(data, (wave.lanes, size)), only)
        return out

    return semantics


def _lower(name: str) -> Callable[..., Value]:
    kind = KINDS.get(name, name)

    def lower(b: Builder, x: Value, *rest: Any) -> Value:
        *values, scope, order = rest
        t, place = values[-1].type, (pointer(b, x), b.const(0, i64))
        how = {"scope": scope, "order": order}
        if name == "add":
            return b.emit("atomic_add", (*values, *place), (t,), **how).result
        if not dtype_of(t).is_float or name in ("min", "max"):
            return b.emit("atomic", (*values, *place), (t,), kind=kind, **how).result
        bits = BY_NAME[f"u{dtype_of(t).bits * (t.n if isinstance(t, VecType) else 1)}"]
        words = tuple(b.bitcast(v, bits) for v in values)
        return b.bitcast(b.emit("atomic", (*words, *place), (bits,), kind=kind, **how).result, t)

    return lower


def _register(name: str, update: Update) -> None:
    docs = {"value": "the operand", "expected": "what should stand there"}
    params = [Param(p, update.types if i == 0 else update.operands[0], docs[p]) for i, p in enumerate(update.operands)]
    loops = f" In code for GPUs {update.loops}." if update.loops else ""
    register(Row(f"al.{public(name)}", (PLACE, *params, SCOPE, ORDER), "value", f"{update.doc} In one step, for each "
        f"active lane; gives what stood there before. Between lanes and waves the sequence is not defined.{loops}",
        "PTX ISA 9.0, 9.7.13.8, atom; AMD CDNA3 ISA, sections 9 and 11; LLVM, AMDGPUUsage, Memory Model",
        EVERY, _semantics(update), frozenset({"read", "write"}), _lower(name)))  # fmt: skip


for _name, _update in UPDATES.items():
    _register(_name, _update)


def _nothing(wave: Wave, *args: Any) -> None:
    """Order only: waves of the reference see memory in order; `wave_protocol.fences` names the row."""


def _fence(b: Builder, scope: int, order: int) -> None:
    b.emit("fence", scope=scope, order=order)


register(Row("al.fence", (SCOPE, dataclasses.replace(ORDER, default=3)), None, "Orders the lane's accesses to memory "
    "before it and behind it, as seen from the lanes that `scope` names.",
    "PTX ISA 9.0, 9.7.13.4, fence; LLVM, AMDGPUUsage, Memory Model", EVERY, _nothing,
    frozenset({"read", "write", "sync"}), _fence))  # fmt: skip
