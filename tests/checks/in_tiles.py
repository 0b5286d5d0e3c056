"""Seeded bugs at the tile level: promises that do not hold, tiles that meet, shared memory and asynchronous copies without what orders them."""

import functools

import numpy as np

import avelang
import avelang.language as al
from avelang import tile
from avelang.tile import shared
from checks.cases import case

tiles = functools.partial(case, tiles=True)
F32 = al.Pointer(al.f32)


@avelang.constant
def spread(rows, cols, threads, wave):
    return tile.Distribution.blocked((rows, cols), al.f32, waves=threads // wave, wave=wave)


@avelang.constant
def turned(rows, cols, threads, wave):
    """Neighbors along columns, and so other lanes' elements."""
    d = tile.Distribution.blocked((cols, rows), al.f32, waves=threads // wave, wave=wave)
    return tile.Distribution.of_index([x.reshape(d.waves, d.wave, -1) for x in d.index[::-1]], (rows, cols))


def floats(*lengths: int):
    return lambda: tuple(np.arange(n, dtype=np.float32) for n in lengths)


# -- promises ------------------------------------------------------------------------------------------------------------------------------


@tiles("L050", args=lambda: (np.zeros(320, np.float32), np.zeros(320, np.float32), 14), block=64)
@avelang.jit
def vectors_that_rows_do_not_have(a: F32, b: F32, n: al.u32, BUG: al.constexpr):
    A, B = tile.view(a, (16, n), 4 if BUG else 2), tile.view(b, (16, n), 2)
    B.store(A.window((16, 16), (0, 0), spread(16, 16, 64, al.target().wave)).load(), (0, 0))


@tiles("L050", args=lambda: (np.zeros(320, np.float32), np.zeros(320, np.float32), 2), block=64)
@avelang.jit
def windows_that_begin_within_a_vector(a: F32, b: F32, left: al.u32, BUG: al.constexpr):
    A, B = tile.view(a, (16, 20), 4 if BUG else 2), tile.view(b, (16, 20), 2)
    B.store(A.window((16, 16), (0, left), spread(16, 16, 64, al.target().wave)).load(), (0, 0))


@tiles("L050", args=lambda: (np.zeros(400, np.float32), np.zeros(400, np.float32), 18), block=64)
@avelang.jit
def rows_too_far_apart_for_vectors(a: F32, b: F32, lda: al.u32, BUG: al.constexpr):
    A, B = tile.view(a, (16, 16), 4 if BUG else 2, (lda, 1)), tile.view(b, (16, 16), 4)
    B.store(A.window((16, 16), (0, 0), spread(16, 16, 64, al.target().wave)).load(), (0, 0))


@tiles("T310", args=floats(320, 320), block=64)
@avelang.jit
def a_width_that_is_known_to_be_wrong(a: F32, b: F32, BUG: al.constexpr):
    A, B = tile.view(a, (16, 14), 4 if BUG else 2), tile.view(b, (16, 14), 2)
    B.store(A.window((16, 16), (0, 0), spread(16, 16, 64, al.target().wave)).load(), (0, 0))


@tiles("L050", args=lambda: (np.zeros(512, np.float32), np.zeros(512, np.float32), 32), block=64)
@avelang.jit
def fewer_blocks_than_tiles(a: F32, b: F32, m: al.u32, BUG: al.constexpr):
    rows = m if BUG else 16
    al.expect(al.grid_dim(0) >= (rows + 15) // 16, "a block for each tile of 16 rows")
    A, B = tile.view(a, (rows, 16), 4), tile.view(b, (rows, 16), 4)
    B.store(A.window((16, 16), (0, 0), spread(16, 16, 64, al.target().wave)).load(), (0, 0))


# -- memory of all -------------------------------------------------------------------------------------------------------------------------


@tiles("X040", args=floats(2 * 24 * 16, 2 * 24 * 16), grid=4, block=64)
@avelang.jit
def tails_of_batches(a: F32, b: F32, BUG: al.constexpr):
    """Batches of 24 rows, in tiles of 16: the second reaches into the next batch."""
    batch, row = al.block_id(0) // 2, al.block_id(0) % 2 * 16
    D = spread(16, 16, 64, al.target().wave)
    if BUG:
        A, B = tile.view(a, (48, 16), 4), tile.view(b, (48, 16), 4)
        B.store(A.window((16, 16), (batch * 24 + row, 0), D).load(), (batch * 24 + row, 0))
    else:
        A, B = tile.view(a, (48, 16), 4), tile.view(b, (48, 16), 4).cut((batch * 24 + 24, 16))
        B.store(A.window((16, 16), (batch * 24 + row, 0), D).load(), (batch * 24 + row, 0))


@tiles("X040", args=floats(512, 512), grid=2, block=64)
@avelang.jit
def blocks_on_one_tile(a: F32, b: F32, BUG: al.constexpr):
    row = al.block_id(0) * 16
    D = spread(16, 16, 64, al.target().wave)
    t = tile.view(a, (32, 16), 4).window((16, 16), (row, 0), D).load()
    tile.view(b, (32, 16), 4).store(t, (0 if BUG else row, 0))


@tiles("X040", args=floats(32 * 16), grid=2, block=64)
@avelang.jit
def smoothed_in_place(a: F32, BUG: al.constexpr):
    """Each block reads the tile of the block above, which that one changes."""
    row = al.block_id(0) * 16
    D, A = spread(16, 16, 64, al.target().wave), tile.view(a, (32, 16), 4)
    t = A.window((16, 16), (row, 0), D).load()
    above = A.window((16, 16), (0 if BUG else row, 0), D).load()
    A.store(t.map(lambda x, y: x + y, (above,)), (row, 0))


@tiles("X040", "X041", args=floats(256, 512), block=64)
@avelang.jit
def rows_that_overlap(a: F32, b: F32, BUG: al.constexpr):
    D = spread(16, 16, 64, al.target().wave)
    t = tile.view(a, (16, 16), 4).window((16, 16), (0, 0), D).load()
    tile.view(b, (16, 16), 1, (8 if BUG else 16, 1)).store(t, (0, 0))


@tiles("X002", "X001", args=floats(16 * 16, 16 * 16), block=64)
@avelang.jit
def more_rows_than_memory_has(a: F32, b: F32, BUG: al.constexpr):
    D = spread(32, 16, 64, al.target().wave)
    t = tile.view(a, (32 if BUG else 16, 16), 4).window((32, 16), (0, 0), D).load()
    tile.view(b, (16, 16), 4).store(t, (0, 0))


@tiles("X002", "X001", args=floats(16 * 16, 16 * 16), block=64)
@avelang.jit
def rows_and_columns_exchanged(a: F32, b: F32, BUG: al.constexpr):
    """The distance of rows is that of another matrix."""
    D = spread(16, 16, 64, al.target().wave)
    t = tile.view(a, (16, 16), 1, (32 if BUG else 16, 1)).window((16, 16), (0, 0), D).load()
    tile.view(b, (16, 16), 4).store(t, (0, 0))


# -- what a kernel leaves out --------------------------------------------------------------------------------------------------------------


@tiles("said", args=lambda: (np.arange(512, dtype=np.float32), np.zeros((32, 16), np.float32)), grid=2, block=64)
@avelang.jit
def tiles_that_nobody_makes(a: F32, b: al.Tensor((32, 16), al.f32), BUG: al.constexpr):
    """Tiles of 8 rows, by a grid for tiles of 16."""
    ROWS = 8 if BUG else 16
    row = al.block_id(0) * ROWS
    D = spread(ROWS, 16, 64, al.target().wave)
    t = tile.view(a, (32, 16), 4).window((ROWS, 16), (row, 0), D).load()
    tile.view(b, (32, 16), 4).store(t, (row, 0))


@tiles("X003", args=floats(512, 512), block=128)
@avelang.jit
def a_tile_that_was_never_loaded(a: F32, b: F32, BUG: al.constexpr):
    D = spread(16, 16, 128, al.target().wave)
    room = shared.shared((16, 16), al.f32, 2, (D,))
    room.store(tile.view(a, (16, 16), 4).window((16, 16), (0, 0), D).load(), 0)
    al.syncthreads()
    tile.view(b, (16, 16), 4).store(room.load(D, 1 if BUG else 0), (0, 0))


# -- shared memory -------------------------------------------------------------------------------------------------------------------------


@tiles("X006", "X003", args=floats(1024, 1024), block=128)
@avelang.jit
def loaded_in_another_distribution_at_once(a: F32, b: F32, BUG: al.constexpr):
    D, E = spread(32, 32, 128, al.target().wave), turned(32, 32, 128, al.target().wave)
    room = shared.shared((32, 32), al.f32, 1, (D, E))
    room.store(tile.view(a, (32, 32), 4).window((32, 32), (0, 0), D).load())
    if not BUG:
        al.syncthreads()
    tile.view(b, (32, 32), 4).store(room.load(E), (0, 0))


@tiles("X006", args=floats(2048, 2048), block=128)
@avelang.jit
def a_stage_that_is_filled_too_early(a: F32, b: F32, BUG: al.constexpr):
    D, E = spread(32, 32, 128, al.target().wave), turned(32, 32, 128, al.target().wave)
    room = shared.shared((32, 32), al.f32, 1, (D, E))
    A, B = tile.view(a, (64, 32), 4), tile.view(b, (64, 32), 4)
    for i in range(2):
        room.store(A.window((32, 32), (32 * i, 0), D).load())
        al.syncthreads()
        B.store(room.load(E), (32 * i, 0))
        if not BUG:
            al.syncthreads()


@tiles("X006", args=floats(3072, 3072), block=128)
@avelang.jit
def stages_counted_by_the_wrong_number(a: F32, b: F32, BUG: al.constexpr):
    D, E = spread(32, 32, 128, al.target().wave), turned(32, 32, 128, al.target().wave)
    room = shared.shared((32, 32), al.f32, 2, (D, E))
    A, B = tile.view(a, (96, 32), 4), tile.view(b, (96, 32), 4)
    room.store(A.window((32, 32), (0, 0), D).load(), 0)
    al.syncthreads()
    for i in range(3):
        if i < 2:
            room.store(A.window((32, 32), (32 * i + 32, 0), D).load(), i % 2 if BUG else (i + 1) % 2)
        B.store(room.load(E, i % 2), (32 * i, 0))
        al.syncthreads()


@tiles("X010", "X003", args=floats(1024, 1024), block=128, target="sm_80")
@avelang.jit
def copies_that_are_not_waited_for(a: F32, b: F32, BUG: al.constexpr):
    D = spread(32, 32, 128, al.target().wave)
    room = shared.shared((32, 32), al.f32, 1, (D,))
    tile.view(a, (32, 32), 4).window((32, 32), (0, 0), D).load_async(room)
    al.nvvm.cp_async_commit_group()
    al.nvvm.cp_async_wait_group(1 if BUG else 0)
    al.syncthreads()
    tile.view(b, (32, 32), 4).store(room.load(D), (0, 0))


@tiles("X006", "X010", args=floats(2048, 2048), block=128, target="sm_80")
@avelang.jit
def copies_into_a_stage_that_is_read(a: F32, b: F32, BUG: al.constexpr):
    D, E = spread(32, 32, 128, al.target().wave), turned(32, 32, 128, al.target().wave)
    room = shared.shared((32, 32), al.f32, 1, (D, E))
    A, B = tile.view(a, (64, 32), 4), tile.view(b, (64, 32), 4)
    for i in range(2):
        A.window((32, 32), (32 * i, 0), D).load_async(room)
        al.nvvm.cp_async_commit_group()
        al.nvvm.cp_async_wait_group(0)
        al.syncthreads()
        B.store(room.load(E), (32 * i, 0))
        if not BUG:
            al.syncthreads()


@tiles("X042", args=floats(1024, 1024), block=128)
@avelang.jit
def a_barrier_for_some_waves(a: F32, b: F32, BUG: al.constexpr):
    D, E = spread(32, 32, 128, al.target().wave), turned(32, 32, 128, al.target().wave)
    room = shared.shared((32, 32), al.f32, 1, (D, E))
    room.store(tile.view(a, (32, 32), 4).window((32, 32), (0, 0), D).load())
    if BUG:
        if al.thread_id(0) < 64:
            al.syncthreads()
    else:
        al.syncthreads()
    tile.view(b, (32, 32), 4).store(room.load(E), (0, 0))
