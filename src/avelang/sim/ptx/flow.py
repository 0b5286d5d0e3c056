"""Flat code comes in; LLVM IR of a function for each of its blocks goes out. Also which registers a block must leave
behind for others."""

from __future__ import annotations

import collections
import dataclasses

import avelang.sim.ptx.blocks as blocks
import avelang.sim.ptx.control as control
import avelang.sim.ptx.parts as parts
import avelang.sim.ptx.watch_text as watch_text
from avelang.llvm.core import IRModule
from avelang.nvptx.forms import Entry, entry
from avelang.sim.ptx.code import FlatCode, Instr, PtxReg
from avelang.sim.ptx.defined import Defining
from avelang.sim.ptx.handlers import asks_host, translated
from avelang.sim.ptx.modifiers import NotExecuted, by_the_table, counted
from avelang.sim.ptx.state import STEPS
from avelang.sim.ptx.translator import Handler, PtxTranslator

LONGEST = 96  # instructions of a block: longer ones are cut, since LLVM's time grows faster than a block's length
_BRX, _RET = entry("brx"), entry("ret")
SPIN = 1024  # blocks of watched code in a turn, at most


@dataclasses.dataclass(frozen=True, slots=True)
class PtxTranslation:
    """LLVM IR with `ave_warp`; `unknown` says, by an instruction's index, why it cannot be executed; `entry`: the
    number of the first block; `quick`: nothing but bar.sync 0 needs the host; `steps`: blocks of code that a warp runs
    before others have a turn."""

    text: str
    unknown: dict[int, str]
    entry: int
    checked: bool
    quick: bool
    steps: int
    watched: bool = False
    # where it stands which lanes of a part have no value
    undef_places: dict[tuple[PtxReg, int], int] = dataclasses.field(default_factory=dict)
    starts: tuple[int, ...] = ()  # the instructions that begin blocks, and to which blocks each goes
    ways: tuple[tuple[int, ...], ...] = ()


def leaders(code: FlatCode) -> list[int]:
    """Indices of the instructions that begin blocks."""
    starts = {f.first for f in code.functions}
    for i in code.instructions:
        starts.update(label.index for label in control.jumps_to(i))
        if blocks.begins_block(i):
            starts.add(i.index)
        if blocks.ends_block(i):
            starts.add(i.index + 1)
        if i.returned:  # lanes that a guard kept from calling go on behind it
            starts.add(i.index + 1)
    cut = []
    ordered = sorted(s for s in starts if s < len(code.instructions))
    for first, end in zip(ordered, [*ordered[1:], len(code.instructions)], strict=True):
        cut += range(first, end, LONGEST)
    return cut


def _calls(i: Instr) -> bool:
    return i.entry.has("call") and not i.returned and not asks_host(i)


def _next(code: FlatCode, targets: dict[int, int], i: Instr, returns: list[int]) -> list[int]:
    """The blocks that may come behind the block that ends with an instruction."""
    found = [label.index for label in control.jumps_to(i)]
    falls = not (i.entry.has("jump") and i.guard is None and i.entry is not _BRX)
    if _calls(i):
        found += [f.first for f in code.functions] + [i.index + 1, i.index + 2]
    elif i.entry is _RET and code.functions[i.function] is not code.entry:
        found += returns
    if falls:
        found.append(i.index + 1)
    return [targets[x] for x in found if x in targets]


def _live(uses: list[set[PtxReg]], defs: list[set[PtxReg]], successors: list[list[int]]) -> list[set[PtxReg]]:
    """The registers that are read behind each block."""
    into = [set(u) for u in uses]
    out: list[set[PtxReg]] = [set() for _ in uses]
    before: list[list[int]] = [[] for _ in uses]
    for b, after in enumerate(successors):
        for s in after:
            before[s].append(b)
    work = list(range(len(uses)))
    while work:
        b = work.pop()
        live = set().union(*(into[s] for s in successors[b])) if successors[b] else set()
        out[b] = live
        new = uses[b] | (live - defs[b])
        if new != into[b]:
            into[b] = new
            work += before[b]
    return out


class _Handlers:
    """Which handler an instruction has."""

    def __init__(self, code: FlatCode):
        calls = control.Calls(code.functions, code.entry)
        self.own: dict[Entry, Handler] = {entry("call"): calls.call, _RET: calls.ret}

    def __call__(self, i: Instr) -> Handler:
        if asks_host(i):
            return blocks.asked
        return self.own.get(i.entry) or translated(i)


def translate(code: FlatCode, watched: bool = False, without: int = -1, init: bool = False) -> PtxTranslation:
    """The LLVM IR of code. `watched`: it writes down what it accesses (`watch_text`); `without`: the index of a
    bar.warp.sync that is left out; `init`: it follows what nothing has written (`defined`)."""
    starts = leaders(code)
    targets = {first: k for k, first in enumerate(starts)}
    checked = any(i.entry.has("async") or i.entry.proxy == "async" for i in code.instructions)
    module = IRModule()
    module.declare("llvm.cttz.i32", "i32", ["i32", "i1"])
    module.include("ptx", *(f"ave_place_{space}" for space in ("global", "shared", "local", "generic")))
    if watched:
        module.include("ptx", "ave_note", "ave_enter")
    assert code.carry is not None
    t = (Defining if init else PtxTranslator)(module, targets, [targets[f.first] for f in code.functions], checked,
        code.carry, watched)
    if isinstance(t, Defining):
        t.apart = parts.apart(code.instructions)
    # bytes between the parts of a struct have no value
    t.windows = code.windows
    t.without, t.undef_start, t.widest = without, code.warp_bytes, 1 if init else 8
    if watched:
        for registers, word in code.unfenced.items():
            for r in registers:
                t.unfenced.setdefault(r, []).append(word)
    for registers, count in code.running.items():
        for r in registers:
            t.running.setdefault(r, []).append(count)
    named = collections.Counter(r for i in code.instructions for r in i.registers())
    t.unread = frozenset(r for r, count in named.items() if count == 1)
    handlers = _Handlers(code)
    ranges = list(zip(starts, [*starts[1:], len(code.instructions)], strict=True))
    saved, uses, defs, successors, notes = [], [], [], [], 1
    returns = [i.index + 1 for i in code.instructions if _calls(i)]
    for number, (first, end) in enumerate(ranges):
        t.begin(number)
        for i in code.instructions[first:end]:
            _one(t, i, handlers)
        asked = {r for i in code.instructions[first:end] if asks_host(i) for r in i.registers()}
        saved.append(t.saved())
        notes = max(notes, t.notes)
        uses.append({*t.read, *asked})
        defs.append(set(t.written))
        successors.append(_next(code, targets, code.instructions[end - 1], returns))
    for number, live in enumerate(_live(uses, defs, successors)):
        t.restore(saved[number])
        first, end = ranges[number]
        name = f"ave_block_{number}"
        module.functions[name] = t.finish(name, live, number + 1, end - first)
    table = ", ".join(f"ptr @ave_block_{k}" for k in range(len(ranges)))
    module.functions["ave_blocks"] = f"@ave_blocks = internal constant [{len(ranges)} x ptr] [{table}], align 8"
    module.include("ptx", "ave_warp", "ave_grid")
    quick = not checked and not watched and all(blocks.opens_here(i) for i in code.instructions if asks_host(i))
    # The log of a turn must hold what it writes; and who spins is to let the others go on soon.
    steps = min(SPIN, watch_text.CAPACITY // notes) if watched else STEPS
    text, ways = module.text('nounwind "frame-pointer"="none"'), tuple(map(tuple, successors))
    return PtxTranslation(text, t.reasons, targets[code.entry.first], checked, quick, steps, watched, t.undef_places,
        tuple(starts), ways)


def _one(t: PtxTranslator, i: Instr, handlers: _Handlers) -> None:
    t.here = i
    t.guard = ""
    if i.guard:
        reg, negated = i.guard
        t.guard = t.value(reg)
        if negated:
            t.guard = t.op(f"xor {t.t('i1')} {t.guard}, splat (i1 true)")
    try:
        counted(i)
        with by_the_table(i):
            t.starts(i)
            if t.running and i.entry.group not in ("wgmma", "tcgen05"):
                t.stop_unwaited(i)
            handlers(i)(t, i)
    except NotExecuted as why:
        # It may stand where this run never comes: the warp stops when it gets there.
        t.unknown(i, str(why))
        t.exit = t.ending = None
