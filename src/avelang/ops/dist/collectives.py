"""`all_reduce`, `all_gather`, `reduce_scatter`, and their gradients, which are such operations again."""

from __future__ import annotations

from typing import Any

from avelang import argument_error
from avelang.bridge import Array, op
from avelang.ops.dist.members import agree, checked, flat, here, member_of
from avelang_kernels.dist import exchange


def _same(x: Array, *, group: str, shots: int = 0) -> Array:
    checked(x)
    return Array(x.shape, x.dtype)


@op(_same, contiguous=True, inplace={"out": ("x",)})
def reduced(x: Any, out: Any, *, group: str, shots: int = 0) -> None:
    """The operation of `all_reduce`."""
    exchange.all_reduce(here(group), flat(x), flat(out), shots)


def _gathered_shape(x: Array, *, group: str) -> Array:
    checked(x)
    if not x.shape:
        raise argument_error("x is a single number: it needs a dimension, along which ranks are put together")
    return Array((x.shape[0] * here(group).ranks, *x.shape[1:]), x.dtype)


@op(_gathered_shape, contiguous=True)
def gathered(x: Any, out: Any, *, group: str) -> None:
    """The operation of `all_gather`."""
    exchange.all_gather(here(group), flat(x), flat(out))


def _scattered_shape(x: Array, *, group: str) -> Array:
    checked(x)
    ranks = here(group).ranks
    if not x.shape or x.shape[0] % ranks:
        raise argument_error(f"x is {tuple(x.shape)}: its first extent must be a multiple of {ranks} ranks")
    return Array((x.shape[0] // ranks, *x.shape[1:]), x.dtype)


@op(_scattered_shape, contiguous=True)
def scattered(x: Any, out: Any, *, group: str) -> None:
    """The operation of `reduce_scatter`."""
    exchange.reduce_scatter(here(group), flat(x), flat(out))


@reduced.backward(saves=())
def _(grads: Any, inputs: Any, outputs: Any, *, group: str) -> Any:
    return (reduced(grads[0], group=group),)


@gathered.backward(saves=())
def _(grads: Any, inputs: Any, outputs: Any, *, group: str) -> Any:
    return (scattered(grads[0], group=group),)


@scattered.backward(saves=())
def _(grads: Any, inputs: Any, outputs: Any, *, group: str) -> Any:
    return (gathered(grads[0], group=group),)


def all_reduce(x: Any, group: Any = None, *, shots: int = 0, out: Any = None) -> Any:
    """The sum of `x` over all ranks, on each of them.

    x: of bf16, f16, f32 or f64, any shape. shots: 1 (each rank reads all of the others), 2 (each sums its part, then
    all are gathered), 0 for the rule of sizes; the bits are the same. out: of x's shape and dtype, no gradients then.
    Differentiable: the gradient is summed over all ranks too. Raises L066, L080 to L083."""
    if shots not in (0, 1, 2):
        raise argument_error(f"shots is {shots!r}: 1, 2, or 0 for the rule of sizes")
    member = member_of(group)
    agree(member, "all_reduce", x, shots=shots)
    return reduced(x, group=member.name, shots=shots, out=out)


def all_gather(x: Any, group: Any = None, *, out: Any = None) -> Any:
    """The arrays of all ranks along the first dimension, in the order of ranks: (n, ...) becomes (R n, ...).

    Differentiable: gradients are summed and scattered. Raises L066, L080 to L083."""
    member = member_of(group)
    agree(member, "all_gather", x)
    return gathered(x, group=member.name, out=out)


def reduce_scatter(x: Any, group: Any = None, *, out: Any = None) -> Any:
    """The sum of `x` over all ranks, of which each rank gets its part along the first dimension: (R n, ...) becomes
    (n, ...).

    Differentiable: gradients are gathered. Raises L066, L080 to L083."""
    member = member_of(group)
    agree(member, "reduce_scatter", x)
    return scattered(x, group=member.name, out=out)
