"""Trains a small transformer in JAX with Ave's operations for a few steps, on one device, and split over all of them.

    pip install jax
    python examples/with_jax/train.py [--steps 5] [--hidden 64]
    XLA_FLAGS=--xla_force_host_platform_device_count=2 JAX_PLATFORMS=cpu python examples/with_jax/train.py

Split, each device has some of the heads and of the inner columns, and products of partial sums are added up over the
devices by `avelang.ops.dist`, inside of `jax.shard_map`. Both are held against the same model in JAX's own words.
"""

import argparse
import functools
import importlib
from typing import Any

import numpy as np

from avelang import ops
from avelang.ops import dist

jax: Any = importlib.import_module("jax")  # it has types in part only
jnp, P = jax.numpy, jax.sharding.PartitionSpec
HEADS, DEPTH, WORDS, LENGTH, BATCH = 4, 2, 256, 32, 4
Weights = dict[str, Any]


def made(hidden: int) -> Weights:
    """Random weights: of layers all in one array each, for `jax.lax.scan`."""
    rng = np.random.default_rng(0)
    shapes = {"qkv": (DEPTH, 3, HEADS, hidden // HEADS, hidden), "out": (DEPTH, HEADS, hidden // HEADS, hidden),
              "gate": (DEPTH, hidden, 2 * hidden), "up": (DEPTH, hidden, 2 * hidden), "down": (DEPTH, 2 * hidden, hidden)}
    weights = {name: rng.standard_normal(s) / hidden**0.5 for name, s in shapes.items()}
    weights |= {"words": rng.standard_normal((WORDS, hidden)) / hidden**0.5, "norms": np.ones((DEPTH, 2, hidden))}
    return {name: jnp.asarray(w, jnp.float32) for name, w in weights.items()}


def angles(width: int) -> tuple[Any, Any]:
    """cos and sin of rotary embeddings, (length, width / 2)."""
    at = np.arange(LENGTH)[:, None] / 10000 ** (np.arange(0, width, 2) / width)
    return jnp.cos(jnp.asarray(at, jnp.float32)), jnp.sin(jnp.asarray(at, jnp.float32))


# -- with Ave's operations ---------------------------------------------------------------------------------------------


def layer(x: Any, w: Weights, group: str | None) -> tuple[Any, None]:
    """A layer, of the heads and columns that this device has; `group`: the axis over which they are split."""
    partial = ops.matmul if group is None else functools.partial(dist.matmul_all_reduce, group=group)
    norm = functools.partial(ops.rms_norm, eps=1e-6)
    q, k, v = jnp.einsum("bsc,ihdc->ibhsd", norm(x, w["norms"][0]), w["qkv"])
    cos, sin = angles(q.shape[-1])
    q, k = ops.rotary(q, k, cos, sin)
    o = ops.attention(q, k, v, is_causal=True).swapaxes(1, 2)
    inner = w["out"].shape[0] * w["out"].shape[1]
    x = x + partial(o.reshape(-1, inner), w["out"].reshape(inner, -1)).reshape(x.shape)
    h = norm(x, w["norms"][1]).reshape(-1, x.shape[-1])
    return x + partial(ops.swiglu(ops.matmul(h, w["gate"]), ops.matmul(h, w["up"])), w["down"]).reshape(x.shape), None


def loss(weights: Weights, tokens: Any, group: str | None = None) -> Any:
    """The mean loss of the next word."""
    layers = {name: w for name, w in weights.items() if name != "words"}
    x = weights["words"][tokens[:, :-1]]
    if group is not None:  # for JAX, what the devices add up may differ between them
        x = jax.lax.pcast(x, (group,), to="varying")
    x = jax.lax.scan(functools.partial(layer, group=group), x, layers)[0]
    flat = x.reshape(-1, x.shape[-1])
    found = ops.linear_cross_entropy(flat, weights["words"], tokens[:, 1:].reshape(-1))
    if group is None:
        return found
    # What all devices compute is differentiated as their sum; each has the same loss.
    return jax.lax.pmean(found, group)


# -- in JAX's own words ------------------------------------------------------------------------------------------------


def plain_loss(weights: Weights, tokens: Any) -> Any:
    """The same without Ave."""
    def norm(x: Any, w: Any) -> Any:
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w

    def turned(x: Any) -> Any:
        cos, sin = angles(x.shape[-1])
        one, two = jnp.split(x, 2, -1)
        return jnp.concatenate([one * cos - two * sin, two * cos + one * sin], -1)

    x = weights["words"][tokens[:, :-1]]
    for i in range(DEPTH):
        q, k, v = jnp.einsum("bsc,ihdc->ibhsd", norm(x, weights["norms"][i, 0]), weights["qkv"][i])
        scores = jnp.einsum("bhqd,bhkd->bhqk", turned(q), turned(k)) / q.shape[-1] ** 0.5
        seen = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        o = jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), -1), v)
        x = x + jnp.einsum("bhqd,hdc->bqc", o, weights["out"][i])
        h = norm(x, weights["norms"][i, 1])
        x = x + (jax.nn.silu(h @ weights["gate"][i]) * (h @ weights["up"][i])) @ weights["down"][i]
    logs = jax.nn.log_softmax(x @ weights["words"].T)
    return -jnp.take_along_axis(logs, tokens[:, 1:, None], -1).mean()


# -- training ----------------------------------------------------------------------------------------------------------


def trained(step: Any, weights: Weights, batches: list[Any]) -> list[float]:
    """The losses of steps of gradient descent with momentum."""
    moved: Weights = {name: jnp.zeros_like(w) for name, w in weights.items()}
    ran: list[float] = []
    for tokens in batches:
        found, grads = step(weights, tokens)
        moved = {name: 0.9 * m + grads[name] for name, m in moved.items()}
        weights = {name: w - 0.3 * moved[name] for name, w in weights.items()}
        ran.append(float(found))
    return ran


def split_step(devices: int) -> Any:
    """A step with heads and inner columns split over the devices."""
    mesh = jax.make_mesh((devices,), ("tp",), axis_types=(jax.sharding.AxisType.Auto,))
    specs = {"qkv": P(None, None, "tp"), "out": P(None, "tp"), "gate": P(None, None, "tp"), "up": P(None, None, "tp"),
             "down": P(None, "tp"), "words": P(), "norms": P()}
    found = jax.shard_map(functools.partial(loss, group="tp"), mesh=mesh, in_specs=(specs, P()), out_specs=P())
    return jax.jit(jax.value_and_grad(found))


def main() -> None:
    """Trains, and says whether the losses agree."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--hidden", type=int, default=64)
    args = parser.parse_args()
    rng, devices = np.random.default_rng(1), len(jax.devices())
    # A task that can be learned: the sequence counts up from a random number.
    batches = [jnp.asarray((rng.integers(0, WORDS, (BATCH, 1)) + np.arange(LENGTH + 1)) % WORDS) for _ in range(args.steps)]
    weights = made(args.hidden)
    steps = {"without Ave": jax.jit(jax.value_and_grad(plain_loss)), "with it": jax.jit(jax.value_and_grad(loss))}
    if HEADS % devices == 0 and devices > 1:
        steps[f"split over {devices} devices"] = split_step(devices)
    losses = {name: trained(step, weights, batches) for name, step in steps.items()}
    for i in range(args.steps):
        print(f"step {i + 1}: loss", ", ".join(f"{ran[i]:.4f} {name}" for name, ran in losses.items()))
    first, *others = losses.values()
    off = max(abs(a - b) for ran in others for a, b in zip(first, ran, strict=True))
    print("they agree" if off < 2e-2 else f"they differ by {off}")


if __name__ == "__main__":
    main()
