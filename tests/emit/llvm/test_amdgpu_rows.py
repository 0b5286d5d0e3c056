"""Every row of `al.amdgpu`, on every chip that has it, once for each type that its operands may have: the instruction
that comes out."""

from __future__ import annotations

import re

import pytest

import avelang.isa.amdgpu  # noqa: F401  (registers the rows)
from avelang.arch import CHIPS
from avelang.isa.amdgpu.scaled import FORMATS
from avelang.isa.row import ROWS, Row, types_on
from emit.llvm.gpu import assembly, counts, program
from emit.llvm.gpu_rows import RowKernel

AMD = [c.name for c in CHIPS.values() if c.vendor == "amd"]
CASES = [(row, chip) for row in ROWS.values() for chip in AMD if row.namespace == "amdgpu" and CHIPS[chip].has(row)]

# What must stand in the assembly: a row's own mnemonic, unless it is here. None: nothing of it is left in the text.
FOUND: dict[str, str | None] = {
    "atomic_add": r"\t(global_atomic_(add|pk_add)\w*|buffer_atomic\w+)",
    "readfirstlane": r"v_readfirstlane_b32", "get_dpp": r"_dpp .*quad_perm:\[0,0,0,0\]", "ballot": r"v_cmp_\w+ s\[",
    "make_rsrc": "0x27000",
    "perm": "v_perm_b32", "rcp": "v_rcp_f32", "rsq": "v_rsq_f32", "exp2": "v_exp_f32", "log2": "v_log_f32",
    "mbcnt_lo": "v_mbcnt_lo_u32_b32", "mbcnt_hi": "v_mbcnt_hi_u32_b32",
    "raw_buffer_load_x1_lds": "buffer_load_ubyte .* lds",
    "s_waitcnt": None, "s_nop": "s_nop 0", "sched_barrier": None, "sched_group_barrier": None,
    **{f"raw_buffer_{how}_x{n}": rf"buffer_{how}_dword{'' if n == 1 else f'x{n}'} " for how in ("load",
        "store") for n in (1, 2, 4)},
}  # fmt: skip


def expected(row: Row) -> str | None:
    name = row.name.removeprefix("amdgpu.")
    if name in FOUND:
        return FOUND[name]
    if name.startswith("mfma_scale"):
        return r"\tv_mfma_scale_f32_\d+x\d+x\d+_f8f6f4"
    if row.mma is None or "smfmac" in name:
        return rf"\t(v_)?{name}"
    # Mnemonics of gfx90a have neither blocks nor separators; the 8-bit instruction of gfx950 has one name for all
    # formats.
    head, _, rest = name.partition("_")
    if row.mma.k >= 64 and "8" in rest and "i8" not in rest:
        return rf"\tv_mfma_f32_{row.mma.m}x{row.mma.m}x{row.mma.k}_f8f6f4"
    loose = re.sub(r"_(\d+b)_", r"(_\1)?_", rest).replace("_", "_?")
    return rf"\tv_{head}_{loose}(_1k)?"


@pytest.mark.parametrize("chip", AMD)
def test_every_row_is_selected(chip):
    """One kernel for each choice of types. A name that LLVM does not know would be a call, which the text would
    show."""
    for row, c in CASES:
        if c != chip:
            continue
        picks = max([1, *(len(types_on(p, CHIPS[chip].features)) for p in row.operands)])
        for pick in range(picks):
            if row.name == "amdgpu.atomic_add" and chip == "gfx90a" and pick == 4:
                continue  # pairs of bf16, which that chip has not
            text = assembly(RowKernel(row, chip, pick).kernel, chip)
            want = expected(row)
            assert want is None or re.search(want, text), (row.name, pick, text)
            assert "s_swappc" not in text and "@rel32" not in text, row.name


def test_all_rows_are_there():
    assert {row.name for row, _ in CASES} == {name for name in ROWS if name.startswith("amdgpu.")}


@pytest.mark.parametrize("size", [1, 2, 4, 12, 16])
def test_sizes_of_direct_loads(size):
    row = ROWS["amdgpu.raw_buffer_load_x1_lds"]
    kind = {1: "ubyte", 2: "ushort", 4: "dword", 12: "dwordx3", 16: "dwordx4"}[size]
    assert f"buffer_load_{kind} v" in assembly(
        RowKernel(row, "gfx950", consts={"size": size, "offset": 64}).kernel, "gfx950"
    )


def test_wide_direct_loads_need_gfx950():
    from avelang.base.errors import AveError

    with pytest.raises(AveError) as e:
        program(RowKernel(ROWS["amdgpu.raw_buffer_load_x1_lds"], "gfx942", consts={"size": 16}).kernel, "gfx942")
    assert e.value.code == "U103"


CONSTS = [
    (
        "get_dpp",
        {"dpp_ctrl": 0x112, "row_mask": 5, "bank_mask": 3, "bound_ctrl": 1},
        "row_shr:2 row_mask:0x5 bank_mask:0x3",
    ),
    ("get_dpp", {"dpp_ctrl": 0x142, "row_mask": 10}, "row_bcast:15 row_mask:0xa"),
    ("ds_swizzle", {"pattern": 0x8000 | 0xB1}, r"swizzle\(QUAD_PERM,1,0,3,2\)"),
    ("mfma_f32_32x32x4_2b_f16", {"cbsz": 1, "abid": 1, "blgp": 3}, "cbsz:1 abid:1 blgp:3"),
    ("smfmac_f32_16x16x32_f16", {"cbsz": 1, "abid": 2}, "cbsz:1 abid:2"),
    ("cvt_pk_fp8_f32", {"word_sel": 1}, r"op_sel:\[0,0,1\]"),
    ("cvt_f32_fp8", {"byte": 2}, "src0_sel:BYTE_2"),
    ("raw_buffer_load_x4", {"aux": 3}, "sc0 nt"),
    ("s_setprio", {"priority": 3}, "s_setprio 3"),
    ("s_sleep", {"amount": 5}, "s_sleep 5"),
]


@pytest.mark.parametrize(("name", "consts", "shown"), CONSTS, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(CONSTS)])
def test_constants_arrive(name, consts, shown):
    assert re.search(shown, assembly(RowKernel(ROWS[f"amdgpu.{name}"], "gfx942", consts=consts).kernel, "gfx942"))


@pytest.mark.parametrize(("a", "b", "shown"), [("fp8", "fp8", ""), ("bf8", "fp8", "cbsz:1"), ("fp8", "bf8", "blgp:1")])
def test_formats_of_the_8_bit_instruction(a, b, shown):
    text = assembly(RowKernel(ROWS[f"amdgpu.mfma_f32_16x16x128_{a}_{b}"], "gfx950").kernel, "gfx950")
    line = re.search(r"v_mfma_f32_16x16x128_f8f6f4[^\n]*", text)
    assert line and shown in line[0] and ("cbsz" in line[0]) == (a == "bf8") and ("blgp" in line[0]) == (b == "bf8")


@pytest.mark.parametrize("a", FORMATS)
@pytest.mark.parametrize("b", FORMATS)
def test_formats_and_scales_arrive(a, b):
    """As many registers as the formats need; the byte of a scale by two bits of op_sel."""
    consts = {"part_a": 1, "part_b": 2}
    text = assembly(
        RowKernel(ROWS[f"amdgpu.mfma_scale_f32_32x32x64_{a}_{b}"], "gfx950", consts=consts).kernel, "gfx950"
    )
    line = re.search(r"v_mfma_scale_f32_32x32x64_f8f6f4 \S+, v\[(\d+):(\d+)\], v\[(\d+):(\d+)\], [^\n]*", text)
    assert (
        line
        and int(line[2]) - int(line[1]) == FORMATS[a].words - 1
        and int(line[4]) - int(line[3]) == FORMATS[b].words - 1
    )
    assert "op_sel:[1,0,0] op_sel_hi:[0,1,0]" in line[0]
    codes = [re.search(rf"{name}:(\d)", line[0]) for name in ("cbsz", "blgp")]
    assert [int(c[1]) if c else 0 for c in codes] == [FORMATS[a].code, FORMATS[b].code]


ZERO = """kernel @k(%p: ptr<u32, global>, %q: ptr<f32, global>) {'wave': 64, 'chip': 'gfx950', 'file': ''} {
  %l = lane_id : u32
  %w = convert(%l) : i64
  %n = const {'value': 16} : i64
  %o = mul(%w, %n) : i64
  %a = ld(%p, %o) {'align': 16} : vec<4 x u32>
  %c = ld(%q, %o) {'align': 16} : vec<4 x f32>
  %z = const {'value': 0} : u32
  %d = amdgpu.mfma_scale_f32_16x16x128_fp4_fp4(%a, %a, %c, %z, %z) {'part_a': 0, 'part_b': 0} : vec<4 x f32>
  st(%d, %q, %o) {'align': 16}
}"""


def test_scales_of_zero_are_scales():
    """2**-127 twice: without care LLVM takes two zeros for no scales."""
    from avelang.ir.text import parse_kernel

    assert "v_mfma_scale_f32_16x16x128_f8f6f4" in assembly(parse_kernel(ZERO), "gfx950")


def test_operands_of_mfma_are_not_swapped():
    """A comes from the first array, B from the second, C from the third."""
    body = program(RowKernel(ROWS["amdgpu.mfma_f32_16x16x16_f16"], "gfx942").kernel, "gfx942").text
    call = re.search(r"mfma\.f32\.16x16x16f16\(<4 x half> (%v\d+), <4 x half> (%v\d+), <4 x float> (%v\d+)", body)
    assert call

    def parameter(value: str) -> str:
        """The parameter that a value was loaded from."""
        line = re.search(rf"^  {value} = (.*)$", body, re.M)
        assert line
        inner = re.search(r"%(\w+_\d+)", line[1])
        return inner[1] if inner else parameter(re.search(r"%v\d+", line[1])[0])

    assert [parameter(v).split("_")[0] for v in call.groups()] == ["a", "b", "c"]


@pytest.mark.parametrize(("scope", "text"), [(0, 'syncscope("workgroup")'), (1, 'syncscope("agent")'), (2, "")])
def test_scopes_of_atomics(scope, text):
    body = program(
        RowKernel(ROWS["amdgpu.atomic_add"], "gfx942", pick=2, consts={"scope": scope}).kernel, "gfx942"
    ).text
    line = re.search(r"atomicrmw fadd.*", body)
    assert line and text in line[0] and ("syncscope" in line[0]) == (scope < 2)
    # Floats in memory that several devices share have no atomic addition: across the system LLVM must look before it
    # adds.
    assert ("no.fine.grained" in line[0]) == (scope < 2)


def test_an_atomic_whose_result_nobody_reads():
    n = counts(assembly(RowKernel(ROWS["amdgpu.atomic_add"], "gfx942", pick=2).kernel, "gfx942"))
    assert n["global_atomic_add_f32"] == 1
