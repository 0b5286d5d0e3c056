"""A matrix product of one's own, made of another: an 8 x 16 x 64 product for few rows, and one with K in wide runs. No GPU is needed."""

from typing import Any

import avelang
import avelang.language as al
from avelang import tile


# Four products of 16 x 16 x 16, K in another order: a lane holds 16 neighbors along K, which it can read at once, and each instruction takes a
# quarter of them. Both operands are taken in the same order, so the product is the same.
@avelang.jit
def lower(a: Any, b: Any, acc: Any):
    for i in range(4):
        left, right = al.make_local((4,), al.bf16), al.make_local((4,), al.bf16)
        for j in range(4):
            left[j], right[j] = a[4 * i + j], b[4 * i + j]
        acc = al.amdgpu.mfma_f32_16x16x16_bf16(left, right, acc)
    return acc


# For each dimension: repetitions, lanes, how many lanes apart those stand, and neighbors that a lane holds.
A = tile.SubgroupLayout(outer=(1, 1), thread=(16, 4), tstrides=(1, 16), element=(1, 16))
ACC = tile.SubgroupLayout(outer=(1, 1), thread=(4, 16), tstrides=(16, 1), element=(4, 1))
MINE = tile.Mma("VMFMA_F32_16x16x64_BF16", (16, 16, 64), (al.bf16, al.bf16, al.f32), A, A.transposed, ACC, lower, ("mfma_f32_16x16x16_bf16",) * 4)


def main() -> None:
    # `check` runs it on integers, cancellation, NaN, infinities and zeros of both signs, here in executed gfx942 code.
    print(f"{MINE.name}: {len(tile.check(MINE))} cases agree with the dense product")
    theirs = tile.mma("VDMFMA_F32_8x16x64x2_F16")
    print(f"{theirs.name}: {len(tile.check(theirs))} cases agree, in {theirs.cycles('gfx942')} clocks of the matrix core")


if __name__ == "__main__":
    main()
