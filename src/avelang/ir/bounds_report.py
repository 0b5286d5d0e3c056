"""What a checked kernel reports of an access out of bounds: the words of the record in memory, and the sites that its
numbers name.

The record is 64-bit words: whether there is a report (1 once a lane has begun to write it, the first stays), the site,
the block (three), the thread's number in its block, then the site's values. Behind the record stand, for each array of
the launch in the order of the parameters, the first and one-past-last address of its memory."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from avelang.base.errors import AveError, error, users_place
from avelang.base.spans import Span

FLAG, SITE, BLOCK, THREAD, VALUES = 0, 1, 2, 5, 6  # words
RECORD = 64  # words of the record; the ranges follow
MOST_VALUES = RECORD - VALUES
PARAM = "ave.bounds"  # no name that a parameter in Python can have


@dataclasses.dataclass(frozen=True, slots=True)
class MemoryRange:
    """Memory that accesses are measured against: its name for messages, its first address and its bytes."""

    name: str
    start: int
    size: int


@dataclasses.dataclass(slots=True)
class Site:
    """One checked access. `kind`: "extent" (a coordinate against its extent), "bounds" (an address against memory),
    "register" (an index of a register vector), "uniform" (the operand `tensor` against the first active lane's; `name`
    says what to do). `coords`, `shape`, `strides`: numbers, or None for the next value of the report; `strides` are in
    bytes, of the leaves that the coordinates leave. `root`: the number of the array that the address is relative to, -1
    for an absolute address, -2 for memory that `name` and `size` say. `run`: bytes of one contiguous piece."""

    kind: str
    what: str
    tensor: str = ""
    space: str = "global"
    coords: list[int | None] = dataclasses.field(default_factory=list)
    shape: list[int | None] = dataclasses.field(default_factory=list)
    strides: list[int | None] = dataclasses.field(default_factory=list)
    rest: list[int] = dataclasses.field(default_factory=list)
    root: int = -1
    name: str = ""
    size: int = 0
    run: int = 0
    element: int = 1
    span: Any = None

    def json(self) -> dict[str, Any]:
        """As values of JSON."""
        out = dataclasses.asdict(dataclasses.replace(self, span=None))
        return {**out, "span": _packed(self.span)}


def _packed(span: Span | None) -> list[Any] | None:
    return None if span is None else [span.file, span.line, span.col, span.end_line, span.end_col, span.function,
                                      _packed(span.caller)]


def _span(packed: Sequence[Any] | None) -> Span | None:
    return None if packed is None else Span(*packed[:6], caller=_span(packed[6]))


def place(block: Sequence[int], thread: int, extents: Sequence[int], wave: int) -> str:
    """Block, thread, lane and wave in words."""
    bx, by, _ = extents
    at = (thread % bx, thread // bx % by, thread // (bx * by))
    return f"block {tuple(map(int, block))}, thread {at}, lane {thread % wave} of wave {thread // wave}"


def nearest(memory: Sequence[MemoryRange], address: int, size: int) -> str:
    """The memory nearest to an access that missed, in words."""
    if not memory:
        return ""
    near = min(memory, key=lambda m: max(m.start - address, address - m.start - m.size, 0))
    at, past = address - near.start, address + size - near.start - near.size
    missed = f"{-at} bytes before its start" if at < 0 else f"ends {past} bytes past its end"
    starts = "starts " if at < 0 else ""
    return f"; nearest is `{near.name}`, {near.size} bytes at {near.start:#x}: the access {starts}{missed}"


class _Values:
    """The values of a report, taken one after another where the site has None."""

    def __init__(self, values: Sequence[int]):
        self.left = iter(values)

    def fill(self, known: Sequence[int | None]) -> list[int]:
        return [int(next(self.left)) if x is None else x for x in known]


def report(kernel: str, sites: Sequence[Mapping[str, Any]], record: Sequence[int], extents: Sequence[int], wave: int,
           arrays: Sequence[MemoryRange]) -> AveError | None:  # fmt: skip
    """The error that a record tells of; None where there is none. `extents`: of a block; `arrays`: the memory of each
    range, in order."""
    if not record[FLAG]:
        return None
    data = {**sites[int(record[SITE])]}
    span = _span(data.pop("span"))
    site = Site(**data)
    where = place(record[BLOCK : BLOCK + 3], int(record[THREAD]), extents, wave)
    values = _Values(record[VALUES:RECORD])
    fields: dict[str, Any] = {"kernel": kernel, "what": site.what, "where": where}
    coords = values.fill(site.coords)
    if site.kind == "uniform":
        named = {"operand": site.tensor, "first": coords[0], "lane": int(record[THREAD]) % wave, "instead": site.name}
        line = f" in line {users_place(span).line}" if span else ""
        return error("X044", span, kernel=kernel, what=f"a {site.what}{line}", where=where, **named)
    if site.kind == "register":
        return error("X005", span, index=coords[0], size=site.size, **fields)
    if site.kind == "extent":
        return error("X001", span, tensor=site.tensor, index=tuple(coords), extents=tuple(values.fill(site.shape)),
                     **fields)
    return _outside(site, span, coords, values, arrays, fields)


def _outside(site: Site, span: Span | None, coords: list[int], values: _Values, arrays: Sequence[MemoryRange],
             fields: dict[str, Any]) -> AveError:
    """X002: the first element of the access that lies in no memory."""
    strides = values.fill(site.strides)
    at = int(next(values.left))
    memory = [MemoryRange(site.name, 0,
                          site.size)] if site.root == -2 else list({(m.name, m.start): m for m in arrays}.values())
    if site.root >= 0:
        at += arrays[site.root].start
    allowed = [arrays[site.root]] if site.root >= 0 else memory
    elements = [range(n) for n in site.rest]
    pieces = itertools.product(*elements) if site.run == site.element and site.rest else [(0,) * len(site.rest)]
    address, index = at, (0,) * len(site.rest)
    for index in pieces:
        address = at + sum(i * s for i, s in zip(index, strides, strict=True))
        if not any(m.start <= address and address + site.run <= m.start + m.size for m in allowed):
            break
    if site.run != site.element and site.rest:
        inside = max((m.start + m.size - address for m in allowed if m.start <= address < m.start + m.size), default=0)
        index = _unravel(inside // site.element, site.rest)
    text = f" of `{site.tensor}` at index {(*coords, *index)}" if coords or site.rest or site.tensor else ""
    missed = nearest(memory, address, site.run)
    return error("X002", span, index=text, size=site.run, address=f"{address:#x}", space=site.space, nearest=missed,
                 **fields)


def _unravel(n: int, shape: Sequence[int]) -> tuple[int, ...]:
    out = []
    for i in range(len(shape)):
        inner = math.prod(shape[i + 1 :])
        out.append(n // inner)
        n %= inner
    return tuple(out)
