"""Where a product on AMD goes: matrices come in; their lines, the tile and the split of K, as the kernel takes them,
go out."""

from __future__ import annotations

from typing import Any, NamedTuple

import avelang.language as al
from avelang import argument_error
from avelang_kernels.arrays import named, product_dtypes
from avelang_kernels.matmul.lines import Lines, line_up
from avelang_kernels.matmul.mi300_rule import choose, group_of
from avelang_kernels.matmul.mi300_tiles import CHUNK_BYTES, LARGE, STEP_BYTES, STREAM, GemmPlace, tiles_of

OUT_OF_RANGE = 1 << 31  # an offset, in bytes, that is out of every range


def dtypes(a: Any, b: Any, out: Any) -> tuple[Any, Any]:
    """The dtypes of A and of C. Raises TypeError for what there is no product of."""
    one, two = named(a), named(b)
    return product_dtypes(one, two, ("int32" if one == "int8" else "float32") if out is None else named(out))


def name_of(to: Any) -> str:
    """The name of a dtype of sums."""
    return "int32" if to == al.i32 else "float32"


def dtype_of_bias(bias: Any, dtype: Any, n: int, activation: Any) -> Any:
    """The dtype of a bias, None without one. Raises ValueError or TypeError (L066) for a product that can have none,
    and for what does not fit."""
    if dtype.is_int and not (bias is None and activation is None):
        raise argument_error("bias and activation are for floats")
    if bias is None:
        return None
    found = {"bfloat16": al.bf16, "float16": al.f16, "float32": al.f32}.get(named(bias))
    if tuple(bias.shape) != (n,) or found not in (dtype, al.f32):
        raise argument_error(f"bias is {tuple(bias.shape)} of {named(bias)}: it must be {(n,)}, of {dtype} or f32")
    return found


def place_of(dtype: Any, sizes: tuple[int, int, int], gpu: tuple[str, int], size: int, least: int, spare: int,
             tile: Any, split: Any) -> GemmPlace:  # fmt: skip
    """The place that the model chooses, with a tile or a split that is given."""
    (m, n, k), (chip, units) = sizes, gpu
    kind = "f8" if dtype.name.startswith("f8") else dtype.name
    found = choose(m, n, k, kind, chip, units, size, least, spare)
    if tile is None and split is None:
        return found
    steps = max(1, -(-k * dtype.bytes // STEP_BYTES))
    own = tile or found.tile
    split = (found.split if tile is None else least) if split is None else split
    runs = min(units, tiles_of(own, m, n) * steps) if split == STREAM else 0
    parts = split if split == STREAM else min(max(split, least), steps)
    return GemmPlace(own, parts, runs, group_of(own, m, n, units // found.dies), found.dies)


class Placed(NamedTuple):
    """A product as the kernel takes it: A, B and C; elements that a lane loads at once of A and of B; dtypes; tile and
    split; whether four neighbors of C may be stored at once."""

    a: Lines
    b: Lines
    c: Lines
    each: tuple[int, int]
    dtype: Any
    to: Any
    place: GemmPlace
    wide: bool

    @property
    def turned(self) -> tuple[bool, bool]:
        """True for operands whose lines are columns."""
        return self.a.turned, self.b.turned


def placed(a: Any, b: Any, result: Any, gpu: tuple[str, int], tile: Any = None, split: Any = None) -> Placed | None:
    """The product of matrices as the kernel takes it on a chip with so many units; None where copies come before it.
    `tile`: a tile or a whole place, in the stead of the model's. Raises ValueError for lines that are too long."""
    (m, k), n = a.shape, b.shape[0]
    dtype, to = dtypes(a, b, result)
    size, A, B, C = dtype.bytes, line_up(a), line_up(b), line_up(result)
    # Elements of one byte are not transposed on their way.
    if A is None or B is None or C is None or C.turned or (size == 1 and (A.turned or B.turned)):
        return None
    given = tile.tile if isinstance(tile, GemmPlace) else tile or LARGE
    high, far = max(given.m, given.n), [x.ld * size for x in (A, B) if not x.turned]
    if high * max(*far, C.ld * to.bytes, 0) > OUT_OF_RANGE:
        raise argument_error(f"lines of {A.ld}, {B.ld} and {C.ld} elements: {high} of them must fit in "
                             f"{OUT_OF_RANGE >> 30} GiB")  # fmt: skip
    each = A.each(m if A.turned else k, size), B.each(n if B.turned else k, size)
    wide = n % 4 == 0 and C.ld % 4 == 0 and C.address % (4 * to.bytes) == 0
    if isinstance(tile, GemmPlace):
        return Placed(A, B, C, each, dtype, to, tile, wide)
    # What is transposed on its way, or comes in many loads, takes more registers.
    spare = 64 if min(each) * size < CHUNK_BYTES else 8 * (A.turned or B.turned)
    # Offsets along K, of columns, are within a part of K.
    step = STEP_BYTES // size
    least = max([-(-k * x.ld * size // (OUT_OF_RANGE - 4 * step * x.ld * size)) for x in (A, B) if x.turned] + [1])
    place = place_of(dtype, (m, n, k), gpu, to.bytes, least, spare, tile, split)
    return Placed(A, B, C, each, dtype, to, place, wide)
