"""The matrix products that Ave knows, one to a chip's instruction or made of several: a chip's name comes in,
descriptions go out.

Sources of the virtual ones: IREE, "Virtual Dense MFMAs for Skinny GEMM", and IREE's list of virtual MMA intrinsics.
That two rows of a sparse product can be one dense row: Hugging Face, "Creating custom kernels for the AMD MI300"."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import avelang.language as al
from avelang.arch import chip as chip_of
from avelang.base.lazy import np
from avelang.base.takes import takes
from avelang.ir.dtypes import BY_NAME, DType, f32, i32
from avelang.ir.types import dtype_of
from avelang.isa.row import Row, types_on
from avelang.pipelines.tensor_core import KINDS
from avelang.tile.distribution import Distribution, row_of
from avelang.tile.encoding import Encoding
from avelang.tile.lowerings import collapse, expand, paired, single, single_tensor, split, swapped
from avelang.tile.mma_layout import SubgroupLayout
from avelang.tile.products import MmaAtom, named

WAVE = 64
PAIRED = "_PAIRED"  # ends the names of products that want A in pairs


def _intrinsic(row: Row) -> Any:
    return getattr(getattr(al, row.namespace), row.name.partition(".")[2])


def dtypes_of(row: Row, target: str) -> tuple[DType, DType, DType]:
    """Dtypes of A, B and the accumulator of a row; of 8-bit floats the chip's kind."""
    features = chip_of(target).features
    a, b, c = (dtype_of(types_on(p, features)[0]) for p in row.params[:3])
    return a, b, c


def _short(d: DType) -> str:
    return d.name.upper()


def _types(dtypes: tuple[DType, DType, DType]) -> str:
    return _short(dtypes[0]) if dtypes[0] == dtypes[1] else f"{_short(dtypes[0])}_{_short(dtypes[1])}"


def _label(prefix: str, shape: tuple[int, int, int], dtypes: tuple[DType, DType, DType], times: int = 0) -> str:
    """The name in IREE's manner: prefix, accumulator, shape (with the number of instructions along K, if given),
    operands."""
    size = "x".join(map(str, shape)) + (f"x{times}" if times else "")
    return f"{prefix}_{_short(dtypes[2])}_{size}_{_types(dtypes)}"


def real(row: Any, target: str) -> MmaAtom:
    """The description of one dense instruction with one block, with its own fragments."""
    row = row_of(row)
    mma, dtypes = row.mma, dtypes_of(row, target)
    assert mma is not None and not mma.sparse and mma.blocks == 1, row.name
    shape = (mma.m, mma.n, mma.k)
    if mma.ignored_bits:  # not the same as the product of f32
        kind = "XF32" if row.namespace == "amdgpu" else "TF32"
        name = f"{'MFMA' if row.namespace == 'amdgpu' else 'MMA_SYNC'}_F32_{'x'.join(map(str, shape))}_{kind}"
    else:
        name = _label("MFMA" if row.namespace == "amdgpu" else "MMA_SYNC", shape, dtypes)
    a, b, acc = (Distribution.from_fragment(f) for f in (mma.a, mma.b, mma.c))
    return MmaAtom(name, shape, dtypes, a, b, acc, single(_intrinsic(row)), (row.name,))


def wide(row: Any, target: str, times: int = 2) -> MmaAtom:
    """VMFMA: `times` of a dense AMD instruction along K, with K in another order: a lane holds as many times more
    neighbors, so that one wide read feeds all of them, and instruction i takes the i-th part of them."""
    row = row_of(row)
    mma, dtypes = row.mma, dtypes_of(row, target)
    assert mma is not None
    slots, groups = mma.a.slots, WAVE // mma.m
    shape = (mma.m, mma.n, mma.k * times)
    a = SubgroupLayout((1, 1), (mma.m, groups), (1, mma.m), (1, slots * times))
    parts = tuple(tuple(range(i * slots, (i + 1) * slots)) for i in range(times))
    acc = Distribution.from_fragment(mma.c)
    return MmaAtom(_label("VMFMA", shape, dtypes), shape, dtypes, a.distribution, a.transposed.distribution, acc,
                   split(_intrinsic(row), parts), (row.name,) * times)


def skinny(row: Any, target: str, times: int = 2) -> MmaAtom:
    """VDMFMA: an 8-row dense product out of `times` sparse instructions with 16 rows.

    Rows 2 i and 2 i + 1 of the sparse A are the dense row i. Lane 2 p holds the lower half of the pair's neighbors
    along K, lane 2 p + 1 the upper half; the instruction takes two of each for every four places along its K, and B's
    slots are put in that order. K is twice that of the padded dense instruction of the same time.

    Every product of the dense operation is made once, and no other: places that are implied zeros are not multiplied,
    so that NaN and infinity in B show where they would in the dense product. The order of the sum differs."""
    row = row_of(row)
    mma, dtypes = row.mma, dtypes_of(row, target)
    assert mma is not None and mma.sparse and mma.m == 16
    half, groups = mma.a.slots * times, WAVE // mma.m
    shape = (mma.m // 2, mma.n, mma.k * times)
    left, right = pair_slots(mma.a.slots, times)
    a = SubgroupLayout((1, 1), (mma.m // 2, groups), (2, mma.m), (1, 2 * half))
    b = SubgroupLayout((1, 1), (groups, mma.n), (mma.m, 1), (2 * half, 1))
    acc = SubgroupLayout((1, 1), (groups, mma.n), (mma.m, 1), (mma.c.slots // 2, 1))
    return MmaAtom(_label("VDMFMA", shape, dtypes, times), shape, dtypes, a.distribution, b.distribution,
                   acc.distribution, paired(_intrinsic(row), left, right), (row.name,) * times, expand, collapse)


def skinny_paired(row: Any, target: str, times: int = 2) -> MmaAtom:
    """VDMFMA with A in pairs: the same product, where lanes hold K in the order in which the instructions take it. Lane
    2 p has the first two of each four neighbors, lane 2 p + 1 the last two, and B's slots stay as they are: no register
    of B is moved. A is read two elements at a time, or is put in that order when it is stored to shared memory, as
    Hugging Face's kernel does."""
    base, mma = skinny(row, target, times), row_of(row).mma
    assert mma is not None
    stored, groups = mma.a.slots, WAVE // mma.m
    a = Encoding((), ((mma.m // 2,), (groups, stored * times // 2, 2, 2)), ((), (2, 1, 2)), ((), (0, 0, 2)), (2, 2),
                 (1, 3))
    left, _ = pair_slots(stored, times)
    right = tuple(tuple(range(2 * part[0], 2 * part[-1] + 2)) for part in left)
    lower = paired(_intrinsic(row_of(row)), left, right)
    return dataclasses.replace(base, name=base.name + PAIRED, a=Distribution(a, WAVE), lower=lower)


def pair_slots(stored: int, times: int) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """The slots of A and of B that each of `times` sparse instructions takes, which store so many elements of A a lane:
    four places along the instruction's K are two of the even lane, then two of the odd one."""
    half = stored * times
    left = tuple(tuple(range(i * stored, (i + 1) * stored)) for i in range(times))
    right = tuple(tuple(x for g in range(stored // 2) for x in _four(i * stored + 2 * g, half)) for i in range(times))
    return left, right


def skinny_halves(row: Any, target: str) -> MmaAtom:
    """VDMFMA out of one sparse instruction of gfx950, whose B lies in two halves of K while A does not.

    With `run` slots of B to a half and half / 4 groups of four in it: lane group g stores A for the instruction's K
    from 2 run g on, and B is in lane groups 2 (g % 2) and the next one, in half g / 2 of their slots. So K is counted
    by the lanes and slots of B, 2 run to a lane; within each half its slots are put in the order even lanes' first. A
    lane then holds two runs of run / 2 neighbors."""
    row = row_of(row)
    mma, dtypes = row.mma, dtypes_of(row, target)
    assert mma is not None and mma.sparse and mma.m == 16
    slots, groups = mma.b.slots, WAVE // mma.m
    run = slots // 2
    shape = (mma.m // 2, mma.n, mma.k)
    # K in factors: parity of the lane group, run, half, parity of the lane, neighbors.
    a = Encoding((), ((mma.m // 2,), (2, 2, 2, 2, run // 2)), ((), (2, 2, 1, 2)), ((), (2, 0, 0, 3)), (2, 2), (1, 4))
    b = SubgroupLayout((1, 1), (groups, mma.n), (mma.m, 1), (slots, 1))
    acc = SubgroupLayout((1, 1), (groups, mma.n), (mma.m, 1), (mma.c.slots // 2, 1))
    right = tuple(x for h in (0, run) for q in range(run // 4) for x in _four(h + 2 * q, run // 2))
    return MmaAtom(_label("VDMFMA", shape, dtypes, 1), shape, dtypes, Distribution(a, WAVE), b.distribution,
                   acc.distribution, paired(_intrinsic(row), (tuple(range(mma.a.slots)),), (right,)), (row.name,),
                   expand, collapse)


def _four(first: int, half: int) -> tuple[int, int, int, int]:
    """Two slots of the even lane and two of the odd one."""
    return first, first + 1, half + first, half + first + 1


def turned(row: Any, target: str) -> MmaAtom:
    """The product with its operands exchanged: the instruction's rows count N, its columns M. NVIDIA's 16 x 8 becomes 8
    x 16."""
    base = real(row, target)
    assert base.a is not None and base.b is not None
    m, n, k = base.shape
    shape, (da, db, dc) = (n, m, k), base.dtypes
    a, b, acc = (x.transposed for x in (base.b, base.a, base.acc))
    row = row_of(row)
    kind = base.name.rpartition("_")[2] if row.mma is not None and row.mma.ignored_bits else None
    name = f"VMMA_SYNC_F32_{'x'.join(map(str, shape))}_{kind}" if kind else _label("VMMA_SYNC", shape, (db, da, dc))
    return MmaAtom(name, shape, (db, da, dc), a, b, acc, swapped(_intrinsic(row)), (row.name,))


def group(form: Any, n: int, target: str) -> MmaAtom:
    """wgmma with N columns over a warpgroup, A and B in shared memory; `lower` takes their descriptors."""
    from avelang.isa.nvptx import wgmma

    row = row_of(f"nvvm.{form.name}")
    dtypes, shape = (form.a.dtype, form.b.dtype, form.d), (wgmma.M, n, form.k)
    acc = Distribution.from_fragment(wgmma.d_fragment(n))
    name = f"WGMMA_F32_{'x'.join(map(str, shape))}_TF32" if form.a.name == "tf32" else _label("WGMMA", shape, dtypes)
    return MmaAtom(name, shape, dtypes, None, None, acc, single(_intrinsic(row)), (row.name,))


def tensor(dtype: DType, m: int, n: int, target: str) -> MmaAtom:
    """tcgen05 of 64 or 128 rows and N columns, A and B in shared memory, sums in tensor memory; `lower` takes where
    sums are, two descriptors, the instruction descriptor, whether to add, and how many blocks multiply together.

    `acc` is how four warps, or for 128 rows eight, hold sums that they have loaded: each 16 rows, in the order of
    `wgmma`. Warp w reaches lanes 32 (w % 4) to + 31; of 64 rows 16 are in each 32 lanes."""
    from avelang.isa.nvptx import wgmma
    from avelang.isa.nvptx.tcgen05 import DEPTH
    kind = KINDS[dtype.name][0]
    row, acc = row_of(f"nvvm.tcgen05_mma_{kind}"), i32 if dtype.is_int else f32
    held = Distribution.from_fragment(wgmma.d_fragment(n))
    if m > wgmma.M:
        rows, cols = (x.reshape(held.waves, held.wave, held.elements) for x in held.index)
        apart = rows // 16 * 16 + rows  # the 16 rows of a warp begin a multiple of 32
        index = [np.concatenate([apart, apart + 16]), np.concatenate([cols, cols])]
        held = Distribution.of_index(index, (m, n), "sums in tensor memory")
    dtypes, shape = (dtype, dtype, acc), (m, n, DEPTH[kind])
    name = f"TCGEN05_F32_{'x'.join(map(str, shape))}_TF32" if kind == "tf32" else _label("TCGEN05", shape, dtypes)
    return MmaAtom(name, shape, dtypes, None, None, held, single_tensor(_intrinsic(row)), (row.name,))


# Rows from which virtual ones are made.
_WIDE = (
    "mfma_f32_16x16x16_f16", "mfma_f32_16x16x16_bf16", "mfma_f32_32x32x8_f16", "mfma_f32_32x32x8_bf16",
    "mfma_f32_16x16x32_fp8_fp8", "mfma_f32_32x32x16_fp8_fp8", "mfma_i32_16x16x32_i8", "mfma_i32_32x32x16_i8"
)
_SKINNY = (
    "smfmac_f32_16x16x32_f16", "smfmac_f32_16x16x32_bf16", "smfmac_i32_16x16x64_i8", "smfmac_f32_16x16x64_fp8_fp8",
    "smfmac_f32_16x16x64_bf8_bf8", "smfmac_f32_16x16x64_fp8_bf8", "smfmac_f32_16x16x64_bf8_fp8"
)

_HALVES = (
    "smfmac_f32_16x16x64_f16", "smfmac_f32_16x16x64_bf16", "smfmac_i32_16x16x128_i8", "smfmac_f32_16x16x128_fp8_fp8",
    "smfmac_f32_16x16x128_bf8_bf8", "smfmac_f32_16x16x128_fp8_bf8", "smfmac_f32_16x16x128_bf8_fp8"
)


GROUP_COLUMNS = (64, 128, 256)
TENSOR_ROWS = 128  # of which tcgen05 multiplies at the full rate


@takes("T301")
@functools.lru_cache
def mmas(target: str) -> tuple[MmaAtom, ...]:
    """All matrix products of one wave that a chip has, real ones first, and on sm_90a and sm_100a those of a warpgroup
    and of tensor memory, with 64, 128 and 256 columns. Raises U101 for a chip that is not known."""
    found = [_made(make, name, target) for make, name in _ways(target)]
    chip = chip_of(target)
    if "sm_90a" in chip.features:
        from avelang.isa.nvptx.wgmma import FORMS

        found += [group(form, n, target) for form in FORMS if not form.registers for n in GROUP_COLUMNS]
    if "sm_100a" in chip.features:
        found += [tensor(BY_NAME[dtype], TENSOR_ROWS, n, target) for dtype in KINDS for n in GROUP_COLUMNS]
    return tuple(found)


@functools.lru_cache
def mmas_of(target: str, dtypes: tuple[DType, DType, DType]) -> tuple[MmaAtom, ...]:
    """Those of `mmas` with these dtypes, of AMD's chips without making the others."""
    if chip_of(target).vendor != "amd":
        return tuple(x for x in mmas(target) if x.dtypes == dtypes)
    return tuple(_made(make, name, target) for make, name in _ways(target) if dtypes_of(row_of(name), target) == dtypes)


def _ways(target: str) -> list[tuple[Callable[[str, str], MmaAtom], str]]:
    """How each product that is made of a row is made: a function of the row's name and the chip, and the name."""
    from avelang.isa import ROWS

    chip = chip_of(target)
    dense = [r for r in ROWS.values() if r.mma and not r.mma.sparse and r.mma.blocks == 1 and chip.has(r)]
    found: list[tuple[Callable[[str, str], MmaAtom], str]] = [(real, r.name) for r in dense]
    if chip.vendor != "amd":
        return [*found, *((turned, r.name) for r in dense if r.mma and r.mma.m == 16)]
    for names, make in ((_WIDE, wide), (_SKINNY, skinny), (_SKINNY, skinny_paired), (_HALVES, skinny_halves)):
        found += [(make, name) for name in names if chip.has(row_of(name))]
    return found


@functools.cache
def _made(make: Callable[[str, str], MmaAtom], name: str, target: str) -> MmaAtom:
    return make(name, target)


@takes("T301")
def mma(name: str, target: str = "gfx942") -> MmaAtom:
    """The matrix product of that name on a chip, such as "VDMFMA_F32_8x16x64x2_F16". Raises T301 with the names that
    there are."""
    return named(mmas(target), name)
