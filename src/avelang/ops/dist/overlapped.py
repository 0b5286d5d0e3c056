"""Products with a collective before or behind them, one after the other or fused."""

from __future__ import annotations

from typing import Any

from avelang import argument_error
from avelang.bridge import Array, op
from avelang.bridge.mesh_axes import AXIS
from avelang.ops.dist.collectives import all_reduce, gathered, scattered
from avelang.ops.dist.members import DTYPES, agree, here, member_of
from avelang.ops.matmul import matmul
from avelang_kernels.dist import fused


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
    return _product(x, w, x.shape[0] * here(group).ranks)


def _readable(x: Any, w: Any, group: str, fuse: int, target: str | None) -> Any:
    """w as the fused products read it, where the caller wants one of them and has no say in how w lies: XLA's arrays
    are row-major, and become the transpose of a row-major copy where they must."""
    return fused.readable(x, w, target) if fuse == 1 and group.startswith(AXIS) else w


@op(_gather_product, autocast="lower", contiguous=("out",))
def gathered_product(x: Any, w: Any, out: Any, *, group: str, fuse: int = -1, target: str | None = None) -> None:
    """The operation of `all_gather_matmul`."""
    member, w = here(group), _readable(x, w, group, fuse, target)
    if fused.gathers(member, x, w, fuse, target):
        fused.all_gather_matmul(member, x, w, out, target)
        return
    matmul(gathered(x, group=group), w, out=out, target=target)


def _scatter_product(x: Array, w: Array, *, group: str, fuse: int = -1, target: str | None = None) -> Array:
    ranks = here(group).ranks
    if len(x.shape) == 2 and x.shape[0] % ranks:
        raise argument_error(f"x is {tuple(x.shape)}: its rows must be a multiple of {ranks} ranks")
    return _product(x, w, x.shape[0] // ranks)


@op(_scatter_product, autocast="lower", contiguous=("out",))
def scattered_product(x: Any, w: Any, out: Any, *, group: str, fuse: int = -1, target: str | None = None) -> None:
    """The operation of `matmul_reduce_scatter`."""
    member, w = here(group), _readable(x, w, group, fuse, target)
    if fused.scatters(member, x, w, fuse, target):
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
    if not needs[1]:
        return gathered_product(g, w.T, group=group, target=target) if needs[0] else None, None
    whole = gathered(g, group=group)
    dx = matmul(whole, w.T, target=target) if needs[0] else None
    return dx, matmul(x.T, whole, target=target)


_FUSE = {None: -1, False: 0, True: 1}


def all_gather_matmul(
    x: Any, w: Any, group: Any = None, *, fuse: bool | None = None, out: Any = None, target: str | None = None
) -> Any:
    """all_gather(x) @ w: rows of x that ranks have, by the rank's own columns of w.

    x: (m, k), w: (k, n), of bf16, f16 or f32; the result (R m, n). fuse: True for one product that begins with the
    rank's own rows and takes the others' as they come, False for one after the other, None for the rule of sizes.
    Differentiable. Raises L066, L080 to L083."""
    member = member_of(group)
    agree(member, "all_gather_matmul", x, fuse=fuse)
    return gathered_product(x, w, group=member.name, fuse=_FUSE[fuse], target=target, out=out)


def matmul_reduce_scatter(
    x: Any, w: Any, group: Any = None, *, fuse: bool | None = None, out: Any = None, target: str | None = None
) -> Any:
    """reduce_scatter(x @ w): the rank's own part of K, summed over ranks, of which it gets its rows.

    x: (R m, k), w: (k, n), of bf16, f16 or f32; the result (m, n). fuse: True for a product whose tiles go to the rank
    that sums them as they are made; False for one after the other; None for the rule of sizes. Each rank's product is
    rounded before the sum, but for the fused one on other chips than Hopper. Differentiable. Raises L066, L080 to
    L083."""
    member = member_of(group)
    agree(member, "matmul_reduce_scatter", x, n=int(w.shape[-1]), fuse=fuse)
    return scattered_product(x, w, group=member.name, fuse=_FUSE[fuse], target=target, out=out)


def matmul_all_reduce(x: Any, w: Any, group: Any = None, *, shots: int = 0, target: str | None = None) -> Any:
    """all_reduce(x @ w): the rank's own part of K, summed over ranks. One after the other.

    x: (m, k), w: (k, n), of bf16, f16 or f32; the result (m, n). Differentiable. Raises L066, L080 to L083."""
    return all_reduce(matmul(x, w, target=target), group, shots=shots)
