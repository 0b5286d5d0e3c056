"""The fastest choice for a kernel: of the thread level, the tile level and the instruction level. Run it with
`python examples/tune.py`; no GPU is needed. `ave tune examples/tune.py:double --shapes "n=5000"` keeps what it finds."""

import functools
import pathlib
import tempfile
from typing import Annotated, Any

import numpy as np

import avelang
import avelang.language as al
from avelang import tile, tuning
from avelang.ptx import Tile, kernel, ptx, reg
from avelang.ptx.types import f32


# Threads: blocks of so many, each with so many elements. What may be chosen comes first, what cannot be is left out by
# `where`; every function asks for arguments and choices by name.
@avelang.tune(
    {"block": (64, 256), "per": (1, 2)},
    where=lambda block, per, n: block * per <= n,
    launch=lambda n, block, per: ((-(-n // (block * per)),), (block,)),
    key=("n",),
    reference=lambda x, n: 2 * x,
    inputs=lambda n: (np.zeros(n, np.float32), np.zeros(n, np.float32), n),
)
@avelang.jit
def double(x: al.Pointer[al.f32], y: al.Pointer[al.f32], n: al.u32, per: al.constexpr):
    xs = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    ys = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    for j in range(per):
        i = (al.block_id(0) * per + j) * al.block_dim(0) + al.thread_id(0)
        if i < n:
            ys[i] = 2 * xs[i]


# Tiles: the block's tile of C is a part of the kernel's types, so a function makes a kernel for each. A function is
# tuned like a kernel; it launches what it likes.
@functools.cache
def product(T: tile.Block):
    A, B, C = T.operands(al.f16, al.f32)

    @avelang.jit
    def gemm(a: Annotated[Any, A], b: Annotated[Any, B], c: Annotated[Any, C], m: al.u32, n: al.u32, k: al.u32):
        rows, cols, out = tile.view(a, (m, k), 8), tile.view(b, (n, k), 8), tile.view(c, (m, n), 4)
        tile.multiply(T, rows, cols, (m, n, k), lambda sums, at: out.store(sums, at))

    return gemm


@avelang.tune(
    {"rows": (32, 64), "cols": (32,)},
    key=lambda a, b: (a.shape[0], b.shape[0], a.shape[1]),
    outputs="c",
    reference=lambda a, b: a.astype(np.float64) @ b.astype(np.float64).T,
    model=lambda a, b, rows, cols: -(-a.shape[0] // rows) * -(-b.shape[0] // cols) * (rows + cols),
)
def multiply(a: Any, b: Any, c: Any, rows: Any, cols: Any):
    (m, k), n = a.shape, b.shape[0]
    T = tile.Block(rows, cols, 32, (2, 2), "cp-async")
    product(T)[T.grid(m, n, 1), T.on("sm_80", al.f16).threads](a, b, c, m, n, k, target="sm_80")


# Instructions: a kernel for each number of warps and of elements that a thread has.
@functools.cache
def scaling(warps: Any, each: Any):
    @kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=lambda N: N // (32 * warps * each),
            block=32 * warps, arch="sm_80")
    def scaled(x: Any, y: Any, *, N: Any):
        px, py = ptx.global_ptrs(x, y)
        first = ptx.special.ctaid.x() * (32 * warps * each) + ptx.special.tid.x()
        for i in range(each):
            at = (first + 32 * warps * i) * 4
            value = reg.scalar(f32)
            ptx.inst.ld.global_.f32(value, ptx.addr(px + at))
            ptx.inst.st.global_.f32(ptx.addr(py + at), value * 3.0)
        ptx.ret()

    return scaled


@avelang.tune({"warps": (1, 4), "each": (1, 2)}, where=lambda x, warps, each: x.shape[0] % (32 * warps * each) == 0,
              reference=lambda x: 3 * x)
def triple(x: Any, warps: Any, each: Any):
    return scaling(warps, each)(x)


def main() -> None:
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder, "tuned.txt")

        # Contenders run on copies of the arguments; wrong ones never win. The result is a row of a table.
        x, y = rng.standard_normal(5000).astype(np.float32), np.zeros(5000, np.float32)
        done = double.tune(x, y, 5000, table=table)
        assert done.choice in double.choices(x, y, 5000) and not done.rejected and done.race is not None
        # From here on this program takes its choices from that table, and no other.
        tuning.pin(table)
        double(x, y, 5000)
        assert double.choice(x, y, 5000) == done.choice and (y == 2 * x).all()
        tuning.pin(None)
        print(f"threads: {len(done.race.standings)} choices agree with NumPy, one of them was the fastest here")

        a, b = rng.standard_normal((64, 64)).astype(np.float16), rng.standard_normal((64, 64)).astype(np.float16)
        done = multiply.tune(a, b, np.zeros((64, 64), np.float32), table=table)
        assert done.race is not None
        print(f"tiles: {len(done.race.standings)} choices agree with NumPy, the model thought of none else")

        done = triple.tune(rng.standard_normal(768).astype(np.float32), table=table)
        assert done.race is not None
        print(f"instructions: {len(done.race.standings)} choices agree with NumPy")
        assert len(tuning.read(table)) == 3


if __name__ == "__main__":
    main()
