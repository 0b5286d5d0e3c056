"""Functions: mathematical functions that a machine lacks come in; multiplications, additions and bit operations go out.

The formulas stand in `avelang.ir.functions`: on f32 to two units in the last place, on f64 to one; narrower floats go
by way of f32."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from avelang.ir.build import Builder
from avelang.ir.core import Kernel, Op, Value
from avelang.ir.dtypes import f32, f64
from avelang.ir.functions import EXPANDED, FUNCTIONS, Formula
from avelang.ir.functions.math_builder import MathBuilder
from avelang.ir.types import VecType, dtype_of
from avelang.passes.rewrite import rewrite


def expand_math(kernel: Kernel, native: frozenset[str], whole: Collection[str] = ()) -> None:
    """Rewrites the functions of floats, save those in `native`, which the machine has for f32 and narrower ones. Of
    those in `whole`, f32 stay as they are, element by element."""
    single: dict[str, Formula] = {n: f.f32 for n, f in FUNCTIONS.items() if f.f32 is not None and n not in native}
    double: dict[str, Formula] = {n: f.f64 for n, f in FUNCTIONS.items() if f.f64 is not None}

    def visit(op: Op, b: Builder) -> Sequence[Value] | None:
        if op.name not in EXPANDED:
            return None
        x, t = op.operands[0], op.result.type
        d = dtype_of(t)
        wide, formulas = (f64, double) if d == f64 else (f32, single)
        if op.name not in formulas or (op.name in whole and t == f32):
            return None
        terms = MathBuilder(b, formulas, wide)
        items = [b.extract(x, i) for i in range(t.n)] if isinstance(t, VecType) else [x]
        make = b.same if op.name in whole and wide == f32 else terms.one
        out = [b.convert(make(op.name, b.convert(v, wide)), d) for v in items]
        return [b.vec(out) if isinstance(t, VecType) else out[0]]

    rewrite(kernel.body, visit)
