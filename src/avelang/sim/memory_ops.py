"""Memory ops: tensors with layouts, pointers, loads and stores of whole waves, with each coordinate checked against its
extent."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from avelang.ir.core import Op, Value
from avelang.ir.dtypes import DType
from avelang.ir.types import LOCAL, PtrType, TensorType, VecType, dtype_of
from avelang.sim.address_space import AccessFault
from avelang.sim.ops import Fn, unsigned
from avelang.sim.reference_program import Env, ReferenceProgram, Step, tensor_bytes
from avelang.sim.registers import Held
from avelang.sim.wave import ReferenceWave

Dim = int | np.ndarray  # known when compiled, or int64 (lanes,)


@dataclasses.dataclass(frozen=True, slots=True)
class TensorValue:
    """A tensor at run time: int64 (lanes,) `address` of its first element, extents and strides in elements, and a name
    for messages."""

    address: np.ndarray
    shape: tuple[Dim, ...]
    strides: tuple[Dim, ...]
    name: str


def merge(mask: np.ndarray, a: Any, b: Any) -> Any:
    """`a` in the lanes of the mask, `b` in the others: of values of any type."""
    if a is b:
        return a
    if isinstance(a, TensorValue):
        dims = ([merge(mask, x, y) for x, y in zip(m, n, strict=True)]
                for m, n in ((a.shape, b.shape), (a.strides, b.strides)))
        shape, strides = map(tuple, dims)
        name = a.name if a.name == b.name else f"{a.name} or {b.name}"
        return TensorValue(merge(mask, a.address, b.address), shape, strides, name)
    a, b = (x.read(None) if isinstance(x, Held) else x for x in (a, b))
    if isinstance(a, int):  # a static extent, the same on both sides as it is part of the type
        return a
    return np.where(mask if a.ndim == 1 else mask[:, None], a, b)


def at_lane(d: Dim, lane: int) -> int:
    """The value of an extent or a stride in one lane."""
    return d if isinstance(d, int) else int(d[lane])


def _dims(p: ReferenceProgram, t: TensorType,
          values: list[Value]) -> Callable[[Env], tuple[tuple[Dim, ...], tuple[Dim, ...]]]:
    """From an `env` to (shape, strides): `values` are the operands for the `?` of the layout, extents first."""
    if None not in (*t.shape, *t.strides):
        fixed = tuple(x or 0 for x in t.shape), tuple(x or 0 for x in t.strides)
        return lambda env: fixed
    slots = iter([p.slot(v) for v in values])
    plan = [(x, next(slots) if x is None else -1) for x in (*t.shape, *t.strides)]
    n = len(t.shape)

    def dims(env: Env) -> tuple[tuple[Dim, ...], tuple[Dim, ...]]:
        all_ = tuple(x if x is not None else env[slot].astype(np.int64) for x, slot in plan)
        return all_[:n], all_[n:]

    return dims


# -- tensors and pointers ---


def parameter(t: TensorType, address: np.ndarray, name: str) -> TensorValue:
    """The value of a tensor parameter, whose layout is static."""
    return TensorValue(address, tuple(x or 0 for x in t.shape), tuple(x or 0 for x in t.strides), name)


def alloc(p: ReferenceProgram, op: Op) -> Step | None:
    """Places were given when the program was made; a local tensor forgets its contents each time."""
    where, t = p.allocs[op], op.result.type
    assert isinstance(t, TensorType)
    p.constant(op.result, parameter(t, np.full(p.lanes, where.start, np.int64), where.name))
    if t.space != LOCAL:
        return None
    size = tensor_bytes(op)
    return lambda wave, env: wave.spaces[LOCAL].forget(where.start, size, wave.mask)


def make_tensor(p: ReferenceProgram, op: Op) -> Step:
    """A tensor at a pointer."""
    t = op.result.type
    assert isinstance(t, TensorType)
    pointer, out, dims = p.slot(op.operands[0]), p.slot(op.result), _dims(p, t, op.operands[1:])
    name = op.attrs.get("name") or op.result.name or op.operands[0].name or "a tensor"

    def step(wave: ReferenceWave, env: Env) -> None:
        env[out] = TensorValue(env[pointer], *dims(env), name)

    return step


def view(p: ReferenceProgram, op: Op) -> Step:
    """The same first byte with another layout."""
    t = op.result.type
    assert isinstance(t, TensorType)
    base, out, dims = p.slot(op.operands[0]), p.slot(op.result), _dims(p, t, op.operands[1:])
    own = op.attrs.get("name") or op.result.name

    def step(wave: ReferenceWave, env: Env) -> None:
        env[out] = TensorValue(env[base].address, *dims(env), own or env[base].name)

    return step


def subview(p: ReferenceProgram, op: Op) -> Step:
    """A part of a tensor from an element on; the offsets are not checked before an access uses them, save where the op
    says how far the part `reach`es: AccessFault "extent" where it leaves the tensor."""
    source, t = op.operands[0].type, op.result.type
    assert isinstance(source, TensorType) and isinstance(t, TensorType)
    n, size = len(source.shape), source.dtype.bytes
    base, out, dims = p.slot(op.operands[0]), p.slot(op.result), _dims(p, t, op.operands[1 + n :])
    offsets = [p.slot(v) for v in op.operands[1 : 1 + n]]
    own = op.attrs.get("name") or op.result.name

    reach = op.attrs.get("reach")

    def step(wave: ReferenceWave, env: Env) -> None:
        t, address = env[base], env[base].address
        for slot, extent, by in zip(offsets, t.shape, reach, strict=True) if reach else ():
            first = env[slot].astype(np.int64)
            wrong = ((first < 0) | (first + by >= extent)) & wave.mask.active
            if wrong.any():
                wave.op = op
                raise AccessFault("extent", int(wrong.argmax()))
        for slot, stride in zip(offsets, t.strides, strict=True):
            address = address + env[slot].astype(np.int64) * (stride * size)
        env[out] = TensorValue(address, *dims(env), own or t.name)

    return step


def base(p: ReferenceProgram, op: Op) -> Step:
    """A tensor's first address as a pointer."""
    tensor, out = p.slot(op.operands[0]), p.slot(op.result)

    def step(wave: ReferenceWave, env: Env) -> None:
        env[out] = env[tensor].address

    return step


# -- accesses ---

# int64 addresses (lanes,), or (lanes, n) where a vector is not contiguous
Locate = Callable[[ReferenceWave, Env], np.ndarray]


def _coordinates(p: ReferenceProgram, t: TensorType, tensor: Value, coords: list[Value]) -> Locate:
    """The address of the element at the coordinates; AccessFault "extent" where an active lane's coordinate lies
    outside."""
    size, fixed, moving = t.dtype.bytes, 0, []
    for i, c in enumerate(coords):
        known, extent, stride = p.known(c), t.shape[i], t.strides[i]
        if known is not None and extent is not None and stride is not None and 0 <= known < extent:
            fixed += known * stride * size
        else:
            moving.append((i, p.slot(c), extent, None if stride is None else stride * size))
    at = p.slot(tensor)

    def locate(wave: ReferenceWave, env: Env) -> np.ndarray:
        tensor = env[at]
        address = tensor.address + fixed if fixed else tensor.address
        for i, slot, extent, step in moving:
            c = env[slot]
            wide = c.astype(np.int64)
            # Read as unsigned, a negative coordinate is larger than any extent; the maximum clears nearly all accesses
            # at once.
            bare = c.view(unsigned[c.dtype.itemsize])
            if extent is None or np.maximum.reduce(bare) >= extent:
                limit = tensor.shape[i] if extent is None else extent
                wrong = ((wide < 0) | (wide >= limit)) & wave.mask.active
                if wrong.any():
                    raise AccessFault("extent", int(wrong.argmax()))
            address = address + wide * (tensor.strides[i] * size if step is None else step)
        return address

    return locate


def _spread(t: TensorType, coords: int, at: int, first: Locate) -> tuple[Locate, int]:
    """(addresses, elements at each) of what `coords` coordinates leave of a tensor, in row-major order of the leaves
    that remain."""
    extents = [range(x or 0) for x in t.shape[coords:]]
    index = np.array(list(itertools.product(*extents)), np.int64).reshape(-1, len(extents))
    size, strides = t.dtype.bytes, t.strides[coords:]
    if None not in strides:
        offsets = (index * np.array([s or 0 for s in strides], np.int64)).sum(axis=1) * size
        if len(offsets) and (offsets == np.arange(len(offsets)) * size).all():
            return first, len(offsets)
        return lambda wave, env: first(wave, env)[:, None] + offsets, 1

    def spread(wave: ReferenceWave, env: Env) -> np.ndarray:
        address = np.repeat(first(wave, env)[:, None], len(index), axis=1)
        for leaf, stride in enumerate(env[at].strides[coords:]):
            address += index[:, leaf] * (stride * size if isinstance(stride, int) else stride[:, None] * size)
        return address

    return spread, 1


def _access(p: ReferenceProgram, tensor: Value, coords: list[Value]) -> tuple[Locate, int]:
    t = tensor.type
    assert isinstance(t, TensorType)
    first = _coordinates(p, t, tensor, coords)
    return (first, 1) if len(coords) == len(t.shape) else _spread(t, len(coords), p.slot(tensor), first)


def decoder(d: DType, n: int | None) -> Fn:
    """From uint8 (lanes, ...) to values of `n` elements; a u1 takes a byte, and any bit makes it true."""
    if d.kind == "bool":
        return lambda raw: raw.reshape(len(raw), -1)[:, 0] != 0 if n is None else raw.reshape(len(raw), -1) != 0
    np_type = d.np
    return lambda raw: raw.view(np_type).reshape(len(raw)) if n is None else raw.view(np_type).reshape(len(raw), n)


def encode(value: np.ndarray) -> np.ndarray:
    """A value as uint8 (lanes, bytes)."""
    return np.ascontiguousarray(value).view(np.uint8).reshape(len(value), -1)


def _elements(value: Value) -> int | None:
    return value.type.n if isinstance(value.type, VecType) else None


def _load(op: Op, space: str, locate: Locate, size: int, out: int) -> Step:
    """`size` bytes from each located address."""
    decode = decoder(dtype_of(op.result.type), _elements(op.result))

    def step(wave: ReferenceWave, env: Env) -> None:
        wave.op = op
        env[out] = decode(wave.load(space, locate(wave, env), size, wave.mask))

    return step


def _store(op: Op, space: str, locate: Locate, size: int, value: int) -> Step:
    def step(wave: ReferenceWave, env: Env) -> None:
        wave.op = op
        address, data = locate(wave, env), encode(env[value])
        wave.store(space, address, data if address.ndim == 1 else data.reshape(*address.shape, size), wave.mask)

    return step


def _space(v: Value) -> str:
    assert isinstance(v.type, (TensorType, PtrType))
    return v.type.space


def load(p: ReferenceProgram, op: Op) -> Step | None:
    """The value at the coordinates: an element, or the vector of all that remains."""
    tensor, *coords = op.operands
    locate, run = _access(p, tensor, coords)
    return _load(op, _space(tensor), locate, run * dtype_of(tensor.type).bytes, p.slot(op.result))


def store(p: ReferenceProgram, op: Op) -> Step:
    """The same places as `load`."""
    value, tensor, *coords = op.operands
    locate, run = _access(p, tensor, coords)
    return _store(op, _space(tensor), locate, run * dtype_of(tensor.type).bytes, p.slot(value))


def _offset(p: ReferenceProgram, pointer: Value, offset: Value) -> Locate:
    a, b = p.slot(pointer), p.slot(offset)
    return lambda wave, env: env[a] + env[b]


def ld(p: ReferenceProgram, op: Op) -> Step:
    """Consecutive elements at pointer + byte offset."""
    pointer, offset = op.operands
    size = dtype_of(op.result.type).bytes * (_elements(op.result) or 1)
    return _load(op, _space(pointer), _offset(p, pointer, offset), size, p.slot(op.result))


def st(p: ReferenceProgram, op: Op) -> Step:
    """Writes what `ld` reads."""
    value, pointer, offset = op.operands
    size = dtype_of(value.type).bytes * (_elements(value) or 1)
    return _store(op, _space(pointer), _offset(p, pointer, offset), size, p.slot(value))
