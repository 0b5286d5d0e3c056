"""More mistakes of newcomers: of tiles, of PTX, of operations, of operations of one's own, of tuning, of launches, of
atomics, random numbers and slices. Each is named by its code, at the line where it stands, with words that lead on."""

from __future__ import annotations

import pytest
from tests.errors.test_mistakes import judged

TILE_HEAD = """import math
import numpy as np
import avelang
import avelang.language as al
from avelang import tile, ops
from avelang.base import errors
x = np.zeros((64, 64), np.float32)
y = np.zeros((64, 64), np.float32)
h = np.zeros((64, 64), np.float16)
v = np.zeros((64,), np.float32)
ids = np.zeros((64,), np.int64)
q = np.zeros((1, 2, 16, 32), np.float16)
"""

PTX_HEAD = """import math
import numpy as np
import avelang
import avelang.language as al
from avelang import ptx as aptx
from avelang.ptx import Tile, kernel, ptx, reg, smem
from avelang.ptx.types import b16, b32, b64, bf16, f16, f32, f64, pred, s32, u16, u32, u64
x = np.zeros((64,), np.float32)
"""

OPS_HEAD = """import math
import numpy as np
import ml_dtypes
import torch
import avelang
import avelang.language as al
from avelang import ops
x = np.zeros((4, 64), np.float32)
w = np.zeros((64,), np.float32)
a = np.zeros((8, 16), np.float32)
b = np.zeros((16, 8), np.float32)
ids = np.zeros((4,), np.int64)
q = np.zeros((1, 2, 16, 32), np.float32)
t = torch.zeros(8, 16)
f8 = np.zeros((16, 16), ml_dtypes.float8_e4m3fn)
s = np.ones((), np.float32)
"""

OTHER_HEAD = """import math
import numpy as np
import torch
import avelang
import avelang.language as al
from avelang.bridge import Array, op
from avelang.base import errors
x = np.zeros((64,), np.float32)
i = np.zeros((64,), np.int32)
h = np.zeros((64,), np.float16)
def same(x):
    return Array(x.shape, x.dtype)
@avelang.jit
def double(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, per: al.constexpr):
    ys = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    ys[al.thread_id(0)] = 2.0
"""

# Beginnings of kernels: a tile of one dimension, of two, a view, a window; registers of PTX.
A = "a = tile.load(x, tile.arange(64))\n"
M = "m = tile.arange(16)[:, None] * 16 + tile.arange(16)[None, :]\na = tile.load(x, m)\n"
D = "d = tile.Distribution.blocked((16, 64), al.f32, waves=1, wave=64)\nX = tile.view(x, (64, 64), 4)\n"
W = D + "a = X.window((16, 64), (0, 0), d).load()\n"
R = "a, b = reg.scalar(u32), reg.scalar(f32)\nd, p = reg.scalar(u64), reg.scalar(pred)\n"
K = """
@avelang.jit
def kernel(x: al.Tensor((64,), al.f32), i: al.Tensor((64,), al.i32), h: al.Tensor((64,), al.f16), n: al.u32):
    x[al.thread_id(0)] = 1.0
"""


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.split("\n"))


def tiles(text: str) -> str:
    """A kernel of tiles, built for the reference."""
    return f"""
@avelang.jit
def kernel(x: al.Pointer(al.f32), y: al.Pointer(al.f32), h: al.Pointer(al.f16), n: al.u32):
{indented(text)}kernel[1, 64](x, y, h, 64, backend="reference")
"""


def threads(text: str) -> str:
    """A kernel of threads, built for the reference."""
    run = 'kernel[1, 64](x, i, h, 3, backend="reference")\n'
    return K.partition("    x[")[0] + "    t = al.thread_id(0)\n" + indented(text) + run


def ptx(text: str, arch: str = "sm_80") -> str:
    """A kernel of PTX that is traced."""
    return f"\n@kernel(grid=1, block=32, arch={arch!r})\ndef k():\n{indented(text)}k.ptx()\n"


def called(text: str, call: str) -> str:
    """A kernel of PTX that is called."""
    return f"""
@kernel(in_specs=(Tile("N", f32),), out_specs=(Tile("N", f32),), grid=1, block=32, arch="sm_80")
def k(x, out):
{indented(text)}{call}
"""


TILE = [
    (tiles(A + "b = tile.sum(a, axis=1)  # <-"), "T301", "-1 to 0, not 1"),
    (tiles(M + "b = tile.sum(a, axis=-3)  # <-"), "T301", "-2 to 1, not -3"),
    (tiles(M + "b = tile.sum(a, 'rows')  # <-"), "T301", "-2 to 1, not 'rows'"),
    (tiles(M + "b = tile.sum(a, dim=1)  # <-"), "T060", "it is sum(x, axis, keepdims)"),
    (tiles(A + "b = a.sum()  # <-"), "T003", "`axis` is missing"),
    (tiles(A + "b = a.mean()  # <-"), "T009", "tile.sum(t, axis) divided by the"),
    (tiles(A + "b = tile.mean(a)  # <-"), "T009", "`mean`: use tile.sum(t, axis) divided"),
    (tiles(A + "b = tile.load(x, tile.arange(32))\nc = a + b  # <-"), "T301", "row), not (64,) and (32,)"),
    (tiles(A + "tile.store(y, tile.arange(64), a, tile.arange(32) < 8)  # <-"), "T301", "(64,) and (64,) and (32,)"),
    (tiles(A + "tile.store(y, tile.arange(32), a)  # <-"), "T301", "row), not (32,) and (64,)"),
    (tiles("a = tile.load(x, tile.arange(64), tile.arange(32) < 8)  # <-"), "T301", "row), not (64,) and (32,)"),
    (tiles("a = tile.load(x + tile.arange(64))  # <-"), "T301", "or a tensor in memory"),
    (tiles("a = tile.load(x)  # <-"), "T003", "`index` is missing"),
    (tiles("a = tile.load(x, tile.arange(64) * 1.0)  # <-"), "T040", "a value of type f32"),
    (tiles("a = tile.load(3, tile.arange(64))  # <-"), "T301", "index) and tile.store(x, index, value)"),
    (tiles("a = tile.arange(n)  # <-"), "T301", "known at compile time"),
    (tiles("a = tile.arange(64, 0)  # <-"), "T301", "start, not 64 and 0"),
    (tiles("a = tile.zeros((16, 16), np.float32)  # <-"), "T032", "such as al.f32 or al.i32"),
    (tiles("a = tile.zeros((16, 16), 'f32')  # <-"), "T032", "such as al.f32 or al.i32"),
    (tiles("a = tile.zeros(16, al.f32)  # <-"), "T301", "as (64, 32), not 16"),
    (tiles("a = tile.zeros((16, -1), al.f32)  # <-"), "T301", "(64, 32), not (16, -1)"),
    (tiles("a = tile.load(x, tile.arange(48))\nb = tile.sort(a, 1)  # <-"), "T301", "-1 to 0, not 1"),
    (tiles(A + "b = tile.topk(a, 100)  # <-"), "T301", "1 to 64, not 100"),
    (tiles(A + "if a > 0:  # <-\n    pass"), "T028", "element by element `&`, `|`,"),
    (tiles(A + "b = a if a > 0 else 0.0  # <-"), "T028", "element by element `&`, `|`,"),
    (tiles(A + "b = a[64:]  # <-"), "T301", "among them), not [64:]"),
    (tiles(A + "b = a[64]  # <-"), "T301", "chooses among them), not [64]"),
    (tiles(A + "a[0] = 1.0  # <-"), "T095", "elements of a tile are"),
    (tiles(A + "for v in a:  # <-\n    pass"), "T050", "elements of a tile are"),
    (tiles(A + "b = a.reshape(8, 9)  # <-"), "T301", "64 elements in all, as (64,)"),
    (tiles(A + "b = a.T  # <-"), "T301", "t[:, None] and t[None, :]"),
    (tiles(A + "b = a.to('f16')  # <-"), "T032", "such as al.f32 or al.i32"),
    (tiles(A + "b = tile.popc(a)  # <-"), "T071", "convert to a float first:"),
    (tiles(A + "b = tile.sum(3.0)  # <-"), "T301", "makes a tile of it"),
    (tiles(A + "b = tile.cumsum(a, 1)  # <-"), "T301", "-1 to 0, not 1"),
    (tiles(A + "b = tile.where(a > 0, a)  # <-"), "T003", "`b` is missing"),
    (tiles(A + "b = tile.dot(a, a)  # <-"), "T301", "n), not (64,) and (64,)"),
    (
        tiles(M + "b = tile.dot(a, tile.load(x, tile.arange(8)[:, None] + tile.arange(16)[None, :]))  # <-"),
        "T301",
        "(16, 16) and (8, 16)",
    ),
    (tiles(M + "b = tile.dot(a, 3.0)  # <-"), "T301", "makes a tile of it"),
    (tiles(M + "b = tile.dot(a, a, tile.zeros((16, 32), al.f32))  # <-"), "T304", "is one of (16, 32)"),
    (tiles(M + "b = a @ a  # <-"), "T301", "b), not a @ b"),
    (tiles(M + "b = tile.dot(a, a.to(al.f16))  # <-"), "T301", "converts), not f32 and f16"),
    (tiles("a = tile.accumulator((16, 16))  # <-"), "T003", "`dtype` is missing"),
    (tiles("a = tile.accumulator((17, 3), al.f32)  # <-"), "T301", "17 x 3, by MFMA_F32_16x16x4_F32"),
    (tiles(A + "b = tile.reduce(a, al.max2)  # <-"), "T009", "did you mean max?"),
    (tiles(A + "b = tile.reduce(a)  # <-"), "T003", "`fn` is missing"),
    (
        tiles(A + "tile.atomic_add(y, tile.arange(64), a, scope='grid')  # <-"),
        "T101",
        '"device", "system", "cluster", not \'grid\'',
    ),
    (tiles(A + "tile.atomic_xor(y, tile.arange(64), a)  # <-"), "T102", "it works on i32, u32,"),
    (tiles("tile.atomic_xor(h, tile.arange(64), 1)  # <-"), "T102", "it works on i32, u32,"),
    (tiles(A + "b = tile.rand(0.5, tile.arange(64))  # <-"), "T022", "integer, not the constant 0.5"),
    (tiles("t = tile.load(x, tile.arange(64), vector=3)  # <-"), "T301", "side by side, not 3"),
    (tiles("t = tile.load(x, (tile.arange(8), tile.arange(8)))  # <-"), "T301", "a pointer one, not 2"),
    (tiles("d = tile.Distribution.blocked(16, al.f32, waves=1, wave=64)  # <-"), "T301", "as (16, 64), not 16"),
    (
        tiles("d = tile.Distribution.blocked((16, 64), 'f32', waves=1, wave=64)  # <-"),
        "T032",
        "such as al.f32 or al.i32",
    ),
    (tiles(D + "a = X.window((16, 32), (0, 0), d)  # <-"), "T304", "is one of (16, 64)"),
    (tiles(D + "a = X.window((16, 64), 0, d)  # <-"), "T301", "dimension, not a single number"),
    (
        tiles(D + "a = X.window((16, 64), (0, 0), (16, 64))  # <-"),
        "T301",
        "tile.Distribution.blocked(shape, dtype, waves=..., wave=...)",
    ),
    (tiles(D + "w = X.window((16, 64), (0, 0), d)\nw.store(3)  # <-"), "T301", "makes a tile of it"),
    (tiles(W + "b = a.sum(1)\nc = a - b  # <-"), "T301", "not (16, 64) and (16,)"),
    (tiles(W + "b = a.along(lambda p, q: p - q, a.sum(1), 0)  # <-"), "T301", "(64,), not one of (16,)"),
    (tiles(W + "X.store(a, (0,))  # <-"), "T301", "dimension, not one of 1"),
    (tiles(W + "X.store(3.0, (0, 0))  # <-"), "T301", "makes a tile of it"),
    (tiles("X = tile.view(x, (64, 63), 4)  # <-"), "T310", "so many neighbors along the"),
    (tiles("X = tile.view(x, (64, 64), strides=(64,))  # <-"), "T301", "dimension, not one of 1"),
    (tiles("X = tile.view(n, (64, 64))  # <-"), "T301", "a number or a tile"),
    (tiles("X = tile.view(x, (64, 64)).unmerge(0, (3, 5))  # <-"), "T301", "dimension's extent, 64, not 15"),
    (tiles("s = tile.shared.shared((64, 64), al.f32, 9, ())  # <-"), "U203", "use smaller tiles, or reuse"),
    (
        tiles("T = tile.Block(64, 64, 64, (2, 2), 'triple-buffer')  # <-"),
        "T301",
        "direct-to-lds, cp-async, tma, not 'triple-buffer'",
    ),
    (tiles("T = tile.Block(64, 64)  # <-"), "L066", "it takes (m, n, k,"),
    (tiles("T = tile.Block(64, 64, 64, 4, 'double-buffer')  # <-"), "T301", "columns of C, not 4"),
    (
        "T = tile.Block(60, 64, 64, (2, 2), 'double-buffer').on('gfx942', al.bf16)  # <-\n",
        "T307",
        "its waves and MFMA_F32_16x16x16_BF16 take",
    ),
    ("T = tile.Block(64, 64)  # <-\n", "L066", "it takes (m, n, k,"),
    (
        "T = tile.Block(64, 64, 64, (2, 2), 'cp-async').on('gfx90a', al.bf16)  # <-\n",
        "U103",
        "gfx90a has none of sm_80;",
    ),
    (
        "T = tile.Block(64, 64, 64, (2, 2), 'double-buffer').on('h100', al.bf16)  # <-\n",
        "U101",
        "Ave knows gfx90a, gfx942, gfx950,",
    ),
    (
        "T = tile.Block(64, 64, 64, (2, 2), 'double-buffer').on('gfx942', 'bf16')  # <-\n",
        "T032",
        "such as al.f32 or al.i32",
    ),
    ("T = tile.Block(64, 64, 64, (2, 2), 'double-buffer').grid(64)  # <-\n", "L066", "it takes (m, n, units)"),
    ("tile.arange(64)  # <-\n", "T004", "call it in a function"),
    ("tile.sum(x)  # <-\n", "T004", "call it in a function"),
    ("tile.programid(0)  # <-\n", "T009", "it has others"),
]
PTX = [
    (ptx(R + "ptx.inst.add.u32(a, a, b)  # <-"), "T202", "it takes a register or"),
    (ptx(R + "ptx.inst.add.rn.u32(a, a, a)  # <-"), "S203", "did you mean .f32? behind"),
    (ptx(R + "ptx.inst.ad.u32(a, a, a)  # <-"), "S202", "close to it: sad, mad,"),
    (ptx(R + "ptx.inst.add.u32(a, a)  # <-"), "T201", "they are: a register of"),
    (ptx(R + "ptx.inst.add.u32(3, a, a)  # <-"), "T202", "it takes a register of"),
    (ptx(R + "ptx.inst.add.u32(a, a, 1.5)  # <-"), "T202", "it takes a register or"),
    (ptx(R + "ptx.inst.ld.global_.u32(a, d)  # <-"), "T202", "it takes memory of .global"),
    (ptx(R + "ptx.inst.ld.global_.v4.u32(a, ptx.addr(d))  # <-"), "T202", "it takes 4 registers of"),
    (ptx(R + "ptx.inst.ld.global_.v2.u32([a, a, a], ptx.addr(d))  # <-"), "T202", "it takes 2 registers of"),
    (ptx(R + "ptx.inst.setp.lt.u32(a, a, a)  # <-"), "T202", "it takes a register of"),
    (ptx(R + "ptx.inst.add.u32(a, a, a, pred=a)  # <-"), "T225", "compare registers, or make one"),
    (ptx(R + "ptx.inst.add.u32(a, a, a, predicate=p)  # <-"), "T232", "it takes (*operands, pred=None)"),
    (ptx(R + "ptx.bra('loop')  # <-"), "T224", "put it somewhere by ptx.label(...)"),
    (ptx(R + "ptx.label('l')\nptx.label('l')  # <-"), "T224", "it stands at"),
    (ptx("a = reg.scalar('u32')  # <-"), "T221", "such as f32, not 'u32'"),
    (ptx("a = reg.scalar()  # <-"), "T232", "it takes (dtype, init=None, name='')"),
    (ptx("a = reg.vector(u32, 4)  # <-"), "T232", "it has array, declare, from_,"),
    (ptx("a = smem.alloc(f32)  # <-"), "T232", "it takes (dtype, shape, *,"),
    (ptx("a = smem.allocate(f32, (64,))  # <-"), "T232", "did you mean alloc?"),
    (ptx(R + "if a:  # <-\n    ptx.ret()"), "T227", "ptx.if_(p), ptx.when(p) and ptx.loop() decide"),
    (ptx(R + "for i in range(a):  # <-\n    pass"), "T110", "range() and lists count while"),
    (ptx(R + "c = a + b  # <-"), "T230", "convert one of them: x.to(type)"),
    (ptx(R + "c = a / a  # <-"), "T231", "integers divide by //, which"),
    (ptx(R + "c = a ** 2  # <-"), "T110", "multiply, or take ptx.inst.ex2 and"),
    (ptx(R + "c = a.as_(u64)  # <-"), "T228", "x.to(type) converts"),
    (ptx(R + "c = ptx.special.tidx()  # <-"), "T009", "it has tid, ntid, ctaid,"),
    (ptx(R + "c = ptx.special.tid.x + 1  # <-"), "T232", "special registers are read by"),
    (ptx(R + "ptx.foo()  # <-"), "T111", "ptx.inst has all instructions"),
    (
        ptx(R + "ptx.inst.wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16([b]*4, d, d, 1, 1, 1, 0, 0)  # <-"),
        "U206",
        "it exists on sm_90a",
    ),
    (
        ptx(R + "ptx.inst.tcgen05.ld.sync.aligned._16x64b.x1.b32([a], ptx.addr(a))  # <-", "sm_90a"),
        "U206",
        "it exists on sm_101a, sm_100a,",
    ),
    (ptx(R + "ptx.inst.wgmma.wait_group.sync.aligned()  # <-", "sm_90a"), "T201", "they are: a constant of"),
    (ptx(R + "ptx.inst.bar.sync(99)  # <-"), "S208", "a barrier, 0 to 15"),
    (
        ptx(R + "w = reg.scalar(b32)\nptx.inst.mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32([b]*4, [w]*4, [w]*4, [b]*4)  # <-"),
        "T202",
        "it takes 2 registers of",
    ),
    (
        ptx(R + "ptx.inst.mma.sync.aligned.m16n8k99.row.col.f32.bf16.bf16.f32([b]*4, [a]*4, [a]*2, [b]*4)  # <-"),
        "S203",
        "did you mean .m16n8k8, .m16n8k4,",
    ),
    (ptx(R + "ptx.wgmma.mma_async()  # <-", "sm_90a"), "T232", "it takes (*, shape, d,"),
    (ptx(R + "with ptx.when(a):  # <-\n    ptx.ret()"), "T225", "compare registers, or make one"),
    (ptx(R + "ptx.addr(1.5)  # <-"), "T233", "64 bits, or a name"),
    (ptx(R + "ptx.addr(d, a)  # <-"), "T233", "int; add registers with +"),
    ("ptx.ret()  # <-\n", "T004", "call it in a function"),
    (called("ptx.ret()", "k()  # <-"), "L044", "inputs are x; outputs are"),
    (called("ptx.ret()", "k(None)  # <-"), "L040", "None: it is no array"),
    (called("ptx.ret()", "k(x.reshape(8, 8))  # <-"), "L040", "has 2 dimensions, not 1"),
    (called("ptx.ret()", "k(x, out=np.zeros(3, np.float32))  # <-"), "L013", " be (64,)"),
    (called("ptx.ret()", "k(x, foo=3)  # <-"), "L007", "launch options are out= and"),
    (called("ptx.ret()", "k[1, 32](x)  # <-"), "T232", "kernel(x, y): arrays alone, without"),
    (called("p = x + 1  # <-", "k(x)"), "T110", "load it first: ptx.param(x), or"),
    (called("p = x[0]  # <-", "k(x)"), "T110", "memory is read by ptx.inst.ld...,"),
]
OPS = [
    ("ops.matmul(a, a)  # <-\n", "L066", "a and 8 in b"),
    ("ops.matmul(a)  # <-\n", "L066", "it takes (a, b, *,"),
    ("ops.matmul(a, None)  # <-\n", "L066", "numpy.asarray makes one"),
    ("ops.matmul(a.tolist(), b)  # <-\n", "L066", "numpy.asarray makes one"),
    ("ops.matmul(a, 2.0)  # <-\n", "L066", "numpy.asarray makes one"),
    ("ops.matmul(a, b.astype(np.float64))  # <-\n", "L066", "of f16 or of f32"),
    ("ops.matmul(a.astype(np.float16), b)  # <-\n", "L066", "of f16 or of f32"),
    ("ops.matmul(t, b)  # <-\n", "L066", "call are of one library"),
    ("ops.matmul(a, b, activation='swish')  # <-\n", "L066", "of (None, 'relu', 'silu', 'gelu', 'gelu_tanh')"),
    ("ops.matmul(a, b, bias=np.zeros(3, np.float32))  # <-\n", "L066", "column, of float32 or float32"),
    ("ops.matmul(a, b, out=np.zeros((3, 3), np.float32))  # <-\n", "L066", "8), of float32 or float32"),
    ("ops.matmul(a, b, transpose_b=True)  # <-\n", "L066", "it takes (a, b, *,"),
    (
        "ops.matmul(np.zeros((2, 8, 16), np.float32), np.zeros((3, 16, 8), np.float32))  # <-\n",
        "L066",
        "of b do not broadcast",
    ),
    ("ops.matmul(a, b, target='h100')  # <-\n", "U101", "Ave knows gfx90a, gfx942, gfx950,"),
    (
        "ops.linear(a, np.zeros((8, 16), np.float32), np.zeros(16, np.float32))  # <-\n",
        "L066",
        "column, of float32 or float32",
    ),
    ("ops.rms_norm(x, np.zeros(63, np.float32))  # <-\n", "L066", " be (64,)"),
    ("ops.rms_norm(x, w, epsilon=1e-6)  # <-\n", "L066", "it takes (x, weight=None, *,"),
    ("ops.rms_norm(x, w, 1e-6)  # <-\n", "L066", "it takes (x, weight=None, *,"),
    ("ops.rms_norm(3.0, w)  # <-\n", "L066", "of NumPy, torch or JAX"),
    ("ops.layer_norm(x, 64)  # <-\n", "L066", "of NumPy, torch or JAX"),
    ("ops.softmax(x, 2)  # <-\n", "L066", "has 2 dimensions, (4, 64)"),
    ("ops.softmax(x, axis=1)  # <-\n", "L066", "it takes (x, dim=-1, *,"),
    ("ops.softmax(x, 'rows')  # <-\n", "L066", "of a dimension of x"),
    ("ops.softmax(x.astype(np.int32))  # <-\n", "L066", "for bfloat16, float16, float32, float64"),
    ("ops.softmax(None)  # <-\n", "L066", "of NumPy, torch or JAX"),
    ("ops.rotary(q, q, w, w)  # <-\n", "L066", "r wide, of one dtype"),
    ("ops.swiglu(x, np.zeros((4, 32), np.float32))  # <-\n", "L066", "the same shape and dtype"),
    ("ops.swiglu(np.zeros((4, 63), np.float32))  # <-\n", "L066", " be even"),
    ("ops.cross_entropy(x, ids.astype(np.float32))  # <-\n", "L066", "of int64, int32, uint8, int16"),
    ("ops.cross_entropy(x, np.zeros(3, np.int64))  # <-\n", "L066", "where classes are dimension 1,"),
    ("ops.cross_entropy(x, [0, 1, 2, 3])  # <-\n", "L066", "of NumPy, torch or JAX"),
    ("ops.cross_entropy(x, ids, reduction='avg')  # <-\n", "L066", "one of mean, sum, none"),
    ("ops.attention(q, q)  # <-\n", "L066", "it takes (query, key, value,"),
    ("ops.attention(q, q[..., :16], q)  # <-\n", "L066", "their last dimensions, d, differ"),
    ("ops.attention(q[0, 0, 0], q, q)  # <-\n", "L066", "more: (..., heads, length, d)"),
    ("ops.attention(q, q, q, attn_mask=np.zeros((3, 3), bool))  # <-\n", "L066", "keys), (1, 2, 16, 16)"),
    ("ops.attention(q, q, q, scale='auto')  # <-\n", "L066", " be a number, or None"),
    ("ops.attention(q, q, q, dropout_p=0.5)  # <-\n", "L066", "dropout_seed is None: it must be an int"),
    (
        "ops.attention(q, np.zeros((1, 3, 16, 32), np.float32), np.zeros((1, 3, 16, 32), np.float32))  # <-\n",
        "L066",
        " be a multiple",
    ),
    ("ops.attention(q, q.astype(np.float16), q)  # <-\n", "L066", " be of one dtype"),
    ("ops.scaled_matmul(a, b, s, s)  # <-\n", "L066", "ops.quantize_fp8 makes values and scales"),
    ("ops.scaled_matmul(f8, f8, s, s, out_dtype='f8')  # <-\n", "L066", "one of ('bfloat16', 'float16', 'float32')"),
    ("ops.matmul(f8, f8)  # <-\n", "L066", "scaled_matmul multiplies fp8"),
    ("ops.quantize_fp8(x, 64)  # <-\n", "L066", '(128, 128), "rows" or "tensor"'),
    (
        "ops.grouped_matmul(a.astype(np.float16), np.zeros((2, 16, 8), np.float16), offs=np.float32([4, 8]))  # <-\n",
        "L066",
        "the end of each group",
    ),
    (
        "ops.grouped_matmul(a.astype(np.float16), np.zeros((2, 16, 8), np.float16), offs=np.int32([4, 8, 8]))  # <-\n",
        "L066",
        "the end of each group",
    ),
    (
        "ops.grouped_matmul(a.astype(np.float16), np.zeros((2, 8, 16), np.float16), np.int32([4, 8]))  # <-\n",
        "L066",
        "a and 8 in b",
    ),
    ("ops.moe(x, x, w, w, top_k=-1)  # <-\n", "L066", " have 3 dimensions"),
    ("ops.relu(x)  # <-\n", "T009", "ops.matmul(a, b, activation=...), or ops.swiglu"),
    ("ops.mm(a, b)  # <-\n", "T009", "ops.matmul(a, b, bias=...)"),
    ("ops.flash_attention(q, q, q)  # <-\n", "T009", "ops.attention(query, key, value, is_causal=...)"),
]
OTHER = [
    (
        "@op(lambda x: x.shape)\ndef f(x, out):\n    pass\nf(x)  # <-\n",
        "L068",
        "docs/op.md: `shapes(inputs, *, options)` and",
    ),
    (
        "@op(lambda x: None)\ndef f(x, out):\n    pass\nf(x)  # <-\n",
        "L068",
        "docs/op.md: `shapes(inputs, *, options)` and",
    ),
    (
        "@op(lambda x: Array((x.shape[0], -1), x.dtype))\ndef f(x, out):\n    pass\nf(x)  # <-\n",
        "L068",
        "docs/op.md: `shapes(inputs, *, options)` and",
    ),
    ("@op(lambda x: Array(64, x.dtype))\ndef f(x, out):\n    pass\nf(x)  # <-\n", "L066", "of one dimension: (64,)"),
    (
        "@op(lambda x: Array(x.shape, 'float33'))\ndef f(x, out):\n    pass\nf(x)  # <-\n",
        "L066",
        "float64, float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8",
    ),
    ("@op(same)\ndef f(x, out):\n    pass\nf()  # <-\n", "L066", "missing: it is an array"),
    ("@op(same)\ndef f(x, out):\n    pass\nf(x, x, x)  # <-\n", "L066", "by name (it has none)"),
    ("@op(same)\ndef f(x, out):\n    pass\nf(x, scale=3)  # <-\n", "L066", "it takes x, out, fallback"),
    ("@op(same)\ndef f(x, out):\n    pass\nf(None)  # <-\n", "L066", " be an array"),
    (
        "@op(same)\ndef f(x, out):\n    out.copy_(x)\nf(torch.zeros(4, requires_grad=True)).sum().backward()  # <-\n",
        "L069",
        "give it one by @operation.backward",
    ),
    (
        "@op(same)\ndef f(x, out):\n    pass\n@f.backward(saves=('z',))  # <-\ndef _(g, i, o):\n    return g\n",
        "L068",
        "docs/op.md: `shapes(inputs, *, options)` and",
    ),
    ("op(same)(3)  # <-\n", "L068", "docs/op.md: `shapes(inputs, *, options)` and"),
    ("op(same, name='a b')(lambda x, out: None)  # <-\n", "L066", "it takes (shapes, *, returns=1,"),
    (
        "double2 = avelang.tune({'per': (1, 2)})(double)  # <-\ndouble2(x, x, 64)  # <-\n",
        "L073",
        "docs/tune.md says what a tuner",
    ),
    (
        "double2 = avelang.tune({'per': (1, 2)}, launch=((1,), (64,)))(double)  # <-\ndouble2(x, x, 64)  # <-\n",
        "L066",
        "function, and is ((1,), (64,))",
    ),
    (
        "double2 = avelang.tune({'per': 1}, launch=lambda n: ((1,), (64,)))(double)  # <-\ndouble2(x, x, 64)  # <-\n",
        "L070",
        "a choice has names, and",
    ),
    ("avelang.tune({'per': (1, 2)})(3)  # <-\n", "S003", "put @avelang.tune above @avelang.jit or"),
    ("avelang.tune(double)  # <-\n", "L066", "a space that is a"),
    (K + "kernel[1.5, 64](x, i, h, 3)  # <-\n", "L002", "ints; one or two may"),
    (K + "kernel[-1, 64](x, i, h, 3)  # <-\n", "L002", "ints; one or two may"),
    (K + "kernel[1, 0](x, i, h, 3)  # <-\n", "L002", "ints; one or two may"),
    (K + "kernel[1, 1, 64](x, i, h, 3)  # <-\n", "L002", "ints; one or two may"),
    (K + "kernel[(1, 1, 1, 1), 64](x, i, h, 3)  # <-\n", "L002", "ints; one or two may"),
    (K + "kernel['1', 64](x, i, h, 3)  # <-\n", "L002", "ints; one or two may"),
    (K + "kernel[(1, 1), (64, 64)](x, i, h, 3)  # <-\n", "L003", "use a smaller block and"),
    (K + "kernel[10**12, 64](x, i, h, 3)  # <-\n", "L004", "put the long axis first,"),
    (K + "kernel[lambda: 3](x, i, h, 3)  # <-\n", "L002", "ints; one or two may"),
    (K + "kernel[lambda n: ((1,), (64,))](x, i, h, 3)  # <-\n", "L065", "sizes are known where it"),
    (K + "kernel[1, 64](x, i, h, 3, target='H100')  # <-\n", "U101", "Ave knows gfx90a, gfx942, gfx950,"),
    (K + "kernel[1, 64](x, i, h, 3, target=90)  # <-\n", "L009", "of a chip, got 90"),
    (K + "kernel[1, 64](x, i, h, 3, backend='cuda')  # <-\n", "L009", '"gfx942-exec" or "gfx950-exec", got \'cuda\''),
    (K + "kernel[1, 64](x, i, h, -3)  # <-\n", "L019", "is outside 0 .. 4294967295"),
    (K + "kernel[1, 64](x, i, h, None)  # <-\n", "L018", "a Python number, a NumPy"),
    (K + "kernel[1, 64](x, i, h, np.float32(3))  # <-\n", "L018", "convert it with int(...)"),
    (K + "kernel[1, 64](x, i, h, n=3, m=4)  # <-\n", "L007", "launch options are num_warps=, waves_per_eu=,"),
    (K + "kernel[1, 64](x, x, h, 3)  # <-\n", "L012", "convert it before the launch"),
    (K + "kernel[1, 64](1.0, i, h, 3)  # <-\n", "L010", "NumPy arrays, torch and JAX"),
    (K + "x.setflags(write=False)\nkernel[1, 64](x, i, h, 3, backend='cpu')  # <-\n", "L021", "pass an array that may"),
    (threads("al.atomic_add(x, t, 1.0, scope='gpu')  # <-"), "T101", '"device", "system", "cluster", not \'gpu\''),
    (
        threads("al.atomic_add(x, t, 1.0, order='seq_cst')  # <-"),
        "T101",
        '"acquire", "release", "acq_rel", not \'seq_cst\'',
    ),
    (threads("al.atomic_add(i, t, 1.5)  # <-"), "T021", "1.5 does not fit i32"),
    (threads("al.atomic_or_(h, t, 1)  # <-"), "T102", "it works on i32, u32,"),
    (threads("al.atomic_add(x[t], 1.0)  # <-"), "T003", "value, scope=..., order=...), 2 given"),
    (threads("al.atomic_add(x, (t, t), 1.0)  # <-"), "T042", "a tensor of shape (64,)"),
    (threads("al.atomic_and_(x, t, 1)  # <-"), "T102", "it works on i32, u32,"),
    (threads("al.atomic_inc(i, t)  # <-"), "T009", "`atomic_inc`: use al.atomic_add(x, index, 1)"),
    (threads("al.atomic_sub(x, t, 1.0)  # <-"), "T009", "`atomic_sub`: use al.atomic_add of the"),
    (threads("al.atomic_cas(i, t, 1)  # <-"), "T003", "value, scope=..., order=...), 3 given"),
    (threads("al.atomic_add(n, 0, 1)  # <-"), "T022", "the place is a tensor"),
    (threads("al.atomic_add(x, 0.5, 1.0)  # <-"), "T040", "integer, not the constant 0.5"),
    (threads("al.atomic_min(h, t, al.full((2,), 1.0, al.f16))  # <-"), "T102", "it works on i32, u32,"),
    (threads("al.fence('gpu')  # <-"), "T101", '"device", "system", "cluster", not \'gpu\''),
    (threads("al.threadfence()  # <-"), "T009", "`threadfence`: use al.fence()"),
    (threads("v = al.rand(0.5, t)  # <-"), "T022", "integer, not the constant 0.5"),
    (threads("v = al.rand(3)  # <-"), "T003", "in al.rand(seed, offset), 1 given"),
    (threads("v = al.rand(3, 0.5)  # <-"), "T022", "integer, not the constant 0.5"),
    (threads("v = al.random(3, t)  # <-"), "T009", "`random`: use al.rand(seed, offset), with"),
    (threads("v = al.randint(3, t, 10)  # <-"), "T003", "in al.randint(seed, offset), 3 given"),
    (threads("v = x[0:t]  # <-"), "T017", "write it as start :"),
    (threads("v = x[::-1]  # <-"), "T101", "at compile time, not -1"),
    (threads("v = x[0:100]  # <-"), "T041", "a slice is not cut"),
    (threads("x[0:4] = x[0:8]  # <-"), "T045", "(8,) does not fit (4,)"),
    (threads("x[0:4] = i[0:4]  # <-"), "T020", "say al.convert(value, al.f32)"),
    (threads("v = x[:n]  # <-"), "T017", "write it as start :"),
]
CASES = [
    (text, code, words, head)
    for head, rows in ((TILE_HEAD, TILE), (PTX_HEAD, PTX), (OPS_HEAD, OPS), (OTHER_HEAD, OTHER))
    for text, code, words in rows
]
LINES = [next(x.split("# <-")[0].strip() for x in text.split("\n") if "# <-" in x) for text, *_ in CASES]


def test_enough_of_them():
    assert len(CASES) >= 200 and len({text for text, *_ in CASES}) == len(CASES)


@pytest.mark.parametrize(("text", "code", "words", "head"), CASES, ids=LINES)
def test_mistake(text, code, words, head):
    assert judged(text, code, words, head) == ""
