"""Signals of ranks in a kernel (`al.Signals`): how they are made, which of them is meant, and what is done with one.
What it becomes is known to `rank_calls`; that nothing else loads a signal or stores to it is seen to by
`tensor_access.data`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from avelang.frontend import atomic_calls, rank_calls, shapes, tensor_access
from avelang.frontend.frame import Frame
from avelang.frontend.names import SIGNAL, Layout, Tensor, extents
from avelang.frontend.signature import suggest
from avelang.frontend.values import Ref, SignalMethod, SignalRef, describe
from avelang.ir.core import Value
from avelang.ir.dtypes import u32
from avelang.ir.types import GLOBAL, PtrType

Args = dict[str, Any]


def make(f: Frame, a: Args, node: ast.AST) -> SignalRef:
    """`al.Signals(pointer, shape)`. Raises T022, T030."""
    held = tensor_access.data(f, a["pointer"], node)
    pointer = held if isinstance(held, Value) and isinstance(held.type, PtrType) else None
    if pointer is None and isinstance(held, Ref) and held.type.space == GLOBAL:
        whole = tensor_access.whole(f, held)
        if whole.strides[-1:] == (1,) and (len(whole.shape) == 1 or shapes.compact(whole.shape, whole.strides)):
            pointer = f.b.base(whole.value)
    if pointer is None or pointer.type.dtype != u32 or pointer.type.space != GLOBAL:  # type: ignore[union-attr]
        f.fail("T022", node, what="what al.Signals is made of", got=describe(held),
               want="a pointer to u32, or a tensor of u32 without gaps in global memory")  # fmt: skip
    with f.locate(node):
        shape = shapes.as_tuple(extents(a["shape"], "an extent", 1))
        layout = Layout(shape, tensor_access.default_strides(f, shape))
        wanted = Tensor(layout.shape, layout.strides, u32)
    return SignalRef(tensor_access.make_tensor(f, pointer, wanted, node))


def item(f: Frame, base: SignalRef, index: tuple[Any, ...], node: ast.AST) -> SignalRef:
    """`signals[index]`. Raises T341, and what an index of a tensor raises."""
    if not base.shape or len(index) > len(base.shape):
        f.fail("T341", node, got=describe(base), why=f"it has no part of {len(index)} indices")
    tensor_access.coordinates(f, index, base.shape, node)
    return SignalRef(base.words, (*base.index, *index), base.rank)


def attribute(f: Frame, base: SignalRef, name: str, node: ast.AST) -> Any:
    """A method of a signal, or the extents of several. Raises T009."""
    if name == "shape":
        return base.shape
    if name not in SIGNAL:
        told = suggest(name, SIGNAL) or f"it has {', '.join(SIGNAL)}"
        f.fail("T009", node, told, base=describe(base), name=name)
    return SignalMethod(base, name)


def call(f: Frame, method: SignalMethod, a: Args, node: ast.Call) -> Any:
    """A call of what `attribute` has given. Raises T022, T341."""
    return _CALLS[method.name](f, method.signal, a, node)


def _place(f: Frame, s: SignalRef, name: str, node: ast.AST) -> Ref:
    """One signal, as a window of its words."""
    if not s.one:
        f.fail("T341", node, got=describe(s), why=f"say of which one {name} is, such as signals[0]")
    place = tensor_access.subview(f, s.words, s.index, (1,) * len(s.index), None, node)
    return place if s.rank is None else rank_calls.peer(f, place, s.rank, node)


def _at(f: Frame, s: SignalRef, a: Args, node: ast.Call) -> SignalRef:
    if s.rank is not None:
        f.fail("T341", node, got=describe(s), why="a peer's signals are reached from the rank's own")
    return SignalRef(s.words, s.index, a["rank"])


def _send(f: Frame, s: SignalRef, a: Args, node: ast.Call) -> None:
    rank_calls.send(f, _place(f, s, "send", node).value, a["epoch"], node)


def _wait(f: Frame, s: SignalRef, a: Args, node: ast.Call) -> None:
    if s.rank is not None:
        f.fail("T341", node, got=describe(s), why="a rank waits for its own signal, which the peer sends here")
    rank_calls.wait(f, _place(f, s, "wait", node).value, a["at_least"], a["rank"], node)


def _add(f: Frame, s: SignalRef, a: Args, node: ast.Call) -> None:
    place = _place(f, s, "add", node)
    how = {"x": place, "index": (0,) * len(place.shape), "value": a.get("count", 1), "scope": "system"}
    atomic_calls.BUILTIN["atomic_add"](f, {**how, "order": "release"}, node)


def _value(f: Frame, s: SignalRef, a: Args, node: ast.Call) -> Value:
    return rank_calls.value(f, _place(f, s, "value", node).value, node)


_CALLS: dict[str, Callable[[Frame, SignalRef, Args, ast.Call], Any]] = {
    "at": _at, "send": _send, "wait": _wait, "add": _add, "value": _value,
}  # fmt: skip
