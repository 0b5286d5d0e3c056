"""Calls in XLA's programs whose operands are views: XLA has no strides, and would make a transposed, sliced or
broadcast array before it calls. A call's operands, as MLIR has them, come in; arrays that lie in memory anyway go out,
and for each of them how the operand is seen in it.

Source: StableHLO's specification (transpose, slice, broadcast_in_dim, reshape); `jax.ffi.ffi_lowering`."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from avelang.bridge.dimensions import strides_for

MODES = ("rows", "matrix", "any")
WIDE = 16  # bytes, of which a view begins at a multiple: what kernels read at a time
# Values that XLA writes to memory whatever reads them. Others it may make as they are read, a part of them only.
_WRITTEN = {"stablehlo.dot_general", "stablehlo.convolution", "stablehlo.custom_call", "stablehlo.while", "func.call"}


class View(NamedTuple):
    """An array's shape, its strides and the first element's place in memory, in elements."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    first: int = 0


def whole(shape: Sequence[int]) -> View:
    """Row-major, without gaps."""
    return View(tuple(shape), tuple(math.prod(shape[i + 1 :]) for i in range(len(shape))))


# -- the operations of StableHLO that make views ---


def _transposed(x: View, op: Any) -> View:
    order = [int(i) for i in op.attributes["permutation"]]
    return View(tuple(x.shape[i] for i in order), tuple(x.strides[i] for i in order), x.first)


def _sliced(x: View, op: Any) -> View:
    begins, ends, steps = ([int(i) for i in op.attributes[n]] for n in ("start_indices", "limit_indices", "strides"))
    shape = tuple(-(-(e - b) // s) for b, e, s in zip(begins, ends, steps, strict=True))
    first = x.first + sum(b * s for b, s in zip(begins, x.strides, strict=True))
    return View(shape, tuple(s * n for s, n in zip(x.strides, steps, strict=True)), first)


def _broadcast(x: View, op: Any) -> View:
    shape = tuple(op.results[0].type.shape)
    steps = [0] * len(shape)
    for at, n, s in zip(op.attributes["broadcast_dimensions"], x.shape, x.strides, strict=True):
        steps[int(at)] = s if n == shape[int(at)] else 0
    return View(shape, tuple(steps), x.first)


def _reshaped(x: View, op: Any) -> View | None:
    shape = tuple(op.results[0].type.shape)
    steps = strides_for(x.shape, x.strides, shape)
    return None if steps is None else View(shape, steps, x.first)


_VIEWS: dict[str, Callable[[View, Any], View | None]] = {
    "stablehlo.transpose": _transposed, "stablehlo.slice": _sliced, "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.reshape": _reshaped,
}  # fmt: skip


def seen(value: Any, mode: str, itemsize: int) -> tuple[Any, View | None]:
    """The array in memory in which a value can be read as `mode` wants it, and how; the value, and None, where that
    must be there itself.

    mode: "any": elements lie side by side along one of the last two dimensions; "rows": along the last one; "matrix":
    so, and all dimensions before it have one stride; "": no view."""
    chain: list[Any] = []
    found = value
    if not mode or _extents(value) is None:
        return value, None
    while _name(found) in _VIEWS and _extents(found.owner.operands[0]) is not None:
        chain.append(found.owner)
        found = found.owner.operands[0]
    while chain:
        view: View | None = whole(_extents(found) or ())
        for op in reversed(chain):
            view = view and _VIEWS[op.name](view, op)
        cut = any(op.name == "stablehlo.slice" for op in chain)
        if view is not None and _fits(view, mode, itemsize) and not (cut and not _written(found)):
            return (value, None) if view == whole(view.shape) and not cut else (found, view)
        found = chain.pop().results[0]
    return value, None


def _name(value: Any) -> str:
    """The name of the operation that makes a value; "" for an argument."""
    return str(getattr(value.owner, "name", ""))


def _extents(value: Any) -> tuple[int, ...] | None:
    """The shape of a value; None where it is not known while it is compiled."""
    kind = value.type
    return tuple(kind.shape) if getattr(kind, "has_static_shape", False) else None


def _written(value: Any) -> bool:
    """True for a value that is in memory anyway."""
    return _name(value) in ("", *_WRITTEN)


def _fits(x: View, mode: str, itemsize: int) -> bool:
    if 0 in x.shape or not x.shape or x.first * itemsize % WIDE:
        return False
    beside = [s == 1 or n == 1 for n, s in zip(x.shape, x.strides, strict=True)]
    if mode == "any":
        return any(beside[-2:])
    one = mode == "rows" or strides_for(x.shape[:-1], x.strides[:-1], (math.prod(x.shape[:-1]),)) is not None
    return beside[-1] and one


def order_of(view: View | None, rank: int) -> tuple[int, ...] | None:
    """The dimensions of a view from the outermost to the innermost in memory, where that is another order than theirs
    with the same innermost one, for a result of so many dimensions; else None."""
    if view is None or 0 in view.strides or len(view.shape) != rank:
        return None
    order = tuple(sorted(range(len(view.shape)), key=lambda i: -view.strides[i]))
    return order if order != tuple(sorted(order)) and order[-1] == len(order) - 1 else None


# -- the call ----------------------------------------------------------------------------------------------------------


# Calls of operations under `jax.vmap`: the size of the batch, which of the arrays have it (along their first
# dimension), and these; results, and which of them have it.
Batched = Callable[..., "tuple[Sequence[Any], Sequence[bool]]"]


@functools.cache
def _primitive(jax: Any, call: Any) -> Any:
    """A primitive that is JAX's call of a foreign function, `call`, in all but its rule for batches, which it is given,
    and its lowering. It needs no derivatives: operations stand around it, which have their own."""
    names = ("jax.extend.core", "jax.extend.mlir.dialects.stablehlo", "jax.interpreters.batching",
             "jax.interpreters.mlir")  # fmt: skip
    core, stablehlo, batching, mlir = map(importlib.import_module, names)
    ours = core.Primitive("avelang_call")
    ours.multiple_results = True

    @ours.def_effectful_abstract_eval
    def abstract(*kinds: Any, batched: Any, modes: Any, follows: Any, **same: Any) -> Any:
        return call.abstract_eval(*kinds, **same)

    # An array of no program is what it is: there is nothing to see it in.
    ours.def_impl(lambda *arrays, batched, modes, follows, **same: call.bind(*arrays, **same))

    def mapped(arrays: Any, dims: Any, *, batched: Batched, **_: Any) -> Any:
        size = next(x.shape[d] for x, d in zip(arrays, dims, strict=True) if d is not None)
        first = (x if d is None else jax.numpy.moveaxis(x, d, 0) for x, d in zip(arrays, dims, strict=True))
        found, there = batched(size, [d is not None for d in dims], *first)
        return found, [0 if b else None for b in there]

    batching.primitive_batchers[ours] = mapped

    def lowered(ctx: Any, *values: Any, modes: Any, follows: Any, target_name: str, attributes: Any, **_: Any) -> Any:
        sizes = [kind.dtype.itemsize for kind in ctx.avals_in]
        found = [seen(v, m, n) for v, m, n in zip(values, modes, sizes, strict=True)]
        views = tuple(view for _, view in found)
        orders = tuple(None if at < 0 else order_of(views[at], len(kind.shape))
                       for at, kind in zip(follows, ctx.avals_out, strict=True))  # fmt: skip
        name, text = attributes[0]
        if any(views):
            text = f"{text[:-1]}, {(tuple(v and tuple(v) for v in views), orders)})"
        # From the innermost dimension to the outermost, as XLA has layouts: all are row-major. A result in another
        # order is a row-major one that is transposed: XLA takes away two transpositions, but no copy to another layout.
        given = [tuple(reversed(range(len(v.type.shape)))) for v, _ in found]
        made = [tuple(reversed(range(len(kind.shape)))) for kind in ctx.avals_out]
        lie = [kind if order is None else kind.update(shape=tuple(kind.shape[i] for i in order))
               for kind, order in zip(ctx.avals_out, orders, strict=True)]  # fmt: skip
        rule = jax.ffi.ffi_lowering(target_name, operand_layouts=given, result_layouts=made)
        results = rule(ctx.replace(avals_out=lie), *(v for v, _ in found), **{name: text})
        return [x if o is None else stablehlo.transpose(x, mlir.dense_int_array([o.index(i) for i in range(len(o))]))
                for x, o in zip(results, orders, strict=True)]  # fmt: skip

    # A lowering that is kept for another call does not see what its operands are.
    mlir.register_lowering(ours, lowered, cacheable=False)
    return ours


def sees(jax: Any) -> bool:
    """True for versions of JAX with which this has been tried."""
    return bool(jax.__version_info__ >= (0, 10))


def call(
    jax: Any, target: str, results: Sequence[Any], given: Sequence[Any], text: str, modes: Sequence[str],
    follows: Sequence[int], batched: Batched,
) -> Any:  # fmt: skip
    """Calls a foreign function by its text, the repr of a tuple. modes: of each operand as `seen` has them. follows:
    for each result the number of the operand in whose order of dimensions it is made, where that is a view; or -1.

    Where operands are views the text gets one more element: a View for each operand, or None, and for each result None,
    or its dimensions in the order in which they stand in the buffer that XLA gives."""
    kinds = tuple(map(jax.typeof, given))
    # Extents that are symbols of two programs cannot be compared, as a cache does.
    known = all(isinstance(n, int) for x in (*kinds, *results) for n in x.shape)
    mesh = jax.sharding.get_abstract_mesh()  # that of `jax.set_mesh` or `jax.shard_map`
    traced = (_traced if known else _traced.__wrapped__)(jax, target, tuple(results), kinds, text, mesh)
    return _primitive(jax, traced.primitive).bind(
        *given, modes=tuple(modes), follows=tuple(follows), batched=batched, **traced.params
    )  # fmt: skip


@functools.lru_cache(4096)
def _traced(
    jax: Any, target: str, results: tuple[Any, ...], kinds: tuple[Any, ...], text: str, mesh: Any
) -> Any:  # fmt: skip
    """JAX's equation of a call, of operands of these kinds, traced in a mesh: to make it takes half of an eager call's
    time."""
    foreign = jax.ffi.ffi_call(target, results, vmap_method="sequential")
    return jax.make_jaxpr(lambda *arrays: foreign(*arrays, call=text))(*kinds).jaxpr.eqns[-1]
