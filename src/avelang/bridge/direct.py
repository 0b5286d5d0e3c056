"""The direct way of an eager call in torch: an operation's signature comes in; a function without loops goes out, since
each microsecond of a call counts.

It is written as text, one line for each input and output, and runs the host function where nobody watches, no gradient
is wanted, and a call of such shapes and dtypes was there before. Everything else goes to the general way. (Calls that
run no Python at all: `relaunched.py`.)"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from avelang.bridge.alignment import UNIT, aligned
from avelang.bridge.overlaps import shared_tensors
from avelang.runtime.repeats import in_dry_run


def direct(side: Any) -> Callable[..., Any]:
    """`call(inputs, options, out, fallback)` for one operation. `side`: the operation in torch."""
    operation, torch = side.operation, side.torch
    text = _text(side.signature, operation)
    if text is None:
        return side.general
    names = {
        "__name__": __name__, "plain": side.plain, "modes": side.modes, "host": operation.host,
        "functions": torch._C._len_torch_function_stack, "transforms": torch._C._functorch.peek_interpreter_stack,
        "forward": torch.autograd.forward_ad, "cast": torch.is_autocast_enabled, "grad_enabled": torch.is_grad_enabled,
        "plans": side.plans, "like": torch.empty_like, "empty": torch.empty_strided, "general": side.general,
        "aligned": aligned, "in_dry_run": in_dry_run,
        "touches": functools.partial(shared_tensors, same=operation.inplace[0]),
    }  # fmt: skip
    exec(compile(text, f"<direct call of {operation.full_name}>", "exec"), names)
    return names["call"]  # type: ignore[return-value]


def _text(signature: Any, operation: Any) -> str | None:
    """The function as text; None for an operation whose inputs may all be None."""
    count, outputs, packed = len(signature.inputs), len(signature.outputs), operation.packed
    maybe, returns = signature.optional, operation.returns
    first = next((i for i, may in enumerate(maybe) if not may), -1)
    if first < 0:
        return None
    xs, ys = [f"x{i}" for i in range(count)], [f"y{i}" for i in range(outputs)]
    ways = ", ".join(f"(s{i}, t{i}, d{i}, l{i})" for i in range(outputs))
    result = ys[0] if returns == 1 else "(" + ", ".join(ys[:returns]) + ")"

    def each(text: str, none: str) -> list[str]:
        """The text for each input, and another one where it is None."""
        return [(f"({none} if x{i} is None else {text})" if maybe[i] else text).format(f"x{i}") for i in range(count)]

    makes = [f"            y{i} = (like(inputs[l{i}]) if l{i} >= 0 and inputs[l{i}].is_contiguous()"
             f" else empty(s{i}, t{i}, dtype=d{i}, device=x{first}.device))" for i in range(outputs)]  # fmt: skip
    key = [x for pair in zip(each("{0}.shape", "None"), each("{0}.dtype", "None"), strict=True) for x in pair]
    packs = each("{0}.contiguous()", "None")
    given = [packs[i] if i in packed else f"x{i}" for i in range(count)]
    if operation.aligns:  # a place that begins off 16 bytes is rare: the test is all that others pay
        given = [f"(p{i} if (p{i} := {x}) is None or not p{i}.data_ptr() & {UNIT} else aligned(p{i}))"
                 for i, x in enumerate(given)]  # fmt: skip
    named = [f"{name}=options[{i}]" for i, name in enumerate(signature.options)]
    watched = " and ".join(each("type({0}) in plain", "True")), [
        "            and (not modes() or in_dry_run()) and not functions()",
        "            and transforms() is None and forward._current_level < 0"
        + (f" and not (x{first}.is_meta or cast(x{first}.device.type))" if operation.autocast else ""),
        f"            and not (({' or '.join(each('{0}.requires_grad', 'False'))}) and grad_enabled())):",
        f"        found = plans.get((options, {', '.join(key)}, x{first}.device))", "        if found is not None:",
    ]  # fmt: skip
    # An array that the caller has, of one output: as if it had been made.
    fits = f"out.shape == s0 and out.dtype == d0 and out.device == x{first}.device"
    fits += f" and not out.data_ptr() & {UNIT}" if operation.aligns else ""
    fits += " and not touches(out, inputs) and 0 not in out.stride()"
    fits += " and out.is_contiguous()" if operation.whole else ""
    given_one = [
        f"    if (out is not None and type(out) in plain and not fallback and {watched[0]}", *watched[1],
        "            (s0, t0, d0, l0), = found", f"            if {fits}:",
        f"                host({', '.join([*given, 'out', *named])})", "                return out",
    ]  # fmt: skip
    lines = [
        "def call(inputs, options, out, fallback):", f"    {', '.join(xs)}, = inputs",
        f"    if (out is None and not fallback and {watched[0]}", *watched[1],
        f"            {ways}, = found", *makes, f"            host({', '.join([*given, *ys, *named])})",
        f"            return {result}", *(given_one if outputs == 1 else ()),
        "    return general(inputs, options, out, fallback)",
    ]  # fmt: skip
    return "\n".join(lines)
