"""A program comes in; places where too few instructions stand between two that depend on each other go out.

What hardware does not check is in one table, `RULES`: what the first instruction did to a register, what the second
does to it, and how many wait states must lie between. Each instruction is one wait state, s_nop N is N + 1 (MI300 ISA,
section 4.5). Matrix instructions count by their passes: `MATRIX_RULES`. The search follows every way that control may
take, as compilers do when they insert s_nop.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Collection, Iterator

from avelang.amdgcn.asm import EXEC, M0, VCC, AsmProgram, Imm, MCInst, Name, PhysReg
from avelang.amdgcn.effects import (
    CONTROL,
    DS,
    FLAT,
    MATRIX,
    SALU,
    VALU,
    VMEM,
    Effects,
    Span,
    cell_name,
    effects,
    overlap,
    span,
)  # fmt: skip
from avelang.isa.amdgpu.instructions import InstrDesc
from avelang.isa.amdgpu.passes import of_instruction

ISA, ISA_MATRIX = "MI300 ISA, section 4.5, table 11", "MI300 ISA, section 7.5, table 37"
LLVM = "LLVM, GCNHazardRecognizer"


@dataclasses.dataclass(frozen=True, slots=True)
class HazardRule:
    """`first` and `second`: roles that `produced` and `consumed` give; between them `need` wait states, where the
    registers overlap."""

    first: str
    second: str
    need: int
    source: str = ISA


# One row for each dependency that is not a matrix instruction's. Left out: what only graphics, vskip or the trap
# handler uses; and "writes VGPRs holding write data: 1" for other than vector ALU instructions, which no compiler
# keeps: what they write comes many states later.
RULES = (
    HazardRule("valu scalar", "vmem scalar", 5), HazardRule("valu scalar", "lane select", 4),
    HazardRule("valu scalar", "lane exec", 4), HazardRule("valu scalar", "div_fmas vcc", 4),
    HazardRule("valu scalar", "valu constant", 2), HazardRule("valu scalar", "dpp exec", 5),
    HazardRule("valu scalar", "matrix exec", 4, ISA_MATRIX), HazardRule("valu scalar", "vccz or execz", 5),
    HazardRule("valu vector", "dpp source", 2), HazardRule("valu vector", "lane source", 1),
    HazardRule("valu vector", "matrix source", 2, ISA_MATRIX), HazardRule("trans", "plain source", 1),
    HazardRule("moved bits", "valu source", 1), HazardRule("wide store", "valu result", 2),
    HazardRule("salu m0", "m0", 1), HazardRule("setreg", "hardware register", 2),
    HazardRule("dot", "same dot A or B", 3, ISA_MATRIX), HazardRule("dot", "source after dot", 3, ISA_MATRIX),
    HazardRule("dot", "result after dot", 3, ISA_MATRIX), HazardRule("dgemm", "fma f64", 2, LLVM),
)  # fmt: skip
# What LLVM's tables ask for and the manual does not: table 11 names a constant, and VCC or a pair of scalar registers
# that v_cndmask, v_addc_co and their like read is one bit for each lane.
STRICT = (HazardRule("valu scalar", "valu mask", 2, LLVM),)

# What gfx90a does without: LLVM asks for these states from gfx940 on (hasTransForwardingHazard,
# hasDstSelForwardingHazard, hasVDecCoExecHazard).
GFX942_ONLY = {
    ("valu scalar", "lane exec"), ("valu scalar", "valu constant"), ("valu vector", "lane source"),
    ("trans", "plain source"),
    ("moved bits", "valu source"),
}  # fmt: skip
LESS_ON_GFX90A = {("wide store", "valu result"): 1}

# Rows that AMD's own shipped kernels ignore in thousands of places, and run: the manual asks for the states, and the
# hardware does without. Whoever reads them as errors stops at what works, so they are told apart. By the family's name:
# roles of the first, roles of the second, and the units of the second. "readlane" holds only for v_readlane and
# v_readfirstlane.
ADVISORY = {
    "M0 before an LDS load": (("salu m0",), ("m0",), (DS, VMEM, FLAT)),
    "VALU before DPP": (("valu vector",), ("dpp source",), (VALU,)),
    "readlane before a constant": (("valu scalar",), ("valu constant",), (VALU,)),
    "MFMA before VALU": (("xdl", "sgemm", "dgemm", "xdl reads"), ("valu source", "valu result"), (VALU,)),
}
# rocBLAS's complex products negate an operand one instruction before they use it.
ADVISORY_ON_GFX90A = {"VALU before MFMA": (("valu vector",), ("matrix source",), (MATRIX,))}

# Of matrix instructions, by the first one's kind and its passes (2, 4, 8, 16; None where there is no such instruction),
# in chips of two kinds. "C same": the second adds to exactly the registers that the first wrote, for which there is a
# way inside the matrix core.
_Needs = tuple[int | None, int | None, int | None, int | None]
_XDL = {
    "C same": (2, 0, 0, 0), "xdl C": (3, 5, 9, 17), "sgemm C": (3, 5, 9, 17), "dgemm C": (3, 5, 9, 17),
    "A or B": (5, 7, 11, 19),
}  # fmt: skip
_SGEMM = {
    "C same": (2, 0, 0, 0), "xdl C": (0, 0, 0, 0), "sgemm C": (2, 4, 8, 16), "dgemm C": (2, 4, 8, 16),
    "A or B": (4, 6, 10, 18),
}  # fmt: skip
_DGEMM = {
    "C same": (None, 4, 0, None), "xdl C": (None, 0, 0, None), "sgemm C": (None, 4, 9, None),
    "dgemm C": (None, 4, 9, None),
    "A or B": (None, 6, 11, None),
}  # fmt: skip
_READS = ("valu source", "memory source", "valu result", "memory result")
_SMFMA: dict[str, _Needs] = {
    "C same": (0, None, 0, 0), "xdl C": (2, None, 8, 16), "sgemm C": (2, None, 8, 16), "dgemm C": (3, None, 9, 17),
    **dict.fromkeys(("A or B", *_READS), (5, None, 11, 19)),
}  # fmt: skip
MATRIX_RULES: dict[str, dict[str, dict[str, _Needs]]] = {
    # LLVM, GCNHazardRecognizer, checkMAIHazards90A and checkMAIVALUHazards. Products of 4 passes are f64's only.
    "gfx90a": {
        "xdl": _SMFMA,
        "sgemm": _SMFMA,
        "dgemm": {
            "C same": (None, 4, 0, None), "dgemm C": (None, 4, 9, None),
            **dict.fromkeys(("A or B", *_READS), (None, 6, 11, None)),
            "memory source": (None, 9, 18, None),
        },
        "xdl reads": dict.fromkeys(("valu result", "memory result"), (1, None, 7, 15)),
    },
    "gfx942": {
        "xdl": {**_XDL, **dict.fromkeys(_READS, (5, 7, 11, 19))},
        "sgemm": {**_SGEMM, **dict.fromkeys(_READS, (4, 6, 10, 18))},
        "dgemm": {**_DGEMM, **dict.fromkeys(_READS, (None, 6, 11, None)), "memory source": (None, 9, 18, None)},
        "xdl reads": dict.fromkeys(("valu result", "memory result"), (1, 3, 7, 15)),
    },
    # One state more behind all but the shortest; 16x16x4 in f64 takes twice the passes (CDNA4 ISA, section 7.6, table
    # 38).
    "gfx950": {
        "xdl": {
            "C same": (2, 0, 0, 0), **dict.fromkeys(("xdl C", "sgemm C", "dgemm C"), (3, 6, 10, 18)),
            **dict.fromkeys(("A or B", *_READS), (5, 8, 12, 20)),
        },
        "sgemm": {**_SGEMM, **dict.fromkeys(_READS, (4, 6, 10, 18))},
        "dgemm": {
            "C same": (None, 4, None, 0), "xdl C": (None, 0, None, 0),
            **dict.fromkeys(("sgemm C", "dgemm C"), (None, 4, None, 17)),
            **dict.fromkeys(("A or B", *_READS), (None, 6, None, 19)), "memory source": (None, 9, None, 18),
        },
        "xdl reads": dict.fromkeys(("valu result", "memory result"), (1, 3, 7, 15)),
    },
}  # fmt: skip
PASSES = (2, 4, 8, 16)

Role = tuple[str, tuple[Span, ...]]

_HWREG = re.compile(r"hwreg\((\w+)")
ANY: Span = (-1, 1)  # "registers" of a dependency that is on none
_HWREGS = -1000  # cells of hardware registers, by a number of their names


def _hardware_register(i: MCInst) -> tuple[Span, ...]:
    for o in i.operands:
        if isinstance(o, Name) and (found := _HWREG.match(o.name)):
            return ((_HWREGS - int.from_bytes(found[1].encode(), "little"), 1),)
    return ()


def _operands(i: MCInst, indices: tuple[int, ...], files: str) -> tuple[Span, ...]:
    return tuple(
        span(o) for n in indices if n < len(i.operands) and isinstance(o := i.operands[n], PhysReg) and o.file in files
    )


def matrix_kind(desc: InstrDesc) -> str:
    """Of a matrix instruction: "dgemm" in f64, "sgemm" in f32, else "xdl" (MI300 ISA, section 7.5)."""
    return next(k for k in ("dgemm", "sgemm", "xdl") if k in desc.classes)


def _is_small(desc: InstrDesc) -> bool:
    """Whether a matrix instruction takes 4 passes or fewer on every chip: of f64 the product of 4x4."""
    return max(desc.passes) <= 4


def _vectors(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    return tuple(s for s in spans if s[0] >= 256)


def _scalars(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    return tuple(s for s in spans if s[0] < 256)


def accumulator(i: MCInst) -> tuple[Span, ...]:
    """The registers that a matrix instruction adds to."""
    return _operands(i, (0,) if "sparse" in i.desc.classes else (3,), "va")


def _moves_bits(i: MCInst) -> bool:
    """Whether the result goes to another place in its register than bit 0 on, by SDWA's dst_sel or by the last bit of a
    VOP3 instruction's op_sel; in VOP3P op_sel is of sources alone (MI300 ISA, section 4.5, table 12)."""
    if i.mods.get("dst_sel", "DWORD") != "DWORD":
        return True
    high = i.mods.get("op_sel")
    return isinstance(high, tuple) and "vop3" in i.desc.encodings and len(high) > 1 and bool(high[-1])


def produced(i: MCInst, e: Effects) -> Iterator[Role]:
    """Roles of an instruction as the first of a hazard, with the registers."""
    vectors, scalars = _vectors(e.writes), _scalars(e.writes)
    if e.unit == MATRIX:
        yield matrix_kind(i.desc), vectors
        if matrix_kind(i.desc) == "xdl":
            yield "xdl reads", accumulator(i)
        if matrix_kind(i.desc) == "dgemm":
            yield "dgemm any", (ANY,)
    elif e.unit == VALU:
        if scalars:
            yield "valu scalar", scalars
        if vectors:
            yield ("dot" if "dot" in i.desc.classes else "valu vector"), vectors
            if "trans" in i.desc.classes:
                yield "trans", vectors
            if _moves_bits(i):
                yield "moved bits", vectors
    elif e.unit == SALU:
        if any(overlap(s, (M0, 1)) >= 0 for s in scalars):
            yield "salu m0", ((M0, 1),)
        if "setreg" in i.desc.classes:
            yield "setreg", _hardware_register(i)
    elif e.unit in (VMEM, FLAT) and (wide := _wide_data(i, e)):
        yield "wide store", wide


def _wide_data(i: MCInst, e: Effects) -> tuple[Span, ...]:
    """More than 8 bytes of data that are fetched from registers after the instruction was issued. A buffer instruction
    whose offset is in a scalar register takes long enough itself."""
    if i.desc.access not in ("store", "atomic"):
        return ()
    if i.desc.encodings[0] in ("mubuf", "mtbuf") and len(i.operands) > 3 and isinstance(i.operands[3], PhysReg):
        return ()
    return tuple(s for s in _operands(i, e.sources, "va") if s[1] > 2)


def consumed(i: MCInst, e: Effects) -> Iterator[Role]:
    """Roles of an instruction as the second of a hazard, with the registers."""
    if e.unit == MATRIX:
        yield from _matrix_sources(i)
    elif e.unit == VALU:
        yield from _valu_uses(i, e)
    elif e.unit in (VMEM, FLAT, DS):
        if e.unit != DS:
            yield "vmem scalar", _scalars(e.reads)
        yield "memory source", _vectors(e.reads)
        yield "memory result", _vectors(e.writes)
    if ("m0" in i.desc.reads or e.direct) and "gpr_idx" not in i.desc.classes:
        yield "m0", ((M0, 1),)
    if i.desc.classes & {"setreg", "getreg"}:
        yield "hardware register", _hardware_register(i)


def _matrix_sources(i: MCInst) -> Iterator[Role]:
    ab = _operands(i, (1, 2, 3) if "sparse" in i.desc.classes else (1, 2), "va")
    yield "A or B", ab
    yield f"{matrix_kind(i.desc)} C", accumulator(i)
    yield "matrix source", (*ab, *accumulator(i))
    yield "matrix exec", ((EXEC, 2),)


def _valu_uses(i: MCInst, e: Effects) -> Iterator[Role]:
    sources, results = _vectors(e.reads), _vectors(e.writes)
    yield "valu source", sources
    yield "valu result", results
    classes = i.desc.classes
    if "trans" not in classes:
        yield "plain source", sources
    if i.form.endswith("dpp"):
        yield "dpp source", sources
        yield "dpp exec", ((EXEC, 2),)
    select = -1
    if classes & {"readlane", "writelane"}:
        yield "lane exec", ((EXEC, 2),)
        if "readlane" in classes:
            yield "lane source", _operands(i, (1,), "va")
        select = 2  # v_readfirstlane has no such operand
        yield "lane select", _operands(i, (select,), "s")
    if "vcc" in i.desc.reads:  # v_div_fmas
        yield "div_fmas vcc", ((VCC, 2),)
    # A mask, of carries or of a selection, is no constant: it is forwarded. LLVM asks for the states there too ("valu
    # mask", strictly read).
    mask = i.desc.mask
    yield "valu constant", _operands(i, tuple(n for n in e.sources if n not in (select, mask)), "s")
    if mask >= 0:
        yield "valu mask", _operands(i, (mask,), "s")
    for o in i.operands:
        if isinstance(o, Name) and o.name in ("src_vccz", "src_execz"):
            yield "vccz or execz", ((VCC if o.name == "src_vccz" else EXEC, 2),)
    if "fma64" in classes:
        yield "fma f64", (ANY,)


def waits(i: MCInst) -> int:
    """The wait states that an instruction is."""
    if "nop" in i.desc.classes and i.operands and isinstance(o := i.operands[0], Imm):
        return int(o.value) + 1
    return 1


@dataclasses.dataclass(frozen=True, slots=True)
class Hazard:
    """Between instructions `first` and `second` (indices) there are `have` wait states on the shortest way, `need` are
    needed for `cell`, which the first `did` ("wrote", "read", "set"). `certain`: the second always comes right behind
    the first; otherwise it depends on the way taken. `advisory`: the family that shipped code ignores (see `ADVISORY`),
    or empty."""

    first: int
    second: int
    cell: int
    have: int
    need: int
    did: str
    source: str
    certain: bool
    advisory: str = ""

    @property
    def register(self) -> str:
        """The name of what both use."""
        return (
            cell_name(self.cell)
            if self.cell >= 0
            else "the f64 pipeline"
            if self.cell == ANY[0]
            else "the hardware register"
        )


def _rules(chip: str, strict: bool) -> tuple[HazardRule, ...]:
    """The rows of a chip that are not about matrix instructions."""
    rules = RULES + STRICT if strict else RULES
    if chip != "gfx90a":
        return rules
    mine = [r for r in rules if (r.first, r.second) not in GFX942_ONLY]
    return tuple(dataclasses.replace(r, need=LESS_ON_GFX90A.get((r.first, r.second), r.need)) for r in mine)


class _HazardRecognizer:
    def __init__(self, program: AsmProgram, strict: bool = False):
        self.program, self.code = program, program.instructions
        self.chip = program.chip if program.chip in MATRIX_RULES else "gfx942"
        self.rules = _rules(self.chip, strict)
        self.advisory = {**ADVISORY, **ADVISORY_ON_GFX90A} if self.chip == "gfx90a" else ADVISORY
        self.effects = functools.cache(lambda n: effects(self.code[n]))
        self.uses = functools.cache(lambda n: tuple(r for r in consumed(self.code[n], self.effects(n)) if r[1]))
        self.waits = [waits(i) for i in self.code]
        self.labels = set(program.labels.values())
        self.next = functools.cache(self._next)

    def _next(self, n: int) -> tuple[tuple[int, bool], ...]:
        """Where control may go from here, and whether that is the only way there and from here."""
        i = self.code[n]
        flow = i.desc.classes & {"end", "trap", "jump", "branch", "cond", "fork"}
        if flow & {"end", "trap"}:
            return ()
        found: list[tuple[int, bool]] = []
        jumps = bool(flow)
        if "jump" in flow:
            found += [(at, False) for at in self.labels]
        elif jumps:
            found += [
                (self.program.labels[o.name], False)
                for o in i.operands
                if isinstance(o, Name) and o.name in self.program.labels
            ]
        if not flow & {"jump", "branch"}:
            found.append((n + 1, not jumps and n + 1 not in self.labels))
        return tuple((at, only) for at, only in found if at < len(self.code))

    def needs(self, first: int) -> dict[str, tuple[tuple[Span, ...], dict[str, tuple[int, str]]]]:
        """By role of an instruction: its registers, and by role of a later one the wait states that are needed and
        where that is written."""
        i, out = self.code[first], {}
        for role, spans in produced(i, self.effects(first)):
            table = MATRIX_RULES[self.chip].get(role)
            if table is not None:
                held = of_instruction(i.desc, self.chip, (i.int("cbsz"), i.int("blgp")))
                if not held:  # a matrix instruction of another chip, in a text that names none
                    continue
                column = PASSES.index(held)
                out[role] = spans, {second: (need[column] or 0, ISA_MATRIX) for second, need in table.items()}
            else:
                key = role.removesuffix(" any")
                out[role] = spans, {r.second: (r.need, r.source) for r in self.rules if r.first == key}
        return out

    def roles(self, first: int, second: int) -> Iterator[Role]:
        """What the second instruction does, seen from the first one: dot products and accumulators depend on both."""
        i, j = self.code[first], self.code[second]
        same = "dot" in i.desc.classes and i.desc is j.desc
        written = self.effects(first).writes
        for role, spans in self.uses(second):
            if role.endswith(" C") and spans == written:
                # Two f64 products of 4x4 need states even so; those that differ in passes are not told apart, as in
                # LLVM.
                both_small = _is_small(i.desc) and _is_small(j.desc)
                if matrix_kind(i.desc) != "dgemm" or not _is_small(i.desc) or both_small:
                    yield "C same", spans
                    continue
            yield role, spans
            if role in ("valu source", "memory source") and not same:
                yield "source after dot", spans
            if role in ("valu result", "memory result") and not same:
                yield "result after dot", spans
        if same:
            yield "same dot A or B", _operands(j, (1, 2), "v")

    def from_(self, first: int) -> Iterator[Hazard]:
        """All hazards behind one instruction."""
        table = self.needs(first)
        farthest = max((need for _, needs in table.values() for need, _ in needs.values()), default=0)
        best: dict[int, tuple[int, bool, frozenset[int]]] = {}
        work = [(at, 0, only, frozenset[int]()) for at, only in self.next(first)] if farthest else []
        while work:
            at, have, certain, anew = work.pop()
            if at in best:
                before, _, there = best[at]
                if before <= have and there <= anew:
                    continue
                have, anew = min(before, have), anew & there
            if have >= farthest:
                continue
            best[at] = have, certain, anew
            anew |= {at} if self.effects(at).unit == MATRIX else set()
            work += [(after, have + self.waits[at], certain and only, anew) for after, only in self.next(at)]
        for at, (have, certain, anew) in best.items():
            found = max(
                self._between(first, at, have, certain, table, anew),
                key=lambda h: (not h.advisory, h.need), default=None
            )  # fmt: skip
            if found:
                yield found

    def _between(
        self, first: int, second: int, have: int, certain: bool, table: dict, anew: frozenset[int]
    ) -> Iterator[Hazard]:
        """`anew`: matrix instructions on all ways between the two."""
        for role, spans in self.roles(first, second):
            for kind, (mine, needs) in table.items():
                need, source = needs.get(role, (0, ""))
                if need <= have:
                    continue
                lost = anew if kind in MATRIX_RULES[self.chip] and kind != "xdl reads" else ()
                cell = self._shared(mine, spans, lost)
                if cell is not None and not (kind == "valu scalar" and self._written_again(first, second, cell)):
                    did = (
                        "read" if kind in ("xdl reads", "wide store") else "used" if kind.endswith(" any") else "wrote"
                    )
                    yield Hazard(
                        first, second, cell, have, need, did, source, certain, self._advisory(first, second, kind, role)
                    )

    def _shared(self, mine: tuple[Span, ...], spans: tuple[Span, ...], anew: Collection[int]) -> int | None:
        """A cell that both use, or None. Where products wrote one anew it is theirs, and waits for them."""
        if not anew:
            return next((c for a in mine for b in spans if (c := overlap(a, b)) != -1 or a == b), None)
        written = {c for n in anew for first, count in self.effects(n).writes for c in range(first, first + count)}
        cells = (c for a in mine for b in spans for c in range(max(a[0], b[0]), min(sum(a), sum(b))))
        return next((c for c in cells if c not in written), None)

    def _written_again(self, first: int, second: int, cell: int) -> bool:
        """Whether a scalar instruction between the two, on the straight way, wrote the register anew: what is read is
        that, and is there."""
        between = range(first + 1, second)
        if any(
            n in self.labels or self.effects(n).unit == CONTROL and "nop" not in self.code[n].desc.classes
            for n in between
        ):
            return False
        return any(
            self.effects(n).unit == SALU and any(overlap(w, (cell, 1)) >= 0 for w in self.effects(n).writes)
            for n in between
        )

    def _advisory(self, first: int, second: int, kind: str, role: str) -> str:
        """The family of rows that shipped code ignores, or nothing."""
        if kind == "valu scalar" and "readlane" not in self.code[first].desc.classes:
            return ""
        unit = self.effects(second).unit
        return next((n for n, (a, b, units) in self.advisory.items() if kind in a and role in b and unit in units), "")


def find(program: AsmProgram, strict: bool = False) -> tuple[Hazard, ...]:
    """All hazards of a program, in the order of their second instructions. `strict`: with the rows of `STRICT`."""
    search = _HazardRecognizer(program, strict)
    found = [h for n in range(len(program.instructions)) for h in search.from_(n)]
    return tuple(sorted(found, key=lambda h: (h.second, -h.first)))
