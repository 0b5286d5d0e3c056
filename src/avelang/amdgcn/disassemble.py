"""Machine code of an AMD GPU comes in; its instructions with addresses and sizes go out, or assembly text that an
assembler takes again.

LLVM's disassembler does it: in this process through the C API of libLLVM (LLVM 19 or newer), or `llvm-objdump` where
there is no such library.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import re
import struct
from collections.abc import Mapping
from typing import Any

from avelang.amdgcn.code_object import CodeObject, CodeObjectKernel
from avelang.amdgcn.elf import MACH, MACHINE, OS, RELOCATABLE
from avelang.amdgcn.tools import OLDEST, PACKAGE, libraries, run, search
from avelang.base import knobs
from avelang.base.errors import error
from avelang.isa.amdgpu.instructions import bare, find

TRIPLE = "amdgcn-amd-amdhsa"


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One instruction: `size` bytes at `address`; `target` is where a branch goes. Bytes that are no instruction are a
    `.long` or `.byte`."""

    address: int
    size: int
    text: str
    target: int | None
    code: bytes


class Library:
    """libLLVM's disassembler, through its C API."""

    def __init__(self, path: str):
        self.path = path
        lib = ctypes.CDLL(path)
        major = ctypes.c_uint()
        lib.LLVMGetVersion(ctypes.byref(major), None, None)
        if major.value < OLDEST:
            raise OSError(f"{path} is LLVM {major.value}")
        for part in ("TargetInfo", "TargetMC", "Disassembler"):
            getattr(lib, f"LLVMInitializeAMDGPU{part}")()
        lib.LLVMCreateDisasmCPUFeatures.restype = ctypes.c_void_p
        lib.LLVMCreateDisasmCPUFeatures.argtypes = [ctypes.c_char_p] * 3 + [
            ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p,
        ]  # fmt: skip
        lib.LLVMDisasmInstruction.restype = ctypes.c_size_t
        lib.LLVMDisasmInstruction.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_size_t,
        ]  # fmt: skip
        lib.LLVMDisasmDispose.argtypes = [ctypes.c_void_p]
        lib.LLVMDisasmDispose.restype = None
        self.library = lib

    def lines(self, code: bytes, chip: str, address: int) -> list[Line]:
        """The instructions of `code`."""
        handle = self.library.LLVMCreateDisasmCPUFeatures(TRIPLE.encode(), chip.encode(), b"", None, 0, None, None)
        if not handle:
            raise error("D021", tool=self.path, why=f"it has no disassembler for {chip}")
        buffer, out, at = ctypes.create_string_buffer(code, len(code)), ctypes.create_string_buffer(512), 0
        start, result = ctypes.addressof(buffer), []
        try:
            while at < len(code):
                size = self.library.LLVMDisasmInstruction(
                    handle, start + at, len(code) - at, address + at, out, len(out)
                )
                text = " ".join(out.value.decode().split()) if size else ""
                result.append(_line(code, at, size, address, text))
                at += result[-1].size
        finally:
            self.library.LLVMDisasmDispose(handle)
        return result


def _line(code: bytes, at: int, size: int, address: int, text: str) -> Line:
    if not size:  # no instruction: a word, or what is left of one
        size = min(4, len(code) - at)
        text = (
            f".long 0x{int.from_bytes(code[at : at + 4], 'little'):08x}"
            if size == 4
            else ".byte " + ", ".join(map(str, code[at:]))
        )
    found = re.match(r"s_(?:branch|cbranch_\w+) (-?\d\w*)$|s_call_b64 .*, (-?\d\w*)$", text)
    target = None
    if found:
        jump = int(found[1] or found[2], 0) & 0xFFFF  # in words, from the next instruction
        target = address + at + size + 4 * (jump - ((jump & 0x8000) << 1))
    return Line(address + at, size, text, target, code[at : at + size])


@functools.lru_cache(maxsize=1)
def _library(folder: str | None) -> Library | None:  # `folder` is what `libraries` reads: another one, another library
    for name in libraries():
        try:
            return Library(name)
        except (OSError, AttributeError):
            continue
    return None


def _wrapped(code: bytes, chip: str) -> bytes:
    """A relocatable object with nothing in it but this code, for tools that want a file."""
    names, flags = b"\0.text\0.shstrtab\0", next(number for number, name in MACH.items() if name == chip)
    at = 64 + len(code) + len(names)
    head = struct.pack(
        "<4sBBBBB7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, OS, 3, RELOCATABLE, MACHINE, 1, 0, 0, at, flags, 64, 0, 0, 64,
        3, 2,
    )  # fmt: skip
    rows = ((0,) * 10, (1, 1, 6, 0, 64, len(code), 0, 0, 4, 0), (7, 3, 0, 0, 64 + len(code), len(names), 0, 0, 1, 0))
    return head + code + names + b"".join(struct.pack("<IIQQQQIIQQ", *row) for row in rows)


def _by_objdump(path: str, code: bytes, chip: str, address: int) -> list[Line]:
    out = run([path, "-D", "--section=.text", f"--mcpu={chip}", "-"], _wrapped(code, chip)).decode(errors="replace")
    result: list[Line] = []
    for text, place, words in re.findall(r"^\s+(\S.*?)\s*// ([0-9A-F]{8,}):((?: [0-9A-F]{8})+)", out, re.M):
        at = int(place, 16)
        result.append(
            _line(code, at, 0 if text.startswith(".") else 4 * len(words.split()), address, " ".join(text.split()))
        )
    done = sum(x.size for x in result)
    return [*result, _line(code, done, 0, address, "")] if done < len(code) else result


def _program() -> str:
    """The llvm-objdump that stands in for the library. Raises D020."""
    path, looked = search("llvm-objdump")
    if path is None:
        shown = ", ".join(
            ["libLLVM of version 22 to 19" + (f" in {knobs.llvm()}/lib" if knobs.llvm() else ""), *looked]
        )
        install = f"apt-get install {PACKAGE['libLLVM']} or {PACKAGE['llvm-objdump']}, or set AVE_LLVM=FOLDER"
        raise error(
            "D020", purpose="disassembling AMD machine code", tool="libLLVM or llvm-objdump", looked=shown,
            install=install,
        )  # fmt: skip
    return path


def disassembler() -> str:
    """The name or path of what disassembles here. Raises D020 where there is nothing."""
    found = _library(knobs.llvm())
    return found.path if found else _program()


def disassemble(code: bytes, chip: str, address: int = 0) -> list[Line]:
    """The instructions of `code`, which stands at `address`, for a chip such as "gfx942". Raises U110 for a chip that
    is not AMD's, D020 where there is no disassembler."""
    if chip not in MACH.values():
        raise error("U110", name="a disassembler for AMD GPUs", chip=chip, have=", ".join(MACH.values()))
    if found := _library(knobs.llvm()):
        return found.lines(code, chip, address)
    return _by_objdump(_program(), code, chip, address)


def listing(lines: list[Line], labels: Mapping[int, str] | None = None) -> str:
    """Assembly text: each instruction with its address and words in a comment, branches to labels. `labels` names
    addresses; other places that are jumped to get names of their own. A branch out of the code keeps its number."""
    inside = {x.address for x in lines}
    names = {x.target: f".L{x.target:x}" for x in lines if x.target is not None and x.target in inside} | dict(
        labels or {}
    )
    out = []
    for x in lines:
        if x.address in names:
            out.append(f"{names[x.address]}:")
        text = x.text
        if x.target in names:
            text = re.sub(r"-?\w+$", names[x.target], text)
        words = " ".join(f"{w:08X}" for w in struct.unpack(f"<{len(x.code) // 4}I", x.code[: len(x.code) // 4 * 4]))
        out.append(f"\t{text:<59} // {x.address:012X}: {words}")
    return "\n".join(out) + "\n"


_LEAVES = ("s_swappc_b64", "s_setpc_b64", "s_call_b64")  # go where their text may not say


# What the assembler calls the fields of a descriptor, where the name is not the field's without `enable_`.
_DIRECTIVES: dict[str, str] = {
    **{f"enable_sgpr_{n}": f"user_sgpr_{n}"
       for n in ("private_segment_buffer", "dispatch_ptr", "queue_ptr", "kernarg_segment_ptr", "dispatch_id",
           "flat_scratch_init",
                 "private_segment_size")},
    **{f"enable_sgpr_workgroup_{n}": f"system_sgpr_workgroup_{n}" for n in ("id_x", "id_y", "id_z", "info")},
    "enable_vgpr_workitem_id": "system_vgpr_workitem_id", "enable_dx10_clamp": "dx10_clamp",
    "enable_ieee_mode": "ieee_mode",
    "fp16_ovfl": "fp16_overflow", "enable_exception_ieee_754_fp_invalid_operation": "exception_fp_ieee_invalid_op",
    "enable_exception_fp_denormal_source": "exception_fp_denorm_src",
    "enable_exception_ieee_754_fp_division_by_zero": "exception_fp_ieee_div_zero",
    "enable_exception_ieee_754_fp_overflow": "exception_fp_ieee_overflow",
    "enable_exception_ieee_754_fp_underflow": "exception_fp_ieee_underflow",
    "enable_exception_ieee_754_fp_inexact": "exception_fp_ieee_inexact",
    "enable_exception_int_divide_by_zero": "exception_int_div_zero",
    "kernarg_preload_length": "user_sgpr_kernarg_preload_length",
    "kernarg_preload_offset": "user_sgpr_kernarg_preload_offset",
    **{n: n for n in ("float_round_mode_32", "float_round_mode_16_64", "float_denorm_mode_32",
        "float_denorm_mode_16_64", "tg_split",
                      "uses_dynamic_stack")},
}  # fmt: skip
# Directives that only one kind of chip takes: those that set scratch up by hand are gfx90a's.
_GFX90A_ONLY = frozenset({"user_sgpr_private_segment_buffer", "user_sgpr_flat_scratch_init"})


def directives(kernel: CodeObjectKernel, chip: str) -> dict[str, int]:
    """The `.amdhsa_` directives, without that prefix, that make the kernel's descriptor."""
    d = kernel.descriptor
    out = {n: getattr(d, n) for n in ("group_segment_fixed_size", "private_segment_fixed_size", "kernarg_size")}
    scratch = "system_sgpr_private_segment_wavefront_offset" if chip == "gfx90a" else "enable_private_segment"
    # The assembler adds six scalar registers, for flat scratch, XNACK and VCC, to those that it is told of.
    sgprs = 8 * (d.bits["granulated_wavefront_sgpr_count"] + 1) - 6
    out |= {"next_free_vgpr": d.vgprs, "next_free_sgpr": sgprs, "accum_offset": d.accum_offset,
        scratch: d.bits["enable_private_segment"],
            "user_sgpr_count": d.bits["user_sgpr_count"]}  # fmt: skip
    return out | {
        name: d.bits[field] for field, name in _DIRECTIVES.items() if chip == "gfx90a" or name not in _GFX90A_ONLY
    }


def _yaml(value: Any, indent: int) -> list[str]:
    """Metadata as the lines of a YAML document, keys with their dot again."""
    pad, out = " " * indent, []
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, item in pairs:
        head = f"{pad}- " if isinstance(key, int) else f"{pad}{key if key.startswith('amdhsa.') else '.' + key}: "
        if isinstance(item, (Mapping, list)) and item:
            inner = _yaml(item, indent + 2)
            out += [head + inner[0].lstrip(), *inner[1:]] if isinstance(key, int) else [head.rstrip(), *inner]
        else:
            shown = str(item).lower() if isinstance(item, bool) else f"'{item}'" if isinstance(item, str) else item
            out.append(f"{head}{shown if not isinstance(item, (Mapping, list)) else '[]'}")
    return out


def _known(x: Line, chip: str) -> Line:
    """The line, as data where it is no instruction that there is: what fills the gaps between functions."""
    if find(bare(x.text.split()[0]), chip) is not None:
        return x
    words = struct.unpack(f"<{len(x.code) // 4}I", x.code[: len(x.code) // 4 * 4])
    return dataclasses.replace(x, text=".long " + ", ".join(f"0x{w:08x}" for w in words), target=None)


def _with_functions(code_object: CodeObject, kernel: CodeObjectKernel) -> tuple[list[Line], dict[int, str]]:
    """Instructions of the kernel and, where it leaves its own, of all that may be called; names of addresses."""
    lines, labels = disassemble(code_object.code(kernel), code_object.chip, kernel.entry), {kernel.entry: kernel.name}
    inside = range(kernel.entry, kernel.entry + kernel.code_bytes)
    if any(x.text.startswith(_LEAVES) or (x.target is not None and x.target not in inside) for x in lines):
        pieces = code_object.functions(kernel)
        read = ((first, code_object.read(first, end - first)) for first, end in pieces)
        found = [x for first, code in read for x in disassemble(code, code_object.chip, first)]
        lines = [x if x.address in inside else _known(x, code_object.chip) for x in found]
        named = (s for s in code_object.symbols.values() if s.defined and s.kind == "func")
        labels = {s.address: s.name for s in named if re.fullmatch(r"[.$\w]+", s.name)} | labels
    return lines, labels


def assembly(code_object: CodeObject, name: str | None = None, functions: bool = False) -> str:
    """The assembly of a kernel of a code object: target, instructions, descriptor, metadata. An assembler makes the
    same code and the same descriptor of it; data that the code refers to by address is not in it. With `functions`,
    what the kernel may call stands beside it, in the order of addresses. Raises D023 for an unknown kernel, else as
    `disassemble`."""
    kernel = code_object.kernel(name)
    if functions:
        lines, labels = _with_functions(code_object, kernel)
    else:
        lines = disassemble(code_object.code(kernel), code_object.chip, kernel.entry)
        labels = {kernel.entry: kernel.name}
    head = [f'\t.amdgcn_target "{TRIPLE}--{code_object.target}"',
        f"\t.amdhsa_code_object_version {code_object.version}", "\t.text",
            f"\t.globl {kernel.name}", "\t.p2align 8", f"\t.type {kernel.name},@function"]  # fmt: skip
    tail = [".Lend:", f"\t.size {kernel.name}, .Lend-{kernel.name}", '\t.section .rodata,"a",@progbits', "\t.p2align 6",
            f"\t.amdhsa_kernel {kernel.name}",
            *(f"\t\t.amdhsa_{k} {v}" for k, v in directives(kernel, code_object.chip).items()),
            "\t.end_amdhsa_kernel"]  # fmt: skip
    if code_object.metadata:
        arguments = [{k: v for k, v in dataclasses.asdict(a).items() if v != ""} for a in kernel.arguments]
        known = {**code_object.metadata, "amdhsa.kernels": [{**kernel.metadata, "args": arguments}]}
        tail += ["\t.amdgpu_metadata", "---", *_yaml(known, 0), "...", "\t.end_amdgpu_metadata"]
    return "\n".join(head) + "\n" + listing(lines, labels) + "\n".join(tail) + "\n"
