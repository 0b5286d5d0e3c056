"""The intrinsics: a vendor's rows are registered in `row.ROWS` when its package is imported; asking for a name of this
one imports all of them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from avelang.isa import amdgpu, nvptx, ranks
    from avelang.isa.row import PUBLIC, ROWS, Row

__all__ = ["PUBLIC", "ROWS", "Row", "amdgpu", "nvptx", "ranks"]
# What the language calls the intrinsics of all chips and of a vendor, and the package that has their rows.
PACKAGES = {
    "al": "avelang.isa.portable", "system": "avelang.isa.ranks", "amdgpu": "avelang.isa.amdgpu",
    "nvvm": "avelang.isa.nvptx",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """A name of `__all__`, with the rows of all vendors registered: for pages and checks of all there is. A kernel
    names one vendor's."""
    if name not in __all__:
        raise AttributeError(f"avelang.isa has no {name!r}")
    packages = {module.rpartition(".")[2]: importlib.import_module(module) for module in PACKAGES.values()}
    return packages[name] if name in packages else getattr(importlib.import_module("avelang.isa.row"), name)
