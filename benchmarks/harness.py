"""The harness of the benchmarks: options, timing in turn, checks on poisoned outputs, tables, and the JSON file that
each run leaves.

A script declares `Part`s, each of which measures something into one record (`measure`), says it (`show`), and has a
file under `results/`; `main` reads the options, runs the parts that were asked for, and saves what they found with
machine, versions and date. The rest are pieces for `measure`:

    | piece | times | by |
    | --- | --- | --- |
    | `interleaved` | calls on the CPU, contenders in turn | a host clock, after a pause |
    | `in_turns` | one call each a round, the first round left out | a host clock |
    | `bursts` | the host's part of a launch | a host clock, behind an idle device |
    | `fresh_process` | a whole Python process | a host clock, and its processor time |
    | `GpuClock` | calls on a GPU, in a new order each round | device events, L2 full of other data |
    | `products` | C = A @ B^T on a GPU | `GpuClock`, results held against float64 first |

Clocks are parameters, so that `tests/house/test_harness.py` measures without waiting. torch is imported by what needs a
GPU, and by nothing else."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime
import functools
import importlib
import json
import os
import pathlib
import platform
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

PACKAGES = ("avelang", "numpy", "llvmlite", "ml_dtypes", "torch", "triton", "jax", "jaxlib")
ROOT = pathlib.Path(__file__).resolve().parents[1]
FLUSH_BYTES = 512 << 20  # an H200's L2 holds 50 MB
WAIT_CYCLES = 1_000_000  # some 500 us, in which the host gets ahead of the GPU
# Greatest error of an element of a bf16 product, by the root of the mean square of all: one may be off by 1/512 of
# itself.
MOST = 0.03

Calls = dict[str, Callable[[], Any]]
Figures = dict[str, Any]
Rows = list[tuple[str, ...]]
Times = dict[str, list[float]]

# -- the script ---


@dataclasses.dataclass(frozen=True)
class Bar:
    """A figure that a benchmark is held to: `limit` is the most that it may be, or the least where `least`."""

    name: str
    value: float
    limit: float
    unit: str
    least: bool = False

    @property
    def holds(self) -> bool:
        """True where the value is on the right side of the limit."""
        return self.value >= self.limit if self.least else self.value <= self.limit


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a benchmark: `measure` takes the options and returns the record, which goes to `results/FILE.json`,
    `show` makes text of it.

    `name` is the word for `--only`. `gpu`: the record begins with the device. `default`: it runs where `--only` is not
    given. `bars`: figures of the record that are held to a limit. `keep`: False for a record that is neither shown nor
    saved."""

    name: str
    file: str | Callable[[argparse.Namespace], str]
    measure: Callable[[argparse.Namespace], Figures]
    show: Callable[[Figures], str] = lambda record: ""
    gpu: bool = False
    default: bool = True
    bars: Callable[[Figures], list[Bar]] = lambda record: []
    keep: Callable[[Figures], bool] = bool


def whole(of: int = 1) -> Callable[[str], int]:
    """The type of an option that takes 1 or more, in multiples of `of`."""

    def read(text: str) -> int:
        if not text.isdecimal() or not int(text) or int(text) % of:
            what = f"a multiple of {of}" if of > 1 else "a whole number from 1 on"
            raise argparse.ArgumentTypeError(f"it must be {what}, not {text!r}")
        return int(text)

    return read


def options(doc: str | None, parts: Sequence[Part], rounds: int | None, page: bool,
            more: Mapping[str, Any]) -> argparse.ArgumentParser:
    """The parser of a script: `--rounds`, `--only` where there are several parts, `--page` where a page shows the
    results, and `more` of its own."""
    p = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    if rounds is not None:
        p.add_argument("--rounds", type=whole(), default=rounds)
    names = tuple(dict.fromkeys(part.name for part in parts))
    if len(names) > 1:
        p.add_argument("--only", choices=names, help="this part alone")
    if page:
        p.add_argument("--page", action="store_true",
                       help="write the tables of the page from the results, and nothing else")
    for flag, given in more.items():
        p.add_argument(flag, **given)
    return p


def main(
    doc: str | None, *parts: Part, rounds: int | None = None, page: str = "", more: Mapping[str, Any] | None = None,
    argv: Sequence[str] | None = None,
) -> None:  # fmt: skip
    """Runs a benchmark. `page`: of docs/, whose tables show the results (`pages.py`)."""
    args = options(doc, parts, rounds, bool(page), more or {}).parse_args(argv)
    if page and args.page:
        import pages

        print("wrote", pages.write(page))
        return
    only = getattr(args, "only", None) if len(parts) > 1 else None
    for part in parts:
        if part.name != only if only else not part.default:
            continue
        record = {**({"device": device()} if part.gpu else {}), **part.measure(args)}
        if not part.keep(record):
            continue
        text = part.show(record)
        if text:
            print(text)
        bars = part.bars(record)
        if bars:
            print(bar_table(bars))
        print("saved", save(part.file if isinstance(part.file, str) else part.file(args), record), flush=True)


def bar_table(bars: Iterable[Bar]) -> str:
    """The bars, each with what was measured."""
    rows: Rows = [("bar", "measured", "wanted", "")]
    for b in bars:
        wanted = f"{'at least' if b.least else 'at most'} {b.limit:g} {b.unit}"
        rows.append((b.name, f"{b.value:.4g} {b.unit}", wanted, "" if b.holds else "BROKEN"))
    return table(rows)


# -- records ---


def machine() -> Figures:
    """Processor, cores, Python and the versions that matter."""
    from importlib import metadata  # twenty modules, which a child process of `cold_starts.py` would import too

    cpu = platform.processor()
    with contextlib.suppress(OSError, StopIteration):
        cpu = next(
            line.split(":")[1].strip()
            for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        )
    versions = {}
    for name in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"cpu": cpu, "cores": cores, "system": platform.platform(terse=True), "python": platform.python_version(),
            "versions": versions}


def device() -> dict[str, str]:
    """The GPU and its driver, for the record. Ends the program where there is none."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise SystemExit("error: this is measured on a GPU by torch, which is not installed: pip install torch") from None
    if not torch.cuda.is_available():
        raise SystemExit("error: this is measured on a GPU, and torch sees none here")
    here = torch.cuda.get_device_properties(0)
    return {"gpu": here.name, "cuda": str(torch.version.cuda), "multiprocessors": str(here.multi_processor_count)}


def folder() -> pathlib.Path:
    """Where results go: `results/` beside this file, or $OUT."""
    found = pathlib.Path(os.environ.get("OUT") or pathlib.Path(__file__).parent / "results")
    found.mkdir(parents=True, exist_ok=True)
    return found


def save(name: str, figures: Figures) -> pathlib.Path:
    """Writes `NAME.json` into the folder of results, with machine and date, and returns its path."""
    path = folder() / f"{name}.json"
    record = {"benchmark": name, "date": datetime.date.today().isoformat(), "machine": machine(), **figures}
    path.write_text(json.dumps(record, indent=2) + "\n")
    return path


def table(rows: Rows) -> str:
    """A plain table, columns padded."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)


def medians(times: Mapping[str, Iterable[float]]) -> dict[str, float]:
    """The median of each contender's times."""
    return {name: statistics.median(t) for name, t in times.items()}


def printed(shape: Any, words: Mapping[str, str]) -> None:
    """A line for what has just been measured: long runs say how far they are."""
    print(shape, dict(words), flush=True)


def listed(text: str) -> list[tuple[int, ...]]:
    """Tuples of numbers, as an option gives them: "1,2,3 4,5,6"."""
    return [tuple(map(int, word.split(","))) for word in text.split()]


# -- times on the host ---

median = statistics.median


def interleaved(contenders: Calls, rounds: int, calls: int = 3, pause: float = 0.05,
                clock: Callable[[], float] = time.perf_counter,
                sleep: Callable[[float], object] = time.sleep) -> Times:  # fmt: skip
    """Seconds of every timed call of each contender.

    They take turns, so that a slow minute of the machine hits all. A turn is a pause, in which the threads of the one
    before fall asleep, one call that is not timed, and `calls` that are."""
    times: Times = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            sleep(pause)
            call()
            for _ in range(calls):
                start = clock()
                call()
                times[name].append(clock() - start)
    return times


def in_turns(contenders: Mapping[Any, Callable[[], Any]], rounds: int,
             before: Callable[[Any], object] = lambda name: None,
             after: Callable[[Any], object] = lambda name: None,
             clock: Callable[[], float] = time.perf_counter) -> dict[Any, list[float]]:  # fmt: skip
    """Seconds of one call of each contender a round, the first round left out. `before` prepares a call (it poisons
    outputs), `after` checks it; neither is timed."""
    times: dict[Any, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name, call in contenders.items():
            before(name)
            start = clock()
            call()
            seconds = clock() - start
            if turn:
                times[name].append(seconds)
            after(name)
    return times


def bursts(runs: Mapping[str, Callable[[int], Any]], burst: int, rounds: int,
           wait: Callable[[], object] = lambda: None, warm: int = 3,
           clock: Callable[[], int] = time.perf_counter_ns) -> Times:  # fmt: skip
    """Nanoseconds a call, burst by burst: `runs` call so many times. They take turns; `wait` lets the device become
    idle, so that no call of a burst that is shorter than the driver's queue waits for it. The first `warm` rounds do
    not count."""
    times: Times = {name: [] for name in runs}
    for turn in range(rounds + warm):
        for name, run in runs.items():
            wait()
            start = clock()
            run(burst)
            end = clock()
            if turn >= warm:
                times[name].append((end - start) / burst)
    wait()
    return times


def repeated(call: Callable[[], Any]) -> Callable[[int], None]:
    """A call as `bursts` wants it."""

    def run(count: int) -> None:
        for _ in range(count):
            call()

    return run


def fresh_process(code: str, **variables: str) -> tuple[float, list[float], float]:
    """A new Python process that runs `code`: (its seconds from start to end, the numbers that it prints, its seconds of
    processor time)."""
    env = {**os.environ, **variables}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    used = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    start = time.perf_counter()
    out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True,
                         check=True).stdout.split()
    seconds = time.perf_counter() - start
    return seconds, list(map(float, out)), sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - used


def bf16_matrix(rows: int, cols: int, rng: np.random.Generator) -> np.ndarray:
    """Fresh random normal numbers in bf16."""
    import ml_dtypes

    return rng.standard_normal((rows, cols), dtype=np.float32).astype(ml_dtypes.bfloat16)


def exact_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A @ B^T in float64."""
    return a.astype(np.float64) @ b.astype(np.float64).T


# -- what code takes ---


def code_figures(text: str, chip: str) -> Figures:
    """Registers, spills, LDS and the matrix core's utilization (one wave, llvm-mca; no time on a card) of a kernel's
    AMD assembly."""
    from avelang.amdgcn.mca import utilization
    from avelang.amdgcn.report import report

    made, busy = report(text), utilization(text, chip)
    assert busy is not None
    loop = {kind: sum(x.values()) for kind, x in made.loop.counts.items()} if made.loop is not None else {}
    return {"vgpr": made.vgpr, "agpr": made.agpr, "spills": made.vgpr_spills + made.sgpr_spills, "lds": made.lds,
            "waves": made.occupancy.waves,
            "loop": loop, "mca": dataclasses.asdict(busy)}  # fmt: skip


def code_table(head: str, figures: Iterable[Figures], *keys: str) -> str:
    """The table of such figures; `keys`: fields of theirs that name a row."""
    cells = [
        (
            *(str(f[key]) for key in keys),
            str(f["vgpr"]),
            str(f["spills"]),
            str(f["lds"]),
            f"{100 * f['mca']['ratio']:.1f} %",
        )
        for f in figures
    ]
    return table([(head, *keys[1:], "VGPR", "spills", "LDS", "utilization"), *cells])


# -- times on a GPU ---


def hopper() -> bool:
    """True where the GPU is of compute capability 9.0."""
    return importlib.import_module("torch").cuda.get_device_capability() == (9, 0)


def gpu_target() -> str:
    """The chip that the tile level's code is made for on this GPU."""
    return "sm_90a" if hopper() else "sm_80"


def units() -> int:
    """Multiprocessors of the GPU."""
    return importlib.import_module("torch").cuda.get_device_properties(0).multi_processor_count


class GpuClock:
    """Device time of calls, by events around each. The buffer that is written (or read) between calls is several times
    as large as L2, so inputs come from memory; the GPU pauses before each call, so the host is ahead of it and a
    launch's host time does not count."""

    def __init__(self, clean: bool = False, torch: Any = None):
        """`clean`: L2 is filled by reading the buffer. Else it is filled by writing, and what it still has to write
        back slows the call down that follows: so it is behind any kernel that wrote a lot. `torch`: another module of
        that interface, for tests."""
        self.clean, self.torch = clean, torch if torch is not None else importlib.import_module("torch")
        self.buffer = self.torch.zeros(FLUSH_BYTES // 4, device="cuda")
        self.sum = self.torch.zeros((), device="cuda")

    def flush(self) -> None:
        """Fills L2 with other data."""
        if self.clean:
            self.torch.sum(self.buffer, dim=0, out=self.sum)
        else:
            self.buffer.zero_()

    def interleaved(self, contenders: Calls, rounds: int, warm: int = 3, batch: int = 8) -> Times:
        """Microseconds of every timed call. `batch` rounds are handed to the GPU before anything is waited for."""
        cuda = self.torch.cuda
        for _ in range(warm):
            for call in contenders.values():
                call()
        cuda.synchronize()
        times: Times = {name: [] for name in contenders}
        for first in range(0, rounds, batch):
            marks = []
            for _ in range(first, min(first + batch, rounds)):
                # A new order each time: what runs before decides how hot the GPU is.
                for name, call in random.sample(list(contenders.items()), len(contenders)):
                    cuda._sleep(WAIT_CYCLES)
                    self.flush()
                    start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
                    start.record()
                    call()
                    end.record()
                    marks.append((name, start, end))
            cuda.synchronize()
            for name, start, end in marks:
                times[name].append(start.elapsed_time(end) * 1e3)
        return times


def moved_per_second(kind: str) -> float:
    """Bytes a second that a plain reduction reads ("read"), or a plain copy reads and writes ("copy"), of 4 GiB."""
    torch = importlib.import_module("torch")
    x = torch.randn(1 << 30, device="cuda")
    y = torch.empty_like(x) if kind == "copy" else None
    call: Callable[[], Any] = (lambda: x.sum()) if y is None else (lambda: y.copy_(x))
    times = GpuClock(clean=True).interleaved({kind: call}, 20 if y is None else 10)[kind]
    return (1 if y is None else 2) * x.numel() * 4 / median(times) * 1e6


def difference(got: Any, a: Any, b: Any) -> float:
    """The greatest difference of `got` from A @ B^T in float64, relative to the root of the mean square of the product.
    NaN where anything is NaN."""
    torch = importlib.import_module("torch")
    worst, square = 0.0, 0.0
    right = b.double().T
    for top in range(0, a.shape[0], 4096):
        want = a[top : top + 4096].double() @ right
        worst = max(worst, float((got[top : top + 4096].double() - want).abs().max()))
        if torch.isnan(got[top : top + 4096]).any():
            return float("nan")
        square += float((want * want).sum())
    return worst / (square / got.numel()) ** 0.5


def operands(m: int, n: int, k: int, dtype: str = "bfloat16") -> tuple[Any, Any]:
    """Fresh random normal A (m, k) and B (n, k) on the GPU."""
    torch = importlib.import_module("torch")
    a, b = (torch.randn(s, k, device="cuda", dtype=getattr(torch, dtype)) for s in (m, n))
    return a, b


def poisoned(m: int, n: int, dtype: str = "bfloat16") -> Any:
    """A matrix on the GPU, full of NaN."""
    torch = importlib.import_module("torch")
    return torch.full((m, n), float("nan"), device="cuda", dtype=getattr(torch, dtype))


def errors_of(calls: Calls, error: Callable[[str], float], most: float | None = MOST) -> dict[str, float]:
    """Calls each contender once and returns the error of its result. Raises AssertionError for one that is not below
    `most`."""
    torch, errors = importlib.import_module("torch"), {}
    for name, call in calls.items():
        call()
        torch.cuda.synchronize()
        errors[name] = error(name)
    assert most is None or all(e < most for e in errors.values()), errors
    return errors


def products(a: Any, b: Any, contenders: Mapping[str, Callable[[Any, Any, Any], Any]],
             clock: GpuClock | Sequence[GpuClock], rounds: int,
             most: float | None = MOST, warm: int = 3) -> Figures:  # fmt: skip
    """C = A @ B^T by each contender, called with A, B and a C of its own full of NaN: `errors` against float64 first,
    then `times` in turn.

    `us` are medians, `tflops` the speed, `shape` (m, n, k). Of several clocks the first one counts, the others' medians
    are in `more`."""
    (m, k), n, dtype = a.shape, b.shape[0], str(a.dtype).removeprefix("torch.")
    outs = {name: poisoned(m, n, dtype) for name in contenders}
    calls: Calls = {name: functools.partial(call, a, b, outs[name]) for name, call in contenders.items()}
    errors = errors_of(calls, lambda name: difference(outs[name], a, b), most)
    clocks = clock if isinstance(clock, Sequence) else [clock]
    times, *others = (c.interleaved(calls, rounds, warm) for c in clocks)
    us = medians(times)
    return {"shape": [m, n, k], "us": us, "tflops": {name: 2 * m * n * k / t / 1e6 for name, t in us.items()},
            "errors": errors, "times": times,
            "more": [medians(t) for t in others]}  # fmt: skip


def only(figures: Figures, *names: str) -> Figures:
    """These fields of the figures."""
    return {name: figures[name] for name in names}


def cublas(a: Any, b: Any, out: Any) -> None:
    """The peer of all products: torch's."""
    importlib.import_module("torch").matmul(a, b.T, out=out)
