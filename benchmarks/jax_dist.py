"""Operations of several ranks along an axis of a mesh of JAX's devices, against XLA's own collectives: `python benchmarks/jax_dist.py`.

On a host with GPUs, of one process. Contenders are jitted `jax.shard_map`s of the same arrays: `avelang.ops.dist`, by its rule and one after the
other, and JAX's `all_gather`, `psum_scatter` and `psum` (NCCL) with its product. They take turns within one run; a figure is the median over
rounds of the time of a call, of some in a row, of which the last is waited for. Results are compared with XLA's on random inputs, before and
after. Without GPUs it runs on two devices of the CPU with tiny sizes, to see that it runs; those times say nothing."""

from __future__ import annotations

import argparse
import functools
import math
import os
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")

import jax
import jax.numpy as jnp
import numpy as np
from harness import Figures, Part, bursts, main, medians, printed, table
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

from avelang.ops import dist

ON_GPU = jax.default_backend() == "gpu"
SHAPES = ((4096, 28672, 4096), (8192, 28672, 8192), (8192, 8192, 28672), (1024, 28672, 8192), (16384, 12288, 12288))
SIZES = tuple(1 << e for e in range(14, 27, 2))  # bytes, of all-reduce
BURST_S = 0.03  # of a burst, about


def on(f: Any, ins: Any, outs: Any) -> Any:
    """A jitted function of shards along the one axis of all devices."""
    return jax.jit(jax.shard_map(f, mesh=mesh(), in_specs=ins, out_specs=outs, check_vma=False))


@functools.cache
def mesh() -> Any:
    return jax.make_mesh((len(jax.devices()),), ("tp",), axis_types=(jax.sharding.AxisType.Auto,))


def normal(shape: tuple[int, ...], spec: Any, seed: int) -> Any:
    """Random bf16, split as the program takes it."""
    make = jax.jit(lambda: jax.random.normal(jax.random.key(seed), shape, jnp.bfloat16), out_shardings=NamedSharding(mesh(), spec))
    return make()


def kinds() -> dict[str, Any]:
    """Name: contenders, specs of inputs and of the output."""
    def gather(x: Any, w: Any) -> Any:
        return jax.lax.all_gather(x, "tp", tiled=True) @ w

    def scatter(x: Any, w: Any) -> Any:
        return jax.lax.psum_scatter(x @ w, "tp", tiled=True)

    def reduce(x: Any) -> Any:
        return jax.lax.psum(x, "tp")

    ours = {fuse: functools.partial(dist.all_gather_matmul, group="tp", fuse=fuse) for fuse in (None, False)}
    sums = {fuse: functools.partial(dist.matmul_reduce_scatter, group="tp", fuse=fuse) for fuse in (None, False)}
    rows, cols, after = P("tp"), P(None, "tp"), "Ave, one after the other"
    return {
        "all-gather + product": ({"XLA": gather, "Ave": ours[None], after: ours[False]}, (rows, cols), cols),
        "product + reduce-scatter": ({"XLA": scatter, "Ave": sums[None], after: sums[False]}, (cols, rows), rows),
        "all-reduce": ({"XLA": reduce, "Ave": lambda x: dist.all_reduce(x, "tp")}, (P("tp"),), P("tp")),
    }


def measured(contenders: Any, arrays: tuple[Any, ...], rounds: int) -> tuple[dict[str, float], float]:
    """Microseconds a call of each, and the greatest difference of a result from XLA's, of its greatest element."""
    def differences() -> float:
        want = np.asarray(contenders["XLA"](*arrays), np.float32)
        return max(float(np.abs(np.asarray(f(*arrays), np.float32) - want).max() / np.abs(want).max()) for f in contenders.values())

    def run(f: Any) -> Any:
        def many(count: int) -> None:
            made = None
            for _ in range(count):
                made = f(*arrays)
                if not ON_GPU:  # XLA's threads for devices of the CPU are few, and wait for one another
                    jax.block_until_ready(made)
            jax.block_until_ready(made)
        return many

    off = differences()
    runs = {name: run(f) for name, f in contenders.items()}
    once = medians(bursts({"XLA": runs["XLA"]}, 3, 2))["XLA"] * 1e-9
    found = medians(bursts(runs, min(500, max(3, math.ceil(BURST_S / once))), rounds))
    return {name: ns / 1e3 for name, ns in found.items()}, max(off, differences())


def measure(args: argparse.Namespace) -> Figures:
    ranks, rows = len(jax.devices()), []
    for kind, (contenders, ins, outs) in kinds().items():
        compiled = {name: on(f, ins, outs) for name, f in contenders.items()}
        shapes = [(s,) for s in SIZES] if kind == "all-reduce" else SHAPES
        for shape in shapes if ON_GPU else [(1 << 12,) if kind == "all-reduce" else (64 * ranks, 32 * ranks, 32 * ranks)]:
            if kind == "all-reduce":
                arrays = (normal((ranks * shape[0] // 2,), ins[0], 1),)
            else:
                m, n, k = shape if kind.startswith("all") else (shape[0], shape[2], shape[1])
                arrays = normal((m, k), ins[0], 2), normal((k, n), ins[1], 3)
            us, off = measured(compiled, arrays, args.rounds)
            rows.append({"kind": kind, "shape": shape, "us": us, "difference": off})
            printed((kind, *shape), {who: f"{t:.0f}" for who, t in us.items()} | {"difference": f"{off:.1e}"})
            assert off < 2.0**-5, (kind, shape, off)
    return {"devices": [d.device_kind for d in jax.devices()], "jax": jax.__version__, "figures": rows}


def show(record: Figures) -> str:
    """Microseconds, and XLA's time over ours."""
    lines = [("what", "shape", "XLA", "Ave", "one after the other", "XLA / Ave")]
    for r in record["figures"]:
        us = r["us"]
        after = us.get("Ave, one after the other")
        lines.append((r["kind"], ", ".join(map(str, r["shape"])), f"{us['XLA']:.1f}", f"{us['Ave']:.1f}",
                      "" if after is None else f"{after:.1f}", f"{us['XLA'] / us['Ave']:.2f}"))  # fmt: skip
    return table(lines)


if __name__ == "__main__":
    main(__doc__, Part("timed", f"jax_dist_{len(jax.devices())}", measure, show), rounds=10)
