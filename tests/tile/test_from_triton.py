"""The programs of Triton's tutorials in Ave (`examples/from_triton`), of drawn odd shapes, against NumPy: on the CPU
and as executed machine code of both vendors. None asks for a vendor."""

import ast
import importlib.util
import inspect
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from avelang import tile
from language import test_random
from tile.words import RUNS, launch

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "from_triton"
# Lines of the same program in Triton's tutorials (kernel and launch, without comments, docstrings and blank lines:
# estimates, of python/tutorials 02 to 05), or of the shortest that is usual where there is no tutorial.
TRITON = {"softmax": 45, "layer_norm": 130, "matmul": 62, "dropout": 18, "histogram": 14, "cumsum": 14, "topk": 16}
ENGINES = RUNS[1:]


class Executed:
    """A kernel that is launched on an engine of the tests, in place of the program's own."""

    def __init__(self, kernel, run):
        self.kernel, self.run = kernel, run
        self.names = list(inspect.signature(kernel.source.fn).parameters)
        spec = kernel.source.tree.args.args
        self.constant = {a.arg for a in spec if a.annotation is not None and "constexpr" in ast.unparse(a.annotation)}

    def __getitem__(self, geometry):
        grid, threads = geometry

        def call(*args, **options):
            given = dict(zip(self.names, args, strict=True))
            values = tuple(v for k, v in given.items() if k not in self.constant)
            launch(self.kernel, self.run, grid, threads, values, **{k: given[k] for k in sorted(self.constant)})

        return call


def program(name, run):
    """The module of an example, its kernels on an engine."""
    spec = importlib.util.spec_from_file_location(f"from_triton_{name}", FOLDER / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    for key, value in list(vars(found).items()):
        if key.endswith("_kernel"):
            setattr(found, key, Executed(value, run))
    return found


def f32(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


def check_softmax(M, rng, target):
    for rows in rng.integers(1, 6, 2):
        x = f32(rng, rows, int(rng.integers(257, 513)))
        e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
        np.testing.assert_allclose(M.softmax(x, target=target), e / e.sum(1, keepdims=True), rtol=1e-5)


def check_layer_norm(M, rng, target):
    m, n = int(rng.integers(1, 12)), int(rng.integers(129, 257))
    x, dy, weight, bias = f32(rng, m, n), f32(rng, m, n), f32(rng, n), f32(rng, n)
    y, mean, rstd = M.layer_norm(x, weight, bias, target=target)
    found = y, *M.layer_norm_backward(x, dy, weight, mean, rstd, 3, target=target)
    for a, b in zip(found, M.reference(x, dy, weight, bias), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def check_matmul(M, rng, target):
    M.BLOCK = tile.Block(32, 32, 64, (2, 2), "double-buffer")  # less to compile than of 64 x 64
    m, n, k = (int(v) for v in rng.integers(1, 100, 3))
    a, b = f32(rng, m, k).astype(ml_dtypes.bfloat16), f32(rng, k, n).astype(ml_dtypes.bfloat16)
    bias = f32(rng, n)
    want = a.astype(np.float64) @ b.astype(np.float64) + bias
    np.testing.assert_allclose(M.matmul(a, b, bias, target=target), np.where(want > 0, want, 0.01 * want), rtol=1e-3,
                               atol=1e-3)


def check_dropout(M, rng, target):
    x, seed = f32(rng, int(rng.integers(1025, 2000))), int(rng.integers(1 << 40))
    numbers = test_random.uniform(test_random.philox(seed, np.arange(x.size), 0, 0, 0)[0])
    y = M.dropout(x, 0.4, seed, target=target)
    gone = numbers <= np.float32(0.4)
    assert np.array_equal(y == 0, gone) and abs(gone.mean() - 0.4) < 0.08
    np.testing.assert_allclose(y[~gone], x[~gone] / 0.6, rtol=1e-6)


def check_histogram(M, rng, target):
    x = rng.integers(0, 100, rng.integers(1025, 2500)).astype(np.int32)
    assert np.array_equal(M.histogram(x, 100, target=target), np.bincount(x, minlength=100))


def check_cumsum(M, rng, target):
    x = rng.integers(-9, 10, (3, int(rng.integers(513, 1300)))).astype(np.float32)
    assert np.array_equal(M.cumsum(x, target=target), x.cumsum(1))


def check_topk(M, rng, target):
    x = rng.integers(-30, 30, (5, int(rng.integers(65, 128)))).astype(np.float32)
    values, places = M.topk(x, 5, target=target)
    assert np.array_equal(places, np.argsort(-x, 1, kind="stable")[:, :5])
    assert np.array_equal(values, np.take_along_axis(x, places, 1))


@pytest.mark.parametrize("name", sorted(TRITON))
@pytest.mark.parametrize("run", ENGINES, ids=str)
def test_program(name, run):
    globals()[f"check_{name}"](program(name, run), np.random.default_rng(len(name)), run[0])


@pytest.mark.parametrize("name", sorted(TRITON))
def test_length(name):
    """No more than 1.3 times Triton's lines, and no word of a vendor."""
    text = (FOLDER / f"{name}.py").read_text()
    lines = text.splitlines()
    functions = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name != "reference"]
    spans = [range(min([n.lineno, *(d.lineno for d in n.decorator_list)]), n.end_lineno + 1) for n in functions]
    mine = sum(bool(lines[i - 1].strip()) for span in spans for i in span)
    assert mine <= 1.3 * TRITON[name]
    assert not any(word in text for word in ("vendor", "amdgpu", "nvvm", "gfx", "sm_", "al.target"))
