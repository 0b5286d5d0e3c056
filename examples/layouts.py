"""Layouts: the same sixteen or sixty-four numbers in memory, seen in different shapes. Nothing is moved unless a kernel stores it."""

from typing import Any

import ml_dtypes
import numpy as np

import avelang
import avelang.language as al


@avelang.jit
def transpose(source: al.Tensor[(8, 8), al.i32], target: al.Tensor[(8, 8), al.i32]):
    # A layout is a shape and, for each mode, how many elements lie between neighbors. (8, 8):(1, 8) is column-major.
    columns_first = al.view(source, al.i32, al.make_layout((8, 8), (1, 8)))
    t = al.thread_id(0)
    target[t // 8, t % 8] = columns_first[t // 8, t % 8]


@avelang.jit
def interleave(source: al.Tensor[(8,), al.i32], target: al.Tensor[(8,), al.i32]):
    # Modes nest. One coordinate runs through (2, 4) with the 2 fastest: offsets 0 4 1 5 2 6 3 7.
    shuffled = al.view(source, al.i32, al.make_layout(((2, 4),), ((4, 1),)))
    t = al.thread_id(0)
    target[t] = shuffled[t]


@avelang.jit
def halves_of_words(words: al.Tensor[(4, 2), al.u32], target: al.Tensor[(4, 4), al.f32]):
    # One coordinate fewer than modes gives a row: here two words, loaded at once. A view reads the same bits as four bf16 numbers.
    row = words[al.thread_id(0)]
    numbers = al.view(row, al.Tensor((4,), al.bf16))
    target[al.thread_id(0)] = al.convert(numbers, al.f32)


@avelang.jit
def frame(picture: al.Tensor[(8, 8), al.i32]):
    # A subview is a window: what is stored into it lands in the tensor behind it.
    inside = al.subview(picture, (1, 1), (6, 6), (1, 1))
    t = al.thread_id(0)
    picture[t // 8, t % 8] = 1
    al.syncthreads()
    if t < 36:
        inside[t // 6, t % 6] = 0


def main() -> None:
    def one_block(threads: Any):
        return lambda: ((1, 1, 1), (threads, 1, 1))

    square = np.arange(64, dtype=np.int32).reshape(8, 8)
    out = np.zeros_like(square)
    transpose[one_block(64)](square, out)
    np.testing.assert_array_equal(out, square.T)

    line, mixed = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    interleave[one_block(8)](line, mixed)
    np.testing.assert_array_equal(mixed, [0, 4, 1, 5, 2, 6, 3, 7])

    numbers = np.linspace(-1, 1, 16).astype(ml_dtypes.bfloat16).reshape(4, 4)
    wide = np.zeros((4, 4), np.float32)
    halves_of_words[one_block(4)](numbers.view(np.uint32), wide)
    np.testing.assert_array_equal(wide, numbers.astype(np.float32))

    picture = np.zeros((8, 8), np.int32)
    frame[one_block(64)](picture)
    assert picture.sum() == 28 and not picture[1:-1, 1:-1].any()
    print("layouts: transpose, nested modes, views of registers and subviews agree with NumPy")


if __name__ == "__main__":
    main()
