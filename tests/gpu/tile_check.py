"""The tile level on a real NVIDIA GPU: drawn distributions and views, every pipeline, walks, against NumPy and float64.

    python3 tests/gpu/tile_check.py [--only TEXT] [--seed N] [--jobs N] [--list]

Distributions, views and copies are those of `tests/tile/drawn.py`, from the same seeds in every run: numbers must be the very ones. Products have fresh
random inputs, and every element is held against float64. Outputs begin as NaN or 99, in memory that must stay as it is around them. A control,
wrong on purpose, must be found wrong. Prints a table last and writes tile_check.json to the folder that the variable OUT names, or here. Exit
status 1 when one fails. Needs torch with CUDA, and sm_90a for all of it; `--list` needs neither.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
from gpu.scratch import folder as scratch  # noqa: E402
from gpu.scratch import own_cache  # noqa: E402

own_cache()

import numpy as np  # noqa: E402

import avelang.language as al  # noqa: E402
from avelang import tile as level  # noqa: E402
from gpu.kernels_check import BF16, F16, F32, Room, worst  # noqa: E402
from tile import dots, drawn, walks  # noqa: E402

CHIP, UNITS, WAVE = "sm_90a", 132, 32
DRAWN = 20  # launches of each kind
MARGIN = 512  # bytes around an output of a drawn launch
EXACT = not torch.cuda.is_available()  # for the test of this file, which has no GPU
OPTIONS: dict[str, Any] = {}  # of all launches
DTYPES = {BF16: al.bf16, F16: al.f16, F32: al.f32}
BLOCKS = {
    "single": (level.Block(64, 64, 32, (2, 2), "single"), level.Block(128, 128, 64, (2, 4), "single")),
    "prefetch": (level.Block(64, 64, 32, (2, 2), "prefetch"), level.Block(128, 128, 32, (2, 2), "prefetch")),
    "double-buffer": (level.Block(64, 64, 64, (2, 2)), level.Block(128, 128, 64, (2, 4))),
    "ping-pong": (level.Block(64, 64, 32, (2, 2), "ping-pong"), level.Block(128, 128, 32, (2, 4), "ping-pong")),
    "preshuffled": (level.Block(64, 64, 64, (2, 2), "preshuffled"), level.Block(128, 128, 64, (2, 4), "preshuffled")),
    "streamed": (level.Block(32, 64, 64, (1, 4), "streamed"), level.Block(64, 128, 32, (2, 2), "streamed")),
    "cp-async": (level.Block(64, 64, 32, (2, 2), "cp-async", 3), level.Block(128, 128, 32, (2, 2), "cp-async", 4),
                 level.Block(128, 256, 64, (2, 4), "cp-async", 3)),
    "tma": (level.Block(64, 64, 64, pipeline="tma", stages=2), level.Block(128, 256, 64, pipeline="tma"),
            level.Block(128, 128, 64, pipeline="tma", cluster=(2, 1)), level.Block(128, 128, 64, pipeline="tma", cluster=(1, 2)),
            level.Block(256, 128, 64, pipeline="tma", stages=3, cluster=(2, 1))),
}  # fmt: skip
# m, n, k: K shorter than a step, one step, edges on all sides, many tiles; multiples of 8, as the copy engine wants rows.
SHAPES = ((1, 8, 8), (64, 64, 64), (127, 136, 72), (333, 520, 328), (1000, 1000, 1000))
ODD = (70, 131, 101)  # for those that copy by threads


# -- drawn launches --------------------------------------------------------------------------------------------------------------------------


def to_cuda(x: np.ndarray) -> torch.Tensor:
    """A copy on the GPU, dtypes that NumPy does not know included."""
    if x.dtype.name == "bfloat16":
        return torch.from_numpy(x.view(np.int16)).cuda().view(BF16)
    return torch.from_numpy(np.ascontiguousarray(x)).cuda()


def guarded(x: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, int]:
    """(all of the memory, the array in it, elements of 99 before and behind)."""
    margin = MARGIN // x.itemsize
    whole = to_cuda(np.concatenate([drawn.full((margin,), x.dtype), x.reshape(-1), drawn.full((margin,), x.dtype)]))
    return whole, whole[margin : margin + x.size].view(x.shape), margin


def bits(x: torch.Tensor) -> torch.Tensor:
    return x.contiguous().view(torch.uint8)


def run_drawn(kind: str, seed: int) -> float:
    """0 where every number is the very one."""
    launch = drawn.LAUNCHES[kind](seed, WAVE)
    outputs = [guarded(x) for x in launch.outputs]
    launch.kernel[1, launch.threads](*map(to_cuda, launch.inputs), *(x for _, x, _ in outputs), *launch.numbers, launch.constant, target=CHIP, **OPTIONS)
    torch.cuda.synchronize()
    for (whole, got, margin), want in zip(outputs, launch.want, strict=True):
        # Not bit by bit: a zero may have either sign.
        assert torch.equal(got, to_cuda(want)), f"{int((got != to_cuda(want)).sum())} of {got.numel()} numbers are wrong: {launch.constant}"
        edge = to_cuda(drawn.full((margin,), want.dtype))
        assert torch.equal(bits(whole[:margin]), bits(edge)) and torch.equal(bits(whole[len(whole) - margin :]), bits(edge)), "memory around is changed"
    return 0.0


# -- products --------------------------------------------------------------------------------------------------------------------------------


def as_taken(block: level.Block, b: torch.Tensor) -> torch.Tensor:
    """B as the pipeline takes it."""
    if block.pipeline != "preshuffled":
        return b
    flat = block.on(CHIP, DTYPES[b.dtype]).preshuffle(b.cpu().view(torch.int16).numpy())
    return torch.from_numpy(flat).view(b.dtype).cuda()


def run_product(block: level.Block, shape: tuple[int, int, int], dtype: torch.dtype, out: torch.dtype, seed: int, spoil: bool = False) -> float:
    """The greatest difference, in units of its bound. `spoil`: with one number changed, as a control."""
    from avelang_kernels.matmul.tile_gemm import gemm

    m, n, k = shape
    room = Room(seed, EXACT)
    a, b, c = room.normal((m, k), dtype), room.normal((n, k), dtype), room.output(m, n, out)
    check, given, most = room.product(c, a, b), as_taken(block, b), 0.0
    for _ in range(2):
        for guard in room.guards:
            guard.whole.fill_(float("nan"))
        gemm(a, given, c, block, CHIP, UNITS, **OPTIONS)
        torch.cuda.synchronize()
        if spoil:
            c[m // 2, n // 2] *= 1.125
        most = max(most, worst([check]))
        assert all(guard.kept() for guard in room.guards), "memory around the output has changed"
    return most


def run_walk(block: level.Block, shape: tuple[int, int, int], seed: int) -> float:
    """Parts of K of two steps each, tiles last first; every part of the sum by itself."""
    m, n, k = shape
    parts = -(-k // (2 * block.k))
    room = Room(seed, EXACT)
    a, b = room.normal((m, k), BF16), room.normal((n, k), BF16)
    c = torch.full((parts, m, n), float("nan")).cuda()
    walks.launch(block, al.bf16, CHIP, 2, a, as_taken(block, b), c, shape, UNITS, **OPTIONS)
    torch.cuda.synchronize()
    each = 2 * block.k
    return worst([room.product(c[i], a[:, i * each : (i + 1) * each], b[:, i * each : (i + 1) * each]) for i in range(parts)])


def run_dot(how: str, seed: int) -> float:
    """The greatest difference of a product of f32 in fewer bits, in units of what its sums in f32, or its lost bits, allow."""
    rng = np.random.default_rng(seed)
    # With a longer K the sums of f32 may be off by more than what tf32 leaves out, and one element may be near by luck.
    m, n, k = (int(rng.integers(*ends)) for ends in ([(4, 33), (4, 33), (1, 60)] if how == "tf32" else [(1, 33), (1, 33), (1, 300)]))
    a, b = (rng.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n)))
    whole, c, _ = guarded(np.zeros((m, n), np.float32))
    dots.product[1, 64](to_cuda(a), to_cuda(b), c, m, n, k, how, target=CHIP, **OPTIONS)
    torch.cuda.synchronize()
    x, y = (dots.rounded(v, 11) if how == "tf32" else v.astype(np.float64) for v in (a, b))
    most = np.abs(x) @ np.abs(y) * {"ieee": k * 2.0**-24, "tf32": k * 2.0**-22, "bf16x3": 2.0**-15}[how]
    assert how != "tf32" or np.linalg.norm(x @ y - a.astype(np.float64) @ b) > np.linalg.norm(most), "else it is no tf32"
    return float((np.abs(c.cpu().numpy() - x @ y) / most).max())


def control(seed: int) -> float:
    """0 where a number that is an eighth too great is found."""
    found = run_product(BLOCKS["single"][0], SHAPES[2], BF16, F32, seed, spoil=True)
    assert found > 1, "the comparison does not see a wrong number"
    return 0.0


# -- the cases -------------------------------------------------------------------------------------------------------------------------------


def name_of(block: level.Block) -> str:
    cluster = "" if block.cluster == (1, 1) else f" cluster {block.cluster[0]}x{block.cluster[1]}"
    return f"{block.pipeline} {block.m}x{block.n}x{block.k}{cluster}"


def cases() -> dict[str, Callable[[int], float]]:
    """Each by its name; it takes the seed of fresh inputs."""
    out: dict[str, Callable[[int], float]] = {"control": control}
    for kind in drawn.LAUNCHES:
        out |= {f"drawn {kind} {i}": lambda _, kind=kind, i=i: run_drawn(kind, i) for i in range(DRAWN)}
    out |= {f"dot {how}": lambda seed, how=how: run_dot(how, seed) for how in ("ieee", "tf32", "bf16x3")}
    for name, blocks in BLOCKS.items():
        for i, block in enumerate(blocks):
            for j, shape in enumerate(SHAPES if name == "tma" else (*SHAPES, ODD)):
                dtype, to = (BF16, F16)[(i + j) % 2], ((BF16, F16)[(i + j) % 2], F32)[(i + j) % 3 == 0]
                label = f"{name_of(block)}: {' '.join(map(str, shape))} {str(dtype)[6:]} {str(to)[6:]}"
                out[label] = lambda seed, block=block, shape=shape, dtype=dtype, to=to: run_product(block, shape, dtype, to, seed)
        out[f"walk {name_of(blocks[0])}"] = lambda seed, block=blocks[0]: run_walk(block, (150, 200, 5 * block.k - 8), seed)
    return out


def missing() -> set[str]:
    """Pipelines that the chip has and no case runs."""
    return {name for name, p in level.PIPELINES.items() if not p.missing(CHIP)} - set(BLOCKS)


def run_part(part: int, parts: int, only: str, seed: int) -> list[dict[str, Any]]:
    """Every `parts`-th case, in this process."""
    results = []
    for i, (name, case) in enumerate(cases().items()):
        if i % parts != part or only not in name:
            continue
        start, difference, error = time.perf_counter(), float("inf"), ""
        try:
            difference = case(seed + i)
        except Exception as e:
            error = f"{type(e).__name__}: {e}"
            traceback.print_exc()
        ok = difference <= 1
        record = {"case": name, "number": i, "ok": ok, "difference": difference if ok else None, "error": error}
        results.append({**record, "seconds": round(time.perf_counter() - start, 2)})
        print(f"{'ok  ' if ok else 'FAIL'} {name}", flush=True)
    return results


def run_all(jobs: int, only: str, seed: int) -> list[dict[str, Any]]:
    """The cases, divided among processes: what takes time is making kernels."""
    folder = pathlib.Path(scratch())

    def one(part: int) -> list[dict[str, Any]]:
        command = [sys.executable, __file__, "--part", f"{part}/{jobs}", "--only", only, "--seed", str(seed), "--into", str(folder / f"{part}.json")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
        if done.returncode not in (0, 1) or not (folder / f"{part}.json").exists():
            raise SystemExit(f"part {part} of the cases has died:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
        sys.stderr.write(done.stderr[-4000:])
        return json.loads((folder / f"{part}.json").read_text())

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return sorted((r for found in pool.map(one, range(jobs)) for r in found), key=lambda r: r["number"])


def main() -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--only", default="", help="cases whose name has this text")
    p.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"), help="of the random inputs; fresh where left out")
    p.add_argument("--jobs", type=int, default=max(1, min(12, (os.cpu_count() or 2) - 2)), help="processes at once")
    p.add_argument("--list", action="store_true", help="the names of the cases")
    p.add_argument("--part", default="", help="I/N: the I-th of N parts of the cases, in this process")
    p.add_argument("--into", default="", help="where a part's results go")
    given = p.parse_args()
    if given.list:
        print("\n".join(cases()))
        return 0
    if given.part:
        part, parts = map(int, given.part.split("/"))
        pathlib.Path(given.into).write_text(json.dumps(run_part(part, parts, given.only, given.seed)))
        return 0
    start = time.perf_counter()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, seed {given.seed}", flush=True)
    results = run_all(given.jobs, given.only, given.seed)
    for r in results:
        shown = r["error"].splitlines()[0][:160] if r["error"] else f"{r['difference']:.3f} of the bound" if r["ok"] else "wrong"
        print(f"{'ok  ' if r['ok'] else 'FAIL'} {r['case']:64} {r['seconds']:6.2f} s  {shown}")
    left = missing()
    if left:
        print(f"FAIL no case runs {', '.join(sorted(left))}")
    failed, seconds = sum(not r["ok"] for r in results), time.perf_counter() - start
    print(f"{len(results) - failed} of {len(results)} cases pass, {seconds:.0f} s")
    record = {"device": torch.cuda.get_device_name(), "seed": given.seed, "cases": results, "left_out": sorted(left), "seconds": seconds}
    (pathlib.Path(os.environ.get("OUT", ".")) / "tile_check.json").write_text(json.dumps(record, indent=1))
    return 1 if failed or left or not results else 0


if __name__ == "__main__":
    raise SystemExit(main())
