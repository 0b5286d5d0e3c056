"""Kernel to code object for an AMD GPU in a fresh process: from the start of Python to the file on disk, with nothing
cached.

    python benchmarks/amd_compile.py [--rounds 7] [--target gfx942]

Peers, measured for the issue on their own GEMM kernels: Triton 0.7 to 1.2 s, IREE 0.5 to 0.7 s. Python's own cache of
bytecode is on, as in an installed package; Ave's cache of kernels is off. The column CPU is processor time of all
threads and of the linker: what a busy machine changes least."""

from __future__ import annotations

import argparse
import os
import pathlib
import tempfile
from typing import Any

from harness import Bar, Part, Rows, fresh_process, main, median, table

from avelang.amdgcn.code_object import read
from avelang.amdgcn.report import report

HERE = str(pathlib.Path(__file__).parent)
# Name, what the process imports, kernel, compile-time values, block.
KERNELS = (
    ("tutorial, sizes at run time", "from kernels import gemm", "gemm", "dict(BLOCK_M=32, BLOCK_N=32, BLOCK_K=16)",
     "(64, 1, 1)"),
    ("tutorial, guarded edges", "from avelang_kernels.matmul.mfma_gemm import mfma_gemm", "mfma_gemm", "{}",
     "(64, 1, 1)"),
    ("pipelined 128x128x64, 4 waves", "from avelang_kernels.matmul.mi300_gemm import SMALL, gemm_bf16", "gemm_bf16",
     "dict(T=SMALL)", "(256, 1, 1)"),
    ("pipelined 256x256x64, 8 waves", "from avelang_kernels.matmul.mi300_gemm import LARGE, gemm_bf16", "gemm_bf16",
     "dict(T=LARGE)", "(512, 1, 1)"),
)
CHILD ="""
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


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Seconds of whole processes, in turn; the first turn writes the bytecode and does not count."""
    seconds: dict[str, list[tuple[float, ...]]] = {name: [] for name, *_ in KERNELS}
    sizes = {}
    with tempfile.TemporaryDirectory() as folder:
        out, bytecode = pathlib.Path(folder, "kernel.hsaco"), os.path.join(folder, "bytecode")
        for turn in range(args.rounds + 1):
            for name, imports, kernel, values, block in KERNELS:
                code = CHILD.format(here=HERE, imports=imports, kernel=kernel, values=values, block=block,
                                    target=args.target, out=str(out))
                whole, (imported, compiled), cpu = fresh_process(code, AVE_NO_CACHE="1", PYTHONPYCACHEPREFIX=bytecode)
                found = report(read(out.read_bytes()))
                assert found.vgpr_spills == found.scratch == 0, name
                sizes[name] = found.code_bytes
                if turn:
                    seconds[name].append((whole, imported, compiled, cpu))
    return {"target": args.target, "rounds": args.rounds, "code_bytes": sizes,
            "seconds_whole_imports_compiling_cpu": seconds}


def columns(record: dict[str, Any], name: str) -> list[list[float]]:
    """Seconds of a kernel: of the whole process, of imports, of compiling, of the processor."""
    return [list(column) for column in zip(*record["seconds_whole_imports_compiling_cpu"][name], strict=True)]


def show(record: dict[str, Any]) -> str:
    """Medians."""
    rows: Rows = [("kernel", "median", "least", "imports", "compiling", "CPU", "code")]
    for name, size in record["code_bytes"].items():
        whole, *others = columns(record, name)
        rows.append(
            (
                name,
                f"{median(whole):.3f} s",
                f"{min(whole):.3f} s",
                *(f"{median(x):.3f} s" for x in others),
                f"{size} bytes",
            )
        )
    return table(rows)


def bars(record: dict[str, Any]) -> list[Bar]:
    """A code object is there after 0.4 s."""
    return [Bar(name, median(columns(record, name)[0]), 0.4, "s") for name in record["code_bytes"]]


if __name__ == "__main__":
    main(__doc__, Part("compile", "amd_compile", measure, show, bars=bars), rounds=7,
         more={"--target": {"default": "gfx942"}})
