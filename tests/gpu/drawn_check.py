"""Drawn calls of `avelang.ops` on an NVIDIA GPU, or on the CPU, against float64: dtypes, shapes, strides, options and
gradients, among NaN.

    python3 tests/gpu/drawn_check.py [--seconds 70] [--jobs 4] [--seed 0] [--device cuda] [--target CHIP] [--views]
        [--only TEXT] [--case NUMBER]

Draws until its time is over, in so many processes. A line for each case that is wrong has the seed and the whole case;
`--seed SEED --case NUMBER` runs it again. Exit status 1 where one is wrong, or none was drawn."""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "src"), str(HERE.parents[1]), str(HERE.parent)]
from gpu.scratch import own_cache  # noqa: E402

WRAPPED: list[bool] = []  # operations, for --views
MOST = {"cpu": 1 << 14, "cuda": 1 << 23}  # elements of an array; products have 64 times as many terms


def arguments() -> argparse.Namespace:
    """Of the command line."""
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--seconds", type=float, default=70)
    p.add_argument("--jobs", type=int, default=4)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--device", default="cuda")
    p.add_argument("--target", help="with --device cpu: the chip whose kernels run")
    p.add_argument("--views", action="store_true", help="host functions get views, as those of JAX's calls on a GPU")
    p.add_argument("--only", default="", help="operations whose name has this text")
    p.add_argument("--case", type=int, help="this one alone")
    p.add_argument("--part", type=int, help="the cases of one process, for this script itself")
    return p.parse_args()


def drawn(given: argparse.Namespace, number: int) -> bool:
    """Draws a case and runs it. True if it is right."""
    from ops import drawn_attention, drawn_products, drawn_rows
    from ops.drawing import Draw, wrong

    if given.views and not WRAPPED:
        from ops.views import wrap_all

        wrap_all()
        WRAPPED.append(True)
    families = [f for m in (drawn_rows, drawn_products, drawn_attention) for f in m.FAMILY if given.only in f.__name__]
    draw = Draw(f"{given.seed}/{number}", given.device, MOST[given.device], given.target)
    family = families[number % len(families)]
    print(f"begin {number} {family.__name__}", flush=True)
    start = time.perf_counter()
    case = family(draw)
    found = wrong(case)
    for said in found[:3]:
        only = f" --only {given.only}" if given.only else ""
        print(f"FAIL --seed {given.seed}{only} --case {number}: {said}\n     {case.said}", flush=True)
    if given.case is not None:
        print(case.said)
    print(f"end {number} {family.__name__} {'wrong' if found else 'right'} {time.perf_counter() - start:.2f}", flush=True)
    return not found


def part(given: argparse.Namespace) -> int:
    """Cases of one process until the time is over, or the device has failed."""
    end, number, right = time.monotonic() + given.seconds, given.part, True
    while time.monotonic() < end:
        right = drawn(given, number) and right
        number += given.jobs
    return 0 if right else 1


def main() -> int:
    """Starts the processes, and says what they found."""
    given = arguments()
    own_cache()
    if given.case is not None:
        return 0 if drawn(given, given.case) else 1
    if given.part is not None:
        return part(given)
    end = time.monotonic() + given.seconds
    command = [sys.executable, __file__, *sys.argv[1:], "--jobs", str(given.jobs), "--seconds", str(given.seconds)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    running = [subprocess.Popen([*command, "--part", str(i)], env=env, **options) for i in range(given.jobs)]
    done: collections.Counter[str] = collections.Counter()
    bad, slow = 0, list[tuple[float, str]]()
    for i, process in enumerate(running):
        try:
            text = process.communicate(timeout=max(1.0, end + 20 - time.monotonic()))[0]
        except subprocess.TimeoutExpired:
            process.kill()
            text = process.communicate()[0] + f"\nFAIL process {i} did not end"
        slow += [(float(s), name) for name, s in re.findall(r"(?m)^end (\d+ \w+) \w+ ([\d.]+)", text)]
        begun = re.findall(r"(?m)^begin (\d+ \w+)", text)
        ended = re.findall(r"(?m)^end (\d+ \w+) (wrong|right)", text)
        done.update(name.split()[1] for name, _ in ended)
        bad += sum(state == "wrong" for _, state in ended)
        print("\n".join(line for line in text.splitlines() if not line.startswith(("begin", "end"))), end="", flush=True)
        if len(begun) != len(ended) or not ended:
            bad += 1
            print(f"FAIL --seed {given.seed} --case {begun[-1] if begun else '?'}: it did not end, {process.returncode}")
    print("\n" + ", ".join(f"{name} {count}" for name, count in sorted(done.items())))
    print("slowest: " + ", ".join(f"{name} {s:.1f} s" for s, name in sorted(slow, reverse=True)[:5]))
    print(f"{done.total() - bad} of {done.total()} drawn cases are right, seed {given.seed}")
    return 1 if bad or not done else 0


if __name__ == "__main__":
    sys.exit(main())
