"""The steps of docs/tutorial.md: what their gfx942 code loads, loses and keeps busy, their speed on an NVIDIA GPU; the page's tables and pictures.

    python benchmarks/tutorial.py --only static    # executed gfx942 code and llvm-mca: needs no GPU
    python benchmarks/tutorial.py --only timed     # on the GPU, beside cuBLAS
    python benchmarks/tutorial.py --page           # writes the tables of the page from the results
    python benchmarks/tutorial.py --pictures       # makes docs/pictures by the page's `ave show` lines

Static: one launch of every step on the same small matrices, executed with counters, its result held against NumPy; and what the main loop takes.
Timed: contenders in turn, L2 written over before each call, medians of device time; every result is checked against float64 first.
Writes `results/tutorial_static.json` and `results/tutorial.json`.
"""

from __future__ import annotations

import argparse
import functools
import json
import pathlib
import re
import shlex
import statistics
from collections.abc import Callable
from typing import Any

import avelang.language as al
from avelang import executor
from avelang_kernels.matmul import tile_gemm, tutorial_gemm

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE, PICTURES, RESULTS = ROOT / "docs" / "tutorial.md", ROOT / "docs" / "pictures", ROOT / "benchmarks" / "results"
SHAPE = (4864, 4096, 4096)
COUNTED = (256, 256, 256)  # what is executed
SLOW = ("naive", "tiled", "matrix")  # of these fewer calls are timed
# Of the page: a marker, the table, the end.
TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of the table -->)", re.DOTALL)


def code(step: str, m: int, n: int) -> tuple[Any, tuple[int, ...], tuple[int, int, int], dict[str, Any]]:
    """The kernel of a step for gfx942, its grid, its block, its compile-time values."""
    S = tutorial_gemm.block(step, "gfx942")
    if step in SLOW:
        kernel, grid, threads, values = tutorial_gemm.launch(step, m, n, "gfx942")
        return kernel, grid, (*threads, 1), values
    assert S is not None
    return tile_gemm.build(S, al.bf16, al.bf16), (S.grid(m, n, 1),), (S.on("gfx942", tutorial_gemm.BF16).threads, 1, 1), {}


def counted(step: str, m: int, n: int, k: int) -> executor.Run:
    """A step's gfx942 code, executed with counters on integers whose product is exact; raises AssertionError where that is wrong."""
    import ml_dtypes
    import numpy as np

    rng = np.random.default_rng(m + n + k)
    a, b = (rng.integers(-3, 4, (rows, k)).astype(ml_dtypes.bfloat16) for rows in (m, n))
    c = np.full((m, n), np.nan, ml_dtypes.bfloat16)
    kernel, grid, block, values = code(step, m, n)
    run = executor.compiled(kernel, block, profile=True, **values)[grid, block](a, b, c, m, n, k)
    want = a.astype(np.float32) @ b.astype(np.float32).T
    assert np.array_equal(c, want.astype(ml_dtypes.bfloat16)), step
    return run


def static(step: str) -> dict[str, Any]:
    """What the gfx942 code of a step does and takes."""
    from avelang.amdgcn.mca import utilization
    from avelang.amdgcn.report import report
    from avelang.runtime.compile import compile_text

    m, n, k = COUNTED
    S, run = tutorial_gemm.block(step, "gfx942"), counted(step, m, n, k)
    kernel, _, block, values = code(step, m, n)
    text = compile_text(kernel, values, block, "gfx942", "asm")
    made, busy = report(text), utilization(text, "gfx942")
    assert made.loop is not None and busy is not None
    return {
        "step": step, "tile": [S.m, S.n, S.k] if S else [tutorial_gemm.T] * (2 if step == "tiled" else 0),
        "pipeline": S.pipeline if S and step != "matrix" else "", "loads_per_output": run.traffic.loaded / 2 / m / n,
        "stores_per_output": run.traffic.stored / 2 / m / n, "lds_read_per_product": run.traffic.read / m / n / k,
        "lds_written_per_product": run.traffic.written / m / n / k, "lost_per_1000_products": 1000 * sum(run.conflicts.values()) / m / n / k,
        "vgpr": made.vgpr, "spills": made.vgpr_spills + made.sgpr_spills, "lds": made.lds, "utilization": busy.ratio,
        "loop": {kind: dict(x) for kind, x in made.loop.counts.items()},
    }  # fmt: skip


# -- on the GPU ----------------------------------------------------------------------------------------------------------------------------


def timed(rounds: int) -> dict[str, Any]:
    """TFLOP/s of each step and of cuBLAS."""
    import torch
    from gpu_timing import Clock, difference

    here = torch.cuda.get_device_properties(0)
    target = "sm_90a" if torch.cuda.get_device_capability() == (9, 0) else "sm_80"
    m, n, k = SHAPE
    a, b = (torch.randn(s, k, device="cuda", dtype=torch.bfloat16) for s in (m, n))
    steps, out = tutorial_gemm.steps(target), torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    calls: dict[str, Callable[[], Any]] = {
        s: functools.partial(tutorial_gemm.gemm, s, a, b, out, target, here.multi_processor_count) for s in steps
    }
    calls["cuBLAS"] = lambda: torch.matmul(a, b.T, out=out)
    errors = {}
    for name, call in calls.items():
        out.fill_(float("nan"))
        call()
        torch.cuda.synchronize()
        errors[name] = difference(out, a, b)
    assert all(e < 0.03 for e in errors.values()), errors
    clock = Clock()
    times = clock.interleaved({x: c for x, c in calls.items() if x not in SLOW}, rounds)
    times |= clock.interleaved({x: c for x, c in calls.items() if x in SLOW}, max(3, rounds // 8), warm=1)
    us = {name: statistics.median(times[name]) for name in calls}
    blocks = {s: tutorial_gemm.block(s, target) for s in steps}
    return {
        "target": target, "shape": list(SHAPE), "us": us, "tflops": {x: 2 * m * n * k / t / 1e6 for x, t in us.items()}, "errors": errors,
        "blocks": {s: [x.m, x.n, x.k, "" if s == "matrix" else x.pipeline] for s, x in blocks.items() if x},
    }  # fmt: skip


# -- the page ------------------------------------------------------------------------------------------------------------------------------


def rows(head: tuple[str, ...], body: list[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    return "".join(f"| {' | '.join(x)} |\n" for x in (head, ("---",) * len(head), *body))


def number(x: float, digits: int) -> str:
    """Without zeros behind the point."""
    shown = f"{x:.{digits}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def static_table(record: dict[str, Any]) -> str:
    """Loads, LDS and the matrix core, by step."""
    head = ("step", "tile, pipeline", f"loads an output, K = {COUNTED[2]}", "LDS bytes read a product", "LDS cycles lost, 1000 products", "VGPRs",
            "LDS bytes", "matrix core busy")  # fmt: skip
    body = []
    for f in record["figures"]:
        tile = " x ".join(map(str, f["tile"])) or "one thread, one output"
        busy = f"{100 * f['utilization']:.1f} %" if "matrix" in f["loop"] else "not used"
        body.append((f["step"], f"{tile} {f['pipeline']}".strip(), number(f["loads_per_output"], 3), number(f["lds_read_per_product"], 3),
                     number(f["lost_per_1000_products"], 2), str(f["vgpr"]), str(f["lds"]), busy))  # fmt: skip
    return rows(head, body)


def timed_table(record: dict[str, Any]) -> str:
    """TFLOP/s, by step."""
    best = record["tflops"]["cuBLAS"]
    body = []
    for name, x in record["tflops"].items():
        *tile, pipeline = record["blocks"].get(name, ("",))
        shown = f"{' x '.join(map(str, tile))} {pipeline}".strip()
        body.append((name, shown, number(record["us"][name], 0), number(x, 1 if x < 100 else 0), f"{x / best:.3f}"))
    m, n, k = record["shape"]
    return rows(("step", "tile, pipeline", f"us, {m} x {n} x {k}", "TFLOP/s", "of cuBLAS"), body)


TABLES: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {"static": ("tutorial_static", static_table), "timed": ("tutorial", timed_table)}


def renewed(page: str) -> str:
    """The page with its tables made from the results; one whose result is not there stays empty."""

    def table(found: re.Match[str]) -> str:
        file, make = TABLES[found[2]]
        path = RESULTS / f"{file}.json"
        return found[1] + (make(json.loads(path.read_text())) if path.exists() else "") + found[3]

    return TABLE.sub(table, page)


def pictures(folder: pathlib.Path) -> list[pathlib.Path]:
    """Runs the page's `ave show` lines; the files go to `folder`."""
    from avelang.cli.show import show

    made = []
    for line in re.findall(r"^    ave show (.*)$", PAGE.read_text(), re.MULTILINE):
        *args, flag, name = shlex.split(line)
        assert flag == "-o" and name.startswith("docs/pictures/"), line
        made.append(folder / pathlib.Path(name).name)
        show.main([*args, flag, str(made[-1])], standalone_mode=False)
    return made


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=40)
    p.add_argument("--only", choices=("static", "timed"), help="what needs no GPU, or what needs no llvm-mca")
    p.add_argument("--page", action="store_true", help="write the page's tables from the results")
    p.add_argument("--pictures", action="store_true", help="make the page's pictures")
    args = p.parse_args()
    if args.pictures:
        PICTURES.mkdir(exist_ok=True)
        pictures(PICTURES)
    if args.page:
        PAGE.write_text(renewed(PAGE.read_text()))
    if args.pictures or args.page:
        return
    from common import save

    if args.only != "timed":
        figures = [static(s) for s in tutorial_gemm.steps("gfx942")]
        print(static_table({"figures": figures}))
        print("saved", save("tutorial_static", {"shape": list(COUNTED), "figures": figures}))
    if args.only != "static":
        from gpu_timing import device

        record = {"device": device(), **timed(args.rounds)}
        print(timed_table(record))
        print("saved", save("tutorial", record))


if __name__ == "__main__":
    main()
