"""A lane's own memory at places that are not constant: the accesses of a kernel come in; those that can choose among
registers go out.

Registers have no addresses. An access whose place is known at run time only would put the whole allocation into scratch
memory, hundreds of cycles away; among a few places it is read from all of them and the right one selected, two
instructions a place. """

from __future__ import annotations

import typing

from avelang.emit.llvm.simt import Simt
from avelang.emit.llvm.simt_lanes import constant_of
from avelang.ir.core import Kernel, Op, Value, walk
from avelang.ir.types import LOCAL, DType, TensorType, VecType, dtype_of, extent

MOST_PLACES = 32  # of one access
MOST_SELECTIONS = 1024  # of all accesses to one allocation


class Choice(typing.NamedTuple):
    """An access among `count` places, `step` bytes apart, of an allocation; what lies between its start and the place
    is the sum of `offsets`."""

    alloc: Op
    offsets: tuple[Value, ...]
    step: int
    count: int


def choices(kernel: Kernel) -> dict[Op, Choice]:
    """The loads and stores of local memory whose place differs, for allocations where all of them have few places. The
    others stay in memory."""
    roots: dict[Value, tuple[Op, tuple[Value, ...]]] = {}
    found: dict[Op, list[tuple[Op, Choice]]] = {}
    kept: set[Op] = set()  # allocations whose pointers go where they cannot be followed
    for op in walk(kernel.body):
        if op.name == "alloc" and isinstance(op.result.type, TensorType) and op.result.type.space == LOCAL:
            roots[op.result] = op, ()
            found[op] = []
            continue
        hits = [i for i, v in enumerate(op.operands) if v in roots] if roots else []
        if not hits:
            continue
        alloc, offsets = roots[op.operands[hits[0]]]
        if op.name in ("ld", "st"):
            found[alloc].append((op, _choice(op, alloc, (*offsets, op.operands[-1]))))
        elif op.name in ("base", "ptr_add"):
            roots[op.result] = alloc, (*offsets, *op.operands[1:])
        else:
            kept.update(roots[op.operands[i]][0] for i in hits)
    out: dict[Op, Choice] = {}
    for alloc, accesses in found.items():
        unknown = [(op, c) for op, c in accesses if any(constant_of(v) is None for v in c.offsets)]
        few = all(1 <= c.count <= MOST_PLACES for _, c in unknown)
        if alloc not in kept and few and sum(c.count for _, c in unknown) <= MOST_SELECTIONS:
            out.update(unknown)
    return out


def _choice(op: Op, alloc: Op, offsets: tuple[Value, ...]) -> Choice:
    t = op.result.type if op.name == "ld" else op.operands[0].type
    assert isinstance(t, (DType, VecType)) and isinstance(alloc.result.type, TensorType)
    size = (t.n if isinstance(t, VecType) else 1) * dtype_of(t).bytes
    step = op.attrs["align"]
    return Choice(alloc, offsets, step, (extent(alloc.result.type) - size) // step + 1)


def _places(w: Simt, c: Choice) -> tuple[list[str], list[str]]:
    """A pointer to each place, and whether it is the one that is meant; of the first that is not asked."""
    pointer, t = w.value(c.alloc.result), f"ptr addrspace({w.target.stack_space})" if w.target.stack_space else "ptr"
    total = "0"
    for v in c.offsets:
        narrow = w.op(f"trunc i64 {w.value(v)} to i32")
        total = narrow if total == "0" else w.op(f"add i32 {total}, {narrow}")
    places = [w.op(f"getelementptr i8, {t} {pointer}, i32 {i * c.step}") for i in range(c.count)]
    return places, [w.op(f"icmp eq i32 {total}, {i * c.step}") for i in range(c.count)]


def load(w: Simt, c: Choice, m: str) -> str:
    """The value of LLVM type `m` at the place that is meant."""
    pointer = f"ptr addrspace({w.target.stack_space})" if w.target.stack_space else "ptr"
    places, meant = _places(w, c)
    values = [w.op(f"load {m}, {pointer} {p}, align {c.step}") for p in places]
    out = values[0]
    for value, yes in zip(values[1:], meant[1:], strict=True):
        out = w.op(f"select i1 {yes}, {m} {value}, {m} {out}")
    return out


def store(w: Simt, c: Choice, m: str, value: str) -> None:
    """The counterpart of `load`: every place is written, all but one with what stands there."""
    pointer = f"ptr addrspace({w.target.stack_space})" if w.target.stack_space else "ptr"
    for place, yes in zip(*_places(w, c), strict=True):
        old = w.op(f"load {m}, {pointer} {place}, align {c.step}")
        new = w.op(f"select i1 {yes}, {m} {value}, {m} {old}")
        w.do(f"store {m} {new}, {pointer} {place}, align {c.step}")
