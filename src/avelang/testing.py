"""Help for tests of kernels: GPUs that this machine has, arrays of random numbers and poisoned ones, comparison.

from avelang import testing

x = testing.random((100, 64), "bfloat16", seed=1)      # NumPy; device="cuda" gives a torch tensor
y = testing.poisoned((100, 64), "float32")             # NaN: what a kernel forgets to write is found
kernel[grid](x, y)
testing.assert_close(y, x.astype(np.float64) * 2)      # within the tolerance of y's dtype"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from avelang.base.errors import AveError
from avelang.base.places import argument_error
from avelang.ir import dtypes
from avelang.tuning import trial_arrays

__all__ = ["assert_close", "has_cuda", "has_cuda_nvidia", "has_rocm", "poisoned", "random", "tolerance"]


def has_cuda() -> bool:
    """True where kernels run on a GPU of either vendor: torch calls both `cuda`."""
    return has_cuda_nvidia() or has_rocm()


def has_cuda_nvidia() -> bool:
    """True where kernels run on an NVIDIA GPU: its driver is found and shows one that Ave makes code for."""
    return _has("cuda")


def has_rocm() -> bool:
    """True where kernels run on an AMD GPU: HIP is found and shows one that Ave makes code for."""
    return _has("rocm")


def _has(kind: str) -> bool:
    from avelang.runtime.devices import DRIVERS

    try:
        return any(chip for _, _, chip in DRIVERS[kind].survey().devices)
    except AveError:
        return False


def random(shape: Sequence[int], dtype: str = "float32", *, device: str = "cpu", seed: int = 0) -> Any:
    """Normal random numbers (of integer dtypes, small whole ones), the same for a seed. `dtype`: a name of NumPy,
    ml_dtypes or Ave ("bfloat16", "bf16"). On the CPU a NumPy array; on another `device` a torch tensor there. Raises
    L066 for a dtype that does not exist, and for a device where torch is not imported."""
    out = _empty(shape, dtype, device)
    name = trial_arrays.dtype_name(out)
    if name == "bool" or not trial_arrays.is_float(out):
        low, high = (0, 2) if name == "bool" else (0 if name.startswith("u") else -8, 9)
        numbers = np.random.default_rng(seed).integers(low, high, tuple(shape))
        torch = sys.modules.get("torch")
        on_torch = trial_arrays.library(out) == "torch" and torch is not None
        trial_arrays.assign(out, torch.from_numpy(numbers) if on_torch else numbers)  # type: ignore[union-attr]
    else:
        trial_arrays.random(out, seed)
    return out


def poisoned(shape: Sequence[int], dtype: str = "float32", *, device: str = "cpu") -> Any:
    """An array that holds what no kernel should leave: NaN, of integer dtypes bytes of 0x5a. Arguments and errors as of
    `random`."""
    out = _empty(shape, dtype, device)
    trial_arrays.poison(out)
    return out


def _empty(shape: Sequence[int], dtype: str, device: str) -> Any:
    if not hasattr(shape, "__iter__"):
        raise argument_error(f"shape is {shape!r}: it must be a tuple of extents", f"of one dimension: ({shape},)")
    known = dtypes.BY_NAME.get(str(dtype))
    try:
        kind = known.np if known is not None else dtypes.from_numpy(np.dtype(dtype)) and np.dtype(dtype)
    except TypeError:
        kind = None
    if kind is None:
        raise argument_error(f"dtype is {dtype!r}: it must be one of Ave's ({', '.join(dtypes.BY_NAME)}) or of NumPy's")
    if device == "cpu":
        return trial_arrays.like(np.empty(tuple(shape), kind))
    torch = sys.modules.get("torch")
    if torch is None:
        raise argument_error(f"device is {device!r}: arrays there are torch's, and torch is not imported")
    return torch.empty(tuple(shape), dtype=getattr(torch, kind.name), device=device)


def tolerance(dtype: Any) -> float:
    """The greatest difference that results of a dtype (or of an array's) may have, by the root of the mean square of
    what is wanted: 1e-3 for f32, 0.03 for f16 and bf16, 0.5 for fp8, 0 for integers."""
    return trial_arrays.tolerance(dtype if trial_arrays.is_array(dtype) else _empty((1,), dtype, "cpu"))


def assert_close(got: Any, want: Any, *, tolerance: float | None = None, what: str = "result") -> None:
    """Raises AssertionError unless `got` is `want` within `tolerance`, by the root of the mean square of `want`
    (without one, that of `got`'s dtype; integers must be equal). NaN and infinities must stand where they are wanted.
    The message names the shape, how many elements are off, the worst of them and both values there."""
    got, want = (x if hasattr(x, "dtype") else np.asarray(x) for x in (got, want))
    most = trial_arrays.tolerance(got) if tolerance is None else tolerance
    one, two = _wide(got), _wide(want)
    if one.shape != two.shape:
        raise AssertionError(f"{what} is {one.shape}, and {two.shape} is wanted")
    if not one.size:
        return
    exact = not trial_arrays.is_float(got) and tolerance is None
    if not exact:  # of unsigned numbers a small difference may be a great one
        one, two = one.astype(np.float64), two.astype(np.float64)
    finite = np.isfinite(two)
    root = _root_mean_square(two[finite].astype(np.float64))
    with np.errstate(invalid="ignore"):
        apart = np.where(finite, np.abs(one - two), 0.0)
        same = (one == two) | (np.isnan(one) & np.isnan(two))
    apart = np.where(~finite | ~np.isfinite(one), np.where(same, 0.0, np.inf), apart)
    bad = ~same if exact else apart > most * root
    if not bad.any():
        return
    at = tuple(int(i) for i in np.unravel_index(int(np.argmax(np.where(bad, apart, -1.0))), one.shape))
    bound = "must be equal" if exact else f"bound {most * root:.3g}, which is {most:.3g} of the root mean square"
    raise AssertionError(
        f"{what} {one.shape}: {int(bad.sum())} of {bad.size} elements are off; the worst at {at} is "
        f"{one[at]}, and {two[at]} is wanted ({bound})"
    )


def _root_mean_square(x: np.ndarray) -> float:
    """Of numbers whose squares may be beyond f64; 0 of none."""
    most = float(np.abs(x).max(initial=0))
    return most * math.sqrt(float(np.mean(np.square(x / most)))) if most else 0.0


def _wide(x: Any) -> np.ndarray:
    """Of any library, as f64 (integers of 64 bits as they are). Raises L066 for complex numbers."""
    if trial_arrays.library(x) == "torch":
        torch = sys.modules["torch"]
        x = x.detach().cpu()
        x = x.to(torch.float64).numpy() if x.is_floating_point() else x.resolve_conj().numpy()
    elif trial_arrays.library(x) == "cupy":
        x = x.get()
    x = np.asarray(x)
    if x.dtype.kind == "c":
        raise argument_error(f"an array is of {x.dtype}: compare real and imaginary parts, one after the other")
    return x if x.dtype.kind in "iu" and x.dtype.itemsize == 8 else x.astype(np.float64)
