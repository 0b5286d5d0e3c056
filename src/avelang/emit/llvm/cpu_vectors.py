"""Vectors of IR elements: one form comes in, the form that an op or a memory access needs goes out, by shuffles that
x86 has."""

from __future__ import annotations

from collections.abc import Callable

from avelang.emit.llvm.cpu_values import Aos, Elems, Lin, Packed, Rep, S, Scalar, StackVector, V, Vector, elem
from avelang.emit.llvm.cpu_wave import WaveWriter
from avelang.ir.dtypes import DType, word_of
from avelang.ir.types import Type, VecType, dtype_of
from avelang.llvm.narrow_floats import Bits

REGISTER = 512  # bits of the vector registers for which shuffles are written


def pow2(n: int) -> bool:
    """True for a power of two."""
    return n > 0 and n & (n - 1) == 0


def shuffle(w: WaveWriter, t: str, n: int, a: str, b: str | None, mask: list[int]) -> str:
    """shufflevector of two vectors of n elements of an LLVM type."""
    if b is None and mask == list(range(n)):
        return a
    indices = ", ".join(f"i32 {i}" for i in mask)
    return w.op(f"shufflevector <{n} x {t}> {a}, <{n} x {t}> {b or 'poison'}, <{len(mask)} x i32> <{indices}>")


def concat(w: WaveWriter, t: str, n: int, parts: list[str]) -> str:
    """One vector of 2**i vectors of n elements."""
    while len(parts) > 1:
        parts = [shuffle(w, t, n, a, b, list(range(2 * n))) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        n *= 2
    return parts[0]


def count_of(t: Type) -> int:
    """Elements of a type: 1 for a scalar."""
    return t.n if isinstance(t, VecType) else 1


# -- to elements -------------------------------------------------------------------------------------------------------


def elements(w: WaveWriter, rep: Rep, t: Type) -> tuple[Scalar, ...]:
    """The elements of a vector, one scalar form each; a scalar is its own only element."""
    if isinstance(rep, Elems):
        return rep.items
    if isinstance(rep, StackVector):
        return tuple(V(slot_load(w, rep, str(i))) for i in range(rep.n))
    if isinstance(rep, Aos):
        return tuple(V(x) for x in _from_aos(w, rep, dtype_of(t)))
    if isinstance(rep, Packed):
        return _unpacked(w, rep, dtype_of(t))
    assert isinstance(rep, Scalar)
    return (rep,)


def _unpacked(w: WaveWriter, rep: Packed, d: DType) -> tuple[Scalar, ...]:
    """The elements of words, made once in a region."""
    key = ("packed", rep, d)
    if (found := w.memo(key)) is None:
        items = _recast(w, tuple(map(V, rep.words)), word_of(32), d)
        found = w.remember(key, " ".join(w.vec(x, d) for x in items))
    return tuple(map(V, found.split()))


def words32(w: WaveWriter, rep: Rep, t: VecType) -> list[str] | None:
    """A vector as words of 32 bits of all lanes; None where it is no whole number of them, or its elements are
    wider."""
    d = t.dtype
    if t.bits % 32 or d.bits not in (8, 16, 32):
        return None
    if isinstance(rep, Packed):
        return list(rep.words)
    if isinstance(rep, Aos) and all(x * rep.bits % 32 == 0 for x in (rep.start, rep.count, rep.n)):
        whole = rebits(w, rep, 32)
        return columns(w, whole)[whole.start : whole.start + whole.count]
    items = tuple(V(integer(w, V(w.vec(x, d)), d, True)) for x in elements(w, rep, t))
    return [w.vec(x, word_of(32)) for x in _recast(w, items, word_of(d.bits), word_of(32))]


def of_words(w: WaveWriter, found: list[str], d: DType) -> Rep:
    """The inverse of `words32`: the vector of these words."""
    return Packed(tuple(found)) if d.bits < 32 else Elems(tuple(from_integer(w, x, d, True) for x in found))


def slot_place(w: WaveWriter, slot: StackVector, index: str) -> str:
    """A pointer to an element of all lanes."""
    return w.op(f"getelementptr {w.t(slot.elem)}, ptr {slot.ptr}, i64 {index}")


def slot_load(w: WaveWriter, slot: StackVector, index: str) -> str:
    """An element of all lanes."""
    return w.op(f"load {w.t(slot.elem)}, ptr {slot_place(w, slot, index)}, align 64")


def slot_store(w: WaveWriter, slot: StackVector, index: str, value: str) -> None:
    """Writes an element of all lanes."""
    w.do(f"store {w.t(slot.elem)} {value}, ptr {slot_place(w, slot, index)}, align 64")


def to_slot(w: WaveWriter, rep: Rep, t: VecType, slot: StackVector | None = None) -> StackVector:
    """A vector written to `slot`, or to a new one."""
    slot = slot or w.new_slot(t)
    for i, item in enumerate(elements(w, rep, t)):
        slot_store(w, slot, str(i), w.vec(item, t.dtype))
    return slot


def _from_aos(w: WaveWriter, a: Aos, d: DType) -> list[str]:
    """LLVM vectors of a wave, one for each element."""
    if a.bits < 32 and a.n * a.bits % 32 == 0:
        per = 32 // a.bits
        found = columns(w, rebits(w, Aos(a.bits, a.n, 0, a.n, a.chunks, a.lanes), 32))
        b = Bits(w, True)
        out = []
        for i in range(a.start, a.start + a.count):
            word = found[i // per]
            shifted = b("lshr", word, i % per * a.bits) if i % per else word
            out.append(w.op(f"trunc {b.t} {shifted} to {w.t(f'i{a.bits}')}"))
        return out
    found = columns(w, a)[a.start : a.start + a.count]
    e = elem(d)
    return found if e == f"i{a.bits}" else [w.op(f"bitcast {w.t(f'i{a.bits}')} {c} to {w.t(e)}") for c in found]


def columns(w: WaveWriter, a: Aos) -> list[str]:
    """All n elements of each lane, each as an integer vector of a wave."""
    key = (a.chunks, a.bits, a.n)
    if (found := w.memo(key)) is not None:
        return found.split()
    t, length = f"i{a.bits}", REGISTER // a.bits
    if pow2(a.n) and a.n <= length <= w.W:
        chunks = list(rechunk(w, a, length // a.n).chunks)
        groups = [_unzip(w, t, length, chunks[i : i + a.n]) for i in range(0, len(chunks), a.n)]
        out = [concat(w, t, length, [g[i] for g in groups]) for i in range(a.n)]
    else:
        whole, total = rechunk(w, a, w.W).chunks[0], w.W * a.n
        out = [shuffle(w, t, total, whole, None, list(range(i, total, a.n))) for i in range(a.n)]
    w.remember(key, " ".join(out))
    return out


def _unzip(w: WaveWriter, t: str, length: int, chunks: list[str]) -> list[str]:
    """n registers in which n elements take turns -> n registers of one element each."""
    if len(chunks) == 1:
        return chunks
    pairs = list(zip(chunks[::2], chunks[1::2], strict=True))
    even, odd = ([shuffle(w, t, length, x, y, list(range(first, 2 * length, 2))) for x, y in pairs] for first in (0, 1))
    return [x for pair in zip(_unzip(w, t, length, even), _unzip(w, t, length, odd), strict=True) for x in pair]


def rechunk(w: WaveWriter, a: Aos, lanes: int) -> Aos:
    """The same vector in chunks of so many lanes."""
    t, size = f"i{a.bits}", a.lanes * a.n
    if lanes > a.lanes:
        k = lanes // a.lanes
        chunks = [concat(w, t, size, list(a.chunks[i : i + k])) for i in range(0, len(a.chunks), k)]
    else:
        step = lanes * a.n
        chunks = [
            shuffle(w, t, size, c, None, list(range(i, i + step))) for c in a.chunks for i in range(0, size, step)
        ]
    return Aos(a.bits, a.n, a.start, a.count, tuple(chunks), lanes)


def rebits(w: WaveWriter, a: Aos, bits: int) -> Aos:
    """The same bits as elements of another width."""
    if bits == a.bits:
        return a
    old, new = a.lanes * a.n, a.lanes * a.n * a.bits // bits
    chunks = tuple(w.op(f"bitcast <{old} x i{a.bits}> {c} to <{new} x i{bits}>") for c in a.chunks)
    return Aos(bits, a.n * a.bits // bits, a.start * a.bits // bits, a.count * a.bits // bits, chunks, a.lanes)


# -- to lanes one after another ----------------------------------------------------------------------------------------


def to_aos(w: WaveWriter, rep: Rep, t: VecType) -> Aos:
    """The form in which lanes stand one after another, all elements of each; n must be a power of two."""
    if isinstance(rep, Aos):
        if rep.count == rep.n:
            return rep
        if rep.lanes == 1:
            part = list(range(rep.start, rep.start + rep.count))
            return Aos(
                rep.bits,
                rep.count,
                0,
                rep.count,
                tuple(shuffle(w, f"i{rep.bits}", rep.n, c, None, part) for c in rep.chunks),
                1,
            )
    if isinstance(rep, Packed):
        items, bits = list(rep.words), 32
    else:
        items = [integer(w, V(w.vec(x, t.dtype)), t.dtype, True) for x in elements(w, rep, t)]
        bits = t.dtype.bits
    while bits < 32 and len(items) > 1:
        b = Bits(w, True, bits * 2)
        wider = [
            [w.op(f"zext {w.t(f'i{bits}')} {x} to {b.t}") for x in pair]
            for pair in zip(items[::2], items[1::2], strict=True)
        ]
        items = [b("or", lo, b("shl", hi, bits)) for lo, hi in wider]
        bits *= 2
    whole = Aos(bits, len(items), 0, len(items), (_zip(w, f"i{bits}", w.W, items),), w.W)
    return rebits(w, whole, t.dtype.bits)


def _zip(w: WaveWriter, t: str, n: int, items: list[str]) -> str:
    if len(items) == 1:
        return items[0]
    even, odd = _zip(w, t, n, items[::2]), _zip(w, t, n, items[1::2])
    half = n * len(items) // 2
    return shuffle(w, t, half, even, odd, [i // 2 + i % 2 * half for i in range(2 * half)])


# -- bits --------------------------------------------------------------------------------------------------------------


def integer(w: WaveWriter, x: Scalar, d: DType, wide: bool) -> str:
    """The bits of a scalar form as an integer of its width."""
    text, e = w.text(x, d, wide), elem(d)
    return w.op(f"bitcast {w.t(e, wide)} {text} to {w.t(f'i{d.bits}', wide)}") if e in ("float", "double") else text


def from_integer(w: WaveWriter, text: str, d: DType, wide: bool) -> Scalar:
    """The inverse of `integer`."""
    e = elem(d)
    return w.made(
        w.op(f"bitcast {w.t(f'i{d.bits}', wide)} {text} to {w.t(e, wide)}") if e in ("float", "double") else text, wide
    )


def bitcast(w: WaveWriter, rep: Rep, src: Type, dst: Type) -> Rep:
    """The same bits as another scalar or vector type."""
    a, b = dtype_of(src), dtype_of(dst)
    if isinstance(rep, Aos) and isinstance(dst, VecType):
        step = max(a.bits, b.bits)
        if all(x * a.bits % step == 0 for x in (rep.start, rep.count, rep.n)):
            return rebits(w, rep, b.bits)
    if isinstance(dst, VecType) and isinstance(src, VecType) and {a.bits, b.bits} <= {8, 16, 32} and a.bits != b.bits:
        found = words32(w, rep, src)
        if found is not None and not all(isinstance(x, S) for x in getattr(rep, "items", (None,))):
            return of_words(w, found, b)
    if isinstance(rep, (Lin, S)) and a.is_int and b.is_int and a.bits == b.bits:
        return rep
    items = _recast(w, elements(w, rep, src), a, b)
    return Elems(tuple(items)) if isinstance(dst, VecType) else items[0]


def _recast(w: WaveWriter, items: tuple[Scalar, ...], a: DType, b: DType) -> list[Scalar]:
    wide = not all(isinstance(x, S) for x in items)
    if a.bits == b.bits:
        return [
            x
            if elem(a) == elem(b)
            else from_integer(w, integer(w, x, a, not isinstance(x, S)), b, not isinstance(x, S))
            for x in items
        ]
    texts = [integer(w, x, a, wide) for x in items]
    big, small = max(a.bits, b.bits), min(a.bits, b.bits)
    ops, t, narrow = Bits(w, wide, big), w.t(f"i{big}", wide), w.t(f"i{small}", wide)
    out: list[str] = []
    if b.bits < a.bits:
        for x in texts:
            for shift in range(0, big, small):
                out.append(w.op(f"trunc {t} {ops('lshr', x, shift) if shift else x} to {narrow}"))
    else:
        per = big // small
        for i in range(0, len(texts), per):
            total = w.op(f"zext {narrow} {texts[i]} to {t}")
            for j in range(1, per):
                total = ops("or", total, ops("shl", w.op(f"zext {narrow} {texts[i + j]} to {t}"), j * small))
            out.append(total)
    return [from_integer(w, x, b, wide) for x in out]


def words(w: WaveWriter, items: tuple[Scalar, ...], d: DType, bits: int) -> list[Scalar]:
    """Elements regrouped as integers of `bits` bits."""
    return _recast(w, items, d, word_of(bits))


# -- single elements ---------------------------------------------------------------------------------------------------


def extract(w: WaveWriter, rep: Rep, t: VecType, index: int | Scalar, d: DType) -> Scalar:
    """One element. `index`: a constant, or a form of dtype `d`; outside the vector the result is any element."""
    if isinstance(index, S) and index.const is not None:
        index = min(max(index.const, 0), t.n - 1)
    if isinstance(index, int):
        return V(slot_load(w, rep, str(index))) if isinstance(rep, StackVector) else elements(w, rep, t)[index]
    if isinstance(index, S):
        slot = rep if isinstance(rep, StackVector) else to_slot(w, rep, t)
        return V(slot_load(w, slot, _clamped(w, index, d, t.n)))
    return _choose(w, index, d, list(elements(w, rep, t)), t.dtype)


def _clamped(w: WaveWriter, index: S, d: DType, n: int) -> str:
    wide = index.text if d.bits == 64 else w.op(f"zext i{d.bits} {index.text} to i64") if d.bits < 64 else index.text
    return w.call("llvm.umin.i64", "i64", ("i64", wide), ("i64", str(n - 1)))


def _choose(w: WaveWriter, index: Scalar, d: DType, items: list[Scalar], e: DType) -> Scalar:
    b, t = Bits(w, True, d.bits), w.t(elem(e))
    at, out = w.vec(index, d), w.vec(items[0], e)
    for i, item in enumerate(items[1:], 1):
        out = w.op(f"select {w.t('i1')} {b.cmp('eq', at, i)}, {t} {w.vec(item, e)}, {t} {out}")
    return V(out)


def insert(w: WaveWriter, rep: Rep, t: VecType, item: Scalar, index: int | Scalar, d: DType, in_place: bool) -> Vector:
    """The vector with one element replaced. `in_place`: nobody else reads the vector; a slot may be written."""
    if isinstance(index, S) and index.const is not None:
        index = index.const
    if isinstance(rep, StackVector) and rep.owned and in_place and isinstance(index, (int, S)):
        slot_store(w, rep, str(index) if isinstance(index, int) else _clamped(w, index, d, t.n), w.vec(item, t.dtype))
        return rep
    items = list(elements(w, rep, t))
    if isinstance(index, int):
        if 0 <= index < t.n:
            items[index] = item
        return Elems(tuple(items))
    b, e, new = Bits(w, True, d.bits), w.t(elem(t.dtype)), w.vec(item, t.dtype)
    pick: Callable[[int], str] = lambda i: b.cmp("eq", w.vec(index, d), i)  # noqa: E731
    return Elems(
        tuple(V(w.op(f"select {w.t('i1')} {pick(i)}, {e} {new}, {e} {w.vec(x, t.dtype)}")) for i, x in enumerate(items))
    )
