"""Reuse: loads find what is known already, exactly where it is the same; and what nobody reads is not stored."""

import random

import numpy as np
import pytest
from tests.passes.test_forward import CASES, HEAD, TAIL

from avelang.ir.core import walk
from avelang.ir.text import parse_kernel
from avelang.ir.verify import verify
from avelang.passes.addresses import addresses
from avelang.passes.reuse import reuse
from avelang.passes.simplify import simplify
from avelang.sim import reference


def _same(kernel):
    """Runs a kernel before and after the pass; the ops that are left."""

    def run(c):
        out = np.zeros((64, 2), np.int32)
        reference.run(kernel, [out, 1, c], (1, 1, 1), (64, 1, 1))
        return out

    want = [run(c) for c in (True, False)]
    assert want[0].any()
    for step in (addresses, simplify, reuse, simplify):
        step(kernel)
        verify(kernel, "addresses")
    np.testing.assert_array_equal([run(c) for c in (True, False)], want)
    return [op.name for op in walk(kernel.body)]


@pytest.mark.parametrize("name", CASES)
def test_cases_of_forward(name):
    _same(parse_kernel(HEAD + CASES[name][0] + TAIL))


def test_an_accumulator_is_loaded_and_stored_once_a_trip():
    ops = _same(parse_kernel(HEAD + """store(%x, %l, %zero)
      for(%zero, %two, %one) { ^(%i: u32):
        %p = load(%l, %zero) : i32
        %q = add(%p, %y) : i32
        store(%q, %l, %zero)
        %r = load(%l, %zero) : i32
        %s = add(%r, %x) : i32
        store(%s, %l, %zero)
        yield
      }
      %a = load(%l, %zero) : i32
      %b = load(%l, %zero) : i32""" + TAIL))  # fmt: skip
    # One before the loop, one in it; one in it, one behind it; and those of the output.
    assert ops.count("st") == 2 + 2 and ops.count("ld") == 2


class _Drawn:
    """A program of loads and stores at random places, in loops and branches, as text."""

    def __init__(self, seed):
        self.random, self.count, self.lines = random.Random(seed), 0, []
        for i, x in enumerate(("%x", "%y", "%x", "%y")):
            self.lines += [f"%i{i} = const {{'value': {i}}} : u32", f"store({x}, %l, %i{i})"]
        self.lines.append("%pairs = view(%l) : tensor<i64, (2):(1), local>")
        self.lines.append("%halves = view(%l) : tensor<i16, (8):(1), local>")
        self.lines.append("%twos = view(%l) : tensor<i16, (4, 2):(2, 1), local>")
        self.lines += [f"%h{i} = const {{'value': {i}}} : u32" for i in range(8)]
        total = self.steps(self.random.randint(3, 9), "%x", 0)
        self.lines.append(f"%a = add({total}, %x) : i32\n%b = load(%l, %i{self.random.randrange(4)}) : i32")

    def name(self):
        self.count += 1
        return f"%s{self.count}"

    def op(self, text):
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def load(self):
        kind, i = self.random.choice(("word", "word", "pair", "half", "two")), self.random.randrange(4)
        if kind == "word":
            return self.op(f"load(%l, %i{i}) : i32")
        if kind == "pair":
            return self.op(f"convert({self.op(f'load(%pairs, %i{i // 2}) : i64')}) : i32")
        if kind == "half":
            return self.op(f"convert({self.op(f'load(%halves, %h{i}) : i16')}) : i32")
        return self.op(f"bitcast({self.op(f'load(%twos, %i{i}) : vec<2 x i16>')}) : i32")

    def store(self, value):
        kind, i = self.random.choice(("word", "word", "pair", "half", "unknown")), self.random.randrange(4)
        if kind == "word":
            self.lines.append(f"store({value}, %l, %i{i})")
        elif kind == "pair":
            self.lines.append(f"store({self.op(f'convert({value}) : i64')}, %pairs, %i{i // 2})")
        elif kind == "half":
            self.lines.append(f"store({self.op(f'convert({value}) : i16')}, %halves, %h{i})")
        else:
            self.lines.append(f"store({value}, %l, %n)")

    def steps(self, count, total, depth):
        for _ in range(count):
            kind = self.random.choice(("load", "load", "store", "store", "if", "for"))
            if kind == "load":
                total = self.op(f"add({self.op(f'mul({total}, %x) : i32')}, {self.load()}) : i32")
            elif kind == "store" or depth == 2:
                self.store(total)
            else:
                out, inner = self.name(), self.name()
                head = (f"for(%zero, %two, %one, {total}) : i32 {{ ^(%k{out[1:]}: u32, {inner}: i32):" if kind == "for"
                        else f"if(%c) : i32 {{ ^():\n{inner} = add({total}, %y) : i32")  # fmt: skip
                self.lines.append(f"{out} = {head}")
                self.lines.append(f"yield({self.steps(self.random.randint(1, 4), inner, depth + 1)})")
                self.lines.append("}" if kind == "for" else f"}} {{ ^():\nyield({total})\n}}")
                total = out
        return total


@pytest.mark.parametrize("seed", range(150))
def test_drawn(seed):
    _same(parse_kernel(HEAD + "\n".join(_Drawn(seed).lines) + TAIL))
