"""What host code asks of arrays: their memory with other strides, in every dtype of NumPy's that kernels take."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from avelang_kernels.arrays import flattened, span_of, strided

DTYPES = ("float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool", *(
    n for n in dir(ml_dtypes) if n.startswith(("bfloat16", "float8")) and isinstance(getattr(ml_dtypes, n), type)
))  # fmt: skip


@pytest.mark.parametrize("name", DTYPES)
def test_memory_with_other_strides(name):
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    whole = (np.arange(48) % 7).reshape(6, 8).astype(np.float32).astype(dtype)
    memory = whole.reshape(-1)
    for x, first in ((whole[:, ::2], 0), (whole[1::2, 1:], 9), (whole.T, 0), (whole.T[1::3], 1)):
        made = strided(x, (3, 2), (2, 1))
        assert made.dtype == dtype and np.shares_memory(made, whole) and made.flags.writeable
        assert made.tobytes() == memory[first : first + 6].tobytes()
        assert flattened(x).shape == (span_of(x) or x.size,)
    fixed = whole[:, ::2]
    fixed.flags.writeable = False
    assert not strided(fixed, (2,), (1,)).flags.writeable
