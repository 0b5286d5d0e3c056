"""Operations along axes of a mesh of JAX, on all of its devices: those of the CPU that XLA_FLAGS asks for, or GPUs (`tests/gpu/run.py` and
tests/gpu/jax_dist_check.py): `jax_axis.py PART ...`."""

import os
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P

import avelang.dist.axes
from avelang import ops
from avelang.base.errors import AveError
from avelang.ops import dist

RNG = np.random.default_rng(5)
RANKS = len(jax.devices())
GPU = jax.default_backend() != "cpu"
jax.config.update("jax_default_matmul_precision", "highest")  # what JAX computes on a GPU is rounded to TF32 else


def mesh_of(shape, names):
    kinds = {} if not hasattr(jax.sharding, "AxisType") else {"axis_types": (jax.sharding.AxisType.Auto,) * len(names)}
    return jax.make_mesh(shape, names, **kinds)


MESH = mesh_of((RANKS,), ("tp",))


def on(f, ins, outs, mesh=MESH, check=True):
    return jax.shard_map(f, mesh=mesh, in_specs=ins, out_specs=outs, check_vma=check)


def normal(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def near(got, want, tolerance=2e-5):
    tolerance *= 8 if GPU and tolerance else 1  # a product of f32 is three of bf16 there
    off = np.abs(np.asarray(got, np.float64) - want).max()
    assert off <= tolerance * (1 + np.abs(want).max()), off


def collectives():
    x, c = normal(2 * RANKS, 3 * RANKS), normal(2 * RANKS, 3 * RANKS)
    parts = x.reshape(RANKS, 2, -1)
    for check in (True, False):
        for shots in (1, 2):
            f = on(lambda x, s=shots: dist.all_reduce(x, "tp", shots=s), P("tp"), P("tp"), check=check)
            near(jax.jit(f)(x), np.tile(parts.sum(0), (RANKS, 1)))
        near(jax.grad(lambda x, f=f: (f(x) * c).sum())(x), np.tile(c.reshape(RANKS, 2, -1).sum(0), (RANKS, 1)))
    assert not np.array_equal(x[:2], x[2:4])
    g = on(lambda x: dist.all_gather(x, "tp"), P("tp"), P("tp"))
    near(jax.jit(g)(x), np.tile(x, (RANKS, 1)), 0)
    h = on(lambda x: dist.reduce_scatter(x.T, "tp"), P("tp"), P("tp"))
    near(jax.jit(h)(x), parts.transpose(0, 2, 1).sum(0))
    d = normal(3 * RANKS, 2)
    near(jax.grad(lambda x: (h(x) * d).sum())(x), np.tile(d.T, (RANKS, 1)))
    # In a loop, several independent ones in a program, and many runs that nobody waits for.
    def many(x):
        a, b = dist.all_reduce(x, "tp"), dist.all_reduce(2 * x, "tp")
        return jax.lax.scan(lambda y, _: (dist.all_reduce(y, "tp") / RANKS, None), a + b, None, length=5)[0]
    runs = [jax.jit(on(many, P("tp"), P("tp")))(x * i) for i in range(8)]
    for i, got in enumerate(runs):
        near(got, 3 * i * np.tile(parts.sum(0), (RANKS, 1)))


def products():
    x, w, c = normal(3 * RANKS, 16), normal(4 * RANKS, 16), normal(3 * RANKS, 4 * RANKS)
    for fuse in (False, True):
        f = on(lambda x, w, fuse=fuse: dist.all_gather_matmul(x, w.T, "tp", fuse=fuse), (P("tp"), P("tp")), P(None, "tp"))
        near(jax.jit(f)(x, w), x @ w.T)
        grads = jax.jit(jax.grad(lambda x, w, f=f: (f(x, w) * c).sum(), (0, 1)))(x, w)
        near(grads[0], c @ w)
        near(grads[1], c.T @ x)
    x, w, c = normal(16 * RANKS, 4 * RANKS), normal(4 * RANKS, 8), normal(16 * RANKS, 8)
    for fuse in (False, True):
        f = on(lambda x, w, fuse=fuse: dist.matmul_reduce_scatter(x, w, "tp", fuse=fuse), (P(None, "tp"), P("tp")), P("tp"))
        near(jax.jit(f)(x, w), x @ w)
        grads = jax.grad(lambda x, w, f=f: (f(x, w) * c).sum(), (0, 1))(x, w)
        near(grads[0], c @ w.T)
        near(grads[1], x.T @ c)
    f = on(lambda x, w: dist.matmul_all_reduce(x, w, "tp"), (P(None, "tp"), P("tp")), P("tp"))
    near(jax.jit(f)(x, w), np.tile(x @ w, (RANKS, 1)))


def ring():
    n, (q, k, v, c) = 4, (normal(1, 2, 4 * RANKS, 16) for _ in range(4))
    order = np.concatenate([dist.sequence.ring.positions("zigzag", r, RANKS, n) for r in range(RANKS)])
    spec = P(None, None, "tp")
    f = on(lambda q, k, v: dist.ring_attention(q, k, v, "tp", is_causal=True, layout="zigzag"), (spec,) * 3, spec)
    at = jax.jit(on(lambda: dist.ring_positions(n, "tp", "zigzag"), (), P("tp")))()
    assert np.array_equal(at, order)

    def whole(q, k, v):
        s = jnp.where(np.tri(n * RANKS, dtype=bool), jnp.einsum("bhqd,bhkd->bhqk", q, k) / 4, -jnp.inf)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, -1), v)

    def split(q, k, v):
        return f(*(x[:, :, order] for x in (q, k, v)))[:, :, np.argsort(order)]

    near(jax.jit(split)(q, k, v), whole(q, k, v))
    for got, want in zip(*(jax.grad(lambda *a, g=g: (g(*a) * c).sum(), (0, 1, 2))(q, k, v) for g in (split, whole)), strict=True):
        near(got, np.asarray(want, np.float64), 1e-4)


def several():
    """Two axes: groups along one of them are apart; both together are one."""
    mesh, x = mesh_of((2, RANKS // 2), ("dp", "tp")), normal(2, RANKS // 2, 8)
    f = on(lambda x: dist.all_reduce(x, "tp"), P("dp", "tp"), P("dp", "tp"), mesh)
    near(jax.jit(f)(x), np.repeat(x.sum(1, keepdims=True), RANKS // 2, 1))
    f = on(lambda x: dist.all_reduce(x, "dp"), P("dp", "tp"), P("dp", "tp"), mesh)
    near(jax.jit(f)(x), np.repeat(x.sum(0, keepdims=True), 2, 0))
    f = on(lambda x: dist.all_reduce(x, ("dp", "tp")), P("dp", "tp"), P("dp", "tp"), mesh)
    near(jax.jit(f)(x), np.broadcast_to(x.sum((0, 1)), x.shape))
    for f in (lambda: dist.all_reduce(x, "tp"), lambda: jax.jit(lambda x: dist.all_reduce(x, "tp"))(x)):
        try:
            f()
        except AveError as e:
            assert e.code == "L066" and "no axis of a mesh" in str(e)
        else:
            raise AssertionError("there was no axis")


def absent():
    """A device that does not come: the others' wait ends, and says so; the next call works."""
    avelang.dist.axes.LIMIT = 1.0

    def f(x):
        return jax.lax.cond(jax.lax.axis_index("tp") == 1, lambda x: x, lambda x: dist.all_reduce(x, "tp"), x)

    x, begun = normal(RANKS, 8), time.monotonic()
    near(jax.jit(on(lambda x: dist.all_reduce(x, "tp"), P("tp"), P("tp")))(x), np.tile(x.sum(0), (RANKS, 1)))
    begun = time.monotonic()
    try:
        jax.jit(on(f, P("tp"), P("tp"), check=False))(x).block_until_ready()
    except Exception as e:
        assert ("L083" if GPU else "L080") in str(e) and "for rank 1" in str(e), e
    else:
        raise AssertionError("it did not wait")
    assert time.monotonic() - begun < 60
    near(jax.jit(on(lambda x: dist.all_reduce(3 * x, "tp"), P("tp"), P("tp")))(x), np.tile(3 * x.sum(0), (RANKS, 1)))


def experts():
    """Experts over ranks against the same layer on one, and its gradients; rows that go out and come back."""
    tokens, hidden, inner, count, top_k = 6, 64, 32, 2 * RANKS, min(3, RANKS + 1)
    x, c = jnp.asarray(normal(RANKS * tokens, hidden), jnp.bfloat16), normal(RANKS * tokens, hidden)
    logits, w13 = normal(RANKS * tokens, count), jnp.asarray(normal(count, 2 * inner, hidden) / 8, jnp.bfloat16)
    w2, rows = jnp.asarray(normal(count, hidden, inner) / 6, jnp.bfloat16), P("tp")

    def layer(x, logits, w13, w2):
        return dist.moe(x, logits, w13, w2, "tp", top_k=top_k)

    def one(x, logits, w13, w2):
        return ops.moe(x, logits, w13, w2, top_k=top_k)

    def loss(f):
        return jax.jit(jax.grad(lambda *a: (f(*a).astype(jnp.float32) * c).sum(), (0, 1, 2, 3)))

    split = on(layer, (rows,) * 4, rows)
    for got, want in zip([jax.jit(split)(x, logits, w13, w2), *loss(split)(x, logits, w13, w2)], [one(x, logits, w13, w2), *loss(one)(x, logits, w13, w2)]):
        near(got, np.asarray(want, np.float64), 2.0**-7 if GPU else 0)

    def there_and_back(x, ids):
        sent = dist.moe_dispatch(x, ids, "tp", experts=count)
        return dist.moe_combine(sent.rows * 2, None, sent.handle, "tp"), sent.ends

    ids = RNG.integers(0, count, (RANKS * tokens, top_k)).astype(np.int32)
    back, ends = jax.jit(on(there_and_back, (rows, rows), (rows, rows)))(x, ids)
    near(back, 2 * top_k * np.asarray(x, np.float64), 2.0**-7)
    each = np.stack([np.bincount(np.clip(ids.ravel() - 2 * r, -1, 2) + 1, minlength=4)[1:3] for r in range(RANKS)])
    assert np.array_equal(np.asarray(ends).reshape(RANKS, 2), each.cumsum(1))
    try:
        jax.jit(on(lambda *a: dist.moe(*a, "tp", top_k=top_k, fuse=True), (rows,) * 4, rows))(x, logits, w13, w2)
    except AveError as e:
        assert e.code == "L066" and "fuse=True" in str(e)
    else:
        raise AssertionError("fuse=True was taken")


def sizes():
    """Drawn sizes in bf16, jitted, run again and again with other values."""
    rng, bf16 = np.random.default_rng(3), jnp.bfloat16
    for i in range(3 if not GPU else 12):
        m, n, k = (int(2 ** rng.uniform(4, 6 if not GPU else 11)) // 16 * 16 for _ in range(3))
        fuse = (None, True, False)[i % 3]
        gather = jax.jit(on(lambda x, w, fuse=fuse: dist.all_gather_matmul(x, w.T, "tp", fuse=fuse), (P("tp"), P("tp")), P(None, "tp")))
        scatter = jax.jit(on(lambda x, w, fuse=fuse: dist.matmul_reduce_scatter(x, w, "tp", fuse=fuse), (P(None, "tp"), P("tp")), P("tp")))
        for _ in range(3):
            x, w = (jnp.asarray(normal(rows * RANKS, k), bf16) for rows in (m, n))
            near(gather(x, w), np.asarray(x, np.float64) @ np.asarray(w, np.float64).T, 2.0**-7)
            x, w = jnp.asarray(normal(m * RANKS, k * RANKS), bf16), jnp.asarray(normal(k * RANKS, n), bf16)
            near(scatter(x, w), np.asarray(x, np.float64) @ np.asarray(w, np.float64), 2.0**-6)


assert GPU or f"device_count={RANKS}" in os.environ["XLA_FLAGS"]
for part in sys.argv[1:]:
    globals()[part]()
    print(part, "is right")
