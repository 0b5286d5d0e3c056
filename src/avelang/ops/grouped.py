"""`ops.grouped_matmul`: products of groups of rows, or of parts of K, whose sizes only the device knows.

| chip | kernel |
| --- | --- |
| sm_90a | rows, b as (n, k): `tile_grouped_gemm`, by TMA and wgmma, of copies of what has gaps |
| sm_90a | rows, b as (k, n), and parts of K: `hopper_grouped`, no copies; parts of K of odd rows: `hopper_weights` |
| sm_90a, with a bias, K no multiple of 8, or parts of K in other orders | `tile_grouped` |
| gfx90a, gfx942, gfx950, sm_80 and newer, the CPU; sm_75 for f16 | `tile_grouped`: operands of any strides |
"""

from __future__ import annotations

import sys
from typing import Any

from avelang import argument_error, tile
from avelang.base.takes import counted
from avelang.bridge import Array, no_kernel, op
from avelang.ops.sharding import of_grouped
from avelang_kernels.arrays import address, cast, copied, filled, is_torch, named, new, spanned, whole
from avelang_kernels.matmul.hopper_tiles import GemmTile
from avelang_kernels.moe import hopper_grouped, hopper_weights, tile_grouped
from avelang_kernels.moe.tile_grouped_gemm import best_block, grouped_gemm
from avelang_kernels.norm.lines import through

DTYPES = ("bfloat16", "float16")
OUT = (*DTYPES, "float32")


def _shapes(
    a: Array, b: Array, offs: Array | None = None, bias: Array | None = None, *, out_dtype: str | None
) -> Array:
    if a.ndim not in (2, 3) or b.ndim not in (2, 3):
        raise argument_error(f"a is {a.shape} and b is {b.shape}: each must have 2 or 3 dimensions")
    if a.dtype != b.dtype or a.dtype not in DTYPES:
        raise no_kernel(f"a is of {a.dtype} and b of {b.dtype}: both must be of bfloat16, or both of float16")
    if a.shape[-1] != b.shape[-2]:
        raise argument_error(f"a is {a.shape} and b is {b.shape}: K is {a.shape[-1]} in a and {b.shape[-2]} in b")
    dtype = out_dtype or a.dtype
    if dtype not in (a.dtype, "float32"):
        raise argument_error(f"out_dtype is {dtype}: it must be {a.dtype} or float32")
    groups = a.shape[0] if a.ndim == 3 else b.shape[0] if b.ndim == 3 else None if offs is None else offs.shape[0]
    if a.ndim == b.ndim == 3:
        if offs is not None or a.shape[0] != b.shape[0]:
            raise argument_error(f"a is {a.shape} and b is {b.shape}: they must have as many groups, and no offs")
        shape: tuple[int, ...] = a.shape[0], a.shape[1], b.shape[2]
    else:
        if offs is None or offs.ndim != 1 or offs.dtype != "int32" or offs.shape[0] != groups:
            said = "None" if offs is None else f"{offs.shape} of {offs.dtype}"
            raise argument_error(f"offs is {said}: it must be int32, ({groups or 'groups'},), the end of each group")
        shape = a.shape[-2], b.shape[-1]
        if a.ndim == b.ndim:
            shape = offs.shape[0], *shape
    if bias is not None and (a.ndim != 2 or b.ndim != 3 or bias.shape != (b.shape[0], b.shape[2])
                             or bias.dtype not in (a.dtype, "float32")):  # fmt: skip
        raise argument_error(
            f"bias is {bias}: it must be (groups, n), of {a.dtype} or float32, where a has rows in groups"
        )
    return Array(shape, dtype)


@op(_shapes, autocast="lower", contiguous=("offs", "bias"), sharding=of_grouped, strided={"a": "any", "b": "any"})
def grouped(
    a: Any, b: Any, offs: Any, bias: Any, out: Any, *, out_dtype: str | None = None, target: str | None = None,
    invariant: bool | None = None,
) -> None:  # fmt: skip
    """The operation of `grouped_matmul`."""
    through(lambda made: _products(a, b, offs, bias, made, target, invariant), out)


def _products(a: Any, b: Any, offs: Any, bias: Any, out: Any, target: str | None, invariant: bool | None) -> None:
    """Writes the products to an array without gaps."""
    cpu = tile.on_cpu(a)
    chip = target or ("gfx942" if cpu else tile.device_of(a)[0])
    if chip == "sm_75" and named(a) != "float16":
        raise no_kernel(
            f"there is no kernel of grouped_matmul for {named(a)} on {chip}: bfloat16 and float16 run on gfx9, sm_80 "
            f"and newer, and the CPU, float16 on sm_75"
        )
    if 0 in out.shape:
        return
    if offs is not None and not offs.shape[0]:  # no groups: all rows, or columns, are behind the last
        out[...] = 0
        return
    if bias is not None and not a.shape[-1]:  # products of nothing, for which the kernels are not made
        a, b = (filled(x, shape, 0) for x, shape in ((a, (a.shape[0], 8)), (b, (b.shape[0], 8, b.shape[2]))))
    options: dict[str, Any] = {"backend": "cpu"} if cpu else {}
    if invariant and not cpu:  # the block of large groups, however many rows there are
        options["T"] = (best_block if chip.startswith("sm_90") else tile_grouped.best_block)(chip, 1 << 20, 1)
    if len(a.shape) == len(b.shape) == 3:
        # Groups of as many rows each: rows of groups that follow one another.
        (groups, m, k), n = a.shape, b.shape[2]
        if m:
            ends = _counted(a, groups, m)
            _run(a.reshape(groups * m, k), b, ends, None, out.reshape(groups * m, n), chip, options)
    elif len(a.shape) == 3:
        # Columns in groups: the product is turned.
        turned = new(out, (out.shape[1], out.shape[0]))
        _run(b.T, a.swapaxes(-2, -1), offs, None, turned, chip, options)
        out[...] = turned.T
    else:
        _run(a, b, offs, bias, out, chip, options)


def _run(a: Any, b: Any, offs: Any, bias: Any, out: Any, chip: str, options: dict[str, Any]) -> None:
    """The kernel of a chip, for b (groups, k, n) or (k, n)."""
    turned = b.swapaxes(-2, -1)
    offs = offs if whole(offs) else copied(offs)
    hopper = chip.startswith("sm_90") and bias is None
    # On the CPU the tile that is compiled soonest.
    tile_of = GemmTile(64, 64, 2) if options.get("backend") else None
    if hopper and hopper_grouped.fits_depth(a, turned, offs, out):
        options.pop("T", None)
        hopper_grouped.launch(a, turned, offs, out, chip, tile_of, **options)
        return
    if hopper and hopper_grouped.fits_rows(a, turned, out):
        options.pop("T", None)
        hopper_grouped.launch(a, turned, offs, out, chip, tile_of, **options)
        tile_grouped.clear_behind(out, offs, chip, **options)
        return
    if chip.startswith("sm_90") and hopper_weights.fits(a, turned):
        options.pop("T", None)
        small = tile.Block(64, 64, 64, pipeline="tma", stages=2) if options.get("backend") else None
        hopper_weights.launch(a, turned, offs, out, chip, small, **options)
        return
    rows = len(turned.shape) == 3 and a.shape[1] % 8 == 0 and 0 not in a.shape
    if chip.startswith("sm_90") and bias is None and rows:
        # A copy of what TMA cannot read costs less than products without it.
        a, turned = _packed(a), _packed(turned)
    if chip.startswith("sm_90") and bias is None and _by_tma(a, turned):
        # On the CPU the block that is compiled soonest.
        block = tile.Block(64, 64, 64, pipeline="tma", stages=2) if options.get("backend") else None
        options.setdefault("T", block)
        grouped_gemm(a, turned, offs, out, target=chip, **options)
        options.pop("T")
        tile_grouped.clear_behind(out, offs, chip, **options)
    else:
        if chip.startswith("sm_90") and options.pop("T", None):
            options["T"] = tile_grouped.best_block(chip, 1 << 20, 1, len(turned.shape) == 2)
        tile_grouped.launch(a, turned, offs, out, chip, bias, **options)


def _by_tma(a: Any, b: Any) -> bool:
    """True for rows of a (m, k), and of b (groups, n, k), as `grouped_gemm` takes them by TMA."""
    if len(b.shape) != 3 or a.shape[1] % 8 or 0 in a.shape:
        return False
    return all(spanned(x) is x and address(x) % 16 == 0 for x in (a, b))


def _packed(x: Any) -> Any:
    """The array, or a copy without gaps."""
    return x if spanned(x) is x and address(x) % 16 == 0 else copied(x)


def _counted(x: Any, groups: int, each: int) -> Any:
    """The ends of groups of as many rows each."""
    ends = each, groups * each + 1, each
    if is_torch(x):
        torch = sys.modules["torch"]
        return torch.arange(*ends, dtype=torch.int32, device=x.device)
    import numpy as np

    return np.arange(*ends, dtype=np.int32, like=x)


@grouped.backward(saves=("a", "b", "offs", "bias"))
def _(grads: Any, inputs: Any, outputs: Any, *, target: str | None, invariant: bool | None, needs: Any) -> Any:
    (g,), (a, b, offs, bias) = grads, inputs
    more: dict[str, Any] = {"target": target, "invariant": invariant}
    g = cast(g, a.dtype)
    da = grouped(g, b.swapaxes(-2, -1), offs, **more) if needs[0] else None
    db = grouped(a.swapaxes(-2, -1), g, offs, **more) if needs[1] else None
    dbias = None
    if bias is not None and needs[3]:
        # The sum of each group's rows: a product with ones.
        ones = _ones(g)
        dbias = cast(grouped(ones, g, offs, out_dtype="float32", **more)[:, 0], bias.dtype)
    return da, db, None, dbias


def _ones(g: Any) -> Any:
    """A row of ones, as long as there are rows. Not made of g: infinity times 0 is not a number."""
    if is_torch(g):
        return g.new_ones((1, g.shape[0]))
    return sys.modules["jax"].numpy.ones((1, g.shape[0]), g.dtype)


@counted
def grouped_matmul(
    a: Any, b: Any, offs: Any = None, *, bias: Any = None, out_dtype: Any = None, out: Any = None,
    target: str | None = None, invariant: bool | None = None, fallback: bool = False,
) -> Any:  # fmt: skip
    """Products of groups, summed up in f32, rounded once: torch's `grouped_mm`, with its gradients.

    | a | b | offs | out | |
    | --- | --- | --- | --- | --- |
    | (m, k) | (groups, k, n) | ends of rows | (m, n) | rows of a group meet its matrix; rows behind the last are 0 |
    | (m, k) | (k, n) | ends along k | (groups, m, n) | one product for each part of K: gradients of weights |
    | (groups, m, k) | (k, n) | ends of columns | (m, n) | columns of a group meet its matrix |
    | (groups, m, k) | (groups, k, n) | None | (groups, m, n) | a batch |

    a, b: bf16 or f16, any strides. offs: int32, (groups,), on the device: where each group ends; the first begins at 0;
    they ascend, and may be equal: empty groups. bias: (groups, n), of that dtype or f32, where a has rows in groups.
    out_dtype: that of a and b, or f32. Nobody waits for the sizes. Raises L066 (a ValueError) for shapes that do not
    fit, and dtypes and chips without a kernel."""
    dtype = None
    if out is not None or out_dtype is not None:
        said = out_dtype if out is None or out_dtype is not None else out.dtype
        dtype = str(getattr(said, "name", None) or getattr(said, "__name__", None) or said).split(".")[-1]
        dtype = {"bf16": "bfloat16", "f16": "float16", "f32": "float32"}.get(dtype, dtype)
    return grouped(a, b, offs, bias, out_dtype=dtype, target=target, invariant=invariant, out=out, fallback=fallback)
