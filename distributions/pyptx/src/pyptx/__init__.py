"""The instruction level of Ave under the name `pyptx`: see `avelang.ptx`."""

from avelang.base.version import VERSION as __version__
from avelang.ptx import Kernel, Reg, Tile, collect, kernel, ptx, reg, smem
from pyptx import types

__all__ = ["Kernel", "Reg", "Tile", "__version__", "collect", "kernel", "ptx", "reg", "smem", "types"]
