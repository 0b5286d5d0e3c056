"""What wrappers of kernels are given and cannot take: an error of the catalogue at the user's line, which is a ValueError and a TypeError too."""

from __future__ import annotations

import linecache

import ml_dtypes
import numpy as np
import pytest

import avelang
from avelang.base.errors import AveError
from avelang_kernels import (
    hopper_gemm,
    hopper_skinny,
    mi300_gemm,
    tile_attention,
    tile_gemm,
    tile_grouped_gemm,
    tile_inference,
    tile_moe,
    tile_skinny,
)

H = np.float16
a, b, c = np.ones((64, 64), H), np.ones((64, 64), H), np.zeros((64, 64), np.float32)
x, q = np.ones((2, 32, 64), H), np.ones((1, 64, 2, 64), H)
ends, bf = np.array([0, 64], np.int32), ml_dtypes.bfloat16
CALLS = {
    "a block as text": (lambda: tile_gemm.gemm(a, b, c, "128x128x64"), "gemm", "T must be a Block or None, not '128x128x64'"),
    "a block as a tuple": (lambda: tile_gemm.gemm(a, b, c, (128, 128, 64)), "gemm", "not a tuple"),
    "activations of three dimensions": (lambda: tile_gemm.gemm(x, b, c), "gemm", "a must have 2 dimensions, and is (2, 32, 64)"),
    "a list": (lambda: tile_gemm.gemm([1.0], b, c), "gemm", "a must be an array of 2 dimensions"),
    "no out": (lambda: tile_gemm.gemm(a, b, None), "gemm", "out must be an array"),
    "units as text": (lambda: tile_gemm.gemm(a, b, c, units="x"), "gemm", "units must be an int from 0 on"),
    "other columns": (lambda: tile_gemm.gemm(a, b[:, :32], c), "gemm", "C = A @ B^T"),
    "few rows of three dimensions": (lambda: tile_skinny.gemm(x, b, c), "gemm", "a must have 2 dimensions"),
    "weights of three dimensions": (lambda: tile_inference.preshuffle(x), "preshuffle", "b must have 2 dimensions"),
    "weights' block as text": (lambda: tile_inference.preshuffle(b, "x"), "preshuffle", "block must be a Block"),
    "plain weights": (lambda: tile_inference.gemm(a, b, c), "gemm", "preshuffle"),
    "an activation as text": (lambda: tile_inference.gemm(a, tile_inference.preshuffle(b), c, activation="relu"), "gemm", "activation must be relu"),
    "a bias as text": (lambda: tile_inference.gemm(a, tile_inference.preshuffle(b), c, bias="x"), "gemm", "bias must be an array of 1"),
    "offsets as a list": (lambda: tile_grouped_gemm.grouped_gemm(a, x, [0, 64], c), "grouped_gemm", "offsets must be an array of 1"),
    "a group's block as text": (lambda: tile_grouped_gemm.grouped_gemm(a, x, ends, c, "x"), "grouped_gemm", "T must be a Block"),
    "an MoE layer of three dimensions": (lambda: tile_moe.moe(x, x, x, ends, ends, x), "moe", "x must have 2 dimensions"),
    "attention of three dimensions": (lambda: tile_attention.attention(x, x, x, x), "attention", "q must have 4 dimensions"),
    "a scale as text": (lambda: tile_attention.attention(q, q, q, q.copy(), scale="1"), "attention", "scale must be a number"),
    "an unknown layout": (lambda: tile_attention.attention(q, q, q, q.copy(), layout="sbhd"), "attention", "layout is 'sbhd'"),
    "MI300's tile as text": (lambda: mi300_gemm.gemm(a.astype(bf), b.astype(bf), tile="128"), "gemm", "tile must be a Tile"),
    "MI300 of three dimensions": (lambda: mi300_gemm.gemm(x.astype(bf), b.astype(bf)), "gemm", "a must have 2 dimensions"),
    "Hopper's tile as text": (lambda: hopper_gemm.gemm(a, b, tile="128"), "gemm", "tile must be a Tile"),
    "Hopper's blocks as text": (lambda: hopper_gemm.gemm(a, b, blocks="1"), "gemm", "blocks must be an int from 1 on"),
    "Hopper's few rows of three dimensions": (lambda: hopper_skinny.skinny_gemm(x, b), "skinny_gemm", "a must have 2 dimensions"),
}


@pytest.mark.parametrize("name", CALLS)
def test_refused(name):
    call, function, why = CALLS[name]
    with pytest.raises(ValueError) as caught:
        call()
    exc = caught.value
    assert isinstance(exc, (AveError, TypeError)) and exc.code == "L066" and exc.message.startswith(f"`{function}`: ") and why in exc.message, exc
    assert exc.span.file == __file__ and function in linecache.getline(exc.span.file, exc.span.line)


def test_a_users_own_wrapper():
    """`avelang.argument_error` names the line that called the module of the wrapper."""
    space: dict = {"__name__": "someones.kernels", "avelang": avelang}
    exec("def scale(x):\n    return checked(x)\ndef checked(x):\n    raise avelang.argument_error('x must be an array', 'np.asarray(x)')", space)
    with pytest.raises(AveError, match=r"`scale`: x must be an array") as caught:
        space["scale"](3)
    assert caught.value.span.file == __file__ and caught.value.hint == "np.asarray(x)"
