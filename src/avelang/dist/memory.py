"""Symmetric memory: one buffer of each rank, in which a tensor lies at the same place in all of them; and the words by
which a kernel finds them (`al.Ranks`)."""

from __future__ import annotations

import abc
import ctypes
import itertools
import math
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from avelang.base.errors import error
from avelang.dist.copies import CopyQueue, by_thread
from avelang.frontend.rank_calls import ALIGNED, DELTAS, GIVE_UP, LATE_LINE, LATE_RANK, WHAT, WHO

CONTROL = 256  # bytes at the start of each rank's memory: the control words
BYTES = 1 << 24  # of symmetric memory, where nothing else is said
VIEWS = 512  # of symmetric memory that a member keeps, to be asked for again


class Symmetric:
    """A tensor in symmetric memory: `tensor[r]` is rank r's array, where this process can see it."""

    __slots__ = ("arrays", "offset")

    def __init__(self, arrays: Sequence[np.ndarray | None], offset: int):
        self.arrays, self.offset = tuple(arrays), offset

    def __getitem__(self, rank: int) -> np.ndarray:
        """The array of a rank."""
        found = self.arrays[rank]
        assert found is not None
        return found

    def __len__(self) -> int:
        return len(self.arrays)

    def __repr__(self) -> str:
        a = next(a for a in self.arrays if a is not None)
        return f"<symmetric {a.dtype} {a.shape} of {len(self)} ranks>"


MEMBERS: weakref.WeakValueDictionary[str, Member] = weakref.WeakValueDictionary()  # by name
_NUMBERS = itertools.count()


def numbered(kind: str) -> str:
    """A name that no group had before: operations remember by it what their calls give, and how many ranks there are is
    a part of that. An address is no name, since another group may lie there later."""
    return f"{kind} {next(_NUMBERS)}"


class Member(abc.ABC):
    """One rank among `ranks`, with its symmetric memory: what programs of one rank are given. `World.run` makes those
    that live in one process, `connect` one of many processes.

    `heaps[r]`: uint8, the symmetric memory of rank r as this process sees it; `team`: what a kernel's parameter of type
    `al.Ranks` takes; `limit`: seconds that a launch may wait for other ranks."""

    rank: int
    ranks: int
    limit: float
    team: Any
    heaps: Sequence[Any]
    name: str
    device: Any = "cpu"
    BLOCKS = PIECE_BLOCKS = 2  # of a launch beside a product, and of collectives by pieces, the same in every call
    copies = False  # whether `copying` can be asked
    recording = False  # whether what is launched now goes into a CUDA graph

    def __init__(self) -> None:
        self._places = Places(len(self.heaps[self.rank]), f"rank {self.rank}")
        self._kept: dict[Any, Any] = {}
        self._views: dict[Any, Symmetric] = {}  # those of `at` that were asked for before
        MEMBERS[self.name] = self

    def empty(self, shape: int | Sequence[int], dtype: Any) -> Symmetric:
        """A tensor in symmetric memory, with zeros at first. All ranks ask for the same in the same order. Raises
        L082."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        offset = self._places.take(math.prod(shape) * np.dtype(dtype).itemsize)
        return Symmetric([self.view(h, offset, shape, dtype) for h in self.heaps], offset)

    def at(self, offset: int, shape: int | Sequence[int], dtype: Any) -> Symmetric:
        """The symmetric tensor at an offset that `empty` has given: other shapes and dtypes of the same memory."""
        key = offset, shape, dtype
        found = self._views.get(key)
        if found is None:
            if len(self._views) >= VIEWS:
                self._views.clear()
            shape = (shape,) if isinstance(shape, int) else tuple(shape)
            found = self._views[key] = Symmetric([self.view(h, offset, shape, dtype) for h in self.heaps], offset)
        return found

    @property
    def left(self) -> int:
        """Bytes of symmetric memory that nobody has asked for yet."""
        return self._places.size - self._places.at

    def view(self, heap: Any, offset: int, shape: Sequence[int], dtype: Any) -> Any:
        """A part of a rank's memory as an array."""
        return view(heap, offset, shape, dtype)

    def kept(self, key: Any, make: Callable[[], Any]) -> Any:
        """The value that was made under a key before, or is made now: workspaces of operations."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    @abc.abstractmethod
    def exchange(self, value: Any) -> list[Any]:
        """Each rank's value (which can be pickled), by rank. All ranks call it; raises L083 where one does not come."""
        ...

    @abc.abstractmethod
    def launch(self, kernel: Any, grid: Any, block: Any, *args: Any, **kwargs: Any) -> None:
        """Launches a kernel on this rank; a `Symmetric` among the arguments is this rank's array. On the CPU the launch
        has ended when this returns. Raises L080."""
        ...

    def placed(self) -> AbstractContextManager[Any]:
        """A context in which this thread's device is the member's."""
        return nullcontext()

    def beside(self) -> AbstractContextManager[Any]:
        """A context whose launches go on beside those that follow it, until `joined`. On the CPU, where a launch has
        ended when it returns, it is nothing."""
        return nullcontext()

    def joined(self) -> None:  # noqa: B027 - most members have one stream
        """Puts all later launches behind those of `beside`."""

    def copying(self, work: Callable[[CopyQueue], None]) -> AbstractContextManager[None]:
        """`with member.copying(work): launches`: `work(queue)` copies, waits and signals beside the launches, and has
        ended behind `with`. For members with `copies`."""
        return by_thread(self, work)

    def share(self, units: int) -> int:
        """The number of a device's `units` that a kernel may fill while it waits for other ranks."""
        return units

    def own(self, value: Any) -> Any:
        """An argument of `launch` as it is on this rank."""
        return value[self.rank] if isinstance(value, Symmetric) else value

    def agree(self, function: str, **what: Any) -> None:
        """Raises L081 where the ranks do not make one call, or do not say the same of it: sizes, dtypes, options."""
        for rank, call in enumerate(self.exchange((function, what))):
            # Ranks meet at launches, too.
            called, said = call if isinstance(call, tuple) else ("a kernel", {})
            if called != function:
                raise error("L081", function=function, why=f"rank {rank} calls `{called}`, rank {self.rank} this")
            for name, value in what.items():
                if said[name] != value:
                    why = f"`{name}` is {value} on rank {self.rank} and {said[name]} on rank {rank}"
                    raise error("L081", function=function, why=why)


class Places:
    """The places of tensors in symmetric memory of `size` bytes, one behind another: ranks that ask for the same sizes
    in the same order get the same places."""

    def __init__(self, size: int, whose: str):
        self.size, self.whose, self.at = size, whose, CONTROL

    def take(self, nbytes: int) -> int:
        """The offset of so many bytes. Raises L082."""
        offset, self.at = self.at, self.at + -(-max(nbytes, 1) // ALIGNED) * ALIGNED
        if self.at > self.size:
            self.at = offset
            hint = f"ask for more when it is made: bytes={1 << (offset + nbytes).bit_length()}"
            raise error("L082", rank=self.whose, left=self.size - offset, want=nbytes, hint=hint)
        return offset


def view(heap: np.ndarray, offset: int, shape: Sequence[int], dtype: Any) -> np.ndarray:
    """An array at an offset of a rank's memory."""
    d = np.dtype(dtype)
    return heap[offset : offset + math.prod(shape) * d.itemsize].view(d).reshape(tuple(shape))


def words(rank: int, control: int, deltas: Sequence[int], ends: int = 0) -> np.ndarray:
    """The words of `al.Ranks` for a rank, i64. `control`: the address of its control words; `deltas`: bytes from its
    symmetric memory to that of each rank; `ends`: the address of the word that ends waits, where that is elsewhere."""
    assert not any(d % ALIGNED for d in deltas)
    table = np.zeros(DELTAS + len(deltas), np.int64)
    table[:DELTAS], table[DELTAS:] = (rank, len(deltas), control, ends or control + GIVE_UP), deltas
    return table


def give_up(control: np.ndarray, value: int = 1) -> None:
    """Ends the waits of a rank (`control`: its control words, uint8), or (0) allows them again."""
    control[GIVE_UP : GIVE_UP + 4].view(np.uint32)[0] = value
    if not value:
        forget(control)


def told(control: np.ndarray) -> ctypes.c_uint64:
    """The word that is not 0 where a wait has ended in vain, to be looked at often."""
    return ctypes.c_uint64.from_address(control.__array_interface__["data"][0] + WHO)


def forget(control: np.ndarray) -> None:
    """The wait that ended in vain has been told."""
    control[WHO : WHAT + 8] = 0


def late(control: np.ndarray) -> dict[str, Any] | None:
    """The wait that ended in vain, of a rank's control words: fields of L080; None where there was none."""
    who, what = (int(control[at : at + 8].view(np.uint64)[0]) for at in (WHO, WHAT))
    if not who:
        return None
    block, line = who & (1 << LATE_LINE) - 1, who >> LATE_LINE & (1 << LATE_RANK - LATE_LINE) - 1
    seen, epoch = what >> 32, what & 0xFFFFFFFF
    why = f": its signal is {seen}, epoch {epoch} is waited for"
    return {"peer": (who >> LATE_RANK) - 1, "why": why, "where": f"block {block}, line {line}"}
