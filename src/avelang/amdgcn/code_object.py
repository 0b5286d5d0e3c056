"""The bytes of an AMD GPU's code object, ours or anyone's, come in; a `CodeObject` goes out: kernels, their descriptors
and metadata, segments.

Layout of the descriptor, of the notes and of the metadata: LLVM, "User Guide for AMDGPU Backend", sections "Kernel
Descriptor", "Note Records" and "Code Object V3 Metadata" to "V5 Metadata". ELF is read by pyelftools, the metadata by
msgpack; `pip install pyelftools msgpack` gets both.
"""

from __future__ import annotations

import bisect
import dataclasses
import importlib
import importlib.util
import io
import itertools
import shutil
import struct
import subprocess
import zlib
from collections.abc import Mapping
from typing import Any

from avelang.amdgcn.elf import MACH, SHARED, header, target_id
from avelang.base.errors import AveError, error

DESCRIPTOR_BYTES = 64
NOTE = ("AMDGPU", 32)  # owner and type of the metadata's note
VERSIONS = {1: 3, 2: 4, 3: 5, 4: 6}  # the header's ABI version to the version of code objects

# Fields of the descriptor's words: name, first bit, number of bits. gfx90a and newer of the gfx9 family.
RSRC1 = (
    ("granulated_workitem_vgpr_count", 0, 6), ("granulated_wavefront_sgpr_count", 6, 4), ("priority", 10, 2),
    ("float_round_mode_32", 12, 2),
    ("float_round_mode_16_64", 14, 2), ("float_denorm_mode_32", 16, 2), ("float_denorm_mode_16_64", 18, 2),
    ("priv", 20, 1),
    ("enable_dx10_clamp", 21, 1), ("debug_mode", 22, 1), ("enable_ieee_mode", 23, 1), ("bulky", 24, 1),
    ("cdbg_user", 25, 1), ("fp16_ovfl", 26, 1),
)  # fmt: skip
RSRC2 = (
    ("enable_private_segment", 0, 1), ("user_sgpr_count", 1, 5), ("enable_trap_handler", 6, 1),
    ("enable_sgpr_workgroup_id_x", 7, 1),
    ("enable_sgpr_workgroup_id_y", 8, 1), ("enable_sgpr_workgroup_id_z", 9, 1), ("enable_sgpr_workgroup_info", 10, 1),
    ("enable_vgpr_workitem_id", 11, 2), ("enable_exception_address_watch", 13, 1), ("enable_exception_memory", 14, 1),
    ("granulated_lds_size", 15, 9), ("enable_exception_ieee_754_fp_invalid_operation", 24, 1),
    ("enable_exception_fp_denormal_source", 25, 1),
    ("enable_exception_ieee_754_fp_division_by_zero", 26, 1), ("enable_exception_ieee_754_fp_overflow", 27, 1),
    ("enable_exception_ieee_754_fp_underflow", 28, 1), ("enable_exception_ieee_754_fp_inexact", 29, 1),
    ("enable_exception_int_divide_by_zero", 30, 1),
)  # fmt: skip
RSRC3 = (("accum_offset", 0, 6), ("tg_split", 16, 1))
PROPERTIES = (
    ("enable_sgpr_private_segment_buffer", 0, 1), ("enable_sgpr_dispatch_ptr", 1, 1), ("enable_sgpr_queue_ptr", 2, 1),
    ("enable_sgpr_kernarg_segment_ptr", 3, 1), ("enable_sgpr_dispatch_id", 4, 1),
    ("enable_sgpr_flat_scratch_init", 5, 1),
    ("enable_sgpr_private_segment_size", 6, 1), ("enable_wavefront_size32", 10, 1), ("uses_dynamic_stack", 11, 1),
)  # fmt: skip
PRELOAD = (("kernarg_preload_length", 0, 7), ("kernarg_preload_offset", 7, 9))

# The user SGPRs in the order in which they are filled, and how many each takes.
USER_SGPRS = (
    ("private_segment_buffer", 4), ("dispatch_ptr", 2), ("queue_ptr", 2), ("kernarg_segment_ptr", 2),
    ("dispatch_id", 2), ("flat_scratch_init", 2),
    ("private_segment_size", 1),
)  # fmt: skip

# Relocations of a linked file (LLVM, same document, "Relocation Records"): bytes that are written, and which part of
# the value.
ABSOLUTE = {1: (4, 0), 2: (4, 32), 3: (8, 0), 6: (4, 0), 13: (8, 0)}  # ABS32_LO, ABS32_HI, ABS64, ABS32, RELATIVE64
RELATIVE = {4: (4, 0), 5: (8, 0), 10: (4, 0), 11: (4, 32)}  # REL32, REL64, REL32_LO, REL32_HI


@dataclasses.dataclass(frozen=True, slots=True)
class Descriptor:
    """A kernel descriptor. `bits` holds the named fields of its words as they are stored; properties say what they
    stand for."""

    group_segment_fixed_size: int
    private_segment_fixed_size: int
    kernarg_size: int
    kernel_code_entry_byte_offset: int
    bits: Mapping[str, int]

    @property
    def vgprs(self) -> int:
        """Vector registers that a wave gets, accumulation registers included: a multiple of 8."""
        return 8 * (self.bits["granulated_workitem_vgpr_count"] + 1)

    @property
    def sgprs(self) -> int:
        """Scalar registers that a wave gets: a multiple of 16."""
        return 16 * (self.bits["granulated_wavefront_sgpr_count"] // 2 + 1)

    @property
    def accum_offset(self) -> int:
        """The number of the vector register that a0 is."""
        return 4 * (self.bits["accum_offset"] + 1)

    def user_sgprs(self) -> dict[str, tuple[int, int]]:
        """(first SGPR, number) of each user value that the kernel asks for, in order, preloaded arguments last. Those
        of the work-group's number follow behind `user_sgpr_count`."""
        out, at = {}, 0
        for name, count in USER_SGPRS:
            if self.bits[f"enable_sgpr_{name}"]:
                out[name] = (at, count)
                at += count
        if self.bits["kernarg_preload_length"]:
            out["kernarg_preload"] = (at, self.bits["kernarg_preload_length"])
        return out


def fields(word: int, layout: tuple[tuple[str, int, int], ...]) -> dict[str, int]:
    """The named fields of a word."""
    return {name: word >> first & (1 << count) - 1 for name, first, count in layout}


def descriptor(data: bytes) -> Descriptor:
    """A descriptor from its 64 bytes."""
    lds, scratch, kernarg, entry, rsrc3, rsrc1, rsrc2, properties, preload = struct.unpack("<III4xq20xIIIHH4x", data)
    words = ((rsrc1, RSRC1), (rsrc2, RSRC2), (rsrc3, RSRC3), (properties, PROPERTIES), (preload, PRELOAD))
    return Descriptor(
        lds, scratch, kernarg, entry, {k: v for word, layout in words for k, v in fields(word, layout).items()}
    )


@dataclasses.dataclass(frozen=True, slots=True)
class ArgumentMetadata:
    """One argument, or one hidden argument (`value_kind` begins with "hidden_"), of a kernel: bytes [offset, offset +
    size) of its segment."""

    name: str
    offset: int
    size: int
    value_kind: str
    address_space: str


@dataclasses.dataclass(frozen=True, slots=True)
class CodeObjectKernel:
    """A kernel: `entry` and `descriptor_address` are addresses in the file's own numbering; `metadata` is the note's
    map of it, with keys that have lost their dot."""

    name: str
    descriptor: Descriptor
    descriptor_address: int
    entry: int
    code_bytes: int
    arguments: tuple[ArgumentMetadata, ...]
    metadata: Mapping[str, Any]

    def count(self, key: str) -> int:
        """A number of the metadata ("vgpr_count", "agpr_count", "sgpr_count", "vgpr_spill_count", "sgpr_spill_count",
        "wavefront_size", "max_flat_workgroup_size"), 0 where it is not said."""
        value = self.metadata.get(key, 0)
        return value if isinstance(value, int) else 0


@dataclasses.dataclass(frozen=True, slots=True)
class Segment:
    """A segment that is loaded at `address`: `data`, then zeros up to `size` bytes. `flags`: "r", "w", "x"."""

    address: int
    data: bytes
    size: int
    flags: str


@dataclasses.dataclass(frozen=True, slots=True)
class ElfSymbol:
    """A name of the file: `kind` is "func", "object", "notype" and so on; `defined` is False for what another file
    would have to bring."""

    name: str
    address: int
    size: int
    kind: str
    defined: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Relocation:
    """At `address` stands, once it is loaded, the address of `symbol` (or the file's base where it is "") plus
    `addend`."""

    address: int
    kind: int
    symbol: str
    addend: int


@dataclasses.dataclass(frozen=True, slots=True)
class CodeObject:
    """A code object. `chip` is such as "gfx942", `target` has its features too ("gfx942:xnack-"); `version` is 3, 4, 5
    or 6."""

    chip: str
    target: str
    version: int
    kernels: Mapping[str, CodeObjectKernel]
    segments: tuple[Segment, ...]
    symbols: Mapping[str, ElfSymbol]
    relocations: tuple[Relocation, ...]
    metadata: Mapping[str, Any]

    def kernel(self, name: str | None = None) -> CodeObjectKernel:
        """The kernel of that name, or the only one. Raises D023."""
        if name is None and len(self.kernels) == 1:
            return next(iter(self.kernels.values()))
        if name is None or name not in self.kernels:
            raise error(
                "D023", what="the code object", name=name or "(no name given)", known=", ".join(self.kernels) or "none"
            )
        return self.kernels[name]

    def read(self, address: int, size: int) -> bytes:
        """Bytes as they are stored, before relocation. Raises D022 where none are loaded."""
        for s in self.segments:
            if s.address <= address and address + size <= s.address + s.size:
                part = s.data[address - s.address : address - s.address + size]
                return part + bytes(size - len(part))
        raise error("D022", what="the file", why=f"{size} bytes at {address:#x} are in no loaded segment")

    def code(self, kernel: CodeObjectKernel) -> bytes:
        """The kernel's instructions."""
        return self.read(kernel.entry, kernel.code_bytes)

    def functions(self, kernel: CodeObjectKernel) -> list[tuple[int, int]]:
        """(first address, end) of pieces of code: the kernel, and what no other kernel has, which it may call. Pieces
        begin where a symbol says that a function does, as compilers align functions and fill the gaps with anything."""
        others = [k for k in self.kernels.values() if k.entry != kernel.entry]
        ends = sorted((k.entry, k.entry + k.code_bytes) for k in others)
        starts = {s.address for s in self.symbols.values() if s.defined and s.kind == "func"} | {kernel.entry}
        found = []
        for segment in self.segments:
            if "x" not in segment.flags:
                continue
            at = segment.address
            for first, end in [*ends, (segment.address + len(segment.data),) * 2]:
                if first < segment.address or end > segment.address + len(segment.data):
                    continue
                cuts = sorted({at, *(s for s in starts if at < s < first), first})
                found += itertools.pairwise(cuts)
                at = max(at, end)
        return found

    def load(self, base: int = 0) -> list[tuple[int, bytearray]]:
        """(address, bytes) of each segment as it is in memory when the file's address 0 is at `base`: zeros filled in,
        relocations applied. Raises D022 for a relocation of a kind that linked files do not have, and D021 for a symbol
        that nothing defines."""
        out = [(base + s.address, bytearray(s.data) + bytearray(s.size - len(s.data))) for s in self.segments]
        for r in self.relocations:
            size, shift = ABSOLUTE.get(r.kind) or RELATIVE.get(r.kind) or (0, 0)
            if not size:
                raise error("D022", what="the file", why=f"it has a relocation of kind {r.kind} at {r.address:#x}")
            if r.symbol and not self.symbols[r.symbol].defined:
                raise error("D021", tool="loading the code object", why=f"nothing defines {r.symbol}")
            value = base + r.addend + (self.symbols[r.symbol].address if r.symbol else 0)
            value -= base + r.address if r.kind in RELATIVE else 0
            place = next(
                ((a, d) for a, d in out if a <= base + r.address and base + r.address + size <= a + len(d)), None
            )
            if place is None:
                raise error("D022", what="the file", why=f"a relocation at {r.address:#x} is in no loaded segment")
            at = base + r.address - place[0]
            place[1][at : at + size] = (value >> shift & (1 << 8 * size) - 1).to_bytes(size, "little")
        return out


def _plain(value: Any) -> Any:
    """Metadata with keys freed of their leading dot."""
    if isinstance(value, dict):
        return {str(k).removeprefix("."): _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def note(data: bytes) -> dict[str, Any]:
    """The metadata in the bytes of a note segment, {} where it holds none. A file that was linked from several has a
    note of each: their kernels come together."""
    import msgpack

    at, whole, kernels = 0, {}, []
    while at + 12 <= len(data):
        owner, size, kind = struct.unpack_from("<III", data, at)
        name = data[at + 12 : at + 12 + owner].rstrip(b"\0").decode("latin-1")
        body = at + 12 + (owner + 3 & ~3)
        if (name, kind) == NOTE:
            if body + size > len(data):
                raise ValueError("the metadata's note is cut off")
            found = _plain(msgpack.unpackb(data[body : body + size], strict_map_key=False))
            if not isinstance(found, dict):
                raise ValueError("the metadata is no map")
            kernels += found.get("amdhsa.kernels", ())
            whole = {**found, **whole}
        at = body + (size + 3 & ~3)
    return {**whole, "amdhsa.kernels": kernels} if kernels else whole


def _arguments(metadata: Mapping[str, Any]) -> tuple[ArgumentMetadata, ...]:
    return tuple(
        ArgumentMetadata(
            str(a.get("name", "")),
            int(a["offset"]),
            int(a["size"]),
            str(a["value_kind"]),
            str(a.get("address_space", "")),
        )
        for a in metadata.get("args", ())
    )


_KINDS = {0: "notype", 1: "object", 2: "func", 3: "section", 4: "file", 10: "kernel"}
_SYMBOL = struct.Struct(
    "<IBBHQQ"
)  # name, kind in the low four bits, other, section, value, size (System V ABI, Elf64_Sym)


def _symbols(elf: Any) -> tuple[dict[str, ElfSymbol], dict[int, list[str]]]:
    """(symbols by name, names by section of symbols and index). Libraries of kernels have tens of thousands, which
    pyelftools would read in seconds."""
    from elftools.elf.sections import SymbolTableSection

    found: dict[str, ElfSymbol] = {}
    numbered: dict[int, list[str]] = {}
    for i, section in enumerate(elf.iter_sections()):
        if not isinstance(section, SymbolTableSection):
            continue
        texts = elf.get_section(section["sh_link"]).data()
        for at, info, _, where, value, size in _SYMBOL.iter_unpack(section.data()):
            name, kind, defined = texts[at : texts.index(b"\0", at)].decode("utf-8", "replace"), info & 15, where != 0
            numbered.setdefault(i, []).append(name)
            if name and (defined or name not in found):
                found[name] = ElfSymbol(name, value, size, _KINDS.get(kind, str(kind)), defined)
    return found, numbered


def _relocations(elf: Any, numbered: dict[int, list[str]]) -> tuple[Relocation, ...]:
    from elftools.elf.relocation import RelocationSection

    out = []
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection):
            names = numbered.get(section["sh_link"], [""])
            for r in section.iter_relocations():
                symbol = names[r["r_info_sym"]] if r["r_info_sym"] else ""
                if r["r_info_type"]:  # 0 is R_AMDGPU_NONE
                    out.append(
                        Relocation(r["r_offset"], r["r_info_type"], symbol, r["r_addend"] if section.is_RELA() else 0)
                    )
    return tuple(out)


def _segments(elf: Any, size: int) -> tuple[tuple[Segment, ...], dict[str, Any]]:
    """(the loaded segments, the metadata)."""
    out, metadata = [], {}
    for s in elf.iter_segments():
        if s["p_offset"] + s["p_filesz"] > size:
            raise ValueError(f"a segment ends at byte {s['p_offset'] + s['p_filesz']} of {size}")
        if s["p_type"] == "PT_LOAD":
            if not s["p_filesz"] <= s["p_memsz"] <= 1 << 31:
                raise ValueError(f"a segment of {s['p_filesz']} bytes takes {s['p_memsz']} in memory")
            flags = "".join(letter for letter, bit in (("r", 4), ("w", 2), ("x", 1)) if s["p_flags"] & bit)
            out.append(Segment(s["p_vaddr"], s.data(), s["p_memsz"], flags))
        elif s["p_type"] == "PT_NOTE":
            metadata |= note(s.data())
    return tuple(out), metadata


def _kernels(bare: CodeObject) -> dict[str, CodeObjectKernel]:
    """The kernels: of the metadata, then those that have a descriptor only."""
    listed = {str(k["name"]): k for k in bare.metadata.get("amdhsa.kernels", ())}
    names = {str(k.get("symbol", f"{name}.kd")): name for name, k in listed.items()}
    names |= {
        s.name: s.name.removesuffix(".kd")
        for s in bare.symbols.values()
        if s.name.endswith(".kd") and s.defined and s.name not in names
    }
    sizes = {s.address: s.size for s in reversed(list(bare.symbols.values())) if s.kind == "func" and s.defined}
    out, starts = {}, sorted(sizes)
    for symbol, name in names.items():
        if symbol not in bare.symbols:
            raise ValueError(f"the metadata has a kernel {name}, the symbols no {symbol}")
        at = bare.symbols[symbol].address
        d = descriptor(bare.read(at, DESCRIPTOR_BYTES))
        entry = at + d.kernel_code_entry_byte_offset
        code = sizes.get(entry, 0)
        segment = next((s for s in bare.segments if s.address <= entry < s.address + s.size), None)
        if segment is None:
            raise ValueError(f"the code of {name} would be at {entry:#x}, which no segment loads")
        # People leave `.size` out: the code then ends where the next function begins.
        after = starts[bisect.bisect_right(starts, entry) :][:1]
        size = min(
            code or segment.size, segment.address + segment.size - entry, *(at - entry for at in after if not code)
        )
        metadata = listed.get(name, {})
        out[name] = CodeObjectKernel(
            name, d, at, entry, size, _arguments(metadata), {k: v for k, v in metadata.items() if k != "args"}
        )
    return out


def read(data: bytes, chip: str | None = None, what: str = "the file") -> CodeObject:
    """The code object in `data`, which may also be a bundle of several (as hipcc makes): `chip` chooses there. `what`
    is what errors call it. Raises D022 for what is no code object of a chip that Ave knows, D020 where pyelftools and
    msgpack are not installed."""
    data = _unbundled(data, chip, what)
    found = header(data)
    if isinstance(found, str):
        raise error("D022", what=what, why=found)
    kind, abi, flags = found
    if kind != SHARED:
        raise error("D022", what=what, why=f"its type is {kind}, not {SHARED}: it is not linked")
    if abi not in VERSIONS:
        raise error(
            "D022",
            what=what,
            why=f"its ABI version is {abi}; Ave reads code objects of versions "
            f"{', '.join(map(str, VERSIONS.values()))}",
        )
    target = target_id(flags, VERSIONS[abi])
    if not target:
        raise error(
            "D022", what=what, why=f"it is for processor {flags & 0xFF:#x}, and Ave knows {', '.join(MACH.values())}"
        )
    try:
        from elftools.elf.elffile import ELFFile
    except ImportError:
        raise error("D020", purpose="reading a code object", tool="pyelftools and msgpack",
            looked="packages of those names",
                    install="pip install pyelftools msgpack") from None  # fmt: skip
    try:
        elf = ELFFile(io.BytesIO(data))
        segments, metadata = _segments(elf, len(data))
        symbols, numbered = _symbols(elf)
        chip_name = target.partition(":")[0]
        bare = CodeObject(
            chip_name, target, VERSIONS[abi], {}, segments, symbols, _relocations(elf, numbered), metadata
        )
        return dataclasses.replace(bare, kernels=_kernels(bare))
    except AveError as exc:
        raise error("D022", what=what, why=exc.message.partition(": ")[2] or exc.message) from None
    except Exception as exc:  # whatever the two libraries say of a damaged file: they have no common class of errors
        raise error("D022", what=what, why=f"it is damaged: {str(exc) or type(exc).__name__}") from None


BUNDLE, COMPRESSED = b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB"
BINARY = (b"\x7fELF", BUNDLE, COMPRESSED)  # how a file begins that `read` takes


def bundled(data: bytes) -> dict[str, bytes]:
    """The code objects of a bundle by target ("gfx942:xnack-"), the host's part left out (Clang, "Clang Offload
    Bundler", file format). Raises struct.error where it is cut off."""
    count, at, out = struct.unpack_from("<Q", data, len(BUNDLE))[0], len(BUNDLE) + 8, {}
    for _ in range(count):
        offset, size, length = struct.unpack_from("<QQQ", data, at)
        triple = data[at + 24 : at + 24 + length].decode("latin-1")
        at += 24 + length
        if "amdgcn" in triple:
            out[triple.partition("--")[2]] = data[offset : offset + size]
    return out


# Of a compressed bundle, by its version: the bytes before the content (Clang, "Clang Offload Bundler", Compressed
# Offload Bundle Header).
_HEADERS, _ZLIB, _ZSTD = {1: 20, 2: 24, 3: 32}, 0, 1


def _decompressed(data: bytes, what: str) -> bytes:
    """The bundle in a compressed one. zlib's are read by Python; for zstd's a package (`compression.zstd` of Python
    3.14, `zstandard`) or the program is asked."""
    version, method = struct.unpack_from("<HH", data + bytes(8), len(COMPRESSED))
    body = data[_HEADERS.get(version, len(data)) :]
    why = f"it is a compressed bundle of version {version} and method {method}, which is damaged or not known"
    try:
        if body and method == _ZLIB:
            return zlib.decompress(body)
        if body and method == _ZSTD:
            for name, function in (("compression.zstd", "decompress"), ("zstandard", "decompress")):
                if importlib.util.find_spec(name.partition(".")[0]):
                    return getattr(importlib.import_module(name), function)(body)
            if program := shutil.which("zstd"):
                return subprocess.run([program, "-dc"], input=body, capture_output=True, check=True).stdout
            why = "it is a compressed bundle, by zstd, and nothing here reads that"
            raise error("D022", hint="install zstd (or pip install zstandard)", what=what, why=why)
    except AveError:
        raise
    except Exception as e:  # whatever the three libraries say of a damaged file: they have no common class of errors
        why += f" ({str(e).splitlines()[0]})"
    raise error("D022", hint="clang-offload-bundler --unbundle takes it apart", what=what, why=why)


def _unbundled(data: bytes, chip: str | None, what: str) -> bytes:
    if data.startswith(COMPRESSED):
        data = _decompressed(data, what)
    if not data.startswith(BUNDLE):
        return data
    try:
        parts = bundled(data)
    except struct.error:
        raise error("D022", what=what, why="it is a bundle that is cut off") from None
    fitting = [d for target, d in parts.items() if chip is None or target.partition(":")[0] == chip]
    if len(fitting) != 1:
        hint = "say which by the target" if chip is None else ""
        raise error("D022", hint=hint, what=what, why=f"it is a bundle of {', '.join(parts) or 'nothing for AMD GPUs'}")
    return fitting[0]
