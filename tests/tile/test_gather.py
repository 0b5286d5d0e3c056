"""Windows of rows taken through an index, against NumPy: rows that there are not, edges, moves along rows."""

import functools

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from avelang.tile import gather
from avelang.tile.shared import shared
from avelang.tile.windows import commit_async, wait_async

ROWS, COLS, TOKENS = 16, 32, 20


@functools.cache
def kernel(vector, way, rows_too=0):
    @avelang.constant
    def spread(wave):
        return tile.Distribution.blocked((ROWS, COLS), al.f32, waves=128 // wave, wave=wave)

    @avelang.jit
    def take(
        x: al.Pointer(al.f32), index: al.Pointer(al.i32), y: al.Pointer(al.f32),  # type: ignore
        rows: al.u32, cols: al.u32,
    ):
        DIST = spread(al.target().wave)
        X = gather.gathered(x, (TOKENS, cols), index, rows, vector)
        Y = tile.view(y, (rows, cols), vector)
        window = X.window((ROWS, COLS), (al.block_id(0) * ROWS, 0)).spread(DIST)
        for step in range(2):
            if way == "registers":
                Y.store(window.load(), (al.block_id(0) * ROWS, step * COLS))
            else:
                memory = shared((ROWS, COLS), al.f32, 1, (DIST,))
                window.load_async(memory)
                commit_async()
                wait_async(0)
                al.syncthreads()
                Y.store(memory.load(DIST), (al.block_id(0) * ROWS, step * COLS))
            window.move((rows_too, COLS))

    return take


@pytest.mark.parametrize(
    ("target", "options"), [("gfx942", {}), ("gfx942", {"backend": "reference"}), ("sm_80", {"backend": "reference"})],
    ids=["executed", "gfx942", "sm_80"]
)
@pytest.mark.parametrize(("way", "cols", "vector"), [("registers", 56, 4), ("registers", 37, 1), ("async", 56, 4)])
def test_rows_in_any_order(target, options, way, cols, vector):
    """Rows twice, and numbers that are none of a row: before the first, behind the last."""
    rng = np.random.default_rng(cols)
    x, index = rng.standard_normal((TOKENS, cols)).astype(np.float32), rng.integers(0, TOKENS, 27).astype(np.int32)
    index[[3, 20]] = -1, TOKENS
    y = np.full((27, cols), np.nan, np.float32)
    kernel(vector, way)[2, 128](x, index, y, 27, cols, target=target, **options)
    want = np.where((index >= 0) & (index < TOKENS), 1, 0)[:, None] * x[index.clip(0, TOKENS - 1)]
    assert np.array_equal(y, want)


def test_no_move_down():
    x, index, y = np.zeros((TOKENS, 32), np.float32), np.zeros(27, np.int32), np.zeros((27, 32), np.float32)
    with pytest.raises(AveError, match="moves along them") as e:
        kernel(4, "registers", 1)[2, 128](x, index, y, 27, 32, target="gfx942", backend="reference")
    assert e.value.code == "T053"
