"""Operations on a real NVIDIA GPU: eager, gradients, torch.compile, CUDA graphs, streams, memory, bare launches, views of foreign memory.

    PYTHONPATH=src python3 tests/gpu/bridge_check.py

Prints one line for each check. Exit status 1 when one fails. Needs torch with CUDA. JAX with CUDA is not asked for: the views that its calls get are made here
over torch's memory, on a stream of torch's."""

from __future__ import annotations

import pathlib
import sys
import traceback
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

import numpy as np  # noqa: E402
import torch  # noqa: E402
from tests.bridge.operations import scaled, scaled_kernel  # noqa: E402
from tests.ops.views import Room  # noqa: E402

from avelang.bridge import jax_calls, xla  # noqa: E402
from avelang.runtime import streams  # noqa: E402


def drawn(*shape, grad=False):
    return torch.randn(*shape, device="cuda", requires_grad=grad)


def eager() -> None:
    x, w = drawn(4, 5, 7), drawn(7)
    torch.testing.assert_close(scaled(x, w), 2 * x * w)
    torch.testing.assert_close(scaled(x[:, ::2], w, factor=3.0), 3 * x[:, ::2] * w)
    y = drawn(4, 7, grad=True)
    scaled(y, w).sum().backward()
    torch.testing.assert_close(y.grad, (2 * w).expand(4, 7))


def compiled(backend: str = "inductor", **more) -> None:
    f = torch.compile(lambda x, w: scaled(x.sin(), w).cos() + scaled(x, w), fullgraph=True, backend=backend, **more)
    with warnings.catch_warnings():
        if not more:  # torch's own graphs begin with an empty one, of which it warns
            warnings.simplefilter("error", UserWarning)
        for n in (4, 6, 4, 4):
            x, w = drawn(n, 7, grad=True), drawn(7, grad=True)
            made, want = f(x, w), (2 * x.sin() * w).cos() + 2 * x * w
            torch.testing.assert_close(made, want)
            torch.testing.assert_close(torch.autograd.grad(made.sum(), (x, w)), torch.autograd.grad(want.sum(), (x, w)))


def graphs() -> None:
    x, w = drawn(64, 7), drawn(7)
    scaled(x, w)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        scaled(x, w)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = scaled(scaled(x, w), w)
    x.normal_()
    graph.replay()
    torch.testing.assert_close(made, 4 * x * w * w)


def memory() -> None:
    x, w = drawn(1024, 1024), drawn(1024)
    scaled(x, w)
    torch.cuda.synchronize()
    # Of this process: others run beside it.
    held, before = torch.cuda.memory_reserved(), torch.cuda.memory_allocated()
    kept = [scaled(x, w) for _ in range(3)]
    assert torch.cuda.memory_allocated() - before == 3 * x.numel() * 4, "kept outputs are freed, returned ones counted"
    del kept
    for _ in range(10000):
        scaled(x[:4], w)
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before and torch.cuda.memory_reserved() - held < 64 << 20


def bare() -> None:
    def f(x, w):
        y, kept = torch.empty_like(x), torch.empty_like(x)
        scaled_kernel[-(-x.numel() // 64), 64](x, w, y, kept, x.numel(), x.shape[-1], 2.0)
        return y + kept

    x, w = drawn(8, 7), drawn(7)
    for n in (8, 5):
        x = drawn(n, 7)
        torch.testing.assert_close(torch.compile(f, fullgraph=True)(x, w), 2 * x * w + 2 * w)


def opcheck() -> None:
    name = scaled.full_name.split("::")
    operator = getattr(getattr(torch.ops, name[0]), name[1]).default
    found = torch.library.opcheck(operator, (drawn(4, 7, grad=True), drawn(7, grad=True), 2.0, "(1, 2)", False))
    assert set(found.values()) == {"SUCCESS"}, found


def autocast() -> None:
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert scaled(drawn(4, 7), torch.ones(7, device="cuda")).dtype == torch.float32


def views() -> None:
    x, w = drawn(8, 7), drawn(7)
    outs = [torch.zeros_like(x) for _ in range(2)]
    buffers = [xla.Buffer(t.data_ptr(), tuple(t.shape), "float32") for t in (x, w, *outs)]
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    text = jax_calls._said(scaled, scaled.signature.defaults, (True, True))
    room = Room("cuda")
    jax_calls.serve(text, buffers[:2], buffers[2:], "cuda", stream.cuda_stream, room)
    stream.synchronize()
    torch.testing.assert_close(outs[0], 2 * x * w)
    view = jax_calls._on_gpu("cuda:0", room)(buffers[0])
    assert view[2:, 1].shape == (6,) and view[2:, 1].address == x[2:, 1].data_ptr() and view.T.strides == (4, 28)
    with streams.entered(stream.cuda_stream):
        turned, sums = view.T.copy(), np.sum(view, 0)
        ones = np.ones((3, 2), np.float32, like=view)
    stream.synchronize()
    for made, want in ((turned, x.T), (sums, x.sum(0)), (ones, torch.ones(3, 2))):
        kept = next(t for t in room.taken if t.data_ptr() <= made.address < t.data_ptr() + t.numel())
        data = kept[made.address - kept.data_ptr() :][: made.nbytes].view(torch.float32)
        torch.testing.assert_close(data.reshape(made.shape).cpu(), want.cpu())
    assert view.reshape(-1).shape == (56,) and str(view.dtype) == "float32" and isinstance(view.size, (int, np.integer))


def main() -> int:
    failed = 0
    checks = {
        "eager and gradients": eager, "torch.compile": compiled, "CUDA graphs": graphs, "memory": memory, "bare launches": bare,
        "torch.compile, reduce-overhead": lambda: compiled(mode="reduce-overhead"), "opcheck": opcheck, "autocast": autocast, "views": views,
    }  # fmt: skip
    for name, check in checks.items():
        try:
            check()
            print(f"ok    {name}")
        except Exception:
            failed += 1
            print(f"FAIL  {name}\n{traceback.format_exc()[-1500:]}")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main()))
