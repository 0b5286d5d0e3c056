"""What the judge knows of `al.nvvm` and `al.amdgpu`: atomic operations, asynchronous copies, raw buffers; and of `al.target()`.

A copy lands where its thread waits for it: until then nobody may read or write the place. Products and what lanes find out about one another are not here:
the judge's threads meet for them (`judge.TOGETHER`).
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from fuzz import numbers
from fuzz.numbers import KINDS, Kind
from fuzz.values import ATOMIC, READ, WRITE, Memory, Num, Run, Tensor, Undefined, touch, typed, vector

I32, U32 = KINDS["i32"], KINDS["u32"]


def target() -> types.SimpleNamespace:
    """The wave tells the vendor: 64 lanes, AMD; 32, NVIDIA."""
    return types.SimpleNamespace(vendor="amd" if Run.wave == 64 else "nvidia", wave=Run.wave)


# -- atomic operations ---------------------------------------------------------------------------------------------------------------------------

UPDATES: dict[str, Callable[[Any, Any, Kind], Any]] = {
    "add": lambda old, v, k: numbers.binary("add", old, v, k), "min": lambda old, v, k: min(old, v), "max": lambda old, v, k: max(old, v),
    "and": lambda old, v, k: numbers.binary("and", old, v, k), "or": lambda old, v, k: numbers.binary("or", old, v, k),
    "xor": lambda old, v, k: numbers.binary("xor", old, v, k), "exch": lambda old, v, k: v,
    "inc": lambda old, v, k: 0 if old >= v else old + 1, "dec": lambda old, v, k: v if old == 0 or old > v else old - 1,
}  # fmt: skip


def _update(name: str, t: Tensor, at: int, value: Any) -> Num:
    value = typed(value)
    if value.k is not t.k:
        raise Undefined("an atomic operation on a word of another kind")
    old = t.get(at, ATOMIC)
    t.put(at, Num(t.k, UPDATES[name](old.v, value.v, t.k)), ATOMIC)
    return old


def _nvidia_atomic(name: str) -> Callable[..., Num]:
    return lambda dst, value, order=0: _update(name, dst, dst.base, value)


def atomic_add(byte_offset: Any, value: Any, tensor: Tensor, scope: int = 1) -> Num:
    return _update("add", tensor, tensor.base + int(byte_offset), value)


# -- copies that run beside the threads ------------------------------------------------------------------------------------------------------------


def _begin(m: Memory, at: int, data: bytes) -> None:
    if not 0 <= at <= len(m.data) - len(data):
        raise Undefined("memory outside")
    touch(m, at, len(data), WRITE)
    m.known[at : at + len(data)] = bytes(len(data))
    Run.copies.setdefault(Run.thread, [[]])[-1].append((m, at, data))


def _land(group: list[Any]) -> None:
    for m, at, data in group:
        touch(m, at, len(data), WRITE)
        m.data[at : at + len(data)] = data
        m.known[at : at + len(data)] = b"\1" * len(data)


def _raw(m: Memory, at: int, size: int) -> bytes:
    if not 0 <= at <= len(m.data) - size or not all(m.known[at : at + size]):
        raise Undefined("memory outside, or that nothing wrote")
    touch(m, at, size, READ)
    return bytes(m.data[at : at + size])


def _cp_async(size: int) -> Callable[..., None]:
    def copy(dst: Tensor, src: Tensor, bytes: Any = size, **_: Any) -> None:
        count = int(bytes)
        if dst.base % size or src.base % size or count > size:
            raise Undefined("a copy that is not aligned")
        _begin(dst.memory, dst.base, _raw(src.memory, src.base, count) + b"\0" * (size - count))

    return copy


def commit() -> None:
    Run.copies.setdefault(Run.thread, [[]]).append([])


def wait(pending: int) -> None:
    groups = Run.copies.setdefault(Run.thread, [[]])
    while len(groups) - 1 > int(pending):
        _land(groups.pop(0))


def wait_all() -> None:
    commit()
    wait(0)


# -- raw buffers ---------------------------------------------------------------------------------------------------------------------------------


class Resource:
    def __init__(self, tensor: Tensor, limit: int):
        self.tensor, self.limit = tensor, limit


def _inside(r: Resource, offset: int, size: int) -> bytes:
    """Outside of the range is zero."""
    return _raw(r.tensor.memory, r.tensor.base + offset, size) if offset + size <= r.limit else bytes(size)


def _word(value: Any) -> int:
    return numbers.wrap(typed(value).v, U32)


def _load(count: int) -> Callable[..., Any]:
    def load(r: Resource, voffset: Any, soffset: Any, aux: int = 0) -> Any:
        at = _word(voffset) + _word(soffset)
        words = [Num(I32, numbers.from_bits(int.from_bytes(_inside(r, at + 4 * j, 4), "little"), I32)) for j in range(count)]
        return words[0] if count == 1 else vector(words, (count,))

    return load


def _store(count: int) -> Callable[..., None]:
    def store(data: Any, r: Resource, voffset: Any, soffset: Any, aux: int = 0) -> None:
        at = _word(voffset) + _word(soffset)
        for j, word in enumerate(data.items() if isinstance(data, Tensor) else [data]):
            if at + 4 * j + 4 <= r.limit:
                whole = Tensor(r.tensor.memory, I32, (1,), base=r.tensor.base + at + 4 * j)
                whole.put(whole.base, word)

    return store


def load_lds(r: Resource, lds: Tensor, size: int, vindex: Any, soffset: Any, offset: int = 0, aux: int = 0) -> None:
    """Lane l's word goes to lds + offset + 4 l; `lds` is the same in all lanes of a wave."""
    if size != 4:
        raise Undefined("a size that not all chips have")
    data = _inside(r, _word(vindex) + _word(soffset) + offset, size)
    _begin(lds.memory, lds.base + offset + 4 * (Run.thread % Run.wave), data)


def s_waitcnt(vmcnt: int, expcnt: int, lgkmcnt: int) -> None:
    """The oldest come back first, one after another."""
    under_way = Run.copies.setdefault(Run.thread, [[]])[-1]
    while len(under_way) > vmcnt:
        _land([under_way.pop(0)])


def nvvm() -> types.SimpleNamespace:
    out = types.SimpleNamespace(**{f"atomic_{name}": _nvidia_atomic(name) for name in UPDATES})
    out.cp_async_x4, out.cp_async_x8, out.cp_async_x16 = (_cp_async(size) for size in (4, 8, 16))
    out.cp_async_commit_group, out.cp_async_wait_group, out.cp_async_wait_all = commit, wait, wait_all
    return out


def amdgpu() -> types.SimpleNamespace:
    out = types.SimpleNamespace(atomic_add=atomic_add, s_waitcnt=s_waitcnt, raw_buffer_load_x1_lds=load_lds)
    out.make_rsrc = lambda tensor, range_bytes: Resource(tensor, _word(range_bytes))
    for count in (1, 2, 4):
        setattr(out, f"raw_buffer_load_x{count}", _load(count))
        setattr(out, f"raw_buffer_store_x{count}", _store(count))
    return out
