"""Calls of XLA's that `replays` makes again, for the host code: a frame and the replay that has served it come in; the
host code (`native/host/xla.c`) serves frames like it from then on, without Python and its lock.

Python serves a call three times (it is compiled, and noted twice) and makes it again once. Of users' kernels the host
code looks whether what they read is as it was, and takes Python's lock for that."""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable
from typing import Any

from avelang.base.words import CHOICES, WAITING
from avelang.bridge.replays import KEPT, Replay, SameAction, SameLaunch, Served
from avelang.isa.tensor_map import MOST_RANK
from avelang.native.layouts import SLOTS, WIDES, Maps, Moving, RepeatLaunch, Room, TensorMapRecord, WatchedName, Wide
from avelang.native.xla import XLA_MAPS, XLA_WORDS, XlaCall, XlaCalls, XlaStep, XlaTable
from avelang.runtime import stub
from avelang.runtime.native import native

MOST = 4096  # calls that are known
SIX = 6  # arguments of a driver's function, at most
STEPS = 64  # of a call: their slots, 3.5 KB each, are on the stack of XLA's thread
P, I64, U64 = ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint64
_NUMBERS = itertools.count(1)

# Makes XLA's error: the address of a frame, and the words.
Fail = Callable[[int, str], "int | None"]


class _Kept:
    """What the host code has of a call, and what must live as long. `maps`: of each tensor map the step, the table and
    the move."""

    def __init__(self, entry: XlaCall, served: Served, maps: list[tuple[int, Maps, Moving]], owned: list[Any]):
        self.entry, self.replay, self.maps, self.owned = entry, served.replay, maps, owned
        self.shift, self.bases = served.shift, len(served.bases)


class Calls:
    """The calls of a driver. `handler`: the address of the function that XLA's programs call; `slow` is Python's, which
    it calls where it knows no call; `fail` makes XLA's error."""

    def __init__(self, driver: str, slow: Any, fail: Fail):
        code = native()
        self.handler = code.address(f"ave_xla_on_{driver}")
        self.state = XlaCalls.from_address(code.address(f"ave_xla_{driver}"))
        self._lock, self._kept, self._gone = threading.Lock(), dict[Any, _Kept](), list[Any]()
        self._tables: dict[Any, tuple[Maps, Any]] = {}  # of tensor maps, by their type
        self._numbers: dict[int, _Kept] = {}
        self._table: tuple[XlaTable, Any] | None = None
        # These are short, and wait for nothing of Python's: they hold the interpreter's lock.
        self._key = ctypes.PYFUNCTYPE(I64, P, P, P, P)(code.address("ave_xla_key"))
        self._put = ctypes.PYFUNCTYPE(None, P, P)(code.address("ave_xla_put"))
        self._turn = ctypes.PYFUNCTYPE(I64, P, P)(code.address("ave_xla_turn"))
        self._keep_map = ctypes.PYFUNCTYPE(None, P, P, P, I64, P)(code.address("ave_xla_keep"))
        self._fail, self._slow = fail, slow
        self._failing = ctypes.CFUNCTYPE(P, P, I64, I64, U64, P)(self._failed)
        self._at = ctypes.addressof(self.state)
        self.state.choices, self.state.waiting = CHOICES.address, WAITING.address
        self.state.slow, self.state.failed = ctypes.cast(slow, P), ctypes.cast(self._failing, P)

    @property
    def served(self) -> int:
        """The count of calls that Python has not seen."""
        return self.state.served

    def keep(self, frame: int, done: Served) -> None:
        """Lets the host code serve frames like this one, whose call was made so."""
        replay = done.replay
        words, site = (U64 * XLA_WORDS)(), U64()
        count = self._key(self._at, frame, ctypes.addressof(words), ctypes.addressof(site))
        if not count:
            return
        key = site.value if done.only_here else 0, bytes(words)[: 8 * count]
        with self._lock:
            self._sweep()
            known = self._kept.get(key)
            if known is None or known.replay is not replay or replay.watched:
                made = self._made(key, done)
                if made is None:
                    return
                if known is not None or len(self._kept) >= MOST:
                    self._drop([*self._kept] if known is None else [key])
                known = self._kept[key] = self._numbers[made.entry.number] = made
                self._place(made.entry)
            for step, table, move in known.maps:
                at = move.delta + (0 if move.base == KEPT else done.bases[move.base - done.shift])
                wide = replay.maps[step].get((move.slot, at))
                if wide is not None:
                    words = _map_key(at, move)
                    place, known_by = ctypes.addressof(table), ctypes.addressof(words)
                    self._keep_map(self._at, place, known_by, move.rank, ctypes.addressof(wide))

    def forget(self) -> None:
        """Forgets all calls."""
        with self._lock:
            self._drop([*self._kept])
            self._sweep()

    # -- entries ---

    def _made(self, key: tuple[int, bytes], served: Served) -> _Kept | None:
        """The call for the host code; None where it does not take it."""
        replay, done = served.replay, served.replay.form.done
        if len(done) > STEPS:
            return None
        gate = None if replay.member is None else replay.member.gate
        steps, launches, owned = (XlaStep * len(done))(), (RepeatLaunch * len(done))(), [gate]
        maps: list[tuple[int, Maps, Moving]] = []
        for i, (place, launch, one) in enumerate(zip(steps, launches, done, strict=True)):
            slots, moves = (one.slots, one.moves) if isinstance(one, SameLaunch) else _as_numbers(one)
            if slots is None or len(slots) > SLOTS:
                return None
            if isinstance(one, SameLaunch):
                place.gpu, launch.blocks = one.program.address, tuple(one.grid)
            else:
                place.function = one.function.address
            found = self._moving(launch, slots, moves, served.shift, owned)
            if len(found) > WIDES:
                return None
            maps += [(i, table, move) for table, move in found]
        words = (U64 * (len(key[1]) // 8)).from_buffer_copy(key[1])
        starts = (I64 * max(1, len(replay.starts)))(*replay.starts)
        entry = XlaCall(
            words=len(words), key=ctypes.addressof(words), site=key[0], steps=len(done), step=ctypes.addressof(steps),
            launch=ctypes.addressof(launches), room=replay.room, making=len(replay.starts), number=next(_NUMBERS),
            starts=ctypes.addressof(starts), member=None if gate is None else ctypes.addressof(gate.words),
        )  # fmt: skip
        launched = [one.program.address for one in done if isinstance(one, SameLaunch)]
        if len(launched) < len(done):
            if not launched:
                return None
            entry.home = launched[0]
        if replay.watched and not self._watch(entry, replay, owned):
            return None
        return _Kept(entry, served, maps, [*owned, words, starts, steps, launches])

    def _watch(self, entry: XlaCall, replay: Replay, owned: list[Any]) -> bool:
        """Has the host code look at what users' kernels read; whether it can."""
        context = stub.shared_context()
        if context is None:
            return False
        names = [name for noted in replay.watched for name in noted.closure.watched()]
        watches = (WatchedName * max(1, len(names)))(*map(stub.watch, names))
        entry.context, entry.watched, entry.watches = ctypes.addressof(context), len(names), ctypes.addressof(watches)
        owned += [names, watches]
        return replay.fresh()  # behind the names: what they hold now is what was captured

    def _moving(
        self, place: RepeatLaunch, slots: tuple[int, ...], moves: Any, shift: int, owned: list[Any]
    ) -> list[tuple[Maps, Moving]]:  # fmt: skip
        """Fills in what a step's slots hold; returns its tensor maps."""
        words = (U64 * max(SIX, len(slots)))(*slots)
        table = (Moving * max(1, len(moves)))()
        owned += [words, table]
        place.count, place.slots = len(words), ctypes.addressof(words)
        place.moving, place.moves = len(moves), ctypes.addressof(table)
        maps: list[tuple[Maps, Moving]] = []
        for m, (slot, base, delta, of) in zip(table, moves, strict=False):
            m.slot, m.base, m.delta = slot, base if base == KEPT else base + shift, delta
            if of is None:
                continue
            shape, strides = ((I64 * len(values))(*values) for values in (of.shape, of.strides))
            owned += [shape, strides]
            known = self._maps_of(of.table)
            m.maps, m.rank, m.unit = ctypes.addressof(known), len(of.shape), 1
            m.shape, m.strides = ctypes.addressof(shape), ctypes.addressof(strides)
            m.wide = Room.wides.offset + len(maps) * ctypes.sizeof(Wide) - slot * ctypes.sizeof(U64)
            maps.append((known, m))
        return maps

    def _maps_of(self, table: Any) -> Maps:
        """The host code's table of tensor maps of a type."""
        found = self._tables.get(table)
        if found is None:
            raw = bytearray(XLA_MAPS * ctypes.sizeof(TensorMapRecord) + _LINE)
            start = ctypes.addressof(ctypes.c_char.from_buffer(raw))
            found = self._tables[table] = Maps(start + -start % _LINE, XLA_MAPS - 1), raw
        return found[0]

    # -- the table ---

    def _place(self, entry: XlaCall) -> None:
        if self._table is None or 4 * len(self._kept) > self._table[0].mask + 1:
            self._place_all()
        else:
            self._put(ctypes.addressof(self._table[0]), ctypes.addressof(entry))

    def _place_all(self) -> None:
        size = 64
        while size < 8 * len(self._kept):
            size *= 2
        places = (P * size)()
        table = XlaTable(mask=size - 1, calls=ctypes.addressof(places))
        for kept in self._kept.values():
            self._put(ctypes.addressof(table), ctypes.addressof(kept.entry))
        self._gone.append(self._table)
        self._table = table, places
        self._turn(self._at, ctypes.addressof(table))

    def _drop(self, keys: list[Any]) -> None:
        """Takes calls out of the host code's table."""
        for one in keys:
            gone = self._kept.pop(one)
            self._numbers.pop(gone.entry.number)
            self._gone.append(gone)
        self._place_all()

    def _sweep(self) -> None:
        """Lets go of what was dropped, where nobody looks at it any more."""
        if self._gone and self._turn(self._at, None):
            self._gone.clear()

    def _failed(self, frame: int, number: int, step: int, status: int, bases: int) -> int | None:
        """XLA's error for a step that a driver did not take."""
        kept = self._numbers.get(number)
        if kept is None:  # dropped while it was made
            return self._fail(frame, f"the driver's status is {status & 0xFFFF_FFFF}")
        found = (U64 * (kept.shift + kept.bases)).from_address(bases)[kept.shift :]
        return self._fail(frame, str(kept.replay.refused(step, status, found)))


_LINE = 64  # bytes, of which a table of tensor maps begins at a multiple


def _map_key(at: int, move: Moving) -> Any:
    """The key of a tensor map in a table."""
    shape, strides = ((I64 * move.rank).from_address(p or 0) for p in (move.shape, move.strides))
    padding = (0,) * (MOST_RANK - move.rank)
    return (I64 * 12)(at, *shape, *padding, *strides, *padding, 1)


def _as_numbers(action: SameAction) -> tuple[tuple[int, ...] | None, Any]:
    """The arguments of a driver's function, and which of them move; None where it is another function."""
    values = action.args[1:]  # behind what is being done, in words
    if not hasattr(action.function, "address") or len(values) > SIX or not all(type(v) is int for v in values):
        return None, ()
    return tuple(values), tuple((place - 1, base, delta, None) for place, base, delta in action.moves)
