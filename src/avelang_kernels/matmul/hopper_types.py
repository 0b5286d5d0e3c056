"""Types of Hopper's GEMM: those of A and B come in; the instruction that multiplies them, the type of its sums and
those that C may have go out.

A stage of the ring has 128 bytes of K, whatever the type: so much more or less of K is in it. Operands of 1 and 4 bytes
are K-major only: `wgmma` has no other form of them (PTX ISA 9.0, 9.7.15.5.1.2, "tnspA, tnspB")."""

from __future__ import annotations

import functools
import math
from numbers import Real
from typing import Annotated, Any, NamedTuple

import avelang.language as al
from avelang import Want, argument_error
from avelang_kernels.arrays import address, named, spanned, strides_of
from avelang_kernels.matmul.hopper_tiles import GemmTile, integer_width

FP8 = {"float8_e4m3fn": (al.f8e4m3fn, "e4m3"), "float8_e5m2": (al.f8e5m2, "e5m2")}
INT8 = {"int8": (al.i8, "i8"), "uint8": (al.u8, "u8")}
OUT: dict[str, Any] = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32, "int32": al.i32}
NAMES = {dtype: name for name, dtype in OUT.items()}


class Product(NamedTuple):
    """A pair of types: `a` and `b`, `mma` the end of the name of the `al.nvvm.wgmma_` row, `sums` the type of its
    accumulators, and `outs` the types that C may have, the usual one first."""

    a: Any
    b: Any
    mma: str
    sums: Any
    outs: tuple[Any, ...]

    @property
    def step(self) -> int:
        """Elements along K of a stage: 128 bytes."""
        return 128 // self.a.bytes

    @property
    def swapped(self) -> Product:
        """B times A, for tiles of C^T."""
        return products()[self.b, self.a]


@functools.cache
def products() -> dict[tuple[Any, Any], Product]:
    """Every pair of dtypes that `wgmma` multiplies, by (type of A, type of B); f32 is multiplied as TF32."""
    found = [Product(d, d, f"{d}_f32", al.f32, (d, al.f32)) for d in (al.bf16, al.f16)]
    found.append(Product(al.f32, al.f32, "tf32_f32", al.f32, (al.f32, al.bf16, al.f16)))
    for group, sums, outs in (
        (FP8, al.f32, (al.bf16, al.f16, al.f32)),
        (INT8, al.i32, (al.i32, al.f32, al.bf16, al.f16)),
    ):
        for x, one in group.values():
            for y, two in group.values():
                pair = one if one == two else f"{one}_{two}"
                found.append(Product(x, y, f"{pair}_{sums}", sums, outs))
    return {(p.a, p.b): p for p in found}


DTYPES: dict[str, Any] = {
    "bfloat16": al.bf16, "float16": al.f16, "float32": al.f32, **{k: v[0] for k, v in (FP8 | INT8).items()}
}  # fmt: skip


def product_of(a: Any, b: Any) -> Product:
    """The product of two arrays. Raises TypeError (L066) where `wgmma` has none."""
    one, two = DTYPES.get(named(a)), DTYPES.get(named(b))
    if one is None:
        raise argument_error(f"a is of {a.dtype}; here it must be of {', '.join(DTYPES)}")
    found = products().get((one, two))
    if found is None:
        others = " or ".join(str(y) for x, y in products() if x == one)
        raise argument_error(f"b is of {b.dtype}; here it must be of {others}, as a is of {a.dtype}")
    return found


def dtype_of_out(product: Product, out: Any, dtype: Any, usual: Any) -> Any:
    """The type of C: that of `out`, or what `dtype` (of NumPy, torch or Ave, or a name) asks for, or the usual one.
    Raises TypeError (L066) where this product cannot have it."""
    if dtype is not None:
        asked = str(getattr(dtype, "name", getattr(dtype, "__name__", dtype))).split(".")[-1]
        found = OUT.get(asked) or next((d for d in NAMES if d.name == asked), None)
    else:
        found = usual if out is None else OUT.get(named(out))
    if found not in product.outs:
        words = " or ".join(map(str, product.outs))
        said = f"dtype is {dtype}; here it must be" if out is None else f"out is of {out.dtype}; here it must be of"
        raise argument_error(f"{said} {words}")
    if out is not None and OUT.get(named(out)) != found:
        raise argument_error(f"out is of {out.dtype}, but dtype asks for {dtype}")
    return found


def one_number(x: Any) -> bool:
    """True for a number of Python's or NumPy's, and for an array of one f32, of any dimensions."""
    if isinstance(x, (bool, Real)):
        return not isinstance(x, bool)
    return _f32(x) and math.prod(x.shape) == 1


def _f32(x: Any) -> bool:
    return hasattr(x, "reshape") and not isinstance(x, type) and named(x) == "float32"


Scale = Annotated[Any, Want(lambda x: x is None or one_number(x) or _f32(x), "a number, or an array of float32")]
# Scales in memory: how many numbers; or for each operand 1 where it has one for each row, 2 where these are pairs side
# by side, and 0.
Scaled = int | tuple[int, int] | None


def vector_of(x: Any, rows: int, name: str) -> tuple[Any, int]:
    """The memory of an operand's scales, and their stride: one for each of its rows, or one for all. Raises ValueError
    (L066)."""
    shape = tuple(x.shape)
    if math.prod(shape) == 1:
        return x, 0
    if max(shape) != rows or math.prod(shape) != rows or len(shape) > 2:
        raise argument_error(f"{name} is {shape}: it must be one number, or {(rows,)}, one for each row of {name[-1]}")
    axis = shape.index(rows)
    return spanned(x), strides_of(x)[axis]


def kind_of(x: Any, step: int, rows: int) -> int:
    """2 for scales that may be read in pairs, else 1."""
    return 2 if step == 1 and rows % 2 == 0 and address(x) % 8 == 0 else 1


def scales(a: Any, b: Any, needed: bool, rows: tuple[int, int] = (1, 1),
           ended: bool = False) -> tuple[Scaled, tuple[Any, ...]]:  # fmt: skip
    """The scales that a kernel reads from the memory of the device, and its arguments: the product of the numbers that
    are not in memory, then those that are, of operands with so many rows. None where no sum is scaled. `ended`: a bias
    or an activation comes behind them, which kernels have where there may be scales for each row."""
    if a is None and b is None and not needed:
        return None, ()
    found = [None if x is None or isinstance(x, Real) else x for x in (a, b)]
    # A float: of an int for f32 the launcher asks anew each time.
    factor = float(math.prod(float(x) for x in (a, b) if isinstance(x, Real)))
    if not ended and all(x is None or math.prod(x.shape) == 1 for x in found):
        arrays = [x.reshape(1) for x in found if x is not None]
        return len(arrays), (factor, *arrays)
    names = "scale_a", "scale_b"
    pairs = [(None, 0) if x is None else vector_of(x, n, name) for x, n, name in zip(found, rows, names, strict=True)]
    one, two = (0 if x is None else kind_of(x, step, n) for (x, step), n in zip(pairs, rows, strict=True))
    steps = (None if x is None else step for x, step in pairs)
    return (one, two), (factor, *(x for x, _ in pairs), *steps)


def odd_width(tile: GemmTile, product: Product) -> str:
    """Why there is no `wgmma` of a tile's width for a product, or ""."""
    if product.sums == al.i32 and not integer_width(tile.n):
        return "n must be a multiple of 16 for integers"
    return ""
