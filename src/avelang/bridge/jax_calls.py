"""JAX: a call with its arrays, or with tracers, comes in; a call of one of XLA's foreign functions goes out
(`jax.ffi`), with a gradient (`jax.custom_vjp`) and batches (`jax.custom_batching.custom_vmap`).

XLA's program knows a call by its text: the operation's name, the module that makes it, and the options, so that a
program that was exported runs in another process. Source: JAX, "Foreign function interface"."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import avelang.bridge.jax_views as jax_views
import avelang.bridge.mesh_axes as mesh_axes
import avelang.bridge.replays as replays
import avelang.bridge.xla as xla
from avelang.base.errors import ArgumentError, error
from avelang.base.lazy import np
from avelang.base.parsing import literal
from avelang.base.places import argument_error, renamed, users_line
from avelang.bridge.descriptions import Array, NoKernel, ave_dtype
from avelang.bridge.device_views import DeviceView, Memory
from avelang.bridge.invariance import invariant
from avelang.bridge.registry import OPERATIONS
from avelang.bridge.signatures import encoded
from avelang.ir.dtypes import numpy_dtype
from avelang.runtime import streams

if TYPE_CHECKING:
    from avelang.bridge.operation import Operation

TARGET = "avelang"
_REFUSED: dict[str, NoKernel] = {}  # by operations: what their host functions raised last
invariant.tell_jax()  # whose caches know from now on


def call(operation: Operation, inputs: Sequence[Any], options: Sequence[Any], out: Any, fallback: bool) -> Any:
    """A call with JAX's arrays or tracers."""
    jax: Any = sys.modules["jax"]
    if out is not None:
        raise argument_error("out= writes to an array, and JAX's cannot be written: use what the call returns")
    said = ""  # not the values themselves: 1, 1.0 and True are equal, and 0.0 and -0.0
    for name, value in operation.signature.named(options).items():
        if isinstance(value, jax.Array):
            raise argument_error(
                f"{name} is an array of JAX: options are static, numbers that are known while it traces"
            )
        said += encoded(name, value) + ", "
    present = tuple(x is not None for x in inputs)
    try:
        arrays = [x for x in inputs if x is not None]
        axes, axis = _varying(jax, arrays), mesh_axes.axis_of(operation.signature.named(options))
        if axis is not None and axes:
            axes |= set(axis.names)  # a result of several ranks may be another one on each of them
        made = _function(operation, f"({said})", present)(*(_varied(jax, x, axes) for x in arrays))
        if fallback:
            jax.block_until_ready(made)  # of tracers, nothing
        return made
    except (NoKernel, RuntimeError) as e:
        refused = _REFUSED.get(operation.full_name)
        # XLA's error has the text of what the host function raised.
        if not fallback or not (isinstance(e, NoKernel) or (refused is not None and refused.message in str(e))):
            raise
        return operation.fallen_back(inputs, options, out)


def _everywhere(values: Sequence[Any], present: Sequence[bool]) -> list[Any]:
    """Values of the inputs that are there, with None for the others."""
    given = iter(values)
    return [next(given) if there else None for there in present]


def _varying(jax: Any, arrays: Sequence[Any]) -> frozenset[str]:
    """The axes of `jax.shard_map` along which some of the arrays differ; JAX has named the field anew in 0.10."""
    kinds = [jax.typeof(x) for x in arrays] if hasattr(jax, "typeof") else []
    found = (k.manual_axis_type.varying if hasattr(k, "manual_axis_type") else getattr(k, "vma", ()) for k in kinds)
    return frozenset().union(*found)


def _varied(jax: Any, x: Any, axes: frozenset[str]) -> Any:
    """The array as one that differs along all of these axes: what was the same everywhere gets the gradients' sum."""
    missing = tuple(sorted(axes - _varying(jax, [x]))) if axes else ()
    if not missing:
        return x
    return jax.lax.pcast(x, missing, to="varying") if hasattr(jax.lax, "pcast") else jax.lax.pvary(x, missing)


@functools.lru_cache(4096)
def _function(operation: Operation, said: str, present: tuple[bool, ...]) -> Callable[..., Any]:
    """The operation, with options of this text, as a function of JAX of the inputs that are there."""
    jax: Any = sys.modules["jax"]
    xla.register(jax, TARGET, serve)
    options = literal(said)
    every, watched = jax.custom_vjp(_Foreign(operation, options, present)), _watched(jax, operation)

    def forward(*arrays: Any) -> Any:
        # Integers that depend on what is differentiated, such as a token's experts, come here too; they have none.
        if any(jax.numpy.issubdtype(x.dtype, jax.numpy.inexact) for x in arrays):
            operation.check_gradient()
        outputs = every(*arrays)  # not the foreign function: of a derivative, this is differentiated again
        names = (*operation.signature.inputs, *operation.signature.outputs)
        everything = (*_everywhere(arrays, present), *map(watched, operation.signature.outputs, outputs))
        kept = [x if n in operation.saves else None for n, x in zip(names, everything, strict=True)]
        # Dtypes of the inputs go on in arrays of no elements: what a residual may be.
        axes = _varying(jax, arrays)
        likes = [_varied(jax, jax.numpy.zeros((*a.shape, 0), a.dtype), axes) for a in arrays]
        return outputs, (kept, likes)

    def backward(residuals: Any, given: Any) -> Any:
        kept, arrays = residuals
        grads = tuple(None if g.dtype == jax.dtypes.float0 else g for g in given[: operation.returns])
        count = len(present)
        likes = _everywhere(arrays, present)
        needs = tuple(x is not None and jax.numpy.issubdtype(x.dtype, jax.numpy.inexact) for x in likes)
        shapes = [None if x is None else x.shape[:-1] for x in likes]
        found = operation.gradients(grads, kept[:count], kept[count:], options, needs, shapes) if any(needs) else likes
        return tuple(_gradient(jax, g, x) for g, x in zip(found, likes, strict=True) if x is not None)

    every.defvjp(forward, backward)
    return lambda *arrays: operation.returned(every(*arrays))


def _watched(jax: Any, operation: Operation) -> Callable[[str, Any], Any]:
    """A function of an output's name and value: the value, as the backward gets it. Of an output that callers do not
    get, and that has no gradient for this reason, one that is wanted nevertheless, for a second derivative, is L069."""
    hidden = operation.signature.outputs[operation.returns :]

    def watched(name: str, value: Any) -> Any:
        same = jax.custom_vjp(lambda x: x)

        def refused(*_: Any) -> Any:
            why = f"its backward reads `{name}`, which a call does not return: let it compute that from the inputs"
            raise error("L069", users_line(), name=operation.__name__, what="second derivative", why=why)

        same.defvjp(lambda x: (x, ()), refused)
        return same(value) if name in hidden and jax.numpy.issubdtype(value.dtype, jax.numpy.inexact) else value

    return watched


def _gradient(jax: Any, found: Any, like: Any) -> Any:
    """A gradient as JAX wants it: zeros for None, in the dtype of the input, float0 for integers."""
    shape = like.shape[:-1]
    if not jax.numpy.issubdtype(like.dtype, jax.numpy.inexact):
        return np.zeros(shape, jax.dtypes.float0)
    if found is None:
        return _varied(jax, jax.numpy.zeros(shape, like.dtype), _varying(jax, [like]))
    return jax.numpy.reshape(found, shape).astype(like.dtype)


class _Foreign:
    """The foreign function of an operation with options, of the inputs that are there; it returns all outputs."""

    def __init__(self, operation: Operation, options: tuple[Any, ...], present: tuple[bool, ...]):
        jax: Any = sys.modules["jax"]
        self._operation, self._options, self._present = operation, options, present
        self._names = [n for n, there in zip(operation.signature.inputs, present, strict=True) if there]
        self._text = _said(operation, options, present)
        self._axis = mesh_axes.axis_of(operation.signature.named(options))
        # The operand that each output follows, or -1. `mesh_axes.place` stands before the inputs.
        before = 0 if self._axis is None else 1
        where = {name: before + i for i, name in enumerate(self._names)}
        self._modes = [""] * before + [operation.strided.get(name, "") for name in self._names]
        self._follows = [where.get(operation.follows.get(y, ""), -1) for y in operation.signature.outputs]
        self._call: Any = self._foreign
        if not jax_views.sees(jax):
            self._call = jax.custom_batching.custom_vmap(self._foreign)
            self._call.def_vmap(self.batched)

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        made: tuple[Any, ...] = self._call(*arrays)
        return made

    def _foreign(self, *arrays: Any) -> tuple[Any, ...]:
        jax: Any = sys.modules["jax"]
        described = [None if x is None else _described(jax, x) for x in _everywhere(arrays, self._present)]
        wanted = self._operation.rule(described, self._options)
        results = [jax.ShapeDtypeStruct(a.shape, numpy_dtype(ave_dtype(a.dtype))) for a in wanted]
        given, said = arrays, self._text
        if self._axis is not None:
            given, said = (mesh_axes.place(self._axis), *arrays), f"{said[:-1]}, {mesh_axes.number()})"
        if jax_views.sees(jax):
            made = jax_views.call(jax, TARGET, results, given, said, self._modes, self._follows, self._mapped)
        else:
            made = jax.ffi.ffi_call(TARGET, results, vmap_method="sequential")(*given, call=said)
        axes = _varying(jax, arrays)
        return tuple(_varied(jax, x, axes) for x in made)

    def _mapped(self, size: int, given: Sequence[bool], *operands: Any) -> Any:
        before = len(operands) - len(self._names)
        return self.batched(size, given[before:], *operands[before:])

    def batched(self, size: int, given: Sequence[bool], *arrays: Any) -> Any:
        """The rule under `jax.vmap`: a batch becomes a leading dimension where the operation takes more of them, else
        the elements follow one another."""
        jax: Any = sys.modules["jax"]
        mapped = [bool(b) for b in _everywhere(given, self._present)]
        if self._operation.takes_batch(mapped, self._present):
            everything = _everywhere(arrays, self._present)
            grown = self._operation.in_batch(size, everything, mapped, jax.numpy.broadcast_to)
            made = self(*(x for x in grown if x is not None))
        else:
            moving = [x for x, b in zip(arrays, given, strict=True) if b]

            def one(row: Sequence[Any]) -> Any:
                rows = iter(row)
                return self(*(next(rows) if b else x for x, b in zip(arrays, given, strict=True)))

            made = jax.lax.map(one, moving)
        return made, (True,) * len(made)


def _described(jax: Any, x: Any) -> Array:
    driver = _driver(jax)
    return Array(x.shape, x.dtype, driver, lambda: _chip(driver)) if driver else Array(x.shape, x.dtype)


def _driver(jax: Any) -> str:
    """The driver of JAX's default device, as a tracer does not say where it is; "" for the CPU."""
    chosen = jax.config.jax_default_device  # None, a device or the name of a platform
    platform = getattr(chosen, "platform", chosen) or jax.default_backend()
    if platform == "cpu":
        return ""
    # JAX has one name, "gpu", for both.
    return "rocm" if "rocm" in jax.devices(platform)[0].client.platform_version else "cuda"


@functools.cache
def _chip(driver: str) -> str:
    from avelang.runtime import devices

    return devices.device(f"{driver}:0").chip.name


# -- XLA's side ------------------------------------------------------------------------------------------------------


def _said(operation: Operation, options: tuple[Any, ...], present: tuple[bool, ...]) -> str:
    return repr((operation.full_name, operation.__module__, options, present))


@functools.lru_cache(4096)
def _understood(text: str) -> tuple[Operation, dict[str, Any], tuple[bool, ...], int, Any]:
    """The operation, its options, which inputs are there, the number of a call of several ranks, and what views there
    are, as `jax_views.call` says it."""
    name, module, options, present, *more = literal(text)
    if name not in OPERATIONS:
        with contextlib.suppress(ImportError):  # said below
            importlib.import_module(module)
    if name not in OPERATIONS:
        raise error("L069", name=name, what="definition in this process", why=f"import what makes it ({module})")
    operation = OPERATIONS[name]
    named = operation.signature.named(options)
    number = more.pop(0) if mesh_axes.axis_of(named) is not None else -1
    return operation, named, present, number, more[0] if more else None


def serve(
    text: str, arguments: list[xla.Buffer], results: list[xla.Buffer], driver: str, stream: int, room: Memory
) -> replays.Served | None:  # fmt: skip
    """A call in XLA's program: the host function on arrays over XLA's buffers, on XLA's stream. room: where a GPU's new
    memory comes from. Returns how it was made again, where it was."""
    operation, named, present, number, views = _understood(text)
    axis = mesh_axes.axis_of(named)
    given = arguments if axis is None else arguments[1:]

    def host(room: Memory) -> None:
        make = _memory if not driver else _on_gpu(place, room)
        there, made = [make(b) for b in given], [make(b) for b in results]
        if views is not None:
            there = [_seen_so(x, view) for x, view in zip(there, views[0][-len(there) :], strict=True)]
            made = [_ordered(x, order) for x, order in zip(made, views[1], strict=True)]
        inputs = _everywhere(there, present)
        with streams.entered(stream), contextlib.nullcontext() if member is None else member.placed():
            try:
                back = operation.host(*inputs, *made, **named)
            except ArgumentError as e:  # with frames of XLA's, which do not tell who called
                if isinstance(e, NoKernel):
                    _REFUSED[operation.full_name] = e
                raise renamed(e, operation.__name__) from None
        if back is not None:
            operation.check_returned(back, made)

    place, member = _place(driver, stream, arguments, results) if driver else "", None
    if axis is None:
        if place and operation.repeats:
            return replays.call(text, given + results, stream, room, None, host)
        host(room)
        return None
    with streams.entered(stream), _joined(axis, number, arguments, place, stream) as found:
        member = found
        if place and operation.repeats and member.together:
            done = replays.call(text, given + results, stream, room, member, host)
            return done and done._replace(shift=1, only_here=True)
        host(room)
    return None


def _joined(
    axis: mesh_axes.Axis, number: int, arguments: list[xla.Buffer], place: str, stream: int
) -> contextlib.AbstractContextManager[Any]:  # fmt: skip
    """What a call of several ranks runs in: the first operand says which one this is. Raises L066."""
    if place.startswith("rocm"):
        raise argument_error("group is an axis of a mesh of AMD GPUs: NVIDIA's and devices of JAX's CPU can be ranks")
    run = xla.run_number()
    if run is None:
        raise argument_error("group is an axis of a mesh, and this XLA does not say which calls belong together: JAX "
                             "0.10 does")  # fmt: skip
    if place:
        index = int(place.partition(":")[2])
        call = mesh_axes.GpuCall(run, number, xla.site(), index, stream, axis.ranks, arguments[0].address)
        return mesh_axes.JOIN_GPUS[0](call)
    rank, color = (int(x) for x in _memory(arguments[0]))
    return mesh_axes.JOIN[0](run, number, rank, axis.ranks, color)


def _memory(b: xla.Buffer) -> Any:
    """The view of a buffer in the CPU's memory."""
    kind = numpy_dtype(ave_dtype(b.dtype))
    size = kind.itemsize
    for n in b.shape:
        size *= n
    if not size:
        return np.empty(b.shape, kind)
    memory: Any = (ctypes.c_uint8 * size).from_address(b.address)
    return np.ndarray(b.shape, kind, memory)


def _seen_so(x: Any, view: Any) -> Any:
    """An array as a View says, where there is one."""
    if view is None:
        return x
    shape, strides, first = view
    if isinstance(x, DeviceView):
        return x.reshape(-1)[first:].as_strided(shape, strides)
    # As unsigned integers: NumPy has no word for some dtypes of ml_dtypes, such as float8_e5m2.
    words, steps = x.reshape(-1)[first:].view(f"u{x.itemsize}"), [s * x.itemsize for s in strides]
    return np.lib.stride_tricks.as_strided(words, shape, steps, writeable=False).view(x.dtype)


def _ordered(x: Any, order: Sequence[int] | None) -> Any:
    """A result of which XLA has the dimensions in that order, in its own."""
    return x if order is None else x.transpose(*(order.index(i) for i in range(len(order))))


_PLACES: dict[tuple[str, int], str] = {}  # of streams, by the driver: XLA's live as long as it does


def _place(driver: str, stream: int, arguments: list[xla.Buffer], results: list[xla.Buffer]) -> str:
    """The device of a call, such as "cuda:0"."""
    found = _PLACES.get((driver, stream))
    if found is None:
        found = xla.place(driver, [*arguments, *results])
        if any(b.address for b in (*arguments, *results)):
            _PLACES[driver, stream] = found
    return found


def _on_gpu(place: str, room: Memory) -> Callable[[xla.Buffer], DeviceView]:
    return lambda b: DeviceView(b.address, b.shape, numpy_dtype(ave_dtype(b.dtype)), place, None, room)
