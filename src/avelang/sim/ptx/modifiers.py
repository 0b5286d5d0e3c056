"""What stops a translation: an instruction comes in, its modifiers are taken off one by one; what nobody took is
unknown."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from avelang.nvptx.check import check, counts
from avelang.sim.ptx.code import BITS, Instr


class NotExecuted(Exception):
    """Raised by a handler that meets a form of its instruction which it does not execute; the text says which."""


@contextlib.contextmanager
def by_the_table(i: Instr) -> Iterator[None]:
    """A handler takes operands for what the table says of them: where they are not, NotExecuted says what is wrong."""
    try:
        yield
    except (AssertionError, AttributeError, IndexError, TypeError, ValueError):
        why = wrong_with(i)
        if not why:
            raise
        raise NotExecuted(why) from None


def counted(i: Instr) -> None:
    """Raises NotExecuted for more or fewer operands than the instruction takes."""
    many, got = counts(i.parts), len(i.operands)
    if many and got not in many:
        raise NotExecuted(f"it takes {' or '.join(map(str, sorted(many)))} operands, not {got}")


def wrong_with(i: Instr) -> str:
    """The reason why ptxas would not take an instruction, or ""."""
    wrong = check(i.node, types={r.name: r.type for r in i.registers()}.get)
    return "" if wrong is None else wrong.message


class Mods:
    """The modifiers of one instruction, taken one after another; what is left at the end is unknown."""

    def __init__(self, i: Instr):
        self.left = list(i.parts[1:])

    def take(self, *names: str) -> str:
        """The first of these names that is there, which is taken; or ""."""
        for name in names:
            if name in self.left:
                self.left.remove(name)
                return name
        return ""

    def has(self, name: str) -> bool:
        """Takes a modifier; True if it was there."""
        return bool(self.take(name))

    def types(self) -> list[str]:
        """The types, in order; they are taken."""
        found = [x for x in self.left if x in BITS or x in ("u4", "s4", "b1")]
        self.left = [x for x in self.left if x not in found]
        return found

    def type(self) -> str:
        """Takes the type. Raises NotExecuted unless there is one."""
        found = self.types()
        if len(found) != 1:
            raise NotExecuted(f"one type is needed, not {len(found)}")
        return found[0]

    def done(self) -> None:
        """Raises NotExecuted where something is left."""
        if self.left:
            raise NotExecuted(f"the modifier .{self.left[0]} is not executed here")


def words(i: Instr, *groups: str) -> list[str]:
    """The type of an instruction that has one; then, of each group of words (with spaces between), the one that stands,
    or "". Raises NotExecuted where there are other modifiers."""
    m = Mods(i)
    found = [m.type(), *(m.take(*group.split()) for group in groups)]
    m.done()
    return found


def only_type(i: Instr) -> str:
    """The type of an instruction that has no other modifier."""
    return words(i)[0]
