"""The whole GPU suite with one command, on a machine with an NVIDIA GPU; a table last.

    python3 tests/gpu/run.py [--only TEXT] [--jobs N] [--no-sanitizer]

Launches, code generation against the reference, the tile level's distributions, views and pipelines, the kernels of the package against float64, and
each of those kernels under compute-sanitizer's memcheck, racecheck and synccheck, with controls that each tool must find. Steps run beside one
another, each with a time limit. What a step prints goes to NAME/log.txt, with its JSON, in the folder that the variable OUT names (a temporary one
else), and the table to suite.json there. Exit status 1 when a step fails. Needs torch with CUDA in this Python, and compute-sanitizer on PATH or in
a CUDA toolkit.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
from gpu.scratch import own_cache  # noqa: E402

TOOLS = ("memcheck", "racecheck", "synccheck")
PARTS = 4  # processes among which the cases of nvptx_check are divided
MOST_JOBS = 8  # at once: each keeps a core busy and has a context on the GPU
# What a tool says at its end. racecheck counts hazards, of which some are warnings; none is fine.
SUMMARY = re.compile(r"={8,} (?:ERROR SUMMARY: (\d+) errors?|RACECHECK SUMMARY: (\d+) hazards? displayed)")


@dataclasses.dataclass
class Step:
    """A command, its time limit in seconds, and what its end must be: a sanitizer that finds nothing ("clean"), one that finds something ("caught"), or
    the exit status alone ("")."""

    name: str
    command: list[str]
    limit: float
    sanitizer: str = ""
    state: str = ""
    seconds: float = 0.0
    said: str = ""


def compute_sanitizer() -> str | None:
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    folders = [f"{home}/{sub}" for home in homes if home for sub in ("bin", "compute-sanitizer")]
    return shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path=os.pathsep.join(folders))


def listed() -> list[str]:
    """The names of the package's kernels."""
    done = subprocess.run([sys.executable, str(HERE / "kernels_check.py"), "--list"], capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise SystemExit(f"kernels_check.py --list failed:\n{done.stderr[-3000:]}")
    return done.stdout.split()


def steps(kernels: list[str], sanitizer: str | None) -> list[Step]:
    """Longest first, so that none of them is left alone at the end."""
    python = [sys.executable]
    out = [Step("cuda", [*python, str(HERE / "cuda_check.py")], 240), Step("maps", [*python, str(HERE / "maps_check.py")], 120)]
    out.append(Step("bounds", [*python, str(HERE / "bounds_check.py")], 120))
    out.append(Step("trace", [*python, str(HERE / "trace_check.py")], 120))
    out.append(Step("ptxas", [*python, str(HERE / "ptxas_check.py")], 120))
    out += [Step(name, [*python, str(HERE / f"{name}_check.py")], 240) for name in ("attention", "bridge", "graphs", "matrix", "operations", "pyptx")]
    out.append(Step("drawn", [*python, str(HERE / "drawn_check.py"), "--seconds", "50", "--jobs", "4"], 120))
    views = [*python, str(HERE / "drawn_check.py"), "--views", "--seed", "1", "--seconds", "40", "--jobs", "4"]
    out.append(Step("views", views, 120))
    out.append(Step("jax", [*python, str(HERE / "jax_check.py")], 400))
    out.append(Step("jax_dist", [*python, str(HERE / "jax_dist_check.py")], 400))
    out.append(Step("tile", [*python, str(HERE / "tile_check.py"), "--jobs", "4"], 240))
    one_card = [*python, str(HERE / "dist_check.py"), "--one-card", "--seconds", "40"]
    out += [Step(f"dist_{kind}", [*one_card, "--kinds", kind], 240) for kind in ("collectives", "products", "experts", "ring")]
    out.append(Step("dist_alone", [*one_card, "--kinds", "absent,graphs,control"], 240))
    out += [Step(f"nvptx_{i}", [*python, str(HERE / "nvptx_check.py"), "--part", f"{i}/{PARTS}"], 240) for i in range(1, PARTS + 1)]
    out += [Step(f"kernels_{name}", [*python, str(HERE / "kernels_check.py"), "--only", name], 200) for name in kernels]
    for tool in TOOLS if sanitizer else ():
        under = [str(sanitizer), "--tool", tool, "--report-api-errors", "no", *python, str(HERE / "sanitize.py")]
        out += [Step(f"{tool}_{name}", [*under, name], 200, "clean") for name in kernels]
        out.append(Step(f"{tool}_control", [*under, f"control_{tool}"], 120, "caught"))
    return out


def run(step: Step, folder: pathlib.Path) -> Step:
    """Runs a step to its end, or to its time limit."""
    place = folder / step.name
    place.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    with open(place / "log.txt", "w+", errors="replace") as log:
        process = subprocess.Popen(step.command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, "OUT": str(place)}, start_new_session=True)
        try:
            status: int | None = process.wait(step.limit)
        except subprocess.TimeoutExpired:
            # What it has started goes with it: the group is its own.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
        log.seek(0)
        text = log.read()
    step.seconds = time.perf_counter() - start
    step.state, step.said = judged(step, status, text)
    return step


def judged(step: Step, status: int | None, text: str) -> tuple[str, str]:
    """("ok" or "FAIL", a line to show)."""
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    if status is None:
        return "FAIL", f"over its limit of {step.limit:g} s; last: {lines[-1]}"
    if not step.sanitizer:
        failed = next((line for line in lines if line.startswith("FAIL")), "")
        return ("FAIL", failed or lines[-1]) if status else ("ok", lines[-1])
    ends = SUMMARY.findall(text)
    if not ends:
        return "FAIL", f"the tool has not said what it found; last: {lines[-1]}"
    found = sum(int(errors or hazards) for errors, hazards in ends)
    if step.sanitizer == "caught":
        return ("ok", f"{found} found, as it should") if found else ("FAIL", "the tool did not find what is wrong on purpose")
    first = next((line for line in lines if re.match(r"={8,} (?!COMPUTE-SANITIZER)\S", line) and not SUMMARY.search(line)), lines[-1])
    return ("FAIL", f"{found} found: {first}") if found else ("FAIL", f"status {status}: {lines[-1]}") if status else ("ok", "nothing found")


def table(done: list[Step]) -> str:
    wide = max(len(s.name) for s in done)
    return "\n".join(f"{s.state:4} {s.name:{wide}} {s.seconds:7.1f} s  {s.said[:140]}" for s in done)


def main() -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--only", default="", help="steps whose name has this text")
    p.add_argument("--jobs", type=int, default=max(2, min(MOST_JOBS, (os.cpu_count() or 2) // 2)), help="steps at once")
    p.add_argument("--no-sanitizer", action="store_true", help="leave out compute-sanitizer's steps")
    given = p.parse_args()
    folder = pathlib.Path(os.environ.get("OUT") or tempfile.mkdtemp(prefix="ave-gpu-"))
    own_cache()
    sanitizer = None if given.no_sanitizer else compute_sanitizer()
    start = time.perf_counter()
    chosen = [s for s in steps(listed(), sanitizer) if given.only in s.name]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run, s, folder) for s in chosen]):
            s = future.result()
            print(f"{s.state:4} {s.name} ({s.seconds:.0f} s)", flush=True)
    if sanitizer is None and not given.no_sanitizer:
        said = "no compute-sanitizer on PATH or in CUDA_HOME; --no-sanitizer does without"
        chosen.append(Step("sanitizer", [], 0, state="FAIL", said=said))
    failed = [s for s in chosen if s.state != "ok"]
    seconds = time.perf_counter() - start
    print(f"\n{table(chosen)}\n{len(chosen) - len(failed)} of {len(chosen)} steps pass, {seconds:.0f} s; logs in {folder}")
    record = {"steps": [dataclasses.asdict(s) for s in chosen], "seconds": seconds, "failed": [s.name for s in failed]}
    (folder / "suite.json").write_text(json.dumps(record, indent=1))
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    raise SystemExit(main())
