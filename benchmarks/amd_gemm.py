"""The pipelined GEMM's gfx942 machine code beside that of Triton and IREE: what it takes, what its main loop does, how
busy the matrix core is.

    python benchmarks/amd_gemm.py [--peers FOLDER] [--chip gfx942]

Static: nothing is run, and no figure here is a time on a card. Counts are of one iteration of the main loop of one
wave, 64 elements of K. The utilization is llvm-mca's of one wave alone (`avelang.amdgcn.mca` says how; apt-get install
llvm-22). Peers are assembly files of other compilers for C = A @ B^T in bf16; those that are missing are left out."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import pathlib
import sys
from typing import Any

from harness import Part, in_turns, main, median, table

from avelang.amdgcn.mca import utilization
from avelang.amdgcn.report import report
from avelang.base.errors import AveError
from avelang.runtime.compile import compile_text
from avelang_kernels.matmul import mi300_gemm

PEERS = pathlib.Path(__file__).resolve().parents[1] / "tests" / "peers"
# A peer's file: who made it, its tile, bf16 or f32 out; bytes of LDS that its launch gives.
FILES = {
    "gemm_gfx942_128x128x64_w4_s2_nk16.amdgcn": ("Triton 3.9.0, 128x128x64, bf16", 32768),
    "iree_bf16_4864x4096x4096.s": ("IREE 3.13, 128x128x64, f32", 0),
}
HEAD = ("kernel", "waves", "VGPR/AGPR/SGPR", "spills", "LDS", "MFMA", "ds_read", "ds_write", "loads", "barriers",
        "LDS of peak", "utilization")


def ours(chip: str, rounds: int = 3) -> dict[str, tuple[str, float]]:
    """Name: (assembly, median seconds from source to assembly in a warm process)."""
    out = {}
    for tile in (mi300_gemm.SMALL, mi300_gemm.LARGE):
        for kernel, kind in ((mi300_gemm.gemm_f32, "f32"), (mi300_gemm.gemm_bf16, "bf16")):
            made = functools.partial(compile_text, kernel, {"T": tile}, (mi300_gemm.threads(tile), 1, 1), chip, "asm")
            seconds = in_turns({"": made}, rounds)[""]
            out[f"Ave, {tile.m}x{tile.n}x{mi300_gemm.STEP}, {kind}"] = made(), median(seconds)
    return out


def peers(folder: pathlib.Path) -> dict[str, tuple[str, int]]:
    """Name: (assembly, bytes of dynamic LDS), of the files that are there."""
    return {name: ((folder / file).read_text(), lds)
            for file, (name, lds) in FILES.items() if (folder / file).is_file()}


def figures(text: str, chip: str, dynamic_lds: int = 0) -> dict[str, object]:
    """The record of a kernel."""
    made = report(text, dynamic_lds=dynamic_lds)
    assert made.loop is not None
    counts = {kind: sum(found.values()) for kind, found in made.loop.counts.items()}
    try:
        busy = utilization(text, chip)
    except AveError as exc:  # no llvm-mca
        print(exc.args[0] if exc.args else exc, file=sys.stderr)
        busy = None
    return {
        "waves": made.threads // 64, "vgpr": made.vgpr, "agpr": made.agpr, "sgpr": made.sgpr,
        "spills": made.vgpr_spills + made.sgpr_spills,
        "scratch": made.scratch, "lds": made.lds, "occupancy": made.occupancy.waves, "loop": counts,
        "lds_read": made.loop.lds_read,
        "lds_written": made.loop.lds_written, "matrix_clocks": made.loop.matrix_clocks,
        "lds_ratio": made.loop.lds_ratio,
        "mca": dataclasses.asdict(busy) if busy else None,
    }  # fmt: skip


def row(name: str, f: dict) -> tuple[str, ...]:
    """A line of the table."""
    loop, busy = f["loop"], f["mca"]
    return (
        name, str(f["waves"]), f"{f['vgpr']}/{f['agpr']}/{f['sgpr']}", str(f["spills"]), str(f["lds"]),
        *(str(loop.get(kind, 0)) for kind in ("matrix", "LDS read", "LDS write", "load", "barrier")),
        f"{100 * f['lds_ratio']:.1f} %", f"{100 * busy['ratio']:.1f} %" if busy else "-",
    )  # fmt: skip


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Ours, and the peers' for the chip that theirs is for."""
    found: dict[str, dict] = {}
    for name, (text, seconds) in ours(args.chip).items():
        found[name] = {**figures(text, args.chip), "seconds_to_assembly": seconds}
    if args.chip == "gfx942":
        found |= {name: figures(text, args.chip, lds) for name, (text, lds) in peers(args.peers).items()}
    return {"chip": args.chip, "kernels": found}


def show(record: dict[str, Any]) -> str:
    """A line for each kernel."""
    note = (
        "static estimates; LDS of peak: bytes read and written a matrix clock of four SIMDs, of what the LDS of a "
        "CU moves"
    )
    return table([HEAD, *(row(name, f) for name, f in record["kernels"].items())]) + "\n" + note


if __name__ == "__main__":
    folder = {"type": pathlib.Path, "default": PEERS, "help": "folder of the foreign assembly files"}
    main(__doc__, Part("code", "amd_gemm", measure, show), more={"--peers": folder, "--chip": {"default": "gfx942"}})
