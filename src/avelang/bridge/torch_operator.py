"""torch: an operation comes in; a registered operator goes out, with a fake implementation, autograd and a direct way
for calls that nobody watches. torch is never imported from here: it is there when a call has its tensors.

Sources: PyTorch, "Custom Operators" (torch.library: Library, register_fake, register_autograd)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from avelang.base.errors import error
from avelang.base.places import argument_error
from avelang.bridge.descriptions import FLOATS, Array, NoKernel
from avelang.bridge.signatures import encoded

if TYPE_CHECKING:
    from avelang.bridge.operation import Operation

# torch forgets what was registered when the library object is gone.
_libraries: dict[str, Any] = {}


class TorchOperator:
    """One operation in torch: `call` is an eager call, `operator` the registered one."""

    def __init__(self, operation: Operation):
        self.operation, self.signature = operation, operation.signature
        torch = self.torch = sys.modules["torch"]
        self.plain = frozenset((torch.Tensor, torch.nn.Parameter))
        self.host, self.count = operation.host, len(self.signature.inputs)
        self.returns, self._packs = operation.returns, operation.packed
        self._plans: dict[Any, Any] = {}
        self._empty, self._grad_enabled = torch.empty, torch.is_grad_enabled
        self._modes, self._functions = torch._C._len_torch_dispatch_stack, torch._C._len_torch_function_stack
        self._transforms = torch._C._functorch.peek_interpreter_stack
        self._coded = [i for i, o in enumerate(self.signature.options.values()) if not o.schema]
        self.operator = self._registered()

    # -- eager calls ---------------------------------------------------------------------------------------------------

    def call(self, inputs: tuple[Any, ...], options: tuple[Any, ...], out: Any, fallback: bool) -> Any:
        """An eager call: straight to the host function, unless gradients are wanted or somebody watches."""
        key: list[Any] = [options]
        wanted = False
        for x in inputs:
            if x is None:
                key.append(None)
                continue
            if type(x) not in self.plain:
                return self.watched(inputs, options, out, fallback)
            if x.requires_grad:
                wanted = True
            key += (x.shape, x.dtype, x.device)
        if (wanted and self._grad_enabled()) or self._modes() or self._functions() or self._transforms() is not None:
            return self.watched(inputs, options, out, fallback)
        found = self._plans.get(tuple(key))
        try:
            if found is None:
                found = self._planned(inputs, options, tuple(key))
            shapes, named, device = found
            if out is None:
                made = [self._empty(shape, dtype=dtype, device=device) for shape, dtype in shapes]
            else:
                made = self._given(out, shapes, device)
            self.host(*(self.packed(inputs) if self._packs else inputs), *made, **named)
        except NoKernel:
            if not fallback:
                raise
            return self.operation.fallen_back(inputs, options, out)
        return out if out is not None else made[0] if self.returns == 1 else tuple(made[: self.returns])

    def _planned(self, inputs: Sequence[Any], options: Sequence[Any], key: Any) -> Any:
        """Outputs as torch describes them, options by name, and the device of a call. Raises what the shape rule
        raises."""
        self.operation.check_arrays(inputs, "torch")
        wanted = self.operation.rule([self.described(x) for x in inputs], options)
        device = next(x.device for x in inputs if x is not None)
        shapes = [(a.shape, getattr(self.torch, a.dtype)) for a in wanted]
        found = shapes, self.signature.named(options), device
        if key is not None:
            if len(self._plans) > 4096:
                self._plans.clear()
            self._plans[key] = found
        return found

    def described(self, x: Any) -> Array | None:
        """The description of a tensor."""
        if x is None:
            return None
        device = x.device
        if device.type == "cpu":
            return Array(x.shape, str(x.dtype)[6:])
        kind = "rocm" if device.type == "cuda" and self.torch.version.hip else device.type
        return Array(x.shape, str(x.dtype)[6:], kind, lambda: chip_of(self.torch, device))

    def packed(self, inputs: Sequence[Any]) -> list[Any]:
        """Inputs, those that must be so without gaps."""
        found = list(inputs)
        for i in self._packs:
            if found[i] is not None:
                found[i] = found[i].contiguous()
        return found

    def _given(self, out: Any, shapes: Sequence[Any], device: Any) -> list[Any]:
        given = self.operation.given(out)
        for x, (shape, dtype) in zip(given, shapes, strict=False):
            if not isinstance(x, self.torch.Tensor) or x.shape != shape or x.dtype != dtype or x.device != device:
                came = f"{tuple(x.shape)} of {x.dtype} on {x.device}" if hasattr(x, "device") else repr(x)
                raise argument_error(f"out is {came}: it must be {tuple(shape)} of {dtype} on {device}")
        return [*given, *(self._empty(s, dtype=d, device=device) for s, d in shapes[self.returns :])]

    def watched(self, inputs: Sequence[Any], options: Sequence[Any], out: Any, fallback: bool) -> Any:
        """A call by the registered operator."""
        self.operation.check_arrays(inputs, "torch")
        try:
            made = self.operator(*inputs, *self.encode(options))
        except NoKernel:
            if not fallback:
                raise
            return self.operation.fallen_back(inputs, options, out)
        made = (made,) if isinstance(made, self.torch.Tensor) else made
        if out is None:
            return self.operation.returned(made)
        for x, y in zip(self.operation.given(out), made, strict=False):
            if self._grad_enabled() and (x.requires_grad or y.requires_grad):
                raise argument_error("out= makes no gradients: leave it out, or call under torch.no_grad()")
            self.operation.check_out((x,), (Array(y.shape, str(y.dtype)[6:]),))
            x.copy_(y)
        return out

    # -- the operator --------------------------------------------------------------------------------------------------

    def encode(self, options: Sequence[Any]) -> Sequence[Any]:
        """Options as the operator takes them."""
        if not self._coded:
            return options
        found = list(options)
        names = tuple(self.signature.options)
        for i in self._coded:
            found[i] = encoded(names[i], found[i])
        return found

    def decode(self, options: Sequence[Any]) -> tuple[Any, ...]:
        """Options as the host function takes them."""
        found: list[Any] = [tuple(x) if isinstance(x, list) else x for x in options]
        for i in self._coded:
            found[i] = ast.literal_eval(found[i])
        return tuple(found)

    def _registered(self) -> Any:
        torch, full = self.torch, self.operation.full_name
        namespace, name = full.split("::")
        library = _libraries.get(namespace)
        if library is None:
            library = _libraries[namespace] = torch.library.Library(namespace, "FRAGMENT")
        tags = [getattr(torch.Tag, t) for t in ("pt2_compliant_tag", "needs_exact_strides") if hasattr(torch.Tag, t)]
        library.define(name + self.signature.schema(), tags=tags)
        library.impl(name, self._run, "CompositeExplicitAutograd")
        torch.library.register_fake(full, self._fake, lib=library)
        torch.library.register_autograd(full, self._backward, setup_context=self._setup, lib=library)
        return getattr(getattr(torch.ops, namespace), name).default

    def _run(self, *args: Any) -> Any:
        inputs, options = args[: self.count], self.decode(args[self.count :])
        shapes, named, device = self._planned(inputs, options, None)
        made = [self._empty(shape, dtype=dtype, device=device) for shape, dtype in shapes]
        self.host(*(self.packed(inputs) if self._packs else inputs), *made, **named)
        return made[0] if len(made) == 1 else tuple(made)

    def _fake(self, *args: Any) -> Any:
        inputs, options = args[: self.count], self.decode(args[self.count :])
        shapes, _, device = self._planned(inputs, options, None)
        made = [self._empty(shape, dtype=dtype, device=device) for shape, dtype in shapes]
        return made[0] if len(made) == 1 else tuple(made)

    def _setup(self, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        outputs = (output,) if isinstance(output, self.torch.Tensor) else tuple(output)
        saves = self.operation.saves
        names = (*self.signature.inputs, *self.signature.outputs)
        tensors = (*inputs[: self.count], *outputs)
        ctx.save_for_backward(*(x if n in saves else None for n, x in zip(names, tensors, strict=True)))
        ctx.options = inputs[self.count :]
        ctx.likes = [(x.shape, x.dtype, x.device) for x in outputs[: self.returns]]
        ctx.set_materialize_grads(False)

    def _backward(self, ctx: Any, *grads: Any) -> tuple[Any, ...]:
        operation, torch = self.operation, self.torch
        if operation.gradient is None:
            raise error(
                "L069",
                name=operation.__name__,
                what="gradient",
                why="it has no backward: give it one by @operation.backward",
            )
        given = []
        for g, (shape, dtype, device) in zip(grads, ctx.likes, strict=False):
            if g is not None:
                given.append(g.contiguous())
            elif str(dtype)[6:] in FLOATS:
                given.append(torch.zeros(shape, dtype=dtype, device=device))
            else:
                given.append(None)
        saved = ctx.saved_tensors
        needs = tuple(ctx.needs_input_grad[: self.count])
        found = operation.gradients(
            tuple(given), saved[: self.count], saved[self.count :], self.decode(ctx.options), needs
        )
        return (*found, *(None,) * len(self.signature.options))


def chip_of(torch: Any, device: Any) -> str:
    """The chip of a device of torch's, such as "sm_90a" and "gfx942"."""
    found = torch.cuda.get_device_properties(device)
    if torch.version.hip:
        return str(found.gcnArchName).split(":")[0]
    from avelang.runtime import devices

    return devices.device(f"cuda:{device.index or 0}").chip.name
