"""Random structured control flow: C++ statements and masks of NumPy that do the same come out of a generator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sim.ptx.nvcc_values import N

Expression = tuple[str, Callable[[dict], np.ndarray]]
Statement = tuple[list[str], Callable[[np.ndarray], np.ndarray]]  # lines; lanes that come in to lanes that go on
NAMES = ("x", "y", "z")


class Flow:
    """Statements on the u32 variables x, y, z, and `out`, which an early return writes."""

    def __init__(self, rng: np.random.Generator):
        self.rng, self.loops, self.depth = rng, [], 0
        self.env: dict[str, np.ndarray] = {}
        self.out = np.zeros(N, np.uint32)
        self.breaks: list[np.ndarray] = []
        self.again: list[np.ndarray] = []

    def below(self, n: int) -> int:
        return int(self.rng.integers(0, n))

    def expression(self) -> Expression:
        a, b = NAMES[self.below(3)], NAMES[self.below(3)]
        k, few = self.below(1 << 32), 1 + self.below(31)
        K = np.uint32(k)
        return ((f"{a} + {b} * {k}u", lambda e: e[a] + e[b] * K),
            (f"{a} ^ {b} >> {few}", lambda e: e[a] ^ e[b] >> np.uint32(few)),
            (f"{a} * {b} - {few}u", lambda e: e[a] * e[b] - np.uint32(few)),
            (f"({a} | {k}u) % {few + 1}u", lambda e: (e[a] | K) % np.uint32(few + 1)),
            (f"{a} < {b} ? {a} + {few} : {b}", lambda e: np.where(e[a] < e[b], e[a] + np.uint32(few), e[b])),
            (f"__popc({a}) + {b}", lambda e: np.unpackbits(e[a].view(np.uint8)).reshape(N, 32).sum(1, np.uint32)
            + e[b]))[self.below(6)]  # fmt: skip

    def condition(self) -> Expression:
        a, b, k, bit = NAMES[self.below(3)], NAMES[self.below(3)], self.below(1 << 32), 1 << self.below(8)
        return ((f"{a} & {bit}", lambda e: (e[a] & np.uint32(bit)) != 0),
            (f"{a} < {k}u", lambda e: e[a] < np.uint32(k)),
            (f"(int){a} < (int){b} && {b} != {k}u",
            lambda e: (e[a].view(np.int32) < e[b].view(np.int32)) & (e[b] != np.uint32(k))),
            (f"{a} > {b} || {b} & {bit}", lambda e: (e[a] > e[b]) | ((e[b] & np.uint32(bit)) != 0)))[self.below(4)]

    def block(self, depth: int, jumps: bool, count: int) -> Statement:
        parts = [self.statement(depth, jumps) for _ in range(count)]

        def run(m):
            for _, part in parts:
                m = part(m)
            return m

        return ["    " + line for lines, _ in parts for line in lines], run

    def statement(self, depth: int, jumps: bool) -> Statement:
        if jumps and self.below(6) == 0:
            return self.jump()
        if depth == 0 or self.below(3) == 0:
            return self.assignment()
        return (self.branch, self.loop, self.switch, self.loop)[self.below(4)](depth - 1, jumps)

    def assignment(self) -> Statement:
        name, (text, how) = NAMES[self.below(3)], self.expression()

        def run(m):
            self.env[name] = np.where(m, how(self.env), self.env[name]).astype(np.uint32)
            return m

        return [f"{name} = {text};"], run

    def jump(self) -> Statement:
        text, how = self.condition()
        word = ("break", "continue")[self.below(2)]

        def run(m):
            gone = m & how(self.env)
            kept = self.breaks if word == "break" else self.again
            kept[-1] = kept[-1] | gone
            return m & ~gone

        return [f"if ({text}) {word};"], run

    def leave(self) -> Statement:
        """An early return."""
        (text, how), (value, of) = self.condition(), self.expression()

        def run(m):
            gone = m & how(self.env)
            self.out = np.where(gone, of(self.env), self.out).astype(np.uint32)
            return m & ~gone

        return [f"if ({text}) {{ o[i] = {value}; return; }}"], run

    def branch(self, depth: int, jumps: bool) -> Statement:
        (text, how), then, other = self.condition(), self.block(depth, jumps, 2), self.block(depth, jumps, 1)

        def run(m):
            c = how(self.env)
            return then[1](m & c) | other[1](m & ~c)

        return [f"if ({text}) {{", *then[0], "} else {", *other[0], "}"], run

    def loop(self, depth: int, jumps: bool) -> Statement:
        a, most, k = NAMES[self.below(3)], 2 + self.below(6), f"k{depth}"
        text, how = self.condition()
        body = self.block(depth, True, 3)
        until = self.below(2)  # a while with a condition of data, bounded; or as many times as a variable says

        def run(m):
            left, number = np.zeros(N, bool), self.env[a] % np.uint32(most + 1)
            for trip in range(most if until else most + 1):
                go = how(self.env) if until else trip < number
                left, m = left | m & ~go, m & go
                self.breaks.append(np.zeros(N, bool))
                self.again.append(np.zeros(N, bool))
                m = body[1](m) | self.again.pop()
                left |= self.breaks.pop()
            return left | m

        if until:
            head = [f"unsigned {k} = 0;", f"while ({k}++ < {most} && ({text})) {{"]
        else:
            head = [f"const unsigned n{k} = {a} % {most + 1}u;", f"for (unsigned {k} = 0; {k} < n{k}; ++{k}) {{"]
        return ["{", *head, *body[0], "}", "}"], run

    def switch(self, depth: int, jumps: bool) -> Statement:
        a, cases = NAMES[self.below(3)], 3 + self.below(4)
        parts = [(self.block(depth, False, 1), self.below(3) > 0) for _ in range(cases)]
        lines = [f"switch ({a} & 7) {{"]
        for k, ((body, _), ends) in enumerate(parts):
            lines += [f"default: {{" if k == cases - 1 else f"case {k}: {{", *body, "}", *(["    break;"] if ends else [])]  # noqa: F541

        def run(m):
            which, fall, left = self.env[a] & np.uint32(7), np.zeros(N, bool), np.zeros(N, bool)
            for k, ((_, body), ends) in enumerate(parts):
                on = body(fall | m & ((which >= k) if k == cases - 1 else (which == k)))
                left, fall = (left | on, np.zeros(N, bool)) if ends else (left, on)
            return left | fall

        return [*lines, "}"], run


def flow(rng: np.random.Generator, a: np.ndarray, b: np.ndarray) -> tuple[list[str], np.ndarray]:
    """The body of a kernel that reads u32 a[i] and b[i] and writes o[i]; and what it writes."""
    f = Flow(rng)
    parts = [f.block(2, False, 2), f.leave(), f.block(3, False, 2), f.leave(), f.block(2, False, 1)]
    f.env = {"x": a.copy(), "y": b.copy(), "z": np.arange(N, dtype=np.uint32)}
    m = np.ones(N, bool)
    for _, part in parts:
        m = part(m)
    f.out = np.where(m, f.env["x"] ^ f.env["y"] * np.uint32(3) ^ f.env["z"] * np.uint32(5), f.out)
    lines = ["unsigned x = a[i], y = b[i], z = i;", *(line for text, _ in parts for line in text)]
    return [*lines, "o[i] = x ^ y * 3 ^ z * 5;"], f.out.astype(np.uint32)
