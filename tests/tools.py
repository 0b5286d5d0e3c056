"""Programs that some tests hold Ave against: their path, or a skip that says how to install them (a failure where CI is set)."""

from __future__ import annotations

import os
import pathlib
import shutil
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


def find(tool: str) -> str | None:
    """The path of a tool, a versioned name before the plain one (a plain one may be too old for AMD GPUs)."""
    if tool in WHEELS:
        inside = [str(p) for folder in sys.path if folder for p in sorted(pathlib.Path(folder).glob(WHEELS[tool][1]))]
        return next((path for path in (os.environ.get("AVE_PTXAS"), *inside, shutil.which(tool)) if path and os.path.isfile(path)), None)
    names = [tool] if tool == "gcc" else [f"{tool}-{v}" for v in VERSIONS]
    return next((path for name in names if (path := shutil.which(name))), None)


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
