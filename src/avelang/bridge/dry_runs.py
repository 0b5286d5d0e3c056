"""Dry runs of functions that launch kernels: a function and the arguments of a call come in; what the call launches, on
which memory, goes to a table of repeated calls (`runtime/repeats.py`).

The function is called with tensors that stand in for its arguments, under a mode that lets views and new memory through
and nothing else; its launches are told of and not run. So they are found for all functions alike, what they check they
have checked, and a function that does anything else with tensors is refused."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from avelang.base.words import CHOICES
from avelang.bridge.descriptions import LIBRARY_NAMES
from avelang.bridge.invariance import invariant
from avelang.bridge.kept_memory import kept_memory
from avelang.runtime import repeats, stub, torch_tensors, torch_watchers
from avelang.runtime.repeats import Bound, Memory, Move, Table

ROOM = 1 << 20  # bytes for what a call makes and nobody gets, kept for each thread and stream
_ROOMS: dict[Any, Any] = {}
LINE = 512  # bytes: parts of one memory begin at multiples of it
NEW = ("empty.memory_format", "empty_strided.default", "empty_like.default", "new_empty.default",
       "new_empty_strided.default")  # fmt: skip


def quiet(torch: Any) -> bool:
    """True where nobody watches torch."""
    return torch_watchers.quiet(torch)


def table_for(name: str) -> Table | None:
    """A table for a function of that name, where host code can read this torch's tensors and ask it who watches; to be
    called where nobody does."""
    context = stub.shared_context()
    checks = torch_watchers.checks() if context is not None and torch_tensors.layout() is not None else None
    if checks is None:
        return None
    return Table(name, context, checks, (invariant.word.address, CHOICES.address), list(LIBRARY_NAMES.values()))


class _Other(Exception):
    """A call that does something else than to launch kernels on its arguments and new memory."""


def _standing_in(torch: Any, x: Any) -> Any:
    """A tensor with the memory of another one, and a storage of its own."""
    whole = x.untyped_storage()
    storage = torch._C._construct_storage_from_data_pointer(whole.data_ptr(), x.device, whole.nbytes())
    made = torch.empty(0, dtype=x.dtype, device=x.device).set_(storage, x.storage_offset(), x.shape, x.stride())
    return made if type(x) is torch.Tensor else type(x)(made, requires_grad=False)


@functools.cache
def _mode() -> type:
    """The class of torch's modes that notes new memory, and refuses all that is neither that nor a view."""
    base: Any = import_module(sys.modules["torch"].__name__ + ".utils._python_dispatch").TorchDispatchMode

    class Noting(base):
        def __init__(self) -> None:
            super().__init__()
            self.made: list[Any] = []

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            new = func.__name__ in NEW
            if not new and not func.is_view:
                raise _Other(func.__name__)
            out = func(*args, **(kwargs or {}))
            if new:
                self.made.append(out)
            return out

    return Noting


def _storage(x: Any) -> int:
    return x.untyped_storage()._cdata


class _Found:
    """What a dry run has found: the launches, with what moves from call to call."""

    def __init__(self, torch: Any, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]):
        self.torch = torch
        tensors = torch.Tensor, torch.nn.Parameter

        def given(x: Any) -> Any:
            return _standing_in(torch, x) if type(x) in tensors else x

        one, two = tuple(map(given, args)), {name: given(x) for name, x in kwargs.items()}
        self.inputs = [x for x in (*one, *two.values()) if type(x) in tensors]
        with repeats.dry() as launched, _mode()() as noting:
            out = fn(*one, **two)
        self.launched, self.made = list(launched), noting.made
        self.foreign: list[Any] = []
        self.room: Any = None
        self.roots = {_storage(x): (x, i) for i, x in enumerate([*self.inputs, *self.made])}
        self.single = not isinstance(out, tuple)
        self.results: list[Any] = [out] if self.single else list(out)
        self.low = 127 if any(x.is_cuda for x in self.inputs) else 63  # torch's memory on the CPU begins at any 64

    def moves(self) -> list[list[tuple[int, int, int]]]:
        """For each launch the arguments that move: number, number of the root, bytes from its beginning. Raises _Other
        for a kernel that writes to what came in."""
        found: list[list[tuple[int, int, int]]] = []
        for one in self.launched:
            places = []
            for i, x, written in repeats.arrays_of(one):
                if not isinstance(x, self.torch.Tensor):
                    raise _Other("an array of another library")
                root = self.roots.get(_storage(x))
                if root is None:
                    self._check_foreign(x)
                    if repeats.is_map(one, i):
                        places.append((i, -1, x.data_ptr()))
                    continue
                if written and root[1] < len(self.inputs):
                    raise _Other("written to")
                places.append((i, root[1], x.data_ptr() - root[0].data_ptr()))
            found.append(places)
        return found

    def _check_foreign(self, x: Any) -> None:
        """Notes memory that is neither an argument's nor new. Raises _Other where it is an argument's all the same, by
        a way that torch does not see."""
        for root, _ in self.roots.values():
            whole = root.untyped_storage()
            if 0 <= x.data_ptr() - whole.data_ptr() < whole.nbytes():
                raise _Other("memory of an argument's by another way")
        self.foreign.append(x)

    def memory(self, used: set[int]) -> tuple[list[Memory], dict[int, tuple[int, int]]]:
        """New memory, that of results first; and for each root that launches use (`used`) where it lies: which of what
        comes in and is made (-1: memory that is kept), and bytes from its beginning (or its address). Raises
        _Other."""
        torch, memory, count = self.torch, [], len(self.inputs)
        where = {-1: (-1, 0)} | {i: (i, 0) for i in range(count)}
        for x in self.results:
            root = self.roots.get(_storage(x)) if type(x) is torch.Tensor else None
            span = sum((n - 1) * s for n, s in zip(x.shape, x.stride(), strict=True)) + 1 if root is not None else 0
            if root is None or root[1] in where or not x.numel():
                raise _Other("a result that is no new memory")
            whole = root[0].data_ptr(), root[0].dtype, root[0].numel(), root[0].numel()
            if (x.data_ptr(), x.dtype, x.numel(), span) != whole:
                raise _Other("a result that is a part")
            where[root[1]] = count + len(memory), 0
            memory.append(self._new(tuple(x.shape), x.stride(), x.dtype, x.device, x.data_ptr() & self.low))
        rest, size = [i for i in sorted(used) if i not in where], 0
        for i in rest:
            x = self.made[i - count]
            if x.data_ptr() & self.low:
                raise _Other("memory off a line")
            where[i] = count + len(memory), size
            size += -(-x.untyped_storage().nbytes() // LINE) * LINE
        if rest:
            device = self.made[rest[0] - count].device
            self.room = self._room(size, device)
            if self.room is None:
                memory.append(self._new((size,), (1,), torch.uint8, device, 0))
            else:
                where |= {i: (-1, self.room.data_ptr() + where[i][1]) for i in rest}
        return memory, where

    def _room(self, size: int, device: Any) -> Any:
        """Memory for what nobody gets, kept for this thread and this stream, whose launches run one after another; None
        for much, and where a graph is captured, which may run beside another stream's calls."""
        first, cuda = self._on_gpu(), self.torch.cuda
        if size > ROOM or first is not None and (not first.entry.stream or cuda.is_current_stream_capturing()):
            return None
        key = device, threading.get_ident(), 0 if first is None else first.slots[first.entry.slots - 1]
        if key not in _ROOMS:
            raw = kept_memory(device, ROOM + LINE, self.torch.uint8, zeros=False)
            _ROOMS[key] = raw[-raw.data_ptr() % LINE :]
        return _ROOMS[key]

    def _on_gpu(self) -> Any:
        return next((x for x in self.launched if x.entry.gpu), None)

    def _new(self, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any, device: Any, low: int) -> Memory:
        """Memory by the function that torch's own compiled graphs call, which takes the thread's device."""
        quick = getattr(getattr(self.torch._C._dynamo, "guards", None), f"_empty_strided_{device.type}", None)
        if quick is not None:
            return Memory(quick, (shape, strides, dtype), (), low, self.low)
        return Memory(self.torch.empty_strided, (shape, strides, dtype, device), ("dtype", "device"), low, self.low)

    def bound(self) -> Bound | None:
        """The thread and stream of launches with memory that is neither an argument nor new."""
        if not self.foreign and self.room is None:
            return None
        first = self._on_gpu()
        stream = 0 if first is None else first.slots[first.entry.slots - 1]
        quick = getattr(self.torch._C, "_cuda_isCurrentStreamCapturing", self.torch.cuda.is_current_stream_capturing)
        return Bound(threading.get_ident(), stream, quick)


def keep(
    fn: Callable[..., Any], table: Table, key: bytes, args: Sequence[Any], kwargs: dict[str, Any], last: bool
) -> None:
    """Keeps in a table what a call of a function launches, or that it does something else. `last`: also where it may
    have been something that passes."""
    torch: Any = sys.modules["torch"]
    tensors = torch.Tensor, torch.nn.Parameter
    # A key has the addresses of objects.
    values = [x for x in (*args, *kwargs.values()) if type(x) not in tensors], tuple(kwargs)
    try:
        found = _Found(torch, fn, args, kwargs)
        moves = found.moves()
        if found.foreign:  # what is kept is there again, at its place
            second = _Found(torch, fn, args, kwargs)
            second.moves()
            if [x.data_ptr() for x in found.foreign] != [x.data_ptr() for x in second.foreign]:
                raise _Other("memory that is neither new nor kept")
        memory, where = found.memory({root for each in moves for _, root, _ in each})
        launches = [(one, [Move(i, where[root][0], where[root][1] + delta) for i, root, delta in places])
                    for one, places in zip(found.launched, moves, strict=True)]  # fmt: skip
        for one in found.launched:  # what stands in has no memory of its own
            one.arguments[:] = [(param, x if repeats.is_map(one, i) else None)
                                for i, (param, x) in enumerate(one.arguments)]  # fmt: skip
        table.keep(key, launches, memory, 0 if found.single else len(found.results), found.bound(),
                   (values, found.foreign, found.room))  # fmt: skip
    except (_Other, ValueError):
        table.refuse(key, values)
    except Exception:  # a launch that the host code does not know yet, no memory, or whatever a function raises
        if last:
            table.refuse(key, values)
