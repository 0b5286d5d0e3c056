"""Operations of several ranks: each rank calls them with its own arrays, in the same order. `all_reduce`, `all_gather`,
`reduce_scatter`, and products with these around them.

`group`: a `Member` of `avelang.dist` (a `Group` of `connect`, or what `World.run` gives), a torch process group, or
None for torch's default one. Sums are in f32 (f64 of f64) in the order of ranks, rounded once: every rank has the same
bits in every run, whatever the number of rows or of shots."""

from __future__ import annotations

import sys
from typing import Any

from avelang import argument_error
from avelang.bridge import Array, op
from avelang.dist import connect
from avelang.dist.memory import MEMBERS, Member
from avelang.ops.matmul import matmul
from avelang_kernels.arrays import named
from avelang_kernels.dist import exchange, fused

DTYPES = ("bfloat16", "float16", "float32", "float64")
_CONNECTED: dict[str, Member] = {}  # of process groups that were given as they are


def member_of(group: Any) -> Member:
    """The member that a `group` argument means; a process group is connected when it first comes, by all its ranks.
    Raises L066."""
    if isinstance(group, Member):
        return group
    name = "" if group is None else str(getattr(group, "group_name", ""))
    if group is not None and not name:
        raise argument_error(f"group is {type(group).__name__}: a Member of avelang.dist, or a torch process group")
    if name not in _CONNECTED:
        _CONNECTED[name] = connect(group)
    return _CONNECTED[name]


def _here(group: str) -> Member:
    """The member of a name, in an operation. Raises L066 where it is gone."""
    found = MEMBERS.get(group)
    if found is None:
        raise argument_error(f"the group {group!r} is gone: its Member was let go, or lives in another process")
    return found


def _checked(x: Array, name: str = "x") -> None:
    if x.dtype not in DTYPES:
        raise argument_error(f"{name} is of {x.dtype}: it must be of one of {DTYPES}")


def _agree(group: Member, function: str, x: Any, **options: Any) -> None:
    """Compares a call with those of the other ranks when one like it first comes; not while torch.compile traces it.
    Raises L081."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.compiler.is_compiling():
        return
    what = {"shape": tuple(x.shape), "dtype": named(x), **options}
    group.kept((function, *what.items()), lambda: group.agree(f"ops.dist.{function}", **what) or True)


def _flat(x: Any) -> Any:
    return x.reshape(-1)


# -- collectives -------------------------------------------------------------------------------------------------------


def _same(x: Array, *, group: str, shots: int = 0) -> Array:
    _checked(x)
    return Array(x.shape, x.dtype)


@op(_same, contiguous=True)
def reduced(x: Any, out: Any, *, group: str, shots: int = 0) -> None:
    """The operation of `all_reduce`."""
    exchange.all_reduce(_here(group), _flat(x), _flat(out), shots)


def _gathered_shape(x: Array, *, group: str) -> Array:
    _checked(x)
    if not x.shape:
        raise argument_error("x is a single number: it needs a dimension, along which ranks are put together")
    return Array((x.shape[0] * _here(group).ranks, *x.shape[1:]), x.dtype)


@op(_gathered_shape, contiguous=True)
def gathered(x: Any, out: Any, *, group: str) -> None:
    """The operation of `all_gather`."""
    exchange.all_gather(_here(group), _flat(x), _flat(out))


def _scattered_shape(x: Array, *, group: str) -> Array:
    _checked(x)
    ranks = _here(group).ranks
    if not x.shape or x.shape[0] % ranks:
        raise argument_error(f"x is {tuple(x.shape)}: its first extent must be a multiple of {ranks} ranks")
    return Array((x.shape[0] // ranks, *x.shape[1:]), x.dtype)


@op(_scattered_shape, contiguous=True)
def scattered(x: Any, out: Any, *, group: str) -> None:
    """The operation of `reduce_scatter`."""
    exchange.reduce_scatter(_here(group), _flat(x), _flat(out))


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
    _agree(member, "all_reduce", x, shots=shots)
    return reduced(x, group=member.name, shots=shots, out=out)


def all_gather(x: Any, group: Any = None, *, out: Any = None) -> Any:
    """The arrays of all ranks along the first dimension, in the order of ranks: (n, ...) becomes (R n, ...).

    Differentiable: gradients are summed and scattered. Raises L066, L080 to L083."""
    member = member_of(group)
    _agree(member, "all_gather", x)
    return gathered(x, group=member.name, out=out)


def reduce_scatter(x: Any, group: Any = None, *, out: Any = None) -> Any:
    """The sum of `x` over all ranks, of which each rank gets its part along the first dimension: (R n, ...) becomes
    (n, ...).

    Differentiable: gradients are gathered. Raises L066, L080 to L083."""
    member = member_of(group)
    _agree(member, "reduce_scatter", x)
    return scattered(x, group=member.name, out=out)


# -- products ----------------------------------------------------------------------------------------------------------


def _product(x: Array, w: Array, rows: int) -> Array:
    for name, a in (("x", x), ("w", w)):
        if a.dtype not in DTYPES[:3] or len(a.shape) != 2:
            raise argument_error(f"{name} is {tuple(a.shape)} of {a.dtype}: a matrix of one of {DTYPES[:3]}")
    if x.dtype != w.dtype or x.shape[1] != w.shape[0]:
        raise argument_error(
            f"x is {tuple(x.shape)} of {x.dtype} and w {tuple(w.shape)} of {w.dtype}: K and dtype must be the same"
        )
    return Array((rows, w.shape[1]), x.dtype)


def _gather_product(x: Array, w: Array, *, group: str, fuse: int = -1, target: str | None = None) -> Array:
    return _product(x, w, x.shape[0] * _here(group).ranks)


@op(_gather_product)
def gathered_product(x: Any, w: Any, out: Any, *, group: str, fuse: int = -1, target: str | None = None) -> None:
    """The operation of `all_gather_matmul`."""
    member = _here(group)
    if fused.gathers(member, x, w, fuse):
        fused.all_gather_matmul(member, x, w, out, target)
        return
    matmul(gathered(x, group=group), w, out=out, target=target)


def _scatter_product(x: Array, w: Array, *, group: str, fuse: int = -1, target: str | None = None) -> Array:
    ranks = _here(group).ranks
    if len(x.shape) == 2 and x.shape[0] % ranks:
        raise argument_error(f"x is {tuple(x.shape)}: its rows must be a multiple of {ranks} ranks")
    return _product(x, w, x.shape[0] // ranks)


@op(_scatter_product)
def scattered_product(x: Any, w: Any, out: Any, *, group: str, fuse: int = -1, target: str | None = None) -> None:
    """The operation of `matmul_reduce_scatter`."""
    member = _here(group)
    if fused.scatters(member, x, w, fuse):
        fused.matmul_reduce_scatter(member, x, w, out, target)
        return
    scattered(matmul(x, w, target=target), group=group, out=out)


@gathered_product.backward(saves=("x", "w"))
def _(grads: Any, inputs: Any, outputs: Any, *, group: str, target: str | None, needs: Any) -> Any:
    (g,), (x, w) = grads, inputs
    dx = scattered_product(g, w.T, group=group, target=target) if needs[0] else None
    return dx, matmul(gathered(x, group=group).T, g, target=target) if needs[1] else None


@scattered_product.backward(saves=("x", "w"))
def _(grads: Any, inputs: Any, outputs: Any, *, group: str, target: str | None, needs: Any) -> Any:
    (g,), (x, w) = grads, inputs
    whole = gathered(g, group=group)
    dx = matmul(whole, w.T, target=target) if needs[0] else None
    return dx, matmul(x.T, whole, target=target) if needs[1] else None


_FUSE = {None: -1, False: 0, True: 1}


def all_gather_matmul(
    x: Any, w: Any, group: Any = None, *, fuse: bool | None = None, out: Any = None, target: str | None = None
) -> Any:
    """all_gather(x) @ w: rows of x that ranks have, by the rank's own columns of w.

    x: (m, k), w: (k, n), of bf16, f16 or f32; the result (R m, n). fuse: True for one product that begins with the
    rank's own rows and takes the others' as they come, False for one after the other, None for the rule of sizes.
    Differentiable. Raises L066, L080 to L083."""
    member = member_of(group)
    _agree(member, "all_gather_matmul", x, fuse=fuse)
    return gathered_product(x, w, group=member.name, fuse=_FUSE[fuse], target=target, out=out)


def matmul_reduce_scatter(
    x: Any, w: Any, group: Any = None, *, fuse: bool | None = None, out: Any = None, target: str | None = None
) -> Any:
    """reduce_scatter(x @ w): the rank's own part of K, summed over ranks, of which it gets its rows.

    x: (R m, k), w: (k, n), of bf16, f16 or f32; the result (m, n). fuse: True for a product whose tiles go to the rank
    that sums them, in f32, as they are made; False for one after the other, where each rank's product is rounded before
    the sum; None for the rule of sizes. Differentiable. Raises L066, L080 to L083."""
    member = member_of(group)
    _agree(member, "matmul_reduce_scatter", x, n=int(w.shape[-1]), fuse=fuse)
    return scattered_product(x, w, group=member.name, fuse=_FUSE[fuse], target=target, out=out)


def matmul_all_reduce(x: Any, w: Any, group: Any = None, *, shots: int = 0, target: str | None = None) -> Any:
    """all_reduce(x @ w): the rank's own part of K, summed over ranks. One after the other.

    x: (m, k), w: (k, n), of bf16, f16 or f32; the result (m, n). Differentiable. Raises L066, L080 to L083."""
    return all_reduce(matmul(x, w, target=target), group, shots=shots)
