"""A program of a user, written into a file, and the command line run in this process."""

from __future__ import annotations

import pathlib

import pytest
from click.testing import CliRunner, Result

AXPY = '''
import numpy as np
import avelang
import avelang.language as al


@avelang.jit
def axpy(a: al.f32, x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32, BLOCK: al.constexpr):
    i = al.block_id(0) * BLOCK + al.thread_id(0)
    X = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    Y = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    if i < n:
        Y[i] = a * X[i] + Y[i]


if __name__ == "__main__":
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    axpy[lambda: ((8, 1, 1), (128, 1, 1))](2.0, x, y, 1000, 128)
    assert (y == 2 * x + 1).all()
    print("y[999] =", y[999])
'''


@pytest.fixture
def ave():
    def run(*args: object) -> Result:
        from avelang.cli.main import main

        return CliRunner().invoke(main, [str(a) for a in args])

    return run


@pytest.fixture
def axpy(tmp_path) -> pathlib.Path:
    file = tmp_path / "axpy.py"
    file.write_text(AXPY)
    return file
