"""The one rule of matrix products: arrays, or their descriptions, come in; the kernel, its tile and the copies before
it go out, and are run. `ops.matmul` and `ave explain matmul` ask here, so that what is explained is what runs.

| chip | dtype | kernel |
| --- | --- | --- |
| sm_90a | bf16, f16 | `hopper_gemm`; up to 64 rows without bias and activation the faster of it and `hopper_skinny` |
| sm_90a | f32 | `hopper_gemm`, by three products of bf16 |
| AMD | bf16, f16 | `mi300_gemm`; few rows without bias and activation (24; gfx90a 16): `tile_skinny` |
| the CPU | bf16, f16 | `mi300_gemm`, as on gfx942 |
| AMD, the CPU | f32 | `tile_gemm` |
| sm_80 and newer | bf16, f16 | `tile_gemm`: on sm_100a by tcgen05 where rows are multiples of 16 bytes |
| sm_80 and newer | f32 | the same, by three products of bf16 |
| sm_75 | f16 | `tile_gemm` |

A tile that was tuned for the shape (`tuned_tiles`) comes before the rule's. Where a plan must be `invariant`, it
depends on N and K only: a whole tile, K in one part, never a kernel for few rows. Then the bits of a row are the same
whatever rows come with it."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

from avelang import argument_error, tile, tuning
from avelang import chip as chip_of
from avelang.tile.pipelines import in_tensor_memory
from avelang_kernels.arrays import (
    DTYPES,
    address,
    copied,
    dtype_of,
    is_torch,
    multiprocessors,
    named,
    new,
    off_16,
    on_16,
    strides_of,
)
from avelang_kernels.matmul import aligned_rows, finish, hopper_gemm, mi300_gemm, tile_gemm, tile_skinny
from avelang_kernels.matmul.aligned_rows import align_rows, pitch_of
from avelang_kernels.matmul.hopper_batched import HALF, tile_of
from avelang_kernels.matmul.hopper_f32 import split_f32
from avelang_kernels.matmul.hopper_few import few_rows_plan
from avelang_kernels.matmul.hopper_rule import SMS, choose_tile, invariant_tile, times
from avelang_kernels.matmul.hopper_skinny import M_MOST
from avelang_kernels.matmul.hopper_skinny import again as skinny_again
from avelang_kernels.matmul.hopper_skinny import launch as skinny_launch
from avelang_kernels.matmul.hopper_tiles import GemmTile
from avelang_kernels.matmul.hopper_types import product_of
from avelang_kernels.matmul.mi300_places import placed
from avelang_kernels.matmul.mi300_rule import invariant_place
from avelang_kernels.matmul.storage import alignment, crosswise, misplaced, stored_by, strides
from avelang_kernels.matmul.tuned_tiles import device_name, tuned_tile
from avelang_kernels.workspaces import room_for

UNIT = 16  # bytes
FEW, FEW_DENSE = 24, 16  # rows up to which AMD's products for few rows are taken, with sparse instructions and without


class MatmulPlan(NamedTuple):
    """Plan of C = A @ B^T: `kernel`, a module of this package; `choice`, what it takes: a `GemmTile`, a
    `SkinnyPlan`, a `GemmPlace`, or a block of tiles with the parts of its K; `copies`: operands that are copied before
    it, and "out" where C is; `by`: "rule", "tuned" or "invariant"; `ends`: True where the kernel adds the bias and
    applies the activation, False where that takes another pass."""

    kernel: str
    choice: Any
    copies: tuple[str, ...] = ()
    by: str = "rule"
    ends: bool = True


class Question(NamedTuple):
    """Circumstances on which a plan depends, beside the matrices: the chip and its units; the device's name in tables
    of tuned tiles; whether there is a bias or an activation; whether the plan may not depend on M; `cpu`: arrays are on
    the CPU, and no chip was asked for: the kernel that compiles soonest."""

    chip: str
    units: int
    device: str = ""
    ends: bool = False
    invariant: bool = False
    cpu: bool = False


_PLANS: dict[Any, MatmulPlan] = {}
MOST_PLANS = 1 << 14


def plan_of(a: Any, b: Any, out: Any, question: Question) -> MatmulPlan:
    """The plan for C = A @ B^T: a (m, k), b (n, k), out (m, n), arrays or descriptions with their strides. A question
    like one before costs a look into a table. Raises L066 where there is no kernel."""
    places = tuple((x.shape, strides(x), str(x.dtype), address(x) % 128) for x in (a, b, out))
    key = (*places, question, tuning.epoch())
    found = _PLANS.get(key)
    if found is None:
        if len(_PLANS) >= MOST_PLANS:
            _PLANS.clear()
        found = _PLANS[key] = _planned(a, b, out, question)
    return found


def _planned(a: Any, b: Any, out: Any, q: Question) -> MatmulPlan:
    chip = chip_of(q.chip)
    if named(a) not in DTYPES:
        raise argument_error(f"a and b are of {named(a)}: there are kernels for {', '.join(DTYPES)}")
    if "sm_90a" in chip.features:
        return _on_hopper(a, b, out, q)
    if chip.vendor == "amd":
        return _on_amd(a, b, out, q)
    if split_in_three(a, q.chip):
        one, two = (description(x.shape[0], 3 * -(-x.shape[1] // 8) * 8, "bfloat16") for x in (a, b))
        plan = _by_tiles(one, two, out, q)
        return plan._replace(copies=("a", "b", *plan.copies))
    if "sm_80" in chip.features or named(a) == "float16":
        return _by_tiles(a, b, out, q)
    raise no_kernel(named(a), q.chip)


def split_in_three(x: Any, chip: str) -> bool:
    """True for f32 where a product of it is one of bf16, of three times its K (`hopper_f32`)."""
    return named(x) == "float32" and "sm_80" in chip_of(chip).features


def batched_plan(a: Any, b: Any, out: Any, count: int, q: Question) -> tuple[MatmulPlan, int]:
    """The plan for so many products of matrices, at equal distances, and how many launches that makes: one on Hopper,
    of bf16 and f16 (`hopper_batched`)."""
    plan = plan_of(a, b, out, q)
    if count < 2 or "sm_90a" not in chip_of(q.chip).features or named(a) not in HALF or a.shape[1] == 0:
        return plan, count
    (m, k), n, size = a.shape, b.shape[0], 4 if named(out) == "float32" else 2
    crooked = [x for x in (a, b) if misplaced(x)]
    majors = tuple(_columns(x) if x in crooked else crosswise(x) for x in (a, b))
    late = ("out",) * (stored_by(out) == "copy")
    copies = tuple(name for name, x in (("a", a), ("b", b)) if x in crooked)
    one = tile_of((m, n, k), size, q.units or SMS, _read_alignment(a, b), (majors[0], majors[1]), count, q.invariant)
    return MatmulPlan("hopper_gemm", one, (*copies, *late), "invariant" if q.invariant else "rule"), 1


def no_kernel(dtype: str, chip: str) -> Exception:
    """The error of a dtype and a chip for which there is no kernel."""
    return argument_error(
        f"there is no kernel of matmul for {dtype} on {chip}: it runs on gfx90a, gfx942, gfx950, sm_80 and newer and "
        f"the CPU with bfloat16, float16 and float32, on sm_75 with float16"
    )


# -- Hopper ------------------------------------------------------------------------------------------------------------


def _on_hopper(a: Any, b: Any, out: Any, q: Question) -> MatmulPlan:
    (m, k), n = a.shape, b.shape[0]
    size, by = 4 if named(out) == "float32" else 2, stored_by(out)
    late = ("out",) * (by == "copy")
    if named(a) == "float32":
        k, align, majors = 3 * -(-k // 8) * 8, 16, (False, False)
        return MatmulPlan("hopper_gemm", _tile(m, n, k, q, size, align, majors), ("a", "b", *late))
    crooked = [bool(misplaced(x)) for x in (a, b)]
    copies = tuple(name for name, wrong in zip("ab", crooked, strict=True) if wrong)
    align = _read_alignment(a, b)
    majors = tuple(_columns(x) if wrong else crosswise(x) for x, wrong in zip((a, b), crooked, strict=True))
    if not q.invariant:
        tuned = tuned_tile(q.device, m, n, k, size, majors)
        if tuned is not None:
            return MatmulPlan("hopper_gemm", tuned, (*copies, *late), "tuned")
        if m <= M_MOST and not q.ends and not copies and by == "tma" and _lines(a) and _lines(b) and _whole(out):
            few = few_rows_plan(m, n, k, q.units or SMS, size, align)
            if few.plan is not None:
                return MatmulPlan("hopper_skinny", few.plan)
    return MatmulPlan("hopper_gemm", _tile(m, n, k, q, size, align, majors), (*copies, *late),
                      "invariant" if q.invariant else "rule")  # fmt: skip


def _read_alignment(a: Any, b: Any) -> int:
    """The greatest power of two, 128 at the most, of which the bytes from row to row are a multiple of what is read of
    two matrices: themselves, or copies."""
    return min(_pitch(x) if misplaced(x) else alignment(x, x) for x in (a, b))


def _tile(m: int, n: int, k: int, q: Question, size: int, align: int, majors: Any) -> GemmTile:
    sms = q.units or SMS
    return invariant_tile(n, k, sms, size) if q.invariant else choose_tile(m, n, max(k, 1), sms, size, align, majors)


def _pitch(x: Any) -> int:
    """The alignment of the lines of a copy, as `alignment` has it."""

    length = x.shape[0] if _columns(x) else x.shape[1]
    return math.gcd(128, pitch_of(length, x.dtype.itemsize) * x.dtype.itemsize)


def _columns(x: Any) -> bool:
    """True for a matrix that is copied as columns."""
    row, col = strides(x)
    return row == 1 and col != 1 and x.shape[0] > 1


def _whole(x: Any) -> bool:
    """True where rows follow one another without gaps."""
    row, column = strides(x)
    return (column == 1 or x.shape[1] == 1) and (row == x.shape[1] or x.shape[0] == 1)


def _lines(x: Any) -> bool:
    """True where, besides, rows are a multiple of 16 bytes long."""
    return _whole(x) and x.shape[1] * x.dtype.itemsize % UNIT == 0


# -- AMD, tiles --------------------------------------------------------------------------------------------------------


def _on_amd(a: Any, b: Any, out: Any, q: Question) -> MatmulPlan:
    (m, k), n = a.shape, b.shape[0]
    if named(a) == "float32":
        return _by_tiles(a, b, out, q)
    few = FEW if "mfma-gfx942" in chip_of(q.chip).features else FEW_DENSE
    if m <= few and k and not (q.ends or q.invariant or q.cpu) and _lines(a) and _lines(b) and _whole(out):
        choice = tile.split_for(m, n, k, DTYPES[named(a)], q.chip, q.units)
        return MatmulPlan("tile_skinny", choice)
    if q.invariant:
        place = invariant_place(m, n, k, named(a), q.chip, q.units)
        found = placed(a, b, out, (q.chip, q.units), place)
        return MatmulPlan("mi300_gemm", place, _copied(a, b, out, found), "invariant")
    found = placed(a, b, out, (q.chip, q.units))
    if found is not None:
        return MatmulPlan("mi300_gemm", found.place)
    one, two, three = (x if _in_place(x, x is out) else _described(x) for x in (a, b, out))
    again = placed(one, two, three, (q.chip, q.units))
    assert again is not None
    return MatmulPlan("mi300_gemm", again.place, _copied(a, b, out, None))


def _copied(a: Any, b: Any, out: Any, found: Any) -> tuple[str, ...]:
    if found is not None:
        return ()
    return tuple(name for name, x in (("a", a), ("b", b), ("out", out)) if not _in_place(x, name == "out"))


def _in_place(x: Any, rows: bool = False) -> bool:
    from avelang_kernels.matmul.lines import line_up

    found = line_up(x)
    return found is not None and not (rows and found.turned)


def _described(x: Any) -> Any:
    """A matrix of that shape and dtype, by rows without gaps, of no memory."""
    rows, cols = x.shape
    return description(rows, cols, named(x))


def _by_tiles(a: Any, b: Any, out: Any, q: Question) -> MatmulPlan:
    (m, k), n = a.shape, b.shape[0]
    dtype, to = DTYPES[named(a)], DTYPES[named(out)]
    aligned = k * dtype.bytes % UNIT == n * to.bytes % UNIT == 0
    if q.invariant or q.cpu:  # of any m alike; a CPU has no units to fill
        rows = 128 if q.invariant else m
        choice: Any = tile.block_for(rows, n, max(k, 1), dtype, q.chip, q.units, aligned, whole=True), 1
    else:
        choice = tile.split_for(m, n, max(k, 1), dtype, q.chip, q.units, aligned)
    copies = tuple(name for name, x in (("a", a), ("b", b), ("out", out)) if not _whole(x))
    kernel = "tile_skinny" if choice[0].pipeline == "streamed" else "tile_gemm"
    return MatmulPlan(kernel, choice, copies, "invariant" if q.invariant else "rule", ends=False)


# -- to run ------------------------------------------------------------------------------------------------------------


def matrix_product(a: Any, b: Any, out: Any, bias: Any = None, activation: str | None = None,
                   target: str | None = None, invariant: bool = False) -> Any:  # fmt: skip
    """out = activation(A @ B^T + bias) by `plan_of`. a: (m, k), b: (n, k), of bf16, f16 or f32, out: (m, n) of that or
    f32, of NumPy or torch, any strides; bias: (n,), of the dtype of a or f32. `target`: the chip, for arrays on the
    CPU. Returns `out`; raises L066."""
    if 0 in out.shape:
        return out
    if off_16(a, b, out):
        one, two, made = on_16(a), on_16(b), new(out, tuple(out.shape)) if off_16(out) else out
        matrix_product(one, two, made, bias, activation, target, invariant)
        if made is not out:
            out[...] = made
        return out
    key = _key(a, b, out, bias, (activation, target, invariant)) if is_torch(a) else None
    known = _LAUNCHES.get(key)
    if known is not None:
        return _again(known, a, b, out, bias)
    few = _FEW.get(key)
    if few is not None:
        few(a, b, out)
        return out
    cpu = tile.on_cpu(a)
    chip, units = tile.device_of(a, target)
    # The CPU backend has no tensor memory: there the reference computes.
    backend = "reference" if in_tensor_memory(chip) else "cpu"
    options: dict[str, Any] = {"target": chip, "backend": backend} if cpu else {}
    ends = bias is not None or activation is not None
    plan = plan_of(
        a, b, out, Question(chip, units, "" if cpu else device_name(a), ends, invariant, cpu and target is None)
    )
    if plan.ends or not ends:
        run(plan, a, b, out, bias, activation, (chip, units), options)
        if key is not None and plan.kernel == "hopper_skinny":
            if len(_FEW) >= MOST_PLANS:
                _FEW.clear()
            _FEW[key] = skinny_again(a, b, out, plan.choice, **options)
        elif key is not None and plan.kernel == "hopper_gemm":
            _remember(key, plan, (a, b, out, bias), activation, units, options)
        return out
    made = new(out, tuple(out.shape), "float32")
    run(plan, a, b, made, None, None, (chip, units), options)
    finish.launch(made, out, bias, activation, **options)
    return out


# Launches of the kernel for few rows, by the same.
_FEW: dict[Any, Any] = {}
# Launches of Hopper's kernel by what they depend on, for calls like one before: plan, launch and its options.
_LAUNCHES: dict[Any, tuple[MatmulPlan, hopper_gemm.Prepared, Any, dict[str, Any]]] = {}


def _key(a: Any, b: Any, out: Any, bias: Any, more: tuple[Any, ...]) -> Any:
    """All on which a product of tensors depends, beside what they hold and the bits of addresses that the launch looks
    at; None where it depends on more, as the chip of a tensor on the CPU may."""
    if more[1] is None and not a.is_cuda:
        return None
    end = None if bias is None else (bias.shape, bias.dtype, bias.stride())
    return (
        a.shape, a.stride(), a.dtype, a.data_ptr() % 128, b.shape, b.stride(), b.dtype, b.data_ptr() % 128,
        out.stride(), out.dtype, out.data_ptr() % 128, a.device, end, *more, tuning.epoch(),
    )  # fmt: skip


def _remember(key: Any, plan: MatmulPlan, arrays: tuple[Any, ...], activation: Any, units: int,
              options: dict[str, Any]) -> None:  # fmt: skip
    """Keeps the launch of a product that has run, where it is one of bf16 or f16 with a K and a bias without gaps."""
    a, b, out, bias = arrays
    (m, k), n = a.shape, b.shape[0]
    if named(a) == "float32" or k == 0 or bias is not None and strides_of(bias)[0] != 1:
        return
    product, to = product_of(a, b), DTYPES[named(out)]
    majors = tuple(_columns(x) if name in plan.copies else crosswise(x) for name, x in (("a", a), ("b", b)))
    said = None if bias is None else hopper_gemm.dtype_of_bias(bias, product)
    sms = units or multiprocessors(a)
    ends = said, activation, False
    loose = stored_by(out) == "threads"
    way = hopper_gemm.prepared(
        product, to, plan.choice, sms, None, (m, n, k), (majors[0], majors[1]), ends, loose=loose
    )  # fmt: skip
    if len(_LAUNCHES) >= MOST_PLANS:
        _LAUNCHES.clear()
    wide = -(-n * to.bytes // UNIT) * UNIT // to.bytes if "out" in plan.copies else 0
    _LAUNCHES[key] = plan, way, wide, options


def _again(known: Any, a: Any, b: Any, out: Any, bias: Any) -> Any:
    """A product like one before."""
    plan, way, wide, options = known
    x, y = readable(plan, a, b, options) if plan.copies else (a, b)
    result = room_for(out, out.shape[0], wide, None, "result") if wide else out
    hopper_gemm.again(way, x, y, result, bias, options)
    if wide:
        aligned_rows.put_back(result, out, options)
    return out


def run(plan: MatmulPlan, a: Any, b: Any, out: Any, bias: Any, activation: Any, gpu: tuple[str, int],
        options: dict[str, Any]) -> Any:  # fmt: skip
    """The product by a plan, on a chip with so many units. `options`: those of a launch."""
    if bias is not None and strides_of(bias)[0] != 1:
        bias = copied(bias)
    if plan.kernel == "hopper_gemm":
        x, y = (a, b) if named(a) == "float32" else readable(plan, a, b, options)
        return hopper_gemm.gemm(x, y, out, plan.choice, gpu[1] or None, bias=bias, activation=activation, **options)
    if plan.kernel == "hopper_skinny":
        return skinny_launch(a, b, out, plan.choice, **options)
    if plan.kernel == "mi300_gemm":
        return mi300_gemm.gemm(a, b, out, plan.choice, bias=bias, activation=activation, **options)
    return by_tiles(plan, a, b, out, gpu, options)


def readable(plan: MatmulPlan, a: Any, b: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """The operands, copied where the plan says so: in one launch."""
    wrong = [x for name, x in (("a", a), ("b", b)) if name in plan.copies]
    if not wrong or 0 in a.shape:
        return a, b
    made = iter(align_rows(*wrong, **options))
    return tuple(next(made) if name in plan.copies else x for name, x in (("a", a), ("b", b)))


def by_tiles(plan: MatmulPlan, a: Any, b: Any, out: Any, gpu: tuple[str, int], options: dict[str, Any]) -> Any:
    """The product of the tile level, of arrays without gaps or copies of them."""

    def straight(x: Any) -> Any:
        return x if _whole(x) else copied(x)

    made = new(out, tuple(out.shape)) if "out" in plan.copies else out
    block, parts = plan.choice
    more = {k: v for k, v in options.items() if k != "target"}
    if a.shape[1] == 0:
        made[...] = 0
    else:
        x, y = split_f32(a, b, **options) if split_in_three(a, gpu[0]) else (straight(a), straight(b))
        if block.pipeline == "streamed":
            tile_skinny.launch(x, y, made, block, parts, gpu[0], **more)
        elif parts == 1:
            tile_gemm.gemm(x, y, made, block, gpu[0], gpu[1], **more)
        else:
            tile_gemm.tile_split_gemm.launch(x, y, made, block, parts, gpu[0], gpu[1], **more)
    if made is not out:
        out[...] = made
    return out


# -- to explain --------------------------------------------------------------------------------------------------------


def description(rows: int, cols: int, dtype: str, columns: bool = False, apart: int = 0) -> Any:
    """A matrix to be asked for its shape, strides, dtype and alignment only, whose rows (columns, where so) are so many
    elements apart, or without gaps: it has memory for one element."""
    import numpy as np

    memory = np.empty(512, "u1")
    kind = dtype_of(memory, dtype)
    line = (apart or (rows if columns else cols)) * kind.itemsize
    first = -memory.ctypes.data % 256  # as aligned as new memory of a GPU
    one = memory[first : first + kind.itemsize].view(f"u{kind.itemsize}")
    strides = (kind.itemsize, line) if columns else (line, kind.itemsize)
    return np.lib.stride_tricks.as_strided(one, (rows, cols), strides).view(kind)


def modeled(plan: MatmulPlan, a: Any, b: Any, out: Any, q: Question) -> float | None:
    """The microseconds of the plan by the model that chose it, copies apart; None where it has none."""
    (m, k), n = a.shape, b.shape[0]
    if plan.kernel == "hopper_gemm":
        size = 4 if named(out) == "float32" else 2
        depth, align = (3 * -(-k // 8) * 8, 16) if named(a) == "float32" else (k, _read_alignment(a, b))
        tiles, us = times(m, n, max(depth, 1), q.units or SMS, size, align)
        same = [
            float(t)
            for one, t in zip(tiles, us, strict=True)
            if one._replace(group_m=plan.choice.group_m) == plan.choice
        ]
        return same[0] if same else None
    if plan.kernel == "hopper_skinny":
        size = 4 if named(out) == "float32" else 2
        return few_rows_plan(m, n, k, q.units or SMS, size, _read_alignment(a, b)).us
    return None


@functools.cache
def usual_device(chip: str) -> str:
    """The name in tables of tuned tiles of the product that a chip is usually sold as."""
    maker, product = "AMD Instinct" if chip_of(chip).vendor == "amd" else "NVIDIA", chip_of(chip).product
    assert product is not None, chip
    return f"{chip} {maker} {product.name}"
