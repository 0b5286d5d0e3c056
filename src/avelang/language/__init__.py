"""What users import as `al`: dtypes, annotations, builtins, and the intrinsics of each vendor. Every name works inside
kernels only."""

from __future__ import annotations

from typing import Any

from avelang.frontend.names import BUILTINS as _BUILTINS
from avelang.frontend.names import DYNAMIC as _DYNAMIC
from avelang.frontend.names import (
    AtomicScope,
    Builtin,
    Layout,
    Namespace,
    Pointer,
    Ranks,
    Signals,
    Tensor,
    TensorMap,
    constexpr,
    missing,
)
from avelang.frontend.names import amdgpu as _amdgpu
from avelang.frontend.names import nvvm as _nvvm
from avelang.frontend.names import system as _system
from avelang.ir import dtypes as _dtypes
from avelang.ir.dtypes import DType
from avelang.jit import constant, struct

_NAMES: dict[str, Any] = {
    **_BUILTINS,
    **_dtypes.BY_NAME,
    "amdgpu": _amdgpu,
    "dtype": DType,  # the class of scalar types
    "dynamic": _DYNAMIC,
    "nvvm": _nvvm,
    "constant": constant,
    "struct": struct,
    "system": _system,
}


def __getattr__(name: str) -> Any:
    """Only reached for names that do not exist. Raises T009, an AttributeError too, with the names most like it."""
    raise missing("avelang.language", name, _ALL) if not name.startswith("__") else AttributeError(name)


# Builtins and dtypes come from their tables, so that each name stands once.
_CLASSES = (AtomicScope, Builtin, DType, Layout, Namespace, Pointer, Ranks, Signals, Tensor, TensorMap, constexpr)
_ALL = sorted([*(c.__name__ for c in _CLASSES), *_NAMES])
globals().update(_NAMES, __all__=_ALL)
