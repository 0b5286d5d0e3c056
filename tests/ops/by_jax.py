"""Drawn calls of `avelang.ops`, made by JAX: the cases of `drawn_rows`, `drawn_products` and `drawn_attention`, whose
references are torch's on the CPU, with results and gradients of JAX programs on a device of JAX.

A case calls `ops`; here it calls `Ops`, which hands torch's tensors to JAX and back."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import ml_dtypes
import numpy as np
import torch

from avelang import ops
from ops import drawn_attention, drawn_products, drawn_rows
from ops.drawing import F64, Case, Draw

FAMILIES = {f.__name__: f for m in (drawn_rows, drawn_products, drawn_attention) for f in m.FAMILY}
# NumPy's dtypes of those of torch that torch does not give to NumPy itself.
KINDS = {torch.bfloat16: ml_dtypes.bfloat16, torch.float8_e4m3fn: ml_dtypes.float8_e4m3fn, torch.float8_e5m2: ml_dtypes.float8_e5m2}
BITS = {1: torch.uint8, 2: torch.int16}
WAYS = ("as it is", "jit", "jit", "vmap", "scan", "checkpoint")  # a case is made in one of them


def to_numpy(x: torch.Tensor) -> np.ndarray:
    """A tensor of the CPU as an array of its own memory, row-major."""
    x = x.detach().clone(memory_format=torch.contiguous_format)
    kind = KINDS.get(x.dtype)
    return x.numpy() if kind is None else x.view(BITS[x.element_size()]).numpy().view(kind)


def to_torch(x: Any) -> torch.Tensor:
    """The same the other way round."""
    found = np.array(x)
    kind = next((t for t, k in KINDS.items() if found.dtype == k), None)
    return torch.from_numpy(found) if kind is None else torch.from_numpy(found.view(f"i{found.itemsize}")).view(kind)


def made(function: Callable[..., Any], way: str, arrays: Sequence[Any]) -> Any:
    """What a function of arrays gives, by one of `WAYS`."""
    if way == "as it is":
        return function(*arrays)
    if way == "vmap":  # the second of two elements
        twice = jax.jit(jax.vmap(function))(*(jax.numpy.stack([x * 0 if x.dtype.kind == "f" else x, x]) for x in arrays))
        return jax.tree.map(lambda y: y[1], twice)
    if way == "scan":
        return jax.jit(lambda *a: jax.tree.map(lambda y: y[2], jax.lax.scan(lambda c, _: (c, function(*a)), 0, length=3)[1]))(*arrays)
    return jax.jit(function)(*arrays)


class Call(torch.autograd.Function):
    """A function of JAX's arrays, for torch."""

    @staticmethod
    def forward(ctx: Any, call: Callable[..., Any], way: str, device: Any, *tensors: torch.Tensor) -> Any:
        ctx.arrays = arrays = [jax.device_put(to_numpy(x), device) for x in tensors]
        ctx.call, ctx.way, ctx.device = call, way, device
        out = made(call, way, arrays)
        for y in out if isinstance(out, tuple) else (out,):
            assert isinstance(y, jax.Array) and y.devices() == {device}, (type(y), y.devices())
        return tuple(to_torch(y) for y in out) if isinstance(out, tuple) else to_torch(out)

    @staticmethod
    def backward(ctx: Any, *given: torch.Tensor) -> Any:
        which = [i for i, wanted in enumerate(ctx.needs_input_grad[3:]) if wanted]
        grads = [jax.device_put(to_numpy(g), ctx.device) for g in given]
        function = jax.checkpoint(ctx.call) if ctx.way == "checkpoint" else ctx.call

        def gradients(*everything: Any) -> Any:
            arrays, grads = list(everything[: len(ctx.arrays)]), everything[len(ctx.arrays) :]

            def chosen(*x: Any) -> Any:
                for i, y in zip(which, x, strict=True):
                    arrays[i] = y
                return function(*arrays)

            out, back = jax.vjp(chosen, *(arrays[i] for i in which))
            return back(grads if isinstance(out, tuple) else grads[0])

        found: list[Any] = [None] * (3 + len(ctx.arrays))
        for i, g in zip(which, made(gradients, ctx.way, [*ctx.arrays, *grads]), strict=True):
            found[3 + i] = to_torch(g)
        return tuple(found)


class Ops:
    """`avelang.ops` for torch's tensors, by programs of JAX."""

    def __init__(self, device: Any, way: str, invariant: bool) -> None:
        self.device, self.way, self.invariant = device, way, invariant

    def __getattr__(self, name: str) -> Any:
        return functools.partial(self._called, getattr(ops, name))

    def _called(self, operation: Any, *args: Any, out: Any = None, **options: Any) -> Any:
        leaves, tree = jax.tree.flatten((args, options))
        at = [i for i, x in enumerate(leaves) if isinstance(x, torch.Tensor)]

        def call(*arrays: Any) -> Any:
            every = [str(x).split(".")[-1] if isinstance(x, torch.dtype) else x for x in leaves]
            for i, x in zip(at, arrays, strict=True):
                every[i] = x
            given, named = jax.tree.unflatten(tree, every)
            with ops.invariant() if self.invariant else contextlib.nullcontext():
                return operation(*given, **named)

        return Call.apply(call, self.way, self.device, *(leaves[i] for i in at))


class JaxDraw(Draw):
    """What a case of JAX is drawn with: no `out`, and no f64 where JAX has none."""

    def __init__(self, seed: str, device: Any, most: int) -> None:
        super().__init__(seed, "cpu", most)
        self.rounds_to_f32 = device.platform == "cpu"

    def one(self, name: str, choices: Sequence[Any]) -> Any:
        return super().one(name, choices if jax.dtypes.canonicalize_dtype(np.float64) == np.float64 else [x for x in choices if x is not F64])

    def out(self, shape: Sequence[int], dtype: Any, part: float = 0.35, name: str = "out") -> Any:
        return None


@contextlib.contextmanager
def drawn(seed: str, family: str, device: Any, most: int) -> Iterator[Case]:
    """A case of a family, whose calls go to JAX while this lasts."""
    draw = JaxDraw(seed, device, most)
    replaced = Ops(device, draw.one("way", WAYS), draw.note("invariant", draw.chance(0.2)))
    modules: tuple[Any, ...] = (drawn_rows, drawn_products, drawn_attention)
    try:
        for m in modules:
            m.ops = replaced
        yield FAMILIES[family](draw)
    finally:
        for m in modules:
            m.ops = ops
