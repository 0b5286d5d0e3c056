"""Who watches torch's operations: the torch that is loaded comes in; questions that compiled host code asks go out, of
modes, transformations, autocast, tangents and `torch.jit.trace`, by functions of torch's own libraries.

Each is tried before it is trusted: its answer must change with what it is asked about."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import pathlib
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from avelang.native.layouts import ITEMS, Check, WatchedName
from avelang.runtime.native import native

_INCLUDED = "_ZN3c104impl28tls_is_dispatch_key_includedENS_11DispatchKeyE"
_EXCLUDED = "_ZN3c104impl28tls_is_dispatch_key_excludedENS_11DispatchKeyE"
_FUNCTIONS = "_ZN2at4impl22PythonTorchFunctionTLS9stack_lenEv"
_TRACED = "_ZN5torch3jit6tracer15getTracingStateEv"  # where a pointer is
# Keys of which a thread has one in its set while a mode or a transformation is on. Autocast takes one out of another
# set.
_ON = ("Python", "FuncTorchDynamicLayerFrontMode", "FuncTorchVmapMode", "Functionalize", "PreDispatch")
_CAST = ("AutocastCPU", "AutocastCUDA")
_LEVEL = "_current_level"


def quiet(torch: Any) -> bool:
    """True where nobody watches, by torch's Python functions."""
    return (
        not torch._C._len_torch_dispatch_stack() and not torch._C._len_torch_function_stack()
        and torch._C._functorch.peek_interpreter_stack() is None and torch.autograd.forward_ad._current_level < 0
        and not any(map(torch.is_autocast_enabled, ("cpu", "cuda"))) and torch._C._get_tracing_state() is None
    )  # fmt: skip


def _function(torch: Any, library: str, name: str) -> int:
    folder = pathlib.Path(torch.__file__).parent / "lib"
    found = next(p for p in (folder / f"{library}.so", folder / f"{library}.dylib") if p.is_file())
    return ctypes.cast(getattr(ctypes.CDLL(str(found)), name), ctypes.c_void_p).value or 0


def _checks(torch: Any) -> list[Check]:
    included, excluded = (_function(torch, "libc10", name) for name in (_INCLUDED, _EXCLUDED))
    keys = torch._C.DispatchKey.__members__
    return [
        *(Check(included, int(keys[k]), 1, 0) for k in _ON if k in keys),
        *(Check(excluded, int(keys[k]), 1, 1) for k in _CAST),
        Check(_function(torch, "libtorch_cpu", _FUNCTIONS), 0, 2**64 - 1, 0),
        Check(native().address("ave_word_at"), _function(torch, "libtorch_cpu", _TRACED), 2**64 - 1, 0),
    ]


def answered(checks: list[Check]) -> bool:
    """True where compiled code finds that nobody watches."""
    ask = ctypes.PYFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)
    return all(ask(c.function)(c.argument) & c.mask == c.wanted for c in checks)


@contextlib.contextmanager
def _cast(torch: Any, device: str) -> Iterator[None]:
    torch.set_autocast_enabled(device, True)
    try:
        yield
    finally:
        torch.set_autocast_enabled(device, False)


@contextlib.contextmanager
def _mapped(torch: Any) -> Iterator[None]:
    torch._C._functorch._vmap_increment_nesting(2, "error")
    try:
        yield
    finally:
        torch._C._functorch._vmap_decrement_nesting()


def _hold(torch: Any, checks: list[Check]) -> bool:
    """Whether the answers are right with nobody there, and with one of each kind."""
    # By name: this is the user's library.
    modes = import_module(torch.__name__ + ".utils._python_dispatch").TorchDispatchMode
    functions = import_module(torch.__name__ + ".overrides").TorchFunctionMode
    somebody: list[Callable[[], Any]] = [
        modes, functions, functools.partial(_mapped, torch), functools.partial(_cast, torch, "cpu"),
        functools.partial(_cast, torch, "cuda"),
    ]  # fmt: skip
    for one in somebody:
        if not answered(checks):
            return False
        with one():
            if answered(checks):
                return False
    traced: list[bool] = []
    given = torch.zeros(1, dtype=torch.float32, device="cpu")
    torch._C._create_graph_by_tracing(
        lambda x: (traced.append(answered(checks)), x + x)[1], (given,), lambda x: "", True, False, None, []
    )
    return traced == [False] and answered(checks)


@functools.cache
def _asked() -> list[Check] | None:
    torch: Any = sys.modules["torch"]
    try:
        checks = _checks(torch)
        return checks if _hold(torch, checks) else None
    except Exception:  # whatever a torch does that has not what is asked of it
        return None


def checks() -> list[Check] | None:
    """The questions, None where they cannot be asked of this torch. To be called where nobody watches."""
    return _asked()


def level(torch: Any) -> tuple[WatchedName, Any]:
    """The watch of tangents, of which there are none, and what must live as long."""
    home, name, none = torch.autograd.forward_ad.__dict__, sys.intern(_LEVEL), -1
    return WatchedName(id(home), id(name), id(none)), (home, name, none)


def items(torch: Any, meta: int, names: list[str]) -> list[int]:
    """Bytes of an element by torch's number of the dtype, which stands `meta` bytes into a tensor; 0 for others than
    the named."""
    found = [0] * ITEMS
    for name in names:
        dtype = getattr(torch, name, None)
        if dtype is None:
            continue
        x = torch.empty(1, dtype=dtype, device="cpu")
        number = ctypes.c_uint16.from_address(x._cdata + meta).value
        if number < ITEMS:
            found[number] = x.element_size()
    return found
