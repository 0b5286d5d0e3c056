"""`ave demo`: the guarded MFMA matrix product on an odd shape and on a cube, checked element by element, timed, with
the machine named."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    import numpy as np

CHIP = "gfx942"
ODD = (117, 121, 128)  # edges in both directions: nothing is a multiple of the kernel's 32 x 32 blocks
FOUND = {"compiled": "compiled", "disk": "loaded from the cache", "hot": "compiled before", "reference": "IR built"}
SECONDS = 1.0  # how long a shape is repeated for its best time


class Result(NamedTuple):
    """The measurements of one shape: how the kernel was found ("compiled", or "disk": in the cache) and in how many
    seconds, the seconds of the best launch and how many there were, and how far from exact the product is.

    `error`: the largest error of an element; `share`: the largest part of its bound that an element's error takes; over
    1 is wrong."""

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
    a, b = (rng.standard_normal((rows, k), np.float32).astype(ml_dtypes.bfloat16) for rows in (m, n))
    return a, b


def deviation(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[float, float]:
    """(largest error, largest share of the bound) of c against a @ b.T in float64.

    The bound of an element is g * sum |a_i b_i| with g = k u / (1 - k u), u = 2**-24: each product of bf16 numbers is
    exact in f32, and each of the k additions rounds once (N. Higham, "Accuracy and Stability of Numerical Algorithms",
    2002, section 3.1)."""
    import numpy as np

    left, right = a.astype(np.float64), b.astype(np.float64)
    k, u = a.shape[1], 2.0**-24
    bound = k * u / (1 - k * u) * (np.abs(left) @ np.abs(right).T)
    error = np.abs(c - left @ right.T)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(error == 0, 0.0, error / bound)
    return float(error.max()), float(np.nan_to_num(share, nan=np.inf).max())


def measure(m: int, n: int, k: int, backend: str, step: Callable[[str], object] = lambda name: None) -> Result:
    """Multiplies once, then again for a second or so, and checks the last product. `step` is told what comes next."""
    import numpy as np

    from avelang_kernels.matmul import mfma_gemm

    a, b = operands(m, n, k)
    c = np.full((m, n), np.nan, np.float32)
    times: list[float] = []
    step("compile")
    mfma_gemm.gemm(a, b, c, backend=backend, target=CHIP)
    first = mfma_gemm.mfma_gemm.last
    assert first is not None
    step("run")
    begin = time.perf_counter()
    while not times or (backend == "cpu" and time.perf_counter() - begin < SECONDS):
        c.fill(np.nan)
        start = time.perf_counter()
        mfma_gemm.gemm(a, b, c, backend=backend, target=CHIP)
        times.append(time.perf_counter() - start)
    step("check")
    return Result(first.how, first.prepare, min(times), len(times), *deviation(a, b, c))


def _shape(m: int, n: int, k: int, backend: str) -> bool:
    """Measures one shape with a progress bar, prints what was found, and returns whether the product is right."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from avelang.cli.console import err, out

    name = f"{m} x {n} x {k}"
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as progress:
        task = progress.add_task(name, total=4)
        r = measure(m, n, k, backend, lambda stage: progress.update(task, description=f"{name}: {stage}", advance=1))
    console, right = out(), r.share <= 1
    console.print(f"\n{name}")
    console.print(f"  {FOUND[r.how]:<22}{r.prepare * 1e3:9.2f} ms")
    console.print(
        f"  {f'executed, best of {r.calls}':<22}{r.best * 1e3:9.2f} ms   {2e-9 * m * n * k / r.best:.1f} GFLOP/s"
    )
    verdict = "[green]all elements within their bound[/green]" if right else "[red]OUTSIDE THE BOUND[/red]"
    console.print(f"  against NumPy in float64: {verdict}")
    console.print(
        f"  largest error {r.error:.2e}; the closest that an element comes to its bound is {r.share:.1%} of it"
    )
    return right


@click.command()
@click.option("--size", default=1024, show_default=True, type=click.IntRange(16),
              help="Edge of the cube; a multiple of 16.")
@click.option("--backend", default="cpu", show_default=True, type=click.Choice(["cpu", "reference"]),
              help="What runs the kernel.")
def demo(size: int, backend: str) -> None:
    """Multiply bf16 matrices with AMD's MFMA instructions on this machine, and check the result.

    The shapes are 117 x 121 x 128 and a cube. Ends with status 1 when an element is outside its error bound.
    """
    from avelang.cli import probes
    from avelang.cli.console import fail, out

    if size % 16:
        raise click.UsageError(f"--size {size} is not a multiple of 16, which the kernel asks of K")
    console = out()
    vectors = " ".join(probes.vector_features()) or "no vector extensions"
    how = "compiled by LLVM for the CPU" if backend == "cpu" else "executed by the NumPy reference"
    console.print(f"machine   {probes.cpu_name()}, {probes.cores()} cores ({vectors})")
    console.print("kernel    C = A @ B^T in bf16 with f32 sums: avelang_kernels/matmul/mfma_gemm.py")
    console.print(f"run       {how}; the chip that it stands for is {CHIP} (waves of 64 lanes)")
    right = [_shape(*shape, backend) for shape in (ODD, (size, size, size))]
    console.print(
        "\nbound of an element: k 2^-24 / (1 - k 2^-24) times the sum of the products' magnitudes, for k roundings "
        "to f32"
    )
    if not all(right):
        fail("the product is wrong")
