"""Operations under JAX on a GPU: results and gradients, jitted, by vmap and in a loop, against the same in JAX's own words on the CPU.

    python3 tests/gpu/jax_check.py [--seconds 40] [--seed 0] [--platform gpu]

Draws sizes until its time is over; a line for each call that is wrong. Exit status 1 where one is. Where JAX sees no GPU it says so, and that nothing was
checked. `--platform cpu` tries the script itself."""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # other checks are on this GPU too

import numpy as np  # noqa: E402


def drawn(rng: np.random.Generator, most: int):
    """(name, the operation, the same in JAX's words, differentiable arrays, others)."""
    import jax
    import jax.numpy as jnp

    from avelang import ops
    from ops.test_jax import BF16, experts, groups, norm

    def size(limit: int, step: int = 1) -> int:
        return int(np.exp(rng.uniform(0, np.log(limit)))) // step * step + step

    def normal(*shape: int, dtype: type = BF16) -> np.ndarray:
        return rng.standard_normal(shape).astype(dtype)

    m, n, k = size(most), size(most), size(most, 8)
    heads, length, d = size(8), size(most // 2), int(rng.choice((32, 64, 128)))

    def attended(q, k, v):
        s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / d**0.5
        s = jnp.where(np.tri(length, length, dtype=bool), s, -jnp.inf)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, -1), v)

    ends = np.sort(rng.integers(0, m + 1, 3)).astype(np.int32)
    classes = rng.integers(0, n, m).astype(np.int32)
    logits = lambda x, y: -jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1).mean()  # noqa: E731
    families = {
        "matmul": (ops.matmul, jnp.matmul, [normal(m, k), normal(k, n)], []),
        "batched": (ops.matmul, jnp.matmul, [normal(3, m, k), normal(3, k, n)], []),
        "activated": (lambda a, b, c: ops.matmul(a, b, bias=c, activation="silu"), lambda a, b, c: jax.nn.silu(a @ b + c),
                      [normal(m, k), normal(k, n), normal(n)], []),
        "linear": (ops.linear, lambda x, w, b: x @ w.T + b, [normal(m, k), normal(n, k), normal(n)], []),
        "f32": (ops.matmul, jnp.matmul, [normal(m, k, dtype=np.float32), normal(k, n, dtype=np.float32)], []),
        "grouped_matmul": (ops.grouped_matmul, groups, [normal(m, k), normal(3, k, n)], [ends]),
        "moe": (lambda *a: ops.moe(*a, top_k=2), experts,
                [normal(m, 64), normal(m, 4), normal(4, 96, 64) / BF16(8), normal(4, 64, 48) / BF16(7)], []),
        "attention": (lambda *a: ops.attention(*a, is_causal=True), attended, [normal(2, heads, length, d) for _ in range(3)], []),
        "masked": (lambda q, k, v, b: ops.attention(q, k, v, b), lambda q, k, v, b: jnp.einsum(
                   "bhqk,bhkd->bhqd", jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) / d**0.5 + b, -1), v),
                   [*(normal(2, heads, length, d) for _ in range(3)), normal(1, heads, length, length)], []),
        "rms_norm": (lambda x, w: ops.rms_norm(x, w, eps=1e-6), norm, [normal(m, n, dtype=np.float32), normal(n, dtype=np.float32)], []),
        "softmax": (ops.softmax, jax.nn.softmax, [normal(m, n)], []),
        "swiglu": (ops.swiglu, lambda g, u: jax.nn.silu(g) * u, [normal(m, n), normal(m, n)], []),
        "cross_entropy": (ops.cross_entropy, logits, [normal(m, n, dtype=np.float32)], [classes]),
        "linear_cross_entropy": (ops.linear_cross_entropy, lambda x, w, y: logits(x @ w.T, y), [normal(m, k), normal(n, k)], [classes]),
    }  # fmt: skip
    name = str(rng.choice(sorted(families)))
    return name, *families[name]


def wrong(name: str, mine, theirs, arrays, rest, device) -> list[str]:
    """What is wrong with a call and its gradients."""
    import jax
    import jax.numpy as jnp

    from ops.test_jax import BF16

    cpu, which, found = jax.devices("cpu")[0], tuple(range(len(arrays))), []
    dtype = arrays[0].dtype
    given = [jax.device_put(x, device) for x in (*arrays, *rest)]
    wide = [jax.device_put(np.asarray(x, np.float32), cpu) for x in arrays] + [jax.device_put(x, cpu) for x in rest]

    def loss(f, factor):
        return lambda *a: (f(*a).astype(jnp.float32) * factor).sum()

    shape = jax.eval_shape(mine, *given).shape
    factor = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
    with jax.default_device(cpu), jax.default_matmul_precision("highest"):
        want = [theirs(*wide), *jax.grad(loss(theirs, jax.device_put(factor, cpu)), which)(*wide)]
    made = jax.jit(mine)(*given)
    assert device in made.devices()
    got = [made, *jax.jit(jax.grad(loss(mine, jax.device_put(factor, device)), which))(*given)]
    for i, (g, w) in enumerate(zip(got, want)):
        g, w = np.asarray(g, np.float64), np.asarray(w, np.float64)
        off = np.linalg.norm(g - w) / max(np.linalg.norm(w), 1e-9 * max(1, w.size) ** 0.5, 1e-6)
        if not (g.shape == w.shape and off <= (2.0**-5 if dtype == BF16 else 2.0**-9)):
            found.append(f"{name} {[x.shape for x in arrays]}: {'result' if not i else f'gradient {i - 1}'} is off by {off:.1e}")
    if name in ("softmax", "matmul", "attention"):  # by vmap, and again and again in one program
        two = [jnp.stack([x, x]) for x in given]
        both = jax.jit(lambda *a: (jax.vmap(mine)(*a), jax.lax.fori_loop(0, 3, lambda i, y: mine(*(x[0] for x in a)), made)))(*two)
        if not all(bool((y == made).all()) for y in (both[0][0], both[0][1], both[1])):
            found.append(f"{name} {[x.shape for x in arrays]}: vmap or a loop makes something else")
    return found


def main() -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--seconds", type=float, default=40)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--platform", default="gpu")
    given = p.parse_args()
    try:
        import jax

        device = jax.devices(given.platform)[0]
    except (ImportError, RuntimeError) as e:
        print(f"nothing was checked: JAX has no {given.platform} here ({str(e).splitlines()[0][:90]})")
        return 0
    end, number, bad = time.monotonic() + given.seconds, 0, 0
    done: collections.Counter[str] = collections.Counter()
    while time.monotonic() < end:
        case = drawn(np.random.default_rng((given.seed, number)), 100 if given.platform == "cpu" else 1500)
        try:
            found = wrong(*case, device)
        except Exception as e:
            found = [f"{case[0]} {[x.shape for x in case[3]]}: {type(e).__name__}: {str(e)[:300]}"]
        for said in found[:2]:
            print(f"FAIL --seed {given.seed}, case {number}: {said}", flush=True)
        done[case[0]] += 1
        bad += bool(found)
        number += 1
    print(", ".join(f"{name} {count}" for name, count in sorted(done.items())))
    print(f"{number - bad} of {number} drawn calls of JAX on {device} are right, seed {given.seed}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
