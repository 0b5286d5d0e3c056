"""Programs of JAX with Ave's operations, as users write them, beside the same in JAX's own words: `jax_check.py` runs them on a GPU.

A program is a function of a device. Some of them are larger on a GPU than on the CPU."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from tests.bridge.operations import scaled, scaled_kernel

from avelang import ops
from avelang.base.errors import AveError
from avelang.bridge import Array, op
from avelang.ptx import Tile, kernel, ptx, reg
from avelang.ptx.types import f32
from ops.test_jax import norm, softmax_attention

PROGRAMS: dict[str, Callable[[Any], None]] = {}


class NotHere(Exception):
    """Why a program says nothing on this machine."""


def program(f: Callable[[Any], None]) -> Callable[[Any], None]:
    PROGRAMS[f.__name__] = f
    return f


def drawn(device: Any, *shape: int, seed: int = 0, dtype: Any = np.float32) -> jax.Array:
    return jax.device_put(np.random.default_rng((seed, *shape)).standard_normal(shape, np.float32).astype(dtype), device)


def near(got: Any, want: Any, most: float = 1e-5) -> None:
    """Leaf by leaf: equal but for a part of the norm. Raises AssertionError."""
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        g, w = np.asarray(g, np.float64), np.asarray(w, np.float64)
        assert g.shape == w.shape, (g.shape, w.shape)
        off = np.linalg.norm(g - w) / max(np.linalg.norm(w), 1e-6)
        assert off <= most, f"off by {off:.2e}"


def large(device: Any, gpu: Any, cpu: Any) -> Any:
    return cpu if device.platform == "cpu" else gpu


def exact(f: Callable[..., Any]) -> Callable[..., Any]:
    """JAX's own products in full f32."""

    def called(*args: Any) -> Any:
        with jax.default_matmul_precision("highest"):
            return f(*args)

    return called


def times(x: Any, w: Any, factor: float = 2.0) -> Any:
    return factor * x * w


@program
def own_operation(device: Any) -> None:
    """A user's `@avelang.op` with a backward: eager, jit, grad, vmap, scan."""
    x, w = drawn(device, 5, 70), drawn(device, 70)
    rows = drawn(device, 3, 70)
    mine, theirs = both = scaled, times
    near([mine(x, w), jax.jit(mine)(x, w)], [theirs(x, w)] * 2)
    losses = [lambda x, w, f=f: (f(x, w, factor=3.0) ** 2).sum() for f in both]
    near(*(jax.jit(jax.grad(f, (0, 1)))(x, w) for f in losses))
    for axes, given in (((0, None), (x, w)), ((None, 0), (x, rows)), ((1, None), (drawn(device, 2, 4, 70), w))):
        near(*(jax.jit(jax.vmap(f, axes))(*given) for f in both))
    near(*(jax.jit(jax.vmap(jax.grad(f, (0, 1)), (None, 0)))(x, rows) for f in losses))
    near(*(jax.jit(jax.grad(lambda x, f=f: jax.lax.scan(lambda c, w: (f(c, w), c.sum()), x, rows)[0].sum()))(x) for f in both))


@program
def chain(device: Any) -> None:
    """Ave's kernels among XLA's own, many times, over large arrays: each sees what is before it on the stream."""
    n, count = large(device, 4096, 64), large(device, 200, 20)
    x, w = drawn(device, n, n), 1 + drawn(device, n) / 10

    def step(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda i, x: jnp.tanh(f(jnp.roll(x, i, 0) + 0.5, w, factor=0.3)) + 0.3 * jnp.cos(x)  # roundings die out

    mine, theirs = (jax.jit(lambda x, f=f: jax.lax.fori_loop(0, count, step(f), x)) for f in (scaled, times))
    near(mine(x), theirs(x), 1e-4)
    mine, theirs = (jax.jit(step(f)) for f in (scaled, times))
    one = two = x
    for i in range(count):  # many programs, none waited for
        one, two = mine(i, one), theirs(i, two)
    near(one, two, 1e-4)


@program
def donated(device: Any) -> None:
    """Buffers given away, and memory that was full of NaN before."""
    n = large(device, 4096, 64)
    w = 1 + drawn(device, n) / 10
    mine, theirs = (jax.jit(lambda x, f=f: f(x, w, factor=0.3) + 0.3 * jnp.sin(x), donate_argnums=0) for f in (scaled, times))
    one, two = drawn(device, n, n) + 0, drawn(device, n, n) + 0
    for _ in range(large(device, 50, 10)):
        poison = jnp.full((n, n), jnp.nan, jnp.float32, device=device)
        poison.block_until_ready()
        poison.delete()
        one, two = mine(one), theirs(two)
    near(one, two, 1e-4)
    f = jax.jit(lambda x: ops.softmax(x), donate_argnums=0)
    x = drawn(device, n, n) + 0
    near(f(x), jax.nn.softmax(drawn(device, n, n)), 1e-4)
    assert x.is_deleted()


def block(matmul: Any, attention: Any, rms_norm: Any, gate: Any) -> Callable[..., Any]:
    """A layer of a transformer: (batch, length, 128), four heads."""

    def layer(p: dict[str, Any], x: Any) -> Any:
        y = matmul(rms_norm(x, p["n1"]), p["qkv"])
        q, k, v = (z.reshape(*x.shape[:2], 4, 32).swapaxes(1, 2) for z in jnp.split(y, 3, -1))
        x = x + matmul(attention(q, k, v).swapaxes(1, 2).reshape(x.shape), p["o"])
        y = matmul(rms_norm(x, p["n2"]), p["up"])
        return x + matmul(gate(*jnp.split(y, 2, -1)), p["down"])

    return layer


MINE = block(ops.matmul, lambda q, k, v: ops.attention(q, k, v, is_causal=True), lambda x, w: ops.rms_norm(x, w, eps=1e-6), ops.swiglu)
THEIRS = exact(block(jnp.matmul, softmax_attention, norm, lambda g, u: jax.nn.silu(g) * u))


def weights(device: Any, layers: int) -> dict[str, Any]:
    shapes = {"n1": (128,), "qkv": (128, 384), "o": (128, 128), "n2": (128,), "up": (128, 512), "down": (256, 128)}
    return {n: drawn(device, layers, *s, seed=3) * (s[0] ** -0.5 if len(s) == 2 else 1.0) for n, s in shapes.items()}


def deep(layer: Callable[..., Any], wrap: Callable[..., Any] = lambda f: f) -> Callable[..., Any]:
    """The loss of layers by `lax.scan`."""
    return lambda p, x: (jax.lax.scan(lambda c, w: (wrap(layer)(w, c), None), x, p)[0] ** 2).mean()


@program
def layers(device: Any) -> None:
    """Several operations in one program whose results feed each other, with all gradients; by scan, and with checkpoints."""
    p, x = weights(device, 3), drawn(device, 2, large(device, 257, 9), 128)
    want = exact(jax.jit(jax.value_and_grad(deep(THEIRS), (0, 1))))(p, x)
    saved = functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.dots_saveable)
    for wrap in (lambda f: f, jax.checkpoint, saved):
        near(jax.jit(jax.value_and_grad(deep(MINE, wrap), (0, 1)))(p, x), want, 1e-3)
    many = jnp.stack([x, x[:, ::-1]])
    got, want = (exact(jax.jit(jax.vmap(jax.grad(deep(f), 1), (None, 0))))(p, many) for f in (MINE, THEIRS))
    near(got, want, 1e-3)


@program
def training(device: Any) -> None:
    """Steps of gradient descent with donated weights, as in JAX's own words."""
    x, found = drawn(device, 2, large(device, 129, 9), 128), []
    for f in (MINE, THEIRS):

        def step(p: Any, x: Any, f: Any = f) -> Any:
            loss, g = jax.value_and_grad(deep(f))(p, x)
            return jax.tree.map(lambda a, b: a - 0.05 * b, p, g), loss

        p, run, losses = weights(device, 2), exact(jax.jit(step, donate_argnums=0)), []
        for _ in range(large(device, 20, 4)):
            p, loss = run(p, x)
            losses.append(loss)
        found.append((p, jnp.stack(losses)))
    near(found[0], found[1], 1e-3)
    assert found[0][1][-1] < found[0][1][0]


@program
def bare_launch(device: Any) -> None:
    """`kernel[grid, block](...)` on JAX's arrays, eager: it reads what JAX has under way, and writes where it is told."""
    n = large(device, 1 << 22, 1 << 12)
    w = drawn(device, 64)
    for seed in range(3):
        x = jnp.sin(drawn(device, n // 64, 64, seed=seed)) * 2
        y, kept = jnp.zeros((n // 64, 64), device=device), jnp.zeros((n // 64, 64), device=device)
        scaled_kernel[-(-n // 64), 64](x, w, y, kept, n, 64, 3.0)
        near(y, 3 * x * w)
        near(kept, jnp.broadcast_to(3 * w, y.shape))


def saxpy() -> Any:
    @kernel(in_specs=(Tile("N", f32), Tile("N", f32), f32), out_specs=(Tile("N", f32),), grid=lambda N: (N + 127) // 128, block=128, arch="sm_80")
    def of_instructions(x: Any, y: Any, a: Any, out: Any, *, N: Any) -> None:
        px, py, po = ptx.global_ptrs(x, y, out)
        i = ptx.special.ctaid.x() * 128 + ptx.special.tid.x()
        with ptx.if_(i < N):
            value, other = reg.array(f32, 2)
            ptx.inst.ld.global_.f32(value, ptx.addr(px + i * 4))
            ptx.inst.ld.global_.f32(other, ptx.addr(py + i * 4))
            ptx.inst.fma.rn.f32(other, value, ptx.param(a), other)
            ptx.inst.st.global_.f32(ptx.addr(po + i * 4), other)
        ptx.ret()

    return of_instructions


@program
def instructions(device: Any) -> None:
    """A kernel of the instruction level under jit, vmap and scan, and with a gradient by `jax.custom_vjp`."""
    k, (x, y) = saxpy(), (drawn(device, 1000, seed=s) for s in range(2))
    near([k(x, y, 2.0), jax.jit(lambda x, y: k(x * 1, y, 2.0) + 0)(x, y)], [2 * x + y] * 2)
    rows = drawn(device, 3, 200)
    near(jax.jit(jax.vmap(lambda x: k(x, x, 3.0)))(rows), 4 * rows)
    near(jax.jit(lambda x: jax.lax.scan(lambda c, r: (k(c, r, 0.5), None), x, rows)[0])(rows[0]),
         jax.lax.scan(lambda c, r: (0.5 * c + r, None), rows[0], rows)[0])  # fmt: skip
    twice = jax.custom_vjp(lambda x: k(x, x, 1.0))
    twice.defvjp(lambda x: (twice(x), ()), lambda _, g: (k(g, g, 1.0),))
    near(jax.jit(jax.grad(lambda x: (twice(x) ** 2).sum()))(x), 8 * x)


@program
def exported(device: Any) -> None:
    """`jax.export`: a program as bytes, read back and called, for sizes that it did not know."""
    allowed = [export.DisabledSafetyCheck.custom_call("avelang")]
    w = drawn(device, 70)
    (rows,) = export.symbolic_shape("rows")
    with jax.default_device(device):
        kept = export.export(jax.jit(lambda x, w: jnp.cos(scaled(x, w, factor=3.0))), disabled_checks=allowed)(
            jax.ShapeDtypeStruct((rows, 70), jnp.float32), jax.ShapeDtypeStruct(w.shape, w.dtype))  # fmt: skip
    try:
        import flatbuffers  # type: ignore  # noqa: F401
    except ImportError:
        again = kept
    else:
        again = export.deserialize(kept.serialize())
    for n in (2, 33):
        x = drawn(device, n, 70)
        near(again.call(x, w), jnp.cos(3 * x * w))


@program
def compiled_ahead(device: Any) -> None:
    """Lowered and compiled from shapes alone; a jit in a jit; static arguments."""
    a = drawn(device, 40, 40)
    ahead = jax.jit(lambda a: ops.softmax(ops.matmul(a, a))).lower(jax.ShapeDtypeStruct(a.shape, a.dtype)).compile()
    want = exact(lambda a: jax.nn.softmax(a @ a))(a)
    near(ahead(jax.device_put(a, device)), want, 1e-4)
    inner = jax.jit(ops.softmax, static_argnames="dim")
    near(jax.jit(lambda a: inner(jax.jit(ops.matmul)(a, a), dim=-1))(a), want, 1e-4)
    near(jax.jit(lambda a: inner(ops.matmul(a, a), dim=0))(a), exact(lambda a: jax.nn.softmax(a @ a, 0))(a), 1e-4)


@program
def branches(device: Any) -> None:
    """`lax.cond`, `switch`, `while_loop` and `map`."""
    x = drawn(device, 6, 48)
    soft, theirs = ops.softmax, jax.nn.softmax
    for flag in (True, False):
        near(jax.jit(lambda x, flag: jax.lax.cond(flag, soft, lambda x: ops.rms_norm(x, None, eps=1e-6), x))(x, flag),
             theirs(x) if flag else norm(x, 1.0), 1e-4)  # fmt: skip
    run = lambda f: jax.jit(lambda x: jax.lax.while_loop(lambda c: c[0] < 7, lambda c: (c[0] + 1, f(c[1] * 5)), (0, x))[1])  # noqa: E731
    near(run(soft)(x), run(theirs)(x), 1e-4)
    near(jax.jit(lambda x: jax.lax.map(soft, x))(x), theirs(x), 1e-4)
    near(jax.jit(jax.vmap(lambda x, i: jax.lax.switch(i, [soft, lambda x: x], x)))(x[:2], jnp.array([0, 1])),
         jnp.stack([theirs(x[0]), x[1]]), 1e-4)  # fmt: skip


@program
def shards(device: Any) -> None:
    """`jax.shard_map` over all devices of this kind, and arrays that are split given to operations outside of it."""
    devices = jax.devices(device.platform)
    mesh = Mesh(np.array(devices), ("rows",))
    x, w = np.asarray(drawn(device, 4 * len(devices), 64)), np.asarray(drawn(device, 64, 32))
    split, whole = NamedSharding(mesh, PartitionSpec("rows")), NamedSharding(mesh, PartitionSpec())
    xs, ws = jax.device_put(x, split), jax.device_put(w, whole)
    made = jax.shard_map(ops.matmul, mesh=mesh, in_specs=(PartitionSpec("rows"), PartitionSpec()), out_specs=PartitionSpec("rows"))
    for f in (jax.jit(made), ops.matmul, jax.jit(ops.matmul)):
        near(f(xs, ws), x @ w, 1e-4)
        got = jax.jit(jax.grad(lambda x, w, f=f: (f(x, w) ** 2).sum(), (0, 1)))(xs, ws)
        near(got, (2 * (x @ w) @ w.T, 2 * x.T @ (x @ w)), 1e-3)
    if len(devices) > 1:  # each device alone, the last one too
        for d in devices:
            y = ops.matmul(jax.device_put(x, d), jax.device_put(w, d))
            assert y.devices() == {d}, y.devices()
            near(y, x @ w, 1e-4)


@program
def elsewhere(device: Any) -> None:
    """Arrays of the CPU in a process whose JAX has a GPU: they stay there."""
    cpu = jax.devices("cpu")[0]
    q = [drawn(cpu, 1, 2, 9, 32, seed=s) for s in range(3)]
    attention = lambda *q: ops.attention(*q, is_causal=True)  # noqa: E731
    for f in (attention, jax.jit(attention)):
        y = f(*q)
        assert y.devices() == {cpu}, y.devices()
        near(y, softmax_attention(*q), 1e-4)
    with jax.default_device(cpu):
        y = jax.jit(jax.grad(lambda a: ops.matmul(a, a).sum()))(np.asarray(drawn(cpu, 8, 8)))
        assert y.devices() == {cpu}, y.devices()
    near(ops.matmul(np.asarray(drawn(cpu, 8, 8)), drawn(device, 8, 8)), exact(jnp.matmul)(drawn(device, 8, 8), drawn(device, 8, 8)), 1e-4)


@program
def no_elements(device: Any) -> None:
    """Sizes of 0."""
    a = functools.partial(drawn, device)
    near(jax.jit(ops.matmul)(a(0, 64), a(64, 32)), np.zeros((0, 32)))
    near(jax.jit(ops.matmul)(a(3, 0), a(0, 32)), np.zeros((3, 32)))
    near(jax.jit(jax.grad(lambda a, b: ops.matmul(a, b).sum(), (0, 1)))(a(0, 64), a(64, 32)), (np.zeros((0, 64)), np.zeros((64, 32))))
    assert jax.jit(ops.softmax)(a(0, 5)).shape == (0, 5) and jax.jit(jax.vmap(ops.softmax))(a(0, 3, 4)).shape == (0, 3, 4)
    near(jax.jit(ops.attention)(a(1, 2, 3, 64), a(1, 2, 0, 64), a(1, 2, 0, 64)), np.zeros((1, 2, 3, 64)))
    near(jax.jit(scaled)(a(0, 7), a(7)), np.zeros((0, 7)))


@op(lambda x: Array(x.shape, x.dtype))
def fails(x: Any, out: Any) -> None:
    if x.shape[0] == 13:
        raise RuntimeError("thirteen")
    if x.shape[0] == 14:
        _ = out[0] + 1  # arithmetic is for kernels: a TypeError of views
    out[...] = x


def refused(call: Callable[[], Any], *words: str) -> None:
    """Raises AssertionError where no error with these words comes."""
    try:
        jax.block_until_ready(call())
    except Exception as e:
        assert all(w in str(e) for w in words), str(e)[:600]
    else:
        raise AssertionError(f"no error with {words}")


@program
def errors(device: Any) -> None:
    """What cannot be made is said by Ave's errors, while JAX traces or when XLA runs it, and the process goes on."""
    x, w = drawn(device, 4, 70), drawn(device, 70)
    for _ in range(3):
        refused(lambda: jax.jit(ops.matmul)(x.astype(jnp.int32), x.T.astype(jnp.int32)), "L066", "int32")
        refused(lambda: jax.jit(ops.matmul)(x, x.T.astype(jnp.bfloat16)), "L066", "bfloat16")
        refused(lambda: ops.softmax(x, out=x), "L066", "out=")
        refused(lambda: jax.jit(lambda x, f: scaled(x, w, factor=f))(x, 2.0), "L066", "factor is an array of JAX")
        refused(lambda: jax.grad(lambda x: fails(x).sum())(x), "L069")
        refused(lambda: fails(drawn(device, 13)), "thirteen")
        refused(lambda: jax.jit(lambda x: jnp.sin(fails(jnp.cos(x))) + 1)(drawn(device, 13)), "thirteen")
        if device.platform != "cpu":
            refused(lambda: fails(drawn(device, 14)), "TypeError")
        near(jax.jit(fails)(x), x)
        near(jax.jit(scaled)(x, w), times(x, w))
    try:
        ops.matmul(x, x)
    except AveError as e:
        assert e.code == "L066" and e.span is not None and e.span.file.endswith("jax_programs.py"), e.span


@program
def memory(device: Any) -> None:
    """Many calls leave nothing behind: neither arrays nor memory beside them."""
    n = large(device, 2048, 64)
    x, p, y = drawn(device, n, n, dtype=jnp.bfloat16), weights(device, 2), drawn(device, 2, 65, 128)
    product, step = jax.jit(ops.matmul), jax.jit(jax.grad(deep(MINE)))

    def many(count: int) -> tuple[int, int]:
        for _ in range(count):
            jax.block_until_ready((product(x, x), step(p, y)))
        return (device.memory_stats() or {}).get("bytes_in_use", 0), len(jax.live_arrays())

    before, after = many(20), many(large(device, 300, 30))
    assert after[1] == before[1], f"{after[1] - before[1]} arrays are left"
    assert after[0] <= before[0] + (1 << 20), f"{after[0] - before[0]} bytes are left"


@program
def transfers(device: Any) -> None:
    """Operations that ask XLA for memory, under way while copies from the CPU take what is free: the same bits each time."""
    n, k, classes = large(device, (2048, 1024, 8192), (16, 32, 33))
    x, w, y = drawn(device, n, k, dtype=jnp.bfloat16), drawn(device, classes, k, dtype=jnp.bfloat16) / 32, jnp.arange(n) % classes
    loss = jax.jit(jax.value_and_grad(ops.linear_cross_entropy, (0, 1)))
    y = jax.device_put(y.astype(jnp.int32), device)
    want = jax.block_until_ready(loss(x, w, y))
    held, full = [], np.full((large(device, 4096, 16), 2048), np.nan, np.float32)
    for _ in range(large(device, 30, 3)):
        held.append((loss(x, w, y), jax.device_put(full, device)))
        if len(held) > 4:
            near(held.pop(0)[0], want, 0.0)
    for made, _ in held:
        near(made, want, 0.0)


@program
def threads(device: Any) -> None:
    """Threads that call at once, some of them for the first time."""
    found: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            a = drawn(device, 64 + seed, 96, seed=seed)
            w = drawn(device, 96, seed=seed)
            product, own = jax.jit(lambda a: ops.softmax(ops.matmul(a, a.T))), jax.jit(scaled)
            want = exact(jax.jit(lambda a: jax.nn.softmax(a @ a.T)))(a)
            for _ in range(large(device, 100, 10)):
                near(product(a), want, 1e-3)
                near(own(a, w), times(a, w))
        except BaseException as e:
            found.append(e)

    running = [threading.Thread(target=work, args=(s % 2 * 8,)) for s in range(4)]
    for t in running:
        t.start()
    for t in running:
        t.join()
    if found:
        raise found[0]


@program
def wide_numbers(device: Any) -> None:
    """With integers and floats of 64 bits (`jax_enable_x64`)."""
    on = getattr(jax, "enable_x64", None)
    if on is None:
        raise NotHere("this JAX has no jax.enable_x64")
    with on(True):
        x, t = jnp.asarray(drawn(device, 5, 33), jnp.float64), jax.device_put(jnp.arange(5), device)
        assert x.dtype == jnp.float64 and t.dtype == jnp.int64
        near(jax.jit(ops.softmax)(x), jax.nn.softmax(x), 1e-12)
        losses = (ops.cross_entropy, lambda x, t: -jnp.take_along_axis(jax.nn.log_softmax(x), t[:, None], 1).mean())
        got, want = (jax.jit(jax.value_and_grad(f))(x, t) for f in losses)
        near(got, want, 1e-12)
        norms = (lambda x: (ops.rms_norm(x, None, eps=1e-6) ** 3).sum(), lambda x: (norm(x, 1.0) ** 3).sum())
        got, want = (jax.jit(jax.grad(f))(x) for f in norms)
        near(got, want, 1e-10)
        a = x.astype(jnp.float32)
        near(jax.jit(jax.grad(lambda a: ops.matmul(a, a.T).sum()))(a), exact(jax.grad(lambda a: (a @ a.T).sum()))(a), 1e-4)


@program
def random_weights(device: Any) -> None:
    """Dropout by a seed of JAX's: the same for a seed, in vmap too, and its part of the weights is gone."""
    q, key = drawn(device, 2, 2, 65, 64), jax.random.key(3)
    seed = jax.random.key_data(key)
    f = jax.jit(lambda q, v, seed: ops.attention(q, q, v, dropout_p=0.25, dropout_seed=seed))
    one = f(q, jnp.ones_like(q), seed)
    near(f(q, jnp.ones_like(q), seed), one, 0.0)
    assert abs(float(one.mean()) - 1) < 0.1 and float(jnp.abs(one - 1).max()) > 0.05
    assert not np.array_equal(np.asarray(f(q, jnp.ones_like(q), seed + np.uint32(1))), np.asarray(one))


@program
def checked_values(device: Any) -> None:
    """`jax.debug_nans`, `jax.disable_jit`, `jax.checking_leaks`, and JAX's strict rules of promotion."""
    x = drawn(device, 4, 33)
    with jax.debug_nans(True):
        near(jax.jit(ops.softmax)(x), jax.nn.softmax(x), 1e-4)
    with jax.disable_jit():
        near(jax.jit(ops.softmax)(x), jax.nn.softmax(x), 1e-4)
    with jax.checking_leaks():
        near(jax.jit(jax.grad(lambda x: (ops.softmax(x) ** 2).sum()))(x), jax.grad(lambda x: (jax.nn.softmax(x) ** 2).sum())(x), 1e-4)
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        q = drawn(device, 1, 2, 9, 32)
        jax.block_until_ready(jax.jit(jax.grad(lambda q: ops.attention(q, q, q, is_causal=True).sum()))(q))
        jax.block_until_ready(jax.jit(jax.grad(lambda a: ops.matmul(a, a.T).sum()))(x))
    assert math.isfinite(float(ops.softmax(x).sum()))
