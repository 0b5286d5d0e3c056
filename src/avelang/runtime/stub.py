"""What the slow path has accepted comes in; tables by which the host code (`native/host/launch.c`) recognizes the same
kind of call go out.

A `Stub` is the builtin function behind `kernel[provider]` of one jit function. Python objects are known to the host
code by their address, so whatever a table points to is kept alive beside it."""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.frontend.reach import Watched
from avelang.frontend.signature import ParamSpec
from avelang.ir.dtypes import DType
from avelang.ir.types import MapType
from avelang.native.layouts import (
    ALIGNED,
    ALTERNATIVES,
    CONSTANT,
    DOUBLE,
    ENTRIES,
    EXCHANGES,
    FLAG,
    MAP,
    POINTER,
    SIGNED,
    SINGLE,
    SLOTS,
    TENSOR,
    UNSIGNED,
    WATCHED_WORD,
    WIDES,
    WRITEABLE,
    CallEntry,
    Context,
    Exchange,
    MethodDef,
    ParamCheck,
    Room,
    State,
    WatchedName,
    Wide,
)
from avelang.runtime import cpu_backend, expects
from avelang.runtime.arguments import BoundArguments, alternatives
from avelang.runtime.arrays import CPU, Array, describe, dlpack_triples
from avelang.runtime.native import FASTCALL_KEYWORDS, native

_ARRAYS = {"pointer": POINTER, "tensor": TENSOR, "map": MAP}
_FLOATS = {"f64": DOUBLE, "f32": SINGLE}
# DLPack's word for the CPU: kDLCPU, index 0.
_ON_CPU = 1


class Queue(NamedTuple):
    """The stream of a launch on a GPU, the library whose current stream it is ("": the launch said it, or it is the
    default one), and what is called with status, geometry and arguments where the driver refuses a launch."""

    stream: int
    library: str
    refused: Callable[..., None]


class _ExchangeApi(NamedTuple):
    """Functions of DLPack's C exchange API: reads an object into a DLTensor; gives the current stream of (type, index),
    0 if there is no such."""

    read: int
    stream: int


_INSTALLING = threading.RLock()  # while what the host code reads is changed
_api = ctypes.pythonapi
_api.PyCFunction_NewEx.restype = ctypes.py_object
_api.PyCFunction_NewEx.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def _objects_hold() -> bool:
    """Whether the type of an object stands in its second word, as the host code reads it (not in free-threaded builds),
    and a tuple's size in its third."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8 or _word(id("") + 8) != id(str):
        return False
    return _items() > 0 and all(_word(id(t) + 16) == len(t) for t in ((), (1,), (1, 2, 3)))


def _items() -> int:
    """The byte of a tuple where its items begin, 0 where they are not found: 24, and 32 since Python 3.14."""
    t = (object(), object())
    return next((at for at in (24, 32) if [_word(id(t) + at), _word(id(t) + at + 8)] == [id(t[0]), id(t[1])]), 0)


def _digit() -> int:
    """The third word of an int of one digit, its value standing behind; -1 where that is not so."""
    probes = [1, 77, 12345, 2**30 - 1]
    words = {_word(id(n) + 16) for n in probes}
    others = {_word(id(n) + 16) for n in (0, -1, -77, 2**30, -(2**30), 2**63)}
    held = all(ctypes.c_uint32.from_address(id(n) + 24).value == n for n in probes)
    return words.pop() if held and len(words) == 1 and not words & others else -1


def _dicts_tagged() -> bool:
    """Whether the fourth word of a dict is another one after each change (PEP 509; not in newer versions of Python)."""
    d: dict[Any, Any] = {"b": 0}
    seen = []
    for change in (
        lambda: d.update(a=1), lambda: d.update(a=2), lambda: d.__setitem__("a", 3), lambda: d.pop("a"),
        lambda: d.update(a=3),
        lambda: d.setdefault("c", 1), lambda: d.__delitem__("c"), d.clear, lambda: d.update(b=0), d.popitem,
    ):  # fmt: skip
        change()
        seen.append(_word(id(d) + 24))
    return len(set(seen)) == len(seen)


def _numpy_holds() -> bool:
    """Whether NumPy's arrays are laid out in memory as the host code reads them, tried on one whose fields all
    differ."""
    a = np.zeros((3, 5, 7), np.int32)[:, 1:4, ::2]
    start = id(a)
    nd, flags = (ctypes.c_int32.from_address(start + offset).value for offset in (24, 64))
    if _word(start + 16) != a.ctypes.data or nd != 3 or _word(start + 56) != id(a.dtype) or flags != a.flags.num:
        return False
    dims, strides = ((ctypes.c_int64 * 3).from_address(_word(start + offset)) for offset in (32, 40))
    return tuple(dims) == a.shape and tuple(strides) == a.strides


class _Shared:
    """The %Context of this process and what it points to."""

    def __init__(self) -> None:
        entries = knobs.launch_entries()
        assert entries is not None
        self._knobs = entries
        self._fail = cpu_backend.fail
        address = {
            name: id(value)
            for name, value in {
                "int_": int, "float_": float, "str_": str, "tuple_": tuple, "none": None, "true_": True,
                "false_": False,
                "ave_error": AveError, "fail": self._fail,
            }.items()
        }  # fmt: skip
        self.context = Context(
            pool=native().pool_address, ndarray=id(np.ndarray) if _numpy_holds() else 0, digit=_digit(),
            tagged=_dicts_tagged(), items=_items(),
            **address
        )  # fmt: skip
        self._apis: dict[type, _ExchangeApi] = {}

    def knobs(self) -> list[Watched]:
        """What each launch depends on in the environment, as `Closure.watched` says it."""
        data, names = self._knobs
        return [(data, name, data.get(name), name in data) for name in names]

    def learn(self, obj: Any) -> None:
        """Makes the host code read arrays of this type through DLPack's C exchange API, where the type has one that
        says the truth."""
        kind = type(obj)
        if kind in self._apis or len(self._apis) == EXCHANGES or kind.__module__.partition(".")[0] != "torch":
            return
        with _INSTALLING:
            if kind not in self._apis and len(self._apis) < EXCHANGES:
                self._learn(kind, obj)

    def _learn(self, kind: type, obj: Any) -> None:
        capsule = getattr(kind, "__dlpack_c_exchange_api__", None)
        if capsule is None:
            return
        # dlpack.h 1.2, DLPackExchangeAPI: version, prev_api, allocator, from_py_object, to_py_object,
        # dltensor_from_py_object_no_sync, current_work_stream.
        words = (ctypes.c_uint64 * 7).from_address(_api.PyCapsule_GetPointer(capsule, b"dlpack_exchange_api"))
        major, function = words[0] & 0xFFFF_FFFF, words[5]
        if major != 1 or not function or not _exchange_holds(function, obj):
            return
        from avelang.runtime import torch_tensors

        at = torch_tensors.layout()
        if at is None:  # autograd could not be asked, nor told
            return
        self.context.fields = at.fields()
        self._apis[kind] = _ExchangeApi(function, words[6])
        self.context.exchanges[self.context.count] = Exchange(id(kind), function)
        self.context.count += 1

    def like(self, param: ParamCheck, obj: Any, array: Array) -> None:
        """Lets the host code read tensors like this one itself, where they are torch's."""
        if type(obj) not in self._apis:
            return
        from avelang.runtime import torch_tensors

        if torch_tensors.layout() is not None:
            param.like = torch_tensors.likeness(obj, array.address, array.shape, array.strides, param.item)

    def word(self, obj: Any) -> int | None:
        """The device of an array in DLPack's numbers (type, index << 32), or None where the host code does not read
        arrays of its type."""
        api = self._apis.get(type(obj))
        found = _read(api.read, obj) if api is not None else None
        return int(found[1]) if found is not None else None

    def asks(self, obj: Any, word: int, stream: int) -> int:
        """The function that gives the current stream of the array's library, 0 where there is none or it says another
        than `stream`."""
        api = self._apis.get(type(obj))
        if api is None or not api.stream:
            return 0
        out = ctypes.c_uint64()
        try:
            ask = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)(api.stream)
            status = ask(word & 0xFFFF_FFFF, word >> 32, ctypes.addressof(out))
        except Exception:
            return 0
        return api.stream if status == 0 and out.value == stream else 0


def _read(function: int, obj: Any) -> Any:
    """The words of the DLTensor that an exchange function makes of an object; None where it fails."""
    found = (ctypes.c_uint64 * 8)()
    try:
        call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(function)
        status = call(obj, ctypes.addressof(found))
    except Exception:
        return None
    return found if status == 0 else None


def _exchange_holds(function: int, obj: Any) -> bool:
    """Whether the exchange function finds the same memory as the object's own methods."""
    found, array = _read(function, obj), describe(obj)
    return found is not None and array is not None and found[0] + found[5] == array.address


def _shared() -> _Shared | None:
    with _INSTALLING:  # there is one
        return _made()


@functools.cache
def _made() -> _Shared | None:
    return _Shared() if _objects_hold() and knobs.launch_entries() is not None else None


def shared_context() -> Context | None:
    """The state that all kernels share; None where the host code cannot serve."""
    shared = _shared()
    return None if shared is None else shared.context


def keep_tracebacks(keep: bool) -> None:
    """Lets an AveError that a launch raises keep, or lose, Ave's own frames."""
    shared = _shared()
    if shared is not None:
        shared.context.keep_traceback = keep


class Stub:
    """`call(provider, *args, **kwargs)`: a builtin where the host code can serve, else `slow` itself."""

    def __init__(self, name: str, slow: Callable[..., None]):
        self._entries: list[tuple[Any, CallEntry, list[Any]]] = []
        self._shared = _shared()
        self._state: State | None = None
        self.call: Callable[..., None] = slow
        if self._shared is None:
            return
        self._state = State(context=ctypes.addressof(self._shared.context), slow=id(slow))
        method = MethodDef(name.encode(), native().launch_address, FASTCALL_KEYWORDS, None,
                           ctypes.addressof(self._state))
        # CPython reads it when it frees the builtin, and a collected cycle may free them in any order: it is never
        # freed.
        _METHODS.append(method)
        # What the builtin needs lives as long as the builtin, which may outlive the jit function.
        owner = (ctypes.addressof(self._state), self, slow)
        self.call = _api.PyCFunction_NewEx(ctypes.addressof(method), owner, None)

    def latest(self) -> Any:
        """The program that the host code ran last, or None where the slow path ran since."""
        last = self._state.last if self._state is not None else 0
        return next((kept[0] for _, entry, kept in self._entries if ctypes.addressof(entry) == last), None)

    def served(self) -> bool:
        """True where the host code has run a program since `forget_latest`."""
        return self._state is not None and bool(self._state.last)

    def forget_latest(self) -> None:
        """The slow path ran last."""
        if self._state is not None:
            self._state.last = 0

    def install(
        self, key: Any, program: Any, watched: Sequence[Watched], block: tuple[int, int, int],
        specs: tuple[ParamSpec, ...], args: tuple[Any, ...], kwargs: dict[str, Any], bound: BoundArguments,
        queue: Queue | None = None,
    ) -> None:  # fmt: skip
        """Lets the host code serve calls like this one, which has just been run; `key` says which calls are alike.

        `watched`: what `Closure.watched` gave when the kernel was compiled. `queue`: for a launch on a GPU.
        """
        shared, state = self._shared, self._state
        if shared is not None:
            for value in (*args, *kwargs.values()):
                shared.learn(value)
        # The stream has a slot too.
        slots = [*bound.slots, queue.stream] if queue is not None else bound.slots
        if shared is None or state is None or len(slots) > SLOTS or sum(s.map is not None for s in specs) > WIDES:
            return
        watched = [*watched, *shared.knobs()]
        known = next((kept for have, _, kept in self._entries if have == key), None)
        # A call that is like one before and yet came by the slow path: an argument is unusual, or a global was bound to
        # an equal object.
        if known is not None and _all_same(known[1], watched):
            return
        try:
            expected = expects.table(program.meta.get("expects"))
        except ValueError:
            return
        params = self._params(specs, args, kwargs, bound, program, queue)
        word, ask = _queue(shared, (*args, *kwargs.values()), bound, queue) if queue is not None else (0, 0)
        if params is None or word is None:
            return
        keep: list[Any] = [program, watched, args_kept(specs, args, kwargs), params, queue]
        names = (ctypes.c_void_p * max(1, len(kwargs)))(*map(id, kwargs))
        filled = {p.slot for p, _ in params if p.kind != CONSTANT} | ({len(bound.slots)} if ask else set())
        template = (ctypes.c_uint64 * max(1, len(slots)))(*slots)
        table = _table([p for p, _ in params])
        watches = (WatchedName * max(1, len(watched)))(*map(watch, watched))
        keep += [tuple(kwargs), names, template, table, watches]
        entry = CallEntry(
            watched=len(watched), watches=ctypes.addressof(watches), positional=len(args), keyword=len(kwargs),
            names=ctypes.addressof(names), block=block, params=ctypes.addressof(table), slots=len(slots),
            template=None if len(filled) == len(slots) else ctypes.addressof(template),
        )  # fmt: skip
        if len(expected) > 0:
            entry.expects = ctypes.addressof(expected)
            keep.append(expected)
        if queue is None:
            entry.kernel = program.address
        else:
            entry.gpu, entry.stream, entry.device, entry.failed = program.address, ask, word, id(queue.refused)
        self._enter(key, entry, keep)

    def _enter(self, key: Any, entry: CallEntry, keep: list[Any]) -> None:
        """Puts an entry into the host code's table, the newest first, but those for arrays that begin anywhere behind
        the others: they would serve arrays, too, that begin where wide accesses may."""
        state, free = self._state, len(keep[0].meta.get("aligned", ()))
        assert state is not None
        # The host code looks at entries while it holds the interpreter's lock, which another thread may have between
        # any two lines here: what drops out may go when the host code's table has it no more.
        with _INSTALLING:
            before = self._entries
            rest = [e for e in before if e[0] != key]
            at = next((i for i, e in enumerate(rest) if len(e[2][0].meta.get("aligned", ())) >= free), len(rest))
            self._entries = [*rest[:at], (key, entry, keep), *rest[at:]][:ENTRIES]
            for i, (_, one, _) in enumerate(self._entries):
                state.entries[i] = ctypes.addressof(one)
            state.count = len(self._entries)
            del before

    def _params(
        self, specs: tuple[ParamSpec, ...], args: tuple[Any, ...], kwargs: dict[str, Any], bound: BoundArguments,
        program: Any, queue: Queue | None
    ) -> list[tuple[ParamCheck, Any]] | None:
        assert self._shared is not None
        by_name = {s.name: s for s in specs}
        slot_of = {s.name: i for i, s in enumerate(s for s in specs if s.kind != "constexpr")}
        room_of = {s.name: i for i, s in enumerate(s for s in specs if s.map is not None)}
        given = [*((s.name, s, value) for s, value in zip(specs, args, strict=False)),
                 *((n, by_name.get(n), value) for n, value in kwargs.items())]
        out = []
        for name, spec, value in given:
            if spec is None and name == "stream" and queue is not None and type(value) is int:
                # The handle is a word like any other; a stream that is an object is known by its identity.
                param = ParamCheck(kind=UNSIGNED, slot=len(bound.slots), high=2**64 - 1), None
            elif spec is None or spec.kind == "constexpr":
                # What it reaches is watched.
                param = ParamCheck(kind=CONSTANT, low=id(value)), value
            elif spec.kind == "scalar":
                param = _scalar(spec, slot_of[spec.name])
            else:
                array = bound.values[slot_of[spec.name]]
                word = _ON_CPU if queue is None else self._shared.word(value)
                if word is None or array.device != bound.device:
                    return None
                align = 1 if queue is None else program.aligned.get(spec.name, program.align)
                param = _array(spec, slot_of[spec.name], array, spec.name in program.writes, word, align)
                self._shared.like(param[0], value, array)
                if spec.map is not None:
                    _map(param, spec.map, array, room_of[spec.name], spec.name in program.writes)
            if param is None:
                return None
            out.append(param)
        return out


def watch(w: Watched) -> WatchedName:
    """Puts what is watched into the words of the host code."""
    home, name, value, there = w
    if isinstance(name, int):
        return WatchedName(id(home) + name, WATCHED_WORD, value)
    return WatchedName(id(home), id(name) if isinstance(home, dict) else None, id(value) if there else None)


def _all_same(before: Sequence[Watched], now: Sequence[Watched]) -> bool:
    pairs = zip(before, now, strict=False)
    return len(before) == len(now) and all(a[:2] == b[:2] and _same(a, b) for a, b in pairs)


def _same(a: Watched, b: Watched) -> bool:
    return a[2] == b[2] if isinstance(a[1], int) else a[2] is b[2]


def _queue(shared: _Shared, values: Sequence[Any], bound: BoundArguments, queue: Queue) -> tuple[int | None, int]:
    """The device in DLPack's numbers, and the function to ask for the current stream (0: the slot has it); (None, 0)
    where it cannot be asked."""
    on_it = [value for value in values if shared.word(value) is not None]
    word = shared.word(on_it[0]) if on_it else None
    if word is None or bound.stream is not None:
        return word, 0
    ask = shared.asks(on_it[0], word, queue.stream) if queue.library == "torch" else 0
    return (word, ask) if ask else (None, 0)


def args_kept(specs: tuple[ParamSpec, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments whose identity an entry remembers: constants, not arrays (whose memory must not be held)."""
    runtime = {s.name for s in specs if s.kind != "constexpr"}
    given = [*((s.name, v) for s, v in zip(specs, args, strict=False)), *kwargs.items()]
    return [value for name, value in given if name not in runtime]


def _scalar(spec: ParamSpec, slot: int) -> tuple[ParamCheck, Any] | None:
    d = spec.dtype
    assert d is not None
    if d.kind == "bool":
        return ParamCheck(kind=FLAG, slot=slot), None
    if d.is_float:
        # f16, bf16 and fp8 are rounded in Python.
        return (ParamCheck(kind=_FLOATS[d.name], slot=slot), None) if d.name in _FLOATS else None
    return ParamCheck(kind=SIGNED if d.kind == "int" else UNSIGNED, slot=slot, low=d.min, high=d.max), None


def _table(params: Sequence[ParamCheck]) -> Any:
    """An array of them that begins where a line of the cache does."""
    raw = (ctypes.c_byte * (ctypes.sizeof(ParamCheck) * len(params) + 64))()
    table = (ParamCheck * len(params)).from_buffer(raw, -ctypes.addressof(raw) % 64)
    for i, param in enumerate(params):
        table[i] = param
    return table


def _descriptors(d: DType) -> list[np.dtype]:
    found: list[np.dtype] = []
    for other in alternatives(d):
        # On 64-bit Linux "l" and "q" are two types of the same bits, with a descriptor each.
        codes = {"i64": "lq", "u64": "LQ"}.get(other.name, "")
        found += [np.dtype(c) for c in codes if np.dtype(c).itemsize == 8] or [other.np]
    return found[:ALTERNATIVES]


_METHODS: list[MethodDef] = []


def methods() -> set[int]:
    """The addresses of the PyMethodDef of all builtins."""
    return set(map(ctypes.addressof, _METHODS))


def _array(spec: ParamSpec, slot: int, array: Array, written: bool, device: int, align: int) -> tuple[ParamCheck, Any]:
    d = spec.dtype
    assert d is not None
    # NumPy's arrays are on the CPU: elsewhere none is accepted.
    descriptors = _descriptors(d) if array.device == CPU else []
    codes = [code | bits << 8 | 1 << 16 for other in alternatives(d)
             for code, bits in dlpack_triples(other)][:ALTERNATIVES]
    param = ParamCheck(kind=_ARRAYS[spec.kind], slot=slot, rank=-1, item=d.bytes, device=device,
                       high=max(d.bytes, align))
    param.low = ALIGNED | (WRITEABLE if written else 0)
    param.descriptors = (ctypes.c_void_p * ALTERNATIVES)(*map(id, descriptors))
    # 0xFFFFFFFF is no dtype: 0 would be an integer of no bits.
    param.dtypes = (ctypes.c_uint32 * ALTERNATIVES)(*codes, *[0xFFFF_FFFF] * (ALTERNATIVES - len(codes)))
    keep: list[Any] = [descriptors]
    if spec.kind == "tensor":
        rank = len(array.shape)
        shape = (ctypes.c_int64 * max(1, rank))(*array.shape)
        strides = (ctypes.c_int64 * max(1, rank))(*(s // d.bytes for s in array.strides))
        param.rank, param.shape, param.strides = rank, ctypes.addressof(shape), ctypes.addressof(strides)
        keep += [shape, strides]
    return param, keep


def _map(known: tuple[ParamCheck, Any], t: MapType, array: Array, room: int, written: bool) -> None:
    """Makes an array's `ParamCheck` one of a tensor map; `room`: which of a launch's `Wide` is its; `written`: whether
    the kernel stores to it."""
    from avelang.runtime import tensor_maps

    param, keep = known
    table = tensor_maps.table(t, array.device.partition(":")[0], written)
    param.rank, param.shape = t.rank, table.address
    param.strides = Room.wides.offset + ctypes.sizeof(Wide) * room - 8 * param.slot
    keep.append(table)
