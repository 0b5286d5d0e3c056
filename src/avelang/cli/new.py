"""`ave new NAME`: a name comes in; a folder with a kernel, its test and its benchmark goes out, which run as they
are."""

from __future__ import annotations

import keyword
import pathlib
import re
import shlex
import string

import click

from avelang.cli.console import USAGE, fail

KERNEL = '''\
"""y = a x + y for arrays of any length: a kernel, and the function that launches it."""

import avelang
import avelang.language as al

THREADS = 256  # of a block


@avelang.jit
def axpy_kernel(a: al.f32, x: al.Pointer(al.f32), y: al.Pointer(al.f32), n: al.u32):
    xs = al.make_tensor(x, al.f32, al.make_layout((n,), (1,)))
    ys = al.make_tensor(y, al.f32, al.make_layout((n,), (1,)))
    i = al.block_id(0) * THREADS + al.thread_id(0)
    # The last block may be larger than what is left of the arrays.
    if i < n:
        ys[i] = a * xs[i] + ys[i]


def axpy(a, x, y):
    """Adds a x to y in place. x, y: f32 arrays (n,) of NumPy, torch or JAX, on the CPU or on a GPU."""
    if tuple(x.shape) != tuple(y.shape):
        raise avelang.argument_error(f"y has shape {tuple(y.shape)}, and x {tuple(x.shape)}: they must be alike")
    n = x.shape[0]
    if n:
        axpy_kernel[(n + THREADS - 1) // THREADS, THREADS](a, x, y, n)
'''

TEST = '''\
"""The kernel against NumPy, on lengths around the size of a block. Run it with `pytest`, or as a program."""

import numpy as np
from $module import THREADS, axpy, axpy_kernel

from avelang import testing

LENGTHS = (0, 1, THREADS - 1, THREADS, THREADS + 1, 10_007)


def test_axpy_is_what_numpy_says():
    for n in LENGTHS:
        x, y = testing.random((n,), seed=1), testing.random((n,), seed=2)
        want = 2.5 * x.astype(np.float64) + y
        axpy(2.5, x, y)
        testing.assert_close(y, want)


def test_nothing_is_touched_outside_of_the_arrays():
    """The reference executor checks each access; it is slow, so the arrays are small."""
    for n in (1, THREADS + 1):
        x, y = testing.random((n,), seed=1), testing.random((n,), seed=2)
        want = 2.5 * x.astype(np.float64) + y
        axpy_kernel[2, THREADS](2.5, x, y, n, backend="reference")
        testing.assert_close(y, want)


if __name__ == "__main__":
    test_axpy_is_what_numpy_says()
    test_nothing_is_touched_outside_of_the_arrays()
    print("all tests passed")
'''

BENCH = '''\
"""The kernel beside NumPy, turn by turn in one process. Run it with `python bench_$module.py [LENGTH]`."""

import platform
import statistics
import sys
import time

import numpy as np
from $module import axpy

import avelang

ROUNDS = 30


def with_numpy(a, x, y):
    y += a * x


def seconds(function, *args):
    start = time.perf_counter()
    function(*args)
    return time.perf_counter() - start


def main(n):
    x, y = np.random.default_rng(0).standard_normal((2, n)).astype(np.float32)
    contenders = {"ave": axpy, "numpy": with_numpy}
    times = {name: [] for name in contenders}
    for function in contenders.values():  # the first call compiles
        function(0.5, x, y)
    for _ in range(ROUNDS):
        for name, function in contenders.items():
            times[name].append(seconds(function, 0.5, x, y))
    print(f"axpy, {n} numbers; Ave {avelang.__version__}, NumPy {np.__version__}, {platform.machine()}")
    for name, found in times.items():
        median = statistics.median(found)
        print(f"{name:6} {median * 1e6:10.1f} us  {12 * n / median / 1e9:7.2f} GB/s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20)
'''

README = """\
# $name

- `$module.py`: a kernel, `axpy_kernel`, and `axpy`, the function that launches it.
- `test_$module.py`: `pytest`, or `python test_$module.py`.
- `bench_$module.py`: `python bench_$module.py`.

Other commands to try:

    ave run --on reference test_$module.py          # every access is checked
    ave run --check races,init test_$module.py
    ave report $module.py:axpy_kernel               # what it takes on a GPU; no GPU is needed
    ave compile $module.py:axpy_kernel --target sm_90a --emit asm
"""

FILES = {"$module.py": KERNEL, "test_$module.py": TEST, "bench_$module.py": BENCH, "README.md": README}


@click.command()
@click.argument("name", metavar="NAME")
def new(name: str) -> None:
    """Make a folder NAME with a kernel, a test and a benchmark, which run as they are.

    NAME may have a path in front. The module is called as the folder is, with _ for what a name cannot have."""
    folder = pathlib.Path(name)
    module = re.sub(r"\W", "_", folder.name, flags=re.ASCII).lower()
    if not module.isidentifier() or keyword.iskeyword(module) or not module.strip("_") or module == "avelang":
        raise click.UsageError(f"{folder.name!r} makes no name of a module, such as my_kernels")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        fail(f"{folder} is there already, and is not empty", "choose another name", USAGE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in FILES.items():
            where = folder / string.Template(file).substitute(module=module)
            where.write_text(string.Template(text).substitute(module=module, name=folder.name))
            click.echo(f"wrote {where}")
    except OSError as exc:
        fail(f"cannot write {exc.filename}: {exc.strerror}")
    click.echo(f"next: cd {shlex.quote(str(folder))} && python test_{module}.py && python bench_{module}.py")
