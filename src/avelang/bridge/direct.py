"""The direct way of an eager call in torch: an operation's signature comes in; a function without loops goes out, since
each microsecond of a call counts.

It is written as text, one line for each input and output, and runs the host function where nobody watches, no gradient
is wanted, and a call of such shapes and dtypes was there before. Everything else goes to the general way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def direct(side: Any) -> Callable[[tuple[Any, ...], tuple[Any, ...], Any, bool], Any]:
    """`call(inputs, options, out, fallback)` for one operation. `side`: the operation in torch."""
    signature, packed = side.signature, side.operation.packed
    count, outputs, returns = len(signature.inputs), len(signature.outputs), side.operation.returns
    maybe = signature.optional
    first = next((i for i, may in enumerate(maybe) if not may), -1)
    if first < 0:
        return side.general
    xs, ys = [f"x{i}" for i in range(count)], [f"y{i}" for i in range(outputs)]

    def unless_none(i: int, text: str, none: str) -> str:
        return f"({none} if x{i} is None else {text})" if maybe[i] else text

    types = [unless_none(i, f"type(x{i}) in plain", "True") for i in range(count)]
    grads = [unless_none(i, f"x{i}.requires_grad", "False") for i in range(count)]
    key = [unless_none(i, f"x{i}.{what}", "None") for i in range(count) for what in ("shape", "dtype")]
    given = [unless_none(i, f"x{i}.contiguous()", "None") if i in packed else f"x{i}" for i in range(count)]
    named = [f"{name}=options[{i}]" for i, name in enumerate(signature.options)]
    lines = [
        "def call(inputs, options, out, fallback):",
        f"    {', '.join(xs)}, = inputs",
        f"    if (out is None and not fallback and {' and '.join(types)} and not modes() and not functions()",
        "            and transforms() is None and forward._current_level < 0"
        + (f" and not (x{first}.is_meta or cast(x{first}.device.type))" if side.operation.autocast else ""),
        f"            and not (({' or '.join(grads)}) and grad_enabled())):",
        f"        found = plans.get((options, {', '.join(key)}, x{first}.device))",
        "        if found is not None:",
        f"            {', '.join(f'(s{i}, t{i}, d{i}, l{i})' for i in range(outputs))}, = found",
        *(f"            y{i} = (like(inputs[l{i}]) if l{i} >= 0 and inputs[l{i}].is_contiguous()"
          f" else empty(s{i}, t{i}, dtype=d{i}, device=x{first}.device))" for i in range(outputs)),
        f"            host({', '.join([*given, *ys, *named])})",
        f"            return {ys[0] if returns == 1 else '(' + ', '.join(ys[:returns]) + ')'}",
        "    return general(inputs, options, out, fallback)",
    ]  # fmt: skip
    torch = side.torch
    names = {
        "plain": side.plain, "modes": torch._C._len_torch_dispatch_stack, "host": side.operation.host,
        "functions": torch._C._len_torch_function_stack, "transforms": torch._C._functorch.peek_interpreter_stack,
        "forward": torch.autograd.forward_ad, "cast": torch.is_autocast_enabled, "grad_enabled": torch.is_grad_enabled,
        "plans": side.plans, "like": torch.empty_like, "empty": torch.empty_strided, "general": side.general,
    }  # fmt: skip
    exec(compile("\n".join(lines), f"<direct call of {side.operation.full_name}>", "exec"), names)
    return names["call"]  # type: ignore[return-value]
