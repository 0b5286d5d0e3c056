"""JAX: a call with its arrays, or with tracers under `jax.jit`, comes in; one call of XLA's foreign function
`pyptx_launch` goes out, which names the kernel by a number. jax is never imported from here: it is there when a call
has its arrays."""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from avelang.base.lazy import np

if TYPE_CHECKING:
    from pyptx._call import Caller

TARGET = "pyptx_launch"


@dataclasses.dataclass(frozen=True)
class CubinRecord:
    """A kernel that calls name by a number."""

    handle: int
    ptx_source: str
    kernel_name: str
    cubin_bytes: bytes | None = None
    smem_bytes: int = 0
    grid: tuple[int, ...] = (1, 1, 1)
    block: tuple[int, ...] = (1, 1, 1)
    cu_function: Any = None
    module: Any = None


class CubinRegistry:
    """Kernels by their numbers, from 1 on."""

    def __init__(self) -> None:
        self._records: dict[int, CubinRecord] = {}
        self._next = 1
        self._lock = threading.Lock()

    def register(
        self, ptx_source: str, kernel_name: str, cubin_bytes: bytes | None = None, smem_bytes: int = 0,
        grid: tuple[int, ...] = (1, 1, 1), block: tuple[int, ...] = (1, 1, 1), cu_function: Any = None,
        module: Any = None,
    ) -> int:  # fmt: skip
        """Keeps a kernel; its number."""
        with self._lock:
            handle = self._next
            self._next += 1
            self._records[handle] = CubinRecord(
                handle, ptx_source, kernel_name, cubin_bytes, smem_bytes, tuple(grid), tuple(block), cu_function, module
            )
            return handle

    def get(self, handle: int) -> CubinRecord | None:
        """The kernel of a number, or None."""
        return self._records.get(int(handle))

    def clear(self) -> None:
        """Forgets all kernels."""
        with self._lock:
            self._records.clear()

    def __len__(self) -> int:
        return len(self._records)


_registry = CubinRegistry()


def get_cubin_registry() -> CubinRegistry:
    """The registry of this process."""
    return _registry


# -- the foreign function ----------------------------------------------------------------------------------------------

_mock: Callable[..., Any] | None = None


def set_mock_ffi_callback(callback: Callable[..., Any] | None) -> None:
    """Puts a function in the place of launches that `_pyptx_launch` hands on."""
    global _mock
    _mock = callback


def _pyptx_launch(*args: Any, **kwargs: Any) -> Any:
    """Hands on to the function that `set_mock_ffi_callback` has set."""
    return None if _mock is None else _mock(*args, **kwargs)


def ensure_ffi_registered() -> bool:
    """True once XLA knows the foreign function; False without JAX."""
    jax = sys.modules.get("jax")
    if jax is None:
        return False
    from avelang.bridge import xla

    xla.register(jax, TARGET, _served)
    return True


def shim_is_available() -> bool:
    """True: launches need no library besides Ave's own."""
    return True


def shim_load_error() -> str | None:
    """The reason why launches are not possible: None."""
    return None


def compile_ptx_to_cubin(ptx: str, arch: str, kernel_name: str = "", dynamic_smem_bytes: int = 0) -> bytes | None:
    """Machine code by `ptxas`, or None where there is none. Raises D038 where it refuses the text."""
    from avelang.runtime import ptxas

    tool = ptxas.find()
    return None if tool is None else ptxas.assemble(tool, ptx, arch, kernel_name)[0]


def _served(handle: int, arguments: list[Any], results: list[Any], driver: str, stream: int, room: Any) -> None:
    """XLA's call of the kernel of a number."""
    from avelang.bridge import xla

    record = _registry.get(handle)
    if record is None or record.module is None:
        raise KeyError(f"no kernel has the handle {handle}")
    buffers = [*arguments, *results]
    record.module.at([b.address for b in buffers], xla.place(driver, buffers), stream)


# -- calls -------------------------------------------------------------------------------------------------------------


def call(caller: Caller, inputs: Sequence[Any], kw: Mapping[str, Any]) -> Any:
    """A call with JAX's arrays: executed at once where they are on the CPU, else by XLA."""
    jax: Any = sys.modules["jax"]
    traced = any(isinstance(a, jax.core.Tracer) for a in inputs)
    if not traced and all(d.platform == "cpu" for a in inputs if isinstance(a, jax.Array) for d in a.devices()):
        made = caller.run([np.asarray(a) for a in inputs], kw)
        return (
            tuple(jax.numpy.asarray(x) for x in made) if isinstance(made, tuple) else jax.numpy.asarray(made)
        )  # fmt: skip
    return _foreign(caller, inputs, kw)


def _foreign(caller: Caller, inputs: Sequence[Any], kw: Mapping[str, Any]) -> Any:
    """A call in XLA's program. Raises TypeError and ValueError (T241) while JAX traces, as a call on arrays would."""
    from avelang.ir.dtypes import from_numpy
    from pyptx._arrays import accepts, dtype_of
    from pyptx._errors import bad_type

    jax: Any = sys.modules["jax"]
    ensure_ffi_registered()
    for name, tile, value in zip(caller.kernel.names, caller.kernel.in_specs, inputs, strict=False):
        have = from_numpy(np.dtype(value.dtype)) if hasattr(value, "dtype") else None
        if have is None or not accepts(tile, have):
            raise bad_type(caller.kernel.name, f"the input {name!r} is of {getattr(value, 'dtype', type(value))}, and "
                           f"{tile!r} takes {dtype_of(tile).name}")  # fmt: skip
    special = caller.specialized([tuple(a.shape) for a in inputs], kw)
    shapes = [jax.ShapeDtypeStruct(shape, dtype.np) for shape, dtype in special.outputs]
    out = jax.ffi.ffi_call(TARGET, shapes, has_side_effect=False, vmap_method="sequential")(
        *inputs, cubin_handle=np.int64(special.handle)
    )
    return out[0] if len(out) == 1 else tuple(out)
