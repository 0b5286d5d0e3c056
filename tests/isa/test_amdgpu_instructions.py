"""The instruction table: every entry against LLVM's assembler and scheduling model, and against AMD's own tables where
the wheel that has them is."""

from __future__ import annotations

import importlib.util
import pathlib
import re
import subprocess

import pytest

from avelang.amdgcn.asm import parse
from avelang.base.errors import AveError
from avelang.isa.amdgpu.instructions import CHIPS, FILE, InstrDesc, find, names
from avelang.sim.amdgcn import table
from avelang.sim.amdgcn.translator import Handler
from tools import need

_spec = importlib.util.spec_from_file_location(
    "amd_instructions", pathlib.Path(__file__).parents[2] / "tools" / "amd_instructions.py"
)
assert _spec is not None and _spec.loader is not None
tool = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tool)

# Suffixes of mnemonics by encoding.
SUFFIXES = {"vop1": "_e32", "vop2": "_e32", "vopc": "_e32", "vop3": "_e64", "dpp": "_dpp", "sdwa": "_sdwa"}
# Instructions with a constant of 32 bits among the operands.
LITERALS = [("fmaak", "f32"), ("fmamk", "f32"), ("madak", "f16"), ("madmk", "f16")]
SETREG = ("s_setreg_b32", "s_setreg_imm32_b32")
# Entries without a handler: the executor refuses them by name.
NOT_EXECUTED = re.compile(r"image_\w+|buffer_store_lds_dword")


def entries() -> dict[str, list[InstrDesc]]:
    """All entries by mnemonic, one or two."""
    found: dict[str, list[InstrDesc]] = {}
    for name in names():
        mine = [d for c in CHIPS if (d := find(name, c)) and d.name == name]
        found[name] = list(dict.fromkeys(mine))
    return {n: d for n, d in found.items() if d}


ENTRIES = entries()


def spellings(d: InstrDesc, chip: str) -> list[str]:
    """How an entry's mnemonic may be written on a chip."""
    return [n for n in names(chip) if (found := find(n, chip)) and found.name == d.name]


SPELLED = {c: {d: spellings(d, c) for of in ENTRIES.values() for d in of if c in d.chips} for c in CHIPS}


def accepted(lines: dict[tuple, str], chip: str) -> set[tuple]:
    """The keys of the lines that the assembler takes."""
    bad = tool.refused(list(lines.values()), chip, need("llvm-mc"))
    return {key for n, key in enumerate(lines) if n not in bad}


def test_every_line_is_an_entry():
    lines = [line for line in FILE.read_text().splitlines() if line and line[0] not in "#["]
    assert len(lines) == len(set(lines)) and sorted({line.split()[0] for line in lines}) == sorted(names())
    assert {c: len(names(c)) for c in CHIPS} == {"gfx90a": 1156, "gfx942": 1181, "gfx950": 1282}
    assert all(d.source and d.encodings and d.chips for of in ENTRIES.values() for d in of)
    assert max(map(len, FILE.read_text().splitlines())) <= 135


@pytest.mark.parametrize("chip", CHIPS)
def test_the_assembler_takes_an_entry_on_its_chips_alone(chip):
    """Mnemonic, number, kind and width of the operands: in one of its spellings on each of its chips, in none on
    others."""
    mine = SPELLED[chip]
    taken = {d for d, _ in accepted({(d, n): tool.sample(n, d, chip) for d, of in mine.items() for n in of}, chip)}
    assert {d.name for d in mine} - {d.name for d in taken} == set()
    others = {(d,): tool.sample(d.name, d, chip) for of in ENTRIES.values() for d in of if chip not in d.chips}
    assert {d.name for (d,) in accepted(others, chip)} == set()


def test_the_assembler_has_each_encoding_on_one_of_the_chips():
    want = {(d, e) for of in ENTRIES.values() for d in of for e in d.encodings if e in SUFFIXES}
    taken: set[tuple] = set()
    for chip in CHIPS:
        taken |= accepted({(d, e): tool.sample(d.name, d, chip, SUFFIXES[e]) for d, e in want if chip in d.chips}, chip)
    want -= {
        (d, "vop3") for d, _ in want if d.classes & {"readlane", "writelane"} and len(d.encodings) == 1
    }  # LLVM has no suffix where there is one
    assert {(d.name, e) for d, e in want - taken} == set() and len(want) > 1000


@pytest.mark.parametrize("chip", CHIPS)
def test_the_assembler_has_no_mnemonic_that_the_table_lacks(chip):
    """As far as the table's own names and their encodings go (`tools/amd_instructions.py` reads LLVM's library for all
    there may be)."""
    spelled = [n + form for n in names() for form in ("", "_e64", "_e32")]
    taken = {tool.bare(n) for n in tool.mnemonics(spelled, chip, need("llvm-mc"))}
    assert taken <= set(names(chip))
    for d in {
        find(n, chip) for n in set(names(chip)) - taken
    }:  # a matrix instruction that an earlier chip spells otherwise
        assert d is not None and d.passes[0] and chip == "gfx90a" and taken & set(SPELLED[chip][ENTRIES[d.name][0]])


@pytest.mark.parametrize("chip", CHIPS)
def test_llvm_says_alike_which_access_memory(chip):
    loads = {"load": "* ", "store": " *", "atomic": "**", "lds-load": "**", "lds-store": "**"}
    # LLVM 22's model ends the process at a buffer instruction that loads half a register.
    mine = [d for d in SPELLED[chip] if d.access and not ("mubuf" in d.encodings and d.operands[0].partial)]
    lines = [tool.sample(SPELLED[chip][d][0], d, chip) for d in mine]
    command = [
        need("llvm-mca"), "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={chip}", "-iterations=1", "-all-views=false",
        "-instruction-info", "-",
    ]  # fmt: skip
    out = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
    flags = [line[22] + line[29] for line in out.split("Instructions:\n")[1].splitlines() if re.match(r" \d", line)]
    odd = {(d.name, d.access, f) for d, f in zip(mine, flags, strict=True) if loads[d.access] != f}
    assert odd == set()


def test_amd_s_own_tables_have_the_operands():
    """CDNA3 and CDNA4, as the wheel `tinygrad` carries what AMD publishes as XML."""
    published = tool.published()
    if not published:
        pytest.skip("tinygrad is missing; install it with: pip install tinygrad")
    odd = set()
    for name in published.keys() & ENTRIES.keys():
        d = ENTRIES[name][0]
        have = [(x.lstrip("=")[0], int(x.lstrip("=")[1:] or 1)) for x in published[name].split()]
        address = {
            "p": ("v", 2),
            "q": ("v", 1),
            "n": ("v", 2),
            "o": ("s", 1),
        }  # which AMD's tables give no kind of their own
        mine = [(("s", o.count) if o.kind == "o" else address.get(o.kind, (o.kind, o.count))) for o in d.operands]
        if "lds" in name and d.access == "lds-load":
            have = have[1:]  # the encoding's field of a result, of which there is none
        if have != mine:
            odd.add((name, published[name]))
        read = name in SETREG or name.startswith(("s_cmpk_", "s_cbranch_i"))  # the field of a result holds a source
        assert read or all(
            o.written
            for x, o in zip(published[name].split(), d.operands, strict=False)
            if x[0] == "=" and d.access != "lds-load"
        )
    # There the registers' order is the encoding's, and constants behind an instruction are no operands.
    assert {name for name, *_ in odd} == {*SETREG, *(f"v_{x}_{t}" for x, t in LITERALS)}, sorted(odd)


# -- what derives from the table ---------------------------------------------------------------------------------------


def test_each_entry_has_a_handler_or_is_listed():
    lacking = {n for n in ENTRIES if n not in table.HANDLERS}
    assert {n for n in ENTRIES if NOT_EXECUTED.fullmatch(n)} == lacking and len(lacking) == 26


@pytest.mark.parametrize("name", ["v_add_f33", "v_mfma_f32_16x16x16f16", "v_add_f32_e32"])
def test_a_handler_needs_an_entry(name):
    """The second is a spelling of v_mfma_f32_16x16x16_f16, the third has an encoding's suffix."""
    handler: Handler = table.HANDLERS["v_add_f32"]
    with pytest.raises(ValueError, match=f"{name}.*has no entry"):
        table.register(name, handler)
    with pytest.raises(ValueError, match="two handlers for v_add_f32"):
        table.register("v_add_f32", handler)
    assert name not in table.HANDLERS


@pytest.mark.parametrize(
    ("chip", "line", "says"),
    [
        (
            "gfx942",
            "v_bitop3_b32 v0, v1, v2, v3 bitop3:1",
            "`v_bitop3_b32` is not an instruction of gfx942.*it is an instruction of gfx950",
        ),
        (
            "gfx950",
            "v_mac_f32 v0, v1, v2",
            "`v_mac_f32` is not an instruction of gfx950.*it is an instruction of gfx90a",
        ),
        (
            "gfx90a",
            "v_add_f33 v0, v1, v2",
            "`v_add_f33` is not an instruction of gfx90a.*Ave knows the instructions of",
        ),
        ("gfx1201", "s_wait_dscnt 0x0", "`s_wait_dscnt` is not an instruction of an AMD GPU"),
        ("", "v_nonsense v0", "`v_nonsense` is not an instruction of an AMD GPU"),
    ],
)
def test_an_unknown_mnemonic_is_an_error_with_its_line(chip, line, says):
    target = f'\t.amdgcn_target "amdgcn-amd-amdhsa--{chip}"\n' if chip else "\n"
    with pytest.raises(AveError, match=rf"(?s)\[X029\] k\.s:4: {says}"):
        parse(f"{target}k:\n\ts_nop 0\n\t{line}\n", "k.s")


def test_spellings_of_one_instruction_are_one_entry():
    older, newer = find("v_mfma_f32_32x32x8f16", "gfx90a"), find("v_mfma_f32_32x32x8_f16", "gfx942")
    assert (
        older is not None
        and newer is not None
        and older.name == newer.name
        and older.passes == newer.passes == (16, 8, 8)
    )
    first, second = (
        find("v_mfma_f32_32x32x4bf16", "gfx90a"),
        find("v_mfma_f32_32x32x4bf16", "gfx942"),
    )  # one name, two instructions
    assert (
        first is not None
        and second is not None
        and second.name == "v_mfma_f32_32x32x4_2b_bf16"
        and first.name != second.name
    )
