"""`ave demo`: the guarded MFMA matrix product on an odd shape and on a cube, checked element by element, timed, with the machine named."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    import numpy as np

CHIP = "gfx942"
ODD = (117, 121, 128)  # edges in both directions: nothing is a multiple of the kernel's 32 x 32 blocks
FOUND = {"compiled": "compiled               ", "disk": "loaded from the cache  ", "hot": "compiled before        ", "reference": "built                  "}
SECONDS = 1.0  # how long a shape is repeated for its best time


class Result(NamedTuple):
    """What was measured of one shape: how the kernel was found ("compiled", or "disk": in the cache) and in how many seconds, the seconds of
    the best launch and how many there were, and how far from exact the product is.

    `error`: the largest error of an element; `share`: the largest part of its bound that an element's error takes; over 1 is wrong.
    """

    how: str
    prepare: float
    best: float
    calls: int
    error: float
    share: float


def operands(m: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """A bf16 (m, k) and B bf16 (n, k), normally distributed, always the same ones."""
    import ml_dtypes
    import numpy as np

    rng = np.random.default_rng(2024)
    return tuple(rng.standard_normal((rows, k), np.float32).astype(ml_dtypes.bfloat16) for rows in (m, n))  # type: ignore[return-value]


def deviation(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[float, float]:
    """(largest error, largest share of the bound) of c against a @ b.T in float64.

    The bound of an element is g * sum |a_i b_i| with g = k u / (1 - k u), u = 2**-24: each product of bf16 numbers is exact in f32, and
    each of the k additions rounds once (N. Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1).
    """
    import numpy as np

    left, right = a.astype(np.float64), b.astype(np.float64)
    k, u = a.shape[1], 2.0**-24
    bound = k * u / (1 - k * u) * (np.abs(left) @ np.abs(right).T)
    error = np.abs(c - left @ right.T)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(error == 0, 0.0, error / bound)
    return float(error.max()), float(np.nan_to_num(share, nan=np.inf).max())


def measure(m: int, n: int, k: int, backend: str) -> Result:
    """Multiplies once, then again for a second or so, and checks the last product."""
    import numpy as np


    from avelang_kernels import mfma_gemm

    a, b = operands(m, n, k)
    c = np.full((m, n), np.nan, np.float32)
    times: list[float] = []
    mfma_gemm.gemm(a, b, c, backend=backend, target=CHIP)
    first = mfma_gemm.mfma_gemm.last
    assert first is not None
    begin = time.perf_counter()
    while not times or (backend == "cpu" and time.perf_counter() - begin < SECONDS):
        c.fill(np.nan)
        start = time.perf_counter()
        mfma_gemm.gemm(a, b, c, backend=backend, target=CHIP)
        times.append(time.perf_counter() - start)
    return Result(first.how, first.prepare, min(times), len(times), *deviation(a, b, c))


@click.command()
@click.option("--size", default=1024, show_default=True, type=click.IntRange(16), help="Edge of the cube; a multiple of 16.")
@click.option("--backend", default="cpu", show_default=True, type=click.Choice(["cpu", "reference"]), help="What runs the kernel.")
def demo(size: int, backend: str) -> None:
    """Multiply bf16 matrices with AMD's MFMA instructions on this machine, and check the result.

    The shapes are 117 x 121 x 128 and a cube. Ends with status 1 when an element is outside its error bound.
    """
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from avelang.cli import machine
    from avelang.cli.console import err, fail, out

    if size % 16:
        raise click.UsageError(f"--size {size} is not a multiple of 16, which the kernel asks of K")
    console = out()
    vectors = " ".join(machine.vector_features()) or "no vector extensions"
    console.print(f"machine   {machine.cpu_name()}, {machine.cores()} cores ({vectors})")
    how = "compiled by LLVM for the CPU" if backend == "cpu" else "executed by the NumPy reference"
    console.print("kernel    C = A @ B^T in bf16 with f32 sums: avelang_kernels/mfma_gemm.py")
    console.print(f"run       {how}; the chip that it stands for is {CHIP} (waves of 64 lanes)")
    wrong = False
    for m, n, k in (ODD, (size, size, size)):
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(*columns, console=err(), transient=True) as progress:
            progress.add_task(f"{m} x {n} x {k}: compile, run, check")
            r = measure(m, n, k, backend)
        rate = 2.0 * m * n * k / r.best / 1e9
        console.print(f"\n{m} x {n} x {k}")
        console.print(f"  {FOUND.get(r.how, r.how)} {r.prepare * 1e3:9.2f} ms")
        console.print(f"  executed, best of {r.calls:<5} {r.best * 1e3:9.2f} ms   {rate:.1f} GFLOP/s")
        within = r.share <= 1
        verdict = "[green]all elements within their bound[/green]" if within else "[red]OUTSIDE THE BOUND[/red]"
        console.print(f"  against NumPy in float64: {verdict}")
        console.print(f"  largest error {r.error:.2e}; the closest that an element comes to its bound is {r.share:.1%} of it")
        wrong |= not within
    console.print("\nbound of an element: k 2^-24 / (1 - k 2^-24) times the sum of the products' magnitudes, for k roundings to f32")
    if wrong:
        fail("the product is wrong")
