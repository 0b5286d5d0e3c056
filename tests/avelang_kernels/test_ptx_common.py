"""What kernels of the instruction level share, on the executor: divisions by constants against Python's, the order of
tiles as a permutation."""

from __future__ import annotations

import numpy as np
import pytest

from avelang.ptx import Tile, kernel, ptx, reg
from avelang.ptx.types import u32
from avelang_kernels.ptx_common import divided, tile_of


def pairs(values: np.ndarray, of) -> np.ndarray:
    """Two u32 for each of the values, by `of(register)`."""

    @kernel(in_specs=Tile("N", u32), out_specs=Tile("N", 2, u32), grid=lambda N: -(-N // 128), block=128, arch="sm_80")
    def both(x, out, *, N):
        px, po = ptx.global_ptrs(x, out)
        i = ptx.special.ctaid.x() * 128 + ptx.special.tid.x()
        with ptx.if_(i < N):
            value = reg.scalar(u32)
            ptx.inst.ld.global_.u32(value, ptx.addr(px + i * 4))
            ptx.inst.st.global_.v2.u32(ptx.addr(po + i * 8), list(of(value)))

    return both(values)


@pytest.mark.parametrize(
    ("by", "below"),
    [(1, 50), (8, 5000), (3, 1 << 30), (24, 10_000), (7, 100_000), (1000, 4_000_000), (65_537, 1 << 31)],
)
def test_division_by_a_constant(by, below):
    rng = np.random.default_rng()
    near = np.array([(below - 1) // by - i for i in range(3)]).clip(0) * by  # where a quotient changes
    x = np.concatenate([rng.integers(0, below, 60), near, np.maximum(near, 1) - 1, [0, below - 1]]).astype(np.uint32)
    got = pairs(x, lambda r: divided(r, by, below))
    np.testing.assert_array_equal(got, np.stack([x // by, x % by], 1))


@pytest.mark.parametrize(
    ("rows", "cols", "together"), [(8, 4, 8), (5, 7, 8), (21, 6, 8), (16, 3, 8), (9, 5, 1), (1, 1, 8)]
)
def test_each_tile_comes_once_and_neighbors_in_time_are_neighbors(rows, cols, together):
    got = pairs(np.arange(rows * cols, dtype=np.uint32), lambda r: tile_of(r, rows, cols, together))
    assert sorted(map(tuple, got.tolist())) == [(r, c) for r in range(rows) for c in range(cols)]
    first = got[: min(rows, together)]  # one column of tiles after another
    assert first[:, 0].tolist() == list(range(len(first))) and not first[:, 1].any()
