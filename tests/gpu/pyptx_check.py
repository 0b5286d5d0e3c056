"""Kernels in `pyptx` on a real GPU, called from torch: the kernels of tests/pyptx against torch's own functions.

    python3 tests/gpu/pyptx_check.py

Prints a line a kernel. Exit status 1 where one is wrong. Needs torch and an NVIDIA GPU of sm_90a."""

from __future__ import annotations

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "distributions" / "pyptx" / "src"), str(ROOT), str(ROOT / "tests")]

import torch  # noqa: E402
from tests.pyptx import rows, tensor_cores  # noqa: E402
from torch.nn import functional  # noqa: E402


def drawn(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, device="cuda").to(dtype)


def off(got: torch.Tensor, want: torch.Tensor) -> float:
    """The greatest difference, by the greatest of what is wanted."""
    torch.cuda.synchronize()
    return float((got.float() - want.float()).abs().max() / want.float().abs().max())


def hopper() -> float:
    a, b = drawn(512, 512, dtype=torch.bfloat16), drawn(256, 512, dtype=torch.bfloat16)
    kernel = tensor_cores.hopper(512, 256, 512)
    for _ in range(2):
        kernel(a, b)
    return off(kernel(a, b), a.float() @ b.float().T)


def rms_norm() -> float:
    x, w = drawn(4, 512), drawn(512)
    return off(rows.rms_norm(4, 512)(x, w), functional.rms_norm(x, (512,), w, 1e-6))


def swiglu() -> float:
    g, u = drawn(64, 128, dtype=torch.bfloat16), drawn(64, 128, dtype=torch.bfloat16)
    return off(rows.swiglu(g, u, count=64 * 128, limit=1e9), functional.silu(g.float()) * u.float())


def layer_norm() -> float:
    x, w, b = drawn(5, 96), drawn(96), drawn(96)
    return off(rows.layer_norm(x, w, b)[0], functional.layer_norm(x, (96,), w, b))


def ring() -> float:
    x = drawn(9, 64)
    return off(rows.column_sums(x), x.sum(0))


def transpose() -> float:
    x = torch.arange(1024, dtype=torch.int32, device="cuda").view(32, 32)
    return off(rows.transpose(True)(x), x.T)


def compiled() -> float:
    x, w = drawn(4, 256), drawn(256)
    kernel = rows.rms_norm(4, 256)
    return off(torch.compile(lambda a: kernel(a, w) * 2, backend="aot_eager", fullgraph=True)(x), 2 * kernel(x, w))


CHECKS = {hopper: 1e-2, rms_norm: 1e-5, swiglu: 1e-2, layer_norm: 1e-5, ring: 1e-5, transpose: 0.0, compiled: 0.0}


def main() -> None:
    torch.manual_seed(0)
    bad = 0
    for check, most in CHECKS.items():
        try:
            found = check()
            text = "ok  " if found <= most else "FAIL"
            print(f"{text} {check.__name__:<12} off by {found:.2g}, {most:.2g} allowed")
        except Exception as e:  # noqa: BLE001 - the others run too
            text = "FAIL"
            print(f"FAIL {check.__name__:<12} {type(e).__name__}: {str(e)[:300]}")
        bad += text == "FAIL"
    print(f"{len(CHECKS) - bad} of {len(CHECKS)} kernels are right")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
