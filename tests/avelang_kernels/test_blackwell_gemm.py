"""The product of Blackwell: by the reference, and as PTX for sm_100a by the executor, against NumPy."""

import ml_dtypes
import numpy as np
import pytest

from avelang import arch
from avelang.base.errors import AveError
from avelang.frontend.build import build as built
from avelang_kernels.matmul.blackwell_gemm import BlackwellTile, build, choose_tile, gemm
from avelang_kernels.matmul.hopper_types import DTYPES, products
from sim.ptx.executed import Executed

NUMPY = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2, "i8": np.int8, "i32": np.int32}  # fmt: skip
# m, n, k; tile; types of A and C.
CASES = [
    (300, 200, 200, BlackwellTile(256, 64, 3), "bf16", "bf16"), (130, 96, 72, BlackwellTile(128, 96, 2), "f16", "f32"),
    (257, 264, 144, BlackwellTile(256, 256, 2), "f8e4m3fn", "bf16"), (64, 32, 80, BlackwellTile(128, 32, 2), "i8", "i32"),
    (128, 64, 40, BlackwellTile(128, 64, 3), "f32", "f32"),
]  # fmt: skip


def drawn(shape: tuple[int, int], name: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if name == "i8":
        return rng.integers(-128, 128, shape).astype(np.int8)
    x = rng.standard_normal(shape).astype(np.float32)
    return (x.view(np.uint32) & 0xFFFFE000).view(np.float32) if name == "f32" else x.astype(NUMPY[name])


def right(c: np.ndarray, a: np.ndarray, b: np.ndarray, add: np.ndarray | float = 0.0) -> bool:
    x, y = a.astype(np.float64), b.astype(np.float64)
    want = x @ y.T + add
    eps = {2: 2.0**-8, 4: 2.0**-20}[c.dtype.itemsize]
    return bool(
        (abs(c.astype(np.float64) - want) <= (abs(x) @ abs(y).T + abs(np.asarray(add))) * eps * 0.6 + 1e-30).all()
    )


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[4]}-{c[3].m}x{c[3].n}")
def test_by_the_reference(case):
    m, n, k, tile, dtype, out = case
    a, b = drawn((m, k), dtype, 0), drawn((n, k), dtype, 1)
    c = gemm(a, b, tile=tile, dtype=NUMPY[out], blocks=3, target="sm_100a", backend="reference")
    assert c.dtype == NUMPY[out] and right(c, a, b)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[4]}-{c[3].m}x{c[3].n}")
def test_as_ptx(case):
    """Executed with what races, waits and fences are checked."""
    m, n, k, tile, dtype, out = case
    a, b = drawn((m, k), dtype, 2), drawn((n, k), dtype, 3)
    c = np.full((m, n), 7, NUMPY[out])
    product = next(p for p in products().values() if p.a.name == p.b.name == dtype)
    to = {**{d.name: d for d in DTYPES.values()}, **{p.sums.name: p.sums for p in products().values()}}[out]
    kernel = built(build(tile, product.a, product.b, to, product.sums).source, {}, arch.chip("sm_100a"))
    cluster = (tile.m // 128, 1, 1)
    kernel.attrs["cluster"] = cluster
    Executed(kernel, (192, 1, 1), "sm_100a").run([a, b, c, m, n, k], (2 * cluster[0], 1, 1), cluster)
    assert right(c, a, b)


def test_bias_and_activation():
    a, b, bias = drawn((130, 64), "bf16", 4), drawn((64, 64), "bf16", 5), drawn((1, 64), "f32", 6)[0]
    c = gemm(a, b, tile=BlackwellTile(128, 64, 2), dtype=np.float32, bias=bias, activation="relu", target="sm_100a",
        backend="reference")  # fmt: skip
    plain = a.astype(np.float64) @ b.astype(np.float64).T + bias
    assert (abs(c - np.maximum(plain, 0)) < 1e-3).all() and (c == 0).any()


def test_what_is_refused():
    a = np.zeros((128, 64), np.float32)
    with pytest.raises((AveError, ValueError), match="n is 40; it may be 32 to 256 in steps of 32"):
        gemm(a, a, tile=BlackwellTile(128, 40, 2), target="sm_100a", backend="reference")
    with pytest.raises((AveError, ValueError), match="same number of columns"):
        gemm(a, a[:, :32], target="sm_100a", backend="reference")
    assert choose_tile(4096, 4096, 2)[:2] == (256, 256) and not choose_tile(5, 3, 4).fault(4)
