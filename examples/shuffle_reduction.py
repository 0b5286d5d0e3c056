"""The sum of each row of a matrix: lanes of a wave add by shuffles, waves of a block meet in shared memory."""

import numpy as np

import avelang
import avelang.language as al

WAVE = 64  # lanes of a wave on AMD's data-center GPUs, which is what the CPU imitates unless told otherwise
THREADS = 256


@avelang.jit
def wave_sum(v: al.f32) -> al.f32:
    # Six rounds: each lane adds what the lane at distance 32, 16, ... 1 holds. All lanes end with the sum of the wave.
    for i in range(6):
        v = v + al.shuffle_xor(v, WAVE >> (i + 1), WAVE)
    return v


@avelang.jit
def row_sums(matrix: al.Pointer[al.f32], sums: al.Pointer[al.f32], columns: al.u32):
    rows = al.grid_dim(0)
    m = al.make_tensor(matrix, al.f32, al.make_layout((rows, columns), (columns, 1)))
    out = al.make_tensor(sums, al.f32, al.make_layout((rows,), (1,)))
    partial = al.make_shared((THREADS // WAVE,), al.f32)
    row = al.block_id(0)
    t = al.thread_id(0)

    # Each thread takes every 256th element of the block's row ...
    mine = al.convert(0, al.f32)
    for c in al.range(t, columns, THREADS):
        mine = mine + m[row, c]

    # ... the lanes of each wave add up without touching memory, and one lane of each wave leaves the result for the others.
    mine = wave_sum(mine)
    if t % WAVE == 0:
        partial[t // WAVE] = mine
    al.syncthreads()

    if t == 0:
        total = partial[0]
        for w in range(1, THREADS // WAVE):
            total = total + partial[w]
        out[row] = total


def main() -> None:
    rows, columns = 50, 1000
    matrix = np.random.default_rng(1).standard_normal((rows, columns)).astype(np.float32)
    sums = np.zeros(rows, np.float32)
    row_sums[lambda: ((rows, 1, 1), (THREADS, 1, 1))](matrix, sums, columns)
    np.testing.assert_allclose(sums, matrix.sum(1, dtype=np.float64), rtol=1e-4, atol=1e-3)
    print(f"row sums of {rows} x {columns}: agree with NumPy")


if __name__ == "__main__":
    main()
