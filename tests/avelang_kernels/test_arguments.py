"""What wrappers of kernels are given and cannot take: an error of the catalogue at the user's line, which is a "
"ValueError and a TypeError too."""

from __future__ import annotations

import inspect
import linecache

import ml_dtypes
import numpy as np
import pytest

import avelang
import avelang.language as al
from avelang import executor, tile
from avelang.base.errors import AveError
from avelang.sim.ptx import Program
from avelang_kernels.attention import tile_attention
from avelang_kernels.matmul import (
    hopper_gemm,
    hopper_skinny,
    mfma_gemm,
    mi300_gemm,
    ptx_ampere_gemm,
    ptx_hopper_gemm,
    tile_gemm,
    tile_inference,
    tile_skinny,
    tutorial_gemm,
)
from avelang_kernels.moe import tile_grouped_gemm, tile_moe
from avelang_kernels.norm import ptx_rms_norm, ptx_softmax

H = np.float16
a, b, c = np.ones((64, 64), H), np.ones((64, 64), H), np.zeros((64, 64), np.float32)
x, q = np.ones((2, 32, 64), H), np.ones((1, 64, 2, 64), H)
ends, bf = np.array([0, 64], np.int32), ml_dtypes.bfloat16
CALLS = {
    "a block as text": (
        lambda: tile_gemm.gemm(a, b, c, "128x128x64"),
        "gemm",
        "T must be a BlockConfig or None, not '128x128x64'",
    ),
    "a block as a tuple": (lambda: tile_gemm.gemm(a, b, c, (128, 128, 64)), "gemm", "not a tuple"),
    "activations of three dimensions": (
        lambda: tile_gemm.gemm(x, b, c),
        "gemm",
        "a must be an array of 2 dimensions, of NumPy, torch or JAX, not one of shape (2, 32, 64)",
    ),
    "a list": (lambda: tile_gemm.gemm([1.0], b, c), "gemm", "a must be an array of 2 dimensions"),
    "no out": (lambda: tile_gemm.gemm(a, b, None), "gemm", "out must be an array"),
    "units as text": (lambda: tile_gemm.gemm(a, b, c, units="x"), "gemm", "units must be an int from 0 on"),
    "other columns": (lambda: tile_gemm.gemm(a, b[:, :32], c), "gemm", "C = A @ B^T"),
    "few rows of three dimensions": (lambda: tile_skinny.gemm(x, b, c), "gemm", "a must be an array of 2 dimensions"),
    "weights of three dimensions": (
        lambda: tile_inference.preshuffle(x),
        "preshuffle",
        "b must be an array of 2 dimensions",
    ),
    "weights' block as text": (lambda: tile_inference.preshuffle(b, "x"), "preshuffle", "block must be a BlockConfig"),
    "plain weights": (lambda: tile_inference.gemm(a, b, c), "gemm", "b must be a Weights"),
    "an activation as text": (
        lambda: tile_inference.gemm(a, tile_inference.preshuffle(b), c, activation="relu"),
        "gemm",
        "activation must be relu",
    ),
    "a bias as text": (
        lambda: tile_inference.gemm(a, tile_inference.preshuffle(b), c, bias="x"),
        "gemm",
        "bias must be an array of 1",
    ),
    "offsets as a list": (
        lambda: tile_grouped_gemm.grouped_gemm(a, x, [0, 64], c),
        "grouped_gemm",
        "offsets must be an array of 1",
    ),
    "a group's block as text": (
        lambda: tile_grouped_gemm.grouped_gemm(a, x, ends, c, "x"),
        "grouped_gemm",
        "T must be a BlockConfig",
    ),
    "an MoE layer of three dimensions": (
        lambda: tile_moe.moe(x, x, x, ends, ends, x),
        "moe",
        "x must be an array of 2 dimensions",
    ),
    "attention of three dimensions": (
        lambda: tile_attention.attention(x, x, x, x),
        "attention",
        "q must be an array of 4 dimensions",
    ),
    "a scale as text": (
        lambda: tile_attention.attention(q, q, q, q.copy(), scale="1"),
        "attention",
        "scale must be a number",
    ),
    "an unknown layout": (
        lambda: tile_attention.attention(q, q, q, q.copy(), layout="sbhd"),
        "attention",
        "layout is 'sbhd'",
    ),
    "MI300's tile as text": (
        lambda: mi300_gemm.gemm(a.astype(bf), b.astype(bf), tile="128"),
        "gemm",
        "tile must be a Mi300Tile",
    ),
    "MI300 of three dimensions": (
        lambda: mi300_gemm.gemm(x.astype(bf), b.astype(bf)),
        "gemm",
        "a must be an array of 2 dimensions",
    ),
    "Hopper's tile as text": (lambda: hopper_gemm.gemm(a, b, tile="128"), "gemm", "tile must be a GemmTile"),
    "Hopper's blocks as text": (lambda: hopper_gemm.gemm(a, b, blocks="1"), "gemm", "blocks must be an int from 1 on"),
    "Hopper's few rows of three dimensions": (
        lambda: hopper_skinny.skinny_gemm(x, b),
        "skinny_gemm",
        "a must be an array of 2 dimensions",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_refused(name):
    call, function, why = CALLS[name]
    with pytest.raises(ValueError) as caught:
        call()
    exc = caught.value
    assert (
        isinstance(exc, (AveError, TypeError))
        and exc.code == "L066"
        and exc.message.startswith(f"`{function}`: ")
        and why in exc.message
    ), exc
    assert exc.span.file == __file__ and function in linecache.getline(exc.span.file, exc.span.line)


def VALUE(x: al.Pointer(al.f32)):  # noqa: N802
    x[0] = 1.0


WRONG: list = ["x", (1, "a"), [1], {}, object(), np.zeros((2, 3, 4), H), np.array([[None]])]
VALID = {
    hopper_gemm.gemm: {"a": a, "b": b, "out": None, "tile": None, "blocks": None},
    hopper_skinny.skinny_gemm: {"a": a, "b": b, "out": None, "dtype": None},
    mfma_gemm.gemm: {"a": a.astype(bf), "b": b.astype(bf), "out": None},
    mi300_gemm.gemm: {"a": a.astype(bf), "b": b.astype(bf), "out": None, "tile": None},
    ptx_ampere_gemm.gemm: {"a": a, "b": b, "out": None, "to": None, "plan": None},
    ptx_hopper_gemm.gemm: {"a": a, "b": b, "out": None, "to": None, "plan": None, "blocks": None},
    ptx_rms_norm.rms_norm: {"x": a, "weight": a[0], "eps": 1e-6, "out": None, "plan": None},
    ptx_softmax.softmax: {"x": a, "out": None, "plan": None},
    tile_attention.attention: {
        "q": q,
        "k": q,
        "v": q,
        "out": q.copy(),
        "lse": None,
        "scale": None,
        "layout": "bshd",
        "T": None,
        "target": None,
    },
    tile_attention.block_for: {"target": "gfx942", "d": 64},
    tile_gemm.gemm: {"a": a, "b": b, "out": c, "T": None, "target": None, "units": 0},
    tile_grouped_gemm.grouped_gemm: {
        "a": a,
        "b": b[None],
        "offsets": ends,
        "out": c,
        "T": None,
        "index": None,
        "factors": None,
        "target": None,
    },
    tile_grouped_gemm.best_block: {"target": "gfx942", "rows": 8, "E": 1},
    tile_inference.gemm: {
        "a": a,
        "b": None,
        "out": c,
        "bias": None,
        "activation": None,
        "block": None,
        "target": None,
        "parts": None,
    },
    tile_inference.best_block: {"m": 8, "n": 8, "target": "gfx942", "units": 1},
    tile_moe.moe: {
        "x": a,
        "w13": x,
        "w2": x,
        "ids": ends,
        "weights": c,
        "out": a,
        "blocks": (None, None),
        "target": None,
    },
    tile_skinny.gemm: {"a": a[:8], "b": b, "out": c[:8], "target": None},
    tile_skinny.plan_of: {"m": 8, "n": 64, "k": 64, "dtype": "f16", "target": "gfx942"},
    tutorial_gemm.gemm: {"step": "naive", "a": a, "b": b, "out": c, "target": "gfx942"},
    tile.block_for: {"m": 8, "n": 64, "k": 64, "dtype": al.f16, "target": "gfx942"},
    tile.gemm: {"m": 8, "n": 64, "k": 64, "dtype": "f16", "target": "gfx942"},
    tile.mma: {"name": "VDMFMA", "target": "gfx942"},
    tile.banks: {"addresses": [0] * 63, "nbytes": 4, "target": "gfx942", "kind": "read"},
    executor.load: {"source": "", "kernel": "", "check": False, "order": "forward", "chip": None},
    executor.compiled: {"kernel": None, "block": (64, 1, 1)},
    Program: {"source": "", "more": 1},
    avelang.jit(VALUE).report: {"target": "gfx000", "block": (1, 1, 1), "dynamic": 0, "cluster": None},
}


@pytest.mark.parametrize("call", VALID, ids=lambda f: f"{f.__module__}.{f.__qualname__}")
def test_drawn(call):
    """One argument of another kind, or one that is missing: nothing but errors of the catalogue that have a line of "
    "this file comes out."""
    given, refused = VALID[call], 0
    for name, x in [*((n, w) for n in given for w in WRONG), *((n, WRONG) for n in given)]:
        kwargs = {**given, name: x} if x is not WRONG else {n: v for n, v in given.items() if n != name}
        try:
            if len(kwargs) == len(given) or name in required(call):
                call(**kwargs)
        except AveError as e:
            refused += 1
            assert name == "source" or any(s.file == __file__ for s in e.span.chain()), (name, x, e)
            if x is WRONG:
                assert e.code == "L066" and isinstance(e, TypeError), (name, e)
    assert refused > len(given), "nothing was refused"


def required(call):
    return {p.name for p in inspect.signature(call).parameters.values() if p.default is p.empty}


def test_a_users_own_wrapper():
    """`avelang.argument_error` names the line that called the module of the wrapper."""
    space: dict = {"__name__": "someones.kernels", "avelang": avelang}
    exec(
        "def scale(x):\n    return checked(x)\ndef checked(x):\n    raise avelang.argument_error('x must be an "
        "array', 'np.asarray(x)')",
        space,
    )
    with pytest.raises(AveError, match=r"`scale`: x must be an array") as caught:
        space["scale"](3)
    assert caught.value.span.file == __file__ and caught.value.hint == "np.asarray(x)"
