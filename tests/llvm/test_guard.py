"""LLVM's backends end the process at what they cannot translate: here it is an error, and the process goes on."""

import os

import pytest

from avelang import arch
from avelang.base.errors import AveError
from avelang.emit.llvm.simt_device import DeviceCompiler
from avelang.llvm import guard

# LLVM 22: what is the same in all lanes stands in a scalar register behind the fence, to which a product of floats
# cannot go.
TEXT = """
declare float @llvm.arithmetic.fence.f32(float)
define amdgpu_kernel void @kernel(float %x, ptr addrspace(1) %p) {
  %y = fmul float %x, %x
  %z = call float @llvm.arithmetic.fence.f32(float %y)
  %h = fptrunc float %z to half
  store half %h, ptr addrspace(1) %p
  ret void
}
"""
FINE = TEXT.replace("call float @llvm.arithmetic.fence.f32(float %y)", "fadd float %y, 1.0")


@pytest.fixture(scope="module")
def device():
    return DeviceCompiler(arch.chip("gfx942"))


def test_an_error_of_the_backend_is_an_error_of_the_catalogue(device, capfd):
    """Twice, for what the first one leaves behind; then the same compiler makes code again."""
    for make in (device.assembly, device.object):
        with pytest.raises(AveError) as caught:
            make(TEXT)
        assert (
            caught.value.code == "V004"
            and "gfx942" in caught.value.message
            and "illegal VGPR to SGPR copy" in caught.value.message
        )
    assert "v_mul_f32" in device.assembly(FINE) and device.object(FINE).startswith(b"\x7fELF")
    os.write(2, b"standard error is the user's again\n")
    assert capfd.readouterr().err == "standard error is the user's again\n"


def test_guarded_code_is_what_llvmlite_gives(device):
    for binary in (False, True):
        plain = (
            device.machine.emit_object(device.module(FINE))
            if binary
            else device.machine.emit_assembly(device.module(FINE)).encode()
        )
        assert guard.emit(device.machine, device.module(FINE), binary) == plain


def test_where_the_library_has_no_such_table(device, monkeypatch):
    """Calls are made as they are."""

    def none(inside):
        raise LookupError

    monkeypatch.setattr(guard, "slots", none)
    guard._guard.cache_clear()
    try:
        assert guard._guard() is None and "v_mul_f32" in device.assembly(FINE)
    finally:
        guard._guard.cache_clear()
