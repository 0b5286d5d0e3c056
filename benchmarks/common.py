"""What the benchmarks share: the machine and versions for the record, timing, and the JSON file each run leaves."""

from __future__ import annotations

import contextlib
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

PACKAGES = ("avelang", "numpy", "llvmlite", "ml_dtypes", "torch", "triton")


def machine() -> dict[str, Any]:
    """Processor, cores, Python and the versions that matter."""
    cpu = platform.processor()
    with contextlib.suppress(OSError, StopIteration):
        cpu = next(line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"cpu": cpu, "cores": cores, "system": platform.platform(terse=True), "python": platform.python_version(), "versions": versions}


def save(name: str, figures: dict[str, Any]) -> pathlib.Path:
    """Writes `results/NAME.json` beside this file (or under $OUT), with machine and date, and returns its path."""
    folder = pathlib.Path(os.environ.get("OUT") or pathlib.Path(__file__).parent / "results")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    record = {"benchmark": name, "date": datetime.date.today().isoformat(), "machine": machine(), **figures}
    path.write_text(json.dumps(record, indent=2) + "\n")
    return path


def interleaved(contenders: dict[str, Callable[[], object]], rounds: int, calls: int = 3, pause: float = 0.05) -> dict[str, list[float]]:
    """Seconds of every timed call of each contender.

    They take turns, so that a slow minute of the machine hits all. A turn is a pause, in which the threads of the one before fall asleep,
    one call that is not timed, and `calls` that are.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            time.sleep(pause)
            call()
            for _ in range(calls):
                start = time.perf_counter()
                call()
                times[name].append(time.perf_counter() - start)
    return times


def median(values: list[float]) -> float:
    return statistics.median(values)


def bf16_matrix(rows: int, cols: int, rng: np.random.Generator) -> np.ndarray:
    """Fresh random normal numbers in bf16."""
    import ml_dtypes

    return rng.standard_normal((rows, cols), dtype=np.float32).astype(ml_dtypes.bfloat16)


def table(rows: list[tuple[str, ...]]) -> str:
    """A plain table, columns padded."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)
