"""`attention`: softmax(scale Q K^T) V with masks, windows, caps, biases, grouped heads, packed sequences and caches in
pages, forward and backward, by the kernel of the arrays' chip. docs/attention.md tells all of it."""

from __future__ import annotations

import math
import sys
from numbers import Integral
from typing import Any

from avelang import argument_error
from avelang.base.takes import counted
from avelang.bridge import Array, no_kernel, op
from avelang.bridge.descriptions import framework_of
from avelang.bridge.relaunched import relaunched
from avelang.ops.matmul import check_array
from avelang.ops.sharding import of_attention, of_attention_gradients
from avelang_kernels.arrays import address, is_torch, new, on_chip, whole
from avelang_kernels.attention.problem import Operands, Problem
from avelang_kernels.attention.sinks import launch as sink_gradients
from avelang_kernels.attention.table import (
    BACKWARD,
    FORWARD,
    check_dropout,
    described,
    entry_for,
    problem_for,
    problem_of,
    run_backward,
    run_forward,
)
from avelang_kernels.attention.tile_attention_views import writable

DENSE = ("query", "key", "value", "attn_mask")
DEFAULT = "gfx942"  # the chip whose kernels the CPU runs
CAUSAL = (None, False, True, "top_left", "bottom_right")
# Small arrays, which kernels read without strides.
WHOLE = ("cu_seqlens_q", "cu_seqlens_k", "cache_lengths", "sinks", "dropout_seed")
# Which weights are left out depends on the place in a batch; under vmap an element has the place that it has by itself.
HOW: dict[str, Any] = {
    "batched": DENSE, "apart": ("dropout_seed",), "autocast": "lower", "contiguous": (*WHOLE, "block_table"),
    "sharding": of_attention, "strided": dict.fromkeys(DENSE, "rows"), "follows": {"out": "query"},
}  # fmt: skip


def shapes(
    query: Array, key: Array, value: Array, attn_mask: Array | None = None, cu_seqlens_q: Array | None = None,
    cu_seqlens_k: Array | None = None, block_table: Array | None = None, cache_lengths: Array | None = None,
    sinks: Array | None = None, dropout_seed: Array | None = None, *, scale: Any, softcap: Any, left: Any, right: Any,
    bottom_right: Any, gqa: Any, longest: Any, invariant: Any, rows_first: Any, target: Any, dropout: Any,
) -> tuple[Array, Array]:  # fmt: skip
    """Shapes of O and of the logarithms. Raises L066."""
    arrays = query, key, value, attn_mask, cu_seqlens_q, cu_seqlens_k, block_table, cache_lengths, sinks, dropout_seed
    p = problem_of(arrays, scale, softcap, left, right, bottom_right, gqa, longest, invariant, dropout)
    entry_for(FORWARD, p, target or (DEFAULT if query.chip == "cpu" else query.chip))
    if p.packed_q:
        length, heads = query.shape[:2]
        return Array((length, heads, p.dv), query.dtype), Array((heads, length), "float32")
    out = tuple(query.shape[:-1])
    made = (*out[:-2], out[-1], out[-2]) if rows_first else out
    return Array((*made, p.dv), query.dtype), Array(out, "float32")


def _forward(arrays: Any, out: Any, lse: Any, options: tuple[Any, ...], rows_first: bool, target: str | None) -> None:
    """Runs the kernel for arrays in the order of the rule."""
    p = problem_for(tuple(described(x) for x in arrays), options)
    out = out.swapaxes(-3, -2) if rows_first else out
    x = operands(p, *arrays)
    made, logs = heads_of(p, out), lse_of(p, lse)
    # Arrays of the caller's lie as they lie: those that kernels cannot write get copies.
    to = made if address(made) == address(out) and writable(made) else new(made, tuple(made.shape))
    to_logs = logs if address(logs) == address(lse) and whole(logs) else new(logs, tuple(logs.shape))
    run_forward(p, x, to, to_logs, target)
    if to is not made:
        out[...] = to.reshape(tuple(out.shape))
    if to_logs is not logs:
        lse[...] = to_logs.reshape(tuple(lse.shape))


@op(shapes, returns=1, **HOW)
def scaled_attention(
    query, key, value, attn_mask, cu_seqlens_q, cu_seqlens_k, block_table, cache_lengths, sinks, dropout_seed, out,
    lse, *, scale: float | None = None, softcap: float = 0.0, left: int | None = None, right: int | None = None,
    bottom_right: bool = False, gqa: bool = False, longest: tuple[int, ...] = (0, 0), invariant: bool | None = None,
    rows_first: bool = False, target: str | None = None, dropout: float = 0.0,
):  # fmt: skip
    """O; see `attention`. left, right: query i sees keys i + shift - left to i + shift + right; shift is 0, or where
    `bottom_right` keys - queries. longest: lengths that no packed sequence exceeds, 0 where
    they are not known; two always, since programs of torch's AOTInductor lose lists of none. rows_first: O is made
    (..., length, heads, dv)."""
    arrays = query, key, value, attn_mask, cu_seqlens_q, cu_seqlens_k, block_table, cache_lengths, sinks, dropout_seed
    options = scale, softcap, left, right, bottom_right, gqa, longest, invariant, dropout
    _forward(arrays, out, lse, options, rows_first, target)


@op(shapes, returns=2, **HOW)
def scaled_attention_and_lse(
    query, key, value, attn_mask, cu_seqlens_q, cu_seqlens_k, block_table, cache_lengths, sinks, dropout_seed, out,
    lse, *, scale: float | None = None, softcap: float = 0.0, left: int | None = None, right: int | None = None,
    bottom_right: bool = False, gqa: bool = False, longest: tuple[int, ...] = (0, 0), invariant: bool | None = None,
    rows_first: bool = False, target: str | None = None, dropout: float = 0.0,
):  # fmt: skip
    """O and the logarithms of the rows' sums of e to the scores; else as `scaled_attention`."""
    arrays = query, key, value, attn_mask, cu_seqlens_q, cu_seqlens_k, block_table, cache_lengths, sinks, dropout_seed
    options = scale, softcap, left, right, bottom_right, gqa, longest, invariant, dropout
    _forward(arrays, out, lse, options, rows_first, target)


# -- gradients ---------------------------------------------------------------------------------------------------------


def gradient_shapes(
    grad: Array, query: Array, key: Array, value: Array, made: Array, lse: Array, attn_mask: Array | None = None,
    cu_seqlens_q: Array | None = None, cu_seqlens_k: Array | None = None, sinks: Array | None = None,
    grad_lse: Array | None = None, dropout_seed: Array | None = None, cache_lengths: Array | None = None, *,
    scale: Any, softcap: Any, left: Any, right: Any, bottom_right: Any, gqa: Any, longest: Any, invariant: Any,
    rows_first: Any, target: Any,
    wants_mask: Any, wants_sinks: Any, dropout: Any,
) -> tuple[Array, ...]:  # fmt: skip
    """Shapes of the gradients of query, key, value, attn_mask and sinks; the last two are empty where they are not
    wanted."""
    arrays = query, key, value, attn_mask, cu_seqlens_q, cu_seqlens_k, None, cache_lengths, sinks, dropout_seed
    p = problem_of(arrays, scale, softcap, left, right, bottom_right, gqa, longest, invariant, dropout)
    entry_for(BACKWARD, p, target or (DEFAULT if query.chip == "cpu" else query.chip))
    found = []
    for x in (query, key, value):
        s = tuple(x.shape)
        found.append(Array((*s[:-3], s[-2], s[-3], s[-1]) if rows_first else s, x.dtype))
    for x, wanted in ((attn_mask, wants_mask), (sinks, wants_sinks)):
        found.append(Array(x.shape, x.dtype) if wanted and x is not None else Array((0,), "float32"))
    return tuple(found)


@op(gradient_shapes, returns=5, contiguous=WHOLE, sharding=of_attention_gradients,
    strided=dict.fromkeys(("grad", *DENSE, "made"), "rows"),
    follows={"dquery": "query", "dkey": "key", "dvalue": "value"})  # fmt: skip
def scaled_attention_gradients(
    grad, query, key, value, made, lse, attn_mask, cu_seqlens_q, cu_seqlens_k, sinks, grad_lse, dropout_seed,
    cache_lengths, dquery, dkey, dvalue, dmask, dsinks, *, scale: float | None = None, softcap: float = 0.0,
    left: int | None = None, right: int | None = None, bottom_right: bool = False, gqa: bool = False,
    longest: tuple[int, ...] = (0, 0), invariant: bool | None = None, rows_first: bool = False,
    target: str | None = None, wants_mask: bool = False, wants_sinks: bool = False, dropout: float = 0.0,
):  # fmt: skip
    """Gradients of query, key, value, attn_mask and sinks: the same bits in every run. `grad`, `grad_lse`: of O and of
    the logarithms. `made`: O. rows_first: O, its gradient and those of query, key and value are (..., length, heads,
    d)."""
    arrays = query, key, value, attn_mask, cu_seqlens_q, cu_seqlens_k, None, cache_lengths, sinks, dropout_seed
    p = problem_for(tuple(described(x) for x in arrays),
                    (scale, softcap, left, right, bottom_right, gqa, longest, invariant, dropout))  # fmt: skip
    if rows_first:
        made, grad, dquery, dkey, dvalue = (x.swapaxes(-3, -2) for x in (made, grad, dquery, dkey, dvalue))
    x = operands(p, *arrays)
    o, do, dq, dk, dv = (heads_of(p, a) for a in (made, grad, dquery, dkey, dvalue))
    logs, dlogs = lse_of(p, lse), None if grad_lse is None else lse_of(p, grad_lse)
    run_backward(p, x, o, logs, do, dlogs, dq, dk, dv, target, dmask if wants_mask else None, tuple(query.shape[:-1]))
    if wants_sinks:
        sink_gradients(sinks, o, do, logs, dlogs, dsinks, p.packed_q, **on_chip(query, target))


def _gradients(grads: Any, inputs: Any, outputs: Any, needs: Any, options: dict[str, Any]) -> tuple[Any, ...]:
    query, key, value, mask, cu_q, cu_k, table, lengths, sinks, seed = inputs
    if table is not None:
        raise argument_error(
            "attention has no gradient with a block table: sequences may share a page, so that several blocks would "
            "add to its gradient in no fixed order; cu_seqlens_q and cu_seqlens_k, or cache_lengths of dense keys, say "
            "how long sequences are where gradients are wanted"
        )
    found = scaled_attention_gradients(
        grads[0], query, key, value, outputs[0], outputs[1], mask, cu_q, cu_k, sinks,
        grads[1] if len(grads) > 1 else None, seed, lengths, wants_mask=bool(needs[3]), wants_sinks=bool(needs[8]),
        **options,
    )  # fmt: skip
    dq, dk, dv = (x.swapaxes(-3, -2) for x in found[:3]) if options["rows_first"] else found[:3]
    return dq, dk, dv, found[3] if needs[3] else None, None, None, None, None, found[4] if needs[8] else None, None


@scaled_attention.backward
def _(grads, inputs, outputs, *, needs, **options):
    return _gradients(grads, inputs, outputs, needs, options)


@scaled_attention_and_lse.backward
def _(grads, inputs, outputs, *, needs, **options):
    return _gradients(grads, inputs, outputs, needs, options)


# -- arrays ------------------------------------------------------------------------------------------------------------


def heads_of(p: Problem, x: Any) -> Any:
    """An array (..., heads, length, d) as (batch, heads, length, d); one of packed sequences as it is."""
    if p.packed_q or len(x.shape) == 4:
        return x
    return x[None, None] if len(x.shape) == 2 else x.reshape(math.prod(x.shape[:-3]), *x.shape[-3:])


def lse_of(p: Problem, x: Any) -> Any:
    """Logarithms as (batch, heads, queries), or packed (heads, tokens)."""
    return x if p.packed_q else x.reshape(p.batch, p.heads, p.queries)


def operands(p: Problem, q: Any, k: Any, v: Any, mask: Any, cu_q: Any, cu_k: Any, table: Any, lengths: Any, sinks: Any,
             seed: Any) -> Operands:  # fmt: skip
    """The arrays as kernels take them."""
    if not (p.packed_q or p.page):
        lead = tuple(q.shape[:-3])
        q, k, v = (heads_of(p, x) for x in (q, k, v))
        if mask is not None:
            mask = whole_mask(mask, lead)
    return Operands(q, k, v, mask, cu_q, cu_k, table, lengths, sinks, one_number(seed))


def whole_mask(mask: Any, lead: tuple[int, ...]) -> Any:
    """A mask as (batch or 1, heads or 1, queries or 1, keys or 1)."""
    while len(mask.shape) < 4:
        mask = mask[None]
    if len(mask.shape) == 4 and len(lead) == 1 or set(mask.shape[:-3]) == {1}:
        return mask.reshape(1, *mask.shape[-3:]) if len(mask.shape) > 4 else mask
    shape, flat = (*lead, *mask.shape[-3:]), (math.prod(lead), *mask.shape[-3:])
    if is_torch(mask):
        return mask.expand(shape).reshape(flat)
    import numpy as np

    return np.broadcast_to(mask, shape).reshape(flat)


# -- the public function -----------------------------------------------------------------------------------------------


def rows_come_first(query: Any) -> bool:
    """True for torch's transposed view of (..., length, heads, d): O is then made so, as callers turn it back."""
    shape = query.shape
    if len(shape) < 4 or not hasattr(query, "stride") or shape[-2] <= 1 or shape[-3] <= 1:
        return False
    strides = query.stride()
    return strides[-3] < strides[-2]


@relaunched
@counted
def attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False, *, causal: str | bool | None = None,
    window: tuple[int | None, int | None] | None = None, softcap: float = 0.0, cu_seqlens_q: Any = None,
    cu_seqlens_k: Any = None, max_seqlen_q: int | None = None, max_seqlen_k: int | None = None, block_table: Any = None,
    cache_lengths: Any = None, sinks: Any = None, dropout_seed: Any = None, return_lse: bool = False, out: Any = None,
    fallback: bool = False, invariant: bool | None = None, target: str | None = None,
) -> Any:  # fmt: skip
    """softmax(scale query key^T) value, as torch's `scaled_dot_product_attention` has it, with weights and sums in f32.

    query: (..., heads, length, d); key: (..., heads, keys, d); value: (..., heads, keys, dv): bf16, f16 or f32, d and
    dv to 256, with any strides that keep d side by side (others are copied). With `enable_gqa` heads of query share
    those of key and value, which divide them. attn_mask: broadcasts to (..., heads, length, keys); of bool, True where
    a key takes part, or of float32 or query's dtype, added to scores. is_causal: query i sees keys up to i. scale:
    1/sqrt(d) if None. dropout_p: the part of the weights that is left out of the product with value, the others grow by
    1 / (1 - dropout_p); which ones says `dropout_seed`, an int or an array of one number, by Philox, the same on all
    chips; None draws it from torch's generator, and is refused for arrays of NumPy and JAX, which have none.

    causal: "top_left", which is `is_causal`, or "bottom_right": the last query sees all keys, each one before it one
    less. window: (left, right): query i sees keys from i + shift - left to i + shift + right, None without an end on
    that side; shift is 0 where the mask is causal from the top left, else keys - queries. softcap: c above 0, scores
    become c tanh(score / c), before attn_mask is added. sinks: f32 (heads,), one more score for each row, whose value
    is 0. Masks of all kinds may come together: a key takes part where all say so.

    Packed sequences: query (tokens, heads, d), key and value likewise, and cu_seqlens_q, cu_seqlens_k: i32 (sequences
    + 1,), where each begins and the last ends; tokens behind them get 0. max_seqlen_q, max_seqlen_k: lengths that none
    exceeds, if known. A cache in pages: key and value (pages, keys of a page, heads, d), block_table i32 (sequences,
    pages of one), cache_lengths i32 (sequences,); query (sequences, heads, length, d), or packed. cache_lengths alone:
    of key and value (sequences, heads, keys, d) so many keys count.

    A row that sees nothing is 0. Returns O, (..., heads, length, dv), and with return_lse also the logarithms of the
    rows' sums of e to the scores, f32 (..., heads, length), packed (heads, tokens). The gradients of query, key, value,
    of a float attn_mask and of sinks are the same bits in every run; with a block table there are none.
    invariant: the bits of a row do not depend on what came with it; None for what `ops.invariant` says. target: of
    arrays on the CPU, the chip whose kernel is run there. fallback: torch's own function where there is no kernel for
    a dtype or chip. Raises L066."""
    check_array("query", query, False)
    check_array("attn_mask", attn_mask, True)
    seed = seed_for(query, dropout_p, dropout_seed) if dropout_p else None
    if causal not in CAUSAL:
        raise argument_error(f"causal is {causal!r}: it must be 'top_left', 'bottom_right' or None")
    attn_mask = attn_mask if attn_mask is None else aligned(attn_mask, query)
    left, right = (None, None) if window is None else _ends(window)
    if is_causal or causal:
        right = 0
    bottom = causal == "bottom_right" or (window is not None and not is_causal and not causal)
    longest = (max_seqlen_q or 0, max_seqlen_k or 0)
    first = out is None and cu_seqlens_q is None and rows_come_first(query)
    arrays = query, key, value, attn_mask, cu_seqlens_q, cu_seqlens_k, block_table, cache_lengths, sinks, seed
    options = scale, softcap, left, right, bottom, enable_gqa, longest, invariant, first, target, dropout_p
    run = scaled_attention_and_lse if return_lse else scaled_attention
    found = run(*arrays, out=out, fallback=fallback, **dict(zip(run.signature.options, options, strict=True)))
    if not first:
        return found
    return (found[0].swapaxes(-3, -2), found[1]) if return_lse else found.swapaxes(-3, -2)


def aligned(mask: Any, query: Any) -> Any:
    """A mask with as many dimensions as query has, so that vmap may put a batch before all of them; as it is where it
    does not fit, for the error to show it."""
    shape, more = tuple(mask.shape), len(query.shape) - len(mask.shape)
    fits = all(n in (1, m) for n, m in zip(shape[-2::-1], query.shape[-2::-1], strict=False))
    return mask.reshape((1,) * more + shape) if more > 0 and shape and fits else mask


def seed_for(query: Any, dropout: float, seed: Any) -> Any:
    """The seed of a call as an array of one number, where query is. Raises L066."""
    torch = sys.modules.get("torch")
    of_torch = torch if torch is not None and isinstance(query, torch.Tensor) else None
    if seed is None and of_torch is not None:
        return of_torch.randint(1 << 62, (1,), dtype=of_torch.int64, device=query.device)
    if seed is None:
        raise argument_error(
            f"dropout_p is {dropout} and dropout_seed is None: it must be an int or an array of one integer; only of "
            f"torch's tensors is it drawn, by torch's generator"
        )
    of_jax = framework_of((query,)) == "jax"
    if hasattr(seed, "reshape") and not isinstance(seed, Integral):
        seed = seed.reshape(1) if tuple(seed.shape) in ((), (1,)) else seed
        if not of_jax or framework_of((seed,)) == "jax" or tuple(seed.shape) != (1,):
            return seed
        check_dropout(dropout, seed)
        seed = int(seed[0])
    if not hasattr(seed, "__index__"):
        raise argument_error(f"dropout_seed is {seed!r}: it must be an int, or an array of one integer")
    if of_torch is not None:
        return of_torch.full((1,), wrapped(int(seed)), dtype=of_torch.int64, device=query.device)
    import numpy as np

    found = np.array([wrapped(int(seed))], np.int64)
    return found.view(np.uint32) if of_jax else found  # JAX would cut it to 32 bits


def one_number(seed: Any) -> Any:
    """A seed as an array of one number: two words of 32 bits, the lower one first, as one of 64."""
    if seed is None or tuple(seed.shape) == (1,):
        return seed
    if not is_torch(seed):
        return seed.view("int64")
    return seed.clone().view(sys.modules["torch"].int64)


def wrapped(seed: int) -> int:
    """The last 64 bits of a number, as a signed one."""
    return (seed + (1 << 63)) % (1 << 64) - (1 << 63)


def _ends(window: Any) -> tuple[int | None, int | None]:
    """Ends of a window, None for less than 0, as some libraries have it."""
    try:
        left, right = window
        return tuple(None if x is None or x < 0 else int(x) for x in (left, right))  # type: ignore[return-value]
    except (TypeError, ValueError):
        raise argument_error(
            f"window is {window!r}: it must be (left, right), numbers of keys, or None for no end on a side"
        ) from None


@scaled_attention.fallback
def _(query, key, value, attn_mask=None, *others, scale, softcap, left, right, bottom_right, gqa, rows_first, **_):
    torch = sys.modules.get("torch")
    causal = left is None and right == 0 and not (bottom_right and query.shape[-2] != key.shape[-2])
    plain = not softcap and left is None and (right is None or causal) and all(x is None for x in others)
    if torch is None or not is_torch(query) or not plain or (causal and attn_mask is not None):
        raise no_kernel("there is no kernel of attention for this dtype or chip, and torch's has not what is asked for")
    out = torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask, is_causal=causal, scale=scale, enable_gqa=gqa
    )
    return out.swapaxes(-3, -2) if rows_first else out
