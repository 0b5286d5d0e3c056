"""Code objects: descriptors against what an assembler was told, metadata and segments against LLVM's own readers,
damaged files against a promise: an error of the catalogue, and nothing else."""

from __future__ import annotations

import random
import re
import shutil
import struct
import subprocess
import sys
import zlib

import pytest

from amdgcn.objects import assemble, gemm_object, text
from amdgcn.peers import IREE, KERNELS, TRITON, code_object
from avelang.amdgcn.code_object import BUNDLE, CodeObject, read
from avelang.amdgcn.link import link
from avelang.base.errors import AveError
from tools import lld, need


def linked(assembly: str, chip: str = "gfx942") -> CodeObject:
    lld()
    return read(link(assemble(assembly, chip)))


# A directive of the assembler, the field in which it ends up, and the values that it takes.
DIRECTIVES = {
    "user_sgpr_dispatch_ptr": ("enable_sgpr_dispatch_ptr", 1),
    "user_sgpr_queue_ptr": ("enable_sgpr_queue_ptr", 1),
    "user_sgpr_kernarg_segment_ptr": ("enable_sgpr_kernarg_segment_ptr", 1),
    "user_sgpr_dispatch_id": ("enable_sgpr_dispatch_id", 1),
    "user_sgpr_private_segment_size": ("enable_sgpr_private_segment_size", 1),
    "system_sgpr_workgroup_id_x": ("enable_sgpr_workgroup_id_x", 1),
    "system_sgpr_workgroup_id_y": ("enable_sgpr_workgroup_id_y", 1),
    "system_sgpr_workgroup_id_z": ("enable_sgpr_workgroup_id_z", 1),
    "system_sgpr_workgroup_info": ("enable_sgpr_workgroup_info", 1),
    "system_vgpr_workitem_id": ("enable_vgpr_workitem_id", 2), "float_round_mode_32": ("float_round_mode_32", 3),
    "float_round_mode_16_64": ("float_round_mode_16_64", 3), "float_denorm_mode_32": ("float_denorm_mode_32", 3),
    "float_denorm_mode_16_64": ("float_denorm_mode_16_64", 3), "dx10_clamp": ("enable_dx10_clamp", 1),
    "ieee_mode": ("enable_ieee_mode", 1),
    "fp16_overflow": ("fp16_ovfl", 1), "tg_split": ("tg_split", 1), "uses_dynamic_stack": ("uses_dynamic_stack", 1),
    "exception_fp_ieee_invalid_op": ("enable_exception_ieee_754_fp_invalid_operation", 1),
    "exception_fp_denorm_src": ("enable_exception_fp_denormal_source", 1),
    "exception_fp_ieee_div_zero": ("enable_exception_ieee_754_fp_division_by_zero", 1),
    "exception_fp_ieee_overflow": ("enable_exception_ieee_754_fp_overflow", 1),
    "exception_fp_ieee_underflow": ("enable_exception_ieee_754_fp_underflow", 1),
    "exception_fp_ieee_inexact": ("enable_exception_ieee_754_fp_inexact", 1),
    "exception_int_div_zero": ("enable_exception_int_divide_by_zero", 1),
}  # fmt: skip
OLDER = {  # of gfx90a, whose scratch is not set up by the hardware alone
    "user_sgpr_private_segment_buffer": ("enable_sgpr_private_segment_buffer", 1),
    "user_sgpr_flat_scratch_init": ("enable_sgpr_flat_scratch_init", 1),
}
SIZES = {"private_segment_buffer": 4, "dispatch_ptr": 2, "queue_ptr": 2, "kernarg_segment_ptr": 2, "dispatch_id": 2,
    "flat_scratch_init": 2,
         "private_segment_size": 1}  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("chip", ["gfx90a", "gfx942"])
def test_descriptor_is_what_the_assembler_was_told(chip, seed):
    rng = random.Random(seed)
    known = {**DIRECTIVES, **(OLDER if chip == "gfx90a" else {})}
    said = {name: rng.randint(0, most) for name, (_, most) in known.items()}
    sizes = {
        n: rng.randrange(0, 4096, 4) for n in ("group_segment_fixed_size", "private_segment_fixed_size", "kernarg_size")
    }
    preload = rng.randint(0, 3) if said["user_sgpr_kernarg_segment_ptr"] and chip != "gfx90a" else 0
    extra = {"user_sgpr_kernarg_preload_length": preload, "user_sgpr_kernarg_preload_offset": 1 if preload else 0}
    scratch = "enable_private_segment" if chip == "gfx942" else "system_sgpr_private_segment_wavefront_offset"
    vgpr, sgpr, extra[scratch] = rng.randint(24, 512), rng.randint(1, 90), rng.randint(0, 1)
    offset = rng.randrange(max(4, (vgpr - 256 + 3) // 4 * 4), min(vgpr, 256) + 1, 4)
    lines = "".join(f"\t.amdhsa_{n} {v}\n" for n, v in {**said, **sizes, **extra, "reserve_vcc": 0}.items())
    source = (
        text(chip=chip, vgpr=vgpr, directives=lines)
        .replace("accum_offset 8", f"accum_offset {offset}")
        .replace("free_sgpr 16", f"free_sgpr {sgpr}")
    )
    c = linked(source, chip)
    k, d = c.kernel("k"), c.kernel("k").descriptor
    assert {n: d.bits[field] for n, (field, _) in known.items()} == said
    assert {n: getattr(d, n) for n in sizes} == sizes and d.bits["enable_private_segment"] == extra[scratch]
    # Behind the kernel's own SGPRs stand six for flat scratch and XNACK.
    assert d.vgprs == -(-vgpr // 8) * 8 and d.accum_offset == offset and d.sgprs == -(-(sgpr + 6) // 16) * 16
    user = d.user_sgprs()
    at = 0
    for name, size in SIZES.items():
        if said.get(f"user_sgpr_{name}"):
            assert user[name] == (at, size)
            at += size
    assert user.get("kernarg_preload", (at, 0)) == (at, preload) and d.bits["user_sgpr_count"] == at + preload
    assert k.entry == k.descriptor_address + d.kernel_code_entry_byte_offset and k.code_bytes == 4
    assert struct.unpack("<I", c.code(k)) == (0xBF810000,)  # s_endpgm


@pytest.mark.parametrize("peer", [TRITON, IREE])
def test_foreign_files_against_llvm_readelf(peer):
    c = read(code_object(peer))
    assert (c.chip, c.target, c.version, list(c.kernels)) == ("gfx942", "gfx942", 5, [KERNELS[peer]])
    readelf = [need("llvm-readelf"), "--notes", "--symbols", "--segments", "--wide", "-"]
    out = subprocess.run(readelf, input=code_object(peer), capture_output=True, check=True).stdout.decode()
    k = c.kernel()
    yaml = dict(re.findall(r"^ +(?:- )?\.(\w+): +(\S+)$", out.split("amdhsa.kernels:")[1], re.M))
    for key in ("vgpr_count", "agpr_count", "sgpr_count", "vgpr_spill_count", "sgpr_spill_count",
        "max_flat_workgroup_size", "wavefront_size",
                "kernarg_segment_size", "group_segment_fixed_size", "private_segment_fixed_size"):  # fmt: skip
        assert k.count(key) == int(yaml[key]), key
    args = out.split(".args:")[1].split(".group_segment")[0]
    assert [a.value_kind for a in k.arguments] == re.findall(r"\.value_kind: +(\S+)", args)
    assert [str(a.offset) for a in k.arguments] == re.findall(r"\.offset: +(\d+)", args)
    assert [str(a.size) for a in k.arguments] == re.findall(r"\.size: +(\d+)", args)
    loads = re.findall(r"LOAD +0x\w+ 0x(\w+) 0x\w+ 0x(\w+) 0x(\w+) ([RWE ]{3})", out)
    assert [(s.address, len(s.data), s.size, s.flags) for s in c.segments] == [
        (int(a, 16), int(f, 16), int(m, 16), rwe.replace(" ", "").lower().replace("e", "x")) for a, f, m,
        rwe in loads]  # fmt: skip
    size, address = re.search(rf"(\w+) +(\d+) FUNC .* {k.name}$", out, re.M).group(2, 1)
    assert (k.code_bytes, k.entry) == (int(size), int(address, 16))


@pytest.mark.parametrize("what", [TRITON, IREE, "gfx90a", "gfx942", "gfx950"])
def test_descriptors_against_llvm_objdump(what, tmp_path):
    lld()
    (tmp_path / "x").write_bytes(link(gemm_object(what)) if what.startswith("gfx") else code_object(what))
    d = read((tmp_path / "x").read_bytes()).kernel().descriptor
    command = [need("llvm-objdump"), "-D", "--section=.rodata", str(tmp_path / "x")]
    said = dict(
        re.findall(r"\.amdhsa_(\w+) +(\w+)", subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    )
    compared = [(field, d.bits[field], int(said[name], 0)) for name, (field, _) in DIRECTIVES.items() if name in said]
    assert len(compared) > 20 and all(have == want for _, have, want in compared)
    assert (d.accum_offset, d.kernarg_size, d.vgprs) == tuple(
        int(said[n]) for n in ("accum_offset", "kernarg_size", "next_free_vgpr")
    )
    assert (d.group_segment_fixed_size, d.private_segment_fixed_size) == tuple(
        int(said[f"{n}_segment_fixed_size"]) for n in ("group", "private")
    )


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950"])
def test_kernels_of_ave(chip):
    lld()
    c = read(link(gemm_object(chip)))
    k = c.kernel("mfma_gemm")
    assert c.chip == chip and [(a.offset, a.size, a.value_kind) for a in k.arguments[:6]] == [
        (0, 8, "global_buffer"), (8, 8, "global_buffer"), (16, 8, "global_buffer"), (24, 4, "by_value"),
        (28, 4, "by_value"), (32, 4, "by_value")
    ]  # fmt: skip
    assert (
        k.descriptor.group_segment_fixed_size == 6144
        and k.count("max_flat_workgroup_size") == 64
        and k.count("wavefront_size") == 64
    )
    assert k.count("vgpr_count") <= k.descriptor.vgprs and k.count("vgpr_spill_count") == 0


@pytest.mark.parametrize("version", [4, 5, 6])
def test_versions(version):
    assert linked(text(version=version)).version == version


def test_version_3():
    """Its header says of features only whether they are on, in bits of their own."""
    data = bytearray(link(assemble(text(version=4))))
    data[8] = 1
    for flags, target in (
        (0x4C, "gfx942:sramecc-:xnack-"),
        (0x4C | 0x200, "gfx942:sramecc+:xnack-"),
        (0x4C | 0x300, "gfx942:sramecc+:xnack+"),
    ):
        data[48:52] = flags.to_bytes(4, "little")
        found = read(bytes(data))
        assert found.version == 3 and found.target == target and found.chip == "gfx942" and found.kernels


DATA = """
	.data
	.globl table
	.p2align 3
	.type table,@object
table:
	.quad hidden_one
	.quad open_one+4
	.long 7
	.size table, 20
	.hidden hidden_one
	.globl open_one
	.type open_one,@object
	.type hidden_one,@object
hidden_one:
	.long 1
	.size hidden_one, 4
open_one:
	.long 2, 3
	.size open_one, 8
	.bss
	.globl zeros
	.type zeros,@object
zeros:
	.zero 100
	.size zeros, 100
"""


@pytest.mark.parametrize("base", [0, 0x7F0000001000])
def test_relocations_are_applied(base):
    c = linked(text(more=DATA))
    assert {r.kind for r in c.relocations} == {3, 13}

    def at(address: int, size: int) -> int:
        for start, data in c.load(base):
            if start <= address < start + len(data):
                return int.from_bytes(data[address - start : address - start + size], "little")
        raise AssertionError(hex(address))

    table = base + c.symbols["table"].address
    assert at(at(table, 8), 4) == 1 and at(at(table + 8, 8), 4) == 3 and at(table + 16, 4) == 7
    assert at(base + c.symbols["zeros"].address + 96, 4) == 0 and c.read(c.symbols["zeros"].address, 100) == bytes(100)


def test_a_symbol_that_nothing_defines():
    lld()
    obj = assemble(text(more=DATA.replace(".quad open_one+4", ".quad elsewhere")))
    out = subprocess.run(
        [*lld(), "-shared", "-o", "-", "/dev/stdin"], input=obj, capture_output=True, check=True
    ).stdout
    with pytest.raises(AveError, match="nothing defines elsewhere") as caught:
        read(out).load()
    assert caught.value.code == "D021"


def test_unknown_kernels_and_addresses():
    c = read(code_object(TRITON))
    with pytest.raises(AveError, match="no kernel 'gem'") as caught:
        c.kernel("gem")
    assert caught.value.code == "D023" and "gemm" in caught.value.hint
    with pytest.raises(AveError, match="in no loaded segment") as caught:
        c.read(1 << 40, 4)
    assert caught.value.code == "D022"


def bundle(parts: dict[str, bytes]) -> bytes:
    head = sum(24 + len(t) for t in parts)
    out, body, at = BUNDLE + struct.pack("<Q", len(parts)), b"", len(BUNDLE) + 8 + head
    for triple, data in parts.items():
        out += struct.pack("<QQQ", at + len(body), len(data), len(triple)) + triple.encode()
        body += data
    return out + body


def test_bundles():
    one, host = code_object(TRITON), ("host-x86_64-unknown-linux-gnu-", b"")
    both = bundle(
        dict(
            [
                host,
                ("hipv4-amdgcn-amd-amdhsa--gfx942", one),
                ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", code_object(IREE)),
            ]
        )
    )
    assert list(read(both, "gfx942").kernels) == ["gemm"] and "gemm" not in read(both, "gfx90a").kernels
    assert list(read(bundle(dict([host, ("hip-amdgcn-amd-amdhsa--gfx942", one)]))).kernels) == ["gemm"]
    for data, chip, why in ((both, None, "gfx942, gfx90a:xnack-"), (both, "gfx950", "a bundle of"),
        (both[:60], None, "cut off"),
                            (bundle(dict([host])), None, "nothing for AMD"),
                            (b"CCOB" + both, None, "compressed")):  # fmt: skip
        with pytest.raises(AveError, match=why) as caught:
            read(data, chip)
        assert caught.value.code == "D022"


@pytest.mark.parametrize(
    "broken,why",
    [
        (lambda d: b"", "no ELF file"),
        (lambda d: d[:63], "ends after 63 bytes"),
        (lambda d: d[:18] + b"\xb7\x00" + d[20:], "machine 183"),
        (lambda d: d[:16] + b"\x01\x00" + d[18:], "not linked"),
        (lambda d: d[:8] + b"\x00" + d[9:], "ABI version is 0; .*3, 4, 5, 6"),
        (lambda d: d[:48] + b"\x41" + d[49:], "processor 0x41"),
        (lambda d: d[: len(d) // 2], "damaged|cut off"),
        (lambda d: d.replace(b"gemm.kd\0", b"gemm.kx\0"), "no gemm.kd"),
    ],
)
def test_what_is_no_code_object(broken, why):
    with pytest.raises(AveError, match=why) as caught:
        read(broken(code_object(TRITON)), what="x.hsaco")
    assert caught.value.code == "D022" and "x.hsaco" in str(caught.value)


@pytest.mark.parametrize("peer", [TRITON, IREE])
def test_damaged_files_never_end_in_a_traceback(peer):
    whole, rng = code_object(peer), random.Random(1)
    kinds = {"read": 0, "refused": 0}
    for i in range(160):
        data = bytearray(whole[: rng.randrange(len(whole))] if i % 4 == 0 else whole)
        for _ in range(rng.randint(1, 12) if i % 4 else 0):
            # Where damage matters: the headers, the notes, the symbols and the table of sections at the end.
            where = rng.choice(
                [rng.randrange(64, 2000), rng.randrange(len(data)), rng.randrange(max(1, len(data) - 1500), len(data))]
            )
            data[where % len(data)] = rng.randrange(256)
        try:
            c = read(bytes(data))
            for k in c.kernels.values():
                c.code(k)
                k.descriptor.user_sgprs()
            c.load(0x1000)
            kinds["read"] += 1
        except AveError as exc:
            assert exc.code in ("D021", "D022")
            kinds["refused"] += 1
    assert min(kinds.values()) > 20


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "elftools.elf.elffile", None)
    with pytest.raises(AveError, match="pyelftools") as caught:
        read(code_object(TRITON))
    assert caught.value.code == "D020" and "pip install pyelftools msgpack" in caught.value.hint


METADATA = """
	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: {size}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - {{.name: x, .offset: 0, .size: {size}, .value_kind: by_value}}
	.end_amdgpu_metadata
"""


def test_libraries_of_kernels(tmp_path):
    """Files that were linked from several have a note of metadata each; people leave out the sizes of their symbols."""
    files = []
    for name, size in (("first", 4), ("second", 8), ("third", 16)):
        source = re.sub(r"\bk\b", name, text("\tv_mov_b32 v1, v2\n" * size, directives=f".amdhsa_kernarg_size {size}"))
        source = re.sub(r"\t\.size .*\n", "", source) + METADATA.format(name=name, size=size)
        files.append(tmp_path / f"{name}.o")
        files[-1].write_bytes(assemble(source))
    subprocess.run([*lld(), "-shared", *map(str, files), "-o", str(tmp_path / "all.co")], check=True)
    found = read((tmp_path / "all.co").read_bytes())
    for name, size in (("first", 4), ("second", 8), ("third", 16)):
        k = found.kernel(name)
        assert [(a.name, a.size) for a in k.arguments] == [("x", size)]
        code = found.code(k)
        assert code.count(bytes.fromhex("0203027e")) == size, name


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("method", ["zlib", "zstd"])
def test_compressed_bundles(version, method):
    whole = bundle({"hipv4-amdgcn-amd-amdhsa--gfx942": link(assemble(text("\tv_mov_b32 v1, v2\n")))})
    if method == "zlib":
        body = zlib.compress(whole)
    else:
        if not shutil.which("zstd"):
            pytest.skip("zstd is not installed: apt-get install zstd")
        body = subprocess.run(["zstd", "-c"], input=whole, capture_output=True, check=True).stdout
    sizes = {
        1: struct.pack("<I", len(whole)),
        2: struct.pack("<II", 0, len(whole)),
        3: struct.pack("<QQ", 0, len(whole)),
    }[version]
    data = b"CCOB" + struct.pack("<HH", version, method == "zstd") + sizes + bytes(8) + body
    assert list(read(data).kernels) == ["k"]
    for bad in (data[:60], data[:4] + b"\x09" + data[5:], data[:6] + b"\x07" + data[7:], data[:5]):
        with pytest.raises(AveError, match=r"D022.*compressed bundle"):
            read(bad)
