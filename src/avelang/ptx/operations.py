"""A kernel of the instruction level comes in; the operation (`avelang.bridge`) by which torch, where it traces or keeps
gradients, and JAX call it, goes out."""

from __future__ import annotations

import inspect
import keyword
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from avelang.base.errors import error
from avelang.base.lazy import np
from avelang.bridge.descriptions import Array, dtype_name, framework_of
from avelang.bridge.operation import Operation
from avelang.bridge.signatures import RESERVED
from avelang.ir.dtypes import from_numpy
from avelang.ptx.specs import TileSpec
from avelang.runtime.arguments import serves

if TYPE_CHECKING:
    from avelang.ptx.calls import Caller

NAMESPACE = "avelang_ptx"
_TAKEN = frozenset((*RESERVED, *keyword.kwlist, "invariant"))


def compiling() -> bool:
    """True while `torch.compile` traces this call."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def refuse(caller: Caller, options: dict[str, Any]) -> None:
    """Raises L047 for out= and stream= under `torch.compile`."""
    if options:
        what = f"{next(iter(options))}="
        # Dynamo cannot format the error, and shows this line instead.
        raise error("L047", kernel=caller.definition.name, what=what, why="not under torch.compile")


def operation_of(caller: Caller) -> Operation:
    """The operation of a kernel: its arrays are inputs, its numbers are options. Raises L047 for one without
    outputs."""
    if caller.operation is None:
        definition = caller.definition
        if not definition.outputs:
            raise definition.fail("L047", what="a framework's call", why="it has no outputs: out_specs says them")
        made = Operation(_host(caller), _rule(caller), len(definition.outputs), NAMESPACE)
        if caller.backward is not None:
            made.backward(lambda grads, inputs, outputs: _gradients(caller, grads, inputs, outputs))
        caller.operation = made
    return caller.operation


def prepared(caller: Caller) -> Callable[[], str]:
    """A function that `torch.compile` calls while it traces, and whose result it takes for a constant: the full name of
    the kernel's operator, which is registered then."""

    def name() -> str:
        return operation_of(caller).prepare()

    name._dynamo_marked_constant = True  # type: ignore[attr-defined]  (what torch._dynamo.assume_constant_result sets)
    return name


def traced(caller: Caller, name: str, args: Sequence[Any]) -> Any:
    """A call that `torch.compile` traces, as Dynamo follows it."""
    torch: Any = sys.modules["torch"]
    namespace, own = name.split("::")
    kinds = [isinstance(s, TileSpec) for s in caller.definition.inputs]
    arrays = [a for a, array in zip(args, kinds, strict=True) if array]
    numbers = [a for a, array in zip(args, kinds, strict=True) if not array]
    return getattr(getattr(torch.ops, namespace), own).default(*arrays, *numbers)


def route(caller: Caller, args: Sequence[Any]) -> Callable[[Sequence[Any]], Any] | None:
    """The way of a call that a framework traces or keeps gradients of; None where the arrays are simply there."""
    kind = framework_of(args)
    if kind == "jax":
        return lambda args: _with_jax(caller, args)
    if kind == "torch" and caller.backward is not None:
        torch: Any = sys.modules["torch"]
        if torch.is_grad_enabled() and any(isinstance(a, torch.Tensor) and a.requires_grad for a in args):
            return lambda args: _called(caller, args)
    return None


def _called(caller: Caller, args: Sequence[Any]) -> Any:
    definition, made = caller.definition, operation_of(caller)
    arrays = [a for a, s in zip(args, definition.inputs, strict=True) if isinstance(s, TileSpec)]
    numbers = [a for a, s in zip(args, definition.inputs, strict=True) if not isinstance(s, TileSpec)]
    return made(*arrays, **dict(zip(made.signature.options, numbers, strict=True)))


def _with_jax(caller: Caller, args: Sequence[Any]) -> Any:
    """A call of XLA's foreign function. Raises L010, L012 and L047 while JAX traces, as a call on arrays would."""
    jax: Any = sys.modules["jax"]
    definition = caller.definition
    for name, spec, value in zip(definition.names, definition.inputs, args, strict=False):
        if not isinstance(spec, TileSpec):
            if isinstance(value, jax.core.Tracer):
                raise definition.fail(
                    "L047",
                    what=f"the number {name!r}",
                    why="under jax.jit it must be a Python number, known while JAX traces",
                )
            continue
        if not hasattr(value, "dtype"):
            raise definition.fail("L010", param=name, want=spec, got=repr(value))
        have = from_numpy(np.dtype(value.dtype))
        if have is None or not serves(have, spec.type.in_memory):
            raise definition.fail("L012", param=name, want=spec, got=getattr(value, "aval", value), dtype=value.dtype,
                                  expected=spec.type.in_memory.name)  # fmt: skip
    return _called(caller, [jax.numpy.asarray(a) if isinstance(a, np.ndarray) else a for a in args])


# -- the two functions of an operation ---------------------------------------------------------------------------------


def _signature(caller: Caller, outputs: bool) -> inspect.Signature:
    """Parameters of the rule, or with outputs of the host function."""
    kind, d = inspect.Parameter, caller.definition
    names = [n + "_" if n in _TAKEN else n for n in d.names]
    arrays = [kind(n, kind.POSITIONAL_OR_KEYWORD) for n, s in zip(names, d.inputs, strict=False)
              if isinstance(s, TileSpec)]  # fmt: skip
    if outputs:
        arrays += [kind(n, kind.POSITIONAL_OR_KEYWORD) for n in names[len(d.inputs) :]]
    return inspect.Signature([*arrays, *(kind(n, kind.KEYWORD_ONLY, annotation=int if s.is_int else float)
                                         for n, s in zip(names, d.inputs, strict=False)
                                         if not isinstance(s, TileSpec))])  # fmt: skip


def _everything(caller: Caller, arrays: Sequence[Any], numbers: dict[str, Any]) -> list[Any]:
    """Arrays and numbers in the order of the parameters."""
    given, plain = iter(arrays), iter(numbers.values())
    found: list[Any] = []
    for spec in caller.definition.inputs:
        if isinstance(spec, TileSpec):
            found.append(next(given))
        else:
            value = next(plain)
            found.append(int(value) if spec.is_int else value)
    return found


def _rule(caller: Caller) -> Callable[..., Any]:
    d = caller.definition

    def rule(*arrays: Array, **numbers: Any) -> tuple[Array, ...]:
        given = iter(arrays)
        sized = caller.sized([next(given).shape if isinstance(s, TileSpec) else None for s in d.inputs])
        return tuple(Array(shape, dtype_name(dtype)) for shape, dtype in sized.outputs)

    rule.__signature__ = _signature(caller, False)  # type: ignore[attr-defined]
    return rule


def _host(caller: Caller) -> Callable[..., None]:
    d = caller.definition
    count = sum(isinstance(s, TileSpec) for s in d.inputs)

    def host(*arrays: Any, **numbers: Any) -> None:
        caller.run(_everything(caller, arrays[:count], numbers), list(arrays[count:]))

    host.__name__ = host.__qualname__ = d.name
    host.__module__ = d.fn.__module__
    host.__doc__ = d.fn.__doc__
    host.__signature__ = _signature(caller, True)  # type: ignore[attr-defined]
    parameters = _signature(caller, True).parameters.values()
    host.__annotations__ = {p.name: p.annotation for p in parameters if p.annotation is not p.empty}
    return host


def _gradients(caller: Caller, grads: Any, inputs: Any, outputs: Any) -> list[Any]:
    given = caller.backward(inputs, outputs, grads)  # type: ignore[misc]
    got = list(given) if isinstance(given, (tuple, list)) else [given]
    if len(got) != len(inputs):
        raise caller.definition.fail(
            "L047", what="backward", why=f"it gave {len(got)} gradients for {len(inputs)} tensors"
        )
    return got
