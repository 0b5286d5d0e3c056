"""The instruction table of AMD's chips against its sources: LLVM's assembler, and AMD's machine-readable tables as the
wheel `tinygrad` carries them.

    python tools/amd_instructions.py /usr/lib/x86_64-linux-gnu/libLLVM.so.22.1

prints a line for each mnemonic that LLVM's library and assembler have and `src/avelang/isa/amdgpu/instructions.txt`
lacks, with the operands that AMD's tables say; whoever adds it says the rest: implicit registers, counter, class. The
tests use these functions to hold every entry against both."""

from __future__ import annotations

import importlib.util
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from avelang.isa.amdgpu.instructions import CHIPS, InstrDesc, bare, find  # noqa: E402

KINDS = "s|v|ds|buffer|tbuffer|global|flat|scratch|image"
REFUSED = re.compile(r"<stdin>:(\d+):\d+: error: (.*)")
NO_MNEMONIC = ("invalid instruction", "instruction not supported")

# -- LLVM's assembler ---

# How operands of a kind are written; registers get a number.
_FILES = {"s": "s", "c": "s", "m": "s", "v": "v", "a": "a", "u": "v", "w": "v", "x": "v"}
_FIXED = {"k": "1", "b": "L0", "n": "v4", "p": "v[2:3]", "q": "off"}
_NAMES = {"s_sendmsg": "sendmsg(MSG_INTERRUPT)", "s_sendmsghalt": "sendmsg(MSG_INTERRUPT)"}


def sample(name: str, d: InstrDesc, chip: str, encoding: str = "") -> str:
    """A line of assembly with operands as the entry says. `encoding`: "_e32" and its like, with the modifiers that it
    takes."""
    out, first = [], 4
    for n, o in enumerate(d.operands):
        if o.kind in _FILES:
            first = -(-first // min(o.count, 4)) * min(o.count, 4)
            first += first % 2
            last = first + o.count - 1
            text = f"{_FILES[o.kind]}{first}" if o.count == 1 else f"{_FILES[o.kind]}[{first}:{last}]"
            first = last + 1 if last < 60 else 4
            if o.kind == "m" and encoding not in ("", "_e64"):
                text = "vcc"
            if d.name == "v_writelane_b32" and n == 2:  # one scalar register is all that it may read
                text = "1"
        elif o.kind == "k" and o.optional:
            continue
        elif o.kind == "o":
            text = "s0" if "scratch" in d.encodings else "off"
        elif o.kind == "h":
            text = _NAMES.get(d.name, "hwreg(HW_REG_MODE)")
        else:
            text = _FIXED[o.kind]
        out.append(text)
    return f"{name}{encoding} {', '.join(out)}{_modifiers(d, chip, encoding)}"


def _modifiers(d: InstrDesc, chip: str, encoding: str) -> str:
    first = d.encodings[0]
    if encoding in ("_dpp", "_sdwa"):
        selects = "".join(f" src{n}_sel:BYTE_0"
                          for n, o in enumerate(x for x in d.operands if not x.written and x.kind != "m"))
        return " row_shr:1" if encoding == "_dpp" else selects
    if first in ("mubuf", "mtbuf") and d.operands:
        form = " format:[BUF_DATA_FORMAT_32]" if first == "mtbuf" else ""
        return form + (" lds" if d.access == "lds-store" else " offen")
    if first == "mimg":
        return f" dmask:0x{3 if 'cmpswap' in d.name else 1} unorm"
    if first == "ds" and d.counter == "gws":
        return " gds"
    if first in ("flat", "global") and d.access == "atomic":
        return " glc" if chip == "gfx90a" else " sc0"
    return ""


def refused(lines: list[str], chip: str, assembler: str) -> dict[int, str]:
    """What the assembler says of the lines that it does not take, by their index."""
    out = subprocess.run([assembler, "--triple=amdgcn", f"--mcpu={chip}"], input="\n".join(lines) + "\n",
                         capture_output=True, text=True)
    return {int(n) - 1: why for n, why in REFUSED.findall(out.stderr)}


def mnemonics(names: list[str], chip: str, assembler: str) -> set[str]:
    """Those that the assembler takes as mnemonics of the chip, whatever it says of the operands that are not there."""
    bad = {n for n, why in refused(names, chip, assembler).items() if why.startswith(NO_MNEMONIC)}
    return {name for n, name in enumerate(names) if n not in bad}


def texts(library: pathlib.Path) -> list[str]:
    """What may be a mnemonic among the bytes of LLVM's library, which holds each behind a byte with its length."""
    data, found = library.read_bytes(), set()
    for m in re.finditer(rb"(?=([\x04-\x40])(?:" + KINDS.encode() + rb")_)", data):
        text = data[m.start() + 1 : m.start() + 1 + m[1][0]]
        if re.fullmatch(rb"[a-z][a-z0-9_]+", text):
            found.add(text.decode())
    return sorted(found)


# -- AMD's tables ---

# Types of operands there, and the kinds that the table has for them.
TYPES = {
    "VGPR": "v", "SRC_VGPR": "v", "VGPR_OR_LDS": "v", "VGPR_OR_ACCVGPR": "u", "SRC_VGPR_OR_ACCVGPR": "u",
    "SRC_VGPR_OR_ACCVGPR_OR_CONST": "w",
    "SRC": "x", "SRC_NOLIT": "x", "SRC_SIMPLE": "x", "SRC_NOLDS": "x", "SREG": "s", "SDST": "s", "SREG_NOVCC": "s",
    "SSRC": "c", "SSRC_NOLIT": "c",
    "SSRC_LANESEL": "c", "SMEM_OFFSET": "c", "SIMM16": "k", "SIMM8": "k", "SIMM4": "k", "WAITCNT": "k", "LABEL": "b",
    "HWREG": "h", "SENDMSG": "h",
    "ACCVGPR": "a", "SRC_ACCVGPR": "a",
}  # fmt: skip
# Fields in the order of assembly, and encodings, the one with most operands first.
ORDER = [
    "vdst", "sdst", "vdata", "sdata", "vaddr", "addr", "data0", "data1", "data", "srsrc", "sbase", "saddr", "soffset",
    "src0", "vsrc1", "src1",
    "src2", "ssrc0", "ssrc1", "simm16", "scale_src0", "scale_src1",
]
ENCODINGS = [
    "VOP3SD", "VOP3PX2", "VOP3P", "VOP3", "VOP1", "VOP2", "VOPC", "SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "SMEM", "DS",
    "FLAT", "GLOBAL", "SCRATCH",
    "MUBUF", "MTBUF",
]  # fmt: skip


def published() -> dict[str, str]:
    """By mnemonic the operands of CDNA3 and CDNA4, written as in the table; {} where the wheel is not installed."""
    module = "tinygrad.runtime.autogen.amd.cdna.operands"
    if importlib.util.find_spec("tinygrad") is None or importlib.util.find_spec(module) is None:
        return {}
    forms: dict[str, dict[str, dict]] = {}
    for op, fields in importlib.import_module(module).OPERANDS.items():
        forms.setdefault(bare(op.name.lower()), {})[type(op).__name__.removesuffix("Op")] = fields
    return {name: _operands(next(of[e] for e in ENCODINGS if e in of)) for name, of in forms.items()}


def _operands(fields: dict) -> str:
    found = []
    for field in sorted(fields, key=ORDER.index):
        form, bits, kind = fields[field]
        mask = form.name == "FMT_NUM_M64" or (
            form.name == "FMT_NUM_B64" and kind.name in ("OPR_SDST", "OPR_SREG") and field == "vdst"
        )
        letter = "m" if mask else TYPES[kind.name.removeprefix("OPR_")]
        count = max(1, bits // 32) if letter not in "kbh" else 1
        found.append(("=" if field in ("vdst", "sdst") else "") + letter + (str(count) if count > 1 else ""))
    return " ".join(found)


def main(library: str, assembler: str = "llvm-mc-22") -> None:
    """Prints what the table lacks."""
    known, forms = texts(pathlib.Path(library)), published()
    for chip in CHIPS:
        for name in sorted({bare(n) for n in mnemonics(known, chip, assembler)}):
            if find(name, chip) is None:
                print(f"{chip}: {name} | | {forms.get(name, 'not in the wheel')}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
