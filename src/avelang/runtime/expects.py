"""What a kernel expects of a launch (`passes.expects`) comes in, with a launch's numbers and grid; the first thing that
does not hold goes out, and the table by which the host code sees for itself, in each launch, that all of it does."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from avelang.base.errors import AveError, error
from avelang.base.spans import Span
from avelang.ir.dtypes import DType
from avelang.ir.elementwise import COMPARE, INT, wrap
from avelang.native.layouts import EXPECTED, MOST_EXPECTED

MOST = MOST_EXPECTED  # rows that the host code has room for; kernels with more are launched by Python


def values(rows: Sequence[Sequence[Any]], slots: Sequence[int], grid: Sequence[int]) -> list[int]:
    """The value of each row for a launch; `slots`: as of `BoundArguments`, 8 bytes each."""
    out: list[int] = []
    for name, a, b, c, bits, signed in rows:
        d = DType("", "int" if signed else "uint", bits)
        if name == "const":
            out.append(a)
        elif name in ("arg", "grid"):
            out.append(int(wrap(slots[a] if name == "arg" else grid[a], d)))
        elif name == "select":
            out.append(int(wrap(out[b] if out[a] else out[c], d)))
        elif name in COMPARE:
            out.append(int(COMPARE[name](out[a], out[b])))
        elif name in INT:
            out.append(int(wrap(INT[name](out[a], out[b], d), d)))
        else:
            one = {"convert": out[a], "not": ~out[a], "neg": -out[a], "not1": 1 - out[a]}[name]
            out.append(int(wrap(one, d)))
    return out


def unmet(kernel: str, expects: dict[str, Any], names: Sequence[str], slots: Sequence[int], at: Any) -> AveError | None:
    """L050 for the first thing that a launch does not keep, None where it keeps all; `names`: of the parameters, one
    for each slot."""
    if not expects:
        return None
    found = values(expects["rows"], slots, at.grid)
    for what, must, value, places in expects["asked"]:
        if not found[must]:
            said = {names[row[1]]: found[i] for i, row in enumerate(expects["rows"]) if row[0] == "arg"}
            launch = ", ".join(
                [f"grid {tuple(at.grid)}", f"block {tuple(at.block)}", *(f"{name}={x}" for name, x in said.items())]
            )
            got = "" if value < 0 else f", got {found[value]}"
            return error("L050", _span(places), kernel=kernel, what=what, got=got, launch=launch)
    return None


def _span(places: Sequence[Sequence[Any]]) -> Span | None:
    span: Span | None = None
    for file, line, col, end_line, end_col, function in reversed(places):
        span = Span(file, line, col, end_line, end_col, function, span)
    return span


def table(expects: dict[str, Any] | None) -> Any:
    """The words that the host code reads: counts of rows and of conditions, then 6 words of each row (the last two: how
    far to shift left and back, and whether back with the sign), then the rows that must not be 0. Empty where nothing
    is expected. Raises ValueError for more rows than it takes."""
    if not expects:
        return ()
    rows, asked = expects["rows"], expects["asked"]
    if len(rows) > MOST:
        raise ValueError(f"{len(rows)} rows")
    words = [len(rows), len(asked)]
    for name, a, b, c, bits, signed in rows:
        words += [EXPECTED.index(name), a, b, c, 64 - bits, signed]
    words += [must for _, must, _, _ in asked]
    return (ctypes.c_int64 * len(words))(*words)
