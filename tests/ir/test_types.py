"""Types: names, widths, NumPy equivalents, and text that reads back."""

import copy
import dataclasses
import pickle

import ml_dtypes
import numpy as np
import pytest

from avelang.ir import dtypes
from avelang.ir.dtypes import DType, f32, u32
from avelang.ir.types import GLOBAL, SHARED, MapType, PtrType, TensorType, VecType, parse_type


@pytest.mark.parametrize("d", dtypes.SCALARS, ids=str)
def test_numpy_has_the_same_size(d):
    assert d.np.itemsize == d.bytes
    assert dtypes.from_numpy(d.np) == d


def test_kinds_against_numpy_and_ml_dtypes():
    for d in dtypes.SCALARS:
        if d.is_int:
            info = np.iinfo(d.np)
            assert (d.min, d.max) == (info.min, info.max)
        if d.is_float:
            assert ml_dtypes.finfo(d.np).bits == d.bits


@pytest.mark.parametrize(
    "t",
    [
        dtypes.bf16,
        VecType(dtypes.f32, 16),
        PtrType(dtypes.f8e4m3fnuz, "global"),
        TensorType(dtypes.i32, (None, 4, 8), (None, 8, 1), "shared"),
        TensorType(dtypes.f32, (), (), "local"),
    ],
    ids=str,
)
def test_types_read_back(t):
    assert parse_type(str(t)) == t


def test_no_such_type():
    with pytest.raises(ValueError, match="no type"):
        parse_type("vector<4>")


@pytest.mark.parametrize("t", [u32, VecType(f32, 4), PtrType(f32, GLOBAL), TensorType(f32, (None, 4), (4, 1), SHARED),
                               MapType(f32, (4, 4), nan=True)], ids=str)
def test_equal_types_are_one_object(t):
    assert pickle.loads(pickle.dumps(t)) is t and copy.deepcopy(t) is t and parse_type(str(t)) is t
    assert dataclasses.replace(t) is t if t is not u32 else DType("u32", "uint", 32) is t
