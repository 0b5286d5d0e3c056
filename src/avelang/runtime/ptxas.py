"""PTX comes in; machine code for an NVIDIA GPU, by NVIDIA's assembler `ptxas`, goes out, with what it says of
registers, spills and shared memory, and of what costs time.

Sources: PTX ISA, release notes (the releases that know a version of PTX); CUDA Compiler Driver NVCC, "ptxas options";
CUDA Compatibility ("minor version compatibility": a driver takes what the toolkits of its major version, or of an older
one, have made)."""

from __future__ import annotations

import functools
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

from avelang.base import knobs
from avelang.base.errors import error
from avelang.runtime import cache, progress
from avelang.runtime.spills import spill_lines

OLDEST = (12, 8)  # knows the PTX of all chips that code is made for (8.7)
GET = "pip install nvidia-cuda-nvcc, or NVIDIA's CUDA toolkit 12.8 or newer; AVE_PTXAS=FILE names one"


class Assembler(NamedTuple):
    """A `ptxas`: its path and its version, as in (13, 0, 88)."""

    path: str
    version: tuple[int, ...]

    def __str__(self) -> str:
        return "ptxas " + ".".join(map(str, self.version))


def places() -> Iterator[str]:
    """Paths of `ptxas`, best first: NVIDIA's packages of PyPI (nvidia/cu13/bin since CUDA 13, nvidia/cuda_nvcc/bin
    before), the toolkit, the path, the one that Triton brings."""
    yield from _inside("nvidia", "cu*/bin/ptxas")
    for home in knobs.cuda_folders():
        yield os.path.join(home, "bin", "ptxas")
    yield shutil.which("ptxas") or ""
    yield from _inside("triton", "backends/nvidia/bin/ptxas")


def _inside(package: str, pattern: str) -> Iterator[str]:
    """Files of an installed package, which is not imported."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        yield from sorted(map(str, pathlib.Path(folder).glob(pattern)), reverse=True)


def _version(path: str) -> tuple[int, ...]:
    """The version that a `ptxas` says it has; () for what does not run. A program is asked once: the cache on disk has
    the answer."""
    try:
        status = os.stat(path)
        with open(path, "rb") as file:
            script = file.read(2) == b"#!"
    except OSError:
        return ()
    name = "" if script else cache.key({"ptxas": [os.path.realpath(path), status.st_size, status.st_mtime_ns]})
    known = cache.load(name) if name else None
    if known is not None:
        return tuple(known.meta["version"])
    try:
        text = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    found = re.search(r"V(\d+)\.(\d+)\.(\d+)", text)
    version = tuple(map(int, found.groups())) if found else ()
    if name and version:
        cache.store(name, {"kind": "ptxas", "version": list(version)}, b"")
    return version


@functools.cache
def _found(asked: str | None, newest: int) -> Assembler | None:
    if asked is not None:
        return Assembler(asked, _version(asked))
    for place in dict.fromkeys(filter(os.path.isfile, places())):
        version = _version(place)
        if version >= OLDEST and version[0] <= newest:
            return Assembler(place, version)
    return None


def find(newest: int = sys.maxsize) -> Assembler | None:
    """The `ptxas` to use: the one that AVE_PTXAS names, else the first that is new enough, of major version `newest` at
    most. None where there is none, or where AVE_PTXAS=driver. Raises D037 where the one that was named will not do."""
    asked = knobs.ptxas()
    if asked == "driver":
        return None
    found = _found(asked, newest)
    if found is not None and asked is not None and found.version < OLDEST:
        why = (
            f"it is version {'.'.join(map(str, found.version))}"
            if found.version
            else "it does not run, or tells no version"
        )
        raise error("D037", path=asked, why=why, needs="ptxas 12.8 or newer")
    return found


def need(purpose: str) -> Assembler:
    """The `ptxas` to use where there is no driver that would do. Raises D020, which `purpose` begins, where there is
    none, and D037 as `find`."""
    found = find()
    if found is None:
        looked = (
            "nothing, since AVE_PTXAS=driver"
            if knobs.ptxas() == "driver"
            else "nvidia/cu*/bin of PyPI's packages, CUDA_HOME, CUDA_PATH, PATH"
        )
        raise error("D020", purpose=purpose, tool="ptxas", looked=looked, install=GET)
    return found


# What is said of a kernel, by the name in the report.
_NUMBERS = {
    "registers": re.compile(r"Used (\d+) registers"),
    "stack": re.compile(r"(\d+) bytes stack frame"),
    "stores": re.compile(r"(\d+) bytes spill stores"),
    "loads": re.compile(r"(\d+) bytes spill loads"),
    "barriers": re.compile(r"used (\d+) barriers"),
    "static_bytes": re.compile(r"(\d+) bytes smem"),
}
# Remarks with a number of their own; some name a line of the PTX, others speak of an instruction.
_REMARK = re.compile(r"^ptxas (?:info|warning)\s*: \((C\d+)\) (.*)$", re.MULTILINE)
_AROUND = re.compile(r" in (?:around )?line (\d+)(?: by compiler)?")
_SUBJECT = re.compile(r"\b(wgmma\.mma_async|setmaxnreg)\b")
LOSS = "Potential Performance Loss: "
_MOST_LINES = 5


def report(said: str, entry: str, text: str = "", code: bytes = b"") -> dict[str, Any]:
    """The figures that the assembler prints for a kernel with `-v`, or the driver's own compiler in its log:
    `registers` of a thread, `spills` (bytes stored and loaded), `stack` in bytes, named `barriers`, `static_bytes` of
    shared memory; `spilled_at`: a list of [file, line, bytes], the most first, where registers are spilled and the
    `code` has lines; and `remarks`: a list of [number as "C7510", words, file, line], file and line those of the source
    where the PTX (`text`) tells them, else "" and 0."""
    _, _, about = said.partition(f"Compiling entry function '{entry}'")
    about = about.partition("Compiling entry function")[0] or said
    n = {name: int(m[1]) if (m := pattern.search(about)) else 0 for name, pattern in _NUMBERS.items()}
    remarks = [[number, _AROUND.sub("", words), *_place(words, text)]
               for number, words in dict.fromkeys(_REMARK.findall(said))]
    at = spill_lines(code, entry)[:_MOST_LINES] if n["stores"] or n["loads"] else []
    return {
        "registers": n["registers"], "spills": [n["stores"], n["loads"]], "spilled_at": [list(place) for place in at],
        "stack": n["stack"],
        "barriers": n["barriers"], "static_bytes": n["static_bytes"], "remarks": remarks,
    }  # fmt: skip


def _place(words: str, text: str) -> tuple[str, int]:
    """The file and the line that a remark is about."""
    lines = text.split("\n")
    if named := _AROUND.search(words):
        at = min(int(named[1]), len(lines))
    elif subject := _SUBJECT.search(words):
        at = next((i for i, line in enumerate(lines) if subject[1] in line), 0)
    else:
        at = 0
    return source_line(lines, at)


def source_line(lines: list[str], at: int) -> tuple[str, int]:
    """(file, line) of the `.loc` that holds where the PTX's line of this number, counted from 0, stands; ("", 0) where
    there is none."""
    found = next((m for line in reversed(lines[:at]) if (m := re.match(r"\s*\.loc\s+(\d+) (\d+) ", line))), None)
    file = re.search(rf'^\s*\.file\s+{found[1]} "(.*)"', "\n".join(lines), re.MULTILINE) if found else None
    return (file[1], int(found[2])) if found and file else ("", 0)


def assemble(tool: Assembler, text: str, architecture: str, entry: str,
             level: int | None = None) -> tuple[bytes, dict[str, Any]]:
    """The code for an architecture such as "sm_90a", and the `report` of a kernel; `level`: 0 to 3, ptxas's own choice
    (3) without. Raises D038."""
    progress.stage("ptxas")
    with tempfile.TemporaryDirectory(prefix="ave-") as folder:
        source, target = os.path.join(folder, f"{entry}.ptx"), os.path.join(folder, "code.cubin")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        command = [tool.path, f"-arch={architecture}", "-v", "-lineinfo", *(() if level is None else (f"-O{level}",)),
                   source, "-o", target]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            why = (
                "; ".join(line.strip() for line in (done.stderr or done.stdout).splitlines()[:3])
                or f"status {done.returncode}"
            )
            raise error("D038", kernel=entry, tool=f"{tool} ({tool.path})", why=why)
        with open(target, "rb") as file:
            code = file.read()
        return code, report(done.stderr, entry, text, code)
