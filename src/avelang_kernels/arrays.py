"""What wrappers of kernels ask of arrays: an array of NumPy, torch or JAX comes in, the name of its dtype and the
language's own go out."""

from __future__ import annotations

import functools
import math
import sys
from typing import Annotated, Any, NamedTuple

import avelang.language as al
from avelang import Want, argument_error, at_least

DTYPES: dict[str, Any] = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32}


# What products on the tile level take and make: floats are summed up in f32, i8 in i32.
FLOATS: dict[str, Any] = {
    "bfloat16": al.bf16, "float16": al.f16, "float8_e4m3fn": al.f8e4m3fn, "float8_e5m2": al.f8e5m2,
    "float8_e4m3fnuz": al.f8e4m3fnuz, "float8_e5m2fnuz": al.f8e5m2fnuz, "float32": al.f32,
}  # fmt: skip
INTEGERS: dict[str, Any] = {"int8": al.i8}
SUMS: dict[str, Any] = {"int32": al.i32}


def product_dtypes(one: str, two: str, three: str) -> tuple[al.DType, al.DType]:
    """The dtypes of A and of C by the names of those of A, B and C. Raises L066 for what no product has."""
    taken, made = (FLOATS, DTYPES) if one in FLOATS else (INTEGERS, SUMS)
    if one not in taken or one != two or three not in made:
        said = f"a is of {one}, b of {two}, out of {three}"
        raise argument_error(f"{said}: a and b are both of one of {[*FLOATS, *INTEGERS]}, out of {[*made]}")
    return taken[one], made[three]


def _shape(x: Any) -> tuple[int, ...] | None:
    """Of an array; None where there is none."""
    shape: Any = getattr(x, "shape", None)
    try:
        return tuple(shape) if hasattr(x, "dtype") and not isinstance(x, type) else None
    except TypeError:
        return None


def _array(dimensions: int) -> Want:
    def said(x: Any) -> str:
        shape = _shape(x)
        return "" if shape is None else f"one of shape {shape}"

    def hint(x: Any) -> str:
        shape = _shape(x)
        if shape is None or not len(shape) > dimensions == 2:
            return ""
        return f"x.reshape(-1, {shape[-1]}) makes rows of all that is before the last dimension"

    words = f"an array of {dimensions} dimension{'s' * (dimensions > 1)}, of NumPy, torch or JAX"
    return Want(lambda x: len(_shape(x) or ()) == dimensions, words, said, hint)


# What wrappers say of their parameters, for `avelang.takes`.
_ARRAYS = {n: _array(n) for n in (1, 2, 3, 4)}
Vector = Annotated[Any, _ARRAYS[1]]
Matrix = Annotated[Any, _ARRAYS[2]]
Cube = Annotated[Any, _ARRAYS[3]]
Batch = Annotated[Any, _ARRAYS[4]]
Count = Annotated[int, at_least(0)]
Positive = Annotated[int, at_least(1)]


def named(x: Any) -> str:
    """The name of an array's dtype, as NumPy and torch have it: "bfloat16"."""
    return str(getattr(x.dtype, "name", x.dtype)).split(".")[-1]


def check(**given: tuple[Any, int]) -> None:
    """Checks that each argument, by its name, is an array of that many dimensions. Raises L066."""
    for name, (x, dimensions) in given.items():
        wanted = _ARRAYS[dimensions]
        if not wanted.fits(x):
            raise argument_error(f"{name} must be {wanted.words}, not {wanted.said(x)}", wanted.hint(x))


def check_gemm(a: Any, b: Any, out: Any, T: Any) -> tuple[int, int, int]:
    """m, n and k of C = A @ B^T, where all fits: b is (n, k), or preshuffled for a block with that pipeline. Raises
    L066."""
    arranged = T is not None and T.pipeline == "preshuffled"
    if not arranged:
        check(b=(b, 2))
    (m, k), n = a.shape, out.shape[1]
    if out.shape[0] != m or (tuple(b.shape) != (n, k) and not (arranged and len(b.shape) != 2)):
        raise argument_error(
            f"a is {tuple(a.shape)}, b is {tuple(b.shape)}, out is {tuple(out.shape)}: C = A @ B^T of (m, k) and (n, "
            f"k) is (m, n)"
        )
    return m, n, k


class ArrayLike(NamedTuple):
    """Shape and dtype of an array: what checks and launches depend on, beside its memory."""

    shape: Any
    dtype: Any


def is_torch(x: Any) -> bool:
    """True for torch's tensors, and those of classes that are made of its class."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def on_cpu(x: Any) -> bool:
    """True for an array that the CPU reads."""
    from avelang import tile  # imports NumPy, which code for a GPU is compiled without

    return tile.on_cpu(x)


def on_gpu(x: Any) -> bool:
    """True where kernels of a GPU read an array."""
    return not on_cpu(x)


def on_chip(x: Any, target: str | None) -> dict[str, Any]:
    """Options of a launch where an array is."""
    return {"target": target, **({"backend": "cpu"} if on_cpu(x) else {})}


def dtype_of(like: Any, name: str) -> Any:
    """The dtype of a name, as the library of an array has it."""
    if is_torch(like):
        return getattr(sys.modules["torch"], name)
    import ml_dtypes as ml_dtypes  # NumPy does not know the names of narrow floats before
    import numpy as np  # takes longer to import than the kernel to compile

    return np.dtype(name)


def new(like: Any, shape: tuple[int, ...], dtype: Any = None) -> Any:
    """A new array where `like` is, without gaps, with anything in it. dtype: a name, or one of its library's; by
    default that of `like`."""
    kind = like.dtype if dtype is None else dtype_of(like, dtype) if isinstance(dtype, str) else dtype
    if hasattr(like, "new_empty"):
        return like.new_empty(shape, dtype=kind)
    import numpy as np  # takes longer to import than the kernel to compile

    return np.empty(shape, kind)


def filled(like: Any, shape: tuple[int, ...], value: float, dtype: Any = None) -> Any:
    """`new`, with one value everywhere."""
    made = new(like, shape, dtype)
    made[...] = value
    return made


def cast(x: Any, dtype: Any) -> Any:
    """An array in another dtype, by name or as its library has it: itself where it is that."""
    kind = dtype_of(x, dtype) if isinstance(dtype, str) else dtype
    return x if x.dtype == kind else x.to(kind) if is_torch(x) else x.astype(kind)


@functools.cache
def _multiprocessors(device: Any) -> int:
    return sys.modules["torch"].cuda.get_device_properties(device).multi_processor_count


def multiprocessors(x: Any, other: int = 132) -> int:
    """Multiprocessors of the GPU that an array is on; `other` elsewhere, by default an H100's or H200's."""
    if is_torch(x):
        return _multiprocessors(x.device) if x.is_cuda else other
    if on_cpu(x):
        return other
    from avelang import tile  # as above

    return tile.device_of(x)[1] or other


def strides_of(x: Any) -> tuple[int, ...]:
    """Elements from one place to the next along each dimension; those of rows one after another where an array does not
    say (JAX)."""
    if hasattr(x, "stride"):
        return tuple(x.stride())
    if hasattr(x, "strides"):
        return tuple(s // x.itemsize for s in x.strides)
    return tuple(math.prod(x.shape[i + 1 :]) for i in range(len(x.shape)))


def whole(x: Any) -> bool:
    """True for an array whose elements follow one another without gaps."""
    asked = getattr(x, "is_contiguous", None)  # of torch's tensors
    if asked is not None:
        return bool(asked())
    flags = getattr(x, "flags", None)
    return True if flags is None else bool(flags["C_CONTIGUOUS"])


def copied(x: Any) -> Any:
    """A copy without gaps."""
    if is_torch(x):
        return x.clone(memory_format=sys.modules["torch"].contiguous_format)
    return x.copy(order="C")


def strided(x: Any, shape: tuple[int, ...], steps: tuple[int, ...]) -> Any:
    """An array's memory, from its first element on, with another shape and strides, in elements."""
    if hasattr(x, "as_strided"):
        return x.as_strided(shape, steps)
    import numpy as np  # takes longer to import than the kernel to compile

    size, flags = x.itemsize, getattr(x, "flags", None)
    written = flags is None or flags.writeable
    words = x.view(f"u{size}")  # NumPy's array interface has no word for some dtypes of ml_dtypes, such as float8_e5m2
    made = np.lib.stride_tricks.as_strided(words, shape, tuple(s * size for s in steps), writeable=written)
    return made.view(x.dtype)


def span_of(x: Any, steps: tuple[int, ...] | None = None) -> int:
    """Elements from an array's first to its last; 0 for one without gaps. Strides are 0 or more."""
    shape, steps, step = tuple(x.shape), strides_of(x) if steps is None else steps, 1
    if 0 in shape:
        return 0
    for n, s in zip(shape[::-1], steps[::-1], strict=True):
        if n != 1 and s != step:
            return 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
        step *= n
    return 0


def spanned(x: Any, steps: tuple[int, ...] | None = None) -> Any:
    """The memory from an array's first element to its last, without gaps, as kernels with pointers take it: itself
    where that is so. Strides are 0 or more."""
    span = span_of(x, steps)
    return strided(x, (span,), (1,)) if span else x


def flattened(x: Any) -> Any:
    """`spanned`, of one dimension always."""
    found = spanned(x)
    return found if len(found.shape) == 1 else found.reshape(-1)


def off_16(*tensors: Any) -> bool:
    """True where one of the arrays on a GPU begins at no multiple of 16 bytes: kernels may not read it, or write it, as
    it is."""
    places = 0
    for x in tensors:
        places |= address(x)
    return bool(places & 15) and on_gpu(tensors[0])


def on_16(x: Any) -> Any:
    """An array that kernels of its device may read: a copy where it is `off_16`."""
    return x if not off_16(x) else x.clone() if is_torch(x) else x.copy()


def address(x: Any) -> int:
    """The place of an array's first element, in bytes; 0 where it does not say (JAX)."""
    return x.data_ptr() if hasattr(x, "data_ptr") else x.ctypes.data if hasattr(x, "ctypes") else 0
