"""How long a matrix instruction holds the matrix core: a mnemonic or a row's name and a chip come in, its number of passes goes out.

A pass is four clocks. Sources: AMD CDNA2, CDNA3 and CDNA4 ISA guides, section 7 (tables of MFMA and SMFMAC instructions, column "Passes") and
the peak rates in AMD's data sheets of MI250X, MI300X and MI355X (`tests/isa/test_amdgpu_passes.py` holds every number against LLVM's
scheduling model and those rates).
"""

from __future__ import annotations

import re

from avelang.base.errors import error

CLOCKS = 4  # of one pass

CHIPS = ("gfx90a", "gfx942", "gfx950")

# Operation, rows of A, types of A, extents of K; passes on each of CHIPS, 0 where the chip has no such instruction. Instructions of the
# same K and different numbers of blocks take the same time wherever a chip has both.
_TABLE: tuple[tuple[str, int, str, tuple[int, ...], tuple[int, int, int]], ...] = (
    ("mfma", 4, "f32", (1,), (2, 2, 2)),
    ("mfma", 4, "f16 bf16 i8", (4,), (2, 2, 2)),
    ("mfma", 4, "bf16", (2,), (2, 0, 0)),
    ("mfma", 4, "f64", (4,), (4, 4, 4)),
    ("mfma", 16, "f32", (1, 4), (8, 8, 8)),
    ("mfma", 16, "f16 bf16 i8", (4,), (8, 8, 8)),
    ("mfma", 16, "bf16", (2, 8), (8, 0, 0)),
    ("mfma", 16, "f16 bf16", (16,), (8, 4, 4)),
    ("mfma", 16, "i8", (16,), (8, 0, 0)),
    ("mfma", 16, "xf32", (8,), (0, 4, 0)),
    ("mfma", 16, "i8 fp8", (32,), (0, 4, 4)),
    ("mfma", 16, "f64", (4,), (8, 8, 16)),
    ("mfma", 16, "f16 bf16", (32,), (0, 0, 4)),
    ("mfma", 16, "i8", (64,), (0, 0, 4)),
    ("mfma", 16, "f8f6f4", (128,), (0, 0, 8)),
    ("mfma", 32, "f32", (1, 2), (16, 16, 16)),
    ("mfma", 32, "f16 bf16 i8", (4,), (16, 16, 16)),
    ("mfma", 32, "bf16", (2,), (16, 0, 0)),
    ("mfma", 32, "f16 bf16", (8,), (16, 8, 8)),
    ("mfma", 32, "i8", (8,), (16, 0, 0)),
    ("mfma", 32, "xf32", (4,), (0, 8, 0)),
    ("mfma", 32, "i8 fp8", (16,), (0, 8, 8)),
    ("mfma", 32, "f16 bf16", (16,), (0, 0, 8)),
    ("mfma", 32, "i8", (32,), (0, 0, 8)),
    ("mfma", 32, "f8f6f4", (64,), (0, 0, 16)),
    ("smfmac", 16, "f16 bf16", (32,), (0, 4, 4)),
    ("smfmac", 16, "i8 fp8", (64,), (0, 4, 4)),
    ("smfmac", 16, "f16 bf16", (64,), (0, 0, 4)),
    ("smfmac", 16, "i8 fp8", (128,), (0, 0, 4)),
    ("smfmac", 32, "f16 bf16", (16,), (0, 8, 8)),
    ("smfmac", 32, "i8 fp8", (32,), (0, 8, 8)),
    ("smfmac", 32, "f16 bf16", (32,), (0, 0, 8)),
    ("smfmac", 32, "i8 fp8", (64,), (0, 0, 8)),
)
PASSES: dict[tuple[str, int, int, str], tuple[int, int, int]] = {
    (operation, m, k, kind): counts for operation, m, kinds, ks, counts in _TABLE for kind in kinds.split() for k in ks
}

# v_mfma_f32_16x16x16_bf16, v_mfma_f32_32x32x4bf16_1k, v_mfma_i32_4x4x4_16b_i8, amdgpu.mfma_f32_16x16x32_fp8_bf8, mfma_16x16x4_f64_f64.
_NAME = re.compile(
    r"(?:amdgpu\.|v_)?(smfmac|mfma)_(?:scale_)?(?:[fi]\d\d_)?(\d+)x\2x(\d+)_?(?:\d+b_)?(f8f6f4|xf32|bf16|f16|f32|f64|i8|fp8|bf8)(?:_\w+)?"
)
_EIGHT_BITS = (0, 1)  # of CBSZ and BLGP, in instructions named f8f6f4: what those say of A and B


def is_matrix(name: str) -> bool:
    """Whether this mnemonic or row is a matrix instruction."""
    return _NAME.fullmatch(name) is not None


def passes(name: str, chip: str, formats: tuple[int, int] = (0, 0)) -> int:
    """The passes, of four clocks each, that the matrix instruction `name` takes on `chip` ("gfx90a", "gfx942", "gfx950").

    `name`: a mnemonic of assembly in any generation's spelling ("v_mfma_f32_16x16x16_bf16", "v_mfma_f32_16x16x16bf16_1k"), or the name or an
    alias of a row. `formats`: CBSZ and BLGP of an instruction named f8f6f4; it takes half the time where neither operand has 8 bits.
    Raises U110 where it is no matrix instruction of that chip.
    """
    found = _NAME.fullmatch(name)
    counts = (0, 0, 0)
    kind = ""
    if found is not None:
        operation, m, k, kind = found[1], int(found[2]), int(found[3]), found[4]
        kind = "fp8" if kind == "bf8" else kind
        if operation == "mfma" and kind == "fp8" and (operation, m, k, kind) not in PASSES:
            kind = "f8f6f4"  # a row of that instruction, which names the types of A and B
        counts = PASSES.get((operation, m, k, kind), counts)
    n = counts[CHIPS.index(chip)] if chip in CHIPS else 0
    if not n:
        have = [c for c, count in zip(CHIPS, counts, strict=True) if count]
        raise error("U110", name=f"the matrix instruction {name}", chip=chip, have=", ".join(have) or "no chip that Ave knows")
    return n // 2 if kind == "f8f6f4" and not set(formats) & set(_EIGHT_BITS) else n
