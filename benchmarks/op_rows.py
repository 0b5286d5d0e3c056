"""Row operations of `avelang.ops` on a GPU, beside torch eager and torch.compile: bytes that must be moved a second.

    python benchmarks/op_rows.py [--only norms|norm_gradients|softmax|gated|rotary|losses|linear] [--rounds 20]
                                 [--eager]

One run, contenders in turn and in a new order each round, L2 full of other data, medians of device time. Gradients are
torch's own `autograd.grad` of each contender's result, weights included. Before that every result is held against
float64 (of `linear`: against torch's loss), in memory that was full of NaN. bf16; random normal numbers. `linear` is a
linear layer and its cross entropy, forward and backward, with the memory that a call takes beside its results."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from typing import Any

import torch
from harness import GpuClock, Part, main, medians, table

from avelang import ops

NORMS = ((8192, 4096), (16384, 8192), (4096, 16384), (65536, 1024), (8191, 4097), (512, 131072))
ROWS = ((8192, 4096), (65536, 1024), (4096, 16384), (1024, 128256))
LOSSES = ((4096, 128256), (8192, 32000), (16384, 4096))
ROTARY = ((2, 32, 8, 4096, 128), (8, 32, 32, 2048, 64))
NOISE = 0.02  # the greatest error, by the root of the mean square


def normal(*shape: int) -> Any:
    """Random normal numbers in bf16."""
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def apart(got: Any, want: Any) -> float:
    """The greatest difference, by the root of the mean square of what is wanted and 1/100 of each."""
    want = want.double()
    scale = want.square().mean().sqrt()
    return float(((got.double() - want).abs() / (scale + want.abs())).max()) if got.numel() else 0.0


def checked(name: str, got: Any, want: Any, most: float = NOISE) -> None:
    """Raises AssertionError where our results are not what is wanted."""
    for g, w in zip(got if isinstance(got, (tuple, list)) else (got,), want, strict=True):
        error = apart(g, w)
        assert error < most or not name.startswith("ours"), f"{name}: off by {error}"


def poison() -> None:
    """Leaves NaN in memory that is free: what a kernel does not write shows."""
    for size in (1 << 20, 1 << 28):
        torch.full((size,), float("nan"), device="cuda", dtype=torch.bfloat16)


def row(shape: Any, nbytes: float, calls: dict[str, Callable[[], Any]], want: Any, args: argparse.Namespace) -> Any:
    """Times of the calls, and their bytes a second."""
    if args.eager:
        calls = {name: call for name, call in calls.items() if name != "compile"}
    for name, call in calls.items():
        poison()
        checked(f"{name} of {shape}", call(), want)
    us = medians(GpuClock().interleaved(calls, args.rounds))
    return {"shape": list(shape), "us": us, "tbs": {name: nbytes / t / 1e6 for name, t in us.items()}}


def compiled(call: Callable[..., Any]) -> Callable[..., Any]:
    """By torch.compile, for these shapes."""
    return torch.compile(call, dynamic=False, fullgraph=True)


def gradient(call: Callable[..., Any], *inputs: Any, dy: Any) -> Callable[[], Any]:
    """A call that differentiates what `call` makes of the inputs."""
    given, made = [x.detach().requires_grad_() for x in inputs], []

    def run() -> Any:
        if not made:
            made.append(call(*given))
        return torch.autograd.grad(made[0], given, dy, retain_graph=True)

    return run


def double_gradient(call: Callable[..., Any], *inputs: Any, dy: Any) -> Any:
    """The same in float64."""
    return gradient(call, *(x.double() for x in inputs), dy=dy.double())()


def rms(x: Any, w: Any) -> Any:
    """torch's."""
    return torch.nn.functional.rms_norm(x, x.shape[-1:], w, 1e-6)


def layer(x: Any, w: Any, b: Any) -> Any:
    """torch's."""
    return torch.nn.functional.layer_norm(x, x.shape[-1:], w, b)


def norms(args: argparse.Namespace) -> dict[str, Any]:
    """Forward."""
    rows = []
    for shape in NORMS:
        x, w, b = normal(*shape), normal(shape[1]), normal(shape[1])
        calls = {"ours": lambda x=x, w=w: ops.rms_norm(x, w), "torch": functools.partial(rms, x, w),
                 "compile": functools.partial(compiled(rms), x, w)}  # fmt: skip
        rows.append({"op": "rms_norm"} | row(shape, 4 * x.numel(), calls, [rms(x.double(), w.double())], args))
        calls = {"ours": lambda x=x, w=w, b=b: ops.layer_norm(x, w, b), "torch": functools.partial(layer, x, w, b),
                 "compile": functools.partial(compiled(layer), x, w, b)}  # fmt: skip
        want = [layer(x.double(), w.double(), b.double())]
        rows.append({"op": "layer_norm"} | row(shape, 4 * x.numel(), calls, want, args))
    return {"rows": rows}


def norm_gradients(args: argparse.Namespace) -> dict[str, Any]:
    """Backward."""
    rows = []
    for shape in NORMS:
        x, w, b, dy = normal(*shape), normal(shape[1]), normal(shape[1]), normal(*shape)
        for op, ours, theirs, given in (("rms_norm", ops.rms_norm, rms, (x, w)),
                                        ("layer_norm", ops.layer_norm, layer, (x, w, b))):  # fmt: skip
            calls = {"ours": gradient(ours, *given, dy=dy), "torch": gradient(theirs, *given, dy=dy),
                     "compile": gradient(compiled(theirs), *given, dy=dy)}  # fmt: skip
            want = double_gradient(theirs, *given, dy=dy)
            rows.append({"op": op + " backward"} | row(shape, 6 * x.numel(), calls, want, args))
    return {"rows": rows}


def softmax(args: argparse.Namespace) -> dict[str, Any]:
    """Forward and backward."""
    rows, theirs = [], functools.partial(torch.softmax, dim=-1)
    for shape in ROWS:
        x, dy = normal(*shape), normal(*shape)
        calls = {"ours": lambda x=x: ops.softmax(x), "torch": lambda x=x: theirs(x),
                 "compile": functools.partial(compiled(theirs), x)}  # fmt: skip
        rows.append({"op": "softmax"} | row(shape, 4 * x.numel(), calls, [theirs(x.double())], args))
        calls = {"ours": gradient(ops.softmax, x, dy=dy), "torch": gradient(theirs, x, dy=dy),
                 "compile": gradient(compiled(theirs), x, dy=dy)}  # fmt: skip
        want = double_gradient(theirs, x, dy=dy)
        rows.append({"op": "softmax backward"} | row(shape, 6 * x.numel(), calls, want, args))
    return {"rows": rows}


def gated(args: argparse.Namespace) -> dict[str, Any]:
    """SwiGLU of a packed array, forward and backward."""

    def theirs(x: Any) -> Any:
        gate, up = x.chunk(2, -1)
        return torch.nn.functional.silu(gate) * up

    rows = []
    for shape in ((8192, 28672), (65536, 2048)):
        x, dy = normal(*shape), normal(shape[0], shape[1] // 2)
        calls = {"ours": lambda x=x: ops.swiglu(x), "torch": lambda x=x: theirs(x),
                 "compile": functools.partial(compiled(theirs), x)}  # fmt: skip
        rows.append({"op": "swiglu"} | row(shape, 3 * x.numel(), calls, [theirs(x.double())], args))
        calls = {"ours": gradient(ops.swiglu, x, dy=dy), "torch": gradient(theirs, x, dy=dy),
                 "compile": gradient(compiled(theirs), x, dy=dy)}  # fmt: skip
        want = double_gradient(theirs, x, dy=dy)
        rows.append({"op": "swiglu backward"} | row(shape, 5 * x.numel(), calls, want, args))
    return {"rows": rows}


def turned(q: Any, k: Any, cos: Any, sin: Any) -> Any:
    """Hugging Face's."""

    def one(x: Any) -> Any:
        half = x.shape[-1] // 2
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin

    return one(q), one(k)


def rotary(args: argparse.Namespace) -> dict[str, Any]:
    """Queries and keys, which lie as (batch, positions, heads, d)."""
    rows = []
    for b, hq, hk, s, d in ROTARY:
        q, k = normal(b, s, hq, d).transpose(1, 2), normal(b, s, hk, d).transpose(1, 2)
        angle = torch.randn(s, d // 2, device="cuda")
        half, full = [(f(angle), f(torch.cat((angle, angle), -1))) for f in (torch.cos, torch.sin)], None
        cos, sin = half[0][0], half[1][0]
        full = half[0][1].bfloat16(), half[1][1].bfloat16()
        calls = {"ours": lambda q=q, k=k, c=cos, s=sin: ops.rotary(q, k, c, s),
                 "torch": functools.partial(turned, q, k, *full),
                 "compile": functools.partial(compiled(turned), q, k, *full)}  # fmt: skip
        want = turned(q.double(), k.double(), half[0][1].double(), half[1][1].double())
        rows.append({"op": "rotary"} | row((b, hq, hk, s, d), 4 * (q.numel() + k.numel()), calls, want, args))
    return {"rows": rows}


def losses(args: argparse.Namespace) -> dict[str, Any]:
    """Forward, and forward and backward."""
    rows, theirs = [], torch.nn.functional.cross_entropy

    def both(call: Callable[..., Any], x: Any, t: Any) -> Callable[[], Any]:
        x = x.detach().requires_grad_()
        return lambda: torch.autograd.grad(call(x, t), [x])

    for shape in LOSSES:
        x, t = normal(*shape), torch.randint(shape[1], (shape[0],), device="cuda")
        calls = {"ours": lambda x=x, t=t: ops.cross_entropy(x, t), "torch": lambda x=x, t=t: theirs(x, t),
                 "compile": functools.partial(compiled(theirs), x, t)}  # fmt: skip
        rows.append({"op": "cross_entropy"} | row(shape, 2 * x.numel(), calls, [theirs(x.double(), t)], args))
        calls = {"ours": both(ops.cross_entropy, x, t), "torch": both(theirs, x, t),
                 "compile": both(compiled(theirs), x, t)}  # fmt: skip
        want = both(theirs, x.double(), t)()
        rows.append({"op": "cross_entropy with backward"} | row(shape, 6 * x.numel(), calls, want, args))
    return {"rows": rows}


def linear(args: argparse.Namespace) -> dict[str, Any]:
    """A linear layer and its cross entropy, with the gradients of both matrices."""
    rows = []
    for n, k, classes in ((8192, 4096, 128256), (4096, 4096, 32000)):
        x, w = normal(n, k), normal(classes, k) / k**0.5
        t = torch.randint(classes, (n,), device="cuda")
        for g in (x, w):
            g.requires_grad_()

        def theirs(x: Any, w: Any, t: Any = t) -> Any:
            return torch.nn.functional.cross_entropy(x @ w.T, t)

        def both(call: Callable[..., Any], x: Any = x, w: Any = w) -> Callable[[], Any]:
            return lambda: torch.autograd.grad(call(x, w), [x, w])

        calls = {"ours": both(lambda x, w, t=t: ops.linear_cross_entropy(x, w, t)), "torch": both(theirs)}
        if not args.eager:
            calls["compile"] = both(compiled(theirs))
        extra = {}
        want = calls["torch"]()
        for name, call in calls.items():
            poison()
            checked(f"{name} of {(n, k, classes)}", call(), want, 3 * NOISE)  # both are rounded to bf16, in parts
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            held = torch.cuda.memory_allocated()
            made = call()
            torch.cuda.synchronize()
            extra[name] = (torch.cuda.max_memory_allocated() - held - 2 * (x.numel() + w.numel())) / 2**30
            del made
        us = medians(GpuClock().interleaved(calls, args.rounds, batch=2))
        rows.append({"op": "linear_cross_entropy", "shape": [n, k, classes], "us": us, "GiB": extra,
                     "tflops": {name: 6 * n * k * classes / t / 1e6 for name, t in us.items()}})  # fmt: skip
    return {"rows": rows}


def shown_linear(record: dict[str, Any]) -> str:
    """The table."""
    lines = [("shape", "", "ms", "TFLOP/s", "GiB beside results")]
    for r in record["rows"]:
        lines += [(" x ".join(map(str, r["shape"])), name, f"{t / 1000:.2f}", f"{r['tflops'][name]:.0f}",
                   f"{r['GiB'][name]:.2f}") for name, t in r["us"].items()]  # fmt: skip
    return table(lines)


def shown(record: dict[str, Any]) -> str:
    """The table."""
    names = list(record["rows"][0]["us"])
    lines = [("operation", "shape", *(f"{n}, TB/s" for n in names), *(f"{n}, us" for n in names))]
    for r in record["rows"]:
        lines.append((r["op"], " x ".join(map(str, r["shape"])), *(f"{r['tbs'][n]:.2f}" for n in names),
                      *(f"{r['us'][n]:.1f}" for n in names)))  # fmt: skip
    return table(lines)


PARTS = {"norms": norms, "norm_gradients": norm_gradients, "softmax": softmax, "gated": gated, "rotary": rotary,
         "losses": losses}  # fmt: skip

if __name__ == "__main__":
    main(__doc__, *(Part(name, f"op_rows_{name}", measure, shown, gpu=True) for name, measure in PARTS.items()),
         Part("linear", "op_rows_linear", linear, shown_linear, gpu=True),
         rounds=20, more={"--eager": {"action": "store_true", "help": "without torch.compile"}})  # fmt: skip
