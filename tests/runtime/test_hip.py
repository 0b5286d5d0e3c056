"""The HIP runtime is found, or its absence is explained; devices are what the library says."""

import ctypes
import pathlib

import numpy as np
import pytest
from tests.runtime import rocm

from avelang.base.errors import AveError
from avelang.runtime import devices, gpu
from avelang.runtime.hip import Hip


def refused(code, call):
    with pytest.raises(AveError) as e:
        call()
    assert e.value.code == code, str(e.value)
    return str(e.value)


def test_no_library(monkeypatch, tmp_path):
    monkeypatch.setenv("AVE_HIP", "/nowhere/libamdhip64.so")
    text = refused("D030", lambda: Hip().device(3))
    assert "arrays on rocm:3 need the HIP runtime, which cannot be loaded: there is no /nowhere/libamdhip64.so" in text and "install ROCm" in text
    assert not Hip().found()
    broken = tmp_path / "libamdhip64.so"
    broken.write_bytes(b"no library at all")
    monkeypatch.setenv("AVE_HIP", str(broken))
    assert f"cannot be loaded: {broken}: " in refused("D030", lambda: Hip().device(0))
    monkeypatch.delenv("AVE_HIP")
    monkeypatch.setenv("ROCM_PATH", "/nowhere/rocm")
    if not Hip().found():
        assert "no /nowhere/rocm/lib/libamdhip64.so" in refused("D030", lambda: Hip().open("rocm:0"))


def test_where_the_library_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.delenv("AVE_HIP", raising=False)
    monkeypatch.setenv("ROCM_PATH", "/opt/other")
    places = list(Hip().places())
    assert places[-4:] == ["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so", "/opt/other/lib/libamdhip64.so"]
    # What torch or JAX has loaded already comes first: two copies would not know each other's streams.
    copy = tmp_path / "libamdhip64.so.6"
    copy.write_bytes(pathlib.Path(rocm.build("hip_stub")).read_bytes())
    library = ctypes.CDLL(str(copy))
    assert list(Hip().places())[0] == str(copy)
    library.stub_reset(1, b"gfx90a", rocm.VERSION)
    driver = Hip()
    assert driver.survey() == gpu.Survey(str(copy), "6.3.42134", [("Stub Accelerator 0", "gfx90a", driver.chip("gfx90a"))])
    monkeypatch.setenv("AVE_HIP", "/asked/for.so")
    assert list(Hip().places()) == ["/asked/for.so"]


def test_too_old(monkeypatch):
    rocm.Machine(monkeypatch, version=50_731_921)
    text = refused("D031", lambda: devices.device("rocm:0"))
    assert "it is version 5.7.31921" in text and "ROCm 6.0 or newer" in text
    monkeypatch.setenv("AVE_HIP", "libm.so.6")
    assert "it has no hipInit" in refused("D031", lambda: Hip().device(0))


def test_no_gpu(monkeypatch):
    machine = rocm.Machine(monkeypatch, count=0)
    text = refused("D032", lambda: devices.device("rocm:0"))
    assert "hipGetDeviceCount gave hipErrorNoDevice (100: no ROCm-capable device is detected)" in text and "render" in text
    machine.fail("hipInit", 3)
    assert "hipInit gave hipErrorNotInitialized" in refused("D032", lambda: devices.device("rocm:0"))


def test_a_device_that_is_not_shown(monkeypatch):
    rocm.Machine(monkeypatch, count=2)
    assert devices.device("rocm:1").name == "rocm:1"
    text = refused("D033", lambda: devices.device("rocm:2"))
    assert "the HIP runtime shows 2 GPUs" in text and "HIP_VISIBLE_DEVICES" in text


@pytest.mark.parametrize("arch", ["gfx1100", "gfx906:sramecc+:xnack-", "sm_90a", ""])
def test_a_chip_without_code(monkeypatch, arch):
    rocm.Machine(monkeypatch, arch=arch)
    text = refused("D034", lambda: devices.device("rocm:0"))
    assert f"rocm:0 is a {arch} (Stub Accelerator 0)" in text and "Ave knows gfx90a, gfx942, gfx950" in text


@pytest.mark.parametrize(("arch", "chip"), [("gfx90a:sramecc+:xnack+", "gfx90a"), ("gfx942", "gfx942"), ("gfx950:sramecc+:xnack-", "gfx950")])
def test_chips(monkeypatch, arch, chip):
    rocm.Machine(monkeypatch, arch=arch)
    assert devices.device("rocm:1").chip.name == chip


def test_what_fails_later_is_said(monkeypatch):
    machine = rocm.Machine(monkeypatch)
    machine.fail("hipGetDevicePropertiesR0600", 999)
    assert "asking for the properties of rocm:0: hipGetDevicePropertiesR0600 gave" in refused("D035", lambda: devices.device("rocm:0"))
    machine.lib.stub_capture(1)
    text = refused("D035", lambda: devices.device("rocm:0").wait(0x50))
    assert "waiting for stream 0x50 of rocm:0" in text and "under capture" in text


def test_whose_memory(monkeypatch):
    machine = rocm.Machine(monkeypatch)
    mine = machine.own(np.zeros(16, np.float32), 1)
    assert machine.driver.found()
    assert machine.driver.owner(mine.ctypes.data + 60) == 1
    assert machine.driver.owner(mine.ctypes.data + 64) is None
    assert machine.lib.hipPeekAtLastError() == 0
