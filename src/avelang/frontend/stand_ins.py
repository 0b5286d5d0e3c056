"""How the body of a loop is built once, though what its trips change is known behind it only.

In the region of a loop, arguments stand in for what fields of objects, and the objects of names that the body assigns,
hold before it. Behind the body it is known which of them cross (`loop_ops.py`). They keep their arguments; what stood
in for the others is what was there before."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from avelang.frontend.frame import Build, Frame
from avelang.frontend.merge import Join, join_scalar, join_tuple, join_vector, shown_name, thawed
from avelang.frontend.names import Layout
from avelang.frontend.structs import FieldCell, Object, Snapshot
from avelang.frontend.values import LocalFn, Poison, Ref, RuntimeRange, Vec, is_scalar
from avelang.ir.core import Block, Value
from avelang.ir.types import Type


def crossing(build: Build, v: Any) -> Join:
    """The join of a value all of whose run-time scalars and vectors cross. Literals, and what is as good as one, are
    left out: what is built of them depends on what they are."""
    if isinstance(v, Vec):
        return join_vector(v, v.dtype)
    if type(v) is tuple:
        items = tuple(crossing(build, x) for x in v)
        if any(m.types for m in items):
            return join_tuple(items)
    elif is_scalar(v) and v not in build.soft and v not in build.choices:
        return join_scalar(v.type)
    return Join("same", payload=v)


def crossing_fields(build: Build, m: Join, before: Any) -> Join:
    """The join `m` of what holds objects, with their vectors crossing: of a tile the other fields stay what they
    are."""
    if m.kind == "object":
        items = tuple(i if i.kind == "memory" else crossing(build, x) if isinstance(x, Vec) else Join("same", payload=x)
                      for i, x in zip(m.items, before.values, strict=True))  # fmt: skip
        return Join("object", tuple(t for x in items for t in x.types), items, m.payload)
    if m.kind == "tuple":
        return join_tuple(tuple(crossing_fields(build, x, y) for x, y in zip(m.items, before, strict=True)))
    return m


class LoopEntry(NamedTuple):
    """A name or a cell at the start of a region: how it crosses, the arguments, and what was there before."""

    join: Join
    args: tuple[Value, ...]
    before: Any


class LoopLayer(dict[Any, Any]):
    """Assignments in the region of a loop. A cell that is read before it is assigned gets a stand-in. `counter`: the
    induction variable; `entries`: what has arguments; `entered`: what that holds at the region's start; `seen`: cells
    that were read as they were before it."""

    def __init__(self, f: Frame, block: Block, counter: Value | None):
        super().__init__()
        self.build, self.block, self.counter = f.build, block, counter
        self.depth = len(f.build.heap.layers)
        self.entries: dict[str | FieldCell, LoopEntry] = {}
        self.entered: dict[str | FieldCell, Any] = {}
        self.seen: set[FieldCell] = set()
        self._stand_ins: set[FieldCell] = set()

    def enter(self, name: str | FieldCell, m: Join, before: Any, shown: str) -> tuple[list[Value], Any]:
        """Adds the arguments that carry a name or a cell; gives them, and what it holds in the region."""
        args = [self.block.add_arg(shown, t) for t in m.types]
        self.entries[name] = LoopEntry(m, tuple(args), before)
        held = self.entered[name] = m.bind(list(args))
        return args, held

    def read(self, cell: FieldCell, v: Any) -> Any:
        """The value in here of a cell that holds `v` around the loop."""
        held = self.entered.get(cell)
        if held is not None:
            return held
        if cell in self.seen:
            return v
        m = crossing(self.build, v)
        if not m.types:
            self.seen.add(cell)
            return v
        self._stand_ins.add(cell)
        # It gets the name of the first that is bound to it, as `v` would.
        return self.enter(cell, m, v, "")[1]

    def stands_in(self, name: Any) -> bool:
        """True for a cell that was read before it was assigned, if ever."""
        return name in self._stand_ins


class Trip:
    """The regions of a loop, built once: the head of a `while`, if there is one, and the body. `layer`: what names and
    cells hold at the end of the body, the arguments that do not cross replaced."""

    def __init__(self, f: Frame, hopeful: bool):
        self.f, self.hopeful = f, hopeful
        self.layers: list[LoopLayer] = []
        self.dropped: dict[Value, Value] = {}
        self.layer: Mapping[Any, Any] = _Replaced(self)

    @contextlib.contextmanager
    def region(self, counter: Type | None = None) -> Iterator[LoopLayer]:
        """Builds into a block of its own; `counter`: the type of the induction variable."""
        block = Block()
        cells = LoopLayer(self.f, block, None if counter is None else block.add_arg("", counter))
        with self.f.region(block, cells) as names:
            if self.hopeful:
                self.f.build.heap.loops.append(cells)
                self.f.build.heap.hoped = True
            yield cells
            if self.hopeful:
                self.f.build.heap.loops.pop()
        cells.clear()
        cells.update(names)
        self.layers.append(cells)

    @property
    def blocks(self) -> list[Block]:
        """The regions' blocks."""
        return [x.block for x in self.layers]

    def idle(self, name: str | FieldCell, m: Join) -> bool:
        """True if a name or cell, or an object in it, is at the end of the body what it was at the start; of an object
        with registers of its own, if these are."""
        entry = self.layers[-1].entries[name]
        return self._idle(m, self.layers[-1][name], self.layers[-1].entered[name], thawed(entry.before))

    def _idle(self, m: Join, v: Any, *starts: Any) -> bool:
        if m.kind == "tuple" and all(isinstance(x, tuple) and len(x) == len(m.items) for x in (v, *starts)):
            parts = zip(m.items, v, *starts, strict=True)
            return any(self._idle(*x) for x in parts if isinstance(x[-1], (tuple, Object)))
        if m.kind == "object" and isinstance(v, Object) and v.cls is m.payload.cls:
            layer, heap = self.layers[-1], self.f.build.heap
            for cell, item in zip(v.cells.values(), m.items, strict=True):
                held = layer[cell] if cell in layer else heap.get(cell)
                if item.kind == "memory" and isinstance(held, Ref) and held.value is item.payload.value:
                    return True
        return any(v is x for x in starts)

    def settle(self, joins: Mapping[str | FieldCell, Join]) -> bool:
        """Decides that these cross. False where the body was built of something that must not be taken for granted
        then: it must be built again."""
        self.dropped = {}
        for layer in self.layers:
            for name, m in joins.items():
                entry = layer.entries.get(name)
                if entry is None:
                    if name in layer.seen and (m.types or m.kind == "object" or isinstance(m.payload, Poison)):
                        return False
                elif not self._split(entry.join, iter(entry.args), entry.before, m, []):
                    return False
            for name, entry in layer.entries.items():
                if name not in joins:
                    self._drop(entry.join, iter(entry.args), entry.before)
        return True

    def _split(self, have: Join, args: Iterator[Value], before: Any, want: Join, kept: list[Value]) -> bool:
        """Which arguments of `have` are those of `want`: they go into `kept`, the others are dropped."""
        if want.kind in ("tuple", "object") and have.kind == want.kind:
            parts = before.values if isinstance(before, Snapshot) else before
            if have.kind == "object" and have.payload is not want.payload or len(parts) != len(want.items):
                return False
            return all(self._split(h, args, x, w, kept) for h, x, w in zip(have.items, parts, want.items, strict=True))
        if not want.types:
            if have.kind == "object" or want.kind in ("object", "memory") and have.kind != want.kind:
                return False
            if isinstance(want.payload, Poison) and not isinstance(have.payload, Poison):
                return False
            self._drop(have, args, before)
            return True
        if have.types != want.types or have.literal != want.literal:
            return False
        kept += [next(args) for _ in have.types]
        return True

    def _drop(self, m: Join, args: Iterator[Value], before: Any) -> None:
        if m.kind in ("tuple", "object"):
            parts = before.values if isinstance(before, Snapshot) else before
            for item, x in zip(m.items, parts, strict=True):
                self._drop(item, args, x)
        elif m.types:
            self.dropped[next(args)] = before.value if isinstance(before, Vec) else before

    def finish(self, joins: Mapping[str | FieldCell, Join]) -> None:
        """Gives the blocks the arguments that cross, in the order of `joins`, and puts what was there before in the
        place of the others."""
        for layer in self.layers:
            block, args = layer.block, [layer.counter] if layer.counter is not None else []
            for name, m in joins.items():
                shown, entry = shown_name(name), layer.entries.get(name)
                if entry is None:
                    args += [Value(t, shown, block) for t in m.types]
                    continue
                mine: list[Value] = []
                self._split(entry.join, iter(entry.args), entry.before, m, mine)
                if layer.stands_in(name):
                    _rename(entry, shown)
                args += mine
            for name, entry in layer.entries.items():
                if name not in joins and layer.stands_in(name):
                    _rename(entry, "")
            block.args = args
        if self.dropped:
            _replace(self.blocks, self.dropped)

    def replaced(self, v: Any) -> Any:
        """A value in which nothing is left of the arguments that are dropped."""
        if isinstance(v, Value):
            return self.dropped.get(v, v)
        if isinstance(v, Vec):
            value = self.dropped.get(v.value)
            return v if value is None else Vec(value, v.shape, v.home)
        if isinstance(v, tuple):
            parts = [self.replaced(x) for x in v]
            if all(x is y for x, y in zip(parts, v, strict=True)):
                return v
            return type(v)(*parts) if hasattr(v, "_fields") else tuple(parts)
        if isinstance(v, Ref):
            had = v.value, v.shape, v.strides, v.coords
            value, shape, strides, coords = now = tuple(self.replaced(x) for x in had)
            same = all(x is y for x, y in zip(now, had, strict=True))
            return v if same else Ref(value, shape, strides, coords, v.uncopied, v.sliced)
        if isinstance(v, RuntimeRange):
            return RuntimeRange(self.replaced(v.start), self.replaced(v.stop), self.replaced(v.step), v.unroll)
        if type(v) is Layout:
            shape, strides = self.replaced(v.shape), self.replaced(v.strides)
            return v if shape is v.shape and strides is v.strides else Layout(shape, strides)
        if isinstance(v, LocalFn):
            held = tuple(v.defaults.values())
            if not _around(self.f, v.frame) or any(x is not y for x, y in zip(self.replaced(held), held, strict=True)):
                self.f.build.known.give_up()  # what its frame holds is out of sight
        return v


class _Replaced(Mapping[Any, Any]):
    """The layer of a trip's body, as `Trip.layer` says."""

    def __init__(self, trip: Trip):
        self._trip = trip

    def __getitem__(self, name: Any) -> Any:
        v = self._trip.layers[-1][name]
        return self._trip.replaced(v) if self._trip.dropped else v

    def __iter__(self) -> Iterator[Any]:
        return iter(self._trip.layers[-1])

    def __len__(self) -> int:
        return len(self._trip.layers[-1])

    def __contains__(self, name: Any) -> bool:
        return name in self._trip.layers[-1]


def _around(f: Frame | None, frame: Frame) -> bool:
    """True if a frame is that of the loop or around it: what it holds is in the layer, or was there before."""
    while f is not None:
        if f is frame:
            return True
        f = f.parent
    return False


def _rename(entry: LoopEntry, shown: str) -> None:
    """Gives an argument its name, and the name that it was given meanwhile to what it stood in for."""
    held = entry.join.bind(list(entry.args))
    for have, before in zip(_values(held), _values(entry.before), strict=True):
        if have is not before:
            before.name, have.name = before.name or have.name, shown


def _values(v: Any) -> list[Value]:
    if isinstance(v, tuple):
        return [x for part in v for x in _values(part)]
    if isinstance(v, Vec):
        return [v.value]
    return [v] if isinstance(v, Value) else []


def _replace(blocks: Iterable[Block], by: Mapping[Value, Value]) -> None:
    """Replaces operands in blocks and in the regions of their ops."""
    todo = list(blocks)
    for block in todo:
        for op in block.ops:
            for i, x in enumerate(op.operands):
                other = by.get(x)
                if other is not None:
                    op.operands[i] = other
            todo += op.regions
