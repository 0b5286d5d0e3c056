"""Arrays of the CUDA array interface are found on the GPU that has their memory."""

import numpy as np
import pytest
from tests.runtime import rocm

import avelang
import avelang.language as al
from avelang.base.errors import AveError


class Holder:
    def __init__(self, array, **more):
        self.array = array
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3, **more}


def kernel(x: al.Pointer(al.f32), y: al.Tensor((4, 6), al.i32)):
    pass


AT = ((1,), (64,))


@pytest.fixture
def k():
    return avelang.jit(kernel)


def test_the_cuda_array_interface_on_a_rocm_machine(monkeypatch, k):
    machine = rocm.Machine(monkeypatch)
    x, y = Holder(machine.own(np.zeros(8, np.float32), 1)), Holder(machine.own(np.zeros((4, 6), np.int32), 1))
    for _ in range(2):
        k[AT](x, y)
        assert (machine.values(), machine.last.device) == ([x.array.ctypes.data, y.array.ctypes.data], 1)
    with pytest.raises(AveError) as e:
        k[AT](x, Holder(y.array.T))
    assert e.value.code == "L013"


def test_memory_that_no_driver_knows(monkeypatch, k):
    rocm.Machine(monkeypatch)
    x, y = Holder(np.zeros(8, np.float32)), Holder(np.zeros((4, 6), np.int32))
    with pytest.raises(AveError, match="no driver here knows whose memory it is") as e:
        k[AT](x, y)
    assert e.value.code == "L016"


def test_their_stream_is_waited_for(monkeypatch, k):
    machine = rocm.Machine(monkeypatch)
    own = [machine.own(np.zeros(8, np.float32)), machine.own(np.zeros((4, 6), np.int32))]
    k[AT](*map(Holder, own))
    machine.calls()
    k[AT](Holder(own[0], stream=0x66), Holder(own[1], stream=None))
    calls = machine.calls()
    assert calls.index("hipStreamSynchronize 0x66") < calls.index("hipModuleLaunchKernel kernel") and calls.count("hipStreamSynchronize 0x66") == 1
    machine.lib.stub_stream(0x66, 0)
    k[AT](Holder(own[0], stream=0x66), Holder(own[1], stream=0x66), stream=0x66)
    assert "hipStreamSynchronize 0x66" not in machine.calls()
