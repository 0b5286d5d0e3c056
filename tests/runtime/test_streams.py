"""Streams: whose is taken, who is made to wait, by the protocols of the arrays' libraries."""

import sys
import types

import numpy as np
import pytest
from tests.runtime import rocm

import avelang
import avelang.language as al
from avelang.runtime import streams


class Torchs:
    cuda_stream = 0x11


class Cupys:
    ptr = 0x12


class Protocol:
    def __cuda_stream__(self):
        return (0, 0x13)


class Property:
    __cuda_stream__ = (0, 0x14)


class Newer:
    def __cuda_stream__(self):
        return (1, 0x15)


CASES = [(0, 0), (7, 7), (Torchs(), 0x11), (Cupys(), 0x12), (Protocol(), 0x13), (Property(), 0x14), (2**64 - 1, 2**64 - 1)]


@pytest.mark.parametrize(("stream", "want"), CASES)
def test_handles(stream, want):
    assert streams.handle(stream) == want


@pytest.mark.parametrize("value", [None, "0", -1, 2**64, True, 1.0, object(), Newer()])
def test_what_is_no_stream(value):
    assert streams.handle(value) is None


def kernel(x: al.Pointer(al.f32), y: al.Pointer(al.f32)):
    pass


AT = ((1,), (64,))


@pytest.fixture
def k():
    return avelang.jit(kernel)


@pytest.fixture
def machine(monkeypatch):
    return rocm.Machine(monkeypatch)


def producer(machine, kind=rocm.Producer):
    return kind(machine.own(np.zeros(64, np.float32)))


def test_dlpacks_producers_order_the_stream_behind_their_work(machine, k):
    x, y = producer(machine), producer(machine)
    k[AT](x, y)
    # First without synchronization, to read it; then with the stream that the kernel goes to: 0 is ROCm's default.
    assert (x.asked, y.asked, machine.last.stream) == ([-1, 0], [-1, 0], 0)
    machine.lib.stub_stream(0x77, 0)
    k[AT](x, y, stream=0x77)
    assert x.asked[2:] == [-1, 0x77]
    assert not k._launcher._stub._entries


def test_cupys_current_stream(machine, monkeypatch, k):
    asked = []

    class ndarray(rocm.Producer):
        __module__ = "cupy"

    def current(device):
        asked.append(device)
        return Cupys()

    cupy = types.SimpleNamespace(cuda=types.SimpleNamespace(get_current_stream=current))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    machine.lib.stub_stream(0x12, 0)
    x, y = producer(machine, ndarray), producer(machine)
    for args in ((x, y), (y, x)):
        x.asked.clear(), y.asked.clear()
        k[AT](*args)
        # CuPy's own array is in order on CuPy's stream; the other library is asked.
        assert (machine.last.stream, x.asked, y.asked) == (0x12, [-1], [-1, 0x12])
    assert asked == [0, 0]


def test_torch_and_another_library(machine, monkeypatch, k):
    pytest.importorskip("torch")
    torch = rocm.Torch(monkeypatch, machine)
    torch.stream(0, 0x21)
    x, y = torch.make(np.zeros(64, np.float32)), producer(machine)
    for _ in range(2):
        k[AT](x, y)
        assert machine.last.stream == 0x21 and y.asked[-2:] == [-1, 0x21]


def test_jax_is_waited_for(machine, monkeypatch, k):
    class Array(rocm.Producer):
        pass

    monkeypatch.setitem(sys.modules, "jax", types.SimpleNamespace(Array=Array))
    k[AT](producer(machine, Array), producer(machine))
    calls = machine.calls()
    assert calls.index("hipModuleLaunchKernel kernel") < calls.index("hipStreamSynchronize 0")
