"""Operations under JAX on a GPU: fixed programs (`jax_programs.py`), then drawn calls until the time is over.

    python3 tests/gpu/jax_check.py [--seconds 50] [--seed 0] [--only NAME] [--case NUMBER] [--platform gpu] [--x64] [--no-programs]

Drawn are calls with their gradients, jitted, by vmap and in a loop, some with arrays that are parts of others: of the families below, against the same in JAX's own words on the CPU; and, where
there is torch, of those of tests/ops/drawn_*.py, which are made by JAX (`tests/ops/by_jax.py`), against torch's on the CPU. A line for each program and each
call that is wrong; exit status 1 where one is. `--only` takes the name of a program or of a family. Where JAX sees no GPU it says so, and that nothing was checked.
`--platform cpu` tries the script itself."""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import sys
import time
import traceback
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # other checks are on this GPU too

import numpy as np  # noqa: E402

from bridge.jax_chains import chained  # noqa: E402
from gpu.scratch import own_cache  # noqa: E402


def drawn(rng: np.random.Generator, most: int) -> dict[str, Any]:
    """By name: (the operation, the same in JAX's words, differentiable arrays, others)."""
    import jax
    import jax.numpy as jnp

    from avelang import ops
    from ops.test_jax import BF16, experts, groups, norm, softmax_attention

    def size(limit: int, step: int = 1) -> int:
        return int(np.exp(rng.uniform(0, np.log(limit)))) // step * step + step

    def normal(*shape: int, dtype: type = BF16) -> np.ndarray:
        return rng.standard_normal(shape).astype(dtype)

    m, n, k, top = size(most), size(most), size(most, 8), int(rng.integers(1, 6))
    heads, length, d = size(8), size(most // 2), int(rng.choice((32, 64, 128)))

    def cached(q, k, v, lengths):
        s = jnp.einsum("bhqd,bhkd->bhqk", q, jnp.repeat(k, 2, 1)) / d**0.5
        s = jnp.where(np.arange(k.shape[2]) < lengths[:, None, None, None], s, -1e30)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, -1), jnp.repeat(v, 2, 1))

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
        "router": (lambda *a: ops.moe(*a, top_k=top), lambda x, r, up, down: experts(x, r, up, down, top),
                [normal(m, 64), normal(m, 5), normal(5, 96, 64) / BF16(8), normal(5, 64, 48) / BF16(7)], []),
        "attention": (lambda *a: ops.attention(*a, is_causal=True), softmax_attention, [normal(2, heads, length, d) for _ in range(3)], []),
        "cached": (lambda q, k, v, n: ops.attention(q, k, v, cache_lengths=n, enable_gqa=True), cached,
                   [normal(2, 2 * heads, 1 + length % 3, d), *(normal(2, heads, length, d) for _ in range(2))],
                   [rng.integers(1, length + 1, 2).astype(np.int32)]),
        "masked": (lambda q, k, v, b: ops.attention(q, k, v, b), lambda q, k, v, b: jnp.einsum(
                   "bhqk,bhkd->bhqd", jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) / d**0.5 + b, -1), v),
                   [*(normal(2, heads, length, d) for _ in range(3)), normal(1, heads, length, length)], []),
        "rms_norm": (lambda x, w: ops.rms_norm(x, w, eps=1e-6), norm, [normal(m, n, dtype=np.float32), normal(n, dtype=np.float32)], []),
        "softmax": (ops.softmax, jax.nn.softmax, [normal(m, n)], []),
        "swiglu": (ops.swiglu, lambda g, u: jax.nn.silu(g) * u, [normal(m, n), normal(m, n)], []),
        "cross_entropy": (ops.cross_entropy, logits, [normal(m, n, dtype=np.float32)], [classes]),
        "linear_cross_entropy": (ops.linear_cross_entropy, lambda x, w, y: logits(x @ w.T, y), [normal(m, k), normal(n, k)], [classes]),
    }  # fmt: skip
    return families


def by_jax() -> Any:
    """`ops.by_jax`, where there is torch."""
    try:
        import ops.by_jax
    except ImportError:
        return None
    return ops.by_jax


def wrong(device, name: str, mine, theirs, arrays, rest) -> list[str]:
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
        # A gradient of what does not depend on an operand is 0, and then roundings of terms that cancel: it must be small.
        size, root = np.linalg.norm(w), max(1, w.size) ** 0.5
        off = np.linalg.norm(g - w) / (size if size > 1e-6 * root else root)
        if not (g.shape == w.shape and off <= (2.0**-5 if dtype == BF16 else 2.0**-9)):
            found.append(f"{name} {[x.shape for x in arrays]}: {'result' if not i else f'gradient {i - 1}'} is off by {off:.1e}")
    if name in ("softmax", "matmul", "attention"):  # by vmap, and again and again in one program
        two = [jnp.stack([x, x]) for x in given]
        both = jax.jit(lambda *a: (jax.vmap(mine)(*a), jax.lax.fori_loop(0, 3, lambda i, y: mine(*(x[0] for x in a)), made)))(*two)
        # A product by vmap is one of a batch, which may have another tile, and another order of addition.
        close = 2.0**-6 * float(jnp.abs(made).max()) if name == "matmul" and made.size else 0.0
        if not all(bool((jnp.abs(y - made) <= close).all()) for y in (both[0][0], both[0][1], both[1])):
            found.append(f"{name} {[x.shape for x in arrays]}: vmap or a loop makes something else")
    return found


def viewed(rng: np.random.Generator, family: tuple[Any, ...]) -> tuple[Any, ...]:
    """A family whose differentiable arrays are parts, and other orders, of arrays: those are given."""
    mine, theirs, arrays, rest = family
    pairs = [chained(rng, x) for x in arrays]
    many = len(arrays)

    def of(f: Any) -> Any:
        return lambda *a: f(*(make(x) for (_, make), x in zip(pairs, a)), *a[many:])

    return of(mine), of(theirs), [base for base, _ in pairs], rest


def case(device: Any, seed: int, number: int, only: str) -> tuple[str, list[str]]:
    """A drawn call's family, and what is wrong with it. Every second one is in JAX's words, where there is torch."""
    rng, cpu = np.random.default_rng((seed, number)), device.platform == "cpu"
    torchs = by_jax()
    families = drawn(rng, 100 if cpu else 1500)
    mine = [] if number % 2 and torchs is not None else sorted(n for n in families if only in ("", n))
    others = [] if torchs is None else sorted(n for n in torchs.FAMILIES if only in ("", n))
    name = str(rng.choice(mine or others or sorted(families)))
    if torchs is None or name in mine:
        try:
            family = families[name] if number % 4 else viewed(rng, families[name])
            return name, wrong(device, name, *family)
        except Exception as e:
            return name, [f"{name} {[x.shape for x in families[name][2]]}: {type(e).__name__}: {str(e)[:300]}"]
    from ops.drawing import wrong as judged

    with torchs.drawn(f"jax/{seed}/{number}", name, device, 1 << (12 if cpu else int(rng.choice((14, 18, 20))))) as made:
        return name, [f"{said}\n     {made.said}" for said in judged(made)]


def programs(device: Any, only: str) -> int:
    """Runs the fixed programs: how many are wrong."""
    from gpu.jax_programs import PROGRAMS, NotHere

    bad = 0
    for name, run in PROGRAMS.items():
        if only not in ("", name):
            continue
        start = time.monotonic()
        try:
            run(device)
            print(f"ok    {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except NotHere as e:
            print(f"skip  {name}: {e}", flush=True)
        except Exception:
            bad += 1
            print(f"FAIL  {name}\n{traceback.format_exc()[-1500:]}", flush=True)
    return bad


def arguments() -> argparse.Namespace:
    """Of the command line."""
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--seconds", type=float, default=50, help="for drawn calls")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--only", default="", help="the program or the family of this name")
    p.add_argument("--no-programs", action="store_true", help="drawn calls alone")
    p.add_argument("--case", type=int, help="this drawn call alone")
    p.add_argument("--platform", default="gpu")
    p.add_argument("--x64", action="store_true", help="with numbers of 64 bits")
    return p.parse_args()


def main() -> int:
    given = arguments()
    own_cache()
    try:
        import jax

        device = jax.devices(given.platform)[0]
    except (ImportError, RuntimeError) as e:
        print(f"nothing was checked: JAX has no {given.platform} here ({str(e).splitlines()[0][:90]})")
        return 0
    jax.config.update("jax_enable_x64", given.x64)
    from gpu.jax_programs import PROGRAMS

    bad_programs = programs(device, given.only) if given.case is None and not (given.x64 or given.no_programs) else 0
    number, bad = given.case or 0, 0
    end = time.monotonic() + (given.seconds if given.only not in PROGRAMS else 0)
    done: collections.Counter[str] = collections.Counter()
    while (time.monotonic() < end) if given.case is None else not done:
        name, found = case(device, given.seed, number, given.only)
        again = f"--seed {given.seed}{f' --only {given.only}' if given.only else ''}{' --x64' if given.x64 else ''} --case {number}"
        for said in found[:2]:
            print(f"FAIL {again}: {said}", flush=True)
        done[name] += 1
        bad += bool(found)
        number += 1
    if by_jax() is None:
        print("without torch: its drawn families were left out")
    print(", ".join(f"{name} {count}" for name, count in sorted(done.items())))
    print(f"{done.total() - bad} of {done.total()} drawn calls of JAX on {device} are right, seed {given.seed}; {bad_programs} programs are wrong")
    return bool(bad or bad_programs)


if __name__ == "__main__":
    sys.exit(main())
