"""Whether a part of a model computes what an operation of Ave does. A module's attributes do not say it: norms that
add one to their weight, gates with multipliers and rotary embeddings of neighbors look like all others. So its own
forward runs on a few numbers on the CPU, with small random weights in place of its own, beside the formula."""

from __future__ import annotations

import ast
import copy
import inspect
import sys
import textwrap
from collections.abc import Callable
from typing import Any


def _torch() -> Any:
    return sys.modules["torch"]


def numbers(*shape: int) -> Any:
    """Normal numbers in f32 on the CPU, the same at each call; torch's own generator stays as it is."""
    torch = _torch()
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float32, device="cpu")


def stand_in(m: Any, weights: dict[str, Any], parts: dict[str, Any] | None = None) -> Any:
    """A module with the attributes of another one, with buffers of its own, and with other weights and parts."""
    torch = _torch()
    made = copy.copy(m)
    made.__dict__ = dict(m.__dict__)
    own = {n: torch.nn.Parameter(w, requires_grad=False) for n, w in weights.items()}
    made._parameters = {**m._parameters, **own}
    made._modules = {**m._modules, **(parts or {})}
    made._buffers = {n: None if b is None else b.clone() for n, b in m._buffers.items()}  # a forward may write to them
    return made


def agrees(call: Callable[[], Any], *wanted: Any) -> bool:
    """True where a call gives these arrays, but for rounding; False also where it raises anything."""
    torch = _torch()
    try:
        with torch.no_grad(), torch.autocast("cpu", enabled=False):
            got = call()
    except Exception:  # whatever it was made for, these numbers are not it
        return False
    got = got if isinstance(got, tuple) else (got,)
    return len(got) == len(wanted) and all(
        torch.is_tensor(g) and g.shape == w.shape and torch.allclose(g.float(), w, rtol=1e-4, atol=1e-4)
        for g, w in zip(got, wanted, strict=True)
    )


# The names of what norms add to the mean square.
EPSILONS = ("variance_epsilon", "eps", "epsilon", "norm_eps")


def rms_norm_of(m: Any) -> tuple[str, int] | None:
    """The name of a norm's epsilon and its offset, where it is x / sqrt(mean(x^2) + epsilon) (offset + weight) with an
    offset of 0 or, as Gemma's, 1; else None, also where it takes more than x."""
    if getattr(getattr(m, "weight", None), "ndim", 0) != 1 or len(inspect.signature(m.forward).parameters) != 1:
        return None
    x, w = numbers(2, m.weight.shape[0]), numbers(m.weight.shape[0])
    made = stand_in(m, {"weight": w})
    for name in EPSILONS:
        if isinstance(getattr(m, name, None), float):
            setattr(made, name, 0.25)  # one that makes a difference
            root = x * (x.square().mean(-1, keepdim=True) + 0.25).rsqrt()
            for offset in (0, 1):
                if agrees(lambda: type(m).forward(made, x), root * (offset + w)):
                    return name, offset
    return None


def _linear(n: int, k: int) -> Any:
    torch = _torch()
    made = torch.nn.Linear(k, n, bias=False, device="meta")
    made.weight = torch.nn.Parameter(numbers(n, k), requires_grad=False)
    return made


def gate_of(m: Any) -> str | None:
    """The function act of an MLP down(act(gate(x)) up(x)), in training and else: "silu", "gelu" by erf, or "gelu_tanh";
    None of all other MLPs."""
    torch = _torch()
    parts = {"gate_proj": _linear(24, 8), "up_proj": _linear(24, 8), "down_proj": _linear(8, 24)}
    parts["up_proj"].weight.data = numbers(24, 9)[:, 1:]
    x = numbers(2, 3, 8)
    made = stand_in(m, {}, parts)
    gates = {"silu": torch.nn.functional.silu, "gelu": torch.nn.functional.gelu,
             "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh")}  # fmt: skip
    for name, act in gates.items():
        wanted, found = parts["down_proj"](act(parts["gate_proj"](x)) * parts["up_proj"](x)), True
        for training in (True, False):
            made.training = training
            found = found and agrees(lambda: type(m).forward(made, x), wanted)
        if found:
            return name
    return None


def are_gated_experts(m: Any) -> bool:
    """True where experts are sums of weight down(silu(gate(x)) up(x)) over the ones that were chosen, with gate and up
    one after the other in one array."""
    torch = _torch()
    both, down, x = numbers(m.num_experts, 12, 8), numbers(m.num_experts, 8, 6), numbers(5, 8)
    chosen = torch.arange(10, device="cpu").reshape(5, 2) * 7 % m.num_experts
    weights = numbers(5, 2).softmax(-1)
    gated = torch.einsum("rk,rcnk->rcn", x, both[chosen])
    gated = torch.nn.functional.silu(gated[..., :6]) * gated[..., 6:]
    wanted = torch.einsum("rcn,rckn,rc->rk", gated, down[chosen], weights)
    made = stand_in(m, {"gate_up_proj": both, "down_proj": down})
    return agrees(lambda: inspect.unwrap(type(m).forward)(made, x, chosen, weights), wanted)


# -- rotary embedding --------------------------------------------------------------------------------------------------

# How a table of cosines and sines holds its angles: two times one after the other, each one twice, or once.
HALVES, PAIRS, ONCE = "halves", "pairs", "once"


def _table(layout: str, angles: Any) -> Any:
    """A table of this layout, of (..., r / 2)."""
    if layout == HALVES:
        return _torch().cat((angles, angles), -1)
    return angles.repeat_interleave(2, -1) if layout == PAIRS else angles


def _is(layout: str, table: Any) -> bool:
    """True where a table may have this layout."""
    width = table.shape[-1]
    angles = {HALVES: table[..., : width // 2], PAIRS: table[..., ::2], ONCE: table}[layout]
    return _torch().equal(_table(layout, angles), table)


def table_layout(m: Any, kinds: tuple[str, ...] = ()) -> str | None:
    """The layout of what a model's rotary module gives for positions; None where it cannot be asked, and where layers
    of several kinds have several. kinds: of layers, for a module that asks for one."""
    torch = _torch()
    try:
        made, found = copy.deepcopy(m), set()
        buffers = [b for b in made.buffers() if b.numel()]
        device = buffers[0].device if buffers else "cpu"
        x = torch.zeros((1, 3, 8), dtype=torch.float32, device=device)
        positions = torch.arange(1, 4, device=device)[None]
        asked = "layer_type" in inspect.signature(type(m).forward).parameters
        for kind in kinds if asked else ("",):
            with torch.no_grad():
                cos, sin = type(m).forward(made, x, positions, *((kind,) if asked else ()))
            if cos.ndim != 3 or sin.shape != cos.shape or not cos.is_floating_point():
                return None
            found.add(next(n for n in (HALVES, PAIRS, ONCE) if all(_is(n, t) for t in (cos, sin))))
    except Exception:  # of another kind: of several axes, with complex numbers, without memory
        return None
    return found.pop() if len(found) == 1 else None


def turned(x: Any, cos: Any, sin: Any, interleaved: bool) -> Any:
    """x (batch, heads, positions, d) with its pairs turned; cos and sin (batch, positions, d / 2)."""
    torch = _torch()
    cos, sin = cos[:, None], sin[:, None]
    a, b = (x[..., ::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
    both = a * cos - b * sin, b * cos + a * sin
    return torch.stack(both, -1).flatten(-2) if interleaved else torch.cat(both, -1)


def interleaved_pairs(function: Any, layout: str) -> bool | None:
    """True where a function (q, k, cos, sin) turns pairs of neighbors, given tables of a layout; None where it turns
    neither those nor the halves of heads."""
    names = list(inspect.signature(function).parameters)
    if names[:4] != ["q", "k", "cos", "sin"] or names[4:] not in ([], ["unsqueeze_dim"]):
        return None
    q, k, cos, sin = numbers(1, 2, 3, 8), numbers(1, 1, 3, 8), numbers(1, 3, 4), numbers(1, 4, 3).transpose(1, 2)
    for interleaved in (False, True):
        wanted = [turned(x, cos, sin, interleaved) for x in (q, k)]
        if agrees(lambda: function(q, k, _table(layout, cos), _table(layout, sin)), *wanted):
            return interleaved
    return None


# -- what sources say --------------------------------------------------------------------------------------------------


def _nodes(function: Any) -> list[Any]:
    """The nodes of a function's source; none where there is no source."""
    try:
        return list(ast.walk(ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))))
    except (OSError, TypeError, SyntaxError):
        return []


def handed_to(function: Any, callee: str) -> set[str]:
    """The names of the arguments that a function hands to another one."""
    calls = [n for n in _nodes(function) if isinstance(n, ast.Call) and ast.unparse(n.func) == callee]
    return {k.arg for c in calls for k in c.keywords if k.arg}


def comes_from(function: Any, name: str, callee: str) -> bool:
    """True where all that a function gives a name is what another one returns, as it is or as float."""
    values = []
    for n in _nodes(function):
        targets = n.targets if isinstance(n, ast.Assign) else [n.target] if isinstance(n, ast.AugAssign) else []
        if any(isinstance(t, ast.Name) and t.id == name for at in targets for t in ast.walk(at)):
            values.append(n.value if isinstance(n, ast.Assign) else None)
    plain = ("float", "contiguous")
    for i, value in enumerate(values):
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in plain:
            value = value.func.value
        again = isinstance(value, ast.Name) and value.id == name and i > 0
        if not again and not (isinstance(value, ast.Call) and ast.unparse(value.func) == callee):
            return False
    return bool(values)
