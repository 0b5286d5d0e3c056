"""JAX: a call with its arrays, or with tracers under `jax.jit`, comes in; one call of XLA's foreign functions goes out
(`jax.ffi`), served by a handler here.

The handler is Python behind XLA's C interface: on CUDA it puts the kernel on the stream that XLA gives, on the CPU it
executes the PTX. `jax.vmap` calls the kernel once for each element of the batch. Sources: XLA, xla/ffi/api/c_api.h
(version 0.x of the interface: layouts of its structs); JAX, "Foreign function interface"."""

from __future__ import annotations

import ctypes
import hashlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from avelang.base.errors import AveError
from avelang.base.lazy import np
from avelang.ir.dtypes import from_numpy
from avelang.ptx.specs import TileSpec
from avelang.runtime.arguments import serves
from avelang.runtime.arrays import CPU

if TYPE_CHECKING:
    from avelang.ptx.calls import Caller, Specialization

TARGET = "avelang_ptx"
_CAPSULE = b"xla._CUSTOM_CALL_TARGET"  # the name by which XLA knows a capsule with a function
P, SIZE, I64, I32 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, ctypes.c_int32
_INTERNAL, _METADATA, _VERSION = 13, 1, (0, 1)
# By digest: what a call in XLA's program stands for. XLA keeps its programs for as long as it likes.
_calls: dict[str, tuple[Specialization, tuple[Any, ...]]] = {}


class _Extension(ctypes.Structure):
    _fields_ = [("size", SIZE), ("type", I32), ("next", P)]


class _Metadata(ctypes.Structure):
    _fields_ = [
        ("size", SIZE),
        ("version_size", SIZE),
        ("extension", P),
        ("major", I32),
        ("minor", I32),
        ("traits", ctypes.c_uint32),
    ]


class _MetadataExtension(ctypes.Structure):
    _fields_ = [("base", _Extension), ("metadata", ctypes.POINTER(_Metadata))]


class _Span(ctypes.Structure):
    _fields_ = [("text", P), ("length", SIZE)]


class _List(ctypes.Structure):
    """Arguments, and results."""

    _fields_ = [("size", SIZE), ("extension", P), ("count", I64), ("types", P), ("items", ctypes.POINTER(P))]


class _Attributes(ctypes.Structure):
    _fields_ = [
        ("size", SIZE), ("extension", P), ("count", I64), ("types", P),
        ("names", ctypes.POINTER(ctypes.POINTER(_Span))),
        ("items", ctypes.POINTER(P)),
    ]  # fmt: skip


class _Frame(ctypes.Structure):
    _fields_ = [
        ("size", SIZE), ("extension", P), ("api", P), ("context", P), ("stage", I32), ("arguments", _List),
        ("results", _List),
        ("attributes", _Attributes),
    ]  # fmt: skip


class _Buffer(ctypes.Structure):
    _fields_ = [("size", SIZE), ("extension", P), ("dtype", I32), ("data", P), ("rank", I64), ("dims", P)]


class _Api(ctypes.Structure):
    _fields_ = [
        ("size", SIZE), ("extension", P), ("version_size", SIZE), ("version_extension", P), ("major", I32),
        ("minor", I32), ("internal", P),
        ("error_create", P), ("error_message", P), ("error_destroy", P), ("register", P), ("stream_get", P),
    ]  # fmt: skip


class _ErrorArgs(ctypes.Structure):
    _fields_ = [("size", SIZE), ("extension", P), ("message", ctypes.c_char_p), ("code", I32)]


class _StreamArgs(ctypes.Structure):
    _fields_ = [("size", SIZE), ("extension", P), ("context", P), ("stream", P)]


_CALL = ctypes.CFUNCTYPE(P, P)


def _failed(frame: _Frame, message: str) -> int | None:
    """XLA's error with a message."""
    api = ctypes.cast(frame.api, ctypes.POINTER(_Api)).contents
    args = _ErrorArgs(ctypes.sizeof(_ErrorArgs), None, message.encode(), _INTERNAL)
    return _CALL(api.error_create)(ctypes.addressof(args))


def _stream(frame: _Frame) -> int:
    api = ctypes.cast(frame.api, ctypes.POINTER(_Api)).contents
    args = _StreamArgs(ctypes.sizeof(_StreamArgs), None, frame.context, None)
    if _CALL(api.stream_get)(ctypes.addressof(args)):
        raise RuntimeError("XLA gave no stream")
    return int(args.stream or 0)


def _asked(frame: _Frame) -> bool:
    """Answers XLA's question, at registration, for the interface's version; whether it was that."""
    if not frame.extension:
        return False
    first = _MetadataExtension.from_address(frame.extension)
    if first.base.type != _METADATA:
        return False
    found = first.metadata.contents
    found.major, found.minor = _VERSION
    found.traits = 0
    return True


def _data(part: _List) -> list[int]:
    return [int(_Buffer.from_address(part.items[i] or 0).data or 0) for i in range(part.count)]


# Of a call's frame: what it stands for, a function of the addresses of all arrays, a place and a stream.
Resolve = Callable[[_Frame], tuple[Callable[[Sequence[int], str, int], None], Any]]


def _resolved(frame: _Frame) -> tuple[Callable[[Sequence[int], str, int], None], Any]:
    span = _Span.from_address(frame.attributes.items[0] or 0)
    sized, numbers = _calls[ctypes.string_at(span.text or 0, span.length).decode()]
    return lambda addresses, place, stream: sized.at(addresses, numbers, place, stream), sized


def _served(frame: _Frame, on_gpu: bool, resolve: Resolve) -> None:
    run, _kept = resolve(frame)
    addresses = [*_data(frame.arguments), *_data(frame.results)]
    place = CPU
    if on_gpu:
        from avelang.runtime.devices import DRIVERS

        driver = DRIVERS["cuda"]
        driver.open("cuda")
        owners = (driver.owner(a) for a in addresses if a)
        place = f"cuda:{next((o for o in owners if o is not None), 0)}"
    run(addresses, place, _stream(frame) if on_gpu else 0)


def _handler(on_gpu: bool, resolve: Resolve) -> Any:
    def handle(address: int) -> int | None:
        frame = _Frame.from_address(address)
        try:
            if not _asked(frame):
                _served(frame, on_gpu, resolve)
        except BaseException as e:  # whatever it is: it cannot pass through XLA
            return _failed(frame, str(e) if isinstance(e, AveError) else f"{type(e).__name__}: {e}")
        return None

    return _CALL(handle)


_handlers: dict[tuple[str, str], Any] = {}
# A prototype of its own: those of `ctypes.pythonapi` are shared by all who set them (jax.ffi.pycapsule does).
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, P, ctypes.c_char_p, P)(("PyCapsule_New", ctypes.pythonapi))


def register(jax: Any, target: str, resolve: Resolve) -> None:
    """Makes a foreign function of XLA, for the CPU and for CUDA, once in a process. `resolve` gives of a call's frame
    (its attributes are sorted by name) the function that runs it, and what it keeps alive."""
    for platform, on_gpu in (("cpu", False), ("CUDA", True)):
        if (target, platform) not in _handlers:
            handler = _handlers[target, platform] = _handler(on_gpu, resolve)
            capsule = _new_capsule(ctypes.cast(handler, P), _CAPSULE, None)
            jax.ffi.register_ffi_target(target, capsule, platform=platform)


# -- calls -------------------------------------------------------------------------------------------------------------


def route(args: Sequence[Any]) -> Callable[[Caller, Sequence[Any]], Any] | None:
    """The route of a call with JAX's arrays: at once on the CPU, by XLA where there are tracers or a GPU."""
    jax: Any = sys.modules["jax"]
    if any(isinstance(a, jax.core.Tracer) for a in args):
        return foreign
    on_cpu = all(d.platform == "cpu" for a in args if isinstance(a, jax.Array) for d in a.devices())
    return at_once if on_cpu else foreign


def at_once(caller: Caller, args: Sequence[Any]) -> Any:
    """Arrays in the memory of the CPU: executed here."""
    jax: Any = sys.modules["jax"]
    sized = caller.sized([getattr(a, "shape", None) for a in args])
    made = [np.empty(shape, dtype.np) for shape, dtype in sized.outputs]
    sized.call(sized.extents, *sized.expanded((*args, *made)))
    out = tuple(jax.numpy.asarray(x) for x in made)
    return out[0] if len(out) == 1 else out


def foreign(caller: Caller, args: Sequence[Any]) -> Any:
    """A call in XLA's program. Raises L012, L040, L041 while JAX traces, as a call on arrays would."""
    jax: Any = sys.modules["jax"]
    register(jax, TARGET, _resolved)
    definition = caller.definition
    pairs = zip(args, definition.inputs, strict=True)
    sized = caller.sized(
        [tuple(a.shape) if isinstance(s, TileSpec) and hasattr(a, "shape") else None for a, s in pairs]
    )
    arrays, numbers = [], []
    for name, spec, value in zip(definition.names, definition.inputs, args, strict=False):
        if not isinstance(spec, TileSpec):
            if isinstance(value, jax.core.Tracer):
                raise definition.fail(
                    "L047",
                    what=f"the number {name!r}",
                    why="under jax.jit it must be a Python number, known while JAX traces",
                )
            numbers.append(value)
            continue
        if not hasattr(value, "dtype"):
            raise definition.fail("L010", param=name, want=spec, got=repr(value))
        have = from_numpy(np.dtype(value.dtype))
        if have is None or not serves(have, spec.type.in_memory):
            raise definition.fail("L012", param=name, want=spec, got=value.aval if hasattr(value, "aval") else value,
                                  dtype=value.dtype,
                                  expected=spec.type.in_memory.name)  # fmt: skip
        arrays.append(value)
    said = repr((definition.name, str(definition.span), sized.sizes, numbers, id(caller)))
    key = f"{definition.name}-{hashlib.sha256(said.encode()).hexdigest()[:24]}"
    _calls[key] = sized, tuple(numbers)
    shapes = [jax.ShapeDtypeStruct(shape, dtype.np) for shape, dtype in sized.outputs]
    out = jax.ffi.ffi_call(TARGET, shapes, vmap_method="sequential")(*arrays, kernel=key)
    return out[0] if len(out) == 1 else tuple(out)
