"""Drawn attention: dense, packed and in pages, with all that `avelang.ops.attention` takes, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from avelang import ops
from ops.drawing import BF16, F16, F32, Case, Draw
from ops.judge_attention import Judged, Words, judge, kept

TIMES = 1.5  # of the judge's bounds: chips have their own exponential functions


def kinds(draw: Draw) -> tuple[Any, ...]:
    """Dtypes."""
    return BF16, BF16, F16, F32


def words_of(draw: Draw, d: int) -> Words:
    """Masks, windows and caps."""
    causal = draw.one("causal", (None, "top_left", "bottom_right"))
    ends = [None if draw.chance(0.3) else draw.rng.randrange(100) for _ in range(2)]
    window = draw.note("window", (ends[0], ends[1]) if draw.chance(0.4) and ends != [None, None] else None)
    scale = draw.note("scale", d**-0.5 * draw.rng.choice((0.5, 1.0, 2.0)))
    return Words(scale, causal, window, draw.one("softcap", (0.0, 0.0, 4.0)))


def options_of(words: Words) -> dict[str, Any]:
    """The same, as `attention` takes them."""
    return words._asdict()


def heads_of(draw: Draw) -> tuple[int, int]:
    """Heads of the query, and of keys and values."""
    kv, group = draw.rng.randint(1, 3), draw.one("group", (1, 1, 2, 4, 5))
    return kv * group, draw.note("kv_heads", kv)


def lengths(draw: Draw, most: int = 1200) -> tuple[int, int]:
    """Numbers of queries and keys."""
    queries, keys = draw.size(most), draw.size(most)
    while queries * keys * 64 > 16 * draw.most:
        queries, keys = (queries // 2, keys) if queries > keys else (queries, keys // 2)
    return queries, keys


def numpy(x: Any) -> Any:
    """An array of NumPy, floats in float64."""
    if x is None:
        return None
    return x.detach().double().cpu().numpy() if x.dtype.is_floating_point else x.cpu().numpy()


def back(x: Any, like: Any) -> Any:
    """A tensor in float64 of an array."""
    return torch.as_tensor(np.ascontiguousarray(x), dtype=torch.float64, device=like.device)


def added(found: list[Any], shape: Any) -> Any:
    """An array of shape `shape` of gradients of (batch, heads, queries, keys), summed where it is broadcast."""
    x = np.stack(found)
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1)
    return x.sum(axes, keepdims=True)


def dense(draw: Draw) -> Case:
    """Of (batch, heads, length, d)."""
    dtype = draw.one("dtype", kinds(draw))
    d, dv = draw.size(256, empty=0), draw.size(256, empty=0)
    d, dv = draw.rng.choice(((64, 64), (128, 128), (96, 64), (d, dv), (d, d)))
    (heads, kv), batch, words = heads_of(draw), draw.size(4), words_of(draw, d)
    queries, keys = lengths(draw)
    grad, inner = draw.chance(0.6), draw.chance(0.7)
    out = None if grad else draw.out((batch, heads, queries, dv), dtype, 0.4)
    given = {
        n: draw.normal(n, shape, dtype, grad=grad, inner=inner)
        for n, shape in (("query", (batch, heads, queries, d)), ("key", (batch, kv, keys, d)), ("value", (batch, kv, keys, dv)))
    }
    mask = sinks = None
    which = draw.one("mask", (None, None, "bool", "float"))
    if which:
        shape = [n if draw.chance(0.7) else 1 for n in (batch, heads, queries)] + [keys]
        if which == "bool":
            there = torch.rand(shape, generator=draw.numbers, device=draw.device) < 0.6
            mask = draw.filled("attn_mask", there)
        else:
            mask = draw.normal("attn_mask", shape, draw.one("mt", (dtype, F32)), grad=grad and draw.chance(0.5))
    if draw.chance(0.3):
        sinks = draw.normal("sinks", (heads,), F32, grad=grad, spread=False)
    dropout, seed = draw.one("dropout", (0.0, 0.0, 0.0, 0.3)), draw.rng.randrange(1 << 62)
    given |= {n: x for n, x in (("attn_mask", mask), ("sinks", sinks)) if x is not None}
    keep = [kept(dropout, seed, b, heads, queries, keys) if dropout else 1.0 for b in range(batch)]

    def call() -> Any:
        return ops.attention(
            given["query"], given["key"], given["value"], mask, dropout, enable_gqa=True, sinks=sinks, return_lse=out is None,
            dropout_seed=seed if dropout else None, out=out, **options_of(words), **draw.where,
        )  # fmt: skip

    def judges(g: Any, g_lse: Any) -> list[Judged]:
        where = None if mask is None else np.broadcast_to(numpy(mask), (batch, heads, queries, keys))
        arrays = [numpy(given[n]) for n in ("query", "key", "value")]
        return [
            judge(words, *(x[b] for x in arrays), str(dtype)[6:], grad=None if g is None else g[b],  # type: ignore
                  grad_lse=None if g_lse is None else g_lse[b], mask=None if where is None else where[b],
                  sinks=numpy(sinks), keep=keep[b])
            for b in range(batch)
        ]  # fmt: skip

    return draw.case("attention", *both(draw, call, judges, given, dtype, out is None, grad))


def both(draw: Draw, call: Any, judges: Any, given: Any, dtype: Any, logs: bool, grad: bool) -> tuple[Any, Any]:
    """run and wanted of a dense problem."""
    made: dict[str, Any] = {}

    def run() -> dict[str, Any]:
        found = call()
        found = {"out": found[0], "lse": found[1]} if logs else {"out": found}
        if grad:
            shapes = [(n, found[n].shape, t) for n, t in (("out", dtype), ("lse", F32))]
            for n, shape, t in shapes:
                made[n] = torch.randn(shape, generator=draw.numbers, device=draw.device).to(t)
            seen = ~found["lse"].detach().isneginf()
            made["lse"] = made["lse"] * seen
            wants = {n: x for n, x in given.items() if x.requires_grad}
            grads = torch.autograd.grad([found["out"], found["lse"]], list(wants.values()), [made["out"], made["lse"]])
            found |= {f"gradient of {n}": g for n, g in zip(wants, grads, strict=True)}
        return {n: x.detach() for n, x in found.items()}

    def wanted() -> dict[str, Any]:
        like = given["query"]
        parts = judges(numpy(made.get("out")), numpy(made.get("lse")))
        if not parts:
            found = {"out": like.new_zeros((*like.shape[:-1], given["value"].shape[-1])), "lse": like.new_zeros(like.shape[:-1])}
            found |= {f"gradient of {n}": x.new_zeros(x.shape) for n, x in given.items() if grad and x.requires_grad}
            return {n: (x.double(), 0.0) for n, x in found.items() if logs or n != "lse"}
        found = {"out": [back(np.stack(x), like) for x in ([p.out for p in parts], [p.out_bound * TIMES for p in parts])]}
        if logs:
            found["lse"] = [back(np.stack(x), like) for x in ([p.lse for p in parts], [p.lse_bound * TIMES for p in parts])]
        for n, x in given.items():
            if not (grad and x.requires_grad):
                continue
            i = ("query", "key", "value", "attn_mask", "sinks").index(n)
            which = [[p.grads[i] for p in parts], [p.grad_bounds[i] * TIMES for p in parts]]
            found[f"gradient of {n}"] = [back(np.sum(y, 0) if n == "sinks" else added(y, x.shape), like) for y in which]
        return {n: (x, y) for n, (x, y) in found.items()}

    return run, wanted


def packed(draw: Draw) -> Case:
    """Sequences behind one another, some of them empty, and tokens behind the last."""
    dtype, d, dv = draw.one("dtype", kinds(draw)), draw.one("d", (64, 128, 40, 96)), draw.one("dv", (64, 128, 24))
    (heads, kv), words, count = heads_of(draw), words_of(draw, d), draw.rng.randint(1, 5)
    most = 500 if draw.most > 1 << 20 else 90
    rows, cols = ([0 if draw.chance(0.2) else draw.size(most) for _ in range(count)] for _ in "qk")
    cols = rows if draw.chance(0.5) else cols
    at = [draw.note(n, [sum(x[:i]) for i in range(count + 1)]) for n, x in (("at_q", rows), ("at_k", cols))]
    more = [draw.rng.choice((0, 0, 3)) for _ in "qk"]
    grad = draw.chance(0.6)
    cu = [draw.filled(f"cu_{n}", torch.tensor(x, dtype=torch.int32, device=draw.device), spread=False) for n, x in zip("qk", at, strict=True)]
    given = {
        n: draw.normal(n, (at[i][-1] + more[i], h, w), dtype, grad=grad, inner=True, spread=False)
        for n, i, h, w in (("query", 0, heads, d), ("key", 1, kv, d), ("value", 1, kv, dv))
    }
    longest = {"max_seqlen_q": max(rows), "max_seqlen_k": max(cols)} if draw.one("told", (False, True)) else {}
    made: list[Any] = []

    def run() -> dict[str, Any]:
        out, lse = ops.attention(*given.values(), cu_seqlens_q=cu[0], cu_seqlens_k=cu[1], return_lse=True, enable_gqa=True,
                                 **longest, **options_of(words), **draw.where)  # fmt: skip
        found = {"out": out.detach(), "lse": lse.detach()}
        if grad:
            made[:] = [torch.randn(out.shape, generator=draw.numbers, device=draw.device).to(dtype)]
            grads = torch.autograd.grad(out, list(given.values()), made)
            found |= {f"gradient of {n}": g for n, g in zip(given, grads, strict=True)}
        return found

    def wanted() -> dict[str, Any]:
        q = given["query"]
        empty = {"out": (q.shape[0], heads, dv), "lse": (heads, q.shape[0])}
        empty |= {f"gradient of {n}": x.shape for n, x in given.items() if grad}
        found = {n: [np.full(s, -np.inf) if n == "lse" and not i else np.zeros(s) for i in range(2)] for n, s in empty.items()}
        arrays, g = [numpy(x).swapaxes(0, 1) for x in given.values()], numpy(made[0]).swapaxes(0, 1) if made else None
        for b in range(count):
            mine, theirs = slice(at[0][b], at[0][b + 1]), slice(at[1][b], at[1][b + 1])
            p = judge(words, arrays[0][:, mine], arrays[1][:, theirs], arrays[2][:, theirs], str(dtype)[6:],
                      grad=None if g is None else g[:, mine])  # fmt: skip
            for i, (o, s) in enumerate(((p.out, p.lse), (p.out_bound, p.lse_bound))):
                found["out"][i][mine], found["lse"][i][:, mine] = o.swapaxes(0, 1), s
            for n, span, y, limit in zip(given, (mine, theirs, theirs), p.grads, p.grad_bounds, strict=False):
                found[f"gradient of {n}"][0][span] = y.swapaxes(0, 1)
                found[f"gradient of {n}"][1][span] = limit.swapaxes(0, 1)
        return {n: (back(x, q), back(y, q) * TIMES) for n, (x, y) in found.items()}

    return draw.case("attention of packed sequences", run, wanted)


def pages(draw: Draw) -> Case:
    """A cache in pages: those that are not a sequence's own hold NaN, and their numbers lead nowhere."""
    dtype, d, dv = draw.one("dtype", kinds(draw)), draw.one("d", (64, 128, 48)), draw.one("dv", (64, 128, 32))
    (heads, kv), words, batch = heads_of(draw), words_of(draw, d), draw.size(5, empty=0)
    page, queries = draw.one("page", (16, 16, 32, 64)), draw.one("queries", (1, 1, 2, 3, 7, 100))
    most = 40 if draw.most > 1 << 20 else 12
    held = draw.note("lengths", [draw.rng.choice((0, 1, page, page + 1, draw.rng.randint(1, most * page))) for _ in range(batch)])
    own = [-(-n // page) for n in held]
    order = torch.randperm(batch * most + 1, generator=draw.numbers, device=draw.device).tolist()
    table = torch.full((batch, most), -(1 << 20), dtype=torch.int32)
    for b, n in enumerate(own):
        table[b, :n] = torch.tensor(order[b * most : b * most + n], dtype=torch.int32)
    rows = []
    caches = []
    for name, w in (("key", d), ("value", dv)):
        values = torch.full((batch * most + 1, page, kv, w), float("nan"), device=draw.device)
        mine = [torch.randn((n, kv, w), generator=draw.numbers, device=draw.device).to(dtype) for n in held]
        for b, x in enumerate(mine):
            for i in range(own[b]):
                part = x[i * page : (i + 1) * page]
                values[int(table[b, i]), : len(part)] = part.float()
        rows.append(mine)
        caches.append(draw.filled(name, values.to(dtype), spread=False, inner=True))
    q = draw.normal("query", (batch, heads, queries, d), dtype, spread=False, inner=True)
    at = [draw.filled(n, x.to(draw.device), spread=False)
          for n, x in (("block_table", table), ("cache_lengths", torch.tensor(held, dtype=torch.int32)))]  # fmt: skip

    def run() -> dict[str, Any]:
        out, lse = ops.attention(q, *caches, block_table=at[0], cache_lengths=at[1], return_lse=True, enable_gqa=True,
                                 **options_of(words), **draw.where)  # fmt: skip
        return {"out": out, "lse": lse}

    def wanted() -> dict[str, Any]:
        parts = [judge(words, numpy(q[b]), *(numpy(x[b]).swapaxes(0, 1) for x in rows), str(dtype)[6:]) for b in range(batch)]  # type: ignore
        return {
            n: (back(np.stack([getattr(p, n) for p in parts]), q),
                back(np.stack([getattr(p, f"{n}_bound") for p in parts]), q) * TIMES)
            for n in ("out", "lse")
        }  # fmt: skip

    return draw.case("attention in pages", run, wanted)


FAMILY = (dense, dense, dense, packed, packed, pages, pages)
