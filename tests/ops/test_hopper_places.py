"""`ops.matmul` with Hopper's kernels on the CPU: matrices of drawn sizes, many of one row or column, that lie in memory in any order, with gaps, and off 16
bytes, against float64."""

from __future__ import annotations

import random

import pytest

torch = pytest.importorskip("torch")

from avelang import ops  # noqa: E402

SIZES = (1, 1, 2, 5, 8, 14, 16, 24, 33)


def placed(rng: random.Random, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """Random numbers among NaN. What lies in a dimension of 1 has any stride."""
    order, step, strides = [*range(len(shape))], rng.choice((1, 1, 1, 2, 3)), [0] * len(shape)
    if rng.random() < 0.6:
        rng.shuffle(order)
    for d in reversed(order):
        strides[d] = step if shape[d] > 1 or rng.random() < 0.5 else rng.choice((1, 2, 5, 8, 14, 16))
        step = max(step * shape[d], 1) + rng.choice((0, 0, 0, 1, 7, 8))
    made = torch.full((9 + sum((n - 1) * s for n, s in zip(shape, strides)),), float("nan")).to(dtype).as_strided(shape, strides)
    made.copy_(torch.randn(shape, generator=torch.Generator().manual_seed(rng.randrange(1 << 30))).to(dtype))
    return made


@pytest.mark.parametrize("seed", range(60))
def test_matrices_that_lie_in_any_way(seed):
    rng = random.Random(f"places {seed}")
    lead, dtype = rng.choice(((), (2,), (3,), (2, 3), (1,), (1, 2))), rng.choice((torch.float16, torch.bfloat16))
    m, n, k = (rng.choice(SIZES) for _ in range(3))
    a, b = placed(rng, (*lead, m, k), dtype), placed(rng, (*(lead if rng.random() < 0.6 else ()), k, n), dtype)
    out = placed(rng, (*lead, m, n), dtype) if rng.random() < 0.3 else None
    bias = placed(rng, (n,), dtype) if rng.random() < 0.3 else None
    got = ops.matmul(a, b, bias=bias, out=out, target="sm_90a")
    want = a.double() @ b.double() + (0 if bias is None else bias.double())
    size = a.double().abs() @ b.double().abs() + (0 if bias is None else bias.double().abs())
    assert ((got.double() - want).abs() <= 1e-4 * size + 2.0**-7 * want.abs()).all()


@pytest.mark.parametrize("where", [0, 1])
def test_one_column_at_any_stride(where):
    a, b = torch.randn(4, 1).half().as_strided((1, 1), (7, 3)), torch.randn(1, 24).half()
    given = (a, b) if where == 0 else (b.T.contiguous(), a)
    got = ops.matmul(*given, target="sm_90a")
    torch.testing.assert_close(got.float(), given[0].float() @ given[1].float(), rtol=2e-3, atol=2e-3)
