"""Decode on Hopper: right on the reference, which checks races on the way, for lengths, pages, windows, caps and
sinks; what its code takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.avelang_kernels.attended import BF16, F16

from avelang_kernels.attention import hopper_decode
from avelang_kernels.attention.problem import Operands, Problem
from tools import need


def wanted(p: Problem, x: Operands, k: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """O and the logarithms in float64; k and v (batch, heads, keys, d)."""
    out, lse = np.zeros(x.q.shape), np.full(x.q.shape[:3], -np.inf)
    for b in range(p.batch):
        length = p.keys if x.lengths is None else int(x.lengths[b])
        keys, values = (np.repeat(y[b, :, :length].astype(float), p.group, 0) for y in (k, v))
        s = x.q[b].astype(float) @ keys.swapaxes(1, 2) * p.scale
        if p.softcap:
            s = p.softcap * np.tanh(s / p.softcap)
        at = np.arange(p.queries)[:, None] + (length - p.queries if p.bottom_right else 0)
        seen = np.ones(s.shape[1:], bool)
        if p.right is not None:
            seen &= np.arange(length)[None] <= at + p.right
        if p.left is not None:
            seen &= np.arange(length)[None] >= at - p.left
        s = np.where(seen, s, -np.inf)
        if x.sinks is not None:
            s = np.concatenate([s, np.broadcast_to(x.sinks[:, None, None], (p.heads, p.queries, 1))], 2)
            values = np.concatenate([values, np.zeros((p.heads, 1, p.d))], 1)
        most = s.max(2, initial=-np.inf, keepdims=True)
        weights = np.exp(s - np.where(np.isfinite(most), most, 0))
        total = weights.sum(2, keepdims=True)
        out[b] = weights @ values / np.where(total == 0, 1, total)
        with np.errstate(divide="ignore"):
            lse[b] = (np.where(np.isfinite(most), most, 0) + np.log(total))[..., 0]
    return out, lse


def paged(x: np.ndarray, lengths: Any, page: int, order: np.ndarray) -> np.ndarray:
    """Rows (batch, heads, keys, d) as pages, NaN behind the end."""
    batch, heads, keys, d = x.shape
    out = np.full((order.size + 2, page, heads, d), np.nan, x.dtype)
    for b in range(batch):
        for i, number in enumerate(order[b]):
            mine = x[b, :, i * page : min(i * page + page, int(lengths[b]))].swapaxes(0, 1)
            out[number, : len(mine)] = mine
    return out


def off(x: np.ndarray) -> np.ndarray:
    """The same numbers two bytes behind a multiple of 16."""
    flat = np.empty(x.size + 16, x.dtype)
    start = -flat.ctypes.data % 16 // x.itemsize + 1
    out = flat[start : start + x.size].reshape(x.shape)
    out[...] = x
    return out


def check(p: Problem, lengths: Any = None, units: int = 2, seed: int = 0, place: Any = lambda x: x) -> None:
    """The kernel on random numbers, with NaN where it must not look. `place`: of keys and values."""
    rng, dtype = np.random.default_rng(seed), BF16 if p.dtype == "bfloat16" else F16

    def drawn(heads: int, rows: int) -> np.ndarray:
        return rng.standard_normal((p.batch, rows, heads, p.d)).astype(dtype).swapaxes(1, 2)

    q, k, v = drawn(p.heads, p.queries), drawn(p.kv_heads, p.keys), drawn(p.kv_heads, p.keys)
    sinks = rng.standard_normal(p.heads).astype(np.float32) if p.sinks else None
    length = None if lengths is None else np.array(lengths, np.int32)
    x = Operands(q, k, v, lengths=length, sinks=sinks)
    if p.page:
        count = -(-p.keys // p.page)
        x.table = rng.permutation(p.batch * count).reshape(p.batch, count).astype(np.int32)
        x.k, x.v = (paged(y, lengths, p.page, x.table) for y in (k, v))
    elif length is not None:
        for b in range(p.batch):
            x.k[b, :, lengths[b] :] = x.v[b, :, lengths[b] :] = np.nan
    out, lse = np.full_like(q, np.nan), np.full(q.shape[:3], np.nan, np.float32)
    assert hopper_decode.fits(p)
    x.k, x.v = place(x.k), place(x.v)
    hopper_decode.launch(p, x, out, lse, units=units, backend="reference")
    want, logs = wanted(p, x, k, v)
    unit = 2.0**-8 if dtype is BF16 else 2.0**-11
    assert np.abs(out.astype(float) - want).max() < 4 * unit * max(1, np.abs(want).max())
    some = np.isfinite(logs)
    assert np.abs(lse[some] - logs[some]).max(initial=0) < 1e-4 and (lse[~some] == logs[~some]).all()


def test_parts_of_a_sequence_are_added_up():
    """Four heads share keys; one sequence and head goes over all blocks."""
    check(Problem(1, 4, 1, 1, 500, 64, 64, "bfloat16", 0.125), units=1)


def test_lengths_and_windows():
    """A sequence without keys, one shorter than its queries; windows that leave rows without keys."""
    p = Problem(3, 2, 1, 3, 200, 64, 64, "float16", 0.125, left=70, right=0, bottom_right=True, lengths=True)
    check(p, (200, 2, 0))


def test_pages_caps_and_sinks():
    """Pages of 24 keys, which are copied by 8; d is padded; queries see the keys up to their own place."""
    p = Problem(2, 6, 2, 2, 120, 40, 40, "bfloat16", 0.3, right=3, softcap=4.0, sinks=True, page=24, lengths=True)
    check(p, (120, 65), place=off)


@pytest.mark.parametrize(("page", "d"), [(16, 128), (24, 64), (64, 128)])
def test_pages_whose_rows_are_whole(page: int, d: int):
    """TMA copies all pieces of d of a small page at once."""
    p = Problem(2, 4, 2, 1, 192, d, d, "bfloat16", 0.3, page=page, lengths=True)
    assert hopper_decode.form_of(p).merged == (page < 64)
    check(p, (192, 65))


@pytest.mark.parametrize(("heads", "blocks"), [(256, 256), (1024, 256), (128, 256), (8, 264), (100, 264), (3, 264)])
def test_blocks_have_whole_heads(heads: int, blocks: int):
    """Where leaving out a few blocks makes it so."""
    assert hopper_decode.even(264, heads) == blocks


def test_two_tiles_of_rows():
    """34 rows are three tiles of 16, two of them together."""
    check(Problem(1, 34, 1, 1, 70, 64, 64, "bfloat16", 0.125), units=1)


@pytest.mark.parametrize("rows", [4, 32])
def test_nothing_is_spilled(rows: int):
    """Two blocks have room on a multiprocessor where there is one tile of rows."""
    need("ptxas")
    F = hopper_decode.form_of(Problem(1, rows, 1, 1, 4096, 128, 128, "bfloat16", 1.0))
    found = hopper_decode.build(F).report("sm_90a", (160, 1, 1))
    assert found.stored + found.loaded <= (0 if rows == 4 else 64) and found.remarks == ()
    assert rows != 4 or found.registers <= 200 and found.shared + found.dynamic <= 113 * 1024
