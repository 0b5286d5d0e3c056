"""A user's arrays come in; copies of the same shapes, strides and dtypes for a tuner go out: filled with random
numbers, poisoned, and compared.

NumPy's arrays (ml_dtypes' too), torch's and CuPy's, on the CPU and on GPUs. The user's own are never written to."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from avelang.base.errors import error

POISON = 0x5A  # each byte of an integer that nothing has written yet
_ROWS = 1 << 24  # elements that are compared at a time
# Greatest difference, by the root of the mean square of what is wanted: bf16 and f16 round each result by 1/512 and
# 1/2048 of itself at the most, and the greatest of many is some five times that root.
TOLERANCE = {"float64": 1e-9, "float32": 1e-3, "float16": 0.03, "bfloat16": 0.03}
NARROW = 0.5  # of fp8 and narrower, whose steps are 1/8 to 1/4


def library(x: Any) -> str:
    """The library of an array: "numpy", "torch", "cupy", or "other"; "" for what is no array."""
    if isinstance(x, np.ndarray):
        return "numpy"
    for name, kind in (("torch", "Tensor"), ("cupy", "ndarray")):
        found = getattr(sys.modules.get(name), kind, None)
        if found is not None and isinstance(x, found):
            return name
    array = any(hasattr(type(x), n) for n in ("__dlpack__", "__cuda_array_interface__", "__array_interface__"))
    return "other" if array and not isinstance(x, np.generic) else ""


def check(x: Any) -> None:
    """Raises L073 for an array that cannot be copied, poisoned and compared here."""
    if library(x) == "other":
        module = type(x).__module__.partition(".")[0]
        why = f"arrays of {module} cannot be copied, poisoned and compared here: pass NumPy's, torch's or CuPy's"
        raise error("L073", name="a call", why=why)


def is_array(x: Any) -> bool:
    """True for an array, of whichever library."""
    return bool(library(x))


def dtype_name(x: Any) -> str:
    """The dtype in NumPy's words, such as "bfloat16"."""
    return str(x.dtype).rpartition(".")[2]


def strides(x: Any) -> tuple[int, ...]:
    """The strides in elements; () for an array without gaps, row-major, and where a library does not tell them."""
    kind = library(x)
    if kind == "torch":
        found = tuple(x.stride())
    elif kind in ("numpy", "cupy"):
        found = tuple(s // x.dtype.itemsize for s in x.strides)
    else:
        return ()
    step, plain = 1, True
    for extent, stride in zip(reversed(x.shape), reversed(found), strict=True):
        plain = plain and (extent == 1 or stride == step)
        step *= extent
    return () if plain or 0 in x.shape else found


def is_float(x: Any) -> bool:
    """True for floats of any width."""
    name = dtype_name(x)
    return "float" in name and "complex" not in name


def like(x: Any) -> Any:
    """New memory with the shape, the strides, the dtype, the device and the alignment of an array, undefined."""
    if library(x) == "torch":
        torch = sys.modules["torch"]
        return torch.empty_strided(tuple(x.shape), tuple(x.stride()), dtype=x.dtype, device=x.device)
    if library(x) == "cupy":
        cupy = sys.modules["cupy"]
        low, size = _extent(x)
        raw = cupy.empty(size, cupy.uint8)
        memory = cupy.cuda.MemoryPointer(raw.data.mem, raw.data.ptr - raw.data.mem.ptr + low)
        return cupy.ndarray(x.shape, x.dtype, memory, x.strides)
    low, size = _extent(x)
    room = np.empty(size + 256, np.uint8)
    start = (x.ctypes.data - low - room.ctypes.data) % 128
    return np.ndarray(x.shape, x.dtype, room, start + low, x.strides)


def _extent(x: Any) -> tuple[int, int]:
    """Bytes before the first element, by negative strides, and of all of them."""
    reach = [(n - 1) * s for n, s in zip(x.shape, x.strides, strict=True)] if 0 not in x.shape else []
    low, high = -sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    return low, low + high + x.dtype.itemsize


def copy(x: Any) -> Any:
    """A copy with the same strides."""
    made = like(x)
    assign(made, x)
    return made


def assign(to: Any, x: Any) -> None:
    """Copies elements."""
    if library(to) == "torch":
        to.copy_(x)
    else:
        to[...] = x


def random(x: Any, seed: int) -> None:
    """Fills an array with normal random numbers, in place."""
    if library(x) == "torch":
        torch = sys.modules["torch"]
        generator = torch.Generator(device=x.device).manual_seed(seed)
        wide = torch.randn(tuple(x.shape), generator=generator, device=x.device, dtype=torch.float32)
        x.copy_(wide.to(x.dtype))
        return
    xp = sys.modules["cupy"] if library(x) == "cupy" else np
    rng = xp.random.default_rng(seed)
    x[...] = rng.standard_normal(x.shape, dtype=xp.float32).astype(x.dtype)


def poison(x: Any, byte: int = POISON) -> None:
    """Fills an array with what no kernel should leave there: NaN, or bytes of that value."""
    if is_float(x):
        _fill(x, math.nan)
    elif dtype_name(x) == "bool":
        _fill(x, byte == POISON)
    else:
        size = x.dtype.itemsize
        signed = not dtype_name(x).startswith("uint")
        _fill(x, int.from_bytes(bytes([byte]) * size, "little", signed=signed))


def _fill(x: Any, value: Any) -> None:
    if library(x) == "torch":
        x.fill_(value)
    else:
        x[...] = value


def tolerance(x: Any) -> float:
    """The greatest difference that results of a dtype may have, relative to the root of the mean square."""
    return TOLERANCE.get(dtype_name(x), NARROW if is_float(x) else 0.0)


def difference(got: Any, want: Any) -> float:
    """The greatest difference of two arrays, relative to the root of the mean square of `want`; of integers and bools,
    the share of elements that differ. Infinity where the shapes differ, or where one has a NaN or an infinity that the
    other has not."""
    if tuple(got.shape) != tuple(want.shape):
        return math.inf
    if 0 in got.shape:
        return 0.0
    if not got.shape:
        got, want = got.reshape(1), want.reshape(1)
    worst, square, count = 0.0, 0.0, 0
    step = max(1, _ROWS // max(1, math.prod(got.shape[1:])))
    for first in range(0, got.shape[0], step):
        part = _compared(got[first : first + step], want[first : first + step])
        if part is None:
            return math.inf
        worst, square, count = max(worst, part[0]), square + part[1], count + part[2]
    if not is_float(got):
        return square / count
    return worst / math.sqrt(square / count) if square else (0.0 if worst == 0 else math.inf)


def _compared(got: Any, want: Any) -> tuple[float, float, int] | None:
    """(greatest difference, sum of squares of what is wanted, elements); of integers (1 or 0, elements that differ,
    elements). None where infinities or NaNs differ."""
    count = math.prod(got.shape)
    if not is_float(got):
        differ = int((got != _moved(want, got)).sum())
        return float(differ > 0), float(differ), count
    if library(got) == "torch":
        torch: Any = sys.modules["torch"]
        g, w = got.double(), _moved(want, got).double()
        finite = torch.isfinite(w)
    else:
        torch = sys.modules["cupy"] if library(got) == "cupy" else np
        g, w = got.astype(np.float64), _moved(want, got).astype(np.float64)
        finite = torch.isfinite(w)
    odd = ~finite
    if bool((torch.isfinite(g) != finite).any()):
        return None
    if bool(odd.any()):
        same = (g == w) | (torch.isnan(g) & torch.isnan(w))
        if not bool(same[odd].all()):
            return None
        g, w = g[finite], w[finite]
    if not math.prod(g.shape):
        return 0.0, 0.0, count
    return float(abs(g - w).max()), float((w * w).sum()), count


def _moved(want: Any, got: Any) -> Any:
    """`want` in the library, and on the device, of `got`."""
    mine, theirs = library(got), library(want)
    if mine == "torch":
        torch = sys.modules["torch"]
        if theirs == "torch":
            return want.to(got.device)
        want = np.asarray(want)
        plain = want.astype(np.float64) if is_float(want) else want
        return torch.from_numpy(np.ascontiguousarray(plain)).to(got.device)
    if theirs == "torch":
        want = (want.double() if is_float(want) else want).cpu().numpy()
    if mine == "cupy" and theirs != "cupy":
        return sys.modules["cupy"].asarray(want)
    return want


def device(x: Any) -> str:
    """The place of an array: "cpu", or "cuda:0" and the like, "rocm:0" for torch built for ROCm."""
    kind = library(x)
    if kind == "torch":
        place = x.device
        if place.type == "cpu":
            return "cpu"
        torch = sys.modules["torch"]
        name = "rocm" if getattr(torch.version, "hip", None) else "cuda"
        return f"{name}:{place.index or 0}"
    if kind == "cupy":
        return f"cuda:{x.device.id}"
    if kind == "other" and hasattr(x, "__dlpack_device__"):
        place, index = map(int, x.__dlpack_device__())
        return {2: f"cuda:{index}", 10: f"rocm:{index}"}.get(place, "cpu")
    return "cuda:0" if kind == "other" and hasattr(x, "__cuda_array_interface__") else "cpu"


def synchronize(x: Any) -> None:
    """Waits for the device of an array."""
    kind = library(x)
    if kind == "torch" and x.device.type != "cpu":
        sys.modules["torch"].cuda.synchronize(x.device)
    elif kind == "cupy":
        sys.modules["cupy"].cuda.runtime.deviceSynchronize()
