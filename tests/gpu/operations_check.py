"""Operations of `avelang.ops` on a real GPU, on drawn shapes and strides: results and gradients against torch in
float64. Attention has a check of its own.

    python3 tests/gpu/operations_check.py [SEED]

Prints a line a case. Exit status 1 where one is wrong. Needs torch and an NVIDIA GPU of sm_90a."""

from __future__ import annotations

import pathlib
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT), str(ROOT / "tests")]

import torch  # noqa: E402
from torch.nn import functional  # noqa: E402

from avelang import ops  # noqa: E402

HALF = (torch.bfloat16, torch.float16)
# By the root of the mean square of what is wanted: results are rounded to 8 or 11 bits, sums of them once or twice.
MOST = {torch.bfloat16: 0.03, torch.float16: 0.005, torch.float32: 1e-4}


def drawn(*shape: int, dtype: torch.dtype, grad: bool = True) -> torch.Tensor:
    """Normal numbers; one time in three a view with gaps between its rows."""
    if len(shape) > 1 and random.random() < 0.33:
        x = torch.randn(*shape[:-1], shape[-1] + 8, device="cuda").to(dtype)[..., : shape[-1]]
    else:
        x = torch.randn(*shape, device="cuda").to(dtype)
    return x.detach().requires_grad_(grad)


def off(got: torch.Tensor, want: torch.Tensor) -> float:
    """The root of the mean square of the difference, by that of what is wanted."""
    if got.shape != want.shape:
        return float("inf")
    d = (got.double() - want.double()).square().mean().sqrt()
    return float(d / want.double().square().mean().sqrt().clamp_min(1e-3)) if got.numel() else 0.0


def compare(name: str, ours: Callable[..., Any], theirs: Callable[..., Any], arrays: list[torch.Tensor]) -> bool:
    """One case: the result, and the gradient of each array that wants one."""
    wide = [x.detach().double().requires_grad_(x.requires_grad) for x in arrays]
    try:
        got, want = ours(*arrays), theirs(*wide)
        grad = torch.randn_like(want)
        got.backward(grad.to(got.dtype))
        want.backward(grad)
        found = [off(got.detach(), want.detach())]
        found += [off(x.grad, y.grad) for x, y in zip(arrays, wide, strict=True) if x.requires_grad]
    except Exception as e:  # noqa: BLE001 - the others run too
        print(f"FAIL {name}: {type(e).__name__}: {str(e)[:300]}")
        return False
    right = all(f <= MOST[arrays[0].dtype] for f in found)
    print(f"{'ok  ' if right else 'FAIL'} {name}: off by {', '.join(f'{f:.1g}' for f in found)}")
    return right


Case = tuple[str, Callable[..., Any], Callable[..., Any], list[torch.Tensor]]


def rows() -> Iterator[Case]:
    """Operations on rows."""
    dtype = random.choice((*HALF, torch.float32))
    m, n = random.choice([(3, 5000), (700, 129), (64, 4096), (33, 1)])
    said = f"{m} x {n} {dtype}"
    x, w, b = drawn(m, n, dtype=dtype), drawn(n, dtype=dtype), drawn(n, dtype=dtype)
    y, v = drawn(m, n, dtype=dtype), drawn(n, dtype=dtype)
    rms, norm = functional.rms_norm, functional.layer_norm
    yield f"rms_norm {said}", lambda x, w: ops.rms_norm(x, w, eps=1e-5), lambda x, w: rms(x, (n,), w, 1e-5), [x, w]
    yield f"layer_norm {said}", ops.layer_norm, lambda x, w, b: norm(x, (n,), w, b), [y, v, b]
    x, g, u, z = (drawn(m, n, dtype=dtype) for _ in range(4))
    yield f"softmax {said}", lambda x: ops.softmax(x, 0), lambda x: functional.softmax(x, 0), [x]
    yield f"swiglu {said}", ops.swiglu, lambda g, u: functional.silu(g) * u, [g, u]
    target = torch.randint(n, (m,), device="cuda")
    loss = functional.cross_entropy
    yield (f"cross_entropy {said}", lambda x: ops.cross_entropy(x, target, label_smoothing=0.1),
           lambda x: loss(x, target, label_smoothing=0.1), [z])  # fmt: skip


def products() -> Iterator[Case]:
    """Products of matrices."""
    dtype = random.choice(HALF)
    m, k, n = random.choice([1, 17, 300, 1000]), random.choice([64, 333, 2048]), random.choice([1, 96, 515])
    said = f"{m} x {n} x {k} {dtype}"
    yield f"matmul {said}", ops.matmul, torch.matmul, [drawn(m, k, dtype=dtype), drawn(k, n, dtype=dtype)]
    arrays = [drawn(2, m, k, dtype=dtype), drawn(n, k, dtype=dtype), drawn(n, dtype=dtype)]
    yield (f"linear {said}", lambda x, w, b: ops.linear(x, w, b, activation="silu"),
           lambda x, w, b: functional.silu(functional.linear(x, w, b)), arrays)  # fmt: skip
    target = torch.randint(515, (m,), device="cuda")
    yield (f"linear_cross_entropy {said}", lambda x, w: ops.linear_cross_entropy(x, w, target),
           lambda x, w: functional.cross_entropy(x @ w.T, target),
           [drawn(m, 256, dtype=dtype), drawn(515, 256, dtype=dtype)])  # fmt: skip
    sizes = [random.choice((0, 1, 3, 63, 64, 65, 200, 500)) for _ in range(random.choice((1, 4, 9)))] + [30]
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    offsets = torch.tensor(ends, device="cuda", dtype=torch.int32)

    def grouped(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cat([a[s:t] @ b[i] for i, (s, t) in enumerate(zip([0, *ends[:-1]], ends, strict=True))])

    k, n = random.choice((64, 192, 200, 72, 333)), random.choice((64, 160, 264, 96, 515))
    turned = lambda a, b: ops.grouped_matmul(a, b.swapaxes(1, 2), offsets)  # noqa: E731
    arrays = [drawn(ends[-1], k, dtype=dtype), drawn(len(ends), k, n, dtype=dtype)]
    yield f"grouped_matmul {sizes} {n} x {k} {dtype}", lambda a, b: ops.grouped_matmul(a, b, offsets), grouped, arrays
    arrays = [drawn(ends[-1], k, dtype=dtype), drawn(len(ends), n, k, dtype=dtype)]
    yield f"the same of rows {n} x {k}", turned, lambda a, b: grouped(a, b.swapaxes(1, 2)), arrays


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    random.seed(seed)
    torch.manual_seed(seed)
    done = [compare(*case) for _ in range(3) for part in (rows, products) for case in part()]
    print(f"{sum(done)} of {len(done)} cases are right")
    sys.exit(0 if all(done) else 1)


if __name__ == "__main__":
    main()
