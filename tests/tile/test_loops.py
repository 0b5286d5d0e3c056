"""Every pipeline on every chip that has it, against NumPy: the reference, the CPU and executed gfx942 code, K of all
lengths, with races and waits checked; and every barrier and wait of every pipeline deleted, to see that somebody
notices."""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import pathlib
import re
import sys
import types
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import avelang.language as al
from avelang import executor, tile
from avelang.amdgcn.asm import parse
from avelang.base.errors import AveError
from avelang.frontend.source import Jitted
from avelang.frontend.structs import StructClass
from avelang.pipelines import epilogue, ring, warp_specialized
from avelang.runtime.compile import compile_text
from avelang.sim.amdgcn import mutate
from avelang.sim.amdgcn.machine import AmdMachine
from avelang.tile import PIPELINES, loops, loops_async, schedules, views, warpgroups
from avelang_kernels.matmul import tile_gemm
from avelang_kernels.matmul.tile_gemm import build
from checked import ask

CHIPS = ("gfx90a", "gfx942", "gfx950", "sm_75", "sm_80", "sm_90a")
DTYPES = {"bf16": (al.bf16, ml_dtypes.bfloat16), "f16": (al.f16, np.float16), "f32": (al.f32, np.float32)}
PAIRS = [(name, chip) for name in PIPELINES for chip in CHIPS if not PIPELINES[name].missing(chip)]
MARGIN = 64  # elements before and behind C


def smallest(name: str, chip: str, dtype: str) -> tile.Block:
    """The smallest block of 2 x 2 waves (of one consumer) that a pipeline has on a chip, with as little of K as it
    takes."""
    if name == "tma":
        return tile.Block(64, 64, 64, pipeline="tma", stages=2)
    stages = 3 if name == "cp-async" else 2
    for k, (m, n) in itertools.product((16, 32, 64, 128), ((32, 16), (32, 32))):
        block = tile.Block(m, n, k, (2, 2), name, stages)
        try:
            block.on(chip, DTYPES[dtype][0])
        except AveError as e:
            assert e.code == "T307"
            continue
        return block
    raise AssertionError(f"no block for {name} on {chip}")


def runs() -> list[tuple[str, str, str, str, str]]:
    """(pipeline, chip, backend, dtype, dtype of C). The reference runs all; machine code takes longer to make: of the
    CPU one chip of each vendor for a pipeline, in turn."""
    found: list[tuple[str, str, str, str, str]] = []
    turns = {"gfx": itertools.count(), "sm_": itertools.count()}
    for name in PIPELINES:
        own, count = [c for n, c in PAIRS if n == name], itertools.count()
        vendors = {v: [c for c in own if c.startswith(v)] for v in turns}
        cpu = {chips[next(turns[v]) % len(chips)] for v, chips in vendors.items() if chips}
        for chip in own:
            for backend in ("reference", *["cpu"] * (chip in cpu), *["gfx942-exec"] * (chip == "gfx942")):
                i = next(count)
                dtype = "f16" if chip == "sm_75" or i % 2 else "bf16"
                found.append((name, chip, backend, dtype, dtype if i % 3 else "f32"))
    return found


RUNS = runs()


def test_nothing_is_left_out():
    """Every pipeline, with every chip that has it, on the reference; each on the CPU as code for both vendors, where
    both have it, and as executed gfx942 code; with both dtypes of A and B and all of C's; and each chip on the CPU."""
    assert {(n, c) for n, c, backend, *_ in RUNS if backend == "reference"} == set(PAIRS) and {
        n for n, _ in PAIRS
    } == set(PIPELINES)
    for name in PIPELINES:
        chips = {c for n, c in PAIRS if n == name}
        cpu = {c for n, c, backend, *_ in RUNS if n == name and backend == "cpu"}
        assert {c[:3] for c in cpu} == {c[:3] for c in chips}
        assert ("gfx942" in chips) == ((name, "gfx942", "gfx942-exec") in {r[:3] for r in RUNS})
        of = [(dtype, out) for n, _, _, dtype, out in RUNS if n == name]
        assert {d for d, _ in of} == {"bf16", "f16"} and "f32" in {o for _, o in of} and {o for _, o in of} - {"f32"}
    assert {c for _, c, backend, *_ in RUNS if backend == "cpu"} == set(CHIPS)


def problem(
    block: tile.Block, chip: str, shape: tuple[int, int, int], dtype: str, out: str
) -> tuple[Any, Any, np.ndarray, np.ndarray]:
    """A, B as the pipeline takes it, C of NaN in the middle of more NaN, and what C must be: integers that f32 holds,
    rounded once."""
    m, n, k = shape
    rng = np.random.default_rng(shape)
    a, b = (rng.integers(-3, 4, (rows, k)).astype(DTYPES[dtype][1]) for rows in (m, n))
    want = (a.astype(np.float32) @ b.astype(np.float32).T).astype(DTYPES[out][1])
    given = block.on(chip, DTYPES[dtype][0]).preshuffle(b) if block.pipeline == "preshuffled" else b
    return a, given, np.full(2 * MARGIN + m * n, np.nan, DTYPES[out][1]), want


def check(
    block: tile.Block, chip: str, backend: str, shape: tuple[int, int, int], dtype: str, out: str, each: int = 8
) -> None:
    """`each`: what m, n and k are told to be multiples of, so that one kernel does for all of them."""
    a, b, whole, want = problem(block, chip, shape, dtype, out)
    middle = slice(MARGIN, len(whole) - MARGIN)
    kernel, threads = tile_gemm.build(block, DTYPES[dtype][0], DTYPES[out][0]), block.on(chip, DTYPES[dtype][0]).threads
    grid, c = block.grid(*shape[:2], 2 * block.cluster[0] * block.cluster[1]), whole[middle].reshape(want.shape)
    more = {"cluster": (block.cluster[0] * block.cluster[1], 1, 1)} if block.cluster != (1, 1) else {}
    kernel[grid, threads](a, b, c, *shape, each, each, target=chip, backend=backend, **more)
    got = c.astype(np.float32)
    assert np.array_equal(got, want.astype(np.float32)), (block, shape, int((got != want.astype(np.float32)).sum()))
    assert np.isnan(whole[:MARGIN].astype(np.float32)).all() and np.isnan(whole[-MARGIN:].astype(np.float32)).all()


@pytest.mark.parametrize(("name", "chip", "backend", "dtype", "out"), RUNS, ids=["-".join(r) for r in RUNS])
def test_products(name, chip, backend, dtype, out, monkeypatch):
    """K shorter than a step, one step, an odd number of them, none whole; one tile and several; edges along m and n."""
    ask(monkeypatch, backend, chip, "races", "waits")
    block = smallest(name, chip, dtype)
    m, n, k = block.m, block.n, block.k
    shapes = [(m - 3, n - 8, 8), (m + 5, n, 3 * k), (m, n, k), (m - 1, n + 8, 2 * k + 8)]
    # Of each vendor's chips one goes all the way, on the reference and as executed code.
    for shape in shapes if backend != "cpu" and (chip in ("gfx942", "sm_80") or name == "tma") else shapes[1::2]:
        check(block, chip, backend, shape, dtype, out)


@pytest.mark.parametrize("name", [n for n in PIPELINES if n != "tma"])
def test_rows_that_begin_anywhere(name):
    """Odd extents: no access is wider than an element."""
    chip = next(c for c in ("gfx942", "sm_80") if (name, c) in PAIRS)
    block = smallest(name, chip, "bf16")
    check(block, chip, "reference", (block.m + 1, block.n - 1, 2 * block.k + 5), "bf16", "bf16", 1)


# -- what if a barrier were not there ----------------------------------------------------------------------------------

# Barriers of a pipeline's gfx942 code that nobody misses: with two groups of waves one more stands at either end of the
# loop.
IDLE = {"ping-pong": 2}


@pytest.mark.parametrize("name", [n for n, chip in PAIRS if chip == "gfx942"])
def test_every_wait_in_gfx942_code_matters(name):
    block = smallest(name, "gfx942", "bf16")
    threads = block.on("gfx942", al.bf16).threads
    sizes = [(block.m - 3, block.n - 8, steps * block.k + more) for steps, more in ((0, 8), (1, 0), (3, 8), (4, 8))]
    problems = [(shape, problem(block, "gfx942", shape, "bf16", "f32")) for shape in sizes]
    machine = AmdMachine(parse(compile_text(build(block, al.bf16, al.f32), {}, (threads, 1, 1), "gfx942", "asm")),
                         check=True, mutable=True)

    def right() -> bool:
        for shape, (a, b, _, want) in problems:
            c = np.full(want.shape, np.nan, np.float32)
            executor.Kernel(machine)[1, threads](a, b, c, *shape)
            if not np.array_equal(c, want):
                return False
        return True

    assert right()
    verdicts = [mutate.judge(machine, p, right) for p in mutate.points(machine.program)]
    kept = [v for v in verdicts if v.by in ("redundant", "not executed")]
    assert all(v.by in ("checker", "numbers") for v in verdicts if v not in kept) and all(
        v.why.startswith(v.by) for v in kept
    ), [str(v) for v in kept]
    barriers = [v for v in verdicts if v.point.what == "s_barrier"]
    assert len(barriers) > 1 and sum(v in kept for v in barriers) == IDLE.get(name, 0), [str(v) for v in kept]
    assert sum(v.by == "checker" for v in verdicts) >= 5
    assert right()


# Lines of the library's rings and epilogues without which the reference finds a race, a copy that is not there, or
# wrong numbers.
WAITS = re.compile(
    r"^ +(al\.syncthreads\(\)|wait_copies\(.*\)|al\.nvvm\.mbarrier_wait\(.*\)|.* = al\.nvvm\.wgmma_wait_acc\(.*\)|"
    r"ring\.(wait|release|tail)\(.*\)|al\.nvvm\.barrier_sync\(.*\)|al\.nvvm\.fence_proxy_async_shared\(\)|"
    r"al\.nvvm\.cp_async_bulk_wait_group_read\(.*\))$"
)
# Of each pipeline: the modules that have its waits, and whose waits those are.
SOURCES = {
    "cp-async": {ring: ("CopyRing",)},
    "tma": {
        ring: ("MbarrierRing", "cluster_sync"), warp_specialized: ("produce", "mainloop"), epilogue: ("TmaEpilogue",)
    },
}
OF_CLUSTERS = "if CLUSTER > 1:", "if self.CLUSTER_M * self.CLUSTER_N > 1:"
USERS = schedules, views, loops, loops_async, warpgroups, warp_specialized, epilogue


def places() -> list[tuple[str, types.ModuleType, int, str]]:
    """(pipeline, module, number of the line, the line without what surrounds it) of each wait."""
    found = []
    for name, modules in SOURCES.items():
        for module, owners in modules.items():
            owner = ""
            for i, line in enumerate(pathlib.Path(module.__file__ or "").read_text().splitlines()):
                owner = re.split(r"[ (:]", line)[1] if line.startswith(("def ", "class ")) else owner
                # Two row blocks are Hopper's GEMM's own; its tests have them.
                if owner in owners and WAITS.match(line) and "lower" not in line:
                    found.append((name, module, i, line.strip()))
    return found


PLACES = places()


def test_the_waits_are_found():
    """As many as rings, main loop and epilogue have."""
    assert [sum(n == name for n, *_ in PLACES) for name in SOURCES] == [3, 15]


def remove_line(module, line, users, tmp_path, monkeypatch) -> list[str]:
    """`users` get a module without that line. The lines before it."""
    lines = pathlib.Path(module.__file__ or "").read_text().splitlines()
    before = [x.strip() for x in lines[max(0, line - 4) : line]]
    space = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
    lines[line] = space + "pass"
    path = tmp_path / f"{pathlib.Path(module.__file__ or '').stem}_without.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    without = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, without)
    spec.loader.exec_module(without)
    for user in users:
        for n, value in list(vars(user).items()):
            if value is module:
                monkeypatch.setattr(user, n, without)
            elif isinstance(value, (Jitted, StructClass)) and getattr(module, n, None) is value:
                monkeypatch.setattr(user, n, getattr(without, n))
    return before


@pytest.mark.parametrize(
    ("name", "module", "line", "text"),
    PLACES,
    ids=[f"{m.__name__.rpartition('.')[2]}-{i + 1}" for _, m, i, _ in PLACES],
)
def test_every_wait_in_nvidias_pipelines_matters(name, module, line, text, tmp_path, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "races")
    before = remove_line(module, line, USERS, tmp_path, monkeypatch)
    monkeypatch.setattr(tile_gemm, "build", build.__wrapped__)  # a kernel that has not been made yet
    block = smallest(name, "sm_90a", "bf16")
    branches = [x for x in before if x in (*OF_CLUSTERS, "else:")]
    if (branches and branches[-1] != "else:") or text.startswith(
        "ring.tail"
    ):  # it stands for the other blocks of a cluster
        block = dataclasses.replace(block, cluster=(2, 1))
    noticed = ""
    try:
        check(block, "sm_90a", "reference", (3 * block.m, 2 * block.n, 5 * block.k), "bf16", "bf16")
    except AveError as e:
        noticed = e.code + " " + e.message
    except AssertionError:
        noticed = "numbers"
    # At the very end copies of zeros are in flight, which nobody waits for but the block's end.
    last = text == "wait_copies(0, self.LOADS)"
    assert noticed.startswith("" if last else ("X", "numbers")) and (not last or not noticed), noticed
