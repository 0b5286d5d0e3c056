"""Literals chosen at run time: the type of what they meet, or of where they are stored."""

import numpy as np
import pytest

import avelang.language as al
from frontend.building import both, refused

F = al.Tensor((8,), al.f32)


@pytest.mark.parametrize("n", [5, 3, 1])
def test_a_choice_between_literals_takes_the_type_of_what_it_meets(n):
    def k(out: F, bytes: al.Tensor((2,), al.u8), n: al.i32, b: al.u8):
        c = n > 3
        out[0] = 7 if c else 3
        v = 7 if c else 3
        out[1] = v + 0.5
        w = 1 if c else (2 if n > 2 else 3)
        out[2] = w
        out[3] = out[4] * (1 if c else 2)
        out[5] = al.select(c, 5, 6)
        out[6] = 1 if c else 2.5
        bytes[0] = w + b
        total = 5 if c else 6
        for _ in al.range(3):
            total += 1
        bytes[1] = total

    x = np.full(8, 1.5, np.float32)
    out, bytes = both(k, x, np.zeros(2, np.uint8), n, 254)
    c, w = n > 3, 1 if n > 3 else 2 if n > 2 else 3
    v = 7 if c else 3
    assert out.tolist() == [v, v + 0.5, w, 1.5 if c else 3, 1.5, 5 if c else 6, 1 if c else 2.5, 1.5]
    assert bytes.tolist() == [(w + 254) % 256, 8 if c else 9]


def test_the_type_of_a_choice():
    def k(out: F, n: al.i32, b: al.u8):
        def dtype(v):
            return (al.full((2,), 0, al.u1) + v).dtype

        c = n > 3
        v = 7 if c else 3
        said: al.i32 = 7 if c else 3
        assert dtype(v) == al.i32 and dtype(v + b) == al.u8
        assert dtype(v + 0.5) == al.f32 and dtype(v + (1 if c else 2.5)) == al.f32
        assert dtype(said + b) == al.i32 and dtype(al.convert(v, al.i32) + b) == al.i32
        assert dtype((300 if c else 2) + b) == al.i32  # 300 is no u8
        out[0] = v

    both(k, np.zeros(8, np.float32), 1, 2)


def test_a_choice_that_does_not_fit():
    def floats(out: al.Tensor((8,), al.i32), n: al.i32):
        out[0] = 7 if n > 3 else 2.5  # <-

    def typed(out: F, n: al.i32):
        out[0] = n if n > 3 else 3  # <-

    refused(floats, "T020", "f32")
    refused(typed, "T020", "i32")
