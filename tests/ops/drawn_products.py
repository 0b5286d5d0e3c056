"""Drawn products: of matrices, linear layers, fp8 with scales, groups, experts, and losses of a linear layer."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

import avelang
from avelang import ops
from ops.drawing import BF16, F16, F32, Case, Draw, bound, differentiable, greatest
from ops.drawn_rows import chip_of_loss, loss_options, losses, targets

HALF = (BF16, BF16, F16)
E4, E5, I8 = torch.float8_e4m3fn, torch.float8_e5m2, torch.int8
ACT: dict[Any, Any] = {
    None: lambda x: x, "relu": torch.relu, "silu": functional.silu,
    "gelu": functional.gelu, "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
}  # fmt: skip


def sizes(draw: Draw, times: int = 1, empty: float = 0.02) -> tuple[int, int, int]:
    """m, n and k whose product, so many times, is not too large."""
    found = [draw.size(5000, empty=empty) for _ in range(3)]
    while times * found[0] * found[1] * found[2] > 64 * draw.most:
        found[found.index(max(found))] //= 2
    return found[0], found[1], found[2]


def coarseness(dtype: Any, act: str | None) -> float:
    """Of gradients. What an activation is taken of is rounded to the dtype, as torch rounds it, which its derivative shows:
    0.5 % in f16 where gelu's is small."""
    return 200 if dtype == F32 else 8 if act in (None, "relu") else 16


def matmul(draw: Draw) -> Case:
    """`matmul`, of vectors, matrices, and leading dimensions that broadcast."""
    dtype, act = draw.one("dtype", (*HALF, F32)), draw.one("activation", (None, *ACT))
    one, two = draw.one("lead", (((), ()), ((), ()), ((3,), ()), ((2, 3), ()), ((3,), (3,)), ((2, 1), (3,)), ((), (2,))))
    m, n, k = sizes(draw, 6)
    a, b = (*one, m, k), (*two, k, n)
    if draw.chance(0.06):
        a, b = draw.rng.choice((((k,), b), (a, (k,)), ((k,), (k,))))
    shape = torch.matmul(torch.empty(a, device="meta"), torch.empty(b, device="meta")).shape
    out = draw.out(shape, draw.one("to", (dtype, F32)), 0.3) if shape else None
    grad = out is None and draw.chance(0.5)
    given = {"a": draw.normal("a", a, dtype, grad=grad), "b": draw.normal("b", b, dtype, grad=grad), "bias": None}
    if draw.chance(0.4) and len(b) > 1:
        given["bias"] = draw.normal("bias", (n,), draw.one("bt", (dtype, F32)), grad=grad)

    def call(a: Any, b: Any, bias: Any) -> Any:
        return ops.matmul(a, b, bias=bias, activation=act, out=out, **draw.where)

    def reference(a: Any, b: Any, bias: Any) -> Any:
        return ACT[act](a @ b if bias is None else a @ b + bias)

    return differentiable(draw, "matmul", call, reference, given, exact=1e-4 * k**0.5 if dtype != F32 else 20, rough=coarseness(dtype, act))


def linear(draw: Draw) -> Case:
    """`linear`."""
    dtype, act = draw.one("dtype", (*HALF, F32)), draw.one("activation", (None, *ACT))
    m, n, k = sizes(draw, 2)
    shape = (*draw.one("lead", ((), (2,), (1, 2))), m)
    out = draw.out((*shape, n), draw.one("to", (dtype, F32)), 0.3)
    grad = out is None and draw.chance(0.5)
    given = {"x": draw.normal("x", (*shape, k), dtype, grad=grad),
             "weight": draw.normal("weight", (n, k), dtype, grad=grad), "bias": None}  # fmt: skip
    if draw.chance(0.5):
        given["bias"] = draw.normal("bias", (n,), draw.one("bt", (dtype, F32)), grad=grad)
    return differentiable(
        draw, "linear", lambda x, w, b: ops.linear(x, w, b, activation=act, out=out, **draw.where),
        lambda x, w, b: ACT[act](functional.linear(x, w, b)), given, exact=1e-4 * k**0.5 if dtype != F32 else 20, rough=coarseness(dtype, act),
    )  # fmt: skip


def linear_cross_entropy(draw: Draw) -> Case:
    """`linear_cross_entropy`, in chunks."""
    dtype, options = draw.one("dtype", (*HALF, F32)), loss_options(draw)
    m, n, k = sizes(draw, 4, 0)
    grad, chunk = options["reduction"] != "none" and draw.chance(0.7), draw.one("chunk", (0, 0, 5, 64))
    target = targets(draw, (m,), n, options["ignore_index"])
    given = {"x": draw.normal("x", (m, k), dtype, grad=grad, scale=k**-0.5),
             "weight": draw.normal("weight", (n, k), dtype, grad=grad), "bias": None}  # fmt: skip
    if draw.chance(0.5):
        given["bias"] = draw.normal("bias", (n,), draw.one("bt", (dtype, F32)), grad=grad)

    def call(x: Any, w: Any, b: Any) -> Any:
        return ops.linear_cross_entropy(x, w, target, b, chunk=chunk, **options, **chip_of_loss(draw))

    def reference(x: Any, w: Any, b: Any) -> Any:
        return losses(functional.linear(x, w, b), target, **options)

    # Logits are rounded to the dtype: the loss of a row is off by as much as they are.
    coarse = 8 if dtype == F32 else 2.0**12 if dtype == BF16 else 2.0**9
    return differentiable(draw, "linear_cross_entropy", call, reference, given, exact=coarse, rough=24,
                          slope=greatest(given["weight"]) / (max(1, m) if options["reduction"] == "mean" else 1))  # fmt: skip


def scales(draw: Draw, name: str, rows: int, k: int, blocks: bool) -> tuple[Any, Any]:
    """(scales of an operand of so many rows, one for each element)."""
    kind = draw.one(name, ("number", "tensor", "rows", "1x128", "128x128")[: 5 if blocks else 3])
    if kind == "number":
        value = draw.note("value", draw.rng.choice((0.5, 1.25)))
        return value, value
    each, wide = {"tensor": (max(1, rows), max(1, k)), "rows": (1, max(1, k)), "1x128": (1, 128), "128x128": (128, 128)}[kind]
    shape = {"tensor": (1, 1), "rows": (rows, 1)}.get(kind, (-(-rows // each), -(-k // wide)))
    values = torch.rand(shape, generator=draw.numbers, device=draw.device) + 0.5
    found = draw.filled(f"scale_{name}", values, spread=False)
    return found, found.double().repeat_interleave(each, 0)[:rows].repeat_interleave(wide, 1)[:, :k]


def eights(draw: Draw) -> tuple[tuple[Any, Any], ...]:
    """The pairs of types of 8 bits that a chip has products of."""
    has = avelang.chip(draw.where["target"]).fp8 if draw.where else "ocp"
    e4, e5 = (torch.float8_e4m3fnuz, torch.float8_e5m2fnuz) if has == "fnuz" else (E4, E5)
    return ((e4, e4), (e4, e4), (e4, e5), (e5, e4), (I8, I8)) if has else ((I8, I8),)


def scaled_matmul(draw: Draw) -> Case:
    """`scaled_matmul`, with scales of all kinds in any pair."""
    (m, n, k), kind = sizes(draw), draw.one("types", eights(draw))
    if draw.chance(0.6):
        n, k = -(-n // 16) * 16, -(-k // 16) * 16
    arrays = []
    for name, shape, dtype, spread in (("a", (m, k), kind[0], False), ("b", (n, k), kind[1], False)):
        if dtype == I8:
            arrays.append(draw.integers(name, -128, 128, shape, dtype))
        else:
            arrays.append(draw.normal(name, shape, dtype, spread=spread))
    (sa, wa), (sb, wb) = (scales(draw, name, rows, k, I8 not in kind) for name, rows in (("a", m), ("b", n)))
    to = draw.one("out_dtype", (None, BF16, F16, F32) if I8 not in kind else (F32, BF16))
    out, fast = draw.out((m, n), to or BF16, 0.3), draw.one("fast", (True, False))
    bias = draw.normal("bias", (n,), draw.one("bt", (BF16, F16, F32))) if draw.chance(0.3) else None
    other = sb if isinstance(sb, float) else sb.T

    def run() -> dict[str, Any]:
        more: dict[str, Any] = {"bias": bias, "out_dtype": to, "out": out, "use_fast_accum": fast}
        return {"result": ops.scaled_matmul(arrays[0], arrays[1].T, sa, other, **more, **draw.where)}

    def wanted() -> dict[str, Any]:
        want = (arrays[0].double() * wa) @ (arrays[1].double() * wb).T
        size = (arrays[0].double() * wa).abs() @ (arrays[1].double() * wb).abs().T
        want = want if bias is None else want + bias.double()
        # Tensor cores align the terms of a step to the greatest one, with some 14 bits.
        loose = 1e-5 if draw.rounds_to_f32 else 2.0**-11 if fast and I8 not in kind else 1.5 * 2.0**-12
        limit = bound(want, to or BF16, 1e-3 if to != F32 else 1) + loose * size
        if (to or BF16) == F16:
            want = torch.where(want.abs() > 65519, want.sign() * float("inf"), want)
        return {"result": (want, limit)}

    return draw.case("scaled_matmul", run, wanted)


def grouped_matmul(draw: Draw) -> Case:
    """`grouped_matmul`, in its four forms, with empty groups and what no group has."""
    form, dtype, groups = draw.one("form", ("rows", "rows", "depth", "columns", "batch")), draw.one("dtype", HALF), draw.size(9, empty=0)
    m, n, k = sizes(draw, groups, 0)
    parts = [0 if draw.chance(0.3) else draw.size(200) for _ in range(groups)]
    ends = draw.note("ends", [sum(parts[: i + 1]) for i in range(groups)])
    spans, total = list(zip([0, *ends[:-1]], ends, strict=True)), ends[-1] + draw.one("behind", (0, 0, 3))
    shapes = {
        "rows": ((total, k), (groups, k, n)), "depth": ((m, total), (total, n)),
        "columns": ((groups, m, k), (k, total)), "batch": ((groups, m, k), (groups, k, n)),
    }[form]  # fmt: skip
    offs = None if form == "batch" else draw.filled("offs", torch.tensor(ends, dtype=torch.int32, device=draw.device), spread=False)
    to, grad = draw.one("out_dtype", (None, None, F32)), draw.chance(0.5)
    given = {"a": draw.normal("a", shapes[0], dtype, grad=grad), "b": draw.normal("b", shapes[1], dtype, grad=grad), "bias": None}
    if form == "rows" and draw.chance(0.4):
        given["bias"] = draw.normal("bias", (groups, n), draw.one("bt", (dtype, F32)), grad=grad)

    def call(a: Any, b: Any, bias: Any) -> Any:
        return ops.grouped_matmul(a, b, offs, bias=bias, out_dtype=to, **draw.where)

    def reference(a: Any, b: Any, bias: Any) -> Any:
        if form == "batch":
            return a @ b
        if form == "depth":
            return torch.stack([a[:, i:j] @ b[i:j] for i, j in spans])
        if form == "columns":
            found = [a[g] @ b[:, i:j] for g, (i, j) in enumerate(spans)]
            return functional.pad(torch.cat(found, 1), (0, total - ends[-1]))
        found = [a[i:j] @ b[g] + (0 if bias is None else bias[g]) for g, (i, j) in enumerate(spans)]
        return functional.pad(torch.cat(found), (0, 0, 0, total - ends[-1]))

    # Tensor cores cut off what they add: sums that stay f32 show it, by the root of K.
    inner = total if form == "depth" else k
    exact = max(0.01, 1e-4 * inner**0.5) if to != F32 else max(4.0, inner**0.5 / 2)
    return differentiable(draw, "grouped_matmul", call, reference, given, exact=exact, rough=4)


def moe(draw: Draw) -> Case:
    """`moe`, with weights and ids as they are: which experts equal logits choose is no matter of roundings."""
    dtype, experts = draw.one("dtype", HALF), draw.size(12, empty=0)
    tokens, hidden, inner = sizes(draw, 3 * experts, 0)
    hidden, inner = (max(8, min(600, x) // 8 * 8) for x in (hidden, inner))
    top, act = draw.note("top", draw.rng.randint(1, min(4, experts))), draw.one("activation", ("silu", "gelu", "gelu_tanh"))
    grad = draw.chance(0.5)
    ids = draw.integers("ids", -1, experts + 1, (tokens, top), draw.one("it", (torch.int32, torch.int64)))
    weights = draw.filled("weights", torch.rand((tokens, top), generator=draw.numbers, device=draw.device), grad=grad)
    given = {
        "x": draw.normal("x", (tokens, hidden), dtype, grad=grad), "weights": weights,
        "up": draw.normal("up", (experts, 2 * inner, hidden), dtype, scale=hidden**-0.5, grad=grad),
        "down": draw.normal("down", (experts, hidden, inner), dtype, scale=inner**-0.5, grad=grad),
    }  # fmt: skip

    def call(x: Any, weights: Any, up: Any, down: Any) -> Any:
        return ops.moe(x, (weights, ids), up, down, activation=act, **draw.where)

    def reference(x: Any, weights: Any, up: Any, down: Any) -> Any:
        total = x * 0
        for e in range(experts):
            one, two = (x @ up[e].T).chunk(2, -1)
            gated = functional.silu(one) if act == "silu" else functional.gelu(one, approximate=act[5:] or "none")
            part = torch.where(ids == e, weights, torch.zeros_like(weights)).sum(1, keepdim=True)
            total = total + part * ((gated * two) @ down[e].T)
        return total

    return differentiable(draw, "moe", call, reference, given, exact=4, rough=12)


FAMILY = (matmul, matmul, linear, linear_cross_entropy, scaled_matmul, scaled_matmul, grouped_matmul, moe)
