"""The mnemonics of each chip: those that LLVM's assembler takes. As a program: reads LLVM's library for what may be one, asks llvm-mc, and writes the list."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

LIST = pathlib.Path(__file__).with_name("mnemonics.txt")
CHIPS = ("gfx942", "gfx950")
FORMS = ("_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa")
KINDS = "s|v|ds|buffer|tbuffer|global|flat|scratch|image|exp"
REFUSED = re.compile(r"<stdin>:(\d+):\d+: error: (?:invalid instruction|instruction not supported)")


def bare(name: str) -> str:
    """A mnemonic without its encoding."""
    return name.removesuffix(next((f for f in FORMS if name.endswith(f)), ""))


def known(names: list[str], chip: str, assembler: str) -> set[str]:
    """Those that the assembler takes as mnemonics of the chip, whatever it says of the operands that are not there."""
    out = subprocess.run([assembler, "--triple=amdgcn", f"--mcpu={chip}"], input="\n".join(names) + "\n", capture_output=True, text=True)
    bad = {int(m[1]) for m in REFUSED.finditer(out.stderr)}
    return {name for n, name in enumerate(names, 1) if n not in bad}


def read() -> dict[str, set[str]]:
    """The list: mnemonics by chip."""
    found: dict[str, set[str]] = {chip: set() for chip in CHIPS}
    here: tuple[str, ...] = ()
    for line in LIST.read_text().splitlines()[1:]:
        if line.startswith("["):
            here = CHIPS if line == "[both]" else (line.strip("[]"),)
            continue
        for chip in here:
            found[chip] |= set(line.split())
    return found


def write(library: str, assembler: str) -> None:
    """Writes the list. The library holds mnemonics as texts behind a byte with their length."""
    import textwrap

    data, names = pathlib.Path(library).read_bytes(), set()
    for m in re.finditer(rb"(?=([\x04-\x40])(?:" + KINDS.encode() + rb")_)", data):
        text = data[m.start() + 1 : m.start() + 1 + m[1][0]]
        if re.fullmatch(rb"[a-z][a-z0-9_]+", text):
            names.add(text.decode())
    chips = {chip: {bare(n) for n in known(sorted(names), chip, assembler)} for chip in CHIPS}
    both = chips["gfx942"] & chips["gfx950"]
    lines = [LIST.read_text().splitlines()[0]]
    for title, part in (("both", both), *((chip, chips[chip] - both) for chip in CHIPS)):
        lines += [f"[{title}]", *textwrap.wrap(" ".join(sorted(part)), 148)]
    LIST.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(*sys.argv[1:3])
