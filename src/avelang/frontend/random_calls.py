"""Random numbers: `al.philox`, `al.randint`, `al.rand`, `al.randn`. A seed and a counter come in; words or floats go
out, made of operations that every engine rounds alike.

Philox 4x32 with 10 rounds: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel Random Numbers: As Easy as
1, 2, 3" (2011). The seed's low and high words are the key; of `rand` and its like the counter is (low word of the
offset, high word, 0, 0). The step from a word to a float is Triton's: tl.rand of the same seed and 32-bit offset
gives the same number."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from avelang.frontend import math_calls
from avelang.frontend.frame import Frame
from avelang.frontend.values import Vec, describe, element, is_number
from avelang.ir.build import Builder
from avelang.ir.core import Value
from avelang.ir.dtypes import DType, f32, i32, u32, u64
from avelang.ir.functions import EXPANDED, FUNCTIONS
from avelang.ir.functions.formulas32 import COS, SIN
from avelang.ir.functions.math_builder import MathBuilder
from avelang.ir.types import VecType

Args = dict[str, Any]
ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)  # what the key grows by between rounds
SCALE = 4.6566127342e-10  # the greatest f32 by which 2**31 - 1 stays below 1
LEAST = 1.0e-7  # of the number whose logarithm randn takes


class Words:
    """Builds on u32s, of which each is one or a vector of `n` (0: scalars)."""

    def __init__(self, f: Frame, n: int):
        self.f, self.b, self.n = f, f.b, n

    def type(self, d: DType) -> DType | VecType:
        """The type of one operand."""
        return VecType(d, self.n) if self.n else d

    def const(self, x: float, d: DType = u32) -> Value:
        """A constant in all elements."""
        return self.b.const(x, self.type(d))

    def product(self, x: Value, by: int) -> tuple[Value, Value]:
        """The high and the low word of a product."""
        whole = self.b.mul(self.b.convert(x, u64), self.const(by, u64))
        return self.b.convert(self.b.shr(whole, self.const(32, u64)), u32), self.b.convert(whole, u32)

    def philox(self, key: list[Value], counter: list[Value]) -> list[Value]:
        """Four words."""
        b = self.b
        for i in range(ROUNDS):
            (high0, low0), (high1, low1) = (self.product(counter[2 * j], MULTIPLIERS[j]) for j in (0, 1))
            counter = [
                b.xor(b.xor(high1, counter[1]), key[0]), low1, b.xor(b.xor(high0, counter[3]), key[1]), low0,
            ]  # fmt: skip
            if i < ROUNDS - 1:
                key = [b.add(k, self.const(w)) for k, w in zip(key, WEYL, strict=True)]
        return counter

    def uniform(self, word: Value) -> Value:
        """A float in [0, 1) of a word."""
        b = self.b
        signed = b.bitcast(word, self.type(i32))
        folded = b.select(b.cmp("lt", signed, self.const(0, i32)), b.xor(signed, self.const(-1, i32)), signed)
        return b.mul(b.convert(folded, f32), self.const(SCALE, f32))

    def normal(self, first: Value, second: Value) -> Value:
        """Box and Muller's: sqrt(-2 log u) cos(2 pi v) of two uniform numbers."""
        if self.n:
            return self.b.vec(
                [Words(self.f, 0).normal(self.b.extract(first, i), self.b.extract(second, i)) for i in range(self.n)]
            )
        # Every function by its formula: no chip's own instruction, which may differ in the last place.
        formulas = {name: formula for name in EXPANDED if (formula := FUNCTIONS[name].f32) is not None}
        m = MathBuilder(Builder(self.b.block, self.b.span), formulas, f32)
        log = m.one("log", self.b.same("max", first, m.c(LEAST)))
        radius = m.one("sqrt", m.mul(log, -2.0))
        quarter = m.one("floor", m.fma(second, 4.0, 0.5))
        turn = m.fma(quarter, -0.25, second)  # exact, within an eighth of a turn
        angle = m.mul(turn, 2 * math.pi)
        square = m.mul(angle, angle)
        sine = m.fma(m.mul(m.poly(square, SIN), square), angle, angle)
        cosine = m.fma(m.poly(square, COS), m.mul(square, square), m.fma(square, -0.5, 1.0))
        odd = self.b.cmp("ne", self.b.and_(self.b.convert(quarter, i32), self.b.const(1, i32)), self.b.const(0, i32))
        value = m.pick(odd, sine, cosine)
        # Quarters 1 and 2 have the other sign.
        behind = m.cmp("lt", self.b.same("abs", m.sub(quarter, 1.5)), 1.0)
        return m.mul(radius, m.pick(behind, m.one("neg", value), value))


def _integer(f: Frame, v: Any, what: str, node: ast.AST) -> Any:
    """An integer, scalar or vector. Raises T022."""
    v = math_calls.numeric(f, v, what, node)
    d = None if is_number(v) else element(v)
    if isinstance(v, float) or (d is not None and not d.is_int):
        f.fail("T022", node, what=what, got=describe(v), want="an integer")
    return v


def _halves(w: Words, v: Any) -> list[Value]:
    """The low and the high word of an integer; of one of 32 bits or less, signed, the sign goes on."""
    if is_number(v):
        return [w.const(v & 0xFFFFFFFF), w.const(v >> 32 & 0xFFFFFFFF)]
    x = v.value if isinstance(v, Vec) else v
    d: DType = element(v)  # type: ignore[assignment]
    if not isinstance(v, Vec) and w.n:
        x = w.b.vec([x] * w.n)
    if d.bits <= 32 and d.kind == "uint":
        return [w.b.convert(x, u32), w.const(0)]
    whole = w.b.convert(x, u64)
    return [w.b.convert(whole, u32), w.b.convert(w.b.shr(whole, w.const(32, u64)), u32)]


def _numbers(f: Frame, a: Args, callee: str, node: ast.AST) -> tuple[Words, list[Value], Any]:
    """The words for a seed and an offset, and the offset."""
    seed = _integer(f, a["seed"], f"the seed of {callee}", node)
    offset = _integer(f, a["offset"], f"the offset of {callee}", node)
    if isinstance(seed, Vec):
        f.fail("T022", node, what=f"the seed of {callee}", got=describe(seed), want="one integer")
    w = Words(f, offset.n if isinstance(offset, Vec) else 0)
    f.at(node)
    zero = w.const(0)
    # Offsets of 32 bits count as unsigned, as in the counter.
    low, high = _halves(w, offset)
    if not is_number(offset) and element(offset).bits <= 32:  # type: ignore[union-attr]
        high = zero
    return w, w.philox(_halves(w, seed), [low, high, zero, zero]), offset


def _drawn(name: str, make: Callable[[Words, list[Value]], Value]) -> Callable[[Frame, Args, ast.Call], Any]:
    def drawn(f: Frame, a: Args, node: ast.Call) -> Any:
        w, words, offset = _numbers(f, a, f"al.{name}", node)
        got = make(w, words)
        return Vec(got, offset.shape) if isinstance(offset, Vec) else got

    return drawn


def _philox(f: Frame, a: Args, node: ast.Call) -> Any:
    parts = [_integer(f, a.get(k, 0), f"`{k}` of al.philox", node) for k in ("seed", "c0", "c1", "c2", "c3")]
    for p in parts:
        if isinstance(p, Vec):
            f.fail("T022", node, what="an argument of al.philox", got=describe(p), want="one integer")
    w = Words(f, 0)
    f.at(node)
    counter = [_halves(w, p)[0] for p in parts[1:]]
    return Vec(f.b.vec(w.philox(_halves(w, parts[0]), counter)), (4,))


BUILTIN: dict[str, Callable[[Frame, Args, ast.Call], Any]] = {
    "philox": _philox,
    "randint": _drawn("randint", lambda w, words: words[0]),
    "rand": _drawn("rand", lambda w, words: w.uniform(words[0])),
    "randn": _drawn("randn", lambda w, words: w.normal(w.uniform(words[0]), w.uniform(words[1]))),
}
