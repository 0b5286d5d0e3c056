"""Matrix instructions, from their fragment maps: operands' forms come in, the accumulator's slot goes out.

Fragments are widened to the accumulator's type and stored as they stand, slot after slot; a function made once for each
set of maps does the products (`avelang.llvm.products`). """

from __future__ import annotations

import numpy as np

from avelang.emit.llvm.arithmetic import convert
from avelang.emit.llvm.cpu_values import Elems, Packed, Rep, StackVector, V, elem
from avelang.emit.llvm.cpu_vectors import count_of, elements, shuffle, slot_load, slot_store, to_slot
from avelang.emit.llvm.cpu_wave import ZERO, WaveWriter
from avelang.ir.core import Op, Value
from avelang.ir.dtypes import DType, f32, i32
from avelang.ir.types import VecType, dtype_of
from avelang.isa.row import ROWS
from avelang.llvm.narrow_floats import Bits, narrow, widen
from avelang.llvm.products import function, places


def emit_mma(w: WaveWriter, op: Op) -> Rep:
    """The result of a row with `mma`."""
    row = ROWS[op.name]
    mma = row.mma
    assert mma is not None
    a, b, c, *index = op.operands
    t = c.type
    acc = dtype_of(t)
    work = acc if acc.bits >= 32 else f32
    moved = mma.sources(op.attrs) if mma.sources else None
    left = _stored(w, a, work, mma.ignored_bits, None if moved is None else moved[0])
    right = _stored(w, b, work, mma.ignored_bits, None if moved is None else moved[1])
    slot = _accumulator(w, c, work)
    args = [slot.ptr, left, right]
    if mma.sparse:
        shift = 0 if op.attrs["cbsz"] else 2 * mma.a.slots * op.attrs["abid"]
        args.append(_fields(w, index[0], mma.a.slots, shift))
    name = function(w.module, places(mma), elem(work), mma.sparse)
    w.do(f"call void @{name}({', '.join(f'ptr {x}' for x in args)})")
    if work == acc:
        return slot if isinstance(t, VecType) else V(slot_load(w, slot, "0"))
    items = tuple(V(narrow(w, acc, True, slot_load(w, slot, str(i)))) for i in range(slot.n))
    return Elems(items) if isinstance(t, VecType) else items[0]


def _stored(w: WaveWriter, value: Value, work: DType, ignored: int, lanes: np.ndarray | None) -> str:
    """Stack memory with the operand's elements in the type of the products. An operand of several instructions is
    stored once."""
    rep, t = w.env[value], value.type
    key = ("mma", rep, ignored, None if lanes is None else lanes.tobytes())
    if (found := w.memo(key)) is not None:
        return found
    n, d, e = count_of(t), dtype_of(t), elem(work)
    slot = w.new_slot(VecType(work, n))
    if isinstance(rep, Packed) and d.is_float and d.bits < 32 and not ignored and lanes is None:
        _widened(w, rep, d, slot)
        return w.remember(key, slot.ptr)
    for i, item in enumerate(elements(w, rep, t)):
        x = w.vec(item, d)
        x = widen(w, d, True, x) if d.is_float and d.bits < 32 else convert(w, d, work, True, x)
        if ignored:
            b = Bits(w, True)
            x = b.to_float(b("and", b.from_float(x), -1 << ignored))
        if lanes is not None:
            x = shuffle(w, e, w.W, x, None, lanes.tolist())
        slot_store(w, slot, str(i), x)
    return w.remember(key, slot.ptr)


def _widened(w: WaveWriter, rep: Packed, d: DType, slot: StackVector) -> None:
    """Stores the elements of words as f32, by a function: it is done for each operand."""
    name, word = f"widened.{d}.{slot.n}", w.t("i32")
    if name not in w.module.functions:
        params = [f"{word} %x{i}" for i in range(len(rep.words))]
        with w.apart():
            own = Packed(tuple(f"%x{i}" for i in range(len(rep.words))))
            for i, item in enumerate(elements(w, own, VecType(d, slot.n))):
                slot_store(w, StackVector("%out", slot.n, slot.elem), str(i), widen(w, d, True, w.vec(item, d)))
            w.module.define(name, "void", ", ".join(["ptr %out", *params]), w.body)
    w.do(f"call void @{name}({', '.join([f'ptr {slot.ptr}', *(f'{word} {x}' for x in rep.words)])})")


def _cleared(w: WaveWriter, slot: StackVector) -> None:
    """Stores zeros, by a function: a product begins with each accumulator."""
    name = f"cleared.{slot.elem}.{slot.n}"
    if name not in w.module.functions:
        with w.apart():
            with w.body.each(slot.n) as i:
                slot_store(w, StackVector("%out", slot.n, slot.elem), i, ZERO)
            w.module.define(name, "void", "ptr %out", w.body)
    w.do(f"call void @{name}(ptr {slot.ptr})")


def _accumulator(w: WaveWriter, c: Value, work: DType) -> StackVector:
    """C in a slot that may be overwritten: its own where this is its last use."""
    rep, t = w.env[c], c.type
    d = dtype_of(t)
    if isinstance(rep, StackVector) and rep.owned and w.dies(c):
        return rep
    if d == work and isinstance(t, VecType):
        if c.op is not None and c.op.name == "const" and repr(c.op.attrs["value"]) in ("0", "0.0"):
            slot = w.new_slot(t)
            _cleared(w, slot)
            return slot
        return to_slot(w, rep, t)
    slot = w.new_slot(VecType(work, count_of(t)))
    for i, x in enumerate(elements(w, rep, t)):
        text = w.vec(x, d)
        slot_store(w, slot, str(i), text if d == work else widen(w, d, True, text))
    return slot


def _fields(w: WaveWriter, index: Value, slots: int, shift: int) -> str:
    """The place among four neighbors of each stored element of a sparse A is: stored like A, as i32."""
    b, word = Bits(w, True), w.vec(w.env[index], dtype_of(index.type))
    slot = w.new_slot(VecType(i32, slots))
    for i in range(slots):
        slot_store(w, slot, str(i), b("and", b("lshr", word, shift + 2 * i), 3))
    return slot.ptr
