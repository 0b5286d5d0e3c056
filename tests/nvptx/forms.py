"""The list of instruction forms that ptxas has assembled: `python tests/nvptx/forms.py` tries them all and writes
forms.txt (about a minute).

forms.txt has a line "TARGET instruction" for each, in which registers in a row are named by the first and the last; `test_table.py` holds it against the table, and assembles a part of
it anew. """

from __future__ import annotations

import functools
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent / "src")]

from avelang.nvptx.check import PtxTarget, check  # noqa: E402
from avelang.nvptx.examples import forms  # noqa: E402
from avelang.nvptx.nodes import PtxInstruction  # noqa: E402
from avelang.nvptx.printer import instruction  # noqa: E402

FILE = HERE / "forms.txt"
VERSION = (9, 1)
TARGETS = ("sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_120a")


def types(name: str) -> str:
    """The type that a register of the examples has: it is in its name."""
    return name[1:].rpartition("_")[0]


def target_of(x: PtxInstruction) -> str:
    """The oldest target on which the table has this instruction."""
    return next(t for t in TARGETS if check(x, PtxTarget(t, VERSION), types) is None)


@functools.cache
def listed() -> list[tuple[str, PtxInstruction]]:
    """(target, instruction) of all the table."""
    return [(target_of(x), x) for _, _, x in forms()]


def text_of(rows: list[tuple[str, PtxInstruction]]) -> str:
    return "".join(f"{target} {shortened(instruction(x))}\n" for target, x in rows)


def shortened(text: str) -> str:
    """A text in which rows of three and more registers, such as "%a_3, %a_4, %a_5", are "%a_3 to %a_5"."""

    def row(found: re.Match[str]) -> str:
        rows: list[list[str]] = []
        for name in found[0].split(", "):
            kind, _, number = name.rpartition("_")
            if rows and rows[-1][-1] == f"{kind}_{int(number) - 1}":
                rows[-1].append(name)
            else:
                rows.append([name])
        return ", ".join(f"{r[0]} to {r[-1]}" if len(r) > 2 else ", ".join(r) for r in rows)

    return re.sub(r"%\w+_\d+(?:, %\w+_\d+)+", row, text)


def whole(text: str) -> str:
    """What `shortened` made short."""

    def row(found: re.Match[str]) -> str:
        return ", ".join(f"%{found[1]}_{i}" for i in range(int(found[2]), int(found[3]) + 1))

    return re.sub(r"%(\w+)_(\d+) to %\1_(\d+)", row, text)


@functools.cache
def kept() -> tuple[str, ...]:
    """The lines of forms.txt, with all registers."""
    return tuple(whole(line) for line in FILE.read_text().splitlines())


if __name__ == "__main__":
    from nvptx.assembler import refused, tool

    rows = listed()
    bad = 0
    for target in TARGETS:
        mine = [x for t, x in rows if t == target]
        found = refused(mine, target, VERSION)
        print(f"{target}: {len(mine)} forms tried, {len(mine) - len(found)} assembled")
        for i, why in found.items():
            print(f"  {instruction(mine[i])}: {why}")
        bad += len(found)
    if bad:
        sys.exit(f"{bad} refused by {tool()}: forms.txt is as it was")
    FILE.write_text(text_of(rows))
    print(f"wrote {FILE.name}: {len(rows)} forms")
