"""y = a x + y: the smallest useful kernel. Run it with `python examples/axpy.py`; no GPU is needed."""

import numpy as np

import avelang
import avelang.language as al


# A kernel is a Python function with annotated parameters. Each thread runs its body once.
@avelang.jit
def axpy(a: al.f32, x: al.Pointer[al.f32], y: al.Pointer[al.f32], n: al.u32):
    # A pointer knows no shape. A layout gives it one, and the extent may be a run-time value.
    xs = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    ys = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    i = al.block_id(0) * al.block_dim(0) + al.thread_id(0)
    # The last block is larger than what is left of the array.
    if i < n:
        ys[i] = a * xs[i] + ys[i]


def main() -> None:
    n, block = 100_003, 256
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, n)).astype(np.float32)
    expected = np.float32(2.5) * x + y

    # The brackets take the launch geometry: a function that returns (blocks of the grid, threads of a block).
    axpy[lambda: (((n + block - 1) // block, 1, 1), (block, 1, 1))](2.5, x, y, n)

    np.testing.assert_allclose(y, expected, rtol=1e-6)
    print(f"axpy on {n} numbers: agrees with NumPy")


if __name__ == "__main__":
    main()
