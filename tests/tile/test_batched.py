"""Batches: drawn ones on all engines against NumPy, tiles that run on into the next batch, what a launch can know of
that, and arrays too small."""

from typing import Any

import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import tile
from avelang.base.errors import AveError
from tile import batched

F32: Any = al.f32
F: Any = al.Pointer(F32)
U: Any = al.u32
RUNS = [
    ("gfx942", "reference", 3), ("gfx950", "reference", 1), ("sm_80", "reference", 2), ("sm_90a", "reference", 1),
    ("gfx942", "gfx942-exec", 1), ("sm_80", "ptx", 2), ("gfx942", "cpu", 1)
]


@pytest.mark.parametrize(("target", "backend", "count"), RUNS)
def test_drawn_batches(target, backend, count):
    """One after another, with room between them, side by side, in turns; loads are zeros past a batch's end, and stores
    leave the next one alone."""
    from hypothesis import given, settings
    from hypothesis import strategies as st

    @settings(max_examples=count, deadline=None, database=None)
    @given(st.integers(0, 2**32 - 1), st.sampled_from(batched.KINDS))
    def drawn(seed: int, kind: str) -> None:
        batched.run(seed, target, backend, kind)

    drawn()


@avelang.jit
def flat(x: F, y: F, batches: U, m: U, OWN: al.constexpr, SAID: al.constexpr):
    """Batches of m rows, times their number, a block for each tile of 4 rows: stored through a view of all rows, or
    (`OWN`) one cut at the batch's end."""
    D, b = tile.Distribution.blocked((4, 16), F32, waves=1, wave=al.target().wave), al.block_id(1)
    if SAID:
        al.expect(m % 4 == 0, "batches of a multiple of 4 rows: tiles of the last ones would go on into the next batch",
                  m)
    X, Y = tile.view(x, (batches * m, 16)), tile.view(y, (batches * m, 16))
    if OWN:
        Y = Y.cut((b * m + m, 16))
    at = b * m + al.block_id(0) * 4, 0
    t = X.window((4, 16), at, D).load()
    Y.store(t.map(lambda v: v * al.convert(b + 1, al.f32)), at)


ENGINES = [("gfx942", "reference"), ("sm_80", "reference"), ("gfx942", "gfx942-exec"), ("gfx950", "gfx950-exec")]


@pytest.mark.parametrize(("target", "backend"), ENGINES)
def test_tiles_that_run_on_into_the_next_batch(target, backend, monkeypatch):
    """Two blocks write the rows: a race, which the checkers report, and only there."""
    monkeypatch.setenv("AVE_CHECK", "races")
    threads = 32 if target.startswith("sm_") else 64

    def launch(m, OWN, batches=3):
        x, y = np.arange(batches * m * 16, dtype=np.float32) + 1, np.zeros(batches * m * 16, np.float32)
        flat[(-(-m // 4), batches), threads](x, y, batches, m, OWN, False, target=target, backend=backend)
        assert np.array_equal(y, x * np.repeat(np.arange(1, batches + 1), m * 16))

    for m, OWN, batches in ((8, False, 3), (6, True, 3), (1, True, 3), (7, False, 1)):
        launch(m, OWN, batches)
    for m in (6, 1):
        with pytest.raises(AveError, match="X040"):
            launch(m, False)


@pytest.mark.parametrize(("target", "backend"), [("gfx942", "cpu"), *ENGINES[1:3]])
def test_what_a_launch_can_know(target, backend):
    """Said by the kernel, it is an error of every launch, whichever engine it is for, before anything is written."""
    threads, x, y = 32 if target.startswith("sm_") else 64, np.ones(288, np.float32), np.zeros(288, np.float32)
    flat[(2, 2), threads](x, y, 2, 8, False, True, target=target, backend=backend)
    assert (y[:128] == 1).all() and (y[128:256] == 2).all() and (y[256:] == 0).all()
    y[:] = 7
    with pytest.raises(AveError, match="L050") as e:
        flat[(2, 3), threads](x, y, 3, 6, False, True, target=target, backend=backend)
    assert "a multiple of 4 rows" in e.value.message and "got 6" in e.value.message and (y == 7).all()


@pytest.mark.parametrize(("target", "backend"), [("gfx942", "cpu"), *ENGINES[:3]])
def test_arrays_that_are_smaller_than_their_view(target, backend, monkeypatch):
    """A view of more batches than the array has: out of bounds at the first place that lies in no array."""
    monkeypatch.setenv("AVE_CHECK", "bounds")
    threads, room = 32 if target.startswith("sm_") else 64, np.full(3 * 8 * 16, 7, np.float32)
    x, y = np.ones(2 * 8 * 16, np.float32), room[: 2 * 8 * 16]
    with pytest.raises(AveError) as e:
        flat[(2, 3), threads](x, y, 3, 8, True, False, target=target, backend=backend)
    assert e.value.code in ("X002", "X020") and (room[2 * 8 * 16 :] == 7).all(), str(e.value)
