"""Every plan of a list at every shape of the benchmark, beside cuBLAS: from its table comes the choice in
`avelang_kernels/matmul/hopper_skinny.py`.

    python benchmarks/tune_hopper_skinny.py [--rounds 30] [--seconds 150] [--shapes "8,2304,8192 64,8192,8192"]
        [--plans "64,2,12,132 64,2,9,108,3"]

A plan is rows of B to a tile, pieces of K to a step, stages, blocks of the grid, blocks of a cluster along K and across
N. Each is first held against torch's product in f32 on a poisoned output, twice (the bits must be the same, and the
workspace's counters 0 again). Then the best once more, with L2 told to fetch 256 bytes at a time. The GPU is used by a
child of this process: where a plan fails or hangs, another child goes on without it. What is known so far is written
after each shape."""

from __future__ import annotations

import argparse
import json
import queue
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from harness import listed, medians, save, table

from avelang.runtime import tensor_maps
from avelang_kernels.matmul.hopper_skinny import Plan, best_plan, launch, stages_of, width_of, workspace_of

SHAPES = (
    (8, 13312, 16384), (8, 13312, 8192), (8, 2304, 16384), (8, 2304, 8192), (8, 6656, 16384), (8, 6656, 8192),
    (1, 8192, 8192), (16, 28672, 8192),
    (64, 8192, 8192),
)  # fmt: skip
SILENCE = 60  # seconds without a word from the child, after which it hangs
SHOWN = 6  # plans of a shape in the table
BYTES = 2
Shape = tuple[int, int, int]


def plans(shape: Shape, sms: int) -> list[Plan]:
    """The plans to try, likely ones first: all of shared memory or half of it for the ring, one block on a
    multiprocessor or two; tiles shared by clusters, by neighbors in the row of all steps, or not; for a wide A clusters
    of tiles beside one another."""
    m, n, k = shape
    width = width_of(m)
    out = {best_plan(m, n, k, sms): None}
    for depth in (2, 1, 4):
        for rows in (64, 128):
            tiles = -(-n // rows)
            whole = -(-tiles // -(-tiles // sms))
            grids = [(sms, 1, 1), (whole, 1, 1)]
            grids += [(tiles * s, along, 1) for s in range(2, 9) if 0.7 * sms <= tiles * s <= sms for along in (s, 1)]
            grids += [(whole // across * across, 1, across) for across in (4, 2) if width // across >= 8 and width > 8]
            doubled = [(2 * sms, 1, 1), *((tiles * s, s, 1) for s in range(1, 9) if sms < tiles * s <= 2 * sms)]
            for (blocks, along, across), each in [(g, each)
                for each, some in ((1, grids), (2, doubled), (2, grids)) for g in some]:
                stages = stages_of(width, rows, depth, along, each)
                if stages >= 3 and blocks >= 0.5 * sms:
                    out[Plan(rows, depth, stages, blocks, along, across)] = None
    return list(out)


def wrong(shape: Shape, plan: Plan, a: Any, b: Any, out: Any, want: Any) -> str:
    """What is wrong with a plan's result, or ""."""
    import torch

    launch(a, b, out.fill_(float("nan")), plan)
    torch.cuda.synchronize()
    error = (out.float() - want).abs()
    if not bool((error <= 2.0**-8 * want.abs() + 1e-4 * shape[2] ** 0.5).all()):
        return f"error {float(error.max())}, {int(torch.isnan(out).sum())} NaN"
    first = out.clone()
    launch(a, b, out.fill_(float("nan")), plan)
    torch.cuda.synchronize()
    if not torch.equal(first, out):
        return "two runs differ"
    return "counters are not 0" if bool(workspace_of(a)[1].any()) else ""


def measure(shape: Shape, given: list[Plan], skipped: set[Plan], rounds: int, seconds: float) -> dict[str, Any]:
    """Checks plans for as long as there is time, and times them and cuBLAS in turn."""
    import torch
    from harness import GpuClock, device, operands, units

    start = time.perf_counter()
    m, n, k = shape
    a, b = operands(m, n, k)
    want, out, theirs = (
        a.float() @ b.float().T,
        *(torch.empty(m, n, device="cuda", dtype=torch.bfloat16) for _ in range(2)),
    )
    contenders: dict[str, Any] = {"cuBLAS": lambda: torch.matmul(a, b.T, out=theirs)}
    errors: dict[str, str] = {}
    for plan in given or plans(shape, units()):
        if plan in skipped or time.perf_counter() - start > 0.8 * seconds:
            continue
        name = ",".join(map(str, plan))
        print(f"BEGIN {json.dumps([shape, plan])}", flush=True)
        try:
            errors[name] = wrong(shape, plan, a, b, out, want)
        except Exception as e:
            errors[name] = f"{type(e).__name__}: {str(e)[:300]}"
            torch.cuda.synchronize()  # where the context is lost this raises, and the next child goes on
        if not errors[name]:
            contenders[name] = lambda plan=plan: launch(a, b, out, plan)
    times = GpuClock().interleaved(contenders, rounds)
    return {"device": device(), "shape": shape, "us": medians(times),
            "spread": {name: [min(t), max(t)] for name, t in times.items()},
            "errors": {x: e for x, e in errors.items() if e}}  # fmt: skip


def child(task: dict[str, Any]) -> None:
    """Measures the shapes of a task; says what it begins and what came of it."""
    if task["promote"] == 256:
        # How much L2 takes from memory at once where a copy wants 128 bytes of a row: to see whether the next 128
        # should come along.
        tensor_maps.PROMOTE_128 = tensor_maps.PROMOTE_256
    skipped = {Plan(*plan) for plan in task["skipped"]}
    for i, shape in enumerate(task["shapes"]):
        left = (task["end"] - time.time()) / (len(task["shapes"]) - i)
        record = measure(tuple(shape), [Plan(*p) for p in task["plans"]], skipped, task["rounds"], left)
        print(f"RESULT {json.dumps(record)}", flush=True)
        skipped = set()  # they were of the first shape


def words(task: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """(kind, JSON) of each line that a child says; ends with it, or when it has been silent for too long."""
    process = subprocess.Popen([sys.executable, __file__, "--child", json.dumps(task)], stdout=subprocess.PIPE,
                               text=True)
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    try:
        while (line := lines.get(timeout=SILENCE)) is not None:
            kind, _, rest = line.partition(" ")
            if kind in ("BEGIN", "RESULT"):
                yield kind, json.loads(rest)
            else:
                print(line, end="")
    except queue.Empty:
        print(f"silent for {SILENCE} s")
    finally:
        process.kill()
        process.wait()


def shown(record: dict[str, Any]) -> list[tuple[str, ...]]:
    """Rows of the table: cuBLAS, the best plans, those that failed."""
    shape, us = record["shape"], record["us"]
    ours = sorted((t, name) for name, t in us.items() if name != "cuBLAS")
    rows = []
    for t, name in [(us["cuBLAS"], "cuBLAS"), *ours[:SHOWN]]:
        rows.append(
            (
                " ".join(map(str, shape)),
                name,
                f"{t:.1f} us",
                f"{us['cuBLAS'] / t:.3f}",
                f"{shape[1] * shape[2] * BYTES / t * 1e-6:.2f} TB/s",
            )
        )
    return [
        *rows,
        *((" ".join(map(str, shape)), name, "FAILED", error[:90], "") for name, error in record["errors"].items()),
    ]


def sweep(shapes: list[Shape], given: list[Plan], promote: int, rounds: int, end: float) -> Iterator[dict[str, Any]]:
    """What came of each shape; a plan with which a child ends or hangs is left out by the next one."""
    left, skipped = list(shapes), []
    while left and time.time() < end:
        begun = None
        for kind, said in words(
            {"shapes": left, "plans": given, "rounds": rounds, "skipped": skipped, "end": end, "promote": promote}
        ):
            if kind == "BEGIN":
                begun = said
                continue
            failed = {",".join(map(str, plan)): "the process ended or hung" for plan in skipped}
            left, skipped, begun = left[1:], [], None
            yield {**said, "promote": promote, "errors": {**said["errors"], **failed}}
        if not left:
            return
        if begun is None:
            raise SystemExit("the child failed before it launched anything")
        skipped.append(begun[1])


def main() -> None:
    """Sweeps the plans, or is the child that measures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--plans", type=listed, default=[])
    parser.add_argument("--shapes", type=listed, default=list(SHAPES))
    parser.add_argument("--child", type=json.loads)
    options = parser.parse_args()
    if options.child:
        return child(options.child)
    end, records, best = time.time() + options.seconds, [], {}
    for promote in (128, 256):
        given = options.plans if promote == 128 else list(best)
        for record in sweep(options.shapes, given, promote, options.rounds, end - 20 if promote == 128 else end):
            records.append(record)
            save("tune_hopper_skinny", {"figures": records})
            print(table([("shape", f"L2 fetches {promote}", "time", "of cuBLAS", "B read at"), *shown(record)]),
                  flush=True)
            ours = sorted((t, name) for name, t in record["us"].items() if name != "cuBLAS")
            best.update((tuple(map(int, name.split(","))), None) for _, name in ours[:2])
        ratios = [r["us"]["cuBLAS"] / min(t for name, t in r["us"].items() if name != "cuBLAS")
                  for r in records if r["promote"] == promote and len(r["us"]) > 1]  # fmt: skip
        if ratios:
            mean = statistics.geometric_mean(ratios)
            print(f"L2 fetches {promote}: best of each against cuBLAS, geometric mean of {len(ratios)}: {mean:.3f}",
                  flush=True)


if __name__ == "__main__":
    main()
