"""Rows of atomic operations on global and shared memory, and of loads and stores that order other accesses, all as seen
from the whole GPU.

A row works on the word at its tensor's first element, each active lane for itself. What an operation makes of the old
value is in one table; its meaning in NumPy, its expansion and its PTX follow from a line of it. """

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from avelang.base.lazy import np
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import BY_NAME, bf16, f16, f32, f64, i32, i64, u32, u64
from avelang.ir.types import GLOBAL, SHARED, Type, VecType, dtype_of
from avelang.isa.asm import Asm
from avelang.isa.lowering_helpers import pointer
from avelang.isa.row import Param, Row, TensorRef, Wave, register

SM_75, SM_90 = frozenset({"sm_75"}), frozenset({"sm_90"})
ORDERS = ("relaxed", "acquire", "release", "acq_rel")
SPACES = {GLOBAL: "global", SHARED: "shared::cta"}
EFFECTS = frozenset({"read", "write"})
DST = Param("dst", "tensor", "begins with the word, in global or shared memory, aligned to its size",
    spaces=(GLOBAL, SHARED))
ORDER = Param("order", "const", "what it orders: 0 nothing (relaxed), 1 accesses behind it (acquire), 2 accesses "
    "before it (release), 3 both", range=(0, 3), default=0)  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Update:
    """An operation: types of its word, what it does in words, and what goes back to memory, of the old value and the
    operands."""

    types: tuple[Type, ...]
    doc: str
    make: Callable[..., np.ndarray]
    kind: str  # PTX's letter: b where only the width counts
    operands: tuple[str, ...] = ("value",)


def _inc(old: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.where(old >= value, 0, old + 1)


def _dec(old: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.where((old == 0) | (old > value), value, old - 1)


INTEGERS = (u32, i32, u64)
UPDATES = {"add": Update((*INTEGERS, f32, f64, VecType(f16, 2)), "Adds `value`; of a pair, which is one word, each "
    "half.", lambda old, value: old + value, ""),
    "add_bf16x2": Update((VecType(bf16, 2),), "Adds each half of `value`, which is one word.", lambda old, value: old
    + value, ""), "exch": Update((*INTEGERS, f32), "Writes `value`.", lambda old, value: value, "b"),
    "min": Update(INTEGERS, "Writes `value` where it is less.", lambda old, value: np.minimum(old, value), ""),
    "max": Update(INTEGERS, "Writes `value` where it is more.", lambda old, value: np.maximum(old, value), ""),
    "and": Update(INTEGERS, "Ands the bits of `value`.", lambda old, value: old & value, "b"),
    "or": Update(INTEGERS, "Ors the bits of `value`.", lambda old, value: old | value, "b"),
    "xor": Update(INTEGERS, "Flips the bits of `value`.", lambda old, value: old ^ value, "b"),
    "inc": Update((u32,), "Adds 1, and begins again with 0 behind `value`: a counter that resets itself.", _inc, ""),
    "dec": Update((u32,), "Subtracts 1, and begins again with `value` behind 0, or from above `value`.", _dec, ""),
    "cas": Update(INTEGERS, "Writes `value` where `expected` stands.", lambda old, expected,
    value: np.where(old == expected, value, old), "b", ("expected", "value"))}  # fmt: skip


def _ptx(t: Type, kind: str = "") -> str:
    """PTX's name of a type, or of its bits."""
    d = dtype_of(t)
    if isinstance(t, VecType):
        return f"noftz.{d}x{t.n}"
    return f"{kind or {'int': 's', 'uint': 'u', 'float': 'f'}[d.kind]}{d.bits}"


# -- meaning -----------------------------------------------------------------------------------------------------------


def _semantics(update: Update) -> Callable[..., np.ndarray]:
    def semantics(wave: Wave, dst: TensorRef, *rest: Any) -> np.ndarray:
        *values, _ = rest
        first = values[-1]
        size, out = first.nbytes // wave.lanes, np.zeros_like(first)
        for lane in np.flatnonzero(wave.active):
            only = np.arange(wave.lanes) == lane
            raw = wave.read(dst.space, dst.address, size, only)[lane]
            old = np.ascontiguousarray(raw).view(first.dtype).reshape(first.shape[1:])
            out[lane] = old
            with np.errstate(all="ignore"):
                new = np.asarray(update.make(old, *(v[lane] for v in values))).astype(first.dtype)
            data = np.broadcast_to(np.ascontiguousarray(new).reshape(-1).view(np.uint8), (wave.lanes, size))
            wave.write(dst.space, dst.address, data, only)
        return out

    return semantics


def _load(words: Any) -> Callable[[Wave, TensorRef], np.ndarray]:
    def semantics(wave: Wave, src: TensorRef) -> np.ndarray:
        return np.ascontiguousarray(wave.read(src.space, src.address, np.dtype(words).itemsize,
            wave.active)).view(words).reshape(-1)

    return semantics


def _store(wave: Wave, dst: TensorRef, value: np.ndarray) -> None:
    wave.write(dst.space, dst.address, np.ascontiguousarray(value).view(np.uint8).reshape(wave.lanes, -1), wave.active)


# -- expansion ---------------------------------------------------------------------------------------------------------


def _lower(name: str) -> Callable[..., Value]:
    def lower(b: Builder, dst: Value, *rest: Any) -> Value:
        *values, _ = rest
        t, place = values[-1].type, (pointer(b, dst), b.const(0, i64))
        if name.startswith("add"):
            return b.emit("atomic_add", (*values, *place), (t,)).result
        if not dtype_of(t).is_float:
            return b.emit("atomic", (*values, *place), (t,), kind=name).result
        bits = BY_NAME[f"u{dtype_of(t).bits}"]
        return b.bitcast(b.emit("atomic", (*(b.bitcast(v, bits) for v in values), *place), (bits,), kind=name).result,
            t)

    return lower


def _expand_load(bits: Type) -> Callable[[Builder, Value], Value]:
    """Nothing is or-ed to the word: a load that no executor takes for one that may be moved."""
    return lambda b, src: b.emit("atomic", (b.const(0, bits), pointer(b, src), b.const(0, i64)), (bits,),
        kind="or").result


def _expand_store(b: Builder, dst: Value, value: Value) -> None:
    b.emit("atomic", (value, pointer(b, dst), b.const(0, i64)), (value.type,), kind="exch")


# -- rows --------------------------------------------------------------------------------------------------------------


def _text(name: str, update: Update) -> Callable[[Mapping[str, Any]], str]:
    def text(attrs: Mapping[str, Any]) -> str:
        end = ", ".join(f"<{x}>" for x in update.operands)
        op = f"atom.{ORDERS[attrs['order']]}.gpu.{SPACES[attrs['dst'].space]}.{name.partition('_')[0]}"
        return f"{op}.{_ptx(attrs['value'], update.kind)} <out>, [<dst>], {end};"

    return text


def _update_row(name: str, update: Update) -> None:
    docs = {"value": "the operand", "expected": "what should stand there"}
    params = [Param(x, update.types if i == 0 else update.operands[0], docs[x], packed=False) for i,
        x in enumerate(update.operands)]
    register(Row(f"nvvm.atomic_{name}", (DST, *params, ORDER), "value", f"{update.doc} In one step, for each active "
        f"lane; gives what stood there before. Between lanes and warps the sequence is not defined.",
        "PTX ISA 9.0, 9.7.13.5, atom", SM_90 if "bf16" in name else SM_75, _semantics(update), EFFECTS, _lower(name),
        llvm={"nvptx": Asm(_text(name, update))}))  # fmt: skip


for _name, _update in UPDATES.items():
    _update_row(_name, _update)
for _t in (u32, u64):
    _place = dataclasses.replace(DST, name="src")
    register(Row(f"nvvm.ld_acquire_{_t}", (_place,), _t, "Loads the word; accesses behind it come after it, and see "
        "what was written before the st_release " "(or the atomic with release) whose value it gives.",
        "PTX ISA 9.0, 9.7.9.8, ld", SM_75, _load(_t.np), EFFECTS, _expand_load(_t),
        llvm={"nvptx": Asm(lambda a, t=_t: f"ld.acquire.gpu.{SPACES[a['src'].space]}.{_ptx(t)} <out>, [<src>];")}))
register(Row("nvvm.st_release", (DST, Param("value", INTEGERS, "what is written")), None,
    "Stores a word behind all accesses before it, for those that ld_acquire it.", "PTX ISA 9.0, 9.7.9.11, st", SM_75,
    _store, EFFECTS, _expand_store,
    llvm={"nvptx": Asm(lambda a: f"st.release.gpu.{SPACES[a['dst'].space]}.{_ptx(a['value'])} [<dst>], <value>;")}))
