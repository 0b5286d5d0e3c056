"""Lines of Python that differ in numbers alone come in; a `for` over them goes out. For `ave ptx to-python --readable`:
loads of consecutive offsets, products of fragments one after the other, steps of a reduction."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable, Sequence

from avelang.ptx.spelling import BREAK

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|\d+(?:\.\d*)?(?:e[+-]?\d+)?|[A-Za-z_]\w*|\s+|.', re.DOTALL)
_BARE_ADDRESS = re.compile(r"ptx\.addr\(([\w\[\]]+)\)")
_NO_OFFSET = re.compile(rf"(ptx\.addr\([^(),]+), {BREAK}0\)")
_LONGEST_PERIOD = 24
_FEWEST, _MOST = 3, 256  # trips
_LONGEST_LIST = 16


@dataclasses.dataclass(slots=True)
class _Line:
    """A line in pieces. `numbers`: places of integers in `tokens`; `inner`: those of them that stand in an index."""

    tokens: list[str]
    numbers: list[int]
    inner: list[bool]
    shape: tuple[str, ...]


def _pieces(text: str) -> _Line:
    tokens = _TOKEN.findall(_BARE_ADDRESS.sub(rf"ptx.addr(\1, {BREAK}0)", text))
    numbers, inner, open_ = [], [], []
    for at, token in enumerate(tokens):
        if token == "[":
            open_.append(at > 0 and (tokens[at - 1][0].isalpha() or tokens[at - 1][0] == "_"))
        elif token == "]" and open_:
            open_.pop()
        elif token.isdigit():
            numbers.append(at)
            inner.append(bool(open_ and open_[-1]))
    shape = tuple("#" if t.isdigit() else t for t in tokens)
    return _Line(tokens, numbers, inner, shape)


def _step(values: Sequence[int]) -> int | None:
    """The step of an arithmetic row, None of another."""
    step = values[1] - values[0]
    return step if all(b - a == step for a, b in itertools.pairwise(values)) else None


def _trips(lines: Sequence[_Line], at: int, period: int) -> int:
    """How often a period repeats in a way that a `for` can say: rows of numbers are arithmetic, but one that stands in
    no index."""
    most = 1
    while most < _MOST and at + (most + 1) * period <= len(lines) and all(
        lines[at + j].shape == lines[at + most * period + j].shape for j in range(period)
    ):  # fmt: skip
        most += 1
    if most < _FEWEST:
        return 1
    regular, odd, inside = most, set(), False
    for j in range(period):
        first = lines[at + j]
        for place, inner in zip(first.numbers, first.inner, strict=True):
            row = tuple(int(lines[at + k * period + j].tokens[place]) for k in range(most))
            steps = [b - a for a, b in itertools.pairwise(row)]
            same = next((k + 1 for k, step in enumerate(steps) if step != steps[0]), most)
            if same < most:
                regular, inside = min(regular, same), inside or inner
                odd.add(row)
    return most if len(odd) <= 1 and not inside and (not odd or most <= _LONGEST_LIST) else regular


def _affine(first: int, step: int, name: str, negative: bool) -> str:
    if step == 0:
        return str(first)
    text = name if abs(step) == 1 else f"{abs(step)} * {name}"
    text = f"{first} {'+' if step > 0 else '-'} {text}" if first or step < 0 else text
    return f"({text})" if negative else text


def _rolled(lines: Sequence[_Line], at: int, period: int, trips: int, names: tuple[str, str]) -> list[str]:
    """The `for` and its lines, these with four blanks before them."""
    counter, value = names
    odd, counted, body = None, False, []
    for j in range(period):
        first = lines[at + j]
        tokens = list(first.tokens)
        for place in first.numbers:
            row = tuple(int(lines[at + k * period + j].tokens[place]) for k in range(trips))
            step = _step(row)
            negative = place > 0 and tokens[place - 1] == "-"
            if step is None:
                odd = row
                tokens[place] = value
            else:
                counted |= step != 0
                tokens[place] = _affine(row[0], step, counter, negative)
        body.append("    " + _NO_OFFSET.sub(r"\1)", "".join(tokens)))
    if odd is None:
        head = f"for {counter} in range({trips}):"
    elif counted:
        head = f"for {counter}, {value} in enumerate({odd}):"
    else:
        head = f"for {value} in {odd}:"
    return [head, *body]


def rolled(texts: Sequence[str], names: Callable[[], tuple[str, str]]) -> list[tuple[int, int, list[str]]]:
    """The texts as (first, number of texts, lines), each once, in order. Lines of a `for` begin with it; `names`: of
    its variables, a counter and a value, asked for where there is one."""
    lines = [_pieces(t) for t in texts]
    out, at = [], 0
    while at < len(lines):
        best, trips = 0, 0
        for period in range(1, min(_LONGEST_PERIOD, (len(lines) - at) // _FEWEST) + 1):
            if lines[at].shape == lines[at + period].shape:
                count = _trips(lines, at, period)
                if count >= _FEWEST and count * period > best * trips:
                    best, trips = period, count
        if best:
            out.append((at, best * trips, _rolled(lines, at, best, trips, names())))
            at += best * trips
        else:
            out.append((at, 1, [texts[at]]))
            at += 1
    return out


__all__ = ["rolled"]
