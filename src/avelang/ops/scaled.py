"""`ops.scaled_matmul` and `ops.quantize_fp8`: matrices of fp8 with scales, on the kernel of the arrays' chip.

| chip | kernel | dtypes |
| --- | --- | --- |
| sm_90, sm_90a | `hopper_gemm`; for blocks of K, and without `use_fast_accum`, `hopper_scaled` | as gfx950 |
| gfx942 | `tile_scaled` | e4m3fnuz, e5m2fnuz, any pair; i8 by rows |
| gfx950, sm_89, sm_100a | `tile_scaled` | e4m3, e5m2, any pair; i8 by rows |
| the CPU | `tile_scaled`, compiled for the CPU | all of these |
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from avelang import argument_error, tile
from avelang.base.takes import counted
from avelang.bridge import Array, no_kernel, op
from avelang.ops.matmul import check_array
from avelang.ops.sharding import of_quantized, of_scaled_product
from avelang_kernels.arrays import filled, is_torch, named, new, spanned, strides_of
from avelang_kernels.matmul import hopper_gemm, hopper_scaled, quantize, tile_scaled
from avelang_kernels.matmul.hopper_tiles import GemmTile
from avelang_kernels.matmul.storage import misplaced
from avelang_kernels.norm.lines import through, whole

OCP, FNUZ = ("float8_e4m3fn", "float8_e5m2"), ("float8_e4m3fnuz", "float8_e5m2fnuz")
KINDS = (OCP, FNUZ, ("int8",))
OUT = ("bfloat16", "float16", "float32")
BLOCK = 128
MOST_OF_INTEGERS = (1 << 17) - 1  # products of i8, up to 2^14, whose sum cannot pass 2^31 - 1


def _ceil(x: int) -> int:
    return -(-x // BLOCK)


def scale_kind(shape: tuple[int, ...], rows: int, k: int, name: str) -> tuple[int, bool]:
    """The rows that share a scale, 0 for all, and if scales differ along K, by the shape of the scales of an operand
    with so many rows, (rows, K). Raises L066 for another shape."""
    if math.prod(shape) == 1:
        return 0, False
    if len(shape) == 1 and shape[0] == rows:
        return 1, False
    if len(shape) == 2:
        high = {1: 0, _ceil(rows): BLOCK, rows: 1}.get(shape[0])
        wide = {_ceil(k): True, 1: False}.get(shape[1])
        if high is not None and wide is not None:
            return high, wide
    across, along = ("m", "k") if name == "scale_a" else ("n", "k")
    forms = [(1, 1), (rows, 1), (rows, _ceil(k)), (_ceil(rows), _ceil(k))]
    if name == "scale_b":
        forms, shape = [f[::-1] for f in forms], shape[::-1]
    raise argument_error(
        f"{name} is {shape}: with {across} of {rows} and {along} of {k} it must be one number, or of shape "
        f"{', '.join(map(str, forms[1:]))} (for the matrix, for each row, in blocks of 1 x {BLOCK}, of {BLOCK} x "
        f"{BLOCK})"
    )


def _shapes(a: Array, b: Array, scale_a: Array | None = None, scale_b: Array | None = None, bias: Array | None = None,
    *, out_dtype: str) -> Array:  # fmt: skip
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise argument_error(f"a is {a.shape} and b is {b.shape}: they must be (m, k) and (k, n)")
    (m, k), n = a.shape, b.shape[1]
    if not any(a.dtype in kind and b.dtype in kind for kind in KINDS):
        raise no_kernel(
            f"a is of {a.dtype} and b of {b.dtype}: both must be of {' or '.join(OCP)}, of {' or '.join(FNUZ)}, "
            "or of int8",
            "ops.quantize_fp8 makes values and scales of a matrix of floats",
        )
    if a.dtype == "int8" and isinstance(k, int) and k > MOST_OF_INTEGERS:
        raise argument_error(f"k is {k}: sums of int8 are kept in i32, which holds all of {MOST_OF_INTEGERS} products",
                             "split K, and add the products up")  # fmt: skip
    if out_dtype not in OUT:
        raise argument_error(f"out_dtype is {out_dtype}: it must be one of {OUT}")
    for name, x in (("scale_a", scale_a), ("scale_b", scale_b)):
        if x is not None and x.dtype != "float32":
            raise argument_error(f"{name} is of {x.dtype}: it must be of float32")
    along = False
    for name, x, rows in (("scale_a", scale_a, m), ("scale_b", scale_b, n)):
        if x is not None:
            along |= scale_kind(x.shape[::-1] if name == "scale_b" else x.shape, rows, k, name)[1]
    if along and a.dtype == "int8":
        raise no_kernel("a and b are of int8: their scales may be for a matrix or for each row, not for blocks of K")
    if bias is not None and (tuple(bias.shape) != (n,) or bias.dtype not in OUT):
        raise argument_error(f"bias is {bias}: it must be {(n,)}, of one of {OUT}")
    return Array((m, n), out_dtype)


def _operand(scale: Any, rows: int, k: int, turned: bool, name: str) -> tuple[Any, int, int, int, bool]:
    """Memory, strides across rows and along K, rows that share a scale, and if scales differ along K."""
    scale = scale.T if turned and len(scale.shape) == 2 else scale
    each, along = scale_kind(tuple(scale.shape), rows, k, name)
    steps = (*strides_of(scale), 0)
    rows = 1 if each == 1 else BLOCK
    return spanned(scale), steps[0] if each else 0, steps[1] if along else 0, rows, along


def _scales(like: Any, scale_a: Any, scale_b: Any, factor: float) -> tuple[Any, Any]:
    """Both scales as arrays. factor: the product of those that are numbers, which stands for one of them."""
    one = filled(like, (1,), factor, "float32") if scale_a is None else scale_a
    rest = factor if scale_a is not None else 1.0
    return one, filled(like, (1,), rest, "float32") if scale_b is None else scale_b


def lined(x: Any) -> Any:
    """The matrix, or a copy with rows a multiple of 16 bytes apart where TMA cannot read it by rows."""
    if not misplaced(x, False):
        return x
    rows, columns = x.shape
    made = new(x, (rows, -(-columns // 16) * 16))[:, :columns]
    made[...] = x
    return made


# Tiles whose sums do not depend on how many rows there are: K is in one part.
INVARIANT = GemmTile(128, 128, 0, 2, 1)


@op(_shapes, contiguous=("bias",), sharding=of_scaled_product, strided={"a": "any", "b": "any"})
def scaled(
    a: Any, b: Any, scale_a: Any, scale_b: Any, bias: Any, out: Any, *, out_dtype: str = "bfloat16",
    factor: float = 1.0, use_fast_accum: bool = True, target: str | None = None, invariant: bool | None = None,
) -> None:  # fmt: skip
    """The operation of `scaled_matmul`; `factor`: the product of scales that are numbers."""
    more = factor, use_fast_accum, target, invariant
    through(lambda made: _product(a, b, scale_a, scale_b, bias, made, *more), out)


def _product(a: Any, b: Any, scale_a: Any, scale_b: Any, bias: Any, out: Any, factor: float, use_fast_accum: bool,
             target: str | None, invariant: bool | None) -> None:  # fmt: skip
    """Writes the product to an array without gaps."""
    (m, k), n = a.shape, b.shape[1]
    if 0 in (m, n, k):
        out[...] = 0 if bias is None else bias
        return
    cpu = tile.on_cpu(a)
    fnuz = named(a) in FNUZ
    chip = target or (("gfx942" if fnuz else "gfx950") if cpu else tile.device_of(a)[0])
    options: dict[str, Any] = {"backend": "cpu"} if cpu else {}
    hopper = chip.startswith("sm_90")
    check_chip(chip, named(a))
    one, two = _scales(a, scale_a, scale_b, factor)
    if named(a) == "int8":
        one, two = _of_each(one, m, 0), _of_each(two, n, 1)
    left, right = _operand(one, m, k, False, "scale_a"), _operand(two, n, k, True, "scale_b")
    blocks = left[4] or right[4]
    each = [x[3] == BLOCK and x[1] for x in (left, right)]  # 128 rows share a scale
    plain = hopper and not blocks and (use_fast_accum or named(a) == "int8") and not any(each)
    if not hopper:
        tile_scaled.launch(a, b.T, out, tile_scaled.ScaleOperand(*left[:4]), tile_scaled.ScaleOperand(*right[:4]), chip,
                           blocks=blocks, bias=bias, **options)  # fmt: skip
        return
    options["target"] = chip
    rows, columns = lined(a), lined(b.T)
    if plain:
        factors = (
            factor if scale_a is None else _by_rows(left[0], left[1], m),
            (1.0 if scale_a is None else factor) if scale_b is None else _by_rows(right[0], right[1], n),
        )
        fixed = INVARIANT.fitted(out.dtype.itemsize) if invariant else None
        hopper_gemm.gemm(rows, columns, out, fixed, scale_a=factors[0], scale_b=factors[1], bias=bias, **options)
        return
    size = out.dtype.itemsize
    direct = n * size % 16 == 0 and not misplaced(out, False)
    result = out if direct else new(out, (m, -(-n * size // 16) * 16 // size))
    hopper_scaled.scaled_product(rows, columns, result, hopper_scaled.ScaleOperand(*left[:4]),
                                 hopper_scaled.ScaleOperand(*right[:4]), bias=bias, whole=bool(invariant),
                                 **options)  # fmt: skip
    if not direct:
        out[...] = result[:, :n]


def _of_each(scale: Any, rows: int, axis: int) -> Any:
    """Scales of 128 rows along an axis as scales of each, which is what sums of integers take; others as they are."""
    if len(scale.shape) != 2 or scale.shape[1 - axis] != 1 or not 1 < scale.shape[axis] < rows:
        return scale
    flat = scale.reshape(-1, 1)
    if is_torch(flat):
        wide = flat.expand(-1, BLOCK)
    else:
        import numpy as np

        wide = np.broadcast_to(flat, (flat.shape[0], BLOCK))
    made = wide.reshape(-1)[:rows]
    return made[:, None] if axis == 0 else made[None]


def _by_rows(memory: Any, step: int, rows: int) -> Any:
    """The scales as `hopper_gemm` takes them: one, or one for each row."""
    if not step:
        return memory.reshape(-1)[:1]
    return memory.reshape(-1)[: (rows - 1) * step + 1 : step]


def check_chip(chip: str, dtype: str) -> None:
    """Checks that a chip multiplies a dtype. Raises L066."""
    fits = {"gfx942": (*FNUZ, "int8"), "gfx950": (*OCP, "int8"), "gfx90a": ("int8",)}
    newer = chip.startswith("sm_") and int("".join(c for c in chip[3:] if c.isdigit())) >= 89
    has = fits.get(chip, ((*OCP, "int8") if newer else ("int8",)) if chip.startswith("sm_") else ())
    if dtype not in has:
        other = {"gfx942": "float8_e4m3fnuz", "gfx950": "float8_e4m3fn"}.get(chip, "float8_e4m3fn on sm_89 and newer")
        raise no_kernel(f"there is no product of {dtype} on {chip}: it has {', '.join(has) or 'none'}; use {other}")


@counted
def scaled_matmul(
    a: Any, b: Any, scale_a: Any = None, scale_b: Any = None, *, bias: Any = None, out_dtype: Any = None,
    out: Any = None, use_fast_accum: bool = True, target: str | None = None, fallback: bool = False,
) -> Any:  # fmt: skip
    """(a * scale_a) @ (b * scale_b) + bias, in f32, rounded once: torch's `_scaled_mm`.

    a: (..., m, k); b: (k, n), best a transposed (n, k), as torch wants it. Both of fp8: e4m3 and e5m2 in any pair, on
    gfx942 those of the kind fnuz; or both of int8, whose sums are exact in i32, with k up to 131071. Any strides;
    matrices that TMA cannot read are copied.

    scale_a, scale_b: of f32, any strides, or numbers:

    | | scale_a | scale_b |
    | --- | --- | --- |
    | for the matrix | a number, (), (1,), (1, 1) | the same |
    | for each row, each column | (m, 1), (m,) | (1, n), (n,) |
    | in blocks of 1 x 128 | (m, ceil(k / 128)) | (ceil(k / 128), n) |
    | in blocks of 128 x 128 | (ceil(m / 128), ceil(k / 128)) | (ceil(k / 128), ceil(n / 128)) |

    in any pair. bias: (n,), bf16, f16 or f32. out_dtype: bf16 (where it is None), f16 or f32; out: of it. Sums of
    blocks are promoted to f32 every 128 of K; others stay in the tensor cores, which on Hopper keep some 14 bits of fp8
    sums, unless `use_fast_accum` is False: then they are promoted as well. target: of arrays on the CPU, the chip whose
    kernel runs there. Raises L066 (a ValueError) for shapes that do not fit, and dtypes and chips without a kernel."""
    check_array("a", a, False)
    check_array("b", b, False)
    factor = 1.0
    if isinstance(scale_a, Real):
        factor, scale_a = float(scale_a), None
    if isinstance(scale_b, Real):
        factor, scale_b = factor * float(scale_b), None
    check_array("scale_a", scale_a, True)
    check_array("scale_b", scale_b, True)
    lead, each = tuple(a.shape[:-2]) if len(a.shape) > 2 else (), tuple(a.shape[-2:-1])
    if lead:
        a = a.reshape(math.prod(a.shape[:-1]), a.shape[-1])
        if scale_a is not None and len(scale_a.shape) > 2:
            scale_a = scale_a.reshape(-1, scale_a.shape[-1])
    dtype = _dtype_of(out_dtype, out)
    apart = bool(lead) and out is not None and not whole(out)  # no matrix by strides
    made = scaled(
        a, b, scale_a, scale_b, bias, out_dtype=dtype, factor=factor, use_fast_accum=use_fast_accum, target=target,
        out=None if apart else out.reshape(a.shape[0], b.shape[1]) if lead and out is not None else out,
        fallback=fallback,
    )  # fmt: skip
    if out is not None:
        if apart:
            out[...] = made.reshape(tuple(out.shape))
        return out
    return made.reshape((*lead, *each, made.shape[1])) if lead else made


def _dtype_of(dtype: Any, out: Any) -> str:
    if dtype is None:
        return "bfloat16" if out is None else named(out)
    said = dtype if isinstance(dtype, str) else getattr(dtype, "name", None) or getattr(dtype, "__name__", str(dtype))
    said = str(said).split(".")[-1]
    return {"bf16": "bfloat16", "f16": "float16", "f32": "float32"}.get(said, said)


# -- quantization ---

BLOCKS = {"tensor": (0, 0), "rows": (1, 0), (1, 128): (1, 128), (128, 128): (128, 128)}


def _quantized_shapes(x: Array, *, block: str, dtype: str, target: str | None) -> tuple[Array, Array, Array]:
    rows, columns = map(int, block.split("x"))
    m, k = x.shape
    dtype = dtype or ("float8_e4m3fnuz" if (target or x.chip) == "gfx942" else "float8_e4m3fn")
    high, wide = m if rows == 1 else _ceil(m) if rows else 1, _ceil(k) if columns else 1
    if x.dtype not in OUT:
        raise no_kernel(f"x is of {x.dtype}: it must be of one of {OUT}")
    scales = (wide, high) if (rows, columns) == (1, BLOCK) else (high, wide)
    return Array(x.shape, dtype), Array(scales, "float32"), Array((m if not rows else 0,), "float32")


@op(_quantized_shapes, returns=2, sharding=of_quantized)
def quantized(
    x: Any, values: Any, scales: Any, most: Any, *, block: str, dtype: str, powers: bool = False,
    target: str | None = None,
) -> None:  # fmt: skip
    """The operation of `quantize_fp8`, for a matrix."""
    rows, columns = map(int, block.split("x"))
    cpu = tile.on_cpu(x)
    chip = target or (("gfx942" if named(values) in FNUZ else "gfx950") if cpu else tile.device_of(x)[0])
    options: dict[str, Any] = {"backend": "cpu"} if cpu else {}
    if 0 in x.shape:
        scales[...] = 1
        return
    turned = scales.T if (rows, columns) == (1, BLOCK) else scales
    quantize.launch(x, values, turned, most, rows, columns, powers, target=chip, **options)


@counted
def quantize_fp8(
    x: Any, block: Any = (1, 128), *, dtype: Any = None, powers_of_two: bool = False, target: str | None = None
) -> tuple[Any, Any]:
    """The values of x in fp8, and the scales by which they are to be multiplied: greatest magnitude / greatest fp8, 1
    where all are 0; rounded up to powers of two if asked for.

    x: (..., k) of bf16, f16 or f32, any strides. block: (1, 128), 128 elements of a row; (128, 128); "rows"; or
    "tensor". dtype: "float8_e4m3fn" (where it is None, and the arrays are not on a gfx942), "float8_e5m2",
    "float8_e4m3fnuz" or "float8_e5m2fnuz". Returns values, of the shape of x, and f32 scales: (..., ceil(k / 128)),
    of a matrix with rows side by side in memory, as torch wants them; (ceil(m / 128), ceil(k / 128)) of a matrix;
    (..., 1); or (1, 1): as `scaled_matmul` takes them for a; for a weight (n, k), it takes both transposed. Raises L066
    for other blocks and dtypes."""
    key = tuple(block) if isinstance(block, list) else block
    check_array("x", x, False)
    if not isinstance(key, (str, tuple)) or key not in BLOCKS:
        raise argument_error(f'block is {block!r}: it must be (1, 128), (128, 128), "rows" or "tensor"')
    name = "" if dtype is None else _dtype_of(dtype, None)
    if name and name not in (*OCP, *FNUZ):
        raise argument_error(f"dtype is {dtype!r}: it must be one of {(*OCP, *FNUZ)}")
    if len(x.shape) < 2 or (key == (128, 128) and len(x.shape) != 2):
        raise argument_error(f"x is {tuple(x.shape)}: it must be a matrix{'' if key == (128, 128) else ', or several'}")
    rows, columns = BLOCKS[key]
    lead = tuple(x.shape[:-1])
    matrix = x if len(lead) == 1 else x.reshape(math.prod(lead), x.shape[-1])
    values, scales = quantized(matrix, block=f"{rows}x{columns}", dtype=name, powers=powers_of_two, target=target)
    if (rows, columns) == (1, BLOCK):
        scales = scales.T
    if len(lead) > 1:
        values = values.reshape(*lead, x.shape[-1])
        scales = scales.reshape(*lead, scales.shape[-1]) if rows else scales
    return values, scales
