"""The wheels of this checkout, built and tried: what a user installs without the checkout works, on each Python that
this machine has. Standard library only.

    python3 tools/wheels.py             # build both, then try them on every Python from 3.11 on
    python3 tools/wheels.py --only 3.13

Exit status 1 where a wheel cannot be built, holds what it should not, or fails on a Python; Pythons that are not to be
had are named."""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
# The top-level names that each distribution may install.
HOLDS = {"avelang": {"avelang", "avelang_kernels"}, "avelang_pyptx": {"pyptx"}}

TRIAL = """
import numpy as np, sys
import avelang, avelang.language as al, avelang_kernels, pyptx
from avelang import ops

@avelang.jit
def twice(x: al.Tensor((64,), al.f32)):
    i = al.thread_id(0)
    x[i] = 2.0 * x[i]

x = np.arange(64, dtype=np.float32)
twice[(1, 1, 1), (64, 1, 1)](x)
assert (x == 2.0 * np.arange(64)).all()
a, b = np.ones((5, 8), np.float16), np.ones((8, 3), np.float16)
assert (ops.matmul(a, b) == 8).all()
assert "site-packages" in avelang.__file__ and "site-packages" in pyptx.__file__, avelang.__file__
"""


def run(*command: object, cwd: pathlib.Path | None = None) -> str:
    """The output of a command. Ends the program, with what it said, where it fails."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, env=clean)
    if done.returncode:
        sys.exit(f"error: {' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def build(folder: pathlib.Path) -> list[pathlib.Path]:
    """Both wheels, checked for what they hold."""
    for source in (ROOT, ROOT / "distributions" / "pyptx"):
        run(sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "-w", folder, source)
    wheels = sorted(folder.glob("*.whl"))
    for wheel in wheels:
        names = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
        found = {name for name in names if not name.endswith(".dist-info")}
        if found != HOLDS[wheel.name.split("-")[0]]:
            sys.exit(f"error: {wheel.name} holds {sorted(found)} at the top")
        print(f"built  {wheel.name}: {', '.join(sorted(found))}, {wheel.stat().st_size >> 10} KiB")
    return wheels


def interpreter(version: str) -> str | None:
    """A Python of that version: this one, one on the path, or one of pyenv's."""
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return sys.executable
    found = shutil.which(f"python{version}")
    if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
        return found
    if shutil.which("pyenv"):
        versions = pathlib.Path(run("pyenv", "root").strip()) / "versions"
        return next((str(p / "bin" / "python") for p in sorted(versions.glob(f"{version}.*"))), None)
    return None


def attempt(python: str, wheels: list[pathlib.Path], folder: pathlib.Path) -> str:
    """Installs the wheels in a new environment and runs a kernel, an operation and the command. Returns a line."""
    run(python, "-m", "venv", folder / "venv")
    inside = folder / "venv" / "bin"
    run(inside / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *wheels)
    (folder / "trial.py").write_text(TRIAL)
    run(inside / "python", folder / "trial.py", cwd=folder)
    run(inside / "ave", "doctor", cwd=folder)
    packages = "import llvmlite, numpy; print('llvmlite', llvmlite.__version__ + ', NumPy', numpy.__version__)"
    return run(inside / "python", "-c", packages).strip()


def main() -> None:
    parser = argparse.ArgumentParser(description="Builds the wheels and tries them.")
    parser.add_argument("--only", help="one version of Python, such as 3.13")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        base = pathlib.Path(scratch)
        wheels = build(base)
        for version in [options.only] if options.only else VERSIONS:
            python = interpreter(version)
            if python is None:
                print(f"Python {version}: not to be had here")
                continue
            (base / version).mkdir()
            print(f"Python {version}: works, with {attempt(python, wheels, base / version)}", flush=True)
            shutil.rmtree(base / version)


if __name__ == "__main__":
    main()
