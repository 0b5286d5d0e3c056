"""`avelang.testing`: what it makes is what it says, and what is off is found."""

from __future__ import annotations

import numpy as np
import pytest
from tests.runtime import cuda, rocm

from avelang import testing
from avelang.base.errors import ArgumentError, AveError


def test_gpus_are_those_of_the_drivers(monkeypatch):
    cuda.Machine(monkeypatch)
    assert testing.has_cuda() and testing.has_cuda_nvidia()
    cuda.Machine(monkeypatch, count=0)
    assert not testing.has_cuda_nvidia()
    rocm.Machine(monkeypatch)
    assert testing.has_rocm() and testing.has_cuda()


@pytest.mark.parametrize("dtype", ["f32", "bf16", "float16", "f8e4m3fn", "int32", "uint8", "bool"])
def test_random_arrays_repeat_and_poison_is_no_number(dtype):
    x, y, z = (testing.random((5, 7), dtype, seed=s) for s in (1, 1, 2))
    assert x.shape == (5, 7) and x.tobytes() == y.tobytes() != z.tobytes()
    bad = testing.poisoned((5, 7), dtype)
    assert bad.dtype == x.dtype and (np.isnan(bad.astype(np.float64)).all() or (bad == bad[0, 0]).all())
    with pytest.raises(AssertionError, match="elements are off"):
        testing.assert_close(bad, x)


def test_arrays_of_torch():
    torch = pytest.importorskip("torch")
    x = testing.poisoned((3, 4), "bfloat16", device="meta")
    assert isinstance(x, torch.Tensor) and x.dtype == torch.bfloat16
    one = torch.ones(3, dtype=torch.bfloat16)
    testing.assert_close(one, np.ones(3))
    with pytest.raises(AssertionError, match=r"1 of 3 elements are off; the worst at \(1,\) is 1.0, and 2.0 is wanted"):
        testing.assert_close(one, np.array([1.0, 2.0, 1.0]))


def test_close_is_by_dtype_and_exact_for_integers():
    want = np.random.default_rng(0).standard_normal((20, 30))
    testing.assert_close(want.astype(np.float32), want)
    with pytest.raises(AssertionError, match="bound"):
        testing.assert_close((want + 0.01).astype(np.float32), want)
    testing.assert_close((want + 0.01).astype(np.float32), want, tolerance=0.1)
    assert (
        testing.tolerance("bf16") > testing.tolerance("f32") > testing.tolerance(np.float64) > testing.tolerance("i32")
    )
    with pytest.raises(AssertionError, match="must be equal"):
        testing.assert_close(np.arange(4), np.array([0, 1, 2, 4]))
    with pytest.raises(AssertionError, match=r"is \(3,\), and \(4,\) is wanted"):
        testing.assert_close(np.zeros(3), np.zeros(4))


def test_nan_and_infinity_stand_where_they_are_wanted():
    special = np.array([np.nan, np.inf, 1.0])
    testing.assert_close(special, special)
    for wrong in ([0.0, np.inf, 1.0], [np.nan, -np.inf, 1.0], [np.nan, np.inf, np.nan]):
        with pytest.raises(AssertionError, match="1 of 3"):
            testing.assert_close(np.array(wrong), special)


def test_bad_arguments():
    with pytest.raises(ArgumentError, match="dtype is 'float7'"):
        testing.random((3,), "float7")


def test_numbers_whose_squares_are_beyond_f64_are_compared():
    with pytest.raises(AssertionError, match="1 of 2 elements"):
        testing.assert_close(np.array([1e200, 2e200]), np.array([1e200, 1e200]))
    testing.assert_close(np.array([1e-200, 3e-200]), np.array([1e-200, 3e-200]))
    with pytest.raises(AssertionError, match="2 of 2 elements"):
        testing.assert_close(np.array([2e-200, 6e-200]), np.array([1e-200, 3e-200]))


def test_what_may_be_compared():
    testing.assert_close([1.0, 2.0], (1.0, 2.0))
    testing.assert_close(np.uint64([5, 7]), np.uint64([6, 7]), tolerance=0.5)
    with pytest.raises(AssertionError):
        testing.assert_close(np.uint64([5, 7]), np.uint64([6, 7]), tolerance=0.1)
    with pytest.raises(AveError, match="L066.*complex128.*real and imaginary parts"):
        testing.assert_close(np.array([1 + 1j]), np.array([1 + 2j]))
    with pytest.raises(AveError, match="L066.*shape is 3: it must be a tuple"):
        testing.random(3)  # type: ignore[arg-type]
