"""Drawn row operations: norms, softmax, gates, rotary embeddings and losses."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from avelang import ops
from ops.drawing import BF16, F16, F32, F64, Case, Draw, differentiable, greatest

DTYPES = (BF16, BF16, F16, F32, F32, F64)


def rows(draw: Draw) -> tuple[int, ...]:
    """Leading dimensions and the length of a row."""
    n = draw.size(min(20000, draw.most // 16), empty=0.0)
    lead = [draw.size(max(1, min(2000, draw.most // (16 * n)))) for _ in range(draw.rng.choice((0, 1, 1, 2, 3)))]
    while lead and torch.Size(lead).numel() * n > draw.most:
        lead[max(range(len(lead)), key=lead.__getitem__)] //= 2
    return (*lead, n)


def rounded(x: Any, dtype: Any) -> Any:
    """Rounded to a dtype, with the gradient of what is not."""
    return x + (x.to(dtype).double() - x).detach()


def rms_norm(draw: Draw) -> Case:
    """`rms_norm`, with and without a weight and a residual."""
    dtype, shape = draw.one("dtype", DTYPES), rows(draw)
    eps, offset = draw.one("eps", (1e-6, 1e-5, 0.1)), draw.one("offset", (0, 0, 1))
    more = draw.chance(0.4)
    out = None if more else draw.out(shape, dtype, 0.3)
    grad = out is None and draw.chance(0.7)
    given = {"x": draw.normal("x", shape, dtype, grad=grad), "weight": None, "residual": None}
    if draw.chance(0.7):
        given["weight"] = draw.normal("weight", shape[-1:], draw.one("w", (dtype, F32)), grad=grad)
    if more:
        given["residual"] = draw.normal("residual", shape, dtype, grad=grad)

    def call(x: Any, w: Any, r: Any) -> Any:
        return ops.rms_norm(x, w, residual=r, eps=eps, offset=offset, out=out, **draw.where)

    def reference(x: Any, w: Any, r: Any) -> Any:
        x = x if r is None else rounded(x + r, dtype)
        y = x * (x.square().mean(-1, keepdim=True) + eps).rsqrt() * (1 if w is None else w + offset)
        return y if r is None else (y, x)

    return differentiable(draw, "rms_norm", call, reference, given)


def layer_norm(draw: Draw) -> Case:
    """`layer_norm`."""
    dtype, shape = draw.one("dtype", DTYPES), rows(draw)
    out = draw.out(shape, dtype, 0.3)
    grad, kind = out is None and draw.chance(0.7), draw.one("w", (dtype, F32))
    given = {"x": draw.normal("x", shape, dtype, grad=grad), "weight": None, "bias": None}
    if draw.chance(0.8):
        given["weight"] = draw.normal("weight", shape[-1:], kind, grad=grad)
        given["bias"] = draw.normal("bias", shape[-1:], kind, grad=grad) if draw.chance(0.7) else None
    eps = draw.one("eps", (1e-5, 1e-3))

    def call(x: Any, w: Any, b: Any) -> Any:
        return ops.layer_norm(x, w, b, eps=eps, out=out, **draw.where)

    # The mean's last bit, and what is left of numbers that are nearly the same, are multiplied by 1 / deviation.
    wide = given["x"].detach().double().reshape(-1, shape[-1])
    deviation = (wide.var(-1, correction=0) + eps).rsqrt() if wide.numel() else wide
    factor = 1.0 if given["weight"] is None else greatest(given["weight"])
    scale = factor * greatest(deviation * wide.abs().amax(-1)) if wide.numel() else 0.0
    return differentiable(
        draw, "layer_norm", call, lambda x, w, b: functional.layer_norm(x, shape[-1:], w, b, eps), given,
        exact=2.0 if dtype in (F32, F64) else 0.05, scale=scale, rough=400.0 if shape[-1] < 8 else 4.0,
        slope=factor * greatest(deviation),
    )  # fmt: skip


def softmax(draw: Draw) -> Case:
    """`softmax` and `log_softmax`, along any dimension."""
    dtype, shape = draw.one("dtype", DTYPES), rows(draw)
    dim, kind = draw.one("dim", range(-len(shape), len(shape))), draw.one("to", (None, None, F32, BF16))
    log = draw.one("log", (False, True))
    if shape[dim] == 0:
        shape = tuple(max(1, n) for n in shape)
    out = draw.out(shape, kind or dtype, 0.3)
    x = draw.normal("x", shape, dtype, scale=draw.one("scale", (1.0, 10.0)), grad=out is None and draw.chance(0.7))
    ours, theirs = (ops.log_softmax, torch.log_softmax) if log else (ops.softmax, torch.softmax)
    return differentiable(draw, "softmax", lambda x: ours(x, dim, dtype=kind, out=out, **draw.where), lambda x: theirs(x, dim),
                          {"x": x}, exact=0.3, slope=0.25)  # fmt: skip


def gates(draw: Draw) -> Case:
    """`swiglu` and `geglu`, of two arrays or of one with both."""
    dtype, shape = draw.one("dtype", DTYPES), rows(draw)
    which = draw.one("act", ("silu", "none", "tanh"))
    out = draw.out(shape, dtype, 0.3)
    grad, both = out is None and draw.chance(0.7), draw.one("packed", (False, True))
    given = {"gate": draw.normal("gate", (*shape[:-1], shape[-1] * (1 + both)), dtype, grad=grad)}
    if not both:
        given["up"] = draw.normal("up", shape, dtype, grad=grad)

    def call(*x: Any) -> Any:
        return ops.swiglu(*x, out=out, **draw.where) if which == "silu" else ops.geglu(*x, approximate=which, out=out, **draw.where)

    def reference(*x: Any) -> Any:
        gate, up = x[0].chunk(2, -1) if both else x
        return (functional.silu(gate) if which == "silu" else functional.gelu(gate, approximate=which)) * up

    return differentiable(draw, "gates", call, reference, given, rough=1.0)


def rotary(draw: Draw) -> Case:
    """`rotary` of queries, with or without keys."""
    dtype, d, seq_dim = draw.one("dtype", DTYPES), 2 * draw.size(128, empty=0), draw.one("seq_dim", (-2, -3))
    r = draw.one("r", (d, d, 2 * max(1, d // 4)))
    batch, length = draw.size(4), draw.size(max(1, min(300, draw.most // (64 * d))))
    heads, kv = draw.size(8, empty=0), draw.size(4, empty=0)
    wide, interleaved = draw.one("wide", (False, True)), draw.one("interleaved", (False, True))
    offset = 0 if draw.chance(0.7) else draw.one("offset", (1, 5))
    most = length + offset + draw.rng.randint(1, 5)
    lead = draw.one("tables", ((), (1,), (batch,)))
    angles = torch.rand((*lead, most, r // 2), generator=draw.numbers, device=draw.device) * 6
    kind = draw.one("cs", (dtype, F32))
    cos, sin = angles.cos().to(kind), angles.sin().to(kind)
    turn = (lambda t: t.repeat_interleave(2, -1)) if interleaved else (lambda t: torch.cat([t, t], -1))
    tables = [draw.filled(n, turn(t) if wide else t, spread=False) for n, t in (("cos", cos), ("sin", sin))]
    places = None
    if draw.chance(0.5):
        shape = draw.one("p", ((length,), (batch, length)))
        places, offset = draw.integers("positions", 0, most, shape, draw.one("pt", (torch.int32, torch.int64))), 0
    shapes = [(batch, n, length, d) if seq_dim == -2 else (batch, length, n, d) for n in (heads, kv)]
    to = [draw.out(s, dtype, 1.0, f"out{i}") for i, s in enumerate(shapes)] if draw.chance(0.3) else None
    grad = to is None and draw.chance(0.7)
    given = {"q": draw.normal("q", shapes[0], dtype, grad=grad), "k": None}
    if draw.chance(0.7):
        given["k"] = draw.normal("k", shapes[1], dtype, grad=grad)
    out = None if to is None else to[0] if given["k"] is None else tuple(to)

    def call(q: Any, k: Any) -> Any:
        return ops.rotary(q, k, *tables, positions=places, offset=offset, interleaved=interleaved, dims=r,
                          seq_dim=seq_dim, out=out, **draw.where)  # fmt: skip

    def reference(q: Any, k: Any) -> Any:
        at = torch.arange(length, device=draw.device) + offset if places is None else places.long()
        c, s = (t.double().expand(batch, -1, -1) if lead else t.double()[None].expand(batch, -1, -1) for t in (cos, sin))
        at = at.expand(batch, length)[..., None].expand(batch, length, r // 2)
        c, s = (t.gather(1, at)[:, None] for t in (c, s))
        found = tuple(turned(x if seq_dim == -2 else x.transpose(1, 2), c, s, r, interleaved) for x in (q, k) if x is not None)
        found = tuple(x if seq_dim == -2 else x.transpose(1, 2) for x in found)
        return found if k is not None else found[0]

    return differentiable(draw, "rotary", call, reference, given, rough=1.0)


def turned(x: Any, c: Any, s: Any, r: int, interleaved: bool) -> Any:
    """x (batch, heads, length, d) turned by cosines and sines (batch, 1, length, r / 2)."""
    y, rest = x[..., :r], x[..., r:]
    one, two = (y[..., ::2], y[..., 1::2]) if interleaved else (y[..., : r // 2], y[..., r // 2 :])
    found = one * c - two * s, two * c + one * s
    return torch.cat([torch.stack(found, -1).flatten(-2) if interleaved else torch.cat(found, -1), rest], -1)


def loss_options(draw: Draw) -> dict[str, Any]:
    """Options of a loss."""
    return {
        "ignore_index": draw.one("ignore_index", (-100, 0)), "label_smoothing": draw.one("smoothing", (0.0, 0.0, 0.1)),
        "reduction": draw.one("reduction", ("mean", "sum", "none")), "z_loss": draw.one("z", (0.0, 0.0, 0.01)),
        "softcap": draw.one("cap", (0.0, 0.0, 5.0)),
    }  # fmt: skip


def chip_of_loss(draw: Draw) -> dict[str, Any]:
    """The chip whose kernels run, as losses take it: `target` is theirs for the classes."""
    return {"target_chip": chip for chip in draw.where.values()}


def losses(x: Any, target: Any, ignore_index: int, label_smoothing: float, reduction: str, z_loss: float,
           softcap: float) -> Any:  # fmt: skip
    """The cross entropy on its definition."""
    x = softcap * torch.tanh(x / softcap) if softcap else x
    lse, held = x.logsumexp(-1), target != ignore_index
    own = x.gather(-1, target.long().clamp(0)[..., None])[..., 0]
    one = (1 - label_smoothing) * (lse - own) + label_smoothing * (lse - x.mean(-1)) + z_loss * lse.square()
    one = torch.where(held, one, torch.zeros_like(one))
    return one if reduction == "none" else one.sum() if reduction == "sum" else one.sum() / held.sum()


def targets(draw: Draw, shape: tuple[int, ...], classes: int, ignored: int) -> Any:
    """Classes, some of them those that do not count."""
    values = torch.randint(classes, shape, generator=draw.numbers, device=draw.device)
    hidden = torch.rand(shape, generator=draw.numbers, device=draw.device) < draw.one("hidden", (0.0, 0.2))
    return draw.filled("target", torch.where(hidden, torch.full_like(values, ignored), values), spread=False)


def cross_entropy(draw: Draw) -> Case:
    """`cross_entropy` of logits."""
    dtype, shape = draw.one("dtype", DTYPES), rows(draw)
    options = loss_options(draw)
    target = targets(draw, shape[:-1], shape[-1], options["ignore_index"])
    x = draw.normal("logits", shape, dtype, scale=draw.one("scale", (1.0, 5.0)), grad=draw.chance(0.7))
    return differentiable(draw, "cross_entropy", lambda x: ops.cross_entropy(x, target, **options, **chip_of_loss(draw)),
                          lambda x: losses(x, target, **options), {"x": x}, exact=2.0, rough=1.0)  # fmt: skip


FAMILY = (rms_norm, layer_norm, softmax, gates, rotary, cross_entropy)
