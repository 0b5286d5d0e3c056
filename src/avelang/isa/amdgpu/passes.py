"""How long a matrix instruction holds the matrix core: a mnemonic or a row's name and a chip come in, its number of
passes goes out.

A pass is four clocks. The numbers stand in the instruction table. Sources: AMD CDNA2, CDNA3 and CDNA4 ISA guides,
section 7 (tables of MFMA and SMFMAC instructions, column "Passes") and the peak rates in AMD's data sheets of MI250X,
MI300X and MI355X (`tests/isa/test_amdgpu_passes.py` holds every number against LLVM's scheduling model and those
rates).
"""

from __future__ import annotations

from avelang.base.errors import error
from avelang.isa.amdgpu.instructions import CHIPS, InstrDesc, bare, find
from avelang.isa.lowering import spelling
from avelang.isa.row import PUBLIC, ROWS

CLOCKS = 4  # of one pass
_EIGHT_BITS = (0, 1)  # of CBSZ and BLGP, in instructions named f8f6f4: what those say of A and B


def mnemonic(name: str) -> str:
    """The instruction of a matrix row, by the row's name or an alias of it; a mnemonic stays itself, without its
    encoding."""
    row = ROWS.get(name) or PUBLIC.get(f"amdgpu.{name}") or PUBLIC.get(name)
    if row is None or row.mma is None:
        return bare(name)
    own = "v_" + row.name.removeprefix("amdgpu.")
    intrinsic = (spelling(row.llvm.get("amdgpu")) or "").partition(".v")[0]  # without the types of an overload
    return own if find(own) else "v_" + intrinsic.removeprefix("llvm.amdgcn.").replace(".", "_")


def passes(name: str, chip: str, formats: tuple[int, int] = (0, 0)) -> int:
    """The passes, of four clocks each, that the matrix instruction `name` takes on `chip` ("gfx90a", "gfx942",
    "gfx950").

    `name`: a mnemonic of assembly in any generation's spelling ("v_mfma_f32_16x16x16_bf16",
    "v_mfma_f32_16x16x16bf16_1k"), or the name or an alias of a row. `formats`: CBSZ and BLGP of an instruction named
    f8f6f4; it takes half the time where neither operand has 8 bits. Raises U110 where it is no matrix instruction of
    that chip.
    """
    spelled = mnemonic(name)
    found = find(spelled, chip)
    n = found.passes[CHIPS.index(chip)] if found and chip in CHIPS else 0
    if not n or found is None:
        have = [c for n, c in enumerate(CHIPS) if (d := find(spelled, c)) and d.passes[n]]
        raise error(
            "U110", name=f"the matrix instruction {name}", chip=chip, have=", ".join(have) or "no chip that Ave knows"
        )
    return of_instruction(found, chip, formats)


def of_instruction(found: InstrDesc, chip: str, formats: tuple[int, int] = (0, 0)) -> int:
    """The passes of an entry of the table, 0 where the chip does not have it. `formats` as in `passes`."""
    n = found.passes[CHIPS.index(chip)]
    return n // 2 if "mixed" in found.classes and not set(formats) & set(_EIGHT_BITS) else n
