"""`avelang.op`: a host function that launches kernels comes in; an operation for arrays of NumPy, torch and JAX goes
out, with shapes, gradients and batches that the frameworks know."""

from avelang.bridge.descriptions import Array, NoKernel, no_kernel
from avelang.bridge.invariance import invariant
from avelang.bridge.operation import Operation, op

__all__ = ["Array", "NoKernel", "Operation", "invariant", "no_kernel", "op"]
