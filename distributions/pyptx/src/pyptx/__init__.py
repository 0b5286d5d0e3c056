"""PTX in Python, by the names of the package pyptx: one call is one instruction of PTX, a kernel is called on arrays.

    from pyptx import Tile, kernel, ptx, reg, smem
    from pyptx.types import bf16, f32, u32

A dialect of `avelang.ptx`: the same checks, assembler, launch and executor. docs/ptx.md has what runs."""

import sys

import pyptx.ptx as ptx
import pyptx.reg as reg
import pyptx.smem as smem
import pyptx.types as types
from avelang.ptx.faces import Face
from pyptx._arch import detect_arch
from pyptx._errors import wrong_call
from pyptx._intrinsic import intrinsic
from pyptx.autograd import differentiable_kernel
from pyptx.kernel import kernel
from pyptx.specs import Layout, Tile

__version__ = "0.1.1"  # of the interface

__all__ = [
    "Layout", "Tile", "__version__", "detect_arch", "differentiable_kernel", "intrinsic", "kernel", "ptx", "reg",
    "smem", "types",
]  # fmt: skip

_face = Face(wrong_call)
for _module in (ptx, reg, smem):
    _face.cover(_module.__name__.removeprefix("pyptx."), _module)
_face.cover("", sys.modules[__name__], ["Tile", "differentiable_kernel", "kernel"])
