"""A PTX module comes in; the same goes out with probes at the bounds of its stages, where each warp writes down when it
was there, and what each probe means.

Stages are runs of instructions of one kind within a basic block: matrix instructions, copies, loads and stores, waits,
barriers. What is in between stays as it is: without the added statements the module is the one that came in. A record
is 16 bytes: %globaltimer, then %clock64 << 16 | number of the probe; a warp's first one has %smid in the place of the
clock. Lane 0 writes; a warp that comes to a probe without it writes nothing there. Sources: PTX ISA, "Special
Registers"; the kinds are those of the table of the instruction set."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from avelang.base.errors import error
from avelang.nvptx import nodes as n
from avelang.nvptx.parse import parse, parse_body
from avelang.nvptx.printer import instruction as print_instruction
from avelang.nvptx.printer import print_module

HEADER = 0xFFFF  # the number of a warp's first record
RECORD = 16  # bytes
OUTSIDE = ""  # the stage of what belongs to none
PARAMETER = "ave_trace_buffer"
_PREFIX = "%ave_t_"

_MATRIX = frozenset({"mma", "wgmma", "wmma", "tcgen05"})
_WAITS = ("wait", "try_wait", "test_wait", "wait_group", "wait_all")
_JUMPS = frozenset({"bra", "brx", "ret", "exit", "trap", "call"})


@dataclasses.dataclass(frozen=True, slots=True)
class Probe:
    """A place where a stage begins (`stage`: its kind, "" where one ends and none begins), with the `text` of the first
    instruction and the (file, line) of its source, ("", 0) where the PTX does not say."""

    stage: str
    text: str = ""
    file: str = ""
    line: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class InstrumentedPtx:
    """The text with probes, whose numbers count from 1 in `probes`. The entry's last parameter, a u64, is the address
    of the records: `bytes_for` of them, zeros before the launch. `records`: of each warp, its header included;
    `blocks`: how many blocks of the grid write, the first ones."""

    text: str
    entry: str
    probes: tuple[Probe, ...]
    records: int
    blocks: int

    def bytes_for(self, grid: tuple[int, ...], block: tuple[int, ...]) -> int:
        """Bytes of the records of a launch."""
        x, y, z = block
        gx, gy, gz = grid
        return min(gx * gy * gz, self.blocks) * -(-x * y * z // 32) * self.records * RECORD


def stage_of(i: n.PtxInstruction) -> str:
    """The kind of stage that an instruction belongs to, "" for arithmetic and all else."""
    name, words = i.opcode, frozenset(i.modifiers)
    if name in ("bar", "barrier") or name == "fence" and "cluster" in words:
        return "barrier"
    if name in ("mbarrier", "cp", "wgmma", "tcgen05", "griddepcontrol") and any(w.startswith(_WAITS) for w in words):
        return "wait"
    if name in _MATRIX:
        moves = {"alloc", "dealloc", "relinquish_alloc_permit", "fence", "commit", "shift"}
        if words & {"ld", "st", "cp"}:
            return "tensor memory"
        return OUTSIDE if words & moves and name != "wgmma" else "matrix"
    if name == "cp":
        return "copy"
    if name in ("ldmatrix", "stmatrix"):
        return "shared memory"
    if name in ("ld", "st", "ldu", "red", "atom"):
        if any(w.startswith("shared") for w in words):
            return "shared memory"
        if words & {"param", "local", "const"}:
            return OUTSIDE
        return "load" if name in ("ld", "ldu") else "store" if name == "st" else "atomic"
    return OUTSIDE


def instrumented(
    module: str | n.PtxModule, entry: str | None = None, records: int = 1024, blocks: int = 64
) -> InstrumentedPtx:
    """The module with probes in one entry. `records`: the most of a warp; `blocks`: the most of the grid that write.
    Raises S201 for text that is no PTX, D023 for an unknown entry, D025 where there is none."""
    whole = parse(module, known=False) if isinstance(module, str) else module
    entries = [x for x in whole.items if isinstance(x, n.PtxFunction) and x.kind == "entry" and x.body is not None]
    if not entries:
        raise error("D025", why="it has no .entry")
    found = next((x for x in entries if x.name == (entry or entries[0].name)), None)
    if found is None:
        raise error("D023", what="the PTX", name=entry, known=", ".join(x.name for x in entries))
    files = {x.index: x.name for x in whole.items if isinstance(x, n.File)}
    writer = _Writer(files)
    body = found.body or ()
    head = next((k for k, s in enumerate(body) if not isinstance(s, (n.RegisterDecl, n.PtxVariable, n.Pragma))),
                len(body))  # fmt: skip
    parameter = f"{found.name}_{PARAMETER}"
    statements = (*body[:head], *_prologue(parameter, records, blocks), *writer.body(body[head:]))
    made = dataclasses.replace(
        found, body=statements, params=(*(found.params or ()), n.PtxVariable("param", "u64", parameter))
    )
    items = tuple(made if x is found else x for x in whole.items)
    text = print_module(dataclasses.replace(whole, items=items))
    return InstrumentedPtx(text, found.name, tuple(writer.probes), records, blocks)


class _Writer:
    """Puts probes into statements."""

    def __init__(self, files: dict[int, str]):
        self.files = files
        self.probes: list[Probe] = []
        self.place = ("", 0)

    def body(self, statements: Sequence[n.Statement]) -> Iterator[n.Statement]:
        """The statements with their probes."""
        now = OUTSIDE
        for s in statements:
            if isinstance(s, n.Loc):
                self.place = (self.files.get(s.file, ""), s.row)
            stage, text = self.kind(s)
            ends = isinstance(s, n.LabelMark) or isinstance(s, n.PtxInstruction) and s.opcode in _JUMPS
            if now and (ends or stage not in (OUTSIDE, now)) and not (stage and not ends):
                yield from self.probe(Probe(OUTSIDE))
                now = OUTSIDE
            if stage and stage != now:
                yield from self.probe(Probe(stage, text, *self.place))
                now = stage
            yield s
            if stage in ("wait", "barrier"):  # what comes behind has waited for it
                yield from self.probe(Probe(OUTSIDE))
                now = OUTSIDE
        if now:
            yield from self.probe(Probe(OUTSIDE))

    def kind(self, s: n.Statement) -> tuple[str, str]:
        """(stage, text) of a statement; braces are one, as a loop around a wait is."""
        if isinstance(s, n.PtxInstruction):
            return stage_of(s), print_instruction(s)
        if isinstance(s, n.PtxBlock):
            inside = [self.kind(x) for x in s.body]
            return next((x for x in inside if x[0] == "wait"), next((x for x in inside if x[0]), (OUTSIDE, "")))
        return OUTSIDE, ""

    def probe(self, probe: Probe) -> Sequence[n.Statement]:
        """The statements of a probe."""
        if len(self.probes) >= HEADER - 1:
            return ()
        # One number for all ends.
        known = next((k for k, p in enumerate(self.probes, 1) if p == probe), 0) if not probe.stage else 0
        if not known:
            self.probes.append(probe)
        return _probe(known or len(self.probes))


_REGISTERS = frozenset()


def _statements(text: str) -> tuple[n.Statement, ...]:
    return parse_body(text.replace("%t_", _PREFIX), "<probe>", _REGISTERS)


def _prologue(parameter: str, records: int, blocks: int) -> tuple[n.Statement, ...]:
    return _statements(f"""
        .reg .b64 %t_base, %t_at, %t_time, %t_clock;
        .reg .b32 %t_block, %t_warp, %t_x, %t_y, %t_left;
        .reg .pred %t_on, %t_lead, %t_few;
        ld.param.u64 %t_base, [{parameter}];
        mov.u32 %t_x, %ctaid.z;
        mov.u32 %t_y, %nctaid.y;
        mul.lo.u32 %t_block, %t_x, %t_y;
        mov.u32 %t_x, %ctaid.y;
        add.u32 %t_block, %t_block, %t_x;
        mov.u32 %t_y, %nctaid.x;
        mul.lo.u32 %t_block, %t_block, %t_y;
        mov.u32 %t_x, %ctaid.x;
        add.u32 %t_block, %t_block, %t_x;
        mov.u32 %t_x, %tid.z;
        mov.u32 %t_y, %ntid.y;
        mul.lo.u32 %t_warp, %t_x, %t_y;
        mov.u32 %t_x, %tid.y;
        add.u32 %t_warp, %t_warp, %t_x;
        mov.u32 %t_y, %ntid.x;
        mul.lo.u32 %t_warp, %t_warp, %t_y;
        mov.u32 %t_x, %tid.x;
        add.u32 %t_warp, %t_warp, %t_x;
        shr.u32 %t_warp, %t_warp, 5;
        mov.u32 %t_x, %ntid.y;
        mul.lo.u32 %t_y, %t_y, %t_x;
        mov.u32 %t_x, %ntid.z;
        mul.lo.u32 %t_y, %t_y, %t_x;
        add.u32 %t_y, %t_y, 31;
        shr.u32 %t_y, %t_y, 5;
        mad.lo.u32 %t_warp, %t_block, %t_y, %t_warp;
        mul.wide.u32 %t_at, %t_warp, {records * RECORD};
        add.u64 %t_at, %t_at, %t_base;
        mov.u32 %t_x, %laneid;
        setp.eq.u32 %t_lead, %t_x, 0;
        setp.lt.u32 %t_few, %t_block, {blocks};
        and.pred %t_lead, %t_lead, %t_few;
        mov.u32 %t_left, {records};
        mov.u32 %t_x, %smid;
        cvt.u64.u32 %t_clock, %t_x;
        {_WRITE.format(number=HEADER, read="")}
    """)


_WRITE = """
        mov.u64 %t_time, %globaltimer;
        {read}
        shl.b64 %t_clock, %t_clock, 16;
        or.b64 %t_clock, %t_clock, {number};
        setp.ne.u32 %t_on, %t_left, 0;
        and.pred %t_on, %t_on, %t_lead;
        @%t_on st.global.v2.b64 [%t_at], {{%t_time, %t_clock}};
        @%t_on add.u64 %t_at, %t_at, 16;
        @%t_on sub.u32 %t_left, %t_left, 1;
"""


def _probe(number: int) -> tuple[n.Statement, ...]:
    return _statements(_WRITE.format(number=number, read="mov.u64 %t_clock, %clock64;"))


def without_probes(text: str) -> str:
    """An instrumented module's text without what was added."""
    whole = parse(text, known=False)

    def added(s: n.Statement) -> bool:
        return _PREFIX in "\n".join(print_module_of(s))

    items = []
    for x in whole.items:
        if isinstance(x, n.PtxFunction) and any(p.name.endswith(PARAMETER) for p in x.params or ()):
            kept = tuple(s for s in x.body or () if not added(s))
            x = dataclasses.replace(x, body=kept, params=(x.params or ())[:-1])
        items.append(x)
    return print_module(dataclasses.replace(whole, items=tuple(items)))


def print_module_of(s: n.Statement) -> list[str]:
    """The lines of one statement."""
    from avelang.nvptx.printer import body

    return body((s,))
