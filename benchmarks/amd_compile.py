"""Kernel to code object for an AMD GPU in a fresh process: from the start of Python to the file on disk, with nothing cached.

    python benchmarks/amd_compile.py [--rounds 7] [--target gfx942]

Peers, measured for the issue on their own GEMM kernels: Triton 0.7 to 1.2 s, IREE 0.5 to 0.7 s. Python's own cache of bytecode is on, as in
an installed package; Ave's cache of kernels is off. The column CPU is processor time of all threads and of the linker: what a busy machine
changes least.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from common import median, save, table

from avelang.amdgcn.code_object import read
from avelang.amdgcn.report import report

HERE = str(pathlib.Path(__file__).parent)
# Name, what the process imports, kernel, compile-time values, block.
KERNELS = (
    ("tutorial, sizes at run time", "from kernels import gemm", "gemm", "dict(BLOCK_M=32, BLOCK_N=32, BLOCK_K=16)", "(64, 1, 1)"),
    ("tutorial, guarded edges", "from avelang_kernels.matmul.mfma_gemm import mfma_gemm", "mfma_gemm", "{}", "(64, 1, 1)"),
    ("pipelined 128x128x64, 4 waves", "from avelang_kernels.matmul.mi300_gemm import SMALL, gemm_bf16", "gemm_bf16", "dict(T=SMALL)", "(256, 1, 1)"),
    ("pipelined 256x256x64, 8 waves", "from avelang_kernels.matmul.mi300_gemm import LARGE, gemm_bf16", "gemm_bf16", "dict(T=LARGE)", "(512, 1, 1)"),
)
CHILD = """
import time; start = time.perf_counter()
import sys; sys.path.insert(0, {here!r})
{imports}
from avelang.runtime.compile import compile_code_object
imported = time.perf_counter()
made = compile_code_object({kernel}, {values}, {block}, {target!r})
with open({out!r}, "wb") as f:
    f.write(made)
print(imported - start, time.perf_counter() - imported)
"""


def process(code: str, bytecode: str) -> tuple[float, float, float, float]:
    """(seconds of the whole process; in it, of imports, and of compiling with what that imports; processor seconds)."""
    env = {**os.environ, "AVE_NO_CACHE": "1", "PYTHONPYCACHEPREFIX": bytecode}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    used = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    start = time.perf_counter()
    out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout.split()
    seconds = time.perf_counter() - start
    return seconds, float(out[0]), float(out[1]), sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - used


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--target", default="gfx942")
    args = p.parse_args()
    seconds: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name, *_ in KERNELS}
    sizes = {}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(args.rounds + 1):  # the first turn writes the bytecode and does not count
            for name, imports, kernel, values, block in KERNELS:
                out = os.path.join(folder, "kernel.hsaco")
                code = CHILD.format(here=HERE, imports=imports, kernel=kernel, values=values, block=block, target=args.target, out=out)
                figures = process(code, os.path.join(folder, "bytecode"))
                found = report(read(pathlib.Path(out).read_bytes()))
                assert found.vgpr_spills == found.scratch == 0, name
                sizes[name] = found.code_bytes
                if turn:
                    seconds[name].append(figures)
    rows = [("kernel", "median", "least", "imports", "compiling", "CPU", "code", "bar")]
    for name, all_of_them in seconds.items():
        whole, imports, compiling, cpu = (list(column) for column in zip(*all_of_them, strict=True))
        rows.append((name, f"{median(whole):.3f} s", f"{min(whole):.3f} s", f"{median(imports):.3f} s", f"{median(compiling):.3f} s",
                     f"{median(cpu):.3f} s", f"{sizes[name]} bytes", "0.4 s"))  # fmt: skip
    print(table(rows))
    record = {"target": args.target, "rounds": args.rounds, "code_bytes": sizes, "seconds_whole_imports_compiling_cpu": seconds}
    print("saved", save("amd_compile", record))
    return 0


if __name__ == "__main__":
    sys.exit(main())
