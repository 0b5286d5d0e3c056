"""The list of instruction forms that ptxas has assembled: `python tests/nvptx/forms.py` tries them all and writes
forms.txt (about a minute).

forms.txt has a line "TARGET instruction" for each; `test_table.py` holds it against the table, and assembles a part of
it anew. """

from __future__ import annotations

import functools
import pathlib
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
    return "".join(f"{target} {instruction(x)}\n" for target, x in rows)


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
