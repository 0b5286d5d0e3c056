"""Arrays under JAX as parts and other orders of arrays: an array comes in; one in which it lies, and what makes it of
that in JAX's words, go out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def chained(rng: np.random.Generator, x: np.ndarray, most: int = 3) -> tuple[np.ndarray, Callable[[Any], Any]]:
    """(base, function): `function(base)` is x. Of up to `most` transpositions, slices, reshapes and broadcasts, which
    JAX makes of a tracer; of a broadcast, x is what is repeated."""
    import jax.numpy as jnp

    steps: list[Callable[[Any], Any]] = []
    for _ in range(int(rng.integers(1, most + 1))):
        kind = rng.choice(("transpose", "slice", "reshape", "broadcast"), p=(0.4, 0.3, 0.2, 0.1))
        if kind == "transpose":
            order = [int(i) for i in rng.permutation(x.ndim)]
            steps.append(lambda y, order=order: jnp.transpose(y, order))
            x = np.ascontiguousarray(x.transpose([order.index(i) for i in range(x.ndim)]))
        elif kind == "slice":
            margins = [tuple(int(n) for n in rng.choice((0, 0, 1, 8), 2)) for _ in x.shape]
            wide = rng.standard_normal([a + n + b for n, (a, b) in zip(x.shape, margins, strict=True)], np.float32)
            part = tuple(slice(a, a + n) for n, (a, _) in zip(x.shape, margins, strict=True))
            wide = wide.astype(x.dtype)
            wide[part] = x
            steps.append(lambda y, part=part: y[part])
            x = wide
        elif kind == "reshape" and x.ndim > 1:
            at, shape = int(rng.integers(0, x.ndim - 1)), x.shape
            steps.append(lambda y, shape=shape: y.reshape(shape))
            x = x.reshape(*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :])
        elif kind == "broadcast" and x.ndim > 1:
            at, shape = int(rng.integers(0, x.ndim - 1)), x.shape
            one = np.take(x, [0], at) if shape[at] else x
            steps.append(lambda y, shape=shape: jnp.broadcast_to(y, shape))
            x = one

    def made(base: Any) -> Any:
        for step in reversed(steps):
            base = step(base)
        return base

    return np.ascontiguousarray(x), made
