"""torch: an operation comes in; a registered operator goes out, with a fake implementation, autograd and a direct way
for calls that nobody watches. torch is never imported from here: it is there when a call has its tensors.

Sources: PyTorch, "Custom Operators" (torch.library: Library, register_fake, register_autograd)."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from avelang.base.errors import ArgumentError, AveError, error
from avelang.base.parsing import literal
from avelang.base.places import argument_error, rehomed, users_line
from avelang.bridge.alignment import with_aligned
from avelang.bridge.autocast import cast
from avelang.bridge.descriptions import FLOATS, Array, NoKernel
from avelang.bridge.direct import direct
from avelang.bridge.overlaps import NO_GRADIENTS, check_outputs, check_traced, shared_tensors
from avelang.bridge.signatures import encoded
from avelang.runtime.repeats import in_dry_run

if TYPE_CHECKING:
    from avelang.bridge.operation import Operation

# torch forgets what was registered when the library object is gone.
_libraries: dict[str, Any] = {}
MOST = 4096  # calls of an operation that are remembered


class TorchOperator:
    """One operation in torch: `call` is an eager call, `operator` the registered one."""

    def __init__(self, operation: Operation):
        self.operation, self.signature = operation, operation.signature
        torch = self.torch = sys.modules["torch"]
        self.plain = frozenset((torch.Tensor, torch.nn.Parameter))
        self.host, self.count = self._aligning if operation.aligns else operation.host, len(self.signature.inputs)
        self.returns, self._packs, self._whole = operation.returns, operation.packed, operation.whole
        self.plans: dict[Any, Any] = {}
        self._function: Any = None
        self._empty, self._like, self._grad_enabled = torch.empty_strided, torch.empty_like, torch.is_grad_enabled
        self._first = next((i for i, may in enumerate(self.signature.optional) if not may), 0)
        self._policy, self._forward, self._sharded = operation.autocast, torch.autograd.forward_ad, False
        self._defaults = self.signature.named(self.signature.defaults)
        self.modes, self._functions = torch._C._len_torch_dispatch_stack, torch._C._len_torch_function_stack
        self._transforms = torch._C._functorch.peek_interpreter_stack
        self._listed = any(o.schema.endswith("[]") for o in self.signature.options.values())
        # Outputs that the backward reads and torch does not differentiate: second derivatives would not know of them.
        hidden = self.signature.outputs[self.returns :] if not operation.aligns else ()  # ours refuse them themselves
        self._hidden = tuple(i for i, n in enumerate(hidden, self.returns) if n in operation.saves)
        self._ties: Any = tying(self) if self._hidden else ()
        self._coded = [i for i, o in enumerate(self.signature.options.values()) if not o.schema]
        self.operator = self._registered()
        self.call = direct(self)

    # -- eager calls ---------------------------------------------------------------------------------------------------

    def general(self, inputs: tuple[Any, ...], options: tuple[Any, ...], out: Any, fallback: bool) -> Any:
        """An eager call of any kind: straight to the host function, unless gradients are wanted or somebody watches."""
        key: list[Any] = [options]
        wanted, plain = False, self.plain
        for x in inputs:
            if type(x) in plain:
                key.append(x.shape)
                key.append(x.dtype)
                wanted = wanted or x.requires_grad
            elif x is None:
                key += (None, None)
            else:
                return self.watched(inputs, options, out, fallback)
        first = inputs[self._first]
        if (
            first is None or first.is_meta or (self.modes() and not in_dry_run()) or self._functions()
            or self._transforms() is not None or self._forward._current_level >= 0
            or (self._policy and self.cast(inputs))
        ):  # fmt: skip
            return self.watched(inputs, options, out, fallback)
        if wanted and self._grad_enabled():
            return self._differentiated(inputs, options, out, fallback)
        key.append(first.device)
        try:
            found = self.plans.get(tuple(key))
            if found is None:
                found = self._planned(inputs, options, tuple(key))
            if out is None:
                # Like an input: torch makes it in half the time.
                made = [
                    self._like(inputs[like])
                    if like >= 0 and inputs[like].is_contiguous()
                    else self._empty(shape, strides, dtype=dtype, device=first.device)
                    for shape, strides, dtype, like in found
                ]
            else:
                made = self._given(out, found, first.device)
                if any(map(shared_tensors, made, repeat(inputs), self.operation.inplace)) or any(
                    not made[i].is_contiguous() for i in self._whole
                ):
                    found = self.general(inputs, options, None, fallback)
                    for x, y in zip(made, (found,) if self.returns == 1 else found, strict=False):
                        x.copy_(y)
                    return out
            if self._packs:
                inputs = self.packed(inputs)
            named = self._defaults if options is self.signature.defaults else self.signature.named(options)
            back = self.host(*inputs, *made, **named)
            if back is not None:
                self.operation.check_returned(back, made)
        except NoKernel:
            if not fallback:
                raise
            return self.operation.fallen_back(inputs, options, out)
        return out if out is not None else made[0] if self.returns == 1 else tuple(made[: self.returns])

    def _differentiated(self, inputs: Sequence[Any], options: Sequence[Any], out: Any, fallback: bool) -> Any:
        """A call of which gradients are wanted: by an autograd.Function, which is faster than the dispatcher, and which
        torch.func takes."""
        if out is not None:
            raise argument_error(NO_GRADIENTS)
        if self._function is None:
            self.operation.check_arrays(inputs, "torch")
            self._function = autograd_functions(self)
        try:
            made = self._function[0 if self._transforms() is None else 1].apply(*inputs, *self.encode(options))
        except NoKernel:
            if not fallback:
                raise
            return self.operation.fallen_back(inputs, options, out)
        return made if isinstance(made, self.torch.Tensor) else self.operation.returned(made)

    def cast(self, inputs: Sequence[Any]) -> bool:
        """True under autocast."""
        device = next(x.device for x in inputs if x is not None)
        return self.torch.is_autocast_enabled(device.type)

    def _planned(self, inputs: Sequence[Any], options: Sequence[Any], key: Any) -> list[tuple[Any, Any, Any, int]]:
        """Outputs as torch describes them: shape, strides, dtype, and the number of an input that is like it, or -1.
        Raises what the shape rule raises."""
        self.operation.check_arrays(inputs, "torch")
        wanted = self.operation.rule([self.described(x) for x in inputs], options)
        found = []
        for a in wanted:
            dtype, strides, step = getattr(self.torch, a.dtype), [], 1
            for n in reversed(a.shape):
                strides.append(step)
                step = step * n
            like = -1
            if key is not None:
                like = next((i for i, x in enumerate(inputs)
                             if x is not None and x.shape == a.shape and x.dtype == dtype), -1)  # fmt: skip
            found.append((a.shape, tuple(reversed(strides)), dtype, like))
        if key is not None:
            if len(self.plans) > MOST:
                self.plans.clear()
            self.plans[key] = found
        return found

    def described(self, x: Any) -> Array | None:
        """The description of a tensor."""
        if x is None:
            return None
        device = x.device
        if device.type in ("cpu", "meta"):
            return Array(x.shape, str(x.dtype)[6:])
        kind = "rocm" if device.type == "cuda" and self.torch.version.hip else device.type
        return Array(x.shape, str(x.dtype)[6:], kind, lambda: chip_of(self.torch, device))

    def packed(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """Inputs, those that must be so without gaps."""
        found = list(inputs)
        for i in self._packs:
            if found[i] is not None:
                found[i] = found[i].contiguous()
        return tuple(found)

    def _aligning(self, *arrays: Any, **named: Any) -> None:
        """The host function, with arrays that begin at multiples of 16 bytes."""
        with_aligned(self.operation.host, arrays[: self.count], arrays[self.count :], named)

    def _given(self, out: Any, wanted: Sequence[Any], device: Any) -> list[Any]:
        given = self.operation.given(out)
        for x, (shape, _, dtype, _) in zip(given, wanted, strict=False):
            if not isinstance(x, self.torch.Tensor) or x.shape != shape or x.dtype != dtype or x.device != device:
                came = f"{tuple(x.shape)} of {x.dtype} on {x.device}" if hasattr(x, "device") else repr(x)
                raise argument_error(f"out is {came}: it must be {tuple(shape)} of {dtype} on {device}")
        check_outputs(given)
        return [*given, *self._made(wanted[self.returns :], device)]

    def _made(self, wanted: Sequence[Any], device: Any) -> list[Any]:
        return [self._empty(shape, strides, dtype=dtype, device=device) for shape, strides, dtype, _ in wanted]

    def watched(self, inputs: Sequence[Any], options: Sequence[Any], out: Any, fallback: bool) -> Any:
        """A call by the registered operator."""
        self.operation.check_arrays(inputs, "torch")
        self._refuse_forward_mode(inputs)
        self.shard()
        if self._transforms() is not None and self._grad_enabled() and out is None:
            return self._differentiated(inputs, options, out, fallback)
        try:
            made = self.operator(*inputs, *self.encode(options))
        except NoKernel:
            if not fallback:
                raise
            return self.operation.fallen_back(inputs, options, out)
        made = (made,) if isinstance(made, self.torch.Tensor) else made
        if out is None:
            return self.operation.returned(made)
        given = self.operation.given(out)
        check_traced(self.torch, given, made)
        for x, y in zip(given, made, strict=False):
            x.copy_(y)
        return out

    def _refuse_forward_mode(self, inputs: Sequence[Any]) -> None:
        """Raises L069 for inputs with tangents, which would be lost."""
        if self._forward._current_level < 0:
            return
        if any(x is not None and self._has_tangent(x) for x in inputs):
            raise no_forward_mode(self.operation.__name__)

    def _has_tangent(self, x: Any) -> bool:
        """True for a tensor with a tangent, or that wraps one, as those of torch.func do."""
        functorch = self.torch._C._functorch
        while functorch.is_batchedtensor(x):  # which cannot be asked themselves
            x = functorch.get_unwrapped(x)
        return self._forward.unpack_dual(x).tangent is not None

    def shard(self) -> None:
        """Tells DTensor the rule, where that is there: tensors of it may lie inside of what torch wraps them in."""
        tensors = sys.modules.get("torch.distributed.tensor")
        if not self._sharded and hasattr(tensors, "DTensor"):
            self._sharded = True
            register_sharding(self.operation, self.operator, self.count, tensors)

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
        if not self._listed and not self._coded:
            return tuple(options)
        found: list[Any] = [tuple(x) if isinstance(x, list) else x for x in options]
        for i in self._coded:
            found[i] = literal(found[i])
        return tuple(found)

    def _registered(self) -> Any:
        torch, full = self.torch, self.operation.full_name
        namespace, name = full.split("::")
        library = _libraries.get(namespace)
        if library is None:
            library = _libraries[namespace] = torch.library.Library(namespace, "FRAGMENT")
        tags = [getattr(torch.Tag, t) for t in ("pt2_compliant_tag", "needs_exact_strides") if hasattr(torch.Tag, t)]
        library.define(name + self.signature.schema(), tags=tags)
        library.impl(name, self.run, "CompositeExplicitAutograd")
        torch.library.register_fake(full, self._fake, lib=library)
        torch.library.register_autograd(full, self.backward, setup_context=self.setup, lib=library)
        torch.library.register_vmap(full, self._batched, lib=library)
        operator = getattr(getattr(torch.ops, namespace), name).default
        if self._policy:
            for device in ("CPU", "CUDA"):
                library.impl(name, self._autocast(operator, device), f"Autocast{device}")
        return operator

    def _autocast(self, operator: Any, device: str) -> Any:
        """The kernel under autocast on a kind of device: floats in the dtype of the policy come to the operator."""
        torch = self.torch
        key = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, f"Autocast{device}"))

        def called(*args: Any) -> Any:
            wanted = torch.float32 if self._policy == "float32" else torch.get_autocast_dtype(device.lower())
            inputs = cast(torch, wanted, args)
            with torch._C._ExcludeDispatchKeyGuard(key):
                return operator(*inputs)

        return called

    def run(self, *args: Any) -> Any:
        """All outputs of a call with tensors that are there."""
        inputs, options = args[: self.count], self.decode(args[self.count :])
        device = self._device(inputs)
        key: list[Any] = [options]
        for x in inputs:
            key += (None, None) if x is None else (x.shape, x.dtype)
        key.append(device)
        wanted = self.plans.get(tuple(key)) or self._planned(inputs, options, tuple(key))
        made = self._made(wanted, device)
        back = self.host(*(self.packed(inputs) if self._packs else inputs), *made, **self.signature.named(options))
        if back is not None:
            self.operation.check_returned(back, made)
        return made[0] if len(made) == 1 else tuple(made)

    def _fake(self, *args: Any) -> Any:
        inputs, options = args[: self.count], self.decode(args[self.count :])
        device = self._device(inputs)
        try:
            made = self._made(self._planned(inputs, options, None), device)
        except ArgumentError as e:
            raise rehomed(e, self.operation.__name__) from None
        return made[0] if len(made) == 1 else tuple(made)

    def _device(self, inputs: Sequence[Any]) -> Any:
        """The device of a call."""
        found = next((x.device for x in inputs if x is not None), None)
        if found is None:
            raise argument_error("all inputs are None: one must be a tensor, which says where the results are")
        return found

    def _batched(self, info: Any, dims: Sequence[Any], *args: Any) -> Any:
        """The rule of `torch.func.vmap`: a leading dimension where the operation takes more of them, else one call for
        each element."""
        torch = self.torch
        inputs = [x if d is None or x is None else x.movedim(d, 0)
                  for x, d in zip(args[: self.count], dims[: self.count], strict=True)]  # fmt: skip
        moved = [x is not None and d is not None for x, d in zip(inputs, dims[: self.count], strict=True)]
        if self.operation.takes_batch(moved, [x is not None for x in inputs]):
            grown = self.operation.in_batch(info.batch_size, inputs, moved, lambda x, shape: x.expand(shape))
            made = self.operator(*grown, *args[self.count :])
            return made, 0 if isinstance(made, torch.Tensor) else (0,) * len(made)
        if info.batch_size == 0:  # what elements would be
            one = [x.new_zeros(x.shape[1:]) if m and x is not None else x for x, m in zip(inputs, moved, strict=True)]
            made = self.operator(*one, *args[self.count :])
            if isinstance(made, torch.Tensor):
                return made.new_empty(0, *made.shape), 0
            return tuple(x.new_empty(0, *x.shape) for x in made), (0,) * len(made)
        rows = [
            self.operator(
                *(x[i] if m and x is not None else x for x, m in zip(inputs, moved, strict=True)), *args[self.count :]
            )
            for i in range(info.batch_size)
        ]
        if isinstance(rows[0], torch.Tensor):
            return torch.stack(rows), 0
        return tuple(torch.stack(parts) for parts in zip(*rows, strict=True)), (0,) * len(rows[0])

    def setup(self, ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keeps for the backward what it reads."""
        outputs = (output,) if isinstance(output, self.torch.Tensor) else tuple(output)
        tensors = (*inputs[: self.count], *outputs)
        names, saves = (*self.signature.inputs, *self.signature.outputs), self.operation.saves
        kept, ctx.ties = [x if n in saves else None for n, x in zip(names, tensors, strict=True)], ()
        if self._hidden and not self.torch.compiler.is_compiling():
            made_of = [x for x in inputs[: self.count] if x is not None and x.is_floating_point()]
            if self._transforms() is None:  # none of their memory is kept
                with self.torch.enable_grad():
                    ctx.ties = tuple(self._ties[0].apply(x) for x in made_of if x.requires_grad)
            else:
                kept += made_of
        ctx.save_for_backward(*kept)
        ctx.options, ctx.shapes = inputs[self.count :], [None if x is None else x.shape for x in inputs[: self.count]]
        ctx.mark_non_differentiable(*outputs[self.returns :])
        ctx.likes = [(x.shape, x.dtype, x.device) for x in outputs[: self.returns]]
        ctx.set_materialize_grads(False)

    def backward(self, ctx: Any, *grads: Any) -> tuple[Any, ...]:
        """Gradients of the inputs, and None for each option. Raises L069."""
        operation, torch = self.operation, self.torch
        operation.check_gradient()
        given = []
        for g, (shape, dtype, device) in zip(grads, ctx.likes, strict=False):
            if g is not None:
                given.append(g.contiguous())
            elif str(dtype)[6:] in FLOATS:
                given.append(torch.zeros(shape, dtype=dtype, device=device))
            else:
                given.append(None)
        saved, watched = self._saved(ctx), contextlib.nullcontext()
        if self._transforms() is None and any(x is not None and self._wrapped(x) for x in (*given, *saved)):
            # Outside of torch.func there is nothing to tell calls by that these have no memory of their own.
            saved = tuple(x if x is None else torch.ops.aten.alias.default(x) for x in saved)
            watched = torch.overrides.BaseTorchFunctionMode()
        needs = tuple(ctx.needs_input_grad[: self.count])
        outputs = saved[self.count : self.count + len(self.signature.outputs)]
        ties = (*ctx.ties, *saved[self.count + len(outputs) :])
        if ties and torch.is_grad_enabled():
            outputs = self._tied(outputs, ties)
        with watched:
            found = operation.gradients(
                tuple(given), saved[: self.count], outputs, self.decode(ctx.options), needs, ctx.shapes
            )
        return (*found, *(None,) * len(self.signature.options))

    def _saved(self, ctx: Any) -> tuple[Any, ...]:
        """What is kept for the backward. Raises L069 where an earlier one has written to it."""
        try:
            return ctx.saved_tensors
        except RuntimeError as e:
            if not self.operation.spent or "modified by an inplace operation" not in str(e):
                raise
            name = self.operation.__name__.removesuffix("_step")
            raise error("L069", users_line(), name=name, what="second backward", why=self.operation.spent) from None

    def _tied(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> tuple[Any, ...]:
        """Outputs, those of floats that torch does not differentiate as made of the inputs by what refuses to be
        differentiated."""
        return tuple(
            self._ties[1].apply(x, *inputs) if i in self._hidden and x is not None and x.is_floating_point() else x
            for i, x in enumerate(outputs)
        )

    def _wrapped(self, x: Any) -> bool:
        """True for a tensor that wraps another: of torch.func, whose level may have ended, or of autograd's own vmap
        (`is_grads_batched`)."""
        functorch = self.torch._C._functorch
        return functorch.is_functorch_wrapped_tensor(x) or functorch.is_legacy_batchedtensor(x)


def chip_of(torch: Any, device: Any) -> str:
    """The chip of a device of torch's, such as "sm_90a" and "gfx942"."""
    found = torch.cuda.get_device_properties(device)
    if torch.version.hip:
        return str(found.gcnArchName).split(":")[0]
    from avelang.runtime import devices

    return devices.device(f"cuda:{device.index or 0}").chip.name


def autograd_functions(side: TorchOperator) -> tuple[Any, Any]:
    """The operation as torch's autograd.Function: for eager calls, and for those inside of torch.func's
    transformations, whose form takes torch three times as long."""
    torch = side.torch
    name, kind = side.operation.__name__, torch.autograd.Function

    def forward(ctx: Any, *args: Any) -> Any:
        made = side.run(*args)
        side.setup(ctx, args, made)
        return made

    def refuse(ctx: Any, *tangents: Any) -> Any:
        raise no_forward_mode(name)

    both = {"backward": staticmethod(side.backward), "jvp": staticmethod(refuse)}
    # By `type`, since torch calls what it shows as `grad_fn` by the name that the class is made with.
    eager = type(name, (kind,), {"forward": staticmethod(forward), **both})
    parts = {"forward": staticmethod(side.operator), "setup_context": staticmethod(side.setup), **both}
    return eager, type(name, (kind,), {"generate_vmap_rule": True, **parts})


def no_forward_mode(name: str) -> AveError:
    """The error (L069) of inputs with tangents."""
    why = "gradients go backward: use torch.autograd.grad or torch.func.grad"
    return error("L069", users_line(), name=name, what="forward-mode derivative", why=why)


def tying(side: TorchOperator) -> tuple[Any, Any]:
    """Two functions of autograd: of a tensor, one of no elements that torch takes for made of it; and of a tensor and
    such ones, the first as made of the others, which raises L069 where it is differentiated."""

    def refuse(ctx: Any, *grads: Any) -> Any:
        why = "its backward reads an output that the call does not return: return it, or compute it anew there"
        raise error("L069", users_line(), name=side.operation.__name__, what="second derivative", why=why)

    def refused(ctx: Any, *tangents: Any) -> Any:
        raise no_forward_mode(side.operation.__name__)

    def function(name: str, forward: Any) -> Any:
        parts = {"forward": staticmethod(forward), "setup_context": staticmethod(lambda ctx, inputs, output: None),
                 "backward": staticmethod(refuse), "jvp": staticmethod(refused),
                 "generate_vmap_rule": True}  # fmt: skip
        return type(name, (side.torch.autograd.Function,), parts)

    return function("tie", lambda x: x.new_empty(0)), function("tied", lambda x, *ties: x.clone())


def divided(shapes: Sequence[Array | None], places: Sequence[Any], devices: int) -> bool:
    """True where devices divide all extents along which arrays are split."""
    both = zip(shapes, places, strict=True)
    return all(x is None or not isinstance(d, int) or x.shape[d] % devices == 0 for x, d in both)


def register_sharding(operation: Operation, operator: Any, count: int, tensors: Any) -> None:
    """Tells DTensor how the operator may be split: by the operation's rule, else along what it calls batched.

    Source: PyTorch, torch.distributed.tensor.experimental.register_sharding."""
    from importlib import import_module

    kinds = {"sum": tensors.Partial(), None: tensors.Replicate()}

    def placed(found: Sequence[Any]) -> list[Any]:
        return [kinds[x] if x in kinds else tensors.Shard(x) for x in found]

    def rule(*args: Any) -> list[Any]:
        inputs, options = args[:count], operation.torch_side().decode(args[count:])
        shapes = [None if x is None else Array(x.tensor_meta.shape, str(x.tensor_meta.dtype)[6:]) for x in inputs]
        ways = operation.splits(shapes, options)
        if getattr(operation.sharding, "even", False):
            devices = next(x for x in inputs if x is not None).mesh.size()
            ways = [way for way in ways if divided(shapes, way[1], devices)]
        plain = [None] * len(options)
        return [(placed(outs), [p if x is not None else None for x, p in zip(inputs, placed(ins), strict=True)] + plain)
                for outs, ins in ways]  # fmt: skip

    # By name: this is the user's library, which is there when a tensor of it is.
    experimental = import_module(tensors.__name__ + ".experimental")
    experimental.register_sharding(operator)(rule)
