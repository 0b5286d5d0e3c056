"""A kernel to tune, small enough for the CPU, and a function some of whose choices are wrong."""

from __future__ import annotations

import numpy as np

import avelang
import avelang.language as al


def blocks(n, block, per):
    return (-(-n // (block * per)),), (block,)


def room(n):
    return np.zeros(n, np.float32), np.zeros(n, np.float32), n


@avelang.tune({"block": (32, 64, 128), "per": (1, 2)}, where=lambda block, per, n: block * per <= max(n, 32), launch=blocks,
              key=("n",), reference=lambda x, n: 2 * x[:n], name="double", inputs=room, shapes=({"n": 100}, {"n": 1000}))  # fmt: skip
@avelang.jit
def double(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, per: al.constexpr):
    xs = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    ys = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    for j in range(per):
        i = (al.block_id(0) * per + j) * al.block_dim(0) + al.thread_id(0)
        if i < n:
            ys[i] = 2 * xs[i]


HOWS = ("right", "off", "fails", "nan", "short", "also", "part")


def factors(x, out, how):
    """out = 2 x, or not quite."""
    if how == "fails":
        raise ValueError("no such way")
    if how == "part":
        out[1:] = 2 * x[1:]
        return
    out[...] = 2 * x
    if how == "off":
        out[0] += 1
    elif how == "nan":
        out[-1] = np.nan
