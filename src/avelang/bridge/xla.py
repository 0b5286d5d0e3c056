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
from avelang.bridge.replays import Served
from avelang.bridge.xla_calls import Calls
from avelang.native.xla import (
    XLA_DESTROY,
    XLA_ERROR,
    XLA_GIVE,
    XLA_MESSAGE,
    XLA_RUN,
    XLA_SCALAR,
    XLA_STREAM,
    XLA_TAKE,
    XLA_UNIT,
    XlaApi,
    XlaAsk,
    XlaBuffer,
    XlaFailure,
    XlaFrame,
    XlaGive,
    XlaList,
    XlaSpan,
    XlaTake,
)

_CAPSULE = b"xla._CUSTOM_CALL_TARGET"  # the name by which XLA knows a capsule with a function
P, SIZE, I64, I32 = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, ctypes.c_int32
_INTERNAL, _METADATA, _VERSION = 13, 1, (0, 1)
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


class _Scalar(ctypes.Structure):
    _fields_ = [("dtype", I32), ("value", P)]


class _ErrorArgs(ctypes.Structure):
    _fields_ = [("size", SIZE), ("extension", P), ("message", ctypes.c_char_p), ("code", I32)]


_CALL = ctypes.CFUNCTYPE(P, P)


def _failed(frame: XlaFrame, message: str) -> int | None:
    """XLA's error with a message."""
    args = _ErrorArgs(ctypes.sizeof(_ErrorArgs), None, message.encode(), _INTERNAL)
    make = _function(frame, XLA_ERROR)
    assert make is not None  # all versions have it
    return make(ctypes.addressof(args))


# XLA's functions by their addresses: to make one takes longer than to call it. They keep the interpreter's lock, which
# XLA's threads for other devices would take else: to wake a thread takes longer, too.
_at = functools.cache(ctypes.PYFUNCTYPE(P, P))
_waited_for = functools.cache(_CALL)  # one that may wait, and lets others go on
_running = threading.local()  # the frame of the call that a thread serves


def _function(frame: XlaFrame, number: int, bound: Callable[..., Any] = _at) -> Callable[[int], int | None] | None:
    """XLA's function at a place of its table; None where this XLA has none: the last one came with version 0.3."""
    offset = XlaApi.functions.offset + number * ctypes.sizeof(P)
    if XlaApi.from_address(frame.api).size < offset + ctypes.sizeof(P):
        return None
    found = P.from_address(frame.api + offset).value
    return bound(found) if found else None


def _answer(frame: XlaFrame, number: int) -> int | None:
    """What XLA answers to a question about a call; None where it does not."""
    ask, get = XlaAsk(size=ctypes.sizeof(XlaAsk), context=frame.context), _function(frame, number)
    return None if get is None or _error(frame, get(ctypes.addressof(ask))) else int(ask.answer)


def _stream(frame: XlaFrame) -> int:
    found = _answer(frame, XLA_STREAM)
    if found is None:
        raise RuntimeError("XLA gave no stream")
    return found


def run_number() -> int | None:
    """The number of the execution that the call in this thread belongs to, the same on all its devices; None where XLA
    has none to give."""
    return _answer(_running.frame, XLA_RUN)


def _span(frame: XlaFrame) -> XlaSpan:
    """The first attribute's text."""
    return XlaSpan.from_address(P.from_address(frame.attributes.items).value or 0)


def site() -> int:
    """The place of the call in the program that XLA runs, as this has been compiled: where it keeps the call's text."""
    return int(_span(_running.frame).text or 0)


class Scratch:
    """Memory of XLA's for as long as a call runs: kernels that the call has launched on its stream may still use it
    behind that, since XLA gives it to nothing that comes before them."""

    def __init__(self, frame: XlaFrame):
        self._frame, self._taken = frame, []

    def take(self, size: int) -> int:
        """The address of so many bytes, a multiple of 128. Raises MemoryError where XLA has no more."""
        more = size + ALIGNED - XLA_UNIT
        args = XlaTake(size=ctypes.sizeof(XlaTake), context=self._frame.context, bytes=more, alignment=XLA_UNIT)
        get = _function(self._frame, XLA_TAKE, _waited_for)  # for memory that others give back
        why = "it has no memory to give" if get is None else _error(self._frame, get(ctypes.addressof(args)))
        if why:
            raise MemoryError(f"{size} bytes beside the buffers of a call of XLA's: {why}")
        self._taken.append((args.data, more))
        return -(-args.data // ALIGNED) * ALIGNED

    def close(self) -> None:
        """Gives all of it back."""
        if not self._taken:
            return
        give = _function(self._frame, XLA_GIVE)
        for address, size in self._taken:
            args = XlaGive(size=ctypes.sizeof(XlaGive), context=self._frame.context, bytes=size, data=address)
            assert give is not None  # it stands behind the function that gave it
            _error(self._frame, give(ctypes.addressof(args)))  # there is nobody to tell
        self._taken.clear()


def _error(frame: XlaFrame, error: int | None) -> str:
    """The words of an error of XLA's, which is taken away; "" for none."""
    if not error:
        return ""
    args, size = XlaFailure(error=error), ctypes.sizeof(XlaFailure)
    for number, taken in ((XLA_MESSAGE, size), (XLA_DESTROY, XlaFailure.message.offset)):
        args.size, ask = taken, _function(frame, number)
        assert ask is not None  # all versions have it
        ask(ctypes.addressof(args))
        if number == XLA_MESSAGE:
            words = (args.message or b"no word of why").decode(errors="replace")
    return words


def _asked(frame: XlaFrame) -> bool:
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


def _buffers(part: XlaList) -> list[Buffer]:
    found = []
    for at in (P * part.count).from_address(part.items) if part.count else ():
        x = XlaBuffer.from_address(at)
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


def _said(frame: XlaFrame) -> str | int:
    """The first attribute: a text, or a number."""
    attributes = frame.attributes
    if attributes.types and I32.from_address(attributes.types).value == XLA_SCALAR:
        scalar = _Scalar.from_address(P.from_address(attributes.items).value or 0)
        return I64.from_address(scalar.value or 0).value
    span = _span(frame)
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
# and where new memory of the driver's comes from. It says where the call was made by a replay.
Serve = Callable[[Any, list[Buffer], list[Buffer], str, int, Any], "Served | None"]


def _handler(serve: Serve, driver: str, keep: Callable[[int, Served], None] | None = None) -> Any:
    """`keep` gets the address of a frame and what has served it."""

    def handle(address: int) -> int | None:
        frame = XlaFrame.from_address(address)
        try:
            if not _asked(frame):
                stream = _stream(frame) if driver else 0
                _running.frame = frame
                room = Scratch(frame)
                try:
                    given, made = _buffers(frame.arguments), _buffers(frame.results)
                    served = serve(_said(frame), given, made, driver, stream, room)
                finally:
                    room.close()
                if served is not None and keep is not None:
                    keep(address, served)
        except BaseException as e:  # whatever it is: it cannot pass through XLA
            return _failed(frame, str(e) if isinstance(e, AveError) else f"{type(e).__name__}: {e}")
        return None

    return _CALL(handle)


class _Handlers:
    """The functions of a target on a driver's GPUs: the host code's, which asks Python's where it knows no call."""

    def __init__(self, serve: Serve, driver: str):
        self.slow = _handler(serve, driver, lambda frame, served: self.calls.keep(frame, served))
        self.calls = Calls(driver, self.slow, lambda frame, words: _failed(XlaFrame.from_address(frame), words))


_handlers: dict[str, list[Any]] = {}
# A prototype of its own: those of `ctypes.pythonapi` are shared by all who set them (jax.ffi.pycapsule does).
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, P, ctypes.c_char_p, P)(("PyCapsule_New", ctypes.pythonapi))


def register(jax: Any, target: str, serve: Serve) -> None:
    """Makes `serve` XLA's target of that name, on the CPU and on GPUs; once."""
    if target in _handlers:
        return
    made = _handlers[target] = []
    for platform, driver in (("cpu", ""), ("CUDA", "cuda"), ("ROCM", "rocm")):
        if driver:
            made.append(_Handlers(serve, driver))
            address = made[-1].calls.handler
        else:
            made.append(_handler(serve, driver))
            address = ctypes.cast(made[-1], P)
        jax.ffi.register_ffi_target(target, _new_capsule(address, _CAPSULE, None), platform=platform)
