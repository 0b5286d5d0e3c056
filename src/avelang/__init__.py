"""Ave: a language in Python for matrix kernels, and its compiler. `@avelang.jit` makes a kernel; `avelang.language` is
what kernels say."""

from typing import TYPE_CHECKING, Any

from avelang.arch import chip
from avelang.base import errors as errors
from avelang.base import late
from avelang.base.places import argument_error
from avelang.base.takes import Want, at_least, takes
from avelang.base.version import VERSION as __version__
from avelang.bundles import build, load_bundle, recording, specialization, strict, unload_bundle
from avelang.jit import JitFunction, constant, jit, struct

if TYPE_CHECKING:
    from avelang.bridge.operation import op as op
    from avelang.judging import judge as judge
    from avelang.tuning.tuned import tune as tune

__all__ = ["JitFunction", "Want", "__version__", "argument_error", "at_least", "build", "chip", "constant", "errors",
           "jit", "judge", "load_bundle", "op", "recording", "specialization", "strict", "struct", "takes", "tune",
           "unload_bundle"]


def _elements() -> Any:
    from avelang import elements  # most programs need none of its kernels

    return elements


late.give("elements", _elements)

if not TYPE_CHECKING:  # a checker knows all names

    def __getattr__(name: str) -> Any:
        # Tuning and operations are imported when they are asked for: most programs only launch.
        if name == "tune":
            from avelang.tuning.tuned import tune as found
        elif name == "judge":
            from avelang.judging import judge as found
        elif name == "op":
            from avelang.bridge.operation import op as found
        else:
            if name.startswith("__"):
                raise AttributeError(f"module 'avelang' has no attribute {name!r}")
            from avelang.frontend import foreign_names
            from avelang.frontend.names import missing

            raise missing("avelang", name, __all__, foreign_names.hint(name))
        globals()[name] = found
        return found
