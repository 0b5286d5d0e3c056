"""Shapes of code that compilers for GPUs have got wrong, as published, each with where that is told; drawn with other numbers, dtypes and operators.

A shape is a method that writes its lines, and knows the names that it has made. docs/developing.md lists them.
"""

from __future__ import annotations

from typing import Any

from fuzz.drawn import KINDS, specials
from fuzz.numbers import Kind

I16, I32, U32, I64, U64 = (KINDS[x] for x in ("i16", "i32", "u32", "i64", "u64"))


class Shapes:
    """Of a `wide.Wide`, which has the rest."""

    def shaped(self: Any, indent: int) -> None:
        getattr(self, self.pick(SHAPES))(indent)

    def integer(self: Any) -> tuple[Kind, str, str]:
        """A dtype of integers, a variable of it or of one that converts, and one that is the same in all threads where there is one."""
        k = self.pick([x for x in self.kinds if x.is_int])
        alike = [v for v in self.vars.get(k, []) if v in self.fixed and v[0] == "s"]
        return k, self.expr(k, 2), self.pick(alike) if alike else str(self.pick([x for x in specials(k)]))

    def latched(self: Any, indent: int) -> None:
        """Lanes leave a loop one after another, each with what it had then (llvm-project#203256)."""
        k, x, _ = self.integer()
        n, v, i = self.fresh("n"), self.fresh(), self.fresh("i")
        self.put(indent, f"{n} = al.i32(0)")
        self.put(indent, f"{v} = {x}")
        self.put(indent, f"for {i} in al.range({self.rng.randint(2, 5)}):")
        self.put(indent + 1, f"{n} = al.convert({i}, al.i32) * {self.pick([1, 3, -2])}")
        self.put(indent + 1, f"if {v} & {self.pick([1, 3])} == {self.pick([0, 1])}:")
        self.put(indent + 2, "break")
        self.put(indent + 1, f"{v} = {v} {self.pick(['+ 1', '>> 1', '- 3', '* 3'])}")
        self.known(I32, n)
        self.known(k, v)

    def triangle(self: Any, indent: int) -> None:
        """Two loops whose bounds the launch gives, the inner one from the outer one's counter; the condition of a choice is a branch's, too
        (llvm-project#215745)."""
        name, k = f"s{len(self.numbers)}", self.pick([I32, I64, U32, U64])
        self.numbers.append((name, k.name, self.rng.randint(0, 4)))
        acc, i, j, last = self.fresh(), self.fresh("i"), self.fresh("i"), self.fresh("n")
        self.put(indent, f"{acc} = al.{k}(0)")
        self.put(indent, f"for {i} in al.range({name}):")
        self.put(indent + 1, f"{last} = {name} if {i} {self.pick(['<', '!=', '>='])} {self.rng.randint(0, 3)} else {i} + {self.rng.randint(0, 2)}")
        self.put(indent + 1, f"for {j} in al.range({i}, {last}):")
        self.put(indent + 2, f"{acc} += {self.pick([f'{j} * {i}', f'{j} + 1', self.expr(k, 2)])}")
        self.known(k, acc)

    def limbs(self: Any, indent: int) -> None:
        """A product of numbers of several words, with carries (modular#7027)."""
        words = [f"al.convert({self.expr(self.pick([x for x in self.kinds if x.is_int]), 2)}, al.u32)" for _ in range(3)]
        a, b, c, carry, out = self.fresh(), self.fresh(), self.fresh(), self.fresh(), []
        for name, word in zip((a, b, c), words, strict=True):
            self.put(indent, f"{name} = {word}")
        self.put(indent, f"{carry} = al.u64({self.pick([0, 1, 0xFFFFFFFF])})")
        for x, y in ((a, b), (b, c), (c, a)):
            self.put(indent, f"{carry} = al.convert({x}, al.u64) * al.convert({y}, al.u64) + ({carry} >> 32)")
            out.append(self.fresh())
            self.put(indent, f"{out[-1]} = al.convert({carry}, al.u32)")
        total = self.fresh()
        self.put(indent, f"{total} = al.convert({out[0]}, al.u64) + (al.convert({out[1]}, al.u64) << 32) {self.pick('+|^')} {carry}")
        self.put(indent, f"{carry} = al.convert({total} < {carry}, al.u64) + {carry}")
        self.known(U64, carry)
        self.known(U64, total)
        self.known(U32, out[1])

    def nearest(self: Any, indent: int) -> None:
        """The least of several small numbers by another measure, and its place (cccl#10958)."""
        k = self.pick([KINDS["i8"], I16, I16, KINDS["u16"], I32])
        best, at = self.fresh(), self.fresh()
        self.put(indent, f"{best} = al.convert({self.expr(self.pick([x for x in self.kinds if x.is_int]), 2)}, al.{k})")
        self.put(indent, f"{at} = al.i32(0)")
        for n in range(1, self.rng.randint(2, 4)):
            v = self.fresh()
            self.put(indent, f"{v} = al.convert({self.expr(self.pick([x for x in self.kinds if x.is_int]), 2)}, al.{k})")
            self.put(indent, f"if al.abs({v}) < al.abs({best}):" if k.low else f"if {v} < {best}:")
            self.put(indent + 1, f"{best} = {self.pick([v, f'-{v}']) if k.low else v}")
            self.put(indent + 1, f"{at} = {n}")
        self.known(k, best)
        self.known(I32, at)

    def intervals(self: Any, indent: int) -> None:
        """Choices by numbers that stand for something else (accelerate#364)."""
        k, x, _ = self.integer()
        none, top = (k.high, k.high - 1) if not k.low else (-1, -2)
        a, b = self.fresh(), self.fresh()
        self.put(indent, f"{a} = {x}")
        self.put(indent, f"{b} = {self.expr(k, 2)} {self.pick(['& 3', '| 1', '>> 1'])}")
        joined = f"{self.pick(['al.max', 'al.min'])}({a}, {b})"
        self.put(indent, f"{a} = {b} if {a} == {none} else {a} if {b} == {none} else al.{k}({top}) if {a} == {top} or {b} == {top} else {joined}")
        self.known(k, a)

    def repeated(self: Any, indent: int) -> None:
        """One condition before and behind something that lanes do together (llvm-project#213868, triton#11153)."""
        k, x, _ = self.integer()
        c, v = self.fresh(), self.fresh()
        self.put(indent, f"{c} = {self.condition()}")
        self.put(indent, f"{v} = {x}")
        self.put(indent, f"if {c}:")
        self.put(indent + 1, f"{v} = {self.expr(k, 2)}")
        self.put(indent, self.pick(["al.syncthreads()", f"{v} = al.shuffle_xor({v}, {self.pick([1, 8, 16])})"]))
        self.put(indent, f"if {self.pick([c, f'not {c}'])}:")
        self.put(indent + 1, f"{v} = {v} {self.pick('+-*^')} {self.pick(['1', self.expr(k, 2)])}")
        self.known(k, v)

    def scaled(self: Any, indent: int) -> None:
        """Shifts by little and additions (llvm-project#198508); choices between constants that are extended, and then or-ed or added."""
        k = self.pick([I32, U32, I64, U64])
        source = self.pick([x for x in self.kinds if x.is_int])
        v = self.fresh()
        self.put(indent, f"{v} = al.convert({self.expr(source, 2)}, al.{k})")
        for _ in range(self.rng.randint(1, 3)):
            self.put(indent, f"{v} = ({v} << {self.rng.randint(1, 4)}) + al.convert({self.expr(source, 2)}, al.{k})")
        one, two = (self.pick([-1, -2, -13, -12, 5, -(1 << 31), 0x7FFFFFFF]) for _ in range(2))
        chosen = f"al.select({self.condition()}, al.i32({one}), al.i32({two}))"
        self.put(indent, f"{v} = {v} {self.pick('|+&^-')} al.convert({chosen}, al.{k})")
        self.known(k, v)

    def halves(self: Any, indent: int) -> None:
        """Pairs of small numbers and constants, of which one is used (found here: ptxas 13.0)."""
        k = self.pick([I16, KINDS["u16"], KINDS["f16"], KINDS["bf16"], KINDS["i8"]])
        source, r = self.pick(self.kinds), self.fresh("r")
        n = self.pick([2, 2, 4])
        constant = self.pick(["15", "-2", "1"]) if k.low or k.is_float else self.pick(["15", "2", "65521"])
        constant = f"{constant}.0" if k.is_float else constant
        self.put(indent, f"{r} = al.full(({n},), al.convert({self.expr(source, 2)}, al.{k}), al.{k})")
        self.put(indent, f"{r} = {r} {self.pick('+-*')} al.{k}({constant})")
        if self.chance(0.5):
            self.put(indent, f"{r}[{self.rng.randrange(n)}] = al.convert({self.expr(source, 2)}, al.{k})")
            self.put(indent, f"{r} = {self.pick([f'al.max({r}, al.{k}({constant}))', f'{r} + {r}', f'-{r}', f'al.abs({r})'])}")
        self.keep(indent, k, self.pick([f"{r}[{self.rng.randrange(n)}]", f"sum({r})", f"min({r})"]))

    def divided(self: Any, indent: int) -> None:
        """Quotients and remainders by 1, -1, powers of two and numbers near them (llvm-project#194829)."""
        k, x, alike = self.integer()
        by = [d for d in (1, -1, 2, 3, 7, 64, 127, k.high, k.low, k.high - 1) if d and k.low <= d <= k.high]
        v, w = self.fresh(), self.fresh()
        chosen = f"al.select({self.condition()}, al.{k}({self.pick(by)}), al.{k}({self.pick(by)}))"
        divisor = self.pick([f"al.{k}({self.pick(by)})", chosen, f"al.{k}({alike})"])
        self.put(indent, f"{v} = {x}")
        self.put(indent, f"{w} = {v} {self.pick(['/', '//', '%'])} {divisor}")
        self.put(indent, f"{v} = {v} - {w} * {divisor}")
        self.known(k, v)
        self.known(k, w)


SHAPES = ("latched", "triangle", "limbs", "nearest", "intervals", "repeated", "scaled", "halves", "divided")
