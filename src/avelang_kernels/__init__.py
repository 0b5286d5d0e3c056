"""Kernels that use nothing but the public names of Ave, by operation: one file a kernel, each with a host function that
takes arrays. A kernel's former name, without its folder, imports the same module."""

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

FORMER = {
    "attention": ("tile_attention", "tile_attention_hopper", "tile_attention_rows"),
    "matmul": (
        "hopper_gemm", "hopper_skinny", "mfma_gemm", "mi300_gemm", "ptx_ampere_gemm", "ptx_hopper_gemm", "tile_gemm",
        "tile_inference", "tile_skinny", "tutorial_gemm",
    ),
    "moe": ("tile_grouped_gemm", "tile_moe"),
    "norm": ("ptx_rms_norm", "ptx_rows", "ptx_softmax"),
}  # fmt: skip
_MOVED = {
    f"{__name__}.{kernel}": f"{__name__}.{folder}.{kernel}" for folder, names in FORMER.items() for kernel in names
}


class FormerNames:
    """Finds modules by their former names, for `sys.meta_path`."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Returns a spec for a former name, None for any other."""
        return ModuleSpec(name, _FINDER) if name in _MOVED else None

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Leaves it to the import system to make a module, which `exec_module` replaces."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Puts the module itself in the place of the one that is being imported."""
        sys.modules[module.__name__] = importlib.import_module(_MOVED[module.__name__])


_FINDER: Any = FormerNames
sys.meta_path.append(_FINDER)
