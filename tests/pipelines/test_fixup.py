"""Peers that add up a tile together (`SharedFixup`), against NumPy: each slice is stored once, with the sums of all
parts, however late a peer comes, and the counters are 0 behind a launch."""

# No `from __future__ import annotations`: the annotations of the kernel name values of the function around it.

from typing import Any

import numpy as np
import pytest
from tests.alarms.engines import Engine, on

import avelang
import avelang.language as al
from avelang.base import engines
from avelang.pipelines import fixup
from avelang.pipelines.scheduler import SplitKScheduler, TileScheduler
from avelang.pipelines.warp_specialized import GROUP, ROWS

TILES = 2


@avelang.struct
class Recorder:
    """An epilogue that leaves sums as threads have them, and counts how often each slice was stored."""

    out: Any
    stored: Any
    COLUMNS: al.constexpr
    WIDTH: al.constexpr

    def width(self):
        return self.WIDTH

    def store(self, acc, row, col, consumer, t, NUMBER, FIRST, END, batch, ends):
        number = row // ROWS * (self.COLUMNS // self.WIDTH) + col // self.WIDTH
        for i in range(acc.shape[0]):
            self.out[number, i, t] = acc[i]
        if t == 0:
            al.nvvm.atomic_add(self.stored[number], al.convert(1, al.u32), 0)


def kernel(parts: int, columns: int, width: int, blocks: int, together: bool) -> Any:
    """Sums of `parts` blocks a tile, each late by so many looks at a word in memory."""
    SLICES = TILES * blocks * columns // width

    @avelang.jit
    def shared(
        partials: al.Pointer(al.f32), counters: al.Pointer(al.u32), delays: al.Pointer(al.u32), of_out: al.Pointer(al.f32),  # type: ignore
        of_stored: al.Pointer(al.u32),  # type: ignore
    ):  # fmt: skip
        t = al.thread_id(0)
        tiles = TileScheduler(TILES * blocks * ROWS, columns, parts * 8, blocks * ROWS, columns)
        scheduler = SplitKScheduler(tiles, parts, 8)
        space = fixup.workspace(scheduler, partials, counters, (1, 1, blocks * columns // 8), 1)
        out = al.make_tensor(of_out, al.f32, al.make_layout((SLICES, width // 2, GROUP)))
        stored = al.make_tensor(of_stored, al.u32, al.make_layout((SLICES, 1)))
        late = al.make_tensor(delays, al.u32, al.make_layout((TILES * parts + 1, 1)))
        work = scheduler.work_tile(al.block_id(0), 0, 0)
        acc = al.full((blocks, columns // 2), 0.0, al.f32)
        for r in range(blocks):
            for i in range(columns // 2):
                acc[r, i] = al.convert((al.block_id(0) + 1) * (t + 3 * i + 7 * r), al.f32)
        for _ in al.range(late[al.block_id(0), 0]):
            al.nvvm.ld_acquire_u32(late[TILES * parts])
        one = al.view(acc, al.Tensor((columns // 2,), al.f32)) if blocks == 1 else acc
        epilogue = fixup.SharedFixup(space, Recorder(out, stored, columns, width), together, parts, columns)
        epilogue(one, work, 0, t)

    return shared


def run(parts: int, columns: int, width: int, blocks: int, together: bool, delays: np.ndarray, **options: Any) -> None:
    """One launch, held against NumPy."""
    slices, slots = TILES * blocks * columns // width, TILES * parts
    out = np.full((slices, width // 2, GROUP), np.nan, np.float32)
    stored, counters = np.zeros(slices, np.uint32), np.zeros(slots, np.uint32)
    sums = np.full(slots * blocks * columns // 8 * GROUP * 4, np.nan, np.float32)
    kernel(parts, columns, width, blocks, together)[slots, GROUP](
        sums, counters, np.append(delays, 0).astype(np.uint32), out, stored, target="sm_90a", **options
    )
    tile, block, piece = np.unravel_index(np.arange(slices), (TILES, blocks, columns // width))
    factor = np.array([sum(i * parts + p + 1 for p in range(parts)) for i in range(TILES)])[tile]
    element = piece[:, None] * (width // 2) + np.arange(width // 2)
    each = np.arange(GROUP) + 3 * element[:, :, None] + 7 * block[:, None, None]
    np.testing.assert_array_equal(stored, 1)
    np.testing.assert_array_equal(out, factor[:, None, None] * each)
    assert not counters.any()


CASES = [
    # parts, columns, width, row blocks: as many slices as parts, fewer, more, one, and of two row blocks
    (4, 64, 16, 1), (5, 32, 16, 1), (2, 64, 16, 1), (3, 24, 24, 1), (3, 32, 16, 2), (19, 64, 16, 2),
]  # fmt: skip


@pytest.mark.parametrize("looks", [0, 5, fixup.LOOKS], ids="{} looks".format)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_slice_is_added_up_once(case, looks, monkeypatch):
    """Blocks that run one after another find nobody; those that take turns find some."""
    monkeypatch.setattr(fixup, "LOOKS", looks)
    rng = np.random.default_rng((*case, looks))
    run(*case, True, rng.integers(0, 3 * looks + 1, TILES * case[0]))


@pytest.mark.parametrize(
    ("backend", "looks"), [(engines.REFERENCE, 0), (engines.REFERENCE, 20), *((engines.PTX, n) for n in (0, 20, 5000, 100_000))]
)
@pytest.mark.parametrize("case", [CASES[0], CASES[4]], ids=str)
def test_peers_that_wait_or_do_not_bring_no_report(case, looks, backend, monkeypatch):
    """Checks of races, and of memory that nothing wrote. Executed PTX lets other blocks go on beside one that looks at
    memory for long: with many looks all peers meet, with few some do."""
    monkeypatch.setattr(fixup, "LOOKS", looks)
    delays = np.random.default_rng(looks).integers(0, looks + 1, TILES * case[0]) % 3000
    with on(Engine(backend, "sm_90a")) as said:
        run(*case, True, delays, **Engine(backend, "sm_90a").options)
    assert "X0" not in said.getvalue()


@avelang.jit
def blind(counter):
    """Looks for long, and sees nobody."""
    for _ in al.range(3000):
        al.nvvm.ld_acquire_u32(counter)
    return 0


@pytest.mark.parametrize("case", [CASES[0], CASES[4]], ids=str)
def test_peers_that_go_too_late_add_up_their_slices(case, monkeypatch):
    """Who wants to go and finds that all have come meanwhile: the last one has not been told."""
    monkeypatch.setattr(fixup, "peers_here", blind)
    with on(Engine(engines.PTX, "sm_90a")) as said:
        run(*case, True, np.zeros(TILES * case[0]))
    assert "X0" not in said.getvalue()
