"""Programs that some tests hold Ave against: their path or a command that stands in for them, or a skip that says how to install them (a failure
where CI is set).

The ziglang wheel, which `make test` installs, has LLVM's compiler, assembler and linker in it: with it, a machine without LLVM and without a C
compiler runs nearly all of these tests. What only LLVM's own packages have (llvm-mca, llvm-objdump, llvm-readelf) is skipped there.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

# A tool's name to the Debian package that has it, in the version that the tests were written against.
PACKAGES = {
    "ld.lld": "lld-22",
    "llc": "llvm-22",
    "llvm-mc": "llvm-22",
    "llvm-mca": "llvm-22",
    "llvm-objdump": "llvm-22",
    "llvm-readelf": "llvm-22",
    "gcc": "gcc",
}
# Those that pip installs, and where in the environment.
WHEELS = {"ptxas": ("nvidia-cuda-nvcc", "nvidia/cu*/bin/ptxas")}
VERSIONS = (22, 21, 20, 19)
TRIPLE = "amdgcn-amd-amdhsa"


def find(tool: str) -> str | None:
    """The path of a tool, a versioned name before the plain one (a plain one may be too old for AMD GPUs)."""
    if tool in WHEELS:
        inside = [str(p) for folder in sys.path if folder for p in sorted(pathlib.Path(folder).glob(WHEELS[tool][1]))]
        return next((path for path in (os.environ.get("AVE_PTXAS"), *inside, shutil.which(tool)) if path and os.path.isfile(path)), None)
    names = [tool] if tool == "gcc" else [f"{tool}-{v}" for v in VERSIONS]
    return next((path for name in names if (path := shutil.which(name))), None)


def zig() -> str | None:
    """The program in the ziglang wheel."""
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = os.path.join(folder, "zig")
        if os.access(path, os.X_OK):
            return path
    return None


def missing(what: str, install: str) -> None:
    """Skips the test; fails it where CI is set."""
    text = f"{what} is missing; install it with: {install}"
    if os.environ.get("CI"):
        pytest.fail(text)
    pytest.skip(text)


def need(tool: str) -> str:
    """The path of a tool."""
    path = find(tool)
    if path is None:
        missing(tool, f"pip install {WHEELS[tool][0]}" if tool in WHEELS else f"apt-get install {PACKAGES[tool]}")
    assert path is not None
    return path


def command(tool: str, *stand_in: str) -> list[str]:
    """What runs a tool: its path, or zig with the words that make it do the same."""
    path, wheel = find(tool), zig()
    return [path] if path else [wheel, *stand_in] if wheel else [need(tool)]


def lld() -> list[str]:
    """What runs LLVM's linker."""
    return command("ld.lld", "ld.lld")


def assembler(chip: str, features: str = "", form: str = "asm", encoding: bool = False) -> list[str]:
    """What assembles text for an AMD GPU from standard input to standard output, as llvm-mc does: text again, or (`form` "obj") an object.
    `features` such as "+xnack,-sramecc"; `encoding`: with the bytes of each instruction in a comment."""
    path, wheel = find("llvm-mc"), zig()
    if path or not wheel:
        shown = ["-show-encoding"] if encoding else []
        return [path or need("llvm-mc"), f"-triple={TRIPLE}", f"-mcpu={chip}", f"-mattr={features}", f"-filetype={form}", *shown, "-o", "-", "-"]
    wanted = [word for feature in features.split(",") if feature for word in ("-target-feature", feature)]
    shown = ["-show-encoding"] if encoding else []
    return [wheel, "clang", "-cc1as", "-triple", TRIPLE, "-target-cpu", chip, *wanted, "-filetype", form, *shown, "-o", "-", "-"]


def compiler(chip: str) -> list[str]:
    """What makes assembly for an AMD GPU of LLVM IR, from standard input to standard output, as llc does."""
    path, wheel = find("llc"), zig()
    if path or not wheel:
        return [path or need("llc"), f"-mtriple={TRIPLE}", f"-mcpu={chip}", "-o", "-", "-"]
    return [wheel, "clang", "-target", TRIPLE, f"-mcpu={chip}", "-nogpulib", "-Wno-override-module", "-x", "ir", "-O2", "-S", "-o", "-", "-"]


def disassembler() -> None:
    """Skips the test where nothing disassembles AMD machine code."""
    from avelang.amdgcn.disassemble import disassembler as found
    from avelang.base.errors import AveError

    try:
        found()
    except AveError as exc:
        missing("libLLVM", exc.hint)


def folder() -> pathlib.Path:
    """The temporary folder of this run of the tests, which all its processes share; `conftest.py` removes it."""
    return pathlib.Path(os.environ["AVE_TEST_FOLDER"])


def library(source: pathlib.Path, *flags: str) -> pathlib.Path:
    """The path of the shared library made of a C file, with gcc or with zig's compiler; made once in a run of the tests."""
    made = command("gcc", "cc", "-fno-sanitize=undefined")
    texts = [f.read_bytes() for f in (source, *sorted(source.parent.glob("*.h")))]
    name = hashlib.sha256(b"\0".join([*texts, *(x.encode() for x in flags)])).hexdigest()[:16]
    out = folder() / f"{source.stem}-{name}.so"
    if not out.exists():
        mine = out.with_suffix(f".{os.getpid()}")
        env = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(folder() / "zig"), "ZIG_LOCAL_CACHE_DIR": str(folder() / "zig")}
        subprocess.run([*made, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", *flags, "-o", str(mine), str(source)], check=True, env=env)
        mine.rename(out)  # another process may have been as quick
    return out
