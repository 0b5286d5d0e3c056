"""Operations that a model calls: arrays of NumPy or torch come in; the kernel of the chip and of the shape runs; an
array of the same kind goes out."""

from avelang.ops.matmul import matmul

__all__ = ["matmul"]
