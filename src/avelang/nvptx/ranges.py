"""Which constants an instruction's operands may be: what ptxas 13.0 refuses, as a table. An instruction comes in; what
is wrong with one goes out.

Each row was found by giving every form of the table constants from -1 to 2^40, one operand at a time, to ptxas; where
the PTX ISA has the limit too (9.7.13 for barriers, 9.7.20.5 for `setmaxnreg`, 9.7.14.6 for sparsity selectors, 9.7.16
for `tcgen05`), it is the same. """

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from avelang.nvptx import nodes as n
from avelang.nvptx.forms import Entry, named
from avelang.nvptx.ptx_types import TYPES

WORD = (1 << 32) - 1


class OperandRange(NamedTuple):
    """A limit of one operand of the instructions of `entries` (names with spaces between) that have all of `words` (one
    of those with a bar between). `operand` counts from 0. `want` says what `fits` accepts. `least`: how many operands
    there must be; with fewer this one is another."""

    entries: str
    words: str
    operand: int
    fits: Callable[[int], bool]
    want: str
    least: int = 0


def _between(low: int, high: int) -> tuple[Callable[[int], bool], str]:
    return (lambda v: low <= v <= high), f"{low} to {high}"


def _multiple(of: int, low: int = 0, high: int = 1 << 31) -> tuple[Callable[[int], bool], str]:
    return (lambda v: low <= v < high and v % of == 0), f"a multiple of {of}" + (f", {low} or more" if low else "")


_BARRIER = (lambda v: 0 <= v & WORD <= 15 and v >= 0), "the number of a barrier, 0 to 15"
_THREADS = (lambda v: v >= 0 and (v & WORD) % 32 == 0), "a number of threads: a multiple of 32"
_PARITY, _MASK, _POSITIVE = _between(0, 1), _between(0, 65535), ((lambda v: v > 0), "1 or more")
_BULK = (lambda v: 0 <= v < 1 << 31 and v % 16 == 0), "a number of bytes: a multiple of 16"

# fmt: off
TABLE: tuple[OperandRange, ...] = (*(OperandRange("bar barrier", word, at, *_BARRIER) for word,
    at in (("sync", 0), ("arrive", 0), ("red", 1))),
    *(OperandRange("bar barrier", word, at, *_THREADS, least) for word, at, least in (("sync", 1, 0), ("arrive", 1, 0),
    ("red", 2, 4))),
    *(OperandRange(name, "", at, *_between(0, 255)) for name, at in (("bfe", 2), ("bfe", 3), ("bfi", 3), ("bfi", 4))),
    OperandRange("setmaxnreg", "", 0, lambda v: 24 <= v <= 256 and v % 8 == 0, "24 to 256 registers, a multiple of 8"),
    OperandRange("mbarrier.init", "", 1, *_between(1, (1 << 20) - 1)), OperandRange("mbarrier.arrive "
    "mbarrier.arrive_drop", "", 2, *_POSITIVE),
    OperandRange("mbarrier.test_wait mbarrier.try_wait", "parity", 2, *_PARITY),
    OperandRange("cp.async.bulk.prefetch", "", 1, *_BULK),
    OperandRange("cp.reduce.async.bulk multimem.cp.async.bulk multimem.cp.reduce.async.bulk", "", 2, *_BULK),
    OperandRange("cp.async.bulk", "global mbarrier::complete_tx::bytes|bulk_group", 2, *_BULK),
    OperandRange("cp.async.bulk cp.async.bulk.tensor", "shared::cluster multicast::cluster", 4, *_MASK),
    OperandRange("st.bulk", "", 1, *_multiple(8, high=1 << 62)), OperandRange("pmevent", "mask", 0, *_MASK),
    OperandRange("wgmma.mma_async", "", 3, *_between(0, 1)), OperandRange("wgmma.mma_async.sp", "", 5, *_between(0, 1)),
    OperandRange("tensormap.replace", "elemtype", 1, *_between(0, 12)),
    OperandRange("wgmma.wait_group", "", 0, lambda v: v >= 0, "0 or more"),
    OperandRange("wgmma.mma_async.sp", "f16|f32", 4, *_between(0, 1)),
    OperandRange("wgmma.mma_async.sp", "s32", 4, *_between(0, 0)),
    OperandRange("tensormap.replace", "swizzle_atomicity", 1, *_between(0, 3)),
    OperandRange("tensormap.replace", "box_dim|global_dim|global_stride|element_stride", 1, *_between(0, 4)),
    OperandRange("tcgen05.alloc tcgen05.dealloc", "", 1, lambda v: 32 <= v <= 512 and v & (v - 1) == 0,
    "32, 64, 128, 256 or 512 columns"), OperandRange("tcgen05.commit", "multicast::cluster", 1, *_MASK),
    *(OperandRange("mma.sp mma.sp::ordered_metadata", f"{shape} {kind}", 5, *_between(0, most)) for shape, kind,
    most in (("m16n8k16", "f16|bf16", 3), ("m16n8k32", "f16|bf16", 1), ("m16n8k8", "tf32", 3), ("m16n8k16", "tf32", 1),
    ("m16n8k32", "u8|s8", 1), ("m16n8k64", "u8|s8", 0), ("m16n8k64", "u4|s4", 1), ("m16n8k128", "u4|s4", 0),
    ("m16n8k64", "e4m3|e5m2|e3m2|e2m3|e2m1", 0), ("m16n8k128", "e2m1", 0))))
# fmt: on


@functools.cache
def _by_entry() -> dict[Entry, list[OperandRange]]:
    found: dict[Entry, list[OperandRange]] = {}
    for row in TABLE:
        for own in named(row.entries):
            found.setdefault(own, []).append(row)
    return found


def value(x: n.Operand) -> int | None:
    """The number that an operand is, or None."""
    return x.value if isinstance(x, n.Int) else None


def out_of_range(own: Entry, x: n.PtxInstruction) -> Iterator[tuple[int, int, str]]:
    """(operand, its value, what it must be) of the constants that ptxas refuses."""
    for row in _by_entry().get(own, ()):
        v = value(x.operands[row.operand]) if row.operand < len(x.operands) else None
        applies = all(any(w in x.modifiers for w in word.split("|")) for word in row.words.split())
        if v is not None and applies and len(x.operands) >= row.least and not row.fits(v):
            yield row.operand, v, row.want
    if own.name in ("tcgen05.mma", "tcgen05.mma.sp") and {"kind::f16", "kind::tf32"} & {*x.modifiers}:
        power = value(x.operands[-1])  # behind the predicate, where it stands
        if power is not None and not 0 <= power <= 15:
            yield len(x.operands) - 1, power, "the power of two by which D is divided, 0 to 15"
    if own.name == "pmevent" and "mask" not in x.modifiers:
        event = value(x.operands[0])
        if event is not None and not 0 <= event <= 15:
            yield 0, event, "the number of an event, 0 to 15"
    if own.name == "cp.async" and len(x.operands) > 3:
        size, source = value(x.operands[2]), value(x.operands[3])
        if size is not None and source is not None and not 0 <= source <= size:
            yield 3, source, f"0 to {size} bytes, as many as are copied at most"


def cut(x: n.Operand, kind: str) -> str:
    """The value left of an integer constant that its type cannot hold, or "". ptxas takes its low bits without a
    word."""
    v, t = value(x), TYPES.get(kind)
    if v is None or t is None or t.kind not in "bus" or t.bits > 64 or -(1 << (t.bits - 1)) <= v < 1 << t.bits:
        return ""
    return f"{v & ((1 << t.bits) - 1)}, its low {t.bits} bits"
