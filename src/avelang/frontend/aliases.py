"""Which objects may be one and the same: what control flow makes of several comes in, marks on objects go out.

Where two paths, or two trips of a loop, give a name different objects, it holds a new object afterwards, with what
their fields hold. That object may be each of them; a store into a field of one leaves that field of the others unknown,
until they are stored into too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from avelang.frontend.frame import MISSING, Build
from avelang.frontend.structs import Object
from avelang.frontend.values import Poison


def _link(made: Object, others: Iterable[Object]) -> bool:
    """Notes that `made` may be each of `others`; whether that is news."""
    new = set(others) - made.aliases - {made}
    made.aliases |= new
    for other in new:
        other.aliases.add(made)
    return bool(new)


def _touch(a: Object | None, b: Object | None) -> bool:
    return a is not None and b is not None and (a is b or b in a.aliases)


def _near(v: Object | None) -> set[Object]:
    return set() if v is None else {v} | v.aliases


def join(build: Build, made: Object, a: Object, b: Object | None) -> None:
    """`made` stands for `a` where one path was taken and for `b` where the other was."""
    _link(made, (_near(a) | _near(b)) - {m for m, _, _ in build.met})
    _link(made, [m for m, x, y in build.met if _touch(a, x) or _touch(b, y)])
    build.met.append((made, a, b))


def joined(build: Build, a: Object, b: Object) -> Object | None:
    """The object into which this merge has already joined the two, or None."""
    return next((m for m, x, y in build.met if x is a and y is b), None)


def carry(build: Build, trips: list[tuple[Object, Object, Object | None]]) -> bool:
    """Objects that a loop carries, each with what it is at the first trip and what it becomes at the next (None: of no
    matter). Returns whether one may be more than was known: then the loop's body must be built again."""
    mine = {made for made, _, _ in trips}
    news = False
    for made, first, after in trips:
        near = _near(first) | _near(after)
        for other in near & mine:
            near |= other.aliases
        # What only a trip that is built again has made is of no matter.
        news |= _link(made, [x for x in near if x not in mine and _known(build, x)])
        for other, first2, after2 in trips:
            if other is not made and (_touch(first, first2) or _touch(after, after2)):
                news |= _link(made, [other])
    return news


def forget(objects: Iterable[Object]) -> None:
    """Objects are not made after all."""
    for v in objects:
        for other in v.aliases:
            other.aliases.discard(v)


def _known(build: Build, v: Object) -> bool:
    """True if an object was there before the loop."""
    return any(build.heap.get(c) is not MISSING for c in v.cells.values())


def stored(build: Build, v: Object, field: str, where: Any) -> None:
    """A field of an object has been stored into: the same field of what it may also be is unknown now."""
    for other in v.aliases:
        cell = other.cells.get(field)
        if cell is not None and build.heap.get(cell) is not MISSING:
            build.heap.set(cell, Poison("T091", f"line {where.line} stores into a {v.cls.name} that may be this one"))
