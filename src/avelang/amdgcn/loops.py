"""Loops of AMD assembly: a `AsmProgram` comes in, its natural loops and the main one go out. Found on the flow graph,
not from comments or names.

The main loop is the innermost loop with the most matrix instructions; where no innermost loop has any, the loop with
the most of its own; where the code has none, the largest innermost loop.
"""

from __future__ import annotations

import dataclasses

from avelang.amdgcn.asm import AsmProgram, Imm, MCInst, Name
from avelang.base.errors import error
from avelang.isa.amdgpu.instructions import MATRIX, InstrDesc


def _ends(desc: InstrDesc) -> bool:
    """Whether nothing that is known follows: the end, or a jump that is not a call."""
    return bool(desc.classes & {"end", "jump"}) and "call" not in desc.classes


@dataclasses.dataclass(frozen=True, slots=True)
class BasicBlock:
    """Instructions [start, stop) of the program, and the blocks, by their start, that may follow."""

    start: int
    stop: int
    follow: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class NaturalLoop:
    """A natural loop: the start of its header and those of all its blocks, in the order of the text. `depth` counts the
    loops around it."""

    header: int
    blocks: tuple[BasicBlock, ...]
    depth: int
    inner: bool

    @property
    def indices(self) -> list[int]:
        """The instructions, in the order of the text."""
        return [i for b in self.blocks for i in range(b.start, b.stop)]


def target(program: AsmProgram, ins: MCInst) -> int:
    """The index of the instruction to which a branch goes. Raises X020 where the text has no such place."""
    place = ins.operands[0] if ins.operands else None
    found = None
    if isinstance(place, Name):
        found = program.labels.get(place.name)
    elif isinstance(place, Imm) and isinstance(place.value, int):  # in dwords, from the next instruction
        offset = place.value - 0x10000 if place.value >= 0x8000 else place.value
        address = ins.address + 4 + 4 * offset
        found = next((i.index for i in program.instructions if i.address == address), None)
    if found is None or found >= len(program.instructions):
        raise error(
            "X020", where=f"line {ins.line}", text=ins.text, why="the text has no place of that name or address"
        )
    return found


def entry(program: AsmProgram, kernel: str | None = None) -> int:
    """Index of a kernel's first instruction; without a name: the first kernel, or the first instruction of a text that
    names none. Raises D023."""
    if kernel is None:
        kernel = next(iter(program.kernels), None)
        return program.labels.get(program.kernels[kernel].label, 0) if kernel is not None else 0
    label = program.kernels[kernel].label if kernel in program.kernels else kernel
    if label not in program.labels:
        raise error("D023", what="the assembly", name=kernel, known=", ".join(program.kernels) or "none")
    return program.labels[label]


def graph(program: AsmProgram, start: int) -> dict[int, BasicBlock]:
    """The blocks that can be reached from instruction `start`, by their own start."""
    code, jumps, leaders, seen, todo = program.instructions, {}, {start}, set(), [start]
    while todo:  # which instructions are reached, and where blocks begin
        i = todo.pop()
        while i < len(code) and i not in seen:
            seen.add(i)
            if code[i].desc.is_branch:
                jumps[i] = target(program, code[i])
                nexts = [jumps[i]] if "branch" in code[i].desc.classes else [jumps[i], i + 1]
                leaders.update(nexts)
                todo += nexts
                break
            if _ends(code[i].desc):
                break
            i += 1
    out: dict[int, BasicBlock] = {}
    for first in sorted(x for x in leaders if x < len(code)):
        last = first
        while last + 1 not in leaders and last not in jumps and not _ends(code[last].desc) and last + 1 < len(code):
            last += 1
        if last in jumps:
            follow = (jumps[last],) if "branch" in code[last].desc.classes else (jumps[last], last + 1)
        else:
            follow = () if _ends(code[last].desc) else (last + 1,)
        out[first] = BasicBlock(first, last + 1, tuple(x for x in follow if x in leaders and x < len(code)))
    return out


def _dominators(blocks: dict[int, BasicBlock], start: int) -> dict[int, set[int]]:
    """For each block those that every way to it passes, itself included."""
    before: dict[int, list[int]] = {b: [] for b in blocks}
    for b in blocks.values():
        for f in b.follow:
            before[f].append(b.start)
    every = set(blocks)
    out = {b: {start} if b == start else every for b in blocks}
    changed = True
    while changed:
        changed = False
        for b in sorted(blocks):
            if b != start:
                new = {b} | set.intersection(*(out[p] for p in before[b])) if before[b] else {b}
                if new != out[b]:
                    out[b], changed = new, True
    return out


def loops(program: AsmProgram, kernel: str | None = None) -> list[NaturalLoop]:
    """The natural loops of a kernel, by their headers in the order of the text; those that share a header are one."""
    start = entry(program, kernel)
    if not program.instructions:
        return []
    blocks = graph(program, start)
    over = _dominators(blocks, start)
    bodies: dict[int, set[int]] = {}
    for b in blocks.values():
        for header in b.follow:
            if header not in over[b.start]:
                continue
            body, todo = bodies.setdefault(header, {header}), [b.start]
            while todo:
                x = todo.pop()
                if x not in body:
                    body.add(x)
                    todo += [p.start for p in blocks.values() if x in p.follow]
    out = []
    for header, body in sorted(bodies.items()):
        depth = sum(header in other for h, other in bodies.items() if h != header)
        inner = not any(h in body for h in bodies if h != header)
        out.append(NaturalLoop(header, tuple(blocks[x] for x in sorted(body)), depth, inner))
    return out


def main_loop(program: AsmProgram, kernel: str | None = None) -> NaturalLoop | None:
    """The loop that counts (see the module); None where the kernel has no loop."""
    found = loops(program, kernel)

    def own(loop: NaturalLoop) -> int:
        inside = {
            i
            for other in found
            if other is not loop and other.header in {b.start for b in loop.blocks}
            for i in other.indices
        }
        return sum(program.instructions[i].desc.unit == MATRIX for i in loop.indices if i not in inside)

    return max(found, key=lambda x: (bool(x.inner and own(x)), own(x), x.inner, len(x.indices)), default=None)
