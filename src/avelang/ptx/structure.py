"""Statements of PTX in a row come in; the blocks that they are made of go out: loops, ifs, and blocks that are left
early. For `ave ptx to-python --readable`.

A construct of the level writes its instructions where it stands, so that structure which keeps the order of all
instructions is a nesting of intervals of the text. A label that branches behind it name is the head of a loop, up
to the last of these branches; one that only branches before it name is the end of a block, which begins at the first
of them, or further up where another block would be cut. Labels that fit nowhere stay labels."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Sequence

from avelang.nvptx import nodes as n

_MOST_BLOCKS = 4  # that begin in one place


@dataclasses.dataclass(slots=True)
class Region:
    """A block: the statements from `start` up to before `stop`. `kind`: "loop", with its label first and the branch
    back at `latch`; "if", with its branch first and its label last, or at `other` where an else part follows, whose
    label is last; "block", with its label last. `label` is the one that it stands for, `ending` that at the end of a
    loop or of an else part. `named`: the label of a loop keeps its name, since it is named from outside too."""

    kind: str
    start: int
    stop: int
    label: str
    latch: int = -1
    other: int = -1
    ending: str = ""
    named: bool = False

    def inside(self, other: Region) -> bool:
        """True where it lies within the other one."""
        return other.start <= self.start and self.stop <= other.stop

    def apart(self, other: Region) -> bool:
        """True where the two have no statement in common."""
        return self.stop <= other.start or other.stop <= self.start

    def fits(self, other: Region) -> bool:
        """True where the two are apart, or one lies within the other, and within one of its parts."""
        if self.apart(other):
            return True
        small, large = (self, other) if self.inside(other) else (other, self)
        if not small.inside(large) or (small.start, small.stop) == (large.start, large.stop):
            return False
        return large.other < 0 or small.stop <= large.other - 1 or small.start > large.other


def target(x: n.Statement) -> str | None:
    """The label that a plain branch goes to."""
    plain = isinstance(x, n.PtxInstruction) and x.parts in (("bra",), ("bra", "uni")) and len(x.operands) == 1
    at = x.operands[0] if plain else None  # type: ignore[union-attr]
    return at.name if isinstance(at, n.SymbolOperand) else None


class _Finder:
    def __init__(self, body: Sequence[n.Statement], refused: Callable[[n.PtxInstruction], bool]):
        self.body = body
        self.labels = {s.name: i for i, s in enumerate(body) if isinstance(s, n.LabelMark)}
        self.branches: dict[str, list[int]] = {}
        self.plain: set[str] = set()
        for i, s in enumerate(body):
            self.mentions(i, s, refused, set())
        self.found: list[Region] = []

    def mentions(self, at: int, x: n.Statement, refused: Callable[[n.PtxInstruction], bool], hidden: set[str]) -> None:
        """Notes which labels a statement names, and those that are named by more than branches."""
        if isinstance(x, n.PtxBlock):
            hidden = hidden | {s.name for s in x.body if isinstance(s, n.LabelMark)}
            for s in x.body:
                self.mentions(at, s, refused, hidden)
        elif isinstance(x, n.Targets):
            self.plain.update(x.names)
        elif isinstance(x, n.PtxInstruction):
            to = target(x)
            if to is not None and not refused(x):
                if to in self.labels and to not in hidden:
                    self.branches.setdefault(to, []).append(at)
                return
            self.plain.update(i.name for o in x.operands for i in n.leaves(o) if isinstance(i, n.SymbolOperand))

    def run(self) -> list[Region]:
        backward, forward = [], []
        for name, places in self.branches.items():
            at = self.labels[name]
            if max(places) > at:
                backward.append(name)
            elif name not in self.plain:
                forward.append(name)
        for name in sorted(backward, key=lambda x: self.labels[x] - max(self.branches[x])):
            self.loop(name)
        for name in sorted(forward, key=lambda x: self.labels[x]):
            if not self.ending(name) and not self.otherwise(name):
                self.block(name)
        return self.found

    def loop(self, name: str) -> None:
        last = max(self.branches[name])
        if target(self.body[last]) == name:  # not in braces
            named = name in self.plain or min(self.branches[name]) < self.labels[name]
            made = Region("loop", self.labels[name], last + 1, name, last, named=named)
            if all(made.fits(r) for r in self.found):
                self.found.append(made)

    def ending(self, name: str) -> bool:
        """A label right behind a loop that only the loop names is its end."""
        at, places = self.labels[name], self.branches[name]
        for r in self.found:
            if r.kind == "loop" and r.stop == at and r.start < min(places) and not r.ending:
                longer = dataclasses.replace(r, stop=at + 1, ending=name)
                if all(longer.fits(x) for x in self.found if x is not r):
                    r.stop, r.ending = at + 1, name
                    return True
        return False

    def otherwise(self, name: str) -> bool:
        """The end of an else part: the `if` before it ends with a branch to it."""
        at, places = self.labels[name], self.branches[name]
        first = self.body[min(places)]
        if not isinstance(first, n.PtxInstruction) or target(first) != name or first.guard is not None:
            return False
        for r in self.found:
            if r.kind == "if" and r.other < 0 and r.stop == min(places) + 2:
                longer = dataclasses.replace(r, stop=at + 1, other=r.stop - 1, ending=name)
                if all(longer.fits(x) for x in self.found if x is not r):
                    r.stop, r.other, r.ending = longer.stop, longer.other, name
                    return True
        return False

    def block(self, name: str) -> None:
        at = self.labels[name]
        made = Region("block", min(self.branches[name]), at + 1, name)
        head = self.body[made.start]
        if isinstance(head, n.PtxInstruction) and target(head) == name and head.guard is not None:
            made.kind = "if"
        while True:
            cut = [r.start for r in self.found if r.start < made.start < r.stop <= made.stop]
            cut += [r.start for r in self.found if r.other >= 0 and r.start < made.start < r.stop and not made.fits(r)]
            if not cut:
                break
            made.start, made.kind = min(cut), "block"
        if all(made.fits(r) for r in self.found):
            self.found.append(made)


def regions(body: Sequence[n.Statement], refused: Callable[[n.PtxInstruction], bool], deepest: int) -> list[Region]:
    """The blocks of a body, outer ones first, nested at most `deepest` deep. `refused`: whether a branch cannot be
    written as a call."""
    found = sorted(_Finder(body, refused).run(), key=lambda r: (r.start, -r.stop))
    kept: list[Region] = []
    starts = collections.Counter(r.start for r in found if r.kind == "block")
    for r in found:
        if r.kind == "block" and starts[r.start] > _MOST_BLOCKS:
            continue  # a switch: its cases read better as labels than as blocks in blocks
        if sum(r.inside(outer) for outer in kept) < deepest:
            kept.append(r)
    return kept


__all__ = ["Region", "regions", "target"]
