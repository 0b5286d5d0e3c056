"""LLVM's programs and libraries: a tool's name comes in, the path of one that is new enough goes out, or an error that
says how to get one."""

from __future__ import annotations

import functools
import glob
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence

from avelang.base import knobs
from avelang.base.errors import error

OLDEST = 19  # the first LLVM whose AMDGPU tools read and write code objects of version 6, and know gfx950
VERSIONS = (22, 21, 20, 19)
PACKAGE = {"ld.lld": "lld-22", "llvm-mca": "llvm-22", "llvm-objdump": "llvm-22", "libLLVM": "libllvm22"}
SECONDS = 120  # after which a tool that has not answered is given up


@functools.lru_cache(maxsize=32)
def version(path: str) -> int:
    """The LLVM version that a program names, 0 where it names none."""
    try:
        out = subprocess.run(
            [path, "--version"], capture_output=True, text=True, errors="replace", timeout=SECONDS
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r"(?:LLD|LLVM version) (\d+)\.", out)
    return int(found[1]) if found else 0


def search(tool: str) -> tuple[str | None, list[str]]:
    """(path of the program or None, what was looked for): in AVE_LLVM, then by the names with a version, whose word is
    taken, then by the plain name, which is asked for its version."""
    folder = knobs.llvm()
    looked = [os.path.join(folder, "bin", tool)] if folder else []
    if looked and os.access(looked[0], os.X_OK):
        return looked[0], looked
    names = [f"{tool}-{v}" for v in VERSIONS]
    looked.append(f"{names[0]} to {names[-1]} on PATH")
    for name in names:
        if path := shutil.which(name):
            return path, looked
    path = shutil.which(tool)
    if path and version(path) >= OLDEST:
        return path, looked
    looked.append(
        f"{tool} {OLDEST} or newer on PATH"
        + (f" ({path} is {version(path) or 'of an unknown version'})" if path else "")
    )
    return None, looked


def program(tool: str, purpose: str) -> str:
    """The path of one of LLVM's programs. `purpose` begins the sentence of D020, which is raised where there is
    none."""
    path, looked = search(tool)
    if path is None:
        package = PACKAGE[tool]
        raise error(
            "D020", purpose=purpose, tool=tool, looked=", ".join(looked),
            install=f"apt-get install {package}, or set AVE_LLVM=FOLDER",
        )  # fmt: skip
    return path


def run(command: Sequence[str], data: bytes, what: str = "") -> bytes:
    """Standard output of a program that reads `data`. Raises D021 with the program's own words where it fails."""
    name = what or os.path.basename(command[0])
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise error("D021", tool=name, why=f"no answer after {SECONDS} seconds") from None
    except OSError as exc:
        raise error("D021", tool=f"{name} ({command[0]})", why=exc.strerror or str(exc)) from None
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        raise error("D021", tool=name, why="; ".join(words[:5]) or f"status {done.returncode}")
    return done.stdout


def libraries() -> Iterator[str]:
    """Paths and names under which LLVM's own shared library may be loaded, the likeliest first: those of AVE_LLVM and
    no others where that is set; else names that the system's loader knows, usual folders, and where `llvm-config`
    says."""
    folder = knobs.llvm()
    if not folder:
        yield from (name for v in VERSIONS for name in (f"libLLVM.so.{v}.1", f"libLLVM-{v}.so"))
    for place in (
        [folder] if folder else [*(f"/usr/lib/llvm-{v}" for v in VERSIONS), "/opt/rocm/llvm", "/opt/rocm/lib/llvm"]
    ):
        yield from sorted(glob.glob(os.path.join(place, "lib", "libLLVM*.so*")), reverse=True)
    for name in () if folder else (*(f"llvm-config-{v}" for v in VERSIONS), "llvm-config"):
        if config := shutil.which(name):
            where = subprocess.run([config, "--libdir"], capture_output=True, text=True).stdout.strip()
            yield from sorted(glob.glob(os.path.join(where, "libLLVM*.so*")), reverse=True)
