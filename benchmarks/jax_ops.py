"""`avelang.ops` in programs of JAX on a GPU, beside JAX's own: products, attention, norms, softmax, losses, groups of
rows, and what a small call takes the host.

    python benchmarks/jax_ops.py [--only matmul|attention|rows|losses|groups|host] [--seconds 1.5]
                                 [--platform gpu|cpu]

All are jitted. Contenders take turns, in a new order each round, for so many seconds a row; a round is so many calls in
a row that it takes 20 ms or more, with one wait at its end. So what a call takes the host counts where it is more than
the device's time, and inputs that fit in L2 are there. Medians. Before that every result is held against the same in
f32, of random inputs. Attention: JAX's has (batch, length, heads, d), ours (batch, heads, length, d); each is given its
own order, and `ours turned` JAX's. Backward: with the forward, of a random gradient.
`--platform cpu` tries the script itself on tiny sizes; its figures are not kept."""

from __future__ import annotations

import argparse
import functools
import math
import os
import random
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # others may be on this GPU, too

from harness import Figures, Part, bursts, main, medians, repeated, table

from avelang import ops

ROUND = 0.02  # seconds
NOISE = 0.02  # the greatest error of one of ours, by the norm of what is wanted
Call = tuple[Callable[..., Any], tuple[Any, ...]]  # a function, which is jitted, and its arguments


def jax_() -> Any:
    """JAX, of whose functions a checker knows a part."""
    import jax

    return jax


class Bench:
    """Rows of one part: arrays, checks, times."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.jax = jax_()
        self.tiny, self.seconds, self.rows = args.platform == "cpu", args.seconds, list[Figures]()
        self.device = self.jax.devices(args.platform)[0]
        self.key = self.jax.random.key(0)

    def normal(self, *shape: int, dtype: str = "bfloat16", scale: float = 1.0) -> Any:
        """Random normal numbers on the device."""
        self.key, key = self.jax.random.split(self.key)
        with self.jax.default_device(self.device):
            return (self.jax.random.normal(key, shape, "float32") * scale).astype(dtype)

    def shapes(self, *large: tuple[int, ...], tiny: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """The shapes to measure."""
        return (tiny,) if self.tiny else large

    def exact(self, call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """A function's results for the arguments in f32."""
        wide = [x.astype("float32") if self.jax.numpy.issubdtype(x.dtype, self.jax.numpy.floating) else x for x in args]
        with self.jax.default_matmul_precision("highest"):
            return self.jax.jit(call)(*wide)

    def row(self, op: str, shape: tuple[int, ...], calls: dict[str, Call], want: Any, part: Any = lambda y: y,
            flops: float = 0.0, nbytes: float = 0.0) -> None:  # fmt: skip
        """Checks and times the contenders. part: of a contender's results, what is held against `want`."""
        ready, errors = {}, {}
        for name, (call, args) in calls.items():
            ready[name] = functools.partial(self.jax.jit(call), *args)
            try:
                errors[name] = error(self.jax, part(ready[name]()), want)
            except Exception as e:  # a peer that this machine, or this shape, does not have
                if name.startswith("ours"):
                    raise
                print(f"{name} of {op} {shape}: {type(e).__name__}: {str(e)[:150]}", flush=True)
                del ready[name]
                continue
            assert errors[name] < NOISE or not name.startswith("ours"), f"{name} of {op} {shape}: off by {errors[name]}"
        us = medians(in_rounds(self.jax, ready, self.seconds))
        more = {"tflops": {n: flops / t / 1e6 for n, t in us.items()}} if flops else {}
        more |= {"tbs": {n: nbytes / t / 1e6 for n, t in us.items()}} if nbytes else {}
        self.rows.append({"op": op, "shape": list(shape), "us": us, "errors": errors, **more})
        print(op, shape, {n: f"{t:.1f} us" for n, t in us.items()}, flush=True)

    def record(self) -> Figures:
        """What was measured, and where."""
        client = self.device.client
        flags = os.environ.get("XLA_FLAGS", "")
        where = {"gpu": self.device.device_kind, "platform": client.platform_version, "jax": self.jax.__version__,
                 "xla_flags": flags, "seconds": self.seconds}  # fmt: skip
        return {"device": where, "rows": self.rows}


def error(jax: Any, got: Any, want: Any) -> float:
    """The greatest difference of an array from what is wanted, by the norm; NaN counts as infinite."""
    jnp, worst = jax.numpy, 0.0

    def square(x: Any) -> Any:
        return jnp.square(x.astype(jnp.float32)).sum()

    # On the device: some of the arrays have GiB.
    both = jax.jit(lambda g, w: (square(g.astype(jnp.float32) - w.astype(jnp.float32)), square(w)))
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert g.shape == w.shape, (g.shape, w.shape)
        off, size = map(float, both(g, w))
        worst = max(worst, (off / max(size, 1e-18)) ** 0.5 if math.isfinite(off) else math.inf)
    return worst


def in_rounds(jax: Any, calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, list[float]]:
    """Microseconds a call, round by round, until the seconds are over; five rounds at the least."""

    def spent(call: Callable[[], Any], count: int) -> float:
        start, out = time.perf_counter(), None
        for _ in range(count):
            out = call()
        jax.block_until_ready(out)
        return time.perf_counter() - start

    counts = {}
    for name, call in calls.items():
        spent(call, 2)
        counts[name] = 1
        while (took := spent(call, counts[name])) < ROUND:
            counts[name] = max(counts[name] + 1, min(8 * counts[name], math.ceil(1.2 * counts[name] * ROUND / took)))
    times: dict[str, list[float]] = {name: [] for name in calls}
    end, turn = time.perf_counter() + seconds, 0
    while turn < 5 or time.perf_counter() < end:
        for name, call in random.sample(list(calls.items()), len(calls)):
            times[name].append(spent(call, counts[name]) / counts[name] * 1e6)
        turn += 1
    return times


def backward(jax: Any, call: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the arguments and of a gradient: the gradients of the arguments."""
    return lambda *args: jax.vjp(call, *args[:-1])[1](args[-1])


def matmul(args: argparse.Namespace) -> Figures:
    """Products in bf16, of row-major matrices and with a weight (n, k)."""
    b = Bench(args)
    large = ((8192, 8192, 8192), (4096, 4096, 4096), (1024, 4096, 4096), (4091, 4093, 4099), (72, 19816, 19048),
             (1, 14336, 4096), (16, 14336, 4096), (128, 28672, 4096), (333, 7777, 5555))  # fmt: skip
    for m, n, k in b.shapes(*large, tiny=(24, 32, 40)):
        x, y = b.normal(m, k), b.normal(k, n)
        calls = {"ours": (ops.matmul, (x, y)), "jax": (b.jax.numpy.matmul, (x, y))}
        b.row("a @ b", (m, n, k), calls, b.exact(b.jax.numpy.matmul, (x, y)), flops=2 * m * n * k)
        w = b.normal(n, k)
        theirs = lambda x, w: x @ w.T  # noqa: E731
        calls = {"ours": (ops.linear, (x, w)), "jax": (theirs, (x, w))}
        b.row("x @ w.T", (m, n, k), calls, b.exact(theirs, (x, w)), flops=2 * m * n * k)
    return b.record()


def attention(args: argparse.Namespace) -> Figures:
    """Causal attention in bf16, forward, and forward and backward."""
    b, peers = Bench(args), ("xla",) if args.platform == "cpu" else ("cudnn", "xla")
    turned = functools.partial(b.jax.numpy.swapaxes, axis1=1, axis2=2)

    def ours(q: Any, k: Any, v: Any) -> Any:
        return ops.attention(q, k, v, is_causal=True, enable_gqa=True)

    def ours_turned(q: Any, k: Any, v: Any) -> Any:
        return turned(ours(turned(q), turned(k), turned(v)))

    def theirs(q: Any, k: Any, v: Any, which: str = "xla") -> Any:
        return b.jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation=which)

    large = ((2, 4096, 32, 32, 128), (1, 16384, 16, 16, 128), (8, 1024, 16, 16, 64), (2, 4096, 32, 8, 128),
             (3, 1111, 8, 8, 128))  # fmt: skip
    for n, length, heads, kv, d in b.shapes(*large, tiny=(1, 17, 4, 2, 32)):
        q, g = (b.normal(n, length, heads, d) for _ in range(2))
        k, v = (b.normal(n, length, kv, d) for _ in range(2))
        mine = tuple(turned(x) + 0 for x in (q, k, v, g))
        # Held against the first heads of the first sequence: in f32, all scores of a head lie in memory.
        few, group = slice(0, heads // kv), heads // kv
        first = (q[:1, :, few], k[:1, :, :1], v[:1, :, :1], g[:1, :, few])
        flops = 2 * n * heads * length * length * d  # half of the scores' products and of those with V
        both = {name: (call, a) for name, call, a in (("ours", ours, mine), ("ours turned", ours_turned, (q, k, v, g)),
                *((p, functools.partial(theirs, which=p), (q, k, v, g)) for p in peers))}  # fmt: skip

        def cut(y: Any, length: int = length, heads: int = heads, group: int = group) -> Any:
            found = []
            for x in y if isinstance(y, (tuple, list)) else (y,):
                x = x if x.shape[1] == length else turned(x)
                found.append(x[:1, :, : group if x.shape[2] == heads else 1])
            return found

        shape = (n, length, heads, kv, d)
        calls = {name: (call, a[:3]) for name, (call, a) in both.items()}
        b.row("forward", shape, calls, [b.exact(theirs, first[:3])], cut, flops)
        calls = {name: (backward(b.jax, call), a) for name, (call, a) in both.items()}
        b.row("forward and backward", shape, calls, list(b.exact(backward(b.jax, theirs), first)), cut, 3.5 * flops)
    return b.record()


def rows(args: argparse.Namespace) -> Figures:
    """Norms, softmax and a gate in bf16, forward, and forward and backward."""
    b = Bench(args)
    jax, jnp = b.jax, b.jax.numpy

    def rms(x: Any, w: Any) -> Any:
        wide = x.astype(jnp.float32)
        return (wide * jax.lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-6) * w).astype(x.dtype)

    def layer(x: Any, w: Any) -> Any:
        wide = x.astype(jnp.float32)
        wide = wide - wide.mean(-1, keepdims=True)
        return (wide * jax.lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-5) * w).astype(x.dtype)

    def gate(x: Any, y: Any) -> Any:
        wide = x.astype(jnp.float32)
        return (jax.nn.silu(wide) * y).astype(x.dtype)

    for shape in b.shapes((8192, 4096), (65536, 1024), (4096, 16384), (8191, 4097), tiny=(6, 64)):
        x, w, g, y = b.normal(*shape), b.normal(shape[1]), b.normal(*shape), b.normal(*shape)
        size = 2 * math.prod(shape)
        for name, ours, theirs, given, arrays in (
            ("rms_norm", lambda x, w: ops.rms_norm(x, w, eps=1e-6), rms, (x, w), 2),
            ("layer_norm", lambda x, w: ops.layer_norm(x, w, eps=1e-5), layer, (x, w), 2),
            ("softmax", ops.softmax, lambda x: jax.nn.softmax(x.astype(jnp.float32)).astype(x.dtype), (x,), 2),
            ("swiglu", ops.swiglu, gate, (x, y), 3),
        ):
            calls = {"ours": (ours, given), "jax": (theirs, given)}
            b.row(name, shape, calls, b.exact(theirs, given), nbytes=arrays * size)
            calls = {"ours": (backward(jax, ours), (*given, g)), "jax": (backward(jax, theirs), (*given, g))}
            want = b.exact(backward(jax, theirs), (*given, g))
            b.row(f"{name}, both", shape, calls, want, nbytes=(2 * arrays + 1) * size)
    return b.record()


def losses(args: argparse.Namespace) -> Figures:
    """The cross entropy of logits, and of a linear layer, in bf16: forward, and with its gradients."""
    b = Bench(args)
    jax, jnp = b.jax, b.jax.numpy

    def theirs(x: Any, t: Any) -> Any:
        return -jnp.take_along_axis(jax.nn.log_softmax(x.astype(jnp.float32)), t[:, None], 1).mean()

    def classes(n: int, most: int) -> Any:
        b.key, key = jax.random.split(b.key)
        return jax.device_put(jax.random.randint(key, (n,), 0, most), b.device)

    for n, most in b.shapes((4096, 128256), (8192, 32000), (16384, 4096), tiny=(7, 33)):
        x, t = b.normal(n, most), classes(n, most)
        b.row("cross_entropy", (n, most), {"ours": (ops.cross_entropy, (x, t)), "jax": (theirs, (x, t))},
              b.exact(theirs, (x, t)), nbytes=2 * n * most)  # fmt: skip
        calls = {name: (jax.value_and_grad(f), (x, t)) for name, f in (("ours", ops.cross_entropy), ("jax", theirs))}
        b.row("cross_entropy, both", (n, most), calls, b.exact(jax.value_and_grad(theirs), (x, t)), nbytes=6 * n * most)

    def whole(x: Any, w: Any, t: Any) -> Any:
        return theirs(jnp.matmul(x, w.T, preferred_element_type=jnp.float32), t)

    for n, k, most in b.shapes((8192, 4096, 128256), (4096, 4096, 32000), tiny=(7, 32, 33)):
        x, w, t = b.normal(n, k), b.normal(most, k, scale=k**-0.5), classes(n, most)
        both = {"ours": ops.linear_cross_entropy, "jax": whole}
        calls = {name: (jax.value_and_grad(f, (0, 1)), (x, w, t)) for name, f in both.items()}
        want = b.exact(jax.value_and_grad(whole, (0, 1)), (x, w, t))
        b.row("linear_cross_entropy, both", (n, k, most), calls, want, flops=6 * n * k * most)
    return b.record()


def plain_groups(jax: Any) -> Callable[..., Any]:
    """`jax.lax.ragged_dot` in plain words, one group after the other: all rows times each matrix, which takes time, but
    little memory."""

    def called(x: Any, w: Any, sizes: Any) -> Any:
        jnp = jax.numpy
        row, ends = jnp.arange(x.shape[0])[:, None], jnp.cumsum(sizes)

        def added(y: Any, group: Any) -> Any:
            matrix, start, end = group
            return y + jnp.where((row >= start) & (row < end), x @ matrix, 0), None

        zeros = jnp.zeros((x.shape[0], w.shape[2]), x.dtype)
        return jax.lax.scan(added, zeros, (w, ends - sizes, ends))[0]

    return called


def layer_of_experts(jax: Any, top: int, product: Callable[..., Any]) -> Callable[..., Any]:
    """A layer of experts by `jax.lax.ragged_dot`: weights (experts, hidden, 2 inner) and (experts, inner, hidden)."""

    def called(x: Any, logits: Any, up: Any, down: Any) -> Any:
        jnp = jax.numpy
        weights, ids = jax.lax.top_k(logits.astype(jnp.float32), top)
        weights, ids = jax.nn.softmax(weights, -1), ids.reshape(-1)
        order = jnp.argsort(ids)
        sizes = jnp.bincount(ids, length=up.shape[0]).astype(jnp.int32)
        gate, value = jnp.split(product(x[order // top], up, sizes), 2, -1)
        y = product(jax.nn.silu(gate) * value, down, sizes)
        y = jnp.zeros_like(y).at[order].set(y).reshape(x.shape[0], top, -1)
        return (y.astype(jnp.float32) * weights[..., None]).sum(1).astype(x.dtype)

    return called


def groups(args: argparse.Namespace) -> Figures:
    """Products of groups of rows, and layers of experts: (tokens, experts, of a token, hidden, inner)."""
    b = Bench(args)
    jax, jnp = b.jax, b.jax.numpy
    large = ((4096, 8, 2, 4096, 14336), (4096, 128, 8, 2048, 768), (256, 128, 8, 2048, 768))
    for tokens, experts, top, hidden, inner in b.shapes(*large, tiny=(9, 4, 2, 32, 24)):
        shape = (tokens, experts, top, hidden, inner)
        x, g = b.normal(tokens * top, hidden), b.normal(tokens * top, 2 * inner)
        up, logits = b.normal(experts, hidden, 2 * inner, scale=hidden**-0.5), b.normal(tokens, experts)
        ids = jax.lax.top_k(logits, top)[1].reshape(-1)
        sizes = jnp.bincount(ids, length=experts).astype(jnp.int32)
        ends = jnp.cumsum(sizes).astype(jnp.int32)
        ours = lambda x, w, ends: ops.grouped_matmul(x, w, ends)  # noqa: E731
        flops = 4 * tokens * top * hidden * inner
        plain = plain_groups(jax)
        exact = b.exact(plain, (x, up, sizes))
        calls = {"ours": (ours, (x, up, ends)), "jax": (jax.lax.ragged_dot, (x, up, sizes))}
        b.row("grouped_matmul", shape, calls, exact, flops=flops)

        def gradients(call: Callable[..., Any], x: Any, w: Any, at: Any, g: Any) -> Any:
            return jax.vjp(lambda x, w: call(x, w, at), x, w)[1](g)

        both = {"ours": (ours, ends), "jax": (jax.lax.ragged_dot, sizes)}
        calls = {name: (functools.partial(gradients, f), (x, up, at, g)) for name, (f, at) in both.items()}
        want = b.exact(functools.partial(gradients, plain), (x, up, sizes, g))
        b.row("grouped_matmul, gradients", shape, calls, want, flops=2 * flops)
        down = b.normal(experts, inner, hidden, scale=inner**-0.5)
        few, turned = x[:tokens] + 0, [jnp.swapaxes(w, 1, 2) + 0 for w in (up, down)]
        theirs, exact = (layer_of_experts(jax, top, f) for f in (jax.lax.ragged_dot, plain))
        calls = {"ours": (lambda *a, top=top: ops.moe(*a, top_k=top), (few, logits, *turned)),
                 "jax": (theirs, (few, logits, up, down))}  # fmt: skip
        b.row("moe", shape, calls, b.exact(exact, (few, logits, up, down)), flops=1.5 * flops)
    return b.record()


def host(args: argparse.Namespace) -> Figures:
    """Microseconds of the host for a small call, that is not waited for, and a call's share of a program of many."""
    b = Bench(args)
    jax = b.jax
    x, many = b.normal(128, 128, scale=0.1), 50

    def chain(f: Callable[..., Any]) -> Callable[..., Any]:
        def called(x: Any) -> Any:
            for _ in range(many):
                x = f(x)
            return x

        return called

    for name, ours, theirs in (
        ("softmax", ops.softmax, lambda x: jax.nn.softmax(x.astype("float32")).astype(x.dtype)),
        ("matmul", lambda x: ops.matmul(x, x), lambda x: x @ x),
    ):
        both = {"ours": jax.jit(ours), "jax": jax.jit(theirs)}
        for f in both.values():
            jax.block_until_ready(f(x))
        runs = {n: repeated(functools.partial(f, x)) for n, f in both.items()}
        # A burst is short: no call of it waits for room in a queue.
        times = bursts(runs, 50, max(5, int(200 * b.seconds)), wait=lambda: (time.sleep(0.002), jax.effects_barrier()))
        us = {n: t / 1e3 for n, t in medians(times).items()}
        b.rows.append({"op": f"{name}, enqueued", "shape": list(x.shape), "us": us})
        print(name, "enqueued", us, flush=True)
        whole = {n: functools.partial(jax.jit(chain(f)), x) for n, f in (("ours", ours), ("jax", theirs))}
        us = {n: t / many for n, t in medians(in_rounds(jax, whole, b.seconds)).items()}
        b.rows.append({"op": f"{name}, one of {many}", "shape": list(x.shape), "us": us})
        print(name, f"one of {many}", us, flush=True)
    return b.record()


def shown(record: Figures) -> str:
    """The table: times, speeds, and how many times as fast as the best of JAX's we are."""
    lines = [("operation", "shape", "ours, us", "JAX's, us", "TFLOP/s or TB/s", "JAX's time / ours")]
    for r in record["rows"]:
        mine = {n: t for n, t in r["us"].items() if n.startswith("ours")}
        theirs = {n: t for n, t in r["us"].items() if n not in mine}
        speed = r.get("tflops") or r.get("tbs") or {}
        lines.append((r["op"], " x ".join(map(str, r["shape"])), ", ".join(f"{t:.1f}" for t in mine.values()),
                      ", ".join(f"{n} {t:.1f}" for n, t in theirs.items()), f"{speed['ours']:.2f}" if speed else "",
                      f"{min(theirs.values()) / mine['ours']:.2f}" if theirs else ""))  # fmt: skip
    return table(lines)


PARTS = {"matmul": matmul, "attention": attention, "rows": rows, "losses": losses, "groups": groups, "host": host}
MORE = {
    "--seconds": {"type": float, "default": 1.5, "help": "of a row"},
    "--platform": {"choices": ("gpu", "cpu"), "default": "gpu", "help": "cpu: tiny sizes, to try the script"},
}  # fmt: skip


def kept(record: Figures) -> bool:
    """Whether a record goes to a file: one of a GPU."""
    if record["device"]["gpu"].lower() == "cpu":
        print(shown(record))
        return False
    return True


if __name__ == "__main__":
    main(__doc__, *(Part(name, f"jax_ops_{name}", measure, shown, keep=kept) for name, measure in PARTS.items()),
         more=MORE)  # fmt: skip
