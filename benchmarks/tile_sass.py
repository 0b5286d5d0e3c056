"""What NVIDIA's assembler makes of the tile GEMM's loops with `mma.sync`, beside the kernel that was written an
instruction at a time (`avelang_kernels.matmul.ptx_ampere_gemm`): registers, spills, and the instructions of the main
loop for each `HMMA` in it. No GPU is needed, and nothing is timed.

    python benchmarks/tile_sass.py [--nvdisasm FILE]

Needs `ptxas` and `nvdisasm` (PyPI: nvidia-cuda-nvcc, nvidia-cuda-nvdisasm). Writes `results/tile_sass.json`.
"""

from __future__ import annotations

import argparse
import collections
import os
import re
import shutil
import subprocess
import tempfile
from typing import Any

from harness import Part, main, table
from tile_gemm import BLOCKS, named

import avelang.language as al
from avelang.ptx.types import bf16
from avelang.runtime import ptxas
from avelang.runtime.compile import compile_text
from avelang.tile import Block
from avelang_kernels.matmul import ptx_ampere_gemm
from avelang_kernels.matmul.tile_gemm import build

CHIPS = ("sm_80", "sm_90a")
SIZE = (4864, 4096, 4096)
# Tiles on their way through registers: what four warps spill, eight do not.
BY_REGISTERS = tuple(
    Block(128, 128, 64, (2, across), name) for name in ("double-buffer", "prefetch") for across in (2, 4)
)


def main_loop(text: str) -> list[str]:
    """The instructions of the loop that has the fewest beside its products, by nvdisasm's listing: where there are two,
    that of tiles inside."""
    lines = [re.sub(r"/\*.*?\*/", "", line).strip() for line in text.splitlines()]
    labels = {line[:-1]: i for i, line in enumerate(lines) if line.startswith(".L") and line.endswith(":")}
    loops = []
    for i, line in enumerate(lines):
        back = re.search(r"\bBRA\b.*?\((\.L\w+)\)", line)
        if back and labels.get(back[1], i) < i:
            loops.append([re.sub(r"^@!?U?P\w+ ", "", x) for x in lines[labels[back[1]] : i + 1] if x.endswith(";")])
    with_products = [x for x in loops if any("HMMA" in y for y in x)]
    return min(with_products, key=lambda x: len(x) / sum("HMMA" in y for y in x))


def figures(tool: ptxas.Assembler, nvdisasm: str, text: str, chip: str) -> dict[str, Any]:
    """Of one kernel's PTX."""
    entry = re.search(r"\.entry\s+(\w+)", text)
    assert entry is not None
    code, said = ptxas.assemble(tool, text, chip, entry[1])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.cubin")
        with open(path, "wb") as file:
            file.write(code)
        listing = subprocess.run([nvdisasm, "-c", path], capture_output=True, text=True, check=True).stdout
    found = main_loop(listing)
    counts = collections.Counter(re.split(r"[ .]", x)[0] for x in found)
    return {"said": said, "loop": len(found), "products": counts["HMMA"], "each": len(found) / counts["HMMA"],
            "counts": dict(counts.most_common())}


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Every kernel on every chip."""
    if args.nvdisasm is None:
        raise SystemExit("no nvdisasm in the path: --nvdisasm names one (PyPI: nvidia-cuda-nvdisasm)")
    tool, rows = ptxas.need("the machine code of PTX"), []
    for chip in CHIPS:
        texts = {}
        for b in (*(x for x in BLOCKS[chip] if x.pipeline == "cp-async"), *BY_REGISTERS):
            threads = b.on(chip, al.bf16).threads
            texts[f"{named(b)}, {threads // 32} warps"] = compile_text(build(b, al.bf16, al.bf16), {}, (threads, 1, 1),
                    chip, "asm")
        for plan in (ptx_ampere_gemm.GemmPlan(128, 128), ptx_ampere_gemm.GemmPlan(128, 256)):
            texts[f"by hand {plan.m}x{plan.n}x{plan.step}"] = ptx_ampere_gemm.build(plan, bf16, bf16).traced(SIZE,
                    chip).text
        rows += [{"chip": chip, "kernel": name, **figures(tool, args.nvdisasm, text, chip)}
                 for name, text in texts.items()]
    return {"assembler": str(tool), "figures": rows}


def show(record: dict[str, Any]) -> str:
    """Registers, spills, and the main loop."""
    rows = (
        (
            f["chip"],
            f["kernel"],
            str(f["said"]["registers"]),
            str(sum(f["said"]["spills"])),
            str(f["loop"]),
            str(f["products"]),
            f"{f['each']:.2f}",
        )
        for f in record["figures"]
    )
    return table([("chip", "kernel", "registers", "spills", "loop", "HMMA", "each"), *rows])


if __name__ == "__main__":
    tool = {"default": shutil.which("nvdisasm"), "help": "NVIDIA's disassembler; default: the one in the path"}
    main(__doc__, Part("sass", "tile_sass", measure, show), page="tile", more={"--nvdisasm": tool})
