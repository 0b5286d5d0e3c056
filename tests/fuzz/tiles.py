"""Kernels of the tile level on all engines: a seed comes in; which engines ran, and what each of them made otherwise than NumPy, go out.

`tile_programs` draws programs over tiles, `word_programs` those in which tiles are numbers, `tile_products` products of blocks. Outputs begin as one pattern and
must end as NumPy has them, gaps included; inputs and the bytes around every array must stay as they were.
"""

from __future__ import annotations

import dataclasses
import pickle
import sys
from typing import Any

import numpy as np

from avelang import arch
from avelang.base.errors import AveError
from avelang.frontend.build import build
from avelang.ir.core import Kernel
from fuzz import engines, kept, tile_products, tile_programs, word_programs
from fuzz.drawn import Drawn
from fuzz.tile_views import copied, surroundings

GROUPS = {"gfx": ("gfx942", "gfx950"), "sm": ("sm_80", "sm_90a")}
Run = tuple[str, str]  # engine and chip


@dataclasses.dataclass
class Tiled:
    """A kernel, its launch by chip, its arguments in order, and what arrays must hold afterwards. `exact`: signs of zeros count. `cheap`: it is tried everywhere."""

    texts: dict[str, str]  # by chip
    threads: dict[str, int]
    grids: dict[str, tuple[int, int, int]]
    args: dict[str, Any]
    kinds: dict[str, dict[str, str]]  # of arrays, by chip
    wants: dict[str, np.ndarray]
    seed: int
    about: str
    exact: bool = True
    cheap: bool = True
    inputs: dict[str, dict[str, np.ndarray]] = dataclasses.field(default_factory=dict)  # of a chip, where they are not those of `args`
    _built: dict[str, bytes] = dataclasses.field(default_factory=dict)

    @property
    def chips(self) -> tuple[str, ...]:
        return tuple(self.texts)

    def kernel(self, chip: str) -> Kernel:
        """The kernel's IR: built once for each chip, for engines work on it in place."""
        if chip not in self._built:
            sys.setrecursionlimit(max(sys.getrecursionlimit(), 100_000))
            self._built[chip] = pickle.dumps(build(engines.load(self.texts[chip]).source, {}, arch.chip(chip), (self.threads[chip], 1, 1)))
        return pickle.loads(self._built[chip])  # noqa: S301 - made here

    def run(self, engine: str, chip: str, level: int = 0) -> str:
        """What the engine does otherwise; "" where it agrees."""
        mine = {**self.args, **self.inputs.get(chip, {})}
        kinds = self.kinds[chip]
        args = {n: copied(a.reshape(-1), kinds[n]) if n in kinds else a for n, a in mine.items()}
        drawn = Drawn(self.texts[chip], (self.threads[chip], 1, 1), (), (), self.seed, self.grids[chip])
        engines.on(drawn, engine, chip, [a.reshape(mine[n].shape) if n in kinds else a for n, a in args.items()], level, self.kernel(chip))
        for name in kinds:
            what = different(self.wants[name] if name in self.wants else mine[name], args[name], self.exact)
            if what or not surroundings(args[name]):
                return f"{name}: {what or 'bytes around it were written'}"
        return ""


def different(want: np.ndarray, got: np.ndarray, exact: bool) -> str:
    """The first element that is not as it should be; "" where all are."""
    want, got = want.reshape(-1), got.reshape(-1)
    if want.dtype.kind in "iub":
        off = want != got
    else:
        w, g = want.astype(np.float64), got.astype(np.float64)
        off = (w != g) & ~(np.isnan(w) & np.isnan(g))
        off |= (np.signbit(w) != np.signbit(g)) & ~np.isnan(w) if exact else False
    if not off.any():
        return ""
    at = int(np.flatnonzero(off)[0])
    return f"{int(off.sum())} differ, the first at {at}: {got[at]!r} and should be {want[at]!r}"


def program(seed: int, most: int = 9) -> Tiled:
    """A program over tiles, or one in which they are numbers, for all chips; `most`: of so many steps at most."""
    p = (word_programs if seed % 4 == 2 else tile_programs).Program(seed).draw(most)
    chips = [c for g in GROUPS.values() for c in g]
    threads = {c: p.waves * arch.chip(c).wave for c in chips}
    kinds = {n: k for n, (k, _) in p.arrays.items()}
    return Tiled(dict.fromkeys(chips, p.text()), threads, dict.fromkeys(chips, (*p.grid, 1)), p.args(), dict.fromkeys(chips, kinds), p.wants, seed, "a program over tiles", p.signs)


def draw(seed: int) -> Tiled:
    return program(seed) if seed % 4 else tile_products.draw(seed)


def runs(made: Tiled) -> list[Run]:
    """The engines for a kernel: the reference and the CPU with waves of both lengths, a chip of each vendor, by turns; of a product, which takes longer, the
    reference or the CPU, and a chip."""
    out: list[Run] = []
    for group in GROUPS.values():
        have = [c for c in group if c in made.texts]
        if not have:
            continue
        turn = made.seed // 4 % 2
        one = have[turn % len(have)]
        out += [("reference", one), ("cpu", one)] if made.cheap else [(("reference", "cpu")[(made.seed // 8 + len(out)) % 2], one)]
        out.append((one, one))
    return out


def said(made: Tiled, engine: str, chip: str) -> str:
    """What an engine does otherwise, errors too."""
    try:
        return made.run(engine, chip, int(made.seed % 5 == 0))
    except AveError as e:
        return f"{e.code}: {e}"
    except Exception as e:  # whatever goes wrong in an engine is a finding
        return f"{type(e).__name__}: {e}"


def trial(seed: int) -> tuple[list[str], list[tuple[str, str, str]]]:
    """The engines that a kernel ran on, and of those that disagree (engine, difference and text, a case to keep), with as few steps as it takes."""
    made = draw(seed)
    ran, found = [], []
    for engine, chip in runs(made):
        ran.append(engine if engine not in ("reference", "cpu") else f"{engine} ({chip})")
        what = said(made, engine, chip)
        if what:
            shorter = (program(seed, most) for most in range(4)) if made.cheap else ()
            small = next((m for m in shorter if said(m, engine, chip)[:4] == what[:4]), made)
            found.append((ran[-1], f"{said(small, engine, chip)}\n{small.texts[chip]}", kept.of_tile(small, chip, f"Seed {seed}, found on {engine}.")))
    return ran, found
