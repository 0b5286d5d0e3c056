"""What a kernel leaves of its outputs: said by the reference, seen in outputs that Ave has made; never at the cost of what the caller's array held."""

import numpy as np

import avelang
import avelang.language as al
from avelang.ptx import Tile, kernel
from avelang.ptx.types import bf16, f32, s32


@avelang.jit
def copied(A: al.Tensor((8, 8), al.f32), B: al.Tensor((8, 8), (1, 8), al.f32), rows: al.u32, BACK: al.constexpr):
    t = al.thread_id(0)
    if t // 8 < rows:
        if BACK:
            B[t // 8, t % 8] = B[t // 8, t % 8] + A[t // 8, t % 8]
        else:
            B[t // 8, t % 8] = A[t // 8, t % 8]


def launched(rows, back=False):
    a, b = np.ones((8, 8), np.float32), np.full((8, 8), 5, np.float32).T
    copied[1, 64](a, b, rows, back, backend="reference")
    return b


def test_elements_that_nothing_wrote_are_said_and_stay(monkeypatch, capsys):
    monkeypatch.setenv("AVE_CHECK", "init")
    b = launched(6)
    assert (b[:6] == 1).all() and (b[6:] == 5).all()
    assert "kernel `copied` has not written 16 of the 64 elements of `B`, the first at index (6, 0)" in capsys.readouterr().err
    launched(8)
    launched(6, back=True)  # it reads the array too, which is no output then
    assert capsys.readouterr().err == ""


def test_nothing_is_said_where_nobody_asked(capsys, monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "")
    launched(6)
    assert capsys.readouterr().err == ""


@kernel(in_specs=Tile("N", f32), out_specs=(Tile("N", f32), Tile("N", bf16), Tile("N", s32)), grid=1, block=32, arch="sm_80")
def nothing(x, one, two, three):
    pass


def test_outputs_of_the_instruction_level_are_poisoned(monkeypatch):
    monkeypatch.setenv("AVE_CHECK", "init")
    one, two, three = nothing(np.zeros(40, np.float32))
    assert np.isnan(one).all() and np.isnan(two.astype(np.float32)).all() and (three == -1).all()
