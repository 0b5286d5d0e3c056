"""Timelines of a real NVIDIA GPU: stages of each warp one after another, as many as the code has, those of a block that waits behind those it waits
for; results are the program's, of kernels too that update in place.

    python3 tests/gpu/trace_check.py [--executed]

Prints one line for each check; exit status 1 when one fails. Needs torch with CUDA; `--executed` runs the same on the executor of PTX instead, with NumPy's
arrays and no GPU.
"""

from __future__ import annotations

import collections
import contextlib
import json
import pathlib
import sys
import traceback
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
from gpu.scratch import own_cache  # noqa: E402

own_cache()

import numpy as np  # noqa: E402

import avelang  # noqa: E402
import avelang.language as al  # noqa: E402
from avelang.inspection import trace_file, trace_runs  # noqa: E402

BLOCKS, THREADS, STEPS = 6, 128, 5


@avelang.jit
def turned(p: al.Pointer(al.f32), q: al.Pointer(al.f32), n: al.i32):
    X = al.make_tensor(p, al.f32, al.make_layout((BLOCKS * THREADS,), (1,)))
    Y = al.make_tensor(q, al.f32, al.make_layout((BLOCKS * THREADS,), (1,)))
    S = al.make_shared((THREADS,), al.f32)
    i, at = al.thread_id(0), al.block_id(0) * THREADS
    for _ in al.range(n):
        S[i] = X[at + i]
        al.syncthreads()
        Y[at + i] = S[THREADS - 1 - i] + Y[at + i]  # in place: a second run would show
        al.syncthreads()


def arrays(executed: bool) -> tuple[Any, Any, Any]:
    """X, Y and what brings one back."""
    x, y = np.arange(BLOCKS * THREADS, dtype=np.float32), np.ones(BLOCKS * THREADS, np.float32)
    if executed:
        return x, y, lambda a: a
    import torch

    return torch.from_numpy(x).cuda(), torch.from_numpy(y).cuda(), lambda a: a.cpu().numpy()


def slices_of(tracer: trace_runs.Tracer) -> dict[tuple[int, int], list[dict[str, Any]]]:
    """The slices of each warp, by their begin."""
    found = json.loads(tracer.trace.text())
    assert trace_file.faults(found) == [], trace_file.faults(found)[:3]
    warps = collections.defaultdict(list)
    for e in found["traceEvents"]:
        if e["ph"] == "X":
            warps[e["pid"], e["tid"]].append(e)
    return {w: sorted(all_of, key=lambda e: e["ts"]) for w, all_of in warps.items()}


def check_stages(executed: bool) -> str:
    x, y, back = arrays(executed)
    with trace_runs.tracing("sm_90a" if executed else None) as tracer:
        turned[BLOCKS, THREADS](x, y, STEPS)
    assert not tracer.missing, tracer.missing
    want = 1 + STEPS * back(x).reshape(BLOCKS, THREADS)[:, ::-1].reshape(-1)
    assert np.array_equal(back(y), want), "the trace changed what the program computes"
    warps = slices_of(tracer)
    assert len(warps) == BLOCKS * THREADS // 32, len(warps)
    for w, found in warps.items():
        for a, b in zip(found, found[1:], strict=False):
            assert a["ts"] + a["dur"] <= b["ts"] + 1e-3, (w, a, b)
        barriers = sum(e["name"] == "barrier" for e in found)
        assert barriers == 2 * STEPS, (w, collections.Counter(e["name"] for e in found))
    return f"{sum(map(len, warps.values()))} slices of {len(warps)} warps"


def check_barriers(executed: bool) -> str:
    """No warp leaves a block's barrier before the last of its warps has come, in one of three runs at least: where other processes use the GPU,
    its multiprocessors may be taken away in between, so that clocks no longer fit the coarse one."""
    for _ in range(2):
        with contextlib.suppress(AssertionError):
            return barriers_of(executed)
    return barriers_of(executed)


def barriers_of(executed: bool) -> str:
    """The barriers of one run, each held against its warps' times."""
    x, y, _ = arrays(executed)
    with trace_runs.tracing("sm_90a" if executed else None) as tracer:
        turned[BLOCKS, THREADS](x, y, STEPS)
    blocks = collections.defaultdict(list)
    for (block, _), found in slices_of(tracer).items():
        blocks[block].append([e for e in found if e["name"] == "barrier"])
    for block, warps in blocks.items():
        for step in zip(*warps, strict=True):
            came, left = max(e["ts"] for e in step), min(e["ts"] + e["dur"] for e in step)
            assert came <= left + 0.05, (block, came, left)  # microseconds: clocks of warps are brought together by a coarse one
    return f"{2 * STEPS} barriers of {len(blocks)} blocks"


def check_product(executed: bool) -> str:
    """The operation that models call, its tensor maps and its clusters."""
    if executed:
        return "on a card only"
    import torch

    from avelang import ops

    a, b = (torch.randn(n, 640, device="cuda", dtype=torch.bfloat16) for n in (300, 520))
    with trace_runs.tracing() as tracer:
        c = ops.matmul(a, b.T)
    want = a.double() @ b.double().T
    assert not tracer.missing, tracer.missing
    assert float((c.double() - want).abs().max()) < 2**-6 * float(want.abs().max())
    names = collections.Counter(e["name"] for found in slices_of(tracer).values() for e in found)
    assert names["matrix"] and names["copy"] and names["wait"], names
    return str(dict(names))


def main() -> int:
    executed, failed = "--executed" in sys.argv[1:], 0
    checks = [check_stages, check_barriers, check_product]
    for check in checks:
        name = check.__name__.removeprefix("check_")
        try:
            print(f"ok   {name}: {check(executed)}", flush=True)
        except Exception as e:
            failed += 1
            print(f"FAIL {name}: {e}", flush=True)
            traceback.print_exc()
    print(f"{len(checks) - failed} of {len(checks)} checks of timelines pass")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
