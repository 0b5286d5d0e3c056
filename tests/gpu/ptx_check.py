"""Kernels of the instruction level on a real NVIDIA GPU: torch eager, compiled, in CUDA graphs and with gradients, JAX eager and under jit, errors, launch cost.

    python3 tests/gpu/ptx_check.py [--only TEXT]

Prints one line for each check. Exit status 1 when one fails. Needs torch with CUDA and a GPU of sm_90; JAX's checks are skipped where JAX has no GPU.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import time
import traceback
from collections.abc import Callable

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
from gpu.scratch import own_cache  # noqa: E402

own_cache()
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

from tests.ptx import programs  # noqa: E402

from avelang.base.errors import AveError  # noqa: E402
from avelang.ptx import Tile, kernel, ptx, reg  # noqa: E402
from avelang.ptx.types import f32  # noqa: E402

CHECKS: dict[str, Callable[[], str | None]] = {}


class Skip(Exception):
    """What a check needs is not there."""


def check(f: Callable[[], str | None]) -> Callable[[], str | None]:
    CHECKS[f.__name__] = f
    return f


def operands(m: int, n: int, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    return tuple(torch.randn(rows, k, device="cuda").bfloat16() for rows in (m, n))  # type: ignore[return-value]


def close(out: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> None:
    torch.testing.assert_close(out, a.float() @ b.float().T, atol=2e-2, rtol=1e-2)


@check
def saxpy() -> None:
    k = programs.saxpy()
    for n in (1, 127, 128, 1000, 100_000):
        x, y = torch.randn(2, n, device="cuda")
        torch.testing.assert_close(k(x, y, 2.5), torch.addcmul(y, x, torch.tensor(2.5, device="cuda")))


@check
def tiled_gemm() -> None:
    k = programs.tiled_gemm(stages=3)
    for m, n, size in ((32, 32, 32), (128, 64, 256), (512, 512, 512)):
        a, b = operands(m, n, size)
        close(k(a, b), a, b)


@check
def hopper_gemm() -> None:
    k = programs.hopper_gemm()
    for m, n, size in ((128, 128, 64), (256, 384, 512), (1024, 1024, 1024)):
        a, b = operands(m, n, size)
        for _ in range(3):
            close(k(a, b), a, b)


@check
def executor_and_gpu_agree() -> None:
    a, b = operands(64, 64, 64)
    k = programs.tiled_gemm()
    assert torch.equal(k(a, b).cpu(), k(a.cpu(), b.cpu())) or torch.allclose(k(a, b).cpu(), k(a.cpu(), b.cpu()), atol=1e-4)


@check
def streams_and_graphs() -> None:
    k = programs.hopper_gemm()
    a, b = operands(256, 256, 256)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        close(k(a, b), a, b)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = k(a, b)
    a.copy_(torch.randn_like(a, dtype=torch.float32))
    graph.replay()
    close(out, a, b)
    fresh = programs.saxpy()  # compiled and loaded inside of a capture
    x = torch.ones(64, device="cuda")
    with torch.cuda.graph(torch.cuda.CUDAGraph(), capture_error_mode="relaxed"):
        fresh(x, x, 2.0)


@check
def compiled_and_gradients() -> None:
    k = programs.tiled_gemm()

    @k.backward
    def backward(inputs, outputs, gradients):
        (a, b), (g,) = inputs, gradients
        return (g @ b.float()).bfloat16(), (g.T @ a.float()).bfloat16()

    f = torch.compile(lambda a, b: k(a, b) * 2, fullgraph=True)
    a, b = operands(64, 64, 64)
    torch.testing.assert_close(f(a, b), 2 * (a.float() @ b.float().T), atol=2e-2, rtol=1e-2)
    a.requires_grad_(True)
    f(a, b).sum().backward()
    torch.testing.assert_close(a.grad.float(), (2 * b.float().sum(0)).expand(64, 64), atol=0.3, rtol=2e-2)


@check
def opcheck() -> None:
    from avelang.ptx.operations import operation_of

    k = programs.saxpy()
    x = torch.ones(64, device="cuda")
    name = operation_of(k._caller).prepare().split("::")[1]  # registers the operator
    torch.library.opcheck(getattr(torch.ops.avelang_ptx, name).default, (x, x, 2.0))


def _jax():
    try:
        import jax
    except ImportError:
        raise Skip("no jax") from None
    if jax.default_backend() != "gpu":
        raise Skip("jax has no GPU")
    return jax


@check
def jax_eager_and_jit() -> None:
    jax = _jax()
    k, rng = programs.hopper_gemm(), np.random.default_rng(1)
    a, b = (jax.numpy.asarray(rng.standard_normal((n, 256)), jax.numpy.bfloat16) for n in (256, 128))
    want = np.asarray(a.astype("float32") @ b.astype("float32").T)
    assert np.allclose(k(a, b), want, atol=5e-2)
    f = jax.jit(lambda a, b: k(a * 1, b) + 0)
    for _ in range(3):
        assert np.allclose(f(a, b), want, atol=5e-2)
    x = jax.numpy.arange(12.0).reshape(3, 4)
    s = programs.saxpy()
    assert np.array_equal(jax.jit(jax.vmap(lambda x: s(x, x, 3.0)))(x), 4 * x)


@check
def arch_auto_and_wrong_arch() -> None:
    @kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=1, block=lambda N: N)
    def copy(x, out):
        px, po = ptx.global_ptrs(x, out)
        i = reg.from_(ptx.special.tid.x()) * 4
        value = reg.scalar(f32)
        ptx.inst.ld.global_.f32(value, ptx.addr(px + i))
        ptx.inst.st.global_.f32(ptx.addr(po + i), value)

    x = torch.randn(64, device="cuda")
    assert torch.equal(copy(x), x)

    @kernel(in_specs=Tile("N", f32), out_specs=Tile("N", f32), grid=1, block=32, arch="sm_100a")
    def other(x, out):
        pass

    if torch.cuda.get_device_capability() == (9, 0):
        try:
            other(x)
        except AveError as e:
            assert e.code == "L046"
        else:
            raise AssertionError("an sm_100a kernel was launched")


@check
def launch_cost() -> str:
    k = programs.saxpy()
    h = programs.hopper_gemm()
    x = torch.ones(128, device="cuda")
    out = torch.empty_like(x)
    a, b = operands(128, 128, 64)

    def cost(call: Callable[[], object]) -> float:
        best = float("inf")
        for _ in range(5):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(500):
                call()
            best = min(best, (time.perf_counter() - start) / 500)
            torch.cuda.synchronize()
        return best * 1e6

    made, given, maps = cost(lambda: k(x, x, 2.0)), cost(lambda: k(x, x, 2.0, out=out)), cost(lambda: h(a, b))
    empty = cost(lambda: torch.empty((128,), dtype=torch.float32, device="cuda"))
    return f"host time of a call: {made:.1f} us, {given:.1f} us with out=, {maps:.1f} us with two tensor maps; torch.empty alone {empty:.1f} us"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    only = parser.parse_args().only
    failed = 0
    for name, f in CHECKS.items():
        if only not in name:
            continue
        try:
            print(f"{name}: {f() or 'ok'}", flush=True)
        except Skip as e:
            print(f"{name}: skipped ({e})", flush=True)
        except Exception:
            failed += 1
            print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
