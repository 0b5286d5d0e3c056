"""The nodes of the IR: values, ops, blocks, kernels. Structured SSA: an op may hold regions, each of one block.

A value is defined once, by an op or as an argument of a block, and is per lane: 64 (or 32) of it exist in a wave.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from avelang.base.errors import error
from avelang.base.places import users_line
from avelang.base.spans import Span
from avelang.ir.types import Type


class Value:
    """One SSA value. `name` is a hint for printing; `owner` is the op that defines it or the block of which it is an
    argument.

    `uniform`: the pass `uniformity` has proven that all lanes of a wave that are active at its definition hold the same
    value."""

    __slots__ = ("name", "owner", "type", "uniform")

    def __init__(self, type: Type, name: str = "", owner: Op | Block | None = None):
        self.type = type
        self.name = name
        self.owner = owner
        self.uniform = False

    @property
    def op(self) -> Op | None:
        """The op that defines this value; None for an argument of a block or kernel."""
        return self.owner if isinstance(self.owner, Op) else None

    def __repr__(self) -> str:
        return f"%{self.name or '?'}: {self.type}"


class Block:
    """A straight run of ops with arguments; the last op of a region's block is its terminator (`yield` or
    `condition`)."""

    __slots__ = ("args", "ops", "parent")

    def __init__(self, arg_types: tuple[tuple[str, Type], ...] = ()):
        self.args: list[Value] = [Value(t, n, self) for n, t in arg_types]
        self.ops: list[Op] = []
        self.parent: Op | None = None

    def add_arg(self, name: str, type: Type) -> Value:
        """Adds an argument to the block."""
        value = Value(type, name, self)
        self.args.append(value)
        return value

    @property
    def terminator(self) -> Op:
        """The last op."""
        return self.ops[-1]


class Op:
    """One operation: its name is a key of `OPS`; attributes are plain Python literals."""

    __slots__ = ("attrs", "name", "operands", "regions", "results", "span")

    def __init__(
        self,
        name: str,
        operands: list[Value] | tuple[Value, ...] = (),
        result_types: tuple[Type, ...] = (),
        attrs: dict[str, Any] | None = None,
        regions: list[Block] | tuple[Block, ...] = (),
        span: Span | None = None,
    ):
        self.name = name
        self.operands = list(operands)
        self.attrs = attrs or {}
        self.results = [Value(t, "", self) for t in result_types]
        self.regions = list(regions)
        self.span = span
        for region in regions:
            region.parent = self

    @property
    def result(self) -> Value:
        """The only result."""
        return self.results[0]

    @property
    def defn(self) -> OpDef:
        """The definition of the op."""
        return OPS[self.name]

    def __repr__(self) -> str:
        return f"<{self.name} {self.operands} -> {self.results}>"


@dataclasses.dataclass(slots=True)
class Kernel:
    """One kernel, device functions already inlined.

    `params` are scalars, pointers or tensors in global memory. `attrs`: "wave" (lanes a wave: 64 or 32), "chip" (a name
    of `avelang.arch`), "file" (the source file), "threads" (what it expects of blocks: count along x, whether exactly
    so many in all), later "block" (three extents, where a pass has specialized them), and options."""

    name: str
    params: list[Value]
    body: Block
    attrs: dict[str, Any] = dataclasses.field(default_factory=dict)
    span: Span | None = None
    functions: dict[str, Kernel] = dataclasses.field(default_factory=dict)

    @property
    def cluster(self) -> tuple[int, int, int]:
        """Blocks of a cluster along x, y, z, as the launch option says."""
        x, y, z = (*(self.attrs.get("cluster") or ()), 1, 1, 1)[:3]
        return x, y, z

    def expect(self, block: tuple[int, int, int]) -> None:
        """Raises L024, at the user's launch, for blocks with other threads than the kernel says that it needs."""
        for count, exact in self.attrs.get("threads", ()):
            if block != (count, 1, 1) if exact else block[0] < count:
                raise error("L024", users_line() or self.span, kernel=self.name, want=count,
                            how="" if exact else " or more", block=block)


PURE: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True, slots=True)
class OpDef:
    """An op's definition, for the verifier and the passes.

    `effects`: a set of "read", "write" (memory), "sync" (orders memory between waves), "convergent" (lanes work
    together: must not move into or out of divergent control flow), "io". An op with none is pure: it may be folded,
    merged and removed. `check(op)` returns what is wrong, or None. `sources`: operands, by their place, whose memory is
    only read by an op that writes elsewhere."""

    name: str
    check: Callable[[Op], str | None]
    effects: frozenset[str] = PURE
    terminator: bool = False
    doc: str = ""
    sources: frozenset[int] = frozenset()

    @property
    def pure(self) -> bool:
        """True if the op has no effects."""
        return not self.effects


OPS: dict[str, OpDef] = {}


def define(defn: OpDef) -> OpDef:
    """Registers an op. Raises V001 when the name is taken: a fact stands in one place."""
    if defn.name in OPS:
        raise error("V001", op=defn.name, why="defined twice")
    OPS[defn.name] = defn
    return defn


def walk(block: Block) -> Iterator[Op]:
    """All ops of a block and of the regions inside, in textual order."""
    for op in block.ops:
        yield op
        for region in op.regions:
            yield from walk(region)


def is_pure(op: Op) -> bool:
    """True if the op and everything in its regions is pure."""
    return not OPS[op.name].effects and (not op.regions
                                         or all(is_pure(inner) for region in op.regions for inner in region.ops))
