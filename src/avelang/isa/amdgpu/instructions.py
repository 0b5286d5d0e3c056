"""The instruction table of gfx90a, gfx942 and gfx950: one entry per instruction, from which effects, hazards, reports,
lint and the executor derive.

`instructions.txt` holds a line per instruction and says what its columns mean. `desc` finds an entry by mnemonic and
chip; a mnemonic that the table lacks is an error. An entry is made when it is first asked for.
"""

from __future__ import annotations

import dataclasses
import functools
import pathlib

from avelang.base.errors import AveError, error

CHIPS = ("gfx90a", "gfx942", "gfx950")
FILE = pathlib.Path(__file__).with_name("instructions.txt")
ENCODINGS = ("_e32", "_e64_dpp", "_e64", "_dpp", "_sdwa")  # suffixes of mnemonics

# Execution units: the sections of the table. Control: branches, waits and hints. VMEM: buffer, global, scratch and
# image instructions.
VALU, MATRIX, SALU, SMEM, VMEM, FLAT, DS, CONTROL = "valu", "matrix", "salu", "smem", "vmem", "flat", "ds", "control"

REGISTERS = "svmauwxcpoqn"  # kinds of operands that are or may be registers


@dataclasses.dataclass(frozen=True, slots=True)
class OperandDesc:
    """One operand: its kind, by the letters of the table; the registers that it takes; how many of them are written;
    whether it is read, merged into by a load (`partial`), and whether it may be left out."""

    kind: str
    count: int
    written: int
    read: bool
    partial: bool = False
    optional: bool = False


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class InstrDesc:
    """One instruction. `reads`, `writes`: implicit registers ("scc", "vcc", "exec", "m0"). `counter`: the one that it
    moves, or "". `access`: "load", "store", "atomic", "lds-load" (to LDS), "lds-store" (from LDS) or "", with `nbytes`
    of each lane. `classes`: what hazards, control flow and reports go by. `passes`: of a matrix instruction, on each of
    `CHIPS`; 0 where there is none."""

    name: str
    unit: str
    encodings: tuple[str, ...]
    operands: tuple[OperandDesc, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    counter: str
    access: str
    nbytes: int
    classes: frozenset[str]
    passes: tuple[int, ...]
    chips: tuple[str, ...]
    source: str

    @property
    def is_branch(self) -> bool:
        """True for jumps to a label that are no calls."""
        return bool(self.classes & {"branch", "cond"}) and "call" not in self.classes

    @property
    def touches_global(self) -> bool:
        """True if it may access global memory (scratch does not count)."""
        return (
            bool(self.access) and self.unit != DS and "scratch" not in self.encodings and "scratch" not in self.classes
        )

    @property
    def ends_block(self) -> bool:
        """True for terminators of a basic block."""
        return bool(self.classes & {"branch", "cond", "call", "jump", "end", "trap", "barrier"})

    @property
    def falls_through(self) -> bool:
        """True if control may reach the next instruction, also by a call's return."""
        return "call" in self.classes or not self.classes & {"branch", "jump", "end", "trap"}

    @property
    def mask(self) -> int:
        """The operand that is read as one bit of each lane (a carry, or a selection), or -1."""
        return next((n for n, o in enumerate(self.operands) if o.kind == "m" and o.read), -1)


# Numbers in the text of a program: machine code, or a table. A wave that comes there stops.
DATA = InstrDesc("", CONTROL, (), (), (), (), "", "", 0, frozenset({"data"}), (0, 0, 0), CHIPS, "")


@functools.cache
def _lines() -> dict[str, list[tuple[str, str]]]:
    """By mnemonic: (section, line) of each entry and of each spelling."""
    found: dict[str, list[tuple[str, str]]] = {}
    section = ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line
        elif line and not line.startswith("#"):
            found.setdefault(line.split(" ", 1)[0], []).append((section, line))
    return found


def _operand(text: str) -> OperandDesc:
    how, bare = (text[0], text[1:]) if text[0] in "=+~" else ("", text)
    kind, optional = bare[0], bare.endswith("?")
    count, _, written = bare[1:].rstrip("?").partition("/")
    n = int(count or 1)
    return OperandDesc(kind, n, int(written or n) if how else 0, how in ("", "+"), how == "~", optional)


def _chips(text: str) -> tuple[str, ...]:
    return tuple(f"gfx{c}" for c in text.split()) or CHIPS


@functools.cache
def _parsed(section: str, line: str) -> InstrDesc:
    name, encodings, operands, implicit, memory, classes, chips = ([c.strip() for c in line.split("|")] + [""] * 6)[:7]
    unit, _, source = section.removeprefix("[").partition("] ")
    counter, access, nbytes = ([*memory.split(), "", "", ""])[:3]
    words = classes.split()
    passes = next((tuple(map(int, w.split("/"))) for w in words if "/" in w), (0,) * len(CHIPS))
    registers = {how: tuple(r[1:] for r in implicit.split() if r[0] == how) for how in "<>"}
    return InstrDesc(
        name, unit, tuple(encodings.split()), tuple(map(_operand, operands.split())), registers["<"], registers[">"],
        counter, access,
        int(nbytes or 0), frozenset(w for w in words if "/" not in w), passes, _chips(chips), source,
    )  # fmt: skip


def _entries(name: str) -> list[InstrDesc]:
    """The entries that a mnemonic names, each with the chips that spell it so."""
    found = []
    for section, line in _lines().get(name, ()):
        head, alias, tail = line.partition(" = ")
        if alias and "|" not in head:
            other, _, chips = tail.partition("|")
            found += [dataclasses.replace(d, chips=_chips(chips)) for d in _entries(other.strip())]
        else:
            found.append(_parsed(section, line))
    return found


@functools.cache
def find(name: str, chip: str = "") -> InstrDesc | None:
    """The entry of a mnemonic (without the suffix of its encoding) on a chip, or None; on any chip where none of
    `CHIPS` is named."""
    found = _entries(name)
    want = (chip,) if chip in CHIPS else ("gfx942", "gfx950", "gfx90a")
    return next((d for c in want for d in found if c in d.chips), None)


def names(chip: str = "") -> tuple[str, ...]:
    """The mnemonics of a chip, or of all chips, with every spelling."""
    return tuple(n for n in _lines() if find(n, chip) is not None)


def bare(mnemonic: str) -> str:
    """A mnemonic without the suffix of its encoding."""
    return mnemonic.removesuffix(next((e for e in ENCODINGS if mnemonic.endswith(e)), ""))


def unknown(name: str, chip: str, where: str) -> AveError:
    """The error X029 for a mnemonic that `find` does not know: no such instruction, or one of other chips."""
    others = [c for c in CHIPS if find(name, c) is not None]
    hint = (
        f"it is an instruction of {', '.join(others)}"
        if others
        else f"Ave knows the instructions of {', '.join(CHIPS)}, by LLVM's mnemonics"
    )
    return error("X029", where=where, name=name, chip=chip if chip in CHIPS else "an AMD GPU", hint=hint)
