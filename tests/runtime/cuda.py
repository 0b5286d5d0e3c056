"""An NVIDIA machine for tests: a stub of libcuda, and tensors that say they are on its GPUs. Nothing runs on them: see cuda_stub.c and rocm.py."""

from __future__ import annotations

from typing import Any

from tests.runtime import rocm

from avelang.runtime.cuda import Cuda


class Machine(rocm.Machine):
    """The stub's driver, with an H100's architecture; code is made by its own linker, whatever `ptxas` is here. The thread's context is that of device 0, as
    torch leaves it."""

    stub, knob, kind, dlpack = "cuda_stub", "AVE_CUDA", "cuda", 2
    make: Any = Cuda
    ARCH, VERSION = "sm_90", 13_000
    OTHER, CHIPS, ALIEN = "sm_80", ("sm_90a", "sm_80"), "sm_100a"

    def __init__(self, monkeypatch: Any, *args: Any, **kwargs: Any):
        monkeypatch.setenv("AVE_PTXAS", "driver")
        super().__init__(monkeypatch, *args, **kwargs)
        self.lib.stub_spills(0, 0)

    def last_error(self) -> int:
        """The driver keeps none."""
        return 0
