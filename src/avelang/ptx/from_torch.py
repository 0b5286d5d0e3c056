"""PyTorch: a call under `torch.compile`, or one whose gradients are wanted, comes in; it goes through one operator,
`avelang_ptx::call`, which has fake tensors and autograd. torch is never imported from here: it is there when a call has
its tensors.

Sources: PyTorch, "Custom Operators" (torch.library.custom_op, register_fake, register_autograd).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from avelang.base.errors import error
from avelang.ptx.outputs import torch_dtype
from avelang.ptx.specs import TileSpec

if TYPE_CHECKING:
    from avelang.ptx.calls import Caller

NAME = "avelang_ptx::call"
SCHEMA = "(str kernel, Tensor[] inputs, float[] numbers) -> Tensor[]"
_callers: dict[str, Caller] = {}
_names: dict[int, str] = {}
_op: Any = None


def name_of(caller: Caller) -> str:
    """The name by which the operator knows a kernel: its own, with a number where there are several."""
    found = _names.get(id(caller))
    if found is None:
        base = found = caller.definition.name
        number = 1
        while found in _callers:
            found = f"{base}_{number}"
            number += 1
        _callers[found], _names[id(caller)] = caller, found
    return found


def prepare(caller: Caller) -> str:
    """Registers the operator, and the kernel by its name."""
    global _op
    if _op is None:
        _op = _registered(sys.modules["torch"])
    return name_of(caller)


def prepared(caller: Caller) -> Callable[[], str]:
    """`prepare` for one kernel. `torch.compile` calls it while it traces, and takes its result for a constant: of no
    arguments, since not all versions of torch pass on what is no constant itself."""

    def name() -> str:
        return prepare(caller)

    name._dynamo_marked_constant = True  # type: ignore[attr-defined]  (what torch._dynamo.assume_constant_result sets)
    return name


def _registered(torch: Any) -> Any:
    op = torch.library.custom_op(NAME, _run, mutates_args=(), schema=SCHEMA)
    op.register_fake(_fake)
    op.register_autograd(_backward, setup_context=_setup)
    return op


def _arguments(caller: Caller, inputs: Sequence[Any], numbers: Sequence[float]) -> list[Any]:
    """Arrays and numbers in the order of the parameters."""
    arrays, plain = iter(inputs), iter(numbers)
    return [next(arrays) if isinstance(s, TileSpec) else _number(s, next(plain)) for s in caller.definition.inputs]


def _number(kind: Any, value: float) -> int | float:
    return int(value) if kind.is_int else value


def _run(kernel: str, inputs: Sequence[Any], numbers: Sequence[float]) -> list[Any]:
    caller = _callers[kernel]
    made = caller.run(_arguments(caller, inputs, numbers))
    return list(made) if isinstance(made, tuple) else [made]


def _fake(kernel: str, inputs: Sequence[Any], numbers: Sequence[float]) -> list[Any]:
    caller, torch = _callers[kernel], sys.modules["torch"]
    arguments = _arguments(caller, inputs, numbers)
    sized = caller.sized([tuple(a.shape) if isinstance(a, torch.Tensor) else None for a in arguments])
    return [inputs[0].new_empty(shape, dtype=torch_dtype(torch, dtype)) for shape, dtype in sized.outputs]


def _setup(ctx: Any, inputs: tuple[Any, ...], output: Sequence[Any]) -> None:
    kernel, arrays, numbers = inputs
    ctx.kernel, ctx.count, ctx.numbers = kernel, len(arrays), len(numbers)
    ctx.save_for_backward(*arrays, *output)


def _backward(ctx: Any, grads: Sequence[Any]) -> tuple[Any, ...]:
    caller, saved = _callers[ctx.kernel], ctx.saved_tensors
    if caller.backward is None:
        raise caller.definition.fail(
            "L047", what="gradients", why="it has no backward: give it one by @kernel.backward"
        )
    given = caller.backward(tuple(saved[: ctx.count]), tuple(saved[ctx.count :]), tuple(grads))
    got = list(given) if isinstance(given, (tuple, list)) else [given]
    if len(got) != ctx.count:
        raise caller.definition.fail(
            "L047", what="backward", why=f"it gave {len(got)} gradients for {ctx.count} tensors"
        )
    # torch wants the structure of the inputs back: an empty list is one, a list of numbers is a leaf.
    return None, got, None if ctx.numbers else []


def through_operator(caller: Caller, args: Sequence[Any], name: str = "") -> Any:
    """A call by the operator; `name`: that of the kernel, where it is known."""
    name = name or prepare(caller)
    tensors = [a for a, s in zip(args, caller.definition.inputs, strict=True) if isinstance(s, TileSpec)]
    numbers = [float(a) for a, s in zip(args, caller.definition.inputs, strict=True) if not isinstance(s, TileSpec)]
    made = sys.modules["torch"].ops.avelang_ptx.call(name, tensors, numbers)
    return made[0] if len(made) == 1 else tuple(made)


def route(args: Sequence[Any]) -> Callable[[Caller, Sequence[Any]], Any] | None:
    """The route of a call of a kernel with a backward: by the operator where a gradient is wanted."""
    torch: Any = sys.modules["torch"]
    wanted = torch.is_grad_enabled() and any(isinstance(a, torch.Tensor) and a.requires_grad for a in args)
    return through_operator if wanted else None


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
