"""Parts of results that have a value or not by what a register holds: shifts, fields and permutations by numbers that
only the run knows, with which compilers read and write a byte of a vector (`parts`), and predicates that decide alone
what two of them give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from avelang.nvptx import nodes as n
from avelang.nvptx.forms import Entry, entry
from avelang.sim.ptx.code import Instr, Operand, PtxReg
from avelang.sim.ptx.parts import WIDTH, Parts, count

MOST = (1 << 32) - 1


class Lanes(Protocol):
    """Masks of lanes: of a value that has none, and by the value of a register."""

    def of(self, o: Operand, width: int = 1) -> Parts:
        """Of each part of an operand the lanes that have none."""
        ...

    def either(self, *masks: str) -> str:
        """The union."""
        ...

    def common(self, one: str, two: str) -> str:
        """The intersection."""
        ...

    def holds(self, o: Operand, value: bool) -> str:
        """The lanes in which a predicate has this value."""
        ...

    def within(self, o: Operand, low: int, high: int, bits: int = 32, start: int = 0) -> str:
        """The lanes in which `bits` of a number, from bit `start` on, are in [low, high]."""
        ...


def _spread(lanes: Lanes, by: Operand, reaches: Mapping[int, tuple[int, int]], u: Parts, bits: int) -> Callable:
    """The lanes in which a byte is of one without a value: `by` is in `reaches[d]` where the byte is `d` behind it."""
    held = {d: lanes.within(by, *r, bits) for d, r in reaches.items()}
    return lambda p: lanes.either(*(lanes.common(held[d], u[p + d]) for d in held if 0 <= p + d < len(u)))


def _shifted(i: Instr, lanes: Lanes) -> tuple[str, ...] | None:
    to, source, by = i.operands
    if not isinstance(source, PtxReg) or not isinstance(to, PtxReg):
        return None
    u, width = lanes.of(source), count(to.bits)
    left = i.entry is _SHL
    reaches = {-d if left else d: (max(WIDTH * d - WIDTH + 1, 0), WIDTH * (d + 1) - 1) for d in range(width)}
    spread = _spread(lanes, by, reaches, u, 32)
    out = [spread(p) for p in range(width)]
    if i.parts[-1].startswith("s") and not left:  # behind the last byte stands its sign
        for p in range(width):
            far = lanes.within(by, max(WIDTH * (width - p) - WIDTH + 1, 0), MOST)
            out[p] = lanes.either(out[p], lanes.common(far, u[-1]))
    return tuple(out)


def _inserted(i: Instr, lanes: Lanes) -> tuple[str, ...] | None:
    """bfi: where the field lies a byte is its own, at its ends both, else of what it is put into."""
    to, a, b, start, length = i.operands
    if not isinstance(length, n.Int) or not isinstance(to, PtxReg):
        return None
    width, bits = count(to.bits), length.value & 0xFF
    field, into, out = lanes.either(*lanes.of(a, width)[: -(-bits // WIDTH)]), lanes.of(b, width), list[str]()
    for p in range(width):
        at = WIDTH * p
        near = lanes.within(start, max(at - bits + 1, 0), at + WIDTH - 1, 8) if bits else "0"
        left = [into[p]]
        if bits >= WIDTH:  # it may cover the byte
            last = at - max(bits - WIDTH, 0)
            left = [lanes.common(into[p], lanes.within(start, at + 1, 255, 8))]
            left += [lanes.common(into[p], lanes.within(start, 0, last - 1, 8))] if last > 0 else []
        out.append(lanes.either(lanes.common(near, field), *left))
    return tuple(out)


def _extracted(i: Instr, lanes: Lanes) -> tuple[str, ...] | None:
    """bfe without a sign: bytes that are shifted, and zeros behind the field."""
    to, a, start, length = i.operands
    if i.parts[-1].startswith("s"):
        return None
    if not (isinstance(to, PtxReg) and isinstance(a, PtxReg) and isinstance(length, n.Int)):
        return None
    width, bits = count(to.bits), length.value & 0xFF
    out = list[str]()
    for p in range(width):
        wide = min(WIDTH, bits - WIDTH * p)  # bits of the field in this byte
        reaches = {d: (max(WIDTH * d - wide + 1, 0), WIDTH * (d + 1) - 1) for d in range(width)} if wide > 0 else {}
        out.append(_spread(lanes, start, reaches, lanes.of(a, width), 8)(p))
    return tuple(out)


def _permuted(i: Instr, lanes: Lanes) -> tuple[str, ...] | None:
    _, a, b, which = i.operands
    if i.parts[-1] != "b32":
        return None
    whole = (*lanes.of(a, 4), *lanes.of(b, 4))
    return tuple(
        lanes.either(*(lanes.common(lanes.within(which, j, j, 3, 4 * k), u) for j, u in enumerate(whole) if u != "0"))
        for k in range(4)
    )


def _open(lanes: Lanes, o: Operand, name: str) -> tuple[str, str]:
    """Of a predicate: the lanes in which it has no value, and those in which it leaves a result of `name` to others."""
    unknown = lanes.either(*lanes.of(o.operand if isinstance(o, n.Not) else o))  # type: ignore[arg-type]
    return unknown, lanes.either(unknown, lanes.holds(o, name == "and"))


def _joined(i: Instr, lanes: Lanes) -> list[Parts]:
    """and, or of predicates: `a && b` is computed whole, where b may come of what nothing has written if a is false."""
    (one, first), (two, second) = (_open(lanes, o, i.parts[0]) for o in i.operands[1:3])
    return [(lanes.either(lanes.common(one, second), lanes.common(two, first)),)]


def _compared(i: Instr, lanes: Lanes) -> list[Parts]:
    """setp with a predicate, to which it is joined; the same of both results."""
    name = next(p for p in i.parts if p in _JOINING)
    compared = lanes.either(*(u for o in i.operands[1:3] for u in lanes.of(o)))
    unknown, left = _open(lanes, i.operands[3], name)
    found = (lanes.either(unknown, lanes.common(compared, left)),)
    return [found, found] if isinstance(i.operands[0], n.Pair) else [found]


_JOINING = ("and", "or")
_SHL, _SETP = entry("shl"), entry("setp")
# By entry: the operand that is a register here, and the rule.
_RULES: dict[Entry, tuple[int, Callable[[Instr, Lanes], tuple[str, ...] | None]]] = {
    _SHL: (2, _shifted), entry("shr"): (2, _shifted), entry("bfi"): (3, _inserted), entry("bfe"): (2, _extracted),
    entry("prmt"): (3, _permuted),
}  # fmt: skip


def results(i: Instr, lanes: Lanes) -> list[Parts]:
    """The undefined parts of the register that the instruction writes; nothing where it is all or none."""
    if "pred" in i.parts and i.parts[0] in _JOINING and i.entry is entry(i.parts[0]):
        return _joined(i, lanes)
    if i.entry is _SETP and len(i.operands) == 4 and set(_JOINING) & set(i.parts):
        return _compared(i, lanes)
    place, rule = _RULES.get(i.entry, (0, None))
    if rule is None or not all(isinstance(i.operands[k], PtxReg) for k in (0, place)):
        return []
    if all(u == "0" for o in i.operands[1:] for u in lanes.of(o)):
        return []
    found = rule(i, lanes)
    if found is None:
        return []
    unknown = lanes.of(i.operands[place])
    return [tuple(lanes.either(u, *unknown) for u in found)]
