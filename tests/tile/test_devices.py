"""Where an array is: on the CPU, by the environment, on a GPU that the stub of CUDA's driver stands for."""

import dataclasses

import numpy as np
import pytest
from tests.runtime import cuda, rocm

from avelang.arch import CHIPS, product
from avelang.base.errors import AveError
from avelang.tile import device_of, on_cpu


def test_arrays_on_the_cpu(monkeypatch):
    x = np.zeros((2, 2), np.float32)
    assert on_cpu(x) and device_of(x) == ("gfx942", 304) and device_of(x, "sm_80") == ("sm_80", 108)
    monkeypatch.setenv("AVE_TARGET", "sm_90a")
    assert device_of(x) == ("sm_90a", 132) and device_of(x, "gfx950") == ("gfx950", 256)
    monkeypatch.setitem(CHIPS, "sm_120a", dataclasses.replace(CHIPS["sm_120a"], product=None))
    assert device_of(x, "sm_120a") == ("sm_120a", 0)  # its units are not known


def test_torch_s_tensors_on_the_cpu():
    torch = pytest.importorskip("torch")
    assert on_cpu(torch.zeros(3)) and device_of(torch.zeros(3)) == ("gfx942", 304)


@pytest.mark.parametrize("vendor", [cuda, rocm], ids=["cuda", "rocm"])
@pytest.mark.parametrize("which", [0, 1])
def test_arrays_on_gpus(monkeypatch, vendor, which):
    """By the driver, without torch: the chip of the device that has the memory."""
    kind = vendor.Machine
    machine, chip = kind(monkeypatch, arch=(kind.ARCH, kind.OTHER)[which]), kind.CHIPS[which]
    x = machine.own(np.zeros(8, np.float32), 1)

    class Holder:
        __cuda_array_interface__ = {**x.__array_interface__, "version": 3}

    assert device_of(Holder()) == (chip, product(chip).count) and not on_cpu(Holder())
    assert device_of(Holder(), "sm_75") == ("sm_75", 40)


def test_no_array():
    with pytest.raises(AveError, match="an array of NumPy, torch") as e:
        device_of("x")
    assert e.value.code == "T301" and not on_cpu("x")
