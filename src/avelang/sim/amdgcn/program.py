"""A parsed program and the label of its entry come in; LLVM IR that runs workgroups of it goes out (`ave_run`, see
`native/amdgcn/scheduler.c`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from avelang.amdgcn.asm import AsmKernel, AsmProgram, MCInst, Name, Operand, PhysReg, far_label
from avelang.arch import chip
from avelang.base.errors import error
from avelang.isa.amdgpu.instructions import MATRIX, VALU
from avelang.llvm.core import IRModule
from avelang.sim.amdgcn import indexing, memory_traffic, mode
from avelang.sim.amdgcn.check import CHECK_START, Checker
from avelang.sim.amdgcn.faults import UNKNOWN
from avelang.sim.amdgcn.objects import ATTRIBUTES
from avelang.sim.amdgcn.state import ARCHITECTED
from avelang.sim.amdgcn.table import HANDLERS
from avelang.sim.amdgcn.translator import BlockTranslator, Options, UnsupportedForm

LONGEST = 64  # instructions of a block: longer ones are cut, since LLVM's time grows faster than a block's length


@dataclasses.dataclass(frozen=True, slots=True)
class TranslatedProgram:
    """LLVM IR with `ave_run(group, first, last)`; `unknown` says, by an instruction's index, why it cannot be executed;
    `blocks` are ranges of instructions."""

    module: IRModule
    unknown: dict[int, str]
    blocks: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        """All of it as one text."""
        return self.module.text(ATTRIBUTES)


def _targets(program: AsmProgram, i: MCInst) -> list[int]:
    if far := far_label(program.instructions, program.labels, i):
        return [program.labels[far]]
    return [program.labels[o.name] for o in i.operands if isinstance(o, Name) and o.name in program.labels]


def leaders(program: AsmProgram, entry: int) -> list[int]:
    """Indices of the instructions that begin blocks, among those that the entry reaches. Code with computed jumps is
    taken whole."""
    code = program.instructions
    computed = any(i.desc.classes & {"jump", "call"} and not far_label(code, program.labels, i) for i in code)
    starts, work = {entry}, [entry, *(program.labels.values() if computed else ())]
    starts.update(work)
    seen: set[int] = set()
    while work:
        at = work.pop()
        while at < len(code) and at not in seen:
            seen.add(at)
            i = code[at]
            if i.desc.classes & {"branch", "cond", "fork", "jump"}:
                starts.update(found := _targets(program, i))
                work += found
            if i.desc.ends_block:
                if i.desc.falls_through:
                    starts.add(at + 1)
                else:
                    break
            at += 1
    return sorted(s for s in starts if s in seen)


def blocks(program: AsmProgram, entry: int) -> Iterator[tuple[int, int]]:
    """Ranges (first, end) of instructions, each ending where control may go elsewhere, the entry's first."""
    starts = leaders(program, entry)
    found = []
    for n, first in enumerate(starts):
        limit = starts[n + 1] if n + 1 < len(starts) else len(program.instructions)
        end = first
        while end < limit:
            end += 1
            if program.instructions[end - 1].desc.ends_block:
                break
        while end - first > LONGEST:
            found.append((first, first + LONGEST))
            first += LONGEST
        found.append((first, end))
    found.sort(key=lambda r: (r[0] != entry, r[0]))
    yield from found


def _successors(program: AsmProgram, ranges: Sequence[tuple[int, int]], numbers: dict[int, int]) -> list[list[int]]:
    """The blocks that each block may go to by name, or by falling through."""
    found = []
    for _, end in ranges:
        last = program.instructions[end - 1]
        to = _targets(program, last) if last.desc.ends_block else []
        found.append([numbers[x] for x in [*to, *([end] if last.desc.falls_through else [])] if x in numbers])
    return found


class _Symbols:
    def __init__(self, program: AsmProgram):
        self.program = program

    def __call__(self, name: Name, i: MCInst) -> int:
        """A symbol's value: absolute, or relative to the literal that holds it (R_AMDGPU_REL32_LO and _HI: symbol +
        addend - place)."""
        p = self.program
        if name.base:
            if not {name.name, name.base} <= p.labels.keys():
                raise UnsupportedForm(f"the label {name.name} or {name.base} is not defined here")
            first, last = (p.instructions[p.labels[x]].address for x in (name.base, name.name))
            return last - first >> 32 & 0xFFFFFFFF if name.part else last - first & 0xFFFFFFFF
        if name.name in p.sets:
            return p.sets[name.name] + name.offset
        if name.name in p.data.labels:
            address = p.data.labels[name.name]
        elif name.name in p.labels:
            address = p.instructions[p.labels[name.name]].address
        else:
            raise UnsupportedForm(f"the symbol {name.name} is not defined here")
        value = address + name.offset - (i.address + 4)
        return value >> 32 if "hi" in name.part else value & 0xFFFFFFFF


class Translating:
    """A program on its way: `ranges` are its blocks from the entry on, each of which can be written into a module of
    its own.

    Raises X020 where there is no such label or it stands at the end.
    """

    def __init__(self, program: AsmProgram, label: str, options: Options):
        entry = program.labels.get(label, len(program.instructions))
        if entry >= len(program.instructions):
            raise error("X020", where=label, text=label, why="no code stands there")
        self.program = program
        self.ranges = ranges = list(blocks(program, entry))
        self.numbers = numbers = {first: n for n, (first, _) in enumerate(ranges)}
        self.t = t = BlockTranslator(
            IRModule(), options, _Symbols(program), numbers, program.labels, program.instructions
        )
        t.chip = program.chip or t.chip
        t.fp8 = chip(t.chip).fp8
        kernel = next((k for k in program.kernels.values() if k.label == label), AsmKernel(label, label, {}))
        self.checker = Checker(t, program, kernel) if options.check else None
        t.first_mode, self.limits = mode.initial(kernel), _limits(kernel)
        t.accum, t.registers = accumulators(kernel), self.limits.get("v", 0)
        self.modes = mode.at_blocks(program.instructions, ranges, _successors(program, ranges, numbers), t.first_mode)
        self.places = {i.address: i.index for i in program.instructions}
        t.module.functions["ave_check_start"] = self.checker.start() if self.checker else CHECK_START

    def begin_at(self, address: int) -> int:
        """The number of the block that begins at an address, which becomes one if it is none, or -1 where no
        instruction stands. Code comes there by a computed jump, as MODE is at the kernel's start."""
        first = self.places.get(address, -1)
        if first in self.numbers or first < 0:
            return self.numbers.get(first, -1)
        code, number, end = self.program.instructions, len(self.ranges), first
        while end < len(code) and (end == first or end not in self.numbers):
            end += 1
            if code[end - 1].desc.ends_block or end - first == LONGEST:
                break
        self.numbers[first] = number
        self.ranges.append((first, end))
        self.modes.append(self.t.first_mode)
        if end < len(code) and code[end - 1].desc.falls_through and end not in self.numbers:
            self.begin_at(code[end].address)  # what comes behind it
        return number

    def block(self, n: int) -> None:
        """Writes a block's function into the translator's module, and what it calls that is not there."""
        t, (first, end) = self.t, self.ranges[n]
        t.begin(self.modes[n])
        t.count(end - first)
        for i in self.program.instructions[first:end]:
            _one(t, i, self.checker, self.limits)
            if t.ended:
                break
        name = f"ave_block_{n}"
        t.module.functions[name] = t.finish(name, self.numbers.get(end, -1))


def translate(program: AsmProgram, label: str, options: Options) -> TranslatedProgram:
    """The LLVM IR of the code at `label`, all of it. Raises as `Translating`."""
    work = Translating(program, label, options)
    functions, ranges = work.t.module.functions, tuple(work.ranges)
    work.t.module.include("amdgcn", "ave_run")
    for n in range(len(ranges)):
        work.block(n)
    table = ", ".join(f"ptr @ave_block_{n}" for n in range(len(ranges)))
    functions["ave_blocks"] = f"@ave_blocks = internal constant [{len(ranges)} x ptr] [{table}], align 8"
    return TranslatedProgram(work.t.module, work.t.reasons, ranges)


# Vector registers are given out in pieces of so many (LLVM, "User Guide for AMDGPU Backend",
# GRANULATED_WORKITEM_VGPR_COUNT, gfx90a).
GRANULE = 8


def accumulators(kernel: AsmKernel) -> int:
    """Index of a0 in the unified file of vector registers."""
    return min(kernel.get("accum_offset", ARCHITECTED) or ARCHITECTED, ARCHITECTED)


def unified(program: AsmProgram, kernel: AsmKernel) -> AsmProgram:
    """The program with one name for each vector register: v[n] is a[n - accum_offset] from `accum_offset` on."""
    first = accumulators(kernel)

    def named(o: Operand) -> Operand:
        if isinstance(o, PhysReg) and o.file == "v" and o.first >= first:
            return dataclasses.replace(o, file="a", first=o.first - first)
        return o

    def renamed(i: MCInst) -> MCInst:
        operands = tuple(map(named, i.operands))
        return i if operands == i.operands else dataclasses.replace(i, operands=operands)

    return (
        program
        if first == ARCHITECTED
        else dataclasses.replace(program, instructions=tuple(map(renamed, program.instructions)))
    )


def _limits(kernel: AsmKernel) -> dict[str, int]:
    """How many registers a wave has of the file that each letter names, by the kernel's descriptor; no entry where that
    does not say."""
    total = -(-kernel.get("next_free_vgpr") // GRANULE) * GRANULE
    return {"v": total, "a": total - min(accumulators(kernel), total)} if total else {}


def _within(i: MCInst, limits: dict[str, int]) -> None:
    for o in i.operands:
        if isinstance(o, PhysReg) and o.first + o.count > limits.get(o.file, 1 << 10):
            asked = (
                f"the kernel's descriptor asks for {limits[o.file]} registers {o.file} (next_free_vgpr, accum_offset)"
            )
            raise UnsupportedForm(f"{o} is not there: {asked}")


def _one(t: BlockTranslator, i: MCInst, checker: Checker | None, limits: dict[str, int]) -> None:
    t.here = i
    if checker:
        checker.before(i)
    try:
        handler = HANDLERS.get(i.desc.name)
        if handler is None:
            raise UnsupportedForm(f"{i.name} is not executed here")
        _within(i, limits)
        t.mode_allows(i)
        if t.options.profile:
            memory_traffic.before(t, i)
        if t.mode.word & mode.INDEXING and i.desc.unit in (VALU, MATRIX):
            indexing.run(t, i, handler)
        else:
            handler(t, i)
        if "setreg" not in i.desc.classes:
            t.mode = mode.after(t.mode, i)
    except UnsupportedForm as why:
        # It may stand where this run never comes: the wave stops when it gets there.
        t.stop(UNKNOWN, str(why))
    except (
        IndexError,
        ValueError,
        AttributeError,
        TypeError,
        KeyError,
    ) as why:  # a handler takes operands as it finds them
        t.stop(UNKNOWN, f"its operands are not those that it takes ({why})")
