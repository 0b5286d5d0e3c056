"""Calls of operations by XLA like ones before: buffers come in; what the host function has launched the last times, on
the same places of other memory, goes to the driver, without the host function.

A call is like another one where text (operation and options), shapes, dtypes, the last bits of addresses, device and
stream are the same, and what else host functions may look at: the tuner's tables. It is repeated after two calls whose
launches were the same but for addresses in buffers and new memory, and so was what stood between them. Host functions
of Ave are made so (`runtime/repeats.py` does the same in torch), and users say it: `@op(launches_only)`."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from avelang.base import knobs
from avelang.base.errors import AveError
from avelang.base.words import CHOICES
from avelang.bridge.descriptions import ave_dtype
from avelang.bridge.device_views import ALIGNED, Memory
from avelang.ir.dtypes import numpy_dtype
from avelang.runtime import interception, launch_log, tensor_maps
from avelang.runtime.arrays import Array
from avelang.runtime.native import native

LOW = ALIGNED - 1  # bits of addresses at which host functions look
TRIES = 4  # notes of a call until two follow one another that are alike
MOST = 4096  # calls that are known
MAPS = 512  # addresses of which a launch knows a tensor map
KEPT = -1  # in place of the number of a memory: an address that stays
OWN = ("avelang.", "avelang_kernels.")


class Map(NamedTuple):
    """A tensor map among the arguments: its table, and the array's shape and strides."""

    table: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class SameLaunch(NamedTuple):
    """A launch as far as it is the same each time: `slots` with 0 for what moves; `moves`: slot, number of the memory,
    bytes from its beginning, and for tensor maps what they are of (of memory that is kept, too: KEPT, and where)."""

    program: Any
    grid: tuple[int, ...]
    slots: tuple[int, ...]
    moves: tuple[tuple[int, int, int, Map | None], ...]


class SameAction(NamedTuple):
    """A call between launches: `moves` as of `SameLaunch`, of arguments."""

    function: Callable[..., None]
    args: tuple[Any, ...]
    moves: tuple[tuple[int, int, int], ...]


class _Noted:
    """Memory of a call that is noted: what it takes beside the buffers."""

    def __init__(self, room: Memory):
        self._room, self.taken = room, list[tuple[int, int]]()

    def take(self, size: int) -> int:
        """As of `Memory`."""
        address = self._room.take(size)
        self.taken.append((address, size))
        return address


class _Pattern(NamedTuple):
    """What a call has launched, by its notes; `sizes` of new memory."""

    done: tuple[SameLaunch | SameAction, ...]
    sizes: tuple[int, ...]


class Replay:
    """A call that can be made again."""

    def __init__(self, form: _Pattern, log: launch_log.Log, member: Any):
        self.form, self.log, self.member = form, log, member  # lives as long: memory that launches have of it
        self.starts, self.room = list[int](), 0
        for size in form.sizes:
            self.starts.append(self.room)
            self.room += -(-size // ALIGNED) * ALIGNED
        self.grids = [(ctypes.c_uint32 * 3)(*one.grid) if isinstance(one, SameLaunch) else None for one in form.done]
        self.within: Callable[[], Any] = contextlib.nullcontext
        if member is not None and not all(isinstance(one, SameLaunch) for one in form.done):
            self.within = member.placed
        self.launch = native().launch_gpu
        self.maps: list[dict[Any, Any]] = [{} for _ in form.done]
        self.watched = [n for n in log.done if isinstance(n, launch_log.Noted) and not n.module.startswith(OWN)]

    def fresh(self) -> bool:
        """True while all that users' kernels read is as it was."""
        return all(n.closure.snapshot() == n.captured for n in self.watched)

    def again(self, bases: list[int], room: Memory) -> list[int]:
        """Launches on buffers at these addresses; returns them with those of new memory. Raises L032."""
        if self.room:
            first = room.take(self.room)
            bases = bases + [first + at for at in self.starts]
        if self.member is not None:
            self.member.repeating()
        with self.within():
            for i, one in enumerate(self.form.done):
                if isinstance(one, SameLaunch):
                    self._launch(i, one, bases)
                    continue
                args = list(one.args)
                for place, base, delta in one.moves:
                    args[place] = bases[base] + delta
                one.function(*args)
        return bases

    def refused(self, step: int, status: int, bases: list[int]) -> AveError:
        """The error for the status of a step on memory that begins there."""
        noted, one = self.log.done[step], self.form.done[step]
        if not isinstance(noted, launch_log.Noted):
            return noted.function.failed(noted.args[0], status)
        call, values = noted.call, [*noted.call.bound.values]
        for slot, base, delta, *_ in one.moves:
            values[slot] = dataclasses.replace(values[slot], address=delta + (0 if base == KEPT else bases[base]))
        bound = dataclasses.replace(call.bound, values=values)
        return noted.program.refused(status, call.at, bound, call.names, call.stream)

    def _launch(self, i: int, one: SameLaunch, bases: list[int]) -> None:
        program, _, slots, moves = one
        words = (ctypes.c_uint64 * len(slots))(*slots)  # of this call: other threads make it too
        kept = []
        for slot, base, delta, of in moves:
            at = delta if base == KEPT else bases[base] + delta
            if of is not None:
                kept.append(self.maps[i].get((slot, at)) or self._map(i, program, slot, at, of))
                at = ctypes.addressof(kept[-1])
            words[slot] = at
        status = self.launch(program.address, words, self.grids[i])
        if status:
            raise self.refused(i, status, bases)

    def _map(self, i: int, program: Any, slot: int, address: int, of: Map) -> Any:
        """The driver's words for an array at an address, kept for this slot."""
        known = self.maps[i]
        if len(known) >= MAPS:
            known.clear()
        driver, device = program.device.driver, program.device
        with driver.on(device, f"encoding a tensor map on {device.name}"):
            found = known[slot, address] = tensor_maps.made(driver, of.table, address, of.shape, of.strides)
        return found


class Served(NamedTuple):
    """A call that was made again: by what, and where its memories began. `shift`: buffers of XLA's call before those;
    `only_here`: it is one place of a compiled program."""

    replay: Replay
    bases: list[int]
    shift: int = 0
    only_here: bool = False


_KNOWN: dict[Any, Any] = {}  # by key: 0 and more (calls so far), a form and its log, a replay, or None: never
_CHOICES = ctypes.c_uint64.from_address(CHOICES.address)


def forget() -> None:
    """Forgets all calls."""
    _KNOWN.clear()


def call(
    text: str, buffers: Sequence[Any], stream: int, room: Memory, member: Any, host: Callable[[Memory], None]
) -> Served | None:  # fmt: skip
    """Makes a call: `host(room)` (then returns None), or what that has launched. `member`: of a call of several ranks,
    the one's that it is; its memory is there for all calls."""
    bases = [b.address for b in buffers]
    key: tuple[Any, ...] = (text, stream, id(member), _CHOICES.value,
                            *((b.shape, b.dtype, b.address & LOW) for b in buffers))  # fmt: skip
    if len(set(bases)) < len(bases):
        key = (*key, *map(bases.index, bases))  # an array that comes twice
    known = _KNOWN.get(key, 0)
    if known is None or knobs.checks() or interception.waiting():
        host(room)
        return None
    if type(known) is Replay:
        if known.member is member and known.fresh():
            return Served(known, known.again(bases, room))
        known = 0
    if known == 0:
        if len(_KNOWN) >= MOST:
            _KNOWN.clear()
        host(room)  # kernels are compiled, and what is kept is made
        _KNOWN[key] = 1
        return None
    mine = _Noted(room)
    with launch_log.noting() as log:
        host(mine)
    roots = [(b.address, _bytes(b)) for b in buffers] + mine.taken
    spans = sorted({(a, a + n) for a, n in roots if n})
    if any(end > begin for (_, end), (begin, _) in itertools.pairwise(spans)):
        return None  # one memory under two names: another call may say which is which
    tries, before = known if type(known) is tuple else (0, None)
    form = _form(log, roots, tuple(n for _, n in mine.taken))
    if form is None or tries == TRIES:
        _KNOWN[key] = None
    else:
        _KNOWN[key] = Replay(form, log, member) if form == before else (tries + 1, form)
    return None


def _form(log: launch_log.Log, roots: Sequence[tuple[int, int]], sizes: tuple[int, ...]) -> _Pattern | None:
    """What was done with the places of its memory; None where it cannot be done again."""
    if not log.whole or not log.done:
        return None
    made: list[SameLaunch | SameAction] = []
    for noted in log.done:
        one = _launch(noted, roots) if isinstance(noted, launch_log.Noted) else _action(noted, roots)
        if one is None:
            return None
        made.append(one)
    return _Pattern(tuple(made), sizes)


def _action(noted: launch_log.Acted, roots: Sequence[tuple[int, int]]) -> SameAction:
    args, moves = list(noted.args), []
    for place in noted.places:
        root = _root(args[place], roots)
        if root is not None:
            moves.append((place, *root))
            args[place] = 0
    return SameAction(noted.function, tuple(args), tuple(moves))


def _launch(noted: launch_log.Noted, roots: Sequence[tuple[int, int]]) -> SameLaunch | None:
    call, program = noted.call, noted.program
    bound, specs = call.bound, call.params.runtime
    slots, moves = [*bound.slots, call.stream], []
    for i, (spec, value) in enumerate(zip(specs, bound.values, strict=True)):
        is_array = isinstance(value, Array)
        root = _root(value.address if is_array else slots[i], roots)
        if not is_array:
            if root is not None:
                return None  # an address as a number
            continue
        of = None
        if spec.map is not None:
            table = tensor_maps.table(spec.map, program.device.driver.kind, spec.name in program.writes)
            of = Map(table, tuple(value.shape), tuple(value.strides))
            root = (KEPT, value.address) if root is None else root
        if root is not None:
            moves.append((i, *root, of))
            slots[i] = 0
    return SameLaunch(program, tuple(call.at.grid), tuple(slots), tuple(moves))


def _root(address: int, roots: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Which memory an address is in, and how far from its beginning."""
    for number, (begin, size) in enumerate(roots):
        if begin <= address < begin + size:
            return number, address - begin
    return None


def _bytes(b: Any) -> int:
    return math.prod(b.shape) * numpy_dtype(ave_dtype(b.dtype)).itemsize
