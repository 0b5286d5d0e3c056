"""`avelang.op`: a host function that launches kernels comes in; an operation for arrays of NumPy, torch and JAX goes
out, with shapes, gradients and batches that the frameworks know."""

from avelang.bridge.descriptions import Array, NoKernel, no_kernel
from avelang.bridge.dimensions import merged
from avelang.bridge.invariance import invariant
from avelang.bridge.kept_memory import kept_memory
from avelang.bridge.operation import Operation, evenly, op

__all__ = [
    "Array", "NoKernel", "Operation", "evenly", "invariant", "kept_memory", "merged", "no_kernel", "op", "register_jax",
    "register_torch",
]  # fmt: skip


def register_torch() -> None:
    """Makes torch know the operators of all operations that have been made: torch must have been imported. An operation
    does so itself where it is first called; a program that `torch.export` has kept asks for them before."""
    from avelang.bridge.registry import OPERATIONS

    for operation in list(OPERATIONS.values()):
        operation.torch_side()


def register_jax() -> None:
    """Makes this process able to run programs of `jax.export` that call operations: JAX must have been imported.
    Operations do so themselves where they are called."""
    import sys

    import avelang.bridge.jax_calls as jax_calls
    import avelang.bridge.xla as xla

    xla.register(sys.modules["jax"], jax_calls.TARGET, jax_calls.serve)
