"""Two modules of PTX come in; what their kernels do differently goes out: how many instructions of each kind, and the
order of those that move data, multiply matrices and wait."""

from __future__ import annotations

import collections
import dataclasses
import difflib
import itertools
from collections.abc import Iterator, Sequence

from avelang.base.errors import AveError, error
from avelang.nvptx import nodes as n
from avelang.nvptx.ptx_types import TYPES
from avelang.nvptx.readings import entry_of

_SPACES = ("global", "shared", "local", "const", "param", "shared::cta", "shared::cluster")
_TIMED = frozenset({"long", "async", "wait", "commit", "barrier", "fence", "arrive"})


def kind(x: n.PtxInstruction) -> str:
    """The kind of an instruction: "ld.global", "mma", "cp.async", and of arithmetic with its type, "mul.f32"."""
    entry = entry_of(x.parts)
    space = next((p.partition("::")[0] for p in x.parts if p in _SPACES), "")
    if x.opcode in ("ld", "st", "atom", "red"):
        return f"{x.opcode}.{space}" if space else x.opcode
    if entry is not None and "." in entry.name and entry.name.startswith(x.opcode):
        return entry.name
    return x.opcode if x.parts[-1] not in TYPES or is_timed(x) else f"{x.opcode}.{x.parts[-1]}"


def is_timed(x: n.PtxInstruction) -> bool:
    """True for what a schedule is about: accesses to memory, copies, matrix products, barriers, waits and fences."""
    entry = entry_of(x.parts)
    if entry is None or "param" in x.parts:
        return False
    return any(entry.has(word) for word in _TIMED) or x.opcode in ("ld", "st", "ldmatrix", "stmatrix", "mma", "wmma")


@dataclasses.dataclass(frozen=True)
class KernelShape:
    """The make of an entry. `mix`: instructions by kind; `schedule`: the timed ones in order, with how many stand
    in a row; `registers`: declared ones by size in bits (1 for predicates); `shared`: bytes of static shared memory;
    `uses`: for each load from memory the instructions up to the first that reads what it loads."""

    name: str
    mix: collections.Counter[str]
    schedule: tuple[tuple[str, int], ...]
    registers: collections.Counter[int]
    shared: int
    loops: int
    uses: tuple[int, ...]

    @property
    def total(self) -> int:
        """The number of instructions."""
        return self.mix.total()


def shape_of(entry: n.PtxFunction) -> KernelShape:
    """The make of an entry."""
    body = entry.body or ()
    every = list(n.instructions(body))
    registers: collections.Counter[int] = collections.Counter()
    shared = 0
    for s in n.statements(body):
        if isinstance(s, n.RegisterDecl):
            registers[TYPES[s.type].bits if s.type in TYPES else 32] += sum(x.count or 1 for x in s.names)
        elif isinstance(s, n.PtxVariable) and s.space == "shared":
            size = TYPES[s.type].bits // 8 if s.type in TYPES else 1
            for d in s.dims:
                size *= d.value if d is not None else 0
            shared += size
    timed = (kind(x) for x in every if is_timed(x))
    schedule = tuple((name, len(list(group))) for name, group in itertools.groupby(timed))
    return KernelShape(entry.name, collections.Counter(map(kind, every)), schedule, registers, shared,
                       sum(_back_edges(body)), tuple(_uses(every)))  # fmt: skip


def _back_edges(body: Sequence[n.Statement]) -> Iterator[int]:
    """1 for each branch to a label that stands before it."""
    seen: set[str] = set()
    for s in n.statements(tuple(body)):
        if isinstance(s, n.LabelMark):
            seen.add(s.name)
        elif isinstance(s, n.PtxInstruction) and s.opcode == "bra":
            yield int(any(isinstance(o, n.SymbolOperand) and o.name in seen for o in s.operands))


def _registers(x: n.Operand) -> set[str]:
    return {r.name for r in n.leaves(x) if isinstance(r, n.Register)}


def _uses(every: Sequence[n.PtxInstruction]) -> Iterator[int]:
    """For each load of global or shared memory the number of instructions up to the first use."""
    waiting: dict[str, int] = {}
    for at, x in enumerate(every):
        writes = x.opcode not in ("st", "bra", "red") and len(x.operands) > 0
        read = set().union(*map(_registers, x.operands[1 if writes else 0 :])) if x.operands else set()
        for start in {waiting[r] for r in read if r in waiting}:
            yield at - start
            waiting = {r: s for r, s in waiting.items() if s != start}
        if x.opcode in ("ld", "ldmatrix") and "param" not in x.parts and x.operands:
            waiting.update(dict.fromkeys(_registers(x.operands[0]), at))


def pairs(a: n.PtxModule, b: n.PtxModule) -> list[tuple[n.PtxFunction, n.PtxFunction]]:
    """The entries of two modules that belong together: by name, or, where one of each is left, these. Raises S206 for
    modules that have none in common."""
    left, right = ([f for f in m.functions() if f.kind == "entry" and f.body is not None] for m in (a, b))
    named = {f.name: f for f in right}
    found = [(f, named[f.name]) for f in left if f.name in named]
    if not found and len(left) == 1 == len(right):
        return [(left[0], right[0])]
    if not found:
        names = ", ".join(f.name for f in left) or "none", ", ".join(f.name for f in right) or "none"
        raise _unpaired(*names)
    return found


def _unpaired(left: str, right: str) -> AveError:
    return error(
        "S206", None, name=left, instead=f"the other file has the entries {right}: name one of each by --entry"
    )


def report(a: KernelShape, b: KernelShape, context: int = 2) -> str:
    """The differences of two kernels as text."""
    lines = [f"{a.name}: {a.total} instructions, {b.name if b.name != a.name else 'the other'}: {b.total}"]
    rows = sorted({*a.mix, *b.mix}, key=lambda k: (-abs(a.mix[k] - b.mix[k]), -max(a.mix[k], b.mix[k]), k))
    different = [k for k in rows if a.mix[k] != b.mix[k]]
    lines += ["", f"{'instructions':28}{'first':>8}{'second':>8}{'':>3}change"] if different else ["", "the same mix"]
    lines += [f"{k:28}{a.mix[k]:8}{b.mix[k]:8}{b.mix[k] - a.mix[k]:+9}" for k in different]
    lines.append("")
    for what, x, y in (
        ("registers of 32 bits", a.registers[32], b.registers[32]),
        ("registers of 64 bits", a.registers[64], b.registers[64]),
        ("predicates", a.registers[1], b.registers[1]),
        ("static shared memory", a.shared, b.shared),
        ("loops", a.loops, b.loops),
        ("loads, instructions to use", _middle(a.uses), _middle(b.uses)),
    ):
        lines.append(f"{what:28}{x:>8}{y:>8}")
    left, right = ([f"{name} x {count}" if count > 1 else name for name, count in s.schedule] for s in (a, b))
    changes = list(difflib.unified_diff(left, right, "first", "second", lineterm="", n=context))
    lines += ["", "the same schedule"] if not changes else ["", "schedule of memory, matrices and waits:", *changes]
    return "\n".join(lines)


def _middle(values: Sequence[int]) -> int:
    """The median, 0 of none."""
    return sorted(values)[len(values) // 2] if values else 0
