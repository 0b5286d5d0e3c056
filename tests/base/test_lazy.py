"""What a compilation imports, and what it leaves alone."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from avelang.base import lazy

PROGRAM ="""
import sys
from avelang_kernels.matmul.{module} import {kernel}
from avelang.runtime.compile import compile_text
text = compile_text({kernel}, {{}}, ({threads}, 1, 1), "gfx942", "asm")
heavy = ("numpy", "ml_dtypes", "avelang.sim", "avelang.isa.nvptx", "avelang.emit.llvm.cpu_ops")
print("v_mfma" in text, [m for m in heavy if m in sys.modules])
"""


def test_code_for_an_amd_gpu_is_made_without_numpy_and_the_other_backends():
    for module, kernel, threads in (("mfma_gemm", "mfma_gemm", 64), ("mi300_gemm", "gemm_bf16", 256)):
        code = PROGRAM.format(module=module, kernel=kernel, threads=threads)
        env = {**os.environ, "AVE_NO_CACHE": "1"}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False,
                              env=env)
        assert done.stdout == "True []\n", done.stderr


def test_a_lazy_module_is_the_module():
    assert lazy.np.float32 is np.float32
    assert lazy.np.arange(3).tolist() == [0, 1, 2]
    assert isinstance(np.float32(1), lazy.numpys("generic")) and not isinstance(1.0, lazy.numpys("generic"))


def test_nothing_is_of_numpy_where_nobody_has_imported_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "numpy")
    assert not isinstance(1.0, lazy.numpys("generic"))
