"""Drawn programs of loads, stores, atomics and barriers: what is found is held against the closure of the order that
the barriers give."""

import itertools
import random

import numpy as np
import pytest

from avelang.sim.ptx import Program
from sim.ptx.texts import kernel, memory

Step = tuple[str, int, str]  # what, of which word or barrier, and how: "sync", "arrive" or "all"


def drawn(seed: int) -> list[list[Step]]:
    """The steps of each warp. Barriers of two warps have numbers of their own, and come in the same order to both."""
    r = random.Random(seed)
    warps: list[list[Step]] = [[] for _ in range(r.choice([2, 3, 4]))]
    for n in range(r.randint(3, 9)):
        kind = r.random()
        if kind < 0.65:
            r.choice(warps).append((r.choice(["ld", "st", "st", "red"]), r.randrange(3), ""))
        elif kind < 0.8:
            for steps in warps:
                steps.append(("bar", -1 - n, "all"))
        else:
            first, second = r.sample(range(len(warps)), 2)
            warps[first].append(("bar", n, "sync"))
            warps[second].append(("bar", n, r.choice(["sync", "arrive"])))
    return warps


def text(warps: list[list[Step]], space: str) -> str:
    base = "%r2" if space == "shared" else "%p0"
    lines = ["mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; .shared .b32 box[8]; mov.u32 %r2, box;"]
    lines += [f"setp.eq.u32 %q1, %r1, {w}; @%q1 bra W{w};" for w in range(1, len(warps))]
    spell = {"ld": "ld.{s}.u32 %r5, [{b}+{a}];", "st": "st.{s}.u32 [{b}+{a}], 1;",
        "red": "red.{s}.add.u32 [{b}+{a}], 1;"}
    for w, steps in enumerate(warps):
        lines.append(f"W{w}:")
        for what, n, how in steps:
            bar = "bar.sync 0;" if how == "all" else f"bar.{how} {n + 1}, 64;"
            lines.append(bar if what == "bar" else spell[what].format(s=space, b=base, a=4 * n))
        lines.append("bra END;")
    return kernel("\n".join(lines) + "\nEND: ret;")


def races(warps: list[list[Step]]) -> bool:
    """Whether two accesses to a word, one of which writes and not both atomic, are not ordered."""
    at = {e: k for k, e in enumerate((w, i) for w, steps in enumerate(warps) for i in range(len(steps)))}
    before = np.zeros((len(at), len(at)), bool)
    for (w, i), (v, j) in itertools.product(at, at):
        if w == v:
            before[at[w, i], at[v, j]] = i < j
        elif (warps[w][i][:2] == warps[v][j][:2] and warps[w][i][0] == "bar" and warps[v][j][2] != "arrive"
                and (v, j + 1) in at):
            before[at[w, i], at[v, j + 1]] = True
    for k in range(len(at)):
        before |= before[:, [k]] & before[[k], :]
    for (w, i), (v, j) in itertools.combinations(at, 2):
        (one, n, _), (two, m, _) = warps[w][i], warps[v][j]
        meets = w != v and n == m and "bar" not in (one, two) and not one == two == "ld" and not one == two == "red"
        if meets and not before[at[w, i], at[v, j]] and not before[at[v, j], at[w, i]]:
            return True
    return False


@pytest.mark.parametrize("seed", range(10))
def test_drawn_programs(seed):
    warps, x = drawn(seed), np.zeros(8, np.uint32)
    program = Program(text(warps, "shared" if seed % 2 else "global"))
    for order in ("", "reverse", "random"):
        ran = program.launch([x.ctypes.data], (1, 1, 1), (32 * len(warps), 1, 1), memory=memory(x), check=("races",),
            report="collect", order=order, seed=seed)  # fmt: skip
        codes = {e.code for e in ran.reports}
        assert codes <= {"X040", "X050"} and bool(codes) == races(warps), (order, warps,
            [e.message for e in ran.reports])
