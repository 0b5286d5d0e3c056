"""Functions of ops: a kernel with ops whose expansions are long comes in; the same kernel goes out, and beside it one
expansion for each kind of them, which a backend compiles once and calls."""

from __future__ import annotations

import collections
from collections.abc import Callable, Collection, Hashable, Iterable

from avelang.ir.core import Block, Kernel, Op, Value, walk


def often(kernel: Kernel, names: Iterable[str], times: int) -> frozenset[str]:
    """Those of the ops' names that stand in a kernel more than so many times."""
    count = collections.Counter(op.name for op in walk(kernel.body))
    return frozenset(name for name in names if count[name] > times)


def functions(kernel: Kernel, whole: Collection[str], expand: Callable[[Kernel, list[Value]], None]) -> None:
    """Gives each op whose name is in `whole` the attribute "function", and the kernel the functions. `expand` runs the
    passes on one; it is given the params that differ from lane to lane. Expects that `uniformity` has run."""
    known: dict[Hashable, str] = {}
    for op in walk(kernel.body):
        if op.name not in whole:
            continue
        key = (op.name, repr(op.attrs), *((v.type, v.uniform) for v in op.operands))
        if key not in known:
            known[key] = f"{op.name}.{len(known)}"
            kernel.functions[known[key]] = _function(kernel, op, known[key], expand)
        op.attrs = {**op.attrs, "function": known[key]}


def _function(kernel: Kernel, op: Op, name: str, expand: Callable[[Kernel, list[Value]], None]) -> Kernel:
    body = Block()
    params = [body.add_arg(f"x{i}", v.type) for i, v in enumerate(op.operands)]
    one = Op(op.name, params, tuple(r.type for r in op.results), dict(op.attrs), span=op.span)
    body.ops += [one, Op("yield", one.results, span=op.span)]
    made = Kernel(name, params, body, dict(kernel.attrs), op.span)
    expand(made, [p for p, v in zip(params, op.operands, strict=True) if not v.uniform])
    return made
