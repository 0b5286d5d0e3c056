"""What names hold, statement by statement, for a debugger: a kernel that is built while `record()` is open leaves, for
each op, the statement it comes from, its names and those of the functions that called it."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from avelang.base.spans import Span
from avelang.frontend.structs import Object

if TYPE_CHECKING:
    from avelang.frontend.frame import Frame
    from avelang.ir.core import Op

DEEP = 4  # objects within objects that are looked into


@dataclasses.dataclass(frozen=True, eq=False)
class Fields:
    """An object of a struct as it was at a statement: the struct's name, and what its fields held."""

    name: str
    values: dict[str, Any]


@dataclasses.dataclass(eq=False)
class Scope:
    """One statement of one function, as it was built: its place, its function, its names with what they held before it
    (as the frontend knows them: numbers, values of the IR, tensors, `Fields`), and the statement that called the
    function. `depth` is 0 in the kernel itself. `inside`: the statement of the same function that it stands in, such as
    a loop; None where it is the function's own. `counts`: the names that a `for` gives its trips' values."""

    span: Span
    function: str
    names: dict[str, Any]
    caller: Scope | None
    depth: int
    inside: Scope | None = None
    counts: tuple[str, ...] = ()

    def trips(self) -> list[str]:
        """The names of the loops around this statement, the outermost first."""
        return [] if self.inside is None else [*self.inside.trips(), *self.inside.counts]

    def chain(self) -> list[Scope]:
        """This statement and those that called it, the kernel's last."""
        return [self, *(self.caller.chain() if self.caller is not None else ())]


class Recorder:
    """The statements of the kernels that are built: `of` gives that of an op."""

    def __init__(self) -> None:
        self.of: dict[Op, Scope] = {}
        self.current: Scope | None = None
        self._frames: dict[int, Scope] = {}

    def enter(self, f: Frame, node: ast.AST) -> Scope | None:
        """A statement begins; gives the one that was being built."""
        outer = self.current
        active = [frame for _, frame in f.build.active]
        # Who is inlined here is called by the statement that the frame below it is at.
        at = active.index(f) if f in active else 0
        caller = self._frames.get(id(active[at - 1])) if at else None
        held = {name: value for layer in f.env.layers for name, value in layer.items()}
        names = {name: _shown(value, f.build.heap, DEEP) for name, value in held.items()
                 if isinstance(name, str) and not name.startswith("$")}  # fmt: skip
        inside = outer if outer is not None and (outer.function, outer.caller) == (f.label, caller) else None
        targets = ast.walk(node.target) if isinstance(node, ast.For) else ()
        counts = tuple(x.id for x in targets if isinstance(x, ast.Name))
        depth = caller.depth + 1 if caller is not None else 0
        made = Scope(f.span(node), f.label, names, caller, depth, inside, counts)
        self._frames[id(f)] = self.current = made
        return outer

    def leave(self, f: Frame, outer: Scope | None) -> None:
        """The statement is built."""
        self.current = outer
        if outer is not None and outer.function == f.label:
            self._frames[id(f)] = outer


def _shown(value: Any, heap: Any, deep: int) -> Any:
    """A value with its objects as they are now: the heap changes."""
    if isinstance(value, Object):
        if not deep:
            return Fields(value.cls.name, {})
        return Fields(value.cls.name, {n: _shown(heap.get(c), heap, deep - 1) for n, c in value.cells.items()})
    if isinstance(value, tuple):
        return tuple(_shown(x, heap, deep) for x in value)
    return value


_open: list[Recorder] = []


def recorder() -> Recorder | None:
    """The recorder that is open; None where nobody debugs."""
    return _open[-1] if _open else None


@contextlib.contextmanager
def record() -> Iterator[Recorder]:
    """Records the statements of all kernels that are built within."""
    made = Recorder()
    _open.append(made)
    try:
        yield made
    finally:
        _open.remove(made)
