"""A bare launch, `kernel[grid, block](...)`, that `torch.compile` traces comes in; one call of an operator that changes
the tensors which the kernel writes goes out.

Functions that Dynamo follows are plain code over what it traces; what it shall not follow is asked by functions marked
as constants (`torch._dynamo.assume_constant_result`). Source: PyTorch, "Custom Operators" (mutates_args)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from avelang.base.parsing import literal

NAMESPACE = "avelang"
SCHEMA = "launch(str kernel, str said, Tensor(a!)[] written, Tensor[] read, SymInt[] ints, float[] floats) -> ()"
_kernels: dict[str, Any] = {}
_names: dict[int, str] = {}
_library: Any = None


def known(kernel: Any) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The name by which the operator knows a kernel, the names of its parameters, and those known at compile time."""
    _register(sys.modules["torch"])
    name = _names.get(id(kernel))
    if name is None:
        base = name = kernel.source.name
        number = 1
        while name in _kernels:
            name = f"{base}_{number}"
            number += 1
        _kernels[name], _names[id(kernel)] = kernel, name
    parameters = tuple(kernel.__signature__.parameters)
    return name, parameters, tuple(p for p in parameters if p in _constexprs(kernel))


def _constexprs(kernel: Any) -> set[str]:
    from avelang.frontend.signature import signature

    return {p.name for p in signature(kernel.source) if p.kind == "constexpr"}


def written(name: str, constants: str) -> tuple[str, ...]:
    """Names of the arrays that a kernel may write, with these compile-time values; all of its parameters where that
    cannot be found out beforehand."""
    from avelang.passes.writes import written as of
    from avelang.runtime import compile

    kernel = _kernels[name]
    chosen = _constexprs(kernel)
    values = {k: v for k, v in literal(constants) if k in chosen}
    try:
        source = kernel.source
        return tuple(of(compile.build(source, compile.constants(source, values), None)))
    except Exception:  # a kernel that is built otherwise once its arguments are there
        return tuple(kernel.__signature__.parameters)


written._dynamo_marked_constant = True  # type: ignore[attr-defined]


def launch(facts: Any, provider: Any, args: Sequence[Any], named: dict[str, Any]) -> None:
    """A launch, as Dynamo follows it: arguments are sorted into those of the operator."""
    torch: Any = sys.modules["torch"]
    name, parameters, constexprs = facts
    geometry: Any = provider() if callable(provider) else provider
    grid, block = geometry
    grid = (*grid,) if isinstance(grid, (tuple, list)) else (grid,)
    block = (*block,) if isinstance(block, (tuple, list)) else (block,)
    ints: list[Any] = [*grid, *block]
    floats: list[Any] = []
    said: list[Any] = []
    tensors: list[Any] = []
    for key, value in [*zip(parameters, args, strict=False), *named.items()]:
        if isinstance(value, torch.Tensor):
            tensors.append((key, value))
        elif value is None or isinstance(value, (bool, str)) or key in constexprs or key not in parameters:
            said.append((key, value))
        elif isinstance(value, float):
            floats.append(value)
            said.append((key, "float"))
        else:
            ints.append(value)
            said.append((key, "int"))
    constants = repr(tuple(x for x in said if x[0] in constexprs))
    out = written(name, constants)
    numbers = tuple(x[0] for x in said if x[0] not in constexprs and x[0] in parameters and x[1] in ("int", "float"))
    first, last = [x for x in tensors if x[0] in out], [x for x in tensors if x[0] not in out]
    text = repr((len(grid), len(block), tuple(said), numbers, tuple(x[0] for x in first), tuple(x[0] for x in last)))
    torch.ops.avelang.launch.default(name, text, [x[1] for x in first], [x[1] for x in last], ints, floats)


def _register(torch: Any) -> None:
    global _library
    if _library is not None:
        return
    _library = torch.library.Library(NAMESPACE, "FRAGMENT")
    _library.define(SCHEMA, tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl("launch", _run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::launch", lambda *args: None, lib=_library)


def _run(
    name: str, text: str, first: Sequence[Any], last: Sequence[Any], ints: Sequence[int], floats: Sequence[float]
) -> None:
    grid, block, said, numbers, out, read = literal(text)
    values, more, fractions = dict(said), iter(ints[grid + block :]), iter(floats)
    for key in numbers:
        values[key] = next(more) if values[key] == "int" else next(fractions)
    values.update(zip(out, first, strict=True))
    values.update(zip(read, last, strict=True))
    _kernels[name][tuple(ints[:grid]), tuple(ints[grid : grid + block])](**values)
