"""Calls of a function like one before: keys and what a dry run of the function has launched come in; tables by which
the host code (`native/host/repeats.c`) launches the same again, without Python, go out."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from avelang.native.layouts import (
    MADE_ARGUMENTS,
    MADES,
    MAP,
    POINTER,
    WRITEABLE,
    CallEntry,
    Check,
    Dry,
    Made,
    MethodDef,
    Moving,
    Repeat,
    RepeatLaunch,
    Repeats,
)
from avelang.runtime import stub, torch_tensors, torch_watchers
from avelang.runtime.native import FASTCALL_KEYWORDS, native

MOST = 2048  # calls of a function that are known
_WHOLE = 2**64 - 1
_GOLDEN = 11400714819323198485


class Launched(NamedTuple):
    """A launch of a dry run: what has accepted it (the entry, and what lives as long), its slots and blocks, and for
    each argument its check."""

    kernel: Any
    entry: CallEntry
    kept: list[Any]
    slots: tuple[int, ...]
    blocks: tuple[int, int, int]
    arguments: list[tuple[Any, Any]]


class Memory(NamedTuple):
    """New memory: torch's function, its arguments, those by name last, and which last bits of the address must be what
    they are in `low`."""

    function: Any
    args: tuple[Any, ...]
    names: tuple[str, ...]
    low: int
    mask: int


class Move(NamedTuple):
    """An argument whose address is not that of the dry run: `base` counts the tensors that come in, then those made; -1
    is of memory that is kept, at `delta`, also where it was there in the dry run for a tensor map, of which a slot has
    the address of a copy."""

    argument: int
    base: int
    delta: int


class Bound(NamedTuple):
    """The thread and the stream in which a call may be repeated; 0 for a stream of the CPU. `capturing` says whether a
    graph is captured."""

    thread: int
    stream: int
    capturing: Any


class Unready(Exception):
    """A launch of a dry run that the host code does not know yet."""


# -- dry runs ----------------------------------------------------------------------------------------------------------

_lock = threading.Lock()


@contextmanager
def dry() -> Iterator[list[Launched]]:
    """Inside, this thread's launches are not run: the list gets them, in order. Raises Unready in their stead, where
    the host code would not serve one."""
    found: list[Launched] = []

    def hook(slow: Any, entry_at: int, slots_at: int, blocks_at: int, /, *args: Any, **named: Any) -> None:
        kernel = slow.__self__._stub
        known = next(((e, k) for _, e, k in kernel._entries if ctypes.addressof(e) == entry_at), None)
        if known is None:
            raise Unready
        entry, kept = known
        slots = tuple((ctypes.c_uint64 * entry.slots).from_address(slots_at))
        x, y, z = (ctypes.c_uint32 * 3).from_address(blocks_at)
        given = (*args, *named.values())
        checks = [param for param, _ in kept[3]]
        found.append(Launched(kernel, entry, kept, slots, (x, y, z), list(zip(checks, given, strict=True))))

    with _lock:
        place = Dry.from_address(native().address("ave_dry"))
        place.thread, place.hook = threading.get_ident(), id(hook)
        try:
            yield found
        finally:
            place.hook = place.thread = None


def in_dry_run() -> bool:
    """True inside of this thread's `dry()`, whose mode is nobody's who watches."""
    place = _place()
    return bool(place.hook) and place.thread == threading.get_ident()


def _place() -> Dry:
    return Dry.from_address(native().address("ave_dry"))


# -- tables ------------------------------------------------------------------------------------------------------------

_METHODS: list[Any] = []


class Table:
    """The calls of one function: `call` is a builtin that repeats one of them; else it gives the key, as bytes, of a
    call that may be kept, and None of any other."""

    def __init__(self, name: str, context: Any, checks: Sequence[Check], watched: Sequence[int], dtypes: list[str]):
        torch: Any = sys.modules["torch"]
        fields = torch_tensors.layout()
        assert fields is not None
        context.fields = fields.fields()
        level, keep = torch_watchers.level(torch)
        self._asked = (Check * len(checks))(*checks)
        self._watched = (ctypes.c_void_p * max(1, len(watched)))(*watched)
        self.state = Repeats(
            context=ctypes.addressof(context), tensor=id(torch.Tensor), parameter=id(torch.nn.Parameter),
            dtype=id(torch.dtype), checking=len(checks), checks=ctypes.addressof(self._asked), watching=len(watched),
            watched=ctypes.addressof(self._watched), level=level,
        )  # fmt: skip
        self.state.items[:] = torch_watchers.items(torch, fields.meta, dtypes)
        self._entries: dict[bytes, dict[Any, tuple[Repeat, Any]]] = {}  # by key, then thread and stream
        self._count, self._changing = 0, threading.RLock()
        self._table: Any = None
        method = MethodDef(name.encode(), native().address("ave_repeat"), FASTCALL_KEYWORDS, None,
                           ctypes.addressof(self.state))  # fmt: skip
        _METHODS.append(method)  # CPython reads it when it frees the builtin
        self.call: Callable[..., Any] = stub._api.PyCFunction_NewEx(
            ctypes.addressof(method), (ctypes.addressof(self.state), self, keep), None
        )

    def drop_stale(self, key: bytes) -> bool:
        """Forgets the calls with a key whose kernels are to be built anew; whether there were some."""
        with self._changing:
            known = self._entries.get(key, {})
            stale = [bound for bound, (entry, _) in known.items() if entry.stale]
            dropped = [known.pop(bound) for bound in stale]
            if dropped:
                self._place_all()
            return bool(dropped)  # they go now that the host code's table has them no more

    def forget(self) -> None:
        """Forgets all calls."""
        with self._changing:
            dropped, self._entries = self._entries, {}
            self._place_all()
            del dropped  # now that the host code's table has them no more

    def refuse(self, key: bytes, keep: Any) -> None:
        """Keeps that calls with a key cannot be repeated."""
        self._add(key, None, Repeat(), [keep])

    def keep(
        self, key: bytes, launches: Sequence[tuple[Launched, Sequence[Move]]], memory: Sequence[Memory], returned: int,
        bound: Bound | None, keep: Any,
    ) -> None:  # fmt: skip
        """Keeps what a call with a key does. `returned`: how many results the caller gets, as a tuple; 0: one by
        itself. Raises ValueError for more than the host code takes."""
        if not launches or len(memory) > MADES or any(len(m.args) > MADE_ARGUMENTS for m in memory):
            raise ValueError
        owner: list[Any] = [keep, launches, memory]
        table = (RepeatLaunch * len(launches))()
        for place, (launched, moves) in zip(table, launches, strict=True):
            _fill(place, launched, moves, owner)
        make = (Made * max(1, len(memory)))()
        for place, m in zip(make, memory, strict=False):
            args = (ctypes.c_void_p * MADE_ARGUMENTS)(*map(id, m.args))
            place.function, place.args, place.low, place.mask = id(m.function), args, m.low, m.mask
            place.positional, place.keyword = len(m.args) - len(m.names), len(m.names)
            place.names = id(m.names) if m.names else None
        owner += [table, make]
        entry = Repeat(
            launches=len(launches), launch=ctypes.addressof(table), making=len(memory), make=ctypes.addressof(make),
            returned=max(1, returned), single=returned == 0,
        )  # fmt: skip
        if bound is not None:
            on_gpu = next((one.entry for one, _ in launches if one.entry.gpu), None)
            entry.thread = bound.thread
            if on_gpu is not None:
                if not on_gpu.stream:
                    raise ValueError
                entry.stream_function, entry.device, entry.stream = on_gpu.stream, on_gpu.device, bound.stream
                entry.capturing, entry.calm = id(bound.capturing), id(False)
                owner.append(bound)
        self._add(key, None if bound is None else bound[:2], entry, owner)

    def _add(self, key: bytes, bound: Any, entry: Repeat, owner: list[Any]) -> None:
        words = (ctypes.c_uint64 * (len(key) // 8)).from_buffer_copy(key)
        entry.words, entry.key, entry.hash, entry.owner = len(words), ctypes.addressof(words), _hash(words), id(owner)
        owner += [words, entry]
        with self._changing:
            if self._count >= MOST:
                self.forget()
            known = self._entries.setdefault(key, {})
            before = known.get(bound)  # which may go when the host code's table has it no more
            known[bound] = entry, owner
            self._count += 1
            if before is not None or self._table is None or 4 * self._count > len(self._table):
                self._place_all()
            else:
                _put(self._table, entry)

    def _place_all(self) -> None:
        """Makes the table anew: the host code looks at it while it holds the interpreter's lock."""
        entries = [entry for known in self._entries.values() for entry, _ in known.values()]
        self._count, size = len(entries), 64
        while size < 4 * len(entries):
            size *= 2
        table = (ctypes.c_void_p * (2 * size))()
        for entry in entries:
            _put(table, entry)
        # The mask of a smaller table fits a larger one.
        if self._table is None or len(table) >= len(self._table):
            self.state.table, self.state.mask = ctypes.addressof(table), len(table) - 1
        else:
            self.state.mask, self.state.table = len(table) - 1, ctypes.addressof(table)
        self._table = table


def _put(table: Any, entry: Repeat) -> None:
    at = _start(entry.hash) % len(table)
    while table[at]:
        at = (at + 1) % len(table)
    table[at] = ctypes.addressof(entry)


def _fill(place: RepeatLaunch, launched: Launched, moves: Sequence[Move], owner: list[Any]) -> None:
    slots = (ctypes.c_uint64 * max(1, len(launched.slots)))(*launched.slots)
    table = (Moving * max(1, len(moves)))()
    for m, move in zip(table, moves, strict=False):
        param, x = launched.arguments[move.argument]
        m.slot, m.base, m.delta = param.slot, move.base, move.delta
        if param.kind == MAP:
            rank = param.rank
            shape, strides = (ctypes.c_int64 * rank)(*x.shape), (ctypes.c_int64 * rank)(*x.stride())
            m.maps, m.wide, m.rank, m.unit = param.shape, param.strides, rank, param.item
            m.shape, m.strides = ctypes.addressof(shape), ctypes.addressof(strides)
            owner += [shape, strides]
    place.entry, place.state = ctypes.addressof(launched.entry), ctypes.addressof(launched.kernel._state)
    place.count, place.slots = len(launched.slots), ctypes.addressof(slots)
    place.moving, place.moves, place.blocks = len(moves), ctypes.addressof(table), launched.blocks
    owner += [slots, table, launched.kept, launched.kernel]


def arrays_of(launched: Launched) -> Iterator[tuple[int, Any, bool]]:
    """Arguments of a launch that are arrays: number, array, whether the kernel writes it."""
    for i, (param, x) in enumerate(launched.arguments):
        if param.kind >= POINTER:
            yield i, x, bool(param.low & WRITEABLE)


def is_map(launched: Launched, argument: int) -> bool:
    """True for an argument that goes to the kernel as a tensor map."""
    return launched.arguments[argument][0].kind == MAP


def _hash(words: Any) -> int:
    found = 0
    for word in words:
        found = ((found << 11 | found >> 53) & _WHOLE) ^ word
    return found


def _start(found: int) -> int:
    product = found * _GOLDEN
    return (product >> 64) ^ (product & _WHOLE)
