"""Assembly text of an AMD GPU comes in; a `AsmProgram` goes out: instructions with their operands, labels, data and
kernel descriptors.

Reads what LLVM writes, as compiler output or as a disassembly, and what people write by hand in the same syntax.
Syntax: LLVM, "User Guide for AMDGPU Backend", Instruction and operand syntax, GFX9 and GFX940.
"""

from __future__ import annotations

import dataclasses
import re
import struct
from collections.abc import Iterator, Mapping, Sequence

from avelang.base.errors import error
from avelang.isa.amdgpu.instructions import DATA, InstrDesc, bare, find, unknown

GENERIC = {"gfx9-4-generic": "gfx942"}  # targets of several chips, and the one as which their code is taken

# Numbers of scalar registers by the operand encoding (AMD Instinct MI300 ISA, section 5.1, "Scalar general purpose
# registers"); SCC, which has no cell of its own there, stands behind them.
SPECIAL: dict[str, tuple[int, int]] = {
    "flat_scratch": (102, 2), "flat_scratch_lo": (102, 1), "flat_scratch_hi": (103, 1),
    "xnack_mask": (104, 2), "xnack_mask_lo": (104, 1), "xnack_mask_hi": (105, 1),
    "vcc": (106, 2), "vcc_lo": (106, 1), "vcc_hi": (107, 1), "m0": (124, 1),
    "exec": (126, 2), "exec_lo": (126, 1), "exec_hi": (127, 1), "scc": (128, 1), "src_scc": (128, 1),
}  # fmt: skip
TTMP = 108
LAST = {"v": 255, "a": 255, "s": 101, "ttmp": 15}  # of each file the last register that an operand can name
VCC, M0, EXEC, SCC = 106, 124, 126, 128

INLINE_FLOATS = frozenset(
    {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494", "0.15915494309189532"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class PhysReg:
    """`count` registers from number `first` of a file: "v" vector, "a" accumulation, "s" scalar (numbers as in
    `SPECIAL`)."""

    file: str
    first: int
    count: int = 1
    neg: bool = False
    abs: bool = False
    sext: bool = False

    def __str__(self) -> str:
        for name, place in SPECIAL.items():
            if self.file == "s" and place == (self.first, self.count):
                return name
        last = self.first + self.count - 1
        return f"{self.file}{self.first}" if self.count == 1 else f"{self.file}[{self.first}:{last}]"


@dataclasses.dataclass(frozen=True, slots=True)
class Imm:
    """A constant: an int as written (negative ones stay negative), or a float, which takes the type of the operand.
    `inline` floats fill 64 bits as a double; other literals are the upper half of one."""

    value: int | float
    neg: bool = False
    abs: bool = False
    inline: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Name:
    """A label, a symbol with an offset and a kind of relocation (sym@rel32@lo+4), or a named source such as `off` or
    `src_shared_base`. With `base`: the low or (`part` "hi") the high word of how far the label is behind that one,
    which compilers write where a branch does not reach."""

    name: str
    offset: int = 0
    part: str = ""
    base: str = ""


Operand = PhysReg | Imm | Name


@dataclasses.dataclass(frozen=True, slots=True)
class MCInst:
    """One instruction. `name` is the mnemonic without its encoding (_e32, _e64, _dpp, _sdwa); `form` is that encoding,
    or ""; `desc` is its entry in the instruction table. `mods` holds what follows the operands: a flag is True,
    `offset:16` is an int, `op_sel:[0,1]` a tuple, `dst_sel:BYTE_0` a text; counters of s_waitcnt stand there too.
    `index` counts instructions, `address` bytes from the start of the code, `line` lines of the text. `source`: file,
    line and column (from 1; 0 unknown) that it was made from, where the text says so (`.loc`)."""

    name: str
    form: str
    operands: tuple[Operand, ...]
    mods: dict[str, int | str | tuple[int, ...]]
    index: int
    address: int
    line: int
    text: str
    desc: InstrDesc
    source: tuple[str, int, int] | None = None

    def int(self, name: str, default: int = 0) -> int:
        """An integer modifier, 0 where it is not written."""
        value = self.mods.get(name, default)
        return value if isinstance(value, int) else default

    def bits(self, name: str, n: int, default: int = 0) -> tuple[int, ...]:
        """A modifier of n bits, such as op_sel:[0,1]."""
        value = self.mods.get(name)
        return (value + (default,) * n)[:n] if isinstance(value, tuple) else (default,) * n


@dataclasses.dataclass(frozen=True, slots=True)
class KernelArg:
    """An argument of a kernel as its metadata says: where its bytes are, how many, and of what kind ("global_buffer",
    "by_value", "hidden_block_count_x", ...)."""

    offset: int
    size: int
    kind: str
    name: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class AsmKernel:
    """A kernel's descriptor: the `.amdhsa_` directives without their prefix (LLVM, "User Guide for AMDGPU Backend",
    Code object, kernel descriptor). `label` is its entry; `arguments` are those of the metadata, where there is some,
    and `said` its numbers ("vgpr_count", "max_flat_workgroup_size", ...)."""

    name: str
    label: str
    directives: dict[str, int]
    arguments: tuple[KernelArg, ...] = ()
    said: dict[str, int] = dataclasses.field(default_factory=dict)

    def get(self, name: str, default: int = 0) -> int:
        """A directive's value."""
        return self.directives.get(name, default)


@dataclasses.dataclass(frozen=True, slots=True)
class DataSection:
    """Bytes that are not code: `labels` maps names to offsets; `fixups` are (offset, symbol, addend): 8-byte addresses
    to be filled in."""

    content: bytes
    labels: dict[str, int]
    fixups: tuple[tuple[int, str, int], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class AsmProgram:
    """The contents of an assembly text. `labels` maps names to indices of instructions; `sets` are absolute symbols of
    `.set`."""

    chip: str
    instructions: tuple[MCInst, ...]
    labels: dict[str, int]
    kernels: dict[str, AsmKernel]
    data: DataSection
    sets: dict[str, int]
    metadata: str


def far_label(code: Sequence[MCInst], labels: Mapping[str, int], i: MCInst) -> str | None:
    """The label to which `s_setpc_b64` goes where it ends a branch over a long way, as LLVM writes one: s_getpc_b64,
    and what is added to it is the distance from the instruction behind that."""
    if i.name != "s_setpc_b64" or i.index < 3:
        return None
    get, low, high = code[i.index - 3 : i.index]
    to = low.operands[-1] if low.operands else None
    if (
        [x.name for x in (get, low, high)] != ["s_getpc_b64", "s_add_u32", "s_addc_u32"]
        or not isinstance(to, Name)
        or not to.base
    ):
        return None
    pairs = {(r.file, r.first // 2) for x in (get, low, high, i) for r in x.operands if isinstance(r, PhysReg)}
    same = high.operands[-1] == Name(to.name, 0, "hi", to.base) and labels.get(to.base) == low.index and len(pairs) == 1
    return to.name if same and to.name in labels else None


_REG = re.compile(r"(?:([vas])|(ttmp))(?:(\d+)|\[(\d+)(?::(\d+))?\])$")
_LABEL = re.compile(r'\s*("[^"]+"|[.$\w]+):')
_ADDRESS = re.compile(r"//\s*([0-9A-Fa-f]{6,16}):((?: [0-9A-Fa-f]{8})+)")
_STRINGS = re.compile(r'(?:[^"/;]|/(?!/)|"(?:[^"\\]|\\.)*")*')
# Sections that a kernel may read from: not those of a debugger or of a linker.
_LOADED = re.compile(r'[^,]+,\s*"[^"]*a|\.(rodata|data|bss)[^,]*(,\s*"[^"]*a|$)')
_COUNTER = re.compile(r"(vmcnt|lgkmcnt|expcnt)(?:_sat)?\((\w+)\)")
_APART = re.compile(r"\(([.$\w]+)-([.$\w]+)\)(&4294967295|>>32)$")
_SYMBOL = re.compile(r"[-.$\w]+(@\w+)*(\s*[+-]\s*\w+)?$")


def number(text: str) -> int | None:
    """An integer as assemblers write it, or None."""
    try:
        return int(text, 0)
    except ValueError:
        return None


def _without_comment(line: str) -> str:
    """A line up to its comment. Strings of bytes may hold what begins one elsewhere."""
    if '"' in line and (found := _STRINGS.match(line)):
        return found[0].rstrip()
    return line.split("//")[0].split(";")[0].rstrip()


def split(text: str) -> list[str]:
    """The pieces between the commas that stand outside brackets."""
    out, depth, start = [], 0, 0
    for i, ch in enumerate(text):
        if ch in "[(":
            depth += 1
        elif ch in "])":
            depth -= 1
        elif ch == "," and depth == 0:
            out.append(text[start:i].strip())
            start = i + 1
    out.append(text[start:].strip())
    return out


def register(text: str) -> PhysReg | None:
    """A register or a range of registers, or None. Raises ValueError for one that does not exist."""
    if text in SPECIAL:
        return PhysReg("s", *SPECIAL[text])
    if not (m := _REG.match(text)):
        return None
    first = int(m[3] or m[4])
    count = int(m[5]) - first + 1 if m[5] else 1
    file = m[1] or m[2]
    if count < 1 or first + count - 1 > LAST[file]:
        raise ValueError(f"there is no {text}: {file} has the registers 0 to {LAST[file]}, named in ascending order")
    return PhysReg("s", TTMP + first, count) if m[2] else PhysReg(file, first, count)


def operand(text: str) -> Operand | None:
    """One operand, or None where the text is not one. Raises ValueError for a register that does not exist."""
    neg = absolute = sext = False
    if text.startswith("neg(") and text.endswith(")"):
        neg, text = True, text[4:-1]
    elif text.startswith("-") and not text[1:2].isdigit() and text[1:2] != ".":
        neg, text = True, text[1:]
    if text.startswith("|") and text.endswith("|"):
        absolute, text = True, text[1:-1]
    elif text.startswith("abs(") and text.endswith(")"):
        absolute, text = True, text[4:-1]
    if text.startswith("sext(") and text.endswith(")"):
        sext, text = True, text[5:-1]
    if (reg := register(text)) is not None:
        return dataclasses.replace(reg, neg=neg, abs=absolute, sext=sext)
    # A constant that has a short encoding, and is written as 32 bits of its own all the same.
    literal = text.startswith("lit(") and text.endswith(")")
    if literal:
        text = text[4:-1].strip()
    if (value := number(text)) is not None:
        return Imm(value & 0xFFFFFFFF if literal else value, neg, absolute, not literal and -16 <= value <= 64)
    if re.fullmatch(r"[-+]?\d+\.\d*(e[-+]?\d+)?|[-+]?\d+e[-+]?\d+", text):
        return Imm(float(text), neg, absolute, not literal and text in INLINE_FLOATS)
    if text.startswith(("hwreg(", "sendmsg(", "swizzle(", "gpr_idx(")):
        return Name(text)
    if apart := _APART.match(text):
        return Name(apart[1], 0, "hi" if apart[3] == ">>32" else "", apart[2])
    if _SYMBOL.match(text):
        name, _, part = text.partition("@")
        tail = re.search(r"([+-])\s*(\w+)$", text)
        offset = 0
        if tail and (value := number(tail[2])) is not None:
            offset = value if tail[1] == "+" else -value
            name, part = re.sub(r"\s*[+-]\s*\w+$", "", name), re.sub(r"\s*[+-]\s*\w+$", "", part)
        return Name(name, offset, part)
    return None


def modifier(text: str) -> tuple[str, int | str | tuple[int, ...]] | None:
    """A modifier's name and value, or None."""
    name, colon, value = text.partition(":")
    if not re.fullmatch(r"[a-z]\w*", name):
        return None
    if not colon:
        return name, 1
    if value.startswith("["):
        items = [number(x) for x in value[1:-1].split(",")]
        return name, value if None in items else tuple(x for x in items if x is not None)
    got = number(value)
    return name, value if got is None else got


def _words(text: str) -> list[str]:
    """Words, with brackets and parentheses kept whole."""
    return re.findall(r"(?:[^\s\[(]|\[[^\]]*\]|\([^)]*\))+", text)


def _waits(rest: str, where: str) -> dict[str, int | str | tuple[int, ...]]:
    """The counters of s_waitcnt by name; gfx9's fields where the operand is a number (MI300 ISA, section 12.5,
    S_WAITCNT)."""
    value = number(rest)
    if value is not None:
        full = {"vmcnt": (value & 15) | (value >> 10 & 0x30), "expcnt": value >> 4 & 7, "lgkmcnt": value >> 8 & 15}
        limits = {"vmcnt": 63, "expcnt": 7, "lgkmcnt": 15}
        return {k: v for k, v in full.items() if v < limits[k]}
    found: dict[str, int | str | tuple[int, ...]] = {}
    for name, count in _COUNTER.findall(rest):
        found[name] = int(count, 0)
    left = re.sub(r"[&,\s]", "", _COUNTER.sub("", rest))
    if left or not found:
        raise error(
            "X020", where=where, text=f"s_waitcnt {rest}", why="its counters are not vmcnt(n), lgkmcnt(n), expcnt(n)"
        )
    return found


_FILE = re.compile(r'(\d+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"((?:[^"\\]|\\.)*)")?')


SIZES = {
    ".byte": 1, ".short": 2, ".hword": 2, ".2byte": 2, ".long": 4, ".word": 4, ".4byte": 4, ".quad": 8, ".8byte": 8,
}  # fmt: skip
# What an assembler carries out before there are instructions.
ASSEMBLES = frozenset(
    """
    .macro .endm .endmacro .exitm .purgem .altmacro .noaltmacro .rept .rep .endr .irp .irpc .include .incbin
    .else .elseif .endif .if .ifdef .ifndef
    .ifb .ifnb .ifc .ifnc .ifeq .ifne .ifge .ifgt .ifle .iflt .ifeqs .ifnes .ifnotdef .org
    """.split()  # noqa: SIM905
)


class _AsmParser:
    def __init__(self, text: str, name: str):
        self.name = name
        self.chip = ""
        self.out: list[MCInst] = []
        self.labels: dict[str, int] = {}
        self.kernels: dict[str, AsmKernel] = {}
        self.sets: dict[str, int] = {}
        self.metadata: list[str] = []
        self.data = bytearray()
        self.data_labels: dict[str, int] = {}
        self.fixups: list[tuple[int, str, int]] = []
        self.in_text = self.loaded = True
        self.address = 0
        self.files: dict[str, str] = {}
        self.source: tuple[str, int, int] | None = None
        self.lines = iter(enumerate(text.splitlines(), 1))

    def fail(self, line: int, text: str, why: str) -> Exception:
        return error("X020", where=f"{self.name}:{line}", text=text.strip(), why=why)

    def read(self) -> None:
        for n, raw in self.lines:
            found = _ADDRESS.search(raw)
            text = _without_comment(raw)
            if head := re.match(r"([0-9A-Fa-f]{8,16}) <(.+)>:$", text.strip()):  # a label of a disassembly
                self._label(head[2])
                continue
            while m := _LABEL.match(text):
                name = m[1].strip('"')
                if self.in_text and name in self.labels and not name.isdigit():
                    raise self.fail(n, text, f"the label {name} is declared a second time")
                self._label(name)
                text = text[m.end() :]
            text = text.strip()
            if not text or text.startswith(("#", "Disassembly of")) or "file format" in text:
                continue
            if found:
                self.address = int(found[1], 16)
            try:
                if text.startswith("."):
                    self._directive(n, text)
                else:
                    self.out.append(self._instruction(n, text, found))
            except ValueError as e:
                raise self.fail(n, text, str(e)) from None

    def _label(self, name: str) -> None:
        if self.in_text:
            self.labels[name] = len(self.out)
        elif self.loaded:
            self.data_labels[name] = len(self.data)

    def _instruction(self, n: int, text: str, found: re.Match[str] | None) -> MCInst:
        mnemonic, rest = (*text.split(None, 1), "")[:2]
        name = bare(mnemonic)
        desc = find(name, self.chip)
        if desc is None:
            raise unknown(name, self.chip, f"{self.name}:{n}")
        # Where the text does not say, relative addresses stay right, see `relative`.
        size = 4 * len(found[2].split()) if found else 8
        where = f"{self.name}:{n}"
        operands: list[Operand] = []
        mods: dict[str, int | str | tuple[int, ...]] = {}
        if name == "s_waitcnt":
            mods = _waits(rest, where)
        elif rest:
            for piece in split(rest):
                words = _words(piece)
                if not words:
                    raise self.fail(n, text, "an operand is empty")
                got = operand(words[0]) if desc.operands else None  # else modifiers follow
                rest_words = words if got is None or self._is_flag(words[0], got) else words[1:]
                if rest_words is not words and got is not None:
                    operands.append(got)
                for word in rest_words:
                    if (mod := modifier(word)) is None or isinstance(operand(word), PhysReg):
                        raise self.fail(n, text, f"{word!r} is neither an operand nor a modifier")
                    mods[mod[0]] = mod[1]
        form = mnemonic[len(name) + 1 :]
        out = MCInst(name, form, tuple(operands), mods, len(self.out), self.address, n, text, desc, self.source)
        self.address += size
        return out

    @staticmethod
    def _is_flag(word: str, got: Operand) -> bool:
        return isinstance(got, Name) and ":" in word

    # -- directives ----------------------------------------------------------------------------------------------------

    def _directive(self, n: int, text: str) -> None:
        name, _, rest = text.partition("\t") if "\t" in text else text.partition(" ")
        rest = rest.strip()
        if name == ".amdgcn_target":
            target = re.search(r"-(gfx[\w-]+)$", rest.strip('"').partition(":")[0])
            self.chip = GENERIC.get(target[1], target[1]) if target else ""
        elif name == ".amdhsa_kernel":
            self._kernel(rest)
        elif name == ".amdgpu_metadata":
            self.metadata = [x for _, x in self._until(".end_amdgpu_metadata")]
        elif name in (".text", ".section", ".rodata", ".data", ".bss"):
            self.in_text = name == ".text" or ".text" in rest.split(",")[0]
            self.loaded = name != ".section" or bool(_LOADED.match(rest))
        elif name == ".file" and (m := _FILE.match(rest)):
            self.files[m[1]] = f"{m[2]}/{m[3]}" if m[3] is not None and not m[3].startswith("/") else m[3] or m[2]
        elif name == ".loc":
            file, line, column = ([*rest.split(), "0"])[:3]
            known = file in self.files and line.isdigit() and int(line)
            self.source = (self.files[file], int(line), int(column) if column.isdigit() else 0) if known else None
        elif name == ".set" or name == ".equ":
            key, _, value = rest.partition(",")
            if (got := number(value.strip())) is not None:
                self.sets[key.strip()] = got
        elif name in ASSEMBLES:
            raise self.fail(
                n,
                text,
                "this directive decides which instructions there are, and is not carried out here: give the assembled "
                "file",
            )
        elif not self.in_text:
            if self.loaded:
                self._datum(n, name, rest, text)
        elif name in SIZES:  # machine code as numbers, or a table: a wave that comes there stops
            self.out.append(MCInst(name, "", (), {}, len(self.out), self.address, n, text, DATA, self.source))
            self.address += SIZES[name] * len(split(rest))

    def _until(self, end: str) -> Iterator[tuple[int, str]]:
        for n, raw in self.lines:
            if raw.strip() == end:
                return
            yield n, raw

    def _kernel(self, name: str) -> None:
        found: dict[str, int] = {}
        for n, raw in self._until(".end_amdhsa_kernel"):
            key, _, value = raw.strip().partition(" ")
            if (got := number(value.strip())) is not None:
                if not 0 <= got < 1 << 32:
                    raise self.fail(n, raw, "a number of 32 bits is wanted")
                found[key.removeprefix(".amdhsa_")] = got
        self.kernels[name] = AsmKernel(name, name, found)

    def _datum(self, n: int, name: str, rest: str, text: str) -> None:
        if name in SIZES:
            for item in split(rest):
                got = number(item)
                if got is not None:
                    self.data += (got & (1 << 8 * SIZES[name]) - 1).to_bytes(SIZES[name], "little")
                elif SIZES[name] == 8 and isinstance(sym := operand(item), Name):
                    self.fixups.append((len(self.data), sym.name, sym.offset))
                    self.data += bytes(8)
                else:
                    raise self.fail(n, text, "data that is neither a number nor the address of a symbol")
        elif name in (".zero", ".skip", ".space"):
            count, _, fill = rest.partition(",")
            self.data += bytes([number(fill.strip() or "0") or 0]) * (number(count) or 0)
        elif name in (".ascii", ".asciz", ".string"):
            body = rest.strip()[1:-1].encode("latin-1").decode("unicode_escape").encode("latin-1")
            self.data += body + (b"" if name == ".ascii" else b"\0")
        elif name in (".p2align", ".align", ".balign"):
            amount = number(rest.split(",")[0]) or 0
            step = 1 << amount if name == ".p2align" else max(1, amount)
            self.data += bytes(-len(self.data) % step)


def arguments(metadata: str) -> dict[str, tuple[KernelArg, ...]]:
    """The arguments of each kernel, from the metadata's text as LLVM writes it (LLVM, "User Guide for AMDGPU Backend",
    Code Object V5 Metadata): kernels are items of one list, arguments items of a list within."""
    kernels: list[tuple[list[str], list[dict[str, str]]]] = []
    inside, depth = False, 0
    for line in metadata.splitlines():
        indent, text = len(line) - len(line.lstrip()), line.strip()
        if indent == 2 and text.startswith("- "):
            kernels.append(([], []))
            inside, text, indent = False, text[2:], 4
        if not kernels:
            continue
        names, args = kernels[-1]
        if text == ".args:":
            inside, depth = True, indent
            continue
        if inside and indent <= depth and not text.startswith("- "):
            inside = False
        if inside and text.startswith("- "):
            args.append({})
            text = text[2:]
        key, _, value = text.partition(":")
        value = value.strip().strip("'\"")
        if inside and args:
            args[-1][key] = value
        elif key == ".name":
            names.append(value)
    return {
        name: tuple(
            KernelArg(_count(a, ".offset"), _count(a, ".size"), a.get(".value_kind", ""), a.get(".name", ""))
            for a in args
        )
        for names, args in kernels
        for name in names
    }


def _count(argument: Mapping[str, str], key: str) -> int:
    """A number of an argument. Raises X020."""
    text = argument.get(key, "0")
    if not text.isdecimal() or int(text) >= MOST_BYTES:
        raise error(
            "X020", where="metadata", text=f"{key}: {text}",
            why="offsets and sizes of arguments are numbers of bytes, 0 or more",
        )  # fmt: skip
    return int(text)


MOST_BYTES = 1 << 20  # of a segment of arguments


def numbers(metadata: str, kernel: str) -> dict[str, int]:
    """The numbers that the metadata of an assembly text gives for a kernel; {} where it does not know it. The text is
    YAML as LLVM writes it."""
    body = metadata.partition("amdhsa.kernels:")[2]
    body = re.split(r"^\S", body, maxsplit=1, flags=re.M)[0]
    for item in re.split(r"^  - ", body, flags=re.M)[1:]:
        pairs = dict(re.findall(r"^(?:    )?\.(\w+):[ \t]+(\S.*)$", item, re.M))
        if pairs.get("name", "").strip("'\" ") == kernel:
            return {k: int(v) for k, v in pairs.items() if re.fullmatch(r"\d+", v.strip())}
    return {}


def decoded(content: bytes, name: str) -> str:
    """The text of an assembly file. Raises X020 for bytes that are no text."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise error(
            "X020", where=name, text=repr(content[:8])[1:], why="it is neither a code object nor text"
        ) from None


def parse(text: str, name: str = "assembly") -> AsmProgram:
    """The program of an assembly text. `name` is what errors call the text. Raises X020 for what cannot be read, X029
    for an instruction that the table lacks or that is another chip's."""
    r = _AsmParser(text, name)
    r.read()
    data = DataSection(bytes(r.data), r.data_labels, tuple(r.fixups))
    metadata = "\n".join(r.metadata)
    known = arguments(metadata)
    kernels = {
        k: dataclasses.replace(v, arguments=known.get(k, ()), said=numbers(metadata, k)) for k, v in r.kernels.items()
    }
    return AsmProgram(r.chip, tuple(r.out), r.labels, kernels, data, r.sets, metadata)


def float_bits(value: float, bits: int) -> int:
    """The pattern of a float constant in a 16-, 32- or 64-bit operand."""
    letters = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}[bits]
    return int(struct.unpack(letters[1], struct.pack(letters[0], value))[0])
