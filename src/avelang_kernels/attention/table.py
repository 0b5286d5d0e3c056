"""Which kernel runs an attention: shapes, dtypes and options come in; a checked `Problem` and the row of a table for
its chip go out.

`FORWARD` and `BACKWARD` are the kernels, the first of which that takes a problem on a chip runs it."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Sequence
from typing import Any

from avelang import argument_error, tile
from avelang.bridge import no_kernel
from avelang_kernels.arrays import ArrayLike, cast, filled, named, whole
from avelang_kernels.attention.padded import padded, padded_operands, room_beside, unaligned, with_zeros
from avelang_kernels.attention.problem import Entry, Operands, Problem

TILES = ("gfx", "sm_8", "sm_9", "sm_1")  # chips that multiply f32, too, NVIDIA's as three products of tf32
TURING = ("sm_75",)  # multiplies f16
FLOATS = ("bfloat16", "float16", "float32")
WIDEST = 256  # the greatest d
SEEDS = ("int64", "int32", "uint32")
NAMES = ("query", "key", "value", "attn_mask", "cu_seqlens_q", "cu_seqlens_k", "block_table", "cache_lengths", "sinks",
         "dropout_seed")  # fmt: skip


def by_name(module: str, function: str) -> Any:
    """A function of `avelang_kernels.attention`, imported when it is first called: kernels are many."""

    @functools.cache
    def found() -> Any:
        return getattr(importlib.import_module(f"avelang_kernels.attention.{module}"), function)

    def call(*args: Any, **options: Any) -> Any:
        return found()(*args, **options)

    return call


def f16(p: Problem) -> bool:
    """True for f16."""
    return p.dtype == "float16"


def anything(p: Problem) -> bool:
    """True."""
    return True


HOPPER, BLACKWELL = ("sm_90a",), ("sm_100a",)
FORWARD = (
    Entry("hopper_decode", HOPPER, by_name("hopper_decode", "fits"), by_name("hopper_decode", "launch")),
    Entry(
        "tile_attention_hopper", HOPPER, by_name("tile_attention_hopper", "fits"),
        by_name("tile_attention_hopper", "launch_problem"),
    ),
    Entry(
        "tile_attention_blackwell", BLACKWELL, by_name("tile_attention_blackwell", "fits"),
        by_name("tile_attention_blackwell", "launch"),
    ),
    Entry("tile_attention_forward", TILES, anything, by_name("tile_attention_forward", "launch")),
    Entry("tile_attention_forward", TURING, f16, by_name("tile_attention_forward", "launch")),
)
BACKWARD = (
    Entry(
        "hopper_backward_rows", HOPPER, by_name("hopper_backward_rows", "fits"),
        by_name("hopper_backward_rows", "backward"),
    ),
    Entry("tile_attention_backward", TILES, anything, by_name("tile_attention_backward", "launch")),
    Entry("tile_attention_backward", TURING, f16, by_name("tile_attention_backward", "launch")),
)


def entry_for(table: tuple[Entry, ...], p: Problem, chip: str) -> Entry:
    """The kernel of a table for a problem on a chip. Raises L066 where there is none."""
    for entry in table:
        if entry.takes(p, chip):
            return entry
    raise no_kernel(
        f"there is no kernel of attention for {p.dtype} on {chip}: bfloat16, float16 and float32 run on gfx90a, "
        f"gfx942, gfx950, sm_80 and newer, and on the CPU; float16 on sm_75"
    )


# -- problems ----------------------------------------------------------------------------------------------------------


def problem_of(
    arrays: Sequence[Any], scale: float | None, softcap: float, left: int | None, right: int | None, bottom_right: bool,
    gqa: bool, longest: Sequence[int], invariant: bool | None, dropout: float = 0.0,
) -> Problem:  # fmt: skip
    """The problem of arrays in the order of `NAMES`, each with `shape` and the name of its `dtype`, or None, and of
    options. Raises L066 for what does not fit."""
    q, k, v, mask, cu_q, cu_k, table, lengths, sinks, seed = arrays
    check_kinds(arrays)
    if table is not None:
        batch, heads, queries, d = rows_of_queries(q, cu_q, table.shape[0])
        kv_heads, keys, dv = pages_of(k, v, table)
    elif cu_q is not None or cu_k is not None:
        batch, heads, queries, d = rows_of_queries(q, cu_q, None)
        kv_heads, keys, dv = tokens_of(k, v, cu_q, cu_k)
    else:
        batch, heads, queries, d, kv_heads, keys, dv = dense_of(q, k, v)
    if k.shape[-1] != d:
        raise argument_error(f"query is {tuple(q.shape)} and key is {tuple(k.shape)}: their last dimensions, d, differ")
    if kv_heads == 0 and heads or kv_heads and heads % kv_heads:
        raise argument_error(f"query has {heads} heads and key has {kv_heads}: those of query must be a multiple")
    if heads != kv_heads and not gqa and cu_q is None and table is None:
        raise argument_error(
            f"query has {heads} heads and key has {kv_heads}: enable_gqa=True says that heads of query share those of "
            f"key and value"
        )
    if not (1 <= d <= WIDEST and 1 <= dv <= WIDEST):
        raise argument_error(f"d is {d} and that of value {dv}: both must be from 1 to {WIDEST}")
    bias = mask_of(mask, q, heads, queries, keys, cu_q is not None or table is not None)
    for name, x, want in (("cache_lengths", lengths, (batch,)), ("sinks", sinks, (heads,))):
        if x is not None and tuple(x.shape) != want:
            raise argument_error(f"{name} is {tuple(x.shape)}: it must be {want}")
    if table is not None and lengths is None:
        raise argument_error("block_table is given and cache_lengths is not: it says how many keys each sequence has")
    if lengths is not None and cu_k is not None:
        raise argument_error("cache_lengths and cu_seqlens_k are both given: one of them says where sequences end")
    for name, x in (("softcap", softcap), *((("scale", scale),) if scale is not None else ())):
        if isinstance(x, str) or not hasattr(x, "__float__"):
            raise argument_error(f"{name} is {x!r}: it must be a finite number{', 0 or above' * (name == 'softcap')}")
        if x != x or x in (float("inf"), float("-inf")) or (name == "softcap" and x < 0):
            raise argument_error(f"{name} is {x}: it must be a finite number{', 0 or above' * (name == 'softcap')}")
    check_dropout(dropout, seed)
    told = tuple(longest) or (0, 0)
    most_queries, most_keys = told[0] or queries, told[1] or keys
    return Problem(
        batch, heads, kv_heads, min(queries, most_queries), min(keys, most_keys), d, dv, q.dtype,
        d**-0.5 if scale is None else float(scale), left, right, bottom_right, float(softcap), bias, cu_q is not None,
        cu_k is not None, 0 if table is None else k.shape[1], lengths is not None, sinks is not None, bool(invariant),
        float(dropout),
    )  # fmt: skip


def check_kinds(arrays: Sequence[Any]) -> None:
    """Checks dtypes and numbers of dimensions. Raises L066."""
    q = arrays[0]
    if q.dtype not in FLOATS:
        raise no_kernel(f"query is of {q.dtype}: there are kernels of attention for {', '.join(FLOATS)}")
    for name, x in zip(NAMES[1:3], arrays[1:3], strict=True):
        if x.dtype != q.dtype:
            raise argument_error(f"query is of {q.dtype} and {name} of {x.dtype}: they must be of one dtype")
    mask, sinks = arrays[3], arrays[8]
    if mask is not None and mask.dtype not in ("bool", "float32", q.dtype):
        raise argument_error(f"attn_mask is of {mask.dtype}: it must be of bool, of float32 or of query's {q.dtype}")
    if sinks is not None and sinks.dtype != "float32":
        raise argument_error(f"sinks is of {sinks.dtype}: it must be of float32")
    for name, x, count in zip(NAMES[4:8], arrays[4:8], (1, 1, 2, 1), strict=True):
        if x is not None and (x.dtype != "int32" or len(x.shape) != count):
            said = f"{tuple(x.shape)} of {x.dtype}"
            raise argument_error(f"{name} is {said}: it must be of int32 and have {count} dimension{'s' * (count > 1)}")


def check_dropout(dropout: float, seed: Any) -> None:
    """Checks the part of the weights that is left out, and the seed. Raises L066."""
    if isinstance(dropout, str) or not hasattr(dropout, "__float__") or not 0 <= dropout <= 1:
        raise argument_error(f"dropout_p is {dropout!r}: it must be a number from 0 to 1")
    if dropout and seed is None:
        raise argument_error(f"dropout_p is {dropout} and there is no dropout_seed: it is an int, or an array of one")
    if seed is None or (tuple(seed.shape) == (1,) and seed.dtype in SEEDS):
        return
    if tuple(seed.shape) != (2,) or seed.dtype != "uint32":
        said = f"{tuple(seed.shape)} of {seed.dtype}"
        raise argument_error(f"dropout_seed is {said}: it must be one number, an int or an array of "
                             f"{', '.join(SEEDS)}, or two words of uint32, the lower one first")  # fmt: skip


def rows_of_queries(q: Any, cu_q: Any, batch: int | None) -> tuple[int, int, int, int]:
    """batch, heads, queries and d of packed sequences, or of a query with a paged cache."""
    if cu_q is None and batch is not None:
        if len(q.shape) != 4 or q.shape[0] != batch:
            raise argument_error(
                f"query is {tuple(q.shape)}: with a block table of {batch} sequences it must be ({batch}, heads, "
                f"length, d), or packed (tokens, heads, d) with cu_seqlens_q"
            )
        return batch, q.shape[1], q.shape[2], q.shape[3]
    if cu_q is None or len(q.shape) != 3 or (batch is not None and cu_q.shape[0] != batch + 1):
        said = "not given" if cu_q is None else f"{tuple(cu_q.shape)}"
        raise argument_error(f"query is {tuple(q.shape)} and cu_seqlens_q {said}: packed sequences are (tokens, heads, "
                             f"d), and offsets one more than there are sequences")  # fmt: skip
    if cu_q.shape[0] < 1:
        raise argument_error("cu_seqlens_q is empty: it must have one more number than there are sequences")
    return cu_q.shape[0] - 1, q.shape[1], q.shape[0], q.shape[2]


def pages_of(k: Any, v: Any, table: Any) -> tuple[int, int, int]:
    """Heads, the greatest count of keys and dv of a paged cache."""
    if len(k.shape) != 4 or len(v.shape) != 4 or tuple(k.shape[:3]) != tuple(v.shape[:3]) or 0 in k.shape[:2]:
        raise argument_error(f"key is {tuple(k.shape)} and value {tuple(v.shape)}: with a block table both must be "
                             f"(pages, keys of a page, heads, d)")  # fmt: skip
    return k.shape[2], table.shape[1] * k.shape[1], v.shape[3]


def tokens_of(k: Any, v: Any, cu_q: Any, cu_k: Any) -> tuple[int, int, int]:
    """Heads, keys and dv of packed sequences."""
    if cu_q is None or cu_k is None or tuple(cu_q.shape) != tuple(cu_k.shape):
        said = [None if x is None else tuple(x.shape) for x in (cu_q, cu_k)]
        raise argument_error(f"cu_seqlens_q is {said[0]} and cu_seqlens_k {said[1]}: both are needed, of one length")
    if len(k.shape) != 3 or len(v.shape) != 3 or tuple(k.shape[:2]) != tuple(v.shape[:2]):
        raise argument_error(f"key is {tuple(k.shape)} and value {tuple(v.shape)}: with offsets both must be (tokens, "
                             f"heads, d)")  # fmt: skip
    return k.shape[1], k.shape[0], v.shape[2]


def dense_of(q: Any, k: Any, v: Any) -> tuple[int, ...]:
    """batch, heads, queries, d, heads of K, keys and dv of arrays (..., heads, length, d)."""
    said = f"query is {tuple(q.shape)}, key {tuple(k.shape)}, value {tuple(v.shape)}"
    if len({len(x.shape) for x in (q, k, v)}) != 1 or len(q.shape) < 2:
        raise argument_error(f"{said}: they must have as many dimensions, two or more: (..., heads, length, d)")
    batch = 1
    for n in q.shape[:-3]:
        batch *= n
    alone = len(q.shape) == 2
    if tuple(q.shape[:-3]) != tuple(k.shape[:-3]) or tuple(k.shape[:-1]) != tuple(v.shape[:-1]):
        raise argument_error(f"{said}: (..., heads, length, d) of one batch, and of key and value of as many heads and "
                             f"of one length, are wanted")  # fmt: skip
    heads, kv_heads = (1, 1) if alone else (q.shape[-3], k.shape[-3])
    return batch, heads, q.shape[-2], q.shape[-1], kv_heads, k.shape[-2], v.shape[-1]


def mask_of(mask: Any, q: Any, heads: int, queries: int, keys: int, apart: bool) -> str:
    """The dtype of a mask, "" without one."""
    if mask is None:
        return ""
    if apart:
        raise argument_error(
            "attn_mask is given with cu_seqlens or a block table: there causal=, window= and the lengths say "
            "what takes part"
        )
    whole = (*q.shape[:-3], *((heads,) if len(q.shape) > 2 else ()), queries, keys)
    shape = tuple(mask.shape)
    if len(shape) > len(whole) or any(n not in (1, m) for n, m in zip(shape[::-1], whole[::-1], strict=False)):
        raise argument_error(f"attn_mask is {shape}: it must broadcast to (..., heads, queries, keys), {tuple(whole)}")
    return mask.dtype


@functools.lru_cache(4096)
def problem_for(arrays: tuple[Any, ...], options: tuple[Any, ...]) -> Problem:
    """`problem_of`, kept: `arrays` as `described`."""
    return problem_of(arrays, *options)


def described(x: Any) -> Any:
    """Shape and dtype of an array of NumPy or torch."""
    return None if x is None else ArrayLike(tuple(x.shape), named(x))


# -- runs --------------------------------------------------------------------------------------------------------------


def place_of(x: Any, target: str | None) -> tuple[str, int, dict[str, Any]]:
    """The chip that an array is on, or is meant for, its compute units, and options of launches there."""
    chip, units = tile.device_of(x, target)
    return chip, units, {"backend": "cpu"} if target is None and tile.on_cpu(x) else {}


def run_forward(p: Problem, x: Operands, out: Any, lse: Any, target: str | None = None, **options: Any) -> None:
    """Writes O and the logarithms of the rows' sums."""
    if p.empty:
        out[...] = 0
        lse[...] = float("-inf") if x.sinks is None else x.sinks.reshape((-1, 1))
        return
    chip, units, more = place_of(x.q, target)
    more, made = {**more, **options}, out
    if unaligned(p, (x.q, x.k, x.v, out), chip, more):
        p, x, made = padded(p), padded_operands(x), room_beside(out)
    entry_for(FORWARD, p, chip).launch(p, x, made, lse, target=chip, units=units, **more)
    if made is not out:
        out[...] = made[..., : out.shape[-1]]


def summed(x: Any, like: Any) -> Any:
    """Sums over the dimensions along which an array of the shape of `like` was broadcast."""
    lead = len(x.shape) - len(like.shape)
    axes = tuple(range(lead)) + tuple(lead + i for i, n in enumerate(like.shape) if n == 1 and x.shape[lead + i] != 1)
    x = x.sum(axes) if axes else x
    x = x.reshape(tuple(like.shape))
    return cast(x, like.dtype)


def adds_up(p: Problem, bias: Any, dbias: Any) -> bool:
    """True where the first kernel adds up the gradient of a bias itself: the others leave that of each score, as it
    does not where rows, or keys, have one bias, nor behind a cap, whose slope is in what it has."""
    same = not p.softcap and math.prod(dbias.shape) == math.prod(bias.shape) and whole(dbias)
    return same and tuple(dbias.shape[-2:]) == (p.queries, p.keys)


def run_backward(
    p: Problem, x: Operands, out: Any, lse: Any, dout: Any, dlse: Any, dq: Any, dk: Any, dv: Any,
    target: str | None = None, dbias: Any = None, rows: tuple[int, ...] = (), **options: Any,
) -> None:  # fmt: skip
    """Writes dQ, dK and dV and, if wanted, the gradient of the bias to `dbias`, of a shape that broadcasts to (*rows,
    keys)."""
    if p.empty:
        for g in (dq, dk, dv, dbias):
            if g is not None:
                g[...] = 0
        return
    chip, units, more = place_of(x.q, target)
    more, grads = {**more, **options}, (dq, dk, dv)
    made = grads
    if unaligned(p, (x.q, x.k, x.v, out, dout, *grads), chip, more):
        p, x, out, dout = padded(p), padded_operands(x), with_zeros(out), with_zeros(dout)
        made = tuple(room_beside(g) for g in grads)
    if dbias is None:
        entry_for(BACKWARD, p, chip).launch(p, x, out, lse, dout, dlse, *made, target=chip, units=units, **more)
    else:
        entry = entry_for(BACKWARD if adds_up(p, x.bias, dbias) else BACKWARD[1:], p, chip)
        direct = entry is BACKWARD[0]
        shape = p.batch, p.heads, p.queries, p.keys
        room: Any = dbias.reshape(x.bias.shape) if direct else filled(lse, shape, 0)  # type: ignore[union-attr]
        entry.launch(p, x, out, lse, dout, dlse, *made, target=chip, units=units, dbias=room, **more)
        if not direct:
            dbias[...] = summed(room.reshape(*rows, p.keys), dbias)
    if made is not grads:
        for g, y in zip(grads, made, strict=True):
            g[...] = y[..., : g.shape[-1]]
