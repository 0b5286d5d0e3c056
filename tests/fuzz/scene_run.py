"""Drawn PTX programs on the executor: plainly, and with all its checks, of which none may report anything; and the smallest program that is still wrong."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from avelang.base.errors import AveError
from avelang.sim.ptx import Program
from fuzz.scene_steps import SHARED
from fuzz.scenes import KEPT, THREADS, Block, If, Loop, Scene, Statement, Switch, alike, made, slots

CHECKS = ("races", "init")


def wrong(s: Scene, checked: bool = False) -> str:
    """What the executor does otherwise; "" where it agrees. `checked`: with checks, and threads in an order of their own."""
    m = s.memory
    held = {n: a.copy() for n, a in m.arrays.items()}
    out, dump = np.full(s.want.shape, KEPT, np.uint64), np.full(m.blocks * SHARED, 0xEE, np.uint8)
    fill, frags = np.frombuffer(m.shared, np.uint8), np.frombuffer(bytes(m.frags), np.uint8)
    arrays = [s.inputs, out, held["own"], held["counts"], m.table, fill, dump, frags]
    names = ["source", "destination", "own", "counts", "table", "fill", "dump", "frags"]
    memory = [(a.ctypes.data, a.nbytes, n, n in ("destination", "own", "counts", "dump")) for n, a in zip(names, arrays, strict=True)]
    try:
        more = {"check": CHECKS, "report": "collect", "order": ("", "reverse", "random")[s.seed % 3], "seed": s.seed} if checked else {}
        ran = Program(s.text).launch([a.ctypes.data for a in arrays], (m.blocks, 1, 1), (THREADS, 1, 1), memory=memory, **more)
    except AveError as e:
        return f"{e.code}: {e}"
    if checked and ran.reports:  # type: ignore[union-attr]
        return f"reports: {ran.reports[0]}"  # type: ignore[union-attr]
    for k, (name, c) in enumerate(slots()):
        for t in np.flatnonzero(s.want[k] != out[k]).tolist():
            if not alike(c, int(s.want[k, t]), int(out[k, t])):
                return f"{name} of thread {t} is {int(out[k, t]):#x} and should be {int(s.want[k, t]):#x}"
    for name, a in (("own", held["own"]), ("counts", held["counts"]), ("dump", dump)):
        off = np.flatnonzero(s.ends[name] != a)
        if len(off):
            return f"{len(off)} bytes of {name} differ, the first at {off[0]}: {a[off[0]]:#x} and should be {s.ends[name][off[0]]:#x}"
    return ""


def smallest(s: Scene, holds: Callable[[Scene], bool], seconds: float = 30.0) -> Scene:
    """The program with fewer statements, of which `holds` is still true."""
    until, found = time.monotonic() + seconds, s
    again = True
    while again and time.monotonic() < until:
        again = False
        for body in smaller(found.body):
            if time.monotonic() > until:
                break
            try:
                tried = made(body, found.memory, found.seed)
                if holds(tried):
                    found, again = tried, True
                    break
            except Exception:  # noqa: S112 - a part that means nothing alone
                continue
    return found


def smaller(b: Block) -> list[Block]:
    """Blocks with a half of the statements, with one less, or with one made smaller inside."""
    n, out = len(b.body), []
    if n > 3:
        out += [Block(b.body[: n // 2]), Block(b.body[n // 2 :])]
    out += [Block(b.body[:k] + b.body[k + 1 :]) for k in reversed(range(n))]
    for k, x in enumerate(b.body):
        out += [Block([*b.body[:k], *inner, *b.body[k + 1 :]]) for inner in within(x)]
    return out


def within(x: Statement) -> list[list[Statement]]:
    if isinstance(x, If):
        ways = [(t, x.other) for t in smaller(x.then)]
        if x.other is not None:
            ways += [(x.then, None), *((x.then, o) for o in smaller(x.other))]
        return [[If(x.label, x.test, x.sign, then, other, x.uniform)] for then, other in ways]
    if isinstance(x, Loop):
        return [[Loop(x.label, x.count, x.bits, x.known, t)] for t in smaller(x.body)]
    if isinstance(x, Switch):
        return [[Switch(x.label, x.on, [*x.ways[:k], t, *x.ways[k + 1 :]])] for k, w in enumerate(x.ways) for t in smaller(w)]
    if isinstance(x, Block):
        return [[t] for t in smaller(x)]
    return []
