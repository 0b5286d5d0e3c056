"""C of `src/avelang/native` comes in; the LLVM IR that is committed beside it, and the `ctypes` mirror of its header,
go out.

For who works on Ave: the `ziglang` wheel has the compiler. Users load the IR that is there.

One text is for all hosts. What names a processor is taken out, LLVM puts that of the machine in when it loads the text,
and the C does not depend on it: types are of one size everywhere, what is passed are numbers of 32 bits or more and
pointers, so that no host's conventions show (`BY_HOST`), and structs lie the same on all `HOSTS` (`assertions`, which a
test compiles for each)."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "src" / "avelang" / "native"
# Made of their C files, both relative to FOLDER.
UNITS = {
    "host.ll": "host/host.c",
    "guard.ll": "guard.c",
    "amdgcn.ll": "amdgcn/amdgcn.c",
    "ptx.ll": "ptx/ptx.c",
    "cpu.ll": "cpu/cpu.c",
    "gpu.ll": "gpu/gpu.c",
}
# Read by both: headers, and their mirrors in Python.
HEADERS = {"layouts.h": "layouts.py", "xla.h": "xla.py", "amdgcn.h": "amdgcn.py", "ptx.h": "ptx.py", "cpu.h": "cpu.py"}
HOSTS = ("x86_64-linux-gnu", "aarch64-linux-gnu", "x86_64-macos", "aarch64-macos")
# No vectors and no unrolled loops that the text does not say, no types that alias, nothing of an operating system.
# Integers wrap.
FLAGS = (
    "-S", "-emit-llvm", "-O2", "-std=c17", "-ffreestanding", "-nostdinc", "-fPIC", "-fwrapv", "-fno-strict-aliasing",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-sanitize=all", "-fno-vectorize",
    "-fno-slp-vectorize", "-fno-unroll-loops",
    "-fno-discard-value-names", "-g0", "-Xclang", "-fcoroutines",
    "-Wall", "-Wextra", "-Werror", "-Wno-unused-command-line-argument", "-Wno-parentheses",
)  # fmt: skip


def sources(file: str) -> Iterator[str]:
    """The names of a C file and of all that it includes, in the order of inclusion, relative to FOLDER."""
    seen: dict[pathlib.Path, None] = {}

    def visit(path: pathlib.Path) -> None:
        if path in seen:
            return
        seen[path] = None
        for name in re.findall(r'^#include "(.+)"$', path.read_text(), re.MULTILINE):
            visit((path.parent / name).resolve())

    visit(FOLDER / file)
    yield from (str(p.relative_to(FOLDER)) for p in seen)


def digest(file: str) -> str:
    """The SHA-256 of what a unit is made of: the texts, the flags and the filter."""
    parts = [" ".join(FLAGS), " ".join(HOSTS), *(p.pattern for p, _ in _DROPPED)]
    for name in sources(file):
        parts += [name, (FOLDER / name).read_text()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def recorded(text: str) -> str:
    """The digest that a unit's first line names."""
    found = re.match(r"; Made .* of \S+, SHA-256 ([0-9a-f]{64})\n", text)
    return found[1] if found else ""


# What names a processor, a system or a compiler: lines, then attributes with values as strings.
_DROPPED = tuple(
    (re.compile(pattern, re.MULTILINE), by) for pattern, by in (
        (r"^(; ModuleID|source_filename|target |!).*\n", ""), (r"^; Function Attrs: .*\n", ""),
        (r" *; preds = .*$", ""),
        (r' "[\w-]+"(="[^"]*")?', ""), (r"\bzeroext (?=i1\b)", ""), (r"\b(i1 (noundef )?)zeroext ", r"\1"),
        (r", ![\w.]+ !\d+", ""), (r"^.*@llvm\.experimental\.noalias\.scope\.decl\(.*\n", ""),
        (r"\n{3,}", "\n\n"),
    )
)  # fmt: skip


def neutral(text: str) -> str:
    """IR without what differs between hosts."""
    for pattern, by in _DROPPED:
        text = pattern.sub(by, text)
    for empty in re.findall(r"^attributes (#\d+) = \{ +\}\n", text, re.MULTILINE):
        text = re.sub(rf"^attributes {empty} = .*\n| {empty}\b", "", text, flags=re.MULTILINE)
    return text.strip() + "\n"


def compiled(file: str | pathlib.Path, host: str) -> str:
    """The IR of a C file, by its path or its name in FOLDER, for a host. Raises RuntimeError with what the compiler
    says."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.ll"
        command = [sys.executable, "-m", "ziglang", "cc", "-target", host, *FLAGS, str(FOLDER / file), "-o", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return out.read_text()


# How one host passes what another one passes otherwise. (A bool is passed only inside a unit, where all hosts may do it
# in one way.)
BY_HOST = re.compile(
    r"\b(zeroext|signext|inreg|byval|sret|x86_fp80|fp128)\b|^declare i1 @(?!llvm)[^\n]*|call i1 %\w+", re.MULTILINE
)


def unit(name: str) -> str:
    """The text of a unit. Raises RuntimeError where it is not for all hosts."""
    file = UNITS[name]
    text = neutral(compiled(file, HOSTS[0]))
    if found := BY_HOST.search(text):
        raise RuntimeError(f"{file}: the IR has {found[0]}, which is not for all hosts")
    return f"; Made by `./dev native` of {file}, SHA-256 {digest(file)}\n\n{text}"


@functools.cache
def there() -> bool:
    """Whether the compiler is installed."""
    return importlib.util.find_spec("ziglang") is not None


# -- the mirror --------------------------------------------------------------------------------------------------------

_TYPES = {
    "i8": "ctypes.c_byte", "u8": "ctypes.c_ubyte", "i32": "ctypes.c_int32", "u32": "ctypes.c_uint32",
    "i64": "ctypes.c_int64",
    "u64": "ctypes.c_uint64", "f64": "ctypes.c_double",
}  # fmt: skip
_TOKEN = re.compile(
    r"#include [^\n]*|/\*(?P<comment>.*?)\*/|typedef struct (?P<struct>\w+) \{(?P<fields>.*?)\} (?P=struct);|typedef "
    r"[\w ]+;|"
    r"enum (?P<named>\w+ )?\{(?P<enum>.*?)\};",
    re.DOTALL,
)
_FIELD = re.compile(r"(?:struct )?(\w+) (\**)(\w+)(?:\[(\w+)\])?$")


def _field(text: str) -> str:
    found = _FIELD.match(text)
    if not found:
        raise ValueError(f"no field that the mirror can read: {text!r}")
    kind, stars, name, count = found.groups()
    if stars:
        t = "ctypes.c_char_p" if kind == "char" else "ctypes.c_void_p"
    else:
        t = _TYPES.get(kind, kind)
    return f'("{name}", {t}{f" * {count}" if count else ""})'


def _wrapped(text: str, indent: str) -> str:
    """A docstring in lines of at most 120."""
    words, lines, line = text.split(), [], indent + '"""'
    for word in words:
        if len(line) + len(word) > 116:
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return "\n".join([*lines, line.rstrip() + '"""'])


def _plain(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def mirror(header: str) -> str:
    """The Python text for a header. Raises ValueError for what it cannot read."""
    text = (FOLDER / header).read_text()
    out = [
        f'"""Numbers and structs that native code and Python share. Made by `./dev native` of `{header}`."""\n',
        "import ctypes\n",
    ]
    comment, end = "", 0
    for token in _TOKEN.finditer(text):
        if text[end : token.start()].strip():
            raise ValueError(f"{header}: {text[end : token.start()].strip()!r}")
        end = token.end()
        if token["comment"] is not None:
            comment = token["comment"]
        elif token["named"]:
            names = " ".join(f'"{item.strip().lower()}",' for item in _plain(token["enum"]).split(","))
            lines = textwrap.wrap(names, 116, initial_indent="    ", subsequent_indent="    ")
            out.append("\n".join([f"{token['named'].strip().upper()} = (", *lines, ")"]))
        elif token["enum"] is not None:
            value = -1
            for item in _plain(token["enum"]).split(","):
                if item.strip():
                    name, _, given = item.partition("=")
                    value = int(given, 0) if given else value + 1
                    out.append(f"{name.strip()} = {value}")
        elif token["struct"]:
            fields = [f"        {_field(f.strip())}," for f in _plain(token["fields"]).split(";") if f.strip()]
            lines = [
                f"\n\nclass {token['struct']}(ctypes.Structure):",
                _wrapped(comment, "    "),
                "",
                "    __slots__ = ()",
                "    _fields_ = [",
            ]
            out.append("\n".join([*lines, *fields, "    ]"]))
            comment = ""
    if text[end:].strip():
        raise ValueError(f"{header}: {text[end:].strip()!r}")
    return "\n".join(out).replace("\n\n\n\n", "\n\n\n") + "\n"


def pages() -> dict[str, str]:
    """All that is made, by file, relative to the repository."""
    folder = FOLDER.relative_to(pathlib.Path(__file__).resolve().parents[1])
    mirrors = {str(folder / to): mirror(header) for header, to in HEADERS.items()}
    return {**mirrors, **{str(folder / name): unit(name) for name in UNITS}}
