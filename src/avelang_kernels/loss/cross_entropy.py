"""Rows of logits and the class of each come in; the cross entropy of each row, its greatest logit, and the logarithm of
its sum of powers relative to that go out, and of gradients of that the gradients of the logits, in their place if asked
for: one source for AMD, NVIDIA and the CPU.

With soft cap, logits are cap * tanh(logit / cap). The loss of a row with logits l and class t, of n classes, is
(1 - s) (lse - l[t]) + s (lse - mean(l)) + z lse^2, where s smooths labels and z weights the z-loss; 0 where the class
is the one to be ignored. Facts: torch's `cross_entropy`; PaLM (Chowdhery et al. 2022), 5, for the z-loss."""

# No `from __future__ import annotations`: the annotations of kernels name values of the function around them.

import functools
from typing import Annotated, Any

import avelang
import avelang.language as al
from avelang_kernels.norm.norms import maybe, steps
from avelang_kernels.norm.row_plans import Lines, RowPlan, column, combined, exchange, inside, over
from avelang_kernels.norm.softmax import LEAST, finite, power, power_of

ADD_THREADS = 1024  # of the block that adds up the losses of rows


@avelang.jit
def capped(x: Any, CAP: Any):
    """Logits under their cap."""
    return x if CAP == 0.0 else al.tanh(x * (1.0 / CAP)) * CAP


@avelang.jit
def joined(a: Any, b: Any):
    """(maximum, sum of powers relative to it, sum) of two parts of a row."""
    most = al.max(a[0], b[0])
    out = al.make_local((3,), a.dtype)
    level = finite(most)
    out[0] = most
    out[1] = a[1] * power_of(a[0] - level, a.dtype) + b[1] * power_of(b[0] - level, a.dtype)
    out[2] = a[2] + b[2]
    return out


@avelang.jit
def statistics_of(X: Any, row: Any, P: Any, vectors: Any, shared: Any, turn: Any, CAP: Any, SUM: Any, ACC: Any):
    """(maximum, sum of powers relative to it, sum if asked for) of a row."""

    def chunk(state: Any, first: Any):
        held = X.load(row, first, P)
        most, level = state[0], state[2]
        for i in range(P.loads):
            v, here = capped(al.convert(held[i], ACC), CAP), inside(P, vectors, first, i)
            for e in range(P.vec):
                most = al.max(most, v[e] if P.full else al.select(here, v[e], LEAST))
            if SUM:
                level = level + (sum(v) if P.full else al.select(here, sum(v), 0.0))
        base = finite(most)
        total = state[1] * power_of(state[0] - base, ACC)
        for i in range(P.loads):
            powers = sum(power(capped(al.convert(held[i], ACC), CAP) - base, ACC))
            total = total + (powers if P.full else al.select(inside(P, vectors, first, i), powers, 0.0))
        out = al.make_local((3,), ACC)
        out[0], out[1], out[2] = most, total, level
        return out

    begin = al.make_local((3,), ACC)
    begin[0], begin[1], begin[2] = LEAST, 0.0, 0.0
    return combined(over(P, vectors, begin, chunk), joined, P, shared, turn)


@avelang.jit
def loss_of(found: Any, picked: Any, n: Any, smoothing: Any, z: Any):
    """The loss of a row, by `statistics_of` it and the logit of its class. Differences from the greatest logit come
    first: beside it, the logarithm of the sum would lose its last bits."""
    least, lse = al.log(found[1]), found[0] + al.log(found[1])
    value = least + (found[0] - picked) * (1.0 - smoothing) + z * lse * lse
    return value + (found[0] - found[2] / n) * smoothing


@avelang.jit
def gradient_of(v: Any, known: Any, slope: Any, level: Any, own: Any, CAP: Any, ACC: Any):
    """The gradient of a row's loss to a vector of its logits. `known`: as for `differentiate`; `slope`: what powers are
    multiplied by; `level`: what is taken away from all; `own`: (whether the class is among them, its place, what is
    taken away from it)."""
    u = capped(al.convert(v, ACC), CAP)
    out = power((u - known[0]) - known[1], ACC) * slope - level
    if own[0]:
        for e in range(v.shape[0]):
            out[e] = out[e] - al.select(own[1] == e, own[2], 0.0)
    return out if CAP == 0.0 else out * (1.0 - u * u * (1.0 / (CAP * CAP)))


@functools.cache
def build_loss(P: RowPlan, CAP: float, dtype: Any, index: Any, acc: Any, *, smooth: bool, strided: bool, lead: bool,
    gradient: bool) -> Any:  # fmt: skip
    """The kernel of a plan, of a cap or 0, for the dtypes of logits and of classes. `smooth`: labels are smoothed.
    `gradient`: logits are overwritten by the gradient of the loss, multiplied by what `scale` points to."""
    S, E, SCALE = steps(strided), al.u32 if lead else al.constexpr, maybe(acc, gradient)

    @avelang.jit
    def cross_entropy(
        x: al.Pointer[dtype], chosen: al.Pointer[index], loss: al.Pointer[acc], lse_of: al.Pointer[acc],
        rows: al.u32, vectors: al.u32, ignore: al.i64, smoothing: Annotated[Any, acc], z: Annotated[Any, acc],
        scale: Annotated[Any, SCALE] = None, e1: Annotated[Any, E] = None, e2: Annotated[Any, E] = None,
        x0: Annotated[Any, S] = None, x1: Annotated[Any, S] = None, x2: Annotated[Any, S] = None,
        x3: Annotated[Any, S] = None,
    ):  # fmt: skip
        X = Lines(x, rows, vectors, P.vec, e1, e2, x0, x1, x2, x3)
        shared, turn, n = exchange(P, 3, acc), al.convert(0, al.u32), al.convert(vectors * P.vec, acc)
        classes = al.make_tensor(chosen, index, al.make_layout((rows,)))
        losses = al.make_tensor(loss, acc, al.make_layout((rows,)))
        parts = al.make_tensor(lse_of, acc, al.make_layout((rows, 2), (2, 1)))
        for step in al.range(al.block_id(0), (rows + (P.rows - 1)) // P.rows, al.grid_dim(0)):
            at = step * P.rows + al.thread_id(0) // P.threads
            alive, row = P.rows == 1 or at < rows, min(at, rows - 1)
            found = statistics_of(X, row, P, vectors, shared, turn, CAP, smooth, acc)
            turn = turn ^ 1
            known, own = (found[0], al.log(found[1])), al.convert(classes[row], al.i64)
            count, ignored = al.convert(vectors * P.vec, al.i64), own == ignore
            safe = al.convert(al.select(own < 0, 0 * own, al.select(own < count, own, count - 1)), al.u32)
            if alive and al.thread_id(0) % P.threads == 0:
                picked = capped(al.convert(X.get(row, safe // P.vec)[safe % P.vec], acc), CAP)
                value = loss_of(found, picked, n, smoothing, z)
                value = al.select(own >= 0 and own < count, value, value * 0.0 + float("nan"))
                losses[row], parts[row, 0], parts[row, 1] = al.select(ignored, 0.0, value), known[0], known[1]
            if gradient:
                al.syncthreads()  # nobody may still read the logit of the class
                factor = al.select(ignored, 0.0, al.make_tensor(scale, acc, al.make_layout((1,)))[0])
                if alive:
                    differentiate(X, X, row, known, own, factor, smoothing, smoothing / n, z, P, vectors, CAP, acc)

    return cross_entropy


@avelang.jit
def differentiate(
    X: Any,
    D: Any,
    row: Any,
    known: Any,
    own: Any,
    factor: Any,
    smoothing: Any,
    level: Any,
    z: Any,
    P: Any,
    vectors: Any,
    CAP: Any,
    ACC: Any,
):
    """Writes the gradients of a row of logits, multiplied by `factor`, to D, which may be the logits themselves: zeros
    where that is 0, whatever the logits are. `known`: (the greatest logit, the logarithm of the sum of powers relative
    to it). Where logits are far from 0, their sum would have lost that logarithm's last bits. `level`: smoothing /
    classes."""
    named = al.convert(al.select(own < 0, own * 0 - 1, own), al.u32)  # of no access, where there is no such class
    slope, less, peak = (1.0 + 2.0 * z * (known[0] + known[1])) * factor, level * factor, (1.0 - smoothing) * factor

    def finish(state: Any, first: Any):
        held = X.load(row, first, P)
        for i in range(P.loads):
            c = first + column(P, i)
            if P.full or c < vectors:
                mine = c == named // P.vec, named % P.vec, peak
                D.put(row, c, gradient_of(held[i], known, slope, less, mine, CAP, ACC))
        return state

    def clear(state: Any, first: Any):
        for i in range(P.loads):
            c = first + column(P, i)
            if P.full or c < vectors:
                D.put(row, c, al.full((P.vec,), 0.0, ACC))
        return state

    if factor == 0.0:
        over(P, vectors, 0, clear)
    else:
        over(P, vectors, 0, finish)


@functools.cache
def build_gradient(
    P: RowPlan, CAP: float, dtype: Any, index: Any, acc: Any, *, strided: bool, lead: bool, each: bool
) -> Any:
    """The kernel of gradients beside the logits. `each`: rows have gradients of their own, instead of one for all."""
    S, E = steps(strided), al.u32 if lead else al.constexpr

    @avelang.jit
    def cross_entropy_backward(
        x: al.Pointer[dtype], chosen: al.Pointer[index], lse_of: al.Pointer[acc], grad: al.Pointer[acc],
        scale: al.Pointer[acc], dx: al.Pointer[dtype], rows: al.u32, vectors: al.u32, ignore: al.i64,
        smoothing: Annotated[Any, acc], z: Annotated[Any, acc], e1: Annotated[Any, E] = None,
        e2: Annotated[Any, E] = None, x0: Annotated[Any, S] = None, x1: Annotated[Any, S] = None,
        x2: Annotated[Any, S] = None, x3: Annotated[Any, S] = None,
    ):  # fmt: skip
        X = Lines(x, rows, vectors, P.vec, e1, e2, x0, x1, x2, x3)
        D, n = Lines(dx, rows, vectors, P.vec), al.convert(vectors * P.vec, acc)
        row = al.block_id(0) * P.rows + al.thread_id(0) // P.threads
        if row < rows:
            own = al.convert(al.make_tensor(chosen, index, al.make_layout((rows,)))[row], al.i64)
            parts = al.make_tensor(lse_of, acc, al.make_layout((rows, 2), (2, 1)))
            given = al.make_tensor(grad, acc, al.make_layout((rows if each else 1,)))[row if each else 0]
            factor = given * al.make_tensor(scale, acc, al.make_layout((1,)))[0]
            factor = al.select(own == ignore, 0.0, factor)
            known = parts[row, 0], parts[row, 1]
            differentiate(X, D, row, known, own, factor, smoothing, smoothing / n, z, P, vectors, CAP, acc)

    return cross_entropy_backward


@functools.cache
def build_reduction(index: Any, acc: Any, mean: bool, counted: bool = False) -> Any:
    """The kernel, of one block, that adds up losses in a fixed order: `out`, their sum, or their mean over the classes
    that are not ignored, and `scale`, 1 or one by their number. `counted`: scale alone, whatever
    the losses are."""

    @avelang.jit
    def add_losses(
        losses: al.Pointer[acc], chosen: al.Pointer[index], out: al.Pointer[acc],
        scale: al.Pointer[acc],
        rows: al.u32,
        ignore: al.i64,
    ):  # fmt: skip
        held, t = al.make_shared((ADD_THREADS, 2), acc), al.thread_id(0)
        given = al.make_tensor(losses, acc, al.make_layout((rows,)))
        classes = al.make_tensor(chosen, index, al.make_layout((rows,)))
        total, count = al.full((1,), 0.0, acc)[0], al.full((1,), 0.0, acc)[0]
        for row in al.range(t, rows, ADD_THREADS):
            total = total if counted else total + given[row]
            count = count + al.select(al.convert(classes[row], al.i64) == ignore, 0.0, 1.0)
        held[t, 0], held[t, 1] = total, count
        al.syncthreads()
        for i in range(10):
            half = ADD_THREADS >> (i + 1)
            if t < half:
                held[t, 0], held[t, 1] = held[t, 0] + held[t + half, 0], held[t, 1] + held[t + half, 1]
            al.syncthreads()
        if t == 0:
            number = held[0, 1] if mean else 1.0 + 0.0 * held[0, 1]
            al.make_tensor(out, acc, al.make_layout((1,)))[0] = held[0, 0] / number
            al.make_tensor(scale, acc, al.make_layout((1,)))[0] = 1.0 / number

    return add_losses
