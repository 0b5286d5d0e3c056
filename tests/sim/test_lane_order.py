"""Lanes of a wave that use one another's memory: what must be told, and what must not, on drawn exchanges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import avelang
import avelang.language as al
from avelang.base.errors import AveError

STEPS = 5
KINDS = ("store", "load", "fence", "barrier")


@avelang.jit
def exchange(x: al.Pointer(al.i32), y: al.Pointer(al.i32), kinds: al.constexpr, shifts: al.constexpr, shared: al.constexpr, lanes: al.constexpr):
    t = al.thread_id(0)
    whole = al.make_tensor(x, al.i32, al.make_layout((64,), (1,)))
    out = al.make_tensor(y, al.i32, al.make_layout((64,), (1,)))
    s = al.make_shared((64,), al.i32) if shared else whole
    s[t], s[t + 32] = al.convert(0, al.i32), al.convert(0, al.i32)
    al.syncthreads()
    total = al.convert(0, al.i32)
    for i in range(len(kinds)):
        if kinds[i] == "store" and t < lanes[i]:
            s[t ^ shifts[i]] = t
        if kinds[i] == "load" and t < lanes[i]:
            total += s[t ^ shifts[i]]
        if kinds[i] == "fence":
            al.fence(scope="block")
        if kinds[i] == "barrier":
            al.syncthreads()
    out[t] = total


def wrong(kinds, shifts, lanes):
    """Whether a lane uses what another one of its wave has used since the last fence, one of the two writing."""
    wrote, read = {}, {}
    for kind, shift, some in zip(kinds, shifts, lanes):
        if kind in ("fence", "barrier"):
            wrote, read = {}, {}
            continue
        uses = [(t, t ^ shift) for t in range(some)]
        for t, place in uses:
            if wrote.get(place, t) != t or kind == "store" and read.get(place, {t}) != {t}:
                return True
        for t, place in uses:
            if kind == "store":
                wrote[place] = t
            else:
                read.setdefault(place, set()).add(t)
    return False


DRAWN = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from((0, 0, 1, 2, 16)), st.sampled_from((32, 32, 8, 17))), min_size=2, max_size=STEPS)


@pytest.mark.parametrize("target", ["sm_80", "gfx942"])
@pytest.mark.parametrize("shared", [True, False])
def test_drawn(monkeypatch, target, shared):
    monkeypatch.setenv("AVE_CHECK", "races")

    @settings(max_examples=40, deadline=None, database=None)
    @given(DRAWN)
    def drawn(steps):
        kinds, shifts, lanes = (tuple(x) for x in zip(*steps))
        x, y = np.zeros(64, np.int32), np.zeros(64, np.int32)
        try:
            exchange[1, 32](x, y, kinds, shifts, shared, lanes, target=target, backend="reference")
            said = ""
        except AveError as e:
            said = e.code
            assert "another lane of its wave, with no fence between" in str(e) and "al.fence" in e.hint
        assert said == (("X006" if shared else "X040") if wrong(kinds, shifts, lanes) else ""), steps

    drawn()


@avelang.jit
def packed(x: al.Pointer(al.u8), y: al.Pointer(al.u8)):
    """Bytes that lie side by side are those of lanes, one each."""
    t = al.thread_id(0)
    s = al.make_shared((64,), al.u8)
    X, Y = (al.make_tensor(p, al.u8, al.make_layout((64,), (1,))) for p in (x, y))
    s[t] = X[t]
    s[t] = s[t] + al.convert(1, al.u8)
    Y[t] = s[t]
    count = al.make_shared((1,), al.u32)
    if t == 0:
        count[0] = al.convert(0, al.u32)
    al.fence(scope="block")
    al.atomic_add(count, (0,), al.convert(t, al.u32))


@pytest.mark.parametrize("target", ["sm_80", "gfx942"])
def test_a_lane_may_use_its_own_bytes(monkeypatch, target):
    monkeypatch.setenv("AVE_CHECK", "races")
    x, y = np.arange(64, dtype=np.uint8), np.zeros(64, np.uint8)
    packed[1, 32](x, y, target=target, backend="reference")
    assert (y[:32] == x[:32] + 1).all()
