"""XLA's C interface of foreign functions: a Python function comes in; a target that XLA's programs call goes out. It
gets the text of the call, its buffers, and on a GPU the stream.

Source: XLA, xla/ffi/api/c_api.h (version 0.x of the interface: layouts of its structs, XLA_FFI_DataType)."""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from avelang.base.errors import AveError
from avelang.bridge.device_views import ALIGNED

_CAPSULE = b"xla._CUSTOM_CALL_TARGET"  # the name by which XLA knows a capsule with a function
P, SIZE, I64, I32 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, ctypes.c_int32
_INTERNAL, _METADATA, _VERSION, _SCALAR = 13, 1, (0, 1), 3
# XLA_FFI_DataType: names as NumPy (with ml_dtypes) has them.
DTYPES = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64", 16: "bfloat16", 19: "float8_e5m2", 20: "float8_e4m3fn",
    24: "float8_e5m2fnuz", 25: "float8_e4m3fnuz",
}  # fmt: skip


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


class _Scalar(ctypes.Structure):
    _fields_ = [("dtype", I32), ("value", P)]


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


class _RunArgs(ctypes.Structure):
    _fields_ = [("size", SIZE), ("extension", P), ("context", P), ("run", I64)]


class _StreamArgs(ctypes.Structure):
    _fields_ = [("size", SIZE), ("extension", P), ("context", P), ("stream", P)]


class _AllocateArgs(ctypes.Structure):
    _fields_ = [("size", SIZE), ("extension", P), ("context", P), ("bytes", SIZE), ("alignment", SIZE), ("data", P)]


class _FreeArgs(ctypes.Structure):
    _fields_ = [("size", SIZE), ("extension", P), ("context", P), ("bytes", SIZE), ("data", P)]


class _MessageArgs(ctypes.Structure):
    _fields_ = [("size", SIZE), ("extension", P), ("error", P), ("message", ctypes.c_char_p)]


class _DestroyArgs(ctypes.Structure):
    _fields_ = [("size", SIZE), ("extension", P), ("error", P)]


_CALL = ctypes.CFUNCTYPE(P, P)
_UNIT = 16  # bytes: of which XLA promises multiples, at the most


def _failed(frame: _Frame, message: str) -> int | None:
    """XLA's error with a message."""
    api = ctypes.cast(frame.api, ctypes.POINTER(_Api)).contents
    args = _ErrorArgs(ctypes.sizeof(_ErrorArgs), None, message.encode(), _INTERNAL)
    return _at(api.error_create)(ctypes.addressof(args))


# XLA's functions by their addresses: to make one takes longer than to call it. They keep the interpreter's lock, which
# XLA's threads for other devices would take else: to wake a thread takes longer, too.
_at = functools.cache(ctypes.PYFUNCTYPE(P, P))
_waited_for = functools.cache(_CALL)  # one that may wait, and lets others go on


def _stream(frame: _Frame) -> int:
    args = _StreamArgs(_STREAM_ARGS, None, frame.context, None)
    if _at(P.from_address(frame.api + _Api.stream_get.offset).value)(ctypes.addressof(args)):
        raise RuntimeError("XLA gave no stream")
    return int(args.stream or 0)


_STREAM_ARGS = ctypes.sizeof(_StreamArgs)
# The places of functions in XLA_FFI_Api, counted from XLA_FFI_Error_Create; the last one came with version 0.3.
_ALLOCATE, _FREE, _RUN_ID = 9, 10, 16
_running = threading.local()  # the frame of the call that a thread serves


def _function(frame: _Frame, number: int, bound: Callable[..., Any] = _at) -> Callable[[int], int | None] | None:
    """XLA's function at a place of its table; None where this XLA has none."""
    offset = _Api.error_create.offset + number * ctypes.sizeof(P)
    if _Api.from_address(frame.api).size < offset + ctypes.sizeof(P):
        return None
    found = P.from_address(frame.api + offset).value
    return bound(found) if found else None


def run_number() -> int | None:
    """The number of the execution that the call in this thread belongs to, the same on all its devices; None where XLA
    has none to give."""
    frame = _running.frame
    args, get = _RunArgs(ctypes.sizeof(_RunArgs), None, frame.context, 0), _function(frame, _RUN_ID)
    return None if get is None or get(ctypes.addressof(args)) else int(args.run)


def site() -> int:
    """The place of the call in the program that XLA runs, as this has been compiled: where it keeps the call's text."""
    return int(_Span.from_address(_running.frame.attributes.items[0] or 0).text or 0)


class Scratch:
    """Memory of XLA's for as long as a call runs: kernels that the call has launched on its stream may still use it
    behind that, since XLA gives it to nothing that comes before them."""

    def __init__(self, frame: _Frame):
        self._frame, self._taken = frame, []

    def take(self, size: int) -> int:
        """The address of so many bytes, a multiple of 128. Raises MemoryError where XLA has no more."""
        more = size + ALIGNED - _UNIT
        args = _AllocateArgs(ctypes.sizeof(_AllocateArgs), None, self._frame.context, more, _UNIT, None)
        get = _function(self._frame, _ALLOCATE, _waited_for)  # for memory that others give back
        why = "it has no memory to give" if get is None else _error(self._frame, get(ctypes.addressof(args)))
        if why:
            raise MemoryError(f"{size} bytes beside the buffers of a call of XLA's: {why}")
        self._taken.append((args.data, more))
        return -(-args.data // ALIGNED) * ALIGNED

    def close(self) -> None:
        """Gives all of it back."""
        if not self._taken:
            return
        give = _function(self._frame, _FREE)
        for address, size in self._taken:
            args = _FreeArgs(ctypes.sizeof(_FreeArgs), None, self._frame.context, size, address)
            assert give is not None  # it stands behind the function that gave it
            _error(self._frame, give(ctypes.addressof(args)))  # there is nobody to tell
        self._taken.clear()


def _error(frame: _Frame, error: int | None) -> str:
    """The words of an error of XLA's, which is taken away; "" for none."""
    if not error:
        return ""
    api = ctypes.cast(frame.api, ctypes.POINTER(_Api)).contents
    args = _MessageArgs(ctypes.sizeof(_MessageArgs), None, error, None)
    _at(api.error_message)(ctypes.addressof(args))
    words = (args.message or b"no word of why").decode(errors="replace")
    _at(api.error_destroy)(ctypes.addressof(_DestroyArgs(ctypes.sizeof(_DestroyArgs), None, error)))
    return words


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


class Buffer(NamedTuple):
    """Memory that XLA gives: row-major, without gaps."""

    address: int
    shape: tuple[int, ...]
    dtype: str


_SHAPES: dict[bytes, tuple[int, ...]] = {b"": ()}
MOST_SHAPES = 1 << 14


def _buffers(part: _List) -> list[Buffer]:
    found = []
    for i in range(part.count):
        x = _Buffer.from_address(part.items[i] or 0)
        words = ctypes.string_at(x.dims, 8 * x.rank) if x.rank else b""
        shape = _SHAPES.get(words)
        if shape is None:
            if len(_SHAPES) >= MOST_SHAPES:
                _SHAPES.clear()
            shape = _SHAPES[words] = tuple((I64 * x.rank).from_buffer_copy(words)) if words else ()
        dtype = DTYPES.get(x.dtype)
        if dtype is None:
            raise TypeError(f"XLA gives an array of its type {x.dtype}, which kernels do not have")
        found.append(Buffer(x.data or 0, shape, dtype))
    return found


def _said(attributes: _Attributes) -> str | int:
    """The first attribute: a text, or a number."""
    if attributes.types and I32.from_address(attributes.types).value == _SCALAR:
        scalar = _Scalar.from_address(attributes.items[0] or 0)
        return I64.from_address(scalar.value or 0).value
    span = _Span.from_address(attributes.items[0] or 0)
    return ctypes.string_at(span.text or 0, span.length).decode()


def place(driver: str, buffers: Iterable[Buffer]) -> str:
    """The device of buffers, such as "cuda:0"; "cpu" without a driver."""
    if not driver:
        return "cpu"
    from avelang.runtime.devices import DRIVERS

    found = DRIVERS[driver]
    found.open(driver)
    owners = (found.owner(b.address) for b in buffers if b.address)
    return f"{driver}:{next((o for o in owners if o is not None), 0)}"


# What serves a call: its first attribute, its arguments and results, the driver's name ("" for the CPU), the stream,
# and where new memory of the driver's comes from.
Serve = Callable[[Any, list[Buffer], list[Buffer], str, int, Any], None]


def _handler(serve: Serve, driver: str) -> Any:
    def handle(address: int) -> int | None:
        frame = _Frame.from_address(address)
        try:
            if not _asked(frame):
                stream = _stream(frame) if driver else 0
                _running.frame = frame
                room = Scratch(frame)
                try:
                    given, made = _buffers(frame.arguments), _buffers(frame.results)
                    serve(_said(frame.attributes), given, made, driver, stream, room)
                finally:
                    room.close()
        except BaseException as e:  # whatever it is: it cannot pass through XLA
            return _failed(frame, str(e) if isinstance(e, AveError) else f"{type(e).__name__}: {e}")
        return None

    return _CALL(handle)


_handlers: dict[str, list[Any]] = {}
# A prototype of its own: those of `ctypes.pythonapi` are shared by all who set them (jax.ffi.pycapsule does).
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, P, ctypes.c_char_p, P)(("PyCapsule_New", ctypes.pythonapi))


def register(jax: Any, target: str, serve: Serve) -> None:
    """Makes `serve` XLA's target of that name, on the CPU and on GPUs; once."""
    if target in _handlers:
        return
    made = _handlers[target] = []
    for platform, driver in (("cpu", ""), ("CUDA", "cuda"), ("ROCM", "rocm")):
        made.append(_handler(serve, driver))
        capsule = _new_capsule(ctypes.cast(made[-1], P), _CAPSULE, None)
        jax.ffi.register_ffi_target(target, capsule, platform=platform)
