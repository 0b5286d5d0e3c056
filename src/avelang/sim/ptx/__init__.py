"""The executor of PTX: runs the text of kernels, ours or anyone's, on this machine, warp by warp
(docs/ptx_executor.md)."""

from avelang.sim.ptx.maps import PtxTensorMap as TensorMap
from avelang.sim.ptx.maps import tensor_map
from avelang.sim.ptx.multicast import Multicast
from avelang.sim.ptx.program import PtxProgram as Program

__all__ = ["Multicast", "Program", "TensorMap", "tensor_map"]
