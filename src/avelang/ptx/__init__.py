"""The instruction level: kernels as Python functions in which one call is one instruction of PTX. `pyptx` is another
name of this package.

    from avelang.ptx import Tile, kernel, ptx, reg, smem
    from avelang.ptx.types import bf16, f32, u32
"""

import sys

from avelang.ptx import language as ptx
from avelang.ptx import types
from avelang.ptx.cpu_run import collect
from avelang.ptx.faces import Face, wrong_call
from avelang.ptx.kernel import PtxKernel as Kernel
from avelang.ptx.kernel import kernel
from avelang.ptx.registers import Reg, reg
from avelang.ptx.shared_memory import SharedTile, smem
from avelang.ptx.specs import KernelArgument as Argument
from avelang.ptx.specs import TileSpec as Tile
from avelang.ptx.statements import DeclaredVariable as Variable

__all__ = [
    "Argument",
    "Kernel",
    "Reg",
    "SharedTile",
    "Tile",
    "Variable",
    "collect",
    "kernel",
    "ptx",
    "reg",
    "smem",
    "types",
]

_face = Face(wrong_call)
_face.cover("ptx", ptx)
_face.cover("", sys.modules[__name__], ["Reg", "SharedTile", "Tile", "Variable", "reg", "smem"])
