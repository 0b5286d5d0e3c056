"""NumPy and ml_dtypes for modules that a compilation imports but that rarely compute with them: an attribute comes in,
and with the first one the module. Importing NumPy takes longer than the frontend takes for a kernel.

`from avelang.base.lazy import np` stands where `import numpy as np` would. At a module's top level, `np` may be named
in annotations only."""

from __future__ import annotations

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any


class _Lazy(types.ModuleType):
    """A module that is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import ml_dtypes as ml_dtypes
    import numpy as np
else:
    np, ml_dtypes = _Lazy("numpy"), _Lazy("ml_dtypes")


def numpys(name: str) -> Any:
    """The class of NumPy with this name, for `isinstance`. Where nobody has imported NumPy nothing is of that class:
    then `()`, and no import."""
    return getattr(sys.modules.get("numpy"), name, ())
