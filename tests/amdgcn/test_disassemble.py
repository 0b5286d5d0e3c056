"""Disassembly: against the assembler that made the code, against the compilers' own text of foreign kernels, library
against program."""

from __future__ import annotations

import random
import re

import pytest

from amdgcn.objects import assemble, gemm_assembly, gemm_object, text
from amdgcn.peers import IREE, KERNELS, TRITON, assembly, code_object
from avelang.amdgcn import disassemble as module
from avelang.amdgcn import tools
from avelang.amdgcn.asm import parse
from avelang.amdgcn.code_object import DESCRIPTOR_BYTES, read
from avelang.amdgcn.disassemble import disassemble
from avelang.amdgcn.link import link
from avelang.base.errors import AveError
from tools import disassembler, lld, need

LINES = [
    "s_load_dwordx2 s[2:3], s[0:1], 0x8", "v_add_f32_e32 v0, v1, v2", "v_add_f32_e64 v0, |v1|, -v2 clamp",
    "v_mov_b32_e32 v5, 0x12345678",
    "ds_read_b128 v[0:3], v4 offset:16", "buffer_load_dwordx4 v[0:3], v4, s[8:11], 0 offen offset:64",
    "s_waitcnt vmcnt(3) lgkmcnt(0)",
    "v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[2:3], a[0:15]", "global_store_dword v[0:1], v2, off offset:-8",
    "s_barrier",
    "v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
    "v_add_u32_sdwa v0, v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD "
    "src0_sel:WORD_1 src1_sel:DWORD", "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel_hi:[1,0,1]",
    "v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[2:5], v6",
]  # fmt: skip


@pytest.fixture(autouse=True)
def library():
    disassembler()


def code_of(source: str, chip: str = "gfx942") -> tuple[bytes, int]:
    lld()
    c = read(link(assemble(source, chip)))
    return c.code(c.kernel()), c.kernel().entry


def test_what_was_assembled_comes_back():
    code, entry = code_of(text(body="\n".join(f"\t{x}" for x in LINES), vgpr=64))
    got = disassemble(code, "gfx942", entry)
    assert [x.text for x in got] == [*LINES, "s_endpgm"]
    assert [x.address for x in got] == [entry + sum(y.size for y in got[:i]) for i in range(len(got))]
    assert b"".join(x.code for x in got) == code and {x.size for x in got} == {4, 8}


def test_branches_have_their_targets():
    body = (
        ".Ltop:\n\tv_mov_b32_e32 v0, 0x1234567\n\ts_cbranch_scc1 .Ltop\n\ts_branch .Lout\n\ts_nop 0\n.Lout:\n"
        "\ts_call_b64 s[4:5], .Ltop"
    )
    code, entry = code_of(text(body=body))
    got = disassemble(code, "gfx942", entry)
    assert [x.target for x in got] == [None, entry, entry + 20, None, entry, None]
    listed = module.listing(got, {entry: "k"})
    again = parse(listed)
    assert again.labels["k"] == 0 and again.labels[f".L{entry + 20:x}"] == 4
    assert [i.operands[-1].name for i in again.instructions if "branch" in i.name or "call" in i.name] == [
        "k",
        f".L{entry + 20:x}",
        "k",
    ]
    assert [i.address for i in again.instructions] == [x.address for x in got]


def test_a_branch_out_of_the_code_keeps_its_number():
    got = disassemble(bytes.fromhex("100082bf000081bf"), "gfx942", 0x1000)
    assert (got[0].text, got[0].target) == ("s_branch 16", 0x1044) and "s_branch 16 " in module.listing(got)


@pytest.mark.parametrize(
    "junk,want", [("ffffffff", [".long 0xffffffff"]), ("01", [".byte 1"]), ("0000bfbf0102", [".byte 1, 2"])]
)
def test_bytes_that_are_no_instruction_are_kept(junk, want):
    data = bytes.fromhex("000080bf") + bytes.fromhex(junk)
    got = disassemble(data, "gfx942", 0x100)
    assert (
        got[0].text == "s_nop 0"
        and [x.text for x in got][-len(want) :] == want
        and b"".join(x.code for x in got) == data
    )


def test_random_bytes_are_covered():
    rng = random.Random(5)
    for _ in range(20):
        data = rng.randbytes(rng.randrange(1, 400))
        got = disassemble(data, "gfx950", 64)
        assert b"".join(x.code for x in got) == data and all(x.size == len(x.code) for x in got)


def normal(line: str) -> str:
    """A spelling that two printers share: integers in decimal, 32 bits without sign, one space, no space at commas."""
    line = re.sub(r"(?<![\w.\[:])-?(0x[0-9a-f]+|\d+)(?![\w.])", lambda m: str(int(m[0], 0) & 0xFFFFFFFF), line)
    return re.sub(r"\s*,\s*", ",", " ".join(line.split()))


@pytest.mark.parametrize("peer", [TRITON, IREE])
def test_foreign_code_is_what_its_compiler_wrote(peer):
    """Every instruction, and where every branch goes, by its place in the text. The assembler filled the alignment of
    the loop's entry behind the first branch with `s_nop 0`, which the compiler's text does not have."""
    want, got = parse(assembly(peer)), parse(module.assembly(read(code_object(peer))))
    branch = next(i.index for i in got.instructions if i.name == "s_branch")
    fill = range(branch + 1, got.labels[got.instructions[branch].operands[0].name])
    assert len(fill) > 40 and all(got.instructions[i].text == "s_nop 0" for i in fill)
    kept = [i for i in got.instructions if i.index not in fill]
    place = {i.index: n for n, i in enumerate(kept)}
    assert len(want.instructions) == len(kept) > 300
    jumps = 0
    for a, b in zip(want.instructions, kept, strict=True):
        if "branch" in a.name:
            jumps += 1
            assert a.name == b.name and want.labels[a.operands[0].name] == place[got.labels[b.operands[0].name]], (
                a.text,
                b.text,
            )
        elif a.name == "s_waitcnt":
            assert a.mods == b.mods
        else:
            assert normal(a.text) == normal(b.text)
    assert jumps >= 3


@pytest.mark.parametrize("what", [TRITON, IREE, "gfx90a", "gfx942", "gfx950"])
def test_disassembly_assembles_to_the_same_code_object(what):
    lld()
    first = read(link(gemm_object(what)) if what.startswith("gfx") else code_object(what))
    again = read(link(assemble(module.assembly(first), first.chip)))
    a, b = first.kernel(), again.kernel()
    assert first.code(a) == again.code(b)
    shift = (b.entry - b.descriptor_address) - (a.entry - a.descriptor_address)
    one, two = (
        first.read(a.descriptor_address, DESCRIPTOR_BYTES),
        bytearray(again.read(b.descriptor_address, DESCRIPTOR_BYTES)),
    )
    two[16:24] = (int.from_bytes(two[16:24], "little") - shift).to_bytes(8, "little")
    assert one == bytes(two)
    assert (a.metadata, a.arguments) == (b.metadata, b.arguments) and first.metadata.keys() == again.metadata.keys()


def test_our_own_assembly_comes_back():
    lld()
    want, got = parse(gemm_assembly()), parse(module.assembly(read(link(gemm_object()))))
    assert [i.name for i in want.instructions] == [i.name for i in got.instructions]
    assert want.kernels["mfma_gemm"].directives.items() & got.kernels["mfma_gemm"].directives.items() >= {
        ("kernarg_size", 36), ("group_segment_fixed_size", 6144), ("accum_offset", 32),
        ("system_sgpr_workgroup_id_y", 1)}  # fmt: skip


def test_llvm_objdump_says_the_same(monkeypatch):
    path = need("llvm-objdump")
    c = read(code_object(TRITON))
    code = c.code(c.kernel()) + b"\xff\xff\xff\xff" + b"\x07\x08"
    want = disassemble(code, "gfx942", 0x1700)
    monkeypatch.setattr(module, "_library", lambda folder: None)
    assert disassemble(code, "gfx942", 0x1700) == want and path


def test_no_disassembler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("AVE_LLVM", str(tmp_path))
    with pytest.raises(AveError, match="needs libLLVM or llvm-objdump") as caught:
        disassemble(b"\0\0\0\0", "gfx942")
    assert caught.value.code == "D020" and str(tmp_path) in str(caught.value) and "apt-get install" in caught.value.hint


def test_libraries_that_are_too_old_or_broken_are_passed_by(tmp_path, monkeypatch):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libLLVM-99.so").write_bytes(b"no library")
    monkeypatch.setenv("AVE_LLVM", str(tmp_path))
    assert (
        list(tools.libraries()) == [str(tmp_path / "lib" / "libLLVM-99.so")] and module._library(str(tmp_path)) is None
    )
    monkeypatch.setattr(module, "OLDEST", 99)
    with pytest.raises(OSError, match="is LLVM"):
        monkeypatch.delenv("AVE_LLVM")
        module.Library(next(tools.libraries()))


def test_chips_that_are_not_amds():
    with pytest.raises(AveError, match="sm_90a") as caught:
        disassemble(b"", "sm_90a")
    assert caught.value.code == "U110"


def test_kernels_of_peers_by_name():
    c = read(code_object(IREE))
    assert module.assembly(c, KERNELS[IREE]) == module.assembly(c)
    with pytest.raises(AveError) as caught:
        module.assembly(c, "other")
    assert caught.value.code == "D023"


def test_branches_without_a_place_keep_their_text():
    """`s_cbranch_join` takes a register, not a place."""
    assert [x.target for x in disassemble(bytes.fromhex("6a2e80be" + "000080bf"), "gfx942")] == [None, None]
