"""Memory: `ld` and `st` under the mask come in; the widest accesses that the shape of the lanes' addresses allows go
out.

By shape, best first: one address for all lanes; lanes one after another (in runs of any power of two); a known distance
from lane to lane; anything else, by gather and scatter. An inactive lane never touches memory. """

from __future__ import annotations

import numpy as np

from avelang.emit.llvm import cpu_copy, cpu_lin
from avelang.emit.llvm.cpu_memory_places import LaneAddress, gep, place, pointers_of
from avelang.emit.llvm.cpu_values import (
    Aos,
    Elems,
    Lin,
    LocalMemory,
    Pending,
    Ptr,
    Rep,
    S,
    Scalar,
    StackVector,
    V,
    elem,
    lanes_of,
)
from avelang.emit.llvm.cpu_vectors import (
    REGISTER,
    concat,
    count_of,
    elements,
    from_integer,
    integer,
    of_words,
    pow2,
    rechunk,
    shuffle,
    slot_store,
    to_aos,
    words,
    words32,
)
from avelang.emit.llvm.cpu_wave import ZERO, WaveWriter
from avelang.ir.dtypes import DType, i64, word_of
from avelang.ir.types import Type, VecType, dtype_of
from avelang.llvm.narrow_floats import Bits


def _all_pointers(w: WaveWriter, at: LaneAddress) -> str:
    return pointers_of(w, at.base, w.lin_vec(at.lin))


def _in_memory(d: DType) -> DType:
    """The integer type that stands in memory for a dtype; a condition takes a byte."""
    return word_of(d.bits if d.bits > 1 else 8)


def _value(w: WaveWriter, text: str, d: DType, wide: bool) -> Scalar:
    if d.bits == 1:
        return w.made(w.op(f"icmp ne {w.t('i8', wide)} {text}, {ZERO if wide else '0'}"), wide)
    return from_integer(w, text, d, wide)


def _stored(w: WaveWriter, x: Scalar, d: DType, wide: bool) -> str:
    if d.bits == 1:
        return w.op(f"zext {w.t('i1', wide)} {w.text(x, d, wide)} to {w.t('i8', wide)}")
    return integer(w, x, d, wide)


# -- load --------------------------------------------------------------------------------------------------------------


def load(w: WaveWriter, p: Ptr, off: Scalar, t: Type, align: int, apart: bool = False) -> Rep:
    """`ld`: n consecutive elements at pointer + offset. `apart`: they are wanted as elements, not as they lie."""
    if isinstance(p.base, LocalMemory):
        return _local_load(w, p.base, cpu_lin.add64(w, p.off, off), t)
    d, n = dtype_of(t), count_of(t)
    at = place(w, p, off)
    m = _in_memory(d)
    if isinstance(at, str):
        items = []
        for i in range(n):
            text = w.op(f"load i{m.bits}, ptr {gep(w, at, str(i * m.bytes))}, align {min(align, m.bytes)}")
            items.append(_value(w, text, d, False))
        return Elems(tuple(items)) if isinstance(t, VecType) else items[0]
    out: list[Scalar] = []
    for start, count in _pieces(n, m.bytes):
        whole = count == n and isinstance(t, VecType) and n > 1
        chunked = _strided(w, at, start * m.bytes, count, m, align) if d.bits > 1 else None
        if chunked is None and count > 1 and d.bits > 1:
            split = apart and whole and d.bits in (8, 16, 32) and cpu_copy.has_words(count * m.bytes)
            if split and isinstance(at, LaneAddress) and w.mask is None:
                return of_words(w, cpu_copy.load_words(w, at, start * m.bytes, count * m.bytes), d)
            chunked = _chunks(w, at, start * m.bytes, count, m, align)
            if chunked is None:
                pointers = _moved(w, at.text if isinstance(at, V) else _all_pointers(w, at), start * m.bytes)
                if split:
                    return of_words(w, cpu_copy.gather_words(w, pointers, count * m.bytes), d)
                chunked = cpu_copy.gather_rows(w, pointers, count, m)
        if chunked is not None:
            if whole:
                return chunked
            out += elements(w, chunked, VecType(d, count))
        else:
            out += [_value(w, _single(w, at, (start + i) * m.bytes, m, align), d, True) for i in range(count)]
    return Elems(tuple(out)) if isinstance(t, VecType) else out[0]


def _pieces(n: int, size: int) -> list[tuple[int, int]]:
    """(start, count) of parts that are powers of two and fit a register."""
    out, start = [], 0
    while start < n:
        count = min(REGISTER // 8 // size, 1 << (n - start).bit_length() - 1)
        out.append((start, count))
        start += count
    return out


def _strided(w: WaveWriter, at: LaneAddress | V, more: int, n: int, m: DType, align: int) -> Aos | None:
    """n elements of each lane at a distance of a few elements from lane to lane: whole registers are loaded, with what
    lies between. That cannot fault: what lies between two accesses less than a register apart is in their pages. Behind
    the last lane nothing is touched."""
    if isinstance(at, V) or w.mask is not None:
        return None
    size, step = n * m.bytes, int(at.lin.k[1] - at.lin.k[0])
    if not pow2(step) or not size < step <= REGISTER // 8 or at.run(step, None) < w.W:
        return None
    shift = 0
    if at.aligned:
        # In shared memory, which begins and ends at a register's boundary, one load serves all parts of a lane's
        # record.
        shift = (int(at.lin.k[0]) + more) % step
        if shift + size > step or shift % m.bytes:
            shift = 0
    total, lanes = step // m.bytes, REGISTER // 8 // step
    chunks = []
    for first in range(0, w.W, lanes):
        p = at.pointer(first, more - shift)
        if first + lanes < w.W or (at.aligned and (int(at.lin.k[0]) + more - shift) % step == 0):
            chunks.append(w.op(f"load <{lanes * total} x i{m.bits}>, ptr {p}, align {align}"))
        else:
            inside = (lanes - 1) * total + shift // m.bytes + n
            mask = w.const_vector(["true" if i < inside else "false" for i in range(lanes * total)], "i1")
            chunks.append(_masked_load(w, lanes * total, m, p, mask, align))
    return Aos(m.bits, total, shift // m.bytes, n, tuple(chunks), lanes)


def _chunks(w: WaveWriter, at: LaneAddress | V, more: int, n: int, m: DType, align: int) -> Aos | None:
    """n > 1 elements of each lane, kept as they lie in memory; None where lanes lie nowhere in particular."""
    if isinstance(at, V):
        return None
    known = w.mask if isinstance(w.mask, np.ndarray) else None
    lanes = min(at.run(n * m.bytes, known), max(1, REGISTER // 8 // (n * m.bytes)))
    if isinstance(w.mask, str) and lanes < 4:
        return None
    if cpu_copy.worthwhile(w, at, lanes):
        return cpu_copy.load_rows(w, at, more, n, m)
    t = f"<{lanes * n} x i{m.bits}>"
    chunks: dict[tuple[tuple[int, ...], int], str] = {}
    out = []
    for first in range(0, w.W, lanes):
        active = None if known is None else known[first : first + lanes]
        if active is not None and not active.any():
            out.append(ZERO)
            continue
        if w.mask is None or (active is not None and active.all()):
            key = at.key(first)
            if key not in chunks:
                chunks[key] = w.op(f"load {t}, ptr {at.pointer(first, more)}, align {align}")
            out.append(chunks[key])
        else:
            mask = _lane_mask(w, first, lanes, n)
            out.append(_masked_load(w, lanes * n, m, at.start(first, lanes, n * m.bytes, more), mask, align))
    return Aos(m.bits, n, 0, n, tuple(out), lanes)


def _lane_mask(w: WaveWriter, first: int, lanes: int, n: int) -> str:
    """The mask of some lanes, each lane's bit n times."""
    if isinstance(w.mask, np.ndarray):
        return w.const_vector(["true" if w.mask[first + i // n] else "false" for i in range(lanes * n)], "i1")
    key = ("lanes", w.mask, first, lanes, n)
    if (found := w.memo(key)) is not None:
        return found
    return w.remember(key, shuffle(w, "i1", w.W, w.mask_text(w.mask), None, [first + i // n for i in range(lanes * n)]))


def _masked_load(w: WaveWriter, n: int, m: DType, p: str, mask: str, align: int) -> str:
    t = f"<{n} x i{m.bits}>"
    return w.call(f"llvm.masked.load.v{n}i{m.bits}.p0", t, (f"ptr align {align}", p), (f"<{n} x i1>", mask), (t, ZERO))


def _moved(w: WaveWriter, pointers: str, more: int) -> str:
    return w.op(f"getelementptr i8, {w.t('ptr')} {pointers}, {w.t('i64')} splat (i64 {more})") if more else pointers


def _single(w: WaveWriter, at: LaneAddress | V, more: int, m: DType, align: int) -> str:
    """One element of each lane, as a vector of a wave."""
    if isinstance(at, LaneAddress):
        text = _run_load(w, at, more, m, align)
        if text is not None:
            return text
    return _gather(w, _moved(w, at.text if isinstance(at, V) else _all_pointers(w, at), more), m.bits, align)


def _run_load(w: WaveWriter, at: LaneAddress, more: int, m: DType, align: int) -> str | None:
    """One element a lane, by vector loads of runs or by a scalar load for each of few addresses."""
    known = w.mask if isinstance(w.mask, np.ndarray) else None
    run = at.run(m.bytes, known)
    if run == w.W and w.mask is not None:
        return _masked_load(w, w.W, m, at.start(0, w.W, m.bytes, more), w.mask_text(w.mask), align)
    if w.mask is None and run >= 4:
        loads: dict[object, str] = {}
        parts = []
        for first in range(0, w.W, run):
            key = at.key(first)
            if key not in loads:
                loads[key] = w.op(f"load <{run} x i{m.bits}>, ptr {at.pointer(first, more)}, align {align}")
            parts.append(loads[key])
        return concat(w, f"i{m.bits}", run, parts)
    distinct: dict[object, int] = {}
    for lane in range(w.W):
        if known is None or known[lane]:
            distinct.setdefault(at.key(lane), lane)
    if isinstance(w.mask, str) or len(distinct) > w.W // 4:
        return None
    size = 1 << max(1, (len(distinct) - 1).bit_length())
    table, order = "poison", list(distinct)
    for i, lane in enumerate(distinct.values()):
        x = w.op(f"load i{m.bits}, ptr {at.pointer(lane, more)}, align {min(align, m.bytes)}")
        table = w.op(f"insertelement <{size} x i{m.bits}> {table}, i{m.bits} {x}, i64 {i}")
    index = {key: i for i, key in enumerate(order)}
    return shuffle(w, f"i{m.bits}", size, table, None, [index.get(at.key(lane), 0) for lane in range(w.W)])


def _gather(w: WaveWriter, pointers: str, bits: int, align: int) -> str:
    t = w.t(f"i{bits}")
    if bits < 32:
        return cpu_copy.gather(w, pointers, word_of(bits))
    args = ((w.t("ptr"), pointers), (w.t("i1"), w.mask_text(w.mask)))
    name = f"gather.i{bits}.{min(align, bits // 8)}.{w.W}"
    if name not in w.module.functions:
        inner = w.module.declare(f"llvm.masked.gather.v{w.W}i{bits}.v{w.W}p0", t, [w.t("ptr"), w.t("i1"), t])
        passed = f"{w.t('ptr')} align {min(align, bits // 8)} %p, {w.t('i1')} %m, {t} {ZERO}"
        w.module.functions[name] = f"""define internal {t} @{name}({w.t("ptr")} %p, {w.t("i1")} %m) noinline #0 {{
  %x = call {t} {inner}({passed})
  ret {t} %x
}}"""
    return w.op(f"call {t} @{name}({', '.join(f'{a} {b}' for a, b in args)})")


# -- store -------------------------------------------------------------------------------------------------------------


def store(w: WaveWriter, value: Rep, t: Type, p: Ptr, off: Scalar, align: int) -> None:
    """`st`: n consecutive elements at pointer + offset. Where lanes write one byte, the highest lane wins."""
    if isinstance(p.base, LocalMemory):
        return _local_store(w, p.base, cpu_lin.add64(w, p.off, off), value, t)
    d, n = dtype_of(t), count_of(t)
    at = place(w, p, off)
    m = _in_memory(d)
    if isinstance(at, str):
        lane = None
        for i, x in enumerate(elements(w, value, t)):
            if not isinstance(x, S):
                lane = lane or w.last_lane()
                x = S(w.op(f"extractelement {w.t(elem(d))} {w.vec(x, d)}, i64 {lane}"))
            w.do(
                f"store i{m.bits} {_stored(w, x, d, False)}, ptr {gep(w, at, str(i * m.bytes))}, align "
                f"{min(align, m.bytes)}"
            )
        return None
    items = elements(w, value, t) if n == 1 or d.bits == 1 or not pow2(n) or n * m.bytes > REGISTER // 8 else None
    if n == 1:
        assert items is not None
        _store_single(w, at, _stored(w, items[0], d, True), m, align)
    elif items is not None:
        _store_lane_by_lane(w, at, [_stored(w, x, d, True) for x in items], m)
    elif not _store_chunks(w, at, value, VecType(d, n), align):
        if not isinstance(value, Aos) and d.bits in (8, 16, 32) and cpu_copy.has_words(n * m.bytes):
            found = words32(w, value, VecType(d, n))
            if found is not None:
                pointers = at.text if isinstance(at, V) else _all_pointers(w, at)
                return cpu_copy.scatter_words(w, pointers, found)
        aos = rechunk(w, to_aos(w, value, VecType(d, n)), max(1, REGISTER // (d.bits * n)))
        cpu_copy.scatter_rows(w, at.text if isinstance(at, V) else _all_pointers(w, at), aos)
    return None


def _store_lane_by_lane(w: WaveWriter, at: LaneAddress | V, items: list[str], m: DType) -> None:
    """Vectors that are no power of two, or longer than a register. One lane is written after the other, as lanes may
    overlap."""
    slot = w.new_slot(VecType(m, len(items)))
    for i, x in enumerate(items):
        slot_store(w, slot, str(i), x)
    pointers = at.text if isinstance(at, V) else _all_pointers(w, at)
    cpu_copy.scatter_elements(w, pointers, slot.ptr, len(items), m)


def _store_chunks(w: WaveWriter, at: LaneAddress | V, value: Rep, t: VecType, align: int) -> bool:
    if isinstance(at, V):
        return False
    bits, n = t.dtype.bits, t.n
    known = w.mask if isinstance(w.mask, np.ndarray) else None
    lanes = min(at.run(n * bits // 8, known), max(1, REGISTER // (n * bits)))
    if isinstance(w.mask, str) and lanes < 4:
        return False
    aos = to_aos(w, value, t)
    if cpu_copy.worthwhile(w, at, lanes):
        cpu_copy.store_rows(w, at, 0, aos)
        return True
    lanes = min(lanes, aos.lanes)
    aos = rechunk(w, aos, lanes) if aos.lanes != lanes else aos
    for i, chunk in enumerate(aos.chunks):
        first = i * lanes
        active = None if known is None else known[first : first + lanes]
        if active is not None and not active.any():
            continue
        whole = w.mask is None or (active is not None and bool(active.all()))
        mask = None if whole else _lane_mask(w, first, lanes, n)
        _masked_store(w, lanes * n, word_of(bits), chunk, at.start(first, lanes, n * bits // 8), mask, align)
    return True


def _masked_store(w: WaveWriter, n: int, m: DType, value: str, p: str, mask: str | None, align: int) -> None:
    t = f"<{n} x i{m.bits}>"
    if mask is None:
        w.do(f"store {t} {value}, ptr {p}, align {align}")
    else:
        w.call(
            f"llvm.masked.store.v{n}i{m.bits}.p0", "void", (t, value), (f"ptr align {align}", p), (f"<{n} x i1>", mask)
        )


def _store_single(w: WaveWriter, at: LaneAddress | V, item: str, m: DType, align: int) -> None:
    known = w.mask if isinstance(w.mask, np.ndarray) else None
    if isinstance(at, LaneAddress):
        run = at.run(m.bytes, known)
        if run == w.W:
            mask = None if w.mask is None else w.mask_text(w.mask)
            return _masked_store(w, w.W, m, item, at.start(0, w.W, m.bytes), mask, align)
        if run >= 4 and w.mask is None:
            for first in range(0, w.W, run):
                part = shuffle(w, f"i{m.bits}", w.W, item, None, list(range(first, first + run)))
                _masked_store(w, run, m, part, at.pointer(first), None, align)
            return None
    pointers = at.text if isinstance(at, V) else _all_pointers(w, at)
    _scatter(w, item, pointers, m.bits, align)
    return None


def _scatter(w: WaveWriter, value: str, pointers: str, bits: int, align: int) -> None:
    t, mask = w.t(f"i{bits}"), w.mask_text(w.mask)
    if bits < 32:
        cpu_copy.scatter_rows(w, pointers, Aos(bits, 1, 0, 1, (value,), w.W))
        return
    name = f"scatter.i{bits}.{min(align, bits // 8)}.{w.W}"
    if name not in w.module.functions:
        inner = w.module.declare(f"llvm.masked.scatter.v{w.W}i{bits}.v{w.W}p0", "void", [t, w.t("ptr"), w.t("i1")])
        passed = f"{t} %x, {w.t('ptr')} align {min(align, bits // 8)} %p, {w.t('i1')} %m"
        w.module.functions[
            name
        ] = f"""define internal void @{name}({t} %x, {w.t("ptr")} %p, {w.t("i1")} %m) noinline #0 {{
  call void {inner}({passed})
  ret void
}}"""
    w.do(f"call void @{name}({t} {value}, {w.t('ptr')} {pointers}, {w.t('i1')} {mask})")


def copy(w: WaveWriter, source: Pending, p: Ptr, off: Scalar, t: Type) -> bool:
    """Moves each lane's vector straight from memory to memory, where that is worth a function; says whether it did."""
    size = count_of(t) * dtype_of(t).bytes
    if not pow2(size) or size > REGISTER // 8 or dtype_of(t).bits == 1:
        return False
    a, b = place(w, source.ptr, source.off), place(w, p, off)
    if not isinstance(a, LaneAddress) or not isinstance(b, LaneAddress):
        return False
    lanes = min(a.run(size, None), b.run(size, None), REGISTER // 8 // size)
    if not (cpu_copy.worthwhile(w, a, lanes) or cpu_copy.worthwhile(w, b, lanes)):
        return False
    cpu_copy.copy(w, a, 0, b, 0, size)
    return True


# -- local memory ------------------------------------------------------------------------------------------------------


def _local_places(w: WaveWriter, mem: LocalMemory, off: Scalar, count: int) -> list[str] | V:
    """Addresses of the words of an access: one pointer each to a whole wave's, or a vector of pointers to the first of
    each lane. An index that is outside, which is the user's mistake, is brought back to the last place: the stack of
    the process lies around."""
    t, last = w.t(f"i{mem.word * 8}"), max(mem.words - count, 0)
    if isinstance(off, S):
        if off.const is not None:
            first = str(min(max(off.const // mem.word, 0), last))
        else:
            first = w.call(
                "llvm.umin.i64", "i64", ("i64", w.op(f"udiv i64 {off.text}, {mem.word}")), ("i64", str(last))
            )
        row = w.op(f"getelementptr {t}, ptr {mem.ptr}, i64 {first}")
        return [w.op(f"getelementptr {t}, ptr {row}, i64 {i}") if i else row for i in range(count)]
    b = Bits(w, True, 64)
    lane = w.const_vector(lanes_of(list(range(w.W)), 64).k * mem.word, "i64")
    at = w.vec(off, i64)
    if not (isinstance(off, Lin) and off.is_const and off.k.min() >= 0 and off.k.max() <= last * mem.word):
        at = w.call(
            f"llvm.umin.v{w.W}i64", w.t("i64"), (w.t("i64"), at), (w.t("i64"), w.splat(str(last * mem.word), "i64"))
        )
    return V(pointers_of(w, mem.ptr, b("add", b("mul", at, w.W), lane)))


def local_vector(w: WaveWriter, p: Ptr, off: Scalar, t: Type) -> StackVector | None:
    """A vector in local memory as it stands there, to be written in place; None where it does not stand so."""
    mem, at = p.base, cpu_lin.add64(w, p.off, off)
    if not (isinstance(mem, LocalMemory) and isinstance(t, VecType) and isinstance(at, S) and at.const is not None):
        return None
    if mem.word != t.dtype.bytes or at.const % mem.word or not 0 <= at.const // mem.word <= mem.words - t.n:
        return None
    place = w.op(f"getelementptr {w.t(f'i{mem.word * 8}')}, ptr {mem.ptr}, i64 {at.const // mem.word}")
    w.standing[place] = (mem.ptr, at.const)
    return StackVector(place, t.n, elem(t.dtype))


def _local_load(w: WaveWriter, mem: LocalMemory, off: Scalar, t: Type) -> Rep:
    d = dtype_of(t)
    m = _in_memory(d)
    bits, count = mem.word * 8, count_of(t) * m.bytes // mem.word
    places = _local_places(w, mem, off, count)
    if isinstance(places, V):
        step = mem.word * w.W
        moved = [places.text] + [
            w.op(f"getelementptr i8, {w.t('ptr')} {places.text}, {w.t('i64')} splat (i64 {i * step})")
            for i in range(1, count)
        ]
        items = tuple(V(_gather(w, p, bits, mem.word)) for p in moved)
    else:
        items = tuple(V(w.op(f"load {w.t(f'i{bits}')}, ptr {p}, align {mem.word * 16}")) for p in places)
    if bits == 32 and m.bits < 32 and d.bits > 1 and isinstance(t, VecType):
        return of_words(w, [w.vec(x, word_of(32)) for x in items], d)
    out = [_value(w, w.vec(x, m), d, True) for x in words(w, items, word_of(bits), m.bits)]
    return Elems(tuple(out)) if isinstance(t, VecType) else out[0]


def _local_store(w: WaveWriter, mem: LocalMemory, off: Scalar, value: Rep, t: Type) -> None:
    d = dtype_of(t)
    m = _in_memory(d)
    bits = mem.word * 8
    if isinstance(value, StackVector) and isinstance(off, S) and w.standing.get(value.ptr) == (mem.ptr, off.const):
        return  # it was written there
    parts = words32(w, value, t) if bits == 32 and 1 < m.bits <= 32 and isinstance(t, VecType) and d.bits > 1 else None
    if parts is None:
        items = tuple(V(_stored(w, V(w.vec(x, d)), d, True)) for x in elements(w, value, t))
        parts = [w.vec(x, m) for x in words(w, items, m, bits)]
    places = _local_places(w, mem, off, len(parts))
    for i, x in enumerate(parts):
        if isinstance(places, V):
            step = i * mem.word * w.W
            p = (
                w.op(f"getelementptr i8, {w.t('ptr')} {places.text}, {w.t('i64')} splat (i64 {step})")
                if step
                else places.text
            )
            _scatter(w, x, p, bits, mem.word)
            continue
        t_word, align = w.t(f"i{bits}"), mem.word * 16
        if w.mask is not None:
            # A blend rather than a masked store: this memory is the wave's own, and LLVM can turn it into registers.
            old = w.op(f"load {t_word}, ptr {places[i]}, align {align}")
            x = w.op(f"select {w.t('i1')} {w.mask_text(w.mask)}, {t_word} {x}, {t_word} {old}")
        w.do(f"store {t_word} {x}, ptr {places[i]}, align {align}")
