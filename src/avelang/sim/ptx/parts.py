"""Parts of 8 bits of which nothing knows of the others whether they have a value: an instruction and what is known of
its operands come in, what is then known of its results goes out. So are vectors followed that are put together byte by
byte (`defined`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from avelang.nvptx import nodes as n
from avelang.nvptx.forms import entry, named
from avelang.sim.ptx.code import Instr, Operand, PtxReg, items_of

Parts = tuple[str, ...]  # for each byte of a value, from the lowest: the lanes in which it is undefined
WIDTH = 8
_PAIRS = frozenset({"f16x2", "bf16x2", "s16x2", "u16x2", "f32x2"})
_SIDE_BY_SIDE = named("add sub mul mad min max neg abs fadd fsub fmul fma fmad fmin fmax fneg fabs ex2 tanh")
_MOV, _CVT, _SHL = (entry(name) for name in ("mov", "cvt", "shl"))
_CONVERTED = {f"{sign}{bits}": bits for sign in "usb" for bits in (8, 16, 32, 64)}
# What may give a value whose parts differ where those of its operands do.
_KEEPING = named("mov selp shl shr prmt cvt cvt.pack shfl bfi bfe slct and or xor not") | _SIDE_BY_SIDE
_PACKING, _LOADS = named("prmt bfi"), named("ld ldu")


def count(bits: int) -> int:
    """Parts of a value."""
    return max(1, bits // WIDTH)


def _registers(o: Operand) -> Iterable[PtxReg]:
    return (x for x in items_of(o) if isinstance(x, PtxReg))


def apart(instructions: Iterable[Instr]) -> frozenset[PtxReg]:
    """The registers whose parts may differ: those that are packed or come from memory, and what is made of them part by
    part."""
    found: set[PtxReg] = set()
    ways: dict[PtxReg, set[PtxReg]] = {}
    for i in instructions:
        o = i.operands
        if not o:
            continue
        wide = [r for r in _registers(o[0]) if r.bits > WIDTH]
        packs = i.entry is _MOV and len(o) > 1 and isinstance(o[1], n.VectorOperand)
        pairs = i.entry is _CVT and any(p in _PAIRS or p in ("b32",) for p in i.parts) and len(o) == 3
        if (packs or pairs or i.entry in _PACKING
                or (i.entry in _LOADS and "global" not in i.parts and "param" not in i.parts)):
            found.update(wide)
        elif i.entry in _KEEPING:
            for r in (r for x in o[1:] for r in _registers(x)):
                ways.setdefault(r, set()).update(wide)
    work = list(found)
    while work:
        for r in ways.get(work.pop(), ()):
            if r not in found:
                found.add(r)
                work.append(r)
    return frozenset(found)


def results(i: Instr, of: Callable[..., Parts], either: Callable[..., str]) -> list[Parts]:
    """The undefined parts of each register that the instruction writes, in order; nothing where it is all or none."""
    make = _RULES.get(i.entry)
    found = make(i, of, either) if make is not None else None
    if found is None and i.entry in _SIDE_BY_SIDE and _PAIRS & set(i.parts):
        found = _beside(i, of, either)
    return found or []


def _beside(i: Instr, of: Callable[..., Parts], either: Callable[..., str]) -> list[Parts] | None:
    """Part k of the result comes of parts k of the operands."""
    if not isinstance(i.operands[0], PtxReg):
        return None
    width = count(i.operands[0].bits)
    sources = [of(x, width) for x in i.operands[1:] if isinstance(x, (PtxReg, n.Int, n.Float))]
    if any(len(x) != width for x in sources) or i.operands[0].bits == 1:
        return None
    found = [either(*x) for x in zip(*sources, strict=True)]
    size = 4 if "f32x2" in i.parts else 2 if _PAIRS & set(i.parts) else 1  # bytes of an element
    return [tuple(either(*found[k - k % size : k - k % size + size]) for k in range(width))]


def _moved(i: Instr, of: Callable[..., Parts], either: Callable[..., str]) -> list[Parts] | None:
    to, source = i.operands[:2]
    if isinstance(source, n.VectorOperand) and isinstance(to, PtxReg):
        each = count(to.bits // len(source.items))
        return [tuple(p for x in source.items for p in of(x, each)[:each])]
    if isinstance(to, n.VectorOperand) and isinstance(source, PtxReg):
        each, whole = count(source.bits // len(to.items)), of(source)
        return [(*whole[k * each : (k + 1) * each], *("0",) * (count(x.bits) - each))
            for k, x in enumerate(to.items) if isinstance(x, PtxReg)]
    return None


def _shifted(i: Instr, of: Callable[..., Parts], either: Callable[..., str]) -> list[Parts] | None:
    to, source, by = i.operands
    if not isinstance(by, n.Int) or not isinstance(to, PtxReg) or not isinstance(source, PtxReg):
        return None
    u, width = of(source), count(to.bits)
    far, near = divmod(min(max(by.value, 0), to.bits), WIDTH)
    if i.entry is _SHL:
        return [tuple(either(*(u[k] for k in {p - far, p - far - (near > 0)} if 0 <= k < width)) for p in range(width))]
    filled = i.parts[-1].startswith("s")
    return [tuple(either(*(u[min(k, width - 1)] for k in {p + far, p + far + (near > 0)} if k < width or filled))
        for p in range(width))]


def _masked(i: Instr, of: Callable[..., Parts], either: Callable[..., str]) -> list[Parts] | None:
    """and: nothing is left of a part where the number has no bits."""
    found = _beside(i, of, either)
    for x in i.operands[1:]:
        if isinstance(x, n.Int) and found is not None:
            found = [tuple(u if x.value >> WIDTH * p & 0xFF else "0" for p, u in enumerate(found[0]))]
    return found


def _permuted(i: Instr, of: Callable[..., Parts], either: Callable[..., str]) -> list[Parts] | None:
    to, a, b, which = i.operands
    if not isinstance(which, n.Int) or not isinstance(to, PtxReg) or i.parts[-1] != "b32":
        return None
    whole = (*of(a, 4), *of(b, 4))
    return [tuple(whole[which.value >> 4 * k & 7] for k in range(4))]


def _inserted(i: Instr, of: Callable[..., Parts], either: Callable[..., str]) -> list[Parts] | None:
    """bfi: a byte is of the field, of what it is put into, or of both."""
    to, a, b, start, length = i.operands
    if not isinstance(to, PtxReg) or not isinstance(start, n.Int) or not isinstance(length, n.Int):
        return None
    width, first = count(to.bits), start.value & 0xFF
    end = min(first + (length.value & 0xFF), to.bits)
    field, into, out = of(a, width), of(b, width), list[str]()
    for p in range(width):
        low, high = max(WIDTH * p, first), min(WIDTH * (p + 1), end)
        mine = field[(low - first) // WIDTH : (high - first - 1) // WIDTH + 1] if low < high else ()
        out.append(either(*mine, *((into[p],) if high - low < WIDTH else ())))
    return [tuple(out)]


def _extracted(i: Instr, of: Callable[..., Parts], either: Callable[..., str]) -> list[Parts] | None:
    """bfe: the bytes of a field, behind which stand zeros, or copies of its sign."""
    to, a, start, length = i.operands
    if not isinstance(to, PtxReg) or not isinstance(start, n.Int) or not isinstance(length, n.Int):
        return None
    width, first = count(to.bits), start.value & 0xFF
    end = min(first + (length.value & 0xFF), to.bits)
    whole, out = of(a, width), list[str]()
    for p in range(width):
        low, high = first + WIDTH * p, min(first + WIDTH * (p + 1), end)
        out.append(either(*whole[low // WIDTH : (high - 1) // WIDTH + 1]) if low < high else "0")
    if i.parts[-1].startswith("s") and end > first:
        sign = whole[(end - 1) // WIDTH]
        out = [either(u, sign) if WIDTH * (p + 1) > end - first else u for p, u in enumerate(out)]
    return [tuple(out)]


def _converted(i: Instr, of: Callable[..., Parts], either: Callable[..., str]) -> list[Parts] | None:
    to = i.operands[0]
    if len(i.operands) == 3 and isinstance(to, PtxReg) and to.bits == 32 and _PAIRS & set(i.parts):
        low, high = (either(*of(x)) for x in (i.operands[2], i.operands[1]))  # the first is the upper half
        return [(low, low, high, high)]
    kinds = [p for p in i.parts[1:] if p in _CONVERTED]
    if len(kinds) != 2 or len(i.parts) != 3 or not isinstance(to, PtxReg) or not isinstance(i.operands[1], PtxReg):
        return None
    new, old = (count(_CONVERTED[k]) for k in kinds)
    u = of(i.operands[1])[:old]
    fill = u[-1] if kinds[1].startswith("s") else "0"
    u = (*u, *(fill,) * (new - old))[:new]
    behind = u[-1] if kinds[0].startswith("s") else "0"
    return [(*u, *(behind,) * (count(to.bits) - new))]


_RULES = {entry(name): rule for name, rule in {
    "mov": _moved, "shl": _shifted, "shr": _shifted, "and": _masked, "or": _beside, "xor": _beside, "not": _beside,
    "prmt": _permuted, "cvt": _converted, "bfi": _inserted, "bfe": _extracted,
}.items()}  # fmt: skip
