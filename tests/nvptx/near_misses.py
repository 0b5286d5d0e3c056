"""Near misses: `python tests/nvptx/near_misses.py [COUNT] [SEED]` draws instructions that are almost right (a word more,
less, or another; an operand more, less, or of another kind), asks the table and ptxas, and prints where they differ."""

from __future__ import annotations

import dataclasses
import pathlib
import random
import sys
from collections.abc import Iterator

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent), str(HERE.parent.parent / "src")]

from avelang.nvptx import nodes as n  # noqa: E402
from avelang.nvptx.check import PtxTarget  # noqa: E402
from avelang.nvptx.parse import parse_body  # noqa: E402
from avelang.nvptx.printer import instruction  # noqa: E402
from avelang.ptx.inst import refusal  # noqa: E402
from nvptx.forms import VERSION, kept, types  # noqa: E402

TARGETS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
KINDS = ("b16", "b32", "b64", "u16", "u32", "u64", "s32", "s64", "f32", "f64", "f16", "pred")
CONSTANTS = (0, 1, -1, 2, 3, 4, 8, 16, 17, 31, 32, 64, 255, 256, 65536, 1 << 32)


def known() -> list[tuple[str, n.PtxInstruction]]:
    """(target, instruction) of all forms that ptxas has assembled."""
    rows = (line.partition(" ") for line in kept())
    return [(target, parse_body(text)[0]) for target, _, text in rows]


def _words(rows: list[tuple[str, n.PtxInstruction]]) -> dict[str, list[str]]:
    """The words that stand behind each opcode."""
    found: dict[str, dict[str, None]] = {}
    for _, x in rows:
        found.setdefault(x.opcode, {}).update(dict.fromkeys(x.modifiers))
    return {opcode: list(words) for opcode, words in found.items()}


def drawn(count: int, seed: int) -> Iterator[tuple[str, n.PtxInstruction]]:
    """(target, instruction) of near misses; each opcode comes as often as another."""
    rng = random.Random(seed)
    rows = known()
    by_opcode: dict[str, list[tuple[str, n.PtxInstruction]]] = {}
    for target, x in rows:
        by_opcode.setdefault(x.opcode, []).append((target, x))
    words, seen = _words(rows), set()
    opcodes = sorted(set(by_opcode) - {"call"})  # which says nothing of the function that it calls
    while len(seen) < count:
        target, x = rng.choice(by_opcode[rng.choice(opcodes)])
        target = target if target in TARGETS or rng.random() < 0.3 else rng.choice(TARGETS)
        y = changed(rng, x, words[x.opcode])
        if (target, y) not in seen and y != x:
            seen.add((target, y))
            yield target, y


def changed(rng: random.Random, x: n.PtxInstruction, words: list[str]) -> n.PtxInstruction:
    """An instruction with one thing changed."""
    parts, operands = list(x.parts), list(x.operands)
    how = rng.choice(("word", "more", "less", "swap", "operand", "constant", "register", "fewer", "extra"))
    at = rng.randrange(1, len(parts)) if len(parts) > 1 else 0
    if how == "word" and at and words:
        parts[at] = rng.choice(words)
    elif how == "more" and words:
        parts.insert(rng.randrange(1, len(parts) + 1), rng.choice(words))
    elif how == "less" and at:
        del parts[at]
    elif how == "swap" and len(parts) > 2:
        i, j = rng.sample(range(1, len(parts)), 2)
        parts[i], parts[j] = parts[j], parts[i]
    elif operands:
        k = rng.randrange(len(operands))
        if how == "fewer":
            del operands[k]
        elif how == "extra":
            operands.insert(k, operands[k])
        elif how == "constant":
            operands[k] = _other(rng, operands[k], n.Int(rng.choice(CONSTANTS)))
        elif how == "register":
            operands[k] = _other(rng, operands[k], n.Register(f"%{rng.choice(KINDS)}_{rng.randrange(4)}"))
        else:
            operands[k] = rng.choice((n.Sink(), n.Float(0x3F800000), n.SpecialOperand("%tid", "x"), operands[0]))
    return dataclasses.replace(x, parts=tuple(parts), operands=tuple(operands))


def _other(rng: random.Random, x: n.Operand, new: n.Operand) -> n.Operand:
    """An operand with another one in it: whole, or one item of a list."""
    if isinstance(x, n.VectorOperand) and rng.random() < 0.7:
        items = list(x.items)
        items[rng.randrange(len(items))] = new
        return n.VectorOperand(tuple(items))
    return new


def compared(count: int, seed: int) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]], int]:
    """(taken here and refused by ptxas; refused here and taken; how many ptxas takes): target, text, why."""
    from nvptx.assembler import refused

    loose, strict, right = [], [], 0
    by_target: dict[str, list[n.PtxInstruction]] = {}
    for target, x in drawn(count, seed):
        by_target.setdefault(target, []).append(x)
    for target, every in by_target.items():
        theirs = refused(every, target, VERSION)
        right += len(every) - len(theirs)
        for i, x in enumerate(every):
            mine = refusal(x, PtxTarget(target, VERSION), types)
            if mine is None and i in theirs:
                loose.append((target, instruction(x), theirs[i]))
            elif mine is not None and i not in theirs:
                strict.append((target, instruction(x), f"[{mine.code}] {mine.message}"))
    return loose, strict, right


if __name__ == "__main__":
    count, seed = (int(x) for x in (*sys.argv[1:], *("3000", "1")[len(sys.argv) - 1 :]))
    loose, strict, right = compared(count, seed)
    for what, found in (("taken here, refused by ptxas", loose), ("refused here, taken by ptxas", strict)):
        print(f"{what}: {len(found)} of {count}")
        for target, text, why in found:
            print(f"  {target} {text}\n      {why}")
    print(f"ptxas takes {right}")
