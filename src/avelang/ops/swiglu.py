"""`swiglu` and `geglu`: a gate and what passes through it come in, apart or as halves of one array of NumPy, torch or
JAX; act(gate) * up goes out. One kernel for AMD, NVIDIA and the CPU."""

from __future__ import annotations

from typing import Any

from avelang import argument_error
from avelang.base.takes import counted
from avelang.bridge import Array, op
from avelang.bridge.relaunched import relaunched
from avelang.ops.norm import floats, on
from avelang.ops.sharding import ROWS, along_rows
from avelang_kernels.activation import gated
from avelang_kernels.activation.gated import ACTIVATIONS
from avelang_kernels.arrays import new, off_16, on_16
from avelang_kernels.norm.lines import through


def _check(gate: Array, act: str) -> None:
    floats("gate", gate)
    if not gate.shape:
        raise argument_error("gate is a single number: it needs a dimension or more")
    if act not in ACTIVATIONS:
        raise argument_error(f"act is {act!r}: it must be one of {', '.join(ACTIVATIONS)}")


def _pair_shapes(gate: Array, up: Array, *, act: str) -> Array:
    _check(gate, act)
    if gate != up:
        raise argument_error(f"gate is {gate}, and up is {up}: both need the same shape and dtype")
    return Array(gate.shape, gate.dtype)


def _packed_shapes(x: Array, *, act: str) -> Array:
    _check(x, act)
    if x.shape[-1] % 2:
        raise argument_error(f"x is {x.shape}: its last dimension holds gate and up, so it must be even")
    return Array((*x.shape[:-1], x.shape[-1] // 2), x.dtype)


@op(_pair_shapes, batched=("gate", "up"), inplace={"y": ("gate", "up")},
    strided=dict.fromkeys(("gate", "up"), "matrix"),
    sharding=along_rows([ROWS], [ROWS, ROWS], last=True))  # fmt: skip
def gated_pair(gate: Any, up: Any, y: Any, *, act: str = "silu", target: str | None = None) -> None:
    """act(gate) * up."""
    through(lambda y: gated.make_gated(gate, up, y, act=act, **on(target)), y)


@op(_packed_shapes, batched=("x",), strided={"x": "matrix"})
def gated_packed(x: Any, y: Any, *, act: str = "silu", target: str | None = None) -> None:
    """act(gate) * up, of the first and the second half of rows."""
    n = y.shape[-1]
    gate, up = x[..., :n], on_16(x[..., n:])
    through(lambda y: gated.make_gated(gate, up, y, act=act, **on(target)), y)


def _pair_gradient_shapes(gate: Array, up: Array, dy: Array) -> tuple[Array, Array]:
    return Array(gate.shape, gate.dtype), Array(up.shape, up.dtype)


@op(_pair_gradient_shapes, returns=2, sharding=along_rows([ROWS] * 2, [ROWS] * 3, last=True),
    strided=dict.fromkeys(("gate", "up", "dy"), "matrix"))  # fmt: skip
def gated_pair_gradients(
    gate: Any, up: Any, dy: Any, dg: Any, du: Any, *, act: str = "silu", target: str | None = None
) -> None:
    """Gradients of gate and up."""
    gated.gated_gradients(gate, up, dy, dg, du, act=act, **on(target))


def _packed_gradient_shapes(x: Array, dy: Array) -> Array:
    return Array(x.shape, x.dtype)


@op(_packed_gradient_shapes, sharding=along_rows([ROWS], [ROWS, ROWS]))
def gated_packed_gradients(x: Any, dy: Any, dx: Any, *, act: str = "silu", target: str | None = None) -> None:
    """Gradients of an array of both."""
    n = dy.shape[-1]
    dg, du = dx[..., :n], dx[..., n:]
    made = new(du, tuple(du.shape)) if off_16(du) else du
    gated.gated_gradients(x[..., :n], on_16(x[..., n:]), dy, dg, made, act=act, **on(target))
    if made is not du:
        du[...] = made


@gated_pair.backward(saves=("gate", "up"))
def _(grads: Any, inputs: Any, outputs: Any, *, act: str, target: str | None) -> Any:
    return gated_pair_gradients(*inputs, grads[0], act=act, target=target)


@gated_packed.backward(saves=("x",))
def _(grads: Any, inputs: Any, outputs: Any, *, act: str, target: str | None) -> Any:
    return (gated_packed_gradients(inputs[0], grads[0], act=act, target=target),)


@relaunched
@counted
def swiglu(gate: Any, up: Any = None, *, out: Any = None, target: str | None = None) -> Any:
    """silu(gate) * up, where silu(x) = x / (1 + e^-x); computed in f32 (f64 of f64) and rounded once.

    gate, up: (..., n) of one shape and one dtype, bf16, f16, f32 or f64, any strides. Without `up`, gate is (..., 2 n),
    the gate first. out: (..., n); no gradients then. target: of arrays on the CPU, the chip whose waves are meant.
    Returns (..., n). Differentiable in both. Raises L066 (a ValueError) for shapes that do not fit and dtypes without a
    kernel."""
    if up is None:
        return gated_packed(gate, act="silu", target=target, out=out)
    return gated_pair(gate, up, act="silu", target=target, out=out)


@relaunched
@counted
def geglu(gate: Any, up: Any = None, *, approximate: str = "none", out: Any = None, target: str | None = None) -> Any:
    """gelu(gate) * up; arguments as of `swiglu`. approximate: "tanh", or "none" for gelu by erf, as of torch's
    `gelu`."""
    act = {"none": "gelu", "tanh": "gelu_tanh"}.get(approximate)
    if act is None:
        raise argument_error(f"approximate is {approximate!r}: it must be one of none, tanh")
    if up is None:
        return gated_packed(gate, act=act, target=target, out=out)
    return gated_pair(gate, up, act=act, target=target, out=out)
