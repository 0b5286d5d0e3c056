"""Ave: a language in Python for matrix kernels, and its compiler. `@avelang.jit` makes a kernel; `avelang.language` is
what kernels say."""

from avelang.arch import chip
from avelang.base import errors as errors
from avelang.base.places import argument_error
from avelang.base.takes import Want, at_least, takes
from avelang.base.version import VERSION as __version__
from avelang.jit import JitFunction, constant, jit, struct

__all__ = ["JitFunction", "Want", "__version__", "argument_error", "at_least", "chip", "constant", "errors", "jit",
           "struct", "takes"]
