"""Arrays that begin off multiples of 16 bytes, on stubs of the drivers: which code they get, and what refuses them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.runtime import cuda, rocm

import avelang
import avelang.language as al
from avelang.base.errors import AveError

pytest.importorskip("torch")
AT = ((3,), (64,))


@pytest.fixture(params=[rocm.Machine, cuda.Machine])
def machine(request, monkeypatch):
    return request.param(monkeypatch)


@pytest.fixture
def torch(monkeypatch, machine):
    return rocm.Torch(monkeypatch, machine)


@avelang.jit
def rows(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
    i = al.block_id(0) * 64 + al.thread_id(0)
    X, Y = (al.make_tensor(p, al.f32, al.make_layout((n, 4), (4, 1))) for p in (x, y))
    if i < n:
        Y[i] = X[i]


def test_memory_that_begins_anywhere(machine, torch):
    """The code for it is another one; that of memory that begins at multiples of 16 bytes stays theirs."""
    kernel, (x, y) = avelang.jit(rows.source.fn), (torch.make(np.zeros(192, np.float32)) for _ in range(2))
    launched = []
    for _ in range(3):
        for a, b in ((x, y), (x[1:], y), (x[2:], y), (x, y[3:]), (x[4:], y), (x[1:], y[1:])):
            kernel[AT](a, b, 7)
            assert machine.values()[:2] == [a.data_ptr(), b.data_ptr()]
            latest = kernel._launcher._stub.latest()
            launched.append(None if latest is None else dict(latest.aligned))
    assert launched[-6:] == [{}, {"x": 4}, {"x": 4}, {"y": 4}, {}, {"x": 4, "y": 4}]
    assert sorted(len(p.aligned) for p in kernel._launcher._programs.values()) == [0, 1, 1, 2]


@avelang.jit
def adds(x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
    i = al.thread_id(0)
    X, Y = (al.make_tensor(p, al.f32, al.make_layout((n,), (1,))) for p in (x, y))
    if i < n:
        al.atomic_add(Y, (i % 4,), X[i])
        al.atomic_max(Y, (i % 4,), X[i])


def test_atomics_of_elements_where_memory_begins_anywhere(machine, torch):
    kernel, (x, y) = avelang.jit(adds.source.fn), (torch.make(np.zeros(192, np.float32)) for _ in range(2))
    for _ in range(2):
        kernel[AT](x[1:], y[3:], 7)
        assert machine.values()[:2] == [x.data_ptr() + 4, y.data_ptr() + 12]
    (program,) = kernel._launcher._programs.values()
    assert program.aligned == {"x": 4, "y": 4}


@avelang.jit
def wide_adds(x: al.Pointer(al.f16), y: al.Pointer(al.f16), n: al.u32):
    i = al.thread_id(0)
    X, Y = (al.make_tensor(p, al.f16, al.make_layout((n, 2), (2, 1))) for p in (x, y))
    al.atomic_add(Y, (i, 0), X[i])


def test_what_must_be_aligned(machine, torch):
    """An instruction that takes several elements at once says so."""
    kernel = avelang.jit(wide_adds.source.fn)
    x, y = (torch.make(np.zeros(192, np.float16)) for _ in range(2))
    for _ in range(2):
        with pytest.raises(AveError) as e:
            kernel[AT](x, y[1:], 1)
        text = str(e.value)
        assert e.value.code == "L015" and "no multiple of 16" in text and "clone" in text and "`atomic" in text
        kernel[AT](x[1:], y[8:], 1)
    assert machine.values()[:2] == [x.data_ptr() + 2, y.data_ptr() + 16]
