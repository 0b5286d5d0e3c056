"""A call comes in (a kernel, arrays, keywords); its sizes are found, outputs are made, the kernel is traced and
executed or launched; outputs go out.

One `SizedKernel` stands for a kernel with certain sizes, template arguments and raw values; it has a number, by which
XLA's program and torch's operator name it."""

from __future__ import annotations

import dataclasses
import math
import struct
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyptx._run as run
from avelang.base.lazy import np
from avelang.ptx.outputs import like
from avelang.runtime.arrays import CPU, Array, Unreadable, describe
from avelang.runtime.geometry import Geometry
from pyptx._arrays import accepts, dtype_of
from pyptx._build import TracedKernel, extents, key_of
from pyptx._errors import PyptxUnsupportedError, bad_type, bad_value, fail
from pyptx.jax_support import call as call_jax
from pyptx.jax_support import get_cubin_registry
from pyptx.torch_support import prepared

if TYPE_CHECKING:
    from pyptx.kernel import Kernel


class SizedKernel:
    """A kernel for certain sizes, template arguments and raw values. `call` runs it on memory."""

    def __init__(self, kernel: Kernel, traced: TracedKernel, env: dict[str, int], raw: Sequence[bytes],
                 smem: int, kw: Mapping[str, Any]):  # fmt: skip
        self.kernel, self.traced, self.env, self.raw, self.kw = kernel, traced, env, tuple(raw), kw
        self.dynamic = max(smem, traced.dynamic_bytes)
        self.tiles = kernel.specs
        self.shapes = [tile.resolve_shape(env) for tile in self.tiles]
        pairs = list(zip(self.shapes, self.tiles, strict=True))[len(kernel.in_specs) :]
        self.outputs = [(shape, dtype_of(tile)) for shape, tile in pairs]
        self.geometry = Geometry(extents(kernel._resolve_grid(env), "grid"), extents(kernel.block, "block"))
        self.programs: dict[str, Any] = {}
        self.handle = 0

    def launched(self) -> TracedKernel:
        """The traced kernel with the bytes of dynamic shared memory that its launch takes."""
        return dataclasses.replace(self.traced, dynamic_bytes=self.dynamic, geometry=self.geometry)

    def at(self, addresses: Sequence[int], place: str, stream: int) -> None:
        """A call on checked memory: the addresses of all tensors, on `place`."""
        strides = [row_major(shape, dtype_of(tile).bytes) for shape, tile in zip(self.shapes, self.tiles, strict=True)]
        arrays = [
            Array("JAX", a, dtype_of(tile), dtype_of(tile).name, shape, steps, place, None, "ffi")
            for a, tile, shape, steps in zip(addresses, self.tiles, self.shapes, strides, strict=True)
        ]
        self.call(arrays, place, stream)

    def call(self, arrays: Sequence[Array], place: str, stream: int | None = None) -> None:
        """Runs it on arrays that are row-major without gaps."""
        if not math.prod(self.geometry.grid):
            return
        if place == CPU:
            run.on_cpu(self, arrays)
        else:
            run.on_gpu(self, arrays, place, stream)


def row_major(shape: Sequence[int], size: int) -> tuple[int, ...]:
    """Strides in bytes of a shape without gaps."""
    return tuple(math.prod(shape[i + 1 :]) * size for i in range(len(shape)))


class Caller:
    """The calls of one kernel. `handles`: the numbers of its specializations."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.handles: dict[Any, int] = {}
        self.operator = prepared(self)
        self._found: dict[Any, SizedKernel] = {}
        self._lock = threading.Lock()

    def __call__(self, *arrays: Any, **kw: Any) -> Any:
        count = len(self.kernel.in_specs)
        if len(arrays) < count:
            names = ", ".join(self.kernel.names[:count])
            raise bad_type(self.kernel.name, f"{count} inputs are wanted ({names}), {len(arrays)} are given")
        inputs = arrays[:count]
        torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
        if torch is not None and any(isinstance(a, torch.Tensor) for a in inputs):
            return self.run(inputs, kw)
        if jax is not None and any(isinstance(a, jax.Array) for a in inputs):
            return call_jax(self, inputs, kw)
        return self.run(inputs, kw)

    def run(self, inputs: Sequence[Any], kw: Mapping[str, Any]) -> Any:
        """A call on arrays that are there; the outputs are of their kind."""
        found = [self._array(i, value) for i, value in enumerate(inputs)]
        special = self.specialized([a.shape for a in found], kw)
        made = like(inputs, special.outputs)
        every = [*found, *(self._described(x, "an output") for x in made)]
        places = {a.device for a in every}
        if len(places) > 1:
            raise bad_value(self.kernel.name, f"its arrays are on {' and '.join(sorted(places))}")
        special.call(every, places.pop())
        return made[0] if len(made) == 1 else tuple(made)

    def _described(self, value: Any, what: str) -> Array:
        try:
            found = describe(value)
        except Unreadable as e:
            raise bad_value(self.kernel.name, f"{what}: its memory cannot be had: {e}") from None
        if found is None:
            raise bad_type(self.kernel.name, f"{what} is no array: {type(value).__name__}")
        return found

    def _array(self, i: int, value: Any) -> Array:
        """An input, checked, and copied where it has gaps. Raises TypeError and ValueError (T241)."""
        what, tile = f"the input {self.kernel.names[i]!r}", self.kernel.in_specs[i]
        if hasattr(value, "requires_grad") and hasattr(value, "detach"):
            value = value.detach()
        found = self._described(value, what)
        if found.dtype is None or not accepts(tile, found.dtype):
            want = dtype_of(tile).name
            raise bad_type(self.kernel.name, f"{what} is of {found.dtype_name}, and {tile!r} takes {want}")
        tile.extract_env(found.shape)
        if not found.contiguous():
            value = value.contiguous() if hasattr(value, "contiguous") else np.ascontiguousarray(value)
            found = self._described(value, what)
        return found

    # -- specializations -----------------------------------------------------------------------------------------------

    def specialized(self, shapes: Sequence[Sequence[int]], kw: Mapping[str, Any]) -> SizedKernel:
        """The kernel for inputs of these shapes and these keywords. Raises TypeError and ValueError (T241)."""
        key = tuple(map(tuple, shapes)), key_of(kw)
        found = self._found.get(key)
        if found is None:
            with self._lock:
                found = self._found.get(key)
                if found is None:
                    found = self._found[key] = self._made(shapes, kw)
        return found

    def _made(self, shapes: Sequence[Sequence[int]], kw: Mapping[str, Any]) -> SizedKernel:
        kernel = self.kernel
        template, sizes, raw = kernel.sorted(kw)
        env = kernel.env(shapes, sizes)
        template = {k: env.get(k, v) if k not in kw and k in env else v for k, v in template.items()}
        values = [self._raw(x, raw, env, template) for x in kernel.raw]
        traced = kernel.traced(template, env)
        free = [x for tile in kernel.out_specs for x in tile.symbolic_dims if x not in env]
        if free:
            numbers = {x: template[x] for x in free if isinstance(template.get(x), int)}
            if len(numbers) < len(set(free)):
                raise bad_value(kernel.name, f"the size {free[0]!r} of an output is that of no input")
            env = {**env, **numbers}
        made = SizedKernel(kernel, traced, env, values, kernel.smem, dict(kw))
        made.handle = get_cubin_registry().register(
            traced.text, kernel.name, smem_bytes=made.dynamic, grid=made.geometry.grid, block=made.geometry.block,
            module=made,
        )  # fmt: skip
        self.handles[tuple(map(tuple, shapes)), key_of(kw)] = made.handle
        return made

    def _raw(self, x: Any, raw: Mapping[str, Any], env: Mapping[str, int], template: Mapping[str, Any]) -> bytes:
        """The bytes of a raw parameter: of a keyword, of a size of that name, of a template argument. Raises TypeError
        and PyptxUnsupportedError (T241)."""
        if not x.is_number:
            raise fail(PyptxUnsupportedError, self.kernel.name, f"the raw parameter {x.name} (`{x.text}`) is a "
                       "pointer or an array; calls pass numbers")  # fmt: skip
        for given in (raw, env, template):
            if x.name in given:
                return _bytes(x.type, given[x.name])
        raise bad_type(self.kernel.name, f"the raw parameter {x.name} has no value: give it by name, {x.name}=...")


def _bytes(kind: Any, value: Any) -> bytes:
    """A number in memory, cut to its width."""
    if kind.name in ("f32", "f64", "f16"):
        try:
            return struct.pack({"f32": "<f", "f64": "<d", "f16": "<e"}[kind.name], float(value))
        except OverflowError:
            raise bad_value("a raw parameter", f"{value!r} is too large for {kind}") from None
        except (TypeError, ValueError):
            raise bad_type("a raw parameter", f"{value!r} is no {kind}") from None
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise bad_type("a raw parameter", f"{value!r} is no {kind}")
    return (value.__index__() & (1 << 8 * kind.bytes) - 1).to_bytes(kind.bytes, "little")
