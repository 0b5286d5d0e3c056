"""Functions: mathematical functions that a machine lacks come in; multiplications, additions and bit operations go out.

On f32 (`functions32`) to two units in the last place, on f64 (`functions64`) to one; narrower floats go by way of f32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from avelang.ir.build import Builder
from avelang.ir.core import Kernel, Op, Value
from avelang.ir.dtypes import DType, f32, f64
from avelang.ir.types import VecType, dtype_of
from avelang.passes import functions32, functions64
from avelang.passes.rewrite import rewrite
from avelang.passes.terms import Terms

FUNCTIONS: dict[DType, dict[str, Callable[[Terms, Value], Value]]] = {f32: functions32.FUNCTIONS, f64: functions64.FUNCTIONS}


def functions(kernel: Kernel, native: frozenset[str]) -> None:
    """Rewrites the functions of floats, save those in `native`, which the machine has for f32 and narrower ones."""

    def visit(op: Op, b: Builder) -> Sequence[Value] | None:
        if op.name not in FUNCTIONS[f32]:
            return None
        x, t = op.operands[0], op.result.type
        d = dtype_of(t)
        wide = f64 if d == f64 else f32
        if wide == f32 and op.name in native:
            return None
        formula, terms = FUNCTIONS[wide][op.name], Terms(b, native, wide)
        items = [b.extract(x, i) for i in range(t.n)] if isinstance(t, VecType) else [x]
        out = [b.convert(formula(terms, b.convert(v, wide)), d) for v in items]
        return [b.vec(out) if isinstance(t, VecType) else out[0]]

    rewrite(kernel.body, visit)
