"""Forms of instructions, drawn as machine code: what LLVM's disassembler makes of random words is read and translated,
or refused for a reason that is known. Modifiers, selections of parts, movements of lanes and kinds of operands come
from the bits, so that none is left out because nobody wrote it."""

from __future__ import annotations

import random
import re
import struct
import subprocess

import pytest
from tests.tools import need

from avelang.amdgcn.asm import parse
from avelang.base.errors import AveError
from avelang.sim.amdgcn.program import translate
from avelang.sim.amdgcn.translator import Options

# Why a form is refused, besides the mnemonics of `test_mnemonics`.
REASONS = (
    r"conversions of buffer formats", r"(abid|cbsz):\d+ is not defined", r"^clamp", r"which the manual does not define",
    r"a mask as the result of DPP that leaves lanes out", r"neg or abs on (BYTE|WORD)_\d of a",
    r"hardware register \d+ is not modeled|HW_REG_\w+ is not modeled",
    r"src_\w+ is not modeled", r"src_\w+ holds 64 bits", r"the symbol src_flat_scratch", r"the form dpp of",
    r"is no scalar operand", r"not a multiple of",
    r"past the last SGPR", r"lanes that are not active", r"switched off", r"not defined", r"table of a screen",
    r"neg or abs on an integer", r"of a 64-bit",
    r"a float as a constant of a 16-bit", r"both offsets are the same", r"these chips have no GDS",
    r"no hardware register", r"its constant is not a number",
    r"rounds|saturates|MODE", r"must be|registers?, not|not \d+ vector|no vector", r"without neg or abs",
    r"no instruction follows", r"no such access direct to LDS",
    r"an address register without", r"not a resource", r"are not scalar registers", r"it has \d data operands",
    r"global wave sync", r"is no format of f8f6f4",
)  # fmt: skip
# What ends a block or steers the wave: elsewhere.
LEFT_OUT = re.compile(
    r"\.long|\.byte|s_(branch|cbranch|endpgm|setpc|swappc|call|rfe|sendmsg|trap|sethalt|setkill|barrier|set_gpr|"
    r"setreg|setvskip|getpc)|image_"
)


class Words:
    """Random words of each encoding (AMD CDNA4 ISA, chapter 13), with registers that are even and few."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)

    def bits(self, n: int) -> int:
        return self.rng.getrandbits(n)

    def v(self) -> int:
        return 2 * self.rng.randrange(16)

    def source(self) -> int:
        return self.rng.choice([256 + self.v()] * 6 + [self.v()] * 2 + [128, 193, 240, 242, 248, 106])

    def plain(self) -> list[int]:
        first = {
            "1": 0x7E000000 | self.bits(8) << 9,
            "2": self.bits(6) << 25 | self.v() << 9,
            "c": 0x7C000000 | self.bits(8) << 17 | self.v() << 9,
        }
        kind = self.rng.choice("12c")
        return [first[kind] | (self.v() << 17 if kind != "c" else 0)]

    def vop(self) -> list[int]:
        return [self.plain()[0] | self.source()]

    def vop3(self) -> list[int]:
        extra = self.bits(3) << 8 | self.bits(4) << 11 | self.bits(1) << 15, self.bits(2) << 27 | self.bits(3) << 29
        return [
            0xD0000000 | self.bits(10) << 16 | self.v() | extra[0],
            self.source() | self.source() << 9 | self.source() << 18 | extra[1],
        ]

    def vop3p(self) -> list[int]:
        first = 0xD3800000 | self.bits(7) << 16 | self.v() | self.bits(4) << 11 | self.bits(1) << 14
        return [
            first,
            self.source() | self.source() << 9 | self.source() << 18 | self.bits(2) << 27 | self.bits(3) << 29,
        ]

    def sdwa(self) -> list[int]:
        parts = [self.rng.randrange(7) for _ in range(3)]
        rest = self.rng.randrange(3) << 11 | self.bits(3) << 19 | self.bits(3) << 27
        return [self.plain()[0] | 0xF9, self.v() | parts[0] << 8 | parts[1] << 16 | parts[2] << 24 | rest]

    def dpp(self) -> list[int]:
        control = self.rng.choice([self.bits(8), 0x101, 0x112, 0x124, 0x130, 0x13C, 0x140, 0x141, 0x142, 0x143, 0x155])
        return [self.plain()[0] | 0xFA, self.v() | control << 8 | self.bits(1) << 19 | self.bits(4) << 20 | 0xFF000000]

    def scalar(self) -> list[int]:
        a, b, d = (2 * self.rng.randrange(40) for _ in range(3))
        return [self.rng.choice([0xBE800000 | d << 16 | self.bits(8) << 8 | a,
            0x80000000 | self.bits(6) << 23 | d << 16 | b << 8 | a,
                                 0xB0000000 | self.bits(5) << 23 | d << 16 | self.bits(16),
                                 0xBF000000 | self.bits(7) << 16 | b << 8 | a])]  # fmt: skip

    def memory(self) -> list[int]:
        v = [self.v() for _ in range(4)]
        scalar = [
            0xC0020000
            | self.bits(8) << 18
            | self.bits(1) << 16
            | 4 * self.rng.randrange(8) << 6
            | self.rng.randrange(8) * 2,
            self.bits(8) << 3,
        ]
        lds = [0xD8000000 | self.bits(8) << 17 | self.bits(16), v[0] | v[1] << 8 | v[2] << 16 | v[3] << 24]
        buffer = [
            0xE0000000 | self.bits(7) << 18 | self.bits(14),
            v[0] | v[1] << 8 | self.rng.randrange(8) << 16 | 128 << 24,
        ]
        flat = [
            0xDC000000 | self.bits(7) << 18 | self.bits(2) << 14 | self.bits(12),
            v[0] | v[1] << 8 | self.rng.choice([0x7F, v[2]]) << 16 | v[3] << 24,
        ]
        return self.rng.choice([scalar, lds, buffer, flat])

    def draw(self, n: int) -> list[bytes]:
        kinds = (self.vop, self.vop3, self.vop3, self.vop3p, self.sdwa, self.dpp, self.scalar, self.memory)
        return [b"".join(struct.pack("<I", w & 0xFFFFFFFF) for w in self.rng.choice(kinds)()) for _ in range(n)]


def disassembled(code: list[bytes], chip: str) -> list[str]:
    """The texts of what LLVM takes for instructions. In a process of its own: some words bring its disassembler
    down."""
    text = "\n".join(",".join(f"0x{b:02x}" for b in item) for item in code)
    command = [need("llvm-mc"), "--disassemble", "--triple=amdgcn", f"--mcpu={chip}"]
    out = subprocess.run(command, input=text, capture_output=True, text=True)
    if out.returncode < 0:
        pytest.skip("LLVM's disassembler fell over these words")
    return [
        line.split("//")[0].strip()
        for line in out.stdout.splitlines()
        if line.startswith("\t") and not line.startswith("\t.")
    ]


def readable(line: str) -> bool:
    """Whether an instruction is one: random words name registers that are not there. Raises for what the parser ought
    to read."""
    try:
        parse(line, "a form")
    except AveError as e:
        if "there is no" not in str(e):
            raise
        return False
    return True


def refused(chip: str, seed: int, n: int) -> tuple[int, list[str]]:
    """How many forms were drawn, and those that are refused for a reason that is not among `REASONS`."""
    lines = [x for x in disassembled(Words(seed).draw(n), chip) if not LEFT_OUT.match(x) and "/*" not in x]
    lines = [x for x in lines if readable(x)]
    text = (
        f'.amdgcn_target "amdgcn-amd-amdhsa--{chip}"\nk:\n'
        + "\n".join(f"{line}\ns_nop 0" for line in lines)
        + "\ns_endpgm\n"
    )
    program = parse(text, "forms")
    unknown = translate(program, "k", Options()).unknown
    bad = [
        f"{program.instructions[k].text}: {why}"
        for k, why in unknown.items()
        if not any(re.search(r, why) for r in REASONS)
    ]
    return len(lines), bad


@pytest.mark.parametrize("chip", ["gfx942", "gfx950"])
def test_forms_that_machine_code_can_have(chip):
    drawn, bad = refused(chip, 5, 900)
    assert drawn > 500 and not bad, "\n".join(bad)
