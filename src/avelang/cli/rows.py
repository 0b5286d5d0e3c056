"""What can be said of an intrinsic, as text: a row comes in; its signature, chips, parameters and fragment formulas go
out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from avelang.arch import CHIPS
from avelang.isa.fragments import Fragment
from avelang.isa.row import Param, Row

EVERY = "al"  # the namespace of rows that every chip has


def type_text(p: Param) -> str:
    """The type of a parameter in the words of the reference."""
    if p.words:
        return "one of " + ", ".join(f'"{w}"' for w in p.words)
    if p.is_const:
        return f"const {p.range[0]}..{p.range[1]}" if p.range else "const int"
    if p.type == "tensor":
        return f"tensor in {' or '.join(p.spaces)} memory"
    if isinstance(p.type, str):
        return f"like {p.type}"
    return " | ".join(map(str, p.type)) if isinstance(p.type, tuple) else str(p.type)


def result_text(row: Row) -> str:
    """A row's result type, in words."""
    return "nothing" if row.result is None else f"like {row.result}" if isinstance(row.result, str) else str(row.result)


def signature(row: Row, name: str = "") -> str:
    """`al.amdgpu.rcp(x)`, defaults included; `name` an alias, without its namespace."""
    params = [p.name if p.default is None else f"{p.name}={_default(p)}" for p in row.params]
    if row.namespace == EVERY:
        at = [i for i, p in enumerate(row.params) if p.type == "tensor"]
        for i in at:
            params.insert(i + 1, "index")
        return f"{row.name}({', '.join(params)})"
    return f"al.{row.namespace}.{name or row.name.partition('.')[2]}({', '.join(params)})"


def space(namespace: str) -> str:
    """The place of a namespace's rows in the language: `al` itself for those that every chip has."""
    return EVERY if namespace == EVERY else f"al.{namespace}"


def _default(p: Param) -> str:
    return f'"{p.words[p.default or 0]}"' if p.words else str(p.default)


def chips(row: Row) -> str:
    """The chips that have the intrinsic."""
    return ", ".join(c.name for c in CHIPS.values() if c.has(row)) or "none of the known chips"


def effects(row: Row) -> str:
    """A row's effects, in words."""
    return ", ".join(sorted(row.effects)) or "pure"


class Formula(NamedTuple):
    """The place of a fragment's element in its matrix, in terms of `lane` and `slot`; `block` is "0" where there is one
    matrix."""

    block: str
    row: str
    col: str


def _terms(values: np.ndarray, name: str) -> list[str] | None:
    """`values[i]`, i from 0 up to a power of two, as a sum of bit fields of `name`; None where it is not one."""
    count = len(values)
    if count & (count - 1) or values[0] != 0:
        return None
    bits = [int(values[1 << b]) for b in range(count.bit_length() - 1)]
    if any(values[i] != sum(w for b, w in enumerate(bits) if i >> b & 1) for i in range(count)):
        return None
    terms, start = [], 0
    while start < len(bits):
        stop = start + 1
        while stop < len(bits) and bits[stop] == 2 * bits[stop - 1] and bits[start]:
            stop += 1
        if bits[start]:
            field = name if start == 0 else f"{name} // {1 << start}"
            if stop < len(bits):
                field += f" % {1 << (stop - start)}"
            scale = bits[start]
            terms.append(field if scale == 1 else f"{scale} * {field}" if field == name else f"{scale} * ({field})")
        start = stop
    return terms


def formula(fragment: Fragment) -> Formula | None:
    """The fragment's map as three expressions; None where it is no sum of bit fields of lane and slot (then only a
    table says it)."""
    parts = []
    for index in fragment.index:
        of_lane, of_slot = _terms(index[:, 0], "lane"), _terms(index[0, :], "slot")
        if of_lane is None or of_slot is None or (index != index[:, :1] + index[:1, :]).any():
            return None
        parts.append(" + ".join([*of_lane, *of_slot]) or "0")
    return Formula(*parts)


def fragments(row: Row) -> list[tuple[str, str, Fragment]]:
    """(operand, shape in words, fragment) of a matrix instruction: A, B, and C with D."""
    mma = row.mma
    if mma is None:
        return []
    depth = mma.k // 2 if mma.sparse else mma.k
    sizes = (("A", mma.m, depth, mma.a), ("B", mma.k, mma.n, mma.b), ("C, D", mma.m, mma.n, mma.c))
    blocks = f"{mma.blocks} blocks of " if mma.blocks > 1 else ""
    return [(name, f"{blocks}{rows} x {cols}", fragment) for name, rows, cols, fragment in sizes]
