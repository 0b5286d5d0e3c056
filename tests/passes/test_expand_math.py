"""The expansions of mathematical functions: run by the reference on f32 all over the range, against float64 NumPy and
exact rational arithmetic."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from avelang.ir.build import Builder
from avelang.ir.core import Block, Kernel, walk
from avelang.ir.dtypes import DType, bf16, f32, f64, i64, u32
from avelang.ir.functions import EXPANDED, FUNCTIONS
from avelang.ir.text import parse_kernel, print_kernel
from avelang.ir.types import GLOBAL, PtrType, VecType
from avelang.ir.verify import verify
from avelang.passes.expand_math import expand_math
from avelang.sim import reference

EXACT = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "tanh": np.tanh, "erf": np.vectorize(math.erf),
    "rsqrt": lambda x: 1 / np.sqrt(x), "log1p": np.log1p, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}  # fmt: skip
LANES, BLOCKS = 64, 24
N = LANES * BLOCKS
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-45, -1e-45, 1.1754944e-38, 3.4e38, -3.4e38, 88.7, 88.8,
         -87.3, -103.9, -104.0, 128.0]


def apply(name: str, x: np.ndarray, d: DType = f32, native: frozenset[str] = frozenset()) -> np.ndarray:
    """The expanded function of an array of N numbers."""
    body = Block()
    b = Builder(body)
    source, target = (body.add_arg(n, PtrType(d, GLOBAL)) for n in ("x", "y"))
    block = b.emit("block_id", (), (u32,), dim=0).result
    place = b.add(b.mul(block, b.const(LANES)), b.lane_id())
    offset = b.mul(b.convert(place, i64), b.const(d.bytes, i64))
    b.st(b.same(name, b.ld(source, offset, d, d.bytes)), target, offset, d.bytes)
    kernel = Kernel("k", body.args, body, {"wave": LANES, "chip": "gfx942", "file": ""})
    expand_math(kernel, native)
    verify(kernel, "addresses")
    assert print_kernel(parse_kernel(print_kernel(kernel))) == print_kernel(kernel)
    assert name not in {op.name for op in walk(kernel.body)}
    out = np.zeros(N, d.np)
    with np.errstate(all="ignore"):
        reference.run(kernel, [x, out], (BLOCKS, 1, 1), (LANES, 1, 1))
    return out


def ulps(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Distance from the exact value in units of the last place of f32."""
    with np.errstate(all="ignore"):
        unit = np.spacing(np.maximum(np.abs(exact).astype(np.float32), np.float32(1.1754944e-38))).astype(np.float64)
        error = np.abs(got.astype(np.float64) - exact) / unit
        same = (got == exact.astype(np.float32)) | (np.isnan(got) & np.isnan(exact))
    return np.where(same, 0, error)


def numbers(name: str, rng: np.random.Generator) -> np.ndarray:
    n = N
    if name == "uniform":
        return rng.uniform(-12, 12, n).astype(np.float32)
    if name == "small":
        return (np.exp(rng.uniform(-30, 1, n)) * rng.choice([-1, 1], n)).astype(np.float32)
    if name == "near one":
        return (1 + rng.uniform(-0.4, 0.4, n) ** 3).astype(np.float32)
    if name == "wide":
        return rng.uniform(-110, 130, n).astype(np.float32)
    bits = rng.integers(0, 1 << 32, n).astype(np.uint32).view(np.float32).copy()
    bits[: len(EDGES)] = EDGES
    return bits


@pytest.mark.parametrize("spread", ["uniform", "small", "near one", "wide", "bits"])
@pytest.mark.parametrize("name", EXACT)
def test_within_two_units(name, spread):
    x = numbers(spread, np.random.default_rng(7))
    x = np.abs(x) if name == "rsqrt" else x
    with np.errstate(all="ignore"):
        exact = EXACT[name](x.astype(np.float64))
    got = apply(name, x)
    error = ulps(got, exact)
    worst = int(np.nanargmax(np.where(np.isnan(error), np.inf, error)))
    assert error[worst] <= 2.0, (name, x[worst], got[worst], exact[worst], error[worst])
    zero = exact == 0
    assert (np.signbit(got[zero & (x == 0)]) == np.signbit(exact[zero & (x == 0)])).all()


def exact_trigonometric(name: str, x: float) -> float:
    """Sine or cosine of a float by rational arithmetic with 1200 bits of pi."""
    from fractions import Fraction

    if not math.isfinite(x):
        return math.nan
    half = Fraction(PI_BITS, 1 << 1198)  # pi / 2 with 1199 bits
    q = round(Fraction(x) / half)
    r = float(Fraction(x) - q * half)
    q += name == "cos"
    return [math.sin(r), math.cos(r), -math.sin(r), -math.cos(r)][q % 4]


def _pi_bits() -> int:
    """pi * 2**1197, by Machin's formula."""
    one = 1 << 1240

    def arctan_inverse(n: int) -> int:
        total, term, k = 0, one // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term, k = term // (n * n), k + 2
        return total

    return 4 * (4 * arctan_inverse(5) - arctan_inverse(239)) >> 43


PI_BITS = _pi_bits()


@pytest.mark.parametrize("spread", ["uniform", "small", "bits"])
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_trigonometric(name, spread):
    """All exponents up to the greatest, and multiples of pi/2, where the most cancels."""
    rng = np.random.default_rng(8)
    x = numbers(spread, rng)
    x[100:400] = (rng.integers(1, 1 << 22, 300) * (math.pi / 2)).astype(np.float32)
    x[400:420] = np.float32(16367173.0 * 2.0**72)  # among f32 the one nearest to a multiple of pi/2
    exact = np.array([exact_trigonometric(name, float(v)) for v in x])
    error = ulps(apply(name, x), exact)
    worst = int(np.nanargmax(np.where(np.isnan(error), np.inf, error)))
    assert error[worst] <= 2.0, (name, x[worst], error[worst])


def test_narrow_floats_go_by_way_of_f32():
    x = np.random.default_rng(9).uniform(-4, 4, N).astype(ml_dtypes.bfloat16)
    got = apply("exp", x, bf16)
    with np.errstate(all="ignore"):
        assert (got == np.exp(x.astype(np.float64)).astype(np.float32).astype(ml_dtypes.bfloat16)).mean() > 0.999


def test_what_the_machine_has_stays():
    body = Block()
    b = Builder(body)
    x = b.const(1.0, f32)
    for name in ("exp", "tanh"):
        b.same(name, x)
    b.same("exp", b.const(1.0, f64))  # the machine has that of f32 only
    kernel = Kernel("k", [], body, {"wave": LANES, "chip": "", "file": ""})
    expand_math(kernel, frozenset({"exp"}))
    names = [op.name for op in walk(body)]
    assert names.count("exp") == 2 and "tanh" not in names  # its own, and that of tanh


def test_a_wrong_coefficient_is_noticed(monkeypatch):
    import avelang.ir.functions.formulas32 as module

    monkeypatch.setattr(module, "EXP", (*module.EXP[:-3], 0.5001, 1.0, 1.0))
    with pytest.raises(AssertionError):
        test_within_two_units("exp", "uniform")


def test_vectors_go_element_by_element():
    body = Block()
    b = Builder(body)
    b.same("exp2", b.const((1.0, 2.0, 3.0), VecType(f32, 3)))
    expand_math(Kernel("k", [], body, {"wave": LANES, "chip": "", "file": ""}), frozenset())
    assert [op.attrs["index"] for op in body.ops if op.name == "extract"] == [0, 1, 2] and body.ops[-1].name == "vec"


def test_the_table_is_whole():
    assert {*EXACT, "sin", "cos"} == EXPANDED
    for f in FUNCTIONS.values():
        assert bool(f.llvm) != bool(f.f32 and f.f64), f.name
